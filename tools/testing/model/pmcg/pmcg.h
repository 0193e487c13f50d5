/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A register-accurate model of one SMMUv3 Performance Monitor Counter Group
 * (PMCG), IHI 0070 chapter 10, as Non-secure software sees it.
 *
 * Portable C11: the model knows neither an operating system nor an emulator. It
 * is one plain object without locks; its owner serialises the calls.
 */
#ifndef PMCG_H
#define PMCG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMCG_MAX_COUNTERS	64
#define PMCG_PAGE_SIZE		0x1000
#define PMCG_PAGES		2

/* Stands for every register where an access count is asked for. */
#define PMCG_ALL_REGISTERS	UINT32_C(0xffffffff)

/**
 * enum pmcg_security - the Security state an event belongs to
 * @PMCG_NON_SECURE: Non-secure
 * @PMCG_SECURE: Secure
 * @PMCG_REALM: Realm
 * @PMCG_ROOT: Root; only accesses without a StreamID can be in it
 * @PMCG_SYSTEM_AGENT: System Agent; only accesses without a StreamID can be in it
 */
enum pmcg_security {
	PMCG_NON_SECURE,
	PMCG_SECURE,
	PMCG_REALM,
	PMCG_ROOT,
	PMCG_SYSTEM_AGENT,
};

/**
 * enum pmcg_partid_space - the PARTID space of an event, encoded as in FILTER_MPAM_SP
 * @PMCG_PARTID_SECURE: Secure PARTID space
 * @PMCG_PARTID_NON_SECURE: Non-secure PARTID space
 * @PMCG_PARTID_REALM: Realm PARTID space
 */
enum pmcg_partid_space {
	PMCG_PARTID_SECURE = 0,
	PMCG_PARTID_NON_SECURE = 1,
	PMCG_PARTID_REALM = 3,
};

/**
 * struct pmcg_config - what an implementer, and firmware, chose for one PMCG
 * @counters: number of counters, 1 to 64
 * @size: CFGR.SIZE, the bits of a counter less one; a reserved value makes a block
 *	that does not conform, for software that must refuse it
 * @event_bits: implemented bits of EVTYPER.EVENT, 1 to 16
 * @stream_id_bits: implemented bits of SMR.STREAMID, 1 to 32
 * @address_bits: implemented address bits of IRQ_CFG0, 32 to 56
 * @global_filter: CFGR.SID_FILTER_TYPE, one filter for all counters
 * @relocate: CFGR.RELOC_CTRS, counter registers are in page 1
 * @capture: CFGR.CAPTURE, shadow registers exist
 * @msi: CFGR.MSI, the MSI configuration registers exist
 * @mpam: CFGR.MPAM, MSIs carry PARTID and PMG; needs @msi and SMMUv3.2
 * @filter_partid_pmg: CFGR.FILTER_PARTID_PMG; needs SMMUv3.3
 * @partid_max: MPAMIDR.PARTID_MAX
 * @pmg_max: MPAMIDR.PMG_MAX
 * @mpamidr_needs_mpam: MPAMIDR is zero without CFGR.MPAM, whatever the limits are
 * @secure_partid_max: S_MPAMIDR.PARTID_MAX
 * @secure_pmg_max: S_MPAMIDR.PMG_MAX
 * @ceid0: CEID0, events 0 to 63
 * @ceid1: CEID1, events 64 to 127
 * @iidr: IIDR, 0 where the register is not implemented
 * @aidr: AIDR, 0 to 5 for SMMUv3.0 to SMMUv3.5
 * @coresight_ids: the CoreSight ID registers exist
 * @peripheral_id: the identity in the CoreSight ID registers, laid out as IIDR
 * @customer_modified: PIDR3.CMOD
 * @secure: the PMCG supports Secure state (§10.6)
 * @nsra: SCR.NSRA; when clear Non-secure software sees nothing but zero
 * @secure_observation: SCR.SO
 * @secure_non_attributable: SCR.NAO
 * @root: ROOTCR.ROOTCR_IMPL, the PMCG has the controls for Realm and Root (§10.7)
 * @granular_data_isolation: the SMMU has SMMU_ROOT_IDR0.GDI, so that SAO and PMO exist
 * @root_observation: ROOTCR.RTO
 * @realm_observation: ROOTCR.RLO
 * @root_non_attributable: ROOTCR.NAO
 * @system_agent_observation: ROOTCR.SAO
 * @protected_mode_observation: ROOTCR.PMO
 * @match_all_by_state: SMMUv3.0 only: the all-ones StreamID span matches the streams
 *	of the one Security state that FILTER_SEC_SID selects (§10.4)
 * @config_events_by_partid: events 3 and 5 can be filtered by PARTID and PMG
 * @imp_def_by_partid: IMPLEMENTATION DEFINED events can be filtered by PARTID and PMG
 * @imp_def_by_stream_id: tells whether an IMPLEMENTATION DEFINED event can be
 *	filtered by StreamID; NULL: all of them can
 * @realm_sid_needs_rlo: where all streams of many Security states are selected,
 *	FILTER_REALM_SID counts as 0 without ROOTCR.RLO, as its description has it, and not
 *	as it was written, as §10.4 lists it
 * @state_beside_partid: FILTER_SEC_SID and FILTER_REALM_SID select a Security state
 *	beside a filter by PARTID or PMG, too, and do not lose their meaning with those for
 *	StreamIDs (§10.4.3)
 * @split_accesses: 64-bit accesses are not atomic but two halves
 * @high_first: a split read begins with its high half
 * @write_high_first: a 64-bit write begins with its high half
 * @edge_beside_msi: the wired output has its edge although there is an MSI; §10.2.1 lets
 *	an implementation have both
 * @read_only_counters: an erratum: writes of EVCNTRn are ignored
 * @stuck_enable: an erratum: a counter that was enabled once goes on, whatever
 *	becomes of CNTEN and CR.E; only an EVENT that never happens stops it
 * @dead_counters: firmware describes something else where the counters should be: all
 *	registers that CFGR.RELOC_CTRS would move read as zero and ignore writes, and
 *	nothing counts
 * @aliased_counters: all EVCNTRn are the same counter, which each enabled one moves
 * @inert: only registers that say what the PMCG is are there; the others read as zero
 *	and ignore writes, and nothing counts
 * @running: firmware leaves CR.E, IRQEN and every CNTEN and INTEN set
 * @dead: the block starts without power; it reads as all ones and counts nothing
 *
 * Without CFGR.MPAM, MPAMIDR is present if FILTER_PARTID_PMG is set, but its fields are
 * called RES0 (§10.5.2.27). That can be taken in three ways: they tell the limits all the
 * same, they are zero and do not tell (@mpamidr_needs_mpam), or they are zero because the
 * limits are (@partid_max and @pmg_max of zero).
 */
