/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of the registers that PMU snapshots of a PE have, or depend on: Arm ARM (DDI 0487) D24.
 *
 * The kernel has definitions of its own, so that a wrong one on either side fails a test.
 */
#ifndef PE_SNAPSHOT_REGISTERS_H
#define PE_SNAPSHOT_REGISTERS_H

#define PE_BIT(n)			(UINT64_C(1) << (n))

#define PE_PMSSCR_EL1_SS		PE_BIT(0)
#define PE_PMSSCR_EL1_NC		PE_BIT(32)

#define PE_PMECR_EL1_SSE_SHIFT		3

/* The same in MDCR_EL2 and MDCR_EL3 */
#define PE_MDCR_PMSSE_SHIFT		30
#define PE_MDCR_TPM			PE_BIT(6)

#define PE_MDCR_EL2_HPMN		UINT64_C(0x1f)
#define PE_MDCR_EL3_ENPM2		PE_BIT(7)
#define PE_MDCR_EL3_ENPMSS		PE_BIT(44)

/* The same in HDFGRTR2_EL2 and HDFGWTR2_EL2, which has no nPMSSDATA */
#define PE_HDFGTR2_NPMECR_EL1		PE_BIT(0)
#define PE_HDFGTR2_NPMSSDATA		PE_BIT(6)
#define PE_HDFGTR2_NPMSSCR_EL1		PE_BIT(7)

/* FEAT_PMUv3_SS is implemented */
#define PE_ID_AA64DFR0_EL1_PMSS		PE_BIT(16)

/* D14.3 */
#define PE_EVENT_PMU_SNAPSHOT		0x8127

#endif /* PE_SNAPSHOT_REGISTERS_H */
