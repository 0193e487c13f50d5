// SPDX-License-Identifier: GPL-2.0
/*
 * Counting, overflow, capture and interrupts: IHI 0070 §10.2.1 and §10.5.2.
 */
#include "pmcg_test.h"

static struct pmcg pmcg;
static unsigned int edges;

static const struct syspmu_event transaction = { .number = TRANSACTION };

/* One counter of the given SIZE that counts all transactions, interrupts on. */
static void one_counter(struct __test_metadata *_metadata, unsigned int size)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.counters = 1;
	config.size = size;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write64(&pmcg, 0xc40, 1);
	write32(&pmcg, 0xe50, 1);
	program_all(&pmcg, 0, TRANSACTION);
}

FIXTURE(size) {
	uint64_t max;
};

FIXTURE_VARIANT(size) {
	unsigned int size;
};

FIXTURE_VARIANT_ADD(size, bits_32) {
	.size = 31,
};

FIXTURE_VARIANT_ADD(size, bits_36) {
	.size = 35,
};

FIXTURE_VARIANT_ADD(size, bits_40) {
	.size = 39,
};

FIXTURE_VARIANT_ADD(size, bits_44) {
	.size = 43,
};

FIXTURE_VARIANT_ADD(size, bits_48) {
	.size = 47,
};

FIXTURE_VARIANT_ADD(size, bits_64) {
	.size = 63,
};

FIXTURE_VARIANT_ADD(size, reserved_16) {
	.size = 15,
};

FIXTURE_VARIANT_ADD(size, reserved_1) {
	.size = 0,
};

FIXTURE_VARIANT_ADD(size, reserved_33) {
	.size = 32,
};

FIXTURE_SETUP(size)
{
	self->max = UINT64_MAX >> (63 - variant->size);
	one_counter(_metadata, variant->size);
}

FIXTURE_TEARDOWN(size)
{
}

