/* SPDX-License-Identifier: GPL-2.0 */
/* Common part of the tests of CoreSight PMUs. Included once by each test. */
#ifndef ARM_SYSPMU_CORESIGHT_FIXTURE_H
#define ARM_SYSPMU_CORESIGHT_FIXTURE_H

#include "coresight.h"
#include "fixture.h"

/* Properties that only such a PMU has. The machine has the stimulus page. */
static inline struct coresight_hardware coresight_of(const struct machine *machine)
{
	struct stimulus stimulus = machine->stimulus;
	struct coresight_hardware hardware;

	coresight_read_hardware(&stimulus, &hardware);
	return hardware;
}

/* Whether all monitors of the PMU are alike: it has no groups with different widths and events. */
static inline bool is_uniform(const struct machine *machine)
{
	return !(coresight_of(machine).cfgr & PMCFGR_NCG);
}

/* Known products have names of their own. */
static inline bool is_known_product(const struct pmu *pmu)
{
	return strncmp(pmu->name, "arm_cspmu_", strlen("arm_cspmu_"));
}

/* The CPUs in associated_cpus, a bit for each. */
static inline __u64 associated_cpus(const struct pmu *pmu)
{
	__u64 cpus = 0;
	char text[256];
	int cpu;

	ASSERT_EQ(0, pmu_attribute(pmu, "associated_cpus", text, sizeof(text)));
	for (cpu = 0; cpu < 64; cpu++)
		cpus |= (__u64)cpu_is_listed(text, cpu) << cpu;
	return cpus;
}

/* The bit of a monitor in registers that have one for each, given the first of them. */
static inline bool bit_of(__u32 first, unsigned int monitor)
{
	return stimulus_peek32(stimulus, first + 4 * (monitor / 32)) >> monitor % 32 & 1;
}

/* The number of monitors whose bit is set. */
static inline unsigned int monitors_in(__u32 first)
{
	unsigned int word, number = 0;

	for (word = 0; word < CORESIGHT_WORDS; word++)
		number += __builtin_popcount(stimulus_peek32(stimulus, first + 4 * word));
	return number;
}

static inline bool is_enabled(unsigned int monitor)
{
	return bit_of(PMCNTENSET(0), monitor);
}

static inline unsigned int enabled_monitors(void)
{
	return monitors_in(PMCNTENSET(0));
}

#endif
