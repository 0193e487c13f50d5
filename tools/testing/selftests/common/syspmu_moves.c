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

static pid_t mover;	/* takes CPUs offline */

static void wait_for_mover(void)
{
	if (mover <= 0)
		return;
	call_release();
	expect_success(&mover);
}

PMU_FIXTURE_BETWEEN(moves, can_move, true, nothing, wait_for_mover)

/*
 * Takes the CPU of the PMU, which has events, offline. Returns whether that is held at the point
 * where the PMU has left its CPU, and its events have not. PMUs move one after another.
 */
static bool hold_at_leaving(const int *fds, unsigned int number)
{
	__u64 stops = pmu_disables(stimulus, hardware);
	int cpu = pmu->cpu;

	ASSERT_EQ(0, cpu_pin(cpu_other_than(cpu)));
	ASSERT_EQ(0, call_hold("perf_pmu_migrate_context"));
	mover = fork();
	ASSERT_LE(0, mover);
	if (!mover) {
		/* The events are removed when the test closes them. */
		while (number)
			close(fds[--number]);
		_exit(cpu_set_online(cpu, false) ? 1 : 0);
	}
	while (call_await(mover)) {
		if (pmu_read_cpu(pmu) || pmu->cpu != cpu)
			return pmu_disables(stimulus, hardware) == stops;
		call_hold_next();
	}
	return false;
}

#define RETURNS	"this PMU returns to the only CPU that is near"

static bool returns(void)
{
	char near[64];

	return !pmu_attribute(pmu, "associated_cpus", near, sizeof(near)) && !strpbrk(near, "-,");
}

static int old;	/* a pinned event on the CPU that the PMU has left */
static int new[PMU_MAX_COUNTERS + 2];	/* events on the new one */
static char interval[16];	/* how often events take turns otherwise */

static void let_it_move(void)
{
	wait_for_mover();
	if (*interval)
		EXPECT_EQ(0, pmu_set_rotation(pmu, interval));
	ASSERT_EQ(0, pmu_follow(pmu));
}

static void begin_to_move(void)
{
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	/*
	 * No rotation meanwhile, at which perf would try to add all events again. The timer would
	 * outlive a PMU of the kernel's own driver, whose events wait beside rotation, too.
	 */
	if (!pmu->reference) {
		ASSERT_EQ(0, pmu_attribute(pmu, PMU_ROTATION, interval, sizeof(interval)));
		ASSERT_EQ(0, pmu_set_rotation(pmu, "100000"));
	}
	old = must_open_pinned(pmu->event);
	if (hold_at_leaving(&old, 1))
		return;
	let_it_move();
	ASSERT_FALSE(pmu->reference);
	SKIP(return, "this driver migrates its events in another way");
}

static void end_the_move(void)
{
	if (mover > 0)
		let_it_move();
}

/* The PMU has left its CPU, and its pinned event has not yet. */
PMU_FIXTURE_BETWEEN(moving, can_move, true, begin_to_move, end_the_move)

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

