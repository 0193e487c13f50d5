// SPDX-License-Identifier: GPL-2.0
/* Overflows whose interrupt is late, or arrives after the event was closed. */
#include "fixture.h"
#include "device.h"
#include "platform.h"

static __u64 half(const struct machine *machine)
{
	return 1ULL << (machine->hardware.bits - 1);
}

/*
 * Makes the counter overflow once with the interrupt handled, so that its previous value is known.
 */
static __u64 overflow_once(struct machine *machine, unsigned int event)
{
	stimulus_inject(&machine->stimulus, event, SOURCE, half(machine) + 1);
	return half(machine) + 1;
}

static __u64 to_overflow(struct machine *machine, int counter)
{
	return -pmu_counter(&machine->stimulus, &machine->hardware, counter) &
	       (2 * half(machine) - 1);
}

/* In two steps, each of which is less than the range of any counter. */
static __u64 inject_in_two(struct machine *machine, __u64 number)
{
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, number / 2);
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, number - number / 2);
	return number;
}

TEST_F(interrupting, read_while_the_interrupt_is_late)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	const struct pmu_hardware *hardware = &self->machine.hardware;
	__u64 total, edges;
	unsigned int round;
	int fd, counter;

	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.event);
	ASSERT_LE(0, counter);
	total = overflow_once(&self->machine, self->machine.pmu.event);
	for (round = 0; round < 50; round++) {
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		stimulus_hold(stimulus, true);
		edges = stimulus_edges(stimulus);
		total += inject_in_two(&self->machine, to_overflow(&self->machine, counter));
		/* MSIs do not change the edge count, and a timer may handle those that are late. */
		if (!hardware->msi)
			EXPECT_LT(edges, stimulus_edges(stimulus));
		EXPECT_EQ(total, pmu_value(fd));
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE, 12345 + round);
		total += 12345 + round;
		EXPECT_EQ(total, pmu_value(fd));
		stimulus_hold(stimulus, false);
		EXPECT_EQ(total, pmu_value(fd));
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
	}
}

/* Makes the counter overflow with the interrupt handled, and advances it by a few events. */
static __u64 just_after_overflow(struct machine *machine, int counter, unsigned int further)
{
	return inject_in_two(machine, to_overflow(machine, counter)) +
	       inject_in_two(machine, further);
}

/*
 * When the counter is read again, it is beyond its last value and its interrupt is still pending:
 * only the overflow status indicates that it has wrapped.
 */
TEST_F(interrupting, read_a_whole_round_later)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	const struct pmu_hardware *hardware = &self->machine.hardware;
	unsigned int round;
	__u64 total = 0;
	int fd, counter;

	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.event);
	ASSERT_LE(0, counter);
	for (round = 0; round < 20; round++) {
		total += just_after_overflow(&self->machine, counter, round);
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		stimulus_hold(stimulus, true);
		total += inject_in_two(&self->machine, half(&self->machine));
		total += inject_in_two(&self->machine, half(&self->machine));
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, where it was", round);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE, 1 + round);
		total += 1 + round;
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, past where it was", round);
		stimulus_hold(stimulus, false);
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, after the interrupt", round);
	}
}

/*
 * The counter wraps once more after the handler has cleared the overflow status and before the
 * counters are captured: that overflow causes its own interrupt.
 */
TEST_F(interrupting, overflow_between_status_and_capture)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	const struct pmu_hardware *hardware = &self->machine.hardware;
	__u32 capture = hardware->take_capture;
	unsigned int round;
	int fd, counter;
	__u64 total;

	if (!hardware->capture || hardware->counters < 2)
		SKIP(return, "this PMU cannot capture or has only one counter");
	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	must_open(_metadata, &self->machine.pmu, self->machine.pmu.other_event, -1);
	counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.event);
	ASSERT_LE(0, counter);
	total = overflow_once(&self->machine, self->machine.pmu.event);
	for (round = 0; round < 20; round++) {
		stimulus_hold(stimulus, true);
		total += inject_in_two(&self->machine, to_overflow(&self->machine, counter));
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		total += inject_in_two(&self->machine, half(&self->machine));
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		stimulus_precede(stimulus, capture, self->machine.pmu.event, SOURCE,
				 half(&self->machine));
		stimulus_hold(stimulus, false);
		/* A timer that polls because of MSIs may have handled it first. */
		total += half(&self->machine) - stimulus_to_come(stimulus);
		if (!hardware->msi)
			EXPECT_EQ(0, stimulus_to_come(stimulus));
		stimulus_precede(stimulus, capture, self->machine.pmu.event, SOURCE, 0);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE, 1 + round);
		total += 1 + round;
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, after the interrupt", round);
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
	}
}

