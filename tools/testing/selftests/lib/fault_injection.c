// SPDX-License-Identifier: GPL-2.0
/* Fault injection for allocations and lookups. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault_injection.h"
#include "platform.h"

#define FAILSLAB	"/sys/kernel/debug/failslab"
#define COUNTDOWN	"/proc/thread-self/fail-nth"
#define CACHES		"/sys/kernel/slab"
#define LOOKUPS		"/sys/module/arm_syspmu_faults/parameters/nth"

/* Without memory a checker continues, but checks less. */
static bool belongs_to_a_checker(const char *cache)
{
	return !strncmp(cache, "kmemleak", 8) || !strncmp(cache, "debug_objects", 13);
}

/* Returns whether faults are enabled for all caches except those of checkers. */
static bool choose_caches(void)
{
	DIR *directory = opendir(CACHES);
	struct dirent *entry;
	bool all = directory;

	while (all && (entry = readdir(directory))) {
		if (entry->d_name[0] != '.' && !belongs_to_a_checker(entry->d_name))
			all = !write_text(path_of(CACHES "/%s/failslab", entry->d_name), "1");
	}
	if (directory)
		closedir(directory);
	return all;
}

/*
 * Prepare to make allocations of this thread fail. Faults do not log a backtrace. They also affect
 * allocations that can wait, which failslab does not by default. Every second allocation is one of
 * kmemleak for the previous one; those of checkers do not fail if they have a cache of their own.
 * These settings remain, and do not affect threads that have not armed a fault. Returns 0, or a
 * negative errno with @fault->missing set to the reason.
 */
int fault_open(struct fault *fault)
{
	int error;

	fault->missing = "the kernel lacks CONFIG_FAILSLAB or CONFIG_FAULT_INJECTION_DEBUG_FS";
	fault->file = -1;
	error = write_text(FAILSLAB "/ignore-gfp-wait", "N") ?:
		write_text(FAILSLAB "/verbose", "0") ?:
		write_text(FAILSLAB "/cache-filter", choose_caches() ? "Y" : "N");
	if (error)
		return error;
	fault->file = open(COUNTDOWN, O_RDWR | O_CLOEXEC);
	return fault->file < 0 ? -errno : 0;
}

/*
 * Prepare to make lookups and requests of this thread fail. Returns 0, or a negative errno with
 * @fault->missing set to the reason.
 */
int fault_open_lookups(struct fault *fault)
{
	fault->missing = "the module arm_syspmu_faults is not loaded";
	fault->file = open(LOOKUPS, O_RDWR | O_CLOEXEC);
	return fault->file < 0 ? -errno : 0;
}

/* Undo fault_open() or fault_open_lookups(). */
void fault_close(struct fault *fault)
{
	if (fault->file >= 0)
		close(fault->file);
	fault->file = -1;
}

/* Make the n-th of this thread's next allocations, or lookups, fail. */
int fault_arm(struct fault *fault, unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fault->file, text, length, 0) == length ? 0 : -errno;
}

/*
 * Make everything succeed again. @left receives how many calls before the n-th were not made.
 * Returns whether one has failed.
 */
bool fault_disarm(struct fault *fault, unsigned int *left)
{
	char text[16] = "";

	if (pread(fault->file, text, sizeof(text) - 1, 0) < 0 || fault_arm(fault, 0))
		abort();
	if (left)
		*left = atoi(text);
	return !atoi(text);
}
