// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of the monitors of a CoreSight PMU: how many, how wide, where, and what reset
 * leaves in them: IHI 0091 §2.1, §2.4, §2.6.4 and chapter 3.
 */
#include "coresight_test.h"

static struct coresight pmu;

/* The expected value of PMCFGR, and the numbers of the monitors. */
FIXTURE(shape) {
	struct coresight_config config;
};

FIXTURE_VARIANT(shape) {
	unsigned int monitors;
	unsigned int groups;
	uint8_t group_size[16];
	unsigned int bits;
	bool wide_once;
	bool cycle_counter;
	uint32_t cfgr;
	uint32_t cgcr[4];
	uint16_t first[8];
	uint16_t last[8];
};

FIXTURE_VARIANT_ADD(shape, three_of_10_bits) {
	.monitors = 3, .bits = 10, .cfgr = 0x00000902, .last = { 2 },
};

/* Rule HKCFV: 256 monitors of up to 32 bits, 128 of others. */
FIXTURE_VARIANT_ADD(shape, all_of_32_bits) {
	.monitors = 256, .bits = 32, .cfgr = 0x00001fff, .last = { 255 },
};

FIXTURE_VARIANT_ADD(shape, all_of_64_bits) {
	.monitors = 128, .bits = 64, .cfgr = 0x00003f7f, .last = { 127 },
};

/* Rule BNQPR, PMCFGR.SIZE: one monitor of more than 32 bits decides for all. */
FIXTURE_VARIANT_ADD(shape, one_of_64_bits_among_20) {
	.monitors = 8, .bits = 20, .wide_once = true, .cfgr = 0x00003f07, .last = { 7 },
};

/* PMCFGR.N: the cycle counter is one of the monitors, and may be the only one. */
FIXTURE_VARIANT_ADD(shape, cycle_counter_alone) {
	.monitors = 0, .bits = 64, .cycle_counter = true, .cfgr = 0x00007f00,
	.first = { 31 }, .last = { 31 },
};

/* Rule TFNPJ. */
FIXTURE_VARIANT_ADD(shape, eight_groups_of_32_bits) {
	.groups = 8, .group_size = { 1, 32, 0, 2, 0, 3, 0, 32 }, .bits = 32, .cfgr = 0x70001f45,
	.cgcr = { 0x02002001, 0x20000300 },
	.first = { 0, 32, 96, 160, 224 }, .last = { 0, 63, 97, 162, 255 },
};

FIXTURE_VARIANT_ADD(shape, nine_groups_of_32_bits) {
	.groups = 9, .group_size = { 16, 1, 0, 0, 0, 0, 0, 0, 2 }, .bits = 32, .cfgr = 0x80001f12,
	.cgcr = { 0x0110, 0, 0x02 }, .first = { 0, 128 }, .last = { 16, 129 },
};

FIXTURE_VARIANT_ADD(shape, cycle_counter_beside_groups) {
	.groups = 2, .group_size = { 4, 6 }, .bits = 64, .cycle_counter = true,
	.cfgr = 0x10007f0a, .cgcr = { 0x0604 }, .first = { 0, 31 }, .last = { 3, 37 },
};

/* The variant, for the functions below. */
static struct {
	const uint16_t *first;
	const uint16_t *last;
	unsigned int bits;
	bool wide_once;
	bool cycle_counter;
} shape;

FIXTURE_SETUP(shape)
{
	coresight_default_config(&self->config);
	self->config.monitors = variant->monitors;
	self->config.groups = variant->groups;
	memcpy(self->config.group_size, variant->group_size, sizeof(variant->group_size));
	self->config.bits = variant->bits;
	if (variant->wide_once)
		self->config.width[3] = 64;
	self->config.cycle_counter = variant->cycle_counter;
	self->config.cycle_counter_bits = variant->bits;
	shape.first = variant->first;
	shape.last = variant->last;
	shape.bits = variant->bits;
	shape.wide_once = variant->wide_once;
	shape.cycle_counter = variant->cycle_counter;
	make(_metadata, &pmu, &self->config, NULL);
	quiet(&pmu);
}

FIXTURE_TEARDOWN(shape)
{
}

static bool has_monitor(unsigned int number)
{
	unsigned int i;

	for (i = 0; i < 8 && (!i || shape.last[i]); i++) {
		if (number >= shape.first[i] && number <= shape.last[i])
			return true;
	}
	return false;
}

