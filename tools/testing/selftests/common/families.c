// SPDX-License-Identifier: GPL-2.0
/* The families of PMUs that the generic tests run on, by their number in FAMILY. */
#include "coresight.h"
#include "pmcg.h"

const struct pmu_family * const pmu_families[] = {
	&pmcg_family,
	&coresight_family,
	NULL
};
