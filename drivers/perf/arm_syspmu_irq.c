// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow delivery for the memory-mapped PMUs of Arm systems: by MSI, else by
 * the wired interrupt, else by a timer that looks.
 *
 * All of them run on the CPU that owns the PMU, with interrupts off, as all
 * other accesses to the counters do. That is the only locking there is.
 */

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/minmax.h>
#include <linux/msi.h>
#include <linux/platform_device.h>

#include "arm_syspmu.h"
#include "arm_syspmu_compat.h"

#include <trace/events/arm_syspmu.h>

/* More than any of these blocks can count: 4 events in each nanosecond */
#define ARM_SYSPMU_MAX_EVENTS_PER_NS	4

/* Long enough to cost nothing, short enough to be noticed as late only */
#define ARM_SYSPMU_MAX_POLL_NS		NSEC_PER_SEC

static irqreturn_t arm_syspmu_irq(int irq, void *data)
{
	struct arm_syspmu *pmu = data;

	return IRQ_RETVAL(arm_syspmu_handle_overflows(pmu));
}

/* The timer may have been faster: then there is nothing left to do. */
static irqreturn_t arm_syspmu_msi(int irq, void *data)
{
	arm_syspmu_handle_overflows(data);

	return IRQ_HANDLED;
}

/*
 * The timer: where there is no interrupt, or where it is a message, which can
 * get lost.
 */

/* The timer has found what an MSI should have told. */
static void arm_syspmu_check_msi(struct arm_syspmu *pmu)
{
	if (pmu->abort_reported || !pmu->ops->msi_aborted(pmu))
		return;

	pmu->abort_reported = true;
	trace_arm_syspmu_fault(pmu->pmu.name, "MSI aborted");
	dev_warn(pmu->dev,
		 "%s: an MSI was aborted, check the ITS that firmware names: overflows are noticed later, by a timer\n",
		 pmu->pmu.name);
}

static enum hrtimer_restart arm_syspmu_poll(struct hrtimer *timer)
{
	struct arm_syspmu *pmu = container_of(timer, struct arm_syspmu, poll);

	if (arm_syspmu_handle_overflows(pmu) && pmu->delivery == ARM_SYSPMU_MSI)
		arm_syspmu_check_msi(pmu);

	/* Perhaps just now: a sample may have been the last. */
	if (pmu->gone || bitmap_empty(pmu->counting, pmu->num_counters))
		return HRTIMER_NORESTART;

	hrtimer_forward_now(timer, pmu->poll_interval);

	return HRTIMER_RESTART;
}

/**
 * arm_syspmu_poll_start - look for overflows from now on, where needed
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_poll_start(struct arm_syspmu *pmu)
{
	if (pmu->delivery == ARM_SYSPMU_MSI ||
	    pmu->delivery == ARM_SYSPMU_TIMER)
		hrtimer_start(&pmu->poll, pmu->poll_interval,
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * arm_syspmu_poll_stop - undo arm_syspmu_poll_start()
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off; from the timer itself, too,
 * which then does not start again.
 */
void arm_syspmu_poll_stop(struct arm_syspmu *pmu)
{
	hrtimer_try_to_cancel(&pmu->poll);
}

/*
 * A sixteenth of the range, so that no read meets a whole one unnoticed. What
 * is set up here need not be undone: the timer stops with the last counter.
 */
static void arm_syspmu_poll_setup(struct arm_syspmu *pmu)
{
	u64 interval = pmu->counter_mask / 16 / ARM_SYSPMU_MAX_EVENTS_PER_NS;

	interval = min_t(u64, interval, ARM_SYSPMU_MAX_POLL_NS);
	pmu->poll_interval = ns_to_ktime(interval);
	hrtimer_setup(&pmu->poll, arm_syspmu_poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * The message
 */

static void arm_syspmu_write_msi(struct msi_desc *desc, struct msi_msg *msg)
{
	struct arm_syspmu *pmu = dev_get_drvdata(msi_desc_to_dev(desc));

	pmu->ops->write_msi(pmu, msg);
}

static void arm_syspmu_free_msi(void *data)
{
	platform_device_msi_free_irqs_all(data);
}

/* Returns the Linux interrupt number, or a negative errno. */
static int arm_syspmu_request_msi(struct arm_syspmu *pmu)
{
	struct device *dev = pmu->dev;
	int irq, err;

	if (!pmu->has_msi || !dev->msi.domain)
		return -ENXIO;

	err = platform_device_msi_init_and_alloc_irqs(dev, 1,
						      arm_syspmu_write_msi);
	if (err)
		return err;
	err = devm_add_action_or_reset(dev, arm_syspmu_free_msi, dev);
	if (err)
		return err;

	irq = msi_get_virq(dev, 0);
	err = devm_request_irq(dev, irq, arm_syspmu_msi,
			       IRQF_NOBALANCING | IRQF_NO_THREAD,
			       dev_name(dev), pmu);

	return err ?: irq;
}

static int arm_syspmu_request_wired(struct arm_syspmu *pmu,
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
		return irq;

	err = devm_request_irq(pmu->dev, irq, arm_syspmu_irq, flags,
			       dev_name(pmu->dev), pmu);

	return err ?: irq;
}

/**
 * arm_syspmu_irq_request - find out how overflows can be noticed
 * @pmu: the PMU, its hardware reset
 * @pdev: the platform device whose first interrupt is the wired one
 *
 * Context: process, at probe. All is undone with the device.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_irq_request(struct arm_syspmu *pmu,
			   struct platform_device *pdev)
{
	arm_syspmu_poll_setup(pmu);

	pmu->delivery = ARM_SYSPMU_MSI;
	pmu->irq = arm_syspmu_request_msi(pmu);
	if (pmu->irq >= 0)
		return 0;
	if (pmu->irq == -ENOMEM || pmu->irq == -EPROBE_DEFER)
		return dev_err_probe(pmu->dev, pmu->irq,
				     "cannot set up the MSI yet\n");
	if (pmu->irq != -ENXIO)
		dev_warn(pmu->dev,
			 "cannot use an MSI (%d): trying the wired interrupt\n",
			 pmu->irq);

	pmu->delivery = ARM_SYSPMU_WIRED;
	pmu->irq = arm_syspmu_request_wired(pmu, pdev);
	if (pmu->irq >= 0)
		return 0;
	if (pmu->irq != -ENXIO)
		return dev_err_probe(pmu->dev, pmu->irq,
				     "cannot use the wired overflow interrupt\n");

	pmu->delivery = pmu->counter_mask == U64_MAX ? ARM_SYSPMU_NONE :
						       ARM_SYSPMU_TIMER;
	return 0;
}

/**
 * arm_syspmu_delivery_text - how overflows are noticed
 * @pmu: the PMU, registered
 *
 * Context: any.
 * Return: words for a message
 */
const char *arm_syspmu_delivery_text(const struct arm_syspmu *pmu)
{
	switch (pmu->delivery) {
	case ARM_SYSPMU_MSI:
		return "MSI";
	case ARM_SYSPMU_WIRED:
		return "wired interrupt";
	case ARM_SYSPMU_TIMER:
		return "timer";
	default:
		return "nothing (64-bit counters need none)";
	}
}
EXPORT_SYMBOL_GPL(arm_syspmu_delivery_text);

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
	int err;

	if (pmu->irq < 0)
		return 0;

	err = irq_set_affinity(pmu->irq, cpumask_of(cpu));
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
	if (pmu->irq >= 0)
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
	if (pmu->irq >= 0)
		enable_irq(pmu->irq);
}
