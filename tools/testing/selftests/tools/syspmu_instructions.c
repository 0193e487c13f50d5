// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the cost of whole system calls with the loaded driver: for each operation and group size a
 * line with the read accesses, the write accesses, the nanoseconds and the name of the operation.
 * If the time is derived from instructions (boot -i) and there is one CPU, a nanosecond is an
 * instruction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mmio_count.h"
#include "platform.h"
#include "pmu.h"
#include "stimulus.h"

#define LARGEST		64

/*
 * The first repetitions warm up the kernel's caches; the median of the others is printed, so that a
 * tick or a page allocated by slab has no effect.
 */
#define WARM_UP		4
#define REPETITIONS	31

enum operation { OPEN, ENABLE, READ, DISABLE, CLOSE, OPERATIONS };

static const char * const names[OPERATIONS] = {
	[OPEN]		= "open",
	[ENABLE]	= "enable",
	[READ]		= "read",
	[DISABLE]	= "disable",
	[CLOSE]		= "close",
};

/* A PMU whose system calls are measured. */
struct meter {
	struct pmu pmu;
	struct stimulus stimulus;	/* counts the accesses to its registers */
	/* Of the members of two groups, all with different events and filters */
	struct perf_event_attr attributes[2][LARGEST];
	long long time[OPERATIONS][REPETITIONS];	/* times of the repetitions */
	struct mmio_count accesses[OPERATIONS];	/* of the last repetition */
	long long overhead;	/* time that it takes to read the clock */
	long long started;	/* time at which the current measurement began */
	struct mmio_count before;	/* accesses until then */
};

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void start(struct meter *meter)
{
	meter->before = mmio_count_now(&meter->stimulus);
	meter->started = now();
}

static void stop(struct meter *meter, enum operation operation, int repetition)
{
	long long stopped = now();
	struct mmio_count after = mmio_count_now(&meter->stimulus);

	meter->accesses[operation].reads = after.reads - meter->before.reads;
	meter->accesses[operation].writes = after.writes - meter->before.writes;
	if (repetition >= 0)
		meter->time[operation][repetition] = stopped - meter->started - meter->overhead;
}

static int ascending(const void *a, const void *b)
{
	long long difference = *(const long long *)a - *(const long long *)b;

	return difference < 0 ? -1 : difference > 0;
}

static long long median(long long *values)
{
	qsort(values, REPETITIONS, sizeof(*values), ascending);
	return values[REPETITIONS / 2];
}

static void measure_overhead(struct meter *meter)
{
	int i;

	for (i = 0; i < REPETITIONS; i++) {
		start(meter);
		stop(meter, OPEN, i);
	}
	meter->overhead = median(meter->time[OPEN]);
}

/* The PMU with the most counters that have their own filter. */
static int choose(struct meter *meter)
{
	struct pmu *list = calloc(PMU_MAX, sizeof(*list));
	int i, best = -1, number = list ? pmu_list(list, PMU_MAX) : 0;
	struct pmu_hardware hardware;
	unsigned int most = 0;

	for (i = 0; i < number; i++) {
		if (stimulus_choose(&meter->stimulus, list[i].page))
			continue;
		pmu_identify(&list[i], &meter->stimulus, &hardware);
		if (!hardware.global_filter && hardware.counters > most) {
			most = hardware.counters;
			best = i;
		}
	}
	if (most < LARGEST) {
		fprintf(stderr, "no PMU with %d counters that have filters\n", LARGEST);
		free(list);
		return -1;
	}
	meter->pmu = list[best];
	free(list);
	stimulus_choose(&meter->stimulus, meter->pmu.page);
	return cpu_pin(meter->pmu.cpu);
}

static int describe(struct meter *meter)
{
	const struct pmu *pmu = &meter->pmu;
	struct perf_event_attr *attr;
	int i, group;

	for (group = 0; group < 2; group++) {
		for (i = 0; i < LARGEST; i++) {
			attr = &meter->attributes[group][i];
			if (pmu_describe(pmu, attr, 1 + 2 * group + i % 2) ||
			    pmu->family->filter(pmu, attr, 0x100 * (group + 1) + i))
				return -1;
			attr->read_format = PERF_FORMAT_GROUP;
			attr->disabled = !i;
		}
	}
	return 0;
}

static int repeat_once(struct meter *meter, int size, int repetition)
{
	struct perf_event_attr *attributes = meter->attributes[repetition & 1];
	int i, fds[LARGEST], cpu = meter->pmu.cpu, error = 0;
	__u64 values[1 + LARGEST];

	start(meter);
	for (i = 0; i < size; i++)
		fds[i] = syscall(SYS_perf_event_open, &attributes[i], -1, cpu, i ? fds[0] : -1, 0);
	stop(meter, OPEN, repetition);
	for (i = 0; i < size; i++)
		error |= fds[i] < 0;

	start(meter);
	error |= ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	stop(meter, ENABLE, repetition);

	start(meter);
	error |= read(fds[0], values, sizeof(values)) != (1 + size) * (int)sizeof(*values);
	stop(meter, READ, repetition);

	start(meter);
	error |= ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	stop(meter, DISABLE, repetition);

	start(meter);
	for (i = size; i--;)
		close(fds[i]);
	stop(meter, CLOSE, repetition);
	/* Let RCU free memory before the next measurement. */
	usleep(50000);
	return error;
}

static int measure(struct meter *meter, int size)
{
	int repetition;
	int operation;

	for (repetition = -WARM_UP; repetition < REPETITIONS; repetition++) {
		if (repeat_once(meter, size, repetition)) {
			fprintf(stderr, "cannot count with a group of %d events\n", size);
			return 1;
		}
	}
	for (operation = 0; operation < OPERATIONS; operation++)
		printf("%llu %llu %lld %s %d\n", meter->accesses[operation].reads,
		       meter->accesses[operation].writes, median(meter->time[operation]),
		       names[operation], size);
	return 0;
}

int main(void)
{
	static const int sizes[] = { 1, 8, 32, 64 };
	static struct meter meter;
	unsigned int i;
	int error = 0;

	if (stimulus_open(&meter.stimulus)) {
		fprintf(stderr, "%s\n", meter.stimulus.missing);
		return 1;
	}
	if (choose(&meter) || describe(&meter))
		return 1;
	stimulus_traffic(&meter.stimulus, false);
	measure_overhead(&meter);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && !error; i++)
		error = measure(&meter, sizes[i]);
	stimulus_traffic(&meter.stimulus, true);
	return error;
}
