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
	const struct tally *tally = &pmcg->now[row];
	struct figure figure = { .known = false };

	if (!tally->slices[event]) {
		tally = &pmcg->before[row];
		interval = 0;
		figure.old = true;
	}
	if (!tally->slices[event])
		return figure;
	figure.known = true;
	figure.rate = estimate_rate(&tally->rates[event], interval, pmcg->dispersion);
	/* From nothing to that. */
	if (figure.old && tally->limited & 1U << event &&
	    tally->most[event] < figure.rate.value) {
		figure.rate.value = tally->most[event];
		figure.rate.error = tally->most[event];
	}
	if (!figure.old) {
		figure.count = tally->counts[event];
		figure.slices = tally->slices[event];
	}
	return figure;
}

static struct figure ratio_of(const struct pmcg_figures *pmcg, size_t row, bool walk,
			      uint64_t interval)
{
	const struct tally *tally = &pmcg->now[row];
	const struct estimate_ratio *ratio = walk ? &tally->walk_ratio : &tally->miss_ratio;
	const uint64_t *counts = walk ? tally->walk_counts : tally->miss_counts;
	struct figure figure = { .known = false };

	if (!(ratio->numerator.slices > 0)) {
		tally = &pmcg->before[row];
		ratio = walk ? &tally->walk_ratio : &tally->miss_ratio;
		interval = 0;
		figure.old = true;
	}
	if (!(ratio->numerator.slices > 0))
		return figure;
	figure.rate = estimate_ratio(ratio, interval, pmcg->dispersion);
	figure.known = !isnan(figure.rate.value);
	if (!figure.old) {
		figure.count = counts[0];
		figure.base = counts[1];
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

static bool counts_row(const struct pmcg_figures *pmcg, size_t row)
{
	unsigned int event;

	for (event = EVENT_TRANSACTION; event < EVENTS; event++)
		if (pmcg->now[row].counts[event] || pmcg->before[row].counts[event])
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
static enum pmcg_kind kind_for(const struct figures *figures, size_t smmu, bool of_tcu)
{
	enum pmcg_kind kind = of_tcu ? KIND_TCU : KIND_TBU;
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

/* A column of a row, or of everything. */
static struct figure column_of(const struct figures *figures, size_t smmu, size_t row,
			       enum column column, uint64_t interval)
{
	const struct column_info *info = &columns[column];
	enum pmcg_kind kind = kind_for(figures, smmu, info->of_tcu);
	struct figure sum = { .known = false }, base = { .known = false }, part;
	unsigned int counted = 0, last = 0;
	size_t i;

	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		if (!is_counted(figures, i, smmu, kind))
			continue;
		part = rate_of(&figures->pmcgs[i], row, info->event, interval);
		if (!part.known)
			continue;
		if (!info->base) {
			sum = add_figures(sum, &part);
			continue;
		}
		part = ratio_of(&figures->pmcgs[i], row, info->of_tcu, interval);
		if (!part.known)
			continue;
		counted++;
		last = i;
	}
	if (!info->base)
		return sum;
	/* The ratio of one counter group is that of one group of events. */
	if (counted == 1)
		return ratio_of(&figures->pmcgs[last], row, info->of_tcu, interval);
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		if (!is_counted(figures, i, smmu, kind))
			continue;
		part = rate_of(&figures->pmcgs[i], row, info->event, interval);
		sum = add_figures(sum, &part);
		part = rate_of(&figures->pmcgs[i], row, info->base, interval);
		base = add_figures(base, &part);
	}
	if (!counted)
		sum.known = false;
	return divide(&sum, &base);
}

/*
 * Whether everything and a row were counted in the same slices only, all of them in one group, so
 * that their difference is exact.
 */
static bool counted_together(const struct figures *figures, size_t smmu, size_t row,
			     enum column column)
{
	enum pmcg_kind kind = kind_for(figures, smmu, columns[column].of_tcu);
	unsigned int event = columns[column].event;
	const struct tally *tally, *total;
	const struct pmcg_figures *pmcg;
	size_t i;

	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		if (!is_counted(figures, i, smmu, kind))
			continue;
		pmcg = &figures->pmcgs[i];
		tally = &pmcg->now[row];
		total = &pmcg->now[pmcg->rows_number];
		if (tally->slices[event] != total->slices[event] ||
		    tally->beside[event] != total->slices[event] || !total->slices[event])
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

/* Accesses are no column of their own: they follow from walks, and accesses of each. */
static struct figure rest_of_walks(const struct report_smmu *report)
{
	const struct figure *walks = report->total, *each;
	struct figure rest = report->others[COLUMN_WALK];
	double accesses;
	size_t i;

	if (!report->total[COLUMN_WALK].known || !report->total[COLUMN_WALK_RATIO].known ||
	    !rest.known || !(rest.rate.value > 0))
		return (struct figure){ .known = false };
	accesses = walks[COLUMN_WALK].rate.value * walks[COLUMN_WALK_RATIO].rate.value;
	for (i = 0; i < report->rows_number; i++) {
		walks = &report->rows[i].figures[COLUMN_WALK];
		each = &report->rows[i].figures[COLUMN_WALK_RATIO];
		if (walks->known && each->known)
			accesses -= walks->rate.value * each->rate.value;
	}
	rest.rate.value = fmax(accesses, 0) / rest.rate.value;
	rest.rate.error = INFINITY;
	rest.rate.least = 0;
	rest.approximate = true;
	rest.count = 0;
	rest.slices = 0;
	return rest;
}

static void make_row(const struct figures *figures, size_t smmu, size_t row, uint64_t interval,
		     struct report_row *report)
{
	const struct machine *machine = figures->machine;
	unsigned int column, tbu = 0;
	size_t i;

	*report = (struct report_row){ .row = row };
	for (column = 0; column < COLUMNS; column++) {
		report->figures[column] = column_of(figures, smmu, row, column, interval);
		if (!report->figures[column].known || report->figures[column].old)
			continue;
		report->bursty |= report->figures[column].rate.bursty;
	}
	for (i = 0; i < machine->pmcgs_number; i++) {
		if (machine->pmcgs[i].smmu != (int)smmu || machine->pmcgs[i].kind != KIND_TBU)
			continue;
		if (tbu < 64 && !machine->pmcgs[i].gone &&
		    (figures->pmcgs[i].now[row].counts[EVENT_TRANSACTION] ||
				 figures->pmcgs[i].now[row].counts[EVENT_TLB_MISS] ||
				 figures->pmcgs[i].before[row].counts[EVENT_TRANSACTION] ||
				 figures->pmcgs[i].before[row].counts[EVENT_TLB_MISS]))
			report->tbus |= 1ULL << tbu;
		tbu++;
	}
}

static bool row_is_known(const struct report_row *row)
{
	unsigned int column;

	for (column = 0; column < COLUMNS; column++)
		if (row->figures[column].known)
			return true;
	return false;
}

static bool row_counted_something(const struct report_row *row)
{
	unsigned int column;

	for (column = 0; column < COLUMNS; column++)
		if (row->figures[column].known && row->figures[column].rate.value > 0)
			return true;
	return false;
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
		left = x->figures[column].known ? x->figures[column].rate.value : -1;
		right = y->figures[column].known ? y->figures[column].rate.value : -1;
		if (left != right)
			return left > right ? -1 : 1;
	}
	return (x->row > y->row) - (x->row < y->row);
}

static bool has_share(const struct report_smmu *report, const struct report_row *row,
		      const struct report_options *options)
{
	/* A ratio has no share of the total: it is that of its numerator. */
	enum column column = options->sort;
	const struct figure *figure, *total;

	if (column == COLUMN_MISS_RATIO)
		column = COLUMN_MISS;
	if (column == COLUMN_WALK_RATIO)
		column = COLUMN_WALK;
	figure = &row->figures[column];
	total = &report->total[column];
	return options->min_share <= 0 || !total->known || !figure->known ||
	       figure->rate.value >= options->min_share * total->rate.value;
}

/* Columns are counted at different times: it is about the one that is sorted by. */
static void set_seen(struct report_smmu *report, enum column sort)
{
	const struct figure *figure;
	size_t i;

	for (i = 0; i < report->rows_number; i++) {
		figure = &report->rows[i].figures[sort];
		report->rows[i].seen = figure->known && !figure->old ? figure->rate.seen : 0;
	}
}

/* What may be above the bound of a search among the rows that are left out. */
static double most_of(const struct report_row *row, enum column sort)
{
	const struct figure *figure = &row->figures[sort];

	if (!figure->known || !(figure->rate.value > 0))
		return 0;
	return figure->rate.value + figure->rate.error;
}

/* Returns the most that one of the rows that were counted, but are not shown, may have. */
static double make_rows(struct figures *figures, struct report_smmu *report, uint64_t interval,
			const struct report_options *options)
{
	const struct smmu *smmu = &figures->machine->smmus[report->smmu];
	struct report_row row;
	size_t i, number = 0;
	double hidden = 0;

	for (i = 0; i < smmu->rows_number; i++) {
		make_row(figures, report->smmu, i, interval, &row);
		if (!row_is_known(&row))
			continue;
		report->rows_counted++;
		if (!options->all && (!row_counted_something(&row) ||
				      !has_share(report, &row, options))) {
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
	set_seen(report, options->sort);
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
	unsigned int event;
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
		for (event = 0; event < EVENTS; event++)
			line->figures[event] = rate_of(pmcg, pmcg->rows_number, event, interval);
		line->miss_ratio = ratio_of(pmcg, pmcg->rows_number, false, interval);
		line->walk_ratio = ratio_of(pmcg, pmcg->rows_number, true, interval);
	}
}

/*
 * What the searches of the counter groups say together: it is complete if it is on each one, and
 * what no TBU sees more of than its bound is below the sum of these.
 */
static void make_search(const struct figures *figures, const struct report_smmu *report,
			enum column column, struct search_summary *sum)
{
	enum pmcg_kind kind = kind_for(figures, report->smmu, columns[column].of_tcu);
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
		smmu->others[COLUMN_MISS_RATIO] = divide(&smmu->others[COLUMN_MISS],
							 &smmu->others[COLUMN_TXN]);
		smmu->others[COLUMN_WALK_RATIO] = rest_of_walks(smmu);
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
		set_seen(&report->smmus[i], sort);
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
