// SPDX-License-Identifier: GPL-2.0
/*
 * Figures: what the slices of an interval say of each row.
 *
 * The TBUs of an SMMU see different transactions, so their counts are added up. Other counter
 * groups may see the same: those that have counted something of the same StreamID are taken for
 * one, and the best of them counts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures_private.h"
#include "text.h"

static struct figure rate_of(const struct pmcg_figures *pmcg, size_t row, unsigned int event,
			     uint64_t interval)
{
	const struct estimate *rate = &pmcg->now[row].rates[event];
	double most = pmcg->before[row].most[event];
	struct figure figure = { .old = !(rate->slices > 0) };

	if (figure.old) {
		rate = &pmcg->before[row].rates[event];
		interval = 0;
	}
	figure.known = rate->slices > 0;
	if (!figure.known)
		return figure;
	figure.rate = estimate_rate(rate, interval, pmcg->dispersion);
	/* From nothing to that. */
	if (figure.old && most < figure.rate.value) {
		figure.rate.value = most;
		figure.rate.error = most;
	}
	if (!figure.old) {
		figure.count = rate->count;
		figure.slices = rate->slices;
	}
	return figure;
}

static struct figure ratio_of(const struct pmcg_figures *pmcg, size_t row, enum column column,
			      uint64_t interval)
{
	const struct estimate_ratio *ratio = &pmcg->now[row].ratios[column];
	struct figure figure = { .old = !(ratio->numerator.slices > 0) };

	if (figure.old) {
		ratio = &pmcg->before[row].ratios[column];
		interval = 0;
	}
	figure.rate = estimate_ratio(ratio, interval, pmcg->dispersion);
	figure.known = !isnan(figure.rate.value);
	if (!figure.old) {
		figure.count = ratio->numerator.count;
		figure.base = ratio->denominator.count;
		figure.slices = ratio->numerator.slices;
	}
	return figure;
}

/* Counts on several counter groups that see different things */
static struct figure add_figures(struct figure a, const struct figure *b)
{
	if (!b->known)
		return a;
	if (!a.known)
		return *b;
	a.rate = estimate_sum(a.rate, b->rate);
	a.count += b->count;
	a.base += b->base;
	a.old |= b->old;
	a.approximate |= b->approximate;
	if (b->slices < a.slices)
		a.slices = b->slices;
	return a;
}

/* The ratio of two sums. */
static struct figure divide(const struct figure *numerator, const struct figure *denominator)
{
	struct figure figure = { .known = false };
	double a, b;

	if (!numerator->known || !denominator->known || !(denominator->rate.value > 0))
		return figure;
	figure = *numerator;
	figure.base = denominator->count;
	figure.approximate |= denominator->approximate;
	figure.rate.value = numerator->rate.value / denominator->rate.value;
	a = numerator->rate.error / denominator->rate.value;
	b = figure.rate.value * denominator->rate.error / denominator->rate.value;
	figure.rate.error = sqrt(a * a + b * b);
	figure.rate.least = 0;
	return figure;
}

static size_t same_as(const struct figures *figures, size_t pmcg)
{
	while (figures->pmcgs[pmcg].same != pmcg)
		pmcg = figures->pmcgs[pmcg].same;
	return pmcg;
}

/* Those that can tell more rows apart at the same time are better. */
static bool is_better(const struct pmcg *a, const struct pmcg *b)
{
	if (a->gone != b->gone)
		return b->gone;
	if (a->filter_each != b->filter_each)
		return a->filter_each;
	return a->counters > b->counters;
}

static bool has_counted(const struct pmcg_figures *pmcg, size_t row, enum pmcg_event event)
{
	return pmcg->now[row].rates[event].count > 0 || pmcg->before[row].rates[event].count > 0;
}

static bool counts_row(const struct pmcg_figures *pmcg, size_t row)
{
	unsigned int event;

	for (event = EVENT_TRANSACTION; event < EVENTS; event++)
		if (has_counted(pmcg, row, event))
			return true;
	return false;
}

