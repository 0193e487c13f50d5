// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzz target for libFuzzer: an input is a configuration of a PMCG and a sequence of
 * operations. After each operation the rules are checked; the first one that is broken ends
 * the run and prints the operations up to there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const char *const actions[] = {
	[READ] = "read", [WRITE] = "write", [EVENT] = "event", [STEP] = "step", [TEAR] = "tear",
	[RESET] = "reset", [POWER] = "power", [HOLD] = "hold", [FATE] = "fate", [DELAY] = "delay",
	[LATE] = "late", [CAPTURE] = "capture",
	[OBSERVE] = "observe",
};

static void print_operation(const struct operation *op)
{
	const struct syspmu_event *event = &op->event;

	fprintf(stderr, "  %s", actions[op->action]);
	if (op->action == READ || op->action == WRITE)
		fprintf(stderr, " page %u offset 0x%03" PRIx32 " size %u", op->page, op->offset,
			op->size);
	if (op->action == EVENT || op->action == STEP || op->action == TEAR)
		fprintf(stderr, " 0x%" PRIx32 " times 0x%" PRIx64 ", StreamID 0x%" PRIx32
			"%s state %u%s%s PARTID 0x%x PMG 0x%x space %u\n", event->number, op->n,
			event->stream_id, event->no_stream_id ? " (none)" : "", event->security,
			event->protected_mode ? " protected" : "",
			event->non_attributable ? " non-attributable" : "", event->partid,
			event->pmg, event->partid_space);
	else
		fprintf(stderr, " value 0x%" PRIx64 "\n", op->value);
}

static void fail(const struct world *world, const char *rule)
{
	const struct pmcg_config *config = &world->config;
	unsigned int i;

	fprintf(stderr, "rule broken: %s\n", rule);
	fprintf(stderr, "a PMCG of %u counters of %u bits; the last operation broke it:\n",
		config->counters, config->size + 1);
	for (i = 0; i < world->operations; i++)
		print_operation(&world->done[i]);
	abort();
}

static void count_interrupt(void *opaque, bool level)
{
	struct world *world = opaque;

	world->delivered += level;
}

static bool take_message(void *opaque, const struct syspmu_message *message)
{
	struct world *world = opaque;

	world->delivered++;
	world->trial.message = *message;
	return true;
}

struct area {
	unsigned int page;
	uint32_t offset;
	uint32_t bytes;
};

#define AREAS	13

/* The areas with registers; the rest of both pages is checked once, at the end. */
static void find_areas(const struct pmcg_config *config, struct area areas[AREAS])
{
	unsigned int page = config->relocate;
	uint32_t values = config->counters * stride(config), types = config->counters * 4;
	const struct area all[AREAS] = {
		{ page, EVCNTR, values }, { 0, EVTYPER, types }, { page, SVR, values },
		{ 0, SMR, types }, { 0, CNTENSET, 8 }, { 0, CNTENCLR, 8 }, { 0, INTENSET, 8 },
		{ 0, INTENCLR, 8 }, { page, OVSCLR, 8 }, { page, OVSSET, 8 }, { page, CAPR, 4 },
		{ 0, CFGR, RESERVED - CFGR }, { 0, ID_REGS, SYSPMU_PAGE_SIZE - ID_REGS },
	};

	memcpy(areas, all, sizeof(all));
}

static void look(struct world *world, struct view *view)
{
	const struct pmcg *pmcg = &world->pmcg;
	struct area areas[AREAS];
	unsigned int i;
	uint32_t offset;

	find_areas(&world->config, areas);
	for (i = 0; i < AREAS; i++) {
		for (offset = areas[i].offset & ~7u; offset < areas[i].offset + areas[i].bytes;
		     offset += 8)
			view->word[areas[i].page][offset / 8] =
				syspmu_peek(&pmcg->model, areas[i].page, offset);
	}
	view->edges = syspmu_irq_edges(&pmcg->model);
	view->messages = syspmu_messages(&pmcg->model);
	view->cycles = syspmu_cycles_to_overflow(&pmcg->model);
	view->hold = syspmu_holds_interrupts(&pmcg->model);
	view->fate = syspmu_msi_fate(&pmcg->model);
	view->delivered = world->delivered;
}

