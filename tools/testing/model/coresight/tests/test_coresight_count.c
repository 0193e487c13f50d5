// SPDX-License-Identifier: GPL-2.0
/*
 * What a CoreSight PMU counts, how monitors overflow, and what freezes, halts and chains them:
 * IHI 0091 §2.2, §2.5 and §2.6.1 to §2.6.5.
 */
#include "coresight_test.h"

static struct coresight pmu;

FIXTURE(count) {
	struct coresight_config config;
};

/* Monitors of 16 bits, so that they can overflow in any number of ways. */
FIXTURE_SETUP(count)
{
	coresight_default_config(&self->config);
	self->config.bits = 16;
	self->config.cycle_counter_bits = 32;
}

FIXTURE_TEARDOWN(count)
{
}

#define MAKE()							\
	do {							\
		make(_metadata, &pmu, &self->config, NULL);	\
		quiet(&pmu);					\
	} while (0)

/* Rules XWGCN, NBWKD and YCLQB: a state, which may fall and does not overflow. */
TEST_F(count, gauges)
{
	self->config.gauges.word[0] = 0x2;
	self->config.step = 2;
	MAKE();
	program(&pmu, 1, EVENT, 0);
	happen(&pmu, EVENT, 7);
	EXPECT_EQ(0, value(&pmu, 1));
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 7);
	EXPECT_EQ(14, value(&pmu, 1));
	happen(&pmu, EVENT, 3);
	EXPECT_EQ(6, value(&pmu, 1));
	happen(&pmu, EVENT + 1, 9);
	EXPECT_EQ(6, value(&pmu, 1));
	happen(&pmu, EVENT, 0);
	EXPECT_EQ(0, value(&pmu, 1));
	happen(&pmu, EVENT, 0x7fff);
	EXPECT_EQ(0xfffe, value(&pmu, 1));
	happen(&pmu, EVENT, 0x8000);
	EXPECT_EQ(0xffff, value(&pmu, 1));
	EXPECT_EQ(0, read32(&pmu, 0xc80));
	/* Late events do not change a gauge that has been stopped. */
	syspmu_delay_changes(&pmu.model, 3);
	write32(&pmu, 0xe04, 0);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(0xffff, value(&pmu, 1));
	/* No event of number zero is added. */
	syspmu_delay_changes(&pmu.model, 0);
	program(&pmu, 1, 0, 0);
	set_value(&pmu, 1, 5);
	write32(&pmu, 0xe04, E);
	EXPECT_EQ(5, value(&pmu, 1));
	EXPECT_EQ(5, value(&pmu, 1));
}

TEST_F(count, second_filter)
{
	struct syspmu_event event = { .number = EVENT, .stream_id = 4, .partid = 6 };

	self->config.filter2_bits = 0xff;
	MAKE();
	program(&pmu, 0, EVENT, 4);
	program(&pmu, 1, EVENT, 4);
	program(&pmu, 2, EVENT, 5);
	program(&pmu, 3, EVENT, 4);
	write32(&pmu, 0x804, 6);
	write32(&pmu, 0x808, 6);
	write32(&pmu, 0x80c, 7);
	write32(&pmu, 0xe04, E);
	syspmu_inject(&pmu.model, &event, 3);
	EXPECT_EQ(3, value(&pmu, 0));
	EXPECT_EQ(3, value(&pmu, 1));
	EXPECT_EQ(0, value(&pmu, 2));
	EXPECT_EQ(0, value(&pmu, 3));
}

TEST_F(count, second_filter_of_targets)
{
	struct syspmu_event event = { .number = EVENT, .stream_id = 4 };

	self->config.filter2_bits = UINT32_MAX;
	self->config.filter2 = CORESIGHT_FILTER2_TARGETS;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	program(&pmu, 1, EVENT, 0);
	write32(&pmu, 0x800, 0);
	write32(&pmu, 0x804, 0x5);
	write32(&pmu, 0xe04, E);
	for (event.partid = 0; event.partid < 4; event.partid++)
		syspmu_inject(&pmu.model, &event, UINT64_C(1) << event.partid);
	event.partid = 34;
	syspmu_inject(&pmu.model, &event, 16);
	EXPECT_EQ(0, value(&pmu, 0));
	EXPECT_EQ(1 + 4 + 16, value(&pmu, 1));
}

