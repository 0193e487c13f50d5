/* SPDX-License-Identifier: GPL-2.0 */
/* The ring buffer to which perf writes the samples of an event. */
#ifndef ARM_SYSPMU_RING_H
#define ARM_SYSPMU_RING_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define RING_MAX_VALUES	64

/* The ring buffer of one event. */
struct ring {
	struct perf_event_mmap_page *control;	/* its first page, NULL if there is none */
	const char *data;	/* the records */
	size_t length;	/* of the mapping */
};

/* A sample with RING_SAMPLE_TYPE. */
struct ring_sample {
	__u64 ip;	/* instruction pointer */
	__u32 cpu;	/* CPU on which it was taken */
	__u64 period;	/* period that has ended */
	__u64 number;	/* of events in the group */
	__u64 values[RING_MAX_VALUES];	/* counts of the group, the leader's first */
};

#define RING_SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
				 PERF_SAMPLE_READ)

/* What the records that have been read say. */
struct ring_tally {
	__u64 samples;	/* number of PERF_RECORD_SAMPLE */
	__u64 throttled;	/* number of PERF_RECORD_THROTTLE, each before the one too many */
	__u64 unthrottled;	/* number of PERF_RECORD_UNTHROTTLE */
	__u64 unpaired;	/* samples but that one, and THROTTLE, while it is throttled */
	bool is_throttled;	/* PERF_RECORD_UNTHROTTLE has not followed yet */
	bool one_too_many;	/* the sample that is one too many has not followed yet */
	__u64 lost;	/* records for which there was no space */
};

int ring_open(struct ring *ring, int fd);
void ring_close(struct ring *ring);
bool ring_next_sample(struct ring *ring, struct ring_tally *tally, struct ring_sample *sample);
bool ring_next_raw(struct ring *ring, void *data, size_t size, size_t *length);
void ring_drain(struct ring *ring, struct ring_tally *tally);

#endif
