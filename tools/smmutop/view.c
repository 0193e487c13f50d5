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

/*
 * What is left of the totals of all SMMUs, or only of one, without the rows that are shown. Returns
 * how many StreamIDs are not shown.
 */
size_t view_others(const struct view *view, const struct report_smmu *only,
		   struct figure others[COLUMNS])
{
	const struct report_smmu *smmu;
	const struct view_row *row;
	enum column column;
	size_t streams = 0;

	memset(others, 0, COLUMNS * sizeof(*others));
	for_each(smmu, view->report->smmus) {
		if (only && only != smmu)
			continue;
		streams += smmu->smmu->streams_number;
		for (column = 0; column < COLUMNS; column++)
			figure_add(&others[column], &smmu->total[column], columns[column].base);
	}
	for (row = view->rows; row < view->rows + view->shown; row++) {
		if (only && only != row->smmu)
			continue;
		streams -= row->row->row->streams_number;
		for (column = 0; column < COLUMNS; column++)
			figure_take(&others[column], &row->row->figures[column],
				    columns[column].base);
	}
	return streams;
}

static double value_of(const struct figure *figure)
{
	return figure->known ? figure->value : -1;
}

/* The part of the total that figures have, of the column that is sorted by; NAN if unknown. */
double view_share(const struct view *view, const struct figure *figures)
{
	enum column column = column_of_share(view->options.sort);
	const struct figure *total;

	if (column == COLUMNS || !figures[column].known)
		return NAN;
	total = &view->total[column];
	return value_of(total) > 0 ? fmin(figures[column].value / total->value, 1) : NAN;
}

static bool matches(const struct view *view, const struct view_row *row)
{
	struct machine *machine = view->report->machine;
	const char *filter = view->options.filter;
	unsigned int what;

	if (strcasestr(row->smmu->smmu->name, filter))
		return true;
	machine_describe_row(machine, row->row->row);
	for (what = 0; what < ROW_TEXTS; what++)
		if (strcasestr(row_text(machine, row, what, ","), filter))
			return true;
	return false;
}

static void add_row(struct view *view, const struct report_smmu *smmu, const struct report_row *row)
{
	struct view_row *added;
	double largest = 0;
	unsigned int column;

	if (!row->known)
		return;
	added = append(view->rows, view->number);
	added->smmu = smmu;
	added->row = row;
	added->share = view_share(view, row->figures);
	view->counted |= row->figures[view->options.sort].count > 0;
	for (column = 0; column < COLUMNS; column++)
		largest = fmax(largest, value_of(&row->figures[column]));
	added->hidden = (!view->options.all &&
			 (!(largest > 0) || added->share < view->options.min_share)) ||
			!matches(view, added);
	view->candidates += !added->hidden;
}

/* A row that was not one of the worst when the interval began may be so now by chance. */
static double rank_of(const struct view_row *row, enum column column, enum column sort)
{
	const struct figure *figure = &row->row->figures[column];

	/* The ratio of little can be anything. */
	if (columns[column].base && figure->known)
		return figure->least;
	if (column != sort || !figure->known || !figure->late)
		return value_of(figure);
	return isfinite(figure->error) ? fmax(0, figure->value - figure->error) : figure->value / 2;
}

static bool is_chosen(const struct view_row *row, enum column sort)
{
	return row->row->figures[sort].chosen;
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
	if (!options->by_device && is_chosen(x, options->sort) != is_chosen(y, options->sort))
		return is_chosen(y, options->sort) - is_chosen(x, options->sort);
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
	const struct report_row *row;
	size_t i;

	*view = (struct view){ .report = report, .options = *options };
	/* No row is shown yet. */
	view->streams = view_others(view, NULL, view->total);
	for_each(smmu, report->smmus)
		for_each(row, smmu->rows)
			add_row(view, smmu, row);
	if (view->number)
		qsort_r(view->rows, view->number, sizeof(*view->rows), compare_rows,
			&view->options);
	/* Chosen rows come first. */
	while (view->shown < view->candidates && is_chosen(&view->rows[view->shown], options->sort))
		view->shown++;
	view->judged = options->by_device ? 0 : view->shown;
	if (!view->shown || !options->only_chosen)
		view->shown = view->candidates;
	if (options->max_rows && view->shown > options->max_rows)
		view->shown = options->max_rows;
	for (i = 0; i < view->shown; i++)
		machine_describe_row(report->machine, view->rows[i].row->row);
}

void view_free(struct view *view)
{
	free(view->rows);
	*view = (struct view){ .rows = NULL };
}

/*
 * The first rows are the worst of the machine, or of an SMMU, if each has at least more than
 * any other StreamID has at most. The more rows are looked at, the less their least one has, and
 * the less all others have.
 */
struct view_search view_search(const struct view *view, const struct report_smmu *only)
{
	enum column sort = view->options.sort;
	struct view_search search = { .known = !columns[sort].base };
	double *others = zeros(view->number + 1, sizeof(*others)), least = INFINITY, most;
	const struct report_smmu *smmu;
	const struct figure *figure;
	size_t i, rows = 0, place = 0;

