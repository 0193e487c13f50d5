// SPDX-License-Identifier: GPL-2.0
/*
 * A counter that is stopped may count a few more events, since changes may take effect late (of a
 * PMCG: IHI 0070 §10.2). So it can wrap after its event has been read for the last time, and its
 * interrupt arrives when another event uses the counter, or none. A count may include late events,
 * but is never wrong by a range of the counter.
 */
#include "sampling_fixture.h"

#define MAX_DELAY	5
/* So that a PMU with 64 counters does not take as long as all others. */
#define MAX_OTHERS	8

static bool has_few_counters(const struct machine *machine)
{
	return machine->hardware.counters <= MAX_OTHERS + 1;
}

PMU_FIXTURE(late, has_few_counters, true)

/* How the event on the counter is stopped, and what comes after it. */
enum stop { DISABLE, CLOSE };
enum next { AGAIN, OTHER, SAMPLER, NEXTS };

static const char * const next_names[NEXTS] = { "again", "another event", "a sampler" };

/* Leaves one counter, which all events of the test use. */
static void occupy_others(void)
{
	unsigned int n;

	for (n = 1; n < hardware->counters; n++)
		must_open_pinned(nth_event(2));
}

/* Brings the counter of an event to its last value before it wraps. */
static __u64 fill_up(void)
{
	__u64 mask = hardware->bits < 64 ? (1ULL << hardware->bits) - 1 : ~0ULL, number;
	int counter = pmu_counter_of_event(stimulus, hardware, pmu->event);

	ASSERT_LE(0, counter);
	number = mask - pmu_counter(stimulus, hardware, counter);
	inject(number);
	ASSERT_EQ(mask, pmu_counter(stimulus, hardware, counter));
	return number;
}

/* Checks that samples lack less than a period, and events that came late. */
static void expect_samples(struct ring *ring, __u64 period, __u64 late, __u64 value)
{
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	__u64 sum = 0;

	while (ring_next_sample(ring, &tally, &sample)) {
		EXPECT_EQ(0, sample.period % period)
			TH_LOG("a sample of %#llx", sample.period);
		sum += sample.period;
	}
	EXPECT_EQ(0, tally.lost);
	EXPECT_LE(sum, value);
	EXPECT_GE(period + late, value - sum)
		TH_LOG("%#llx in samples of %#llx", sum, value);
}

/* Checks a count that may include late events. */
static void expect_count(const char *what, __u64 exact, __u64 late, __u64 value)
{
	EXPECT_LE(exact, value)
		TH_LOG("%s: %#llx of %#llx", what, value, exact);
	EXPECT_GE(late, value - exact)
		TH_LOG("%s: %#llx of %#llx, and %llu were late", what, value, exact, late);
}

/* From here on, counts are exact again. */
static void expect_exact_growth(unsigned int event, int fd)
{
	__u64 step = over_half(), value = value_of(fd);
	unsigned int i;

	for (i = 0; i < 4; i++) {
		stimulus_inject(stimulus, event, SOURCE, step);
		value += step;
		EXPECT_EQ(value, value_of(fd))
			TH_LOG("later growth, step %u", i);
	}
}

/*
 * A sampling event uses the counter next, with late events of the previous one, or with late events
 * while it counts itself.
 */
static void sample_next(__u64 late, __u64 to_come)
{
	const __u64 period = 100, number = 350 + to_come;
	struct ring ring;
	__u64 value;
	int fd, i;

	fd = open_sampling(period, &ring);
	stimulus_hold(stimulus, false);
	inject(to_come);
	for (i = 0; i < 7; i++)
		inject(50);
	value = value_of(fd);
	expect_count("a sampler after it", number, late, value);
	expect_samples(&ring, period, 0, value);
	ring_close(&ring);
	close(fd);
}

static void other_next(__u64 late, __u64 to_come)
{
	int fd = must_open_leader(pmu->other_event);

	inject(to_come);
	inject_other(10);
	stimulus_hold(stimulus, false);
	inject_other(10);
	expect_count("an event after it", 20, late, value_of(fd));
	expect_exact_growth(pmu->other_event, fd);
	close(fd);
}

static void again_next(int fd, __u64 total, __u64 late, __u64 to_come)
{
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	inject(10 + to_come);
	stimulus_hold(stimulus, false);
	inject(10);
	expect_count("the event again", total + 20 + to_come, late, value_of(fd));
	expect_exact_growth(pmu->event, fd);
}

