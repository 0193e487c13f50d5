// SPDX-License-Identifier: GPL-2.0
/* Calls in the kernel that wait for a test, and interrupts that go where it wants them. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interleave.h"
#include "platform.h"

#define PARAMETERS	"/sys/module/arm_syspmu_interleave/parameters"

/**
 * interleave_exists() - whether the module is there
 *
 * Return: true if it is.
 */
bool interleave_exists(void)
{
	return !access(PARAMETERS "/hold", W_OK);
}

/**
 * call_hold() - have the next call of a function of the kernel wait
 * @function: its name; one that may sleep
 *
 * Return: 0 or a negative errno.
 */
int call_hold(const char *function)
{
	return write_text(PARAMETERS "/hold", function);
}

/**
 * call_is_held() - whether somebody waits in that call
 *
 * Return: true if so.
 */
bool call_is_held(void)
{
	char text[16];

	return read_text(PARAMETERS "/hold", text, sizeof(text)) > 0 && !strncmp(text, "held", 4);
}

/**
 * call_await() - wait until somebody waits in that call
 * @caller: process that is to make it
 *
 * Return: false if that process has ended without having made it.
 */
bool call_await(pid_t caller)
{
	siginfo_t info;

	do {
		if (call_is_held())
			return true;
		usleep(1000);
		info.si_pid = 0;
	} while (!waitid(P_PID, caller, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid);
	return call_is_held();
}

/**
 * call_release() - let the call go on, or none wait
 */
void call_release(void)
{
	write_text(PARAMETERS "/release", "1");
}

/**
 * irq_send_to() - deliver an interrupt to a CPU, also one that user space may not move
 * @irq: Linux's number
 * @cpu: where to
 *
 * Return: 0 or a negative errno.
 */
int irq_send_to(int irq, int cpu)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d", irq, cpu);
	return write_text(PARAMETERS "/affinity", text);
}
