// SPDX-License-Identifier: GPL-2.0
/*
 * Steady loads: what the search says is true, and what it costs.
 */
#include "load.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#ifndef LOADS
#define LOADS	10000
#endif

static struct load load;

static size_t turn(size_t num_rows, unsigned int num_blocks)
{
	return (num_rows + num_blocks - 1) / num_blocks;
}

static double figure_of(const struct load_stream *stream, enum search_figure figure)
{
	switch (figure) {
	case SEARCH_TRANSACTIONS:
		return stream->transactions;
	case SEARCH_RATIO:
		return stream->transactions > 0 ? stream->misses / stream->transactions : 0;
	default:
		return stream->misses;
	}
}

/* What the sums of each row are; @streams has room for all. */
static size_t true_rows(const struct search *search, struct load_stream *streams)
{
	size_t i, num = 0;

	for (i = 0; i < load.num_streams; i++) {
		size_t row = search_find(search, load.streams[i].id);

		for (; num <= row; num++)
			streams[num] = (struct load_stream){ 0 };
		streams[row].misses += load.streams[i].misses;
		streams[row].transactions += load.streams[i].transactions;
	}
	return num;
}

/*
 * Is it true? @exact: counts are the same in each slice, but for rounding, so that the order of the
 * rows must be right, too.
 */
static void check_truth(struct search *search, const struct search_config *config, int number,
			bool exact)
{
	static struct load_stream streams[MAX_STREAMS];
	static struct search_row rows[64];
	static bool listed[MAX_STREAMS];
	struct search_state state;
	size_t i, num = true_rows(search, streams), num_listed;
	double least = INFINITY, others = 0, share = 0;

	search_state(search, &state);
	num_listed = search_rows(search, rows, 64);
	for (i = 0; i < num; i++) {
		listed[i] = false;
		share += config->min_share * figure_of(&streams[i], config->figure);
	}
	share += config->min_share * load.unknown;

	for (i = 0; i < num_listed; i++) {
		double value = figure_of(&streams[rows[i].row], config->figure);

		CHECK(!listed[rows[i].row], "load %d: row %zu twice", number, rows[i].row);
		CHECK(!i || rows[i].value <= rows[i - 1].value, "load %d: order", number);
		CHECK(rows[i].lower <= value * (1 + ROUNDING) + (exact ? 10 : 0),
		      "load %d: row %zu has %g < %g", number, rows[i].row, value, rows[i].lower);
		CHECK(rows[i].upper >= value * (1 - ROUNDING) - (exact ? 10 : 0),
		      "load %d: row %zu has %g > %g", number, rows[i].row, value, rows[i].upper);
		listed[rows[i].row] = true;
		least = fmin(least, value);
	}
	if (!state.complete)
		return;

	for (i = 0; i < num; i++)
		if (!listed[i] && (config->figure != SEARCH_RATIO ||
				   streams[i].transactions >= state.floor))
			others = fmax(others, figure_of(&streams[i], config->figure));
	CHECK(others <= state.bound * (1 + ROUNDING),
	      "load %d, slice %llu: complete, but one of the others has %g > %g",
	      number, (unsigned long long)state.slices, others, state.bound);
	if (state.certain)
		CHECK(others <= least, "load %d: certain, but %g > %g", number, others, least);

	/* Rounding is worth up to one count per slice. */
	if (exact && config->figure != SEARCH_RATIO)
		CHECK(others <= fmax(share, num_listed == config->num_worst ? least : 0) + 40,
		      "load %d: %g is not among the %zu worst, but %g is", number, others,
		      num_listed, least);
}

static double power(double from, double to)
{
	return from * pow(to / from, load_uniform(&load));
}

