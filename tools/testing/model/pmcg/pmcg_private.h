/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal declarations of the PMCG model.
 */
#ifndef PMCG_PRIVATE_H
#define PMCG_PRIVATE_H

#include "pmcg.h"
#include "syspmu_family.h"
#include "pmcg_registers.h"

static inline struct pmcg *to_pmcg(struct syspmu_model *model)
{
	return (struct pmcg *)((char *)model - offsetof(struct pmcg, model));
}

static inline const struct pmcg *const_pmcg(const struct syspmu_model *model)
{
	return (const struct pmcg *)((const char *)model - offsetof(struct pmcg, model));
}

extern const struct syspmu_ops pmcg_ops;

/* Whether PARTID or PMG replace the StreamID in the filter of this EVTYPER. */
static inline bool pmcg_partid_filtered(uint32_t type)
{
	return type & (PMCG_EVTYPER_FILTER_PARTID | PMCG_EVTYPER_FILTER_PMG);
}

/*
 * Whether the filter, in EVTYPER and SMR, and the observation controls permit an event (§10.4).
 * The counter counts its number.
 */
bool pmcg_filter_match(const struct pmcg_config *config, uint32_t type, uint32_t match,
		       const struct syspmu_event *event);

/* Operations of struct syspmu_ops that are not in pmcg.c. */
struct syspmu_counted pmcg_counted(const struct syspmu_model *model, unsigned int counter);
bool pmcg_includes(const struct syspmu_model *model, const struct syspmu_counted *counted,
		   const struct syspmu_event *event);
void pmcg_event(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n);
bool pmcg_message(const struct syspmu_model *model, struct syspmu_message *message);
void pmcg_message_aborted(struct syspmu_model *model);

/* Begin an Update of IRQ_CTRL (§10.5.2.19). @value: what is written. */
void pmcg_update_irqen(struct pmcg *pmcg, uint32_t value);

/* Advance a delayed Update towards its end: software has just read IRQ_CTRLACK. */
void pmcg_acknowledgment_was_read(struct pmcg *pmcg);

/* Copy all counters to their shadow registers (§10.2.1). */
void pmcg_capture(struct pmcg *pmcg);

#endif /* PMCG_PRIVATE_H */
