// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow interrupts as MSIs: delivered, moved to another CPU, aborted and lost.
 */
#include <limits.h>

#include "fixture.h"

static bool has_msi(const struct machine *machine)
{
	return machine->hardware.msi;
}

FIXTURE(msi) {
	struct machine machine;
	int counter;
	int fd;
	__u64 total;
};

PMU_VARIANTS(msi, has_msi)

static bool firmware_has_msi(const struct pmu *pmu)
{
	if (reference_has(pmu, REFERENCE_PREFERS_MSI))
		return device_property_exists(pmu->device, "msi-parent");

	return pmu_interrupt_is(pmu, "msi");
}

/* As in IORT: MSIs are for PMUs without a wired interrupt. */
static bool firmware_wants_msi(const struct pmu *pmu)
{
	return device_property_exists(pmu->device, "msi-parent") &&
	       !device_property_exists(pmu->device, "interrupts");
}

FIXTURE_SETUP(msi)
{
	cpu_all_online();
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	if (!firmware_has_msi(&self->machine.pmu))
		SKIP(return, "firmware says nothing about MSIs of this PMU");
	self->total = 0;
	self->fd = must_open(_metadata, &self->machine.pmu, self->machine.pmu.event, -1);
	self->counter = pmu_counter_of_event(&self->machine.stimulus, &self->machine.hardware,
					     self->machine.pmu.event);
	ASSERT_LE(0, self->counter);
}

FIXTURE_TEARDOWN(msi)
{
	cpu_all_online();
	machine_teardown(_metadata, &self->machine);
}

/* The same PMUs, whether or not firmware describes an MSI. */
FIXTURE(wired) {
	struct machine machine;
};

PMU_VARIANTS(wired, has_msi)

FIXTURE_SETUP(wired)
{
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	if (firmware_has_msi(&self->machine.pmu))
		SKIP(return, "this PMU uses MSIs");
}

FIXTURE_TEARDOWN(wired)
{
	machine_teardown(_metadata, &self->machine);
}

/* Injects up to the next overflow, in steps that are less than the range of any counter. */
static __u64 overflow(struct machine *machine, int counter)
{
	__u64 range = ~0ULL >> (64 - machine->hardware.bits);
	__u64 left = -pmu_counter(&machine->stimulus, &machine->hardware, counter) & range;
	__u64 first = left ? left / 2 : range / 2 + 1;
	__u64 second = left ? left - first : range / 2 + 1;

	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, first);
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, second);
	return first + second;
}

/* Uses the stimulus page, since a read would handle the overflow. */
static void wait_until_handled(struct machine *machine)
{
	while (pmu_overflow_status(&machine->stimulus, &machine->hardware))
		usleep(1000);
}

TEST_F(msi, each_overflow_is_one_message)
{
	struct machine *machine = &self->machine;
	__u64 msis = stimulus_msis(&machine->stimulus);
	__u64 taken = interrupts_taken(&machine->pmu, -1);
	unsigned int round;

	for (round = 1; round <= 100; round++) {
		self->total += overflow(machine, self->counter);
		wait_until_handled(machine);
		ASSERT_EQ(msis + round, stimulus_msis(&machine->stimulus));
	}
	EXPECT_EQ(self->total, pmu_value(self->fd));
	EXPECT_EQ(taken + 100, interrupts_taken(&machine->pmu, -1));
}

/* If firmware also describes a wired interrupt, that is used. */
TEST_F(wired, messages_are_for_those_without_a_wire)
{
	const struct pmu *pmu = &self->machine.pmu;

	if (!device_property_exists(pmu->device, "reg"))
		SKIP(return, "no devicetree");
	EXPECT_FALSE(firmware_wants_msi(pmu));
	EXPECT_TRUE(pmu_interrupt_is(pmu, "wired"));
}

