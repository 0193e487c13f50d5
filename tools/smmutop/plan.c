// SPDX-License-Identifier: GPL-2.0
/*
 * What each counter group counts in the next slice.
 *
 * The events of a counter group are put into packs. The first pack has what rows are sorted by.
 * With it, and with those of columns that have a limit, each cell is visited in each round, and the
 * worst rows by the first pack more often. The other packs only count these, and everything.
 *
 * How often is decided when a round begins, by what was counted before, and the order is random:
 * see estimate.h for what follows from this. A round takes about a second, or as long as it takes
 * to visit all cells and the worst rows. Where the end of the interval is near, it ends there.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "plan.h"

/* Turns may take so many seconds before cells have more than one row. */
#define TURN_SECONDS	2
/* One slice of so many is spared, as nobody knows exactly how many fit into the time. */
#define SPARE		32
/* One slice of so many is of everything. */
#define EVERYTHING	12
/* One of so many is of the other packs. */
#define OTHERS		16
/* The worst rows are visited so often in an interval at least, beside the visits that all get. */
#define LEAST_VISITS	10
/* An interval has so many rounds at most. */
#define MOST_ROUNDS	4
/* One of the worst rows is visited often where it has one part of so many. */
#define LEAST_PART	20
/* What a row had in a round is remembered with this factor in each one that follows. */
#define MEMORY		0.9
/* Of a ratio, so much of what it is divided by must be counted before it means anything. */
#define LEAST_BASE	20

/* Events that are counted together for each block */
struct pack {
	unsigned int events; /* bit n: event n */
	bool total_only; /* only of everything */
	bool all_rows; /* of all cells, not only of the worst rows */
	bool all_beside; /* everything is counted beside cells in each slice */
	unsigned int at_once; /* cells that can be counted at the same time */
};

/* Of everything, or of some cells */
struct visit {
	const struct pack *pack;
	size_t first; /* in the order; without cells, it is of everything */
	size_t end;
};

struct pmcg_plan {
	const struct pmcg *pmcg;
	/* What rows are sorted by, or the nearest to that; COLUMNS: nothing is counted */
	enum column sort;
	unsigned int events; /* bit n: it counts event n */
	struct pack packs[EVENTS]; /* the first one has what rows are sorted by */
	unsigned int packs_number;
	bool steady; /* all rows fit into one slice: nothing takes turns */
	struct cells cells;
	struct cell **order; /* all cells, and then those that are visited often again */
	size_t order_number;
	/* How long a slice has recently taken, with all that comes between two, in ns */
	double slice;
	uint64_t time_left; /* of the interval, when the last slice began; 0: unknown */
	bool began; /* the interval, with the next round */
	bool equal; /* all cells are visited as often as the worst ones in this round */
	struct visit *visits;
	size_t visits_number;
	size_t next; /* index of the next visit */
	unsigned long round;
	/* No block is left that may have one of the worst rows and was not explored before */
	bool settled;
};

struct plan {
	const struct machine *machine;
	struct plan_options options;
	struct pmcg_plan *pmcgs; /* in the order of the machine's */
	size_t pmcgs_number;
	uint64_t random;
};

/* splitmix64, by Sebastiano Vigna */
uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/*
 * How long the next slice lasts: three to five quarters of the mean. If all were the same, a load
 * that comes in bursts at equal distances could be in step with them.
 */
uint64_t plan_length(uint64_t *random, uint64_t mean)
{
	return mean - mean / 4 + next_random(random) % (mean / 2 + 1);
}

static unsigned int events_of(const struct pmcg *pmcg, unsigned int wanted)
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
	return pmcg->counters ? events & pmcg->events : 0;
}

/* Both events of a ratio are counted at the same time. */
static bool counts_column(const struct pmcg_plan *this, enum column column)
{
	const struct column_info *info = &columns[column];

	return column_is_of(column, this->pmcg->kind) && this->events & 1U << info->event &&
	       (!info->base || (this->events & 1U << info->base && this->pmcg->counters > 1));
}

/* What rows are sorted by, or the nearest to that; COLUMNS: nothing that rows have. */
static enum column choose_sort(const struct pmcg_plan *this, enum column wanted)
{
	enum column column = 0;

	if (counts_column(this, wanted))
		return wanted;
	if (counts_column(this, DEFAULT_SORT))
		return DEFAULT_SORT;
	while (column < COLUMNS && !counts_column(this, column))
		column++;
	return column;
}

