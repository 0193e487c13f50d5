// SPDX-License-Identifier: GPL-2.0
/*
 * Figures: what the slices of an interval say of each row. The TBUs of an SMMU see different
 * transactions, so their counts are added up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "text.h"

/* A row that was not counted for so many intervals is not known any more. */
#define MOST_AGE	10
/* The counters were used by nobody else, but for the time that it takes to start them. */
#define ALL_RUNNING	0.99
#define SIGMAS		5
/* With fewer visits, it is not known how much the total varies. */
#define LEAST_VISITS	8
/* Rows with a smaller share of what a ratio is divided by do not matter. */
#define LEAST_SHARE	0.01

#define NO_ROW		SIZE_MAX

/* What was counted in this round, of this interval, and in the rounds that are over. */
struct tally {
	struct estimate round[COLUMNS];
	struct estimate now[COLUMNS];
};

/* What was counted in an earlier interval, so many intervals ago; 0: never, or too long ago. */
struct former {
	struct estimate_figure rate;
	unsigned int age;
};

/* What was counted of a block of more than one row */
struct block_tally {
	struct block block;
	struct tally tally;
	/* By column: the rate without rows and smaller blocks in it that were counted as well */
	double rest[COLUMNS];
	const struct block_tally *used; /* by the block whose rest is computed */
};

struct pmcg_figures {
	struct tally *rows; /* of each row of the SMMU, and of everything */
	struct former (*former)[COLUMNS]; /* of the same, by column */
	size_t rows_number;
	struct block_tally *blocks; /* of more than one row that were counted in this interval */
	size_t blocks_number;
	/* Of each row, the smallest of these, or NULL; of a report */
	struct block_tally **block_of;
	double slices;
	uint64_t round_time; /* ns that were counted in this round, of this interval */
	uint64_t enabled; /* ns of all slices of this interval */
	uint64_t running; /* ns in which it counted */
};

struct figures {
	struct machine *machine;
	struct pmcg_figures *pmcgs;
};

struct figures *figures_new(struct machine *machine)
{
	struct figures *figures = zeros(1, sizeof(*figures));
	struct pmcg_figures *pmcg;
	size_t i;

	figures->machine = machine;
	figures->pmcgs = zeros(machine->pmcgs_number, sizeof(*figures->pmcgs));
	for (i = 0; i < machine->pmcgs_number; i++) {
		pmcg = &figures->pmcgs[i];
		pmcg->rows_number = machine->smmus[machine->pmcgs[i].smmu].rows_number;
		pmcg->rows = zeros(pmcg->rows_number + 1, sizeof(*pmcg->rows));
		pmcg->former = zeros(pmcg->rows_number + 1, sizeof(*pmcg->former));
		pmcg->block_of = zeros(pmcg->rows_number + 1, sizeof(*pmcg->block_of));
	}
	return figures;
}

void figures_free(struct figures *figures)
{
	size_t i;

	if (!figures)
		return;
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		free(figures->pmcgs[i].rows);
		free(figures->pmcgs[i].former);
		free(figures->pmcgs[i].blocks);
		free(figures->pmcgs[i].block_of);
	}
	free(figures->pmcgs);
	free(figures);
}

