// SPDX-License-Identifier: GPL-2.0
/*
 * Counting for the memory-mapped PMUs of Arm systems: updating the counts of
 * events from the values of their counters.
 *
 * Counters are free-running. An event starts from whatever value its counter
 * has, and the overflow status is the carry when the counter wraps. So nothing
 * is lost while an overflow is being handled, and the interrupt may be late.
 * Counters are only written for sampling.
 *
 * The core extends the value of each counter to 64 bits; the bits above the
 * width of the counter count its wraps. The extended value carries over from
 * one event to the next: a wrap or an overflow status that arrives after the
 * counter was stopped belongs to the counter, and is not mistaken for a wrap of
 * the next event.
 *
 * The count of an event never decreases. It can be read at any time by other
 * CPUs, and a BPF program in a pseudo-NMI can read the event between any two
 * instructions of this file. So the extended value is updated with cmpxchg. For
 * a sample, the count is first updated to the instant of the sample and later
 * to the present. Gauges are different in all of this, see gauge.c.
 */

#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "compat.h"
#include "io.h"
#include "private.h"

#define CREATE_TRACE_POINTS
#include <trace/events/arm_syspmu.h>

/*
 * A torn read of a 64-bit counter is less than this far from a carry into the
 * upper half: more events than can happen within one bus access.
 */
#define ARM_SYSPMU_TEAR_WINDOW		0x10000U

/**
 * arm_syspmu_mark_gone - mark a PMU whose device no longer responds
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_mark_gone(struct arm_syspmu *pmu)
{
	trace_arm_syspmu_fault(pmu->pmu.name, "reads as all ones");
	WRITE_ONCE(pmu->state, pmu->state | ARM_SYSPMU_GONE);
	/* The caller may hold a run queue lock, which printk() may need. */
	irq_work_queue(&pmu->report);
}

/**
 * arm_syspmu_has_overflowed - whether the overflow status of a counter is set
 * @pmu: the PMU, accessible
 * @idx: the counter
 *
 * Context: any.
 * Return: true if it is
 */
bool arm_syspmu_has_overflowed(struct arm_syspmu *pmu, unsigned int idx)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);

	pmu->ops->read_overflows(pmu, overflowed);

	return test_bit(idx, overflowed);
}

/**
 * arm_syspmu_read_wide - read a counter of more than 32 bits
 * @counter: the counter
 *
 * 64-bit accesses need not be atomic (IHI 0070 §10.5). If a carry out of the
 * lower half has torn the read, the lower half is just below or just above its
 * wrap. Only then read again until the halves match. The same if the upper half
 * is all ones, as the device may have lost power between the two halves.
 *
 * Context: any.
 * Return: the value
 */
u64 arm_syspmu_read_wide(const struct arm_syspmu_counter *counter)
{
	u64 value = readq_relaxed(counter->reg);

	if (lower_32_bits(value) + ARM_SYSPMU_TEAR_WINDOW >=
	    2 * ARM_SYSPMU_TEAR_WINDOW && upper_32_bits(value) != U32_MAX)
		return value;

	return arm_syspmu_read_in_halves(counter->reg);
}

/**
 * arm_syspmu_read_atomic - read a counter of more than 32 bits
 * @counter: a counter whose register 64-bit accesses are atomic for
 *
 * Context: any.
 * Return: the value
 */
u64 arm_syspmu_read_atomic(const struct arm_syspmu_counter *counter)
{
	return readq_relaxed(counter->reg);
}

/**
 * arm_syspmu_read_halves - read a counter of more than 32 bits in two halves
 * @counter: the counter
 *
 * For registers that only 32-bit accesses are known to work for. An event may
 * add any number (IHI 0091 rule LXYWS), so the lower half does not show whether
 * it has carried.
 *
 * Context: any.
 * Return: the value
 */
u64 arm_syspmu_read_halves(const struct arm_syspmu_counter *counter)
{
	if (unlikely(counter->low_bits))
		return arm_syspmu_read_chained(counter);

	return arm_syspmu_read_in_halves(counter->reg);
}

