/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Core of the perf drivers for the memory-mapped PMUs of Arm systems.
 *
 * A backend says what the registers of its hardware are; the core alone knows
 * perf. Nothing above the core touches MMIO, nothing in a backend touches the
 * state of a perf event beyond the two words that it decoded from the
 * attributes itself.
 */
#ifndef ARM_SYSPMU_H
#define ARM_SYSPMU_H

#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/pm.h>
#include <linux/ratelimit_types.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct arm_syspmu;
struct device;
struct msi_msg;
struct platform_device;

/*
 * IHI 0091 allows the most: PMCFGR.N is eight bits wide. A PMCG has at most
 * 64 counters (IHI 0070 §10.2).
 */
#define ARM_SYSPMU_MAX_COUNTERS		256

/**
 * struct arm_syspmu_ops - what a backend knows about its registers
 *
 * Operations are called on the CPU that owns the PMU with interrupts off, and
 * are never concurrent for one PMU, unless they say otherwise. A @counters
 * argument is a bitmap of &arm_syspmu.num_counters bits.
 *
 * @owner: module of the backend, pinned by every open event
 * @event_init: validate the attributes of an event and decode them into
 *	hw.config_base and hw.event_base, whose meaning is the backend's own.
 *	Process context, any CPU. Refuses through arm_syspmu_refuse().
 * @events_compatible: whether two valid events can count at the same time.
 *	Any context. Optional; without it all can.
 * @program: make counter hw.idx, which is not enabled, count what @event
 *	asks for; a sampling event's overflow captures, where that exists
 * @read_counter: current value of a counter, zero-extended
 * @write_counter: set a counter, enabled or not. Needed where
 *	&arm_syspmu.can_sample is set.
 * @capture: copy all counters to their shadows at one instant. Needed where
 *	&arm_syspmu.can_capture is set, as is @read_captured.
 * @read_captured: shadow of a counter, zero-extended
 * @enable_counters: let these counters count, all from the same instant where
 *	the hardware can
 * @disable_counters: stop these counters, likewise
 * @has_overflowed: which of @counters have their overflow status set
 * @take_overflows: tell for each counter whether it has overflowed and clear
 *	exactly those, so that a later overflow is never cleared unseen
 * @clear_overflow: forget the overflow of one counter
 * @is_present: whether the block answers at all, asked when all bits of a
 *	value that was read are set. Any context.
 * @reset: bring registers that reset leaves UNKNOWN to known values, all
 *	counters disabled and the interrupt silent. Process context, any CPU,
 *	while nothing counts.
 * @arm: enable the block as a whole, and its interrupt if &arm_syspmu.irq is
 *	one; no counter is enabled yet. Process context, any CPU.
 * @quiesce: stop everything and silence the interrupt; when it returns no
 *	further interrupt is raised. Any context.
 * @write_msi: where the interrupt shall be sent as a message; any context,
 *	serialised by the interrupt's lock. The interrupt may be enabled.
 *	Needed where &arm_syspmu.has_msi is set, as is @msi_aborted.
 * @msi_aborted: whether a message has been terminated with an abort
 */
struct arm_syspmu_ops {
	struct module *owner;
	int (*event_init)(struct arm_syspmu *pmu, struct perf_event *event);
	bool (*events_compatible)(struct arm_syspmu *pmu,
				  const struct perf_event *a,
				  const struct perf_event *b);
	void (*program)(struct arm_syspmu *pmu, const struct perf_event *event);
	u64 (*read_counter)(struct arm_syspmu *pmu, unsigned int idx);
	void (*write_counter)(struct arm_syspmu *pmu, unsigned int idx,
			      u64 value);
	void (*capture)(struct arm_syspmu *pmu);
	u64 (*read_captured)(struct arm_syspmu *pmu, unsigned int idx);
	void (*enable_counters)(struct arm_syspmu *pmu,
				const unsigned long *counters);
	void (*disable_counters)(struct arm_syspmu *pmu,
				 const unsigned long *counters);
	bool (*has_overflowed)(struct arm_syspmu *pmu,
			       const unsigned long *counters);
	void (*take_overflows)(struct arm_syspmu *pmu, unsigned long *counters);
	void (*clear_overflow)(struct arm_syspmu *pmu, unsigned int idx);
	bool (*is_present)(struct arm_syspmu *pmu);
	void (*reset)(struct arm_syspmu *pmu);
	void (*arm)(struct arm_syspmu *pmu);
	void (*quiesce)(struct arm_syspmu *pmu);
	void (*write_msi)(struct arm_syspmu *pmu, const struct msi_msg *msg);
	bool (*msi_aborted)(struct arm_syspmu *pmu);
};

