// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the PMUs of SMMUv3 Performance Monitor Counter Groups in sysfs, and
 * opens and reads their events.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform.h"
#include "pmcg.h"

#define EVENT_SOURCES	"/sys/bus/event_source/devices"
#define PMU_PREFIX	"smmuv3_pmcg_"
#define IN_TREE_DRIVER	"arm-smmu-v3-pmcg"
#define PAGE_0_SHIFT	12
#define KNOWN_FORMATS	32

const char * const pmcg_event_names[PMCG_ARCHITECTED_NAMES] = {
	"cycles",
	"transaction",
	"tlb_miss",
	"config_cache_miss",
	"trans_table_walk_access",
	"config_struct_access",
	"pcie_ats_trans_rq",
	"pcie_ats_trans_passed",
};

/**
 * pmcg_attribute_text() - read one sysfs file of a PMU as it is
 * @pmcg: PMU
 * @file: name below the PMU's directory
 * @text: receives the contents, all lines of them
 * @size: of @text
 *
 * Return: 0 or a negative errno.
 */
int pmcg_attribute_text(const struct pmcg *pmcg, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t length;
	int fd, error;

	snprintf(path, sizeof(path), EVENT_SOURCES "/%s/%s", pmcg->name, file);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	error = errno;
	close(fd);
	if (length < 0)
		return -error;
	text[length] = '\0';
	return 0;
}

/**
 * pmcg_attribute() - read one line of a sysfs file of a PMU
 * @pmcg: PMU
 * @file: name below the PMU's directory
 * @text: receives the first line without the newline
 * @size: of @text
 *
 * Return: 0 or a negative errno.
 */
int pmcg_attribute(const struct pmcg *pmcg, const char *file, char *text, size_t size)
{
	int error = pmcg_attribute_text(pmcg, file, text, size);

	if (!error)
		text[strcspn(text, "\n")] = '\0';
	return error;
}

/**
 * pmcg_interrupt_is() - how overflows are delivered
 * @pmcg: PMU
 * @kind: "msi", "wired", "timer" or "none"
 *
 * Return: true if its interrupt attribute says so.
 */
bool pmcg_interrupt_is(const struct pmcg *pmcg, const char *kind)
{
	char text[32];

	return !pmcg_attribute(pmcg, "interrupt", text, sizeof(text)) && !strcmp(text, kind);
}

/**
 * pmcg_can_interrupt() - whether an interrupt tells of overflows
 * @pmcg: PMU
 *
 * Return: true if it has an MSI or a wire, false if it has neither or does not say.
 */
bool pmcg_can_interrupt(const struct pmcg *pmcg)
{
	return pmcg_interrupt_is(pmcg, "msi") || pmcg_interrupt_is(pmcg, "wired");
}

static void base_name_of_link(const char *link, char *name, size_t size)
{
	char target[PATH_MAX];
	ssize_t length;

	name[0] = '\0';
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return;
	target[length] = '\0';
	snprintf(name, size, "%s", basename(target));
}

/* By its address: a PMU of a kernel before 6.7 has no parent that would be the device. */
static void find_device(struct pmcg *pmcg)
{
	char path[PATH_MAX];

	if (device_at(pmcg->page, pmcg->device, sizeof(pmcg->device)))
		return;
	snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/driver", pmcg->device);
	base_name_of_link(path, pmcg->driver, sizeof(pmcg->driver));
}

/**
 * pmcg_read_cpu() - read anew which CPU counts the PMU
 * @pmcg: PMU, its @cpu is updated
 *
 * Return: 0, -ERANGE where the cpumask is not exactly one CPU, or a negative
 * errno.
 */
int pmcg_read_cpu(struct pmcg *pmcg)
{
	char text[64], *end;
	long cpu;
	int error;

	error = pmcg_attribute(pmcg, "cpumask", text, sizeof(text));
	if (error)
		return error;
	cpu = strtol(text, &end, 10);
	if (end == text || *end != '\0')
		return -ERANGE;
	pmcg->cpu = cpu;
	return 0;
}

/**
 * pmcg_find() - look a PMU up by its name
 * @pmcg: receives the PMU
 * @name: to look for
 *
 * Return: 0 or a negative errno.
 */
int pmcg_find(struct pmcg *pmcg, const char *name)
{
	struct pmcg found = { .type = 0 };
	char text[64];
	int error;

	/* The name may be that of @pmcg itself, to find it again. */
	snprintf(found.name, sizeof(found.name), "%s", name);
	*pmcg = found;
	error = pmcg_attribute(pmcg, "type", text, sizeof(text));
	if (error)
		return error;
	pmcg->type = strtoul(text, NULL, 10);
	pmcg->page = strtoull(pmcg->name + strlen(PMU_PREFIX), NULL, 16) << PAGE_0_SHIFT;
	find_device(pmcg);
	pmcg->in_tree = !strcmp(pmcg->driver, IN_TREE_DRIVER);
	return pmcg_read_cpu(pmcg);
}