TEST_F(size, last_step)
{
	write_counter(&pmcg, 0, self->max);
	EXPECT_EQ(self->max, read_counter(&pmcg, 0));
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(0, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

TEST_F(size, up_to_the_edge)
{
	write_counter(&pmcg, 0, 1);
	syspmu_inject(&pmcg.model, &transaction, self->max - 1);
	EXPECT_EQ(self->max, read_counter(&pmcg, 0));
	EXPECT_EQ(0, read64(&pmcg, 0xc80));
	EXPECT_EQ(0, edges);
}

TEST_F(size, all_at_once)
{
	write_counter(&pmcg, 0, self->max - 2);
	syspmu_inject(&pmcg.model, &transaction, 10);
	EXPECT_EQ((self->max - 2 + 10) & self->max, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

/* The sum of a counter and the increment need not fit into 64 bits. */
TEST_F(size, greatest_increment)
{
	write_counter(&pmcg, 0, self->max);
	syspmu_inject(&pmcg.model, &transaction, UINT64_MAX);
	EXPECT_EQ(self->max - 1, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

/* A counter below 64 bits can wrap several times at once. */
TEST_F(size, several_turns)
{
	if (variant->size == 63)
		return;
	write_counter(&pmcg, 0, 0);
	syspmu_inject(&pmcg.model, &transaction, (self->max + 1) * 3 + (self->max >> 1));
	EXPECT_EQ(self->max >> 1, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

TEST_F(size, nothing)
{
	write_counter(&pmcg, 0, self->max);
	syspmu_inject(&pmcg.model, &transaction, 0);
	EXPECT_EQ(self->max, read_counter(&pmcg, 0));
	EXPECT_EQ(0, read64(&pmcg, 0xc80));
	EXPECT_EQ(0, edges);
}

TEST_F(size, cycles_to_overflow)
{
	/* The counter still counts transactions: no cycle makes it overflow. */
	write_counter(&pmcg, 0, self->max);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
	program(&pmcg, 0, 0, 0);
	write_counter(&pmcg, 0, self->max);
	EXPECT_EQ(1, syspmu_cycles_to_overflow(&pmcg.model));
	write_counter(&pmcg, 0, 1);
	EXPECT_EQ(self->max, syspmu_cycles_to_overflow(&pmcg.model));
	write_counter(&pmcg, 0, 0);
	EXPECT_EQ(variant->size == 63 ? UINT64_MAX : self->max + 1,
		  syspmu_cycles_to_overflow(&pmcg.model));
	write64(&pmcg, 0xc20, 1);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
	write64(&pmcg, 0xc00, 1);
	write32(&pmcg, 0xe04, 0);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
}

TEST(nearest_of_many_counters)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.counters = 3;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, 0, 0);
	program(&pmcg, 1, 0, 0);
	program_all(&pmcg, 2, TRANSACTION);
	write_counter(&pmcg, 0, UINT64_MAX - 100);
	write_counter(&pmcg, 1, UINT64_MAX - 50);
	write_counter(&pmcg, 2, UINT64_MAX);
	EXPECT_EQ(51, syspmu_cycles_to_overflow(&pmcg.model));
	write_counter(&pmcg, 1, UINT64_MAX - 150);
	EXPECT_EQ(101, syspmu_cycles_to_overflow(&pmcg.model));
}

/* An interrupt comes at each overflow, whatever OVS says (§10.2.1). */
TEST(overflow_status_does_not_matter)
{
	one_counter(_metadata, 63);
	write64(&pmcg, 0xcc0, 1);
	EXPECT_EQ(0, edges);
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(1, edges);
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(2, edges);
	EXPECT_EQ(2, syspmu_irq_edges(&pmcg.model));
	EXPECT_EQ(1, read64(&pmcg, 0xcc0));
}

/* OVS stays until software clears it, and counting goes on. */
TEST(overflow_status_is_sticky)
{
	one_counter(_metadata, 31);
	write_counter(&pmcg, 0, UINT32_MAX);
	syspmu_inject(&pmcg.model, &transaction, 1);
	syspmu_inject(&pmcg.model, &transaction, 5);
	EXPECT_EQ(5, read_counter(&pmcg, 0));
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	write64(&pmcg, 0xc80, 1);
	EXPECT_EQ(0, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
}

/* INTEN and IRQEN only matter at the time of the overflow. */
TEST(interrupt_enables)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		one_counter(_metadata, 63);
		quiet(&pmcg);
		program_all(&pmcg, 0, TRANSACTION);
		if (i & 1)
			write64(&pmcg, 0xc40, 1);
		if (i & 2)
			write32(&pmcg, 0xe50, 1);
		write_counter(&pmcg, 0, UINT64_MAX);
		syspmu_inject(&pmcg.model, &transaction, 1);
		EXPECT_EQ(i == 3, edges);
		EXPECT_EQ(1, read64(&pmcg, 0xc80));
		write64(&pmcg, 0xc40, 1);
		write32(&pmcg, 0xe50, 1);
		EXPECT_EQ(i == 3, edges);
		EXPECT_EQ(edges, syspmu_irq_edges(&pmcg.model));
	}
}

/* Counters that overflow together share an edge; those without INTEN add none. */
TEST(one_edge_for_all)
{
	struct pmcg_config config;
	unsigned int i;

	pmcg_default_config(&config);
	config.counters = 64;
	config.size = 31;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write32(&pmcg, 0xe50, 1);
	write64(&pmcg, 0xc40, UINT64_C(0xf0000000000000f0));
	for (i = 0; i < 64; i++) {
		program_all(&pmcg, i, TRANSACTION);
		write_counter(&pmcg, i, UINT32_MAX - i);
	}
	syspmu_inject(&pmcg.model, &transaction, 4);
	EXPECT_EQ(0xf, read64(&pmcg, 0xc80));
	EXPECT_EQ(0, edges);
	syspmu_inject(&pmcg.model, &transaction, 4);
	EXPECT_EQ(0xff, read64(&pmcg, 0xc80));
	EXPECT_EQ(1, edges);
	syspmu_inject(&pmcg.model, &transaction, 56);
	EXPECT_EQ(UINT64_MAX, read64(&pmcg, 0xc80));
	EXPECT_EQ(2, edges);
	for (i = 0; i < 64; i++)
		EXPECT_EQ(63 - i, read_counter(&pmcg, i));
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmcg.model));
}

/* A counter does not count without both CR.E and CNTEN. */
TEST(enables)
{
	struct pmcg_config config;
	unsigned int i;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < 8; i++)
		program_all(&pmcg, i, TRANSACTION);
	write32(&pmcg, 0xe04, 0);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, added(&pmcg, i, &transaction, 7));
	write32(&pmcg, 0xe04, 1);
	write64(&pmcg, 0xc20, 0xa5);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0xa5 >> i & 1 ? 0 : 7, added(&pmcg, i, &transaction, 7));
}

