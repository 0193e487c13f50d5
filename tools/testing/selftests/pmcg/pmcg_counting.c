// SPDX-License-Identifier: GPL-2.0
/* Exact counts of injected events: every event number, size and way to count. */
#include <sys/mman.h>

#include "platform.h"
#include "pmcg_fixture.h"

/* A number with bits set all over, so that a lost or doubled part shows. */
#define MANY	1000003ULL

/* Counts clock cycles of its own accord: such a counter moves between two reads. */
static bool counts_by_itself(int fd)
{
	__u64 first = pmu_value(fd);
	int i;

	for (i = 0; i < 1000; i++)
		if (pmu_value(fd) != first)
			return true;
	return false;
}

TEST_F(pmu, cycles)
{
	struct machine *machine = &self->machine;
	__u64 before, after;
	int fd;

	if (!pmcg_has_event(&machine->pmu, PMCG_EVENT_CYCLES))
		SKIP(return, "this PMCG does not count cycles");
	fd = must_open(_metadata, &machine->pmu, PMCG_EVENT_CYCLES, -1);

	if (machine->stimulus.page && !counts_by_itself(fd)) {
		before = pmu_value(fd);
		stimulus_inject(&machine->stimulus, PMCG_EVENT_CYCLES, 0, MANY);
		EXPECT_EQ(before + MANY, pmu_value(fd));
		return;
	}
	/* A clock that stands still hangs here, and the harness reports it. */
	before = pmu_value(fd);
	do {
		after = pmu_value(fd);
		ASSERT_LE(before, after);
	} while (after == before);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	before = pmu_value(fd);
	EXPECT_EQ(before, pmu_value(fd));
}

TEST_F(injected, every_event_of_ceid_counts_itself_only)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	struct pmcg_hardware pmcg = pmcg_of(&self->machine);
	unsigned int event, other;
	int fd;

	for (event = 1; event < PMCG_ARCHITECTED_EVENTS; event++) {
		if (!pmcg_implements(&pmcg, event))
			continue;
		fd = must_open(_metadata, &self->machine.pmu, event, -1);
		EXPECT_EQ(0, pmu_value(fd));
		stimulus_inject(stimulus, event, 0x8, MANY + event);
		EXPECT_EQ(MANY + event, pmu_value(fd))
			TH_LOG("event %u", event);
		for (other = 0; other < PMCG_ARCHITECTED_EVENTS; other++)
			if (other != event)
				stimulus_inject(stimulus, other, 0x8, 1);
		stimulus_inject(stimulus, event | PMCG_ARCHITECTED_EVENTS, 0x8, 1);
		EXPECT_EQ(MANY + event, pmu_value(fd))
			TH_LOG("event %u counts others", event);
		close(fd);
	}
}

TEST_F(injected, implementation_defined_events)
{
	static const unsigned int events[] = { 0x80, 0xff, 0x100, 0x1234, 0x8000, 0xffff };
	struct stimulus *stimulus = &self->machine.stimulus;
	__u32 implemented;
	unsigned int i;
	int fd, counter;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		fd = pmu_open(&self->machine.pmu, events[i], -1);
		if (fd == -EINVAL && events[i] > 0xff)
			continue;
		ASSERT_LE(0, fd)
			TH_LOG("event %#x: %s", events[i], strerror(-fd));
		counter = pmu_counter_of_event(stimulus, &self->machine.hardware, events[i]);
		if (counter < 0 &&
		    reference_has(&self->machine.pmu, REFERENCE_ACCEPTS_ANY_EVENT))
			SKIP(return, "reference driver: accepts events that no counter can hold");
		ASSERT_LE(0, counter)
			TH_LOG("event %#x is in no counter", events[i]);
		implemented = stimulus_peek32(stimulus, PMCG_EVTYPER(counter)) &
			      PMCG_EVTYPER_EVENT;
		EXPECT_EQ(events[i], implemented);
		stimulus_inject(stimulus, events[i], 0x8, MANY + i);
		stimulus_inject(stimulus, events[i] ^ 1, 0x8, 1);
		stimulus_inject(stimulus, events[i] ^ 0x40, 0x8, 1);
		EXPECT_EQ(MANY + i, pmu_value(fd))
			TH_LOG("event %#x", events[i]);
		close(fd);
	}
}

