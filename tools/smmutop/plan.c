// SPDX-License-Identifier: GPL-2.0
/*
 * What each counter group counts in the next slice.
 *
 * The events of a counter group are put into packs. The first pack has what rows are sorted by:
 * with it the search looks for the worst rows. The other packs only count the rows that it has
 * found, and everything, in turn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "text.h"

/* One slice of so many belongs to the packs that do not search. */
#define SEARCH_SLICES	4
/* After so many slices for each row, what was not found has no StreamID. */
#define MOST_ROUNDS	3

/**
 * struct pack - events that are counted together for each block
 * @events: the first two are what the search looks at
 * @number: of these
 * @total_only: only of everything
 */
struct pack {
	enum pmcg_event events[EVENTS];
	unsigned int number;
	bool total_only;
};

/**
 * struct pmcg_plan - the plan of a counter group
 * @search: which blocks the first pack counts
 * @rows_number: how many rows it has
 * @packs: the first one searches
 * @packs_number: of these
 * @blocks: how many the search gets in one slice
 * @total_beside: everything is counted beside these
 * @steady: all rows fit into one slice: nothing takes turns
 * @searching: the slice that was planned last is one of the search
 * @slices: that were planned
 * @pack: that comes next of those that do not search
 * @next: item that this pack counts next; 0 is everything, n the n-th row that was found
 * @rounds: how often the packs that do not search have counted all that was found
 * @counted: slices that were counted
 */
struct pmcg_plan {
	struct search *search;
	size_t rows_number;
	struct pack packs[EVENTS];
	unsigned int packs_number;
	unsigned int blocks;
	bool total_beside;
	bool steady;
	bool searching;
	uint64_t slices;
	unsigned int pack;
	size_t next;
	uint64_t rounds;
	uint64_t counted;
};

struct plan {
	const struct machine *machine;
	struct plan_options options;
	struct pmcg_plan *pmcgs;
};

static bool has(unsigned int events, enum pmcg_event event)
{
	return events & 1U << event;
}

static bool pack_has(const struct pack *pack, enum pmcg_event event)
{
	unsigned int i;

	for (i = 0; i < pack->number; i++)
		if (pack->events[i] == event)
			return true;
	return false;
}

/* Adds the events of a pack that another one lacks, if no more than a limit of them result. */
static bool pack_merge(struct pack *pack, const struct pack *more, unsigned int limit)
{
	struct pack merged = *pack;
	unsigned int i;

	for (i = 0; i < more->number; i++)
		if (!pack_has(&merged, more->events[i]))
			merged.events[merged.number++] = more->events[i];
	if (merged.number > limit)
		return false;
	merged.total_only &= more->total_only;
	*pack = merged;
	return true;
}

static unsigned int needed_events(const struct pmcg *pmcg, unsigned int wanted)
{
	unsigned int events = 0, column;

	for (column = 0; column < COLUMNS; column++) {
		if (!(wanted & 1U << column) ||
		    (columns[column].of_tcu ? pmcg->kind == KIND_TBU : pmcg->kind == KIND_TCU))
			continue;
		events |= 1U << columns[column].event;
		if (columns[column].base)
			events |= 1U << columns[column].base;
	}
	/* What the TBUs ask the TCU is shown for the TCU as a whole. */
	if (pmcg->kind == KIND_TCU && wanted & 1U << COLUMN_WALK)
		events |= 1U << EVENT_TRANSACTION;
	return events & pmcg->events;
}

/* What the search looks at: what rows are sorted by, or the nearest to that. */
static void first_pack(const struct pmcg *pmcg, unsigned int events, enum column sort,
		       struct pack *pack)
{
	static const enum pmcg_event preferred[] = {
		EVENT_TLB_MISS, EVENT_TRANSACTION, EVENT_WALK_ACCESS, EVENT_CONFIG_MISS,
		EVENT_ATS_REQUEST,
	};
	const struct column_info *info = &columns[sort];
	enum pmcg_event partner;
	size_t i;

	*pack = (struct pack){ .number = 0 };
	if (has(events, info->event) && pmcg->kind != (info->of_tcu ? KIND_TBU : KIND_TCU)) {
		pack->events[pack->number++] = info->event;
		if (info->base && has(events, info->base))
			pack->events[pack->number++] = info->base;
	}
	for (i = 0; i < ARRAY_SIZE(preferred) && !pack->number; i++)
		if (has(events, preferred[i]))
			pack->events[pack->number++] = preferred[i];
	if (pack->number != 1)
		return;
	/* The other event of the ratio */
	partner = pmcg->kind == KIND_TCU || info->of_tcu ? EVENT_WALK_ACCESS : EVENT_TRANSACTION;
	if (pack->events[0] == EVENT_TRANSACTION || pack->events[0] == EVENT_WALK_ACCESS)
		partner = EVENT_TLB_MISS;
	if (pack->events[0] != EVENT_CONFIG_MISS && pack->events[0] != EVENT_ATS_REQUEST &&
	    has(events, partner))
		pack->events[pack->number++] = partner;
}

