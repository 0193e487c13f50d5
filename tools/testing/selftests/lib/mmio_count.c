// SPDX-License-Identifier: GPL-2.0
/*
 * Register accesses of a driver, counted by the model: the same in every run and on every machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "mmio_count.h"
#include "platform.h"
#include "pmu.h"
#include "stimulus.h"

/*
 * A rotation must be completed and seen before the next one. The minimum of three counts, since the
 * machine may have been delayed in between.
 */
#define ROTATION_MS	"200"
#define ROTATIONS	3
#define TIMEOUT_S	60

const char * const mmio_operation_names[MMIO_OPERATIONS] = {
	[MMIO_IDLE] = "no event open, SMMU busy",
	[MMIO_OPEN_CLOSE] = "open and close one event",
	[MMIO_OPEN_GROUP] = "open a group of 8, disabled",
	[MMIO_ENABLE_GROUP] = "add and enable the group",
	[MMIO_READ_GROUP] = "read the group",
	[MMIO_DISABLE_GROUP] = "disable and delete the group",
	[MMIO_ENABLE_GROUP_AGAIN] = "add and enable the group again",
	[MMIO_ROTATION] = "rotate two groups of 8",
	[MMIO_OVERFLOW] = "one overflow",
};

/* A measurement: a PMU, and its access counts when the measurement began. */
struct bench {
	struct pmu pmu;
	struct stimulus stimulus;
	struct pmu_hardware hardware;
	struct mmio_count before;
	char *reason;
	size_t size;
};

static int give_up(struct bench *bench, const char *what, int error)
{
	snprintf(bench->reason, bench->size, "%s%s%s", what, error ? ": " : "",
		 error ? strerror(error) : "");
	return -1;
}

/*
 * Number of accesses to a register so far. Returns a consistent pair, even if an interrupt is
 * handled between the two.
 */
struct mmio_count mmio_count_of(struct stimulus *stimulus, __u32 offset)
{
	struct mmio_count now;

	do {
		now.writes = stimulus_writes(stimulus, offset);
		now.reads = stimulus_reads(stimulus, offset);
	} while (now.writes != stimulus_writes(stimulus, offset));
	return now;
}

/* The same for all registers of a PMU. */
struct mmio_count mmio_count_now(struct stimulus *stimulus)
{
	return mmio_count_of(stimulus, STIMULUS_ALL_REGISTERS);
}

static void start(struct bench *bench)
{
	bench->before = mmio_count_now(&bench->stimulus);
}

static struct mmio_count since_start(struct bench *bench)
{
	struct mmio_count now = mmio_count_now(&bench->stimulus);

	return (struct mmio_count){
		.reads = now.reads - bench->before.reads,
		.writes = now.writes - bench->before.writes,
	};
}

/* Finds a PMU whose counters have their own filters, and moves to its CPU. */
static int choose(struct bench *bench, unsigned int counters, unsigned int bits, bool capture)
{
	struct pmu *list = calloc(PMU_MAX, sizeof(*list));
	int i, number, error = -ENODEV;

	if (!list)
		return give_up(bench, "listing the PMUs", ENOMEM);
	number = pmu_list(list, PMU_MAX);
	for (i = 0; i < number && error; i++) {
		if (stimulus_choose(&bench->stimulus, list[i].page))
			continue;
		pmu_identify(&list[i], &bench->stimulus, &bench->hardware);
		if (bench->hardware.global_filter || bench->hardware.counters < counters ||
		    bench->hardware.bits != bits || (capture && !bench->hardware.capture))
			continue;
		bench->pmu = list[i];
		error = cpu_pin(list[i].cpu);
	}
	free(list);
	if (error)
		return give_up(bench, "no PMU with such counters, filters and capture", -error);
	return 0;
}

static unsigned int event_of(struct bench *bench, unsigned int group, int i)
{
	return bench->pmu.family->nth_event(&bench->stimulus, 2 * group + i % 2);
}

static __u64 source_of(unsigned int group, int i)
{
	return 0x100 * (group + 1) + i;
}

/* All members differ in event and filter from what their counter counts in another group. */
static int open_group(struct bench *bench, int *fds, unsigned int group, unsigned int disabled)
{
	const struct pmu_family *family = bench->pmu.family;
	struct perf_event_attr attr;
	int i;

	for (i = 0; i < MMIO_GROUP; i++) {
		if (pmu_describe(&bench->pmu, &attr, event_of(bench, group, i)) ||
		    (family->filter && family->filter(&bench->pmu, &attr, source_of(group, i))))
			return give_up(bench, "describing an event", EINVAL);
		attr.read_format = PERF_FORMAT_GROUP;
		attr.disabled = !i && disabled;
		fds[i] = pmu_open_attr(&bench->pmu, &attr, i ? fds[0] : -1);
		if (fds[i] < 0)
			return give_up(bench, "opening a group", -fds[i]);
	}
	return 0;
}

static void close_group(int *fds)
{
	int i;

	for (i = MMIO_GROUP; i--;)
		close(fds[i]);
}

/*
 * Changes the event and filter of every counter, and takes it far from a carry between its halves,
 * near which it is read more than once.
 */
static int spoil(struct bench *bench)
{
	int i, fds[MMIO_GROUP];
	__u32 low_half;

	if (open_group(bench, fds, 1, 0))
		return -1;
	/* The members of the only group use the counters from 0 on. */
	for (i = 0; i < MMIO_GROUP; i++) {
		low_half = pmu_counter(&bench->stimulus, &bench->hardware, i);
		stimulus_inject(&bench->stimulus, event_of(bench, 1, i), source_of(1, i),
				(__u32)(0x40000000 - low_half));
	}
	close_group(fds);
	return 0;
}

