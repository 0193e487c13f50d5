/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State and interfaces of the core which backends do not use. A file only calls
 * functions of the files below it, also through pointers:
 *
 * register.c	probe, unbind, suspend, registration with perf
 * open.c	event_init(): validation of events
 * sysfs.c	sysfs attributes
 * cpu.c	owning CPU, CPU hotplug
 * irq.c	wired interrupt, MSI, poll timer
 * overflow.c	handling of overflows
 * sample.c	sampling on overflow
 * schedule.c	add(), del(), start(), stop() and transactions
 * capture.c	capture of all counters at one instant
 * count.c	read(), updates of event counts
 * registers.c	register accesses and checks at probe, for all backends
 * outoftree.c	workarounds needed only out of tree
 */
#ifndef ARM_SYSPMU_CORE_H
#define ARM_SYSPMU_CORE_H

#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/msi.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/ratelimit_types.h>
#include <linux/refcount.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <asm/local64.h>

#include "arm_syspmu.h"

/* How the driver is notified of overflows */
enum arm_syspmu_delivery {
	/* By MSI; a timer polls as well, since messages can be lost. */
	ARM_SYSPMU_MSI,
	ARM_SYSPMU_WIRED,
	/* There is no interrupt, a timer polls the overflow status. */
	ARM_SYSPMU_TIMER,
	/* There is no interrupt and no need to poll: 64-bit counters. */
	ARM_SYSPMU_NONE,
};

/* Where pmu::read() finds the values of counters */
enum arm_syspmu_source {
	ARM_SYSPMU_COUNTERS,
	ARM_SYSPMU_SHADOWS,
	/* Copies of the shadows, since an overflow may capture again. */
	ARM_SYSPMU_COPIES,
};

/* What the core knows about an event, in &perf_event.pmu_private */
struct arm_syspmu_core_event {
	/* First: all that a backend sees */
	struct arm_syspmu_event public;
	struct perf_event *event;
	/* Entry in &arm_syspmu_core.opening or &arm_syspmu_core.waiting */
	struct list_head node;
	/* The registers of its counter are set up. */
	bool programmed;
	/* The period is over exactly, but its sample has not been made. */
	bool overdue;
	/* In the value of its counter, but not yet in its count */
	local64_t deferred;
};

/* One counter; accessed by the owning CPU with interrupts off. */
struct arm_syspmu_counter {
	struct perf_event *event;
	u64 mask;
	/*
	 * Last known value, extended to 64 bits: the bits that are not in @mask
	 * count the wraps. @acknowledged is the number of wraps whose overflow
	 * status has been cleared, in the same bits. A wrap that is only in
	 * @value was seen by a read before the overflow was handled. A wrap that
	 * is only in @acknowledged means that the counter has passed its whole
	 * range since it was last read.
	 */
	local64_t value;
	u64 acknowledged;
	/* 64-bit counters: a wrap whose status has not been cleared was seen. */
	bool wrapped;
	/* @value has been read or written since the last reset. */
	bool valid;
	/* Copy of its shadow register */
	u64 shadow;
	/* What a pending overflow in its group had captured before another capture */
	u64 saved;
	/* Value from which the overflow handler has set it */
	u64 set_from;
};

struct arm_syspmu_core {
	struct arm_syspmu *pmu;

	/* register.c */
	/* Of the driver while it is bound, and of each open event */
	refcount_t references;
	/* Tasks may have found the PMU, also if its registration has failed. */
	bool exposed;
	/* perf knows the PMU; cleared under the lock of the list of PMUs. */
	bool registered;
	bool unregistering;
	/* The faults that have occurred, of which some have been reported */
	const char *faults[8];
	unsigned long reported;
	struct work_struct free_work;
	/* Prints messages and queues @stray_work. */
	struct irq_work report;

	/* open.c, cpu.c */
	struct ratelimit_state refusals;
	/* Protects the lists, and keeps @cpu consistent with them. */
	raw_spinlock_t opening_lock;
	/* CPU on which events are opened; nr_cpu_ids before one is chosen */
	unsigned int cpu;
	/* Events that perf_event_open() has not installed in a context yet */
	struct list_head opening;
	/* Pinned events that get a counter once the PMU has moved */
	struct list_head waiting;
	/* CPUs other than @cpu on which events were added */
	struct cpumask strays;
	struct hlist_node cpuhp_node;
	struct list_head node_in_list;
	struct work_struct stray_work;

