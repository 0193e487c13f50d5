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
#include <linux/wait.h>

#include <asm/barrier.h>

#include "core.h"

/* For work that can outlive the driver binding; drained on module unload. */
struct workqueue_struct *arm_syspmu_workqueue;

/* Tasks that wait until perf_pmu_register() has returned */
static DECLARE_WAIT_QUEUE_HEAD(arm_syspmu_openers);

void arm_syspmu_put(struct arm_syspmu_core *core)
{
	if (refcount_dec_and_test(&core->references))
		queue_work(arm_syspmu_workqueue, &core->free_work);
}

/* Returns -ENODEV if the PMU is being unregistered. */
int arm_syspmu_get(struct arm_syspmu_core *core)
{
	if (!refcount_inc_not_zero(&core->references))
		return -ENODEV;
	if (!READ_ONCE(core->unregistering))
		return 0;

	arm_syspmu_put(core);

	return -ENODEV;
}

static bool arm_syspmu_has_tried_to_register(struct arm_syspmu_core *core)
{
	/* Pairs with smp_store_release() in arm_syspmu_set_registered(). */
	return smp_load_acquire(&core->registered) ||
	       READ_ONCE(core->unregistering);
}

/*
 * Waits until events of a PMU that perf_event_open() has found can be opened,
 * possibly with the lock of a context of perf held. Returns 0, -ENODEV if the
 * PMU is not registered, or -ERESTARTSYS if the task is being killed.
 */
int arm_syspmu_await_registration(struct arm_syspmu_core *core)
{
	int err = arm_syspmu_get(core);

	if (err)
		return err;

	err = wait_event_killable(arm_syspmu_openers,
				  arm_syspmu_has_tried_to_register(core));
	if (!err && READ_ONCE(core->unregistering))
		err = -ENODEV;
	arm_syspmu_put(core);

	return err;
}

/*
 * Lets tasks open events. Takes no lock, since a task that waits may hold one
 * that a migration of events needs. Until then there are no events to be
 * migrated, and those that are opened afterwards get the CPU that the PMU is on
 * by then.
 */
void arm_syspmu_set_registered(struct arm_syspmu_core *core)
{
	/* Pairs with smp_load_acquire() in arm_syspmu_alloc_counters(). */
	smp_store_release(&core->registered, true);
	wake_up_all(&arm_syspmu_openers);
}

/* Refuses events of a PMU that perf could not register. */
void arm_syspmu_cancel_registration(struct arm_syspmu_core *core)
{
	WRITE_ONCE(core->unregistering, true);
	wake_up_all(&arm_syspmu_openers);
}

int arm_syspmu_reference_init(void)
{
	arm_syspmu_workqueue = alloc_workqueue("arm_syspmu", WQ_UNBOUND, 0);

	return arm_syspmu_workqueue ? 0 : -ENOMEM;
}

/* Work that frees PMUs uses the code of this module until its end. */
void arm_syspmu_reference_exit(void)
{
	destroy_workqueue(arm_syspmu_workqueue);
}