/*
 * An event counts from its start to its stop: what its counter has counted, no less, no
 * more. An erratum can make a counter start before it is enabled.
 */
TEST_F(injected, events_at_the_start_and_at_the_stop)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	struct stimulus *stimulus = &self->machine.stimulus;
	__u64 total = 0, before, mask = ~0ULL >> (64 - hardware->bits);
	unsigned int round;
	int fd, counter;

	fd = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, -1);
	for (round = 0; round < 10; round++) {
		counter = pmu_counter_of_event(stimulus, hardware, PMCG_EVENT_TRANSACTION);
		ASSERT_LE(0, counter);
		before = pmu_counter(stimulus, hardware, counter);
		stimulus_precede(stimulus, PMCG_CNTENCLR0, PMCG_EVENT_TRANSACTION, 0x8, MANY);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, stimulus_to_come(stimulus));
		total += (pmu_counter(stimulus, hardware, counter) - before) & mask;
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, stopped", round);
		before = pmu_counter(stimulus, hardware, counter);
		stimulus_precede(stimulus, PMCG_CNTENSET0, PMCG_EVENT_TRANSACTION, 0x8, MANY);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, stimulus_to_come(stimulus));
		if (!reference_has(&self->machine.pmu, REFERENCE_SETS_COUNTERS_AT_START))
			total += (pmu_counter(stimulus, hardware, counter) - before) & mask;
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %u, started", round);
	}
}

/* Injects up to a total in steps that no counter size takes amiss. */
static void inject_until(struct machine *machine, unsigned int event,
			 __u64 *total, __u64 wanted)
{
	__u64 step, limit = 1ULL << 30;

	for (; *total != wanted; *total += step) {
		step = wanted - *total < limit ? wanted - *total : limit;
		stimulus_inject(&machine->stimulus, event, 0x8, step);
	}
}

TEST_F(injected, counts_across_powers_of_two)
{
	static const __u64 totals[] = {
		1, 0x7fff, 0x8000, 0xffff, 0x10000, 0x10001,
		0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
		0xfffffffe, 0xffffffff, 0x100000000, 0x100000001,
		0x17fffffff, 0x180000000, 0x1ffffffff, 0x200000000, 0x200000001,
	};
	__u64 total = 0;
	unsigned int i;
	int fd;

	fd = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, -1);
	for (i = 0; i < ARRAY_SIZE(totals); i++) {
		inject_until(&self->machine, PMCG_EVENT_TRANSACTION, &total, totals[i]);
		EXPECT_EQ(totals[i], pmu_value(fd));
	}
}

/*
 * Several times around the counter, read after each step. The perf count has 64
 * bits: on a 64-bit counter both sides wrap.
 */
TEST_F(injected, counts_across_the_counter_size)
{
	unsigned int bits = self->machine.hardware.bits;
	__u64 steps[] = {
		1ULL << (bits - 2),
		(1ULL << (bits - 2)) - 1,
		(1ULL << (bits - 1)) - 1,
		1,
		(1ULL << (bits - 1)) - 2,
		2,
	};
	__u64 total = 0;
	unsigned int i;
	int fd;

	fd = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, -1);
	for (i = 0; i < 8 * ARRAY_SIZE(steps); i++) {
		stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8,
				steps[i % ARRAY_SIZE(steps)]);
		total += steps[i % ARRAY_SIZE(steps)];
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("step %u", i);
	}
}

/* The same without reads: only the overflow interrupt keeps the count. */
TEST_F(injected, counts_unread_across_the_counter_size)
{
	__u64 step = (1ULL << (self->machine.hardware.bits - 1)) - 1;
	__u64 total = 0;
	unsigned int i;
	int fd;

	if (!has_interrupt(&self->machine))
		SKIP(return, "this PMCG has no interrupt");
	fd = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, -1);
	for (i = 0; i < 25; i++, total += step)
		stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
	EXPECT_EQ(total, pmu_value(fd));
}

