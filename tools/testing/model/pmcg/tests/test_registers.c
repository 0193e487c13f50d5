// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of the registers of a PMCG (IHI 0070 §10.5) that the fuzzer does not have, and counters.
 */
#include "pmcg_test.h"

static struct pmcg pmcg;

/* The bits of a register that can be set and cleared. */
static uint32_t writable(uint32_t offset)
{
	uint32_t ones;

	write32(&pmcg, offset, UINT32_MAX);
	ones = read32(&pmcg, offset);
	write32(&pmcg, offset, 0);
	return ones & ~read32(&pmcg, offset);
}

/* A register that reads as one value, whatever is written. */
static bool constant(uint32_t offset, uint32_t value)
{
	return read32(&pmcg, offset) == value && !writable(offset) &&
	       read32(&pmcg, offset) == value;
}

FIXTURE(shape) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(shape) {
	unsigned int counters;
	unsigned int size;
	bool relocate;
};

FIXTURE_VARIANT_ADD(shape, one_of_32) {
	.counters = 1, .size = 31,
};

FIXTURE_VARIANT_ADD(shape, all_of_32) {
	.counters = 64, .size = 31,
};

FIXTURE_VARIANT_ADD(shape, six_of_36) {
	.counters = 6, .size = 35,
};

FIXTURE_VARIANT_ADD(shape, thirty_two_of_40) {
	.counters = 32, .size = 39,
};

FIXTURE_VARIANT_ADD(shape, thirty_three_of_44) {
	.counters = 33, .size = 43,
};

FIXTURE_VARIANT_ADD(shape, sixty_three_of_48) {
	.counters = 63, .size = 47,
};

FIXTURE_VARIANT_ADD(shape, one_of_64) {
	.counters = 1, .size = 63,
};

FIXTURE_VARIANT_ADD(shape, all_of_64) {
	.counters = 64, .size = 63,
};

FIXTURE_VARIANT_ADD(shape, relocated_of_32) {
	.counters = 5, .size = 31, .relocate = true,
};

FIXTURE_VARIANT_ADD(shape, relocated_of_64) {
	.counters = 64, .size = 63, .relocate = true,
};

FIXTURE_VARIANT_ADD(shape, reserved_of_16) {
	.counters = 8, .size = 15,
};

FIXTURE_SETUP(shape)
{
	pmcg_default_config(&self->config);
	self->config.counters = variant->counters;
	self->config.size = variant->size;
	self->config.relocate = variant->relocate;
	self->config.capture = true;
	make(_metadata, &pmcg, &self->config, NULL);
}

FIXTURE_TEARDOWN(shape)
{
}

TEST_F(shape, configuration)
{
	EXPECT_TRUE(constant(0xe00, (variant->counters - 1) | variant->size << 8 |
				    (variant->relocate ? 1u << 20 : 0) | 1u << 22));
}

/* Counters and shadows: size, stride, halves, and what is behind the last one. */
TEST_F(shape, counters)
{
	uint64_t max = UINT64_MAX >> (63 - variant->size);
	unsigned int stride = variant->size <= 31 ? 4 : 8;
	unsigned int page = variant->relocate;
	uint32_t offset;

	for (offset = 0; offset < 0x200; offset += stride) {
		uint64_t expected = offset / stride < variant->counters ? max : 0;

		syspmu_write(&pmcg.model, page, offset, stride, UINT64_MAX);
		EXPECT_EQ(expected, syspmu_read(&pmcg.model, page, offset, stride));
		syspmu_write(&pmcg.model, page, offset, 4, 0x89abcdef);
		EXPECT_EQ(((max & 0xffffffff00000000) | 0x89abcdef) & expected,
			  syspmu_read(&pmcg.model, page, offset, stride));
		if (stride == 8) {
			syspmu_write(&pmcg.model, page, offset + 4, 4, 0x01234567);
			EXPECT_EQ(0x0123456789abcdef & expected,
				  syspmu_read(&pmcg.model, page, offset, 8));
			EXPECT_EQ((0x0123456789abcdef & expected) >> 32,
				  syspmu_read(&pmcg.model, page, offset + 4, 4));
		}
		EXPECT_EQ(0x89abcdef & expected, syspmu_read(&pmcg.model, page, offset, 4));
	}

	/* No write changed another register. */
	for (offset = 0; offset < 0x200; offset += stride)
		syspmu_write(&pmcg.model, page, offset, stride, offset + 1);
	syspmu_write(&pmcg.model, page, 0xd88, 4, 1);
	for (offset = 0; offset < 0x200; offset += stride) {
		uint64_t expected = offset / stride < variant->counters ? (offset + 1) & max : 0;

		EXPECT_EQ(expected, syspmu_read(&pmcg.model, page, offset, stride));
		EXPECT_EQ(expected, syspmu_read(&pmcg.model, page, 0x600 + offset, stride));
		syspmu_write(&pmcg.model, page, 0x600 + offset, stride, UINT64_MAX);
		EXPECT_EQ(expected, syspmu_read(&pmcg.model, page, 0x600 + offset, stride));
	}
}

