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

/*
 * A sampling event overflows, and captures once more, while the read of another group saves the
 * counts of a sample that has yet to be made: these are still from one instant.
 */
TEST_F(sampling, an_overflow_amid_the_saving_of_shadows)
{
	struct ring_tally tally;
	struct perf_event_attr attr;
	struct ring_sample sample;
	unsigned int left;
	struct ring rings[2];
	int fds[4], i;

	if (!hardware->overflow_capture)
		SKIP(return, "this PMU does not capture its counters");
	if (hardware->counters < 4)
		SKIP(return, "this PMU has fewer than four counters");
	for (left = 1; left <= 8; left++) {
		fds[0] = open_sampling(PERIOD, &rings[0]);
		fds[1] = must_open(pmu->event, fds[0]);
		attr = sampling_attr(PERIOD + left);
		attr.config = pmu->other_event;
		fds[2] = open_sampling_attr(&attr, -1, &rings[1]);
		fds[3] = must_open_leader(pmu->event);
		inject_other(PERIOD);
		stimulus_hold(stimulus, true);
		inject(PERIOD);
		inject(PERIOD);
		/* One event at each access to a counter or shadow register. */
		stimulus_step(stimulus, pmu->other_event, SOURCE, 1);
		EXPECT_EQ(2 * PERIOD, value_of(fds[3]));
		stimulus_step(stimulus, pmu->other_event, SOURCE, 0);
		stimulus_hold(stimulus, false);
		tally = (struct ring_tally){ 0 };
		ASSERT_TRUE(ring_next_sample(&rings[0], &tally, &sample));
		ASSERT_EQ(2, sample.number);
		EXPECT_EQ(sample.values[0], sample.values[1])
			TH_LOG("an overflow after %u accesses", left);
		for (i = 0; i < 2; i++)
			ring_close(&rings[i]);
		for (i = 0; i < 4; i++)
			close(fds[i]);
	}
}

#define FAR_PERIOD	1000000ULL

/*
 * The overflow of the leader has captured, the group has been read, and a member is closed before
 * the interrupt: the sample has the counts that were read, and all events of the next event on its
 * counter are in the samples. The period is far from its end, so that no event is lost when the
 * counter is set.
 */
SCENARIO(sampling, a_member_goes_between_read_and_interrupt,
	 "need overflowcapture; need 2 counters; open a x period=1000000;"
	 "5 times {"
	 "  open b y in=a; hold; x end; read; close b; release; read;"
	 "  open b y in=a; y 6 + round; x end; status; read; close b"
	 "}")

/* A new period begins then: this overflow makes no sample, and the next one is as usual. */
SCENARIO(sampling, a_period_is_changed_between_read_and_interrupt,
	 "need overflowcapture; need 2 counters; open a x period=1000000; open b y in=a;"
	 "5 times {"
	 "  hold; x end; read; period a 1000000; release; read;"
	 "  y 5; x end; y 2; read"
	 "}")

/*
 * Two groups sample. One is read, and overflows itself, before the interrupt of the other: the
 * sample of the other still has the counts at its own overflow.
 */
SCENARIO(sampling, another_group_overflows_between_overflow_and_interrupt,
	 "need overflowcapture; need 4 counters;"
	 "open a x period=1000; open b y in=a; open c y period=1000; open d x in=c;"
	 "10 times {"
	 "  y 3; hold; x end; y 4; read c; x 7; y 993; x 2; read c; release; read"
	 "}")

/*
 * A member wraps after it was captured and before the interrupt: its wrap has been handled, but is
 * only counted later. By then it has wrapped once more, or is about to.
 */
SCENARIO(sampling, a_member_wraps_between_overflow_and_interrupt,
	 "need overflowcapture; need 2 counters; need wraps;"
	 "open a x period=1000; open b y in=a;"
	 "each 0, 20, 20 {"
	 "  y below(16); read; hold; x end; y 32; release; y range - n;"
	 "  if n { read b }"
	 "  read"
	 "}")

/*
 * Two more events overflow, and capture, one after the other while the shadow registers are being
 * read: the counts of a sample are still from one instant.
 */