/* The events to count for a column: with the other one of a ratio that it is part of. */
static unsigned int column_events(const struct pmcg_plan *this, enum column column)
{
	const struct column_info *info = &columns[column], *ratio;

	for (ratio = columns; ratio < columns + COLUMNS; ratio++)
		if (ratio->base && ratio->kind == info->kind &&
		    (ratio->event == info->event || ratio->base == info->event) &&
		    counts_column(this, ratio - columns))
			return 1U << ratio->event | 1U << ratio->base;
	return 1U << info->event;
}

static unsigned int number_of(unsigned int events)
{
	return __builtin_popcount(events);
}

/* With one filter, more events cost nothing; otherwise, each costs the filter of a row. */
static unsigned int pack_limit(const struct pmcg_plan *this, unsigned int pack)
{
	unsigned int counters = this->pmcg->counters;

	if (!this->pmcg->filter_each ||
	    number_of(this->events) * (this->cells.rows_number + 1) <= counters)
		return counters;
	if (!pack)
		return number_of(this->packs[0].events);
	return counters > 3 ? counters / 2 : counters;
}

/* Puts events into the first pack that has room for them, or into one of their own. */
static void add_events(struct pmcg_plan *this, unsigned int events, bool total_only)
{
	unsigned int i;

	for (i = 0; i < this->packs_number; i++)
		if (!(events & ~this->packs[i].events))
			return;
	for (i = 0; i < this->packs_number; i++)
		if (number_of(this->packs[i].events | events) <= pack_limit(this, i))
			break;
	if (i == this->packs_number)
		this->packs[this->packs_number++].total_only = total_only;
	this->packs[i].events |= events;
}

/*
 * The pack of what is sorted by comes first; both events of a ratio stay together. What the TBUs
 * ask the TCU is no column of rows.
 */
static void make_packs(const struct plan *plan, struct pmcg_plan *this)
{
	size_t rows = this->cells.rows_number;
	unsigned int limited = 0, blocks;
	enum column column;
	struct pack *pack;

	add_events(this, column_events(this, this->sort), false);
	for (column = 0; column < COLUMNS; column++) {
		if (plan->options.limits & 1U << column)
			limited |= 1U << columns[column].event;
		if (counts_column(this, column))
			add_events(this, column_events(this, column), false);
	}
	if (this->pmcg->kind == KIND_TCU && this->events & 1U << EVENT_TRANSACTION)
		add_events(this, 1U << EVENT_TRANSACTION, true);
	for_each(pack, this->packs) {
		blocks = this->pmcg->filter_each ?
			 this->pmcg->counters / number_of(pack->events) : 1;
		this->steady = this->packs_number == 1 && (!rows || blocks > rows);
		pack->all_rows = pack == this->packs ||
				 (!pack->total_only &&
				  (plan->options.turns || pack->events & limited));
		pack->all_beside = this->steady || (blocks >= 4 && !pack->total_only);
		pack->at_once = blocks - pack->all_beside;
	}
}

static size_t divide_up(size_t number, size_t by)
{
	return (number + by - 1) / by;
}

/* How many slices a turn may have */
static size_t turn_slices(const struct plan *plan)
{
	return TURN_SECONDS * SECOND / plan->options.slice + 1;
}

static bool is_worst(const struct pmcg_plan *this, const struct cell *cell)
{
	return cell->number == 1 && this->cells.rows[cell->first].worst;
}

/* Begins a round, in which nothing was counted of any cell. */
static void order_cells(struct pmcg_plan *this)
{
	struct cell *cell, *end = this->cells.cells + this->cells.number;

	this->order_number = 0;
	for (cell = this->cells.cells; cell < end; cell++) {
		cell->count = 0;
		cell->base = 0;
		cell->time = 0;
		*append(this->order, this->order_number) = cell;
	}
	for (cell = this->cells.cells; cell < end; cell++)
		if (is_worst(this, cell))
			*append(this->order, this->order_number) = cell;
}

static void plan_pmcg(const struct plan *plan, struct pmcg_plan *this, const struct pmcg *pmcg)
{
	const struct smmu *smmu = &plan->machine->smmus[pmcg->smmu];
	const struct row *row;
	size_t most;

	*this = (struct pmcg_plan){
		.pmcg = pmcg,
		.events = events_of(pmcg, plan->options.columns),
		.slice = plan->options.slice,
	};
	this->sort = choose_sort(this, plan->options.sort);
	if (this->sort == COLUMNS)
		return;
	for_each(row, smmu->rows)
		if (machine_counts_row(pmcg, row))
			append(this->cells.rows, this->cells.rows_number)->id = row->id;
	make_packs(plan, this);
	most = turn_slices(plan) * this->packs[0].at_once;
	cells_init(&this->cells, plan->options.turns ? this->cells.rows_number : most);
	this->equal = this->steady;
	order_cells(this);
}