/* Accesses that have no effect are counted, too (syspmu.h). */
static void check_accesses(struct world *world)
{
	struct syspmu_accesses all = syspmu_accesses(&world->pmcg.model, 0, SYSPMU_ALL_REGISTERS);

	if (all.reads + all.writes != world->accesses)
		fail(world, "each access is counted once");
}

/* RES0: offsets without a register, bits and array elements that are not implemented. */
static void check_holes(struct world *world)
{
	const struct pmcg_config *config = &world->config;
	struct area areas[AREAS];
	unsigned int page, i;
	uint32_t offset;
	uint32_t half;

	find_areas(config, areas);
	for (page = 0; page < SYSPMU_PAGES; page++) {
		for (offset = 0; offset < SYSPMU_PAGE_SIZE; offset += 4) {
			for (i = 0; i < AREAS; i++) {
				if (page == areas[i].page && offset >= areas[i].offset &&
				    offset < areas[i].offset + areas[i].bytes)
					break;
			}
			half = (uint32_t)(syspmu_peek(&world->pmcg.model, page, offset) >>
					  offset % 8 * 8);
			if (half && (i == AREAS || areas[i].offset == CAPR))
				fail(world, "what is not there, or is only written, is zero");
		}
	}
	for (i = 0; i < config->counters; i++) {
		if ((counter_at(config, &world->trial.after, EVCNTR, i) |
		     counter_at(config, &world->trial.after, SVR, i)) & ~ones(config->size + 1))
			fail(world, "a counter has no bit above its size");
	}
}

/* §10.5.2.11 to §10.5.2.18, §10.5.2.26, §10.5.2.27 and §10.5.2.29 */
static void check_identity(struct world *world)
{
	const struct pmcg_config *config = &world->config;
	bool limits = config->mpam || (config->filter_partid_pmg && !config->mpamidr_needs_mpam);
	uint32_t id = config->peripheral_id;
	const struct {
		uint32_t offset;
		uint32_t value;
	} all[] = {
		{ CFGR, (config->counters - 1) | config->size << 8 |
			(uint32_t)config->relocate << 20 | (uint32_t)config->msi << 21 |
			(uint32_t)config->capture << 22 | (uint32_t)config->global_filter << 23 |
			(uint32_t)config->mpam << 24 | (uint32_t)config->filter_partid_pmg << 25 },
		{ 0xe08, config->iidr },
		{ 0xe20, (uint32_t)config->ceid0 }, { 0xe24, (uint32_t)(config->ceid0 >> 32) },
		{ 0xe28, (uint32_t)config->ceid1 }, { 0xe2c, (uint32_t)(config->ceid1 >> 32) },
		{ 0xe48, (uint32_t)config->root << 31 | (uint32_t)config->realm_observation << 1 |
			 config->root_observation },
		{ 0xe70, config->aidr },
		{ 0xe74, limits ? config->partid_max | (uint32_t)config->pmg_max << 16 : 0 },
		{ 0xfbc, 0x47702a56 }, { 0xfcc, 0x56 }, { 0xfd0, id >> 8 & 0xf },
		{ 0xfe0, id >> 20 & 0xff }, { 0xfe4, (id & 0xf) << 4 | id >> 28 },
		{ 0xfe8, (id >> 12 & 0xf0) | 8 | (id >> 4 & 7) },
		{ 0xfec, (id >> 8 & 0xf0) | config->customer_modified },
		{ 0xff0, 0x0d }, { 0xff4, 0x90 }, { 0xff8, 0x05 }, { 0xffc, 0xb1 },
	};
	uint32_t offset, value;
	unsigned int i;

	for (offset = CFGR; offset < SYSPMU_PAGE_SIZE; offset += 4) {
		if (offset == CR || (offset >= IRQ_CTRL && offset <= GMPAM))
			continue;
		value = 0;
		for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
			if (all[i].offset == offset && (offset < ID_REGS || config->coresight_ids))
				value = all[i].value;
		}
		if (half_at(&world->trial.after, 0, offset) != value)
			fail(world, "the identification registers tell the configuration");
	}
}

