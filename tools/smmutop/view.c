// SPDX-License-Identifier: GPL-2.0
/*
 * A view of a report: the rows of all SMMUs in one order, those that are shown, and what is left;
 * and what earlier reports said of each row: a series of values, and means since the start.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* What was counted for this part of the time has no error that matters. */
#define ALWAYS	0.999

/* Of a ratio, the value is the sum of ratios, each weighted by what it is a ratio of. */
struct sum {
	struct figure figure;
	double value;
	double weight;
	double variance;
};

static void add_counts(struct figure *sum, const struct figure *part)
{
	sum->old |= part->old;
	sum->slices = !sum->known || part->slices < sum->slices ? part->slices : sum->slices;
	sum->count += part->count;
	sum->base += part->base;
	sum->known = true;
}

/* A difference of what was counted at different times is approximate. */
static void take_counts(struct figure *sum, const struct figure *part)
{
	sum->approximate |= part->rate.seen < ALWAYS;
	sum->count -= part->count < sum->count ? part->count : sum->count;
	sum->base -= part->base < sum->base ? part->base : sum->base;
}

/* Adds the figures of all columns to their sums, or takes them away. */
static void add_part(struct sum sums[COLUMNS], const struct figure *parts, bool away)
{
	const struct figure *part;
	enum column column, base;
	struct figure *figure;
	struct sum *sum;
	double factor;

	for (column = 0; column < COLUMNS; column++) {
		base = column_of_base(column);
		part = &parts[column];
		sum = &sums[column];
		figure = &sum->figure;
		if (!part->known || (away && !figure->known) ||
		    (base < COLUMNS && !parts[base].known))
			continue;
		if (base < COLUMNS) {
			factor = parts[base].rate.value * (away ? -1 : 1);
			sum->value += factor * part->rate.value;
			sum->weight += factor;
			sum->variance += away ? INFINITY : pow(factor * part->rate.error, 2);
			figure->rate.seen = fmin(figure->known ? figure->rate.seen : 1,
						 part->rate.seen);
		} else if (away) {
			figure->rate = estimate_rest(figure->rate, part->rate);
		} else {
			figure->rate = figure->known ? estimate_sum(figure->rate, part->rate) :
				       part->rate;
		}
		if (away)
			take_counts(figure, part);
		else
			add_counts(figure, part);
	}
}

static void make_sums(struct sum sums[COLUMNS], struct figure figures[COLUMNS])
{
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		figures[column] = sums[column].figure;
		if (!columns[column].base)
			continue;
		figures[column].known &= sums[column].weight > 0;
		figures[column].rate.value = fmax(sums[column].value, 0) / sums[column].weight;
		figures[column].rate.error = sqrt(sums[column].variance) / sums[column].weight;
	}
}

/*
 * What is left of the totals of all SMMUs, or only of one, without the rows that are shown. Returns
 * how many StreamIDs are not shown.
 */
size_t view_others(const struct view *view, const struct report_smmu *only,
		   struct figure others[COLUMNS])
{
	const struct report *report = view->report;
	struct sum sums[COLUMNS] = { { .weight = 0 } };
	const struct smmu *smmu;
	size_t i, streams = 0;

	for (i = 0; i < report->smmus_number; i++) {
		if (only && only != &report->smmus[i])
			continue;
		streams += report->machine->smmus[report->smmus[i].smmu].streams_number;
		add_part(sums, report->smmus[i].total, false);
	}
	for (i = 0; i < view->shown; i++) {
		if (only && only != view->rows[i].smmu)
			continue;
		smmu = &report->machine->smmus[view->rows[i].smmu->smmu];
		streams -= smmu->rows[view->rows[i].row->row].number;
		add_part(sums, view->rows[i].row->figures, true);
	}
	make_sums(sums, others);
	return streams;
}

static double value_of(const struct figure *figure)
{
	return figure->known ? figure->rate.value : -1;
}

/* The part of the total that figures have, of the column that is sorted by; NAN if unknown. */
double view_share(const struct view *view, const struct figure *figures)
{
	enum column column = column_of_share(view->options.sort);
	const struct figure *total;

	if (column == COLUMNS || !figures[column].known)
		return NAN;
	total = &view->total[column];
	return value_of(total) > 0 ? fmin(figures[column].rate.value / total->rate.value, 1) : NAN;
}

static bool has_filter(const struct view_options *options)
{
	return options->filter && options->filter[0];
}

