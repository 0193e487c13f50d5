// SPDX-License-Identifier: GPL-2.0
/* The family that the tests of PMCGs use. */
#include "pmcg.h"

const struct pmu_family * const pmu_families[] = { &pmcg_family, NULL };
