// SPDX-License-Identifier: GPL-2.0
/*
 * What the slices of an interval have counted of each row.
 */
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

static void add_ratio(struct estimate_ratio *ratio, uint64_t sums[2], const struct slice *slice,
		      const struct slice_counts *counts, unsigned int index, unsigned int event)
{
	const struct spec *base = find_spec(slice, event, &slice->specs[index].block);

	if (!base)
		return;
	estimate_ratio_add(ratio, counts->counts[index], counts->counts[base - slice->specs],
			   counts->running);
	sums[0] += counts->counts[index];
	sums[1] += counts->counts[base - slice->specs];
}

static void add_count(struct tally *tally, unsigned int event, uint64_t count, uint64_t time,
		      bool beside)
{
	estimate_add(&tally->rates[event], count, time);
	tally->counts[event] += count;
	tally->slices[event]++;
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
		if (spec->event == EVENT_TLB_MISS)
			add_ratio(&tally->miss_ratio, tally->miss_counts, slice, counts, i,
				  EVENT_TRANSACTION);
		if (spec->event == EVENT_WALK_ACCESS)
			add_ratio(&tally->walk_ratio, tally->walk_counts, slice, counts, i,
				  EVENT_TLB_MISS);
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

	return !pmcg->now[row].slices[event] && before->slices[event] &&
	       estimate_rate(&before->rates[event], 0, 1).value > most;
}

/* What a search says that a row can have at most, until the end of the interval. */
void figures_set_most(struct figures *figures, size_t index, size_t row, enum pmcg_event event,
		      double most)
{
	struct tally *before = &figures->pmcgs[index].before[row];

	before->limited |= 1U << event;
	before->most[event] = most;
}

static void keep_event(struct tally *before, const struct tally *now, unsigned int event)
{
	if (now->slices[event]) {
		before->ages[event] = 0;
		before->rates[event] = now->rates[event];
		before->counts[event] = now->counts[event];
		before->slices[event] = now->slices[event];
	} else if (++before->ages[event] > MOST_AGE) {
		before->counts[event] = 0;
		before->slices[event] = 0;
	}
}

/* The numerator may have been counted on its own since. */
static void keep_ratio(struct estimate_ratio *before, unsigned int *age,
		       const struct estimate_ratio *now)
{
	if (now->numerator.slices > 0) {
		*age = 0;
		*before = *now;
	} else if (++*age > MOST_AGE) {
		estimate_ratio_reset(before);
	}
}

/* What was counted in this interval becomes what was counted before. */
void figures_next_interval(struct figures *figures)
{
	struct pmcg_figures *pmcg;
	struct tally *now, *before;
	unsigned int event;
	size_t i, row;

	for (i = 0; i < figures->machine->pmcgs_number; i++) {
		pmcg = &figures->pmcgs[i];
		pmcg->searched = false;
		pmcg->enabled = 0;
		pmcg->running = 0;
		for (row = 0; row <= pmcg->rows_number; row++) {
			now = &pmcg->now[row];
			before = &pmcg->before[row];
			before->limited = 0;
			for (event = 0; event < EVENTS; event++)
				keep_event(before, now, event);
			keep_ratio(&before->miss_ratio, &before->miss_age,
				   &now->miss_ratio);
			keep_ratio(&before->walk_ratio, &before->walk_age,
				   &now->walk_ratio);
			memset(now, 0, sizeof(*now));
		}
	}
}
