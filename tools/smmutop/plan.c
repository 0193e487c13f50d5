// SPDX-License-Identifier: GPL-2.0
/*
 * What each counter group counts in the next slice.
 *
 * An interval is a list of visits at random times, which is made before it begins from what was
 * counted in the ones before: see estimate.h for what follows from this. Half of the visits are for
 * all StreamIDs, and half for those that were the worst, which get ten at least. If that does not
 * fit into the interval, it takes longer. Everything is visited as often as what is visited most.
 *
 * StreamIDs that count little are visited together, as one block that a filter matches, if there
 * are not enough visits for each: the block that counts most is cut until there are so many cells.
 *
 * The events of a counter group are put into packs. The first pack has what rows are sorted by.
 * With it, and with those of columns that have a limit, all cells are visited; with the others,
 * only the worst rows and everything. Where TBUs count what is sorted by, the TCU has these only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* A list has so many visits at most; it is repeated in longer intervals. */
#define MOST_VISITS	2048
/* So many visits at least are for cells, if there are so many. */
#define LEAST_CELLS	32
/* So few are enough, rather than that each row is one. */
#define FEW_CELLS	80
/* One of the worst rows is visited often where it has one part of so many. */
#define LEAST_PART	20
/* One of so many is of the other packs. */
#define OTHERS		16
/* What a row had in an interval is remembered with this factor in each one that follows. */
#define MEMORY		0.8
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
	double place; /* in the list, 0 to 1 */
};

/* Of a row on all counter groups that see different parts of the same */
struct sum {
	double score;
	bool worst; /* of the SMMU: it is a cell of its own */
};

/* A row that the counter group can tell from others */
struct plan_row {
	const struct row *row;
	bool learned; /* it was visited, on its own or in a block */
	bool alone; /* on its own, the last time */
	double rate; /* of events that it recently had, in a block its part of these */
	double score; /* of what is sorted by, at least, or its part of it */
	struct sum sum;
};

/* StreamIDs that are visited together */
struct cell {
	struct block block;
	size_t first; /* index of its first row */
	size_t number;
	double rate; /* of its rows; negative if it has only one */
};

struct pmcg_plan {
	const struct pmcg *pmcg;
	/* What rows are sorted by, or the nearest to that; COLUMNS: nothing is counted */
	enum column sort;
	bool follows; /* only the worst rows of others are visited */
	unsigned int events; /* bit n: it counts event n */
	struct pack packs[EVENTS]; /* the first one has what rows are sorted by */
	unsigned int packs_number;
	bool steady; /* all rows fit into one slice: nothing takes turns */
	struct plan_row *rows;
	size_t rows_number;
	double least; /* sum of the last one of the worst rows, 0 if there are too few */
	struct cell *cells;
	size_t cells_number;
	struct block *order; /* all cells, and then those of the worst rows again */
	size_t order_number;
	struct visit *visits;
	size_t visits_number;
	size_t next; /* index of the next visit */
	size_t slices; /* that the list is to have */
	unsigned int repeats; /* how often it is made again */
};

