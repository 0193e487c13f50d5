/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each counter group counts in the next slice.
 */
#ifndef SMMUTOP_PLAN_H
#define SMMUTOP_PLAN_H

#include "counting.h"
#include "figures.h"

struct plan_options {
	unsigned int columns; /* bit n: column n is shown */
	enum column sort;
	/* Bit n: column n has a limit: its worst rows are visited often, too */
	unsigned int limits;
	unsigned int rows; /* how many of these */
	bool turns; /* visit all rows equally */
	uint64_t slice;
	uint64_t seed;
};

struct plan;

struct plan *plan_new(const struct machine *machine, const struct plan_options *options);
void plan_free(struct plan *plan);
void plan_set_sort(struct plan *plan, enum column sort);
bool plan_searches(const struct plan *plan, enum column column);
enum column plan_sort(const struct plan *plan);
void plan_next(struct plan *plan, size_t pmcg, uint64_t time_left, struct slice *slice);
void plan_add(struct plan *plan, size_t pmcg, const struct slice *slice,
	      const struct slice_counts *counts);
uint64_t plan_length(uint64_t *random, uint64_t mean);
bool plan_is_steady(const struct plan *plan, size_t pmcg);
bool plan_is_settled(const struct plan *plan);
unsigned long plan_rounds(const struct plan *plan);

#endif
