// SPDX-License-Identifier: GPL-2.0
/*
 * A report for programs: a JSON object in one line, lines of CSV, or the text format 0.0.4 of
 * Prometheus. The keys are documented in Documentation/admin-guide/smmutop.rst.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

/* JSON and Prometheus quote the same way: names have no control characters. */
static void add_string(struct text *text, const char *string)
{
	text_add(text, "\"");
	for (; *string; string++) {
		if (*string == '"' || *string == '\\')
			text_add(text, "\\");
		text_add_bytes(text, string, 1);
	}
	text_add(text, "\"");
}

static void add_key(struct text *text, const char *key)
{
	if (text->data[text->length - 1] != '{')
		text_add(text, ",");
	text_add(text, "\"%s\":", key);
}

static void add_number(struct text *text, const char *key, double number)
{
	add_key(text, key);
	if (isfinite(number))
		text_add(text, "%.9g", number);
	else
		text_add(text, "null");
}

static void add_count(struct text *text, const char *key, uint64_t count)
{
	add_key(text, key);
	text_add(text, "%" PRIu64, count);
}

static void add_bool(struct text *text, const char *key, bool value)
{
	add_key(text, key);
	text_add(text, value ? "true" : "false");
}

static void add_text_of(struct text *text, const char *key, const char *string)
{
	add_key(text, key);
	add_string(text, string);
}

static void begin_element(struct text *text)
{
	text_add(text, text->data[text->length - 1] == '[' ? "{" : ",{");
}

static void add_figure(struct text *text, enum column column, const struct figure *figures)
{
	const struct figure *figure = &figures[column];
	bool ratio = columns[column].base;

	add_key(text, columns[column].key);
	if (!figure->known) {
		text_add(text, "null");
		return;
	}
	text_add(text, "{");
	add_number(text, "value", figure->rate.value);
	add_number(text, "error", figure->rate.error);
	add_number(text, "least", figure->rate.least);
	add_number(text, "most", figure->rate.most);
	add_number(text, "seen", figure->rate.seen);
	add_count(text, "count", figure->count);
	if (ratio)
		add_count(text, "of", figure->base);
	add_count(text, "slices", figure->slices);
	add_bool(text, "approximate", figure->approximate);
	add_bool(text, "old", figure->old);
	text_add(text, "}");
}

static void add_figures(struct text *text, const char *key, const struct figure *figures)
{
	unsigned int column;

	add_key(text, key);
	text_add(text, "{");
	for (column = 0; column < COLUMNS; column++)
		add_figure(text, column, figures);
	text_add(text, "}");
}

static void add_pmcg(struct text *text, const struct report *report,
		     const struct report_pmcg *line)
{
	const struct pmcg *pmcg = &report->machine->pmcgs[line->pmcg];
	unsigned int column;

	begin_element(text);
	add_text_of(text, "name", pmcg->name);
	add_text_of(text, "label", pmcg->label);
	add_text_of(text, "kind", kind_names[pmcg->kind]);
	add_text_of(text, "part", pmcg->part);
	add_text_of(text, "driver", pmcg->driver);
	add_count(text, "counters", pmcg->counters);
	add_text_of(text, "filter", pmcg->filter_each ? "each" : "one");
	add_bool(text, "gone", pmcg->gone);
	add_number(text, "running", line->running);
	/* An event is called the same whatever it means in which counter group. */
	for (column = 0; column < COLUMNS; column++)
		if (columns[column].base ||
		    column_of_event(columns[column].event, KIND_ALL) == column)
			add_figure(text, column, line->figures);
	text_add(text, "}");
}

static void add_devices(struct text *text, const struct machine *machine,
			const struct smmu *smmu, const struct row *row)
{
	const struct device *device;
	const struct stream *stream;
	size_t i;

	add_key(text, "streams");
	text_add(text, "[");
	for (i = row->first; i < row->first + row->number; i++) {
		stream = &smmu->streams[i];
		device = &machine->devices[stream->device];
		begin_element(text);
		add_count(text, "stream_id", stream->id);
		add_bool(text, "guessed", stream->guessed);
		add_text_of(text, "device", device->name);
		add_text_of(text, "driver", device->driver);
		add_text_of(text, "names", device->names);
		add_text_of(text, "group", device->group);
		add_text_of(text, "domain", device->domain);
		text_add(text, "}");
	}
	text_add(text, "]");
}

