// SPDX-License-Identifier: GPL-2.0
/*
 * A report as a table for people.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output.h"

/* Width of the left half of the lines about counter groups. */
#define LEFT_HALF	40

/* Prints a number that is not negative with three digits and a unit. */
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
		snprintf(buffer, size, "%.3g", number);
		return;
	}
	digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
	snprintf(buffer, size, "%.*f%c", digits, number, units[unit]);
}

void format_time(char *buffer, size_t size, double seconds, const char *format)
{
	time_t whole = seconds;
	struct tm parts;

	if (!localtime_r(&whole, &parts) || !strftime(buffer, size, format, &parts))
		copy(buffer, size, "");
}

/* The fields of a line: texts, and then the columns. */
enum {
	FIELD_DEVICE,
	FIELD_NAME,
	FIELD_TBU,
	FIELD_DOMAIN,
	FIELD_ERROR,
	FIELD_SEEN,
	TEXTS,
	FIELDS = TEXTS + COLUMNS
};

static const struct head texts[TEXTS] = {
	[FIELD_DEVICE] = { "DEVICE", 12, 0, true },
	[FIELD_NAME] = { "NAME", 9, 5, true },
	[FIELD_TBU] = { "TBU", 4, 8, false },
	[FIELD_DOMAIN] = { "DOM", 6, 9, true },
	[FIELD_ERROR] = { "+-%", 5, 2, false },
	[FIELD_SEEN] = { "SEEN", 5, 6, false },
};

/* The fields that a line has, from the left. */
struct layout {
	unsigned int fields[FIELDS];
	unsigned int number;
};

static const struct head *head_of(unsigned int field)
{
	return field < TEXTS ? &texts[field] : &columns[field - TEXTS].head;
}

static bool was_counted(const struct report *report, enum column column)
{
	size_t i;

	for (i = 0; i < report->smmus_number; i++)
		if (report->smmus[i].total[column].known &&
		    report->smmus[i].total[column].rate.value > 0)
			return true;
	return false;
}

/* The column that rows are sorted by is never left out. */
static struct layout choose_fields(const struct report *report, unsigned int width)
{
	struct layout layout = {
		.fields = { FIELD_DEVICE, FIELD_NAME, FIELD_TBU, FIELD_DOMAIN },
		.number = 4,
	};
	unsigned int column, worst, used = 0, i;

	for (column = 0; column < COLUMNS; column++) {
		if (!columns[column].optional || column == report->sort ||
		    was_counted(report, column))
			layout.fields[layout.number++] = TEXTS + column;
		if (column == DEFAULT_SORT)
			layout.fields[layout.number++] = FIELD_ERROR;
	}
	layout.fields[layout.number++] = FIELD_SEEN;
	for (i = 0; i < layout.number; i++)
		used += head_of(layout.fields[i])->width;
	while (used > width) {
		worst = 0;
		for (i = 1; i < layout.number; i++)
			if (head_of(layout.fields[i])->drop > head_of(layout.fields[worst])->drop &&
			    layout.fields[i] != TEXTS + report->sort)
				worst = i;
		if (!worst)
			break;
		used -= head_of(layout.fields[worst])->width;
		layout.number--;
		for (i = worst; i < layout.number; i++)
			layout.fields[i] = layout.fields[i + 1];
	}
	return layout;
}

/* At most so many columns, and exactly these if it is padded. */
static void add_text(struct text *text, const char *string, unsigned int width, bool left)
{
	unsigned int length = text_columns(string);

	if (length > width)
		text_add(text, "%.*s", (int)width, string);
	else if (left)
		text_add(text, "%s%*s", string, (int)(width - length), "");
	else
		text_add(text, "%*s%s", (int)(width - length), "", string);
}

static void end_line(struct text *text)
{
	while (text->length && text->data[text->length - 1] == ' ')
		text->length--;
	text_add(text, "\n");
}

static void add_field(struct text *text, unsigned int field, const char *string)
{
	const struct head *head = head_of(field);
	unsigned int width = head->width;

	/* "~" or "*" may take the place of the blank. */
	if (field != FIELD_DEVICE && (head->left || text_columns(string) < width)) {
		text_add(text, " ");
		width--;
	}
	add_text(text, string, width, head->left);
}

static void format_figure(char *buffer, size_t size, const struct figure *figure,
			  enum column column)
{
	double value = column_shown(column, figure->rate.value);
	char number[24];

