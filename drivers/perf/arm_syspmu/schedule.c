// SPDX-License-Identifier: GPL-2.0
/*
 * Event scheduling on the memory-mapped PMUs of Arm systems: the callbacks of
 * struct pmu.
 *
 * These PMUs count for the whole system rather than for a CPU, so each of them
 * is owned by one CPU: its events are scheduled there, its overflows are
 * handled there, and everything that accesses a counter runs there with
 * interrupts off.
 *
 * perf calls pmu_disable(), then add(), del(), start() and stop() for one event
 * after another, then pmu_enable(). The counters of deleted events are stopped
 * by pmu_enable(), or by an add() before it, with one access. The counters of
 * all started events are enabled by pmu_enable(), with one access. So a group
 * starts and stops at one instant, and the counts of its events can be
 * compared. Counters of other events are not touched and lose nothing, even if
 * they were in a group with an event that is deleted: pmu_disable() does
 * nothing. The only event that has a counter is deleted at once.
 */

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "private.h"

#include <trace/events/arm_syspmu.h>

/*
 * Ownership
 */

static bool arm_syspmu_is_owned_here(const struct arm_syspmu *pmu)
{
	return READ_ONCE(pmu->owner) == smp_processor_id();
}

static __always_inline bool arm_syspmu_try_to_own(struct arm_syspmu *pmu)
{
	unsigned int cpu = smp_processor_id();

	return cpu == READ_ONCE(pmu->cpu) &&
	       cmpxchg(&pmu->owner, nr_cpu_ids, cpu) == nr_cpu_ids;
}

static void arm_syspmu_place_all_waiting(struct arm_syspmu *pmu);

/*
 * While a PMU moves, new events are already opened on the new CPU, but events
 * on the old CPU may still have counters. The new ones must wait for these, or
 * both CPUs would access the PMU.
 */
static __always_inline bool arm_syspmu_acquire(struct arm_syspmu *pmu)
{
	if (likely(arm_syspmu_is_owned_here(pmu)))
		return true;
	if (!arm_syspmu_try_to_own(pmu))
		return false;

	/* Pinned events have priority. */
	if (!hlist_empty(&pmu->waiting))
		arm_syspmu_place_all_waiting(pmu);

	return true;
}

static noinline void arm_syspmu_reset_unused(struct arm_syspmu *pmu)
{
	if (pmu->freezing)
		arm_syspmu_stop_freezing(pmu);
	pmu->state &= ~ARM_SYSPMU_MOVING;
}

static __always_inline void arm_syspmu_disown(struct arm_syspmu *pmu)
{
	/*
	 * Pairs with cmpxchg() in arm_syspmu_try_to_own(): the next owner sees
	 * all that was done here.
	 */
	smp_store_release(&pmu->owner, nr_cpu_ids);
}

static __always_inline void arm_syspmu_release_unused(struct arm_syspmu *pmu)
{
	if (pmu->num_used)
		return;

	if (unlikely(pmu->freezing || pmu->state & ARM_SYSPMU_MOVING))
		arm_syspmu_reset_unused(pmu);
	arm_syspmu_disown(pmu);
}

/**
 * arm_syspmu_acquire_for_interrupt - own a PMU while its overflows are handled
 * @pmu: the PMU
 *
 * Context: interrupt, any CPU.
 * Return: true if this CPU owns the PMU, at least until
 *	arm_syspmu_release_after_interrupt()
 */
bool arm_syspmu_acquire_for_interrupt(struct arm_syspmu *pmu)
{
	return likely(arm_syspmu_is_owned_here(pmu)) ||
	       arm_syspmu_try_to_own(pmu);
}

/**
 * arm_syspmu_release_after_interrupt - undo arm_syspmu_acquire_for_interrupt()
 * @pmu: the PMU
 *
 * Context: interrupt, on the owning CPU.
 */
void arm_syspmu_release_after_interrupt(struct arm_syspmu *pmu)
{
	arm_syspmu_release_unused(pmu);
}

/*
 * Counters
 */

