// SPDX-License-Identifier: GPL-2.0
/*
 * A report as a JSON object in one line, and as lines of CSV. The keys are documented in
 * Documentation/admin-guide/smmutop.rst.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output.h"

static void add_string(struct text *text, const char *string)
{
	text_add(text, "\"");
	for (; *string; string++) {
		if (*string == '"' || *string == '\\')
			text_add(text, "\\%c", *string);
		else if ((unsigned char)*string < ' ')
			text_add(text, "\\u%04x", *string);
		else
			text_add_bytes(text, string, 1);
	}
	text_add(text, "\"");
}

static void add_key(struct text *text, const char *key)
{
	if (text->length && !strchr("{[", text->data[text->length - 1]))
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
	if (!ratio)
		add_number(text, "least", figure->rate.least);
	add_number(text, "seen", figure->rate.seen);
	add_count(text, "count", figure->count);
	if (ratio)
		add_count(text, "of", figure->base);
	add_count(text, "slices", figure->slices);
	add_bool(text, "bursty", figure->rate.bursty);
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

static void add_search(struct text *text, const struct search_summary *search)
{
	add_key(text, "search");
	if (!search->known) {
		text_add(text, "null");
		return;
	}
	text_add(text, "{");
	add_bool(text, "complete", search->complete);
	add_bool(text, "turns", search->turns);
	add_number(text, "bound", search->bound);
	text_add(text, "}");
}

static void add_pmcg(struct text *text, const struct report *report,
		     const struct report_pmcg *line)
{
	const struct pmcg *pmcg = &report->machine->pmcgs[line->pmcg];
	unsigned int column;

	text_add(text, "%s{", text->data[text->length - 1] == '[' ? "" : ",");
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
		text_add(text, "%s{", i == row->first ? "" : ",");
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

static void add_row(struct text *text, const struct report *report,
		    const struct report_smmu *report_smmu, const struct report_row *row)
{
	const struct smmu *smmu = &report->machine->smmus[report_smmu->smmu];
	struct text tbus = { .data = NULL };

	text_add(text, "%s{", text->data[text->length - 1] == '[' ? "" : ",");
	add_devices(text, report->machine, smmu, &smmu->rows[row->row]);
	row_tbus(&tbus, row, ",");
	add_key(text, "tbus");
	text_add(text, "[%s]", tbus.length ? tbus.data : "");
	text_free(&tbus);
	add_number(text, "seen", figure_seen(&row->figures[report->sort]));
	add_bool(text, "bursty", row_is_bursty(row));
	add_figures(text, "figures", row->figures);
	text_add(text, "}");
}

static void add_smmu(struct text *text, const struct report *report,
		     const struct report_smmu *report_smmu)
{
	const struct smmu *smmu = &report->machine->smmus[report_smmu->smmu];
	size_t i;

	text_add(text, "%s{", text->data[text->length - 1] == '[' ? "" : ",");
	add_text_of(text, "name", smmu->name);
	add_text_of(text, "device", smmu->device);
	add_count(text, "stream_ids", smmu->streams_number);
	add_count(text, "rows_counted", report_smmu->rows_counted);
	add_search(text, &report_smmu->search);
	add_key(text, "pmcgs");
	text_add(text, "[");
	for (i = 0; i < report_smmu->pmcgs_number; i++)
		add_pmcg(text, report, &report_smmu->pmcgs[i]);
	text_add(text, "]");
	add_figures(text, "total", report_smmu->total);
	add_key(text, "rows");
	text_add(text, "[");
	for (i = 0; i < report_smmu->rows_number; i++)
		add_row(text, report, report_smmu, &report_smmu->rows[i]);
	text_add(text, "]");
	add_count(text, "others_streams", report_smmu->others_streams);
	add_figures(text, "others", report_smmu->others);
	text_add(text, "}");
}

/* Writes a report as one line of JSON. */
void output_json(struct text *text, const struct report *report)
{
	struct text object = { .data = NULL };
	size_t i;

	text_add(&object, "{");
	add_count(&object, "version", 1);
	add_key(&object, "time");
	text_add(&object, "%.3f", report->seconds);
	add_text_of(&object, "host", report->machine->host);
	add_number(&object, "interval", report->interval / 1e9);
	add_number(&object, "slice", report->slice / 1e9);
	add_text_of(&object, "sort", columns[report->sort].key);
	add_key(&object, "smmus");
	text_add(&object, "[");
	for (i = 0; i < report->smmus_number; i++)
		add_smmu(&object, report, &report->smmus[i]);
	text_add(&object, "]}\n");
	text_add_bytes(text, object.data, object.length);
	text_free(&object);
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
			text_add(text, "%.9g,", figures[column].rate.error);
		else
			text_add(text, ",");
		if (!columns[column].base)
			text_add(text, "%" PRIu64 ",", figures[column].count);
	}
	/* The comma after the last cell */
	text->data[text->length - 1] = '\n';
}

static void add_csv_row(struct text *text, const struct report *report,
			const struct report_smmu *report_smmu, const struct report_row *row)
{
	const struct smmu *smmu = &report->machine->smmus[report_smmu->smmu];
	const struct row *streams = &smmu->rows[row->row];
	struct text cell = { .data = NULL };
	const struct device *device;
	size_t i, field;

	text_add(text, "%.3f,", report->seconds);
	add_cell(text, report->machine->host);
	add_cell(text, smmu->name);
	text_add(text, "row,");
	row_stream_ids(&cell, report->machine, report_smmu, row, " ");
	add_cell(text, cell.data);
	for (field = 0; field < 5; field++) {
		text_clear(&cell);
		text_add(&cell, "%s", "");
		for (i = streams->first; i < streams->first + streams->number; i++) {
			device = &report->machine->devices[smmu->streams[i].device];
			text_add(&cell, "%s%s", i == streams->first ? "" : " ",
				 field == 0 ? device->name : field == 1 ? device->driver :
				 field == 2 ? device->names : field == 3 ? device->group :
				 device->domain);
		}
		add_cell(text, cell.data);
	}
	text_clear(&cell);
	text_add(&cell, "%s", "");
	row_tbus(&cell, row, " ");
	add_cell(text, cell.data);
	text_free(&cell);
	text_add(text, "%.4f,", figure_seen(&row->figures[report->sort]));
	add_cells(text, row->figures);
}

static void add_csv_sum(struct text *text, const struct report *report,
			const struct report_smmu *smmu, const char *kind,
			const struct figure *figures)
{
	text_add(text, "%.3f,", report->seconds);
	add_cell(text, report->machine->host);
	add_cell(text, report->machine->smmus[smmu->smmu].name);
	text_add(text, "%s,,,,,,,,,", kind);
	add_cells(text, figures);
}

/* Writes a report as CSV: a line for each row, the others and the total, below names if wanted. */
void output_csv(struct text *text, const struct report *report, bool header)
{
	const struct report_smmu *smmu;
	unsigned int column;
	size_t i, j;

	if (header) {
		text_add(text,
			 "time,host,smmu,kind,stream_ids,devices,drivers,names,groups,domains,tbus,seen");
		for (column = 0; column < COLUMNS; column++) {
			text_add(text, ",%s,%s_error", columns[column].key, columns[column].key);
			if (!columns[column].base)
				text_add(text, ",%s_count", columns[column].key);
		}
		text_add(text, "\n");
	}
	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		for (j = 0; j < smmu->rows_number; j++)
			add_csv_row(text, report, smmu, &smmu->rows[j]);
		add_csv_sum(text, report, smmu, "others", smmu->others);
		add_csv_sum(text, report, smmu, "total", smmu->total);
	}
}
