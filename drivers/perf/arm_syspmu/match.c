// SPDX-License-Identifier: GPL-2.0
/*
 * Which counters the events of a group use, on memory-mapped PMUs of Arm systems
 * whose counters differ in what they can count, or are too many to be enabled
 * with one access. Otherwise each event takes the first counter that is unused.
 *
 * When the first event of a group is added, all its events are matched to
 * counters, since the only counter that a later one can use must be left to it.
 * They keep these counters until they are added, which perf does next.
 *
 * If one access enables only some of the counters, a word of them, all events of
 * a group should use counters of one word, so that they start and stop at one
 * instant. If no word has enough unused counters, they use those of several,
 * which are enabled one right after the other. To wait until a word is unused
 * would be worse: others may count for days.
 */

#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "core.h"

/*
 * Events and their counters while they are matched. Each candidate is a counter
 * with the event that uses it. If it has been reached, @previous is the counter
 * of the event that could use it instead, or the number of counters for the
 * event that has none; @queued is one of the counters that have been reached, in
 * this order, and has nothing to do with the candidate.
 */
struct arm_syspmu_matching {
	struct arm_syspmu_core *core;
	struct arm_syspmu_candidate *candidates;
	DECLARE_BITMAP(unusable, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(taken, ARM_SYSPMU_MAX_COUNTERS);
};

static void arm_syspmu_use(struct arm_syspmu_matching *matching,
			   struct perf_event *event, unsigned int idx)
{
	__set_bit(idx, matching->taken);
	matching->candidates[idx].event = event;
}

/*
 * Lets the event that could use counter @idx instead of its own use it, and the
 * one that could use that one, until the new event has a counter.
 */
static void arm_syspmu_shift(struct arm_syspmu_matching *matching,
			     struct perf_event *event, unsigned int idx)
{
	struct arm_syspmu_candidate *candidates = matching->candidates;
	unsigned int n = matching->core->pmu->num_counters, previous;

	for (; candidates[idx].previous < n; idx = previous) {
		previous = candidates[idx].previous;
		arm_syspmu_use(matching, candidates[previous].event, idx);
	}
	arm_syspmu_use(matching, event, idx);
}

/*
 * Finds a counter for an event, the first of those that it can use that is
 * unused. If all are taken, looks for an event that can use another one instead
 * of one of them, and so on: an augmenting path, breadth first.
 */
static bool arm_syspmu_match_event(struct arm_syspmu_matching *matching,
				   struct perf_event *event)
{
	struct arm_syspmu_candidate *candidates = matching->candidates;
	struct arm_syspmu *pmu = matching->core->pmu;
	unsigned int n = pmu->num_counters, own = n, idx, head = 0, tail = 0;
	DECLARE_BITMAP(reached, ARM_SYSPMU_MAX_COUNTERS);
	const struct perf_event *other = event;

	idx = pmu->ops->choose_counter(pmu, event, matching->taken);
	if (idx < n) {
		arm_syspmu_use(matching, event, idx);
		return true;
	}

	bitmap_copy(reached, matching->unusable, n);
	for (;;) {
		idx = pmu->ops->choose_counter(pmu, other, reached);
		if (idx < n) {
			__set_bit(idx, reached);
			candidates[idx].previous = own;
			if (!test_bit(idx, matching->taken)) {
				arm_syspmu_shift(matching, event, idx);
				return true;
			}
			candidates[tail++].queued = idx;
			continue;
		}
		if (head == tail)
			return false;
		own = candidates[head++].queued;
		other = candidates[own].event;
	}
}

/* Whether an event of the group needs a counter */
static bool arm_syspmu_is_member(const struct arm_syspmu_matching *matching,
				 const struct perf_event *event, bool opening)
{
	return event->pmu == &matching->core->pmu->pmu &&
	       (opening || (event->hw.idx < 0 &&
			    event->state > PERF_EVENT_STATE_OFF));
}

static bool arm_syspmu_match_group(struct arm_syspmu_matching *matching,
				   struct perf_event *leader, bool opening)
{
	struct perf_event *sibling;

