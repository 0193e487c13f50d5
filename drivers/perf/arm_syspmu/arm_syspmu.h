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
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/msi.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/pm.h>
#include <linux/ratelimit_types.h>
#include <linux/refcount.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <asm/local64.h>

struct arm_syspmu;
struct device;
struct platform_device;

/*
 * IHI 0091 allows the most: PMCFGR.N is eight bits wide. A PMCG has at most
 * 64 counters (IHI 0070 §10.2).
 */
#define ARM_SYSPMU_MAX_COUNTERS		256

/* For "0x" and the eight digits of an ID register */
#define ARM_SYSPMU_IDENTIFIER_SIZE	12

/* More than any of these blocks counts: 4 events in each nanosecond */
#define ARM_SYSPMU_MAX_RATE		4

/**
 * struct arm_syspmu_ops - what a backend knows about its registers
 *
 * Operations are called on the CPU that owns the PMU with interrupts off, and
 * are never concurrent for one PMU, unless they say otherwise. A @counters
 * argument is a bitmap of &arm_syspmu.num_counters bits.
 *
 * A change need not take effect at once (IHI 0070 §10.2): a counter may count
 * some more events after @disable_counters or @program.
 *
 * @owner: module of the backend, pinned by every open event
 * @event_init: validate the fields of an event, which has none but those in
 *	&arm_syspmu.config_fields, and decode them into
 *	hw.config_base and hw.event_base, whose meaning is the backend's own.
 *	Process context, any CPU. Refuses through arm_syspmu_refuse().
 * @conflict: why two valid events cannot count at the same time, as the end
 *	of a sentence on the first one, or NULL if they can. Any context. Needed
 *	where &arm_syspmu.shares_filter is set; otherwise all can.
 * @uses_filter: whether the filter that all counters share matters to a valid
 *	event; events to which it does not matter are compatible with all, and
 *	the others are if they are with any of those that count. Any context.
 *	Needed where &arm_syspmu.shares_filter is set.
 * @program: make counter hw.idx, which is not enabled, count what @event
 *	asks for; its overflow captures if arm_syspmu_captures() says so
 * @write_counter: set a counter, enabled or not; in effect before a later
 *	@enable_counters. Not needed with ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS.
 * @capture: copy all counters to their shadows at one instant. Returns false
 *	where that cannot be done now: then counters are read one by one. Needed
 *	where &arm_syspmu.can_capture is set, as is @read_captured.
 * @read_captured: shadow of a counter, zero-extended
 * @enable_counters: let these counters count, all from the same instant where
 *	the hardware can
 * @disable_counters: stop these counters, likewise; a read of a counter
 *	that comes later is not before the stop
 * @read_overflows: tell for each counter whether its overflow status is set;
 *	none where the block has gone. Any CPU.
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
 *	further interrupt is raised. Process context, any CPU.
 * @write_msi: send the interrupt as &arm_syspmu.msi says from now on. It is
 *	enabled. Process context, any CPU. Needed where &arm_syspmu.has_msi is
 *	set, as is @msi_aborted.
 * @msi_aborted: whether a message has been terminated with an abort
 * @release: free the PMU and what contains it; nothing knows of it any more.
 *	Process context.
 */
