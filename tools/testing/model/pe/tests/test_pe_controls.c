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

/* The table has a row for each state. */
static enum pe_captures row(unsigned int el3, unsigned int el2, unsigned int sse)
{
	unsigned int i = 0;

	while (i < ARRAY_COUNT(table) - 1 &&
	       (!matches(table[i].el3, el3) || !matches(table[i].el2, el2) ||
		!matches(table[i].sse, sse)))
		i++;
	return table[i].captures;
}

/*
 * Without an Exception level, its control is as if it gave control to the next one. The reserved
 * value of SSE behaves as another one. TSYTY: the OS Lock prohibits what is allowed.
 */
static enum pe_captures expected(const struct pe *pe, unsigned int el3, unsigned int el2,
				 unsigned int sse)
{
	enum pe_captures captures = row(pe->config.el3 ? el3 : 1, pe->config.el2 ? el2 : 1,
					sse == 1 ? pe->config.reserved_sse : sse);

	return captures == ALLOWED && pe->cpu.os_lock ? PROHIBITED : captures;
}

/* The ending in each state, by software and by an external request, after a capture. */
TEST_F(controls, endings)
{
	static const unsigned int reserved[] = { 0, 2, 3 };
	struct pe *pe = &self->pe;
	enum pe_captures ending;
	unsigned int i;

	for (i = 0; i < 3 << 10; i++) {
		pe->config.el3 = i >> 6 & 1;
		pe->config.el2 = i >> 7 & 1;
		pe->config.reserved_sse = reserved[i >> 10];
		make(_metadata, pe);
		pe->cpu.os_lock = false;
		set_controls(pe, 1, 1, 3);
		capture(pe);
		EXPECT_EQ(0, control(pe));
		pe->cpu.os_lock = i >> 8 & 1;
		set_controls(pe, i >> 4 & 3, i >> 2 & 3, i & 3);
		EXPECT_EQ(SSE(i & 3), read_reg(pe, PE_PMECR_EL1));
		ending = expected(pe, i >> 4 & 3, i >> 2 & 3, i & 3);
		EXPECT_EQ(ending, pe_snapshot_captures(&pe->snapshot, &pe->cpu));
		if (i >> 9 & 1)
			pe_snapshot_request(&pe->snapshot, &pe->cpu);
		else
			write_control(pe, SS);
		EXPECT_EQ(ending != DISABLED ? SS : 0, control(pe));
		complete(pe);
		EXPECT_EQ(ending == PROHIBITED ? NC : 0, control(pe));
		EXPECT_EQ(ending == ALLOWED ? 2 : 1, pe->reads);
		EXPECT_TRUE(has_values_of(pe, pe->reads));
		EXPECT_EQ(pe->reads, pe->events);
	}
}

TEST_HARNESS_MAIN
