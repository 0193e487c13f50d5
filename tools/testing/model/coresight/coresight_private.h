/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal declarations of the CoreSight PMU model.
 */
#ifndef CORESIGHT_PRIVATE_H
#define CORESIGHT_PRIVATE_H

#include "coresight.h"
#include "coresight_registers.h"

static inline struct coresight *to_coresight(struct syspmu_model *model)
{
	return (struct coresight *)((char *)model - offsetof(struct coresight, model));
}

static inline const struct coresight *const_coresight(const struct syspmu_model *model)
{
	return (const struct coresight *)((const char *)model - offsetof(struct coresight, model));
}

/* Returns NULL, or the reason why no such PMU can exist. */
const char *coresight_check_config(const struct coresight_config *config);

/*
 * The numbers of the monitors; those beyond the limit of any PMU are left out. Returns how many
 * there are, including the cycle counter.
 */
unsigned int coresight_numbers(const struct coresight_config *config,
			       struct syspmu_bits *numbers);

/* The width of a monitor, in bits. */
unsigned int coresight_width(const struct coresight_config *config, unsigned int number);

/* That of the largest monitor. */
unsigned int coresight_greatest_width(const struct coresight_config *config);

static inline bool coresight_is_cycle_counter(const struct coresight *pmu, unsigned int number)
{
	return pmu->config.cycle_counter && number == CORESIGHT_CYCLE_COUNTER;
}

/* Whether the PMU is in the STOP state (rule HLTDF). */
static inline bool coresight_is_stopped(const struct coresight *pmu)
{
	return !(pmu->control & CORESIGHT_PMCR_E);
}

/* Identification registers */
uint32_t coresight_cfgr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word);
uint32_t coresight_cfgr_page_1_read(const struct syspmu_model *model, unsigned int index,
				    unsigned int word);
uint32_t coresight_cgcr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word);
uint32_t coresight_ceid_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word);
uint32_t coresight_iidr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word);
uint32_t coresight_authstatus_read(const struct syspmu_model *model, unsigned int index,
				   unsigned int word);
uint32_t coresight_devarch_read(const struct syspmu_model *model, unsigned int index,
				unsigned int word);
uint32_t coresight_devarch_page_1_read(const struct syspmu_model *model, unsigned int index,
				       unsigned int word);
uint32_t coresight_devtype_read(const struct syspmu_model *model, unsigned int index,
				unsigned int word);
uint32_t coresight_devtype_page_1_read(const struct syspmu_model *model, unsigned int index,
				       unsigned int word);
uint32_t coresight_id_read(const struct syspmu_model *model, unsigned int index,
			   unsigned int word);

/* MSIs */
uint32_t coresight_irqcr0_read(const struct syspmu_model *model, unsigned int index,
			       unsigned int word);
void coresight_irqcr0_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			    uint32_t value);
uint32_t coresight_irqcr1_read(const struct syspmu_model *model, unsigned int index,
			       unsigned int word);
void coresight_irqcr1_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			    uint32_t value);
uint32_t coresight_irqcr2_read(const struct syspmu_model *model, unsigned int index,
			       unsigned int word);
void coresight_irqcr2_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			    uint32_t value);
uint32_t coresight_irqsr_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word);
void coresight_irqsr_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value);
bool coresight_message(const struct syspmu_model *model, struct syspmu_message *message);
void coresight_message_aborted(struct syspmu_model *model);

/* Bring the registers of MSIs to their state after reset. @seed: changed. */
void coresight_reset_interrupt(struct coresight *pmu, uint64_t *seed);

/* Snapshots */
uint32_t coresight_saved_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word);
void coresight_sscr_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value);
uint32_t coresight_ssrr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word);
void coresight_ssrr_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value);
void coresight_capture(struct syspmu_model *model);

/* Bring the registers of snapshots to their state after reset. @seed: changed. */
void coresight_reset_snapshot(struct coresight *pmu, uint64_t *seed);

/* Counting */
void coresight_update(struct syspmu_model *model);
void coresight_event(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n);
struct syspmu_counted coresight_counted(const struct syspmu_model *model, unsigned int counter);
bool coresight_includes(const struct syspmu_model *model, const struct syspmu_counted *counted,
			const struct syspmu_event *event);
struct syspmu_rate coresight_rate(const struct syspmu_model *model, unsigned int counter,
				  const struct syspmu_event *event);

#endif /* CORESIGHT_PRIVATE_H */
