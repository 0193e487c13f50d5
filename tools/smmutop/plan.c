// SPDX-License-Identifier: GPL-2.0
/*
 * What each counter group counts in the next slice.
 *
 * The events of a counter group are put into packs. The first pack has what rows are sorted by:
 * with it the search looks for the worst rows. The other packs only count the rows that it has
 * found, and everything, in turn. Each column that has a limit has a search of its own, as the
 * worst row by one column can be far from it by another one.
 */
#include <errno.h>
#include <math.h>
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
 * struct column_search - the search for the worst rows by a column
 * @column: what they are the worst by
 * @pack: what is counted of each block
 * @figure: what the search takes these for
 * @blocks: how many the search gets in one slice
 * @total_beside: everything is counted beside these
 * @search: which blocks are counted
 * @counted: slices that were counted
 */
struct column_search {
	enum column column;
	struct pack pack;
	enum search_figure figure;
	unsigned int blocks;
	bool total_beside;
	struct search *search;
	uint64_t counted;
};

/**
 * struct pmcg_plan - the plan of a counter group
 * @searches: the first one is what rows are sorted by, or the nearest to that; the others are what
 *	has a limit
 * @searches_number: of these; 0: nothing is counted
 * @rows_number: how many rows it has
 * @packs: those that do not search
 * @packs_number: of these
 * @steady: all rows fit into one slice: nothing takes turns
 * @searching: the search that the slice is of that was planned last; NULL: it is of none
 * @slices: that were planned
 * @turn: number of the search that comes next
 * @pack: that comes next of those that do not search
 * @next: item that this pack counts next; 0 is everything, n the n-th row that was found
 * @found: these rows, worst first
 * @found_number: of these
 * @rounds: how often the packs that do not search have counted all that was found
 */
struct pmcg_plan {
	struct column_search searches[COLUMNS];
	unsigned int searches_number;
	size_t rows_number;
	struct pack packs[EVENTS];
	unsigned int packs_number;
	bool steady;
	struct column_search *searching;
	uint64_t slices;
	unsigned int turn;
	unsigned int pack;
	size_t next;
	struct search_row *found;
	size_t found_number;
	uint64_t rounds;
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
		if (!(wanted & 1U << column) || !column_is_of(column, pmcg->kind))
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

static bool counts_column(const struct pmcg *pmcg, unsigned int events, enum column column)
{
	return has(events, columns[column].event) && column_is_of(column, pmcg->kind);
}

/* What rows are sorted by, or the nearest to that; COLUMNS: nothing that rows have. */
static enum column nearest_column(const struct pmcg *pmcg, unsigned int events, enum column sort)
{
	enum column column;

