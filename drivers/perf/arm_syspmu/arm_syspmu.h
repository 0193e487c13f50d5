/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Core of the perf drivers for the memory-mapped PMUs of Arm systems: the border
 * between the core and its backends.
 *
 * The core implements the callbacks of struct pmu and accesses no registers. A
 * backend implements the registers of one PMU architecture. It does not modify
 * the state of a perf event, apart from hw.config, hw.config_base and
 * hw.event_base, into which it decodes the event's attributes, and struct
 * arm_syspmu_event.
 */
#ifndef ARM_SYSPMU_H
#define ARM_SYSPMU_H

#include <linux/perf_event.h>
#include <linux/pm.h>
#include <linux/types.h>

struct arm_syspmu;
struct arm_syspmu_core;
struct device;
struct platform_device;
struct resource;

/*
 * IHI 0091 has the larger limit: PMCFGR.N is eight bits wide. A PMCG has at
 * most 64 counters (IHI 0070 §10.2).
 */
#define ARM_SYSPMU_MAX_COUNTERS		256

/*
 * Upper bound of the events that a counter counts after it has been stopped;
 * IHI 0070 §10.2 only says that the delay is small.
 */
#ifndef ARM_SYSPMU_LATE_EVENTS
#define ARM_SYSPMU_LATE_EVENTS		0x10000U
#endif

/* "0x" and the eight hexadecimal digits of an ID register */
#define ARM_SYSPMU_IDENTIFIER_SIZE	12

/**
 * struct arm_syspmu_event - what a backend and the core tell each other about an
 *	event; its pmu_private points to this structure
 * @captures: set by the core: an overflow of its counter has to capture
 * @uses_shared_filter: a filter that all counters share applies to the event
 * @shared_filter: value of this filter. Events that use it can only count
 *	together if it is the same for all of them.
 * @max_rate: upper bound of what a counter adds in a nanosecond for the event;
 *	0: 4
 * @filter: private to the backend
 *
 * The others are set by &arm_syspmu_ops.event_init, and 0 before.
 */
struct arm_syspmu_event {
	bool captures;
	bool uses_shared_filter;
	u16 max_rate;
	u64 shared_filter;
	u64 filter;
};

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
 * @setup: fill in struct arm_syspmu, after mapping the registers with devres.
 *	Returns 0 or a negative errno, with a message. Process context, at probe.
 * @event_init: validate the fields of an event, of which only those in
 *	&arm_syspmu.config_fields are set, and decode them into hw.config,
 *	hw.config_base, hw.event_base and struct arm_syspmu_event. Events are
 *	refused with arm_syspmu_refuse(). Process context, any CPU.
 * @choose_counter: return the counter to use for a valid event, none of those
 *	set in @taken, or a number of at least &arm_syspmu.num_counters if none
 *	of the others can count it. Those that fewer events can use should come
 *	first; of those that are alike, @preferred, unless it is negative. Any
 *	context. Optional: without it, every counter can count every event.
 * @program: set up counter hw.idx, which is disabled, to count @event, and to
 *	capture on overflow if &arm_syspmu_event.captures is set. Returns 0, or
 *	-EIO if the registers cannot be written.
 * @write_counter: set the value of a counter, enabled or disabled. The write
 *	must take effect before a later @enable_counters. Returns as @program.
 *	Not called if &arm_syspmu.read_only_counters is set.
 * @end_write: @program and @write_counter may have stopped all counters, if
 *	registers can only be written then: let them count again. Optional.
 * @read_counter: read a counter, enabled or disabled; 64 ones if its register is
 *	all ones, since the device may not respond. Bits that the counter does
 *	not implement are ignored otherwise.
 *	Also called at probe, and in a pseudo-NMI.
 * @capture: copy these counters, possibly with others, to their shadow registers
 *	at one instant. Returns false if this is not possible at the moment.
 *	Required if &arm_syspmu.can_capture is set, as is @read_captured.
 * @read_captured: read the shadow register of a counter, as @read_counter
 * @enable_counters: enable these counters, all at the same instant if the
 *	hardware is able to
 * @disable_counters: disable these counters, all at the same instant if the
 *	hardware is able to. A later read of a counter must not be performed
 *	before the counter is disabled.
 * @read_overflows: set @counters to the counters whose overflow status is set, at
 *	one instant if an overflow can capture; to all ones if the device does not
 *	respond. Any CPU, any context.
 * @clear_overflows: clear the overflow status of exactly these counters
 * @is_present: whether the device still responds. Called when all bits of a
 *	value that was read are set, or a counter has become zero. Any context.
 * @is_enabled: whether the device is still enabled, as @arm has left it. If not,
 *	something has reset it. Called when a PMU gets its first event, and when a
 *	value is far from the last one, then also in a pseudo-NMI.
 * @reset: write the registers whose reset value is UNKNOWN, with all counters
 *	and the interrupt disabled. Any CPU, any context, while nothing counts.
 * @arm: enable the device, and its interrupt if @interrupt is set: as the
 *	message that arm_syspmu_get_msi() returns, if there is one. No counter is
 *	enabled yet. Any CPU, any context.
 * @quiesce: disable the device and its interrupt. No interrupt is raised after
 *	this function has returned. Any CPU, any context.
 * @msi_aborted: whether the write of a message was terminated with an abort.
 *	Required if &arm_syspmu.has_msi is set.
 * @release: free the PMU and the structure that contains it, after the last
 *	reference has been dropped. Process context.
 */
