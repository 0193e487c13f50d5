/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds system PMUs in sysfs, and opens and reads their events as perf does: by the names of the
 * fields in the format directory of the PMU. Differences between families of PMUs are in struct
 * pmu_family.
 */
#ifndef ARM_SYSPMU_PMU_H
#define ARM_SYSPMU_PMU_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "reference.h"
#include "stimulus.h"

#define PMU_MAX			64
#define PMU_NAME_LENGTH		64
#define PMU_MAX_COUNTERS	256

/* Flags of perf_event_attr that exclude something. */
#define PMU_EXCLUDE_FLAGS	6

/* A count that no test reaches: the result of pmu_value() if a read fails. */
#define PMU_NO_VALUE		(~0ULL)

/* Known errata of the PMUs of a machine. */
#define PMU_COUNTERS_ARE_READ_ONLY	0x1U
/* The driver changes their event. */
#define PMU_DISABLED_COUNTERS_COUNT	0x2U

struct pmu_family;

/**
 * struct pmu - a registered PMU
 * @family: the family that it belongs to
 * @name: of the PMU
 * @device: name of its platform device, empty if it is not known
 * @driver: driver of @device, empty if it is not known
 * @page: physical address of register page 0
 * @type: for perf_event_attr.type
 * @cpu: CPU that owns it
 * @event: number of an event that the stimulus can inject
 * @other_event: another one
 * @clock: number of an event that may count by itself
 * @filters: events can be filtered by their source
 * @source: a source whose events are counted without a filter
 * @all_sources: the field "filter" of an event that counts those of all sources
 * @errata: PMU_COUNTERS_ARE_READ_ONLY and so on
 * @reference: the driver is the reference driver of the family
 */
struct pmu {
	const struct pmu_family *family;
	char name[PMU_NAME_LENGTH];
	char device[PMU_NAME_LENGTH];
	char driver[PMU_NAME_LENGTH];
	__u64 page;
	__u32 type;
	int cpu;
	unsigned int event;
	unsigned int other_event;
	__u64 clock;
	bool filters;
	__u32 source;
	__u32 all_sources;
	unsigned int errata;
	bool reference;
};

/**
 * struct pmu_hardware - the contents of the identification registers of a PMU
 * @family: the family that it belongs to
 * @counters: number of counters that count any event
 * @clocks: number of additional counters that only count the clock
 * @index: the register numbers of the counters, in ascending order
 * @bits: of each counter
 * @halves: the driver must not access both halves of a counter at once
 * @counter_writes: accesses that set a counter
 * @atomic: firmware says that both halves of a counter are read at one instant
 * @stops: all counters stop while one is programmed, and lose the events of that time
 * @global_filter: all counters share one filter
 * @capture: counters can be captured into shadow registers
 * @overflow_capture: an overflow can capture them
 * @msi: it can send MSIs
 * @msi_abort: it indicates that an MSI was aborted
 * @sane: Non-secure software can use it, and the registers conform to the architecture
 * @counter_page: STIMULUS_PAGE_1 if counters and overflow status are on page 1, or 0
 * @event_mask: bits of the event in the register that selects it
 * @control: offset of the register that enables the PMU as a whole
 * @sleep_writes: offsets of registers that a driver writes on suspend after @control
 * @words: number of registers that enable counters; all but the first one have 32 bits
 * @enable: offset of the first register that enables counters
 * @disable: offset of the first register that disables counters
 * @clear_overflow: offset of the register that clears overflow status
 * @take_capture: offset of the register that captures
 */
struct pmu_hardware {
	const struct pmu_family *family;
	unsigned int counters;
	unsigned int clocks;
	__u16 index[PMU_MAX_COUNTERS];
	unsigned int bits;
	bool halves;
	bool atomic;
	bool stops;
	unsigned int counter_writes;
	bool global_filter;
	bool capture;
	bool overflow_capture;
	bool msi;
	bool msi_abort;
	bool sane;
	__u32 counter_page;
	__u32 event_mask;
	__u32 control;
	__u32 sleep_writes[2];
	unsigned int words;
	__u32 enable;
	__u32 disable;
	__u32 clear_overflow;
	__u32 take_capture;
};

