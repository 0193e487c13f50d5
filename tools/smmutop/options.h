/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line.
 */
#ifndef SMMUTOP_OPTIONS_H
#define SMMUTOP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns.h"

/* Exit status */
#define STATUS_OK	0
#define STATUS_ERROR	1
#define STATUS_USAGE	2
#define STATUS_ABOVE	3
#define STATUS_UNKNOWN	4

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

/**
 * struct options - the command line
 * @interval: ns between reports; 0: not given
 * @reports: how many; 0: until something ends it
 * @once: one report, when all was counted
 * @sort_given: @sort was given
 * @columns: bit n: column n is counted
 * @rows: how many are shown; 0: not given
 * @all: each StreamID is counted in turn and shown
 * @min_share: of rows that are shown, in 10^-9
 * @slice: ns; 0: not given
 * @pmus: names of the counter groups to use, up to NULL
 * @record_size: bytes that the recording has at most; 0: no limit
 * @each_slice: shell command that runs during each slice, or NULL
 * @command: what runs while is counted, up to NULL; or NULL
 */
struct options {
	uint64_t interval;
	uint64_t reports;
	bool once;
	enum output_format format;
	const char *prometheus;
	enum column sort;
	bool sort_given;
	unsigned int columns;
	uint64_t rows;
	bool all;
	uint64_t min_share;
	uint64_t slice;
	char **pmus;
	struct limit limits[MAX_LIMITS];
	size_t limits_number;
	const char *record;
	uint64_t record_size;
	const char *replay;
	bool list;
	bool check;
	const char *detail;
	const char *each_slice;
	char **command;
};

#endif
