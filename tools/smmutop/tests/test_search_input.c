// SPDX-License-Identifier: GPL-2.0
/*
 * What search.h promises about its arguments and results, whatever the caller and the counters do.
 */
#include "load.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static struct load load;

/* Is a block a part of another one? */
static bool is_inside(const struct search_block *part, const struct search_block *whole)
{
	if (part->everything || whole->everything)
		return whole->everything;
	return part->span_bits < whole->span_bits &&
	       !((uint64_t)(part->stream_id ^ whole->stream_id) >> whole->span_bits);
}

/* Is the plan what search.h says? */
static unsigned int check_plan(struct search *search, const struct search_config *config,
			       struct search_block *blocks, int number)
{
	struct search_block again[64];
	unsigned int i, j, num = search_plan(search, blocks);

	CHECK(num >= 1 && num <= config->num_blocks, "%d: %u blocks", number, num);
	CHECK(search_plan(search, again) == num, "%d: another plan", number);
	for (i = 0; i < num; i++) {
		const struct search_block *block = &blocks[i];
		uint32_t size = block->span_bits < 32 ? UINT32_C(1) << block->span_bits : 0;

		CHECK(block->everything == again[i].everything &&
		      block->stream_id == again[i].stream_id &&
		      block->span_bits == again[i].span_bits && block->row == again[i].row,
		      "%d: another block", number);
		CHECK(!block->everything || (!block->stream_id && !block->span_bits),
		      "%d: everything", number);
		CHECK(block->everything || !block->span_bits ||
		      block->span_bits < config->stream_id_bits,
		      "%d: %u bits of %u", number, block->span_bits, config->stream_id_bits);
		CHECK(!(block->stream_id & (size - 1)), "%d: %x is not aligned", number,
		      block->stream_id);
		CHECK(config->stream_id_bits == 32 ||
		      !(block->stream_id >> config->stream_id_bits), "%d: %x", number,
		      block->stream_id);
		CHECK((block->row == SEARCH_NO_ROW) == (block->everything || block->span_bits),
		      "%d: row", number);
		for (j = 0; j < i; j++) {
			CHECK(block->everything != blocks[j].everything ||
			      block->stream_id != blocks[j].stream_id ||
			      block->span_bits != blocks[j].span_bits, "%d: twice", number);
			/* What is inside learns from the block around. */
			CHECK(!is_inside(&blocks[j], block), "%d: a block after one inside",
			      number);
		}
	}
	return num;
}

static void check_results(struct search *search, int number)
{
	static struct search_row rows[4096];
	struct search_state state;
	size_t i, num;

	search_state(search, &state);
	CHECK(!isnan(state.bound) && state.bound >= 0, "%d: bound %g", number, state.bound);
	CHECK(!state.complete || isfinite(state.bound), "%d: complete", number);
	CHECK(!state.complete || state.num_rows, "%d: complete without rows", number);
	CHECK(!state.complete || !state.open_rows, "%d: complete and open", number);
	CHECK(!state.certain || state.complete, "%d: certain", number);
	CHECK(!isnan(state.dispersion) && state.dispersion >= 1, "%d: %g", number,
	      state.dispersion);
	CHECK(!isnan(state.floor) && state.floor >= 0, "%d: %g", number, state.floor);

	num = search_rows(search, rows, 4096);
	for (i = 0; i < num; i++) {
		CHECK(rows[i].row < state.num_rows, "%d: row", number);
		CHECK(rows[i].value > 0, "%d: value %g", number, rows[i].value);
		CHECK(!isnan(rows[i].lower) && !isnan(rows[i].upper), "%d: bounds", number);
		CHECK(!i || !(rows[i].value > rows[i - 1].value), "%d: order", number);
	}
}

static void wrong_configurations(void)
{
	static const uint32_t ids[] = { 1, 2 };
	const struct search_config right = {
		.stream_ids = ids, .num_stream_ids = 2, .stream_id_bits = 32, .num_blocks = 1,
		.num_worst = 1,
	};
	struct search_config config[8];
	struct search *search;
	size_t i;

	for (i = 0; i < 8; i++)
		config[i] = right;
	config[0].stream_id_bits = 33;
	config[1].num_blocks = 0;
	config[2].num_worst = 0;
	config[3].figure = (enum search_figure)3;
	config[4].min_share = -0.1;
	config[5].min_share = 1.1;
	config[6].min_share = NAN;
	config[7].stream_ids = NULL;
	for (i = 0; i < 8; i++) {
		errno = 0;
		CHECK(!search_new(&config[i]) && errno == EINVAL, "%zu", i);
	}

	search = search_new(&right);
	CHECK(search, "right");
	CHECK(search_rank(search, (enum search_figure)3, 1, false) == -1 && errno == EINVAL,
	      "figure");
	CHECK(search_rank(search, SEARCH_RATIO, 0, false) == -1 && errno == EINVAL, "none");
	CHECK(!search_rank(search, SEARCH_RATIO, 5, true), "right");
	search_free(search);
	search_free(NULL);
}

