// SPDX-License-Identifier: GPL-2.0
/*
 * Groups whose events must be matched to monitors of which each can count events that another one
 * cannot: one with a fixed event and a filter, and some that count any event but have no filter.
 * One access enables 32 monitors: a group uses those of one register if it fits. That is so, too,
 * if all monitors that its events can use are alike, and nothing has to be matched.
 */
#include "coresight_fixture.h"
#include "fault_injection.h"
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

/* All monitors up to the last one with a filter but the cycle counter, and how many have none */
#define CYCLE_COUNTER	31
#define ALIKE		127
#define OTHERS		23

static bool has_many_alike(const struct machine *machine)
{
	return coresight_of(machine).monitors == ALIKE + OTHERS && is_uniform(machine) &&
	       coresight_of(machine).cycle_counter;
}

PMU_FIXTURE(alike, has_many_alike, true)

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

/*
 * The leader would choose the monitor with the fixed event, but then there is none for the last
 * member: no other monitor can count that event with a filter.
 */
TEST_F_TIMEOUT(mixed, a_group_that_needs_every_monitor, SLOW)
{
	__u32 fixed = stimulus_peek32(stimulus, PMEVTYPER(0));
	struct mixed_group group = { .members = 0 };
	bool enabled[CORESIGHT_MONITORS];

	must_add(&group, fixed, 1, false);
	must_add(&group, ANY_FILTERED, FILTERS - 1, true);
	must_add(&group, ANY_UNFILTERED, UNFILTERED - 1, false);
	must_add(&group, fixed, 1, true);
	EXPECT_EQ(FILTERS + UNFILTERED, enabled_monitors(enabled));
	EXPECT_EQ(FILTERED_SOURCE, stimulus_peek32(stimulus, PMEVFILTR(0)));
	expect_counts(&group, 1);
	/* Again, after another event has used a monitor that the group needs. */
	ASSERT_EQ(0, ioctl(group.fds[0], PERF_EVENT_IOC_DISABLE, 0));
	close(must_open(fixed, -1));
	ASSERT_EQ(0, ioctl(group.fds[0], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(FILTERS + UNFILTERED, enabled_monitors(enabled));
	expect_counts(&group, 2);
}

/* Two events with a filter that only one monitor can count, regardless of the others. */
TEST_F_TIMEOUT(mixed, a_group_that_cannot_be_matched, SLOW)
{
	__u32 fixed = stimulus_peek32(stimulus, PMEVTYPER(0));
	struct mixed_group group = { .members = 0 };

	must_add(&group, fixed, 1, false);
	must_add(&group, ANY_FILTERED, FILTERS - 1, true);
	must_add(&group, fixed, 1, true);
	EXPECT_EQ(-EINVAL, add(&group, fixed, true));
	/* Monitors are left for events without a filter. */
	must_add(&group, ANY_UNFILTERED, UNFILTERED - 1, false);
	EXPECT_EQ(-EINVAL, add(&group, ANY_UNFILTERED, false));
	expect_counts(&group, 1);
}

/* How many registers are written, and no others, when a group is disabled or enabled. */
static __u64 writes_of(int leader, unsigned long request)
{
	__u64 writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);

	ASSERT_EQ(0, ioctl(leader, request, 0));
	return stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS) - writes;
}

static void expect_words(int leader, unsigned int words)
{
	unsigned int round;

	for (round = 0; round < 2; round++) {
		EXPECT_EQ(words, writes_of(leader, PERF_EVENT_IOC_DISABLE));
		EXPECT_EQ(words, writes_of(leader, PERF_EVENT_IOC_ENABLE));
	}
}

/* The first events alone would use the monitors that only events without a filter can use. */
TEST_F(mixed, a_group_with_and_without_filters_starts_at_one_instant)
{
	struct mixed_group group = { .members = 0 };

	must_add(&group, ANY_UNFILTERED, UNFILTERED, false);
	must_add(&group, ANY_FILTERED, 1, true);
	EXPECT_EQ(1, pmu_enabled_words(stimulus, hardware));
	expect_counts(&group, 1);
	expect_words(group.fds[0], 1);
	expect_counts(&group, 2);
}

/* It needs all monitors of the first register, so the leader must not use the fixed event. */
TEST_F(mixed, a_group_that_needs_every_monitor_of_a_register)
{
	__u32 fixed = stimulus_peek32(stimulus, PMEVTYPER(0));
	struct mixed_group group = { .members = 0 };

	must_add(&group, fixed, 1, false);
	must_add(&group, ANY_FILTERED, WORD - 2, true);
	must_add(&group, fixed, 1, true);
	EXPECT_EQ(~0U, stimulus_peek32(stimulus, PMCNTENSET(0)));
	EXPECT_EQ(1, pmu_enabled_words(stimulus, hardware));
	EXPECT_EQ(FILTERED_SOURCE, stimulus_peek32(stimulus, PMEVFILTR(0)));
	expect_counts(&group, 1);
	expect_words(group.fds[0], 1);
	expect_counts(&group, 2);
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
	expect_words(group.fds[0], 1);
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
	expect_words(group.fds[0], 1);
	close_group(&group);
	stimulus_inject(stimulus, pmu->event, FILTERED_SOURCE, 7);
	for (n = 0; n < WORD; n++) {
		EXPECT_EQ(7, pmu_value(pinned[n]))
			TH_LOG("event %u", n);
		close(pinned[n]);
	}
}

/* A group leaves monitors with filters to other events if it needs none and fits elsewhere. */
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

