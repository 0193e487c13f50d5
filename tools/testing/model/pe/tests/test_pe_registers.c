// SPDX-License-Identifier: GPL-2.0
/*
 * Registers, their encodings, their reset values, and accesses: Arm ARM D24.5.
 */
#include "pe_test.h"

FIXTURE(registers) {
	struct pe pe;
};

FIXTURE_SETUP(registers)
{
	default_pe(&self->pe);
	make(_metadata, &self->pe);
}

FIXTURE_TEARDOWN(registers)
{
}

static unsigned int sysreg(unsigned int reg)
{
	struct pe_encoding e = pe_snapshot_encoding(reg);

	return (unsigned int)(e.op0 << 16 | e.op1 << 12 | e.crn << 8 | e.crm << 4 | e.op2);
}

TEST_F(registers, encodings)
{
	EXPECT_EQ(0x309d3, sysreg(PE_PMSSCR_EL1));
	EXPECT_EQ(0x309e5, sysreg(PE_PMECR_EL1));
	EXPECT_EQ(0x20eb7, sysreg(PE_PMCCNTSVR_EL1));
	EXPECT_EQ(0x20ec0, sysreg(PE_PMICNTSVR_EL1));
	EXPECT_EQ(0x20e80, sysreg(PE_PMEVCNTSVR_EL1));
	EXPECT_EQ(0x20e87, sysreg(PE_PMEVCNTSVR_EL1 + 7));
	EXPECT_EQ(0x20e90, sysreg(PE_PMEVCNTSVR_EL1 + 8));
	EXPECT_EQ(0x20ea7, sysreg(PE_PMEVCNTSVR_EL1 + 23));
	EXPECT_EQ(0x20eb6, sysreg(PE_PMEVCNTSVR_EL1 + 30));
}

/* Cold reset: SSE is zero if there is only EL1, and UNKNOWN otherwise: any value. */
TEST_F(registers, cold_reset)
{
	struct pe *pe = &self->pe;
	unsigned int i, seed, seen;

	for (i = 0; i < 4; i++) {
		pe->config.el2 = i & 1;
		pe->config.el3 = i >> 1;
		make(_metadata, pe);
		for (seed = 0, seen = 0; seed < 64; seed++) {
			set_controls(pe, 1, 1, 3);
			write_control(pe, SS);
			pe_snapshot_reset(&pe->snapshot, true, seed);
			EXPECT_EQ(NC, control(pe));
			seen |= 1u << (read_reg(pe, PE_PMECR_EL1) >> 3);
		}
		EXPECT_EQ(i ? 0xf : 0x1, seen);
	}
}

/* UNKNOWN values are the same for the same seed, and others for another one. */
TEST_F(registers, seeds)
{
	struct pe *pe = &self->pe;
	uint64_t values[PE_REGISTERS];
	unsigned int i;

	for (i = 0; i < PE_PMEVCNTSVR_EL1 + COUNTERS; i++)
		values[i] = read_reg(pe, i);
	pe_snapshot_reset(&pe->snapshot, true, TEST_SEED);
	for (i = 0; i < PE_PMEVCNTSVR_EL1 + COUNTERS; i++)
		EXPECT_EQ(values[i], read_reg(pe, i));
	pe_snapshot_reset(&pe->snapshot, true, TEST_SEED + 1);
	for (i = PE_PMCCNTSVR_EL1; i < PE_PMEVCNTSVR_EL1 + COUNTERS; i++)
		EXPECT_NE(values[i], read_reg(pe, i));
}

TEST_F(registers, impossible_configurations)
{
	struct pe_snapshot_owner owner = { .read = read_counters };
	struct pe *pe = &self->pe;

	pe->config.counters = 32;
	EXPECT_NE(NULL, pe_snapshot_init(&pe->snapshot, &pe->config, &owner));
	pe->config.counters = 31;
	EXPECT_EQ(NULL, pe_snapshot_init(&pe->snapshot, &pe->config, &owner));
	pe->config.reserved_sse = 1;
	EXPECT_NE(NULL, pe_snapshot_init(&pe->snapshot, &pe->config, &owner));
	pe->config.reserved_sse = 4;
	EXPECT_NE(NULL, pe_snapshot_init(&pe->snapshot, &pe->config, &owner));
	pe->config.reserved_sse = 3;
	EXPECT_EQ(NULL, pe_snapshot_init(&pe->snapshot, &pe->config, &owner));
	owner.read = NULL;
	EXPECT_NE(NULL, pe_snapshot_init(&pe->snapshot, &pe->config, &owner));
}

TEST_HARNESS_MAIN
