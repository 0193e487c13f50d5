/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal declarations of the common part.
 */
#ifndef SYSPMU_PRIVATE_H
#define SYSPMU_PRIVATE_H

#include "syspmu_family.h"

/**
 * syspmu_reset_interrupts() - forget interrupts and their counts
 * @model: the PMU; the level of its irq follows from its registers
 */
void syspmu_reset_interrupts(struct syspmu_model *model);

/**
 * syspmu_drive_level() - have the irq follow its level, which nothing drives without power
 * @model: the PMU
 */
void syspmu_drive_level(struct syspmu_model *model);

#endif /* SYSPMU_PRIVATE_H */
