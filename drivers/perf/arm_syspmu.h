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
#include <linux/perf_event.h>
#include <linux/ratelimit_types.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct arm_syspmu;
struct device;
struct platform_device;

/*
 * IHI 0091 allows the most: PMCFGR.N is eight bits wide. A PMCG has at most
 * 64 counters (IHI 0070 §10.2).
 */
#define ARM_SYSPMU_MAX_COUNTERS		256

/**
 * struct arm_syspmu_ops - what a backend knows about its registers
 *
 * All operations but @event_init and @quiesce are called on the CPU that owns
 * the PMU with interrupts off, and are never concurrent for one PMU. A
 * @counters argument is a bitmap of &arm_syspmu.num_counters bits.
 *
 * @owner: module of the backend, pinned by every open event
 * @event_init: validate the attributes of an event and decode them into
 *	hw.config_base and hw.event_base, whose meaning is the backend's own.
 *	Process context. Refuses through arm_syspmu_refuse().
 * @events_compatible: whether two valid events can count at the same time.
 *	Optional; without it all can.
 * @program: make counter hw.idx, which is not enabled, count what @event
 *	asks for
 * @read_counter: current value of a counter, zero-extended
 * @enable_counters: let these counters count, all from the same instant where
 *	the hardware can
 * @disable_counters: stop these counters, likewise
 * @has_overflowed: whether the overflow status of a counter is set
 * @take_overflows: read which counters have overflowed and clear exactly
 *	those, so that a later overflow is never cleared unseen
 * @clear_overflow: forget the overflow of one counter
 * @arm: enable the block as a whole and its interrupt; no counter is enabled
 *	yet
 * @quiesce: stop everything and silence the interrupt; when it returns no
 *	further interrupt is raised. Any context.
 */
struct arm_syspmu_ops {
	struct module *owner;
	int (*event_init)(struct arm_syspmu *pmu, struct perf_event *event);
	bool (*events_compatible)(struct arm_syspmu *pmu,
				  const struct perf_event *a,
				  const struct perf_event *b);
	void (*program)(struct arm_syspmu *pmu, const struct perf_event *event);
	u64 (*read_counter)(struct arm_syspmu *pmu, unsigned int idx);
	void (*enable_counters)(struct arm_syspmu *pmu,
				const unsigned long *counters);
	void (*disable_counters)(struct arm_syspmu *pmu,
				 const unsigned long *counters);
	bool (*has_overflowed)(struct arm_syspmu *pmu, unsigned int idx);
	void (*take_overflows)(struct arm_syspmu *pmu, unsigned long *counters);
	void (*clear_overflow)(struct arm_syspmu *pmu, unsigned int idx);
	void (*arm)(struct arm_syspmu *pmu);
	void (*quiesce)(struct arm_syspmu *pmu);
};

/**
 * struct arm_syspmu - one PMU
 *
 * The first group is filled in by the backend before arm_syspmu_register(),
 * the second belongs to the core.
 *
 * @dev: the device, for messages and managed resources
 * @ops: the backend
 * @attr_groups: sysfs groups of the PMU; with &arm_syspmu_common_group
 * @num_counters: 1 to ARM_SYSPMU_MAX_COUNTERS
 * @counter_mask: the bits that a counter has
 * @identifier: contents of the identifier attribute; 0: none
 *
 * @pmu: perf's view
 * @irq: interrupt that signals overflows
 * @cpu: CPU that owns the PMU; nr_cpu_ids before the first one
 * @cpuhp_node: entry in the CPU hotplug state
 * @events: the event on each counter. It and the bitmaps below are touched
 *	only by the owning CPU with interrupts off.
 * @used: counters that an event has been added to
 * @wanted: counters that shall count: their event is started
 * @counting: counters that the hardware has enabled. Differs from @wanted
 *	only between pmu_disable() and pmu_enable().
 * @wrapped: counters whose last wrap has been accounted for by a read while
 *	its overflow status is still set
 * @disabled: between pmu_disable() and pmu_enable()
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

	struct pmu pmu;
	int irq;
	unsigned int cpu;
	struct hlist_node cpuhp_node;
	struct perf_event *events[ARM_SYSPMU_MAX_COUNTERS];
	DECLARE_BITMAP(used, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(wanted, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(counting, ARM_SYSPMU_MAX_COUNTERS);
	DECLARE_BITMAP(wrapped, ARM_SYSPMU_MAX_COUNTERS);
	bool disabled;
	refcount_t users;
	struct completion unused;
	struct ratelimit_state refusals;
};

#define to_arm_syspmu(p) container_of_const(p, struct arm_syspmu, pmu)

extern const struct attribute_group arm_syspmu_common_group;

int arm_syspmu_register(struct arm_syspmu *pmu, struct platform_device *pdev,
			const char *name);
__printf(3, 4)
int arm_syspmu_refuse(struct arm_syspmu *pmu, int err, const char *fmt, ...);

/* Between arm_syspmu_core.c and arm_syspmu_irq.c */
bool arm_syspmu_handle_overflows(struct arm_syspmu *pmu);
int arm_syspmu_irq_request(struct arm_syspmu *pmu,
			   struct platform_device *pdev);
int arm_syspmu_irq_move(struct arm_syspmu *pmu, unsigned int cpu);
void arm_syspmu_irq_pause(struct arm_syspmu *pmu);
void arm_syspmu_irq_resume(struct arm_syspmu *pmu);

#endif /* ARM_SYSPMU_H */
