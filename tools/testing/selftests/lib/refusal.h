/* SPDX-License-Identifier: GPL-2.0 */
/* Events that must be refused, and the message about each. Included once by each test. */
#ifndef ARM_SYSPMU_REFUSAL_H
#define ARM_SYSPMU_REFUSAL_H

#include <sys/syscall.h>

#include "fixture.h"

/* Opens an event that must be refused. Closes it if it is not. */
static inline int refused(struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
	int error = errno;

	if (fd < 0)
		return -error;
	close(fd);
	return 0;
}

/* A refused configuration and a word of the message. */
struct refusal {
	const char *word;
	struct perf_event_attr attr;
	int pid;
	int cpu;
	int group_fd;
	int expected;
};

/* Messages are rate-limited for each PMU. None is suppressed after it has been bound again. */
static inline void allow_messages(struct __test_metadata *_metadata, struct machine *machine)
{
	struct pmu *pmu = &machine->pmu;

	if (!driver_can_unbind(pmu->driver))
		return;
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	if (machine->stimulus.page)
		stimulus_traffic(&machine->stimulus, false);
}

/*
 * The message must name the field, and the PMU or its device. If messages are rate-limited, try
 * again until there is one; with a driver that does not print it, the test times out.
 */
static inline void expect_message(struct __test_metadata *_metadata, const struct pmu *pmu,
				  struct refusal *refusal)
{
	const char * const words[] = { pmu_log_word(pmu), refusal->word, NULL };
	int error, mark;
	bool told;

	TH_LOG("waiting for a message with \"%s\"", refusal->word);
	do {
		mark = kmsg_mark();
		ASSERT_LE(0, mark);
		error = refused(&refusal->attr, refusal->pid, refusal->cpu,
				refusal->group_fd);
		ASSERT_EQ(refusal->expected, error);
		told = kmsg_find(mark, words);
		close(mark);
		if (!told)
			usleep(200000);
	} while (!told);
}

#endif
