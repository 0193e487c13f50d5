// SPDX-License-Identifier: GPL-2.0
/*
 * smmutop: which devices make the SMMU work? The command line.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "text.h"

enum long_option {
	OPTION_INTERVAL = 'i',
	OPTION_NUMBER = 'n',
	OPTION_SORT = 's',
	OPTION_ROWS = 'r',
	OPTION_ALL = 'a',
	OPTION_HELP = 'h',
	OPTION_VERSION = 'V',
	OPTION_ONCE = 256,
	OPTION_COLUMNS,
	OPTION_MIN_SHARE,
	OPTION_SLICE,
	OPTION_PMU,
	OPTION_CSV,
	OPTION_JSON,
	OPTION_PROMETHEUS,
	OPTION_FAIL_ABOVE,
	OPTION_RECORD,
	OPTION_RECORD_SIZE,
	OPTION_REPLAY,
	OPTION_DETAIL,
	OPTION_LIST,
	OPTION_CHECK,
	OPTION_SYSROOT,
	OPTIONS,
};

enum value {
	NOTHING,
	FLAG,
	STRING,
	NUMBER,
	WHOLE_NUMBER,
	OTHER,
};

static const struct described_option {
	enum long_option option;
	const char *name;
	const char *argument; /* its name in the help, or NULL */
	const char *help;
	enum value value;
	size_t offset; /* of the member of struct options */
	double least;
	double most;
	double unit; /* numbers are multiplied by it */
} described[] = {
	{ OPTION_INTERVAL, "interval", "SECONDS", "time between reports (2)",
	  NUMBER, offsetof(struct options, interval), 0.01, 86400, 1e9 },
	{ OPTION_NUMBER, "number", "N", "end after so many reports",
	  WHOLE_NUMBER, offsetof(struct options, reports), 1, 1e9, 1 },
	{ OPTION_ONCE, "once", NULL, "one report, when each StreamID has been counted",
	  FLAG, offsetof(struct options, once), 0, 0, 0 },
	{ OPTION_SORT, "sort", "COLUMN", "%s", OTHER, 0, 0, 0, 0 },
	{ OPTION_ROWS, "rows", "N", "show the N worst (10; on a terminal all)",
	  WHOLE_NUMBER, offsetof(struct options, rows), 1, 65536, 1 },
	{ OPTION_ALL, "all", NULL, "count each StreamID on its own, and show all of them",
	  FLAG, offsetof(struct options, all), 0, 0, 0 },
	{ OPTION_COLUMNS, "columns", "LIST", "count these only: as for --sort, with commas",
	  OTHER, 0, 0, 0, 0 },
	{ OPTION_MIN_SHARE, "min-share", "PERCENT", "only rows with this share of the total",
	  NUMBER, offsetof(struct options, min_share), 0, 100, 1e7 },
	{ OPTION_SLICE, "slice", "MS", "time for which a filter is set",
	  NUMBER, offsetof(struct options, slice), 1, 10000, 1e6 },
	{ OPTION_PMU, "pmu", "NAME", "use this counter group only; can be repeated",
	  OTHER, 0, 0, 0, 0 },
	{ OPTION_CSV, "csv", NULL, "write reports as CSV", OTHER, 0, 0, 0, 0 },
	{ OPTION_JSON, "json", NULL, "write reports as JSON, an object in each line",
	  OTHER, 0, 0, 0, 0 },
	{ OPTION_PROMETHEUS, "prometheus", "FILE", "write each report to FILE for node_exporter",
	  STRING, offsetof(struct options, prometheus), 0, 0, 0 },
	{ OPTION_FAIL_ABOVE, "fail-above", "LIMIT", "exit with 3 if a row is above: miss%=10",
	  OTHER, 0, 0, 0, 0 },
	{ OPTION_RECORD, "record", "FILE", "write what is counted to FILE",
	  STRING, offsetof(struct options, record), 0, 0, 0 },
	{ OPTION_RECORD_SIZE, "record-size", "MB", "keep only the newest so many MB of it",
	  NUMBER, offsetof(struct options, record_size), 0.1, 1e6, 1e6 },
	{ OPTION_REPLAY, "replay", "FILE", "show what --record has written",
	  STRING, offsetof(struct options, replay), 0, 0, 0 },
	{ OPTION_DETAIL, "detail", "DEVICE", "show all events of a device",
	  STRING, offsetof(struct options, detail), 0, 0, 0 },
	{ OPTION_LIST, "list", NULL, "print SMMUs, counter groups and StreamIDs",
	  FLAG, offsetof(struct options, list), 0, 0, 0 },
	{ OPTION_CHECK, "check", NULL, "say why there is nothing to see, and what to do",
	  FLAG, offsetof(struct options, check), 0, 0, 0 },
	{ OPTION_SYSROOT, "sysroot", "DIRECTORY", "read /sys and /proc in this copy",
	  OTHER, 0, 0, 0, 0 },
	{ OPTION_HELP, "help", NULL, "show this", NOTHING, 0, 0, 0, 0 },
	{ OPTION_VERSION, "version", NULL, "show the version", NOTHING, 0, 0, 0, 0 },
};

