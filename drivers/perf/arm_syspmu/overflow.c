// SPDX-License-Identifier: GPL-2.0
/*
 * Overflows of the memory-mapped PMUs of Arm systems: what they add to counts,
 * and which counts samples show.
 */

#include <linux/bitmap.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>

#include "compat.h"
#include "private.h"

#include <trace/events/arm_syspmu.h>

/*
 * perf copies the counts of a group with this lock held: they must be of one
 * instant also when an interrupt brings them forward.
 */
static raw_spinlock_t *arm_syspmu_counts_lock(const struct arm_syspmu *pmu)
{
	unsigned int idx = find_first_bit(pmu->used, pmu->num_counters);

	return &pmu->counters[idx].event->ctx->lock;
}

/*
 * The events of a sample are brought forward to what its overflow captured, and
 * no further: all counts of its group are of one instant then, until the next
 * read brings them to another.
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
		/* What a read has found since is in the sample. */
		if (test_bit(idx, pmu->at_capture)) {
			arm_syspmu_account(pmu, event, 0);
			continue;
		}
		/* See arm_syspmu_update_sampled(). */
		if (test_bit(idx, overflowed) && is_sampling_event(event))
			continue;

		later = arm_syspmu_read_value(pmu, &pmu->counters[idx]);
		if (arm_syspmu_reads_as_gone(pmu, &pmu->counters[idx], later))
			return;
		arm_syspmu_catch_up(pmu, event, pmu->shadow[idx], later);
	}
}

/* Likewise, of one that is accounted for up to @now, since it is set anew. */
static void arm_syspmu_show_captured(struct arm_syspmu *pmu, unsigned int idx,
				     u64 now)
{
	struct perf_event *event = pmu->counters[idx].event;
	u64 total = pmu->deferred[idx];
	u64 since = (now - pmu->shadow[idx]) & pmu->counters[idx].mask;

	/* The sample shows what has been read since. */
	if (since > total)
		return;

	local64_add(total - since, &event->count);
	pmu->deferred[idx] = since;
}

/*
 * A sampling event whose period is over is read and its counter set at once:
 * what happens in between is not counted.
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
		/* Its overflow status has been cleared. */
		pmu->counters[idx].wrapped = false;
		shown = test_bit(idx, pmu->at_capture);
		__assign_bit(idx, due, arm_syspmu_next_period(pmu, event));
		if (test_bit(idx, members) && !shown)
			arm_syspmu_show_captured(pmu, idx, now);
	}
}

/* Which events count, have overflowed, and are in no sample. */
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
 * The interrupt can come between perf's read of a group and its copying of the
 * counts. Bring all counts to one instant then, so that they still belong
 * together.
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
		if (!test_bit(idx, members))
			arm_syspmu_update_captured(pmu,
						   pmu->counters[idx].event);
	pmu->state &= ~ARM_SYSPMU_READ_CAPTURED;
}

/*
 * Two wraps can share one overflow status: between two interrupts, or when the
 * second comes before the status of the first has been cleared. Then no more
 * is to be cleared for what the value has.
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
	}
}

/* Of events that go on, what is deferred waits for the next read. */
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
		if (event->hw.state & PERF_HES_STOPPED) {
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

/* All counters are read and set before perf makes samples, which takes time. */
static void arm_syspmu_count_overflows(struct arm_syspmu *pmu,
				       const unsigned long *overflowed)
{
	DECLARE_BITMAP(members, ARM_SYSPMU_MAX_COUNTERS) = {};
	DECLARE_BITMAP(due, ARM_SYSPMU_MAX_COUNTERS) = {};
	raw_spinlock_t *lock = arm_syspmu_counts_lock(pmu);
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
	if (!arm_syspmu_is_inaccessible(pmu))
		arm_syspmu_update_sampled(pmu, overflowed, members, due);
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

	if (!arm_syspmu_is_inaccessible(pmu))
		arm_syspmu_make_samples(pmu, due);
	if (!captured)
		return;

	raw_spin_lock(lock);
	arm_syspmu_end_deferring(pmu);
	pmu->state &= ~ARM_SYSPMU_FROZEN;
	raw_spin_unlock(lock);
}

/* A counter that nobody has may have counted something after its last stop. */
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
 * arm_syspmu_handle_overflows - account for all overflows signalled so far
 * @pmu: the PMU
 *
 * Context: interrupt, on the owning CPU, without perf's locks.
 * Return: whether there were any
 */
bool arm_syspmu_handle_overflows(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);

	if (arm_syspmu_is_inaccessible(pmu))
		return false;

	pmu->ops->take_overflows(pmu, overflowed);
	if (bitmap_empty(overflowed, pmu->num_counters))
		return false;
	/* Late ones, of a time before any event */
	if (!pmu->counters)
		return true;
	if (bitmap_full(overflowed, pmu->num_counters) &&
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
