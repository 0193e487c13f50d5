// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling: each sample has the counts of the whole group at the overflow, or, without capture,
 * when it was handled; and events that are opened and closed meanwhile.
 */
#include "sampling_fixture.h"

/*
 * perf removes the event from its counter and adds it again when another event is opened or closed.
 */
SCENARIO(sampling, others_come_and_go,
	 "need 2 counters; open a x period=1000;"
	 "50 times {"
	 "  x round + 1; open b x; x 998 - 2 * round; read; close b; x round + 1; read"
	 "}")

SCENARIO(sampling, counting_events_are_not_disturbed,
	 "need 3 counters; open a y; open b x period=10; open c y in=b;"
	 "500 times {"
	 "  x 10; y half + 1;"
	 "  if round % 100 == 99 { read a c }"
	 "}")

/* Two periods on two counters, which often end with the same event. */
SCENARIO(sampling, two_sampling_events,
	 "need 2 counters; open a x period=20; open b x period=30;"
	 "120 times { x 10; read }")

/* The sample has no counts, but there is another event. */
SCENARIO(sampling, without_counts,
	 "need 2 counters; open a x period=1000 countless; open b x;"
	 "20 times { x 1000; read }")

/*
 * The interrupt is held back, and more events occur meanwhile. A sample has the counts at the
 * overflow if the overflow captures, otherwise those at the time of the handler. Fewer are late
 * each time: a period that begins late would end too late.
 */
SCENARIO(sampling, a_sample_has_the_counts_of_its_group,
	 "need 2 counters; open a x period=1000; open b y in=a;"
	 "20 times {"
	 "  y 101 + round; hold; x end; y 10000 * (round + 1); x 49 - round; release; read"
	 "}")

/* The same with a group read between the overflow and its interrupt. */
SCENARIO(sampling, a_read_between_overflow_and_interrupt,
	 "need wire; need 2 counters; open a x period=1000; open b y in=a;"
	 "20 times { hold; x end; y 1 + round; read; y 7; release; read }")

/* A sampling member of a group with a counting leader. */
SCENARIO(sampling, a_member_samples,
	 "need 2 counters; open a y group; open b x in=a period=1000;"
	 "20 times { y 3; x 1000; read }")

/*
 * Two members sample, and both overflow before the interrupt. With capture, both samples have the
 * counts at the later overflow, even if more events occur after it.
 */
SCENARIO(sampling, two_members_sample,
	 "need 2 counters; open a x period=1000; open b y in=a period=1000;"
	 "20 times { hold; x 1000; y 1000; x 7; y 3; release; read }")

/* A period is changed, and the counter set, between the overflow and its interrupt. */
SCENARIO(sampling, a_period_is_changed_before_the_interrupt,
	 "need 2 counters; open a x period=1000; open b y in=a period=500000;"
	 "5 times {"
	 "  each 1000000, 77 { y 1; hold; x end; period b n; release; read }"
	 "}")

/* Only the event is read in between, which does not capture: the sample has no lower count. */
TEST_F(sampling, a_single_read_between_overflow_and_interrupt)
{
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	struct ring_sample sample;
	__u64 total = 0, value;
	unsigned int round;
	struct ring ring;
	int fd;

	attr = sampling_attr(PERIOD);
	attr.read_format = 0;
	/* Without PERF_SAMPLE_IP and read_format, the count is at the offset of the period. */
	attr.sample_type &= ~PERF_SAMPLE_IP;
	fd = open_sampling_attr(&attr, -1, &ring);
	for (round = 0; round < 10; round++) {
		stimulus_hold(stimulus, true);
		inject(PERIOD - total % PERIOD);
		inject(20);
		total += PERIOD - total % PERIOD + 20;
		ASSERT_EQ(sizeof(value), read(fd, &value, sizeof(value)));
		EXPECT_EQ(total, value);
		inject(7);
		stimulus_hold(stimulus, false);
		ASSERT_EQ(sizeof(value), read(fd, &value, sizeof(value)));
		EXPECT_EQ(total + 7, value);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
		EXPECT_LE(total, sample.period)
			TH_LOG("round %u", round);
		EXPECT_GE(total + 7, sample.period)
			TH_LOG("round %u", round);
		total += 7;
	}
}

/* Events between the overflow and its interrupt are counted even if the event is stopped by it. */
TEST_F(sampling, the_last_sample_of_several)
{
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct ring ring;
	int fd, other;

	fd = open_sampling(PERIOD, &ring);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	stimulus_hold(stimulus, true);
	inject(PERIOD);
	inject(50);
	stimulus_hold(stimulus, false);
	EXPECT_EQ(PERIOD + 50, value_of(fd));
	ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
	EXPECT_EQ(PERIOD + (hardware->overflow_capture ? 0 : 50), sample.values[0]);
	inject(7);
	EXPECT_EQ(PERIOD + 50, value_of(fd));
	/* The next event on this counter does not count them. */
	other = must_open(pmu->event, -1);
	inject(3);
	EXPECT_EQ(3, pmu_value(other));
}

/* The interrupt is late, and the sample is made on suspend. */
SCENARIO(sampling, a_sample_is_made_while_suspending,
	 "need suspend; open a x period=1000;"
	 "2 times { hold; x end; suspend; release; read }")

/* A filter applies to samples as well as to counts. */
SCENARIO(sampling, filtered,
	 "need filters; open a x period=100 from=0x42;"
	 "50 times { x@0x43 1000; x@0x42 50; read }")

/* perf chooses the periods: samples are made, and every event is counted. */
TEST_F_TIMEOUT(sampling, frequency, SLOW)
{
	struct perf_event_attr attr = sampling_attr(0);
	struct ring_tally tally = { 0 };
	struct ring ring;
	__u64 total = 0;
	unsigned int i;
	int fd;

	attr.freq = 1;
	attr.sample_freq = 1000;
	fd = open_sampling_attr(&attr, -1, &ring);
	for (i = 1; i <= 2000; i++) {
		total += inject(i);
		if (i % 100 == 0) {
			ASSERT_EQ(total, value_of(fd));
			ring_drain(&ring, &tally);
		}
	}
	EXPECT_LT(0, tally.samples);
	EXPECT_EQ(0, tally.lost);
}

/* The CPU of the PMU goes offline: samples are made on the next one. */
SCENARIO(sampling, goes_along_with_the_pmu,
	 "need othercpu; open a x period=1000; x 500; away; x 500; read;"
	 "20 times { x 1000; read }"
	 "back")

/* Erratum 162001800 */
TEST_F(pmu, refused_where_counters_cannot_be_written)
{
	struct perf_event_attr attr = sampling_attr(1000);

	if (!(pmu->errata & PMU_COUNTERS_ARE_READ_ONLY))
		SKIP(return, "no erratum: counters can be written");
	EXPECT_EQ(-EOPNOTSUPP, pmu_open_attr(pmu, &attr, -1));
}

TEST_HARNESS_MAIN
