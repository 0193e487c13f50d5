/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Core of the perf drivers for the memory-mapped PMUs of Arm systems.
 *
 * The core implements the callbacks of struct pmu and accesses no registers
 * other than the counters. A backend implements the registers of one PMU
 * architecture. It does not modify the state of a perf event, apart from
 * hw.config, hw.config_base, hw.event_base and hw.extra_reg, into which it
 * decodes the event's attributes.
 */
#ifndef ARM_SYSPMU_H
#define ARM_SYSPMU_H

#include <linux/bitmap.h>
#include <linux/bitops.h>
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
 * IHI 0091 has the larger limit: PMCFGR.N is eight bits wide. A PMCG has at
 * most 64 counters (IHI 0070 §10.2).
 */
#define ARM_SYSPMU_MAX_COUNTERS		256

/* Upper bound of &arm_syspmu.counters_at_once */
#define ARM_SYSPMU_MAX_AT_ONCE		32

/* "0x" and the eight hexadecimal digits of an ID register */
#define ARM_SYSPMU_IDENTIFIER_SIZE	12

/* Upper bound of the event rate of these PMUs, in events per nanosecond */
#define ARM_SYSPMU_MAX_RATE		4

/**
 * struct arm_syspmu_ops - operations implemented by a backend
 *
 * Unless stated otherwise, operations are called with interrupts off on the CPU
 * that owns the PMU, and never concurrently for one PMU. A @counters argument
 * is a bitmap of &arm_syspmu.num_counters bits.
 *
 * Hardware may apply a change with a delay (IHI 0070 §10.2): a counter may
 * still count a few events after @disable_counters or @program.
 *
 * @owner: module of the backend; every open event holds a reference to it
 * @is_gauge: whether an event shows a state of the component, whose value can
 *	fall, instead of counting: its count is the value of its counter. Only
 *	depends on the number of the event, which need not be valid otherwise.
 *	Process context, any CPU. Required if there is
 *	&arm_syspmu_layout.gauges.
 * @prepare: allocate what the backend needs for events. Process context, any
 *	CPU, before @event_init of the first event; again if it fails, or the
 *	core does after it. Called with &arm_syspmu.lock held. Optional.
 * @event_init: validate the fields of an event, of which only those in
 *	&arm_syspmu.config_fields are set, and decode them into hw.config,
 *	hw.config_base, hw.event_base, hw.extra_reg.config and hw.extra_reg.idx,
 *	whose meaning is private to the backend. If there is @choose_counter,
 *	call arm_syspmu_set_choices(). Events are refused with
 *	arm_syspmu_refuse(). Process context, any CPU.
 * @conflict: return NULL if two valid events can count at the same time,
 *	otherwise the reason why they cannot, worded as the end of a message
 *	about the first one. Any context. Required if &arm_syspmu.shares_filter
 *	is set; without a shared filter any two events can count at the same
 *	time.
 * @uses_filter: whether the filter that all counters share applies to a valid
 *	event. An event to which it does not apply is compatible with every
 *	other event. Events to which it applies can only count together if their
 *	filters are the same, so it is sufficient to compare with one of them.
 *	Any context. Required if &arm_syspmu.shares_filter is set.
 * @choose_counter: return the counter to use for a valid event, none of those
 *	set in @taken, or a number of at least &arm_syspmu.num_counters if none
 *	of the others can count it. Those that fewer events can use should come
 *	first. Any context. Not needed if every counter can count every event;
 *	required if &arm_syspmu.counters_at_once is set.
 * @program: set up counter hw.idx, which is disabled, to count @event, and to
 *	capture on overflow if arm_syspmu_captures() returns true. If it writes
 *	registers, it calls arm_syspmu_begin_write() first. The counter of a
 *	gauge must not interrupt.
 * @write_counter: set the value of a counter, enabled or disabled. The write
 *	must take effect before a later @enable_counters. Not needed with
 *	ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS.
 * @stop_all: stop the device as a whole, so that registers of counters can be
 *	written. No counter counts after this function has returned. Required if
 *	&arm_syspmu.stop_to_write is set, as is @start_all.
 * @start_all: let the enabled counters count again
 * @freezes: whether the counter of a valid event stops if another one overflows
 *	while &arm_syspmu.freezing is set. False for a gauge that may overflow
 *	itself: nothing would handle that. Any context. Required if
 *	&arm_syspmu.can_freeze is set, as is @set_freeze.
 * @set_freeze: let each overflow stop all counters until its status is cleared,
 *	if &arm_syspmu.freezing is set. No counter is enabled. @arm and
 *	@start_all do the same.
 * @capture: copy all counters to their shadow registers at one instant. Returns
 *	false if this is not possible at the moment; the counters are then read
 *	one by one. Required if &arm_syspmu.can_capture is set, as is
 *	@read_captured.
 * @read_captured: read the shadow register of a counter, zero-extended. Not
 *	called for the counters in &arm_syspmu_layout.gauges.
 * @enable_counters: enable these counters, all at the same instant if the
 *	hardware is able to. They are in the first &arm_syspmu.words_used words,
 *	as for @disable_counters.
 * @disable_counters: disable these counters, all at the same instant if the
 *	hardware is able to. A later read of a counter must not be performed
 *	before the counter is disabled.
 * @read_overflows: set @counters to the counters whose overflow status is set,
 *	other than those of gauges, or to none if the device no longer responds.
 *	Any CPU.
 * @take_overflows: set @counters to the counters whose overflow status is set,
 *	other than those of gauges, and clear the status of exactly these, so
 *	that no later overflow is cleared before it has been seen
 * @clear_overflow: clear the overflow status of one counter
 * @is_present: whether the device still responds. Called when all bits of a
 *	value that was read are set. Any context.
 * @reset: write the registers whose reset value is UNKNOWN, with all counters
 *	and the interrupt disabled. Process context, any CPU, while nothing
 *	counts.
 * @arm: enable the device, and its interrupt if &arm_syspmu.irq is not
 *	negative. No counter is enabled yet. Process context, any CPU.
 * @quiesce: disable the device and its interrupt. No interrupt is raised after
 *	this function has returned. Process context, any CPU.
 * @write_msi: make the device send its interrupt, which is enabled, as the
 *	message in &arm_syspmu.msi. Process context, any CPU. Required if
 *	&arm_syspmu.has_msi is set, as is @msi_aborted.
 * @msi_aborted: whether the write of a message was terminated with an abort
 * @release: free the PMU and the structure that contains it, after the last
 *	reference has been dropped. Process context.
 */
