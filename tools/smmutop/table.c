// SPDX-License-Identifier: GPL-2.0
/*
 * A report as a table for people: what is known of the order, the titles, the totals, the rows in
 * one order across all SMMUs, and the others.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output.h"

/* No text is wider, however much room there is. */
#define WIDEST		40
#define LAST_RANK	16

#define NORMAL		"\033[m"
#define BOLD		"\033[1m"
#define UNDERLINED	"\033[1;4m"
#define RED		"\033[1;31m"
#define YELLOW		"\033[33m"
#define GREEN		"\033[32m"
#define CYAN		"\033[36m"

/* The fields of a line: what rows are called, what is told of the order, and the columns. */
enum {
	FIELD_SMMU = ROW_TEXTS,
	FIELD_ERROR,
	FIELD_SHARE,
	FIELD_SEEN,
	FIELD_HISTORY,
	FIELD_COLUMNS,
	FIELDS = FIELD_COLUMNS + COLUMNS
};

static const struct row_text_info more_texts[FIELD_COLUMNS - ROW_TEXTS] = {
	{ "SMMU", 9, 6, NULL, NULL },
	{ "+-%", 5, 2, NULL, NULL },
	{ "SHARE", 6, 3, NULL, NULL },
	{ "SEEN", 5, 6, NULL, NULL },
	{ "HISTORY", 10, RANK_OPTIONAL + 1, NULL, NULL },
};

struct line {
	char cells[FIELDS][NAME_LENGTH]; /* a string for each field */
	/* Stands in place of what rows are called, "" for rows; parts with tabs between them */
	char label[2 * NAME_LENGTH];
	const struct view_row *row;
	const struct figure *figures;
};

struct table {
	const struct view *view;
	const struct table_style *style;
	struct line *lines;
	size_t lines_number;
	unsigned int fields[FIELDS]; /* those that are shown, from the left */
	unsigned int fields_number;
	unsigned int widths[FIELDS]; /* of each field, 0 if it is not shown */
	unsigned int left; /* columns of the screen that no field has got yet */
	struct text *text;
};

/* Prints a number that is not negative with three digits at most and a unit. */
void format_number(char *buffer, size_t size, double number)
{
	static const char units[] = "kMGTPE";
	int unit = -1, digits;

	if (!isfinite(number)) {
		copy(buffer, size, "-");
		return;
	}
	/* 999.5 has four digits when it is rounded. */
	while (number >= 999.5 && unit < 5) {
		number /= 1000;
		unit++;
	}
	if (unit < 0) {
		snprintf(buffer, size, number > 0 && number < 0.995 ? "%.2f" : "%.3g", number);
		return;
	}
	digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
	snprintf(buffer, size, "%.*f%c", digits, number, units[unit]);
}

/* With three digits, and all of those before the decimal point */
void format_seconds(char *buffer, size_t size, uint64_t ns)
{
	snprintf(buffer, size, ns < 999.5e9 ? "%.3g s" : "%.0f s", ns / 1e9);
}

void format_time(char *buffer, size_t size, double seconds)
{
	time_t whole = seconds;
	struct tm parts;

	if (!localtime_r(&whole, &parts) || !strftime(buffer, size, "%H:%M:%S", &parts))
		copy(buffer, size, "");
}

/* Counter groups are shown where there is one SMMU. */
enum fold default_fold(const struct report *report)
{
	return report->smmus_number == 1 ? FOLD_NOTHING : FOLD_SMMUS;
}

static bool is_text(unsigned int field)
{
	return field <= FIELD_SMMU;
}

static struct row_text_info field_info(unsigned int field)
{
	const struct column_info *info;

	if (field < ROW_TEXTS)
		return row_texts[field];
	if (field < FIELD_COLUMNS)
		return more_texts[field - ROW_TEXTS];
	info = &columns[field - FIELD_COLUMNS];
	return (struct row_text_info){ info->title, info->width, info->rank, NULL, NULL };
}

static void format_figure(char *buffer, size_t size, const struct figure *figure,
			  enum column column)
{
	double value = column_shown(column, figure->value);

