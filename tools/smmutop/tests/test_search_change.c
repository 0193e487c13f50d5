// SPDX-License-Identifier: GPL-2.0
/*
 * Loads that change: what starts or stops is noticed soon, what is claimed becomes true again, and
 * bursty rows are marked.
 */
#include "load.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#ifndef SEEDS
#define SEEDS	500
#endif

/* 3 s */
#define SOON	60

static struct load load;

/* Position in the list of the worst, or -1. */
static int place(struct search *search, size_t row)
{
	static struct search_row rows[64];
	size_t i, num = search_rows(search, rows, 64);

	for (i = 0; i < num; i++)
		if (rows[i].row == row)
			return (int)i;
	return -1;
}

static size_t row_of(const struct search *search, size_t stream)
{
	return search_find(search, load.streams[stream].id);
}

static void set_misses(size_t stream, double misses)
{
	load.streams[stream].misses = misses;
	load.streams[stream].transactions = 10 * misses;
}

/* Three have 20 % each, the others 40 % together. */
static void background(size_t num, double total)
{
	size_t i;

	load_add_streams(&load, num);
	for (i = 0; i < num; i++)
		set_misses(i, total * 0.4 / (double)num);
	for (i = 0; i < 3; i++)
		set_misses(load_random(&load) % num, total * 0.2);
}

static void run(struct search *search, const struct search_config *config, int slices)
{
	while (slices--)
		load_search(&load, search, config);
}

/* Is everything that is said true? */
static bool is_true(struct search *search)
{
	struct search_state state;
	struct search_row row;
	size_t i;

	search_state(search, &state);
	if (!state.complete)
		return true;
	for (i = 0; i < load.num_streams; i++) {
		if (place(search, row_of(search, i)) < 0) {
			if (load.streams[i].misses > state.bound)
				return false;
		} else if (search_row(search, row_of(search, i), &row)) {
			if (load.streams[i].misses > row.upper ||
			    load.streams[i].misses < row.lower)
				return false;
		}
	}
	return true;
}

/* Is it complete again, sooner or later, and true in all the time until then? */
static bool settles(struct search *search, const struct search_config *config)
{
	struct search_state state;
	int slice;

	for (slice = 0; slice < 400; slice++) {
		load_search(&load, search, config);
		if (!is_true(search))
			return false;
		search_state(search, &state);
		if (state.complete)
			return true;
	}
	return false;
}

static int slices_until_listed(struct search *search, const struct search_config *config,
			       size_t row, int max)
{
	int i;

	for (i = 0; i < max && place(search, row) < 0; i++)
		load_search(&load, search, config);
	return i;
}

/* With one filter for 200 StreamIDs, a device that becomes the worst is found within 3 s. */
static void starts(void)
{
	int seed, most = 0, sum = 0;

	for (seed = 0; seed < SEEDS; seed++) {
		double total = pow(10, 4 + seed % 4);
		struct search_config config;
		struct search *search;
		size_t stream;
		int slices;

		load_init(&load, (uint64_t)seed);
		background(200, total);
		config = load_config(&load);
		search = search_new(&config);

		/* Or while the others are still searched for. */
		run(search, &config, seed % 3 ? 200 + seed % 100 : seed % 50);

		stream = load_random(&load) % 200;
		set_misses(stream, 0.3 * total);
		slices = slices_until_listed(search, &config, row_of(search, stream), 2 * SOON);
		CHECK(slices <= SOON, "seed %d: %d slices", seed, slices);
		if (slices > most)
			most = slices;
		sum += slices;

		/* And then all that is said is true. */
		run(search, &config, 2 * SOON);
		CHECK(place(search, row_of(search, stream)) == 0, "seed %d: place %d", seed,
		      place(search, row_of(search, stream)));
		CHECK(settles(search, &config), "seed %d: does not settle", seed);
		search_free(search);
	}
	printf("# found after %.1f slices on average, at most %d\n", (double)sum / SEEDS, most);
}

/* The worst one stops: it is not shown as the worst any more, and nothing else gets lost. */
static void stops(void)
{
	int seed;

	for (seed = 0; seed < SEEDS; seed++) {
		struct search_config config;
		struct search *search;
		size_t stream;
		int slices;

		load_init(&load, (uint64_t)seed);
		background(200, pow(10, 4 + seed % 4));
		stream = load_random(&load) % 200;
		set_misses(stream, 0.5 * pow(10, 4 + seed % 4));
		config = load_config(&load);
		search = search_new(&config);
		run(search, &config, 250 + seed % 50);
		CHECK(place(search, row_of(search, stream)) == 0, "seed %d", seed);

		set_misses(stream, 0);
		for (slices = 0; slices < SOON; slices++) {
			if (place(search, row_of(search, stream)) != 0)
				break;
			load_search(&load, search, &config);
		}
		CHECK(slices < SOON, "seed %d", seed);
		run(search, &config, 2 * SOON);
		CHECK(settles(search, &config), "seed %d: does not settle", seed);
		search_free(search);
	}
}

