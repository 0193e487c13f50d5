// SPDX-License-Identifier: GPL-2.0
/*
 * Event scheduling on the memory-mapped PMUs of Arm systems: the callbacks of
 * struct pmu.
 *
 * These PMUs count for the whole system rather than for a CPU, so each of them
 * is owned by one CPU: its events are scheduled there, its overflows are
 * handled there, and everything that accesses a counter runs there with
 * interrupts off. Other CPUs only read the overflow status.
 *
 * perf calls pmu_disable(), then add(), del(), start() and stop() for one event
 * after another, then pmu_enable(). The counters of deleted events are stopped
 * by pmu_enable(), or by an add() that needs one of them, with one access. The
 * counters of all started events are enabled by pmu_enable(), with one access.
 * So a group starts and stops at one instant, and the counts of its events can
 * be compared. Other events lose nothing: pmu_disable() stops nothing, and an
 * event that perf deletes and adds again in between has gone on counting.
 */

#include "compat.h"
#include "core.h"

#include <trace/events/arm_syspmu.h>

/*
 * Ownership
 */

static bool arm_syspmu_is_owned_here(const struct arm_syspmu_core *core)
{
	return READ_ONCE(core->owner) == smp_processor_id();
}

/*
 * While a PMU moves, new events are already opened on the new CPU, but events
 * on the old CPU may still have counters. The new ones must wait for these, or
 * both CPUs would access the PMU. Returns true if this CPU owns the PMU, at
 * least until arm_syspmu_release_unused().
 */
bool arm_syspmu_acquire(struct arm_syspmu_core *core)
{
	unsigned int cpu = smp_processor_id();

	return arm_syspmu_is_owned_here(core) ||
	       (cpu == READ_ONCE(core->cpu) &&
		cmpxchg(&core->owner, nr_cpu_ids, cpu) == nr_cpu_ids);
}

/*
 * The same for events, which perf only adds between pmu_disable() and pmu_enable().
 * While none had a counter, firmware or a power domain may have reset the device.
 */
static bool arm_syspmu_acquire_for_events(struct arm_syspmu_core *core)
{
	struct arm_syspmu *pmu = core->pmu;

	if (!arm_syspmu_acquire(core))
		return false;
	core->disabled = true;
	if (!bitmap_empty(core->used, pmu->num_counters) ||
	    arm_syspmu_is_inaccessible(core) || !arm_syspmu_was_reset(core) ||
	    arm_syspmu_has_gone(core))
		return true;

	arm_syspmu_fault(pmu,
			 "has lost its registers while it was idle: they are set up again, report it to the vendor of the firmware");
	pmu->ops->reset(pmu);
	pmu->ops->arm(pmu, READ_ONCE(core->irq) >= 0);
	arm_syspmu_invalidate_values(core);

	return true;
}

void arm_syspmu_release_unused(struct arm_syspmu_core *core)
{
	if (!bitmap_empty(core->used, core->pmu->num_counters))
		return;

	core->moving = false;
	/*
	 * Pairs with cmpxchg() in arm_syspmu_acquire(): the next owner sees all
	 * that was done here.
	 */
	smp_store_release(&core->owner, nr_cpu_ids);
}

