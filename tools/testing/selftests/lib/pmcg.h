/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the PMUs of SMMUv3 Performance Monitor Counter Groups in sysfs, and
 * opens and reads their events the way perf does: by the names that the PMU's
 * format directory gives to the bits of perf_event_attr.
 */
#ifndef ARM_SYSPMU_PMCG_H
#define ARM_SYSPMU_PMCG_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define PMCG_MAX		64
#define PMCG_NAME_LENGTH	64
#define PMCG_MAX_COUNTERS	64
#define PMCG_ARCHITECTED_NAMES	8

/* Event numbers of IHI 0070 §10.3 that tests need by name. */
#define PMCG_EVENT_CYCLES	0
#define PMCG_EVENT_TRANSACTION	1
#define PMCG_EVENT_TLB_MISS	2

/* A count that no test reaches: what pmcg_value() gives when a read fails. */
#define PMCG_NO_VALUE		(~0ULL)

extern const char * const pmcg_event_names[PMCG_ARCHITECTED_NAMES];

/**
 * struct pmcg - a registered PMCG PMU
 * @name: of the PMU, smmuv3_pmcg_<page>
 * @device: of the platform device behind it, empty where the kernel does not say
 * @driver: bound to @device, empty where the kernel does not say
 * @page: physical address of register page 0
 * @type: for perf_event_attr.type
 * @cpu: that counts it
 * @in_tree: the driver is the kernel's own
 */
struct pmcg {
	char name[PMCG_NAME_LENGTH];
	char device[PMCG_NAME_LENGTH];
	char driver[PMCG_NAME_LENGTH];
	__u64 page;
	__u32 type;
	int cpu;
	bool in_tree;
};

/**
 * struct pmcg_filter - StreamID filter of one event
 * @enable: the filter_enable field
 * @span: the filter_span field
 * @stream_id: the filter_stream_id field
 */
struct pmcg_filter {
	bool enable;
	bool span;
	__u32 stream_id;
};

/**
 * struct pmcg_count - what read() gives for one event
 * @value: events counted
 * @enabled: nanoseconds for which the event was enabled
 * @running: nanoseconds for which it had a counter
 */
struct pmcg_count {
	__u64 value;
	__u64 enabled;
	__u64 running;
};

int pmcg_list(struct pmcg *list, int max);
int pmcg_find(struct pmcg *pmcg, const char *name);
int pmcg_read_cpu(struct pmcg *pmcg);
int pmcg_pin(int cpu);
int pmcg_follow(struct pmcg *pmcg);

bool pmcg_has_event(const struct pmcg *pmcg, unsigned int event);
int pmcg_attribute(const struct pmcg *pmcg, const char *file, char *text, size_t size);
int pmcg_attribute_text(const struct pmcg *pmcg, const char *file, char *text, size_t size);
bool pmcg_interrupt_is(const struct pmcg *pmcg, const char *kind);
bool pmcg_can_interrupt(const struct pmcg *pmcg);
int pmcg_format_bits(const struct pmcg *pmcg, const char *field, char *word, __u64 *mask);
int pmcg_set_field(const struct pmcg *pmcg, struct perf_event_attr *attr,
		   const char *field, __u64 value);
int pmcg_describe(const struct pmcg *pmcg, struct perf_event_attr *attr,
		  unsigned int event, const struct pmcg_filter *filter);

int pmcg_open_attr(const struct pmcg *pmcg, struct perf_event_attr *attr, int group_fd);
int pmcg_open(const struct pmcg *pmcg, unsigned int event, int group_fd);
int pmcg_open_filtered(const struct pmcg *pmcg, unsigned int event,
		       const struct pmcg_filter *filter, int group_fd);
int pmcg_open_pinned(const struct pmcg *pmcg, unsigned int event,
		     const struct pmcg_filter *filter);

int pmcg_read(int fd, struct pmcg_count *count);
__u64 pmcg_value(int fd);
int pmcg_read_group(int fd, __u64 *values, unsigned int number);

#endif
