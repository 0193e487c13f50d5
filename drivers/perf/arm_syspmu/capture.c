// SPDX-License-Identifier: GPL-2.0
/*
 * Capture for the memory-mapped PMUs of Arm systems: all counters are copied to
 * their shadow registers at one instant, either by software for the read of a
 * group, or by the overflow of a sampling event.
 */

#include <linux/bitmap.h>
#include <linux/perf_event.h>

#include "private.h"

#include <trace/events/arm_syspmu.h>

/* Attempts at a group read while overflows of sampling events capture, too */
#define ARM_SYSPMU_CAPTURE_TRIES	3

static void arm_syspmu_mark_member(struct arm_syspmu *pmu,
				   const struct perf_event *event,
				   unsigned long *members)
{
	if (event->pmu == &pmu->pmu && event->hw.idx >= 0 &&
	    test_bit(event->hw.idx, pmu->active))
		__set_bit(event->hw.idx, members);
}

/**
 * arm_syspmu_mark_group - add the counters of a group to a bitmap
 * @pmu: the PMU
 * @event: an event of the group
 * @counters: bitmap to which the counters of the active events are added
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
 * arm_syspmu_find_members - find the events that captured samples include
 * @pmu: the PMU
 * @overflowed: counters that have overflowed
 * @members: set to the counters of the groups of all overflowed events that
 *	capture on overflow; must be empty
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
 * arm_syspmu_read_shadows - read the values that an overflow has captured
 * @pmu: the PMU
 * @members: counters whose shadow registers are read into &arm_syspmu.shadow
 *
 * Context: interrupt, on the owning CPU.
 */
