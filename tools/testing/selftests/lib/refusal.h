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

/* That of an event of this PMU; the caller may change it. */
static inline struct refusal refusal_of(__u64 event, const char *word)
{
	return (struct refusal){
		.word = word,
		.attr = attr_of(event),
		.pid = -1,
		.cpu = pmu->cpu,
		.group_fd = -1,
		.expected = -EINVAL,
	};
}

/* perf_event_attr with config3 and config4, even if the headers are older. */
union long_attr {
	struct perf_event_attr attr;
	struct {
		unsigned char before[128];
		__u64 config3;
		__u64 config4;
	};
};

/* Messages are rate-limited for each PMU. None is suppressed after it has been bound again. */
static inline void allow_messages(void)
{
	if (may_disturb() && driver_can_unbind(pmu->driver))
		bind_again();
}

/*
 * The message must name the field, and the PMU or its device. If messages are rate-limited, try
 * again until there is one; with a driver that does not print it, the test times out.
 */
static inline void expect_message(struct refusal *refusal)
{
	int error;
	bool told;

	TH_LOG("waiting for a message with \"%s\"", refusal->word);
	do {
		mark_log();
		error = refused(&refusal->attr, refusal->pid, refusal->cpu, refusal->group_fd);
		ASSERT_EQ(refusal->expected, error);
		told = messages_with(pmu_log_word(pmu), refusal->word);
		if (!told)
			usleep(200000);
	} while (!told);
}

#endif
