// SPDX-License-Identifier: GPL-2.0
/* Holds calls in the kernel, and sends interrupts to another CPU. */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interleave.h"
#include "platform.h"

#define PARAMETERS	"/sys/module/arm_syspmu_interleave/parameters"

/* Whether the module is loaded. */
bool interleave_exists(void)
{
	return !access(PARAMETERS "/hold", W_OK);
}

/* Make the next call of a kernel function wait. It must be able to sleep. */
int call_hold(const char *function)
{
	return write_text(PARAMETERS "/hold", function);
}

static bool begins_with(const char *path, const char *word)
{
	char text[16];

	return read_text(path, text, sizeof(text)) > 0 && !strncmp(text, word, strlen(word));
}

/* Whether a task waits in this call. */
bool call_is_held(void)
{
	return begins_with(PARAMETERS "/hold", "held");
}

/* Wait until a task waits in this call; false if the process has ended without making it. */
bool call_await(pid_t caller)
{
	do {
		if (call_is_held())
			return true;
		usleep(1000);
	} while (!process_has_ended(caller));
	return call_is_held();
}

/* Release the call, or cancel call_hold(); undo cpu_occupy(). */
void call_release(void)
{
	write_text(PARAMETERS "/release", "1");
}

/* Release a held call, and make the next one wait. */
void call_hold_next(void)
{
	write_text(PARAMETERS "/release", "next");
}

/* Send an interrupt to a CPU, even if user space may not set its affinity. */
int irq_send_to(int irq, int cpu)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d", irq, cpu);
	return write_text(PARAMETERS "/affinity", text);
}

/* Make another CPU turn its interrupts off until call_release(), or for a few seconds. */
int cpu_occupy(int cpu)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", cpu);
	return write_text(PARAMETERS "/occupy", text);
}

/* Let another driver request an interrupt. */
int irq_share(int irq, enum irq_sharing sharing)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d", irq, sharing);
	return write_text(PARAMETERS "/share", text);
}

/* Let the other driver free the interrupt, if it has one. */
void irq_share_end(void)
{
	write_text(PARAMETERS "/share", "-");
}

/* Make the next call of a kernel function return -EINVAL, or the error behind it; "": of none. */
int call_fail(const char *function)
{
	return write_text(PARAMETERS "/fail", *function ? function : "\n");
}

/* Whether the call has been made, or there was no call_fail(). */
bool call_has_failed(void)
{
	return begins_with(PARAMETERS "/fail", "free");
}

/* Write a register, of 64 bits, just before the next call of a kernel function; "": of none. */
int call_write(const char *function, __u64 address, __u64 value)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %llx %llu", function, address, value);
	return write_text(PARAMETERS "/write", *function ? text : "\n");
}

/* Whether the call has been made, or there was no call_write(). */
bool call_has_written(void)
{
	return begins_with(PARAMETERS "/write", "free");
}

#define KPTR_RESTRICT	"/proc/sys/kernel/kptr_restrict"

/* Where the kernel has mapped a register, or 0. The last page of an area guards the next one. */
static __u64 find_mapping(__u64 address)
{
	unsigned long long begin, end, physical;
	FILE *file = fopen("/proc/vmallocinfo", "r");
	__u64 found = 0;
	char line[512];
	const char *at;

	while (file && !found && fgets(line, sizeof(line), file)) {
		at = strstr(line, "phys=");
		if (!at || sscanf(line, "%llx-%llx", &begin, &end) != 2 ||
		    sscanf(at, "phys=%llx", &physical) != 1)
			continue;
		if (address >= physical && address < physical + end - begin - getpagesize())
			found = begin + address - physical;
	}
	if (file)
		fclose(file);
	return found;
}

/* The kernel only shows its addresses with this setting. */
static __u64 mapping_of(__u64 address)
{
	char restricted[16];
	__u64 found;

	if (read_text(KPTR_RESTRICT, restricted, sizeof(restricted)) <= 0 ||
	    write_text(KPTR_RESTRICT, "1"))
		return 0;
	found = find_mapping(address);
	write_text(KPTR_RESTRICT, restricted);
	return found;
}

/*
 * Write a register just before a CPU next reads another one, of 32 bits or more, in the kernel.
 * Returns a file descriptor, to be closed after the read; call_has_written() tells whether it has
 * been read.
 */
int read_write(int cpu, __u64 watched, __u64 address, __u64 value)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_R,
		.bp_addr = mapping_of(watched),
		.bp_len = HW_BREAKPOINT_LEN_4,
		.exclude_user = 1,
	};
	int fd, error;

	if (!attr.bp_addr)
		return -ENXIO;
	/* perf calls this for each watchpoint. */
	error = call_write("perf_bp_event", address, value);
	if (error)
		return error;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
