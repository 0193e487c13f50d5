// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs without an interrupt: a timer of the driver detects that counters wrap. The tests wait for
 * that; if a driver never does, they time out.
 */
#include "fixture.h"

/* Counters of 64 bits do not wrap. */
static bool is_polled(const struct machine *machine)
{
	return !reference_has(&machine->pmu, REFERENCE_NEVER_POLLS) && !has_interrupt(machine) &&
	       machine->hardware.bits < 64;
}

FIXTURE(polled) {
	struct machine machine;
};

PMU_VARIANTS(polled, is_polled)

FIXTURE_SETUP(polled)
{
	cpu_all_online();
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
}

FIXTURE_TEARDOWN(polled)
{
	cpu_all_online();
	machine_teardown(_metadata, &self->machine);
}

static void wait_until_noticed(struct machine *machine)
{
	while (pmu_overflow_status(&machine->stimulus, &machine->hardware))
		usleep(1000);
}

static __u64 inject_and_wait(struct machine *machine)
{
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, over_half(machine));
	wait_until_noticed(machine);
	return over_half(machine);
}

TEST_F(polled, says_so)
{
	EXPECT_TRUE(pmu_interrupt_is(&self->machine.pmu, "timer"));
	EXPECT_FALSE(self->machine.pmu.family->raises_irq(&self->machine.stimulus));
}

/* The counter wraps several times without a read. */
TEST_F_TIMEOUT(polled, wraps_unread, SLOW)
{
	__u64 total = 0;
	unsigned int i;
	int fd;

	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	for (i = 0; i < 12; i++)
		total += inject_and_wait(&self->machine);
	EXPECT_EQ(total, pmu_value(fd));
}

/* Read before and after the timer has detected it. */
TEST_F_TIMEOUT(polled, wraps_read_at_once, SLOW)
{
	struct machine *machine = &self->machine;
	__u64 total = 0, step = over_half(machine);
	unsigned int i;
	int fd;

	fd = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	for (i = 0; i < 1000; i++) {
		stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, step - i);
		total += step - i;
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", i);
		if (i % 250 == 249)
			wait_until_noticed(machine);
	}
	EXPECT_EQ(total, pmu_value(fd));
}

TEST_F_TIMEOUT(polled, all_counters_wrap, SLOW)
{
	unsigned int i, n, number = self->machine.hardware.counters;
	__u64 values[PMU_MAX_COUNTERS], total = 0;
	int leader;

	leader = must_open_leader(_metadata, &self->machine.pmu, self->machine.pmu.event);
	for (n = 1; n < number; n++)
		must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, leader);
	for (i = 0; i < 6; i++)
		total += inject_and_wait(&self->machine);
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	for (n = 0; n < number; n++) {
		EXPECT_EQ(total, values[n])
			TH_LOG("event %u", n);
	}
}

/* Stopped, closed and started again before the timer expires. */
TEST_F(polled, stopped_before_the_timer)
{
	struct machine *machine = &self->machine;
	__u64 total = 0, step = over_half(machine);
	unsigned int i;
	int fd, other;

	fd = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	for (i = 0; i < 200; i++) {
		stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, step);
		total += step;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, step);
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", i);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));

		other = must_open(_metadata, &machine->pmu, machine->pmu.other_event, -1);
		stimulus_inject(&machine->stimulus, machine->pmu.other_event, SOURCE, step);
		close(other);
		other = must_open(_metadata, &machine->pmu, machine->pmu.other_event, -1);
		stimulus_inject(&machine->stimulus, machine->pmu.other_event, SOURCE, 3);
		EXPECT_EQ(3, pmu_value(other));
		close(other);
	}
	EXPECT_EQ(total, pmu_value(fd));
}

/* A stop before the timer expires detects that a whole range has passed. */
TEST_F(polled, a_whole_range_before_a_stop)
{
	struct machine *machine = &self->machine;
	__u64 total = 0, range = 2 * (over_half(machine) - 1);
	unsigned int i;
	int fd;

	fd = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	/* From any position in the range. */
	for (i = 0; i < 32; i++) {
		stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, range);
		total += range;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, pmu_overflow_status(&machine->stimulus, &machine->hardware));
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", i);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, range / 16);
		total += range / 16;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(total, pmu_value(fd));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	}
}

/* The timer moves with the PMU. */
TEST_F_TIMEOUT(polled, goes_along_with_the_cpu, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	__u64 total = 0;
	unsigned int i;
	int fd, gone;

	if (cpu_other_than(pmu->cpu) < 0 || !cpu_can_go_offline(pmu->cpu))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	fd = must_open(_metadata, pmu, pmu->event, -1);
	for (i = 0; i < 3; i++) {
		gone = pmu->cpu;
		total += inject_and_wait(machine);
		ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmu_follow(pmu));
		total += inject_and_wait(machine);
		total += inject_and_wait(machine);
		ASSERT_EQ(0, cpu_set_online(gone, true));
		total += inject_and_wait(machine);
		EXPECT_EQ(total, pmu_value(fd));
	}
}

/* Without events there are no accesses. */
TEST_F(polled, quiet_without_events)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	__u64 accesses;
	int fd;

	fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	inject_and_wait(&self->machine);
	close(fd);
	accesses = all_accesses(stimulus);
	/* Any time is correct; a longer one also finds slower timers. */
	usleep(500000);
	EXPECT_EQ(accesses, all_accesses(stimulus));
}

/* Nor are there any after the timer or a read has found that the PMU does not respond. */
TEST_F_TIMEOUT(polled, quiet_when_it_has_gone, SLOW)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct pmu *pmu = &machine->pmu;
	unsigned int round;
	__u64 accesses;
	int fd;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	for (round = 0; round < 2; round++) {
		fd = must_open(_metadata, pmu, pmu->event, -1);
		stimulus_inject(stimulus, pmu->event, SOURCE, 7);
		EXPECT_EQ(7, pmu_value(fd));
		EXPECT_EQ(1, kernel_has_timer("arm_syspmu_poll", NULL));
		stimulus_dead(stimulus, true);
		if (round)
			EXPECT_EQ(7, pmu_value(fd));
		while (kernel_has_timer("arm_syspmu_poll", NULL))
			usleep(20000);
		accesses = all_accesses(stimulus);
		EXPECT_EQ(7, pmu_value(fd));
		close(fd);
		EXPECT_EQ(accesses, all_accesses(stimulus));
		revive(_metadata, machine);
	}
	expect_exact_counts(_metadata, machine);
}

/* Sampling requires an interrupt, and the log says so. */
TEST_F_TIMEOUT(polled, sampling_is_refused_with_a_reason, SLOW)
{
	const struct pmu *pmu = &self->machine.pmu;
	const char * const words[] = { pmu_log_word(pmu), "sampl", "interrupt", NULL };
	struct perf_event_attr attr;
	bool told;
	int mark;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, pmu->event));
	attr.sample_period = 1000;
	do {
		mark = kmsg_mark();
		ASSERT_LE(0, mark);
		ASSERT_EQ(-EOPNOTSUPP, pmu_open_attr(pmu, &attr, -1));
		told = kmsg_find(mark, words);
		close(mark);
		/* Messages are rate-limited. */
		if (!told)
			usleep(200000);
	} while (!told);
}

TEST_HARNESS_MAIN
