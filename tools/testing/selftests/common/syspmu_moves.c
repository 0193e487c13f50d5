// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are opened while their PMU moves to another CPU: for the old CPU, or too early on the
 * new one. perf_event_open() may fail then, but no event may be left without a counter, and perf
 * must not put a pinned event into error state.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "interleave.h"
#include "fixture.h"

/* How many times to check whether an event counts. */
#define TRIES		200
#define MAX_KEPT	4

FIXTURE(moves) {
	struct machine machine;
	pid_t mover;
};

PMU_VARIANTS(moves, NULL)

FIXTURE_SETUP(moves)
{
	struct pmu *pmu = &self->machine.pmu;

	cpu_all_online();
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	if (cpu_other_than(pmu->cpu) < 0 || !cpu_can_go_offline(pmu->cpu))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
}

FIXTURE_TEARDOWN(moves)
{
	call_release();
	if (self->mover > 0)
		waitpid(self->mover, NULL, 0);
	cpu_all_online();
	expect_bound(_metadata, &self->machine);
	machine_teardown(_metadata, &self->machine);
}

/* An event that another thread opens. */
struct opening {
	const struct pmu *pmu;
	struct perf_event_attr attr;
	int fd;	/* what perf_event_open() has returned */
	bool over;	/* it has returned */
	pthread_t thread;	/* that asks */
};

static void *open_event(void *data)
{
	struct opening *opening = data;

	opening->fd = pmu_open_attr(opening->pmu, &opening->attr, -1);
	__atomic_store_n(&opening->over, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start_opening(struct __test_metadata *_metadata, struct opening *opening,
			  const struct pmu *pmu, bool pinned, bool disabled)
{
	memset(opening, 0, sizeof(*opening));
	ASSERT_EQ(0, pmu_describe(pmu, &opening->attr, pmu->event));
	opening->attr.pinned = pinned;
	opening->attr.disabled = disabled;
	opening->pmu = pmu;
	ASSERT_EQ(0, pthread_create(&opening->thread, NULL, open_event, opening));
}

/* Events that are injected before it has its counter need not be counted; afterwards all are. */
static void expect_to_count(struct __test_metadata *_metadata, struct machine *machine,
			    int fd, const char *which)
{
	__u64 value = 0;
	unsigned int i;

	ASSERT_EQ(0, pmu_follow(&machine->pmu));
	for (i = 0; i < TRIES && !value; i++) {
		if (i)
			usleep(10000);
		stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, 10);
		value = pmu_value(fd);
	}
	EXPECT_NE(PMU_NO_VALUE, value)
		TH_LOG("%s: perf has put it into error state", which);
	EXPECT_NE(0, value)
		TH_LOG("%s: it counts nothing", which);
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, 77);
	EXPECT_EQ(value + 77, pmu_value(fd))
		TH_LOG("%s", which);
}

/*
 * The PMU moves to another CPU after the driver has accepted an event and before perf installs it.
 */
static void opened_for_the_old_cpu(struct __test_metadata *_metadata,
				   struct machine *machine, const char *function,
				   bool pinned, bool disabled, bool comes_back)
{
	struct pmu *pmu = &machine->pmu, before = *pmu;
	struct opening opening;
	char which[128];
	int old = pmu->cpu;

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
	ASSERT_EQ(0, pmu_follow(pmu));
}

TEST_F_TIMEOUT(moves, opened_for_the_cpu_it_leaves, SLOW)
{
	/*
	 * These are called after event_init(), and before perf takes the lock of the CPU's context.
	 */
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
	/* Without CONFIG_SECURITY the first one does not exist, and the other may be inlined. */
	while (i < ARRAY_SIZE(functions) && call_hold(functions[i]))
		i++;
	if (i == ARRAY_SIZE(functions))
		SKIP(return, "this kernel has no function where perf_event_open() could wait");
	call_release();
	for (way = 0; way < ARRAY_SIZE(ways) && _metadata->exit_code == KSFT_PASS; way++)
		opened_for_the_old_cpu(_metadata, &self->machine, functions[i], ways[way].pinned,
				       ways[way].disabled, ways[way].comes_back);
}

