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

/* Rules WGRXN, PDXMS, DNJSY, HSCPL and ZXZYK; PMSSSR.NC resets to one. */
TEST_F(snapshot, capture)
{
	unsigned int i;

	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	EXPECT_EQ(UINT32_C(1) << 22, read32(&pmu, 0xe00) & UINT32_C(1) << 22);
	set_values();
	EXPECT_EQ(1, saved(3));
	write32(&pmu, 0xe30, 0);
	write32(&pmu, 0xe30, 0xfffffffe);
	EXPECT_EQ(1, saved(3));
	EXPECT_NE(0x100, saved(0));
	capture();
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0x100 + i, saved(i));
	EXPECT_EQ(0, saved(3));
	/* §3.46: captured values do not change with the monitors. */
	set_value(&pmu, 0, 0);
	write32(&pmu, 0xe04, P);
	EXPECT_EQ(0x100, saved(0));
	for (i = 0; i < 64; i++)
		EXPECT_EQ(0, writable(&pmu, 0x600 + 4 * i));
	EXPECT_TRUE(constant(&pmu, 0xe30, 0));
	EXPECT_TRUE(constant(&pmu, 0xe34, 0));
	/* §3.44: without the capability PMSSRR is RAZ/WI. */
	EXPECT_TRUE(constant(&pmu, 0xe38, 0));
	EXPECT_TRUE(constant(&pmu, 0xe3c, 0));
}

/* A capture does not stop monitors, and an overflow does not capture. */
TEST_F(snapshot, capture_while_running)
{
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	program(&pmu, 0, EVENT, 0);
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 5);
	capture();
	happen(&pmu, EVENT, 6);
	EXPECT_EQ(5, saved(0));
	EXPECT_EQ(11, value(&pmu, 0));
	set_value(&pmu, 0, UINT32_MAX);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(5, saved(0));
}

/* Rule ZXZYK: by a signal, if there is one. */
TEST_F(snapshot, external_request)
{
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	set_values();
	syspmu_request_capture(&pmu.model);
	EXPECT_EQ(1, saved(3));
	self->config.snapshot_signal = true;
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	set_values();
	syspmu_request_capture(&pmu.model);
	EXPECT_EQ(0, saved(3));
	EXPECT_EQ(0x102, saved(2));
}

/* §3.45: security violation */
TEST_F(snapshot, no_capture)
{
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	set_values();
	capture();
	set_value(&pmu, 0, 5);
	coresight_prohibit_capture(&pmu, true);
	capture();
	EXPECT_EQ(1, saved(3));
	EXPECT_EQ(0x100, saved(0));
	coresight_prohibit_capture(&pmu, false);
	capture();
	EXPECT_EQ(0, saved(3));
	EXPECT_EQ(5, saved(0));
}

/* Rule CVTPF, §3.44: monitors and their flags go to zero after they were captured. */
TEST_F(snapshot, reset_of_monitors)
{
	self->config.snapshot_reset = true;
	self->config.cycle_counter = true;
	self->config.cycle_counter_bits = 32;
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	EXPECT_EQ(0x80000007, writable(&pmu, 0xe38));
	EXPECT_EQ(0, writable(&pmu, 0xe3c));
	set_values();
	write32(&pmu, 0xcc0, 0x80000007);
	write64(&pmu, 0xe38, 0x80000002);
	capture();
	EXPECT_EQ(0x101, saved(1));
	EXPECT_EQ(0x11f, saved(3));
	/* PMOVSSR */
	EXPECT_EQ(0x80000007, saved(4));
	EXPECT_EQ(0, saved(5));
	EXPECT_EQ(0x100, value(&pmu, 0));
	EXPECT_EQ(0, value(&pmu, 1));
	EXPECT_EQ(0, value(&pmu, 31));
	EXPECT_EQ(0x5, read32(&pmu, 0xc80));
	write32(&pmu, 0xcc0, 0xffffffff);
	EXPECT_EQ(0x80000007, saved(4));
}

/* Freezing ends when a capture clears the flag for it. */
TEST_F(snapshot, reset_ends_freezing)
{
	self->config.snapshot_reset = true;
	self->config.freeze = true;
	MAKE(CORESIGHT_LAYOUT_ASCENDING);
	program(&pmu, 0, EVENT, 0);
	write32(&pmu, 0xe38, 0x2);
	set_flag(&pmu, 0xcc0, 1);
	write32(&pmu, 0xe04, E | FZO);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(0, value(&pmu, 0));
	capture();
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(1, value(&pmu, 0));
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
