/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the core share, and backends need not see. Each part calls
 * only those below it:
 *
 * register.c	from the probe of a device to the end of its PMU
 * power.c	suspend, resume, shutdown
 * open.c	perf_event_open(): what is refused
 * sysfs.c	attributes
 * cpu.c	the CPU that events are on
 * irq.c	interrupts
 * schedule.c	perf's callbacks: events and counters
 * poll.c	the timer that looks for overflows
 * overflow.c	overflows, and the counts that samples show
 * sample.c	sampling on overflow
 * capture.c	counts of one instant
 * identify.c	what backends do alike at probe
 * count.c	how values of counters become counts
 * reference.c	references
 * outoftree.c	what a module out of the tree has to do itself
 */
#ifndef ARM_SYSPMU_PRIVATE_H
#define ARM_SYSPMU_PRIVATE_H

#include <linux/bitops.h>
#include <linux/io.h>
#include <linux/perf_event.h>

#include "arm_syspmu.h"

/**
 * arm_syspmu_is_inaccessible - whether the hardware must not be touched
 * @pmu: the PMU
 *
 * Suspended, let go of, or gone for good: counts stay what they are.
 *
 * Context: on the owning CPU with interrupts off.
 * Return: whether it must not
 */
static inline bool arm_syspmu_is_inaccessible(const struct arm_syspmu *pmu)
{
	return pmu->state & ARM_SYSPMU_INACCESSIBLE;
}

/**
 * arm_syspmu_is_gone - whether the hardware has ceased to answer
 * @pmu: the PMU
 *
 * Context: any.
 * Return: whether it has
 */
static inline bool arm_syspmu_is_gone(const struct arm_syspmu *pmu)
{
	return READ_ONCE(pmu->state) & ARM_SYSPMU_GONE;
}

u64 arm_syspmu_read_wide(void __iomem *counter);
void arm_syspmu_read_first_value(struct arm_syspmu *pmu, unsigned int idx);
void arm_syspmu_finish_stop(struct arm_syspmu *pmu, struct perf_event *event);
void arm_syspmu_finish_stop_at(struct arm_syspmu *pmu,
			       struct perf_event *event, u64 raw);

/**
 * arm_syspmu_counters_wrap - whether any counter of a PMU wraps
 * @pmu: the PMU
 *
 * Context: any.
 * Return: whether one does: those of 64 bits do not
 */
static inline bool arm_syspmu_counters_wrap(const struct arm_syspmu *pmu)
{
	return pmu->counter_mask != U64_MAX;
}

/**
 * arm_syspmu_wraps - whether a counter wraps
 * @counter: the counter
 *
 * Context: any.
 * Return: whether it does
 */
static inline bool arm_syspmu_wraps(const struct arm_syspmu_counter *counter)
{
	return counter->mask != U64_MAX;
}

/**
 * arm_syspmu_has_pending_wrap - a wrap is in a value, but its status not yet cleared
 * @counter: the counter
 * @value: of the counter
 *
 * Context: on the owning CPU with interrupts off.
 * Return: whether that is so
 */
static inline bool
arm_syspmu_has_pending_wrap(const struct arm_syspmu_counter *counter, u64 value)
{
	if (!arm_syspmu_wraps(counter))
		return counter->wrapped;

	return value - counter->acknowledged > counter->mask;
}

/**
 * arm_syspmu_missed_wrap - a whole range has passed that a value does not show
 * @counter: the counter
 * @value: of the counter
 *
 * Context: on the owning CPU with interrupts off.
 * Return: whether that is so
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
 * @reg: the register
 *
 * Context: any.
 * Return: what it holds, with more bits than the counter may have
 */
static __always_inline u64 arm_syspmu_read_reg(const struct arm_syspmu *pmu,
					       void __iomem *reg)
{
	if (likely(!pmu->wide))
		return readl_relaxed(reg);

	return arm_syspmu_read_wide(reg);
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
	return arm_syspmu_read_reg(pmu, counter->reg) & counter->mask;
}

/**
 * arm_syspmu_counter_of - the counter that an event has
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
 * arm_syspmu_is_ambiguous - whether a value of a counter needs a closer look
 * @counter: the counter
 * @raw: the value
 *
 * Near zero the counter may owe that to a whole range, whose interrupt is still
 * on its way. It cannot be on its way for longer than a counter takes for this
 * part of its range: an eighth of a second for 32 bits at 2 GHz. All bits set
 * may be a block that has lost its power.
 *
 * Context: any.
 * Return: whether it does
 */
static inline bool
arm_syspmu_is_ambiguous(const struct arm_syspmu_counter *counter, u64 raw)
{
	return raw <= counter->mask / 16 || raw == counter->mask;
}

/**
 * arm_syspmu_update_stopped - account for what a stopped counter has counted
 * @pmu: the PMU
 * @event: its event
 * @idx: the counter
 *
 * From here on reads leave it alone, and none can come in between.
 *
 * Context: on the owning CPU with interrupts off.
 */
static __always_inline void
arm_syspmu_update_stopped(struct arm_syspmu *pmu, struct perf_event *event,
			  unsigned int idx)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];
	u64 prev, now, raw;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	barrier();
	if (unlikely(pmu->state || is_sampling_event(event))) {
		arm_syspmu_finish_stop(pmu, event);
		return;
	}

	prev = local64_read(&counter->value);
	raw = arm_syspmu_read_value(pmu, counter);
	now = prev + ((raw - prev) & counter->mask);
	if (unlikely(arm_syspmu_is_ambiguous(counter, raw) ||
		     now - counter->acknowledged > counter->mask ||
		     (pmu->wide && (now < prev || counter->wrapped)))) {
		arm_syspmu_finish_stop_at(pmu, event, raw);
		return;
	}
	local64_set(&counter->value, now);
	local64_add(now - prev, &event->count);
}

