// SPDX-License-Identifier: GPL-2.0
/*
 * The command line.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "text.h"

/* The columns are inserted. */
static const char usage[] =
"usage: smmutop [options] [-- command [argument...]]\n"
"Shows which devices make the SMMU work.\n"
"\n"
"  -i, --interval SECONDS  time between reports (2)\n"
"  -n, --number N          end after so many reports\n"
"      --once              one report, when each StreamID has been looked at\n"
"  -s, --sort COLUMN       %s\n"
"  -r, --rows N            show the N worst (10)\n"
"  -a, --all               count all StreamIDs in turn, and show all of them\n"
"      --columns LIST      count these only: as for --sort, separated by commas\n"
"      --min-share PERCENT show only rows with this share of the total\n"
"      --slice MS          time for which a filter is set (50)\n"
"      --pmu NAME          use this counter group only; can be repeated\n"
"      --csv, --json       write reports as CSV, or as a JSON object each\n"
"      --prometheus FILE   write each report to FILE for node_exporter\n"
"      --fail-above LIMIT  exit with 3 if a row is above, for example miss%%=10\n"
"      --record FILE       write what is counted to FILE\n"
"      --replay FILE       show what --record has written\n"
"      --detail DEVICE     show why the device misses\n"
"      --list              print SMMUs, counter groups and StreamIDs as in a recording\n"
"      --check             say why there is nothing to see, and what to do\n"
"  -h, --help              show this\n";

enum long_option {
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
	OPTION_REPLAY,
	OPTION_DETAIL,
	OPTION_CHECK,
	OPTION_LIST,
	OPTION_EACH_SLICE,
	OPTION_ROOT,
};

static const struct option long_options[] = {
	{ "interval", required_argument, NULL, 'i' },
	{ "number", required_argument, NULL, 'n' },
	{ "once", no_argument, NULL, OPTION_ONCE },
	{ "sort", required_argument, NULL, 's' },
	{ "rows", required_argument, NULL, 'r' },
	{ "all", no_argument, NULL, 'a' },
	{ "columns", required_argument, NULL, OPTION_COLUMNS },
	{ "min-share", required_argument, NULL, OPTION_MIN_SHARE },
	{ "slice", required_argument, NULL, OPTION_SLICE },
	{ "pmu", required_argument, NULL, OPTION_PMU },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "prometheus", required_argument, NULL, OPTION_PROMETHEUS },
	{ "fail-above", required_argument, NULL, OPTION_FAIL_ABOVE },
	{ "record", required_argument, NULL, OPTION_RECORD },
	{ "replay", required_argument, NULL, OPTION_REPLAY },
	{ "detail", required_argument, NULL, OPTION_DETAIL },
	{ "check", no_argument, NULL, OPTION_CHECK },
	{ "list", no_argument, NULL, OPTION_LIST },
	/* For tests */
	{ "each-slice", required_argument, NULL, OPTION_EACH_SLICE },
	{ "sysroot", required_argument, NULL, OPTION_ROOT },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static bool wrong(const char *option, const char *value, const char *valid)
{
	fprintf(stderr, "smmutop: %s %s: %s\n", option, value, valid);
	return false;
}

static bool parse_number(const char *option, const char *value, double least, double most,
			 double *number)
{
	char valid[80], *end;

	*number = strtod(value, &end);
	if (end != value && !*end && *number >= least && *number <= most)
		return true;
	snprintf(valid, sizeof(valid), "this must be a number from %g to %g", least, most);
	return wrong(option, value, valid);
}

static bool parse_whole_number(const char *option, const char *value, double least, double most,
			       double *number)
{
	if (!parse_number(option, value, least, most, number))
		return false;
	return *number == floor(*number) || wrong(option, value, "this must be a whole number");
}

static bool wrong_column(const char *option, const char *value, const char *valid)
{
	fprintf(stderr, "smmutop: %s %s: %scolumns are %s\n", option, value, valid,
		column_names("", " and "));
	return false;
}

static bool parse_columns(const char *value, unsigned int *chosen)
{
	const char *name;
	enum column column;
	size_t length;

	*chosen = 0;
	for (name = value; *name; name += length + (name[length] == ',')) {
		length = strcspn(name, ",");
		if (!column_find(name, length, &column))
			return wrong_column("--columns", value, "");
		*chosen |= 1U << column;
	}
	return *chosen || wrong_column("--columns", "\"\"", "");
}

