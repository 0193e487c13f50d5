// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling on overflow for the memory-mapped PMUs of Arm systems.
 *
 * The counter of a sampling event is set so that it overflows when a period is
 * over; the interrupt makes the sample and sets it again. What happens between
 * the last read of the counter and its being set is not counted: one access on
 * the bus for each sample.
 *
 * Where the hardware can capture, the overflow also copies all counters to
 * their shadows, and a sample with counts shows these: the values of the
 * instant of the overflow, however late the interrupt is.
 */

#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/timekeeping.h>

#include <asm/irq_regs.h>

#include "arm_syspmu.h"
#include "arm_syspmu_compat.h"

static unsigned int arm_syspmu_max_sample_rate = 100000;
module_param_named(max_sample_rate, arm_syspmu_max_sample_rate, uint, 0644);
MODULE_PARM_DESC(max_sample_rate,
		 "Samples per second of one PMU, beyond which its events pause until the next tick");

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
	u64 value;

	/* perf wants a new period to begin. */
	if (!left) {
		left = hw->sample_period;
		local64_set(&hw->period_left, left);
		hw->last_period = hw->sample_period;
	}

	/* Half of the range is left for the interrupt to come. */
	left = clamp_t(s64, left, 1, pmu->counter_mask >> 1);
	value = -left & pmu->counter_mask;
	local64_set(&hw->prev_count, value);
	pmu->values[hw->idx] = value;
	pmu->ops->write_counter(pmu, hw->idx, value);
}

/**
 * arm_syspmu_mark_due - tell a period that is just over from one to begin
 * @hw: of a sampling event, its count up to date
 *
 * perf sets what is left of the period to zero when a new one shall begin.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_mark_due(struct hw_perf_event *hw)
{
	if (!local64_read(&hw->period_left))
		local64_set(&hw->period_left, -1);
}

/* Whether a period is over; then the next one has begun. */
static bool arm_syspmu_period_is_over(struct hw_perf_event *hw)
{
	s64 left = local64_read(&hw->period_left);
	s64 period = hw->sample_period;

	if (left > 0)
		return false;

	/* More than one period at once cannot be told apart any more. */
	left = left <= -period ? period : left + period;
	local64_set(&hw->period_left, left);

	return true;
}

/* Take a count back to what it was when the counters were captured. */
static void arm_syspmu_rewind(struct arm_syspmu *pmu, struct perf_event *event)
{
	int idx = event->hw.idx;
	u64 captured, now;

	if (event->pmu != &pmu->pmu || idx < 0)
		return;

	pmu->snapshot[idx] = 0;
	if (!test_bit(idx, pmu->wanted))
		return;

	captured = pmu->ops->read_captured(pmu, idx);
	now = arm_syspmu_update(pmu, event, false);
	pmu->snapshot[idx] = (now - captured) & pmu->counter_mask;
	/* The counter may have been set anew since it was captured. */
	if (is_sampling_event(event)) {
		captured = pmu->values[idx];
		pmu->snapshot[idx] = min(pmu->snapshot[idx],
					 (now - captured) & pmu->counter_mask);
	}
	local64_sub(pmu->snapshot[idx], &event->count);
}

static void arm_syspmu_advance(struct arm_syspmu *pmu, struct perf_event *event)
{
	if (event->pmu == &pmu->pmu && event->hw.idx >= 0)
		local64_add(pmu->snapshot[event->hw.idx], &event->count);
}

/*
 * Bring the period nearer to what gives the frequency that was asked for. perf
 * does so at each tick, but a CPU that idles while devices work has none.
 */
static void arm_syspmu_adjust_period(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	u64 now = ktime_get_mono_fast_ns();
	u64 passed = now - hw->freq_time_stamp;
	s64 change;

	hw->freq_time_stamp = now;
	if (!passed || passed > 2 * TICK_NSEC)
		return;

	change = mul_u64_u64_div_u64(hw->last_period, NSEC_PER_SEC,
				     passed * event->attr.sample_freq) -
		 hw->sample_period;
	hw->sample_period += change / 8;
	hw->sample_period = max_t(u64, hw->sample_period, 1);
}

