// SPDX-License-Identifier: GPL-2.0
/*
 * Reports for programs: a JSON object in one line, lines of CSV, or the text format 0.0.4 of
 * Prometheus; and where all reports go: stdout, a file for Prometheus, and the exit status. The
 * keys are documented in Documentation/admin-guide/smmutop.rst.
 */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live.h"

#define DEFAULT_ROWS	10

/* A row of which less was counted is never above a limit. */
#define LEAST_COUNT	20

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
		text_add(text, "%.15g", number);
	else
		text_add(text, "null");
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

static void begin(struct text *text, const char *key, char bracket)
{
	add_key(text, key);
	text_add_bytes(text, &bracket, 1);
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
	add_number(text, "value", figure->value);
	add_number(text, "error", figure->error);
	add_number(text, "least", figure->least);
	add_number(text, "most", figure->most);
	add_number(text, "seen", figure->seen);
	add_number(text, "count", figure->count);
	if (ratio)
		add_number(text, "of", figure->base);
	add_number(text, "slices", figure->slices);
	add_bool(text, "approximate", figure->approximate);
	text_add(text, "}");
}

static void add_figures(struct text *text, const char *key, const struct figure *figures)
{
	unsigned int column;

	begin(text, key, '{');
	for (column = 0; column < COLUMNS; column++)
		add_figure(text, column, figures);
	text_add(text, "}");
}

