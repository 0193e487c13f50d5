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

#define PMU_MAX			256
#define PMU_NAME_LENGTH		64
#define PMU_MAX_COUNTERS	256

/* The source of events without a filter, on PMUs that have one. */
#define SOURCE			0x8

/* Flags of perf_event_attr that exclude something. */
#define PMU_EXCLUDE_FLAGS	6

/* A count that no test reaches: the result of pmu_value() if a read fails. */
#define PMU_NO_VALUE		(~0ULL)

/* Known errata of the PMUs of a machine. */
#define PMU_COUNTERS_ARE_READ_ONLY	0x1U
/* The driver changes their event. */
#define PMU_DISABLED_COUNTERS_COUNT	0x2U

struct pmu_family;

/* A registered PMU. */
struct pmu {
	const struct pmu_family *family;
	char name[PMU_NAME_LENGTH];
	char device[PMU_NAME_LENGTH];	/* name of its platform device, empty if it is not known */
	char driver[PMU_NAME_LENGTH];	/* driver of @device, empty if it is not known */
	__u64 page;	/* physical address of register page 0 */
	__u32 type;	/* for perf_event_attr.type */
	int cpu;	/* CPU that owns it */
	unsigned int event;	/* number of an event that the stimulus can inject */
	unsigned int other_event;	/* another one */
	__u64 clock;	/* number of an event that may count by itself */
	bool filters;	/* events can be filtered by their source */
	__u32 source;	/* a source whose events are counted without a filter */
	/* The field "filter" of an event that counts those of all sources */
	__u32 all_sources;
	unsigned int errata;	/* PMU_COUNTERS_ARE_READ_ONLY and so on */
	bool reference;	/* the driver is the reference driver of the family */
};

/* The contents of the identification registers of a PMU. */
struct pmu_hardware {
	const struct pmu_family *family;
	unsigned int counters;	/* number of counters that count any event */
	unsigned int clocks;	/* number of additional counters that only count the clock */
	/* The register numbers of the counters, in ascending order */
	__u16 index[PMU_MAX_COUNTERS];
	unsigned int bits;	/* of each counter */
	bool halves;	/* the driver must not access both halves of a counter at once */
	bool atomic;	/* firmware says that both halves of a counter are read at one instant */
	/* All counters stop while one is programmed, and lose the events of that time */
	bool stops;
	unsigned int counter_writes;	/* accesses that set a counter */
	bool global_filter;	/* all counters share one filter */
	bool capture;	/* counters can be captured into shadow registers */
	bool overflow_capture;	/* an overflow can capture them */
	bool msi;	/* it can send MSIs */
	bool msi_abort;	/* it indicates that an MSI was aborted */
	/* Non-secure software can use it, and the registers conform to the architecture */
	bool sane;
	/* STIMULUS_PAGE_1 if counters and overflow status are on page 1, or 0 */
	__u32 counter_page;
	__u32 event_mask;	/* bits of the event in the register that selects it */
	__u32 control;	/* offset of the register that enables the PMU as a whole */
	/* Number of registers that enable counters; all but the first one have 32 bits */
	unsigned int words;
	__u32 enable;	/* offset of the first register that enables counters */
	__u32 disable;	/* offset of the first register that disables counters */
	__u32 clear_overflow;	/* offset of the register that clears overflow status */
	__u32 take_capture;	/* offset of the register that captures */
};

/* Everything that generic tests need to know about a family of PMUs. */
struct pmu_family {
	const char *what;	/* name for messages */
	const char * const *prefixes;	/* prefixes of the names of PMUs; the last one is NULL */
	const char *module;	/* module of the driver */
	const struct reference_driver *reference;	/* the kernel's own driver */
	unsigned int event;	/* see struct pmu */
	unsigned int other_event;	/* see struct pmu */
	__u64 clock;	/* see struct pmu */
	__u64 undefined_event;	/* number that is refused by all PMUs of the family */
	const char *quiesce;	/* function of the driver that stops using the hardware */
	/* Find the address of a PMU, and what is special about it */
	void (*locate)(struct pmu *pmu);
	/* A word that is in all messages about a PMU, however they name it */
	const char *(*log_word)(const struct pmu *pmu);
	unsigned int (*errata)(void);	/* see struct pmu; optional */
	bool (*halves)(const struct pmu *pmu);	/* see struct pmu_hardware; optional */
	bool writes_halves;	/* counters larger than 32 bits are always written in halves */
	/* Undo what a test may have set that is specific to the family; optional */
	void (*calm)(struct stimulus *stimulus);

