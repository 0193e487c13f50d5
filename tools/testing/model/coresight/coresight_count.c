// SPDX-License-Identifier: GPL-2.0
/*
 * Counting, overflow, freezing and chaining: IHI 0091 §2.2, §2.5 and §2.6.1 to §2.6.5.
 */
#include "coresight_private.h"

struct syspmu_counted coresight_counted(const struct syspmu_model *model, unsigned int counter)
{
	const struct coresight *pmu = const_coresight(model);

	if (coresight_is_cycle_counter(pmu, counter))
		return (struct syspmu_counted){ .type = CORESIGHT_CYCLES };
	return (struct syspmu_counted) {
		.type = syspmu_word(pmu->type[counter], 0),
		.filter = syspmu_word(pmu->filter[counter], 0),
		.match = syspmu_word(pmu->filter2[counter], 0),
	};
}

/* §3.7: for some events, PMCEID indicates whether they are implemented. */
static bool is_implemented(const struct coresight_config *config, uint32_t number)
{
	bool described = false;
	unsigned int i;

	for (i = 0; i < CORESIGHT_CEIDS; i++) {
		uint32_t bit = number - 32 * i;

		if (bit < 32 && config->ceid[i] >> bit & 1)
			return true;
		described |= bit < 32;
	}
	return !described;
}

static bool passes(const struct coresight_config *config, uint32_t filter,
		   const struct syspmu_event *event)
{
	if (!config->filter_bits)
		return true;
	if (config->filter == CORESIGHT_FILTER_SOURCES)
		return filter >> event->stream_id % 32 & 1;
	return !filter || filter == event->stream_id;
}

/*
 * The window of linux 7.3's nvidia_cspmu.c: no document describes it. The physical address of an
 * event is in the place of its StreamID, without the low bits.
 */
#define WINDOW			0xd38
#define SLOT_CONTROL		0
#define SLOT_BASE		1
#define SLOT_MASK		3
#define SLOT_ENABLE		0x1
#define ADDRESS_SHIFT		26

static const uint32_t *slot_register(const struct coresight *pmu, uint32_t offset)
{
	uint32_t number = (offset - WINDOW) / 4;

	if (offset < WINDOW || number >= CORESIGHT_SLOTS * CORESIGHT_SLOT_REGISTERS)
		return NULL;
	return &pmu->slot[number / CORESIGHT_SLOT_REGISTERS][number % CORESIGHT_SLOT_REGISTERS];
}

uint32_t coresight_window_read(const struct coresight *pmu, uint32_t offset)
{
	const uint32_t *reg = slot_register(pmu, offset);

	return reg ? *reg : 0;
}

void coresight_window_write(struct coresight *pmu, uint32_t offset, uint32_t value)
{
	uint32_t *reg = (uint32_t *)slot_register(pmu, offset);

	if (reg)
		*reg = value;
}

static uint64_t slot_word(const uint32_t *slot, unsigned int first)
{
	return (uint64_t)slot[first + 1] << 32 | slot[first];
}

static bool selects(const uint32_t *slot, uint64_t address)
{
	return slot[SLOT_CONTROL] & SLOT_ENABLE &&
	       !((address ^ slot_word(slot, SLOT_BASE)) & slot_word(slot, SLOT_MASK));
}

static bool passes_addresses(const struct coresight *pmu, uint32_t filter,
			     const struct syspmu_event *event)
{
	uint64_t address = (uint64_t)event->stream_id << ADDRESS_SHIFT;
	uint32_t ports = filter & 0xff, slots = filter >> 8 & 0xff;
	unsigned int i;

	if (ports && !(ports >> event->partid % 8 & 1))
		return false;
	for (i = 0; i < CORESIGHT_SLOTS; i++) {
		if (slots >> i & 1 && selects(pmu->slot[i], address))
			return true;
	}
	return ports && !slots;
}

static bool passes_second(const struct coresight *pmu, uint32_t filter,
			  const struct syspmu_event *event)
{
	if (!pmu->config.filter2_bits)
		return true;
	switch (pmu->config.filter2) {
	case CORESIGHT_FILTER2_TARGETS:
		return filter >> event->partid % 32 & 1;
	case CORESIGHT_FILTER2_ADDRESSES:
		return passes_addresses(pmu, filter, event);
	default:
		return !filter || filter == event->partid;
	}
}

/* Only the writable bits of the type select the event, CHAIN and cycles included. */
bool coresight_includes(const struct syspmu_model *model, const struct syspmu_counted *counted,
			const struct syspmu_event *event)
{
	const struct coresight_config *config = &const_coresight(model)->config;

	if (counted->type != event->number)
		return false;
	if (event->number == CORESIGHT_CYCLES)
		return true;
	if (config->chain && event->number == config->chain_event)
		return false;
	return is_implemented(config, event->number) &&
	       event->security == SYSPMU_NON_SECURE &&
	       passes(config, counted->filter, event) &&
	       passes_second(const_coresight(model), counted->match, event);
}

