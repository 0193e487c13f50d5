// SPDX-License-Identifier: GPL-2.0
/*
 * Counters wider than 32 bits if 64-bit reads are not atomic, which the architecture permits (IHI
 * 0070 §10.5): a carry from the lower half to the upper during a read must not affect the count.
 */
#include <pthread.h>

#include "fixture.h"

/* Counters of 32 bits are read at once. */
static bool has_wide_counters(const struct machine *machine)
{
	return machine->hardware.bits > 32;
}

PMU_FIXTURE(wide, has_wide_counters, true)

/* Brings the lower half of the counter to a few events before its carry. */
static __u64 approach_carry(unsigned int counter, __u32 distance)
{
	__u32 low = pmu_counter(stimulus, hardware, counter);
	__u32 number = -distance - low;

	if (number)
		inject(number);
	return number;
}

/* Whether the event must be restarted because its counter is near its overflow. */
static bool must_start_over(unsigned int counter)
{
	return pmu_counter(stimulus, hardware, counter) >>
	       (hardware->bits - 2) == 3;
}

TEST_F(wide, carry_within_a_read)
{
	__u64 before, value, truth;
	unsigned int round;
	int fd, counter;

	fd = must_open(pmu->event, -1);
	counter = must_find_counter(pmu->event);
	truth = 0;
	for (round = 0; round < 100; round++) {
		if (must_start_over(counter)) {
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		}
		truth += approach_carry(counter, 3);
		before = pmu_counter(stimulus, hardware, counter);
		stimulus_tear(stimulus, pmu->event, SOURCE, 5 + round);
		value = pmu_value(fd);
		stimulus_tear(stimulus, 0, 0, 0);
		/* Before all of the events or after all of them. */
		if (value != truth) {
			EXPECT_EQ(truth + 5 + round, value)
				TH_LOG("round %u", round);
		}
		truth += (pmu_counter(stimulus, hardware, counter) - before) &
			 (~0ULL >> (64 - hardware->bits));
		EXPECT_LE(value, truth);
		ASSERT_EQ(truth, pmu_value(fd));
	}
}

/* The same when the event is stopped during the carry. */
TEST_F(wide, carry_within_a_stop)
{
	unsigned int round;
	__u64 truth = 0, value;
	int fd, counter;

	fd = must_open(pmu->event, -1);
	for (round = 0; round < 100; round++) {
		counter = must_find_counter(pmu->event);
		truth += approach_carry(counter, 2);
		stimulus_tear(stimulus, pmu->event, SOURCE, 7);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		stimulus_tear(stimulus, 0, 0, 0);
		value = pmu_value(fd);
		if (value != truth) {
			ASSERT_EQ(truth + 7, value)
				TH_LOG("round %u", round);
		}
		truth = value;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	}
}

/*
 * A carry between the halves that the driver reads separately: events occur before each access, and
 * those of the third access after the 64-bit read make the lower half carry.
 */
TEST_F(wide, carry_between_halves)
{
	__u64 total = 0, value, reads, distance;
	/* If both halves can be read at once, this is done first. */
	unsigned int round, first = hardware->halves ? 0 : 1;
	const __u64 batch = 0x1000;
	int fd, counter;

	if (hardware->atomic)
		SKIP(return, "both halves of a counter of this PMU are read at one instant");
	fd = must_open(pmu->event, -1);
	counter = must_find_counter(pmu->event);
	for (round = 0; round < 8; round++) {
		/* No overflow of the whole counter in between. */
		if (pmu_counter(stimulus, hardware, counter) >> 32 ==
		    (1ULL << (hardware->bits - 32)) - 1) {
			total += inject(1ULL << 32);
		}
		/* The high, the low and the high half once more. */
		distance = -(pmu_counter(stimulus, hardware, counter) +
			     (first + 2) * batch + batch / 2) & 0xffffffff;
		total += inject(distance);
		reads = pmu_counter_reads(stimulus, hardware);
		stimulus_step(stimulus, pmu->event, SOURCE, batch);
		value = pmu_value(fd);
		stimulus_step(stimulus, pmu->event, SOURCE, 0);
		reads = pmu_counter_reads(stimulus, hardware) - reads;
		/* The value is that of the low half, which is the last read but one. */
		EXPECT_EQ(first + 5, reads);
		EXPECT_EQ(total + (reads - 1) * batch, value);
		total += reads * batch;
	}
	EXPECT_EQ(total, pmu_value(fd));
}

