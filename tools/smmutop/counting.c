// SPDX-License-Identifier: GPL-2.0
/*
 * Counts groups of events on counter groups, one group on each at a time.
 *
 * The groups stay open, disabled, so that a slice that comes again takes two ioctls and a read. A
 * disabled group takes no counter, but each event takes a file: when there are too many, all groups
 * that do not count are closed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counting.h"
#include "text.h"

/* Fields of config1, above the StreamID */
#define FILTER_SPAN	0x100000000ULL
#define FILTER_ENABLE	0x200000000ULL

/* As many as the highest six bits of a hash have values */
#define LISTS		64

/* What it counts, its file, and what was read last. */
struct event {
	struct spec spec;
	int file;
	uint64_t last;
};

struct group {
	struct group *next; /* in the same list */
	uint64_t enabled;
	uint64_t running;
	unsigned int number;
	unsigned int open; /* how many of these are; the first is the leader */
	struct event events[];
};

/* The groups of a counter group */
struct groups {
	struct group *counts; /* the one that is enabled, or NULL */
	struct group *lists[LISTS]; /* by a hash of the first StreamID, as most differ in it */
};

struct counting {
	struct machine *machine;
	struct groups *groups; /* of each counter group */
	unsigned int files; /* how many are open */
	unsigned int max_files; /* how many may be */
	struct text error;
};

struct counting *counting_new(struct machine *machine, unsigned int max_files)
{
	struct counting *counting = zeros(1, sizeof(*counting));

	counting->machine = machine;
	counting->max_files = max_files;
	counting->groups = zeros(machine->pmcgs_number, sizeof(*counting->groups));
	return counting;
}

const char *counting_error(struct counting *counting)
{
	return counting->error.data;
}

/* Whether an error is the same for all counter groups */
bool counting_is_forbidden(int err)
{
	return err == EACCES || err == EPERM || err == ENOSYS;
}

/* The leader comes last: its members would be groups of their own otherwise. */
static void close_group(struct counting *counting, struct group *group)
{
	while (group->open) {
		close(group->events[--group->open].file);
		counting->files--;
	}
	free(group);
}

/* Closes all groups of a counter group but the one that is enabled. */
static void close_groups(struct counting *counting, struct groups *groups)
{
	struct group **link, *group;
	unsigned int i;

	for (i = 0; i < LISTS; i++) {
		for (link = &groups->lists[i]; (group = *link);) {
			if (group == groups->counts) {
				link = &group->next;
				continue;
			}
			*link = group->next;
			close_group(counting, group);
		}
	}
}

void counting_close(struct counting *counting, size_t pmcg)
{
	counting->groups[pmcg].counts = NULL;
	close_groups(counting, &counting->groups[pmcg]);
}

void counting_free(struct counting *counting)
{
	size_t i;

	if (!counting)
		return;
	for (i = 0; i < counting->machine->pmcgs_number; i++)
		counting_close(counting, i);
	text_free(&counting->error);
	free(counting->groups);
	free(counting);
}

bool counting_counts(const struct counting *counting, size_t pmcg)
{
	return counting->groups[pmcg].counts;
}

static bool is_for(const struct group *group, const struct slice *slice)
{
	unsigned int i;

	if (group->number != slice->number)
		return false;
	for (i = 0; i < slice->number; i++)
		if (group->events[i].spec.event != slice->specs[i].event ||
		    !block_equal(&group->events[i].spec.block, &slice->specs[i].block))
			return false;
	return true;
}

/* As format/ in sysfs has it: both drivers have the same fields. */
static struct perf_event_attr describe(const struct pmcg *pmcg, const struct spec *spec)
{
	struct perf_event_attr attr = {
		.type = pmcg->type,
		.size = sizeof(attr),
		.config = spec->event,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	bool span;