	if (counts_column(pmcg, events, sort))
		return sort;
	if (counts_column(pmcg, events, DEFAULT_SORT))
		return DEFAULT_SORT;
	for (column = 0; column < COLUMNS; column++)
		if (counts_column(pmcg, events, column))
			break;
	return column;
}

/*
 * What a search by a column counts. Both events of a ratio come in the same order for each of the
 * columns that are made of them, so that another sort can go on with what was counted.
 */
static void search_pack(const struct pmcg *pmcg, unsigned int events, struct column_search *search)
{
	const struct column_info *info = &columns[search->column];
	const struct column_info *ratio = column_ratio(search->column);
	struct pack *pack = &search->pack;

	*pack = (struct pack){ .events = { info->event }, .number = 1 };
	search->figure = SEARCH_MISSES;
	if (!ratio || pmcg->counters < 2 || !has(events, ratio->event) ||
	    !has(events, ratio->base))
		return;
	*pack = (struct pack){ .events = { ratio->event, ratio->base }, .number = 2 };
	if (info == ratio)
		search->figure = SEARCH_RATIO;
	else if (info->event == ratio->base)
		search->figure = SEARCH_TRANSACTIONS;
}

/* The packs that there are for sure: those of a ratio stay together, unless it has one counter. */
static unsigned int split_events(const struct pmcg *pmcg, unsigned int events,
				 const struct pack *first, struct pack *packs)
{
	unsigned int number = 0, done = 0, pair, i;
	const struct column_info *info;
	enum pmcg_event event;
	enum column column;
	bool swap;

	for (i = 0; i < first->number; i++)
		done |= 1U << first->events[i];
	for (column = 0; column < COLUMNS && pmcg->counters > 1; column++) {
		info = &columns[column];
		pair = 1U << info->event | 1U << info->base;
		if (!info->base || !column_is_of(column, pmcg->kind) ||
		    (events & pair) != pair || (done & pair) == pair)
			continue;
		/* In this order they have always been recorded. */
		swap = info->kind == KIND_TCU;
		packs[number] = (struct pack){
			.events = { swap ? info->base : info->event,
				    swap ? info->event : info->base },
			.number = 2,
		};
		number++;
		done |= pair;
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
			       unsigned int all, const struct pack *pack)
{
	if (!pmcg->filter_each || all * (plan->rows_number + 1) <= pmcg->counters)
		return pmcg->counters;
	if (pack == &plan->searches[0].pack)
		return pack->number;
	return pmcg->counters > 3 ? pmcg->counters / 2 : pmcg->counters;
}

/* What the first search does not count is added to it, or to other packs. */
static void make_packs(struct pmcg_plan *plan, const struct pmcg *pmcg, unsigned int events)
{
	unsigned int number, i, j, all = __builtin_popcount(events);
	struct pack *first = &plan->searches[0].pack, rest[EVENTS];

	number = split_events(pmcg, events, first, rest);
	plan->packs_number = 0;
	for (i = 0; i < number; i++) {
		if (pack_merge(first, &rest[i], pack_limit(plan, pmcg, all, first)))
			continue;
		for (j = 0; j < plan->packs_number; j++)
			if (pack_merge(&plan->packs[j], &rest[i],
				       pack_limit(plan, pmcg, all, &plan->packs[j])))
				break;
		if (j == plan->packs_number)
			plan->packs[plan->packs_number++] = rest[i];
	}
}

/* The rows of an SMMU that a counter group can count. */
static uint32_t *list_rows(const struct plan *plan, const struct pmcg *pmcg, size_t *number)
{
	const struct smmu *smmu = &plan->machine->smmus[pmcg->smmu];
	uint32_t *ids = NULL;
	size_t i;

	*number = 0;
	for (i = 0; i < smmu->rows_number; i++) {
		if (!machine_counts_row(plan->machine, pmcg, &smmu->rows[i]))
			continue;
		ids = grow(ids, *number, sizeof(*ids));
		ids[(*number)++] = smmu->rows[i].id;
	}
	return ids;
}

/* The columns that are searched for, and what is counted for each. */
static void choose_searches(const struct plan *plan, const struct pmcg *pmcg,
			    struct pmcg_plan *this, unsigned int events)
{
	enum column sort = nearest_column(pmcg, events, plan->options.sort), column;
	unsigned int i, fit;

	if (sort == COLUMNS)
		return;
	this->searches[this->searches_number++].column = sort;
	for (column = 0; column < COLUMNS; column++)
		if (plan->options.limits & 1U << column && column != sort &&
		    counts_column(pmcg, events, column))
			this->searches[this->searches_number++].column = column;
	for (i = 0; i < this->searches_number; i++)
		search_pack(pmcg, events, &this->searches[i]);
	make_packs(this, pmcg, events);
	for (i = 0; i < this->searches_number; i++) {
		fit = pmcg->filter_each ? pmcg->counters / this->searches[i].pack.number : 1;
		this->searches[i].total_beside = fit > 1 && (fit > this->rows_number || fit >= 4);
		this->searches[i].blocks = fit - this->searches[i].total_beside;
		this->steady |= !i && !this->packs_number &&
				(fit > this->rows_number || !this->rows_number);
	}
}

static struct search *new_search(const struct plan *plan, const struct column_search *what,
				 const uint32_t *ids, size_t number)
{
	struct search_config config = {
		.stream_ids = ids,
		.num_stream_ids = number,
		.stream_id_bits = 32,
		.num_blocks = what->blocks,
		.total_beside = what->total_beside,
		.num_worst = plan->options.rows,
		.figure = what->figure,
		.min_share = plan->options.min_share,
		.turns = plan->options.turns,
	};
	struct search *search = search_new(&config);

	if (search)
		return search;
	fprintf(stderr, "smmutop: search of %zu StreamIDs: %s\n", number, strerror(errno));
	exit(1);
}

/* Whether what one search has counted is what the other one needs. */
static bool counts_the_same(const struct column_search *a, const struct column_search *b)
{
	return a->blocks == b->blocks && a->total_beside == b->total_beside &&
	       a->pack.events[0] == b->pack.events[0] &&
	       (a->pack.number > 1) == (b->pack.number > 1) &&
	       (a->pack.number < 2 || a->pack.events[1] == b->pack.events[1]);
}

/* Goes on with a search of before, if it has counted the same: by the same column at best. */
static void take_over(const struct plan *plan, struct pmcg_plan *before,
		      struct column_search *what)
{
	struct column_search *found = NULL;
	unsigned int i;

	for (i = 0; i < before->searches_number; i++)
		if (before->searches[i].search && counts_the_same(&before->searches[i], what) &&
		    (!found || before->searches[i].column == what->column))
			found = &before->searches[i];
	if (!found || search_rank(found->search, what->figure, plan->options.rows,
				  plan->options.turns))
		return;
	what->search = found->search;
	what->counted = found->counted;
	found->search = NULL;
}

/* Plans a counter group, with what is known of the plan before if it had one. */
static void plan_pmcg(struct plan *plan, size_t index, struct pmcg_plan *before)
{
	const struct pmcg *pmcg = &plan->machine->pmcgs[index];
	struct pmcg_plan *this = &plan->pmcgs[index];
	unsigned int events, i;
	size_t wanted;
	uint32_t *ids;

	*this = (struct pmcg_plan){ .searches_number = 0 };
	events = needed_events(pmcg, plan->options.columns);
	if (!events || !pmcg->counters)
		return;
	ids = list_rows(plan, pmcg, &this->rows_number);
	choose_searches(plan, pmcg, this, events);
	for (i = 0; i < this->searches_number; i++)
		if (before)
			take_over(plan, before, &this->searches[i]);
	for (i = 0; i < this->searches_number; i++)
		if (!this->searches[i].search)
			this->searches[i].search = new_search(plan, &this->searches[i], ids,
							      this->rows_number);
	free(ids);
	wanted = plan->options.rows < this->rows_number ? plan->options.rows : this->rows_number;
	this->found = calloc(wanted + 1, sizeof(*this->found));
	if (!this->found)
		abort();
}

struct plan *plan_new(const struct machine *machine, const struct plan_options *options)
{
	struct plan *plan = grow(NULL, 0, sizeof(*plan));
	size_t i;

	plan->machine = machine;
	plan->options = *options;
	plan->pmcgs = calloc(machine->pmcgs_number + 1, sizeof(*plan->pmcgs));
	if (!plan->pmcgs)
		abort();
	for (i = 0; i < machine->pmcgs_number; i++)
		plan_pmcg(plan, i, NULL);
	return plan;
}

static void forget_pmcg(struct pmcg_plan *this)
{
	unsigned int i;

	for (i = 0; i < this->searches_number; i++)
		search_free(this->searches[i].search);
	free(this->found);
}

void plan_free(struct plan *plan)
{
	size_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->machine->pmcgs_number; i++)
		forget_pmcg(&plan->pmcgs[i]);
	free(plan->pmcgs);
	free(plan);
}

/*
 * Looks for the worst rows by another column; no slice of the plan is counted meanwhile. A search
 * that has counted what the new one needs goes on.
 */
void plan_set_sort(struct plan *plan, enum column sort)
{
	struct pmcg_plan before;
	size_t i;

	if (plan->options.sort == sort)
		return;
	plan->options.sort = sort;
	for (i = 0; i < plan->machine->pmcgs_number; i++) {
		before = plan->pmcgs[i];
		plan_pmcg(plan, i, &before);
		forget_pmcg(&before);
	}
}

/* Whether any counter group searches the worst rows by a column. */
bool plan_searches(const struct plan *plan, enum column column)
{
	const struct pmcg_plan *this;
	unsigned int j;
	size_t i;

	for (i = 0; i < plan->machine->pmcgs_number; i++) {
		this = &plan->pmcgs[i];
		for (j = 0; j < this->searches_number; j++)
			if (this->searches[j].column == column)
				return true;
	}
	return false;
}

/* What rows can be sorted by: what is wanted, or the nearest to it; COLUMNS: nothing is counted. */
enum column plan_sort(const struct plan *plan)
{
	size_t i;