/*
 * Whether a narrow counter has wrapped after @raw was read, so that its overflow
 * status is not that of an earlier wrap. Others are near zero if there is doubt.
 * If the device has stopped responding, it may have.
 */
static bool arm_syspmu_has_wrapped_since(struct arm_syspmu *pmu,
					 const struct arm_syspmu_counter *counter,
					 u64 raw)
{
	u64 contents;

	if (!arm_syspmu_is_narrow(counter))
		return false;

	contents = arm_syspmu_read_reg(pmu, counter);

	return arm_syspmu_reads_as_gone(pmu, contents) ||
	       (contents & counter->mask) < raw;
}

/*
 * Returns the extended value of a counter that was @prev and now reads as @raw.
 * It may have wrapped once since. If @raw is below @prev it has; but if it has
 * passed its whole range, only the overflow status shows this. The read may
 * come before or after the interrupt, and the wrap must be counted once.
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

	if (arm_syspmu_missed_wrap(counter, value)) {
		counter->ambiguous = arm_syspmu_ambiguous_up_to(counter);
		return counter->acknowledged + raw;
	}
	/* A narrow one may have wrapped again since that was handled. */
	if (arm_syspmu_is_ambiguous(counter, raw) &&
	    (arm_syspmu_is_narrow(counter) || !((value ^ prev) & ~mask)) &&
	    !arm_syspmu_has_pending_wrap(counter, value) &&
	    arm_syspmu_has_overflowed(pmu, idx) &&
	    !arm_syspmu_has_wrapped_since(pmu, counter, raw))
		return value + mask + 1;

	return value;
}

/**
 * arm_syspmu_reads_as_gone - whether a value comes from a device without power
 * @pmu: the PMU
 * @contents: contents of the register of a counter, or of a shadow register
 *
 * All bits set can also be a regular value of a counter that is as wide as its
 * register, so check whether the device still responds, and mark it as gone if
 * not.
 *
 * Context: on the owning CPU with interrupts off.
 * Return: true if it does
 */
bool arm_syspmu_reads_as_gone(struct arm_syspmu *pmu, u64 contents)
{
	if (likely(!arm_syspmu_may_be_gone(pmu, contents)) ||
	    pmu->ops->is_present(pmu))
		return false;

	arm_syspmu_mark_gone(pmu);

	return true;
}

/* Returns the deferred delta. An NMI may have taken it, hence the xchg(). */
static u64 arm_syspmu_take_deferred(struct arm_syspmu *pmu, unsigned int idx)
{
	u64 deferred = xchg(&pmu->deferred[idx], 0);

	if (deferred && !--pmu->num_deferred)
		pmu->state &= ~ARM_SYSPMU_DEFERRED;

	return deferred;
}

/**
 * arm_syspmu_account - add a delta to the count of an event
 * @pmu: the PMU
 * @event: an event that has a counter
 * @delta: events to add; a deferred delta is added as well
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

/* Updates the extended value and the count, unless @prev is out of date. */
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
 * arm_syspmu_update - update the count of an event from its counter
 * @pmu: the PMU
 * @event: an event that has a counter
 *
 * Context: on the owning CPU with interrupts off. May be interrupted by an NMI
 *	that calls this function for the same event.
 * Return: the extended value that the count has been updated to
 */
u64 arm_syspmu_update(struct arm_syspmu *pmu, struct perf_event *event)
{
	unsigned int idx = event->hw.idx;
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 prev, now, contents;

	if (arm_syspmu_is_inaccessible(pmu))
		return local64_read(&counter->value);

	do {
		prev = local64_read(&counter->value);
		contents = arm_syspmu_read_reg(pmu, counter);
		if (arm_syspmu_reads_as_gone(pmu, contents))
			return prev;
		if (unlikely(arm_syspmu_is_gauge(event))) {
			arm_syspmu_set_gauge(pmu, event,
					     contents & counter->mask);
			return prev;
		}
		now = arm_syspmu_extend(pmu, idx, prev,
					contents & counter->mask);
	} while (!arm_syspmu_replace(pmu, event, prev, now));

	return now;
}

