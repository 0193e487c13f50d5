// SPDX-License-Identifier: GPL-2.0
/*
 * Reference counting for the memory-mapped PMUs of Arm systems. The driver
 * holds a reference while it is bound, and each open event holds one. Dropping
 * the last one frees the PMU.
 */

#include <linux/errno.h>
#include <linux/workqueue.h>

#include "private.h"

/* For work that can outlive the driver binding; drained on module unload. */
struct workqueue_struct *arm_syspmu_workqueue;

/**
 * arm_syspmu_last_put - free a PMU whose last reference has been dropped
 * @pmu: the PMU
 *
 * Context: any.
 */
void arm_syspmu_last_put(struct arm_syspmu *pmu)
{
	queue_work(arm_syspmu_workqueue, &pmu->free_work);
}

/**
 * arm_syspmu_reference_init - create the workqueue that arm_syspmu_put() uses
 *
 * Context: process, when the module is loaded.
 * Return: 0 or -ENOMEM
 */
int arm_syspmu_reference_init(void)
{
	arm_syspmu_workqueue = alloc_workqueue("arm_syspmu", WQ_UNBOUND, 0);

	return arm_syspmu_workqueue ? 0 : -ENOMEM;
}

/**
 * arm_syspmu_reference_exit - undo arm_syspmu_reference_init()
 *
 * Waits for work items that free PMUs, since these use the code of this module
 * until the end.
 *
 * Context: process, when the module is unloaded.
 */
void arm_syspmu_reference_exit(void)
{
	destroy_workqueue(arm_syspmu_workqueue);
}
