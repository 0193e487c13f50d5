// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling where an overflow freezes all monitors (PMCR.FZO): the samples of an exclusive group
 * have the counts of the overflow, and nothing is counted until it has been handled.
 */
#include "coresight_fixture.h"
#include "interleave.h"
#include "sampling_fixture.h"

/* As many as the groups here need. */
#define MONITORS	3

static bool can_freeze(const struct machine *machine)
{
	return can_sample(machine) && is_uniform(machine) &&
	       coresight_of(machine).cfgr & PMCFGR_FZO &&
	       machine->hardware.counters >= MONITORS;
}

PMU_FIXTURE(freezing, can_freeze, true)

static bool freezes(struct machine *machine)
{
	return stimulus_peek32(&machine->stimulus, PMCR) & PMCR_FZO;
}

static int open_exclusive(struct __test_metadata *_metadata, const struct pmu *pmu,
			  struct ring *ring)
{
	struct perf_event_attr attr = sampling_attr(_metadata, pmu, PERIOD);

	attr.exclusive = 1;
	return open_sampling_attr(_metadata, pmu, &attr, -1, ring);
}

TEST_F(freezing, samples_have_the_counts_of_the_overflow)
{
	struct machine *machine = &self->machine;
	__u64 total = 0, other_total = 0, values[2];
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	unsigned int round;
	struct ring ring;
	int leader;

	if (machine->hardware.msi)
		SKIP(return, "a timer looks for overflows before the MSI is late");
	leader = open_exclusive(_metadata, &machine->pmu, &ring);
	must_open(_metadata, &machine->pmu, machine->pmu.other_event, leader);
	for (round = 1; round <= 20; round++) {
		inject_other(machine, 3 + round);
		inject(machine, PERIOD / 2);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		stimulus_hold(&machine->stimulus, true);
		inject(machine, PERIOD / 2);
		total += PERIOD;
		other_total += 3 + round;
		/* The interrupt is late: nobody counts these. */
		inject(machine, 7 + round);
		inject_other(machine, 11 * round);
		/* A read does not let them go on. */
		if (round % 2)
			ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		inject_other(machine, 5);
		stimulus_hold(&machine->stimulus, false);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		EXPECT_EQ(total, values[0])
			TH_LOG("round %u", round);
		EXPECT_EQ(other_total, values[1])
			TH_LOG("round %u", round);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
			TH_LOG("round %u", round);
		EXPECT_EQ(total, sample.values[0]);
		EXPECT_EQ(other_total, sample.values[1])
			TH_LOG("round %u", round);
		EXPECT_EQ(PERIOD, sample.period);
		ASSERT_FALSE(ring_next_sample(&ring, &tally, &sample));
	}
	ring_close(&ring);
}

/*
 * Events between the clearing of the overflow status, when the monitors go on, and the update of
 * the counts belong to the next period: the sample does not have them.
 */
TEST_F(freezing, events_before_the_counts_are_updated)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	__u64 values[2];
	struct ring ring;
	int leader;

	leader = open_exclusive(_metadata, &machine->pmu, &ring);
	must_open(_metadata, &machine->pmu, machine->pmu.other_event, leader);
	inject_other(machine, 100);
	stimulus_hold(stimulus, true);
	inject(machine, PERIOD);
	/* One comes before each access to a monitor. */
	stimulus_step(stimulus, machine->pmu.other_event, SOURCE, 1);
	stimulus_hold(stimulus, false);
	stimulus_step(stimulus, machine->pmu.other_event, SOURCE, 0);
	ASSERT_EQ(0, pmu_read_group(leader, values, 2));
	EXPECT_LE(100, values[1]);
	ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
	EXPECT_EQ(PERIOD, sample.values[0]);
	EXPECT_EQ(100, sample.values[1]);
	ring_close(&ring);
}

/*
 * The timer that polls overflows has found none, and one occurs right after that: the values at
 * this overflow have not been saved, so it is not handled before they are.
 */
