// SPDX-License-Identifier: GPL-2.0
/*
 * Where reports go.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output.h"
#include "report.h"

/* The width of the terminal, or what COLUMNS says, or 80. */
static unsigned int find_width(void)
{
	const char *wanted = getenv("COLUMNS");
	struct winsize size;

	if (wanted && atoi(wanted) > 0)
		return atoi(wanted);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}

static const char *first_device(const struct report *report, const struct report_smmu *smmu,
				const struct report_row *row)
{
	const struct smmu *whole = &report->machine->smmus[smmu->smmu];
	const struct stream *stream = &whole->streams[whole->rows[row->row].first];

	return report->machine->devices[stream->device].name;
}

/* A row whose value is above its limit is named once for each report, also if there is no room. */
static void check_limits(struct reporter *reporter, const struct report *report)
{
	const struct options *options = reporter->options;
	const struct report_smmu *smmu;
	const struct figure *figure;
	unsigned int complete = report->smmus_number ? ~0U : 0;
	enum column column;
	size_t i, j, k;

	for (i = 0; i < report->smmus_number; i++) {
		smmu = &report->smmus[i];
		complete &= smmu->complete;
		for (j = 0; j < smmu->rows_kept; j++) {
			for (k = 0; k < options->limits_number; k++) {
				column = options->limits[k].column;
				figure = &smmu->rows[j].figures[column];
				if (!figure->known || figure->old ||
				    figure->rate.value <= options->limits[k].value)
					continue;
				reporter->above = true;
				if (reporter->quiet)
					continue;
				fprintf(stderr, "smmutop: %s: %s is %.4g, above %.4g\n",
					first_device(report, smmu, &smmu->rows[j]),
					columns[column].option,
					column_shown(column, figure->rate.value),
					column_shown(column, options->limits[k].value));
			}
		}
	}
	reporter->decided |= complete;
}

/* The exit status, with a message if it is not known whether a row was above a limit. */
int reporter_status(const struct reporter *reporter)
{
	const struct options *options = reporter->options;
	int status = STATUS_OK;
	size_t i;

	if (reporter->above)
		return STATUS_ABOVE;
	for (i = 0; i < options->limits_number; i++) {
		if (reporter->decided & 1U << options->limits[i].column)
			continue;
		fprintf(stderr,
			"smmutop: --fail-above %s: not all StreamIDs are known by this column: measure longer, or with --once\n",
			columns[options->limits[i].column].option);
		status = STATUS_UNKNOWN;
	}
	return status;
}

/* The reader sees the old file or the new one, never a part. */
bool write_prometheus(const char *file, const struct report *report)
{
	struct text text = { .data = NULL };
	char temporary[PATH_MAX];
	FILE *stream;
	bool ok;

	/* node_exporter reads *.prom only. */
	if (snprintf(temporary, sizeof(temporary), "%s.%d", file, getpid()) >=
	    (int)sizeof(temporary)) {
		fprintf(stderr, "smmutop: --prometheus %s: the name is too long\n", file);
		return false;
	}
	stream = fopen(temporary, "we");
	if (!stream) {
		fprintf(stderr, "smmutop: --prometheus %s: %s\n", temporary, strerror(errno));
		return false;
	}
	output_prometheus(&text, report);
	ok = !text.length || fwrite(text.data, text.length, 1, stream) == 1;
	ok &= !fclose(stream);
	ok = ok && !rename(temporary, file);
	if (!ok) {
		fprintf(stderr, "smmutop: --prometheus %s: %s\n", file, strerror(errno));
		unlink(temporary);
	}
	text_free(&text);
	return ok;
}

/* Writes a report to stdout and to the files that are wanted; false with a message on errors. */
bool reporter_write(struct reporter *reporter, const struct report *report)
{
	const struct options *options = reporter->options;
	struct text text = { .data = NULL };
	bool ok = true;
	char when[32];

	switch (reporter->quiet ? FORMAT_NONE : options->format) {
	case FORMAT_CSV:
		output_csv(&text, report, !reporter->number);
		break;
	case FORMAT_JSON:
		output_json(&text, report);
		break;
	case FORMAT_NONE:
		break;
	default:
		format_time(when, sizeof(when), report->seconds, "%H:%M:%S");
		text_add(&text, "%ssmmutop  %s   %s   %.3g s   sort %s\n",
			 reporter->number ? "\n" : "", report->machine->host, when,
			 report->interval / 1e9, columns[report->sort].head.title);
		output_table(&text, report, find_width(), NULL);
	}
	reporter->number++;
	if (text.length &&
	    (fwrite(text.data, text.length, 1, stdout) != 1 || fflush(stdout))) {
		fprintf(stderr, "smmutop: writing the report: %s\n", strerror(errno));
		ok = false;
	}
	text_free(&text);
	check_limits(reporter, report);
	if (options->prometheus)
		ok &= write_prometheus(options->prometheus, report);
	return ok;
}
