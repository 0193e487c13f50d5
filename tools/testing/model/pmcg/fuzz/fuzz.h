/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for the parts of the fuzz target. Like the unit tests it is written from
 * IHI 0070 and pmcg.h only: it neither uses register definitions of the model nor
 * accesses members of struct pmcg.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "fuzz_input.h"
#include "fuzz_target.h"
#include "pmcg.h"

/* §10.5.1 */
enum {
	EVCNTR = 0x000,
	EVTYPER = 0x400,
	SVR = 0x600,
	SMR = 0xa00,
	CNTENSET = 0xc00,
	CNTENCLR = 0xc20,
	INTENSET = 0xc40,
	INTENCLR = 0xc60,
	OVSCLR = 0xc80,
	OVSSET = 0xcc0,
	CAPR = 0xd88,
	CFGR = 0xe00,
	CR = 0xe04,
	IRQ_CTRL = 0xe50,
	IRQ_CTRLACK = 0xe54,
	IRQ_CFG0 = 0xe58,
	IRQ_CFG1 = 0xe60,
	IRQ_CFG2 = 0xe64,
	IRQ_STATUS = 0xe68,
	GMPAM = 0xe6c,
	RESERVED = 0xe80,
	ID_REGS = 0xfb0,
};

/* §10.5.2.2 */
#define TYPE_EVENT		UINT32_C(0x0000ffff)
#define TYPE_PARTID		UINT32_C(0x00010000)
#define TYPE_PMG		UINT32_C(0x00020000)
#define TYPE_REALM		UINT32_C(0x10000000)
#define TYPE_SPAN		UINT32_C(0x20000000)
#define TYPE_SECURE		UINT32_C(0x40000000)
#define TYPE_OVFCAP		UINT32_C(0x80000000)

/* What an operation does. */
enum action {
	READ,	/* software reads */
	WRITE,	/* software writes */
	EVENT,	/* events occur */
	STEP,	/* they will occur before each read of a counter */
	TEAR,	/* they will occur in the middle of a read */
	RESET,
	POWER,	/* is turned off or on */
	HOLD,	/* interrupts are held or released */
	FATE,	/* of MSIs from now on: delivered, aborted or lost */
	DELAY,	/* an Update of IRQEN takes longer */
	LATE,	/* changes take effect late */
	CAPTURE,	/* by an external mechanism */
	OBSERVE,	/* Secure software sets or clears SCR.SO */
};

/* An access, an event or a control of the model. */
struct operation {
	enum action action;
	unsigned int page;
	uint32_t offset;
	unsigned int size;
	uint64_t value;	/* the value written or read, or the argument of the action */
	struct syspmu_event event;
	uint64_t n;	/* how many times */
};

/* The externally visible state of a PMCG. */
struct view {
	/* Both pages; only the words with registers are used */
	uint64_t word[SYSPMU_PAGES][SYSPMU_PAGE_SIZE / 8];
	uint64_t edges;
	uint64_t messages;
	uint64_t cycles;
	bool hold;
	enum syspmu_msi_fate fate;
	uint64_t delivered;	/* total number of interrupts and MSIs that it has sent */
};

/* An operation and its result. */
struct trial {
	const struct pmcg_config *config;
	struct operation operation;
	struct view before;
	struct view after;
	uint32_t delay;	/* reads of IRQ_CTRLACK that an Update takes */
	uint32_t reads_left;	/* until the present one ends */
	bool held;	/* an interrupt was held back before it */
	uint64_t running;	/* counters that may count */
	bool happened;	/* events occurred during it */
	bool torn;	/* they occurred in the middle of the access, not before it */
	/* How many of these events each counter counts by §10.4 */
	uint64_t added[PMCG_MAX_COUNTERS];
	uint64_t carry;	/* counters that these events make overflow */
	uint64_t captures;	/* counters whose overflow captures */
	uint32_t match[PMCG_MAX_COUNTERS];	/* last known value of each SMR, in either layout */
	uint32_t match_seen[PMCG_MAX_COUNTERS];	/* the bits of it that are known */
	struct syspmu_message message;
};

