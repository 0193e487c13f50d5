// SPDX-License-Identifier: GPL-2.0
/* Exact counts of injected events, for counters of all widths. */
#include <sys/mman.h>

#include "fixture.h"

/* A number with bits set in all parts, so that a lost or doubled part is noticed. */
#define MANY	1000003ULL

/*
 * An event counts exactly what its counter counts between its start and its stop. With an erratum,
 * a counter may start before it is enabled.
 */
TEST_F(injected, events_at_the_start_and_at_the_stop)
{
	__u64 total = 0, before, mask = ~0ULL >> (64 - hardware->bits);
	unsigned int round;
	int fd, counter;

	fd = must_open(pmu->event, -1);
	for (round = 0; round < 10; round++) {
		counter = must_find_counter(pmu->event);
		before = pmu_counter(stimulus, hardware, counter);
		stimulus_precede(stimulus, hardware->disable, pmu->event, SOURCE, MANY);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, stimulus_to_come(stimulus));
		total += (pmu_counter(stimulus, hardware, counter) - before) & mask;
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, stopped", round);
		before = pmu_counter(stimulus, hardware, counter);
		stimulus_precede(stimulus, hardware->enable, pmu->event, SOURCE, MANY);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, stimulus_to_come(stimulus));
		if (!reference_has(pmu, REFERENCE_SETS_COUNTERS_AT_START))
			total += (pmu_counter(stimulus, hardware, counter) - before) & mask;
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, started", round);
	}
}

/* Up to these totals, in steps that are safe for all counter widths. */
SCENARIO(injected, counts_across_powers_of_two,
	 "open a x;"
	 "each 1, 0x7fff, 0x8000, 0xffff, 0x10000, 0x10001,"
	 "     0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,"
	 "     0xfffffffe, 0xffffffff, 0x100000000, 0x100000001,"
	 "     0x17fffffff, 0x180000000, 0x1ffffffff, 0x200000000, 0x200000001 {"
	 "  4 times { x (n - total) / 4 }"
	 "  x n - total; read"
	 "}")

/*
 * Several wraps of the counter, with a read after each step. perf's count has 64 bits: with a
 * 64-bit counter both wrap.
 */
SCENARIO(injected, counts_across_the_counter_size,
	 "open a x;"
	 "8 times {"
	 "  each half / 2, half / 2 - 1, half - 1, 1, half - 2, 2 { x n; read }"
	 "}")

/* The same without reads: only the overflow interrupt updates the count. */
SCENARIO(injected, counts_unread_across_the_counter_size,
	 "need interrupt; open a x;"
	 "25 times { x half - 1 }"
	 "read")

/* All counters at once, each with its own event and, if it has one, filter. */
TEST_F(injected, all_counters_at_once)
{
	bool filters = each_filters();
	unsigned int n, other, events[PMU_MAX_COUNTERS];
	__u64 expected[PMU_MAX_COUNTERS] = { 0 };
	int fds[PMU_MAX_COUNTERS];
	struct perf_event_attr attr;
	__u32 source;

	for (n = 0; n < hardware->counters; n++) {
		events[n] = nth_event(n % 7);
		attr = attr_of(events[n]);
		filter_by_source(&attr, filters ? 0x100 + n : FILTERED_SOURCE);
		fds[n] = must_open_attr(&attr, -1);
	}
	EXPECT_EQ(hardware->counters, pmu_enabled_counters(stimulus, hardware));
	for (n = 0; n < hardware->counters; n++) {
		source = filters ? 0x100 + n : FILTERED_SOURCE;
		stimulus_inject(stimulus, events[n], source, MANY + n);
		for (other = 0; other < hardware->counters; other++)
			if (other == n || (!filters && events[other] == events[n]))
				expected[other] += MANY + n;
	}
	for (n = 0; n < hardware->counters; n++) {
		EXPECT_EQ(expected[n], pmu_value(fds[n]))
			TH_LOG("counter %u, event %u", n, events[n]);
	}
}

/* Counters are released in any order and each event starts from zero. */
SCENARIO(injected, counters_are_reused_in_any_order,
	 "open a x copies=(counters + 1) / 2; if counters > 1 { open b y copies=counters / 2 }"
	 "100 times {"
	 "  x 1000 + round; y 7 * round; read;"
	 "  if counters > 1 { if round % 3 { drop b; open b y } }"
	 "  if 2 > round % 3 { drop a; open a x }"
	 "}"
	 "read")

SCENARIO(injected, enable_disable_reset,
	 "open a x disabled; x 1000003; read;"
	 "50 times {"
	 "  start a; x 1 + round;"
	 "  if (1 + round) % 3 { read }"
	 "  stop a; x 1000003; read;"
	 "  if round % 7 == 6 { reset a; read }"
	 "}"
	 "start a; x 5; reset a; x 1000003; read")

/*
 * One event more than there are counters, so perf multiplexes them. At each injected event, all
 * counters are in use, so the counts add up exactly.
 */