static bool parse_limit(struct options *options, const char *value)
{
	size_t length = strcspn(value, "=");
	enum column column;
	struct limit *limit;
	double number;
	char *end;

	if (!column_find(value, length, &column) || !value[length])
		return wrong_column("--fail-above", value,
				    "this must be a column and a number, for example miss%=10; ");
	number = strtod(value + length + 1, &end);
	if (end == value + length + 1 || *end || !(number >= 0 && isfinite(number)))
		return wrong("--fail-above", value,
			     "this must be a column and a number, for example miss%=10");
	options->limits = grow(options->limits, options->limits_number, sizeof(*limit));
	limit = &options->limits[options->limits_number++];
	limit->column = column;
	limit->value = columns[column].percent ? number / 100 : number;
	return true;
}

static void add_pmu(struct options *options, char *name)
{
	size_t number = 0;

	while (options->pmus && options->pmus[number])
		number++;
	options->pmus = grow(options->pmus, number, sizeof(*options->pmus));
	options->pmus[number] = name;
	options->pmus = grow(options->pmus, number + 1, sizeof(*options->pmus));
}

static bool parse_one(struct options *options, int option)
{
	double number = 0;
	bool ok = true;

	switch (option) {
	case 'i':
		ok = parse_number("--interval", optarg, 0.01, 86400, &number);
		options->interval = number * 1e9;
		break;
	case 'n':
		ok = parse_whole_number("--number", optarg, 1, 1e9, &number);
		options->reports = number;
		break;
	case 's':
		options->sort_given = true;
		return column_find(optarg, strlen(optarg), &options->sort) ||
		       wrong_column("--sort", optarg, "");
	case 'r':
		ok = parse_whole_number("--rows", optarg, 1, 65536, &number);
		options->rows = number;
		break;
	case 'a':
		options->all = true;
		break;
	case OPTION_ONCE:
		options->once = true;
		break;
	case OPTION_COLUMNS:
		return parse_columns(optarg, &options->columns);
	case OPTION_MIN_SHARE:
		ok = parse_number("--min-share", optarg, 0, 100, &number);
		options->min_share = number / 100;
		break;
	case OPTION_SLICE:
		ok = parse_number("--slice", optarg, 1, 10000, &number);
		options->slice = number * 1e6;
		break;
	case OPTION_PMU:
		add_pmu(options, optarg);
		break;
	case OPTION_CSV:
		options->format = FORMAT_CSV;
		break;
	case OPTION_JSON:
		options->format = FORMAT_JSON;
		break;
	case OPTION_PROMETHEUS:
		options->prometheus = optarg;
		break;
	case OPTION_FAIL_ABOVE:
		return parse_limit(options, optarg);
	case OPTION_RECORD:
		options->record = optarg;
		break;
	case OPTION_REPLAY:
		options->replay = optarg;
		break;
	case OPTION_DETAIL:
		options->detail = optarg;
		break;
	case OPTION_CHECK:
		options->check = true;
		break;
	case OPTION_LIST:
		options->list = true;
		break;
	case OPTION_EACH_SLICE:
		options->each_slice = optarg;
		break;
	case OPTION_ROOT:
		system_set_root(optarg);
		break;
	default:
		return false;
	}
	return ok;
}

static bool options_fit(struct options *options)
{
	size_t i;

	while (!options->sort_given && !(options->columns & 1U << options->sort))
		options->sort = (options->sort + 1) % COLUMNS;
	if (options->replay && (options->command || options->record || options->each_slice))
		return wrong("--replay", options->replay,
			     "nothing is counted, so no command runs and nothing is recorded");
	for (i = 0; i < options->limits_number; i++)
		if (!(options->columns & 1U << options->limits[i].column))
			return wrong("--fail-above", columns[options->limits[i].column].option,
				     "this column is not one of --columns");
	if (!(options->columns & 1U << options->sort))
		return wrong("--sort", columns[options->sort].option,
			     "this column is not one of --columns");
	return true;
}

/* Parses the command line. Returns -1, or the exit status if there is nothing to do. */
int options_parse(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options){
		.sort = DEFAULT_SORT,
		.columns = (1U << COLUMNS) - 1,
	};
	while ((option = getopt_long(argc, argv, "+i:n:s:r:ah", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf(usage, column_names(" (default)", " or "));
			return STATUS_OK;
		}
		if (option == '?') {
			fputs("smmutop: see smmutop --help\n", stderr);
			return STATUS_USAGE;
		}
		if (!parse_one(options, option))
			return STATUS_USAGE;
	}
	if (optind < argc)
		options->command = &argv[optind];
	if (options->prometheus && options->format == FORMAT_AUTO)
		options->format = FORMAT_NONE;
	return options_fit(options) ? -1 : STATUS_USAGE;
}

void options_free(struct options *options)
{
	free(options->limits);
	free(options->pmus);
}
