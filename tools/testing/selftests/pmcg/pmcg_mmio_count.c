// SPDX-License-Identifier: GPL-2.0
/* The driver makes exactly the register accesses that it needs. */
#include "pmcg_fixture.h"
#include "mmio_count.h"

/*
 * What it costs the kernel's driver (6.12) to enable a group of 8, read it and
 * disable it: 44 + 8 + 28, says the bench.
 */
#define IN_TREE_GROUP_CYCLE	80

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
static const struct cost expected[COST_OPERATIONS] = {
	[COST_IDLE]			= { .reads = 0,	.writes = 0 },
	[COST_OPEN_CLOSE]		= { .reads = 1,	.writes = 2 + 1 + 1 },
	[COST_OPEN_GROUP]		= { .reads = 0,	.writes = 0 },
	[COST_ENABLE_GROUP]		= { .reads = 0,	.writes = 16 + 1 },
	[COST_READ_GROUP]		= { .reads = 8,	.writes = 1 },
	[COST_DISABLE_GROUP]		= { .reads = 8,	.writes = 1 },
	[COST_ENABLE_GROUP_AGAIN]	= { .reads = 0,	.writes = 1 },
	[COST_ROTATION]			= { .reads = 8,	.writes = 1 + 16 + 1 },
	[COST_OVERFLOW]			= { .reads = 2,	.writes = 1 },
};

static __u64 accesses(const struct cost *cost)
{
	return cost->reads + cost->writes;
}

TEST(exact_accesses)
{
	struct cost costs[COST_OPERATIONS];
	char reason[256];
	struct pmcg pmcg;
	int i;

	if (!pmcg_list(&pmcg, 1))
		SKIP(return, NO_PMCG);
	if (pmcg.in_tree)
		SKIP(return, "in-tree driver: make bench shows what it costs");
	if (cost_measure(costs, reason, sizeof(reason)))
		SKIP(return, "%s", reason);
	for (i = 0; i < COST_OPERATIONS; i++) {
		EXPECT_EQ(expected[i].reads, costs[i].reads)
			TH_LOG("reads: %s", cost_names[i]);
		EXPECT_EQ(expected[i].writes, costs[i].writes)
			TH_LOG("writes: %s", cost_names[i]);
	}
	EXPECT_GE(IN_TREE_GROUP_CYCLE / 2, accesses(&costs[COST_ENABLE_GROUP]) +
		  accesses(&costs[COST_READ_GROUP]) + accesses(&costs[COST_DISABLE_GROUP]));
}

TEST_HARNESS_MAIN
