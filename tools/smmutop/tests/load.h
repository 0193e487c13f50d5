/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated SMMU: devices with StreamIDs and loads, and a PMCG with filters, for the tests of the
 * search. All numbers are pseudo-random, from a seed.
 */
#ifndef SMMUTOP_TESTS_LOAD_H
#define SMMUTOP_TESTS_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../search.h"

#define MAX_STREAMS	4096

#define SLICE_NS	50000000ull

/**
 * enum load_noise - how the counts of slices of the same load differ
 * @NOISE_NONE: not at all: one event after the other at equal distances
 * @NOISE_POISSON: independent events
 * @NOISE_GROUPS: independent groups of &load.group events
 */
enum load_noise {
	NOISE_NONE,
	NOISE_POISSON,
	NOISE_GROUPS,
};

/**
 * struct load_stream - what comes with one StreamID
 * @id: the StreamID
 * @misses: per s
 * @transactions: per s; those that are no misses are independent of @misses
 * @counted: counts of the current slice
 */
struct load_stream {
	uint32_t id;
	double misses;
	double transactions;
	struct search_count counted;
};

/**
 * struct load - what an SMMU does
 * @random: state of the generator
 * @noise: how counts differ
 * @group: size of groups
 * @streams: what comes with the StreamIDs present
 * @num_streams: how many
 * @unknown: transactions and misses per s which only a filter for everything matches
 * @stream_id_bits: what filters compare
 * @now_ns: the time
 * @phase: 0 to 1: when the first event of NOISE_NONE happens
 */
struct load {
	uint64_t random;
	enum load_noise noise;
	double group;
	struct load_stream streams[MAX_STREAMS];
	size_t num_streams;
	double unknown;
	unsigned int stream_id_bits;
	uint64_t now_ns;
	double phase;
};

/* 64 random bits */
uint64_t load_random(struct load *load);

/* 0 to 1, without 1 */
double load_uniform(struct load *load);

/* How many events happen, if @mean are expected? */
int64_t load_events(struct load *load, double mean);

/* Start again: no streams, 32 bits, NOISE_POISSON. */
void load_init(struct load *load, uint64_t seed);

/* So many streams without load. Their StreamIDs are those of functions of PCI devices. */
void load_add_streams(struct load *load, size_t num);

/* Let a slice pass and count @blocks, and everything if @total. */
void load_slice(struct load *load, const struct search_block *blocks, unsigned int num_blocks,
		struct search_count *counts, struct search_count *total);

/* One slice: plan, count, add. */
void load_search(struct load *load, struct search *search, const struct search_config *config);

/* Of what search_new() needs: 32 bits, 1 block, 3 worst, misses. */
struct search_config load_config(const struct load *load);

#endif
