// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow interrupts as messages: delivered, moved to another CPU, aborted and lost.
 */
#include <limits.h>

#include "pmcg_fixture.h"

FIXTURE(msi) {
	struct pmcg_machine machine;
	int counter;
	int fd;
	__u64 total;
};

FIXTURE_VARIANT(msi) {
	char name[PMCG_NAME_LENGTH];
};

/* The in-tree driver prefers them to a wired interrupt. */
static bool firmware_has_msi(const struct pmcg *pmcg)
{
	if (pmcg->in_tree)
		return device_property_exists(pmcg->device, "msi-parent");

	return pmcg_interrupt_is(pmcg, "msi");
}

/* As IORT has it: messages are for PMCGs without a wired interrupt. */
static bool firmware_wants_msi(const struct pmcg *pmcg)
{
	return device_property_exists(pmcg->device, "msi-parent") &&
	       !device_property_exists(pmcg->device, "interrupts");
}

FIXTURE_SETUP(msi)
{
	cpu_all_online();
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	if (!firmware_has_msi(&self->machine.pmcg))
		SKIP(return, "firmware says nothing about MSIs of this PMCG");
	self->total = 0;
	self->fd = must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	self->counter = pmcg_counter_of_event(&self->machine.stimulus, &self->machine.hardware,
					      PMCG_EVENT_TRANSACTION);
	ASSERT_LE(0, self->counter);
}

FIXTURE_TEARDOWN(msi)
{
	cpu_all_online();
	machine_teardown(_metadata, &self->machine);
}

/* The same PMCGs, whatever firmware says. */
FIXTURE(wired) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(wired) {
	char name[PMCG_NAME_LENGTH];
};

FIXTURE_SETUP(wired)
{
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	if (firmware_has_msi(&self->machine.pmcg))
		SKIP(return, "this PMCG uses MSIs");
}

FIXTURE_TEARDOWN(wired)
{
	machine_teardown(_metadata, &self->machine);
}

static bool has_msi(const struct pmcg_machine *machine)
{
	return machine->hardware.msi;
}

static void LATER add_msi_variants(void)
{
	add_variants(&_msi_fixture_object, has_msi);
	add_variants(&_wired_fixture_object, has_msi);
}

/* Exactly up to the next overflow, in steps that no counter is too small for. */
static __u64 overflow(struct pmcg_machine *machine, int counter)
{
	__u64 range = ~0ULL >> (64 - machine->hardware.bits);
	__u64 left = -pmcg_counter(&machine->stimulus, &machine->hardware, counter) & range;
	__u64 first = left ? left / 2 : range / 2 + 1;
	__u64 second = left ? left - first : range / 2 + 1;

	stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, first);
	stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, second);
	return first + second;
}

/* Somebody has taken notice: looked at from outside, since a read would take it itself. */
static void wait_until_handled(struct pmcg_machine *machine)
{
	while (pmcg_overflow_status(&machine->stimulus, &machine->hardware))
		usleep(1000);
}

TEST_F(msi, each_overflow_is_one_message)
{
	struct pmcg_machine *machine = &self->machine;
	__u64 msis = stimulus_msis(&machine->stimulus);
	__u64 taken = interrupts_taken(&machine->pmcg, -1);
	unsigned int round;

	for (round = 1; round <= 100; round++) {
		self->total += overflow(machine, self->counter);
		wait_until_handled(machine);
		ASSERT_EQ(msis + round, stimulus_msis(&machine->stimulus));
	}
	EXPECT_EQ(self->total, pmcg_value(self->fd));
	EXPECT_EQ(taken + 100, interrupts_taken(&machine->pmcg, -1));
}

/* Where firmware describes a wired interrupt, too, that is the one that is used. */
TEST_F(wired, messages_are_for_those_without_a_wire)
{
	const struct pmcg *pmcg = &self->machine.pmcg;

	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: prefers MSIs");
	if (!device_property_exists(pmcg->device, "reg"))
		SKIP(return, "no devicetree");
	EXPECT_FALSE(firmware_wants_msi(pmcg));
	EXPECT_TRUE(pmcg_interrupt_is(pmcg, "wired"));
}

