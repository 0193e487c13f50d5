// SPDX-License-Identifier: GPL-2.0
/*
 * Identification registers of a CoreSight PMU, and invalid configurations: IHI 0091 §2.6.9,
 * §3.1, §3.3, §3.10 to §3.13, §3.17 to §3.20, §3.25 and §3.35 to §3.42.
 */
#include "coresight_test.h"

static struct coresight pmu;

FIXTURE(identity) {
	struct coresight_config config;
};

FIXTURE_SETUP(identity)
{
	coresight_default_config(&self->config);
}

FIXTURE_TEARDOWN(identity)
{
}

#define MAKE() make(_metadata, &pmu, &self->config, NULL)

struct constant {
	uint32_t offset;
	uint32_t value;
};

static void expect(struct __test_metadata *_metadata, const struct constant *list, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		EXPECT_TRUE(constant(&pmu, list[i].offset, list[i].value))
			TH_LOG("offset %#x is %#x", list[i].offset, read32(&pmu, list[i].offset));
}

/* PMIIDR and a part number of 12 bits (§3.25, §3.37.1, §3.38.1). */
TEST_F(identity, part_number_of_12_bits)
{
	static const struct constant registers[] = {
		{ 0xe08, 0xabc1243b }, { 0xfd0, 0x04 }, { 0xfd4, 0 }, { 0xfd8, 0 }, { 0xfdc, 0 },
		{ 0xfe0, 0xbc }, { 0xfe4, 0xba }, { 0xfe8, 0x1b }, { 0xfec, 0x25 },
		{ 0xff0, 0x0d }, { 0xff4, 0x90 }, { 0xff8, 0x05 }, { 0xffc, 0xb1 },
	};

	self->config.iidr = 0xabc1243b;
	self->config.peripheral_id = 0xabc1243b;
	self->config.customer_modified = 5;
	MAKE();
	expect(_metadata, registers, ARRAY_COUNT(registers));
}

/* PMIIDR is optional. */
TEST_F(identity, without_pmiidr)
{
	static const struct constant registers[] = {
		{ 0xe08, 0 }, { 0xfd0, 0x04 }, { 0xfe0, 0xbc }, { 0xfe4, 0xba }, { 0xfe8, 0x1b },
		{ 0xfec, 0x20 },
	};

	self->config.iidr = 0;
	self->config.peripheral_id = 0xabc1243b;
	MAKE();
	expect(_metadata, registers, ARRAY_COUNT(registers));
}

/* §3.10: the identification scheme is optional. */
TEST_F(identity, without_peripheral_identification)
{
	static const struct constant registers[] = {
		{ 0xfd0, 0 }, { 0xfe0, 0 }, { 0xfe4, 0 }, { 0xfe8, 0 }, { 0xfec, 0 }, { 0xff0, 0 },
		{ 0xff4, 0 }, { 0xff8, 0 }, { 0xffc, 0 },
	};

	self->config.coresight_ids = false;
	self->config.peripheral_id = 0;
	MAKE();
	expect(_metadata, registers, ARRAY_COUNT(registers));
}

/* §3.3, §3.18, §3.20. */
TEST_F(identity, device)
{
	static const struct constant registers[] = {
		{ 0xfb8, 0xa8 }, { 0xfbc, 0x47712a99 }, { 0xfcc, 0x46 },
	};

	self->config.authstatus = 0xa8;
	self->config.devarch = 0x47712a99;
	MAKE();
	expect(_metadata, registers, ARRAY_COUNT(registers));
}

/* Rules HXZHB and QCGTS, §3.8: registers in both pages, and differences between them. */
TEST_F(identity, two_pages)
{
	static const uint32_t same[] = {
		0xe08, 0xfd0, 0xfd4, 0xfd8, 0xfdc, 0xfe0, 0xfe4, 0xfe8, 0xfec,
		0xff0, 0xff4, 0xff8, 0xffc,
	};
	unsigned int i;

	self->config.monitors = 4;
	self->config.bits = 32;
	self->config.dual_page = true;
	self->config.groups = 2;
	self->config.group_size[0] = 2;
	self->config.group_size[1] = 1;
	self->config.cycle_counter = true;
	self->config.cycle_counter_bits = 32;
	self->config.prescaler = true;
	self->config.no_write_access = true;
	self->config.freeze = true;
	self->config.halt = CORESIGHT_HALT_CONTROL;
	self->config.trace = true;
	self->config.export_events = true;
	self->config.snapshot = true;
	self->config.msi = true;
	coresight_set_layout(&self->config, CORESIGHT_LAYOUT_ASCENDING);
	MAKE();
	EXPECT_TRUE(syspmu_has_two_pages(&pmu.model));
	for (i = 0; i < ARRAY_COUNT(same); i++)
		EXPECT_EQ(read32(&pmu, same[i]), read32_page_1(&pmu, same[i]))
			TH_LOG("offset %#x", same[i]);
	EXPECT_EQ(0x11f3df03, read32(&pmu, 0xe00));
	EXPECT_EQ(0x10405f03, read32_page_1(&pmu, 0xe00));
	EXPECT_NE(read32(&pmu, 0xfbc), read32_page_1(&pmu, 0xfbc));
	EXPECT_NE(read32(&pmu, 0xfcc), read32_page_1(&pmu, 0xfcc));
	EXPECT_EQ(0x102, read32(&pmu, 0xce0));
	EXPECT_EQ(0, read32_page_1(&pmu, 0xce0));
	EXPECT_EQ(0, read32_page_1(&pmu, 0xe20));
	EXPECT_EQ(0, read32_page_1(&pmu, 0xfb8));
}

