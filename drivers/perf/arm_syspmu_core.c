// SPDX-License-Identifier: GPL-2.0
/*
 * Core of the perf drivers for the memory-mapped PMUs of Arm systems: the
 * whole life of a perf event, from perf_event_open() to its last read.
 *
 * Such a PMU counts for the system and not for a CPU, so each is owned by one
 * CPU: events are scheduled there, its interrupt is delivered there, and
 * everything that touches a counter runs there with interrupts off. That is
 * the only locking there is.
 *
 * Counters run freely. They are never written: a counter has a value from
 * which an event starts, wraps where its width ends, and the overflow status is
 * the carry of that wrap. Nothing that happens while an overflow is handled is
 * lost, and the interrupt may be late.
 */

#include <linux/bitmap.h>
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>

#include "arm_syspmu.h"
#include "arm_syspmu_compat.h"

#define CREATE_TRACE_POINTS
#include <trace/events/arm_syspmu.h>

/*
 * Reading: the only way in which counter values become counts.
 */

/* Suspended, or gone for good: counts stay what they are. */
static bool arm_syspmu_is_out_of_reach(const struct arm_syspmu *pmu)
{
	return pmu->suspended || pmu->gone;
}

/* Give up hardware that does not answer. */
static void arm_syspmu_fault(struct arm_syspmu *pmu)
{
	trace_arm_syspmu_fault(pmu->pmu.name, "reads as all ones");
	WRITE_ONCE(pmu->gone, true);
	/* perf may hold the lock of a run queue, which printing may need. */
	irq_work_queue(&pmu->fault_report);
}

static void arm_syspmu_report_fault(struct irq_work *work)
{
	struct arm_syspmu *pmu = container_of(work, struct arm_syspmu,
					      fault_report);

	dev_err(pmu->dev, "%s: reads as all ones: its events stop counting, bind the driver again when it is back\n",
		pmu->pmu.name);
}

static void arm_syspmu_sync_fault(void *data)
{
	struct arm_syspmu *pmu = data;

	irq_work_sync(&pmu->fault_report);
}

/* A capture by an overflow must not mix with the one that is being read. */
static void arm_syspmu_take_snapshot(struct arm_syspmu *pmu)
{
	unsigned int idx, tries = 3;
	bool pending;

	do {
		pending = pmu->ops->has_overflowed(pmu, pmu->capturing);
		pmu->ops->capture(pmu);
		for_each_set_bit(idx, pmu->used, pmu->num_counters)
			pmu->snapshot[idx] = pmu->ops->read_captured(pmu, idx);
	} while (!pending && --tries &&
		 pmu->ops->has_overflowed(pmu, pmu->capturing));
}

static void arm_syspmu_capture(struct arm_syspmu *pmu)
{
	trace_arm_syspmu_capture(pmu->pmu.name);
	if (bitmap_empty(pmu->capturing, pmu->num_counters))
		pmu->ops->capture(pmu);
	else
		arm_syspmu_take_snapshot(pmu);
	pmu->captured = true;
}

static u64 arm_syspmu_value(struct arm_syspmu *pmu, unsigned int idx)
{
	if (!pmu->captured)
		return pmu->ops->read_counter(pmu, idx);
	if (bitmap_empty(pmu->capturing, pmu->num_counters))
		return pmu->ops->read_captured(pmu, idx);

	return pmu->snapshot[idx];
}

/*
 * A counter that was read when it had hardly wrapped may owe that to a whole
 * range since the read before, whose interrupt is still on its way. It cannot
 * be on its way for longer than a counter takes for this part of its range: an
 * eighth of a second for 32 bits at 2 GHz.
 */
static bool arm_syspmu_may_have_lapped(const struct arm_syspmu *pmu, u64 now)
{
	return pmu->counter_mask != U64_MAX && now <= pmu->counter_mask / 16;
}

static bool arm_syspmu_has_overflowed(struct arm_syspmu *pmu, unsigned int idx)
{
	DECLARE_BITMAP(counter, ARM_SYSPMU_MAX_COUNTERS) = {};

	__set_bit(idx, counter);

	return pmu->ops->has_overflowed(pmu, counter);
}

