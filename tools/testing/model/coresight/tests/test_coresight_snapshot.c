// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: IHI 0091 §2.6.6, §3.34 and §3.43 to §3.46.
 */
#include "coresight_test.h"

static struct coresight pmu;

FIXTURE(snapshot) {
	struct coresight_config config;
};

FIXTURE_SETUP(snapshot)
{
	coresight_default_config(&self->config);
	self->config.monitors = 3;
	self->config.bits = 32;
	self->config.snapshot = true;
}

FIXTURE_TEARDOWN(snapshot)
{
}

#define MAKE(layout)						\
	do {							\
		coresight_set_layout(&self->config, layout);	\
		make(_metadata, &pmu, &self->config, NULL);	\
		quiet(&pmu);					\
	} while (0)

static uint32_t saved(unsigned int n)
{
	return read32(&pmu, 0x600 + 4 * n);
}

static void capture(void)
{
	write32(&pmu, 0xe30, 1);
}

static void set_values(void)
{
	unsigned int i;

	for (i = 0; i < 128; i++)
		set_value(&pmu, i, 0x7000000000 + 0x100 + i);
}

/* rule CFXNM: where the values are is IMPLEMENTATION DEFINED. */
TEST_F(snapshot, layout_of_64_bits)
{
	self->config.bits = 40;
	self->config.snapshot_reset = true;
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	set_values();
	capture();
	EXPECT_EQ(0x7000000100, read64(&pmu, 0x600));
	EXPECT_EQ(0x7000000102, read64(&pmu, 0x610));
	EXPECT_EQ(0, saved(6));
	EXPECT_EQ(0, saved(7));
	EXPECT_EQ(0xdead0000, saved(8));
	EXPECT_EQ(0xdead0000, saved(63));

	MAKE(CORESIGHT_LAYOUT_DESCENDING);
	EXPECT_EQ(1, saved(0));
	set_values();
	set_flag(&pmu, 0xcc0, 1);
	capture();
	EXPECT_EQ(0, saved(0));
	EXPECT_EQ(2, saved(1));
	EXPECT_EQ(0x7000000102, read64(&pmu, 0x608));
	EXPECT_EQ(0x7000000100, read64(&pmu, 0x618));

	MAKE(CORESIGHT_LAYOUT_INDEXED);
	EXPECT_EQ(1, saved(63));
	set_values();
	capture();
	EXPECT_EQ(0, saved(63));
	EXPECT_EQ(0x7000000101, read64(&pmu, 0x608));
}

/* I SSNNY: there is not always room for all monitors. */
TEST_F(snapshot, more_monitors_than_room)
{
	self->config.monitors = 100;
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	set_values();
	capture();
	EXPECT_EQ(0x13e, saved(62));
	EXPECT_EQ(0, saved(63));
	self->config.snapshot_reset = true;
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	set_values();
	write32(&pmu, 0xcc0, 0x1);
	write32(&pmu, 0xccc, 0xf);
	capture();
	EXPECT_EQ(0x13a, saved(58));
	EXPECT_EQ(0x1, saved(59));
	EXPECT_EQ(0xf, saved(62));
	EXPECT_EQ(0, saved(63));
	self->config.snapshot_reset = false;
	MAKE(CORESIGHT_LAYOUT_DESCENDING);
	set_values();
	capture();
	EXPECT_EQ(0, saved(0));
	EXPECT_EQ(0x163, saved(1));
	EXPECT_EQ(0x125, saved(63));
	MAKE(CORESIGHT_LAYOUT_INDEXED);
	set_values();
	capture();
	EXPECT_EQ(0x13e, saved(62));
	EXPECT_EQ(0, saved(63));
	self->config.bits = 64;
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	set_values();
	capture();
	EXPECT_EQ(0x700000011e, read64(&pmu, 0x6f0));
	EXPECT_EQ(0, saved(62));
	EXPECT_EQ(0xdead0000, saved(63));
	MAKE(CORESIGHT_LAYOUT_INDEXED);
	set_values();
	capture();
	EXPECT_EQ(0x700000011e, read64(&pmu, 0x6f0));
	EXPECT_EQ(0, saved(63));
}

TEST_HARNESS_MAIN
