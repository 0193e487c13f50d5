// SPDX-License-Identifier: GPL-2.0
/*
 * How a Capture event is requested, and how it ends: Arm ARM D13.9, and PMSSCR_EL1 in D24.5.
 */
#include "pe_test.h"

FIXTURE(capture) {
	struct pe pe;
};

FIXTURE_SETUP(capture)
{
	default_pe(&self->pe);
	make(_metadata, &self->pe);
	set_controls(&self->pe, 1, 1, 3);
}

FIXTURE_TEARDOWN(capture)
{
}

/* SCLCQ: by a write of one, not of zero, and not of other bits. */
TEST_F(capture, by_software)
{
	struct pe *pe = &self->pe;

	write_control(pe, NC);
	write_control(pe, ~SS);
	EXPECT_FALSE(pe_snapshot_is_ongoing(&pe->snapshot));
	complete(pe);
	EXPECT_EQ(NC, control(pe));
	EXPECT_EQ(0, pe->reads);
	write_control(pe, NC | SS);
	EXPECT_TRUE(pe_snapshot_is_ongoing(&pe->snapshot));
	complete(pe);
	EXPECT_FALSE(pe_snapshot_is_ongoing(&pe->snapshot));
	EXPECT_EQ(0, control(pe));
	EXPECT_TRUE(has_values_of(pe, 1));
}

/* It is CONSTRAINED UNPREDICTABLE whether a second request completes the first one. */
TEST_F(capture, second_request)
{
	struct pe *pe = &self->pe;

	write_control(pe, NC | SS);
	write_control(pe, NC | SS);
	EXPECT_EQ(NC | SS, control(pe));
	EXPECT_EQ(0, pe->reads);
	complete(pe);
	EXPECT_EQ(1, pe->reads);

	pe->config.second_request_completes = true;
	make(_metadata, pe);
	set_controls(pe, 1, 1, 3);
	write_control(pe, NC | SS);
	EXPECT_EQ(NC | SS, control(pe));
	write_control(pe, NC | SS);
	EXPECT_EQ(0, control(pe));
	complete(pe);
	EXPECT_EQ(1, pe->reads);
	EXPECT_EQ(1, pe->events);
}

/*
 * D24.5: only SS is read-only while Capture events are disabled. A driver that sets NC notices
 * then that nothing was captured; otherwise, it cannot.
 */
TEST_F(capture, writes_of_nc)
{
	static const struct {
		enum pe_nc_writes writes;
		uint64_t enabled;
		uint64_t disabled;
	} cases[] = {
		{ PE_NC_WRITABLE, NC, NC }, { PE_NC_NEEDS_ENABLE, NC, 0 },
		{ PE_NC_READ_ONLY, 0, 0 },
	};
	struct pe *pe = &self->pe;
	unsigned int i;

	for (i = 0; i < ARRAY_COUNT(cases); i++) {
		pe->config.nc_writes = cases[i].writes;
		make(_metadata, pe);
		set_controls(pe, 1, 1, 3);
		capture(pe);
		write_control(pe, NC);
		EXPECT_EQ(cases[i].enabled, control(pe));
		write_control(pe, 0);
		EXPECT_EQ(0, control(pe));
		set_controls(pe, 1, 1, 0);
		write_control(pe, NC | SS);
		EXPECT_EQ(cases[i].disabled, control(pe));
	}
}

/* PMU_SNAPSHOT: after the counters were captured, and PMSSCR_EL1 is zero. */
TEST_F(capture, event)
{
	struct pe *pe = &self->pe;

	pe->control_at_event = ~UINT64_C(0);
	capture(pe);
	EXPECT_EQ(1, pe->events);
	EXPECT_EQ(0x8127, pe->number);
	EXPECT_EQ(0, pe->control_at_event);
	EXPECT_EQ(1, pe->reads_at_event);
}

TEST_HARNESS_MAIN