/**
 * arm_syspmu_update - account for what a counter has counted
 * @pmu: the PMU
 * @event: an event that has a counter
 * @overflowed: the overflow status of the counter was set, and has been cleared
 *
 * Between two reads a counter can have wrapped once. A read sees it as a value
 * below the previous one; but when a whole range has passed, only the overflow
 * status tells. Either may come first, the read or the interrupt, and the wrap
 * counts once.
 *
 * Context: on the owning CPU with interrupts off.
 * Return: the value up to which the count is right
 */
u64 arm_syspmu_update(struct arm_syspmu *pmu, struct perf_event *event,
		      bool overflowed)
{
	struct hw_perf_event *hw = &event->hw;
	u64 now, prev, delta;
	bool seen, wrapped;

	if (arm_syspmu_is_out_of_reach(pmu))
		return local64_read(&hw->prev_count);

	now = arm_syspmu_value(pmu, hw->idx) & pmu->counter_mask;
	if (now == pmu->counter_mask && !pmu->ops->is_present(pmu)) {
		arm_syspmu_fault(pmu);
		return local64_read(&hw->prev_count);
	}

	prev = local64_xchg(&hw->prev_count, now);
	delta = (now - prev) & pmu->counter_mask;
	wrapped = now < prev;

	if (overflowed) {
		seen = __test_and_clear_bit(hw->idx, pmu->wrapped);
		if (!seen && !wrapped)
			delta += pmu->counter_mask + 1;
		/* Once more, perhaps since the status was cleared. */
		if (seen && wrapped && arm_syspmu_has_overflowed(pmu, hw->idx))
			__set_bit(hw->idx, pmu->wrapped);
	} else if (wrapped) {
		__set_bit(hw->idx, pmu->wrapped);
	} else if (arm_syspmu_may_have_lapped(pmu, now) &&
		   !test_bit(hw->idx, pmu->wrapped) &&
		   arm_syspmu_has_overflowed(pmu, hw->idx)) {
		__set_bit(hw->idx, pmu->wrapped);
		delta += pmu->counter_mask + 1;
	}

	if (pmu->frozen)
		pmu->snapshot[hw->idx] += delta;
	else
		local64_add(delta, &event->count);
	if (is_sampling_event(event))
		local64_sub(delta, &hw->period_left);

	return now;
}

/* What a sample in the making says must not be overwritten by later values. */
static void arm_syspmu_event_read(struct perf_event *event)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);

	if (!pmu->frozen)
		arm_syspmu_update(pmu, event, false);
}

/*
 * The interrupt can come between perf's read of a group and its copying of the
 * counts. Bring all counts to one instant then, so that they still belong
 * together, unless the shadows hold what a sample is to be made of. Sampling
 * events are brought up to date when their counter is set anew.
 */
static void arm_syspmu_update_overflowed(struct arm_syspmu *pmu,
					 const unsigned long *overflowed)
{
	unsigned int idx;

	if (!pmu->can_capture ||
	    !bitmap_empty(pmu->capturing, pmu->num_counters) ||
	    bitmap_weight(pmu->wanted, pmu->num_counters) == 1) {
		for_each_and_bit(idx, overflowed, pmu->wanted,
				 pmu->num_counters)
			if (!is_sampling_event(pmu->events[idx]))
				arm_syspmu_update(pmu, pmu->events[idx], true);
		return;
	}

	arm_syspmu_capture(pmu);
	for_each_set_bit(idx, pmu->wanted, pmu->num_counters)
		if (!is_sampling_event(pmu->events[idx]))
			arm_syspmu_update(pmu, pmu->events[idx],
					  test_bit(idx, overflowed));
	pmu->captured = false;
}

/**
 * arm_syspmu_handle_overflows - account for all overflows signalled so far
 * @pmu: the PMU
 *
 * Context: interrupt, on the owning CPU.
 * Return: whether there were any
 */
