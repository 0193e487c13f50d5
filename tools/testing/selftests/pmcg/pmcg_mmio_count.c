// SPDX-License-Identifier: GPL-2.0
/* The driver makes exactly the register accesses that it needs. */
#include "mmio_count_fixture.h"
#include "pmcg.h"
#include "sampling_fixture.h"

/*
 * Accesses of the kernel's own driver (6.12) to enable a group of 8, and to disable it, by "make
 * bench"
 */
#define REFERENCE_ENABLE	44
#define REFERENCE_DISABLE	28

/*
 * Where they come from, for a group of 8 on a PMCG with CAPTURE:
 *
 * enable	CR read, since nothing counted before; EVTYPERn and SMRn written,
 *		EVCNTRn read; all enabled by CNTENSET0
 * read		all captured by CAPR, SVRn read
 * disable	all disabled by CNTENCLR0, EVCNTRn read
 * again	as enable
 * rotate	one group disabled, another one enabled
 *
 * and for one overflow of 64 counters: OVSCLR0 read twice and written, EVCNTRn read.
 */
static const struct mmio_count expected[MMIO_OPERATIONS] = {
	[MMIO_IDLE]			= { .reads = 0,	.writes = 0 },
	[MMIO_OPEN_CLOSE]		= { .reads = 3,	.writes = 2 + 1 + 1 },
	[MMIO_OPEN_GROUP]		= { .reads = 0,	.writes = 0 },
	[MMIO_ENABLE_GROUP]		= { .reads = 9,	.writes = 16 + 1 },
	[MMIO_READ_GROUP]		= { .reads = 8,	.writes = 1 },
	[MMIO_DISABLE_GROUP]		= { .reads = 8,	.writes = 1 },
	[MMIO_ENABLE_GROUP_AGAIN]	= { .reads = 9,	.writes = 16 + 1 },
	[MMIO_ROTATION]			= { .reads = 16, .writes = 1 + 16 + 1 },
	[MMIO_OVERFLOW]			= { .reads = 3,	.writes = 1 },
};

TEST(exact_accesses)
{
	expect_accesses(_metadata, expected);
	EXPECT_GE(REFERENCE_ENABLE * 6 / 10, accesses_of(&expected[MMIO_ENABLE_GROUP]));
	EXPECT_GE(REFERENCE_DISABLE / 3, accesses_of(&expected[MMIO_DISABLE_GROUP]));
}

/* Accesses to read a counter whose halves may not match, IHI 0070 §10.5. */
static unsigned int reads_at(__u64 value)
{
	__u32 low = value;

	return hardware->bits > 32 && low + 0x10000 < 0x20000 ? 4 : 1;
}

/* Accesses of the next sample, if fewer than before: the timer for MSIs polls now and then. */
static void measure_sample(struct ring *ring, struct ring_tally *tally, struct mmio_count *least)
{
	struct mmio_count before = mmio_count_now(stimulus), after;

	inject(PERIOD);
	ring_drain(ring, tally);
	after = mmio_count_now(stimulus);
	if (after.reads - before.reads < least->reads)
		least->reads = after.reads - before.reads;
	if (after.writes - before.writes < least->writes)
		least->writes = after.writes - before.writes;
}

/* The two halves of the overflow status are read again, since they need not be of one instant. */
static unsigned int reads_of_status(void)
{
	return hardware->counters > 32 ? 2 : 1;
}

/*
 * These accesses limit the sampling rate on real hardware. The overflow status is read and cleared,
 * the counter read and set, in halves if it has more than 32 bits; and shadow registers are read if
 * there are any.
 */
TEST_F(sampling, accesses_of_one_sample)
{
	struct mmio_count least = { ~0ULL, ~0ULL };
	struct ring_tally tally = { 0 };
	unsigned int round;
	struct ring ring;

	open_sampling(PERIOD, &ring);
	/* Another event needs no accesses. */
	if (hardware->counters > 1)
		must_open(pmu->other_event, -1);
	for (round = 0; round < 20; round++) {
		measure_sample(&ring, &tally, &least);
		ASSERT_EQ(round + 1, tally.samples);
	}
	EXPECT_EQ(reads_of_status() + reads_at(0) + hardware->capture, least.reads);
	EXPECT_EQ(1 + (hardware->bits > 32 ? 2 : 1), least.writes);
}

