// SPDX-License-Identifier: GPL-2.0
/* CPUs, modules and platform devices that a test takes away and brings back. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform.h"

#define CPU_DIRECTORY		"/sys/devices/system/cpu"
#define PLATFORM_DEVICES	"/sys/bus/platform/devices"
#define PLATFORM_DRIVERS	"/sys/bus/platform/drivers"

/**
 * write_text() - write to a file of the kernel
 * @path: of the file
 * @text: to write
 *
 * Return: 0 or the negative errno of the write.
 */
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

/**
 * cpu_is_online() - whether a CPU runs
 * @cpu: number
 *
 * Return: true for one without an online file too: it cannot be stopped.
 */
bool cpu_is_online(int cpu)
{
	char path[PATH_MAX], state = '1';
	int fd;

	snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%d", cpu);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%d/online", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	if (read(fd, &state, 1) != 1)
		state = '0';
	close(fd);
	return state == '1';
}

/**
 * cpu_can_go_offline() - whether a CPU can be stopped
 * @cpu: number
 *
 * Return: true if it has an online file.
 */
bool cpu_can_go_offline(int cpu)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%d/online", cpu);
	return !access(path, W_OK);
}

/**
 * cpu_set_online() - start or stop a CPU
 * @cpu: number
 * @online: true to start it
 *
 * Return: 0 or a negative errno.
 */
int cpu_set_online(int cpu, bool online)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%d/online", cpu);
	return write_text(path, online ? "1" : "0");
}

/**
 * cpu_other_than() - find another CPU that runs
 * @cpu: not this one
 *
 * Return: its number or -1.
 */
int cpu_other_than(int cpu)
{
	int other, number = sysconf(_SC_NPROCESSORS_CONF);

	for (other = 0; other < number; other++)
		if (other != cpu && cpu_is_online(other))
			return other;
	return -1;
}

/**
 * cpu_all_online() - start every CPU that has been stopped
 *
 * Return: 0 or a negative errno.
 */
int cpu_all_online(void)
{
	int cpu, error = 0, number = sysconf(_SC_NPROCESSORS_CONF);

	for (cpu = 0; cpu < number; cpu++)
		if (!cpu_is_online(cpu) && cpu_can_go_offline(cpu))
			error = cpu_set_online(cpu, true) ?: error;
	return error;
}

/**
 * device_at() - find the platform device at an address
 * @address: of its registers, which devicetree devices are named after
 * @name: receives its name
 * @size: of @name
 *
 * Return: 0 or -ENODEV.
 */
int device_at(__u64 address, char *name, size_t size)
{
	DIR *directory = opendir(PLATFORM_DEVICES);
	struct dirent *entry;
	char prefix[32];
	int error = -ENODEV;

	if (!directory)
		return error;
	snprintf(prefix, sizeof(prefix), "%llx.", address);
	while (error && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(name, size, "%s", entry->d_name);
		error = 0;
	}
	closedir(directory);
	return error;
}

/**
 * device_bind() - have a driver probe a device
 * @driver: name
 * @device: name
 *
 * Return: 0 or a negative errno.
 */
int device_bind(const char *driver, const char *device)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), PLATFORM_DRIVERS "/%s/bind", driver);
	return write_text(path, device);
}

/**
 * device_unbind() - take a device from its driver
 * @driver: name
 * @device: name
 *
 * Return: 0 or a negative errno.
 */
int device_unbind(const char *driver, const char *device)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), PLATFORM_DRIVERS "/%s/unbind", driver);
	return write_text(path, device);
}

/**
 * driver_can_unbind() - whether sysfs can bind and unbind a driver
 * @driver: name
 *
 * Return: true if its directory has the files for that.
 */
bool driver_can_unbind(const char *driver)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), PLATFORM_DRIVERS "/%s/unbind", driver);
	return !access(path, W_OK);
}

/**
 * module_of_driver() - which module a driver is in
 * @driver: name
 * @module: receives the module's name
 * @size: of @module
 *
 * Return: 0, or a negative errno where it is built in.
 */
int module_of_driver(const char *driver, char *module, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), PLATFORM_DRIVERS "/%s/module", driver);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	snprintf(module, size, "%s", basename(target));
	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", module);
	return access(path, F_OK) ? -errno : 0;
}

/**
 * module_remove() - unload a module
 * @module: name
 *
 * Return: 0 or a negative errno, -EWOULDBLOCK where it is in use.
 */
int module_remove(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

/**
 * module_load() - load a module and what it depends on
 * @module: name
 *
 * Return: 0, or -EIO where modprobe has failed.
 */
int module_load(const char *module)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (!child) {
		execlp("modprobe", "modprobe", module, NULL);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child)
		return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}