static struct late counted_at(const struct pmcg_config *config, const struct view *view,
			      unsigned int i)
{
	unsigned int filter = config->global_filter ? 0 : i;

	return (struct late) {
		.type = half_at(view, 0, EVTYPER + 4 * i),
		.filter = half_at(view, 0, EVTYPER + 4 * filter) & ~(TYPE_EVENT | TYPE_OVFCAP),
		.match = half_at(view, 0, SMR + 4 * filter),
	};
}

static bool counts(const struct pmcg_config *config, const struct late *counted,
		   const struct syspmu_event *event)
{
	return (counted->type & TYPE_EVENT) == event->number &&
	       passes_filter(config, counted->filter, counted->match, event);
}

/* Which counters count the events of this operation, and which of them overflow. */
static void expect_events(struct world *world)
{
	const struct pmcg_config *config = &world->config;
	struct trial *trial = &world->trial;
	const struct view *before = &trial->before;
	const struct syspmu_event *event = &trial->operation.event;
	uint64_t n = trial->operation.n;
	unsigned int i;

	for (i = 0; i < config->counters; i++) {
		uint64_t value = counter_at(config, before, EVCNTR, i);
		uint64_t max = ones(config->size + 1);
		struct late now = counted_at(config, before, i), *late = &world->late[i];
		uint64_t bit = UINT64_C(1) << i, room = max - value;

		trial->added[i] = 0;
		if (late->left && counts(config, late, event)) {
			trial->added[i] = n < late->left ? n : late->left;
			late->left -= (uint32_t)trial->added[i];
			if (trial->added[i] > room && late->type & TYPE_OVFCAP)
				trial->captures |= bit;
			value = (value + trial->added[i]) & max;
		}
		if (trial->running >> i & 1 && counts(config, &now, event)) {
			if (n - trial->added[i] > max - value && now.type & TYPE_OVFCAP)
				trial->captures |= bit;
			trial->added[i] = n;
		}
		if (trial->added[i] > room)
			trial->carry |= bit;
	}
}

/* Whether the requested events occur in this read. */
static bool triggers(const struct world *world, const struct operation *op)
{
	const struct pmcg_config *config = &world->config;
	bool counter = op->offset < EVCNTR + 0x200;
	bool shadow = op->offset >= SVR && op->offset < SVR + 0x200;

	if (!world->armed_count || !is_access(op) || op->page != config->relocate)
		return false;
	return (counter || shadow) &&
	       (!world->armed_to_tear || (config->common.split_accesses && op->size == 8));
}

static void set_change_delay(struct world *world, uint32_t delay)
{
	world->change_delay = delay;
	if (!delay)
		memset(world->late, 0, sizeof(world->late));
}

static void observe(struct world *world, bool observation)
{
	if (world->config.secure)
		world->config.secure_observation = observation;
}

static void execute(struct world *world, struct operation *op)
{
	struct pmcg *pmcg = &world->pmcg;

	switch (op->action) {
	case READ:
		op->value = syspmu_read(&pmcg->model, op->page, op->offset, op->size);
		break;
	case WRITE:
		syspmu_write(&pmcg->model, op->page, op->offset, op->size, op->value);
		break;
	case EVENT:
		syspmu_inject(&pmcg->model, &op->event, op->n);
		break;
	case STEP:
		syspmu_step(&pmcg->model, &op->event, op->n);
		syspmu_tear(&pmcg->model, &op->event, 0);
		break;
	case TEAR:
		syspmu_step(&pmcg->model, &op->event, 0);
		syspmu_tear(&pmcg->model, &op->event, op->n);
		break;
	case RESET:
		syspmu_reset(&pmcg->model, op->value);
		world->armed_count = 0;
		world->ever_enabled = 0;
		set_change_delay(world, 0);
		world->accesses = 0;
		observe(world, world->initial_observation);
		break;
	case POWER:
		syspmu_set_dead(&pmcg->model, op->value & 1);
		break;
	case HOLD:
		syspmu_hold_interrupts(&pmcg->model, op->value & 1);
		break;
	case FATE:
		syspmu_set_msi_fate(&pmcg->model, op->value % 3);
		break;
	case DELAY:
		pmcg_delay_acknowledgment(pmcg, op->value & 3);
		break;
	case LATE:
		op->value %= 5;
		syspmu_delay_changes(&pmcg->model, (uint32_t)op->value);
		set_change_delay(world, (uint32_t)op->value);
		break;
	case CAPTURE:
		syspmu_request_capture(&pmcg->model);
		break;
	case OBSERVE:
		pmcg_set_secure_control(pmcg, world->config.nsra, op->value & 1);
		observe(world, op->value & 1);
		break;
	}
}

