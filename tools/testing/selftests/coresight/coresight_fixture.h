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

/* The monitors that are enabled, by their numbers. */
static inline unsigned int enabled_monitors(bool *enabled)
{
	unsigned int n, number = 0;
	__u32 word = 0;

	for (n = 0; n < CORESIGHT_MONITORS; n++) {
		if (n % 32 == 0)
			word = stimulus_peek32(stimulus, PMCNTENSET(n / 32));
		enabled[n] = word >> n % 32 & 1;
		number += enabled[n];
	}
	return number;
}

#endif