struct arm_syspmu_ops {
	struct module *owner;
	bool (*is_gauge)(struct arm_syspmu *pmu,
			 const struct perf_event *event);
	int (*prepare)(struct arm_syspmu *pmu);
	int (*event_init)(struct arm_syspmu *pmu, struct perf_event *event);
	const char *(*conflict)(struct arm_syspmu *pmu,
				const struct perf_event *a,
				const struct perf_event *b);
	bool (*uses_filter)(const struct perf_event *event);
	unsigned int (*choose_counter)(struct arm_syspmu *pmu,
				       const struct perf_event *event,
				       const unsigned long *taken);
	void (*program)(struct arm_syspmu *pmu, const struct perf_event *event);
	void (*write_counter)(struct arm_syspmu *pmu, unsigned int idx,
			      u64 value);
	void (*stop_all)(struct arm_syspmu *pmu);
	void (*start_all)(struct arm_syspmu *pmu);
	bool (*freezes)(const struct perf_event *event);
	void (*set_freeze)(struct arm_syspmu *pmu);
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
 * enum arm_syspmu_delivery - how the driver is notified of overflows
 * @ARM_SYSPMU_MSI: by MSI; a timer polls as well, since messages can be lost
 * @ARM_SYSPMU_WIRED: by a wired interrupt
 * @ARM_SYSPMU_TIMER: there is no interrupt, a timer polls the overflow status
 * @ARM_SYSPMU_NONE: there is no interrupt, and no need to poll: 64-bit counters
 *	do not overflow
 */
enum arm_syspmu_delivery {
	ARM_SYSPMU_MSI,
	ARM_SYSPMU_WIRED,
	ARM_SYSPMU_TIMER,
	ARM_SYSPMU_NONE,
};

/*
 * Flags in &arm_syspmu.state. While none of them is set, events are read by the
 * fast path.
 */

/* The system is suspended or the driver unbound: do not access the hardware. */
#define ARM_SYSPMU_SUSPENDED		BIT(0)
/* The device no longer responds. May be tested on any CPU. */
#define ARM_SYSPMU_GONE			BIT(1)
#define ARM_SYSPMU_INACCESSIBLE		(ARM_SYSPMU_SUSPENDED | ARM_SYSPMU_GONE)
/*
 * Reads do not update counts: they belong to samples, or counters are being
 * set.
 */
#define ARM_SYSPMU_FROZEN		BIT(2)
/* Deltas are not added to the counts until the samples have been made. */
#define ARM_SYSPMU_DEFERRING		BIT(3)
/* Some active events have such deltas, which their next update adds. */
#define ARM_SYSPMU_DEFERRED		BIT(6)
/* The PMU moves to another CPU: all counters stop when an event is deleted. */
#define ARM_SYSPMU_MOVING		BIT(7)
/* A transaction reads a group from the shadow registers. */
#define ARM_SYSPMU_READ_SHADOW		BIT(4)
/*
 * A transaction reads a group from copies of the shadow registers, since the
 * overflow of a sampling event may capture again.
 */
#define ARM_SYSPMU_READ_COPY		BIT(5)
#define ARM_SYSPMU_READ_CAPTURED	(ARM_SYSPMU_READ_SHADOW | \
					 ARM_SYSPMU_READ_COPY)

