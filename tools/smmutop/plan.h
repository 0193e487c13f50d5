/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each counter group counts in the next slice.
 */
#ifndef SMMUTOP_PLAN_H
#define SMMUTOP_PLAN_H

#include "figures.h"
#include "text.h"

/* In ns */
#define SECOND		1000000000ULL

struct plan_options {
	unsigned int columns; /* bit n: column n is shown */
	enum column sort;
	/* Bit n: column n has a limit: all rows are visited for it */
	unsigned int limits;
	unsigned int rows; /* how many of these */
	bool turns; /* visit all rows equally */
	uint64_t seed;
};

struct plan;

struct plan *plan_new(const struct machine *machine, const struct plan_options *options);
void plan_free(struct plan *plan);
void plan_set_sort(struct plan *plan, enum column sort);
bool plan_counts(const struct plan *plan, enum column column);
enum column plan_sort(const struct plan *plan);
void plan_learn(struct plan *plan, const struct figures *figures);
bool plan_begin(struct plan *plan, size_t slices, bool may_search);
void plan_next(struct plan *plan, size_t pmcg, struct slice *slice);
size_t plan_slices(const struct plan *plan);
uint64_t next_random(uint64_t *state);
uint64_t plan_length(uint64_t *random, uint64_t mean);
bool plan_is_steady(const struct plan *plan, size_t pmcg);

struct detail;

const struct row *detail_find(const struct machine *machine, const char *wanted);
struct detail *detail_new(struct machine *machine, const struct row *row);
void detail_free(struct detail *detail);
const struct row *detail_row(const struct detail *detail);
void detail_next(struct detail *detail, size_t pmcg, struct slice *slice);
void detail_add(struct detail *detail, size_t pmcg, const struct slice *slice,
		const struct slice_counts *counts);
bool detail_has_all(const struct detail *detail);
void detail_text(const struct detail *detail, struct text *text);

#endif
