// SPDX-License-Identifier: GPL-2.0
/*
 * How many of the first rows are certainly the worst, and what any other row can have at most.
 *
 * What a row had that its visits did not show is part of what all rows together lack of the total:
 *
 *	rest = total - sum of all rows		(a block stands for its rows that were not visited)
 *	most of a row = its figure + max(rest, 0) + 5 s
 *
 * where s^2 is the sum of the squared standard deviations of the total and of all rows. So a device
 * that was active only while others were visited is no exception. The first n rows are the worst
 * if what each of these has at least is above what any other one has at most.
 */
#include <math.h>
#include <stdlib.h>

#include "figures_private.h"
#include "text.h"

#define SIGMAS		5
/* With fewer visits, it is not known how much the total varies. */
#define LEAST_VISITS	8
/* Rows with a smaller share of what a ratio is divided by do not matter. */
#define LEAST_SHARE	0.01

/**
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
	enum pmcg_kind kind = figures_kind(figures, index, column);
	const struct smmu *smmu = &figures->machine->smmus[index];
	struct sum sum = { .known = true };
	const struct pmcg *pmcg;
	double slack;
	size_t i;

	sum.values = calloc(smmu->rows_number + 1, sizeof(*sum.values));
	if (!sum.values)
		abort();
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		pmcg = &figures->machine->pmcgs[i];
		/* Nobody else sees what a TBU sees. */
		if (pmcg->smmu == (int)index && pmcg->kind == kind && kind == KIND_TBU &&
		    pmcg->gone)
			sum.known = false;
		if (figures_counts(figures, i, index, kind))
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

/* The most that a row has which is not among those that are kept */
static double most_of_others(const struct figures *figures, const struct report_smmu *report,
			     const double *most)
{
	size_t number = figures->machine->smmus[report->smmu].rows_number, i, j;
	bool *kept = calloc(number + 1, sizeof(*kept));
	double largest = 0;

	if (!kept)
		abort();
	for (j = 0; j < report->rows_kept; j++)
		kept[report->rows[j].row] = true;
	for (i = 0; i < number; i++)
		if (!kept[i])
			largest = fmax(largest, most[i]);
	free(kept);
	return largest;
}

/* The more rows are looked at, the less their least one has, and the less all others have. */
static void find_first(struct report_smmu *report, const double *most, enum column sort)
{
	double *others = calloc(report->rows_kept + 1, sizeof(*others)), least = INFINITY;
	const struct figure *figure;
	size_t i;

	if (!others)
		abort();
	others[report->rows_kept] = report->bounds[sort];
	for (i = report->rows_kept; i-- > 0;) {
		figure = &report->rows[i].figures[sort];
		others[i] = fmax(others[i + 1], fmin(most[report->rows[i].row],
						     figure->known && !figure->old ?
						     figure->rate.most : INFINITY));
	}
	for (i = 0; i < report->rows_number; i++) {
		figure = &report->rows[i].figures[sort];
		least = fmin(least, figure->known && !figure->old ? figure->rate.least : 0);
		if (least > others[i + 1])
			report->first_complete_rows = i + 1;
	}
	report->search.bound = others[report->first_complete_rows];
	report->search.complete = report->rows_number &&
				  report->first_complete_rows == report->rows_number;
	free(others);
}

static bool counts_blocks(const struct figures *figures, size_t smmu)
{
	size_t i;

	for (i = 0; i < figures->machine->pmcgs_number; i++)
		if (figures->machine->pmcgs[i].smmu == (int)smmu &&
		    figures->pmcgs[i].blocks_number)
			return true;
	return false;
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

	for (i = 0; i < report->rows_kept; i++) {
		figure = &report->rows[i].figures[column];
		if (!figure->known || figure->old)
			figure->rate.most = INFINITY;
		figure->rate.most = fmin(figure->rate.most,
					 fmin(most[report->rows[i].row], total));
	}
	report->bounds[column] = fmin(report->bounds[column], total);
}

/* Sets what is known of the rows of an SMMU that are not shown, or are not certainly the worst. */
void figures_set_bounds(const struct figures *figures, struct report_smmu *report,
			enum column sort)
{
	enum column column;
	double *most;

	report->search.known = figures->machine->smmus[report->smmu].rows_number > 0;
	report->search.turns = !counts_blocks(figures, report->smmu);
	report->search.bound = INFINITY;
	for (column = 0; column < COLUMNS; column++) {
		if (columns[column].base)
			continue;
		most = most_of_rows(figures, report->smmu, column);
		report->bounds[column] = most_of_others(figures, report, most);
		if (column == sort)
			find_first(report, most, sort);
		limit_rows(report, most, column);
		free(most);
	}
	for (column = 0; column < COLUMNS; column++)
		if (columns[column].base)
			report->bounds[column] = bound_of_ratio(report, column);
}
