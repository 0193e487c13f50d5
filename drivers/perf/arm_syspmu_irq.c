// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow delivery for the memory-mapped PMUs of Arm systems: the wired
 * interrupt.
 *
 * The interrupt always runs on the CPU that owns the PMU, with interrupts off,
 * as all other accesses to the counters do. That is the only locking there is.
 */

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/platform_device.h>

#include "arm_syspmu.h"

static irqreturn_t arm_syspmu_irq(int irq, void *data)
{
	struct arm_syspmu *pmu = data;

	return IRQ_RETVAL(arm_syspmu_handle_overflows(pmu));
}

/**
 * arm_syspmu_irq_request - take the overflow interrupt of a PMU
 * @pmu: the PMU, its hardware quiet
 * @pdev: the platform device whose first interrupt it is
 *
 * Context: process, at probe. The interrupt is freed with the device.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_irq_request(struct arm_syspmu *pmu,
			   struct platform_device *pdev)
{
	/*
	 * PMUs may share a line; balancing would take the handler away from
	 * the owning CPU, threading it would let interrupts back on.
	 */
	unsigned long flags = IRQF_SHARED | IRQF_NOBALANCING | IRQF_NO_THREAD;
	int irq, err;

	irq = platform_get_irq_optional(pdev, 0);
	if (irq < 0)
		return dev_err_probe(pmu->dev, irq,
				     "no overflow interrupt: firmware must describe the wired interrupt of this PMU\n");

	err = devm_request_irq(pmu->dev, irq, arm_syspmu_irq, flags,
			       dev_name(pmu->dev), pmu);
	if (err)
		return dev_err_probe(pmu->dev, err,
				     "cannot request overflow interrupt %d\n",
				     irq);

	pmu->irq = irq;
	return 0;
}

/**
 * arm_syspmu_irq_move - deliver the overflow interrupt to another CPU
 * @pmu: the PMU
 * @cpu: the CPU that owns it from now on
 *
 * Context: process.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_irq_move(struct arm_syspmu *pmu, unsigned int cpu)
{
	int err = irq_set_affinity(pmu->irq, cpumask_of(cpu));

	if (err)
		dev_err(pmu->dev,
			"cannot move overflow interrupt %d to CPU %u: %d\n",
			pmu->irq, cpu, err);
	return err;
}

/**
 * arm_syspmu_irq_pause - keep the overflow handler from running
 * @pmu: the PMU
 *
 * An edge that comes now stays pending in the interrupt controller.
 *
 * Context: process; waits for a running handler.
 */
void arm_syspmu_irq_pause(struct arm_syspmu *pmu)
{
	disable_irq(pmu->irq);
}

/**
 * arm_syspmu_irq_resume - undo arm_syspmu_irq_pause()
 * @pmu: the PMU
 *
 * Context: process.
 */
void arm_syspmu_irq_resume(struct arm_syspmu *pmu)
{
	enable_irq(pmu->irq);
}
