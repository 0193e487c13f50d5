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

static void step(__u64 number)
{
	stimulus_step(stimulus, pmu->event, SOURCE, number);
}

SCENARIO(capture, a_group_read_is_of_one_instant,
	 "open a x copies=counters group;"
	 "20 times { x 1 + round; hold; step x 1000; read; step x 0; release }"
	 "read")

/* Not including shadow registers. */
static __u64 counter_reads(void)
{
	__u64 reads = 0;
	unsigned int n;

	for (n = 0; n < hardware->counters; n++)
		reads += stimulus_reads(stimulus, pmu_counter_register(hardware, n));
	return reads;
}

TEST_F(capture, a_group_read_costs_one_capture)
{
	int leader = must_open_group(hardware->counters);
	__u64 writes, captures, reads;
	unsigned int round;

	reads = counter_reads();
	writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	captures = stimulus_writes(stimulus, hardware->take_capture);
	for (round = 1; round <= 10; round++) {
		read_equal(leader, hardware->counters);
		EXPECT_EQ(captures + round, stimulus_writes(stimulus, hardware->take_capture));
		/* This is the only write of a read. */
		EXPECT_EQ(writes + round, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	}
	EXPECT_EQ(reads, counter_reads())
		TH_LOG("counters were read as well as their shadow registers");
}

/*
 * All counters wrap just after they have been captured, while the shadow registers are being read:
 * the overflow status is ahead of the captured values. It is one event away, some, or more than are
 * injected. No more than about half of the range is between two reads, as on real counters.
 */
SCENARIO(capture, overflow_right_after_the_capture,
	 "open a x copies=counters group;"
	 "3 * counters times {"
	 "  x below(half); read; x below(1 + 500 * round);"
	 "  hold; step x 1000; read; release; step x 0; read"
	 "}")

/*
 * Without capture, the values are as far apart as the reads of the counters. This shows that the
 * stimulus makes a difference which only capture removes.
 */
TEST_F(injected, without_capture_each_counter_has_its_instant)
{
	unsigned int n, number = hardware->counters;
	__u64 values[PMU_MAX_COUNTERS], reads, distance;
	int leader;

	if (number < 2)
		SKIP(return, "this PMU has only one counter");
	if (hardware->capture && !reference_has(pmu, REFERENCE_NEVER_CAPTURES))
		SKIP(return, "this PMU captures its counters");
	leader = must_open_group(number);
	/* Far from the end of the counters, where the interrupt handler would read them, too. */
	inject(FAR_AWAY);
	EXPECT_EQ(FAR_AWAY, read_equal(leader, number));
	reads = pmu_counter_reads(stimulus, hardware);
	step(STEP);
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	step(0);
	reads = pmu_counter_reads(stimulus, hardware) - reads;
	/* One read for each, or three if both halves have to be checked. */
	ASSERT_EQ(0, reads % number);
	distance = STEP * (reads / number);
	ASSERT_LE(STEP, distance);
	for (n = 1; n < number; n++) {
		EXPECT_EQ(values[n - 1] + distance, values[n])
			TH_LOG("event %u of %u", n, number);
	}
	EXPECT_EQ(FAR_AWAY + STEP * reads, read_equal(leader, number));
}

TEST_HARNESS_MAIN
