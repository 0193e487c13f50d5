// SPDX-License-Identifier: GPL-2.0
/*
 * CoreSight PMUs with FEAT_CSPMU_EXT64, which is newer than IHI 0091 A.a: types and filters are
 * 64-bit registers, and PMCNTEN and PMCR are at other offsets, as in Linux 7.3.
 */
#include "coresight_fixture.h"

#define MANY	1000003ULL

FIXTURE(wide) {
};

static bool is_wide(const struct machine *machine)
{
	return machine->stimulus.page && coresight_of(machine).wide_registers;
}

/* The PMU that the other tests leave out because of its registers. */
FIXTURE_SETUP(wide)
{
	int number, i;
	const struct machine *machines = all_machines(&number);

	for (i = 0; i < number && (!is_chosen(machines[i].pmu.name) || !is_wide(&machines[i])); i++)
		;
	machine_setup(_metadata, i < number ? machines[i].pmu.name : NULL, true);
}

PMU_TEARDOWN(wide)

TEST_F(wide, fields_have_64_bits)
{
	expect_attribute("format/event", "config:0-63");
	expect_attribute("format/filter", "config1:0-63");
	expect_attribute("format/filter2", "config2:0-63");
}

/* A different event on each monitor, which is disabled when its event is closed. */
TEST_F_TIMEOUT(wide, every_monitor_counts_its_event, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	int fds[CORESIGHT_MONITORS];
	unsigned int n, i, round;
	__u64 seen;

	for (n = 0; n < coresight.monitors; n++)
		fds[n] = must_open(0x1000 + n, -1);
	EXPECT_EQ((1ULL << n) - 1, stimulus_peek(stimulus, PMCNTEN_64));
	EXPECT_EQ(PMCR_E, stimulus_peek32(stimulus, PMCR_64) & PMCR_E);
	for (n = 0, seen = 0; n < coresight.monitors; n++) {
		seen |= 1ULL << (stimulus_peek(stimulus, PMEVTYPER_64(n)) - 0x1000);
		EXPECT_EQ(0, stimulus_peek(stimulus, PMEVFILTR_64(n)));
		EXPECT_EQ(0, stimulus_peek(stimulus, PMEVFILT2R_64(n)));
	}
	EXPECT_EQ((1ULL << n) - 1, seen);
	for (round = 1; round <= 3; round++) {
		for (n = 0; n < coresight.monitors; n++)
			stimulus_inject(stimulus, 0x1000 + n, SOURCE, (MANY + n) << 20);
		for (n = 0; n < coresight.monitors; n++) {
			EXPECT_EQ(round * ((MANY + n) << 20), pmu_value(fds[n]))
				TH_LOG("round %u, event %#x", round, 0x1000 + n);
		}
	}
	for (i = 0; i < n; i++) {
		close(fds[i]);
		EXPECT_EQ(n - i - 1, __builtin_popcountll(stimulus_peek(stimulus, PMCNTEN_64)));
	}
}

/* Filtered counts add up to the unfiltered one, with both filters, in one group. */
TEST_F(wide, filters_of_a_group)
{
	static const __u32 filters[][2] = { { 0, 0 }, { 0x42, 0 }, { 0x43, 0x7 }, { 0x43, 0x80 } };
	struct stimulus_event event = { .event = CORESIGHT_EVENT };
	__u64 values[ARRAY_SIZE(filters)];
	struct perf_event_attr attr;
	int fd, leader = -1;
	unsigned int n, round;

	for (n = 0; n < ARRAY_SIZE(filters); n++) {
		attr = attr_of(CORESIGHT_EVENT);
		ASSERT_EQ(0, pmu_set_field(pmu, &attr, "filter", filters[n][0]));
		ASSERT_EQ(0, pmu_set_field(pmu, &attr, "filter2", filters[n][1]));
		attr.read_format = PERF_FORMAT_GROUP;
		fd = must_open_attr(&attr, leader);
		leader = leader < 0 ? fd : leader;
	}
	for (round = 1; round <= 5; round++) {
		for (n = 1; n < ARRAY_SIZE(filters); n++) {
			event.stream_id = filters[n][0];
			event.partid = filters[n][1];
			stimulus_inject_event(stimulus, &event, 10 * n);
		}
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(0, stimulus_peek(stimulus, PMCNTEN_64));
		stimulus_inject_event(stimulus, &event, 1);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, pmu_read_group(leader, values, ARRAY_SIZE(filters)));
		for (n = 1; n < ARRAY_SIZE(filters); n++)
			EXPECT_EQ(10 * n * round, values[n]);
		EXPECT_EQ(values[1] + values[2] + values[3], values[0]);
	}
}

/*
 * The upper halves are written to the registers. This model has no such event, so nothing is
 * counted.
 */
TEST_F_TIMEOUT(wide, bits_above_31, SLOW)
{
	static const char * const fields[] = { "event", "filter", "filter2" };
	struct perf_event_attr attr;
	__u64 expected[3];
	unsigned int i, bit, n;
	int fd;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		for (bit = 32; bit < 64; bit++) {
			expected[0] = CORESIGHT_EVENT;
			expected[1] = 0;
			expected[2] = 0;
			expected[i] |= 1ULL << bit;
			attr = attr_of(CORESIGHT_EVENT);
			ASSERT_EQ(0, pmu_set_field(pmu, &attr, fields[i], expected[i]));
			fd = must_open_attr(&attr, -1);
			ASSERT_NE(0, stimulus_peek(stimulus, PMCNTEN_64));
			n = __builtin_ctzll(stimulus_peek(stimulus, PMCNTEN_64));
			EXPECT_EQ(expected[0], stimulus_peek(stimulus, PMEVTYPER_64(n)));
			EXPECT_EQ(expected[1], stimulus_peek(stimulus, PMEVFILTR_64(n)));
			EXPECT_EQ(expected[2], stimulus_peek(stimulus, PMEVFILT2R_64(n)));
			stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, MANY);
			EXPECT_EQ(0, pmu_value(fd))
				TH_LOG("bit %u of %s", bit, fields[i]);
			close(fd);
		}
	}
}

/*
 * The state left by firmware or reset is cleared when the driver is bound and when it is unbound.
 */
TEST_F(wide, unbind_and_bind)
{
	int fd;

	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "the driver has no unbind");
	must_unbind();
	EXPECT_EQ(0, stimulus_peek32(stimulus, PMCR_64) & PMCR_E);
	stimulus_reset(stimulus, 0x64);
	must_bind();
	EXPECT_EQ(0, stimulus_peek(stimulus, PMCNTEN_64));
	fd = must_open(CORESIGHT_EVENT, -1);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, MANY);
	EXPECT_EQ(MANY, pmu_value(fd));
}

TEST_HARNESS_MAIN
