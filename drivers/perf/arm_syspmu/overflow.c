// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow handling for the memory-mapped PMUs of Arm systems: updating counts,
 * and preparing the counts that samples show.
 */

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/math.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/spinlock.h>

#include "compat.h"
#include "io.h"
#include "private.h"

#include <trace/events/arm_syspmu.h>

/* Overflows over which the time that they take is measured */
#define ARM_SYSPMU_FLOOD		256

/**
 * struct arm_syspmu_flood - overflows of the PMUs of a CPU with narrow counters
 * @start: time at which @num_overflows was zero, in nanoseconds
 * @handling_time: nanoseconds that were spent with overflows since then
 * @num_overflows: number of times that overflows were handled since then
 * @num_pending: number of those after which another one was pending
 *
 * Used by that CPU in interrupts.
 */
struct arm_syspmu_flood {
	u64 start;
	u64 handling_time;
	unsigned int num_overflows;
	unsigned int num_pending;
};

static DEFINE_PER_CPU(struct arm_syspmu_flood, arm_syspmu_flood);

/* Passes of a handler that leaves no overflow status set */
#define ARM_SYSPMU_MAX_PASSES		64

/*
 * perf_read_group() copies the counts of a group under this lock. The overflow
 * handler takes it while it updates counts, so that a reader on another CPU
 * does not get counts of different instants.
 */
static raw_spinlock_t *arm_syspmu_counts_lock(const struct arm_syspmu *pmu)
{
	unsigned int idx = find_first_bit(pmu->used, pmu->num_counters);

	return &pmu->counters[idx].event->ctx->lock;
}

/*
 * Updates the events of a sample to the values captured by its overflow, and no
 * further: so the counts of the group are from the same instant until they are
 * next read.
 */
static void arm_syspmu_update_members(struct arm_syspmu *pmu,
				      const unsigned long *overflowed,
				      const unsigned long *members)
{
	struct perf_event *event;
	unsigned int idx;
	u64 later;

	for_each_set_bit(idx, members, pmu->num_counters) {
		event = pmu->counters[idx].event;
		/* A group read has updated it; the sample shows that value. */
		if (test_bit(idx, pmu->at_capture)) {
			arm_syspmu_account(pmu, event, 0);
			continue;
		}
		/* Updated by arm_syspmu_update_sampled(). */
		if (test_bit(idx, overflowed) && is_sampling_event(event))
			continue;

		later = arm_syspmu_read_reg(pmu, &pmu->counters[idx]);
		if (arm_syspmu_reads_as_gone(pmu, later))
			return;
		arm_syspmu_catch_up(pmu, event, pmu->shadow[idx],
				    later & pmu->counters[idx].mask);
	}
}

/*
 * The sampling event itself had to be updated to @now, since its counter is set
 * to a new value: let its count show the captured value, and defer the rest.
 */
static void arm_syspmu_show_captured(struct arm_syspmu *pmu, unsigned int idx,
				     u64 now)
{
	struct perf_event *event = pmu->counters[idx].event;
	u64 total = pmu->deferred[idx];
	u64 since = (now - pmu->shadow[idx]) & pmu->counters[idx].mask;

	/* A read has already updated the count past the captured value. */
	if (since > total)
		return;

	local64_add(total - since, &event->count);
	pmu->deferred[idx] = since;
}

/*
 * Reads the counters of sampling events that have overflowed, and immediately
 * sets them for the next period: what happens in between is not counted.
 */
