// SPDX-License-Identifier: GPL-2.0
/*
 * Core of the perf drivers for the memory-mapped PMUs of Arm systems: the
 * lifetime of a PMU, and its power management.
 *
 * A PMU outlives its driver binding if events are still open. These keep their
 * counts but no longer count, no new events can be opened, and closing the last
 * one frees the PMU. Unbinding never waits for user space.
 *
 * On suspend, the counts of all events are updated and the device is disabled,
 * since it may lose all of its state. On resume it is set up as at probe, and
 * the events continue to count.
 */

#include <linux/device.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "compat.h"
#include "core.h"

struct workqueue_struct *arm_syspmu_workqueue;

/* PMUs are probed one after another: a name may depend on those that are taken. */
static DEFINE_MUTEX(arm_syspmu_probe_lock);

/* Does what cannot be done where it arises, under perf's locks. */
static void arm_syspmu_report(struct irq_work *work)
{
	struct arm_syspmu_core *core =
		container_of(work, struct arm_syspmu_core, report);
	const char *fault;
	unsigned int i;

	/* May run on two CPUs at once. */
	for (i = 0; i < ARRAY_SIZE(core->faults); i++) {
		fault = READ_ONCE(core->faults[i]);
		if (fault && !test_and_set_bit(i, &core->reported))
			dev_err(core->pmu->dev, "%s: %s\n",
				core->pmu->pmu.name, fault);
	}
	if (!cpumask_empty(&core->strays))
		queue_work(arm_syspmu_workqueue, &core->stray_work);
}

/*
 * Power
 */

static void arm_syspmu_suspend_here(void *data)
{
	struct arm_syspmu_core *core = data;

	/* Pairs with smp_store_release() in arm_syspmu_count_setup(). */
	if (smp_load_acquire(&core->counters)) {
		arm_syspmu_suspend_counters(core);
		arm_syspmu_handle_overflows(core);
	}
	arm_syspmu_suspend_events(core);
}

/* Stops using the hardware. Open events remain and keep their counts. */
static void arm_syspmu_detach_hardware(struct arm_syspmu_core *core)
{
	arm_syspmu_cpu_call(core, arm_syspmu_suspend_here);

	if (!READ_ONCE(core->gone))
		core->pmu->ops->quiesce(core->pmu);
}

static int arm_syspmu_suspend(struct device *dev)
{
	struct arm_syspmu *pmu = dev_get_drvdata(dev);

	if (!READ_ONCE(pmu->core->gone))
		arm_syspmu_detach_hardware(pmu->core);

	return 0;
}

static int arm_syspmu_resume(struct device *dev)
{
	struct arm_syspmu *pmu = dev_get_drvdata(dev);

	if (READ_ONCE(pmu->core->gone))
		return 0;

	pmu->ops->reset(pmu);
	pmu->ops->arm(pmu, pmu->core->irq >= 0);
	arm_syspmu_cpu_call(pmu->core, arm_syspmu_resume_events);

	return 0;
}

/* For the drivers of all backends, with the struct arm_syspmu as driver data */
EXPORT_GPL_SIMPLE_DEV_PM_OPS(arm_syspmu_pm_ops, arm_syspmu_suspend,
			     arm_syspmu_resume);

/* Disables the device before a reboot or kexec, for all backends, too. */
void arm_syspmu_shutdown(struct platform_device *pdev)
{
	arm_syspmu_suspend(&pdev->dev);
}
EXPORT_SYMBOL_GPL(arm_syspmu_shutdown);

/*
 * Freeing
 */

/*
 * perf still accesses the PMU for a short time after it has destroyed an event,
 * or found the PMU in spite of a registration that failed, and does not sleep in
 * between. Before 6.15 there is an exception, for which nothing can be done: a
 * task that opens an event of a group may wait for the mutex of its context.
 */
