// SPDX-License-Identifier: GPL-2.0
/*
 * Figures: what the slices of an interval say of each row.
 *
 * The TBUs of an SMMU see different transactions, so their counts are added up.
 */
#include <math.h>
#include <stdlib.h>

#include "figures_private.h"
#include "text.h"

/* The counters were used by nobody else, but for the time that it takes to start them. */
#define ALL_RUNNING	0.99

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
	a.approximate |= b->approximate;
	if (b->slices > a.slices)
		a.slices = b->slices;
	return a;
}

/* The ratio of two sums */
static struct figure divide(const struct figure *numerator, const struct figure *denominator)
{
	struct figure figure = { .known = false };

	if (!numerator->known || !denominator->known || !(denominator->rate.value > 0))
		return figure;
	figure = *numerator;
	figure.base = denominator->count;
	figure.old |= denominator->old;
	figure.approximate |= denominator->approximate;
	figure.rate = estimate_quotient(numerator->rate, denominator->rate);
	return figure;
}

/* Which counter groups a column is taken from: those of its kind, else those that count all. */
enum pmcg_kind figures_kind(const struct figures *figures, size_t smmu, enum column column)
{
	enum pmcg_kind kind = columns[column].kind;
	const struct pmcg *pmcg;

	for (pmcg = figures->machine->pmcgs;
	     pmcg < figures->machine->pmcgs + figures->machine->pmcgs_number; pmcg++)
		if (pmcg->smmu == (int)smmu && pmcg->kind == kind)
			return kind;
	return KIND_ALL;
}

bool figures_counts(const struct figures *figures, size_t pmcg, size_t smmu, enum pmcg_kind kind)
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
		if (!figures_counts(figures, i, smmu, kind))
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

/* The first column that is a rate of an event, also for counter groups of another kind */
static enum column rate_of(enum pmcg_event event)
{
	return column_of_event(event, KIND_ALL);
}

/* A column of a row, or of everything */
static struct figure column_of(const struct figures *figures, size_t smmu, size_t row,
			       enum column column, uint64_t interval)
{
	const struct column_info *info = &columns[column];
	enum pmcg_kind kind = figures_kind(figures, smmu, column);
	struct figure sum, base, part, ratio = { .known = false };
	unsigned int counted = 0;
	double most = 0;
	size_t i;

	if (!info->base)
		return sum_of(figures, smmu, row, kind, column, interval);
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		if (!figures_counts(figures, i, smmu, kind))
			continue;
		part = figure_of(&figures->pmcgs[i], row, column, interval);
		if (!part.known || (ratio.known && part.old && !ratio.old))
			continue;
		counted = ratio.known && ratio.old && !part.old ? 1 : counted + 1;
		ratio = part;
		most = fmax(most, part.rate.most);
	}
	/* The ratio of one counter group is that of one group of events. */
	if (counted < 2 || rate_of(info->event) == COLUMNS || rate_of(info->base) == COLUMNS)
		return ratio;
	sum = sum_of(figures, smmu, row, kind, rate_of(info->event), interval);
	base = sum_of(figures, smmu, row, kind, rate_of(info->base), interval);
	ratio = divide(&sum, &base);
	/* It is no more than the largest one of its parts. */
	ratio.rate.most = fmin(ratio.rate.most, most);
	return ratio;
}

/* Whether everything and all rows that are shown were counted all the time: the rest is exact. */
static bool counted_together(const struct figures *figures, const struct report_smmu *report,
			     enum column column)
{
	enum pmcg_kind kind = figures_kind(figures, report->smmu, column);
	size_t i, j;

	for (i = 0; i < figures->machine->pmcgs_number; i++)
		for (j = 0; figures_counts(figures, i, report->smmu, kind) &&
		     j < report->rows_number; j++)
			if (!is_exact(&figures->pmcgs[i], report->rows[j].row, column))
				return false;
	return true;
}

static struct figure rest_of(const struct figures *figures, const struct report_smmu *report,
			     enum column column)
{
	const struct figure *total = &report->total[column], *part;
	struct figure rest = *total;
	bool exact = counted_together(figures, report, column);
	size_t i;

	if (!total->known)
		return rest;
	for (i = 0; i < report->rows_number; i++) {
		part = &report->rows[i].figures[column];
		if (!part->known)
			continue;
		rest.rate = estimate_rest(rest.rate, part->rate);
		rest.count -= part->count < rest.count ? part->count : rest.count;
	}
	rest.approximate = !exact && report->rows_number;
	if (!exact)
		return rest;
	/* The same slices: the difference of the counts, with no error but that of the time. */
	rest.rate = total->rate;
	if (total->count) {
		rest.rate.value *= (double)rest.count / total->count;
		estimate_set_exact(&rest.rate);
	}
	return rest;
}

