// SPDX-License-Identifier: GPL-2.0
/* The families that programs about any PMU test: a new one has its line here. */
#include "coresight.h"
#include "pmcg.h"

const struct pmu_family * const pmu_families[] = {
	&pmcg_family,
	&coresight_family,
	NULL
};
