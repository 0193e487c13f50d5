// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the counter groups, their SMMUs and the devices behind these in sysfs.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "text.h"

#define PMUS	"/sys/bus/event_source/devices"
#define PREFIX	"smmuv3_pmcg_"

/* The last component of a path. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static unsigned int first_cpu(const char *list)
{
	return strtoul(list, NULL, 10);
}

/*
 * The platform device of a PMU is above it in sysfs, except on kernels before 6.8. Files that only
 * one of the drivers has tell there.
 */
static void find_driver(struct pmcg *pmcg)
{
	char link[PATH_MAX], driver[PATH_MAX], *slash;

	if (system_link(system_path(PMUS "/%s", pmcg->name), link, sizeof(link))) {
		slash = strrchr(link, '/');
		if (slash) {
			*slash = '\0';
			if (system_link(system_path("/sys/bus/platform/devices/%s/driver",
						    base_name(link)), driver, sizeof(driver))) {
				copy(pmcg->driver, sizeof(pmcg->driver), base_name(driver));
				copy(pmcg->device, sizeof(pmcg->device), base_name(link));
			}
		}
	}
	if (!pmcg->driver[0])
		copy(pmcg->driver, sizeof(pmcg->driver),
		     system_exists(system_path(PMUS "/%s/interrupt", pmcg->name)) ?
		     "arm_smmuv3_pmcg" : "arm-smmu-v3-pmcg");
}

/* What the driver tells in caps/. What it does not is found out when the first event is opened. */
static void read_caps(struct pmcg *pmcg, int directory)
{
	char line[NAME_LENGTH];
	uint64_t number;

	pmcg->stream_bits = 32;
	pmcg->probed = true;
	if (system_read_number_at(directory, "caps/counter_width", &number))
		pmcg->width = number;
	if (system_read_number_at(directory, "caps/streamid_bits", &number) &&
	    number && number < 32)
		pmcg->stream_bits = number;
	if (!system_read_number_at(directory, "caps/counters", &number))
		return;
	if (!system_read_line_at(directory, "caps/filter", line, sizeof(line)))
		return;
	pmcg->counters = number;
	pmcg->filter_each = !strcmp(line, "each");
	pmcg->probed = false;
}

/* "smmu3.0x000000002b400000" is "smmu3.2b400000". */
static void set_smmu_name(struct smmu *smmu, const char *name)
{
	const char *address = strstr(name, ".0x");
	char *end;

	copy(smmu->name, sizeof(smmu->name), name);
	if (!address)
		return;
	smmu->base = strtoull(address + 3, &end, 16);
	if (!*end)
		snprintf(smmu->name, sizeof(smmu->name), "%.*s.%llx", (int)(address - name), name,
			 (unsigned long long)smmu->base);
}

static void find_smmus(struct machine *machine)
{
	char link[PATH_MAX];
	struct smmu *smmu;
	size_t number, i;
	char **names;

	names = system_list(system_path("/sys/class/iommu"), &number);
	for (i = 0; i < number; i++) {
		if (strncmp(names[i], "smmu3", 5))
			continue;
		machine->smmus = grow(machine->smmus, machine->smmus_number,
				      sizeof(*machine->smmus));
		smmu = &machine->smmus[machine->smmus_number++];
		set_smmu_name(smmu, names[i]);
		if (system_link(system_path("/sys/class/iommu/%s/device", names[i]), link,
				sizeof(link)))
			copy(smmu->device, sizeof(smmu->device), base_name(link));
	}
	system_free_list(names, number);
}

static int add_smmu(struct machine *machine, const char *device)
{
	struct smmu *smmu;

	machine->smmus = grow(machine->smmus, machine->smmus_number, sizeof(*machine->smmus));
	smmu = &machine->smmus[machine->smmus_number];
	copy(smmu->name, sizeof(smmu->name), device);
	copy(smmu->device, sizeof(smmu->device), device);
	return machine->smmus_number++;
}

