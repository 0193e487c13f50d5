// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow interrupts of the memory-mapped PMUs of Arm systems: the wired
 * interrupt if there is one, otherwise an MSI, otherwise polling by a timer.
 *
 * Overflows are handled on the CPU that owns the PMU with interrupts off, like
 * all accesses to the counters. An interrupt that is taken by another CPU is
 * passed on to the owning CPU.
 */

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/minmax.h>
#include <linux/msi.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "private.h"

#include <trace/events/arm_syspmu.h>

/*
 * Called on the owning CPU. If no CPU owned the PMU, this one does until it
 * returns.
 */
static bool arm_syspmu_interrupt_here(struct arm_syspmu *pmu)
{
	bool any = unlikely(pmu->repeats) ?
		   arm_syspmu_handle_all_overflows(pmu) :
		   arm_syspmu_handle_overflows(pmu);

	arm_syspmu_release_after_interrupt(pmu);

	return any;
}

static void arm_syspmu_interrupt_remote(void *data)
{
	struct arm_syspmu *pmu = data;

	/*
	 * If this fails, the PMU moves: stopping its counters finds overflows.
	 */
	if (arm_syspmu_acquire_for_interrupt(pmu))
		arm_syspmu_interrupt_here(pmu);
}

/*
 * The interrupt may be taken by another CPU: its affinity could not be set, or
 * another driver that shares it has changed its affinity.
 */
static bool arm_syspmu_interrupt(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int cpu;

	if (likely(arm_syspmu_acquire_for_interrupt(pmu)))
		return arm_syspmu_interrupt_here(pmu);

	/* The owning CPU changes other bits meanwhile. */
	if (data_race(READ_ONCE(pmu->state)) & ARM_SYSPMU_INACCESSIBLE)
		return false;
	pmu->ops->read_overflows(pmu, overflowed);
	if (bitmap_empty(overflowed, pmu->num_counters))
		return false;

	cpu = READ_ONCE(pmu->owner);
	if (cpu >= nr_cpu_ids)
		cpu = READ_ONCE(pmu->cpu);
	/* Fails if a previous call is still pending, which is good enough. */
	if (cpu < nr_cpu_ids)
		smp_call_function_single_async(cpu, &pmu->remote);

	return true;
}

static irqreturn_t arm_syspmu_irq(int irq, void *data)
{
	struct arm_syspmu *pmu = data;

	return IRQ_RETVAL(arm_syspmu_interrupt(pmu));
}

/* The poll timer may have handled the overflow already. */
static irqreturn_t arm_syspmu_msi(int irq, void *data)
{
	arm_syspmu_interrupt(data);

	return IRQ_HANDLED;
}

/*
 * MSI
 */

/*
 * Called under the lock of the interrupt descriptor with interrupts off, where
 * it is not possible to wait until the hardware has stopped using the previous
 * message. Let a work item do that.
 */
static void arm_syspmu_write_msi(struct msi_desc *desc, struct msi_msg *msg)
{
	struct arm_syspmu *pmu = dev_get_drvdata(msi_desc_to_dev(desc));
	unsigned long flags;

	raw_spin_lock_irqsave(&pmu->msi_lock, flags);
	pmu->msi = *msg;
	raw_spin_unlock_irqrestore(&pmu->msi_lock, flags);
	queue_work(arm_syspmu_workqueue, &pmu->msi_work);
}

/*
 * An overflow before the message is rewritten sends the previous message or
 * none; the poll timer finds it.
 */
static void arm_syspmu_rewrite_msi(struct work_struct *work)
{
	struct arm_syspmu *pmu = container_of(work, struct arm_syspmu,
					      msi_work);

	mutex_lock(&pmu->lock);
	/* If the device is not armed, arm() writes the message. */
	if (pmu->armed && !arm_syspmu_is_gone(pmu))
		pmu->ops->write_msi(pmu);
	mutex_unlock(&pmu->lock);
}