/* Slots select 64 MB from 0x80000000 on, and all that is below 4 GB; the third one is off. */
TEST_F(count, second_filter_of_addresses)
{
	static const uint32_t filters[] = { 0x00, 0x0f, 0x100, 0x200, 0x400, 0x101, 0x300 };
	static const uint64_t expected[] = { 0, 3, 9, 11, 0, 1, 11 };
	struct syspmu_event event = { .number = EVENT, .stream_id = 0x20 };
	unsigned int i;

	self->config.filter2_bits = 0xffff;
	self->config.filter2 = CORESIGHT_FILTER2_ADDRESSES;
	MAKE();
	for (i = 0; i < 7; i++) {
		program(&pmu, i, EVENT, 0);
		write32(&pmu, 0x800 + 4 * i, filters[i]);
	}
	coresight_window_write(&pmu, 0xd3c, 0x80000000);
	coresight_window_write(&pmu, 0xd40, 0);
	coresight_window_write(&pmu, 0xd44, 0xfc000000);
	coresight_window_write(&pmu, 0xd48, 0xffffffff);
	coresight_window_write(&pmu, 0xd38, 1);
	coresight_window_write(&pmu, 0xd5c, 0xffffffff);
	coresight_window_write(&pmu, 0xd4c, 1);
	coresight_window_write(&pmu, 0xdd8, 1);
	EXPECT_EQ(0xfc000000, coresight_window_read(&pmu, 0xd44));
	EXPECT_EQ(1, coresight_window_read(&pmu, 0xd4c));
	EXPECT_EQ(0, coresight_window_read(&pmu, 0xdd8));
	write32(&pmu, 0xe04, E);
	syspmu_inject(&pmu.model, &event, 1);
	event.stream_id = 0x21;
	event.partid = 1;
	syspmu_inject(&pmu.model, &event, 2);
	event.stream_id = 0x20;
	event.partid = 15;
	syspmu_inject(&pmu.model, &event, 8);
	event.stream_id = 0x40;
	event.partid = 4;
	syspmu_inject(&pmu.model, &event, 16);
	for (i = 0; i < 7; i++)
		EXPECT_EQ(expected[i], value(&pmu, i));
}

/* §3.7: events without a bit are not described. */
TEST_F(count, events_that_are_not_implemented)
{
	self->config.ceid[0] = 0x0000000e;
	self->config.ceid[1] = 0x80000000;
	MAKE();
	EXPECT_TRUE(constant(&pmu, 0xe20, 0xe));
	EXPECT_TRUE(constant(&pmu, 0xe24, 0x80000000));
	EXPECT_TRUE(constant(&pmu, 0xe28, UINT32_MAX));
	EXPECT_TRUE(constant(&pmu, 0xe2c, UINT32_MAX));
	program(&pmu, 0, 3, 0);
	program(&pmu, 1, 4, 0);
	program(&pmu, 2, 0x20, 0);
	program(&pmu, 3, 0x3f, 0);
	program(&pmu, 4, 0x1000, 0);
	program(&pmu, 5, 0x80, 0);
	write32(&pmu, 0xe04, E);
	happen(&pmu, 0x80, 1);
	EXPECT_EQ(1, value(&pmu, 5));
	happen(&pmu, 3, 1);
	happen(&pmu, 4, 1);
	happen(&pmu, 0x20, 1);
	happen(&pmu, 0x3f, 1);
	happen(&pmu, 0x1000, 1);
	EXPECT_EQ(1, value(&pmu, 0));
	EXPECT_EQ(0, value(&pmu, 1));
	EXPECT_EQ(0, value(&pmu, 2));
	EXPECT_EQ(1, value(&pmu, 3));
	EXPECT_EQ(1, value(&pmu, 4));
}

/* Rule KFQDK: the cycle counter, and monitors that can also count cycles. */
TEST_F(count, cycles)
{
	self->config.cycle_counter = true;
	MAKE();
	program(&pmu, 0, CYCLES, 0);
	program(&pmu, 1, EVENT, 0);
	set_flag(&pmu, 0xc00, 31);
	write32(&pmu, 0xe04, E);
	syspmu_clock(&pmu.model, 1000);
	EXPECT_EQ(1000, value(&pmu, 0));
	EXPECT_EQ(0, value(&pmu, 1));
	EXPECT_EQ(1000, value(&pmu, 31));
	EXPECT_EQ(0x10000 - 1000, syspmu_cycles_to_overflow(&pmu.model));
	set_flag(&pmu, 0xc20, 0);
	EXPECT_EQ(UINT32_MAX - 999, syspmu_cycles_to_overflow(&pmu.model));
	syspmu_clock(&pmu.model, UINT32_MAX - 999);
	EXPECT_EQ(0, value(&pmu, 31));
	EXPECT_EQ(UINT32_C(1) << 31, read32(&pmu, 0xc80));
	/* In this implementation, PMCCFILTR can inhibit it. */
	write32(&pmu, 0x47c, UINT32_C(1) << 31);
	syspmu_clock(&pmu.model, 5);
	EXPECT_EQ(0, value(&pmu, 31));
	write32(&pmu, 0x47c, ~(UINT32_C(1) << 31));
	syspmu_clock(&pmu.model, 5);
	EXPECT_EQ(5, value(&pmu, 31));
	/* A gauge does not overflow by cycles. */
	set_flag(&pmu, 0xc20, 31);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmu.model));
	self->config.gauges.word[0] = 1;
	MAKE();
	program(&pmu, 0, CYCLES, 0);
	write32(&pmu, 0xe04, E);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmu.model));
}