struct arm_syspmu_ops {
	struct module *owner;
	int (*event_init)(struct arm_syspmu *pmu, struct perf_event *event);
	const char *(*conflict)(struct arm_syspmu *pmu,
				const struct perf_event *a,
				const struct perf_event *b);
	bool (*uses_filter)(const struct perf_event *event);
	void (*program)(struct arm_syspmu *pmu, const struct perf_event *event);
	void (*write_counter)(struct arm_syspmu *pmu, unsigned int idx,
			      u64 value);
	bool (*capture)(struct arm_syspmu *pmu);
	u64 (*read_captured)(struct arm_syspmu *pmu, unsigned int idx);
	void (*enable_counters)(struct arm_syspmu *pmu,
				const unsigned long *counters);
	void (*disable_counters)(struct arm_syspmu *pmu,
				 const unsigned long *counters);
	void (*read_overflows)(struct arm_syspmu *pmu, unsigned long *counters);
	void (*take_overflows)(struct arm_syspmu *pmu, unsigned long *counters);
	void (*clear_overflow)(struct arm_syspmu *pmu, unsigned int idx);
	bool (*is_present)(struct arm_syspmu *pmu);
	void (*reset)(struct arm_syspmu *pmu);
	void (*arm)(struct arm_syspmu *pmu);
	void (*quiesce)(struct arm_syspmu *pmu);
	void (*write_msi)(struct arm_syspmu *pmu);
	bool (*msi_aborted)(struct arm_syspmu *pmu);
	void (*release)(struct arm_syspmu *pmu);
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

/*
 * What differs from a PMU that counts, and so from the ordinary read of an
 * event, in &arm_syspmu.state:
 */

/* The system sleeps, or the driver has let go: the hardware is not touched. */
#define ARM_SYSPMU_SUSPENDED		BIT(0)
/* The hardware does not answer any more. Others may look, too. */
#define ARM_SYSPMU_GONE			BIT(1)
#define ARM_SYSPMU_INACCESSIBLE		(ARM_SYSPMU_SUSPENDED | ARM_SYSPMU_GONE)
/* A sample shows other counts, or a counter is set: reads leave counts alone. */
#define ARM_SYSPMU_FROZEN		BIT(2)
/* What is counted is not in the count until the samples have been made... */
#define ARM_SYSPMU_DEFERRING		BIT(3)
/* ...nor then, of events that go on, until they are updated next. */
#define ARM_SYSPMU_DEFERRED		BIT(6)
/* The events go to another CPU: with the first one all counters stop. */
#define ARM_SYSPMU_MOVING		BIT(7)
/* Reads are of the shadows: a transaction reads a group. */
#define ARM_SYSPMU_READ_SHADOW		BIT(4)
/* Likewise, of copies, since a sampling event's overflow may capture again. */
#define ARM_SYSPMU_READ_COPY		BIT(5)
#define ARM_SYSPMU_READ_CAPTURED	(ARM_SYSPMU_READ_SHADOW | \
					 ARM_SYSPMU_READ_COPY)

/* Counters cannot be written: no sampling. */
#define ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS	BIT(0)
/* A counter may count on when it is not enabled. */
#define ARM_SYSPMU_QUIRK_COUNTS_WHEN_DISABLED	BIT(1)

/**
 * struct arm_syspmu_counter - one counter
 * @event: the event that has it, or NULL; its pmu_private is this counter
 * @reg: its register
 * @mask: the bits that it has
 * @value: its latest known value, extended to 64 bits: the bits that the
 *	counter does not have count its wraps
 * @acknowledged: wraps whose overflow status has been cleared, in the same
 *	bits. A wrap that is in @value but not here is one that a read has seen
 *	before the overflow was handled; the other way round, the counter has
 *	passed its whole range since it was read.
 * @wrapped: of a counter of 64 bits: a wrap that has been seen, whose overflow
 *	status is still to be cleared
 * @valid: @value is of this counter, and not from before a reset
 * @cached: @value is what the counter is: an event starts from it without a
 *	read of the counter
 */
struct arm_syspmu_counter {
	struct perf_event *event;
	void __iomem *reg;
	u64 mask;
	local64_t value;
	u64 acknowledged;
	bool wrapped;
	bool valid;
	bool cached;
};

/**
 * struct arm_syspmu_timers - the timers of a PMU
 * @pmu: the PMU
 * @poll: looks for overflows where no interrupt does, or may do
 * @unthrottle: lets events go on that have made samples too fast
 */
struct arm_syspmu_timers {
	struct arm_syspmu *pmu;
	struct hrtimer poll;
	struct hrtimer unthrottle;
};

