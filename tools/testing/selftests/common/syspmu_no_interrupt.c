// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs without an interrupt: a timer of the driver detects that counters wrap. The tests wait for
 * that; if a driver never does, they time out.
 */
#include "interleave.h"
#include "refusal.h"

/* Counters of 64 bits do not. */
static bool can_wrap(const struct machine *machine)
{
	return !has_interrupt(machine) && machine->hardware.bits < 64;
}

static bool is_polled(const struct machine *machine)
{
	return !reference_has(&machine->pmu, REFERENCE_NEVER_POLLS) && can_wrap(machine);
}

PMU_FIXTURE(polled, is_polled, true)

/* The counter wraps several times without a read. */
SCENARIO(polled, wraps_unread,
	 "open a x; 12 times { x half + 1; await } read")

/* Read before and after the timer has detected it. */
SCENARIO(polled, wraps_read_at_once,
	 "open a x; 1000 times { x half + 1 - round; read; if round % 250 == 249 { await } } read")

SCENARIO(polled, all_counters_wrap,
	 "open a x copies=counters group; 6 times { x half + 1; await } read")

/* Stopped, closed and started again before the timer expires. */
SCENARIO(polled, stopped_before_the_timer,
	 "open a x;"
	 "200 times {"
	 "  x half + 1; stop a; x half + 1; read; start a;"
	 "  open b y; y half + 1; close b; open b y; y 3; read b; close b"
	 "}"
	 "read")

/* A stop before the timer expires detects that a whole range has passed, from any position. */
SCENARIO(polled, a_whole_range_before_a_stop,
	 "open a x;"
	 "32 times { x range; stop a; status; read; start a; x range / 16; stop a; read; start a }")

/* The timer moves with the PMU. */
SCENARIO(polled, goes_along_with_the_cpu,
	 "need othercpu; open a x;"
	 "3 times {"
	 "  x half + 1; await; away; x half + 1; await; x half + 1; await;"
	 "  back; x half + 1; await; read"
	 "}")

/* Without events there are no accesses. */
TEST_F(polled, quiet_without_events)
{
	__u64 accesses;
	int fd = must_open(pmu->event, -1);

	inject(over_half());
	await_handled();
	close(fd);
	accesses = all_accesses(stimulus);
	/* Any time is correct; a longer one also finds slower timers. */
	usleep(500000);
	EXPECT_EQ(accesses, all_accesses(stimulus));
}

/* Nor are there any after the timer or a read has found that the PMU does not respond. */
TEST_F_TIMEOUT(polled, quiet_when_it_has_gone, SLOW)
{
	unsigned int round;
	__u64 accesses;
	int fd;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	for (round = 0; round < 2; round++) {
		fd = must_open(pmu->event, -1);
		inject(7);
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
		revive();
	}
	expect_exact_counts();
}

/* Sampling requires an interrupt, and the log says so. */
TEST_F_TIMEOUT(polled, sampling_is_refused_with_a_reason, SLOW)
{
	struct refusal refusal =
		refusal_of(pmu->event, "sample_period 1000: this PMU has no overflow interrupt");

	refusal.attr.sample_period = 1000;
	refusal.expected = -EOPNOTSUPP;
	expect_message(&refusal);
}

/* Some drivers have no timer, but use such a PMU nevertheless. */
PMU_FIXTURE(without, can_wrap, true)

TEST_F_TIMEOUT(without, says_so, SLOW)
{
	mark_log();
	bind_again();
	EXPECT_LE(1, messages_with(pmu_log_word(pmu), "overflow interrupt"));
}

TEST_F(without, raises_none)
{
	must_open(pmu->event, -1);
	EXPECT_FALSE(pmu->family->raises_irq(stimulus));
	if (!pmu->reference)
		EXPECT_TRUE(pmu_interrupt_is(pmu, "timer"));
}

/* Counters of 64 bits need none, if there is no line and no message. */
static bool never_wraps(const struct machine *machine)
{
	return machine->hardware.bits == 64 && !machine->hardware.msi;
}

PMU_FIXTURE(wide, never_wraps, true)

/* The kernel's own driver probes the first PMU first. */
TEST_F_TIMEOUT(wide, counts_without, SLOW)
{
	int fd;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	must_unbind();
	/* -ENXIO */
	ASSERT_EQ(0, call_fail("platform_get_irq_optional -6"));
	must_bind();
	EXPECT_TRUE(call_has_failed());
	fd = must_open(pmu->event, -1);
	EXPECT_FALSE(pmu->family->raises_irq(stimulus));
	if (can_move(machine))
		take_cpu_away();
	inject(over_half());
	EXPECT_EQ(over_half(), pmu_value(fd));
	close(fd);
	bind_again();
}

TEST_HARNESS_MAIN
