// SPDX-License-Identifier: GPL-2.0
/* CPUs, modules, platform devices and interrupts that a test looks at or takes away. */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform.h"

#define CPU_DIRECTORY		"/sys/devices/system/cpu"
#define PLATFORM_DEVICES	"/sys/bus/platform/devices"
#define EVENT_SOURCES		"/sys/bus/event_source/devices"
#define PLATFORM_DRIVERS	"/sys/bus/platform/drivers"
#define MEMORY_MAP		"/proc/iomem"
#define INTERRUPTS		"/proc/interrupts"
#define PAGE_LENGTH		4096
#define KNOWN_DEVICES		64

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
 * kernel_is_before() - whether a change of the kernel is still to come
 * @version: of the release that brought it, as the 6 of 6.7
 * @patchlevel: the 7 of 6.7
 *
 * Return: true if this kernel is older.
 */
bool kernel_is_before(unsigned int version, unsigned int patchlevel)
{
	unsigned int here[2];
	struct utsname names;

	if (uname(&names) || sscanf(names.release, "%u.%u", &here[0], &here[1]) != 2)
		return false;
	return here[0] < version || (here[0] == version && here[1] < patchlevel);
}

/**
 * read_text() - read a file of the kernel
 * @path: of the file
 * @text: receives its beginning, terminated; empty where it cannot be read
 * @size: of @text
 *
 * Return: the length of the text, or a negative errno.
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
	close(fd);
	text[length] = '\0';
	return length;
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
 * cpu_pin() - run this thread on one CPU only
 * @cpu: to run on
 *
 * A PMU's interrupt is taken on the PMU's CPU. A test that runs there too is
 * interrupted by an overflow before its next step.
 *
 * Return: 0 or a negative errno.
 */
int cpu_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/* One line of the memory map: where an area is and whose. */
static bool next_area(FILE *map, __u64 *address, char *owner, size_t size)
{
	unsigned long long start;
	char *line = NULL;
	size_t room = 0;
	int position;

	if (getline(&line, &room, map) < 0) {
		free(line);
		return false;
	}
	owner[0] = '\0';
	if (sscanf(line, " %llx-%*x : %n", &start, &position) == 1) {
		*address = start;
		snprintf(owner, size, "%.*s", (int)strcspn(line + position, "\n"), line + position);
	}
	free(line);
	return true;
}

static bool device_exists(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), PLATFORM_DEVICES "/%s", name);
	return name[0] && !access(path, F_OK);
}

/* The lowest address of a device: the one with this name, or the first whose name starts so. */
static int find_address(const char *name, bool whole, __u64 *address)
{
	FILE *map = fopen(MEMORY_MAP, "r");
	int error = -ENODEV;
	char owner[64];
	__u64 area;

	while (map && error && next_area(map, &area, owner, sizeof(owner))) {
		if (strncmp(owner, name, strlen(name)) || (whole && owner[strlen(name)]) ||
		    !device_exists(owner))
			continue;
		*address = area;
		error = 0;
	}
	if (map)
		fclose(map);
	return error;
}

/**
 * device_address() - find where a platform device of ACPI is
 * @hid: start of its name
 * @address: receives the lowest address of its registers; root only
 *
 * Return: 0 or -ENODEV.
 */
int device_address(const char *hid, __u64 *address)
{
	return find_address(hid, false, address);
}

/*
 * Devices of ACPI are numbered; all of them have their registers in the memory map. If firmware
 * describes a page twice, the last line is that of the driver which has it.
 */
static int acpi_device_at(__u64 address, char *name, size_t size)
{
	FILE *map = fopen(MEMORY_MAP, "r");
	int error = -ENODEV;
	char owner[64];
	__u64 area;

	while (map && next_area(map, &area, owner, sizeof(owner))) {
		if (area != address || !device_exists(owner))
			continue;
		snprintf(name, size, "%s", owner);
		error = 0;
	}
	if (map)
		fclose(map);
	return error;
}

/* Devices of a devicetree are named after their address. */
static int devicetree_device_at(__u64 address, char *name, size_t size)
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
 * device_of_pmu() - find the platform device that a PMU belongs to
 * @pmu: name
 * @device: receives its name
 * @size: of @device
 *
 * Return: 0 or -ENODEV, as always before 6.7.
 */
int device_of_pmu(const char *pmu, char *device, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof(path), EVENT_SOURCES "/%s/..", pmu);
	if (!realpath(path, target))
		return -ENODEV;
	snprintf(device, size, "%s", basename(target));
	return device_exists(device) ? 0 : -ENODEV;
}

/**
 * device_page() - find where a platform device is
 * @device: name
 * @address: receives the lowest address of its registers
 *
 * Return: 0 or -ENODEV.
 */
