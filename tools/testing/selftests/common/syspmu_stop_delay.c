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

/* An event stops while its counter is about to wrap, and another one uses the counter next. */
static void stop_late(bool hold, bool after)
{
	__u64 to_come = after ? LATE : 0, total = 100;
	int fd = must_open_leader(pmu->event), other;

	inject(total);
	total += fill_up();
	stimulus_hold(stimulus, hold);
	stimulus_set_delay(stimulus, LATE);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	inject(LATE - to_come);
	expect_count("while it stands", total, value_of(fd));
	other = must_open_leader(pmu->other_event);
	inject(to_come);
	inject_other(10);
	stimulus_hold(stimulus, false);
	inject_other(10);
	expect_count("an event after it", 20, value_of(other));
	expect_exact_growth(pmu->other_event, other);
	close(other);
	close(fd);
	stimulus_set_delay(stimulus, 0);
}

TEST_F_TIMEOUT(late, then_another_event, SLOW)
{
	unsigned int way;

	occupy_others();
	for (way = 0; way < 4; way++)
		stop_late(way & 1, way & 2);
}

/* How many times the counter is written for a sampling event, @distance events before a carry. */
static __u64 writes_near_a_carry(__u32 distance)
{
	struct ring_tally tally = { 0 };
	const __u32 delay = 2;
	int counter, fd, i;
	struct ring ring;
	__u32 offset;
	__u64 writes;

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
	fd = open_sampling(100, &ring);
	for (i = 0; i < 7; i++)
		inject(50);
	expect_count("a sampler after it", 350, value_of(fd));
	EXPECT_EQ(3, samples(&ring, fd, &tally));
	ring_close(&ring);
	close(fd);
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