/* The load of one moves to another one: the sum stays the same. */
static void moves(void)
{
	int seed, late = 0;

	for (seed = 0; seed < SEEDS; seed++) {
		double total = pow(10, 5 + seed % 3);
		struct search_config config;
		struct search *search;
		size_t from, to;

		load_init(&load, (uint64_t)seed);
		load_add_streams(&load, 64);
		from = load_random(&load) % 64;
		for (to = 0; to < 64; to++)
			set_misses(to, total * 0.2 / 64);
		to = (from + 1 + load_random(&load) % 63) % 64;
		set_misses(from, total * 0.8);
		config = load_config(&load);
		config.num_worst = 1;
		search = search_new(&config);
		run(search, &config, 100 + seed % 50);
		CHECK(place(search, row_of(search, from)) == 0, "seed %d", seed);

		set_misses(from, total * 0.2 / 64);
		set_misses(to, total * 0.8);
		late += slices_until_listed(search, &config, row_of(search, to), SOON) == SOON;
		run(search, &config, SOON);
		CHECK(settles(search, &config), "seed %d: does not settle", seed);
		search_free(search);
	}
	CHECK(!late, "%d", late);
}

/* In plain turns, as well, a row shows what it does now, not the mean of its past. */
static void turns_follow(void)
{
	struct search_config config;
	struct search *search;
	struct search_row row;

	load_init(&load, 1);
	background(10, 1e5);
	config = load_config(&load);
	config.turns = true;
	search = search_new(&config);
	run(search, &config, 200);
	set_misses(4, 1e6);
	run(search, &config, 12);
	CHECK(search_row(search, row_of(search, 4), &row), "row");
	CHECK(row.misses > 9e5, "%g", row.misses);
	set_misses(4, 0);
	run(search, &config, 24);
	CHECK(search_row(search, row_of(search, 4), &row), "row");
	CHECK(row.misses == 0, "%g", row.misses);
	CHECK(settles(search, &config), "does not settle");
	search_free(search);
}

/*
 * Now and then a burst: it is marked, and it does not keep the search from ever being complete.
 */
static void bursts(void)
{
	unsigned int steady = 0, marked = 0, complete = 0, seed;
	const unsigned int slices = 600;

	for (seed = 0; seed < 50; seed++) {
		struct search_config config;
		struct search_state state;
		struct search *search;
		struct search_row row;
		unsigned int slice;

		load_init(&load, seed);
		load_add_streams(&load, 20);
		for (slice = 0; slice < 20; slice++)
			set_misses(slice, slice < 4 ? 1e5 : 100);
		config = load_config(&load);
		config.num_worst = 4;
		search = search_new(&config);
		for (slice = 0; slice < slices; slice++) {
			set_misses(2, load_random(&load) % 3 ? 0 : 3e5);
			load_search(&load, search, &config);
			search_state(search, &state);
			complete += state.complete;
		}
		marked += search_row(search, row_of(search, 2), &row) && row.bursty;
		steady += search_row(search, row_of(search, 1), &row) && !row.bursty;
		search_free(search);
	}
	CHECK(marked >= 45, "%u of 50 are marked", marked);
	CHECK(steady == 50, "%u of 50 are steady", steady);
	CHECK(complete >= 50 * slices / 2, "complete in %u slices of %u", complete, 50 * slices);
}

/*
 * One of 64 has all there is, in bursts of 15 ms each 110 ms: many slices of the blocks around it
 * see nothing. It is not said that there is nothing, and it is found.
 */
static void rare_bursts(void)
{
	unsigned int late = 0, most = 0, sum = 0, seed;

	for (seed = 0; seed < 300; seed++) {
		struct search_config config;
		struct search_state state;
		struct search *search;
		unsigned int time = seed * 7, slice, hit;

		load_init(&load, seed);
		load_add_streams(&load, 64);
		config = load_config(&load);
		config.num_worst = 10;
		search = search_new(&config);
		hit = (unsigned int)(load_random(&load) % 64);
		for (slice = 0; slice < 200; slice++) {
			unsigned int ms, in = 0;

			/* A slice is 50 ms, and 3 ms until the next one. */
			for (ms = time; ms < time + 50; ms++)
				in += ms % 110 < 15;
			time += 53;
			set_misses(hit, in / 15.0 * 228 / 0.05);
			load_search(&load, search, &config);
			if (place(search, row_of(search, hit)) >= 0)
				break;
			search_state(search, &state);
			late += slice > 8 && state.complete && state.misses > 0;
		}
		CHECK(slice < 150, "seed %u: not found", seed);
		sum += slice;
		if (slice > most)
			most = slice;
		search_free(search);
	}
	printf("# found after %.1f slices on average, at most %u\n", sum / 300.0, most);
	CHECK(late < 300, "%u", late);
}

/* Groups of 100 events: how large they are is learnt, and then the bounds hold. */
static void groups(void)
{
	unsigned int wrong = 0, complete = 0, seed;

	for (seed = 0; seed < 300; seed++) {
		struct search_config config;
		struct search_state state;
		struct search *search;
		int slice;

		load_init(&load, seed);
		load.noise = NOISE_GROUPS;
		load.group = 100;
		background(50, 3e6);
		config = load_config(&load);
		config.num_blocks = 1 + seed % 4;
		search = search_new(&config);
		run(search, &config, 150);
		for (slice = 0; slice < 100; slice++) {
			load_search(&load, search, &config);
			search_state(search, &state);
			complete += state.complete;
			wrong += !is_true(search);
		}
		CHECK(state.dispersion > 15 && state.dispersion < 300, "seed %u: %g", seed,
		      state.dispersion);
		search_free(search);
	}
	printf("# complete in %u slices of 30000\n", complete);
	CHECK(!wrong, "wrong in %u slices", wrong);
	CHECK(complete > 300 * 100 / 2, "complete in %u slices of 30000", complete);
}

static const struct test tests[] = {
	TEST(starts),
	TEST(stops),
	TEST(moves),
	TEST(turns_follow),
	TEST(bursts),
	TEST(rare_bursts),
	TEST(groups),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
