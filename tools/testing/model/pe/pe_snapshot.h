/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A register-accurate model of the PMU snapshots of one PE (FEAT_PMUv3_SS): Arm ARM (DDI 0487)
 * D13.9, with the registers of D24.5.
 *
 * Portable C11, independent of any operating system or emulator. The owner has the counters and
 * all other registers, and hands them in. A PE without snapshots has no such object, and none of
 * the registers; one that has it shows PE_ID_AA64DFR0_EL1_PMSS. Plain objects without locks: the
 * owner serialises the calls.
 *
 * What D13.9 does not say, and what is done here:
 *
 * - Whether a Capture event is allowed counts when it completes. If it has been disabled since it
 *   was requested, it ends as if prohibited.
 * - Writing zero to SS does not cancel a Capture event. A second request: see the configuration.
 * - The reserved value of SSE: see the configuration. By rules YWLFL and TSYTY it prohibits.
 * - Writes of NC while Capture events are disabled: see the configuration. Rule MFJWS is about SS.
 * - A read of a captured value returns it at once, without the Context synchronization event of
 *   rule RPLPCY. Before the first capture it is UNKNOWN.
 * - An AArch32 EL1 or EL2 that has the control disables Capture events (J1.3.1). EL3 is AArch64.
 * - In Debug state accesses are as in Non-debug state.
 * - A Capture event that is ongoing when the PE loses power completes when power is back, unless
 *   there was a reset.
 */
#ifndef PE_SNAPSHOT_H
#define PE_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "pe_snapshot_registers.h"

#define PE_MAX_COUNTERS		31

/* A register of this model. */
enum pe_register {
	PE_PMSSCR_EL1,	/* requests a capture, and tells how it ended */
	PE_PMECR_EL1,	/* of which SSE is implemented */
	PE_PMCCNTSVR_EL1,	/* captured cycle counter */
	PE_PMICNTSVR_EL1,	/* captured instruction counter */
	PE_PMEVCNTSVR_EL1,	/* captured event counter 0; that of counter n is n more */
	PE_REGISTERS = PE_PMEVCNTSVR_EL1 + PE_MAX_COUNTERS,	/* how many there are */
};

/* The encoding of a System register. */
struct pe_encoding {
	uint8_t op0;
	uint8_t op1;
	uint8_t crn;
	uint8_t crm;
	uint8_t op2;
};

/* What an access does. */
enum pe_access {
	PE_ACCESS_PERMITTED,	/* it reads or writes the register */
	PE_ACCESS_UNDEFINED,	/* it is UNDEFINED */
	PE_ACCESS_TRAP_EL2,	/* it is trapped to EL2, with EC 0x18 */
	PE_ACCESS_TRAP_EL3,	/* it is trapped to EL3, with EC 0x18 */
};

/* The last column of Table D13-10. */
enum pe_captures {
	PE_CAPTURES_DISABLED,	/* nothing can be requested */
	PE_CAPTURES_PROHIBITED,	/* a request ends with NC set */
	PE_CAPTURES_ALLOWED,	/* a request captures */
};

/* What writes of PMSSCR_EL1 do to NC. */
enum pe_nc_writes {
	PE_NC_WRITABLE,	/* they set it; D24.5 and rule MFJWS only restrict writes of SS */
	PE_NC_NEEDS_ENABLE,	/* they set it unless Capture events are disabled */
	PE_NC_READ_ONLY,	/* nothing, only a Capture event changes it */
};

/* Implementation choices. */
struct pe_snapshot_config {
	unsigned int counters;	/* number of event counters, up to 31 */
	bool instruction_counter;	/* FEAT_PMUv3_ICNTR */
	bool el2;	/* EL2 is implemented */
	bool el3;	/* EL3 is implemented */
	bool fgt2;
	bool debug_captures;	/* Capture events are allowed in Debug state */
	bool debug_event;	/* and generate PMU_SNAPSHOT there */
	/* The value that the reserved value 0b01 of PMECR_EL1.SSE behaves as */
	unsigned int reserved_sse;
	enum pe_nc_writes nc_writes;	/* how PMSSCR_EL1.NC can be written */
	/* A request completes the Capture event that is ongoing, instead of having no effect */
	bool second_request_completes;
};