TEST_F(msi, one_message_for_all_counters)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int n, round, number = machine->hardware.counters;
	__u64 msis, step = over_half(machine), total = 0;
	__u64 values[PMU_MAX_COUNTERS];
	int leader;

	close(self->fd);
	leader = must_open_leader(_metadata, &machine->pmu, machine->pmu.event);
	for (n = 1; n < number; n++)
		must_open(_metadata, &machine->pmu, machine->pmu.event, leader);
	msis = stimulus_msis(stimulus);
	for (round = 0; round < 100; round++, total += step)
		stimulus_inject(stimulus, machine->pmu.event, SOURCE, step);
	wait_until_handled(machine);
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	for (n = 0; n < number; n++) {
		EXPECT_EQ(total, values[n])
			TH_LOG("event %u", n);
	}
	/* Counters that overflow at the same instant cause one message. */
	EXPECT_LT(msis, stimulus_msis(stimulus));
	EXPECT_GE(msis + 100, stimulus_msis(stimulus));
}

/* The MSI is sent to the CPU that owns the PMU, also after the PMU has moved. */
TEST_F_TIMEOUT(msi, moves_with_the_cpu, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	unsigned int round, i;
	__u64 taken, msis;
	int gone;

	if (cpu_other_than(pmu->cpu) < 0 || !cpu_can_go_offline(pmu->cpu))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	for (round = 0; round < 4; round++) {
		gone = pmu->cpu;
		ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmu_follow(pmu));
		ASSERT_NE(gone, pmu->cpu);
		if (round % 2)
			ASSERT_EQ(0, cpu_set_online(gone, true));
		self->counter = pmu_counter_of_event(&machine->stimulus, &machine->hardware,
						     pmu->event);
		ASSERT_LE(0, self->counter);
		taken = interrupts_taken(pmu, pmu->cpu);
		msis = stimulus_msis(&machine->stimulus);
		for (i = 1; i <= 20; i++) {
			self->total += overflow(machine, self->counter);
			wait_until_handled(machine);
		}
		EXPECT_EQ(self->total, pmu_value(self->fd));
		EXPECT_EQ(msis + 20, stimulus_msis(&machine->stimulus));
		EXPECT_EQ(taken + 20, interrupts_taken(pmu, pmu->cpu))
			TH_LOG("not all were taken on CPU %d", pmu->cpu);
		ASSERT_EQ(0, cpu_all_online());
	}
}

/* A message that was held back while the CPU went offline is handled by the new one. */
TEST_F_TIMEOUT(msi, late_message_finds_its_way, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	unsigned int round;
	int gone;

	if (cpu_other_than(pmu->cpu) < 0 || !cpu_can_go_offline(pmu->cpu))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	for (round = 0; round < 4; round++) {
		gone = pmu->cpu;
		self->counter = pmu_counter_of_event(&machine->stimulus, &machine->hardware,
						     pmu->event);
		stimulus_hold(&machine->stimulus, true);
		self->total += overflow(machine, self->counter);
		ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmu_follow(pmu));
		stimulus_hold(&machine->stimulus, false);
		wait_until_handled(machine);
		EXPECT_EQ(self->total, pmu_value(self->fd));
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
}

/*
 * MSIs that never arrive. First without a read, so that only the timer of the driver can notice,
 * and then with a read before that.
 */
static void expect_exact_without_messages(struct __test_metadata *_metadata,
					  struct machine *machine, int fd, __u32 fate)
{
	struct stimulus *stimulus = &machine->stimulus;
	__u64 msis = stimulus_msis(stimulus), total = pmu_value(fd);
	__u64 step = over_half(machine);
	__u64 taken = interrupts_taken(&machine->pmu, -1);
	int counter = pmu_counter_of_event(stimulus, &machine->hardware, machine->pmu.event);
	/* If messages have arrived before, the driver seldom looks for lost ones. */
	const unsigned int rounds = machine->hardware.bits > 32 ? 1 : 2;
	unsigned int round;

	ASSERT_LE(0, counter);
	stimulus_msi_fate(stimulus, fate);
	for (round = 1; round <= rounds; round++) {
		total += overflow(machine, counter);
		EXPECT_EQ(msis + round, stimulus_msis(stimulus));
		wait_until_handled(machine);
	}
	EXPECT_EQ(total, pmu_value(fd));
	for (round = 0; round < 200; round++) {
		stimulus_inject(stimulus, machine->pmu.event, SOURCE, step);
		total += step;
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
	}
	EXPECT_EQ(taken, interrupts_taken(&machine->pmu, -1));

