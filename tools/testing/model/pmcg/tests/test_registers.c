// SPDX-License-Identifier: GPL-2.0
/*
 * The access rule of each register of a PMCG: IHI 0070 §10.5.
 */
#include "pmcg_test.h"

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

FIXTURE(shape) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(shape) {
	unsigned int counters;
	unsigned int size;
	bool relocate;
};

FIXTURE_VARIANT_ADD(shape, one_of_32) {
	.counters = 1, .size = 31,
};

FIXTURE_VARIANT_ADD(shape, all_of_32) {
	.counters = 64, .size = 31,
};

FIXTURE_VARIANT_ADD(shape, six_of_36) {
	.counters = 6, .size = 35,
};

FIXTURE_VARIANT_ADD(shape, thirty_two_of_40) {
	.counters = 32, .size = 39,
};

FIXTURE_VARIANT_ADD(shape, thirty_three_of_44) {
	.counters = 33, .size = 43,
};

FIXTURE_VARIANT_ADD(shape, sixty_three_of_48) {
	.counters = 63, .size = 47,
};

FIXTURE_VARIANT_ADD(shape, one_of_64) {
	.counters = 1, .size = 63,
};

FIXTURE_VARIANT_ADD(shape, all_of_64) {
	.counters = 64, .size = 63,
};

FIXTURE_VARIANT_ADD(shape, relocated_of_32) {
	.counters = 5, .size = 31, .relocate = true,
};

FIXTURE_VARIANT_ADD(shape, relocated_of_64) {
	.counters = 64, .size = 63, .relocate = true,
};

FIXTURE_VARIANT_ADD(shape, reserved_of_16) {
	.counters = 8, .size = 15,
};

FIXTURE_SETUP(shape)
{
	pmcg_default_config(&self->config);
	self->config.counters = variant->counters;
	self->config.size = variant->size;
	self->config.relocate = variant->relocate;
	self->config.capture = true;
	make(_metadata, &pmcg, &self->config, NULL);
}

FIXTURE_TEARDOWN(shape)
{
}

TEST_F(shape, configuration)
{
	EXPECT_TRUE(constant(0xe00, (variant->counters - 1) | variant->size << 8 |
				    (variant->relocate ? 1u << 20 : 0) | 1u << 22));
}

/* Counters and shadows: size, stride, halves, and what is behind the last one. */
TEST_F(shape, counters)
{
	uint64_t max = UINT64_MAX >> (63 - variant->size);
	unsigned int stride = variant->size <= 31 ? 4 : 8;
	unsigned int page = variant->relocate;
	uint32_t offset;

	for (offset = 0; offset < 0x200; offset += stride) {
		uint64_t expected = offset / stride < variant->counters ? max : 0;

		syspmu_write(&pmcg.model, page, offset, stride, UINT64_MAX);
		EXPECT_EQ(expected, syspmu_read(&pmcg.model, page, offset, stride));
		syspmu_write(&pmcg.model, page, offset, 4, 0x89abcdef);
		EXPECT_EQ(((max & 0xffffffff00000000) | 0x89abcdef) & expected,
			  syspmu_read(&pmcg.model, page, offset, stride));
		if (stride == 8) {
			syspmu_write(&pmcg.model, page, offset + 4, 4, 0x01234567);
			EXPECT_EQ(0x0123456789abcdef & expected,
				  syspmu_read(&pmcg.model, page, offset, 8));
			EXPECT_EQ((0x0123456789abcdef & expected) >> 32,
				  syspmu_read(&pmcg.model, page, offset + 4, 4));
		}
		EXPECT_EQ(0x89abcdef & expected, syspmu_read(&pmcg.model, page, offset, 4));
	}

	/* No write changed another register. */
	for (offset = 0; offset < 0x200; offset += stride)
		syspmu_write(&pmcg.model, page, offset, stride, offset + 1);
	syspmu_write(&pmcg.model, page, 0xd88, 4, 1);
	for (offset = 0; offset < 0x200; offset += stride) {
		uint64_t expected = offset / stride < variant->counters ? (offset + 1) & max : 0;

		EXPECT_EQ(expected, syspmu_read(&pmcg.model, page, offset, stride));
		EXPECT_EQ(expected, syspmu_read(&pmcg.model, page, 0x600 + offset, stride));
		syspmu_write(&pmcg.model, page, 0x600 + offset, stride, UINT64_MAX);
		EXPECT_EQ(expected, syspmu_read(&pmcg.model, page, 0x600 + offset, stride));
	}
}

