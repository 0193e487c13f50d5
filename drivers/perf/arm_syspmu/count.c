// SPDX-License-Identifier: GPL-2.0
/*
 * Counting for the memory-mapped PMUs of Arm systems: how values of counters
 * become counts of events.
 *
 * Counters run freely. A counter has a value from which an event starts, wraps
 * where its width ends, and the overflow status is the carry of that wrap.
 * Nothing that happens while an overflow is handled is lost, and the interrupt
 * may be late. Only sampling sets counters.
 *
 * The core knows each counter by a value of 64 bits, of which the upper ones
 * count the wraps. It goes on from one event to the next, so that a wrap, or
 * its overflow status, which comes after the counter has been stopped belongs
 * to the counter and not to the event that happens to have it then.
 *
 * The count of an event never moves backwards. Others look at it without
 * asking: a reader on another CPU, or a BPF program, which can also read the
 * event between any two lines here. So a value is replaced only if it has not
 * changed since, and what belongs to a sample is brought forward to the
 * instant of the sample first and then to the present.
 */

#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "compat.h"
#include "private.h"

#define CREATE_TRACE_POINTS
#include <trace/events/arm_syspmu.h>

/*
 * More events than a counter can count after it has been stopped (IHI 0070
 * §10.2 calls that delay small).
 */
#define ARM_SYSPMU_LATE_EVENTS		0x10000U

/*
 * How close to a carry into the upper half a torn read of a 64-bit counter
 * can land: more events than can happen within one bus access.
 */
#define ARM_SYSPMU_TEAR_WINDOW		0x10000U

/**
 * arm_syspmu_mark_gone - give up hardware that does not answer
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_mark_gone(struct arm_syspmu *pmu)
{
	trace_arm_syspmu_fault(pmu->pmu.name, "reads as all ones");
	WRITE_ONCE(pmu->state, pmu->state | ARM_SYSPMU_GONE);
	/* perf may hold the lock of a run queue, which printing may need. */
	irq_work_queue(&pmu->report);
}

/**
 * arm_syspmu_has_overflowed - whether the overflow status of a counter is set
 * @pmu: the PMU, within reach
 * @idx: the counter
 *
 * Context: any.
 * Return: whether it is
 */
bool arm_syspmu_has_overflowed(struct arm_syspmu *pmu, unsigned int idx)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);

	pmu->ops->read_overflows(pmu, overflowed);

	return test_bit(idx, overflowed);
}

/**
 * arm_syspmu_read_wide - read a counter of more than 32 bits
 * @counter: its register
 *
 * 64-bit accesses need not be atomic (IHI 0070 §10.5). A read that was torn by
 * a carry out of the lower half finds that half just before or just after its
 * wrap. Only then look for two halves that belong together; or where the block
 * may have lost its power between the halves.
 *
 * Context: any.
 * Return: the value
 */
u64 arm_syspmu_read_wide(void __iomem *counter)
{
	u64 value = readq_relaxed(counter);
	u32 low, high, previous;

	if (lower_32_bits(value) + ARM_SYSPMU_TEAR_WINDOW >=
	    2 * ARM_SYSPMU_TEAR_WINDOW && upper_32_bits(value) != U32_MAX)
		return value;

	high = readl_relaxed(counter + 4);
	do {
		previous = high;
		low = readl_relaxed(counter);
		high = readl_relaxed(counter + 4);
	} while (high != previous);

	return (u64)high << 32 | low;
}

/*
 * The value that follows @prev when the counter reads as @raw. Since @prev it
 * can have wrapped once. A read sees that as a value below the previous one;
 * but when a whole range has passed, only the overflow status tells. Either may
 * come first, the read or the interrupt, and the wrap counts once.
 */
static u64 arm_syspmu_extend(struct arm_syspmu *pmu, unsigned int idx, u64 prev,
			     u64 raw)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 mask = counter->mask, value = prev + ((raw - prev) & mask);

	if (!arm_syspmu_wraps(counter)) {
		if (raw < prev)
			counter->wrapped = true;
		return raw;
	}

	if (arm_syspmu_missed_wrap(counter, value))
		return counter->acknowledged + raw;
	if (arm_syspmu_is_ambiguous(counter, raw) && raw != mask &&
	    !((value ^ prev) & ~mask) &&
	    !arm_syspmu_has_pending_wrap(counter, value) &&
	    arm_syspmu_has_overflowed(pmu, idx))
		return value + mask + 1;

	return value;
}

