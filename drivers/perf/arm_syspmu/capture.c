// SPDX-License-Identifier: GPL-2.0
/*
 * Capture for the memory-mapped PMUs of Arm systems: all counters are copied to
 * their shadow registers at one instant, either by software for the read of a
 * group, or by the overflow of a sampling event.
 */

#include "core.h"

#include <trace/events/arm_syspmu.h>

/* Attempts at a group read while other agents capture, too */
#define ARM_SYSPMU_CAPTURE_TRIES	3

static void arm_syspmu_mark_member(const struct arm_syspmu_core *core,
				   const struct perf_event *event,
				   unsigned long *members)
{
	if (event->pmu == &core->pmu->pmu && event->hw.idx >= 0)
		__set_bit(event->hw.idx, members);
}

/* Adds the counters of the events of a group to a bitmap. */
void arm_syspmu_mark_group(const struct arm_syspmu_core *core,
			   const struct perf_event *event,
			   unsigned long *counters)
{
	struct perf_event *leader = event->group_leader, *sibling;

	arm_syspmu_mark_member(core, leader, counters);
	for_each_sibling_event(sibling, leader)
		arm_syspmu_mark_member(core, sibling, counters);
}

/*
 * Finds the counters of the groups whose counts are in the samples of these
 * overflows.
 */
void arm_syspmu_find_members(const struct arm_syspmu_core *core,
			     const unsigned long *overflowed,
			     unsigned long *members)
{
	unsigned int n = core->pmu->num_counters, idx;
	struct perf_event *event;

	bitmap_zero(members, n);
	for_each_and_bit(idx, overflowed, core->active, n) {
		event = core->counters[idx].event;
		if (is_sampling_event(event) &&
		    event->attr.sample_type & PERF_SAMPLE_READ)
			arm_syspmu_mark_group(core, event, members);
	}
}

static void arm_syspmu_copy_shadow(struct arm_syspmu_core *core,
				   unsigned int idx)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	struct arm_syspmu *pmu = core->pmu;
	u64 value = pmu->ops->read_captured(pmu, idx);

	counter->progress = (value - counter->shadow) & counter->mask;
	counter->shadow = value;
}

/*
 * Copies the shadow registers of @counters and @guards. If something captures
 * again meanwhile, this changes the shadow of a guard: these are read first, and
 * once more at the end. An overflow changes the shadow of its own counter.
 * Returns false if the copies may be of different captures.
 */
static bool arm_syspmu_copy_shadows(struct arm_syspmu_core *core,
				    const unsigned long *counters,
				    const unsigned long *guards)
{
	DECLARE_BITMAP(others, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters, idx;
	const struct arm_syspmu_counter *counter;
	struct arm_syspmu *pmu = core->pmu;

	bitmap_andnot(others, counters, guards, n);
	for_each_set_bit(idx, guards, n)
		arm_syspmu_copy_shadow(core, idx);
	for_each_set_bit(idx, others, n)
		arm_syspmu_copy_shadow(core, idx);
	for_each_set_bit(idx, guards, n) {
		counter = &core->counters[idx];
		if ((pmu->ops->read_captured(pmu, idx) ^ counter->shadow) &
		    counter->mask)
			return false;
	}

	return true;
}

/*
 * Another agent only changes the shadow of a counter that is currently counting:
 * the guard must be one of those that have advanced most since the last capture.
 * Returns false if it was not.
 */
static bool arm_syspmu_choose_guard(struct arm_syspmu_core *core)
{
	unsigned int n = core->pmu->num_counters, idx, busiest = core->guard;
	const struct arm_syspmu_counter *counters = core->counters;

	for_each_set_bit(idx, core->used, n)
		if (counters[idx].progress > counters[busiest].progress)
			busiest = idx;
	if (counters[core->guard].progress >= counters[busiest].progress / 2)
		return true;

	core->guard = busiest;

	return false;
}

/*
 * If the leader of a group is closed, which may be an event of another PMU, each
 * of the others becomes a group of its own, and what was saved is not for these.
 */
static bool arm_syspmu_is_saved(const struct arm_syspmu_counter *counter)
{
	return counter->saved_for == counter->event->group_leader;
}

/* Saves what pending overflows have captured, for their samples. */
static void arm_syspmu_save_captured(struct arm_syspmu_core *core)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters, idx;
	struct arm_syspmu_counter *counter;
	struct arm_syspmu *pmu = core->pmu;

	if (bitmap_empty(core->capturing, n))
		return;

	arm_syspmu_read_overflows(core, overflowed);
	arm_syspmu_find_members(core, overflowed, members);
	for_each_set_bit(idx, members, n) {
		counter = &core->counters[idx];
		if (arm_syspmu_is_saved(counter))
			continue;
		counter->saved = pmu->ops->read_captured(pmu, idx);
		counter->saved_for = counter->event->group_leader;
	}
}

