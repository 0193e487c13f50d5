// SPDX-License-Identifier: GPL-2.0
/*
 * What counter groups count: which events, of what, and how often.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../plan.h"
#include "load.h"
#include "test.h"

#define ALL_COLUMNS	((1U << COLUMNS) - 1)

static struct load load;

/**
 * struct visited - how often something was counted
 * @rows: by row and event
 * @everything: by event
 * @within: rows, as one of a block
 * @blocks: of more than one row
 * @largest: number of rows of the largest one
 * @slices: in all
 */
static struct visited {
	unsigned int rows[MAX_ROWS][EVENTS];
	unsigned int everything[EVENTS];
	unsigned int within[MAX_ROWS][EVENTS];
	unsigned int blocks;
	unsigned int largest;
	unsigned int slices;
} visited;

static struct figures *figures;

static void set_up_many(size_t rows, enum pmcg_kind kind, unsigned int counters, bool filter_each,
			unsigned int pmcgs)
{
	const struct pmcg pmcg = {
		.kind = kind,
		.events = kind == KIND_TBU ? 0x87 : 0x7f,
		.counters = counters,
		.filter_each = filter_each,
		.stream_bits = 24,
	};

	load_init(&load, 1, rows, &pmcg, pmcgs);
	figures_free(figures);
	figures = figures_new(&load.machine);
}

static void set_up(size_t rows, enum pmcg_kind kind, unsigned int counters, bool filter_each)
{
	set_up_many(rows, kind, counters, filter_each, 1);
}

static void set_rate(size_t row, double rate)
{
	load.loads[row].rate = rate;
	load.loads[row].shares[0] = 1;
}

static struct plan *new_plan(enum column sort, unsigned int limits, unsigned int rows)
{
	struct plan_options options = {
		.turns = !rows,
		.columns = ALL_COLUMNS,
		.sort = sort,
		.limits = limits,
		.rows = rows,
		.seed = 1,
	};

	return plan_new(&load.machine, &options);
}

static size_t find_row(uint32_t id)
{
	size_t row = 0;

	while (row < load.smmu.rows_number && load.rows[row].id != id)
		row++;
	return row;
}

static void look_at_block(const struct spec *spec)
{
	unsigned int rows = 0;
	size_t row;

	for (row = 0; row < load.smmu.rows_number; row++) {
		visited.within[row][spec->event] += block_has(&spec->block, load.rows[row].id);
		rows += block_has(&spec->block, load.rows[row].id);
	}
	visited.blocks++;
	if (rows > visited.largest)
		visited.largest = rows;
}

static void look_at(const struct slice *slice)
{
	const struct spec *spec;

	visited.slices++;
	CHECK(slice->number && slice->number <= load.pmcgs[0].counters, "%u", slice->number);
	for (spec = slice->specs; spec < slice->specs + slice->number; spec++) {
		CHECK(load.pmcgs[0].filter_each ||
		      block_equal(&spec->block, &slice->specs[0].block), "two filters in a slice");
		if (spec->block.everything)
			visited.everything[spec->event]++;
		else if (spec->block.span_bits)
			look_at_block(spec);
		else
			visited.rows[find_row(spec->block.stream_id)][spec->event]++;
	}
}

/*
 * An interval of so many slices, or a search; returns whether it was one. What the last counter
 * group visits is looked at.
 */
static bool count_interval(struct plan *plan, unsigned int slices, bool may_search)
{
	bool search = plan_begin(plan, slices, may_search);
	struct slice_counts counts;
	struct slice slice;
	size_t i;

	memset(&visited, 0, sizeof(visited));
	while (plan_slices(plan)) {
		for (i = 0; i < load.machine.pmcgs_number; i++) {
			plan_next(plan, i, &slice);
			if (!slice.number)
				continue;
			load_count(&load, i, &slice, visited.slices * 0.005,
				   visited.slices * 0.005 + 0.005, &counts);
			figures_add(figures, i, &slice, &counts);
			if (i == load.machine.pmcgs_number - 1)
				look_at(&slice);
		}
	}
	plan_learn(plan, figures);
	figures_next_interval(figures);
	return search;
}