TEST_F_TIMEOUT(injected, more_events_than_counters_take_turns, SLOW)
{
	unsigned int n, number = hardware->counters + 1, waiting;
	struct pmu_count count, later;
	int fds[PMU_MAX_COUNTERS + 1];
	__u64 total = 0, sum;

	for (n = 0; n < number; n++)
		fds[n] = must_open(pmu->event, -1);
	/* Ends when each event has counted some events and missed some. */
	do {
		for (n = 0; n < 100; n++)
			inject(1);
		total += 100;
		waiting = 0;
		for (n = 0; n < number; n++) {
			ASSERT_EQ(0, pmu_read(fds[n], &count));
			ASSERT_LE(count.value, total);
			/* perf reads one time after the other, and may rotate in between. */
			ASSERT_EQ(0, pmu_read(fds[n], &later));
			ASSERT_LE(count.running, later.enabled);
			waiting += !count.value || count.value == total;
		}
	} while (waiting);

	for (n = 0, sum = 0; n < number; n++)
		sum += pmu_value(fds[n]);
	EXPECT_EQ(total * hardware->counters, sum);
}

TEST_F(injected, idle_touches_no_register)
{
	__u64 accesses;
	int i, fd = -1;

	for (i = 0; i < 2; i++) {
		accesses = all_accesses(stimulus);
		usleep(100000);
		EXPECT_EQ(accesses, all_accesses(stimulus))
			TH_LOG("with %d events open", i);
		/*
		 * A counting event that is not read causes no accesses either, unless overflows
		 * have to be polled.
		 */
		if (!reference_has(pmu, REFERENCE_NEVER_POLLS) && !pmu_interrupt_is(pmu, "wired"))
			break;
		if (fd < 0)
			fd = must_open(pmu->event, -1);
	}
}

/* Nothing stays enabled after the last event is closed. */
TEST_F(injected, closing_switches_the_counter_off)
{
	int fd = must_open(pmu->event, -1);

	EXPECT_NE(0, pmu_enabled_counters(stimulus, hardware));
	if (has_interrupt(machine))
		EXPECT_TRUE(pmu->family->overflow_raises_irq(stimulus));
	close(fd);
	EXPECT_EQ(0, pmu_enabled_counters(stimulus, hardware));
}

/*
 * The page that perf maps for self-monitoring: if it has no counter index, software takes the count
 * from it, so the count must be up to date when the counter is released, and the times when there
 * is one again (perf_event_open(2)).
 */
TEST_F(injected, mapped_page_is_up_to_date)
{
	const struct perf_event_mmap_page *page;
	unsigned int round;
	__u32 lock;
	int fd = must_open(pmu->event, -1);

	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	for (round = 1; round <= 5; round++) {
		EXPECT_EQ(0, page->index);
		inject(MANY);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(round * MANY, page->offset);
		EXPECT_EQ(0, page->index);
		lock = page->lock;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_NE(lock, page->lock);
		EXPECT_EQ(round * MANY, page->offset);
	}
}

/*
 * Far from a wrap, and anywhere on 64 bits, a read takes one access, or three if the halves are
 * read separately. If the lower half of a wide counter is about to carry, or the counter has just
 * wrapped, it may take more.
 */
TEST_F(injected, a_read_costs_no_more_than_it_must)
{
	__u64 total = 0, step = (1ULL << (hardware->bits - 4)) + 0x01234567;
	__u64 before, after, reads, position;
	unsigned int i, round;
	int fd, counter;

	fd = must_open(pmu->event, -1);
	counter = must_find_counter(pmu->event);
	for (i = 0; i < 40; i++) {
		total += inject(step);
		position = pmu_counter(stimulus, hardware, counter);
		/* If a poll timer accesses the PMU as well, one of several reads is without it. */
		for (round = 0, reads = ~0ULL; round < 5; round++) {
			before = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
			EXPECT_EQ(total, pmu_value(fd));
			after = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
			reads = after - before < reads ? after - before : reads;
		}
		/* As long as no MSI has arrived, this is a quarter of the range. */
		if (hardware->bits < 64 && position >> (hardware->bits - 2) == 0)
			continue;
		if (hardware->bits > 32 && (__u32)position + 0x100000U < 0x200000U)
			continue;
		EXPECT_EQ(reads_of_counter(), reads)
			TH_LOG("counter at %#llx", position);
	}
}

/*
 * On HiSilicon HIP08 and HIP09, a disabled counter may keep counting, so the driver changes its
 * event.
 */
TEST_F(injected, a_closed_event_leaves_a_counter_that_stands)
{
	__u64 value;
	int fd, n;

	fd = must_open(pmu->event, -1);
	n = must_find_counter(pmu->event);
	inject(5);
	EXPECT_EQ(5, pmu_value(fd));
	close(fd);
	value = pmu_counter(stimulus, hardware, n);
	inject(1000);
	EXPECT_EQ(value, pmu_counter(stimulus, hardware, n));
}

TEST_HARNESS_MAIN