/* The first row with a StreamID that is not less */
static size_t first_row(const struct smmu *smmu, uint32_t id)
{
	size_t first = 0, last = smmu->rows_number, middle;

	while (first < last) {
		middle = (first + last) / 2;
		if (smmu->rows[middle].id < id)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* The row that a block is, or the number of rows for everything, or NO_ROW. */
static size_t find_row(const struct smmu *smmu, const struct block *block)
{
	size_t row;

	if (block->everything)
		return smmu->rows_number;
	row = first_row(smmu, block->stream_id);
	return !block->span_bits && row < smmu->rows_number &&
	       smmu->rows[row].id == block->stream_id ? row : NO_ROW;
}

static struct tally *find_tally(struct pmcg_figures *pmcg, const struct smmu *smmu,
				const struct block *block)
{
	struct block_tally *added;
	size_t row = find_row(smmu, block), i;

	if (row != NO_ROW)
		return &pmcg->rows[row];
	if (!block->span_bits)
		return NULL;
	for (i = 0; i < pmcg->blocks_number; i++)
		if (block_equal(&pmcg->blocks[i].block, block))
			return &pmcg->blocks[i].tally;
	added = append(pmcg->blocks, pmcg->blocks_number);
	added->block = *block;
	return &added->tally;
}

/* The spec of a slice that counts an event of a block, or NULL. */
static const struct spec *find_spec(const struct slice *slice, unsigned int event,
				    const struct block *block)
{
	const struct spec *spec;

	for (spec = slice->specs; spec < slice->specs + slice->number; spec++)
		if (spec->event == event && block_equal(&spec->block, block))
			return spec;
	return NULL;
}

static void add_spec(struct tally *tally, const struct slice *slice,
		     const struct slice_counts *counts, unsigned int index)
{
	const struct spec *spec = &slice->specs[index], *base;
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		if (columns[column].event != spec->event)
			continue;
		if (!columns[column].base) {
			estimate_add(&tally->round[column], counts->counts[index],
				     counts->running);
			continue;
		}
		base = find_spec(slice, columns[column].base, &spec->block);
		if (base)
			estimate_add_ratio(&tally->round[column], counts->counts[index],
					   counts->counts[base - slice->specs], counts->running);
	}
}

/* Each visit of a round that is over stands for its part of the round. */
static void join(struct tally *tally, uint64_t round_time)
{
	struct estimate *round;
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		round = &tally->round[column];
		if (!(round->visits > 0))
			continue;
		estimate_join(&tally->now[column], round, round_time / 1e9 / round->time);
		*round = (struct estimate){ .visits = 0 };
	}
}

static void end_round(struct pmcg_figures *pmcg)
{
	size_t i;

	if (!pmcg->round_time)
		return;
	for (i = 0; i <= pmcg->rows_number; i++)
		join(&pmcg->rows[i], pmcg->round_time);
	for (i = 0; i < pmcg->blocks_number; i++)
		join(&pmcg->blocks[i].tally, pmcg->round_time);
	pmcg->round_time = 0;
}

/* The interval is over: the rest of a round belongs to the next one. */
static void end_rounds(struct figures *figures)
{
	size_t i;

	for (i = 0; i < figures->machine->pmcgs_number; i++)
		end_round(&figures->pmcgs[i]);
}

void figures_add(struct figures *figures, size_t index, const struct slice *slice,
		 const struct slice_counts *counts)
{
	const struct smmu *smmu = &figures->machine->smmus[figures->machine->pmcgs[index].smmu];
	struct pmcg_figures *pmcg = &figures->pmcgs[index];
	struct tally *tally;
	unsigned int i;

	if (slice->first_of_round)
		end_round(pmcg);
	pmcg->enabled += counts->enabled;
	pmcg->running += counts->running;
	pmcg->round_time += counts->running;
	if (!counts->running)
		return;
	pmcg->slices++;
	for (i = 0; i < slice->number; i++) {
		if (slice->specs[i].event >= EVENTS)
			continue;
		tally = find_tally(pmcg, smmu, &slice->specs[i].block);
		if (tally)
			add_spec(tally, slice, counts, i);
	}
}

void figures_next_interval(struct figures *figures)
{
	struct pmcg_figures *pmcg;
	struct former *former;
	struct tally *tally;
	unsigned int column;
	size_t i, row;

	end_rounds(figures);
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		pmcg = &figures->pmcgs[i];
		pmcg->slices = 0;
		pmcg->enabled = 0;
		pmcg->running = 0;
		pmcg->blocks_number = 0;
		for (row = 0; row <= pmcg->rows_number; row++) {
			tally = &pmcg->rows[row];
			for (column = 0; column < COLUMNS; column++) {
				former = &pmcg->former[row][column];
				if (tally->now[column].visits > 0)
					*former = (struct former){
						.rate = estimate_figure(&tally->now[column], 0),
						.age = 1,
					};
				else if (former->age && ++former->age > MOST_AGE + 1)
					former->age = 0;
			}
			memset(tally->now, 0, sizeof(tally->now));
		}
	}
}