/*
 * Functions that run for each event, and each transaction, are inlined. A PMU
 * can have many more counters than are used: bitmaps are only looked at as far
 * as bits can be set, which is rarely more than a word.
 */

static __always_inline void arm_syspmu_enable_words(struct arm_syspmu *pmu,
						    unsigned int words)
{
	unsigned int word = 0;
	unsigned long *enabled = pmu->enabled, *change = pmu->change;
	const unsigned long *active = pmu->active;
	unsigned long new, old, any = 0, before = 0;

	do {
		new = active[word];
		old = enabled[word];
		enabled[word] = new;
		change[word] = new & ~old;
		any |= new & ~old;
		before |= old;
	} while (++word < words);
	if (!any)
		return;

	pmu->ops->enable_counters(pmu, change);
	/* It is not started for gauges. */
	if (unlikely(pmu->polls) &&
	    (!before || !hrtimer_is_queued(&pmu->timers->poll)))
		arm_syspmu_poll_start(pmu);
}

static __always_inline void arm_syspmu_enable_started(struct arm_syspmu *pmu)
{
	unsigned int words = pmu->words_used;

	pmu->started = false;
	if (unlikely(pmu->state & (ARM_SYSPMU_INACCESSIBLE |
				   ARM_SYSPMU_MOVING))) {
		if (!arm_syspmu_is_inaccessible(pmu))
			arm_syspmu_end_write(pmu);
		return;
	}

	if (likely(words == 1))
		arm_syspmu_enable_words(pmu, 1);
	else
		arm_syspmu_enable_words(pmu, words);
	arm_syspmu_end_write(pmu);
}

/* For callers that are not in the path of each group */
static noinline void arm_syspmu_enable_active(struct arm_syspmu *pmu)
{
	arm_syspmu_enable_started(pmu);
}

/*
 * Disables those of @counters that are enabled, with one access, and leaves
 * them in @change. Returns true if there were any.
 */
static __always_inline bool arm_syspmu_disable(struct arm_syspmu *pmu,
					       const unsigned long *counters,
					       unsigned int words)
{
	unsigned int word = 0;
	unsigned long *enabled = pmu->enabled, *change = pmu->change;
	unsigned long stay, stop, any = 0, left = 0;

	do {
		stop = enabled[word] & counters[word];
		stay = enabled[word] & ~stop;
		enabled[word] = stay;
		change[word] = stop;
		any |= stop;
		left |= stay;
	} while (++word < words);
	if (!any)
		return false;

	if (likely(!arm_syspmu_is_inaccessible(pmu)))
		pmu->ops->disable_counters(pmu, change);
	if (unlikely(pmu->polls || pmu->repeats) && !left)
		arm_syspmu_poll_stop(pmu);

	return true;
}

/* Disables the counters of events that are stopped or deleted. */
static __always_inline void arm_syspmu_stop(struct arm_syspmu *pmu,
					    const unsigned long *counters,
					    unsigned int words)
{
	if (arm_syspmu_disable(pmu, counters, words) && unlikely(pmu->polls) &&
	    arm_syspmu_counters_wrap(pmu) && !arm_syspmu_is_inaccessible(pmu))
		arm_syspmu_take_late_overflows(pmu, pmu->change);
}

/* Only events that have been mapped need the call. */
static __always_inline void arm_syspmu_update_userpage(struct perf_event *event)
{
	if (unlikely(READ_ONCE(event->rb)))
		perf_event_update_userpage(event);
}

static __always_inline void arm_syspmu_program(struct arm_syspmu *pmu,
					       struct perf_event *event)
{
	pmu->ops->program(pmu, event);
	trace_arm_syspmu_program(pmu->pmu.name, event);
}

static noinline void arm_syspmu_begin_special(struct arm_syspmu *pmu,
					      struct perf_event *event,
					      unsigned int idx)
{
	if (arm_syspmu_is_gauge(event))
		arm_syspmu_begin_gauge(pmu, idx);
	else
		arm_syspmu_set_period(pmu, event);
}

