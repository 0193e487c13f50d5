// SPDX-License-Identifier: GPL-2.0
/*
 * Capture of all counters at one instant: IHI 0070 §10.2.1.
 */
#include "pmcg_test.h"

static struct pmcg pmcg;
static unsigned int edges;

static const struct syspmu_event transaction = { .number = TRANSACTION };

/* §10.2.1: an external mechanism captures as CAPR does, where there is capture. */
TEST(capture_by_request)
{
	struct pmcg_config config;
	uint64_t before;

	capture_config(&config);
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write_counter(&pmcg, 1, 0x123456789);
	before = read64(&pmcg, 0x608);
	syspmu_set_dead(&pmcg.model, true);
	syspmu_request_capture(&pmcg.model);
	syspmu_set_dead(&pmcg.model, false);
	EXPECT_EQ(before, read64(&pmcg, 0x608));
	syspmu_request_capture(&pmcg.model);
	EXPECT_EQ(0x123456789, read64(&pmcg, 0x608));
	EXPECT_EQ(read_counter(&pmcg, 2), read64(&pmcg, 0x610));
	EXPECT_EQ(0, edges);
	EXPECT_EQ(0, read64(&pmcg, 0xc80));

	config.capture = false;
	make(_metadata, &pmcg, &config, &edges);
	syspmu_request_capture(&pmcg.model);
	EXPECT_EQ(0, read64(&pmcg, 0x608));
}

/* Counter, OVS and captured values are up to date at the interrupt. */
struct seen {
	uint64_t counter;
	uint64_t overflowed;
	uint64_t shadow;
	unsigned int edges;
};

static void look(void *opaque, bool level)
{
	struct seen *seen = opaque;

	if (!level)
		return;
	seen->counter = syspmu_peek(&pmcg.model, 0, 0x008);
	seen->overflowed = syspmu_peek(&pmcg.model, 0, 0xc80);
	seen->shadow = syspmu_peek(&pmcg.model, 0, 0x608);
	seen->edges++;
}

TEST(capture_by_overflow)
{
	struct seen seen = { 0 };
	const struct syspmu_owner owner = { .irq = look, .opaque = &seen };
	struct pmcg_config config;

	capture_config(&config);
	ASSERT_EQ(NULL, pmcg_init(&pmcg, &config, &owner));
	syspmu_reset(&pmcg.model, TEST_SEED);
	quiet(&pmcg);
	write64(&pmcg, 0xc40, 7);
	write32(&pmcg, 0xe50, 1);
	program(&pmcg, 0, 2 | SPAN, UINT32_MAX);
	program(&pmcg, 1, TRANSACTION | SPAN | OVFCAP, UINT32_MAX);
	program(&pmcg, 2, 2 | SPAN, UINT32_MAX);
	write_counter(&pmcg, 0, 100);
	write_counter(&pmcg, 1, UINT64_MAX - 1);
	write_counter(&pmcg, 2, UINT64_MAX);
	write64(&pmcg, 0xcc0, 2);
	write32(&pmcg, 0xd88, 1);

	/* No overflow, no capture. */
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT64_MAX - 1, read64(&pmcg, 0x608));
	EXPECT_EQ(0, seen.edges);

	/* An overflow of a counter without OVFCAP does not capture. */
	syspmu_inject(&pmcg.model, &(struct syspmu_event){ .number = 2 }, 5);
	EXPECT_EQ(1, seen.edges);
	EXPECT_EQ(100, read64(&pmcg, 0x600));

	/* The value after the overflow is captured, of all counters. */
	syspmu_inject(&pmcg.model, &transaction, 8);
	EXPECT_EQ(2, seen.edges);
	EXPECT_EQ(7, seen.counter);
	EXPECT_EQ(6, seen.overflowed);
	EXPECT_EQ(7, seen.shadow);
	EXPECT_EQ(105, read64(&pmcg, 0x600));
	EXPECT_EQ(7, read64(&pmcg, 0x608));
	EXPECT_EQ(4, read64(&pmcg, 0x610));
}

TEST_HARNESS_MAIN