/**
 * struct pmu_family - everything that generic tests need to know about a family of PMUs
 * @what: name for messages
 * @prefixes: prefixes of the names of PMUs; the last one is NULL
 * @module: module of the driver
 * @reference: the kernel's own driver
 * @event: see struct pmu
 * @other_event: see struct pmu
 * @clock: see struct pmu
 * @undefined_event: number that is refused by all PMUs of the family
 * @quiesce: function of the driver that stops using the hardware
 * @locate: find the address of a PMU, and what is special about it
 * @log_word: a word that is in all messages about a PMU, however they name it
 * @errata: see struct pmu; optional
 * @halves: see struct pmu_hardware; optional
 * @writes_halves: counters larger than 32 bits are always written in halves
 * @calm: undo what a test may have set that is specific to the family; optional
 *
 * @filter: make an event only count those of one source; optional, and an error if a PMU has no
 *	such filter
 * @random_filter: fill in any filter, valid or not; optional
 * @refused_filter: fill in a filter that must be refused, false if there is none; optional
 * @refuses_filter: whether the filter of an event must be refused; optional
 * @counts_source: whether an event with this filter can count events of a source; optional
 *
 * @nth_event: the n-th event number that can be filtered; the last ones repeat
 * @refuses_event: whether an event number must be refused
 * @identify: read the identification registers of the selected instance
 * @counter_register: offset of a counter
 * @shadows: number of shadow registers, with @capture of struct pmu_hardware
 * @shadow_register: offset of one of them
 * @event_register: offset of the register that selects its event
 * @programmed: config_base and event_base in the tracepoint when a counter is programmed
 * @is_enabled: peek at whether a counter is enabled
 * @overflow_status: peek at the overflow status
 * @raises_irq: whether the instance may raise interrupts
 * @overflow_raises_irq: whether it is enabled, and an overflow of an enabled counter raises one
 * @not_quiet: name of a register because of which it still counts or interrupts, or NULL
 * @poison: write ones to all registers, and make it count, overflow and interrupt
 */
struct pmu_family {
	const char *what;
	const char * const *prefixes;
	const char *module;
	const struct reference_driver *reference;
	unsigned int event;
	unsigned int other_event;
	__u64 clock;
	__u64 undefined_event;
	const char *quiesce;
	void (*locate)(struct pmu *pmu);
	const char *(*log_word)(const struct pmu *pmu);
	unsigned int (*errata)(void);
	bool (*halves)(const struct pmu *pmu);
	bool writes_halves;
	void (*calm)(struct stimulus *stimulus);

	int (*filter)(const struct pmu *pmu, struct perf_event_attr *attr, __u32 source);
	void (*random_filter)(const struct pmu *pmu, struct perf_event_attr *attr, __u64 *random);
	bool (*refused_filter)(const struct pmu *pmu, struct stimulus *stimulus,
			       struct perf_event_attr *attr, __u64 *random);
	bool (*refuses_filter)(const struct pmu *pmu, struct stimulus *stimulus,
			       const struct perf_event_attr *attr);
	bool (*counts_source)(const struct pmu *pmu, const struct perf_event_attr *attr,
			      __u32 source);

	unsigned int (*nth_event)(struct stimulus *stimulus, unsigned int n);
	bool (*refuses_event)(struct stimulus *stimulus, __u64 event);
	void (*identify)(struct stimulus *stimulus, struct pmu_hardware *hardware);
	__u32 (*counter_register)(const struct pmu_hardware *hardware, unsigned int counter);
	unsigned int (*shadows)(const struct pmu_hardware *hardware);
	__u32 (*shadow_register)(const struct pmu_hardware *hardware, unsigned int n);
	__u32 (*event_register)(const struct pmu_hardware *hardware, unsigned int counter);
	void (*programmed)(struct stimulus *stimulus, const struct pmu_hardware *hardware,
			   unsigned int counter, __u64 *config_base, __u64 *event_base);
	bool (*is_enabled)(struct stimulus *stimulus, const struct pmu_hardware *hardware,
			   unsigned int counter);
	__u64 (*overflow_status)(struct stimulus *stimulus, const struct pmu_hardware *hardware);
	bool (*raises_irq)(struct stimulus *stimulus);
	bool (*overflow_raises_irq)(struct stimulus *stimulus);
	const char *(*not_quiet)(struct stimulus *stimulus);
	void (*poison)(const struct pmu_hardware *hardware, void *page_0, void *counter_page);
};

