// SPDX-License-Identifier: GPL-2.0
/*
 * Capturing for the memory-mapped PMUs of Arm systems: all counters are copied
 * to their shadows at one instant, either for the read of a group or by the
 * overflow of a sampling event.
 */

#include <linux/bitmap.h>
#include <linux/perf_event.h>

#include "private.h"

#include <trace/events/arm_syspmu.h>

/* Where the overflow of a sampling event captures once more meanwhile */
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

/* The shadow of a counter that captures differs when it has done so since. */
static bool arm_syspmu_captured_again(struct arm_syspmu *pmu)
{
	unsigned int idx;

	for_each_set_bit(idx, pmu->capturing, pmu->num_counters)
		if ((pmu->ops->read_captured(pmu, idx) &
		     pmu->counters[idx].mask) != pmu->shadow[idx])
			return true;

	return false;
}

/*
 * Copy all shadows, without losing what the overflow of a sampling event has
 * captured and its sample is still to show. Returns false where there are none.
 */
static bool arm_syspmu_copy_shadows(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx, tries = ARM_SYSPMU_CAPTURE_TRIES;
	struct arm_syspmu_counter *counter;
	u64 shadow;

	do {
		bitmap_zero(members, pmu->num_counters);
		pmu->ops->read_overflows(pmu, overflowed);
		arm_syspmu_find_members(pmu, overflowed, members);
		bitmap_andnot(members, members, pmu->at_capture,
			      pmu->num_counters);
		for_each_set_bit(idx, members, pmu->num_counters)
			pmu->shadow[idx] = pmu->ops->read_captured(pmu, idx);

		if (!pmu->ops->capture(pmu))
			return false;
		for_each_set_bit(idx, pmu->used, pmu->num_counters) {
			counter = &pmu->counters[idx];
			shadow = pmu->ops->read_captured(pmu, idx) &
				 counter->mask;
			if (arm_syspmu_reads_as_gone(pmu, counter, shadow))
				return true;
			if (test_bit(idx, members))
				arm_syspmu_catch_up(pmu, counter->event,
						    pmu->shadow[idx], shadow);
			pmu->shadow[idx] = shadow;
		}
		bitmap_or(pmu->at_capture, pmu->at_capture, members,
			  pmu->num_counters);
	} while (arm_syspmu_captured_again(pmu) && --tries);

	return true;
}

/**
 * arm_syspmu_capture - let reads be of one instant from now on
 * @pmu: a PMU that can capture; until ARM_SYSPMU_READ_CAPTURED is cleared
 *
 * Context: on the owning CPU with interrupts off.
 * Return: whether they are
 */
bool arm_syspmu_capture(struct arm_syspmu *pmu)
{
	trace_arm_syspmu_capture(pmu->pmu.name);
	if (!bitmap_empty(pmu->capturing, pmu->num_counters)) {
		if (!arm_syspmu_copy_shadows(pmu))
			return false;
		pmu->state |= ARM_SYSPMU_READ_COPY;
	} else {
		if (!pmu->ops->capture(pmu))
			return false;
		pmu->state |= ARM_SYSPMU_READ_SHADOW;
	}

	return true;
}