/* CFGR: each flag has its own bit. */
TEST(configuration_bits)
{
	struct pmcg_config config;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		pmcg_default_config(&config);
		config.relocate = i & 1;
		config.msi = i & 2;
		config.capture = i & 4;
		config.global_filter = i & 8;
		config.mpam = (i & 16) && config.msi;
		config.filter_partid_pmg = i & 32;
		make(_metadata, &pmcg, &config, NULL);
		EXPECT_EQ((config.msi ? i : i & ~16u) << 20 | 63 << 8 | 7, read32(&pmcg, 0xe00));
	}
}

/* The whole ID space of §10.5.2.29. */
TEST(coresight_identification)
{
	static const struct {
		uint32_t offset;
		uint32_t value;
	} present[] = {
		{ 0xfbc, 0x47702a56 }, { 0xfcc, 0x56 },
		{ 0xfd0, 0x04 }, { 0xfe0, 0x83 }, { 0xfe4, 0xb4 }, { 0xfe8, 0x2b },
		{ 0xfec, 0x1a }, { 0xff0, 0x0d }, { 0xff4, 0x90 }, { 0xff8, 0x05 },
		{ 0xffc, 0xb1 },
	};
	struct pmcg_config config;
	uint32_t offset;
	size_t i = 0;

	pmcg_default_config(&config);
	config.customer_modified = 0xa;
	make(_metadata, &pmcg, &config, NULL);
	for (offset = 0xfb0; offset < 0x1000; offset += 4) {
		bool there = i < ARRAY_COUNT(present) && present[i].offset == offset;

		EXPECT_TRUE(constant(offset, there ? present[i].value : 0))
			TH_LOG("offset %#x reads %#x", offset, read32(&pmcg, offset));
		i += there;
	}
	EXPECT_EQ(ARRAY_COUNT(present), i);

	/* The identity of another implementer, without IIDR. */
	config.iidr = 0;
	config.peripheral_id = 0xabc5d36e;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_TRUE(constant(0xe08, 0));
	EXPECT_TRUE(constant(0xfd0, 0x3));
	EXPECT_TRUE(constant(0xfe0, 0xbc));
	EXPECT_TRUE(constant(0xfe4, 0xea));
	EXPECT_TRUE(constant(0xfe8, 0x5e));
	EXPECT_TRUE(constant(0xfec, 0xda));

	config.coresight_ids = false;
	make(_metadata, &pmcg, &config, NULL);
	for (offset = 0xfb0; offset < 0x1000; offset += 4)
		EXPECT_TRUE(constant(offset, 0));
}

/* ROOTCR can be read by all, but only written by Root (§10.5.2.18). */
TEST(root_control)
{
	struct pmcg_config config;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		pmcg_default_config(&config);
		config.root = true;
		config.root_observation = i & 1;
		config.realm_observation = i & 2;
		make(_metadata, &pmcg, &config, NULL);
		EXPECT_TRUE(constant(0xe48, 1u << 31 | i));
	}
}

TEST(message_partition)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.msi = true;
	config.mpam = true;
	config.secure = true;
	config.partid_max = 0x34;
	config.pmg_max = 0;
	config.secure_partid_max = 0x1f;
	config.secure_pmg_max = 0x4;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_EQ(0, read32(&pmcg, 0xe6c));
	write32(&pmcg, 0xe6c, 0x7fffffff);
	EXPECT_EQ(0, read32(&pmcg, 0xe6c));
	write32(&pmcg, 0xe6c, UINT32_MAX);
	EXPECT_EQ(0x07003f, read32(&pmcg, 0xe6c));
	write32(&pmcg, 0xe6c, 0x00010001);
	EXPECT_EQ(0x07003f, read32(&pmcg, 0xe6c));
	write32(&pmcg, 0xe6c, 0x80010001);
	EXPECT_EQ(0x010001, read32(&pmcg, 0xe6c));

	/* A limit of all ones, and one of zero. */
	config.partid_max = 0x3f;
	config.secure_pmg_max = 0;
	make(_metadata, &pmcg, &config, NULL);
	write32(&pmcg, 0xe6c, UINT32_MAX);
	EXPECT_EQ(0x00003f, read32(&pmcg, 0xe6c));
}

TEST_HARNESS_MAIN