/* Whether something was counted in all slices, and everything as well. */
static bool is_exact(const struct pmcg_figures *pmcg, size_t row, enum column column)
{
	return pmcg->rows[row].now[column].visits == pmcg->slices &&
	       pmcg->rows[pmcg->rows_number].now[column].visits == pmcg->slices &&
	       pmcg->running >= ALL_RUNNING * pmcg->enabled;
}

static struct figure figure_of(const struct pmcg_figures *pmcg, size_t row, enum column column,
			       uint64_t interval)
{
	const struct estimate *now = &pmcg->rows[row].now[column];
	const struct former *former = &pmcg->former[row][column];
	struct figure figure = { .old = !(now->visits > 0) };

	if (figure.old) {
		figure.known = former->age && !isnan(former->rate.value);
		figure.rate = former->rate;
		return figure;
	}
	figure.rate = estimate_figure(now, interval);
	if (is_exact(pmcg, row, column))
		estimate_set_exact(&figure.rate);
	figure.known = !isnan(figure.rate.value);
	figure.count = now->count;
	figure.base = columns[column].base ? now->base : 0;
	figure.slices = now->visits;
	return figure;
}

/* Counts on several counter groups that see different things */
static struct figure add_figures(struct figure a, const struct figure *b)
{
	if (!b->known || (b->old && !a.old && a.known && b->rate.value < a.rate.value / 20))
		return a;
	if (!a.known || (a.old && !b->old && a.rate.value < b->rate.value / 20))
		return *b;
	a.rate = estimate_sum(a.rate, b->rate);
	a.count += b->count;
	a.base += b->base;
	a.old |= b->old;
	if (b->slices > a.slices)
		a.slices = b->slices;
	return a;
}

static struct figure divide(const struct figure *numerator, const struct figure *denominator)
{
	struct figure figure = { .known = false };

	if (!numerator->known || !denominator->known || !(denominator->rate.value > 0))
		return figure;
	figure = *numerator;
	figure.base = denominator->count;
	figure.old |= denominator->old;
	figure.rate = estimate_quotient(numerator->rate, denominator->rate);
	return figure;
}

/* Which counter groups a column is taken from: those of its kind, else those that count all. */
static enum pmcg_kind kind_of_column(const struct figures *figures, size_t smmu,
				     enum column column)
{
	enum pmcg_kind kind = columns[column].kind;
	const struct pmcg *pmcg;

	for (pmcg = figures->machine->pmcgs;
	     pmcg < figures->machine->pmcgs + figures->machine->pmcgs_number; pmcg++)
		if (pmcg->smmu == (int)smmu && pmcg->kind == kind)
			return kind;
	return KIND_ALL;
}

static bool counts_kind(const struct figures *figures, size_t pmcg, size_t smmu,
			enum pmcg_kind kind)
{
	const struct pmcg *pmcgs = figures->machine->pmcgs;

	return pmcgs[pmcg].smmu == (int)smmu && pmcgs[pmcg].kind == kind &&
	       machine_uses_pmcg(figures->machine, pmcg);
}

/* Whether a counter group counts a row by a column, be it now or later */
static bool can_count(const struct figures *figures, size_t index, size_t row, enum column column)
{
	const struct pmcg *pmcg = &figures->machine->pmcgs[index];
	const struct smmu *smmu = &figures->machine->smmus[pmcg->smmu];
	const struct pmcg_figures *counted = &figures->pmcgs[index];

	return row < smmu->rows_number && counted->rows[smmu->rows_number].now[column].visits > 0 &&
	       machine_counts_row(figures->machine, pmcg, &smmu->rows[row]);
}

/*
 * What a counter group has counted of a row by a column that is no ratio. If it was not visited on
 * its own, it cannot have more than its block; what it can have is added to @unknown, which is
 * negative if there is no such part.
 */
static struct figure part_of(const struct figures *figures, size_t index, size_t row,
			     enum column column, uint64_t interval, double *unknown)
{
	const struct pmcg_figures *pmcg = &figures->pmcgs[index];
	struct figure part = figure_of(pmcg, row, column, interval);
	const struct block_tally *block = row < pmcg->rows_number ? pmcg->block_of[row] : NULL;
	double most = block ? block->rest[column] : INFINITY;

