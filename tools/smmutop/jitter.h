/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lengths of slices. A load that comes in bursts at equal distances would always, or never, be
 * seen in the slices of a row if these had equal distances, too. No I/O.
 */
#ifndef SMMUTOP_JITTER_H
#define SMMUTOP_JITTER_H

#include <stdint.h>

/**
 * jitter_slice() - how long the next slice lasts
 * @state: of the generator, any number at first; the same number gives the same lengths
 * @nominal: the mean length
 *
 * Return: three to five quarters of @nominal.
 */
uint64_t jitter_slice(uint64_t *state, uint64_t nominal);

#endif