/* The function of the poll timer is in irq.c. */
static void arm_syspmu_poll_start(struct arm_syspmu_core *core)
{
	ktime_t interval;

	if (!arm_syspmu_polls(core))
		return;

	interval = arm_syspmu_poll_interval(core);
	if (!hrtimer_is_queued(&core->poll) ||
	    hrtimer_get_remaining(&core->poll) > interval)
		hrtimer_start(&core->poll, interval,
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * Enabling and disabling counters
 */

/* Ends what @program and @write_counter may have begun. */
void arm_syspmu_end_write(struct arm_syspmu_core *core)
{
	struct arm_syspmu *pmu = core->pmu;

	if (pmu->ops->end_write && !arm_syspmu_is_inaccessible(core))
		pmu->ops->end_write(pmu);
}

static void arm_syspmu_enable_active(struct arm_syspmu_core *core)
{
	DECLARE_BITMAP(change, ARM_SYSPMU_MAX_COUNTERS);
	struct arm_syspmu *pmu = core->pmu;
	unsigned int n = pmu->num_counters;

	if (arm_syspmu_is_inaccessible(core))
		return;

	if (!core->moving &&
	    bitmap_andnot(change, core->active, core->enabled, n)) {
		bitmap_copy(core->enabled, core->active, n);
		pmu->ops->enable_counters(pmu, change);
		arm_syspmu_poll_start(core);
	}
	arm_syspmu_end_write(core);
}

/* Disables those of @counters that are enabled, and sets @change to them. */
static bool arm_syspmu_disable(struct arm_syspmu_core *core,
			       const unsigned long *counters,
			       unsigned long *change)
{
	struct arm_syspmu *pmu = core->pmu;
	unsigned int n = pmu->num_counters;

	if (!bitmap_and(change, core->enabled, counters, n))
		return false;

	bitmap_andnot(core->enabled, core->enabled, change, n);
	if (bitmap_empty(core->enabled, n))
		hrtimer_try_to_cancel(&core->poll);
	if (arm_syspmu_is_inaccessible(core))
		return false;

	pmu->ops->disable_counters(pmu, change);

	return true;
}

/* Disables the counters of events that are stopped or deleted. */
static void arm_syspmu_stop_counters(struct arm_syspmu_core *core,
				     const unsigned long *counters)
{
	DECLARE_BITMAP(change, ARM_SYSPMU_MAX_COUNTERS);

	if (arm_syspmu_disable(core, counters, change) &&
	    arm_syspmu_polls(core) &&
	    arm_syspmu_narrowest_counter(core->pmu) != U64_MAX)
		arm_syspmu_take_late_overflows(core, change);
}

/*
 * Starting and stopping
 */

static void arm_syspmu_save_beside_start(struct arm_syspmu_core *core,
					 unsigned int idx)
{
	DECLARE_BITMAP(set, ARM_SYSPMU_MAX_COUNTERS) = {};

	__set_bit(idx, set);
	arm_syspmu_save_beside_set(core, set);
}

/* Sets up the counter of an event; enabling it is left to the caller. */
static int arm_syspmu_start(struct arm_syspmu_core *core,
			    struct perf_event *event)
{
	struct arm_syspmu_core_event *own = event->pmu_private;
	struct arm_syspmu *pmu = core->pmu;
	int err = 0;

	if (!arm_syspmu_is_inaccessible(core)) {
		if (!own->programmed) {
			trace_arm_syspmu_program(pmu->pmu.name, event);
			err = pmu->ops->program(pmu, event);
		}
		err = err ?: arm_syspmu_begin_count(core, event);
		if (err)
			return err;
		own->programmed = true;
		if (pmu->can_capture)
			arm_syspmu_save_beside_start(core, event->hw.idx);
	}

	/* Once the state is cleared, an NMI can read the event. */
	barrier();
	event->hw.state = 0;
	__set_bit(event->hw.idx, core->active);

	return 0;
}

/*
 * Starts an event that perf takes for a running one. If its counter cannot be
 * programmed, its times must not say that it counts.
 */
static void arm_syspmu_restart(struct arm_syspmu_core *core,
			       struct perf_event *event)
{
	if (arm_syspmu_start(core, event))
		arm_syspmu_perf_disable(event);
}

/*
 * PERF_EVENT_IOC_PERIOD restarts the whole group of a throttled event, but only
 * disables the PMU of that event (6.16 and newer).
 */
static void arm_syspmu_event_start(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);

	if (!(event->hw.state & PERF_HES_STOPPED) || event->hw.idx < 0)
		return;

	arm_syspmu_restart(pmu->core, event);
	if (!pmu->core->disabled)
		arm_syspmu_enable_active(pmu->core);
}

/* Restarts throttled events, all at one instant. */
void arm_syspmu_restart_throttled(struct arm_syspmu_core *core)
{
	struct perf_event *event;
	unsigned int idx;

	for_each_set_bit(idx, core->used, core->pmu->num_counters) {
		event = core->counters[idx].event;
		if (event->hw.interrupts != ARM_SYSPMU_THROTTLED)
			continue;
		event->hw.interrupts = 0;
		if (event->hw.state & PERF_HES_STOPPED)
			arm_syspmu_restart(core, event);
	}
	arm_syspmu_enable_active(core);
}

/*
 * The counter is read even without PERF_EF_UPDATE: another event may use it next.
 * If perf will stop @whole_group, all stop at one instant.
 */
void arm_syspmu_stop_event(struct perf_event *event, int flags,
			   bool whole_group)
{
	DECLARE_BITMAP(counters, ARM_SYSPMU_MAX_COUNTERS) = {};
	struct arm_syspmu_core *core = to_arm_syspmu(event->pmu)->core;
	struct hw_perf_event *hw = &event->hw;
	bool frozen = core->frozen;

	if (hw->state & PERF_HES_STOPPED) {
		/* perf looks at the count of a throttled event. */
		if (flags & PERF_EF_UPDATE)
			arm_syspmu_account(core, event, 0);
		return;
	}

	if (whole_group)
		arm_syspmu_mark_group(core, event, counters);
	__set_bit(hw->idx, counters);
	arm_syspmu_stop_counters(core, counters);
	__clear_bit(hw->idx, core->active);
	/*
	 * perf throttles an event at any time: a reader on another CPU may be
	 * about to copy the counts of a group that it has read at one instant.
	 */
	core->frozen |= !(flags & PERF_EF_UPDATE);
	arm_syspmu_finish_stop(core, event);
	core->frozen = frozen;
}

/*
 * pmu::stop(). If perf stops a throttled event itself, then also the rest of its
 * group: 6.16 "perf: Fix the throttle logic for a group". Older kernels have the
 * driver stop it.
 */
static void arm_syspmu_event_stop(struct perf_event *event, int flags)
{
	arm_syspmu_stop_event(event, flags,
			      event->hw.interrupts == ARM_SYSPMU_THROTTLED);
}

static void arm_syspmu_release(struct arm_syspmu_core *core, unsigned int idx)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	struct perf_event *event = counter->event;

	if (!(event->hw.state & PERF_HES_STOPPED))
		arm_syspmu_finish_stop(core, event);
	else
		arm_syspmu_account(core, event, 0);
	event->hw.idx = -1;
	counter->event = NULL;
	perf_event_update_userpage(event);
}