	/*
	 * Make an event only count those of one source; optional, and an error if a PMU has no such
	 * filter
	 */
	int (*filter)(const struct pmu *pmu, struct perf_event_attr *attr, __u32 source);
	/* Fill in any filter, valid or not; optional */
	void (*random_filter)(const struct pmu *pmu, struct perf_event_attr *attr, __u64 *random);
	/* Fill in a filter that must be refused, false if there is none; optional */
	bool (*refused_filter)(const struct pmu *pmu, struct stimulus *stimulus,
			       struct perf_event_attr *attr, __u64 *random);
	/* Whether the filter of an event must be refused; optional */
	bool (*refuses_filter)(const struct pmu *pmu, struct stimulus *stimulus,
			       const struct perf_event_attr *attr);
	/* Whether an event with this filter can count events of a source; optional */
	bool (*counts_source)(const struct pmu *pmu, const struct perf_event_attr *attr,
			      __u32 source);

	/* The n-th event number that can be filtered; the last ones repeat */
	unsigned int (*nth_event)(struct stimulus *stimulus, unsigned int n);
	/* Whether an event number must be refused */
	bool (*refuses_event)(struct stimulus *stimulus, __u64 event);
	/* Read the identification registers of the selected instance */
	void (*identify)(struct stimulus *stimulus, struct pmu_hardware *hardware);
	/* Offset of a counter */
	__u32 (*counter_register)(const struct pmu_hardware *hardware, unsigned int counter);
	/* Number of shadow registers, with @capture of struct pmu_hardware */
	unsigned int (*shadows)(const struct pmu_hardware *hardware);
	/* Offset of one of them */
	__u32 (*shadow_register)(const struct pmu_hardware *hardware, unsigned int n);
	/* Offset of the register that selects its event */
	__u32 (*event_register)(const struct pmu_hardware *hardware, unsigned int counter);
	/* config_base and event_base in the tracepoint when a counter is programmed */
	void (*programmed)(struct stimulus *stimulus, const struct pmu_hardware *hardware,
			   unsigned int counter, __u64 *config_base, __u64 *event_base);
	/* Peek at whether a counter is enabled */
	bool (*is_enabled)(struct stimulus *stimulus, const struct pmu_hardware *hardware,
			   unsigned int counter);
	/* Peek at the overflow status; bit n % 64: counter n */
	__u64 (*overflow_status)(struct stimulus *stimulus, const struct pmu_hardware *hardware);
	/* Whether the instance may raise interrupts */
	bool (*raises_irq)(struct stimulus *stimulus);
	/* Whether it is enabled, and an overflow of an enabled counter raises one */
	bool (*overflow_raises_irq)(struct stimulus *stimulus);
	/* Name of a register because of which it still counts or interrupts, or NULL */
	const char *(*not_quiet)(struct stimulus *stimulus);
	/* Write ones to all registers, and make it count, overflow and interrupt */
	void (*poison)(const struct pmu_hardware *hardware, void *page_0, void *counter_page);
};

/* What a test works on. */
struct machine {
	struct pmu pmu;
	struct stimulus stimulus;
	struct pmu_hardware hardware;
	int mark;	/* in the kernel log */
};

/* The families that a program tests; the last one is NULL. */
extern const struct pmu_family * const pmu_families[];

/* The result of read() for one event. */
struct pmu_count {
	__u64 value;	/* events counted */
	__u64 enabled;	/* nanoseconds for which the event was enabled */
	__u64 running;	/* nanoseconds for which it had a counter */
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
#define PMU_ROTATION	"perf_event_mux_interval_ms"
int pmu_set_rotation(const struct pmu *pmu, const char *ms);
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

int pmu_read(int fd, struct pmu_count *count);
__u64 pmu_value(int fd);
int pmu_read_group(int fd, __u64 *values, unsigned int number);

void pmu_identify(const struct pmu *pmu, struct stimulus *stimulus, struct pmu_hardware *hardware);
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

bool has_interrupt(const struct machine *machine);

#endif