static inline uint64_t ones(unsigned int n)
{
	return n ? UINT64_MAX >> (64 - n) : 0;
}

static inline uint64_t word_at(const struct view *view, unsigned int page, uint32_t offset)
{
	return view->word[page][offset / 8];
}

static inline uint32_t half_at(const struct view *view, unsigned int page, uint32_t offset)
{
	return (uint32_t)(word_at(view, page, offset) >> offset % 8 * 8);
}

/* Counters and shadows are 4 bytes apart up to SIZE 31, else 8 (§10.5.1). */
static inline unsigned int stride(const struct pmcg_config *config)
{
	return config->size <= 31 ? 4 : 8;
}

static inline uint64_t counter_at(const struct pmcg_config *config, const struct view *view,
				  uint32_t array, unsigned int i)
{
	uint32_t offset = array + i * stride(config);

	return stride(config) == 4 ? half_at(view, config->relocate, offset) :
				     word_at(view, config->relocate, offset);
}

/* Accesses of other sizes, or not aligned, have no effect. */
static inline bool is_access(const struct operation *operation)
{
	return (operation->size == 4 || operation->size == 8) &&
	       operation->offset % operation->size == 0 &&
	       operation->page < SYSPMU_PAGES && operation->offset < SYSPMU_PAGE_SIZE;
}

/*
 * Whether a counter may count an event: §10.4. @type, @match: EVTYPER and SMR that hold its
 * filter.
 */
bool passes_filter(const struct pmcg_config *config, uint32_t type, uint32_t match,
		   const struct syspmu_event *event);

/* Which bits an SMR currently has (§10.5.2.4). */
uint32_t match_layout(const struct pmcg_config *config, const struct view *view, unsigned int i);

/* The first rule that does not hold, or NULL. */
const char *broken_rule(const struct trial *trial);

/* Whether an interrupt is held back after an operation. */
bool holds_interrupt(const struct trial *trial);

/* After how many reads of IRQ_CTRLACK an Update ends that has begun. */
uint32_t reads_left(const struct trial *trial);

#define OPERATIONS	64
#define DRAWN		64

/* What a counter still counts after a change (§10.2). */
struct late {
	uint32_t left;	/* how many events of it */
	uint32_t type;
	uint32_t filter;	/* EVTYPER that holds the filter */
	uint32_t match;	/* SMR that holds the filter */
};

/* A PMCG and its history. */
struct world {
	struct pmcg_config config;
	struct pmcg pmcg;
	struct trial trial;	/* the last operation and its result */
	struct syspmu_event armed;	/* events that will occur at a read of a counter */
	uint64_t armed_count;	/* how many of them */
	bool armed_to_tear;	/* in the middle of it, not before it */
	bool initial_observation;	/* SCR.SO after reset */
	uint64_t ever_enabled;	/* counters that have been enabled since reset */
	uint32_t change_delay;	/* by how many events changes are late */
	struct late late[PMCG_MAX_COUNTERS];	/* what each counter still counts after a change */
	uint64_t accesses;	/* number of accesses since reset */
	uint64_t delivered;	/* number of interrupts and MSIs that it has sent */
	struct operation done[OPERATIONS];	/* all operations so far */
	unsigned int operations;	/* how many */
};

/* Take a number from an input, and make random bytes of it: an input again. */
struct input draw(struct input *input, uint8_t bytes[DRAWN]);

/* Take a configuration that can exist from an input. */
struct pmcg_config take_config(struct input *input);

/* Take an operation, or a sequence of related ones, from an input, and run them. */
void take_operation(struct world *world, struct input *input);

/* Run an operation and check its result. */
void run(struct world *world, const struct operation *operation);

#endif /* FUZZ_H */
