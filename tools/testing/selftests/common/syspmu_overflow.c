// SPDX-License-Identifier: GPL-2.0
/* Counter overflows: thousands of them, while others are handled, and beside reads. */
#include <pthread.h>

#include "fixture.h"

/* One event in every counter: all of them overflow at the same instant. */
SCENARIO(interrupting, storm_on_all_counters,
	 "open a x copies=counters group;"
	 "1000 times { x half + 1 + round }"
	 "read; status")

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
	__u64 seen;	/* by the last read */
};

static void *run_stream(void *argument)
{
	struct stream *stream = argument;
	__u64 i, step = (1ULL << stream->shift) + 1;

	cpu_pin(stream->cpu);
	for (i = 1; i <= stream->number; i++) {
		/* A read of two halves cannot tell a counter that has passed its whole range. */
		while (i > __atomic_load_n(&stream->seen, __ATOMIC_SEQ_CST) + 6)
			usleep(1);
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
TEST_F_TIMEOUT(interrupting, reads_beside_overflows_from_another_cpu, SLOW)
{
	struct stream stream = {
		.stimulus = stimulus,
		.hardware = hardware,
		.cpu = cpu_other_than(pmu->cpu),
		.shift = hardware->bits - 3,
		.number = 1000,
	};
	__u64 before, value, steps, after;
	pthread_t thread;
	int fd;

	if (stream.cpu < 0)
		SKIP(return, "there is only one CPU");
	fd = must_open(pmu->event, -1);
	stimulus_prepare(stimulus, pmu->event, SOURCE);
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_stream, &stream));
	do {
		before = __atomic_load_n(&stream.done, __ATOMIC_SEQ_CST);
		value = pmu_value(fd);
		after = __atomic_load_n(&stream.begun, __ATOMIC_SEQ_CST);
		steps = value & ((1ULL << stream.shift) - 1);
		ASSERT_EQ((steps << stream.shift) + steps, value);
		ASSERT_LE(before, steps);
		ASSERT_LE(steps, after);
		__atomic_store_n(&stream.seen, steps, __ATOMIC_SEQ_CST);
	} while (before != stream.number);
	pthread_join(thread, NULL);
	EXPECT_EQ((stream.number << stream.shift) + stream.number, pmu_value(fd));
}

TEST_HARNESS_MAIN
