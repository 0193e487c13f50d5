/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Blocks: the StreamIDs that a filter of the SMMUv3 PMCG matches. These are all, or one, or a power
 * of two of them that is aligned to its size (FILTER_SID_SPAN, IHI 0070 10.4).
 */
#ifndef SMMUTOP_BLOCK_H
#define SMMUTOP_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct block - StreamIDs that one filter matches
 * @everything: no filter; all other members are 0 then
 * @stream_id: the lowest one, as far as filters compare it
 * @span_bits: so many low bits of the StreamID are ignored
 */
struct block {
	bool everything;
	uint32_t stream_id;
	unsigned int span_bits;
};

bool block_equal(const struct block *a, const struct block *b);
bool block_has(const struct block *block, uint32_t stream_id);
uint32_t block_filter(const struct block *block, bool *span);

#endif
