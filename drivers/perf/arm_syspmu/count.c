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
 * to the present.
 */

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "compat.h"
#include "core.h"

#define CREATE_TRACE_POINTS
#include <trace/events/arm_syspmu.h>

/* Events per nanosecond of a counter whose backend knows no more */
#define ARM_SYSPMU_MAX_RATE		4

/* A shorter poll interval would cost too much of the time of a CPU. */
#define ARM_SYSPMU_MIN_POLL_NS		(100 * NSEC_PER_USEC)
/* Short enough to report a lost MSI soon */
#define ARM_SYSPMU_MAX_POLL_NS		NSEC_PER_SEC

bool arm_syspmu_is_inaccessible(const struct arm_syspmu_core *core)
{
	return core->suspended || READ_ONCE(core->gone);
}

/**
 * arm_syspmu_fault - report a fault of the device, the first time
 * @pmu: the PMU
 * @text: what is wrong, and what follows from it; a constant
 *
 * Context: any.
 */
void arm_syspmu_fault(struct arm_syspmu *pmu, const char *text)
{
	struct arm_syspmu_core *core = pmu->core;
	const char *known;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(core->faults); i++) {
		known = cmpxchg(&core->faults[i], NULL, text);
		if (known == text)
			return;
		if (!known)
			break;
	}

	trace_arm_syspmu_fault(pmu->pmu.name, text);
	/* The caller may hold a run queue lock, which printk() may need. */
	irq_work_queue(&core->report);
}
EXPORT_SYMBOL_GPL(arm_syspmu_fault);

/* Looks whether the device still responds, and marks it as gone if not. */
bool arm_syspmu_has_gone(struct arm_syspmu_core *core)
{
	if (core->pmu->ops->is_present(core->pmu))
		return false;

	WRITE_ONCE(core->gone, true);
	arm_syspmu_fault(core->pmu,
			 "reads as all ones or zero: its events stop counting, bind the driver again when it is back");

	return true;
}

/* Whether something else than this driver has reset the device */
bool arm_syspmu_was_reset(const struct arm_syspmu_core *core)
{
	return core->shows_enabled && !core->pmu->ops->is_enabled(core->pmu);
}

static bool arm_syspmu_wraps(const struct arm_syspmu_counter *counter)
{
	return counter->mask != U64_MAX;
}

/*
 * A device without power reads as all ones or as zero, and one that Secure
 * software has taken away as zero (IHI 0070 §10.5.2.12). Zero is nothing new from
 * a counter that was zero before, nor while an overflow is handled. The values of
 * one that was reset are UNKNOWN: most are far from the ones before, which is
 * rarely the case otherwise, except at an overflow; but it raises no interrupt.
 * All these are regular values as well.
 */
static bool arm_syspmu_reads_as_gone(struct arm_syspmu_core *core,
				     const struct arm_syspmu_counter *counter,
				     u64 prev, u64 value)
{
	bool ones = value == U64_MAX, zero = !value && prev & counter->mask;
	u64 far = min(counter->mask >> 8, (u64)U32_MAX);
	bool moved = ((value - prev) & counter->mask) > far && counter->valid;

	if (core->frozen) {
		zero = false;
		moved &= arm_syspmu_polls(core);
	}
	if (!ones && !zero && !moved)
		return false;
	if ((ones || zero) && arm_syspmu_has_gone(core))
		return true;
	if (!arm_syspmu_was_reset(core))
		return false;

	WRITE_ONCE(core->gone, true);
	arm_syspmu_fault(core->pmu,
			 "was reset while it counted: its events stop counting, bind the driver again");

	return true;
}

/*
 * Wraps
 */

/* Whether wraps are noticed by the poll timer and by nothing else */
bool arm_syspmu_relies_on_poll(const struct arm_syspmu_core *core)
{
	switch (core->delivery) {
	case ARM_SYSPMU_MSI:
		return !READ_ONCE(core->msi_works);
	case ARM_SYSPMU_WIRED:
		return core->pmu->wired == ARM_SYSPMU_WIRED_UNCERTAIN;
	default:
		return true;
	}
}

/*
 * Longest way of a counter between its wrap and the handling of the overflow:
 * a sixteenth of the range is an eighth of a second for 32 bits at 2 GHz. The
 * poll timer gets a quarter, so that it need not run as often.
 */
u64 arm_syspmu_margin(const struct arm_syspmu_core *core, u64 mask)
{
	return mask / (arm_syspmu_relies_on_poll(core) ? 4 : 16);
}