/* Counters are read-only, which rules out sampling. */
#define ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS	BIT(0)
/* A disabled counter may still count. */
#define ARM_SYSPMU_QUIRK_COUNTS_WHEN_DISABLED	BIT(1)

/**
 * struct arm_syspmu_counter - one counter
 * @event: the event that uses the counter, or NULL. Its pmu_private points to
 *	this structure.
 * @reg: address of the register
 * @mask: mask of the implemented bits
 * @ambiguous: a value of the register up to this one may have two meanings; all
 *	of them do while a gauge uses the counter, or while @value lacks a wrap
 *	that is in @acknowledged
 * @value: last known value, extended to 64 bits: the bits that are not in @mask
 *	count the wraps
 * @acknowledged: number of wraps whose overflow status has been cleared, in the
 *	same bits as in @value. A wrap that is only in @value was seen by a read
 *	before the overflow was handled. A wrap that is only in @acknowledged
 *	means that the counter has passed its whole range since it was last
 *	read.
 * @wrapped: 64-bit counters only: a wrap was seen whose overflow status has not
 *	been cleared yet
 * @valid: @value has been read or written since the last reset
 * @cached: @value is the current value of the register, so that an event can
 *	start without reading it
 * @low_bits: see &arm_syspmu_layout.low_bits; 0 if there are none
 */
struct arm_syspmu_counter {
	struct perf_event *event;
	void __iomem *reg;
	u64 mask;
	u64 ambiguous;
	local64_t value;
	u64 acknowledged;
	bool wrapped;
	bool valid;
	bool cached;
	u8 low_bits;
};

/**
 * struct arm_syspmu_timers - the timers of a PMU, and when something happened
 * @pmu: the PMU
 * @poll: polls the overflow status if there is no interrupt, or an MSI
 * @unthrottle: restarts events that perf has throttled
 * @poll_interval: interval at which @poll polls
 * @sample_time: jiffies at the time of the last sample
 */
struct arm_syspmu_timers {
	struct arm_syspmu *pmu;
	struct hrtimer poll;
	struct hrtimer unthrottle;
	ktime_t poll_interval;
	unsigned long sample_time;
};

