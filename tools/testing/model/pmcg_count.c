// SPDX-License-Identifier: GPL-2.0
/*
 * Counting, overflow and capture of a PMCG: IHI 0070 §10.2.1.
 */
#include <string.h>

#include "pmcg_private.h"

/* A counter counts while both its own and the global enable are set (§10.5.2.5). */
void pmcg_update_counting(struct pmcg *pmcg)
{
	uint64_t enabled = (pmcg->control & PMCG_CR_E) ? pmcg->enabled : 0;

	if (pmcg->config.stuck_enable)
		pmcg->counting |= enabled;
	else
		pmcg->counting = enabled;
}

static bool counts(const struct pmcg *pmcg, unsigned int counter, uint32_t number)
{
	return !pmcg->dead && (pmcg->counting >> counter) & 1 &&
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
	if (overflows & pmcg->interrupt_enabled && pmcg->irq_control & PMCG_IRQ_CTRL_IRQEN)
		pmcg_interrupt(pmcg);
}

uint64_t pmcg_cycles_to_overflow(const struct pmcg *pmcg)
{
	const struct pmcg_event cycle = { .number = PMCG_EVENT_CYCLES };
	uint64_t max = pmcg_counter_max(pmcg);
	uint64_t nearest = UINT64_MAX;
	unsigned int i;

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

void pmcg_step(struct pmcg *pmcg, const struct pmcg_event *event, uint64_t n)
{
	pmcg->step_event = *event;
	pmcg->step_count = n;
}

uint64_t pmcg_steps(const struct pmcg *pmcg)
{
	return pmcg->step_count;
}

void pmcg_precede(struct pmcg *pmcg, unsigned int page, uint32_t offset,
		  const struct pmcg_event *event, uint64_t n)
{
	pmcg->preceding_page = page;
	pmcg->preceding_offset = offset;
	pmcg->preceding_event = *event;
	pmcg->preceding_count = n;
}

uint64_t pmcg_preceding(const struct pmcg *pmcg)
{
	return pmcg->preceding_count;
}

bool pmcg_is_armed(const struct pmcg *pmcg)
{
	return pmcg->control & PMCG_CR_E || pmcg->irq_control & PMCG_IRQ_CTRL_IRQEN;
}

void pmcg_set_dead(struct pmcg *pmcg, bool dead)
{
	pmcg->dead = dead;
}

bool pmcg_is_dead(const struct pmcg *pmcg)
{
	return pmcg->dead;
}
