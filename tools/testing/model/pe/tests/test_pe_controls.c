// SPDX-License-Identifier: GPL-2.0
/*
 * Whether Capture events are enabled and allowed: Arm ARM D13.9, rules YWLFL and TSYTY, and Table
 * D13-10.
 */
#include "pe_test.h"

#define DISABLED	PE_CAPTURES_DISABLED
#define PROHIBITED	PE_CAPTURES_PROHIBITED
#define ALLOWED		PE_CAPTURES_ALLOWED

FIXTURE(controls) {
	struct pe pe;
};

FIXTURE_SETUP(controls)
{
	default_pe(&self->pe);
	make(_metadata, &self->pe);
}

FIXTURE_TEARDOWN(controls)
{
}

static enum pe_captures captures(struct pe *pe)
{
	return pe_snapshot_captures(&pe->snapshot, &pe->cpu);
}

/* Table D13-10; "x" is either value. The reserved value of SSE is not in it. */
static const struct {
	const char *el3;
	const char *el2;
	const char *sse;
	enum pe_captures captures;
} table[] = {
	{ "00", "xx", "xx", DISABLED },
	{ "01", "00", "xx", DISABLED },
	{ "01", "01", "00", DISABLED },
	{ "01", "01", "10", PROHIBITED },
	{ "01", "01", "11", ALLOWED },
	{ "01", "10", "xx", PROHIBITED },
	{ "01", "11", "xx", ALLOWED },
	{ "10", "xx", "xx", PROHIBITED },
	{ "11", "xx", "xx", ALLOWED },
};

static bool matches(const char *pattern, unsigned int value)
{
	return (pattern[0] == 'x' || (unsigned int)(pattern[0] - '0') == value >> 1) &&
	       (pattern[1] == 'x' || (unsigned int)(pattern[1] - '0') == (value & 1));
}

static const enum pe_captures *row(unsigned int el3, unsigned int el2, unsigned int sse)
{
	unsigned int i;

	for (i = 0; i < ARRAY_COUNT(table); i++) {
		if (matches(table[i].el3, el3) && matches(table[i].el2, el2) &&
		    matches(table[i].sse, sse))
			return &table[i].captures;
	}
	return NULL;
}

/* The three endings for each row, by software and by an external request. */
TEST_F(controls, endings_of_table)
{
	struct pe *pe = &self->pe;
	unsigned int i, external;
	uint64_t before;

	for (i = 0; i < 128; i++) {
		const enum pe_captures *expected = row(i >> 4 & 3, i >> 2 & 3, i & 3);

		external = i >> 6;
		if (!expected)
			continue;
		make(_metadata, pe);
		set_controls(pe, 1, 1, 3);
		capture(pe);
		set_controls(pe, i >> 4 & 3, i >> 2 & 3, i & 3);
		before = control(pe);
		EXPECT_EQ(0, before);
		if (external)
			pe_snapshot_request(&pe->snapshot, &pe->cpu);
		else
			write_control(pe, SS);
		EXPECT_EQ(*expected != DISABLED ? SS : 0, control(pe));
		complete(pe);
		EXPECT_EQ(*expected == PROHIBITED ? NC : 0, control(pe));
		EXPECT_EQ(*expected == ALLOWED ? 2 : 1, pe->reads);
		EXPECT_TRUE(has_values_of(pe, pe->reads));
		EXPECT_EQ(pe->reads, pe->events);
	}
}

/* Without an Exception level, its control is as if it gave control to the next one. */
TEST_F(controls, without_exception_levels)
{
	struct pe *pe = &self->pe;
	unsigned int i, el3, el2;

	for (i = 0; i < 64 * 4; i++) {
		const enum pe_captures *expected;

		pe->config.el3 = i >> 6 & 1;
		pe->config.el2 = i >> 7;
		make(_metadata, pe);
		set_controls(pe, i >> 4 & 3, i >> 2 & 3, i & 3);
		el3 = pe->config.el3 ? i >> 4 & 3 : 1;
		el2 = pe->config.el2 ? i >> 2 & 3 : 1;
		expected = row(el3, el2, i & 3);
		if (expected)
			EXPECT_EQ(*expected, captures(pe));
	}
}

/* The reserved value behaves as another one, and does not matter where SSE does not. */
TEST_F(controls, reserved_value)
{
	static const struct {
		unsigned int as;
		enum pe_captures captures;
	} cases[] = { { 0, DISABLED }, { 2, PROHIBITED }, { 3, ALLOWED } };
	struct pe *pe = &self->pe;
	unsigned int i, j;

	for (i = 0; i < ARRAY_COUNT(cases); i++) {
		pe->config.reserved_sse = cases[i].as;
		make(_metadata, pe);
		set_controls(pe, 1, 1, 1);
		EXPECT_EQ(cases[i].captures, captures(pe));
		EXPECT_EQ(SSE(1), read_reg(pe, PE_PMECR_EL1));
		for (j = 0; j < 16; j++) {
			set_controls(pe, j >> 2, j & 3, 1);
			if (j != 5)
				EXPECT_EQ(*row(j >> 2, j & 3, 1), captures(pe));
		}
	}
}

/* TSYTY: the OS Lock prohibits what is allowed, and changes nothing else. */
TEST_F(controls, os_lock)
{
	struct pe *pe = &self->pe;
	unsigned int i;

	pe->cpu.os_lock = true;
	for (i = 0; i < 64; i++) {
		const enum pe_captures *expected = row(i >> 4, i >> 2 & 3, i & 3);

		set_controls(pe, i >> 4, i >> 2 & 3, i & 3);
		if (expected)
			EXPECT_EQ(*expected == ALLOWED ? PROHIBITED : *expected, captures(pe));
	}
	set_controls(pe, 1, 1, 3);
	capture(pe);
	EXPECT_EQ(NC, control(pe));
	EXPECT_EQ(0, pe->reads);
	pe->cpu.os_lock = false;
	capture(pe);
	EXPECT_EQ(0, control(pe));
}

TEST_HARNESS_MAIN
