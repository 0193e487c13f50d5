/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cells of a counter group: StreamIDs that are visited together.
 *
 * As long as it takes about two seconds at most to visit each row, each row is a cell. Otherwise
 * cells are blocks of StreamIDs as filters match them, and a block that may have one of the worst
 * rows is cut: of those that count more than the n-th worst row that was found, beside the worst
 * rows in them, the ones that have counted most since they were explored the last time are explored
 * row by row. The worst rows stay cells of their own.
 */
#ifndef SMMUTOP_CELLS_H
#define SMMUTOP_CELLS_H

#include "counting.h"

/* StreamIDs that are visited together */
struct cell {
	struct block block;
	size_t first; /* index of its first row */
	size_t number;
};

/* A block that is one cell, unless a row of it is among the worst or is looked for */
struct area {
	size_t first; /* index of its first row */
	size_t number;
	/* The most that it has recently counted in a round beside its worst rows, per s */
	double score;
	double waiting; /* sum of score since its rows were visited one by one */
	unsigned long explored; /* number of the round in which that was; 0: never */
};

struct cells {
	uint32_t *ids; /* StreamIDs of the rows */
	bool *own; /* which rows are cells of their own */
	size_t rows_number;
	unsigned int span_bits; /* of an area; 0: each row is a cell */
	struct area *areas;
	size_t areas_number;
	struct cell *cells;
	size_t number;
	size_t most; /* how many visits of cells a round should have at most */
};

void cells_init(struct cells *cells, uint32_t *ids, size_t number, size_t most);
void cells_free(struct cells *cells);
void cells_cut(struct cells *cells, size_t visits, double threshold, unsigned long round);
bool cells_all_explored(const struct cells *cells, double threshold);

#endif