/* In a search, all rows are visited once, as the worst ones are not known. */
static void search(void)
{
	struct plan *plan;
	size_t row;

	set_up(64, KIND_TBU, 4, false);
	for (row = 0; row < 64; row++)
		set_rate(row, 1000);
	plan = new_plan(COLUMN_MISS, 0, 10);
	CHECK(count_interval(plan, 400, true), "the first one");
	CHECK(visited.slices == 65, "%u", visited.slices);
	for (row = 0; row < 64; row++)
		CHECK(visited.rows[row][EVENT_TLB_MISS] == 1 &&
		      visited.rows[row][EVENT_TRANSACTION] == 1,
		      "row %zu: %u", row, visited.rows[row][EVENT_TLB_MISS]);
	CHECK(!count_interval(plan, 400, true), "the second one");
	CHECK(visited.slices == 400, "%u", visited.slices);
	plan_free(plan);
}

/* The worst rows are visited more often, and everything as often as these. */
static void worst_rows(void)
{
	unsigned int most = 0;
	struct plan *plan;
	size_t row;

	set_up(200, KIND_TBU, 4, false);
	for (row = 0; row < 200; row++)
		set_rate(row, row % 50 ? 1000 : 1e6);
	plan = new_plan(COLUMN_MISS, 0, 4);
	count_interval(plan, 500, true);
	count_interval(plan, 500, true);
	CHECK(visited.slices == 500, "%u", visited.slices);
	for (row = 0; row < 200; row++) {
		CHECK(row % 50 ? visited.rows[row][EVENT_TLB_MISS] +
				 visited.within[row][EVENT_TLB_MISS] >= 3 :
		      visited.rows[row][EVENT_TLB_MISS] >= 10, "row %zu: %u", row,
		      visited.rows[row][EVENT_TLB_MISS]);
		if (visited.rows[row][EVENT_TLB_MISS] > most)
			most = visited.rows[row][EVENT_TLB_MISS];
	}
	CHECK(visited.everything[EVENT_TLB_MISS] >= most, "%u", visited.everything[EVENT_TLB_MISS]);
	/* An interval that is too short for ten visits of these, and of each row, takes longer. */
	count_interval(plan, 50, false);
	CHECK(visited.slices > 50 && visited.slices < 130, "%u", visited.slices);
	for (row = 0; row < 200; row += 50)
		CHECK(visited.rows[row][EVENT_TLB_MISS] >= 10, "row %zu: %u", row,
		      visited.rows[row][EVENT_TLB_MISS]);
	plan_free(plan);
}

/* With a limit, each row is visited, if only once. */
static void limited_rows(void)
{
	struct plan *plan;
	size_t row;

	set_up(200, KIND_TBU, 4, false);
	for (row = 0; row < 200; row++)
		set_rate(row, 1000);
	plan = new_plan(COLUMN_MISS, 1U << COLUMN_MISS, 4);
	count_interval(plan, 500, true);
	count_interval(plan, 500, true);
	CHECK(!visited.blocks, "%u", visited.blocks);
	for (row = 0; row < 200; row++)
		CHECK(visited.rows[row][EVENT_TLB_MISS], "row %zu", row);
	plan_free(plan);
}

/* A long interval repeats a list, in which a row is visited equally often each time. */
static void long_interval(void)
{
	struct plan *plan;

	set_up(64, KIND_TBU, 4, false);
	set_rate(7, 1000);
	plan = new_plan(COLUMN_MISS, 0, 10);
	count_interval(plan, 400, true);
	count_interval(plan, 10000, false);
	CHECK(visited.slices == 10000, "%u", visited.slices);
	CHECK(visited.rows[7][EVENT_TLB_MISS] % 5 == 0 && visited.rows[7][EVENT_TLB_MISS] > 2000,
	      "%u", visited.rows[7][EVENT_TLB_MISS]);
	plan_free(plan);
}

/* More rows than there are visits for are visited in blocks, until those that count are found. */
static void blocks(void)
{
	struct plan *plan;
	size_t row;

	set_up(2000, KIND_TBU, 4, false);
	for (row = 0; row < 2000; row++)
		set_rate(row, row % 600 == 123 ? 1e6 : 100);
	plan = new_plan(COLUMN_MISS, 0, 4);
	CHECK(count_interval(plan, 400, true), "the first one");
	CHECK(visited.blocks > 0 && visited.slices < 250, "%u in %u slices", visited.blocks,
	      visited.slices);
	CHECK(count_interval(plan, 400, true), "the second one");
	CHECK(!count_interval(plan, 400, true), "the third one");
	CHECK(visited.slices == 400, "%u", visited.slices);
	for (row = 123; row < 2000; row += 600)
		CHECK(visited.rows[row][EVENT_TLB_MISS] >= 10, "row %zu: %u", row,
		      visited.rows[row][EVENT_TLB_MISS]);
	plan_free(plan);
}