static void read_pmcg(struct machine *machine, const char *name, int directory)
{
	char line[NAME_LENGTH];
	struct pmcg *pmcg;
	uint64_t number;

	if (!system_read_number_at(directory, "type", &number))
		return;
	machine->pmcgs = grow(machine->pmcgs, machine->pmcgs_number, sizeof(*machine->pmcgs));
	pmcg = &machine->pmcgs[machine->pmcgs_number++];
	copy(pmcg->name, sizeof(pmcg->name), name);
	pmcg->type = number;
	pmcg->smmu = -1;
	pmcg->page = strtoull(name + strlen(PREFIX), NULL, 16) << 12;
	if (system_read_line_at(directory, "cpumask", line, sizeof(line)))
		pmcg->cpu = first_cpu(line);
	if (system_read_number_at(directory, "identifier", &number))
		pmcg->identifier = number;
	copy(pmcg->part, sizeof(pmcg->part), pmcg_part(pmcg->identifier));
	find_driver(pmcg);
	read_caps(pmcg, directory);
	pmcg_read_events(pmcg, directory);
	if (system_read_line_at(directory, "smmu", line, sizeof(line))) {
		pmcg->smmu = machine_find_smmu(machine, line);
		if (pmcg->smmu < 0)
			pmcg->smmu = add_smmu(machine, line);
	}
}

/* It may have vanished since the directory was read. */
static void find_pmcg(struct machine *machine, const char *name)
{
	int directory = system_directory(system_path(PMUS "/%s", name));

	if (directory < 0)
		return;
	read_pmcg(machine, name, directory);
	close(directory);
}

/**
 * machine_find_named_events - read the events that only the details of a device show
 * @machine: it was discovered
 * @smmu: of this SMMU's counter groups; nothing is done if they were read before
 */
void machine_find_named_events(struct machine *machine, size_t smmu)
{
	struct pmcg *pmcg, *end = machine->pmcgs + machine->pmcgs_number;
	int directory;

	for (pmcg = machine->pmcgs; pmcg < end; pmcg++) {
		if (pmcg->smmu != (int)smmu || pmcg->named_read)
			continue;
		pmcg->named_read = true;
		directory = system_directory(system_path(PMUS "/%s", pmcg->name));
		if (directory < 0)
			continue;
		pmcg_read_named_events(pmcg, directory);
		close(directory);
	}
}

/* Whether there is a counter group of this name. */
bool machine_has_pmu(const char *name)
{
	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       system_exists(system_path(PMUS "/%s/type", name));
}

static bool is_wanted(const char *name, char * const *wanted)
{
	if (!wanted || !*wanted)
		return true;
	for (; *wanted; wanted++)
		if (!strcmp(name, *wanted))
			return true;
	return false;
}

static void find_pmcgs(struct machine *machine, char * const *wanted)
{
	size_t number, i;
	char **names;

	names = system_list(system_path(PMUS), &number);
	for (i = 0; i < number; i++)
		if (!strncmp(names[i], PREFIX, strlen(PREFIX)) && is_wanted(names[i], wanted))
			find_pmcg(machine, names[i]);
	system_free_list(names, number);
}

/* One file is enough for an SMMU: each of its counter groups has the same. */
static bool read_streams(struct machine *machine, const struct pmcg *pmcg)
{
	char *all = system_read(system_path(PMUS "/%s/streams", pmcg->name)), *line, *next, *id;

	if (!all)
		return false;
	for (line = all; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		id = strrchr(line, ' ');
		if (!id)
			continue;
		*id++ = '\0';
		machine_add_stream(machine, pmcg->smmu, line, strtoul(id, NULL, 0), false);
	}
	free(all);
	return true;
}

/* StreamIDs as the driver tells them, otherwise by firmware. */
void machine_find_streams(struct machine *machine)
{
	bool told, any = false;
	size_t i, j;

	for (i = 0; i < machine->smmus_number; i++) {
		told = false;
		for (j = 0; j < machine->pmcgs_number && !told; j++)
			if (machine->pmcgs[j].smmu == (int)i)
				told = read_streams(machine, &machine->pmcgs[j]);
		any |= told;
	}
	if (!any)
		firmware_find_streams(machine);
}

/*
 * Counter groups of which nothing tells the SMMU are left out where others are known to belong to
 * one, since they may count the same once more. Otherwise they belong to the only SMMU that there
 * is.
 */
static void assign_smmus(struct machine *machine)
{
	size_t i, known = 0;
	struct pmcg swap;
	int smmu;

	for (i = 0; i < machine->pmcgs_number; i++) {
		if (machine->pmcgs[i].smmu < 0)
			continue;
		swap = machine->pmcgs[known];
		machine->pmcgs[known++] = machine->pmcgs[i];
		machine->pmcgs[i] = swap;
	}
	if (known) {
		for (i = known; i < machine->pmcgs_number; i++)
			free(machine->pmcgs[i].named);
		machine->pmcgs_left_out = machine->pmcgs_number - known;
		machine->pmcgs_number = known;
		return;
	}
	if (!machine->pmcgs_number)
		return;
	smmu = machine->smmus_number == 1 ? 0 : add_smmu(machine, "unknown SMMU");
	for (i = 0; i < machine->pmcgs_number; i++)
		machine->pmcgs[i].smmu = smmu;
}