/* Where the numerator is no column of its own, it follows from the denominator and the ratio. */
static struct figure rest_of_parts(const struct report_smmu *report, enum column ratio,
				   enum column base)
{
	const struct figure *whole = &report->total[base], *each = &report->total[ratio];
	struct figure rest = report->others[base];
	double numerator;
	size_t i;

	if (!whole->known || !each->known || !rest.known || !(rest.rate.value > 0))
		return (struct figure){ .known = false };
	numerator = whole->rate.value * each->rate.value;
	for (i = 0; i < report->rows_number; i++) {
		whole = &report->rows[i].figures[base];
		each = &report->rows[i].figures[ratio];
		if (whole->known && each->known)
			numerator -= whole->rate.value * each->rate.value;
	}
	rest.rate.value = fmax(numerator, 0) / rest.rate.value;
	rest.rate.error = INFINITY;
	rest.rate.least = 0;
	rest.approximate = true;
	rest.count = 0;
	rest.slices = 0;
	return rest;
}

static struct figure rest_of_ratio(const struct report_smmu *report, enum column ratio)
{
	enum column event = column_of_event(columns[ratio].event, columns[ratio].kind);
	enum column base = column_of_event(columns[ratio].base, columns[ratio].kind);

	if (base == COLUMNS)
		return (struct figure){ .known = false };
	if (event == COLUMNS)
		return rest_of_parts(report, ratio, base);
	return divide(&report->others[event], &report->others[base]);
}

static bool has_counted(const struct pmcg_figures *pmcg, size_t row, enum column column)
{
	const struct former *former = &pmcg->former[row][column];

	return pmcg->rows[row].now[column].count > 0 || (former->age && former->rate.value > 0);
}

static void make_row(const struct figures *figures, size_t smmu, size_t row, uint64_t interval,
		     struct report_row *report)
{
	const struct machine *machine = figures->machine;
	unsigned int column, tbu = 0;
	size_t i;

	*report = (struct report_row){ .row = row };
	for (column = 0; column < COLUMNS; column++)
		report->figures[column] = column_of(figures, smmu, row, column, interval);
	for (i = 0; i < machine->pmcgs_number; i++) {
		if (machine->pmcgs[i].smmu != (int)smmu || machine->pmcgs[i].kind != KIND_TBU)
			continue;
		if (tbu < 64 && !machine->pmcgs[i].gone &&
		    (has_counted(&figures->pmcgs[i], row, COLUMN_TXN) ||
		     has_counted(&figures->pmcgs[i], row, COLUMN_MISS)))
			report->tbus |= 1ULL << tbu;
		tbu++;
	}
}

static double value_of(const struct figure *figure)
{
	return figure->known ? figure->rate.value : -1;
}

/* The largest value that is known of a row; -1 if none is. */
static double largest_value(const struct report_row *row)
{
	unsigned int column;
	double largest = -1;

	for (column = 0; column < COLUMNS; column++)
		largest = fmax(largest, value_of(&row->figures[column]));
	return largest;
}

/* The part of the interval in which it was counted. */
double figure_seen(const struct figure *figure)
{
	return figure->known && !figure->old ? figure->rate.seen : 0;
}

static enum column sort_column;
static bool sort_equally;

/*
 * Rows that were visited often were among the worst before. Of all others, the largest ones are too
 * large by chance: they count half, less two standard deviations of what was counted. With --all,
 * none is visited more often than others.
 */
static double rank_of(const struct report_row *row, enum column column)
{
	const struct figure *figure = &row->figures[column];
	double value = value_of(figure);

	if (sort_equally || column != sort_column || figure->rate.often || !(value > 0))
		return value;
	return figure->count > 4 ? value / 2 * (1 - 2 / sqrt(figure->count)) : 0;
}

/* By the column, then by all others from the left, then by StreamID. */
static int compare_rows(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	unsigned int i, column;
	double left, right;

	for (i = 0; i <= COLUMNS; i++) {
		column = i ? i - 1 : sort_column;
		left = rank_of(x, column);
		right = rank_of(y, column);
		if (left != right)
			return left > right ? -1 : 1;
	}
	return (x->row > y->row) - (x->row < y->row);
}

