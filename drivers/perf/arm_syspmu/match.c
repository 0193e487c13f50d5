// SPDX-License-Identifier: GPL-2.0
/*
 * Which counters the events of a group use, on memory-mapped PMUs of Arm systems
 * whose counters differ in what they can count.
 *
 * Each event that is scheduled takes the counter that the fewest other events
 * can use. That is enough unless there are counters of which each can count
 * something that the other cannot. Then the first event of a group may take the
 * only counter that a later one can use, although there is another one for the
 * first. So if a group does not fit, its events are matched to the counters when
 * it is opened, and keep these counters.
 */

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "private.h"

/**
 * struct arm_syspmu_matching - the events of a group and their counters
 * @event: for each counter, the event that uses it, or NULL
 * @previous: for each counter that has been reached, the counter of the event
 *	that could use it instead, or &arm_syspmu.num_counters for the event
 *	that has none
 * @queue: counters that have been reached and are in use
 */
struct arm_syspmu_matching {
	struct perf_event *event[ARM_SYSPMU_MAX_COUNTERS];
	u16 previous[ARM_SYSPMU_MAX_COUNTERS];
	u16 queue[ARM_SYSPMU_MAX_COUNTERS];
};

/* Adds an event as the scheduler would. Returns false if there is no counter. */
static bool arm_syspmu_take_counter(struct arm_syspmu *pmu,
				    struct perf_event *event,
				    unsigned long *taken,
				    struct arm_syspmu_matching *matching)
{
	unsigned int idx;

	if (event->pmu != &pmu->pmu)
		return true;

	idx = arm_syspmu_choose_counter(pmu, event, taken);
	if (idx >= pmu->num_counters)
		return false;
	__set_bit(idx, taken);
	if (matching)
		matching->event[idx] = event;

	return true;
}

/* Adds all events of the group but @event, which is to become its last one. */
static bool arm_syspmu_take_counters(struct arm_syspmu *pmu,
				     const struct perf_event *event,
				     unsigned long *taken,
				     struct arm_syspmu_matching *matching)
{
	struct perf_event *leader = event->group_leader, *sibling;

	bitmap_copy(taken, arm_syspmu_unusable(pmu), pmu->num_counters);
	if (leader == event)
		return true;
	if (!arm_syspmu_take_counter(pmu, leader, taken, matching))
		return false;
	for_each_sibling_event(sibling, leader)
		if (!arm_syspmu_take_counter(pmu, sibling, taken, matching))
			return false;

	return true;
}

/*
 * Lets the event that could use counter @idx instead of its own use it, and the
 * one that could use that one, until the new event has a counter.
 */
static void arm_syspmu_shift(struct arm_syspmu *pmu,
			     struct arm_syspmu_matching *matching,
			     struct perf_event *event, unsigned int idx)
{
	unsigned int previous;

	for (;; idx = previous) {
		previous = matching->previous[idx];
		if (previous >= pmu->num_counters)
			break;
		matching->event[idx] = matching->event[previous];
	}
	matching->event[idx] = event;

	for (idx = 0; idx < pmu->num_counters; idx++)
		if (matching->event[idx])
			WRITE_ONCE(matching->event[idx]->hw.extra_reg.alloc,
				   idx + 1);
}

/*
 * Searches breadth-first for a counter that is not used, from the counters that
 * @event can use over those that their events could use instead. No counter is
 * reached twice.
 */
static bool arm_syspmu_match(struct arm_syspmu *pmu, struct perf_event *event,
			     struct arm_syspmu_matching *matching)
{
	unsigned int idx, own = pmu->num_counters, head = 0, tail = 0;
	DECLARE_BITMAP(reached, ARM_SYSPMU_MAX_COUNTERS);
	const struct perf_event *other = event;

	bitmap_copy(reached, arm_syspmu_unusable(pmu), pmu->num_counters);
	for (;;) {
		idx = pmu->ops->choose_counter(pmu, other, reached);
		if (idx < pmu->num_counters) {
			__set_bit(idx, reached);
			matching->previous[idx] = own;
			if (!matching->event[idx]) {
				arm_syspmu_shift(pmu, matching, event, idx);
				return true;
			}
			matching->queue[tail++] = idx;
			continue;
		}
		if (head == tail)
			return false;
		own = matching->queue[head++];
		other = matching->event[own];
	}
}

/**
 * arm_syspmu_fit_group - check that an event and its group can count if nothing
 *	else does
 * @pmu: a PMU with &arm_syspmu_ops.choose_counter
 * @event: a valid event that is being opened
 *
 * perf does not change the group meanwhile.
 *
 * Context: process.
 * Return: 0; -EINVAL if they cannot; -ENOMEM
 */
int arm_syspmu_fit_group(struct arm_syspmu *pmu, struct perf_event *event)
{
	DECLARE_BITMAP(taken, ARM_SYSPMU_MAX_COUNTERS);
	struct arm_syspmu_matching *matching;
	bool fits;

	if (arm_syspmu_take_counters(pmu, event, taken, NULL) &&
	    arm_syspmu_take_counter(pmu, event, taken, NULL))
		return 0;
	if (event->group_leader == event)
		return -EINVAL;

	matching = kzalloc(sizeof(*matching), GFP_KERNEL);
	if (!matching)
		return -ENOMEM;
	fits = arm_syspmu_take_counters(pmu, event, taken, matching) &&
	       arm_syspmu_match(pmu, event, matching);
	kfree(matching);

	return fits ? 0 : -EINVAL;
}
