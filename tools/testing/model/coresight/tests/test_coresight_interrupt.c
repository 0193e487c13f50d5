// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt of a CoreSight PMU, level, edge or message: IHI 0091 §2.2.4 and §3.28 to §3.31.
 */
#include "coresight_test.h"

#define MSIEN	(UINT32_C(1) << 7)

static struct coresight pmu;
static struct seen seen;

FIXTURE(interrupt) {
	struct coresight_config config;
};

FIXTURE_SETUP(interrupt)
{
	coresight_default_config(&self->config);
	self->config.monitors = 40;
	self->config.bits = 16;
}

FIXTURE_TEARDOWN(interrupt)
{
}

#define MAKE()							\
	do {							\
		make(_metadata, &pmu, &self->config, &seen);	\
		quiet(&pmu);					\
		memset(&seen, 0, sizeof(seen));			\
	} while (0)

/* Nothing drives the signal without power; the flags are still there when it is back. */
TEST_F(interrupt, level_without_power)
{
	MAKE();
	set_flag(&pmu, 0xc40, 0);
	set_flag(&pmu, 0xcc0, 0);
	write32(&pmu, 0xe04, E);
	EXPECT_TRUE(seen.level);
	syspmu_set_dead(&pmu.model, true);
	EXPECT_FALSE(seen.level);
	syspmu_hold_interrupts(&pmu.model, true);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_FALSE(seen.level);
	syspmu_set_dead(&pmu.model, false);
	EXPECT_TRUE(seen.level);
	write32(&pmu, 0xc80, 1);
	EXPECT_FALSE(seen.level);
}

/* A level that is held back is not seen if its reason has gone by then; nor is its end. */
TEST_F(interrupt, held_level)
{
	MAKE();
	set_flag(&pmu, 0xc40, 0);
	write32(&pmu, 0xe04, E);
	syspmu_hold_interrupts(&pmu.model, true);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_FALSE(seen.level);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_TRUE(seen.level);
	syspmu_hold_interrupts(&pmu.model, true);
	set_flag(&pmu, 0xc80, 0);
	EXPECT_TRUE(seen.level);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_FALSE(seen.level);
	syspmu_hold_interrupts(&pmu.model, true);
	set_flag(&pmu, 0xcc0, 0);
	set_flag(&pmu, 0xc80, 0);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_EQ(1, seen.edges);
}

TEST_F(interrupt, of_the_last_monitor)
{
	self->config.monitors = 256;
	MAKE();
	program(&pmu, 255, EVENT, 0);
	set_flag(&pmu, 0xc40, 255);
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_TRUE(flag(&pmu, 0xc80, 255));
	EXPECT_TRUE(seen.level);
}

static void by_message(uint32_t control)
{
	write64(&pmu, 0xe80, 0x123456789abc);
	write32(&pmu, 0xe88, 0xcafe);
	write32(&pmu, 0xe8c, control);
	set_flag(&pmu, 0xc40, 0);
	write32(&pmu, 0xe04, E);
}

/* A message is sent even if its reason has gone by then. */
TEST_F(interrupt, held_message)
{
	self->config.msi = true;
	MAKE();
	by_message(MSIEN);
	syspmu_hold_interrupts(&pmu.model, true);
	set_flag(&pmu, 0xcc0, 0);
	set_flag(&pmu, 0xc80, 0);
	EXPECT_EQ(0, seen.messages);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_EQ(1, seen.messages);
	EXPECT_EQ(0, seen.edges);
}

/* §3.30, §3.31: MSIEN resets to zero, all else is UNKNOWN. */
TEST_F(interrupt, reset_of_messages)
{
	uint64_t set = 0, clear = 0, seed;

	self->config.msi = true;
	self->config.msi_attributes = true;
	MAKE();
	for (seed = 0; seed < 20; seed++) {
		syspmu_reset(&pmu.model, seed);
		set |= read32(&pmu, 0xe8c) | read64(&pmu, 0xef8) << 32;
		clear |= ~(read32(&pmu, 0xe8c) | read64(&pmu, 0xef8) << 32);
	}
	EXPECT_EQ(0x20000003f, set);
	EXPECT_EQ(0x20000003f, clear & 0x20000003f);
}

