// SPDX-License-Identifier: GPL-2.0
/*
 * A family that differs from the PMCG: counters of different widths with holes between
 * them, more than 64 of them, a level-sensitive interrupt, registers in both pages. Its
 * counter n counts event n.
 */
#include "kselftest_harness.h"

#include "syspmu_family.h"

#define SEED		UINT64_C(0x5eed)
#define CYCLES		31

enum {
	COUNTER = 0x000,
	ENABLE_SET = 0x800,
	ENABLE_CLEAR = 0x840,
	IRQ_ENABLE_SET = 0x880,
	IRQ_ENABLE_CLEAR = 0x8c0,
	OVERFLOW_CLEAR = 0x900,
	OVERFLOW_SET = 0x940,
	CONTROL = 0xe00,
	MESSAGE = 0xe08,
	IDENTITY = 0xf00,
};

static struct {
	struct syspmu_model model;
	uint32_t control;
	uint32_t message;
	unsigned int aborted;
} pmu;

/* Its interrupts. */
static struct {
	bool level;
	unsigned int changes;
	unsigned int messages;
} seen;

static uint32_t control_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	return pmu.control;
}

static void control_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	pmu.control = value;
}

static void message_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	pmu.message = value;
}

static uint32_t identity_0(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	return 0x11;
}

static uint32_t identity_1(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	return 0x22;
}

static const struct syspmu_register registers[] = {
	{ COUNTER, 0x800, SYSPMU_COUNTER_WIDTH, SYSPMU_PAGE_1 | SYSPMU_COUNT,
	  syspmu_counter_read, syspmu_counter_write },
	{ ENABLE_SET, 0x20, 8, SYSPMU_PAGE_0, syspmu_enable_read, syspmu_enable_set },
	{ ENABLE_CLEAR, 0x20, 8, SYSPMU_PAGE_0, syspmu_enable_read, syspmu_enable_clear },
	{ IRQ_ENABLE_SET, 0x20, 8, SYSPMU_PAGE_0, syspmu_irq_enable_read, syspmu_irq_enable_set },
	{ IRQ_ENABLE_CLEAR, 0x20, 8, SYSPMU_PAGE_0, syspmu_irq_enable_read,
	  syspmu_irq_enable_clear },
	{ OVERFLOW_CLEAR, 0x20, 8, SYSPMU_PAGE_1, syspmu_overflow_read, syspmu_overflow_clear },
	{ OVERFLOW_SET, 0x20, 8, SYSPMU_PAGE_1, syspmu_overflow_read, syspmu_overflow_set },
	{ CONTROL, 4, 4, SYSPMU_PAGE_0, control_read, control_write },
	{ MESSAGE, 4, 4, SYSPMU_PAGE_0, NULL, message_write },
	{ IDENTITY, 4, 4, SYSPMU_PAGE_0 | SYSPMU_IDENTITY, identity_0, NULL },
	{ IDENTITY, 4, 4, SYSPMU_PAGE_1 | SYSPMU_IDENTITY, identity_1, NULL },
};

static void reset(struct syspmu_model *model, uint64_t seed)
{
	pmu.control = 0;
	pmu.message = 0;
	syspmu_garbage_bits(model, &model->enabled, &seed);
	syspmu_garbage_bits(model, &model->irq_enabled, &seed);
	syspmu_garbage_bits(model, &model->overflowed, &seed);
}

static void update(struct syspmu_model *model)
{
	syspmu_update_counting(model, pmu.control);
	syspmu_set_irq_level(model, pmu.control &&
			     syspmu_intersects(&model->overflowed, &model->irq_enabled));
}

static void event(struct syspmu_model *model, const struct syspmu_event *happened, uint64_t n)
{
	struct syspmu_overflows overflows;

	syspmu_count(model, happened, n, &overflows);
	update(model);
}

static struct syspmu_counted counted(const struct syspmu_model *model, unsigned int counter)
{
	return (struct syspmu_counted){ .type = counter };
}