/* Without power or access the state cannot be read: only check the result of reads. */
static void run_blind(struct world *world, struct operation *op)
{
	bool dead = syspmu_is_dead(&world->pmcg.model);
	uint64_t edges = syspmu_irq_edges(&world->pmcg.model);
	uint64_t messages = syspmu_messages(&world->pmcg.model);

	execute(world, op);
	if (op->action == READ && op->value != (dead && is_access(op) ? ones(8 * op->size) : 0))
		fail(world, "without power all reads as ones, and as zero while NSRA is 0");
	if (dead && (syspmu_irq_edges(&world->pmcg.model) != edges ||
		     syspmu_messages(&world->pmcg.model) != messages))
		fail(world, "without power there is no interrupt");
}

static uint64_t enabled_counters(const struct view *view)
{
	return half_at(view, 0, CR) & 1 ? word_at(view, 0, CNTENSET) : 0;
}

static uint64_t running_counters(const struct world *world, const struct view *view)
{
	uint64_t enabled = enabled_counters(view);

	return world->config.common.stuck_enable ? enabled | world->ever_enabled : enabled;
}

/* A write that changed what a counter counted has left late events. */
static void expect_late(struct world *world)
{
	const struct pmcg_config *config = &world->config;
	struct trial *trial = &world->trial;
	const struct operation *write = &trial->operation;
	uint64_t running = running_counters(world, &trial->after);
	unsigned int i;

	for (i = 0; i < config->counters; i++) {
		struct late then = counted_at(config, &trial->before, i);
		struct late now = counted_at(config, &trial->after, i);

		if (!(trial->running >> i & 1) ||
		    (running >> i & 1 && then.type == now.type && then.filter == now.filter &&
		     then.match == now.match))
			continue;
		/* An access to two registers changes one before the other. */
		if (i == 1 && config->global_filter && write->size == 8 && then.type != now.type) {
			then.filter = now.filter;
			then.match = now.match;
		}
		then.left = world->change_delay;
		world->late[i] = then;
	}
}

static void see_matches(struct world *world)
{
	struct trial *trial = &world->trial;
	unsigned int i;

	for (i = 0; i < world->config.counters; i++) {
		uint32_t layout = match_layout(&world->config, &trial->after, i);

		trial->match[i] = (trial->match[i] & ~layout) |
				  half_at(&trial->after, 0, SMR + 4 * i);
		trial->match_seen[i] |= layout;
	}
}

/* What the model answers to its owner. */
static void check_questions(struct world *world)
{
	const struct syspmu_model *model = &world->pmcg.model;
	const struct operation *op = &world->trial.operation;
	const struct view *after = &world->trial.after;

	if (syspmu_is_armed(model) != (half_at(after, 0, CR) || half_at(after, 0, IRQ_CTRL)))
		fail(world, "it is armed while CR.E or IRQEN is set");
	if (syspmu_can_count(model) != (world->change_delay || running_counters(world, after)))
		fail(world, "it can count while a counter counts, or does so late");
	if (syspmu_steps(model) != (world->armed_to_tear ? 0 : world->armed_count))
		fail(world, "it knows which events will occur at reads");
	if (pmcg_acknowledgment_delay(&world->pmcg) != world->trial.delay ||
	    syspmu_change_delay(model) != world->change_delay)
		fail(world, "it knows how late Updates and changes are");
	if (op->action == FATE && after->fate != op->value % 3)
		fail(world, "it knows the fate of MSIs");
}

static void judge(struct world *world, const struct operation *op)
{
	struct trial *trial = &world->trial;
	const char *rule;

	trial->operation = *op;
	look(world, &trial->after);
	rule = broken_rule(trial);
	if (rule)
		fail(world, rule);
	check_questions(world);

	if (op->action == WRITE && is_access(op) && world->change_delay)
		expect_late(world);
	if (op->action == RESET)
		memset(trial->match_seen, 0, sizeof(trial->match_seen));
	see_matches(world);
	world->ever_enabled |= enabled_counters(&trial->after);
	trial->held = holds_interrupt(trial);
	trial->reads_left = reads_left(trial);
}