bool arm_syspmu_handle_overflows(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);

	if (arm_syspmu_is_out_of_reach(pmu))
		return false;

	pmu->ops->take_overflows(pmu, overflowed);
	if (bitmap_empty(overflowed, pmu->num_counters))
		return false;
	if (bitmap_full(overflowed, pmu->num_counters) &&
	    !pmu->ops->is_present(pmu)) {
		arm_syspmu_fault(pmu);
		return false;
	}
	trace_arm_syspmu_overflow(pmu->pmu.name, overflowed,
				  pmu->num_counters);

	/* A sample shows all counts of its group: they must be up to date. */
	arm_syspmu_update_overflowed(pmu, overflowed);
	arm_syspmu_sample(pmu, overflowed);

	return true;
}

/*
 * Scheduling. perf calls pmu_disable(), then add(), del(), start() and stop()
 * for one event after another, then pmu_enable(): only there are the counters
 * that have come to be wanted enabled, all with one access, and those of
 * deleted events stopped. So a group starts and stops at one instant, and the
 * counts of its events can be compared. Events that stay are not touched and
 * lose nothing, also if they were in a group with one that goes.
 */

static void arm_syspmu_enable_wanted(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(start, ARM_SYSPMU_MAX_COUNTERS);

	if (arm_syspmu_is_out_of_reach(pmu) ||
	    !bitmap_andnot(start, pmu->wanted, pmu->counting,
			   pmu->num_counters))
		return;

	pmu->ops->enable_counters(pmu, start);
	if (bitmap_empty(pmu->counting, pmu->num_counters))
		arm_syspmu_poll_start(pmu);
	bitmap_copy(pmu->counting, pmu->wanted, pmu->num_counters);
}

static void arm_syspmu_disable_counting(struct arm_syspmu *pmu,
					const unsigned long *stop)
{
	if (bitmap_empty(stop, pmu->num_counters))
		return;

	if (!arm_syspmu_is_out_of_reach(pmu))
		pmu->ops->disable_counters(pmu, stop);
	if (!bitmap_andnot(pmu->counting, pmu->counting, stop,
			   pmu->num_counters))
		arm_syspmu_poll_stop(pmu);
}

static void arm_syspmu_program(struct arm_syspmu *pmu, struct perf_event *event)
{
	if (arm_syspmu_is_out_of_reach(pmu))
		return;

	pmu->ops->program(pmu, event);
	trace_arm_syspmu_program(pmu->pmu.name, event);
}

/* A counter that has stopped keeps its value: the next event need not ask. */
static void arm_syspmu_park(struct arm_syspmu *pmu, int idx, u64 value)
{
	if (pmu->drifts)
		return;

	pmu->values[idx] = value;
	__set_bit(idx, pmu->parked);
}

static u64 arm_syspmu_unpark(struct arm_syspmu *pmu, int idx)
{
	if (__test_and_clear_bit(idx, pmu->parked))
		return pmu->values[idx];

	return pmu->ops->read_counter(pmu, idx);
}

/* From where the event counts when its counter is enabled. */
static void arm_syspmu_begin(struct arm_syspmu *pmu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (arm_syspmu_is_out_of_reach(pmu))
		return;

	if (is_sampling_event(event)) {
		__clear_bit(hw->idx, pmu->parked);
		arm_syspmu_set_period(pmu, event);
	} else {
		local64_set(&hw->prev_count, arm_syspmu_unpark(pmu, hw->idx));
	}
}

static void arm_syspmu_event_start(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct hw_perf_event *hw = &event->hw;

	if (!(hw->state & PERF_HES_STOPPED))
		return;

	arm_syspmu_begin(pmu, event);
	hw->state = 0;
	__set_bit(hw->idx, pmu->wanted);

	if (!pmu->disabled)
		arm_syspmu_enable_wanted(pmu);
}

/*
 * Where no interrupt need come, nobody would find this overflow any more when
 * the counter has stopped, but the next event on the counter would.
 */
static bool arm_syspmu_take_overflow(struct arm_syspmu *pmu, unsigned int idx)
{
	if (pmu->delivery == ARM_SYSPMU_WIRED ||
	    pmu->counter_mask == U64_MAX || arm_syspmu_is_out_of_reach(pmu) ||
	    !arm_syspmu_has_overflowed(pmu, idx))
		return false;

	pmu->ops->clear_overflow(pmu, idx);

	return true;
}