/* Only a filter for everything is left. */
static void no_stream_ids(void)
{
	struct search_config config = { .stream_id_bits = 16, .num_blocks = 4, .num_worst = 3 };
	struct search_block blocks[4];
	struct search_state state;
	struct search *search;
	size_t num;
	int i;

	for (i = 0; i < 4; i++) {
		load_init(&load, 1);
		load.unknown = 1e5;
		config.total_beside = i % 2;
		config.turns = i / 2;
		search = search_new(&config);
		CHECK(search, "new");
		if (!search)
			return;
		CHECK(search_plan(search, blocks) == 1 && blocks[0].everything, "plan");
		load_search(&load, search, &config);
		load_search(&load, search, &config);
		search_state(search, &state);
		CHECK(!state.complete && !state.num_rows && state.slices == 2, "state");
		CHECK(state.misses > 9e4 && state.misses < 1.1e5, "%g", state.misses);
		CHECK(!search_rows(search, NULL, 0), "rows");
		CHECK(!search_row_stream_ids(search, 0, &num) && !num, "row");
		CHECK(search_find(search, 0) == SEARCH_NO_ROW, "find");
		check_results(search, 0);
		search_free(search);
	}
}

/* All the same; and all the same for a filter of few bits, or of none. */
static void indistinguishable(void)
{
	static const unsigned int bits[] = { 32, 4, 1, 0 };
	struct search_config config;
	struct search_state state;
	struct search_row row;
	struct search *search;
	size_t i, j, num;
	const uint32_t *ids;

	for (i = 0; i < 4; i++) {
		load_init(&load, 1);
		load.stream_id_bits = bits[i];
		load.num_streams = 20;
		for (j = 0; j < 20; j++) {
			load.streams[j].id = bits[i] == 32 ? 0x12345 :
					     0x10001 + 0x100 * (19 - (uint32_t)j);
			load.streams[j].misses = 100;
		}
		config = load_config(&load);
		search = search_new(&config);
		search_state(search, &state);
		CHECK(state.num_rows == 1, "%u bits: %zu rows", bits[i], state.num_rows);
		ids = search_row_stream_ids(search, 0, &num);
		CHECK(num == (bits[i] == 32 ? 1 : 20), "%u bits: %zu", bits[i], num);
		for (j = 1; j < num; j++)
			CHECK(ids[j] > ids[j - 1], "order");
		CHECK(search_find(search, load.streams[3].id) == 0, "find");
		CHECK(search_find(search, 0x20001) == SEARCH_NO_ROW, "another one");
		for (j = 0; j < 20; j++)
			load_search(&load, search, &config);
		search_state(search, &state);
		CHECK(state.complete && state.certain && state.bound == 0, "%u bits", bits[i]);
		CHECK(search_row(search, 0, &row) && row.misses > 500, "%g", row.misses);
		search_free(search);
	}
}

/* Two rows that differ in one bit are told apart, wherever it is. */
static void each_bit(void)
{
	unsigned int bit, bits;

	for (bits = 1; bits <= 32; bits++) {
		for (bit = 0; bit < 32; bit++) {
			uint32_t ids[] = { 0x5a5a5a5a, 0x5a5a5a5a ^ UINT32_C(1) << bit };
			struct search_config config = {
				.stream_ids = ids, .num_stream_ids = 2, .stream_id_bits = bits,
				.num_blocks = 1, .num_worst = 1,
			};
			struct search *search = search_new(&config);
			size_t a = search_find(search, ids[0]), b = search_find(search, ids[1]);

			CHECK((a != b) == (bit < bits), "bit %u of %u", bit, bits);
			CHECK(a < 2 && b < 2, "bit %u of %u", bit, bits);
			search_free(search);
		}
	}
}

