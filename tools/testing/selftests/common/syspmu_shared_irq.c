// SPDX-License-Identifier: GPL-2.0
/* PMUs that share a wired interrupt are owned by the same CPU. */
#include "interleave.h"
#include "fixture.h"

#define MAX_SHARING	3

FIXTURE(shared) {
	struct machine machines[MAX_SHARING];
	int number;
};

static bool is_wired(const struct machine *machine)
{
	return reference_has(&machine->pmu, REFERENCE_HAS_NO_INTERRUPT_ATTRIBUTE) ||
	       pmu_interrupt_is(&machine->pmu, "wired");
}

/* Returns how many PMUs have the first interrupt that several have, or 0. */
static int find_sharing(struct machine *machines)
{
	const struct machine *all;
	int i, j, number, sharing;
	__u32 irqs[PMU_MAX];

	all = all_machines(&number);
	for (i = 0; i < number; i++) {
		machines[0] = all[i];
		irqs[i] = stimulus_irq(&machines[0].stimulus);
		if (!is_wired(&all[i]) || !all[i].hardware.sane || !has_interrupt(&all[i]))
			irqs[i] = 0;
	}
	for (i = 0; i < number; i++) {
		sharing = 0;
		for (j = i; irqs[i] && j < number && sharing < MAX_SHARING; j++)
			if (irqs[j] == irqs[i])
				machines[sharing++] = all[j];
		if (sharing > 1)
			return sharing;
	}
	return 0;
}

FIXTURE_SETUP(shared)
{
	const char *reason;
	int i;

	report_to(_metadata);
	work_on(&self->machines[0]);
	if (stimulus_open(stimulus))
		SKIP(return, "%s", stimulus->missing);
	cpu_all_online();
	self->number = find_sharing(self->machines);
	TH_LOG("%d PMUs have the same interrupt", self->number);
	if (!self->number)
		SKIP(return, "no two PMUs share an interrupt");
	reason = reference_exception(pmu, _metadata->fixture->name, _metadata->name);
	if (reason)
		SKIP(return, "reference driver: %s", reason);
	for (i = 0; i < self->number; i++) {
		self->machines[i].mark = kmsg_mark();
		ASSERT_EQ(0, pmu_find(&self->machines[i].pmu, self->machines[i].pmu.name));
		machine_calm(&self->machines[i]);
		stimulus_traffic(&self->machines[i].stimulus, false);
	}
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
}

FIXTURE_TEARDOWN(shared)
{
	int i;

	machine_teardown();
	for (i = 1; i < self->number; i++) {
		work_on(&self->machines[i]);
		machine_teardown();
	}
}

static int open_transactions(struct machine *machine)
{
	int fd = pmu_open(&machine->pmu, machine->pmu.event, -1);

	ASSERT_LE(0, fd);
	return fd;
}

/* Half of the range of a counter plus one */
static __u64 half_of(const struct machine *machine)
{
	return (1ULL << (machine->hardware.bits - 1)) + 1;
}

static __u64 inject_into(struct machine *machine, __u64 number)
{
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, number);
	return number;
}

static void expect_same_cpu(struct machine *machines, int number)
{
	int i;

	for (i = 0; i < number; i++) {
		ASSERT_EQ(0, pmu_read_cpu(&machines[i].pmu));
		EXPECT_EQ(machines[0].pmu.cpu, machines[i].pmu.cpu)
			TH_LOG("%s and %s", machines[0].pmu.name, machines[i].pmu.name);
	}
}

static void open_on_all(struct machine *machines, int number, int *fds)
{
	int n;

	for (n = 0; n < number; n++)
		fds[n] = open_transactions(&machines[n]);
}

static void expect_totals(int number, const __u64 *totals, const int *fds)
{
	int n;

	for (n = 0; n < number; n++)
		EXPECT_EQ(totals[n], pmu_value(fds[n]))
			TH_LOG("PMU %d of %d", n, number);
}

TEST_F(shared, one_cpu)
{
	expect_same_cpu(self->machines, self->number);
}

/* In turn, at irregular intervals, and only one of them. */
TEST_F_TIMEOUT(shared, storms, SLOW)
{
	struct machine *machines = self->machines;
	__u64 totals[MAX_SHARING] = { 0 };
	unsigned int i, n, number = self->number;
	int fds[MAX_SHARING];

	open_on_all(machines, number, fds);
	for (i = 0; i < 3000; i++) {
		n = i < 2000 ? (i * 29 + i / 7) % number : i / 400 % number;
		totals[n] += inject_into(&machines[n], half_of(&machines[n]) + i % 3);
		if (i % 500 == 499)
			expect_totals(number, totals, fds);
	}
	for (n = 0; n < number; n++)
		EXPECT_EQ(0, pmu_overflow_status(&machines[n].stimulus, &machines[n].hardware));
}