static bool includes(const struct syspmu_model *model, const struct syspmu_counted *what,
		     const struct syspmu_event *happened)
{
	return what->type == happened->number;
}

static bool is_armed(const struct syspmu_model *model)
{
	return pmu.control;
}

static bool message(const struct syspmu_model *model, struct syspmu_message *msi)
{
	*msi = (struct syspmu_message){ .address = pmu.message };
	return pmu.message;
}

static void message_aborted(struct syspmu_model *model)
{
	pmu.aborted++;
}

static const struct syspmu_ops ops = {
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(*registers),
	.cycles = CYCLES,
	.reset = reset,
	.update = update,
	.event = event,
	.counted = counted,
	.includes = includes,
	.is_armed = is_armed,
	.message = message,
	.message_aborted = message_aborted,
};

static void set_irq(void *opaque, bool level)
{
	seen.level = level;
	seen.changes++;
}

static bool take_message(void *opaque, const struct syspmu_message *msi)
{
	seen.messages++;
	return true;
}

static uint64_t get(unsigned int page, uint32_t offset)
{
	return syspmu_read(&pmu.model, page, offset, 8);
}

static void set(unsigned int page, uint32_t offset, uint64_t value)
{
	syspmu_write(&pmu.model, page, offset, 8, value);
}

static void happen(uint32_t number, uint64_t n)
{
	syspmu_inject(&pmu.model, &(struct syspmu_event){ .number = number }, n);
}

FIXTURE(family) {
	unsigned int page_1;
};

FIXTURE_VARIANT(family) {
	bool two_pages;
};

FIXTURE_VARIANT_ADD(family, one_page) {
};

FIXTURE_VARIANT_ADD(family, two_pages) {
	.two_pages = true,
};

/* Counters 0 to 3 of 40 bits, 31 of 16, 200 of 64; all enabled, with their interrupts. */
FIXTURE_SETUP(family)
{
	const struct syspmu_owner owner = { .irq = set_irq, .msi = take_message };
	const struct syspmu_config config = { 0 };
	unsigned int i;

	self->page_1 = variant->two_pages;
	memset(&pmu, 0, sizeof(pmu));
	ASSERT_EQ(NULL, syspmu_check_config(&config));
	syspmu_init(&pmu.model, &ops, &config, &owner);
	pmu.model.two_pages = variant->two_pages;
	syspmu_add_counter(&pmu.model, 200, 64);
	syspmu_add_counter(&pmu.model, CYCLES, 16);
	for (i = 0; i < 4; i++)
		syspmu_add_counter(&pmu.model, i, 40);
	syspmu_reset(&pmu.model, SEED);
	memset(&seen, 0, sizeof(seen));

	for (i = 0; i < 4; i++) {
		set(self->page_1, OVERFLOW_CLEAR + 8 * i, UINT64_MAX);
		set(0, ENABLE_SET + 8 * i, UINT64_MAX);
		set(0, IRQ_ENABLE_SET + 8 * i, UINT64_MAX);
	}
	syspmu_write(&pmu.model, 0, CONTROL, 4, 1);
}

FIXTURE_TEARDOWN(family)
{
}

TEST_F(family, holes)
{
	EXPECT_EQ(0x8000000f, get(0, ENABLE_SET));
	EXPECT_EQ(0, get(0, ENABLE_SET + 8));
	EXPECT_EQ(0, get(0, ENABLE_CLEAR + 16));
	EXPECT_EQ(0x100, get(0, IRQ_ENABLE_CLEAR + 24));
	set(0, ENABLE_CLEAR, 4);
	EXPECT_EQ(0x8000000b, get(0, ENABLE_SET));
	set(0, IRQ_ENABLE_CLEAR + 24, UINT64_MAX);
	EXPECT_EQ(0, get(0, IRQ_ENABLE_SET + 24));

	/* No counter has the number 4 or 255. */
	set(self->page_1, COUNTER + 8 * 4, 5);
	EXPECT_EQ(0, get(self->page_1, COUNTER + 8 * 4));
	set(self->page_1, COUNTER + 8 * 255, 5);
	EXPECT_EQ(0, get(self->page_1, COUNTER + 8 * 255));
	happen(4, 7);
	EXPECT_EQ(0, get(self->page_1, COUNTER + 8 * 4));
}