	if (!figure->known) {
		copy(buffer, size, "-");
		return;
	}
	if (columns[column].base)
		snprintf(number, sizeof(number), "%.1f", value);
	else
		format_number(number, sizeof(number), value);
	snprintf(buffer, size, "%s%s", figure->approximate ? "~" : figure->old ? "*" : "", number);
}

static void format_error(char *buffer, size_t size, const struct figure *figure, bool bursty)
{
	double percent = 100 * figure->rate.error / figure->rate.value;

	if (!figure->known || isnan(percent))
		copy(buffer, size, "-");
	else if (percent > 999)
		copy(buffer, size, ">999");
	else
		snprintf(buffer, size, "%.0f%s", ceil(percent), bursty ? "!" : "");
}

/* The fields of a line from one of them on, with these texts. */
static void add_fields(struct text *text, const struct layout *layout, unsigned int first,
		       const char * const *strings, const struct figure *figures)
{
	unsigned int i, field;
	char buffer[32];

	for (i = first; i < layout->number; i++) {
		field = layout->fields[i];
		if (field >= TEXTS)
			format_figure(buffer, sizeof(buffer), &figures[field - TEXTS],
				      field - TEXTS);
		add_field(text, field, field < TEXTS ? strings[field] : buffer);
	}
	end_line(text);
}

/* "1" for TBU1, "0,1" for both, nothing where none is known. */
void row_tbus(struct text *text, const struct report_row *row, const char *separator)
{
	unsigned int tbu;

	for (tbu = 0; tbu < 64; tbu++)
		if (row->tbus & 1ULL << tbu)
			text_add(text, "%s%u", text->length ? separator : "", tbu);
}

void row_stream_ids(struct text *text, const struct machine *machine,
		    const struct report_smmu *report, const struct report_row *row,
		    const char *separator)
{
	const struct smmu *smmu = &machine->smmus[report->smmu];
	const struct row *streams = &smmu->rows[row->row];
	size_t i;

	for (i = streams->first; i < streams->first + streams->number; i++)
		if (i == streams->first || smmu->streams[i].id != smmu->streams[i - 1].id)
			text_add(text, "%s0x%x", text->length ? separator : "",
				 smmu->streams[i].id);
}

static const char *short_domain(const char *domain)
{
	if (!strcmp(domain, "strict"))
		return "strct";
	if (!strcmp(domain, "identity"))
		return "ident";
	return domain[0] ? domain : "-";
}

static void add_row(struct text *text, const struct layout *layout, const struct report *report,
		    const struct report_smmu *smmu, const struct report_row *row)
{
	const struct smmu *whole = &report->machine->smmus[smmu->smmu];
	const struct row *streams = &whole->rows[row->row];
	const struct stream *first = &whole->streams[streams->first];
	const struct device *device = &report->machine->devices[first->device];
	const struct figure *sorted = &row->figures[report->sort];
	char name[2 * NAME_LENGTH], error[16], seen[16];
	struct text tbus = { .data = NULL };
	const char *strings[TEXTS] = {
		[FIELD_DEVICE] = name,
		[FIELD_NAME] = device->names[0] ? device->names :
			       device->driver[0] ? device->driver : "-",
		[FIELD_DOMAIN] = short_domain(device->domain),
		[FIELD_ERROR] = error,
		[FIELD_SEEN] = seen,
	};

	snprintf(name, sizeof(name), "%s%s", device->name, first->guessed ? "?" : "");
	if (streams->number > 1)
		snprintf(name, sizeof(name), "%.7s%s+%zu", device->name +
			 (strlen(device->name) > 7 ? strlen(device->name) - 7 : 0),
			 first->guessed ? "?" : "", streams->number - 1);
	row_tbus(&tbus, row, ",");
	strings[FIELD_TBU] = tbus.length ? tbus.data : "-";
	format_error(error, sizeof(error), sorted, row_is_bursty(row));
	snprintf(seen, sizeof(seen), "%.0f%%", 100 * figure_seen(sorted));
	add_fields(text, layout, 0, strings, row->figures);
	text_free(&tbus);
}

static void add_head(struct text *text, const struct layout *layout)
{
	unsigned int i;

	for (i = 0; i < layout->number; i++)
		add_field(text, layout->fields[i], head_of(layout->fields[i])->title);
	end_line(text);
}