/* The packs that there are for sure: those of a ratio stay together, unless it has one counter. */
static unsigned int split_events(const struct pmcg *pmcg, unsigned int events,
				 const struct pack *first, struct pack *packs)
{
	static const enum pmcg_event pairs[][2] = {
		{ EVENT_TLB_MISS, EVENT_TRANSACTION },
		{ EVENT_TLB_MISS, EVENT_WALK_ACCESS },
	};
	unsigned int number = 0, done = 0, i;
	enum pmcg_event event;

	for (i = 0; i < first->number; i++)
		done |= 1U << first->events[i];
	for (i = 0; i < ARRAY_SIZE(pairs) && pmcg->counters > 1; i++) {
		/* A TCU's misses are no part of what it is asked. */
		if (pmcg->kind == KIND_TCU && pairs[i][1] == EVENT_TRANSACTION)
			continue;
		if (!has(events, pairs[i][0]) || !has(events, pairs[i][1]) ||
		    (has(done, pairs[i][0]) && has(done, pairs[i][1])))
			continue;
		packs[number] = (struct pack){
			.events = { pairs[i][0], pairs[i][1] },
			.number = 2,
		};
		number++;
		done |= 1U << pairs[i][0] | 1U << pairs[i][1];
	}
	for (event = 0; event < EVENTS; event++) {
		if (!has(events & ~done, event))
			continue;
		packs[number] = (struct pack){ .events = { event }, .number = 1 };
		packs[number++].total_only = pmcg->kind == KIND_TCU && event == EVENT_TRANSACTION;
	}
	return number;
}

/* With one filter, more events cost nothing; otherwise, each costs the filter of a row. */
static unsigned int pack_limit(const struct pmcg_plan *plan, const struct pmcg *pmcg,
			       unsigned int all, unsigned int pack)
{
	if (!pmcg->filter_each || all * (plan->rows_number + 1) <= pmcg->counters)
		return pmcg->counters;
	if (!pack)
		return plan->packs[0].number;
	return pmcg->counters > 3 ? pmcg->counters / 2 : pmcg->counters;
}

static void make_packs(struct pmcg_plan *plan, const struct pmcg *pmcg, unsigned int events,
		       enum column sort)
{
	unsigned int number, i, j, all = __builtin_popcount(events);
	struct pack first, rest[EVENTS];

	first_pack(pmcg, events, sort, &first);
	if (first.number > pmcg->counters)
		first.number = pmcg->counters;
	number = split_events(pmcg, events, &first, rest);
	plan->packs[0] = first;
	plan->packs_number = 1;
	for (i = 0; i < number; i++) {
		for (j = 0; j < plan->packs_number; j++)
			if (pack_merge(&plan->packs[j], &rest[i],
				       pack_limit(plan, pmcg, all, j)))
				break;
		if (j == plan->packs_number)
			plan->packs[plan->packs_number++] = rest[i];
	}
}

static enum search_figure search_figure_of(const struct pack *pack, enum column sort)
{
	if (columns[sort].base && pack->number > 1 && pack->events[0] == columns[sort].event &&
	    pack->events[1] == columns[sort].base)
		return SEARCH_RATIO;
	return SEARCH_MISSES;
}

/*
 * The rows of an SMMU that a counter group can count. Rows are made for the counter group with the
 * fewest bits of StreamIDs; one with more bits counts those rows only that need no more.
 */
static uint32_t *list_rows(const struct plan *plan, const struct pmcg *pmcg, size_t *number)
{
	const struct smmu *smmu = &plan->machine->smmus[pmcg->smmu];
	uint32_t *ids = NULL;
	size_t i, j;

	*number = 0;
	for (i = 0; i < smmu->rows_number; i++) {
		for (j = 0; j < smmu->rows[i].number; j++)
			if (smmu->streams[smmu->rows[i].first + j].id != smmu->rows[i].id)
				break;
		if (j < smmu->rows[i].number && pmcg->stream_bits > smmu->stream_bits)
			continue;
		ids = grow(ids, *number, sizeof(*ids));
		ids[(*number)++] = smmu->rows[i].id;
	}
	return ids;
}