static int measure_single(struct bench *bench, struct mmio_count *counts)
{
	int fd;

	start(bench);
	stimulus_inject(&bench->stimulus, bench->pmu.event, SOURCE, 1ULL << 63);
	stimulus_inject(&bench->stimulus, bench->pmu.event, SOURCE, 1ULL << 63);
	counts[MMIO_IDLE] = since_start(bench);

	start(bench);
	fd = pmu_open(&bench->pmu, bench->pmu.event, -1);
	if (fd < 0)
		return give_up(bench, "opening an event", -fd);
	close(fd);
	counts[MMIO_OPEN_CLOSE] = since_start(bench);
	return 0;
}

static int set_group(struct bench *bench, int leader, unsigned long request,
		     struct mmio_count *count)
{
	start(bench);
	/* As perf does: this applies to the whole group of the leader. */
	if (ioctl(leader, request, 0))
		return give_up(bench, "enabling or disabling a group", errno);
	*count = since_start(bench);
	return 0;
}

static int measure_group(struct bench *bench, struct mmio_count *counts)
{
	__u64 values[MMIO_GROUP];
	int fds[MMIO_GROUP];

	start(bench);
	if (open_group(bench, fds, 0, 1))
		return -1;
	counts[MMIO_OPEN_GROUP] = since_start(bench);
	if (set_group(bench, fds[0], PERF_EVENT_IOC_ENABLE, &counts[MMIO_ENABLE_GROUP]))
		return -1;
	start(bench);
	if (pmu_read_group(fds[0], values, MMIO_GROUP))
		return give_up(bench, "reading a group", EIO);
	counts[MMIO_READ_GROUP] = since_start(bench);
	if (set_group(bench, fds[0], PERF_EVENT_IOC_DISABLE, &counts[MMIO_DISABLE_GROUP]) ||
	    set_group(bench, fds[0], PERF_EVENT_IOC_ENABLE, &counts[MMIO_ENABLE_GROUP_AGAIN]))
		return -1;
	close_group(fds);
	return 0;
}

/* perf rotates in an interrupt on this CPU, so this code never sees a part of a rotation. */
static int wait_for_rotation(struct bench *bench, struct mmio_count *count)
{
	time_t end = time(NULL) + TIMEOUT_S;

	start(bench);
	do {
		if (time(NULL) > end)
			return give_up(bench, "waiting for a rotation", ETIMEDOUT);
		*count = since_start(bench);
	} while (!count->writes);
	return 0;
}

static int measure_rotation(struct bench *bench, struct mmio_count *least)
{
	int first[MMIO_GROUP], second[MMIO_GROUP], i;
	struct mmio_count count;
	char previous[32];

	if (pmu_attribute(&bench->pmu, PMU_ROTATION, previous, sizeof(previous)) ||
	    pmu_set_rotation(&bench->pmu, ROTATION_MS))
		return give_up(bench, "setting the rotation interval", EIO);
	if (open_group(bench, first, 0, 0) || open_group(bench, second, 1, 0))
		return -1;
	for (i = 0; i < ROTATIONS; i++) {
		if (wait_for_rotation(bench, &count))
			return -1;
		if (!i || count.reads + count.writes < least->reads + least->writes)
			*least = count;
	}
	close_group(second);
	close_group(first);
	pmu_set_rotation(&bench->pmu, previous);
	return 0;
}

static int measure_overflow(struct bench *bench, struct mmio_count *count)
{
	int counter, fd = pmu_open(&bench->pmu, bench->pmu.event, -1);
	__u64 value, edges = stimulus_edges(&bench->stimulus);

	if (fd < 0)
		return give_up(bench, "opening an event", -fd);
	counter = pmu_counter_of_event(&bench->stimulus, &bench->hardware, bench->pmu.event);
	if (counter < 0)
		return give_up(bench, "the event is on no counter", 0);
	value = pmu_counter(&bench->stimulus, &bench->hardware, counter);
	start(bench);
	stimulus_inject(&bench->stimulus, bench->pmu.event, SOURCE,
			(1ULL << bench->hardware.bits) - value);
	*count = since_start(bench);
	if (stimulus_edges(&bench->stimulus) != edges + 1)
		return give_up(bench, "there was not exactly one interrupt", 0);
	close(fd);
	return 0;
}

/* Without real traffic, which causes events at any time. */
static int measure_quiet(struct bench *bench, struct mmio_count *counts)
{
	int error;

	stimulus_traffic(&bench->stimulus, false);
	error = spoil(bench) || measure_single(bench, counts) || spoil(bench) ||
		measure_group(bench, counts) || measure_rotation(bench, &counts[MMIO_ROTATION]);
	stimulus_traffic(&bench->stimulus, true);
	if (error || choose(bench, 1, 32, false))
		return -1;
	stimulus_traffic(&bench->stimulus, false);
	error = measure_overflow(bench, &counts[MMIO_OVERFLOW]);
	stimulus_traffic(&bench->stimulus, true);
	return error;
}

/* Count the accesses of every operation. Returns 0, or -1 with @reason. */
int mmio_count_measure(struct mmio_count *counts, char *reason, size_t size)
{
	struct bench bench = { .reason = reason, .size = size };
	int error;

	if (stimulus_open(&bench.stimulus))
		return give_up(&bench, bench.stimulus.missing, 0);
	error = choose(&bench, MMIO_GROUP, 64, true);
	if (!error)
		error = measure_quiet(&bench, counts);
	return error;
}