static void add_others(struct text *text, const struct layout *layout, const struct report *report,
		       const struct report_smmu *smmu)
{
	char others[64], error[16], seen[16];
	const char *strings[TEXTS] = { [FIELD_ERROR] = error, [FIELD_SEEN] = seen };
	unsigned int i, width = 0;

	for (i = 0; layout->fields[i] <= FIELD_DOMAIN; i++)
		width += texts[layout->fields[i]].width;
	snprintf(others, sizeof(others), "others %zu + no StreamID", smmu->others_streams);
	if (width < strlen(others))
		snprintf(others, sizeof(others), "others %zu", smmu->others_streams);
	add_text(text, others, width, true);
	format_error(error, sizeof(error), &smmu->others[report->sort], false);
	snprintf(seen, sizeof(seen), "%.0f%%", 100 * figure_seen(&smmu->total[report->sort]));
	add_fields(text, layout, i, strings, smmu->others);
}

static void add_rate(struct text *text, const struct figure *figure, const char *unit,
		     unsigned int width)
{
	char number[24] = "-", marked[32];

	if (figure->known)
		format_number(number, sizeof(number), figure->rate.value);
	snprintf(marked, sizeof(marked), "%s%s", figure->known && figure->old ? "*" : "", number);
	add_text(text, marked, width, false);
	text_add(text, " %s", unit);
}

/* What goes through a TBU, or all of the SMMU. */
static void make_left(struct text *text, const struct report_pmcg *line, const struct pmcg *pmcg)
{
	text_add(text, " ");
	add_text(text, pmcg->label, 5, true);
	add_rate(text, &line->figures[COLUMN_TXN], "txn/s", 7);
	add_rate(text, &line->figures[COLUMN_MISS], "miss/s", 6);
	if (line->figures[COLUMN_MISS_RATIO].known)
		text_add(text, " %4.1f%%", 100 * line->figures[COLUMN_MISS_RATIO].rate.value);
}

/* What walks tables. */
static void make_right(struct text *text, const struct report_pmcg *line, const struct pmcg *pmcg)
{
	add_text(text, pmcg->label, 4, true);
	if (pmcg->kind == KIND_TCU)
		add_rate(text, &line->figures[COLUMN_TXN], "req/s", 6);
	add_rate(text, &line->figures[COLUMN_WALK], "walk/s", 7);
	if (line->figures[COLUMN_WALK_RATIO].known)
		text_add(text, " %4.1f/walk", line->figures[COLUMN_WALK_RATIO].rate.value);
}

static void make_search(struct text *text, const struct report *report,
			const struct search_summary *search, size_t others)
{
	const struct column_info *info = &columns[report->sort];
	double bound = column_shown(report->sort, search->bound);
	char number[24];

	format_number(number, sizeof(number), bound);
	if (!search->complete)
		text_add(text, "%s: not all StreamIDs are known yet",
			 search->turns ? "turns" : "search");
	else if (!others)
		text_add(text, "each StreamID was counted");
	else if (isfinite(bound))
		text_add(text, "%s complete: no other above %s%s",
			 search->turns ? "turns" : "search", number,
			 info->percent ? "%" : info->base ? "" : "/s");
	else
		text_add(text, "%s complete", search->turns ? "turns" : "search");
}

enum half {
	LEFT,
	RIGHT
};

/* Lines with two halves. */
struct halves {
	struct text *lines[2];
	size_t number[2];
};

static struct text *add_half(struct halves *halves, enum half half)
{
	halves->lines[half] = grow(halves->lines[half], halves->number[half],
				   sizeof(*halves->lines[half]));
	return &halves->lines[half][halves->number[half]++];
}

static void make_halves(struct halves *halves, const struct report *report,
			const struct report_smmu *smmu)
{
	const struct report_pmcg *line;
	const struct pmcg *pmcg;
	size_t i;

	for (i = 0; i < smmu->pmcgs_number; i++) {
		line = &smmu->pmcgs[i];
		pmcg = &report->machine->pmcgs[line->pmcg];
		if (pmcg->gone) {
			text_add(add_half(halves, LEFT), " %-5s is gone", pmcg->label);
			continue;
		}
		if (pmcg->kind != KIND_TCU)
			make_left(add_half(halves, LEFT), line, pmcg);
		if (pmcg->kind != KIND_TBU)
			make_right(add_half(halves, RIGHT), line, pmcg);
		if (line->running < 0.995)
			text_add(add_half(halves, RIGHT), "%s: in use by others %.0f%% of the time",
				 pmcg->label, ceil(100 * (1 - line->running)));
	}
	if (smmu->search.known)
		make_search(add_half(halves, RIGHT), report, &smmu->search, smmu->others_streams);
}

