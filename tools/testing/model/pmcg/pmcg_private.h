/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the PMCG model share with each other.
 */
#ifndef PMCG_PRIVATE_H
#define PMCG_PRIVATE_H

#include "pmcg.h"
#include "pmcg_registers.h"

/**
 * pmcg_ones() - a number whose low bits are set
 * @n: how many, 0 to 64
 *
 * Return: the number.
 */
static inline uint64_t pmcg_ones(unsigned int n)
{
	return n ? UINT64_MAX >> (64 - n) : 0;
}

/**
 * pmcg_counter_max() - the greatest value of a counter
 * @pmcg: the PMCG
 *
 * Return: the value; it is also the mask of the implemented counter bits.
 */
static inline uint64_t pmcg_counter_max(const struct pmcg *pmcg)
{
	return pmcg_ones(pmcg->config.size + 1);
}

/**
 * pmcg_counter() - where the value of a counter is
 * @pmcg: the PMCG
 * @counter: number of a counter
 *
 * Return: the number of the counter that has its value.
 */
static inline unsigned int pmcg_counter(const struct pmcg *pmcg, unsigned int counter)
{
	return pmcg->config.aliased_counters ? 0 : counter;
}

/**
 * pmcg_filter_index() - the counter whose EVTYPER and SMR hold the filter of a counter
 * @pmcg: the PMCG
 * @counter: number of a counter
 *
 * Return: the number of the counter that holds the filter.
 */
static inline unsigned int pmcg_filter_index(const struct pmcg *pmcg, unsigned int counter)
{
	return pmcg->config.global_filter ? 0 : counter;
}

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
 * @event: the event, of a number that is counted
 *
 * Return: true if the filter, and observation, let @event pass.
 */
bool pmcg_filter_match(const struct pmcg_config *config, uint32_t type, uint32_t match,
		       const struct pmcg_event *event);

/**
 * struct pmcg_state - what counters counted before a write
 * @counting: the counters that did
 * @counted: what each counter counts while it does
 */
struct pmcg_state {
	uint64_t counting;
	struct pmcg_counted counted[PMCG_MAX_COUNTERS];
};

/**
 * pmcg_before_change() - look at what may change
 * @pmcg: the PMCG
 * @state: what it is
 */
void pmcg_before_change(const struct pmcg *pmcg, struct pmcg_state *state);

/**
 * pmcg_after_change() - let what has changed be late, where that is asked for
 * @pmcg: the PMCG
 * @state: what pmcg_before_change() saw
 */
void pmcg_after_change(struct pmcg *pmcg, const struct pmcg_state *state);

/**
 * pmcg_update_counting() - find out which counters count, after a change of an enable
 * @pmcg: the PMCG
 */
void pmcg_update_counting(struct pmcg *pmcg);

/**
 * pmcg_interrupt() - send the interrupt of this PMCG (§10.2.1)
 * @pmcg: the PMCG; whatever the interrupt tells of is up to date
 */
void pmcg_interrupt(struct pmcg *pmcg);

/**
 * pmcg_update_irqen() - begin an Update of IRQ_CTRL (§10.5.2.19)
 * @pmcg: the PMCG
 * @value: what is written
 */
void pmcg_update_irqen(struct pmcg *pmcg, uint32_t value);

/**
 * pmcg_acknowledgment_was_read() - come nearer to the end of an Update
 * @pmcg: the PMCG, whose IRQ_CTRLACK software has just read
 */
void pmcg_acknowledgment_was_read(struct pmcg *pmcg);

/**
 * pmcg_capture() - copy all counters to their shadow registers (§10.2.1)
 * @pmcg: the PMCG
 */
void pmcg_capture(struct pmcg *pmcg);

#endif /* PMCG_PRIVATE_H */