bool arm_syspmu_polls(const struct arm_syspmu_core *core)
{
	return core->delivery == ARM_SYSPMU_MSI ||
	       (core->delivery != ARM_SYSPMU_NONE &&
		arm_syspmu_relies_on_poll(core));
}

/*
 * If nothing else notices overflows, the fastest event decides. A 64-bit
 * counter does not overflow.
 */
ktime_t arm_syspmu_poll_interval(const struct arm_syspmu_core *core)
{
	const struct arm_syspmu_core_event *own;
	u64 interval = ARM_SYSPMU_MAX_POLL_NS;
	unsigned int idx;
	u64 mask;

	if (!arm_syspmu_relies_on_poll(core))
		return ns_to_ktime(interval);

	for_each_set_bit(idx, core->active, core->pmu->num_counters) {
		own = core->counters[idx].event->pmu_private;
		mask = core->counters[idx].mask;
		if (mask != U64_MAX)
			interval = min(interval,
				       div_u64(arm_syspmu_margin(core, mask),
					       own->public.max_rate ?:
					       ARM_SYSPMU_MAX_RATE));
	}

	return ns_to_ktime(max_t(u64, interval, ARM_SYSPMU_MIN_POLL_NS));
}

/* Whether a wrap has been counted whose status is still to be cleared */
static bool
arm_syspmu_has_pending_wrap(const struct arm_syspmu_counter *counter, u64 value)
{
	if (!arm_syspmu_wraps(counter))
		return counter->wrapped;

	return (s64)(value - counter->acknowledged) > (s64)counter->mask;
}

/* Whether a value lacks a wrap whose status has been cleared */
static bool arm_syspmu_missed_wrap(const struct arm_syspmu_counter *counter,
				   u64 value)
{
	return arm_syspmu_wraps(counter) &&
	       (s64)(value - counter->acknowledged) < 0;
}

/*
 * Reads the overflow status of all counters, on any CPU. Bits that are not used
 * are zero: a device without power shows by a word of ones. It may lose power
 * between two of the registers, or between the halves of one.
 */
void arm_syspmu_read_overflows(struct arm_syspmu_core *core,
			       unsigned long *overflowed)
{
	struct arm_syspmu *pmu = core->pmu;
	unsigned int word;

	pmu->ops->read_overflows(pmu, overflowed);
	for (word = 0; word < BITS_TO_LONGS(pmu->num_counters); word++)
		if (lower_32_bits(overflowed[word]) == U32_MAX ||
		    upper_32_bits(overflowed[word]) == U32_MAX)
			break;
	if (word < BITS_TO_LONGS(pmu->num_counters) &&
	    arm_syspmu_has_gone(core))
		bitmap_zero(overflowed, pmu->num_counters);
	/* The status of others means nothing. */
	if (pmu->usable)
		bitmap_and(overflowed, overflowed, pmu->usable,
			   pmu->num_counters);
}

static bool arm_syspmu_has_overflowed(struct arm_syspmu_core *core,
				      unsigned int idx)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);

	arm_syspmu_read_overflows(core, overflowed);

	return test_bit(idx, overflowed);
}

/*
 * Returns the extended value of a counter that was @prev and now reads as @raw.
 * It may have wrapped once since. If @raw is below @prev it has; but if it has
 * passed its whole range, only the overflow status shows this, which then has
 * not been handled for long. The read may come before or after the interrupt,
 * and the wrap must be counted once.
 */
static u64 arm_syspmu_extend(struct arm_syspmu_core *core, unsigned int idx,
			     u64 prev, u64 raw)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	u64 mask = counter->mask, value = prev + ((raw - prev) & mask);

	if (!arm_syspmu_wraps(counter)) {
		if (raw < prev)
			counter->wrapped = true;
		return raw;
	}

	if (arm_syspmu_missed_wrap(counter, value))
		return counter->acknowledged + raw;
	if (raw <= arm_syspmu_margin(core, mask) &&
	    !((value ^ prev) & ~mask) &&
	    !arm_syspmu_has_pending_wrap(counter, value) &&
	    arm_syspmu_has_overflowed(core, idx))
		return value + mask + 1;

	return value;
}

/*
 * Updating counts
 */

/*
 * perf_read_group() copies the counts of a group under this lock. Whoever
 * updates counts one after another at another time takes it, so that a reader on
 * another CPU does not get counts of different instants. There is an event.
 */
raw_spinlock_t *arm_syspmu_counts_lock(const struct arm_syspmu_core *core)
{
	unsigned int idx = find_first_bit(core->used, core->pmu->num_counters);

	return &core->counters[idx].event->ctx->lock;
}

