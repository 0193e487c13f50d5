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
#include <string.h>

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

/* Of everything, of some cells, or of some of the worst rows */
enum visit_kind {
	VISIT_EVERYTHING,
	VISIT_CELLS,
	VISIT_WORST
};

struct visit {
	enum visit_kind kind;
	unsigned int pack; /* index of what is counted */
	size_t first; /* index of the first cell, or of the first one of the worst rows */
};

struct pmcg_plan {
	const struct pmcg *pmcg;
	/* What rows are sorted by, or the nearest to that; COLUMNS: nothing is counted */
	enum column sort;
	unsigned int events; /* bit n: it counts event n */
	struct packs packs;
	unsigned int event; /* index in the first pack of what rows are sorted by */
	unsigned int base; /* of a ratio, index there of what it is divided by */
	double *scores; /* of each row: the most that it has recently had in a round */
	bool steady; /* all rows fit into one slice: nothing takes turns */
	struct cells cells;
	bool *is_worst; /* of each row */
	size_t *worst; /* cells that are visited often */
	size_t worst_number;
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

/* How many blocks can be counted at the same time, with a pack. */
static unsigned int number_of_blocks(const struct pmcg_plan *this, unsigned int pack)
{
	return !this->pmcg->filter_each ? 1 :
	       this->pmcg->counters / pack_size(&this->packs.packs[pack]);
}

/* Whether everything is counted beside these in each slice */
static bool counts_all_beside(const struct pmcg_plan *this, unsigned int pack)
{
	return this->steady ||
	       (number_of_blocks(this, pack) >= 4 && !this->packs.packs[pack].total_only);
}

static unsigned int number_of_cells(const struct pmcg_plan *this, unsigned int pack)
{
	return number_of_blocks(this, pack) - counts_all_beside(this, pack);
}

/* How many slices a time has */
static size_t slots(const struct plan *plan, uint64_t time)
{
	return time / plan->options.slice + 1;
}

static bool has_limit(const struct plan *plan, const struct pack *pack)
{
	unsigned int events = 0;
	enum column column;

	for (column = 0; column < COLUMNS; column++)
		if (plan->options.limits & 1U << column)
			events |= 1U << columns[column].event;
	return pack->events & events;
}

/* Where in a pack an event is; 0 if it is not there */
static unsigned int place_of(const struct pack *pack, enum pmcg_event event)
{
	return !(pack->events & 1U << event) ? 0 :
	       __builtin_popcount(pack->events & ((1U << event) - 1));
}

static void plan_pmcg(const struct plan *plan, struct pmcg_plan *this, const struct pmcg *pmcg)
{
	unsigned int events = pmcg->counters ? packs_events(pmcg, plan->options.columns) : 0, i;
	const struct smmu *smmu = &plan->machine->smmus[pmcg->smmu];
	const struct pack *first = this->packs.packs;
	size_t number = 0, most;
	const struct row *row;
	uint32_t *ids;

	*this = (struct pmcg_plan){
		.pmcg = pmcg,
		.events = events,
		.sort = packs_sort(pmcg, events, plan->options.sort),
		.slice = plan->options.slice,
	};
	if (this->sort == COLUMNS)
		return;
	ids = zeros(smmu->rows_number, sizeof(*ids));
	for_each(row, smmu->rows)
		if (machine_counts_row(pmcg, row))
			ids[number++] = row->id;
	packs_make(&this->packs, pmcg, events, this->sort, number);
	this->event = place_of(first, columns[this->sort].event);
	this->base = place_of(first, columns[this->sort].base);
	most = slots(plan, TURN_SECONDS * SECOND) * number_of_cells(this, 0);
	cells_init(&this->cells, ids, number, plan->options.turns ? number : most);
	this->is_worst = zeros(number, sizeof(*this->is_worst));
	this->scores = zeros(number, sizeof(*this->scores));
	for (i = 0; i < this->packs.number; i++)
		this->packs.packs[i].all_rows = !i || (!this->packs.packs[i].total_only &&
			(plan->options.turns || has_limit(plan, &this->packs.packs[i])));
	this->steady = this->packs.number == 1 && (!number || number_of_blocks(this, 0) > number);
	this->equal = this->steady;
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
	free(this->scores);
	cells_free(&this->cells);
	free(this->is_worst);
	free(this->worst);
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
		if (packs_count(this->pmcg, this->events, column))
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
static double rate_of(const struct pmcg_plan *this, const struct sum *sum, double sigmas)
{
	double count = fmax(sum->count - sigmas * sqrt(sum->count), sum->count / 16);

	if (!columns[this->sort].base)
		return sum->time > 0 ? count / sum->time : NAN;
	return sum->base >= LEAST_BASE ? count / sum->base : NAN;
}

static bool is_worst(const struct pmcg_plan *this, const struct cell *cell)
{
	return cell->number == 1 && this->is_worst[cell->first];
}

/* Learns from a round that is over. */
static void take_scores(struct pmcg_plan *this)
{
	const struct cell *cell;
	struct area *area = this->cells.areas;
	/* Where rows are visited seldom, those that are overlooked are overlooked for long. */
	double rate, sum = 0, sigmas = this->cells.areas_number ? 1 : 2;
	size_t i;

	for (i = 0; i < this->cells.rows_number; i++)
		this->scores[i] *= MEMORY;
	for (i = 0; i < this->cells.number; i++) {
		cell = &this->cells.cells[i];
		rate = rate_of(this, &cell->sum, sigmas);
		if (cell->number == 1 && rate > this->scores[cell->first])
			this->scores[cell->first] = rate;
		if (!this->cells.areas_number)
			continue;
		/* A block with a high ratio of a row counts something, whatever its own ratio. */
		if (cell->sum.time > 0 && !is_worst(this, cell))
			sum += cell->sum.count / cell->sum.time;
		if (cell->first + cell->number < area->first + area->number)
			continue;
		area->score = fmax(area->score * MEMORY, sum);
		area->waiting += area->score;
		area++;
		sum = 0;
	}
}

/* The scores of each row, on all counter groups that count different things of the SMMU together */
static double *add_scores(const struct plan *plan, const struct pmcg_plan *this)
{
	double *scores = zeros(this->cells.rows_number, sizeof(*scores));
	const struct pmcg_plan *other;
	size_t i, row;

	for_each(other, plan->pmcgs) {
		if (other->sort != this->sort || other->pmcg->smmu != this->pmcg->smmu ||
		    !machine_uses_pmcg(plan->machine, other->pmcg))
			continue;
		for (i = 0, row = 0; i < this->cells.rows_number; i++) {
			while (row < other->cells.rows_number &&
			       other->cells.ids[row] < this->cells.ids[i])
				row++;
			if (row < other->cells.rows_number &&
			    other->cells.ids[row] == this->cells.ids[i])
				scores[i] += other->scores[row];
		}
	}
	return scores;
}

static int compare_scores(const void *a, const void *b, void *context)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const double *scores = context;

	if (scores[x] != scores[y])
		return scores[x] > scores[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/*
 * Marks the worst rows of the SMMU, where these have something on this counter group. Returns the
 * score of the last one.
 */
static double mark_worst(const struct plan *plan, struct pmcg_plan *this)
{
	size_t *order = zeros(this->cells.rows_number, sizeof(*order)), i, rows = 0;
	double *scores = add_scores(plan, this), last = 0;

	for (i = 0; i < this->cells.rows_number; i++)
		if (scores[i] > 0)
			order[rows++] = i;
	qsort_r(order, rows, sizeof(*order), compare_scores, scores);
	if (rows >= plan->options.rows) {
		rows = plan->options.rows;
		last = scores[order[rows - 1]];
	}
	for (i = 0; i < rows; i++)
		if (this->scores[order[i]] > scores[order[i]] / LEAST_PART)
			this->is_worst[order[i]] = true;
	free(scores);
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
	struct cell *cell;
	size_t i;

	take_scores(this);
	if (this->began)
		memset(this->is_worst, 0, this->cells.rows_number * sizeof(*this->is_worst));
	if (!plan->options.turns) {
		last = mark_worst(plan, this);
		threshold = columns[this->sort].base ? 0 : last;
	}
	this->settled = this->round > 1 && cells_all_explored(&this->cells, threshold);
	if (this->cells.areas_number) {
		memcpy(this->cells.own, this->is_worst,
		       this->cells.rows_number * sizeof(*this->is_worst));
		cells_cut(&this->cells, LEAST_VISITS, threshold, this->round);
	}
	this->worst_number = 0;
	for (i = 0; i < this->cells.number; i++) {
		cell = &this->cells.cells[i];
		cell->sum = (struct sum){ .count = 0 };
		if (is_worst(this, cell))
			*append(this->worst, this->worst_number) = i;
	}
}

static void add_visits(struct pmcg_plan *this, enum visit_kind kind, unsigned int pack,
		       size_t times)
{
	size_t number = kind == VISIT_CELLS ? this->cells.number :
			kind == VISIT_WORST ? this->worst_number : 1, first;

	while (times--)
		for (first = 0; first < number; first += number_of_cells(this, pack))
			*append(this->visits, this->visits_number) = (struct visit){
				.kind = kind,
				.pack = pack,
				.first = first,
			};
}

static size_t units(const struct pmcg_plan *this, unsigned int pack, size_t cells)
{
	unsigned int at_once = number_of_cells(this, pack);

	return (cells + at_once - 1) / at_once;
}

/* How often the worst rows are visited in a round, of so many in an interval */
static size_t least_visits(size_t rounds)
{
	return (LEAST_VISITS + rounds - 1) / rounds;
}

/*
 * How many slices a round should have, with so many visits of cells and of worst rows: it ends with
 * the interval, or earlier where there is time for others. The first round is as short as possible,
 * as the worst rows are not known yet. Returns how often these are visited at least.
 */
static size_t choose_length(const struct plan *plan, const struct pmcg_plan *this, size_t cells,
			    size_t worst, uint64_t time_left, size_t *length)
{
	size_t left = time_left ? time_left / this->slice : slots(plan, TURN_SECONDS * SECOND);
	size_t rounds = plan->options.turns ? 1 : MOST_ROUNDS, least;

	left -= left / SPARE;
	do {
		least = (cells + worst * least_visits(rounds)) * EVERYTHING / (EVERYTHING - 1);
	} while (least > left / rounds && --rounds);
	rounds = rounds ? rounds : 1;
	*length = this->round > 1 && left / rounds > least ? left / rounds : least;
	return least_visits(rounds);
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
	size_t cells = 0, worst = 0, length, times, least;
	unsigned int i;

	for (i = 0; i < this->packs.number; i++) {
		if (!this->packs.packs[i].all_rows)
			continue;
		cells += units(this, i, this->cells.number);
		worst += units(this, i, this->worst_number);
	}
	least = choose_length(plan, this, cells, worst, time_left, &length);
	this->visits_number = 0;
	for (i = 0; i < this->packs.number; i++) {
		times = length / (this->packs.packs[i].all_rows ? EVERYTHING : 2 * OTHERS) + 1;
		if (!counts_all_beside(this, i))
			add_visits(this, VISIT_EVERYTHING, i, times);
		if (!this->packs.packs[i].all_rows && !this->packs.packs[i].total_only)
			add_visits(this, VISIT_WORST, i, length / OTHERS /
				   (units(this, i, this->worst_number) + 1) + 1);
	}
	length -= this->visits_number < length ? this->visits_number : length;
	times = cells ? length / (worst ? 2 : 1) / cells : 0;
	times = times ? times : 1;
	this->equal = plan->options.turns || times >= LEAST_VISITS;
	for (i = 0; i < this->packs.number; i++)
		if (this->packs.packs[i].all_rows)
			add_visits(this, VISIT_CELLS, i, times);
	length -= times * cells < length ? times * cells : length;
	times = worst ? length / worst : 0;
	for (i = 0; i < this->packs.number; i++)
		if (this->packs.packs[i].all_rows)
			add_visits(this, VISIT_WORST, i, times > least ? times : least);
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

/* The n-th cell of a visit; NULL if it has not so many. */
static struct cell *cell_of_visit(const struct pmcg_plan *this, const struct visit *visit, size_t n)
{
	size_t index = visit->first + n;

	if (visit->kind == VISIT_EVERYTHING || n >= number_of_cells(this, visit->pack))
		return NULL;
	if (visit->kind == VISIT_WORST)
		index = index < this->worst_number ? this->worst[index] : this->cells.number;
	return index < this->cells.number ? &this->cells.cells[index] : NULL;
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
	static const struct visit all = { .kind = VISIT_CELLS };
	struct pmcg_plan *this = &plan->pmcgs[index];
	const struct visit *visit = &all;
	const struct pack *pack;
	const struct cell *cell;
	size_t n;

	slice->number = 0;
	slice->first_of_round = false;
	if (!is_used(plan, this))
		return;
	if (!this->steady)
		visit = next_visit(plan, this, time_left, &slice->first_of_round);
	slice->worst = visit->kind == VISIT_WORST || this->equal;
	pack = &this->packs.packs[visit->pack];
	if (visit->kind == VISIT_EVERYTHING || counts_all_beside(this, visit->pack))
		add_block(slice, pack, &everything);
	for (n = 0; (cell = cell_of_visit(this, visit, n)); n++)
		add_block(slice, pack, &cell->block);
}

bool plan_is_steady(const struct plan *plan, size_t index)
{
	return plan->pmcgs[index].steady || !is_used(plan, &plan->pmcgs[index]);
}

void plan_add(struct plan *plan, size_t index, const struct slice *slice,
	      const struct slice_counts *counts)
{
	struct pmcg_plan *this = &plan->pmcgs[index];
	const struct visit *visit;
	const uint64_t *counts_of_cell = counts->counts;
	struct cell *cell;
	size_t n;

	this->round += this->steady;
	if (this->steady || !slice->number)
		return;
	visit = &this->visits[this->next - 1];
	if (visit->pack)
		return;
	if (slice->specs[0].block.everything)
		counts_of_cell += pack_size(&this->packs.packs[0]);
	for (n = 0; (cell = cell_of_visit(this, visit, n)); n++) {
		cell->sum.count += counts_of_cell[this->event];
		cell->sum.base += counts_of_cell[this->base];
		cell->sum.time += counts->running / 1e9;
		counts_of_cell += pack_size(&this->packs.packs[0]);
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
