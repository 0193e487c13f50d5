/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between a family of PMUs and the common part.
 *
 * A family has a table of registers and the operations of struct syspmu_ops. Its structure
 * embeds struct syspmu_model, which syspmu_init() and syspmu_add_counter() set up.
 */
#ifndef SYSPMU_FAMILY_H
#define SYSPMU_FAMILY_H

#include "syspmu.h"

/* Width of registers that are as wide as the counter registers, 4 or 8 bytes. */
#define SYSPMU_COUNTER_WIDTH	0

/* Properties of a register. */
enum syspmu_register_flags {
	SYSPMU_PAGE_0 = 1 << 0,	/* it is in page 0 */
	SYSPMU_PAGE_1 = 1 << 1,	/* it is in page 1, or in page 0 if that is the only one */
	SYSPMU_COUNT = 1 << 2,	/* it is a counter or a captured value */
	SYSPMU_IDENTITY = 1 << 3,	/* it is an identification register and never changes */
	/*
	 * It is an array of pairs of 32-bit registers, each of which may take a 64-bit access as
	 * one register does
	 */
	SYSPMU_PAIRS = 1 << 4,
};

/*
 * A register, or an array of them. If two are at the same offset of the same page, the first one is
 * used.
 */
struct syspmu_register {
	uint32_t offset;	/* of the first byte in its page */
	uint32_t bytes;	/* size of all of it */
	unsigned int width;	/* bytes of one register, 4, 8 or SYSPMU_COUNTER_WIDTH */
	unsigned int flags;	/* enum syspmu_register_flags */
	/* Returns one 32-bit word, 0 or 1, of register number index; NULL: reads as zero */
	uint32_t (*read)(const struct syspmu_model *model, unsigned int index, unsigned int word);
	/* Writes such a word; NULL: writes are ignored */
	void (*write)(struct syspmu_model *model, unsigned int index, unsigned int word,
		      uint32_t value);
};

/* By how much a counter increments. */
struct syspmu_rate {
	uint64_t events;	/* number of events that cause an increment, at least 1 */
	uint64_t step;	/* amount of an increment, at least 1 */
};

/* The operations of a family. @event and @capture are not called while there is no power. */
struct syspmu_ops {
	const struct syspmu_register *registers;	/* its registers */
	size_t register_count;	/* length of @registers */
	uint32_t cycles;	/* number of the event that occurs at each clock cycle */
	/*
	 * Brings all registers, including counters, to their state after reset; UNKNOWN bits are
	 * derived from the seed
	 */
	void (*reset)(struct syspmu_model *model, uint64_t seed);
	/*
	 * Whether software has access at all; if not, registers read as zero and ignore writes;
	 * NULL: always
	 */
	bool (*accessible)(const struct syspmu_model *model);
	/* Software has read a word of a register; NULL: reads have no side effects */
	void (*was_read)(struct syspmu_model *model, const struct syspmu_register *reg);
	/*
	 * Called after reset and after each write by software: updates which counters count and, if
	 * it is level-sensitive, the interrupt
	 */
	void (*update)(struct syspmu_model *model);
	/* Events have occurred; calls syspmu_count() to count them */
	void (*event)(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n);
	/* What a counter counts while it is counting */
	struct syspmu_counted (*counted)(const struct syspmu_model *model, unsigned int counter);
	/* Whether that includes an event, taking filters into account */
	bool (*includes)(const struct syspmu_model *model, const struct syspmu_counted *counted,
			 const struct syspmu_event *event);
	/* By how much a counter increments on an event that it includes; NULL: one by one */
	struct syspmu_rate (*rate)(const struct syspmu_model *model, unsigned int counter,
				   const struct syspmu_event *event);
	/* Captures, by an external signal; NULL: there is no such signal */
	void (*capture)(struct syspmu_model *model);
	/* Whether the PMU may count or interrupt */
	bool (*is_armed)(const struct syspmu_model *model);
	/*
	 * Fills in the MSI to send for an interrupt and returns true, or returns false if
	 * interrupts are wired
	 */
	bool (*message)(const struct syspmu_model *model, struct syspmu_message *message);
	/* Called if the write of an MSI was aborted */
	void (*message_aborted)(struct syspmu_model *model);
};

/*
 * Check for choices that contradict each other. Returns NULL, or a message that says why no such
 * PMU can exist.
 */
const char *syspmu_check_config(const struct syspmu_config *config);

/*
 * Initialise a PMU. @model: filled in; it has no counters and one page, and must be reset before
 * use. @ops: its family. @owner: copied; NULL: interrupts are not connected.
 */
void syspmu_init(struct syspmu_model *model, const struct syspmu_ops *ops,
		 const struct syspmu_config *config, const struct syspmu_owner *owner);

/*
 * Add a counter to a PMU. @number: its number; numbers need not be contiguous. @bits: its width, 1
 * to 64. Counter registers are 8 bytes apart if any counter has more than 32 bits, else 4.
 */
void syspmu_add_counter(struct syspmu_model *model, unsigned int number, unsigned int bits);

/*
 * Add a counter that shows a state: it has no overflow status and no interrupt enable. @bits: its
 * width, 1 to 64.
 */