/* Page 0 has RES0 holes where page 1 has registers, and page 1 has nothing else. */
TEST_F(shape, relocation)
{
	unsigned int other = !variant->relocate;
	uint32_t offset;

	for (offset = 0; offset < 0x1000; offset += 8) {
		bool moves = offset < 0x200 || (offset >= 0x600 && offset < 0x800) ||
			     offset == 0xc80 || offset == 0xcc0 || offset == 0xd88;

		if (moves) {
			syspmu_write(&pmcg.model, other, offset, 8, UINT64_MAX);
			EXPECT_EQ(0, syspmu_read(&pmcg.model, other, offset, 8));
		} else {
			syspmu_write(&pmcg.model, 1, offset, 8, UINT64_MAX);
			EXPECT_EQ(0, syspmu_read(&pmcg.model, 1, offset, 8));
		}
	}
}

TEST_F(shape, types_and_matches)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		bool there = i < variant->counters;

		EXPECT_EQ(there ? 0xa000ffff : 0, writable(0x400 + 4 * i));
		EXPECT_EQ(there ? UINT32_MAX : 0, writable(0xa00 + 4 * i));
	}
	for (i = 0; i < 64; i++) {
		write32(&pmcg, 0x400 + 4 * i, i);
		write32(&pmcg, 0xa00 + 4 * i, i << 8);
	}
	for (i = 0; i < 64; i++) {
		bool there = i < variant->counters;

		EXPECT_EQ(there ? i : 0, read32(&pmcg, 0x400 + 4 * i));
		EXPECT_EQ(there ? i << 8 : 0, read32(&pmcg, 0xa00 + 4 * i));
	}
}

/* The set and clear pairs, whole and by halves. */
TEST_F(shape, pairs)
{
	const struct {
		uint32_t set;
		uint32_t clear;
		unsigned int page;
	} pairs[] = {
		{ 0xc00, 0xc20, 0 },
		{ 0xc40, 0xc60, 0 },
		{ 0xcc0, 0xc80, variant->relocate },
	};
	uint64_t mask = UINT64_MAX >> (64 - variant->counters);
	const uint64_t some = 0xa5a55a5a3c3cc3c3;
	size_t i;

	for (i = 0; i < ARRAY_COUNT(pairs); i++) {
		unsigned int page = pairs[i].page;
		uint32_t set = pairs[i].set;
		uint32_t clear = pairs[i].clear;

		syspmu_write(&pmcg.model, page, clear, 8, UINT64_MAX);
		EXPECT_EQ(0, syspmu_read(&pmcg.model, page, set, 8));
		EXPECT_EQ(0, syspmu_read(&pmcg.model, page, clear, 8));
		syspmu_write(&pmcg.model, page, set, 8, some);
		EXPECT_EQ(some & mask, syspmu_read(&pmcg.model, page, set, 8));
		EXPECT_EQ(some & mask, syspmu_read(&pmcg.model, page, clear, 8));
		syspmu_write(&pmcg.model, page, set, 8, 0);
		syspmu_write(&pmcg.model, page, clear, 8, 0);
		EXPECT_EQ(some & mask, syspmu_read(&pmcg.model, page, set, 8));
		syspmu_write(&pmcg.model, page, set, 8, UINT64_MAX);
		EXPECT_EQ(mask, syspmu_read(&pmcg.model, page, set, 8));
		syspmu_write(&pmcg.model, page, clear, 8, some);
		EXPECT_EQ(mask & ~some, syspmu_read(&pmcg.model, page, set, 8));

		syspmu_write(&pmcg.model, page, clear, 8, UINT64_MAX);
		syspmu_write(&pmcg.model, page, set, 4, UINT32_MAX);
		EXPECT_EQ(mask & UINT32_MAX, syspmu_read(&pmcg.model, page, set, 8));
		syspmu_write(&pmcg.model, page, set + 4, 4, UINT32_MAX);
		EXPECT_EQ(mask, syspmu_read(&pmcg.model, page, clear, 8));
		EXPECT_EQ(mask >> 32, syspmu_read(&pmcg.model, page, set + 4, 4));
		EXPECT_EQ(mask >> 32, syspmu_read(&pmcg.model, page, clear + 4, 4));
		syspmu_write(&pmcg.model, page, clear, 4, UINT32_MAX);
		EXPECT_EQ(mask & 0xffffffff00000000, syspmu_read(&pmcg.model, page, set, 8));
		syspmu_write(&pmcg.model, page, clear + 4, 4, UINT32_MAX);
		EXPECT_EQ(0, syspmu_read(&pmcg.model, page, set, 8));
	}
}