	buffer[0] = figure->known ? '~' : '-';
	if (!figure->known || figure->approximate) {
		buffer++;
		size--;
	}
	buffer[0] = '\0';
	if (figure->known && columns[column].base && value < 999.95)
		snprintf(buffer, size, "%.1f", value);
	else if (figure->known)
		format_number(buffer, size, value);
}

static void format_error(char *buffer, size_t size, const struct figure *figure)
{
	double percent = 100 * figure->error / figure->value;

	if (!figure->known || !isfinite(percent))
		copy(buffer, size, "-");
	else if (percent > 999)
		copy(buffer, size, ">999");
	else
		snprintf(buffer, size, "%.0f", ceil(percent));
}

static struct line *add_line(struct table *table, const struct figure *figures, const char *label)
{
	const struct view *view = table->view;
	enum column sort = view->options.sort;
	struct line *line;
	unsigned int column;
	double share;

	line = append(table->lines, table->lines_number);
	line->figures = figures;
	snprintf(line->label, sizeof(line->label), "%s", label);
	for (column = 0; column < COLUMNS; column++)
		format_figure(line->cells[FIELD_COLUMNS + column], NAME_LENGTH, &figures[column],
			      column);
	format_error(line->cells[FIELD_ERROR], NAME_LENGTH, &figures[sort]);
	share = view_share(view, figures);
	if (share >= 0)
		snprintf(line->cells[FIELD_SHARE], NAME_LENGTH, "%.0f%%", 100 * share);
	snprintf(line->cells[FIELD_SEEN], NAME_LENGTH, "%.0f%%", 100 * figures[sort].seen);
	return line;
}

/* "smmu3.2b400000" is "2b400000" where there is little room. */
static const char *short_name(const char *smmu)
{
	const char *point = strchr(smmu, '.');

	return point ? point + 1 : smmu;
}

/* The device is the first one of those that filters cannot tell apart. */
static void add_row(struct table *table, const struct view_row *row)
{
	const struct machine *machine = table->view->report->machine;
	const struct row *streams = row->row->row;
	struct line *line = add_line(table, row->row->figures, "");
	const char *text;
	unsigned int what;
	char *device;

	line->row = row;
	for (what = 0; what < ROW_TEXTS; what++) {
		text = row_text(machine, row, what, ",");
		copy(line->cells[what], NAME_LENGTH, text[0] ? text : "-");
	}
	device = line->cells[TEXT_DEVICE];
	snprintf(device, NAME_LENGTH, "%.50s%s", machine->devices[streams->streams->device].name,
		 streams->streams->guessed ? "?" : "");
	if (streams->streams_number > 1)
		snprintf(device + strlen(device), NAME_LENGTH - strlen(device), "+%zu",
			 streams->streams_number - 1);
	if (!strcmp(line->cells[TEXT_NAME], "-"))
		copy(line->cells[TEXT_NAME], NAME_LENGTH, line->cells[TEXT_DRIVER]);
	copy(line->cells[FIELD_SMMU], NAME_LENGTH, short_name(row->smmu->smmu->name));
}

/* What a TCU calls transactions are requests of its TBUs. */
static void add_pmcg(struct table *table, const struct report_pmcg *line)
{
	static const unsigned int of_sort[] = { FIELD_ERROR, FIELD_SHARE, FIELD_SEEN };
	const struct pmcg *pmcg = line->pmcg;
	char label[NAME_LENGTH + 64];
	unsigned int column, i;
	struct line *added;

	snprintf(label, sizeof(label), " %s%s\t%s\t%u counters", pmcg->label,
		 pmcg->gone ? " is gone" : "", pmcg->filter_each ? "a filter each" : "one filter",
		 pmcg->counters);
	if (line->running < 0.995)
		snprintf(label, sizeof(label), " %s\tin use by others %.0f%%", pmcg->label,
			 ceil(100 * (1 - line->running)));
	added = add_line(table, line->figures, label);
	for (column = 0; column < COLUMNS; column++)
		if (pmcg->gone || (!column_is_of(column, pmcg->kind) &&
				   !(column == COLUMN_TXN && line->figures[column].known)))
			added->cells[FIELD_COLUMNS + column][0] = '\0';
	for (i = 0; i < ARRAY_SIZE(of_sort); i++)
		if (pmcg->gone || !column_is_of(table->view->options.sort, pmcg->kind))
			added->cells[of_sort[i]][0] = '\0';
}