	if (plan_searches(plan, plan->options.sort))
		return plan->options.sort;
	for (i = 0; i < plan->machine->pmcgs_number; i++)
		if (plan->pmcgs[i].searches_number)
			return plan->pmcgs[i].searches[0].column;
	return COLUMNS;
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
	struct column_search *what = &this->searches[this->turn % this->searches_number];
	struct search_block blocks[MAX_SPECS];
	unsigned int number, i;

	this->turn++;
	if (what->total_beside)
		add_block(slice, &what->pack, &everything);
	number = search_plan(what->search, blocks);
	for (i = 0; i < number; i++)
		add_block(slice, &what->pack, &blocks[i]);
	this->searching = what;
}

/* Everything and all rows, all of the time. */
static void plan_steady(const struct plan *plan, const struct pmcg_plan *this, size_t index,
			struct slice *slice)
{
	size_t number, i;
	uint32_t *ids = list_rows(plan, &plan->machine->pmcgs[index], &number);
	struct search_block block;

	add_block(slice, &this->searches[0].pack, &everything);
	for (i = 0; i < number; i++) {
		block = (struct search_block){ .stream_id = ids[i], .row = i };
		add_block(slice, &this->searches[0].pack, &block);
	}
	free(ids);
}

/* What is counted by the packs that do not search. Returns whether there is such an item. */
static bool item_block(struct pmcg_plan *this, size_t item, struct search_block *block)
{
	const uint32_t *ids;
	size_t number;

	*block = everything;
	if (!item)
		return true;
	if (this->packs[this->pack].total_only || item > this->found_number)
		return false;
	ids = search_row_stream_ids(this->searches[0].search, this->found[item - 1].row, &number);
	*block = (struct search_block){
		.stream_id = ids[0],
		.row = this->found[item - 1].row,
	};
	return true;
}

/* The rows are listed once for each time that a pack counts all of them. */
static void plan_details(struct plan *plan, struct pmcg_plan *this, size_t index,
			 struct slice *slice)
{
	const struct pmcg *pmcg = &plan->machine->pmcgs[index];
	struct search_block block;
	const struct pack *pack;
	unsigned int fit;

