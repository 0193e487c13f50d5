/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal declarations of the common part.
 */
#ifndef SYSPMU_PRIVATE_H
#define SYSPMU_PRIVATE_H

#include "syspmu_family.h"

/**
 * struct syspmu_before - what counters counted before a write
 * @counting: the counters that did
 * @counted: what each counter counts while it does
 */
struct syspmu_before {
	struct syspmu_bits counting;
	struct syspmu_counted counted[SYSPMU_MAX_COUNTERS];
};

/**
 * syspmu_before_change() - remember what counters count, before a write
 * @model: the PMU
 * @before: filled in, if changes are late
 */
void syspmu_before_change(const struct syspmu_model *model, struct syspmu_before *before);

/**
 * syspmu_after_change() - give counters that a write changed their late events
 * @model: the PMU
 * @before: from syspmu_before_change()
 */
void syspmu_after_change(struct syspmu_model *model, const struct syspmu_before *before);

/**
 * syspmu_reset_interrupts() - forget interrupts and their counts
 * @model: the PMU; the level of its irq follows from its registers
 */
void syspmu_reset_interrupts(struct syspmu_model *model);

#endif /* SYSPMU_PRIVATE_H */
