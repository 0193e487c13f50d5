// SPDX-License-Identifier: GPL-2.0
/*
 * Which accesses are UNDEFINED or trapped: the pseudocode of each register in Arm ARM D24.5.
 */
#include "pe_test.h"

#define PERMITTED	PE_ACCESS_PERMITTED
#define UNDEFINED	PE_ACCESS_UNDEFINED
#define TRAP_EL2	PE_ACCESS_TRAP_EL2
#define TRAP_EL3	PE_ACCESS_TRAP_EL3

#define LAST_EVENT	(PE_PMEVCNTSVR_EL1 + COUNTERS - 1)

FIXTURE(access) {
	struct pe pe;
};

FIXTURE_SETUP(access)
{
	default_pe(&self->pe);
	make(_metadata, &self->pe);
}

FIXTURE_TEARDOWN(access)
{
}

static enum pe_access mrs(struct pe *pe, unsigned int reg)
{
	return pe_snapshot_access(&pe->snapshot, &pe->cpu, reg, false);
}

static enum pe_access msr(struct pe *pe, unsigned int reg)
{
	return pe_snapshot_access(&pe->snapshot, &pe->cpu, reg, true);
}

static bool all_reads_are(struct pe *pe, enum pe_access expected)
{
	unsigned int reg;

	for (reg = 0; reg <= LAST_EVENT; reg++) {
		if (mrs(pe, reg) != expected)
			return false;
	}
	return true;
}

/* The captured values have no MSR, at any Exception level. */
TEST_F(access, by_exception_level)
{
	struct pe *pe = &self->pe;
	unsigned int reg;

	for (pe->cpu.el = 0; pe->cpu.el < 4; pe->cpu.el++) {
		const enum pe_access expected = pe->cpu.el ? PERMITTED : UNDEFINED;

		EXPECT_TRUE(all_reads_are(pe, expected));
		EXPECT_EQ(expected, msr(pe, PE_PMSSCR_EL1));
		EXPECT_EQ(expected, msr(pe, PE_PMECR_EL1));
		for (reg = PE_PMCCNTSVR_EL1; reg <= LAST_EVENT; reg++)
			EXPECT_EQ(UNDEFINED, msr(pe, reg));
		EXPECT_EQ(UNDEFINED, mrs(pe, LAST_EVENT + 1));
		EXPECT_EQ(UNDEFINED, msr(pe, LAST_EVENT + 1));
	}
}

/* HDFGRTR2_EL2 and HDFGWTR2_EL2: one bit for each kind of register, for reads and for writes. */
TEST_F(access, fine_grained_traps)
{
	static const struct {
		unsigned int reg;
		unsigned int bit;
	} cases[] = {
		{ PE_PMSSCR_EL1, 7 }, { PE_PMECR_EL1, 0 }, { PE_PMCCNTSVR_EL1, 6 },
		{ PE_PMICNTSVR_EL1, 6 }, { PE_PMEVCNTSVR_EL1, 6 }, { LAST_EVENT, 6 },
	};
	struct pe *pe = &self->pe;
	unsigned int i, bit;

	for (i = 0; i < ARRAY_COUNT(cases); i++) {
		for (bit = 0; bit < 64; bit++) {
			bool trapped = bit == cases[i].bit;

			pe->cpu.hdfgrtr2_el2 = ~BIT(bit);
			pe->cpu.hdfgwtr2_el2 = ~UINT64_C(0);
			EXPECT_EQ(trapped ? TRAP_EL2 : PERMITTED, mrs(pe, cases[i].reg));
			if (cases[i].reg > PE_PMECR_EL1)
				continue;
			EXPECT_EQ(PERMITTED, msr(pe, cases[i].reg));
			pe->cpu.hdfgrtr2_el2 = ~UINT64_C(0);
			pe->cpu.hdfgwtr2_el2 = ~BIT(bit);
			EXPECT_EQ(trapped ? TRAP_EL2 : PERMITTED, msr(pe, cases[i].reg));
			EXPECT_EQ(PERMITTED, mrs(pe, cases[i].reg));
		}
	}
}

/* Without SCR_EL3.FGTEn2, all is trapped, as if the bits were zero. */
TEST_F(access, fine_grained_traps_need_el3)
{
	struct pe *pe = &self->pe;

	pe->cpu.fgten2 = false;
	EXPECT_TRUE(all_reads_are(pe, TRAP_EL2));
	EXPECT_EQ(TRAP_EL2, msr(pe, PE_PMSSCR_EL1));
	pe->config.el3 = false;
	make(_metadata, pe);
	EXPECT_TRUE(all_reads_are(pe, PERMITTED));
	pe->config.el3 = true;
	pe->config.fgt2 = false;
	make(_metadata, pe);
	EXPECT_TRUE(all_reads_are(pe, PERMITTED));
}