static void join(struct figures *figures, size_t a, size_t b)
{
	const struct pmcg *pmcgs = figures->machine->pmcgs;
	size_t swap;

	a = same_as(figures, a);
	b = same_as(figures, b);
	if (is_better(&pmcgs[b], &pmcgs[a])) {
		swap = a;
		a = b;
		b = swap;
	}
	figures->pmcgs[b].same = a;
}

/* When the one that stood for others is gone, these count again. */
static void forget_gone(struct figures *figures)
{
	const struct pmcg *pmcgs = figures->machine->pmcgs;
	size_t number = figures->machine->pmcgs_number, i;
	bool found = false;

	for (i = 0; i < number; i++)
		found |= !pmcgs[i].gone && pmcgs[same_as(figures, i)].gone;
	for (i = 0; found && i < number; i++)
		figures->pmcgs[i].same = i;
}

/* Learns which counter groups see the same StreamIDs. */
static void find_same(struct figures *figures)
{
	const struct pmcg *pmcgs = figures->machine->pmcgs;
	size_t number = figures->machine->pmcgs_number, a, b, row;

	for (a = 0; a < number; a++) {
		if (pmcgs[a].kind == KIND_TBU || pmcgs[a].gone)
			continue;
		for (b = 0; b < a; b++) {
			if (pmcgs[b].gone || pmcgs[b].kind != pmcgs[a].kind ||
			    pmcgs[b].smmu != pmcgs[a].smmu ||
			    same_as(figures, a) == same_as(figures, b))
				continue;
			for (row = 0; row < figures->pmcgs[a].rows_number; row++)
				if (counts_row(&figures->pmcgs[a], row) &&
				    counts_row(&figures->pmcgs[b], row))
					break;
			if (row < figures->pmcgs[a].rows_number)
				join(figures, a, b);
		}
	}
}

/* Which counter groups a column is taken from: those of its kind, else those that count all. */
static enum pmcg_kind kind_for(const struct figures *figures, size_t smmu, enum column column)
{
	enum pmcg_kind kind = columns[column].kind;
	const struct pmcg *pmcg;

	for (pmcg = figures->machine->pmcgs;
	     pmcg < figures->machine->pmcgs + figures->machine->pmcgs_number; pmcg++)
		if (pmcg->smmu == (int)smmu && pmcg->kind == kind)
			return kind;
	return KIND_ALL;
}

static bool is_counted(const struct figures *figures, size_t pmcg, size_t smmu,
		       enum pmcg_kind kind)
{
	const struct pmcg *pmcgs = figures->machine->pmcgs;

	return pmcgs[pmcg].smmu == (int)smmu && pmcgs[pmcg].kind == kind && !pmcgs[pmcg].gone &&
	       figures->pmcgs[pmcg].same == pmcg;
}

/* What all counter groups of a kind have counted of a row. */
static struct figure sum_of(const struct figures *figures, size_t smmu, size_t row,
			    enum pmcg_kind kind, enum pmcg_event event, uint64_t interval)
{
	struct figure sum = { .known = false }, part;
	size_t i;

	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		if (!is_counted(figures, i, smmu, kind))
			continue;
		part = rate_of(&figures->pmcgs[i], row, event, interval);
		sum = add_figures(sum, &part);
	}
	return sum;
}

/* A column of a row, or of everything. */
static struct figure column_of(const struct figures *figures, size_t smmu, size_t row,
			       enum column column, uint64_t interval)
{
	const struct column_info *info = &columns[column];
	enum pmcg_kind kind = kind_for(figures, smmu, column);
	struct figure sum, base, part, ratio = { .known = false };
	unsigned int counted = 0;
	size_t i;

	for (i = 0; info->base && i < figures->machine->pmcgs_number; i++) {
		if (!is_counted(figures, i, smmu, kind))
			continue;
		part = ratio_of(&figures->pmcgs[i], row, column, interval);
		if (!part.known)
			continue;
		ratio = part;
		counted++;
	}
	/* The ratio of one counter group is that of one group of events. */
	if (info->base && counted < 2)
		return ratio;
	sum = sum_of(figures, smmu, row, kind, info->event, interval);
	if (!info->base)
		return sum;
	base = sum_of(figures, smmu, row, kind, info->base, interval);
	return divide(&sum, &base);
}