struct pmcg_config {
	unsigned int counters;
	unsigned int size;
	unsigned int event_bits;
	unsigned int stream_id_bits;
	unsigned int address_bits;
	bool global_filter;
	bool relocate;
	bool capture;
	bool msi;
	bool mpam;
	bool filter_partid_pmg;
	uint16_t partid_max;
	uint8_t pmg_max;
	bool mpamidr_needs_mpam;
	uint16_t secure_partid_max;
	uint8_t secure_pmg_max;
	uint64_t ceid0;
	uint64_t ceid1;
	uint32_t iidr;
	uint32_t aidr;
	bool coresight_ids;
	uint32_t peripheral_id;
	uint8_t customer_modified;
	bool secure;
	bool nsra;
	bool secure_observation;
	bool secure_non_attributable;
	bool root;
	bool granular_data_isolation;
	bool root_observation;
	bool realm_observation;
	bool root_non_attributable;
	bool system_agent_observation;
	bool protected_mode_observation;
	bool match_all_by_state;
	bool config_events_by_partid;
	bool imp_def_by_partid;
	bool (*imp_def_by_stream_id)(uint32_t number);
	bool realm_sid_needs_rlo;
	bool state_beside_partid;
	bool split_accesses;
	bool high_first;
	bool write_high_first;
	bool edge_beside_msi;
	bool read_only_counters;
	bool stuck_enable;
	bool dead_counters;
	bool aliased_counters;
	bool inert;
	bool running;
	bool dead;
};

