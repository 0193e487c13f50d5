// SPDX-License-Identifier: GPL-2.0
/* Groups: read, enabled and disabled as a whole, and refused if they cannot count together. */
#include "fixture.h"

/* Of seven times as many, a counter of 16 bits does not wrap. */
#define MANY	1003ULL

#define NO_COUNTER	"no counter of this PMU can be used"

TEST_F(injected, a_full_group_counts_exactly)
{
	unsigned int n, events[PMU_MAX_COUNTERS];
	__u64 values[PMU_MAX_COUNTERS];
	int leader = -1, fd;

	if (!pmu_has_counters(pmu))
		SKIP(return, NO_COUNTER);
	for (n = 0; n < hardware->counters; n++) {
		events[n] = nth_event(n % 7);
		fd = n ? must_open(events[n], leader) : must_open_leader(events[n]);
		leader = n ? leader : fd;
	}
	for (n = 1; n < 8; n++)
		stimulus_inject(stimulus, n, pmu->source, MANY * n);
	ASSERT_EQ(0, pmu_read_group(leader, values, hardware->counters));
	for (n = 0; n < hardware->counters; n++) {
		EXPECT_EQ(MANY * events[n], values[n])
			TH_LOG("event %u", events[n]);
	}
}

SCENARIO(injected, enabled_and_disabled_as_one,
	 "need counters; open a x group disabled;"
	 "if counters > 1 { open b y in=a }"
	 "if counters > 2 { open c x in=a }"
	 "20 times { x 1003; y 1003; start a; x 3; y 5; stop a; read }"
	 "reset a; if counters > 1 { reset b } if counters > 2 { reset c }"
	 "read")

SCENARIO(injected, software_leader,
	 "need counters; open a s group; open b x in=a; x 1003; read")

SCENARIO(injected, software_member,
	 "need counters; open a x group; open b s in=a; x 1003; read")

/* The number of events of a group that can be opened, after which one is refused. */
static unsigned int fill_group(int leader)
{
	unsigned int number;
	int fd = 0;

	for (number = 0; number <= PMU_MAX_COUNTERS; number++) {
		fd = pmu_open(pmu, pmu->event, leader);
		if (fd < 0)
			break;
		leader = leader < 0 ? fd : leader;
	}
	EXPECT_EQ(-EINVAL, fd);
	close(leader);
	return number;
}

/* Software events need no counter, so they do not make a group too large. */
TEST_F(pmu, as_large_as_the_counters_and_no_larger)
{
	unsigned int number = fill_group(-1);
	bool usable = pmu_has_counters(pmu);
	int leader;

	if (stimulus->page)
		EXPECT_EQ(usable ? hardware->counters : 0, number);
	leader = must_open_software(-1, 0);
	must_open_software(leader, 0);
	EXPECT_EQ(number, fill_group(leader));
}

TEST_F(pmu, two_pmus_in_one_group_are_refused)
{
	struct pmu list[PMU_MAX];
	int i, leader, software, number = pmu_list(list, PMU_MAX);

	if (!pmu_has_counters(pmu))
		SKIP(return, NO_COUNTER);
	leader = must_open(pmu->event, -1);
	for (i = 0; i < number; i++) {
		if (!strcmp(list[i].name, pmu->name) || list[i].cpu != pmu->cpu)
			continue;
		EXPECT_EQ(-EINVAL, pmu_open(&list[i], list[i].event, leader))
			TH_LOG("%s leads %s", pmu->name, list[i].name);
		/* The leader is a software event: the conflict is between its members. */
		software = must_open_software(-1, 0);
		must_open(pmu->event, software);
		EXPECT_EQ(-EINVAL, pmu_open(&list[i], list[i].event, software))
			TH_LOG("%s and %s", pmu->name, list[i].name);
		close(software);
	}
	if (number < 2)
		SKIP(return, "there is one PMU only");
}

TEST_F(pmu, a_group_with_the_cpu_pmu_is_refused)
{
	struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(cycles),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	int leader, fd = pmu_open_attr(pmu, &cycles, -1);

	if (!pmu_has_counters(pmu))
		SKIP(return, NO_COUNTER);
	if (fd < 0)
		SKIP(return, "no CPU PMU: %s", strerror(-fd));
	EXPECT_EQ(-EINVAL, pmu_open(pmu, pmu->event, fd));
	leader = must_open(pmu->event, -1);
	EXPECT_EQ(-EINVAL, pmu_open_attr(pmu, &cycles, leader));
}

/* If a member is closed, the others are not affected. */
SCENARIO(injected, a_member_leaves,
	 "need 2 counters; open a x group; open b y in=a; x 1003; y 7; read; close b; x 1003; read")

/*
 * If a leader is closed, its members become single events. They keep counting, including events
 * that occur while its counter is stopped and read.
 */