static bool matches(const struct view *view, const struct view_row *row)
{
	struct machine *machine = view->report->machine;
	struct text text = { .data = NULL };
	unsigned int what;
	bool found;

	if (!has_filter(&view->options))
		return true;
	machine_describe_row(machine, row->smmu->smmu, row->row->row);
	text_add(&text, "%s", machine->smmus[row->smmu->smmu].name);
	for (what = 0; what < ROW_TEXTS; what++) {
		text_add(&text, "\n");
		row_text(&text, machine, row, what, ",");
	}
	found = strcasestr(text.data, view->options.filter);
	text_free(&text);
	return found;
}

static void add_row(struct view *view, const struct report_smmu *smmu, const struct report_row *row)
{
	struct view_row *added;
	double largest = 0;
	unsigned int column;

	added = append(view->rows, view->number);
	added->smmu = smmu;
	added->row = row;
	added->share = view_share(view, row->figures);
	for (column = 0; column < COLUMNS; column++)
		largest = fmax(largest, value_of(&row->figures[column]));
	added->hidden = (!view->options.all &&
			 (!(largest > 0) || added->share < view->options.min_share)) ||
			!matches(view, added);
	view->candidates += !added->hidden;
}

/*
 * Rows that were visited often were among the worst before. Of all others, the largest ones are too
 * large by chance: they count half, less two standard deviations of what was counted.
 */
static double rank_of(const struct view_row *row, enum column column, enum column sort)
{
	const struct figure *figure = &row->row->figures[column];
	double value = value_of(figure);

	if (column != sort || figure->rate.often || !(value > 0))
		return value;
	return figure->count > 4 ? value / 2 * (1 - 2 / sqrt(figure->count)) : 0;
}

/* By the column, then by all others from the left, then by SMMU and StreamID. */
static int compare_rows(const void *a, const void *b, void *context)
{
	const struct view_options *options = context;
	const struct view_row *x = a, *y = b;
	double left, right;
	unsigned int i, column;

	if (x->hidden != y->hidden)
		return x->hidden - y->hidden;
	for (i = options->by_device ? COLUMNS + 1 : 0; i <= COLUMNS; i++) {
		column = i ? i - 1 : options->sort;
		left = rank_of(x, column, options->sort);
		right = rank_of(y, column, options->sort);
		if (left != right)
			return (left > right) == options->ascending ? 1 : -1;
	}
	if (x->smmu != y->smmu)
		return (x->smmu > y->smmu) == options->ascending ? -1 : 1;
	return (x->row->row > y->row->row) == options->ascending ? -1 : 1;
}

void view_make(struct view *view, const struct report *report, const struct view_options *options)
{
	const struct report_smmu *smmu;
	size_t i, j;

	*view = (struct view){ .report = report, .options = *options };
	/* No row is shown yet. */
	view_others(view, NULL, view->total);
	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		for (j = 0; j < smmu->rows_number; j++)
			add_row(view, smmu, &smmu->rows[j]);
	}
	if (view->number)
		qsort_r(view->rows, view->number, sizeof(*view->rows), compare_rows,
			&view->options);
	view->shown = view->candidates;
	if (options->max_rows && view->shown > options->max_rows)
		view->shown = options->max_rows;
	for (i = 0; i < view->shown; i++)
		machine_describe_row(report->machine, view->rows[i].smmu->smmu,
				     view->rows[i].row->row);
}

void view_free(struct view *view)
{
	free(view->rows);
	*view = (struct view){ .rows = NULL };
}

/* What a figure can be at most; a ratio that was not counted in this interval can be anything. */
static double most_of(const struct figure *figure, enum column column)
{
	return columns[column].base && (!figure->known || figure->old) ? INFINITY :
	       figure->rate.most;
}

/*
 * The first rows are the worst of the machine, or of an SMMU, if each has at least more than
 * any other StreamID has at most. The more rows are looked at, the less their least one has, and
 * the less all others have.
 */
struct view_search view_search(const struct view *view, const struct report_smmu *only)
{
	enum column sort = view->options.sort;
	const struct report *report = view->report;
	struct view_search search = { .known = !columns[sort].base };
	double *others = zeros(view->number, sizeof(*others)), least = INFINITY, most;
	size_t i, rows = 0, place = 0;
	const struct figure *figure;