/* Every counter at once, each with its own event and, where it has one, filter. */
TEST_F(injected, all_counters_at_once)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	unsigned int n, events[PMU_MAX_COUNTERS];
	__u32 stream_ids[PMU_MAX_COUNTERS];
	struct pmcg_filter filter;
	int fds[PMU_MAX_COUNTERS];

	for (n = 0; n < hardware->counters; n++) {
		events[n] = pmcg_nth_event(&self->machine.stimulus, n % 7);
		stream_ids[n] = hardware->global_filter ? 0x55 : 0x100 + n;
		filter = exactly(stream_ids[n]);
		fds[n] = must_open_filtered(_metadata, &self->machine.pmu, events[n], &filter, -1);
	}
	EXPECT_EQ(hardware->counters,
		  (unsigned int)__builtin_popcountll(stimulus_peek(&self->machine.stimulus,
								   PMCG_CNTENSET0)));
	if (hardware->global_filter) {
		for (n = 1; n < 8; n++)
			stimulus_inject(&self->machine.stimulus, n, 0x55, MANY * n);
		for (n = 0; n < hardware->counters; n++) {
			EXPECT_EQ(MANY * events[n], pmu_value(fds[n]))
				TH_LOG("counter %u, event %u", n, events[n]);
		}
		return;
	}
	for (n = 0; n < hardware->counters; n++)
		stimulus_inject(&self->machine.stimulus, events[n], stream_ids[n], MANY + n);
	for (n = 0; n < hardware->counters; n++) {
		EXPECT_EQ(MANY + n, pmu_value(fds[n]))
			TH_LOG("counter %u, event %u, StreamID %#x", n, events[n], stream_ids[n]);
	}
}

/* Counters are given back in any order and must start from nothing each time. */
TEST_F(injected, counters_are_reused_in_any_order)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int n, round, victim;
	__u64 expected[PMU_MAX_COUNTERS] = { 0 };
	int fds[PMU_MAX_COUNTERS];

	for (n = 0; n < hardware->counters; n++)
		fds[n] = must_open(_metadata, &self->machine.pmu, 1 + n % 2, -1);
	for (round = 0; round < 100; round++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 1000 + round);
		stimulus_inject(stimulus, PMCG_EVENT_TLB_MISS, 0x8, 7 * round);
		for (n = 0; n < hardware->counters; n++)
			expected[n] += n % 2 ? 7 * round : 1000 + round;
		victim = round * 37 % hardware->counters;
		ASSERT_EQ(expected[victim], pmu_value(fds[victim]));
		close(fds[victim]);
		fds[victim] = must_open(_metadata, &self->machine.pmu, 1 + victim % 2, -1);
		expected[victim] = 0;
	}
	for (n = 0; n < hardware->counters; n++) {
		EXPECT_EQ(expected[n], pmu_value(fds[n]))
			TH_LOG("event %u", n);
	}
}

TEST_F(injected, enable_disable_reset)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	struct perf_event_attr attr;
	unsigned int round;
	__u64 total = 0;
	int fd;

	ASSERT_EQ(0, pmu_describe(&self->machine.pmu, &attr, PMCG_EVENT_TRANSACTION));
	attr.disabled = 1;
	fd = pmu_open_attr(&self->machine.pmu, &attr, -1);
	ASSERT_LE(0, fd);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
	EXPECT_EQ(0, pmu_value(fd));
	for (round = 1; round <= 50; round++) {
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, round);
		total += round;
		if (round % 3) {
			EXPECT_EQ(total, pmu_value(fd))
				TH_LOG("round %u", round);
		}
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(0, stimulus_peek(stimulus, PMCG_CNTENSET0));
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
		EXPECT_EQ(total, pmu_value(fd));
		if (round % 7 == 0) {
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
			EXPECT_EQ(0, pmu_value(fd));
			total = 0;
		}
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 5);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
	EXPECT_EQ(MANY, pmu_value(fd));
}

/*
 * A second event beside a running one takes nothing from it. Where there is one
 * counter only, the running event is pinned: they would take turns otherwise.
 */
TEST_F(injected, opening_and_closing_others_loses_nothing)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int round;
	int fd, other;

	if (self->machine.hardware.counters > 1)
		fd = pmu_open(&self->machine.pmu, PMCG_EVENT_TRANSACTION, -1);
	else
		fd = pmu_open_pinned(&self->machine.pmu, PMCG_EVENT_TRANSACTION);
	ASSERT_LE(0, fd);
	for (round = 1; round <= 200; round++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 1);
		other = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TLB_MISS, -1);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 2);
		close(other);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 4);
		ASSERT_EQ(7 * round, pmu_value(fd))
			TH_LOG("round %u", round);
	}
}

