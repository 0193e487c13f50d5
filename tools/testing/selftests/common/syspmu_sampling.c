// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling: each sample has the counts of the whole group at the overflow, or, without capture,
 * when it was handled; and events that are opened and closed meanwhile.
 */
#include "sampling_fixture.h"

/*
 * perf removes the event from its counter and adds it again when another event is opened or closed.
 */
TEST_F(sampling, others_come_and_go)
{
	struct machine *machine = &self->machine;
	struct ring_tally tally = { 0 };
	unsigned int round;
	struct ring ring;
	int fd, other;

	if (machine->hardware.counters < 2)
		SKIP(return, "this PMU has only one counter");
	fd = open_sampling(_metadata, &machine->pmu, PERIOD, &ring);
	for (round = 1; round <= 50; round++) {
		inject(machine, round);
		other = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
		inject(machine, PERIOD - 2 * round);
		EXPECT_EQ(PERIOD - 2 * round, pmu_value(other));
		close(other);
		ASSERT_EQ(round - 1, samples(&ring, fd, &tally));
		inject(machine, round);
		ASSERT_EQ(round, samples(&ring, fd, &tally));
		ASSERT_EQ(round * PERIOD, value_of(fd));
	}
	ring_close(&ring);
}

TEST_F_TIMEOUT(sampling, counting_events_are_not_disturbed, SLOW)
{
	struct machine *machine = &self->machine;
	__u64 step = over_half(machine), total = 0;
	struct ring_tally tally = { 0 };
	int fd, beside, sibling;
	unsigned int round;
	struct ring ring;

	if (machine->hardware.counters < 3)
		SKIP(return, "this PMU has too few counters");
	beside = must_open(_metadata, &machine->pmu, machine->pmu.other_event, -1);
	fd = open_sampling(_metadata, &machine->pmu, 10, &ring);
	sibling = must_open(_metadata, &machine->pmu, machine->pmu.other_event, fd);
	for (round = 1; round <= 500; round++) {
		inject(machine, 10);
		inject_other(machine, step);
		total += step;
		stay_below_the_limit(round);
		if (round % 100 == 0) {
			ASSERT_EQ(total, pmu_value(beside));
			ASSERT_EQ(total, pmu_value(sibling));
		}
	}
	ring_drain(&ring, &tally);
	EXPECT_EQ(500, tally.samples);
	ring_close(&ring);
}

/* Two periods on two counters, which often end with the same event. */
TEST_F(sampling, two_sampling_events)
{
	struct ring_tally tallies[2] = { { 0 } };
	struct ring rings[2];
	unsigned int i;
	int fds[2];

	if (self->machine.hardware.counters < 2)
		SKIP(return, "this PMU has only one counter");
	fds[0] = open_sampling(_metadata, &self->machine.pmu, 20, &rings[0]);
	fds[1] = open_sampling(_metadata, &self->machine.pmu, 30, &rings[1]);
	for (i = 10; i <= 1200; i += 10) {
		inject(&self->machine, 10);
		ASSERT_EQ(i / 20, samples(&rings[0], fds[0], &tallies[0]))
			TH_LOG("event %u", i);
		ASSERT_EQ(i / 30, samples(&rings[1], fds[1], &tallies[1]))
			TH_LOG("event %u", i);
	}
	EXPECT_EQ(1200, value_of(fds[0]));
	EXPECT_EQ(1200, value_of(fds[1]));
	ring_close(&rings[0]);
	ring_close(&rings[1]);
}

/* The sample has no counts, but there is another event. */
TEST_F(sampling, without_counts)
{
	struct machine *machine = &self->machine;
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	unsigned int round;
	struct ring ring;
	int fd, other;

	if (machine->hardware.counters < 2)
		SKIP(return, "this PMU has only one counter");
	attr = sampling_attr(_metadata, &machine->pmu, PERIOD);
	attr.sample_type &= ~PERF_SAMPLE_READ;
	fd = open_sampling_attr(_metadata, &machine->pmu, &attr, -1, &ring);
	other = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	for (round = 1; round <= 20; round++) {
		inject(machine, PERIOD);
		ASSERT_EQ(round * PERIOD, value_of(fd));
		ASSERT_EQ(round * PERIOD, pmu_value(other));
		ASSERT_EQ(round, samples(&ring, fd, &tally));
	}
	ring_close(&ring);
}

