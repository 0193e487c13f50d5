/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: the machine and what was counted, as text.
 */
#ifndef SMMUTOP_RECORD_H
#define SMMUTOP_RECORD_H

#include <stdio.h>

#include "counting.h"
#include "figures.h"

void record_machine(FILE *file, const struct machine *machine);
void record_slice(FILE *file, size_t pmcg, const struct slice *slice,
		  const struct slice_counts *counts);
void record_search(FILE *file, size_t pmcg, const struct search_summary *summary);
void record_most(FILE *file, size_t pmcg, uint32_t id, enum pmcg_event event, double most);
void record_report(FILE *file, const struct report *report);

/**
 * enum replay_line - what a line of a recording is
 * @REPLAY_END: there is no more
 * @REPLAY_SLICE: a slice
 * @REPLAY_SEARCH: what a search says
 * @REPLAY_MOST: a bound of an old figure
 * @REPLAY_REPORT: an interval is over
 * @REPLAY_ERROR: it makes no sense
 */
enum replay_line {
	REPLAY_END,
	REPLAY_SLICE,
	REPLAY_SEARCH,
	REPLAY_MOST,
	REPLAY_REPORT,
	REPLAY_ERROR,
};

/**
 * struct replay - reads a recording
 * @file: to read
 * @line: the last line
 * @number: of this line, from 1
 * @pmcg: of a slice, search or bound
 * @slice: what was counted
 * @counts: how often
 * @summary: what the search says
 * @row: index, of a bound
 * @event: of a bound
 * @most: the bound
 * @sort: column that was sorted by
 * @seconds: when the interval was over
 * @interval: its length in ns
 * @slice_length: length of its slices
 */
struct replay {
	FILE *file;
	char *line;
	size_t size;
	unsigned long number;
	size_t pmcg;
	struct slice slice;
	struct slice_counts counts;
	struct search_summary summary;
	size_t row;
	enum pmcg_event event;
	double most;
	enum column sort;
	double seconds;
	uint64_t interval;
	uint64_t slice_length;
};

bool replay_open(struct replay *replay, FILE *file, struct machine *machine);
enum replay_line replay_next(struct replay *replay, struct machine *machine);
void replay_close(struct replay *replay);

#endif