static void arm_syspmu_update_sampled(struct arm_syspmu *pmu,
				      const unsigned long *overflowed,
				      const unsigned long *members,
				      unsigned long *due)
{
	struct perf_event *event;
	unsigned int idx;
	bool shown;
	u64 now;

	for_each_and_bit(idx, overflowed, pmu->active, pmu->num_counters) {
		event = pmu->counters[idx].event;
		if (!is_sampling_event(event))
			continue;

		now = arm_syspmu_update(pmu, event);
		if (arm_syspmu_is_inaccessible(pmu))
			return;
		/* The overflow status has been cleared. */
		pmu->counters[idx].wrapped = false;
		shown = test_bit(idx, pmu->at_capture);
		__assign_bit(idx, due, arm_syspmu_next_period(pmu, event));
		if (test_bit(idx, members) && !shown)
			arm_syspmu_show_captured(pmu, idx, now);
	}
}

/* Finds the counting events that have overflowed and are not in a sample. */
static bool arm_syspmu_find_counting(struct arm_syspmu *pmu,
				     const unsigned long *overflowed,
				     const unsigned long *members,
				     unsigned long *counting)
{
	bool any = false;
	unsigned int idx;

	bitmap_zero(counting, pmu->num_counters);
	for_each_and_bit(idx, overflowed, pmu->active, pmu->num_counters) {
		if (test_bit(idx, members) ||
		    is_sampling_event(pmu->counters[idx].event))
			continue;
		__set_bit(idx, counting);
		any = true;
	}

	return any;
}

/*
 * The interrupt can arrive after perf has read a group and before it copies the
 * counts. The counts of the group must still be from one instant, so do not
 * only update the events that have overflowed, but all of them, with a capture.
 */
