/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line.
 */
#ifndef SMMUTOP_OPTIONS_H
#define SMMUTOP_OPTIONS_H

#include "columns.h"

/* Exit status */
#define STATUS_OK	0
#define STATUS_ERROR	1
#define STATUS_USAGE	2
#define STATUS_ABOVE	3

/* How many rows are shown, and visited often, where nothing else is wanted */
#define DEFAULT_ROWS	10
/* Limits that can be given */
#define MAX_LIMITS	64

/* How reports are written; FORMAT_AUTO is a table, or the screen on a terminal. */
enum output_format {
	FORMAT_AUTO,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_NONE,
};

/* What --fail-above says: the highest value that is well. */
struct limit {
	enum column column;
	double value;
};

struct options {
	uint64_t interval; /* ns between reports; 0: not given */
	uint64_t reports;
	bool once;
	enum output_format format;
	const char *prometheus;
	enum column sort;
	bool sort_given;
	unsigned int columns; /* bit n: column n is counted */
	uint64_t rows; /* how many are shown; 0: not given */
	bool all; /* each StreamID is counted in turn and shown */
	double min_share; /* of rows that are shown, 0 to 1 */
	uint64_t slice; /* ns; 0: not given */
	char **pmus; /* names of the counter groups to use, up to NULL */
	struct limit limits[MAX_LIMITS];
	size_t limits_number;
	const char *record;
	const char *replay;
	bool list;
	bool check;
	const char *detail;
	char **command; /* what runs while is counted, up to NULL; or NULL */
};

/* What the program does; each returns the exit status. */
int check_run(const struct options *options);
int session_list(const struct options *options);
int session_run(const struct options *options);

#endif
