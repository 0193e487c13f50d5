// SPDX-License-Identifier: GPL-2.0
/* Finds system PMUs in sysfs, and opens and reads their events. */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"
#include "platform.h"
#include "pmu.h"

#define EVENT_SOURCES	"/sys/bus/event_source/devices"
#define KNOWN_FORMATS	32

/* Read a sysfs file of a PMU unchanged. */
int pmu_attribute_text(const struct pmu *pmu, const char *file, char *text, size_t size)
{
	ssize_t length = read_text(path_of(EVENT_SOURCES "/%s/%s", pmu->name, file), text, size);

	return length < 0 ? length : 0;
}

/* Count the files in a directory of a PMU. */
unsigned int pmu_files_in(const struct pmu *pmu, const char *name)
{
	return files_in(path_of(EVENT_SOURCES "/%s/%s", pmu->name, name));
}

/* Whether the PMU has counters that can be used. */
bool pmu_has_counters(const struct pmu *pmu)
{
	char text[32];

	return pmu_attribute(pmu, "caps/counters", text, sizeof(text)) || strcmp(text, "0");
}

/* Set how often events take turns; PMU_ROTATION is the attribute that says it. */
int pmu_set_rotation(const struct pmu *pmu, const char *ms)
{
	return write_text(path_of(EVENT_SOURCES "/%s/" PMU_ROTATION, pmu->name), ms);
}

/* Read one line of a sysfs file of a PMU. */
int pmu_attribute(const struct pmu *pmu, const char *file, char *text, size_t size)
{
	int error = pmu_attribute_text(pmu, file, text, size);

	if (!error)
		text[strcspn(text, "\n")] = '\0';
	return error;
}

/* How overflows are signalled: "msi", "wired", "timer" or "none". */
bool pmu_interrupt_is(const struct pmu *pmu, const char *kind)
{
	char text[32];

	return !pmu_attribute(pmu, "interrupt", text, sizeof(text)) && !strcmp(text, kind);
}

/* Whether the PMU is known to have an MSI or a wired interrupt. */
bool pmu_can_interrupt(const struct pmu *pmu)
{
	return pmu_interrupt_is(pmu, "msi") || pmu_interrupt_is(pmu, "wired");
}

/* Whether there is an interrupt and the counters can be written. */
bool pmu_can_sample(const struct pmu *pmu)
{
	return pmu_can_interrupt(pmu) && !(pmu->errata & PMU_COUNTERS_ARE_READ_ONLY);
}

/* By address: before 6.7, the device is not the parent of a PMU. */
static void find_device(struct pmu *pmu)
{
	if (!device_at(pmu->page, pmu->device, sizeof(pmu->device)))
		name_of_link(path_of("/sys/bus/platform/devices/%s/driver", pmu->device),
			     pmu->driver, sizeof(pmu->driver));
}

/* Read the CPU that owns the PMU again; -ERANGE if the cpumask is not exactly one CPU. */
int pmu_read_cpu(struct pmu *pmu)
{
	char text[64], *end;
	long cpu;
	int error;

	error = pmu_attribute(pmu, "cpumask", text, sizeof(text));
	if (error)
		return error;
	cpu = strtol(text, &end, 10);
	if (end == text || *end != '\0')
		return -ERANGE;
	pmu->cpu = cpu;
	return 0;
}

static const struct pmu_family *family_of(const char *name)
{
	const struct pmu_family * const *family;
	const char * const *prefix;

	for (family = pmu_families; *family; family++)
		for (prefix = (*family)->prefixes; *prefix; prefix++)
			if (!strncmp(name, *prefix, strlen(*prefix)))
				return *family;
	return NULL;
}

static bool can_filter(const struct pmu *pmu)
{
	struct perf_event_attr attr;

	return pmu->family->filter && !pmu_describe(pmu, &attr, pmu->event) &&
	       !pmu->family->filter(pmu, &attr, SOURCE);
}

