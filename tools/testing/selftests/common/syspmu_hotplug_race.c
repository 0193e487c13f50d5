// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU that owns a PMU goes offline while the PMU is being registered or unregistered: first
 * with the driver held at each of these points, then repeatedly at random.
 */
#include <signal.h>

#include "interleave.h"
#include "fixture.h"

/* A CPU that waits for the held driver waits for longer than this. */
#define TIMEOUT_MS	1000

/* Number of times in a row that it must be seen waiting. */
#define SEEN_WAITING	10

static char module[64];	/* of the driver, empty if it is built in */
static pid_t driver, hotplug;

static void need_two_cpus(void)
{
	if (!can_move(machine))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	module_of_driver(pmu->driver, module, sizeof(module));
}

static void end(pid_t process)
{
	if (process <= 0)
		return;
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
}

/* A failed test may have left them. */
static void end_both(void)
{
	call_release();
	end(driver);
	end(hotplug);
}

PMU_FIXTURE_BETWEEN(race, can_unbind, true, need_two_cpus, end_both)

/* Where the driver is held: in this function while it binds, or while it unbinds. */
static const struct point {
	const char *function;
	bool bind;
} points[] = {
	{ "perf_pmu_register", true },
	{ "__cpuhp_state_add_instance", true },
	{ "perf_pmu_unregister", false },
	{ "__cpuhp_state_remove_instance", false },
};

/* A process that may wait for CPU hotplug. */
struct waiter {
	pid_t process;
	unsigned int seen;	/* how often in a row it was seen waiting */
};

static bool keeps_waiting(void *data)
{
	struct waiter *waiter = data;

	waiter->seen = process_waits_for_hotplug(waiter->process) ? waiter->seen + 1 : 0;
	return waiter->seen == SEEN_WAITING;
}

/* The CPU goes offline, or waits until the driver is released. Both are correct. */
static void await_hotplug(pid_t process)
{
	struct waiter waiter = { .process = process };

	process_await(process, TIMEOUT_MS, keeps_waiting, &waiter);
}

static void expect_owner_online(void)
{
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	EXPECT_TRUE(cpu_is_online(pmu->cpu))
		TH_LOG("CPU %d owns the PMU", pmu->cpu);
}

static void go_offline_at(const struct point *point, int cpu)
{
	TH_LOG("CPU %d goes offline when %s is called", cpu, point->function);
	if (point->bind)
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, call_hold(point->function));
	driver = start_binding(point->bind);
	/* A driver need not call it. */
	if (call_await(driver)) {
		hotplug = start_offline(cpu);
		await_hotplug(hotplug);
	}
	call_release();
	expect_success(&driver);
	if (hotplug)
		expect_success(&hotplug);
	if (!point->bind)
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	expect_owner_online();
	expect_exact_counts();
	ASSERT_EQ(0, cpu_all_online());
	expect_owner_online();
	expect_exact_counts();
}

TEST_F_TIMEOUT(race, cpu_goes_between_two_steps, SLOW)
{
	int cpu, number = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int i;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	for (i = 0; i < ARRAY_SIZE(points); i++)
		for (cpu = 0; cpu < number; cpu++)
			if (cpu_can_go_offline(cpu))
				go_offline_at(&points[i], cpu);
}

/* Takes one CPU after another offline and back online until it is killed. */
static pid_t start_storm(void)
{
	int cpu, number = sysconf(_SC_NPROCESSORS_CONF);
	pid_t child = fork();

	if (child)
		return child;
	for (cpu = 0;; cpu = (cpu + 1) % number)
		if (!cpu_set_online(cpu, false))
			cpu_set_online(cpu, true);
}

static void end_storm(void)
{
	end(hotplug);
	hotplug = 0;
	cpu_all_online();
	expect_owner_online();
	expect_exact_counts();
}

TEST_F_TIMEOUT(race, storm_of_cpus_while_it_binds, SLOW)
{
	unsigned int round;

	hotplug = start_storm();
	ASSERT_LT(0, hotplug);
	for (round = 0; round < 10 * repeat(); round++) {
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	}
	end_storm();
}

/* All PMUs at once, so a single test is enough. */
TEST_F_TIMEOUT(race, storm_of_cpus_while_it_loads, SLOW)
{
	static const char * const first = "smmuv3_pmcg_b100";
	unsigned int round;

	if (!module[0])
		SKIP(return, "the driver is not a module that can be unloaded");
	if (strcmp(pmu->name, first) && !getenv("SYSPMU_RUNS"))
		SKIP(return, "%s does it for all", first);
	hotplug = start_storm();
	ASSERT_LT(0, hotplug);
	for (round = 0; round < 3 * repeat(); round++) {
		ASSERT_EQ(0, module_remove(module));
		ASSERT_EQ(0, module_load(module));
	}
	end_storm();
}

/* A migration takes a grace period on some kernels, with the lock of CPU hotplug held. */
TEST_F_TIMEOUT(race, unused_pmus_are_not_migrated, SLOW)
{
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (module_remove(module))
		SKIP(return, "the module cannot be unloaded");
	ASSERT_EQ(0, module_load(module));
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	ASSERT_EQ(0, cpu_pin(cpu_other_than(pmu->cpu)));
	ASSERT_EQ(0, call_hold("perf_pmu_migrate_context"));
	hotplug = start_offline(pmu->cpu);
	EXPECT_FALSE(call_await(hotplug));
	call_release();
	waitpid(hotplug, NULL, 0);
	hotplug = 0;
	EXPECT_FALSE(cpu_is_online(pmu->cpu));
	ASSERT_EQ(0, pmu_follow(pmu));
	expect_exact_counts();
}

TEST_HARNESS_MAIN
