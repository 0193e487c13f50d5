// SPDX-License-Identifier: GPL-2.0
/*
 * Which accesses are UNDEFINED or trapped: the pseudocode of each register in Arm ARM D24.5.
 */
#include <stdlib.h>

#include "pe_test.h"

static bool is_undefined(const struct pe *pe, unsigned int reg, bool write)
{
	if (!pe->cpu.el || reg >= PE_PMEVCNTSVR_EL1 + COUNTERS)
		return true;
	if (reg == PE_PMICNTSVR_EL1 && !pe->config.instruction_counter)
		return true;
	return write && reg != PE_PMSSCR_EL1 && reg != PE_PMECR_EL1;
}

/* HDFGRTR2_EL2 and HDFGWTR2_EL2: without SCR_EL3.FGTEn2 all is trapped, as if they were zero. */
static bool has_fine_grained_trap(const struct pe *pe, unsigned int reg, bool write)
{
	unsigned int bit = reg == PE_PMSSCR_EL1 ? 7 : reg == PE_PMECR_EL1 ? 0 : 6;
	uint64_t permits = write ? pe->cpu.hdfgwtr2_el2 : pe->cpu.hdfgrtr2_el2;

	if (pe->config.el3 && !pe->cpu.fgten2)
		permits = 0;
	return pe->config.fgt2 && !(permits & BIT(bit));
}

/* MDCR_EL2: TPM is only for PMECR_EL1; HPMN is how many event counters EL1 has. */
static bool traps_to_el2(const struct pe *pe, unsigned int reg, bool write)
{
	if (pe->cpu.el != 1 || !pe->config.el2 || !pe->cpu.el2_enabled)
		return false;
	return has_fine_grained_trap(pe, reg, write) ||
	       (reg == PE_PMECR_EL1 && pe->cpu.mdcr_el2 & BIT(6)) ||
	       reg >= PE_PMEVCNTSVR_EL1 + pe->cpu.mdcr_el2 % 32;
}

/* MDCR_EL3: EnPMSS for the snapshot registers, EnPM2 and TPM for PMECR_EL1. */
static bool traps_to_el3(const struct pe *pe, unsigned int reg)
{
	uint64_t mdcr = pe->cpu.mdcr_el3;

	if (pe->cpu.el == 3 || !pe->config.el3)
		return false;
	return reg == PE_PMECR_EL1 ? (mdcr & (BIT(6) | BIT(7))) != BIT(7) : !(mdcr & BIT(44));
}

static uint64_t random_bits(void)
{
	return (uint64_t)random() << 62 ^ (uint64_t)random() << 31 ^ (uint64_t)random();
}

static void choose_any(struct pe *pe)
{
	unsigned int bits = (unsigned int)random();

	pe->config = (struct pe_snapshot_config){
		.counters = COUNTERS, .instruction_counter = bits & 1, .el2 = bits & 2,
		.el3 = bits & 4, .fgt2 = bits & 8,
	};
	pe->cpu = (struct pe_cpu){
		.el = bits >> 4 & 3, .el2_enabled = bits & 0x40, .fgten2 = bits & 0x80,
		.mdcr_el2 = random_bits(), .mdcr_el3 = random_bits(),
		.hdfgrtr2_el2 = random_bits(), .hdfgwtr2_el2 = random_bits(),
	};
}

/* UNDEFINED comes first, and EL2 before EL3. */
TEST(accesses)
{
	unsigned int i, reg, write;
	enum pe_access expected;
	struct pe pe = { };

	for (i = 0; i < 20000; i++) {
		choose_any(&pe);
		make(_metadata, &pe);
		for (reg = 0; reg <= PE_PMEVCNTSVR_EL1 + COUNTERS; reg++) {
			for (write = 0; write < 2; write++) {
				expected = is_undefined(&pe, reg, write) ? PE_ACCESS_UNDEFINED :
					   traps_to_el2(&pe, reg, write) ? PE_ACCESS_TRAP_EL2 :
					   traps_to_el3(&pe, reg) ? PE_ACCESS_TRAP_EL3 :
					   PE_ACCESS_PERMITTED;
				EXPECT_EQ(expected, pe_snapshot_access(&pe.snapshot, &pe.cpu, reg,
								       write));
			}
		}
	}
}

TEST_HARNESS_MAIN