/**
 * arm_syspmu_catch_up - update the count of an event to a captured value
 * @pmu: the PMU
 * @event: the event
 * @captured: captured value of its counter
 * @later: value of its counter after the capture
 *
 * If a read after the capture has already updated the count past the captured
 * value, it is left as it is, unless the event is a gauge: which of two values
 * is the later one cannot be known.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_catch_up(struct arm_syspmu *pmu,
			 struct perf_event *event, u64 captured,
			 u64 later)
{
	unsigned int idx = event->hw.idx;
	u64 prev = local64_read(&pmu->counters[idx].value), total;
	u64 since = (later - captured) & pmu->counters[idx].mask;

	if (arm_syspmu_is_gauge(event)) {
		arm_syspmu_set_gauge(pmu, event,
				     captured & pmu->counters[idx].mask);
		return;
	}

	total = arm_syspmu_extend(pmu, idx, prev, later) - prev;
	if (since <= total)
		arm_syspmu_replace(pmu, event, prev, prev + total - since);
	else
		arm_syspmu_account(pmu, event, 0);
}

/*
 * Updates the count to a value that was captured for this read, so @raw is
 * later than the last known value or, if the event was read since, slightly
 * earlier.
 */
static void arm_syspmu_update_to(struct arm_syspmu *pmu,
				 struct perf_event *event, u64 raw)
{
	unsigned int idx = event->hw.idx;
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 mask = counter->mask;
	u64 prev = local64_read(&counter->value);

	/*
	 * Either more than half of the range has passed, or @raw is the earlier
	 * one.
	 */
	if (((raw - prev) & mask) > mask / 2)
		arm_syspmu_catch_up(pmu, event, raw,
				    arm_syspmu_read_value(pmu, counter));
	else
		arm_syspmu_replace(pmu, event, prev,
				   arm_syspmu_extend(pmu, idx, prev, raw));
}

static void arm_syspmu_update_gauge(struct arm_syspmu *pmu,
				    struct perf_event *event)
{
	unsigned int idx = event->hw.idx;
	u64 contents = pmu->state & ARM_SYSPMU_READ_SHADOW ?
		       arm_syspmu_read_shadow(pmu, idx) : pmu->shadow[idx];

	if (!arm_syspmu_reads_as_gone(pmu, contents))
		arm_syspmu_set_gauge(pmu, event,
				     contents & pmu->counters[idx].mask);
}

/**
 * arm_syspmu_update_captured - update the count of an event to what
 *	arm_syspmu_capture() captured
 * @pmu: the PMU
 * @event: the event
 *
 * If the device stopped responding during the capture, only some values are of
 * this capture, so none of them is used.
 *
 * Context: on the owning CPU with interrupts off, while the PMU is accessible.
 */
void arm_syspmu_update_captured(struct arm_syspmu *pmu,
				struct perf_event *event)
{
	unsigned int idx = event->hw.idx;
	u64 contents;

	if (unlikely(arm_syspmu_is_gauge(event))) {
		arm_syspmu_update_gauge(pmu, event);
		return;
	}
	if (!(pmu->state & ARM_SYSPMU_READ_SHADOW)) {
		arm_syspmu_update_to(pmu, event, pmu->shadow[idx]);
		return;
	}

	contents = pmu->ops->read_captured(pmu, idx);
	if (!arm_syspmu_reads_as_gone(pmu, contents))
		arm_syspmu_update_to(pmu, event,
				     contents & pmu->counters[idx].mask);
}