/**
 * struct arm_syspmu - one PMU
 *
 * The first group is filled in by the backend before arm_syspmu_register(),
 * the others belong to the core. What has to do with counters is touched only
 * by the owning CPU with interrupts off; memory for it comes with the first
 * event, since most PMUs of a machine never have one.
 *
 * @dev: the device, for messages and managed resources
 * @ops: the backend
 * @attr_groups: sysfs groups of the PMU; with arm_syspmu_common_group
 * @num_counters: 1 to ARM_SYSPMU_MAX_COUNTERS
 * @counter_mask: the bits that a counter has
 * @counter_regs: the registers of the counters, one after another
 * @wide: they have 64 bits each, and not 32
 * @config_fields: the bits of config, config1 and config2 that an event can
 *	have set
 * @identifier: contents of the identifier attribute; empty: none
 * @near_cpus: CPUs near the hardware, of which one is to own the PMU; NULL, or
 *	empty as long as it is: all. Must live as long as the PMU.
 * @max_rate: more events than a counter can count in a nanosecond, where a
 *	timer looks for overflows; 0: ARM_SYSPMU_MAX_RATE
 * @can_capture: there are shadows of the counters, which software can have
 *	updated
 * @captures_on_overflow: an overflow can update them, too
 * @has_msi: the block can send its interrupt as a message
 * @quirks: ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS and others
 * @shares_filter: all counters have the same filter
 *
 * @pmu: perf's view
 * @references: open events, and one for the binding of the driver
 * @unregistering: the driver lets go of the device: no new events
 * @registered: perf knows the PMU; protected by the lock of the CPU hotplug
 *	callbacks
 * @follows_cpus: @cpuhp_node is in use
 * @free_work: frees a PMU that has outlived the binding of the driver
 * @refusals: rate limit of the messages about refused events
 *
 * @delivery: how overflows are noticed
 * @irq: interrupt that signals overflows; negative: there is none
 * @abort_reported: an aborted MSI has been reported
 * @polls: a timer looks for overflows
 * @poll_interval: how often
 * @remote: has the owning CPU handle an overflow that interrupts another one
 * @lock: protects @armed, @msi while it is written to the hardware, and the
 *	allocation of @counters
 * @armed: the interrupt is enabled
 * @msi_lock: protects @msi
 * @msi: the message; its address is zero where there is none
 * @msi_work: writes @msi to the hardware
 *
 * @cpu: CPU that events are opened on; nr_cpu_ids before the first one
 * @owner: CPU whose events have counters, which is @cpu unless the PMU moves;
 *	nr_cpu_ids: there are none
 * @cpuhp_node: entry in the CPU hotplug state
 * @node_in_list: entry in the list of all PMUs
 * @opening_lock: protects @opening, @waiting and, with those, @cpu
 * @opening: events that are on their way to a CPU, perhaps to the last one
 * @waiting: pinned events that have no counter until the PMU has moved
 * @stray_work: fetches the events that have come to another CPU than @cpu
 *
 * @timers: allocated with @counters
 * @counters: the counters, @num_counters of them; NULL before the first event
 * @used: counters that an event has been added to
 * @num_used: how many these are
 * @deleted: counters in @used whose event perf has deleted. They count on, so
 *	that all that go at one time are stopped at one instant.
 * @num_deleted: how many these are
 * @active: counters that shall count: their event is started
 * @enabled: counters that the hardware has enabled. Differs from @active
 *	only between pmu_disable() and pmu_enable(), and while suspended.
 * @filtered: counters in @used whose event uses the filter that all share
 * @disabled: between pmu_disable() and pmu_enable()
 * @transaction: what perf has begun and not yet committed
 * @state: ARM_SYSPMU_SUSPENDED and others
 * @change: counters that are enabled or disabled next
 * @report: says that the hardware has gone, and queues @stray_work
 * @gone_reported: it has said so
 * @has_stray: @stray_work is to be queued
 * @stray_cpu: where the event has come to; nr_cpu_ids: to several CPUs
 * @started: an event has been started since counters were enabled
 *
 * @shadow: copies of shadows, where the PMU can capture
 * @capturing: counters in @used whose overflow captures, for a sample
 * @at_capture: counters whose count has been brought forward to what an
 *	overflow captured that has not been handled yet
 * @deferred: what is in the value of a counter but not in the count of its
 *	event; as long as @shadow
 * @num_deferred: of how many counters that is so after ARM_SYSPMU_DEFERRING
 * @throttled: the timer that lets events go on has been started
 * @sample_time: jiffy of the latest sample
 */