/*
 * Captures all counters and copies their shadows. With interrupts off, each
 * counter of a sampling event overflows once at most: it is far from the next
 * overflow until it is set again.
 */
static bool arm_syspmu_capture_copies(struct arm_syspmu_core *core)
{
	unsigned int n = core->pmu->num_counters, tries;
	DECLARE_BITMAP(guards, ARM_SYSPMU_MAX_COUNTERS);
	struct arm_syspmu *pmu = core->pmu;

	if (!test_bit(core->guard, core->used))
		core->guard = find_first_bit(core->used, n);
	tries = ARM_SYSPMU_CAPTURE_TRIES + bitmap_weight(core->capturing, n);
	while (tries--) {
		bitmap_copy(guards, core->capturing, n);
		if (pmu->others_capture)
			__set_bit(core->guard, guards);
		arm_syspmu_save_captured(core);
		if (!pmu->ops->capture(pmu, core->used))
			return false;
		if (arm_syspmu_copy_shadows(core, core->used, guards) &&
		    (!pmu->others_capture || arm_syspmu_choose_guard(core)))
			return true;
	}

	return false;
}

/*
 * Copies what these overflows have captured for the members of groups, or, if
 * overflows cannot capture, captures now. The counters of sampling events that
 * have not overflowed can capture again, each of them once. Returns false if
 * there is no capture.
 */
bool arm_syspmu_capture_members(struct arm_syspmu_core *core,
				const unsigned long *overflowed,
				const unsigned long *members)
{
	DECLARE_BITMAP(captured, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(guards, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters, idx, tries;

	if (!core->pmu->can_capture || bitmap_empty(members, n))
		return false;
	if (core->pmu->others_capture)
		return arm_syspmu_capture_copies(core);

	bitmap_zero(captured, n);
	for_each_set_bit(idx, members, n)
		__assign_bit(idx, captured,
			     !arm_syspmu_is_saved(&core->counters[idx]));
	bitmap_andnot(guards, core->capturing, overflowed, n);
	tries = bitmap_weight(guards, n) + 1;
	while (!bitmap_empty(captured, n) && tries-- &&
	       !arm_syspmu_copy_shadows(core, captured, guards))
		;
	for_each_set_bit(idx, members, n)
		if (!test_bit(idx, captured))
			core->counters[idx].shadow = core->counters[idx].saved;
	arm_syspmu_forget_saved(core);

	return true;
}

/*
 * Captures all counters for reads, which return these values until
 * &arm_syspmu_core.source is reset. Returns false if that is not possible.
 */
bool arm_syspmu_capture(struct arm_syspmu_core *core)
{
	struct arm_syspmu *pmu = core->pmu;
	bool copies = pmu->others_capture ||
		      !bitmap_empty(core->capturing, pmu->num_counters);

	if (copies ? !arm_syspmu_capture_copies(core) :
		     !pmu->ops->capture(pmu, core->used))
		return false;

	core->source = copies ? ARM_SYSPMU_COPIES : ARM_SYSPMU_SHADOWS;
	trace_arm_syspmu_capture(pmu->pmu.name);

	return true;
}
