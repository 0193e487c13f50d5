// SPDX-License-Identifier: GPL-2.0
/*
 * Reference counting for the memory-mapped PMUs of Arm systems. The driver
 * holds a reference while it is bound, and each open event holds one. Dropping
 * the last one frees the PMU.
 *
 * A task that opens an event may find a PMU before perf_pmu_register() has
 * returned: perf creates its directory in sysfs first. Before 6.15, unless a
 * stable update has fixed it, perf_event_open() finds the PMU before perf has
 * initialised it, and perf may still fail to register it. The task waits.
 */

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <asm/barrier.h>

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

/* Tasks that wait until perf_pmu_register() has returned */
static DECLARE_WAIT_QUEUE_HEAD(arm_syspmu_openers);

static bool arm_syspmu_has_tried_to_register(struct arm_syspmu *pmu)
{
	/* Pairs with smp_store_release() in arm_syspmu_set_registered(). */
	return smp_load_acquire(&pmu->registered) ||
	       READ_ONCE(pmu->unregistering);
}

/**
 * arm_syspmu_await_registration - wait until events of a PMU can be opened
 * @pmu: a PMU that perf_event_open() has found
 *
 * Context: process, possibly with the lock of a context of perf held.
 * Return: 0; -ENODEV if the PMU could not be registered, or no longer is; or
 *	-ERESTARTSYS if the task is being killed
 */
int arm_syspmu_await_registration(struct arm_syspmu *pmu)
{
	int err = arm_syspmu_get(pmu);

	if (err)
		return err;

	err = wait_event_killable(arm_syspmu_openers,
				  arm_syspmu_has_tried_to_register(pmu));
	if (!err && READ_ONCE(pmu->unregistering))
		err = -ENODEV;
	arm_syspmu_put(pmu);
	wake_up_all(&arm_syspmu_openers);

	return err;
}

/**
 * arm_syspmu_set_registered - let tasks open events of a PMU
 * @pmu: the PMU, which perf has registered
 *
 * Takes no lock, since a task that waits may hold one that a migration of
 * events needs. Until then there are no events to be migrated, and those that
 * are opened afterwards get the CPU that the PMU is on by then.
 *
 * Context: process, at probe.
 */
void arm_syspmu_set_registered(struct arm_syspmu *pmu)
{
	/* Pairs with smp_load_acquire() in arm_syspmu_alloc_counters(). */
	smp_store_release(&pmu->registered, true);
	wake_up_all(&arm_syspmu_openers);
}

/**
 * arm_syspmu_cancel_registration - refuse to open events of a PMU
 * @pmu: the PMU, which perf could not register
 *
 * Context: process, at probe. Afterwards the PMU can be freed.
 */
void arm_syspmu_cancel_registration(struct arm_syspmu *pmu)
{
	WRITE_ONCE(pmu->unregistering, true);
	wake_up_all(&arm_syspmu_openers);
	wait_event(arm_syspmu_openers, refcount_read(&pmu->references) == 1);
	/* See arm_syspmu_unregister(). */
	synchronize_rcu_tasks();
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
