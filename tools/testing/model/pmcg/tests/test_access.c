// SPDX-License-Identifier: GPL-2.0
/* Events just before accesses and in the middle of them. */
#include "pmcg_test.h"

static struct pmcg pmcg;
static unsigned int edges;

static const struct syspmu_event transaction = { .number = TRANSACTION };

FIXTURE(access) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(access) {
	unsigned int size;
	bool relocate;
};

FIXTURE_VARIANT_ADD(access, bits_64) {
	.size = 63,
};

FIXTURE_VARIANT_ADD(access, bits_32) {
	.size = 31,
};

FIXTURE_VARIANT_ADD(access, relocated) {
	.size = 63, .relocate = true,
};

FIXTURE_SETUP(access)
{
	pmcg_default_config(&self->config);
	self->config.counters = 3;
	self->config.size = variant->size;
	self->config.relocate = variant->relocate;
	make(_metadata, &pmcg, &self->config, &edges);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	program_all(&pmcg, 1, TRANSACTION);
	program_all(&pmcg, 2, 2);
}

FIXTURE_TEARDOWN(access)
{
}

/* Events just before a write happen before it has any effect. */
TEST_F(access, precede)
{
	unsigned int page = variant->relocate;
	uint64_t top = UINT64_MAX >> (63 - variant->size);

	write_counter(&pmcg, 1, top);
	syspmu_precede(&pmcg.model, page, 0xc80, &transaction, 1);
	EXPECT_EQ(1, syspmu_preceding(&pmcg.model));

	/* Reads, writes of other registers and invalid accesses do not trigger them. */
	syspmu_read(&pmcg.model, page, 0xc80, 8);
	syspmu_write(&pmcg.model, page, 0xcc0, 8, 1);
	syspmu_write(&pmcg.model, !page, 0xc80, 8, 1);
	syspmu_write(&pmcg.model, page, 0xc82, 4, 1);
	syspmu_write(&pmcg.model, page, 0xc80, 1, 1);
	EXPECT_EQ(1, syspmu_preceding(&pmcg.model));
	EXPECT_EQ(0, read_counter(&pmcg, 0));

	/* The write clears the old status, not that of the event. */
	syspmu_write(&pmcg.model, page, 0xc80, 8, 1);
	EXPECT_EQ(0, syspmu_preceding(&pmcg.model));
	EXPECT_EQ(2, syspmu_read(&pmcg.model, page, 0xc80, 8));
	EXPECT_EQ(1, read_counter(&pmcg, 0));
	EXPECT_EQ(0, read_counter(&pmcg, 1));
	syspmu_write(&pmcg.model, page, 0xc80, 8, 2);
	EXPECT_EQ(1, read_counter(&pmcg, 0));
	EXPECT_EQ(0, syspmu_read(&pmcg.model, page, 0xc80, 8));

	/* A write of the high half is a write of the register. */
	syspmu_precede(&pmcg.model, page, 0xc80, &transaction, 2);
	syspmu_write(&pmcg.model, page, 0xc84, 4, 0);
	EXPECT_EQ(3, read_counter(&pmcg, 0));

	/* Just before it is disabled, a counter still counts. */
	syspmu_precede(&pmcg.model, 0, 0xc20, &transaction, 5);
	syspmu_write(&pmcg.model, 0, 0xc20, 8, 1);
	EXPECT_EQ(8, read_counter(&pmcg, 0));
	EXPECT_EQ(7, read_counter(&pmcg, 1));
	syspmu_precede(&pmcg.model, 0, 0xc00, &transaction, 5);
	syspmu_write(&pmcg.model, 0, 0xc00, 8, 1);
	EXPECT_EQ(8, read_counter(&pmcg, 0));
	EXPECT_EQ(12, read_counter(&pmcg, 1));

	/* Zero events, or a reset, forget the request. */
	syspmu_precede(&pmcg.model, 0, 0xc20, &transaction, 5);
	syspmu_precede(&pmcg.model, 0, 0xc20, &transaction, 0);
	syspmu_write(&pmcg.model, 0, 0xc20, 8, 0);
	EXPECT_EQ(8, read_counter(&pmcg, 0));
	syspmu_precede(&pmcg.model, 0, 0xc20, &transaction, 5);
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_EQ(0, syspmu_preceding(&pmcg.model));
}

/* A reset forgets what was to occur in the middle of a read. */
TEST_F(access, tear)
{
	self->config.common.split_accesses = true;
	make(_metadata, &pmcg, &self->config, &edges);
	syspmu_tear(&pmcg.model, &transaction, 9);
	syspmu_reset(&pmcg.model, TEST_SEED);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	read_counter(&pmcg, 0);
	EXPECT_EQ(0, read_counter(&pmcg, 0));
}

TEST_HARNESS_MAIN
