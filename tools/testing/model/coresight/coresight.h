/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A register-accurate model of a PMU of the CoreSight PMU Architecture, IHI 0091, as Non-secure
 * software sees it.
 *
 * Portable C11, independent of any operating system or emulator. A PMU is a plain object
 * without locks; its owner serialises the calls.
 */
#ifndef CORESIGHT_H
#define CORESIGHT_H

#include "syspmu.h"
#include "syspmu_family.h"

#define CORESIGHT_MAX_MONITORS	256
#define CORESIGHT_MAX_GROUPS	16
#define CORESIGHT_GROUPS_WORDS	4
#define CORESIGHT_CEIDS		4
#define CORESIGHT_IMPDEFS	32
#define CORESIGHT_SAVED_VALUES	64

/*
 * The number of the event that occurs at each clock cycle, and the number of the monitor PMCCNTR.
 */
#define CORESIGHT_CYCLES	0x11
#define CORESIGHT_CYCLE_COUNTER	31

/* Which events PMEVFILTR<n> selects. */
enum coresight_filter {
	CORESIGHT_FILTER_VALUE,	/* events with this StreamID, or all if it is zero */
	CORESIGHT_FILTER_SOURCES,	/* events for whose StreamID, modulo 32, the bit is set */
};

/* Whether events are counted in Debug state (rule SQJTW). */
enum coresight_halt {
	CORESIGHT_HALT_COUNTS,	/* they are */
	CORESIGHT_HALT_CONTROL,	/* depends on PMCR.HDBG */
	CORESIGHT_HALT_STOPS,	/* they are not */
};

/* What PMEVFILT2R means, for events with a destination, their PARTID. */
enum coresight_filter2 {
	/* Events to the destination of this number pass, and all for 0 */
	CORESIGHT_FILTER2_VALUE,
	CORESIGHT_FILTER2_TARGETS,	/* bit n lets events to destination n, modulo 32, pass */
	/*
	 * Bits [7:0] let events to destination n, modulo 8, pass; bits [15:8] those to addresses
	 * that slot n of the window selects. Where both have a bit set, an event must pass both.
	 */
	CORESIGHT_FILTER2_ADDRESSES,
};

#define CORESIGHT_SLOTS			8
#define CORESIGHT_SLOT_REGISTERS	5

/* Contents of a 32-bit PMSVR<n> (rule CFXNM). */
enum coresight_saved_kind {
	/* Nothing; it reads as an IMPLEMENTATION DEFINED constant */
	CORESIGHT_SAVED_NOTHING,
	CORESIGHT_SAVED_LOW,	/* bits [31:0] of a monitor */
	CORESIGHT_SAVED_HIGH,	/* bits [63:32] of a monitor */
	CORESIGHT_SAVED_OVERFLOW,	/* PMOVSSR<n> */
	CORESIGHT_SAVED_STATUS,	/* PMSSSR */
};

/* Contents of a 32-bit PMSVR<n>. */
struct coresight_saved {
	uint8_t kind;	/* enum coresight_saved_kind */
	uint8_t index;	/* of the monitor or of PMOVSSR */
};

/* Arrangements of the snapshot values. */
enum coresight_layout {
	/* Monitors in the order of their numbers, PMOVSSR, PMSSSR last */
	CORESIGHT_LAYOUT_ASCENDING,
	CORESIGHT_LAYOUT_DESCENDING,	/* PMSSSR first, PMOVSSR, monitors in the opposite order */
	/* Monitor n at the offset of PMEVCNTR<n>, PMSSSR in the last word; no PMOVSSR */
	CORESIGHT_LAYOUT_INDEXED,
};

