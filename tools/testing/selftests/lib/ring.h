/* SPDX-License-Identifier: GPL-2.0 */
/* The ring buffer to which perf writes the samples of an event. */
#ifndef ARM_SYSPMU_RING_H
#define ARM_SYSPMU_RING_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define RING_MAX_VALUES	64

/**
 * struct ring - the ring buffer of one event
 * @control: its first page, NULL if there is none
 * @data: the records
 * @length: of the mapping
 */
struct ring {
	struct perf_event_mmap_page *control;
	const char *data;
	size_t length;
};

/**
 * struct ring_sample - a sample with RING_SAMPLE_TYPE
 * @ip: instruction pointer
 * @cpu: CPU on which it was taken
 * @period: period that has ended
 * @number: of events in the group
 * @values: counts of the group, the leader's first
 */
struct ring_sample {
	__u64 ip;
	__u32 cpu;
	__u64 period;
	__u64 number;
	__u64 values[RING_MAX_VALUES];
};

#define RING_SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
				 PERF_SAMPLE_READ)

/**
 * struct ring_tally - number of records of each kind that have been read
 * @samples: PERF_RECORD_SAMPLE
 * @throttled: PERF_RECORD_THROTTLE
 * @unthrottled: PERF_RECORD_UNTHROTTLE
 * @lost: records for which there was no space
 */
struct ring_tally {
	__u64 samples;
	__u64 throttled;
	__u64 unthrottled;
	__u64 lost;
};

int ring_open(struct ring *ring, int fd);
void ring_close(struct ring *ring);
bool ring_next_sample(struct ring *ring, struct ring_tally *tally, struct ring_sample *sample);
bool ring_next_raw(struct ring *ring, void *data, size_t size, size_t *length);
void ring_drain(struct ring *ring, struct ring_tally *tally);

#endif
