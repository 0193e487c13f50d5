/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Table of known products with a PMU of the CoreSight Performance Monitoring
 * Unit architecture.
 */
#ifndef ARM_CORESIGHT_PMU_PRODUCTS_H
#define ARM_CORESIGHT_PMU_PRODUCTS_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct attribute;
struct ida;

/* The cycle counter, which has no event number (config, bit 32) */
#define CSPMU_EVENT_CYCLES		BIT_ULL(32)

#define CSPMU_MAX_COMMON		3

/* An event in sysfs. cspmu_event_show() prints its number. */
#define CSPMU_EVENT(_name, _id)	PMU_EVENT_ATTR_ID(_name, cspmu_event_show, _id)

/*
 * Next to an event: it is a gauge, which shows a state whose value can fall.
 * The file NAME.snapshot lets the perf tool print the value itself instead of
 * by how much it has changed.
 */
#define CSPMU_SNAPSHOT(_name, _id)					\
	(&((struct perf_pmu_events_attr[]) {{				\
		.attr = __ATTR(_name.snapshot, 0444,			\
			       perf_event_sysfs_show, NULL),		\
		.id = _id,						\
		.event_str = "1",					\
	}})[0].attr.attr)

/**
 * enum cspmu_naming - what the numbers in the name of a PMU are
 * @CSPMU_NUMBERED: the lowest that is free
 * @CSPMU_NAMED_BY_SOCKET: NUMA node of the CPUs that it is near to
 * @CSPMU_NAMED_BY_INSTANCE: the same, and the property instance_id of its ACPI
 *	device
 */
enum cspmu_naming {
	CSPMU_NUMBERED,
	CSPMU_NAMED_BY_SOCKET,
	CSPMU_NAMED_BY_INSTANCE,
};

/**
 * struct cspmu_common - a register whose value applies to all monitors
 * @offset: its offset in page 0; 0: there is none
 * @config1: the bits of config1 that it has
 */
struct cspmu_common {
	u16 offset;
	u64 config1;
};

/**
 * struct cspmu_product - a product
 * @iidr: its PMIIDR
 * @mask: bits of @iidr that must match
 * @name: printf format of the name of the PMU; NULL: firmware decides
 * @naming: the numbers in it
 * @numbers: those in use, if @naming is CSPMU_NUMBERED
 * @events: events directory in sysfs. Events that are gauges have a second
 *	file, CSPMU_SNAPSHOT(); a product with @slots has none.
 * @format: format directory
 * @config: fields in config, if it is not just the number of an event
 * @cycles: config of the cycle counter, likewise
 * @slots: it is the one that target.c is about
 * @config1: fields in config1. They are the value of PMEVFILTR unless @common
 *	has registers for them.
 * @config2: fields in config2, the value of PMEVFILT2R
 * @all1: fields of PMEVFILTR; one that is 0 stands for all its bits. If
 *	@requester_enable is set, that does not apply.
 * @all2: the same for PMEVFILT2R
 * @requester: field of PMEVFILTR that is ignored without @requester_enable
 * @requester_enable: excludes the fields in @all1
 * @shared: bits of the filter that must be the same for all events that count
 *	together
 * @common: registers for all monitors
 * @chain: number of the CHAIN event, if counter chaining is implemented and
 *	monitors are too narrow otherwise; 0: they are not chained. Nor are they
 *	with gauges, @slots, @shared or @common.
 */
struct cspmu_product {
	u32 iidr;
	u32 mask;
	const char *name;
	enum cspmu_naming naming;
	struct ida *numbers;
	struct attribute **events;
	struct attribute **format;
	u64 config;
	u64 cycles;
	bool slots;
	u64 config1;
	u64 config2;
	u32 all1[2];
	u32 all2;
	u32 requester;
	u32 requester_enable;
	u64 shared;
	struct cspmu_common common[CSPMU_MAX_COMMON];
	u32 chain;
};

const struct cspmu_product *cspmu_find_product(u32 iidr, bool ext64);
bool cspmu_has_gauges(const struct cspmu_product *product);
bool cspmu_is_gauge_number(const struct cspmu_product *product, u64 number);

#endif /* ARM_CORESIGHT_PMU_PRODUCTS_H */