/* No hardware counts so fast, but a driver that waits for it, with interrupts off, hangs. */
TEST_F(wide, upper_half_that_always_changes)
{
	const __u64 carry = 1ULL << 32;
	unsigned int first = hardware->halves ? 0 : 1;
	__u64 total, reads, value;
	int fd;

	if (hardware->atomic)
		SKIP(return, "both halves of a counter of this PMU are read at one instant");
	if (hardware->bits < 48)
		SKIP(return, "counters of this PMU would wrap");
	fd = must_open(pmu->event, -1);
	/* Near a carry, all read both halves. */
	total = approach_carry(must_find_counter(pmu->event), 3);
	reads = pmu_counter_reads(stimulus, hardware);
	stimulus_step(stimulus, pmu->event, SOURCE, carry);
	value = pmu_value(fd);
	stimulus_step(stimulus, pmu->event, SOURCE, 0);
	reads = pmu_counter_reads(stimulus, hardware) - reads;
	EXPECT_EQ(first + 1 + 2 * 1000, reads);
	EXPECT_EQ(total + reads * carry, value);
	EXPECT_EQ(value, pmu_value(fd));
}

/* Single events from another CPU, until after the carry. */
struct passage {
	struct stimulus *stimulus;
	pthread_barrier_t barrier;
	int cpu;
	bool stop;
	__u64 begun;
	__u64 done;
};

#define PASSAGE_LENGTH	16

static void *run_passages(void *argument)
{
	struct passage *passage = argument;
	int i;

	cpu_pin(passage->cpu);
	for (;;) {
		pthread_barrier_wait(&passage->barrier);
		if (passage->stop)
			return NULL;
		for (i = 0; i < PASSAGE_LENGTH; i++) {
			__atomic_add_fetch(&passage->begun, 1, __ATOMIC_SEQ_CST);
			stimulus_repeat(passage->stimulus, 1);
			/* The store has taken effect when a later read of the page returns. */
			stimulus_edges(passage->stimulus);
			__atomic_add_fetch(&passage->done, 1, __ATOMIC_SEQ_CST);
		}
		pthread_barrier_wait(&passage->barrier);
	}
}

TEST_F_TIMEOUT(wide, carry_from_another_cpu, SLOW)
{
	struct passage passage = { .stimulus = stimulus };
	__u64 before, value, after, far = 0;
	unsigned int round;
	pthread_t thread;
	int fd, counter;

	passage.cpu = cpu_other_than(pmu->cpu);
	if (passage.cpu < 0)
		SKIP(return, "there is only one CPU");
	fd = must_open(pmu->event, -1);
	counter = must_find_counter(pmu->event);
	ASSERT_EQ(0, pthread_barrier_init(&passage.barrier, NULL, 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_passages, &passage));

	for (round = 1; round <= 300; round++) {
		if (must_start_over(counter)) {
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		}
		far += approach_carry(counter, PASSAGE_LENGTH / 2);
		stimulus_prepare(stimulus, pmu->event, SOURCE);
		pthread_barrier_wait(&passage.barrier);
		do {
			before = far + __atomic_load_n(&passage.done, __ATOMIC_SEQ_CST);
			value = pmu_value(fd);
			after = far + __atomic_load_n(&passage.begun, __ATOMIC_SEQ_CST);
			ASSERT_LE(before, value)
				TH_LOG("round %u", round);
			ASSERT_LE(value, after)
				TH_LOG("round %u", round);
		} while (before != far + round * PASSAGE_LENGTH);
		pthread_barrier_wait(&passage.barrier);
	}
	passage.stop = true;
	pthread_barrier_wait(&passage.barrier);
	pthread_join(thread, NULL);
	EXPECT_EQ(far + 300 * PASSAGE_LENGTH, pmu_value(fd));
}

TEST_HARNESS_MAIN
