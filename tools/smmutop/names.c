// SPDX-License-Identifier: GPL-2.0
/*
 * What administrators call a device: its driver, its disks and network interfaces, its IOMMU group
 * and domain; of a virtual function, the device that it is a part of; and with vfio, the process,
 * such as a virtual machine, that it was given to.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "text.h"

#define PCI	"/sys/bus/pci/devices"
#define VFIO	"/dev/vfio/"

static void add_name(struct device *device, const char *name)
{
	size_t used = strlen(device->names);

	snprintf(device->names + used, sizeof(device->names) - used, "%s%s", used ? "," : "", name);
	copy(device->names, sizeof(device->names), device->names);
}

/* What is below a device in sysfs belongs to it: the nearest device above counts. */
static void name_class(struct machine *machine, const char *class)
{
	char link[PATH_MAX], *slash, *end;
	struct device *device;
	const char *name;

	for_each_name(name, system_path("/sys/class/%s", class)) {
		if (!system_link(system_path("/sys/class/%s/%s", class, name), link,
				 sizeof(link)) ||
		    system_exists(system_path("/sys/class/%s/%s/partition", class, name)))
			continue;
		device = NULL;
		for (end = strrchr(link, '/'); end && !device; end = slash) {
			*end = '\0';
			slash = strrchr(link, '/');
			if (slash)
				device = machine_find_device(machine, slash + 1);
		}
		if (device)
			add_name(device, name);
	}
}

/* Names all devices, again if they have names; the rest is read once for those that are shown. */
void machine_name_devices(struct machine *machine)
{
	struct device *device;

	for_each(device, machine->devices) {
		device->names[0] = '\0';
		device->described = false;
	}
	machine->holders_read = false;
	name_class(machine, "net");
	name_class(machine, "block");
	name_class(machine, "infiniband");
}

static const char *domain_name(const char *type)
{
	if (!strcmp(type, "DMA"))
		return "strict";
	if (!strcmp(type, "DMA-FQ"))
		return "lazy";
	return type;
}

/* Reads links in the directory of a device. False if it is not on this bus, or has none of them. */
static bool read_links(struct device *device, const char *bus)
{
	bool bound = system_link_name(system_path("/sys/bus/%s/devices/%s/driver", bus,
						  device->name),
				      device->driver, sizeof(device->driver));

	return system_link_name(system_path("/sys/bus/%s/devices/%s/iommu_group", bus,
					    device->name),
				device->group, sizeof(device->group)) || bound;
}

/* A virtual function without a name of its own is "eth0 vf3", by its physical function. */
static void name_function(struct machine *machine, struct device *device)
{
	char link[PATH_MAX], physical[NAME_LENGTH], virtual[NAME_LENGTH], name[2 * NAME_LENGTH];
	const struct device *owner;
	unsigned int number = 0;

	if (device->names[0] ||
	    !system_link_name(system_path(PCI "/%s/physfn", device->name), physical,
			      sizeof(physical)))
		return;
	while (system_link_name(system_path(PCI "/%s/virtfn%u", physical, number), virtual,
				sizeof(virtual)) && strcmp(virtual, device->name))
		number++;
	owner = machine_find_device(machine, physical);
	copy(link, sizeof(link), owner && owner->names[0] ? owner->names : physical);
	link[strcspn(link, ",")] = '\0';
	snprintf(name, sizeof(name), "%.40s vf%u", link, number);
	add_name(device, name);
}

/* The argument after an option of a command line, whose arguments end with a 0 each; or NULL. */
static const char *argument_after(const char *line, size_t length, const char *option)
{
	size_t i;

	for (i = 0; i < length; i += strlen(line + i) + 1)
		if (!strcmp(line + i, option) && i + strlen(option) + 1 < length)
			return line + i + strlen(option) + 1;
	return NULL;
}