static void add_pmcg(struct text *text, const struct report_pmcg *line)
{
	const struct pmcg *pmcg = line->pmcg;
	unsigned int column;

	begin_element(text);
	add_text_of(text, "name", pmcg->name);
	add_text_of(text, "label", pmcg->label);
	add_text_of(text, "kind", kind_names[pmcg->kind]);
	add_text_of(text, "part", pmcg->part);
	add_text_of(text, "driver", pmcg->driver);
	add_number(text, "counters", pmcg->counters);
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

static void add_devices(struct text *text, const struct machine *machine, const struct row *row)
{
	const struct device *device;
	const struct stream *stream;

	begin(text, "streams", '[');
	for_each(stream, row->streams) {
		device = &machine->devices[stream->device];
		begin_element(text);
		add_number(text, "stream_id", stream->id);
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
	const struct report_row *row = view_row->row;

	begin_element(text);
	add_devices(text, machine, row->row);
	begin(text, "tbus", '[');
	text_add(text, "%s]", row_text(machine, view_row, TEXT_TBU, ","));
	add_number(text, "share", view_row->share);
	add_number(text, "seen", row->figures[view->options.sort].seen);
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
	add_number(text, "bound", search.bound);
	add_number(text, "worst", search.worst);
	text_add(text, "}");
}

static void add_smmu(struct text *text, const struct view *view,
		     const struct report_smmu *report_smmu)
{
	const struct smmu *smmu = report_smmu->smmu;
	size_t i, counted = 0, others_streams;
	const struct report_pmcg *pmcg;
	const struct report_row *row;
	struct figure others[COLUMNS];

	for_each(row, report_smmu->rows)
		counted += row->known;
	begin_element(text);
	add_text_of(text, "name", smmu->name);
	add_text_of(text, "device", smmu->device);
	add_number(text, "stream_ids", smmu->streams_number);
	add_number(text, "rows_counted", counted);
	add_search(text, view, report_smmu);
	begin(text, "pmcgs", '[');
	for_each(pmcg, report_smmu->pmcgs)
		add_pmcg(text, pmcg);
	text_add(text, "]");
	add_figures(text, "total", report_smmu->total);
	begin(text, "rows", '[');
	for (i = 0; i < view->shown; i++)
		if (view->rows[i].smmu == report_smmu)
			add_json_row(text, view, &view->rows[i]);
	text_add(text, "]");
	others_streams = view_others(view, report_smmu, others);
	add_number(text, "others_streams", others_streams);
	add_figures(text, "others", others);
	text_add(text, "}");
}

void output_json(struct text *text, const struct view *view)
{
	const struct report *report = view->report;
	const struct report_smmu *smmu;

	text_add(text, "{");
	add_number(text, "version", 1);
	add_key(text, "time");
	text_add(text, "%.3f", report->seconds);
	add_text_of(text, "host", report->machine->host);
	add_number(text, "interval", report->interval / 1e9);
	add_number(text, "slice", report->slice / 1e9);
	add_text_of(text, "sort", columns[report->sort].key);
	begin(text, "smmus", '[');
	for_each(smmu, report->smmus)
		add_smmu(text, view, smmu);
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
		if (!figures[column].known) {
			text_add(text, ",,%s", columns[column].base ? "" : ",");
			continue;
		}
		text_add(text, "%.9g,", figures[column].value);
		if (isfinite(figures[column].error))
			text_add(text, "%.9g", figures[column].error);
		text_add(text, ",");
		if (!columns[column].base)
			text_add(text, "%.0f,", figures[column].count);
	}
	/* The comma after the last cell */
	text->data[text->length - 1] = '\n';
}

/* A line of a row, or, without it, of all rows or the others of an SMMU */
static void add_csv_line(struct text *text, const struct view *view, const char *kind,
			 const struct report_smmu *smmu, const struct view_row *row,
			 const struct figure *figures)
{
	const struct report *report = view->report;
	unsigned int what;

	text_add(text, "%.3f,", report->seconds);
	add_cell(text, report->machine->host);
	add_cell(text, smmu->smmu->name);
	text_add(text, "%s,", kind);
	for (what = 0; what < ROW_TEXTS; what++)
		add_cell(text, row ? row_text(report->machine, row, what, " ") : "");
	text_add(text, "%.4f,", figures[view->options.sort].seen);
	add_cells(text, figures);
}

static void add_csv_names(struct text *text)
{
	unsigned int i;

	text_add(text, "time,host,smmu,kind,");
	for (i = 0; i < ROW_TEXTS; i++)
		text_add(text, "%s,", row_texts[i].key);
	text_add(text, "seen");
	for (i = 0; i < COLUMNS; i++) {
		text_add(text, ",%s,%s_error", columns[i].key, columns[i].key);
		if (!columns[i].base)
			text_add(text, ",%s_count", columns[i].key);
	}
	text_add(text, "\n");
}

/*
 * Writes a report as CSV, below names if wanted: a line for each row, in one order, and the others
 * and the total of each SMMU.
 */
void output_csv(struct text *text, const struct view *view, bool header)
{
	const struct report_smmu *smmu;
	const struct view_row *row;
	struct figure others[COLUMNS];

	if (header)
		add_csv_names(text);
	for (row = view->rows; row < view->rows + view->shown; row++)
		add_csv_line(text, view, "row", row->smmu, row, row->row->figures);
	for_each(smmu, view->report->smmus) {
		view_others(view, smmu, others);
		add_csv_line(text, view, "others", smmu, NULL, others);
		add_csv_line(text, view, "total", smmu, NULL, smmu->total);
	}
}

struct metrics {
	struct text *text;
	const struct view *view;
	struct text labels; /* of the next sample, besides its SMMU */
	/* The metric that the last sample was of: its description is written once */
	char begun[NAME_LENGTH];
};

static void add_label(struct text *text, const char *name, const char *value)
{
	text_add(text, ",%s=", name);
	add_string(text, value);
}

/*
 * The object is "device" for rows, "others" for what is left of an SMMU, "tbu" and so on for
 * counter groups.
 */
static void add_sample(struct metrics *metrics, const char *object, const char *name,
		       const char *help, const struct report_smmu *smmu, double value)
{
	struct text *text = metrics->text;
	char metric[NAME_LENGTH];

	snprintf(metric, sizeof(metric), "smmu_%s_%s", object, name);
	if (strcmp(metric, metrics->begun))
		text_add(text, "# HELP %s %s\n# TYPE %s gauge\n", metric, help, metric);
	copy(metrics->begun, sizeof(metrics->begun), metric);
	text_add(text, "%s{smmu=", metric);
	add_string(text, smmu->smmu->name);
	text_add(text, "%s} %.9g\n", metrics->labels.length ? metrics->labels.data : "", value);
	text_clear(&metrics->labels);
}

static void add_row_sample(struct metrics *metrics, const char *name, const char *help,
			   const struct view_row *row, double value)
{
	const struct machine *machine = metrics->view->report->machine;
	unsigned int what;

	for (what = 0; what < ROW_TEXTS; what++)
		if (row_texts[what].label)
			add_label(&metrics->labels, row_texts[what].label,
				  row_text(machine, row, what, ","));
	add_sample(metrics, "device", name, help, row->smmu, value);
}

/* What was not counted in this interval has no sample. */
static void add_row_metrics(struct metrics *metrics, enum column column)
{
	const struct view_row *row, *end = metrics->view->rows + metrics->view->shown;
	const struct column_info *info = &columns[column];
	const struct figure *figure;
	char name[NAME_LENGTH];

	for (row = metrics->view->rows; row < end; row++) {
		figure = &row->row->figures[column];
		if (figure->known && isfinite(figure->value))
			add_row_sample(metrics, info->metric, info->help, row, figure->value);
	}
	snprintf(name, sizeof(name), "%s_error", info->metric);
	for (row = metrics->view->rows; row < end; row++) {
		figure = &row->row->figures[column];
		if (figure->known && isfinite(figure->error))
			add_row_sample(metrics, name, "Half width of the 95 % interval.", row,
				       figure->error);
	}
}

/* What an SMMU has besides the rows that are shown. */
static void add_others_metric(struct metrics *metrics, enum column column)
{
	const struct report_smmu *smmu;
	struct figure others[COLUMNS];

	for_each(smmu, metrics->view->report->smmus) {
		view_others(metrics->view, smmu, others);
		if (others[column].known)
			add_sample(metrics, "others", columns[column].metric, columns[column].help,
				   smmu, others[column].value);
	}
}

/* A TBU's misses and a TCU's are different metrics, since the same event means another thing. */
static void add_pmcg_metric(struct metrics *metrics, enum column column, enum pmcg_kind kind)
{
	static const char * const objects[KINDS] = { "pmcg", "tbu", "tcu" };
	const struct report_smmu *smmu;
	const struct report_pmcg *line;

	if (columns[column].base || column_of_event(columns[column].event, kind) != column)
		return;
	for_each(smmu, metrics->view->report->smmus) {
		for_each(line, smmu->pmcgs) {
			if (line->pmcg->kind != kind || line->pmcg->gone ||
			    !line->figures[column].known)
				continue;
			add_label(&metrics->labels, "pmu", line->pmcg->name);
			add_sample(metrics, objects[kind], columns[column].metric,
				   columns[column].help, smmu, line->figures[column].value);
		}
	}
}

static void add_search_metric(struct metrics *metrics, const char *name, const char *help)
{
	const struct report_smmu *smmu;
	struct view_search search;

	for_each(smmu, metrics->view->report->smmus) {
		search = view_search(metrics->view, smmu);
		add_label(&metrics->labels, "column", columns[metrics->view->options.sort].key);
		add_sample(metrics, "search", name, help, smmu,
			   !strcmp(name, "bound") ? search.bound : search.complete);
	}
}

/* The last ones say why a series may be missing. */
void output_prometheus(struct text *text, const struct view *view)
{
	struct metrics metrics = { .text = text, .view = view };
	const struct view_row *row;
	enum pmcg_kind kind;
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		if (!columns[column].metric)
			continue;
		add_row_metrics(&metrics, column);
		add_others_metric(&metrics, column);
		for (kind = 0; kind < KINDS; kind++)
			add_pmcg_metric(&metrics, column, kind);
	}
	for (row = view->rows; row < view->rows + view->shown; row++)
		add_row_sample(&metrics, "seen", "Part of the interval in which it was counted.",
			       row, row->row->figures[view->options.sort].seen);
	add_search_metric(&metrics, "complete",
			  "Whether no other StreamID is above smmu_search_bound.");
	add_search_metric(&metrics, "bound",
			  "The most that a StreamID without a series can have.");
	text_free(&metrics.labels);
}

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