/* Prepares the value that an event counts from once its counter is enabled. */
static __always_inline void arm_syspmu_begin(struct arm_syspmu *pmu,
					     struct perf_event *event,
					     unsigned int idx)
{
	if (arm_syspmu_is_special(event))
		arm_syspmu_begin_special(pmu, event, idx);
	else if (unlikely(!pmu->counters[idx].cached))
		arm_syspmu_read_first_value(pmu, idx);
}

static __always_inline void arm_syspmu_start(struct arm_syspmu *pmu,
					     struct perf_event *event,
					     unsigned int idx)
{
	if (likely(!arm_syspmu_is_inaccessible(pmu)))
		arm_syspmu_begin(pmu, event, idx);
	/* Once the state is cleared, an NMI can read the event. */
	barrier();
	event->hw.state = 0;
	__set_bit(idx, pmu->active);
	pmu->started = true;
}

static void arm_syspmu_event_start(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);

	if (!(event->hw.state & PERF_HES_STOPPED) || event->hw.idx < 0)
		return;

	arm_syspmu_start(pmu, event, event->hw.idx);
	/*
	 * PERF_EVENT_IOC_PERIOD restarts the whole group of a throttled event,
	 * but only disables the PMU of that event (6.17 and newer). perf does
	 * not disable any in an overflow handler.
	 */
	if (!(flags & ARM_SYSPMU_EF_BATCH) && !arm_syspmu_is_disabled(&pmu->pmu))
		arm_syspmu_enable_active(pmu);
}

static void arm_syspmu_event_stop(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct hw_perf_event *hw = &event->hw;

	if (hw->state & PERF_HES_STOPPED)
		return;

	bitmap_zero(pmu->change, pmu->num_counters);
	/* perf will stop the rest of the group: stop all at one instant. */
	if (arm_syspmu_throttles_groups() &&
	    hw->interrupts == ARM_SYSPMU_THROTTLED)
		arm_syspmu_mark_group(pmu, event, pmu->change);
	__set_bit(hw->idx, pmu->change);
	arm_syspmu_stop(pmu, pmu->change, pmu->words_used);
	__clear_bit(hw->idx, pmu->active);
	__clear_bit(hw->idx, pmu->at_capture);
	/*
	 * Update the count even without PERF_EF_UPDATE: another event may use
	 * the counter next.
	 */
	arm_syspmu_update_stopped(pmu, event, arm_syspmu_counter_of(event));
}

static __always_inline void
arm_syspmu_unassign(struct perf_event *event,
		    struct arm_syspmu_counter *counter)
{
	event->hw.idx = -1;
	event->pmu_private = NULL;
	counter->event = NULL;

	arm_syspmu_update_userpage(event);
}

static __always_inline void arm_syspmu_release(struct arm_syspmu *pmu,
					       unsigned int idx)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	struct perf_event *event = counter->event;

	if (likely(!(event->hw.state & PERF_HES_STOPPED)))
		arm_syspmu_update_stopped(pmu, event, counter);
	arm_syspmu_unassign(event, counter);
}

static __always_inline void arm_syspmu_clear_deleted(struct arm_syspmu *pmu,
						     unsigned int word,
						     unsigned long deleted)
{
	pmu->deleted[word] = 0;
	pmu->used[word] &= ~deleted;
	pmu->taken[word] &= ~deleted;
	pmu->active[word] &= ~deleted;
	if (arm_syspmu_has_shadows(pmu)) {
		pmu->capturing[word] &= ~deleted;
		pmu->at_capture[word] &= ~deleted;
	}
	if (pmu->shares_filter)
		pmu->filtered[word] &= ~deleted;
}

static __always_inline void arm_syspmu_release_words(struct arm_syspmu *pmu,
						     unsigned int words)
{
	unsigned int word = 0;
	unsigned long bits, deleted;

	arm_syspmu_stop(pmu, unlikely(pmu->state & ARM_SYSPMU_MOVING) ?
			     pmu->enabled : pmu->deleted, words);

	do {
		deleted = pmu->deleted[word];
		for (bits = deleted; bits; bits &= bits - 1)
			arm_syspmu_release(pmu, word * BITS_PER_LONG +
						__ffs(bits));
		arm_syspmu_clear_deleted(pmu, word, deleted);
	} while (++word < words);
}