/* Options that make no sense with others */
static const struct {
	enum long_option one;
	enum long_option others[6];
} contradictions[] = {
	{ OPTION_CSV, { OPTION_JSON } },
	{ OPTION_ONCE, { OPTION_NUMBER } },
	{ OPTION_ALL, { OPTION_ROWS, OPTION_MIN_SHARE } },
	{ OPTION_REPLAY, { OPTION_RECORD, OPTION_SLICE, OPTION_PMU, OPTION_DETAIL } },
	{ OPTION_LIST, { OPTION_REPLAY, OPTION_DETAIL, OPTION_CHECK, OPTION_RECORD, OPTION_CSV,
			 OPTION_JSON } },
	{ OPTION_CHECK, { OPTION_REPLAY, OPTION_DETAIL, OPTION_RECORD, OPTION_CSV, OPTION_JSON } },
	{ OPTION_DETAIL, { OPTION_RECORD, OPTION_CSV, OPTION_JSON, OPTION_PROMETHEUS,
			   OPTION_FAIL_ABOVE } },
};

static const struct described_option *describe(enum long_option option)
{
	const struct described_option *each = described;

	while (each->option != option)
		each++;
	return each;
}

static void print_usage(void)
{
	const struct described_option *option;
	char name[40];

	printf("usage: smmutop [options] [-- command [argument...]]\n"
	       "Shows which devices make the SMMU work.\n\n");
	for (option = described; option < described + ARRAY_SIZE(described); option++) {
		snprintf(name, sizeof(name), "--%s %s", option->name,
			 option->argument ? option->argument : "");
		if (option->option < 256)
			printf("  -%c, %-20s ", option->option, name);
		else
			printf("      %-20s ", name);
		if (option->option == OPTION_SORT)
			puts(column_names(" (default)", " or "));
		else
			puts(option->help);
	}
}

static bool wrong(const char *option, const char *value, const char *valid)
{
	fprintf(stderr, "smmutop: --%s %s: %s\n", option, value, valid);
	return false;
}

static bool parse_number(const struct described_option *option, uint64_t *result)
{
	char valid[80], *end;
	double number = strtod(optarg, &end);

	snprintf(valid, sizeof(valid), "this must be a number from %g to %g", option->least,
		 option->most);
	if (end == optarg || *end || !(number >= option->least && number <= option->most))
		return wrong(option->name, optarg, valid);
	if (option->value == WHOLE_NUMBER && number != floor(number))
		return wrong(option->name, optarg, "this must be a whole number");
	*result = number * option->unit;
	return true;
}

static bool wrong_column(const char *option, const char *valid)
{
	fprintf(stderr, "smmutop: --%s %s: %scolumns are %s\n", option, optarg, valid,
		column_names("", " and "));
	return false;
}

static bool parse_columns(const char *value, unsigned int *chosen)
{
	const char *name = value;
	enum column column;
	size_t length;

	*chosen = 0;
	do {
		length = strcspn(name, ",");
		if (!column_find(name, length, &column))
			return wrong_column("columns", "");
		*chosen |= 1U << column;
		name += length + (name[length] == ',');
	} while (*name);
	return true;
}

static bool parse_limit(struct options *options, const char *value)
{
	static const char valid[] = "this must be a column and a number, for example miss%=10";
	size_t length = strcspn(value, "=");
	struct limit *limit = &options->limits[options->limits_number];
	double number;
	char *end;

	if (options->limits_number == MAX_LIMITS)
		return wrong("fail-above", value, "these are too many");
	if (!column_find(value, length, &limit->column) || !value[length])
		return wrong_column("fail-above",
				    "this must be a column and a number, for example miss%=10; ");
	number = strtod(value + length + 1, &end);
	if (end == value + length + 1 || *end || !(number >= 0 && isfinite(number)))
		return wrong("fail-above", value, valid);
	limit->value = columns[limit->column].percent ? number / 100 : number;
	options->limits_number++;
	return true;
}

static void add_pmu(struct options *options, char *name)
{
	size_t number = 0;

	while (options->pmus && options->pmus[number])
		number++;
	*append(options->pmus, number) = name;
	*append(options->pmus, number) = NULL;
}