/* The three pairs are independent, with counters 0 to 63 in the same places. */
TEST(pairs_are_independent)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.counters = 64;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	write64(&pmcg, 0xc00, 0x11);
	write64(&pmcg, 0xc40, 0x22);
	write64(&pmcg, 0xcc0, 0x44);
	EXPECT_EQ(0x11, read64(&pmcg, 0xc20));
	EXPECT_EQ(0x22, read64(&pmcg, 0xc60));
	EXPECT_EQ(0x44, read64(&pmcg, 0xc80));
}

/* EVTYPERn: which fields exist for which PMCG (§10.5.2.2). */
TEST(type_fields)
{
	struct pmcg_config config;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		uint32_t own = 0xffff, filter = SPAN;

		pmcg_default_config(&config);
		config.counters = 2;
		config.capture = i & 1;
		config.secure = i & 2;
		config.root = i & 4;
		config.filter_partid_pmg = i & 8;
		config.global_filter = i & 16;
		config.event_bits = i & 32 ? 8 : 16;
		if (config.event_bits == 8)
			own = 0xff;
		if (config.capture)
			own |= OVFCAP;
		if (config.secure)
			filter |= SEC_SID;
		if (config.root)
			filter |= REALM_SID;
		if (config.filter_partid_pmg)
			filter |= BY_PARTID | BY_PMG | (config.root ? MPAM_SP(3) : MPAM_SP(1));
		make(_metadata, &pmcg, &config, NULL);
		EXPECT_EQ(own | filter, writable(0x400));
		EXPECT_EQ(own | (config.global_filter ? 0 : filter), writable(0x404));
		EXPECT_EQ(UINT32_MAX, writable(0xa00));
		EXPECT_EQ(config.global_filter ? 0 : UINT32_MAX, writable(0xa04));
	}
}

TEST(event_bits)
{
	struct pmcg_config config;
	unsigned int bits;

	for (bits = 3; bits <= 16; bits++) {
		pmcg_default_config(&config);
		config.event_bits = bits;
		make(_metadata, &pmcg, &config, NULL);
		EXPECT_EQ(SPAN | 0xffffu >> (16 - bits), writable(0x400));
	}
}

/* SMRn: STREAMID has the implemented bits, PARTID and PMG have all bits. */
TEST(match_bits)
{
	struct pmcg_config config;
	unsigned int bits;
	uint32_t implemented;

	for (bits = 1; bits <= 32; bits++) {
		pmcg_default_config(&config);
		config.stream_id_bits = bits;
		config.filter_partid_pmg = true;
		make(_metadata, &pmcg, &config, NULL);
		write32(&pmcg, 0x400, 0);
		implemented = UINT32_MAX >> (32 - bits);
		EXPECT_EQ(implemented, writable(0xa00));
		write32(&pmcg, 0x400, BY_PARTID);
		EXPECT_EQ(0xffffff, writable(0xa00));
		write32(&pmcg, 0x400, BY_PMG);
		EXPECT_EQ(0xffffff, writable(0xa00));

		/* §10.5.2.4: a bit that is not in the selected layout ignores writes. */
		write32(&pmcg, 0xa00, 0xa5a5a5);
		write32(&pmcg, 0x400, 0);
		write32(&pmcg, 0xa00, 0x5a5a5a5a);
		EXPECT_EQ(0x5a5a5a5a & implemented, read32(&pmcg, 0xa00));
		write32(&pmcg, 0x400, BY_PMG);
		EXPECT_EQ(((0x5a5a5a5a & implemented) | (0xa5a5a5 & ~implemented)) & 0xffffff,
			  read32(&pmcg, 0xa00));
		write32(&pmcg, 0xa00, 0xffffffff);
		write32(&pmcg, 0x400, 0);
		EXPECT_EQ(0x5affffff & implemented, read32(&pmcg, 0xa00));
	}
}

