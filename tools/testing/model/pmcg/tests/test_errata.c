// SPDX-License-Identifier: GPL-2.0
/* PMCGs that do not conform to IHI 0070. */
#include "pmcg_test.h"

static struct pmcg pmcg;
static unsigned int edges;

static const struct syspmu_event transaction = { .number = TRANSACTION };

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

/* The number of words of a page that are not zero. */
static unsigned int nonzero(unsigned int page)
{
	unsigned int number = 0;
	uint32_t offset;

	for (offset = 0; offset < SYSPMU_PAGE_SIZE; offset += 4)
		number += syspmu_read(&pmcg.model, page, offset, 4) != 0;
	return number;
}

static void write_ones_everywhere(unsigned int page)
{
	uint32_t offset;

	for (offset = 0; offset < SYSPMU_PAGE_SIZE; offset += 8)
		syspmu_write(&pmcg.model, page, offset, 8, UINT64_MAX);
}

/* If firmware describes the wrong page 1, the registers of page 0 still work. */
TEST_F(erratum, dead_counters)
{
	unsigned int page;
	uint32_t offset;

	self->config.common.dead_counters = true;
	self->config.capture = true;
	for (page = 0; page < 2; page++) {
		self->config.relocate = page;
		make(_metadata, &pmcg, &self->config, &edges);
		quiet(&pmcg);
		write_ones_everywhere(page);
		for (offset = 0; offset < 24; offset += 4) {
			EXPECT_EQ(0, syspmu_read(&pmcg.model, page, offset, 4));
			EXPECT_EQ(0, syspmu_read(&pmcg.model, page, 0x600 + offset, 4));
		}
		EXPECT_EQ(0, syspmu_read(&pmcg.model, page, 0xc80, 8));
		EXPECT_EQ(0, syspmu_read(&pmcg.model, page, 0xcc0, 8));
		if (page)
			EXPECT_EQ(0, nonzero(1));

		/* Events change nothing. */
		write64(&pmcg, 0xc40, UINT64_MAX);
		write32(&pmcg, 0xe50, 1);
		program_all(&pmcg, 1, TRANSACTION);
		EXPECT_EQ(2, read64(&pmcg, 0xc00) & 2);
		EXPECT_EQ(TRANSACTION | SPAN, read32(&pmcg, 0x404));
		EXPECT_EQ(7, read64(&pmcg, 0xc40));
		syspmu_inject(&pmcg.model, &transaction, UINT64_MAX);
		syspmu_inject(&pmcg.model, &transaction, UINT64_MAX);
		EXPECT_EQ(0, read_counter(&pmcg, 1));
		EXPECT_EQ(0, syspmu_read(&pmcg.model, page, 0xc80, 8));
		EXPECT_EQ(0, edges);
		EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
		EXPECT_EQ(0x3f02, read32(&pmcg, 0xe00) & 0x3f3f);
	}
}

/* Only the identification registers exist. */
TEST_F(erratum, inert)
{
	static const uint32_t identity[] = {
		0xe00, 0xe08, 0xe20, 0xe70, 0xe74, 0xfbc, 0xfcc, 0xfd0, 0xfe0, 0xfe4, 0xfe8, 0xfec,
		0xff0, 0xff4, 0xff8, 0xffc,
	};
	struct pmcg sound;
	unsigned int i;

	self->config.capture = true;
	self->config.msi = true;
	self->config.root = true;
	self->config.filter_partid_pmg = true;
	self->config.partid_max = 63;
	make(_metadata, &sound, &self->config, NULL);
	self->config.common.inert = true;
	make(_metadata, &pmcg, &self->config, &edges);
	write_ones_everywhere(0);
	syspmu_inject(&pmcg.model, &transaction, UINT64_MAX);
	EXPECT_EQ(ARRAY_COUNT(identity), nonzero(0));
	for (i = 0; i < ARRAY_COUNT(identity); i++) {
		EXPECT_NE(0, read32(&pmcg, identity[i]));
		EXPECT_EQ(read32(&sound, identity[i]), read32(&pmcg, identity[i]));
	}
	EXPECT_FALSE(syspmu_is_armed(&pmcg.model));
	EXPECT_EQ(0, edges);

	self->config.common.running = true;
	EXPECT_NE(NULL, pmcg_init(&pmcg, &self->config, NULL));
}

TEST_HARNESS_MAIN
