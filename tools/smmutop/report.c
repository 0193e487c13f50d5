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
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live.h"

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

/*
 * Like text_add(), in a list: a comma comes before where one is needed, and ' stands for ". %s gets
 * quotes, %d is a boolean, and %g is null if it is no number; there are also %u and %zu.
 */
__attribute__((format(printf, 2, 3)))
static void add_item(struct text *text, const char *format, ...)
{
	va_list arguments;
	double number;

	if (!strchr("{[:", text->data[text->length - 1]))
		text_add(text, ",");
	va_start(arguments, format);
	for (; *format; format++) {
		if (*format != '%') {
			text_add_bytes(text, *format == '\'' ? "\"" : format, 1);
			continue;
		}
		switch (*++format) {
		case 's':
			add_string(text, va_arg(arguments, const char *));
			break;
		case 'd':
			text_add(text, va_arg(arguments, int) ? "true" : "false");
			break;
		case 'u':
			text_add(text, "%u", va_arg(arguments, unsigned int));
			break;
		case 'z':
			text_add(text, "%zu", va_arg(arguments, size_t));
			format++;
			break;
		case 'g':
			number = va_arg(arguments, double);
			text_add(text, isfinite(number) ? "%.15g" : "null", number);
			break;
		}
	}
	va_end(arguments);
}

static void add_figure(struct text *text, enum column column, const struct figure *figures)
{
	const struct figure *figure = &figures[column];

	if (!figure->known) {
		add_item(text, "%s:null", columns[column].key);
		return;
	}
	add_item(text, "%s:{'value':%g,'error':%g,'least':%g,'most':%g,'seen':%g,'count':%g",
		 columns[column].key, figure->value, figure->error, figure->least, figure->most,
		 figure->seen, figure->count);
	if (columns[column].base)
		add_item(text, "'of':%g", figure->base);
	add_item(text, "'slices':%zu,'approximate':%d}", (size_t)figure->slices,
		 figure->approximate);
}

static void add_figures(struct text *text, const char *key, const struct figure *figures)
{
	enum column column;

	add_item(text, "%s:{", key);
	for (column = 0; column < COLUMNS; column++)
		add_figure(text, column, figures);
	text_add(text, "}");
}

static void add_pmcg(struct text *text, const struct report_pmcg *line)
{
	const struct pmcg *pmcg = line->pmcg;
	enum column column;

	add_item(text, "{'name':%s,'label':%s,'kind':%s,'part':%s,'driver':%s", pmcg->name,
		 pmcg->label, kind_names[pmcg->kind], pmcg->part, pmcg->driver);
	add_item(text, "'counters':%u,'filter':%s,'gone':%d,'running':%g", pmcg->counters,
		 pmcg->filter_each ? "each" : "one", pmcg->gone, line->running);
	/* An event is called the same whatever it means in which counter group. */
	for (column = 0; column < COLUMNS; column++)
		if (columns[column].base ||
		    column_of_event(columns[column].event, KIND_ALL) == column)
			add_figure(text, column, line->figures);
	text_add(text, "}");
}

static void add_row(struct text *text, const struct view *view, const struct view_row *row)
{
	const struct machine *machine = view->report->machine;
	const struct figure *figures = row->row->figures;
	const struct device *device;
	const struct stream *stream;

	add_item(text, "{'streams':[");
	for_each(stream, row->row->row->streams) {
		device = &machine->devices[stream->device];
		add_item(text, "{'stream_id':%u,'guessed':%d,'device':%s,'driver':%s,'names':%s",
			 stream->id, stream->guessed, device->name, device->driver, device->names);
		add_item(text, "'group':%s,'domain':%s}", device->group, device->domain);
	}
	text_add(text, "],\"tbus\":[%s]", row_text(machine, row, TEXT_TBU, ","));
	add_item(text, "'share':%g,'seen':%g", row->share, figures[view->options.sort].seen);
	add_figures(text, "figures", figures);
	text_add(text, "}");
}

