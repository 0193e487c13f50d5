// SPDX-License-Identifier: GPL-2.0
/*
 * How many slices does the search take for typical loads? Prints the table of the manual: median
 * and maximum over 100 loads, and what plain turns take.
 */
#include "load.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LOADS	100

static struct load load;

static void three_heavy(void)
{
	size_t i, heavy = 0;
	double share = 3 * (double)load.num_streams;

	for (i = 0; i < load.num_streams; i++)
		load.streams[i].misses = 1;
	while (heavy < 3) {
		struct load_stream *stream = &load.streams[load_random(&load) % load.num_streams];

		heavy += stream->misses < share;
		stream->misses = share;
	}
}

static void few_active(void)
{
	size_t i;

	for (i = 0; i < 10; i++)
		load.streams[load_random(&load) % load.num_streams].misses =
			1 + load_uniform(&load);
}

static void zipf(void)
{
	size_t i;

	for (i = 0; i < load.num_streams; i++) {
		size_t rank = 1 + load_random(&load) % load.num_streams;

		load.streams[i].misses = pow((double)rank, -1.5);
	}
}

static void flat(void)
{
	size_t i;

	for (i = 0; i < load.num_streams; i++)
		load.streams[i].misses = 1;
}

static const struct {
	const char *name;
	void (*make)(void);
} shapes[] = {
	{ "three have 90 %", three_heavy },
	{ "ten are active", few_active },
	{ "n-th has n^-1.5", zipf },
	{ "all the same", flat },
};

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int slices(const struct search_config *config)
{
	struct search *search = search_new(config);
	struct search_state state;
	int num = 0;

	if (!search)
		exit(1);
	do {
		load_search(&load, search, config);
		search_state(search, &state);
		num++;
	} while (!state.complete && num < 100000);
	search_free(search);
	return num;
}

/* With a million misses per s. */
static void print_line(size_t shape, size_t num_streams, unsigned int num_blocks)
{
	static int results[LOADS];
	double sum;
	size_t i, j;

	for (i = 0; i < LOADS; i++) {
		struct search_config config;

		load_init(&load, i);
		load_add_streams(&load, num_streams);
		shapes[shape].make();
		for (j = 0, sum = 0; j < num_streams; j++)
			sum += load.streams[j].misses;
		for (j = 0; j < num_streams; j++) {
			load.streams[j].misses *= 1e6 / sum;
			load.streams[j].transactions = 10 * load.streams[j].misses;
		}
		config = load_config(&load);
		config.num_blocks = num_blocks;
		results[i] = slices(&config);
	}
	qsort(results, LOADS, sizeof(results[0]), compare);
	printf("%-16s %10zu %7u %7d %7d %7zu\n", shapes[shape].name, num_streams, num_blocks,
	       results[LOADS / 2], results[LOADS - 1],
	       (num_streams + num_blocks - 1) / num_blocks);
}

int main(void)
{
	static const size_t streams[] = { 16, 64, 200, 1000 };
	size_t shape, i;
	unsigned int num_blocks;

	printf("%-16s %10s %7s %7s %7s %7s\n", "load", "StreamIDs", "filters", "median", "most",
	       "turns");
	for (shape = 0; shape < ARRAY_SIZE(shapes); shape++)
		for (i = 0; i < ARRAY_SIZE(streams); i++)
			for (num_blocks = 1; num_blocks <= 4; num_blocks += 3)
				print_line(shape, streams[i], num_blocks);
	return 0;
}
