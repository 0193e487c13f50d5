// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU is unbound from its driver while events are open. This does not wait for the events: they
 * can still be read and keep their last counts, the registers are no longer accessed, and the PMU
 * can be bound again when they are closed.
 */
#include <sys/mman.h>

#include "sampling_fixture.h"

#define MAX_FDS		(PMU_MAX_COUNTERS + 2)
/* If unbinding takes longer, it waits for the events. */
#define TIMEOUT_MS	20000

/* Events of all kinds. */
static struct {
	int single;	/* an event alone */
	int leader;	/* of a group */
	unsigned int number;	/* of events in the group */
	int sampler;	/* with a ring buffer, or -1 */
	struct ring ring;	/* its buffer */
	int fds[MAX_FDS];
	unsigned int all;	/* how many */
	__u64 total;	/* that each of them has counted */
} events;

static char module[64];	/* of the driver, empty if it is built in */
static pid_t child;	/* that unbinds */

static void need_two_counters(void)
{
	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	module_of_driver(pmu->driver, module, sizeof(module));
	mark_log();
}

static void close_events(void)
{
	ring_close(&events.ring);
	while (events.all)
		close(events.fds[--events.all]);
}

/* Closes the events first: unbinding may still wait for them. */
static void await_unbinding(void)
{
	close_events();
	if (child > 0)
		waitpid(child, NULL, 0);
}

PMU_FIXTURE_BETWEEN(unbind, can_unbind, true, need_two_counters, await_unbinding)

static int keep(int fd)
{
	events.fds[events.all++] = fd;
	return fd;
}

/* As many events as there are counters: a single event, a sampling event, a group. */
static void open_events(void)
{
	unsigned int left = hardware->counters - 1;

	memset(&events, 0, sizeof(events));
	events.sampler = -1;
	events.single = keep(must_open(pmu->event, -1));
	if (left > 1 && pmu_can_sample(pmu)) {
		events.sampler = keep(open_sampling(PERIOD, &events.ring));
		left--;
	}
	events.leader = keep(must_open_leader(pmu->event));
	for (events.number = 1; events.number < left && events.number < 8; events.number++)
		keep(must_open(pmu->event, events.leader));
	for (left = 0; left < 3; left++)
		events.total += inject(PERIOD + 1);
}

static void expect_last_counts(const char *when)
{
	EXPECT_EQ(events.total, pmu_value(events.single))
		TH_LOG("%s", when);
	EXPECT_EQ(events.total, read_equal(events.leader, events.number))
		TH_LOG("%s, the group", when);
	if (events.sampler >= 0)
		EXPECT_EQ(events.total, value_of(events.sampler))
			TH_LOG("%s, the sampler", when);
}

static bool logs_that_it_waits(void *data)
{
	(void)data;
	return messages_with(pmu->name, "waiting");
}

/* Unbinds without waiting; a driver that waits for the events logs this. False ends the test. */
static bool unbinds(void)
{
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		close_events();
		_exit(device_unbind(pmu->driver, pmu->device) ? 1 : 0);
	}
	if (!process_await(child, TIMEOUT_MS, logs_that_it_waits, NULL)) {
		EXPECT_TRUE(false)
			TH_LOG("unbinding waits for the open events");
		return false;
	}
	EXPECT_FALSE(logs_that_it_waits(NULL))
		TH_LOG("the log says that unbinding waits");
	expect_success(&child);
	return true;
}

static bool unbinds_while_open(void)
{
	open_events();
	return unbinds();
}

/* Closing the last event does not wait until the PMU can be bound. */
static void close_and_bind(void)
{
	close_events();
	must_bind();
	expect_exact_counts();
}

TEST_F_TIMEOUT(unbind, returns_at_once, SLOW)
{
	if (!unbinds_while_open())
		return;
	expect_quiet();
	/* Events that had not been read are counted. */
	expect_last_counts("at first");
	inject(5000);
	expect_last_counts("later");
	close_and_bind();
}