/*
 * The interrupt is held back, and more events occur meanwhile. A sample has the counts at the
 * overflow if the overflow captures, otherwise those at the time of the handler.
 */
TEST_F(sampling, a_sample_has_the_counts_of_its_group)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 values[2], late, extra, leader_total = 0, sibling_total = 0;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	unsigned int round;
	struct ring ring;
	int leader;

	if (machine->hardware.counters < 2)
		SKIP(return, "this PMU has only one counter");
	leader = open_sampling(_metadata, &machine->pmu, PERIOD, &ring);
	must_open(_metadata, &machine->pmu, machine->pmu.other_event, leader);
	for (round = 1; round <= 20; round++) {
		/* The last events of this period; some may be from the previous round. */
		inject_other(machine, 100 + round);
		sibling_total += 100 + round;
		stimulus_hold(stimulus, true);
		inject(machine, PERIOD - leader_total % PERIOD);
		leader_total += PERIOD - leader_total % PERIOD;
		late = 10000 * round;
		inject_other(machine, late);
		/* Fewer each time: a period that begins late would end too late. */
		extra = 50 - round;
		inject(machine, extra);
		stimulus_hold(stimulus, false);

		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		EXPECT_EQ(leader_total + extra, values[0]);
		EXPECT_EQ(sibling_total + late, values[1]);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
			TH_LOG("round %u", round);
		ASSERT_EQ(2, sample.number);
		if (machine->hardware.overflow_capture) {
			EXPECT_EQ(leader_total, sample.values[0]);
			EXPECT_EQ(sibling_total, sample.values[1]);
		} else {
			EXPECT_EQ(leader_total + extra, sample.values[0]);
			EXPECT_EQ(sibling_total + late, sample.values[1]);
		}
		ASSERT_FALSE(ring_next_sample(&ring, &tally, &sample));
		leader_total += extra;
		sibling_total += late;
	}
	ring_close(&ring);
}

/* The same with a group read between the overflow and its interrupt. */
TEST_F(sampling, a_read_between_overflow_and_interrupt)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct ring_tally tally = { 0 };
	__u64 values[2], total = 0;
	struct ring_sample sample;
	unsigned int round;
	struct ring ring;
	int leader;

	if (machine->hardware.counters < 2)
		SKIP(return, "this PMU has only one counter");
	leader = open_sampling(_metadata, &machine->pmu, PERIOD, &ring);
	must_open(_metadata, &machine->pmu, machine->pmu.other_event, leader);
	for (round = 1; round <= 20; round++) {
		stimulus_hold(stimulus, true);
		inject(machine, PERIOD);
		inject_other(machine, round);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		EXPECT_EQ(round * PERIOD, values[0]);
		EXPECT_EQ(total + round, values[1]);
		inject_other(machine, 7);
		stimulus_hold(stimulus, false);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		EXPECT_EQ(round * PERIOD, values[0]);
		EXPECT_EQ(total + round + 7, values[1]);
		/* A sample never has less than what was read before. */
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
		EXPECT_EQ(round * PERIOD, sample.values[0]);
		EXPECT_EQ(total + round + (machine->hardware.overflow_capture ? 0 : 7),
			  sample.values[1]);
		ASSERT_FALSE(ring_next_sample(&ring, &tally, &sample));
		total += round + 7;
	}
	ring_close(&ring);
}

