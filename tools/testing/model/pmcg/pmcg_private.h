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

/**
 * pmcg_partid_filtered() - whether PARTID or PMG replace the StreamID in a filter
 * @type: the EVTYPER that holds the filter
 *
 * Return: true if they do.
 */
static inline bool pmcg_partid_filtered(uint32_t type)
{
	return type & (PMCG_EVTYPER_FILTER_PARTID | PMCG_EVTYPER_FILTER_PMG);
}

/**
 * pmcg_filter_match() - whether an event may be counted (§10.4)
 * @config: of the PMCG
 * @type: the EVTYPER that holds the filter
 * @match: the SMR that holds the filter
 * @event: the event, whose number the counter counts
 *
 * Return: true if both the filter and the observation controls permit @event.
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

/**
 * pmcg_update_irqen() - begin an Update of IRQ_CTRL (§10.5.2.19)
 * @pmcg: the PMCG
 * @value: what is written
 */
void pmcg_update_irqen(struct pmcg *pmcg, uint32_t value);

/**
 * pmcg_acknowledgment_was_read() - advance a delayed Update towards its end
 * @pmcg: the PMCG, whose IRQ_CTRLACK software has just read
 */
void pmcg_acknowledgment_was_read(struct pmcg *pmcg);

/**
 * pmcg_capture() - copy all counters to their shadow registers (§10.2.1)
 * @pmcg: the PMCG
 */
void pmcg_capture(struct pmcg *pmcg);

#endif /* PMCG_PRIVATE_H */
