// SPDX-License-Identifier: GPL-2.0
/* The driver makes exactly the register accesses that it needs. */
#include "pmcg_fixture.h"
#include "mmio_count.h"

/*
 * Accesses of the kernel's driver (6.12) that enable a group of 8, read it and disable it:
 * 44 + 8 + 28 by "make bench".
 */
#define REFERENCE_GROUP_CYCLE	80

/*
 * Where they come from, for a group of 8 on a PMCG with CAPTURE:
 *
 * enable	EVTYPERn and SMRn written where they change, all enabled by
 *		CNTENSET0; the values that the counters start from are known
 * read		all captured by CAPR, SVRn read
 * disable	all disabled by CNTENCLR0, EVCNTRn read
 * again	as enable, but nothing has changed
 * rotate	one group disabled, another one enabled
 *
 * and for one overflow: OVSCLR0 read and written, EVCNTRn read.
 */
static const struct mmio_count expected[MMIO_OPERATIONS] = {
	[MMIO_IDLE]			= { .reads = 0,	.writes = 0 },
	[MMIO_OPEN_CLOSE]		= { .reads = 1,	.writes = 2 + 1 + 1 },
	[MMIO_OPEN_GROUP]		= { .reads = 0,	.writes = 0 },
	[MMIO_ENABLE_GROUP]		= { .reads = 0,	.writes = 16 + 1 },
	[MMIO_READ_GROUP]		= { .reads = 8,	.writes = 1 },
	[MMIO_DISABLE_GROUP]		= { .reads = 8,	.writes = 1 },
	[MMIO_ENABLE_GROUP_AGAIN]	= { .reads = 0,	.writes = 1 },
	[MMIO_ROTATION]			= { .reads = 8,	.writes = 1 + 16 + 1 },
	[MMIO_OVERFLOW]			= { .reads = 2,	.writes = 1 },
};

static __u64 accesses(const struct mmio_count *count)
{
	return count->reads + count->writes;
}

TEST(exact_accesses)
{
	struct mmio_count counts[MMIO_OPERATIONS];
	char reason[256];
	const char *reason_to_skip;
	struct pmu pmu;
	int i;

	if (!pmu_list(&pmu, 1))
		SKIP(return, NO_PMU);
	reason_to_skip = reference_exception(&pmu, _metadata->fixture->name, _metadata->name);
	if (reason_to_skip)
		SKIP(return, "reference driver: %s", reason_to_skip);
	if (mmio_count_measure(counts, reason, sizeof(reason)))
		SKIP(return, "%s", reason);
	for (i = 0; i < MMIO_OPERATIONS; i++) {
		EXPECT_EQ(expected[i].reads, counts[i].reads)
			TH_LOG("reads: %s", mmio_operation_names[i]);
		EXPECT_EQ(expected[i].writes, counts[i].writes)
			TH_LOG("writes: %s", mmio_operation_names[i]);
	}
	EXPECT_GE(REFERENCE_GROUP_CYCLE / 2, accesses(&counts[MMIO_ENABLE_GROUP]) +
		  accesses(&counts[MMIO_READ_GROUP]) + accesses(&counts[MMIO_DISABLE_GROUP]));
}

TEST_HARNESS_MAIN