/* A left half without figures is shorter than its width, and a screen may be too narrow for two. */
static void add_halves(struct text *text, struct halves *halves, unsigned int width)
{
	const size_t *number = halves->number;
	size_t i, lines = number[LEFT] > number[RIGHT] ? number[LEFT] : number[RIGHT];
	bool split = width < 2 * LEFT_HALF;
	enum half half;

	for (i = 0; i < lines; i++) {
		if (i < number[LEFT])
			add_text(text, halves->lines[LEFT][i].data, split ? width : LEFT_HALF,
				 true);
		else if (!split)
			add_text(text, "", LEFT_HALF, true);
		if (split && i < number[LEFT])
			end_line(text);
		if (!split && i < number[RIGHT])
			add_text(text, halves->lines[RIGHT][i].data, width - LEFT_HALF, true);
		if (!split)
			end_line(text);
	}
	for (i = 0; split && i < number[RIGHT]; i++) {
		text_add(text, " ");
		add_text(text, halves->lines[RIGHT][i].data, width - 1, true);
		end_line(text);
	}
	for (half = LEFT; half <= RIGHT; half++) {
		for (i = 0; i < number[half]; i++)
			text_free(&halves->lines[half][i]);
		free(halves->lines[half]);
	}
}

static void add_smmu_head(struct text *text, const struct report *report,
			  const struct report_smmu *report_smmu, unsigned int width)
{
	const struct smmu *smmu = &report->machine->smmus[report_smmu->smmu];
	unsigned int least = 0, most = 0, each = 0;
	struct halves halves = { .number = { 0 } };
	struct text line = { .data = NULL }, counters = { .data = NULL };
	const struct pmcg *pmcg = NULL;
	size_t i;

	for (i = 0; i < report_smmu->pmcgs_number; i++) {
		pmcg = &report->machine->pmcgs[report_smmu->pmcgs[i].pmcg];
		each += pmcg->filter_each;
		if (!i || pmcg->counters < least)
			least = pmcg->counters;
		if (pmcg->counters > most)
			most = pmcg->counters;
	}
	text_add(&line, "%s", smmu->name);
	if (pmcg && pmcg->part[0])
		text_add(&line, "  %s", pmcg->part);
	text_add(&line, "  %zu StreamID%s", smmu->streams_number,
		 smmu->streams_number == 1 ? "" : "s");
	text_add(&counters, "%s, %u", each == i ? "filter per counter" :
		 each ? "some with one filter" : "one filter", least);
	if (most != least)
		text_add(&counters, "-%u", most);
	text_add(&counters, " counter%s", most == 1 ? "" : "s");
	if (report->slice)
		text_add(&counters, ", slices of %.0f ms", report->slice / 1e6);
	/* A line that is too long continues in the next one, rather than to be cut. */
	if (line.length + 2 + counters.length <= width) {
		text_add(&line, "  %s", counters.data);
		add_text(text, line.data, width, true);
	} else {
		add_text(text, line.data, width, true);
		end_line(text);
		text_add(text, " ");
		add_text(text, counters.data, width - 1, true);
	}
	end_line(text);
	text_free(&line);
	text_free(&counters);
	make_halves(&halves, report, report_smmu);
	add_halves(text, &halves, width);
}

/* Writes a report as a table; if @rows is given, where the line of each row begins in the text. */
void output_table(struct text *text, const struct report *report, unsigned int width,
		  size_t *rows)
{
	struct layout layout = choose_fields(report, width);
	const struct report_smmu *smmu;
	size_t i, j;

	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		if (i)
			text_add(text, "\n");
		add_smmu_head(text, report, smmu, width);
		text_add(text, "\n");
		add_head(text, &layout);
		for (j = 0; j < smmu->rows_number; j++) {
			if (rows)
				*rows++ = text->length;
			add_row(text, &layout, report, smmu, &smmu->rows[j]);
		}
		add_others(text, &layout, report, smmu);
	}
}