/* Any load that is steady. */
static void random_load(int number)
{
	size_t i, num = (size_t)power(1, number % 100 ? 100 : 1000);
	double total = power(1e2, 1e8), sum = 0, exponent = 3 * load_uniform(&load);
	int shape = (int)(load_random(&load) % 5);

	if (load_random(&load) % 4) {
		load_add_streams(&load, num);
	} else {
		for (i = 0; i < num; i++)
			load.streams[load.num_streams++].id = (uint32_t)load_random(&load);
	}

	for (i = 0; i < num; i++) {
		double misses = 0;

		switch (shape) {
		case 0:
			misses = 1;
			break;
		case 1:	/* few have most */
			misses = load_random(&load) % 8 ? 0.01 : 1;
			break;
		case 2:	/* most have nothing */
			misses = load_random(&load) % 8 ? 0 : load_uniform(&load);
			break;
		case 3:	/* Zipf */
			misses = pow(1 + (double)(load_random(&load) % num), -exponent);
			break;
		case 4:
			misses = load_uniform(&load);
			break;
		}
		load.streams[i].misses = misses;
		load.streams[i].transactions = misses * power(1, 1000);
		if (!(load_random(&load) % 8))
			load.streams[i].transactions += 10 * load_uniform(&load);
		sum += misses;
	}
	for (i = 0; i < num && sum > 0; i++) {
		load.streams[i].misses *= total / sum;
		load.streams[i].transactions *= total / sum;
	}
	if (!(load_random(&load) % 4))
		load.unknown = load_uniform(&load) * total;
}

static struct search_config random_config(void)
{
	struct search_config config;

	if (!(load_random(&load) % 4))
		load.stream_id_bits = (unsigned int)(load_random(&load) % 33);
	config = load_config(&load);
	config.num_blocks = 1 + (unsigned int)(load_random(&load) % 6);
	config.total_beside = !(load_random(&load) % 3);
	config.num_worst = 1 + (unsigned int)(load_random(&load) % 12);
	config.figure = (enum search_figure)(load_random(&load) % 3);
	if (!(load_random(&load) % 3))
		config.min_share = power(0.0001, 0.1);
	config.turns = !(load_random(&load) % 16);
	return config;
}

/* Is it complete in so many slices? */
static size_t slices_to_complete(struct search *search, const struct search_config *config,
				 size_t max)
{
	struct search_state state;
	size_t slices = 0;

	do {
		load_search(&load, search, config);
		search_state(search, &state);
		slices++;
	} while (!state.complete && slices < max);
	return slices;
}

static void check_loads(enum load_noise noise, uint64_t seed)
{
	unsigned int late = 0;
	int number;

	for (number = 0; number < LOADS; number++) {
		struct search_config config;
		struct search_state state;
		struct search *search;
		bool complete = false;
		size_t i, slices, limit;
		double sum = 0;

		load_init(&load, seed + (uint64_t)number);
		load.noise = noise;
		random_load(number);
		config = random_config();
		search = search_new(&config);
		CHECK(search, "load %d", number);
		if (!search)
			continue;

		/* Few events are looked for again, and so are those of no known StreamID. */
		for (i = 0; i < load.num_streams; i++)
			sum += load.streams[i].misses;
		limit = 2 * turn(load.num_streams, config.num_blocks);
		if (sum < 1e4 || load.unknown > 0)
			limit = 3 * limit + 20;

		/* So long that everything was counted again some times. */
		slices = 2 * turn(load.num_streams, config.num_blocks) + 20;
		for (i = 0; i < slices || (!complete && i <= limit); i++) {
			load_search(&load, search, &config);
			check_truth(search, &config, number, noise == NOISE_NONE);
			search_state(search, &state);
			complete |= state.complete;
		}
		late += !complete;
		search_free(search);
	}

	/* Of no StreamID that is known, and hardly any of those that are: this takes longer. */
	CHECK(late <= LOADS / 500, "%u are not complete in time", late);
}

static void exact_loads(void)
{
	check_loads(NOISE_NONE, 1);
}

static void steady_loads(void)
{
	check_loads(NOISE_POISSON, 1000000);
}

static void functions_of_buses(size_t num)
{
	load_add_streams(&load, num);
}

static void numbered_streams(size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		load.streams[load.num_streams++].id = (uint32_t)i;
}

static bool has_stream(uint32_t id)
{
	size_t i;

	for (i = 0; i < load.num_streams; i++)
		if (load.streams[i].id == id)
			return true;
	return false;
}

static void random_streams(size_t num, uint32_t mask)
{
	while (load.num_streams < num) {
		uint32_t id = (uint32_t)load_random(&load) & mask;

		if (!has_stream(id))
			load.streams[load.num_streams++].id = id;
	}
}

static void random_16_bits(size_t num)
{
	random_streams(num, 0xffff);
}

static void random_24_bits(size_t num)
{
	random_streams(num, 0xffffff);
}

