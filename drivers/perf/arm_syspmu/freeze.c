// SPDX-License-Identifier: GPL-2.0
/*
 * Freezing of the counters of the memory-mapped PMUs of Arm systems: an overflow
 * stops all counters until its status is cleared, so that a sample shows the
 * counts at the instant of the overflow, however late the interrupt is.
 *
 * What happens until the handler clears the status is not counted by any
 * counter. So this is only done for a group that asks to be alone on the PMU,
 * with perf_event_attr.exclusive.
 */

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/perf_event.h>

#include "private.h"

static bool arm_syspmu_can_freeze(const struct arm_syspmu *pmu,
				  const struct perf_event *event)
{
	return event->pmu != &pmu->pmu || pmu->ops->freezes(event);
}

static bool arm_syspmu_is_freezer(const struct arm_syspmu *pmu,
				  const struct perf_event *event)
{
	return event->pmu == &pmu->pmu && arm_syspmu_samples_counts(event);
}

/* With a member that cannot freeze, the counts would not be of one instant. */
static bool arm_syspmu_group_freezes(const struct arm_syspmu *pmu,
				     const struct perf_event *leader)
{
	bool any = arm_syspmu_is_freezer(pmu, leader);
	const struct perf_event *sibling;

	if (!arm_syspmu_can_freeze(pmu, leader))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (!arm_syspmu_can_freeze(pmu, sibling))
			return false;
		any |= arm_syspmu_is_freezer(pmu, sibling);
	}

	return any;
}

static void arm_syspmu_set_freezing(struct arm_syspmu *pmu, bool freezing)
{
	if (freezing == pmu->freezing)
		return;

	pmu->freezing = freezing;
	if (!arm_syspmu_is_inaccessible(pmu))
		pmu->ops->set_freeze(pmu);
}

/**
 * arm_syspmu_choose_freezing - choose whether overflows stop all counters
 * @pmu: a PMU that can freeze, which no event uses
 * @event: the first event of a group that is being added
 *
 * perf adds no other group while an exclusive one is there.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_choose_freezing(struct arm_syspmu *pmu,
				const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;
	bool freezing = leader->attr.exclusive &&
			arm_syspmu_group_freezes(pmu, leader);

	arm_syspmu_set_freezing(pmu, freezing);
}

/**
 * arm_syspmu_stop_freezing - do not freeze any more
 * @pmu: the PMU, which no event uses
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_stop_freezing(struct arm_syspmu *pmu)
{
	arm_syspmu_set_freezing(pmu, false);
}

/**
 * arm_syspmu_save_frozen - save the values of the counters at an overflow
 * @pmu: a PMU whose counters freeze
 *
 * Clearing the status lets them go on, so it must not be cleared if it was not
 * set here yet.
 *
 * Context: interrupt, on the owning CPU.
 * Return: true if there was an overflow
 */
bool arm_syspmu_save_frozen(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx;

	pmu->ops->read_overflows(pmu, overflowed);
	if (bitmap_empty(overflowed, pmu->num_counters))
		return false;

	for_each_set_bit(idx, pmu->active, pmu->num_counters)
		if (!test_bit(idx, pmu->at_capture))
			pmu->shadow[idx] =
				arm_syspmu_read_value(pmu, &pmu->counters[idx]);

	return true;
}
