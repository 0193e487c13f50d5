// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow handling for the memory-mapped PMUs of Arm systems: updating counts,
 * and preparing the counts that samples show.
 */

#include "core.h"

#include <trace/events/arm_syspmu.h>

/* Passes of a handler that leaves no overflow status set */
#define ARM_SYSPMU_MAX_PASSES		64
#define ARM_SYSPMU_NEXT_PASS_NS		(100 * NSEC_PER_USEC)

/*
 * perf_read_group() copies the counts of a group under this lock. The overflow
 * handler takes it while it updates counts, so that a reader on another CPU
 * does not get counts of different instants.
 */
static raw_spinlock_t *
arm_syspmu_counts_lock(const struct arm_syspmu_core *core)
{
	unsigned int idx = find_first_bit(core->used, core->pmu->num_counters);

	return &core->counters[idx].event->ctx->lock;
}

/*
 * Updates the events of a sample to the values captured by its overflow, and no
 * further: so the counts of the group are from the same instant until they are
 * next read. What a group read has updated already shows the values of that
 * read. Sampling events that have overflowed are left to
 * arm_syspmu_update_sampled().
 */
static void arm_syspmu_update_members(struct arm_syspmu_core *core,
				      const unsigned long *overflowed,
				      const unsigned long *members)
{
	struct arm_syspmu *pmu = core->pmu;
	struct perf_event *event;
	unsigned int idx;

	for_each_set_bit(idx, members, pmu->num_counters) {
		event = core->counters[idx].event;
		if (arm_syspmu_is_captured(event))
			arm_syspmu_account(core, event, 0);
		else if (!test_bit(idx, overflowed) ||
			 !is_sampling_event(event))
			arm_syspmu_update_to(core, event,
					     core->counters[idx].shadow,
					     pmu->ops->read_counter(pmu, idx));
		if (arm_syspmu_is_inaccessible(core))
			return;
	}
}

/*
 * The sampling event itself had to be updated to @now, since its counter is set
 * to a new value: let its count show the captured value, and defer the rest. If
 * a read has already updated the count past that value, it stays.
 */
static void arm_syspmu_show_captured(struct arm_syspmu_core *core,
				     unsigned int idx, u64 now)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	struct arm_syspmu_core_event *own = counter->event->pmu_private;
	u64 since = (now - counter->shadow) & counter->mask;
	u64 total = local64_read(&own->deferred);

	if (since > total)
		return;

	local64_add(total - since, &counter->event->count);
	local64_set(&own->deferred, since);
}

/*
 * Reads the counters of sampling events that have overflowed, and immediately
 * sets them for the next period: what happens in between is not counted.
 */
static void arm_syspmu_update_sampled(struct arm_syspmu_core *core,
				      const unsigned long *overflowed,
				      const unsigned long *members,
				      unsigned long *due)
{
	unsigned int n = core->pmu->num_counters, idx;
	struct perf_event *event;
	bool shown;
	u64 now;

	for_each_and_bit(idx, overflowed, core->active, n) {
		event = core->counters[idx].event;
		if (!is_sampling_event(event))
			continue;

		now = arm_syspmu_update(core, event);
		if (arm_syspmu_is_inaccessible(core))
			return;
		/* The overflow status has been cleared. */
		core->counters[idx].wrapped = false;
		shown = arm_syspmu_is_captured(event);
		__assign_bit(idx, due, arm_syspmu_next_period(core, event));
		if (test_bit(idx, members) && !shown)
			arm_syspmu_show_captured(core, idx, now);
	}
	arm_syspmu_end_write(core);
}

/* The samples are about to be made: the next overflow captures for others. */
static void arm_syspmu_forget_captured(struct arm_syspmu_core *core,
				       const unsigned long *members)
{
	struct arm_syspmu_core_event *own;
	unsigned int idx;

	for_each_set_bit(idx, members, core->pmu->num_counters) {
		own = core->counters[idx].event->pmu_private;
		own->captured_for = NULL;
	}
}

/* Finds the counting events that have overflowed and are not in a sample. */
static void arm_syspmu_find_counting(const struct arm_syspmu_core *core,
				     const unsigned long *overflowed,
				     const unsigned long *members,
				     unsigned long *counting)
{
	unsigned int n = core->pmu->num_counters, idx;

	bitmap_and(counting, overflowed, core->active, n);
	bitmap_andnot(counting, counting, members, n);
	for_each_set_bit(idx, counting, n)
		if (is_sampling_event(core->counters[idx].event))
			__clear_bit(idx, counting);
}

/*
 * The interrupt can arrive after perf has read a group and before it copies the
 * counts. The counts of the group must still be from one instant, so do not
 * only update the events that have overflowed, but all of them, with a capture.
 */