	for (i = 0; i < report->smmus_number; i++) {
		if (only && only != &report->smmus[i])
			continue;
		search.known &= report->smmus[i].searched;
		others[view->number] = fmax(others[view->number], report->smmus[i].bounds[sort]);
	}
	for (i = view->number; i-- > 0;) {
		most = !only || only == view->rows[i].smmu ?
		       most_of(&view->rows[i].row->figures[sort], sort) : 0;
		others[i] = fmax(others[i + 1], most);
	}
	for (i = 0; i < view->shown; i++) {
		if (only && only != view->rows[i].smmu)
			continue;
		figure = &view->rows[i].row->figures[sort];
		least = fmin(least, figure->known && !figure->old ? figure->rate.least : 0);
		rows++;
		if (!(least > others[i + 1]))
			continue;
		search.worst = rows;
		place = i + 1;
	}
	search.bound = others[place];
	free(others);
	search.complete = search.known && search.worst;
	return search;
}

/* The numbers of the labels, whatever counter groups are used: "1" for TBU1, "0,1" for both. */
static void add_tbus(struct text *text, const struct machine *machine, const struct view_row *row,
		     const char *separator)
{
	const struct pmcg *pmcg = machine->pmcgs, *end = pmcg + machine->pmcgs_number;
	const char *before = "";
	unsigned int tbu = 0;

	for (; pmcg < end; pmcg++) {
		if (pmcg->smmu != (int)row->smmu->smmu || pmcg->kind != KIND_TBU)
			continue;
		if (tbu < 64 && row->row->tbus & 1ULL << tbu) {
			text_add(text, "%s%s", before,
				 pmcg->label + strcspn(pmcg->label, "0123456789"));
			before = separator;
		}
		tbu++;
	}
}

/* What a row is called: of each of its devices, with a separator between them. */
void row_text(struct text *text, const struct machine *machine, const struct view_row *row,
	      enum row_text what, const char *separator)
{
	const struct smmu *smmu = &machine->smmus[row->smmu->smmu];
	const struct row *streams = &smmu->rows[row->row->row];
	const struct stream *first = &smmu->streams[streams->first], *stream;
	const struct device *device;
	const char *name;

	text_add_bytes(text, "", 0);
	if (what == TEXT_TBU) {
		add_tbus(text, machine, row, separator);
		return;
	}
	for (stream = first; stream < first + streams->number; stream++) {
		if (what == TEXT_STREAM && stream > first && stream->id == stream[-1].id)
			continue;
		device = &machine->devices[stream->device];
		if (stream > first)
			text_add(text, "%s", separator);
		if (what == TEXT_STREAM) {
			text_add(text, "0x%x", stream->id);
			continue;
		}
		name = what == TEXT_DEVICE ? device->name : what == TEXT_DRIVER ? device->driver :
		       what == TEXT_NAME ? device->names : what == TEXT_GROUP ? device->group :
		       device->domain;
		text_add_bytes(text, name, strlen(name));
	}
}

/*
 * Sums over the intervals in which a figure was counted: @weight is their length, or of a ratio
 * what it is a ratio of; @figure has sums of the other members.
 */
struct past {
	double weight;
	double value;
	double variance;
	double seconds;
	struct figure figure;
};

struct past_row {
	struct past columns[COLUMNS];
	float values[COLUMNS][HISTORY_LENGTH];
	uint64_t tbus;
};

/* The last one of an SMMU's rows is its total. There are number values, the last at next. */
struct history {
	const struct machine *machine;
	struct past_row **smmus;
	size_t smmus_number;
	unsigned int number;
	unsigned int next;
	double seconds;
};

struct history *history_new(const struct machine *machine)
{
	struct history *history = zeros(1, sizeof(*history));
	size_t i;

	history->machine = machine;
	history->smmus_number = machine->smmus_number;
	history->smmus = zeros(machine->smmus_number, sizeof(*history->smmus));
	for (i = 0; i < machine->smmus_number; i++)
		history->smmus[i] = zeros(machine->smmus[i].rows_number + 1,
					  sizeof(*history->smmus[i]));
	return history;
}

void history_free(struct history *history)
{
	size_t i;

	if (!history)
		return;
	for (i = 0; i < history->smmus_number; i++)
		free(history->smmus[i]);
	free(history->smmus);
	free(history);
}