static void add_json_row(struct text *text, const struct view *view,
			 const struct view_row *view_row)
{
	const struct machine *machine = view->report->machine;
	const struct smmu *smmu = &machine->smmus[view_row->smmu->smmu];
	const struct report_row *row = view_row->row;

	begin_element(text);
	add_devices(text, machine, smmu, &smmu->rows[row->row]);
	add_key(text, "tbus");
	text_add(text, "[");
	row_text(text, machine, view_row, TEXT_TBU, ",");
	text_add(text, "]");
	add_number(text, "share", view_row->share);
	add_number(text, "seen", figure_seen(&row->figures[view->options.sort]));
	add_figures(text, "figures", row->figures);
	text_add(text, "}");
}

static void add_search(struct text *text, const struct view *view, const struct report_smmu *smmu)
{
	struct view_search search = view_search(view, smmu);

	add_key(text, "search");
	if (!smmu->searched) {
		text_add(text, "null");
		return;
	}
	text_add(text, "{");
	add_bool(text, "complete", search.complete);
	add_bool(text, "turns", smmu->turns);
	add_number(text, "bound", search.bound);
	add_count(text, "worst", search.worst);
	text_add(text, "}");
}

static void add_smmu(struct text *text, const struct view *view,
		     const struct report_smmu *report_smmu)
{
	const struct smmu *smmu = &view->report->machine->smmus[report_smmu->smmu];
	size_t i, others_streams;
	struct figure others[COLUMNS];

	begin_element(text);
	add_text_of(text, "name", smmu->name);
	add_text_of(text, "device", smmu->device);
	add_count(text, "stream_ids", smmu->streams_number);
	add_count(text, "rows_counted", report_smmu->rows_number);
	add_search(text, view, report_smmu);
	add_key(text, "pmcgs");
	text_add(text, "[");
	for (i = 0; i < report_smmu->pmcgs_number; i++)
		add_pmcg(text, view->report, &report_smmu->pmcgs[i]);
	text_add(text, "]");
	add_figures(text, "total", report_smmu->total);
	add_key(text, "rows");
	text_add(text, "[");
	for (i = 0; i < view->shown; i++)
		if (view->rows[i].smmu == report_smmu)
			add_json_row(text, view, &view->rows[i]);
	text_add(text, "]");
	others_streams = view_others(view, report_smmu, others);
	add_count(text, "others_streams", others_streams);
	add_figures(text, "others", others);
	text_add(text, "}");
}

/* Writes a report as one line of JSON. */
void output_json(struct text *text, const struct view *view)
{
	const struct report *report = view->report;
	size_t i;

	text_add(text, "{");
	add_count(text, "version", 1);
	add_key(text, "time");
	text_add(text, "%.3f", report->seconds);
	add_text_of(text, "host", report->machine->host);
	add_number(text, "interval", report->interval / 1e9);
	add_number(text, "slice", report->slice / 1e9);
	add_text_of(text, "sort", columns[report->sort].key);
	add_key(text, "smmus");
	text_add(text, "[");
	for (i = 0; i < report->smmus_number; i++)
		add_smmu(text, view, &report->smmus[i]);
	text_add(text, "]}\n");
}

/* A field with a quote, a comma or a line break is quoted, as RFC 4180 says. */
static void add_cell(struct text *text, const char *string)
{
	if (!strpbrk(string, "\",\n")) {
		text_add(text, "%s,", string);
		return;
	}
	text_add(text, "\"");
	for (; *string; string++)
		text_add(text, *string == '"' ? "\"\"" : "%c", *string);
	text_add(text, "\",");
}

static void add_cells(struct text *text, const struct figure *figures)
{
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		if (!figures[column].known || figures[column].old) {
			text_add(text, ",,%s", columns[column].base ? "" : ",");
			continue;
		}
		text_add(text, "%.9g,", figures[column].rate.value);
		if (isfinite(figures[column].rate.error))
			text_add(text, "%.9g", figures[column].rate.error);
		text_add(text, ",");
		if (!columns[column].base)
			text_add(text, "%" PRIu64 ",", figures[column].count);
	}
	/* The comma after the last cell */
	text->data[text->length - 1] = '\n';
}

