// SPDX-License-Identifier: GPL-2.0
/* Counts what the kernel does: tracepoints, timers of a module, calls of a function. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform.h"
#include "trace_count.h"

#define TRACEPOINTS	"/sys/kernel/tracing/events"
#define KPROBES		"/sys/bus/event_source/devices/kprobe/type"

static int read_number(const char *path, unsigned int *number)
{
	char text[32];

	if (read_text(path, text, sizeof(text)) <= 0)
		return -ENOENT;
	*number = strtoul(text, NULL, 10);
	return 0;
}

static int add_event(struct trace_count *count, struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	count->fds[count->number++] = fd;
	return 0;
}

/* The address of the functions of a module, and the size of the module. */
static int find_module(const char *module, unsigned long long *address, unsigned long long *size)
{
	FILE *file = fopen("/proc/modules", "r");
	char line[512], name[64];
	int error = -ENOENT;

	while (file && error && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %llu %*u %*s Live %llx", name, size, address) == 3 &&
		    !strcmp(name, module))
			error = 0;
	if (file)
		fclose(file);
	return error;
}

/* Count a tracepoint on all CPUs, where the filter applies if there is one. */
int count_tracepoint(struct trace_count *count, const char *name, const char *filter)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	unsigned int id;
	int cpu, error;

	count->number = 0;
	error = read_number(path_of(TRACEPOINTS "/%s/id", name), &id);
	if (error)
		return error;
	attr.config = id;
	for (cpu = 0; cpu < TRACE_COUNT_CPUS; cpu++) {
		if (!cpu_is_online(cpu))
			continue;
		error = add_event(count, &attr, -1, cpu);
		if (!error && filter && ioctl(count->fds[count->number - 1],
					      PERF_EVENT_IOC_SET_FILTER, filter))
			error = -errno;
		if (error)
			return error;
	}
	return 0;
}

/* Count the expirations of all timers of a module. */
int count_timers(struct trace_count *count, const char *module)
{
	unsigned long long address, size;
	char filter[128];

	count->number = 0;
	if (find_module(module, &address, &size))
		return -ENOENT;
	snprintf(filter, sizeof(filter), "function >= %#llx && function < %#llx", address,
		 address + size);
	return count_tracepoint(count, "timer/hrtimer_expire_entry", filter);
}

/* Count the calls of a function of the kernel by this thread, and by children that have ended. */
int count_calls(struct trace_count *count, const char *function)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.kprobe_func = (unsigned long)function,
		.inherit = 1,
	};

	count->number = 0;
	return read_number(KPROBES, &attr.type) ?: add_event(count, &attr, 0, -1);
}

/* How often it has happened, or ~0 if this cannot be read. */
__u64 trace_count_value(const struct trace_count *count)
{
	__u64 total = 0, value;
	unsigned int i;

	for (i = 0; i < count->number; i++) {
		if (read(count->fds[i], &value, sizeof(value)) != sizeof(value))
			return ~0ULL;
		total += value;
	}
	return total;
}

void trace_count_close(struct trace_count *count)
{
	while (count->number)
		close(count->fds[--count->number]);
}