/* Look up a PMU by name. */
int pmu_find(struct pmu *pmu, const char *name)
{
	struct pmu found = { .family = family_of(name) };
	char text[64];
	int error;

	if (!found.family)
		return -ENOENT;
	/* The name may be that of @pmu itself, to look it up again. */
	snprintf(found.name, sizeof(found.name), "%s", name);
	*pmu = found;
	error = pmu_attribute(pmu, "type", text, sizeof(text));
	if (error)
		return error;
	pmu->type = strtoul(text, NULL, 10);
	pmu->event = pmu->family->event;
	pmu->other_event = pmu->family->other_event;
	pmu->clock = pmu->family->clock;
	if (pmu->family->errata)
		pmu->errata = pmu->family->errata();
	pmu->source = SOURCE;
	pmu->filters = can_filter(pmu);
	pmu->family->locate(pmu);
	find_device(pmu);
	pmu->reference = !strcmp(pmu->driver, pmu->family->reference->name);
	return pmu_read_cpu(pmu);
}

static int compare_pages(const void *a, const void *b)
{
	const struct pmu *left = a, *right = b;

	return (left->page > right->page) - (left->page < right->page);
}

/* Find all PMUs of the families that this program tests, in the order of their addresses. */
int pmu_list(struct pmu *list, int max)
{
	struct dirent *entry;
	int found = 0;
	DIR *directory;

	directory = opendir(EVENT_SOURCES);
	if (!directory)
		return 0;
	while (found < max && (entry = readdir(directory)))
		if (family_of(entry->d_name) && !pmu_find(&list[found], entry->d_name))
			found++;
	closedir(directory);
	qsort(list, found, sizeof(*list), compare_pages);
	return found;
}

/* Run this thread on the CPU that currently owns the PMU. */
int pmu_follow(struct pmu *pmu)
{
	int error = pmu_read_cpu(pmu);

	return error ? error : cpu_pin(pmu->cpu);
}

/* A word that is in all messages about a PMU: a part of the name that the driver uses for it. */
const char *pmu_log_word(const struct pmu *pmu)
{
	return pmu->family->log_word(pmu);
}

/* A cached result of pmu_format_bits(). */
struct known_format {
	char name[PMU_NAME_LENGTH];	/* of the PMU */
	char field[32];	/* name of the field */
	char word[16];	/* word that it is in */
	__u64 mask;	/* its bits in this word */
};

static int read_format(const struct pmu *pmu, const char *field, char *word, __u64 *mask)
{
	char file[128], text[128], *position;
	unsigned int first, last;
	int error, used;

	snprintf(file, sizeof(file), "format/%s", field);
	error = pmu_attribute(pmu, file, text, sizeof(text));
	if (error)
		return error;
	if (sscanf(text, "%15[a-z0-9]:%n", word, &used) != 1)
		return -EINVAL;

	*mask = 0;
	position = text + used;
	do {
		if (sscanf(position, "%u-%u%n", &first, &last, &used) != 2) {
			if (sscanf(position, "%u%n", &first, &used) != 1)
				return -EINVAL;
			last = first;
		}
		if (first > last || last > 63)
			return -EINVAL;
		*mask |= (~0ULL >> (63 - (last - first))) << first;
		position += used;
	} while (*position++ == ',');
	return 0;
}

/*
 * The word, such as "config1", and bits of a field according to the format directory. A test opens
 * many events, and reading sysfs takes time, so each file is only read once. -EINVAL if the format
 * cannot be parsed, -ENOENT if there is no such field.
 */
int pmu_format_bits(const struct pmu *pmu, const char *field, char *word, __u64 *mask)
{
	static struct known_format known[KNOWN_FORMATS];
	static unsigned int number;
	struct known_format *format;
	int error;

	for (format = known; format < known + number; format++)
		if (!strcmp(format->field, field) && !strcmp(format->name, pmu->name))
			break;
	if (format == known + number) {
		if (number == KNOWN_FORMATS)
			return read_format(pmu, field, word, mask);
		error = read_format(pmu, field, format->word, &format->mask);
		if (error)
			return error;
		snprintf(format->name, sizeof(format->name), "%s", pmu->name);
		snprintf(format->field, sizeof(format->field), "%s", field);
		number++;
	}
	memcpy(word, format->word, sizeof(format->word));
	*mask = format->mask;
	return 0;
}

static __u64 deposit(__u64 mask, __u64 value)
{
	__u64 result = 0;

	for (; mask; mask &= mask - 1, value >>= 1)
		if (value & 1)
			result |= mask & -mask;
	return result;
}

