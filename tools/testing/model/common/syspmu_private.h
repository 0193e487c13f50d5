/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal declarations of the common part.
 */
#ifndef SYSPMU_PRIVATE_H
#define SYSPMU_PRIVATE_H

#include "syspmu_family.h"

/**
 * syspmu_reset_interrupts() - drop pending interrupts and reset their counts
 * @model: the PMU; the level of its irq is derived from its registers
 */
void syspmu_reset_interrupts(struct syspmu_model *model);

/**
 * syspmu_drive_level() - drive the irq to its level; low without power
 * @model: the PMU
 */
void syspmu_drive_level(struct syspmu_model *model);

#endif /* SYSPMU_PRIVATE_H */
