// SPDX-License-Identifier: GPL-2.0
/*
 * Which counters the events of a group use, on memory-mapped PMUs of Arm systems
 * whose counters differ in what they can count, or are too many to be enabled
 * with one access.
 *
 * Each event that is scheduled takes the counter that the fewest other events
 * can use. That is enough unless there are counters of which each can count
 * something that the other cannot. Then the first event of a group may take the
 * only counter that a later one can use, although there is another one for the
 * first. So if a group does not fit, its events are matched to the counters when
 * it is opened, and keep these counters.
 *
 * If one access enables only some of the counters, a word of them, all events of
 * a group should use counters of one word, so that they start and stop at one
 * instant. This depends on what else is counted: when the first event of a group
 * is scheduled, all of them are matched to the unused counters of the first word
 * that has enough. If no word has, the events use whatever counters there are,
 * and start and stop with one access for each word, one right after the other:
 * their counts differ by what happens between these accesses. To wait until a
 * word is unused would be worse: others may count for days.
 *
 * The events of most groups can all use the same counters. Then there is nothing
 * to match: the leader takes the first word with enough unused ones, and the
 * others, which perf adds after it, follow it there.
 */

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "private.h"

/**
 * struct arm_syspmu_candidate - a counter while events are matched to counters
 * @event: the event that uses it, or NULL
 * @previous: if it has been reached, the counter of the event that could use it
 *	instead, or &arm_syspmu.num_counters for the event that has none
 * @queued: one of the counters that have been reached and are in use, in the
 *	order in which they were reached; it has nothing to do with this counter
 */
struct arm_syspmu_candidate {
	struct perf_event *event;
	u16 previous;
	u16 queued;
};

/**
 * struct arm_syspmu_matching - events and their counters
 * @candidates: an array whose first element is counter @first
 * @first: the first counter that events may be matched to
 * @unusable: counters that they must not be matched to
 * @taken: those, and the ones that events have been matched to
 */
struct arm_syspmu_matching {
	struct arm_syspmu_candidate *candidates;
	unsigned int first;
	DECLARE_BITMAP(unusable, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(taken, ARM_SYSPMU_MAX_COUNTERS);
};

static struct arm_syspmu_candidate *
arm_syspmu_candidate(struct arm_syspmu_matching *matching, unsigned int idx)
{
	return &matching->candidates[idx - matching->first];
}

/* Adds an event as the scheduler would. Returns false if there is no counter. */
static bool arm_syspmu_take_counter(struct arm_syspmu *pmu,
				    struct perf_event *event,
				    struct arm_syspmu_matching *matching)
{
	unsigned int idx = arm_syspmu_choose_counter(pmu, event,
						     matching->taken);

	if (idx >= pmu->num_counters)
		return false;
	__set_bit(idx, matching->taken);
	arm_syspmu_candidate(matching, idx)->event = event;

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
	struct arm_syspmu_candidate *candidate;
	unsigned int previous;

	__set_bit(idx, matching->taken);
	for (;; idx = previous) {
		candidate = arm_syspmu_candidate(matching, idx);
		previous = candidate->previous;
		if (previous >= pmu->num_counters)
			break;
		candidate->event =
			arm_syspmu_candidate(matching, previous)->event;
	}
	candidate->event = event;
}

/*
 * Searches breadth-first for a counter that is not used, from the counters that
 * @event can use over those that their events could use instead. No counter is
 * reached twice.
 */
static bool arm_syspmu_exchange_counters(struct arm_syspmu *pmu,
					 struct perf_event *event,
					 struct arm_syspmu_matching *matching)
{
	unsigned int idx, own = pmu->num_counters, head = 0, tail = 0;
	struct arm_syspmu_candidate *queue = matching->candidates;
	DECLARE_BITMAP(reached, ARM_SYSPMU_MAX_COUNTERS);
	const struct perf_event *other = event;

	bitmap_copy(reached, matching->unusable, ARM_SYSPMU_MAX_COUNTERS);
	for (;;) {
		idx = pmu->ops->choose_counter(pmu, other, reached);
		if (idx < pmu->num_counters) {
			__set_bit(idx, reached);
			arm_syspmu_candidate(matching, idx)->previous = own;
			if (!arm_syspmu_candidate(matching, idx)->event) {
				arm_syspmu_shift(pmu, matching, event, idx);
				return true;
			}
			queue[tail++].queued = idx;
			continue;
		}
		if (head == tail)
			return false;
		own = queue[head++].queued;
		other = arm_syspmu_candidate(matching, own)->event;
	}
}

/*
 * When the group is opened
 */

/* Adds the events of a group that have been opened. */
static bool arm_syspmu_take_counters(struct arm_syspmu *pmu,
				     struct perf_event *leader,
				     struct arm_syspmu_matching *matching)
{
	struct perf_event *sibling;