/**
 * enum arm_syspmu_delivery - how the driver learns of overflows
 * @ARM_SYSPMU_MSI: by messages; a timer looks for the ones that get lost
 * @ARM_SYSPMU_WIRED: by a wired interrupt
 * @ARM_SYSPMU_TIMER: no interrupt exists, a timer looks
 * @ARM_SYSPMU_NONE: no interrupt exists, and none is needed: counters of 64
 *	bits do not overflow
 */
enum arm_syspmu_delivery {
	ARM_SYSPMU_MSI,
	ARM_SYSPMU_WIRED,
	ARM_SYSPMU_TIMER,
	ARM_SYSPMU_NONE,
};

/**
 * struct arm_syspmu - one PMU
 *
 * The first group is filled in by the backend before arm_syspmu_register(),
 * the second belongs to the core.
 *
 * @dev: the device, for messages and managed resources
 * @ops: the backend
 * @attr_groups: sysfs groups of the PMU; with arm_syspmu_common_group
 * @num_counters: 1 to ARM_SYSPMU_MAX_COUNTERS
 * @counter_mask: the bits that a counter has
 * @identifier: contents of the identifier attribute; 0: none
 * @node: NUMA node to run on, or NUMA_NO_NODE
 * @can_capture: there are shadows of the counters
 * @can_sample: counters can be written, so that they overflow after a period
 * @has_msi: the block can send its interrupt as a message
 * @drifts: a counter may change while it is not enabled
 *
 * @pmu: perf's view
 * @delivery: how overflows are noticed
 * @irq: interrupt that signals overflows; negative: there is none
 * @abort_reported: an aborted MSI has been reported
 * @poll: looks for overflows where no interrupt does, or may do
 * @poll_interval: how often
 * @cpu: CPU that events are opened on; nr_cpu_ids before the first one
 * @owner: CPU whose events have counters, which is @cpu unless the PMU moves;
 *	nr_cpu_ids: there are none
 * @cpuhp_node: entry in the CPU hotplug state
 * @line_node: entry in the list of all PMUs, for those that share a line
 * @events: the event on each counter. It and all below but @users are touched
 *	only by the owning CPU with interrupts off.
 * @used: counters that an event has been added to
 * @deleted: counters in @used whose event perf has deleted. They count on, so
 *	that all that go at one time are stopped at one instant.
 * @wanted: counters that shall count: their event is started
 * @counting: counters that the hardware has enabled. Differs from @wanted
 *	only between pmu_disable() and pmu_enable(), and while suspended.
 * @wrapped: counters whose last wrap has been accounted for by a read while
 *	its overflow status is still set
 * @parked: counters that are not in @wanted and whose value is in @values
 * @values: what a counter was when it was stopped; or what it was set to for
 *	the period of a sampling event
 * @capturing: counters in @used whose overflow captures, for a sample
 * @unthrottle: lets events go on that have made samples too fast
 * @sample_time: jiffy of the latest sample
 * @snapshot: values that belong together: those of a read transaction, where
 *	an overflow could capture others in the middle of it; or the shadows of
 *	a sample, and then what has been counted since
 * @disabled: between pmu_disable() and pmu_enable()
 * @was_disabled: the same, before the present transaction
 * @transaction: what perf has begun and not yet committed
 * @captured: reads are of the captured values
 * @frozen: counts are those of a sample and must not be updated; what is
 *	counted meanwhile is added to @snapshot
 * @suspended: the hardware must not be touched
 * @gone: the hardware does not answer any more; others may look, too
 * @fault_report: says that it has gone
 * @leaving: no new events, the driver lets go of the device
 * @users: open events, and one for the registration itself
 * @unused: completed with the last of @users
 * @refusals: rate limit of the messages about refused events
 */
struct arm_syspmu {
	struct device *dev;
	const struct arm_syspmu_ops *ops;
	const struct attribute_group **attr_groups;
	unsigned int num_counters;
	u64 counter_mask;
	u32 identifier;
	int node;
	bool can_capture;
	bool can_sample;
	bool has_msi;
	bool drifts;