struct arm_syspmu_ops {
	struct module *owner;
	int (*setup)(struct arm_syspmu *pmu, struct platform_device *pdev);
	int (*event_init)(struct arm_syspmu *pmu, struct perf_event *event);
	unsigned int (*choose_counter)(struct arm_syspmu *pmu,
				       const struct perf_event *event,
				       int preferred,
				       const unsigned long *taken);
	int (*program)(struct arm_syspmu *pmu, const struct perf_event *event);
	int (*write_counter)(struct arm_syspmu *pmu, unsigned int idx,
			     u64 value);
	void (*end_write)(struct arm_syspmu *pmu);
	u64 (*read_counter)(struct arm_syspmu *pmu, unsigned int idx);
	bool (*capture)(struct arm_syspmu *pmu, const unsigned long *counters);
	u64 (*read_captured)(struct arm_syspmu *pmu, unsigned int idx);
	void (*enable_counters)(struct arm_syspmu *pmu,
				const unsigned long *counters);
	void (*disable_counters)(struct arm_syspmu *pmu,
				 const unsigned long *counters);
	void (*read_overflows)(struct arm_syspmu *pmu, unsigned long *counters);
	void (*clear_overflows)(struct arm_syspmu *pmu,
				const unsigned long *counters);
	bool (*is_present)(struct arm_syspmu *pmu);
	bool (*is_enabled)(struct arm_syspmu *pmu);
	void (*reset)(struct arm_syspmu *pmu);
	void (*arm)(struct arm_syspmu *pmu, bool interrupt);
	void (*quiesce)(struct arm_syspmu *pmu);
	bool (*msi_aborted)(struct arm_syspmu *pmu);
	void (*release)(struct arm_syspmu *pmu);
};

/**
 * enum arm_syspmu_wired - whether a wired interrupt can be used
 * @ARM_SYSPMU_WIRED_USABLE: it can
 * @ARM_SYSPMU_WIRED_UNCERTAIN: the device may send messages to others instead:
 *	overflows are polled, too
 * @ARM_SYSPMU_WIRED_UNUSABLE: the device sends messages instead, or nothing
 */
enum arm_syspmu_wired {
	ARM_SYSPMU_WIRED_USABLE,
	ARM_SYSPMU_WIRED_UNCERTAIN,
	ARM_SYSPMU_WIRED_UNUSABLE,
};