static void add_totals(struct table *table)
{
	const struct report *report = table->view->report;
	const struct report_smmu *smmu;
	const struct report_pmcg *pmcg;
	char label[2 * NAME_LENGTH];
	size_t streams;

	if (table->style->fold == FOLD_ALL && report->smmus_number > 1) {
		snprintf(label, sizeof(label), "%zu SMMUs", report->smmus_number);
		add_line(table, table->view->total, label);
		return;
	}
	for_each(smmu, report->smmus) {
		streams = smmu->smmu->streams_number;
		snprintf(label, sizeof(label), "%s\t%zu StreamID%s\t%.20s", smmu->smmu->name,
			 streams, streams == 1 ? "" : "s",
			 smmu->pmcgs_number ? smmu->pmcgs->pmcg->part : "");
		add_line(table, smmu->total, label);
		if (table->style->fold != FOLD_NOTHING)
			continue;
		for_each(pmcg, smmu->pmcgs)
			add_pmcg(table, pmcg);
	}
}

/* Whether a field has anything to say. */
static bool is_useful(const struct table *table, unsigned int field)
{
	const struct figure *total = table->view->total;
	const struct line *line;

	if (field == FIELD_HISTORY)
		return table->style->history;
	if (field == FIELD_SMMU)
		return table->view->report->smmus_number > 1;
	if (field >= FIELD_COLUMNS)
		return field - FIELD_COLUMNS == table->view->options.sort ||
		       (total[field - FIELD_COLUMNS].known &&
			(field_info(field).rank < RANK_OPTIONAL ||
			 total[field - FIELD_COLUMNS].value > 0));
	if (!is_text(field) || field == TEXT_DEVICE)
		return true;
	for_each(line, table->lines)
		if (line->row && strcmp(line->cells[field], "-"))
			return true;
	return false;
}

/* With a blank before it, where another field is before it. */
static unsigned int natural_width(const struct table *table, unsigned int field)
{
	unsigned int blank = field != TEXT_DEVICE, widest = field_info(field).width, width;
	const struct line *line;

	for_each(line, table->lines) {
		width = text_columns(line->cells[field]) + blank;
		if (line->row && width > widest)
			widest = width;
	}
	return widest > WIDEST + blank ? WIDEST + blank : widest;
}

/* What labels need: their first two parts */
static unsigned int label_width(const struct table *table)
{
	unsigned int widest = 0, length;
	const struct line *line;

	for_each(line, table->lines) {
		length = strcspn(line->label, "\t");
		length += strcspn(line->label + length + 1, "\t") + 2;
		if (strchr(line->label, '\t') && length > widest)
			widest = length;
	}
	return widest;
}

static void widen(struct table *table, unsigned int field, unsigned int width)
{
	if (width > table->left)
		width = table->left;
	table->widths[field] += width;
	table->left -= width;
}