	/* irq.c */
	enum arm_syspmu_delivery delivery;
	int irq;
	/* The handler repeats until no overflow status is set. */
	bool repeats;
	/* An MSI has arrived, and none is missing since. */
	bool msi_works;
	/* Interrupts taken by other CPUs, for which @remote has yet to run */
	atomic_t passed_on;
	/* The wired interrupt, also after @irq has been forgotten, or -ENXIO */
	int wired_irq;
	struct __call_single_data remote;
	struct hrtimer poll;
	/* Protects @msi; the address is 0 if there is no message. */
	raw_spinlock_t msi_lock;
	struct msi_msg msi;

	/* schedule.c */
	/*
	 * CPU whose events use the counters. Differs from @cpu only while the
	 * PMU moves; nr_cpu_ids if no event has a counter.
	 */
	unsigned int owner;
	/* perf has called pmu_disable() there, and not yet pmu_enable(). */
	bool disabled;
	/* Suspended or unbound: the hardware must not be accessed. */
	bool suspended;
	/* The device no longer responds. */
	bool gone;
	/* It shows that it is enabled, so that it also shows a reset. */
	bool shows_enabled;
	/* The PMU moves: all counters stop when the first event is deleted. */
	bool moving;
	/*
	 * While overflows are handled and counters are set, reads change
	 * nothing, and deltas are not added to the counts.
	 */
	bool frozen;
	enum arm_syspmu_source source;
	/* Counters that an event has been added to */
	DECLARE_BITMAP(used, ARM_SYSPMU_MAX_COUNTERS);
	/*
	 * Of these, the counters whose event has been deleted. They keep
	 * counting, so that all that are deleted together stop together.
	 */
	DECLARE_BITMAP(deleted, ARM_SYSPMU_MAX_COUNTERS);
	/* Counters whose event has been started */
	DECLARE_BITMAP(active, ARM_SYSPMU_MAX_COUNTERS);
	/* Counters that are enabled in the hardware */
	DECLARE_BITMAP(enabled, ARM_SYSPMU_MAX_COUNTERS);
	/* Used counters whose overflow captures */
	DECLARE_BITMAP(capturing, ARM_SYSPMU_MAX_COUNTERS);
	/* Pending overflows of which it is saved what they have captured */
	DECLARE_BITMAP(saved, ARM_SYSPMU_MAX_COUNTERS);
	/* NULL before the first event: most PMUs of a machine are never used. */
	struct arm_syspmu_counter *counters;
	/* Protects the allocation of @counters. */
	struct mutex lock;

	/* sample.c */
	struct hrtimer unthrottle;
	unsigned long sample_time;
};

/* register.c: for work that can outlive the binding of a driver */
extern struct workqueue_struct *arm_syspmu_workqueue;

/* open.c */
int arm_syspmu_event_init(struct perf_event *event);
void arm_syspmu_set_registered(struct arm_syspmu_core *core);
void arm_syspmu_put(struct arm_syspmu_core *core);

/* cpu.c */
const struct cpumask *
arm_syspmu_associated_cpus(const struct arm_syspmu_core *core);
void arm_syspmu_cpu_setup(struct arm_syspmu_core *core);
int arm_syspmu_check_name(struct arm_syspmu_core *core);
int arm_syspmu_cpu_attach(struct arm_syspmu_core *core);
void arm_syspmu_cpu_detach(struct arm_syspmu_core *core);
void arm_syspmu_cpu_call(struct arm_syspmu_core *core,
			 smp_call_func_t function);
int arm_syspmu_cpu_forget_irq(struct arm_syspmu_core *core);
void arm_syspmu_forget_registration(struct arm_syspmu_core *core);
int arm_syspmu_cpu_init(void);
void arm_syspmu_cpu_exit(void);

/* irq.c */
void arm_syspmu_irq_setup(struct arm_syspmu_core *core);
int arm_syspmu_irq_request(struct arm_syspmu_core *core,
			   struct platform_device *pdev);
void arm_syspmu_irq_free(struct arm_syspmu_core *core, int irq);
void arm_syspmu_irq_move(struct arm_syspmu_core *core, unsigned int cpu);
void arm_syspmu_irq_pause(struct arm_syspmu_core *core);
void arm_syspmu_irq_resume(struct arm_syspmu_core *core);

/* overflow.c */
bool arm_syspmu_handle_overflows(struct arm_syspmu_core *core);

/* sample.c */
void arm_syspmu_sample_setup(struct arm_syspmu_core *core);
bool arm_syspmu_next_period(struct arm_syspmu_core *core,
			    struct perf_event *event);
void arm_syspmu_make_samples(struct arm_syspmu_core *core,
			     const unsigned long *due, u64 begin);