struct syspmu_rate coresight_rate(const struct syspmu_model *model, unsigned int counter,
				  const struct syspmu_event *event)
{
	const struct coresight *pmu = const_coresight(model);
	bool prescaled = pmu->control & CORESIGHT_PMCR_D &&
			 coresight_is_cycle_counter(pmu, counter);

	return (struct syspmu_rate) {
		.events = prescaled ? 64 : 1,
		.step = event->number == CORESIGHT_CYCLES ? 1 : pmu->config.step,
	};
}

static bool counts_chain(const struct coresight *pmu, unsigned int number)
{
	return pmu->config.chain && number % 2 &&
	       syspmu_test_bit(&pmu->model.implemented, number) &&
	       !coresight_is_cycle_counter(pmu, number) &&
	       pmu->type[number] == pmu->config.chain_event;
}

/*
 * An odd monitor counts the overflows of the even one before it, if that is a counter (rule YBGZK),
 * either immediately or before the even one shows that it has wrapped (rule DJHLY).
 */
static void chain(struct coresight *pmu, const struct syspmu_overflows *overflows)
{
	struct syspmu_model *model = &pmu->model;
	unsigned int i;

	for (i = 0; i + 1 < model->counters; i += 2) {
		if (!syspmu_test_bit(&overflows->counters, i) || model->counter[i].gauge ||
		    !counts_chain(pmu, i + 1) || !syspmu_test_bit(&model->counting, i + 1))
			continue;
		syspmu_increment(model, i + 1, model->counter[i].wraps);
		if (!pmu->config.chain_reads)
			continue;
		/* The time is finite, also if others wrap all the time. */
		syspmu_set_bit(&pmu->wrapping, i);
		if (!pmu->wrapping_reads)
			pmu->wrapping_reads = pmu->config.chain_reads;
	}
}

/* Rule MLXVL */
static bool is_frozen(const struct coresight *pmu)
{
	const struct syspmu_bits *flags = &pmu->model.overflowed;

	return pmu->control & CORESIGHT_PMCR_FZO && syspmu_intersects(flags, flags);
}

static bool is_halted(const struct coresight *pmu)
{
	return pmu->halted && (pmu->config.halt == CORESIGHT_HALT_STOPS ||
			       pmu->control & CORESIGHT_PMCR_HDBG);
}

/* Whether the cycle counter counts in the RUN state if it is enabled. */
static bool cycles_are_counted(const struct coresight *pmu)
{
	bool dp = pmu->control & CORESIGHT_PMCR_DP;

	if (pmu->type[CORESIGHT_CYCLE_COUNTER] & CORESIGHT_PMCCFILTR_INHIBIT)
		return false;
	return !pmu->second_state || !dp;
}

/* No event has a number or source of more than 32 bits. */
static bool has_upper_half(const struct coresight *pmu, unsigned int number)
{
	return syspmu_word(pmu->type[number] | pmu->filter[number] | pmu->filter2[number], 1);
}

static void update_counting(struct coresight *pmu)
{
	bool frozen = is_frozen(pmu);
	bool running = !coresight_is_stopped(pmu) && !is_halted(pmu);
	bool cycles = running && pmu->config.cycle_counter && cycles_are_counted(pmu) &&
		      !frozen;
	struct syspmu_bits *counting = &pmu->model.counting;
	unsigned int i;

	syspmu_update_counting(&pmu->model, running);
	if (pmu->config.common.stuck_enable)
		return;
	for (i = 0; i < pmu->model.counters; i++) {
		bool counts = coresight_is_cycle_counter(pmu, i) ?
			      cycles : !frozen && !pmu->second_state;

		if (!counts || has_upper_half(pmu, i))
			syspmu_clear_bit(counting, i);
	}
}

/* The interrupt can be asserted in the RUN and WAIT states (rule MDCYL). */
void coresight_update(struct syspmu_model *model)
{
	struct coresight *pmu = to_coresight(model);

	update_counting(pmu);
	syspmu_set_irq_level(model, !coresight_is_stopped(pmu) &&
			     syspmu_intersects(&model->overflowed, &model->irq_enabled));
}

/* Freezing is not precise: it may be late (I DHXMS). */
void coresight_event(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n)
{
	struct syspmu_overflows overflows;
	struct syspmu_before before;

	syspmu_count(model, event, n, &overflows);
	/* What counts and whether there is an interrupt only depends on overflow flags. */
	if (!syspmu_intersects(&overflows.counters, &overflows.counters))
		return;
	syspmu_before_change(model, &before);
	chain(to_coresight(model), &overflows);
	coresight_update(model);
	syspmu_after_change(model, &before);
}

void coresight_set_agent(struct coresight *pmu, bool halted, bool second_state)
{
	pmu->halted = halted;
	pmu->second_state = second_state;
	coresight_update(&pmu->model);
}