/* Whatever is planned, a filter for it matches what it says, and its parts make it up. */
static void plans(void)
{
	struct search_block blocks[64];
	struct search_count counts[64];
	int number, slice;
	unsigned int i, num;
	bool span;

	for (number = 0; number < 300; number++) {
		struct search_config config;
		struct search *search;

		load_init(&load, (uint64_t)number);
		load_add_streams(&load, 1 + load_random(&load) % 100);
		if (number % 3 == 0)
			for (i = 0; i < load.num_streams; i++)
				load.streams[i].id = (uint32_t)load_random(&load);
		for (i = 0; i < load.num_streams; i++)
			load.streams[i].misses = 1e5 * pow(load_uniform(&load), 8);
		load.stream_id_bits = (unsigned int)number % 33;
		config = load_config(&load);
		config.num_blocks = 1 + (unsigned int)number % 64;
		config.total_beside = number % 5 == 0;
		search = search_new(&config);
		for (slice = 0; slice < 100; slice++) {
			num = check_plan(search, &config, blocks, number);
			for (i = 0; i < num; i++) {
				uint32_t filter, ignored, low;

				if (blocks[i].everything) {
					CHECK(!config.total_beside, "%d: beside", number);
					continue;
				}
				filter = search_filter(&blocks[i], &span);
				ignored = span ? filter ^ (filter + 1) : 0;
				low = (UINT32_C(1) << blocks[i].span_bits) - 1;
				CHECK(ignored == low, "%d: %x ignores %x", number, filter, ignored);
				CHECK((filter & ~ignored) == blocks[i].stream_id, "%d: %x", number,
				      filter);
			}
			load_slice(&load, blocks, num, counts, NULL);
			search_add(search, counts, NULL, load.now_ns);
			check_results(search, number);
		}
		search_free(search);
	}
}

/* The whole range: the highest filter must not be one for everything. */
static void filters(void)
{
	static const struct {
		struct search_block block;
		uint32_t filter;
		bool span;
	} cases[] = {
		{ { .stream_id = 0x40 }, 0x40, false },
		{ { .stream_id = 0x40, .span_bits = 1 }, 0x40, true },
		{ { .stream_id = 0x40, .span_bits = 3 }, 0x43, true },
		{ { .stream_id = 0xffffffff }, 0xffffffff, false },
		{ { .stream_id = 0xfffffffe, .span_bits = 1 }, 0xfffffffe, true },
		{ { .stream_id = 0x80000000, .span_bits = 31 }, 0xbfffffff, true },
		{ { .stream_id = 0, .span_bits = 32 }, 0x7fffffff, true },
	};
	size_t i;
	bool span;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		CHECK(search_filter(&cases[i].block, &span) == cases[i].filter, "%zu", i);
		CHECK(span == cases[i].span, "%zu", i);
	}
}

/* Nothing happens at all: no rows, a bound that gets better, and no claim without a count. */
static void idle(void)
{
	struct search_config config;
	struct search_state state;
	struct search *search;
	double before;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, 100);
	config = load_config(&load);
	search = search_new(&config);
	search_state(search, &state);
	CHECK(!state.complete && isinf(state.bound) && isnan(state.misses), "before");
	load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.complete && state.bound > 100 && state.bound < 1000, "%g", state.bound);
	before = state.bound;
	for (i = 0; i < 20; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.complete && state.bound < before / 4, "%g", state.bound);
	CHECK(!search_rows(search, NULL, 0), "rows");

	/* A ratio of nothing. */
	CHECK(!search_rank(search, SEARCH_RATIO, 3, false), "rank");
	check_results(search, 0);
	search_free(search);
}