/* §3.29 to §3.31: what belongs to the Secure state cannot be changed here. PMIRQCR0 can. */
TEST_F(interrupt, secure_messages_are_read_only)
{
	uint32_t data, status;

	self->config.msi = true;
	self->config.msi_attributes = true;
	self->config.msi_secure = true;
	MAKE();
	data = read32(&pmu, 0xe88);
	status = read32(&pmu, 0xef8);
	write32(&pmu, 0xe88, ~data);
	EXPECT_EQ(data, read32(&pmu, 0xe88));
	EXPECT_EQ(0, writable(&pmu, 0xe8c));
	EXPECT_EQ(0, read32(&pmu, 0xe8c) & MSIEN);
	write32(&pmu, 0xef8, 2);
	EXPECT_EQ(status, read32(&pmu, 0xef8));
	write64(&pmu, 0xe80, 0x123456789abc);
	EXPECT_EQ(0x123456789abc, read64(&pmu, 0xe80));
	self->config.msi_enabled = true;
	MAKE();
	EXPECT_EQ(MSIEN, read32(&pmu, 0xe8c) & MSIEN);
	EXPECT_EQ(0, writable(&pmu, 0xe8c));
}

/* The irq is used until Secure software enables its messages, which are not seen here. */
TEST_F(interrupt, secure_messages)
{
	self->config.msi = true;
	self->config.msi_secure = true;
	MAKE();
	by_message(MSIEN);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(0, syspmu_messages(&pmu.model));
	EXPECT_TRUE(seen.level);
	self->config.msi_enabled = true;
	MAKE();
	by_message(0);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(1, syspmu_messages(&pmu.model));
	EXPECT_EQ(0, seen.messages);
	EXPECT_FALSE(seen.level);
}

/* §3.30: MemAttr and SH, and memory types that have no shareability. */
TEST_F(interrupt, attributes_of_messages)
{
	static const struct {
		uint32_t control;
		uint8_t shareability;
	} cases[] = {
		{ 0x00, 2 }, { 0x33, 2 }, { 0x05, 2 }, { 0x35, 2 }, { 0x0f, 0 }, { 0x1f, 0 },
		{ 0x2f, 2 }, { 0x3f, 3 }, { 0x36, 3 },
	};
	unsigned int i;

	self->config.msi = true;
	self->config.msi_attributes = true;
	MAKE();
	for (i = 0; i < ARRAY_COUNT(cases); i++) {
		by_message(MSIEN | cases[i].control);
		set_flag(&pmu, 0xcc0, 0);
		EXPECT_EQ(i + 1, seen.messages);
		EXPECT_EQ(cases[i].control & 0xf, seen.last.memory_attributes);
		EXPECT_EQ(cases[i].shareability, seen.last.shareability)
			TH_LOG("attributes %#x", cases[i].control);
		set_flag(&pmu, 0xc80, 0);
	}
}

/* §3.31 */
TEST_F(interrupt, status_of_messages)
{
	self->config.msi = true;
	MAKE();
	write32(&pmu, 0xef8, 2);
	by_message(MSIEN);
	EXPECT_EQ(0, read64(&pmu, 0xef8));
	seen.abort = true;
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(2, read64(&pmu, 0xef8));
	write32(&pmu, 0xef8, 1);
	write32(&pmu, 0xefc, UINT32_MAX);
	EXPECT_EQ(2, read64(&pmu, 0xef8));
	write32(&pmu, 0xef8, 2);
	EXPECT_EQ(0, read64(&pmu, 0xef8));
	/* While the write is in progress. */
	seen.abort = false;
	syspmu_hold_interrupts(&pmu.model, true);
	set_flag(&pmu, 0xc80, 0);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(1, read64(&pmu, 0xef8));
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_EQ(0, read64(&pmu, 0xef8));
	EXPECT_EQ(2, seen.messages);
	/* A level that is held back is not a write in progress. */
	write32(&pmu, 0xe8c, 0);
	syspmu_hold_interrupts(&pmu.model, true);
	set_flag(&pmu, 0xc80, 0);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(0, read64(&pmu, 0xef8));
}

TEST_HARNESS_MAIN
