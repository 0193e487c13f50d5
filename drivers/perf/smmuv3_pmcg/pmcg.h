/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Driver for the Performance Monitor Counter Groups of the Arm SMMUv3 (IHI 0070
 * chapter 10): definitions shared by its files.
 *
 * main.c		probe, firmware description
 * registers.c	register accesses
 * events.c		names of events, known products, capabilities
 * filter.c		fields of an event, filters
 * topology.c	the SMMU and the devices behind it
 */
#ifndef ARM_SMMUV3_PMCG_H
#define ARM_SMMUV3_PMCG_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/types.h>

#include "../arm_syspmu/arm_syspmu.h"

#define PMCG_ARCH_EVENTS		128
/* The events with names have lower numbers. */
#define PMCG_NAMED_EVENTS		256
#define PMCG_EVENT_CYCLES		0

/* EVTYPERn (§10.5.2.2); the value for an event is in hw.config_base. */
#define PMCG_EVTYPER_OVFCAP		BIT(31)
#define PMCG_EVTYPER_FILTER_SEC_SID	BIT(30)
#define PMCG_EVTYPER_FILTER_SID_SPAN	BIT(29)
#define PMCG_EVTYPER_FILTER_REALM_SID	BIT(28)
#define PMCG_EVTYPER_FILTER_MPAM_SP	GENMASK(19, 18)
#define PMCG_EVTYPER_FILTER_MPAM_REALM	BIT(19)
#define PMCG_EVTYPER_FILTER_PMG		BIT(17)
#define PMCG_EVTYPER_FILTER_PARTID	BIT(16)
#define PMCG_EVTYPER_FILTER_MPAM	(PMCG_EVTYPER_FILTER_PMG | \
					 PMCG_EVTYPER_FILTER_PARTID)
#define PMCG_EVTYPER_FILTER		(PMCG_EVTYPER_FILTER_SEC_SID | \
					 PMCG_EVTYPER_FILTER_SID_SPAN | \
					 PMCG_EVTYPER_FILTER_REALM_SID | \
					 PMCG_EVTYPER_FILTER_MPAM_SP | \
					 PMCG_EVTYPER_FILTER_MPAM)
#define PMCG_EVTYPER_EVENT		GENMASK(15, 0)

/* SMRn (§10.5.2.4); the value for an event is in hw.event_base. */
#define PMCG_SMR_PMG			GENMASK(23, 16)
#define PMCG_SMR_PARTID			GENMASK(15, 0)
/* All implemented bits set, with a span: matches every StreamID (§10.4) */
#define PMCG_SMR_ALL			GENMASK(31, 0)

/* One counter group */
struct smmuv3_pmcg {
	struct arm_syspmu syspmu;
	/* "smmuv3_pmcg_" and the number of a page */
	char name[26];

	/* Identification and configuration registers */
	void __iomem *page0;
	/* Counters and overflow status; the same page unless relocated */
	void __iomem *page1;
	bool relocated;

	/* Counter registers have 64 bits instead of 32. */
	bool wide;
	/* One filter applies to all counters. */
	bool one_filter;
	/* Events can be filtered by PARTID and PMG. */
	bool partid_filter;
	/* The highest Non-secure ones, as far as they are known */
	u16 partid_max;
	u8 pmg_max;
	/* PMCG_MMU* of events.c; 0 if the product is not known */
	u8 product;
	/* Architected events that the group can count */
	DECLARE_BITMAP(ceid, PMCG_ARCH_EVENTS);
	/* Those of the product that do not belong to a StreamID */
	DECLARE_BITMAP(no_stream_id, PMCG_NAMED_EVENTS);
	/* Implemented bits of EVTYPER0; none for an unobserved Realm state */
	u32 type_bits;
	/* Implemented bits of SMR0.STREAMID */
	u32 stream_id_bits;

	/* A write to page 1 is not ordered before the next one to page 0. */
	bool page1_written;
	/* IRQ_CTRLACK did not follow IRQ_CTRL once. */
	bool never_acknowledges;
	/* A disabled counter may still count (erratum 162001900). */
	bool counts_when_disabled;
	/* Enabled counters; only used with that erratum */
	unsigned long enabled;
	/* What was written to each EVTYPERn, and to SMR0 if it is the filter of all */
	u32 *evtyper;
	u32 shared_smr;

	/* The SMMU that the group belongs to; NULL if it is not known */
	struct device *smmu;
};

#define to_smmuv3_pmcg(p) container_of(p, struct smmuv3_pmcg, syspmu)

/* The device that perf has for the PMU, with its attributes */
static inline struct smmuv3_pmcg *dev_to_smmuv3_pmcg(struct device *dev)
{
	return to_smmuv3_pmcg(to_arm_syspmu(dev_get_drvdata(dev)));
}

int pmcg_setup(struct arm_syspmu *syspmu, struct platform_device *pdev);

int pmcg_identify(struct smmuv3_pmcg *pmcg);
extern const struct arm_syspmu_ops pmcg_ops;

bool pmcg_is_tcu(const struct smmuv3_pmcg *pmcg);
void pmcg_identify_product(struct smmuv3_pmcg *pmcg, u32 iidr, u32 aidr);
extern const struct attribute_group pmcg_events_group;
extern const struct attribute_group pmcg_caps_group;

void pmcg_set_format(struct smmuv3_pmcg *pmcg);
int pmcg_event_init(struct arm_syspmu *syspmu, struct perf_event *event);
extern const struct attribute_group pmcg_format_group;

void pmcg_find_topology(struct smmuv3_pmcg *pmcg, phys_addr_t base);
extern const struct attribute_group pmcg_topology_group;

#endif /* ARM_SMMUV3_PMCG_H */