/*
 * Adds a delta to the count of an event, and what was deferred before. An NMI
 * may have taken that, hence the xchg.
 */
void arm_syspmu_account(struct arm_syspmu_core *core, struct perf_event *event,
			u64 delta)
{
	struct arm_syspmu_core_event *own = event->pmu_private;

	if (is_sampling_event(event))
		local64_sub(delta, &event->hw.period_left);

	if (core->frozen) {
		local64_add(delta, &own->deferred);
		return;
	}
	if (local64_read(&own->deferred))
		delta += local64_xchg(&own->deferred, 0);
	local64_add(delta, &event->count);
}

/* Updates the extended value and the count, unless @prev is out of date. */
static bool arm_syspmu_replace(struct arm_syspmu_core *core,
			       struct perf_event *event, u64 prev, u64 now)
{
	local64_t *value = &core->counters[event->hw.idx].value;

	if (local64_cmpxchg(value, prev, now) != prev)
		return false;
	arm_syspmu_account(core, event, now - prev);

	return true;
}

/*
 * Updates the count of an event from its counter. May be interrupted by an NMI
 * that does the same. If the overflow status shows that the counter has passed
 * its whole range, this may also have happened between the two accesses, where
 * a hypervisor ran something else: read the counter again. Returns the extended
 * value of the counter.
 */
u64 arm_syspmu_update(struct arm_syspmu_core *core, struct perf_event *event)
{
	unsigned int idx = event->hw.idx;
	struct arm_syspmu_counter *counter = &core->counters[idx];
	struct arm_syspmu *pmu = core->pmu;
	u64 prev, now, raw;

	if (arm_syspmu_is_inaccessible(core))
		return local64_read(&counter->value);

	do {
		prev = local64_read(&counter->value);
		raw = pmu->ops->read_counter(pmu, idx);
		now = arm_syspmu_extend(core, idx, prev, raw & counter->mask);
		if (now - prev > counter->mask &&
		    arm_syspmu_has_pending_wrap(counter, now))
			raw = pmu->ops->read_counter(pmu, idx);
		if (arm_syspmu_reads_as_gone(core, counter, prev, raw))
			return prev;
		now = (now & ~counter->mask) | (raw & counter->mask);
	} while (!arm_syspmu_replace(core, event, prev, now));

	return now;
}

/*
 * Updates the count of an event to a captured value of its counter, unless it
 * has been updated past that already, or the counter has been set since. The
 * counter is read if that seems to be the case, since only a value after the
 * capture tells how far it has gone since.
 */
static void arm_syspmu_update_to(struct arm_syspmu_core *core,
				 struct perf_event *event, u64 captured)
{
	unsigned int idx = event->hw.idx;
	struct arm_syspmu_counter *counter = &core->counters[idx];
	u64 prev = local64_read(&counter->value), total, since;
	u64 mask = counter->mask, later = captured;
	struct arm_syspmu *pmu = core->pmu;

	total = (later - prev) & mask;
	if (total > mask / 2)
		later = pmu->ops->read_counter(pmu, idx);
	if (arm_syspmu_reads_as_gone(core, counter, prev, later))
		return;

	total = arm_syspmu_extend(core, idx, prev, later & mask) - prev;
	since = (later - captured) & mask;
	if (since <= total)
		arm_syspmu_replace(core, event, prev, prev + total - since);
}

/* Updates the count of an event from what reads currently refer to. */
static void arm_syspmu_update_from_source(struct arm_syspmu_core *core,
					  struct perf_event *event)
{
	unsigned int idx = event->hw.idx;
	struct arm_syspmu *pmu = core->pmu;

	if (core->source == ARM_SYSPMU_COUNTERS)
		arm_syspmu_update(core, event);
	else
		arm_syspmu_update_to(core, event,
				     core->source == ARM_SYSPMU_COPIES ?
				     core->counters[idx].shadow :
				     pmu->ops->read_captured(pmu, idx));
}

/*
 * pmu::read(). While a sample is being made, the counts that it shows are not
 * updated. perf reads an event on its CPU with interrupts off; a BPF program
 * reads an event of its own CPU in any context, including a pseudo-NMI.
 */
void arm_syspmu_event_read(struct perf_event *event)
{
	struct arm_syspmu_core *core = to_arm_syspmu(event->pmu)->core;

	if (core->frozen)
		return;

	if (event->hw.state & PERF_HES_STOPPED ||
	    arm_syspmu_is_inaccessible(core))
		arm_syspmu_account(core, event, 0);
	else
		arm_syspmu_update_from_source(core, event);
}

/*
 * Overflow status
 */

