/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each counter group counts in the next slice.
 */
#ifndef SMMUTOP_PLAN_H
#define SMMUTOP_PLAN_H

#include "counting.h"
#include "figures.h"

/**
 * struct plan_options - what is wanted
 * @columns: bit n: column n is shown
 * @sort: column whose worst rows are searched
 * @limits: bit n: column n has a limit: its worst rows are searched, too
 * @rows: how many of these
 * @min_share: rows below this share need not be found
 * @turns: count all StreamIDs in turn instead of searching
 */
struct plan_options {
	unsigned int columns;
	enum column sort;
	unsigned int limits;
	unsigned int rows;
	double min_share;
	bool turns;
};

struct plan;

struct plan *plan_new(const struct machine *machine, const struct plan_options *options);
void plan_free(struct plan *plan);
void plan_set_sort(struct plan *plan, enum column sort);
bool plan_searches(const struct plan *plan, enum column column);
enum column plan_sort(const struct plan *plan);
void plan_next(struct plan *plan, size_t pmcg, struct slice *slice);
void plan_add(struct plan *plan, size_t pmcg, const struct slice *slice,
	      const struct slice_counts *counts, uint64_t now);
bool plan_summary(struct plan *plan, size_t pmcg, unsigned int n, struct search_summary *summary);
double plan_most(struct plan *plan, size_t pmcg, uint32_t id, enum pmcg_event event);
bool plan_is_steady(const struct plan *plan, size_t pmcg);
bool plan_covered(const struct plan *plan);

#endif