/**
 * struct arm_syspmu_layout - counters that differ from each other
 * @valid: the counters that exist; NULL: all below &arm_syspmu.num_counters
 * @bits: width of each; NULL: all are as wide as &arm_syspmu.counter_mask
 * @offsets: offset of the register of each from &arm_syspmu.counter_regs; NULL:
 *	the registers are contiguous
 * @low_bits: width of the lower part of each, if a counter consists of two of
 *	the hardware: its register is that of the lower one, and the next 32-bit
 *	register is that of the upper one, which counts the overflows of the
 *	other (IHI 0091 §2.6.5). The width of a counter that has no upper one.
 *	NULL: there are no such counters. Requires &arm_syspmu.wide,
 *	&arm_syspmu.only_32bit and ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS; rules
 *	out &arm_syspmu.can_capture and &arm_syspmu.stop_to_write. The upper one
 *	is enabled by &arm_syspmu_ops.program and stays so: the lower one may
 *	still overflow after it has been disabled.
 * @common: the counters that the usual event can use, see
 *	arm_syspmu_set_choices(). Required if there is
 *	&arm_syspmu_ops.choose_counter.
 * @gauges: the counters that only gauges can use: nothing writes them or looks
 *	for their wraps. The core adds those that are too narrow to be polled.
 *	NULL: no event of the PMU is a gauge. Requires
 *	&arm_syspmu_ops.choose_counter, and with counters of more than 32 bits
 *	&arm_syspmu.atomic_64bit or &arm_syspmu.only_32bit, since a value that
 *	falls cannot be told from a torn one.
 */
struct arm_syspmu_layout {
	const unsigned long *valid;
	const u8 *bits;
	const u16 *offsets;
	const u8 *low_bits;
	const unsigned long *common;
	unsigned long *gauges;
};