/*
 * What perf_event_overflow() does, as far as a module can: the core of perf
 * exports neither that function nor its limit of the sample rate.
 */
static void arm_syspmu_output(struct perf_event *event)
{
	struct pt_regs *regs = get_irq_regs(), here = {};
	perf_overflow_handler_t handler;
	struct perf_sample_data data;

	/* Suspending may bring us here outside of an interrupt. */
	if (!regs) {
		perf_fetch_caller_regs(&here);
		regs = &here;
	}

	perf_sample_data_init(&data, 0, event->hw.last_period);
	event->pending_kill = POLL_IN;
	handler = READ_ONCE(event->overflow_handler);
	handler(event, &data, regs);

	if (event->fasync) {
		event->pending_wakeup = 1;
		irq_work_queue(&event->pending_irq);
	}
}

static void arm_syspmu_output_captured(struct arm_syspmu *pmu,
				       struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	arm_syspmu_rewind(pmu, leader);
	for_each_sibling_event(sibling, leader)
		arm_syspmu_rewind(pmu, sibling);

	pmu->frozen = true;
	arm_syspmu_output(event);
	pmu->frozen = false;

	arm_syspmu_advance(pmu, leader);
	for_each_sibling_event(sibling, leader)
		arm_syspmu_advance(pmu, sibling);
}

/* Whether the CPU would do nothing but make samples. */
static bool arm_syspmu_is_too_fast(struct arm_syspmu *pmu)
{
	if (time_is_before_jiffies(pmu->sample_time)) {
		pmu->sample_time = jiffies;
		pmu->samples = 0;
	}

	return ++pmu->samples >
	       DIV_ROUND_UP(READ_ONCE(arm_syspmu_max_sample_rate), HZ);
}

static enum hrtimer_restart arm_syspmu_unthrottle(struct hrtimer *timer)
{
	struct arm_syspmu *pmu = container_of(timer, struct arm_syspmu,
					      unthrottle);
	unsigned int idx;

	for_each_set_bit(idx, pmu->throttled, pmu->num_counters)
		pmu->pmu.start(pmu->events[idx], 0);
	bitmap_zero(pmu->throttled, pmu->num_counters);

	return HRTIMER_NORESTART;
}

static void arm_syspmu_throttle(struct arm_syspmu *pmu,
				struct perf_event *event)
{
	pmu->pmu.stop(event, PERF_EF_UPDATE);
	__set_bit(event->hw.idx, pmu->throttled);
	hrtimer_start(&pmu->unthrottle, ns_to_ktime(TICK_NSEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * arm_syspmu_sample - a sampling event has overflowed
 * @pmu: the PMU
 * @event: the event, its count up to date
 *
 * Context: interrupt, on the owning CPU.
 */
void arm_syspmu_sample(struct arm_syspmu *pmu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (arm_syspmu_period_is_over(hw)) {
		if (test_bit(hw->idx, pmu->capturing))
			arm_syspmu_output_captured(pmu, event);
		else
			arm_syspmu_output(event);
		if (event->attr.freq)
			arm_syspmu_adjust_period(event);
		hw->last_period = hw->sample_period;
		if (arm_syspmu_is_too_fast(pmu)) {
			arm_syspmu_throttle(pmu, event);
			return;
		}
	}

	arm_syspmu_update(pmu, event, false);
	arm_syspmu_mark_due(hw);
	arm_syspmu_set_period(pmu, event);
}

static void arm_syspmu_cancel_unthrottle(void *data)
{
	struct arm_syspmu *pmu = data;

	hrtimer_cancel(&pmu->unthrottle);
}

/**
 * arm_syspmu_sample_setup - prepare a PMU for sampling
 * @pmu: the PMU
 *
 * Context: process, at probe. Undone with the device.
 * Return: 0 or a negative errno.
 */
int arm_syspmu_sample_setup(struct arm_syspmu *pmu)
{
	hrtimer_setup(&pmu->unthrottle, arm_syspmu_unthrottle, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);

	return devm_add_action_or_reset(pmu->dev, arm_syspmu_cancel_unthrottle,
					pmu);
}
