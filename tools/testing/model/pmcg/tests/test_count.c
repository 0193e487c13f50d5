// SPDX-License-Identifier: GPL-2.0
/*
 * Counting, overflow and its interrupts: IHI 0070 §10.2.1 and §10.5.2.
 */
#include "pmcg_test.h"

static struct pmcg pmcg;
static unsigned int edges;

static const struct syspmu_event transaction = { .number = TRANSACTION };

/* One counter of the given SIZE that counts all transactions, interrupts on. */
static void one_counter(struct __test_metadata *_metadata, unsigned int size)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.counters = 1;
	config.size = size;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write64(&pmcg, 0xc40, 1);
	write32(&pmcg, 0xe50, 1);
	program_all(&pmcg, 0, TRANSACTION);
}

FIXTURE(size) {
	uint64_t max;
};

FIXTURE_VARIANT(size) {
	unsigned int size;
};

FIXTURE_VARIANT_ADD(size, bits_32) {
	.size = 31,
};

FIXTURE_VARIANT_ADD(size, bits_36) {
	.size = 35,
};

FIXTURE_VARIANT_ADD(size, bits_40) {
	.size = 39,
};

FIXTURE_VARIANT_ADD(size, bits_44) {
	.size = 43,
};

FIXTURE_VARIANT_ADD(size, bits_48) {
	.size = 47,
};

FIXTURE_VARIANT_ADD(size, bits_64) {
	.size = 63,
};

FIXTURE_VARIANT_ADD(size, reserved_16) {
	.size = 15,
};

FIXTURE_VARIANT_ADD(size, reserved_1) {
	.size = 0,
};

FIXTURE_VARIANT_ADD(size, reserved_33) {
	.size = 32,
};

FIXTURE_SETUP(size)
{
	self->max = UINT64_MAX >> (63 - variant->size);
	one_counter(_metadata, variant->size);
}

FIXTURE_TEARDOWN(size)
{
}

TEST_F(size, cycles_to_overflow)
{
	/* The counter still counts transactions: no cycle makes it overflow. */
	write_counter(&pmcg, 0, self->max);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
	program(&pmcg, 0, 0, 0);
	write_counter(&pmcg, 0, self->max);
	EXPECT_EQ(1, syspmu_cycles_to_overflow(&pmcg.model));
	write_counter(&pmcg, 0, 1);
	EXPECT_EQ(self->max, syspmu_cycles_to_overflow(&pmcg.model));
	write_counter(&pmcg, 0, 0);
	EXPECT_EQ(variant->size == 63 ? UINT64_MAX : self->max + 1,
		  syspmu_cycles_to_overflow(&pmcg.model));
	write64(&pmcg, 0xc20, 1);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
	write64(&pmcg, 0xc00, 1);
	write32(&pmcg, 0xe04, 0);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
}

/* OVS stays until software clears it, and counting goes on. */
TEST(overflow_status_is_sticky)
{
	one_counter(_metadata, 31);
	write_counter(&pmcg, 0, UINT32_MAX);
	syspmu_inject(&pmcg.model, &transaction, 1);
	syspmu_inject(&pmcg.model, &transaction, 5);
	EXPECT_EQ(5, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	write64(&pmcg, 0xc80, 1);
	EXPECT_EQ(0, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

TEST_HARNESS_MAIN