/* MDCR_EL2.TPM only traps PMECR_EL1, and only at EL1. */
TEST_F(access, trap_of_performance_monitors)
{
	struct pe *pe = &self->pe;
	unsigned int reg;

	pe->cpu.mdcr_el2 |= BIT(6);
	for (reg = 0; reg <= LAST_EVENT; reg++)
		EXPECT_EQ(reg == PE_PMECR_EL1 ? TRAP_EL2 : PERMITTED, mrs(pe, reg));
	EXPECT_EQ(TRAP_EL2, msr(pe, PE_PMECR_EL1));
	EXPECT_EQ(PERMITTED, msr(pe, PE_PMSSCR_EL1));
	pe->cpu.el2_enabled = false;
	EXPECT_EQ(PERMITTED, mrs(pe, PE_PMECR_EL1));
	pe->cpu.el2_enabled = true;
	pe->cpu.el = 2;
	EXPECT_EQ(PERMITTED, mrs(pe, PE_PMECR_EL1));
}

/* MDCR_EL2.HPMN is how many event counters EL1 has. */
TEST_F(access, counters_of_el2)
{
	struct pe *pe = &self->pe;
	unsigned int i, hpmn;

	for (hpmn = 0; hpmn <= COUNTERS; hpmn++) {
		pe->cpu.mdcr_el2 = hpmn | ~UINT64_C(0x5f);
		for (i = 0; i < COUNTERS; i++)
			EXPECT_EQ(i < hpmn ? PERMITTED : TRAP_EL2, mrs(pe, PE_PMEVCNTSVR_EL1 + i));
		EXPECT_EQ(UNDEFINED, mrs(pe, LAST_EVENT + 1));
		EXPECT_EQ(PERMITTED, mrs(pe, PE_PMCCNTSVR_EL1));
		EXPECT_EQ(PERMITTED, mrs(pe, PE_PMICNTSVR_EL1));
	}
	pe->cpu.mdcr_el2 = 0;
	pe->cpu.el2_enabled = false;
	EXPECT_TRUE(all_reads_are(pe, PERMITTED));
	pe->cpu.el2_enabled = true;
	pe->cpu.el = 2;
	EXPECT_TRUE(all_reads_are(pe, PERMITTED));
}

/* MDCR_EL3: EnPMSS for the snapshot registers, EnPM2 and TPM for PMECR_EL1. */
TEST_F(access, traps_to_el3)
{
	struct pe *pe = &self->pe;
	unsigned int reg, i;

	for (i = 0; i < 8 * 4; i++) {
		bool enpm2 = i & 1, enpmss = i & 2, tpm = i & 4;
		bool below = i >> 3 < 3;

		pe->cpu.el = i >> 3;
		if (!pe->cpu.el)
			continue;
		pe->cpu.mdcr_el3 = (enpm2 ? BIT(7) : 0) | (enpmss ? BIT(44) : 0) |
				   (tpm ? BIT(6) : 0);
		for (reg = 0; reg <= LAST_EVENT; reg++) {
			bool trapped = reg == PE_PMECR_EL1 ? tpm || !enpm2 : !enpmss;

			EXPECT_EQ(below && trapped ? TRAP_EL3 : PERMITTED, mrs(pe, reg));
		}
		EXPECT_EQ(below && !enpmss ? TRAP_EL3 : PERMITTED, msr(pe, PE_PMSSCR_EL1));
		EXPECT_EQ(below && (tpm || !enpm2) ? TRAP_EL3 : PERMITTED,
			  msr(pe, PE_PMECR_EL1));
	}
	pe->cpu.mdcr_el3 = 0;
	pe->cpu.el = 1;
	pe->config.el3 = false;
	make(_metadata, pe);
	EXPECT_TRUE(all_reads_are(pe, PERMITTED));
}

/* Traps to EL2 come first, and none makes an access of EL0 anything but UNDEFINED. */
TEST_F(access, priorities)
{
	struct pe *pe = &self->pe;

	pe->cpu.mdcr_el3 = 0;
	pe->cpu.hdfgrtr2_el2 = 0;
	EXPECT_TRUE(all_reads_are(pe, TRAP_EL2));
	EXPECT_EQ(UNDEFINED, mrs(pe, LAST_EVENT + 1));
	EXPECT_EQ(UNDEFINED, msr(pe, LAST_EVENT));
	pe->cpu.el = 0;
	EXPECT_TRUE(all_reads_are(pe, UNDEFINED));
	pe->cpu.el = 2;
	EXPECT_TRUE(all_reads_are(pe, TRAP_EL3));
}

TEST_HARNESS_MAIN