/* Each counter counts its own event, and 64 of them do so at once. */
TEST(many_events)
{
	struct syspmu_event event = { 0 };
	struct pmcg_config config;
	unsigned int i;

	pmcg_default_config(&config);
	config.counters = 64;
	config.ceid0 = UINT64_MAX;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < 64; i++)
		program_all(&pmcg, i, i);
	for (i = 0; i < 64; i++) {
		event.number = i;
		syspmu_inject(&pmcg.model, &event, i + (UINT64_C(1) << i));
	}
	for (i = 0; i < 64; i++)
		EXPECT_EQ(i + (UINT64_C(1) << i), read_counter(&pmcg, i));
}

static void capture_config(struct pmcg_config *config)
{
	pmcg_default_config(config);
	config->counters = 3;
	config->capture = true;
}

TEST(capture_by_register)
{
	struct pmcg_config config;
	unsigned int i;

	capture_config(&config);
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	for (i = 0; i < 3; i++)
		write_counter(&pmcg, i, UINT64_C(0x1111111122222222) * (i + 1));
	write32(&pmcg, 0xd88, UINT32_C(0xfffffffe));
	for (i = 0; i < 3; i++)
		EXPECT_NE(read_counter(&pmcg, i), read64(&pmcg, 0x600 + 8 * i));
	write32(&pmcg, 0xd88, 1);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(UINT64_C(0x1111111122222222) * (i + 1), read64(&pmcg, 0x600 + 8 * i));
		write_counter(&pmcg, i, 0);
		EXPECT_EQ(UINT64_C(0x1111111122222222) * (i + 1), read64(&pmcg, 0x600 + 8 * i));
		EXPECT_EQ(UINT32_C(0x22222222) * (i + 1), read32(&pmcg, 0x600 + 8 * i));
		EXPECT_EQ(UINT32_C(0x11111111) * (i + 1), read32(&pmcg, 0x604 + 8 * i));
	}
	EXPECT_EQ(0, read32(&pmcg, 0xd88));
	EXPECT_EQ(0, edges);
}

/* §10.2.1: an external mechanism captures as CAPR does, where there is capture. */
TEST(capture_by_request)
{
	struct pmcg_config config;
	uint64_t before;

	capture_config(&config);
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write_counter(&pmcg, 1, 0x123456789);
	before = read64(&pmcg, 0x608);
	syspmu_set_dead(&pmcg.model, true);
	syspmu_request_capture(&pmcg.model);
	syspmu_set_dead(&pmcg.model, false);
	EXPECT_EQ(before, read64(&pmcg, 0x608));
	syspmu_request_capture(&pmcg.model);
	EXPECT_EQ(0x123456789, read64(&pmcg, 0x608));
	EXPECT_EQ(read_counter(&pmcg, 2), read64(&pmcg, 0x610));
	EXPECT_EQ(0, edges);
	EXPECT_EQ(0, read64(&pmcg, 0xc80));

	config.capture = false;
	make(_metadata, &pmcg, &config, &edges);
	syspmu_request_capture(&pmcg.model);
	EXPECT_EQ(0, read64(&pmcg, 0x608));
}

/* Counter, OVS and captured values are up to date at the interrupt. */
struct seen {
	uint64_t counter;
	uint64_t overflowed;
	uint64_t shadow;
	unsigned int edges;
};

static void look(void *opaque, bool level)
{
	struct seen *seen = opaque;

	if (!level)
		return;
	seen->counter = syspmu_peek(&pmcg.model, 0, 0x008);
	seen->overflowed = syspmu_peek(&pmcg.model, 0, 0xc80);
	seen->shadow = syspmu_peek(&pmcg.model, 0, 0x608);
	seen->edges++;
}

