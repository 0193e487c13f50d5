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

/* SCLCQ: the request is a write of SS only: NC stays until the capture ends. */
TEST_F(capture, by_external_request)
{
	struct pe *pe = &self->pe;

	pe_snapshot_request(&pe->snapshot, &pe->cpu);
	EXPECT_EQ(NC | SS, control(pe));
	complete(pe);
	EXPECT_EQ(0, control(pe));
	EXPECT_TRUE(has_values_of(pe, 1));
	pe_snapshot_request(&pe->snapshot, &pe->cpu);
	EXPECT_EQ(SS, control(pe));
	complete(pe);
	EXPECT_TRUE(has_values_of(pe, 2));
}

/* SCLCQ: the Core power domain is on. */
TEST_F(capture, without_power)
{
	struct pe *pe = &self->pe;

	pe->cpu.powered_off = true;
	pe_snapshot_request(&pe->snapshot, &pe->cpu);
	EXPECT_EQ(NC, control(pe));
	pe->cpu.powered_off = false;
	write_control(pe, NC | SS);
	pe->cpu.powered_off = true;
	complete(pe);
	EXPECT_EQ(NC | SS, control(pe));
	EXPECT_EQ(0, pe->reads);
	pe->cpu.powered_off = false;
	pe_snapshot_reset(&pe->snapshot, true, TEST_SEED);
	EXPECT_EQ(NC, control(pe));
}

/* VZCDM: all counters are read once, at one time, which is that of the completion. */
TEST_F(capture, is_one_read)
{
	struct pe *pe = &self->pe;
	struct pe_counters counters;

	write_control(pe, NC | SS);
	EXPECT_EQ(0, pe->reads);
	read_counters(pe, &counters);
	complete(pe);
	EXPECT_EQ(2, pe->reads);
	EXPECT_TRUE(has_values_of(pe, 2));
	read_counters(pe, &counters);
	EXPECT_TRUE(has_values_of(pe, 2));
}

/* SS is set until the capture completes, however long that takes; completion happens once. */
TEST_F(capture, takes_time)
{
	struct pe *pe = &self->pe;
	uint64_t cycles = read_reg(pe, PE_PMCCNTSVR_EL1);
	unsigned int i;

	write_control(pe, NC | SS);
	for (i = 0; i < 100; i++)
		EXPECT_EQ(NC | SS, control(pe));
	EXPECT_EQ(cycles, read_reg(pe, PE_PMCCNTSVR_EL1));
	complete(pe);
	complete(pe);
	EXPECT_EQ(0, control(pe));
	EXPECT_EQ(1, pe->reads);
	EXPECT_EQ(1, pe->events);
}

/* A write of zero is ignored while a capture is ongoing, too. */
TEST_F(capture, is_not_cancelled)
{
	struct pe *pe = &self->pe;

	write_control(pe, NC | SS);
	write_control(pe, NC);
	EXPECT_EQ(NC | SS, control(pe));
	complete(pe);
	EXPECT_EQ(0, control(pe));
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

/* A prohibited capture sets NC, and changes nothing else. */
TEST_F(capture, prohibited)
{
	struct pe *pe = &self->pe;

	capture(pe);
	set_controls(pe, 1, 1, 2);
	write_control(pe, SS);
	EXPECT_EQ(SS, control(pe));
	complete(pe);
	EXPECT_EQ(NC, control(pe));
	EXPECT_EQ(1, pe->reads);
	EXPECT_EQ(1, pe->events);
	EXPECT_TRUE(has_values_of(pe, 1));
	set_controls(pe, 1, 1, 3);
	EXPECT_EQ(NC, control(pe));
	capture(pe);
	EXPECT_EQ(0, control(pe));
	EXPECT_TRUE(has_values_of(pe, 2));
}

/* MFJWS: SS ignores writes, NC does not change, and the captured values are those of before. */
TEST_F(capture, disabled)
{
	static const enum pe_nc_writes choices[] = {
		PE_NC_WRITABLE, PE_NC_NEEDS_ENABLE, PE_NC_READ_ONLY,
	};
	struct pe *pe = &self->pe;
	unsigned int i;

	for (i = 0; i < ARRAY_COUNT(choices); i++) {
		pe->config.nc_writes = choices[i];
		make(_metadata, pe);
		set_controls(pe, 1, 1, 3);
		capture(pe);
		set_controls(pe, 1, 1, 0);
		write_control(pe, SS);
		EXPECT_EQ(0, control(pe));
		complete(pe);
		EXPECT_EQ(0, control(pe));
		EXPECT_EQ(1, pe->reads);
		EXPECT_TRUE(has_values_of(pe, 1));
		set_controls(pe, 1, 1, 2);
		capture(pe);
		set_controls(pe, 1, 1, 0);
		write_control(pe, NC | SS);
		pe_snapshot_request(&pe->snapshot, &pe->cpu);
		complete(pe);
		EXPECT_EQ(NC, control(pe));
		EXPECT_TRUE(has_values_of(pe, 1));
		EXPECT_EQ(1, pe->events);
	}
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

/* A request whose capture is no longer allowed when it completes. */
TEST_F(capture, control_changes)
{
	struct pe *pe = &self->pe;
	unsigned int sse;

	for (sse = 0; sse < 4; sse += 2) {
		capture(pe);
		write_control(pe, SS);
		set_controls(pe, 1, 1, sse);
		EXPECT_EQ(SS, control(pe));
		complete(pe);
		EXPECT_EQ(NC, control(pe));
		set_controls(pe, 1, 1, 3);
	}
	EXPECT_EQ(2, pe->reads);
	set_controls(pe, 1, 1, 2);
	write_control(pe, NC | SS);
	set_controls(pe, 1, 1, 3);
	complete(pe);
	EXPECT_EQ(0, control(pe));
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

/* In Debug state, the event is CONSTRAINED UNPREDICTABLE. */
TEST_F(capture, event_in_debug_state)
{
	struct pe *pe = &self->pe;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		pe->config.debug_captures = true;
		pe->config.debug_event = i;
		make(_metadata, pe);
		set_controls(pe, 1, 1, 3);
		pe->cpu.debug_state = true;
		capture(pe);
		EXPECT_EQ(0, control(pe));
		EXPECT_TRUE(has_values_of(pe, 1));
		EXPECT_EQ(i, pe->events);
		pe->cpu.debug_state = false;
		capture(pe);
		EXPECT_EQ(i + 1, pe->events);
	}
}

TEST_F(capture, without_owner_of_event)
{
	const struct pe_snapshot_owner owner = { .read = read_counters, .opaque = &self->pe };
	struct pe *pe = &self->pe;

	ASSERT_EQ(NULL, pe_snapshot_init(&pe->snapshot, &pe->config, &owner));
	pe_snapshot_reset(&pe->snapshot, true, TEST_SEED);
	set_controls(pe, 1, 1, 3);
	capture(pe);
	EXPECT_EQ(0, control(pe));
	EXPECT_TRUE(has_values_of(pe, 1));
}

TEST_HARNESS_MAIN
