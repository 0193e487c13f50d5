// SPDX-License-Identifier: GPL-2.0
/*
 * What a PMCG driver costs: register accesses, as the model has counted them.
 * They are the same in every run and on every machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "mmio_count.h"
#include "platform.h"
#include "pmcg.h"
#include "stimulus.h"

/*
 * Long enough for a rotation to be over and seen before the next; what is seen
 * of three is the least, should the machine have stood still meanwhile.
 */
#define ROTATION_MS	"200"
#define ROTATIONS	3
#define PATIENCE	60

const char * const cost_names[COST_OPERATIONS] = {
	[COST_IDLE] = "no event open, SMMU busy",
	[COST_OPEN_CLOSE] = "open and close one event",
	[COST_OPEN_GROUP] = "open a group of 8, disabled",
	[COST_ENABLE_GROUP] = "add and enable the group",
	[COST_READ_GROUP] = "read the group",
	[COST_DISABLE_GROUP] = "disable and delete the group",
	[COST_ENABLE_GROUP_AGAIN] = "add and enable the group again",
	[COST_ROTATION] = "rotate two groups of 8",
	[COST_OVERFLOW] = "one overflow",
};

/* One measurement: a PMCG, and what it had been asked before. */
struct bench {
	struct pmcg pmcg;
	struct stimulus stimulus;
	struct pmcg_hardware hardware;
	struct cost before;
	char *reason;
	size_t size;
};

static int give_up(struct bench *bench, const char *what, int error)
{
	snprintf(bench->reason, bench->size, "%s%s%s", what, error ? ": " : "",
		 error ? strerror(error) : "");
	return -1;
}

/**
 * cost_now() - count the accesses to a PMCG's registers so far
 * @stimulus: the page, acting on that PMCG
 *
 * Return: a consistent pair, although an interrupt may come between the two.
 */
struct cost cost_now(struct stimulus *stimulus)
{
	struct cost now;

	do {
		now.writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
		now.reads = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
	} while (now.writes != stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	return now;
}

static void start(struct bench *bench)
{
	bench->before = cost_now(&bench->stimulus);
}

static struct cost since_start(struct bench *bench)
{
	struct cost now = cost_now(&bench->stimulus);

	return (struct cost){
		.reads = now.reads - bench->before.reads,
		.writes = now.writes - bench->before.writes,
	};
}

/* Finds a PMCG whose counters have filters of their own, and moves to its CPU. */
static int choose(struct bench *bench, unsigned int counters, unsigned int bits, bool capture)
{
	struct pmcg *list = calloc(PMCG_MAX, sizeof(*list));
	int i, number, error = -ENODEV;

	if (!list)
		return give_up(bench, "listing the PMCGs", ENOMEM);
	number = pmcg_list(list, PMCG_MAX);
	for (i = 0; i < number && error; i++) {
		if (stimulus_choose(&bench->stimulus, list[i].page))
			continue;
		pmcg_hardware(&bench->stimulus, &bench->hardware);
		if (bench->hardware.global_filter || bench->hardware.counters < counters ||
		    bench->hardware.bits != bits || (capture && !bench->hardware.capture))
			continue;
		bench->pmcg = list[i];
		error = pmcg_pin(list[i].cpu);
	}
	free(list);
	if (error)
		return give_up(bench, "no PMCG with such counters, filters and CAPTURE", -error);
	return 0;
}

/* All members differ in event and filter from what their counter counts in another group. */
static int open_group(struct bench *bench, int *fds, unsigned int first_event,
		      unsigned int disabled)
{
	struct pmcg_filter filter = { .enable = true };
	struct perf_event_attr attr;
	int i;

	for (i = 0; i < COST_GROUP; i++) {
		filter.stream_id = 0x100 * first_event + i;
		if (pmcg_describe(&bench->pmcg, &attr, first_event + i % 2, &filter))
			return give_up(bench, "describing an event", EINVAL);
		attr.read_format = PERF_FORMAT_GROUP;
		attr.disabled = !i && disabled;
		fds[i] = pmcg_open_attr(&bench->pmcg, &attr, i ? fds[0] : -1);
		if (fds[i] < 0)
			return give_up(bench, "opening a group", -fds[i]);
	}
	return 0;
}

static void close_group(int *fds)
{
	int i;

	for (i = COST_GROUP; i--;)
		close(fds[i]);
}

/*
 * Nothing is measured, but every counter's event and filter are others now, and it is far
 * from a carry between its halves, beside which it is read more than once.
 */
static int spoil(struct bench *bench)
{
	int i, fds[COST_GROUP];
	__u32 low_half;

	if (open_group(bench, fds, 3, 0))
		return -1;
	/* The members of the only group are on the counters from 0 on. */
	for (i = 0; i < COST_GROUP; i++) {
		low_half = pmcg_counter(&bench->stimulus, &bench->hardware, i);
		stimulus_inject(&bench->stimulus, 3 + i % 2, 0x300 + i,
				(__u32)(0x40000000 - low_half));
	}
	close_group(fds);
	return 0;
}

static int measure_single(struct bench *bench, struct cost *costs)
{
	int fd;

	start(bench);
	stimulus_inject(&bench->stimulus, PMCG_EVENT_TRANSACTION, 0x8, 1ULL << 63);
	stimulus_inject(&bench->stimulus, PMCG_EVENT_TRANSACTION, 0x8, 1ULL << 63);
	costs[COST_IDLE] = since_start(bench);

	start(bench);
	fd = pmcg_open(&bench->pmcg, PMCG_EVENT_TRANSACTION, -1);
	if (fd < 0)
		return give_up(bench, "opening an event", -fd);
	close(fd);
	costs[COST_OPEN_CLOSE] = since_start(bench);
	return 0;
}

static int set_group(struct bench *bench, int leader, unsigned long request, struct cost *cost)
{
	start(bench);
	/* As perf does: the leader takes its group along. */
	if (ioctl(leader, request, 0))
		return give_up(bench, "enabling or disabling a group", errno);
	*cost = since_start(bench);
	return 0;
}

static int measure_group(struct bench *bench, struct cost *costs)
{
	__u64 values[COST_GROUP];
	int fds[COST_GROUP];

	start(bench);
	if (open_group(bench, fds, 1, 1))
		return -1;
	costs[COST_OPEN_GROUP] = since_start(bench);
	if (set_group(bench, fds[0], PERF_EVENT_IOC_ENABLE, &costs[COST_ENABLE_GROUP]))
		return -1;
	start(bench);
	if (pmcg_read_group(fds[0], values, COST_GROUP))
		return give_up(bench, "reading a group", EIO);
	costs[COST_READ_GROUP] = since_start(bench);
	if (set_group(bench, fds[0], PERF_EVENT_IOC_DISABLE, &costs[COST_DISABLE_GROUP]) ||
	    set_group(bench, fds[0], PERF_EVENT_IOC_ENABLE, &costs[COST_ENABLE_GROUP_AGAIN]))
		return -1;
	close_group(fds);
	return 0;
}

/*
 * perf rotates in an interrupt on this CPU: whatever is seen of it from here is
 * the whole of it.
 */
static int wait_for_rotation(struct bench *bench, struct cost *cost)
{
	time_t end = time(NULL) + PATIENCE;

	start(bench);
	do {
		if (time(NULL) > end)
			return give_up(bench, "waiting for a rotation", ETIMEDOUT);
		*cost = since_start(bench);
	} while (!cost->writes);
	return 0;
}

static int measure_rotation(struct bench *bench, struct cost *least)
{
	int first[COST_GROUP], second[COST_GROUP], i;
	char path[PATH_MAX], previous[32];
	struct cost cost;

	if (pmcg_attribute(&bench->pmcg, "perf_event_mux_interval_ms", previous, sizeof(previous)))
		return give_up(bench, "reading the rotation interval", EIO);
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/perf_event_mux_interval_ms",
		 bench->pmcg.name);
	if (write_text(path, ROTATION_MS))
		return give_up(bench, "setting the rotation interval", EIO);
	if (open_group(bench, first, 1, 0) || open_group(bench, second, 3, 0))
		return -1;
	for (i = 0; i < ROTATIONS; i++) {
		if (wait_for_rotation(bench, &cost))
			return -1;
		if (!i || cost.reads + cost.writes < least->reads + least->writes)
			*least = cost;
	}
	close_group(second);
	close_group(first);
	write_text(path, previous);
	return 0;
}

