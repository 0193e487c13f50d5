// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <math.h>
#include <string.h>

#define MAX_BLOCKS	64

/* splitmix64 */
uint64_t load_random(struct load *load)
{
	uint64_t z = load->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

double load_uniform(struct load *load)
{
	return (double)(load_random(load) >> 11) / 9007199254740992.0;
}

/* Poisson's distribution; for many events, the normal one is the same. */
static int64_t independent(struct load *load, double mean)
{
	const double pi = 3.14159265358979;
	int64_t events = 0;
	double n, p;

	if (mean > 200) {
		n = sqrt(-2 * log(1 - load_uniform(load))) * cos(2 * pi * load_uniform(load));
		return (int64_t)floor(mean + sqrt(mean) * n + 0.5);
	}
	n = exp(-mean);
	for (p = load_uniform(load); p > n; p *= load_uniform(load))
		events++;
	return events;
}

/* At equal distances, which are longer than a slice if less than one is expected. */
static int64_t evenly(struct load *load, double mean)
{
	double before = load->phase + mean * (double)(load->now_ns / SLICE_NS);

	return (int64_t)(floor(before + mean) - floor(before));
}

int64_t load_events(struct load *load, double mean)
{
	if (mean <= 0)
		return 0;
	switch (load->noise) {
	case NOISE_NONE:
		return evenly(load, mean);
	case NOISE_GROUPS:
		return (int64_t)(load->group * (double)independent(load, mean / load->group));
	default:
		return independent(load, mean);
	}
}

void load_init(struct load *load, uint64_t seed)
{
	memset(load, 0, sizeof(*load));
	load->random = seed;
	load->noise = NOISE_POISSON;
	load->group = 1;
	load->stream_id_bits = 32;
}

void load_add_streams(struct load *load, size_t num)
{
	uint32_t id = 0;
	size_t i;

	for (i = 0; i < num; i++) {
		/* The next function, device, bus, or a bus much further. */
		switch (load_random(load) % 16) {
		case 0:
			id = (id | 0x7) + 1;
			break;
		case 1:
			id = (id | 0xff) + 1;
			break;
		case 2:
			id = (id | 0xfff) + 1;
			break;
		}
		load->streams[load->num_streams++].id = id++;
	}
}

/* As IHI 0070 10.4 says, from the filter's value. */
static bool matches(const struct load *load, const struct search_block *block, uint32_t id)
{
	uint32_t compared = load->stream_id_bits < 32 ? (1u << load->stream_id_bits) - 1 : ~0u;
	uint32_t filter, ignored = 0;
	bool span;

	if (block->everything)
		return true;
	filter = search_filter(block, &span);
	if (span)
		ignored = filter ^ (filter + 1);
	return !((id ^ filter) & compared & ~ignored);
}

static void count_stream(struct load *load, struct load_stream *stream)
{
	double time = SLICE_NS / 1e9;
	double hits = fmax(0, stream->transactions - stream->misses);

	if (stream->counted.time_ns)
		return;
	stream->counted.time_ns = SLICE_NS;
	load->phase = fmod(stream->id * 0.618, 1);
	stream->counted.misses = load_events(load, stream->misses * time);
	stream->counted.transactions = stream->counted.misses + load_events(load, hits * time);
}

static struct search_count count_block(struct load *load, const struct search_block *block)
{
	struct search_count count = { .time_ns = SLICE_NS };
	size_t i;

	for (i = 0; i < load->num_streams; i++) {
		struct load_stream *stream = &load->streams[i];

		if (!matches(load, block, stream->id))
			continue;
		count_stream(load, stream);
		count.misses += stream->counted.misses;
		count.transactions += stream->counted.transactions;
	}
	if (block->everything) {
		int64_t unknown = load_events(load, load->unknown * SLICE_NS / 1e9);

		count.misses += unknown;
		count.transactions += unknown;
	}
	return count;
}

void load_slice(struct load *load, const struct search_block *blocks, unsigned int num_blocks,
		struct search_count *counts, struct search_count *total)
{
	const struct search_block everything = { .everything = true };
	size_t i;

	for (i = 0; i < load->num_streams; i++)
		load->streams[i].counted.time_ns = 0;
	for (i = 0; i < num_blocks; i++)
		counts[i] = count_block(load, &blocks[i]);
	if (total)
		*total = count_block(load, &everything);
	load->now_ns += SLICE_NS;
}

void load_search(struct load *load, struct search *search, const struct search_config *config)
{
	struct search_block blocks[MAX_BLOCKS];
	struct search_count counts[MAX_BLOCKS], total;
	unsigned int num = search_plan(search, blocks);

	load_slice(load, blocks, num, counts, config->total_beside ? &total : NULL);
	search_add(search, counts, config->total_beside ? &total : NULL, load->now_ns);
}

/* Static, because a configuration only points to its StreamIDs. */
struct search_config load_config(const struct load *load)
{
	static uint32_t ids[MAX_STREAMS];
	struct search_config config = {
		.stream_ids = ids,
		.num_stream_ids = load->num_streams,
		.stream_id_bits = load->stream_id_bits,
		.num_blocks = 1,
		.num_worst = 3,
		.figure = SEARCH_MISSES,
	};
	size_t i;

	for (i = 0; i < load->num_streams; i++)
		ids[i] = load->streams[i].id;
	return config;
}