TEST_F(family, widths)
{
	set(self->page_1, COUNTER, UINT64_MAX);
	EXPECT_EQ(UINT64_C(0xffffffffff), get(self->page_1, COUNTER));
	set(self->page_1, COUNTER + 8 * CYCLES, UINT64_MAX - 9);
	EXPECT_EQ(0xfff6, get(self->page_1, COUNTER + 8 * CYCLES));
	set(self->page_1, COUNTER + 8 * 200, UINT64_MAX);
	EXPECT_EQ(10, syspmu_cycles_to_overflow(&pmu.model));
	syspmu_set_dead(&pmu.model, true);
	EXPECT_EQ(UINT64_MAX, syspmu_cycles_to_overflow(&pmu.model));
	syspmu_set_dead(&pmu.model, false);

	syspmu_clock(&pmu.model, 11);
	EXPECT_EQ(1, get(self->page_1, COUNTER + 8 * CYCLES));
	EXPECT_EQ(UINT64_C(1) << CYCLES, get(self->page_1, OVERFLOW_SET));
	happen(200, 2);
	EXPECT_EQ(1, get(self->page_1, COUNTER + 8 * 200));
	EXPECT_EQ(0x100, get(self->page_1, OVERFLOW_SET + 24));
	happen(0, 2);
	EXPECT_EQ(1, get(self->page_1, COUNTER));
}

/* The irq is high as long as an enabled overflow status is set. */
TEST_F(family, level)
{
	EXPECT_EQ(0, seen.changes);
	set(self->page_1, OVERFLOW_SET, 1);
	EXPECT_TRUE(seen.level);
	set(self->page_1, OVERFLOW_SET + 24, 0x100);
	EXPECT_EQ(1, syspmu_irq_edges(&pmu.model));
	set(self->page_1, OVERFLOW_CLEAR, 1);
	EXPECT_TRUE(seen.level);
	set(self->page_1, OVERFLOW_CLEAR + 24, 0x100);
	EXPECT_FALSE(seen.level);
	EXPECT_EQ(2, seen.changes);

	set(self->page_1, COUNTER + 8, UINT64_MAX);
	happen(1, 1);
	EXPECT_TRUE(seen.level);
	set(0, IRQ_ENABLE_CLEAR, 2);
	EXPECT_FALSE(seen.level);
	set(0, IRQ_ENABLE_SET, 2);
	EXPECT_TRUE(seen.level);
	EXPECT_TRUE(syspmu_is_armed(&pmu.model));
	syspmu_write(&pmu.model, 0, CONTROL, 4, 0);
	EXPECT_FALSE(seen.level);
	EXPECT_FALSE(syspmu_is_armed(&pmu.model));
	EXPECT_EQ(3, syspmu_irq_edges(&pmu.model));
}

TEST_F(family, level_after_reset)
{
	set(self->page_1, OVERFLOW_SET, 1);
	EXPECT_TRUE(seen.level);
	syspmu_reset(&pmu.model, SEED);
	EXPECT_FALSE(seen.level);
	EXPECT_EQ(0, syspmu_irq_edges(&pmu.model));
}

