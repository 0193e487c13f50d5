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
	const struct report *report = view->report;
	const struct smmu *smmu;
	size_t i, streams = 0;
	enum column column;

	memset(others, 0, COLUMNS * sizeof(*others));
	for (i = 0; i < report->smmus_number; i++) {
		if (only && only != &report->smmus[i])
			continue;
		streams += report->machine->smmus[report->smmus[i].smmu].streams_number;
		for (column = 0; column < COLUMNS; column++)
			figure_add(&others[column], &report->smmus[i].total[column],
				   columns[column].base);
	}
	for (i = 0; i < view->shown; i++) {
		if (only && only != view->rows[i].smmu)
			continue;
		smmu = &report->machine->smmus[view->rows[i].smmu->smmu];
		streams -= smmu->rows[view->rows[i].row->row].number;
		for (column = 0; column < COLUMNS; column++)
			figure_take(&others[column], &view->rows[i].row->figures[column],
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

/* A row that was not one of the worst when the interval began may be so now by chance. */
static double rank_of(const struct view_row *row, enum column column, enum column sort)
{
	const struct figure *figure = &row->row->figures[column];

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
	/* Chosen rows come first. */
	while (view->shown < view->candidates && is_chosen(&view->rows[view->shown], options->sort))
		view->shown++;
	if (!view->shown || !options->only_chosen)
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
	return columns[column].base && !figure->known ? INFINITY : figure->most;
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

struct past_row {
	struct figure figures[COLUMNS]; /* sums over all intervals */
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

static void add_figures(struct history *history, struct past_row *row,
			const struct figure *figures)
{
	struct figure figure;
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		figure = figures[column];
		if (!figure.known)
			continue;
		/* What has no error may be twice as much, or nothing. */
		figure.variance += figure.vague * figure.vague;
		figure.vague = 0;
		figure.late = false;
		figure_add(&row->figures[column], &figure, true);
		row->values[column][history->next] = figure.value;
	}
}

void history_add(struct history *history, const struct report *report)
{
	const struct report_smmu *smmu;
	struct past_row *rows;
	unsigned int column;
	size_t i, j;

	history->seconds += report->interval / 1e9;
	history->next = (history->next + 1) % HISTORY_LENGTH;
	history->number += history->number < HISTORY_LENGTH;
	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		rows = history->smmus[smmu->smmu];
		for (j = 0; j <= history->machine->smmus[smmu->smmu].rows_number; j++)
			for (column = 0; column < COLUMNS; column++)
				rows[j].values[column][history->next] = 0;
		add_figures(history, &rows[j - 1], smmu->total);
		for (j = 0; j < smmu->rows_number; j++) {
			add_figures(history, &rows[smmu->rows[j].row], smmu->rows[j].figures);
			rows[smmu->rows[j].row].tbus |= smmu->rows[j].tbus;
		}
	}
}

static bool take_figures(struct figure figures[COLUMNS], const struct past_row *row)
{
	bool known = false;
	unsigned int i;

	memcpy(figures, row->figures, sizeof(row->figures));
	for (i = 0; i < COLUMNS; i++)
		known |= figures[i].known;
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
			smmu->rows_number += take_figures(smmu->rows[smmu->rows_number].figures,
							  &history->smmus[smmu->smmu][j]);
		}
		take_figures(smmu->total, &history->smmus[smmu->smmu][rows]);
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
