// SPDX-License-Identifier: GPL-2.0
/*
 * Where reports go: stdout, a file for Prometheus, and the exit status.
 */
#include <errno.h>
#include <fcntl.h>
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
/* A ratio matters from this share of what it is divided by. */
#define LEAST_SHARE	0.01

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

	if (base < COLUMNS && !(row->row->figures[base].rate.value >=
				LEAST_SHARE * row->smmu->total[base].rate.value))
		return false;
	if (figure->known && !figure->old && isfinite(figure->rate.error))
		return figure->rate.value + figure->rate.error > limit->value;
	return figure->rate.most > limit->value;
}

/* Names the rows that are certainly above a limit. Returns whether all that matter are known. */
static bool check_limit(struct reporter *reporter, const struct view *view,
			const struct limit *limit)
{
	const struct report *report = view->report;
	enum column column = limit->column;
	struct text name = { .data = NULL };
	bool known = report->smmus_number;
	const struct figure *figure;
	size_t i;

	for (i = 0; i < report->smmus_number; i++)
		known &= report->smmus[i].bounds[column] <= limit->value;
	for (i = 0; i < view->candidates; i++) {
		figure = &view->rows[i].row->figures[column];
		known &= !may_be_above(&view->rows[i], limit);
		if (!figure->known || figure->old || figure->count < LEAST_COUNT ||
		    !(figure->rate.least > limit->value))
			continue;
		reporter->above = true;
		if (reporter->quiet)
			continue;
		text_clear(&name);
		row_text(&name, report->machine, &view->rows[i], TEXT_DEVICE, ",");
		fprintf(stderr, "smmutop: %s: %s is %.4g, at least %.4g, above %.4g\n", name.data,
			columns[column].option, column_shown(column, figure->rate.value),
			column_shown(column, figure->rate.least),
			column_shown(column, limit->value));
	}
	text_free(&name);
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
		fprintf(stderr,
			"smmutop: --fail-above %s: not known: a row may be above, within its error or not counted yet: measure longer, or with --once\n",
			columns[options->limits[i].column].option);
		status = STATUS_UNKNOWN;
	}
	return status;
}

static bool write_all(int file, const char *data, size_t length)
{
	ssize_t written;

	for (; length; data += written, length -= written) {
		written = write(file, data, length);
		if (written < 0 && errno == EINTR)
			written = 0;
		if (written < 0)
			return false;
	}
	return true;
}

/* Closes a file and keeps the first error. */
static bool close_after(int file, bool ok)
{
	int err = errno;
	bool closed = !close(file);

	if (!ok)
		errno = err;
	return ok && closed;
}

/*
 * A reader, who need not be the same user, sees the old file or the new one, never a part.
 * node_exporter reads *.prom only, not the name that the new one has at first.
 */
static bool replace_file(const char *path, const struct text *text)
{
	char temporary[PATH_MAX + 16];
	int file, err;
	bool ok;

	snprintf(temporary, sizeof(temporary), "%s.%d", path, getpid());
	file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (file < 0)
		return false;
	ok = !fchmod(file, 0644) && write_all(file, text->data, text->length);
	ok = close_after(file, ok) && !rename(temporary, path);
	err = errno;
	if (!ok)
		unlink(temporary);
	errno = err;
	return ok;
}

/* What is no regular file, such as a pipe, is written to; where a link leads to is replaced. */
static bool write_file(const char *path, const struct text *text)
{
	char resolved[PATH_MAX];
	struct stat status;
	int file;

	if (!strcmp(path, "-"))
		return fwrite(text->data, text->length, 1, stdout) == 1 && !fflush(stdout);
	if (stat(path, &status)) {
		if (errno != ENOENT || !lstat(path, &status))
			return false;
		return replace_file(path, text);
	}
	if (S_ISREG(status.st_mode))
		return realpath(path, resolved) && replace_file(resolved, text);
	file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return file >= 0 && close_after(file, write_all(file, text->data, text->length));
}

bool write_text(const struct text *text)
{
	if (!text->length || write_file("-", text))
		return true;
	fprintf(stderr, "smmutop: writing the report: %s\n", strerror(errno));
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
	char when[32];

	format_time(when, sizeof(when), report->seconds, "%H:%M:%S");
	text_add(text, "%ssmmutop  %s   %s   %.3g s   sort %s\n", reporter->number ? "\n" : "",
		 report->machine->host, when, report->interval / 1e9, columns[report->sort].title);
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
			fprintf(stderr, "smmutop: --prometheus %s: %s\n", options->prometheus,
				strerror(errno));
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
