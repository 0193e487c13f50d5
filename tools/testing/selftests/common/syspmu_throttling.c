// SPDX-License-Identifier: GPL-2.0
/*
 * What perf does with samples apart from writing them: events that make too many are throttled
 * (kernel.perf_event_max_sample_rate).
 */
#include "sampling_fixture.h"

/* A test that fails has no teardown, so each test restores the limits first. */
static void LATER keep_limits(void)
{
	keep_sample_limits();
}

static void __attribute__((destructor)) put_limits_back(void)
{
	restore_sample_limits();
}

static void restore_limits(void)
{
	ASSERT_EQ(0, restore_sample_limits());
}

PMU_FIXTURE_WITH(throttling, can_sample, true, restore_limits)

/* perf permits the rate divided by HZ, rounded up, per tick. */
#define ONE_IN_A_TICK	"1"

static void limit_samples_to(const char *rate, int cpu)
{
	ASSERT_EQ(0, set_max_sample_rate(rate));
	ASSERT_EQ(0, cpu_pin(cpu));
}

/*
 * Each sample is one too many, and the event is throttled. The CPU that handles it is busy and has
 * a tick, by which perf unthrottles the event.
 */
TEST_F_TIMEOUT(throttling, by_perf, SLOW)
{
	struct ring_tally tally = { 0 };
	struct ring ring;
	unsigned int i;
	int fd;

	limit_samples_to(ONE_IN_A_TICK, pmu->cpu);
	fd = open_sampling(1, &ring);
	for (i = 1; i <= 10; i++) {
		do
			inject(1);
		while (samples(&ring, fd, &tally) < i);
		ASSERT_EQ(i, tally.samples);
		ASSERT_EQ(i, tally.throttled);
		ASSERT_LE(i - 1, tally.unthrottled);
		/* Nothing is counted without its sample. */
		ASSERT_EQ(i, value_of(fd));
	}
	EXPECT_EQ(0, tally.unpaired);
	EXPECT_EQ(0, tally.lost);
}

/* perf learns how long samples take: more than the time that it gives them here. */
TEST_F(throttling, by_time)
{
	unsigned long lowered;
	struct ring ring;
	char rate[32];
	unsigned int i;
	int fd;

	ASSERT_EQ(0, set_max_sample_rate("100000"));
	ASSERT_EQ(0, write_text(MAX_SAMPLE_TIME, "1"));
	fd = open_sampling(1, &ring);
	/* As many as perf takes the mean of */
	for (i = 0; i < 128; i++)
		inject(1);
	value_of(fd);
	ASSERT_LT(0, read_text(MAX_SAMPLE_RATE, rate, sizeof(rate)));
	lowered = strtoul(rate, NULL, 10);
	EXPECT_GT(100000, lowered);
}

/* An idle CPU has no tick, but the event continues nevertheless, and the records say so. */
TEST_F_TIMEOUT(throttling, on_an_idle_cpu, SLOW)
{
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct ring ring;
	__u64 counted = 0;
	int fd;

	if (cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "there is only one CPU");
	limit_samples_to(ONE_IN_A_TICK, cpu_other_than(pmu->cpu));
	fd = open_sampling(1, &ring);
	/* An interrupt may be late; then its sample is late, too, or is for more than one event. */
	do {
		inject(1);
		usleep(1000);
		while (ring_next_sample(&ring, &tally, &sample))
			counted += sample.period;
	} while (tally.samples < 40 || counted != value_of(fd));
	EXPECT_EQ(tally.samples, tally.throttled);
	EXPECT_EQ(0, tally.unpaired);
}

/*
 * Both members make a sample at once, each of which is one too many, and both continue, each time.
 * Events that are injected while one of them is throttled only make samples of the other.
 */