/* Rule CMLXS, PMCR.D. */
TEST_F(count, every_64th_cycle)
{
	self->config.cycle_counter = true;
	self->config.prescaler = true;
	MAKE();
	program(&pmu, 0, CYCLES, 0);
	set_flag(&pmu, 0xc00, 31);
	write32(&pmu, 0xe04, E | D);
	syspmu_clock(&pmu.model, 63);
	EXPECT_EQ(0, value(&pmu, 31));
	EXPECT_EQ(63, value(&pmu, 0));
	syspmu_clock(&pmu.model, 1);
	EXPECT_EQ(1, value(&pmu, 31));
	syspmu_clock(&pmu.model, 64 * 5 + 10);
	EXPECT_EQ(6, value(&pmu, 31));
	set_flag(&pmu, 0xc20, 0);
	set_value(&pmu, 31, UINT32_MAX - 1);
	EXPECT_EQ(128 - 10, syspmu_cycles_to_overflow(&pmu.model));
	syspmu_clock(&pmu.model, 117);
	EXPECT_FALSE(flag(&pmu, 0xc80, 31));
	EXPECT_EQ(1, syspmu_cycles_to_overflow(&pmu.model));
	syspmu_clock(&pmu.model, 1);
	EXPECT_TRUE(flag(&pmu, 0xc80, 31));
	/* Cycles that the prescaler has collected are not counted without it. */
	syspmu_clock(&pmu.model, 5);
	set_value(&pmu, 31, 0);
	write32(&pmu, 0xe04, E);
	syspmu_clock(&pmu.model, 3);
	EXPECT_EQ(3, value(&pmu, 31));
	EXPECT_EQ(UINT32_MAX - 2, syspmu_cycles_to_overflow(&pmu.model));
	write32(&pmu, 0xe04, E | D);
	syspmu_clock(&pmu.model, 59);
	EXPECT_EQ(4, value(&pmu, 31));
}

/* Rule SQJTW. */
TEST_F(count, debug_state)
{
	self->config.halt = CORESIGHT_HALT_COUNTS;
	MAKE();
	EXPECT_EQ(0, writable(&pmu, 0xe04) & HDBG);
	program(&pmu, 0, EVENT, 0);
	write32(&pmu, 0xe04, E | HDBG);
	coresight_set_agent(&pmu, true, false);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(1, value(&pmu, 0));

	self->config.halt = CORESIGHT_HALT_STOPS;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	write32(&pmu, 0xe04, E);
	coresight_set_agent(&pmu, true, false);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(0, value(&pmu, 0));
	coresight_set_agent(&pmu, false, false);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(1, value(&pmu, 0));

	self->config.halt = CORESIGHT_HALT_CONTROL;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	write32(&pmu, 0xe04, E);
	coresight_set_agent(&pmu, true, false);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(1, value(&pmu, 0));
	write32(&pmu, 0xe04, E | HDBG);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(1, value(&pmu, 0));
	coresight_set_agent(&pmu, false, false);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(2, value(&pmu, 0));
}