static void add_smmu(struct text *text, const struct view *view, const struct report_smmu *report)
{
	struct view_search search = view_search(view, report);
	const struct smmu *smmu = report->smmu;
	const struct report_pmcg *pmcg;
	const struct report_row *row;
	struct figure others[COLUMNS];
	size_t i, counted = 0;

	for_each(row, report->rows)
		counted += row->known;
	add_item(text, "{'name':%s,'device':%s,'stream_ids':%zu,'rows_counted':%zu", smmu->name,
		 smmu->device, smmu->streams_number, counted);
	if (report->searched)
		add_item(text, "'search':{'complete':%d,'bound':%g,'worst':%zu}", !!search.worst,
			 search.bound, search.worst);
	else
		add_item(text, "'search':null");
	add_item(text, "'pmcgs':[");
	for_each(pmcg, report->pmcgs)
		add_pmcg(text, pmcg);
	text_add(text, "]");
	add_figures(text, "total", report->total);
	add_item(text, "'rows':[");
	for (i = 0; i < view->shown; i++)
		if (view->rows[i].smmu == report)
			add_row(text, view, &view->rows[i]);
	text_add(text, "]");
	add_item(text, "'others_streams':%zu", view_others(view, report, others));
	add_figures(text, "others", others);
	text_add(text, "}");
}

void output_json(struct text *text, const struct view *view)
{
	const struct report *report = view->report;
	const struct report_smmu *smmu;

	text_add(text, "{\"version\":1,\"time\":%.3f", report->seconds);
	add_item(text, "'host':%s,'interval':%g,'slice':%g,'sort':%s,'smmus':[",
		 report->machine->host, report->interval / 1e9, report->slice / 1e9,
		 columns[report->sort].key);
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

/* A line of a row, or, without it, of all rows or the others of an SMMU */
static void add_csv_line(struct text *text, const struct view *view, const char *kind,
			 const struct report_smmu *smmu, const struct view_row *row,
			 const struct figure *figures)
{
	const struct report *report = view->report;
	const struct figure *figure;
	unsigned int what;

	text_add(text, "%.3f,", report->seconds);
	add_cell(text, report->machine->host);
	add_cell(text, smmu->smmu->name);
	text_add(text, "%s,", kind);
	for (what = 0; what < ROW_TEXTS; what++)
		add_cell(text, row ? row_text(report->machine, row, what, " ") : "");
	text_add(text, "%.4f", figures[view->options.sort].seen);
	for (figure = figures; figure < figures + COLUMNS; figure++) {
		text_add(text, figure->known ? ",%.9g," : ",,", figure->value);
		if (figure->known && isfinite(figure->error))
			text_add(text, "%.9g", figure->error);
		if (!columns[figure - figures].base)
			text_add(text, figure->known ? ",%.0f" : ",", figure->count);
	}
	text_add(text, "\n");
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
	/* The metric that the last sample was of: its description is written once */
	char begun[NAME_LENGTH];
};

/*
 * The object is "device" for rows, "others" for what is left of an SMMU, "tbu" and so on for
 * counter groups. Other labels and the value follow.
 */
static void begin_sample(struct metrics *metrics, const char *object, const char *name,
			 const char *help, const struct report_smmu *smmu)
{
	char metric[NAME_LENGTH];

	snprintf(metric, sizeof(metric), "smmu_%s_%s", object, name);
	if (strcmp(metric, metrics->begun))
		text_add(metrics->text, "# HELP %s %s\n# TYPE %s gauge\n", metric, help, metric);
	copy(metrics->begun, sizeof(metrics->begun), metric);
	text_add(metrics->text, "%s{", metric);
	add_item(metrics->text, "smmu=%s", smmu->smmu->name);
}

static void end_sample(struct metrics *metrics, double value)
{
	text_add(metrics->text, "} %.9g\n", value);
}

static void add_row_sample(struct metrics *metrics, const char *name, const char *help,
			   const struct view_row *row, double value)
{
	const struct machine *machine = metrics->view->report->machine;
	unsigned int what;

	begin_sample(metrics, "device", name, help, row->smmu);
	for (what = 0; what < ROW_TEXTS; what++) {
		if (!row_texts[what].label)
			continue;
		text_add(metrics->text, ",%s=", row_texts[what].label);
		add_string(metrics->text, row_text(machine, row, what, ","));
	}
	end_sample(metrics, value);
}

/* Values or errors; what was not counted in this interval has no sample. */
static void add_row_metric(struct metrics *metrics, enum column column, bool errors)
{
	const struct view *view = metrics->view;
	const struct view_row *row;
	const struct figure *figure;
	char name[NAME_LENGTH];
	double value;

	snprintf(name, sizeof(name), "%s%s", columns[column].metric, errors ? "_error" : "");
	for (row = view->rows; row < view->rows + view->shown; row++) {
		figure = &row->row->figures[column];
		value = errors ? figure->error : figure->value;
		if (figure->known && isfinite(value))
			add_row_sample(metrics, name, errors ? "Half width of the 95 % interval." :
				       columns[column].help, row, value);
	}
}

/* What an SMMU has besides the rows that are shown. */
static void add_others_metric(struct metrics *metrics, enum column column)
{
	const struct report_smmu *smmu;
	struct figure others[COLUMNS];

	for_each(smmu, metrics->view->report->smmus) {
		view_others(metrics->view, smmu, others);
		if (!others[column].known)
			continue;
		begin_sample(metrics, "others", columns[column].metric, columns[column].help, smmu);
		end_sample(metrics, others[column].value);
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
			begin_sample(metrics, objects[kind], columns[column].metric,
				     columns[column].help, smmu);
			add_item(metrics->text, "pmu=%s", line->pmcg->name);
			end_sample(metrics, line->figures[column].value);
		}
	}
}