/* All raise the interrupt while it is held, and one edge is enough for all. */
TEST_F_TIMEOUT(shared, all_at_once, SLOW)
{
	struct machine *machines = self->machines;
	unsigned int i, n, number = self->number;
	__u64 totals[MAX_SHARING] = { 0 };
	int fds[MAX_SHARING];

	open_on_all(machines, number, fds);
	for (i = 0; i < 300; i++) {
		for (n = 0; n < number; n++)
			stimulus_hold(&machines[n].stimulus, true);
		for (n = 0; n < number; n++)
			totals[n] += inject_into(&machines[n], half_of(&machines[n]) - i);
		for (n = 0; n < number; n++)
			stimulus_hold(&machines[(i + n) % number].stimulus, false);
	}
	expect_totals(number, totals, fds);
}

/* The other one has no event, its events are opened and closed, or it has no driver. */
TEST_F_TIMEOUT(shared, one_comes_and_goes, SLOW)
{
	struct machine *stays = &self->machines[0], *other = &self->machines[1];
	struct machine *last = &self->machines[self->number - 1];
	unsigned int i, swap;
	__u64 total;
	int fd, fd2;

	for (swap = 0; swap < 2; swap++) {
		total = 0;
		fd = open_transactions(stays);
		for (i = 0; i < 100; i++) {
			total += inject_into(stays, half_of(stays));
			fd2 = open_transactions(other);
			inject_into(other, half_of(other));
			total += inject_into(stays, half_of(stays));
			EXPECT_EQ(half_of(other), pmu_value(fd2));
			close(fd2);
		}
		ASSERT_EQ(total, pmu_value(fd));
		if (driver_can_unbind(other->pmu.driver)) {
			for (i = 0; i < 3; i++) {
				EXPECT_EQ(0, device_unbind(other->pmu.driver, other->pmu.device));
				total += inject_into(stays, half_of(stays));
				total += inject_into(stays, half_of(stays));
				EXPECT_EQ(0, device_bind(other->pmu.driver, other->pmu.device));
				total += inject_into(stays, half_of(stays));
				total += inject_into(stays, half_of(stays));
			}
			ASSERT_EQ(total, pmu_value(fd));
			ASSERT_EQ(0, pmu_find(&other->pmu, other->pmu.name));
			expect_same_cpu(self->machines, self->number);
		}
		close(fd);
		/* Of three, it is the one after that which leaves. */
		stays = last;
		other = last - 1;
	}
}

/*
 * One of them loses power, and the other still works. This is detected by a read, or by the handler
 * of the other's interrupts if there is no event to read; afterwards the driver does not access it.
 */
static void expect_one_to_go(struct machine *gone, struct machine *stays, bool with_event)
{
	__u64 total = 0, accesses;
	int fd = -1, fd2;
	unsigned int i;

	mark_log();
	if (with_event) {
		fd = open_transactions(gone);
		inject_into(gone, 7);
		ASSERT_EQ(7, pmu_value(fd));
	}
	fd2 = open_transactions(stays);
	stimulus_dead(&gone->stimulus, true);
	if (with_event)
		EXPECT_EQ(7, pmu_value(fd));
	for (i = 0; i < 100; i++) {
		/* Two times over half of the range make at least one interrupt. */
		if (i == 2)
			accesses = all_accesses(&gone->stimulus);
		total += inject_into(stays, half_of(stays));
	}
	EXPECT_EQ(total, pmu_value(fd2));
	EXPECT_EQ(accesses, all_accesses(&gone->stimulus));
	EXPECT_EQ(1, messages_with(pmu_log_word(&gone->pmu)));
	close(fd2);
	if (with_event) {
		EXPECT_EQ(7, pmu_value(fd));
		close(fd);
	}
	ASSERT_EQ(0, device_unbind(gone->pmu.driver, gone->pmu.device));
	stimulus_dead(&gone->stimulus, false);
	ASSERT_EQ(0, device_bind(gone->pmu.driver, gone->pmu.device));
	expect_exact_counts();
}

TEST_F_TIMEOUT(shared, one_has_gone, SLOW)
{
	struct machine *machines = self->machines;

	expect_one_to_go(&machines[0], &machines[1], true);
	expect_one_to_go(&machines[0], &machines[1], false);
	expect_same_cpu(machines, self->number);
}

/* When the CPU goes offline, all move to the same CPU, and so does the interrupt. */
TEST_F_TIMEOUT(shared, all_move_together, SLOW)
{
	struct machine *machines = self->machines;
	__u64 totals[MAX_SHARING] = { 0 }, taken;
	unsigned int i, n, round, number = self->number;
	int fds[MAX_SHARING], gone;

	if (!can_move(machine))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	open_on_all(machines, number, fds);
	for (round = 0; round < 4; round++) {
		for (n = 0; n < number; n++)
			totals[n] += inject_into(&machines[n], half_of(&machines[n]));
		gone = take_cpu_away();
		expect_same_cpu(machines, number);
		if (round % 2) {
			ASSERT_EQ(0, cpu_set_online(gone, true));
			expect_same_cpu(machines, number);
		}
		taken = interrupts_taken(pmu->cpu);
		for (i = 0; i < 200; i++) {
			n = i % number;
			totals[n] += inject_into(&machines[n], half_of(&machines[n]) + i);
		}
		expect_totals(number, totals, fds);
		EXPECT_LE(taken + 100, interrupts_taken(pmu->cpu));
		ASSERT_EQ(0, cpu_all_online());
		expect_same_cpu(machines, number);
	}
}