TEST(capture_by_overflow)
{
	struct seen seen = { 0 };
	const struct syspmu_owner owner = { .irq = look, .opaque = &seen };
	struct pmcg_config config;

	capture_config(&config);
	ASSERT_EQ(NULL, pmcg_init(&pmcg, &config, &owner));
	syspmu_reset(&pmcg.model, TEST_SEED);
	quiet(&pmcg);
	write64(&pmcg, 0xc40, 7);
	write32(&pmcg, 0xe50, 1);
	program(&pmcg, 0, 2 | SPAN, UINT32_MAX);
	program(&pmcg, 1, TRANSACTION | SPAN | OVFCAP, UINT32_MAX);
	program(&pmcg, 2, 2 | SPAN, UINT32_MAX);
	write_counter(&pmcg, 0, 100);
	write_counter(&pmcg, 1, UINT64_MAX - 1);
	write_counter(&pmcg, 2, UINT64_MAX);
	write64(&pmcg, 0xcc0, 2);
	write32(&pmcg, 0xd88, 1);

	/* No overflow, no capture. */
	syspmu_inject(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT64_MAX - 1, read64(&pmcg, 0x608));
	EXPECT_EQ(0, seen.edges);

	/* An overflow of a counter without OVFCAP does not capture. */
	syspmu_inject(&pmcg.model, &(struct syspmu_event){ .number = 2 }, 5);
	EXPECT_EQ(1, seen.edges);
	EXPECT_EQ(100, read64(&pmcg, 0x600));

	/* The value after the overflow is captured, of all counters. */
	syspmu_inject(&pmcg.model, &transaction, 8);
	EXPECT_EQ(2, seen.edges);
	EXPECT_EQ(7, seen.counter);
	EXPECT_EQ(6, seen.overflowed);
	EXPECT_EQ(7, seen.shadow);
	EXPECT_EQ(105, read64(&pmcg, 0x600));
	EXPECT_EQ(7, read64(&pmcg, 0x608));
	EXPECT_EQ(4, read64(&pmcg, 0x610));
}

/* Capture depends on neither INTEN nor IRQEN. */
TEST(capture_without_interrupt)
{
	struct pmcg_config config;

	capture_config(&config);
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	program(&pmcg, 2, TRANSACTION | SPAN | OVFCAP, UINT32_MAX);
	write_counter(&pmcg, 2, UINT64_MAX);
	syspmu_inject(&pmcg.model, &transaction, 3);
	EXPECT_EQ(2, read64(&pmcg, 0x610));
	EXPECT_EQ(0, edges);
}

TEST(no_capture)
{
	struct pmcg_config config;
	unsigned int i;

	capture_config(&config);
	config.capture = false;
	make(_metadata, &pmcg, &config, NULL);
	for (i = 0; i < 3; i++)
		write_counter(&pmcg, i, UINT64_MAX);
	write32(&pmcg, 0xd88, 1);
	for (i = 0; i < 0x200; i += 8)
		EXPECT_EQ(0, read64(&pmcg, 0x600 + i));
}

/* 64-bit accesses in two halves: what happens between them tears the value. */
TEST(tear)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.common.split_accesses = true;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write64(&pmcg, 0xc40, 1);
	write32(&pmcg, 0xe50, 1);
	program_all(&pmcg, 0, TRANSACTION);
	write_counter(&pmcg, 0, UINT32_MAX);
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT32_MAX, read32(&pmcg, 0));
	read64(&pmcg, 0xc80);
	read64(&pmcg, 0x400);
	EXPECT_EQ(UINT64_C(0x1ffffffff), read64(&pmcg, 0));
	EXPECT_EQ(UINT64_C(0x100000000), read64(&pmcg, 0));

	/* An overflow in the middle has all its effects. */
	write_counter(&pmcg, 0, UINT64_MAX);
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT32_MAX, read64(&pmcg, 0));
	EXPECT_EQ(1, edges);
	EXPECT_EQ(1, read64(&pmcg, 0xc80));
	EXPECT_EQ(0, read64(&pmcg, 0));

	/* Zero events, or a reset, forget the request. */
	syspmu_tear(&pmcg.model, &transaction, 9);
	syspmu_tear(&pmcg.model, &transaction, 0);
	EXPECT_EQ(0, read64(&pmcg, 0));
	EXPECT_EQ(0, read64(&pmcg, 0));
	syspmu_tear(&pmcg.model, &transaction, 9);
	syspmu_reset(&pmcg.model, TEST_SEED);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	read64(&pmcg, 0);
	EXPECT_EQ(0, read64(&pmcg, 0));
}