int device_page(const char *device, __u64 *address)
{
	char *end;

	*address = strtoull(device, &end, 16);
	return *end == '.' && device_property_exists(device, "reg") ? 0 :
	       find_address(device, true, address);
}

static bool is_compatible(const char *device, const char *compatible)
{
	char path[PATH_MAX], strings[256];
	ssize_t length;

	snprintf(path, sizeof(path), PLATFORM_DEVICES "/%s/of_node/compatible", device);
	length = read_text(path, strings, sizeof(strings));
	/* The strings end with a zero each. */
	return length > 0 && memmem(strings, length + 1, compatible, strlen(compatible) + 1);
}

static int compare_addresses(const void *a, const void *b)
{
	__u64 left = *(const __u64 *)a, right = *(const __u64 *)b;

	return (left > right) - (left < right);
}

/**
 * device_nth_compatible() - find one of the devices that a driver matches in a devicetree
 * @compatible: that it matches
 * @n: which of them, in the order of their addresses
 *
 * Return: the address of its registers, 0 where there is no such device.
 */
__u64 device_nth_compatible(const char *compatible, unsigned int n)
{
	DIR *directory = opendir(PLATFORM_DEVICES);
	__u64 addresses[KNOWN_DEVICES] = { 0 };
	unsigned int number = 0;
	struct dirent *entry;

	while (directory && number < KNOWN_DEVICES && (entry = readdir(directory)))
		if (is_compatible(entry->d_name, compatible) &&
		    !device_page(entry->d_name, &addresses[number]))
			number++;
	if (directory)
		closedir(directory);
	qsort(addresses, number, sizeof(*addresses), compare_addresses);
	return n < number ? addresses[n] : 0;
}

/**
 * device_at() - find the platform device at an address
 * @address: of its registers
 * @name: receives its name
 * @size: of @name
 *
 * The search is long and a device keeps its name: a test inherits what the harness has
 * found.
 *
 * Return: 0 or -ENODEV.
 */
int device_at(__u64 address, char *name, size_t size)
{
	static struct {
		__u64 address;
		char name[64];
	} known[KNOWN_DEVICES];
	int i, error;

	for (i = 0; i < KNOWN_DEVICES && known[i].address; i++) {
		if (known[i].address == address) {
			snprintf(name, size, "%s", known[i].name);
			return 0;
		}
	}
	error = devicetree_device_at(address, name, size);
	if (error)
		error = acpi_device_at(address, name, size);
	if (!error && i < KNOWN_DEVICES) {
		known[i].address = address;
		snprintf(known[i].name, sizeof(known[i].name), "%s", name);
	}
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
 * device_property_exists() - whether a device's devicetree node has a property
 * @device: name
 * @property: name
 *
 * Return: false where there is no devicetree, too.
 */
bool device_property_exists(const char *device, const char *property)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), PLATFORM_DEVICES "/%s/of_node/%s", device, property);
	return !access(path, F_OK);
}

/**
 * device_property() - a number in a property of a device's devicetree node
 * @device: name
 * @property: name
 * @cell: which of several numbers, from 0
 * @otherwise: what to take where there is no such property
 *
 * Return: the number.
 */
__u32 device_property(const char *device, const char *property, unsigned int cell,
		      __u32 otherwise)
{
	char path[PATH_MAX];
	__u32 value;
	int fd;

	snprintf(path, sizeof(path), PLATFORM_DEVICES "/%s/of_node/%s", device, property);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return otherwise;
	if (pread(fd, &value, sizeof(value), cell * sizeof(value)) == sizeof(value))
		otherwise = be32toh(value);
	close(fd);
	return otherwise;
}

/**
 * device_has_shared_interrupt() - whether a device has an interrupt that any CPU can take
 * @device: name
 *
 * Return: false where there is no devicetree, too, and for the private interrupt of a CPU.
 */
bool device_has_shared_interrupt(const char *device)
{
	/* The first cell of the GIC's: 0 for an SPI, 1 for a PPI. */
	return !device_property(device, "interrupts", 0, 1);
}

/**
 * device_has_level_interrupt() - whether a device's interrupt goes when its reason does
 * @device: name
 *
 * Return: true if it is level-sensitive.
 */
bool device_has_level_interrupt(const char *device)
{
	char path[PATH_MAX], type[16];

	/* The last cell of the GIC's: IRQ_TYPE_LEVEL_HIGH. */
	if (device_property_exists(device, "interrupts"))
		return device_property(device, "interrupts", 2, 0) == 4;
	snprintf(path, sizeof(path), "/sys/kernel/irq/%d/type", irq_of_device(device));
	return read_text(path, type, sizeof(type)) > 0 && !strncmp(type, "level", strlen("level"));
}

static bool has_word(const char *text, const char *word)
{
	const char *found = text;
	size_t length = strlen(word);

	while ((found = strstr(found, word))) {
		if ((found == text || strchr(" ,", found[-1])) &&
		    strchr(" ,\n", found[length]))
			return true;
		found += length;
	}
	return false;
}