static const char *domain_name(const char *type)
{
	if (!strcmp(type, "DMA"))
		return "strict";
	if (!strcmp(type, "DMA-FQ"))
		return "lazy";
	return type;
}

static int device_directory(const struct device *device)
{
	static const char * const buses[] = { "pci", "platform", "fsl-mc", "cdx" };
	int directory = -1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(buses) && directory < 0; i++)
		directory = system_directory(system_path("/sys/bus/%s/devices/%s", buses[i],
							 device->name));
	return directory;
}

/**
 * machine_describe_device - read the driver, the group and the domain of a device
 * @machine: it is behind an SMMU of this one
 * @index: of the device; nothing is done if it was described before
 *
 * This takes longer than all other discovery, and few of many devices are shown.
 */
void machine_describe_device(struct machine *machine, unsigned int index)
{
	struct device *device = &machine->devices[index];
	char link[PATH_MAX], line[NAME_LENGTH];
	int directory;

	if (device->described)
		return;
	device->described = true;
	device->driver[0] = '\0';
	device->group[0] = '\0';
	device->domain[0] = '\0';
	directory = device_directory(device);
	if (directory < 0)
		return;
	if (system_link_at(directory, "driver", link, sizeof(link)))
		copy(device->driver, sizeof(device->driver), base_name(link));
	if (system_link_at(directory, "iommu_group", link, sizeof(link))) {
		copy(device->group, sizeof(device->group), base_name(link));
		if (system_read_line_at(directory, "iommu_group/type", line, sizeof(line)))
			copy(device->domain, sizeof(device->domain), domain_name(line));
		/* The type is that of the default domain, which such a driver leaves. */
		if (!strncmp(device->driver, "vfio", 4))
			copy(device->domain, sizeof(device->domain), "vfio");
	}
	close(directory);
}

static struct device *find_device(struct machine *machine, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < machine->devices_number; i++)
		if (strlen(machine->devices[i].name) == length &&
		    !memcmp(machine->devices[i].name, name, length))
			return &machine->devices[i];
	return NULL;
}

/* What is below a device in sysfs belongs to it: the nearest device above counts. */
static void name_devices(struct machine *machine, const char *class)
{
	char link[PATH_MAX], *slash, *end;
	struct device *device;
	size_t number, i;
	char **names;

	names = system_list(system_path("/sys/class/%s", class), &number);
	for (i = 0; i < number; i++) {
		if (!system_link(system_path("/sys/class/%s/%s", class, names[i]), link,
				 sizeof(link)) ||
		    system_exists(system_path("/sys/class/%s/%s/partition", class, names[i])))
			continue;
		device = NULL;
		for (end = strrchr(link, '/'); end && !device; end = slash) {
			*end = '\0';
			slash = strrchr(link, '/');
			if (slash)
				device = find_device(machine, slash + 1, strlen(slash + 1));
		}
		if (!device)
			continue;
		if (device->names[0])
			copy(device->names + strlen(device->names),
			     sizeof(device->names) - strlen(device->names), ",");
		copy(device->names + strlen(device->names),
		     sizeof(device->names) - strlen(device->names), names[i]);
	}
	system_free_list(names, number);
}

void machine_describe_devices(struct machine *machine)
{
	size_t i;

	for (i = 0; i < machine->devices_number; i++)
		machine_describe_device(machine, i);
}

/**
 * machine_discover - find everything that sysfs tells, but for what machine_describe_device() reads
 * @machine: filled
 * @wanted: names of the counter groups to use, up to NULL; NULL or none for all
 */
void machine_discover(struct machine *machine, char * const *wanted)
{
	*machine = (struct machine){ .smmus = NULL };
	gethostname(machine->host, sizeof(machine->host) - 1);
	machine->host[strcspn(machine->host, ".")] = '\0';
	find_smmus(machine);
	find_pmcgs(machine, wanted);
	firmware_find_smmus(machine);
	assign_smmus(machine);
	pmcg_set_kinds(machine);
	machine_find_streams(machine);
	/* The names that administrators know. */
	name_devices(machine, "net");
	name_devices(machine, "block");
	name_devices(machine, "infiniband");
	machine_make_rows(machine);
}
