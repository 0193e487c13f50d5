// SPDX-License-Identifier: GPL-2.0
/*
 * What a PMCG says of itself in the directories caps and events, against its registers and
 * Arm's manuals of the MMU-600AE (101412) and of the MMU-700 (101542).
 */
#include "peripheral_id.h"
#include "pmcg_fixture.h"

#define MAX_NUMBER	0x100

/* Products whose events have names. */
enum product {
	UNKNOWN		= 0,
	TCU_600		= 0x01,
	TCU_600AE	= 0x02,
	TCU_700		= 0x04,
	TBU_600		= 0x08,
	TBU_600AE	= 0x10,
	TBU_700		= 0x20,
};

#define TCU		(TCU_600 | TCU_600AE | TCU_700)
#define TBU		(TBU_600 | TBU_600AE | TBU_700)

/* Rows of the tables of events in the manuals, which differ in the last digit of the name. */
struct event {
	const char *name;	/* in sysfs; "%u" is the digit */
	unsigned int number;	/* event ID of the first one */
	unsigned int rows;	/* how many there are */
	unsigned int step;	/* from one event ID to the next */
	unsigned int products;	/* those that have it */
	bool filterable;	/* by StreamID; what cannot be filtered needs SCR.SO */
};

static const struct event events[] = {
	{ "s1l%uwc_lookup", 0x80, 4, 2, TCU, true },
	{ "s1l%uwc_miss", 0x81, 4, 2, TCU, true },
	{ "s2l%uwc_lookup", 0x88, 4, 2, TCU, true },
	{ "s2l%uwc_miss", 0x89, 4, 2, TCU, true },
	{ "wc_read", 0x90, 1, 0, TCU, true },
	{ "buffered_translation", 0x91, 1, 0, TCU, true },
	{ "cc_lookup", 0x92, 1, 0, TCU, true },
	{ "cc_read", 0x93, 1, 0, TCU, true },
	{ "cc_miss", 0x94, 1, 0, TCU, true },
	{ "speculative_translation", 0xa0, 1, 0, TCU, true },
	{ "s1l%uwc_error", 0xc0, 4, 1, TCU_600 | TCU_600AE, false },
	{ "s2l%uwc_error", 0xc4, 4, 1, TCU_600 | TCU_600AE, false },
	{ "cc_error", 0xc8, 1, 0, TCU_600 | TCU_600AE, false },
	{ "main_tlb_lookup", 0x80, 1, 0, TBU, true },
	{ "main_tlb_miss", 0x81, 1, 0, TBU, true },
	{ "main_tlb_read", 0x82, 1, 0, TBU, true },
	{ "micro_tlb_lookup", 0x83, 1, 0, TBU, true },
	{ "micro_tlb_miss", 0x84, 1, 0, TBU, true },
	{ "slots_full", 0x85, 1, 0, TBU, false },
	{ "out_of_translation_tokens", 0x86, 1, 0, TBU, false },
	{ "write_data_buffer_full", 0x87, 1, 0, TBU, false },
	{ "translation_request", 0x88, 1, 0, TBU_600 | TBU_600AE, true },
	{ "write_data_uses_buffer", 0x89, 1, 0, TBU_600 | TBU_600AE, true },
	{ "write_data_bypasses_buffer", 0x8a, 1, 0, TBU_600 | TBU_600AE, true },
	{ "make_invalid_downgrade", 0x8b, 1, 0, TBU_600 | TBU_600AE, true },
	{ "dcmo_downgrade", 0x8b, 1, 0, TBU_700, true },
	{ "stash_fail", 0x8c, 1, 0, TBU, true },
	{ "fixed_burst_termination", 0x8d, 1, 0, TBU_700, false },
	{ "main_tlb_error", 0xc0, 1, 0, TBU_600 | TBU_600AE, false },
	{ "lti%u_slots_full", 0xd0, 8, 1, TBU_700, false },
	{ "lti%u_out_of_translation_tokens", 0xe0, 8, 1, TBU_700, false },
};

/*
 * By IIDR or the peripheral ID registers; Arm has JEP106 code 0x3b of bank 4. The TCU of the
 * MMU-600AE conforms to SMMUv3.1, that of the MMU-700 to SMMUv3.2.
 */
static enum product product_of(void)
{
	__u32 version, iidr = stimulus_peek32(stimulus, PMCG_IIDR);
	struct pmcg_hardware pmcg = pmcg_of(machine);
	enum pmcg_unit unit = pmcg_unit(&pmcg);