static void arm_syspmu_place_all_waiting(struct arm_syspmu_core *core);

/* Stops the counters of all deleted events, then updates their counts. */
static void arm_syspmu_release_deleted(struct arm_syspmu_core *core)
{
	unsigned int n = core->pmu->num_counters, idx;

	if (bitmap_empty(core->deleted, n))
		return;

	arm_syspmu_stop_counters(core, core->moving ? core->enabled :
						      core->deleted);
	for_each_set_bit(idx, core->deleted, n)
		arm_syspmu_release(core, idx);
	bitmap_andnot(core->used, core->used, core->deleted, n);
	bitmap_andnot(core->active, core->active, core->deleted, n);
	bitmap_andnot(core->capturing, core->capturing, core->deleted, n);
	bitmap_zero(core->deleted, n);

	if (!list_empty(&core->waiting) &&
	    smp_processor_id() == READ_ONCE(core->cpu))
		arm_syspmu_place_all_waiting(core);
	/* The PMU can move to another CPU from here on. */
	if (bitmap_empty(core->used, n))
		hrtimer_try_to_cancel(&core->unthrottle);
}

static void arm_syspmu_pmu_enable(struct pmu *p)
{
	struct arm_syspmu_core *core = to_arm_syspmu(p)->core;

	if (!arm_syspmu_is_owned_here(core))
		return;

	core->disabled = false;
	arm_syspmu_release_deleted(core);
	arm_syspmu_enable_active(core);
	arm_syspmu_release_unused(core);
}

static void arm_syspmu_pmu_disable(struct pmu *p)
{
	struct arm_syspmu_core *core = to_arm_syspmu(p)->core;

	if (arm_syspmu_is_owned_here(core))
		core->disabled = true;
}

/*
 * Transactions: one that reads a group captures all counters at one instant. One
 * that adds events needs nothing, perf has disabled the PMU. If these callbacks
 * are NULL, perf uses its own, which do more.
 */

static void arm_syspmu_start_txn(struct pmu *p, unsigned int flags)
{
	struct arm_syspmu_core *core = to_arm_syspmu(p)->core;

	if (flags == PERF_PMU_TXN_READ && core->pmu->can_capture &&
	    arm_syspmu_is_owned_here(core) && !core->frozen &&
	    !arm_syspmu_is_inaccessible(core))
		arm_syspmu_capture(core);
}