/* reference.c */
extern struct workqueue_struct *arm_syspmu_workqueue;
int arm_syspmu_get(struct arm_syspmu *pmu);
void arm_syspmu_put(struct arm_syspmu *pmu);
int arm_syspmu_reference_init(void);
void arm_syspmu_reference_exit(void);

/* outoftree.c */
void arm_syspmu_find_perf_overflow(void);
bool arm_syspmu_has_perf_overflow(void);
int arm_syspmu_perf_overflow(struct perf_event *event,
			     struct perf_sample_data *data,
			     struct pt_regs *regs);
void arm_syspmu_cancel_rotation(struct arm_syspmu *pmu);

/* count.c */

/* Flag of an event: the period is over exactly, and its sample is not made yet. */
#define ARM_SYSPMU_OVERDUE	BIT(0)

u64 arm_syspmu_update(struct arm_syspmu *pmu, struct perf_event *event);
int arm_syspmu_count_setup(struct arm_syspmu *pmu);
void arm_syspmu_invalidate_values(struct arm_syspmu *pmu);
void arm_syspmu_event_read(struct perf_event *event);
void arm_syspmu_event_read_wide(struct perf_event *event);
void arm_syspmu_take_late_overflows(struct arm_syspmu *pmu,
				    const unsigned long *stopped);
void arm_syspmu_set_counter(struct arm_syspmu *pmu, unsigned int idx,
			    u64 value);
void arm_syspmu_mark_gone(struct arm_syspmu *pmu);
bool arm_syspmu_has_overflowed(struct arm_syspmu *pmu, unsigned int idx);
bool arm_syspmu_reads_as_gone(struct arm_syspmu *pmu,
			      const struct arm_syspmu_counter *counter,
			      u64 raw);
void arm_syspmu_account(struct arm_syspmu *pmu, struct perf_event *event,
			u64 delta);
void arm_syspmu_catch_up(struct arm_syspmu *pmu, struct perf_event *event,
			 u64 captured, u64 later);
void arm_syspmu_update_captured(struct arm_syspmu *pmu,
				struct perf_event *event);

/* capture.c */
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

/* What perf sets hw_perf_event.interrupts to when it throttles an event. */
#define ARM_SYSPMU_THROTTLED	(~0ULL)

void arm_syspmu_sample_setup(struct arm_syspmu *pmu);
void arm_syspmu_set_period(struct arm_syspmu *pmu, struct perf_event *event);
void arm_syspmu_cancel_unthrottle(struct arm_syspmu *pmu);
bool arm_syspmu_next_period(struct arm_syspmu *pmu, struct perf_event *event);
void arm_syspmu_make_samples(struct arm_syspmu *pmu, const unsigned long *due);

/* overflow.c */
bool arm_syspmu_handle_overflows(struct arm_syspmu *pmu);

/* poll.c */
void arm_syspmu_poll_setup(struct arm_syspmu *pmu);
void arm_syspmu_poll_start(struct arm_syspmu *pmu);
void arm_syspmu_poll_stop(struct arm_syspmu *pmu);

/* schedule.c */
void arm_syspmu_schedule_setup(struct arm_syspmu *pmu);
bool arm_syspmu_acquire_for_interrupt(struct arm_syspmu *pmu);
void arm_syspmu_release_after_interrupt(struct arm_syspmu *pmu);
void arm_syspmu_suspend_events(struct arm_syspmu *pmu);
void arm_syspmu_resume_events(struct arm_syspmu *pmu);
void arm_syspmu_place_waiting(struct arm_syspmu *pmu);
void arm_syspmu_begin_moving(struct arm_syspmu *pmu);

/* irq.c */
void arm_syspmu_irq_setup(struct arm_syspmu *pmu);
int arm_syspmu_irq_request(struct arm_syspmu *pmu,
			   struct platform_device *pdev);
void arm_syspmu_irq_move(struct arm_syspmu *pmu, unsigned int cpu);
void arm_syspmu_irq_pause(struct arm_syspmu *pmu);
void arm_syspmu_irq_resume(struct arm_syspmu *pmu);

/* cpu.c */
const struct cpumask *arm_syspmu_associated_cpus(const struct arm_syspmu *pmu);
void arm_syspmu_cpu_setup(struct arm_syspmu *pmu);
int arm_syspmu_check_name(struct arm_syspmu *pmu, const char *name);
int arm_syspmu_cpu_attach(struct arm_syspmu *pmu);
void arm_syspmu_cpu_detach(struct arm_syspmu *pmu);
void arm_syspmu_cpu_forget_irq(struct arm_syspmu *pmu);
void arm_syspmu_set_registered(struct arm_syspmu *pmu, bool registered);
int arm_syspmu_cpu_init(void);
void arm_syspmu_cpu_exit(void);

/* open.c */
int arm_syspmu_event_init(struct perf_event *event);

/* power.c */
void arm_syspmu_arm(struct arm_syspmu *pmu);
void arm_syspmu_detach_hardware(struct arm_syspmu *pmu);

#endif /* ARM_SYSPMU_PRIVATE_H */
