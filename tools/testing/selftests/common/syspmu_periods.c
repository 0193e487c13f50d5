// SPDX-License-Identifier: GPL-2.0
/* Sampling: exactly one sample for each period, for any periods. */
#include "sampling_fixture.h"

/* Periods are injected as one burst, or as a burst and one more event. */
SCENARIO(sampling, one_sample_for_each_period,
	 "each 1, 2, 7, 1000, 0x100000, 0x3fffffff {"
	 "  open a x period=n;"
	 "  30 times {"
	 "    if round % 3 { x n - 1; read; x 1 }"
	 "    x end; read"
	 "  }"
	 "  status; close a"
	 "}")

/* Single events: a sample is made exactly at the end of each period. */
SCENARIO(sampling, samples_lie_where_periods_end,
	 "open a x period=37; 185 times { x 1; read }")

/*
 * Larger than the range of the counter, or slightly smaller: the counter wraps several times in a
 * period.
 */
SCENARIO(sampling, periods_as_large_as_the_counter_and_larger,
	 "need wraps;"
	 "each half - 1, half, half + 1, 2 * half - 1, 2 * half, 2 * half + 1, 5 * half + 7 {"
	 "  open a x period=n;"
	 "  5 times {"
	 "    4 * ((n - 1) / half) times { x half / 4 }"
	 "    x end - 1; read; x 1; read"
	 "  }"
	 "  close a"
	 "}")

/*
 * Bursts, each at one instant, that end up to five periods. All periods that end at once are in one
 * sample with their sum; none is lost or doubled, and the next one is not moved.
 */
SCENARIO(sampling, every_period_is_in_one_sample,
	 "each 1, 2, 3, 10, 1000, 1000003 {"
	 "  open a x period=n; 60 times { x random(5 * n) + 1; read } close a"
	 "}")

/* The same with a late interrupt, and reads before it. */
SCENARIO(sampling, every_period_is_in_one_sample_however_late,
	 "open a x period=1000 anycounts;"
	 "40 times {"
	 "  hold;"
	 "  3 times { x random(1000); if random(2) { read } }"
	 "  release; read"
	 "}")

/*
 * A clock counts while the two halves of its counter are set. A carry out of the half that is set
 * first would be lost, and the next sample would be late by the range of that half, which is four
 * seconds at 1 GHz.
 */
TEST_F_TIMEOUT(sampling, no_carry_gets_lost_while_the_counter_is_set, SLOW)
{
	struct perf_event_attr attr = sampling_attr(100);
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct ring ring;
	int fd;

	if (hardware->bits <= 32)
		SKIP(return, "counters of 32 bits have one half");
	attr.config = pmu->clock;
	fd = pmu_open_attr(pmu, &attr, -1);
	if (fd < 0)
		SKIP(return, "this PMU has no clock");
	ASSERT_EQ(0, ring_open(&ring, fd));
	usleep(1000);
	if (!value_of(fd))
		SKIP(return, "the clock of this PMU stands still");
	while (tally.samples < 1000) {
		if (!ring_next_sample(&ring, &tally, &sample))
			continue;
		ASSERT_GT((1ULL << 32) - (1ULL << 24), sample.period)
			TH_LOG("sample %llu", tally.samples);
	}
}

/* In the middle of a period: the new one begins at once. */
SCENARIO(sampling, the_period_can_be_changed,
	 "open a x period=1000;"
	 "each 5, 100000, 1, 77, 0x80000000, 3 {"
	 "  x 100; read; period a n;"
	 "  10 times { x n / 2; x n - 1 - n / 2; read; x 1; read }"
	 "  period a 1000"
	 "}")

/*
 * Also if it is stopped when a period has just ended: the new one begins at once, and so does the
 * next.
 */
TEST_F(sampling, a_period_is_changed_at_its_end)
{
	struct ring_tally tally = { 0 };
	__u64 period, expected;
	unsigned int i, round;
	struct ring ring;
	int fd = open_sampling(PERIOD, &ring);

	for (round = 0; round < 5; round++) {
		stimulus_hold(stimulus, true);
		inject(PERIOD);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		stimulus_hold(stimulus, false);
		period = 100 + round;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		expected = samples(&ring, fd, &tally);
		for (i = 0; i < 3; i++) {
			inject(period - 1);
			ASSERT_EQ(expected, samples(&ring, fd, &tally))
				TH_LOG("round %u, period %u", round, i);
			inject(1);
			ASSERT_EQ(++expected, samples(&ring, fd, &tally))
				TH_LOG("round %u, period %u", round, i);
		}
		period = PERIOD;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	}
}

/* When it is stopped and started again, a period continues where it was. */
SCENARIO(sampling, a_period_goes_on_after_a_stop,
	 "open a x period=1000;"
	 "20 times { x 301 + round; stop a; x 5000; start a; x end - 1; read; x 1; read }")

/*
 * Stopped when a period has just ended: its sample is made at the next event, and the next one in
 * time.
 */
TEST_F(sampling, a_period_ends_at_a_stop)
{
	struct ring_tally tally = { 0 };
	unsigned int round;
	struct ring ring;
	int fd = open_sampling(PERIOD, &ring);

	for (round = 1; round <= 20; round++) {
		stimulus_hold(stimulus, true);
		inject(PERIOD - (round > 1));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		stimulus_hold(stimulus, false);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		inject(1);
		ASSERT_EQ(round, samples(&ring, fd, &tally));
		ASSERT_EQ(round * PERIOD + 1, value_of(fd));
	}
	inject(PERIOD - 2);
	ASSERT_EQ(20, samples(&ring, fd, &tally));
	inject(1);
	EXPECT_EQ(21, samples(&ring, fd, &tally));
}

/*
 * The counter wraps once more after its overflow status has been cleared and before it is read:
 * this wrap has already been counted when its interrupt arrives, and the counter has been set to a
 * new value.
 */
TEST_F(sampling, a_wrap_between_status_and_counter)
{
	__u64 half = 1ULL << (hardware->bits - 1), total = 0, step, reads, number;
	struct perf_event_attr attr;
	unsigned int round, i;
	struct ring ring;
	int fd;

	if (hardware->bits > 60)
		SKIP(return, "counters of 64 bits do not wrap twice");
	if (reads_of_counter() > 1)
		SKIP(return, "several accesses read a counter, and it wraps before each of them");
	attr = sampling_attr(PERIOD);
	/* Nothing is captured, and only the counter is read. */
	attr.sample_type &= ~PERF_SAMPLE_READ;
	fd = open_sampling_attr(&attr, -1, &ring);
	for (round = 0; round < 5; round++) {
		/* The first wrap is read before its interrupt, far from a carry... */
		stimulus_hold(stimulus, true);
		number = PERIOD - total % PERIOD + half + half / 2 + 0x20000;
		total += inject(number);
		EXPECT_EQ(total, value_of(fd))
			TH_LOG("round %u, interrupt late", round);
		/* ...whose handler finds the second one. */
		step = half + round;
		reads = pmu_counter_reads(stimulus, hardware);
		stimulus_step(stimulus, pmu->event, SOURCE, step);
		stimulus_hold(stimulus, false);
		stimulus_step(stimulus, 0, 0, 0);
		reads = pmu_counter_reads(stimulus, hardware) - reads;
		ASSERT_EQ(1, reads);
		total += step;
		EXPECT_EQ(total, value_of(fd))
			TH_LOG("round %u", round);
		for (i = 0; i < 3; i++) {
			total += inject(PERIOD);
			EXPECT_EQ(total, value_of(fd))
				TH_LOG("round %u, later", round);
		}
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
	}
}

TEST_HARNESS_MAIN
