/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds calls in the kernel until a test releases them, makes calls fail, and sends interrupts to
 * another CPU, if the module arm_syspmu_interleave is loaded (tools/testing/modules).
 */
#ifndef ARM_SYSPMU_INTERLEAVE_H
#define ARM_SYSPMU_INTERLEAVE_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

#define NO_INTERLEAVE	"the module arm_syspmu_interleave is not loaded"

bool interleave_exists(void);
int call_hold(const char *function);
bool call_is_held(void);
bool call_await(pid_t caller);
void call_release(void);
int irq_send_to(int irq, int cpu);
int call_fail(const char *function);
bool call_has_failed(void);
int call_write(const char *function, __u64 address, __u64 value);
bool call_has_written(void);

#endif