/* Whether a row may be above its limit, as far as is known. A ratio of little does not matter. */
static bool may_be_above(const struct view_row *row, const struct limit *limit)
{
	const struct figure *figure = &row->row->figures[limit->column];
	enum column base = column_of_base(limit->column);

	if (base < COLUMNS && !(row->row->figures[base].value >=
				LEAST_SHARE * row->smmu->total[base].value))
		return false;
	if (figure->known && isfinite(figure->error))
		return figure->value + figure->error > limit->value;
	return figure->most > limit->value;
}

/* Names the rows that are certainly above a limit. Returns whether all that matter are known. */
static bool check_limit(struct reporter *reporter, const struct view *view,
			const struct limit *limit)
{
	const struct report *report = view->report;
	enum column column = limit->column;
	bool known = report->smmus_number;
	const struct report_smmu *smmu;
	const struct figure *figure;
	size_t i;

	for_each(smmu, report->smmus)
		known &= smmu->bounds[column] <= limit->value;
	for (i = 0; i < view->candidates; i++) {
		figure = &view->rows[i].row->figures[column];
		known &= !may_be_above(&view->rows[i], limit);
		if (!figure->known || figure->count < LEAST_COUNT ||
		    !(figure->least > limit->value))
			continue;
		reporter->above = true;
		if (reporter->quiet)
			continue;
		warnx("%s: %s is %.8g, at least %.8g, above %.8g",
		      row_text(report->machine, &view->rows[i], TEXT_DEVICE, ","),
		      columns[column].option, column_shown(column, figure->value),
		      column_shown(column, figure->least), column_shown(column, limit->value));
	}
	return known;
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
		if (reporter->decided & 1ULL << i)
			continue;
		warnx("--fail-above %s: not known: %s", columns[options->limits[i].column].option,
		      "a row may be above, within its error or not counted yet: measure longer, or with --once");
		status = STATUS_UNKNOWN;
	}
	return status;
}