TEST_F(family, held_level)
{
	syspmu_hold_interrupts(&pmu.model, true);
	set(self->page_1, OVERFLOW_SET, 1);
	EXPECT_EQ(0, seen.changes);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_TRUE(seen.level);
	EXPECT_EQ(1, seen.changes);

	/* A falling level is held back, too. */
	syspmu_hold_interrupts(&pmu.model, true);
	set(self->page_1, OVERFLOW_CLEAR, 1);
	EXPECT_TRUE(seen.level);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_FALSE(seen.level);
	EXPECT_EQ(2, seen.changes);

	/* One that comes and goes is not seen. */
	syspmu_hold_interrupts(&pmu.model, true);
	set(self->page_1, OVERFLOW_SET, 1);
	set(self->page_1, OVERFLOW_CLEAR, 1);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_EQ(2, seen.changes);
}

/* An MSI is sent when the level would rise; the irq stays low. */
TEST_F(family, message)
{
	syspmu_write(&pmu.model, 0, MESSAGE, 4, 0x1000);
	set(self->page_1, OVERFLOW_SET, 1);
	set(self->page_1, OVERFLOW_SET, 2);
	EXPECT_EQ(1, seen.messages);
	set(self->page_1, OVERFLOW_CLEAR, 3);
	set(self->page_1, OVERFLOW_SET, 2);
	EXPECT_EQ(2, seen.messages);
	EXPECT_EQ(2, syspmu_messages(&pmu.model));

	/* It is sent even if the level is low again by then. */
	set(self->page_1, OVERFLOW_CLEAR, 3);
	syspmu_hold_interrupts(&pmu.model, true);
	set(self->page_1, OVERFLOW_SET, 2);
	set(self->page_1, OVERFLOW_CLEAR, 2);
	EXPECT_EQ(2, seen.messages);
	syspmu_hold_interrupts(&pmu.model, false);
	EXPECT_EQ(3, seen.messages);

	syspmu_set_msi_fate(&pmu.model, SYSPMU_MSI_ABORTED);
	set(self->page_1, OVERFLOW_SET, 2);
	EXPECT_EQ(3, seen.messages);
	EXPECT_EQ(1, pmu.aborted);
	EXPECT_EQ(0, seen.changes);
}

TEST_F(family, registers_of_both_pages)
{
	EXPECT_EQ(variant->two_pages, syspmu_has_two_pages(&pmu.model));
	EXPECT_EQ(0x11, get(0, IDENTITY));
	EXPECT_EQ(variant->two_pages ? 0x22 : 0, get(1, IDENTITY));
	EXPECT_EQ(0, get(1, CONTROL));
	set(!self->page_1, COUNTER, 5);
	EXPECT_EQ(0, get(!self->page_1, COUNTER));
}

TEST_F(family, no_capture)
{
	syspmu_request_capture(&pmu.model);
	EXPECT_EQ(0, get(self->page_1, OVERFLOW_SET));
}

/* Registers are 4 bytes apart if no counter has more than 32 bits. */
TEST(all_counters)
{
	const struct syspmu_config config = { 0 };
	unsigned int i;

	memset(&pmu, 0, sizeof(pmu));
	syspmu_init(&pmu.model, &ops, &config, NULL);
	for (i = 0; i < SYSPMU_MAX_COUNTERS; i++)
		syspmu_add_counter(&pmu.model, i, 32);
	syspmu_reset(&pmu.model, SEED);
	for (i = 0; i < 4; i++) {
		set(0, ENABLE_CLEAR + 8 * i, UINT64_MAX);
		set(0, ENABLE_SET + 8 * i, UINT64_C(0x8000000080000001));
		EXPECT_EQ(UINT64_C(0x8000000080000001), get(0, ENABLE_SET + 8 * i));
	}
	syspmu_write(&pmu.model, 0, CONTROL, 4, 1);
	happen(255, 9);
	happen(254, 9);
	happen(192, 5);
	EXPECT_EQ(UINT64_C(0x900000000), get(0, COUNTER + 4 * 254));
	EXPECT_EQ(5, syspmu_read(&pmu.model, 0, COUNTER + 4 * 192, 4));
}

TEST_HARNESS_MAIN