static void add_search_metric(struct metrics *metrics, const char *name, const char *help)
{
	const struct report_smmu *smmu;
	struct view_search search;

	for_each(smmu, metrics->view->report->smmus) {
		search = view_search(metrics->view, smmu);
		begin_sample(metrics, "search", name, help, smmu);
		add_item(metrics->text, "column=%s", columns[metrics->view->options.sort].key);
		end_sample(metrics, strcmp(name, "bound") ? !!search.worst : search.bound);
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
		add_row_metric(&metrics, column, false);
		add_row_metric(&metrics, column, true);
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
}

/* The width of the terminal, or what COLUMNS says, or 80. */
static unsigned int find_width(void)
{
	const char *wanted = getenv("COLUMNS");
	int width = wanted ? atoi(wanted) : 0;
	struct winsize size;

	if (width <= 0 && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	return width > 0 ? width : 80;
}

/* The ratio of a row that has little of what it is divided by does not matter. */
static bool matters(const struct view_row *row, enum column column)
{
	enum column base = column_of_base(column);

	return base == COLUMNS || row->row->figures[base].value >=
				  LEAST_SHARE * row->smmu->total[base].value;
}

/*
 * Names the rows that are certainly above a limit. Returns whether it is certain of each row that
 * matters that it is above or is not, and that there is no other one.
 */
static bool check_limit(struct reporter *reporter, const struct view *view,
			const struct limit *limit)
{
	const struct report *report = view->report;
	enum column column = limit->column;
	bool certain = report->smmus_number;
	const struct report_smmu *smmu;
	const struct figure *figure;
	size_t i;

	for_each(smmu, report->smmus)
		certain &= smmu->bounds[column] <= limit->value;
	for (i = 0; i < view->candidates; i++) {
		figure = &view->rows[i].row->figures[column];
		if (!matters(&view->rows[i], column))
			continue;
		if (!figure->known || figure->count < LEAST_COUNT ||
		    !(figure->least > limit->value)) {
			certain &= figure->most <= limit->value;
			continue;
		}
		reporter->above = true;
		if (reporter->quiet)
			continue;
		warnx("%s: %s is %.8g, at least %.8g, above %.8g",
		      row_text(report->machine, &view->rows[i], TEXT_DEVICE, ","),
		      columns[column].option, column_shown(column, figure->value),
		      column_shown(column, figure->least), column_shown(column, limit->value));
	}
	return certain;
}

/* The exit status, with a message where it is not certain that no row was above a limit. */
int reporter_status(const struct reporter *reporter)
{
	const struct options *options = reporter->options;
	size_t i;

	for (i = 0; i < options->limits_number && !reporter->above; i++)
		if (reporter->undecided[i])
			warnx("--fail-above %s: none is above for certain; "
			      "in %lu of %lu reports, one within its error or seldom active may be",
			      columns[options->limits[i].column].option, reporter->undecided[i],
			      reporter->number);
	return reporter->above ? STATUS_ABOVE : STATUS_OK;
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

	view_make(&view, report, &wanted);
	ok = write_formats(reporter, &view);
	reporter->number++;
	for (i = 0; i < options->limits_number; i++)
		reporter->undecided[i] += !check_limit(reporter, &view, &options->limits[i]);
	view_free(&view);
	return ok;
}