	struct pmu pmu;
	enum arm_syspmu_delivery delivery;
	int irq;
	bool abort_reported;
	struct hrtimer poll;
	ktime_t poll_interval;
	unsigned int cpu;
	unsigned int owner;
	struct hlist_node cpuhp_node;
	struct list_head line_node;
	struct perf_event *events[ARM_SYSPMU_MAX_COUNTERS];
	DECLARE_BITMAP(used, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(deleted, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(wanted, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(counting, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(wrapped, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(parked, ARM_SYSPMU_MAX_COUNTERS);
	u64 values[ARM_SYSPMU_MAX_COUNTERS];
	DECLARE_BITMAP(capturing, ARM_SYSPMU_MAX_COUNTERS);
	struct hrtimer unthrottle;
	unsigned long sample_time;
	u64 snapshot[ARM_SYSPMU_MAX_COUNTERS];
	bool disabled;
	bool was_disabled;
	unsigned int transaction;
	bool captured;
	bool frozen;
	bool suspended;
	bool gone;
	struct irq_work fault_report;
	bool leaving;
	refcount_t users;
	struct completion unused;
	struct ratelimit_state refusals;
};

#define to_arm_syspmu(p) container_of_const(p, struct arm_syspmu, pmu)

extern const struct attribute_group arm_syspmu_common_group;
extern const struct dev_pm_ops arm_syspmu_pm_ops;

/**
 * arm_syspmu_captures - whether the overflow of an event shall capture
 * @event: an event of a PMU that can capture
 *
 * A sample with counts wants those of the instant of the overflow.
 *
 * Context: any.
 * Return: whether it shall
 */
static inline bool arm_syspmu_captures(const struct perf_event *event)
{
	return event->attr.sample_period &&
	       event->attr.sample_type & PERF_SAMPLE_READ;
}

int arm_syspmu_register(struct arm_syspmu *pmu, struct platform_device *pdev,
			const char *name);
void arm_syspmu_shutdown(struct arm_syspmu *pmu);
const char *arm_syspmu_delivery_text(const struct arm_syspmu *pmu);
__printf(3, 4)
int arm_syspmu_refuse(struct arm_syspmu *pmu, int err, const char *fmt, ...);

/* arm_syspmu_open.c */
int arm_syspmu_event_init(struct perf_event *event);
bool arm_syspmu_events_compatible(struct arm_syspmu *pmu,
				  const struct perf_event *a,
				  const struct perf_event *b);
void arm_syspmu_put_user(struct arm_syspmu *pmu);

/* arm_syspmu_core.c */
u64 arm_syspmu_update(struct arm_syspmu *pmu, struct perf_event *event,
		      bool overflowed);
bool arm_syspmu_handle_overflows(struct arm_syspmu *pmu);
void arm_syspmu_suspend_events(struct arm_syspmu *pmu);
void arm_syspmu_resume_events(struct arm_syspmu *pmu);

/* arm_syspmu_sample.c */
void arm_syspmu_sample_init(void);
bool arm_syspmu_kernel_samples(void);
void arm_syspmu_sample_setup(struct arm_syspmu *pmu);
void arm_syspmu_set_period(struct arm_syspmu *pmu, struct perf_event *event);
void arm_syspmu_mark_due(struct hw_perf_event *hw);
void arm_syspmu_sample(struct arm_syspmu *pmu, const unsigned long *overflowed);

/* arm_syspmu_irq.c */
int arm_syspmu_irq_request(struct arm_syspmu *pmu,
			   struct platform_device *pdev);
int arm_syspmu_irq_move(struct arm_syspmu *pmu, unsigned int cpu);
void arm_syspmu_irq_pause(struct arm_syspmu *pmu);
void arm_syspmu_irq_resume(struct arm_syspmu *pmu);
void arm_syspmu_poll_start(struct arm_syspmu *pmu);
void arm_syspmu_poll_stop(struct arm_syspmu *pmu);

/* arm_syspmu_cpu.c */
const struct cpumask *arm_syspmu_associated_cpus(const struct arm_syspmu *pmu);
int arm_syspmu_cpu_attach(struct arm_syspmu *pmu);
int arm_syspmu_cpu_init(void);
void arm_syspmu_cpu_exit(void);

#endif /* ARM_SYSPMU_H */