/* A sampling member of a group with a counting leader. */
TEST_F(sampling, a_member_samples)
{
	struct machine *machine = &self->machine;
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	struct ring_sample sample;
	unsigned int round;
	struct ring ring;
	__u64 values[2];
	int leader;

	if (machine->hardware.counters < 2)
		SKIP(return, "this PMU has only one counter");
	leader = must_open_leader(_metadata, &machine->pmu, machine->pmu.other_event);
	attr = sampling_attr(_metadata, &machine->pmu, PERIOD);
	open_sampling_attr(_metadata, &machine->pmu, &attr, leader, &ring);
	for (round = 1; round <= 20; round++) {
		inject_other(machine, 3);
		inject(machine, PERIOD);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		EXPECT_EQ(round * 3, values[0]);
		EXPECT_EQ(round * PERIOD, values[1]);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
		ASSERT_EQ(2, sample.number);
		EXPECT_EQ(round * 3, sample.values[0]);
		EXPECT_EQ(round * PERIOD, sample.values[1]);
		ASSERT_FALSE(ring_next_sample(&ring, &tally, &sample));
	}
	ring_close(&ring);
}

/*
 * Two members sample, and both overflow before the interrupt. With capture, both samples have the
 * counts at the later overflow, even if more events occur after it.
 */
TEST_F(sampling, two_members_sample)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct ring_tally tallies[2] = { { 0 } };
	__u64 values[2], total = 0, other_total = 0;
	struct ring_sample sample;
	struct perf_event_attr attr;
	struct ring rings[2];
	unsigned int i, round;
	int leader;

	if (machine->hardware.counters < 2)
		SKIP(return, "this PMU has only one counter");
	leader = open_sampling(_metadata, &machine->pmu, PERIOD, &rings[0]);
	attr = sampling_attr(_metadata, &machine->pmu, PERIOD);
	attr.config = machine->pmu.other_event;
	open_sampling_attr(_metadata, &machine->pmu, &attr, leader, &rings[1]);
	for (round = 1; round <= 20; round++) {
		stimulus_hold(stimulus, true);
		inject(machine, PERIOD);
		inject_other(machine, PERIOD);
		total += PERIOD;
		other_total += PERIOD;
		/* After both overflows; less than what would end a period. */
		inject(machine, 7);
		inject_other(machine, 3);
		stimulus_hold(stimulus, false);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		EXPECT_EQ(total + 7, values[0]);
		EXPECT_EQ(other_total + 3, values[1]);
		for (i = 0; i < 2; i++) {
			ASSERT_TRUE(ring_next_sample(&rings[i], &tallies[i], &sample))
				TH_LOG("round %u, event %u", round, i);
			ASSERT_EQ(2, sample.number);
			EXPECT_EQ(PERIOD, sample.period);
			EXPECT_EQ(total + (machine->hardware.overflow_capture ? 0 : 7),
				  sample.values[0])
				TH_LOG("round %u, event %u", round, i);
			EXPECT_EQ(other_total + (machine->hardware.overflow_capture ? 0 : 3),
				  sample.values[1])
				TH_LOG("round %u, event %u", round, i);
			ASSERT_FALSE(ring_next_sample(&rings[i], &tallies[i], &sample));
		}
		total += 7;
		other_total += 3;
	}
	ring_close(&rings[0]);
	ring_close(&rings[1]);
}

/* A period is changed, and the counter set, between the overflow and its interrupt. */
TEST_F(sampling, a_period_is_changed_before_the_interrupt)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	static const __u64 periods[] = { 77, 1000000 };
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	struct ring_sample sample;
	struct ring rings[2];
	__u64 values[2], period;
	unsigned int round;
	int leader, member;

	if (machine->hardware.counters < 2)
		SKIP(return, "this PMU has only one counter");
	leader = open_sampling(_metadata, &machine->pmu, PERIOD, &rings[0]);
	attr = sampling_attr(_metadata, &machine->pmu, 500000);
	attr.config = machine->pmu.other_event;
	member = open_sampling_attr(_metadata, &machine->pmu, &attr, leader, &rings[1]);
	for (round = 1; round <= 10; round++) {
		inject_other(machine, 1);
		stimulus_hold(stimulus, true);
		inject(machine, PERIOD);
		period = periods[round % 2];
		ASSERT_EQ(0, ioctl(member, PERF_EVENT_IOC_PERIOD, &period));
		stimulus_hold(stimulus, false);
		ASSERT_EQ(0, pmu_read_group(leader, values, 2));
		EXPECT_EQ(round * PERIOD, values[0]);
		EXPECT_EQ(round, values[1]);
		ASSERT_TRUE(ring_next_sample(&rings[0], &tally, &sample))
			TH_LOG("round %u", round);
		EXPECT_EQ(round * PERIOD, sample.values[0]);
		EXPECT_EQ(round, sample.values[1]);
	}
	ring_close(&rings[0]);
	ring_close(&rings[1]);
}

