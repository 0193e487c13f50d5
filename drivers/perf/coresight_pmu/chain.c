// SPDX-License-Identifier: GPL-2.0
/*
 * Counter chaining of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091 §2.6.5): an odd monitor that counts the CHAIN event counts the
 * overflows of the even one before it. No register tells the number of that
 * event, or that there is one.
 *
 * This is for monitors that are too narrow by themselves: they overflow more
 * often than can be handled, or cannot be used at all without an interrupt. All
 * monitors of such a product that can be are used in pairs, and the core knows
 * each pair as one counter. It cannot be set, since both monitors would have to
 * be written at the same time, so there is no sampling, nor freezing for it. And
 * snapshots are not used, since it is IMPLEMENTATION DEFINED whether both values
 * are of the same instant (rule DJHLY).
 */

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "coresight_pmu.h"

/*
 * The values of two monitors of more than 32 bits have more than 64. The width
 * of a monitor that cannot be written is not known. With PMCFGR.NA, a pair would
 * have to be stopped to write registers of others, and would lose the carry of
 * a late overflow.
 */
static bool cspmu_can_chain(const struct coresight_pmu *cspmu)
{
	const struct cspmu_product *product = cspmu->product;
	const struct arm_syspmu *syspmu = &cspmu->syspmu;

	return product->chain && !syspmu->wide && !cspmu->ext64 &&
	       !syspmu->stop_to_write &&
	       !(syspmu->quirks & ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS) &&
	       !cspmu->layout.gauges && !product->slots && !product->shared &&
	       !cspmu_has_common_filter(cspmu);
}

/* Whether monitor @idx can count the overflows of the one before it. */
static bool cspmu_can_be_upper(const struct coresight_pmu *cspmu,
			       unsigned int idx)
{
	return test_bit(idx, cspmu->valid) && test_bit(idx - 1, cspmu->valid) &&
	       !cspmu_is_cycle_counter(cspmu, idx) &&
	       cspmu_accepts(&cspmu->monitors[idx].type, cspmu->product->chain);
}

static void cspmu_chain(struct coresight_pmu *cspmu, unsigned int idx)
{
	__set_bit(idx, cspmu->upper);
	__clear_bit(idx - 1, cspmu->valid);
	__set_bit(idx - 1, cspmu->silent);
	cspmu->low_bits[idx] = cspmu->bits[idx - 1];
	cspmu->bits[idx] += cspmu->bits[idx - 1];
	cspmu->offsets[idx] = cspmu->offsets[idx - 1];
}

/**
 * cspmu_chain_monitors - use monitors in pairs if the product has a CHAIN event
 * @cspmu: the PMU, whose monitors are known
 *
 * Context: process, at probe.
 * Return: 0 or -ENOMEM
 */
int cspmu_chain_monitors(struct coresight_pmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int n = syspmu->num_counters, idx, widest = 0;

	if (!cspmu_can_chain(cspmu))
		return 0;

	cspmu->low_bits = kmemdup(cspmu->bits, n, GFP_KERNEL);
	if (!cspmu->low_bits)
		return -ENOMEM;

	for (idx = 1; idx < n; idx += 2)
		if (cspmu_can_be_upper(cspmu, idx))
			cspmu_chain(cspmu, idx);
	if (bitmap_empty(cspmu->upper, n)) {
		kfree(cspmu->low_bits);
		cspmu->low_bits = NULL;
		return 0;
	}
	for_each_set_bit(idx, cspmu->valid, n)
		widest = max_t(unsigned int, widest, cspmu->bits[idx]);

	cspmu->layout.offsets = cspmu->offsets;
	cspmu->layout.low_bits = cspmu->low_bits;
	syspmu->counter_mask = GENMASK_ULL(widest - 1, 0);
	syspmu->wide = true;
	syspmu->only_32bit = true;
	/* This also rules out snapshots, see cspmu_find_saved_values(). */
	syspmu->quirks |= ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS;

	return 0;
}

/**
 * cspmu_program_upper - let the upper monitor of a pair count overflows
 * @cspmu: the PMU
 * @idx: the upper monitor
 *
 * It stays enabled, and is not programmed again: the lower one may overflow
 * after it has been disabled, also while it is programmed for another event. So
 * its filters let everything through, in case they apply to CHAIN.
 *
 * Context: on the owning CPU with interrupts off.
 */
void cspmu_program_upper(struct coresight_pmu *cspmu, unsigned int idx)
{
	struct cspmu_monitor *monitor = &cspmu->monitors[idx];
	u32 bit = BIT(idx % CSPMU_BITS_PER_WORD);

	if (monitor->programmed)
		return;

	monitor->programmed = true;
	cspmu_write_control(cspmu, &monitor->type, CSPMU_PMEVTYPER, idx,
			    cspmu->product->chain, true);
	cspmu_write_control(cspmu, &monitor->filter, CSPMU_PMEVFILTR, idx,
			    cspmu_decode_filter(cspmu->product, 0), true);
	cspmu_write_control(cspmu, &monitor->filter2, CSPMU_PMEVFILT2R, idx,
			    cspmu_decode_filter2(cspmu, 0), true);
	writel_relaxed(bit, cspmu->page0 + CSPMU_PMCNTENSET0 +
			    sizeof(u32) * (idx / CSPMU_BITS_PER_WORD));
}

/**
 * cspmu_write_chained - enable or disable counters
 * @cspmu: a PMU that has pairs of monitors
 * @reg: the first word of PMCNTENSET or PMCNTENCLR
 * @counters: bitmap of the counters; of a pair, the lower monitor is meant
 *
 * Context: on the owning CPU with interrupts off.
 */
void cspmu_write_chained(const struct coresight_pmu *cspmu, void __iomem *reg,
			 const unsigned long *counters)
{
	DECLARE_BITMAP(monitors, CSPMU_MAX_MONITORS);
	DECLARE_BITMAP(single, CSPMU_MAX_MONITORS);
	unsigned int n = cspmu->syspmu.num_counters;

	bitmap_andnot(single, counters, cspmu->upper, n);
	bitmap_and(monitors, counters, cspmu->upper, n);
	bitmap_shift_right(monitors, monitors, 1, n);
	bitmap_or(monitors, monitors, single, n);
	cspmu_write_bits(cspmu, reg, monitors);
}