/* Between the halves of a write the counter is half the old one, half the new one. */
TEST(tear_write)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.common.split_accesses = true;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	write64(&pmcg, 0xc40, 1);
	write32(&pmcg, 0xe50, 1);
	program_all(&pmcg, 0, TRANSACTION);
	syspmu_tear_write(&pmcg.model, 0, 0x000, &transaction, 2);
	EXPECT_EQ(2, syspmu_write_tears(&pmcg.model));
	write64(&pmcg, 0x008, 0);
	write32(&pmcg, 0x000, 0xfffffff0);
	EXPECT_EQ(2, syspmu_write_tears(&pmcg.model));
	write64(&pmcg, 0x000, 0x00000005ffffffff);
	EXPECT_EQ(0, syspmu_write_tears(&pmcg.model));
	/* The carry out of the low half is overwritten with the high half. */
	EXPECT_EQ(0x0000000500000001, read_counter(&pmcg, 0));

	write64(&pmcg, 0x000, UINT64_MAX);
	syspmu_tear_write(&pmcg.model, 0, 0x000, &transaction, 1);
	write64(&pmcg, 0x000, 0x80000000ffffffff);
	EXPECT_EQ(0x8000000000000000, read_counter(&pmcg, 0));
	EXPECT_EQ(1, edges);

	/* It can be another register: here counter 0 still counts, counter 32 does not yet. */
	config.counters = 33;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	program_all(&pmcg, 32, TRANSACTION);
	syspmu_tear_write(&pmcg.model, 0, 0xc20, &transaction, 7);
	write64(&pmcg, 0xc20, UINT64_MAX);
	EXPECT_EQ(0, read_counter(&pmcg, 0));
	EXPECT_EQ(7, read_counter(&pmcg, 32));

	/* Zero events, or a reset, forget the request. */
	syspmu_tear_write(&pmcg.model, 0, 0x000, &transaction, 7);
	syspmu_tear_write(&pmcg.model, 0, 0x000, &transaction, 0);
	EXPECT_EQ(0, syspmu_write_tears(&pmcg.model));
	syspmu_tear_write(&pmcg.model, 0, 0x000, &transaction, 7);
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_EQ(0, syspmu_write_tears(&pmcg.model));
}

TEST(tear_write_high_first)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.common.split_accesses = true;
	config.common.write_high_first = true;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	write64(&pmcg, 0x000, UINT32_MAX);
	syspmu_tear_write(&pmcg.model, 0, 0x004, &transaction, 1);
	write64(&pmcg, 0x000, 0x00000005fffffff0);
	/* The carry of the old low half is in the new high half. */
	EXPECT_EQ(0x00000006fffffff0, read_counter(&pmcg, 0));

	/* An atomic access has no middle. */
	config.common.split_accesses = false;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	syspmu_tear_write(&pmcg.model, 0, 0x000, &transaction, 1);
	write64(&pmcg, 0x000, 0x00000005fffffff0);
	EXPECT_EQ(0x00000005fffffff0, read_counter(&pmcg, 0));
	EXPECT_EQ(1, syspmu_write_tears(&pmcg.model));
}

/* With the high half first, the torn value is too small, not too large. */
TEST(tear_high_first)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.common.split_accesses = true;
	config.common.high_first = true;
	make(_metadata, &pmcg, &config, &edges);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	write_counter(&pmcg, 0, UINT64_C(0x2ffffffff));
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT32_MAX, read32(&pmcg, 0));
	EXPECT_EQ(2, read32(&pmcg, 4));
	EXPECT_EQ(UINT64_C(0x200000000), read64(&pmcg, 0));
	EXPECT_EQ(UINT64_C(0x300000000), read64(&pmcg, 0));

	/* An access to two registers reads both in their places. */
	write32(&pmcg, 0x400, 0x1234);
	write32(&pmcg, 0x404, 0x5678);
	EXPECT_EQ(UINT64_C(0x567800001234), read64(&pmcg, 0x400));
}

/* A shadow tears where an overflow captures amid its read. */
TEST(tear_shadow)
{
	struct pmcg_config config;

	capture_config(&config);
	config.common.split_accesses = true;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	program_all(&pmcg, 1, TRANSACTION | OVFCAP);
	write_counter(&pmcg, 0, UINT32_MAX);
	write_counter(&pmcg, 1, UINT64_MAX);
	write32(&pmcg, 0xd88, 1);
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT64_C(0x1ffffffff), read64(&pmcg, 0x600));
	EXPECT_EQ(UINT64_C(0x100000000), read64(&pmcg, 0x600));
}

