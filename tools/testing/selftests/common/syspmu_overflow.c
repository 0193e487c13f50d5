// SPDX-License-Identifier: GPL-2.0
/* Counter overflows: thousands of them, on one counter and on all, at any time. */
#include <pthread.h>

#include "fixture.h"

TEST_F_TIMEOUT(interrupting, storm_on_one_counter, SLOW)
{
	__u64 interrupts, step = over_half(), total = 0;
	unsigned int i, rounds = 4000;
	int fd = must_open(pmu->event, -1);

	interrupts = stimulus_edges(stimulus) + stimulus_msis(stimulus);
	for (i = 0; i < rounds; i++)
		total += inject(step + i);
	EXPECT_EQ(total, pmu_value(fd));
	/* Over half of the range each time: at least every second one overflows. */
	interrupts = stimulus_edges(stimulus) + stimulus_msis(stimulus) - interrupts;
	EXPECT_LE(rounds / 2, interrupts);
	EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
}

/* One event in every counter: all of them overflow at the same instant. */
SCENARIO(interrupting, storm_on_all_counters,
	 "open a x copies=counters group;"
	 "1000 times { x half + 1 + round }"
	 "read; status")

/* Events that are injected while the event is disabled are not counted. */
SCENARIO(interrupting, stopping_around_overflows,
	 "open a x;"
	 "100 times {"
	 "  x half + 1; stop a; x half + 1; start a; x 1;"
	 "  if round % 2 { read }"
	 "  if round % 10 == 9 { x half + 1; reset a }"
	 "}"
	 "read")

/*
 * A counter overflows after the overflow status has been read and before the bits that were set are
 * cleared. It wraps to its previous value, so that only its status indicates the overflow.
 */
TEST_F(interrupting, overflow_between_read_and_clear)
{
	__u32 clear = hardware->clear_overflow;
	__u64 round_trip = hardware->bits < 64 ? 1ULL << hardware->bits : ~0ULL;
	__u64 totals[2] = { 0 }, number, writes;
	unsigned int round;
	int fds[2], counter;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	fds[0] = must_open(pmu->event, -1);
	fds[1] = must_open(pmu->other_event, -1);
	counter = must_find_counter(pmu->event);
	for (round = 0; round < 10; round++) {
		/* So that neither counter is at zero. */
		inject(2);
		inject_other(2);
		totals[1] += 2;
		ASSERT_EQ(totals[1], pmu_value(fds[1]));
		writes = stimulus_writes(stimulus, clear);
		stimulus_precede(stimulus, clear, pmu->other_event, SOURCE, round_trip);
		number = until_wrap(counter);
		inject(number);
		totals[0] += 2 + number;
		totals[1] += round_trip;
		/* The second read returns after all interrupts of the first one. */
		pmu_value(fds[0]);
		ASSERT_EQ(totals[0], pmu_value(fds[0]))
			TH_LOG("round %u", round);
		ASSERT_EQ(0, stimulus_to_come(stimulus));
		ASSERT_EQ(totals[1], pmu_value(fds[1]))
			TH_LOG("round %u, the counter that came in between", round);
		/* One write for each: the first one only cleared the bit that it had read. */
		EXPECT_EQ(writes + 2, stimulus_writes(stimulus, clear));
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
	}
}

/* Injects the prepared event one by one, from a CPU other than that of the PMU. */
struct burst {
	struct stimulus *stimulus;
	pthread_barrier_t barrier;
	int cpu;
	__u64 number;
	bool stop;
};

static void *run_bursts(void *argument)
{
	struct burst *burst = argument;
	__u64 i;

	cpu_pin(burst->cpu);
	for (;;) {
		pthread_barrier_wait(&burst->barrier);
		if (burst->stop)
			return NULL;
		for (i = 0; i < burst->number; i++)
			stimulus_repeat(burst->stimulus, 1);
		pthread_barrier_wait(&burst->barrier);
	}
}

/*
 * While the CPU of the PMU handles the overflow of one counter, another CPU makes a second one
 * count up to its overflow: it may set its status bit before, during or after the handling of the
 * first. The burst ends with the overflow, so whatever the driver does to a counter that has
 * overflowed, no event is lost meanwhile.
 */
