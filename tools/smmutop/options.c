// SPDX-License-Identifier: GPL-2.0
/*
 * smmutop: which devices make the SMMU work? The command line.
 */
#include <argp.h>
#include <err.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "text.h"

/* Options without a letter */
enum {
	ONCE = 256, COLUMNS_LIST, MIN_SHARE, SLICE, PMU, CSV, JSON, PROMETHEUS, FAIL_ABOVE, RECORD,
	REPLAY, DETAIL, LIST, CHECK, SYSROOT, KEYS
};

static const struct argp_option described[] = {
	{ "interval", 'i', "SECONDS", 0, "time between reports (2)", 0 },
	{ "number", 'n', "N", 0, "end after so many reports", 0 },
	{ "once", ONCE, NULL, 0, "one report, when each StreamID has been counted", 0 },
	{ "sort", 's', "COLUMN", 0, "", 0 },
	{ "rows", 'r', "N", 0, "show the N worst (10; on a terminal all)", 0 },
	{ "all", 'a', NULL, 0, "count each StreamID on its own, and show all of them", 0 },
	{ "columns", COLUMNS_LIST, "LIST", 0, "count these only: as for --sort, with commas", 0 },
	{ "min-share", MIN_SHARE, "PERCENT", 0, "only rows with this share of the total", 0 },
	{ "slice", SLICE, "MS", 0, "time for which a filter is set", 0 },
	{ "pmu", PMU, "NAME", 0, "use this counter group only; can be repeated", 0 },
	{ "csv", CSV, NULL, 0, "write reports as CSV", 0 },
	{ "json", JSON, NULL, 0, "write reports as JSON, an object in each line", 0 },
	{ "prometheus", PROMETHEUS, "FILE", 0, "write each report to FILE for node_exporter", 0 },
	{ "fail-above", FAIL_ABOVE, "LIMIT", 0, "exit with 3 if a row is above: miss%=10", 0 },
	{ "record", RECORD, "FILE", 0, "write what is counted to FILE", 0 },
	{ "replay", REPLAY, "FILE", 0, "show what --record has written", 0 },
	{ "detail", DETAIL, "DEVICE", 0, "show all events of a device", 0 },
	{ "list", LIST, NULL, 0, "print SMMUs, counter groups and StreamIDs", 0 },
	{ "check", CHECK, NULL, 0, "say why there is nothing to see, and what to do", 0 },
	{ "sysroot", SYSROOT, "DIRECTORY", 0, "read /sys and /proc in this copy", 0 },
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0 },
	{ .name = NULL }
};

/* Options that make no sense with others */
static const struct {
	int one;
	int others[6];
} contradictions[] = {
	{ CSV, { JSON } },
	{ ONCE, { 'n' } },
	{ 'a', { 'r', MIN_SHARE } },
	{ REPLAY, { RECORD, SLICE, PMU, DETAIL, COLUMNS_LIST } },
	{ LIST, { REPLAY, DETAIL, CHECK, RECORD, CSV, JSON } },
	{ CHECK, { REPLAY, DETAIL, RECORD, CSV, JSON } },
	{ DETAIL, { RECORD, CSV, JSON, PROMETHEUS, FAIL_ABOVE } },
};

/* The values of the options that were given, "" for those that have none */
static const char *given[KEYS];

static const char *name_of(int key)
{
	const struct argp_option *option = described;

	while (option->key != key)
		option++;
	return option->name;
}

static void __attribute__((noreturn)) wrong(int key, const char *value, const char *valid)
{
	errx(STATUS_USAGE, "--%s %s: %s", name_of(key), value, valid);
}

static double parse_number(int key, const char *value, double least, double most)
{
	char valid[80], *end;
	double number = strtod(value, &end);

	snprintf(valid, sizeof(valid), "this must be a number from %g to %g", least, most);
	if (end == value || *end || !(number >= least && number <= most))
		wrong(key, value, valid);
	return number;
}

static uint64_t parse_whole_number(int key, const char *value, double most)
{
	double number = parse_number(key, value, 1, most);

	if (number != floor(number))
		wrong(key, value, "this must be a whole number");
	return number;
}

static enum column parse_column(int key, const char *value, const char *name, size_t length,
				const char *valid)
{
	struct text all = { .data = NULL };
	enum column column;

	if (column_find(name, length, &column))
		return column;
	text_add(&all, "%scolumns are %s", valid, column_names("", " and "));
	wrong(key, value, all.data);
}

static unsigned int parse_columns(int key, const char *value)
{
	const char *name = value;
	unsigned int chosen = 0;
	size_t length;

	do {
		length = strcspn(name, ",");
		chosen |= 1U << parse_column(key, value, name, length, "");
		name += length + (name[length] == ',');
	} while (*name);
	return chosen;
}

static void parse_limit(struct options *options, int key, const char *value)
{
	static const char valid[] = "this must be a column and a number, for example miss%=10; ";
	size_t length = strcspn(value, "=");
	const char *number = value + length + 1;
	struct limit *limit = &options->limits[options->limits_number++];
	char *end;

	if (options->limits_number > MAX_LIMITS)
		wrong(key, value, "these are too many");
	limit->column = parse_column(key, value, value, value[length] ? length : 0, valid);
	limit->value = strtod(number, &end);
	if (end == number || *end || !(limit->value >= 0 && isfinite(limit->value)))
		wrong(key, value, "this must be a column and a number, for example miss%=10");
	if (columns[limit->column].percent)
		limit->value /= 100;
}