/* Probes a device that the driver did not find, on this CPU. */
static void probe_late(struct pmu *late, int cpu)
{
	ASSERT_EQ(0, cpu_pin(cpu));
	ASSERT_EQ(0, device_probe(late->device));
	ASSERT_EQ(0, pmu_find(late, late->name));
}

/* A PMU is owned by the CPU of the other one, not by the CPU that probes it. */
TEST_F_TIMEOUT(shared, probed_on_another_cpu, SLOW)
{
	struct pmu *other = &self->machines[1].pmu;

	if (cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "there is only one CPU");
	if (!pmu->reference)
		SKIP(return, "a driver that can be unbound has more of this");
	must_load(false);
	ASSERT_EQ(0, device_hide(other->device));
	must_bind();
	probe_late(other, cpu_other_than(pmu->cpu));
	expect_same_cpu(self->machines, self->number);
}

/*
 * A driver that cannot handle an interrupt on another CPU than that of the events does not get it
 * until they and the affinity have moved. Each read of a clock of the old CPU interrupts that one.
 */
TEST_F_TIMEOUT(shared, overflows_while_they_move, SLOW)
{
	int fds[MAX_SHARING], clock, gone, i, n, number = self->number;
	struct machine *machines = self->machines;
	__u64 totals[MAX_SHARING] = { 0 }, taken;
	pid_t mover;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (!can_move(machine))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	if (!pmu->reference)
		SKIP(return, "this driver handles interrupts on any CPU");
	/* Only these are on the CPU that goes offline. */
	gone = cpu_other_than(0);
	must_load(false);
	for (n = 0; n < number; n++)
		ASSERT_EQ(0, device_hide(machines[n].pmu.device));
	ASSERT_EQ(0, cpu_pin(0));
	must_load(true);
	for (n = 0; n < number; n++)
		probe_late(&machines[n].pmu, gone);
	expect_same_cpu(machines, self->number);
	if (pmu->cpu != gone)
		SKIP(return, "all PMUs of this driver are on CPU %d", pmu->cpu);
	ASSERT_EQ(0, cpu_pin(0));
	open_on_all(machines, number, fds);
	clock = must_open_software(-1, 0);
	ASSERT_EQ(0, call_hold("irq_set_affinity"));
	mover = fork();
	ASSERT_LE(0, mover);
	if (!mover)
		_exit(cpu_set_online(gone, false) ? 1 : 0);
	ASSERT_TRUE(call_await(mover));
	taken = interrupts_taken(gone);
	for (n = 0; n < number; n++)
		totals[n] += inject_into(&machines[n], half_of(&machines[n]));
	for (i = 0; i < 10; i++)
		pmu_value(clock);
	EXPECT_EQ(taken, interrupts_taken(gone));
	call_release();
	expect_success(&mover);
	expect_same_cpu(machines, self->number);
	for (n = 0; n < number; n++)
		totals[n] += inject_into(&machines[n], half_of(&machines[n]));
	expect_totals(number, totals, fds);
}

/* A PMU that is bound after the other has moved is owned by the same CPU. */
TEST_F_TIMEOUT(shared, bound_after_the_other_has_moved, SLOW)
{
	struct machine *machines = self->machines;
	struct pmu *other = &machines[1].pmu;
	__u64 totals[2] = { 0 };
	int fds[2], gone, i, n, round;

	if (cpu_other_than(machines[0].pmu.cpu) < 0 || !cpu_can_go_offline(machines[0].pmu.cpu))
		SKIP(return, "CPU %d cannot go offline", machines[0].pmu.cpu);
	if (!driver_can_unbind(other->driver))
		SKIP(return, "the driver has no unbind");
	fds[0] = open_transactions(&machines[0]);
	/* Twice: whichever CPU a driver prefers, it must choose the other one once. */
	for (round = 0; round < 2; round++) {
		gone = machines[0].pmu.cpu;
		ASSERT_EQ(0, device_unbind(other->driver, other->device));
		EXPECT_EQ(0, cpu_pin(cpu_other_than(gone)));
		EXPECT_EQ(0, cpu_set_online(gone, false));
		EXPECT_EQ(0, cpu_set_online(gone, true));
		ASSERT_EQ(0, device_bind(other->driver, other->device));
		ASSERT_EQ(0, pmu_find(other, other->name));
		expect_same_cpu(machines, self->number);
		EXPECT_NE(gone, machines[0].pmu.cpu);
		ASSERT_EQ(0, pmu_follow(&machines[0].pmu));
		fds[1] = open_transactions(&machines[1]);
		totals[1] = 0;
		for (i = 0; i < 200; i++) {
			n = i % 2;
			totals[n] += inject_into(&machines[n], half_of(&machines[n]));
		}
		EXPECT_EQ(totals[0], pmu_value(fds[0]));
		EXPECT_EQ(totals[1], pmu_value(fds[1]));
		close(fds[1]);
	}
}

TEST_HARNESS_MAIN