/* Implementation choices and firmware settings of a PMU. */
struct coresight_config {
	/* Those of any family; page 1 is that of the dual-page extension */
	struct syspmu_config common;
	/* Number of monitors, not including the cycle counter; without monitor groups */
	unsigned int monitors;
	/* Number of monitor groups, 2 to 16; 0: no monitor group extension */
	unsigned int groups;
	/* Number of monitors in each group, which may be empty, not including the cycle counter */
	uint8_t group_size[CORESIGHT_MAX_GROUPS];
	unsigned int bits;	/* width of all monitors */
	/* Width of each monitor, by its number, if it is not @bits: nonzero */
	uint8_t width[CORESIGHT_MAX_MONITORS];
	/* Monitors that show a state; they have no overflow condition (rule YCLQB) */
	struct syspmu_bits gauges;
	uint64_t step;	/* increment of an event counter for an event, except cycles (rule LXYWS) */
	/* Monitors whose PMEVTYPER is read-only; monitor n counts event @first_fixed + n */
	struct syspmu_bits fixed;
	uint32_t first_fixed;	/* the event that monitor 0 would count */
	/* Bits of PMEVTYPER that can be written; they are the number of the event */
	uint32_t type_bits;
	uint32_t type_value;	/* value of its other bits (U KDGTQ) */
	/* Bits of PMEVFILTR that can be written, 0: the register is not implemented */
	uint32_t filter_bits;
	/*
	 * Monitors that have neither PMEVFILTR nor PMEVFILT2R, whatever @filter_bits are; with
	 * CORESIGHT_FILTER_VALUE, they count events of any StreamID
	 */
	struct syspmu_bits unfiltered;
	enum coresight_filter filter;	/* meaning of PMEVFILTR */
	/* Bits of PMEVFILT2R that can be written, 0: the register is not implemented */
	uint32_t filter2_bits;
	enum coresight_filter2 filter2;	/* meaning of PMEVFILT2R */
	/*
	 * Types and filters are 64-bit registers, PMCNTEN is at 0xc10, PMCR at 0xe10; newer than
	 * IHI 0091 A.a
	 */
	bool ext64;
	bool read_only_values;	/* PMEVCNTR ignores writes (rule WVQDZ) */
	bool no_write_access;	/* PMCFGR.NA, monitors can only be written in the STOP state */
	/* PMINTEN is RES0: no monitor interrupts, though all of them overflow */
	bool no_interrupts;
	bool no_overflow_set;	/* writes to PMOVSSET are ignored */
	bool cycle_counter;	/* PMCFGR.CC, monitor 31 is PMCCNTR */
	unsigned int cycle_counter_bits;	/* its width */
	/* Bits of PMCCFILTR that can be written; with bit 31 cycles are not counted */
	uint32_t cycle_filter_bits;
	bool prescaler;	/* PMCFGR.CCD, PMCR.D has an effect */
	/* With monitors up to 32 bits, PMCCNTR is at 0x03c, as in its description */
	bool cycle_counter_at_03c;
	/* It is not at 0x07c, where PMEVCNTR<31> is (rule HJZYK): perhaps nowhere */
	bool no_cycle_counter_at_07c;
	bool cycle_counter_in_group;	/* PMCGCR includes the cycle counter, as PMCFGR.N does */
	bool freeze;	/* PMCFGR.FZO */
	enum coresight_halt halt;	/* behaviour in Debug state */
	bool chain;	/* counter chaining is implemented */
	uint32_t chain_event;	/* number of the CHAIN event */
	/*
	 * Even monitors that wrap read as all ones until monitors were read this many times after
	 * the first of them has, while the odd ones show the overflow at once (rule DJHLY); 0: they
	 * change at once
	 */
	uint32_t chain_reads;
	bool snapshot;	/* PMCFGR.SS */
	/* Contents of each PMSVR<n>, see coresight_set_layout() */
	struct coresight_saved saved[CORESIGHT_SAVED_VALUES];
	bool snapshot_reset;	/* PMSSRR is implemented */
	bool snapshot_signal;	/* there is a snapshot request signal (rule ZXZYK) */
	bool trace;	/* PMCFGR.TRO */
	bool export_events;	/* PMCFGR.EX */
	bool msi;	/* PMCFGR.MSI */
	bool msi_always;	/* MSIs cannot be disabled: PMIRQCR2.MSIEN is RES0 */
	bool msi_attributes;	/* PMIRQCR2.SH and MemAttr are implemented */
	/*
	 * PMIRQCR2.NSMSI is implemented, and Secure software has set it to 0: PMIRQCR1, PMIRQCR2
	 * and PMIRQSR are read-only here
	 */
	bool msi_secure;
	bool msi_enabled;	/* Secure software has set PMIRQCR2.MSIEN to 1 */
	bool dual_page;	/* the dual-page extension is implemented */
	/* IMPDEF<n> registers that exist; each keeps what is written to it */
	uint32_t impdef;
	uint32_t ceid[CORESIGHT_CEIDS];	/* PMCEID<n> */
	uint32_t iidr;	/* PMIIDR, 0 if it is not implemented */
	bool coresight_ids;	/* PMPIDR and PMCIDR are implemented */
	uint32_t peripheral_id;	/* the identity in them, laid out as PMIIDR */
	uint8_t customer_modified;	/* PMPIDR3.CMOD */
	uint32_t devarch;	/* PMDEVARCH of page 0 */
	/* PMAUTHSTATUS; only Non-secure events are counted, whatever it says */
	uint32_t authstatus;
	bool closed;	/* access is denied: all registers read as zero and ignore writes */
	/* PMCFGR, that of page 1 if there are two, reads as @cfgr, whatever is implemented */
	bool false_cfgr;
	uint32_t cfgr;	/* PMCFGR */
};