static void plan_pmcg(struct plan *plan, size_t index)
{
	const struct pmcg *pmcg = &plan->machine->pmcgs[index];
	struct pmcg_plan *this = &plan->pmcgs[index];
	unsigned int events, fit;
	struct search_config config;
	uint32_t *ids;

	ids = list_rows(plan, pmcg, &this->rows_number);
	events = needed_events(pmcg, plan->options.columns);
	if (!events || !pmcg->counters) {
		free(ids);
		return;
	}
	make_packs(this, pmcg, events, plan->options.sort);
	fit = pmcg->filter_each ? pmcg->counters / this->packs[0].number : 1;
	this->total_beside = fit > 1 && (fit > this->rows_number || fit >= 4);
	this->blocks = fit - this->total_beside;
	this->steady = this->packs_number == 1 &&
		       (fit > this->rows_number || !this->rows_number);
	config = (struct search_config){
		.stream_ids = ids,
		.num_stream_ids = this->rows_number,
		.stream_id_bits = 32,
		.num_blocks = this->blocks,
		.total_beside = this->total_beside,
		.num_worst = plan->options.rows,
		.figure = search_figure_of(&this->packs[0], plan->options.sort),
		.min_share = plan->options.min_share,
		.turns = plan->options.turns,
	};
	this->search = search_new(&config);
	free(ids);
	if (!this->search) {
		fprintf(stderr, "smmutop: %s: search of %zu StreamIDs: %s\n", pmcg->name,
			this->rows_number, strerror(errno));
		exit(1);
	}
}

struct plan *plan_new(const struct machine *machine, const struct plan_options *options)
{
	struct plan *plan = grow(NULL, 0, sizeof(*plan));
	size_t i;

	plan->machine = machine;
	plan->options = *options;
	plan->pmcgs = calloc(machine->pmcgs_number + 1, sizeof(*plan->pmcgs));
	for (i = 0; plan->pmcgs && i < machine->pmcgs_number; i++)
		plan_pmcg(plan, i);
	return plan;
}

static void forget_pmcgs(struct plan *plan)
{
	size_t i;

	for (i = 0; plan->pmcgs && i < plan->machine->pmcgs_number; i++) {
		search_free(plan->pmcgs[i].search);
		plan->pmcgs[i] = (struct pmcg_plan){ .search = NULL };
	}
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	forget_pmcgs(plan);
	free(plan->pmcgs);
	free(plan);
}

/* The worst rows by another column: the search starts again if it has to count other events. */
void plan_set_sort(struct plan *plan, enum column sort)
{
	size_t i;

	if (plan->options.sort == sort)
		return;
	plan->options.sort = sort;
	forget_pmcgs(plan);
	for (i = 0; i < plan->machine->pmcgs_number; i++)
		plan_pmcg(plan, i);
}

static void add_block(struct slice *slice, const struct pack *pack,
		      const struct search_block *block)
{
	unsigned int i;

	for (i = 0; i < pack->number && slice->number < MAX_SPECS; i++)
		slice->specs[slice->number++] = (struct spec){
			.block = *block,
			.event = pack->events[i],
		};
}

static const struct search_block everything = { .everything = true, .row = SEARCH_NO_ROW };

static void plan_search(struct pmcg_plan *this, struct slice *slice)
{
	struct search_block blocks[MAX_SPECS];
	unsigned int number, i;

	if (this->total_beside)
		add_block(slice, &this->packs[0], &everything);
	number = search_plan(this->search, blocks);
	for (i = 0; i < number; i++)
		add_block(slice, &this->packs[0], &blocks[i]);
	this->searching = true;
}

/* Everything and all rows, all of the time. */
static void plan_steady(const struct plan *plan, const struct pmcg_plan *this, size_t index,
			struct slice *slice)
{
	size_t number, i;
	uint32_t *ids = list_rows(plan, &plan->machine->pmcgs[index], &number);
	struct search_block block;

	add_block(slice, &this->packs[0], &everything);
	for (i = 0; i < number; i++) {
		block = (struct search_block){ .stream_id = ids[i], .row = i };
		add_block(slice, &this->packs[0], &block);
	}
	free(ids);
}

/* What is counted by the packs that do not search. Returns whether there is such an item. */
static bool item_block(struct plan *plan, struct pmcg_plan *this, size_t item,
		       struct search_block *block)
{
	struct search_row rows[MAX_SPECS];
	size_t number, wanted = plan->options.rows;
	const uint32_t *ids;

	*block = everything;
	if (!item)
		return true;
	if (this->packs[this->pack].total_only)
		return false;
	if (wanted > MAX_SPECS)
		wanted = MAX_SPECS;
	number = search_rows(this->search, rows, wanted);
	if (item > number)
		return false;
	ids = search_row_stream_ids(this->search, rows[item - 1].row, &number);
	*block = (struct search_block){ .stream_id = ids[0], .row = rows[item - 1].row };
	return true;
}