static void every_32nd(size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		load.streams[load.num_streams++].id = (uint32_t)(32 * i);
}

/* Each block has two StreamIDs in one half and all the others in the other half. */
static void comb(size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		load.streams[load.num_streams++].id = i < 2 ? (uint32_t)i :
						      UINT32_C(1) << i / 2 | (i & 1);
}

/* A bus full of functions, and some devices far from it. */
static void one_bus_and_others(size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		load.streams[load.num_streams++].id = i < num - 8 ? (uint32_t)i :
						      0x100u << (i - num + 8);
}

/* A third of each block in one half, so that no block has half of the rows. */
static void add_thirds(uint32_t first, unsigned int bits, size_t num)
{
	size_t third = (num + 1) / 3;

	if (num < 3) {
		while (num--)
			load.streams[load.num_streams++].id = first + (uint32_t)num;
		return;
	}
	add_thirds(first, bits - 2, third);
	first += UINT32_C(1) << (bits - 1);
	add_thirds(first, bits - 2, third);
	add_thirds(first + (UINT32_C(1) << (bits - 2)), bits - 2, num - 2 * third);
}

static void thirds(size_t num)
{
	add_thirds(0, 24, num);
}

/* Three of 64 have 30 % each, the others 10 % together: wherever the StreamIDs are. */
static void three_of_64(void)
{
	static void (*const add_streams[])(size_t) = {
		numbered_streams, functions_of_buses, random_16_bits, random_24_bits, every_32nd,
		comb, one_bus_and_others, thirds,
	};
	static const struct {
		unsigned int num_blocks;
		size_t slices;
	} limits[] = { { 4, 7 }, { 1, 24 } };
	size_t i, j, most[2] = { 0 };
	uint64_t seed;

	for (seed = 0; seed < 250 * ARRAY_SIZE(add_streams); seed++) {
		for (i = 0; i < 2; i++) {
			struct search_config config;
			struct search_row rows[3];
			struct search *search;
			size_t slices;

			load_init(&load, seed);
			load.noise = seed % 2 ? NOISE_POISSON : NOISE_NONE;
			add_streams[seed / 250](64);
			for (j = 0; j < 64; j++)
				load.streams[j].misses = 1e5 * 0.1 / 61;
			for (j = 0; j < 3;) {
				struct load_stream *stream = &load.streams[load_random(&load) % 64];

				j += stream->misses < 1e4;
				stream->misses = 1e5 * 0.3;
			}

			config = load_config(&load);
			config.num_blocks = limits[i].num_blocks;
			search = search_new(&config);
			slices = slices_to_complete(search, &config, 100);
			CHECK(slices <= limits[i].slices, "seed %d: %zu slices with %u filters",
			      (int)seed, slices, config.num_blocks);
			CHECK(search_rows(search, rows, 3) == 3, "seed %d", (int)seed);
			for (j = 0; j < 64; j++) {
				size_t row = search_find(search, load.streams[j].id);
				bool listed = row == rows[0].row || row == rows[1].row ||
					      row == rows[2].row;

				CHECK(listed == (load.streams[j].misses > 1e4), "seed %d: row %zu",
				      (int)seed, row);
			}
			if (slices > most[i])
				most[i] = slices;
			search_free(search);
		}
	}
	printf("# at most %zu slices with 4 filters, %zu with one\n", most[0], most[1]);
}

/* Does a search say, before it is complete, that it counts in turn? */
static bool turns_instead(const struct search_config *config, size_t slices)
{
	struct search *search = search_new(config);
	struct search_state state;
	bool turned = false;

	search_state(search, &state);
	if (!state.turns) {
		while (--slices && !turned) {
			load_search(&load, search, config);
			search_state(search, &state);
			turned = state.turns && !state.complete;
		}
	}
	search_free(search);
	return turned;
}

