// SPDX-License-Identifier: GPL-2.0
/*
 * What counter groups count: which searches there are, what goes on when another column is sorted
 * by, and what the rows that were found are counted by.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../plan.h"
#include "load.h"
#include "test.h"

#define MAX_ROWS	2048

/**
 * struct setting - an SMMU with one counter group
 * @machine: for the plan
 * @smmu: of it
 * @pmcg: of it
 * @streams: one for each row
 * @rows: with StreamIDs 0, 8, 16 ...
 * @rates: events per s, by row and event
 * @counted: slices in which a row was counted on its own, by event
 * @now_ns: the time
 * @slices: that were counted
 */
struct setting {
	struct machine machine;
	struct smmu smmu;
	struct pmcg pmcg;
	struct stream streams[MAX_ROWS];
	struct row rows[MAX_ROWS];
	double rates[MAX_ROWS][EVENTS];
	unsigned int counted[MAX_ROWS][EVENTS];
	uint64_t now_ns;
	unsigned int slices;
};

static struct setting setting;
static struct load load;

static void set_up(size_t rows, enum pmcg_kind kind, unsigned int events, unsigned int counters,
		   bool filter_each)
{
	size_t i;

	memset(&setting, 0, sizeof(setting));
	load_init(&load, 1);
	setting.smmu = (struct smmu){
		.stream_bits = 24,
		.streams = setting.streams,
		.streams_number = rows,
		.rows = setting.rows,
		.rows_number = rows,
	};
	setting.pmcg = (struct pmcg){
		.name = "pmcg",
		.kind = kind,
		.events = events,
		.counters = counters,
		.filter_each = filter_each,
		.stream_bits = 24,
	};
	setting.machine = (struct machine){
		.smmus = &setting.smmu,
		.smmus_number = 1,
		.pmcgs = &setting.pmcg,
		.pmcgs_number = 1,
	};
	for (i = 0; i < rows; i++) {
		setting.streams[i].id = 8 * i;
		setting.rows[i] = (struct row){ .id = 8 * i, .first = i, .number = 1 };
	}
}

static bool is_in(const struct search_block *block, const struct row *row)
{
	return block->everything ||
	       !((uint64_t)(row->id ^ block->stream_id) >> block->span_bits);
}

static void count_slice(struct plan *plan)
{
	struct slice_counts counts = { .enabled = SLICE_NS, .running = SLICE_NS };
	const struct spec *spec;
	struct slice slice;
	unsigned int i;
	double rate;
	size_t row;

	plan_next(plan, 0, &slice);
	CHECK(slice.number && slice.number <= setting.pmcg.counters, "%u", slice.number);
	for (i = 0; i < slice.number; i++) {
		spec = &slice.specs[i];
		CHECK(setting.pmcg.filter_each ||
		      (spec->block.everything == slice.specs[0].block.everything &&
		       spec->block.stream_id == slice.specs[0].block.stream_id),
		      "two filters in a slice");
		rate = 0;
		for (row = 0; row < setting.smmu.rows_number; row++) {
			if (!is_in(&spec->block, &setting.rows[row]))
				continue;
			rate += setting.rates[row][spec->event];
			setting.counted[row][spec->event] += !spec->block.everything &&
							     !spec->block.span_bits;
		}
		counts.counts[i] = (uint64_t)load_events(&load, rate * SLICE_NS / 1e9);
	}
	setting.now_ns += SLICE_NS;
	setting.slices++;
	plan_add(plan, 0, &slice, &counts, setting.now_ns);
}

static void count_all(struct plan *plan, unsigned int most)
{
	while (!plan_covered(plan) && most--)
		count_slice(plan);
	CHECK(plan_covered(plan), "not after %u slices", setting.slices);
}

/* What is said of a column. */
static struct search_summary summary_of(struct plan *plan, enum column column)
{
	struct search_summary summary;
	unsigned int n;

	for (n = 0; plan_summary(plan, 0, n, &summary); n++)
		if (summary.column == column)
			return summary;
	return (struct search_summary){ .known = false };
}

