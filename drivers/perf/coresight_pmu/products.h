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

/* The cycle counter, which has no event number (config, bit 32) */
#define CSPMU_EVENT_CYCLES		BIT_ULL(32)

#define CSPMU_MAX_COMMON		3

/* An event in sysfs. cspmu_event_show() prints its number. */
#define CSPMU_EVENT(_name, _id)	PMU_EVENT_ATTR_ID(_name, cspmu_event_show, _id)

/* A register whose value applies to all monitors */
struct cspmu_common {
	u16 offset;		/* in page 0; 0: there is none */
	u64 config1;		/* the bits of config1 that it has */
};

struct cspmu_product {
	u32 iidr;
	u32 ignored;		/* bits of PMIIDR that need not match */
	/*
	 * printf format; NULL: firmware decides. The numbers are the NUMA node of
	 * the near CPUs and the instance_id of the ACPI device, or the lowest
	 * number that no PMU has.
	 */
	const char *name;
	bool has_instance;
	bool counted;
	struct attribute **events;
	struct attribute **format;

	/* Fields in config, and config of the cycle counter, if unusual */
	u64 config;
	u64 cycles;
	bool slots;		/* It is the one that target.c is about. */
	/* Fields of PMEVFILTR, apart from @all1 and @shared */
	u64 config1;
	u64 config2;		/* fields of PMEVFILT2R */
	/* PMEVFILTR has no fields and must be 0, which it may not be after reset. */
	bool zero_filter;

	/* Fields of these that stand for all their bits if they are 0 */
	u32 all1[2];
	u32 all2;
	/* A field of PMEVFILTR, and the bit that replaces @all1 by it */
	u32 requester;
	u32 requester_enable;
	/*
	 * Bits of config1 that must be the same for all events that count together;
	 * @common has registers for them instead of PMEVFILTR.
	 */
	u64 shared;
	struct cspmu_common common[CSPMU_MAX_COMMON];
	/* The CHAIN event, for narrow monitors; not with @slots or @shared */
	u32 chain;
};

static inline u64 cspmu_config1_fields(const struct cspmu_product *product)
{
	return product->config1 | product->all1[0] | product->all1[1] |
	       product->shared;
}

const struct cspmu_product *cspmu_find_product(u32 iidr, bool ext64);

#endif /* ARM_CORESIGHT_PMU_PRODUCTS_H */
