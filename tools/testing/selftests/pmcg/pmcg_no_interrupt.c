// SPDX-License-Identifier: GPL-2.0
/*
 * PMCGs without an interrupt: a timer of the driver notices that counters wrap. All
 * waiting here is for that, and a driver that never does hangs until the harness ends
 * the test.
 */
#include "pmcg_fixture.h"

FIXTURE(polled) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(polled) {
	char name[PMCG_NAME_LENGTH];
};

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

/* The in-tree driver counts one range only then, and counters of 64 bits do not wrap. */
static bool is_polled(const struct pmcg_machine *machine)
{
	return !machine->pmcg.in_tree && !has_interrupt(machine) && machine->hardware.bits < 64;
}

static void LATER add_polled_variants(void)
{
	add_variants(&_polled_fixture_object, is_polled);
}

static __u64 over_half(const struct pmcg_machine *machine)
{
	return (1ULL << (machine->hardware.bits - 1)) + 1;
}

static void wait_until_noticed(struct pmcg_machine *machine)
{
	while (pmcg_overflow_status(&machine->stimulus, &machine->hardware))
		usleep(1000);
}

static __u64 inject_and_wait(struct pmcg_machine *machine)
{
	stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, over_half(machine));
	wait_until_noticed(machine);
	return over_half(machine);
}

TEST_F(polled, says_so)
{
	EXPECT_TRUE(pmcg_interrupt_is(&self->machine.pmcg, "timer"));
	EXPECT_EQ(0, stimulus_peek32(&self->machine.stimulus, PMCG_IRQ_CTRL) & 1);
}

/* Nobody reads while the counter goes round and round. */
TEST_F_TIMEOUT(polled, wraps_unread, SLOW)
{
	__u64 total = 0;
	unsigned int i;
	int fd;

	fd = must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (i = 0; i < 12; i++)
		total += inject_and_wait(&self->machine);
	EXPECT_EQ(total, pmcg_value(fd));
}

/* Somebody reads before the timer has noticed, and after it. */
TEST_F_TIMEOUT(polled, wraps_read_at_once, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	__u64 total = 0, step = over_half(machine);
	unsigned int i;
	int fd;

	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (i = 0; i < 1000; i++) {
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, step - i);
		total += step - i;
		ASSERT_EQ(total, pmcg_value(fd))
			TH_LOG("round %u", i);
		if (i % 250 == 249)
			wait_until_noticed(machine);
	}
	EXPECT_EQ(total, pmcg_value(fd));
}

TEST_F_TIMEOUT(polled, all_counters_wrap, SLOW)
{
	unsigned int i, n, number = self->machine.hardware.counters;
	__u64 values[PMCG_MAX_COUNTERS], total = 0;
	int leader;

	leader = must_open_leader(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL);
	for (n = 1; n < number; n++)
		must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, leader);
	for (i = 0; i < 6; i++)
		total += inject_and_wait(&self->machine);
	ASSERT_EQ(0, pmcg_read_group(leader, values, number));
	for (n = 0; n < number; n++) {
		EXPECT_EQ(total, values[n])
			TH_LOG("event %u", n);
	}
}

/* Stopped, closed and started again before the timer comes. */
TEST_F(polled, stopped_before_the_timer)
{
	struct pmcg_machine *machine = &self->machine;
	__u64 total = 0, step = over_half(machine);
	unsigned int i;
	int fd, other;

	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (i = 0; i < 200; i++) {
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		total += step;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		ASSERT_EQ(total, pmcg_value(fd))
			TH_LOG("round %u", i);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));

		other = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TLB_MISS, NULL, -1);
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TLB_MISS, 0x8, step);
		close(other);
		other = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TLB_MISS, NULL, -1);
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TLB_MISS, 0x8, 3);
		EXPECT_EQ(3, pmcg_value(other));
		close(other);
	}
	EXPECT_EQ(total, pmcg_value(fd));
}