struct plan *plan_new(const struct machine *machine, const struct plan_options *options)
{
	struct plan *plan = zeros(1, sizeof(*plan));
	const struct pmcg *pmcg;

	plan->machine = machine;
	plan->options = *options;
	plan->random = options->seed;
	for_each(pmcg, machine->pmcgs)
		plan_pmcg(plan, append(plan->pmcgs, plan->pmcgs_number), pmcg);
	return plan;
}

static void forget_pmcg(struct pmcg_plan *this)
{
	cells_free(&this->cells);
	free(this->order);
	free(this->visits);
}

void plan_free(struct plan *plan)
{
	struct pmcg_plan *this;

	if (!plan)
		return;
	for_each(this, plan->pmcgs)
		forget_pmcg(this);
	free(plan->pmcgs);
	free(plan);
}

/* Visits the worst rows by another column; no slice of the plan is counted meanwhile. */
void plan_set_sort(struct plan *plan, enum column sort)
{
	struct pmcg_plan *this;

	if (plan->options.sort == sort)
		return;
	plan->options.sort = sort;
	for_each(this, plan->pmcgs) {
		forget_pmcg(this);
		plan_pmcg(plan, this, this->pmcg);
	}
}

/* Whether any counter group counts a column. */
bool plan_counts(const struct plan *plan, enum column column)
{
	const struct pmcg_plan *this;

	for_each(this, plan->pmcgs)
		if (counts_column(this, column))
			return true;
	return false;
}

/* What rows can be sorted by: what is wanted, or the nearest to it; COLUMNS: nothing is counted. */
enum column plan_sort(const struct plan *plan)
{
	const struct pmcg_plan *this;

	if (plan_counts(plan, plan->options.sort))
		return plan->options.sort;
	for_each(this, plan->pmcgs)
		if (this->sort < COLUMNS)
			return this->sort;
	return COLUMNS;
}

/*
 * What a cell has counted in this round, less some standard deviations: nothing is to become one of
 * the worst by chance. NAN if it is not known.
 */
static double rate_of(const struct pmcg_plan *this, const struct cell *cell, double sigmas)
{
	double count = fmax(cell->count - sigmas * sqrt(cell->count), cell->count / 16);

	if (!columns[this->sort].base)
		return cell->time > 0 ? count / cell->time : NAN;
	return cell->base >= LEAST_BASE ? count / cell->base : NAN;
}

/* Learns from a round that is over. */
static void take_scores(struct pmcg_plan *this)
{
	struct area *area = this->cells.areas;
	/* Where rows are visited seldom, those that are overlooked are overlooked for long. */
	double rate, sum = 0, sigmas = this->cells.areas_number ? 1 : 2;
	const struct cell *cell;
	struct cell_row *row;
	size_t i;

	for_each(row, this->cells.rows)
		row->score *= MEMORY;
	for (i = 0; i < this->cells.number; i++) {
		cell = &this->cells.cells[i];
		row = &this->cells.rows[cell->first];
		rate = rate_of(this, cell, sigmas);
		if (cell->number == 1 && rate > row->score)
			row->score = rate;
		if (!this->cells.areas_number)
			continue;
		/* A block with a high ratio of a row counts something, whatever its own ratio. */
		if (cell->time > 0 && !is_worst(this, cell))
			sum += cell->count / cell->time;
		if (cell->first + cell->number < area->first + area->number)
			continue;
		area->score = fmax(area->score * MEMORY, sum);
		area->waiting += area->score;
		area++;
		sum = 0;
	}
}

/* Sums of the scores on all counter groups that count different things of the SMMU */
static void add_scores(const struct plan *plan, struct pmcg_plan *this)
{
	const struct cell_row *theirs, *end;
	const struct pmcg_plan *other;
	struct cell_row *row;

	for_each(row, this->cells.rows)
		row->sum = 0;
	for_each(other, plan->pmcgs) {
		if (other->sort != this->sort || other->pmcg->smmu != this->pmcg->smmu ||
		    !machine_uses_pmcg(plan->machine, other->pmcg))
			continue;
		theirs = other->cells.rows;
		end = theirs + other->cells.rows_number;
		for_each(row, this->cells.rows) {
			while (theirs < end && theirs->id < row->id)
				theirs++;
			row->sum += theirs < end && theirs->id == row->id ? theirs->score : 0;
		}
	}
}

static int compare_sums(const void *a, const void *b)
{
	const struct cell_row *x = *(struct cell_row * const *)a;
	const struct cell_row *y = *(struct cell_row * const *)b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return (x > y) - (x < y);
}

