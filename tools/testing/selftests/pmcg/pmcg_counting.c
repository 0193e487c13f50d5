// SPDX-License-Identifier: GPL-2.0
/* The events of a PMCG, and how they are programmed. */
#include "pmcg_fixture.h"

/* A number with bits set in all parts, so that a lost or doubled part is noticed. */
#define MANY	1000003ULL

/* Whether an event counts clock cycles by itself: then its count changes between two reads. */
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
	__u64 before, after;
	int fd;

	if (!pmcg_has_event(pmu, PMCG_EVENT_CYCLES))
		SKIP(return, "this PMCG does not count cycles");
	fd = must_open(PMCG_EVENT_CYCLES, -1);

	if (!counts_by_itself(fd)) {
		if (!stimulus->page)
			SKIP(return, "its clock stands still, as it may while the SMMU is idle");
		before = pmu_value(fd);
		stimulus_inject(stimulus, PMCG_EVENT_CYCLES, 0, MANY);
		EXPECT_EQ(before + MANY, pmu_value(fd));
		return;
	}
	/* If the clock stands still, the test times out here. */
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
	struct pmcg_hardware pmcg = pmcg_of(machine);
	unsigned int event, other;
	int fd;

	for (event = 1; event < PMCG_ARCHITECTED_EVENTS; event++) {
		if (!pmcg_implements(&pmcg, event))
			continue;
		fd = must_open(event, -1);
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
	__u32 implemented;
	unsigned int i;
	int fd, counter;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		fd = pmu_open(pmu, events[i], -1);
		if (fd == -EINVAL && events[i] > 0xff)
			continue;
		ASSERT_LE(0, fd)
			TH_LOG("event %#x: %s", events[i], strerror(-fd));
		counter = pmu_counter_of_event(stimulus, hardware, events[i]);
		if (counter < 0 && reference_has(pmu, REFERENCE_ACCEPTS_ANY_EVENT))
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
 * What was written is not trusted: firmware may have changed it. Only a filter that all counters
 * share is written where it changes, with EVTYPER0, since others may be using it.
 */
TEST_F(injected, programming_writes_all_that_it_relies_on)
{
	static const struct {
		unsigned int event;
		__u32 stream_id;
		bool span;
		bool changed;	/* the filter */
	} steps[] = {
		{ PMCG_EVENT_TRANSACTION, 0x42, false, true },
		{ PMCG_EVENT_TRANSACTION, 0x42, false, false },
		{ PMCG_EVENT_TLB_MISS, 0x42, false, false },
		{ PMCG_EVENT_TLB_MISS, 0x43, false, true },
		{ PMCG_EVENT_TLB_MISS, 0x43, true, true },
		{ PMCG_EVENT_TRANSACTION, 0x42, false, true },
	};
	bool shared = hardware->global_filter;
	__u64 evtyper, smr;
	unsigned int i;
	int fd;

	if (pmu->errata & PMU_DISABLED_COUNTERS_COUNT)
		SKIP(return, ERRATUM);
	bind_again();
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct pmcg_filter filter = {
			.enable = true,
			.span = steps[i].span,
			.stream_id = steps[i].stream_id,
		};

		evtyper = stimulus_writes(stimulus, PMCG_EVTYPER(0));
		smr = stimulus_writes(stimulus, PMCG_SMR(0));
		fd = must_open_filtered(steps[i].event, &filter, -1);
		ASSERT_EQ(0, pmu_counter_of_event(stimulus, hardware, steps[i].event));
		close(fd);
		EXPECT_EQ(1 + (shared && steps[i].changed),
			  stimulus_writes(stimulus, PMCG_EVTYPER(0)) - evtyper)
			TH_LOG("EVTYPER0, step %u", i);
		EXPECT_EQ(!shared || steps[i].changed,
			  stimulus_writes(stimulus, PMCG_SMR(0)) - smr)
			TH_LOG("SMR0, step %u", i);
	}
}

/*
 * The event that counters of HIP08 and HIP09 are set to may occur nevertheless: what a counter
 * counts then is not counted by the next event.
 */
TEST_F(injected, a_counter_that_does_not_stand)
{
	unsigned int i;
	__u64 value;
	int fd, n;

	if (!(pmu->errata & PMU_DISABLED_COUNTERS_COUNT))
		SKIP(return, "no erratum: disabled counters do not count");
	fd = must_open(PMCG_EVENT_TRANSACTION, -1);
	n = must_find_counter(PMCG_EVENT_TRANSACTION);
	for (i = 1; i <= 5; i++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 5);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		value = pmu_counter(stimulus, hardware, n);
		stimulus_inject(stimulus, PMCG_EVTYPER_EVENT, 0x8, 1000);
		ASSERT_EQ(value + 1000, pmu_counter(stimulus, hardware, n));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_EQ(5 * i, pmu_value(fd));
	}
}

TEST_HARNESS_MAIN
