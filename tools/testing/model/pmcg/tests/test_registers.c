// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of the registers of a PMCG (IHI 0070 §10.5) that the fuzzer does not have.
 */
#include "pmcg_test.h"

#define N 3

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

/* CEID: an architected event that is not implemented is not counted. */
TEST(unsupported_events)
{
	static const uint32_t there[] = { 5, 63, 64, 127, 0x80, 0xffff };
	static const uint32_t missing[] = { 0, 1, 4, 6, 62, 65, 126 };
	struct syspmu_event event = { 0 };
	struct pmcg_config config;
	size_t i;

	pmcg_default_config(&config);
	config.ceid0 = UINT64_C(0x8000000000000020);
	config.ceid1 = UINT64_C(0x8000000000000001);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < ARRAY_COUNT(there); i++) {
		event.number = there[i];
		program_all(&pmcg, 0, event.number);
		EXPECT_EQ(N, added(&pmcg, 0, &event, N))
			TH_LOG("event %#x", event.number);
	}
	for (i = 0; i < ARRAY_COUNT(missing); i++) {
		event.number = missing[i];
		program_all(&pmcg, 0, event.number);
		EXPECT_EQ(0, added(&pmcg, 0, &event, N))
			TH_LOG("event %#x", event.number);
	}
	/* No counter can be told to count it, so it must not alias to event 1. */
	config.ceid0 = 0xff;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	event.number = 0x10001;
	EXPECT_EQ(0, added(&pmcg, 0, &event, N));
}

TEST_HARNESS_MAIN