/*
 * Marks the worst rows of the SMMU, where these have something on this counter group. Returns the
 * sum of the last one.
 */
static double mark_worst(const struct plan *plan, struct pmcg_plan *this)
{
	struct cell_row **order = zeros(this->cells.rows_number, sizeof(*order)), *row;
	size_t rows = 0, i;
	double last = 0;

	add_scores(plan, this);
	for_each(row, this->cells.rows)
		if (row->sum > 0)
			order[rows++] = row;
	qsort(order, rows, sizeof(*order), compare_sums);
	if (rows >= plan->options.rows) {
		rows = plan->options.rows;
		last = order[rows - 1]->sum;
	}
	for (i = 0; i < rows; i++)
		order[i]->worst |= order[i]->score > order[i]->sum / LEAST_PART;
	free(order);
	return last;
}

/*
 * Chooses the cells of the next round, and which of them are visited often. Within an interval,
 * others are added only: what is left out because it counted less would be missing in the mean.
 */
static void choose_cells(const struct plan *plan, struct pmcg_plan *this)
{
	double threshold = 0, last;
	struct cell_row *row;

	take_scores(this);
	for_each(row, this->cells.rows)
		row->worst &= !this->began;
	if (!plan->options.turns) {
		last = mark_worst(plan, this);
		threshold = columns[this->sort].base ? 0 : last;
	}
	this->settled = this->round > 1 && cells_all_explored(&this->cells, threshold);
	if (this->cells.areas_number)
		cells_cut(&this->cells, LEAST_VISITS, threshold);
	order_cells(this);
}

/* Visits cells, or, without any, everything, so many times. */
static void add_visits(struct pmcg_plan *this, const struct pack *pack, size_t first, size_t end,
		       size_t times)
{
	size_t i;

	while (times--) {
		i = first;
		do {
			*append(this->visits, this->visits_number) = (struct visit){
				.pack = pack,
				.first = i,
				.end = end - i > pack->at_once ? i + pack->at_once : end,
			};
			i += pack->at_once;
		} while (i < end);
	}
}

/*
 * How many slices a round should have, with so many visits of cells and of worst rows: it ends with
 * the interval, or earlier where there is time for others. The first round is as short as possible,
 * as the worst rows are not known yet. Returns how often these are visited at least.
 */
static size_t choose_length(const struct plan *plan, const struct pmcg_plan *this, size_t cells,
			    size_t worst, uint64_t time_left, size_t *length)
{
	size_t left = time_left ? time_left / this->slice : turn_slices(plan);
	size_t rounds = plan->options.turns ? 1 : MOST_ROUNDS, visits, least;

	left -= left / SPARE;
	for (;; rounds--) {
		visits = divide_up(LEAST_VISITS, rounds);
		least = (cells + worst * visits) * EVERYTHING / (EVERYTHING - 1);
		if (rounds == 1 || least <= left / rounds)
			break;
	}
	*length = this->round > 1 && left / rounds > least ? left / rounds : least;
	return visits;
}

static void shuffle(struct plan *plan, struct visit *visits, size_t number)
{
	struct visit swap;
	size_t other;

	while (number > 1) {
		other = next_random(&plan->random) % number--;
		swap = visits[number];
		visits[number] = visits[other];
		visits[other] = swap;
	}
}

/* Each cell is visited equally often, and what is left of the round is for the worst rows. */
static void plan_round(struct plan *plan, struct pmcg_plan *this, uint64_t time_left)
{
	size_t end = this->cells.number, all = this->order_number;
	size_t cells = 0, worst = 0, length, times, least;
	struct pack *pack;

	for_each(pack, this->packs) {
		cells += pack->all_rows ? divide_up(end, pack->at_once) : 0;
		worst += pack->all_rows ? divide_up(all - end, pack->at_once) : 0;
	}
	least = choose_length(plan, this, cells, worst, time_left, &length);
	this->visits_number = 0;
	for_each(pack, this->packs) {
		times = length / (pack->all_rows ? EVERYTHING : 2 * OTHERS) + 1;
		if (!pack->all_beside)
			add_visits(this, pack, 0, 0, times);
		times = length / OTHERS / (divide_up(all - end, pack->at_once) + 1) + 1;
		if (!pack->all_rows && !pack->total_only && all > end)
			add_visits(this, pack, end, all, times);
	}
	length -= this->visits_number < length ? this->visits_number : length;
	times = cells ? length / (worst ? 2 : 1) / cells : 0;
	times = times ? times : 1;
	this->equal = plan->options.turns || times >= LEAST_VISITS;
	length -= times * cells < length ? times * cells : length;
	if (worst && length / worst > least)
		least = length / worst;
	for_each(pack, this->packs) {
		if (pack->all_rows && end)
			add_visits(this, pack, 0, end, times);
		if (pack->all_rows && all > end)
			add_visits(this, pack, end, all, least);
	}
	shuffle(plan, this->visits, this->visits_number);
}