static void arm_syspmu_unregister(struct arm_syspmu_core *core)
{
	bool registered = core->registered;

	arm_syspmu_forget_registration(core);
	if (!registered || core->counters)
		synchronize_rcu_tasks();
	if (!registered)
		return;

	arm_syspmu_cancel_rotation(core);
	perf_pmu_unregister(&core->pmu->pmu);
}

/* Called after the last reference has been dropped */
static void arm_syspmu_free(struct arm_syspmu_core *core)
{
	struct arm_syspmu *pmu = core->pmu;
	struct device *dev = pmu->dev;

	if (core->exposed)
		arm_syspmu_unregister(core);
	arm_syspmu_cpu_detach(core);
	irq_work_sync(&core->report);
	cancel_work_sync(&core->stray_work);
	hrtimer_cancel(&core->poll);
	hrtimer_cancel(&core->unthrottle);
	kfree(core->counters);
	kfree(core);
	pmu->ops->release(pmu);
	put_device(dev);
}

static void arm_syspmu_free_later(struct work_struct *work)
{
	struct arm_syspmu_core *core =
		container_of(work, struct arm_syspmu_core, free_work);
	struct module *owner = core->pmu->ops->owner;

	arm_syspmu_free(core);
	module_put(owner);
}

/*
 * Drops the reference of the driver. The PMU is freed after all events have been
 * closed.
 */
static void arm_syspmu_put_binding(struct arm_syspmu *pmu)
{
	struct module *owner = pmu->ops->owner;
	/* Fails if the module is being unloaded; then no event is open. */
	bool pinned = try_module_get(owner);

	if (refcount_dec_and_test(&pmu->core->references)) {
		arm_syspmu_free(pmu->core);
		if (pinned)
			module_put(owner);
	}
}

/*
 * Run by devres when the driver is unbound or its probe fails, before the
 * registers are unmapped. This is one action, since each takes 192 bytes.
 */
static void arm_syspmu_unbind(void *data)
{
	struct arm_syspmu_core *core = data;
	struct arm_syspmu *pmu = core->pmu;
	unsigned int events;

	WRITE_ONCE(core->unregistering, true);
	/* It may have been armed. */
	if (!list_empty(&core->node_in_list))
		arm_syspmu_detach_hardware(core);
	arm_syspmu_irq_free(core, arm_syspmu_cpu_forget_irq(core));

	events = refcount_read(&core->references) - 1;
	if (events)
		dev_warn(pmu->dev,
			 "%s: %u open events keep their counts, the PMU is removed when the last one is closed\n",
			 pmu->pmu.name, events);
	if (core->exposed && !core->registered && try_module_get(pmu->ops->owner))
		/* Does not wait for tasks in the probe of the device. */
		arm_syspmu_put(core);
	else
		arm_syspmu_put_binding(pmu);
}

/*
 * Probe
 */

/* Returns the state of the core, or NULL. */
static struct arm_syspmu_core *arm_syspmu_alloc_core(struct arm_syspmu *pmu)
{
	struct arm_syspmu_core *core = kzalloc(sizeof(*core), GFP_KERNEL);

	if (!core)
		return NULL;

	get_device(pmu->dev);
	pmu->core = core;
	core->pmu = pmu;
	refcount_set(&core->references, 1);
	INIT_WORK(&core->free_work, arm_syspmu_free_later);
	init_irq_work(&core->report, arm_syspmu_report);
	mutex_init(&core->lock);
	ratelimit_state_init(&core->refusals, DEFAULT_RATELIMIT_INTERVAL,
			     DEFAULT_RATELIMIT_BURST);
	arm_syspmu_irq_setup(core);
	arm_syspmu_sample_setup(core);
	arm_syspmu_cpu_setup(core);

	return core;
}

/* Finds out what the PMU is, checks it, and requests its interrupt. */
static int arm_syspmu_setup(struct arm_syspmu_core *core,
			    struct platform_device *pdev)
{
	struct arm_syspmu *pmu = core->pmu;
	int err;