/* A single event stops while its counter is about to wrap, or far from a wrap. */
static void stop_late(enum stop stop, enum next next, unsigned int delay, bool full, bool hold,
		      bool after)
{
	__u64 to_come = after ? delay : 0;
	bool stays = next == AGAIN || stop == DISABLE;
	__u64 total = 100;
	int fd = must_open_leader(pmu->event);

	inject(total);
	if (full)
		total += fill_up();
	stimulus_hold(stimulus, hold);
	stimulus_set_delay(stimulus, delay);
	if (!stays)
		close(fd);
	else
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	inject(delay - to_come);
	if (stays)
		expect_count("while it stands", total, delay, value_of(fd));
	switch (next) {
	case AGAIN:
		again_next(fd, total, delay, to_come);
		break;
	case OTHER:
		other_next(delay, to_come);
		break;
	default:
		sample_next(delay, to_come);
	}
	if (stays)
		close(fd);
	stimulus_hold(stimulus, false);
	stimulus_set_delay(stimulus, 0);
}

static void stop_late_and_then(enum next next)
{
	unsigned int delay, way;

	occupy_others();
	for (delay = 1; delay <= MAX_DELAY; delay++) {
		for (way = 0; way < 16; way++) {
			stop_late(way & 1 ? CLOSE : DISABLE, next, delay, way & 2, way & 4,
				  way & 8);
			if (_metadata->exit_code != KSFT_PASS) {
				TH_LOG("%s, %u late, %s, %s, %s, %s", next_names[next], delay,
				       way & 1 ? "closed" : "disabled",
				       way & 2 ? "about to wrap" : "far from a wrap",
				       way & 4 ? "interrupt late" : "interrupt at once",
				       way & 8 ? "after its start" : "before its start");
				return;
			}
		}
	}
}

TEST_F_TIMEOUT(late, then_the_event_again, SLOW)
{
	stop_late_and_then(AGAIN);
}

TEST_F_TIMEOUT(late, then_another_event, SLOW)
{
	stop_late_and_then(OTHER);
}

TEST_F_TIMEOUT(late, then_a_sampler, SLOW)
{
	if (!can_sample(machine))
		SKIP(return, "this PMU does not sample");
	stop_late_and_then(SAMPLER);
}

/* A sampling event stops with its period about to end, one event before the wrap. */
static void stop_sampler(__u64 period, unsigned int delay, bool hold, enum next next)
{
	__u64 total = 3 * period - 1, value;
	struct ring ring;
	int fd, i;

	fd = open_sampling(period, &ring);
	for (i = 0; i < 3; i++)
		inject(i ? period : period - 1);
	stimulus_hold(stimulus, hold);
	stimulus_set_delay(stimulus, delay);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	inject(delay);
	if (next == AGAIN) {
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		inject(1);
		stimulus_hold(stimulus, false);
		for (i = 0; i < 5; i++)
			inject(period);
		total += 1 + 5 * period;
	}
	value = value_of(fd);
	expect_count("a sampler that stopped", total, delay, value);
	if (next == OTHER)
		other_next(delay, 0);
	if (next == SAMPLER)
		sample_next(delay, 0);
	stimulus_hold(stimulus, false);
	expect_samples(&ring, period, delay, value);
	ring_close(&ring);
	close(fd);
	stimulus_set_delay(stimulus, 0);
}

TEST_F_TIMEOUT(late, sampler_about_to_overflow, SLOW)
{
	static const __u64 periods[] = { 1, 2, 7, 1000 };
	unsigned int i, delay, way;

	if (!can_sample(machine))
		SKIP(return, "this PMU does not sample");
	occupy_others();
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		for (delay = 1; delay <= MAX_DELAY; delay += 2) {
			for (way = 0; way < 2 * NEXTS; way++) {
				stop_sampler(periods[i], delay, way & 1, way / 2);
				if (_metadata->exit_code == KSFT_PASS)
					continue;
				TH_LOG("period %llu, %u late, interrupt %s, then %s", periods[i],
				       delay, way & 1 ? "late" : "at once", next_names[way / 2]);
				return;
			}
		}
	}
}

/*
 * Late events of a suspend occur before one of the writes after the one that stops all counting;
 * with the interrupt handled at once or late.
 */
#define SLEEPS	(2 * ARRAY_SIZE(((struct pmu_hardware *)NULL)->sleep_writes))
#define LATE	2

static void suspend_late(unsigned int way)
{
	stimulus_hold(stimulus, way & 1);
	stimulus_set_delay(stimulus, LATE);
	stimulus_precede(stimulus, hardware->sleep_writes[way >> 1], pmu->event, SOURCE, LATE);
	ASSERT_EQ(0, power_suspend());
	stimulus_precede(stimulus, 0, 0, 0, 0);
}

static void sleep_late(unsigned int way)
{
	__u64 total = 100;
	int fd = must_open_leader(pmu->event);

	inject(total);
	total += fill_up();
	suspend_late(way);
	expect_count("after a sleep", total, LATE, value_of(fd));
	inject(10);
	stimulus_hold(stimulus, false);
	inject(10);
	expect_count("some time after a sleep", total + 20, LATE, value_of(fd));
	stimulus_set_delay(stimulus, 0);
	expect_exact_growth(pmu->event, fd);
	close(fd);
}