void syspmu_add_gauge(struct syspmu_model *model, unsigned int number, unsigned int bits);

/* A number with its lowest @n bits set, 0 to 64. */
static inline uint64_t syspmu_ones(unsigned int n)
{
	return n ? UINT64_MAX >> (64 - n) : 0;
}

/* One 32-bit word, 0 or 1, of a 64-bit register. */
static inline uint32_t syspmu_word(uint64_t value, unsigned int word)
{
	return (uint32_t)(value >> (32 * word));
}

/* A 64-bit register with one word set to @value and the other one zero. */
static inline uint64_t syspmu_in_word(uint32_t value, unsigned int word)
{
	return (uint64_t)value << (32 * word);
}

/* A 64-bit register after a write to one of its words. */
static inline uint64_t syspmu_with_word(uint64_t old, unsigned int word, uint32_t value)
{
	return (old & ~syspmu_in_word(UINT32_MAX, word)) | syspmu_in_word(value, word);
}

static inline bool syspmu_test_bit(const struct syspmu_bits *bits, unsigned int n)
{
	return bits->word[n / 64] >> n % 64 & 1;
}

static inline void syspmu_set_bit(struct syspmu_bits *bits, unsigned int n)
{
	bits->word[n / 64] |= UINT64_C(1) << n % 64;
}

static inline void syspmu_clear_bit(struct syspmu_bits *bits, unsigned int n)
{
	bits->word[n / 64] &= ~(UINT64_C(1) << n % 64);
}

/* Whether two sets of counters intersect. */
bool syspmu_intersects(const struct syspmu_bits *a, const struct syspmu_bits *b);

/*
 * Bits for registers whose reset value is UNKNOWN. @seed: changed, so that the next call returns
 * something else. Returns 64 bits; the same for the same seed.
 */
uint64_t syspmu_garbage(uint64_t *seed);

/* The same, one bit for each counter. */
void syspmu_garbage_bits(const struct syspmu_model *model, struct syspmu_bits *bits,
			 uint64_t *seed);

/*
 * Registers for the table of a family. Pairs of set and clear registers are arrays of
 * 64-bit registers at any offsets; both registers of a pair read the state.
 */

uint32_t syspmu_counter_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word);
void syspmu_counter_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value);
uint32_t syspmu_enable_read(const struct syspmu_model *model, unsigned int index,
			    unsigned int word);
void syspmu_enable_set(struct syspmu_model *model, unsigned int index, unsigned int word,
		       uint32_t value);
void syspmu_enable_clear(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value);
uint32_t syspmu_irq_enable_read(const struct syspmu_model *model, unsigned int index,
				unsigned int word);
void syspmu_irq_enable_set(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value);
void syspmu_irq_enable_clear(struct syspmu_model *model, unsigned int index, unsigned int word,
			     uint32_t value);
uint32_t syspmu_overflow_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word);
void syspmu_overflow_set(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value);
void syspmu_overflow_clear(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value);

/*
 * The value of a counter. Returns a pointer to the value; the same one for all counters if they are
 * aliased.
 */
uint64_t *syspmu_value(struct syspmu_model *model, unsigned int counter);

/* The overflows of one instant. */
struct syspmu_overflows {
	struct syspmu_bits counters;	/* the counters that overflowed */
	uint32_t types;	/* their event types, ORed */
};

/*
 * Count an event in all counters that include it. @n: how many times. @overflows: filled in; the
 * overflow status has already been set.
 */
void syspmu_count(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n,
		  struct syspmu_overflows *overflows);

/*
 * Increment one counter, regardless of its registers. @n: number to add, at one instant. The
 * overflow status is set if it wraps.
 */
void syspmu_increment(struct syspmu_model *model, unsigned int counter, uint64_t n);

/* Update which counters count. @running: the PMU as a whole is enabled. */
void syspmu_update_counting(struct syspmu_model *model, bool running);

/* What counters counted before a change. */
struct syspmu_before {
	struct syspmu_bits counting;	/* the counters that were counting */
	/* What each counter counts while it is counting */
	struct syspmu_counted counted[SYSPMU_MAX_COUNTERS];
};

/*
 * Save what counters count, before a change. @before: filled in, if changes are late. The common
 * part calls this for writes of registers.
 */
void syspmu_before_change(const struct syspmu_model *model, struct syspmu_before *before);

/* Set the late events of counters that have changed. @before: from syspmu_before_change(). */
void syspmu_after_change(struct syspmu_model *model, const struct syspmu_before *before);

/*
 * Send an interrupt, as an MSI or as an edge of the irq. @model: the PMU, with overflow status and
 * captured values up to date.
 */
void syspmu_interrupt(struct syspmu_model *model);

/*
 * Drive a level-sensitive interrupt. @level: whether the interrupt is asserted; an MSI is sent when
 * it becomes true.
 */
void syspmu_set_irq_level(struct syspmu_model *model, bool level);

/* Deliver the interrupt that is held back, if any. */
void syspmu_deliver_held(struct syspmu_model *model);

#endif /* SYSPMU_FAMILY_H */