	this->pack %= this->packs_number;
	pack = &this->packs[this->pack];
	fit = pmcg->filter_each ? pmcg->counters / pack->number : 1;
	if (!this->next)
		this->found_number = search_rows(this->searches[0].search, this->found,
						 plan->options.rows < this->rows_number ?
						 plan->options.rows : this->rows_number);
	while (fit-- && item_block(this, this->next, &block)) {
		add_block(slice, pack, &block);
		this->next++;
	}
	if (!item_block(this, this->next, &block)) {
		this->next = 0;
		this->pack++;
		this->rounds += this->pack == this->packs_number;
	}
	this->searching = NULL;
}

/* What a counter group counts in the next slice; no specs if there is nothing to count. */
void plan_next(struct plan *plan, size_t index, struct slice *slice)
{
	struct pmcg_plan *this = &plan->pmcgs[index];

	slice->number = 0;
	if (!this->searches_number || plan->machine->pmcgs[index].gone)
		return;
	if (this->steady)
		plan_steady(plan, this, index, slice);
	else if (this->packs_number && this->slices % SEARCH_SLICES == SEARCH_SLICES - 1)
		plan_details(plan, this, index, slice);
	else
		plan_search(this, slice);
	this->slices++;
}

/* Whether a counter group counts the same in each slice. */
bool plan_is_steady(const struct plan *plan, size_t index)
{
	const struct pmcg_plan *this = &plan->pmcgs[index];

	return !this->searches_number || this->steady;
}

/* Takes what was counted in the slice that was planned last. It ended @now, in ns. */
void plan_add(struct plan *plan, size_t index, const struct slice *slice,
	      const struct slice_counts *counts, uint64_t now)
{
	struct pmcg_plan *this = &plan->pmcgs[index];
	struct search_count found[MAX_SPECS] = { { 0 } };
	struct column_search *what = this->searching;
	unsigned int size, i;

	if (this->steady)
		this->searches[0].counted += counts->running > 0;
	if (!what)
		return;
	what->counted += counts->running > 0;
	size = what->pack.number;
	for (i = 0; i < slice->number / size; i++) {
		found[i].misses = counts->counts[i * size];
		found[i].transactions = size > 1 ? counts->counts[i * size + 1] : 0;
		found[i].time_ns = counts->running;
	}
	if (what->total_beside)
		search_add(what->search, found + 1, found, now);
	else
		search_add(what->search, found, NULL, now);
}

/*
 * Of a load that comes in bursts, blocks may have been counted in the pauses only: what has counted
 * something must be somewhere, unless it has no StreamID.
 */
static bool is_complete(const struct pmcg_plan *this, const struct column_search *what,
			const struct search_state *state)
{
	double counted = what->figure == SEARCH_TRANSACTIONS ? state->transactions : state->misses;
	struct search_row row;

	return state->complete &&
	       (!(counted > 0) || search_rows(what->search, &row, 1) > 0 ||
		what->counted > MOST_ROUNDS * (this->rows_number + SEARCH_SLICES));
}

/* What the n-th search of a counter group says, from 0; false if there are not so many. */
bool plan_summary(struct plan *plan, size_t index, unsigned int n, struct search_summary *summary)
{
	const struct pmcg_plan *this = &plan->pmcgs[index];
	const struct column_search *what = &this->searches[n];
	struct search_state state;

	*summary = (struct search_summary){ .dispersion = 1 };
	if (n >= this->searches_number)
		return false;
	summary->column = what->column;
	summary->known = this->rows_number;
	if (!this->rows_number)
		return true;
	if (this->steady) {
		summary->complete = this->searches[0].counted;
		return true;
	}
	search_state(what->search, &state);
	summary->dispersion = state.dispersion;
	summary->complete = is_complete(this, what, &state);
	summary->turns = state.turns;
	summary->bound = state.bound;
	return true;
}

static bool pmcg_covered(const struct pmcg_plan *this)
{
	struct search_state state;
	unsigned int i;

	for (i = 0; i < this->searches_number; i++) {
		if (this->steady && i)
			break;
		if (!this->searches[i].counted)
			return false;
		if (!this->rows_number || this->steady)
			continue;
		search_state(this->searches[i].search, &state);
		if (!is_complete(this, &this->searches[i], &state))
			return false;
	}
	return !this->packs_number || this->rounds;
}

/* Whether all that is to be seen was counted at least once. */
bool plan_covered(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->machine->pmcgs_number; i++)
		if (plan->pmcgs[i].searches_number && !plan->machine->pmcgs[i].gone &&
		    !pmcg_covered(&plan->pmcgs[i]))
			return false;
	return true;
}

/*
 * What the searches say that a row can have at most, for a steady load; INFINITY if nothing is
 * known. Blocks that the row is in may have been counted since it was itself.
 */
double plan_most(struct plan *plan, size_t index, uint32_t id, enum pmcg_event event)
{
	struct pmcg_plan *this = &plan->pmcgs[index];
	const struct column_search *what;
	double most = INFINITY;
	struct search_row row;
	unsigned int i;

	for (i = 0; i < this->searches_number && !this->steady; i++) {
		what = &this->searches[i];
		if ((event != what->pack.events[0] &&
		     (what->pack.number < 2 || event != what->pack.events[1])) ||
		    !search_row(what->search, search_find(what->search, id), &row))
			continue;
		most = fmin(most, event == what->pack.events[0] ? row.most_misses :
				  row.most_transactions);
	}
	return most;
}
