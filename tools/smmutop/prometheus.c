// SPDX-License-Identifier: GPL-2.0
/*
 * A report for Prometheus, in its text format 0.0.4. What a TBU and what a TCU counts are different
 * metrics, since the same event means another thing in each.
 */
#include <math.h>
#include <string.h>

#include "output.h"

static void add_label(struct text *text, const char *name, const char *value)
{
	text_add(text, "%s%s=\"", text->data[text->length - 1] == '{' ? "" : ",", name);
	for (; *value; value++) {
		if (*value == '\n')
			text_add(text, "\\n");
		else if (*value == '"' || *value == '\\')
			text_add(text, "\\%c", *value);
		else
			text_add_bytes(text, value, 1);
	}
	text_add(text, "\"");
}

static void add_row_labels(struct text *text, const struct report *report,
			   const struct report_smmu *report_smmu, const struct report_row *row)
{
	const struct smmu *smmu = &report->machine->smmus[report_smmu->smmu];
	const struct row *streams = &smmu->rows[row->row];
	const struct device *device =
		&report->machine->devices[smmu->streams[streams->first].device];
	struct text ids = { .data = NULL };

	add_label(text, "smmu", smmu->name);
	row_stream_ids(&ids, report->machine, report_smmu, row, ",");
	add_label(text, "stream_id", ids.data);
	text_free(&ids);
	add_label(text, "device", device->name);
	add_label(text, "driver", device->driver);
	add_label(text, "name", device->names);
	add_label(text, "domain", device->domain);
}

/* The first sample of a metric tells what it is. */
static void begin_sample(struct text *text, bool *begun, const char *object, const char *name,
			 const char *suffix, const char *help)
{
	if (!*begun)
		text_add(text, "# HELP smmu_%s_%s%s %s\n# TYPE smmu_%s_%s%s gauge\n", object, name,
			 suffix, help, object, name, suffix);
	*begun = true;
	text_add(text, "smmu_%s_%s%s{", object, name, suffix);
}

static void add_rows(struct text *text, const struct report *report, enum column column,
		     bool error)
{
	const struct metric *metric = &columns[column].device;
	const struct report_smmu *smmu;
	const struct figure *figure;
	bool begun = false;
	double value;
	size_t i, j;

	for (i = 0; metric->name && i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		for (j = 0; j < smmu->rows_number; j++) {
			figure = &smmu->rows[j].figures[column];
			value = error ? figure->rate.error : figure->rate.value;
			if (!figure->known || figure->old || !isfinite(value))
				continue;
			begin_sample(text, &begun, "device", metric->name, error ? "_error" : "",
				     error ? "Half width of the 95 % interval." : metric->help);
			add_row_labels(text, report, smmu, &smmu->rows[j]);
			text_add(text, "} %.9g\n", value);
		}
	}
}

static void add_totals(struct text *text, const struct report *report, const char *object,
		       enum pmcg_kind kind, enum column column)
{
	const struct metric *metric = &columns[column].totals[kind];
	const struct report_pmcg *line;
	const struct figure *figure;
	const struct pmcg *pmcg;
	bool begun = false;
	size_t i, j;

	for (i = 0; metric->name && i < report->smmus_number; i++) {
		for (j = 0; j < report->smmus[i].pmcgs_number; j++) {
			line = &report->smmus[i].pmcgs[j];
			figure = &line->figures[column];
			pmcg = &report->machine->pmcgs[line->pmcg];
			if (pmcg->kind != kind || pmcg->gone || !figure->known || figure->old)
				continue;
			begin_sample(text, &begun, object, metric->name, "", metric->help);
			add_label(text, "smmu", report->machine->smmus[pmcg->smmu].name);
			add_label(text, "pmu", pmcg->name);
			text_add(text, "} %.9g\n", figure->rate.value);
		}
	}
}

void output_prometheus(struct text *text, const struct report *report)
{
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		add_rows(text, report, column, false);
		add_rows(text, report, column, true);
	}
	for (column = 0; column < COLUMNS; column++)
		add_totals(text, report, "tbu", KIND_TBU, column);
	for (column = 0; column < COLUMNS; column++)
		add_totals(text, report, "tcu", KIND_TCU, column);
	for (column = 0; column < COLUMNS; column++)
		add_totals(text, report, "pmcg", KIND_ALL, column);
}
