// SPDX-License-Identifier: GPL-2.0
/*
 * Counter chaining of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091 §2.6.5): an odd monitor that counts the CHAIN event counts the
 * overflows of the even one before it. No register tells its number.
 *
 * The core knows a pair as one counter. It cannot be set, since both monitors
 * would have to be written at the same time, so there is no sampling. Snapshots
 * are not used, since it is IMPLEMENTATION DEFINED whether both values are of
 * the same instant (rule DJHLY).
 */

#include <linux/limits.h>

#include "coresight_pmu.h"

/*
 * Reads of the lower monitor until it must show an overflow that the upper one
 * has counted: the time is finite (rule DJHLY), but nothing says how long it is.
 */
#define CSPMU_CHAIN_READS		8

/*
 * With PMCFGR.NA, a pair would have to be stopped to write registers of others,
 * and would lose the carry of a late overflow.
 */
static bool cspmu_needs_pairs(const struct cspmu *cspmu)
{
	const struct cspmu_product *product = cspmu->product;
	unsigned int idx;

	if (!cspmu->chain_event || cspmu->wide || product->slots ||
	    product->shared || cspmu->cfgr & CSPMU_PMCFGR_NA ||
	    cspmu->syspmu.read_only_counters)
		return false;
	for_each_set_bit(idx, cspmu->valid, cspmu->syspmu.num_counters)
		if (cspmu->bits[idx] < CSPMU_MIN_BITS)
			return true;
	return false;
}

static bool cspmu_is_pair(const struct cspmu *cspmu, unsigned int idx)
{
	return test_bit(idx, cspmu->valid) && test_bit(idx - 1, cspmu->valid) &&
	       cspmu->bits[idx - 1] + cspmu->bits[idx] >= CSPMU_MIN_BITS &&
	       !cspmu_is_cycle_counter(cspmu, idx) &&
	       cspmu_accepts(&cspmu->monitors[idx].control[CSPMU_TYPE],
			     cspmu->chain_event);
}

/* Uses monitors in pairs if some are narrow. */
void cspmu_chain_monitors(struct cspmu *cspmu)
{
	unsigned int idx;

	if (!cspmu_needs_pairs(cspmu))
		return;
	for (idx = 1; idx < cspmu->syspmu.num_counters; idx += 2) {
		if (!cspmu_is_pair(cspmu, idx))
			continue;
		__set_bit(idx, cspmu->upper);
		__clear_bit(idx - 1, cspmu->valid);
		cspmu->bits[idx] += cspmu->bits[idx - 1];
		/* This also rules out snapshots. */
		cspmu->syspmu.read_only_counters = true;
	}
}

/*
 * Lets the upper monitor of a pair count overflows. It stays enabled, and is not
 * programmed again: the lower one may overflow after it has been disabled, also
 * while it is programmed for another event. So its filters let everything
 * through, in case they apply to CHAIN.
 */
void cspmu_program_upper(struct cspmu *cspmu, unsigned int idx)
{
	struct cspmu_monitor *monitor = &cspmu->monitors[idx];
	DECLARE_BITMAP(upper, CSPMU_MAX_MONITORS) = {};

	if (monitor->programmed)
		return;
	cspmu_write_control(cspmu, idx, CSPMU_TYPE, cspmu->chain_event);
	cspmu_write_control(cspmu, idx, CSPMU_FILTER,
			    cspmu_decode_filter(cspmu->product, 0));
	cspmu_write_control(cspmu, idx, CSPMU_FILTER2,
			    cspmu_decode_filter2(cspmu, 0));
	monitor->programmed = true;
	__set_bit(idx, upper);
	cspmu_write_bits(cspmu, cspmu->page0 + CSPMU_PMCNTENSET0, upper);
}

/*
 * The upper monitor may count an overflow before the lower one shows it, but not
 * the other way round (rule DJHLY). So give the lower one time while its value is
 * in the upper half of its range, where it may be that from before the overflow:
 * no event is worth half of the range.
 *
 * If the upper one changes while the lower one is read, the value of the lower
 * one belongs to either. But the pair must then have passed the value in which
 * the lower one is 0. Read the lower one once more, and not for ever: one of 8
 * bits can overflow more often than it can be read. If it has overflowed again,
 * the pair has passed that value, too.
 */
u64 cspmu_read_pair(const struct cspmu *cspmu, unsigned int idx)
{
	void __iomem *lower = cspmu->page1 + cspmu->monitors[idx - 1].offset;
	void __iomem *upper = cspmu->page1 + cspmu->monitors[idx].offset;
	unsigned int bits = cspmu->bits[idx - 1], reads = CSPMU_CHAIN_READS;
	u32 low, before, high, half = BIT(bits - 1);

	before = readl_relaxed(upper);
	do {
		low = readl_relaxed(lower);
	} while (low & half && --reads);
	high = readl_relaxed(upper);
	if (high != before) {
		low = readl_relaxed(lower);
		if (low & half)
			low = 0;
	}

	/* The device may have lost power after the lower one was read. */
	if (high == U32_MAX && readl_relaxed(lower) == U32_MAX)
		return U64_MAX;
	return (u64)high << bits | low;
}