/* A counter that has just overflowed must not use the overflow status of another one. */
TEST_F(interrupting, overflow_of_another_counter)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	const struct pmu_hardware *hardware = &self->machine.hardware;
	__u64 number, total = 0, other_total = 0;
	int fd, other, counter, other_counter;
	unsigned int round;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	other = must_open(_metadata, &self->machine.pmu, self->machine.pmu.other_event, -1);
	counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.event);
	ASSERT_LE(0, counter);
	other_counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.other_event);
	ASSERT_LE(0, other_counter);
	for (round = 0; round < 10; round++) {
		total += just_after_overflow(&self->machine, counter, round);
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		/* So that it is not a whole range away from its next overflow. */
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE, 1);
		stimulus_hold(stimulus, true);
		number = to_overflow(&self->machine, other_counter);
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE, number);
		other_total += 1 + number;
		EXPECT_EQ(1ULL << other_counter, pmu_overflow_status(stimulus, hardware));
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE, 1);
		total++;
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, while the other counter has overflowed", round);
		stimulus_hold(stimulus, false);
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, after the interrupt", round);
		EXPECT_EQ(other_total, pmu_value(other))
			TH_LOG("round %u, the other counter", round);
	}
}

/* Not read until the interrupt is handled, far beyond the overflow, up to a whole range. */
TEST_F(interrupting, interrupt_almost_a_whole_round_later)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	const struct pmu_hardware *hardware = &self->machine.hardware;
	unsigned int round;
	__u64 total = 0;
	int fd, counter;

	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.event);
	ASSERT_LE(0, counter);
	for (round = 0; round < 20; round++) {
		stimulus_hold(stimulus, true);
		total += inject_in_two(&self->machine, to_overflow(&self->machine, counter));
		total += inject_in_two(&self->machine, half(&self->machine));
		total += inject_in_two(&self->machine, half(&self->machine) - 1 - round);
		stimulus_hold(stimulus, false);
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
	}
}

/* The same, but the event stops before the interrupt: no later read can add the range. */
TEST_F(interrupting, stop_a_whole_round_later)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	const struct pmu_hardware *hardware = &self->machine.hardware;
	unsigned int round;
	__u64 total = 0;
	int fd, counter;

	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	for (round = 0; round < 20; round++) {
		counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.event);
		ASSERT_LE(0, counter);
		total += just_after_overflow(&self->machine, counter, round);
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		stimulus_hold(stimulus, true);
		total += inject_in_two(&self->machine, half(&self->machine));
		total += inject_in_two(&self->machine, half(&self->machine) + round);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		stimulus_hold(stimulus, false);
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	}
	EXPECT_EQ(total, pmu_value(fd));
}

/* Events up to the overflow, then more, and only then the interrupt. */
static void overflow_late(struct __test_metadata *_metadata, struct machine *machine,
			  __u64 after_overflow, bool read_between)
{
	const struct pmu_hardware *hardware = &machine->hardware;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int round;
	int fd, counter;
	__u64 total;

	fd = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	counter = pmu_counter_of_event(stimulus, hardware, machine->pmu.event);
	ASSERT_LE(0, counter);
	total = overflow_once(machine, machine->pmu.event);
	for (round = 0; round < 20; round++) {
		stimulus_hold(stimulus, true);
		total += inject_in_two(machine, to_overflow(machine, counter));
		total += inject_in_two(machine, after_overflow - round);
		stimulus_hold(stimulus, false);
		if (read_between) {
			ASSERT_EQ(total, pmu_value(fd))
				TH_LOG("round %u", round);
		}
	}
	EXPECT_EQ(total, pmu_value(fd));
	close(fd);
}

/* Not read: half the range passes between the overflow and the interrupt. */
TEST_F(interrupting, half_the_range_passes_unread)
{
	overflow_late(_metadata, &self->machine, half(&self->machine) - 2, false);
	overflow_late(_metadata, &self->machine, half(&self->machine) - 2, true);
}