static noinline void arm_syspmu_release_many(struct arm_syspmu *pmu)
{
	arm_syspmu_release_words(pmu, pmu->words_used);
	if (pmu->num_used > pmu->num_deleted)
		return;

	bitmap_zero(pmu->change, pmu->num_counters);
	pmu->words_used = 1;
}

/* Stops the counters of all deleted events, then updates their counts. */
static __always_inline void arm_syspmu_release_deleted(struct arm_syspmu *pmu)
{
	if (likely(pmu->words_used == 1))
		arm_syspmu_release_words(pmu, 1);
	else
		arm_syspmu_release_many(pmu);
	pmu->num_used -= pmu->num_deleted;
	pmu->num_deleted = 0;
	if (unlikely(!hlist_empty(&pmu->waiting)) &&
	    smp_processor_id() == READ_ONCE(pmu->cpu))
		arm_syspmu_place_all_waiting(pmu);
	/* The PMU can move to another CPU from here on. */
	if (unlikely(pmu->throttled) && !pmu->num_used)
		arm_syspmu_cancel_unthrottle(pmu);
}

static noinline void arm_syspmu_finish_deletions(struct arm_syspmu *pmu)
{
	arm_syspmu_release_deleted(pmu);
}

static noinline void arm_syspmu_finish_transaction(struct arm_syspmu *pmu)
{
	if (pmu->num_deleted)
		arm_syspmu_release_deleted(pmu);
	if (pmu->started)
		arm_syspmu_enable_started(pmu);
	arm_syspmu_release_unused(pmu);
}

static void arm_syspmu_pmu_enable(struct pmu *p)
{
	struct arm_syspmu *pmu = to_arm_syspmu(p);

	if (!arm_syspmu_is_owned_here(pmu))
		return;

	if (pmu->num_used || pmu->started || pmu->defers_deletion || pmu->state)
		arm_syspmu_finish_transaction(pmu);
	else
		arm_syspmu_disown(pmu);
}

/* Required if there is pmu_enable() */
static void arm_syspmu_pmu_disable(struct pmu *p)
{
}

/*
 * A transaction that reads a group captures all counters at one instant. One
 * that adds events needs nothing: perf has disabled the PMU.
 */

static void arm_syspmu_start_txn(struct pmu *p, unsigned int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(p);

	if (flags == PERF_PMU_TXN_READ && arm_syspmu_is_owned_here(pmu) &&
	    !(pmu->state & ~(ARM_SYSPMU_DEFERRED | ARM_SYSPMU_MOVING)))
		arm_syspmu_capture(pmu);
}

static void arm_syspmu_cancel_txn(struct pmu *p)
{
	struct arm_syspmu *pmu = to_arm_syspmu(p);

	if (arm_syspmu_is_owned_here(pmu))
		pmu->state &= ~ARM_SYSPMU_READ_CAPTURED;
}

static int arm_syspmu_commit_txn(struct pmu *p)
{
	arm_syspmu_cancel_txn(p);
	return 0;
}

/* If these callbacks are NULL, perf uses its own, which do more. */

static void arm_syspmu_start_nothing(struct pmu *p, unsigned int flags)
{
}

static void arm_syspmu_cancel_nothing(struct pmu *p)
{
}

static int arm_syspmu_commit_nothing(struct pmu *p)
{
	return 0;
}

/*
 * Adding and deleting
 */

static __always_inline void
arm_syspmu_end_opening(struct arm_syspmu *pmu, struct perf_event *event)
{
	if (likely(hlist_unhashed_lockless(&event->hlist_entry)))
		return;

	raw_spin_lock(&pmu->opening_lock);
	hlist_del_init(&event->hlist_entry);
	raw_spin_unlock(&pmu->opening_lock);
}

