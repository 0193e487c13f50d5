// SPDX-License-Identifier: GPL-2.0
/*
 * Reset, power, SCR.NSRA, access counts, and which configurations are valid.
 */
#include "pmcg_test.h"

static struct pmcg pmcg;

/* All that is UNKNOWN after reset, as seen through every word of both pages. */
static void dump(uint32_t *words)
{
	unsigned int page;
	uint32_t offset;

	for (page = 0; page < 2; page++) {
		for (offset = 0; offset < 0x1000; offset += 4)
			*words++ = (uint32_t)syspmu_read(&pmcg.model, page, offset, 4);
	}
}

FIXTURE(garbage) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(garbage) {
	unsigned int size;
	bool relocate;
};

FIXTURE_VARIANT_ADD(garbage, bits_36) {
	.size = 35,
};

FIXTURE_VARIANT_ADD(garbage, relocated_bits_64) {
	.size = 63, .relocate = true,
};

FIXTURE_SETUP(garbage)
{
	pmcg_default_config(&self->config);
	self->config.counters = 33;
	self->config.size = variant->size;
	self->config.relocate = variant->relocate;
	self->config.capture = true;
	self->config.msi = true;
	self->config.mpam = true;
	self->config.partid_max = 7;
	self->config.stream_id_bits = 20;
	self->config.event_bits = 10;
	make(_metadata, &pmcg, &self->config, NULL);
}

FIXTURE_TEARDOWN(garbage)
{
}

/* Over many seeds each implemented bit takes both values, and no other bit does. */
TEST_F(garbage, is_in_implemented_bits)
{
	static uint32_t words[2048], ones[2048], zeroes[2048];
	unsigned int counters = variant->relocate ? 1024 : 0;
	uint32_t high = variant->size == 63 ? UINT32_MAX : 0xf;
	uint64_t seed;
	unsigned int i;

	memset(ones, 0, sizeof(ones));
	memset(zeroes, 0, sizeof(zeroes));
	for (seed = 0; seed < 100; seed++) {
		syspmu_reset(&pmcg.model, seed);
		dump(words);
		for (i = 0; i < 2048; i++) {
			ones[i] |= words[i];
			zeroes[i] |= ~words[i];
		}
	}
	for (i = 0; i < 2048; i++) {
		uint32_t expected = 0;
		unsigned int word = i - counters;

		if (i >= counters && word < 66)
			expected = word % 2 ? high : UINT32_MAX;
		else if (i >= counters && word >= 0x180 && word < 0x180 + 66)
			expected = word % 2 ? high : UINT32_MAX;
		else if (i >= 0x100 && i < 0x100 + 33)
			expected = SPAN | OVFCAP | 0x3ff;
		else if (i >= 0x280 && i < 0x280 + 33)
			expected = 0xfffff;
		else if (i == 0x300 || i == 0x308 || i == 0x310 || i == 0x318 ||
			 word == 0x320 || word == 0x330)
			expected = UINT32_MAX;
		else if (i == 0x301 || i == 0x309 || i == 0x311 || i == 0x319 ||
			 word == 0x321 || word == 0x331)
			expected = 1;
		else if (i == 0x396)
			expected = 0xfffffffc;
		else if (i == 0x397)
			expected = 0xffff;
		else if (i == 0x398)
			expected = UINT32_MAX;
		else if (i == 0x399)
			expected = 0x3f;
		else if (i == 0x39a)
			expected = 1;
		EXPECT_EQ(expected, ones[i] & zeroes[i])
			TH_LOG("word %#x", i);
	}
}