/* Rule YBGZK. */
TEST_F(count, chain)
{
	const uint32_t chain = 0x1e;

	self->config.chain = true;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	program(&pmu, 1, chain, 0);
	program(&pmu, 2, EVENT, 0);
	program(&pmu, 3, EVENT, 0);
	program(&pmu, 4, chain, 0);
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 0x2fffe);
	EXPECT_EQ(0xfffe, value(&pmu, 0));
	EXPECT_EQ(2, value(&pmu, 1));
	happen(&pmu, EVENT, 2);
	EXPECT_EQ(0, value(&pmu, 0));
	EXPECT_EQ(3, value(&pmu, 1));
	EXPECT_EQ(0, value(&pmu, 3));
	/* An even monitor does not count CHAIN, and CHAIN does not occur by itself. */
	happen(&pmu, chain, 5);
	EXPECT_EQ(0, value(&pmu, 4));
	EXPECT_EQ(3, value(&pmu, 1));
	/* The overflow of the odd one is an overflow like any other. */
	set_value(&pmu, 1, 0xffff);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_EQ(0, value(&pmu, 1));
	EXPECT_TRUE(flag(&pmu, 0xc80, 1));
	set_flag(&pmu, 0xc20, 1);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_EQ(0, value(&pmu, 1));

	/* The last two. */
	program(&pmu, 6, EVENT, 0);
	program(&pmu, 7, chain, 0);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_EQ(1, value(&pmu, 7));

	self->config.chain = false;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	program(&pmu, 1, chain, 0);
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_EQ(0, value(&pmu, 1));
}

/* Rule DJHLY: the odd monitor may be ahead, and the even one never. */
TEST_F(count, chain_that_is_not_atomic)
{
	self->config.chain = true;
	self->config.chain_reads = 3;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	program(&pmu, 1, 0x1e, 0);
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 0x10003);
	EXPECT_EQ(0xffff, value(&pmu, 0));
	EXPECT_EQ(1, value(&pmu, 1));
	EXPECT_EQ(0xffff, value(&pmu, 0));
	EXPECT_EQ(3, value(&pmu, 0));
	EXPECT_EQ(1, value(&pmu, 1));
	/* However often others wrap meanwhile. */
	program(&pmu, 2, EVENT + 1, 0);
	program(&pmu, 3, 0x1e, 0);
	happen(&pmu, EVENT, 0x10000);
	EXPECT_EQ(0xffff, value(&pmu, 0));
	happen(&pmu, EVENT + 1, 0x10002);
	EXPECT_EQ(0xffff, value(&pmu, 2));
	EXPECT_EQ(2, value(&pmu, 1));
	EXPECT_EQ(3, value(&pmu, 0));
	EXPECT_EQ(2, value(&pmu, 2));
	/* After a write, and after a reset, monitors read as their values. */
	happen(&pmu, EVENT, 0x10000);
	EXPECT_EQ(3, value(&pmu, 1));
	set_value(&pmu, 0, 7);
	EXPECT_EQ(7, value(&pmu, 0));
	happen(&pmu, EVENT, 0x10000);
	syspmu_reset(&pmu.model, TEST_SEED);
	set_value(&pmu, 1, 5);
	EXPECT_NE(0xffff, value(&pmu, 0));
	/* Reads of other registers do not matter; an overflow that is not chained is immediate. */
	quiet(&pmu);
	program(&pmu, 0, EVENT, 0);
	program(&pmu, 1, 0x1e, 0);
	write32(&pmu, 0xe04, E);
	happen(&pmu, EVENT, 0x10000);
	read32(&pmu, 0xc80);
	read32(&pmu, 0xc80);
	read32(&pmu, 0xc80);
	EXPECT_EQ(0xffff, value(&pmu, 0));
	write32(&pmu, 0x404, EVENT + 1);
	set_value(&pmu, 0, 0);
	happen(&pmu, EVENT, 0x10001);
	EXPECT_EQ(1, value(&pmu, 0));
}

/* Rule YHTDZ, I DHXMS: changes, and so freezing, take effect in finite time. */
TEST_F(count, late_changes)
{
	self->config.freeze = true;
	MAKE();
	program(&pmu, 0, EVENT, 0);
	program(&pmu, 1, EVENT, 0);
	set_value(&pmu, 0, 0xffff);
	write32(&pmu, 0xe04, E | FZO);
	syspmu_delay_changes(&pmu.model, 2);
	happen(&pmu, EVENT, 1);
	happen(&pmu, EVENT, 1);
	happen(&pmu, EVENT, 1);
	happen(&pmu, EVENT, 1);
	EXPECT_EQ(2, value(&pmu, 0));
	EXPECT_EQ(3, value(&pmu, 1));
	set_flag(&pmu, 0xc80, 0);
	write32(&pmu, 0x400, EVENT + 1);
	happen(&pmu, EVENT, 3);
	EXPECT_EQ(4, value(&pmu, 0));
	EXPECT_EQ(6, value(&pmu, 1));
	write32(&pmu, 0xe04, 0);
	happen(&pmu, EVENT, 5);
	EXPECT_EQ(8, value(&pmu, 1));
}

TEST_HARNESS_MAIN