/* Where there is no room, what counts nothing is one block between what counts, until it counts. */
static void zeros_are_blocks(void)
{
	struct plan *plan;
	size_t row, single = 0;

	set_up(200, KIND_TBU, 4, false);
	for (row = 0; row < 50; row++)
		set_rate(row, 1000);
	plan = new_plan(COLUMN_MISS, 0, 4);
	count_interval(plan, 120, true);
	count_interval(plan, 120, true);
	count_interval(plan, 120, false);
	for (row = 0; row < 200; row++)
		single += visited.rows[row][EVENT_TLB_MISS] > 0;
	CHECK(single >= 50 && single < 70 && visited.blocks > 0, "%zu rows, %u blocks", single,
	      visited.blocks);
	set_rate(111, 1e6);
	count_interval(plan, 120, false);
	CHECK(!visited.rows[111][EVENT_TLB_MISS], "it was not known");
	count_interval(plan, 120, false);
	count_interval(plan, 120, false);
	CHECK(visited.rows[111][EVENT_TLB_MISS] > 0, "its block has counted");
	count_interval(plan, 120, false);
	CHECK(visited.rows[111][EVENT_TLB_MISS] >= 10, "%u", visited.rows[111][EVENT_TLB_MISS]);
	plan_free(plan);
}

/* Blocks that count nothing are cut alike: 64 cells of 200 rows are not 60 rows and four blocks. */
static void blocks_are_alike(void)
{
	struct plan *plan;

	set_up(200, KIND_TBU, 4, false);
	plan = new_plan(COLUMN_MISS, 0, 4);
	count_interval(plan, 128, true);
	count_interval(plan, 128, false);
	CHECK(visited.largest >= 4 && visited.largest <= 8, "%u rows", visited.largest);
	plan_free(plan);
}

/* One of the worst rows is no part of a block, also where it counts nothing. */
static void worst_are_no_blocks(void)
{
	struct plan *plan;

	set_up_many(200, KIND_TBU, 4, false, 2);
	set_rate(77, 1e6);
	plan = new_plan(COLUMN_MISS, 0, 4);
	count_interval(plan, 120, true);
	count_interval(plan, 120, true);
	count_interval(plan, 120, false);
	CHECK(visited.blocks > 0, "%u", visited.blocks);
	CHECK(visited.rows[77][EVENT_TLB_MISS] > 0, "it is alone behind the other TBU");
	plan_free(plan);
}

/* Where there is none of the worst rows, everything is visited often enough for an error. */
static void everything_is_counted(void)
{
	struct plan *plan;

	set_up(49, KIND_TBU, 4, false);
	plan = new_plan(COLUMN_MISS, 0, 4);
	count_interval(plan, 200, true);
	count_interval(plan, 200, false);
	CHECK(visited.slices == 200, "%u", visited.slices);
	CHECK(visited.rows[7][EVENT_TLB_MISS] == 3, "%u", visited.rows[7][EVENT_TLB_MISS]);
	CHECK(visited.everything[EVENT_TLB_MISS] >= 10, "%u", visited.everything[EVENT_TLB_MISS]);
	plan_free(plan);
}

/* If all rows take turns, it is for these, and everything is visited as often as they are. */
static void all_take_turns(void)
{
	struct plan *plan;

	set_up(19, KIND_TBU, 4, false);
	plan = new_plan(COLUMN_MISS, 0, 0);
	count_interval(plan, 200, false);
	CHECK(visited.rows[7][EVENT_TLB_MISS] == 10, "%u", visited.rows[7][EVENT_TLB_MISS]);
	CHECK(visited.everything[EVENT_TLB_MISS] == 10, "%u", visited.everything[EVENT_TLB_MISS]);
	plan_free(plan);
}

/* Where everything is counted beside the rows, it needs no visits of its own. */
static void everything_is_beside(void)
{
	struct plan *plan;

	set_up(58, KIND_TBU, 8, true);
	plan = new_plan(COLUMN_MISS, 0, 4);
	count_interval(plan, 200, true);
	count_interval(plan, 200, false);
	CHECK(visited.rows[7][EVENT_TLB_MISS] == 10, "%u", visited.rows[7][EVENT_TLB_MISS]);
	CHECK(visited.everything[EVENT_TLB_MISS] == 200, "%u", visited.everything[EVENT_TLB_MISS]);
	plan_free(plan);
}