	if (part.known && part.old)
		part.rate.value = fmin(part.rate.value, most);
	/* A block that was not visited in this interval has counted little in the last one. */
	if (pmcg->blocks_number && isinf(most))
		most = 0;
	if (!part.known && can_count(figures, index, row, column))
		*unknown = fmax(*unknown, 0) + most;
	return part;
}

/*
 * What all counter groups of a kind have counted of a row by a column that is no ratio. It is not
 * known where it can be more than twice as much.
 */
static struct figure sum_of(const struct figures *figures, size_t smmu, size_t row,
			    enum pmcg_kind kind, enum column column, uint64_t interval)
{
	struct figure sum = { .known = false }, part;
	double unknown = -1;
	size_t i;

	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		if (!counts_kind(figures, i, smmu, kind))
			continue;
		part = part_of(figures, i, row, column, interval, &unknown);
		sum = add_figures(sum, &part);
	}
	if (unknown >= 0) {
		sum.known &= sum.rate.value > unknown;
		sum.rate.error = hypot(sum.rate.error, unknown);
		sum.rate.most += unknown;
	}
	return sum;
}

/* A column of a row, or of everything */
static struct figure column_of(const struct figures *figures, size_t smmu, size_t row,
			       enum column column, uint64_t interval)
{
	const struct column_info *info = &columns[column];
	enum column event = column_of_event(info->event, KIND_ALL);
	enum column of = column_of_event(info->base, KIND_ALL);
	enum pmcg_kind kind = kind_of_column(figures, smmu, column);
	struct figure sum, base, part, ratio = { .known = false };
	unsigned int counted = 0;
	double most = 0;
	size_t i;

	if (!info->base)
		return sum_of(figures, smmu, row, kind, column, interval);
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		if (!counts_kind(figures, i, smmu, kind))
			continue;
		part = figure_of(&figures->pmcgs[i], row, column, interval);
		if (!part.known || (ratio.known && part.old && !ratio.old))
			continue;
		counted = ratio.known && ratio.old && !part.old ? 1 : counted + 1;
		ratio = part;
		most = fmax(most, part.rate.most);
	}
	/* The ratio of one counter group is that of one group of events. */
	if (counted < 2 || event == COLUMNS || of == COLUMNS)
		return ratio;
	sum = sum_of(figures, smmu, row, kind, event, interval);
	base = sum_of(figures, smmu, row, kind, of, interval);
	ratio = divide(&sum, &base);
	/* It is no more than the largest one of its parts. */
	ratio.rate.most = fmin(ratio.rate.most, most);
	return ratio;
}

/*
 * How many rows were counted by a column so far, of how many. Unlike a report, this does not end a
 * round.
 */
size_t figures_counted(const struct figures *figures, enum column column, size_t *rows)
{
	const struct machine *machine = figures->machine;
	size_t counted = 0, pmcg, row, smmu;
	const struct tally *tally;
	bool is_counted;

	*rows = 0;
	for (smmu = 0; smmu < machine->smmus_number; smmu++) {
		for (row = 0; row < machine->smmus[smmu].rows_number; row++) {
			is_counted = false;
			for (pmcg = 0; pmcg < machine->pmcgs_number; pmcg++) {
				tally = &figures->pmcgs[pmcg].rows[row];
				is_counted |= machine->pmcgs[pmcg].smmu == (int)smmu &&
					      (tally->round[column].visits > 0 ||
					       tally->now[column].visits > 0 ||
					       figures->pmcgs[pmcg].former[row][column].age);
			}
			counted += is_counted;
		}
		*rows += machine->smmus[smmu].rows_number;
	}
	return counted;
}

static bool has_counted(const struct pmcg_figures *pmcg, size_t row, enum column column)
{
	const struct former *former = &pmcg->former[row][column];

	return pmcg->rows[row].now[column].count > 0 || (former->age && former->rate.value > 0);
}

/* Returns whether anything is known of the row. */
static bool make_row(const struct figures *figures, size_t smmu, size_t row, uint64_t interval,
		     struct report_row *report)
{
	const struct machine *machine = figures->machine;
	unsigned int column, tbu = 0;
	bool known = false;
	size_t i;