/* What is most important gets the room it needs at least, then texts grow, then others appear. */
static void choose_widths(struct table *table)
{
	static const unsigned int growing[] = { TEXT_DEVICE, TEXT_NAME, TEXT_TBU, TEXT_DOMAIN,
						FIELD_SMMU };
	unsigned int sort = FIELD_COLUMNS + table->view->options.sort, rank, field, width = 0, i;
	const unsigned int *widths = table->widths;
	struct row_text_info info;

	table->left = table->style->width;
	widen(table, sort, field_info(sort).width);
	for (rank = 0; rank <= RANK_OPTIONAL; rank++) {
		for (field = 0; field < FIELDS; field++) {
			info = field_info(field);
			if (info.rank == rank && field != sort && is_useful(table, field) &&
			    (info.width <= table->left || !rank))
				widen(table, field, info.width);
		}
	}
	for (i = 0; i < ARRAY_SIZE(growing); i++)
		if (widths[growing[i]])
			widen(table, growing[i], natural_width(table, growing[i]) -
			      widths[growing[i]]);
	for (field = 0; is_text(field); field++)
		width += widths[field];
	if (label_width(table) > width)
		widen(table, TEXT_DEVICE, label_width(table) - width);
	for (; rank <= LAST_RANK; rank++) {
		for (field = 0; field < FIELD_COLUMNS; field++) {
			width = natural_width(table, field);
			if (field_info(field).rank == rank && width <= table->left &&
			    is_useful(table, field))
				widen(table, field, width);
		}
	}
	if (widths[FIELD_HISTORY])
		widen(table, FIELD_HISTORY, HISTORY_LENGTH + 1 - widths[FIELD_HISTORY]);
}

static void choose_fields(struct table *table)
{
	static const unsigned int first[] = { TEXT_DEVICE, TEXT_NAME, FIELD_SMMU, TEXT_STREAM,
					      TEXT_DRIVER, TEXT_GROUP, TEXT_TBU, TEXT_DOMAIN };
	unsigned int fields[FIELDS], number = 0, i;

	for (i = 0; i < ARRAY_SIZE(first); i++)
		fields[number++] = first[i];
	for (i = 0; i < COLUMNS; i++) {
		fields[number++] = FIELD_COLUMNS + i;
		if (i != table->view->options.sort)
			continue;
		fields[number++] = FIELD_ERROR;
		fields[number++] = FIELD_SHARE;
	}
	fields[number++] = FIELD_SEEN;
	fields[number++] = FIELD_HISTORY;
	choose_widths(table);
	for (i = 0; i < number; i++)
		if (table->widths[fields[i]])
			table->fields[table->fields_number++] = fields[i];
}

/* Exactly so many columns; of a string that is too long the end, which tells names apart. */
static void add_text(struct text *text, const char *string, unsigned int width, bool left)
{
	unsigned int length = text_columns(string);

	if (length > width && width > 4) {
		text_add(text, "..%s", string + text_bytes(string, length - (width - 2)));
		return;
	}
	if (length > width) {
		text_add_bytes(text, string, text_bytes(string, width));
		return;
	}
	if (!left)
		text_add(text, "%*s", (int)(width - length), "");
	text_add_bytes(text, string, strlen(string));
	if (left)
		text_add(text, "%*s", (int)(width - length), "");
}

static void end_line(struct text *text)
{
	while (text->length && text->data[text->length - 1] == ' ')
		text->length--;
	text_add(text, "\n");
}

/* "~" may take the place of the blank. */
static void add_cell(struct table *table, unsigned int field, const char *string, const char *color)
{
	bool left = is_text(field) || field == FIELD_HISTORY;
	unsigned int width = table->widths[field];

	if (field != TEXT_DEVICE && (left || text_columns(string) < width)) {
		text_add(table->text, " ");
		width--;
	}
	if (table->style->color && color)
		text_add(table->text, "%s", color);
	add_text(table->text, string, width, left && field != TEXT_TBU);
	if (table->style->color && color)
		text_add(table->text, NORMAL);
}

static const char *color_of(const struct table *table, const struct line *line, unsigned int field)
{
	enum column sort = table->view->options.sort;

	if (!line->row)
		return is_text(field) ? CYAN : NULL;
	if (field == FIELD_COLUMNS + sort || field == FIELD_SHARE)
		return line->row->share >= 0.5 ? RED : line->row->share >= 0.1 ? YELLOW : BOLD;
	return NULL;
}

/* The parts of a label that there is room for. */
static void add_label(struct table *table, const char *label, unsigned int width)
{
	struct text shown = { .data = NULL };
	size_t length;

	for (; *label; label += length + (label[length] == '\t')) {
		length = strcspn(label, "\t");
		if (!length || (shown.length && shown.length + 2 + length > width))
			continue;
		text_add(&shown, "%s%.*s", shown.length ? "  " : "", (int)length, label);
	}
	if (table->style->color)
		text_add(table->text, CYAN);
	text_add(table->text, "%-*.*s", (int)width, (int)width, shown.data ? shown.data : "");
	if (table->style->color)
		text_add(table->text, NORMAL);
	text_free(&shown);
}