/* Where nothing is found by searching, it costs at most half as much again as plain turns. */
static void flat_loads(void)
{
	unsigned int num_blocks;
	size_t i, num;
	bool turned = false;

	for (num = 1; num <= 600; num += 1 + num / 30) {
		for (num_blocks = 1; num_blocks <= 6; num_blocks++) {
			struct search_config config;
			struct search *search;
			size_t slices, max = turn(num, num_blocks) * 3 / 2;

			load_init(&load, num);
			load.noise = num % 4 < 2 ? NOISE_POISSON : NOISE_NONE;
			if (num % 2)
				numbered_streams(num);
			else
				load_add_streams(&load, num);
			for (i = 0; i < num; i++)
				load.streams[i].misses = 1e6 / (double)num;
			config = load_config(&load);
			config.num_blocks = num_blocks;
			config.total_beside = num_blocks == 5;
			search = search_new(&config);
			slices = slices_to_complete(search, &config, 2 * max);
			CHECK(slices <= max, "%zu StreamIDs, %u filters: %zu slices, not %zu",
			      num, num_blocks, slices, max);
			turned |= turns_instead(&config, slices);
			search_free(search);
		}
	}
	CHECK(turned, "it never says that it counts in turn");
}

/* What three slices count is not searched, and what takes more is. */
static void few_rows(void)
{
	unsigned int num_blocks;
	size_t more;

	for (num_blocks = 1; num_blocks <= 8; num_blocks++) {
		for (more = 0; more < 2; more++) {
			struct search_config config;
			struct search_state state;
			struct search *search;

			load_init(&load, 1);
			numbered_streams(3 * num_blocks + more);
			config = load_config(&load);
			config.num_blocks = num_blocks;
			search = search_new(&config);
			search_state(search, &state);
			CHECK(state.turns == !more, "%u filters, %zu StreamIDs", num_blocks,
			      load.num_streams);
			search_free(search);
		}
	}
}

/* Plain turns, if told: each row once, before one is counted again. */
static void forced_turns(void)
{
	struct search_config config;
	struct search_block block;
	struct search *search;
	unsigned int counted[64] = { 0 };
	size_t i, slices = 0, everything = 0;

	load_init(&load, 1);
	numbered_streams(64);
	load.streams[5].misses = 1e6;
	config = load_config(&load);
	config.turns = true;
	search = search_new(&config);
	while (slices - everything < 128) {
		CHECK(search_plan(search, &block) == 1, "slice %zu", slices);
		if (block.everything)
			everything++;
		else
			CHECK(block.row < 64 && !block.span_bits, "slice %zu", slices);
		if (block.row < 64)
			CHECK(counted[block.row]++ == (slices - everything) / 64, "slice %zu",
			      slices);
		load_search(&load, search, &config);
		slices++;
	}
	for (i = 0; i < 64; i++)
		CHECK(counted[i] == 2, "row %zu: %u times", i, counted[i]);
	CHECK(everything >= 128 / 10 && everything <= 128 / 6, "everything: %zu times", everything);
	search_free(search);
}

/*
 * The heaviest need not hold the worst: one with few transactions which all miss is found behind
 * others with a thousand times as many.
 */
static void ratio_is_not_weight(void)
{
	uint64_t seed;

	for (seed = 0; seed < 200; seed++) {
		struct search_config config;
		struct search_row row;
		struct search_state state;
		struct search *search;
		size_t i, worst;

		load_init(&load, seed);
		load_add_streams(&load, 100);
		for (i = 0; i < 100; i++) {
			load.streams[i].transactions = i % 7 ? 1e3 : 5e6;
			load.streams[i].misses = load.streams[i].transactions / 100;
		}
		worst = 1 + 7 * (load_random(&load) % 14);
		load.streams[worst].transactions = 5e5;
		load.streams[worst].misses = 1e5;
		config = load_config(&load);
		config.figure = SEARCH_RATIO;
		config.num_worst = 1;
		config.num_blocks = 1 + (unsigned int)seed % 4;
		search = search_new(&config);
		slices_to_complete(search, &config, 150);
		search_state(search, &state);
		CHECK(state.complete, "seed %d", (int)seed);
		CHECK(search_rows(search, &row, 1) == 1, "seed %d", (int)seed);
		CHECK(row.row == worst, "seed %d: %zu, not %zu", (int)seed, row.row, worst);
		CHECK(row.value > 0.18 && row.value < 0.22, "seed %d: %g", (int)seed, row.value);
		search_free(search);
	}
}

static const struct test tests[] = {
	TEST(exact_loads),
	TEST(steady_loads),
	TEST(three_of_64),
	TEST(flat_loads),
	TEST(few_rows),
	TEST(forced_turns),
	TEST(ratio_is_not_weight),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