/**
 * arm_syspmu_get_msi - message to be sent as the overflow interrupt
 * @pmu: the PMU
 * @address: set to the address, or to 0 if no message is to be sent
 *
 * Context: process.
 * Return: the data of the message
 */
u32 arm_syspmu_get_msi(struct arm_syspmu *pmu, u64 *address)
{
	unsigned long flags;
	u32 data;

	raw_spin_lock_irqsave(&pmu->msi_lock, flags);
	*address = (u64)pmu->msi.address_hi << 32 | pmu->msi.address_lo;
	data = pmu->msi.data;
	raw_spin_unlock_irqrestore(&pmu->msi_lock, flags);

	return data;
}
EXPORT_SYMBOL_GPL(arm_syspmu_get_msi);

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

	irq = msi_get_virq(dev, 0);
	err = request_irq(irq, arm_syspmu_msi,
			  IRQF_NOBALANCING | IRQF_NO_THREAD, dev_name(dev),
			  pmu);
	if (err) {
		platform_device_msi_free_irqs_all(dev);
		return err;
	}

	return irq;
}

/*
 * An interrupt controller that waits for an edge does not see that one device
 * asserts the line while another one still does. A device that asserts it until
 * the status of all overflows has been cleared would hide the overflows of
 * others, and they those of it.
 */
static bool arm_syspmu_can_share(const struct arm_syspmu *pmu, int irq)
{
	return !pmu->one_signal ||
	       !(irq_get_trigger_type(irq) & IRQ_TYPE_EDGE_BOTH);
}

/*
 * PMUs may share an interrupt. Balancing would move the handler away from the
 * owning CPU, and a threaded handler would run with interrupts on. Linux 6.9 and
 * newer share it with a threaded handler, too, such as any other with
 * "threadirqs".
 */
static unsigned long arm_syspmu_wired_flags(const struct arm_syspmu *pmu,
					    int irq)
{
	unsigned long flags = IRQF_NOBALANCING | IRQF_NO_THREAD |
			      IRQF_PROBE_SHARED;

	if (arm_syspmu_can_share(pmu, irq))
		flags |= IRQF_SHARED;

	return flags;
}

static int arm_syspmu_request_wired(struct arm_syspmu *pmu,
				    struct platform_device *pdev)
{
	int irq, err;

	irq = platform_get_irq_optional(pdev, 0);
	if (irq < 0)
		return irq;
	if (pmu->wired_unusable) {
		dev_warn(pmu->dev,
			 "interrupt %d is not used: the device sends messages that cannot be disabled\n",
			 irq);
		return -ENXIO;
	}
	/* Any CPU can own the PMU, but only one gets the interrupt. */
	if (irq_is_percpu_devid(irq)) {
		dev_info(pmu->dev,
			 "interrupt %d belongs to one CPU: it is not used\n",
			 irq);
		return -ENXIO;
	}

	err = request_irq(irq, arm_syspmu_irq, arm_syspmu_wired_flags(pmu, irq),
			  dev_name(pmu->dev), pmu);
	if (err == -EBUSY) {
		dev_warn(pmu->dev,
			 "interrupt %d is not used: another driver uses it, %s\n",
			 irq, arm_syspmu_can_share(pmu, irq) ?
			      "and does not share it" :
			      "and an edge of this device cannot be shared");
		return -ENXIO;
	}

	return err ?: irq;
}

/**
 * arm_syspmu_irq_setup - initialise the interrupt state of a PMU
 * @pmu: the PMU
 *
 * Context: process, at probe.
 */
void arm_syspmu_irq_setup(struct arm_syspmu *pmu)
{
	pmu->irq = -ENXIO;
	INIT_CSD(&pmu->remote, arm_syspmu_interrupt_remote, pmu);
	raw_spin_lock_init(&pmu->msi_lock);
	INIT_WORK(&pmu->msi_work, arm_syspmu_rewrite_msi);
}

