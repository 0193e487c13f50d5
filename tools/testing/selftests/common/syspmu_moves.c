// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are opened while their PMU moves to another CPU: for the old CPU, or too early on the
 * new one. perf_event_open() may fail then, but no event may be left without a counter, and perf
 * must not put a pinned event into error state.
 */
#include <pthread.h>

#include "interleave.h"
#include "fixture.h"

/* How many times to check whether an event counts. */
#define TRIES		200
#define MAX_KEPT	4

FIXTURE(moves) {
	pid_t mover;
};

PMU_VARIANTS(moves, can_move)

static void wait_for_mover(pid_t *mover)
{
	call_release();
	expect_success(mover);
}

FIXTURE_SETUP(moves)
{
	machine_setup(_metadata, variant ? variant->name : NULL, true);
}

FIXTURE_TEARDOWN(moves)
{
	if (self->mover > 0)
		wait_for_mover(&self->mover);
	machine_teardown();
}

/*
 * Takes the CPU of the PMU offline. Returns whether that is held at the point where perf is asked
 * to migrate the events.
 */
static bool hold_at_leaving(pid_t *mover, const int *fds, unsigned int number)
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

/* A PMU that has left its CPU, and its pinned event has not yet. */
FIXTURE(moving) {
	pid_t mover;
	int fd;	/* of the event on the old CPU */
	int new[PMU_MAX_COUNTERS + 2];	/* of events on the new one */
	char interval[16];	/* how often events take turns otherwise */
};

PMU_VARIANTS(moving, can_move)

static void let_it_move(FIXTURE_DATA(moving) * self)
{
	wait_for_mover(&self->mover);
	EXPECT_EQ(0, pmu_set_rotation(pmu, self->interval));
	ASSERT_EQ(0, pmu_follow(pmu));
}

FIXTURE_SETUP(moving)
{
	if (!machine_setup(_metadata, variant ? variant->name : NULL, true))
		return;
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	/* PMUs move one after another: the one that was bound last is the first. */
	bind_again();
	/* No rotation meanwhile, at which perf would try to add all events again. */
	ASSERT_EQ(0, pmu_attribute(pmu, PMU_ROTATION, self->interval, sizeof(self->interval)));
	ASSERT_EQ(0, pmu_set_rotation(pmu, "100000"));
	self->fd = must_open_pinned(pmu->event);
	if (hold_at_leaving(&self->mover, &self->fd, 1))
		return;
	let_it_move(self);
	SKIP(return, "this driver migrates its events in another way");
}

FIXTURE_TEARDOWN(moving)
{
	if (self->mover > 0)
		let_it_move(self);
	machine_teardown();
}

/* An event that another thread opens. */
struct opening {
	struct pmu pmu;
	struct perf_event_attr attr;
	int fd;	/* what perf_event_open() has returned */
	bool over;	/* it has returned */
	pthread_t thread;	/* that asks */
};

