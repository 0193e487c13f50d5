// SPDX-License-Identifier: GPL-2.0
/*
 * Groups whose events must be matched to monitors of which each can count events that another one
 * cannot: one with a fixed event and a filter, and some that count any event but have no filter.
 */
#include "coresight_fixture.h"
#include "refusal.h"

/* The first monitor without a filter: other registers are at the offset of its PMEVFILTR. */
#define FILTERS		128
#define UNFILTERED	2

/* The events of the group by the monitors that can count them, and the number of each. */
#define ANY_FILTERED	0x1000
#define ANY_UNFILTERED	0x2000

static bool has_such_monitors(const struct machine *machine)
{
	return machine->hardware.counters == FILTERS + UNFILTERED && is_uniform(machine) &&
	       !coresight_of(machine).cycle_counter;
}

PMU_FIXTURE(mixed, has_such_monitors, true)

/**
 * struct mixed_group - a group that needs every monitor
 * @event: of each member
 * @filtered: the members that have a filter
 * @fds: of each member
 * @members: that have been added
 */
struct mixed_group {
	__u32 event[FILTERS + UNFILTERED];
	bool filtered[FILTERS + UNFILTERED];
	int fds[FILTERS + UNFILTERED];
	unsigned int members;
};

static int add(struct __test_metadata *_metadata, const struct pmu *pmu,
	       struct mixed_group *group, __u32 event, bool filtered)
{
	unsigned int n = group->members;
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, event));
	if (filtered)
		ASSERT_EQ(0, pmu_set_field(pmu, &attr, "filter", FILTERED_SOURCE));
	attr.read_format = PERF_FORMAT_GROUP;
	if (n == ARRAY_SIZE(group->fds))
		return refused(&attr, -1, pmu->cpu, group->fds[0]);
	group->fds[n] = pmu_open_attr(pmu, &attr, n ? group->fds[0] : -1);
	if (group->fds[n] < 0)
		return group->fds[n];
	group->event[n] = event;
	group->filtered[n] = filtered;
	group->members++;
	return 0;
}

/* Each event occurs once more than the one before, from the source of the filters. */
static void expect_counts(struct __test_metadata *_metadata, struct stimulus *stimulus,
			  const struct mixed_group *group, unsigned int round)
{
	__u64 values[FILTERS + UNFILTERED];
	unsigned int n;

	for (n = 0; n < group->members; n++)
		if (group->event[n] != group->event[0])
			stimulus_inject(stimulus, group->event[n], FILTERED_SOURCE, 1 + n);
	stimulus_inject(stimulus, group->event[0], OTHER_SOURCE, 10);
	stimulus_inject(stimulus, group->event[0], FILTERED_SOURCE, 1000);
	ASSERT_EQ(0, pmu_read_group(group->fds[0], values, group->members));
	for (n = 0; n < group->members; n++) {
		__u64 expected = group->event[n] != group->event[0] ? 1 + n :
				 group->filtered[n] ? 1000 : 1010;

		EXPECT_EQ(round * expected, values[n])
			TH_LOG("round %u, event %u: %#x%s", round, n, group->event[n],
			       group->filtered[n] ? " with a filter" : "");
	}
}

/*
 * The leader would choose the monitor with the fixed event, but then there is none for the last
 * member: no other monitor can count that event with a filter.
 */
TEST_F_TIMEOUT(mixed, a_group_that_needs_every_monitor, SLOW)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	struct pmu *pmu = &self->machine.pmu;
	__u32 fixed = stimulus_peek32(stimulus, PMEVTYPER(0));
	struct mixed_group group = { .members = 0 };
	bool enabled[CORESIGHT_MONITORS];
	unsigned int n;

	ASSERT_EQ(0, add(_metadata, pmu, &group, fixed, false));
	for (n = 0; n < FILTERS - 1; n++)
		ASSERT_EQ(0, add(_metadata, pmu, &group, ANY_FILTERED + n, true))
			TH_LOG("event %u", n);
	for (n = 0; n < UNFILTERED - 1; n++)
		ASSERT_EQ(0, add(_metadata, pmu, &group, ANY_UNFILTERED + n, false));
	ASSERT_EQ(0, add(_metadata, pmu, &group, fixed, true));
	EXPECT_EQ(FILTERS + UNFILTERED, enabled_monitors(stimulus, enabled));
	EXPECT_EQ(FILTERED_SOURCE, stimulus_peek32(stimulus, PMEVFILTR(0)));
	expect_counts(_metadata, stimulus, &group, 1);
	/* Again, after another event has used a monitor that the group needs. */
	ASSERT_EQ(0, ioctl(group.fds[0], PERF_EVENT_IOC_DISABLE, 0));
	close(must_open(_metadata, pmu, fixed, -1));
	ASSERT_EQ(0, ioctl(group.fds[0], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(FILTERS + UNFILTERED, enabled_monitors(stimulus, enabled));
	expect_counts(_metadata, stimulus, &group, 2);
	for (n = group.members; n--;)
		close(group.fds[n]);
}

/* Two events with a filter that only one monitor can count, regardless of the others. */
TEST_F_TIMEOUT(mixed, a_group_that_cannot_be_matched, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	__u32 fixed = stimulus_peek32(&self->machine.stimulus, PMEVTYPER(0));
	struct mixed_group group = { .members = 0 };
	unsigned int n;

	ASSERT_EQ(0, add(_metadata, pmu, &group, fixed, false));
	for (n = 0; n < FILTERS - 1; n++)
		ASSERT_EQ(0, add(_metadata, pmu, &group, ANY_FILTERED + n, true))
			TH_LOG("event %u", n);
	ASSERT_EQ(0, add(_metadata, pmu, &group, fixed, true));
	EXPECT_EQ(-EINVAL, add(_metadata, pmu, &group, fixed, true));
	/* One monitor is left for an event without a filter. */
	EXPECT_EQ(0, add(_metadata, pmu, &group, ANY_UNFILTERED, false));
	EXPECT_EQ(-EINVAL, add(_metadata, pmu, &group, ANY_UNFILTERED, false));
	expect_counts(_metadata, &self->machine.stimulus, &group, 1);
	for (n = group.members; n--;)
		close(group.fds[n]);
}

TEST_HARNESS_MAIN
