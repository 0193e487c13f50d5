// SPDX-License-Identifier: GPL-2.0
/*
 * The wired interrupt of a PMU is used by another driver, too. If they cannot share it, the PMU is
 * registered nevertheless, with an MSI or a timer, and its counts are exact.
 */
#include "interleave.h"
#include "sampling_fixture.h"

FIXTURE(in_use) {
	struct machine machine;
	int irq;
	int mark;
	bool own_line;
};

static bool is_wired(const struct machine *machine)
{
	return pmu_interrupt_is(&machine->pmu, "wired");
}

PMU_VARIANTS(in_use, is_wired)

/* A CoreSight PMU with an edge: it asserts the line until all overflows have been handled. */
static bool needs_own_line(const struct machine *machine)
{
	return !strcmp(machine->pmu.family->module, "arm_coresight_pmu") &&
	       !device_has_level_interrupt(machine->pmu.device);
}

FIXTURE_SETUP(in_use)
{
	struct pmu *pmu = &self->machine.pmu;

	self->irq = -1;
	machine_setup_unbind(_metadata, &self->machine, variant ? variant->name : NULL);
	if (_metadata->exit_code)
		return;
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	self->irq = irq_of_device(pmu->device);
	ASSERT_LE(0, self->irq);
	self->own_line = needs_own_line(&self->machine);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	self->mark = kmsg_mark();
}

FIXTURE_TEARDOWN(in_use)
{
	struct pmu *pmu = &self->machine.pmu;

	if (self->irq >= 0) {
		irq_share_end();
		device_unbind(pmu->driver, pmu->device);
	}
	expect_bound(_metadata, &self->machine);
	if (self->irq >= 0)
		EXPECT_TRUE(is_wired(&self->machine));
	machine_teardown(_metadata, &self->machine);
}

static void bind(struct __test_metadata *_metadata, struct machine *machine)
{
	struct pmu *pmu = &machine->pmu;

	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	stimulus_traffic(&machine->stimulus, false);
}

static void expect_wired(struct __test_metadata *_metadata, FIXTURE_DATA(in_use) * self)
{
	struct machine *machine = &self->machine;
	__u64 taken;

	bind(_metadata, machine);
	ASSERT_TRUE(is_wired(machine));
	taken = interrupts_taken(&machine->pmu, -1);
	expect_exact_counts(_metadata, machine);
	if (machine->hardware.bits < 64)
		EXPECT_LT(taken, interrupts_taken(&machine->pmu, -1));
}

/* The timer or an MSI clears the status, which is only known of the first 64 counters. */
static void wrap_unread(struct __test_metadata *_metadata, struct machine *machine)
{
	__u64 total = 0;
	unsigned int i;
	int fd;

	if (machine->hardware.counters > 64)
		return;
	fd = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	for (i = 0; i < 6; i++) {
		stimulus_inject(&machine->stimulus, machine->pmu.event, machine->pmu.source,
				over_half(machine));
		total += over_half(machine);
		while (machine->hardware.bits < 64 &&
		       pmu_overflow_status(&machine->stimulus, &machine->hardware))
			usleep(1000);
	}
	EXPECT_EQ(total, pmu_value(fd));
	close(fd);
}

static void expect_fallback(struct __test_metadata *_metadata, FIXTURE_DATA(in_use) * self)
{
	static const char * const words[] = { "is not used: another driver uses it", NULL };
	struct machine *machine = &self->machine;
	struct perf_event_attr attr;

	bind(_metadata, machine);
	EXPECT_FALSE(is_wired(machine));
	EXPECT_EQ(1, kmsg_count(self->mark, words));
	expect_exact_counts(_metadata, machine);
	wrap_unread(_metadata, machine);
	if (has_interrupt(machine))
		return;
	attr = sampling_attr(_metadata, &machine->pmu, 1000);
	EXPECT_EQ(-EOPNOTSUPP, pmu_open_attr(&machine->pmu, &attr, -1));
}

TEST_F_TIMEOUT(in_use, not_shared, SLOW)
{
	int error = irq_share(self->irq, IRQ_ALONE);

	if (error == -EBUSY)
		SKIP(return, "another PMU uses it already");
	ASSERT_EQ(0, error);
	expect_fallback(_metadata, self);
}

TEST_F_TIMEOUT(in_use, shared, SLOW)
{
	ASSERT_EQ(0, irq_share(self->irq, IRQ_SHARED));
	if (self->own_line)
		expect_fallback(_metadata, self);
	else
		expect_wired(_metadata, self);
}

/*
 * As any other driver with the kernel parameter "threadirqs". From 6.9 on, handlers that are not
 * threaded can share with those that are.
 */
TEST_F_TIMEOUT(in_use, shared_with_a_thread, SLOW)
{
	int error = irq_share(self->irq, IRQ_THREADED);

	if (error == -EBUSY)
		SKIP(return, "another PMU uses it already");
	ASSERT_EQ(0, error);
	if (self->own_line || kernel_is_before(6, 9))
		expect_fallback(_metadata, self);
	else
		expect_wired(_metadata, self);
}

TEST_F_TIMEOUT(in_use, requested_later, SLOW)
{
	expect_wired(_metadata, self);
	if (self->own_line) {
		EXPECT_EQ(-EBUSY, irq_share(self->irq, IRQ_SHARED));
	} else {
		EXPECT_EQ(0, irq_share(self->irq, IRQ_SHARED));
		expect_exact_counts(_metadata, &self->machine);
	}
	EXPECT_EQ(-EBUSY, irq_share(self->irq, IRQ_ALONE));
}

TEST_HARNESS_MAIN