/* Counters that are taken: nothing is learnt, and what can be counted still is. */
static void not_counted(void)
{
	struct search_config config;
	struct search_block blocks[2];
	struct search_count counts[2];
	struct search_state state;
	struct search_row row;
	struct search *search;
	unsigned int i, num;
	int slice;

	load_init(&load, 1);
	load_add_streams(&load, 50);
	load.streams[7].misses = 1e6;
	config = load_config(&load);
	config.num_blocks = 2;

	/* Never. */
	search = search_new(&config);
	for (slice = 0; slice < 100; slice++) {
		num = check_plan(search, &config, blocks, slice);
		load_slice(&load, blocks, num, counts, NULL);
		for (i = 0; i < num; i++)
			counts[i].time_ns = 0;
		search_add(search, counts, NULL, load.now_ns);
		check_results(search, slice);
	}
	search_state(search, &state);
	CHECK(!state.complete && isinf(state.bound), "never");
	search_free(search);

	/* All but one row. */
	search = search_new(&config);
	for (slice = 0; slice < 400; slice++) {
		num = check_plan(search, &config, blocks, slice);
		load_slice(&load, blocks, num, counts, NULL);
		for (i = 0; i < num; i++)
			if (blocks[i].row == 20)
				counts[i].time_ns = 0;
		search_add(search, counts, NULL, load.now_ns);
	}
	CHECK(search_row(search, 7, &row) && row.misses > 9e5, "the worst");
	CHECK(!search_row(search, 20, &row), "never counted");
	search_free(search);

	/* The only filter is not kept by the block that seems to be the worst. */
	load.streams[20].misses = 2e6;
	config.num_blocks = 1;
	search = search_new(&config);
	for (slice = 0; slice < 100; slice++) {
		num = check_plan(search, &config, blocks, slice);
		load_slice(&load, blocks, num, counts, NULL);
		if (blocks[0].row == 20)
			counts[0].time_ns = 0;
		search_add(search, counts, NULL, load.now_ns);
	}
	CHECK(search_row(search, 7, &row) && row.misses > 9e5, "the worst but one");
	search_free(search);
	load.streams[20].misses = 0;
	config.num_blocks = 2;

	/* Every second time. */
	search = search_new(&config);
	for (slice = 0; slice < 100; slice++) {
		num = search_plan(search, blocks);
		load_slice(&load, blocks, num, counts, NULL);
		for (i = 0; i < num && slice % 2; i++)
			counts[i].time_ns = 0;
		search_add(search, counts, NULL, load.now_ns);
	}
	search_state(search, &state);
	CHECK(state.complete, "every second slice");
	CHECK(search_rows(search, &row, 1) == 1 && row.row == 7, "the worst");
	search_free(search);
}

/* Numbers that cannot be, and a caller who does not keep to the order. */
static void nonsense(void)
{
	static const int64_t values[] = { 0, 1, -1, -1000, INT64_MAX, INT64_MIN, 1000000 };
	static const uint64_t times[] = { 0, 1, SLICE_NS, SLICE_NS + 1, UINT64_MAX };
	struct search_block blocks[8];
	struct search_count counts[8] = { { 0 } }, total;
	unsigned int i, num;
	int number, slice;

	for (number = 0; number < 300; number++) {
		struct search_config config;
		struct search *search;

		load_init(&load, (uint64_t)number);
		load_add_streams(&load, load_random(&load) % 50);
		config = load_config(&load);
		config.num_blocks = 1 + (unsigned int)number % 8;
		config.total_beside = number % 2;
		config.figure = (enum search_figure)(number % 3);
		search = search_new(&config);
		search_add(search, NULL, NULL, 5);
		for (slice = 0; slice < 200; slice++) {
			num = check_plan(search, &config, blocks, number);
			for (i = 0; i < num; i++) {
				counts[i].misses = values[load_random(&load) % 7];
				counts[i].transactions = values[load_random(&load) % 7];
				counts[i].time_ns = times[load_random(&load) % 5];
			}
			total = counts[0];
			search_add(search, counts, load_random(&load) % 2 ? &total : NULL,
				   load_random(&load));
			check_results(search, number);
			if (!(load_random(&load) % 32))
				search_rank(search, (enum search_figure)(load_random(&load) % 3),
					    1 + (unsigned int)(load_random(&load) % 60),
					    load_random(&load) % 2);
		}
		search_free(search);
	}
}

/* Blocks of one slice are read one after the other: parts can have more than the whole. */
static void lateness(void)
{
	struct search_config config;
	struct search_state state;
	struct search_block blocks[4];
	struct search_count counts[4];
	struct search_row rows[3];
	struct search *search;
	unsigned int i, complete = 0;
	int slice;

	load_init(&load, 1);
	load_add_streams(&load, 64);
	for (i = 0; i < 64; i++)
		load.streams[i].misses = i % 20 ? 100 : 1e6;
	config = load_config(&load);
	config.num_blocks = 4;
	search = search_new(&config);
	for (slice = 0; slice < 300; slice++) {
		unsigned int num = search_plan(search, blocks);

		load_slice(&load, blocks, num, counts, NULL);
		for (i = 0; i < num; i++) {
			counts[i].misses += (int64_t)(load_random(&load) % 200) - 100;
			counts[i].time_ns += load_random(&load) % 10000;
		}
		search_add(search, counts, NULL, load.now_ns);
		search_state(search, &state);
		complete += state.complete;
	}
	CHECK(complete > 150, "complete in %u slices", complete);
	CHECK(search_rows(search, rows, 3) == 3, "rows");
	for (i = 0; i < 3; i++)
		CHECK(load.streams[rows[i].row].misses > 9e5, "row %zu", rows[i].row);
	search_free(search);
}