TEST_F(msi, one_message_for_all_counters)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int n, round, number = machine->hardware.counters;
	__u64 msis, step = (1ULL << (machine->hardware.bits - 1)) + 1, total = 0;
	__u64 values[PMCG_MAX_COUNTERS];
	int leader;

	close(self->fd);
	leader = must_open_leader(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL);
	for (n = 1; n < number; n++)
		must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, leader);
	msis = stimulus_msis(stimulus);
	for (round = 0; round < 100; round++, total += step)
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
	wait_until_handled(machine);
	ASSERT_EQ(0, pmcg_read_group(leader, values, number));
	for (n = 0; n < number; n++) {
		EXPECT_EQ(total, values[n])
			TH_LOG("event %u", n);
	}
	/* What overflows at one instant makes one message, whichever counters it is. */
	EXPECT_LT(msis, stimulus_msis(stimulus));
	EXPECT_GE(msis + 100, stimulus_msis(stimulus));
}

/* The message goes to the CPU that owns the PMU, wherever that moves. */
TEST_F_TIMEOUT(msi, moves_with_the_cpu, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	unsigned int round, i;
	__u64 taken, msis;
	int gone;

	if (cpu_other_than(pmcg->cpu) < 0 || !cpu_can_go_offline(pmcg->cpu))
		SKIP(return, "CPU %d cannot go offline", pmcg->cpu);
	for (round = 0; round < 4; round++) {
		gone = pmcg->cpu;
		ASSERT_EQ(0, pmcg_pin(cpu_other_than(gone)));
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmcg_follow(pmcg));
		ASSERT_NE(gone, pmcg->cpu);
		if (round % 2)
			ASSERT_EQ(0, cpu_set_online(gone, true));
		self->counter = pmcg_counter_of_event(&machine->stimulus, &machine->hardware,
						      PMCG_EVENT_TRANSACTION);
		ASSERT_LE(0, self->counter);
		taken = interrupts_taken(pmcg, pmcg->cpu);
		msis = stimulus_msis(&machine->stimulus);
		for (i = 1; i <= 20; i++) {
			self->total += overflow(machine, self->counter);
			wait_until_handled(machine);
		}
		EXPECT_EQ(self->total, pmcg_value(self->fd));
		EXPECT_EQ(msis + 20, stimulus_msis(&machine->stimulus));
		EXPECT_EQ(taken + 20, interrupts_taken(pmcg, pmcg->cpu))
			TH_LOG("not all were taken on CPU %d", pmcg->cpu);
		ASSERT_EQ(0, cpu_all_online());
	}
}

/* A message that was held back while the CPU went finds the new one. */
TEST_F_TIMEOUT(msi, late_message_finds_its_way, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	unsigned int round;
	int gone;

	if (cpu_other_than(pmcg->cpu) < 0 || !cpu_can_go_offline(pmcg->cpu))
		SKIP(return, "CPU %d cannot go offline", pmcg->cpu);
	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: warns about an overflow without an event");
	for (round = 0; round < 4; round++) {
		gone = pmcg->cpu;
		self->counter = pmcg_counter_of_event(&machine->stimulus, &machine->hardware,
						      PMCG_EVENT_TRANSACTION);
		stimulus_hold(&machine->stimulus, true);
		self->total += overflow(machine, self->counter);
		ASSERT_EQ(0, pmcg_pin(cpu_other_than(gone)));
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmcg_follow(pmcg));
		stimulus_hold(&machine->stimulus, false);
		wait_until_handled(machine);
		EXPECT_EQ(self->total, pmcg_value(self->fd));
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
}

/*
 * MSIs that never arrive. Nobody reads, so that only the driver's own care can notice;
 * and then somebody does read, before it has.
 */
static void expect_exact_without_messages(struct __test_metadata *_metadata,
					  struct pmcg_machine *machine, int fd, __u32 fate)
{
	struct stimulus *stimulus = &machine->stimulus;
	__u64 msis = stimulus_msis(stimulus), total = pmcg_value(fd);
	__u64 step = (1ULL << (machine->hardware.bits - 1)) + 1;
	__u64 taken = interrupts_taken(&machine->pmcg, -1);
	int counter = pmcg_counter_of_event(stimulus, &machine->hardware, PMCG_EVENT_TRANSACTION);
	/* Wide counters are looked at each second only. */
	unsigned int round, rounds = machine->hardware.bits > 32 ? 1 : 6;

	ASSERT_LE(0, counter);
	stimulus_msi_fate(stimulus, fate);
	for (round = 1; round <= rounds; round++) {
		total += overflow(machine, counter);
		EXPECT_EQ(msis + round, stimulus_msis(stimulus));
		wait_until_handled(machine);
	}
	EXPECT_EQ(total, pmcg_value(fd));
	for (round = 0; round < 200; round++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		total += step;
		ASSERT_EQ(total, pmcg_value(fd))
			TH_LOG("round %u", round);
	}
	EXPECT_EQ(taken, interrupts_taken(&machine->pmcg, -1));