	/* MSIs are delivered again, and everything works as before. */
	stimulus_msi_fate(stimulus, STIMULUS_MSI_DELIVERED);
	wait_until_handled(machine);
	msis = stimulus_msis(stimulus);
	for (round = 1; round <= 10; round++) {
		total += overflow(machine, counter);
		wait_until_handled(machine);
	}
	EXPECT_EQ(total, pmu_value(fd));
	EXPECT_EQ(msis + 10, stimulus_msis(stimulus));
	EXPECT_EQ(taken + 10, interrupts_taken(&machine->pmu, -1));
}

TEST_F_TIMEOUT(msi, aborted, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	const char * const words[] = { pmu_log_word(pmu), "MSI", "abort", NULL };
	int mark;

	/* A driver reports it once: rebind it, so that it has not reported anything yet. */
	close(self->fd);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, variant->name));
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
	mark = kmsg_mark();
	ASSERT_LE(0, mark);
	self->fd = must_open(_metadata, pmu, pmu->event, -1);
	expect_exact_without_messages(_metadata, machine, self->fd, STIMULUS_MSI_ABORTED);
	EXPECT_EQ(machine->hardware.msi_abort, kmsg_count(mark, words));
	close(mark);
}

TEST_F_TIMEOUT(msi, lost, SLOW)
{
	struct machine *machine = &self->machine;
	const char * const words[] = { pmu_log_word(&machine->pmu), "abort", NULL };
	int mark = kmsg_mark();

	ASSERT_LE(0, mark);
	expect_exact_without_messages(_metadata, machine, self->fd, STIMULUS_MSI_LOST);
	EXPECT_EQ(0, kmsg_count(mark, words));
	close(mark);
}

/* When the poll timer is due. */
static long long time_to_poll(struct __test_metadata *_metadata)
{
	long long left, least = LLONG_MAX;
	unsigned int i;

	/* The timer may be set again while the kernel prints its list, and appear to be later. */
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(1, kernel_has_timer("arm_syspmu_poll", &left));
		least = left < least ? left : least;
	}
	return least;
}

/* More than a few seconds would be too late to notice that messages get lost. */
#define SELDOM_NS	10000000000LL

/*
 * Before a message has arrived, a counter is looked after before a quarter of its range can have
 * passed, at 4 events/ns, and then at least now and then.
 */
TEST_F_TIMEOUT(msi, looked_after_in_time, SLOW)
{
	long long limit = (~0ULL >> (64 - self->machine.hardware.bits)) / 4 / 4;
	struct pmu *pmu = &self->machine.pmu;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	close(self->fd);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, variant->name));
	stimulus_traffic(&self->machine.stimulus, false);
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
	self->fd = must_open(_metadata, pmu, pmu->event, -1);
	self->counter = pmu_counter_of_event(&self->machine.stimulus, &self->machine.hardware,
					     pmu->event);
	EXPECT_GE(limit < SELDOM_NS ? limit : SELDOM_NS, time_to_poll(_metadata));
	overflow(&self->machine, self->counter);
	wait_until_handled(&self->machine);
	EXPECT_GE(SELDOM_NS, time_to_poll(_metadata));
	close(self->fd);
	EXPECT_EQ(0, kernel_has_timer("arm_syspmu_poll", NULL));
}

/* The timer makes the last sample instead of an MSI, and then stops. */
TEST_F_TIMEOUT(msi, lost_with_the_last_sample, SLOW)
{
	struct machine *machine = &self->machine;
	struct perf_event_attr attr;
	int fd;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	close(self->fd);
	ASSERT_EQ(0, pmu_describe(&machine->pmu, &attr, machine->pmu.event));
	attr.sample_period = 10;
	attr.disabled = 1;
	fd = pmu_open_attr(&machine->pmu, &attr, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	stimulus_msi_fate(&machine->stimulus, STIMULUS_MSI_LOST);
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, 10);
	while (kernel_has_timer("arm_syspmu_poll", NULL))
		usleep(20000);
	/* The event is disabled now. */
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, 100);
	EXPECT_EQ(10, pmu_value(fd));
	EXPECT_EQ(0, pmu_overflow_status(&machine->stimulus, &machine->hardware));
	close(fd);
}

