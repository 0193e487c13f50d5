// SPDX-License-Identifier: GPL-2.0
/*
 * A report for Prometheus, in its text format 0.0.4. What a TBU and what a TCU counts are different
 * metrics, since the same event means another thing in each.
 */
#include <math.h>
#include <string.h>

#include "output.h"

/**
 * struct metric - a metric of rows
 * @column: that it shows
 * @name: without the prefix
 * @help: what it is
 */
static const struct metric {
	enum column column;
	const char *name;
	const char *help;
} metrics[] = {
	{ COLUMN_TXN, "transactions_per_second", "Transactions that went through the TBUs." },
	{ COLUMN_MISS, "tlb_misses_per_second", "Misses in the TLBs of the TBUs." },
	{ COLUMN_WALK, "walks_per_second", "Translation table walks of the TCU." },
	{ COLUMN_WALK_RATIO, "accesses_per_walk", "Table accesses of a walk." },
	{ COLUMN_CFG, "configuration_misses_per_second",
	  "Misses in the configuration cache of the TCU." },
	{ COLUMN_ATS, "ats_requests_per_second", "PCIe ATS translation requests." },
};

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

	text_add(text, "{");
	add_label(text, "smmu", smmu->name);
	row_stream_ids(&ids, report->machine, report_smmu, row, ",");
	add_label(text, "stream_id", ids.data);
	text_free(&ids);
	add_label(text, "device", device->name);
	add_label(text, "driver", device->driver);
	add_label(text, "name", device->names);
	add_label(text, "domain", device->domain);
	text_add(text, "}");
}

static void begin_metric(struct text *text, const char *object, const char *name,
			 const char *suffix, const char *help)
{
	text_add(text, "# HELP smmu_%s_%s%s %s\n# TYPE smmu_%s_%s%s gauge\n", object, name, suffix,
		 help, object, name, suffix);
}

static void add_rows(struct text *text, const struct report *report, const struct metric *metric,
		     bool error)
{
	const char *suffix = error ? "_error" : "";
	const struct report_smmu *smmu;
	const struct figure *figure;
	bool begun = false;
	double value;
	size_t i, j;

	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		for (j = 0; j < smmu->rows_number; j++) {
			figure = &smmu->rows[j].figures[metric->column];
			value = error ? figure->rate.error : figure->rate.value;
			if (!figure->known || figure->old || !isfinite(value))
				continue;
			if (!begun)
				begin_metric(text, "device", metric->name, suffix, error ?
					     "Half width of the 95 % interval." : metric->help);
			begun = true;
			text_add(text, "smmu_device_%s%s", metric->name, suffix);
			add_row_labels(text, report, smmu, &smmu->rows[j]);
			text_add(text, " %.9g\n", value);
		}
	}
}

static void add_totals(struct text *text, const struct report *report, enum pmcg_kind kind,
		       enum pmcg_event event, const char *name, const char *help)
{
	static const char * const objects[KINDS] = {
		[KIND_ALL] = "pmcg",
		[KIND_TBU] = "tbu",
		[KIND_TCU] = "tcu",
	};
	const struct report_pmcg *line;
	const struct pmcg *pmcg;
	bool begun = false;
	size_t i, j;

	for (i = 0; i < report->smmus_number; i++) {
		for (j = 0; j < report->smmus[i].pmcgs_number; j++) {
			line = &report->smmus[i].pmcgs[j];
			pmcg = &report->machine->pmcgs[line->pmcg];
			if (pmcg->kind != kind || pmcg->gone ||
			    !line->figures[event].known || line->figures[event].old)
				continue;
			if (!begun)
				begin_metric(text, objects[kind], name, "", help);
			begun = true;
			text_add(text, "smmu_%s_%s{", objects[kind], name);
			add_label(text, "smmu", report->machine->smmus[pmcg->smmu].name);
			add_label(text, "pmu", pmcg->name);
			text_add(text, "} %.9g\n", line->figures[event].rate.value);
		}
	}
}

void output_prometheus(struct text *text, const struct report *report)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(metrics); i++) {
		add_rows(text, report, &metrics[i], false);
		add_rows(text, report, &metrics[i], true);
	}
	add_totals(text, report, KIND_TBU, EVENT_TRANSACTION, "transactions_per_second",
		   "Transactions that went through the TBU.");
	add_totals(text, report, KIND_TBU, EVENT_TLB_MISS, "tlb_misses_per_second",
		   "Misses in the TLB of the TBU.");
	add_totals(text, report, KIND_TCU, EVENT_TRANSACTION, "requests_per_second",
		   "What the TBUs asked the TCU.");
	add_totals(text, report, KIND_TCU, EVENT_TLB_MISS, "walks_per_second",
		   "Translation table walks of the TCU.");
	add_totals(text, report, KIND_TCU, EVENT_CONFIG_MISS, "configuration_misses_per_second",
		   "Misses in the configuration cache of the TCU.");
	add_totals(text, report, KIND_ALL, EVENT_TRANSACTION, "transactions_per_second",
		   "Transactions of the SMMU.");
	add_totals(text, report, KIND_ALL, EVENT_TLB_MISS, "tlb_misses_per_second",
		   "TLB misses of the SMMU.");
	add_totals(text, report, KIND_ALL, EVENT_CONFIG_MISS, "configuration_misses_per_second",
		   "Misses in the configuration cache of the SMMU.");
}