void run(struct world *world, const struct operation *operation)
{
	bool closed = world->config.secure && !world->config.nsra;
	bool dead = syspmu_is_dead(&world->pmcg.model);
	struct operation *op = &world->done[world->operations];
	struct trial *trial = &world->trial;

	if (world->operations == OPERATIONS)
		return;
	/* The state cannot be checked without power: change nothing meanwhile. */
	if (dead && operation->action > EVENT && operation->action != POWER)
		return;
	*op = *operation;
	world->operations++;
	world->accesses += op->action <= WRITE && op->page < SYSPMU_PAGES &&
			   op->offset < SYSPMU_PAGE_SIZE;

	if (closed || (dead && op->action != POWER)) {
		run_blind(world, op);
		return;
	}
	if (op->action == READ && triggers(world, op)) {
		op->event = world->armed;
		op->n = world->armed_count;
	}

	trial->before = trial->after;
	trial->operation = *op;
	trial->happened = op->action == EVENT || (op->action <= WRITE && op->n);
	trial->torn = trial->happened && op->action == READ && world->armed_to_tear;
	trial->running = running_counters(world, &trial->before);
	memset(trial->added, 0, sizeof(trial->added));
	trial->carry = 0;
	trial->captures = 0;
	if (trial->happened)
		expect_events(world);

	execute(world, op);
	if (op->action == STEP || op->action == TEAR || (op->action == READ && trial->torn)) {
		world->armed = op->event;
		world->armed_count = op->action == READ ? 0 : op->n;
		world->armed_to_tear = op->action == TEAR;
	}
	if (op->action == DELAY || op->action == RESET)
		trial->delay = op->action == DELAY ? op->value & 3 : 0;
	if (!syspmu_is_dead(&world->pmcg.model))
		judge(world, op);
}

/* Enable everything, since most inputs do not; the first write selects the irq. */
static void start(struct world *world, bool wired)
{
	static const struct operation all[] = {
		{ .action = WRITE, .offset = IRQ_CFG0, .size = 8, .value = 0 },
		{ .action = WRITE, .offset = CNTENSET, .size = 8, .value = UINT64_MAX },
		{ .action = WRITE, .offset = INTENSET, .size = 8, .value = UINT64_MAX },
		{ .action = WRITE, .offset = IRQ_CTRL, .size = 4, .value = 1 },
		{ .action = WRITE, .offset = CR, .size = 4, .value = 1 },
	};
	unsigned int i;

	for (i = !wired; i < sizeof(all) / sizeof(*all); i++)
		run(world, &all[i]);
}

static void make_pmcg(struct world *world)
{
	const struct syspmu_owner owner = { count_interrupt, take_message, world };
	const char *message;

	memset(&world->pmcg, 0xff, sizeof(world->pmcg));
	message = pmcg_init(&world->pmcg, &world->config, &owner);
	if (message)
		fail(world, message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { .data = data, .left = size };
	static struct world world;
	uint8_t bytes[DRAWN];
	uint64_t beginning;
	struct input drawn;
	bool closed;

	memset(&world, 0, sizeof(world));
	beginning = take(&input, 1);
	if (beginning / 16 % 4)
		input.salt = hash(data, size);
	drawn = draw(&input, bytes);
	world.config = take_config(&drawn);
	world.trial.config = &world.config;
	world.initial_observation = world.config.secure_observation;
	closed = world.config.secure && !world.config.nsra;
	make_pmcg(&world);

	syspmu_reset(&world.pmcg.model, take(&input, 1));
	syspmu_set_dead(&world.pmcg.model, false);
	look(&world, &world.trial.after);
	see_matches(&world);
	world.ever_enabled = enabled_counters(&world.trial.after);
	syspmu_set_dead(&world.pmcg.model, world.config.common.dead);

	if (beginning % 8)
		start(&world, beginning & 8);
	while (input.left && world.operations < OPERATIONS)
		take_operation(&world, &input);
	check_accesses(&world);
	if (!syspmu_is_dead(&world.pmcg.model) && !closed) {
		check_holes(&world);
		check_identity(&world);
	}
	return 0;
}