static void plan_details(struct plan *plan, struct pmcg_plan *this, size_t index,
			 struct slice *slice)
{
	const struct pmcg *pmcg = &plan->machine->pmcgs[index];
	struct search_block block;
	const struct pack *pack;
	unsigned int fit;

	if (this->pack < 1 || this->pack >= this->packs_number)
		this->pack = 1;
	pack = &this->packs[this->pack];
	fit = pmcg->filter_each ? pmcg->counters / pack->number : 1;
	while (fit-- && item_block(plan, this, this->next, &block)) {
		add_block(slice, pack, &block);
		this->next++;
	}
	if (!item_block(plan, this, this->next, &block)) {
		this->next = 0;
		this->pack++;
		this->rounds += this->pack == this->packs_number;
	}
	this->searching = false;
}

/**
 * plan_next - what a counter group counts in the next slice
 * @plan: the plan
 * @index: of the counter group
 * @slice: filled in; without specs if there is nothing to count
 */
void plan_next(struct plan *plan, size_t index, struct slice *slice)
{
	struct pmcg_plan *this = &plan->pmcgs[index];

	slice->number = 0;
	if (!this->search || plan->machine->pmcgs[index].gone)
		return;
	if (this->steady)
		plan_steady(plan, this, index, slice);
	else if (this->packs_number > 1 && this->slices % SEARCH_SLICES == SEARCH_SLICES - 1)
		plan_details(plan, this, index, slice);
	else
		plan_search(this, slice);
	this->slices++;
}

/* Whether a counter group counts the same in each slice. */
bool plan_is_steady(const struct plan *plan, size_t index)
{
	const struct pmcg_plan *this = &plan->pmcgs[index];

	return !this->search || this->steady;
}

/**
 * plan_add - what was counted in the slice that was planned last
 * @plan: the plan
 * @index: of the counter group
 * @slice: of plan_next()
 * @counts: what was counted
 * @now: when it ended, in ns
 */
void plan_add(struct plan *plan, size_t index, const struct slice *slice,
	      const struct slice_counts *counts, uint64_t now)
{
	struct pmcg_plan *this = &plan->pmcgs[index];
	unsigned int size = this->packs[0].number, i;
	struct search_count found[MAX_SPECS] = { { 0 } };

	this->counted += counts->running > 0;
	if (!this->searching)
		return;
	for (i = 0; i < slice->number / size; i++) {
		found[i].misses = counts->counts[i * size];
		found[i].transactions = size > 1 ? counts->counts[i * size + 1] : 0;
		found[i].time_ns = counts->running;
	}
	if (this->total_beside)
		search_add(this->search, found + 1, found, now);
	else
		search_add(this->search, found, NULL, now);
}

/*
 * Of a load that comes in bursts, blocks may have been counted in the pauses only: what has counted
 * something must be somewhere, unless it has no StreamID.
 */
static bool is_complete(const struct pmcg_plan *this, const struct search_state *state)
{
	struct search_row row;

	return state->complete &&
	       (!(state->misses > 0) || search_rows(this->search, &row, 1) > 0 ||
		this->counted > MOST_ROUNDS * (this->rows_number + SEARCH_SLICES));
}

void plan_summary(struct plan *plan, size_t index, struct search_summary *summary,
		  double *dispersion)
{
	const struct pmcg_plan *this = &plan->pmcgs[index];
	struct search_state state;

	*summary = (struct search_summary){ .known = false };
	*dispersion = 1;
	if (!this->search)
		return;
	if (!this->rows_number)
		return;
	summary->known = true;
	if (this->steady) {
		summary->complete = this->counted;
		return;
	}
	search_state(this->search, &state);
	*dispersion = state.dispersion;
	summary->complete = is_complete(this, &state);
	summary->turns = state.turns;
	summary->bound = state.bound;
}

/* Whether all that is to be seen was counted at least once. */
bool plan_covered(const struct plan *plan)
{
	const struct pmcg_plan *this;
	struct search_state state;
	size_t i;

	for (i = 0; i < plan->machine->pmcgs_number; i++) {
		this = &plan->pmcgs[i];
		if (!this->search || plan->machine->pmcgs[i].gone)
			continue;
		search_state(this->search, &state);
		if (!this->counted ||
		    (this->rows_number && !this->steady && !is_complete(this, &state)) ||
		    (this->packs_number > 1 && !this->rounds))
			return false;
	}
	return true;
}
