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
#include <string.h>

#include "plan.h"

static void add_cell(struct cells *cells, size_t first, size_t number, unsigned int span_bits)
{
	struct cell *cell;

	cell = append(cells->cells, cells->number);
	cell->first = first;
	cell->number = number;
	/* One row is counted as such, whatever other StreamIDs its block would have. */
	cell->block.stream_id = cells->ids[first];
	if (number == 1)
		return;
	cell->block.span_bits = span_bits;
	cell->block.stream_id = (uint64_t)cells->ids[first] >> span_bits << span_bits;
}

/* The index after the last row that has the same bits above a span as the first one */
static size_t end_of_block(const struct cells *cells, size_t first, unsigned int span_bits)
{
	size_t end = first;

	while (end < cells->rows_number &&
	       !((uint64_t)(cells->ids[end] ^ cells->ids[first]) >> span_bits))
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

/* Takes the StreamIDs over. */
void cells_init(struct cells *cells, uint32_t *ids, size_t number, size_t most)
{
	size_t i;

	*cells = (struct cells){ .ids = ids, .rows_number = number, .most = most };
	cells->own = zeros(number, sizeof(*cells->own));
	if (number > most)
		make_areas(cells);
	for (i = 0; i < number && number <= most; i++)
		add_cell(cells, i, 1, 0);
}

void cells_free(struct cells *cells)
{
	free(cells->ids);
	free(cells->own);
	free(cells->areas);
	free(cells->cells);
}

/* Cuts a block until each row that is a cell of its own is one. */
static void cut(struct cells *cells, size_t first, size_t end, unsigned int span_bits)
{
	size_t middle, i;

	for (i = first; i < end && !cells->own[i]; i++)
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
static struct area *next_area(struct cells *cells, double threshold, unsigned long round)
{
	struct area *area, *next = NULL;

	for_each(area, cells->areas)
		if (is_candidate(area, threshold) && area->explored != round &&
		    (!next || area->waiting > next->waiting))
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
 * Makes the cells of a round, once the worst rows, which get so many visits each, are marked as
 * cells of their own. Areas that count more than the threshold may have others. At least one of
 * these is explored, and as many as there is time for.
 */
void cells_cut(struct cells *cells, size_t visits, double threshold, unsigned long round)
{
	size_t number = cells->areas_number, i;
	struct area *area;

	for (i = 0; i < cells->rows_number; i++)
		number += cells->own[i] * (visits + cells->span_bits / 2);
	while ((area = next_area(cells, threshold, round))) {
		area->explored = round;
		area->waiting = 0;
		memset(&cells->own[area->first], true, area->number * sizeof(*cells->own));
		number += area->number;
		if (number >= cells->most * 7 / 8)
			break;
	}
	cells->number = 0;
	for_each(area, cells->areas)
		cut(cells, area->first, area->first + area->number, cells->span_bits);
}
