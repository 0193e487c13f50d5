/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts groups of events on counter groups, one group on each at a time.
 */
#ifndef SMMUTOP_COUNTING_H
#define SMMUTOP_COUNTING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block.h"
#include "machine.h"

/* More counters than any known counter group has; IHI 0070 allows 64. */
#define MAX_SPECS	64

/**
 * struct spec - what one counter counts
 * @block: the StreamIDs
 * @event: architected event, or EVENTS + n for the n-th named event
 */
struct spec {
	struct block block;
	unsigned int event;
};

/**
 * struct slice - what a counter group counts for a while, all at the same time
 * @specs: one for each counter
 * @number: of these
 * @first_of_round: a round begins, see estimate.h
 */
struct slice {
	struct spec specs[MAX_SPECS];
	unsigned int number;
	bool first_of_round;
};

/**
 * struct slice_counts - what was counted
 * @counts: one for each spec
 * @enabled: ns in which it was to be counted
 * @running: ns in which it was counted
 */
struct slice_counts {
	uint64_t counts[MAX_SPECS];
	uint64_t enabled;
	uint64_t running;
};

/**
 * struct perf_calls - the system calls, which tests replace
 */
struct perf_calls {
	int (*open)(struct perf_event_attr *attr, int cpu, int leader);
	int (*enable)(int leader, bool enable);
	long (*read)(int fd, void *buffer, size_t size);
	int (*close)(int fd);
};

extern const struct perf_calls real_perf_calls;

struct counting;

struct counting *counting_new(struct machine *machine, const struct perf_calls *calls,
			      unsigned int max_files);
void counting_close(struct counting *counting, size_t pmcg);
void counting_free(struct counting *counting);
bool counting_probe(struct counting *counting, struct pmcg *pmcg);
bool counting_start(struct counting *counting, size_t pmcg, const struct slice *slice);
bool counting_counts(const struct counting *counting, size_t pmcg);
bool counting_stop(struct counting *counting, size_t pmcg, bool again,
		   struct slice_counts *counts);
const char *counting_error(struct counting *counting);
bool pmcg_exists(const struct pmcg *pmcg);

#endif