#define TCU_EVENTS	0x7f
#define TBU_EVENTS	0x87
#define ALL_COLUMNS	((1U << COLUMNS) - 1)

/* The worst by walks are not those by configuration misses, which have a limit. */
static void limit_by_another_column(void)
{
	struct plan_options options = {
		.columns = ALL_COLUMNS,
		.sort = COLUMN_WALK,
		.rows = 3,
	};
	unsigned int limits, row;
	struct plan *plan;

	for (limits = 0; limits <= 1U << COLUMN_CFG; limits += 1U << COLUMN_CFG) {
		set_up(64, KIND_TCU, TCU_EVENTS, 2, false);
		for (row = 0; row < 64; row++) {
			setting.rates[row][EVENT_TLB_MISS] = row < 8 ? 100000 + row : 20;
			setting.rates[row][EVENT_WALK_ACCESS] = row < 8 ? 400000 : 80;
		}
		setting.rates[50][EVENT_CONFIG_MISS] = 5000;
		setting.rates[51][EVENT_CONFIG_MISS] = 100;
		options.limits = limits;
		plan = plan_new(&setting.machine, &options);
		count_all(plan, 4000);
		CHECK(summary_of(plan, COLUMN_WALK).complete, "walks");
		CHECK(summary_of(plan, COLUMN_CFG).known == (limits > 0), "limits %#x", limits);
		CHECK(summary_of(plan, COLUMN_CFG).complete == (limits > 0), "limits %#x", limits);
		CHECK((setting.counted[50][EVENT_CONFIG_MISS] > 0) == (limits > 0),
		      "limits %#x: %u", limits, setting.counted[50][EVENT_CONFIG_MISS]);
		plan_free(plan);
	}
}

/* The worst by ratio has few misses. Each of both columns has a search of its own. */
static void limit_of_a_ratio(void)
{
	const struct plan_options options = {
		.columns = ALL_COLUMNS,
		.sort = COLUMN_MISS,
		.limits = 1U << COLUMN_MISS | 1U << COLUMN_MISS_RATIO | 1U << COLUMN_WALK,
		.rows = 2,
	};
	struct search_summary summary;
	unsigned int filters, row, n;
	struct plan *plan;

	for (filters = 0; filters < 2; filters++) {
		set_up(64, KIND_TBU, TBU_EVENTS, 4, filters);
		for (row = 0; row < 64; row++) {
			setting.rates[row][EVENT_TRANSACTION] = row < 8 ? 9e6 : 1e5;
			setting.rates[row][EVENT_TLB_MISS] = row < 8 ? 9e4 : 500;
		}
		setting.rates[33][EVENT_TLB_MISS] = 6e4;
		plan = plan_new(&setting.machine, &options);
		count_all(plan, 4000);
		/* A TBU does not count walks, and what is sorted by is no search twice. */
		for (n = 0; plan_summary(plan, 0, n, &summary); n++)
			CHECK(summary.column == (n ? COLUMN_MISS_RATIO : COLUMN_MISS), "%u", n);
		CHECK(n == 2, "%u", n);
		CHECK(summary_of(plan, COLUMN_MISS_RATIO).complete, "filters %u", filters);
		CHECK(setting.counted[33][EVENT_TLB_MISS], "filters %u", filters);
		plan_free(plan);
	}
}

/* How many slices does it take until the first search is complete? */
static unsigned int slices_until_complete(struct plan *plan)
{
	unsigned int before = setting.slices;
	struct search_summary summary;

	while (plan_summary(plan, 0, 0, &summary) && !summary.complete &&
	       setting.slices < before + 1000)
		count_slice(plan);
	CHECK(summary.complete, "not after %u slices", setting.slices);
	return setting.slices - before;
}