static void put_line(struct table *table, const struct line *line)
{
	struct text bars = { .data = NULL };
	unsigned int i, field, width = 0;

	for (i = 0; line->label[0] && i < table->fields_number && is_text(table->fields[i]); i++)
		width += table->widths[table->fields[i]];
	if (line->label[0])
		add_label(table, line->label, width);
	for (; i < table->fields_number; i++) {
		field = table->fields[i];
		if (field == FIELD_HISTORY && line->row)
			history_bars(table->style->history, &bars, line->row->row->row,
				     table->view->options.sort, table->widths[field] - 1,
				     table->style->utf8);
		add_cell(table, field, bars.data ? bars.data : line->cells[field],
			 color_of(table, line, field));
	}
	end_line(table->text);
	text_free(&bars);
}

static void put_titles(struct table *table)
{
	const unsigned int *field;

	for_each(field, table->fields)
		add_cell(table, *field, field_info(*field).title,
			 *field == FIELD_COLUMNS + table->view->options.sort ? UNDERLINED : BOLD);
	end_line(table->text);
}

static bool has_counted(const struct view *view)
{
	const struct view_row *row = view->rows, *end = row + view->number;

	while (row < end && !(row->row->figures[view->options.sort].count > 0))
		row++;
	return row < end;
}

static void put_status(struct table *table, size_t others)
{
	const struct view *view = table->view;
	enum column sort = view->options.sort;
	const struct column_info *info = &columns[sort];
	struct view_search search = view_search(view, NULL);
	struct text line = { .data = NULL };
	char bound[24], interval[24];

	format_seconds(interval, sizeof(interval), view->report->interval);
	format_number(bound, sizeof(bound), column_shown(sort, search.bound));
	if (view->options.filter[0])
		text_add(&line, "%zu row%s with %s", view->shown, view->shown == 1 ? "" : "s",
			 view->options.filter);
	else if (!search.known)
		text_add(&line, "%s", interval);
	else if (view->total[sort].known && !(view->total[sort].value > 0) && !has_counted(view))
		text_add(&line, "nothing was counted");
	else if (!search.complete)
		text_add(&line, "not yet known which are the worst");
	else if (!others)
		text_add(&line, "each StreamID was counted");
	else
		text_add(&line, "the first %zu are the worst, no other above %s%s", search.worst,
			 bound, info->percent ? "%" : info->base ? "" : "/s");
	text_add(&line, "; %zu StreamID%s", view->streams, view->streams == 1 ? "" : "s");
	if (view->report->slice)
		text_add(&line, ", %.3g ms slices", view->report->slice / 1e6);
	if (table->style->color)
		text_add(table->text, search.complete || !search.known ? GREEN : YELLOW);
	text_add_bytes(table->text, line.data, text_bytes(line.data, table->style->width));
	if (table->style->color)
		text_add(table->text, NORMAL);
	text_add(table->text, "\n");
	text_free(&line);
}

/* Returns how many lines are above the first row. */
unsigned int output_table(struct text *text, const struct view *view,
			  const struct table_style *style)
{
	struct table table = { .view = view, .style = style, .text = text };
	struct figure others[COLUMNS];
	size_t i, left = view_others(view, NULL, others);
	const struct line *line;
	unsigned int above;
	char label[64];

	add_totals(&table);
	above = TABLE_HEAD + table.lines_number;
	for (i = 0; i < view->shown; i++)
		add_row(&table, &view->rows[i]);
	snprintf(label, sizeof(label), "others %zu\t+ no StreamID", left);
	add_line(&table, others, label);
	choose_fields(&table);
	put_status(&table, left);
	put_titles(&table);
	for_each(line, table.lines)
		put_line(&table, line);
	free(table.lines);
	return above;
}