/* The same with almost the whole range. */
TEST_F(interrupting, almost_the_whole_range_passes_unread)
{
	overflow_late(_metadata, &self->machine, 2 * half(&self->machine) - 1, false);
	overflow_late(_metadata, &self->machine, 2 * half(&self->machine) - 1, true);
}

/* The event is closed and its counter free when its interrupt arrives. */
TEST_F(interrupting, closed_before_the_interrupt)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int round;
	int fd;

	for (round = 0; round < 20; round++) {
		fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
		stimulus_hold(stimulus, true);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE,
				half(&self->machine) + 1);
		EXPECT_EQ(half(&self->machine) + 1, pmu_value(fd));
		close(fd);
		stimulus_hold(stimulus, false);

		fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
		EXPECT_EQ(0, pmu_value(fd));
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE, 5 + round);
		EXPECT_EQ(5 + round, pmu_value(fd));
		close(fd);
	}
}

/* The kernel's count of unhandled interrupts. */
static void read_unhandled(struct __test_metadata *_metadata, int irq, char *text, size_t size)
{
	char *unhandled;

	ASSERT_EQ(0, irq_attribute(irq, "spurious", text, size));
	unhandled = strstr(text, "unhandled");
	ASSERT_NE(NULL, unhandled)
		TH_LOG("%s", text);
	memmove(text, unhandled, strlen(unhandled) + 1);
}

/* The handler only claims an interrupt if a counter has overflowed: the line may be shared. */
TEST_F(interrupting, interrupt_without_an_overflow_is_not_its_own)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	char before[128], after[128];
	unsigned int round;
	int fd, irq;

	/* An MSI is not shared, and is always claimed. */
	if (pmu_interrupt_is(&self->machine.pmu, "msi"))
		SKIP(return, "this PMU sends MSIs");
	if (device_has_level_interrupt(self->machine.pmu.device))
		SKIP(return, "the level of this PMU ends with the overflow status");
	irq = irq_of_device(self->machine.pmu.device);
	ASSERT_LE(0, irq)
		TH_LOG("no interrupt of %s", self->machine.pmu.device);
	for (round = 0; round < 3; round++) {
		fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
		read_unhandled(_metadata, irq, before, sizeof(before));
		overflow_once(&self->machine, self->machine.pmu.event);
		overflow_once(&self->machine, self->machine.pmu.event);
		EXPECT_EQ(2 * half(&self->machine) + 2, pmu_value(fd));
		read_unhandled(_metadata, irq, after, sizeof(after));
		EXPECT_STREQ(before, after);

		stimulus_hold(stimulus, true);
		overflow_once(&self->machine, self->machine.pmu.event);
		pmu_value(fd);
		overflow_once(&self->machine, self->machine.pmu.event);
		close(fd);
		EXPECT_EQ(0, pmu_overflow_status(stimulus, &self->machine.hardware));
		stimulus_hold(stimulus, false);
		read_unhandled(_metadata, irq, after, sizeof(after));
		EXPECT_NE(0, strcmp(before, after))
			TH_LOG("still \"%s\"", after);
	}
}

/* Closing an event clears its own overflow status, and no other. */
TEST_F(interrupting, closed_beside_another_overflow)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	struct stimulus *stimulus = &self->machine.stimulus;
	int fd, other, counter, other_counter;
	__u64 number, total = 0;
	unsigned int round;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	other = pmu_open_pinned(&self->machine.pmu, self->machine.pmu.other_event);
	ASSERT_LE(0, other);
	other_counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.other_event);
	ASSERT_LE(0, other_counter);
	for (round = 0; round < 10; round++) {
		fd = pmu_open_pinned(&self->machine.pmu, self->machine.pmu.event);
		ASSERT_LE(0, fd);
		counter = pmu_counter_of_event(stimulus, hardware, self->machine.pmu.event);
		ASSERT_LE(0, counter);
		/* So that neither is a whole range away from its next overflow. */
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE, 1);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE, 1);
		ASSERT_EQ(1, pmu_value(fd));
		stimulus_hold(stimulus, true);
		number = to_overflow(&self->machine, other_counter);
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE, number);
		total += 1 + number;
		inject_in_two(&self->machine, to_overflow(&self->machine, counter));
		EXPECT_EQ(1ULL << counter | 1ULL << other_counter,
			  pmu_overflow_status(stimulus, hardware));
		close(fd);
		EXPECT_EQ(1ULL << other_counter, pmu_overflow_status(stimulus, hardware));
		stimulus_hold(stimulus, false);
		EXPECT_EQ(total, pmu_value(other))
			TH_LOG("round %u", round);
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
	}
}

