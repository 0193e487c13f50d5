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

struct figures *figures_new(const struct machine *machine)
{
	struct figures *figures = grow(NULL, 0, sizeof(*figures));
	struct pmcg_figures *pmcg;
	size_t i;

	figures->machine = machine;
	for (i = 0; i < machine->pmcgs_number; i++) {
		figures->pmcgs = grow(figures->pmcgs, i, sizeof(*figures->pmcgs));
		pmcg = &figures->pmcgs[i];
		pmcg->rows_number = machine->smmus[machine->pmcgs[i].smmu].rows_number;
		pmcg->now = calloc(pmcg->rows_number + 1, sizeof(*pmcg->now));
		pmcg->before = calloc(pmcg->rows_number + 1, sizeof(*pmcg->before));
		if (!pmcg->now || !pmcg->before)
			abort();
		pmcg->same = i;
		pmcg->dispersion = 1;
	}
	return figures;
}

void figures_free(struct figures *figures)
{
	size_t i;

	if (!figures)
		return;
	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		free(figures->pmcgs[i].now);
		free(figures->pmcgs[i].before);
	}
	free(figures->pmcgs);
	free(figures);
}

/* The row that a block is, or the number of rows for everything, or SEARCH_NO_ROW. */
static size_t find_row(const struct smmu *smmu, const struct search_block *block)
{
	size_t first = 0, last = smmu->rows_number, middle;

	if (block->everything)
		return smmu->rows_number;
	if (block->span_bits)
		return SEARCH_NO_ROW;
	while (first < last) {
		middle = (first + last) / 2;
		if (smmu->rows[middle].id == block->stream_id)
			return middle;
		if (smmu->rows[middle].id < block->stream_id)
			first = middle + 1;
		else
			last = middle;
	}
	return SEARCH_NO_ROW;
}

/* The spec of a slice that counts an event of a block, or NULL. */
static const struct spec *find_spec(const struct slice *slice, unsigned int event,
				    const struct search_block *block)
{
	const struct spec *spec;

	for (spec = slice->specs; spec < slice->specs + slice->number; spec++)
		if (spec->event == event && block_equal(&spec->block, block))
			return spec;
	return NULL;
}

static bool is_beside(const struct slice *slice, unsigned int event)
{
	return find_spec(slice, event, &(struct search_block){ .everything = true });
}

static void add_count(struct tally *tally, unsigned int event, uint64_t count, uint64_t time,
		      bool beside)
{
	estimate_add(&tally->rates[event], count, time);
	tally->beside[event] += beside;
}

static bool is_in(const struct search_block *block, uint32_t id)
{
	return block->everything || !((uint64_t)(id ^ block->stream_id) >> block->span_bits);
}

/* Whether an earlier block of the slice that counted nothing has a StreamID, too. */
static bool was_in_block(const struct slice *slice, const struct slice_counts *counts,
			 unsigned int before, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < before; i++)
		if (slice->specs[i].event == slice->specs[before].event && !counts->counts[i] &&
		    is_in(&slice->specs[i].block, id))
			return true;
	return false;
}

/* Where a block counts nothing, none of its rows does: one that has stopped is known to have. */
static void add_nothing(struct pmcg_figures *pmcg, const struct smmu *smmu,
			const struct slice *slice, const struct slice_counts *counts,
			unsigned int index)
{
	const struct spec *spec = &slice->specs[index];
	bool beside = is_beside(slice, spec->event);
	struct search_block block = { .span_bits = 0 };
	size_t row;

	for (row = 0; row < smmu->rows_number; row++) {
		block.stream_id = smmu->rows[row].id;
		if (is_in(&spec->block, block.stream_id) &&
		    !find_spec(slice, spec->event, &block) &&
		    !was_in_block(slice, counts, index, block.stream_id))
			add_count(&pmcg->now[row], spec->event, 0, counts->running, beside);
	}
}