static noinline void arm_syspmu_read_slow(struct arm_syspmu *pmu,
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

/*
 * Slow path: a value may have two meanings, or an NMI has read the event, or it
 * is a gauge.
 */
static noinline void arm_syspmu_read_again(struct arm_syspmu *pmu,
					   struct perf_event *event, u64 prev,
					   u64 contents)
{
	u64 now;

	if (arm_syspmu_reads_as_gone(pmu, contents))
		return;

	contents &= arm_syspmu_counter_of(event)->mask;
	if (arm_syspmu_is_gauge(event)) {
		arm_syspmu_set_gauge(pmu, event, contents);
		return;
	}

	now = arm_syspmu_extend(pmu, event->hw.idx, prev, contents);
	if (!arm_syspmu_replace(pmu, event, prev, now))
		arm_syspmu_update(pmu, event);
}

/* Does what arm_syspmu_update() does, for the common case. */
static __always_inline void
arm_syspmu_read_fast(struct perf_event *event,
		     u64 (*read_reg)(const struct arm_syspmu_counter *counter))
{
	bool wide = read_reg;
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct arm_syspmu_counter *counter;
	u64 prev, now, contents, raw;

	if (unlikely(event->hw.state | pmu->state))
		return arm_syspmu_read_slow(pmu, event);

	counter = arm_syspmu_counter_of(event);
	prev = local64_read(&counter->value);
	contents = wide ? read_reg(counter) : readl_relaxed(counter->reg);
	raw = contents & counter->mask;
	now = prev + ((raw - prev) & counter->mask);
	if (unlikely(arm_syspmu_is_ambiguous(counter, raw) ||
		     (wide ? contents == U64_MAX : (u32)contents == U32_MAX) ||
		     (wide && now < prev) ||
		     local64_cmpxchg(&counter->value, prev, now) != prev))
		return arm_syspmu_read_again(pmu, event, prev, contents);

	local64_add(now - prev, &event->count);
	if (is_sampling_event(event))
		local64_sub(now - prev, &event->hw.period_left);
}

/**
 * arm_syspmu_event_read - pmu::read() for counters of up to 32 bits
 * @event: the event, which need not have a counter
 *
 * While a sample is being made, the counts that it shows are not updated.
 *
 * Context: on the CPU of the event with interrupts off; or any context in which
 *	a BPF program reads an event of its own CPU, including a pseudo-NMI.
 */
void arm_syspmu_event_read(struct perf_event *event)
{
	arm_syspmu_read_fast(event, NULL);
}

/**
 * arm_syspmu_event_read_wide - pmu::read() for counters of more than 32 bits
 * @event: the event, which need not have a counter
 *
 * Context: see arm_syspmu_event_read().
 */
void arm_syspmu_event_read_wide(struct perf_event *event)
{
	arm_syspmu_read_fast(event, arm_syspmu_read_wide);
}

/**
 * arm_syspmu_event_read_atomic - pmu::read() for counters of more than 32 bits
 *	that can be read with one access
 * @event: the event, which need not have a counter
 *
 * Context: see arm_syspmu_event_read().
 */
void arm_syspmu_event_read_atomic(struct perf_event *event)
{
	arm_syspmu_read_fast(event, arm_syspmu_read_atomic);
}

/**
 * arm_syspmu_event_read_halves - pmu::read() for counters of more than 32 bits
 *	that must be read in halves
 * @event: the event, which need not have a counter
 *
 * Context: see arm_syspmu_event_read().
 */
void arm_syspmu_event_read_halves(struct perf_event *event)
{
	arm_syspmu_read_fast(event, arm_syspmu_read_halves);
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
 * A disabled counter may still count. Its lower half must not carry between the
 * writes of the two halves.
 */
static bool arm_syspmu_near_carry(const struct arm_syspmu *pmu, u64 value)
{
	return pmu->wide &&
	       U32_MAX - lower_32_bits(value) < ARM_SYSPMU_LATE_EVENTS;
}

static void arm_syspmu_forget_member(struct arm_syspmu *pmu,
				     const struct perf_event *event)
{
	if (event->pmu == &pmu->pmu && event->hw.idx >= 0)
		__clear_bit(event->hw.idx, pmu->at_capture);
}

static void arm_syspmu_forget_capture(struct arm_syspmu *pmu,
				      const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	arm_syspmu_forget_member(pmu, leader);
	for_each_sibling_event(sibling, leader)
		arm_syspmu_forget_member(pmu, sibling);
}

/* No sample is made for this overflow, nor for what it has captured. */
static void arm_syspmu_discard_overflow(struct arm_syspmu *pmu,
					unsigned int idx)
{
	pmu->ops->clear_overflow(pmu, idx);
	if (test_bit(idx, pmu->capturing))
		arm_syspmu_forget_capture(pmu, pmu->counters[idx].event);
}

/**
 * arm_syspmu_read_first_value - read a counter whose value is not known
 * @pmu: the PMU, accessible
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
		/* A late wrap may have set the status again after the reset. */
		if (arm_syspmu_wraps(counter))
			pmu->ops->clear_overflow(pmu, idx);
		counter->acknowledged = 0;
		counter->ambiguous = arm_syspmu_ambiguous_up_to(counter);
		counter->wrapped = false;
	}
	local64_set(&counter->value, value);
	counter->valid = true;
	counter->cached = !(pmu->quirks &
			    ARM_SYSPMU_QUIRK_COUNTS_WHEN_DISABLED);
}

