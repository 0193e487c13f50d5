// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling on overflow for the memory-mapped PMUs of Arm systems.
 *
 * The counter of a sampling event is set so that it overflows when a period is
 * over; the interrupt sets it again and makes the sample. What happens between
 * the read of the counter and its being set is not counted: one access on the
 * bus for each sample, or three where counters have more than 32 bits.
 *
 * A sample says how many events it stands for. When several periods are over
 * at once, it stands for all of them.
 *
 * Where the hardware can capture, the overflow also copies all counters to
 * their shadows, and a sample with counts shows these: the values of the
 * instant of the overflow, however late the interrupt is.
 */

#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>

#include <asm/irq_regs.h>

#include "compat.h"
#include "private.h"

/**
 * arm_syspmu_set_period - make a counter overflow when the period is over
 * @pmu: the PMU
 * @event: a sampling event, its count up to date
 *
 * A sample that is overdue is made at the next occasion: one event ahead.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_set_period(struct arm_syspmu *pmu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	s64 left = local64_read(&hw->period_left);
	u64 mask = pmu->counters[hw->idx].mask;

	/* perf wants a new period to begin. */
	if (!left) {
		left = hw->sample_period;
		local64_set(&hw->period_left, left);
		hw->last_period = hw->sample_period;
		hw->flags &= ~ARM_SYSPMU_OVERDUE;
	}

	/* Half of the range is left for the interrupt to come. */
	left = clamp_t(s64, left, 1, mask >> 1);
	arm_syspmu_set_counter(pmu, hw->idx, -left & mask);
}

/* Events of the periods that are over, or 0; then the next one has begun. */
static u64 arm_syspmu_take_periods(struct hw_perf_event *hw)
{
	s64 left = local64_read(&hw->period_left);
	u64 period = hw->sample_period, more;

	if (left > 0)
		return 0;

	if (hw->flags & ARM_SYSPMU_OVERDUE) {
		hw->flags &= ~ARM_SYSPMU_OVERDUE;
		left++;
	}
	more = div64_u64(-left, period) * period;
	local64_set(&hw->period_left, left + more + period);

	return hw->last_period + more;
}

/*
 * The tick tells perf how many samples an event may still make, and lets events
 * that were throttled go on. A CPU that idles while devices work has no tick.
 */
static void arm_syspmu_begin_tick(struct arm_syspmu *pmu)
{
	unsigned int idx;

	if (!time_is_before_jiffies(pmu->sample_time))
		return;

	pmu->sample_time = jiffies;
	for_each_set_bit(idx, pmu->active, pmu->num_counters)
		pmu->counters[idx].event->hw.interrupts = 0;
}

static enum hrtimer_restart arm_syspmu_unthrottle(struct hrtimer *timer)
{
	struct arm_syspmu *pmu =
		container_of(timer, struct arm_syspmu_timers, unthrottle)->pmu;
	struct perf_event *event;
	unsigned int idx;

	pmu->throttled = false;
	/* Newer kernels throttle whole groups: these start at one instant. */
	pmu->pmu.pmu_disable(&pmu->pmu);
	for_each_set_bit(idx, pmu->used, pmu->num_counters) {
		event = pmu->counters[idx].event;
		if (event->hw.interrupts != ARM_SYSPMU_THROTTLED)
			continue;
		event->hw.interrupts = 0;
		pmu->pmu.start(event, 0);
	}
	pmu->pmu.pmu_enable(&pmu->pmu);

	return HRTIMER_NORESTART;
}

/**
 * arm_syspmu_cancel_unthrottle - no event is left that could go on
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_cancel_unthrottle(struct arm_syspmu *pmu)
{
	hrtimer_try_to_cancel(&pmu->timers->unthrottle);
	pmu->throttled = false;
}

/* Let perf make the sample. It may want the event to stop. */
static void arm_syspmu_output(struct arm_syspmu *pmu, struct perf_event *event)
{
	struct pt_regs *regs = get_irq_regs(), here = {};
	struct hw_perf_event *hw = &event->hw;
	u64 passed = hw->last_period, begun = hw->sample_period;
	bool throttled = hw->interrupts == ARM_SYSPMU_THROTTLED;
	struct perf_sample_data data;

	/* Suspending may bring us here outside of an interrupt. */
	if (!regs) {
		perf_fetch_caller_regs(&here);
		regs = &here;
	}

	perf_sample_data_init(&data, 0, passed);
	if (arm_syspmu_perf_overflow(event, &data, regs))
		pmu->pmu.stop(event, 0);
	/* Perhaps with its group, before this very sample, which perf counts. */
	if (throttled)
		hw->interrupts = ARM_SYSPMU_THROTTLED;
	/* Where there is a tick, it comes before that. */
	if (hw->interrupts == ARM_SYSPMU_THROTTLED) {
		pmu->throttled = true;
		hrtimer_start(&pmu->timers->unthrottle, ns_to_ktime(TICK_NSEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
	}

	/* Unless perf has begun yet another period, one of the frequency. */
	if (hw->last_period == passed)
		hw->last_period = begun;
}

/**
 * arm_syspmu_next_period - begin the next period of a sampling event
 * @pmu: the PMU
 * @event: the event, whose counter has overflowed; up to date
 *
 * Context: interrupt, on the owning CPU.
 * Return: whether a sample is due
 */
bool arm_syspmu_next_period(struct arm_syspmu *pmu, struct perf_event *event)
{
	u64 passed = arm_syspmu_take_periods(&event->hw);

	if (passed)
		event->hw.last_period = passed;
	arm_syspmu_set_period(pmu, event);

	return passed;
}

/**
 * arm_syspmu_make_samples - let perf make the samples that are due
 * @pmu: the PMU, all counts those that the samples show
 * @due: counters of their events, which perf may want to stop
 *
 * Context: interrupt, on the owning CPU.
 */
void arm_syspmu_make_samples(struct arm_syspmu *pmu, const unsigned long *due)
{
	unsigned int idx;

	arm_syspmu_begin_tick(pmu);
	for_each_set_bit(idx, due, pmu->num_counters)
		arm_syspmu_output(pmu, pmu->counters[idx].event);
}

/**
 * arm_syspmu_sample_setup - prepare a PMU for sampling
 * @pmu: the PMU
 *
 * Nothing is to be undone: the timer does not outlive the last event.
 *
 * Context: process, when the first event is opened.
 */
void arm_syspmu_sample_setup(struct arm_syspmu *pmu)
{
	hrtimer_setup(&pmu->timers->unthrottle, arm_syspmu_unthrottle, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}