static void arm_syspmu_event_stop(struct perf_event *event, int flags)
{
	DECLARE_BITMAP(stop, ARM_SYSPMU_MAX_COUNTERS) = {};
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct hw_perf_event *hw = &event->hw;
	bool overflowed;

	if (hw->state & PERF_HES_STOPPED)
		return;

	__assign_bit(hw->idx, stop, test_bit(hw->idx, pmu->counting));
	arm_syspmu_disable_counting(pmu, stop);
	__clear_bit(hw->idx, pmu->wanted);

	/* The counter may serve another event next: PERF_EF_UPDATE or not. */
	overflowed = arm_syspmu_take_overflow(pmu, hw->idx);
	arm_syspmu_park(pmu, hw->idx,
			arm_syspmu_update(pmu, event, overflowed));
	hw->state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;

	if (is_sampling_event(event))
		arm_syspmu_mark_due(hw);

	/* An overflow whose interrupt is still to come has been counted. */
	if (__test_and_clear_bit(hw->idx, pmu->wrapped) &&
	    !arm_syspmu_is_out_of_reach(pmu))
		pmu->ops->clear_overflow(pmu, hw->idx);
}

static void arm_syspmu_release(struct arm_syspmu *pmu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	arm_syspmu_event_stop(event, PERF_EF_UPDATE);
	pmu->events[hw->idx] = NULL;
	__clear_bit(hw->idx, pmu->used);
	__clear_bit(hw->idx, pmu->capturing);
	if (bitmap_empty(pmu->used, pmu->num_counters))
		hrtimer_try_to_cancel(&pmu->unthrottle);
	hw->idx = -1;

	perf_event_update_userpage(event);
}

/* Stop the counters of all deleted events, then account for them. */
static void arm_syspmu_finish_deletions(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(stop, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx;

	if (bitmap_empty(pmu->deleted, pmu->num_counters))
		return;

	bitmap_and(stop, pmu->deleted, pmu->counting, pmu->num_counters);
	arm_syspmu_disable_counting(pmu, stop);
	for_each_set_bit(idx, pmu->deleted, pmu->num_counters)
		arm_syspmu_release(pmu, pmu->events[idx]);
	bitmap_zero(pmu->deleted, pmu->num_counters);
}

static bool arm_syspmu_is_owned_here(const struct arm_syspmu *pmu)
{
	return READ_ONCE(pmu->owner) == smp_processor_id();
}

/*
 * While a PMU moves, events are opened on the new CPU when those on the old one
 * still have counters: they must wait, or both CPUs would touch the PMU.
 */
static bool arm_syspmu_claim(struct arm_syspmu *pmu)
{
	unsigned int cpu = smp_processor_id();

	if (arm_syspmu_is_owned_here(pmu))
		return true;
	if (cpu != READ_ONCE(pmu->cpu) ||
	    cmpxchg(&pmu->owner, nr_cpu_ids, cpu) != nr_cpu_ids)
		return false;

	/* perf has called pmu_disable(), of which nothing was known here. */
	pmu->disabled = true;

	return true;
}

static void arm_syspmu_pmu_enable(struct pmu *p)
{
	struct arm_syspmu *pmu = to_arm_syspmu(p);

	if (!arm_syspmu_is_owned_here(pmu))
		return;

	pmu->disabled = false;
	arm_syspmu_finish_deletions(pmu);
	arm_syspmu_enable_wanted(pmu);
	if (!bitmap_empty(pmu->used, pmu->num_counters))
		return;

	/* Pairs with cmpxchg() in arm_syspmu_claim(): all is done here. */
	smp_store_release(&pmu->owner, nr_cpu_ids);
}

static void arm_syspmu_pmu_disable(struct pmu *p)
{
	struct arm_syspmu *pmu = to_arm_syspmu(p);

	if (arm_syspmu_is_owned_here(pmu))
		pmu->disabled = true;
}

/*
 * A transaction that adds events enables them at its end, all at once. One that
 * reads a group captures all counters at one instant.
 */

static void arm_syspmu_start_txn(struct pmu *p, unsigned int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(p);

	if (!arm_syspmu_is_owned_here(pmu))
		return;

	if (flags == PERF_PMU_TXN_ADD) {
		pmu->was_disabled = pmu->disabled;
		pmu->disabled = true;
	} else if (flags == PERF_PMU_TXN_READ && pmu->can_capture &&
		   !arm_syspmu_is_out_of_reach(pmu)) {
		arm_syspmu_capture(pmu);
	}
	pmu->transaction = flags;
}

static void arm_syspmu_end_txn(struct pmu *p)
{
	struct arm_syspmu *pmu = to_arm_syspmu(p);

	if (!arm_syspmu_is_owned_here(pmu))
		return;

	pmu->captured = false;
	if (pmu->transaction == PERF_PMU_TXN_ADD) {
		pmu->disabled = pmu->was_disabled;
		if (!pmu->disabled)
			arm_syspmu_enable_wanted(pmu);
	}
	pmu->transaction = 0;
}

static int arm_syspmu_commit_txn(struct pmu *p)
{
	arm_syspmu_end_txn(p);
	return 0;
}

static int arm_syspmu_find_counter(struct arm_syspmu *pmu,
				   const struct perf_event *event)
{
	unsigned int idx;

	for_each_set_bit(idx, pmu->used, pmu->num_counters)
		if (!arm_syspmu_events_compatible(pmu, event, pmu->events[idx]))
			return -EAGAIN;

	idx = find_first_zero_bit(pmu->used, pmu->num_counters);

	return idx < pmu->num_counters ? idx : -EAGAIN;
}

static int arm_syspmu_event_add(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct hw_perf_event *hw = &event->hw;
	int idx;

	if (!arm_syspmu_claim(pmu))
		return -EAGAIN;

	/* Perhaps of this very event, or one whose counter it gets. */
	arm_syspmu_finish_deletions(pmu);
	idx = arm_syspmu_find_counter(pmu, event);
	if (idx < 0)
		return idx;

	__set_bit(idx, pmu->used);
	__assign_bit(idx, pmu->capturing,
		     pmu->can_capture && arm_syspmu_captures(event));
	pmu->events[idx] = event;
	hw->idx = idx;
	hw->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	arm_syspmu_program(pmu, event);

	if (flags & PERF_EF_START)
		arm_syspmu_event_start(event, PERF_EF_RELOAD);

	perf_event_update_userpage(event);

	return 0;
}

static void arm_syspmu_event_del(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);

	__set_bit(event->hw.idx, pmu->deleted);
}

