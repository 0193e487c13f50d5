/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of an SMMUv3 Performance Monitor Counter Group, IHI 0070 §10.5. Neither the driver nor
 * the model uses these definitions, so a mistake makes a test fail.
 */
#ifndef ARM_SYSPMU_PMCG_REGISTERS_H
#define ARM_SYSPMU_PMCG_REGISTERS_H

#include <linux/types.h>

/* Offsets, §10.5.1. Counters and shadow registers are 4 or 8 bytes apart, see CFGR.SIZE. */
#define PMCG_EVCNTR		0x000U
#define PMCG_EVTYPER(n)		(0x400U + 4 * (n))
#define PMCG_SVR		0x600U
#define PMCG_SMR(n)		(0xa00U + 4 * (n))
#define PMCG_CNTENSET0		0xc00U
#define PMCG_CNTENCLR0		0xc20U
#define PMCG_INTENSET0		0xc40U
#define PMCG_INTENCLR0		0xc60U
#define PMCG_OVSCLR0		0xc80U
#define PMCG_OVSSET0		0xcc0U
#define PMCG_CAPR		0xd88U
#define PMCG_CFGR		0xe00U
#define PMCG_CR			0xe04U
#define PMCG_IIDR		0xe08U
#define PMCG_CEID0		0xe20U
#define PMCG_CEID1		0xe28U
#define PMCG_ROOTCR		0xe48U
#define PMCG_IRQ_CTRL		0xe50U
#define PMCG_IRQ_CTRLACK	0xe54U
#define PMCG_AIDR		0xe70U
#define PMCG_MPAMIDR		0xe74U
#define PMCG_CIDR0		0xff0U
#define PMCG_CIDR1		0xff4U
#define PMCG_CIDR2		0xff8U
#define PMCG_CIDR3		0xffcU

/* §10.5.2.2 */
#define PMCG_EVTYPER_EVENT		0x0000ffffU
#define PMCG_EVTYPER_FILTER_PARTID	0x00010000U
#define PMCG_EVTYPER_FILTER_PMG		0x00020000U
#define PMCG_EVTYPER_FILTER_MPAM_SP	0x000c0000U
#define PMCG_EVTYPER_FILTER_REALM_SID	0x10000000U
#define PMCG_EVTYPER_FILTER_SID_SPAN	0x20000000U
#define PMCG_EVTYPER_FILTER_SEC_SID	0x40000000U
#define PMCG_EVTYPER_OVFCAP		0x80000000U

/* §10.5.2.4: only implemented bits are stored */
#define PMCG_SMR_STREAMID		0xffffffffU

/* §10.5.2.13 */
#define PMCG_CFGR_NCTR			0x0000003fU
#define PMCG_CFGR_SIZE			0x00003f00U
#define PMCG_CFGR_RELOC_CTRS		0x00100000U
#define PMCG_CFGR_MSI			0x00200000U
#define PMCG_CFGR_CAPTURE		0x00400000U
#define PMCG_CFGR_SID_FILTER_TYPE	0x00800000U
#define PMCG_CFGR_MPAM			0x01000000U
#define PMCG_CFGR_FILTER_PARTID_PMG	0x02000000U

/* §10.5.2.14 */
#define PMCG_CR_E			0x00000001U

/* §10.5.2.15 */
#define PMCG_IIDR_IMPLEMENTER_CODE	0x0000007fU
#define PMCG_IIDR_IMPLEMENTER_BANK	0x00000f00U
#define PMCG_IIDR_PRODUCTID		0xfff00000U

/* §10.5.2.16 and §10.5.2.17: one bit for each architected event number */
#define PMCG_ARCHITECTED_EVENTS		128

/* §10.5.2.18 */
#define PMCG_ROOTCR_RTO			0x00000001U
#define PMCG_ROOTCR_RLO			0x00000002U
#define PMCG_ROOTCR_ROOTCR_IMPL		0x80000000U

/* §10.5.2.19 and §10.5.2.20 */
#define PMCG_IRQ_CTRL_IRQEN		0x00000001U

/* §10.5.2.26 */
#define PMCG_AIDR_ARCH_REV		0x000000ffU

/* §10.5.2.29 */
#define PMCG_CIDR0_PREAMBLE		0x0dU
#define PMCG_CIDR1_CLASS_PREAMBLE	0x90U
#define PMCG_CIDR2_PREAMBLE		0x05U
#define PMCG_CIDR3_PREAMBLE		0xb1U

/* The value of a field, by its mask. */
static inline __u32 pmcg_field(__u32 value, __u32 mask)
{
	return (value & mask) / (mask & -mask);
}

#endif