/**
 * arm_syspmu_reads_as_gone - whether a value is that of a block without power
 * @pmu: the PMU
 * @counter: one of its counters
 * @raw: its value; all bits set can be a value like others
 *
 * Context: on the owning CPU with interrupts off.
 * Return: whether it is; then the hardware has been given up
 */
bool arm_syspmu_reads_as_gone(struct arm_syspmu *pmu,
			      const struct arm_syspmu_counter *counter, u64 raw)
{
	if (likely(raw != counter->mask) || pmu->ops->is_present(pmu))
		return false;

	arm_syspmu_mark_gone(pmu);

	return true;
}

/* Returns what has not been in the count so far. Others may ask in between. */
static u64 arm_syspmu_take_deferred(struct arm_syspmu *pmu, unsigned int idx)
{
	u64 deferred = xchg(&pmu->deferred[idx], 0);

	if (deferred && !--pmu->num_deferred)
		pmu->state &= ~ARM_SYSPMU_DEFERRED;

	return deferred;
}

/**
 * arm_syspmu_account - add to the count of an event
 * @pmu: the PMU
 * @event: the event, which has a counter
 * @delta: what it has counted, besides what has been deferred
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_account(struct arm_syspmu *pmu, struct perf_event *event,
			u64 delta)
{
	unsigned int idx = event->hw.idx;

	if (is_sampling_event(event))
		local64_sub(delta, &event->hw.period_left);

	if (unlikely(pmu->state & ARM_SYSPMU_DEFERRING)) {
		pmu->deferred[idx] += delta;
		return;
	}
	if (unlikely(pmu->state & ARM_SYSPMU_DEFERRED))
		delta += arm_syspmu_take_deferred(pmu, idx);
	local64_add(delta, &event->count);
}

/* Replaces the value, unless somebody has done so since @prev. */
static bool arm_syspmu_replace(struct arm_syspmu *pmu, struct perf_event *event,
			       u64 prev, u64 now)
{
	local64_t *value = &pmu->counters[event->hw.idx].value;

	if (unlikely(local64_cmpxchg(value, prev, now) != prev))
		return false;
	arm_syspmu_account(pmu, event, now - prev);

	return true;
}

/**
 * arm_syspmu_update - account for what a counter has counted
 * @pmu: the PMU
 * @event: an event that has a counter
 *
 * Context: on the owning CPU with interrupts off. May be interrupted, by
 * whatever interrupts in spite of that, and be called again there.
 * Return: the value up to which the event has been accounted for
 */
u64 arm_syspmu_update(struct arm_syspmu *pmu, struct perf_event *event)
{
	unsigned int idx = event->hw.idx;
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 prev, now, raw;

	if (arm_syspmu_is_inaccessible(pmu))
		return local64_read(&counter->value);

	do {
		prev = local64_read(&counter->value);
		raw = arm_syspmu_read_value(pmu, counter);
		if (arm_syspmu_reads_as_gone(pmu, counter, raw))
			return prev;
		now = arm_syspmu_extend(pmu, idx, prev, raw);
	} while (!arm_syspmu_replace(pmu, event, prev, now));

	return now;
}

/**
 * arm_syspmu_catch_up - bring an event forward to what was captured
 * @pmu: the PMU
 * @event: the event
 * @captured: value of its counter that was captured
 * @later: value of its counter since
 *
 * Unless that is older than its count, since somebody has read it in between.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_catch_up(struct arm_syspmu *pmu,
			 struct perf_event *event, u64 captured,
			 u64 later)
{
	unsigned int idx = event->hw.idx;
	u64 prev = local64_read(&pmu->counters[idx].value);
	u64 total = arm_syspmu_extend(pmu, idx, prev, later) - prev;
	u64 since = (later - captured) & pmu->counters[idx].mask;

	if (since <= total)
		arm_syspmu_replace(pmu, event, prev, prev + total - since);
	else
		arm_syspmu_account(pmu, event, 0);
}

/* Likewise, in a read of what has just been captured. */
static void arm_syspmu_update_to(struct arm_syspmu *pmu,
				 struct perf_event *event, u64 raw)
{
	unsigned int idx = event->hw.idx;
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 mask = counter->mask;
	u64 prev = local64_read(&counter->value);

