// SPDX-License-Identifier: GPL-2.0
/*
 * A counter that is stopped may count a few more events, since changes may take effect late (of a
 * PMCG: IHI 0070 §10.2). So it can wrap after its event has been read for the last time, and its
 * interrupt arrives when another event uses the counter, or none. A count may include late events,
 * but is never wrong by a range of the counter.
 */
#include "sampling_fixture.h"

/* Events that come after a counter was stopped */
#define LATE		3
/* So that a PMU with 64 counters does not take as long as all others. */
#define MAX_OTHERS	8

static bool has_few_counters(const struct machine *machine)
{
	return machine->hardware.counters <= MAX_OTHERS + 1;
}

PMU_FIXTURE(late, has_few_counters, true)

/* What uses the counter next */
enum next { AGAIN, OTHER, SAMPLER };

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

/* Checks that samples lack less than a period. */
static void expect_samples(struct ring *ring, __u64 period, __u64 value)
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
	EXPECT_GE(period, value - sum)
		TH_LOG("%#llx in samples of %#llx", sum, value);
}

/* Checks a count that may include late events. */
static void expect_count(const char *what, __u64 exact, __u64 value)
{
	EXPECT_LE(exact, value)
		TH_LOG("%s: %#llx of %#llx", what, value, exact);
	EXPECT_GE(LATE, value - exact)
		TH_LOG("%s: %#llx of %#llx", what, value, exact);
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
static void sample_next(__u64 to_come)
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
	expect_count("a sampler after it", number, value);
	expect_samples(&ring, period, value);
	ring_close(&ring);
	close(fd);
}

static void other_next(__u64 to_come)
{
	int fd = must_open_leader(pmu->other_event);

	inject(to_come);
	inject_other(10);
	stimulus_hold(stimulus, false);
	inject_other(10);
	expect_count("an event after it", 20, value_of(fd));
	expect_exact_growth(pmu->other_event, fd);
	close(fd);
}

static void again_next(int fd, __u64 total, __u64 to_come)
{
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	inject(10 + to_come);
	stimulus_hold(stimulus, false);
	inject(10);
	expect_count("the event again", total + 20 + to_come, value_of(fd));
	expect_exact_growth(pmu->event, fd);
}

/* An event stops while its counter is about to wrap. */
static void stop_late(enum next next, bool hold, bool after)
{
	__u64 to_come = after ? LATE : 0;
	__u64 total = 100;
	int fd = must_open_leader(pmu->event);

	inject(total);
	total += fill_up();
	stimulus_hold(stimulus, hold);
	stimulus_set_delay(stimulus, LATE);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	inject(LATE - to_come);
	expect_count("while it stands", total, value_of(fd));
	switch (next) {
	case AGAIN:
		again_next(fd, total, to_come);
		break;
	case OTHER:
		other_next(to_come);
		break;
	default:
		sample_next(to_come);
	}
	close(fd);
	stimulus_hold(stimulus, false);
	stimulus_set_delay(stimulus, 0);
}

static void stop_late_and_then(enum next next)
{
	unsigned int way;

	occupy_others();
	for (way = 0; way < 4; way++)
		stop_late(next, way & 1, way & 2);
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

/*
 * Late events of a suspend occur before one of the writes after the one that stops all counting;
 * with the interrupt handled at once or late.
 */
#define SLEEPS	(2 * ARRAY_SIZE(((struct pmu_hardware *)NULL)->sleep_writes))
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
	expect_count("after a sleep", total, value_of(fd));
	inject(10);
	stimulus_hold(stimulus, false);
	inject(10);
	expect_count("some time after a sleep", total + 20, value_of(fd));
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
	sample_next(0);
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

