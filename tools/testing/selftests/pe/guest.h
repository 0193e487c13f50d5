/* SPDX-License-Identifier: GPL-2.0 */
/* A guest under KVM, with a PMU, that accesses the registers of PMU snapshots. */
#ifndef ARM_SYSPMU_GUEST_H
#define ARM_SYSPMU_GUEST_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

/* One to a register that each guest has, the others to those of snapshots */
#define GUEST_ACCESSES	7

/* In assembly, in guest.c */
extern const char guest_code[], guest_code_end[];

bool guest_is_possible(void);
pid_t guest_start(__u64 *stored);
bool guest_kill(pid_t *guest);

#endif