	if (!spec->block.everything) {
		attr.config1 = FILTER_ENABLE | block_filter(&spec->block, &span);
		attr.config1 |= span ? FILTER_SPAN : 0;
	}
	return attr;
}

/* Returns whether any file was closed. */
static bool close_idle(struct counting *counting)
{
	unsigned int before = counting->files;
	size_t i;

	for (i = 0; i < counting->machine->pmcgs_number; i++)
		close_groups(counting, &counting->groups[i]);
	return counting->files < before;
}

static int open_event(struct counting *counting, const struct pmcg *pmcg, const struct spec *spec,
		      int leader)
{
	struct perf_event_attr attr = describe(pmcg, spec);
	int file;

	attr.disabled = leader < 0;
	if (counting->files >= counting->max_files)
		close_idle(counting);
	do {
		file = syscall(SYS_perf_event_open, &attr, -1, pmcg->cpu, leader,
			       PERF_FLAG_FD_CLOEXEC);
	} while (file < 0 && (errno == EMFILE || errno == ENFILE) && close_idle(counting));
	if (file >= 0)
		counting->files++;
	return file;
}

static struct group *new_group(const struct slice *slice)
{
	struct group *group = zeros(1, sizeof(*group) + slice->number * sizeof(*group->events));
	unsigned int i;

	group->number = slice->number;
	for (i = 0; i < slice->number; i++)
		group->events[i].spec = slice->specs[i];
	return group;
}

static int open_events(struct counting *counting, const struct pmcg *pmcg, struct group *group)
{
	struct event *event;

	for (group->open = 0; group->open < group->number; group->open++) {
		event = &group->events[group->open];
		event->file = open_event(counting, pmcg, &event->spec,
					 group->open ? group->events[0].file : -1);
		if (event->file < 0)
			return -errno;
	}
	return 0;
}

/* The CPU of a PMU changes when it goes offline. */
static bool find_cpu(struct pmcg *pmcg)
{
	char line[NAME_LENGTH];
	int cpu;

	if (!system_read_line(pmcg_path(pmcg, "cpumask"), line, sizeof(line)))
		return false;
	cpu = strtoul(line, NULL, 10);
	if (cpu == pmcg->cpu)
		return false;
	pmcg->cpu = cpu;
	return true;
}

/*
 * Whether it is still there, and is not another one of the same name. A PMU whose driver was
 * unbound is there as long as it has open events, but it counts no more.
 */
bool pmcg_exists(const struct pmcg *pmcg)
{
	uint64_t type;

	if (pmcg->device[0])
		return system_exists(system_path("/sys/bus/platform/devices/%s/driver",
						 pmcg->device));
	return system_read_number(pmcg_path(pmcg, "type"), &type) && type == pmcg->type;
}

/* It cannot count any more. */
void pmcg_lose(struct pmcg *pmcg)
{
	pmcg->gone = true;
	pmcg->vanished = !pmcg_exists(pmcg);
}

static void explain(struct counting *counting, const struct pmcg *pmcg, int err)
{
	struct text *error = &counting->error;

	text_clear(error);
	if (!counting_is_forbidden(err))
		text_add(error, "%s: ", pmcg->name);
	switch (err) {
	case EACCES:
	case EPERM:
		text_add(error,
			 "not permitted to count: run as root, or set /proc/sys/kernel/perf_event_paranoid to 2 for CAP_PERFMON, or to 0 for everybody");
		break;
	case EMFILE:
		text_add(error,
			 "%u files are open and no more can be: raise the limit with ulimit -n",
			 counting->files);
		break;
	case ENOSYS:
		text_add(error,
			 "perf_event_open: %s: the kernel has no perf events, or seccomp forbids them",
			 strerror(err));
		break;
	case ENODEV:
		/* After an unbind, sysfs has it until its last event is closed. */
		text_add(error,
			 "it has vanished or does not answer: was its driver unbound or unloaded, or is CPU %d offline? See the kernel log",
			 pmcg->cpu);
		break;
	case ENOTSUP:
		text_add(error, "its events directory has none of the architected events");
		break;
	default:
		text_add(error,
			 "perf_event_open on CPU %d: %s: see the kernel log, or try smmutop --check",
			 pmcg->cpu, strerror(err));
	}
}

static struct group **list_of(struct groups *groups, const struct slice *slice)
{
	return &groups->lists[slice->specs[0].block.stream_id * 0x9e3779b1U >> 26];
}

static struct group *open_group(struct counting *counting, struct pmcg *pmcg,
				const struct slice *slice)
{
	struct group *group = new_group(slice);
	int err = open_events(counting, pmcg, group);

	if (!err)
		return group;
	/* The message says how many files are open. */
	explain(counting, pmcg, -err);
	close_group(counting, group);
	if (err == -ENODEV && find_cpu(pmcg))
		return open_group(counting, pmcg, slice);
	errno = -err;
	return NULL;
}

static bool read_group(struct group *group, struct slice_counts *counts)
{
	struct {
		uint64_t number;
		uint64_t enabled;
		uint64_t running;
		uint64_t values[MAX_SPECS];
	} data;
	ssize_t size = (3 + group->number) * sizeof(uint64_t);
	unsigned int i;

	if (read(group->events[0].file, &data, size) < size || data.number != group->number)
		return false;
	counts->enabled = data.enabled - group->enabled;
	counts->running = data.running - group->running;
	group->enabled = data.enabled;
	group->running = data.running;
	for (i = 0; i < group->number; i++) {
		counts->counts[i] = data.values[i] - group->events[i].last;
		group->events[i].last = data.values[i];
	}
	return true;
}

/*
 * Starts to count on a counter group, which must not count. If it does not, errno and
 * counting_error() say why.
 */
bool counting_start(struct counting *counting, size_t index, const struct slice *slice)
{
	struct pmcg *pmcg = &counting->machine->pmcgs[index];
	struct groups *groups = &counting->groups[index];
	struct group **list = list_of(groups, slice), *group = *list;

	while (group && !is_for(group, slice))
		group = group->next;
	if (!group) {
		group = open_group(counting, pmcg, slice);
		if (!group)
			return false;
		group->next = *list;
		*list = group;
	}
	if (ioctl(group->events[0].file, PERF_EVENT_IOC_ENABLE, 0)) {
		explain(counting, pmcg, errno);
		return false;
	}
	groups->counts = group;
	return true;
}

/*
 * Ends a slice of a counter group that counts; with @again, the next slice is the same one, and
 * goes on without a gap. Returns whether anything is known of it.
 */
bool counting_stop(struct counting *counting, size_t index, bool again,
		   struct slice_counts *counts)
{
	struct group *group = counting->groups[index].counts;

