// SPDX-License-Identifier: GPL-2.0
/*
 * What perf does with samples apart from writing them: events that make too many are throttled
 * (kernel.perf_event_max_sample_rate), and events end after the requested number of samples.
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

/* The samples of a CPU without ticks do not add up to the limit of one tick. */
TEST_F_TIMEOUT(throttling, not_of_slow_samples, SLOW)
{
	struct ring_tally tally = { 0 };
	struct ring ring;
	unsigned int i;
	int fd;

	if (cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "there is only one CPU");
	/* From 11 per tick, of 10 ms, down to two. */
	limit_samples_to("1001", cpu_other_than(pmu->cpu));
	fd = open_sampling(1, &ring);
	for (i = 1; i <= 12; i++) {
		inject(1);
		/* Even if the interrupt is late, the next one is in another tick. */
		do {
			usleep(1000);
			ring_drain(&ring, &tally);
		} while (tally.samples < i);
		ASSERT_EQ(i, tally.samples);
		usleep(11000);
	}
	EXPECT_EQ(0, tally.throttled);
	EXPECT_EQ(12, value_of(fd));
}

/*
 * A member is stopped between its sample and that of the other one, while each access causes more
 * events. With capture, both have the counts at the overflow.
 */
TEST_F_TIMEOUT(throttling, of_a_group, SLOW)
{
	struct ring_tally tallies[2] = { { 0 } };
	struct ring_sample sample;
	struct perf_event_attr attr;
	__u64 before[2];
	struct ring rings[2];
	unsigned int i;
	int leader;

	if (!hardware->overflow_capture || hardware->counters < 2)
		SKIP(return, "this PMU does not capture its counters, or has only one");
	if (pmu_interrupt_is(pmu, "msi"))
		SKIP(return, "the poll timer may only see the first overflow");
	ASSERT_EQ(0, set_max_sample_rate(ONE_IN_A_TICK));
	/* So that the other CPU, if there is one, is idle and has no tick. */
	cpu_pin(cpu_other_than(pmu->cpu));
	leader = open_sampling(PERIOD, &rings[0]);
	attr = sampling_attr(PERIOD);
	attr.config = pmu->other_event;
	open_sampling_attr(&attr, leader, &rings[1]);
	stimulus_hold(stimulus, true);
	inject(PERIOD);
	inject_other(PERIOD);
	stimulus_step(stimulus, pmu->event, SOURCE, 1);
	stimulus_hold(stimulus, false);
	for (i = 0; i < 2; i++) {
		while (!ring_next_sample(&rings[i], &tallies[i], &sample))
			;
		ASSERT_EQ(2, sample.number);
		EXPECT_EQ(PERIOD, sample.period);
		EXPECT_EQ(PERIOD, sample.values[0])
			TH_LOG("event %u", i);
		EXPECT_EQ(PERIOD, sample.values[1])
			TH_LOG("event %u", i);
	}
	stimulus_step(stimulus, pmu->event, SOURCE, 0);
	before[0] = tallies[0].samples;
	before[1] = tallies[1].samples;
	/*
	 * Both continue, each time. Events that are injected while one of them is throttled only
	 * make samples of the other.
	 */
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
		} while (tallies[0].samples - before[0] < i || tallies[1].samples - before[1] < i);
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

/* PERF_EVENT_IOC_REFRESH: this many samples more, and no event after the last of them. */
TEST_F_TIMEOUT(throttling, refreshed, SLOW)
{
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	unsigned int i, round;
	struct ring ring;
	int fd;

	attr = sampling_attr(10);
	attr.disabled = 1;
	fd = open_sampling_attr(&attr, -1, &ring);
	for (round = 1; round <= 5; round++) {
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 3));
		for (i = 1; i <= 5; i++) {
			inject(10);
			ASSERT_EQ(3 * (round - 1) + (i < 3 ? i : 3), samples(&ring, fd, &tally));
		}
		ASSERT_EQ(30 * round, value_of(fd));
	}
}

/* A sampling event with the shortest period on all counters but one. */
static unsigned int open_flood(int *fds)
{
	struct perf_event_attr attr = sampling_attr(1);
	unsigned int n, number = hardware->counters - 1;

	for (n = 0; n < number; n++)
		fds[n] = must_open_attr(&attr, -1);
	return number;
}