/* perf removes the events from the old CPU when the PMU already belongs to the new one. */
TEST_F_TIMEOUT(moves, opened_before_it_is_there, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	int fd, new[2], old, status, i;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (machine->hardware.counters < 4)
		SKIP(return, "this PMU has fewer than four counters");
	/* PMUs move one after another: the one that was bound last is the first. */
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, variant->name));
	stimulus_traffic(&machine->stimulus, false);
	old = pmu->cpu;
	ASSERT_EQ(0, cpu_pin(cpu_other_than(old)));
	fd = pmu_open_pinned(pmu, pmu->event);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, call_hold("perf_pmu_migrate_context"));
	self->mover = fork();
	ASSERT_LE(0, self->mover);
	if (!self->mover)
		_exit(cpu_set_online(old, false) ? 1 : 0);
	if (!call_await(self->mover))
		SKIP(return, "this driver migrates its events in another way");
	ASSERT_EQ(0, pmu_read_cpu(pmu));
	for (i = 0; i < 2; i++) {
		new[i] = i ? pmu_open_pinned(pmu, pmu->event) : pmu_open(pmu, pmu->event, -1);
		if (new[i] < 0)
			EXPECT_EQ(-ENODEV, new[i]);
	}
	stimulus_inject(&machine->stimulus, pmu->event, SOURCE, 5);
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

/* A PMU that has left its CPU, and none of its events has yet. */
struct move {
	int fd;	/* of an event on the old CPU */
	int new[PMU_MAX_COUNTERS + 2];	/* of events on the new one */
	char rotation[128];	/* file that says how often events take turns */
	char interval[16];	/* what it said before */
};

/*
 * Takes the CPU of the PMU offline. Returns whether that is held at the point where perf is asked
 * to migrate the events.
 */
static bool hold_at_leaving(struct __test_metadata *_metadata, struct pmu *pmu, pid_t *mover,
			    const int *fds, unsigned int number)
{
	int old = pmu->cpu;

	ASSERT_EQ(0, cpu_pin(cpu_other_than(old)));
	ASSERT_EQ(0, call_hold("perf_pmu_migrate_context"));
	*mover = fork();
	ASSERT_LE(0, *mover);
	if (!*mover) {
		/* The events are removed when the test closes them. */
		while (number)
			close(fds[--number]);
		_exit(cpu_set_online(old, false) ? 1 : 0);
	}
	if (!call_await(*mover))
		return false;
	ASSERT_EQ(0, pmu_read_cpu(pmu));
	return true;
}

/* The same with a PMU that has one event */
static bool hold_a_move(struct __test_metadata *_metadata, struct machine *machine,
			const char *name, pid_t *mover, struct move *move)
{
	struct pmu *pmu = &machine->pmu;

	/* PMUs move one after another: the one that was bound last is the first. */
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, name));
	stimulus_traffic(&machine->stimulus, false);
	/* No rotation meanwhile, at which perf would try to add all events again. */
	snprintf(move->rotation, sizeof(move->rotation),
		 "/sys/bus/event_source/devices/%s/perf_event_mux_interval_ms", pmu->name);
	ASSERT_LT(0, read_text(move->rotation, move->interval, sizeof(move->interval)));
	ASSERT_EQ(0, write_text(move->rotation, "100000"));
	move->fd = pmu_open_pinned(pmu, machine->pmu.event);
	ASSERT_LE(0, move->fd);
	return hold_at_leaving(_metadata, pmu, mover, &move->fd, 1);
}

static void let_it_move(struct __test_metadata *_metadata, struct machine *machine,
			pid_t *mover, const struct move *move)
{
	int status;

	call_release();
	ASSERT_EQ(*mover, waitpid(*mover, &status, 0));
	*mover = 0;
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, write_text(move->rotation, move->interval));
	ASSERT_EQ(0, pmu_follow(&machine->pmu));
}

