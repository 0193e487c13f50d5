// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling on overflow for the memory-mapped PMUs of Arm systems.
 *
 * The counter of a sampling event is set so that it overflows at the end of the
 * period. The interrupt handler sets it again and makes the sample. Events
 * between the read and the write of the counter are not counted: this takes one
 * bus access per sample, or three if counters have more than 32 bits.
 *
 * A sample includes the length of its period. If several periods have ended by
 * the time the handler runs, one sample is made with the sum of their lengths.
 *
 * If the hardware can capture, the overflow also copies all counters to their
 * shadow registers, and a sample that includes counts shows these: the counts
 * at the instant of the overflow, however late the interrupt is.
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
 * arm_syspmu_set_period - make a counter overflow at the end of the period
 * @pmu: the PMU
 * @event: a sampling event whose count is up to date
 *
 * If the period has already ended, the counter overflows on the next event.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_set_period(struct arm_syspmu *pmu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	s64 left = local64_read(&hw->period_left);
	u64 mask = pmu->counters[hw->idx].mask;

	/* perf sets period_left to zero to start a new period. */
	if (!left) {
		left = hw->sample_period;
		local64_set(&hw->period_left, left);
		hw->last_period = hw->sample_period;
		hw->flags &= ~ARM_SYSPMU_OVERDUE;
	}

	/* Leave half of the range for the latency of the interrupt. */
	left = clamp_t(s64, left, 1, mask >> 1);
	arm_syspmu_set_counter(pmu, hw->idx, -left & mask);
}

/*
 * Returns the total length of the periods that have ended, or 0, and starts the
 * next period.
 */
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
 * perf relies on the tick to limit the number of samples and to restart
 * throttled events. The CPU may be idle, and so have no tick, while devices
 * cause events.
 */
static void arm_syspmu_begin_tick(struct arm_syspmu *pmu)
{
	unsigned int idx;

	if (!time_is_before_jiffies(pmu->timers->sample_time))
		return;

	pmu->timers->sample_time = jiffies;
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
	/* 6.17 and newer throttle whole groups: restart them at one instant. */
	for_each_set_bit(idx, pmu->used, pmu->num_counters) {
		event = pmu->counters[idx].event;
		if (event->hw.interrupts != ARM_SYSPMU_THROTTLED)
			continue;
		event->hw.interrupts = 0;
		pmu->pmu.start(event, ARM_SYSPMU_EF_BATCH);
	}
	pmu->pmu.pmu_enable(&pmu->pmu);

	return HRTIMER_NORESTART;
}

/**
 * arm_syspmu_cancel_unthrottle - cancel the timer that restarts throttled
 *	events
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_cancel_unthrottle(struct arm_syspmu *pmu)
{
	hrtimer_try_to_cancel(&pmu->timers->unthrottle);
	pmu->throttled = false;
}

/* Makes a sample, after which perf may ask for the event to be stopped. */
static void arm_syspmu_output(struct arm_syspmu *pmu, struct perf_event *event)
{
	struct pt_regs *regs = get_irq_regs(), here = {};
	struct hw_perf_event *hw = &event->hw;
	u64 passed = hw->last_period, begun = hw->sample_period;
	bool throttled = hw->interrupts == ARM_SYSPMU_THROTTLED;
	struct perf_sample_data data;

	/* Suspending handles overflows outside of an interrupt. */
	if (!regs) {
		perf_fetch_caller_regs(&here);
		regs = &here;
	}

	perf_sample_data_init(&data, 0, passed);
	if (arm_syspmu_perf_overflow(event, &data, regs))
		pmu->pmu.stop(event, 0);
	/*
	 * If the event was throttled with its group before this sample was
	 * made, perf has counted the sample; keep the event throttled.
	 */
	if (throttled)
		hw->interrupts = ARM_SYSPMU_THROTTLED;
	/* If there is a tick, it restarts the event before the timer does. */
	if (hw->interrupts == ARM_SYSPMU_THROTTLED) {
		pmu->throttled = true;
		hrtimer_start(&pmu->timers->unthrottle, ns_to_ktime(TICK_NSEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
	}

	/* Unless perf has started another period, with an adjusted frequency */
	if (hw->last_period == passed)
		hw->last_period = begun;
}

/**
 * arm_syspmu_next_period - start the next period of a sampling event
 * @pmu: the PMU
 * @event: the event, whose counter has overflowed and whose count is up to date
 *
 * Context: interrupt, on the owning CPU.
 * Return: true if a sample is due
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
 * arm_syspmu_make_samples - make the samples that are due
 * @pmu: the PMU, with the counts of its events as the samples should show them
 * @due: counters of the events to make samples of
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
 * arm_syspmu_sample_setup - initialise the unthrottle timer
 * @pmu: the PMU
 *
 * No cleanup is needed, the timer is cancelled with the last event.
 *
 * Context: process, when the first event is opened.
 */
void arm_syspmu_sample_setup(struct arm_syspmu *pmu)
{
	hrtimer_setup(&pmu->timers->unthrottle, arm_syspmu_unthrottle, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}
