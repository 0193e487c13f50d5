// SPDX-License-Identifier: GPL-2.0
/*
 * Group reads by snapshot, in addition to syspmu_capture: for any location of the values in
 * PMSVR<n> (rule CFXNM), if a capture fails, and if another agent captures.
 */
#include <pthread.h>

#include "coresight_fixture.h"
#include "interleave.h"

#define STEP	100
#define PERIOD	100000

static bool has_snapshot(const struct machine *machine)
{
	return machine->hardware.capture;
}

PMU_FIXTURE(snapshot, has_snapshot, true)

/* All of them are the same event, except for the first one if it is another one. */
static int open_group(__u64 first, unsigned int number)
{
	int leader = must_open_leader(first);

	while (--number)
		must_open(pmu->event, leader);
	return leader;
}

static unsigned int group_size(void)
{
	return hardware->counters < 6 ? hardware->counters : 6;
}

/*
 * Events occur before each read of a PMSVR: captured values do not include them. The events of one
 * read are less than a sixteenth of the range of 16 bits.
 */
TEST_F(snapshot, all_values_are_of_one_instant)
{
	int leader = must_open_group(group_size());
	__u64 value, last = 0, captures;
	unsigned int round;

	captures = stimulus_writes(stimulus, PMSSCR);
	for (round = 1; round <= 200; round++) {
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, round);
		stimulus_hold(stimulus, true);
		stimulus_step(stimulus, CORESIGHT_EVENT, SOURCE, STEP);
		value = read_equal(leader, group_size());
		stimulus_step(stimulus, CORESIGHT_EVENT, SOURCE, 0);
		stimulus_hold(stimulus, false);
		EXPECT_LT(last, value);
		last = value;
	}
	EXPECT_LE(captures + 200, stimulus_writes(stimulus, PMSSCR));
}

/* PMSSSR says that nothing was captured (§3.45): all events are counted all the same. */
TEST_F_TIMEOUT(snapshot, nothing_is_captured, SLOW)
{
	int leader = must_open_group(group_size() - 1), single = must_open(pmu->event, -1);
	unsigned int round;
	__u64 total = 0;
	bool fails;

	for (round = 1; round <= 20; round++) {
		fails = round % 4 < 2;
		stimulus_set_agent(stimulus, fails ? STIMULUS_AGENT_NOT_CAPTURED : 0);
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, round);
		total += round;
		EXPECT_EQ(total, pmu_value(single));
		EXPECT_EQ(total, read_equal(leader, group_size() - 1));
	}
	stimulus_set_agent(stimulus, 0);
}

/* Monitors continue to count: a capture must not reset them (PMSSRR). */
TEST_F_TIMEOUT(snapshot, no_monitor_is_reset, SLOW)
{
	unsigned int seed;

	for (seed = 1; seed <= 3; seed++) {
		must_unbind();
		stimulus_reset(stimulus, seed * 0x9e3779b9);
		must_bind();
		EXPECT_EQ(0, stimulus_peek(stimulus, PMSSRR))
			TH_LOG("seed %u", seed);
		if (!power_can_suspend())
			continue;
		stimulus_lose_state(stimulus, seed);
		ASSERT_EQ(0, power_suspend());
		EXPECT_EQ(0, stimulus_peek(stimulus, PMSSRR))
			TH_LOG("seed %u, after a sleep", seed);
	}
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
	struct stranger stranger = { .stimulus = machine->stimulus };
	unsigned int n, round, number = group_size(), wrong = 0;
	__u64 values[8], last = 0;
	pthread_t thread;
	int leader;

	stranger.cpu = cpu_other_than(pmu->cpu);
	if (stranger.cpu < 0)
		SKIP(return, "there is only one CPU");
	leader = must_open_group(number);
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

/*
 * If the last event of the group is a sampling one, it has counted most before, and its counter is
 * set.
 */
static void read_of_one_instant(int leader, unsigned int number, bool sampling)
{
	__u64 values[8];
	unsigned int n;

	inject(100 * STEP);
	inject_other(1);
	stimulus_step(stimulus, pmu->event, SOURCE, STEP);
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	stimulus_step(stimulus, 0, 0, 0);
	for (n = 2; n < number - sampling; n++) {
		EXPECT_EQ(values[1], values[n])
			TH_LOG("event %u", n);
	}
	if (!sampling)
		return;
	inject_other(PERIOD - 1);
	ASSERT_EQ(0, pmu_read_group(leader, values, number));
}

static __u64 reads_of_shadow(unsigned int n)
{
	return stimulus_reads(stimulus, hardware->counter_page | PMSVR(n));
}

/* The physical address of PMSVR<n>. */
static __u64 address_of_shadow(unsigned int n)
{
	if (hardware->counter_page)
		return stimulus_page_1(stimulus, stimulus->instance) + PMSVR(n);
	return pmu->page + PMSVR(n);
}

/* Somebody else captures just before any read of a PMSVR<n>. */
static void captured_amid_a_read(int leader, unsigned int number, bool sampling)
{
	__u64 reads[CORESIGHT_SAVED_WORDS];
	unsigned int n, watched = 0;
	int watch;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	for (n = 0; n < CORESIGHT_SAVED_WORDS; n++)
		reads[n] = reads_of_shadow(n);
	read_of_one_instant(leader, number, sampling);
	for (n = 0; n < CORESIGHT_SAVED_WORDS; n++)
		reads[n] -= reads_of_shadow(n);
	for (n = 0; n < CORESIGHT_SAVED_WORDS; n++) {
		if (!reads[n])
			continue;
		watch = read_write(pmu->cpu, address_of_shadow(n),
				   stimulus_capture_register(stimulus), 1);
		if (watch == -ENODEV || watch == -EOPNOTSUPP)
			SKIP(return, "this machine has no watchpoints");
		ASSERT_LE(0, watch);
		read_of_one_instant(leader, number, sampling);
		close(watch);
		EXPECT_TRUE(call_has_written())
			TH_LOG("PMSVR%u was not read", n);
		call_write("", 0, 0);
		watched++;
	}
	EXPECT_LE(number, watched);
}

/*
 * Events occur before each of these reads. The counter that has the first value does not count any
 * of them.
 */
TEST_F_TIMEOUT(snapshot, somebody_else_captures_amid_a_read, SLOW)
{
	unsigned int number = group_size();

	captured_amid_a_read(open_group(pmu->other_event, number), number, false);
}

/* Nor does the last one, whose counter the overflow of a sampling event has set. */
TEST_F_TIMEOUT(snapshot, somebody_else_captures_beside_a_sampler, SLOW)
{
	struct perf_event_attr attr = attr_of(pmu->other_event);
	unsigned int number = group_size();
	int leader = must_open_group(number - 1);

	attr.sample_period = PERIOD;
	must_open_attr(&attr, leader);
	inject_other(PERIOD - 1);
	captured_amid_a_read(leader, number, true);
}

TEST_HARNESS_MAIN