TEST(atomic_accesses_do_not_tear)
{
	struct pmcg_config config;

	one_counter(_metadata, 63);
	write_counter(&pmcg, 0, UINT32_MAX);
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT32_MAX, read64(&pmcg, 0));
	EXPECT_EQ(UINT32_MAX, read64(&pmcg, 0));

	pmcg_default_config(&config);
	config.common.high_first = true;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	write_counter(&pmcg, 0, UINT32_MAX);
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(UINT32_MAX, read64(&pmcg, 0));
}

/* A relocated counter is torn in page 1; page 0 has no counter. */
TEST(tear_relocated)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.common.split_accesses = true;
	config.relocate = true;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	write_counter(&pmcg, 0, UINT32_MAX);
	syspmu_tear(&pmcg.model, &transaction, 1);
	EXPECT_EQ(0, syspmu_read(&pmcg.model, 0, 0, 8));
	EXPECT_EQ(UINT64_C(0x1ffffffff), syspmu_read(&pmcg.model, 1, 0, 8));
}

/* Events before each read of a counter or a shadow, of any other register none. */
FIXTURE(step) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(step) {
	unsigned int size;
	bool relocate;
};

FIXTURE_VARIANT_ADD(step, bits_64) {
	.size = 63,
};

FIXTURE_VARIANT_ADD(step, bits_32) {
	.size = 31,
};

FIXTURE_VARIANT_ADD(step, relocated) {
	.size = 63, .relocate = true,
};

FIXTURE_SETUP(step)
{
	capture_config(&self->config);
	self->config.size = variant->size;
	self->config.relocate = variant->relocate;
	make(_metadata, &pmcg, &self->config, &edges);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	program_all(&pmcg, 1, TRANSACTION);
	program_all(&pmcg, 2, 2);
}

FIXTURE_TEARDOWN(step)
{
}

TEST_F(step, reads)
{
	unsigned int page = variant->relocate, bytes = variant->size == 31 ? 4 : 8;
	uint32_t offset;

	syspmu_step(&pmcg.model, &transaction, 5);
	EXPECT_EQ(5, syspmu_steps(&pmcg.model));
	EXPECT_EQ(5, read_counter(&pmcg, 0));
	EXPECT_EQ(10, read_counter(&pmcg, 1));
	EXPECT_EQ(0, read_counter(&pmcg, 2));
	EXPECT_EQ(20, syspmu_read(&pmcg.model, page, 0, 4));

	/* A step at a read of a shadow changes the counters, not the shadow. */
	syspmu_write(&pmcg.model, page, 0xd88, 4, 1);
	EXPECT_EQ(20, syspmu_read(&pmcg.model, page, 0x600, bytes));
	EXPECT_EQ(20, syspmu_read(&pmcg.model, page, 0x600 + bytes, bytes));
	EXPECT_EQ(30, syspmu_peek(&pmcg.model, page, 0) & UINT32_MAX);
	EXPECT_EQ(35, read_counter(&pmcg, 0));

	for (offset = 0x400; offset < 0x1000; offset += 8) {
		if (offset < 0x600 || offset >= 0x800)
			syspmu_read(&pmcg.model, page, offset, 8);
	}
	if (variant->relocate)
		syspmu_read(&pmcg.model, 0, 0, 8);
	write_counter(&pmcg, 2, 0);
	EXPECT_EQ(35, syspmu_peek(&pmcg.model, page, 0) & UINT32_MAX);

	syspmu_step(&pmcg.model, &transaction, 0);
	EXPECT_EQ(0, syspmu_steps(&pmcg.model));
	EXPECT_EQ(35, read_counter(&pmcg, 0));
}

/* One access is one step, however many registers or halves it covers. */
TEST_F(step, accesses)
{
	unsigned int page = variant->relocate;

	syspmu_step(&pmcg.model, &transaction, 5);
	EXPECT_EQ(variant->size == 31 ? UINT64_C(0x500000005) : 5,
		  syspmu_read(&pmcg.model, page, 0, 8));
	/* An access of one byte reads nothing. */
	syspmu_read(&pmcg.model, page, 0, 1);
	syspmu_read(&pmcg.model, page, 4, 8);
	EXPECT_EQ(10, syspmu_read(&pmcg.model, page, 0, 4));
}

