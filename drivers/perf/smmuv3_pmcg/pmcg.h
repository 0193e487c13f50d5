/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance Monitor Counter Groups of the Arm SMMUv3 (IHI 0070 chapter 10):
 * what the parts of the driver share.
 *
 * main.c		firmware and the life of the device
 * registers.c	registers
 * events.c		perf's view: events, filters, format
 * topology.c	the SMMU and the devices behind it
 */
#ifndef ARM_SMMUV3_PMCG_H
#define ARM_SMMUV3_PMCG_H

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/io.h>
#include <linux/types.h>

#include "../arm_syspmu/arm_syspmu.h"
#include "../arm_syspmu/io.h"

#define PMCG_MAX_COUNTERS		64
#define PMCG_ARCH_EVENTS		128
#define PMCG_EVENT_CYCLES		0

/* Offset of the first counter, on page 1 where the group has one (§10.5.1) */
#define PMCG_EVCNTR			0x000

/*
 * EVTYPERn (§10.5.2.2) is hw.config_base of an event, and SMRn (§10.5.2.4) is
 * hw.event_base.
 */
#define PMCG_EVTYPER_OVFCAP		BIT(31)
#define PMCG_EVTYPER_FILTER_SEC_SID	BIT(30)
#define PMCG_EVTYPER_FILTER_SID_SPAN	BIT(29)
#define PMCG_EVTYPER_FILTER_REALM_SID	BIT(28)
#define PMCG_EVTYPER_FILTER_MPAM_SP	GENMASK(19, 18)
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
#define PMCG_SMR_PMG			GENMASK(23, 16)
#define PMCG_SMR_PARTID			GENMASK(15, 0)

/* All ones in all implemented bits and a span: every StreamID (§10.4) */
#define PMCG_SMR_ALL			GENMASK(31, 0)

/**
 * struct pmcg_programmed - what has been written for a counter
 * @evtyper: EVTYPERn
 * @smr: SMRn, unimplemented bits included
 */
struct pmcg_programmed {
	u32 evtyper;
	u32 smr;
};

/**
 * struct smmuv3_pmcg - one counter group
 * @syspmu: what the core sees
 * @page0: identification and configuration
 * @page1: counters, their shadows and overflow status; the same as @page0
 *	without RELOC_CTRS
 * @base: physical address of page 0
 * @name: name of the PMU
 * @ceid: the architected events that can be counted
 * @type_bits: the bits of EVTYPER0 that are implemented
 * @stream_id_bits: the bits of SMR0.STREAMID that are implemented
 * @partid_max: greatest Non-secure PARTID to filter by
 * @pmg_max: greatest Non-secure PMG to filter by
 * @relocated: there is a page 1
 * @partid_filter: events can be filtered by PARTID and PMG
 * @limits_known: @partid_max and @pmg_max are known
 * @counters_written: a counter on @page1 has been written, perhaps later than
 *	what is written to @page0 next
 * @enabled: counters that are enabled, where a disabled one may count on
 * @programmed: contents of the EVTYPERn and SMRn registers; NULL before the
 *	first event
 * @smmu: the SMMU that the group belongs to, or NULL where not known
 */
struct smmuv3_pmcg {
	struct arm_syspmu syspmu;
	void __iomem *page0;
	void __iomem *page1;
	phys_addr_t base;
	char *name;
	DECLARE_BITMAP(ceid, PMCG_ARCH_EVENTS);
	u32 type_bits;
	u32 stream_id_bits;
	u16 partid_max;
	u8 pmg_max;
	bool relocated;
	bool partid_filter;
	bool limits_known;
	bool counters_written;
	DECLARE_BITMAP(enabled, PMCG_MAX_COUNTERS);
	struct pmcg_programmed *programmed;
	struct device *smmu;
};

#define to_smmuv3_pmcg(p) container_of(p, struct smmuv3_pmcg, syspmu)

/**
 * pmcg_uses_filter - whether a filter matters to an event
 * @event: a valid event
 *
 * Clock cycles come from no StreamID and are counted whatever the filter says
 * (§10.3). What an IMPLEMENTATION DEFINED event does is not known; assume that
 * the filter matters to it.
 *
 * Context: any.
 * Return: whether it does
 */
static inline bool pmcg_uses_filter(const struct perf_event *event)
{
	return FIELD_GET(PMCG_EVTYPER_EVENT, event->hw.config_base) !=
	       PMCG_EVENT_CYCLES;
}

int pmcg_identify(struct smmuv3_pmcg *pmcg);
int pmcg_alloc_programmed(struct smmuv3_pmcg *pmcg);
extern const struct arm_syspmu_ops pmcg_ops;

int pmcg_event_init(struct arm_syspmu *syspmu, struct perf_event *event);
const char *pmcg_conflict(struct arm_syspmu *syspmu, const struct perf_event *a,
			  const struct perf_event *b);
void pmcg_set_format(struct smmuv3_pmcg *pmcg);
extern const struct attribute_group pmcg_events_group;
extern const struct attribute_group pmcg_format_group;

void pmcg_find_smmu(struct smmuv3_pmcg *pmcg);
extern const struct attribute_group pmcg_topology_group;

#endif /* ARM_SMMUV3_PMCG_H */
