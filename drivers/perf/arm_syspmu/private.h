/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interfaces between the files of the core which backends do not use. A file
 * only calls functions of the files below it:
 *
 * register.c	probe, unbind, registration with perf
 * power.c	suspend, resume, shutdown
 * open.c	event_init(): validation of events
 * sysfs.c	sysfs attributes
 * cpu.c	owning CPU, CPU hotplug
 * irq.c	wired interrupt, MSI
 * schedule.c	add(), del(), start(), stop() and transactions
 * match.c	which counters the events of a group use
 * poll.c	timer that polls the overflow status
 * overflow.c	handling of overflows
 * sample.c	sampling on overflow
 * capture.c	capture of all counters at one instant
 * freeze.c	counters that stop at an overflow
 * identify.c	checks at probe, for all backends
 * count.c	read(), updates of event counts
 * gauge.c	events whose value can fall
 * chain.c	counters that consist of two
 * counters.c	existence, width and use of counters
 * reference.c	reference counting
 * outoftree.c	workarounds needed only out of tree
 */
#ifndef ARM_SYSPMU_PRIVATE_H
#define ARM_SYSPMU_PRIVATE_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/perf_event.h>
#include <linux/refcount.h>

#include "arm_syspmu.h"

/*
 * Upper bound of the events that a counter counts after it has been stopped;
 * IHI 0070 §10.2 only says that the delay is small.
 */
#define ARM_SYSPMU_LATE_EVENTS		0x10000U

/**
 * arm_syspmu_is_inaccessible - whether the hardware must not be accessed
 * @pmu: the PMU
 *
 * The PMU is suspended, its driver unbound, or the device gone: counts do not
 * change.
 *
 * Context: on the owning CPU with interrupts off.
 * Return: true if it must not be accessed
 */
static inline bool arm_syspmu_is_inaccessible(const struct arm_syspmu *pmu)
{
	return pmu->state & ARM_SYSPMU_INACCESSIBLE;
}

/**
 * arm_syspmu_is_gone - whether the device has stopped responding
 * @pmu: the PMU
 *
 * Context: any.
 * Return: true if it has
 */
static inline bool arm_syspmu_is_gone(const struct arm_syspmu *pmu)
{
	/* The owning CPU changes other bits meanwhile. */
	return data_race(READ_ONCE(pmu->state)) & ARM_SYSPMU_GONE;
}

u64 arm_syspmu_read_wide(const struct arm_syspmu_counter *counter);
u64 arm_syspmu_read_atomic(const struct arm_syspmu_counter *counter);
u64 arm_syspmu_read_halves(const struct arm_syspmu_counter *counter);
void arm_syspmu_read_first_value(struct arm_syspmu *pmu, unsigned int idx);
void arm_syspmu_finish_stop(struct arm_syspmu *pmu, struct perf_event *event);
void arm_syspmu_finish_stop_at(struct arm_syspmu *pmu,
			       struct perf_event *event, u64 contents);

/**
 * arm_syspmu_counters_wrap - whether any counter of a PMU wraps
 * @pmu: the PMU
 *
 * Context: any.
 * Return: true if one does; 64-bit counters do not
 */
static inline bool arm_syspmu_counters_wrap(const struct arm_syspmu *pmu)
{
	return pmu->wraps;
}

/**
 * arm_syspmu_wraps - whether a counter wraps
 * @counter: the counter
 *
 * Context: any.
 * Return: true if it does
 */
static inline bool arm_syspmu_wraps(const struct arm_syspmu_counter *counter)
{
	return counter->mask != U64_MAX;
}

/**
 * arm_syspmu_is_narrow - whether a counter may wrap within microseconds
 * @counter: the counter
 *
 * Context: any.
 * Return: true if it has less than 32 bits
 */
static inline bool
arm_syspmu_is_narrow(const struct arm_syspmu_counter *counter)
{
	return counter->mask < U32_MAX;
}

/**
 * arm_syspmu_has_pending_wrap - whether a wrap has been counted whose status is
 *	still to be cleared
 * @counter: the counter
 * @value: extended value of the counter
 *
 * Context: on the owning CPU with interrupts off.
 * Return: true if so
 */