void arm_syspmu_read_shadows(struct arm_syspmu *pmu,
			     const unsigned long *members)
{
	bool several = bitmap_weight(pmu->capturing, pmu->num_counters) > 1;
	DECLARE_BITMAP(before, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(after, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx;

	/* See arm_syspmu_save_frozen(). */
	if (pmu->freezing)
		return;

	if (several)
		pmu->ops->read_overflows(pmu, after);
	/*
	 * Another overflow may capture again while the shadows are read. It sets
	 * one more status, which nothing clears meanwhile.
	 */
	do {
		for_each_set_bit(idx, members, pmu->num_counters)
			if (!test_bit(idx, pmu->at_capture))
				pmu->shadow[idx] = arm_syspmu_read_shadow(pmu,
									  idx);
		if (!several)
			return;
		bitmap_and(before, after, pmu->capturing, pmu->num_counters);
		pmu->ops->read_overflows(pmu, after);
		bitmap_and(after, after, pmu->capturing, pmu->num_counters);
	} while (!bitmap_equal(before, after, pmu->num_counters));
}

static bool arm_syspmu_shadow_has_changed(struct arm_syspmu *pmu,
					  unsigned int idx)
{
	return (pmu->ops->read_captured(pmu, idx) & pmu->counters[idx].mask) !=
	       pmu->shadow[idx];
}

/* The counter that has advanced most since its event was last updated */
static unsigned int arm_syspmu_busiest_counter(const struct arm_syspmu *pmu)
{
	unsigned int idx, busiest = pmu->num_counters;
	const struct arm_syspmu_counter *counter;
	u64 delta, most = 0;

	for_each_set_bit(idx, pmu->used, pmu->num_counters) {
		counter = &pmu->counters[idx];
		if (arm_syspmu_is_gauge(counter->event))
			continue;
		delta = (pmu->shadow[idx] - local64_read(&counter->value)) &
			counter->mask;
		if (delta >= most) {
			most = delta;
			busiest = idx;
		}
	}

	return busiest;
}

static bool arm_syspmu_gauge_has_changed(struct arm_syspmu *pmu)
{
	unsigned int idx;

	if (!arm_syspmu_has_gauges(pmu))
		return false;

	for_each_set_bit(idx, pmu->used, pmu->num_counters)
		if (arm_syspmu_is_gauge(pmu->counters[idx].event) &&
		    !arm_syspmu_is_for_gauges(pmu, idx) &&
		    arm_syspmu_shadow_has_changed(pmu, idx))
			return true;

	return false;
}

/*
 * An overflow changes the shadow of the counter that has overflowed. If another
 * agent captures, the shadow of a counter that is currently counting changes.
 * That of a gauge may not, in which case its value is still right.
 */
static bool arm_syspmu_captured_again(struct arm_syspmu *pmu)
{
	unsigned int idx;

	if (!pmu->freezing)
		for_each_set_bit(idx, pmu->capturing, pmu->num_counters)
			if (arm_syspmu_shadow_has_changed(pmu, idx))
				return true;

	if (!pmu->others_capture)
		return false;

	idx = arm_syspmu_busiest_counter(pmu);

	return (idx < pmu->num_counters &&
		arm_syspmu_shadow_has_changed(pmu, idx)) ||
	       arm_syspmu_gauge_has_changed(pmu);
}

static u64 arm_syspmu_read_at_overflow(struct arm_syspmu *pmu, unsigned int idx)
{
	if (pmu->freezing)
		return arm_syspmu_read_value(pmu, &pmu->counters[idx]);

	return arm_syspmu_read_shadow(pmu, idx);
}

/**
 * arm_syspmu_forget_former_groups - forget captures for groups that no longer
 *	exist
 * @pmu: the PMU
 *
 * If the leader of a group is closed, which may be an event of another PMU, each
 * of the others becomes a group of its own. Its next sample needs a capture of
 * its own.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_forget_former_groups(struct arm_syspmu *pmu)
{
	unsigned int idx;

	for_each_set_bit(idx, pmu->at_capture, pmu->num_counters)
		if (pmu->counters[idx].event->group_leader !=
		    arm_syspmu_captured_for(pmu)[idx])
			__clear_bit(idx, pmu->at_capture);
}

/* Marks events that have been updated to the values of an overflow. */
static void arm_syspmu_mark_captured(struct arm_syspmu *pmu,
				     const unsigned long *members)
{
	unsigned int idx;

	for_each_set_bit(idx, members, pmu->num_counters) {
		__set_bit(idx, pmu->at_capture);
		arm_syspmu_captured_for(pmu)[idx] =
			pmu->counters[idx].event->group_leader;
	}
}

/*
 * Captures all counters and copies their shadow registers. If an overflow has
 * already captured for a sample, the events of the sample are updated to these
 * values first. Returns false if the hardware could not capture.
 */
static bool arm_syspmu_copy_shadows(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx, tries = ARM_SYSPMU_CAPTURE_TRIES;
	struct arm_syspmu_counter *counter;
	u64 shadow;

	arm_syspmu_forget_former_groups(pmu);
	do {
		bitmap_zero(members, pmu->num_counters);
		if (!bitmap_empty(pmu->capturing, pmu->num_counters)) {
			pmu->ops->read_overflows(pmu, overflowed);
			arm_syspmu_find_members(pmu, overflowed, members);
		}
		bitmap_andnot(members, members, pmu->at_capture,
			      pmu->num_counters);
		for_each_set_bit(idx, members, pmu->num_counters)
			pmu->shadow[idx] = arm_syspmu_read_at_overflow(pmu, idx);

		if (!pmu->ops->capture(pmu))
			return false;
		for_each_set_bit(idx, pmu->used, pmu->num_counters) {
			counter = &pmu->counters[idx];
			shadow = arm_syspmu_read_shadow(pmu, idx);
			if (arm_syspmu_reads_as_gone(pmu, shadow))
				return true;
			shadow &= counter->mask;
			if (test_bit(idx, members))
				arm_syspmu_catch_up(pmu, counter->event,
						    pmu->shadow[idx], shadow);
			pmu->shadow[idx] = shadow;
		}
		arm_syspmu_mark_captured(pmu, members);
		if (!arm_syspmu_captured_again(pmu))
			return true;
	} while (--tries);

	/* Each sample has its own capture; only a group read needs one. */
	return !pmu->others_capture;
}

/**
 * arm_syspmu_capture - make reads return values captured now
 * @pmu: a PMU that can capture
 *
 * Reads return these values until ARM_SYSPMU_READ_CAPTURED is cleared.
 *
 * Context: on the owning CPU with interrupts off.
 * Return: true if the hardware could capture
 */
bool arm_syspmu_capture(struct arm_syspmu *pmu)
{
	if (pmu->others_capture ||
	    !bitmap_empty(pmu->capturing, pmu->num_counters)) {
		if (!arm_syspmu_copy_shadows(pmu))
			return false;
		pmu->state |= ARM_SYSPMU_READ_COPY;
	} else {
		if (!pmu->ops->capture(pmu))
			return false;
		pmu->state |= ARM_SYSPMU_READ_SHADOW;
	}
	trace_arm_syspmu_capture(pmu->pmu.name);

	return true;
}