/* Each ratio of what a block has counted to something else that was counted of it. */
static void add_ratios(struct tally *tally, const struct slice *slice,
		       const struct slice_counts *counts, unsigned int index)
{
	const struct spec *spec = &slice->specs[index], *base;
	unsigned int column;

	for (column = 0; column < COLUMNS; column++) {
		if (!columns[column].base || columns[column].event != spec->event)
			continue;
		base = find_spec(slice, columns[column].base, &spec->block);
		if (base)
			estimate_ratio_add(&tally->ratios[column], counts->counts[index],
					   counts->counts[base - slice->specs], counts->running);
	}
}

/* Adds what a counter group has counted in a slice. */
void figures_add(struct figures *figures, size_t index, const struct slice *slice,
		 const struct slice_counts *counts)
{
	const struct smmu *smmu = &figures->machine->smmus[figures->machine->pmcgs[index].smmu];
	struct pmcg_figures *pmcg = &figures->pmcgs[index];
	const struct spec *spec;
	struct tally *tally;
	unsigned int i;
	size_t row;

	pmcg->enabled += counts->enabled;
	pmcg->running += counts->running;
	if (!counts->running)
		return;
	for (i = 0; i < slice->number; i++) {
		spec = &slice->specs[i];
		if (spec->event >= EVENTS)
			continue;
		if (!counts->counts[i] && (spec->block.everything || spec->block.span_bits))
			add_nothing(pmcg, smmu, slice, counts, i);
		row = find_row(smmu, &spec->block);
		if (row == SEARCH_NO_ROW)
			continue;
		tally = &pmcg->now[row];
		add_count(tally, spec->event, counts->counts[i], counts->running,
			  is_beside(slice, spec->event));
		add_ratios(tally, slice, counts, i);
	}
}

/* What a search says of an interval; the first one is about what rows are sorted by. */
void figures_set_search(struct figures *figures, size_t index,
			const struct search_summary *summary)
{
	struct pmcg_figures *pmcg = &figures->pmcgs[index];

	if (!pmcg->searched) {
		memset(pmcg->searches, 0, sizeof(pmcg->searches));
		pmcg->dispersion = summary->dispersion;
	}
	pmcg->searched = true;
	pmcg->searches[summary->column] = *summary;
}

/* Whether a row was counted in an earlier interval, not in this one, and was above a bound. */
bool figures_is_above(const struct figures *figures, size_t index, size_t row,
		      enum pmcg_event event, double most)
{
	const struct pmcg_figures *pmcg = &figures->pmcgs[index];
	const struct tally *before = &pmcg->before[row];

	return !(pmcg->now[row].rates[event].slices > 0) && before->rates[event].slices > 0 &&
	       estimate_rate(&before->rates[event], 0, 1).value > most;
}

/* What a search says that a row can have at most, until the end of the interval. */
void figures_set_most(struct figures *figures, size_t index, size_t row, enum pmcg_event event,
		      double most)
{
	figures->pmcgs[index].before[row].most[event] = most;
}

/* What is too old is forgotten. The numerator of a ratio may have been counted on its own since. */
static void keep(struct tally *before, const struct tally *now)
{
	unsigned int event, column;

	for (event = 0; event < EVENTS; event++) {
		before->most[event] = INFINITY;
		if (now->rates[event].slices > 0) {
			before->ages[event] = 0;
			before->rates[event] = now->rates[event];
		} else if (++before->ages[event] > MOST_AGE) {
			estimate_reset(&before->rates[event]);
		}
	}
	for (column = 0; column < COLUMNS; column++) {
		if (now->ratios[column].numerator.slices > 0) {
			before->ratio_ages[column] = 0;
			before->ratios[column] = now->ratios[column];
		} else if (++before->ratio_ages[column] > MOST_AGE) {
			estimate_ratio_reset(&before->ratios[column]);
		}
	}
}

/* What was counted in this interval becomes what was counted before. */
void figures_next_interval(struct figures *figures)
{
	struct pmcg_figures *pmcg;
	size_t i, row;

	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		pmcg = &figures->pmcgs[i];
		pmcg->searched = false;
		pmcg->enabled = 0;
		pmcg->running = 0;
		for (row = 0; row <= pmcg->rows_number; row++) {
			keep(&pmcg->before[row], &pmcg->now[row]);
			memset(&pmcg->now[row], 0, sizeof(*pmcg->now));
		}
	}
}