static inline bool
arm_syspmu_has_pending_wrap(const struct arm_syspmu_counter *counter, u64 value)
{
	if (!arm_syspmu_wraps(counter))
		return counter->wrapped;

	return (s64)(value - counter->acknowledged) > (s64)counter->mask;
}

/**
 * arm_syspmu_missed_wrap - whether a value lacks a wrap that has been handled
 * @counter: the counter
 * @value: extended value of the counter
 *
 * Context: on the owning CPU with interrupts off.
 * Return: true if so
 */
static inline bool
arm_syspmu_missed_wrap(const struct arm_syspmu_counter *counter, u64 value)
{
	return (s64)(value - counter->acknowledged) < 0 &&
	       arm_syspmu_wraps(counter);
}

/**
 * arm_syspmu_read_reg - read the register of a counter
 * @pmu: the PMU, accessible
 * @counter: one of its counters
 *
 * Context: any.
 * Return: its contents; bits that the counter does not implement are undefined
 */
static __always_inline u64
arm_syspmu_read_reg(const struct arm_syspmu *pmu,
		    const struct arm_syspmu_counter *counter)
{
	if (likely(!pmu->wide))
		return readl_relaxed(counter->reg);
	if (unlikely(pmu->only_32bit))
		return arm_syspmu_read_halves(counter);
	if (pmu->atomic_64bit)
		return arm_syspmu_read_atomic(counter);

	return arm_syspmu_read_wide(counter);
}

/**
 * arm_syspmu_counter_reg - the register of a counter
 * @pmu: the PMU
 * @idx: the counter
 *
 * Context: any.
 * Return: its register
 */
static inline void __iomem *arm_syspmu_counter_reg(const struct arm_syspmu *pmu,
						   unsigned int idx)
{
	if (pmu->layout && pmu->layout->offsets)
		return pmu->counter_regs + pmu->layout->offsets[idx];

	return pmu->counter_regs + (pmu->wide ? 8 : 4) * idx;
}

/**
 * arm_syspmu_read_value - read a counter
 * @pmu: the PMU, accessible
 * @counter: one of its counters
 *
 * Context: any.
 * Return: its value
 */
static __always_inline u64
arm_syspmu_read_value(const struct arm_syspmu *pmu,
		      const struct arm_syspmu_counter *counter)
{
	return arm_syspmu_read_reg(pmu, counter) & counter->mask;
}

/**
 * arm_syspmu_counter_of - counter that an event uses
 * @event: the event
 *
 * Context: on the owning CPU with interrupts off.
 * Return: the counter, or NULL
 */
static inline struct arm_syspmu_counter *
arm_syspmu_counter_of(const struct perf_event *event)
{
	return event->pmu_private;
}

/**
 * arm_syspmu_is_ambiguous - whether a counter value may have two meanings
 * @counter: the counter
 * @raw: the value
 *
 * A counter near zero may have passed its whole range, with the interrupt still
 * pending. The interrupt cannot be pending for longer than a counter takes for
 * a sixteenth of its range: an eighth of a second for 32 bits at 2 GHz. Of a
 * counter of less than 32 bits every value is ambiguous.
 *
 * Context: any.
 * Return: true if it does
 */
static inline bool
arm_syspmu_is_ambiguous(const struct arm_syspmu_counter *counter, u64 raw)
{
	return raw <= counter->ambiguous;
}

/**
 * arm_syspmu_ambiguous_up_to - highest value that may have two meanings
 * @counter: the counter
 *
 * Context: any.
 * Return: the value, see arm_syspmu_is_ambiguous()
 */
static inline u64
arm_syspmu_ambiguous_up_to(const struct arm_syspmu_counter *counter)
{
	return arm_syspmu_is_narrow(counter) ? counter->mask :
					       counter->mask / 16;
}