/* No sample is made for this overflow. */
static void arm_syspmu_discard_overflow(struct arm_syspmu_core *core,
					unsigned int idx)
{
	DECLARE_BITMAP(counters, ARM_SYSPMU_MAX_COUNTERS) = {};
	struct arm_syspmu *pmu = core->pmu;

	__set_bit(idx, counters);
	pmu->ops->clear_overflows(pmu, counters);
}

/* Counts the wraps whose overflow status has been cleared. */
void arm_syspmu_acknowledge(struct arm_syspmu_core *core,
			    const unsigned long *overflowed)
{
	struct arm_syspmu_counter *counter;
	unsigned int idx;

	for_each_set_bit(idx, overflowed, core->pmu->num_counters) {
		counter = &core->counters[idx];
		counter->acknowledged += counter->mask + 1;
	}
}

/*
 * Two wraps can result in one overflow status: if both happen between two
 * interrupts, or if the second happens before the status of the first is
 * cleared. If the value includes a wrap whose status is not set, no status is
 * left to clear for it.
 */
void arm_syspmu_acknowledge_shared(struct arm_syspmu_core *core,
				   const unsigned long *overflowed)
{
	struct arm_syspmu_counter *counter;
	unsigned int idx;
	u64 value;

	for_each_and_bit(idx, overflowed, core->used, core->pmu->num_counters) {
		counter = &core->counters[idx];
		value = local64_read(&counter->value);
		counter->wrapped = false;
		if (arm_syspmu_has_pending_wrap(counter, value) &&
		    !arm_syspmu_has_overflowed(core, idx))
			counter->acknowledged = value & ~counter->mask;
	}
}

/* The wrap has been counted: the interrupt must not find its status. */
static void arm_syspmu_acknowledge_stopped(struct arm_syspmu_core *core,
					   unsigned int idx)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	u64 value = local64_read(&counter->value);

	if (!arm_syspmu_has_pending_wrap(counter, value) ||
	    arm_syspmu_is_inaccessible(core))
		return;

	arm_syspmu_discard_overflow(core, idx);
	if (arm_syspmu_wraps(counter))
		counter->acknowledged = value & ~counter->mask;
}

/*
 * If overflows are polled, the timer may not run again before the next event
 * uses the counters, and an MSI may be lost.
 */
void arm_syspmu_take_late_overflows(struct arm_syspmu_core *core,
				    const unsigned long *stopped)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx;

	arm_syspmu_read_overflows(core, overflowed);
	for_each_and_bit(idx, overflowed, stopped, core->pmu->num_counters) {
		arm_syspmu_discard_overflow(core, idx);
		core->counters[idx].acknowledged +=
			core->counters[idx].mask + 1;
	}
}

/*
 * Starting and stopping
 */

static bool arm_syspmu_near_top(const struct arm_syspmu_counter *counter,
				u64 value)
{
	return counter->mask - (value & counter->mask) < ARM_SYSPMU_LATE_EVENTS;
}

/* Whether the lower half of a counter may carry while it is written in halves */
static bool arm_syspmu_near_carry(u64 value)
{
	return U32_MAX - lower_32_bits(value) < ARM_SYSPMU_LATE_EVENTS;
}

/* Notes the value that a counter counts from, with its overflow status clear. */
static void arm_syspmu_set_value(struct arm_syspmu_core *core,
				 struct arm_syspmu_counter *counter, u64 value)
{
	counter->acknowledged = 0;
	counter->wrapped = false;
	local64_set(&counter->value, value);
	counter->valid = true;
}

/*
 * Reads the value that an event counts from; its counter is not enabled. It is
 * close to the last known value, and may have wrapped after it was stopped. If
 * not, the counter was reset or has counted all the same, as on HiSilicon HIP08,
 * and its overflow status means nothing; nor does that of a late event of a 64-bit
 * counter, whose wraps are not counted.
 */
static void arm_syspmu_read_first_value(struct arm_syspmu_core *core,
					unsigned int idx)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	u64 known = local64_read(&counter->value), mask = counter->mask, raw;
	struct arm_syspmu *pmu = core->pmu;

	raw = pmu->ops->read_counter(pmu, idx);
	if (arm_syspmu_reads_as_gone(core, counter, known, raw))
		return;

	if (arm_syspmu_wraps(counter) && counter->valid &&
	    ((raw - known) & mask) < ARM_SYSPMU_LATE_EVENTS) {
		local64_set(&counter->value,
			    arm_syspmu_extend(core, idx, known, raw & mask));
		return;
	}

	if (arm_syspmu_wraps(counter) || raw < known)
		arm_syspmu_discard_overflow(core, idx);
	arm_syspmu_set_value(core, counter, raw & mask);
}