TEST_F(injected, only_the_leader_leaves)
{
	unsigned int n, round, number = hardware->counters < 4 ? hardware->counters : 4;
	__u64 reads, total, enabled, disabled;
	int fds[4];

	if (number < 2)
		SKIP(return, "this PMU has only one counter");
	for (round = 1; round <= 5; round++) {
		fds[0] = must_open_leader(pmu->event);
		for (n = 1; n < number; n++)
			fds[n] = must_open(pmu->other_event, fds[0]);
		inject_other(MANY);
		enabled = pmu_enables(stimulus, hardware);
		disabled = pmu_disables(stimulus, hardware);
		reads = pmu_counter_reads(stimulus, hardware);
		stimulus_step(stimulus, pmu->other_event, pmu->source, 5);
		close(fds[0]);
		stimulus_step(stimulus, 0, 0, 0);
		reads = pmu_counter_reads(stimulus, hardware) - reads;
		EXPECT_LT(0, reads);
		total = MANY + 5 * reads;
		EXPECT_EQ(enabled, pmu_enables(stimulus, hardware));
		EXPECT_EQ(disabled + 1, pmu_disables(stimulus, hardware));
		for (n = 1; n < number; n++) {
			EXPECT_EQ(total, pmu_value(fds[n]))
				TH_LOG("round %u, member %u", round, n);
		}
		inject_other(3);
		for (n = 1; n < number; n++) {
			EXPECT_EQ(total + 3, pmu_value(fds[n]))
				TH_LOG("round %u, member %u, later", round, n);
			close(fds[n]);
		}
	}
}

static unsigned int counting(void)
{
	return pmu_enabled_counters(stimulus, hardware);
}

/*
 * Counters that are started with one write and stopped with one write have counted for the same
 * time, so their counts can be compared. Other events must not be stopped for this.
 */
TEST_F(injected, starts_and_stops_at_one_instant)
{
	unsigned int n, round, number = hardware->counters < 4 ? hardware->counters : 4;
	int fds[4];

	if (pmu->errata & PMU_DISABLED_COUNTERS_COUNT)
		SKIP(return, ERRATUM);
	if (!pmu_has_counters(pmu))
		SKIP(return, NO_COUNTER);
	fds[0] = must_open_leader(pmu->event);
	for (n = 1; n < number; n++)
		fds[n] = must_open(pmu->other_event, fds[0]);
	for (round = 0; round < 3; round++) {
		EXPECT_EQ(number, counting());
		EXPECT_EQ(1, starts_and_stops_of(fds[0], PERF_EVENT_IOC_DISABLE));
		EXPECT_EQ(0, counting());
		EXPECT_EQ(1, starts_and_stops_of(fds[0], PERF_EVENT_IOC_ENABLE));
	}
	for (n = number - 1; n > 0; n--) {
		EXPECT_EQ(1, starts_and_stops_of(fds[n], PERF_EVENT_IOC_DISABLE))
			TH_LOG("member %u", n);
		EXPECT_EQ(n, counting());
	}
}

TEST_F(injected, starts_and_stops_with_a_software_leader)
{
	unsigned int n, round, number = hardware->counters < 3 ? hardware->counters : 3;
	int leader;

	if (pmu->errata & PMU_DISABLED_COUNTERS_COUNT)
		SKIP(return, ERRATUM);
	if (!pmu_has_counters(pmu))
		SKIP(return, NO_COUNTER);
	leader = must_open_software(-1, 0);
	for (n = 0; n < number; n++)
		must_open(pmu->event, leader);
	for (round = 0; round < 3; round++) {
		EXPECT_EQ(number, counting());
		EXPECT_EQ(1, starts_and_stops_of(leader, PERF_EVENT_IOC_DISABLE));
		EXPECT_EQ(0, counting());
		EXPECT_EQ(1, starts_and_stops_of(leader, PERF_EVENT_IOC_ENABLE));
	}
}

/* A member without a counter on this PMU must not be mistaken for one that has a counter. */
TEST_F(injected, stops_nobody_for_a_member_without_a_counter)
{
	struct perf_event_attr attr = attr_of(pmu->event);
	int pinned, leader, member, other;

	if (pmu->errata & PMU_DISABLED_COUNTERS_COUNT)
		SKIP(return, ERRATUM);
	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	pinned = must_open_pinned(pmu->other_event);
	leader = must_open(pmu->event, -1);
	must_open_software(leader, 0);
	attr.disabled = 1;
	/* It has never had a counter. */
	if (hardware->counters > 2)
		must_open_attr(&attr, leader);
	EXPECT_EQ(2, counting());
	EXPECT_EQ(1, starts_and_stops_of(leader, PERF_EVENT_IOC_DISABLE));
	EXPECT_EQ(1, counting());
	close(pinned);
	close(leader);

	/* Its counter has been released and is used by another event. */
	leader = must_open(pmu->event, -1);
	member = must_open(pmu->event, leader);
	ASSERT_EQ(0, ioctl(member, PERF_EVENT_IOC_DISABLE, 0));
	other = must_open(pmu->other_event, -1);
	EXPECT_EQ(2, counting());
	EXPECT_EQ(1, starts_and_stops_of(leader, PERF_EVENT_IOC_DISABLE));
	EXPECT_EQ(1, counting());
	inject_other(7);
	EXPECT_EQ(7, pmu_value(other));
}