/* Writes and closes a file. False with errno, which what succeeds after an error leaves alone. */
static bool write_and_close(FILE *file, const struct text *text)
{
	bool ok = !text->length || fwrite(text->data, text->length, 1, file) == 1;

	ok &= !fflush(file);
	return (file == stdout || !fclose(file)) && ok;
}

/*
 * A reader, who need not be the same user, sees the old file or the new one, never a part.
 * node_exporter reads *.prom only, not the name that the new one has at first.
 */
static bool replace_file(const char *path, const struct text *text)
{
	char temporary[PATH_MAX + 16];
	FILE *file;

	snprintf(temporary, sizeof(temporary), "%s.%d", path, getpid());
	file = fopen(temporary, "we");
	if (!file)
		return false;
	if (write_and_close(file, text) && !chmod(temporary, 0644) && !rename(temporary, path))
		return true;
	unlink(temporary);
	return false;
}

/* What is no regular file, such as a pipe, is written to; where a link leads to is replaced. */
static bool write_file(const char *path, const struct text *text)
{
	char resolved[PATH_MAX];
	struct stat status;
	FILE *file;

	if (!strcmp(path, "-"))
		return write_and_close(stdout, text);
	if (stat(path, &status))
		return errno == ENOENT && lstat(path, &status) && replace_file(path, text);
	if (S_ISREG(status.st_mode))
		return realpath(path, resolved) && replace_file(resolved, text);
	file = fopen(path, "ae");
	return file && write_and_close(file, text);
}

bool write_text(const struct text *text)
{
	if (!text->length || write_file("-", text))
		return true;
	warn("writing the report");
	return false;
}

static void make_text(struct reporter *reporter, const struct view *view, struct text *text)
{
	const struct report *report = view->report;
	struct table_style style = {
		.width = find_width(),
		.color = isatty(STDOUT_FILENO) && terminal_has_colors(),
		.fold = default_fold(report),
	};
	char when[32], interval[24];

	format_seconds(interval, sizeof(interval), report->interval);
	format_time(when, sizeof(when), report->seconds);
	text_add(text, "%ssmmutop  %s   %s   %s   sort %s\n", reporter->number ? "\n" : "",
		 report->machine->host, when, interval, columns[report->sort].title);
	output_table(text, view, &style);
}

static bool write_formats(struct reporter *reporter, const struct view *view)
{
	const struct options *options = reporter->options;
	struct text text = { .data = NULL };
	bool ok;

	switch (reporter->quiet ? FORMAT_NONE : options->format) {
	case FORMAT_CSV:
		output_csv(&text, view, !reporter->number);
		break;
	case FORMAT_JSON:
		output_json(&text, view);
		break;
	case FORMAT_NONE:
		break;
	default:
		make_text(reporter, view, &text);
	}
	ok = write_text(&text);
	text_clear(&text);
	if (options->prometheus) {
		output_prometheus(&text, view);
		if (!write_file(options->prometheus, &text)) {
			warn("--prometheus %s", options->prometheus);
			ok = false;
		}
	}
	text_free(&text);
	return ok;
}

/* Writes a report to stdout and to the files that are wanted; false with a message on errors. */
bool reporter_write(struct reporter *reporter, const struct report *report)
{
	const struct options *options = reporter->options;
	struct view_options wanted = {
		.sort = report->sort,
		.max_rows = options->rows ? options->rows : options->all ? 0 : DEFAULT_ROWS,
		.min_share = options->min_share,
		.all = options->all,
		.only_chosen = !options->all,
		.filter = "",
	};
	struct view view;
	size_t i;
	bool ok;

	if (reporter->progress)
		fputs("\r\033[K", stderr);
	reporter->progress = false;
	view_make(&view, report, &wanted);
	ok = write_formats(reporter, &view);
	reporter->number++;
	for (i = 0; i < options->limits_number; i++)
		reporter->decided |= (uint64_t)check_limit(reporter, &view, &options->limits[i])
				     << i;
	view_free(&view);
	return ok;
}

void reporter_show_progress(struct reporter *reporter, double seconds, size_t counted, size_t rows)
{
	if (!isatty(STDERR_FILENO) || !terminal_has_screen())
		return;
	fprintf(stderr, "\rsmmutop: %.0f s: %zu of %zu StreamIDs counted\033[K", seconds, counted,
		rows);
	reporter->progress = true;
}