/**
 * struct pmcg_event - something that happened in the SMMU
 * @number: event number (§10.3)
 * @stream_id: StreamID of the transaction
 * @security: Security state of the stream, or, for an access without a StreamID,
 *	the one that its target PA space conveys (§10.4.2)
 * @no_stream_id: the access has no StreamID; @stream_id has no meaning
 * @protected_mode: the access has the PM attribute, or is a NoStreamID access to the
 *	NSP PA space
 * @non_attributable: an IMPLEMENTATION DEFINED event that belongs to no single
 *	Security state (§10.4.4); no architected event is one
 * @partid: output PARTID
 * @pmg: output PMG
 * @partid_space: the PARTID space that @partid and @pmg belong to
 *
 * Event 0 is caused by no access: all but its number is ignored.
 */
struct pmcg_event {
	uint32_t number;
	uint32_t stream_id;
	enum pmcg_security security;
	bool no_stream_id;
	bool protected_mode;
	bool non_attributable;
	uint16_t partid;
	uint8_t pmg;
	enum pmcg_partid_space partid_space;
};

/**
 * struct pmcg_accesses - how often software accessed a register
 * @reads: number of reads; a 64-bit access is one
 * @writes: number of writes
 */
struct pmcg_accesses {
	uint64_t reads;
	uint64_t writes;
};

/**
 * typedef pmcg_interrupt_fn - called at each edge of the interrupt output
 * @opaque: what the owner gave to pmcg_init()
 *
 * Counter, overflow status and captured values are up to date when it is called.
 * It may read the model but must not write to it.
 */
typedef void (*pmcg_interrupt_fn)(void *opaque);

/**
 * struct pmcg_message - an MSI, as it arrives
 * @address: physical address, in the Non-secure PA space
 * @data: the 32 bits to write there
 * @memory_attributes: IRQ_CFG2.MEMATTR
 * @shareability: IRQ_CFG2.SH as far as it has an effect: 0 Non-shareable, 2 Outer
 *	Shareable, 3 Inner Shareable
 * @partid: GMPAM.PO_PARTID, 0 without MPAM
 * @pmg: GMPAM.PO_PMG, 0 without MPAM
 */
struct pmcg_message {
	uint64_t address;
	uint32_t data;
	uint8_t memory_attributes;
	uint8_t shareability;
	uint16_t partid;
	uint8_t pmg;
};

/**
 * typedef pmcg_msi_fn - called for each MSI, instead of an edge or before it
 * @opaque: what the owner gave to pmcg_init()
 * @message: the MSI
 *
 * What is said of pmcg_interrupt_fn holds here, too.
 *
 * Return: whether the write went well; an aborted one is noted in IRQ_STATUS.
 */
typedef bool (*pmcg_msi_fn)(void *opaque, const struct pmcg_message *message);

/**
 * enum pmcg_msi_fate - what becomes of the MSIs of a PMCG
 * @PMCG_MSI_DELIVERED: the owner gets them
 * @PMCG_MSI_ABORTED: they are terminated with an abort
 * @PMCG_MSI_LOST: they get lost without a trace
 */
enum pmcg_msi_fate {
	PMCG_MSI_DELIVERED,
	PMCG_MSI_ABORTED,
	PMCG_MSI_LOST,
};

/**
 * struct pmcg_counted - what a counter counts
 * @type: its EVTYPER
 * @filter: the EVTYPER that holds its filter
 * @match: the SMR that holds its filter
 */
struct pmcg_counted {
	uint32_t type;
	uint32_t filter;
	uint32_t match;
};

/**
 * struct pmcg - one Performance Monitor Counter Group
 *
 * The members belong to the model; its owner uses the functions below.
 */
struct pmcg {
	/* private: */
	struct pmcg_config config;
	pmcg_interrupt_fn interrupt;
	pmcg_msi_fn msi;
	void *opaque;

	uint64_t counter[PMCG_MAX_COUNTERS];
	uint64_t shadow[PMCG_MAX_COUNTERS];
	uint32_t type[PMCG_MAX_COUNTERS];
	uint32_t stream_match[PMCG_MAX_COUNTERS];
	uint64_t enabled;
	uint64_t counting;
	uint64_t interrupt_enabled;
	uint64_t overflowed;
	uint64_t irq_address;
	uint32_t irq_data;
	uint32_t irq_attributes;
	uint32_t irq_status;
	uint32_t irq_control;
	uint32_t irq_acknowledged;
	uint32_t control;
	uint32_t gmpam;

