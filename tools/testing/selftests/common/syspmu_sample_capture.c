// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling if an overflow captures all counters: a sample has the counts at its overflow, whatever
 * is read, overflows or changes before the interrupt.
 */
#include "sampling_fixture.h"

/*
 * Between the overflow and its interrupt, another group is read, which captures once more: the
 * sample still has the counts at the overflow.
 */
SCENARIO(sampling, another_group_is_read_between_overflow_and_interrupt,
	 "need overflowcapture; need 3 counters;"
	 "open a x period=1000; open b x in=a; open c x group;"
	 "20 times { hold; x end; x 7 + round; read c; release; read }")

/* A second member overflows, and captures once more, while the shadow registers are being read. */
TEST_F(sampling, an_overflow_amid_the_reading_of_shadows)
{
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct perf_event_attr attr;
	struct ring rings[2];
	int leader;

	if (!hardware->overflow_capture)
		SKIP(return, "this PMU does not capture its counters");
	if (hardware->counters < 3)
		SKIP(return, "this PMU has fewer than three counters");
	leader = open_sampling(PERIOD, &rings[0]);
	attr = sampling_attr(PERIOD);
	attr.config = pmu->other_event;
	open_sampling_attr(&attr, leader, &rings[1]);
	must_open(pmu->event, leader);
	inject_other(PERIOD - 2);
	stimulus_hold(stimulus, true);
	inject(PERIOD);
	inject(7);
	/* The first event occurs before the first counter or shadow register is read. */
	stimulus_step(stimulus, pmu->other_event, SOURCE, 1);
	stimulus_hold(stimulus, false);
	stimulus_step(stimulus, pmu->other_event, SOURCE, 0);
	ASSERT_TRUE(ring_next_sample(&rings[0], &tally, &sample));
	ASSERT_EQ(3, sample.number);
	EXPECT_EQ(PERIOD + 7, sample.values[0]);
	EXPECT_EQ(PERIOD, sample.values[1]);
	EXPECT_EQ(PERIOD + 7, sample.values[2]);
}

#define STEP	100

/*
 * Reads a group while @before samplers on counters before those of the group, and @after on
 * counters after them, overflow and capture once more: the first one at read @step of a counter or
 * shadow register, others later.
 */
static void read_amid_overflows(unsigned int before, unsigned int after, unsigned int step)
{
	unsigned int n, number = hardware->counters - before - after, opened = 0, at = step;
	int samplers[2], fds[PMU_MAX_COUNTERS];
	struct ring rings[2];

	for (; opened < before; opened++, at += 1 + at % 3)
		samplers[opened] = open_sampling(5 + at * STEP, &rings[opened]);
	fds[0] = must_open_leader(pmu->event);
	for (n = 1; n < number; n++)
		fds[n] = must_open(pmu->event, fds[0]);
	for (; opened < before + after; opened++)
		samplers[opened] = open_sampling(5 + at * STEP, &rings[opened]);
	stimulus_hold(stimulus, true);
	inject(5);
	stimulus_step(stimulus, pmu->event, SOURCE, STEP);
	EXPECT_EQ(5, read_equal(fds[0], number) % STEP)
		TH_LOG("%u samplers before and %u after, read %u", before, after, step);
	stimulus_step(stimulus, pmu->event, SOURCE, 0);
	stimulus_hold(stimulus, false);
	while (opened--) {
		ring_close(&rings[opened]);
		close(samplers[opened]);
	}
	for (n = 0; n < number; n++)
		close(fds[n]);
}

/* An overflow captures once more while a group is read: its counts are still from one instant. */
TEST_F_TIMEOUT(sampling, an_overflow_amid_a_group_read, SLOW)
{
	unsigned int step;

	if (!hardware->overflow_capture)
		SKIP(return, "this PMU does not capture its counters");
	if (hardware->counters < 3)
		SKIP(return, "this PMU has fewer than three counters");
	for (step = 1; step <= 2 * hardware->counters + 2; step++) {
		read_amid_overflows(1, 0, step);
		read_amid_overflows(0, 1, step);
		if (hardware->counters > 3)
			read_amid_overflows(1, 1, step);
	}
}

TEST_HARNESS_MAIN

