// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are opened while their PMU moves to another CPU: for the CPU that it leaves, or
 * on the new one before it is there. perf_event_open() may fail then, but no event may count
 * nothing for ever, and perf must not give up a pinned one.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "interleave.h"
#include "pmcg_fixture.h"

#define EVENT		PMCG_EVENT_TRANSACTION
#define STREAM		0x8
/* How often an event may be found to count nothing yet. */
#define PATIENCE	200
#define MAX_KEPT	4

FIXTURE(moves) {
	struct pmcg_machine machine;
	pid_t mover;
};

FIXTURE_VARIANT(moves) {
	char name[PMCG_NAME_LENGTH];
};

FIXTURE_SETUP(moves)
{
	struct pmcg *pmcg = &self->machine.pmcg;

	cpu_all_online();
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: opens events on the CPU that goes");
	if (cpu_other_than(pmcg->cpu) < 0 || !cpu_can_go_offline(pmcg->cpu))
		SKIP(return, "CPU %d cannot go offline", pmcg->cpu);
}

FIXTURE_TEARDOWN(moves)
{
	struct pmcg *pmcg = &self->machine.pmcg, found;

	call_release();
	if (self->mover > 0)
		waitpid(self->mover, NULL, 0);
	cpu_all_online();
	if (pmcg->device[0] && pmcg_find(&found, pmcg->name))
		EXPECT_EQ(0, device_bind(pmcg->driver, pmcg->device));
	machine_teardown(_metadata, &self->machine);
}

static void LATER add_moves_variants(void)
{
	add_variants(&_moves_fixture_object, NULL);
}

/**
 * struct opening - an event that another thread opens
 * @pmcg: its PMU
 * @attr: its attributes
 * @fd: what perf_event_open() has said
 * @over: it has said something
 * @thread: that asks
 */
struct opening {
	const struct pmcg *pmcg;
	struct perf_event_attr attr;
	int fd;
	bool over;
	pthread_t thread;
};

