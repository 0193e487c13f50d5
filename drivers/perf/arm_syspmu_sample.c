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

/* Events of the periods that are over, or 0; then the next one has begun. */
static u64 arm_syspmu_take_periods(struct hw_perf_event *hw)
{
	s64 left = local64_read(&hw->period_left);
	u64 period = hw->sample_period, more;

	if (left > 0)
		return 0;

	more = div64_u64(-left, period) * period;
	local64_set(&hw->period_left, left + more + period);

	return hw->last_period + more;
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

static void arm_syspmu_mark_member(struct arm_syspmu *pmu,
				   const struct perf_event *event,
				   unsigned long *members)
{
	if (event->pmu == &pmu->pmu && event->hw.idx >= 0 &&
	    test_bit(event->hw.idx, pmu->wanted))
		__set_bit(event->hw.idx, members);
}

/* The events whose counts are in samples that capture, and read the shadows. */
static void arm_syspmu_read_shadows(struct arm_syspmu *pmu,
				    const unsigned long *overflowed,
				    unsigned long *members)
{
	bool several = bitmap_weight(pmu->capturing, pmu->num_counters) > 1;
	struct perf_event *leader, *sibling;
	unsigned int idx;
	bool pending;

	bitmap_zero(members, ARM_SYSPMU_MAX_COUNTERS);
	for_each_and_bit(idx, overflowed, pmu->capturing, pmu->num_counters) {
		if (!test_bit(idx, pmu->wanted))
			continue;
		leader = pmu->events[idx]->group_leader;
		arm_syspmu_mark_member(pmu, leader, members);
		for_each_sibling_event(sibling, leader)
			arm_syspmu_mark_member(pmu, sibling, members);
	}

	/* The overflow of another one captures once more, perhaps by now. */
	do {
		pending = several &&
			  pmu->ops->has_overflowed(pmu, pmu->capturing);
		for_each_set_bit(idx, members, pmu->num_counters)
			pmu->snapshot[idx] = pmu->ops->read_captured(pmu, idx);
	} while (several && !pending &&
		 pmu->ops->has_overflowed(pmu, pmu->capturing));
}

/* What has been counted since the counters were captured. */
static u64 arm_syspmu_since_capture(struct arm_syspmu *pmu,
				    struct perf_event *event, u64 now)
{
	unsigned int idx = event->hw.idx;
	u64 since = (now - pmu->snapshot[idx]) & pmu->counter_mask;

	/* The counter may have been set anew since. */
	if (is_sampling_event(event))
		since = min(since, (now - pmu->values[idx]) & pmu->counter_mask);

	return since;
}

/* Set the counter anew. Returns whether a sample is due. */
static bool arm_syspmu_next_period(struct arm_syspmu *pmu,
				   struct perf_event *event)
{
	u64 passed = arm_syspmu_take_periods(&event->hw);

	if (passed)
		event->hw.last_period = passed;
	arm_syspmu_set_period(pmu, event);

	return passed;
}

/* With shadows, the counts are taken back to these for that time. */
static void arm_syspmu_output_due(struct arm_syspmu *pmu,
				  const unsigned long *due,
				  const unsigned long *members)
{
	unsigned int idx;

	for_each_set_bit(idx, members, pmu->num_counters)
		local64_sub(pmu->snapshot[idx], &pmu->events[idx]->count);
	pmu->frozen = !bitmap_empty(members, pmu->num_counters);

	for_each_set_bit(idx, due, pmu->num_counters)
		arm_syspmu_output(pmu->events[idx]);

	pmu->frozen = false;
	for_each_set_bit(idx, members, pmu->num_counters)
		local64_add(pmu->snapshot[idx], &pmu->events[idx]->count);
}

static void arm_syspmu_adjust_rate(struct arm_syspmu *pmu,
				   struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	u64 begun = hw->sample_period;

	if (event->attr.freq)
		arm_syspmu_adjust_period(event);
	hw->last_period = begun;
	if (arm_syspmu_is_too_fast(pmu))
		arm_syspmu_throttle(pmu, event);
}

/**
 * arm_syspmu_sample - make the samples of events that have overflowed
 * @pmu: the PMU
 * @overflowed: counters whose overflow has been taken; counting events among
 *	them are up to date, sampling ones are not
 *
 * All counters are read and set first, so that little happens in between and
 * the next period is not late.
 *
 * Context: interrupt, on the owning CPU.
 */
void arm_syspmu_sample(struct arm_syspmu *pmu, const unsigned long *overflowed)
{
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(due, ARM_SYSPMU_MAX_COUNTERS);
	struct perf_event *event;
	bool is_over, is_member;
	unsigned int idx;
	u64 now;

	bitmap_zero(due, ARM_SYSPMU_MAX_COUNTERS);
	arm_syspmu_read_shadows(pmu, overflowed, members);
	for_each_set_bit(idx, pmu->wanted, pmu->num_counters) {
		event = pmu->events[idx];
		is_over = test_bit(idx, overflowed) && is_sampling_event(event);
		is_member = test_bit(idx, members);
		if (!is_over && !is_member)
			continue;

		now = arm_syspmu_update(pmu, event, is_over);
		if (pmu->gone)
			return;
		if (is_member)
			pmu->snapshot[idx] =
				arm_syspmu_since_capture(pmu, event, now);
		if (is_over)
			__assign_bit(idx, due,
				     arm_syspmu_next_period(pmu, event));
	}

	arm_syspmu_output_due(pmu, due, members);
	for_each_set_bit(idx, due, pmu->num_counters)
		arm_syspmu_adjust_rate(pmu, pmu->events[idx]);
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