	if (leader->pmu == &pmu->pmu &&
	    !arm_syspmu_take_counter(pmu, leader, matching))
		return false;
	for_each_sibling_event(sibling, leader)
		if (sibling->pmu == &pmu->pmu &&
		    !arm_syspmu_take_counter(pmu, sibling, matching))
			return false;

	return true;
}

/* Lets all events keep their counters, see arm_syspmu_choose_counter(). */
static void arm_syspmu_keep_counters(const struct arm_syspmu *pmu,
				     const struct arm_syspmu_matching *matching)
{
	struct perf_event *event;
	unsigned int idx;

	for (idx = 0; idx < pmu->num_counters; idx++) {
		event = matching->candidates[idx].event;
		if (event)
			WRITE_ONCE(event->hw.extra_reg.alloc, idx + 1);
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
	struct perf_event *leader = event->group_leader;
	struct arm_syspmu_matching matching = {};
	bool fits;

	matching.candidates = kcalloc(pmu->num_counters,
				      sizeof(*matching.candidates), GFP_KERNEL);
	if (!matching.candidates)
		return -ENOMEM;
	bitmap_copy(matching.unusable, arm_syspmu_unusable(pmu),
		    pmu->num_counters);
	bitmap_copy(matching.taken, matching.unusable, pmu->num_counters);

	fits = leader == event ||
	       arm_syspmu_take_counters(pmu, leader, &matching);
	if (fits && !arm_syspmu_take_counter(pmu, event, &matching)) {
		fits = arm_syspmu_exchange_counters(pmu, event, &matching);
		if (fits)
			arm_syspmu_keep_counters(pmu, &matching);
	}
	kfree(matching.candidates);

	return fits ? 0 : -EINVAL;
}

/*
 * When the group is scheduled
 */

/* Whether an event is to be scheduled with its group */
static bool arm_syspmu_is_member(const struct arm_syspmu *pmu,
				 const struct perf_event *event)
{
	return event->pmu == &pmu->pmu && event->state > PERF_EVENT_STATE_OFF;
}

/* Returns 0 if one of them has a counter already. */
static unsigned int arm_syspmu_count_members(const struct arm_syspmu *pmu,
					     const struct perf_event *leader)
{
	const struct perf_event *sibling;
	unsigned int members = 0;

	if (arm_syspmu_is_member(pmu, leader)) {
		if (leader->hw.idx >= 0)
			return 0;
		members++;
	}
	for_each_sibling_event(sibling, leader) {
		if (!arm_syspmu_is_member(pmu, sibling))
			continue;
		if (sibling->hw.idx >= 0)
			return 0;
		members++;
	}

	return members;
}

static bool arm_syspmu_match_event(struct arm_syspmu *pmu,
				   struct perf_event *event,
				   struct arm_syspmu_matching *matching)
{
	return !arm_syspmu_is_member(pmu, event) ||
	       arm_syspmu_take_counter(pmu, event, matching) ||
	       arm_syspmu_exchange_counters(pmu, event, matching);
}

static bool arm_syspmu_match_group(struct arm_syspmu *pmu,
				   struct perf_event *leader,
				   struct arm_syspmu_matching *matching)
{
	struct perf_event *sibling;

	if (!arm_syspmu_match_event(pmu, leader, matching))
		return false;
	for_each_sibling_event(sibling, leader)
		if (!arm_syspmu_match_event(pmu, sibling, matching))
			return false;

	return true;
}

/* Only those of a word that are not used can be used. */
static void arm_syspmu_use_word(const struct arm_syspmu *pmu,
				struct arm_syspmu_matching *matching,
				unsigned int first)
{
	unsigned long word = GENMASK(pmu->counters_at_once - 1, 0) <<
			     first % BITS_PER_LONG;

	matching->first = first;
	bitmap_fill(matching->unusable, pmu->num_counters);
	matching->unusable[first / BITS_PER_LONG] =
		pmu->taken[first / BITS_PER_LONG] | ~word;
	bitmap_copy(matching->taken, matching->unusable, pmu->num_counters);
}

static bool arm_syspmu_fit_word(struct arm_syspmu *pmu,
				struct perf_event *leader, unsigned int members,
				unsigned int first)
{
	struct arm_syspmu_candidate candidates[ARM_SYSPMU_MAX_AT_ONCE] = {};
	struct arm_syspmu_matching matching;
	unsigned int i;

	matching.candidates = candidates;
	arm_syspmu_use_word(pmu, &matching, first);
	if (hweight_long(~matching.unusable[first / BITS_PER_LONG]) < members ||
	    !arm_syspmu_match_group(pmu, leader, &matching))
		return false;

	for (i = 0; i < pmu->counters_at_once; i++)
		if (candidates[i].event)
			candidates[i].event->hw.branch_reg.alloc =
				first + i + 1;

	return true;
}

/*
 * Starts with the word that the scheduler would choose for @event, since it has
 * the counters that fewer events can use.
 */
static void arm_syspmu_fit_some_word(struct arm_syspmu *pmu,
				     struct perf_event *event,
				     unsigned int members)
{
	unsigned int idx = arm_syspmu_choose_counter(pmu, event, pmu->taken);
	unsigned int n = pmu->counters_at_once, first;

	if (idx >= pmu->num_counters || members > n ||
	    arm_syspmu_fit_word(pmu, event->group_leader, members, idx - idx % n))
		return;
	for (first = 0; first < pmu->num_counters; first += n)
		if (arm_syspmu_fit_word(pmu, event->group_leader, members,
					first))
			return;
}

/* Those of the common counters that are not used in a word of them */
static __always_inline unsigned long
arm_syspmu_unused_in_word(const struct arm_syspmu *pmu, unsigned int first)
{
	unsigned int i = first / BITS_PER_LONG;
	unsigned long word = GENMASK(pmu->counters_at_once - 1, 0) <<
			     first % BITS_PER_LONG;

	return pmu->layout->common[i] & ~pmu->taken[i] & word;
}

/*
 * Chooses a counter for the leader of a group in which all events can use the
 * common counters. Some may be off: then a word may do that is not chosen here.
 */
static unsigned int arm_syspmu_choose_for_leader(const struct arm_syspmu *pmu,
						 const struct perf_event *leader)
{
	unsigned int siblings = leader->nr_siblings, first;
	unsigned long unused;

	if (!siblings)
		return arm_syspmu_find_unused(pmu, pmu->layout->common,
					      pmu->taken);

	for (first = 0; first < pmu->num_counters;
	     first += pmu->counters_at_once) {
		unused = arm_syspmu_unused_in_word(pmu, first);
		if (hweight_long(unused) > siblings)
			return round_down(first, BITS_PER_LONG) + __ffs(unused);
	}

	return pmu->num_counters;
}

/* The same for one of the others. */
static __always_inline unsigned int
arm_syspmu_choose_near_leader(const struct arm_syspmu *pmu,
			      const struct perf_event *leader)
{
	unsigned long unused;
	unsigned int first;

	if (unlikely(leader->hw.idx < 0))
		return pmu->num_counters;

	first = round_down((unsigned int)leader->hw.idx, pmu->counters_at_once);
	unused = arm_syspmu_unused_in_word(pmu, first);
	if (unlikely(!unused))
		return pmu->num_counters;

	return round_down(first, BITS_PER_LONG) + __ffs(unused);
}

/* Returns at least num_counters if the group may have to be matched. */
static __always_inline unsigned int
arm_syspmu_choose_common(const struct arm_syspmu *pmu,
			 const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	if (!(leader->hw.flags & ARM_SYSPMU_USES_COMMON) ||
	    leader->pmu != &pmu->pmu || READ_ONCE(leader->hw.branch_reg.idx))
		return pmu->num_counters;

	return leader == event ? arm_syspmu_choose_for_leader(pmu, leader) :
				 arm_syspmu_choose_near_leader(pmu, leader);
}

/**
 * arm_syspmu_mark_mixed - note that not all events of a group can use the common
 *	counters
 * @event: an event that cannot, which is being opened
 *
 * hw.branch_reg.idx of the leader is not reset if the event fails to open: the
 * group is matched then without need.
 *
 * Context: process.
 */
void arm_syspmu_mark_mixed(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (leader->pmu == event->pmu)
		WRITE_ONCE(leader->hw.branch_reg.idx, 1);
}

/*
 * The counters of all events of a group are chosen when the first one is
 * scheduled, and kept in hw.branch_reg.alloc, plus one, until perf adds the
 * others, which it does next.
 */
static noinline unsigned int arm_syspmu_choose_matched(struct arm_syspmu *pmu,
						       struct perf_event *event)
{
	unsigned int chosen, members;

	if (!event->hw.branch_reg.alloc) {
		members = arm_syspmu_count_members(pmu, event->group_leader);
		if (members > 1)
			arm_syspmu_fit_some_word(pmu, event, members);
	}
	chosen = event->hw.branch_reg.alloc;
	event->hw.branch_reg.alloc = 0;
	if (chosen && !test_bit(chosen - 1, pmu->taken))
		return chosen - 1;

	return arm_syspmu_choose_counter(pmu, event, pmu->taken);
}

/**
 * arm_syspmu_choose_in_group - choose a counter that is enabled together with
 *	those of the group
 * @pmu: a PMU with &arm_syspmu.counters_at_once
 * @event: an event that is being scheduled
 *
 * Context: on the owning CPU with interrupts off.
 * Return: the counter; at least &arm_syspmu.num_counters if none can count it
 */
unsigned int arm_syspmu_choose_in_group(struct arm_syspmu *pmu,
					struct perf_event *event)
{
	unsigned int chosen = arm_syspmu_choose_common(pmu, event);

	if (likely(chosen < pmu->num_counters))
		return chosen;

	return arm_syspmu_choose_matched(pmu, event);
}