/*
 * Whether everything and a row were counted in the same slices only, all of them in one group, so
 * that their difference is exact.
 */
static bool counted_together(const struct figures *figures, size_t smmu, size_t row,
			     enum column column)
{
	enum pmcg_kind kind = kind_for(figures, smmu, column);
	unsigned int event = columns[column].event;
	const struct pmcg_figures *pmcg;
	double slices, all;
	size_t i;

	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		if (!is_counted(figures, i, smmu, kind))
			continue;
		pmcg = &figures->pmcgs[i];
		slices = pmcg->now[row].rates[event].slices;
		all = pmcg->now[pmcg->rows_number].rates[event].slices;
		if (slices != all || pmcg->now[row].beside[event] != all || !(all > 0))
			return false;
	}
	return true;
}

static struct figure rest_of(const struct figures *figures, const struct report_smmu *report,
			     enum column column)
{
	const struct figure *total = &report->total[column], *part;
	struct figure rest = *total;
	bool exact = true;
	size_t i;

	if (!total->known)
		return rest;
	for (i = 0; i < report->rows_number; i++) {
		part = &report->rows[i].figures[column];
		exact = exact && counted_together(figures, report->smmu, report->rows[i].row,
						  column);
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
		rest.rate.error *= (double)rest.count / total->count;
		rest.rate.least *= (double)rest.count / total->count;
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
		    (has_counted(&figures->pmcgs[i], row, EVENT_TRANSACTION) ||
		     has_counted(&figures->pmcgs[i], row, EVENT_TLB_MISS)))
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

/* Whether slices of a row differ too much. */
bool row_is_bursty(const struct report_row *row)
{
	const struct figure *figure;

	for (figure = row->figures; figure < row->figures + COLUMNS; figure++)
		if (figure->known && !figure->old && figure->rate.bursty)
			return true;
	return false;
}

/* The part of the interval in which it was counted. */
double figure_seen(const struct figure *figure)
{
	return figure->known && !figure->old ? figure->rate.seen : 0;
}

static enum column sort_column;

/* By the column, then by all others from the left, then by StreamID. */
static int compare_rows(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	unsigned int i, column;
	double left, right;

	for (i = 0; i <= COLUMNS; i++) {
		column = i ? i - 1 : sort_column;
		left = value_of(&x->figures[column]);
		right = value_of(&y->figures[column]);
		if (left != right)
			return left > right ? -1 : 1;
	}
	return (x->row > y->row) - (x->row < y->row);
}

static bool has_share(const struct report_smmu *report, const struct report_row *row,
		      const struct report_options *options)
{
	const struct column_info *info = &columns[options->sort];
	enum column column = options->sort;
	const struct figure *figure, *total;

	/* A ratio has no share of the total: it is that of its numerator, or of its denominator. */
	if (info->base)
		column = column_of_event(info->event, info->kind);
	if (column == COLUMNS)
		column = column_of_event(info->base, info->kind);
	if (column == COLUMNS)
		return true;
	figure = &row->figures[column];
	total = &report->total[column];
	return options->min_share <= 0 || !total->known || !figure->known ||
	       figure->rate.value >= options->min_share * total->rate.value;
}

/* What may be above the bound of a search among the rows that are left out. */
static double most_of(const struct report_row *row, enum column sort)
{
	const struct figure *figure = &row->figures[sort];

	return value_of(figure) > 0 ? figure->rate.value + figure->rate.error : 0;
}

/* Returns the most that one of the rows that were counted, but are not shown, may have. */
static double make_rows(struct figures *figures, struct report_smmu *report, uint64_t interval,
			const struct report_options *options)
{
	const struct smmu *smmu = &figures->machine->smmus[report->smmu];
	struct report_row row;
	size_t i, number = 0;
	double hidden = 0, largest;

	for (i = 0; i < smmu->rows_number; i++) {
		make_row(figures, report->smmu, i, interval, &row);
		largest = largest_value(&row);
		if (largest < 0)
			continue;
		report->rows_counted++;
		if (!options->all && (!(largest > 0) || !has_share(report, &row, options))) {
			hidden = fmax(hidden, most_of(&row, options->sort));
			continue;
		}
		report->rows = grow(report->rows, number, sizeof(*report->rows));
		report->rows[number++] = row;
	}
	sort_column = options->sort;
	if (number)
		qsort(report->rows, number, sizeof(*report->rows), compare_rows);
	report->rows_kept = number;
	while (options->max_rows && number > options->max_rows)
		hidden = fmax(hidden, most_of(&report->rows[--number], options->sort));
	report->rows_number = number;
	report->others_streams = smmu->streams_number;
	for (i = 0; i < number; i++)
		report->others_streams -= smmu->rows[report->rows[i].row].number;
	return hidden;
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
			line->figures[column] = columns[column].base ?
				ratio_of(pmcg, pmcg->rows_number, column, interval) :
				rate_of(pmcg, pmcg->rows_number, columns[column].event, interval);
	}
}

