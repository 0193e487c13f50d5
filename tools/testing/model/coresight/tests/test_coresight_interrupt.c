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

/* Rules MDCYL, KBRSS and I QQFDG: one signal, asserted while any condition is true. */
TEST_F(interrupt, level)
{
	MAKE();
	program(&pmu, 0, EVENT, 0);
	set_flag(&pmu, 0xc40, 0);
	set_flag(&pmu, 0xc40, 39);
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 0xffff);
	EXPECT_FALSE(seen.level);
	happen(&pmu, EVENT, 1);
	EXPECT_TRUE(seen.level);
	/* More overflows, and those of others, make no other edge. */
	happen(&pmu, EVENT, 0x10000);
	set_flag(&pmu, 0xcc0, 39);
	EXPECT_EQ(1, seen.edges);
	set_flag(&pmu, 0xc80, 0);
	EXPECT_TRUE(seen.level);
	set_flag(&pmu, 0xc80, 39);
	EXPECT_FALSE(seen.level);
	EXPECT_EQ(1, syspmu_irq_edges(&pmu.model));
}

/* Each condition of rule MDCYL; a disabled monitor has a flag, too. */
TEST_F(interrupt, conditions)
{
	MAKE();
	set_flag(&pmu, 0xcc0, 5);
	EXPECT_FALSE(seen.level);
	set_flag(&pmu, 0xc40, 5);
	EXPECT_FALSE(seen.level);
	write32(&pmu, 0xe04, E);
	EXPECT_TRUE(seen.level);
	write32(&pmu, 0xe04, 0);
	EXPECT_FALSE(seen.level);
	write32(&pmu, 0xe04, E);
	EXPECT_TRUE(seen.level);
	set_flag(&pmu, 0xc60, 5);
	EXPECT_FALSE(seen.level);
	set_flag(&pmu, 0xc40, 6);
	EXPECT_FALSE(seen.level);
	set_flag(&pmu, 0xcc0, 6);
	EXPECT_TRUE(seen.level);
	EXPECT_EQ(3, seen.edges);
}

/* Rule MDCYL: in the WAIT state, too. */
TEST_F(interrupt, while_frozen)
{
	self->config.freeze = true;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	set_flag(&pmu, 0xc40, 0);
	write32(&pmu, 0xe04, E | FZO);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_TRUE(seen.level);
}

/* §3.44, rule ZXZYK: a capture that resets the flags ends it. */
TEST_F(interrupt, ends_by_capture)
{
	self->config.snapshot = true;
	self->config.snapshot_reset = true;
	coresight_set_layout(&self->config, CORESIGHT_LAYOUT_ASCENDING);
	MAKE();
	write32(&pmu, 0xe38, 1);
	set_flag(&pmu, 0xcc0, 0);
	set_flag(&pmu, 0xc40, 0);
	write32(&pmu, 0xe04, E);
	EXPECT_TRUE(seen.level);
	write32(&pmu, 0xe30, 1);
	EXPECT_FALSE(seen.level);
}

/* Rule RSZKZ: an edge each time that the signal rises, and no other. */
TEST_F(interrupt, edge)
{
	self->config.common.irq_edge = true;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	set_flag(&pmu, 0xc40, 0);
	set_flag(&pmu, 0xc40, 1);
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_FALSE(seen.level);
	EXPECT_EQ(1, seen.edges);
	set_flag(&pmu, 0xcc0, 1);
	set_flag(&pmu, 0xc80, 0);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_EQ(1, seen.edges);
	write32(&pmu, 0xc80, 0x3);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_EQ(2, seen.edges);
	EXPECT_EQ(2, syspmu_irq_edges(&pmu.model));
}

/* An edge that is held back is delivered as one. */
TEST_F(interrupt, held_edge)
{
	self->config.common.irq_edge = true;
	MAKE();
	set_flag(&pmu, 0xc40, 0);
	write32(&pmu, 0xe04, E);
	syspmu_hold_interrupts(&pmu.model, true);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(0, seen.edges);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_EQ(1, seen.edges);
	EXPECT_FALSE(seen.level);
}

/* It is latched by the interrupt controller: it stays pending even if the signal ends meanwhile. */
TEST_F(interrupt, held_edge_that_falls)
{
	self->config.common.irq_edge = true;
	MAKE();
	set_flag(&pmu, 0xc40, 0);
	write32(&pmu, 0xe04, E);
	syspmu_hold_interrupts(&pmu.model, true);
	set_flag(&pmu, 0xcc0, 0);
	set_flag(&pmu, 0xc80, 0);
	EXPECT_EQ(0, seen.edges);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_EQ(1, seen.edges);
	EXPECT_FALSE(seen.level);
}

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

static void by_message(uint32_t control)
{
	write64(&pmu, 0xe80, 0x123456789abc);
	write32(&pmu, 0xe88, 0xcafe);
	write32(&pmu, 0xe8c, control);
	set_flag(&pmu, 0xc40, 0);
	write32(&pmu, 0xe04, E);
}

/* Rule FDLKQ, §3.28 to §3.31. */
TEST_F(interrupt, registers_of_messages)
{
	MAKE();
	EXPECT_TRUE(constant(&pmu, 0xe80, 0));
	EXPECT_TRUE(constant(&pmu, 0xe8c, 0));
	EXPECT_TRUE(constant(&pmu, 0xef8, 0));
	self->config.msi = true;
	MAKE();
	EXPECT_EQ(UINT32_C(1) << 20, read32(&pmu, 0xe00) & UINT32_C(1) << 20);
	write64(&pmu, 0xe80, UINT64_MAX);
	EXPECT_EQ(0xfffffffffffc, read64(&pmu, 0xe80));
	EXPECT_EQ(UINT32_MAX, writable(&pmu, 0xe88));
	EXPECT_EQ(MSIEN, writable(&pmu, 0xe8c));
	self->config.msi_attributes = true;
	MAKE();
	EXPECT_EQ(MSIEN | 0x3f, writable(&pmu, 0xe8c));
	self->config.msi_always = true;
	MAKE();
	EXPECT_EQ(0x3f, writable(&pmu, 0xe8c));
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

TEST_F(interrupt, message)
{
	self->config.msi = true;
	MAKE();
	by_message(0);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(0, seen.messages);
	/* Without MSIEN it is the irq; to enable MSIs sends none for what is there. */
	EXPECT_TRUE(seen.level);
	write32(&pmu, 0xe8c, MSIEN);
	EXPECT_EQ(0, seen.messages);
	set_flag(&pmu, 0xc80, 0);
	EXPECT_FALSE(seen.level);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(1, seen.messages);
	EXPECT_EQ(0x123456789abc, seen.last.address);
	EXPECT_EQ(0xcafe, seen.last.data);
	EXPECT_FALSE(seen.level);
	/* One each time that a condition becomes true. */
	set_flag(&pmu, 0xcc0, 1);
	EXPECT_EQ(1, seen.messages);
	EXPECT_EQ(1, syspmu_messages(&pmu.model));
}

TEST_F(interrupt, message_always)
{
	self->config.msi = true;
	self->config.msi_always = true;
	MAKE();
	by_message(0);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(1, seen.messages);
	EXPECT_FALSE(seen.level);
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

TEST_F(interrupt, message_beside_irq)
{
	self->config.msi = true;
	self->config.common.irq_beside_msi = true;
	MAKE();
	by_message(MSIEN);
	set_flag(&pmu, 0xcc0, 0);
	EXPECT_EQ(1, seen.messages);
	EXPECT_TRUE(seen.level);
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
