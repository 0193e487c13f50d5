// SPDX-License-Identifier: GPL-2.0
/*
 * Group reads by snapshot, in addition to syspmu_capture: for any location of the values in
 * PMSVR<n> (rule CFXNM), if a capture fails, and if another agent captures.
 */
#include <pthread.h>

#include "coresight_fixture.h"
#include "interleave.h"

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
	unsigned int wanted;
	unsigned int done;
};

#define LAST_CAPTURE	2000

static void *capture_when_wanted(void *argument)
{
	struct stranger *stranger = argument;

	cpu_pin(stranger->cpu);
	while (stranger->done < LAST_CAPTURE) {
		while (__atomic_load_n(&stranger->wanted, __ATOMIC_ACQUIRE) == stranger->done)
			;
		stimulus_inject(&stranger->stimulus, CORESIGHT_EVENT, SOURCE, 1);
		stimulus_capture(&stranger->stimulus);
		__atomic_add_fetch(&stranger->done, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* An external request captures at any time, also between two reads of PMSVR<n>: once in a read. */
TEST_F_TIMEOUT(snapshot, somebody_else_captures, SLOW)
{
	struct machine *machine = &self->machine;
	struct stranger stranger = { .stimulus = machine->stimulus };
	unsigned int n, round, number = group_size(machine), wrong = 0;
	__u64 values[8], last = 0;
	pthread_t thread;
	int leader;

	stranger.cpu = cpu_other_than(machine->pmu.cpu);
	if (stranger.cpu < 0)
		SKIP(return, "there is only one CPU");
	leader = open_group(_metadata, machine, number);
	ASSERT_EQ(0, pthread_create(&thread, NULL, capture_when_wanted, &stranger));
	for (round = 1; round <= LAST_CAPTURE; round++) {
		__atomic_store_n(&stranger.wanted, round, __ATOMIC_RELEASE);
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		for (n = 1; n < number && values[n] == values[0]; n++)
			;
		wrong += n < number || values[0] < last;
		last = values[0];
		while (__atomic_load_n(&stranger.done, __ATOMIC_ACQUIRE) < round)
			;
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, wrong);
}

/* A group whose first event occurs less often than the others, which are the same event. */
static int open_slow_and_twins(struct __test_metadata *_metadata, const struct machine *machine,
			       unsigned int number)
{
	struct perf_event_attr attr;
	int fd, leader = -1;
	unsigned int n;

	for (n = 0; n < number; n++) {
		ASSERT_EQ(0, pmu_describe(&machine->pmu, &attr, n ? machine->pmu.event :
					  machine->pmu.other_event));
		if (!is_uniform(machine))
			ASSERT_EQ(0, pmu_set_field(&machine->pmu, &attr, "filter", 0xffffffff));
		attr.read_format = PERF_FORMAT_GROUP;
		fd = must_open_attr(_metadata, &machine->pmu, &attr, leader);
		leader = leader < 0 ? fd : leader;
	}
	return leader;
}

static void read_of_one_instant(struct __test_metadata *_metadata, struct machine *machine,
				int leader, unsigned int number)
{
	struct stimulus *stimulus = &machine->stimulus;
	__u64 values[8];
	unsigned int n;

	stimulus_inject(stimulus, machine->pmu.event, SOURCE, 100 * STEP);
	stimulus_inject(stimulus, machine->pmu.other_event, SOURCE, 1);
	stimulus_step(stimulus, machine->pmu.event, SOURCE, STEP);
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	stimulus_step(stimulus, 0, 0, 0);
	for (n = 2; n < number; n++) {
		EXPECT_EQ(values[1], values[n])
			TH_LOG("event %u", n);
	}
}

static __u64 reads_of_shadow(struct machine *machine, unsigned int n)
{
	return stimulus_reads(&machine->stimulus, machine->hardware.counter_page | PMSVR(n));
}

/* The physical address of PMSVR<n>. */
static __u64 address_of_shadow(struct machine *machine, unsigned int n)
{
	struct stimulus *stimulus = &machine->stimulus;
	__u64 page = machine->hardware.counter_page ?
		     stimulus_page_1(stimulus, stimulus->instance) : machine->pmu.page;

	return page + PMSVR(n);
}

/*
 * The same just before any read of a PMSVR<n>, while events occur before each of them. The counter
 * that has the first value does not count any of these.
 */
TEST_F_TIMEOUT(snapshot, somebody_else_captures_amid_a_read, SLOW)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int n, number = group_size(machine), watched = 0;
	__u64 reads[CORESIGHT_SAVED_WORDS];
	int leader, watch;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	leader = open_slow_and_twins(_metadata, machine, number);
	for (n = 0; n < CORESIGHT_SAVED_WORDS; n++)
		reads[n] = reads_of_shadow(machine, n);
	read_of_one_instant(_metadata, machine, leader, number);
	for (n = 0; n < CORESIGHT_SAVED_WORDS; n++)
		reads[n] -= reads_of_shadow(machine, n);
	for (n = 0; n < CORESIGHT_SAVED_WORDS; n++) {
		if (!reads[n])
			continue;
		watch = read_write(machine->pmu.cpu, address_of_shadow(machine, n),
				   stimulus_capture_register(stimulus), 1);
		if (watch == -ENODEV || watch == -EOPNOTSUPP)
			SKIP(return, "this machine has no watchpoints");
		ASSERT_LE(0, watch);
		read_of_one_instant(_metadata, machine, leader, number);
		close(watch);
		EXPECT_TRUE(call_has_written())
			TH_LOG("PMSVR%u was not read", n);
		call_write("", 0, 0);
		watched++;
	}
	EXPECT_LE(number, watched);
}

TEST_HARNESS_MAIN
