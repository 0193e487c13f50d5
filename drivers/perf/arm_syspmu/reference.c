// SPDX-License-Identifier: GPL-2.0
/*
 * Reference counting for the memory-mapped PMUs of Arm systems. The driver
 * holds a reference while it is bound, and each open event holds one. Dropping
 * the last one frees the PMU.
 */

#include <linux/compiler.h>
#include <linux/errno.h>

#include <asm/barrier.h>

#include "core.h"

/* For work that can outlive the driver binding; drained on module unload. */
struct workqueue_struct *arm_syspmu_workqueue;

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

/*
 * Lets tasks open events. Takes no lock, since a task that opens one may hold
 * one that a migration of events needs. Until then there are no events to be
 * migrated, and those that are opened afterwards get the CPU that the PMU is on
 * by then.
 */
void arm_syspmu_set_registered(struct arm_syspmu_core *core)
{
	/* Pairs with smp_load_acquire() in arm_syspmu_event_init(). */
	smp_store_release(&core->registered, true);
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