	struct pmcg_event torn_event;
	uint64_t torn_count;
	struct pmcg_event step_event;
	uint64_t step_count;
	struct pmcg_event preceding_event;
	uint64_t preceding_count;
	unsigned int preceding_page;
	uint32_t preceding_offset;
	struct pmcg_event torn_write_event;
	uint64_t torn_write_count;
	unsigned int torn_write_page;
	uint32_t torn_write_offset;

	bool initial_nsra;
	bool initial_secure_observation;
	uint32_t change_delay;
	uint32_t late_events[PMCG_MAX_COUNTERS];
	struct pmcg_counted late[PMCG_MAX_COUNTERS];

	bool dead;
	bool hold;
	bool held;
	enum pmcg_msi_fate msi_fate;
	uint32_t acknowledge_delay;
	uint32_t acknowledge_reads;

	uint64_t interrupt_edges;
	uint64_t messages;
	struct pmcg_accesses accesses[PMCG_PAGES][PMCG_PAGE_SIZE / 4];
};

/**
 * pmcg_default_config() - the configuration of an ordinary PMCG
 * @config: filled in
 *
 * Eight 64-bit counters, all StreamID and EVENT bits, a filter for each counter,
 * events 0 to 7, Non-secure state only.
 */
void pmcg_default_config(struct pmcg_config *config);

/**
 * pmcg_init() - make a PMCG
 * @pmcg: filled in; reset it before use
 * @config: copied
 * @interrupt: called at each interrupt edge, may be NULL
 * @msi: called for each MSI, may be NULL
 * @opaque: for @interrupt and @msi
 *
 * Return: NULL, or a message that says why no such PMCG can exist.
 */
const char *pmcg_init(struct pmcg *pmcg, const struct pmcg_config *config,
		      pmcg_interrupt_fn interrupt, pmcg_msi_fn msi, void *opaque);

/**
 * pmcg_reset() - bring a PMCG to its state after reset
 * @pmcg: the PMCG
 * @seed: decides the bits whose reset value is UNKNOWN
 *
 * The access and interrupt counts restart from zero. What pmcg_tear(), pmcg_step(),
 * pmcg_precede(), pmcg_tear_write(), pmcg_set_msi_fate(), pmcg_delay_acknowledgment(),
 * pmcg_delay_changes() and pmcg_set_secure_control() asked for is forgotten, and so is an
 * interrupt that is held back. Whether interrupts are held and whether there is power
 * stays.
 */
void pmcg_reset(struct pmcg *pmcg, uint64_t seed);

/**
 * pmcg_read() - a Non-secure read
 * @pmcg: the PMCG
 * @page: 0 or 1
 * @offset: byte offset in the page
 * @size: bytes
 *
 * Sizes other than 4 and 8, and accesses that are not aligned to their size, read
 * as zero. A 64-bit read of two 32-bit registers reads both, and is counted as one
 * read of the first.
 *
 * Return: the value, in the low bits.
 */
uint64_t pmcg_read(struct pmcg *pmcg, unsigned int page, uint32_t offset, unsigned int size);

/**
 * pmcg_write() - a Non-secure write
 * @pmcg: the PMCG
 * @page: 0 or 1
 * @offset: byte offset in the page
 * @size: bytes
 * @value: what is written
 *
 * Accesses that pmcg_read() reads as zero are ignored; a 64-bit write to two 32-bit
 * registers writes both, the first one first unless the high half of writes is.
 */
void pmcg_write(struct pmcg *pmcg, unsigned int page, uint32_t offset, unsigned int size,
		uint64_t value);

/**
 * pmcg_peek() - what an aligned 64-bit read would return
 * @pmcg: the PMCG
 * @page: 0 or 1
 * @offset: byte offset in the page, rounded down to a multiple of 8
 *
 * Nothing is counted and nothing changes.
 *
 * Return: the value.
 */
uint64_t pmcg_peek(const struct pmcg *pmcg, unsigned int page, uint32_t offset);

/**
 * pmcg_event() - tell a PMCG that events happened
 * @pmcg: the PMCG
 * @event: what happened
 * @n: how many times, all at the same instant
 *
 * A counter that wraps, however often, sets its overflow status once; all counters
 * that wrap in one call share one capture and one interrupt edge.
 */
void pmcg_event(struct pmcg *pmcg, const struct pmcg_event *event, uint64_t n);

/**
 * pmcg_tear() - let events happen in the middle of a read
 * @pmcg: the PMCG
 * @event: what will happen
 * @n: how many times; 0 forgets an earlier request
 *
 * The events happen once, between the two halves of the next 64-bit read of an EVCNTRn
 * or SVRn. Only a PMCG with split accesses has such a middle.
 */