/* A step has all effects of its events, and reset ends it. */
TEST_F(step, overflow)
{
	write64(&pmcg, 0xc40, 1);
	write32(&pmcg, 0xe50, 1);
	write_counter(&pmcg, 0, UINT64_MAX >> (63 - variant->size));
	syspmu_step(&pmcg.model, &transaction, 3);
	EXPECT_EQ(2, read_counter(&pmcg, 0));
	EXPECT_EQ(1, edges);
	EXPECT_EQ(1, syspmu_read(&pmcg.model, variant->relocate, 0xc80, 8));
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_EQ(0, syspmu_steps(&pmcg.model));
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	EXPECT_EQ(0, read_counter(&pmcg, 0));
}

/* Filters apply to the event. */
TEST_F(step, filtered)
{
	struct syspmu_event event = { .number = TRANSACTION, .stream_id = 8 };

	program(&pmcg, 0, TRANSACTION, 8);
	program(&pmcg, 1, TRANSACTION, 9);
	syspmu_step(&pmcg.model, &event, 3);
	EXPECT_EQ(3, read_counter(&pmcg, 0));
	EXPECT_EQ(0, read_counter(&pmcg, 1));
	EXPECT_EQ(9, read_counter(&pmcg, 0));
}

/* Events just before a write happen before it has any effect. */
TEST_F(step, precede)
{
	unsigned int page = variant->relocate;
	uint64_t top = UINT64_MAX >> (63 - variant->size);

	write_counter(&pmcg, 1, top);
	syspmu_precede(&pmcg.model, page, 0xc80, &transaction, 1);
	EXPECT_EQ(1, syspmu_preceding(&pmcg.model));

	/* Reads, writes of other registers and invalid accesses do not trigger them. */
	syspmu_read(&pmcg.model, page, 0xc80, 8);
	syspmu_write(&pmcg.model, page, 0xcc0, 8, 1);
	syspmu_write(&pmcg.model, !page, 0xc80, 8, 1);
	syspmu_write(&pmcg.model, page, 0xc82, 4, 1);
	syspmu_write(&pmcg.model, page, 0xc80, 1, 1);
	EXPECT_EQ(1, syspmu_preceding(&pmcg.model));
	EXPECT_EQ(0, read_counter(&pmcg, 0));

	/* The write clears the old status, not that of the event. */
	syspmu_write(&pmcg.model, page, 0xc80, 8, 1);
	EXPECT_EQ(0, syspmu_preceding(&pmcg.model));
	EXPECT_EQ(2, syspmu_read(&pmcg.model, page, 0xc80, 8));
	EXPECT_EQ(1, read_counter(&pmcg, 0));
	EXPECT_EQ(0, read_counter(&pmcg, 1));
	syspmu_write(&pmcg.model, page, 0xc80, 8, 2);
	EXPECT_EQ(1, read_counter(&pmcg, 0));
	EXPECT_EQ(0, syspmu_read(&pmcg.model, page, 0xc80, 8));

	/* A write of the high half is a write of the register. */
	syspmu_precede(&pmcg.model, page, 0xc80, &transaction, 2);
	syspmu_write(&pmcg.model, page, 0xc84, 4, 0);
	EXPECT_EQ(3, read_counter(&pmcg, 0));

	/* Just before it is disabled, a counter still counts. */
	syspmu_precede(&pmcg.model, 0, 0xc20, &transaction, 5);
	syspmu_write(&pmcg.model, 0, 0xc20, 8, 1);
	EXPECT_EQ(8, read_counter(&pmcg, 0));
	EXPECT_EQ(7, read_counter(&pmcg, 1));
	syspmu_precede(&pmcg.model, 0, 0xc00, &transaction, 5);
	syspmu_write(&pmcg.model, 0, 0xc00, 8, 1);
	EXPECT_EQ(8, read_counter(&pmcg, 0));
	EXPECT_EQ(12, read_counter(&pmcg, 1));

	/* Zero events, or a reset, forget the request. */
	syspmu_precede(&pmcg.model, 0, 0xc20, &transaction, 5);
	syspmu_precede(&pmcg.model, 0, 0xc20, &transaction, 0);
	syspmu_write(&pmcg.model, 0, 0xc20, 8, 0);
	EXPECT_EQ(8, read_counter(&pmcg, 0));
	syspmu_precede(&pmcg.model, 0, 0xc20, &transaction, 5);
	syspmu_reset(&pmcg.model, TEST_SEED);
	EXPECT_EQ(0, syspmu_preceding(&pmcg.model));
}

TEST_HARNESS_MAIN