	raw &= mask;
	if (arm_syspmu_reads_as_gone(pmu, counter, raw))
		return;

	/* More than half of the range, or a little less than nothing */
	if (((raw - prev) & mask) > mask / 2)
		arm_syspmu_catch_up(pmu, event, raw,
				    arm_syspmu_read_value(pmu, counter));
	else
		arm_syspmu_replace(pmu, event, prev,
				   arm_syspmu_extend(pmu, idx, prev, raw));
}

/**
 * arm_syspmu_update_captured - likewise, to what arm_syspmu_capture() captured
 * @pmu: the PMU
 * @event: the event
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_update_captured(struct arm_syspmu *pmu,
				struct perf_event *event)
{
	unsigned int idx = event->hw.idx;

	if (pmu->state & ARM_SYSPMU_READ_SHADOW)
		arm_syspmu_update_to(pmu, event,
				     pmu->ops->read_captured(pmu, idx));
	else
		arm_syspmu_update_to(pmu, event, pmu->shadow[idx]);
}

static noinline void arm_syspmu_read_specially(struct arm_syspmu *pmu,
					       struct perf_event *event)
{
	if (event->hw.state & PERF_HES_STOPPED ||
	    pmu->state & (ARM_SYSPMU_INACCESSIBLE | ARM_SYSPMU_FROZEN))
		return;

	if (pmu->state & ARM_SYSPMU_READ_CAPTURED)
		arm_syspmu_update_captured(pmu, event);
	else
		arm_syspmu_update(pmu, event);
}

/* A value that needs a closer look, or somebody else has read the event. */
static noinline void arm_syspmu_read_again(struct arm_syspmu *pmu,
					   struct perf_event *event, u64 prev,
					   u64 raw)
{
	u64 now;

	if (arm_syspmu_reads_as_gone(pmu, arm_syspmu_counter_of(event), raw))
		return;

	now = arm_syspmu_extend(pmu, event->hw.idx, prev, raw);
	if (!arm_syspmu_replace(pmu, event, prev, now))
		arm_syspmu_update(pmu, event);
}

/* The same as arm_syspmu_update(), for values that are as usual. */
static __always_inline void arm_syspmu_read_usual(struct perf_event *event,
						  bool wide)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct arm_syspmu_counter *counter;
	u64 prev, now, raw;

	if (unlikely(event->hw.state | pmu->state))
		return arm_syspmu_read_specially(pmu, event);

	counter = arm_syspmu_counter_of(event);
	prev = local64_read(&counter->value);
	raw = wide ? arm_syspmu_read_wide(counter->reg) :
		     readl_relaxed(counter->reg);
	raw &= counter->mask;
	now = prev + ((raw - prev) & counter->mask);
	if (unlikely(arm_syspmu_is_ambiguous(counter, raw) ||
		     (wide && now < prev) ||
		     local64_cmpxchg(&counter->value, prev, now) != prev))
		return arm_syspmu_read_again(pmu, event, prev, raw);

	local64_add(now - prev, &event->count);
	if (is_sampling_event(event))
		local64_sub(now - prev, &event->hw.period_left);
}

/**
 * arm_syspmu_event_read - bring the count of an event up to date
 * @event: an event, with a counter of up to 32 bits or without
 *
 * What a sample in the making says must not be overwritten by later values.
 *
 * Context: on the CPU that the event is on, with interrupts off; or wherever a
 * BPF program reads an event of its own CPU, a pseudo-NMI included.
 */
void arm_syspmu_event_read(struct perf_event *event)
{
	arm_syspmu_read_usual(event, false);
}

/**
 * arm_syspmu_event_read_wide - likewise, with a counter of more bits
 * @event: an event, with a counter or without
 *
 * Context: see arm_syspmu_event_read().
 */
void arm_syspmu_event_read_wide(struct perf_event *event)
{
	arm_syspmu_read_usual(event, true);
}

