/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of a PMU of the CoreSight PMU Architecture, IHI 0091 chapter 3. Neither the driver
 * nor the model uses these definitions: a wrong one shows as a failing test.
 */
#ifndef ARM_SYSPMU_CORESIGHT_REGISTERS_H
#define ARM_SYSPMU_CORESIGHT_REGISTERS_H

#include <linux/types.h>

/*
 * Offsets, §3.1.1. Monitors are 4 bytes apart if none is larger than 32 bits, or else 8, see
 * PMCFGR.SIZE. Registers with a bit for each monitor have 32 of them in a word.
 */
#define PMEVCNTR		0x000U
#define PMEVTYPER(n)		(0x400U + 4 * (n))
#define PMCCFILTR		0x47cU
#define PMSVR(n)		(0x600U + 4 * (n))
#define PMEVFILT2R(n)		(0x800U + 4 * (n))
#define PMEVFILTR(n)		(0xa00U + 4 * (n))
#define PMCNTENSET(word)	(0xc00U + 4 * (word))
#define PMCNTENCLR(word)	(0xc20U + 4 * (word))
#define PMINTENSET(word)	(0xc40U + 4 * (word))
#define PMINTENCLR(word)	(0xc60U + 4 * (word))
#define PMOVSCLR(word)		(0xc80U + 4 * (word))
#define PMOVSSET(word)		(0xcc0U + 4 * (word))
#define PMCGCR(n)		(0xce0U + 4 * (n))
#define PMIMPDEF(n)		(0xd80U + 4 * (n))
#define PMCFGR			0xe00U
#define PMCR			0xe04U
#define PMIIDR			0xe08U
#define PMAUTHSTATUS		0xfb8U
#define PMSSCR			0xe30U
#define PMSSRR			0xe38U
#define PMIRQCR1		0xe88U
#define PMIRQCR2		0xe8cU
#define PMIRQSR			0xef8U
#define PMDEVARCH		0xfbcU

/* Newer than the document: registers of 64 bits. */
#define PMEVTYPER_64(n)		(0x400U + 8 * (n))
#define PMEVFILT2R_64(n)	(0x800U + 8 * (n))
#define PMEVFILTR_64(n)		(0xa00U + 8 * (n))
#define PMCNTEN_64		0xc10U
#define PMCR_64			0xe10U

/* How many there can be: monitors in all, their words, words of a snapshot. */
#define CORESIGHT_MONITORS	256
#define CORESIGHT_WORDS		8
#define CORESIGHT_SAVED_WORDS	64

/* With the cycle counter extension, the monitor that is the cycle counter (rule HJZYK). */
#define CORESIGHT_CYCLE_COUNTER	31

/* §3.8 */
#define PMCFGR_N		0x000000ffU
#define PMCFGR_SIZE		0x00003f00U
#define PMCFGR_CC		0x00004000U
#define PMCFGR_NA		0x00020000U
#define PMCFGR_MSI		0x00100000U
#define PMCFGR_SS		0x00400000U
#define PMCFGR_NCG		0xf0000000U

/* §3.16 */
#define PMCR_E			0x00000001U
#define PMCR_D			0x00000008U
#define PMCR_X			0x00000010U
#define PMCR_FZO		0x00000200U
#define PMCR_HDBG		0x00000400U
#define PMCR_TRO		0x00000800U

/* §3.18; the second one is newer, and has other registers */
#define PMDEVARCH_ARCHID	0x0000ffffU
#define PMDEVARCH_ARCHID_64	0x00000af4U

/* §3.25 */
#define PMIIDR_IMPLEMENTER	0x00000fffU
#define PMIIDR_NVIDIA		0x0000036bU
#define PMIIDR_AMPERE		0x00000a16U

/* §3.30 and §3.31 */
#define PMIRQCR2_MSIEN		0x00000080U
#define PMIRQSR_IRQ		0x00000001U

/* The value of a field, by its mask. */
static inline __u32 coresight_field(__u32 value, __u32 mask)
{
	return (value & mask) / (mask & -mask);
}

#endif