	for_each(smmu, view->report->smmus) {
		if (only && only != smmu)
			continue;
		search.known &= smmu->searched;
		others[view->number] = fmax(others[view->number], smmu->bounds[sort]);
	}
	for (i = view->number; i-- > 0;) {
		figure = &view->rows[i].row->figures[sort];
		/* A ratio that was not counted in this interval can be anything. */
		most = columns[sort].base && !figure->known ? INFINITY : figure->most;
		others[i] = fmax(others[i + 1], !only || only == view->rows[i].smmu ? most : 0);
	}
	for (i = 0; i < view->shown; i++) {
		if (only && only != view->rows[i].smmu)
			continue;
		figure = &view->rows[i].row->figures[sort];
		least = fmin(least, figure->known ? figure->least : 0);
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

/*
 * What a row is called: of each of its devices, with a separator between them, or the numbers of
 * its TBUs; valid until the next call.
 */
const char *row_text(const struct machine *machine, const struct view_row *row,
		     enum row_text what, const char *separator)
{
	static const size_t members[ROW_TEXTS] = {
		[TEXT_DEVICE] = offsetof(struct device, name),
		[TEXT_DRIVER] = offsetof(struct device, driver),
		[TEXT_NAME] = offsetof(struct device, names),
		[TEXT_GROUP] = offsetof(struct device, group),
		[TEXT_DOMAIN] = offsetof(struct device, domain),
	};
	const struct stream *first = row->row->row->streams, *stream;
	static struct text text;
	unsigned int tbu;

	text_clear(&text);
	text_add_bytes(&text, "", 0);
	for (tbu = 0; what == TEXT_TBU && tbu < 64; tbu++)
		if (row->row->tbus & 1ULL << tbu)
			text_add(&text, "%s%u", text.length ? separator : "", tbu);
	if (what == TEXT_TBU)
		return text.data;
	for_each(stream, row->row->row->streams) {
		if (what == TEXT_STREAM && stream > first && stream->id == stream[-1].id)
			continue;
		if (stream > first)
			text_add_string(&text, separator);
		if (what == TEXT_STREAM)
			text_add(&text, "0x%x", stream->id);
		else
			text_add_string(&text, (const char *)&machine->devices[stream->device] +
					       members[what]);
	}
	return text.data;
}

struct series {
	float values[COLUMNS][HISTORY_LENGTH];
};

/* There are number values of each row, the last at next. */
struct history {
	struct report sum; /* its figures are those of all intervals */
	struct series *series; /* of each row of these, in the same order */
	unsigned int number;
	unsigned int next;
};

struct history *history_new(const struct report *first)
{
	struct history *history = zeros(1, sizeof(*history));
	const struct report_smmu *smmu;
	struct report_smmu *sum;
	size_t rows = 0;

	history->sum.machine = first->machine;
	for_each(smmu, first->smmus) {
		sum = append(history->sum.smmus, history->sum.smmus_number);
		sum->smmu = smmu->smmu;
		sum->rows_number = smmu->rows_number;
		sum->rows = zeros(sum->rows_number, sizeof(*sum->rows));
		rows += sum->rows_number;
	}
	history->series = zeros(rows, sizeof(*history->series));
	return history;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	free(history->series);
	report_free(&history->sum);
	free(history);
}

static void add_figures(struct figure sum[COLUMNS], const struct figure figures[COLUMNS])
{
	struct figure figure;
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		figure = figures[column];
		/* What has no error may be twice as much, or nothing. */
		figure.variance += figure.vague * figure.vague;
		figure.vague = 0;
		figure.late = false;
		figure_add(&sum[column], &figure, true);
	}
}

static void add_past_row(struct report_row *sum, const struct report_row *row,
			 struct series *series, unsigned int place)
{
	enum column column;

	sum->row = row->row;
	sum->known |= row->known;
	sum->tbus |= row->tbus;
	add_figures(sum->figures, row->figures);
	for (column = 0; column < COLUMNS; column++)
		series->values[column][place] =
			row->figures[column].known ? row->figures[column].value : 0;
}

void history_add(struct history *history, const struct report *report)
{
	struct series *series = history->series;
	const struct report_smmu *smmu;
	struct report_smmu *sum;
	size_t i, j;

	history->sum.interval += report->interval;
	history->sum.slice = report->slice;
	history->next = (history->next + 1) % HISTORY_LENGTH;
	history->number += history->number < HISTORY_LENGTH;
	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		sum = &history->sum.smmus[i];
		add_figures(sum->total, smmu->total);
		for (j = 0; j < smmu->rows_number; j++)
			add_past_row(&sum->rows[j], &smmu->rows[j], series++, history->next);
	}
}

/* A report of the time since the start; it does not say which rows are the worst. */
const struct report *history_report(const struct history *history)
{
	return &history->sum;
}

static double past_value(const struct history *history, const struct row *row, enum column column,
			 unsigned int age)
{
	const struct report_smmu *smmu = history->sum.smmus;
	const struct series *series = history->series;

	for (; smmu->smmu != row->smmu; smmu++)
		series += smmu->rows_number;
	series += row - row->smmu->rows;
	return series->values[column][(history->next + HISTORY_LENGTH - age) % HISTORY_LENGTH];
}

/* The largest one of the last values of a row */
double history_largest(const struct history *history, const struct row *row, enum column column,
		       unsigned int width)
{
	unsigned int i, number = width < history->number ? width : history->number;
	double largest = 0;

	for (i = 0; i < number; i++)
		largest = fmax(largest, past_value(history, row, column, i));
	return largest;
}

/* The last values of a row, the newest one to the right; the largest one is a full bar. */
void history_bars(const struct history *history, struct text *text, const struct row *row,
		  enum column column, unsigned int width, double largest, bool utf8)
{
	static const char * const blocks[] = {
		" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
	};
	static const char * const characters[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	unsigned int i, last = ARRAY_SIZE(blocks) - 1;
	double value;

	for (i = width < history->number ? width : history->number; i-- > 0;) {
		value = past_value(history, row, column, i);
		value = largest > 0 ? fmin(fmax(ceil(last * value / largest), 0), last) : 0;
		text_add_string(text, (utf8 ? blocks : characters)[(unsigned int)value]);
	}
}
