// SPDX-License-Identifier: GPL-2.0
/*
 * Capture events and registers: Arm ARM D13.9 and D24.5.
 */
#include <stddef.h>

#include "pe_snapshot.h"
#include "syspmu_family.h"

/* Values of PMSSE, and of SSE, where the second one is reserved. */
enum {
	DISABLED,
	BY_LOWER_LEVEL,
	PROHIBITED,
	ALLOWED,
};

const char *pe_snapshot_init(struct pe_snapshot *snapshot, const struct pe_snapshot_config *config,
			     const struct pe_snapshot_owner *owner)
{
	if (config->counters > PE_MAX_COUNTERS)
		return "more than 31 event counters";
	if (config->reserved_sse == BY_LOWER_LEVEL || config->reserved_sse > ALLOWED)
		return "a reserved value behaves as one that is not";
	if (!owner->read)
		return "no counters";
	*snapshot = (struct pe_snapshot){ .config = *config, .owner = *owner };
	return NULL;
}

void pe_snapshot_reset(struct pe_snapshot *snapshot, bool cold, uint64_t seed)
{
	unsigned int i;

	snapshot->requested = false;
	snapshot->not_captured = true;
	snapshot->saved.cycles = syspmu_garbage(&seed);
	snapshot->saved.instructions = syspmu_garbage(&seed);
	for (i = 0; i < PE_MAX_COUNTERS; i++)
		snapshot->saved.events[i] = syspmu_garbage(&seed);
	if (!cold)
		return;
	snapshot->sse = DISABLED;
	if (snapshot->config.el2 || snapshot->config.el3)
		snapshot->sse = syspmu_garbage(&seed) & 3;
}

static unsigned int pmsse(uint64_t mdcr)
{
	return mdcr >> PE_MDCR_PMSSE_SHIFT & 3;
}

/* PMUCaptureEventEnabled() and PMUCaptureEventAllowed() (J1.3.1); rules YWLFL and TSYTY */
enum pe_captures pe_snapshot_captures(const struct pe_snapshot *snapshot,
				      const struct pe_cpu *cpu)
{
	const struct pe_snapshot_config *config = &snapshot->config;
	unsigned int control = BY_LOWER_LEVEL;

	if (config->el3)
		control = pmsse(cpu->mdcr_el3);
	if (control == BY_LOWER_LEVEL && config->el2)
		control = cpu->el2_aarch32 ? DISABLED : pmsse(cpu->mdcr_el2);
	if (control == BY_LOWER_LEVEL)
		control = cpu->el1_aarch32 ? DISABLED : snapshot->sse;
	if (control == BY_LOWER_LEVEL)
		control = config->reserved_sse;

	if (control == DISABLED)
		return PE_CAPTURES_DISABLED;
	if (control == PROHIBITED || cpu->os_lock || (cpu->debug_state && !config->debug_captures))
		return PE_CAPTURES_PROHIBITED;
	return PE_CAPTURES_ALLOWED;
}

bool pe_snapshot_is_ongoing(const struct pe_snapshot *snapshot)
{
	return snapshot->requested;
}

/* The event comes last: a counter of it was captured without it (D13.9). */
void pe_snapshot_complete(struct pe_snapshot *snapshot, const struct pe_cpu *cpu)
{
	const struct pe_snapshot_owner *owner = &snapshot->owner;
	bool allowed = pe_snapshot_captures(snapshot, cpu) == PE_CAPTURES_ALLOWED;

	if (!snapshot->requested || cpu->powered_off)
		return;
	if (allowed)
		owner->read(owner->opaque, &snapshot->saved);
	snapshot->not_captured = !allowed;
	snapshot->requested = false;
	if (allowed && owner->event && (!cpu->debug_state || snapshot->config.debug_event))
		owner->event(owner->opaque, PE_EVENT_PMU_SNAPSHOT);
}

void pe_snapshot_request(struct pe_snapshot *snapshot, const struct pe_cpu *cpu)
{
	if (cpu->powered_off || pe_snapshot_captures(snapshot, cpu) == PE_CAPTURES_DISABLED)
		return;
	if (snapshot->requested && snapshot->config.second_request_completes)
		pe_snapshot_complete(snapshot, cpu);
	else
		snapshot->requested = true;
}

static bool nc_is_writable(const struct pe_snapshot *snapshot, const struct pe_cpu *cpu)
{
	switch (snapshot->config.nc_writes) {
	case PE_NC_WRITABLE:
		return true;
	case PE_NC_NEEDS_ENABLE:
		return pe_snapshot_captures(snapshot, cpu) != PE_CAPTURES_DISABLED;
	default:
		return false;
	}
}

void pe_snapshot_write(struct pe_snapshot *snapshot, const struct pe_cpu *cpu, unsigned int reg,
		       uint64_t value)
{
	if (reg == PE_PMECR_EL1) {
		snapshot->sse = value >> PE_PMECR_EL1_SSE_SHIFT & 3;
		return;
	}
	if (nc_is_writable(snapshot, cpu))
		snapshot->not_captured = value & PE_PMSSCR_EL1_NC;
	if (value & PE_PMSSCR_EL1_SS)
		pe_snapshot_request(snapshot, cpu);
}

uint64_t pe_snapshot_read(const struct pe_snapshot *snapshot, unsigned int reg)
{
	switch (reg) {
	case PE_PMSSCR_EL1:
		return (snapshot->not_captured ? PE_PMSSCR_EL1_NC : 0) |
		       (snapshot->requested ? PE_PMSSCR_EL1_SS : 0);
	case PE_PMECR_EL1:
		return (uint64_t)snapshot->sse << PE_PMECR_EL1_SSE_SHIFT;
	case PE_PMCCNTSVR_EL1:
		return snapshot->saved.cycles;
	case PE_PMICNTSVR_EL1:
		return snapshot->saved.instructions;
	default:
		return snapshot->saved.events[reg - PE_PMEVCNTSVR_EL1];
	}
}