/**
 * arm_syspmu_suspend_events - bring all counts up to date and let go
 * @pmu: the PMU; nothing touches its hardware from now on
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_suspend_events(struct arm_syspmu *pmu)
{
	unsigned int idx;

	arm_syspmu_disable_counting(pmu, pmu->counting);
	arm_syspmu_handle_overflows(pmu);
	for_each_set_bit(idx, pmu->wanted, pmu->num_counters)
		arm_syspmu_update(pmu, pmu->events[idx], false);

	pmu->suspended = true;
}

/**
 * arm_syspmu_resume_events - go on counting
 * @pmu: the PMU, reset and armed
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_resume_events(struct arm_syspmu *pmu)
{
	unsigned int idx;

	pmu->suspended = false;
	/* Neither what they held before nor what was put there meanwhile. */
	bitmap_zero(pmu->parked, pmu->num_counters);
	for_each_set_bit(idx, pmu->used, pmu->num_counters)
		arm_syspmu_program(pmu, pmu->events[idx]);
	for_each_set_bit(idx, pmu->wanted, pmu->num_counters)
		arm_syspmu_begin(pmu, pmu->events[idx]);
	arm_syspmu_enable_wanted(pmu);
}

/*
 * Coming and going
 */

/*
 * A CPU that goes offline meanwhile could have the MSI rewritten, by whoever
 * must know whether the interrupt is on.
 */
static void arm_syspmu_arm(struct arm_syspmu *pmu)
{
	cpus_read_lock();
	pmu->ops->arm(pmu);
	cpus_read_unlock();
}

static void arm_syspmu_quiesce(void *data)
{
	struct arm_syspmu *pmu = data;

	cpus_read_lock();
	if (!pmu->gone)
		pmu->ops->quiesce(pmu);
	cpus_read_unlock();
}

/*
 * perf must not lose a PMU that has events. Unloading cannot come to that,
 * since an event pins the module of the backend, but unbinding can.
 */
