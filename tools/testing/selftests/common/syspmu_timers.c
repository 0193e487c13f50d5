// SPDX-License-Identifier: GPL-2.0
/*
 * How often timers of the driver interrupt a CPU. The limits are far from what a driver needs, and
 * the time is that which has passed: a slow machine changes no result.
 */
#include <time.h>

#include "fixture.h"
#include "trace_count.h"

static struct trace_count expired;

/* A message can get lost, a wire cannot. */
static bool needs_a_timer(const struct machine *machine)
{
	return (pmu_interrupt_is(&machine->pmu, "msi") ||
		pmu_interrupt_is(&machine->pmu, "timer")) && pmu_has_counters(&machine->pmu);
}

static void count_expirations(void)
{
	if (count_timers(&expired, "arm_syspmu"))
		SKIP(return, "this kernel cannot count expirations of its timers");
}

static void end_counting(void)
{
	trace_count_close(&expired);
}

PMU_FIXTURE_BETWEEN(timers, needs_a_timer, true, count_expirations, end_counting)

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* The two are the first one, whose time may have begun before, and the last one. */
static __u64 expect_at_most(unsigned int per_second, unsigned int milliseconds)
{
	__u64 before = trace_count_value(&expired), number;
	double begin = seconds(), passed;

	usleep(1000 * milliseconds);
	number = trace_count_value(&expired) - before;
	passed = seconds() - begin;
	EXPECT_GE(2 + per_second * passed, number)
		TH_LOG("%llu in %g s", number, passed);
	return number;
}

static void inject_overflow(void)
{
	inject(over_half());
	inject(over_half());
	await_handled();
}

/* Once a message has arrived, the timer is there in case that one gets lost. */
TEST_F_TIMEOUT(timers, rare_if_messages_arrive, SLOW)
{
	int fd;

	if (!pmu_interrupt_is(pmu, "msi"))
		SKIP(return, "this PMU sends no messages");
	fd = must_open(pmu->event, -1);
	inject_overflow();
	EXPECT_LT(0, expect_at_most(1, 4000));
	inject_overflow();
	EXPECT_EQ(4 * over_half(), pmu_value(fd));
}

/* A message is late, and the timer handles its overflow. */
TEST_F_TIMEOUT(timers, rare_after_a_late_message, SLOW)
{
	__u64 taken;
	int fd;

	if (!pmu_interrupt_is(pmu, "msi"))
		SKIP(return, "this PMU sends no messages");
	fd = must_open(pmu->event, -1);
	inject_overflow();
	taken = interrupts_taken(-1);
	stimulus_hold(stimulus, true);
	inject(over_half());
	inject(over_half());
	while (pmu_overflow_status(stimulus, hardware))
		usleep(20000);
	ASSERT_EQ(taken, interrupts_taken(-1));
	stimulus_hold(stimulus, false);
	while (interrupts_taken(-1) == taken)
		usleep(1000);
	EXPECT_LT(0, expect_at_most(1, 4000));
	EXPECT_EQ(4 * over_half(), pmu_value(fd));
}

/* A clock has at most a few GHz, and a counter of 32 bits wraps at most once in a second. */
TEST_F_TIMEOUT(timers, slow_for_a_clock, SLOW)
{
	int leader;

	leader = pmu_open(pmu, pmu->clock, -1);
	if (leader < 0)
		SKIP(return, "this PMU has no clock");
	pmu_open(pmu, pmu->clock, leader);
	expect_at_most(20, 1000);
}

/* Other events may occur several times in a cycle. */
TEST_F_TIMEOUT(timers, moderate_for_any_event, SLOW)
{
	must_open(pmu->event, -1);
	expect_at_most(300, 1000);
}

TEST_F(timers, none_without_events)
{
	__u64 before;
	int fd = must_open(pmu->event, -1);

	inject_overflow();
	close(fd);
	before = trace_count_value(&expired);
	/* Any time is correct; a longer one also finds slower timers. */
	usleep(500000);
	EXPECT_EQ(before, trace_count_value(&expired));
}

TEST_HARNESS_MAIN
