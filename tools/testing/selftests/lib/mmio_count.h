/* SPDX-License-Identifier: GPL-2.0 */
/* What a PMCG driver costs: register accesses, as the model has counted them. */
#ifndef ARM_SYSPMU_COST_H
#define ARM_SYSPMU_COST_H

#include <linux/types.h>
#include <stddef.h>

#include "stimulus.h"

#define COST_GROUP	8

/*
 * The groups of an operation have other events and filters than what their
 * counters counted before, except where one is enabled again.
 */
enum cost_operation {
	COST_IDLE,
	COST_OPEN_CLOSE,
	COST_OPEN_GROUP,
	COST_ENABLE_GROUP,
	COST_READ_GROUP,
	COST_DISABLE_GROUP,
	COST_ENABLE_GROUP_AGAIN,
	COST_ROTATION,
	COST_OVERFLOW,
	COST_OPERATIONS
};

/**
 * struct cost - register accesses of one operation
 * @reads: read accesses
 * @writes: write accesses
 */
struct cost {
	__u64 reads;
	__u64 writes;
};

extern const char * const cost_names[COST_OPERATIONS];

struct cost cost_now(struct stimulus *stimulus);
int cost_measure(struct cost *costs, char *reason, size_t size);

#endif
