/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Register accesses common to the memory-mapped PMUs of Arm systems: registers
 * with one bit for each counter, where writing ones sets or clears bits, and
 * counters that can only be written in halves.
 *
 * The bits of 64 counters are in one 64-bit register, which takes one access
 * (IHI 0070 §10.5).
 */
#ifndef ARM_SYSPMU_IO_H
#define ARM_SYSPMU_IO_H

#include <linux/bits.h>
#include <linux/io.h>
#include <linux/kernel.h>

/**
 * arm_syspmu_write_bits - set or clear the bits of some counters
 * @reg: first set register or first clear register
 * @counters: bitmap of the counters
 * @number: number of bits in the bitmap
 *
 * Context: any.
 */
static __always_inline void arm_syspmu_write_bits(void __iomem *reg,
						  const unsigned long *counters,
						  unsigned int number)
{
	unsigned int word;

	for (word = 0; word < BITS_TO_LONGS(number); word++)
		writeq_relaxed(counters[word], reg + sizeof(u64) * word);
}

/**
 * arm_syspmu_read_bits - read the bits of all counters
 * @reg: first register
 * @counters: bitmap to store them in
 * @number: number of bits in the bitmap
 *
 * Context: any.
 */
static __always_inline void arm_syspmu_read_bits(void __iomem *reg,
						 unsigned long *counters,
						 unsigned int number)
{
	unsigned int word;

	for (word = 0; word < BITS_TO_LONGS(number); word++)
		counters[word] = readq_relaxed(reg + sizeof(u64) * word);
}

/**
 * arm_syspmu_has_full_word - whether registers may come from a device without
 *	power
 * @counters: bits of all counters, read from registers of 32 or 64 bits
 * @number: number of bits in the bitmap
 *
 * The device may have lost power between two of the registers, or between the
 * halves of one.
 *
 * Context: any.
 * Return: true if all bits of a half are set
 */
static __always_inline bool
arm_syspmu_has_full_word(const unsigned long *counters, unsigned int number)
{
	unsigned int word;

	for (word = 0; word < BITS_TO_LONGS(number); word++)
		if (lower_32_bits(counters[word]) == U32_MAX ||
		    upper_32_bits(counters[word]) == U32_MAX)
			return true;

	return false;
}

/**
 * arm_syspmu_take_bits - read the bits of all counters and clear the ones set
 * @reg: first clear register
 * @counters: bitmap to store them in
 * @number: number of bits in the bitmap
 *
 * A bit that is set between the read and the write remains set.
 *
 * Context: any.
 */
static __always_inline void arm_syspmu_take_bits(void __iomem *reg,
						 unsigned long *counters,
						 unsigned int number)
{
	unsigned int word;
	u64 bits;

	for (word = 0; word < BITS_TO_LONGS(number); word++) {
		bits = readq_relaxed(reg + sizeof(u64) * word);
		if (bits)
			writeq_relaxed(bits, reg + sizeof(u64) * word);
		counters[word] = bits;
	}
}

/**
 * arm_syspmu_write_halves - write a 64-bit register, upper half first
 * @reg: the register
 * @value: value to write
 *
 * 64-bit accesses need not be atomic (IHI 0070 §10.5). The counter may be
 * enabled, but its lower half must not be about to carry.
 *
 * Context: any.
 */
static inline void arm_syspmu_write_halves(void __iomem *reg, u64 value)
{
	writel_relaxed(upper_32_bits(value), reg + sizeof(u32));
	writel_relaxed(lower_32_bits(value), reg);
}

/**
 * arm_syspmu_read_in_halves - read a 64-bit register by 32-bit accesses
 * @reg: the register
 *
 * Reads again if the upper half has changed meanwhile.
 *
 * Context: any.
 * Return: its value
 */
static inline u64 arm_syspmu_read_in_halves(void __iomem *reg)
{
	u32 low, high = readl_relaxed(reg + sizeof(u32)), previous;

	do {
		previous = high;
		low = readl_relaxed(reg);
		high = readl_relaxed(reg + sizeof(u32));
	} while (high != previous);

	return (u64)high << 32 | low;
}

#endif /* ARM_SYSPMU_IO_H */