/*
 * Starting and stopping
 */

static bool arm_syspmu_near_top(const struct arm_syspmu_counter *counter,
				u64 value)
{
	u64 mask = counter->mask;

	return arm_syspmu_wraps(counter) &&
	       mask - (value & mask) < min_t(u64, ARM_SYSPMU_LATE_EVENTS,
					     mask / 2);
}

/*
 * A carry out of the lower half, of what the counter still counts, must not come
 * between the writes of its halves.
 */
static bool arm_syspmu_near_carry(const struct arm_syspmu *pmu, u64 value)
{
	return pmu->wide &&
	       U32_MAX - lower_32_bits(value) < ARM_SYSPMU_LATE_EVENTS;
}

/* Its sample will not be made. */
static void arm_syspmu_forget_overflow(struct arm_syspmu *pmu, unsigned int idx)
{
	pmu->ops->clear_overflow(pmu, idx);
	bitmap_zero(pmu->at_capture, pmu->num_counters);
}

/**
 * arm_syspmu_read_first_value - find out what a counter is that may be anything
 * @pmu: the PMU, within reach
 * @idx: the counter, which is not enabled
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_read_first_value(struct arm_syspmu *pmu, unsigned int idx)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 value = arm_syspmu_read_value(pmu, counter);

	if (counter->valid && arm_syspmu_wraps(counter)) {
		value = arm_syspmu_extend(pmu, idx,
					  local64_read(&counter->value), value);
	} else {
		/* It may have wrapped late, after reset cleared the status. */
		if (arm_syspmu_wraps(counter))
			pmu->ops->clear_overflow(pmu, idx);
		counter->acknowledged = 0;
		counter->wrapped = false;
	}
	local64_set(&counter->value, value);
	counter->valid = true;
	counter->cached = !(pmu->quirks &
			    ARM_SYSPMU_QUIRK_COUNTS_WHEN_DISABLED);
}

/**
 * arm_syspmu_invalidate_values - forget what counters were
 * @pmu: the PMU, which has been reset
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_invalidate_values(struct arm_syspmu *pmu)
{
	unsigned int idx;

	for (idx = 0; idx < pmu->num_counters; idx++) {
		pmu->counters[idx].valid = false;
		pmu->counters[idx].cached = false;
	}
	bitmap_zero(pmu->at_capture, pmu->num_counters);
}

/**
 * arm_syspmu_set_counter - set a counter
 * @pmu: the PMU, within reach
 * @idx: the counter; the event that has it, if any, is up to date
 * @value: what it is from now on
 *
 * Its overflow status must not be that of the value that it had. It may be set
 * even after the counter was stopped, where that was near its end.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_set_counter(struct arm_syspmu *pmu, unsigned int idx, u64 value)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 prev = local64_read(&counter->value);

	if (!counter->valid || arm_syspmu_near_top(counter, prev) ||
	    arm_syspmu_has_pending_wrap(counter, prev)) {
		/* What it still counts must not overflow once more. */
		if (!test_bit(idx, pmu->enabled))
			pmu->ops->write_counter(pmu, idx, 0);
		arm_syspmu_forget_overflow(pmu, idx);
	} else if (arm_syspmu_near_carry(pmu, prev) &&
		   !test_bit(idx, pmu->enabled)) {
		pmu->ops->write_counter(pmu, idx, 0);
	}

	counter->acknowledged = 0;
	counter->wrapped = false;
	local64_set(&counter->value, value);
	pmu->ops->write_counter(pmu, idx, value);
	counter->valid = true;
	counter->cached = !(pmu->quirks &
			    ARM_SYSPMU_QUIRK_COUNTS_WHEN_DISABLED);
}