/**
 * arm_syspmu_may_be_gone - whether a value may come from a device without power
 * @pmu: the PMU
 * @contents: contents of a register, with the bits that the counter does not
 *	implement: these are zero if the device responds (IHI 0091 §3.5)
 *
 * Context: any.
 * Return: true if all bits are set
 */
static __always_inline bool arm_syspmu_may_be_gone(const struct arm_syspmu *pmu,
						   u64 contents)
{
	return contents == (pmu->wide ? U64_MAX : U32_MAX);
}

/**
 * arm_syspmu_is_special - whether an event does not just count
 * @event: the event
 *
 * Context: any.
 * Return: true if it samples or is a gauge
 */
static __always_inline bool
arm_syspmu_is_special(const struct perf_event *event)
{
	return event->hw.flags & ARM_SYSPMU_SPECIAL;
}

/**
 * arm_syspmu_count_stopped - update the count of an event that just counts and
 *	whose counter is stopped
 * @pmu: the PMU, whose &arm_syspmu.state is 0
 * @event: the event, which is marked as stopped
 * @counter: its counter
 *
 * Marking the event as stopped first keeps a concurrent read, for example by a
 * BPF program, from updating it as well.
 *
 * Context: on the owning CPU with interrupts off.
 */
static __always_inline void
arm_syspmu_count_stopped(struct arm_syspmu *pmu, struct perf_event *event,
			 struct arm_syspmu_counter *counter)
{
	u64 prev, now, contents, raw;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	barrier();
	prev = local64_read(&counter->value);
	contents = arm_syspmu_read_reg(pmu, counter);
	raw = contents & counter->mask;
	now = prev + ((raw - prev) & counter->mask);
	if (unlikely(arm_syspmu_is_ambiguous(counter, raw) ||
		     arm_syspmu_may_be_gone(pmu, contents) ||
		     now - counter->acknowledged > counter->mask ||
		     (pmu->wide && (now < prev || counter->wrapped)))) {
		arm_syspmu_finish_stop_at(pmu, event, contents);
		return;
	}
	local64_set(&counter->value, now);
	local64_add(now - prev, &event->count);
}

/**
 * arm_syspmu_update_stopped - update the count of an event whose counter is
 *	stopped
 * @pmu: the PMU
 * @event: the event, which is marked as stopped
 * @counter: its counter
 *
 * Context: on the owning CPU with interrupts off.
 */
static __always_inline void
arm_syspmu_update_stopped(struct arm_syspmu *pmu, struct perf_event *event,
			  struct arm_syspmu_counter *counter)
{
	if (likely(!pmu->state && !arm_syspmu_is_special(event))) {
		arm_syspmu_count_stopped(pmu, event, counter);
		return;
	}

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	barrier();
	arm_syspmu_finish_stop(pmu, event);
}

/* reference.c */
extern struct workqueue_struct *arm_syspmu_workqueue;
void arm_syspmu_last_put(struct arm_syspmu *pmu);
int arm_syspmu_await_registration(struct arm_syspmu *pmu);
void arm_syspmu_set_registered(struct arm_syspmu *pmu);
void arm_syspmu_cancel_registration(struct arm_syspmu *pmu);
int arm_syspmu_reference_init(void);
void arm_syspmu_reference_exit(void);

/**
 * arm_syspmu_put - undo arm_syspmu_get()
 * @pmu: the PMU
 *
 * Context: any.
 */
static __always_inline void arm_syspmu_put(struct arm_syspmu *pmu)
{
	if (unlikely(refcount_dec_and_test(&pmu->references)))
		arm_syspmu_last_put(pmu);
}

/**
 * arm_syspmu_get - take a reference for an event
 * @pmu: the PMU
 *
 * Context: process.
 * Return: 0, or -ENODEV if the PMU is being unregistered
 */
static __always_inline int arm_syspmu_get(struct arm_syspmu *pmu)
{
	if (unlikely(!refcount_inc_not_zero(&pmu->references)))
		return -ENODEV;
	if (likely(!READ_ONCE(pmu->unregistering)))
		return 0;

	arm_syspmu_put(pmu);

	return -ENODEV;
}

/* counters.c */