/* What comes first in each line */
static void begin_csv_line(struct text *text, const struct report *report,
			   const struct report_smmu *smmu, const char *kind)
{
	text_add(text, "%.3f,", report->seconds);
	add_cell(text, report->machine->host);
	add_cell(text, report->machine->smmus[smmu->smmu].name);
	text_add(text, "%s,", kind);
}

static void add_csv_sum(struct text *text, const struct view *view, const struct report_smmu *smmu,
			const char *kind, const struct figure *figures)
{
	unsigned int what;

	begin_csv_line(text, view->report, smmu, kind);
	for (what = 0; what < ROW_TEXTS; what++)
		text_add(text, ",");
	text_add(text, "%.4f,", figure_seen(&figures[view->options.sort]));
	add_cells(text, figures);
}

static void add_csv_row(struct text *text, const struct view *view, const struct view_row *row)
{
	struct text cell = { .data = NULL };
	unsigned int what;

	begin_csv_line(text, view->report, row->smmu, "row");
	for (what = 0; what < ROW_TEXTS; what++) {
		text_clear(&cell);
		row_text(&cell, view->report->machine, row, what, " ");
		add_cell(text, cell.data);
	}
	text_free(&cell);
	text_add(text, "%.4f,", figure_seen(&row->row->figures[view->options.sort]));
	add_cells(text, row->row->figures);
}

/*
 * Writes a report as CSV, below names if wanted: a line for each row, in one order, and the others
 * and the total of each SMMU.
 */
void output_csv(struct text *text, const struct view *view, bool header)
{
	const struct report *report = view->report;
	struct figure others[COLUMNS];
	unsigned int i;

	text_add(text, header ? "time,host,smmu,kind," : "");
	for (i = 0; header && i < ROW_TEXTS; i++)
		text_add(text, "%s,", row_texts[i].key);
	text_add(text, header ? "seen" : "");
	for (i = 0; header && i < COLUMNS; i++) {
		text_add(text, ",%s,%s_error", columns[i].key, columns[i].key);
		if (!columns[i].base)
			text_add(text, ",%s_count", columns[i].key);
	}
	text_add(text, header ? "\n" : "");
	for (i = 0; i < view->shown; i++)
		add_csv_row(text, view, &view->rows[i]);
	for (i = 0; i < report->smmus_number; i++) {
		view_others(view, &report->smmus[i], others);
		add_csv_sum(text, view, &report->smmus[i], "others", others);
		add_csv_sum(text, view, &report->smmus[i], "total", report->smmus[i].total);
	}
}

struct metrics {
	struct text *text;
	/*
	 * "device" for rows, "others" for what is left of an SMMU, "tbu" and so on for counter
	 * groups
	 */
	const char *object;
	/* The metric that the last sample was of: its description is written once */
	char begun[NAME_LENGTH];
};

static void add_label(struct text *text, const char *name, const char *value)
{
	text_add(text, "%s%s=", text->data[text->length - 1] == '{' ? "" : ",", name);
	add_string(text, value);
}

static void begin_sample(struct metrics *metrics, const char *name, const char *suffix,
			 const char *help, const char *smmu)
{
	char metric[NAME_LENGTH];

	snprintf(metric, sizeof(metric), "smmu_%s_%s%s", metrics->object, name, suffix);
	if (strcmp(metric, metrics->begun))
		text_add(metrics->text, "# HELP %s %s\n# TYPE %s gauge\n", metric, help, metric);
	copy(metrics->begun, sizeof(metrics->begun), metric);
	text_add(metrics->text, "%s{", metric);
	add_label(metrics->text, "smmu", smmu);
}

static void end_sample(struct metrics *metrics, double value)
{
	text_add(metrics->text, "} %.9g\n", value);
}

static const char *smmu_name(const struct view *view, const struct report_smmu *smmu)
{
	return view->report->machine->smmus[smmu->smmu].name;
}

static void add_row_labels(struct metrics *metrics, const struct view *view,
			   const struct view_row *row)
{
	struct text label = { .data = NULL };
	unsigned int what;

	for (what = 0; what < ROW_TEXTS; what++) {
		if (!row_texts[what].label)
			continue;
		text_clear(&label);
		row_text(&label, view->report->machine, row, what, ",");
		add_label(metrics->text, row_texts[what].label, label.data);
	}
	text_free(&label);
}

/* What was not counted in this interval has no sample. */
static bool has_sample(const struct figure *figure, double value)
{
	return figure->known && !figure->old && isfinite(value);
}

