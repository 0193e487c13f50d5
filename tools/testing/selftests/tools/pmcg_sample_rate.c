// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the maximum sampling rate: for shorter and shorter periods of a PMCG's clock a line with
 * the rate, the number of samples, the periods that they represent, and how many of these had no
 * sample of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "platform.h"
#include "pmcg.h"
#include "ring.h"

#define NANOSECONDS	1000000000ULL
#define LONG_ENOUGH	(NANOSECONDS / 10)

static __u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

static int open_clock(const struct pmu *pmu, __u64 period)
{
	struct perf_event_attr attr;

	if (pmu_describe(pmu, &attr, PMCG_EVENT_CYCLES))
		return -1;
	attr.disabled = 1;
	attr.sample_period = period;
	attr.sample_type = RING_SAMPLE_TYPE;
	attr.read_format = PERF_FORMAT_GROUP;
	return pmu_open_attr(pmu, &attr, -1);
}

/* Not every model has a running clock. */
static bool clock_runs(const struct pmu *pmu)
{
	__u64 value = 0;
	int fd = open_clock(pmu, NANOSECONDS);

	if (fd < 0)
		return false;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	usleep(1000);
	pmu_read_group(fd, &value, 1);
	close(fd);
	return value;
}

static __u64 take_samples(struct ring *ring, struct ring_tally *tally)
{
	struct ring_sample sample;
	__u64 counted = 0;

	while (ring_next_sample(ring, tally, &sample))
		counted += sample.period;
	return counted;
}

static int measure(const struct pmu *pmu, __u64 period)
{
	struct ring_tally tally = { 0 };
	__u64 start, passed, periods = 0;
	struct ring ring;
	int fd = open_clock(pmu, period);

	if (fd < 0 || ring_open(&ring, fd)) {
		fprintf(stderr, "cannot open an event with a period of %llu\n", period);
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	start = now();
	do {
		usleep(1000);
		periods += take_samples(&ring, &tally);
		passed = now() - start;
	} while (passed < LONG_ENOUGH);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	periods += take_samples(&ring, &tally);
	ring_close(&ring);
	close(fd);
	if (tally.lost) {
		fprintf(stderr, "cannot read the samples of a period of %llu\n", period);
		return 1;
	}
	periods /= period;
	printf("rate %llu %llu %llu %llu\n", periods * NANOSECONDS / passed, tally.samples,
	       periods, periods - tally.samples);
	return 0;
}

int main(void)
{
	static const __u64 periods[] = { 10000000, 1000000, 100000, 50000, 20000, 15000, 12000,
					 10000 };
	struct pmu *list = calloc(PMU_MAX, sizeof(*list));
	int i, number, error = 0;

	if (!list)
		return 1;
	number = pmu_list(list, PMU_MAX);
	for (i = 0; i < number && !clock_runs(&list[i]); i++)
		;
	if (i == number) {
		fprintf(stderr, "no PMCG with a clock that runs and an interrupt\n");
		return 1;
	}
	/* The CPU of the PMU makes the samples, this one reads them. */
	cpu_pin(cpu_other_than(list[i].cpu));
	for (number = 0; number < (int)(sizeof(periods) / sizeof(*periods)); number++)
		error |= measure(&list[i], periods[number]);
	free(list);
	return error;
}
