// SPDX-License-Identifier: GPL-2.0
/*
 * Counting, overflow, capture and the interrupt of a PMCG: IHI 0070 §10.2.1.
 */
#include <string.h>

#include "pmcg_private.h"

/* A counter counts while both its own and the global enable are set (§10.5.2.5). */
static bool counts(const struct pmcg *pmcg, unsigned int counter, uint32_t number)
{
	return pmcg->control & PMCG_CR_E && (pmcg->enabled >> counter) & 1 &&
	       (pmcg->type[counter] & PMCG_EVTYPER_EVENT) == number;
}

void pmcg_capture(struct pmcg *pmcg)
{
	memcpy(pmcg->shadow, pmcg->counter, sizeof(pmcg->shadow));
}

void pmcg_event(struct pmcg *pmcg, const struct pmcg_event *event, uint64_t n)
{
	uint64_t max = pmcg_counter_max(pmcg);
	uint64_t overflows = 0;
	bool capture = false;
	unsigned int i;

	if (pmcg->config.dead)
		return;

	for (i = 0; i < pmcg->config.counters; i++) {
		if (!counts(pmcg, i, event->number) || !pmcg_filter_match(pmcg, i, event))
			continue;
		if (n > max - pmcg->counter[i]) {
			overflows |= UINT64_C(1) << i;
			if (pmcg->type[i] & PMCG_EVTYPER_OVFCAP)
				capture = true;
		}
		pmcg->counter[i] = (pmcg->counter[i] + n) & max;
	}

	/*
	 * Neither capture nor interrupt ask for the old overflow status. Whoever sees the
	 * interrupt must see all the rest, so it comes last.
	 */
	pmcg->overflowed |= overflows;
	if (capture)
		pmcg_capture(pmcg);
	if (overflows & pmcg->interrupt_enabled && pmcg->irq_control & PMCG_IRQ_CTRL_IRQEN) {
		pmcg->interrupt_edges++;
		if (pmcg->interrupt)
			pmcg->interrupt(pmcg->opaque);
	}
}

uint64_t pmcg_cycles_to_overflow(const struct pmcg *pmcg)
{
	const struct pmcg_event cycle = { .number = PMCG_EVENT_CYCLES };
	uint64_t max = pmcg_counter_max(pmcg);
	uint64_t nearest = UINT64_MAX;
	unsigned int i;

	if (pmcg->config.dead)
		return nearest;

	for (i = 0; i < pmcg->config.counters; i++) {
		if (!counts(pmcg, i, cycle.number) || !pmcg_filter_match(pmcg, i, &cycle))
			continue;
		/* A 64-bit counter at zero is one cycle beyond what the result can hold. */
		if (max - pmcg->counter[i] < nearest)
			nearest = max - pmcg->counter[i] + 1;
	}
	return nearest;
}

void pmcg_tear(struct pmcg *pmcg, const struct pmcg_event *event, uint64_t n)
{
	pmcg->torn_event = *event;
	pmcg->torn_count = n;
}

uint64_t pmcg_interrupt_edges(const struct pmcg *pmcg)
{
	return pmcg->interrupt_edges;
}