	*report = (struct report_row){ .row = row };
	for (column = 0; column < COLUMNS; column++) {
		report->figures[column] = column_of(figures, smmu, row, column, interval);
		known |= report->figures[column].known;
	}
	for (i = 0; i < machine->pmcgs_number; i++) {
		if (machine->pmcgs[i].smmu != (int)smmu || machine->pmcgs[i].kind != KIND_TBU)
			continue;
		if (tbu < 64 && !machine->pmcgs[i].gone &&
		    (has_counted(&figures->pmcgs[i], row, COLUMN_TXN) ||
		     has_counted(&figures->pmcgs[i], row, COLUMN_MISS)))
			report->tbus |= 1ULL << tbu;
		tbu++;
	}
	return known;
}

double figure_seen(const struct figure *figure)
{
	return figure->known && !figure->old ? figure->rate.seen : 0;
}

static void make_rows(struct figures *figures, struct report_smmu *report, uint64_t interval)
{
	size_t i, number = figures->machine->smmus[report->smmu].rows_number;

	report->rows = zeros(number, sizeof(*report->rows));
	for (i = 0; i < number; i++)
		report->rows_number += make_row(figures, report->smmu, i, interval,
						&report->rows[report->rows_number]);
}

static void make_pmcgs(struct figures *figures, struct report_smmu *report, uint64_t interval)
{
	const struct machine *machine = figures->machine;
	const struct pmcg_figures *pmcg;
	struct report_pmcg *line;
	unsigned int column;
	size_t i;

	for (i = 0; i < machine->pmcgs_number; i++) {
		if (machine->pmcgs[i].smmu != (int)report->smmu)
			continue;
		line = append(report->pmcgs, report->pmcgs_number);
		pmcg = &figures->pmcgs[i];
		line->pmcg = i;
		line->running = pmcg->enabled ? (double)pmcg->running / pmcg->enabled : 1;
		for (column = 0; column < COLUMNS; column++)
			line->figures[column] = figure_of(pmcg, pmcg->rows_number, column,
							  interval);
	}
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block_tally *x = a, *y = b;

	return (x->block.span_bits > y->block.span_bits) -
	       (x->block.span_bits < y->block.span_bits);
}

/* Takes away what was counted of a row, and, once, what is left of a smaller block around it. */
static void take_away(struct pmcg_figures *pmcg, size_t row, struct block_tally *block)
{
	struct block_tally *smaller = pmcg->block_of[row];
	const struct estimate *now;
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		now = &pmcg->rows[row].now[column];
		if (now->visits > 0)
			block->rest[column] -= now->c / now->b;
		if (smaller && smaller->used != block && isfinite(smaller->rest[column]))
			block->rest[column] -= smaller->rest[column];
	}
	if (smaller)
		smaller->used = block;
}

static void find_rest(struct pmcg_figures *pmcg, const struct smmu *smmu,
		      struct block_tally *block)
{
	size_t first = first_row(smmu, block->block.stream_id), row;
	const struct estimate *now;
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		now = &block->tally.now[column];
		block->rest[column] = now->visits > 0 ? now->c / now->b : INFINITY;
	}
	for (row = first; row < pmcg->rows_number; row++) {
		if (!block_has(&block->block, smmu->rows[row].id))
			break;
		take_away(pmcg, row, block);
		if (!pmcg->block_of[row])
			pmcg->block_of[row] = block;
	}
	for (column = 0; column < COLUMNS; column++)
		block->rest[column] = fmax(block->rest[column], 0);
}

/* Smaller blocks come first. */
static void find_blocks(const struct figures *figures)
{
	const struct machine *machine = figures->machine;
	struct pmcg_figures *pmcg;
	size_t i, j;

	for (i = 0; i < machine->pmcgs_number; i++) {
		pmcg = &figures->pmcgs[i];
		memset(pmcg->block_of, 0, pmcg->rows_number * sizeof(*pmcg->block_of));
		if (pmcg->blocks_number)
			qsort(pmcg->blocks, pmcg->blocks_number, sizeof(*pmcg->blocks),
			      compare_blocks);
		for (j = 0; j < pmcg->blocks_number; j++)
			find_rest(pmcg, &machine->smmus[machine->pmcgs[i].smmu],
				  &pmcg->blocks[j]);
	}
}

