/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: the machine and what was counted, as text.
 */
#ifndef SMMUTOP_RECORD_H
#define SMMUTOP_RECORD_H

#include <stdio.h>

#include "figures.h"
#include "text.h"

struct recorder;

void record_machine(struct text *text, const struct machine *machine);
struct recorder *recorder_new(const char *path, const struct machine *machine);
bool recorder_free(struct recorder *recorder);
void record_slice(struct recorder *recorder, size_t pmcg, const struct slice *slice,
		  const struct slice_counts *counts);
void record_word(struct recorder *recorder, const char *word);
bool record_report(struct recorder *recorder, const struct report *report);

/* Reads a recording */
struct replay {
	FILE *file;
	struct machine *machine;
	char *line; /* freed by the user */
	size_t size;
	unsigned long number; /* of this line, from 1 */
};

/* What comes next in it: an interval is over, there is no more, or a line makes no sense. */
enum replay_end {
	REPLAY_REPORT,
	REPLAY_END,
	REPLAY_ERROR,
};

bool replay_open(struct replay *replay, FILE *file, struct machine *machine);
enum replay_end replay_next(struct replay *replay, struct figures *figures, struct report *report);

#endif
