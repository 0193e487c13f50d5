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

#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>

#include <asm/irq_regs.h>

#include "compat.h"
#include "core.h"

/*
 * Returns the total length of the periods that have ended, or 0, and starts the
 * next period.
 */
static u64 arm_syspmu_take_periods(struct perf_event *event)
{
	struct arm_syspmu_core_event *own = event->pmu_private;
	struct hw_perf_event *hw = &event->hw;
	s64 left = local64_read(&hw->period_left);
	u64 period = hw->sample_period, more;

	if (left > 0)
		return 0;

	if (own->overdue) {
		own->overdue = false;
		left++;
	}
	more = div64_u64(-left, period) * period;
	local64_set(&hw->period_left, left + more + period);

	return hw->last_period + more;
}

/* PMUs that have made samples on a CPU in a tick, and in the one before */
struct arm_syspmu_tick {
	unsigned long time;
	unsigned int num_pmus;
	unsigned int before;
};

static DEFINE_PER_CPU(struct arm_syspmu_tick, arm_syspmu_ticks);

/*
 * perf relies on the tick to limit the number of samples. The CPU may be idle,
 * and so have no tick, while devices cause events.
 */
static void arm_syspmu_begin_tick(struct arm_syspmu_core *core)
{
	struct arm_syspmu_tick *tick = this_cpu_ptr(&arm_syspmu_ticks);
	unsigned int idx;

	if (!time_is_before_jiffies(core->sample_time))
		return;

	core->sample_time = jiffies;
	if (tick->time != core->sample_time) {
		tick->time = core->sample_time;
		tick->before = tick->num_pmus;
		tick->num_pmus = 0;
	}
	tick->num_pmus++;
	for_each_set_bit(idx, core->active, core->pmu->num_counters)
		core->counters[idx].event->hw.interrupts = 0;
}

/* Whether there was no tick, which would have restarted a throttled event */
static bool arm_syspmu_lacks_tick(const struct arm_syspmu_core *core)
{
	const struct perf_event *event, *leader;
	unsigned int idx;

	for_each_set_bit(idx, core->used, core->pmu->num_counters) {
		event = core->counters[idx].event;
		if (arm_syspmu_tick_knows_members())
			leader = event;
		else
			leader = event->group_leader;
		if (leader->hw.interrupts == ARM_SYSPMU_THROTTLED)
			return true;
	}

	return false;
}

/*
 * If there is a tick, it has restarted throttled events by now. Otherwise let
 * perf do what it does then, so that it records the end of throttling, too.
 */
static enum hrtimer_restart arm_syspmu_unthrottle(struct hrtimer *timer)
{
	struct arm_syspmu_core *core =
		container_of(timer, struct arm_syspmu_core, unthrottle);

	if (arm_syspmu_lacks_tick(core))
		arm_syspmu_perf_tick();
	arm_syspmu_restart_throttled(core);

	return HRTIMER_NORESTART;
}

/* Makes a sample, after which perf may ask for the event to be stopped. */
static void arm_syspmu_output(struct arm_syspmu_core *core,
			      struct perf_event *event)
{
	struct pt_regs *regs = get_irq_regs(), here = {};
	struct hw_perf_event *hw = &event->hw;
	bool throttled = hw->interrupts == ARM_SYSPMU_THROTTLED;
	u64 begun = hw->sample_period;
	struct perf_sample_data data;

	/* Suspending handles overflows outside of an interrupt. */
	if (!regs) {
		perf_fetch_caller_regs(&here);
		regs = &here;
	}

	perf_sample_data_init(&data, 0, hw->last_period);
	if (arm_syspmu_perf_overflow(event, &data, regs))
		arm_syspmu_stop_event(event, 0, false);
	/*
	 * If the event was throttled with its group before this sample was
	 * made, perf has counted the sample; keep the event throttled.
	 */
	if (throttled)
		hw->interrupts = ARM_SYSPMU_THROTTLED;
	if (hw->interrupts == ARM_SYSPMU_THROTTLED)
		hrtimer_start(&core->unthrottle, ns_to_ktime(TICK_NSEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
	hw->last_period = begun;
}

/*
 * Starts the next period of a sampling event whose counter has overflowed and
 * whose count is up to date. Returns true if a sample is due.
 */
bool arm_syspmu_next_period(struct arm_syspmu_core *core,
			    struct perf_event *event)
{
	u64 passed = arm_syspmu_take_periods(event);

	if (passed)
		event->hw.last_period = passed;
	/* If its counter cannot be set, it would not overflow for long. */
	if (arm_syspmu_set_period(core, event))
		arm_syspmu_perf_disable(event);

	return passed;
}

/*
 * Tells perf how long the samples of an overflow took: it throttles after fewer
 * samples if they take too much of the time of this CPU. It allows each PMU this
 * time, which they have to share.
 */
static void arm_syspmu_account_time(u64 begin)
{
	const struct arm_syspmu_tick *tick = this_cpu_ptr(&arm_syspmu_ticks);

	arm_syspmu_perf_took((local_clock() - begin) *
			     max(tick->num_pmus, tick->before));
}

/*
 * Makes the samples that are due, with the counts as they should show them. @begin
 * is when their overflows began to be handled.
 */
void arm_syspmu_make_samples(struct arm_syspmu_core *core,
			     const unsigned long *due, u64 begin)
{
	struct hw_perf_event *hw;
	unsigned int idx;
	u64 seq = 0;

	if (bitmap_empty(due, core->pmu->num_counters))
		return;

	arm_syspmu_begin_tick(core);
	for_each_set_bit(idx, due, core->pmu->num_counters) {
		hw = &core->counters[idx].event->hw;
		/* Another one has throttled its group: let perf do it once. */
		if (hw->interrupts == ARM_SYSPMU_THROTTLED)
			hw->interrupts_seq = seq;
		arm_syspmu_output(core, core->counters[idx].event);
		seq = hw->interrupts_seq;
	}
	arm_syspmu_account_time(begin);
}

/* The timer is cancelled with the last event. */
void arm_syspmu_sample_setup(struct arm_syspmu_core *core)
{
	hrtimer_setup(&core->unthrottle, arm_syspmu_unthrottle, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}