static int compare_pages(const void *a, const void *b)
{
	const struct pmcg *left = a, *right = b;

	return (left->page > right->page) - (left->page < right->page);
}

/**
 * pmcg_list() - find all PMCG PMUs
 * @list: receives them, in the order of their addresses
 * @max: length of @list
 *
 * Return: how many there are.
 */
int pmcg_list(struct pmcg *list, int max)
{
	struct dirent *entry;
	int found = 0;
	DIR *directory;

	directory = opendir(EVENT_SOURCES);
	if (!directory)
		return 0;
	while (found < max && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, PMU_PREFIX, strlen(PMU_PREFIX)))
			continue;
		if (!pmcg_find(&list[found], entry->d_name))
			found++;
	}
	closedir(directory);
	qsort(list, found, sizeof(*list), compare_pages);
	return found;
}

/**
 * pmcg_pin() - run this thread on one CPU only
 * @cpu: to run on
 *
 * The PMU's interrupt is taken on the PMU's CPU. A test that runs there too is
 * interrupted by an overflow before its next step.
 *
 * Return: 0 or a negative errno.
 */
int pmcg_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/**
 * pmcg_follow() - run this thread on the CPU that counts the PMU now
 * @pmcg: PMU, its @cpu is updated
 *
 * Return: 0 or a negative errno.
 */
int pmcg_follow(struct pmcg *pmcg)
{
	int error = pmcg_read_cpu(pmcg);

	return error ? error : pmcg_pin(pmcg->cpu);
}

/**
 * pmcg_has_event() - whether sysfs offers an architected event
 * @pmcg: PMU
 * @event: number, below PMCG_ARCHITECTED_NAMES
 *
 * Return: true if the PMU's events directory has it.
 */
bool pmcg_has_event(const struct pmcg *pmcg, unsigned int event)
{
	char file[64], text[64];

	snprintf(file, sizeof(file), "events/%s", pmcg_event_names[event]);
	return !pmcg_attribute(pmcg, file, text, sizeof(text));
}

/**
 * struct known_format - what pmcg_format_bits() has found
 * @name: of the PMU
 * @field: name of the field
 * @word: that it is in
 * @mask: its bits there
 */
struct known_format {
	char name[PMCG_NAME_LENGTH];
	char field[32];
	char word[16];
	__u64 mask;
};

