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

/**
 * enum field_name - columns of the screen
 */
enum field_name {
	FIELD_DEVICE,
	FIELD_NAME,
	FIELD_TBU,
	FIELD_DOMAIN,
	FIELD_TXN,
	FIELD_MISS,
	FIELD_ERROR,
	FIELD_MISS_RATIO,
	FIELD_WALK,
	FIELD_WALK_RATIO,
	FIELD_CFG,
	FIELD_ATS,
	FIELD_SEEN,
	FIELDS
};

/**
 * struct table_field - a column of the screen
 * @title: in the head
 * @width: with the blank before it; that of the first one has none
 * @drop: fields with the highest number are left out first where the screen is too narrow
 * @left: the text is aligned to the left
 * @column: what it shows, or -1
 */
static const struct table_field {
	const char *title;
	unsigned int width;
	unsigned int drop;
	bool left;
	int column;
} fields[FIELDS] = {
	[FIELD_DEVICE] = { "DEVICE", 12, 0, true, -1 },
	[FIELD_NAME] = { "NAME", 9, 5, true, -1 },
	[FIELD_TBU] = { "TBU", 4, 8, false, -1 },
	[FIELD_DOMAIN] = { "DOM", 6, 9, true, -1 },
	[FIELD_TXN] = { "TXN/s", 6, 4, false, COLUMN_TXN },
	[FIELD_MISS] = { "MISS/s", 7, 1, false, COLUMN_MISS },
	[FIELD_ERROR] = { "+-%", 5, 2, false, -1 },
	[FIELD_MISS_RATIO] = { "MISS%", 6, 3, false, COLUMN_MISS_RATIO },
	[FIELD_WALK] = { "WALK/s", 7, 7, false, COLUMN_WALK },
	[FIELD_WALK_RATIO] = { "ACC/W", 6, 10, false, COLUMN_WALK_RATIO },
	[FIELD_CFG] = { "CFG/s", 6, 11, false, COLUMN_CFG },
	[FIELD_ATS] = { "ATS/s", 7, 12, false, COLUMN_ATS },
	[FIELD_SEEN] = { "SEEN", 5, 6, false, -1 },
};

static bool has_ats(const struct report *report)
{
	const struct figure *figure;
	size_t i;

	for (i = 0; i < report->smmus_number; i++) {
		figure = &report->smmus[i].total[COLUMN_ATS];
		if (figure->known && figure->rate.value > 0)
			return true;
	}
	return false;
}