/*
 * The PMU is on another CPU, or still moving to this one. In the first case the
 * event is migrated to the CPU of the PMU. -EAGAIN makes perf try to add the
 * event again later, but it would put a pinned event into error state. So
 * pinned events are accepted, and get a counter later.
 */
static int arm_syspmu_add_elsewhere(struct arm_syspmu *pmu,
				    struct perf_event *event)
{
	bool pinned = event->group_leader->attr.pinned;

	raw_spin_lock(&pmu->opening_lock);
	if (smp_processor_id() != pmu->cpu) {
		pmu->stray_cpu = pmu->has_stray ? nr_cpu_ids :
						  smp_processor_id();
		pmu->has_stray = true;
		irq_work_queue(&pmu->report);
	}
	/* The PMU may come back to this CPU before the event is migrated. */
	if (pinned) {
		hlist_del_init(&event->hlist_entry);
		hlist_add_head(&event->hlist_entry, &pmu->waiting);
	}
	raw_spin_unlock(&pmu->opening_lock);

	return pinned ? 0 : -EAGAIN;
}

/* Returns at least num_counters if no counter is unused. */
static __always_inline unsigned int
arm_syspmu_find_counter(struct arm_syspmu *pmu, struct perf_event *event)
{
	unsigned int word = 0;

	if (unlikely(pmu->counters_at_once))
		return arm_syspmu_choose_in_group(pmu, event);
	if (unlikely(pmu->ops->choose_counter))
		return arm_syspmu_choose_counter(pmu, event, pmu->taken);

	do {
		if (likely(~pmu->taken[word]))
			return word * BITS_PER_LONG + ffz(pmu->taken[word]);
	} while (unlikely(++word < BITS_TO_LONGS(pmu->num_counters)));

	return pmu->num_counters;
}

/* Whether an event can use the shared filter, with the events that use it */
static bool arm_syspmu_share_filter(struct arm_syspmu *pmu,
				    const struct perf_event *event,
				    unsigned int idx)
{
	unsigned int other = find_first_bit(pmu->filtered, pmu->num_counters);

	if (!pmu->ops->uses_filter(event))
		return true;
	if (other < pmu->num_counters &&
	    pmu->ops->conflict(pmu, event, pmu->counters[other].event))
		return false;
	__set_bit(idx, pmu->filtered);

	return true;
}

/* Assigns a counter to an event. This CPU must own the PMU. */
static __always_inline int arm_syspmu_place(struct arm_syspmu *pmu,
					    struct perf_event *event, int flags)
{
	struct hw_perf_event *hw = &event->hw;
	struct arm_syspmu_counter *counter;
	unsigned int idx;

	/* Possibly of this event, or of one whose counter it can use. */
	if (unlikely(pmu->num_deleted))
		arm_syspmu_finish_deletions(pmu);
	if (pmu->can_freeze && !pmu->num_used)
		arm_syspmu_choose_freezing(pmu, event);
	idx = arm_syspmu_find_counter(pmu, event);
	if (idx >= pmu->num_counters ||
	    (pmu->shares_filter && !arm_syspmu_share_filter(pmu, event, idx)))
		return -EAGAIN;

	if (unlikely(idx >= pmu->words_used * BITS_PER_LONG))
		pmu->words_used = idx / BITS_PER_LONG + 1;
	__set_bit(idx, pmu->used);
	__set_bit(idx, pmu->taken);
	pmu->num_used++;
	if (unlikely(pmu->captures_on_overflow || pmu->freezing) &&
	    arm_syspmu_samples_counts(event))
		__set_bit(idx, pmu->capturing);
	counter = &pmu->counters[idx];
	counter->event = event;
	event->pmu_private = counter;
	hw->idx = idx;
	hw->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (likely(!arm_syspmu_is_inaccessible(pmu)))
		arm_syspmu_program(pmu, event);

	if (flags & PERF_EF_START)
		arm_syspmu_start(pmu, event, idx);

	arm_syspmu_update_userpage(event);