/* Only the event is read in between, which does not capture: the sample has no lower count. */
TEST_F(sampling, a_single_read_between_overflow_and_interrupt)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	struct ring_sample sample;
	__u64 total = 0, value;
	unsigned int round;
	struct ring ring;
	int fd;

	attr = sampling_attr(_metadata, &machine->pmu, PERIOD);
	attr.read_format = 0;
	/* Without PERF_SAMPLE_IP and read_format, the count is at the offset of the period. */
	attr.sample_type &= ~PERF_SAMPLE_IP;
	fd = open_sampling_attr(_metadata, &machine->pmu, &attr, -1, &ring);
	for (round = 0; round < 10; round++) {
		stimulus_hold(stimulus, true);
		inject(machine, PERIOD - total % PERIOD);
		inject(machine, 20);
		total += PERIOD - total % PERIOD + 20;
		ASSERT_EQ(sizeof(value), read(fd, &value, sizeof(value)));
		EXPECT_EQ(total, value);
		inject(machine, 7);
		stimulus_hold(stimulus, false);
		ASSERT_EQ(sizeof(value), read(fd, &value, sizeof(value)));
		EXPECT_EQ(total + 7, value);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
		EXPECT_LE(total, sample.period)
			TH_LOG("round %u", round);
		EXPECT_GE(total + 7, sample.period)
			TH_LOG("round %u", round);
		total += 7;
	}
	ring_close(&ring);
}

/* Events between the overflow and its interrupt are counted even if the event is stopped by it. */
TEST_F(sampling, the_last_sample_of_several)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct ring ring;
	int fd, other;

	fd = open_sampling(_metadata, &machine->pmu, PERIOD, &ring);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	stimulus_hold(stimulus, true);
	inject(machine, PERIOD);
	inject(machine, 50);
	stimulus_hold(stimulus, false);
	EXPECT_EQ(PERIOD + 50, value_of(fd));
	ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
	EXPECT_EQ(PERIOD + (machine->hardware.overflow_capture ? 0 : 50), sample.values[0]);
	inject(machine, 7);
	EXPECT_EQ(PERIOD + 50, value_of(fd));
	/* The next event on this counter does not count them. */
	other = must_open(_metadata, &machine->pmu, machine->pmu.event, -1);
	inject(machine, 3);
	EXPECT_EQ(3, pmu_value(other));
	close(other);
	ring_close(&ring);
}

/* The interrupt is late, and the sample is made on suspend. */
TEST_F_TIMEOUT(sampling, a_sample_is_made_while_suspending, SLOW)
{
	struct machine *machine = &self->machine;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	unsigned int round;
	struct ring ring;
	int fd;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	fd = open_sampling(_metadata, &machine->pmu, PERIOD, &ring);
	for (round = 1; round <= 2; round++) {
		stimulus_hold(&machine->stimulus, true);
		inject(machine, PERIOD);
		ASSERT_EQ(0, power_suspend());
		stimulus_hold(&machine->stimulus, false);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
			TH_LOG("round %u", round);
		EXPECT_NE(0, sample.ip);
		EXPECT_EQ(PERIOD, sample.period);
		EXPECT_EQ(round * PERIOD, sample.values[0]);
		ASSERT_FALSE(ring_next_sample(&ring, &tally, &sample));
		EXPECT_EQ(round * PERIOD, value_of(fd));
	}
	ring_close(&ring);
}