struct plan {
	const struct machine *machine;
	struct plan_options options;
	struct pmcg_plan *pmcgs; /* in the order of the machine's */
	size_t pmcgs_number;
	uint64_t random;
	bool learned; /* something was counted before */
	bool settled; /* no block is left that may have one of the worst rows */
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

/* Both events of a ratio are counted at the same time. */
static bool counts_column(const struct pmcg_plan *this, enum column column)
{
	return column_is_of(column, this->pmcg->kind) && !(column_events(column) & ~this->events) &&
	       (!columns[column].base || this->pmcg->counters > 1);
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
static unsigned int events_with(const struct pmcg_plan *this, enum column column)
{
	enum column ratio;

	for (ratio = 0; ratio < COLUMNS; ratio++)
		if (columns[ratio].base && columns[ratio].kind == columns[column].kind &&
		    column_events(ratio) & 1U << columns[column].event &&
		    counts_column(this, ratio))
			return column_events(ratio);
	return column_events(column);
}

/* With one filter, more events cost nothing; otherwise, each costs the filter of a row. */
static int pack_limit(const struct pmcg_plan *this, unsigned int pack)
{
	unsigned int counters = this->pmcg->counters;

	if (!this->pmcg->filter_each ||
	    __builtin_popcount(this->events) * (this->rows_number + 1) <= counters)
		return counters;
	if (!pack)
		return __builtin_popcount(this->packs[0].events);
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
		if (__builtin_popcount(this->packs[i].events | events) <= pack_limit(this, i))
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
	size_t rows = this->rows_number;
	unsigned int limited = 0, blocks;
	enum column column;
	struct pack *pack;

	add_events(this, events_with(this, this->sort), false);
	for (column = 0; column < COLUMNS; column++) {
		if (plan->options.limits & 1U << column)
			limited |= 1U << columns[column].event;
		if (counts_column(this, column))
			add_events(this, events_with(this, column), false);
	}
	if (this->pmcg->kind == KIND_TCU && this->events & 1U << EVENT_TRANSACTION)
		add_events(this, 1U << EVENT_TRANSACTION, true);
	for_each(pack, this->packs) {
		blocks = this->pmcg->filter_each ?
			 this->pmcg->counters / __builtin_popcount(pack->events) : 1;
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

static bool is_used(const struct plan *plan, const struct pmcg_plan *this)
{
	return this->sort < COLUMNS && machine_uses_pmcg(plan->machine, this->pmcg);
}

/* Those that do not count what is sorted by follow those that do, but for limits. */
static void choose_leaders(struct plan *plan)
{
	const struct pmcg_plan *other;
	struct pmcg_plan *this;
	enum column column;

	for_each(this, plan->pmcgs) {
		this->follows = false;
		if (this->sort == plan->options.sort || plan->options.turns)
			continue;
		for_each(other, plan->pmcgs)
			this->follows |= other->pmcg->smmu == this->pmcg->smmu &&
					 other->sort == plan->options.sort && is_used(plan, other);
		for (column = 0; column < COLUMNS; column++)
			this->follows &= !(plan->options.limits & 1U << column) ||
					 !counts_column(this, column);
	}
}

struct plan *plan_new(const struct machine *machine, const struct plan_options *options)
{
	struct plan *plan = zeros(1, sizeof(*plan));
	const struct pmcg *pmcg;
	struct pmcg_plan *this;
	const struct row *row;

	plan->machine = machine;
	plan->options = *options;
	plan->random = options->seed;
	for_each(pmcg, machine->pmcgs) {
		this = append(plan->pmcgs, plan->pmcgs_number);
		this->pmcg = pmcg;
		this->events = columns_events(pmcg, options->columns);
		this->sort = choose_sort(this, options->sort);
		if (this->sort == COLUMNS)
			continue;
		for_each(row, machine->smmus[pmcg->smmu].rows)
			if (machine_counts_row(pmcg, row))
				append(this->rows, this->rows_number)->row = row;
		this->cells = zeros(this->rows_number, sizeof(*this->cells));
		make_packs(plan, this);
	}
	return plan;
}

void plan_free(struct plan *plan)
{
	struct pmcg_plan *this;

	if (!plan)
		return;
	for_each(this, plan->pmcgs) {
		free(this->rows);
		free(this->cells);
		free(this->order);
		free(this->visits);
	}
	free(plan->pmcgs);
	free(plan);
}

/* Visits the worst rows by another column from the next interval on. */
void plan_set_sort(struct plan *plan, enum column sort)
{
	struct pmcg_plan *this;
	struct plan_row *row;

	if (plan->options.sort == sort)
		return;
	plan->options.sort = sort;
	for_each(this, plan->pmcgs) {
		if (this->sort == choose_sort(this, sort))
			continue;
		this->sort = choose_sort(this, sort);
		for_each(row, this->rows) {
			*row = (struct plan_row){ .row = row->row };
		}
		this->packs_number = 0;
		memset(this->packs, 0, sizeof(this->packs));
		make_packs(plan, this);
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

/* What was counted, less two standard deviations: none is to become one of the worst by chance. */
static double at_least(double count)
{
	return fmax(count - 2 * sqrt(count), count / 16);
}

/* What a row is to be chosen by, of what its cell has counted; 0: nothing is known. */
static double score_of(const struct pmcg_plan *this, const struct cell *cell,
		       const struct estimate *counted)
{
	double rate = at_least(counted->count) / counted->time;

	if (columns[this->sort].base)
		return cell->number == 1 && counted->base >= LEAST_BASE ?
		       at_least(counted->count) / counted->base : 0;
	/* Of a block that has much more than it had, a row has started. */
	if (cell->number > 1 && !(this->rows[cell->first].learned && rate > 2 * cell->rate))
		return 0;
	return rate / cell->number;
}

/*
 * Each row of a block has had a part of it, until it is visited on its own. A row that was not
 * visited in the interval has what it had.
 */
static void learn_cell(struct pmcg_plan *this, const struct figures *figures, size_t index,
		       const struct cell *cell)
{
	const struct estimate *counted = figures_of(figures, index, &cell->block, this->sort);
	bool alone = cell->number == 1;
	double rate, score, memory;
	struct plan_row *row;
	size_t i;

	if (!counted || !(counted->visits > 0))
		return;
	rate = counted->count / counted->time / cell->number;
	score = score_of(this, cell, counted);
	for (i = 0; i < cell->number; i++) {
		row = &this->rows[cell->first + i];
		memory = row->learned && (row->alone || !alone) ? MEMORY : 0;
		row->rate = memory * row->rate > rate ? memory * row->rate : rate;
		row->score = memory * row->score > score ? memory * row->score : score;
		row->learned = true;
		row->alone = alone;
	}
}

/* Learns from what was counted in the interval that is over. */
void plan_learn(struct plan *plan, const struct figures *figures)
{
	struct pmcg_plan *this;
	const struct cell *cell;

	plan->learned = true;
	for_each(this, plan->pmcgs)
		for_each(cell, this->cells)
			learn_cell(this, figures, this - plan->pmcgs, cell);
}

/* Whether a column chooses the worst rows of an SMMU on a counter group. */
static bool is_chosen_by(const struct plan *plan, const struct pmcg_plan *this,
			 const struct smmu *smmu, enum column column)
{
	return &plan->machine->smmus[this->pmcg->smmu] == smmu && is_used(plan, this) &&
	       (this->follows ? plan->options.sort : this->sort) == column;
}

/* Marks the worst rows, once for all that choose them by the same column: TBUs see parts of it. */
static void mark_worst(struct plan *plan, const struct pmcg_plan *first)
{
	enum column column = first->follows ? plan->options.sort : first->sort;
	const struct smmu *smmu = &plan->machine->smmus[first->pmcg->smmu];
	struct sum *sums, *sum, **order;
	struct pmcg_plan *this;
	struct plan_row *row;
	size_t rows = 0, i;

	for (this = plan->pmcgs; this < first; this++)
		if (is_chosen_by(plan, this, smmu, column))
			return;
	sums = zeros(smmu->rows_number, sizeof(*sums));
	order = zeros(smmu->rows_number, sizeof(*order));
	for_each(this, plan->pmcgs)
		if (is_chosen_by(plan, this, smmu, column) && !this->follows)
			for_each(row, this->rows)
				sums[row->row - smmu->rows].score += row->score;
	for (sum = sums; sum < sums + smmu->rows_number; sum++) {
		sum->worst = sum->score > 0;
		if (!sum->worst)
			continue;
		for (i = rows; i && order[i - 1]->score < sum->score; i--)
			order[i] = order[i - 1];
		order[i] = sum;
		if (rows < plan->options.rows)
			rows++;
		else
			order[rows]->worst = false;
	}
	for_each(this, plan->pmcgs) {
		if (!is_chosen_by(plan, this, smmu, column))
			continue;
		this->least = rows && rows == plan->options.rows ? order[rows - 1]->score : 0;
		for_each(row, this->rows)
			row->sum = sums[row->row - smmu->rows];
	}
	free(sums);
	free(order);
}

/*
 * The smallest block that has these rows. One row is counted as such: none of the worst is part of
 * a block, as all that the block counts could be its own.
 */
static struct cell make_cell(const struct pmcg_plan *this, size_t first, size_t end)
{
	const struct plan_row *row = &this->rows[first], *last = &this->rows[end - 1];
	uint32_t id = row->row->id, differ = id ^ last->row->id;
	unsigned int span = differ ? 32 - __builtin_clz(differ) : 0;
	struct cell cell = {
		.block = { .stream_id = (uint64_t)id >> span << span, .span_bits = span },
		.first = first, .number = end - first, .rate = span ? 0 : -1,
	};

	for (; span && row <= last && !isinf(cell.rate); row++)
		cell.rate += row->sum.worst ? INFINITY : row->learned ? row->rate : 1;
	return cell;
}

/*
 * The block that counts most is cut first. Of blocks that count the same, such as nothing, it is
 * the largest: what starts in it is found sooner among less rows.
 */
static bool is_before(const struct cell *cell, const struct cell *other)
{
	if (cell->rate != other->rate)
		return cell->rate > other->rate;
	return cell->number != other->number ? cell->number > other->number : cell < other;
}

/* Moves a cell up or down in a heap, from 1 on: none is before the one at half its place. */
static void put_cell(struct cell **heap, size_t number, size_t place, struct cell *cell)
{
	size_t next;

	for (; place > 1 && is_before(cell, heap[place / 2]); place /= 2)
		heap[place] = heap[place / 2];
	while ((next = 2 * place) <= number) {
		next += next < number && is_before(heap[next + 1], heap[next]);
		if (is_before(cell, heap[next]))
			break;
		heap[place] = heap[next];
		place = next;
	}
	heap[place] = cell;
}

/* Makes so many cells, or more if the worst rows need them. */
static void cut_cells(struct pmcg_plan *this, size_t number)
{
	struct cell **heap = zeros(this->rows_number + 1, sizeof(*heap)), *cell = this->cells;
	size_t middle, end, cells = 1;

	*cell = make_cell(this, 0, this->rows_number);
	heap[1] = cell;
	while (cell->number > 1 && (cells < number || isinf(cell->rate))) {
		end = cell->first + cell->number;
		middle = cell->first + 1;
		/* The first and the last row differ by the highest bit of the span. */
		while (!((this->rows[middle].row->id ^ this->rows[cell->first].row->id) >>
			 (cell->block.span_bits - 1)))
			middle++;
		*cell = make_cell(this, cell->first, middle);
		put_cell(heap, cells, 1, cell);
		cell = &this->cells[cells++];
		*cell = make_cell(this, middle, end);
		put_cell(heap, cells, cells, cell);
		cell = heap[1];
	}
	this->cells_number = cells;
	free(heap);
}

/* All cells, and the worst rows that have something on this counter group */
static void order_blocks(struct pmcg_plan *this, bool worst)
{
	const struct plan_row *row;
	const struct cell *cell;

	this->order_number = 0;
	for_each(cell, this->cells) {
		*append(this->order, this->order_number) = cell->block;
	}
	for_each(row, this->rows)
		if (worst && row->sum.worst &&
		    (this->follows || row->rate > row->sum.score / LEAST_PART))
			*append(this->order, this->order_number) =
				(struct block){ .stream_id = row->row->id };
}

/*
 * Visits blocks, or, without any, everything, so many times: once in each of as many parts of the
 * interval, at random.
 */
static void add_visits(struct plan *plan, struct pmcg_plan *this, const struct pack *pack,
		       size_t first, size_t end, size_t times)
{
	size_t i, part;

	for (part = 0; part < times; part++) {
		i = first;
		do {
			*append(this->visits, this->visits_number) = (struct visit){
				.pack = pack,
				.first = i,
				.end = end - i > pack->at_once ? i + pack->at_once : end,
				.place = (part + (next_random(&plan->random) >> 11) / 0x1p53) /
					 times,
			};
			i += pack->at_once;
		} while (i < end);
	}
}

/* Rounding can make the place 1. */
static size_t part_of(const struct visit *visit, size_t parts)
{
	return fmin(visit->place * parts, parts - 1);
}

/* Places are spread evenly: each visit is put near to where it belongs, and then moved there. */
static void sort_visits(struct pmcg_plan *this)
{
	size_t number = this->visits_number, *ends = zeros(number, sizeof(*ends)), i, j;
	struct visit *sorted = zeros(number, sizeof(*sorted)), moved;

	for (i = 0; i < number; i++)
		ends[part_of(&this->visits[i], number)]++;
	for (i = 1; i < number; i++)
		ends[i] += ends[i - 1];
	for (i = number; i-- > 0;)
		sorted[--ends[part_of(&this->visits[i], number)]] = this->visits[i];
	for (i = 1; i < number; i++) {
		moved = sorted[i];
		for (j = i; j && sorted[j - 1].place > moved.place; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = moved;
	}
	free(ends);
	free(this->visits);
	this->visits = sorted;
}

/* What visits cost: of each cell and each of the worst rows once, with everything as often */
struct costs {
	size_t cells;
	size_t worst;
	size_t others; /* of the other packs */
};

static struct costs costs_of(const struct pmcg_plan *this, size_t slices)
{
	size_t cells = this->cells_number, worst = this->order_number - cells;
	struct costs costs = { .cells = 0 };
	const struct pack *pack;

	for_each(pack, this->packs) {
		if (pack->all_rows) {
			if (cells)
				costs.cells += divide_up(cells, pack->at_once) + !pack->all_beside;
			if (worst)
				costs.worst += divide_up(worst, pack->at_once) + !pack->all_beside;
			continue;
		}
		costs.others += slices / (2 * OTHERS) + 1;
		if (!pack->total_only && worst)
			costs.others += slices / OTHERS + divide_up(worst, pack->at_once);
	}
	return costs;
}

/* Makes the list. */
static void make_visits(struct plan *plan, struct pmcg_plan *this)
{
	size_t cells = this->cells_number, all = this->order_number, passes, times;
	size_t slices = this->slices;
	struct costs costs = costs_of(this, slices);
	const struct pack *pack;

	this->visits_number = 0;
	this->next = 0;
	for_each(pack, this->packs) {
		if (pack->all_rows)
			continue;
		add_visits(plan, this, pack, 0, 0, slices / (2 * OTHERS) + 1);
		if (pack->total_only || all == cells)
			continue;
		times = slices / OTHERS / divide_up(all - cells, pack->at_once) + 1;
		add_visits(plan, this, pack, cells, all, times);
	}
	slices -= this->visits_number < slices ? this->visits_number : slices;
	/* Half is for the worst rows. */
	passes = cells ? slices / (all > cells ? 2 : 1) / costs.cells : 0;
	/* Where there are none, and few passes, everything is counted apart from these, too. */
	if (cells && all == cells && passes < LEAST_VISITS && slices > LEAST_VISITS &&
	    !plan->options.turns && !this->packs->all_beside)
		passes = (slices - LEAST_VISITS) / costs.cells;
	passes = cells && !passes ? 1 : passes;
	slices -= passes * costs.cells < slices ? passes * costs.cells : slices;
	times = all > cells ? slices / costs.worst : 0;
	slices -= times * costs.worst;
	for_each(pack, this->packs) {
		if (!pack->all_rows)
			continue;
		if (cells)
			add_visits(plan, this, pack, 0, cells, passes);
		if (all > cells)
			add_visits(plan, this, pack, cells, all, times);
		if (!pack->all_beside)
			add_visits(plan, this, pack, 0, 0, passes + times);
	}
	add_visits(plan, this, this->packs, 0, 0, slices);
	sort_visits(this);
}

/* How many slices the interval must have, so that figures have errors. */
static size_t least_slices(const struct pmcg_plan *this, bool search)
{
	struct costs costs = costs_of(this, 0);
	size_t slices = costs.cells + (search ? 0 : LEAST_VISITS * costs.worst);

	return slices + costs_of(this, slices + slices / 4).others;
}

/* Whether a block has counted so much that a row of it may be among the worst. */
static bool may_hide(const struct pmcg_plan *this)
{
	const struct cell *cell;

	for_each(cell, this->cells)
		if (cell->number > 1 && cell->number * this->rows[cell->first].rate > this->least)
			return true;
	return false;
}

/*
 * Where each row could be a cell, but be visited only once, less cells are visited three times: the
 * sum of all varies less. But each row is to be known at first, for a limit, and for a ratio.
 */
static size_t cells_of(const struct plan *plan, const struct pmcg_plan *this, size_t number)
{
	bool once = this->rows_number <= number &&
		    this->rows_number * 2 > number * this->packs->at_once;

	if (!once || !plan->learned || plan->options.limits || columns[this->sort].base)
		return number;
	return fmax(2 * number / 7, FEW_CELLS);
}

/* Chooses the worst rows, and which StreamIDs are visited together. */
static void choose_cells(struct plan *plan, size_t number)
{
	bool turns = plan->options.turns;
	struct pmcg_plan *this;
	size_t i;

	choose_leaders(plan);
	for_each(this, plan->pmcgs)
		if (!turns)
			mark_worst(plan, this);
	plan->settled = true;
	for_each(this, plan->pmcgs) {
		this->visits_number = 0;
		if (!is_used(plan, this) || this->steady)
			continue;
		plan->settled &= turns || (plan->learned && !may_hide(this));
		this->cells_number = 0;
		for (i = 0; turns && i < this->rows_number; i++)
			this->cells[this->cells_number++] = make_cell(this, i, i + 1);
		if (!this->follows && !turns && this->rows_number)
			cut_cells(this, cells_of(plan, this, number));
	}
}

/*
 * Begins an interval of so many slices, or more if that is too few. With @may_search, it is as
 * short as possible if the worst rows are not known yet. Returns whether it is such a search.
 */
bool plan_begin(struct plan *plan, size_t slices, bool may_search)
{
	size_t cells = (slices < MOST_VISITS ? slices : MOST_VISITS) / 2;
	struct pmcg_plan *this;
	unsigned int repeats;
	bool search;

	choose_cells(plan, cells > LEAST_CELLS ? cells : LEAST_CELLS);
	search = may_search && !plan->settled;
	slices = search || !slices ? 1 : slices;
	for_each(this, plan->pmcgs) {
		if (!is_used(plan, this) || this->steady)
			continue;
		order_blocks(this, !search);
		slices = fmax(slices, least_slices(this, search));
	}
	repeats = divide_up(slices, MOST_VISITS);
	for_each(this, plan->pmcgs) {
		if (!is_used(plan, this) || this->steady)
			continue;
		this->repeats = repeats - 1;
		this->slices = slices / repeats;
		make_visits(plan, this);
	}
	return search;
}

static void add_block(struct slice *slice, const struct pack *pack, const struct block *block)
{
	unsigned int events;

	for (events = pack->events; events && slice->number < MAX_SPECS; events &= events - 1)
		slice->specs[slice->number++] = (struct spec){
			.block = *block,
			.event = __builtin_ctz(events),
		};
}

/* What a counter group counts in the next slice; no specs if there is nothing to count. */
void plan_next(struct plan *plan, size_t index, struct slice *slice)
{
	static const struct block everything = { .everything = true };
	struct pmcg_plan *this = &plan->pmcgs[index];
	const struct visit *visit;
	const struct plan_row *row;
	size_t i;

	slice->number = 0;
	if (!is_used(plan, this))
		return;
	if (this->steady) {
		add_block(slice, this->packs, &everything);
		for_each(row, this->rows)
			add_block(slice, this->packs, &(struct block){ .stream_id = row->row->id });
		return;
	}
	if (this->next == this->visits_number && this->repeats) {
		this->repeats--;
		make_visits(plan, this);
	}
	if (this->next == this->visits_number)
		return;
	visit = &this->visits[this->next++];
	if (visit->first == visit->end || visit->pack->all_beside)
		add_block(slice, visit->pack, &everything);
	for (i = visit->first; i < visit->end; i++)
		add_block(slice, visit->pack, &this->order[i]);
}

bool plan_is_steady(const struct plan *plan, size_t index)
{
	return plan->pmcgs[index].steady || !is_used(plan, &plan->pmcgs[index]);
}

/* How many slices are left of the interval; 0 where nothing takes turns */
size_t plan_slices(const struct plan *plan)
{
	const struct pmcg_plan *this;
	size_t slices = 0, left;

	for_each(this, plan->pmcgs) {
		left = this->visits_number * (this->repeats + 1) - this->next;
		if (left > slices && !this->steady && is_used(plan, this))
			slices = left;
	}
	return slices;
}