/* No operation on the events accesses a register. */
TEST_F_TIMEOUT(unbind, leaves_the_block_alone, SLOW)
{
	struct ring_tally tally = { 0 };
	struct ring again;
	__u64 accesses;
	unsigned int i;

	if (!unbinds_while_open())
		return;
	accesses = all_accesses(stimulus);
	for (i = 0; i < 10; i++) {
		inject(5000);
		expect_last_counts("during all this");
		EXPECT_EQ(0, ioctl(events.leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
		EXPECT_EQ(0, ioctl(events.leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
		EXPECT_EQ(0, ioctl(events.single, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(0, ioctl(events.single, PERF_EVENT_IOC_ENABLE, 0));
	}
	if (events.sampler >= 0) {
		ring_drain(&events.ring, &tally);
		EXPECT_EQ(3, tally.samples);
		EXPECT_EQ(0, ioctl(events.sampler, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(0, ioctl(events.sampler, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_EQ(0, ring_open(&again, events.sampler));
		ring_close(&again);
	}
	EXPECT_EQ(0, ioctl(events.single, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, pmu_value(events.single));
	EXPECT_EQ(accesses, all_accesses(stimulus));
	close_events();
	EXPECT_EQ(accesses, all_accesses(stimulus));
	close_and_bind();
}

TEST_F_TIMEOUT(unbind, takes_no_new_event, SLOW)
{
	int fd;

	if (!unbinds_while_open())
		return;
	mark_log();
	fd = pmu_open(pmu, pmu->event, -1);
	EXPECT_EQ(-ENODEV, fd);
	EXPECT_TRUE(messages_with(pmu->name, "has been unbound"));
	close(fd);
	fd = pmu_open(pmu, pmu->other_event, events.leader);
	EXPECT_EQ(-ENODEV, fd);
	close(fd);
	expect_last_counts("after others were refused");
	close_and_bind();
}

/* A single event of any kind is enough. */
TEST_F_TIMEOUT(unbind, bind_is_refused_until_all_are_closed, SLOW)
{
	if (!unbinds_while_open())
		return;
	while (events.all) {
		EXPECT_EQ(-EBUSY, device_bind(pmu->driver, pmu->device))
			TH_LOG("%u events are open", events.all);
		if (events.all == 1) {
			EXPECT_TRUE(messages_with(pmu_log_word(pmu), "open"))
				TH_LOG("there is no message why it cannot be bound");
			ring_close(&events.ring);
		}
		close(events.fds[--events.all]);
	}
	close_and_bind();
}

/* Concurrent reads on another CPU: a count never decreases. */
TEST_F_TIMEOUT(unbind, amid_reads, SLOW)
{
	int cpu, status, round;
	__u64 value, last;
	pid_t reader;
	bool *over, unbound;

	over = mmap(NULL, sizeof(*over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, over);
	cpu = cpu_other_than(pmu->cpu);
	for (round = 0; round < 3; round++) {
		open_events();
		*over = false;
		reader = fork();
		ASSERT_LE(0, reader);
		if (!reader) {
			if (cpu >= 0)
				cpu_pin(cpu);
			for (last = 0; !__atomic_load_n(over, __ATOMIC_RELAXED); last = value) {
				value = pmu_value(events.single);
				if (value < last || value > events.total)
					_exit(1);
			}
			_exit(0);
		}
		unbound = unbinds();
		__atomic_store_n(over, true, __ATOMIC_RELAXED);
		ASSERT_EQ(reader, waitpid(reader, &status, 0));
		EXPECT_EQ(0, status);
		if (!unbound)
			return;
		expect_last_counts("during reads");
		close_and_bind();
	}
}

TEST_F_TIMEOUT(unbind, then_the_system_sleeps, SLOW)
{
	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	if (!unbinds_while_open())
		return;
	ASSERT_EQ(0, power_suspend());
	expect_last_counts("after a sleep");
	close_and_bind();
}

TEST_F_TIMEOUT(unbind, then_the_cpu_goes, SLOW)
{
	int gone = pmu->cpu;

	if (!cpu_can_go_offline(gone) || cpu_other_than(gone) < 0)
		SKIP(return, "CPU %d cannot go offline", gone);
	if (!unbinds_while_open())
		return;
	ASSERT_EQ(0, cpu_set_online(gone, false));
	expect_last_counts("without the CPU");
	ASSERT_EQ(0, cpu_set_online(gone, true));
	expect_last_counts("when the CPU is back");
	close_and_bind();
}

/* The module must stay as long as events are open. */
TEST_F_TIMEOUT(unbind, keeps_the_module, SLOW)
{
	if (!module[0])
		SKIP(return, "the driver is not a module that can be unloaded");
	if (!unbinds_while_open())
		return;
	EXPECT_EQ(-EWOULDBLOCK, module_remove(module));
	expect_last_counts("after rmmod was refused");
	close_and_bind();
}

/* An interrupt that is pending when the driver is unbound is ignored. */
TEST_F_TIMEOUT(unbind, with_an_interrupt_on_its_way, SLOW)
{
	unsigned int i;

	open_events();
	stimulus_hold(stimulus, true);
	for (i = 0; i < 2; i++) {
		events.total += inject(over_half());
		expect_last_counts("interrupt held");
	}
	if (!unbinds())
		return;
	stimulus_hold(stimulus, false);
	expect_last_counts("with an interrupt on its way");
	close_and_bind();
}

TEST_HARNESS_MAIN
