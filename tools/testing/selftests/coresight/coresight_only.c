// SPDX-License-Identifier: GPL-2.0
/* The family that the tests of CoreSight PMUs use. */
#include "coresight.h"

const struct pmu_family * const pmu_families[] = { &coresight_family, NULL };
