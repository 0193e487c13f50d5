/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds calls and CPUs in the kernel until a test releases them, makes calls fail, sends interrupts
 * to another CPU, shares them, and writes registers at a chosen instant, if the module
 * arm_syspmu_interleave is loaded (tools/testing/modules).
 */
#ifndef ARM_SYSPMU_INTERLEAVE_H
#define ARM_SYSPMU_INTERLEAVE_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

#define NO_INTERLEAVE	"the module arm_syspmu_interleave is not loaded"

/* How another driver uses an interrupt. */
enum irq_sharing {
	IRQ_ALONE,	/* it does not share it */
	IRQ_SHARED,	/* it shares it */
	/* It shares it with drivers that agree to its being masked while a thread runs */
	IRQ_THREADED
};

bool interleave_exists(void);
int call_hold(const char *function);
bool call_is_held(void);
bool call_await(pid_t caller);
void call_release(void);
void call_hold_next(void);
int irq_send_to(int irq, int cpu);
int irq_share(int irq, enum irq_sharing sharing);
void irq_share_end(void);
int call_fail(const char *function);
bool call_has_failed(void);
int call_write(const char *function, __u64 address, __u64 value);
bool call_has_written(void);
int read_write(int cpu, __u64 watched, __u64 address, __u64 value);
int cpu_occupy(int cpu);

#endif