struct arm_syspmu {
	struct device *dev;
	const struct arm_syspmu_ops *ops;
	const struct attribute_group **attr_groups;
	unsigned int num_counters;
	u64 counter_mask;
	void __iomem *counter_regs;
	bool wide;
	u64 config_fields[3];
	char identifier[ARM_SYSPMU_IDENTIFIER_SIZE];
	const struct cpumask *near_cpus;
	unsigned int max_rate;
	bool can_capture;
	bool captures_on_overflow;
	bool has_msi;
	u32 quirks;
	bool shares_filter;

	/* register.c, reference.c */
	struct pmu pmu;
	refcount_t references;
	bool registered;
	bool unregistering;
	bool gone_reported;
	struct work_struct free_work;
	struct irq_work report;

	/* open.c */
	struct ratelimit_state refusals;
	raw_spinlock_t opening_lock;
	struct hlist_head opening;

	/* cpu.c */
	unsigned int cpu;
	bool follows_cpus;
	struct hlist_node cpuhp_node;
	struct list_head node_in_list;
	struct work_struct stray_work;
	bool has_stray;
	unsigned int stray_cpu;

	/* irq.c, power.c */
	enum arm_syspmu_delivery delivery;
	int irq;
	call_single_data_t remote;
	/* Protects @armed, @msi in the hardware, the allocation of @counters */
	struct mutex lock;
	bool armed;
	raw_spinlock_t msi_lock;
	struct msi_msg msi;
	struct work_struct msi_work;

	/* schedule.c */
	unsigned int owner;
	unsigned int state;
	unsigned int transaction;
	bool disabled;
	bool started;
	unsigned int num_used;
	unsigned int num_deleted;
	unsigned long *used;
	unsigned long *deleted;
	unsigned long *active;
	unsigned long *enabled;
	unsigned long *change;
	unsigned long *filtered;
	struct hlist_head waiting;

	/* poll.c, sample.c */
	struct arm_syspmu_timers *timers;
	ktime_t poll_interval;
	bool polls;
	bool abort_reported;
	bool throttled;
	unsigned long sample_time;

	/* capture.c */
	unsigned long *capturing;
	unsigned long *at_capture;
	u64 *shadow;

	/* count.c */
	struct arm_syspmu_counter *counters;
	u64 *deferred;
	unsigned int num_deferred;
};

#define to_arm_syspmu(p) container_of_const(p, struct arm_syspmu, pmu)

extern const struct attribute_group arm_syspmu_common_group;
extern const struct dev_pm_ops arm_syspmu_pm_ops;

/**
 * arm_syspmu_captures - whether the overflow of an event shall capture
 * @pmu: the PMU
 * @event: the event
 *
 * A sample with counts wants those of the instant of the overflow.
 *
 * Context: any.
 * Return: whether it shall
 */
static inline bool arm_syspmu_captures(const struct arm_syspmu *pmu,
				       const struct perf_event *event)
{
	return pmu->captures_on_overflow && event->attr.sample_period &&
	       event->attr.sample_type & PERF_SAMPLE_READ;
}

int arm_syspmu_init_pmu(struct arm_syspmu *pmu, struct device *dev,
			const struct arm_syspmu_ops *ops);
int arm_syspmu_register(struct arm_syspmu *pmu, struct platform_device *pdev,
			const char *name);
void arm_syspmu_shutdown(struct arm_syspmu *pmu);
const char *arm_syspmu_delivery_text(const struct arm_syspmu *pmu);
u32 arm_syspmu_iidr_of_coresight_ids(void __iomem *page);
int arm_syspmu_check_counters(struct arm_syspmu *pmu);
u32 arm_syspmu_get_msi(struct arm_syspmu *pmu, u64 *address);
__printf(3, 4)
int arm_syspmu_refuse(struct arm_syspmu *pmu, int err, const char *fmt, ...);

#endif /* ARM_SYSPMU_H */
