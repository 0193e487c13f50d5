/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line.
 */
#ifndef SMMUTOP_OPTIONS_H
#define SMMUTOP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "figures.h"

/* Exit status */
#define STATUS_OK	0
#define STATUS_ERROR	1
#define STATUS_USAGE	2
#define STATUS_ABOVE	3
#define STATUS_UNKNOWN	4

/**
 * enum output_format - how reports are written
 */
enum output_format {
	FORMAT_AUTO,
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_NONE,
};

/**
 * struct limit - what must not be exceeded
 * @column: of a row
 * @value: highest value that is well
 */
struct limit {
	enum column column;
	double value;
};

/**
 * struct options - the command line
 * @interval: ns between reports; 0: not given
 * @reports: how many; 0: until something ends it
 * @once: one report, when all was counted
 * @format: of the output
 * @prometheus: file, or NULL
 * @sort: column
 * @sort_given: it was given
 * @columns: bit n: column n is counted
 * @rows: how many are shown; 0: as many as there is room for
 * @all: each StreamID is counted in turn and shown
 * @min_share: of rows that are shown, 0 to 1
 * @slice: ns; 0: not given
 * @pmus: names of the counter groups to use, up to NULL
 * @limits: of rows
 * @limits_number: of these
 * @record: file, or NULL
 * @replay: file, or NULL
 * @list: only print what was found
 * @check: only find out why there is nothing to see
 * @detail: device of which more is shown, or NULL
 * @each_slice: shell command that runs during each slice, or NULL
 * @command: what runs while is counted, up to NULL; or NULL
 */
struct options {
	uint64_t interval;
	unsigned long reports;
	bool once;
	enum output_format format;
	const char *prometheus;
	enum column sort;
	bool sort_given;
	unsigned int columns;
	unsigned long rows;
	bool all;
	double min_share;
	uint64_t slice;
	char **pmus;
	struct limit *limits;
	size_t limits_number;
	const char *record;
	const char *replay;
	bool list;
	bool check;
	const char *detail;
	const char *each_slice;
	char **command;
};

int options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

#endif
