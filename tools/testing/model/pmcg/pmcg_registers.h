/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of an SMMUv3 Performance Monitor Counter Group (PMCG), IHI 0070
 * chapter 10.5.
 *
 * The driver has its own definitions, so that a mistake in either of them makes a test fail.
 */
#ifndef PMCG_REGISTERS_H
#define PMCG_REGISTERS_H

#define PMCG_BIT(n)			(UINT32_C(1) << (n))
#define PMCG_BITS(high, low)		((UINT32_C(0xffffffff) >> (31 - (high))) & \
					 (UINT32_C(0xffffffff) << (low)))

/* Offsets; counters and shadows are 4 or 8 bytes apart, see CFGR.SIZE. */
#define PMCG_EVCNTR			0x000
#define PMCG_EVTYPER			0x400
#define PMCG_SVR			0x600
#define PMCG_SMR			0xa00
#define PMCG_CNTENSET			0xc00
#define PMCG_CNTENCLR			0xc20
#define PMCG_INTENSET			0xc40
#define PMCG_INTENCLR			0xc60
#define PMCG_OVSCLR			0xc80
#define PMCG_OVSSET			0xcc0
#define PMCG_CAPR			0xd88
#define PMCG_SCR			0xdf8
#define PMCG_CFGR			0xe00
#define PMCG_CR				0xe04
#define PMCG_IIDR			0xe08
#define PMCG_CEID0			0xe20
#define PMCG_CEID1			0xe28
#define PMCG_SCR_ALIAS			0xe40
#define PMCG_ROOTCR			0xe48
#define PMCG_IRQ_CTRL			0xe50
#define PMCG_IRQ_CTRLACK		0xe54
#define PMCG_IRQ_CFG0			0xe58
#define PMCG_IRQ_CFG1			0xe60
#define PMCG_IRQ_CFG2			0xe64
#define PMCG_IRQ_STATUS			0xe68
#define PMCG_GMPAM			0xe6c
#define PMCG_AIDR			0xe70
#define PMCG_MPAMIDR			0xe74
#define PMCG_S_MPAMIDR			0xe78
#define PMCG_ID_REGS			0xfb0
#define PMCG_PMDEVARCH			0xfbc
#define PMCG_PMDEVTYPE			0xfcc
#define PMCG_PIDR4			0xfd0
#define PMCG_PIDR5			0xfd4
#define PMCG_PIDR6			0xfd8
#define PMCG_PIDR7			0xfdc
#define PMCG_PIDR0			0xfe0
#define PMCG_PIDR1			0xfe4
#define PMCG_PIDR2			0xfe8
#define PMCG_PIDR3			0xfec
#define PMCG_CIDR0			0xff0
#define PMCG_CIDR1			0xff4
#define PMCG_CIDR2			0xff8
#define PMCG_CIDR3			0xffc

#define PMCG_EVTYPER_EVENT		PMCG_BITS(15, 0)
#define PMCG_EVTYPER_FILTER_PARTID	PMCG_BIT(16)
#define PMCG_EVTYPER_FILTER_PMG		PMCG_BIT(17)
#define PMCG_EVTYPER_FILTER_MPAM_SP	PMCG_BITS(19, 18)
#define PMCG_EVTYPER_FILTER_MPAM_SP_LOW	PMCG_BIT(18)
#define PMCG_EVTYPER_FILTER_MPAM_SP_SHIFT 18
#define PMCG_EVTYPER_FILTER_REALM_SID	PMCG_BIT(28)
#define PMCG_EVTYPER_FILTER_SID_SPAN	PMCG_BIT(29)
#define PMCG_EVTYPER_FILTER_SEC_SID	PMCG_BIT(30)
#define PMCG_EVTYPER_OVFCAP		PMCG_BIT(31)

#define PMCG_SMR_PARTID			PMCG_BITS(15, 0)
#define PMCG_SMR_PMG			PMCG_BITS(23, 16)
#define PMCG_SMR_PMG_SHIFT		16

