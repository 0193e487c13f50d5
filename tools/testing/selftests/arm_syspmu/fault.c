// SPDX-License-Identifier: GPL-2.0
/* Allocations that fail on demand. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"
#include "platform.h"

#define FAILSLAB	"/sys/kernel/debug/failslab"
#define COUNTDOWN	"/proc/thread-self/fail-nth"

/**
 * fault_open() - prepare to make allocations of this thread fail
 * @fault: to fill in; it belongs to the calling thread
 *
 * Faults are to be silent, since each would log a backtrace, and shall meet
 * allocations that can wait, too: failslab leaves these alone by default. Both
 * stay as they are set here, which means nothing to threads that arm no fault.
 *
 * Return: 0, or a negative errno with @fault->missing saying why.
 */
int fault_open(struct fault *fault)
{
	int error;

	fault->missing = "the kernel lacks CONFIG_FAILSLAB or CONFIG_FAULT_INJECTION_DEBUG_FS";
	fault->file = -1;
	error = write_text(FAILSLAB "/ignore-gfp-wait", "N") ?:
		write_text(FAILSLAB "/verbose", "0");
	if (error)
		return error;
	fault->file = open(COUNTDOWN, O_RDWR | O_CLOEXEC);
	return fault->file < 0 ? -errno : 0;
}

/**
 * fault_close() - undo fault_open()
 * @fault: opened or not
 */
void fault_close(struct fault *fault)
{
	if (fault->file >= 0)
		close(fault->file);
	fault->file = -1;
}

/**
 * fault_arm() - make one of this thread's next allocations fail
 * @fault: opened by this thread
 * @nth: which one, from 1
 *
 * Return: 0 or a negative errno.
 */
int fault_arm(struct fault *fault, unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fault->file, text, length, 0) == length ? 0 : -errno;
}

/**
 * fault_disarm() - let all allocations succeed again
 * @fault: armed
 *
 * Return: whether one has failed.
 */
bool fault_disarm(struct fault *fault)
{
	char left[16] = "";

	if (pread(fault->file, left, sizeof(left) - 1, 0) < 0 || fault_arm(fault, 0))
		abort();
	return !atoi(left);
}
