// SPDX-License-Identifier: GPL-2.0
/* Sampling: exactly one sample for each period, for any periods. */
#include "sampling_fixture.h"

/* Periods are injected as one burst, or as a burst and one more event. */
TEST_F_TIMEOUT(sampling, one_sample_for_each_period, SLOW)
{
	static const __u64 periods[] = { 1, 2, 7, PERIOD, 1ULL << 20, (1ULL << 30) - 1 };
	struct machine *machine = &self->machine;
	struct ring_sample sample;
	struct ring_tally tally;
	unsigned int i, round;
	struct ring ring;
	__u64 period;
	int fd;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		period = periods[i];
		tally = (struct ring_tally){ 0 };
		fd = open_sampling(_metadata, &machine->pmu, period, &ring);
		for (round = 1; round <= 100; round++) {
			if (round % 3) {
				inject(machine, period - 1);
				ASSERT_EQ(round - 1, samples(&ring, fd, &tally))
					TH_LOG("period %llu, one event before", period);
				inject(machine, 1);
			} else {
				inject(machine, period);
			}
			ASSERT_EQ(round * period, value_of(fd));
			ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
				TH_LOG("period %llu, sample %u", period, round);
			EXPECT_EQ(machine->pmu.cpu, (int)sample.cpu);
			EXPECT_EQ(period, sample.period);
			EXPECT_EQ(1, sample.number);
			EXPECT_EQ(round * period, sample.values[0]);
			ASSERT_FALSE(ring_next_sample(&ring, &tally, &sample))
				TH_LOG("period %llu, one sample too many after %u", period, round);
			stay_below_the_limit(round);
		}
		EXPECT_EQ(0, tally.lost);
		EXPECT_EQ(0, tally.throttled);
		EXPECT_EQ(0, pmu_overflow_status(&machine->stimulus, &machine->hardware));
		ring_close(&ring);
		close(fd);
	}
}

/* Single events: a sample is made exactly at the end of each period. */
TEST_F_TIMEOUT(sampling, samples_lie_where_periods_end, SLOW)
{
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct ring ring;
	unsigned int i;
	int fd;

	fd = open_sampling(_metadata, &self->machine.pmu, 37, &ring);
	for (i = 1; i <= 37 * 20; i++) {
		inject(&self->machine, 1);
		ASSERT_EQ(i, value_of(fd));
		ASSERT_EQ(i % 37 == 0, ring_next_sample(&ring, &tally, &sample))
			TH_LOG("event %u", i);
	}
	ring_close(&ring);
}

/*
 * Larger than the range of the counter, or slightly smaller: the counter wraps several times in a
 * period.
 */
TEST_F_TIMEOUT(sampling, periods_as_large_as_the_counter_and_larger, SLOW)
{
	struct machine *machine = &self->machine;
	__u64 half = 1ULL << (machine->hardware.bits - 1), period, total, left, step;
	const __u64 periods[] = { half - 1, half, half + 1, 2 * half - 1, 2 * half,
				  2 * half + 1, 5 * half + 7 };
	struct ring_tally tally;
	unsigned int i, round;
	struct ring ring;
	int fd;

	if (machine->hardware.bits > 60)
		SKIP(return, "no period is larger than counters of 64 bits");
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		period = periods[i];
		total = 0;
		tally = (struct ring_tally){ 0 };
		fd = open_sampling(_metadata, &machine->pmu, period, &ring);
		for (round = 1; round <= 5; round++) {
			for (left = period - 1; left; left -= step) {
				step = left < half / 4 ? left : half / 4;
				inject(machine, step);
			}
			ASSERT_EQ(round - 1, samples(&ring, fd, &tally))
				TH_LOG("period %#llx, one event before", period);
			inject(machine, 1);
			total += period;
			ASSERT_EQ(total, value_of(fd))
				TH_LOG("period %#llx, round %u", period, round);
			ASSERT_EQ(round, samples(&ring, fd, &tally))
				TH_LOG("period %#llx", period);
		}
		ring_close(&ring);
		close(fd);
	}
}

/* A pseudo-random sequence of numbers below a limit, the same in every run. */
static __u64 pick(__u64 *state, __u64 limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % limit;
}

/*
 * Bursts, each at one instant, that end up to five periods. All periods that end at once are in one
 * sample with their sum; none is lost or doubled, and the next one is not moved.
 */
