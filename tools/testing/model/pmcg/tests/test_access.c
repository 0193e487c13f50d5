// SPDX-License-Identifier: GPL-2.0
/*
 * Events in the middle of accesses and just before them: 64-bit accesses need not be atomic,
 * IHI 0070 §10.5.
 */
#include "pmcg_test.h"

static struct pmcg pmcg;
static unsigned int edges;

static const struct syspmu_event transaction = { .number = TRANSACTION };

/* 64-bit accesses in two halves: an event between them tears the value. */
TEST(tear)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.common.split_accesses = true;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write64(&pmcg, 0xc40, 1);
	write32(&pmcg, 0xe50, 1);
	program_all(&pmcg, 0, TRANSACTION);
	write_counter(&pmcg, 0, UINT32_MAX);
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT32_MAX, read32(&pmcg, 0));
	read64(&pmcg, 0xc80);
	read64(&pmcg, 0x400);
	EXPECT_EQ(UINT64_C(0x1ffffffff), read64(&pmcg, 0));
	EXPECT_EQ(UINT64_C(0x100000000), read64(&pmcg, 0));

	/* An overflow in the middle has all its effects. */
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT32_MAX, read64(&pmcg, 0));
	EXPECT_EQ(1, edges);
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(0, read64(&pmcg, 0));

	/* Zero events, or a reset, forget the request. */
	syspmu_tear(&pmcg.model, &transaction, 9);
	syspmu_tear(&pmcg.model, &transaction, 0);
	EXPECT_EQ(0, read64(&pmcg, 0));
	EXPECT_EQ(0, read64(&pmcg, 0));
	syspmu_tear(&pmcg.model, &transaction, 9);
	syspmu_reset(&pmcg.model, TEST_SEED);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	read64(&pmcg, 0);
	EXPECT_EQ(0, read64(&pmcg, 0));
}

/* Events occur before each read of a counter or a shadow, and of no other register. */
FIXTURE(step) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(step) {
	unsigned int size;
	bool relocate;
};

FIXTURE_VARIANT_ADD(step, bits_64) {
	.size = 63,
};

FIXTURE_VARIANT_ADD(step, bits_32) {
	.size = 31,
};

FIXTURE_VARIANT_ADD(step, relocated) {
	.size = 63, .relocate = true,
};

FIXTURE_SETUP(step)
{
	capture_config(&self->config);
	self->config.size = variant->size;
	self->config.relocate = variant->relocate;
	make(_metadata, &pmcg, &self->config, &edges);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	program_all(&pmcg, 1, TRANSACTION);
	program_all(&pmcg, 2, 2);
}

FIXTURE_TEARDOWN(step)
{
}

TEST_F(step, reads)
{
	unsigned int page = variant->relocate, bytes = variant->size == 31 ? 4 : 8;
	uint32_t offset;

	syspmu_step(&pmcg.model, &transaction, 5);
	EXPECT_EQ(5, syspmu_steps(&pmcg.model));
	EXPECT_EQ(5, read_counter(&pmcg, 0));
	EXPECT_EQ(10, read_counter(&pmcg, 1));
	EXPECT_EQ(0, read_counter(&pmcg, 2));
	EXPECT_EQ(20, syspmu_read(&pmcg.model, page, 0, 4));

	/* A step at a read of a shadow changes the counters, not the shadow. */
	syspmu_write(&pmcg.model, page, 0xd88, 4, 1);
	EXPECT_EQ(20, syspmu_read(&pmcg.model, page, 0x600, bytes));
	EXPECT_EQ(20, syspmu_read(&pmcg.model, page, 0x600 + bytes, bytes));
	EXPECT_EQ(30, syspmu_peek(&pmcg.model, page, 0) & UINT32_MAX);
	EXPECT_EQ(35, read_counter(&pmcg, 0));

	for (offset = 0x400; offset < 0x1000; offset += 8) {
		if (offset < 0x600 || offset >= 0x800)
			syspmu_read(&pmcg.model, page, offset, 8);
	}
	if (variant->relocate)
		syspmu_read(&pmcg.model, 0, 0, 8);
	write_counter(&pmcg, 2, 0);
	EXPECT_EQ(35, syspmu_peek(&pmcg.model, page, 0) & UINT32_MAX);

	syspmu_step(&pmcg.model, &transaction, 0);
	EXPECT_EQ(0, syspmu_steps(&pmcg.model));
	EXPECT_EQ(35, read_counter(&pmcg, 0));
}

/* Events just before a write happen before it has any effect. */
TEST_F(step, precede)
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

TEST_HARNESS_MAIN