static void arm_syspmu_cancel_txn(struct pmu *p)
{
	struct arm_syspmu_core *core = to_arm_syspmu(p)->core;

	if (arm_syspmu_is_owned_here(core))
		core->source = ARM_SYSPMU_COUNTERS;
}

static int arm_syspmu_commit_txn(struct pmu *p)
{
	arm_syspmu_cancel_txn(p);

	return 0;
}

/*
 * Adding and deleting
 */

static void arm_syspmu_end_opening(struct arm_syspmu_core *core,
				   struct perf_event *event)
{
	struct arm_syspmu_core_event *own = event->pmu_private;

	if (list_empty(&own->node))
		return;

	raw_spin_lock(&core->opening_lock);
	list_del_init(&own->node);
	raw_spin_unlock(&core->opening_lock);
}

/*
 * The PMU is on another CPU, or still moving to this one. In the first case the
 * event is migrated to the CPU of the PMU. -EAGAIN makes perf try to add the
 * event again later, but it would put a pinned event into error state. So
 * pinned events are accepted, and get a counter later.
 */
static int arm_syspmu_add_elsewhere(struct arm_syspmu_core *core,
				    struct perf_event *event)
{
	struct arm_syspmu_core_event *own = event->pmu_private;
	bool pinned = event->group_leader->attr.pinned;

	raw_spin_lock(&core->opening_lock);
	if (smp_processor_id() != core->cpu) {
		cpumask_set_cpu(smp_processor_id(), &core->strays);
		irq_work_queue(&core->report);
	}
	/* The PMU may come back to this CPU before the event is migrated. */
	if (pinned)
		list_move_tail(&own->node, &core->waiting);
	raw_spin_unlock(&core->opening_lock);

	return pinned ? 0 : -EAGAIN;
}

/*
 * Returns a counter that can count an event, none of those in @taken, or at least
 * the number of counters if there is none.
 */
unsigned int arm_syspmu_choose_counter(struct arm_syspmu *pmu,
				       const struct perf_event *event,
				       const unsigned long *taken)
{
	if (pmu->ops->choose_counter)
		return pmu->ops->choose_counter(pmu, event, -1, taken);

	return find_first_zero_bit(taken, pmu->num_counters);
}

/* Events that use the shared filter all have the same: compare with one. */
static bool arm_syspmu_shares_filter(const struct arm_syspmu_core *core,
				     const struct perf_event *event)
{
	const struct arm_syspmu_event *own = event->pmu_private, *other;
	unsigned int idx;

	if (!own->uses_shared_filter)
		return true;

	for_each_set_bit(idx, core->used, core->pmu->num_counters) {
		other = core->counters[idx].event->pmu_private;
		if (other->uses_shared_filter)
			return other->shared_filter == own->shared_filter;
	}

	return true;
}

/* Assigns a counter to an event. This CPU owns the PMU. */
static int arm_syspmu_place(struct arm_syspmu_core *core,
			    struct perf_event *event, int flags)
{
	struct arm_syspmu_core_event *own = event->pmu_private;
	struct hw_perf_event *hw = &event->hw;
	unsigned int idx;
	int err = 0;

	idx = arm_syspmu_choose_counter(core->pmu, event, core->used);
	if (idx >= core->pmu->num_counters ||
	    !arm_syspmu_shares_filter(core, event))
		return -EAGAIN;

	__set_bit(idx, core->used);
	if (own->public.captures)
		__set_bit(idx, core->capturing);
	core->counters[idx].event = event;
	hw->idx = idx;
	own->programmed = false;
	/* It may have been throttled with its group while it waited. */
	if (flags & PERF_EF_START && hw->interrupts != ARM_SYSPMU_THROTTLED)
		err = arm_syspmu_start(core, event);
	if (err) {
		core->counters[idx].event = NULL;
		hw->idx = -1;
		__clear_bit(idx, core->capturing);
		__clear_bit(idx, core->used);
	}
	perf_event_update_userpage(event);

	return err;
}

/* Whether an event is to get a counter now, or soon, as the rest of a group */
static bool arm_syspmu_comes_here(const struct arm_syspmu_core *core,
				  const struct perf_event *event)
{
	return event->pmu == &core->pmu->pmu && event->hw.idx < 0 &&
	       (event->oncpu == smp_processor_id() ||
		event->state == PERF_EVENT_STATE_INACTIVE);
}