TEST_F_TIMEOUT(sampling, every_period_is_in_one_sample, SLOW)
{
	static const __u64 periods[] = { 1, 2, 3, 10, PERIOD, 1000003 };
	struct machine *machine = &self->machine;
	__u64 total, ended, burst, period, state = 1;
	struct ring_sample sample;
	struct ring_tally tally;
	unsigned int i, round;
	struct ring ring;
	int fd;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		period = periods[i];
		total = 0;
		tally = (struct ring_tally){ 0 };
		fd = open_sampling(_metadata, &machine->pmu, period, &ring);
		for (round = 1; round <= 200; round++) {
			burst = pick(&state, 5 * period) + 1;
			ended = (total + burst) / period - total / period;
			inject(machine, burst);
			total += burst;
			ASSERT_EQ(total, value_of(fd));
			ASSERT_EQ(!!ended, ring_next_sample(&ring, &tally, &sample))
				TH_LOG("period %llu, round %u: %llu ended", period, round, ended);
			if (ended) {
				ASSERT_EQ(ended * period, sample.period)
					TH_LOG("period %llu, round %u", period, round);
				ASSERT_FALSE(ring_next_sample(&ring, &tally, &sample))
					TH_LOG("period %llu, round %u", period, round);
			}
			stay_below_the_limit(round);
		}
		EXPECT_EQ(0, tally.lost);
		ring_close(&ring);
		close(fd);
	}
}

/* The same with a late interrupt, and reads before it. */
TEST_F_TIMEOUT(sampling, every_period_is_in_one_sample_however_late, SLOW)
{
	struct machine *machine = &self->machine;
	__u64 total = 0, ended, burst, passed, before, state = 2;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	unsigned int i, round;
	struct ring ring;
	int fd;

	fd = open_sampling(_metadata, &machine->pmu, PERIOD, &ring);
	for (round = 1; round <= 100; round++) {
		ended = total / PERIOD;
		stimulus_hold(&machine->stimulus, true);
		for (i = 0; i < 3; i++) {
			burst = pick(&state, PERIOD);
			inject(machine, burst);
			total += burst;
			if (pick(&state, 2))
				ASSERT_EQ(total, value_of(fd));
		}
		stimulus_hold(&machine->stimulus, false);
		ASSERT_EQ(total, value_of(fd));
		ended = total / PERIOD - ended;
		before = tally.samples;
		for (passed = 0; ring_next_sample(&ring, &tally, &sample);)
			passed += sample.period;
		ASSERT_EQ(ended * PERIOD, passed)
			TH_LOG("round %u", round);
		/* The timer that polls because of MSIs may have handled it first. */
		if (!pmu_interrupt_is(&machine->pmu, "msi"))
			ASSERT_EQ(!!ended, tally.samples - before)
				TH_LOG("round %u", round);
		stay_below_the_limit(round);
	}
	ring_close(&ring);
}

/*
 * A clock counts while the two halves of its counter are set. A carry out of the half that is set
 * first would be lost, and the next sample would be late by the range of that half, which is four
 * seconds at 1 GHz.
 */
TEST_F_TIMEOUT(sampling, no_carry_gets_lost_while_the_counter_is_set, SLOW)
{
	struct perf_event_attr attr = sampling_attr(_metadata, &self->machine.pmu, 100);
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct ring ring;
	int fd;

	if (self->machine.hardware.bits <= 32)
		SKIP(return, "counters of 32 bits have one half");
	attr.config = self->machine.pmu.clock;
	fd = pmu_open_attr(&self->machine.pmu, &attr, -1);
	if (fd < 0)
		SKIP(return, "this PMU has no clock");
	ASSERT_EQ(0, ring_open(&ring, fd));
	usleep(1000);
	if (!value_of(fd))
		SKIP(return, "the clock of this PMU stands still");
	while (tally.samples < 1000) {
		if (!ring_next_sample(&ring, &tally, &sample))
			continue;
		ASSERT_GT((1ULL << 32) - (1ULL << 24), sample.period)
			TH_LOG("sample %llu", tally.samples);
	}
	ring_close(&ring);
}

TEST_F(sampling, the_period_can_be_changed)
{
	static const __u64 periods[] = { 5, 100000, 1, 77, 1ULL << 31, 3 };
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	unsigned int i, round;
	__u64 total = 0, expected = 0, period;
	struct ring ring;
	int fd;

	fd = open_sampling(_metadata, &self->machine.pmu, PERIOD, &ring);
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		/* In the middle of a period: the new one begins at once. */
		inject(&self->machine, PERIOD / 10);
		total += PERIOD / 10;
		samples(&ring, fd, &tally);
		expected = tally.samples;
		period = periods[i];
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
		for (round = 1; round <= 10; round++) {
			/* In two steps, each of which is less than the range of a counter. */
			inject(&self->machine, period / 2);
			inject(&self->machine, (period - 1) - period / 2);
			ASSERT_EQ(expected, samples(&ring, fd, &tally))
				TH_LOG("period %llu, round %u", period, round);
			inject(&self->machine, 1);
			total += period;
			expected++;
			ASSERT_EQ(total, value_of(fd));
			ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
				TH_LOG("period %llu, round %u", period, round);
			ASSERT_EQ(period, sample.period);
			ASSERT_FALSE(ring_next_sample(&ring, &tally, &sample));
		}
		/* Restore the period, so that the next tenth of it makes no sample. */
		period = PERIOD;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	}
	ring_close(&ring);
}

/*
 * Also if it is stopped when a period has just ended: the new one begins at once, and so does the
 * next.
 */