	if (arm_syspmu_is_member(matching, leader, opening) &&
	    !arm_syspmu_match_event(matching, leader))
		return false;
	for_each_sibling_event(sibling, leader)
		if (arm_syspmu_is_member(matching, sibling, opening) &&
		    !arm_syspmu_match_event(matching, sibling))
			return false;

	return true;
}

/*
 * Checks that an event that is being opened and its group can count if nothing
 * else does. perf does not change the group meanwhile.
 */
int arm_syspmu_fit_group(struct arm_syspmu_core *core,
			 struct perf_event *event)
{
	struct arm_syspmu_matching matching = { .core = core };
	bool fits;

	matching.candidates = kcalloc(core->pmu->num_counters,
				      sizeof(*matching.candidates), GFP_KERNEL);
	if (!matching.candidates)
		return -ENOMEM;

	fits = arm_syspmu_match_group(&matching, event->group_leader, true) &&
	       arm_syspmu_match_event(&matching, event);
	kfree(matching.candidates);

	return fits ? 0 : -EINVAL;
}

/*
 * Matches a group to unused counters, @size of them from @first on. Changes
 * @chosen from those that its events have been matched to, or none, to those that
 * they then use.
 */
static bool arm_syspmu_fit_unused(struct arm_syspmu_core *core,
				  struct perf_event *leader, unsigned int first,
				  unsigned int size, unsigned long *chosen)
{
	unsigned int n = core->pmu->num_counters, idx;
	struct arm_syspmu_matching matching = {
		.core = core,
		.candidates = core->candidates,
	};
	struct arm_syspmu_core_event *own;

	bitmap_fill(matching.unusable, n);
	bitmap_clear(matching.unusable, first, min(size, n - first));
	bitmap_or(matching.unusable, matching.unusable, core->used, n);
	if (bitmap_weight(matching.unusable, n) + bitmap_weight(chosen, n) > n)
		return false;
	bitmap_copy(matching.taken, matching.unusable, n);
	if (!arm_syspmu_match_group(&matching, leader, false))
		return false;

	bitmap_andnot(chosen, matching.taken, matching.unusable, n);
	for_each_set_bit(idx, chosen, n) {
		own = core->candidates[idx].event->pmu_private;
		own->chosen = idx;
	}

	return true;
}

/*
 * Chooses counters for all events of a group, of which none has one: those that
 * fewer other events can use, unless only those of another word are in one word.
 */
static void arm_syspmu_choose_for_group(struct arm_syspmu_core *core,
					struct perf_event *leader)
{
	unsigned int n = core->pmu->num_counters, first;
	DECLARE_BITMAP(chosen, ARM_SYSPMU_MAX_COUNTERS) = {};
	unsigned int word = core->pmu->counters_at_once;

	if (!arm_syspmu_fit_unused(core, leader, 0, n, chosen) || !word ||
	    find_first_bit(chosen, n) / word == find_last_bit(chosen, n) / word)
		return;
	for (first = 0; first < n; first += word)
		if (arm_syspmu_fit_unused(core, leader, first, word, chosen))
			return;
}

/*
 * Chooses a counter for an event that is being added. Returns at least the
 * number of counters if none that it can use is unused.
 */
unsigned int arm_syspmu_choose_counter(struct arm_syspmu_core *core,
				       struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	struct arm_syspmu_core_event *own = event->pmu_private;
	struct arm_syspmu *pmu = core->pmu;
	int chosen;

	if (!pmu->ops->choose_counter)
		return find_first_zero_bit(core->used, pmu->num_counters);

	if (own->chosen < 0 && leader->nr_siblings)
		arm_syspmu_choose_for_group(core, leader);
	chosen = own->chosen;
	own->chosen = -1;
	if (chosen >= 0 && !test_bit(chosen, core->used))
		return chosen;

	return pmu->ops->choose_counter(pmu, event, core->used);
}