/* A filter applies to samples as well as to counts. */
TEST_F(sampling, filtered)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	struct ring ring;
	unsigned int i;
	int fd;

	attr = sampling_attr(_metadata, pmu, 100);
	if (!filter_by_source(_metadata, pmu, &attr, FILTERED_SOURCE))
		SKIP(return, "this PMU does not filter by source");
	fd = open_sampling_attr(_metadata, pmu, &attr, -1, &ring);
	for (i = 1; i <= 50; i++) {
		stimulus_inject(&machine->stimulus, pmu->event, OTHER_SOURCE, 1000);
		stimulus_inject(&machine->stimulus, pmu->event, FILTERED_SOURCE, 50);
		ASSERT_EQ(i / 2, samples(&ring, fd, &tally));
	}
	EXPECT_EQ(2500, value_of(fd));
	ring_close(&ring);
}

/* perf chooses the periods: samples are made, and every event is counted. */
TEST_F_TIMEOUT(sampling, frequency, SLOW)
{
	struct perf_event_attr attr = sampling_attr(_metadata, &self->machine.pmu, 0);
	struct ring_tally tally = { 0 };
	struct ring ring;
	__u64 total = 0;
	unsigned int i;
	int fd;

	attr.freq = 1;
	attr.sample_freq = 1000;
	fd = open_sampling_attr(_metadata, &self->machine.pmu, &attr, -1, &ring);
	for (i = 1; i <= 2000; i++) {
		inject(&self->machine, i);
		total += i;
		if (i % 100 == 0) {
			ASSERT_EQ(total, value_of(fd));
			ring_drain(&ring, &tally);
		}
	}
	EXPECT_LT(0, tally.samples);
	EXPECT_EQ(0, tally.lost);
	ring_close(&ring);
}

/* The CPU of the PMU goes offline: samples are made on the next one. */
TEST_F_TIMEOUT(sampling, goes_along_with_the_pmu, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	int fd, gone = pmu->cpu;
	struct ring ring;
	unsigned int i;

	if (cpu_other_than(gone) < 0 || !cpu_can_go_offline(gone))
		SKIP(return, "CPU %d cannot go offline", gone);
	fd = open_sampling(_metadata, pmu, PERIOD, &ring);
	inject(&self->machine, PERIOD / 2);
	ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
	ASSERT_EQ(0, cpu_set_online(gone, false));
	EXPECT_EQ(0, pmu_follow(pmu));
	inject(&self->machine, PERIOD / 2);
	for (i = 1; i <= 20; i++) {
		EXPECT_EQ(i * PERIOD, value_of(fd));
		EXPECT_TRUE(ring_next_sample(&ring, &tally, &sample))
			TH_LOG("sample %u", i);
		EXPECT_EQ(pmu->cpu, (int)sample.cpu);
		EXPECT_EQ(i * PERIOD, sample.values[0]);
		inject(&self->machine, PERIOD);
	}
	EXPECT_EQ(0, cpu_set_online(gone, true));
	ring_close(&ring);
}

/* Without an interrupt, sampling is refused. */
TEST_F(injected, refused_without_an_interrupt)
{
	struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr attr;
	int fd;

	if (pmu_can_interrupt(pmu))
		SKIP(return, "this PMU has an interrupt");
	attr = sampling_attr(_metadata, pmu, PERIOD);
	EXPECT_EQ(-EOPNOTSUPP, pmu_open_attr(pmu, &attr, -1));
	attr.freq = 1;
	attr.sample_freq = 1000;
	EXPECT_EQ(-EOPNOTSUPP, pmu_open_attr(pmu, &attr, -1));
	fd = must_open(_metadata, pmu, pmu->event, -1);
	inject(&self->machine, 5);
	EXPECT_EQ(5, pmu_value(fd));
}

/* Erratum 162001800 */
TEST_F(pmu, refused_where_counters_cannot_be_written)
{
	struct perf_event_attr attr = sampling_attr(_metadata, &self->machine.pmu, 1000);

	if (!(self->machine.pmu.errata & PMU_COUNTERS_ARE_READ_ONLY))
		SKIP(return, "no erratum: counters can be written");
	EXPECT_EQ(-EOPNOTSUPP, pmu_open_attr(&self->machine.pmu, &attr, -1));
}

TEST_HARNESS_MAIN
