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

	if (pmcg->config.dead_counters || pmcg->config.inert)
		enabled = 0;
	if (pmcg->config.stuck_enable)
		pmcg->counting |= enabled;
	else
		pmcg->counting = enabled;
}

static struct pmcg_counted counted_by(const struct pmcg *pmcg, unsigned int counter)
{
	unsigned int filter = pmcg_filter_index(pmcg, counter);

	return (struct pmcg_counted) {
		.type = pmcg->type[counter],
		.filter = pmcg->type[filter] & ~(PMCG_EVTYPER_EVENT | PMCG_EVTYPER_OVFCAP),
		.match = pmcg->stream_match[filter],
	};
}

static bool includes(const struct pmcg *pmcg, const struct pmcg_counted *counted,
		     const struct pmcg_event *event)
{
	return (counted->type & PMCG_EVTYPER_EVENT) == event->number &&
	       pmcg_filter_match(&pmcg->config, counted->filter, counted->match, event);
}

static bool counts(const struct pmcg *pmcg, unsigned int counter, const struct pmcg_event *event)
{
	struct pmcg_counted counted;

	if (pmcg->dead || !((pmcg->counting >> counter) & 1))
		return false;
	counted = counted_by(pmcg, counter);
	return includes(pmcg, &counted, event);
}

/* How many events like this one a counter would count by what it counted before a change. */
static uint32_t late_events(const struct pmcg *pmcg, unsigned int counter,
			    const struct pmcg_event *event)
{
	if (pmcg->dead || !pmcg->late_events[counter] ||
	    !includes(pmcg, &pmcg->late[counter], event))
		return 0;
	return pmcg->late_events[counter];
}

void pmcg_before_change(const struct pmcg *pmcg, struct pmcg_state *state)
{
	unsigned int i;

	if (!pmcg->change_delay)
		return;
	state->counting = pmcg->counting;
	for (i = 0; i < pmcg->config.counters; i++)
		state->counted[i] = counted_by(pmcg, i);
}

void pmcg_after_change(struct pmcg *pmcg, const struct pmcg_state *state)
{
	struct pmcg_counted now;
	unsigned int i;

	if (!pmcg->change_delay)
		return;
	for (i = 0; i < pmcg->config.counters; i++) {
		const struct pmcg_counted *then = &state->counted[i];

		if (!((state->counting >> i) & 1))
			continue;
		now = counted_by(pmcg, i);
		if ((pmcg->counting >> i) & 1 && now.type == then->type &&
		    now.filter == then->filter && now.match == then->match)
			continue;
		pmcg->late[i] = *then;
		pmcg->late_events[i] = pmcg->change_delay;
	}
}

void pmcg_delay_changes(struct pmcg *pmcg, uint32_t events)
{
	pmcg->change_delay = events;
	if (!events)
		memset(pmcg->late_events, 0, sizeof(pmcg->late_events));
}

uint32_t pmcg_change_delay(const struct pmcg *pmcg)
{
	return pmcg->change_delay;
}

void pmcg_capture(struct pmcg *pmcg)
{
	unsigned int i;

	for (i = 0; i < pmcg->config.counters; i++)
		pmcg->shadow[i] = pmcg->counter[pmcg_counter(pmcg, i)];
}

/* Whether a counter overflows by it. */
static bool add(struct pmcg *pmcg, unsigned int counter, uint64_t n, uint64_t *overflows)
{
	uint64_t *value = &pmcg->counter[pmcg_counter(pmcg, counter)];
	uint64_t max = pmcg_counter_max(pmcg);
	bool overflow = n > max - *value;

	*value = (*value + n) & max;
	if (overflow)
		*overflows |= UINT64_C(1) << counter;
	return overflow;
}

void pmcg_event(struct pmcg *pmcg, const struct pmcg_event *event, uint64_t n)
{
	uint64_t overflows = 0;
	bool capture = false;
	unsigned int i;

	for (i = 0; i < pmcg->config.counters; i++) {
		uint64_t late = late_events(pmcg, i, event);

		if (late > n)
			late = n;
		if (late) {
			pmcg->late_events[i] -= (uint32_t)late;
			if (add(pmcg, i, late, &overflows) &&
			    pmcg->late[i].type & PMCG_EVTYPER_OVFCAP)
				capture = true;
		}
		if (counts(pmcg, i, event) && add(pmcg, i, n - late, &overflows) &&
		    pmcg->type[i] & PMCG_EVTYPER_OVFCAP)
			capture = true;
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
		uint64_t room = max - pmcg->counter[pmcg_counter(pmcg, i)];

		if (!counts(pmcg, i, &cycle) && late_events(pmcg, i, &cycle) <= room)
			continue;
		/* A 64-bit counter at zero is one cycle beyond what the result can hold. */
		if (room < nearest)
			nearest = room + 1;
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

void pmcg_tear_write(struct pmcg *pmcg, unsigned int page, uint32_t offset,
		     const struct pmcg_event *event, uint64_t n)
{
	pmcg->torn_write_page = page;
	pmcg->torn_write_offset = offset;
	pmcg->torn_write_event = *event;
	pmcg->torn_write_count = n;
}

uint64_t pmcg_write_tears(const struct pmcg *pmcg)
{
	return pmcg->torn_write_count;
}

void pmcg_request_capture(struct pmcg *pmcg)
{
	if (!pmcg->dead)
		pmcg_capture(pmcg);
}

void pmcg_set_secure_control(struct pmcg *pmcg, bool nsra, bool observation)
{
	if (!pmcg->config.secure || pmcg->dead)
		return;
	pmcg->config.nsra = nsra;
	pmcg->config.secure_observation = observation;
}

bool pmcg_nsra(const struct pmcg *pmcg)
{
	return pmcg->config.nsra;
}

bool pmcg_secure_observation(const struct pmcg *pmcg)
{
	return pmcg->config.secure_observation;
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
