// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt, wired and by message: IHI 0070 §10.2.1 and §10.5.2.19 to §10.5.2.24.
 */
#include "pmcg_test.h"

#define ADDRESS		UINT64_C(0xa5f008090040)
#define DATA		UINT32_C(0x89abcdef)

static struct pmcg pmcg;
static const struct syspmu_event transaction = { .number = TRANSACTION };

/* The interrupts of the PMCG, and its registers at the last one. */
static struct {
	unsigned int edges;
	unsigned int messages;
	struct syspmu_message message;
	bool refused;
	uint64_t counter;
	uint64_t overflowed;
	uint64_t shadow;
	uint32_t acknowledged;
} seen;

static void look(void)
{
	seen.counter = syspmu_peek(&pmcg.model, 0, 0x000);
	seen.overflowed = syspmu_peek(&pmcg.model, 0, 0xc80);
	seen.shadow = syspmu_peek(&pmcg.model, 0, 0x600);
	seen.acknowledged = (uint32_t)(syspmu_peek(&pmcg.model, 0, 0xe50) >> 32);
}

static void edge(void *opaque, bool level)
{
	if (!level)
		return;
	seen.edges++;
	look();
}

static bool message(void *opaque, const struct syspmu_message *message)
{
	seen.messages++;
	seen.message = *message;
	look();
	return !seen.refused;
}

static void msi_config(struct pmcg_config *config)
{
	pmcg_default_config(config);
	config->msi = true;
	config->capture = true;
}

static void enable(bool on)
{
	write32(&pmcg, 0xe50, on);
}

static uint32_t aborted(void)
{
	return read32(&pmcg, 0xe68);
}

/* One counter that captures and interrupts, by MSI if there is an @address. */
static void make_ready(struct __test_metadata *_metadata, const struct pmcg_config *config,
		       uint64_t address)
{
	const struct syspmu_owner owner = { .irq = edge, .msi = message };

	ASSERT_EQ(NULL, pmcg_init(&pmcg, config, &owner));
	syspmu_reset(&pmcg.model, TEST_SEED);
	memset(&seen, 0, sizeof(seen));
	quiet(&pmcg);
	write64(&pmcg, 0xe58, address);
	write32(&pmcg, 0xe60, DATA);
	write64(&pmcg, 0xc40, 1);
	program(&pmcg, 0, TRANSACTION | SPAN | (config->capture ? OVFCAP : 0), UINT32_MAX);
	enable(true);
}

static void overflow(void)
{
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 3);
}

/* §10.5.2.25: each MSI carries the values of GMPAM, or zero without MPAM. */
TEST(message_partition)
{
	struct pmcg_config config;

	msi_config(&config);
	config.partid_max = 0x3ff;
	config.pmg_max = 0xf;
	make_ready(_metadata, &config, ADDRESS);
	write32(&pmcg, 0xe6c, 0x800a0234);
	overflow();
	EXPECT_EQ(0, seen.message.partid);
	EXPECT_EQ(0, seen.message.pmg);

	config.mpam = true;
	make_ready(_metadata, &config, ADDRESS);
	write32(&pmcg, 0xe6c, 0x800a0234);
	overflow();
	EXPECT_EQ(0x234, seen.message.partid);
	EXPECT_EQ(0xa, seen.message.pmg);
}

FIXTURE(interrupt) {
	struct pmcg_config config;
};

FIXTURE_SETUP(interrupt)
{
	msi_config(&self->config);
	make_ready(_metadata, &self->config, ADDRESS);
}

FIXTURE_TEARDOWN(interrupt)
{
}

/* Registers are up to date when the MSI is sent; the irq is not driven. */
TEST_F(interrupt, message)
{
	overflow();
	EXPECT_EQ(1, seen.messages);
	EXPECT_EQ(0, seen.edges);
	EXPECT_EQ(ADDRESS, seen.message.address);
	EXPECT_EQ(DATA, seen.message.data);
	EXPECT_EQ(2, seen.counter);
	EXPECT_EQ(1, seen.overflowed);
	EXPECT_EQ(2, seen.shadow);
	EXPECT_EQ(0, aborted());
	EXPECT_EQ(1, syspmu_messages(&pmcg.model));
	EXPECT_EQ(0, syspmu_irq_edges(&pmcg.model));

	/* Another one, although OVS is still set. */
	overflow();
	EXPECT_EQ(2, seen.messages);
	EXPECT_EQ(2, syspmu_messages(&pmcg.model));
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_EQ(0, syspmu_messages(&pmcg.model));
}

TEST_F(interrupt, no_message_support)
{
	self->config.msi = false;
	make_ready(_metadata, &self->config, ADDRESS);
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

/* All interrupts that are held back are delivered as one, MSI or irq. */
FIXTURE(held) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(held) {
	uint64_t address;
};

FIXTURE_VARIANT_ADD(held, edge) {
};

FIXTURE_VARIANT_ADD(held, message) {
	.address = ADDRESS,
};

FIXTURE_SETUP(held)
{
	msi_config(&self->config);
	make_ready(_metadata, &self->config, variant->address);
	syspmu_hold_interrupts(&pmcg.model, true);
	EXPECT_TRUE(syspmu_holds_interrupts(&pmcg.model));
}

FIXTURE_TEARDOWN(held)
{
}

static unsigned int delivered(void)
{
	return seen.edges + seen.messages;
}

/* MSI_FATE applies when a held MSI is delivered. */
TEST_F(held, fate)
{
	overflow();
	EXPECT_EQ(0, aborted());
	syspmu_set_msi_fate(&pmcg.model, SYSPMU_MSI_ABORTED);
	syspmu_hold_interrupts(&pmcg.model, false);
	EXPECT_EQ(variant->address ? 1 : 0, aborted());
	EXPECT_EQ(variant->address ? 0 : 1, delivered());
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

/* A 64-bit read of IRQ_CTRL is a read of IRQ_CTRLACK as well. */
TEST_F(interrupt, acknowledgment_in_64_bits)
{
	pmcg_delay_acknowledgment(&pmcg, 2);
	enable(false);
	EXPECT_EQ(UINT64_C(0x100000000), read64(&pmcg, 0xe50));
	EXPECT_EQ(UINT64_C(0x100000000), read64(&pmcg, 0xe50));
	EXPECT_EQ(0, read64(&pmcg, 0xe50));
}

TEST_HARNESS_MAIN