static void arm_syspmu_update_counting(struct arm_syspmu *pmu,
				       const unsigned long *overflowed,
				       const unsigned long *members)
{
	DECLARE_BITMAP(counting, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx;

	if (!arm_syspmu_find_counting(pmu, overflowed, members, counting))
		return;

	if (!pmu->can_capture ||
	    bitmap_weight(pmu->active, pmu->num_counters) == 1 ||
	    !arm_syspmu_capture(pmu)) {
		for_each_set_bit(idx, counting, pmu->num_counters)
			arm_syspmu_update(pmu, pmu->counters[idx].event);
		return;
	}

	for_each_set_bit(idx, pmu->active, pmu->num_counters)
		if (!test_bit(idx, members) && !arm_syspmu_is_inaccessible(pmu))
			arm_syspmu_update_captured(pmu,
						   pmu->counters[idx].event);
	pmu->state &= ~ARM_SYSPMU_READ_CAPTURED;
}

/*
 * Two wraps can result in one overflow status: if both happen between two
 * interrupts, or if the second happens before the status of the first is
 * cleared. If the value includes a wrap whose status is not set, no status is
 * left to clear for it.
 *
 * An event that was only updated to a capture before its wrap must be read by
 * the slow path, also if the counter goes past the captured value again.
 */
static void arm_syspmu_acknowledge_shared(struct arm_syspmu *pmu,
					  const unsigned long *overflowed)
{
	struct arm_syspmu_counter *counter;
	unsigned int idx;
	u64 value;

	for_each_and_bit(idx, overflowed, pmu->used, pmu->num_counters) {
		counter = &pmu->counters[idx];
		value = local64_read(&counter->value);
		pmu->counters[idx].wrapped = false;
		if (arm_syspmu_has_pending_wrap(counter, value) &&
		    !arm_syspmu_has_overflowed(pmu, idx))
			counter->acknowledged = value & ~counter->mask;
		else if (arm_syspmu_missed_wrap(counter, value))
			counter->ambiguous = counter->mask;
	}
}

/* Stopped events get their deferred delta now, active ones on the next read. */
static void arm_syspmu_end_deferring(struct arm_syspmu *pmu)
{
	struct perf_event *event;
	unsigned int idx;

	pmu->state &= ~ARM_SYSPMU_DEFERRING;
	pmu->num_deferred = 0;
	for_each_set_bit(idx, pmu->used, pmu->num_counters) {
		event = pmu->counters[idx].event;
		if (!pmu->deferred[idx])
			continue;
		if (arm_syspmu_is_gauge(event)) {
			arm_syspmu_set_deferred_gauge(pmu, event);
		} else if (event->hw.state & PERF_HES_STOPPED) {
			local64_add(pmu->deferred[idx], &event->count);
			pmu->deferred[idx] = 0;
		} else {
			pmu->num_deferred++;
		}
	}
	pmu->state &= ~ARM_SYSPMU_DEFERRED;
	if (pmu->num_deferred)
		pmu->state |= ARM_SYSPMU_DEFERRED;
}

/*
 * Whether handling takes more than a third of the time of this CPU, over some
 * overflows of all PMUs. The time to enter and leave the interrupt is not known:
 * if the next overflow status was set at the end of each of them, the CPU did
 * nothing else.
 */
static bool arm_syspmu_is_flooded(struct arm_syspmu *pmu, u64 start)
{
	struct arm_syspmu_flood *flood = this_cpu_ptr(&arm_syspmu_flood);
	DECLARE_BITMAP(pending, ARM_SYSPMU_MAX_COUNTERS);
	u64 now, passed, busy;
	bool back_to_back;

	pmu->ops->read_overflows(pmu, pending);
	flood->num_pending += bitmap_intersects(pending, pmu->active,
						pmu->num_counters);
	now = local_clock();
	flood->handling_time += now - start;
	if (++flood->num_overflows < ARM_SYSPMU_FLOOD)
		return false;

	passed = now - flood->start;
	busy = flood->handling_time;
	back_to_back = flood->num_pending == flood->num_overflows;
	*flood = (struct arm_syspmu_flood){ .start = now };

	return back_to_back || busy > passed / 3;
}

/*
 * A narrow counter may overflow again before the handler has finished, and the
 * CPU would do nothing else. perf throttles events that make samples.
 */
static void arm_syspmu_stop_flood(struct arm_syspmu *pmu,
				  const unsigned long *overflowed,
				  const unsigned long *due, u64 start)
{
	struct arm_syspmu_counter *counter;
	unsigned int idx;

	if (!arm_syspmu_is_flooded(pmu, start))
		return;

	for_each_and_bit(idx, overflowed, pmu->active, pmu->num_counters) {
		counter = &pmu->counters[idx];
		if (!arm_syspmu_is_narrow(counter) || test_bit(idx, due))
			continue;
		pmu->pmu.stop(counter->event, 0);
		WRITE_ONCE(pmu->too_narrow, fls64(counter->mask));
		irq_work_queue(&pmu->report);
	}
}

/* Reads and sets all counters first, since making samples takes time. */
static void arm_syspmu_count_overflows(struct arm_syspmu *pmu,
				       const unsigned long *overflowed)
{
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS) = {};
	DECLARE_BITMAP(due, ARM_SYSPMU_MAX_COUNTERS) = {};
	raw_spinlock_t *lock = arm_syspmu_counts_lock(pmu);
	u64 start = unlikely(pmu->has_narrow) ? local_clock() : 0;
	bool captured;

	raw_spin_lock(lock);
	pmu->state |= ARM_SYSPMU_FROZEN;
	arm_syspmu_find_members(pmu, overflowed, members);
	captured = !bitmap_empty(members, pmu->num_counters);
	if (captured) {
		arm_syspmu_read_shadows(pmu, members);
		arm_syspmu_update_members(pmu, overflowed, members);
		pmu->state |= ARM_SYSPMU_DEFERRING;
	}
	if (!arm_syspmu_is_inaccessible(pmu)) {
		arm_syspmu_update_sampled(pmu, overflowed, members, due);
		arm_syspmu_end_write(pmu);
	}
	if (captured)
		bitmap_andnot(pmu->at_capture, pmu->at_capture, members,
			      pmu->num_counters);
	if (!arm_syspmu_is_inaccessible(pmu))
		arm_syspmu_update_counting(pmu, overflowed, members);
	if (!arm_syspmu_is_inaccessible(pmu))
		arm_syspmu_acknowledge_shared(pmu, overflowed);
	if (!captured)
		pmu->state &= ~ARM_SYSPMU_FROZEN;
	raw_spin_unlock(lock);

	if (!arm_syspmu_is_inaccessible(pmu)) {
		arm_syspmu_make_samples(pmu, due);
		if (unlikely(pmu->has_narrow))
			arm_syspmu_stop_flood(pmu, overflowed, due, start);
	}
	if (!captured)
		return;

	raw_spin_lock(lock);
	arm_syspmu_end_deferring(pmu);
	pmu->state &= ~ARM_SYSPMU_FROZEN;
	raw_spin_unlock(lock);
}

