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
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>

#include <asm/irq_regs.h>

#include "arm_syspmu_compat.h"
#include "arm_syspmu_private.h"

/* Flag of an event: the period is over exactly, and its sample is not made yet. */
#define ARM_SYSPMU_OVERDUE	BIT(0)

/* perf_event_overflow(), or NULL. */
static int (*arm_syspmu_perf_overflow)(struct perf_event *event,
				       struct perf_sample_data *data,
				       struct pt_regs *regs);

/**
 * arm_syspmu_sample_init - find what makes samples
 *
 * perf_event_overflow() is what every driver that samples calls, but it is not
 * exported, since none of them is a module so far. A kprobe, which is never
 * armed, knows where it is.
 *
 * Context: process, when the module is loaded.
 */
void arm_syspmu_sample_init(void)
{
	struct kprobe probe = {
		.symbol_name = "perf_event_overflow",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&probe);

	if (err) {
		pr_warn("arm_syspmu: no sampling, a kprobe is needed to find perf_event_overflow(): %d\n",
			err);
		return;
	}

	arm_syspmu_perf_overflow = (void *)probe.addr;
	unregister_kprobe(&probe);
}

/**
 * arm_syspmu_kernel_samples - whether samples can be made at all
 *
 * Context: any.
 * Return: whether they can
 */
bool arm_syspmu_kernel_samples(void)
{
	return arm_syspmu_perf_overflow;
}

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

	/* perf wants a new period to begin. */
	if (!left) {
		left = hw->sample_period;
		local64_set(&hw->period_left, left);
		hw->last_period = hw->sample_period;
		hw->flags &= ~ARM_SYSPMU_OVERDUE;
	}

	/* Half of the range is left for the interrupt to come. */
	left = clamp_t(s64, left, 1, pmu->counter_mask >> 1);
	arm_syspmu_set_counter(pmu, hw->idx, -left & pmu->counter_mask);
}

/**
 * arm_syspmu_mark_due - tell a period that is just over from one to begin
 * @hw: of a sampling event, its count up to date
 *
 * perf sets what is left of the period to zero when a new one shall begin. So
 * this one ends with the next event, which is the first of the one after it.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_mark_due(struct hw_perf_event *hw)
{
	if (local64_read(&hw->period_left))
		return;

	local64_set(&hw->period_left, -1);
	hw->flags |= ARM_SYSPMU_OVERDUE;
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

static void arm_syspmu_mark_member(struct arm_syspmu *pmu,
				   const struct perf_event *event,
				   unsigned long *members)
{
	if (event->pmu == &pmu->pmu && event->hw.idx >= 0 &&
	    test_bit(event->hw.idx, pmu->active))
		__set_bit(event->hw.idx, members);
}

/**
 * arm_syspmu_mark_group - which counters the group of an event has
 * @pmu: the PMU
 * @event: an event of the group
 * @counters: receives those of active events besides what it has
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_mark_group(struct arm_syspmu *pmu,
			   const struct perf_event *event,
			   unsigned long *counters)
{
	struct perf_event *leader = event->group_leader, *sibling;

	arm_syspmu_mark_member(pmu, leader, counters);
	for_each_sibling_event(sibling, leader)
		arm_syspmu_mark_member(pmu, sibling, counters);
}

/**
 * arm_syspmu_find_members - which events are in samples that capture
 * @pmu: the PMU
 * @overflowed: counters that have overflowed
 * @members: receives the counters of all events in the groups of those among
 *	them that capture; empty when called
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_find_members(struct arm_syspmu *pmu,
			     const unsigned long *overflowed,
			     unsigned long *members)
{
	unsigned int idx;

	for_each_and_bit(idx, overflowed, pmu->capturing, pmu->num_counters)
		if (test_bit(idx, pmu->active))
			arm_syspmu_mark_group(pmu, pmu->counters[idx].event,
					      members);
}

/**
 * arm_syspmu_read_shadows - read what an overflow has captured
 * @pmu: the PMU
 * @members: counters to read the shadows of, into &arm_syspmu.shadow
 *
 * Context: interrupt, on the owning CPU.
 */
void arm_syspmu_read_shadows(struct arm_syspmu *pmu,
			     const unsigned long *members)
{
	bool several = bitmap_weight(pmu->capturing, pmu->num_counters) > 1;
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	bool pending = false;
	unsigned int idx;

	/* The overflow of another one captures once more, perhaps by now. */
	do {
		if (several) {
			pmu->ops->read_overflows(pmu, overflowed);
			pending = bitmap_intersects(overflowed, pmu->capturing,
						    pmu->num_counters);
		}
		for_each_set_bit(idx, members, pmu->num_counters)
			if (!test_bit(idx, pmu->at_capture))
				pmu->shadow[idx] =
					pmu->ops->read_captured(pmu, idx);
		if (!several || pending)
			return;
		pmu->ops->read_overflows(pmu, overflowed);
	} while (bitmap_intersects(overflowed, pmu->capturing,
				   pmu->num_counters));
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