/*
 * Sets the value of a counter; if an event uses it, its count is up to date.
 * The overflow status must not remain set because of the previous value. A
 * counter near its maximum can still set it after it has been stopped, and a
 * late event must not set it again, nor carry between the writes of two halves.
 */
static int arm_syspmu_set_counter(struct arm_syspmu_core *core,
				  unsigned int idx, u64 value)
{
	struct arm_syspmu_counter *counter = &core->counters[idx];
	bool enabled = test_bit(idx, core->enabled);
	u64 prev = local64_read(&counter->value);
	struct arm_syspmu *pmu = core->pmu;
	bool overflows;
	int err = 0;

	overflows = arm_syspmu_near_top(counter, prev) ||
		    arm_syspmu_has_pending_wrap(counter, prev);
	if (!enabled && (overflows || arm_syspmu_near_carry(prev)))
		err = pmu->ops->write_counter(pmu, idx, 0);
	if (err)
		return err;
	if (!enabled)
		counter->valid = false;
	if (overflows)
		arm_syspmu_discard_overflow(core, idx);

	err = pmu->ops->write_counter(pmu, idx, value);
	if (err)
		return err;
	arm_syspmu_set_value(core, counter, value);

	return 0;
}

/*
 * Makes the counter of a sampling event overflow at the end of the period, or on
 * the next event if the period has already ended. The count is up to date.
 */
int arm_syspmu_set_period(struct arm_syspmu_core *core,
			  struct perf_event *event)
{
	struct arm_syspmu_core_event *own = event->pmu_private;
	struct hw_perf_event *hw = &event->hw;
	s64 left = local64_read(&hw->period_left);
	u64 mask = core->counters[hw->idx].mask;

	/* perf sets period_left to zero to start a new period. */
	if (!left) {
		left = hw->sample_period;
		local64_set(&hw->period_left, left);
		hw->last_period = hw->sample_period;
		own->overdue = false;
	}

	/* Leave half of the range for the latency of the interrupt. */
	left = clamp_t(s64, left, 1, mask >> 1);

	return arm_syspmu_set_counter(core, hw->idx, -left & mask);
}

/* Prepares the value that an event counts from once its counter is enabled. */
int arm_syspmu_begin_count(struct arm_syspmu_core *core,
			   struct perf_event *event)
{
	arm_syspmu_read_first_value(core, event->hw.idx);

	return is_sampling_event(event) ? arm_syspmu_set_period(core, event) : 0;
}

/*
 * perf sets period_left to zero to start a new period. A period that has just
 * ended must look different: let it end with the next event, which is also the
 * first one of the following period.
 */
void arm_syspmu_mark_due(struct perf_event *event)
{
	struct arm_syspmu_core_event *own = event->pmu_private;

	if (!is_sampling_event(event) || local64_read(&event->hw.period_left))
		return;

	local64_set(&event->hw.period_left, -1);
	own->overdue = true;
}

/*
 * Updates an event whose counter has been stopped. Marking the event first keeps
 * a BPF program in an NMI from updating it as well.
 */
void arm_syspmu_finish_stop(struct arm_syspmu_core *core,
			    struct perf_event *event)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	barrier();
	arm_syspmu_update(core, event);
	/* If the device is inaccessible, that has not added what was deferred. */
	arm_syspmu_account(core, event, 0);
	arm_syspmu_acknowledge_stopped(core, event->hw.idx);
	__clear_bit(event->hw.idx, core->saved);
	/* Otherwise perf has set period_left to zero, if it is. */
	if (!arm_syspmu_is_inaccessible(core))
		arm_syspmu_mark_due(event);
}

/* Discards the known values of all counters after a reset. */
void arm_syspmu_invalidate_values(struct arm_syspmu_core *core)
{
	unsigned int idx;

	for (idx = 0; idx < core->pmu->num_counters; idx++)
		core->counters[idx].valid = false;
}

/* Allocates what counting needs, when the first event is opened. */
int arm_syspmu_count_setup(struct arm_syspmu_core *core)
{
	unsigned int n = core->pmu->num_counters, idx;
	struct arm_syspmu_counter *counters;

	counters = kcalloc(n, sizeof(*counters), GFP_KERNEL);
	if (!counters)
		return -ENOMEM;

	for (idx = 0; idx < n; idx++)
		counters[idx].mask = arm_syspmu_counter_mask(core->pmu, idx);

	/* Pairs with smp_load_acquire() in arm_syspmu_event_init(). */
	smp_store_release(&core->counters, counters);

	return 0;
}
