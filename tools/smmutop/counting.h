/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts groups of events on counter groups, one group on each at a time.
 */
#ifndef SMMUTOP_COUNTING_H
#define SMMUTOP_COUNTING_H

#include <linux/perf_event.h>

#include "machine.h"

/* More counters than any known counter group has; IHI 0070 allows 64. */
#define MAX_SPECS	64

/* What one counter counts */
struct spec {
	struct block block; /* the StreamIDs */
	unsigned int event; /* its number */
};

/* What a counter group counts for a while, all at the same time */
struct slice {
	struct spec specs[MAX_SPECS];
	unsigned int number;
};

/* What was counted */
struct slice_counts {
	uint64_t counts[MAX_SPECS];
	uint64_t enabled; /* ns in which it was to be counted */
	uint64_t running; /* ns in which it was counted */
};

struct counting;

struct counting *counting_new(struct machine *machine, unsigned int max_files);
void counting_close(struct counting *counting, size_t pmcg);
void counting_free(struct counting *counting);
bool counting_probe(struct counting *counting, struct pmcg *pmcg);
bool counting_start(struct counting *counting, size_t pmcg, const struct slice *slice);
bool counting_counts(const struct counting *counting, size_t pmcg);
bool counting_stop(struct counting *counting, size_t pmcg, bool again,
		   struct slice_counts *counts);
const char *counting_error(struct counting *counting);
bool counting_is_forbidden(int err);
bool pmcg_exists(const struct pmcg *pmcg);
void pmcg_lose(struct pmcg *pmcg);
unsigned int pmcg_first_event(const struct pmcg *pmcg);

#endif