/*
 * What a row had that its visits did not show is part of what all rows together lack of the total:
 *
 *	rest = total - sum of all rows		(a block stands for its rows that were not visited)
 *	most of a row = its figure + max(rest, 0) + 5 s
 *
 * where s^2 is the sum of the squared standard deviations of the total and of all rows. So a device
 * that was active only while others were visited is no exception.
 *
 * struct sum - of the counter groups of an SMMU, by a column that is no ratio
 * @values: of each row
 * @rest: what all rows together lack of the total
 * @total: of everything
 * @variance: of @rest
 * @known: all of these are known
 */
struct sum {
	double *values;
	double rest;
	double total;
	double variance;
	bool known;
};

static double value_of(const struct estimate *now)
{
	return now->visits > 0 ? now->c / now->b : NAN;
}

/* Of one visit, it is how much it differs from what was counted before. */
static double variance_of(const struct pmcg_figures *pmcg, const struct estimate *now,
			  double before)
{
	double variance = now->visits > 1 ? estimate_variance(now) :
			  pow(value_of(now) - before, 2);

	return variance * (1 - now->visits / pmcg->slices);
}

static void add(struct sum *sum, size_t row, double value, double variance)
{
	sum->values[row] += value;
	sum->rest -= value;
	sum->variance += variance;
}

/* A block counts once for all of its rows that were not visited on their own. */
static void add_block(const struct pmcg_figures *pmcg, enum column column, size_t row,
		      struct sum *sum)
{
	struct block_tally *block = pmcg->block_of[row];

	if (block->used == block)
		sum->values[row] += block->rest[column];
	else
		add(sum, row, block->rest[column],
		    variance_of(pmcg, &block->tally.now[column], 0));
	block->used = block;
}

/* Where nothing has visited a row, it is what it had before: if it has more, that is missing. */
static void add_row(const struct pmcg_figures *pmcg, enum column column, size_t row,
		    struct sum *sum)
{
	const struct estimate *now = &pmcg->rows[row].now[column];
	const struct former *former = &pmcg->former[row][column];
	const struct block_tally *block = pmcg->block_of[row];
	double before = former->age ? former->rate.value : 0;

	if (now->visits > 0)
		add(sum, row, value_of(now), variance_of(pmcg, now, before));
	else if (block && isfinite(block->rest[column]))
		add_block(pmcg, column, row, sum);
	else if (former->age)
		add(sum, row, before, before * before);
	else
		sum->known = false;
}

static void add_pmcg(const struct pmcg_figures *pmcg, enum column column, struct sum *sum)
{
	const struct estimate *all = &pmcg->rows[pmcg->rows_number].now[column];
	size_t i;

	sum->known &= all->visits >= LEAST_VISITS || (all->visits > 0 &&
						      all->visits == pmcg->slices);
	sum->total += value_of(all);
	sum->rest += value_of(all);
	sum->variance += estimate_spread(all) * (1 - all->visits / pmcg->slices);
	for (i = 0; i < pmcg->blocks_number; i++)
		pmcg->blocks[i].used = NULL;
	for (i = 0; i < pmcg->rows_number; i++)
		add_row(pmcg, column, i, sum);
}

/* What each row can have at most; INFINITY if nothing below the total is known. */
static double *most_of_rows(const struct figures *figures, size_t index, enum column column)
{
	enum pmcg_kind kind = kind_of_column(figures, index, column);
	const struct smmu *smmu = &figures->machine->smmus[index];
	struct sum sum = { .known = true };
	const struct pmcg *pmcg;
	double slack;
	size_t i;

	sum.values = zeros(smmu->rows_number, sizeof(*sum.values));
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		pmcg = &figures->machine->pmcgs[i];
		/* Nobody else sees what a TBU sees. */
		if (pmcg->smmu == (int)index && pmcg->kind == kind && kind == KIND_TBU &&
		    pmcg->gone)
			sum.known = false;
		if (counts_kind(figures, i, index, kind))
			add_pmcg(&figures->pmcgs[i], column, &sum);
	}
	slack = fmax(sum.rest, 0) + SIGMAS * sqrt(sum.variance);
	for (i = 0; i < smmu->rows_number; i++) {
		sum.values[i] += slack;
		if (!sum.known || !(sum.values[i] < sum.total))
			sum.values[i] = INFINITY;
	}
	return sum.values;
}