#define CORESIGHT_REGISTER_ARRAYS	48

/* One PMU. It cannot be copied. */
struct coresight {
	struct syspmu_model model;
	/* private: */
	struct coresight_config config;
	struct syspmu_ops ops;
	struct syspmu_register registers[CORESIGHT_REGISTER_ARRAYS];

	uint64_t type[CORESIGHT_MAX_MONITORS];
	uint64_t filter[CORESIGHT_MAX_MONITORS];
	uint64_t filter2[CORESIGHT_MAX_MONITORS];
	uint32_t slot[CORESIGHT_SLOTS][CORESIGHT_SLOT_REGISTERS];
	uint32_t control;
	uint32_t impdef[CORESIGHT_IMPDEFS];
	uint32_t saved[CORESIGHT_SAVED_VALUES];
	uint64_t snapshot_reset;
	bool not_captured;
	uint64_t irq_address;
	uint32_t irq_data;
	uint32_t irq_control;
	uint32_t irq_error;

	struct syspmu_bits wrapping;
	uint32_t wrapping_reads;
	bool stuck;
	bool halted;
	bool second_state;
	bool capture_prohibited;
};

/*
 * The configuration of an ordinary PMU. Eight 64-bit monitors that count any event, filters that
 * compare StreamIDs, no extension.
 */
void coresight_default_config(struct coresight_config *config);

/*
 * Arrange the snapshot values. @config: everything but @saved is filled in. @layout: the
 * arrangement; values that do not fit are not captured.
 */
void coresight_set_layout(struct coresight_config *config, enum coresight_layout layout);

/*
 * Initialise a PMU. @pmu: filled in; reset it before use. @owner: receives its interrupts; NULL:
 * not connected. Returns NULL, or the reason why no such PMU can exist.
 */
const char *coresight_init(struct coresight *pmu, const struct coresight_config *config,
			   const struct syspmu_owner *owner);

/* The distance between the first monitors of two groups. Returns 32, 16 or 8 (rule TFNPJ). */
unsigned int coresight_group_stride(const struct coresight_config *config);

/*
 * Set the state of the monitored agent. @halted: it is in Debug state. @second_state: it is in the
 * second state of rule VZKXS, where counting is prohibited. Reset does not change it.
 */
void coresight_set_agent(struct coresight *pmu, bool halted, bool second_state);

/*
 * Make captures fail because of a security violation. @prohibited: captures set PMSSSR.NC and
 * capture nothing. Reset does not change it.
 */
void coresight_prohibit_capture(struct coresight *pmu, bool prohibited);

/*
 * Never enter the STOP state, which writes of monitors have to wait for. @pmu: the PMU, with
 * PMCFGR.NA. @stuck: PMCR.NA stays set, and the writes are ignored. Reset does not change it.
 */
void coresight_stick(struct coresight *pmu, bool stuck);

/*
 * Read the window of address filters. @offset: of a 32-bit register, as Linux 7.3 knows them: from
 * 0xd38 on, five for each slot, which are control with an enable bit, base and mask with the low
 * half first. The window is a page of its own that belongs to another device. Returns the value, 0
 * where there is no register.
 */
uint32_t coresight_window_read(const struct coresight *pmu, uint32_t offset);

/* Write the window of address filters. @offset: of a 32-bit register. */
void coresight_window_write(struct coresight *pmu, uint32_t offset, uint32_t value);

#endif /* CORESIGHT_H */
