/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A register-accurate model of a memory-mapped PMU, as Non-secure software sees
 * it: what all families have in common. The registers and the rules of a family
 * are in a folder of their own; it implements syspmu_family.h.
 *
 * Portable C11, independent of any operating system or emulator. A PMU is a plain object
 * without locks; its owner serialises the calls.
 */
#ifndef SYSPMU_H
#define SYSPMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSPMU_MAX_COUNTERS	256
#define SYSPMU_PAGE_SIZE	0x1000
#define SYSPMU_PAGES		2

/* Offset for the access counts of all registers. */
#define SYSPMU_ALL_REGISTERS	UINT32_C(0xffffffff)

/* The Security state that an event belongs to. */
enum syspmu_security {
	SYSPMU_NON_SECURE,
	SYSPMU_SECURE,
	SYSPMU_REALM,
	SYSPMU_ROOT,	/* Root; only accesses without a StreamID can be in it */
	SYSPMU_SYSTEM_AGENT,	/* System Agent; only accesses without a StreamID can be in it */
};

/* The PARTID space of an event. The values are those of MPAM_SP in the MPAM architecture. */
enum syspmu_partid_space {
	SYSPMU_PARTID_SECURE = 0,
	SYSPMU_PARTID_NON_SECURE = 1,
	SYSPMU_PARTID_REALM = 3,
};

/* An event in the monitored component. A family ignores the members that it has no filter for. */
struct syspmu_event {
	uint32_t number;	/* event number; each family has its own */
	/*
	 * StreamID of the transaction, or another value that filters of the family are compared
	 * with
	 */
	uint32_t stream_id;
	/*
	 * Security state of the stream, or, for an access without a StreamID, the one that its
	 * target PA space conveys
	 */
	enum syspmu_security security;
	bool no_stream_id;	/* the access has no StreamID; @stream_id has no meaning */
	/* The access has the PM attribute, or is a NoStreamID access to the NSP PA space */
	bool protected_mode;
	bool non_attributable;	/* the event belongs to no single Security state */
	uint16_t partid;
	uint8_t pmg;
	enum syspmu_partid_space partid_space;	/* the PARTID space of @partid and @pmg */
};

/* How many times software accessed a register. */
struct syspmu_accesses {
	uint64_t reads;	/* number of reads; a 64-bit access is one */
	uint64_t writes;
};

/* An MSI. */
struct syspmu_message {
	bool secure;	/* it is sent to the Secure PA space, where the owner does not see it */
	uint64_t address;
	uint32_t data;	/* the 32 bits to write there */
	uint8_t memory_attributes;	/* MEMATTR */
	/* SH as far as it has an effect: 0 Non-shareable, 2 Outer Shareable, 3 Inner Shareable */
	uint8_t shareability;
	uint16_t partid;	/* PARTID of the write, 0 without MPAM */
	uint8_t pmg;	/* PMG of the write, 0 without MPAM */
};

/* What happens to MSIs. */
enum syspmu_msi_fate {
	SYSPMU_MSI_DELIVERED,	/* they are passed to the owner */
	SYSPMU_MSI_ABORTED,	/* they are terminated with an abort */
	SYSPMU_MSI_LOST,	/* they are lost without any indication */
};

/*
 * Where the interrupts of a PMU go. Counters, overflow status and captured values are up to date
 * when these functions are called. The functions may read the model but must not write to it.
 */
struct syspmu_owner {
	/* Drives the wired interrupt, may be NULL; an edge is two calls, high and low */
	void (*irq)(void *opaque, bool level);
	/* Sends an MSI, may be NULL; returns false if the write was aborted */
	bool (*msi)(void *opaque, const struct syspmu_message *message);
	void *opaque;	/* argument of both */
};

/* Implementation choices that any family may have. */
struct syspmu_config {
	bool split_accesses;	/* 64-bit accesses are not atomic, but split into two halves */
	bool high_first;	/* a split read begins with its high half */
	bool wide_faults;	/* 64-bit accesses are not supported and fault */
	/* 64-bit accesses to pairs of 32-bit registers are not supported and fault */
	bool pair_faults;
	bool irq_beside_msi;	/* the wired interrupt is driven although there is an MSI */
	/*
	 * The irq of a family whose interrupts are level-sensitive is an edge instead, each time
	 * that the level would be asserted
	 */
	bool irq_edge;
	bool read_only_counters;	/* writes of counters are ignored */
	/*
	 * An erratum: a counter that was enabled once keeps counting, even if it or the PMU is
	 * disabled
	 */
	bool stuck_enable;
	/*
	 * Firmware gives a wrong address for page 1: all registers that are only in page 1 if there
	 * are two pages read as zero and ignore writes, and nothing counts
	 */
	bool dead_counters;
	/* All counters are the same one, which each enabled one increments */
	bool aliased_counters;
	/*
	 * Only the identification registers are implemented; the others read as zero and ignore
	 * writes, and nothing counts
	 */
	bool inert;
	bool running;	/* firmware leaves the PMU, all counters and their interrupts enabled */
	bool dead;	/* the PMU starts without power; it reads as all ones and counts nothing */
};