static void sort_rows(struct report_smmu *report, size_t number, enum column column)
{
	sort_column = column;
	if (number)
		qsort(report->rows, number, sizeof(*report->rows), compare_rows);
}

/* A ratio has no share of the total: it is that of its numerator, or of its denominator. */
static double share_of(const struct report_smmu *report, const struct report_row *row,
		       enum column sort)
{
	const struct column_info *info = &columns[sort];
	const struct figure *figure, *total;
	enum column column = sort;

	if (info->base)
		column = column_of_event(info->event, info->kind);
	if (column == COLUMNS)
		column = column_of_event(info->base, info->kind);
	if (column == COLUMNS)
		return NAN;
	figure = &row->figures[column];
	total = &report->total[column];
	if (!total->known || !figure->known || !(total->rate.value > 0))
		return NAN;
	return fmin(figure->rate.value / total->rate.value, 1);
}

static void make_rows(struct figures *figures, struct report_smmu *report, uint64_t interval,
		      const struct report_options *options)
{
	const struct smmu *smmu = &figures->machine->smmus[report->smmu];
	struct report_row row;
	size_t i, number = 0;
	double largest;

	for (i = 0; i < smmu->rows_number; i++) {
		make_row(figures, report->smmu, i, interval, &row);
		largest = largest_value(&row);
		if (largest < 0)
			continue;
		report->rows_counted++;
		row.share = share_of(report, &row, options->sort);
		if (!options->all && (!(largest > 0) || row.share < options->min_share))
			continue;
		report->rows = grow(report->rows, number, sizeof(*report->rows));
		report->rows[number++] = row;
	}
	sort_equally = options->equally;
	sort_rows(report, number, options->sort);
	report->rows_kept = number;
	report->rows_number = options->max_rows && number > options->max_rows ?
			      options->max_rows : number;
	report->others_streams = smmu->streams_number;
	for (i = 0; i < report->rows_number; i++)
		report->others_streams -= smmu->rows[report->rows[i].row].number;
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
		report->pmcgs = grow(report->pmcgs, report->pmcgs_number,
				     sizeof(*report->pmcgs));
		line = &report->pmcgs[report->pmcgs_number++];
		pmcg = &figures->pmcgs[i];
		line->pmcg = i;
		line->running = pmcg->enabled ? (double)pmcg->running / pmcg->enabled : 1;
		for (column = 0; column < COLUMNS; column++)
			line->figures[column] = figure_of(pmcg, pmcg->rows_number, column,
							  interval);
	}
}

/* What is shown of an interval, but for the time. */
void figures_report(struct figures *figures, uint64_t interval,
		    const struct report_options *options, struct report *report)
{
	struct machine *machine = figures->machine;
	struct report_smmu *smmu;
	unsigned int column;
	size_t i, j;

	*report = (struct report){
		.interval = interval,
		.sort = options->sort,
		.machine = machine,
	};
	figures_end_rounds(figures);
	figures_find_blocks(figures);
	for (i = 0; i < machine->smmus_number; i++) {
		for (j = 0; j < machine->pmcgs_number; j++)
			if (machine->pmcgs[j].smmu == (int)i)
				break;
		if (j == machine->pmcgs_number)
			continue;
		report->smmus = grow(report->smmus, report->smmus_number,
				     sizeof(*report->smmus));
		smmu = &report->smmus[report->smmus_number++];
		smmu->smmu = i;
		make_pmcgs(figures, smmu, interval);
		for (column = 0; column < COLUMNS; column++)
			smmu->total[column] = column_of(figures, i, machine->smmus[i].rows_number,
							column, interval);
		make_rows(figures, smmu, interval, options);
		for (column = 0; column < COLUMNS; column++)
			if (!columns[column].base)
				smmu->others[column] = rest_of(figures, smmu, column);
		for (column = 0; column < COLUMNS; column++)
			if (columns[column].base)
				smmu->others[column] = rest_of_ratio(smmu, column);
		figures_set_bounds(figures, smmu, options->sort);
	}
}

/* Sorts rows by another column. What is known of other rows is about the former one. */
void report_sort(struct report *report, enum column sort)
{
	size_t i;

	report->sort = sort;
	for (i = 0; i < report->smmus_number; i++) {
		report->smmus[i].search.known = false;
		report->smmus[i].first_complete_rows = 0;
		sort_rows(&report->smmus[i], report->smmus[i].rows_number, sort);
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
