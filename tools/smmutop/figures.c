// SPDX-License-Identifier: GPL-2.0
/*
 * What the slices of an interval have counted of each row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures_private.h"
#include "text.h"

/* A row that was not counted for so many intervals is not known any more. */
#define MOST_AGE	10

#define NO_ROW		SIZE_MAX

struct figures *figures_new(struct machine *machine)
{
	struct figures *figures = grow(NULL, 0, sizeof(*figures));
	struct pmcg_figures *pmcg;
	size_t i;

	figures->machine = machine;
	for (i = 0; i < machine->pmcgs_number; i++) {
		figures->pmcgs = grow(figures->pmcgs, i, sizeof(*figures->pmcgs));
		pmcg = &figures->pmcgs[i];
		pmcg->rows_number = machine->smmus[machine->pmcgs[i].smmu].rows_number;
		pmcg->rows = calloc(pmcg->rows_number + 1, sizeof(*pmcg->rows));
		pmcg->former = calloc(pmcg->rows_number + 1, sizeof(*pmcg->former));
		pmcg->block_of = calloc(pmcg->rows_number + 1, sizeof(*pmcg->block_of));
		if (!pmcg->rows || !pmcg->former || !pmcg->block_of)
			abort();
	}
	return figures;
}

void figures_free(struct figures *figures)
{
	size_t i;

	if (!figures)
		return;
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		free(figures->pmcgs[i].rows);
		free(figures->pmcgs[i].former);
		free(figures->pmcgs[i].blocks);
		free(figures->pmcgs[i].block_of);
	}
	free(figures->pmcgs);
	free(figures);
}

/* The row that a block is, or the number of rows for everything, or NO_ROW. */
static size_t find_row(const struct smmu *smmu, const struct block *block)
{
	size_t first = 0, last = smmu->rows_number, middle;

	if (block->everything)
		return smmu->rows_number;
	if (block->span_bits)
		return NO_ROW;
	while (first < last) {
		middle = (first + last) / 2;
		if (smmu->rows[middle].id == block->stream_id)
			return middle;
		if (smmu->rows[middle].id < block->stream_id)
			first = middle + 1;
		else
			last = middle;
	}
	return NO_ROW;
}

static struct tally *find_tally(struct pmcg_figures *pmcg, const struct smmu *smmu,
				const struct block *block)
{
	size_t row = find_row(smmu, block), i;

	if (row != NO_ROW)
		return &pmcg->rows[row];
	if (!block->span_bits)
		return NULL;
	for (i = 0; i < pmcg->blocks_number; i++)
		if (block_equal(&pmcg->blocks[i].block, block))
			return &pmcg->blocks[i].tally;
	pmcg->blocks = grow(pmcg->blocks, pmcg->blocks_number, sizeof(*pmcg->blocks));
	pmcg->blocks[pmcg->blocks_number].block = *block;
	return &pmcg->blocks[pmcg->blocks_number++].tally;
}

/* The spec of a slice that counts an event of a block, or NULL. */
static const struct spec *find_spec(const struct slice *slice, unsigned int event,
				    const struct block *block)
{
	const struct spec *spec;

	for (spec = slice->specs; spec < slice->specs + slice->number; spec++)
		if (spec->event == event && block_equal(&spec->block, block))
			return spec;
	return NULL;
}

static void add_spec(struct tally *tally, const struct slice *slice,
		     const struct slice_counts *counts, unsigned int index)
{
	const struct spec *spec = &slice->specs[index], *base;
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		if (columns[column].event != spec->event)
			continue;
		if (!columns[column].base) {
			estimate_add(&tally->round[column], counts->counts[index],
				     counts->running);
			continue;
		}
		base = find_spec(slice, columns[column].base, &spec->block);
		if (base)
			estimate_add_ratio(&tally->round[column], counts->counts[index],
					   counts->counts[base - slice->specs], counts->running);
	}
}

/* Each visit of a round that is over stands for its part of the round. */
static void join(struct tally *tally, uint64_t round_time)
{
	struct estimate *round;
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		round = &tally->round[column];
		if (!(round->visits > 0))
			continue;
		estimate_join(&tally->now[column], round, round_time / 1e9 / round->time);
		*round = (struct estimate){ .visits = 0 };
	}
}

static void end_round(struct pmcg_figures *pmcg)
{
	size_t i;

	if (!pmcg->round_time)
		return;
	for (i = 0; i <= pmcg->rows_number; i++)
		join(&pmcg->rows[i], pmcg->round_time);
	for (i = 0; i < pmcg->blocks_number; i++)
		join(&pmcg->blocks[i].tally, pmcg->round_time);
	pmcg->round_time = 0;
}

/* The interval is over: the rest of a round belongs to the next one. */
void figures_end_rounds(struct figures *figures)
{
	size_t i;

	for (i = 0; i < figures->machine->pmcgs_number; i++)
		end_round(&figures->pmcgs[i]);
}

/* Adds what a counter group has counted in a slice. */
void figures_add(struct figures *figures, size_t index, const struct slice *slice,
		 const struct slice_counts *counts)
{
	const struct smmu *smmu = &figures->machine->smmus[figures->machine->pmcgs[index].smmu];
	struct pmcg_figures *pmcg = &figures->pmcgs[index];
	struct tally *tally;
	unsigned int i;

	if (slice->first_of_round)
		end_round(pmcg);
	pmcg->enabled += counts->enabled;
	pmcg->running += counts->running;
	pmcg->round_time += counts->running;
	if (!counts->running)
		return;
	pmcg->slices++;
	for (i = 0; i < slice->number; i++) {
		if (slice->specs[i].event >= EVENTS)
			continue;
		tally = find_tally(pmcg, smmu, &slice->specs[i].block);
		if (tally)
			add_spec(tally, slice, counts, i);
	}
}

/* What was counted in this interval becomes what was counted before. */
void figures_next_interval(struct figures *figures)
{
	struct pmcg_figures *pmcg;
	struct former *former;
	struct tally *tally;
	unsigned int column;
	size_t i, row;

	figures_end_rounds(figures);
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		pmcg = &figures->pmcgs[i];
		pmcg->slices = 0;
		pmcg->enabled = 0;
		pmcg->running = 0;
		pmcg->blocks_number = 0;
		for (row = 0; row <= pmcg->rows_number; row++) {
			tally = &pmcg->rows[row];
			for (column = 0; column < COLUMNS; column++) {
				former = &pmcg->former[row][column];
				if (tally->now[column].visits > 0)
					*former = (struct former){
						.rate = estimate_figure(&tally->now[column], 0),
						.age = 1,
					};
				else if (former->age && ++former->age > MOST_AGE + 1)
					former->age = 0;
			}
			memset(tally->now, 0, sizeof(tally->now));
		}
	}
}
