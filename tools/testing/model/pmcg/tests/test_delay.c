// SPDX-License-Identifier: GPL-2.0
/*
 * Changes that take effect late: IHI 0070 §10.2.
 */
#include "pmcg_test.h"

#define TLB_MISS	2

static struct pmcg pmcg;
static unsigned int edges;

static const struct syspmu_event transaction = { .number = TRANSACTION, .stream_id = 5 };
static const struct syspmu_event elsewhere = { .number = TRANSACTION, .stream_id = 6 };
static const struct syspmu_event nearby = { .number = TRANSACTION, .stream_id = 7 };
static const struct syspmu_event tlb_miss = { .number = TLB_MISS, .stream_id = 5 };
static const struct syspmu_event cycle = { .number = 0 };

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

TEST_F(delay, none)
{
	syspmu_delay_changes(&pmcg.model, 0);
	write64(&pmcg, 0xc20, 1);
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 1));
	write32(&pmcg, 0x404, TLB_MISS | SPAN);
	EXPECT_EQ(0, added(&pmcg, 1, &transaction, 1));
	write32(&pmcg, 0xe04, 0);
	EXPECT_EQ(0, added(&pmcg, 1, &tlb_miss, 1));
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

/* One event after the other, or in a burst; the enable reads as written. */
TEST_F(delay, of_cntenclr)
{
	write64(&pmcg, 0xc20, 3);
	EXPECT_EQ(4, read64(&pmcg, 0xc00));
	EXPECT_EQ(1, added(&pmcg, 0, &transaction, 1));
	EXPECT_EQ(0, added(&pmcg, 0, &tlb_miss, 100));
	EXPECT_EQ(7, added(&pmcg, 0, &transaction, 7));
	EXPECT_EQ(2, added(&pmcg, 0, &transaction, 100));
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 100));
	EXPECT_EQ(10, read_counter(&pmcg, 1));
	EXPECT_EQ(208, read_counter(&pmcg, 2));
}

TEST_F(delay, of_cr)
{
	write32(&pmcg, 0xe04, 0);
	EXPECT_EQ(0, read32(&pmcg, 0xe04));
	syspmu_inject(&pmcg.model, &transaction, 11);
	EXPECT_EQ(10, read_counter(&pmcg, 0));
	EXPECT_EQ(10, read_counter(&pmcg, 2));
}

/* The rest of a burst is counted by the new configuration. */
TEST_F(delay, of_evtyper)
{
	write32(&pmcg, 0x400, TLB_MISS | SPAN);
	EXPECT_EQ(3, added(&pmcg, 0, &tlb_miss, 3));
	EXPECT_EQ(4, added(&pmcg, 0, &transaction, 4));
	EXPECT_EQ(6, added(&pmcg, 0, &transaction, 7));
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 7));
	EXPECT_EQ(3, added(&pmcg, 0, &tlb_miss, 3));

	/* An event that both configurations count is counted once. */
	write32(&pmcg, 0x404, TRANSACTION | SPAN | OVFCAP);
	EXPECT_EQ(25, added(&pmcg, 1, &transaction, 25));
	EXPECT_EQ(1, added(&pmcg, 1, &transaction, 1));
}

TEST_F(delay, of_smr)
{
	write32(&pmcg, 0x400, TRANSACTION);
	write32(&pmcg, 0xa00, 5);
	syspmu_delay_changes(&pmcg.model, 0);
	syspmu_delay_changes(&pmcg.model, 10);

	write32(&pmcg, 0xa00, 6);
	EXPECT_EQ(2, added(&pmcg, 0, &elsewhere, 2));
	EXPECT_EQ(10, added(&pmcg, 0, &transaction, 12));
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 12));
	EXPECT_EQ(2, added(&pmcg, 0, &elsewhere, 2));
}

/* The filter of all counters; the EVENT in the same register is that of counter 0 only. */
TEST_F(delay, of_the_filter_of_all)
{
	self->config.global_filter = true;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
	program(&pmcg, 1, TRANSACTION, 0);
	program(&pmcg, 0, TLB_MISS | SPAN, 4);
	write64(&pmcg, 0xc00, 7);
	write64(&pmcg, 0xc20, 4);
	syspmu_delay_changes(&pmcg.model, 10);

	write32(&pmcg, 0xa00, 6);
	EXPECT_EQ(1, added(&pmcg, 0, &tlb_miss, 1));
	EXPECT_EQ(10, added(&pmcg, 1, &transaction, 11));
	EXPECT_EQ(2, added(&pmcg, 1, &elsewhere, 2));

	write32(&pmcg, 0x400, TLB_MISS);
	EXPECT_EQ(10, added(&pmcg, 1, &nearby, 11));
	EXPECT_EQ(2, added(&pmcg, 1, &elsewhere, 2));

	write32(&pmcg, 0x400, TRANSACTION | OVFCAP);
	EXPECT_EQ(0, added(&pmcg, 1, &nearby, 1));
	/* A counter that did not count has no late events. */
	write32(&pmcg, 0x408, TRANSACTION);
	EXPECT_EQ(0, added(&pmcg, 2, &elsewhere, 1));
}