/* The worst by walks are not those by configuration misses, which have a limit. */
static void limit_by_another_column(void)
{
	unsigned int limits;
	struct plan *plan;

	for (limits = 0; limits <= 1U << COLUMN_CFG; limits += 1U << COLUMN_CFG) {
		set_up(64, KIND_TCU, 2, false);
		set_rate(7, 1e6);
		plan = new_plan(COLUMN_WALK, limits, 3);
		CHECK(plan_counts(plan, COLUMN_WALK), "walks");
		CHECK(plan_counts(plan, COLUMN_CFG) && !plan_counts(plan, COLUMN_MISS), "columns");
		count_interval(plan, 400, true);
		count_interval(plan, 400, true);
		CHECK((visited.rows[50][EVENT_CONFIG_MISS] > 0) == (limits > 0), "limits %#x: %u",
		      limits, visited.rows[50][EVENT_CONFIG_MISS]);
		CHECK(visited.everything[EVENT_CONFIG_MISS] > 0, "limits %#x", limits);
		plan_free(plan);
	}
}

/* What is not sorted by is counted of the worst rows, and of everything. */
static void other_events(void)
{
	struct plan *plan;

	set_up(64, KIND_TCU, 2, false);
	set_rate(7, 1e6);
	plan = new_plan(COLUMN_WALK, 0, 3);
	count_interval(plan, 400, true);
	count_interval(plan, 400, true);
	CHECK(visited.rows[7][EVENT_CONFIG_MISS] > 0, "the worst");
	CHECK(!visited.rows[8][EVENT_CONFIG_MISS], "another one");
	CHECK(visited.everything[EVENT_ATS_REQUEST] > 0, "everything");
	CHECK(visited.everything[EVENT_TRANSACTION] > 0, "everything");
	CHECK(plan_sort(plan) == COLUMN_WALK, "%d", plan_sort(plan));
	plan_set_sort(plan, COLUMN_CFG);
	CHECK(plan_sort(plan) == COLUMN_CFG, "%d", plan_sort(plan));
	count_interval(plan, 400, false);
	CHECK(visited.rows[8][EVENT_CONFIG_MISS] > 0, "it is sorted by");
	plan_free(plan);
}

/* Where all fits into the counters, everything is counted all the time. */
static void steady(void)
{
	struct slice slice;
	struct plan *plan;

	set_up(3, KIND_TBU, 8, true);
	plan = new_plan(COLUMN_MISS, 0, 10);
	CHECK(plan_is_steady(plan, 0), "3 rows and everything, by 2 events");
	CHECK(!plan_begin(plan, 400, true) && !plan_slices(plan), "nothing takes turns");
	plan_next(plan, 0, &slice);
	CHECK(slice.number == 8, "%u", slice.number);
	plan_free(plan);
	set_up(4, KIND_TBU, 8, true);
	plan = new_plan(COLUMN_MISS, 0, 10);
	CHECK(!plan_is_steady(plan, 0), "4 rows");
	count_interval(plan, 400, true);
	CHECK(visited.everything[EVENT_TLB_MISS] == visited.slices, "beside, in each slice");
	plan_free(plan);
}

/* Rows that a counter group cannot tell from other StreamIDs are none of its rows. */
static void rows_of_more_bits(void)
{
	struct plan *plan;
	size_t row;

	set_up(4, KIND_TBU, 4, false);
	load.pmcgs[0].stream_bits = 32;
	load.streams[2].id |= 1 << 24;
	plan = new_plan(COLUMN_MISS, 0, 3);
	count_interval(plan, 400, false);
	for (row = 0; row < 4; row++)
		CHECK((visited.rows[row][EVENT_TLB_MISS] > 0) == (row != 2), "row %zu", row);
	plan_free(plan);
}

static const struct test tests[] = {
	TEST(search),
	TEST(worst_rows),
	TEST(limited_rows),
	TEST(long_interval),
	TEST(blocks),
	TEST(zeros_are_blocks),
	TEST(blocks_are_alike),
	TEST(worst_are_no_blocks),
	TEST(everything_is_counted),
	TEST(all_take_turns),
	TEST(everything_is_beside),
	TEST(limit_by_another_column),
	TEST(other_events),
	TEST(steady),
	TEST(rows_of_more_bits),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