/**
 * struct arm_syspmu - one PMU, as filled in by &arm_syspmu_ops.setup
 * @pmu: the PMU as registered with perf, filled in by the core, except its name,
 *	which must live as long as the PMU
 * @core: state of the core
 * @dev: the device, for messages and managed resources; set by
 *	arm_syspmu_probe(), as are @core and @ops
 * @ops: operations of the backend
 * @attr_groups: sysfs groups of the PMU, including arm_syspmu_common_group
 * @config_fields: bits of config, config1 and config2 that events may set
 * @clock: config of the event that is called "cycles"
 * @identifier: contents of the identifier attribute; if empty, it is hidden
 * @id_registers: contents of the attribute of that name, for reports
 * @near_cpus: CPUs near the hardware, one of which should own the PMU. While it
 *	is NULL or empty, any CPU may. Must live as long as the PMU.
 * @num_counters: highest number of a counter, plus one; 1 to
 *	ARM_SYSPMU_MAX_COUNTERS
 * @usable: the counters that exist and that events can use; NULL: all of them.
 *	Requires &arm_syspmu_ops.choose_counter.
 * @counter_bits: width of the widest counter, 32 to 62 or 64
 * @bits: width of each counter, 32 to 62 or 64; NULL: they are all as wide
 * @read_only_counters: counters cannot be written, which rules out sampling
 * @can_capture: counters have shadow registers, and software can capture
 * @others_capture: agents other than this driver can capture at any time;
 *	otherwise overflows can
 * @has_msi: the device can send its interrupt as a message, and the driver
 *	controls that
 * @one_signal: the interrupt is asserted while any overflow status is set. If
 *	it is an edge or an MSI, there is none for an overflow until the status
 *	of all earlier ones has been cleared.
 * @wired: whether a wired interrupt can be used
 */
struct arm_syspmu {
	struct pmu pmu;
	struct arm_syspmu_core *core;
	struct device *dev;
	const struct arm_syspmu_ops *ops;

	const struct attribute_group **attr_groups;
	u64 config_fields[3];
	u64 clock;
	char identifier[ARM_SYSPMU_IDENTIFIER_SIZE];
	char id_registers[256];
	const struct cpumask *near_cpus;

	unsigned int num_counters;
	const unsigned long *usable;
	unsigned int counter_bits;
	const u8 *bits;
	bool read_only_counters;

	bool can_capture;
	bool others_capture;

	bool has_msi;
	bool one_signal;
	enum arm_syspmu_wired wired;
};

#define to_arm_syspmu(p) container_of_const(p, struct arm_syspmu, pmu)

/* register.c */
int arm_syspmu_probe(struct arm_syspmu *pmu, struct platform_device *pdev,
		     const struct arm_syspmu_ops *ops);
void arm_syspmu_shutdown(struct platform_device *pdev);
extern const struct dev_pm_ops arm_syspmu_pm_ops;

/* open.c */
__printf(3, 4)
int arm_syspmu_refuse(struct arm_syspmu *pmu, int err, const char *fmt, ...);

/* sysfs.c */
extern const struct attribute_group arm_syspmu_common_group;
extern struct device_attribute arm_syspmu_caps_counters;
extern struct device_attribute arm_syspmu_caps_counter_width;
extern struct device_attribute arm_syspmu_caps_capture;

/* cpu.c */
bool arm_syspmu_is_name_taken(const struct arm_syspmu *pmu,
			      const char *name);

/* irq.c */
const char *arm_syspmu_delivery_name(const struct arm_syspmu *pmu);
u32 arm_syspmu_get_msi(struct arm_syspmu *pmu, u64 *address);

/* count.c */
void arm_syspmu_fault(struct arm_syspmu *pmu, const char *text);

/* registers.c */
u64 arm_syspmu_read64(const void __iomem *reg);
u64 arm_syspmu_read_halves(const void __iomem *reg);
void arm_syspmu_write_halves(void __iomem *reg, u64 value);
u32 arm_syspmu_iidr_of_coresight_ids(void __iomem *page);
void arm_syspmu_show_ids(struct arm_syspmu *pmu, void __iomem *page,
			 const u16 *offsets, unsigned int number);
int arm_syspmu_map_page(struct arm_syspmu *pmu, unsigned int n,
			const struct resource *res, void __iomem **page);
u64 arm_syspmu_test_value(const struct arm_syspmu *pmu, unsigned int idx);
bool arm_syspmu_keeps_values(struct arm_syspmu *pmu, unsigned int idx);

#endif /* ARM_SYSPMU_H */
