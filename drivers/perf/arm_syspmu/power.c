// SPDX-License-Identifier: GPL-2.0
/*
 * Power management of the memory-mapped PMUs of Arm systems: suspend, resume,
 * shutdown.
 *
 * On suspend, the counts of all events are updated and the device is disabled,
 * since it may lose all of its state. On resume it is set up as at probe, and
 * the events continue to count.
 */

#include <linux/device.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/pm.h>

#include "private.h"

/**
 * arm_syspmu_arm - enable the device and its interrupt
 * @pmu: the PMU, after the reset of its hardware
 *
 * Context: process.
 */
void arm_syspmu_arm(struct arm_syspmu *pmu)
{
	mutex_lock(&pmu->lock);
	pmu->ops->arm(pmu);
	pmu->armed = pmu->irq >= 0;
	mutex_unlock(&pmu->lock);
}

/* Undoes arm_syspmu_arm(). */
static void arm_syspmu_quiesce(struct arm_syspmu *pmu)
{
	mutex_lock(&pmu->lock);
	pmu->armed = false;
	if (!arm_syspmu_is_gone(pmu))
		pmu->ops->quiesce(pmu);
	mutex_unlock(&pmu->lock);
}

static void arm_syspmu_suspend_here(void *data)
{
	arm_syspmu_suspend_events(data);
}

static void arm_syspmu_resume_here(void *data)
{
	arm_syspmu_resume_events(data);
}

static int arm_syspmu_suspend(struct device *dev)
{
	struct arm_syspmu *pmu = dev_get_drvdata(dev);

	if (arm_syspmu_is_gone(pmu))
		return 0;

	arm_syspmu_cpu_call(pmu, arm_syspmu_suspend_here);
	arm_syspmu_quiesce(pmu);

	return 0;
}

static int arm_syspmu_resume(struct device *dev)
{
	struct arm_syspmu *pmu = dev_get_drvdata(dev);

	if (arm_syspmu_is_gone(pmu))
		return 0;

	pmu->ops->reset(pmu);
	arm_syspmu_arm(pmu);
	arm_syspmu_cpu_call(pmu, arm_syspmu_resume_here);

	return 0;
}

/* For the drivers of all backends, with the struct arm_syspmu as driver data */
EXPORT_GPL_SIMPLE_DEV_PM_OPS(arm_syspmu_pm_ops, arm_syspmu_suspend,
			     arm_syspmu_resume);

/**
 * arm_syspmu_shutdown - disable the device before a reboot or kexec
 * @pmu: the PMU
 *
 * Context: process.
 */
void arm_syspmu_shutdown(struct arm_syspmu *pmu)
{
	arm_syspmu_suspend(pmu->dev);
}
EXPORT_SYMBOL_GPL(arm_syspmu_shutdown);

/**
 * arm_syspmu_detach_hardware - stop using the hardware
 * @pmu: the PMU, whose driver is being unbound
 *
 * Open events remain and keep their counts.
 *
 * Context: process.
 */
void arm_syspmu_detach_hardware(struct arm_syspmu *pmu)
{
	arm_syspmu_cpu_call(pmu, arm_syspmu_suspend_here);
	arm_syspmu_quiesce(pmu);
}
