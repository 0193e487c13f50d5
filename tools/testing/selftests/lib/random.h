/* SPDX-License-Identifier: GPL-2.0 */
/* Pseudo-random numbers, the same in every run: Marsaglia's xorshift. */
#ifndef ARM_SYSPMU_RANDOM_H
#define ARM_SYSPMU_RANDOM_H

#include <linux/types.h>

static inline __u64 next_random(__u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