/**
 * struct arm_syspmu - one PMU
 *
 * The members from @dev to @has_msi are filled in by the backend before
 * arm_syspmu_register(), the others belong to the core. The state of counters
 * is accessed only by the owning CPU with interrupts off. It is allocated when
 * the first event is opened, since most PMUs of a machine are never used.
 *
 * @pmu: the PMU as registered with perf; first, so that callbacks need not
 *	compute the address of the structure
 *
 * @dev: the device, for messages and managed resources
 * @ops: operations of the backend
 * @attr_groups: sysfs groups of the PMU, including arm_syspmu_common_group
 * @num_counters: highest number of a counter, plus one; 1 to
 *	ARM_SYSPMU_MAX_COUNTERS
 * @counters_at_once: number of consecutive counters that one access can enable,
 *	a power of two of at most ARM_SYSPMU_MAX_AT_ONCE; 0: it can enable all.
 *	Set to 0 if there are no more counters than that.
 * @counter_mask: mask of the implemented bits of the widest counter
 * @layout: how the counters differ from each other; NULL: they do not
 * @counter_regs: address of the first counter
 * @wide: counter registers have 64 bits instead of 32
 * @only_32bit: registers may only be accessed as 32-bit words
 * @atomic_64bit: 64-bit accesses are single-copy atomic
 * @stop_to_write: registers of counters can only be written while all counters
 *	are stopped
 * @max_rate: upper bound of the events that a counter counts per nanosecond,
 *	which the poll interval is derived from; 0: ARM_SYSPMU_MAX_RATE
 * @shares_filter: all counters share one filter
 * @config_fields: bits of config, config1 and config2 that events may set
 * @identifier: contents of the identifier attribute; if empty, it is hidden
 * @quirks: ARM_SYSPMU_QUIRK_* flags
 * @near_cpus: CPUs near the hardware, one of which should own the PMU. While it
 *	is NULL or empty, any CPU may. Must live as long as the PMU.
 * @one_signal: the interrupt is asserted while any overflow status is set. If
 *	it is an edge or an MSI, there is none for an overflow until the status
 *	of all earlier ones has been cleared.
 * @wired_unusable: the device would send its messages even if the wired interrupt
 *	is used
 * @wired_uncertain: the device may send messages to others instead of raising
 *	the wired interrupt, so overflows are polled, too
 * @can_capture: counters have shadow registers, and software can capture
 * @captures_on_overflow: an overflow can capture, too
 * @can_freeze: an overflow can stop all counters
 * @others_capture: an agent other than this driver can capture at any time
 * @has_msi: the device can send its interrupt as a message, and the driver
 *	controls that
 *
 * @references: one for each open event, and one while the driver is bound
 * @registered: perf knows the PMU; cleared under arm_syspmu_list_lock
 * @unregistering: the driver is being unbound: no new events are accepted
 * @gone_reported: this message has been printed
 * @free_work: frees a PMU whose events outlive the driver binding
 * @report: prints messages, and queues @stray_work
 *
 * @refusals: rate limit of the messages about refused events
 * @opening_lock: protects @opening and @waiting, and keeps @cpu consistent with
 *	them
 * @cpu: CPU on which events are opened; nr_cpu_ids before the first one is
 *	chosen
 * @opening: events that perf_event_open() has not installed in a context yet,
 *	possibly that of the previous @cpu
 *
 * @follows_cpus: @cpuhp_node has been added to the CPU hotplug state
 * @has_stray: @stray_work has to be queued
 * @stray_cpu: CPU on which stray events were added; nr_cpu_ids: several CPUs
 * @cpuhp_node: entry in the CPU hotplug state
 * @node_in_list: entry in the list of all PMUs
 * @stray_work: migrates events that perf has added on a CPU other than @cpu
 *
 * @num_usable: number of counters that exist and can be polled, if need be
 * @num_unusable: number of counters that exist and cannot
 * @wraps: there are counters of less than 64 bits
 * @has_narrow: there are counters of less than 32 bits
 * @armed: the interrupt is enabled
 * @delivery: how the driver is notified of overflows
 * @irq: overflow interrupt; negative if there is none
 * @msi_lock: protects @msi
 * @remote: makes the owning CPU handle an overflow whose interrupt another CPU
 *	has taken
 * @lock: protects @armed, the message in the hardware, and the allocation of
 *	@counters
 * @msi: the message to send; its address is zero if there is none
 * @msi_work: writes @msi to the hardware
 *
 * @owner: CPU whose events use the counters. Differs from @cpu only while the
 *	PMU moves; nr_cpu_ids if no event has a counter.
 * @state: ARM_SYSPMU_SUSPENDED and other flags
 * @started: an event has been started since counters were last enabled
 * @stopped: between &arm_syspmu_ops.stop_all and &arm_syspmu_ops.start_all
 * @freezing: overflows stop all counters, for the samples of the group that has
 *	all of @used
 * @defers_deletion: deletions always wait for pmu_enable(), see
 *	arm_syspmu_is_alone()
 * @throttled: the unthrottle timer has been started
 * @words_used: number of words of @used, from the first on, that may have bits
 *	set; at least 1 if there are events in @used
 * @num_used: number of bits set in @used
 * @num_deleted: number of bits set in @deleted
 * @taken: counters in @used; those that do not exist or cannot be polled; and all
 *	bits from @num_counters on. A copy without those in @used follows.
 * @used: counters that an event has been added to
 * @deleted: counters in @used whose event has been deleted. They keep counting,
 *	so that all events that are deleted together stop at the same instant.
 * @active: counters whose event has been started
 * @enabled: counters that are enabled in the hardware. Differs from @active
 *	only until the next pmu_enable(), and while suspended.
 * @change: counters to be enabled or disabled by the current operation
 * @filtered: counters in @used whose event uses the shared filter
 * @waiting: pinned events that get a counter once the PMU has moved
 *
 * @timers: allocated with @counters
 * @polls: a timer polls the overflow status
 * @repeats: the interrupt handler repeats until no overflow status is set
 * @abort_reported: an aborted MSI has been reported
 * @too_narrow: width of a counter that was stopped since it overflowed too
 *	often, until the message about it has been printed; otherwise 0
 *
 * @capturing: counters in @used whose overflow captures or freezes, for a sample
 * @at_capture: counters whose event has already been updated to the value
 *	captured by an overflow that has not been handled yet
 * @shadow: copies of the shadow registers, or of frozen counters; only if the
 *	PMU can capture or freeze
 *
 * @counters: array of @num_counters counters; NULL before the first event
 * @deferred: for each counter, the events that are in its value but not yet in
 *	the count of its event; only if the PMU can capture or freeze. Another
 *	array follows, see arm_syspmu_captured_for()
 * @num_deferred: number of counters with such events after ARM_SYSPMU_DEFERRING
 *	has been cleared
 */