	/* They arrive again: all is as before. */
	stimulus_msi_fate(stimulus, STIMULUS_MSI_DELIVERED);
	wait_until_handled(machine);
	msis = stimulus_msis(stimulus);
	for (round = 1; round <= 10; round++) {
		total += overflow(machine, counter);
		wait_until_handled(machine);
	}
	EXPECT_EQ(total, pmcg_value(fd));
	EXPECT_EQ(msis + 10, stimulus_msis(stimulus));
	EXPECT_EQ(taken + 10, interrupts_taken(&machine->pmcg, -1));
}

TEST_F_TIMEOUT(msi, aborted, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	const char * const words[] = { strrchr(pmcg->name, '_') + 1, "MSI", "abort", NULL };
	bool detectable = stimulus_peek32(&machine->stimulus, PMCG_AIDR) & 0xff;
	int mark;

	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: loses what an aborted MSI would have told");
	/* A driver says it once: this one has said nothing yet. */
	close(self->fd);
	ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
	ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
	ASSERT_EQ(0, pmcg_find(pmcg, variant->name));
	ASSERT_EQ(0, pmcg_pin(pmcg->cpu));
	mark = kmsg_mark();
	ASSERT_LE(0, mark);
	self->fd = must_open(_metadata, pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	expect_exact_without_messages(_metadata, machine, self->fd, STIMULUS_MSI_ABORTED);
	/* In SMMUv3.0 nothing tells that an MSI was aborted, IHI 0070 §10.5.2.24. */
	EXPECT_EQ(detectable, kmsg_count(mark, words));
	close(mark);
}

TEST_F_TIMEOUT(msi, lost, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	const char * const words[] = { strrchr(machine->pmcg.name, '_') + 1, "abort", NULL };
	int mark = kmsg_mark();

	if (machine->pmcg.in_tree)
		SKIP(return, "in-tree driver: loses what a lost MSI would have told");
	ASSERT_LE(0, mark);
	expect_exact_without_messages(_metadata, machine, self->fd, STIMULUS_MSI_LOST);
	EXPECT_EQ(0, kmsg_count(mark, words));
	close(mark);
}

/* Before a sixteenth of the range can have passed, at 4 events/ns, and within a second. */
TEST_F(msi, looked_after_in_time)
{
	const struct pmcg_hardware *hardware = &self->machine.hardware;
	long long limit = (~0ULL >> (64 - hardware->bits)) / 16 / 4, left, least = LLONG_MAX;
	unsigned int i;

	if (self->machine.pmcg.in_tree)
		SKIP(return, "in-tree driver: has no timer");
	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	if (limit > 1000000000)
		limit = 1000000000;
	/* It may be set again while the kernel makes its list, and seem to be later. */
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(1, kernel_has_timer("arm_syspmu_poll", &left));
		least = left < least ? left : least;
	}
	EXPECT_GE(limit, least);
	close(self->fd);
	EXPECT_EQ(0, kernel_has_timer("arm_syspmu_poll", NULL));
}

/* The timer makes the last sample in the place of a message, and then looks no more. */
TEST_F_TIMEOUT(msi, lost_with_the_last_sample, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct perf_event_attr attr;
	int fd;

	if (machine->pmcg.in_tree)
		SKIP(return, "in-tree driver: does not sample");
	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	close(self->fd);
	ASSERT_EQ(0, pmcg_describe(&machine->pmcg, &attr, PMCG_EVENT_TRANSACTION, NULL));
	attr.sample_period = 10;
	attr.disabled = 1;
	fd = pmcg_open_attr(&machine->pmcg, &attr, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	stimulus_msi_fate(&machine->stimulus, STIMULUS_MSI_LOST);
	stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, 10);
	while (kernel_has_timer("arm_syspmu_poll", NULL))
		usleep(20000);
	/* The event is disabled now. */
	stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, 100);
	EXPECT_EQ(10, pmcg_value(fd));
	EXPECT_EQ(0, pmcg_overflow_status(&machine->stimulus, &machine->hardware));
	close(fd);
}

/*
 * The timer finds in the place of a message that the power has gone: at its first read, or
 * after some. That is told, once, and nothing of an MSI.
 */