/* The column that rows are sorted by is never left out. */
static unsigned int choose_fields(const struct report *report, unsigned int width)
{
	unsigned int chosen = (1U << FIELDS) - 1, used = 0, field, worst;

	if (!has_ats(report) && report->sort != COLUMN_ATS)
		chosen &= ~(1U << FIELD_ATS);
	for (field = 0; field < FIELDS; field++)
		used += chosen & 1U << field ? fields[field].width : 0;
	while (used > width) {
		worst = FIELD_DEVICE;
		for (field = 0; field < FIELDS; field++)
			if (chosen & 1U << field && fields[field].drop > fields[worst].drop &&
			    fields[field].column != (int)report->sort)
				worst = field;
		if (worst == FIELD_DEVICE)
			break;
		chosen &= ~(1U << worst);
		used -= fields[worst].width;
	}
	return chosen;
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

static void add_field(struct text *text, unsigned int chosen, enum field_name field,
		      const char *string)
{
	unsigned int width = fields[field].width, blank = field != FIELD_DEVICE;

	if (!(chosen & 1U << field))
		return;
	/* "~" or "*" may take the place of the blank. */
	if (blank && (fields[field].left || text_columns(string) < width)) {
		text_add(text, " ");
		width--;
	}
	add_text(text, string, width, fields[field].left);
}

static void format_figure(char *buffer, size_t size, const struct figure *figure,
			  enum column column)
{
	double value = figure->rate.value;
	char number[24];

	if (!figure->known) {
		copy(buffer, size, "-");
		return;
	}
	if (column == COLUMN_MISS_RATIO)
		snprintf(number, sizeof(number), "%.1f", 100 * value);
	else if (column == COLUMN_WALK_RATIO)
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

static void add_columns(struct text *text, unsigned int chosen, const struct figure *figures,
			const struct report *report, bool bursty)
{
	unsigned int field;
	char buffer[32];

	for (field = FIELD_TXN; field < FIELD_SEEN; field++) {
		if (field == FIELD_ERROR)
			format_error(buffer, sizeof(buffer), &figures[report->sort], bursty);
		else
			format_figure(buffer, sizeof(buffer), &figures[fields[field].column],
				      fields[field].column);
		add_field(text, chosen, field, buffer);
	}
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

static void add_row(struct text *text, unsigned int chosen, const struct report *report,
		    const struct report_smmu *smmu, const struct report_row *row)
{
	const struct smmu *whole = &report->machine->smmus[smmu->smmu];
	const struct row *streams = &whole->rows[row->row];
	const struct stream *first = &whole->streams[streams->first];
	const struct device *device = &report->machine->devices[first->device];
	char buffer[2 * NAME_LENGTH];
	struct text tbus = { .data = NULL };

	snprintf(buffer, sizeof(buffer), "%s%s", device->name, first->guessed ? "?" : "");
	if (streams->number > 1)
		snprintf(buffer, sizeof(buffer), "%.7s%s+%zu", device->name +
			 (strlen(device->name) > 7 ? strlen(device->name) - 7 : 0),
			 first->guessed ? "?" : "", streams->number - 1);
	add_field(text, chosen, FIELD_DEVICE, buffer);
	add_field(text, chosen, FIELD_NAME,
		  device->names[0] ? device->names : device->driver[0] ? device->driver : "-");
	row_tbus(&tbus, row, ",");
	add_field(text, chosen, FIELD_TBU, tbus.length ? tbus.data : "-");
	text_free(&tbus);
	add_field(text, chosen, FIELD_DOMAIN, short_domain(device->domain));
	add_columns(text, chosen, row->figures, report, row->bursty);
	snprintf(buffer, sizeof(buffer), "%.0f%%", 100 * row->seen);
	add_field(text, chosen, FIELD_SEEN, buffer);
	end_line(text);
}

static void add_head(struct text *text, unsigned int chosen)
{
	unsigned int field;

	for (field = 0; field < FIELDS; field++)
		add_field(text, chosen, field, fields[field].title);
	end_line(text);
}

static void add_others(struct text *text, unsigned int chosen, const struct report *report,
		       const struct report_smmu *smmu)
{
	const struct figure *total = &smmu->total[report->sort];
	unsigned int field, width = 0;
	char buffer[64];

	for (field = 0; field < FIELD_TXN; field++)
		width += chosen & 1U << field ? fields[field].width : 0;
	snprintf(buffer, sizeof(buffer), "others %zu + no StreamID", smmu->others_streams);
	if (width < strlen(buffer))
		snprintf(buffer, sizeof(buffer), "others %zu", smmu->others_streams);
	add_text(text, buffer, width, true);
	add_columns(text, chosen, smmu->others, report, false);
	snprintf(buffer, sizeof(buffer), "%.0f%%",
		 total->known && !total->old ? 100 * total->rate.seen : 0);
	add_field(text, chosen, FIELD_SEEN, buffer);
	end_line(text);
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
	add_rate(text, &line->figures[EVENT_TRANSACTION], "txn/s", 7);
	add_rate(text, &line->figures[EVENT_TLB_MISS], "miss/s", 6);
	if (line->miss_ratio.known)
		text_add(text, " %4.1f%%", 100 * line->miss_ratio.rate.value);
}

/* What walks tables. */
static void make_right(struct text *text, const struct report_pmcg *line, const struct pmcg *pmcg)
{
	add_text(text, pmcg->label, 4, true);
	if (pmcg->kind == KIND_TCU)
		add_rate(text, &line->figures[EVENT_TRANSACTION], "req/s", 6);
	add_rate(text, &line->figures[EVENT_TLB_MISS], "walk/s", 7);
	if (line->walk_ratio.known)
		text_add(text, " %4.1f/walk", line->walk_ratio.rate.value);
}

static void make_search(struct text *text, const struct report *report,
			const struct search_summary *search, size_t others)
{
	const char *unit = columns[report->sort].base ? "" : "/s";
	double bound = search->bound;
	char number[24];

	if (report->sort == COLUMN_MISS_RATIO) {
		bound *= 100;
		unit = "%";
	}
	if (!search->known)
		return;
	format_number(number, sizeof(number), bound);
	if (!search->complete)
		text_add(text, "%s: not all StreamIDs are known yet",
			 search->turns ? "turns" : "search");
	else if (!others)
		text_add(text, "each StreamID was counted");
	else if (isfinite(bound))
		text_add(text, "%s complete: no other above %s%s",
			 search->turns ? "turns" : "search", number, unit);
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
	unsigned int chosen = choose_fields(report, width);
	const struct report_smmu *smmu;
	size_t i, j;

	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		if (i)
			text_add(text, "\n");
		add_smmu_head(text, report, smmu, width);
		text_add(text, "\n");
		add_head(text, chosen);
		for (j = 0; j < smmu->rows_number; j++) {
			if (rows)
				*rows++ = text->length;
			add_row(text, chosen, report, smmu, &smmu->rows[j]);
		}
		add_others(text, chosen, report, smmu);
	}
}