/* Another order keeps what is known. */
static void another_figure(void)
{
	struct search_config config;
	struct search_state state;
	struct search_row rows[2], row;
	struct search_block before, after;
	struct search *search;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, 40);
	for (i = 0; i < 40; i++)
		load.streams[i].transactions = 1000;
	load.streams[3].misses = 1e6;
	load.streams[3].transactions = 1e6;
	load.streams[30].transactions = 5e6;
	config = load_config(&load);
	config.num_worst = 1;
	search = search_new(&config);
	for (i = 0; i < 80; i++)
		load_search(&load, search, &config);
	CHECK(search_rows(search, rows, 2) == 1 && rows[0].row == 3, "misses");
	CHECK(fabs(rows[0].value - 1e6) < 1e4 && rows[0].lower < 1e6 && rows[0].upper > 1e6,
	      "%g", rows[0].value);
	CHECK(rows[0].last_ns > load.now_ns - 20 * SLICE_NS && rows[0].last_ns <= load.now_ns,
	      "last");

	search_plan(search, &before);
	CHECK(!search_rank(search, SEARCH_TRANSACTIONS, 1, false), "rank");
	search_plan(search, &after);
	CHECK(before.stream_id == after.stream_id && before.span_bits == after.span_bits, "plan");
	for (i = 0; i < 40; i++)
		load_search(&load, search, &config);
	CHECK(search_rows(search, rows, 2) == 1 && rows[0].row == 30, "transactions");
	CHECK(search_row(search, 3, &row) && fabs(row.value - 1e6) < 1e5, "%g", row.value);

	CHECK(!search_rank(search, SEARCH_RATIO, 2, false), "rank");
	for (i = 0; i < 40; i++)
		load_search(&load, search, &config);
	CHECK(search_rows(search, rows, 2) == 1 && rows[0].row == 3, "ratio");
	CHECK(fabs(rows[0].value - 1) < 0.01, "%g", rows[0].value);
	search_state(search, &state);
	CHECK(state.floor > 5000 && state.floor < 7000, "a thousandth: %g", state.floor);
	CHECK(state.oldest_ns && state.oldest_ns <= load.now_ns, "oldest");
	CHECK(fabs(state.transactions - 6.04e6) < 1e5, "%g", state.transactions);
	CHECK(fabs(state.misses - 1e6) < 1e5, "%g", state.misses);
	search_free(search);
}

/* Another order shows at once what was counted, and so do turns. */
static void another_order_at_once(void)
{
	struct search_config config;
	struct search_state state;
	struct search_row row;
	struct search *search;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, 40);
	for (i = 0; i < 40; i++)
		load.streams[i].transactions = 1000;
	load.streams[3].misses = 1e6;
	load.streams[3].transactions = 1e6;
	load.streams[30].transactions = 5e6;
	config = load_config(&load);
	config.num_worst = 1;
	config.turns = true;
	search = search_new(&config);
	for (i = 0; i < 60; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.turns && state.complete, "turns");
	CHECK(search_rows(search, &row, 1) == 1 && row.row == 3, "misses");
	CHECK(!search_rank(search, SEARCH_TRANSACTIONS, 1, false), "rank");
	CHECK(search_rows(search, &row, 1) == 1 && row.row == 30, "transactions");
	search_state(search, &state);
	CHECK(!state.turns, "no turns");
	CHECK(!search_rank(search, SEARCH_MISSES, 2, true), "rank");
	search_state(search, &state);
	CHECK(state.turns, "turns again");
	CHECK(search_find(search, UINT32_MAX) == SEARCH_NO_ROW, "above all");
	search_free(search);
}

/* Counts that nobody has planned are not added. */
static void added_twice(void)
{
	struct search_count count = { .misses = 1000000, .time_ns = SLICE_NS };
	struct search_config config;
	struct search_state before, after;
	struct search *search;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, 8);
	load.streams[1].misses = 1000;
	config = load_config(&load);
	search = search_new(&config);
	for (i = 0; i < 20; i++)
		load_search(&load, search, &config);
	search_state(search, &before);
	for (i = 0; i < 20; i++)
		search_add(search, &count, &count, load.now_ns);
	search_state(search, &after);
	CHECK(after.slices == before.slices, "%llu slices", (unsigned long long)after.slices);
	search_free(search);
}