struct arm_syspmu {
	struct pmu pmu;

	struct device *dev;
	const struct arm_syspmu_ops *ops;
	const struct attribute_group **attr_groups;
	unsigned int num_counters;
	unsigned int counters_at_once;
	u64 counter_mask;
	const struct arm_syspmu_layout *layout;
	void __iomem *counter_regs;
	bool wide;
	bool only_32bit;
	bool atomic_64bit;
	bool stop_to_write;
	u16 max_rate;
	bool shares_filter;
	u64 config_fields[3];
	char identifier[ARM_SYSPMU_IDENTIFIER_SIZE];
	u32 quirks;
	const struct cpumask *near_cpus;
	bool one_signal;
	bool wired_unusable;
	bool wired_uncertain;
	bool can_capture;
	bool captures_on_overflow;
	bool can_freeze;
	bool others_capture;
	bool has_msi;

	/* register.c, reference.c */
	refcount_t references;
	bool registered;
	bool unregistering;
	bool gone_reported;
	struct work_struct free_work;
	struct irq_work report;

	/* open.c */
	struct ratelimit_state refusals;
	raw_spinlock_t opening_lock;
	unsigned int cpu;
	struct hlist_head opening;

	/* cpu.c */
	bool follows_cpus;
	bool has_stray;
	unsigned int stray_cpu;
	struct hlist_node cpuhp_node;
	struct list_head node_in_list;
	struct work_struct stray_work;

	/* counters.c */
	unsigned int num_usable;
	unsigned int num_unusable;
	bool wraps;
	bool has_narrow;

	/* irq.c, power.c */
	bool armed;
	enum arm_syspmu_delivery delivery;
	int irq;
	raw_spinlock_t msi_lock;
	struct __call_single_data remote;
	/* Protects @armed, the MSI in hardware, the allocation of @counters */
	struct mutex lock;
	struct msi_msg msi;
	struct work_struct msi_work;

	/* schedule.c */
	unsigned int owner;
	unsigned int state;
	bool started;
	bool stopped;
	bool freezing;
	bool defers_deletion;
	bool throttled;
	u8 words_used;
	unsigned int num_used;
	unsigned int num_deleted;
	unsigned long *taken;
	unsigned long *used;
	unsigned long *deleted;
	unsigned long *active;
	unsigned long *enabled;
	unsigned long *change;
	unsigned long *filtered;
	struct hlist_head waiting;

