/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much more than independent events do the counts of all blocks differ?
 */
#ifndef SMMUTOP_SEARCH_POOL_H
#define SMMUTOP_SEARCH_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* How many of the latest differences between equal blocks the typical dispersion comes from. */
#define POOL	64

/**
 * struct pool - what all blocks say about the dispersion of the counts of an event
 * @differences: squared differences / variance of independent events, a ring
 * @sorted: the same, in ascending order
 * @next: which one is replaced next
 * @changed: @typical must be computed
 * @typical: dispersion, on which some bursty blocks have little influence
 */
struct pool {
	double differences[POOL];
	double sorted[POOL];
	size_t next;
	bool changed;
	double typical;
};

/**
 * pool_init() - expect independent events
 * @pool: what to set
 */
void pool_init(struct pool *pool);

/**
 * pool_add() - add what two counts of a block say
 * @pool: of this event
 * @difference: squared difference / variance of independent events
 */
void pool_add(struct pool *pool, double difference);

/**
 * pool_update() - compute the typical dispersion
 * @pool: of this event
 */
void pool_update(struct pool *pool);

#endif