/*
 * One event more than counters: perf takes turns. Whatever the turns are, as many
 * events as there are counters are on them when an event happens, so the counts
 * add up exactly.
 */
TEST_F_TIMEOUT(injected, more_events_than_counters_take_turns, SLOW)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	unsigned int n, number = hardware->counters + 1, waiting;
	struct pmu_count count, later;
	int fds[PMU_MAX_COUNTERS + 1];
	__u64 total = 0, sum;

	for (n = 0; n < number; n++)
		fds[n] = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION,
				   -1);
	/* Ends when each event has counted something and missed something. */
	do {
		for (n = 0; n < 100; n++)
			stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8, 1);
		total += 100;
		waiting = 0;
		for (n = 0; n < number; n++) {
			ASSERT_EQ(0, pmu_read(fds[n], &count));
			ASSERT_LE(count.value, total);
			/* perf takes one time after the other, and may rotate in between. */
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
	struct stimulus *stimulus = &self->machine.stimulus;
	__u64 reads, writes;
	int i, fd = -1;

	for (i = 0; i < 2; i++) {
		reads = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
		writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
		usleep(100000);
		EXPECT_EQ(reads, stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS))
			TH_LOG("with %d events open", i);
		EXPECT_EQ(writes, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS))
			TH_LOG("with %d events open", i);
		/*
		 * Nor does an event that is only counting, between its reads, unless
		 * overflows could go unnoticed.
		 */
		if (!reference_has(&self->machine.pmu, REFERENCE_NEVER_POLLS) &&
		    !pmu_interrupt_is(&self->machine.pmu, "wired"))
			break;
		if (fd < 0)
			fd = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION,
				       -1);
	}
}

/* Nothing stays switched on behind the last event. */
TEST_F(injected, closing_switches_the_counter_off)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	int fd;

	fd = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, -1);
	EXPECT_NE(0, stimulus_peek(stimulus, PMCG_CNTENSET0));
	EXPECT_EQ(PMCG_CR_E, stimulus_peek32(stimulus, PMCG_CR));
	if (has_interrupt(&self->machine)) {
		EXPECT_EQ(PMCG_IRQ_CTRL_IRQEN, stimulus_peek32(stimulus, PMCG_IRQ_CTRL));
		EXPECT_NE(0, stimulus_peek(stimulus, PMCG_INTENSET0) &
			     stimulus_peek(stimulus, PMCG_CNTENSET0));
	}
	close(fd);
	EXPECT_EQ(0, stimulus_peek(stimulus, PMCG_CNTENSET0));
}

/* Programming is by far the most that opening an event costs on a real machine. */
TEST_F(injected, programming_writes_only_what_changes)
{
	static const struct {
		unsigned int event;
		__u32 stream_id;
		bool span;
		unsigned int evtyper;
		unsigned int smr;
	} steps[] = {
		/* The first one is what it has to be, whatever was there before. */
		{ PMCG_EVENT_TRANSACTION, 0x42, false, 0, 0 },
		{ PMCG_EVENT_TRANSACTION, 0x42, false, 0, 0 },
		{ PMCG_EVENT_TLB_MISS, 0x42, false, 1, 0 },
		{ PMCG_EVENT_TLB_MISS, 0x43, false, 0, 1 },
		{ PMCG_EVENT_TLB_MISS, 0x43, true, 1, 0 },
		{ PMCG_EVENT_TRANSACTION, 0x42, false, 1, 1 },
	};
	struct stimulus *stimulus = &self->machine.stimulus;
	__u64 evtyper, smr;
	unsigned int i;
	int fd;

	if (machine_is(NULL))
		SKIP(return, ERRATUM);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct pmcg_filter filter = {
			.enable = true,
			.span = steps[i].span,
			.stream_id = steps[i].stream_id,
		};

		evtyper = stimulus_writes(stimulus, PMCG_EVTYPER(0));
		smr = stimulus_writes(stimulus, PMCG_SMR(0));
		fd = must_open_filtered(_metadata, &self->machine.pmu, steps[i].event, &filter, -1);
		ASSERT_EQ(0, pmu_counter_of_event(stimulus, &self->machine.hardware,
						  steps[i].event));
		close(fd);
		if (!i)
			continue;
		EXPECT_EQ(steps[i].evtyper, stimulus_writes(stimulus, PMCG_EVTYPER(0)) - evtyper)
			TH_LOG("EVTYPER0, step %u", i);
		EXPECT_EQ(steps[i].smr, stimulus_writes(stimulus, PMCG_SMR(0)) - smr)
			TH_LOG("SMR0, step %u", i);
	}
}