/* Events are counted on the CPU of the PMU, regardless of the CPU that they are opened for. */
TEST_F(injected, a_group_from_two_cpus)
{
	struct pmu elsewhere = machine->pmu;
	__u64 values[2];
	int leader, fd;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	elsewhere.cpu = cpu_other_than(elsewhere.cpu);
	if (elsewhere.cpu < 0)
		SKIP(return, "there is only one CPU");
	leader = must_open_leader(pmu->event);
	fd = pmu_open(&elsewhere, pmu->other_event, leader);
	ASSERT_LE(0, fd)
		TH_LOG("%s", strerror(-fd));
	inject(MANY);
	inject_other(7);
	ASSERT_EQ(0, pmu_read_group(leader, values, 2));
	EXPECT_EQ(MANY, values[0]);
	EXPECT_EQ(7, values[1]);
}

/*
 * perf removes ordinary events from their counters and adds them again whenever one is opened or
 * closed, and when a pinned one is, all of them. They lose nothing: not even the events that occur
 * before each read of a counter, with which the others start and end. Only what has to be written
 * while the PMU is stopped (IHI 0091, PMCFGR.NA) stops them.
 */
static void open_beside(bool pinned, bool other_pinned)
{
	unsigned int n, round, number = hardware->counters < 4 ? hardware->counters : 4;
	__u64 stops, reads, total = 0;
	int fds[4], other;

	if (number < 2)
		SKIP(return, "this PMU has only one counter");
	for (n = 0; n < number - 1; n++)
		fds[n] = pinned ? must_open_pinned(pmu->event) : must_open(pmu->event, -1);
	/* The first one writes what the others need not write again. */
	if (hardware->stops)
		close(must_open(pmu->other_event, -1));
	for (round = 0; round < 20; round++) {
		stops = pmu_disables(stimulus, hardware);
		reads = pmu_counter_reads(stimulus, hardware);
		stimulus_step(stimulus, pmu->event, pmu->source, 5);
		other = other_pinned ? must_open_pinned(pmu->other_event) :
				       must_open(pmu->other_event, -1);
		close(other);
		stimulus_step(stimulus, 0, 0, 0);
		reads = pmu_counter_reads(stimulus, hardware) - reads;
		/* The other one, when it starts and when it ends */
		EXPECT_LE(2, reads);
		EXPECT_EQ(stops + 1, pmu_disables(stimulus, hardware));
		total += 5 * reads + inject(MANY);
		for (n = 0; n < number - 1; n++) {
			ASSERT_EQ(total, pmu_value(fds[n]))
				TH_LOG("event %u, round %u", n, round);
		}
	}
	for (n = 0; n < number - 1; n++)
		close(fds[n]);
}

/*
 * A disabled member is enabled while other events have all other counters: if the group does not
 * fit beside them, all of its members stop and start at one instant.
 */
TEST_F(injected, a_member_is_enabled_where_counters_are_short)
{
	struct perf_event_attr attr = attr_of(pmu->other_event);
	int leader, member, last, fds[PMU_MAX_COUNTERS];
	unsigned int n, round;
	__u64 values[3];

	if (hardware->counters < 4)
		SKIP(return, "this PMU has fewer than four counters");
	attr.disabled = 1;
	for (round = 0; round < 4; round++) {
		leader = must_open_leader(pmu->event);
		member = must_open_attr(&attr, leader);
		last = must_open(pmu->event, leader);
		for (n = 2; n < hardware->counters; n++)
			fds[n] = must_open(pmu->other_event, -1);
		inject(MANY);
		stimulus_step(stimulus, pmu->event, pmu->source, 5);
		ASSERT_EQ(0, ioctl(member, PERF_EVENT_IOC_ENABLE, 0));
		stimulus_step(stimulus, 0, 0, 0);
		ASSERT_EQ(0, pmu_read_group(leader, values, 3));
		EXPECT_LE(MANY, values[0]);
		EXPECT_EQ(values[0], values[2])
			TH_LOG("round %u", round);
		for (n = 2; n < hardware->counters; n++)
			close(fds[n]);
		close(last);
		close(member);
		close(leader);
	}
}

TEST_F(injected, loses_nothing_while_others_come_and_go)
{
	unsigned int round;

	for (round = 0; round < 4; round++)
		open_beside(round & 1, round & 2);
}

TEST_HARNESS_MAIN