/**
 * arm_syspmu_unusable - the counters that no event can use
 * @pmu: the PMU, after its first event
 *
 * Context: any.
 * Return: a bitmap, see &arm_syspmu.taken
 */
static inline unsigned long *arm_syspmu_unusable(const struct arm_syspmu *pmu)
{
	return pmu->taken + BITS_TO_LONGS(pmu->num_counters);
}

/**
 * arm_syspmu_choose_counter - choose a counter for an event
 * @pmu: a PMU with &arm_syspmu_ops.choose_counter
 * @event: the event
 * @taken: the counters not to choose
 *
 * In some groups an event must leave its first choice to another event:
 * hw.extra_reg.alloc is the counter to use instead, plus one. It changes when
 * an event is added to the group, possibly while the group is being scheduled.
 *
 * Context: any.
 * Return: the counter; at least &arm_syspmu.num_counters if none of them can
 *	count the event
 */
static __always_inline unsigned int
arm_syspmu_choose_counter(struct arm_syspmu *pmu,
			  const struct perf_event *event,
			  const unsigned long *taken)
{
	unsigned int assigned = READ_ONCE(event->hw.extra_reg.alloc);

	if (unlikely(assigned) && !test_bit(assigned - 1, taken))
		return assigned - 1;
	if (likely(event->hw.flags & ARM_SYSPMU_USES_COMMON))
		return arm_syspmu_find_unused(pmu, pmu->layout->common, taken);

	return pmu->ops->choose_counter(pmu, event, taken);
}

/* A shorter interval would cost too much of the time of a CPU. */
#define ARM_SYSPMU_MIN_POLL_NS	(100 * NSEC_PER_USEC)

/**
 * arm_syspmu_has_gauges - whether any event of a PMU is a gauge
 * @pmu: the PMU
 *
 * Context: any.
 * Return: true if one is
 */
static inline bool arm_syspmu_has_gauges(const struct arm_syspmu *pmu)
{
	return pmu->layout && pmu->layout->gauges;
}

/**
 * arm_syspmu_is_for_gauges - whether only gauges can use a counter
 * @pmu: the PMU
 * @idx: the counter
 *
 * Context: any.
 * Return: true if no other event can
 */
static inline bool arm_syspmu_is_for_gauges(const struct arm_syspmu *pmu,
					    unsigned int idx)
{
	return arm_syspmu_has_gauges(pmu) &&
	       test_bit(idx, pmu->layout->gauges);
}

bool arm_syspmu_counter_exists(const struct arm_syspmu *pmu, unsigned int idx);
bool arm_syspmu_counter_counts(const struct arm_syspmu *pmu, unsigned int idx);
u64 arm_syspmu_counter_mask(const struct arm_syspmu *pmu, unsigned int idx);
u64 arm_syspmu_narrowest_counter(const struct arm_syspmu *pmu);
u64 arm_syspmu_counter_interval(const struct arm_syspmu *pmu, u64 mask);
void arm_syspmu_mark_unusable(const struct arm_syspmu *pmu,
			      unsigned long *unusable);
void arm_syspmu_count_usable(struct arm_syspmu *pmu);

/* outoftree.c */
void arm_syspmu_find_perf_overflow(void);
bool arm_syspmu_has_perf_overflow(void);
int arm_syspmu_perf_overflow(struct perf_event *event,
			     struct perf_sample_data *data,
			     struct pt_regs *regs);
void arm_syspmu_cancel_rotation(struct arm_syspmu *pmu);
bool arm_syspmu_is_in_sysfs(const char *name);

/* chain.c */
u64 arm_syspmu_read_chained(const struct arm_syspmu_counter *counter);

/* gauge.c */
void arm_syspmu_begin_gauge(struct arm_syspmu *pmu, unsigned int idx);
void arm_syspmu_end_gauge(struct arm_syspmu *pmu, unsigned int idx);
void arm_syspmu_set_gauge(struct arm_syspmu *pmu, struct perf_event *event,
			  u64 value);