TEST(control)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_EQ(0, read32(&pmcg, 0xe04));
	EXPECT_EQ(1, writable(0xe04));

	EXPECT_EQ(0, read32(&pmcg, 0xe50));
	EXPECT_EQ(0, read32(&pmcg, 0xe54));
	EXPECT_EQ(1, writable(0xe50));
	write32(&pmcg, 0xe50, 1);
	EXPECT_TRUE(constant(0xe54, 1));
	write32(&pmcg, 0xe50, 0xfffffffe);
	EXPECT_TRUE(constant(0xe54, 0));
}

TEST(identification)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.ceid0 = 0x0123456789abcdef;
	config.ceid1 = 0xfedcba9876543210;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_TRUE(constant(0xe00, 7 | 63 << 8));
	EXPECT_TRUE(constant(0xe08, 0x4832143b));
	EXPECT_TRUE(constant(0xe20, 0x89abcdef));
	EXPECT_TRUE(constant(0xe24, 0x01234567));
	EXPECT_TRUE(constant(0xe28, 0x76543210));
	EXPECT_TRUE(constant(0xe2c, 0xfedcba98));
	EXPECT_EQ(config.ceid0, read64(&pmcg, 0xe20));
	EXPECT_EQ(config.ceid1, read64(&pmcg, 0xe28));
	EXPECT_TRUE(constant(0xe70, 5));

	pmcg_default_config(&config);
	config.counters = 33;
	config.size = 43;
	config.global_filter = true;
	config.relocate = true;
	config.capture = true;
	config.msi = true;
	config.mpam = true;
	config.filter_partid_pmg = true;
	config.aidr = 3;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_TRUE(constant(0xe00, 0x3f00000 | 43 << 8 | 32));
	EXPECT_TRUE(constant(0xe70, 3));
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

