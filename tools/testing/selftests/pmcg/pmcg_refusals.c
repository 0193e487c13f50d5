// SPDX-License-Identifier: GPL-2.0
/* Event numbers and filters of a PMCG that perf_event_open() must refuse. */
#include "pmcg_fixture.h"
#include "refusal.h"

static bool is_first_of_its_kind(const struct machine *machine)
{
	static bool seen[2];
	bool first = !seen[machine->hardware.global_filter];

	seen[machine->hardware.global_filter] = true;
	return first;
}

/* Refusals of groups depend on the hardware: use the first PMU of each kind. */
PMU_FIXTURE(group_log, is_first_of_its_kind, false)

TEST_F_TIMEOUT(group_log, refused_groups_say_why, SLOW)
{
	struct pmcg_filter first = exactly(0x42), second = exactly(0x43);
	struct refusal refusal;
	int number = 0, fd;

	allow_messages();
	refusal = refusal_of(PMCG_EVENT_TRANSACTION, "group");
	ASSERT_EQ(0, pmcg_describe(pmu, &refusal.attr, PMCG_EVENT_TRANSACTION, &first));
	refusal.group_fd = must_open_filtered(PMCG_EVENT_TRANSACTION, &first, -1);
	if (stimulus->page && hardware->global_filter) {
		ASSERT_EQ(0, pmcg_describe(pmu, &refusal.attr, PMCG_EVENT_TRANSACTION, &second));
		refusal.word = "filter";
		expect_message(&refusal);
		ASSERT_EQ(0, pmcg_describe(pmu, &refusal.attr, PMCG_EVENT_TRANSACTION, &first));
		refusal.word = "group";
	}
	do {
		fd = pmu_open_attr(pmu, &refusal.attr, refusal.group_fd);
	} while (fd >= 0 && ++number < PMU_MAX_COUNTERS);
	expect_message(&refusal);
}

TEST_F(injected, events_that_ceid_lacks)
{
	struct pmcg_hardware pmcg = pmcg_of(machine);
	struct perf_event_attr attr;
	unsigned int event;

	for (event = 0; event < PMCG_ARCHITECTED_EVENTS; event++) {
		attr = attr_of(event);
		EXPECT_EQ(pmcg_implements(&pmcg, event) ? 0 : -EINVAL,
			  refused(&attr, -1, pmu->cpu, -1))
			TH_LOG("event %u", event);
	}
}

/*
 * The low bits of EVENT are implemented, the high ones may not be: all numbers below a power of two
 * are accepted, and a counter must be able to hold the largest one.
 */
TEST_F(injected, events_beyond_the_implemented_bits)
{
	unsigned int bits, taken = 7;
	struct perf_event_attr attr;
	int error;

	for (bits = 7; bits < 16; bits++) {
		attr = attr_of(1U << bits);
		error = refused(&attr, -1, pmu->cpu, -1);
		if (!error) {
			EXPECT_EQ(taken, bits)
				TH_LOG("event %#x is taken, smaller ones are not", 1U << bits);
			taken = bits + 1;
			continue;
		}
		EXPECT_EQ(-EINVAL, error);
		attr = attr_of((1U << bits) | 1);
		EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1));
	}
	if (taken == 7)
		return;
	must_open((1U << taken) - 1, -1);
	EXPECT_LE(0, pmu_counter_of_event(stimulus, hardware, (1U << taken) - 1))
		TH_LOG("no counter holds event %#x", (1U << taken) - 1);
}

TEST_HARNESS_MAIN
