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

/*
 * Whether an event has been updated to what a pending overflow has captured for
 * its group. If the leader of a group is closed, which may be an event of another
 * PMU, each of the others becomes a group of its own, and its next sample needs
 * a capture of its own.
 */
bool arm_syspmu_is_captured(const struct perf_event *event)
{
	const struct arm_syspmu_core_event *own = event->pmu_private;

	return own->captured_for == event->group_leader;
}

static void arm_syspmu_mark_member(const struct arm_syspmu_core *core,
				   const struct perf_event *event,
				   unsigned long *members)
{
	if (event->pmu == &core->pmu->pmu && event->hw.idx >= 0 &&
	    test_bit(event->hw.idx, core->active))
		__set_bit(event->hw.idx, members);
}

/* Adds the counters of the active events of a group to a bitmap. */
void arm_syspmu_mark_group(const struct arm_syspmu_core *core,
			   const struct perf_event *event,
			   unsigned long *counters)
{
	struct perf_event *leader = event->group_leader, *sibling;

	arm_syspmu_mark_member(core, leader, counters);
	for_each_sibling_event(sibling, leader)
		arm_syspmu_mark_member(core, sibling, counters);
}

/* Finds the counters of the groups whose overflows have captured. */
void arm_syspmu_find_members(const struct arm_syspmu_core *core,
			     const unsigned long *overflowed,
			     unsigned long *members)
{
	unsigned int n = core->pmu->num_counters, idx;

	bitmap_zero(members, n);
	for_each_and_bit(idx, overflowed, core->capturing, n)
		if (test_bit(idx, core->active))
			arm_syspmu_mark_group(core, core->counters[idx].event,
					      members);
}

/*
 * Reads what an overflow has captured. Another one may capture again while the
 * shadows are read. It sets one more status, which nothing clears meanwhile.
 */
void arm_syspmu_read_shadows(struct arm_syspmu_core *core,
			     const unsigned long *members)
{
	unsigned int n = core->pmu->num_counters, idx;
	bool several = bitmap_weight(core->capturing, n) > 1;
	DECLARE_BITMAP(before, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(after, ARM_SYSPMU_MAX_COUNTERS);
	struct arm_syspmu *pmu = core->pmu;

	if (bitmap_empty(members, n))
		return;

	if (several)
		arm_syspmu_read_overflows(core, after);
	do {
		for_each_set_bit(idx, members, n)
			if (!arm_syspmu_is_captured(core->counters[idx].event))
				core->counters[idx].shadow =
					pmu->ops->read_captured(pmu, idx);
		if (!several)
			return;
		bitmap_and(before, after, core->capturing, n);
		arm_syspmu_read_overflows(core, after);
		bitmap_and(after, after, core->capturing, n);
	} while (!bitmap_equal(before, after, n));
}

/*
 * The capture of a group read overwrites what an overflow has captured for a
 * sample. Reads these values first; @members are the counters of the sample.
 */
static void arm_syspmu_save_captured(struct arm_syspmu_core *core,
				     unsigned long *members)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	struct arm_syspmu *pmu = core->pmu;
	unsigned int idx;

	bitmap_zero(members, pmu->num_counters);
	if (bitmap_empty(core->capturing, pmu->num_counters))
		return;

	arm_syspmu_read_overflows(core, overflowed);
	arm_syspmu_find_members(core, overflowed, members);
	for_each_set_bit(idx, members, pmu->num_counters) {
		if (arm_syspmu_is_captured(core->counters[idx].event))
			__clear_bit(idx, members);
		else
			core->counters[idx].shadow =
				pmu->ops->read_captured(pmu, idx);
	}
}

/*
 * Copies a shadow register. An event of a sample is updated to what had been
 * saved before. Returns false if the device does not respond.
 */
static bool arm_syspmu_copy_shadow(struct arm_syspmu_core *core,
				   unsigned int idx,
				   const unsigned long *members)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	struct perf_event *event = counter->event;
	struct arm_syspmu_core_event *own = event->pmu_private;
	struct arm_syspmu *pmu = core->pmu;
	u64 value = pmu->ops->read_captured(pmu, idx);

	if (arm_syspmu_reads_as_gone(core, value))
		return false;

	if (test_bit(idx, members)) {
		arm_syspmu_update_to(core, event, counter->shadow, value);
		own->captured_for = event->group_leader;
	}
	counter->progress = (value - counter->shadow) & counter->mask;
	counter->shadow = value & counter->mask;

	return true;
}

static bool arm_syspmu_shadow_has_changed(struct arm_syspmu_core *core,
					  unsigned int idx)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	struct arm_syspmu *pmu = core->pmu;

	return (pmu->ops->read_captured(pmu, idx) & counter->mask) !=
	       counter->shadow;
}

/* The counters whose shadows show that something has captured again */
static void arm_syspmu_find_guards(const struct arm_syspmu_core *core,
				   unsigned long *guards)
{
	unsigned int n = core->pmu->num_counters;

	bitmap_copy(guards, core->capturing, n);
	if (core->pmu->others_capture && core->guard < n &&
	    test_bit(core->guard, core->used))
		__set_bit(core->guard, guards);
}

/*
 * Another agent only changes the shadow of a counter that is currently counting:
 * the guard must be one of those that have advanced most since the last capture.
 * Returns false if it was not.
 */
static bool arm_syspmu_choose_guard(struct arm_syspmu_core *core)
{
	unsigned int n = core->pmu->num_counters, idx, busiest = n;
	const struct arm_syspmu_counter *counters = core->counters;
	bool guarded = core->guard < n && test_bit(core->guard, core->used);

	for_each_set_bit(idx, core->used, n)
		if (busiest >= n ||
		    counters[idx].progress > counters[busiest].progress)
			busiest = idx;
	if (guarded && counters[core->guard].progress >=
		       counters[busiest].progress / 2)
		return true;

	core->guard = busiest;

	return false;
}

/*
 * Copies the shadow registers after a capture. The shadows of the guards are
 * read first and once more at the end: if none has changed, nothing has captured
 * again in between. An overflow changes the shadow of its own counter. Returns
 * false if the copies may be of different captures.
 */
static bool arm_syspmu_copy_shadows(struct arm_syspmu_core *core,
				    const unsigned long *members)
{
	DECLARE_BITMAP(guards, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(others, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters, idx;

	arm_syspmu_find_guards(core, guards);
	bitmap_andnot(others, core->used, guards, n);
	for_each_set_bit(idx, guards, n)
		if (!arm_syspmu_copy_shadow(core, idx, members))
			return true;
	for_each_set_bit(idx, others, n)
		if (!arm_syspmu_copy_shadow(core, idx, members))
			return true;
	if (core->pmu->others_capture && !arm_syspmu_choose_guard(core))
		return false;
	for_each_set_bit(idx, guards, n)
		if (arm_syspmu_shadow_has_changed(core, idx))
			return false;

	return true;
}

/*
 * With interrupts off, each counter of a sampling event overflows once at most:
 * it is far from the next overflow until it is set again.
 */
static bool arm_syspmu_capture_copies(struct arm_syspmu_core *core)
{
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS);
	struct arm_syspmu *pmu = core->pmu;
	unsigned int tries = ARM_SYSPMU_CAPTURE_TRIES +
			     bitmap_weight(core->capturing, pmu->num_counters);

	do {
		arm_syspmu_save_captured(core, members);
		if (!pmu->ops->capture(pmu, core->used))
			return false;
		if (arm_syspmu_copy_shadows(core, members))
			return true;
	} while (--tries);

	return false;
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