/* Registers for Secure and Root software, and those of features that are absent. */
TEST(privileged_and_absent)
{
	struct pmcg_config config;
	uint32_t offset;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	for (offset = 0xe48; offset < 0xe80; offset += 4) {
		if (offset == 0xe50 || offset == 0xe70)
			continue;
		EXPECT_TRUE(constant(offset, 0))
			TH_LOG("offset %#x", offset);
	}

	config.secure = true;
	config.secure_observation = true;
	config.root = true;
	config.filter_partid_pmg = true;
	config.partid_max = 0x1234;
	config.pmg_max = 0x56;
	config.secure_partid_max = 0x789a;
	config.secure_pmg_max = 0xbc;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_TRUE(constant(0xdf8, 0));
	EXPECT_TRUE(constant(0xe40, 0));
	EXPECT_TRUE(constant(0xe78, 0));
	EXPECT_TRUE(constant(0xe74, 0x561234));
	EXPECT_TRUE(constant(0xe6c, 0));

	/* §10.5.2.27: the limits may be RES0 without CFGR.MPAM. */
	config.mpamidr_needs_mpam = true;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_TRUE(constant(0xe74, 0));
	config.filter_partid_pmg = false;
	config.msi = true;
	config.mpam = true;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_TRUE(constant(0xe74, 0x561234));
	EXPECT_TRUE(constant(0xe78, 0));
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

/* IRQ_CFG0 to 2 change only while IRQEN and its acknowledgment are clear. */
TEST(message_configuration)
{
	struct pmcg_config config;
	unsigned int bits;

	for (bits = 32; bits <= 56; bits += 4) {
		uint64_t address = UINT64_MAX >> (64 - bits) & ~UINT64_C(3);

		pmcg_default_config(&config);
		config.msi = true;
		config.address_bits = bits;
		make(_metadata, &pmcg, &config, NULL);
		write32(&pmcg, 0xe50, 0);
		write64(&pmcg, 0xe58, UINT64_MAX);
		EXPECT_EQ(address, read64(&pmcg, 0xe58));
		write32(&pmcg, 0xe58, 0);
		EXPECT_EQ(address >> 32, read64(&pmcg, 0xe58) >> 32);
		EXPECT_EQ(0, read32(&pmcg, 0xe58));
		write32(&pmcg, 0xe5c, 0);
		EXPECT_EQ(0, read64(&pmcg, 0xe58));
		EXPECT_EQ(UINT32_MAX, writable(0xe60));
		EXPECT_EQ(0x3f, writable(0xe64));
		EXPECT_EQ(0, writable(0xe68));

		write64(&pmcg, 0xe58, 0x12345678);
		write32(&pmcg, 0xe60, 0x9abcdef0);
		write32(&pmcg, 0xe64, 0x2f);
		write32(&pmcg, 0xe50, 1);
		EXPECT_EQ(0, writable(0xe58));
		EXPECT_EQ(0, writable(0xe5c));
		EXPECT_EQ(0, writable(0xe60));
		EXPECT_EQ(0, writable(0xe64));
		EXPECT_EQ(0x12345678, read64(&pmcg, 0xe58));
		EXPECT_EQ(0x9abcdef0, read32(&pmcg, 0xe60));
		EXPECT_EQ(0x2f, read32(&pmcg, 0xe64));
	}

	config.msi = false;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_TRUE(constant(0xe58, 0));
	EXPECT_TRUE(constant(0xe5c, 0));
	EXPECT_TRUE(constant(0xe60, 0));
	EXPECT_TRUE(constant(0xe64, 0));
	EXPECT_TRUE(constant(0xe68, 0));
}

/* IRQ_ABT is cleared by an Update of IRQEN from 0 to 1, and by nothing else. */
TEST(message_abort)
{
	struct pmcg_config config;
	bool seen = false;
	uint64_t seed;

	pmcg_default_config(&config);
	config.msi = true;
	make(_metadata, &pmcg, &config, NULL);
	for (seed = 0; seed < 64; seed++) {
		syspmu_reset(&pmcg.model, seed);
		if (!read32(&pmcg, 0xe68))
			continue;
		seen = true;
		EXPECT_EQ(1, read32(&pmcg, 0xe68));
		write32(&pmcg, 0xe68, 1);
		write32(&pmcg, 0xe50, 0);
		EXPECT_EQ(1, read32(&pmcg, 0xe68));
		write32(&pmcg, 0xe50, 1);
		EXPECT_EQ(0, read32(&pmcg, 0xe68));
	}
	EXPECT_TRUE(seen);

	/* SMMUv3.0 has no such register. */
	config.aidr = 0;
	make(_metadata, &pmcg, &config, NULL);
	for (seed = 0; seed < 64; seed++) {
		syspmu_reset(&pmcg.model, seed);
		EXPECT_EQ(0, read32(&pmcg, 0xe68));
	}
}

TEST(message_partition)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.msi = true;
	config.mpam = true;
	config.secure = true;
	config.partid_max = 0x34;
	config.pmg_max = 0;
	config.secure_partid_max = 0x1f;
	config.secure_pmg_max = 0x4;
	make(_metadata, &pmcg, &config, NULL);
	EXPECT_EQ(0, read32(&pmcg, 0xe6c));
	write32(&pmcg, 0xe6c, 0x7fffffff);
	EXPECT_EQ(0, read32(&pmcg, 0xe6c));
	write32(&pmcg, 0xe6c, UINT32_MAX);
	EXPECT_EQ(0x07003f, read32(&pmcg, 0xe6c));
	write32(&pmcg, 0xe6c, 0x00010001);
	EXPECT_EQ(0x07003f, read32(&pmcg, 0xe6c));
	write32(&pmcg, 0xe6c, 0x80010001);
	EXPECT_EQ(0x010001, read32(&pmcg, 0xe6c));

	/* A limit of all ones, and one of zero. */
	config.partid_max = 0x3f;
	config.secure_pmg_max = 0;
	make(_metadata, &pmcg, &config, NULL);
	write32(&pmcg, 0xe6c, UINT32_MAX);
	EXPECT_EQ(0x00003f, read32(&pmcg, 0xe6c));
}

/* Every word that no register occupies reads as zero and ignores writes. */
TEST(holes)
{
	struct pmcg_config config;
	uint32_t offset;

	pmcg_default_config(&config);
	config.counters = 64;
	config.size = 31;
	make(_metadata, &pmcg, &config, NULL);
	for (offset = 0x100; offset < 0xfb0; offset += 4) {
		if ((offset >= 0x400 && offset < 0x500) || (offset >= 0xa00 && offset < 0xb00) ||
		    (offset >= 0xc00 && offset < 0xca0 && offset % 0x20 < 8) ||
		    (offset >= 0xcc0 && offset < 0xcc8) || (offset >= 0xe00 && offset < 0xe80))
			continue;
		EXPECT_TRUE(constant(offset, 0))
			TH_LOG("offset %#x", offset);
	}
	for (offset = 0xe0c; offset < 0xe20; offset += 4)
		EXPECT_TRUE(constant(offset, 0));
	for (offset = 0xe30; offset < 0xe50; offset += 4)
		EXPECT_TRUE(constant(offset, 0));
}

TEST_HARNESS_MAIN