/*
 * Counts the wraps whose overflow status has been cleared. A counter that is
 * not active may have wrapped after it was stopped: its known value is out of
 * date.
 */
static void arm_syspmu_acknowledge(struct arm_syspmu *pmu,
				   const unsigned long *overflowed)
{
	struct arm_syspmu_counter *counter;
	unsigned int idx;

	for_each_set_bit(idx, overflowed, pmu->num_counters) {
		counter = &pmu->counters[idx];
		counter->acknowledged += counter->mask + 1;
		if (!test_bit(idx, pmu->active))
			counter->cached = false;
	}
}

/**
 * arm_syspmu_handle_overflows - handle all overflows that are pending
 * @pmu: the PMU
 *
 * Context: interrupt, on the owning CPU, without perf's locks.
 * Return: true if there were any
 */
bool arm_syspmu_handle_overflows(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);

	if (arm_syspmu_is_inaccessible(pmu))
		return false;

	if (pmu->num_used)
		arm_syspmu_forget_former_groups(pmu);
	if (unlikely(pmu->freezing) && !arm_syspmu_save_frozen(pmu))
		return false;
	pmu->ops->take_overflows(pmu, overflowed);
	if (bitmap_empty(overflowed, pmu->num_counters))
		return false;
	/*
	 * Left over from before the first event was opened. Pairs with
	 * smp_store_release() in arm_syspmu_count_setup().
	 */
	if (!smp_load_acquire(&pmu->counters))
		return true;
	/* Bits of a register that are not used are zero. */
	if (unlikely(arm_syspmu_has_full_word(overflowed,
					      pmu->num_counters)) &&
	    !pmu->ops->is_present(pmu)) {
		arm_syspmu_mark_gone(pmu);
		return false;
	}
	arm_syspmu_acknowledge(pmu, overflowed);
	trace_arm_syspmu_overflow(pmu->pmu.name, overflowed,
				  pmu->num_counters);

	if (pmu->num_used)
		arm_syspmu_count_overflows(pmu, overflowed);

	return true;
}

static void arm_syspmu_poll_soon(struct arm_syspmu *pmu)
{
	hrtimer_start(&pmu->timers->poll, ns_to_ktime(ARM_SYSPMU_MIN_POLL_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * arm_syspmu_handle_all_overflows - handle overflows until none is pending
 * @pmu: a PMU whose &arm_syspmu.repeats is set
 *
 * Its interrupt is an edge that is only raised if no overflow status was set
 * before. If new overflows occur as fast as they are handled, a timer continues
 * after other interrupts and tasks had a chance to run.
 *
 * Context: interrupt, on the owning CPU, without perf's locks.
 * Return: true if there were any
 */
bool arm_syspmu_handle_all_overflows(struct arm_syspmu *pmu)
{
	unsigned int passes = 0;

	while (arm_syspmu_handle_overflows(pmu)) {
		if (++passes < ARM_SYSPMU_MAX_PASSES)
			continue;
		/* Disabling the last counter cancels the timer. */
		if (pmu->counters &&
		    !bitmap_empty(pmu->enabled, pmu->num_counters))
			arm_syspmu_poll_soon(pmu);
		break;
	}

	return passes;
}