static void add_pmu(struct options *options, char *name)
{
	size_t number = 0;

	while (options->pmus && options->pmus[number])
		number++;
	*append(options->pmus, number) = name;
	*append(options->pmus, number) = NULL;
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static void find_contradictions(void)
{
	int one, other;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(contradictions); i++) {
		one = contradictions[i].one;
		for (j = 0; j < ARRAY_SIZE(contradictions[i].others); j++) {
			other = contradictions[i].others[j];
			if (given[one] && other && given[other])
				errx(STATUS_USAGE, "--%s and --%s: only one of them makes sense",
				     name_of(one), name_of(other));
		}
	}
}

/* Options without a value, and those whose value is taken as it is */
static void take_given(struct options *options)
{
	options->all = given['a'];
	options->once = given[ONCE];
	options->reports = options->once ? 1 : options->reports;
	options->list = given[LIST];
	options->check = given[CHECK];
	options->sort_given = given['s'];
	options->prometheus = given[PROMETHEUS];
	options->record = given[RECORD];
	options->replay = given[REPLAY];
	options->detail = given[DETAIL];
	options->format = given[CSV] ? FORMAT_CSV : given[JSON] ? FORMAT_JSON : FORMAT_AUTO;
}

/* What was given must make sense together. */
static void check_options(struct options *options)
{
	static const char valid[] = "this column is not one of --columns";
	unsigned int outputs = is_stdout(options->prometheus) + is_stdout(options->record);
	const struct limit *limit;

	find_contradictions();
	if (options->command && (options->replay || options->list || options->check ||
				 options->detail || options->once))
		errx(STATUS_USAGE, "%s have no command",
		     "--once, --replay, --list, --check and --detail");
	outputs += options->format != FORMAT_AUTO;
	if (outputs > 1)
		errx(STATUS_USAGE, "only one thing can be written to stdout");
	while (!given['s'] && !(options->columns & 1U << options->sort))
		options->sort = (options->sort + 1) % COLUMNS;
	for_each(limit, options->limits)
		if (!(options->columns & 1U << limit->column))
			wrong(FAIL_ABOVE, columns[limit->column].option, valid);
	if (!(options->columns & 1U << options->sort))
		wrong('s', columns[options->sort].option, valid);
	if (options->format == FORMAT_AUTO && (options->prometheus || is_stdout(options->record)))
		options->format = FORMAT_NONE;
}

static error_t parse_one(int key, char *value, struct argp_state *state)
{
	struct options *options = state->input;

	if (key > 0 && key < KEYS)
		given[key] = value ? value : "";
	switch (key) {
	case 'i':
		options->interval = parse_number(key, value, 0.01, 86400) * 1e9;
		break;
	case 'n':
		options->reports = parse_whole_number(key, value, 1e9);
		break;
	case 's':
		options->sort = parse_column(key, value, value, strlen(value), "");
		break;
	case 'r':
		options->rows = parse_whole_number(key, value, 65536);
		break;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	case COLUMNS_LIST:
		options->columns = parse_columns(key, value);
		break;
	case MIN_SHARE:
		options->min_share = parse_number(key, value, 0, 100) / 100;
		break;
	case SLICE:
		options->slice = parse_number(key, value, 1, 10000) * 1e6;
		break;
	case FAIL_ABOVE:
		parse_limit(options, key, value);
		break;
	case PMU:
		add_pmu(options, value);
		break;
	case SYSROOT:
		if (!system_set_root(value))
			wrong(key, value, "this path is too long");
		break;
	case ARGP_KEY_ARG:
		options->command = &state->argv[state->next - 1];
		state->next = state->argc;
		break;
	default:
		/* All others are among those given; ARGP_KEY_INIT and so on are not. */
		return key > 0 && key < KEYS ? 0 : ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static char *complete_help(int key, const char *text, void *input)
{
	(void)input;
	return key == 's' ? strdup(column_names(" (default)", " or ")) : (char *)text;
}

int main(int argc, char **argv)
{
	const struct argp argp = {
		.options = described,
		.parser = parse_one,
		.args_doc = "[-- COMMAND [ARGUMENT...]]",
		.doc = "Shows which devices make the SMMU work.",
		.help_filter = complete_help,
	};
	struct options options = { .sort = DEFAULT_SORT, .columns = (1U << COLUMNS) - 1 };
	int status, file;

	/* No file of ours takes the place of stdout or stderr that is closed. */
	do {
		file = open("/dev/null", O_RDONLY);
	} while (file >= 0 && file <= STDERR_FILENO);
	close(file);
	program_invocation_short_name = "smmutop";
	argp_program_version = "smmutop " VERSION;
	argp_err_exit_status = STATUS_USAGE;
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &options))
		return STATUS_USAGE;
	take_given(&options);
	check_options(&options);
	if (options.check)
		status = check_run(&options);
	else if (options.list)
		status = session_list(&options);
	else
		status = session_run(&options);
	free(options.pmus);
	return status;
}
