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

/* When it is stopped and started again, a period continues where it was. */
SCENARIO(sampling, a_period_goes_on_after_a_stop,
	 "open a x period=1000;"
	 "20 times { x 301 + round; stop a; x 5000; start a; x end - 1; read; x 1; read }")

TEST_HARNESS_MAIN

