// SPDX-License-Identifier: GPL-2.0
/*
 * Which registers exist, and which accesses are permitted: Arm ARM D24.5.
 */
#include "pe_snapshot.h"

bool pe_snapshot_exists(const struct pe_snapshot *snapshot, unsigned int reg)
{
	if (reg == PE_PMICNTSVR_EL1)
		return snapshot->config.instruction_counter;
	return reg < PE_PMEVCNTSVR_EL1 + snapshot->config.counters;
}

struct pe_encoding pe_snapshot_encoding(unsigned int reg)
{
	static const struct pe_encoding encodings[] = {
		[PE_PMSSCR_EL1] = { 3, 0, 9, 13, 3 },
		[PE_PMECR_EL1] = { 3, 0, 9, 14, 5 },
		[PE_PMCCNTSVR_EL1] = { 2, 0, 14, 11, 7 },
		[PE_PMICNTSVR_EL1] = { 2, 0, 14, 12, 0 },
	};
	unsigned int n = reg - PE_PMEVCNTSVR_EL1;

	if (reg < PE_PMEVCNTSVR_EL1)
		return encodings[reg];
	return (struct pe_encoding){ 2, 0, 14, (uint8_t)(8 + n / 8), (uint8_t)(n % 8) };
}

static bool fine_grained_trap(const struct pe_snapshot *snapshot, const struct pe_cpu *cpu,
			      unsigned int reg, bool write)
{
	uint64_t permitted = write ? cpu->hdfgwtr2_el2 : cpu->hdfgrtr2_el2;

	if (!snapshot->config.fgt2)
		return false;
	if (snapshot->config.el3 && !cpu->fgten2)
		return true;
	switch (reg) {
	case PE_PMSSCR_EL1:
		return !(permitted & PE_HDFGTR2_NPMSSCR_EL1);
	case PE_PMECR_EL1:
		return !(permitted & PE_HDFGTR2_NPMECR_EL1);
	default:
		return !(permitted & PE_HDFGTR2_NPMSSDATA);
	}
}

/* MDCR_EL2.TPM does not trap the snapshot registers. */
static bool is_trapped_to_el2(const struct pe_snapshot *snapshot, const struct pe_cpu *cpu,
			      unsigned int reg, bool write)
{
	if (!snapshot->config.el2 || !cpu->el2_enabled || cpu->el >= 2)
		return false;
	if (fine_grained_trap(snapshot, cpu, reg, write))
		return true;
	if (reg == PE_PMECR_EL1)
		return cpu->mdcr_el2 & PE_MDCR_TPM;
	return reg >= PE_PMEVCNTSVR_EL1 &&
	       reg - PE_PMEVCNTSVR_EL1 >= (cpu->mdcr_el2 & PE_MDCR_EL2_HPMN);
}

static bool is_trapped_to_el3(const struct pe_snapshot *snapshot, const struct pe_cpu *cpu,
			      unsigned int reg)
{
	if (!snapshot->config.el3 || cpu->el >= 3)
		return false;
	if (reg == PE_PMECR_EL1)
		return (cpu->mdcr_el3 & PE_MDCR_TPM) || !(cpu->mdcr_el3 & PE_MDCR_EL3_ENPM2);
	return !(cpu->mdcr_el3 & PE_MDCR_EL3_ENPMSS);
}

enum pe_access pe_snapshot_access(const struct pe_snapshot *snapshot, const struct pe_cpu *cpu,
				  unsigned int reg, bool write)
{
	bool read_only = reg >= PE_PMCCNTSVR_EL1;

	if (!pe_snapshot_exists(snapshot, reg) || (write && read_only) || !cpu->el)
		return PE_ACCESS_UNDEFINED;
	if (is_trapped_to_el2(snapshot, cpu, reg, write))
		return PE_ACCESS_TRAP_EL2;
	if (is_trapped_to_el3(snapshot, cpu, reg))
		return PE_ACCESS_TRAP_EL3;
	return PE_ACCESS_PERMITTED;
}
