// SPDX-License-Identifier: GPL-2.0
/*
 * Capture for the memory-mapped PMUs of Arm systems: all counters are copied to
 * their shadow registers at one instant, either by software for the read of a
 * group, or by the overflow of a sampling event.
 */

#include "core.h"

#include <trace/events/arm_syspmu.h>

/* Attempts at a group read while other agents capture, too */
#define ARM_SYSPMU_CAPTURE_TRIES	8

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

/*
 * Whether an overflow has captured since the counters in @overflowed did. If so,
 * all that have overflowed by then are added to it. The shadow of a counter is
 * zero at each of its overflows, and so does not show it. With interrupts off,
 * each counter of a sampling event overflows once at most: it is far from the next
 * overflow until it is set again.
 */
static bool arm_syspmu_has_captured(struct arm_syspmu_core *core,
				    unsigned long *overflowed)
{
	DECLARE_BITMAP(fresh, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(now, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters;

	if (bitmap_subset(core->capturing, overflowed, n))
		return false;

	arm_syspmu_read_overflows(core, now);
	bitmap_andnot(fresh, now, overflowed, n);
	if (!bitmap_intersects(fresh, core->capturing, n))
		return false;
	bitmap_or(overflowed, overflowed, now, n);

	return true;
}

/* Returns whether one of them differs from the copy before. */
static bool arm_syspmu_copy_shadows(struct arm_syspmu_core *core,
				    const unsigned long *counters)
{
	struct arm_syspmu_counter *counter;
	struct arm_syspmu *pmu = core->pmu;
	bool differs = false;
	unsigned int idx;
	u64 value;

	for_each_set_bit(idx, counters, pmu->num_counters) {
		counter = &core->counters[idx];
		value = pmu->ops->read_captured(pmu, idx);
		differs |= (value ^ counter->shadow) & counter->mask;
		counter->shadow = value;
	}

	return differs;
}

/*
 * Saves what pending overflows have captured, for their samples: the last one in
 * a group counts. That of a counter whose event is about to start is not saved: a
 * late event can still let it overflow. @overflowed are those that are known, to
 * which the others are added.
 */
static void arm_syspmu_save_captured(struct arm_syspmu_core *core,
				     unsigned long *overflowed)
{
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(fresh, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters, idx;
	struct arm_syspmu *pmu = core->pmu;

	do {
		bitmap_andnot(fresh, overflowed, core->saved, n);
		bitmap_and(fresh, fresh, core->active, n);
		arm_syspmu_find_members(core, fresh, members);
		for_each_set_bit(idx, members, n)
			core->counters[idx].saved =
				pmu->ops->read_captured(pmu, idx);
	} while (arm_syspmu_has_captured(core, overflowed));

	bitmap_or(core->saved, core->saved, fresh, n);
}

/* Whether the overflow of another counter can capture this one for a sample */
static bool arm_syspmu_is_captured(const struct arm_syspmu_core *core,
				   unsigned int idx)
{
	DECLARE_BITMAP(others, ARM_SYSPMU_MAX_COUNTERS) = {};
	unsigned int n = core->pmu->num_counters;

	arm_syspmu_mark_group(core, core->counters[idx].event, others);
	__clear_bit(idx, others);

	return bitmap_and(others, others, core->capturing, n) &&
	       bitmap_intersects(others, core->enabled, n);
}

/*
 * What was saved for a counter that has been set may be from before: converts it
 * to what the counter would have shown, had it been set by then. What it counted
 * between the read and the write is lost.
 */
static void arm_syspmu_convert_saved(struct arm_syspmu_core *core,
				     unsigned int idx,
				     const unsigned long *overflowed)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	u64 value = local64_read(&counter->value) & counter->mask;
	u64 half = counter->mask / 2, counted;

	/* Its event is about to start, and has counted nothing yet. */
	if (!test_bit(idx, core->enabled)) {
		counter->saved = value;
		return;
	}

	/*
	 * Before, it was in the lower half of its range, since it had overflowed.
	 * It was set to the upper half, and leaves that with another overflow. If
	 * it does not capture itself, nothing tells whether that came first. If the
	 * write has failed, this changes nothing: @value is that of @set_from.
	 */
	if (counter->saved >= value ||
	    (counter->saved <= half && test_bit(idx, overflowed)))
		return;
	counted = (counter->set_from - counter->saved) & counter->mask;
	/* Captured after the read, or between the writes of two halves */
	if (counted > half || counter->saved > half)
		counted = 0;
	counter->saved = (value - counted) & counter->mask;
}

/*
 * Saves what pending overflows have captured, where some of it may be from before
 * the counters in @set were set.
 */
void arm_syspmu_save_beside_set(struct arm_syspmu_core *core,
				const unsigned long *set)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS) = {};
	DECLARE_BITMAP(captured, ARM_SYSPMU_MAX_COUNTERS) = {};
	unsigned int n = core->pmu->num_counters, idx;

	if (bitmap_empty(core->capturing, n))
		return;
	for_each_set_bit(idx, set, n)
		if (arm_syspmu_is_captured(core, idx))
			__set_bit(idx, captured);
	if (bitmap_empty(captured, n))
		return;

	arm_syspmu_save_captured(core, overflowed);
	for_each_set_bit(idx, captured, n)
		arm_syspmu_convert_saved(core, idx, overflowed);
}