/* Falls back to a timer. Returns 0 or a negative errno. */
static int arm_syspmu_choose_delivery(struct arm_syspmu *pmu,
				      struct platform_device *pdev)
{
	pmu->delivery = ARM_SYSPMU_WIRED;
	pmu->irq = arm_syspmu_request_wired(pmu, pdev);
	if (pmu->irq >= 0)
		return 0;
	if (pmu->irq != -ENXIO)
		return dev_err_probe(pmu->dev, pmu->irq,
				     "cannot use the wired overflow interrupt\n");

	pmu->delivery = ARM_SYSPMU_MSI;
	pmu->irq = arm_syspmu_request_msi(pmu);
	if (pmu->irq >= 0)
		return 0;
	if (pmu->irq == -ENOMEM || pmu->irq == -EPROBE_DEFER)
		return dev_err_probe(pmu->dev, pmu->irq,
				     "cannot set up the MSI yet\n");
	if (pmu->irq != -ENXIO)
		dev_warn(pmu->dev,
			 "cannot use an MSI (%d): overflows are noticed by a timer\n",
			 pmu->irq);

	pmu->delivery = arm_syspmu_counters_wrap(pmu) ? ARM_SYSPMU_TIMER :
						ARM_SYSPMU_NONE;
	return 0;
}

static bool arm_syspmu_has_edge(const struct arm_syspmu *pmu)
{
	return pmu->delivery == ARM_SYSPMU_MSI ||
	       (pmu->delivery == ARM_SYSPMU_WIRED &&
		irq_get_trigger_type(pmu->irq) & IRQ_TYPE_EDGE_BOTH);
}

/**
 * arm_syspmu_irq_request - request the overflow interrupt of a PMU
 * @pmu: the PMU, after the reset of its hardware
 * @pdev: the platform device whose first interrupt is the wired one
 *
 * A wired interrupt is preferred if firmware describes one, since it cannot be
 * lost, unless the device may send MSIs to others. Linux has no MSI for such a
 * PMCG anyway if it is described by IORT.
 *
 * Context: process, at probe.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_irq_request(struct arm_syspmu *pmu,
			   struct platform_device *pdev)
{
	int err = arm_syspmu_choose_delivery(pmu, pdev);

	if (err)
		return err;

	pmu->polls = pmu->delivery == ARM_SYSPMU_MSI ||
		     pmu->delivery == ARM_SYSPMU_TIMER ||
		     (pmu->delivery == ARM_SYSPMU_WIRED &&
		      pmu->wired_uncertain);
	pmu->repeats = pmu->one_signal && arm_syspmu_has_edge(pmu);

	return 0;
}

/**
 * arm_syspmu_irq_free - undo arm_syspmu_irq_request(), if it was called
 * @pmu: the PMU, disabled: it raises no interrupt
 * @irq: the interrupt, which is no longer moved; negative if there is none
 *
 * Context: process; waits for a running handler.
 */
void arm_syspmu_irq_free(struct arm_syspmu *pmu, int irq)
{
	if (irq < 0)
		return;

	free_irq(irq, pmu);
	if (pmu->delivery == ARM_SYSPMU_MSI)
		platform_device_msi_free_irqs_all(pmu->dev);
}

/**
 * arm_syspmu_delivery_text - describe how overflows are noticed
 * @pmu: the PMU, registered
 *
 * Context: any.
 * Return: text to use in a message
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
 * @cpu: the CPU that will own the PMU
 *
 * If this fails, a message is printed, and the interrupt handler passes
 * interrupts on to the owning CPU.
 *
 * Context: process.
 */
void arm_syspmu_irq_move(struct arm_syspmu *pmu, unsigned int cpu)
{
	int err;

	if (pmu->irq < 0)
		return;

	err = irq_set_affinity(pmu->irq, cpumask_of(cpu));
	if (err)
		dev_err(pmu->dev,
			"cannot move overflow interrupt %d to CPU %u: %d\n",
			pmu->irq, cpu, err);
}

/**
 * arm_syspmu_irq_pause - keep the overflow handler from running
 * @pmu: the PMU
 *
 * An edge that arrives meanwhile remains pending in the interrupt controller.
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