TEST_F_TIMEOUT(late, asleep, SLOW)
{
	unsigned int way;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	occupy_others();
	for (way = 0; way < SLEEPS; way++)
		sleep_late(way);
}

static void sleep_sampler(__u64 period, unsigned int way)
{
	__u64 total = 2 * period - 1, value;
	struct ring ring;
	int fd, i;

	fd = open_sampling(period, &ring);
	inject(period);
	inject(period - 1);
	suspend_late(way);
	stimulus_hold(stimulus, false);
	for (i = 0; i < 5; i++)
		inject(period);
	total += 5 * period;
	value = value_of(fd);
	expect_count("a sampler after a sleep", total, LATE, value);
	expect_samples(&ring, period, 0, value);
	stimulus_set_delay(stimulus, 0);
	ring_close(&ring);
	close(fd);
}

TEST_F_TIMEOUT(late, sampler_asleep, SLOW)
{
	unsigned int way;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	if (!can_sample(machine))
		SKIP(return, "this PMU does not sample");
	occupy_others();
	for (way = 0; way < SLEEPS; way++) {
		sleep_sampler(1, way);
		sleep_sampler(1000, way);
	}
}

/*
 * A counter counts on although it was stopped, as on hardware with an erratum that the kernel does
 * not know, and wraps: the next events on it count from where they start.
 */
static void start_after_more(__u64 number, bool sampler)
{
	struct perf_event_attr attr = sampling_attr(PERIOD);
	int fd = must_open_leader(pmu->event), i;

	stimulus_set_delay(stimulus, 0x40000000);
	inject(7);
	EXPECT_EQ(7, value_of(fd));
	close(fd);
	inject(number);
	attr.sample_period = sampler ? 0x1000000 : 0;
	fd = must_open_attr(&attr, -1);
	stimulus_set_delay(stimulus, 0);
	EXPECT_EQ(0, value_of(fd))
		TH_LOG("after %llu, sampler %u", number, sampler);
	for (i = 1; i <= 4; i++) {
		inject(1000);
		EXPECT_EQ(1000 * i, value_of(fd))
			TH_LOG("after %llu, sampler %u", number, sampler);
	}
	close(fd);
}

TEST_F_TIMEOUT(late, counts_without_end, SLOW)
{
	unsigned int sampler;

	occupy_others();
	for (sampler = 0; sampler <= can_sample(machine); sampler++) {
		start_after_more(0x100000, sampler);
		if (hardware->bits == 32)
			start_after_more(0xf0000000, sampler);
	}
}

/* How many times the counter is written for a sampling event, @distance events before a carry. */
static __u64 writes_near_a_carry(__u32 distance)
{
	const __u32 delay = 2;
	__u32 offset;
	__u64 writes;
	int counter, fd;

	fd = must_open_leader(pmu->event);
	counter = must_find_counter(pmu->event);
	/* Not a carry out of the upper half, which is an overflow. */
	if (pmu_counter(stimulus, hardware, counter) >> (hardware->bits - 1))
		inject(1ULL << (hardware->bits - 1));
	inject((-distance - pmu_counter(stimulus, hardware, counter)) & 0xffffffff);
	offset = pmu_counter_register(hardware, counter);
	writes = stimulus_writes(stimulus, offset);
	stimulus_set_delay(stimulus, delay);
	close(fd);
	/* The late events occur when the counter is about to be set. */
	stimulus_precede(stimulus, offset, pmu->event, SOURCE, delay);
	fd = must_open_leader(pmu->other_event);
	EXPECT_EQ(writes, stimulus_writes(stimulus, offset));
	close(fd);
	sample_next(0, 0);
	EXPECT_EQ(0, stimulus_to_come(stimulus));
	stimulus_set_delay(stimulus, 0);
	return stimulus_writes(stimulus, offset) - writes;
}

/*
 * A carry between the writes of the two halves would add a whole upper half. So a counter that may
 * still count and is near a carry is set to zero first.
 */
TEST_F_TIMEOUT(late, carry_while_a_sampler_is_set, SLOW)
{
	__u64 far, near;

	if (!can_sample(machine))
		SKIP(return, "this PMU does not sample");
	if (hardware->bits <= 32)
		SKIP(return, "counters of this PMU have no halves");
	occupy_others();
	far = writes_near_a_carry(0x10000000);
	near = writes_near_a_carry(1);
	EXPECT_EQ(far + hardware->counter_writes, near)
		TH_LOG("written %llu times, near a carry %llu times", far, near);
	EXPECT_EQ(near, writes_near_a_carry(0x8000));
}

TEST_HARNESS_MAIN
