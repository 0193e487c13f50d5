/* SPDX-License-Identifier: GPL-2.0 */
/* The PMUs of SMMUv3 Performance Monitor Counter Groups: their events, filters and registers. */
#ifndef ARM_SYSPMU_PMCG_H
#define ARM_SYSPMU_PMCG_H

#include "pmcg_registers.h"
#include "pmu.h"

#define PMCG_ARCHITECTED_NAMES	8

/* Event numbers of IHI 0070 §10.3 that tests need by name. */
#define PMCG_EVENT_CYCLES	0
#define PMCG_EVENT_TRANSACTION	1
#define PMCG_EVENT_TLB_MISS	2
#define PMCG_EVENT_TABLE_WALK_ACCESS	4

/* An architected number without a meaning. */
#define PMCG_EVENT_UNDEFINED	0x7f

extern const char * const pmcg_event_names[PMCG_ARCHITECTED_NAMES];

/* StreamID filter of one event. */
struct pmcg_filter {
	bool enable;	/* the filter_enable field */
	bool span;	/* the filter_span field */
	__u32 stream_id;	/* the filter_stream_id field */
};

/* What only a PMCG's identification registers say. */
struct pmcg_hardware {
	__u32 cfgr;	/* SMMU_PMCG_CFGR */
	bool partid_filter;	/* FILTER_PARTID_PMG */
	unsigned int partid_max;	/* the largest Non-secure PARTID that a filter can have */
	unsigned int pmg_max;	/* the largest Non-secure PMG */
	bool partid_limits;	/* MPAMIDR tells these two; without CFGR.MPAM it may not */
	__u64 ceid[2];	/* SMMU_PMCG_CEID0 and CEID1 */
};

/* The part of an SMMU that a PMCG counts in. */
enum pmcg_unit {
	PMCG_OF_SMMU,	/* an SMMU that is one unit */
	PMCG_OF_TCU,	/* the translation control unit of an MMU-600 or MMU-700 */
	PMCG_OF_TBU,	/* one of its translation buffer units */
};

extern const struct pmu_family pmcg_family;
extern const struct reference_driver pmcg_reference_driver;

void pmcg_read_hardware(struct stimulus *stimulus, struct pmcg_hardware *hardware);
bool pmcg_implements(const struct pmcg_hardware *hardware, unsigned int event);
enum pmcg_unit pmcg_unit(const struct pmcg_hardware *hardware);
unsigned int pmcg_nth_event(struct stimulus *stimulus, unsigned int n);
void pmcg_name(char *name, size_t size, __u64 page_0);

bool pmcg_has_spans(const struct pmu *pmu);
bool pmcg_has_event(const struct pmu *pmu, unsigned int event);
int pmcg_describe(const struct pmu *pmu, struct perf_event_attr *attr,
		  unsigned int event, const struct pmcg_filter *filter);
int pmcg_open_filtered(const struct pmu *pmu, unsigned int event,
		       const struct pmcg_filter *filter, int group_fd);

#endif