static void add_row_metric(struct metrics *metrics, const struct view *view, enum column column,
			   bool error)
{
	const struct column_info *info = &columns[column];
	const struct view_row *row = view->rows;
	const struct figure *figure;
	double value;

	metrics->object = "device";
	for (; info->metric && row < view->rows + view->shown; row++) {
		figure = &row->row->figures[column];
		value = error ? figure->rate.error : figure->rate.value;
		if (!has_sample(figure, value))
			continue;
		begin_sample(metrics, info->metric, error ? "_error" : "",
			     error ? "Half width of the 95 % interval." : info->help,
			     smmu_name(view, row->smmu));
		add_row_labels(metrics, view, row);
		end_sample(metrics, value);
	}
}

/* What an SMMU has besides the rows that are shown. */
static void add_others_metric(struct metrics *metrics, const struct view *view, enum column column)
{
	struct figure others[COLUMNS];
	size_t i;

	metrics->object = "others";
	for (i = 0; columns[column].metric && i < view->report->smmus_number; i++) {
		view_others(view, &view->report->smmus[i], others);
		if (!has_sample(&others[column], others[column].rate.value))
			continue;
		begin_sample(metrics, columns[column].metric, "", columns[column].help,
			     smmu_name(view, &view->report->smmus[i]));
		end_sample(metrics, others[column].rate.value);
	}
}

/* A TBU's misses and a TCU's are different metrics, since the same event means another thing. */
static void add_pmcg_metric(struct metrics *metrics, const struct view *view, enum column column,
			    enum pmcg_kind kind)
{
	static const char * const objects[KINDS] = { "pmcg", "tbu", "tcu" };
	const struct report_smmu *smmu = view->report->smmus;
	const struct report_pmcg *line;
	const struct pmcg *pmcg;

	metrics->object = objects[kind];
	if (!columns[column].metric || columns[column].base ||
	    column_of_event(columns[column].event, kind) != column)
		return;
	for (; smmu < view->report->smmus + view->report->smmus_number; smmu++) {
		for (line = smmu->pmcgs; line < smmu->pmcgs + smmu->pmcgs_number; line++) {
			pmcg = &view->report->machine->pmcgs[line->pmcg];
			if (pmcg->kind != kind || pmcg->gone ||
			    !has_sample(&line->figures[column], line->figures[column].rate.value))
				continue;
			begin_sample(metrics, columns[column].metric, "", columns[column].help,
				     smmu_name(view, smmu));
			add_label(metrics->text, "pmu", pmcg->name);
			end_sample(metrics, line->figures[column].rate.value);
		}
	}
}

/* Why a series may be missing */
static void add_state(struct metrics *metrics, const struct view *view)
{
	const struct view_row *row = view->rows;
	const struct report_smmu *smmu = view->report->smmus, *end;
	const char *column = columns[view->options.sort].key;

	metrics->object = "device";
	for (; row < view->rows + view->shown; row++) {
		begin_sample(metrics, "seen", "", "Part of the interval in which it was counted.",
			     smmu_name(view, row->smmu));
		add_row_labels(metrics, view, row);
		end_sample(metrics, figure_seen(&row->row->figures[view->options.sort]));
	}
	metrics->object = "search";
	end = smmu + view->report->smmus_number;
	for (; smmu < end; smmu++) {
		begin_sample(metrics, "complete", "",
			     "Whether no other StreamID is above smmu_search_bound.",
			     smmu_name(view, smmu));
		add_label(metrics->text, "column", column);
		end_sample(metrics, view_search(view, smmu).complete);
	}
	for (smmu = view->report->smmus; smmu < end; smmu++) {
		begin_sample(metrics, "bound", "",
			     "The most that a StreamID without a series can have.",
			     smmu_name(view, smmu));
		add_label(metrics->text, "column", column);
		end_sample(metrics, view_search(view, smmu).bound);
	}
}

/* Writes a report for Prometheus. */
void output_prometheus(struct text *text, const struct view *view)
{
	struct metrics metrics = { .text = text };
	unsigned int column, kind;

	for (column = 0; column < COLUMNS; column++) {
		add_row_metric(&metrics, view, column, false);
		add_row_metric(&metrics, view, column, true);
		add_others_metric(&metrics, view, column);
		for (kind = 0; kind < KINDS; kind++)
			add_pmcg_metric(&metrics, view, column, kind);
	}
	add_state(&metrics, view);
}
