/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for the parts of the fuzz target. Like the unit tests it is written from
 * IHI 0070 and pmcg.h only: it neither uses register definitions of the model nor
 * accesses members of struct pmcg.
 */
#ifndef FUZZ_H
#define FUZZ_H

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

/**
 * enum action - what an operation does
 * @READ: software reads
 * @WRITE: software writes
 * @EVENT: events occur
 * @STEP: events will occur before each read of a counter
 * @TEAR: events will occur in the middle of a read
 * @RESET: the PMCG is reset
 * @POWER: power is turned off or on
 * @HOLD: interrupts are held or released
 * @FATE: MSIs are delivered, aborted or lost from now on
 * @DELAY: an Update of IRQEN takes longer
 * @LATE: changes take effect late
 * @CAPTURE: an external mechanism captures
 * @OBSERVE: Secure software sets or clears SCR.SO
 */
enum action { READ, WRITE, EVENT, STEP, TEAR, RESET, POWER, HOLD, FATE, DELAY, LATE,
	      CAPTURE, OBSERVE };

/**
 * struct operation - an access, an event or a control of the model
 * @action: kind of operation
 * @page: of an access
 * @offset: of an access
 * @size: of an access
 * @value: the value written or read, or the argument of the action
 * @event: the event
 * @n: how many times
 */
struct operation {
	enum action action;
	unsigned int page;
	uint32_t offset;
	unsigned int size;
	uint64_t value;
	struct syspmu_event event;
	uint64_t n;
};

/**
 * struct view - the externally visible state of a PMCG
 * @word: both pages; only the words with registers are used
 * @edges: syspmu_irq_edges()
 * @messages: syspmu_messages()
 * @cycles: syspmu_cycles_to_overflow()
 * @hold: syspmu_holds_interrupts()
 * @fate: syspmu_msi_fate()
 * @delivered: total number of interrupts and MSIs that it has sent
 */
struct view {
	uint64_t word[SYSPMU_PAGES][SYSPMU_PAGE_SIZE / 8];
	uint64_t edges;
	uint64_t messages;
	uint64_t cycles;
	bool hold;
	enum syspmu_msi_fate fate;
	uint64_t delivered;
};

/**
 * struct trial - an operation and its result
 * @config: the configuration of the PMCG
 * @operation: the operation
 * @before: the PMCG before it
 * @after: the PMCG after it
 * @delay: reads of IRQ_CTRLACK that an Update takes
 * @held: an interrupt was held back before it
 * @running: counters that may count
 * @happened: events occurred during it
 * @torn: they occurred in the middle of the access, not before it
 * @late: counters that may still count as they did before they were changed (§10.2)
 * @added: how many of these events each counter counts by §10.4
 * @carry: counters that these events make overflow
 * @captures: counters whose overflow captures
 * @twin_counts: an unfiltered counter of an equal PMCG counts them
 * @match: last known value of each SMR, in either layout
 * @match_seen: the bits of it that are known
 * @message: the last MSI
 */
struct trial {
	const struct pmcg_config *config;
	struct operation operation;
	struct view before;
	struct view after;
	uint32_t delay;
	bool held;
	uint64_t running;
	bool happened;
	bool torn;
	uint64_t late;
	uint64_t added[PMCG_MAX_COUNTERS];
	uint64_t carry;
	uint64_t captures;
	bool twin_counts;
	uint32_t match[PMCG_MAX_COUNTERS];
	uint32_t match_seen[PMCG_MAX_COUNTERS];
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

/**
 * passes_filter() - whether a counter may count an event: §10.4
 * @config: the configuration of the PMCG
 * @type: EVTYPER that holds the filter
 * @match: SMR that holds the filter
 * @event: the event
 *
 * Return: true if it may.
 */
bool passes_filter(const struct pmcg_config *config, uint32_t type, uint32_t match,
		   const struct syspmu_event *event);

/**
 * match_layout() - which bits SMR currently has (§10.5.2.4)
 * @config: the configuration of the PMCG
 * @view: the PMCG
 * @i: number of the SMR
 *
 * Return: the bits.
 */
uint32_t match_layout(const struct pmcg_config *config, const struct view *view, unsigned int i);

/**
 * broken_rule() - check the result of an operation
 * @trial: the operation and its result
 *
 * Return: the first rule that does not hold, or NULL.
 */
const char *broken_rule(const struct trial *trial);

/**
 * holds_interrupt() - whether an interrupt is held back after an operation
 * @trial: the operation and its result
 *
 * Return: true if one is.
 */
bool holds_interrupt(const struct trial *trial);

#define OPERATIONS	64
#define DRAWN		64

/**
 * struct input - the rest of an input
 * @data: the next byte
 * @left: how many bytes
 * @salt: makes the results of draw() depend on the whole input
 */
struct input {
	const uint8_t *data;
	size_t left;
	uint64_t salt;
};

/**
 * struct late - what a counter still counts after a change (§10.2)
 * @left: how many events of it
 * @type: EVTYPER
 * @filter: EVTYPER that holds the filter
 * @match: SMR that holds the filter
 */
struct late {
	uint32_t left;
	uint32_t type;
	uint32_t filter;
	uint32_t match;
};

/**
 * struct world - a PMCG and its history
 * @config: its configuration
 * @pmcg: the PMCG
 * @twin: an equal one, with one unfiltered counter
 * @trial: the last operation and its result
 * @armed: events that will occur at a read of a counter
 * @armed_count: how many of them
 * @armed_to_tear: in the middle of it, not before it
 * @initial_observation: SCR.SO after reset
 * @ever_enabled: counters that have been enabled since reset
 * @change_delay: by how many events changes are late
 * @late: what each counter still counts after a change
 * @accesses: number of accesses since reset
 * @delivered: number of interrupts and MSIs that it has sent
 * @done: all operations so far
 * @operations: how many
 */
struct world {
	struct pmcg_config config;
	struct pmcg pmcg;
	struct pmcg twin;
	struct trial trial;
	struct syspmu_event armed;
	uint64_t armed_count;
	bool armed_to_tear;
	bool initial_observation;
	uint64_t ever_enabled;
	uint32_t change_delay;
	struct late late[PMCG_MAX_COUNTERS];
	uint64_t accesses;
	uint64_t delivered;
	struct operation done[OPERATIONS];
	unsigned int operations;
};

/**
 * take() - take a number from an input
 * @input: the input
 * @bytes: its size; missing bytes are zero
 *
 * Return: the number.
 */
uint64_t take(struct input *input, unsigned int bytes);

/**
 * draw() - take a number from an input and make random bytes of it
 * @input: the input
 * @bytes: filled in
 *
 * Return: the bytes, as an input.
 */
struct input draw(struct input *input, uint8_t bytes[DRAWN]);

/**
 * hash() - hash an input
 * @data: the input
 * @size: its size
 *
 * Return: the number.
 */
uint64_t hash(const uint8_t *data, size_t size);

/**
 * take_config() - take a configuration that can exist from an input
 * @input: the input
 *
 * Return: the configuration.
 */
struct pmcg_config take_config(struct input *input);

/**
 * take_operation() - take an operation, or a sequence of related ones, and run them
 * @world: the PMCG
 * @input: the input
 */
void take_operation(struct world *world, struct input *input);

/**
 * run() - run an operation and check its result
 * @world: the PMCG
 * @operation: the operation
 */
void run(struct world *world, const struct operation *operation);

#endif /* FUZZ_H */
