// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks: the StreamIDs that a filter matches.
 */
#include "block.h"

bool block_equal(const struct block *a, const struct block *b)
{
	return a->everything == b->everything &&
	       (a->everything || (a->stream_id == b->stream_id && a->span_bits == b->span_bits));
}

bool block_has(const struct block *block, uint32_t stream_id)
{
	return block->everything ||
	       !((uint64_t)(stream_id ^ block->stream_id) >> block->span_bits);
}

/*
 * The StreamID to set in a filter (SMMU_PMCG_SMRn): of a span, the bits below its lowest 0 are
 * ignored, and that 0 is, too (FILTER_SID_SPAN, IHI 0070 10.4).
 */
uint32_t block_filter(const struct block *block, bool *span)
{
	*span = block->span_bits;
	if (!block->span_bits)
		return block->stream_id;
	return block->stream_id | ((1U << (block->span_bits - 1)) - 1);
}