/* Turns are not complete as long as a row may have changed that was not counted since. */
static void turns_in_doubt(void)
{
	struct search_config config;
	struct search_state state;
	struct search *search;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, 16);
	for (i = 0; i < 16; i++)
		load.streams[i].misses = 1e6;
	config = load_config(&load);
	config.num_blocks = 8;
	config.total_beside = true;
	search = search_new(&config);
	for (i = 0; i < 40; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.turns && state.complete && !state.open_rows, "steady");
	for (i = 0; i < 16; i++)
		load.streams[i].misses = 5e6;
	load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(!state.complete && state.open_rows == 8, "%zu are open", state.open_rows);
	load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.complete && !state.open_rows, "all were counted again");
	search_free(search);
}

/* Fewer than are wanted are never certain to be the worst; what the bound is of may be nothing. */
static void certain(void)
{
	struct search_config config;
	struct search_state state;
	struct search *search;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, 40);
	load.streams[3].misses = 1e6;
	config = load_config(&load);
	search = search_new(&config);
	for (i = 0; i < 200; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.complete && !state.certain && state.oldest_ns, "one of three");
	CHECK(!search_rank(search, SEARCH_MISSES, 1, false), "rank");
	for (i = 0; i < 20; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.complete && state.certain, "one of one");
	search_free(search);

	for (i = 0; i < 3; i++)
		load.streams[i].misses = 1e6;
	load.num_streams = 3;
	config = load_config(&load);
	search = search_new(&config);
	for (i = 0; i < 20; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.complete && state.certain && !state.oldest_ns, "all three");
	search_free(search);
}

/* In turn, each block is counted again that says what is not shown. */
static void all_again(void)
{
	struct search_config config;
	struct search_state state;
	struct search *search;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, 64);
	for (i = 0; i < 64; i++)
		load.streams[i].misses = i % 20 ? 1000 : 1e6;
	config = load_config(&load);
	search = search_new(&config);
	for (i = 0; i < 2000; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.complete && state.oldest_ns > load.now_ns - 1000 * SLICE_NS, "%llu slices ago",
	      (unsigned long long)((load.now_ns - state.oldest_ns) / SLICE_NS));
	search_free(search);
}

/* A total that was counted beside is used, and steady rows have no mark. */
static void total_beside(void)
{
	struct search_config config;
	struct search_state state;
	struct search_row row;
	struct search *search;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, 8);
	for (i = 0; i < 8; i++)
		load.streams[i].misses = 20;
	load.unknown = 1e6;
	config = load_config(&load);
	config.num_blocks = 8;
	config.total_beside = true;
	search = search_new(&config);
	for (i = 0; i < 10; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(fabs(state.misses - 1e6) < 1e5, "%g", state.misses);
	for (i = 0; i < 8; i++)
		CHECK(search_row(search, (size_t)i, &row) && !row.bursty, "row %d", i);

	/* What everything shows of a change, the turns of the rows have to show again. */
	load.unknown = 5e6;
	config.turns = true;
	load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.misses > 4e6, "%g", state.misses);
	search_free(search);
}

/* Thousands: memory is what is needed, and a slice is soon planned. */
static void many(void)
{
	struct search_config config;
	struct search_state state;
	struct search_row row;
	struct search *search;
	int i;

	load_init(&load, 1);
	load_add_streams(&load, MAX_STREAMS);
	load.streams[4000].misses = 1e6;
	config = load_config(&load);
	config.num_worst = 1;
	search = search_new(&config);
	for (i = 0; i < 100; i++)
		load_search(&load, search, &config);
	search_state(search, &state);
	CHECK(state.complete && state.certain && state.num_rows == MAX_STREAMS, "state");
	CHECK(search_rows(search, &row, 1) == 1 && row.row == 4000, "row");
	search_free(search);
}

static const struct test tests[] = {
	TEST(wrong_configurations),
	TEST(no_stream_ids),
	TEST(indistinguishable),
	TEST(each_bit),
	TEST(plans),
	TEST(filters),
	TEST(idle),
	TEST(not_counted),
	TEST(nonsense),
	TEST(lateness),
	TEST(another_figure),
	TEST(another_order_at_once),
	TEST(added_twice),
	TEST(turns_in_doubt),
	TEST(certain),
	TEST(all_again),
	TEST(total_beside),
	TEST(many),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