/*
 * Other agents may capture meanwhile. All copies are of one instant if they are
 * the same twice: a counter that has not counted between two captures has the same
 * value in both.
 */
static bool arm_syspmu_capture_beside_others(struct arm_syspmu_core *core)
{
	unsigned int tries = ARM_SYSPMU_CAPTURE_TRIES;
	struct arm_syspmu *pmu = core->pmu;

	if (!pmu->ops->capture(pmu, core->used))
		return false;
	arm_syspmu_copy_shadows(core, core->used);
	while (arm_syspmu_copy_shadows(core, core->used))
		if (!--tries)
			return false;

	return true;
}

/* Captures all counters and copies their shadows beside overflows that capture. */
static bool arm_syspmu_capture_copies(struct arm_syspmu_core *core)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS) = {};
	struct arm_syspmu *pmu = core->pmu;

	if (pmu->others_capture)
		return arm_syspmu_capture_beside_others(core);

	do {
		arm_syspmu_save_captured(core, overflowed);
		if (!pmu->ops->capture(pmu, core->used))
			return false;
		arm_syspmu_copy_shadows(core, core->used);
	} while (arm_syspmu_has_captured(core, overflowed));

	return true;
}

/*
 * Copies what these overflows have captured for the members of groups, or, if
 * overflows cannot capture, captures now. Other counters may overflow and capture
 * again. Returns false if there is no capture.
 */
bool arm_syspmu_capture_members(struct arm_syspmu_core *core,
				const unsigned long *overflowed,
				const unsigned long *members)
{
	DECLARE_BITMAP(captured, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(known, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(fresh, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters, idx;

	if (!core->pmu->can_capture || bitmap_empty(members, n))
		return false;
	if (core->pmu->others_capture)
		return arm_syspmu_capture_copies(core);

	bitmap_andnot(fresh, overflowed, core->saved, n);
	arm_syspmu_find_members(core, fresh, captured);
	bitmap_copy(known, overflowed, n);
	do
		arm_syspmu_copy_shadows(core, captured);
	while (!bitmap_empty(captured, n) &&
	       arm_syspmu_has_captured(core, known));
	for_each_set_bit(idx, members, n)
		if (!test_bit(idx, captured))
			core->counters[idx].shadow = core->counters[idx].saved;

	return true;
}

/*
 * Captures all counters for reads, which return these values until
 * &arm_syspmu_core.source is reset; if that is not possible, the counters.
 */
void arm_syspmu_capture(struct arm_syspmu_core *core)
{
	struct arm_syspmu *pmu = core->pmu;
	bool copies = pmu->others_capture ||
		      !bitmap_empty(core->capturing, pmu->num_counters);

	if (copies ? !arm_syspmu_capture_copies(core) :
		     !pmu->ops->capture(pmu, core->used))
		return;

	core->source = copies ? ARM_SYSPMU_COPIES : ARM_SYSPMU_SHADOWS;
	trace_arm_syspmu_capture(pmu->pmu.name);
}