	/* One whose registration has failed may still have the name. */
	flush_workqueue(arm_syspmu_workqueue);
	err = pmu->ops->setup(pmu, pdev) ?:
	      arm_syspmu_check_counters(pmu) ?:
	      arm_syspmu_check_name(core);
	if (err)
		return err;
	pmu->ops->reset(pmu);

	return arm_syspmu_irq_request(core, pdev);
}

static int arm_syspmu_register_pmu(struct arm_syspmu_core *core)
{
	struct pmu *pmu = &core->pmu->pmu;
	int err;

	arm_syspmu_schedule_setup(core);
	pmu->module = core->pmu->ops->owner;
	pmu->task_ctx_nr = perf_invalid_context;
	pmu->capabilities = PERF_PMU_CAP_NO_EXCLUDE;
	pmu->attr_groups = core->pmu->attr_groups;
	pmu->event_init = arm_syspmu_event_init;
	arm_syspmu_set_parent(pmu, core->pmu->dev);

	core->exposed = true;
	err = perf_pmu_register(pmu, pmu->name, -1);
	if (err)
		return dev_err_probe(core->pmu->dev, err,
				     "cannot register PMU %s\n", pmu->name);

	arm_syspmu_set_registered(core);

	return 0;
}

static int arm_syspmu_attach(struct arm_syspmu_core *core,
			     struct platform_device *pdev)
{
	struct arm_syspmu *pmu = core->pmu;
	int err = arm_syspmu_setup(core, pdev);

	if (err) {
		arm_syspmu_put_binding(pmu);
		return err;
	}

	/* An MSI has resources of its own, which must be released after this. */
	return devm_add_action_or_reset(pmu->dev, arm_syspmu_unbind, core) ?:
	       arm_syspmu_cpu_attach(core);
}

/**
 * arm_syspmu_probe - set up a PMU and register it with perf
 * @pmu: the PMU, zeroed. Not in memory managed by devres, since open events can
 *	outlive the driver binding.
 * @pdev: the platform device; its driver data is set to @pmu
 * @ops: operations of the backend; @setup is called first
 *
 * Unregistration is automatic when the driver is unbound. The PMU is freed by
 * &arm_syspmu_ops.release, after all events have been closed, or if this function
 * fails.
 *
 * Context: process, at probe.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_probe(struct arm_syspmu *pmu, struct platform_device *pdev,
		     const struct arm_syspmu_ops *ops)
{
	struct arm_syspmu_core *core;
	int err;

	pmu->dev = &pdev->dev;
	pmu->ops = ops;
	core = arm_syspmu_alloc_core(pmu);
	if (!core) {
		ops->release(pmu);
		return -ENOMEM;
	}

	platform_set_drvdata(pdev, pmu);
	mutex_lock(&arm_syspmu_probe_lock);
	err = arm_syspmu_attach(core, pdev);
	mutex_unlock(&arm_syspmu_probe_lock);
	if (err)
		return err;

	ops->arm(pmu, core->irq >= 0);
	core->shows_enabled = ops->is_enabled(pmu);

	return arm_syspmu_register_pmu(core);
}
EXPORT_SYMBOL_GPL(arm_syspmu_probe);

static int __init arm_syspmu_init(void)
{
	int err;

	arm_syspmu_workqueue = alloc_workqueue("arm_syspmu", WQ_UNBOUND, 0);
	if (!arm_syspmu_workqueue)
		return -ENOMEM;

	arm_syspmu_find_perf_functions();
	err = arm_syspmu_cpu_init();
	if (err)
		destroy_workqueue(arm_syspmu_workqueue);

	return err;
}
module_init(arm_syspmu_init);

static void __exit arm_syspmu_exit(void)
{
	/* What frees PMUs uses the code of this module until its end. */
	destroy_workqueue(arm_syspmu_workqueue);
	arm_syspmu_cpu_exit();
}
module_exit(arm_syspmu_exit);

MODULE_DESCRIPTION("Core of the perf drivers for memory-mapped Arm system PMUs");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_VERSION(ARM_SYSPMU_VERSION);
MODULE_LICENSE("GPL");
