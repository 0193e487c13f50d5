// SPDX-License-Identifier: GPL-2.0
/* The driver makes exactly the register accesses that it needs. */
#include "coresight_fixture.h"
#include "mmio_count_fixture.h"

/*
 * The kernel's own driver (7.3) with 32-bit accesses, to enable a group of 8 and to disable it; it
 * reads it with 8.
 */
#define REFERENCE_ENABLE	50
#define REFERENCE_DISABLE	25

/*
 * Where they come from, for a group of 8 on a PMU with snapshots:
 *
 * enable	PMCR read, since nothing counted before; PMEVTYPER<n> and PMEVFILTR<n> written,
 *		PMEVCNTR<n> read; all enabled by one PMCNTENSET
 * read		all captured by PMSSCR, PMSSSR, PMSVR<n> read two at a time, and again, since
 *		somebody else may capture meanwhile
 * disable	all disabled by one PMCNTENCLR, PMEVCNTR<n> read
 * again	as enable
 * rotate	one group disabled, another one enabled
 *
 * and for one overflow: PMOVSCLR read and written, PMEVCNTR<n> read; where the interrupt is an
 * edge, PMOVSCLR read once more, since one combined signal stays high for what comes meanwhile.
 */
static const struct mmio_count expected[MMIO_OPERATIONS] = {
	[MMIO_IDLE]			= { .reads = 0,	.writes = 0 },
	[MMIO_OPEN_CLOSE]		= { .reads = 3,	.writes = 2 + 1 + 1 },
	[MMIO_OPEN_GROUP]		= { .reads = 0,	.writes = 0 },
	[MMIO_ENABLE_GROUP]		= { .reads = 9,	.writes = 16 + 1 },
	[MMIO_READ_GROUP]		= { .reads = 1 + 2 * 8, .writes = 1 },
	[MMIO_DISABLE_GROUP]		= { .reads = 8,	.writes = 1 },
	[MMIO_ENABLE_GROUP_AGAIN]	= { .reads = 9,	.writes = 16 + 1 },
	[MMIO_ROTATION]			= { .reads = 16, .writes = 1 + 16 + 1 },
	[MMIO_OVERFLOW]			= { .reads = 3,	.writes = 1 },
};

TEST(exact_accesses)
{
	expect_accesses(_metadata, expected);
	EXPECT_GE(REFERENCE_ENABLE * 6 / 10, accesses_of(&expected[MMIO_ENABLE_GROUP]));
	EXPECT_GE(REFERENCE_DISABLE * 4 / 10, accesses_of(&expected[MMIO_DISABLE_GROUP]));
}

static bool has_narrow_level(const struct machine *machine)
{
	return device_has_level_interrupt(machine->pmu.device) && is_uniform(machine) &&
	       has_interrupt(machine) && machine->hardware.bits < 64 &&
	       machine->hardware.counters <= 64;
}

PMU_FIXTURE(level, has_narrow_level, true)

/*
 * Each overflow is one interrupt of three accesses: the level is deasserted when the flag is
 * cleared.
 */
TEST_F(level, accesses_of_an_overflow)
{
	__u64 taken, reads, writes;
	unsigned int round;
	int fd, counter;

	fd = must_open(pmu->event, -1);
	counter = must_find_counter(pmu->event);
	for (round = 0; round < 5; round++) {
		taken = interrupts_taken(-1);
		reads = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
		writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
		inject((1ULL << hardware->bits) - pmu_counter(stimulus, hardware, counter));
		while (pmu_overflow_status(stimulus, hardware))
			;
		EXPECT_EQ(1 + reads_of_counter(),
			  stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS) - reads)
			TH_LOG("round %u", round);
		EXPECT_EQ(1, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS) - writes)
			TH_LOG("round %u", round);
		EXPECT_EQ(1, interrupts_taken(-1) - taken);
		EXPECT_NE(PMU_NO_VALUE, pmu_value(fd));
	}
}

TEST_HARNESS_MAIN