/*
 * As many samples as possible. They may be throttled, and events are not counted by a throttled
 * event meanwhile, as on every PMU. But nothing hangs, no event counts without a sample, others
 * count everything, and afterwards everything works as before.
 */
TEST_F_TIMEOUT(throttling, a_flood_does_no_harm, SLOW)
{
	struct ring_tally tally = { 0 };
	__u64 total = 0, seen, period = 10;
	int fds[PMU_MAX_COUNTERS], beside;
	struct ring ring;
	unsigned int i;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	open_flood(fds);
	ASSERT_EQ(0, ring_open(&ring, fds[0]));
	beside = must_open(pmu->event, -1);
	for (i = 1; i <= 1000; i++) {
		inject(1);
		if (i % 100)
			continue;
		seen = value_of(fds[0]);
		ring_drain(&ring, &tally);
		ASSERT_EQ(seen, tally.samples);
		ASSERT_GE(i, seen);
		ASSERT_EQ(i, pmu_value(beside));
	}
	EXPECT_EQ(0, tally.lost);
	total = 1000;

	/* It continues by itself. */
	seen = value_of(fds[0]);
	do {
		inject(1);
		total++;
	} while (value_of(fds[0]) == seen);
	EXPECT_EQ(total, pmu_value(beside));
	for (i = 1; i < hardware->counters - 1; i++)
		close(fds[i]);
	ASSERT_EQ(0, ioctl(fds[0], PERF_EVENT_IOC_PERIOD, &period));
	seen = value_of(fds[0]);
	samples(&ring, fds[0], &tally);
	total = tally.samples;
	for (i = 1; i <= 20; i++) {
		stay_below_the_limit(0);
		inject(10);
		EXPECT_EQ(total + i, samples(&ring, fds[0], &tally));
		EXPECT_EQ(seen + 10 * i, value_of(fds[0]));
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

/*
 * No timer is left if an event is closed while it is throttled, nor if an event that was in its
 * group is closed after it.
 */
TEST_F_TIMEOUT(throttling, closed_while_it_pauses, SLOW)
{
	struct perf_event_attr attr;
	unsigned int i, round;
	int fd, member = -1;
	__u64 seen;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	ASSERT_EQ(0, set_max_sample_rate(ONE_IN_A_TICK));
	attr = sampling_attr(1);
	for (round = 0; round < 10; round++) {
		fd = must_open_attr(&attr, -1);
		if (round % 2 && hardware->counters > 1)
			member = must_open(pmu->event, fd);
		i = 0;
		do {
			inject(1);
			seen = value_of(fd);
		} while (seen == ++i);
		close(fd);
		if (member >= 0)
			close(member);
		member = -1;
		EXPECT_EQ(0, kernel_has_timer("arm_syspmu_unthrottle", NULL))
			TH_LOG("round %u", round);
	}
}

/*
 * The sampling leader is throttled between the instant at which its group is read on the CPU of
 * the PMU and the copy of the counts on this one. It never gets ahead of the other member.
 */
static void throttle_amid_a_read(__u64 type)
{
	struct perf_event_attr attr = sampling_attr(PERIOD);
	__s64 ahead = 0;
	unsigned int round;
	int leader, counter;
	__u64 values[2];

	if (!hardware->overflow_capture || cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "overflows do not capture, or there is only one CPU");
	limit_samples_to(ONE_IN_A_TICK, cpu_other_than(pmu->cpu));
	attr.sample_type = type;
	leader = must_open_attr(&attr, -1);
	must_open(pmu->event, leader);
	counter = must_find_counter(pmu->event);
	for (round = 0; round < 100; round++) {
		/* A throttled one continues with a tick. */
		while (until_wrap(counter) > PERIOD)
			usleep(1000);
		inject(until_wrap(counter) - 1);
		stimulus_step(stimulus, pmu->event, SOURCE, 1);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		stimulus_step(stimulus, 0, 0, 0);
		ASSERT_LE((__s64)(values[0] - values[1]), ahead)
			TH_LOG("round %u: %llu, %llu", round, values[0], values[1]);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		ahead = values[0] - values[1];
	}
}

TEST_F_TIMEOUT(throttling, amid_a_read, SLOW)
{
	throttle_amid_a_read(PERF_SAMPLE_IP);
}

TEST_F_TIMEOUT(throttling, amid_a_read_with_counts, SLOW)
{
	throttle_amid_a_read(RING_SAMPLE_TYPE);
}

TEST_HARNESS_MAIN

