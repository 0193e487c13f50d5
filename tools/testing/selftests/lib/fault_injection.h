/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault injection for allocations, if the kernel has CONFIG_FAILSLAB and
 * CONFIG_FAULT_INJECTION_DEBUG_FS, and for lookups and requests of a probe, if the module
 * arm_syspmu_faults is loaded (tools/testing/modules).
 */
#ifndef ARM_SYSPMU_FAULT_H
#define ARM_SYSPMU_FAULT_H

#include <stdbool.h>

/* The next fault of the calling thread. */
struct fault {
	int file;	/* file with the kernel's countdown */
	const char *missing;	/* why it is not available */
};

int fault_open(struct fault *fault);
int fault_open_lookups(struct fault *fault);
void fault_close(struct fault *fault);
int fault_arm(struct fault *fault, unsigned int nth);
bool fault_disarm(struct fault *fault, unsigned int *left);

#endif