/* Set a field, at the location given by its format; -ERANGE if the value does not fit. */
int pmu_set_field(const struct pmu *pmu, struct perf_event_attr *attr,
		  const char *field, __u64 value)
{
	__u64 mask, bits;
	char word[16];
	int error;

	error = pmu_format_bits(pmu, field, word, &mask);
	if (error)
		return error;
	if (__builtin_popcountll(mask) < 64 && value >> __builtin_popcountll(mask))
		return -ERANGE;
	bits = deposit(mask, value);
	if (!strcmp(word, "config"))
		attr->config = (attr->config & ~mask) | bits;
	else if (!strcmp(word, "config1"))
		attr->config1 = (attr->config1 & ~mask) | bits;
	else if (!strcmp(word, "config2"))
		attr->config2 = (attr->config2 & ~mask) | bits;
	else
		return -EINVAL;
	return 0;
}

/* The value of a field, 0 if the PMU has no such field. */
__u64 pmu_field(const struct pmu *pmu, const struct perf_event_attr *attr, const char *field)
{
	__u64 mask, value;
	char word[16];

	if (pmu_format_bits(pmu, field, word, &mask))
		return 0;
	value = !word[6] ? attr->config : word[6] == '1' ? attr->config1 : attr->config2;
	return (value & mask) >> __builtin_ctzll(mask);
}

/* Find the bits of config, config1, ... that are not part of any field. */
int pmu_unnamed_bits(const struct pmu *pmu, __u64 *unnamed, unsigned int words)
{
	struct dirent *entry;
	unsigned int i, index;
	char word[16];
	int error = 0;
	DIR *directory;
	__u64 mask;

	for (i = 0; i < words; i++)
		unnamed[i] = ~0ULL;
	directory = opendir(path_of(EVENT_SOURCES "/%s/format", pmu->name));
	if (!directory)
		return -errno;
	while (!error && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		error = pmu_format_bits(pmu, entry->d_name, word, &mask);
		if (error)
			break;
		/* "config" is the first word, "config1" the second one. */
		index = strtoul(word + strlen("config"), NULL, 10);
		if (index < words)
			unnamed[index] &= ~mask;
		else
			error = -ERANGE;
	}
	closedir(directory);
	return error;
}

/* Fill in the attributes of a counting event. */
int pmu_describe(const struct pmu *pmu, struct perf_event_attr *attr, __u64 event)
{
	int error;

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pmu->type;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	error = pmu_set_field(pmu, attr, "event", event);
	if (!error && pmu->all_sources)
		error = pmu_set_field(pmu, attr, "filter", pmu->all_sources);
	return error;
}

/* Set the exclude flags of an event: a bit for each of PMU_EXCLUDE_FLAGS. */
void pmu_set_exclude(struct perf_event_attr *attr, unsigned int flags)
{
	attr->exclude_user = flags & 1;
	attr->exclude_kernel = flags >> 1 & 1;
	attr->exclude_hv = flags >> 2 & 1;
	attr->exclude_idle = flags >> 3 & 1;
	attr->exclude_host = flags >> 4 & 1;
	attr->exclude_guest = flags >> 5 & 1;
}

