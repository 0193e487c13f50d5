/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests of sampling share: a fixture with a variant for each PMCG that can
 * sample, and events with a ring buffer. Included once by each test.
 */
#ifndef ARM_SYSPMU_SAMPLING_FIXTURE_H
#define ARM_SYSPMU_SAMPLING_FIXTURE_H

#include "platform.h"
#include "pmcg_fixture.h"
#include "ring.h"

#define EVENT		PMCG_EVENT_TRANSACTION
#define OTHER_EVENT	PMCG_EVENT_TLB_MISS
#define PERIOD		1000

/* The counters of HiSilicon's HIP08 cannot be written. */
static inline bool can_sample(const struct pmcg_machine *machine)
{
	return !machine->pmcg.in_tree && has_interrupt(machine) && !machine_is("HIP08");
}

FIXTURE(sampling) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(sampling) {
	char name[PMCG_NAME_LENGTH];
};

FIXTURE_SETUP(sampling)
{
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
}

FIXTURE_TEARDOWN(sampling)
{
	machine_teardown(_metadata, &self->machine);
}

static void LATER add_sampling_variants(void)
{
	add_variants(&_sampling_fixture_object, can_sample);
}

static inline struct perf_event_attr sampling_attr(struct __test_metadata *_metadata,
						   const struct pmcg *pmcg, __u64 period)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmcg_describe(pmcg, &attr, EVENT, NULL));
	attr.sample_period = period;
	attr.sample_type = RING_SAMPLE_TYPE;
	attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

static inline int open_sampling_attr(struct __test_metadata *_metadata, const struct pmcg *pmcg,
				     struct perf_event_attr *attr, int group_fd,
				     struct ring *ring)
{
	int fd = pmcg_open_attr(pmcg, attr, group_fd);

	ASSERT_LE(0, fd)
		TH_LOG("sample_period %llu: %s", (unsigned long long)attr->sample_period,
		       strerror(-fd));
	ASSERT_EQ(0, ring_open(ring, fd));
	return fd;
}

static inline int open_sampling(struct __test_metadata *_metadata, const struct pmcg *pmcg,
				__u64 period, struct ring *ring)
{
	struct perf_event_attr attr = sampling_attr(_metadata, pmcg, period);

	return open_sampling_attr(_metadata, pmcg, &attr, -1, ring);
}

static inline void inject(struct pmcg_machine *machine, __u64 number)
{
	stimulus_inject(&machine->stimulus, EVENT, 0x8, number);
}

/*
 * Samples that come too fast are throttled: 100000 in a second are what perf allows by
 * default. No test but one shall meet that, however fast the machine is.
 */
static inline void stay_below_the_limit(unsigned int samples)
{
	if (samples % 100 == 0)
		usleep(10000);
}

/* How many samples there are, all interrupts of the past having been handled. */
static inline __u64 samples(struct ring *ring, int fd, struct ring_tally *tally)
{
	__u64 value;

	pmcg_read_group(fd, &value, 1);
	ring_drain(ring, tally);
	return tally->samples;
}

static inline __u64 value_of(int fd)
{
	__u64 value;

	return pmcg_read_group(fd, &value, 1) ? PMCG_NO_VALUE : value;
}

#endif
