// SPDX-License-Identifier: GPL-2.0
/*
 * Hundreds of events that must be refused, next to events that count: each refusal has the right
 * errno, and does not affect the counts, the hardware or the log.
 */
#include <time.h>

#include "random.h"
#include "refusal.h"

#define ATTEMPTS	400

static __u64 unnamed[4];	/* bits of config and so on */
static __u64 seed = 0x5eed;

static void find_unnamed(void)
{
	ASSERT_EQ(0, pmu_unnamed_bits(pmu, unnamed, ARRAY_SIZE(unnamed)));
}

PMU_FIXTURE_WITH(flood, any, true, find_unnamed)

static __u64 any_of(__u64 mask)
{
	__u64 bits;

	do {
		bits = next_random(&seed) & mask;
	} while (!bits);
	return bits;
}

/* An event that must be refused. */
struct attempt {
	union long_attr attr;	/* its attributes */
	int pid;	/* for which task */
	int cpu;	/* on which CPU */
	int group_fd;	/* in which group */
	int expected;	/* errno, negative */
};

static void outside_the_format(struct attempt *attempt)
{
	unsigned int word;

	do {
		word = next_random(&seed) >> 32 & 3;
	} while (!unnamed[word]);
	switch (word) {
	case 0:
		attempt->attr.attr.config |= any_of(unnamed[0]);
		break;
	case 1:
		attempt->attr.attr.config1 |= any_of(unnamed[1]);
		break;
	case 2:
		attempt->attr.attr.config2 |= any_of(unnamed[2]);
		break;
	case 3:
		attempt->attr.attr.size = offsetof(union long_attr, config4);
		attempt->attr.config3 = any_of(unnamed[3]);
		/* Before 6.3 ("perf: Add perf_event_attr::config3") perf itself refuses it. */
		if (kernel_is_before(6, 3))
			attempt->expected = -E2BIG;
		break;
	}
}

/* If a PMU accepts any event number, the family has one that it does not accept. */
static __u64 refused_event(void)
{
	const struct pmu_family *family = pmu->family;
	unsigned int tries;
	__u64 event;

	for (tries = 0; tries < 1000; tries++) {
		event = (next_random(&seed) >> 32) % 128;
		if (family->refuses_event(stimulus, event))
			return event;
	}
	return family->undefined_event;
}

static struct attempt random_attempt(int full_group)
{
	struct attempt attempt = {
		.pid = -1, .cpu = pmu->cpu, .group_fd = -1, .expected = -EINVAL,
	};
	const struct pmu_family *family = pmu->family;
	struct perf_event_attr *attr = &attempt.attr.attr;

	*attr = attr_of(pmu->event);
	switch (next_random(&seed) >> 32 & 7) {
	case 0:
		pmu_set_exclude(attr, any_of(0x3f));
		break;
	case 1:
		ASSERT_EQ(0, pmu_set_field(pmu, attr, "event", refused_event()));
		break;
	case 2:
		attempt.pid = 0;
		attempt.cpu = next_random(&seed) >> 32 & 1 ? -1 : pmu->cpu;
		attempt.expected = -EOPNOTSUPP;
		break;
	case 3:
		attempt.group_fd = full_group;
		break;
	case 4:
		/* A PMU that can sample accepts this one. */
		if (pmu_can_interrupt(pmu)) {
			outside_the_format(&attempt);
			break;
		}
		attr->sample_period = 1 + (next_random(&seed) >> 1);
		attempt.expected = -EOPNOTSUPP;
		break;
	case 5:
		if (!family->refused_filter || !family->refused_filter(pmu, stimulus, attr, &seed))
			outside_the_format(&attempt);
		break;
	default:
		outside_the_format(&attempt);
	}
	return attempt;
}

TEST_F_TIMEOUT(flood, of_refusals, SLOW)
{
	struct timespec begin, end;
	struct perf_event_attr attr = filtered_attr();
	unsigned int i, n, number = hardware->counters;
	__u64 writes, total = 0;
	struct attempt attempt;
	int leader;

	/* A group that uses all counters, and with one filter for all also the filter. */
	attr.read_format = PERF_FORMAT_GROUP;
	leader = must_open_attr(&attr, -1);
	for (n = 1; n < number; n++)
		must_open_attr(&attr, leader);
	/* An overflow would write registers, too: make one now. */
	total += inject_filtered(FAR_AWAY);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	mark_log();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	for (i = 1; i <= ATTEMPTS * repeat(); i++) {
		attempt = random_attempt(leader);
		ASSERT_EQ(attempt.expected, refused(&attempt.attr.attr, attempt.pid, attempt.cpu,
						    attempt.group_fd))
			TH_LOG("attempt %u: config %#llx, config1 %#llx, config2 %#llx, pid %d", i,
			       attempt.attr.attr.config, attempt.attr.attr.config1,
			       attempt.attr.attr.config2, attempt.pid);
		total += inject_filtered(i);
		inject_elsewhere(1000);
	}
	EXPECT_EQ(writes, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	EXPECT_EQ(total, read_equal(leader, number));
	/* The kernel's usual limit, 10 lines in 5 seconds. */
	clock_gettime(CLOCK_MONOTONIC, &end);
	EXPECT_GE(22 + 22 * ((end.tv_sec - begin.tv_sec) / 5 + 1),
		  messages_with(pmu_log_word(pmu)));
}

/* The driver holds no references for refused events: it can be unbound at once. */
TEST_F_TIMEOUT(flood, leaves_nothing_behind, SLOW)
{
	unsigned int i, n, number = hardware->counters;
	int fds[PMU_MAX_COUNTERS];
	struct attempt attempt;

	for (n = 0; n < number; n++)
		fds[n] = must_open(pmu->event, n ? fds[0] : -1);
	for (i = 0; i < ATTEMPTS / 4; i++) {
		attempt = random_attempt(fds[0]);
		ASSERT_GT(0, refused(&attempt.attr.attr, attempt.pid, attempt.cpu,
				     attempt.group_fd));
	}
	for (n = 0; n < number; n++)
		close(fds[n]);
	bind_again();
	expect_exact_counts();
}

TEST_HARNESS_MAIN