static int must_open_waiting(struct __test_metadata *_metadata, const struct pmu *pmu,
			     bool pinned)
{
	int fd = pinned ? pmu_open_pinned(pmu, pmu->event) : pmu_open(pmu, pmu->event, -1);

	ASSERT_LE(0, fd)
		TH_LOG("%s", strerror(-fd));
	return fd;
}

/* All events that are injected from now on are counted. */
static void expect_all_of(struct __test_metadata *_metadata, struct machine *machine, int fd,
			  __u64 number, const char *which)
{
	__u64 before = pmu_value(fd);

	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, number);
	EXPECT_EQ(before + number, pmu_value(fd))
		TH_LOG("%s", which);
}

/* No other event is migrated, at which perf would try to add the pinned one again. */
TEST_F_TIMEOUT(moves, pinned_and_no_other_comes, SLOW)
{
	struct machine *machine = &self->machine;
	struct move move;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (!hold_a_move(_metadata, machine, variant->name, &self->mover, &move))
		SKIP(return, "this driver migrates its events in another way");
	move.new[0] = must_open_waiting(_metadata, &machine->pmu, true);
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, 5);
	EXPECT_EQ(0, pmu_value(move.new[0]));
	close(move.fd);
	let_it_move(_metadata, machine, &self->mover, &move);
	expect_all_of(_metadata, machine, move.new[0], 10, "pinned, alone");
	close(move.new[0]);
}

/* A group belongs to one CPU, which is that of its leader until perf has migrated it. */
TEST_F_TIMEOUT(moves, a_group_that_grows_meanwhile, SLOW)
{
	struct machine *machine = &self->machine;
	struct move move;
	int sibling;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (machine->hardware.counters < 2)
		SKIP(return, "this PMU has one counter");
	if (!hold_a_move(_metadata, machine, variant->name, &self->mover, &move))
		SKIP(return, "this driver migrates its events in another way");
	sibling = pmu_open(&machine->pmu, machine->pmu.event, move.fd);
	EXPECT_LE(0, sibling)
		TH_LOG("%s", strerror(-sibling));
	let_it_move(_metadata, machine, &self->mover, &move);
	if (sibling >= 0)
		expect_all_of(_metadata, machine, sibling, 10, "sibling");
	expect_all_of(_metadata, machine, move.fd, 10, "leader");
	close(sibling);
	close(move.fd);
}

/* An event that is disabled while it waits does not get a counter. */
TEST_F_TIMEOUT(moves, disabled_while_it_waits, SLOW)
{
	struct machine *machine = &self->machine;
	struct move move;
	__u64 enabled;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (!hold_a_move(_metadata, machine, variant->name, &self->mover, &move))
		SKIP(return, "this driver migrates its events in another way");
	move.new[0] = must_open_waiting(_metadata, &machine->pmu, true);
	EXPECT_EQ(0, ioctl(move.new[0], PERF_EVENT_IOC_DISABLE, 0));
	close(move.fd);
	let_it_move(_metadata, machine, &self->mover, &move);
	EXPECT_EQ(0, stimulus_peek(&machine->stimulus, machine->hardware.enable));
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, 5);
	EXPECT_EQ(0, pmu_value(move.new[0]));
	ASSERT_EQ(0, ioctl(move.new[0], PERF_EVENT_IOC_ENABLE, 0));
	expect_all_of(_metadata, machine, move.new[0], 10, "enabled again");
	enabled = stimulus_peek(&machine->stimulus, machine->hardware.enable);
	EXPECT_NE(0, enabled);
	EXPECT_EQ(0, enabled & (enabled - 1));
	close(move.new[0]);
	EXPECT_EQ(0, stimulus_peek(&machine->stimulus, machine->hardware.enable));
}

