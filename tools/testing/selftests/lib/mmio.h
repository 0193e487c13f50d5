/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accesses to registers that are mapped from /dev/mem. A hypervisor only emulates accesses by
 * instructions that have no writeback and move a single register, so use inline assembly if the
 * compiler could choose another one.
 */
#ifndef ARM_SYSPMU_MMIO_H
#define ARM_SYSPMU_MMIO_H

#include <linux/types.h>

#ifdef __aarch64__

static inline __u32 mmio_read32(const void *page, unsigned int offset)
{
	__u32 value;

	asm volatile("ldr %w0, [%1]" : "=r" (value) : "r" ((char *)page + offset) : "memory");
	return value;
}

static inline __u64 mmio_read64(const void *page, unsigned int offset)
{
	__u64 value;

	asm volatile("ldr %x0, [%1]" : "=r" (value) : "r" ((char *)page + offset) : "memory");
	return value;
}

static inline void mmio_write32(void *page, unsigned int offset, __u32 value)
{
	asm volatile("str %w0, [%1]" : : "rZ" (value), "r" ((char *)page + offset) : "memory");
}

static inline void mmio_write64(void *page, unsigned int offset, __u64 value)
{
	asm volatile("str %x0, [%1]" : : "rZ" (value), "r" ((char *)page + offset) : "memory");
}

#else

static inline __u32 mmio_read32(const void *page, unsigned int offset)
{
	return __atomic_load_n((const __u32 *)((const char *)page + offset), __ATOMIC_RELAXED);
}

static inline __u64 mmio_read64(const void *page, unsigned int offset)
{
	return __atomic_load_n((const __u64 *)((const char *)page + offset), __ATOMIC_RELAXED);
}

static inline void mmio_write32(void *page, unsigned int offset, __u32 value)
{
	__atomic_store_n((__u32 *)((char *)page + offset), value, __ATOMIC_RELAXED);
}

static inline void mmio_write64(void *page, unsigned int offset, __u64 value)
{
	__atomic_store_n((__u64 *)((char *)page + offset), value, __ATOMIC_RELAXED);
}

#endif

#endif