TEST_F(sampling, a_period_is_changed_at_its_end)
{
	struct ring_tally tally = { 0 };
	__u64 period, expected;
	unsigned int i, round;
	struct ring ring;
	int fd;

	fd = open_sampling(_metadata, &self->machine.pmu, PERIOD, &ring);
	for (round = 0; round < 5; round++) {
		stimulus_hold(&self->machine.stimulus, true);
		inject(&self->machine, PERIOD);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		stimulus_hold(&self->machine.stimulus, false);
		period = 100 + round;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		expected = samples(&ring, fd, &tally);
		for (i = 0; i < 3; i++) {
			inject(&self->machine, period - 1);
			ASSERT_EQ(expected, samples(&ring, fd, &tally))
				TH_LOG("round %u, period %u", round, i);
			inject(&self->machine, 1);
			ASSERT_EQ(++expected, samples(&ring, fd, &tally))
				TH_LOG("round %u, period %u", round, i);
		}
		period = PERIOD;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	}
	ring_close(&ring);
}

/* When it is stopped and started again, a period continues where it was. */
TEST_F(sampling, a_period_goes_on_after_a_stop)
{
	struct ring_tally tally = { 0 };
	unsigned int round;
	struct ring ring;
	int fd;

	fd = open_sampling(_metadata, &self->machine.pmu, PERIOD, &ring);
	for (round = 1; round <= 20; round++) {
		inject(&self->machine, 300 + round);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		inject(&self->machine, 5 * PERIOD);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		inject(&self->machine, PERIOD - 300 - round - 1);
		ASSERT_EQ(round - 1, samples(&ring, fd, &tally));
		inject(&self->machine, 1);
		ASSERT_EQ(round, samples(&ring, fd, &tally));
		ASSERT_EQ(round * PERIOD, value_of(fd));
	}
	ring_close(&ring);
}

/*
 * Stopped when a period has just ended: its sample is made at the next event, and the next one in
 * time.
 */
TEST_F(sampling, a_period_ends_at_a_stop)
{
	struct ring_tally tally = { 0 };
	unsigned int round;
	struct ring ring;
	int fd;

	fd = open_sampling(_metadata, &self->machine.pmu, PERIOD, &ring);
	for (round = 1; round <= 20; round++) {
		stimulus_hold(&self->machine.stimulus, true);
		inject(&self->machine, PERIOD - (round > 1));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		stimulus_hold(&self->machine.stimulus, false);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		inject(&self->machine, 1);
		ASSERT_EQ(round, samples(&ring, fd, &tally));
		ASSERT_EQ(round * PERIOD + 1, value_of(fd));
	}
	inject(&self->machine, PERIOD - 2);
	ASSERT_EQ(20, samples(&ring, fd, &tally));
	inject(&self->machine, 1);
	EXPECT_EQ(21, samples(&ring, fd, &tally));
	ring_close(&ring);
}

/*
 * The counter wraps once more after its overflow status has been cleared and before it is read:
 * this wrap has already been counted when its interrupt arrives, and the counter has been set to a
 * new value.
 */
TEST_F(sampling, a_wrap_between_status_and_counter)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	const struct pmu_hardware *hardware = &machine->hardware;
	__u64 half = 1ULL << (hardware->bits - 1), total = 0, step, reads, number;
	struct perf_event_attr attr;
	unsigned int round, i;
	struct ring ring;
	int fd;

	if (hardware->bits > 60)
		SKIP(return, "counters of 64 bits do not wrap twice");
	if (reads_of_counter(machine) > 1)
		SKIP(return, "several accesses read a counter, and it wraps before each of them");
	attr = sampling_attr(_metadata, &machine->pmu, PERIOD);
	/* Nothing is captured, and only the counter is read. */
	attr.sample_type &= ~PERF_SAMPLE_READ;
	fd = open_sampling_attr(_metadata, &machine->pmu, &attr, -1, &ring);
	for (round = 0; round < 5; round++) {
		/* The first wrap is read before its interrupt, far from a carry... */
		stimulus_hold(stimulus, true);
		number = PERIOD - total % PERIOD + half + half / 2 + 0x20000;
		inject(machine, number);
		total += number;
		EXPECT_EQ(total, value_of(fd))
			TH_LOG("round %u, interrupt late", round);
		/* ...whose handler finds the second one. */
		step = half + round;
		reads = pmu_counter_reads(stimulus, hardware);
		stimulus_step(stimulus, machine->pmu.event, SOURCE, step);
		stimulus_hold(stimulus, false);
		stimulus_step(stimulus, 0, 0, 0);
		reads = pmu_counter_reads(stimulus, hardware) - reads;
		ASSERT_EQ(1, reads);
		total += step;
		EXPECT_EQ(total, value_of(fd))
			TH_LOG("round %u", round);
		for (i = 0; i < 3; i++) {
			inject(machine, PERIOD);
			total += PERIOD;
			EXPECT_EQ(total, value_of(fd))
				TH_LOG("round %u, later", round);
		}
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
	}
	ring_close(&ring);
}

TEST_HARNESS_MAIN
