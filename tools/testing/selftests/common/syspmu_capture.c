// SPDX-License-Identifier: GPL-2.0
/*
 * Group reads: at one instant if the PMU captures its counters, otherwise one counter after the
 * other. The stimulus injects events before each read of a counter or a shadow register, so that
 * the difference is visible.
 */
#include "fixture.h"

#define STEP	1000

static bool can_capture(const struct machine *machine)
{
	return machine->hardware.capture && machine->hardware.counters > 1;
}

PMU_FIXTURE(capture, can_capture, true)

/* The same event on every counter. */
static int open_identical(struct __test_metadata *_metadata, struct machine *machine,
			  unsigned int number)
{
	unsigned int n;
	int leader;

	leader = must_open_leader(_metadata, &machine->pmu, machine->pmu.event);
	for (n = 1; n < number; n++)
		must_open(_metadata, &machine->pmu, machine->pmu.event, leader);
	return leader;
}

static void step(struct machine *machine, __u64 number)
{
	stimulus_step(&machine->stimulus, machine->pmu.event, SOURCE, number);
}

static void expect_all(struct __test_metadata *_metadata, unsigned int number,
		       const __u64 *values, __u64 expected)
{
	unsigned int n;

	for (n = 0; n < number; n++) {
		EXPECT_EQ(expected, values[n])
			TH_LOG("event %u of %u", n, number);
	}
}

static __u64 half(const struct machine *machine)
{
	return 1ULL << (machine->hardware.bits - 1);
}

TEST_F(capture, a_group_read_is_of_one_instant)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int round, number = machine->hardware.counters;
	__u64 values[PMU_MAX_COUNTERS], reads, total = 0;
	int leader;

	leader = open_identical(_metadata, machine, number);
	for (round = 1; round <= 20; round++) {
		stimulus_inject(stimulus, machine->pmu.event, SOURCE, round);
		total += round;
		reads = pmu_counter_reads(stimulus, &machine->hardware);
		/* An overflow handled during the read would update all counts. */
		stimulus_hold(stimulus, true);
		step(machine, STEP);
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		step(machine, 0);
		expect_all(_metadata, number, values, total);
		reads = pmu_counter_reads(stimulus, &machine->hardware) - reads;
		/* Check the stimulus: it has advanced the counters at each read. */
		EXPECT_LE(number, reads);
		total += STEP * reads;
		stimulus_hold(stimulus, false);
	}
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	expect_all(_metadata, number, values, total);
}

/* Not including shadow registers. */
static __u64 counter_reads(struct machine *machine)
{
	__u64 reads = 0;
	unsigned int n;

	for (n = 0; n < machine->hardware.counters; n++)
		reads += stimulus_reads(&machine->stimulus,
					pmu_counter_register(&machine->hardware, n));
	return reads;
}

TEST_F(capture, a_group_read_costs_one_capture)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int round;
	__u64 values[PMU_MAX_COUNTERS], writes, captures, reads;
	int leader;

	leader = open_identical(_metadata, machine, machine->hardware.counters);
	reads = counter_reads(machine);
	writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	captures = stimulus_writes(stimulus, machine->hardware.take_capture);
	for (round = 1; round <= 10; round++) {
		ASSERT_EQ(0, pmu_read_group(leader, values, machine->hardware.counters));
		EXPECT_EQ(captures + round,
			  stimulus_writes(stimulus, machine->hardware.take_capture));
		/* This is the only write of a read. */
		EXPECT_EQ(writes + round, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	}
	EXPECT_EQ(reads, counter_reads(machine))
		TH_LOG("counters were read as well as their shadow registers");
}

/* A read of a single event needs no capture. */
TEST_F(capture, a_single_read_costs_none)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 captures;
	int fds[2];

	fds[0] = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	fds[1] = must_open(_metadata, &machine->pmu, machine->pmu.other_event, fds[0]);
	captures = stimulus_writes(stimulus, machine->hardware.take_capture);
	stimulus_inject(stimulus, machine->pmu.event, SOURCE, 3);
	stimulus_inject(stimulus, machine->pmu.other_event, SOURCE, 5);
	EXPECT_EQ(3, pmu_value(fds[0]));
	EXPECT_EQ(5, pmu_value(fds[1]));
	EXPECT_EQ(captures, stimulus_writes(stimulus, machine->hardware.take_capture));
}

/*
 * All counters wrap just after they have been captured, while the shadow registers are being read:
 * the overflow status is ahead of the captured values.
 */
TEST_F_TIMEOUT(capture, overflow_right_after_the_capture, SLOW)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int round, number = machine->hardware.counters;
	__u64 values[PMU_MAX_COUNTERS], start, distance, total = 0;
	int leader;

	leader = open_identical(_metadata, machine, number);
	for (round = 0; round < 3 * number; round++) {
		/* Distance to the overflow: one event, some, or more than will be injected. */
		distance = 1 + STEP * round / 2;
		distance = (-distance - pmu_counter(stimulus, &machine->hardware, 0)) &
			   (2 * half(machine) - 1);
		stimulus_inject(stimulus, machine->pmu.event, SOURCE, distance / 2);
		stimulus_inject(stimulus, machine->pmu.event, SOURCE, distance - distance / 2);
		total += distance;
		start = pmu_counter_reads(stimulus, &machine->hardware);
		/* Hold the overflow back until perf has copied the counts. */
		stimulus_hold(stimulus, true);
		step(machine, STEP);
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		expect_all(_metadata, number, values, total);
		stimulus_hold(stimulus, false);
		step(machine, 0);
		/* The overflow handler may have read counters, too. */
		total += STEP * (pmu_counter_reads(stimulus, &machine->hardware) - start);
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		expect_all(_metadata, number, values, total);
	}
}