static int read_format(const struct pmcg *pmcg, const char *field, char *word, __u64 *mask)
{
	char file[128], text[128], *position;
	unsigned int first, last;
	int error, used;

	snprintf(file, sizeof(file), "format/%s", field);
	error = pmcg_attribute(pmcg, file, text, sizeof(text));
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

/**
 * pmcg_format_bits() - where the format directory puts a field
 * @pmcg: PMU
 * @field: name of the field
 * @word: receives "config", "config1", ..., at least 16 characters
 * @mask: receives the field's bits in that word
 *
 * A test opens many events, and each file of sysfs takes its time: it is read once.
 *
 * Return: 0, -EINVAL where the format cannot be understood, or a negative
 * errno (-ENOENT: no such field).
 */
int pmcg_format_bits(const struct pmcg *pmcg, const char *field, char *word, __u64 *mask)
{
	static struct known_format known[KNOWN_FORMATS];
	static unsigned int number;
	struct known_format *format;
	int error;

	for (format = known; format < known + number; format++)
		if (!strcmp(format->field, field) && !strcmp(format->name, pmcg->name))
			break;
	if (format == known + number) {
		if (number == KNOWN_FORMATS)
			return read_format(pmcg, field, word, mask);
		error = read_format(pmcg, field, format->word, &format->mask);
		if (error)
			return error;
		snprintf(format->name, sizeof(format->name), "%s", pmcg->name);
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

/**
 * pmcg_set_field() - put a value into the bits that the format names
 * @pmcg: PMU
 * @attr: to change
 * @field: name of the field
 * @value: for it
 *
 * Return: 0, -ERANGE where @value does not fit, or as pmcg_format_bits().
 */
int pmcg_set_field(const struct pmcg *pmcg, struct perf_event_attr *attr,
		   const char *field, __u64 value)
{
	__u64 mask, bits;
	char word[16];
	int error;

	error = pmcg_format_bits(pmcg, field, word, &mask);
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

/**
 * pmcg_describe() - fill in the attributes of a counting event
 * @pmcg: PMU
 * @attr: to fill in
 * @event: number
 * @filter: or NULL to count every StreamID
 *
 * Return: 0 or as pmcg_set_field().
 */
int pmcg_describe(const struct pmcg *pmcg, struct perf_event_attr *attr,
		  unsigned int event, const struct pmcg_filter *filter)
{
	int error;

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pmcg->type;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	error = pmcg_set_field(pmcg, attr, "event", event);
	if (error || !filter)
		return error;
	error = pmcg_set_field(pmcg, attr, "filter_enable", filter->enable);
	if (error)
		return error;
	error = pmcg_set_field(pmcg, attr, "filter_span", filter->span);
	if (error)
		return error;
	return pmcg_set_field(pmcg, attr, "filter_stream_id", filter->stream_id);
}

/**
 * pmcg_open_attr() - open an event on the PMU's CPU
 * @pmcg: PMU
 * @attr: of the event
 * @group_fd: leader of its group or -1
 *
 * Return: a file descriptor or a negative errno.
 */
int pmcg_open_attr(const struct pmcg *pmcg, struct perf_event_attr *attr, int group_fd)
{
	int fd = syscall(SYS_perf_event_open, attr, -1, pmcg->cpu, group_fd,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/**
 * pmcg_open_filtered() - open a counting event
 * @pmcg: PMU
 * @event: number
 * @filter: or NULL to count every StreamID
 * @group_fd: leader of its group or -1
 *
 * Return: a file descriptor or a negative errno.
 */
int pmcg_open_filtered(const struct pmcg *pmcg, unsigned int event,
		       const struct pmcg_filter *filter, int group_fd)
{
	struct perf_event_attr attr;
	int error;

	error = pmcg_describe(pmcg, &attr, event, filter);
	return error ? error : pmcg_open_attr(pmcg, &attr, group_fd);
}

/**
 * pmcg_open() - open an event that counts every StreamID
 * @pmcg: PMU
 * @event: number
 * @group_fd: leader of its group or -1
 *
 * Return: a file descriptor or a negative errno.
 */
int pmcg_open(const struct pmcg *pmcg, unsigned int event, int group_fd)
{
	return pmcg_open_filtered(pmcg, event, NULL, group_fd);
}

/**
 * pmcg_open_pinned() - open an event that perf never takes off its counter
 * @pmcg: PMU
 * @event: number
 * @filter: or NULL to count every StreamID
 *
 * perf takes all other events off their counters and puts them back whenever
 * one is opened; pinned events stay, so that a test can give away a counter
 * beside a live one.
 *
 * Return: a file descriptor or a negative errno.
 */
int pmcg_open_pinned(const struct pmcg *pmcg, unsigned int event,
		     const struct pmcg_filter *filter)
{
	struct perf_event_attr attr;
	int error;

	error = pmcg_describe(pmcg, &attr, event, filter);
	attr.pinned = 1;
	return error ? error : pmcg_open_attr(pmcg, &attr, -1);
}

/**
 * pmcg_read() - read one event
 * @fd: of the event
 * @count: receives its count and times
 *
 * Return: 0, -EIO where perf has given the event up, or a negative errno.
 */
int pmcg_read(int fd, struct pmcg_count *count)
{
	ssize_t length = read(fd, count, sizeof(*count));

	if (length < 0)
		return -errno;
	return length == sizeof(*count) ? 0 : -EIO;
}

/**
 * pmcg_value() - read one event's count
 * @fd: of the event
 *
 * Return: the count, or PMCG_NO_VALUE.
 */
__u64 pmcg_value(int fd)
{
	struct pmcg_count count;

	return pmcg_read(fd, &count) ? PMCG_NO_VALUE : count.value;
}

/**
 * pmcg_read_group() - read a whole group
 * @fd: of a leader that was opened with PERF_FORMAT_GROUP and nothing else
 * @values: receives the counts in the order in which the events were opened
 * @number: of events in the group
 *
 * Return: 0, -EIO where the group is of another size, or a negative errno.
 */
int pmcg_read_group(int fd, __u64 *values, unsigned int number)
{
	__u64 buffer[1 + PMCG_MAX_COUNTERS + 8];
	ssize_t length = read(fd, buffer, sizeof(buffer));

	if (length < 0)
		return -errno;
	if (length != (ssize_t)((1 + number) * sizeof(*buffer)) || buffer[0] != number)
		return -EIO;
	memcpy(values, buffer + 1, number * sizeof(*values));
	return 0;
}