/* A stop before the timer comes finds a whole range, or the next event on the counter would. */
TEST_F(polled, a_whole_range_before_a_stop)
{
	struct pmcg_machine *machine = &self->machine;
	__u64 total = 0, range = 2 * (over_half(machine) - 1);
	unsigned int i;
	int fd;

	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	/* From anywhere in the range. */
	for (i = 0; i < 32; i++) {
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, range);
		total += range;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, pmcg_overflow_status(&machine->stimulus, &machine->hardware));
		ASSERT_EQ(total, pmcg_value(fd))
			TH_LOG("round %u", i);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, range / 16);
		total += range / 16;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(total, pmcg_value(fd));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	}
}

/* The timer goes where the PMU goes. */
TEST_F_TIMEOUT(polled, goes_along_with_the_cpu, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	__u64 total = 0;
	unsigned int i;
	int fd, gone;

	if (cpu_other_than(pmcg->cpu) < 0 || !cpu_can_go_offline(pmcg->cpu))
		SKIP(return, "CPU %d cannot go offline", pmcg->cpu);
	fd = must_open(_metadata, pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (i = 0; i < 3; i++) {
		gone = pmcg->cpu;
		total += inject_and_wait(machine);
		ASSERT_EQ(0, pmcg_pin(cpu_other_than(gone)));
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmcg_follow(pmcg));
		total += inject_and_wait(machine);
		total += inject_and_wait(machine);
		ASSERT_EQ(0, cpu_set_online(gone, true));
		total += inject_and_wait(machine);
		EXPECT_EQ(total, pmcg_value(fd));
	}
}

/* Who counts nothing looks at nothing. */
TEST_F(polled, quiet_without_events)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	__u64 accesses;
	int fd;

	fd = must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	inject_and_wait(&self->machine);
	close(fd);
	accesses = all_accesses(stimulus);
	/* Any time is right; a longer one finds slower timers. */
	usleep(500000);
	EXPECT_EQ(accesses, all_accesses(stimulus));
}

/* Nor does anybody look at what has gone, once the timer has found out, or a read. */
TEST_F_TIMEOUT(polled, quiet_when_it_has_gone, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct pmcg *pmcg = &machine->pmcg;
	unsigned int round;
	__u64 accesses;
	int fd;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	for (round = 0; round < 2; round++) {
		fd = must_open(_metadata, pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 7);
		EXPECT_EQ(7, pmcg_value(fd));
		EXPECT_EQ(1, kernel_has_timer("arm_syspmu_poll", NULL));
		stimulus_dead(stimulus, true);
		if (round)
			EXPECT_EQ(7, pmcg_value(fd));
		while (kernel_has_timer("arm_syspmu_poll", NULL))
			usleep(20000);
		accesses = all_accesses(stimulus);
		EXPECT_EQ(7, pmcg_value(fd));
		close(fd);
		EXPECT_EQ(accesses, all_accesses(stimulus));
		ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
		stimulus_dead(stimulus, false);
		ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
		ASSERT_EQ(0, pmcg_find(pmcg, variant->name));
	}
	expect_exact_counts(_metadata, machine);
}

/* Without an interrupt there is nothing to sample with, and the log says so. */
TEST_F_TIMEOUT(polled, sampling_is_refused_with_a_reason, SLOW)
{
	const struct pmcg *pmcg = &self->machine.pmcg;
	const char * const words[] = { strrchr(pmcg->name, '_') + 1, "sampl", "interrupt", NULL };
	struct perf_event_attr attr;
	bool told;
	int mark;

	ASSERT_EQ(0, pmcg_describe(pmcg, &attr, PMCG_EVENT_TRANSACTION, NULL));
	attr.sample_period = 1000;
	do {
		mark = kmsg_mark();
		ASSERT_LE(0, mark);
		ASSERT_EQ(-EOPNOTSUPP, pmcg_open_attr(pmcg, &attr, -1));
		told = kmsg_find(mark, words);
		close(mark);
		/* Messages are rate-limited. */
		if (!told)
			usleep(200000);
	} while (!told);
}

TEST_HARNESS_MAIN