void pmcg_tear(struct pmcg *pmcg, const struct pmcg_event *event, uint64_t n);

/**
 * pmcg_step() - let events happen before each read of a counter
 * @pmcg: the PMCG
 * @event: what will happen
 * @n: how many times; 0 ends it
 *
 * The events happen immediately before each read access of an EVCNTRn or SVRn, so
 * that no two reads of software are at the same instant.
 */
void pmcg_step(struct pmcg *pmcg, const struct pmcg_event *event, uint64_t n);

/**
 * pmcg_steps() - what pmcg_step() asked for
 * @pmcg: the PMCG
 *
 * Return: the number of events.
 */
uint64_t pmcg_steps(const struct pmcg *pmcg);

/**
 * pmcg_precede() - let events happen just before a register is written
 * @pmcg: the PMCG
 * @page: 0 or 1
 * @offset: byte offset of the register in the page
 * @event: what will happen
 * @n: how many times; 0 forgets an earlier request
 *
 * The events happen once, immediately before the next write access to the register:
 * later than all that software has read to decide about that write.
 */
void pmcg_precede(struct pmcg *pmcg, unsigned int page, uint32_t offset,
		  const struct pmcg_event *event, uint64_t n);

/**
 * pmcg_preceding() - what pmcg_precede() has asked for and is still to come
 * @pmcg: the PMCG
 *
 * Return: the number of events.
 */
uint64_t pmcg_preceding(const struct pmcg *pmcg);

/**
 * pmcg_tear_write() - let events happen in the middle of a write
 * @pmcg: the PMCG
 * @page: 0 or 1
 * @offset: byte offset of the register in the page
 * @event: what will happen
 * @n: how many times; 0 forgets an earlier request
 *
 * The events happen once, between the two halves of the next 64-bit write of the
 * register. Only a PMCG with split accesses has such a middle.
 */
void pmcg_tear_write(struct pmcg *pmcg, unsigned int page, uint32_t offset,
		     const struct pmcg_event *event, uint64_t n);

/**
 * pmcg_write_tears() - what pmcg_tear_write() has asked for and is still to come
 * @pmcg: the PMCG
 *
 * Return: the number of events.
 */
uint64_t pmcg_write_tears(const struct pmcg *pmcg);

/**
 * pmcg_request_capture() - capture by an external mechanism (§10.2.1)
 * @pmcg: the PMCG; nothing happens if it has no capture, or no power
 */
void pmcg_request_capture(struct pmcg *pmcg);

/**
 * pmcg_set_secure_control() - write SCR as Secure software does
 * @pmcg: the PMCG; nothing happens if it does not support Secure state, or has no power
 * @nsra: SCR.NSRA
 * @observation: SCR.SO
 *
 * Reset brings back what the configuration says.
 */
void pmcg_set_secure_control(struct pmcg *pmcg, bool nsra, bool observation);

/**
 * pmcg_nsra() - SCR.NSRA
 * @pmcg: the PMCG
 *
 * Return: whether Non-secure software sees the PMCG, unless it is without power.
 */
bool pmcg_nsra(const struct pmcg *pmcg);

/**
 * pmcg_secure_observation() - SCR.SO
 * @pmcg: the PMCG
 *
 * Return: whether Secure events can be counted.
 */
bool pmcg_secure_observation(const struct pmcg *pmcg);

/**
 * pmcg_delay_changes() - let changes of what a counter counts take effect late (§10.2)
 * @pmcg: the PMCG
 * @events: how many events late; 0: at once, and what is late now is forgotten
 *
 * A write to CNTENCLR, CR, EVTYPERn or SMRn that changes what a counter counts, or ends
 * its counting, leaves so many late events: the counter still counts the next @events
 * that it would have counted before the write, like any others. The rest of a burst,
 * and what it would not have counted before, is judged as the registers say; no event is
 * counted twice. Counting begins at once.
 *
 * A counter has late events of one change only, the last one at which it counted: a
 * change of a counter that does not count, its next beginning included, leaves those
 * that are still to come alone.
 */
void pmcg_delay_changes(struct pmcg *pmcg, uint32_t events);

/**
 * pmcg_change_delay() - what pmcg_delay_changes() asked for
 * @pmcg: the PMCG
 *
 * Return: the number of events.
 */
