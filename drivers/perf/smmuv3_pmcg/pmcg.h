/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Driver for the Performance Monitor Counter Groups of the Arm SMMUv3 (IHI 0070
 * chapter 10): definitions shared by its files.
 *
 * main.c		probe, firmware description
 * registers.c	register accesses
 * events.c		fields of an event, filters
 * products.c	names of events, known products, capabilities
 * topology.c	the SMMU and the devices behind it
 */
#ifndef ARM_SMMUV3_PMCG_H
#define ARM_SMMUV3_PMCG_H

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/types.h>

#include "../arm_syspmu/arm_syspmu.h"
#include "../arm_syspmu/io.h"

struct pmcg_streams;

#define PMCG_MAX_COUNTERS		64
#define PMCG_ARCH_EVENTS		128
#define PMCG_EVENT_CYCLES		0

/* Offset of the first counter; on page 1 if RELOC_CTRS is set (§10.5.1) */
#define PMCG_EVCNTR			0x000

/*
 * The value of EVTYPERn (§10.5.2.2) for an event is in hw.config_base, that of
 * SMRn (§10.5.2.4) in hw.event_base. If hw.config is not 0, it is known that the
 * filter of all counters does not apply to the event.
 */
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
#define PMCG_SMR_PMG			GENMASK(23, 16)
#define PMCG_SMR_PARTID			GENMASK(15, 0)

/* All implemented bits set, with a span: matches every StreamID (§10.4) */
#define PMCG_SMR_ALL			GENMASK(31, 0)

/**
 * struct pmcg_programmed - values written to the registers of a counter
 * @evtyper: value of EVTYPERn
 * @smr: value of SMRn, including bits that are not implemented
 */
struct pmcg_programmed {
	u32 evtyper;
	u32 smr;
};

/* "smmuv3_pmcg_" and the number of a page */
#define PMCG_NAME_SIZE	26

/**
 * struct smmuv3_pmcg - one counter group
 *
 * With the options of Debian's kernels, it fits in 1024 bytes exactly; the next
 * size of slab is twice as large.
 *
 * @syspmu: the PMU as seen by the core
 * @page0: page 0: identification and configuration registers
 * @page1: page 1: counters, shadow registers and overflow status. Same as
 *	@page0 if RELOC_CTRS is not set.
 * @ceid: architected events that the group can count
 * @type_bits: implemented bits of EVTYPER0, without those for the Realm state
 *	if it is not observed
 * @stream_id_bits: implemented bits of SMR0.STREAMID
 * @partid_max: highest Non-secure PARTID that can be filtered by
 * @pmg_max: highest Non-secure PMG that can be filtered by
 * @product: the product that the group is in, see products.c; 0 if unknown
 * @relocated: the group has a page 1
 * @partid_filter: events can be filtered by PARTID and PMG
 * @limits_known: @partid_max and @pmg_max are valid
 * @counters_written: @page1 has been written, and the write is not ordered with
 *	the next write to @page0 yet
 * @enabled: enabled counters; only used if a disabled counter may still count
 * @programmed: contents of EVTYPERn and SMRn of all counters; NULL before the
 *	first event
 * @smmu: the SMMU that the group belongs to, or NULL if unknown
 * @streams: lists of the StreamIDs behind @smmu; NULL before they are read
 * @name: name of the PMU
 */
struct smmuv3_pmcg {
	struct arm_syspmu syspmu;
	void __iomem *page0;
	void __iomem *page1;
	DECLARE_BITMAP(ceid, PMCG_ARCH_EVENTS);
	u32 type_bits;
	u32 stream_id_bits;
	u16 partid_max;
	u8 pmg_max;
	u8 product;
	bool relocated;
	bool partid_filter;
	bool limits_known;
	bool counters_written;
	DECLARE_BITMAP(enabled, PMCG_MAX_COUNTERS);
	struct pmcg_programmed *programmed;
	struct device *smmu;
	struct pmcg_streams *streams;
	char name[PMCG_NAME_SIZE];
};

#define to_smmuv3_pmcg(p) container_of(p, struct smmuv3_pmcg, syspmu)

/* The device that perf has for the PMU, with its attributes */
static inline struct smmuv3_pmcg *dev_to_smmuv3_pmcg(struct device *dev)
{
	return to_smmuv3_pmcg(to_arm_syspmu(dev_get_drvdata(dev)));
}

/**
 * pmcg_uses_filter - whether a filter applies to an event
 * @event: a valid event
 *
 * Events that are not caused by a StreamID are counted whatever the filter is:
 * clock cycles (§10.3), and IMPLEMENTATION DEFINED events of known products
 * (§10.4, §10.5.2.2). Assume that a filter applies to all others.
 *
 * Context: any.
 * Return: true if it does
 */
static inline bool pmcg_uses_filter(const struct perf_event *event)
{
	return FIELD_GET(PMCG_EVTYPER_EVENT, event->hw.config_base) !=
	       PMCG_EVENT_CYCLES && !event->hw.config;
}

int pmcg_identify(struct smmuv3_pmcg *pmcg);
extern const struct arm_syspmu_ops pmcg_ops;

int pmcg_event_init(struct arm_syspmu *syspmu, struct perf_event *event);
const char *pmcg_conflict(struct arm_syspmu *syspmu, const struct perf_event *a,
			  const struct perf_event *b);
void pmcg_set_format(struct smmuv3_pmcg *pmcg);
extern const struct attribute_group pmcg_format_group;

bool pmcg_has_no_stream_id(const struct smmuv3_pmcg *pmcg, unsigned int id);
void pmcg_identify_product(struct smmuv3_pmcg *pmcg, u32 iidr, u32 aidr);
extern const struct attribute_group pmcg_events_group;
extern const struct attribute_group pmcg_caps_group;

void pmcg_find_smmu(struct smmuv3_pmcg *pmcg, phys_addr_t base);
void pmcg_put_smmu(struct smmuv3_pmcg *pmcg);
extern const struct attribute_group pmcg_topology_group;

#endif /* ARM_SMMUV3_PMCG_H */
