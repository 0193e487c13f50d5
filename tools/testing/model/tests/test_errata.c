// SPDX-License-Identifier: GPL-2.0
/*
 * What some PMCGs do though IHI 0070 says otherwise, and what firmware may leave behind.
 */
#include "pmcg_test.h"

#define NEVER	0xffff	/* an EVENT that does not happen */

static struct pmcg pmcg;
static unsigned int edges;

static const struct pmcg_event transaction = { .number = TRANSACTION };

FIXTURE(erratum) {
	struct pmcg_config config;
};

FIXTURE_SETUP(erratum)
{
	pmcg_default_config(&self->config);
	self->config.counters = 3;
}

FIXTURE_TEARDOWN(erratum)
{
}

/* Counters keep what they have, and go on from there. */
TEST_F(erratum, read_only_counters)
{
	static const unsigned int sizes[] = { 31, 47, 63 };
	uint64_t before;
	size_t i;

	self->config.read_only_counters = true;
	for (i = 0; i < ARRAY_COUNT(sizes); i++) {
		self->config.size = sizes[i];
		self->config.relocate = i == 2;
		make(_metadata, &pmcg, &self->config, &edges);
		quiet(&pmcg);
		before = read_counter(&pmcg, 1);
		write_counter(&pmcg, 1, ~before);
		EXPECT_EQ(before, read_counter(&pmcg, 1));
		pmcg_write(&pmcg, self->config.relocate, counter_offset(&pmcg, 1), 4,
			   (uint32_t)~before);
		EXPECT_EQ(before, read_counter(&pmcg, 1));
		program_all(&pmcg, 1, TRANSACTION);
		EXPECT_EQ(before, read_counter(&pmcg, 1));
		EXPECT_EQ(7, added(&pmcg, 1, &transaction, 7));
	}

	/* The rest is writable, and overflow is overflow. */
	write64(&pmcg, 0xc40, 2);
	write32(&pmcg, 0xe50, 1);
	pmcg_event(&pmcg, &transaction, -read_counter(&pmcg, 1) - 1);
	EXPECT_EQ(0, edges);
	pmcg_event(&pmcg, &transaction, 1);
	EXPECT_EQ(1, edges);
	EXPECT_EQ(0, read_counter(&pmcg, 1));
}

/* Enabled once, a counter only stops by an EVENT that does not happen. */
TEST_F(erratum, stuck_enable)
{
	self->config.stuck_enable = true;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 1, TRANSACTION);
	EXPECT_EQ(5, added(&pmcg, 1, &transaction, 5));

	write64(&pmcg, 0xc20, 2);
	EXPECT_EQ(0, read64(&pmcg, 0xc00));
	EXPECT_EQ(5, added(&pmcg, 1, &transaction, 5));
	write32(&pmcg, 0xe04, 0);
	EXPECT_EQ(0, read32(&pmcg, 0xe04));
	EXPECT_EQ(5, added(&pmcg, 1, &transaction, 5));

	write32(&pmcg, 0x404, NEVER | SPAN);
	EXPECT_EQ(0, added(&pmcg, 1, &transaction, 5));
	/* It has not been stopped: with an EVENT it goes on at once. */
	write32(&pmcg, 0x404, TRANSACTION | SPAN);
	EXPECT_EQ(5, added(&pmcg, 1, &transaction, 5));

	/* Nor does it need CR.E or CNTEN to overflow. */
	write32(&pmcg, 0x404, 0);
	write_counter(&pmcg, 1, UINT64_MAX - 8);
	EXPECT_EQ(9, pmcg_cycles_to_overflow(&pmcg));

	/* Reset stops it. */
	pmcg_reset(&pmcg, TEST_SEED);
	write32(&pmcg, 0x404, TRANSACTION | SPAN);
	write32(&pmcg, 0xa04, UINT32_MAX);
	EXPECT_EQ(0, added(&pmcg, 1, &transaction, 5));
}

/* Both enables together start a counter, whichever comes last; one alone does not. */
TEST_F(erratum, stuck_enable_starts_like_any)
{
	unsigned int i;

	self->config.stuck_enable = true;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
	for (i = 0; i < 3; i++) {
		write32(&pmcg, 0x400 + 4 * i, TRANSACTION | SPAN);
		write32(&pmcg, 0xa00 + 4 * i, UINT32_MAX);
	}
	write64(&pmcg, 0xc00, 1);
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 5));
	write64(&pmcg, 0xc20, 1);
	write32(&pmcg, 0xe04, 1);
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 5));
	EXPECT_EQ(0, added(&pmcg, 1, &transaction, 5));
	write64(&pmcg, 0xc00, 2);
	EXPECT_EQ(5, added(&pmcg, 1, &transaction, 5));
	write32(&pmcg, 0xe04, 0);
	write64(&pmcg, 0xc00, 4);
	EXPECT_EQ(0, added(&pmcg, 2, &transaction, 5));
	write32(&pmcg, 0xe04, 1);
	EXPECT_EQ(5, added(&pmcg, 2, &transaction, 5));
	EXPECT_EQ(0, added(&pmcg, 0, &transaction, 5));
}

/* Firmware has left all enables set; what reset leaves UNKNOWN is UNKNOWN still. */
TEST_F(erratum, running)
{
	struct pmcg stopped;

	make(_metadata, &stopped, &self->config, NULL);
	self->config.running = true;
	make(_metadata, &pmcg, &self->config, &edges);
	EXPECT_EQ(1, read32(&pmcg, 0xe04));
	EXPECT_EQ(1, read32(&pmcg, 0xe50));
	EXPECT_EQ(1, read32(&pmcg, 0xe54));
	EXPECT_EQ(7, read64(&pmcg, 0xc00));
	EXPECT_EQ(7, read64(&pmcg, 0xc40));
	EXPECT_EQ(read_counter(&stopped, 1), read_counter(&pmcg, 1));
	EXPECT_EQ(read32(&stopped, 0x404), read32(&pmcg, 0x404));

	write32(&pmcg, 0x404, TRANSACTION | SPAN);
	write32(&pmcg, 0xa04, UINT32_MAX);
	EXPECT_EQ(5, added(&pmcg, 1, &transaction, 5));
	write_counter(&pmcg, 1, UINT64_MAX);
	pmcg_event(&pmcg, &transaction, 1);
	EXPECT_EQ(1, edges);

	/* It can be turned off like any other. */
	quiet(&pmcg);
	EXPECT_EQ(0, added(&pmcg, 1, &transaction, 5));
	EXPECT_EQ(0, read32(&pmcg, 0xe54));
	EXPECT_EQ(0, read64(&pmcg, 0xc00));
	pmcg_reset(&pmcg, TEST_SEED);
	EXPECT_EQ(1, read32(&pmcg, 0xe04));
}

/* Left running and stuck: probe must find an EVENT that does not happen. */
TEST_F(erratum, running_and_stuck)
{
	self->config.running = true;
	self->config.stuck_enable = true;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
	write32(&pmcg, 0x408, TRANSACTION | SPAN);
	write32(&pmcg, 0xa08, UINT32_MAX);
	EXPECT_EQ(5, added(&pmcg, 2, &transaction, 5));
}

TEST_HARNESS_MAIN