TEST_F_TIMEOUT(sampling, two_overflows_amid_the_reading_of_shadows, SLOW)
{
	struct ring_sample sample;
	struct perf_event_attr attr;
	unsigned int first, second;
	struct ring_tally tally;
	struct ring rings[3];
	int fds[5], i;

	if (!hardware->overflow_capture)
		SKIP(return, "this PMU does not capture its counters");
	if (hardware->counters < 5)
		SKIP(return, "this PMU has fewer than five counters");
	for (first = 1; first <= 8; first++) {
		for (second = first + 1; second <= first + 6; second++) {
			fds[0] = open_sampling(PERIOD, &rings[0]);
			for (i = 3; i < 5; i++)
				fds[i] = must_open(pmu->other_event, fds[0]);
			attr = sampling_attr(PERIOD + first);
			attr.config = pmu->other_event;
			fds[1] = open_sampling_attr(&attr, -1, &rings[1]);
			attr.sample_period = PERIOD + second;
			fds[2] = open_sampling_attr(&attr, -1, &rings[2]);
			inject_other(PERIOD);
			stimulus_hold(stimulus, true);
			inject(PERIOD);
			/* One event at each access to a counter or shadow register. */
			stimulus_step(stimulus, pmu->other_event, SOURCE, 1);
			stimulus_hold(stimulus, false);
			stimulus_step(stimulus, pmu->other_event, SOURCE, 0);
			tally = (struct ring_tally){ 0 };
			ASSERT_TRUE(ring_next_sample(&rings[0], &tally, &sample));
			ASSERT_EQ(3, sample.number);
			EXPECT_EQ(sample.values[1], sample.values[2])
				TH_LOG("overflows after %u and %u accesses", first, second);
			for (i = 0; i < 3; i++)
				ring_close(&rings[i]);
			for (i = 0; i < 5; i++)
				close(fds[i]);
		}
	}
}

/*
 * A group is read between the overflow and its interrupt, and then another event is stopped whose
 * overflow has not been handled either: the sample still has the counts at the overflow.
 */
SCENARIO(sampling, another_event_stops_between_read_and_interrupt,
	 "need overflowcapture; need 4 counters; need wraps;"
	 "open a x period=1000; open b x in=a; open c x group; open d y group;"
	 "y below(16); hold; x end; x 5; y 32; read c; stop d; release; read")

/*
 * A group is read between the overflow of a member and its interrupt. Then its leader is closed, so
 * that it is no group any more, and the member is disabled or not: the next sample of another
 * member has the counts at its overflow, also if another group is read first. So has that of the
 * member.
 */
static void close_leader(int leader, bool disable, bool read)
{
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	struct ring_sample sample;
	struct ring rings[2];
	int other, fds[2];
	__u64 values[3];

	other = must_open_leader(pmu->event);
	attr = sampling_attr(FAR_PERIOD);
	fds[0] = open_sampling_attr(&attr, leader, &rings[0]);
	attr.config = pmu->other_event;
	fds[1] = open_sampling_attr(&attr, leader, &rings[1]);
	stimulus_hold(stimulus, true);
	inject_other(FAR_PERIOD);
	inject(5);
	ASSERT_EQ(0, pmu_read_group(leader, values, 3));
	EXPECT_EQ(5, values[1]);
	close(leader);
	if (disable)
		ASSERT_EQ(0, ioctl(fds[1], PERF_EVENT_IOC_DISABLE, 0));
	inject(FAR_PERIOD - 5);
	if (read) {
		inject(7);
		EXPECT_EQ(FAR_PERIOD + 7, value_of(other));
	}
	stimulus_hold(stimulus, false);
	pmu_read_cpu(pmu);
	ASSERT_TRUE(ring_next_sample(&rings[0], &tally, &sample));
	EXPECT_EQ(FAR_PERIOD, sample.values[0]);
	ASSERT_EQ(!disable, ring_next_sample(&rings[1], &tally, &sample));
	if (!disable)
		EXPECT_EQ(FAR_PERIOD, sample.values[0]);
	ring_close(&rings[0]);
	ring_close(&rings[1]);
	close(fds[0]);
	close(fds[1]);
	close(other);
}

/* The leader can also be an event of another PMU. */
TEST_F(sampling, a_leader_goes_between_read_and_interrupt)
{
	int round, leader;

	if (!hardware->overflow_capture)
		SKIP(return, "this PMU does not capture its counters");
	if (hardware->counters < 4)
		SKIP(return, "this PMU has fewer than four counters");
	for (round = 0; round < 8; round++) {
		leader = round & 1 ? must_open_software(-1, PERF_FORMAT_GROUP) :
				     must_open_leader(pmu->event);
		close_leader(leader, round & 2, round & 4);
	}
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