/* A search that has counted the same events goes on, by whichever column. */
static void another_sort(void)
{
	static const struct {
		enum pmcg_kind kind;
		enum column first;
		enum column second;
		unsigned int slices;
	} pairs[] = {
		{ KIND_TBU, COLUMN_MISS, COLUMN_MISS_RATIO, 12 },
		{ KIND_TBU, COLUMN_MISS, COLUMN_TXN, 12 },
		{ KIND_TBU, COLUMN_TXN, COLUMN_MISS, 0 },
		{ KIND_TCU, COLUMN_WALK, COLUMN_WALK_RATIO, 24 },
		{ KIND_TCU, COLUMN_WALK_RATIO, COLUMN_WALK, 0 },
		/* What this one does not count changes nothing for it. */
		{ KIND_TBU, COLUMN_MISS, COLUMN_WALK, 0 },
		{ KIND_TBU, COLUMN_ATS, COLUMN_CFG, 0 },
		{ KIND_TCU, COLUMN_WALK, COLUMN_MISS, 0 },
	};
	struct plan_options options = { .columns = ALL_COLUMNS, .rows = 3, .min_share = 0.01 };
	unsigned int fresh, again;
	struct plan *plan;
	size_t i, row;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		set_up(64, pairs[i].kind, pairs[i].kind == KIND_TBU ? TBU_EVENTS : TCU_EVENTS, 4,
		       false);
		for (row = 0; row < 64; row++) {
			setting.rates[row][EVENT_TRANSACTION] = row % 20 ? 0 : 9e6;
			setting.rates[row][EVENT_TLB_MISS] = row % 20 ? 0 : 9e4 + 5e3 * row;
			setting.rates[row][EVENT_WALK_ACCESS] = row % 20 ? 0 : 3e5;
		}
		options.sort = pairs[i].second;
		plan = plan_new(&setting.machine, &options);
		fresh = slices_until_complete(plan);
		plan_free(plan);
		options.sort = pairs[i].first;
		plan = plan_new(&setting.machine, &options);
		slices_until_complete(plan);
		plan_set_sort(plan, pairs[i].second);
		again = slices_until_complete(plan);
		CHECK(fresh > 15 && again <= pairs[i].slices, "pair %zu: %u instead of %u slices",
		      i, again, fresh);
		plan_free(plan);
	}
}

/* Other events: it begins again, and the former one is not leaked. */
static void another_search(void)
{
	struct plan_options options = { .columns = ALL_COLUMNS, .sort = COLUMN_WALK, .rows = 3 };
	struct plan *plan;

	set_up(64, KIND_TCU, TCU_EVENTS, 4, false);
	setting.rates[5][EVENT_TLB_MISS] = 9e4;
	plan = plan_new(&setting.machine, &options);
	count_all(plan, 500);
	plan_set_sort(plan, COLUMN_CFG);
	CHECK(!plan_covered(plan), "nothing is known of it");
	CHECK(!summary_of(plan, COLUMN_CFG).complete, "nothing is known of it");
	count_all(plan, 500);
	plan_set_sort(plan, COLUMN_CFG);
	CHECK(plan_covered(plan), "the same one");
	plan_free(plan);
}

