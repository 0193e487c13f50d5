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
	uint64_t slice;
	uint64_t seed;
};

struct plan;

struct plan *plan_new(const struct machine *machine, const struct plan_options *options);
void plan_free(struct plan *plan);
void plan_set_sort(struct plan *plan, enum column sort);
bool plan_counts(const struct plan *plan, enum column column);
enum column plan_sort(const struct plan *plan);
void plan_next(struct plan *plan, size_t pmcg, uint64_t time_left, struct slice *slice);
void plan_add(struct plan *plan, size_t pmcg, const struct slice *slice,
	      const struct slice_counts *counts);
uint64_t next_random(uint64_t *state);
uint64_t plan_length(uint64_t *random, uint64_t mean);
bool plan_is_steady(const struct plan *plan, size_t pmcg);
bool plan_begins(const struct plan *plan);
bool plan_is_settled(const struct plan *plan);
unsigned long plan_rounds(const struct plan *plan);

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

/* A row that the counter group can tell from others */
struct cell_row {
	uint32_t id;
	double score; /* the most that it has recently had in a round */
	double sum; /* of the scores on all counter groups that count different things */
	bool worst; /* it is visited often */
	bool own; /* it is a cell of its own */
};

/* StreamIDs that are visited together */
struct cell {
	struct block block;
	size_t first; /* index of its first row */
	size_t number;
	/* In this round, of what rows are sorted by: */
	double count;
	double base; /* of a ratio, what it is divided by */
	double time; /* in s */
};

/* A block that is one cell, unless a row of it is among the worst or is looked for */
struct area {
	size_t first; /* index of its first row */
	size_t number;
	/* The most that it has recently counted in a round beside its worst rows, per s */
	double score;
	double waiting; /* sum of score since its rows were visited one by one */
	bool explored; /* they ever were */
};

struct cells {
	struct cell_row *rows;
	size_t rows_number;
	unsigned int span_bits; /* of an area; 0: each row is a cell */
	struct area *areas;
	size_t areas_number;
	struct cell *cells;
	size_t number;
	size_t most; /* how many visits of cells a round should have at most */
};

void cells_init(struct cells *cells, size_t most);
void cells_free(struct cells *cells);
void cells_cut(struct cells *cells, size_t visits, double threshold);
bool cells_all_explored(const struct cells *cells, double threshold);

#endif
