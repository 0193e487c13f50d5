// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow handling for the memory-mapped PMUs of Arm systems: updating counts,
 * and preparing the counts that samples show.
 */

#include <linux/sched/clock.h>

#include "core.h"

#include <trace/events/arm_syspmu.h>

/* Passes of a handler that leaves no overflow status set */
#define ARM_SYSPMU_MAX_PASSES		64
#define ARM_SYSPMU_NEXT_PASS_NS		(100 * NSEC_PER_USEC)

/*
 * Lets the count of an event show a value that its counter had before @now, to
 * which the event has been updated: adds what was deferred up to this value. A
 * read may have updated the count past it already.
 */
static void arm_syspmu_show(struct arm_syspmu_core *core, unsigned int idx,
			    u64 value, u64 now)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	struct arm_syspmu_core_event *own = counter->event->pmu_private;
	u64 since = (now - value) & counter->mask;
	u64 total = local64_read(&own->deferred);

	/* Captured after @now: a counter may count on for a while when it is stopped. */
	if (since > counter->mask / 2)
		since = 0;
	if (since > total)
		return;

	local64_add(total - since, &counter->event->count);
	local64_set(&own->deferred, since);
}

/*
 * Updates all events that have overflowed, and the members of groups whose
 * counts are in a sample. Counters of sampling events are set for the next
 * period immediately after they have been read: what happens in between is not
 * counted.
 *
 * No count changes but those of the members: a reader on another CPU may be
 * about to copy the counts of a group that it has read at one instant. Those of
 * the members become the captured values, or those that are read here.
 */
static void arm_syspmu_update_overflowed(struct arm_syspmu_core *core,
					 const unsigned long *overflowed,
					 const unsigned long *members,
					 bool captured, unsigned long *due)
{
	DECLARE_BITMAP(counters, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(set, ARM_SYSPMU_MAX_COUNTERS) = {};
	unsigned int n = core->pmu->num_counters, idx;
	struct perf_event *event;
	bool stopped;
	u64 now;

	bitmap_and(counters, overflowed, core->active, n);
	bitmap_or(counters, counters, members, n);
	for_each_set_bit(idx, counters, n) {
		event = core->counters[idx].event;
		stopped = event->hw.state & PERF_HES_STOPPED;
		now = stopped ? local64_read(&core->counters[idx].value) :
				arm_syspmu_update(core, event);
		if (arm_syspmu_is_inaccessible(core))
			return;
		if (test_bit(idx, members))
			arm_syspmu_show(core, idx,
					captured ? core->counters[idx].shadow : now,
					now);
		if (test_bit(idx, overflowed) && !stopped &&
		    is_sampling_event(event)) {
			/* The overflow status has been cleared. */
			core->counters[idx].wrapped = false;
			core->counters[idx].set_from = now;
			__set_bit(idx, set);
			__assign_bit(idx, due,
				     arm_syspmu_next_period(core, event));
		}
	}
	arm_syspmu_save_beside_set(core, set);
	arm_syspmu_end_write(core);
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
	u64 begin = local_clock();
	bool captured;

	raw_spin_lock(lock);
	core->frozen = true;
	/* A read in an NMI must not change counts from here on. */
	barrier();
	arm_syspmu_find_members(core, overflowed, members);
	captured = arm_syspmu_capture_members(core, overflowed, members);
	bitmap_zero(core->saved, core->pmu->num_counters);
	arm_syspmu_update_overflowed(core, overflowed, members, captured, due);
	raw_spin_unlock(lock);

	/* While samples are made, counts stay as they are to show them. */
	if (!arm_syspmu_is_inaccessible(core))
		arm_syspmu_make_samples(core, due, begin);
	core->frozen = false;
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