static void *open_event(void *data)
{
	struct opening *opening = data;

	opening->fd = pmu_open_attr(&opening->pmu, &opening->attr, -1);
	__atomic_store_n(&opening->over, true, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * Holds the opening of an event between event_init() and the point where perf takes the lock of the
 * CPU's context. Returns whether there is a function where it could wait: without CONFIG_SECURITY
 * the first one does not exist, and the other may be inlined.
 */
static bool hold_an_opening(struct opening *opening, bool pinned, bool disabled)
{
	if (call_hold("security_perf_event_alloc") && call_hold("find_get_context"))
		return false;
	memset(opening, 0, sizeof(*opening));
	opening->pmu = *pmu;
	opening->attr = attr_of(pmu->event);
	opening->attr.pinned = pinned;
	opening->attr.disabled = disabled;
	ASSERT_EQ(0, pthread_create(&opening->thread, NULL, open_event, opening));
	while (!call_is_held() && !__atomic_load_n(&opening->over, __ATOMIC_ACQUIRE))
		usleep(1000);
	return true;
}

#define NO_FUNCTION	"this kernel has no function where perf_event_open() could wait"

/* Events that are injected before it has its counter need not be counted; afterwards all are. */
static void expect_to_count(int fd, const char *which)
{
	__u64 value = 0;
	unsigned int i;

	ASSERT_EQ(0, pmu_follow(pmu));
	for (i = 0; i < TRIES && !value; i++) {
		if (i)
			usleep(10000);
		inject(10);
		value = pmu_value(fd);
	}
	EXPECT_NE(PMU_NO_VALUE, value)
		TH_LOG("%s: perf has put it into error state", which);
	EXPECT_NE(0, value)
		TH_LOG("%s: it counts nothing", which);
	inject(77);
	EXPECT_EQ(value + 77, pmu_value(fd))
		TH_LOG("%s", which);
}

/* The PMU moves to another CPU after the driver has accepted an event, before perf installs it. */
TEST_F_TIMEOUT(moves, opened_for_the_cpu_it_leaves, SLOW)
{
	static const struct {
		const char *name;
		bool pinned, disabled, comes_back;
	} ways[] = {
		{ .name = "the CPU is away" }, { "it comes back", .comes_back = true },
		{ "it comes back, pinned", .pinned = true, .comes_back = true },
		{ "it comes back, disabled at first", .disabled = true, .comes_back = true },
	}, *way;
	struct opening opening;
	int old;

	for (way = ways; way < ways + ARRAY_SIZE(ways); way++) {
		old = pmu->cpu;
		if (!hold_an_opening(&opening, way->pinned, way->disabled))
			SKIP(return, NO_FUNCTION);
		ASSERT_EQ(0, cpu_set_online(old, false));
		if (way->comes_back)
			ASSERT_EQ(0, cpu_set_online(old, true));
		call_release();
		ASSERT_EQ(0, pthread_join(opening.thread, NULL));
		if (opening.fd < 0) {
			EXPECT_EQ(-ENODEV, opening.fd)
				TH_LOG("%s", way->name);
		} else {
			if (way->disabled)
				ASSERT_EQ(0, ioctl(opening.fd, PERF_EVENT_IOC_ENABLE, 0));
			expect_to_count(opening.fd, way->name);
			close(opening.fd);
		}
		ASSERT_EQ(0, cpu_all_online());
		ASSERT_EQ(0, pmu_follow(pmu));
	}
}

/* perf removes the events from the old CPU when the PMU already belongs to the new one. */
TEST_F_TIMEOUT(moving, opened_before_it_is_there, SLOW)
{
	struct perf_event_attr attr = attr_of(pmu->event);
	int i;

	if (hardware->counters < 4)
		SKIP(return, "this PMU has fewer than four counters");
	for (i = 0; i < 2; i++) {
		attr.pinned = i;
		self->new[i] = pmu_open_attr(pmu, &attr, -1);
		if (self->new[i] < 0)
			EXPECT_EQ(-ENODEV, self->new[i]);
	}
	inject(5);
	let_it_move(self);
	expect_to_count(self->fd, "the one that moves");
	for (i = 0; i < 2; i++)
		if (self->new[i] >= 0)
			expect_to_count(self->new[i], i ? "opened before, pinned" :
							  "opened before");
}

static int must_open_waiting(bool pinned)
{
	return pinned ? must_open_pinned(pmu->event) : must_open(pmu->event, -1);
}

/* All events that are injected from now on are counted. */
static void expect_all_of(int fd, __u64 number, const char *which)
{
	__u64 before = pmu_value(fd);

	inject(number);
	EXPECT_EQ(before + number, pmu_value(fd))
		TH_LOG("%s", which);
}

/* No other event is migrated, at which perf would try to add the pinned one again. */
TEST_F_TIMEOUT(moving, pinned_and_no_other_comes, SLOW)
{
	self->new[0] = must_open_waiting(true);
	inject(5);
	EXPECT_EQ(0, pmu_value(self->new[0]));
	close(self->fd);
	let_it_move(self);
	expect_all_of(self->new[0], 10, "pinned, alone");
}

/* A group belongs to one CPU, which is that of its leader until perf has migrated it. */
TEST_F_TIMEOUT(moving, a_group_that_grows_meanwhile, SLOW)
{
	int sibling;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has one counter");
	sibling = pmu_open(pmu, pmu->event, self->fd);
	EXPECT_LE(0, sibling)
		TH_LOG("%s", strerror(-sibling));
	let_it_move(self);
	if (sibling >= 0)
		expect_all_of(sibling, 10, "sibling");
	expect_all_of(self->fd, 10, "leader");
}

/* An event that is disabled while it waits does not get a counter. */
TEST_F_TIMEOUT(moving, disabled_while_it_waits, SLOW)
{
	__u64 enabled;

	self->new[0] = must_open_waiting(true);
	EXPECT_EQ(0, ioctl(self->new[0], PERF_EVENT_IOC_DISABLE, 0));
	close(self->fd);
	let_it_move(self);
	EXPECT_EQ(0, stimulus_peek(stimulus, hardware->enable));
	inject(5);
	EXPECT_EQ(0, pmu_value(self->new[0]));
	ASSERT_EQ(0, ioctl(self->new[0], PERF_EVENT_IOC_ENABLE, 0));
	expect_all_of(self->new[0], 10, "enabled again");
	enabled = stimulus_peek(stimulus, hardware->enable);
	EXPECT_NE(0, enabled);
	EXPECT_EQ(0, enabled & (enabled - 1));
	close(self->new[0]);
	EXPECT_EQ(0, stimulus_peek(stimulus, hardware->enable));
}

/* There are as many ordinary events as counters, but a waiting pinned event gets one of them. */
TEST_F_TIMEOUT(moving, pinned_comes_first, SLOW)
{
	unsigned int n, number = hardware->counters + 1;

	if (number < 3)
		SKIP(return, "this PMU has only one counter");
	self->new[0] = must_open_waiting(true);
	for (n = 1; n < number; n++)
		self->new[n] = must_open_waiting(false);
	close(self->fd);
	/* With the new event, perf tries to add all ordinary ones again. */
	self->new[number] = must_open_waiting(false);
	expect_all_of(self->new[0], 10, "pinned, before the move");
	let_it_move(self);
	expect_all_of(self->new[0], 10, "pinned, after the move");
	for (n = 0; n <= number; n++)
		close(self->new[n]);
}

/* There are more pinned events than counters: the one that waits gets the next free counter. */
TEST_F_TIMEOUT(moving, pinned_waits_until_a_counter_is_free, SLOW)
{
	unsigned int n, number = hardware->counters + 1, waiting = number;

	for (n = 0; n < number; n++)
		self->new[n] = must_open_waiting(true);
	close(self->fd);
	let_it_move(self);
	inject(10);
	for (n = 0; n < number; n++) {
		if (pmu_value(self->new[n]) == 10)
			continue;
		EXPECT_EQ(0, pmu_value(self->new[n]));
		EXPECT_EQ(number, waiting);
		waiting = n;
	}
	ASSERT_GT(number, waiting);
	/* Another one is closed, and it gets the counter. */
	close(self->new[waiting ? 0 : 1]);
	expect_all_of(self->new[waiting], 7, "the one that waited");
	for (n = waiting ? 1 : 0; n < number; n++)
		if (waiting || n != 1)
			close(self->new[n]);
}

/*
 * The PMU moves once more, and its other events are closed meanwhile. A new event must not take the
 * one that waits along to the new CPU, since perf has it on the old one.
 */
TEST_F_TIMEOUT(moving, pinned_waits_when_it_moves_again, SLOW)
{
	unsigned int n, number = hardware->counters + 1;
	int waiting = -1, fd;

	for (n = 0; n < number; n++)
		self->new[n] = must_open_waiting(true);
	close(self->fd);
	let_it_move(self);
	ASSERT_EQ(0, cpu_all_online());
	inject(10);
	ASSERT_EQ(0, pmu_set_rotation(pmu, "100000"));
	ASSERT_TRUE(hold_at_leaving(&self->mover, self->new, number));
	for (n = 0; n < number; n++) {
		if (pmu_value(self->new[n]))
			close(self->new[n]);
		else
			waiting = self->new[n];
	}
	ASSERT_LE(0, waiting);
	fd = must_open_waiting(false);
	expect_all_of(fd, 7, "opened while it moves");
	EXPECT_EQ(0, pmu_value(waiting));
	close(waiting);
	expect_all_of(fd, 8, "after the other one was closed");
	close(fd);
	fd = must_open_waiting(true);
	let_it_move(self);
	expect_all_of(fd, 9, "after the move");
}

/*
 * A pinned event is installed on the CPU that the PMU has left. Before it is migrated, the PMU
 * comes back.
 */
TEST_F_TIMEOUT(moves, pmu_comes_back_to_a_pinned_event, SLOW)
{
	struct opening opening;
	int old = pmu->cpu;

	if (!hold_an_opening(&opening, true, true))
		SKIP(return, NO_FUNCTION);
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
	expect_to_count(opening.fd, "it was there before the PMU");
}

/*
 * The migration of the events may have to wait for a lock of perf when the PMU is already moving.
 * Until then, a group is still read at one instant.
 */
TEST_F_TIMEOUT(moves, reads_are_captured_until_it_moves, SLOW)
{
	unsigned int round, number = hardware->counters;
	__u64 value = 0;
	int leader;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (!hardware->capture || number < 2)
		SKIP(return, "this PMU does not capture its counters");
	bind_again();
	leader = must_open_group(number);
	ASSERT_TRUE(hold_at_leaving(&self->mover, NULL, 0));
	for (round = 0; round < 5; round++) {
		stimulus_step(stimulus, pmu->event, SOURCE, 1000);
		value = read_equal(leader, number);
		stimulus_step(stimulus, pmu->event, SOURCE, 0);
	}
	/* The events count: each access to a counter is one more step. */
	EXPECT_LT(1000, value);
	wait_for_mover(&self->mover);
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
	int kept[MAX_KEPT], status, room, fd, i;
	struct perf_event_attr attr = attr_of(pmu->event);
	unsigned int number = 0;

	room = hardware->counters < MAX_KEPT ? hardware->counters : MAX_KEPT;
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
		expect_to_count(kept[i], "left over by the storm");
		close(kept[i]);
	}
}

/* What is opened while the events of a PMU move is opened for its new CPU, and need not follow. */
TEST_F_TIMEOUT(moves, leaves_before_its_events, SLOW)
{
	int i, number, moved = 0, old = pmu->cpu;
	struct pmu list[PMU_MAX];

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	ASSERT_TRUE(hold_at_leaving(&self->mover, NULL, 0));
	number = pmu_list(list, PMU_MAX);
	for (i = 0; i < number; i++)
		moved += list[i].cpu != old;
	EXPECT_LT(0, moved);
	wait_for_mover(&self->mover);
}

TEST_HARNESS_MAIN
