/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common part of tests of sampling: a fixture with a variant for each PMU that can sample, and
 * events with a ring buffer. Included once by each test.
 */
#ifndef ARM_SYSPMU_SAMPLING_FIXTURE_H
#define ARM_SYSPMU_SAMPLING_FIXTURE_H

#include "fixture.h"
#include "ring.h"

#define PERIOD		1000

static inline bool can_sample(const struct machine *machine)
{
	return !reference_has(&machine->pmu, REFERENCE_NEVER_SAMPLES) &&
	       has_interrupt(machine) && !(machine->pmu.errata & PMU_COUNTERS_ARE_READ_ONLY);
}

PMU_FIXTURE(sampling, can_sample, true)

/* The attributes of a sampling event; the caller may change them before it is opened. */
static inline struct perf_event_attr sampling_attr(__u64 period)
{
	struct perf_event_attr attr = attr_of(pmu->event);

	attr.sample_period = period;
	attr.sample_type = RING_SAMPLE_TYPE;
	attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

static inline int open_sampling_attr(struct perf_event_attr *attr, int group_fd, struct ring *ring)
{
	int fd = pmu_open_attr(pmu, attr, group_fd);

	ASSERT_LE(0, fd)
		TH_LOG("sample_period %llu: %s", attr->sample_period, strerror(-fd));
	ASSERT_EQ(0, ring_open(ring, fd));
	return fd;
}

static inline int open_sampling(__u64 period, struct ring *ring)
{
	struct perf_event_attr attr = sampling_attr(period);

	return open_sampling_attr(&attr, -1, ring);
}

/*
 * By default, perf throttles events with more than 100000 samples per second. Only one test is
 * about that; the others pause, even on a fast machine.
 */
static inline void stay_below_the_limit(unsigned int samples)
{
	if (samples % 100 == 0)
		usleep(10000);
}

/* The number of samples, when all interrupts so far have been handled. */
static inline __u64 samples(struct ring *ring, int fd, struct ring_tally *tally)
{
	value_of(fd);
	ring_drain(ring, tally);
	return tally->samples;
}

#endif
