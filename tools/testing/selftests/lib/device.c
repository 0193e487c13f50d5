// SPDX-License-Identifier: GPL-2.0
/* Platform devices, their registers and interrupts, as described by firmware and the kernel. */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "platform.h"

#define PLATFORM_DEVICES	"/sys/bus/platform/devices"
#define EVENT_SOURCES		"/sys/bus/event_source/devices"
#define PLATFORM_DRIVERS	"/sys/bus/platform/drivers"
#define PLATFORM_PROBE		"/sys/bus/platform/drivers_probe"
#define MEMORY_MAP		"/proc/iomem"
#define INTERRUPTS		"/proc/interrupts"
#define PAGE_LENGTH		4096
#define KNOWN_DEVICES		64

/* A line of the memory map: the address of an area and its owner. */
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

bool device_exists(const char *name)
{
	return name[0] && !access(path_of(PLATFORM_DEVICES "/%s", name), F_OK);
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

/* Find where a platform device of ACPI is. Returns 0 or -ENODEV. */
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

/*
 * Find the platform device that a PMU belongs to. Returns 0 or -ENODEV; always -ENODEV before 6.7.
 */
int device_of_pmu(const char *pmu, char *device, size_t size)
{
	char target[PATH_MAX];

	if (!realpath(path_of(EVENT_SOURCES "/%s/..", pmu), target))
		return -ENODEV;
	snprintf(device, size, "%s", basename(target));
	return device_exists(device) ? 0 : -ENODEV;
}

/* Find the lowest address of the registers of a platform device; 0 or -ENODEV. */
int device_page(const char *device, __u64 *address)
{
	char *end;

	*address = strtoull(device, &end, 16);
	return *end == '.' && device_property_exists(device, "reg") ? 0 :
	       find_address(device, true, address);
}

static bool is_compatible(const char *device, const char *compatible)
{
	char strings[256];
	ssize_t length = read_text(path_of(PLATFORM_DEVICES "/%s/of_node/compatible", device),
				   strings, sizeof(strings));

	/* Each string is terminated by a zero. */
	return length > 0 && memmem(strings, length + 1, compatible, strlen(compatible) + 1);
}

static int compare_addresses(const void *a, const void *b)
{
	__u64 left = *(const __u64 *)a, right = *(const __u64 *)b;

	return (left > right) - (left < right);
}

/*
 * The address of the n-th device with a compatible string, in the order of their addresses, or 0.
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

/*
 * Find the platform device at an address. The search takes long, and a device keeps its name: tests
 * inherit the result of the harness. Returns 0 or -ENODEV.
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

/* Make a driver probe a device. */
int device_bind(const char *driver, const char *device)
{
	return write_text(path_of(PLATFORM_DRIVERS "/%s/bind", driver), device);
}

/* Unbind a device from its driver. */
int device_unbind(const char *driver, const char *device)
{
	return write_text(path_of(PLATFORM_DRIVERS "/%s/unbind", driver), device);
}

/* No driver is found for the device until device_probe(). */
int device_hide(const char *device)
{
	return write_text(path_of(PLATFORM_DEVICES "/%s/driver_override", device), "none");
}

int device_probe(const char *device)
{
	int err = write_text(path_of(PLATFORM_DEVICES "/%s/driver_override", device), "\n");

	return err ?: write_text(PLATFORM_PROBE, device);
}

/* Whether a device has a driver. */
bool device_is_bound(const char *device)
{
	return !access(path_of(PLATFORM_DEVICES "/%s/driver", device), F_OK);
}

/* Whether sysfs can bind and unbind a driver. */
bool driver_can_unbind(const char *driver)
{
	return !access(path_of(PLATFORM_DRIVERS "/%s/unbind", driver), W_OK);
}

/*
 * Whether a device's devicetree node has a property. Returns true if it has; false if there is no
 * devicetree.
 */
bool device_property_exists(const char *device, const char *property)
{
	return !access(path_of(PLATFORM_DEVICES "/%s/of_node/%s", device, property), F_OK);
}

/*
 * A number in a property of a device's devicetree node, or @otherwise if there is no such property.
 */
__u32 device_property(const char *device, const char *property, unsigned int cell, __u32 otherwise)
{
	int fd = open(path_of(PLATFORM_DEVICES "/%s/of_node/%s", device, property),
		      O_RDONLY | O_CLOEXEC);
	__u32 value;

	if (fd < 0)
		return otherwise;
	if (pread(fd, &value, sizeof(value), cell * sizeof(value)) == sizeof(value))
		otherwise = be32toh(value);
	close(fd);
	return otherwise;
}

/*
 * Whether a device has an interrupt that any CPU can take. Returns false for a private interrupt of
 * a CPU, and if there is no devicetree.
 */
bool device_has_shared_interrupt(const char *device)
{
	/* The first cell for the GIC: 0 for an SPI, 1 for a PPI. */
	return !device_property(device, "interrupts", 0, 1);
}

/* Whether the interrupt of a device is level-sensitive. */
bool device_has_level_interrupt(const char *device)
{
	char type[16];

	/* The last cell for the GIC: IRQ_TYPE_LEVEL_HIGH. */
	if (device_property_exists(device, "interrupts"))
		return device_property(device, "interrupts", 2, 0) == 4;
	return read_text(path_of("/sys/kernel/irq/%d/type", irq_of_device(device)), type,
			 sizeof(type)) > 0 && !strncmp(type, "level", strlen("level"));
}

/*
 * Interrupts that a CPU, or with -1 all CPUs, have handled for a device. Handlers that share a line
 * share this number.
 */
__u64 device_interrupts(const char *device, int cpu)
{
	char line[4096], *position;
	FILE *file = fopen(INTERRUPTS, "r");
	int cpus[256], column, columns = 0;
	__u64 total = 0, number;

	if (!file)
		return 0;
	/* The first line has the CPUs of the columns. */
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

/* Map registers that are not used by a driver. */
void *page_map(__u64 address)
{
	/* Pages of the kernel may be larger. */
	size_t inside = address % sysconf(_SC_PAGESIZE);
	int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	void *page;

	if (fd < 0)
		return NULL;
	page = mmap(NULL, inside + PAGE_LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    address - inside);
	close(fd);
	return page == MAP_FAILED ? NULL : page + inside;
}

/* Undo page_map(). */
void page_unmap(void *page)
{
	size_t inside = (unsigned long)page % sysconf(_SC_PAGESIZE);

	munmap(page - inside, inside + PAGE_LENGTH);
}

/* The first interrupt that is named after a device, or -ENOENT. */
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

/* Read a file of an interrupt in /proc, without the last newline. */
int irq_attribute(int irq, const char *file, char *text, size_t size)
{
	ssize_t length = read_text(path_of("/proc/irq/%d/%s", irq, file), text, size);

	if (length < 0)
		return length;
	if (length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	return 0;
}
