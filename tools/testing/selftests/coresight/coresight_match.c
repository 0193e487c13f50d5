// SPDX-License-Identifier: GPL-2.0
/*
 * Groups on a PMU whose monitors differ: one with a fixed event and a filter, some with any event
 * and a filter, and some with any event but no filter. Each event uses the monitor that the fewest
 * others can use, in the order of the group.
 */
#include "coresight_fixture.h"
#include "refusal.h"

/* How many monitors have a filter, and how many do not: 31, 128 and 129. */
#define FILTERS		127
#define UNFILTERED	3

/* Monitors that one register has bits for */
#define WORD		32

/* The events of the group by the monitors that can count them, and the number of each. */
#define ANY_FILTERED	0x1000
#define ANY_UNFILTERED	0x2000

static bool has_such_monitors(const struct machine *machine)
{
	return coresight_of(machine).monitors == FILTERS + UNFILTERED && is_uniform(machine) &&
	       !coresight_of(machine).cycle_counter;
}

PMU_FIXTURE(mixed, has_such_monitors, true)

/* A group that needs every monitor. */
struct mixed_group {
	__u32 event[FILTERS + UNFILTERED];	/* of each member */
	bool filtered[FILTERS + UNFILTERED];	/* the members that have a filter */
	int fds[FILTERS + UNFILTERED];	/* of each member */
	unsigned int members;	/* that have been added */
};

static int add(struct mixed_group *group, __u32 event, bool filtered)
{
	struct perf_event_attr attr = attr_of(event);
	unsigned int n = group->members;

	if (filtered)
		filter_by_source(&attr, FILTERED_SOURCE);
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

static void must_add(struct mixed_group *group, __u32 event, unsigned int number, bool filtered)
{
	for (; number--; event++)
		ASSERT_EQ(0, add(group, event, filtered))
			TH_LOG("event %#x", event);
}

/* The last one first, so that the leader of a group is the last to go. */
static void close_events(const int *fds, unsigned int number)
{
	while (number--)
		if (fds[number] >= 0)
			close(fds[number]);
}

/* Events with a filter use the first monitor that has one and is free. */
static void open_single(int *fds, unsigned int number)
{
	struct perf_event_attr attr = filtered_attr();

	attr.pinned = 1;
	while (number--)
		*fds++ = must_open_attr(&attr, -1);
}

static void close_group(const struct mixed_group *group)
{
	close_events(group->fds, group->members);
}

/* Each event occurs once more than the one before, from the source of the filters. */
static void expect_counts(const struct mixed_group *group, unsigned int round)
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

/* The event that only the monitor with the fixed event can count comes first. */
TEST_F_TIMEOUT(mixed, a_group_that_needs_every_monitor, SLOW)
{
	__u32 fixed = stimulus_peek32(stimulus, PMEVTYPER(0));
	struct mixed_group group = { .members = 0 };

	must_add(&group, fixed, 1, true);
	must_add(&group, ANY_FILTERED, FILTERS - 1, true);
	must_add(&group, ANY_UNFILTERED, UNFILTERED - 1, false);
	must_add(&group, fixed, 1, false);
	EXPECT_EQ(-EINVAL, add(&group, fixed, false));
	EXPECT_EQ(FILTERS + UNFILTERED, enabled_monitors());
	EXPECT_EQ(FILTERED_SOURCE, stimulus_peek32(stimulus, PMEVFILTR(0)));
	expect_counts(&group, 1);
	/* Again, after another event has used a monitor that the group needs. */
	ASSERT_EQ(0, ioctl(group.fds[0], PERF_EVENT_IOC_DISABLE, 0));
	close(must_open(fixed, -1));
	ASSERT_EQ(0, ioctl(group.fds[0], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(FILTERS + UNFILTERED, enabled_monitors());
	expect_counts(&group, 2);
}

/* The leader uses the monitor with the fixed event, so that there is none for the last one. */
TEST_F_TIMEOUT(mixed, a_group_in_an_order_that_does_not_fit, SLOW)
{
	__u32 fixed = stimulus_peek32(stimulus, PMEVTYPER(0));
	struct mixed_group group = { .members = 0 };

	must_add(&group, fixed, 1, false);
	must_add(&group, ANY_FILTERED, FILTERS - 1, true);
	EXPECT_EQ(-EINVAL, add(&group, fixed, true));
	/* Monitors are left for events without a filter. */
	must_add(&group, ANY_UNFILTERED, UNFILTERED, false);
	EXPECT_EQ(-EINVAL, add(&group, ANY_UNFILTERED, false));
	expect_counts(&group, 1);
}

static void expect_words(int leader, unsigned int words)
{
	unsigned int round;

	for (round = 0; round < 2; round++) {
		EXPECT_EQ(words, starts_and_stops_of(leader, PERF_EVENT_IOC_DISABLE));
		EXPECT_EQ(words, starts_and_stops_of(leader, PERF_EVENT_IOC_ENABLE));
	}
}

/* A software event needs no monitor, nor does an event that is disabled. */
TEST_F(mixed, a_software_event_leads)
{
	struct mixed_group group = { .members = 1 };
	unsigned int n;

	group.fds[0] = must_open_software(-1, PERF_FORMAT_GROUP);
	for (n = 0; n < WORD; n++) {
		must_add(&group, ANY_UNFILTERED + n, 1, false);
		if (n >= 2)
			ASSERT_EQ(0, ioctl(group.fds[1 + n], PERF_EVENT_IOC_DISABLE, 0));
	}
	must_add(&group, ANY_FILTERED, 1, true);
	EXPECT_EQ(3, pmu_enabled_counters(stimulus, hardware));
}

/* Other events use monitors of the first register, and leave too few for a group. */
TEST_F(mixed, a_group_beside_other_events)
{
	struct mixed_group group = { .members = 0 };
	int pinned[WORD];
	unsigned int n;

	open_single(pinned, WORD);
	must_add(&group, ANY_UNFILTERED, 1, false);
	must_add(&group, ANY_FILTERED, 3, true);
	expect_counts(&group, 1);
	close_group(&group);
	stimulus_inject(stimulus, pmu->event, FILTERED_SOURCE, 7);
	for (n = 0; n < WORD; n++) {
		EXPECT_EQ(7, pmu_value(pinned[n]))
			TH_LOG("event %u", n);
		close(pinned[n]);
	}
}

/* Events without a filter leave monitors that have one to others. */
TEST_F(mixed, a_group_without_filters)
{
	struct mixed_group group = { .members = 0 };

	must_open_pinned(pmu->event);
	EXPECT_EQ(1U << 31, stimulus_peek32(stimulus, PMCNTENSET(0)));
	must_add(&group, ANY_UNFILTERED, UNFILTERED - 1, false);
	EXPECT_EQ(1U << 31, stimulus_peek32(stimulus, PMCNTENSET(0)));
	EXPECT_EQ(3, stimulus_peek32(stimulus, PMCNTENSET(4)));
	expect_counts(&group, 1);
}

/* It starts and stops with one access to each register with bits for its monitors. */
TEST_F(mixed, a_group_across_registers)
{
	struct mixed_group group = { .members = 0 };

	must_add(&group, ANY_FILTERED, WORD + 1, true);
	EXPECT_EQ(2, pmu_enabled_words(stimulus, hardware));
	expect_words(group.fds[0], 2);
	expect_counts(&group, 1);
}

TEST_HARNESS_MAIN