uint32_t pmcg_change_delay(const struct pmcg *pmcg);

/**
 * pmcg_is_armed() - whether a PMCG could count or interrupt
 * @pmcg: the PMCG
 *
 * Return: true if CR.E or IRQ_CTRL.IRQEN is set.
 */
bool pmcg_is_armed(const struct pmcg *pmcg);

/**
 * pmcg_set_dead() - cut the power off, or bring it back
 * @pmcg: the PMCG
 * @dead: without power
 *
 * A PMCG without power reads as all ones, ignores writes and counts nothing. Its
 * state survives.
 */
void pmcg_set_dead(struct pmcg *pmcg, bool dead);

/**
 * pmcg_is_dead() - whether the power is off
 * @pmcg: the PMCG
 *
 * Return: true if it is.
 */
bool pmcg_is_dead(const struct pmcg *pmcg);

/**
 * pmcg_hold_interrupts() - hold interrupts back, or let them go
 * @pmcg: the PMCG
 * @hold: whether to hold them
 *
 * Of all that are held back, wired or MSI, one is delivered when the hold ends. It
 * is delivered, too, before an Update of IRQEN to 0 completes: later than that none
 * may become visible (§10.5.2.19).
 */
void pmcg_hold_interrupts(struct pmcg *pmcg, bool hold);

/**
 * pmcg_holds_interrupts() - whether interrupts are held back
 * @pmcg: the PMCG
 *
 * Return: true if they are.
 */
bool pmcg_holds_interrupts(const struct pmcg *pmcg);

/**
 * pmcg_set_msi_fate() - decide what becomes of the MSIs that are delivered from now on
 * @pmcg: the PMCG
 * @fate: what becomes of them
 */
void pmcg_set_msi_fate(struct pmcg *pmcg, enum pmcg_msi_fate fate);

/**
 * pmcg_msi_fate() - what becomes of the MSIs
 * @pmcg: the PMCG
 *
 * Return: their fate.
 */
enum pmcg_msi_fate pmcg_msi_fate(const struct pmcg *pmcg);

/**
 * pmcg_delay_acknowledgment() - let software wait for the end of an Update of IRQEN
 * @pmcg: the PMCG
 * @reads: so many reads of IRQ_CTRLACK after each later Update show the old value
 */
void pmcg_delay_acknowledgment(struct pmcg *pmcg, uint32_t reads);

/**
 * pmcg_acknowledgment_delay() - what pmcg_delay_acknowledgment() asked for
 * @pmcg: the PMCG
 *
 * Return: the number of reads.
 */
uint32_t pmcg_acknowledgment_delay(const struct pmcg *pmcg);

/**
 * pmcg_cycles_to_overflow() - how far the next overflow by clock cycles is away
 * @pmcg: the PMCG
 *
 * Return: the number of cycles (event 0) after which the first counter overflows, or
 * UINT64_MAX when none will in fewer than that. Counters that are all the same one
 * overflow earlier where several of them count cycles.
 */
uint64_t pmcg_cycles_to_overflow(const struct pmcg *pmcg);

/**
 * pmcg_accesses() - how often software accessed a register
 * @pmcg: the PMCG
 * @page: 0 or 1, no meaning for all registers
 * @offset: byte offset in the page, or PMCG_ALL_REGISTERS
 *
 * An access to one half of a 64-bit register is an access to that register.
 *
 * Return: the counts.
 */
struct pmcg_accesses pmcg_accesses(const struct pmcg *pmcg, unsigned int page, uint32_t offset);

/**
 * pmcg_reset_accesses() - let all access counts restart from zero
 * @pmcg: the PMCG
 */
void pmcg_reset_accesses(struct pmcg *pmcg);

/**
 * pmcg_interrupt_edges() - how many interrupt edges there have been since reset
 * @pmcg: the PMCG
 *
 * Edges that are held back count.
 *
 * Return: the number of edges.
 */
uint64_t pmcg_interrupt_edges(const struct pmcg *pmcg);

/**
 * pmcg_messages() - how many MSIs there have been since reset
 * @pmcg: the PMCG
 *
 * MSIs that are held back, aborted or lost count.
 *
 * Return: the number of MSIs.
 */
uint64_t pmcg_messages(const struct pmcg *pmcg);

#endif /* PMCG_H */