	return 0;
}

/* Those on other CPUs have yet to be migrated: perf deletes them there first. */
static noinline void arm_syspmu_place_all_waiting(struct arm_syspmu *pmu)
{
	struct perf_event *event;
	struct hlist_node *next;

	/* Not under the lock, since it may call this function, too. */
	if (pmu->num_deleted)
		arm_syspmu_finish_deletions(pmu);

	raw_spin_lock(&pmu->opening_lock);
	hlist_for_each_entry_safe(event, next, &pmu->waiting, hlist_entry)
		if (event->oncpu == smp_processor_id() &&
		    !arm_syspmu_place(pmu, event, PERF_EF_START))
			hlist_del_init(&event->hlist_entry);
	raw_spin_unlock(&pmu->opening_lock);
}

static int arm_syspmu_event_add(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);

	if (unlikely(!arm_syspmu_acquire(pmu)))
		return arm_syspmu_add_elsewhere(pmu, event);

	arm_syspmu_end_opening(pmu, event);

	return arm_syspmu_place(pmu, event, flags);
}

static __always_inline void arm_syspmu_mark_deleted(struct arm_syspmu *pmu,
						    unsigned int idx)
{
	__set_bit(idx, pmu->deleted);
	pmu->num_deleted++;
}

/*
 * Whether the only event that has a counter can be deleted at once: no other
 * has to stop at the same instant, and nothing rare has to be considered.
 */
static __always_inline bool
arm_syspmu_is_alone(const struct arm_syspmu *pmu,
		    const struct perf_event *event)
{
	return !(pmu->defers_deletion || pmu->throttled) &&
	       pmu->words_used == 1 && !(pmu->state | event->hw.state) &&
	       !arm_syspmu_is_special(event) && hlist_empty(&pmu->waiting);
}

/* Does what arm_syspmu_release_deleted() does, with fewer instructions. */
static __always_inline void arm_syspmu_release_alone(struct arm_syspmu *pmu,
						     struct perf_event *event)
{
	struct arm_syspmu_counter *counter = arm_syspmu_counter_of(event);

	pmu->ops->disable_counters(pmu, pmu->used);
	pmu->enabled[0] = 0;
	pmu->active[0] = 0;
	pmu->taken[0] &= ~pmu->used[0];
	pmu->used[0] = 0;
	pmu->num_used = 0;
	arm_syspmu_count_stopped(pmu, event, counter);
	arm_syspmu_unassign(event, counter);
}

/* Deletes an event that has no counter, or is the only one that has one. */
static noinline void arm_syspmu_delete_unusual(struct arm_syspmu *pmu,
					       struct perf_event *event)
{
	if (unlikely(event->hw.idx < 0))
		arm_syspmu_end_opening(pmu, event);
	else if (arm_syspmu_is_alone(pmu, event))
		arm_syspmu_release_alone(pmu, event);
	else
		arm_syspmu_mark_deleted(pmu, event->hw.idx);
}

static void arm_syspmu_event_del(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	int idx = event->hw.idx;

	if (idx < 0 || pmu->num_used == 1)
		arm_syspmu_delete_unusual(pmu, event);
	else
		arm_syspmu_mark_deleted(pmu, idx);
}

/**
 * arm_syspmu_place_waiting - assign counters to waiting events
 * @pmu: the PMU, which has moved to this CPU
 *
 * Context: on the CPU that the PMU is on, with interrupts off.
 */
void arm_syspmu_place_waiting(struct arm_syspmu *pmu)
{
	if (hlist_empty(&pmu->waiting) || !arm_syspmu_acquire(pmu))
		return;

	arm_syspmu_place_all_waiting(pmu);
	arm_syspmu_pmu_enable(&pmu->pmu);
}

/**
 * arm_syspmu_begin_moving - let the first deletion of an event stop all
 *	counters
 * @pmu: the PMU
 *
 * perf removes the events from the old CPU one after another. The counts of a
 * group only stay consistent if all counters stop together. They start again
 * when the events are added on the new CPU. They keep counting until the first
 * event is removed, for which perf may have to wait.
 *
 * Context: on the CPU that the PMU moves away from, with interrupts off.
 */
