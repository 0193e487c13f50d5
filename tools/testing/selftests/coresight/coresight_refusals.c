// SPDX-License-Identifier: GPL-2.0
/* Events and groups that a CoreSight PMU must refuse, with the right message. */
#include "coresight_fixture.h"
#include "refusal.h"

TEST_F_TIMEOUT(injected, cycles_without_a_cycle_counter, SLOW)
{
	struct refusal refusal = refusal_of(CORESIGHT_EVENT_CYCLES, "cycle");

	if (coresight_of(machine).cycle_counter) {
		EXPECT_EQ(0, refused(&refusal.attr, -1, pmu->cpu, -1));
		return;
	}
	expect_message(&refusal);
}

/* There is only one cycle counter, so two cycles events cannot be a group. */
TEST_F(injected, one_cycle_counter_is_not_two)
{
	struct perf_event_attr attr = attr_of(CORESIGHT_EVENT_CYCLES);
	int leader;

	if (!coresight_of(machine).cycle_counter)
		SKIP(return, "this PMU has no cycle counter");
	leader = must_open(CORESIGHT_EVENT_CYCLES, -1);
	EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, leader));
}

/* As many events as there are monitors, and cycles in addition. */
TEST_F(injected, a_group_as_large_as_the_pmu)
{
	struct coresight_hardware coresight = coresight_of(machine);
	struct perf_event_attr attr = attr_of(CORESIGHT_EVENT);
	int leader;

	if (!is_uniform(machine) || hardware->bits < 32)
		SKIP(return, "not all monitors of this PMU can count any event");
	leader = must_open_group(coresight.monitors);
	EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, leader));
	if (coresight.cycle_counter)
		must_open(CORESIGHT_EVENT_CYCLES, leader);
}

/* PMEVFILT2R is newer than IHI 0091; it exists if it keeps what is written to it. */
TEST_F(injected, filter2_of_a_pmu_without_it)
{
	struct perf_event_attr attr = attr_of(CORESIGHT_EVENT);

	if (!is_uniform(machine) || hardware->bits < 32)
		SKIP(return, "this PMU has the register, or counts nothing without an interrupt");
	ASSERT_EQ(0, pmu_set_field(pmu, &attr, "filter2", 1));
	EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1));
}

TEST_F_TIMEOUT(injected, numbers_beyond_the_cycle_counter, SLOW)
{
	struct refusal refusal = refusal_of(CORESIGHT_EVENT_UNDEFINED, "event");
	unsigned int bit;

	expect_message(&refusal);
	for (bit = 0; bit < 32; bit++) {
		refusal.attr.config = CORESIGHT_EVENT_CYCLES | 1ULL << bit;
		EXPECT_EQ(-EINVAL, refused(&refusal.attr, -1, pmu->cpu, -1))
			TH_LOG("event %#llx", refusal.attr.config);
	}
}

/* The devicetree has its interrupt, but either PMINTEN or PMOVSSET does not keep ones. */
static bool cannot_interrupt(const struct machine *machine)
{
	struct stimulus stimulus = machine->stimulus;

	return !stimulus_peek32(&stimulus, PMINTENSET(0)) &&
	       device_has_level_interrupt(machine->pmu.device);
}

PMU_FIXTURE(silent, cannot_interrupt, true)

/* Monitors of 64 bits do not overflow in practice, others are polled: only sampling is lost. */
TEST_F_TIMEOUT(silent, counts_but_does_not_sample, SLOW)
{
	__u64 step = hardware->bits == 64 ? 1ULL << 58 : over_half();
	struct refusal refusal;
	unsigned int round;
	char device[80];
	int fd;

	snprintf(device, sizeof(device), " %s: ", pmu->device);
	mark_log();
	allow_messages();
	EXPECT_EQ(1, messages_with(device, "sampling is refused"))
		TH_LOG("no message says what is lost");
	EXPECT_TRUE(pmu_interrupt_is(pmu, hardware->bits == 64 ? "none" : "timer"));
	fd = must_open(CORESIGHT_EVENT, -1);
	for (round = 1; round <= 20; round++) {
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, step);
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 3);
		EXPECT_EQ(round * (step + 3), pmu_value(fd));
	}
	close(fd);
	refusal = refusal_of(CORESIGHT_EVENT, "sample_period");
	refusal.attr.sample_period = 1000;
	refusal.expected = -EOPNOTSUPP;
	expect_message(&refusal);
}

TEST_HARNESS_MAIN