/* One bit for each counter. */
struct syspmu_bits {
	/* Counters 0 to 63 are in the first word, and so on */
	uint64_t word[SYSPMU_MAX_COUNTERS / 64];
};

/*
 * The registers that determine what a counter counts. A family with different registers uses the
 * same members for them.
 */
struct syspmu_counted {
	uint32_t type;	/* event type */
	uint32_t filter;	/* filter, or the part of it that is in an event type register */
	uint32_t match;	/* value that the filter compares with */
};

/* A counter. */
struct syspmu_counter {
	uint64_t value;
	/* Its greatest value, also the mask of its bits; 0: no counter has this number */
	uint64_t max;
	/*
	 * It does not count but shows a state: the number of events at the last instant, limited to
	 * @max
	 */
	bool gauge;
	/* Number of events that have not caused an increment yet, if one takes several */
	uint64_t remainder;
	uint64_t wraps;	/* number of times it wrapped when events last occurred */
	struct syspmu_counted late;	/* what it counted before a change that takes effect late */
	uint32_t late_events;	/* number of these events that it still counts */
};

/* Events that will occur at a certain access. */
struct syspmu_pending {
	struct syspmu_event event;
	uint64_t n;	/* how many times; 0: none is pending */
	unsigned int page;	/* of the register, if used */
	uint32_t offset;	/* of the register, if used */
};

struct syspmu_ops;

/*
 * A PMU. A family embeds it in a structure of its own. The members are for the model and the
 * family; its owner uses the functions below.
 */
struct syspmu_model {
	/* private: */
	const struct syspmu_ops *ops;
	struct syspmu_config config;
	struct syspmu_owner owner;
	bool two_pages;
	bool wide_counters;
	unsigned int counters;

	struct syspmu_counter counter[SYSPMU_MAX_COUNTERS];
	struct syspmu_bits implemented;
	struct syspmu_bits overflowing;
	struct syspmu_bits enabled;
	struct syspmu_bits counting;
	struct syspmu_bits irq_enabled;
	struct syspmu_bits overflowed;

	struct syspmu_pending tear;
	struct syspmu_pending step;
	struct syspmu_pending precede;
	uint32_t change_delay;

	bool dead;
	bool hold;
	bool held;
	bool irq_level;
	bool driven_level;
	enum syspmu_msi_fate msi_fate;
	uint64_t irq_edges;
	uint64_t messages;
	struct syspmu_accesses accesses[SYSPMU_PAGES][SYSPMU_PAGE_SIZE / 4];
};

/*
 * Bring a PMU to its state after reset. @seed: for the bits whose reset value is UNKNOWN. The
 * access and interrupt counts restart from zero. Requests of syspmu_tear(), syspmu_step(),
 * syspmu_precede(), syspmu_set_msi_fate() and syspmu_delay_changes() are
 * cancelled, and an interrupt that is held back is dropped. Whether interrupts are held and whether
 * there is power does not change.
 */
void syspmu_reset(struct syspmu_model *model, uint64_t seed);

/*
 * A Non-secure read. Sizes other than 4 and 8, and accesses that are not aligned to their size,
 * read as zero. A 64-bit read of two 32-bit registers reads both, and is counted as one read of the
 * first. Returns the value, in the low bits.
 */
uint64_t syspmu_read(struct syspmu_model *model, unsigned int page, uint32_t offset,
		     unsigned int size);

/*
 * A Non-secure write. Accesses that syspmu_read() reads as zero are ignored; a 64-bit write to two
 * 32-bit registers writes both, the first one first unless writes begin with the high half.
 */
void syspmu_write(struct syspmu_model *model, unsigned int page, uint32_t offset,
		  unsigned int size, uint64_t value);

/*
 * Whether an access faults. An access that the PMU does not support causes an external abort: it
 * reads as zero, changes nothing and is not counted.
 */
bool syspmu_access_faults(const struct syspmu_model *model, unsigned int page, uint32_t offset,
			  unsigned int size);

/*
 * What an aligned 64-bit read would return. @offset: byte offset in the page, rounded down to a
 * multiple of 8. Nothing is counted and nothing changes.
 */
uint64_t syspmu_peek(const struct syspmu_model *model, unsigned int page, uint32_t offset);