/* Reads of page 1 when an event starts */
static __u64 reads_at_start(int fd)
{
	__u32 status = hardware->counter_page | PMCG_OVSCLR0;
	__u64 reads = stimulus_reads(stimulus, status);

	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	return stimulus_reads(stimulus, status) - reads;
}

/*
 * Accesses to different pages are not ordered: if page 1 has been written, it is read before
 * counters are enabled on page 0.
 */
TEST_F(sampling, a_start_waits_for_page_1)
{
	struct perf_event_attr attr;
	unsigned int round;
	int fd;

	if (!hardware->counter_page)
		SKIP(return, "this PMU has one page");
	/* Far from an overflow, whose status would be cleared */
	attr = sampling_attr(0x100000);
	attr.disabled = 1;
	fd = must_open_attr(&attr, -1);
	for (round = 0; round < 3; round++) {
		EXPECT_EQ(1, reads_at_start(fd))
			TH_LOG("its counter was set");
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	}
	close(fd);

	attr = attr_of(pmu->event);
	fd = must_open_attr(&attr, -1);
	inject(until_wrap(must_find_counter(pmu->event)) - 1);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(0, reads_at_start(fd))
			TH_LOG("nothing was written");
	}
	stimulus_hold(stimulus, true);
	inject(1);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(2, reads_at_start(fd))
		TH_LOG("its overflow status was cleared, and is read since it has just wrapped");
	stimulus_hold(stimulus, false);
}

/*
 * The last requested sample also takes the accesses that stop its counter: the overflow status is
 * read if there may be no interrupt, and a register of page 0, so that the stop is complete before
 * the counter on page 1 is read. Disabling the event afterwards takes none.
 */
TEST_F(sampling, accesses_of_the_last_sample)
{
	bool looks = pmu_interrupt_is(pmu, "msi") && hardware->bits < 64;
	bool waits = hardware->counter_page;
	struct mmio_count least[2] = { { ~0ULL, ~0ULL }, { ~0ULL, ~0ULL } };
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	unsigned int round, last;
	struct ring ring;
	int fd;

	attr = sampling_attr(PERIOD);
	attr.disabled = 1;
	fd = open_sampling_attr(&attr, -1, &ring);
	for (round = 0; round < 40; round++) {
		last = round % 2;
		if (!last)
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 2));
		measure_sample(&ring, &tally, &least[last]);
		ASSERT_EQ(round + 1, tally.samples);
	}
	EXPECT_EQ(least[0].reads + looks + waits + reads_at(-PERIOD), least[1].reads);
	/* With this erratum, it is set to an event that does not exist. */
	EXPECT_EQ(least[0].writes + 1 + !!(pmu->errata & PMU_DISABLED_COUNTERS_COUNT),
		  least[1].writes);
}

/* Whether counting an event writes SMR0 */
static __u64 writes_filter(struct perf_event_attr *attr)
{
	__u64 writes = stimulus_writes(stimulus, PMCG_SMR(0));

	close(must_open_attr(attr, -1));
	return stimulus_writes(stimulus, PMCG_SMR(0)) - writes;
}

static __u32 filter_fields(void)
{
	return stimulus_peek32(stimulus, PMCG_EVTYPER(0)) &
	       ~(PMCG_EVTYPER_EVENT | PMCG_EVTYPER_OVFCAP);
}

/* No filter applies to cycles (§10.3): that of the counter stays, or that of all counters. */
TEST_F(sampling, cycles_leave_the_filter)
{
	struct perf_event_attr attr = filtered_attr(), cycles = attr_of(PMCG_EVENT_CYCLES);
	__u32 fields;

	writes_filter(&attr);
	fields = filter_fields();
	EXPECT_EQ(0, writes_filter(&cycles));
	EXPECT_EQ(fields, filter_fields());
	EXPECT_EQ(!hardware->global_filter, writes_filter(&attr));
}

TEST_HARNESS_MAIN
