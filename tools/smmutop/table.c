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

/* Fields with the highest ranks are left out first where the screen is narrow. */
#define RANK_SORT	0
#define RANK_DEVICE	1
#define RANK_NAME	2
/* Names get what they want after the ratio and before walks. */
#define RANK_WANTED	6
#define RANK_LAST	(RANK_OPTIONAL + 4)

struct table_field {
	unsigned int id;
	const char *title;
	unsigned int rank;
	unsigned int least; /* how many columns of the screen it needs */
	unsigned int wanted; /* how many it gets, if it needs them, before what is less important */
	unsigned int width; /* how many it gets, with a blank before it; 0: it is not shown */
};

static const struct table_field texts[] = {
	{ .id = TEXT_DEVICE, .title = "DEVICE", .rank = RANK_DEVICE, .least = 12 },
	{ .id = TEXT_NAME, .title = "NAME", .rank = RANK_NAME, .least = 9, .wanted = 17 },
	{ .id = FIELD_SMMU, .title = "SMMU", .rank = 6, .least = 9 },
	{ .id = TEXT_STREAM, .title = "STREAMID", .rank = RANK_OPTIONAL + 2, .least = 9 },
	{ .id = TEXT_DRIVER, .title = "DRIVER", .rank = RANK_OPTIONAL + 3, .least = 7 },
	{ .id = TEXT_GROUP, .title = "GROUP", .rank = RANK_LAST, .least = 6 },
	{ .id = TEXT_TBU, .title = "TBU", .rank = 8, .least = 4 },
	{ .id = TEXT_DOMAIN, .title = "DOMAIN", .rank = 9, .least = 9 },
};

/* A string for each field; the device of a line that is no row is a label, below all texts. */
struct line {
	char cells[FIELDS][NAME_LENGTH];
	const struct view_row *row;
	bool rule; /* it only parts rows of two orders */
};

