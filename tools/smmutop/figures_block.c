// SPDX-License-Identifier: GPL-2.0
/*
 * What blocks say of their rows: at most what is left of a block without what was counted in it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures_private.h"

static int compare_blocks(const void *a, const void *b)
{
	const struct block_tally *x = a, *y = b;

	return (x->block.span_bits > y->block.span_bits) -
	       (x->block.span_bits < y->block.span_bits);
}

/* The first row of a block */
static size_t first_row(const struct smmu *smmu, const struct block *block)
{
	size_t first = 0, last = smmu->rows_number, middle;

	while (first < last) {
		middle = (first + last) / 2;
		if (smmu->rows[middle].id < block->stream_id)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* Takes away what was counted of a row, and, once, what is left of a smaller block around it. */
static void take_away(struct pmcg_figures *pmcg, size_t row, struct block_tally *block)
{
	struct block_tally *smaller = pmcg->block_of[row];
	const struct estimate *now;
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		now = &pmcg->rows[row].now[column];
		if (now->visits > 0)
			block->rest[column] -= now->c / now->b;
		if (smaller && smaller->used != block && isfinite(smaller->rest[column]))
			block->rest[column] -= smaller->rest[column];
	}
	if (smaller)
		smaller->used = block;
}

static void find_rest(struct pmcg_figures *pmcg, const struct smmu *smmu,
		      struct block_tally *block)
{
	size_t first = first_row(smmu, &block->block), row;
	const struct estimate *now;
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		now = &block->tally.now[column];
		block->rest[column] = now->visits > 0 ? now->c / now->b : INFINITY;
	}
	for (row = first; row < pmcg->rows_number; row++) {
		if (!block_has(&block->block, smmu->rows[row].id))
			break;
		take_away(pmcg, row, block);
		if (!pmcg->block_of[row])
			pmcg->block_of[row] = block;
	}
	for (column = 0; column < COLUMNS; column++)
		block->rest[column] = fmax(block->rest[column], 0);
}

/* Smaller blocks come first. */
void figures_find_blocks(const struct figures *figures)
{
	const struct machine *machine = figures->machine;
	struct pmcg_figures *pmcg;
	size_t i, j;

	for (i = 0; i < machine->pmcgs_number; i++) {
		pmcg = &figures->pmcgs[i];
		memset(pmcg->block_of, 0, pmcg->rows_number * sizeof(*pmcg->block_of));
		if (pmcg->blocks_number)
			qsort(pmcg->blocks, pmcg->blocks_number, sizeof(*pmcg->blocks),
			      compare_blocks);
		for (j = 0; j < pmcg->blocks_number; j++)
			find_rest(pmcg, &machine->smmus[machine->pmcgs[i].smmu],
				  &pmcg->blocks[j]);
	}
}