/* schedule.c */
/* Value of hw_perf_event.interrupts while perf throttles the event */
#define ARM_SYSPMU_THROTTLED	(~0ULL)
bool arm_syspmu_acquire(struct arm_syspmu_core *core);
void arm_syspmu_release_unused(struct arm_syspmu_core *core);
void arm_syspmu_stop_event(struct perf_event *event, int flags,
			   bool whole_group);
unsigned int arm_syspmu_choose_counter(struct arm_syspmu *pmu,
				       const struct perf_event *event,
				       const unsigned long *taken);
void arm_syspmu_restart_throttled(struct arm_syspmu_core *core);
void arm_syspmu_end_write(struct arm_syspmu_core *core);
void arm_syspmu_suspend_counters(struct arm_syspmu_core *core);
void arm_syspmu_suspend_events(struct arm_syspmu_core *core);
void arm_syspmu_resume_events(void *data);
void arm_syspmu_place_waiting(void *data);
void arm_syspmu_begin_moving(void *data);
void arm_syspmu_schedule_setup(struct arm_syspmu_core *core);

/* capture.c */
void arm_syspmu_capture(struct arm_syspmu_core *core);
void arm_syspmu_mark_group(const struct arm_syspmu_core *core,
			   const struct perf_event *event,
			   unsigned long *counters);
void arm_syspmu_find_members(const struct arm_syspmu_core *core,
			     const unsigned long *overflowed,
			     unsigned long *members);
void arm_syspmu_save_beside_set(struct arm_syspmu_core *core,
				const unsigned long *set);
bool arm_syspmu_capture_members(struct arm_syspmu_core *core,
				const unsigned long *overflowed,
				const unsigned long *members);

/* count.c */
bool arm_syspmu_is_inaccessible(const struct arm_syspmu_core *core);
bool arm_syspmu_has_gone(struct arm_syspmu_core *core);
bool arm_syspmu_was_reset(const struct arm_syspmu_core *core);
bool arm_syspmu_relies_on_poll(const struct arm_syspmu_core *core);
u64 arm_syspmu_margin(const struct arm_syspmu_core *core, u64 mask);
bool arm_syspmu_polls(const struct arm_syspmu_core *core);
ktime_t arm_syspmu_poll_interval(const struct arm_syspmu_core *core);
int arm_syspmu_count_setup(struct arm_syspmu_core *core);
void arm_syspmu_invalidate_values(struct arm_syspmu_core *core);
raw_spinlock_t *arm_syspmu_counts_lock(const struct arm_syspmu_core *core);
void arm_syspmu_event_read(struct perf_event *event);
u64 arm_syspmu_update(struct arm_syspmu_core *core, struct perf_event *event);
void arm_syspmu_account(struct arm_syspmu_core *core, struct perf_event *event,
			u64 delta);
void arm_syspmu_mark_due(struct perf_event *event);
void arm_syspmu_finish_stop(struct arm_syspmu_core *core,
			    struct perf_event *event);
int arm_syspmu_begin_count(struct arm_syspmu_core *core,
			   struct perf_event *event);
int arm_syspmu_set_period(struct arm_syspmu_core *core,
			  struct perf_event *event);
void arm_syspmu_take_late_overflows(struct arm_syspmu_core *core,
				    const unsigned long *stopped);
void arm_syspmu_acknowledge(struct arm_syspmu_core *core,
			    const unsigned long *overflowed);
void arm_syspmu_acknowledge_shared(struct arm_syspmu_core *core,
				   const unsigned long *overflowed);
void arm_syspmu_read_overflows(struct arm_syspmu_core *core,
			       unsigned long *overflowed);

/* registers.c */
int arm_syspmu_check_counters(struct arm_syspmu *pmu);
u64 arm_syspmu_counter_mask(const struct arm_syspmu *pmu, unsigned int idx);
u64 arm_syspmu_narrowest_counter(const struct arm_syspmu *pmu);
unsigned int arm_syspmu_num_usable(const struct arm_syspmu *pmu);

/* outoftree.c */
void arm_syspmu_find_perf_functions(void);
bool arm_syspmu_has_perf_functions(void);
int arm_syspmu_perf_overflow(struct perf_event *event,
			     struct perf_sample_data *data,
			     struct pt_regs *regs);
void arm_syspmu_perf_took(u64 nanoseconds);
void arm_syspmu_perf_disable(struct perf_event *event);
void arm_syspmu_perf_tick(void);
void arm_syspmu_cancel_rotation(struct arm_syspmu_core *core);

#endif /* ARM_SYSPMU_CORE_H */
