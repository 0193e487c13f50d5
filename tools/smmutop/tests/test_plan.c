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
#define SLICE		5000000ULL

static struct load load;

/**
 * struct visited - how often something was counted
 * @rows: by row and event
 * @everything: by event
 * @blocks: of more than one row
 * @slices: in all
 * @rounds: that have begun
 */
static struct visited {
	unsigned int rows[MAX_ROWS][EVENTS];
	unsigned int everything[EVENTS];
	unsigned int blocks;
	unsigned int slices;
	unsigned int rounds;
} visited;

static void set_up(size_t rows, enum pmcg_kind kind, unsigned int counters, bool filter_each)
{
	const struct pmcg pmcg = {
		.kind = kind,
		.events = kind == KIND_TBU ? 0x87 : 0x7f,
		.counters = counters,
		.filter_each = filter_each,
		.stream_bits = 24,
	};

	load_init(&load, 1, rows, &pmcg, 1);
	memset(&visited, 0, sizeof(visited));
}

static void set_rate(size_t row, double rate)
{
	load.loads[row].rate = rate;
	load.loads[row].shares[0] = 1;
}

static struct plan *new_plan(enum column sort, unsigned int limits, unsigned int rows)
{
	struct plan_options options = {
		.columns = ALL_COLUMNS,
		.sort = sort,
		.limits = limits,
		.rows = rows,
		.slice = SLICE,
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

static void look_at(const struct slice *slice)
{
	const struct spec *spec;

	visited.slices++;
	visited.rounds += slice->first_of_round;
	CHECK(slice->number && slice->number <= load.pmcgs[0].counters, "%u", slice->number);
	for (spec = slice->specs; spec < slice->specs + slice->number; spec++) {
		CHECK(load.pmcgs[0].filter_each ||
		      block_equal(&spec->block, &slice->specs[0].block), "two filters in a slice");
		if (spec->block.everything)
			visited.everything[spec->event]++;
		else if (spec->block.span_bits)
			visited.blocks++;
		else
			visited.rows[find_row(spec->block.stream_id)][spec->event]++;
	}
}

static void count_slices(struct plan *plan, unsigned int number)
{
	struct slice_counts counts;
	struct slice slice;

	while (number--) {
		plan_next(plan, 0, 0, &slice);
		look_at(&slice);
		load_count(&load, 0, &slice, visited.slices * 0.005, visited.slices * 0.005 + 0.005,
			   &counts);
		plan_add(plan, 0, &slice, &counts);
	}
}

static void count_rounds(struct plan *plan, unsigned int number)
{
	unsigned int most = 10000;

	while (visited.rounds <= number && most--)
		count_slices(plan, 1);
	CHECK(visited.rounds == number + 1, "%u slices, %u rounds", visited.slices, visited.rounds);
}

/* In the first round, all rows are visited once, as the worst ones are not known. */
static void first_round(void)
{
	static struct visited before;
	struct plan *plan;
	size_t row;

	set_up(64, KIND_TBU, 4, false);
	plan = new_plan(COLUMN_MISS, 0, 10);
	do {
		before = visited;
		CHECK(!plan_is_settled(plan), "after %u slices", visited.slices);
		count_slices(plan, 1);
	} while (visited.rounds < 2);
	CHECK(plan_is_settled(plan), "after a round");
	visited = before;
	CHECK(visited.slices >= 64 && visited.slices <= 80, "%u", visited.slices);
	for (row = 0; row < 64; row++)
		CHECK(visited.rows[row][EVENT_TLB_MISS] == visited.rows[0][EVENT_TLB_MISS] &&
		      visited.rows[row][EVENT_TLB_MISS] == visited.rows[row][EVENT_TRANSACTION],
		      "row %zu: %u", row, visited.rows[row][EVENT_TLB_MISS]);
	CHECK(visited.everything[EVENT_TLB_MISS] >= visited.slices / 20, "%u",
	      visited.everything[EVENT_TLB_MISS]);
	plan_free(plan);
}

/* The worst rows are visited more often, all others as well. */
static void worst_rows(void)
{
	struct plan *plan;
	size_t row;

	set_up(200, KIND_TBU, 4, false);
	for (row = 0; row < 200; row++)
		set_rate(row, row % 50 ? 1000 : 1e6);
	plan = new_plan(COLUMN_MISS, 0, 4);
	count_rounds(plan, 2);
	memset(&visited, 0, sizeof(visited));
	visited.rounds = 1;
	count_rounds(plan, 2);
	CHECK(plan_is_settled(plan), "after %u slices", visited.slices);
	for (row = 0; row < 200; row++)
		CHECK(row % 50 ? visited.rows[row][EVENT_TLB_MISS] >= 1 :
		      visited.rows[row][EVENT_TLB_MISS] >= 10, "row %zu: %u", row,
		      visited.rows[row][EVENT_TLB_MISS]);
	CHECK(!visited.blocks, "%u", visited.blocks);
	plan_free(plan);
}

/* More rows than can be visited in two seconds are visited in blocks, until they are found. */
static void blocks(void)
{
	struct plan *plan;
	size_t row;

	set_up(2000, KIND_TBU, 4, false);
	for (row = 0; row < 2000; row++)
		set_rate(row, row % 600 == 123 ? 1e6 : 100);
	plan = new_plan(COLUMN_MISS, 0, 4);
	count_rounds(plan, 1);
	CHECK(visited.blocks > 0 && visited.slices < 400, "%u in %u slices", visited.blocks,
	      visited.slices);
	CHECK(!plan_is_settled(plan), "no block was explored");
	count_rounds(plan, 4);
	memset(&visited, 0, sizeof(visited));
	visited.rounds = 1;
	count_rounds(plan, 1);
	CHECK(visited.slices < 600, "%u", visited.slices);
	for (row = 123; row < 2000; row += 600)
		CHECK(visited.rows[row][EVENT_TLB_MISS] >= 5, "row %zu: %u", row,
		      visited.rows[row][EVENT_TLB_MISS]);
	plan_free(plan);
}

/* The worst by walks are not those by configuration misses, which have a limit. */
static void limit_by_another_column(void)
{
	unsigned int limits;
	struct plan *plan;

	for (limits = 0; limits <= 1U << COLUMN_CFG; limits += 1U << COLUMN_CFG) {
		set_up(64, KIND_TCU, 2, false);
		plan = new_plan(COLUMN_WALK, limits, 3);
		CHECK(plan_counts(plan, COLUMN_WALK), "walks");
		CHECK(plan_counts(plan, COLUMN_CFG) && !plan_counts(plan, COLUMN_MISS), "columns");
		count_rounds(plan, 3);
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
	count_rounds(plan, 3);
	CHECK(visited.rows[7][EVENT_CONFIG_MISS] > 0, "the worst");
	CHECK(!visited.rows[8][EVENT_CONFIG_MISS], "another one");
	CHECK(visited.everything[EVENT_ATS_REQUEST] > 0, "everything");
	CHECK(visited.everything[EVENT_TRANSACTION] > 0, "everything");
	CHECK(plan_sort(plan) == COLUMN_WALK, "%d", plan_sort(plan));
	plan_set_sort(plan, COLUMN_CFG);
	CHECK(plan_sort(plan) == COLUMN_CFG && !plan_is_settled(plan), "%d", plan_sort(plan));
	memset(&visited, 0, sizeof(visited));
	count_rounds(plan, 1);
	CHECK(visited.rows[8][EVENT_CONFIG_MISS] > 0, "it is sorted by");
	plan_free(plan);
}

/* Where all fits into the counters, everything is counted all the time. */
static void steady(void)
{
	struct plan *plan;

	set_up(3, KIND_TBU, 8, true);
	plan = new_plan(COLUMN_MISS, 0, 10);
	CHECK(plan_is_steady(plan, 0), "3 rows and everything, by 2 events");
	count_slices(plan, 3);
	CHECK(visited.rows[2][EVENT_TRANSACTION] == 3 && visited.everything[EVENT_TLB_MISS] == 3,
	      "%u", visited.rows[2][EVENT_TRANSACTION]);
	plan_free(plan);
	set_up(4, KIND_TBU, 8, true);
	plan = new_plan(COLUMN_MISS, 0, 10);
	CHECK(!plan_is_steady(plan, 0), "4 rows");
	count_slices(plan, 10);
	CHECK(visited.everything[EVENT_TLB_MISS] == 10, "beside, in each slice");
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
	count_slices(plan, 100);
	for (row = 0; row < 4; row++)
		CHECK((visited.rows[row][EVENT_TLB_MISS] > 0) == (row != 2), "row %zu", row);
	plan_free(plan);
}

static const struct test tests[] = {
	TEST(first_round),
	TEST(worst_rows),
	TEST(blocks),
	TEST(limit_by_another_column),
	TEST(other_events),
	TEST(steady),
	TEST(rows_of_more_bits),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
