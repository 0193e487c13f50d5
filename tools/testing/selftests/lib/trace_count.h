/* SPDX-License-Identifier: GPL-2.0 */
/* Counts what the kernel does: tracepoints, timers of a module, calls of a function. */
#ifndef ARM_SYSPMU_TRACE_COUNT_H
#define ARM_SYSPMU_TRACE_COUNT_H

#include <linux/types.h>

#define TRACE_COUNT_CPUS	8

/* Events of perf that count. */
struct trace_count {
	int fds[TRACE_COUNT_CPUS];	/* one for each CPU, or one for this task */
	unsigned int number;	/* of these */
};

int count_tracepoint(struct trace_count *count, const char *name, const char *filter);
int count_timers(struct trace_count *count, const char *module);
int count_calls(struct trace_count *count, const char *function);
__u64 trace_count_value(const struct trace_count *count);
void trace_count_close(struct trace_count *count);

#endif
