// SPDX-License-Identifier: GPL-2.0
/*
 * The cells of a counter group: StreamIDs that are visited together.
 *
 * As long as it takes about two seconds at most to visit each row, each row is a cell. Otherwise
 * cells are blocks of StreamIDs as filters match them, and a block that may have one of the worst
 * rows is cut: of those that count more than the n-th worst row that was found, beside the worst
 * rows in them, the ones that have counted most since they were explored the last time are explored
 * row by row. The worst rows stay cells of their own.
 */
#include <stdlib.h>

#include "plan.h"

static void add_cell(struct cells *cells, size_t first, size_t number, unsigned int span_bits)
{
	/* One row is counted as such, whatever other StreamIDs its block would have. */
	unsigned int span = number > 1 ? span_bits : 0;

	*append(cells->cells, cells->number) = (struct cell){
		.block.stream_id = (uint64_t)cells->rows[first].id >> span << span,
		.block.span_bits = span,
		.first = first,
		.number = number,
	};
}

/* The index after the last row that has the same bits above a span as the first one */
static size_t end_of_block(const struct cells *cells, size_t first, unsigned int span_bits)
{
	const struct cell_row *rows = cells->rows;
	size_t end = first;

	while (end < cells->rows_number &&
	       !((uint64_t)(rows[end].id ^ rows[first].id) >> span_bits))
		end++;
	return end;
}

/* Areas are as small as a quarter of the visits allows. */
static void make_areas(struct cells *cells)
{
	size_t first, end;

	do {
		cells->span_bits++;
		cells->areas_number = 0;
		for (first = 0; first < cells->rows_number; first = end) {
			end = end_of_block(cells, first, cells->span_bits);
			*append(cells->areas, cells->areas_number) = (struct area){
				.first = first,
				.number = end - first,
			};
		}
	} while (cells->areas_number > cells->most / 4 && cells->span_bits < 32);
}

/* Makes the first cells, once there are the rows. */
void cells_init(struct cells *cells, size_t most)
{
	size_t i;

	cells->most = most;
	if (cells->rows_number > most) {
		make_areas(cells);
		return;
	}
	for (i = 0; i < cells->rows_number; i++)
		add_cell(cells, i, 1, 0);
}

void cells_free(struct cells *cells)
{
	free(cells->rows);
	free(cells->areas);
	free(cells->cells);
}

/* Cuts a block until each row that is a cell of its own is one. */
static void cut(struct cells *cells, size_t first, size_t end, unsigned int span_bits)
{
	size_t middle, i;

	for (i = first; i < end && !cells->rows[i].own; i++)
		;
	if (i == end || end - first == 1) {
		add_cell(cells, first, end - first, span_bits);
		return;
	}
	middle = end_of_block(cells, first, span_bits - 1);
	middle = middle < end ? middle : end;
	cut(cells, first, middle, span_bits - 1);
	if (middle < end)
		cut(cells, middle, end, span_bits - 1);
}

static bool is_candidate(const struct area *area, double threshold)
{
	return area->number > 1 && area->score > threshold;
}

/* The area that has counted most since it was explored, or NULL */
static struct area *next_area(struct cells *cells, double threshold)
{
	struct area *area, *next = NULL;

	for_each(area, cells->areas)
		if (is_candidate(area, threshold) &&
		    area->waiting > (next ? next->waiting : 0))
			next = area;
	return next;
}

/* Whether each area that may have one of the worst rows was explored. */
bool cells_all_explored(const struct cells *cells, double threshold)
{
	const struct area *area;

	for_each(area, cells->areas)
		if (is_candidate(area, threshold) && !area->explored)
			return false;
	return true;
}

/*
 * Makes the cells of a round. The worst rows, which get so many visits each, are cells of their
 * own. Areas that count more than the threshold may have others: at least one of these is explored,
 * and as many as there is time for.
 */
void cells_cut(struct cells *cells, size_t visits, double threshold)
{
	size_t number = cells->areas_number, i;
	struct cell_row *row;
	struct area *area;

	for_each(row, cells->rows) {
		row->own = row->worst;
		number += row->own * (visits + cells->span_bits / 2);
	}
	while ((area = next_area(cells, threshold))) {
		area->explored = true;
		area->waiting = 0;
		for (i = 0; i < area->number; i++)
			cells->rows[area->first + i].own = true;
		number += area->number;
		if (number >= cells->most * 7 / 8)
			break;
	}
	cells->number = 0;
	for_each(area, cells->areas)
		cut(cells, area->first, area->first + area->number, cells->span_bits);
}