/* §3.8, §3.9: PMCFGR.N includes the cycle counter; for its group this is not specified. */
TEST_F(identity, cycle_counter_in_a_group)
{
	self->config.groups = 16;
	self->config.group_size[0] = 1;
	self->config.group_size[3] = 2;
	self->config.cycle_counter = true;
	MAKE();
	EXPECT_EQ(0xf0007f03, read32(&pmu, 0xe00));
	EXPECT_EQ(0x02000001, read32(&pmu, 0xce0));
	EXPECT_EQ(0, read32(&pmu, 0xce4));
	self->config.cycle_counter_in_group = true;
	MAKE();
	EXPECT_EQ(0xf0007f03, read32(&pmu, 0xe00));
	EXPECT_EQ(0x03000001, read32(&pmu, 0xce0));
}

/* NULL if a configuration is refused with a word of the reason. */
static const char *wrong_message(const struct coresight_config *config, const char *word)
{
	const char *message = coresight_init(&pmu, config, NULL);

	if (!message)
		return "made";
	return strstr(message, word) ? NULL : message;
}

/* Configurations that contradict themselves are refused, with a word of the reason. */
TEST_F(identity, impossible)
{
	struct coresight_config *config = &self->config;

#define EXPECT_IMPOSSIBLE(word, ...)				\
	do {							\
		coresight_default_config(config);		\
		__VA_ARGS__;					\
		EXPECT_EQ(NULL, wrong_message(config, word));	\
	} while (0)

	EXPECT_IMPOSSIBLE("1 to 256", config->monitors = 0);
	EXPECT_IMPOSSIBLE("1 to 256", config->monitors = 257; config->bits = 32);
	EXPECT_IMPOSSIBLE("at most 128", config->monitors = 129);
	EXPECT_IMPOSSIBLE("1 to 64 bits", config->bits = 65);
	EXPECT_IMPOSSIBLE("no encoding", config->bits = 0);
	EXPECT_IMPOSSIBLE("no encoding", config->bits = 33);
	EXPECT_IMPOSSIBLE("2 to 16", config->groups = 1; config->group_size[0] = 1);
	EXPECT_IMPOSSIBLE("2 to 16", config->groups = 17; config->group_size[0] = 1);
	EXPECT_IMPOSSIBLE("more monitors than", config->groups = 9; config->group_size[0] = 9);
	EXPECT_IMPOSSIBLE("more monitors than", config->groups = 8; config->group_size[0] = 17);
	EXPECT_IMPOSSIBLE("monitor 31", config->groups = 2; config->group_size[0] = 32;
			  config->cycle_counter = true);
	EXPECT_IMPOSSIBLE("both extensions", config->cycle_counter_in_group = true);
	EXPECT_IMPOSSIBLE("snapshots are", config->monitors = 129; config->bits = 32;
			  config->snapshot = true);
	EXPECT_IMPOSSIBLE("0 to 63", config->monitors = 65; config->ext64 = true);
	EXPECT_IMPOSSIBLE("0 to 63", config->bits = 32; config->ext64 = true);
	EXPECT_IMPOSSIBLE("have a filter", config->monitors = 129; config->bits = 32;
			  config->filter = CORESIGHT_FILTER_SOURCES);
	EXPECT_IMPOSSIBLE("no cycle counter", config->prescaler = true);
	EXPECT_IMPOSSIBLE("no prescaler", config->cycle_counter = true; config->prescaler = true);
	EXPECT_IMPOSSIBLE("up to 32 bits only", config->cycle_counter = true;
			  config->cycle_counter_at_03c = true);
	EXPECT_IMPOSSIBLE("monitor 15", config->cycle_counter = true; config->bits = 32;
			  config->cycle_counter_bits = 32; config->monitors = 16;
			  config->cycle_counter_at_03c = true);
	EXPECT_IMPOSSIBLE("at least 1", config->step = 0);
	EXPECT_IMPOSSIBLE("no MSIs", config->msi_always = true);
	EXPECT_IMPOSSIBLE("no MSIs", config->msi_secure = true);
	EXPECT_IMPOSSIBLE("by Secure software", config->msi = true; config->msi_enabled = true);
	EXPECT_IMPOSSIBLE("by Secure software", config->msi = true; config->msi_secure = true;
			  config->msi_always = true; config->msi_enabled = true);
	EXPECT_IMPOSSIBLE("no snapshots", config->snapshot_signal = true);
	EXPECT_IMPOSSIBLE("PMIIDR has", config->iidr = 0x80);
	EXPECT_IMPOSSIBLE("peripheral ID has", config->peripheral_id = 0);
	EXPECT_IMPOSSIBLE("four bits", config->customer_modified = 16);
	EXPECT_IMPOSSIBLE("must agree", config->peripheral_id = 0x1243b);
}

TEST_HARNESS_MAIN