/*
 * Polling because of a lost MSI, the timer finds that the device has lost power: at its first read,
 * or after some. This is reported once, and nothing is reported about an MSI.
 */
TEST_F_TIMEOUT(msi, lost_with_the_power, SLOW)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct pmu *pmu = &machine->pmu;
	const char * const words[] = { pmu_log_word(pmu), NULL };
	unsigned int reads, last = machine->hardware.bits > 32 ? 0 : 2;
	int mark;

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
		revive(_metadata, machine);
		self->fd = must_open(_metadata, pmu, pmu->event, -1);
		self->counter = pmu_counter_of_event(stimulus, &machine->hardware,
						     pmu->event);
		ASSERT_LE(0, self->counter);
	}
}

/* After a reset, the address of MSIs is garbage: the driver sets it before it enables any. */
TEST_F_TIMEOUT(msi, bound_after_reset, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 msis, taken, total;
	unsigned int seed, i;
	int fd, counter;

	close(self->fd);
	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "the driver has no unbind");
	for (seed = 1; seed <= 8; seed++) {
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		stimulus_reset(stimulus, seed);
		stimulus_traffic(stimulus, false);
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
		ASSERT_EQ(0, pmu_find(pmu, variant->name));
		ASSERT_EQ(0, cpu_pin(pmu->cpu));
		fd = must_open(_metadata, pmu, pmu->event, -1);
		counter = pmu_counter_of_event(stimulus, &machine->hardware,
					       pmu->event);
		ASSERT_LE(0, counter);
		msis = stimulus_msis(stimulus);
		taken = interrupts_taken(pmu, -1);
		total = 0;
		for (i = 1; i <= 10; i++) {
			total += overflow(machine, counter);
			wait_until_handled(machine);
		}
		EXPECT_EQ(total, pmu_value(fd));
		EXPECT_EQ(msis + 10, stimulus_msis(stimulus))
			TH_LOG("seed %u", seed);
		EXPECT_EQ(taken + 10, interrupts_taken(pmu, -1))
			TH_LOG("seed %u", seed);
		close(fd);
	}
}

/*
 * The hardware can send MSIs, but firmware describes no target for them: the wired interrupt is
 * used, and no MSI is sent.
 */
TEST_F_TIMEOUT(wired, falls_back_to_the_wire, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 msis, edges, taken, total;
	unsigned int seed, i;
	int fd, counter;

	for (seed = 0; seed <= 8; seed++) {
		if (seed && !driver_can_unbind(pmu->driver))
			break;
		if (seed) {
			ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
			stimulus_reset(stimulus, seed);
			stimulus_traffic(stimulus, false);
			ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
			ASSERT_EQ(0, pmu_find(pmu, variant->name));
			ASSERT_EQ(0, cpu_pin(pmu->cpu));
		}
		if (!reference_has(pmu, REFERENCE_HAS_NO_INTERRUPT_ATTRIBUTE))
			EXPECT_TRUE(pmu_interrupt_is(pmu, "wired"));
		fd = must_open(_metadata, pmu, pmu->event, -1);
		counter = pmu_counter_of_event(stimulus, &machine->hardware,
					       pmu->event);
		ASSERT_LE(0, counter);
		msis = stimulus_msis(stimulus);
		edges = stimulus_edges(stimulus);
		taken = interrupts_taken(pmu, -1);
		total = 0;
		for (i = 1; i <= 10; i++) {
			total += overflow(machine, counter);
			wait_until_handled(machine);
		}
		EXPECT_EQ(total, pmu_value(fd));
		EXPECT_EQ(edges + 10, stimulus_edges(stimulus));
		EXPECT_EQ(taken + 10, interrupts_taken(pmu, -1));
		EXPECT_EQ(msis, stimulus_msis(stimulus))
			TH_LOG("MSI address of seed %u", seed);
		close(fd);
	}
}

TEST_HARNESS_MAIN