/**
 * arm_syspmu_invalidate_values - discard the known values of all counters
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
 * arm_syspmu_set_counter - set the value of a counter
 * @pmu: the PMU, accessible
 * @idx: the counter; if an event uses it, its count is up to date
 * @value: new value
 *
 * The overflow status must not remain set because of the previous value. A
 * counter near its maximum can still set it after it has been stopped, and a
 * narrow one at any time before it is written.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_set_counter(struct arm_syspmu *pmu, unsigned int idx, u64 value)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	bool enabled = test_bit(idx, pmu->enabled);
	u64 prev = local64_read(&counter->value);
	bool wraps_soon = arm_syspmu_near_top(counter, prev) ||
			  (enabled && arm_syspmu_is_narrow(counter));

	arm_syspmu_begin_write(pmu);
	if (!counter->valid || wraps_soon ||
	    arm_syspmu_has_pending_wrap(counter, prev)) {
		/* A late event must not set the status again. */
		if (!enabled || arm_syspmu_is_narrow(counter))
			pmu->ops->write_counter(pmu, idx, 0);
		arm_syspmu_discard_overflow(pmu, idx);
	} else if (arm_syspmu_near_carry(pmu, prev) && !enabled) {
		pmu->ops->write_counter(pmu, idx, 0);
	}

	counter->acknowledged = 0;
	counter->ambiguous = arm_syspmu_ambiguous_up_to(counter);
	counter->wrapped = false;
	local64_set(&counter->value, value);
	pmu->ops->write_counter(pmu, idx, value);
	counter->valid = true;
	counter->cached = !(pmu->quirks &
			    ARM_SYSPMU_QUIRK_COUNTS_WHEN_DISABLED);
}

/**
 * arm_syspmu_stop_all - stop all counters to write registers
 * @pmu: the PMU, accessible
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_stop_all(struct arm_syspmu *pmu)
{
	pmu->ops->stop_all(pmu);
	pmu->stopped = true;
	/* The next pmu_enable() starts the counters at the latest. */
	pmu->started = true;
}
EXPORT_SYMBOL_GPL(arm_syspmu_stop_all);

/**
 * arm_syspmu_start_all - undo arm_syspmu_stop_all()
 * @pmu: the PMU, accessible
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_start_all(struct arm_syspmu *pmu)
{
	pmu->stopped = false;
	pmu->ops->start_all(pmu);
}

/**
 * arm_syspmu_take_late_overflows - clear the overflow status of stopped
 *	counters
 * @pmu: the PMU, accessible, whose counters wrap
 * @stopped: counters that have just been stopped
 *
 * If overflows are polled, the timer may not run again before the next event
 * uses the counter, and an MSI may be lost.
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
		arm_syspmu_discard_overflow(pmu, idx);
		pmu->counters[idx].acknowledged += pmu->counters[idx].mask + 1;
	}
}

/* The wrap has been counted: the interrupt must not find its status. */
static void arm_syspmu_acknowledge_stopped(struct arm_syspmu *pmu,
					   unsigned int idx)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 value = local64_read(&counter->value);

	if (!arm_syspmu_has_pending_wrap(counter, value) ||
	    arm_syspmu_is_inaccessible(pmu))
		return;

	arm_syspmu_discard_overflow(pmu, idx);
	if (arm_syspmu_wraps(counter))
		counter->acknowledged = value & ~counter->mask;
	counter->wrapped = false;
}