TEST_F_TIMEOUT(throttling, of_a_group, SLOW)
{
	struct perf_event_attr attr = sampling_attr(PERIOD);
	struct ring_tally tallies[2] = { { 0 } };
	struct ring rings[2];
	unsigned int i;
	int leader;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	ASSERT_EQ(0, set_max_sample_rate(ONE_IN_A_TICK));
	/* So that the other CPU, if there is one, is idle and has no tick. */
	cpu_pin(cpu_other_than(pmu->cpu));
	leader = open_sampling(PERIOD, &rings[0]);
	attr.config = pmu->other_event;
	open_sampling_attr(&attr, leader, &rings[1]);
	for (i = 1; i <= 20; i++) {
		do {
			usleep(8000);
			stimulus_hold(stimulus, true);
			inject(PERIOD);
			inject_other(PERIOD);
			stimulus_hold(stimulus, false);
			usleep(1000);
			ring_drain(&rings[0], &tallies[0]);
			ring_drain(&rings[1], &tallies[1]);
		} while (tallies[0].samples < i || tallies[1].samples < i);
	}
	EXPECT_EQ(0, tallies[0].unpaired);
	/* From 6.9 to 6.15 perf only considers the leaders of groups. */
	if (kernel_is_before(6, 9) || !kernel_is_before(6, 16))
		EXPECT_EQ(0, tallies[1].unpaired);
}

/* An event between two stops would only be counted by some members. */
TEST_F_TIMEOUT(throttling, of_a_whole_group_at_one_instant, SLOW)
{
	__u64 starts, stops, values[3];
	unsigned int round;
	struct ring ring;
	int leader;

	if (kernel_is_before(6, 16))
		SKIP(return, "before Linux 6.16 only the event itself pauses");
	if (hardware->counters < 3)
		SKIP(return, "this PMU has fewer than three counters");
	if (cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "there is only one CPU");
	limit_samples_to(ONE_IN_A_TICK, cpu_other_than(pmu->cpu));
	leader = open_sampling(PERIOD, &ring);
	must_open(pmu->event, leader);
	must_open(pmu->event, leader);
	for (round = 1; round <= 5; round++) {
		starts = stimulus_writes(stimulus, hardware->enable);
		stops = stimulus_writes(stimulus, hardware->disable);
		/* Between any two counters that are read while they count. */
		stimulus_step(stimulus, pmu->event, SOURCE, 1);
		inject(PERIOD);
		while (stimulus_writes(stimulus, hardware->enable) == starts)
			usleep(20000);
		stimulus_step(stimulus, 0, 0, 0);
		EXPECT_EQ(stops + 1, stimulus_writes(stimulus, hardware->disable));
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
		ASSERT_EQ(0, pmu_read_group(leader, values, 3));
		EXPECT_EQ(values[1], values[2])
			TH_LOG("round %u", round);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	}
}

/* Injects single events until one is not counted, since perf has stopped the group. */
static bool wait_for_throttling(int fd)
{
	__u64 seen = pmu_value(fd), value;
	int i;

	for (i = 0; i < 10000; i++) {
		inject(1);
		value = pmu_value(fd);
		if (value == seen)
			return true;
		seen = value;
	}
	return false;
}

/*
 * Since 6.16, perf throttles the group of an event, and a new period restarts it. If the event is
 * one of another PMU, perf only disables that one.
 */
TEST_F_TIMEOUT(throttling, led_by_another_pmu, SLOW)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 10000,
	};
	__u64 slow = 1000000000, seen;
	int leader, fd, round;

	limit_samples_to(ONE_IN_A_TICK, pmu->cpu);
	for (round = 0; round < 10; round++) {
		leader = must_open_attr(&clock, -1);
		fd = must_open(pmu->event, leader);
		if (!wait_for_throttling(fd))
			SKIP(return, "this kernel only throttles the event itself");
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_PERIOD, &slow));
		seen = pmu_value(fd);
		inject(7);
		EXPECT_EQ(seen + 7, pmu_value(fd))
			TH_LOG("round %d", round);
		close(fd);
		close(leader);
	}
}

TEST_HARNESS_MAIN