/*
 * Whether an event can have the counter that it was deleted from, or that it would
 * get beside deleted events: if it would choose that without them as well, or
 * another one that it prefers as much. Otherwise it may be in the way of an event
 * that needs this one. Adds the counter to @beside and @taken.
 */
static bool arm_syspmu_can_have(const struct arm_syspmu_core *core,
				const struct perf_event *event,
				unsigned long *beside, unsigned long *taken)
{
	struct arm_syspmu *pmu = core->pmu;
	int held = event->hw.idx, idx = held;
	bool can = true;

	if (held >= 0 && event->pmu == &pmu->pmu ?
	    !test_bit(held, core->deleted) :
	    !arm_syspmu_comes_here(core, event))
		return true;
	if (held < 0)
		idx = arm_syspmu_choose_counter(pmu, event, beside);
	if (idx >= pmu->num_counters || !arm_syspmu_shares_filter(core, event))
		return false;
	if (pmu->ops->choose_counter)
		can = pmu->ops->choose_counter(pmu, event, idx, taken) == idx;
	__set_bit(idx, beside);
	__set_bit(idx, taken);

	return can;
}

/* A group counts as a whole or not at all. */
static bool arm_syspmu_group_fits(const struct arm_syspmu_core *core,
				  const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	DECLARE_BITMAP(beside, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(taken, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int n = core->pmu->num_counters;
	bool fits;

	bitmap_copy(beside, core->used, n);
	bitmap_andnot(taken, core->used, core->deleted, n);
	fits = arm_syspmu_can_have(core, leader, beside, taken);
	for_each_sibling_event(sibling, leader)
		fits = fits && arm_syspmu_can_have(core, sibling, beside, taken);

	return fits;
}

/*
 * Whether deleted events can keep their counters, since they may be added again:
 * if those of the group of this event can, and the rest of the group fits beside
 * them. Otherwise some of its members would go on, and others start anew. The
 * first member decides.
 */
static bool arm_syspmu_can_stay(const struct arm_syspmu_core *core,
				const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	return bitmap_empty(core->deleted, core->pmu->num_counters) ||
	       (leader != event && leader->pmu == event->pmu) ||
	       arm_syspmu_group_fits(core, event);
}

/* Those on other CPUs have yet to be migrated: perf deletes them there first. */
static void arm_syspmu_place_all_waiting(struct arm_syspmu_core *core)
{
	struct arm_syspmu_core_event *own, *next;

	raw_spin_lock(&core->opening_lock);
	list_for_each_entry_safe(own, next, &core->waiting, node)
		if (own->event->oncpu == smp_processor_id() &&
		    arm_syspmu_group_fits(core, own->event) &&
		    !arm_syspmu_place(core, own->event, PERF_EF_START))
			list_del_init(&own->node);
	raw_spin_unlock(&core->opening_lock);
}

/* Adds an event again whose counter has not been released. */
static int arm_syspmu_take_back(struct arm_syspmu_core *core,
				struct perf_event *event)
{
	int err = 0;

	if (event->hw.state & PERF_HES_STOPPED)
		err = arm_syspmu_start(core, event);
	if (!err)
		__clear_bit(event->hw.idx, core->deleted);

	return err;
}

static int arm_syspmu_event_add(struct perf_event *event, int flags)
{
	struct arm_syspmu_core *core = to_arm_syspmu(event->pmu)->core;
	bool owned = arm_syspmu_is_owned_here(core);

	if (!arm_syspmu_acquire_for_events(core))
		return arm_syspmu_add_elsewhere(core, event);

	/* Pinned events have priority. */
	if (!owned && !list_empty(&core->waiting))
		arm_syspmu_place_all_waiting(core);
	arm_syspmu_end_opening(core, event);
	if (!list_empty(&core->waiting) || !arm_syspmu_can_stay(core, event))
		arm_syspmu_release_deleted(core);
	if (event->hw.idx >= 0)
		return arm_syspmu_take_back(core, event);
	if (!list_empty(&core->waiting) && !arm_syspmu_group_fits(core, event))
		return -EAGAIN;

	return arm_syspmu_place(core, event, flags);
}

static void arm_syspmu_event_del(struct perf_event *event, int flags)
{
	struct arm_syspmu_core *core = to_arm_syspmu(event->pmu)->core;

	if (event->hw.idx < 0)
		arm_syspmu_end_opening(core, event);
	else
		__set_bit(event->hw.idx, core->deleted);
}

/*
 * Moves, suspend and resume: called on the owning CPU with interrupts off.
 */

/* Assigns counters to waiting events, on the CPU that the PMU has moved to. */
void arm_syspmu_place_waiting(void *data)
{
	struct arm_syspmu_core *core = data;

	if (list_empty(&core->waiting) || !arm_syspmu_acquire_for_events(core))
		return;

	arm_syspmu_place_all_waiting(core);
	arm_syspmu_pmu_enable(&core->pmu->pmu);
}

/*
 * perf removes the events from the old CPU one after another. The counts of a
 * group only stay consistent if all counters stop together, when the first event
 * is removed, for which perf may have to wait. They start again when the events
 * are added on the new CPU.
 */
void arm_syspmu_begin_moving(void *data)
{
	struct arm_syspmu_core *core = data;

	if (arm_syspmu_is_owned_here(core) &&
	    !bitmap_empty(core->used, core->pmu->num_counters))
		core->moving = true;
}

/* Stops all counters; their overflows have yet to be handled. */
void arm_syspmu_suspend_counters(struct arm_syspmu_core *core)
{
	DECLARE_BITMAP(change, ARM_SYSPMU_MAX_COUNTERS);

	arm_syspmu_disable(core, core->enabled, change);
}

/* A throttled event has what was deferred. */
static void arm_syspmu_update_used(struct arm_syspmu_core *core)
{
	raw_spinlock_t *lock = arm_syspmu_counts_lock(core);
	unsigned int idx;

	raw_spin_lock(lock);
	for_each_set_bit(idx, core->used, core->pmu->num_counters)
		arm_syspmu_event_read(core->counters[idx].event);
	raw_spin_unlock(lock);
}

/* Updates all counts; the hardware is not accessed afterwards. */
void arm_syspmu_suspend_events(struct arm_syspmu_core *core)
{
	unsigned int idx;

	if (!bitmap_empty(core->used, core->pmu->num_counters))
		arm_syspmu_update_used(core);
	WRITE_ONCE(core->suspended, true);
	/* Late events may have ended periods after overflows were handled. */
	for_each_set_bit(idx, core->active, core->pmu->num_counters)
		arm_syspmu_mark_due(core->counters[idx].event);
}

/* Sets up the counters again, after the reset, and continues to count. */
void arm_syspmu_resume_events(void *data)
{
	struct arm_syspmu_core *core = data;
	struct arm_syspmu_core_event *own;
	struct perf_event *event;
	unsigned int idx;

	/* Pairs with smp_store_release() in arm_syspmu_count_setup(). */
	if (!smp_load_acquire(&core->counters)) {
		WRITE_ONCE(core->suspended, false);
		return;
	}

	/* The counters have lost the values that are known. */
	arm_syspmu_invalidate_values(core);
	core->frozen = true;
	/* An NMI must not read the counters yet. */
	barrier();
	WRITE_ONCE(core->suspended, false);
	for_each_set_bit(idx, core->used, core->pmu->num_counters) {
		event = core->counters[idx].event;
		own = event->pmu_private;
		own->programmed = false;
		if (event->hw.state & PERF_HES_STOPPED)
			continue;
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		__clear_bit(idx, core->active);
		arm_syspmu_restart(core, event);
	}
	core->frozen = false;
	arm_syspmu_enable_active(core);
}

void arm_syspmu_schedule_setup(struct arm_syspmu_core *core)
{
	struct pmu *pmu = &core->pmu->pmu;

	pmu->pmu_enable = arm_syspmu_pmu_enable;
	pmu->pmu_disable = arm_syspmu_pmu_disable;
	pmu->add = arm_syspmu_event_add;
	pmu->del = arm_syspmu_event_del;
	pmu->start = arm_syspmu_event_start;
	pmu->stop = arm_syspmu_event_stop;
	pmu->read = arm_syspmu_event_read;
	pmu->start_txn = arm_syspmu_start_txn;
	pmu->commit_txn = arm_syspmu_commit_txn;
	pmu->cancel_txn = arm_syspmu_cancel_txn;
}