TEST_F_TIMEOUT(msi, lost_with_the_power, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct pmcg *pmcg = &machine->pmcg;
	const char * const words[] = { strrchr(pmcg->name, '_') + 1, NULL };
	unsigned int reads, last = machine->hardware.bits > 32 ? 0 : 2;
	int mark;

	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: has no timer");
	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	for (reads = 0; reads <= last; reads++) {
		mark = kmsg_mark();
		ASSERT_LE(0, mark);
		stimulus_msi_fate(stimulus, STIMULUS_MSI_LOST);
		overflow(machine, self->counter);
		if (reads)
			stimulus_dead_after(stimulus, reads);
		else
			stimulus_dead(stimulus, true);
		while (kernel_has_timer("arm_syspmu_poll", NULL))
			usleep(20000);
		EXPECT_EQ(1, kmsg_count(mark, words))
			TH_LOG("after %u reads", reads);
		close(mark);
		close(self->fd);
		ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
		stimulus_dead(stimulus, false);
		ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
		ASSERT_EQ(0, pmcg_find(pmcg, variant->name));
		self->fd = must_open(_metadata, pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
		self->counter = pmcg_counter_of_event(stimulus, &machine->hardware,
						      PMCG_EVENT_TRANSACTION);
		ASSERT_LE(0, self->counter);
	}
}

/* Reset leaves garbage where MSIs go to: the driver says where before it enables any. */
TEST_F_TIMEOUT(msi, bound_after_reset, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 msis, taken, total;
	unsigned int seed, i;
	int fd, counter;

	close(self->fd);
	if (!driver_can_unbind(pmcg->driver))
		SKIP(return, "the driver has no unbind");
	for (seed = 1; seed <= 8; seed++) {
		ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
		stimulus_reset(stimulus, seed);
		stimulus_traffic(stimulus, false);
		ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
		ASSERT_EQ(0, pmcg_find(pmcg, variant->name));
		ASSERT_EQ(0, pmcg_pin(pmcg->cpu));
		fd = must_open(_metadata, pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
		counter = pmcg_counter_of_event(stimulus, &machine->hardware,
						PMCG_EVENT_TRANSACTION);
		ASSERT_LE(0, counter);
		msis = stimulus_msis(stimulus);
		taken = interrupts_taken(pmcg, -1);
		total = 0;
		for (i = 1; i <= 10; i++) {
			total += overflow(machine, counter);
			wait_until_handled(machine);
		}
		EXPECT_EQ(total, pmcg_value(fd));
		EXPECT_EQ(msis + 10, stimulus_msis(stimulus))
			TH_LOG("seed %u", seed);
		EXPECT_EQ(taken + 10, interrupts_taken(pmcg, -1))
			TH_LOG("seed %u", seed);
		close(fd);
	}
}

/* MSIs in hardware, but firmware has no place for them: the wire, and no message at all. */
TEST_F_TIMEOUT(wired, falls_back_to_the_wire, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 msis, edges, taken, total;
	unsigned int seed, i;
	int fd, counter;

	for (seed = 0; seed <= 8; seed++) {
		if (seed && !driver_can_unbind(pmcg->driver))
			break;
		if (seed) {
			ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
			stimulus_reset(stimulus, seed);
			stimulus_traffic(stimulus, false);
			ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
			ASSERT_EQ(0, pmcg_find(pmcg, variant->name));
			ASSERT_EQ(0, pmcg_pin(pmcg->cpu));
		}
		if (!pmcg->in_tree)
			EXPECT_TRUE(pmcg_interrupt_is(pmcg, "wired"));
		fd = must_open(_metadata, pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
		counter = pmcg_counter_of_event(stimulus, &machine->hardware,
						PMCG_EVENT_TRANSACTION);
		ASSERT_LE(0, counter);
		msis = stimulus_msis(stimulus);
		edges = stimulus_edges(stimulus);
		taken = interrupts_taken(pmcg, -1);
		total = 0;
		for (i = 1; i <= 10; i++) {
			total += overflow(machine, counter);
			wait_until_handled(machine);
		}
		EXPECT_EQ(total, pmcg_value(fd));
		EXPECT_EQ(edges + 10, stimulus_edges(stimulus));
		EXPECT_EQ(taken + 10, interrupts_taken(pmcg, -1));
		EXPECT_EQ(msis, stimulus_msis(stimulus))
			TH_LOG("MSIs go to wherever seed %u says", seed);
		close(fd);
	}
}

TEST_HARNESS_MAIN