TEST_F(freezing, an_overflow_after_none_was_found)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u32 status = machine->hardware.clear_overflow;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	__u64 reads, values[2];
	struct ring ring;
	int leader;

	if (!machine->hardware.msi)
		SKIP(return, "no timer looks for overflows");
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	leader = open_exclusive(_metadata, &machine->pmu, &ring);
	must_open(_metadata, &machine->pmu, machine->pmu.other_event, leader);
	inject_other(machine, 100);
	inject(machine, PERIOD - 1);
	reads = stimulus_reads(stimulus, status);
	ASSERT_EQ(0, call_write("cspmu_take_overflows", stimulus_inject_register(stimulus), 1));
	while (!call_has_written() && stimulus_reads(stimulus, status) < reads + 5)
		;
	if (!call_has_written())
		inject(machine, 1);
	call_write("", 0, 0);
	ASSERT_EQ(0, pmu_read_group(leader, values, 2));
	EXPECT_EQ(PERIOD, values[0]);
	EXPECT_EQ(100, values[1]);
	ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
	EXPECT_EQ(PERIOD, sample.values[0]);
	EXPECT_EQ(100, sample.values[1]);
	ring_close(&ring);
}

/* Others would lose events for the samples of this group: they take turns. */
TEST_F_TIMEOUT(freezing, is_alone_on_the_pmu, SLOW)
{
	struct machine *machine = &self->machine;
	bool enabled[CORESIGHT_MONITORS];
	unsigned int round, number;
	struct pmu_count count;
	struct ring ring;
	int leader, other;

	leader = open_exclusive(_metadata, &machine->pmu, &ring);
	must_open(_metadata, &machine->pmu, machine->pmu.other_event, leader);
	other = must_open(_metadata, &machine->pmu, machine->pmu.other_event, -1);
	for (round = 0; round < 200; round++) {
		number = enabled_monitors(&machine->stimulus, enabled);
		ASSERT_GE(2, number)
			TH_LOG("%u monitors are enabled", number);
		usleep(1000);
	}
	ASSERT_EQ(0, pmu_read(other, &count));
	EXPECT_GT(count.enabled, count.running);
	EXPECT_LT(0, count.running);
	close(other);
	ring_close(&ring);
}

/* Whoever has not asked for it loses nothing. */
TEST_F(freezing, only_for_exclusive_groups_that_sample_counts)
{
	struct machine *machine = &self->machine;
	const struct pmu *pmu = &machine->pmu;
	struct perf_event_attr attr;
	struct ring ring;
	int leader, fd;

	EXPECT_FALSE(freezes(machine));
	leader = open_sampling(_metadata, pmu, PERIOD, &ring);
	fd = must_open(_metadata, pmu, pmu->other_event, leader);
	EXPECT_FALSE(freezes(machine));
	close(fd);
	ring_close(&ring);
	close(leader);

	ASSERT_EQ(0, pmu_describe(pmu, &attr, pmu->event));
	attr.exclusive = 1;
	leader = must_open_attr(_metadata, pmu, &attr, -1);
	EXPECT_FALSE(freezes(machine));
	close(leader);

	leader = open_exclusive(_metadata, pmu, &ring);
	EXPECT_TRUE(freezes(machine));
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_FALSE(freezes(machine));
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(freezes(machine));
	ring_close(&ring);
	close(leader);
	EXPECT_FALSE(freezes(machine));
}

/* Whether the cycle counter freezes cannot be known (rule DPGBH): with it, nothing does. */
TEST_F(freezing, not_with_the_cycle_counter)
{
	struct machine *machine = &self->machine;
	const struct pmu *pmu = &machine->pmu;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	__u64 values[2];
	struct ring ring;
	int leader;

	if (!coresight_of(machine).cycle_counter)
		SKIP(return, "this PMU has no cycle counter");
	leader = open_exclusive(_metadata, pmu, &ring);
	EXPECT_TRUE(freezes(machine));
	must_open(_metadata, pmu, CORESIGHT_EVENT_CYCLES, leader);
	EXPECT_FALSE(freezes(machine));
	inject(machine, PERIOD);
	ASSERT_EQ(0, pmu_read_group(leader, values, 2));
	ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
	EXPECT_EQ(PERIOD, sample.values[0]);
	close(leader);
	ring_close(&ring);
}

TEST_HARNESS_MAIN