	if (!iidr)
		iidr = peripheral_iidr(stimulus);
	if (unit == PMCG_OF_SMMU || pmcg_field(iidr, PMCG_IIDR_IMPLEMENTER_CODE) != 0x3b ||
	    pmcg_field(iidr, PMCG_IIDR_IMPLEMENTER_BANK) != 4)
		return UNKNOWN;
	version = stimulus_peek32(stimulus, PMCG_AIDR) & PMCG_AIDR_ARCH_REV;
	switch (pmcg_field(iidr, PMCG_IIDR_PRODUCTID)) {
	case 0x483:
		return unit == PMCG_OF_TCU ? TCU_600 : TBU_600;
	case 0x484:
		return unit == PMCG_OF_TBU ? TBU_600 : UNKNOWN;
	case 0x486:
		return unit == PMCG_OF_TBU ? TBU_600AE : UNKNOWN;
	case 0x487:
		if (unit != PMCG_OF_TCU)
			return UNKNOWN;
		return version == 1 ? TCU_600AE : version == 2 ? TCU_700 : UNKNOWN;
	case 0x488:
		return unit == PMCG_OF_TBU ? TBU_700 : UNKNOWN;
	default:
		return UNKNOWN;
	}
}

/* Those of CEID and of the product, with their numbers, and no other. */
TEST_F(injected, events_are_those_of_the_product)
{
	enum product product = product_of();
	struct pmcg_hardware pmcg = pmcg_of(machine);
	unsigned int i, row, number = 0;
	char name[64], file[80];

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		for (row = 0; events[i].products & product && row < events[i].rows; row++) {
			number++;
			snprintf(name, sizeof(name), events[i].name, row);
			snprintf(file, sizeof(file), "events/%s", name);
			expect_attribute(file, "event=0x%02x",
					 events[i].number + row * events[i].step);
		}
	}
	for (i = 0; i < PMCG_ARCHITECTED_NAMES; i++)
		number += pmcg_implements(&pmcg, i);
	EXPECT_EQ(number, pmu_files_in(pmu, "events"));
}

/* A list as of CPUs, but in hexadecimal: "0x85-0x87,0xc0". */
static int expected_list(enum product product, char *text, size_t size)
{
	bool listed[MAX_NUMBER + 1] = { false };
	unsigned int i, row, first;
	int length = 0;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		for (row = 0; events[i].products & product && row < events[i].rows; row++)
			listed[events[i].number + row * events[i].step] |= !events[i].filterable;
	text[0] = '\0';
	for (i = 0; i < MAX_NUMBER; i++) {
		if (!listed[i])
			continue;
		for (first = i; listed[i + 1]; i++)
			;
		length += snprintf(text + length, size - length, "%s0x%02x", length ? "," : "",
				   first);
		if (i > first)
			length += snprintf(text + length, size - length, "-0x%02x", i);
	}
	return length;
}

TEST_F(injected, events_without_a_streamid_are_told)
{
	enum product product = product_of();
	char text[256], expected[256];

	if (!expected_list(product, expected, sizeof(expected))) {
		EXPECT_EQ(-ENOENT,
			  pmu_attribute(pmu, "caps/no_streamid_events", text, sizeof(text)));
		return;
	}
	expect_attribute("caps/no_streamid_events", "%s", expected);
	/* perf reads no more of a file in caps. */
	EXPECT_GT(127, strlen(expected));
}

TEST_F(injected, filter)
{
	expect_attribute("caps/filter", hardware->global_filter ? "one" : "each");
}

/* When the driver is bound, it leaves ones in all bits of SMR0 that there are. */
TEST_F_TIMEOUT(lifecycle, streamid_bits, SLOW)
{
	unsigned int bits = 0;
	__u32 smr;

	bind_again();
	for (smr = stimulus_peek32(stimulus, PMCG_SMR(0)); smr & 1; smr >>= 1)
		bits++;
	EXPECT_EQ(0, smr);
	EXPECT_LT(0, bits);
	expect_attribute("caps/streamid_bits", "%u", bits);
}

/* Nothing that the interface does not name. */
TEST_F(injected, counters)
{
	expect_caps(usable_counters());
}

TEST_F(injected, caps_has_no_other_file)
{
	char text[256];
	bool list;

	list = !pmu_attribute(pmu, "caps/no_streamid_events", text, sizeof(text));
	EXPECT_EQ(5 + list, pmu_files_in(pmu, "caps"));
}

TEST_HARNESS_MAIN
