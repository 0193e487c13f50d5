/* SPDX-License-Identifier: GPL-2.0 */
/* Register accesses of a driver, counted by the model. */
#ifndef ARM_SYSPMU_MMIO_COUNT_H
#define ARM_SYSPMU_MMIO_COUNT_H

#include <linux/types.h>
#include <stddef.h>

#include "stimulus.h"

#define MMIO_GROUP	8

/*
 * The events and filters of a group differ from what its counters counted before, except if a group
 * is enabled again.
 */
enum mmio_operation {
	MMIO_IDLE,
	MMIO_OPEN_CLOSE,
	MMIO_OPEN_GROUP,
	MMIO_ENABLE_GROUP,
	MMIO_READ_GROUP,
	MMIO_DISABLE_GROUP,
	MMIO_ENABLE_GROUP_AGAIN,
	MMIO_ROTATION,
	MMIO_OVERFLOW,
	MMIO_OPERATIONS
};

/* Register accesses of one operation. */
struct mmio_count {
	__u64 reads;	/* read accesses */
	__u64 writes;	/* write accesses */
};

extern const char * const mmio_operation_names[MMIO_OPERATIONS];

struct mmio_count mmio_count_of(struct stimulus *stimulus, __u32 offset);
struct mmio_count mmio_count_now(struct stimulus *stimulus);
int mmio_count_measure(struct mmio_count *counts, char *reason, size_t size);

#endif
