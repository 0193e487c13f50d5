// SPDX-License-Identifier: GPL-2.0
/*
 * Changes that take effect late: IHI 0070 §10.2.
 */
#include "pmcg_test.h"

static struct pmcg pmcg;
static unsigned int edges;

static const struct syspmu_event transaction = { .number = TRANSACTION, .stream_id = 5 };
FIXTURE(delay) {
	struct pmcg_config config;
};

/* Three counters of all transactions, and changes that are late by 10 events. */
FIXTURE_SETUP(delay)
{
	unsigned int i;

	pmcg_default_config(&self->config);
	self->config.counters = 3;
	self->config.capture = true;
	make(_metadata, &pmcg, &self->config, &edges);
	quiet(&pmcg);
	for (i = 0; i < 3; i++)
		program_all(&pmcg, i, TRANSACTION);
	EXPECT_EQ(0, syspmu_change_delay(&pmcg.model));
	syspmu_delay_changes(&pmcg.model, 10);
	EXPECT_EQ(10, syspmu_change_delay(&pmcg.model));
}

FIXTURE_TEARDOWN(delay)
{
}

/* An event can change something as long as a counter counts, or would still count late. */
TEST_F(delay, of_what_can_count)
{
	EXPECT_TRUE(syspmu_can_count(&pmcg.model));
	write64(&pmcg, 0xc20, 7);
	EXPECT_TRUE(syspmu_can_count(&pmcg.model));
	syspmu_delay_changes(&pmcg.model, 0);
	EXPECT_FALSE(syspmu_can_count(&pmcg.model));
	write64(&pmcg, 0xc00, 4);
	EXPECT_TRUE(syspmu_can_count(&pmcg.model));
	write32(&pmcg, 0xe04, 0);
	EXPECT_FALSE(syspmu_can_count(&pmcg.model));
}

TEST_F(delay, forgotten)
{
	write64(&pmcg, 0xc20, 1);
	syspmu_delay_changes(&pmcg.model, 0);
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 1));

	syspmu_delay_changes(&pmcg.model, 10);
	write64(&pmcg, 0xc20, 2);
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_EQ(0, syspmu_change_delay(&pmcg.model));
	EXPECT_EQ(0, added(&pmcg, 1, &transaction, 1));
}

TEST_HARNESS_MAIN