void arm_syspmu_begin_moving(struct arm_syspmu *pmu)
{
	if (arm_syspmu_is_owned_here(pmu) && pmu->num_used)
		pmu->state |= ARM_SYSPMU_MOVING;
}

/*
 * Suspend and resume
 */

/**
 * arm_syspmu_suspend_events - update all counts and stop using the hardware
 * @pmu: the PMU; the core does not access its hardware afterwards
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_suspend_events(struct arm_syspmu *pmu)
{
	unsigned int idx;

	/* Pairs with smp_store_release() in arm_syspmu_count_setup(). */
	if (smp_load_acquire(&pmu->counters)) {
		arm_syspmu_disable(pmu, pmu->enabled, pmu->words_used);
		arm_syspmu_handle_overflows(pmu);
		for_each_set_bit(idx, pmu->active, pmu->num_counters)
			arm_syspmu_update(pmu, pmu->counters[idx].event);
	}

	pmu->state |= ARM_SYSPMU_SUSPENDED;
	pmu->stopped = false;
}

/**
 * arm_syspmu_resume_events - program all counters and continue to count
 * @pmu: the PMU, reset and armed
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_resume_events(struct arm_syspmu *pmu)
{
	unsigned int idx;

	/* Pairs with smp_store_release() in arm_syspmu_count_setup(). */
	if (!smp_load_acquire(&pmu->counters)) {
		pmu->state &= ~ARM_SYSPMU_SUSPENDED;
		return;
	}

	/* The counters have lost the values that are known. */
	arm_syspmu_invalidate_values(pmu);
	pmu->state |= ARM_SYSPMU_FROZEN;
	pmu->state &= ~ARM_SYSPMU_SUSPENDED;
	for_each_set_bit(idx, pmu->used, pmu->num_counters)
		arm_syspmu_program(pmu, pmu->counters[idx].event);
	for_each_set_bit(idx, pmu->active, pmu->num_counters)
		arm_syspmu_begin(pmu, pmu->counters[idx].event, idx);
	pmu->state &= ~ARM_SYSPMU_FROZEN;
	arm_syspmu_enable_active(pmu);
}

/**
 * arm_syspmu_schedule_setup - set the callbacks of struct pmu
 * @pmu: the PMU, already filled in by the backend
 *
 * Context: process, at probe.
 */
void arm_syspmu_schedule_setup(struct arm_syspmu *pmu)
{
	pmu->defers_deletion = pmu->polls || pmu->repeats ||
			       arm_syspmu_has_shadows(pmu) ||
			       pmu->shares_filter;
	pmu->pmu.pmu_enable = arm_syspmu_pmu_enable;
	pmu->pmu.pmu_disable = arm_syspmu_pmu_disable;
	pmu->pmu.add = arm_syspmu_event_add;
	pmu->pmu.del = arm_syspmu_event_del;
	pmu->pmu.start = arm_syspmu_event_start;
	pmu->pmu.stop = arm_syspmu_event_stop;
	if (!pmu->wide)
		pmu->pmu.read = arm_syspmu_event_read;
	else if (pmu->only_32bit)
		pmu->pmu.read = arm_syspmu_event_read_halves;
	else if (pmu->atomic_64bit)
		pmu->pmu.read = arm_syspmu_event_read_atomic;
	else
		pmu->pmu.read = arm_syspmu_event_read_wide;
	pmu->pmu.start_txn = arm_syspmu_start_nothing;
	pmu->pmu.commit_txn = arm_syspmu_commit_nothing;
	pmu->pmu.cancel_txn = arm_syspmu_cancel_nothing;
	if (!pmu->can_capture)
		return;

	pmu->pmu.start_txn = arm_syspmu_start_txn;
	pmu->pmu.commit_txn = arm_syspmu_commit_txn;
	pmu->pmu.cancel_txn = arm_syspmu_cancel_txn;
}