/*
 * The page that perf maps for self-monitoring: software that finds no counter index
 * in it takes the count from there, so it must be up to date once the counter is
 * given back, and the times once there is one again (perf_event_open(2)).
 */
TEST_F(injected, mapped_page_is_up_to_date)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	const struct perf_event_mmap_page *page;
	unsigned int round;
	__u32 lock;
	int fd;

	fd = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, -1);
	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	for (round = 1; round <= 5; round++) {
		EXPECT_EQ(0, page->index);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
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
 * Far from where its counter wraps, and on 64 bits everywhere, an event is read with
 * one access. Where the lower half of a wide counter is about to carry, or the
 * counter is hardly past its wrap, there may be more.
 */
TEST_F(injected, a_read_costs_one_access)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	struct stimulus *stimulus = &self->machine.stimulus;
	__u64 total = 0, step = (1ULL << (hardware->bits - 4)) + 0x01234567;
	__u64 value, reads, position;
	unsigned int i;
	int fd, counter;

	fd = must_open(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, -1);
	counter = pmu_counter_of_event(stimulus, hardware, PMCG_EVENT_TRANSACTION);
	ASSERT_LE(0, counter);
	for (i = 0; i < 40; i++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		total += step;
		position = pmu_counter(stimulus, hardware, counter);
		reads = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
		value = pmu_value(fd);
		reads = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS) - reads;
		EXPECT_EQ(total, value);
		if (hardware->bits < 64 && position >> (hardware->bits - 4) == 0)
			continue;
		if (hardware->bits > 32 && (__u32)position + 0x100000U < 0x200000U)
			continue;
		EXPECT_EQ(1, reads)
			TH_LOG("counter at %#llx", position);
	}
}

/* HiSilicon HIP08 and HIP09 may count on: there the driver takes the event away. */
TEST_F(injected, a_closed_event_leaves_a_counter_that_stands)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 value;
	int fd, n;

	fd = must_open(_metadata, &machine->pmu, PMCG_EVENT_TRANSACTION, -1);
	n = pmu_counter_of_event(stimulus, &machine->hardware, PMCG_EVENT_TRANSACTION);
	ASSERT_LE(0, n);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 5);
	EXPECT_EQ(5, pmu_value(fd));
	close(fd);
	value = pmu_counter(stimulus, &machine->hardware, n);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 1000);
	EXPECT_EQ(value, pmu_counter(stimulus, &machine->hardware, n));
}

/*
 * The event that counters of HIP08 and HIP09 are given then may still happen: what a counter
 * has counted in the meantime is not counted by the next event.
 */
TEST_F(injected, a_counter_that_does_not_stand)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int i;
	__u64 value;
	int fd, n;

	if (!machine_is(NULL))
		SKIP(return, "counters stand where enabling and disabling work");
	fd = must_open(_metadata, &machine->pmu, PMCG_EVENT_TRANSACTION, -1);
	n = pmu_counter_of_event(stimulus, &machine->hardware, PMCG_EVENT_TRANSACTION);
	ASSERT_LE(0, n);
	for (i = 1; i <= 5; i++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 5);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		value = pmu_counter(stimulus, &machine->hardware, n);
		stimulus_inject(stimulus, PMCG_EVTYPER_EVENT, 0x8, 1000);
		ASSERT_EQ(value + 1000, pmu_counter(stimulus, &machine->hardware, n));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_EQ(5 * i, pmu_value(fd));
	}
}

TEST_HARNESS_MAIN
