// SPDX-License-Identifier: GPL-2.0
/* An isolated CPU (isolcpus, nohz_full) does not own a PMU while another CPU is online. */
#include "fixture.h"

#define CPUS	"/sys/devices/system/cpu"

/* Errors count as an empty list. */
static bool is_listed(const char *path, int cpu)
{
	char list[256];

	return read_text(path, list, sizeof(list)) >= 0 && cpu_is_listed(list, cpu);
}

static bool is_isolated(int cpu)
{
	return is_listed(CPUS "/isolated", cpu) || is_listed(CPUS "/nohz_full", cpu);
}

static int count_cpus(bool isolated)
{
	int cpu, number = 0;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		number += is_listed(CPUS "/online", cpu) && is_isolated(cpu) == isolated;
	return number;
}

static void need_isolated_cpus(void)
{
	if (!count_cpus(true) || !count_cpus(false))
		SKIP(return, "no CPU is isolated");
}

PMU_FIXTURE_WITH(isolation, NULL, false, need_isolated_cpus)

TEST_F(isolation, isolated_cpus_own_no_pmu)
{
	EXPECT_FALSE(is_isolated(pmu->cpu))
		TH_LOG("CPU %d", pmu->cpu);
}

/* Also if the owning CPU goes offline while another one is left; and back from an isolated one. */
TEST_F_TIMEOUT(isolation, isolated_cpus_are_the_last_resort, SLOW)
{
	int cpu, number = sysconf(_SC_NPROCESSORS_CONF);

	if (!may_disturb())
		SKIP(return, DISTURBS);
	for (cpu = 1; cpu < number; cpu++) {
		if (is_isolated(cpu) || !is_listed(CPUS "/online", cpu))
			continue;
		ASSERT_EQ(0, cpu_set_online(cpu, false));
		ASSERT_EQ(0, pmu_find(pmu, pmu->name));
		EXPECT_FALSE(is_isolated(pmu->cpu))
			TH_LOG("CPU %d, with CPU %d offline", pmu->cpu, cpu);
		ASSERT_EQ(0, cpu_set_online(cpu, true));
	}
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	EXPECT_FALSE(is_isolated(pmu->cpu));
}

TEST_HARNESS_MAIN
