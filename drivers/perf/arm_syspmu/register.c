// SPDX-License-Identifier: GPL-2.0
/*
 * Core of the perf drivers for the memory-mapped PMUs of Arm systems: the
 * lifetime of a PMU.
 *
 * A PMU outlives its driver binding if events are still open. These keep their
 * counts but no longer count, no new events can be opened, and closing the last
 * one frees the PMU. Unbinding never waits for user space.
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

/* Runs work that cannot be done where it arises, under perf's locks. */
static void arm_syspmu_report(struct irq_work *work)
{
	struct arm_syspmu *pmu = container_of(work, struct arm_syspmu, report);
	unsigned int too_narrow;

	if (arm_syspmu_is_gone(pmu) && !pmu->gone_reported) {
		pmu->gone_reported = true;
		dev_err(pmu->dev,
			"%s: reads as all ones: its events stop counting, bind the driver again when it is back\n",
			pmu->pmu.name);
	}
	too_narrow = xchg(&pmu->too_narrow, 0);
	if (too_narrow)
		dev_err_ratelimited(pmu->dev,
				    "%s: a counter of %u bits overflows more often than a CPU can handle: its event has stopped, its count is too low\n",
				    pmu->pmu.name, too_narrow);
	if (READ_ONCE(pmu->has_stray))
		queue_work(arm_syspmu_workqueue, &pmu->stray_work);
}

static void arm_syspmu_report_setup(struct arm_syspmu *pmu)
{
	init_irq_work(&pmu->report, arm_syspmu_report);
}

static void arm_syspmu_unregister(struct arm_syspmu *pmu)
{
	arm_syspmu_forget_registration(pmu);
	/*
	 * perf still accesses the PMU for a short time after it has destroyed
	 * an event, but does not sleep in between.
	 */
	synchronize_rcu_tasks();
	arm_syspmu_cancel_rotation(pmu);
	perf_pmu_unregister(&pmu->pmu);
}

/* Called after the last reference has been dropped */
static void arm_syspmu_free(struct arm_syspmu *pmu)
{
	struct device *dev = pmu->dev;

	if (pmu->registered)
		arm_syspmu_unregister(pmu);
	arm_syspmu_cpu_detach(pmu);
	/*
	 * An interrupt may have been passed on to another CPU, by an
	 * asynchronous call. If that CPU runs it in one batch with the
	 * synchronous call of kick_all_cpus_sync(), the synchronous one comes
	 * first, so only a second one is certain to follow it.
	 */
	kick_all_cpus_sync();
	kick_all_cpus_sync();
	irq_work_sync(&pmu->report);
	cancel_work_sync(&pmu->stray_work);
	cancel_work_sync(&pmu->msi_work);
	if (pmu->timers)
		hrtimer_cancel(&pmu->timers->poll);
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

/**
 * arm_syspmu_put_binding - drop the reference of the driver
 * @pmu: the PMU, set up by arm_syspmu_init_pmu(). It is freed by
 *	&arm_syspmu_ops.release, after all events have been closed.
 *
 * Called by a backend only if it gives up before arm_syspmu_register().
 *
 * Context: process.
 */
void arm_syspmu_put_binding(struct arm_syspmu *pmu)
{
	struct module *owner = pmu->ops->owner;
	/* Fails if the module is being unloaded; then no event is open. */
	bool pinned = try_module_get(owner);

	if (refcount_dec_and_test(&pmu->references)) {
		arm_syspmu_free(pmu);
		if (pinned)
			module_put(owner);
	}
}
EXPORT_SYMBOL_GPL(arm_syspmu_put_binding);

/*
 * Run by devres when the driver is unbound or its probe fails, before the
 * registers are unmapped. This is one action, since each takes 192 bytes.
 */
static void arm_syspmu_unbind(void *data)
{
	struct arm_syspmu *pmu = data;
	unsigned int events;

	WRITE_ONCE(pmu->unregistering, true);
	/* It has been armed. */
	if (pmu->follows_cpus)
		arm_syspmu_detach_hardware(pmu);
	arm_syspmu_irq_free(pmu, arm_syspmu_cpu_forget_irq(pmu));

	events = refcount_read(&pmu->references) - 1;
	if (events)
		dev_warn(pmu->dev,
			 "%s: %u open events keep their counts, the PMU is removed when the last one is closed\n",
			 pmu->pmu.name, events);
	arm_syspmu_put_binding(pmu);
}

/**
 * arm_syspmu_init_pmu - initialise a PMU
 * @pmu: the PMU, zeroed
 * @dev: its device
 * @ops: operations of the backend
 *
 * Context: process, at probe.
 */
void arm_syspmu_init_pmu(struct arm_syspmu *pmu, struct device *dev,
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
	if (err) {
		arm_syspmu_cancel_registration(pmu);
		return dev_err_probe(pmu->dev, err, "cannot register PMU %s\n",
				     name);
	}

	arm_syspmu_set_registered(pmu);

	return 0;
}

/**
 * arm_syspmu_register - register a PMU with perf
 * @pmu: the PMU, with the members of the backend filled in
 * @pdev: the platform device; its driver data is set to @pmu
 * @name: name of the PMU; must live as long as the PMU
 *
 * Unregistration is automatic when the driver is unbound, or if this function
 * fails. The PMU is freed by &arm_syspmu_ops.release, after all events have been
 * closed.
 *
 * Context: process, at probe, after the registers have been mapped with devres.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_register(struct arm_syspmu *pmu, struct platform_device *pdev,
			const char *name)
{
	int err;

	err = arm_syspmu_check_name(pmu, name);
	if (err)
		goto put_binding;
	/* Without shadow registers, there is nothing to capture to. */
	pmu->captures_on_overflow &= pmu->can_capture;
	if (pmu->num_counters <= pmu->counters_at_once)
		pmu->counters_at_once = 0;
	pmu->wraps = arm_syspmu_narrowest_counter(pmu) != U64_MAX;
	pmu->has_narrow = arm_syspmu_narrowest_counter(pmu) < U32_MAX;
	platform_set_drvdata(pdev, pmu);
	pmu->pmu.name = name;
	pmu->ops->reset(pmu);
	err = arm_syspmu_irq_request(pmu, pdev);
	if (err)
		goto put_binding;
	/* An MSI has resources of its own, which must be released after this. */
	err = devm_add_action_or_reset(pmu->dev, arm_syspmu_unbind, pmu);
	if (err)
		return err;
	arm_syspmu_count_usable(pmu);

	/* Chooses a CPU and directs the interrupt to it. */
	err = arm_syspmu_cpu_attach(pmu);
	if (err)
		return err;

	arm_syspmu_arm(pmu);

	return arm_syspmu_register_pmu(pmu, name);

put_binding:
	arm_syspmu_put_binding(pmu);
	return err;
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
