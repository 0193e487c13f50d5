/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers, and the lengths of slices: if they were all the same, a load that comes in bursts
 * at equal distances could be in step with them. No I/O.
 */
#ifndef SMMUTOP_JITTER_H
#define SMMUTOP_JITTER_H

#include <stdint.h>

/* A random number below a limit; the same state gives the same numbers. */
uint64_t jitter_below(uint64_t *state, uint64_t limit);

/**
 * jitter_slice() - how long the next slice lasts
 * @state: of the generator, any number at first; the same number gives the same lengths
 * @nominal: the mean length
 *
 * Return: three to five quarters of @nominal.
 */
uint64_t jitter_slice(uint64_t *state, uint64_t nominal);

#endif