/* There are as many ordinary events as counters, but a waiting pinned event gets one of them. */
TEST_F_TIMEOUT(moves, pinned_comes_first, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu;
	unsigned int n, number = machine->hardware.counters + 1;
	struct move move;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (number < 3)
		SKIP(return, "this PMU has only one counter");
	if (!hold_a_move(_metadata, machine, variant->name, &self->mover, &move))
		SKIP(return, "this driver migrates its events in another way");
	move.new[0] = must_open_waiting(_metadata, pmu, true);
	for (n = 1; n < number; n++)
		move.new[n] = must_open_waiting(_metadata, pmu, false);
	close(move.fd);
	/* With the new event, perf tries to add all ordinary ones again. */
	move.new[number] = must_open_waiting(_metadata, pmu, false);
	expect_all_of(_metadata, machine, move.new[0], 10, "pinned, before the move");
	let_it_move(_metadata, machine, &self->mover, &move);
	expect_all_of(_metadata, machine, move.new[0], 10, "pinned, after the move");
	for (n = 0; n <= number; n++)
		close(move.new[n]);
}

/* There are more pinned events than counters: the one that waits gets the next free counter. */
TEST_F_TIMEOUT(moves, pinned_waits_until_a_counter_is_free, SLOW)
{
	struct machine *machine = &self->machine;
	unsigned int n, number = machine->hardware.counters + 1, waiting = number;
	struct move move;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (!hold_a_move(_metadata, machine, variant->name, &self->mover, &move))
		SKIP(return, "this driver migrates its events in another way");
	for (n = 0; n < number; n++)
		move.new[n] = must_open_waiting(_metadata, &machine->pmu, true);
	close(move.fd);
	let_it_move(_metadata, machine, &self->mover, &move);
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, 10);
	for (n = 0; n < number; n++) {
		if (pmu_value(move.new[n]) == 10)
			continue;
		EXPECT_EQ(0, pmu_value(move.new[n]));
		EXPECT_EQ(number, waiting);
		waiting = n;
	}
	ASSERT_GT(number, waiting);
	/* Another one is closed, and it gets the counter. */
	close(move.new[waiting ? 0 : 1]);
	expect_all_of(_metadata, machine, move.new[waiting], 7, "the one that waited");
	for (n = waiting ? 1 : 0; n < number; n++)
		if (waiting || n != 1)
			close(move.new[n]);
}

/*
 * The PMU moves once more, and its other events are closed meanwhile. A new event must not take the
 * one that waits along to the new CPU, since perf has it on the old one.
 */
TEST_F_TIMEOUT(moves, pinned_waits_when_it_moves_again, SLOW)
{
	struct machine *machine = &self->machine;
	unsigned int n, number = machine->hardware.counters + 1;
	int waiting = -1, fd;
	struct move move;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (!hold_a_move(_metadata, machine, variant->name, &self->mover, &move))
		SKIP(return, "this driver migrates its events in another way");
	for (n = 0; n < number; n++)
		move.new[n] = must_open_waiting(_metadata, &machine->pmu, true);
	close(move.fd);
	let_it_move(_metadata, machine, &self->mover, &move);
	ASSERT_EQ(0, cpu_all_online());
	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, 10);
	ASSERT_EQ(0, write_text(move.rotation, "100000"));
	ASSERT_TRUE(hold_at_leaving(_metadata, &machine->pmu, &self->mover, move.new, number));
	for (n = 0; n < number; n++) {
		if (pmu_value(move.new[n]))
			close(move.new[n]);
		else
			waiting = move.new[n];
	}
	ASSERT_LE(0, waiting);
	fd = must_open_waiting(_metadata, &machine->pmu, false);
	expect_all_of(_metadata, machine, fd, 7, "opened while it moves");
	EXPECT_EQ(0, pmu_value(waiting));
	close(waiting);
	expect_all_of(_metadata, machine, fd, 8, "after the other one was closed");
	close(fd);
	fd = must_open_waiting(_metadata, &machine->pmu, true);
	let_it_move(_metadata, machine, &self->mover, &move);
	expect_all_of(_metadata, machine, fd, 9, "after the move");
	close(fd);
}

/*
 * A pinned event is installed on the CPU that the PMU has left. Before it is migrated, the PMU
 * comes back.
 */