/* §10.5.2.12: Secure software may change NSRA; counting goes on meanwhile. */
TEST(secure_control)
{
	struct syspmu_event event = { .number = TRANSACTION };
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.secure = true;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	EXPECT_TRUE(pmcg_nsra(&pmcg));
	EXPECT_FALSE(pmcg_secure_observation(&pmcg));
	event.security = SYSPMU_SECURE;
	EXPECT_EQ(0, added(&pmcg, 0, &event, 3));

	pmcg_set_secure_control(&pmcg, true, true);
	EXPECT_TRUE(pmcg_secure_observation(&pmcg));
	EXPECT_EQ(3, added(&pmcg, 0, &event, 3));
	pmcg_set_secure_control(&pmcg, false, true);
	EXPECT_FALSE(pmcg_nsra(&pmcg));
	syspmu_inject(&pmcg.model, &event, 4);
	EXPECT_EQ(0, read32(&pmcg, 0xe00));
	EXPECT_EQ(0, read_counter(&pmcg, 0));
	write32(&pmcg, 0xe04, 0);
	pmcg_set_secure_control(&pmcg, true, false);
	EXPECT_EQ(7, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read32(&pmcg, 0xe04));
	EXPECT_EQ(0, added(&pmcg, 0, &event, 3));

	/* It cannot be changed without power, and reset restores it. */
	syspmu_set_dead(&pmcg.model, true);
	pmcg_set_secure_control(&pmcg, false, true);
	syspmu_set_dead(&pmcg.model, false);
	EXPECT_TRUE(pmcg_nsra(&pmcg));
	EXPECT_FALSE(pmcg_secure_observation(&pmcg));
	pmcg_set_secure_control(&pmcg, false, true);
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_TRUE(pmcg_nsra(&pmcg));
	EXPECT_FALSE(pmcg_secure_observation(&pmcg));

	/* Without Secure state there is no SCR. */
	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	pmcg_set_secure_control(&pmcg, false, true);
	EXPECT_TRUE(pmcg_nsra(&pmcg));
	EXPECT_EQ(0x3f07, read32(&pmcg, 0xe00));
}

/* Accesses of other sizes, or not aligned. */
TEST(odd_accesses)
{
	static const unsigned int sizes[] = { 0, 1, 2, 3, 5, 6, 7, 16 };
	struct pmcg_config config;
	size_t i;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	write64(&pmcg, 0, 0x1122334455667788);
	for (i = 0; i < ARRAY_COUNT(sizes); i++) {
		EXPECT_EQ(0, syspmu_read(&pmcg.model, 0, 0, sizes[i]));
		syspmu_write(&pmcg.model, 0, 0, sizes[i], UINT64_MAX);
	}
	EXPECT_EQ(0, syspmu_read(&pmcg.model, 0, 2, 4));
	EXPECT_EQ(0, syspmu_read(&pmcg.model, 0, 4, 8));
	syspmu_write(&pmcg.model, 0, 2, 4, UINT64_MAX);
	syspmu_write(&pmcg.model, 0, 4, 8, UINT64_MAX);
	EXPECT_EQ(0x1122334455667788, read64(&pmcg, 0));

	/* Outside both pages accesses are not counted. */
	syspmu_reset_accesses(&pmcg.model);
	EXPECT_EQ(0, syspmu_read(&pmcg.model, 2, 0, 4));
	EXPECT_EQ(0, syspmu_read(&pmcg.model, 0, 0x1000, 4));
	EXPECT_EQ(0, syspmu_peek(&pmcg.model, 2, 0));
	EXPECT_EQ(0, syspmu_peek(&pmcg.model, 0, 0x1000));
	syspmu_write(&pmcg.model, 2, 0, 4, 1);
	syspmu_write(&pmcg.model, 0, 0x1000, 4, 1);
	EXPECT_EQ(0, syspmu_accesses(&pmcg.model, 0, SYSPMU_ALL_REGISTERS).reads);
	EXPECT_EQ(0, syspmu_accesses(&pmcg.model, 0, SYSPMU_ALL_REGISTERS).writes);
	EXPECT_EQ(0, syspmu_accesses(&pmcg.model, 2, 0).reads);
	EXPECT_EQ(0, syspmu_accesses(&pmcg.model, 0, 0x1000).reads);
}