void arm_syspmu_set_deferred_gauge(struct arm_syspmu *pmu,
				   struct perf_event *event);
bool arm_syspmu_any_counts(const struct arm_syspmu *pmu);

/* count.c */

void arm_syspmu_start_all(struct arm_syspmu *pmu);

/**
 * arm_syspmu_end_write - undo arm_syspmu_begin_write()
 * @pmu: the PMU, accessible
 *
 * Context: on the owning CPU with interrupts off.
 */
static __always_inline void arm_syspmu_end_write(struct arm_syspmu *pmu)
{
	if (unlikely(pmu->stopped))
		arm_syspmu_start_all(pmu);
}

/*
 * Flag in hw.flags: the period is over exactly, but its sample has not been
 * made.
 */
#define ARM_SYSPMU_OVERDUE	BIT(0)

/**
 * arm_syspmu_has_shadows - whether counters have copies of their values
 * @pmu: the PMU
 *
 * Context: any.
 * Return: true if it can capture or freeze
 */
static inline bool arm_syspmu_has_shadows(const struct arm_syspmu *pmu)
{
	return pmu->can_capture || pmu->can_freeze;
}

u64 arm_syspmu_update(struct arm_syspmu *pmu, struct perf_event *event);
int arm_syspmu_count_setup(struct arm_syspmu *pmu);
void arm_syspmu_invalidate_values(struct arm_syspmu *pmu);
void arm_syspmu_event_read(struct perf_event *event);
void arm_syspmu_event_read_wide(struct perf_event *event);
void arm_syspmu_event_read_atomic(struct perf_event *event);
void arm_syspmu_event_read_halves(struct perf_event *event);
void arm_syspmu_take_late_overflows(struct arm_syspmu *pmu,
				    const unsigned long *stopped);
void arm_syspmu_set_counter(struct arm_syspmu *pmu, unsigned int idx,
			    u64 value);
void arm_syspmu_mark_gone(struct arm_syspmu *pmu);
bool arm_syspmu_has_overflowed(struct arm_syspmu *pmu, unsigned int idx);
bool arm_syspmu_reads_as_gone(struct arm_syspmu *pmu, u64 contents);
void arm_syspmu_account(struct arm_syspmu *pmu, struct perf_event *event,
			u64 delta);
void arm_syspmu_catch_up(struct arm_syspmu *pmu, struct perf_event *event,
			 u64 captured, u64 later);
void arm_syspmu_update_captured(struct arm_syspmu *pmu,
				struct perf_event *event);

/* capture.c */

/**
 * arm_syspmu_captured_for - the groups for whose samples counters have been
 *	captured
 * @pmu: a PMU that can capture or freeze, after its first event
 *
 * Context: any.
 * Return: an array of their leaders, valid for the counters in
 *	&arm_syspmu.at_capture
 */
static inline const struct perf_event **
arm_syspmu_captured_for(const struct arm_syspmu *pmu)
{
	return (const struct perf_event **)(pmu->deferred + pmu->num_counters);
}

void arm_syspmu_forget_former_groups(struct arm_syspmu *pmu);
/**
 * arm_syspmu_read_shadow - read a value that was captured
 * @pmu: the PMU
 * @idx: a counter; one that only gauges can use has no shadow register
 *
 * Context: on the owning CPU with interrupts off.
 * Return: contents of the shadow register; of the counter if there is none
 */
static inline u64 arm_syspmu_read_shadow(struct arm_syspmu *pmu,
					 unsigned int idx)
{
	if (unlikely(arm_syspmu_is_for_gauges(pmu, idx)))
		return arm_syspmu_read_reg(pmu, &pmu->counters[idx]);

	return pmu->ops->read_captured(pmu, idx);
}

bool arm_syspmu_capture(struct arm_syspmu *pmu);
void arm_syspmu_mark_group(struct arm_syspmu *pmu,
			   const struct perf_event *event,
			   unsigned long *counters);
void arm_syspmu_find_members(struct arm_syspmu *pmu,
			     const unsigned long *overflowed,
			     unsigned long *members);
