// SPDX-License-Identifier: GPL-2.0
/*
 * Gauges and samples: none are made of a gauge, those of other events include its value, also of
 * the instant at which the monitors were frozen.
 */
#include "gauge_fixture.h"
#include "refusal.h"
#include "sampling_fixture.h"

/* perf record first sets exclude_guest. */
TEST_F_TIMEOUT(gauge, sampling_is_refused, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct pmu *pmu = &gauges->machine.pmu;
	struct refusal refusal = {
		.word = pmu_can_interrupt(pmu) ? "shows a state" : "sample_period",
		.pid = -1,
		.cpu = pmu->cpu,
		.group_fd = -1,
		.expected = -EOPNOTSUPP,
	};

	refusal.attr = attr_of(_metadata, &gauges->machine, DEPTH);
	refusal.attr.sample_period = 1000;
	expect_message(_metadata, pmu, &refusal);
	refusal.attr.exclude_guest = 1;
	EXPECT_EQ(-EOPNOTSUPP, refused(&refusal.attr, -1, pmu->cpu, -1));
	refusal.attr.freq = 1;
	EXPECT_EQ(-EOPNOTSUPP, refused(&refusal.attr, -1, pmu->cpu, -1));
}

/* The members of a sample: the gauge has its value, the others are exact. */
TEST_F_TIMEOUT(gauge, samples, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct perf_event_attr attr = attr_of(_metadata, machine, CORESIGHT_EVENT);
	__u64 total = 0, other = 0, read[3];
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	unsigned int i, monitor;
	struct ring ring;
	int leader;

	if (!can_sample(machine) || machine->hardware.counters < 3)
		SKIP(return, "this PMU cannot sample, or has less than three counters");
	attr.sample_period = PERIOD;
	attr.sample_type = RING_SAMPLE_TYPE;
	leader = open_attr(_metadata, gauges, &attr, -1);
	ASSERT_EQ(0, ring_open(&ring, leader));
	open_event(_metadata, gauges, DEPTH, leader);
	open_event(_metadata, gauges, CORESIGHT_OTHER_EVENT, leader);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	for (i = 0; i < VALUES; i++) {
		set_value(_metadata, gauges, monitor, DEPTH, values[i]);
		inject_event(gauges, CORESIGHT_OTHER_EVENT, 5 + i);
		inject_event(gauges, CORESIGHT_EVENT, PERIOD);
		total += PERIOD;
		other += 5 + i;
		ASSERT_EQ(0, pmu_read_group(leader, read, 3));
		EXPECT_EQ(total, read[0]);
		EXPECT_EQ(values[i], read[1]);
		EXPECT_EQ(other, read[2]);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
			TH_LOG("no sample %u", i);
		EXPECT_EQ(total, sample.values[0]);
		EXPECT_EQ(values[i], sample.values[1])
			TH_LOG("sample %u", i);
		EXPECT_EQ(other, sample.values[2]);
		EXPECT_EQ(PERIOD, sample.period);
	}
	ring_close(&ring);
}

static bool freezes(struct gauges *gauges)
{
	return stimulus_peek32(&gauges->machine.stimulus, PMCR) & PMCR_FZO;
}

static int open_exclusive(struct __test_metadata *_metadata, struct gauges *gauges,
			  struct ring *ring)
{
	struct perf_event_attr attr = attr_of(_metadata, &gauges->machine, CORESIGHT_EVENT);
	int leader;

	attr.sample_period = PERIOD;
	attr.sample_type = RING_SAMPLE_TYPE;
	attr.exclusive = 1;
	leader = open_attr(_metadata, gauges, &attr, -1);
	ASSERT_EQ(0, ring_open(ring, leader));
	return leader;
}