	if (!again) {
		ioctl(group->events[0].file, PERF_EVENT_IOC_DISABLE, 0);
		counting->groups[index].counts = NULL;
	}
	return read_group(group, counts);
}

/* An event that shows whether a counter group can count; EVENTS if it has none of these. */
unsigned int pmcg_first_event(const struct pmcg *pmcg)
{
	unsigned int event = EVENT_TRANSACTION;

	while (event < EVENTS && !(pmcg->events & 1U << event))
		event++;
	return event;
}

/*
 * How many events of a kind can be in one group; they are never enabled. 0 with errno if that
 * cannot be found out.
 */
static unsigned int fit(struct counting *counting, const struct pmcg *pmcg,
			const struct spec *first, const struct spec *others)
{
	struct slice slice = { .number = MAX_SPECS };
	struct group *group;
	unsigned int number;
	int err;

	for (number = 0; number < MAX_SPECS; number++)
		slice.specs[number] = number ? *others : *first;
	group = new_group(&slice);
	err = open_events(counting, pmcg, group);
	number = group->open;
	close_group(counting, group);
	errno = -err;
	return err == -EMFILE || err == -ENFILE ? 0 : number;
}

/*
 * Finds out how many counters and filters there are, if the driver does not tell: the in-tree one
 * refuses groups that can never count. This neither touches the hardware nor does it log anything,
 * unless debug messages are switched on. If no event can be opened, counting_error() says why.
 */
bool counting_probe(struct counting *counting, struct pmcg *pmcg)
{
	struct spec all = { .block = { .everything = true }, .event = pmcg_first_event(pmcg) };
	struct spec one = { .event = all.event };
	int err;

	if (!pmcg->probed)
		return true;
	errno = ENOTSUP;
	pmcg->counters = all.event < EVENTS ? fit(counting, pmcg, &all, &all) : 0;
	if (pmcg->counters) {
		pmcg->filter_each = pmcg->counters > 1 && fit(counting, pmcg, &all, &one) > 1;
		return true;
	}
	err = errno;
	if (err == ENODEV && find_cpu(pmcg))
		return counting_probe(counting, pmcg);
	explain(counting, pmcg, err);
	errno = err;
	return false;
}