static void add_block(struct slice *slice, const struct pack *pack, const struct block *block)
{
	unsigned int event;

	for (event = 0; event < EVENTS && slice->number < MAX_SPECS; event++)
		if (pack->events & 1U << event)
			slice->specs[slice->number++] = (struct spec){
				.block = *block,
				.event = event,
			};
}

static const struct visit *next_visit(struct plan *plan, struct pmcg_plan *this,
				      uint64_t time_left, bool *first_of_round)
{
	this->began |= !time_left || time_left > this->time_left;
	/* A round that fits into an interval begins with it, whatever is left of the former one. */
	if (time_left > this->time_left && this->visits_number < time_left / this->slice)
		this->next = this->visits_number;
	if (time_left && time_left < this->time_left)
		this->slice += (this->time_left - time_left - this->slice) / 16;
	this->time_left = time_left;
	*first_of_round = this->next == this->visits_number;
	if (*first_of_round) {
		this->round++;
		choose_cells(plan, this);
		plan_round(plan, this, time_left);
		this->began = false;
		this->next = 0;
	}
	return &this->visits[this->next++];
}

static bool is_used(const struct plan *plan, const struct pmcg_plan *this)
{
	return this->sort < COLUMNS && machine_uses_pmcg(plan->machine, this->pmcg);
}

/*
 * What a counter group counts in the next slice; no specs if there is nothing to count. The
 * interval ends in @time_left ns, or, with 0, nobody knows when.
 */
void plan_next(struct plan *plan, size_t index, uint64_t time_left, struct slice *slice)
{
	static const struct block everything = { .everything = true };
	struct pmcg_plan *this = &plan->pmcgs[index];
	struct visit all = { .pack = this->packs, .end = this->cells.number };
	const struct visit *visit = &all;
	size_t i;

	slice->number = 0;
	slice->first_of_round = false;
	if (!is_used(plan, this))
		return;
	if (!this->steady)
		visit = next_visit(plan, this, time_left, &slice->first_of_round);
	slice->worst = visit->end > this->cells.number || this->equal;
	if (visit->first == visit->end || visit->pack->all_beside)
		add_block(slice, visit->pack, &everything);
	for (i = visit->first; i < visit->end; i++)
		add_block(slice, visit->pack, &this->order[i]->block);
}

bool plan_is_steady(const struct plan *plan, size_t index)
{
	return plan->pmcgs[index].steady || !is_used(plan, &plan->pmcgs[index]);
}

void plan_add(struct plan *plan, size_t index, const struct slice *slice,
	      const struct slice_counts *counts)
{
	struct pmcg_plan *this = &plan->pmcgs[index];
	const struct column_info *info = &columns[this->sort];
	const struct visit *visit;
	const struct spec *spec;
	struct cell **cell;
	unsigned int i;

	this->round += this->steady;
	if (this->steady || !slice->number)
		return;
	visit = &this->visits[this->next - 1];
	if (visit->pack != this->packs)
		return;
	cell = &this->order[visit->first];
	for (i = 0; i < slice->number; i++) {
		spec = &slice->specs[i];
		if (spec->block.everything)
			continue;
		while (!block_equal(&(*cell)->block, &spec->block))
			cell++;
		if (spec->event == info->event) {
			(*cell)->count += counts->counts[i];
			(*cell)->time += counts->running / 1e9;
		} else if (spec->event == info->base) {
			(*cell)->base += counts->counts[i];
		}
	}
}

/* Whether a counter group is in its first round, by which rows are chosen */
bool plan_begins(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->pmcgs_number; i++)
		if (!plan_is_steady(plan, i) && plan->pmcgs[i].round < 2)
			return true;
	return false;
}

/* Whether the worst rows are known as far as they can be, so that what is counted now is of them */
bool plan_is_settled(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->pmcgs_number; i++)
		if (!plan_is_steady(plan, i) && !plan->pmcgs[i].settled)
			return false;
	return true;
}

/* How many rounds are over on each counter group; where nothing takes turns, each slice is one */
unsigned long plan_rounds(const struct plan *plan)
{
	unsigned long rounds = ULONG_MAX, over;
	const struct pmcg_plan *this;

	for_each(this, plan->pmcgs) {
		over = this->round - (this->next < this->visits_number);
		if (is_used(plan, this) && over < rounds)
			rounds = over;
	}
	return rounds;
}
