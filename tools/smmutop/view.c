// SPDX-License-Identifier: GPL-2.0
/*
 * A view of a report: the rows of all SMMUs in one order, those that are shown, and what is left;
 * and what earlier reports said of each row.
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

/* How many of the first rows may be said to be the worst */
#define MOST_WORST	10

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

/* The ratio of little can be anything: what it is at least counts. */
static double rank_of(const struct view_row *row, enum column column)
{
	const struct figure *figure = &row->row->figures[column];

	return columns[column].base && figure->known ? figure->least : value_of(figure);
}

/* Rows whose value has an error come first, then those that were visited often. */
enum class {
	CLASS_JUDGED,
	CLASS_OFTEN,
	CLASS_SELDOM,
};

static enum class class_of(const struct view_row *row, enum column sort)
{
	const struct figure *figure = &row->row->figures[sort];

	if (figure->known && isfinite(figure->error))
		return CLASS_JUDGED;
	return figure->known && figure->slices >= LEAST_VISITS ? CLASS_OFTEN : CLASS_SELDOM;
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
	if (!options->by_device && class_of(x, options->sort) != class_of(y, options->sort))
		return class_of(x, options->sort) < class_of(y, options->sort) ? -1 : 1;
	for (i = options->by_device ? COLUMNS + 1 : 0; i <= COLUMNS; i++) {
		column = i ? i - 1 : options->sort;
		left = rank_of(x, column);
		right = rank_of(y, column);
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
	while (view->shown < view->candidates &&
	       class_of(&view->rows[view->shown], options->sort) == CLASS_JUDGED)
		view->shown++;
	view->judged = options->by_device ? 0 : view->shown;
	while (view->shown < view->candidates &&
	       class_of(&view->rows[view->shown], options->sort) == CLASS_OFTEN)
		view->shown++;
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
 * Whether a row has more than another one for certain. Both can be wrong, but that both are at the
 * same time, each by all that it can, is as good as impossible.
 */
static bool has_more(const struct figure *row, double value, double most)
{
	return row->known && row->value > value && pow(row->value - value, 2) >
	       pow(row->value - row->least, 2) + pow(most - value, 2);
}

/* Whether the first rows, of an SMMU or of all, have more than all others for certain */
static bool are_worst(const struct view *view, const struct report_smmu *only, size_t first,
		      double bound)
{
	enum column sort = view->options.sort;
	const struct figure *row, *other;
	size_t i, j;

	for (i = 0; i < first; i++) {
		row = &view->rows[i].row->figures[sort];
		if (only && only != view->rows[i].smmu)
			continue;
		if (!has_more(row, 0, bound))
			return false;
		for (j = first; j < view->number; j++) {
			other = &view->rows[j].row->figures[sort];
			if ((!only || only == view->rows[j].smmu) &&
			    !has_more(row, other->known ? other->value : 0, other->most))
				return false;
		}
	}
	return true;
}

/*
 * The first rows are the worst of the machine, or of an SMMU, if each has more than any other
 * StreamID for certain. This is looked at for the first ten; of all rows it would say nothing.
 */
struct view_search view_search(const struct view *view, const struct report_smmu *only)
{
	enum column sort = view->options.sort;
	struct view_search search = { .known = !columns[sort].base };
	const struct report_smmu *smmu;
	const struct figure *figure;
	size_t i, all = 0, rows = 0, place = 0;
	double unseen = 0;

	for_each(smmu, view->report->smmus) {
		if (only && only != smmu)
			continue;
		search.known &= smmu->searched;
		all += smmu->rows_number;
		unseen = fmax(unseen, smmu->bounds[sort]);
	}
	for (i = 0; search.known && i < view->shown && rows < MOST_WORST; i++) {
		if (only && only != view->rows[i].smmu)
			continue;
		rows++;
		if ((rows == all && rows > 1) || !are_worst(view, only, i + 1, unseen))
			continue;
		search.worst = rows;
		place = i + 1;
	}
	search.bound = unseen;
	for (i = place; i < view->number; i++) {
		figure = &view->rows[i].row->figures[sort];
		/* A ratio that was not counted in this interval can be anything. */
		if (!only || only == view->rows[i].smmu)
			search.bound = fmax(search.bound, columns[sort].base && !figure->known ?
					    INFINITY : figure->most);
	}
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
	const struct machine *machine;
	struct series *series; /* of each row of it */
	unsigned int number;
	unsigned int next;
};

struct history *history_new(const struct machine *machine)
{
	struct history *history = zeros(1, sizeof(*history));
	const struct smmu *smmu;
	size_t rows = 0;

	history->machine = machine;
	for_each(smmu, machine->smmus)
		rows += smmu->rows_number;
	history->series = zeros(rows, sizeof(*history->series));
	return history;
}

void history_free(struct history *history)
{
	if (history)
		free(history->series);
	free(history);
}

static struct series *series_of(const struct history *history, const struct row *row)
{
	const struct smmu *smmu = history->machine->smmus;
	struct series *series = history->series;

	for (; smmu != row->smmu; smmu++)
		series += smmu->rows_number;
	return series + (row - row->smmu->rows);
}

void history_add(struct history *history, const struct report *report)
{
	const struct report_smmu *smmu;
	const struct report_row *row;
	const struct figure *figure;
	enum column column;

	history->next = (history->next + 1) % HISTORY_LENGTH;
	history->number += history->number < HISTORY_LENGTH;
	for_each(smmu, report->smmus) {
		for_each(row, smmu->rows) {
			for (column = 0; column < COLUMNS; column++) {
				figure = &row->figures[column];
				series_of(history, row->row)->values[column][history->next] =
					figure->known ? figure->value : 0;
			}
		}
	}
}

static double past_value(const struct history *history, const struct row *row, enum column column,
			 unsigned int age)
{
	const struct series *series = series_of(history, row);

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
