// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt, wired and by message: IHI 0070 §10.2.1 and §10.5.2.19 to §10.5.2.24.
 */
#include "pmcg_test.h"

#define ADDRESS		UINT64_C(0xa5f008090040)
#define DATA		UINT32_C(0x89abcdef)

static struct pmcg pmcg;
static const struct syspmu_event transaction = { .number = TRANSACTION };

static struct {
	unsigned int edges;
	unsigned int messages;
} seen;

static void edge(void *opaque, bool level)
{
	seen.edges += level;
}

static bool message(void *opaque, const struct syspmu_message *message)
{
	seen.messages++;
	return true;
}

static void enable(bool on)
{
	write32(&pmcg, 0xe50, on);
}

static uint32_t aborted(void)
{
	return read32(&pmcg, 0xe68);
}

/* One counter that interrupts, by MSI if there is support for it. */
static void make_ready(struct __test_metadata *_metadata, bool msi)
{
	const struct syspmu_owner owner = { .irq = edge, .msi = message };
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.msi = msi;
	ASSERT_EQ(NULL, pmcg_init(&pmcg, &config, &owner));
	syspmu_reset(&pmcg.model, TEST_SEED);
	memset(&seen, 0, sizeof(seen));
	quiet(&pmcg);
	write64(&pmcg, 0xe58, ADDRESS);
	write32(&pmcg, 0xe60, DATA);
	write64(&pmcg, 0xc40, 1);
	program(&pmcg, 0, TRANSACTION | SPAN, UINT32_MAX);
	enable(true);
}

static void overflow(void)
{
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 3);
}

FIXTURE(interrupt) {
};

FIXTURE_SETUP(interrupt)
{
	make_ready(_metadata, true);
}

FIXTURE_TEARDOWN(interrupt)
{
}

TEST_F(interrupt, no_message_support)
{
	make_ready(_metadata, false);
	overflow();
	EXPECT_EQ(0, seen.messages);
	EXPECT_EQ(1, seen.edges);
}

/* INTEN and IRQEN apply to MSI and irq. */
TEST_F(interrupt, message_enables)
{
	write64(&pmcg, 0xc60, 1);
	overflow();
	EXPECT_EQ(0, syspmu_messages(&pmcg.model));
	write64(&pmcg, 0xc40, 1);
	enable(false);
	overflow();
	EXPECT_EQ(0, syspmu_messages(&pmcg.model));
	enable(true);
	EXPECT_EQ(0, syspmu_messages(&pmcg.model));
	overflow();
	EXPECT_EQ(1, seen.messages);
}

TEST_F(interrupt, fates)
{
	EXPECT_EQ(SYSPMU_MSI_DELIVERED, syspmu_msi_fate(&pmcg.model));
	syspmu_set_msi_fate(&pmcg.model, SYSPMU_MSI_LOST);
	EXPECT_EQ(SYSPMU_MSI_LOST, syspmu_msi_fate(&pmcg.model));
	overflow();
	EXPECT_EQ(0, aborted());
	syspmu_set_msi_fate(&pmcg.model, SYSPMU_MSI_ABORTED);
	overflow();
	EXPECT_EQ(1, aborted());
	EXPECT_EQ(0, seen.messages);
	EXPECT_EQ(0, seen.edges);
	EXPECT_EQ(2, syspmu_messages(&pmcg.model));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	syspmu_set_msi_fate(&pmcg.model, SYSPMU_MSI_DELIVERED);
	overflow();
	EXPECT_EQ(1, seen.messages);
	syspmu_set_msi_fate(&pmcg.model, SYSPMU_MSI_LOST);
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_EQ(SYSPMU_MSI_DELIVERED, syspmu_msi_fate(&pmcg.model));
}

/* IRQ_CTRLACK follows IRQ_CTRL after this many reads; IRQ_CFG is guarded until then. */
static bool guarded(void)
{
	uint64_t address = read64(&pmcg, 0xe58);
	uint32_t data = read32(&pmcg, 0xe60);
	uint32_t attributes = read32(&pmcg, 0xe64);
	unsigned int changed;

	write32(&pmcg, 0xe58, (uint32_t)address ^ 0x40);
	write32(&pmcg, 0xe60, data ^ 1);
	write32(&pmcg, 0xe64, attributes ^ 1);
	changed = (read64(&pmcg, 0xe58) != address) + (read32(&pmcg, 0xe60) != data) +
		  (read32(&pmcg, 0xe64) != attributes);
	return changed != 3;
}

TEST_F(interrupt, acknowledgment)
{
	uint32_t delay, i, to;

	enable(false);
	for (delay = 0; delay < 5; delay++) {
		pmcg_delay_acknowledgment(&pmcg, delay);
		EXPECT_EQ(delay, pmcg_acknowledgment_delay(&pmcg));
		for (to = 1; to <= 1; to--) {
			enable(to);
			for (i = 0; i < delay; i++) {
				EXPECT_TRUE(guarded());
				EXPECT_EQ(to, read32(&pmcg, 0xe50));
				/* A peek is not a read. */
				EXPECT_EQ(!to, syspmu_peek(&pmcg.model, 0, 0xe50) >> 32);
				EXPECT_EQ(!to, read32(&pmcg, 0xe54));
			}
			EXPECT_EQ(to, guarded());
			EXPECT_EQ(to, read32(&pmcg, 0xe54));
		}
	}
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_EQ(0, pmcg_acknowledgment_delay(&pmcg));
}

TEST_HARNESS_MAIN