static void *open_event(void *data)
{
	struct opening *opening = data;

	opening->fd = pmcg_open_attr(opening->pmcg, &opening->attr, -1);
	__atomic_store_n(&opening->over, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start_opening(struct __test_metadata *_metadata, struct opening *opening,
			  const struct pmcg *pmcg, bool pinned, bool disabled)
{
	memset(opening, 0, sizeof(*opening));
	ASSERT_EQ(0, pmcg_describe(pmcg, &opening->attr, EVENT, NULL));
	opening->attr.pinned = pinned;
	opening->attr.disabled = disabled;
	opening->pmcg = pmcg;
	ASSERT_EQ(0, pthread_create(&opening->thread, NULL, open_event, opening));
}

/* What is injected may come before the event has its counter; once it has, all of it counts. */
static void expect_to_count(struct __test_metadata *_metadata, struct pmcg_machine *machine,
			    int fd, const char *which)
{
	__u64 value = 0;
	unsigned int i;

	ASSERT_EQ(0, pmcg_follow(&machine->pmcg));
	for (i = 0; i < PATIENCE && !value; i++) {
		if (i)
			usleep(10000);
		stimulus_inject(&machine->stimulus, EVENT, STREAM, 10);
		value = pmcg_value(fd);
	}
	EXPECT_NE(PMCG_NO_VALUE, value)
		TH_LOG("%s: perf has given it up", which);
	EXPECT_NE(0, value)
		TH_LOG("%s: it counts nothing", which);
	stimulus_inject(&machine->stimulus, EVENT, STREAM, 77);
	EXPECT_EQ(value + 77, pmcg_value(fd))
		TH_LOG("%s", which);
}

/* The PMU goes to another CPU between the driver's yes and perf's installing the event. */
static void opened_for_the_old_cpu(struct __test_metadata *_metadata,
				   struct pmcg_machine *machine, const char *function,
				   bool pinned, bool disabled, bool comes_back)
{
	struct pmcg *pmcg = &machine->pmcg, before = *pmcg;
	struct opening opening;
	char which[128];
	int old = pmcg->cpu;

	snprintf(which, sizeof(which), "opened for a CPU that %s, at %s%s%s",
		 comes_back ? "comes back" : "is away", function, pinned ? ", pinned" : "",
		 disabled ? ", disabled at first" : "");
	ASSERT_EQ(0, call_hold(function))
		TH_LOG("%s", function);
	start_opening(_metadata, &opening, &before, pinned, disabled);
	while (!call_is_held() && !__atomic_load_n(&opening.over, __ATOMIC_ACQUIRE))
		usleep(1000);
	ASSERT_EQ(0, cpu_set_online(old, false));
	if (comes_back)
		ASSERT_EQ(0, cpu_set_online(old, true));
	call_release();
	ASSERT_EQ(0, pthread_join(opening.thread, NULL));
	if (opening.fd < 0) {
		EXPECT_EQ(-ENODEV, opening.fd)
			TH_LOG("%s", which);
	} else {
		if (disabled)
			ASSERT_EQ(0, ioctl(opening.fd, PERF_EVENT_IOC_ENABLE, 0));
		expect_to_count(_metadata, machine, opening.fd, which);
		close(opening.fd);
	}
	ASSERT_EQ(0, cpu_all_online());
	ASSERT_EQ(0, pmcg_follow(pmcg));
}

TEST_F_TIMEOUT(moves, opened_for_the_cpu_it_leaves, SLOW)
{
	/* They come after the driver's part of perf_event_open(), and before perf locks the CPU. */
	static const char * const functions[] = {
		"security_perf_event_alloc", "find_get_context",
	};
	static const struct {
		bool pinned, disabled, comes_back;
	} ways[] = {
		{ .pinned = false }, { .comes_back = true }, { .pinned = true, .comes_back = true },
		{ .disabled = true, .comes_back = true },
	};
	unsigned int i = 0, way;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	/* Without CONFIG_SECURITY there is no first one, and the compiler may inline the other. */
	while (i < ARRAY_SIZE(functions) && call_hold(functions[i]))
		i++;
	if (i == ARRAY_SIZE(functions))
		SKIP(return, "this kernel has no function where perf_event_open() could wait");
	call_release();
	for (way = 0; way < ARRAY_SIZE(ways) && _metadata->exit_code == KSFT_PASS; way++)
		opened_for_the_old_cpu(_metadata, &self->machine, functions[i], ways[way].pinned,
				       ways[way].disabled, ways[way].comes_back);
}

/* perf takes the events from the old CPU when the PMU belongs to the new one already. */
TEST_F_TIMEOUT(moves, opened_before_it_is_there, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	int fd, new[2], old, status, i;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (machine->hardware.counters < 4)
		SKIP(return, "this PMCG has less than four counters");
	/* PMUs move one after another: the one that was bound last is the first. */
	ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
	ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
	ASSERT_EQ(0, pmcg_find(pmcg, variant->name));
	stimulus_traffic(&machine->stimulus, false);
	old = pmcg->cpu;
	ASSERT_EQ(0, pmcg_pin(cpu_other_than(old)));
	fd = pmcg_open_pinned(pmcg, EVENT, NULL);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, call_hold("perf_pmu_migrate_context"));
	self->mover = fork();
	ASSERT_LE(0, self->mover);
	if (!self->mover)
		_exit(cpu_set_online(old, false) ? 1 : 0);
	if (!call_await(self->mover))
		SKIP(return, "this driver moves its events otherwise");
	ASSERT_EQ(0, pmcg_read_cpu(pmcg));
	for (i = 0; i < 2; i++) {
		new[i] = i ? pmcg_open_pinned(pmcg, EVENT, NULL) : pmcg_open(pmcg, EVENT, -1);
		if (new[i] < 0)
			EXPECT_EQ(-ENODEV, new[i]);
	}
	stimulus_inject(&machine->stimulus, EVENT, STREAM, 5);
	call_release();
	ASSERT_EQ(self->mover, waitpid(self->mover, &status, 0));
	self->mover = 0;
	EXPECT_EQ(0, status);
	expect_to_count(_metadata, machine, fd, "the one that moves");
	for (i = 0; i < 2; i++) {
		if (new[i] < 0)
			continue;
		expect_to_count(_metadata, machine, new[i],
				i ? "opened before, pinned" : "opened before");
		close(new[i]);
	}
	close(fd);
}

/* So many times as long as "make check" has time for: SYSPMU_RUNS in the environment. */
static unsigned int repeat(void)
{
	const char *runs = getenv("SYSPMU_RUNS");
	unsigned int number = runs ? strtoul(runs, NULL, 0) : 1;

	return number ?: 1;
}

static pid_t start_moving(unsigned int rounds)
{
	int cpu, number = sysconf(_SC_NPROCESSORS_CONF);
	pid_t child = fork();

	if (child)
		return child;
	for (; rounds; rounds--)
		for (cpu = 0; cpu < number; cpu++)
			if (!cpu_set_online(cpu, false) && cpu_set_online(cpu, true))
				_exit(1);
	_exit(0);
}

TEST_F_TIMEOUT(moves, opened_in_a_storm, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	int kept[MAX_KEPT], status, room, fd, i;
	struct pmcg *pmcg = &machine->pmcg;
	struct perf_event_attr attr;
	unsigned int number = 0;

	room = machine->hardware.counters < MAX_KEPT ? machine->hardware.counters : MAX_KEPT;
	for (i = 0; i < room; i++)
		kept[i] = -1;
	self->mover = start_moving(3 * repeat());
	ASSERT_LT(0, self->mover);
	while (!waitpid(self->mover, &status, WNOHANG)) {
		i = number++ % room;
		if (kept[i] >= 0) {
			EXPECT_NE(PMCG_NO_VALUE, pmcg_value(kept[i]))
				TH_LOG("event %u: perf has given it up", number - room);
			close(kept[i]);
			kept[i] = -1;
		}
		ASSERT_EQ(0, pmcg_read_cpu(pmcg));
		ASSERT_EQ(0, pmcg_describe(pmcg, &attr, EVENT, NULL));
		attr.pinned = number & 1;
		fd = pmcg_open_attr(pmcg, &attr, -1);
		if (fd < 0)
			EXPECT_EQ(-ENODEV, fd);
		kept[i] = fd;
	}
	self->mover = 0;
	EXPECT_EQ(0, status);
	for (i = 0; i < room; i++) {
		if (kept[i] < 0)
			continue;
		expect_to_count(_metadata, machine, kept[i], "left over by the storm");
		close(kept[i]);
	}
}

TEST_HARNESS_MAIN