/* A monitor without overflow status freezes with the others; the sample has its value of then. */
TEST_F_TIMEOUT(gauge, frozen_samples, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	__u64 total = 0, read[2];
	struct ring ring;
	unsigned int i;
	int leader;

	if (!(gauges->coresight.cfgr & PMCFGR_FZO) || is_uniform(machine) || !can_sample(machine))
		SKIP(return, "this PMU cannot freeze, or has no monitor without overflow status");
	leader = open_exclusive(_metadata, gauges, &ring);
	open_event(_metadata, gauges, LEVEL, leader);
	/* A member is added: the group is scheduled again with all of them. */
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(freezes(gauges));
	for (i = 0; i < VALUES; i++) {
		set_value(_metadata, gauges, 3, LEVEL, values[i]);
		stimulus_hold(&machine->stimulus, true);
		inject_event(gauges, CORESIGHT_EVENT, PERIOD);
		total += PERIOD;
		/* Not shown, since it is frozen. */
		inject_event(gauges, LEVEL, 9);
		if (i % 2) {
			ASSERT_EQ(0, pmu_read_group(leader, read, 2));
			EXPECT_EQ(values[i], read[1]);
		}
		stimulus_hold(&machine->stimulus, false);
		ASSERT_EQ(0, pmu_read_group(leader, read, 2));
		EXPECT_EQ(total, read[0]);
		EXPECT_EQ(values[i], read[1]);
		inject_event(gauges, LEVEL, 77);
		ASSERT_EQ(0, pmu_read_group(leader, read, 2));
		EXPECT_EQ(77, read[1]);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
			TH_LOG("no sample %u", i);
		EXPECT_EQ(total, sample.values[0]);
		EXPECT_EQ(values[i], sample.values[1]);
	}
	ring_close(&ring);
}

#define MAX_SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

/*
 * perf throttles the group before it makes the sample, which stops the gauge: the sample has the
 * value of the overflow, and the gauge its last one afterwards.
 */
TEST_F_TIMEOUT(gauge, throttled_with_its_group, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	char rate[32];
	__u64 read[2];
	struct ring ring;
	unsigned int i;
	int leader;

	if (!(gauges->coresight.cfgr & PMCFGR_FZO) || is_uniform(machine) || !can_sample(machine))
		SKIP(return, "this PMU cannot freeze, or has no monitor without overflow status");
	if (kernel_is_before(6, 17))
		SKIP(return, "this kernel does not throttle groups");
	leader = open_exclusive(_metadata, gauges, &ring);
	open_event(_metadata, gauges, LEVEL, leader);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_LT(0, read_text(MAX_SAMPLE_RATE, rate, sizeof(rate)));
	ASSERT_EQ(0, write_text(MAX_SAMPLE_RATE, "1"));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
		set_value(_metadata, gauges, 3, LEVEL, values[i]);
		stimulus_hold(&machine->stimulus, true);
		inject_event(gauges, CORESIGHT_EVENT, PERIOD);
		/* Shown from the first access on for which the monitors are not frozen. */
		stimulus_step(&machine->stimulus, LEVEL, SOURCE, 9);
		stimulus_hold(&machine->stimulus, false);
		EXPECT_EQ(0, pmu_read_group(leader, read, 2));
		stimulus_step(&machine->stimulus, 0, 0, 0);
		EXPECT_EQ(9, read[1]);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
		EXPECT_EQ((i + 1) * PERIOD, sample.values[0]);
		EXPECT_EQ(values[i], sample.values[1])
			TH_LOG("sample %u", i);
		EXPECT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	}
	EXPECT_EQ(0, write_text(MAX_SAMPLE_RATE, rate));
	EXPECT_LT(0, tally.throttled);
	ring_close(&ring);
}

/* A status that nothing handles must not freeze, be it that of a member or left by another. */
TEST_F_TIMEOUT(gauge, does_not_freeze_others, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct ring_tally tally = { 0 };
	unsigned int i, monitor;
	__u64 read[2];
	struct ring ring;
	int leader;

	if (!(gauges->coresight.cfgr & PMCFGR_FZO) || !can_sample(machine))
		SKIP(return, "this PMU cannot freeze");
	for (i = 0; i < 2; i++) {
		leader = open_exclusive(_metadata, gauges, &ring);
		open_event(_metadata, gauges, DEPTH, leader);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_FALSE(freezes(gauges));
		monitor = monitor_of(_metadata, gauges, DEPTH, 0);
		inject_event(gauges, DEPTH, ~0ULL);
		set_value(_metadata, gauges, monitor, DEPTH, 5);
		EXPECT_TRUE(has_status(gauges, monitor));
		ring_close(&ring);
		close_all(_metadata, gauges);

		leader = open_exclusive(_metadata, gauges, &ring);
		EXPECT_TRUE(freezes(gauges));
		EXPECT_FALSE(has_status(gauges, monitor));
		inject_event(gauges, CORESIGHT_EVENT, PERIOD);
		ASSERT_EQ(0, pmu_read_group(leader, read, 1));
		EXPECT_EQ(PERIOD, read[0]);
		ring_drain(&ring, &tally);
		EXPECT_EQ(i + 1, tally.samples);
		ring_close(&ring);
		close_all(_metadata, gauges);
	}
}

TEST_HARNESS_MAIN
