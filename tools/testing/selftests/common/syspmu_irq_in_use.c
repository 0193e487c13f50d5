// SPDX-License-Identifier: GPL-2.0
/*
 * The wired interrupt of a PMU is used by another driver, too, or does not exist. If they cannot
 * share it, the PMU is registered nevertheless, with an MSI or a timer, and its counts are exact.
 */
#include "interleave.h"
#include "sampling_fixture.h"

static int irq;
static bool own_line;

static bool is_wired(const struct machine *machine)
{
	return pmu_interrupt_is(&machine->pmu, "wired");
}

/* A CoreSight PMU with an edge: it asserts the line until all overflows have been handled. */
static bool needs_own_line(void)
{
	return !strcmp(pmu->family->module, "arm_coresight_pmu") &&
	       !device_has_level_interrupt(pmu->device);
}

static void unbind(void)
{
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	irq = irq_of_device(pmu->device);
	ASSERT_LE(0, irq);
	own_line = needs_own_line();
	must_unbind();
	mark_log();
}

static void bind_to_the_wire(void)
{
	irq_share_end();
	device_unbind(pmu->driver, pmu->device);
	EXPECT_EQ(0, device_bind(pmu->driver, pmu->device));
	EXPECT_TRUE(is_wired(machine));
}

PMU_FIXTURE_BETWEEN(in_use, is_wired, true, unbind, bind_to_the_wire)

static void expect_wired(void)
{
	__u64 taken;

	must_bind();
	ASSERT_TRUE(is_wired(machine));
	taken = interrupts_taken(-1);
	expect_exact_counts();
	if (hardware->bits < 64)
		EXPECT_LT(taken, interrupts_taken(-1));
}

/* The timer or an MSI clears the status, which is only known of the first 64 counters. */
static void wrap_unread(void)
{
	if (hardware->counters > 64)
		return;
	if (hardware->bits < 64)
		play("open a x; 6 times { x half + 1; await } read");
	else
		play("open a x; 6 times { x half + 1 } read");
}

#define TAKEN	"is not used: another driver uses it"

static void expect_fallback(const char *reason)
{
	struct perf_event_attr attr;

	must_bind();
	EXPECT_FALSE(is_wired(machine));
	EXPECT_EQ(1, messages_with(reason));
	expect_exact_counts();
	wrap_unread();
	if (has_interrupt(machine))
		return;
	attr = sampling_attr(PERIOD);
	EXPECT_EQ(-EOPNOTSUPP, pmu_open_attr(pmu, &attr, -1));
}

TEST_F_TIMEOUT(in_use, not_shared, SLOW)
{
	int error = irq_share(irq, IRQ_ALONE);

	if (error == -EBUSY)
		SKIP(return, "another PMU uses it already");
	ASSERT_EQ(0, error);
	expect_fallback(TAKEN);
}

/* Firmware gives an interrupt that the interrupt controller does not have. */
TEST_F_TIMEOUT(in_use, missing, SLOW)
{
	ASSERT_EQ(0, call_fail("platform_get_irq_optional -22"));
	expect_fallback("the interrupt is not used: firmware describes it wrongly (-22)");
}

TEST_F_TIMEOUT(in_use, shared, SLOW)
{
	ASSERT_EQ(0, irq_share(irq, IRQ_SHARED));
	if (own_line)
		expect_fallback(TAKEN);
	else
		expect_wired();
}

/*
 * As any other driver with the kernel parameter "threadirqs". From 6.9 on, handlers that are not
 * threaded can share with those that are.
 */
TEST_F_TIMEOUT(in_use, shared_with_a_thread, SLOW)
{
	int error = irq_share(irq, IRQ_THREADED);

	if (error == -EBUSY)
		SKIP(return, "another PMU uses it already");
	ASSERT_EQ(0, error);
	if (own_line || kernel_is_before(6, 9))
		expect_fallback(TAKEN);
	else
		expect_wired();
}

TEST_F_TIMEOUT(in_use, requested_later, SLOW)
{
	expect_wired();
	if (own_line) {
		EXPECT_EQ(-EBUSY, irq_share(irq, IRQ_SHARED));
	} else {
		EXPECT_EQ(0, irq_share(irq, IRQ_SHARED));
		expect_exact_counts();
	}
	EXPECT_EQ(-EBUSY, irq_share(irq, IRQ_ALONE));
}

TEST_HARNESS_MAIN