/* The CPU of the PMU goes offline meanwhile, and may come back. */
static bool open_while_it_leaves(struct opening *opening, bool pinned, bool disabled,
				 bool comes_back)
{
	int cpu = pmu->cpu;

	if (!hold_an_opening(opening, pinned, disabled))
		return false;
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	if (comes_back)
		ASSERT_EQ(0, cpu_set_online(cpu, true));
	call_release();
	ASSERT_EQ(0, pthread_join(opening->thread, NULL));
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

	for (way = ways; way < ways + ARRAY_SIZE(ways); way++) {
		if (!open_while_it_leaves(&opening, way->pinned, way->disabled, way->comes_back))
			SKIP(return, NO_FUNCTION);
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
	/* A pinned event cannot wait with the kernel's own driver. */
	int i, number = pmu->reference ? 1 : 2;
	struct perf_event_attr attr = attr_of(pmu->event);
	__u64 enabled;

	if (hardware->counters < 4)
		SKIP(return, "this PMU has fewer than four counters");
	for (i = 0; i < number; i++) {
		attr.pinned = i;
		new[i] = pmu_open_attr(pmu, &attr, -1);
		if (new[i] < 0)
			EXPECT_EQ(-ENODEV, new[i]);
	}
	/* Only the one that has not yet left has a counter. */
	enabled = stimulus_peek(stimulus, hardware->enable);
	EXPECT_NE(0, enabled);
	EXPECT_EQ(0, enabled & (enabled - 1));
	inject(5);
	let_it_move();
	expect_to_count(old, "the one that moves");
	for (i = 0; i < number; i++)
		if (new[i] >= 0)
			expect_to_count(new[i], i ? "opened before, pinned" : "opened before");
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
	new[0] = must_open_pinned(pmu->event);
	inject(5);
	EXPECT_EQ(0, pmu_value(new[0]));
	close(old);
	let_it_move();
	expect_all_of(new[0], 10, "pinned, alone");
}

/* A group belongs to one CPU, which is that of its leader until perf has migrated it. */
TEST_F_TIMEOUT(moving, a_group_that_grows_meanwhile, SLOW)
{
	int sibling;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has one counter");
	sibling = pmu_open(pmu, pmu->event, old);
	EXPECT_LE(0, sibling)
		TH_LOG("%s", strerror(-sibling));
	let_it_move();
	if (sibling >= 0)
		expect_all_of(sibling, 10, "sibling");
	expect_all_of(old, 10, "leader");
}

/* An event that is disabled while it waits does not get a counter. */
TEST_F_TIMEOUT(moving, disabled_while_it_waits, SLOW)
{
	__u64 enabled;

	new[0] = must_open_pinned(pmu->event);
	EXPECT_EQ(0, ioctl(new[0], PERF_EVENT_IOC_DISABLE, 0));
	close(old);
	let_it_move();
	EXPECT_EQ(0, stimulus_peek(stimulus, hardware->enable));
	inject(5);
	EXPECT_EQ(0, pmu_value(new[0]));
	ASSERT_EQ(0, ioctl(new[0], PERF_EVENT_IOC_ENABLE, 0));
	expect_all_of(new[0], 10, "enabled again");
	enabled = stimulus_peek(stimulus, hardware->enable);
	EXPECT_NE(0, enabled);
	EXPECT_EQ(0, enabled & (enabled - 1));
	close(new[0]);
	EXPECT_EQ(0, stimulus_peek(stimulus, hardware->enable));
}

/* There are as many ordinary events as counters, but a waiting pinned event gets one of them. */
TEST_F_TIMEOUT(moving, pinned_comes_first, SLOW)
{
	unsigned int n, number = hardware->counters + 1;

	if (number < 3)
		SKIP(return, "this PMU has only one counter");
	new[0] = must_open_pinned(pmu->event);
	for (n = 1; n < number; n++)
		new[n] = must_open(pmu->event, -1);
	close(old);
	/* With the new event, perf tries to add all ordinary ones again. */
	new[number] = must_open(pmu->event, -1);
	expect_all_of(new[0], 10, "pinned, before the move");
	let_it_move();
	expect_all_of(new[0], 10, "pinned, after the move");
	for (n = 0; n <= number; n++)
		close(new[n]);
}

/* There are more pinned events than counters: the one that waits gets the next free counter. */
TEST_F_TIMEOUT(moving, pinned_waits_until_a_counter_is_free, SLOW)
{
	unsigned int n, number = hardware->counters + 1, waiting = number;

	for (n = 0; n < number; n++)
		new[n] = must_open_pinned(pmu->event);
	close(old);
	let_it_move();
	inject(10);
	for (n = 0; n < number; n++) {
		if (pmu_value(new[n]) == 10)
			continue;
		EXPECT_EQ(0, pmu_value(new[n]));
		EXPECT_EQ(number, waiting);
		waiting = n;
	}
	ASSERT_GT(number, waiting);
	/* Another one is closed, and it gets the counter. */
	close(new[waiting ? 0 : 1]);
	expect_all_of(new[waiting], 7, "the one that waited");
	for (n = waiting ? 1 : 0; n < number; n++)
		if (waiting || n != 1)
			close(new[n]);
}

static int open_pinned_group(unsigned int number)
{
	struct perf_event_attr attr = attr_of(pmu->event);
	unsigned int n;

	attr.pinned = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	new[0] = must_open_attr(&attr, -1);
	for (n = 1; n < number; n++)
		new[n] = must_open(pmu->event, new[0]);
	return new[0];
}

/* A pinned group needs all counters: a pinned event that is opened later takes none from it. */
TEST_F_TIMEOUT(moving, a_pinned_group_comes_first, SLOW)
{
	unsigned int number = hardware->counters, n;
	int leader = open_pinned_group(number), later = must_open_pinned(pmu->event);

	close(old);
	let_it_move();
	inject(10);
	EXPECT_EQ(10, read_equal(leader, number));
	EXPECT_EQ(0, pmu_value(later));
	for (n = number; n; n--)
		close(new[n - 1]);
	expect_all_of(later, 7, "opened later");
}

/* Opens so many events that one of them has no counter, for which perf adds all of them again. */
static void expect_others_to_count(unsigned int number)
{
	int others[PMU_MAX_COUNTERS];
	unsigned int n;

	ASSERT_EQ(0, pmu_set_rotation(pmu, "100000"));
	for (n = 0; n < number; n++)
		others[n] = must_open(pmu->event, -1);
	for (n = 0; n < number - 1; n++)
		expect_all_of(others[n], 3, "one that needs no other counter");
	for (n = 0; n < number; n++)
		close(others[n]);
	EXPECT_EQ(0, pmu_set_rotation(pmu, interval));
}

/* If there are too few counters for it, no part of a pinned group counts, but others do. */
TEST_F_TIMEOUT(moving, a_pinned_group_waits_as_a_whole, SLOW)
{
	unsigned int number = hardware->counters;
	int earlier = must_open_pinned(pmu->event), leader = open_pinned_group(number);

	close(old);
	let_it_move();
	inject(10);
	EXPECT_EQ(10, pmu_value(earlier));
	EXPECT_EQ(0, read_equal(leader, number));
	expect_others_to_count(number);
	EXPECT_EQ(0, read_equal(leader, number));
	close(earlier);
	inject(7);
	EXPECT_EQ(7, read_equal(leader, number));
}

/*
 * The PMU moves once more, and its other events are closed meanwhile. A new event must not take the
 * one that waits along to the new CPU, since perf has it on the old one.
 */
TEST_F_TIMEOUT(moving, pinned_waits_when_it_moves_again, SLOW)
{
	unsigned int n, number = hardware->counters + 1;
	int waiting = -1, fd;

	if (returns())
		SKIP(return, RETURNS);
	for (n = 0; n < number; n++)
		new[n] = must_open_pinned(pmu->event);
	close(old);
	let_it_move();
	ASSERT_EQ(0, cpu_all_online());
	inject(10);
	ASSERT_EQ(0, pmu_set_rotation(pmu, "100000"));
	ASSERT_TRUE(hold_at_leaving(new, number));
	for (n = 0; n < number; n++) {
		if (pmu_value(new[n]))
			close(new[n]);
		else
			waiting = new[n];
	}
	ASSERT_LE(0, waiting);
	fd = must_open(pmu->event, -1);
	expect_all_of(fd, 7, "opened while it moves");
	EXPECT_EQ(0, pmu_value(waiting));
	close(waiting);
	expect_all_of(fd, 8, "after the other one was closed");
	close(fd);
	fd = must_open_pinned(pmu->event);
	let_it_move();
	expect_all_of(fd, 9, "after the move");
}

/*
 * A pinned event is installed on the CPU that the PMU has left. Before it is migrated, the PMU
 * comes back.
 */
TEST_F_TIMEOUT(moves, pmu_comes_back_to_a_pinned_event, SLOW)
{
	struct opening opening;
	int cpu = pmu->cpu;

	if (returns())
		SKIP(return, RETURNS);
	if (!open_while_it_leaves(&opening, true, true, true))
		SKIP(return, NO_FUNCTION);
	ASSERT_LE(0, opening.fd);
	ASSERT_EQ(0, pmu_read_cpu(pmu));
	ASSERT_NE(cpu, pmu->cpu);
	if (call_hold("arm_syspmu_fetch_strays"))
		SKIP(return, "this driver migrates its events in another way");
	ASSERT_EQ(0, ioctl(opening.fd, PERF_EVENT_IOC_ENABLE, 0));
	while (!call_is_held())
		usleep(1000);
	ASSERT_EQ(0, cpu_set_online(pmu->cpu, false));
	call_release();
	ASSERT_EQ(0, pmu_read_cpu(pmu));
	EXPECT_EQ(cpu, pmu->cpu);
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
	ASSERT_TRUE(hold_at_leaving(NULL, 0));
	for (round = 0; round < 5; round++) {
		stimulus_step(stimulus, pmu->event, SOURCE, 1000);
		value = read_equal(leader, number);
		stimulus_step(stimulus, pmu->event, SOURCE, 0);
	}
	/* The events count: each access to a counter is one more step. */
	EXPECT_LT(1000, value);
	wait_for_mover();
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
	mover = start_moving(3 * repeat());
	ASSERT_LT(0, mover);
	while (!waitpid(mover, &status, WNOHANG)) {
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
	mover = 0;
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
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	must_open(pmu->event, -1);
	ASSERT_TRUE(hold_at_leaving(NULL, 0));
	EXPECT_EQ(0, pmu_read_cpu(pmu));
	wait_for_mover();
}

/* It only counts on a CPU that is far until the one that is near is online again. */
TEST_F_TIMEOUT(moves, returns_to_the_cpu_that_is_near, SLOW)
{
	int fd, i, cpu = pmu->cpu;
	__u64 total, taken, elsewhere;

	if (!returns())
		SKIP(return, "several CPUs are near this PMU");
	fd = must_open(pmu->event, -1);
	take_cpu_away();
	total = inject(over_half());
	EXPECT_EQ(total, pmu_value(fd));
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	ASSERT_EQ(0, pmu_follow(pmu));
	EXPECT_EQ(cpu, pmu->cpu);
	taken = interrupts_taken(cpu);
	elsewhere = interrupts_taken(-1) - taken;
	for (i = 0; i < 10; i++)
		total += inject(over_half());
	EXPECT_EQ(total, pmu_value(fd));
	if (has_interrupt(machine))
		EXPECT_LT(taken, interrupts_taken(cpu));
	EXPECT_EQ(elsewhere, interrupts_taken(-1) - interrupts_taken(cpu));
}

TEST_HARNESS_MAIN
