/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: the machine and what was counted, as text.
 */
#ifndef SMMUTOP_RECORD_H
#define SMMUTOP_RECORD_H

#include <stdio.h>

#include "counting.h"
#include "figures.h"
#include "text.h"

struct recorder;

void record_machine(struct text *text, const struct machine *machine);
struct recorder *recorder_new(const char *path, uint64_t most_bytes,
			      const struct machine *machine);
bool recorder_free(struct recorder *recorder);
void record_slice(struct recorder *recorder, size_t pmcg, const struct slice *slice,
		  const struct slice_counts *counts);
void record_forget(struct recorder *recorder);
bool record_report(struct recorder *recorder, const struct report *report);

/* What a line of a recording is */
enum replay_line {
	REPLAY_END, /* there is no more */
	REPLAY_SLICE, /* a slice */
	REPLAY_FORGET, /* what was counted before is in no report */
	REPLAY_REPORT, /* an interval is over */
	REPLAY_ERROR, /* it makes no sense */
};

/* Reads a recording */
struct replay {
	FILE *file;
	char *line;
	size_t size;
	unsigned long number; /* of this line, from 1 */
	size_t pmcg; /* of a slice */
	struct slice slice; /* what was counted */
	struct slice_counts counts;
	enum column sort;
	double seconds; /* when the interval was over */
	uint64_t interval; /* its length in ns */
	uint64_t slice_length;
};

bool replay_open(struct replay *replay, FILE *file, struct machine *machine);
enum replay_line replay_next(struct replay *replay, struct machine *machine);
void replay_close(struct replay *replay);

#endif
