// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of the memory-mapped PMUs of Arm systems: which of them exist,
 * how wide they are, and which of them can be used.
 */

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>

#include "private.h"

/**
 * arm_syspmu_counter_exists - whether a PMU has a counter
 * @pmu: the PMU
 * @idx: number of the counter, less than &arm_syspmu.num_counters
 *
 * Context: any.
 * Return: true if it has
 */
bool arm_syspmu_counter_exists(const struct arm_syspmu *pmu, unsigned int idx)
{
	return !pmu->layout || !pmu->layout->valid ||
	       test_bit(idx, pmu->layout->valid);
}

/**
 * arm_syspmu_counter_counts - whether a PMU has a counter that events can count
 *	with
 * @pmu: the PMU
 * @idx: number of the counter, less than &arm_syspmu.num_counters
 *
 * Context: any.
 * Return: true if it has, and not only gauges can use it
 */
bool arm_syspmu_counter_counts(const struct arm_syspmu *pmu, unsigned int idx)
{
	return arm_syspmu_counter_exists(pmu, idx) &&
	       !arm_syspmu_is_for_gauges(pmu, idx);
}

/**
 * arm_syspmu_counter_mask - mask of the implemented bits of a counter
 * @pmu: the PMU
 * @idx: the counter
 *
 * Context: any.
 * Return: the mask
 */
u64 arm_syspmu_counter_mask(const struct arm_syspmu *pmu, unsigned int idx)
{
	if (!pmu->layout || !pmu->layout->bits)
		return pmu->counter_mask;

	return GENMASK_ULL(pmu->layout->bits[idx] - 1, 0);
}

/**
 * arm_syspmu_narrowest_counter - width of the narrowest counter
 * @pmu: the PMU
 *
 * Context: any.
 * Return: mask of its implemented bits
 */
u64 arm_syspmu_narrowest_counter(const struct arm_syspmu *pmu)
{
	u64 mask = pmu->counter_mask;
	unsigned int idx;

	for (idx = 0; idx < pmu->num_counters; idx++)
		if (arm_syspmu_counter_exists(pmu, idx))
			mask = min(mask, arm_syspmu_counter_mask(pmu, idx));

	return mask;
}

/**
 * arm_syspmu_counter_interval - longest time between two reads of a counter
 * @pmu: the PMU
 * @mask: mask of the implemented bits of the counter
 *
 * A sixteenth of the range of the counter, so that no read misses that a whole
 * range has passed.
 *
 * Context: any.
 * Return: nanoseconds
 */
u64 arm_syspmu_counter_interval(const struct arm_syspmu *pmu, u64 mask)
{
	return mask / 16 / (pmu->max_rate ?: ARM_SYSPMU_MAX_RATE);
}

static bool arm_syspmu_is_usable(const struct arm_syspmu *pmu, unsigned int idx)
{
	u64 mask;

	if (!arm_syspmu_counter_exists(pmu, idx))
		return false;
	if (arm_syspmu_is_for_gauges(pmu, idx))
		return true;

	mask = arm_syspmu_counter_mask(pmu, idx);

	return (pmu->delivery != ARM_SYSPMU_TIMER && !pmu->wired_uncertain) ||
	       mask == U64_MAX ||
	       arm_syspmu_counter_interval(pmu, mask) >= ARM_SYSPMU_MIN_POLL_NS;
}

/**
 * arm_syspmu_mark_unusable - find the counters that events cannot use
 * @pmu: the PMU, whose interrupt has been requested
 * @unusable: filled in, from &arm_syspmu.num_counters up to the end of its last
 *	word
 *
 * Context: process.
 */
void arm_syspmu_mark_unusable(const struct arm_syspmu *pmu,
			      unsigned long *unusable)
{
	unsigned int n = pmu->num_counters, idx;

	bitmap_set(unusable, n, round_up(n, BITS_PER_LONG) - n);
	for (idx = 0; idx < n; idx++)
		if (!arm_syspmu_is_usable(pmu, idx))
			__set_bit(idx, unusable);
}

/* Leaves the counters that other events cannot use to the gauges. */
static void arm_syspmu_use_for_gauges(struct arm_syspmu *pmu)
{
	unsigned int idx;

	for (idx = 0; idx < pmu->num_counters; idx++)
		if (arm_syspmu_counter_exists(pmu, idx) &&
		    !arm_syspmu_is_usable(pmu, idx))
			__set_bit(idx, pmu->layout->gauges);
	pmu->num_usable += pmu->num_unusable;
	pmu->num_unusable = 0;
}

/**
 * arm_syspmu_count_usable - count the counters that events can use
 * @pmu: the PMU, whose interrupt has been requested
 *
 * If possibly only a timer notices overflows, a counter that wraps faster than
 * the timer can poll cannot be used, except by gauges.
 *
 * Context: process, at probe.
 */
void arm_syspmu_count_usable(struct arm_syspmu *pmu)
{
	unsigned int idx, existing = 0;

	for (idx = 0; idx < pmu->num_counters; idx++) {
		existing += arm_syspmu_counter_exists(pmu, idx);
		pmu->num_usable += arm_syspmu_is_usable(pmu, idx);
	}
	pmu->num_unusable = existing - pmu->num_usable;
	if (pmu->num_unusable)
		dev_warn(pmu->dev,
			 "%u of %u counters cannot be used%s: there %s no overflow interrupt, and they are too narrow to be polled\n",
			 pmu->num_unusable, existing,
			 arm_syspmu_has_gauges(pmu) ? " but by gauges" : "",
			 pmu->wired_uncertain ? "may be" : "is");
	if (arm_syspmu_has_gauges(pmu))
		arm_syspmu_use_for_gauges(pmu);
}