struct table {
	const struct view *view;
	const struct table_style *style;
	struct line *lines;
	size_t lines_number;
	struct table_field fields[FIELDS]; /* that have anything to say, from the left */
	size_t fields_number;
	unsigned int left; /* columns of the screen that no field has got yet */
	unsigned int label; /* those that all texts have got */
	double largest; /* of all values in the history of the rows that are shown */
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

/* With two digits, and all of those before the decimal point */
void format_seconds(char *buffer, size_t size, uint64_t ns)
{
	snprintf(buffer, size, ns < 99.5e9 ? "%.2g s" : "%.0f s", ns / 1e9);
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

static bool is_name(unsigned int field)
{
	return field == TEXT_DEVICE || field == TEXT_NAME || field == FIELD_SMMU;
}

static void format_figure(char *buffer, size_t size, const struct figure *figure,
			  enum column column)
{
	double value = figure->known ? column_shown(column, figure->value) : NAN;

	if (figure->known && figure->approximate) {
		*buffer++ = '~';
		size--;
	}
	if (columns[column].base && value < 999.95)
		snprintf(buffer, size, "%.1f", value);
	else
		format_number(buffer, size, value);
}

/* Without a counter group, or of one: what a TCU calls transactions are requests of its TBUs. */
static struct line *add_line(struct table *table, const struct figure *figures,
			     const struct pmcg *pmcg)
{
	struct line *line = append(table->lines, table->lines_number);
	double share = view_share(table->view, figures);
	enum column sort = table->view->options.sort, column;
	double percent = 100 * figures[sort].error / figures[sort].value;

	if (pmcg && pmcg->gone)
		return line;
	for (column = 0; column < COLUMNS; column++)
		if (!pmcg || column_is_of(column, pmcg->kind) ||
		    (column == COLUMN_TXN && figures[column].known))
			format_figure(line->cells[FIELD_COLUMNS + column], NAME_LENGTH,
				      &figures[column], column);
	if (pmcg && !column_is_of(sort, pmcg->kind))
		return line;
	snprintf(line->cells[FIELD_ERROR], NAME_LENGTH, !isfinite(percent) ? "-" :
		 percent > 999 ? ">999" : "%.0f", ceil(percent));
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
	const struct stream *first = row->row->row->streams;
	size_t number = row->row->row->streams_number;
	struct line *line = add_line(table, row->row->figures, NULL);
	unsigned int what;
	const char *text;

	line->row = row;
	for (what = 0; what < ROW_TEXTS; what++) {
		text = row_text(machine, row, what, ",");
		copy(line->cells[what], NAME_LENGTH, text[0] ? text : "-");
	}
	snprintf(line->cells[TEXT_DEVICE], NAME_LENGTH, number > 1 ? "%.40s%s+%zu" : "%.40s%s",
		 machine->devices[first->device].name, first->guessed ? "?" : "", number - 1);
	if (!strcmp(line->cells[TEXT_NAME], "-"))
		copy(line->cells[TEXT_NAME], NAME_LENGTH, line->cells[TEXT_DRIVER]);
	copy(line->cells[FIELD_SMMU], NAME_LENGTH, table->view->report->smmus_number > 1 ?
	     short_name(row->smmu->smmu->name) : "-");
}

static void add_pmcg(struct table *table, const struct report_pmcg *line)
{
	const struct pmcg *pmcg = line->pmcg;
	char *label = add_line(table, line->figures, pmcg)->cells[TEXT_DEVICE];

	if (line->running < 0.995)
		snprintf(label, NAME_LENGTH, " %.20s  in use by others %.0f%%", pmcg->label,
			 ceil(100 * (1 - line->running)));
	else
		snprintf(label, NAME_LENGTH, " %.20s%s  %s  %u counters", pmcg->label,
			 pmcg->gone ? " is gone" : "",
			 pmcg->filter_each ? "a filter each" : "one filter", pmcg->counters);
}

static void add_totals(struct table *table)
{
	const struct report *report = table->view->report;
	const struct report_smmu *smmu;
	const struct report_pmcg *pmcg;
	size_t streams;
	char *label;

	if (table->style->fold == FOLD_ALL && report->smmus_number > 1) {
		label = add_line(table, table->view->total, NULL)->cells[TEXT_DEVICE];
		snprintf(label, NAME_LENGTH, "%zu SMMUs", report->smmus_number);
		return;
	}
	for_each(smmu, report->smmus) {
		streams = smmu->smmu->streams_number;
		label = add_line(table, smmu->total, NULL)->cells[TEXT_DEVICE];
		snprintf(label, NAME_LENGTH, "%.24s  %zu StreamID%s  %.20s", smmu->smmu->name,
			 streams, streams == 1 ? "" : "s",
			 smmu->pmcgs_number ? smmu->pmcgs->pmcg->part : "");
		if (table->style->fold != FOLD_NOTHING)
			continue;
		for_each(pmcg, smmu->pmcgs)
			add_pmcg(table, pmcg);
	}
}

/* Whether any row has a text. */
static bool has_text(const struct table *table, unsigned int id)
{
	const struct line *line;

	for_each(line, table->lines)
		if (line->row && strcmp(line->cells[id], "-"))
			return true;
	return false;
}

static void add_field(struct table *table, unsigned int id, const char *title, unsigned int rank,
		      unsigned int least)
{
	table->fields[table->fields_number++] = (struct table_field){
		.id = id,
		.title = title,
		.rank = rank,
		.least = least,
	};
}

static void list_fields(struct table *table)
{
	enum column sort = table->view->options.sort, column;
	const struct table_field *text;
	const struct column_info *info;
	const struct figure *total;

	for (text = texts; text < texts + ARRAY_SIZE(texts); text++)
		if (text->id == TEXT_DEVICE || has_text(table, text->id))
			table->fields[table->fields_number++] = *text;
	for (column = 0; column < COLUMNS; column++) {
		info = &columns[column];
		total = &table->view->total[column];
		if (column == sort ||
		    (total->known && (info->rank < RANK_OPTIONAL || total->value > 0)))
			add_field(table, FIELD_COLUMNS + column, info->title,
				  column == sort ? RANK_SORT : info->rank, info->width);
		if (column == sort) {
			add_field(table, FIELD_ERROR, "+-%", RANK_DEVICE, 5);
			add_field(table, FIELD_SHARE, "SHARE", 2, 6);
		}
	}
	add_field(table, FIELD_SEEN, "SAMPLED", RANK_OPTIONAL - 1, 8);
	if (table->style->history)
		add_field(table, FIELD_HISTORY, "HISTORY", RANK_OPTIONAL + 1, 10);
}

/* Texts are as wide as the widest one. */
static unsigned int natural_width(const struct table *table, const struct table_field *field)
{
	unsigned int blank = field->id != TEXT_DEVICE, widest = field->least, width;
	const struct line *line;

	for_each(line, table->lines) {
		width = text_columns(line->cells[field->id]);
		width = (width < WIDEST ? width : WIDEST) + blank;
		if (is_text(field->id) && line->row && width > widest)
			widest = width;
	}
	return widest;
}

static void widen(struct table *table, struct table_field *field, unsigned int width)
{
	if (width > table->left)
		width = table->left;
	field->width += width;
	table->left -= width;
	table->label += is_text(field->id) ? width : 0;
}

/* What is most important gets the room it needs at least, then texts grow and others appear. */
static void choose_widths(struct table *table)
{
	unsigned int rank, more, labels = 0;
	struct table_field *field;
	struct line *line;

	table->left = table->style->width;
	for (rank = 0; rank <= RANK_OPTIONAL; rank++) {
		for_each(field, table->fields) {
			if (field->rank == rank &&
			    (field->least <= table->left || rank <= RANK_DEVICE))
				widen(table, field, field->least);
			if (rank != RANK_WANTED || field->width >= field->wanted || !field->width)
				continue;
			more = natural_width(table, field);
			more = more < field->wanted ? more : field->wanted;
			widen(table, field, more - field->width);
		}
	}
	for (rank = 0; rank <= RANK_LAST; rank++) {
		for_each(field, table->fields) {
			if (field->rank != rank)
				continue;
			more = natural_width(table, field) - field->width;
			if (field->width || more <= table->left)
				widen(table, field, more);
		}
	}
	for_each(line, table->lines)
		if (!line->row && strlen(line->cells[TEXT_DEVICE]) > labels)
			labels = strlen(line->cells[TEXT_DEVICE]);
	if (labels > table->label)
		widen(table, table->fields, labels - table->label);
	for_each(field, table->fields)
		if (field->id == FIELD_HISTORY && field->width)
			widen(table, field, HISTORY_LENGTH + 1 - field->width);
}

static void paint(struct table *table, const char *color)
{
	if (table->style->color)
		text_add_string(table->text, color);
}

static void end_line(struct text *text)
{
	while (text->length && text->data[text->length - 1] == ' ')
		text->length--;
	text_add(text, "\n");
}

static void add_blanks(struct text *text, unsigned int number)
{
	while (number--)
		text_add_string(text, " ");
}

/* Of a name that is too long, beginning and end are shown; of another text, the beginning. */
static void add_cell(struct table *table, const struct table_field *field, const char *string,
		     const char *color)
{
	bool text = is_text(field->id) || field->id == FIELD_HISTORY;
	bool left = text && field->id != TEXT_TBU;
	unsigned int width = field->width, length = text_columns(string), blanks, end;

	if (!width)
		return;
	/* "~" may take the place of the blank. */
	if (field->id != TEXT_DEVICE && (text || length < width)) {
		add_blanks(table->text, 1);
		width--;
	}
	blanks = length < width ? width - length : 0;
	if (color)
		paint(table, color);
	if (length > width && width > 4) {
		end = is_name(field->id) ? (width - 2) / 2 : 0;
		text_add_bytes(table->text, string, text_bytes(string, width - 2 - end));
		text_add(table->text, "..%s", string + text_bytes(string, length - end));
	} else {
		add_blanks(table->text, left ? 0 : blanks);
		text_add_bytes(table->text, string, text_bytes(string, width));
		add_blanks(table->text, left ? blanks : 0);
	}
	if (color)
		paint(table, NORMAL);
}

/* Of a label, what there is no room for is left out from two blanks on. */
static void add_label(struct table *table, const char *label)
{
	size_t length = strlen(label), i;

	for (i = length; i-- > 1 && length > table->label;)
		if (label[i] == ' ' && label[i - 1] == ' ')
			length = i - 1;
	if (length > table->label)
		length = table->label;
	paint(table, CYAN);
	text_add(table->text, "%-*.*s", (int)table->label, (int)length, label);
	paint(table, NORMAL);
}

static const char *color_of(const struct table *table, const struct line *line, unsigned int id)
{
	if (!line->row ||
	    (id != FIELD_COLUMNS + table->view->options.sort && id != FIELD_SHARE))
		return NULL;
	return line->row->share >= 0.5 ? RED : line->row->share >= 0.1 ? YELLOW : BOLD;
}

/* All rows have one scale. */
static void find_largest(struct table *table)
{
	const struct table_field *field;
	const struct line *line;
	double value;

	for_each(field, table->fields) {
		if (field->id != FIELD_HISTORY || !field->width)
			continue;
		for_each(line, table->lines) {
			if (!line->row)
				continue;
			value = history_largest(table->style->history, line->row->row->row,
						table->view->options.sort, field->width - 1);
			table->largest = fmax(table->largest, value);
		}
	}
}

static void put_rule(struct table *table)
{
	static const char label[] = "-- below: seen too seldom for an error ";
	size_t width = 0, i;
	const struct table_field *field;

	for_each(field, table->fields)
		width += field->id == FIELD_HISTORY ? 0 : field->width;
	paint(table, CYAN);
	for (i = 0; i < width; i++)
		text_add_bytes(table->text, i < strlen(label) ? &label[i] : "-", 1);
	paint(table, NORMAL);
	end_line(table->text);
}

static void put_line(struct table *table, const struct line *line)
{
	struct text bars = { .data = NULL };
	const struct table_field *field;

	if (line->rule) {
		put_rule(table);
		return;
	}
	if (!line->row)
		add_label(table, line->cells[TEXT_DEVICE]);
	for_each(field, table->fields) {
		if (!line->row && is_text(field->id))
			continue;
		if (field->id == FIELD_HISTORY && field->width && line->row)
			history_bars(table->style->history, &bars, line->row->row->row,
				     table->view->options.sort, field->width - 1,
				     table->largest, table->style->utf8);
		add_cell(table, field, bars.data ? bars.data : line->cells[field->id],
			 color_of(table, line, field->id));
	}
	end_line(table->text);
	text_free(&bars);
}

static void add_others(struct table *table, const struct figure *others, size_t streams)
{
	char *label = add_line(table, others, NULL)->cells[TEXT_DEVICE];

	if (streams)
		snprintf(label, NAME_LENGTH, "others %zu  + no StreamID", streams);
	else
		copy(label, NAME_LENGTH, "no StreamID");
}

static void put_titles(struct table *table)
{
	const struct table_field *field;

	for_each(field, table->fields)
		add_cell(table, field, field->title,
			 field->rank == RANK_SORT ? UNDERLINED : BOLD);
	end_line(table->text);
}

static void put_status(struct table *table)
{
	const struct view *view = table->view;
	enum column sort = view->options.sort;
	struct view_search search = view_search(view, NULL);
	struct text line = { .data = NULL };
	char bound[24], interval[24], rows[40] = "row has";
	size_t whole, width;
	double most;

	if (search.worst > 1)
		snprintf(rows, sizeof(rows), "%zu rows have", search.worst);
	format_seconds(interval, sizeof(interval), view->report->interval);
	format_number(bound, sizeof(bound), column_shown(sort, search.bound));
	if (view->options.filter[0])
		text_add(&line, "%zu row%s with %s", view->shown, view->shown == 1 ? "" : "s",
			 view->options.filter);
	else if (!search.known)
		text_add_string(&line, interval);
	else if (view->total[sort].known && !(view->total[sort].value > 0) && !view->counted)
		text_add(&line, "%s: nothing was counted", columns[sort].title);
	else if (!search.worst)
		text_add(&line, "which row has the most is not certain");
	else
		text_add(&line, "the first %s the most", rows);
	whole = line.length;
	/* It says nothing if the first rows do not have more, or half of all is not more. */
	most = search.worst ? view->rows[search.worst - 1].row->figures[sort].value :
	       search.known ? view->total[sort].value / 2 : 0;
	if (!view->options.filter[0] && search.worst < view->streams && search.bound < most)
		text_add(&line, ", %s of %zu StreamIDs over %s/s",
			 search.worst ? "no other" : "none", view->streams, bound);
	else
		text_add(&line, "; %zu StreamID%s", view->streams, view->streams == 1 ? "" : "s");
	width = text_bytes(line.data, table->style->width);
	if (width < line.length && width > whole)
		width = whole;
	paint(table, search.worst || !search.known ? GREEN : YELLOW);
	text_add_bytes(table->text, line.data, width);
	paint(table, NORMAL);
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

	add_totals(&table);
	above = TABLE_HEAD + table.lines_number;
	for (i = 0; i < view->shown; i++) {
		if (i == view->judged && i)
			append(table.lines, table.lines_number)->rule = true;
		add_row(&table, &view->rows[i]);
	}
	/* A difference of much that may be 0 says nothing where no StreamID is left. */
	if (left || others[view->options.sort].least > 0)
		add_others(&table, others, left);
	list_fields(&table);
	choose_widths(&table);
	find_largest(&table);
	put_status(&table);
	put_titles(&table);
	for_each(line, table.lines)
		put_line(&table, line);
	free(table.lines);
	return above;
}
