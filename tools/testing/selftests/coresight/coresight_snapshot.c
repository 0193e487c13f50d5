// SPDX-License-Identifier: GPL-2.0
/*
 * Group reads by snapshot, in addition to syspmu_capture: for any location of the values in
 * PMSVR<n> (rule CFXNM), if a capture fails, and if another agent captures.
 */
#include <pthread.h>

#include "coresight_fixture.h"

#define STEP	100

static bool has_snapshot(const struct machine *machine)
{
	return machine->hardware.capture;
}

PMU_FIXTURE(snapshot, has_snapshot, true)

/* In a PMU with monitors of several kinds, PMEVFILTR is a set of sources: select all of them. */
static int open_group(struct __test_metadata *_metadata, const struct machine *machine,
		      unsigned int number)
{
	struct perf_event_attr attr;
	int fd, leader = -1;
	unsigned int n;

	for (n = 0; n < number; n++) {
		ASSERT_EQ(0, pmu_describe(&machine->pmu, &attr, CORESIGHT_EVENT));
		if (!is_uniform(machine))
			ASSERT_EQ(0, pmu_set_field(&machine->pmu, &attr, "filter", 0xffffffff));
		attr.read_format = PERF_FORMAT_GROUP;
		fd = must_open_attr(_metadata, &machine->pmu, &attr, leader);
		leader = leader < 0 ? fd : leader;
	}
	return leader;
}

static unsigned int group_size(const struct machine *machine)
{
	return machine->hardware.counters < 6 ? machine->hardware.counters : 6;
}

/*
 * Events occur before each read of a PMSVR: captured values do not include them. The events of one
 * read are less than a sixteenth of the range of 16 bits.
 */
TEST_F(snapshot, all_values_are_of_one_instant)
{
	struct machine *machine = &self->machine;
	unsigned int n, round, number = group_size(machine);
	__u64 values[8], first = 0, captures;
	int leader;

	leader = open_group(_metadata, machine, number);
	captures = stimulus_writes(&machine->stimulus, PMSSCR);
	for (round = 1; round <= 200; round++) {
		stimulus_inject(&machine->stimulus, CORESIGHT_EVENT, SOURCE, round);
		stimulus_hold(&machine->stimulus, true);
		stimulus_step(&machine->stimulus, CORESIGHT_EVENT, SOURCE, STEP);
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		stimulus_step(&machine->stimulus, CORESIGHT_EVENT, SOURCE, 0);
		stimulus_hold(&machine->stimulus, false);
		EXPECT_LT(first, values[0]);
		first = values[0];
		for (n = 1; n < number; n++) {
			EXPECT_EQ(values[0], values[n])
				TH_LOG("round %u, event %u", round, n);
		}
	}
	EXPECT_LE(captures + 200, stimulus_writes(&machine->stimulus, PMSSCR));
}

/* PMSSSR says that nothing was captured (§3.45): all events are counted all the same. */
TEST_F_TIMEOUT(snapshot, nothing_is_captured, SLOW)
{
	struct machine *machine = &self->machine;
	unsigned int n, round, number = group_size(machine) - 1;
	__u64 values[8], total = 0;
	struct perf_event_attr attr;
	int leader, single;
	bool fails;

	leader = open_group(_metadata, machine, number);
	ASSERT_EQ(0, pmu_describe(&machine->pmu, &attr, CORESIGHT_EVENT));
	if (!is_uniform(machine))
		ASSERT_EQ(0, pmu_set_field(&machine->pmu, &attr, "filter", 0xffffffff));
	single = must_open_attr(_metadata, &machine->pmu, &attr, -1);
	for (round = 1; round <= 20; round++) {
		fails = round % 4 < 2;
		stimulus_set_agent(&machine->stimulus, fails ? STIMULUS_AGENT_NOT_CAPTURED : 0);
		stimulus_inject(&machine->stimulus, CORESIGHT_EVENT, SOURCE, round);
		total += round;
		EXPECT_EQ(total, pmu_value(single));
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		for (n = 0; n < number; n++) {
			EXPECT_EQ(total, values[n])
				TH_LOG("round %u, event %u", round, n);
		}
	}
	stimulus_set_agent(&machine->stimulus, 0);
}

/* Monitors continue to count: a capture must not reset them (PMSSRR). */
TEST_F_TIMEOUT(snapshot, no_monitor_is_reset, SLOW)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	struct pmu *pmu = &self->machine.pmu;
	unsigned int seed;

	for (seed = 1; seed <= 3; seed++) {
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		stimulus_reset(stimulus, seed * 0x9e3779b9);
		stimulus_traffic(stimulus, false);
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
		EXPECT_EQ(0, stimulus_peek(stimulus, PMSSRR))
			TH_LOG("seed %u", seed);
		if (!power_can_suspend())
			continue;
		stimulus_lose_state(stimulus, seed);
		ASSERT_EQ(0, power_suspend());
		EXPECT_EQ(0, stimulus_peek(stimulus, PMSSRR))
			TH_LOG("seed %u, after a sleep", seed);
	}
	stimulus_traffic(stimulus, false);
}

struct stranger {
	struct stimulus stimulus;
	int cpu;
	bool stop;
};

static void *capture_meanwhile(void *argument)
{
	struct stranger *stranger = argument;

	cpu_pin(stranger->cpu);
	while (!__atomic_load_n(&stranger->stop, __ATOMIC_RELAXED)) {
		stimulus_inject(&stranger->stimulus, CORESIGHT_EVENT, SOURCE, 1);
		stimulus_capture(&stranger->stimulus);
	}
	return NULL;
}

/* An external request captures at any time, also between two reads of PMSVR<n>. */
TEST_F_TIMEOUT(snapshot, somebody_else_captures, SLOW)
{
	struct machine *machine = &self->machine;
	struct stranger stranger = { .stimulus = machine->stimulus };
	unsigned int n, round, number = group_size(machine);
	__u64 values[8], last = 0;
	pthread_t thread;
	int leader;

	stranger.cpu = cpu_other_than(machine->pmu.cpu);
	if (stranger.cpu < 0)
		SKIP(return, "there is only one CPU");
	leader = open_group(_metadata, machine, number);
	ASSERT_EQ(0, pthread_create(&thread, NULL, capture_meanwhile, &stranger));
	for (round = 0; round < 2000; round++) {
		if (pmu_read_group(leader, values, number))
			break;
		for (n = 1; n < number && values[n] == values[0]; n++)
			;
		if (n < number || values[0] < last)
			break;
		last = values[0];
	}
	__atomic_store_n(&stranger.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(2000, round)
		TH_LOG("%#llx and %#llx in one read, %#llx before", values[0],
		       values[n < number ? n : 0], last);
}

TEST_HARNESS_MAIN