/* A write that changes nothing has no effect, and counting starts without delay. */
TEST_F(delay, of_nothing)
{
	write64(&pmcg, 0xc20, 1);
	syspmu_inject(&pmcg.model, &transaction, 10);
	write64(&pmcg, 0xc20, 1);
	write32(&pmcg, 0x400, TLB_MISS | SPAN);
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 1));
	write64(&pmcg, 0xc00, 1);
	EXPECT_EQ(1, added(&pmcg, 0, &tlb_miss, 1));
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 1));

	write32(&pmcg, 0xe04, 0);
	syspmu_inject(&pmcg.model, &tlb_miss, 10);
	syspmu_inject(&pmcg.model, &transaction, 10);
	write32(&pmcg, 0xe04, 0);
	EXPECT_EQ(0, added(&pmcg, 0, &tlb_miss, 1));
	write32(&pmcg, 0x404, TRANSACTION);
	write32(&pmcg, 0xe04, 1);
	EXPECT_EQ(0, added(&pmcg, 1, &transaction, 1));
	EXPECT_EQ(1, added(&pmcg, 2, &transaction, 1));
}

/* Only the last change during which a counter was counting is late. */
TEST_F(delay, of_the_last_change)
{
	write64(&pmcg, 0xc20, 1);
	EXPECT_EQ(4, added(&pmcg, 0, &transaction, 4));
	write32(&pmcg, 0x400, TLB_MISS);
	write32(&pmcg, 0xa00, 6);
	write64(&pmcg, 0x000, 1000);
	EXPECT_EQ(1000, read_counter(&pmcg, 0));
	write64(&pmcg, 0xc00, 1);
	EXPECT_EQ(0, added(&pmcg, 0, &tlb_miss, 1));
	EXPECT_EQ(1, added(&pmcg, 0, &transaction, 1));

	/* Five are left; the counter counts, so this change has late events of its own. */
	write32(&pmcg, 0xa00, 5);
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 1));
	EXPECT_EQ(1, added(&pmcg, 0, &tlb_miss, 1));
	EXPECT_EQ(1002, read_counter(&pmcg, 0));

	/* The number of late events starts again. */
	write64(&pmcg, 0xc20, 6);
	EXPECT_EQ(9, added(&pmcg, 1, &transaction, 9));
	write64(&pmcg, 0xc00, 2);
	write64(&pmcg, 0xc20, 2);
	syspmu_delay_changes(&pmcg.model, 3);
	EXPECT_EQ(10, added(&pmcg, 1, &transaction, 20));
	EXPECT_EQ(6 + 9 + 10, read_counter(&pmcg, 1));
}

/* A late event can overflow, capture and interrupt like any other. */
TEST_F(delay, overflow)
{
	write64(&pmcg, 0xc40, 3);
	write32(&pmcg, 0xe50, 1);
	write32(&pmcg, 0x400, TRANSACTION | SPAN | OVFCAP);
	write64(&pmcg, 0xc20, 3);
	write32(&pmcg, 0x400, TLB_MISS | SPAN);
	write_counter(&pmcg, 0, UINT64_MAX);
	write_counter(&pmcg, 1, 40);
	syspmu_inject(&pmcg.model, &transaction, 2);
	EXPECT_EQ(1, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, read64(&pmcg, 0x600));
	EXPECT_EQ(42, read64(&pmcg, 0x608));
	EXPECT_EQ(1, edges);

	/* INTEN and IRQEN apply as they are now, not as they were before the change. */
	write64(&pmcg, 0xc60, 1);
	write_counter(&pmcg, 0, UINT64_MAX);
	write_counter(&pmcg, 1, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(3, read64(&pmcg, 0xc80));
	EXPECT_EQ(2, edges);
	write32(&pmcg, 0xe50, 0);
	write_counter(&pmcg, 1, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 2);
	EXPECT_EQ(2, edges);
	EXPECT_EQ(1, read_counter(&pmcg, 1));
	EXPECT_EQ(0, read64(&pmcg, 0x608));
}

/* OVFCAP is that of the configuration which counts the overflowing event. */
TEST_F(delay, capture_by_either)
{
	uint64_t shadow = read64(&pmcg, 0x610);

	write32(&pmcg, 0x400, TRANSACTION | SPAN | OVFCAP);
	write_counter(&pmcg, 0, UINT64_MAX - 9);
	syspmu_inject(&pmcg.model, &transaction, 10);
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(shadow, read64(&pmcg, 0x610));
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(11, read64(&pmcg, 0x610));

	/* The eleventh event of a burst is not late any more. */
	write32(&pmcg, 0x400, TRANSACTION | SPAN);
	write_counter(&pmcg, 0, UINT64_MAX - 10);
	syspmu_inject(&pmcg.model, &transaction, 11);
	EXPECT_EQ(11, read64(&pmcg, 0x610));
	EXPECT_EQ(0, read_counter(&pmcg, 0));
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

TEST_F(delay, without_power)
{
	write64(&pmcg, 0xc20, 1);
	syspmu_set_dead(&pmcg.model, true);
	syspmu_inject(&pmcg.model, &transaction, 1);
	syspmu_set_dead(&pmcg.model, false);
	EXPECT_EQ(0, read_counter(&pmcg, 0));
	EXPECT_EQ(10, added(&pmcg, 0, &transaction, 20));
}

/* Cycles that are late can overflow, if there are enough of them. */
TEST_F(delay, cycles)
{
	write32(&pmcg, 0x400, 0);
	write64(&pmcg, 0xc20, 1);
	write_counter(&pmcg, 0, UINT64_MAX - 9);
	EXPECT_EQ(10, syspmu_cycles_to_overflow(&pmcg.model));
	syspmu_inject(&pmcg.model, &cycle, 1);
	EXPECT_EQ(9, syspmu_cycles_to_overflow(&pmcg.model));
	write_counter(&pmcg, 0, UINT64_MAX - 9);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
	syspmu_inject(&pmcg.model, &cycle, 100);
	EXPECT_EQ(UINT64_MAX, read_counter(&pmcg, 0));
	EXPECT_EQ(0, read64(&pmcg, 0xc80));
}

TEST_HARNESS_MAIN