/* The interrupt of the overflow is late: the captured counters are beyond it. */
TEST_F(capture, captured_before_the_overflow_is_handled)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int round, number = machine->hardware.counters;
	__u64 values[PMU_MAX_COUNTERS], total = 0, reads;
	int leader;

	if (!pmu_can_interrupt(&machine->pmu))
		SKIP(return, "this PMU has no interrupt that could be late");
	/* On a slow machine the poll timer may handle the overflow first. */
	if (pmu_interrupt_is(&machine->pmu, "msi"))
		SKIP(return, "a timer handles overflows of this PMU, too");
	leader = open_identical(_metadata, machine, number);
	for (round = 0; round < 20; round++) {
		stimulus_hold(stimulus, true);
		stimulus_inject(stimulus, machine->pmu.event, SOURCE, half(machine) + round);
		total += half(machine) + round;
		reads = pmu_counter_reads(stimulus, &machine->hardware);
		step(machine, STEP);
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		step(machine, 0);
		expect_all(_metadata, number, values, total);
		total += STEP * (pmu_counter_reads(stimulus, &machine->hardware) - reads);
		stimulus_hold(stimulus, false);
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		expect_all(_metadata, number, values, total);
	}
}

/* Members are opened and closed between group reads, also while there are other events. */
TEST_F(capture, groups_change_between_reads)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 values[PMU_MAX_COUNTERS], reads, late = 0, total = 0;
	unsigned int round, number = machine->hardware.counters - 1;
	int leader, single, member;

	if (number < 3)
		SKIP(return, "this PMU has too few counters");
	single = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	leader = open_identical(_metadata, machine, number - 1);
	/* The handler of an overflow during a read would update all counts. */
	member = must_open(_metadata, &machine->pmu, machine->pmu.event, leader);
	stimulus_inject(stimulus, machine->pmu.event, SOURCE, FAR_AWAY);
	total += FAR_AWAY;
	close(member);
	for (round = 0; round < 10; round++) {
		if (round % 2) {
			close(member);
		} else {
			member = must_open(_metadata, &machine->pmu, machine->pmu.event,
					   leader);
			late = total;
		}
		reads = pmu_counter_reads(stimulus, &machine->hardware);
		step(machine, STEP);
		ASSERT_EQ(0, pmu_read_group(leader, values, number - round % 2));
		step(machine, 0);
		expect_all(_metadata, number - 1, values, total);
		if (!(round % 2))
			EXPECT_EQ(total - late, values[number - 1]);
		total += STEP * (pmu_counter_reads(stimulus, &machine->hardware) - reads);
		EXPECT_EQ(total, pmu_value(single));
	}
}

/*
 * Without capture, the values are as far apart as the reads of the counters. This shows that the
 * stimulus makes a difference which only capture removes.
 */
TEST_F(injected, without_capture_each_counter_has_its_instant)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int n, number = machine->hardware.counters;
	__u64 values[PMU_MAX_COUNTERS], reads, distance;
	int leader;

	if (number < 2)
		SKIP(return, "this PMU has only one counter");
	if (machine->hardware.capture &&
	    !reference_has(&machine->pmu, REFERENCE_NEVER_CAPTURES))
		SKIP(return, "this PMU captures its counters");
	leader = open_identical(_metadata, machine, number);
	/* Far from the end of the counters, where the interrupt handler would read them, too. */
	stimulus_inject(stimulus, machine->pmu.event, SOURCE, FAR_AWAY);
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	expect_all(_metadata, number, values, FAR_AWAY);
	reads = pmu_counter_reads(stimulus, &machine->hardware);
	step(machine, STEP);
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	step(machine, 0);
	reads = pmu_counter_reads(stimulus, &machine->hardware) - reads;
	/* One read for each, or three if both halves have to be checked. */
	ASSERT_EQ(0, reads % number);
	distance = STEP * (reads / number);
	ASSERT_LE(STEP, distance);
	for (n = 1; n < number; n++) {
		EXPECT_EQ(values[n - 1] + distance, values[n])
			TH_LOG("event %u of %u", n, number);
	}
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	expect_all(_metadata, number, values, FAR_AWAY + STEP * reads);
}

/* A group stops at one instant: events that occur while it is being read are not counted. */
TEST_F(injected, a_stopped_group_was_stopped_at_one_instant)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int round, number = machine->hardware.counters;
	__u64 values[PMU_MAX_COUNTERS], total = 0;
	int leader;

	leader = open_identical(_metadata, machine, number);
	for (round = 1; round <= 10; round++) {
		stimulus_inject(stimulus, machine->pmu.event, SOURCE, round);
		total += round;
		step(machine, STEP);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		step(machine, 0);
		expect_all(_metadata, number, values, total);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	}
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	expect_all(_metadata, number, values, total);
}

TEST_HARNESS_MAIN