/*
 * No register has enough monitors: the group counts nevertheless, and starts and stops with one
 * access to each register.
 */
TEST_F(mixed, a_group_that_fits_across_registers_only)
{
	struct mixed_group group = { .members = 0 };

	must_add(&group, ANY_FILTERED, WORD + 1, true);
	EXPECT_EQ(2, pmu_enabled_words(stimulus, hardware));
	expect_words(group.fds[0], 2);
	expect_counts(&group, 1);
}

/* Without memory to match the events of a group, the error is not that they do not fit. */
TEST_F_TIMEOUT(mixed, a_group_without_memory, SLOW)
{
	__u32 fixed = stimulus_peek32(stimulus, PMEVTYPER(0));
	struct mixed_group group = { .members = 0 };
	unsigned int nth = 0;
	struct fault fault;
	bool injected;
	int error;

	if (fault_open(&fault))
		SKIP(return, "%s", fault.missing);
	must_add(&group, fixed, 1, false);
	must_add(&group, ANY_FILTERED, FILTERS - 1, true);
	do {
		ASSERT_EQ(0, fault_arm(&fault, ++nth));
		error = add(&group, fixed, true);
		injected = fault_disarm(&fault, NULL);
		EXPECT_EQ(injected ? -ENOMEM : 0, error)
			TH_LOG("allocation %u", nth);
	} while (injected && error);
	EXPECT_LT(2, nth);
	expect_counts(&group, 1);
	close_group(&group);
	fault_close(&fault);
}

/* Opens single events until each register has bits for no more than @left monitors without one. */
static void leave(int *fds, unsigned int left)
{
	unsigned int unused[CORESIGHT_MONITORS / WORD] = { 0 }, n, word;

	open_single(fds, ALIKE);
	for (n = ALIKE; n--;) {
		word = (n + (n >= CYCLE_COUNTER)) / WORD;
		if (unused[word]++ >= left)
			continue;
		close(fds[n]);
		fds[n] = -1;
	}
}

/* Only the first @injected members count the event of the PMU. */
static void expect_equal(int leader, unsigned int members, unsigned int injected)
{
	__u64 before[ALIKE], after[ALIKE];
	unsigned int n;

	ASSERT_EQ(0, pmu_read_group(leader, before, members));
	stimulus_inject(stimulus, pmu->event, FILTERED_SOURCE, 1234);
	ASSERT_EQ(0, pmu_read_group(leader, after, members));
	for (n = 0; n < injected; n++)
		EXPECT_EQ(1234, after[n] - before[n])
			TH_LOG("event %u of %u", n, members);
}

static void open_members(int *fds, unsigned int members)
{
	struct perf_event_attr attr = filtered_attr();
	unsigned int n;

	attr.read_format = PERF_FORMAT_GROUP;
	for (n = 0; n < members; n++)
		fds[n] = must_open_attr(&attr, n ? fds[0] : -1);
}

/* Each group uses the first register with enough monitors that nothing else uses. */
TEST_F_TIMEOUT(alike, groups_beside_other_events, SLOW)
{
	int single[25], large[8], small[6];

	open_single(single, ARRAY_SIZE(single));
	open_members(large, ARRAY_SIZE(large));
	EXPECT_EQ(0x1ffffffU, stimulus_peek32(stimulus, PMCNTENSET(0)));
	EXPECT_EQ(0xffU, stimulus_peek32(stimulus, PMCNTENSET(1)));
	expect_words(large[0], 1);
	open_members(small, ARRAY_SIZE(small));
	EXPECT_EQ(0x7fffffffU, stimulus_peek32(stimulus, PMCNTENSET(0)));
	EXPECT_EQ(0xffU, stimulus_peek32(stimulus, PMCNTENSET(1)));
	expect_equal(large[0], ARRAY_SIZE(large), ARRAY_SIZE(large));
	expect_equal(small[0], ARRAY_SIZE(small), ARRAY_SIZE(small));
	close_events(large, ARRAY_SIZE(large));
	expect_words(small[0], 1);
	expect_equal(small[0], ARRAY_SIZE(small), ARRAY_SIZE(small));
}

/*
 * Only the first register has the cycle counter, and has too few of the others for a group that has
 * no cycles.
 */
TEST_F_TIMEOUT(alike, a_group_with_cycles, SLOW)
{
	int single[28], fds[4];

	open_single(single, ARRAY_SIZE(single));
	open_members(fds, 3);
	fds[3] = must_open(pmu->clock, fds[0]);
	EXPECT_EQ(~0U, stimulus_peek32(stimulus, PMCNTENSET(0)));
	EXPECT_EQ(0, stimulus_peek32(stimulus, PMCNTENSET(1)));
	expect_words(fds[0], 1);
	expect_equal(fds[0], ARRAY_SIZE(fds), 3);
}

/* Disabled members need no monitor; without them, the group fits into one register. */
TEST_F_TIMEOUT(alike, a_group_with_disabled_members, SLOW)
{
	int single[ALIKE], fds[6];
	unsigned int n;

	leave(single, 3);
	open_members(fds, ARRAY_SIZE(fds));
	expect_words(fds[0], 2);
	expect_equal(fds[0], ARRAY_SIZE(fds), ARRAY_SIZE(fds));
	for (n = 3; n < ARRAY_SIZE(fds); n++)
		ASSERT_EQ(0, ioctl(fds[n], PERF_EVENT_IOC_DISABLE, 0));
	expect_words(fds[0], 1);
	expect_equal(fds[0], ARRAY_SIZE(fds), 3);
}

TEST_HARNESS_MAIN
