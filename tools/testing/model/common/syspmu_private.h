/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal declarations of the common part.
 */
#ifndef SYSPMU_PRIVATE_H
#define SYSPMU_PRIVATE_H

#include "syspmu_family.h"

/* Drop pending interrupts, and reset their counts. The level of the irq follows from registers. */
void syspmu_reset_interrupts(struct syspmu_model *model);

/* Drive the irq to its level; low without power. */
void syspmu_drive_level(struct syspmu_model *model);

#endif /* SYSPMU_PRIVATE_H */
