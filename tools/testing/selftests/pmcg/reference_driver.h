/* SPDX-License-Identifier: GPL-2.0 */
/* Known differences of arm_smmuv3_pmu, the kernel's own driver of PMCGs. */
#ifndef ARM_SYSPMU_PMCG_REFERENCE_DRIVER_H
#define ARM_SYSPMU_PMCG_REFERENCE_DRIVER_H

#include "reference.h"

extern const struct reference_driver pmcg_reference_driver;

#endif