/* QEMU has "-name guest=web01,debug-threads=on", or the name only. */
static void name_holder(struct holder *holder)
{
	char *line, program[NAME_LENGTH] = "?", name[2 * NAME_LENGTH];
	const char *guest;
	size_t length;

	line = system_read(system_path("/proc/%s/cmdline", holder->process), &length);
	if (line && line[0])
		copy(program, sizeof(program), basename(line));
	guest = line && !strncmp(program, "qemu", 4) ? argument_after(line, length, "-name") : NULL;
	if (guest && !strncmp(guest, "guest=", 6))
		guest += 6;
	if (guest)
		snprintf(name, sizeof(name), "qemu: %.*s", (int)strcspn(guest, ","), guest);
	copy(holder->name, sizeof(holder->name), guest ? name : program);
	free(line);
}

/* Other processes' files can be seen by root only. */
static void find_holders(struct machine *machine)
{
	const char *process, *file;
	char link[PATH_MAX];
	struct holder *holder;

	machine->holders_read = true;
	free(machine->holders);
	machine->holders = NULL;
	machine->holders_number = 0;
	for_each_name(process, system_path("/proc")) {
		if (process[0] < '1' || process[0] > '9')
			continue;
		for_each_name(file, system_path("/proc/%s/fd", process)) {
			if (!system_link(system_path("/proc/%s/fd/%s", process, file), link,
					 sizeof(link)) ||
			    strncmp(link, VFIO, strlen(VFIO)))
				continue;
			holder = append(machine->holders, machine->holders_number);
			copy(holder->file, sizeof(holder->file), link);
			copy(holder->process, sizeof(holder->process), process);
			name_holder(holder);
		}
	}
}

/* The process that has one of these files open, and still exists; or NULL */
static const struct holder *find_holder(const struct machine *machine, const char *group,
					const char *own)
{
	const struct holder *holder;

	for_each(holder, machine->holders)
		if ((!strcmp(holder->file, group) || !strcmp(holder->file, own)) &&
		    system_exists(system_path("/proc/%s", holder->process)))
			return holder;
	return NULL;
}

/*
 * The file of a device is that of its group or, with iommufd, its own. The files of all processes
 * are looked at if nobody is known to have it, and once for all devices: this takes long.
 */
static void name_user(struct machine *machine, struct device *device)
{
	char own[NAME_LENGTH] = "", of_group[NAME_LENGTH];
	const struct holder *holder;
	const char *name;

	snprintf(of_group, sizeof(of_group), VFIO "%s", device->group);
	for_each_name(name, system_path(PCI "/%s/vfio-dev", device->name))
		snprintf(own, sizeof(own), VFIO "devices/%.32s", name);
	holder = find_holder(machine, of_group, own);
	if (!holder && !machine->holders_read) {
		find_holders(machine);
		holder = find_holder(machine, of_group, own);
	}
	if (holder)
		add_name(device, holder->name);
}

static void describe_device(struct machine *machine, struct device *device)
{
	static const char * const buses[] = { "pci", "platform", "fsl-mc", "cdx" };
	char type[NAME_LENGTH];
	size_t i = 0;

	if (device->described)
		return;
	device->described = true;
	device->domain[0] = '\0';
	while (i < ARRAY_SIZE(buses) && !read_links(device, buses[i]))
		i++;
	if (!device->group[0])
		return;
	if (system_read_line(system_path("/sys/kernel/iommu_groups/%s/type", device->group), type,
			     sizeof(type)))
		copy(device->domain, sizeof(device->domain), domain_name(type));
	name_function(machine, device);
	/* The type is that of the default domain, which such a driver leaves. */
	if (strncmp(device->driver, "vfio", 4))
		return;
	copy(device->domain, sizeof(device->domain), "vfio");
	name_user(machine, device);
}

/*
 * Reads the drivers, groups and domains of a row's devices, and who uses them, once. This takes
 * longer than all other discovery, and few of many devices are shown.
 */
void machine_describe_row(struct machine *machine, const struct row *row)
{
	const struct stream *stream;

	for_each(stream, row->streams)
		describe_device(machine, &machine->devices[stream->device]);
}

void machine_describe_devices(struct machine *machine)
{
	struct device *device;

	for_each(device, machine->devices)
		describe_device(machine, device);
}