TEST_F_TIMEOUT(moves, pmu_comes_back_to_a_pinned_event, SLOW)
{
	struct machine *machine = &self->machine;
	struct pmu *pmu = &machine->pmu, before = *pmu;
	static const char * const functions[] = {
		"security_perf_event_alloc", "find_get_context",
	};
	struct opening opening;
	unsigned int i = 0;
	int old = pmu->cpu;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	while (i < ARRAY_SIZE(functions) && call_hold(functions[i]))
		i++;
	if (i == ARRAY_SIZE(functions))
		SKIP(return, "this kernel has no function where perf_event_open() could wait");
	start_opening(_metadata, &opening, &before, true, true);
	while (!call_is_held() && !__atomic_load_n(&opening.over, __ATOMIC_ACQUIRE))
		usleep(1000);
	ASSERT_EQ(0, cpu_set_online(old, false));
	ASSERT_EQ(0, cpu_set_online(old, true));
	call_release();
	ASSERT_EQ(0, pthread_join(opening.thread, NULL));
	ASSERT_LE(0, opening.fd);
	ASSERT_EQ(0, pmu_read_cpu(pmu));
	ASSERT_NE(old, pmu->cpu);
	if (call_hold("arm_syspmu_fetch_strays"))
		SKIP(return, "this driver migrates its events in another way");
	ASSERT_EQ(0, ioctl(opening.fd, PERF_EVENT_IOC_ENABLE, 0));
	while (!call_is_held())
		usleep(1000);
	ASSERT_EQ(0, cpu_set_online(pmu->cpu, false));
	call_release();
	ASSERT_EQ(0, pmu_read_cpu(pmu));
	EXPECT_EQ(old, pmu->cpu);
	expect_to_count(_metadata, machine, opening.fd, "it was there before the PMU");
	close(opening.fd);
}

/*
 * The migration of the events may have to wait for a lock of perf when the PMU is already moving.
 * Until then, a group is still read at one instant.
 */
TEST_F_TIMEOUT(moves, reads_are_captured_until_it_moves, SLOW)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int n, round, number = machine->hardware.counters;
	struct pmu *pmu = &machine->pmu;
	__u64 values[PMU_MAX_COUNTERS];
	int leader, status, old;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (!machine->hardware.capture || number < 2)
		SKIP(return, "this PMU does not capture its counters");
	/* PMUs move one after another: the one that was bound last is the first. */
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, variant->name));
	stimulus_traffic(stimulus, false);
	old = pmu->cpu;
	ASSERT_EQ(0, cpu_pin(cpu_other_than(old)));
	leader = must_open_leader(_metadata, pmu, machine->pmu.event);
	for (n = 1; n < number; n++)
		must_open(_metadata, pmu, machine->pmu.event, leader);
	ASSERT_EQ(0, call_hold("perf_pmu_migrate_context"));
	self->mover = fork();
	ASSERT_LE(0, self->mover);
	if (!self->mover)
		_exit(cpu_set_online(old, false) ? 1 : 0);
	ASSERT_TRUE(call_await(self->mover));
	for (round = 0; round < 5; round++) {
		stimulus_step(stimulus, machine->pmu.event, SOURCE, 1000);
		ASSERT_EQ(0, pmu_read_group(leader, values, number));
		stimulus_step(stimulus, machine->pmu.event, SOURCE, 0);
		for (n = 1; n < number; n++) {
			EXPECT_EQ(values[0], values[n])
				TH_LOG("event %u in round %u", n, round);
		}
	}
	/* The events count: each access to a counter is one more step. */
	EXPECT_LT(1000, values[0]);
	call_release();
	ASSERT_EQ(self->mover, waitpid(self->mover, &status, 0));
	self->mover = 0;
	EXPECT_EQ(0, status);
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
	struct machine *machine = &self->machine;
	int kept[MAX_KEPT], status, room, fd, i;
	struct pmu *pmu = &machine->pmu;
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
			EXPECT_NE(PMU_NO_VALUE, pmu_value(kept[i]))
				TH_LOG("event %u: perf has put it into error state", number - room);
			close(kept[i]);
			kept[i] = -1;
		}
		ASSERT_EQ(0, pmu_read_cpu(pmu));
		ASSERT_EQ(0, pmu_describe(pmu, &attr, pmu->event));
		attr.pinned = number & 1;
		fd = pmu_open_attr(pmu, &attr, -1);
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