/* The interrupt of the old event arrives when a new one uses its counter. */
TEST_F_TIMEOUT(interrupting, reopened_before_the_interrupt, SLOW)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int n, round;
	int fds[PMU_MAX_COUNTERS];

	for (round = 0; round < 20; round++) {
		for (n = 0; n < hardware->counters; n++)
			fds[n] = must_open(_metadata, &self->machine.pmu,
					   self->machine.pmu.event, -1);
		stimulus_hold(stimulus, true);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE,
				half(&self->machine) + 1);
		for (n = 0; n < hardware->counters; n++)
			close(fds[n]);
		for (n = 0; n < hardware->counters; n++)
			fds[n] = must_open(_metadata, &self->machine.pmu,
					   self->machine.pmu.other_event,
					   -1);
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE, 3);
		stimulus_hold(stimulus, false);
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE, 4 + round);
		for (n = 0; n < hardware->counters; n++) {
			EXPECT_EQ(7 + round, pmu_value(fds[n]))
				TH_LOG("round %u, event %u", round, n);
			close(fds[n]);
		}
	}
}

/*
 * The status of the old event must not be mistaken for an overflow of the new one: that would add a
 * whole range that was never counted, whenever the driver reads.
 */
TEST_F(interrupting, reopened_and_overflowing_before_the_interrupt)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int round;
	__u64 total;
	int fd;

	for (round = 0; round < 20; round++) {
		fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
		stimulus_hold(stimulus, true);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE,
				half(&self->machine) + 1);
		close(fd);
		fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.other_event, -1);
		EXPECT_EQ(0, pmu_value(fd));
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE, 1);
		EXPECT_EQ(1, pmu_value(fd));
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE,
				half(&self->machine));
		total = 1 + half(&self->machine);
		if (round % 2) {
			EXPECT_EQ(total, pmu_value(fd))
				TH_LOG("round %u", round);
		}
		stimulus_hold(stimulus, false);
		EXPECT_EQ(total, pmu_value(fd));
		stimulus_inject(stimulus, self->machine.pmu.other_event, SOURCE,
				half(&self->machine) + 1);
		EXPECT_EQ(total + half(&self->machine) + 1, pmu_value(fd));
		close(fd);
	}
}

TEST_F(interrupting, disabled_before_the_interrupt)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	__u64 total = 0;
	unsigned int round;
	int fd;

	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	for (round = 0; round < 20; round++) {
		stimulus_hold(stimulus, true);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE,
				half(&self->machine) + 1);
		total += half(&self->machine) + 1;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(total, pmu_value(fd));
		if (round % 2)
			stimulus_hold(stimulus, false);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		stimulus_hold(stimulus, false);
		EXPECT_EQ(total, pmu_value(fd));
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE, 9);
		total += 9;
		EXPECT_EQ(total, pmu_value(fd));
		if (round % 5 == 4) {
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
			EXPECT_EQ(0, pmu_value(fd));
			total = 0;
		}
	}
}

/* One interrupt for many overflows: all counters, one of which is closed meanwhile. */
TEST_F(interrupting, one_late_interrupt_for_all_counters)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int n, round, victim;
	__u64 totals[PMU_MAX_COUNTERS] = { 0 };
	int fds[PMU_MAX_COUNTERS];

	for (n = 0; n < hardware->counters; n++)
		fds[n] = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event,
				   -1);
	for (round = 0; round < 20; round++) {
		stimulus_hold(stimulus, true);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE,
				half(&self->machine) + 1);
		for (n = 0; n < hardware->counters; n++)
			totals[n] += half(&self->machine) + 1;
		victim = round * 7 % hardware->counters;
		close(fds[victim]);
		fds[victim] = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event,
					-1);
		totals[victim] = 0;
		stimulus_hold(stimulus, false);
		stimulus_inject(stimulus, self->machine.pmu.event, SOURCE, round);
		for (n = 0; n < hardware->counters; n++) {
			totals[n] += round;
			ASSERT_EQ(totals[n], pmu_value(fds[n]))
				TH_LOG("round %u, event %u", round, n);
		}
	}
}

TEST_HARNESS_MAIN