static bool is_cycle_counter(unsigned int number)
{
	return shape.cycle_counter && number == 31;
}

static uint64_t greatest(unsigned int number)
{
	unsigned int bits = shape.wide_once && number == 3 ? 64 : shape.bits;

	return has_monitor(number) ? UINT64_MAX >> (64 - bits) : 0;
}

static unsigned int places(void)
{
	return shape.bits > 32 || shape.wide_once ? 128 : 256;
}

/* Rules JRSCZ and HKCFV, rules KZNGG and ZSFHF, §3.9. */
TEST_F(shape, configuration)
{
	unsigned int i;

	EXPECT_TRUE(constant(&pmu, 0xe00, variant->cfgr))
		TH_LOG("PMCFGR is %#x", read32(&pmu, 0xe00));
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(constant(&pmu, 0xce0 + 4 * i, variant->cgcr[i]));
}

/* Rule DRPFZ: types and filters, as far as there is room for them. */
TEST_F(shape, types_and_filters)
{
	unsigned int i;

	for (i = 0; i < 256; i++) {
		bool has = has_monitor(i);

		EXPECT_EQ(has ? UINT32_MAX : 0, writable(&pmu, 0x400 + 4 * i))
			TH_LOG("type of monitor %u", i);
		if (i < 128)
			EXPECT_EQ(has && !is_cycle_counter(i) ? UINT32_MAX : 0,
				  writable(&pmu, 0xa00 + 4 * i))
				TH_LOG("filter of monitor %u", i);
		if (i < 128)
			EXPECT_TRUE(constant(&pmu, 0x800 + 4 * i, 0));
	}
}

