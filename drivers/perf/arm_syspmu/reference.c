// SPDX-License-Identifier: GPL-2.0
/*
 * References to the memory-mapped PMUs of Arm systems: the binding of the
 * driver holds one, and so does each open event. The PMU is freed with the last
 * one.
 */

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>

#include "private.h"

/* For work that outlives the driver of a PMU: the module waits for its end. */
struct workqueue_struct *arm_syspmu_workqueue;

/**
 * arm_syspmu_get - take a reference for an event
 * @pmu: the PMU
 *
 * Context: process.
 * Return: 0; -ENODEV where the PMU goes away and takes no new events
 */
int arm_syspmu_get(struct arm_syspmu *pmu)
{
	if (!refcount_inc_not_zero(&pmu->references))
		return -ENODEV;
	if (READ_ONCE(pmu->unregistering)) {
		arm_syspmu_put(pmu);
		return -ENODEV;
	}

	return 0;
}

/**
 * arm_syspmu_put - undo arm_syspmu_get()
 * @pmu: the PMU
 *
 * Context: any.
 */
void arm_syspmu_put(struct arm_syspmu *pmu)
{
	if (refcount_dec_and_test(&pmu->references))
		queue_work(arm_syspmu_workqueue, &pmu->free_work);
}

/**
 * arm_syspmu_reference_init - get what arm_syspmu_put() needs
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
 * Waits for PMUs that were freed with their last event: their modules need
 * this one no more.
 *
 * Context: process, when the module is unloaded.
 */
void arm_syspmu_reference_exit(void)
{
	destroy_workqueue(arm_syspmu_workqueue);
}
