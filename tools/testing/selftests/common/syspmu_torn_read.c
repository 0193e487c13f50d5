// SPDX-License-Identifier: GPL-2.0
/*
 * Counters wider than 32 bits if 64-bit reads are not atomic, which the architecture permits (IHI
 * 0070 §10.5): a carry from the lower half to the upper during a read must not affect the count.
 */
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

TEST_HARNESS_MAIN
