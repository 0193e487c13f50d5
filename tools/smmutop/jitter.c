// SPDX-License-Identifier: GPL-2.0
/*
 * The lengths of slices.
 */
#include "jitter.h"

/* splitmix64, by Sebastiano Vigna */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

uint64_t jitter_below(uint64_t *state, uint64_t limit)
{
	return next_random(state) % limit;
}

uint64_t jitter_slice(uint64_t *state, uint64_t nominal)
{
	return nominal - nominal / 4 + jitter_below(state, nominal / 2 + 1);
}
