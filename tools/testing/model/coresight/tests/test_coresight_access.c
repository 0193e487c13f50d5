// SPDX-License-Identifier: GPL-2.0
/*
 * 64-bit accesses to 64-bit registers and to pairs of 32-bit registers, atomic, split or faulting:
 * IHI 0091 §2.4.
 */
#include "coresight_test.h"

static struct coresight pmu;
static const struct syspmu_event event = { .number = EVENT };

FIXTURE(access) {
	struct coresight_config config;
};

FIXTURE_SETUP(access)
{
	coresight_default_config(&self->config);
	self->config.monitors = 64;
}

FIXTURE_TEARDOWN(access)
{
}

#define MAKE()							\
	do {							\
		make(_metadata, &pmu, &self->config, NULL);	\
		quiet(&pmu);					\
	} while (0)

/* A monitor of 64 bits whose low half is about to wrap. */
static void run(void)
{
	program(&pmu, 0, EVENT, 0);
	set_value(&pmu, 0, 0x5ffffffff);
	write32(&pmu, 0xe04, E);
}

/* Rules DDZMD and ZQQKP. */
TEST_F(access, atomic_reads)
{
	MAKE();
	run();
	syspmu_tear(&pmu.model, &event, 1);
	EXPECT_EQ(0x5ffffffff, value(&pmu, 0));
	EXPECT_EQ(0xffffffff, read32(&pmu, 0x0));
	EXPECT_EQ(5, read32(&pmu, 0x4));
}

TEST_F(access, split_reads)
{
	self->config.common.split_accesses = true;
	MAKE();
	run();
	syspmu_tear(&pmu.model, &event, 1);
	EXPECT_EQ(0x6ffffffff, value(&pmu, 0));
	EXPECT_EQ(0x600000000, value(&pmu, 0));

	self->config.common.high_first = true;
	MAKE();
	run();
	syspmu_tear(&pmu.model, &event, 1);
	EXPECT_EQ(0x500000000, value(&pmu, 0));
	EXPECT_EQ(0x600000000, value(&pmu, 0));
}

/* Rule ZNTRD: pairs of registers, which may be atomic independently of other registers. */
TEST_F(access, atomic_pairs)
{
	static const uint32_t pair[] = { 0xc00, 0xc40, 0xcc0 };
	unsigned int i;

	self->config.common.split_accesses = true;
	MAKE();
	for (i = 0; i < ARRAY_COUNT(pair); i++) {
		uint32_t clear = i < 2 ? pair[i] + 0x20 : 0xc80;

		EXPECT_FALSE(syspmu_access_faults(&pmu.model, 0, pair[i], 8));
		write64(&pmu, pair[i], 0x8000000000000001);
		EXPECT_EQ(1, read32(&pmu, pair[i]));
		EXPECT_EQ(UINT32_C(1) << 31, read32(&pmu, pair[i] + 4));
		write64(&pmu, clear, 0x8000000000000000);
		EXPECT_EQ(1, read64(&pmu, clear));
	}
}

/* Rule ZNTRD: not supported at all. */
TEST_F(access, faulting_pairs)
{
	static const uint32_t pair[] = { 0xc00, 0xc20, 0xc40, 0xc60, 0xc80, 0xcc0 };
	unsigned int i;

	self->config.common.pair_faults = true;
	MAKE();
	for (i = 0; i < ARRAY_COUNT(pair); i++) {
		EXPECT_TRUE(syspmu_access_faults(&pmu.model, 0, pair[i], 8));
		EXPECT_TRUE(syspmu_access_faults(&pmu.model, 0, pair[i] + 0x18, 8));
		EXPECT_FALSE(syspmu_access_faults(&pmu.model, 0, pair[i], 4));
	}
	write64(&pmu, 0xc00, 1);
	EXPECT_EQ(0, read32(&pmu, 0xc00));
	write32(&pmu, 0xc00, 1);
	EXPECT_EQ(0, read64(&pmu, 0xc00));
	EXPECT_EQ(1, read32(&pmu, 0xc00));
	EXPECT_FALSE(syspmu_access_faults(&pmu.model, 0, 0x0, 8));
	EXPECT_FALSE(syspmu_access_faults(&pmu.model, 0, 0xfa8, 8));
	EXPECT_FALSE(syspmu_access_faults(&pmu.model, 0, 0xf00, 8));
}

/* A bus of 32 bits. */
TEST_F(access, faulting_registers)
{
	struct syspmu_accesses accesses;

	self->config.common.wide_faults = true;
	MAKE();
	EXPECT_TRUE(syspmu_access_faults(&pmu.model, 0, 0x0, 8));
	EXPECT_TRUE(syspmu_access_faults(&pmu.model, 0, 0xf00, 8));
	EXPECT_FALSE(syspmu_access_faults(&pmu.model, 0, 0x0, 4));
	syspmu_reset_accesses(&pmu.model);
	write64(&pmu, 0x0, 5);
	EXPECT_EQ(0, read64(&pmu, 0x0));
	accesses = syspmu_accesses(&pmu.model, 0, SYSPMU_ALL_REGISTERS);
	EXPECT_EQ(0, accesses.reads);
	EXPECT_EQ(0, accesses.writes);
	write32(&pmu, 0x0, 5);
	write32(&pmu, 0x4, 6);
	EXPECT_EQ(5, read32(&pmu, 0x0));
	EXPECT_EQ(6, read32(&pmu, 0x4));
}

/* A 64-bit access counts as one access to a register or a pair, and so does one to either half. */
TEST_F(access, access_counts)
{
	struct syspmu_accesses accesses;

	MAKE();
	syspmu_reset_accesses(&pmu.model);
	write64(&pmu, 0xc00, 1);
	write32(&pmu, 0xc04, 1);
	read64(&pmu, 0xc08);
	accesses = syspmu_accesses(&pmu.model, 0, 0xc00);
	EXPECT_EQ(2, accesses.writes);
	EXPECT_EQ(0, accesses.reads);
	accesses = syspmu_accesses(&pmu.model, 0, 0xc0c);
	EXPECT_EQ(1, accesses.reads);
}

TEST_HARNESS_MAIN