/*
 * perf sets period_left to zero to start a new period. A period that has just
 * ended must look different: let it end with the next event, which is also the
 * first one of the following period.
 */
static void arm_syspmu_mark_due(struct hw_perf_event *hw)
{
	if (local64_read(&hw->period_left))
		return;

	local64_set(&hw->period_left, -1);
	hw->flags |= ARM_SYSPMU_OVERDUE;
}

/**
 * arm_syspmu_finish_stop - update an event whose counter has been stopped
 * @pmu: the PMU
 * @event: an event that is marked as stopped
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_finish_stop(struct arm_syspmu *pmu, struct perf_event *event)
{
	arm_syspmu_update(pmu, event);
	if (arm_syspmu_is_gauge(event)) {
		arm_syspmu_end_gauge(pmu, event->hw.idx);
		return;
	}
	/* arm_syspmu_update() has not added the deferred delta then. */
	if (arm_syspmu_is_inaccessible(pmu))
		arm_syspmu_account(pmu, event, 0);
	arm_syspmu_acknowledge_stopped(pmu, event->hw.idx);
	if (is_sampling_event(event))
		arm_syspmu_mark_due(&event->hw);
}

/**
 * arm_syspmu_finish_stop_at - slow path of arm_syspmu_count_stopped()
 * @pmu: the PMU
 * @event: a counting event that is marked as stopped
 * @contents: contents of the register of its counter
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_finish_stop_at(struct arm_syspmu *pmu,
			       struct perf_event *event, u64 contents)
{
	unsigned int idx = event->hw.idx;
	u64 prev = local64_read(&pmu->counters[idx].value), raw;

	if (arm_syspmu_reads_as_gone(pmu, contents))
		return;

	raw = contents & pmu->counters[idx].mask;
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
	unsigned long *unusable;
	unsigned long **bitmaps[] = {
		&pmu->taken, &unusable, &pmu->used, &pmu->deleted,
		&pmu->active, &pmu->enabled, &pmu->filtered, &pmu->change,
		&pmu->capturing, &pmu->at_capture,
	};
	unsigned int shadows = arm_syspmu_has_shadows(pmu) ? 3 * n : 0, i;
	struct arm_syspmu_counter *counters;
	unsigned long *bitmap;

	counters = kzalloc(n * sizeof(*counters) + shadows * sizeof(u64) +
			   ARRAY_SIZE(bitmaps) * words * sizeof(*bitmap),
			   GFP_KERNEL);
	if (!counters)
		return -ENOMEM;

	for (i = 0; i < n; i++) {
		counters[i].reg = arm_syspmu_counter_reg(pmu, i);
		counters[i].mask = arm_syspmu_counter_mask(pmu, i);
		counters[i].ambiguous =
			arm_syspmu_ambiguous_up_to(&counters[i]);
		if (pmu->layout && pmu->layout->low_bits)
			counters[i].low_bits = pmu->layout->low_bits[i];
	}
	pmu->shadow = (u64 *)(counters + n);
	pmu->deferred = pmu->shadow + n;
	bitmap = (unsigned long *)(pmu->shadow + shadows);
	for (i = 0; i < ARRAY_SIZE(bitmaps); i++, bitmap += words)
		*bitmaps[i] = bitmap;
	arm_syspmu_mark_unusable(pmu, unusable);
	bitmap_copy(pmu->taken, unusable, words * BITS_PER_LONG);

	/* Pairs with smp_load_acquire() in arm_syspmu_event_init(). */
	smp_store_release(&pmu->counters, counters);

	return 0;
}