/* Whether registers are in page 1. */
bool syspmu_has_two_pages(const struct syspmu_model *model);

/*
 * Whether an event could change anything. Returns false if no counter counts, not even late because
 * of what it counted before.
 */
bool syspmu_can_count(const struct syspmu_model *model);

/*
 * Inject events. @n: how many times, all at the same instant. A counter that wraps, even several
 * times, sets its overflow status once; all counters that wrap in one call cause one interrupt, and
 * one capture if an overflow captures.
 */
void syspmu_inject(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n);

/* Advance by clock cycles. */
void syspmu_clock(struct syspmu_model *model, uint64_t n);

/*
 * The distance to the next overflow by clock cycles. Returns the number of cycles after which the
 * first counter overflows, or UINT64_MAX if none does earlier. Aliased counters overflow earlier if
 * several of them count cycles.
 */
uint64_t syspmu_cycles_to_overflow(const struct syspmu_model *model);

/*
 * Inject events in the middle of a read. @n: how many times; 0 cancels an earlier request. The
 * events occur once, between the two halves of the next 64-bit read of a counter or a captured
 * value. This has no effect unless accesses are split.
 */
void syspmu_tear(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n);

/*
 * Inject events at each read of a counter. @n: how many times before each read; 0: stop. The events
 * occur immediately before each read access of a counter or a captured value, so that software
 * never reads twice at the same instant.
 */
void syspmu_step(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n);

/* The request of syspmu_step(). */
uint64_t syspmu_steps(const struct syspmu_model *model);

/*
 * Inject events just before a register is written. @n: how many times; 0 cancels an earlier
 * request. The events occur once, immediately before the next write access to the register: after
 * all reads that software has based this write on.
 */
void syspmu_precede(struct syspmu_model *model, unsigned int page, uint32_t offset,
		    const struct syspmu_event *event, uint64_t n);

/* The pending request of syspmu_precede(). */
uint64_t syspmu_preceding(const struct syspmu_model *model);

/*
 * Make changes of what a counter counts take effect late. @events: how many events late; 0: at
 * once, and pending late events are dropped. After a write that changes what a counter counts, or
 * that stops it, the counter still counts the next @events that it would have counted before the
 * write, with all their effects. The rest of a burst, and events that it would not have counted
 * before, are counted or not according to the current registers; no event is counted twice. A
 * counter starts without delay. A counter only has late events of the last change during which it
 * was counting. Changes of a counter that is not counting, including its next start, do not affect
 * those that are pending.
 */
void syspmu_delay_changes(struct syspmu_model *model, uint32_t events);

/* The request of syspmu_delay_changes(). */
uint32_t syspmu_change_delay(const struct syspmu_model *model);

/*
 * Request a capture by an external signal. @model: the PMU; nothing happens if it has no such
 * signal, or no power.
 */
void syspmu_request_capture(struct syspmu_model *model);

/* Whether a PMU may count or interrupt. Returns true if it is enabled, or its interrupt is. */
bool syspmu_is_armed(const struct syspmu_model *model);

/*
 * Turn the power off or on. @dead: without power. A PMU without power reads as all ones, ignores
 * writes and counts nothing. Its state is retained.
 */
void syspmu_set_dead(struct syspmu_model *model, bool dead);

/* Whether the power is off. */
bool syspmu_is_dead(const struct syspmu_model *model);

/*
 * Hold interrupts back, or release them. If any were held back, wired or MSI, one is delivered on
 * release. A level-sensitive interrupt then gets its current level.
 */
void syspmu_hold_interrupts(struct syspmu_model *model, bool hold);

/* Whether interrupts are held back. */
bool syspmu_holds_interrupts(const struct syspmu_model *model);

/* Set what happens to MSIs from now on. */
void syspmu_set_msi_fate(struct syspmu_model *model, enum syspmu_msi_fate fate);

/* What happens to MSIs. */
enum syspmu_msi_fate syspmu_msi_fate(const struct syspmu_model *model);

/* The number of wired interrupts since reset. Those that are held back are included. */
uint64_t syspmu_irq_edges(const struct syspmu_model *model);

/* The number of MSIs since reset. MSIs that are held back, aborted or lost are included. */
uint64_t syspmu_messages(const struct syspmu_model *model);

/*
 * How many times software accessed a register. @page: 0 or 1, ignored for all registers. @offset:
 * byte offset in the page, or SYSPMU_ALL_REGISTERS. An access to one half of a 64-bit register is
 * an access to that register.
 */
struct syspmu_accesses syspmu_accesses(const struct syspmu_model *model, unsigned int page,
				       uint32_t offset);

/* Reset all access counts to zero. */
void syspmu_reset_accesses(struct syspmu_model *model);

#endif /* SYSPMU_H */