static bool parse_other(struct options *options, enum long_option option)
{
	switch (option) {
	case OPTION_SORT:
		options->sort_given = true;
		return column_find(optarg, strlen(optarg), &options->sort) ||
		       wrong_column("sort", "");
	case OPTION_COLUMNS:
		return parse_columns(optarg, &options->columns);
	case OPTION_PMU:
		add_pmu(options, optarg);
		return true;
	case OPTION_FAIL_ABOVE:
		return parse_limit(options, optarg);
	case OPTION_SYSROOT:
		system_set_root(optarg);
		return true;
	default:
		options->format = option == OPTION_CSV ? FORMAT_CSV : FORMAT_JSON;
		return true;
	}
}

static bool parse_one(struct options *options, enum long_option option)
{
	const struct described_option *each = describe(option);
	void *member = (char *)options + each->offset;

	if (each->value == OTHER)
		return parse_other(options, option);
	if (each->value == NUMBER || each->value == WHOLE_NUMBER)
		return parse_number(each, member);
	if (each->value == FLAG)
		*(bool *)member = true;
	else
		*(const char **)member = optarg;
	return true;
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static bool has_contradiction(const bool *given)
{
	enum long_option one, other;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(contradictions); i++) {
		one = contradictions[i].one;
		for (j = 0; j < ARRAY_SIZE(contradictions[i].others); j++) {
			other = contradictions[i].others[j];
			if (!given[one] || !other || !given[other])
				continue;
			fprintf(stderr, "smmutop: --%s and --%s: only one of them makes sense\n",
				describe(one)->name, describe(other)->name);
			return true;
		}
	}
	return false;
}

/* What was given must make sense together. */
static bool options_fit(struct options *options, const bool *given)
{
	unsigned int outputs = is_stdout(options->prometheus) + is_stdout(options->record) +
			       (options->format != FORMAT_AUTO);
	size_t i;

	if (has_contradiction(given))
		return false;
	if (options->command && (options->replay || options->list || options->check ||
				 options->detail || options->once))
		return wrong("", options->command[0],
			     "a command is for a measurement without --once, --replay, --list, --check or --detail");
	if (options->record_size && (!options->record || is_stdout(options->record)))
		return wrong("record-size", "", "this needs --record with a file");
	if (outputs > 1)
		return wrong("", "-", "only one thing can be written to stdout");
	while (!options->sort_given && !(options->columns & 1U << options->sort))
		options->sort = (options->sort + 1) % COLUMNS;
	for (i = 0; i < options->limits_number; i++)
		if (!(options->columns & 1U << options->limits[i].column))
			return wrong("fail-above", columns[options->limits[i].column].option,
				     "this column is not one of --columns");
	return (options->columns & 1U << options->sort) ||
	       wrong("sort", columns[options->sort].option, "this column is not one of --columns");
}

/* Parses the command line. Returns -1, or the exit status if there is nothing to do. */
static int parse(struct options *options, int argc, char **argv)
{
	struct option long_options[ARRAY_SIZE(described) + 1] = { { .name = NULL } };
	bool given[OPTIONS] = { false };
	int option;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(described); i++)
		long_options[i] = (struct option){
			.name = described[i].name,
			.has_arg = described[i].argument ? required_argument : no_argument,
			.val = described[i].option,
		};
	while ((option = getopt_long(argc, argv, "+i:n:s:r:ahV", long_options, NULL)) != -1) {
		if (option == OPTION_HELP)
			print_usage();
		if (option == OPTION_VERSION)
			puts("smmutop " VERSION);
		if (option == OPTION_HELP || option == OPTION_VERSION)
			return STATUS_OK;
		if (option == '?')
			fputs("smmutop: see smmutop --help\n", stderr);
		if (option == '?' || !parse_one(options, option))
			return STATUS_USAGE;
		given[option] = true;
	}
	if (optind < argc)
		options->command = &argv[optind];
	if (!options_fit(options, given))
		return STATUS_USAGE;
	if (options->format == FORMAT_AUTO && (options->prometheus || is_stdout(options->record)))
		options->format = FORMAT_NONE;
	return -1;
}

int main(int argc, char **argv)
{
	struct options options = { .sort = DEFAULT_SORT, .columns = (1U << COLUMNS) - 1 };
	int status = parse(&options, argc, argv);

	if (status < 0 && options.check)
		status = check_run(&options);
	else if (status < 0 && options.list)
		status = session_list(&options);
	else if (status < 0 && options.replay)
		status = session_replay(&options);
	else if (status < 0)
		status = session_run(&options);
	free(options.pmus);
	return status;
}