/* The families that a program tests; the last one is NULL. */
extern const struct pmu_family * const pmu_families[];

/**
 * struct pmu_count - the result of read() for one event
 * @value: events counted
 * @enabled: nanoseconds for which the event was enabled
 * @running: nanoseconds for which it had a counter
 */
struct pmu_count {
	__u64 value;
	__u64 enabled;
	__u64 running;
};

int pmu_list(struct pmu *list, int max);
int pmu_find(struct pmu *pmu, const char *name);
int pmu_read_cpu(struct pmu *pmu);
int pmu_follow(struct pmu *pmu);
const char *pmu_log_word(const struct pmu *pmu);

bool pmu_has_counters(const struct pmu *pmu);
unsigned int pmu_files_in(const struct pmu *pmu, const char *name);
int pmu_attribute(const struct pmu *pmu, const char *file, char *text, size_t size);
int pmu_attribute_text(const struct pmu *pmu, const char *file, char *text, size_t size);
bool pmu_interrupt_is(const struct pmu *pmu, const char *kind);
bool pmu_can_interrupt(const struct pmu *pmu);
bool pmu_can_sample(const struct pmu *pmu);
int pmu_format_bits(const struct pmu *pmu, const char *field, char *word, __u64 *mask);
int pmu_unnamed_bits(const struct pmu *pmu, __u64 *unnamed, unsigned int words);
int pmu_set_field(const struct pmu *pmu, struct perf_event_attr *attr,
		  const char *field, __u64 value);
__u64 pmu_field(const struct pmu *pmu, const struct perf_event_attr *attr, const char *field);
int pmu_describe(const struct pmu *pmu, struct perf_event_attr *attr, __u64 event);

void pmu_set_exclude(struct perf_event_attr *attr, unsigned int flags);

int pmu_open_attr(const struct pmu *pmu, struct perf_event_attr *attr, int group_fd);
int pmu_open(const struct pmu *pmu, __u64 event, int group_fd);
int pmu_open_pinned(const struct pmu *pmu, __u64 event);

int pmu_read(int fd, struct pmu_count *count);
__u64 pmu_value(int fd);
int pmu_read_group(int fd, __u64 *values, unsigned int number);

void pmu_identify(const struct pmu *pmu, struct stimulus *stimulus,
		  struct pmu_hardware *hardware);
__u32 pmu_counter_register(const struct pmu_hardware *hardware, unsigned int counter);
__u32 pmu_event_register(const struct pmu_hardware *hardware, unsigned int counter);
__u64 pmu_counter(struct stimulus *stimulus, const struct pmu_hardware *hardware,
		  unsigned int counter);
__u64 pmu_counter_reads(struct stimulus *stimulus, const struct pmu_hardware *hardware);
int pmu_counter_of_event(struct stimulus *stimulus, const struct pmu_hardware *hardware,
			 __u32 event);
unsigned int pmu_enabled_counters(struct stimulus *stimulus, const struct pmu_hardware *hardware);
unsigned int pmu_enabled_words(struct stimulus *stimulus, const struct pmu_hardware *hardware);
__u64 pmu_enables(struct stimulus *stimulus, const struct pmu_hardware *hardware);
__u64 pmu_disables(struct stimulus *stimulus, const struct pmu_hardware *hardware);
__u64 pmu_overflow_status(struct stimulus *stimulus, const struct pmu_hardware *hardware);

#endif
