// SPDX-License-Identifier: GPL-2.0
/* Files of the kernel, CPUs, power, timers, modules and processes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform.h"

#define CPU_DIRECTORY		"/sys/devices/system/cpu"
#define PLATFORM_DRIVERS	"/sys/bus/platform/drivers"

/* The path of a file, as for printf(); it is valid until the next call by this thread. */
const char *path_of(const char *format, ...)
{
	static __thread char path[PATH_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return path;
}

/* Whether a text has this word, between spaces, commas or line ends. */
bool has_word(const char *text, const char *word)
{
	const char *found = text;
	size_t length = strlen(word);

	while ((found = strstr(found, word))) {
		if ((found == text || strchr(" ,", found[-1])) && strchr(" ,\n", found[length]))
			return true;
		found += length;
	}
	return false;
}

/* Write to a file of the kernel. Returns 0 or the negative errno of the write. */
int write_text(const char *path, const char *text)
{
	int error = 0, fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

/*
 * Samples per second after which perf throttles an event. It can only be set while perf limits the
 * time that samples take, and perf lowers it again if a slow one ends then. A handler that still
 * runs on another CPU, as that of the last sample may, has to end before.
 */
int set_max_sample_rate(const char *rate)
{
	char now[32];
	int err;

	do {
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
		err = write_text(MAX_SAMPLE_TIME, "25") ?: write_text(MAX_SAMPLE_RATE, rate);
		err = write_text(MAX_SAMPLE_TIME, "0") ?: err;
		if (!err && read_text(MAX_SAMPLE_RATE, now, sizeof(now)) < 0)
			err = -EIO;
	} while (!err && atoi(now) != atoi(rate));
	return err;
}

static char former_rate[32], former_time[8];

void keep_sample_limits(void)
{
	if (read_text(MAX_SAMPLE_RATE, former_rate, sizeof(former_rate)) < 0 ||
	    read_text(MAX_SAMPLE_TIME, former_time, sizeof(former_time)) < 0)
		former_rate[0] = '\0';
}

/* As they were, if they were kept. */
int restore_sample_limits(void)
{
	if (!former_rate[0])
		return 0;
	return set_max_sample_rate(former_rate) ?: write_text(MAX_SAMPLE_TIME, former_time);
}

bool kernel_is_before(unsigned int version, unsigned int patchlevel)
{
	unsigned int here[2];
	struct utsname names;

	if (uname(&names) || sscanf(names.release, "%u.%u", &here[0], &here[1]) != 2)
		return false;
	return here[0] < version || (here[0] == version && here[1] < patchlevel);
}

/*
 * Read the beginning of a file of the kernel. Returns the length of the text, or a negative errno.
 */
ssize_t read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t part = 1;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	while (part > 0 && length < size - 1) {
		part = read(fd, text + length, size - 1 - length);
		length += part > 0 ? part : 0;
	}
	if (part < 0 && !length)
		part = -errno;
	close(fd);
	text[length] = '\0';
	return part < 0 && !length ? part : (ssize_t)length;
}

/* Count the files in a directory. */
unsigned int files_in(const char *path)
{
	DIR *directory = opendir(path);
	unsigned int number = 0;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		number += entry->d_name[0] != '.';
	if (directory)
		closedir(directory);
	return number;
}

/* A CPU without an online file is online, too: it cannot go offline. */
bool cpu_is_online(int cpu)
{
	char state[8];

	if (access(path_of(CPU_DIRECTORY "/cpu%d", cpu), F_OK))
		return false;
	return read_text(path_of(CPU_DIRECTORY "/cpu%d/online", cpu), state, sizeof(state)) ==
	       -ENOENT || state[0] == '1';
}

/* Whether a CPU can be taken offline. */
bool cpu_can_go_offline(int cpu)
{
	return !access(path_of(CPU_DIRECTORY "/cpu%d/online", cpu), W_OK);
}

/* Take a CPU online or offline. */
int cpu_set_online(int cpu, bool online)
{
	return write_text(path_of(CPU_DIRECTORY "/cpu%d/online", cpu), online ? "1" : "0");
}

/* Another CPU that is online, or -1. */
int cpu_other_than(int cpu)
{
	int other, number = sysconf(_SC_NPROCESSORS_CONF);

	for (other = 0; other < number; other++)
		if (other != cpu && cpu_is_online(other))
			return other;
	return -1;
}

/* Whether a CPU is in a list such as 0-2,5. */
bool cpu_is_listed(const char *list, int cpu)
{
	int first, last, used;

	while (sscanf(list, "%d%n", &first, &used) == 1) {
		list += used;
		last = first;
		if (sscanf(list, "-%d%n", &last, &used) == 1)
			list += used;
		if (cpu >= first && cpu <= last)
			return true;
		if (*list++ != ',')
			break;
	}
	return false;
}

/* Take every CPU online. */
int cpu_all_online(void)
{
	int cpu, error = 0, number = sysconf(_SC_NPROCESSORS_CONF);

	for (cpu = 0; cpu < number; cpu++)
		if (!cpu_is_online(cpu) && cpu_can_go_offline(cpu))
			error = cpu_set_online(cpu, true) ?: error;
	return error;
}

/*
 * Run this thread on only one CPU. The interrupt of a PMU is taken by the CPU that owns the PMU. A
 * test that runs on this CPU is interrupted by an overflow before its next step.
 */
int cpu_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

#define POWER_STATE	"/sys/power/state"
#define POWER_TEST	"/sys/power/pm_test"
#define POWER_DELAY	"/sys/module/suspend/parameters/pm_test_delay"

/*
 * Whether devices can be suspended without suspending the machine. Returns true with
 * CONFIG_PM_SLEEP_DEBUG and the necessary privilege.
 */
bool power_can_suspend(void)
{
	return !access(POWER_TEST, W_OK) && !access(POWER_DELAY, W_OK);
}

/* Suspend all devices, including interrupts, and resume them at once. */
int power_suspend(void)
{
	int error = write_text(POWER_TEST, "platform");

	if (!error)
		error = write_text(POWER_DELAY, "0") ?: write_text(POWER_STATE, "freeze");
	return write_text(POWER_TEST, "none") ?: error;
}

static int find_timer(const char *function, long long *left)
{
	FILE *file = fopen("/proc/timer_list", "r");
	char line[256];
	int found = 0;
	const char *in;

	if (!file)
		return -errno;
	while (!found && fgets(line, sizeof(line), file)) {
		if (!strstr(line, function) || !fgets(line, sizeof(line), file))
			continue;
		in = strstr(line, "[in ");
		found = in && (!left || sscanf(in, "[in %lld", left) == 1);
	}
	fclose(file);
	return found;
}

/*
 * Whether a timer of the kernel is pending, and how many nanoseconds are left; negative: it is
 * overdue. The kernel prints the list of its timers while they change: a timer that is set again
 * can be missed, but not in all of several lists. -errno if the kernel does not have the list.
 */
int kernel_has_timer(const char *function, long long *left)
{
	unsigned int lists;
	int found = 0;

	for (lists = 0; !found && lists < 20; lists++)
		found = find_timer(function, left);
	return found;
}

/* The last part of what a symbolic link names; empty if there is no such link. */
int name_of_link(const char *link, char *name, size_t size)
{
	char target[PATH_MAX];
	ssize_t length = readlink(link, target, sizeof(target) - 1);

	name[0] = '\0';
	if (length < 0)
		return -errno;
	target[length] = '\0';
	snprintf(name, size, "%s", basename(target));
	return 0;
}

/* Find the module of a driver; a negative errno if it is built in. */
int module_of_driver(const char *driver, char *module, size_t size)
{
	int error = name_of_link(path_of(PLATFORM_DRIVERS "/%s/module", driver), module, size);

	if (error)
		return error;
	return access(path_of("/sys/module/%s/refcnt", module), F_OK) ? -errno : 0;
}

/* Unload a module; -EWOULDBLOCK if it is in use. */
int module_remove(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

/* Loads a module with one parameter, or with none, and its dependencies. */
int module_load_with(const char *module, const char *parameter)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (!child) {
		execlp("modprobe", "modprobe", module, parameter, NULL);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child)
		return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

int module_load(const char *module)
{
	return module_load_with(module, NULL);
}

/* Read a number from the environment; @otherwise if there is none or it is 0. */
unsigned long environment_number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && strtoul(text, NULL, 0) ? strtoul(text, NULL, 0) : otherwise;
}

/* Whether a child has ended, or there is no such child. It is not reaped. */
bool process_has_ended(pid_t process)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, process, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/*
 * Whether a process waits for the lock of CPU hotplug, or, to take a CPU offline on Linux 6.12 and
 * newer, for a work that does.
 */
bool process_waits_for_hotplug(pid_t process)
{
	char text[64];

	return read_text(path_of("/proc/%d/wchan", process), text, sizeof(text)) > 0 &&
	       (strstr(text, "percpu") || strstr(text, "flush_work"));
}

/* Wait until a child has ended, or @stop returns true. Returns whether it has ended. */
bool process_await(pid_t process, unsigned int timeout_ms, bool (*stop)(void *data), void *data)
{
	const unsigned int step_ms = 10;
	unsigned int waited_ms;

	for (waited_ms = 0; waited_ms < timeout_ms; waited_ms += step_ms) {
		if (process_has_ended(process))
			return true;
		if (stop(data))
			return false;
		usleep(1000 * step_ms);
	}
	return process_has_ended(process);
}