/* What has no error may be twice as much, or nothing. */
static void add_figure(struct past *past, const struct figure *figure, double seconds, bool ratio)
{
	double weight = ratio ? figure->base : seconds;
	double error = isfinite(figure->rate.error) ? figure->rate.error : figure->rate.value;

	if (!figure->known || figure->old)
		return;
	past->weight += weight;
	past->value += weight * figure->rate.value;
	past->variance += weight * error * weight * error;
	past->seconds += seconds * figure->rate.seen;
	past->figure.known = true;
	past->figure.count += figure->count;
	past->figure.base += figure->base;
	past->figure.slices += figure->slices;
}

static void add_figures(struct history *history, struct past_row *row,
			const struct figure *figures, double seconds)
{
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		add_figure(&row->columns[column], &figures[column], seconds, columns[column].base);
		if (figures[column].known)
			row->values[column][history->next] = figures[column].rate.value;
	}
}

void history_add(struct history *history, const struct report *report)
{
	double seconds = report->interval / 1e9;
	const struct report_smmu *smmu;
	struct past_row *rows;
	unsigned int column;
	size_t i, j;

	history->seconds += seconds;
	history->next = (history->next + 1) % HISTORY_LENGTH;
	history->number += history->number < HISTORY_LENGTH;
	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		rows = history->smmus[smmu->smmu];
		for (j = 0; j <= history->machine->smmus[smmu->smmu].rows_number; j++)
			for (column = 0; column < COLUMNS; column++)
				rows[j].values[column][history->next] = 0;
		add_figures(history, &rows[j - 1], smmu->total, seconds);
		for (j = 0; j < smmu->rows_number; j++) {
			add_figures(history, &rows[smmu->rows[j].row], smmu->rows[j].figures,
				    seconds);
			rows[smmu->rows[j].row].tbus |= smmu->rows[j].tbus;
		}
	}
}

static bool make_figures(const struct history *history, const struct past_row *row,
			 struct figure figures[COLUMNS])
{
	const struct past *past;
	bool known = false;
	unsigned int i;

	for (i = 0; i < COLUMNS; i++) {
		past = &row->columns[i];
		figures[i] = past->figure;
		figures[i].known = past->weight > 0;
		known |= figures[i].known;
		if (!figures[i].known)
			continue;
		figures[i].rate.value = past->value / past->weight;
		figures[i].rate.error = sqrt(past->variance) / past->weight;
		figures[i].rate.seen = past->seconds / history->seconds;
		figures[i].rate.often = true;
	}
	return known;
}

/* Makes a report of the time since the start; what it cannot tell is that of the last one. */
void history_report(const struct history *history, const struct report *last, struct report *report)
{
	struct report_smmu *smmu;
	size_t i, j, rows;

	*report = *last;
	report->interval = history->seconds * 1e9;
	report->smmus = zeros(last->smmus_number, sizeof(*report->smmus));
	for (i = 0; i < last->smmus_number; i++) {
		smmu = &report->smmus[i];
		*smmu = last->smmus[i];
		smmu->searched = false;
		rows = history->machine->smmus[smmu->smmu].rows_number;
		smmu->rows = zeros(rows, sizeof(*smmu->rows));
		smmu->rows_number = 0;
		smmu->pmcgs = NULL;
		smmu->pmcgs_number = 0;
		for (j = 0; j < rows; j++) {
			smmu->rows[smmu->rows_number].row = j;
			smmu->rows[smmu->rows_number].tbus = history->smmus[smmu->smmu][j].tbus;
			smmu->rows_number += make_figures(history, &history->smmus[smmu->smmu][j],
							smmu->rows[smmu->rows_number].figures);
		}
		make_figures(history, &history->smmus[smmu->smmu][rows], smmu->total);
	}
}

/* The last values of a row, the newest one to the right, compared with the largest of them. */
void history_bars(const struct history *history, struct text *text, size_t smmu, size_t row,
		  enum column column, unsigned int width, bool utf8)
{
	static const char * const blocks[] = {
		" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
	};
	static const char * const characters[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	const float *values = history->smmus[smmu][row].values[column];
	unsigned int i, last = ARRAY_SIZE(blocks) - 1;
	double largest = 0, value;

	for (i = 0; i < HISTORY_LENGTH; i++)
		largest = values[i] > largest ? values[i] : largest;
	for (i = width < history->number ? width : history->number; i-- > 0;) {
		value = values[(history->next + HISTORY_LENGTH - i) % HISTORY_LENGTH];
		value = largest > 0 ? fmin(fmax(ceil(last * value / largest), 0), last) : 0;
		text_add(text, "%s", (utf8 ? blocks : characters)[(unsigned int)value]);
	}
}