/* A row that stops is known to have less before it is its turn. */
static void most_of_a_row(void)
{
	const struct plan_options options = {
		.columns = ALL_COLUMNS,
		.sort = COLUMN_MISS,
		.rows = 1,
	};
	unsigned int counted, slices;
	struct plan *plan;

	set_up(64, KIND_TBU, TBU_EVENTS, 4, false);
	setting.rates[5][EVENT_TLB_MISS] = 1e5;
	setting.rates[5][EVENT_TRANSACTION] = 1e6;
	setting.rates[40][EVENT_TLB_MISS] = 9e4;
	setting.rates[40][EVENT_TRANSACTION] = 2e5;
	plan = plan_new(&setting.machine, &options);
	CHECK(isinf(plan_most(plan, 0, 8 * 40, EVENT_TLB_MISS)), "nothing was counted");
	count_all(plan, 500);
	CHECK(setting.counted[40][EVENT_TLB_MISS], "it could have been the worst");
	CHECK(fabs(plan_most(plan, 0, 8 * 40, EVENT_TLB_MISS) / 1e5 - 1) < 0.2, "%g",
	      plan_most(plan, 0, 8 * 40, EVENT_TLB_MISS));
	CHECK(fabs(plan_most(plan, 0, 8 * 40, EVENT_TRANSACTION) / 2.1e5 - 1) < 0.2, "%g",
	      plan_most(plan, 0, 8 * 40, EVENT_TRANSACTION));
	CHECK(isinf(plan_most(plan, 0, 8 * 40, EVENT_CONFIG_MISS)), "not counted");
	CHECK(isinf(plan_most(plan, 0, 8 * 41 + 1, EVENT_TLB_MISS)), "no such row");
	setting.rates[40][EVENT_TLB_MISS] = 0;
	setting.rates[40][EVENT_TRANSACTION] = 0;
	counted = setting.counted[40][EVENT_TLB_MISS];
	for (slices = 0; slices < 100; slices++) {
		if (plan_most(plan, 0, 8 * 40, EVENT_TLB_MISS) < 9e3)
			break;
		count_slice(plan);
		/* What comes late is a bound that it has exceeded itself. */
		if (setting.counted[40][EVENT_TLB_MISS] > counted)
			break;
	}
	CHECK(setting.counted[40][EVENT_TLB_MISS] == counted, "after %u slices", slices);
	CHECK(plan_most(plan, 0, 8 * 40, EVENT_TLB_MISS) < 9e3, "%g after %u slices",
	      plan_most(plan, 0, 8 * 40, EVENT_TLB_MISS), slices);
	plan_free(plan);
}

/* With --all, all that was found is counted by the other events, too, not only the worst. */
static void details_of_all_rows(void)
{
	const struct plan_options options = {
		.columns = ALL_COLUMNS,
		.sort = COLUMN_WALK,
		.rows = (unsigned int)-1,
		.turns = true,
	};
	struct plan *plan;
	unsigned int row;

	set_up(200, KIND_TCU, TCU_EVENTS, 2, false);
	for (row = 0; row < 200; row++)
		setting.rates[row][EVENT_TLB_MISS] = 1e5 + 2e4 * row;
	plan = plan_new(&setting.machine, &options);
	count_all(plan, 8000);
	/* What was found first may have been listed without those that were found later. */
	for (row = 0; row < 2 * 4 * 2 * 201; row++)
		count_slice(plan);
	for (row = 0; row < 200; row++)
		CHECK(setting.counted[row][EVENT_CONFIG_MISS], "row %u", row);
	plan_free(plan);
}

/* Rows that a counter group cannot tell from other StreamIDs are none of its rows. */
static void rows_of_more_bits(void)
{
	struct plan_options options = { .columns = ALL_COLUMNS, .sort = COLUMN_MISS, .rows = 3 };
	struct plan *plan;
	unsigned int i;

	set_up(4, KIND_TBU, TBU_EVENTS, 4, false);
	setting.pmcg.stream_bits = 32;
	setting.streams[2].id |= 1 << 24;
	for (i = 0; i < 4; i++) {
		CHECK(machine_counts_row(&setting.machine, &setting.pmcg, &setting.rows[i]) ==
		      (i != 2), "row %u", i);
		setting.rates[i][EVENT_TLB_MISS] = 1000;
	}
	plan = plan_new(&setting.machine, &options);
	for (i = 0; i < 40; i++)
		count_slice(plan);
	for (i = 0; i < 4; i++)
		CHECK((setting.counted[i][EVENT_TLB_MISS] > 0) == (i != 2), "row %u", i);
	plan_free(plan);
	setting.pmcg.stream_bits = 24;
	CHECK(machine_counts_row(&setting.machine, &setting.pmcg, &setting.rows[2]),
	      "as many bits as all others");
}

static const struct test tests[] = {
	TEST(limit_by_another_column),
	TEST(limit_of_a_ratio),
	TEST(another_sort),
	TEST(another_search),
	TEST(most_of_a_row),
	TEST(details_of_all_rows),
	TEST(rows_of_more_bits),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