/**
 * arm_syspmu_take_late_overflows - look for overflows when counters stop
 * @pmu: the PMU, within reach, whose counters wrap
 * @stopped: counters that have just been stopped
 *
 * Where no interrupt need come, nobody else would find them before the next
 * event has the counter.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_take_late_overflows(struct arm_syspmu *pmu,
				    const unsigned long *stopped)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx;

	pmu->ops->read_overflows(pmu, overflowed);
	for_each_and_bit(idx, overflowed, stopped, pmu->num_counters) {
		arm_syspmu_forget_overflow(pmu, idx);
		pmu->counters[idx].acknowledged += pmu->counters[idx].mask + 1;
	}
}

/* An overflow that has been counted: its interrupt is to find nothing. */
static void arm_syspmu_acknowledge_stopped(struct arm_syspmu *pmu, unsigned int idx)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 value = local64_read(&counter->value);

	if (!arm_syspmu_has_pending_wrap(counter, value) ||
	    arm_syspmu_is_inaccessible(pmu))
		return;

	arm_syspmu_forget_overflow(pmu, idx);
	if (arm_syspmu_wraps(counter))
		counter->acknowledged = value & ~counter->mask;
	counter->wrapped = false;
}

/*
 * perf sets what is left of the period to zero when a new one shall begin. So
 * one that is just over ends with the next event, which is the first of the one
 * after it.
 */
static void arm_syspmu_mark_due(struct hw_perf_event *hw)
{
	if (local64_read(&hw->period_left))
		return;

	local64_set(&hw->period_left, -1);
	hw->flags |= ARM_SYSPMU_OVERDUE;
}

/**
 * arm_syspmu_finish_stop - account for what a stopped counter has counted
 * @pmu: the PMU
 * @event: its event, marked as stopped; of any kind
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_finish_stop(struct arm_syspmu *pmu, struct perf_event *event)
{
	arm_syspmu_update(pmu, event);
	/* Also where the hardware could not be asked */
	if (arm_syspmu_is_inaccessible(pmu))
		arm_syspmu_account(pmu, event, 0);
	arm_syspmu_acknowledge_stopped(pmu, event->hw.idx);
	if (is_sampling_event(event))
		arm_syspmu_mark_due(&event->hw);
}

/**
 * arm_syspmu_finish_stop_at - likewise, with a value that needs a closer look
 * @pmu: the PMU
 * @event: its event, marked as stopped; a counting one
 * @raw: the value of the counter
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_finish_stop_at(struct arm_syspmu *pmu,
			       struct perf_event *event, u64 raw)
{
	unsigned int idx = event->hw.idx;
	u64 prev = local64_read(&pmu->counters[idx].value);

	if (arm_syspmu_reads_as_gone(pmu, &pmu->counters[idx], raw))
		return;

	arm_syspmu_replace(pmu, event, prev,
			   arm_syspmu_extend(pmu, idx, prev, raw));
	arm_syspmu_acknowledge_stopped(pmu, idx);
}

/**
 * arm_syspmu_count_setup - prepare a PMU for counting
 * @pmu: the PMU
 *
 * Context: process, when its first event is opened.
 * Return: 0 or -ENOMEM
 */
int arm_syspmu_count_setup(struct arm_syspmu *pmu)
{
	unsigned int n = pmu->num_counters, words = BITS_TO_LONGS(n);
	unsigned long **bitmaps[] = {
		&pmu->used, &pmu->deleted, &pmu->active, &pmu->enabled,
		&pmu->filtered, &pmu->change, &pmu->capturing,
		&pmu->at_capture,
	};
	unsigned int shadows = pmu->can_capture ? 2 * n : 0, i;
	struct arm_syspmu_counter *counters;
	unsigned long *bitmap;

	counters = kzalloc(n * sizeof(*counters) + shadows * sizeof(u64) +
			   ARRAY_SIZE(bitmaps) * words * sizeof(*bitmap),
			   GFP_KERNEL);
	if (!counters)
		return -ENOMEM;

	for (i = 0; i < n; i++) {
		counters[i].reg = arm_syspmu_counter_reg(pmu, i);
		counters[i].mask = pmu->counter_mask;
	}
	pmu->shadow = (u64 *)(counters + n);
	pmu->deferred = pmu->shadow + n;
	bitmap = (unsigned long *)(pmu->shadow + shadows);
	for (i = 0; i < ARRAY_SIZE(bitmaps); i++, bitmap += words)
		*bitmaps[i] = bitmap;

	/* Pairs with smp_load_acquire() of whoever opens an event. */
	smp_store_release(&pmu->counters, counters);

	return 0;
}
