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

FIXTURE_VARIANT_ADD(shape, one_of_8_bits) {
	.monitors = 1, .bits = 8, .cfgr = 0x00000700,
};

FIXTURE_VARIANT_ADD(shape, three_of_10_bits) {
	.monitors = 3, .bits = 10, .cfgr = 0x00000902, .last = { 2 },
};

FIXTURE_VARIANT_ADD(shape, five_of_12_bits) {
	.monitors = 5, .bits = 12, .cfgr = 0x00000b04, .last = { 4 },
};

FIXTURE_VARIANT_ADD(shape, six_of_16_bits) {
	.monitors = 6, .bits = 16, .cfgr = 0x00000f05, .last = { 5 },
};

FIXTURE_VARIANT_ADD(shape, seven_of_20_bits) {
	.monitors = 7, .bits = 20, .cfgr = 0x00001306, .last = { 6 },
};

FIXTURE_VARIANT_ADD(shape, thirty_two_of_24_bits) {
	.monitors = 32, .bits = 24, .cfgr = 0x0000171f, .last = { 31 },
};

/* Rule HKCFV: 256 monitors of up to 32 bits, 128 of others. */
FIXTURE_VARIANT_ADD(shape, all_of_32_bits) {
	.monitors = 256, .bits = 32, .cfgr = 0x00001fff, .last = { 255 },
};

FIXTURE_VARIANT_ADD(shape, thirty_three_of_36_bits) {
	.monitors = 33, .bits = 36, .cfgr = 0x00002320, .last = { 32 },
};

FIXTURE_VARIANT_ADD(shape, two_of_40_bits) {
	.monitors = 2, .bits = 40, .cfgr = 0x00002701, .last = { 1 },
};

FIXTURE_VARIANT_ADD(shape, two_of_44_bits) {
	.monitors = 2, .bits = 44, .cfgr = 0x00002b01, .last = { 1 },
};

FIXTURE_VARIANT_ADD(shape, two_of_48_bits) {
	.monitors = 2, .bits = 48, .cfgr = 0x00002f01, .last = { 1 },
};

FIXTURE_VARIANT_ADD(shape, two_of_52_bits) {
	.monitors = 2, .bits = 52, .cfgr = 0x00003301, .last = { 1 },
};

