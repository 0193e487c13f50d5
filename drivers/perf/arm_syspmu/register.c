// SPDX-License-Identifier: GPL-2.0
/*
 * Core of the perf drivers for the memory-mapped PMUs of Arm systems: from the
 * probe of a device to the end of its PMU.
 *
 * A PMU can outlive the binding of its driver, since a process may have events
 * open: these keep their counts and count nothing any more, no event is opened,
 * and the PMU goes with the last of them. Nobody has to wait.
 */

#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "private.h"

/* What perf's locks forbid where it happens */
static void arm_syspmu_report(struct irq_work *work)
{
	struct arm_syspmu *pmu = container_of(work, struct arm_syspmu, report);

	if (arm_syspmu_is_gone(pmu) && !pmu->gone_reported) {
		pmu->gone_reported = true;
		dev_err(pmu->dev,
			"%s: reads as all ones: its events stop counting, bind the driver again when it is back\n",
			pmu->pmu.name);
	}
	if (xchg(&pmu->has_stray, false))
		queue_work(arm_syspmu_workqueue, &pmu->stray_work);
}

static void arm_syspmu_report_setup(struct arm_syspmu *pmu)
{
	init_irq_work(&pmu->report, arm_syspmu_report);
}

static void arm_syspmu_unregister(struct arm_syspmu *pmu)
{
	arm_syspmu_set_registered(pmu, false);
	/*
	 * perf still looks at the PMU after it has destroyed an event, the last
	 * one or one just before, but does not sleep there.
	 */
	synchronize_rcu_tasks();
	arm_syspmu_cancel_rotation(pmu);
	perf_pmu_unregister(&pmu->pmu);
}

/* With neither events nor a driver bound */
static void arm_syspmu_free(struct arm_syspmu *pmu)
{
	struct device *dev = pmu->dev;

	if (pmu->registered)
		arm_syspmu_unregister(pmu);
	arm_syspmu_cpu_detach(pmu);
	/*
	 * An interrupt may have been handed on to another CPU. What is waited
	 * for comes before what is not where both are in one batch of calls.
	 */
	kick_all_cpus_sync();
	kick_all_cpus_sync();
	irq_work_sync(&pmu->report);
	cancel_work_sync(&pmu->stray_work);
	cancel_work_sync(&pmu->msi_work);
	kfree(pmu->counters);
	kfree(pmu->timers);
	pmu->ops->release(pmu);
	put_device(dev);
}

static void arm_syspmu_free_later(struct work_struct *work)
{
	struct arm_syspmu *pmu = container_of(work, struct arm_syspmu,
					      free_work);
	struct module *owner = pmu->ops->owner;

	arm_syspmu_free(pmu);
	module_put(owner);
}

/* The last of what is undone with the device */
static void arm_syspmu_put_binding(void *data)
{
	struct arm_syspmu *pmu = data;
	struct module *owner = pmu->ops->owner;
	/* Fails while it is unloaded: then no event is open. */
	bool pinned = try_module_get(owner);

	if (refcount_dec_and_test(&pmu->references)) {
		arm_syspmu_free(pmu);
		if (pinned)
			module_put(owner);
	}
}

/* The first of what is undone with the device */
static void arm_syspmu_detach(void *data)
{
	struct arm_syspmu *pmu = data;
	unsigned int events;

	WRITE_ONCE(pmu->unregistering, true);
	arm_syspmu_detach_hardware(pmu);

	events = refcount_read(&pmu->references) - 1;
	if (events)
		dev_warn(pmu->dev,
			 "%s: %u open events keep their counts, the PMU goes with the last of them\n",
			 pmu->pmu.name, events);
}

/**
 * arm_syspmu_init_pmu - begin the life of a PMU
 * @pmu: the PMU, all zero. It is freed by &arm_syspmu_ops.release, when the
 *	device has been unbound and all events are closed or when this fails.
 * @dev: its device
 * @ops: the backend
 *
 * Context: process, at probe, before anything else is managed by the device.
 * Return: 0 or a negative errno.
 */
int arm_syspmu_init_pmu(struct arm_syspmu *pmu, struct device *dev,
			const struct arm_syspmu_ops *ops)
{
	pmu->dev = get_device(dev);
	pmu->ops = ops;
	refcount_set(&pmu->references, 1);
	INIT_WORK(&pmu->free_work, arm_syspmu_free_later);
	mutex_init(&pmu->lock);
	ratelimit_state_init(&pmu->refusals, DEFAULT_RATELIMIT_INTERVAL,
			     DEFAULT_RATELIMIT_BURST);
	arm_syspmu_irq_setup(pmu);
	arm_syspmu_cpu_setup(pmu);
	arm_syspmu_report_setup(pmu);

	return devm_add_action_or_reset(dev, arm_syspmu_put_binding, pmu);
}
EXPORT_SYMBOL_GPL(arm_syspmu_init_pmu);

static int arm_syspmu_register_pmu(struct arm_syspmu *pmu, const char *name)
{
	int err;

	arm_syspmu_schedule_setup(pmu);
	pmu->pmu.module = pmu->ops->owner;
	pmu->pmu.task_ctx_nr = perf_invalid_context;
	pmu->pmu.capabilities = PERF_PMU_CAP_NO_EXCLUDE;
	pmu->pmu.attr_groups = pmu->attr_groups;
	pmu->pmu.event_init = arm_syspmu_event_init;
	arm_syspmu_set_parent(&pmu->pmu, pmu->dev);

	err = perf_pmu_register(&pmu->pmu, name, -1);
	if (err)
		return dev_err_probe(pmu->dev, err, "cannot register PMU %s\n",
				     name);

	arm_syspmu_set_registered(pmu, true);

	return 0;
}

/**
 * arm_syspmu_register - hand a PMU to perf
 * @pmu: the PMU, its first group of members filled in
 * @pdev: the platform device; its driver data is @pmu from now on
 * @name: name of the PMU; must live as long as the PMU
 *
 * Everything is undone when the driver lets go of the device.
 *
 * Context: process, at probe.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_register(struct arm_syspmu *pmu, struct platform_device *pdev,
			const char *name)
{
	struct device *dev = pmu->dev;
	int err;

	err = arm_syspmu_check_name(pmu, name);
	if (err)
		return err;
	platform_set_drvdata(pdev, pmu);
	pmu->pmu.name = name;
	pmu->ops->reset(pmu);
	err = arm_syspmu_irq_request(pmu, pdev);
	if (err)
		return err;

	/* Chooses the first CPU and delivers the interrupt to it. */
	err = arm_syspmu_cpu_attach(pmu);
	if (err)
		return err;

	arm_syspmu_arm(pmu);
	err = devm_add_action_or_reset(dev, arm_syspmu_detach, pmu);
	if (err)
		return err;

	return arm_syspmu_register_pmu(pmu, name);
}
EXPORT_SYMBOL_GPL(arm_syspmu_register);

static int __init arm_syspmu_init(void)
{
	int err;

	err = arm_syspmu_reference_init();
	if (err)
		return err;

	arm_syspmu_find_perf_overflow();
	err = arm_syspmu_cpu_init();
	if (err)
		arm_syspmu_reference_exit();

	return err;
}
module_init(arm_syspmu_init);

static void __exit arm_syspmu_exit(void)
{
	arm_syspmu_reference_exit();
	arm_syspmu_cpu_exit();
}
module_exit(arm_syspmu_exit);

MODULE_DESCRIPTION("Core of the perf drivers for memory-mapped Arm system PMUs");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