static int measure_overflow(struct bench *bench, struct cost *cost)
{
	int counter, fd = pmcg_open(&bench->pmcg, PMCG_EVENT_TRANSACTION, -1);
	__u64 value, edges = stimulus_edges(&bench->stimulus);

	if (fd < 0)
		return give_up(bench, "opening an event", -fd);
	counter = pmcg_counter_of_event(&bench->stimulus, &bench->hardware,
					PMCG_EVENT_TRANSACTION);
	if (counter < 0)
		return give_up(bench, "the event is on no counter", 0);
	value = pmcg_counter(&bench->stimulus, &bench->hardware, counter);
	start(bench);
	stimulus_inject(&bench->stimulus, PMCG_EVENT_TRANSACTION, 0x8,
			(1ULL << bench->hardware.bits) - value);
	*cost = since_start(bench);
	if (stimulus_edges(&bench->stimulus) != edges + 1)
		return give_up(bench, "there was not exactly one interrupt", 0);
	close(fd);
	return 0;
}

/* Events of real traffic would come at any time. */
static int measure_quiet(struct bench *bench, struct cost *costs)
{
	int error;

	stimulus_traffic(&bench->stimulus, false);
	error = spoil(bench) || measure_single(bench, costs) || spoil(bench) ||
		measure_group(bench, costs) || measure_rotation(bench, &costs[COST_ROTATION]);
	stimulus_traffic(&bench->stimulus, true);
	if (error || choose(bench, 1, 32, false))
		return -1;
	stimulus_traffic(&bench->stimulus, false);
	error = measure_overflow(bench, &costs[COST_OVERFLOW]);
	stimulus_traffic(&bench->stimulus, true);
	return error;
}

/**
 * cost_measure() - count the accesses of every operation
 * @costs: receives COST_OPERATIONS results
 * @reason: receives why there are none
 * @size: of @reason
 *
 * Return: 0, or -1 with @reason.
 */
int cost_measure(struct cost *costs, char *reason, size_t size)
{
	struct bench bench = { .reason = reason, .size = size };
	int error;

	if (stimulus_open(&bench.stimulus))
		return give_up(&bench, bench.stimulus.missing, 0);
	error = choose(&bench, COST_GROUP, 64, true);
	if (!error)
		error = measure_quiet(&bench, costs);
	return error;
}
