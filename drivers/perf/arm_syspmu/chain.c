// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the memory-mapped PMUs of Arm systems that consist of two: the
 * upper one counts the overflows of the lower one (IHI 0091 §2.6.5).
 */

#include <linux/bits.h>
#include <linux/io.h>
#include <linux/limits.h>

#include "private.h"

/*
 * Reads of the lower counter until it must show an overflow that the upper one
 * has counted: the time is finite (rule DJHLY), but nothing says how long it is.
 */
#define ARM_SYSPMU_CHAIN_READS		8

/* No event is worth half of the range, so it has not just overflowed. */
static bool arm_syspmu_is_high(u32 low, unsigned int bits)
{
	return low >> (bits - 1);
}

/**
 * arm_syspmu_read_chained - read a counter that may consist of two
 * @counter: the counter
 *
 * The upper counter may count an overflow before the lower one shows it, but
 * not the other way round (rule DJHLY). So give the lower one time while its
 * value is in the upper half of its range, where it may be that from before the
 * overflow.
 *
 * If the upper one changes while the lower one is read, the value of the lower
 * one belongs to either. But the counter must then have passed the value in
 * which the lower one is 0. Read the lower one once more, and not for ever: one
 * of 8 bits can overflow more often than it can be read. If it has overflowed
 * again, the counter has passed that value, too.
 *
 * Context: any.
 * Return: a value that it has had meanwhile; all bits are set if the device may
 *	be without power
 */
u64 arm_syspmu_read_chained(const struct arm_syspmu_counter *counter)
{
	unsigned int bits = counter->low_bits, reads = ARM_SYSPMU_CHAIN_READS;
	void __iomem *upper = counter->reg + sizeof(u32);
	u32 low, before, high;

	if (counter->mask == GENMASK_ULL(bits - 1, 0)) {
		low = readl_relaxed(counter->reg);
		return low == U32_MAX ? U64_MAX : low;
	}

	before = readl_relaxed(upper);
	do {
		low = readl_relaxed(counter->reg);
	} while (arm_syspmu_is_high(low, bits) && --reads);
	high = readl_relaxed(upper);
	if (high != before) {
		low = readl_relaxed(counter->reg);
		if (arm_syspmu_is_high(low, bits))
			low = 0;
	}

	/* The device may have lost power after the lower one was read. */
	if (high == U32_MAX && readl_relaxed(counter->reg) == U32_MAX)
		return U64_MAX;

	return (u64)high << bits | low;
}