TEST_F_TIMEOUT(interrupting, overflow_while_another_is_handled, SLOW)
{
	unsigned int round, burst_length = 24;
	__u64 step = over_half(), totals[2] = { 0 }, remaining;
	struct burst burst = { .stimulus = stimulus };
	int fds[2], counter;
	pthread_t thread;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	burst.cpu = cpu_other_than(pmu->cpu);
	if (burst.cpu < 0)
		SKIP(return, "there is only one CPU");
	fds[0] = must_open(pmu->event, -1);
	fds[1] = must_open(pmu->other_event, -1);
	counter = must_find_counter(pmu->other_event);
	ASSERT_EQ(0, pthread_barrier_init(&burst.barrier, NULL, 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_bursts, &burst));

	for (round = 0; round < 300; round++) {
		/* The second counter is advanced to just before its overflow, in two steps. */
		burst.number = 1 + round % burst_length;
		remaining = until_wrap(counter);
		if (remaining <= burst.number) {
			inject_other(step);
			totals[1] += step;
			remaining = until_wrap(counter);
		}
		remaining -= burst.number;
		inject_other(remaining / 2);
		inject_other(remaining - remaining / 2);
		totals[1] += remaining + burst.number;

		/* The first overflows while its interrupt is held. */
		stimulus_hold(stimulus, true);
		inject(step);
		totals[0] += step;

		stimulus_prepare(stimulus, pmu->other_event, SOURCE);
		pthread_barrier_wait(&burst.barrier);
		stimulus_hold(stimulus, false);
		pthread_barrier_wait(&burst.barrier);

		/*
		 * A read returns after the interrupts that were pending when it began, and a second
		 * one after those that became pending during the first.
		 */
		pmu_value(fds[1]);
		ASSERT_EQ(totals[0], pmu_value(fds[0]))
			TH_LOG("round %u", round);
		ASSERT_EQ(totals[1], pmu_value(fds[1]))
			TH_LOG("round %u", round);
		ASSERT_EQ(0, pmu_overflow_status(stimulus, hardware))
			TH_LOG("round %u", round);
	}
	burst.stop = true;
	pthread_barrier_wait(&burst.barrier);
	pthread_join(thread, NULL);
}

/*
 * Steps of events from another CPU. A step is a power of two plus one, so that the lower bits of a
 * count are the number of steps.
 */
struct stream {
	struct stimulus *stimulus;
	const struct pmu_hardware *hardware;
	int cpu;
	unsigned int shift;
	__u64 number;
	__u64 begun;
	__u64 done;
};

static void *run_stream(void *argument)
{
	struct stream *stream = argument;
	__u64 i, step = (1ULL << stream->shift) + 1;

	cpu_pin(stream->cpu);
	for (i = 1; i <= stream->number; i++) {
		__atomic_store_n(&stream->begun, i, __ATOMIC_SEQ_CST);
		stimulus_repeat(stream->stimulus, step);
		/*
		 * Each overflow is handled before another one can occur. Sleep meanwhile: an
		 * emulator may run one CPU at a time.
		 */
		while (pmu_overflow_status(stream->stimulus, stream->hardware))
			usleep(1);
		__atomic_store_n(&stream->done, i, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

/*
 * Reads race with events from another CPU. None may be less than the count when it began, greater
 * than the count when it ended, or between two steps.
 */
static void read_beside(unsigned int shift, __u64 number)
{
	struct stream stream = {
		.stimulus = stimulus,
		.hardware = hardware,
		.cpu = cpu_other_than(pmu->cpu),
		.shift = shift,
		.number = number,
	};
	__u64 before, value, steps, after;
	pthread_t thread;
	int fd = must_open(pmu->event, -1);

	stimulus_prepare(stream.stimulus, pmu->event, SOURCE);
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_stream, &stream));
	do {
		before = __atomic_load_n(&stream.done, __ATOMIC_SEQ_CST);
		value = pmu_value(fd);
		after = __atomic_load_n(&stream.begun, __ATOMIC_SEQ_CST);
		steps = value & ((1ULL << shift) - 1);
		ASSERT_EQ((steps << shift) + steps, value);
		ASSERT_LE(before, steps);
		ASSERT_LE(steps, after);
	} while (before != number);
	pthread_join(thread, NULL);
	EXPECT_EQ((number << shift) + number, pmu_value(fd));
}

/* Whatever value a driver sets the counter to at the start, these events do not make it wrap. */
TEST_F_TIMEOUT(interrupting, reads_beside_events_on_another_cpu, SLOW)
{
	if (cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "there is only one CPU");
	read_beside(15, 5000);
}

TEST_F_TIMEOUT(interrupting, reads_beside_overflows_from_another_cpu, SLOW)
{
	if (cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "there is only one CPU");
	read_beside(hardware->bits - 3, 1000);
}

TEST_HARNESS_MAIN