/* Open an event on the PMU's CPU, in the group of a leader or with -1 alone. */
int pmu_open_attr(const struct pmu *pmu, struct perf_event_attr *attr, int group_fd)
{
	int fd = syscall(SYS_perf_event_open, attr, -1, pmu->cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int pmu_open(const struct pmu *pmu, __u64 event, int group_fd)
{
	struct perf_event_attr attr;
	int error;

	error = pmu_describe(pmu, &attr, event);
	return error ? error : pmu_open_attr(pmu, &attr, group_fd);
}

/* Read one event; -EIO if perf has put it into error state. */
int pmu_read(int fd, struct pmu_count *count)
{
	ssize_t length = read(fd, count, sizeof(*count));

	if (length < 0)
		return -errno;
	return length == sizeof(*count) ? 0 : -EIO;
}

/* The count of an event, or PMU_NO_VALUE. */
__u64 pmu_value(int fd)
{
	struct pmu_count count;

	return pmu_read(fd, &count) ? PMU_NO_VALUE : count.value;
}

/*
 * Read a whole group, whose leader has PERF_FORMAT_GROUP only, in the order in which it was opened;
 * -EIO if it has another size.
 */
int pmu_read_group(int fd, __u64 *values, unsigned int number)
{
	__u64 buffer[1 + PMU_MAX_COUNTERS + 8];
	ssize_t length = read(fd, buffer, sizeof(buffer));

	if (length < 0)
		return -errno;
	if (length != (ssize_t)((1 + number) * sizeof(*buffer)) || buffer[0] != number)
		return -EIO;
	memcpy(values, buffer + 1, number * sizeof(*values));
	return 0;
}

/* Read the identification registers of a PMU. */
void pmu_identify(const struct pmu *pmu, struct stimulus *stimulus, struct pmu_hardware *hardware)
{
	pmu->family->identify(stimulus, hardware);
	hardware->halves = pmu->family->halves && pmu->family->halves(pmu);
	hardware->atomic = pmu->family->halves && !hardware->halves;
	hardware->counter_writes = hardware->bits > 32 &&
				   (hardware->halves || pmu->family->writes_halves) ? 2 : 1;
}

/* The offset of a counter, for the functions of the stimulus page. */
__u32 pmu_counter_register(const struct pmu_hardware *hardware, unsigned int counter)
{
	return hardware->family->counter_register(hardware, counter);
}

/* The offset of the register that selects the event of a counter. */
__u32 pmu_event_register(const struct pmu_hardware *hardware, unsigned int counter)
{
	return hardware->family->event_register(hardware, counter);
}

/* Peek at the value of a counter. */
__u64 pmu_counter(struct stimulus *stimulus, const struct pmu_hardware *hardware,
		  unsigned int counter)
{
	__u32 offset = pmu_counter_register(hardware, counter);

	return hardware->bits <= 32 ? stimulus_peek32(stimulus, offset) :
				      stimulus_peek(stimulus, offset);
}

/* How many times software has read counters and shadow registers. */
__u64 pmu_counter_reads(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	const struct pmu_family *family = hardware->family;
	__u64 reads = 0;
	unsigned int n;

	for (n = 0; n < hardware->counters; n++)
		reads += stimulus_reads(stimulus, family->counter_register(hardware, n));
	for (n = 0; hardware->capture && n < family->shadows(hardware); n++)
		reads += stimulus_reads(stimulus, family->shadow_register(hardware, n));
	return reads;
}

/* The lowest enabled counter that counts an event, or -1. */
int pmu_counter_of_event(struct stimulus *stimulus, const struct pmu_hardware *hardware,
			 __u32 event)
{
	unsigned int n;

	for (n = 0; n < hardware->counters; n++)
		if (hardware->family->is_enabled(stimulus, hardware, n) &&
		    (stimulus_peek32(stimulus, pmu_event_register(hardware, n)) &
		     hardware->event_mask) == event)
			return n;
	return -1;
}

/* Peek at how many counters are enabled. */
unsigned int pmu_enabled_counters(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	unsigned int n, enabled = 0;

	for (n = 0; n < hardware->counters; n++)
		enabled += hardware->family->is_enabled(stimulus, hardware, n);
	return enabled;
}

/* The number of registers with a bit for a counter that is enabled. */
unsigned int pmu_enabled_words(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	unsigned int word, enabled = 0;

	if (hardware->words == 1)
		return !!stimulus_peek(stimulus, hardware->enable);
	for (word = 0; word < hardware->words; word++)
		enabled += !!stimulus_peek32(stimulus, hardware->enable + 4 * word);
	return enabled;
}

/* The page counts accesses to both registers of a pair together. */
static __u64 writes_of(struct stimulus *stimulus, __u32 first, unsigned int words)
{
	__u64 writes = 0;
	__u32 offset;

	for (offset = first & ~7U; offset < first + 4 * words; offset += 8)
		writes += stimulus_writes(stimulus, offset);
	return writes;
}

/* How many times software has written registers that enable counters. */
__u64 pmu_enables(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	return writes_of(stimulus, hardware->enable, hardware->words);
}

/* How many times software has written registers that disable counters. */
__u64 pmu_disables(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	return writes_of(stimulus, hardware->disable, hardware->words);
}

/* A bit for each counter that has overflowed. */
__u64 pmu_overflow_status(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	return hardware->family->overflow_status(stimulus, hardware);
}

/* Without the attribute, use the devicetree; with ACPI it is not known. */
bool has_interrupt(const struct machine *machine)
{
	const char *device = machine->pmu.device;

	if (!reference_has(&machine->pmu, REFERENCE_HAS_NO_INTERRUPT_ATTRIBUTE))
		return pmu_can_interrupt(&machine->pmu);
	return !device_property_exists(device, "") ||
	       device_property_exists(device, "interrupts") ||
	       (machine->hardware.msi && device_property_exists(device, "msi-parent"));
}
