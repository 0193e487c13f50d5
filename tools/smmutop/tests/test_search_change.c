// SPDX-License-Identifier: GPL-2.0
/*
 * Loads that change: what starts or stops is noticed soon, and the others are not forgotten.
 */
#include "load.h"
#include "test.h"

#include <stdlib.h>
#include <math.h>

static struct load load;

static bool is_listed(struct search *search, size_t row)
{
	static struct search_row rows[64];
	size_t i, num = search_rows(search, rows, 64);

	for (i = 0; i < num; i++)
		if (rows[i].row == row)
			return true;
	return false;
}

static void set_misses(size_t stream, double misses)
{
	load.streams[stream].misses = misses;
	load.streams[stream].transactions = 10 * misses;
}

/* Three of the worst, and others. */
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

/* Slices until @row is one of the worst; at most @max. */
static int slices_until_listed(struct search *search, const struct search_config *config,
			       size_t row, int max, bool *complete)
{
	struct search_state state;
	int i;

	for (i = 0; i < max; i++) {
		if (is_listed(search, row))
			break;
		load_search(&load, search, config);
		search_state(search, &state);
		*complete |= state.complete && !is_listed(search, row) &&
			     state.bound < load.streams[row].misses;
	}
	return i;
}

static void starts(void)
{
	int seed;
int hist[200]={0};

	for (seed = 0; seed < 1000; seed++) {
		struct search_config config;
		struct search *search;
		bool complete = false;
		size_t stream;
		int slices;

		load_init(&load, (uint64_t)seed);
		background(200, pow(10, 4 + seed % 4));
		config = load_config(&load);
		search = search_new(&config);

		/* Now and then while it is still searching. */
		run(search, &config, seed % 3 ? 200 + seed : seed % 50);

		stream = load_random(&load) % 200;
		set_misses(stream, 0.3 * pow(10, 4 + seed % 4));
		slices = slices_until_listed(search, &config, search_find(search, load.streams[stream].id), 199, &complete);
		hist[slices]++;
		CHECK(slices <= 60, "seed %d: %d slices", seed, slices);
		search_free(search);
	}
for (int i = 0; i< 200;i++) if (hist[i]) printf("# %d: %d\n", i, hist[i]);
}

TEST_MAIN(
	TEST(starts),
)