static void arm_syspmu_update_counting(struct arm_syspmu_core *core,
				       const unsigned long *overflowed,
				       const unsigned long *members)
{
	DECLARE_BITMAP(counting, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters, idx;

	arm_syspmu_find_counting(core, overflowed, members, counting);
	if (bitmap_empty(counting, n))
		return;

	if (core->pmu->can_capture && bitmap_weight(core->active, n) > 1 &&
	    arm_syspmu_capture(core))
		bitmap_andnot(counting, core->active, members, n);
	for_each_set_bit(idx, counting, n) {
		/* Only some of the values may be of this capture. */
		if (arm_syspmu_is_inaccessible(core))
			break;
		arm_syspmu_update_from_source(core, core->counters[idx].event);
	}
	core->source = ARM_SYSPMU_COUNTERS;
}

/* Stopped events get their deferred delta now, active ones on the next read. */
static void arm_syspmu_end_deferring(struct arm_syspmu_core *core)
{
	struct perf_event *event;
	unsigned int idx;

	core->deferring = false;
	for_each_set_bit(idx, core->used, core->pmu->num_counters) {
		event = core->counters[idx].event;
		if (event->hw.state & PERF_HES_STOPPED)
			arm_syspmu_account(core, event, 0);
	}
}

/* Brings all counts up to date, those of samples to the captured values. */
static void arm_syspmu_update_all(struct arm_syspmu_core *core,
				  const unsigned long *overflowed,
				  const unsigned long *members,
				  unsigned long *due)
{
	arm_syspmu_update_members(core, overflowed, members);
	core->deferring = !bitmap_empty(members, core->pmu->num_counters);
	if (!arm_syspmu_is_inaccessible(core))
		arm_syspmu_update_sampled(core, overflowed, members, due);
	arm_syspmu_forget_captured(core, members);
	if (!arm_syspmu_is_inaccessible(core))
		arm_syspmu_update_counting(core, overflowed, members);
	if (!arm_syspmu_is_inaccessible(core))
		arm_syspmu_acknowledge_shared(core, overflowed);
}

/* Reads and sets all counters first, since making samples takes time. */
static void arm_syspmu_count_overflows(struct arm_syspmu_core *core,
				       const unsigned long *overflowed)
{
	DECLARE_BITMAP(due, ARM_SYSPMU_MAX_COUNTERS) = {};
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS);
	raw_spinlock_t *lock = arm_syspmu_counts_lock(core);

	raw_spin_lock(lock);
	core->frozen = true;
	/* A read in an NMI must not change counts from here on. */
	barrier();
	arm_syspmu_find_members(core, overflowed, members);
	arm_syspmu_read_shadows(core, members);
	arm_syspmu_update_all(core, overflowed, members, due);
	/* While samples are made, counts stay as they are to show them. */
	core->frozen = core->deferring;
	raw_spin_unlock(lock);

	if (!arm_syspmu_is_inaccessible(core))
		arm_syspmu_make_samples(core, due);
	if (!core->deferring)
		return;

	raw_spin_lock(lock);
	arm_syspmu_end_deferring(core);
	core->frozen = false;
	raw_spin_unlock(lock);
}

/* Returns true if an overflow status was set, which has been cleared. */
static bool arm_syspmu_handle_once(struct arm_syspmu_core *core)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	struct arm_syspmu *pmu = core->pmu;
	unsigned int n = pmu->num_counters;

	if (arm_syspmu_is_inaccessible(core))
		return false;

	arm_syspmu_read_overflows(core, overflowed);
	if (bitmap_empty(overflowed, n))
		return false;
	pmu->ops->clear_overflows(pmu, overflowed);
	/*
	 * Left over from before the first event was opened. Pairs with
	 * smp_store_release() in arm_syspmu_count_setup().
	 */
	if (!smp_load_acquire(&core->counters))
		return true;
	arm_syspmu_acknowledge(core, overflowed);
	trace_arm_syspmu_overflow(pmu->pmu.name, overflowed, n);

	if (!bitmap_empty(core->used, n))
		arm_syspmu_count_overflows(core, overflowed);

	return true;
}

/*
 * Handles all overflows that are pending, in an interrupt on the owning CPU,
 * without perf's locks. If the interrupt is an edge that is only raised while no
 * overflow status was set, repeats until none is. If new overflows occur as fast
 * as they are handled, the poll timer continues after other interrupts and tasks
 * had a chance to run. Returns true if there were any.
 */
bool arm_syspmu_handle_overflows(struct arm_syspmu_core *core)
{
	unsigned int passes = 0;

	while (arm_syspmu_handle_once(core)) {
		passes++;
		if (!core->repeats)
			break;
		if (passes < ARM_SYSPMU_MAX_PASSES)
			continue;
		/* Disabling the last counter cancels the timer. */
		if (!bitmap_empty(core->enabled, core->pmu->num_counters))
			hrtimer_start(&core->poll,
				      ns_to_ktime(ARM_SYSPMU_NEXT_PASS_NS),
				      HRTIMER_MODE_REL_PINNED_HARD);
		break;
	}

	return passes;
}