#define PMCG_CAPR_CAPTURE		PMCG_BIT(0)

#define PMCG_CFGR_NCTR_SHIFT		0
#define PMCG_CFGR_SIZE_SHIFT		8
#define PMCG_CFGR_RELOC_CTRS		PMCG_BIT(20)
#define PMCG_CFGR_MSI			PMCG_BIT(21)
#define PMCG_CFGR_CAPTURE		PMCG_BIT(22)
#define PMCG_CFGR_SID_FILTER_TYPE	PMCG_BIT(23)
#define PMCG_CFGR_MPAM			PMCG_BIT(24)
#define PMCG_CFGR_FILTER_PARTID_PMG	PMCG_BIT(25)

#define PMCG_CR_E			PMCG_BIT(0)

#define PMCG_IIDR_PRODUCT_SHIFT		20
#define PMCG_IIDR_VARIANT_SHIFT		16
#define PMCG_IIDR_REVISION_SHIFT	12
#define PMCG_IIDR_CONTINUATION_SHIFT	8
#define PMCG_IIDR_BIT7			PMCG_BIT(7)
#define PMCG_IIDR_DESIGNER		PMCG_BITS(6, 0)

#define PMCG_ROOTCR_RTO			PMCG_BIT(0)
#define PMCG_ROOTCR_RLO			PMCG_BIT(1)
#define PMCG_ROOTCR_ROOTCR_IMPL		PMCG_BIT(31)

#define PMCG_IRQ_CTRL_IRQEN		PMCG_BIT(0)

#define PMCG_IRQ_CFG0_ADDR_LOW		2
#define PMCG_IRQ_CFG2_IMPLEMENTED	PMCG_BITS(5, 0)
#define PMCG_IRQ_CFG2_MEMATTR		PMCG_BITS(3, 0)
#define PMCG_IRQ_CFG2_MEMATTR_NORMAL	PMCG_BITS(3, 2)
#define PMCG_IRQ_CFG2_SH_SHIFT		4
#define PMCG_IRQ_STATUS_IRQ_ABT		PMCG_BIT(0)

#define PMCG_GMPAM_UPDATE		PMCG_BIT(31)
#define PMCG_GMPAM_PO_PARTID		PMCG_BITS(15, 0)
#define PMCG_GMPAM_PO_PMG_SHIFT		16

#define PMCG_AIDR_MINOR			PMCG_BITS(3, 0)
#define PMCG_AIDR_MAJOR			PMCG_BITS(7, 4)
#define PMCG_AIDR_NEWEST_MINOR		5

#define PMCG_MPAMIDR_PMG_MAX_SHIFT	16

/* §10.5.2.29: the values that every Arm implementation has in common. */
#define PMCG_PMDEVARCH_VALUE		UINT32_C(0x47702a56)
#define PMCG_PMDEVTYPE_VALUE		UINT32_C(0x56)
#define PMCG_CIDR0_VALUE		UINT32_C(0x0d)
#define PMCG_CIDR1_VALUE		UINT32_C(0x90)
#define PMCG_CIDR2_VALUE		UINT32_C(0x05)
#define PMCG_CIDR3_VALUE		UINT32_C(0xb1)
#define PMCG_PIDR2_JEDEC		PMCG_BIT(3)

/* §10.3 */
#define PMCG_EVENT_CYCLES		0x00
#define PMCG_EVENT_TRANSACTION		0x01
#define PMCG_EVENT_TLB_MISS		0x02
#define PMCG_EVENT_CONFIG_CACHE_MISS	0x03
#define PMCG_EVENT_TABLE_WALK_ACCESS	0x04
#define PMCG_EVENT_CONFIG_ACCESS	0x05
#define PMCG_EVENT_FIRST_IMP_DEF	0x80

#endif /* PMCG_REGISTERS_H */