/* Each line makes a valid configuration invalid or, for a limit, keeps it valid. */
#define CHANGE(possible, ...) do {						\
	struct pmcg_config config;						\
	pmcg_default_config(&config);						\
	__VA_ARGS__;								\
	EXPECT_EQ(possible, !pmcg_init(&pmcg, &config, NULL))		\
		TH_LOG("%s", #__VA_ARGS__);					\
} while (0)

TEST(configurations)
{
	unsigned int size;

	for (size = 0; size < 64; size++)
		CHANGE(true, config.size = size);
	CHANGE(false, config.size = 64);
	CHANGE(false, config.counters = 0);
	CHANGE(true, config.counters = 1);
	CHANGE(true, config.counters = 64);
	CHANGE(false, config.counters = 65);
	CHANGE(false, config.event_bits = 0);
	CHANGE(true, config.event_bits = 1; config.ceid0 = 3);
	CHANGE(false, config.event_bits = 17);
	CHANGE(false, config.event_bits = 2);
	CHANGE(true, config.event_bits = 3);
	CHANGE(true, config.event_bits = 2; config.ceid0 = 0xf);
	CHANGE(false, config.event_bits = 6; config.ceid1 = 1);
	CHANGE(false, config.event_bits = 5; config.ceid1 = 1);
	CHANGE(true, config.event_bits = 6; config.ceid0 = UINT64_MAX);
	CHANGE(true, config.event_bits = 7; config.ceid1 = UINT64_MAX);
	CHANGE(false, config.stream_id_bits = 0);
	CHANGE(true, config.stream_id_bits = 32);
	CHANGE(false, config.stream_id_bits = 33);
	CHANGE(false, config.address_bits = 31);
	CHANGE(true, config.address_bits = 56);
	CHANGE(false, config.address_bits = 57);
}

TEST(versions)
{
	CHANGE(true, config.aidr = 0);
	CHANGE(false, config.aidr = 6);
	CHANGE(false, config.aidr = 0x10);
	CHANGE(false, config.mpam = true);
	CHANGE(false, config.mpam = true; config.msi = true; config.aidr = 1);
	CHANGE(true, config.mpam = true; config.msi = true; config.aidr = 2);
	CHANGE(false, config.filter_partid_pmg = true; config.aidr = 2);
	CHANGE(true, config.filter_partid_pmg = true; config.aidr = 3);
}

TEST(identities)
{
	CHANGE(false, config.iidr = 0x48321400);
	CHANGE(false, config.iidr = 0x483214bb; config.coresight_ids = false);
	CHANGE(false, config.iidr = 0x4832143c);
	CHANGE(true, config.iidr = 0x4832143c; config.coresight_ids = false);
	CHANGE(true, config.iidr = 0x4832143c; config.peripheral_id = 0x4832143c);
	CHANGE(true, config.iidr = 0);
	CHANGE(true, config.iidr = 0; config.coresight_ids = false);
	CHANGE(false, config.iidr = 0; config.peripheral_id = 0);
	CHANGE(true, config.customer_modified = 15);
	CHANGE(false, config.customer_modified = 16);
}

TEST(security_states)
{
	CHANGE(false, config.nsra = false);
	CHANGE(true, config.nsra = false; config.secure = true);
	CHANGE(false, config.secure_observation = true);
	CHANGE(true, config.secure_observation = true; config.secure = true);
	CHANGE(false, config.secure_partid_max = 1);
	CHANGE(false, config.secure_pmg_max = 1);
	CHANGE(true, config.secure_partid_max = 1; config.secure_pmg_max = 1;
	       config.secure = true);
	CHANGE(false, config.root_observation = true);
	CHANGE(false, config.realm_observation = true);
	CHANGE(true, config.root_observation = true; config.root = true);
	CHANGE(true, config.realm_observation = true; config.root = true);
}

TEST_HARNESS_MAIN