/*
 * The state of the PE that captures and accesses depend on. What belongs to an Exception level that
 * is not implemented is ignored.
 */
struct pe_cpu {
	unsigned int el;	/* current Exception level */
	bool el2_enabled;	/* EL2 is enabled in the current Security state */
	bool el1_aarch32;	/* EL1 uses AArch32 */
	bool el2_aarch32;	/* EL2 uses AArch32 */
	bool debug_state;	/* the PE is in Debug state */
	bool os_lock;	/* the OS Lock is locked */
	bool powered_off;	/* the Core power domain is off */
	bool fgten2;	/* SCR_EL3.FGTEn2 */
	uint64_t mdcr_el2;
	uint64_t mdcr_el3;
	uint64_t hdfgrtr2_el2;
	uint64_t hdfgwtr2_el2;
};

/* The values of all counters at one time. */
struct pe_counters {
	uint64_t cycles;	/* PMCCNTR_EL0 */
	uint64_t instructions;	/* PMICNTR_EL0, if it is implemented */
	/* PMEVCNTR<n>_EL0, as far as they are implemented */
	uint64_t events[PE_MAX_COUNTERS];
};

/* The PMU of the PE. The functions may read the model but must not write to it. */
struct pe_snapshot_owner {
	/* Fills in the values of all counters; called once for each successful Capture event */
	void (*read)(void *opaque, struct pe_counters *counters);
	/* A PMU event occurs, after all counters were read; may be NULL */
	void (*event)(void *opaque, uint16_t number);
	void *opaque;	/* argument of both */
};

/* The snapshots of one PE. */
struct pe_snapshot {
	/* private: */
	struct pe_snapshot_config config;
	struct pe_snapshot_owner owner;
	bool requested;
	bool not_captured;
	unsigned int sse;
	struct pe_counters saved;
};

/*
 * Initialise. @snapshot: filled in; it needs a Cold reset before use. Returns NULL, or the reason
 * why no such PE can exist.
 */
const char *pe_snapshot_init(struct pe_snapshot *snapshot, const struct pe_snapshot_config *config,
			     const struct pe_snapshot_owner *owner);

/*
 * A reset of the PE. @cold: it is a Cold reset, not a Warm reset. @seed: for values that are
 * UNKNOWN then.
 */
void pe_snapshot_reset(struct pe_snapshot *snapshot, bool cold, uint64_t seed);

/* Whether a register is implemented. */
bool pe_snapshot_exists(const struct pe_snapshot *snapshot, unsigned int reg);

/* The encoding of a register. */
struct pe_encoding pe_snapshot_encoding(unsigned int reg);

/* What an access in AArch64 state does: MSR with @write, else MRS. */
enum pe_access pe_snapshot_access(const struct pe_snapshot *snapshot, const struct pe_cpu *cpu,
				  unsigned int reg, bool write);

/* The value of a register. */
uint64_t pe_snapshot_read(const struct pe_snapshot *snapshot, unsigned int reg);

/*
 * A permitted write. @reg: PE_PMSSCR_EL1 or PE_PMECR_EL1. It may make a Capture event ongoing, see
 * pe_snapshot_complete().
 */
void pe_snapshot_write(struct pe_snapshot *snapshot, const struct pe_cpu *cpu, unsigned int reg,
		       uint64_t value);

/* The external request mechanism is asserted. */
void pe_snapshot_request(struct pe_snapshot *snapshot, const struct pe_cpu *cpu);

/* Whether a Capture event has not completed. */
bool pe_snapshot_is_ongoing(const struct pe_snapshot *snapshot);

/*
 * Complete the Capture event that is ongoing, if any. The owner decides when, within a finite time;
 * it may be at once. The counters are read now.
 */
void pe_snapshot_complete(struct pe_snapshot *snapshot, const struct pe_cpu *cpu);

/* Whether Capture events are enabled and allowed: table D13-10. */
enum pe_captures pe_snapshot_captures(const struct pe_snapshot *snapshot,
				      const struct pe_cpu *cpu);

#endif /* PE_SNAPSHOT_H */
