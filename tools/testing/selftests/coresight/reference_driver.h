/* SPDX-License-Identifier: GPL-2.0 */
/* Known differences of arm_cspmu, the kernel's own driver of CoreSight PMUs. */
#ifndef ARM_SYSPMU_CORESIGHT_REFERENCE_DRIVER_H
#define ARM_SYSPMU_CORESIGHT_REFERENCE_DRIVER_H

#include "reference.h"

extern const struct reference_driver coresight_reference_driver;

#endif