FIXTURE_VARIANT_ADD(shape, two_of_56_bits) {
	.monitors = 2, .bits = 56, .cfgr = 0x00003701, .last = { 1 },
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

FIXTURE_VARIANT_ADD(shape, cycle_counter_in_the_middle) {
	.monitors = 40, .bits = 64, .cycle_counter = true, .cfgr = 0x00007f28, .last = { 40 },
};

/* The example of I HGRPD. */
FIXTURE_VARIANT_ADD(shape, two_groups) {
	.groups = 2, .group_size = { 4, 6 }, .bits = 32, .cfgr = 0x10001f09,
	.cgcr = { 0x0604 }, .first = { 0, 32 }, .last = { 3, 37 },
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

FIXTURE_VARIANT_ADD(shape, sixteen_groups_of_32_bits) {
	.groups = 16, .group_size = { [0] = 0, [1] = 3, [15] = 16 }, .bits = 32,
	.cfgr = 0xf0001f12, .cgcr = { 0x0300, 0, 0, 0x10000000 },
	.first = { 16, 240 }, .last = { 18, 255 },
};

FIXTURE_VARIANT_ADD(shape, four_groups_of_64_bits) {
	.groups = 4, .group_size = { 32, 1, 2, 32 }, .bits = 64, .cfgr = 0x30003f42,
	.cgcr = { 0x20020120 }, .first = { 0, 64, 96 }, .last = { 32, 65, 127 },
};

FIXTURE_VARIANT_ADD(shape, five_groups_of_64_bits) {
	.groups = 5, .group_size = { 1, 1, 1, 16, 1 }, .bits = 64, .cfgr = 0x40003f13,
	.cgcr = { 0x10010101, 0x01 }, .first = { 0, 16, 32, 48 }, .last = { 0, 16, 32, 64 },
};

FIXTURE_VARIANT_ADD(shape, sixteen_groups_of_64_bits) {
	.groups = 16, .group_size = { [0] = 8, [1] = 1, [15] = 8 }, .bits = 64, .cfgr = 0xf0003f10,
	.cgcr = { 0x0108, 0, 0, 0x08000000 }, .first = { 0, 120 }, .last = { 8, 127 },
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

/* Rules BNQPR and VPSKV; §3.21, §3.22: halves, and what is beyond the width. */
TEST_F(shape, values)
{
	unsigned int stride = distance(&pmu), i;

	for (i = 0; i < places(); i++) {
		uint64_t max = greatest(i);

		syspmu_write(&pmu.model, 0, stride * i, stride, UINT64_MAX);
		EXPECT_EQ(max, syspmu_read(&pmu.model, 0, stride * i, stride))
			TH_LOG("monitor %u", i);
		write32(&pmu, stride * i, 0x89abcdef);
		EXPECT_EQ(((max & 0xffffffff00000000) | 0x89abcdef) & max,
			  syspmu_read(&pmu.model, 0, stride * i, stride));
		if (stride == 8)
			write32(&pmu, stride * i + 4, 0x01234567);
		EXPECT_EQ((stride == 8 ? 0x0123456789abcdef : 0x89abcdef) & max,
			  syspmu_read(&pmu.model, 0, stride * i, stride));
	}
	EXPECT_EQ(0, read32(&pmu, 0x3fc) & ~greatest(places() - 1));
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

/* Reserved offsets and the bits above the width of a register are RES0. */
TEST_F(registers, reserved_locations)
{
	static const uint32_t reserved[] = {
		0x040, 0x3fc, 0x420, 0x5fc, 0x600, 0x6fc, 0x7fc, 0x800, 0x9fc, 0xa20, 0xbfc,
		0xca0, 0xcbc, 0xce0, 0xcec, 0xcf0, 0xd7c, 0xd80, 0xdfc, 0xe0c, 0xe10, 0xe1c,
		0xe30, 0xe34, 0xe38, 0xe3c, 0xe40, 0xe80, 0xe84, 0xe88, 0xe8c, 0xe90, 0xef8,
		0xefc, 0xf00, 0xfa4, 0xfa8, 0xfac, 0xfb0, 0xfb4, 0xfc0, 0xfc4, 0xfc8, 0xfd4,
		0xfd8, 0xfdc,
	};
	unsigned int i;

	MAKE();
	for (i = 0; i < ARRAY_COUNT(reserved); i++)
		EXPECT_TRUE(constant(&pmu, reserved[i], 0))
			TH_LOG("offset %#x", reserved[i]);
}

/* §3.16: without extensions, PMCR only has E. */
TEST_F(registers, control)
{
	MAKE();
	EXPECT_EQ(E, writable(&pmu, 0xe04));
	write32(&pmu, 0xe04, E);
	EXPECT_TRUE(syspmu_is_armed(&pmu.model));
}

TEST_F(registers, control_with_all_extensions)
{
	self->config.monitors = 4;
	self->config.bits = 32;
	self->config.cycle_counter = true;
	self->config.cycle_counter_bits = 32;
	self->config.prescaler = true;
	self->config.freeze = true;
	self->config.halt = CORESIGHT_HALT_CONTROL;
	self->config.trace = true;
	self->config.export_events = true;
	self->config.snapshot = true;
	coresight_set_layout(&self->config, CORESIGHT_LAYOUT_ASCENDING);
	self->config.msi = true;
	MAKE();
	/* Rules GYWBJ, XPPSF, KFHHP, CMLXS, PDXMS, SRKVT, JSMMJ, FDLKQ. */
	EXPECT_TRUE(constant(&pmu, 0xe00, 0x01f1df04));
	EXPECT_EQ(0xe39, writable(&pmu, 0xe04));
}

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

/* §3.16, P and C: monitors and the cycle counter go to zero, flags stay. */
TEST_F(registers, reset_of_monitors)
{
	self->config.cycle_counter = true;
	MAKE();
	set_value(&pmu, 0, 7);
	set_value(&pmu, 7, 8);
	set_value(&pmu, 31, 9);
	set_flag(&pmu, 0xcc0, 7);
	set_flag(&pmu, 0xcc0, 31);
	write32(&pmu, 0xe04, P);
	EXPECT_EQ(0, value(&pmu, 0));
	EXPECT_EQ(0, value(&pmu, 7));
	EXPECT_EQ(9, value(&pmu, 31));
	set_value(&pmu, 0, 7);
	write32(&pmu, 0xe04, C);
	EXPECT_EQ(7, value(&pmu, 0));
	EXPECT_EQ(0, value(&pmu, 31));
	EXPECT_TRUE(flag(&pmu, 0xc80, 7));
	EXPECT_TRUE(flag(&pmu, 0xc80, 31));
	EXPECT_EQ(0, read32(&pmu, 0xe04));
}

/* U KDGTQ: a part of the type may read as a fixed value that is not zero. */
TEST_F(registers, type_with_fixed_part)
{
	self->config.type_bits = 0xff;
	self->config.type_value = 0x80000101;
	MAKE();
	write32(&pmu, 0x400, UINT32_MAX);
	EXPECT_EQ(0x800001ff, read32(&pmu, 0x400));
	program(&pmu, 0, 0xffffff77, 0);
	EXPECT_EQ(0x80000177, read32(&pmu, 0x400));
	write32(&pmu, 0xe04, E);
	happen(&pmu, 0x77, 3);
	EXPECT_EQ(3, value(&pmu, 0));
	EXPECT_EQ(0, read32(&pmu, 0x420));
}

/* Rule WVQDZ, I XNQJD: monitors whose event cannot be chosen, and all of them. */
TEST_F(registers, fixed_types)
{
	self->config.fixed.word[0] = 0x6;
	self->config.first_fixed = 0x200;
	self->config.type_value = 0x80000000;
	self->config.type_bits = 0xffff;
	MAKE();
	EXPECT_EQ(0xffff, writable(&pmu, 0x400));
	EXPECT_TRUE(constant(&pmu, 0x404, 0x201));
	EXPECT_TRUE(constant(&pmu, 0x408, 0x202));
	EXPECT_EQ(0xffff, writable(&pmu, 0x40c));
	program(&pmu, 1, 0x77, 0);
	write32(&pmu, 0xe04, E);
	happen(&pmu, 0x77, 3);
	happen(&pmu, 0x201, 4);
	EXPECT_EQ(4, value(&pmu, 1));
}

/* Some monitors have no filters, and count events of any source. */
TEST_F(registers, unfiltered_monitors)
{
	self->config.unfiltered.word[0] = 0x4;
	self->config.filter2_bits = UINT32_MAX;
	MAKE();
	EXPECT_EQ(UINT32_MAX, writable(&pmu, 0xa04));
	EXPECT_EQ(UINT32_MAX, writable(&pmu, 0x804));
	EXPECT_TRUE(constant(&pmu, 0xa08, 0));
	EXPECT_TRUE(constant(&pmu, 0x808, 0));
	program(&pmu, 2, 0x77, 0);
	write32(&pmu, 0xe04, E);
	happen(&pmu, 0x77, 3);
	EXPECT_EQ(3, value(&pmu, 2));
}

TEST_F(registers, read_only_monitors)
{
	uint64_t before;

	self->config.common.read_only_counters = true;
	make(_metadata, &pmu, &self->config, NULL);
	before = value(&pmu, 0);
	set_value(&pmu, 0, before + 1);
	EXPECT_EQ(before, value(&pmu, 0));
}

/* Rules CGWBM, CLXGJ and YNJJW; PMCR.NA: monitors can be written in the STOP state only. */
TEST_F(registers, no_write_access)
{
	self->config.no_write_access = true;
	self->config.filter2_bits = UINT32_MAX;
	self->config.cycle_counter = true;
	MAKE();
	EXPECT_EQ(UINT32_C(1) << 17, read32(&pmu, 0xe00) & UINT32_C(1) << 17);
	EXPECT_EQ(0, read32(&pmu, 0xe04));
	program(&pmu, 0, EVENT, 5);
	write32(&pmu, 0x800, 6);
	set_value(&pmu, 0, 7);

	write32(&pmu, 0xe04, E);
	EXPECT_EQ(E | UINT32_C(1) << 8, read32(&pmu, 0xe04));
	write32(&pmu, 0x400, 1);
	write32(&pmu, 0xa00, 2);
	write32(&pmu, 0x800, 3);
	write32(&pmu, 0x47c, 4);
	set_value(&pmu, 0, 8);
	set_value(&pmu, 31, 8);
	EXPECT_EQ(EVENT, read32(&pmu, 0x400));
	EXPECT_EQ(5, read32(&pmu, 0xa00));
	EXPECT_EQ(6, read32(&pmu, 0x800));
	EXPECT_EQ(0, read32(&pmu, 0x47c));
	EXPECT_EQ(7, value(&pmu, 0));
	EXPECT_EQ(0, value(&pmu, 31));
	/* These are not registers of a monitor. */
	set_flag(&pmu, 0xc00, 1);
	set_flag(&pmu, 0xcc0, 1);
	EXPECT_TRUE(flag(&pmu, 0xc00, 1));
	EXPECT_TRUE(flag(&pmu, 0xc80, 1));

	write32(&pmu, 0xe04, UINT32_C(1) << 8);
	EXPECT_EQ(0, read32(&pmu, 0xe04));
	set_value(&pmu, 0, 8);
	EXPECT_EQ(8, value(&pmu, 0));
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

TEST_F(registers, no_overflow_set)
{
	self->config.no_overflow_set = true;
	MAKE();
	set_flag(&pmu, 0xc40, 1);
	set_flag(&pmu, 0xcc0, 1);
	EXPECT_TRUE(flag(&pmu, 0xc40, 1));
	EXPECT_FALSE(flag(&pmu, 0xc80, 1));
}

/* Rule YCLQB: a monitor that defines no overflow condition. */
TEST_F(registers, flags_of_a_gauge)
{
	self->config.gauges.word[0] = 0x2;
	make(_metadata, &pmu, &self->config, NULL);
	EXPECT_FALSE(flag(&pmu, 0xc40, 1));
	EXPECT_FALSE(flag(&pmu, 0xc80, 1));
	set_flag(&pmu, 0xc00, 1);
	set_flag(&pmu, 0xc40, 1);
	set_flag(&pmu, 0xcc0, 1);
	EXPECT_TRUE(flag(&pmu, 0xc00, 1));
	EXPECT_FALSE(flag(&pmu, 0xc40, 1));
	EXPECT_FALSE(flag(&pmu, 0xc80, 1));
	set_value(&pmu, 1, 5);
	EXPECT_EQ(5, value(&pmu, 1));
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

/* §3.6, §3.4. */
TEST_F(registers, cycle_counter_of_64_bits)
{
	self->config.bits = 32;
	self->config.cycle_counter = true;
	self->config.cycle_filter_bits = 0x80000003;
	MAKE();
	EXPECT_EQ(0x7f08, read32(&pmu, 0xe00));
	write64(&pmu, 0x0f8, UINT64_MAX);
	EXPECT_EQ(UINT64_MAX, read64(&pmu, 0x0f8));
	EXPECT_EQ(0x80000003, writable(&pmu, 0x47c));
	EXPECT_TRUE(constant(&pmu, 0xa7c, 0));
}

/* §3.23; the second filter register is not in this specification. */
TEST_F(registers, filters)
{
	self->config.filter_bits = 0xffff;
	self->config.filter2_bits = 0xff0000ff;
	MAKE();
	EXPECT_EQ(0xffff, writable(&pmu, 0xa1c));
	EXPECT_EQ(0xff0000ff, writable(&pmu, 0x81c));
	self->config.filter_bits = 0;
	MAKE();
	EXPECT_TRUE(constant(&pmu, 0xa1c, 0));
}

/* §3.2 */
TEST_F(registers, implementation_defined)
{
	self->config.impdef = 0x80000007;
	self->config.dual_page = true;
	MAKE();
	EXPECT_EQ(UINT32_MAX, writable(&pmu, 0xd80));
	EXPECT_EQ(UINT32_MAX, writable(&pmu, 0xdfc));
	EXPECT_TRUE(constant(&pmu, 0xd8c, 0));
	write32(&pmu, 0xd80, 1);
	EXPECT_EQ(0, read32_page_1(&pmu, 0xd80));
}

/* Rules XZWHB, PVRYN, MYXPD, MLQHD: what is in page 1, and in page 1 only. */
TEST_F(registers, two_pages)
{
	static const uint32_t page_0_only[] = {
		0x400, 0x47c, 0x800, 0xa00, 0xc00, 0xc40, 0xe04, 0xe38, 0xe80, 0xe84, 0xe88, 0xe8c,
	};
	unsigned int i;

	self->config.dual_page = true;
	self->config.cycle_counter = true;
	self->config.filter2_bits = UINT32_MAX;
	self->config.msi = true;
	self->config.snapshot = true;
	self->config.snapshot_reset = true;
	coresight_set_layout(&self->config, CORESIGHT_LAYOUT_ASCENDING);
	MAKE();
	for (i = 0; i < ARRAY_COUNT(page_0_only); i++) {
		write32(&pmu, page_0_only[i], UINT32_MAX);
		EXPECT_NE(0, read32(&pmu, page_0_only[i]))
			TH_LOG("offset %#x", page_0_only[i]);
		EXPECT_EQ(0, read32_page_1(&pmu, page_0_only[i]))
			TH_LOG("offset %#x", page_0_only[i]);
		write32(&pmu, page_0_only[i], 0);
	}
	EXPECT_EQ(0x800000ff, read32(&pmu, 0xc20));
	EXPECT_EQ(0x800000ff, read32(&pmu, 0xc60));
	EXPECT_EQ(0, read32_page_1(&pmu, 0xc20));
	EXPECT_EQ(0, read32_page_1(&pmu, 0xc60));
	write64(&pmu, 0x000, 5);
	write64(&pmu, 0x0f8, 5);
	write32(&pmu, 0xcc0, 0xff);
	EXPECT_EQ(0, read64(&pmu, 0x000));
	EXPECT_EQ(0, read64(&pmu, 0x0f8));
	EXPECT_EQ(0, read32(&pmu, 0xcc0));
	EXPECT_EQ(0, read32(&pmu, 0xc80));
	EXPECT_EQ(0, read32(&pmu, 0x648));
	syspmu_write(&pmu.model, 1, 0x000, 8, 5);
	syspmu_write(&pmu.model, 1, 0x0f8, 8, 6);
	syspmu_write(&pmu.model, 1, 0xcc0, 4, 0x81);
	EXPECT_EQ(5, syspmu_read(&pmu.model, 1, 0x000, 8));
	EXPECT_EQ(6, syspmu_read(&pmu.model, 1, 0x0f8, 8));
	EXPECT_EQ(0x81, read32_page_1(&pmu, 0xc80));
	syspmu_write(&pmu.model, 1, 0xc80, 4, 0x80);
	EXPECT_EQ(0x01, read32_page_1(&pmu, 0xcc0));
	/* PMSVR, of which the last one is PMSSSR: no capture. */
	EXPECT_EQ(1, read32_page_1(&pmu, 0x64c));
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