static void arm_syspmu_unregister(void *data)
{
	struct arm_syspmu *pmu = data;
	unsigned int cpu;

	WRITE_ONCE(pmu->leaving, true);
	if (!refcount_dec_and_test(&pmu->users)) {
		dev_warn(pmu->dev,
			 "%s: waiting for %u open events, close them to let the device go\n",
			 pmu->pmu.name, refcount_read(&pmu->users));
		wait_for_completion(&pmu->unused);
	}
	/*
	 * perf still looks at the PMU after it has destroyed an event, be it
	 * one of these or one just before, but does not sleep there.
	 */
	synchronize_rcu_tasks();
	/* perf would free its timers that rotate events while they run. */
	for_each_possible_cpu(cpu)
		hrtimer_cancel(arm_syspmu_rotation(&pmu->pmu, cpu));
	perf_pmu_unregister(&pmu->pmu);
}

/**
 * arm_syspmu_register - hand a PMU to perf
 * @pmu: the PMU, its first group of members filled in
 * @pdev: the platform device; its driver data is @pmu from now on
 * @name: name of the PMU; must live as long as the device
 *
 * Everything is undone when the driver lets go of the device.
 *
 * Context: process, at probe.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_register(struct arm_syspmu *pmu, struct platform_device *pdev,
			const char *name)
{
	struct device *dev = pmu->dev;
	int err;

	pmu->pmu = (struct pmu) {
		.module		= pmu->ops->owner,
		.name		= name,
		.task_ctx_nr	= perf_invalid_context,
		.capabilities	= PERF_PMU_CAP_NO_EXCLUDE,
		.attr_groups	= pmu->attr_groups,
		.pmu_enable	= arm_syspmu_pmu_enable,
		.pmu_disable	= arm_syspmu_pmu_disable,
		.event_init	= arm_syspmu_event_init,
		.add		= arm_syspmu_event_add,
		.del		= arm_syspmu_event_del,
		.start		= arm_syspmu_event_start,
		.stop		= arm_syspmu_event_stop,
		.read		= arm_syspmu_event_read,
		.start_txn	= arm_syspmu_start_txn,
		.commit_txn	= arm_syspmu_commit_txn,
		.cancel_txn	= arm_syspmu_end_txn,
	};
	arm_syspmu_set_parent(&pmu->pmu, dev);
	pmu->cpu = nr_cpu_ids;
	pmu->owner = nr_cpu_ids;
	INIT_LIST_HEAD(&pmu->line_node);
	refcount_set(&pmu->users, 1);
	init_completion(&pmu->unused);
	ratelimit_state_init(&pmu->refusals, DEFAULT_RATELIMIT_INTERVAL,
			     DEFAULT_RATELIMIT_BURST);
	platform_set_drvdata(pdev, pmu);
	init_irq_work(&pmu->fault_report, arm_syspmu_report_fault);
	err = devm_add_action_or_reset(dev, arm_syspmu_sync_fault, pmu);
	if (err)
		return err;

	pmu->ops->reset(pmu);
	err = arm_syspmu_irq_request(pmu, pdev);
	if (err)
		return err;
	arm_syspmu_sample_setup(pmu);

	/* Chooses the first CPU and delivers the interrupt to it. */
	err = arm_syspmu_cpu_attach(pmu);
	if (err)
		return err;

	arm_syspmu_arm(pmu);
	err = devm_add_action_or_reset(dev, arm_syspmu_quiesce, pmu);
	if (err)
		return err;

	err = perf_pmu_register(&pmu->pmu, name, -1);
	if (err)
		return dev_err_probe(dev, err, "cannot register PMU %s\n",
				     name);

	return devm_add_action_or_reset(dev, arm_syspmu_unregister, pmu);
}
EXPORT_SYMBOL_GPL(arm_syspmu_register);

static int __init arm_syspmu_init(void)
{
	arm_syspmu_sample_init();

	return arm_syspmu_cpu_init();
}
module_init(arm_syspmu_init);

static void __exit arm_syspmu_exit(void)
{
	arm_syspmu_cpu_exit();
}
module_exit(arm_syspmu_exit);

MODULE_DESCRIPTION("Core of the perf drivers for memory-mapped Arm system PMUs");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