/* The most that a row has which is not among those that are kept; these are in the same order. */
static double most_of_others(const struct figures *figures, const struct report_smmu *report,
			     const double *most)
{
	size_t number = figures->machine->smmus[report->smmu].rows_number, i, kept = 0;
	double largest = 0;

	for (i = 0; i < number; i++) {
		if (kept < report->rows_number && report->rows[kept].row == i)
			kept++;
		else
			largest = fmax(largest, most[i]);
	}
	return largest;
}

/* A ratio has no total: what is known is only whether rows that matter are among those kept. */
static double bound_of_ratio(const struct report_smmu *report, enum column ratio)
{
	enum column base = column_of_event(columns[ratio].base, columns[ratio].kind);

	return base < COLUMNS && report->bounds[base] <=
	       LEAST_SHARE * report->total[base].rate.value ? 0 : INFINITY;
}

/* None has more than the total, and none has anything if nothing was counted of everything. */
static double most_of_total(const struct figure *total)
{
	if (!total->known || total->old)
		return INFINITY;
	return total->rate.value > 0 || !total->rate.often ? total->rate.most : 0;
}

/* What the rows that are kept can have at most is part of their figures. */
static void limit_rows(struct report_smmu *report, const double *most, enum column column)
{
	double total = most_of_total(&report->total[column]);
	struct figure *figure;
	size_t i;

	for (i = 0; i < report->rows_number; i++) {
		figure = &report->rows[i].figures[column];
		if (!figure->known || figure->old)
			figure->rate.most = INFINITY;
		figure->rate.most = fmin(figure->rate.most,
					 fmin(most[report->rows[i].row], total));
	}
	report->bounds[column] = fmin(report->bounds[column], total);
}

/* Sets what is known of the rows of an SMMU that are not among those that were counted. */
static void set_bounds(const struct figures *figures, struct report_smmu *report)
{
	enum column column;
	double *most;

	report->searched = figures->machine->smmus[report->smmu].rows_number;
	for (column = 0; column < COLUMNS; column++) {
		if (columns[column].base)
			continue;
		most = most_of_rows(figures, report->smmu, column);
		report->bounds[column] = most_of_others(figures, report, most);
		limit_rows(report, most, column);
		free(most);
	}
	for (column = 0; column < COLUMNS; column++)
		if (columns[column].base)
			report->bounds[column] = bound_of_ratio(report, column);
}

/* What is shown of an interval, but for the time and the order. */
void figures_report(struct figures *figures, uint64_t interval, struct report *report)
{
	struct machine *machine = figures->machine;
	struct report_smmu *smmu;
	unsigned int column;
	size_t i;

	*report = (struct report){ .interval = interval, .machine = machine };
	end_rounds(figures);
	find_blocks(figures);
	report->smmus = zeros(machine->smmus_number, sizeof(*report->smmus));
	for (i = 0; i < machine->smmus_number; i++) {
		smmu = &report->smmus[report->smmus_number];
		smmu->smmu = i;
		make_pmcgs(figures, smmu, interval);
		if (!smmu->pmcgs_number)
			continue;
		report->smmus_number++;
		for (column = 0; column < COLUMNS; column++)
			smmu->total[column] = column_of(figures, i, machine->smmus[i].rows_number,
							column, interval);
		make_rows(figures, smmu, interval);
		set_bounds(figures, smmu);
	}
}

void report_free(struct report *report)
{
	size_t i;

	for (i = 0; i < report->smmus_number; i++) {
		free(report->smmus[i].pmcgs);
		free(report->smmus[i].rows);
	}
	free(report->smmus);
	*report = (struct report){ .smmus = NULL };
}