/*
 * What the searches of the counter groups say together: it is complete if it is on each one, and
 * what no TBU sees more of than its bound is below the sum of these.
 */
static void make_search(const struct figures *figures, const struct report_smmu *report,
			enum column column, struct search_summary *sum)
{
	enum pmcg_kind kind = kind_for(figures, report->smmu, column);
	const struct search_summary *part;
	bool lost = false;
	size_t i;

	*sum = (struct search_summary){ .column = column };
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		part = &figures->pmcgs[i].searches[column];
		/* Nobody else sees what a TBU sees. */
		if (figures->machine->pmcgs[i].smmu == (int)report->smmu && kind == KIND_TBU &&
		    figures->machine->pmcgs[i].kind == kind && figures->machine->pmcgs[i].gone)
			lost = true;
		if (!is_counted(figures, i, report->smmu, kind) || !part->known)
			continue;
		if (!sum->known) {
			*sum = *part;
			continue;
		}
		sum->complete &= part->complete;
		sum->turns &= part->turns;
		if (columns[column].base)
			sum->bound = part->bound > sum->bound ? part->bound : sum->bound;
		else
			sum->bound += part->bound;
	}
	sum->complete &= !lost;
}

/* An SMMU without StreamIDs has no row that could be among the worst. */
static void make_searches(const struct figures *figures, struct report_smmu *report,
			  enum column sort)
{
	struct search_summary search;
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		make_search(figures, report, column, &search);
		if (search.complete || !figures->machine->smmus[report->smmu].rows_number)
			report->complete |= 1U << column;
		if (column == sort)
			report->search = search;
	}
}

/* What is shown of an interval, but for the time. */
void figures_report(struct figures *figures, uint64_t interval,
		    const struct report_options *options, struct report *report)
{
	const struct machine *machine = figures->machine;
	struct report_smmu *smmu;
	unsigned int column;
	double hidden;
	size_t i, j;

	*report = (struct report){
		.interval = interval,
		.sort = options->sort,
		.machine = machine,
	};
	forget_gone(figures);
	find_same(figures);
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
		hidden = make_rows(figures, smmu, interval, options);
		for (column = 0; column < COLUMNS; column++)
			if (!columns[column].base)
				smmu->others[column] = rest_of(figures, smmu, column);
		for (column = 0; column < COLUMNS; column++)
			if (columns[column].base)
				smmu->others[column] = rest_of_ratio(smmu, column);
		make_searches(figures, smmu, options->sort);
		smmu->search.bound = fmax(smmu->search.bound, hidden);
	}
}

/* Sorts rows by another column. What a search says is about the former one. */
void report_sort(struct report *report, enum column sort)
{
	size_t i;

	report->sort = sort;
	sort_column = sort;
	for (i = 0; i < report->smmus_number; i++) {
		report->smmus[i].search.known = false;
		if (report->smmus[i].rows_number)
			qsort(report->smmus[i].rows, report->smmus[i].rows_number,
			      sizeof(*report->smmus[i].rows), compare_rows);
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