/* Rule GZMZD: bits, and that what a pair sets and clears is one state. */
TEST_F(shape, set_and_clear)
{
	static const uint32_t pair[][2] = {
		{ 0xc00, 0xc20 }, { 0xc40, 0xc60 }, { 0xcc0, 0xc80 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_COUNT(pair); i++) {
		uint32_t set = pair[i][0], clear = pair[i][1];

		for (j = 0; j < 256; j++) {
			bool has = has_monitor(j);

			set_flag(&pmu, set, j);
			EXPECT_EQ(has, flag(&pmu, set, j));
			EXPECT_EQ(has, flag(&pmu, clear, j));
			write32(&pmu, set + j / 32 * 4, 0);
			write32(&pmu, clear + j / 32 * 4, 0);
			write32(&pmu, clear + j / 32 * 4, ~(UINT32_C(1) << j % 32));
			EXPECT_EQ(has, flag(&pmu, set, j));
			set_flag(&pmu, clear, j);
			EXPECT_FALSE(flag(&pmu, set, j));
			EXPECT_FALSE(flag(&pmu, clear, j));
		}
	}
}

/* Each monitor counts for itself. */
TEST_F(shape, counting)
{
	unsigned int i;

	for (i = 0; i < places(); i++) {
		if (!is_cycle_counter(i))
			program(&pmu, i, 0x1000 + i, 0);
	}
	write32(&pmu, 0xe04, E);
	for (i = 0; i < places(); i++)
		happen(&pmu, 0x1000 + i, i + 1);
	for (i = 0; i < places(); i++)
		EXPECT_EQ(is_cycle_counter(i) ? 0 : (i + 1) & greatest(i),
			  value(&pmu, i));
}

/* Equal seeds give equal garbage, others do not; PMCR.E resets to zero (§3.16). */
TEST_F(shape, reset)
{
	static const uint32_t offset[] = { 0x400, 0xa00, 0xc00, 0xc40, 0xc80, 0xe04 };
	unsigned int first = variant->first[0], i;
	uint64_t other, same;
	bool differs = false;

	syspmu_reset(&pmu.model, 1);
	same = value(&pmu, first);
	syspmu_reset(&pmu.model, 2);
	other = value(&pmu, first);
	syspmu_reset(&pmu.model, 1);
	EXPECT_EQ(same, value(&pmu, first));
	EXPECT_LE(same, greatest(first));
	EXPECT_LE(other, greatest(first));
	for (i = 0; i < ARRAY_COUNT(offset); i++)
		differs |= read32(&pmu, offset[i]);
	EXPECT_TRUE(differs || variant->cycle_counter);
	EXPECT_EQ(0, read32(&pmu, 0xe04) & (E | P | C));
	EXPECT_FALSE(syspmu_is_armed(&pmu.model));
}

FIXTURE(registers) {
	struct coresight_config config;
};

FIXTURE_SETUP(registers)
{
	coresight_default_config(&self->config);
}

FIXTURE_TEARDOWN(registers)
{
}

#define MAKE()							\
	do {							\
		make(_metadata, &pmu, &self->config, NULL);	\
		quiet(&pmu);					\
	} while (0)

/* §3.16: what PMCR's other bits are after reset is UNKNOWN. */
TEST_F(registers, control_after_reset)
{
	uint32_t seen_set = 0, seen_clear = 0, filter = 0;
	uint64_t seed;

	self->config.freeze = true;
	self->config.trace = true;
	self->config.export_events = true;
	self->config.cycle_counter = true;
	MAKE();
	for (seed = 0; seed < 20; seed++) {
		syspmu_reset(&pmu.model, seed);
		seen_set |= read32(&pmu, 0xe04);
		seen_clear |= ~read32(&pmu, 0xe04);
		filter |= read32(&pmu, 0x47c);
	}
	EXPECT_EQ(0xa30, seen_set);
	EXPECT_EQ(0xa30, seen_clear & 0xa30);
	EXPECT_EQ(UINT32_MAX, filter);
	/* The same if firmware leaves it running. */
	self->config.common.running = true;
	MAKE();
	for (seen_set = 0, seed = 0; seed < 20; seed++) {
		syspmu_reset(&pmu.model, seed);
		seen_set |= read32(&pmu, 0xe04);
	}
	EXPECT_EQ(0xa31, seen_set);
}

TEST_F(registers, read_only_values)
{
	uint32_t value;

	self->config.read_only_values = true;
	MAKE();
	value = read32(&pmu, 0x000);
	write32(&pmu, 0x000, ~value);
	EXPECT_EQ(value, read32(&pmu, 0x000));
}

/* In the STOP state, too, while the PMU does not really stop. */
TEST_F(registers, no_write_access_at_all)
{
	self->config.no_write_access = true;
	MAKE();
	coresight_stick(&pmu, true);
	EXPECT_EQ(UINT32_C(1) << 8, read32(&pmu, 0xe04));
	set_value(&pmu, 0, 8);
	EXPECT_EQ(0, value(&pmu, 0));
	coresight_stick(&pmu, false);
	EXPECT_EQ(0, read32(&pmu, 0xe04));
	set_value(&pmu, 0, 8);
	EXPECT_EQ(8, value(&pmu, 0));
}

/* Monitors overflow, but not all that has to do with it is implemented. */
TEST_F(registers, no_interrupts)
{
	self->config.no_interrupts = true;
	make(_metadata, &pmu, &self->config, NULL);
	EXPECT_FALSE(flag(&pmu, 0xc40, 1));
	set_flag(&pmu, 0xc40, 1);
	set_flag(&pmu, 0xcc0, 1);
	EXPECT_FALSE(flag(&pmu, 0xc40, 1));
	EXPECT_TRUE(flag(&pmu, 0xc80, 1));
}

/* Rule HJZYK and §3.5 do not agree where PMCCNTR of up to 32 bits is. */
TEST_F(registers, place_of_the_cycle_counter)
{
	self->config.bits = 32;
	self->config.cycle_counter = true;
	self->config.cycle_counter_bits = 24;
	MAKE();
	write32(&pmu, 0x07c, UINT32_MAX);
	EXPECT_EQ(0xffffff, read32(&pmu, 0x07c));
	EXPECT_EQ(0, read32(&pmu, 0x03c));

	self->config.cycle_counter_at_03c = true;
	MAKE();
	write32(&pmu, 0x07c, 5);
	EXPECT_EQ(5, read32(&pmu, 0x03c));
	write32(&pmu, 0x03c, 6);
	EXPECT_EQ(6, read32(&pmu, 0x07c));

	self->config.no_cycle_counter_at_07c = true;
	MAKE();
	write32(&pmu, 0x03c, 6);
	write32(&pmu, 0x07c, 5);
	EXPECT_EQ(6, read32(&pmu, 0x03c));
	EXPECT_EQ(0, read32(&pmu, 0x07c));
}

/* Not in IHI 0091 A.a: as Linux 7.3 knows it. */
TEST_F(registers, extension_of_64_bits)
{
	self->config.monitors = 64;
	self->config.ext64 = true;
	self->config.filter2_bits = UINT32_MAX;
	self->config.snapshot = true;
	coresight_set_layout(&self->config, CORESIGHT_LAYOUT_ASCENDING);
	make(_metadata, &pmu, &self->config, NULL);
	write64(&pmu, 0x5f8, UINT64_MAX);
	EXPECT_EQ(UINT64_MAX, read64(&pmu, 0x5f8));
	write64(&pmu, 0x9f8, UINT64_MAX);
	EXPECT_EQ(UINT64_MAX, read64(&pmu, 0x9f8));
	write64(&pmu, 0xbf8, UINT64_MAX);
	EXPECT_EQ(UINT64_MAX, read64(&pmu, 0xbf8));
	EXPECT_EQ(1, read32(&pmu, 0x6f8));

	/* PMCNTEN is the state itself. */
	write64(&pmu, 0xc20, UINT64_MAX);
	write64(&pmu, 0xc10, 0x8000000000000005);
	EXPECT_EQ(0x8000000000000005, read64(&pmu, 0xc00));
	write64(&pmu, 0xc10, 0x6);
	EXPECT_EQ(0x6, read64(&pmu, 0xc20));
	EXPECT_EQ(0x6, read64(&pmu, 0xc10));

	write32(&pmu, 0xe04, E);
	EXPECT_EQ(0, read32(&pmu, 0xe04));
	EXPECT_EQ(0, read64(&pmu, 0xe10) & E);
	write64(&pmu, 0x408, EVENT);
	write64(&pmu, 0xa08, 0);
	write64(&pmu, 0x808, 0);
	write64(&pmu, 0x410, EVENT | UINT64_C(1) << 32);
	write64(&pmu, 0xa10, 0);
	write64(&pmu, 0x810, 0);
	write64(&pmu, 0xe10, E | P);
	EXPECT_EQ(E, read64(&pmu, 0xe10));
	write32(&pmu, 0xe14, 0);
	EXPECT_EQ(E, read64(&pmu, 0xe10));
	happen(&pmu, EVENT, 3);
	EXPECT_EQ(3, value(&pmu, 1));
	EXPECT_EQ(0, value(&pmu, 2));
	write64(&pmu, 0x410, EVENT);
	happen(&pmu, EVENT, 3);
	EXPECT_EQ(3, value(&pmu, 2));
	write32(&pmu, 0xa14, 1);
	happen(&pmu, EVENT, 3);
	EXPECT_EQ(3, value(&pmu, 2));
	write64(&pmu, 0xe10, 0);
	happen(&pmu, EVENT, 3);
	EXPECT_EQ(9, value(&pmu, 1));
}

/* Without it, PMCNTENSET goes on where PMCNTEN would be. */
TEST_F(registers, no_extension_of_64_bits)
{
	self->config.monitors = 256;
	self->config.bits = 32;
	MAKE();
	write32(&pmu, 0xc10, UINT32_MAX);
	EXPECT_EQ(UINT32_MAX, read32(&pmu, 0xc30));
	write32(&pmu, 0xc10, 0);
	EXPECT_EQ(UINT32_MAX, read32(&pmu, 0xc30));
	EXPECT_TRUE(constant(&pmu, 0xe10, 0));
}

/* A block that access is denied to, and one whose PMCFGR is wrong. */
TEST_F(registers, blocks_to_refuse)
{
	self->config.closed = true;
	MAKE();
	EXPECT_EQ(0, read32(&pmu, 0xe00));
	EXPECT_EQ(0, read32(&pmu, 0xe08));
	write32(&pmu, 0x000, 5);
	EXPECT_EQ(0, read32(&pmu, 0x000));
	self->config.closed = false;
	self->config.false_cfgr = true;
	self->config.cfgr = 0x10000107;
	MAKE();
	EXPECT_EQ(0x10000107, read32(&pmu, 0xe00));
	self->config.dual_page = true;
	MAKE();
	EXPECT_EQ(0x00003f07, read32(&pmu, 0xe00));
	EXPECT_EQ(0x10000107, read32_page_1(&pmu, 0xe00));
}

TEST_F(registers, left_running)
{
	self->config.gauges.word[0] = 0x2;
	self->config.common.running = true;
	make(_metadata, &pmu, &self->config, NULL);
	EXPECT_EQ(0xff, read32(&pmu, 0xc00));
	EXPECT_EQ(0xfd, read32(&pmu, 0xc40));
	EXPECT_EQ(E, read32(&pmu, 0xe04));
}

TEST_HARNESS_MAIN
