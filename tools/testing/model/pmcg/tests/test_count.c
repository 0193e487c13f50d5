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

TEST_F(size, last_step)
{
	write_counter(&pmcg, 0, self->max);
	EXPECT_EQ(self->max, read_counter(&pmcg, 0));
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(0, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

TEST_F(size, up_to_the_edge)
{
	write_counter(&pmcg, 0, 1);
	syspmu_inject(&pmcg.model, &transaction, self->max - 1);
	EXPECT_EQ(self->max, read_counter(&pmcg, 0));
	EXPECT_EQ(0, read64(&pmcg, 0xc80));
	EXPECT_EQ(0, edges);
}

TEST_F(size, all_at_once)
{
	write_counter(&pmcg, 0, self->max - 2);
	syspmu_inject(&pmcg.model, &transaction, 10);
	EXPECT_EQ((self->max - 2 + 10) & self->max, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

/* The sum of a counter and the increment need not fit into 64 bits. */
TEST_F(size, greatest_increment)
{
	write_counter(&pmcg, 0, self->max);
	syspmu_inject(&pmcg.model, &transaction, UINT64_MAX);
	EXPECT_EQ(self->max - 1, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

/* A counter below 64 bits can wrap several times at once. */
TEST_F(size, several_turns)
{
	if (variant->size == 63)
		return;
	write_counter(&pmcg, 0, 0);
	syspmu_inject(&pmcg.model, &transaction, (self->max + 1) * 3 + (self->max >> 1));
	EXPECT_EQ(self->max >> 1, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

TEST_F(size, nothing)
{
	write_counter(&pmcg, 0, self->max);
	syspmu_inject(&pmcg.model, &transaction, 0);
	EXPECT_EQ(self->max, read_counter(&pmcg, 0));
	EXPECT_EQ(0, read64(&pmcg, 0xc80));
	EXPECT_EQ(0, edges);
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

TEST(nearest_of_many_counters)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.counters = 3;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, 0, 0);
	program(&pmcg, 1, 0, 0);
	program_all(&pmcg, 2, TRANSACTION);
	write_counter(&pmcg, 0, UINT64_MAX - 100);
	write_counter(&pmcg, 1, UINT64_MAX - 50);
	write_counter(&pmcg, 2, UINT64_MAX);
	EXPECT_EQ(51, syspmu_cycles_to_overflow(&pmcg.model));
	write_counter(&pmcg, 1, UINT64_MAX - 150);
	EXPECT_EQ(101, syspmu_cycles_to_overflow(&pmcg.model));
}

/* Each overflow raises an interrupt, regardless of OVS (§10.2.1). */
TEST(overflow_status_does_not_matter)
{
	one_counter(_metadata, 63);
	write64(&pmcg, 0xcc0, 1);
	EXPECT_EQ(0, edges);
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(1, edges);
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(2, edges);
	EXPECT_EQ(2, syspmu_irq_edges(&pmcg.model));
	EXPECT_EQ(1, read64(&pmcg, 0xcc0));
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

/* INTEN and IRQEN only matter at the time of the overflow. */
TEST(interrupt_enables)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		one_counter(_metadata, 63);
		quiet(&pmcg);
		program_all(&pmcg, 0, TRANSACTION);
		if (i & 1)
			write64(&pmcg, 0xc40, 1);
		if (i & 2)
			write32(&pmcg, 0xe50, 1);
		write_counter(&pmcg, 0, UINT64_MAX);
		syspmu_inject(&pmcg.model, &transaction, 1);
		EXPECT_EQ(i == 3, edges);
		EXPECT_EQ(1, read64(&pmcg, 0xc80));
		write64(&pmcg, 0xc40, 1);
		write32(&pmcg, 0xe50, 1);
		EXPECT_EQ(i == 3, edges);
		EXPECT_EQ(edges, syspmu_irq_edges(&pmcg.model));
	}
}

/* Counters that overflow together share an edge; those without INTEN add none. */
TEST(one_edge_for_all)
{
	struct pmcg_config config;
	unsigned int i;

	pmcg_default_config(&config);
	config.counters = 64;
	config.size = 31;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write32(&pmcg, 0xe50, 1);
	write64(&pmcg, 0xc40, UINT64_C(0xf0000000000000f0));
	for (i = 0; i < 64; i++) {
		program_all(&pmcg, i, TRANSACTION);
		write_counter(&pmcg, i, UINT32_MAX - i);
	}
	syspmu_inject(&pmcg.model, &transaction, 4);
	EXPECT_EQ(0xf, read64(&pmcg, 0xc80));
	EXPECT_EQ(0, edges);
	syspmu_inject(&pmcg.model, &transaction, 4);
	EXPECT_EQ(0xff, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
	syspmu_inject(&pmcg.model, &transaction, 56);
	EXPECT_EQ(UINT64_MAX, read64(&pmcg, 0xc80));
	EXPECT_EQ(2, edges);
	for (i = 0; i < 64; i++)
		EXPECT_EQ(63 - i, read_counter(&pmcg, i));
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
}

/* A counter does not count without both CR.E and CNTEN. */
TEST(enables)
{
	struct pmcg_config config;
	unsigned int i;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < 8; i++)
		program_all(&pmcg, i, TRANSACTION);
	write32(&pmcg, 0xe04, 0);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, added(&pmcg, i, &transaction, 7));
	write32(&pmcg, 0xe04, 1);
	write64(&pmcg, 0xc20, 0xa5);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0xa5 >> i & 1 ? 0 : 7, added(&pmcg, i, &transaction, 7));
}

/* Each counter counts its own event, and 64 of them do so at once. */
TEST(many_events)
{
	struct syspmu_event event = { 0 };
	struct pmcg_config config;
	unsigned int i;

	pmcg_default_config(&config);
	config.counters = 64;
	config.ceid0 = UINT64_MAX;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < 64; i++)
		program_all(&pmcg, i, i);
	for (i = 0; i < 64; i++) {
		event.number = i;
		syspmu_inject(&pmcg.model, &event, i + (UINT64_C(1) << i));
	}
	for (i = 0; i < 64; i++)
		EXPECT_EQ(i + (UINT64_C(1) << i), read_counter(&pmcg, i));
}

TEST_HARNESS_MAIN