	/* poll.c, sample.c */
	struct arm_syspmu_timers *timers;
	bool polls;
	bool repeats;
	bool abort_reported;
	unsigned int too_narrow;

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
extern struct device_attribute arm_syspmu_caps_counters;
extern struct device_attribute arm_syspmu_caps_counter_width;
extern struct device_attribute arm_syspmu_caps_capture;
extern const struct dev_pm_ops arm_syspmu_pm_ops;

/**
 * arm_syspmu_samples_counts - whether the samples of an event include counts
 * @event: the event
 *
 * They should be those of the overflow.
 *
 * Context: any.
 * Return: true if they do
 */
static inline bool arm_syspmu_samples_counts(const struct perf_event *event)
{
	return event->attr.sample_period &&
	       event->attr.sample_type & PERF_SAMPLE_READ;
}

/**
 * arm_syspmu_captures - whether an event captures on overflow
 * @pmu: the PMU
 * @event: the event
 *
 * Context: any.
 * Return: true if it does
 */
static inline bool arm_syspmu_captures(const struct arm_syspmu *pmu,
				       const struct perf_event *event)
{
	return pmu->captures_on_overflow && arm_syspmu_samples_counts(event);
}

/**
 * arm_syspmu_find_unused - find a counter that is not used
 * @pmu: the PMU
 * @counters: the counters to choose from
 * @taken: those of them not to choose
 *
 * Context: any.
 * Return: the first counter that may be chosen; @pmu->num_counters if none may
 */
static __always_inline unsigned int
arm_syspmu_find_unused(const struct arm_syspmu *pmu,
		       const unsigned long *counters,
		       const unsigned long *taken)
{
	unsigned int word = 0, words = BITS_TO_LONGS(pmu->num_counters);
	unsigned long unused;

	do {
		unused = counters[word] & ~taken[word];
		if (likely(unused))
			return word * BITS_PER_LONG + __ffs(unused);
	} while (unlikely(++word < words));

	return pmu->num_counters;
}

/*
 * Flag in hw.flags: the event can use all counters in &arm_syspmu_layout.common
 * and no others.
 */
#define ARM_SYSPMU_USES_COMMON	BIT(1)

/*
 * Flags in hw.flags, set by the core before &arm_syspmu_ops.event_init: the
 * event is a gauge; it is a gauge or a sampling event, which start and stop
 * differently from others.
 */
#define ARM_SYSPMU_GAUGE	BIT(2)
#define ARM_SYSPMU_SPECIAL	BIT(3)

/**
 * arm_syspmu_is_gauge - whether an event shows a state instead of counting
 * @event: an event of a PMU of the core
 *
 * Its value can fall.
 *
 * Context: any.
 * Return: true if it does
 */
static inline bool arm_syspmu_is_gauge(const struct perf_event *event)
{
	return event->hw.flags & ARM_SYSPMU_GAUGE;
}

/**
 * arm_syspmu_set_choices - note which counters can count an event
 * @event: the event
 * @choices: their number
 * @common: they are those in &arm_syspmu_layout.common; such an event is
 *	scheduled without &arm_syspmu_ops.choose_counter
 *
 * Context: process, in &arm_syspmu_ops.event_init.
 */
static inline void arm_syspmu_set_choices(struct perf_event *event,
					  unsigned int choices, bool common)
{
	event->hw.extra_reg.reg = choices;
	if (common)
		event->hw.flags |= ARM_SYSPMU_USES_COMMON;
}

void arm_syspmu_stop_all(struct arm_syspmu *pmu);

/**
 * arm_syspmu_begin_write - prepare for a write to registers of a counter
 * @pmu: the PMU, accessible
 *
 * Stops all counters if &arm_syspmu.stop_to_write is set. The core starts them
 * again when all events of a transaction have been added, so that one stop is
 * enough for several counters. What the others would have counted meanwhile is
 * lost.
 *
 * Context: on the owning CPU with interrupts off.
 */
static __always_inline void arm_syspmu_begin_write(struct arm_syspmu *pmu)
{
	if (unlikely(pmu->stop_to_write) && !pmu->stopped)
		arm_syspmu_stop_all(pmu);
}

void arm_syspmu_init_pmu(struct arm_syspmu *pmu, struct device *dev,
			 const struct arm_syspmu_ops *ops);
void arm_syspmu_put_binding(struct arm_syspmu *pmu);
int arm_syspmu_register(struct arm_syspmu *pmu, struct platform_device *pdev,
			const char *name);
bool arm_syspmu_is_name_taken(const char *name);
void arm_syspmu_shutdown(struct arm_syspmu *pmu);
const char *arm_syspmu_delivery_text(const struct arm_syspmu *pmu);
u32 arm_syspmu_iidr_of_coresight_ids(void __iomem *page);
int arm_syspmu_check_counters(struct arm_syspmu *pmu);
u64 arm_syspmu_test_value(const struct arm_syspmu *pmu, unsigned int idx);
u32 arm_syspmu_get_msi(struct arm_syspmu *pmu, u64 *address);
__printf(3, 4)
int arm_syspmu_refuse(struct arm_syspmu *pmu, int err, const char *fmt, ...);

#endif /* ARM_SYSPMU_H */
