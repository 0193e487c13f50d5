// SPDX-License-Identifier: GPL-2.0
/*
 * Steady loads: what the search says is true, and what it costs.
 */
#include "load.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define LOADS	10000

static struct load load;

static size_t turn(size_t num_rows, unsigned int num_blocks)
{
	return (num_rows + num_blocks - 1) / num_blocks;
}

static double figure_of(const struct stream *stream, enum search_figure figure)
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
static size_t true_rows(const struct search *search, struct stream *streams)
{
	size_t i, row, num = 0;

	for (i = 0; i < load.num_streams; i++) {
		row = search_find(search, load.streams[i].id);
		for (; num <= row; num++)
			streams[num] = (struct stream){ 0 };
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
	static struct stream streams[MAX_STREAMS];
	static struct search_row rows[64];
	static bool listed[MAX_STREAMS];
	struct search_state state;
	size_t i, num = true_rows(search, streams), num_listed;
	double least = INFINITY, others = 0, value, share = 0;

	search_state(search, &state);
	num_listed = search_rows(search, rows, 64);
	for (i = 0; i < num; i++) {
		listed[i] = false;
		share += config->min_share * figure_of(&streams[i], config->figure);
	}
	share += config->min_share * load.unknown;

	for (i = 0; i < num_listed; i++) {
		value = figure_of(&streams[rows[i].row], config->figure);
		CHECK(!listed[rows[i].row], "load %d: row %zu twice", number, rows[i].row);
		CHECK(!i || rows[i].value <= rows[i - 1].value, "load %d: order", number);
		CHECK(rows[i].lower <= value * (1 + 1e-9) + (exact ? 10 : 0),
		      "load %d: row %zu has %g < %g", number, rows[i].row, value, rows[i].lower);
		CHECK(rows[i].upper >= value * (1 - 1e-9) - (exact ? 10 : 0),
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
	CHECK(others <= state.bound * (1 + 1e-9),
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
		config.min_share = power(1e-4, 0.1);
	config.turns = !(load_random(&load) % 16);
	return config;
}

static void check_loads(enum load_noise noise, double max_group, uint64_t seed, int loads)
{
	unsigned long completed = 0;
	int number;

	for (number = 0; number < loads; number++) {
		struct search_config config;
		struct search_state state;
		struct search *search;
		size_t i, slices;

		load_init(&load, seed + (uint64_t)number);
		load.noise = noise;
		load.group = floor(power(1, max_group));
		random_load(number);
		config = random_config();
		search = search_new(&config);
		CHECK(search, "load %d", number);
		if (!search)
			continue;

		/* So long that everything was counted again some times. */
		slices = 2 * turn(load.num_streams, config.num_blocks) + 20;
		for (i = 0; i < slices; i++) {
			load_search(&load, search, &config);
			check_truth(search, &config, number, noise == NOISE_NONE);
		}
		search_state(search, &state);
		completed += state.complete;
if (getenv("DBG") && !state.complete) printf("# %d incomplete: N %zu rows %zu blocks %u n %u fig %d beside %d turns %d open %zu bound %g slices %zu unknown %g bits %d total %g\n", number, load.num_streams, state.num_rows, config.num_blocks, config.num_worst, config.figure, config.total_beside, config.turns, state.open_blocks, state.bound, slices, load.unknown, load.stream_id_bits, state.misses);
		search_free(search);
	}

	/* It would be easy to be right by saying nothing. */
	CHECK(completed >= (unsigned long)loads * 99 / 100, "complete: %lu", completed);
}

static void exact_loads(void)
{
	check_loads(NOISE_NONE, 1, 1, LOADS);
}

static void steady_loads(void)
{
	check_loads(NOISE_POISSON, 1, 1000000, LOADS);
}

TEST_MAIN(
	TEST(exact_loads),
	TEST(steady_loads),
)