/**
 * device_interrupts() - how many interrupts a driver has taken for a device
 * @device: name, which the driver has given to its handlers
 * @cpu: taken there, or -1 for all CPUs
 *
 * Handlers that share a line share its number.
 *
 * Return: the number.
 */
__u64 device_interrupts(const char *device, int cpu)
{
	char line[4096], *position;
	FILE *file = fopen(INTERRUPTS, "r");
	int cpus[256], column, columns = 0;
	__u64 total = 0, number;

	if (!file)
		return 0;
	/* The first line says which CPUs the columns are for. */
	if (fgets(line, sizeof(line), file))
		for (position = line; columns < 256 && (position = strstr(position, "CPU"));)
			cpus[columns++] = strtol(position + 3, &position, 10);
	while (fgets(line, sizeof(line), file)) {
		position = strchr(line, ':');
		if (!position || !has_word(line, device))
			continue;
		position++;
		for (column = 0; column < columns; column++) {
			number = strtoull(position, &position, 10);
			if (cpu < 0 || cpus[column] == cpu)
				total += number;
		}
	}
	fclose(file);
	return total;
}

/**
 * page_map() - map registers that no driver has
 * @address: of their page
 *
 * Return: the mapping or NULL.
 */
void *page_map(__u64 address)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	void *page;

	if (fd < 0)
		return NULL;
	page = mmap(NULL, PAGE_LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, fd, address);
	close(fd);
	return page == MAP_FAILED ? NULL : page;
}

/**
 * page_unmap() - undo page_map()
 * @page: the mapping
 */
void page_unmap(void *page)
{
	munmap(page, PAGE_LENGTH);
}

/**
 * irq_of_device() - find the interrupt that is named after a device
 * @device: name
 *
 * Return: Linux's number of the first one or -ENOENT.
 */
int irq_of_device(const char *device)
{
	FILE *file = fopen(INTERRUPTS, "r");
	int number, irq = -ENOENT;
	char line[1024];

	if (!file)
		return -errno;
	while (irq < 0 && fgets(line, sizeof(line), file))
		if (strstr(line, device) && sscanf(line, "%d:", &number) == 1)
			irq = number;
	fclose(file);
	return irq;
}

/**
 * irq_attribute() - read what the kernel says about an interrupt
 * @irq: Linux's number
 * @file: name below the interrupt's directory in /proc
 * @text: receives the contents without the last newline
 * @size: of @text
 *
 * Return: 0 or a negative errno.
 */
int irq_attribute(int irq, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/irq/%d/%s", irq, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	close(fd);
	if (length < 0)
		return -EIO;
	if (length && text[length - 1] == '\n')
		length--;
	text[length] = '\0';
	return 0;
}

#define POWER_STATE	"/sys/power/state"
#define POWER_TEST	"/sys/power/pm_test"
#define POWER_DELAY	"/sys/module/suspend/parameters/pm_test_delay"

/**
 * power_can_suspend() - whether devices can be suspended without the machine
 *
 * Return: true with CONFIG_PM_SLEEP_DEBUG and the necessary privilege.
 */
bool power_can_suspend(void)
{
	return !access(POWER_TEST, W_OK) && !access(POWER_DELAY, W_OK);
}

/**
 * power_suspend() - suspend all devices, interrupts as well, and resume them at once
 *
 * Return: 0 or a negative errno.
 */
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

/**
 * kernel_has_timer() - whether one of the kernel's timers is pending
 * @function: that it is for
 * @left: receives the nanoseconds until the first one is due, if it is not NULL; negative if
 *	it should have been
 *
 * The kernel lists its timers while they change: one that is set again can be missed, but
 * hardly in so many lists.
 *
 * Return: 1, 0, or a negative errno where the kernel does not tell.
 */
int kernel_has_timer(const char *function, long long *left)
{
	unsigned int lists;
	int found = 0;

	for (lists = 0; !found && lists < 20; lists++)
		found = find_timer(function, left);
	return found;
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

/**
 * environment_number() - read a number from the environment
 * @name: of the variable
 * @otherwise: what to take where there is none, or 0
 *
 * Return: the number.
 */
unsigned long environment_number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && strtoul(text, NULL, 0) ? strtoul(text, NULL, 0) : otherwise;
}

/**
 * process_has_ended() - whether a child has ended
 * @process: of this process; it stays to be waited for
 *
 * Return: true if so, or if there is no such child.
 */
bool process_has_ended(pid_t process)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, process, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/**
 * process_await() - wait until a child has ended
 * @process: of this process; it stays to be waited for
 * @timeout_ms: to wait at most
 * @stop: whether not to wait any longer
 * @data: for @stop
 *
 * Return: true if it has ended.
 */
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