void arm_syspmu_read_shadows(struct arm_syspmu *pmu,
			     const unsigned long *members);

/* sample.c */

/* Flag for pmu::start(): the caller calls pmu_enable() */
#define ARM_SYSPMU_EF_BATCH	BIT(30)

/* Value of hw_perf_event.interrupts while perf throttles the event */
#define ARM_SYSPMU_THROTTLED	(~0ULL)

void arm_syspmu_sample_setup(struct arm_syspmu *pmu);
void arm_syspmu_set_period(struct arm_syspmu *pmu, struct perf_event *event);
void arm_syspmu_cancel_unthrottle(struct arm_syspmu *pmu);
bool arm_syspmu_next_period(struct arm_syspmu *pmu, struct perf_event *event);
void arm_syspmu_make_samples(struct arm_syspmu *pmu, const unsigned long *due);

/* overflow.c */
bool arm_syspmu_handle_overflows(struct arm_syspmu *pmu);
bool arm_syspmu_handle_all_overflows(struct arm_syspmu *pmu);

/* poll.c */
void arm_syspmu_poll_setup(struct arm_syspmu *pmu);
void arm_syspmu_poll_start(struct arm_syspmu *pmu);
void arm_syspmu_poll_stop(struct arm_syspmu *pmu);

/* freeze.c */
void arm_syspmu_choose_freezing(struct arm_syspmu *pmu,
				const struct perf_event *event);
void arm_syspmu_stop_freezing(struct arm_syspmu *pmu);
bool arm_syspmu_save_frozen(struct arm_syspmu *pmu);

/* schedule.c */
void arm_syspmu_schedule_setup(struct arm_syspmu *pmu);
bool arm_syspmu_acquire_for_interrupt(struct arm_syspmu *pmu);
void arm_syspmu_release_after_interrupt(struct arm_syspmu *pmu);
void arm_syspmu_suspend_events(struct arm_syspmu *pmu);
void arm_syspmu_resume_events(struct arm_syspmu *pmu);
void arm_syspmu_place_waiting(struct arm_syspmu *pmu);
void arm_syspmu_begin_moving(struct arm_syspmu *pmu);

/* match.c */
int arm_syspmu_fit_group(struct arm_syspmu *pmu, struct perf_event *event);
void arm_syspmu_mark_mixed(struct perf_event *event);
unsigned int arm_syspmu_choose_in_group(struct arm_syspmu *pmu,
					struct perf_event *event);

/* irq.c */
void arm_syspmu_irq_setup(struct arm_syspmu *pmu);
int arm_syspmu_irq_request(struct arm_syspmu *pmu,
			   struct platform_device *pdev);
void arm_syspmu_irq_free(struct arm_syspmu *pmu, int irq);
void arm_syspmu_irq_move(struct arm_syspmu *pmu, unsigned int cpu);
void arm_syspmu_irq_pause(struct arm_syspmu *pmu);
void arm_syspmu_irq_resume(struct arm_syspmu *pmu);

/* cpu.c */
const struct cpumask *arm_syspmu_associated_cpus(const struct arm_syspmu *pmu);
void arm_syspmu_cpu_setup(struct arm_syspmu *pmu);
int arm_syspmu_check_name(struct arm_syspmu *pmu, const char *name);
int arm_syspmu_cpu_attach(struct arm_syspmu *pmu);
void arm_syspmu_cpu_detach(struct arm_syspmu *pmu);
void arm_syspmu_cpu_call(struct arm_syspmu *pmu, smp_call_func_t function);
int arm_syspmu_cpu_forget_irq(struct arm_syspmu *pmu);
void arm_syspmu_forget_registration(struct arm_syspmu *pmu);
int arm_syspmu_cpu_init(void);
void arm_syspmu_cpu_exit(void);

/* open.c */
int arm_syspmu_event_init(struct perf_event *event);

/* power.c */
void arm_syspmu_arm(struct arm_syspmu *pmu);
void arm_syspmu_detach_hardware(struct arm_syspmu *pmu);

#endif /* ARM_SYSPMU_PRIVATE_H */
