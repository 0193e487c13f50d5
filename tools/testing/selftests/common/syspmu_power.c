// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU that is suspended and resumed, that loses power without notice, and that is reset with
 * arbitrary values in its registers.
 */
#include "sampling_fixture.h"

PMU_FIXTURE(power, any, true)

/* Overflows with and without an interrupt, after something that may have stopped them. */
static __u64 overflow_some(int fd, __u64 total)
{
	unsigned int i;

	for (i = 0; i < 10; i++) {
		total += inject_filtered(over_half());
		if (!has_interrupt(machine))
			EXPECT_EQ(total, pmu_value(fd));
	}
	EXPECT_EQ(total, pmu_value(fd));
	return total;
}

TEST_F_TIMEOUT(power, suspend_and_resume, SLOW)
{
	struct perf_event_attr attr = filtered_attr();
	unsigned int round;
	__u64 total = 0, programmed, enabled;
	__u32 event_register;
	int fd, counter;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	fd = must_open_attr(&attr, -1);
	for (round = 0; round < 2; round++) {
		total += inject_filtered(1000 + round);
		if (round)
			EXPECT_EQ(total, pmu_value(fd));
		counter = must_find_counter(pmu->event);
		event_register = pmu_event_register(hardware, counter);
		programmed = stimulus_writes(stimulus, event_register);
		enabled = stimulus_writes(stimulus, hardware->control);
		/* In the second round it loses its state. */
		if (round)
			stimulus_lose_state(stimulus, 100);
		ASSERT_EQ(0, power_suspend());
		if (!round) {
			EXPECT_LT(programmed, stimulus_writes(stimulus, event_register));
			EXPECT_LT(enabled, stimulus_writes(stimulus, hardware->control));
		}
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
		inject_elsewhere(5000);
		total = overflow_some(fd, total);
	}
	close(fd);
	expect_exact_counts();
}

/* Groups, disabled events, and an overflow whose interrupt is pending. */
SCENARIO(power, suspended_with_all_kinds_of_events,
	 "need suspend; need 2 counters;"
	 "open a x copies=counters-1 group; open b x; x 7; stop b;"
	 "hold; x half + 1; suspend; release; read; x half + 1; read;"
	 "hold; x half + 2; sleep; release; read; x half + 1; read;"
	 "start b; x 3; read")

/*
 * perf keeps rotating events while the device has no power. No events occur, so no count changes.
 */
TEST_F_TIMEOUT(power, suspended_while_events_take_turns, SLOW)
{
	unsigned int n, round, number = hardware->counters + 1;
	__u64 before[PMU_MAX_COUNTERS + 1];
	int fds[PMU_MAX_COUNTERS + 1];

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	ASSERT_EQ(0, pmu_set_rotation(pmu, "1"));
	/* Events of two kinds, so that each rotation reprograms some counters. */
	for (n = 0; n < number; n++)
		fds[n] = must_open(n % 2 ? pmu->other_event : pmu->event, -1);
	for (round = 0; round < 2; round++) {
		inject(1000);
		for (n = 0; n < number; n++)
			before[n] = pmu_value(fds[n]);
		stimulus_lose_state(stimulus, 200 + round);
		ASSERT_EQ(0, power_suspend());
		for (n = 0; n < number; n++) {
			ASSERT_EQ(before[n], pmu_value(fds[n]))
				TH_LOG("round %u, event %u", round, n);
		}
	}
}

/*
 * The device loses power: counts do not change, nothing hangs, and one message is logged. Then
 * power returns.
 */
TEST_F_TIMEOUT(power, gone_without_a_word, SLOW)
{
	unsigned int i, n, number = hardware->counters;
	int fds[PMU_MAX_COUNTERS], fd;
	__u64 total = 0;

	fds[0] = must_open_leader(pmu->event);
	for (n = 1; n < number; n++)
		fds[n] = must_open(pmu->event, fds[0]);
	total += inject(over_half());
	total += inject(12345);
	read_equal(fds[0], number);
	mark_log();

	stimulus_dead(stimulus, true);
	for (i = 0; i < 100; i++) {
		inject(over_half());
		ASSERT_EQ(total, read_equal(fds[0], number))
			TH_LOG("read %u", i);
		ASSERT_EQ(0, ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
		ASSERT_EQ(0, ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	}
	EXPECT_EQ(1, messages_with(pmu_log_word(pmu)));

	/* A new event is refused or counts nothing. */
	for (i = 0; i < 10; i++) {
		fd = pmu_open(pmu, pmu->event, -1);
		if (fd < 0)
			continue;
		EXPECT_EQ(0, pmu_value(fd));
		close(fd);
	}
	for (n = 0; n < number; n++)
		close(fds[n]);
	/* Unbinding does not wait for a device that does not respond. */
	mark_log();
	must_unbind();
	EXPECT_FALSE(messages_with("acknowledge"));
	/* There is no device to bind to yet. */
	EXPECT_NE(0, device_bind(pmu->driver, pmu->device));
	stimulus_dead(stimulus, false);
	must_bind();
	expect_exact_counts();
}

/* An interrupt is pending when power is lost: its handler reads all ones. */
TEST_F_TIMEOUT(power, gone_with_an_interrupt_on_its_way, SLOW)
{
	__u64 before, total, value;
	int fd, round;

	for (round = 0; round < 3; round++) {
		mark_log();
		fd = must_open(pmu->event, -1);
		before = inject(100);
		if (round)
			ASSERT_EQ(before, pmu_value(fd));
		stimulus_hold(stimulus, true);
		total = before + inject(over_half());
		if (round == 2) {
			before = total;
			ASSERT_EQ(before, pmu_value(fd));
		}
		stimulus_dead(stimulus, true);
		stimulus_hold(stimulus, false);
		/* Events that no read or timer has seen are lost, but no others are added. */
		value = pmu_value(fd);
		if (value != total)
			EXPECT_EQ(round ? before : 0, value);
		EXPECT_EQ(1, messages_with(pmu_log_word(pmu)));
		close(fd);
		revive();
		expect_exact_counts();
	}
}

/*
 * Power is lost between two of the reads that the driver makes for one value: events since the
 * previous value may be lost, but no others are added. The counter has just wrapped, with its
 * interrupt handled or still pending.
 */
TEST_F_TIMEOUT(power, gone_between_two_reads, SLOW)
{
	__u64 before, total, value;
	unsigned int round, reads;
	int fd, counter;

	for (round = 0; round < 12; round++) {
		reads = 1 + round / 2;
		fd = must_open(pmu->event, -1);
		counter = must_find_counter(pmu->event);
		stimulus_hold(stimulus, round & 1);
		before = inject(until_wrap(counter));
		ASSERT_EQ(before, pmu_value(fd));
		total = before + inject(5);
		stimulus_dead_after(stimulus, reads);
		value = pmu_value(fd);
		if (value != total) {
			EXPECT_EQ(before, value)
				TH_LOG("after %u reads, interrupt %s", reads,
				       round & 1 ? "on its way" : "handled");
		}
		stimulus_dead(stimulus, true);
		stimulus_hold(stimulus, false);
		close(fd);
		revive();
	}
	expect_exact_counts();
}

/*
 * Power is lost after an overflow has been read and before the counter is: it is not set to a new
 * value.
 */
TEST_F_TIMEOUT(power, gone_while_a_sample_is_made, SLOW)
{
	struct perf_event_attr attr = attr_of(pmu->event);
	__u64 writes;
	int fd;

	/* With an MSI, a timer polls as well, and its reads would be counted. */
	if (!pmu_interrupt_is(pmu, "wired"))
		SKIP(return, "this PMU has no wired interrupt");
	attr.sample_period = 1000;
	fd = must_open_attr(&attr, -1);
	inject(999);
	EXPECT_EQ(999, pmu_value(fd));
	writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	stimulus_dead_after(stimulus, 1);
	inject(1);
	EXPECT_EQ(999, pmu_value(fd));
	/* The overflow status was cleared. */
	EXPECT_EQ(writes + 1, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	close(fd);
	revive();
	expect_exact_counts();
}

/* Power was lost and has returned, and the registers have their values after reset. */
TEST_F_TIMEOUT(power, gone_and_reset, SLOW)
{
	__u64 total;
	int fd = must_open(pmu->event, -1);

	total = inject(77);
	ASSERT_EQ(total, pmu_value(fd));
	stimulus_dead(stimulus, true);
	EXPECT_EQ(total, pmu_value(fd));
	stimulus_reset(stimulus, 0xdead);
	stimulus_dead(stimulus, false);
	inject(1000);
	EXPECT_EQ(total, pmu_value(fd));
	close(fd);
	bind_again();
	expect_exact_counts();
}

/*
 * A driver finds UNKNOWN values after a reset, or, on some PMUs, counters and interrupts that
 * firmware has left enabled. None of this affects a count.
 */
TEST_F_TIMEOUT(power, bound_after_reset, SLOW)
{
	unsigned int seed;

	for (seed = 1; seed <= 3; seed++) {
		must_unbind();
		stimulus_reset(stimulus, seed * 0x9e3779b9);
		inject(over_half());
		inject(over_half());
		must_bind();
		EXPECT_EQ(0, pmu_enabled_counters(stimulus, hardware));
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
		inject(over_half());
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
		play("open a x copies=counters; x 3; y@0x42 1000; read");
		expect_exact_counts();
	}
}

/*
 * While nothing counts, something that is not the kernel resets the PMU. The next event finds that
 * out and sets it up again, with the overflow interrupt, and one message is logged for all times.
 */
TEST_F_TIMEOUT(power, reset_while_nothing_counts, SLOW)
{
	unsigned int round;

	stimulus_reset(stimulus, 1);
	if (stimulus_peek32(stimulus, hardware->control) & 1)
		SKIP(return, "firmware leaves this PMU enabled");
	bind_again();
	for (round = 1; round <= 3; round++) {
		mark_log();
		stimulus_reset(stimulus, round * 0x9e3779b9);
		play("open a x copies=counters; x 3; y@0x42 1000; read");
		EXPECT_EQ(round == 1, messages_with(pmu->name, "lost its registers"));
		expect_exact_counts();
	}
}

/*
 * The same while an event counts: its count stays as it is, unless the counter happens to be little
 * above where it was.
 */
TEST_F_TIMEOUT(power, reset_while_it_counts, SLOW)
{
	__u64 little = hardware->bits < 40 ? (1ULL << hardware->bits) >> 8 : 1ULL << 32;
	unsigned int round, noticed = 0;
	__u64 total;
	int fd;

	stimulus_reset(stimulus, 1);
	if (stimulus_peek32(stimulus, hardware->control) & 1)
		SKIP(return, "firmware leaves this PMU enabled");
	for (round = 1; round <= 4; round++) {
		bind_again();
		mark_log();
		fd = must_open(pmu->event, -1);
		total = inject(77);
		ASSERT_EQ(total, pmu_value(fd));
		stimulus_reset(stimulus, round * 0x9e3779b9);
		EXPECT_LE(total, pmu_value(fd));
		inject(1000);
		EXPECT_GE(total + little, pmu_value(fd));
		close(fd);
		noticed += messages_with(pmu->name, "was reset while it counted");
	}
	EXPECT_LT(0, noticed);
	bind_again();
	expect_exact_counts();
}

/* The counts of a group, which may lack the last events, but include none that did not occur. */
static void expect_no_garbage(int leader, __u64 before, __u64 total, unsigned int reads,
			      const char *where)
{
	__u64 values[2];
	unsigned int n;

	ASSERT_EQ(0, pmu_read_group(leader, values, 2));
	for (n = 0; n < 2; n++) {
		EXPECT_LE(before, values[n])
			TH_LOG("%s: event %u, dead after %u reads", where, n, reads);
		EXPECT_GE(total, values[n])
			TH_LOG("%s: event %u, dead after %u reads", where, n, reads);
	}
}

/*
 * Power is lost while shadow registers are being read: by a group read after an overflow has
 * captured and before its interrupt, or by the interrupt handler.
 */
TEST_F_TIMEOUT(power, gone_while_shadows_are_read, SLOW)
{
	struct perf_event_attr attr;
	unsigned int round, reads;
	__u64 before, total;
	int leader, member;

	if (!hardware->overflow_capture)
		SKIP(return, "this PMU does not capture its counters");
	if (hardware->counters < 2 || !pmu_can_interrupt(pmu))
		SKIP(return, "this PMU has only one counter, or no interrupt");
	for (round = 0; round < 32; round++) {
		reads = 1 + round / 2;
		attr = sampling_attr(PERIOD);
		attr.sample_type = PERF_SAMPLE_READ;
		leader = must_open_attr(&attr, -1);
		member = must_open(pmu->event, leader);
		before = inject(PERIOD / 2);
		total = before;
		expect_no_garbage(leader, before, total, reads, "before");
		stimulus_hold(stimulus, round & 1);
		if (!(round & 1))
			stimulus_dead_after(stimulus, reads);
		total += inject(PERIOD);
		if (round & 1)
			stimulus_dead_after(stimulus, reads);
		expect_no_garbage(leader, before, total, reads, "a read");
		stimulus_dead(stimulus, true);
		stimulus_hold(stimulus, false);
		expect_no_garbage(leader, before, total, reads, "afterwards");
		close(member);
		close(leader);
		revive();
	}
	expect_exact_counts();
}

/*
 * Events between an overflow and its interrupt are not in the sample. But they have been read, so
 * they are in the count even if power is lost before the next read.
 */
TEST_F_TIMEOUT(power, gone_after_a_sample, SLOW)
{
	const __u64 late = 50;
	struct ring ring;
	int fd;

	if (!hardware->overflow_capture || !pmu_can_interrupt(pmu))
		SKIP(return, "this PMU does not capture its counters, or has no interrupt");
	fd = open_sampling(PERIOD, &ring);
	stimulus_hold(stimulus, true);
	inject(PERIOD);
	inject(late);
	stimulus_hold(stimulus, false);
	await_handled();
	stimulus_dead(stimulus, true);
	EXPECT_LE(PERIOD, value_of(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(PERIOD + late, value_of(fd));
	ring_close(&ring);
	close(fd);
	revive();
	expect_exact_counts();
}

TEST_HARNESS_MAIN
