// SPDX-License-Identifier: GPL-2.0
/*
 * How the core is notified of overflows of the memory-mapped PMUs of Arm systems:
 * by the wired interrupt if there is one, otherwise by an MSI, otherwise by a
 * timer that polls the overflow status. MSIs can be lost, so the timer runs
 * beside them.
 *
 * Overflows are handled on the CPU that owns the PMU with interrupts off, like
 * all accesses to the counters. An interrupt that is taken by another CPU is
 * masked there and passed on to the owning CPU.
 */

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/platform_device.h>

#include "compat.h"
#include "core.h"

/*
 * Handlers
 */

/* If no CPU owned the PMU, this one does until this function returns. */
static bool arm_syspmu_interrupt_here(struct arm_syspmu_core *core)
{
	bool any = arm_syspmu_handle_overflows(core);

	arm_syspmu_release_unused(core);

	return any;
}

static void arm_syspmu_end_passing_on(struct arm_syspmu_core *core)
{
	if (core->wired_irq >= 0)
		enable_irq(core->wired_irq);
	/* Pairs with atomic_read_acquire() in arm_syspmu_irq_free(). */
	atomic_dec_return_release(&core->passed_on);
}

static void arm_syspmu_interrupt_remote(void *data)
{
	struct arm_syspmu_core *core = data;

	/*
	 * If this fails, the PMU moves: stopping its counters finds overflows.
	 */
	if (arm_syspmu_acquire(core))
		arm_syspmu_interrupt_here(core);
	arm_syspmu_end_passing_on(core);
}

/*
 * A level would interrupt this CPU again until the owning CPU has handled the
 * overflow, which may wait for this one with its interrupts off (stop_machine).
 * A message need not be masked. If the call fails, one is pending that has not
 * looked at the overflow status yet.
 */
static void arm_syspmu_pass_on(struct arm_syspmu_core *core)
{
	unsigned int cpu = READ_ONCE(core->owner);

	if (cpu >= nr_cpu_ids)
		cpu = READ_ONCE(core->cpu);
	if (cpu >= nr_cpu_ids)
		return;

	atomic_inc(&core->passed_on);
	if (core->wired_irq >= 0)
		disable_irq_nosync(core->wired_irq);
	if (smp_call_function_single_async(cpu, &core->remote))
		arm_syspmu_end_passing_on(core);
}

/*
 * The interrupt may be taken by another CPU: its affinity could not be set, or
 * another driver that shares it has changed its affinity.
 */
static bool arm_syspmu_interrupt(struct arm_syspmu_core *core)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	struct arm_syspmu *pmu = core->pmu;

	if (arm_syspmu_acquire(core))
		return arm_syspmu_interrupt_here(core);

	if (READ_ONCE(core->suspended) || READ_ONCE(core->gone))
		return false;
	arm_syspmu_read_overflows(core, overflowed);
	if (bitmap_empty(overflowed, pmu->num_counters))
		return false;

	arm_syspmu_pass_on(core);

	return true;
}

static irqreturn_t arm_syspmu_irq(int irq, void *data)
{
	return IRQ_RETVAL(arm_syspmu_interrupt(data));
}

/* The timer has found an overflow whose MSI should have arrived. */
static void arm_syspmu_check_msi(struct arm_syspmu_core *core)
{
	struct arm_syspmu *pmu = core->pmu;

	WRITE_ONCE(core->msi_works, false);
	if (pmu->ops->msi_aborted(pmu))
		arm_syspmu_fault(pmu,
				 "an MSI was aborted, check the ITS given by firmware: overflows are noticed later, by a timer");
}

static enum hrtimer_restart arm_syspmu_poll(struct hrtimer *timer)
{
	struct arm_syspmu_core *core =
		container_of(timer, struct arm_syspmu_core, poll);
	bool any = arm_syspmu_handle_overflows(core);

	if (any && core->delivery == ARM_SYSPMU_MSI)
		arm_syspmu_check_msi(core);
	/* The handler may have started the timer, or stopped the last event. */
	if (hrtimer_is_queued(timer) || !arm_syspmu_polls(core) ||
	    arm_syspmu_is_inaccessible(core) ||
	    bitmap_empty(core->enabled, core->pmu->num_counters))
		return HRTIMER_NORESTART;

	hrtimer_forward_now(timer, arm_syspmu_poll_interval(core));

	return HRTIMER_RESTART;
}

/*
 * MSI
 */

/*
 * Message to be sent as the overflow interrupt: returns its data, and sets
 * @address to 0 if no message is to be sent.
 */
u32 arm_syspmu_get_msi(struct arm_syspmu *pmu, u64 *address)
{
	struct arm_syspmu_core *core = pmu->core;
	unsigned long flags;
	u32 data;

	raw_spin_lock_irqsave(&core->msi_lock, flags);
	*address = (u64)core->msi.address_hi << 32 | core->msi.address_lo;
	data = core->msi.data;
	raw_spin_unlock_irqrestore(&core->msi_lock, flags);

	return data;
}
EXPORT_SYMBOL_GPL(arm_syspmu_get_msi);

#ifdef CONFIG_GENERIC_MSI_IRQ

/*
 * The poll timer may have handled the overflow already, and have taken the message
 * for lost while it was on its way: it was not.
 */
static irqreturn_t arm_syspmu_msi(int irq, void *data)
{
	struct arm_syspmu_core *core = data;

	arm_syspmu_interrupt(core);
	WRITE_ONCE(core->msi_works, true);

	return IRQ_HANDLED;
}

/*
 * Called before the device is armed. Later, the interrupt controllers of Arm
 * systems move an interrupt without changing its message; with any other one,
 * the poll timer finds overflows until the device is armed again.
 */
static void arm_syspmu_write_msi(struct msi_desc *desc, struct msi_msg *msg)
{
	struct arm_syspmu *pmu = dev_get_drvdata(msi_desc_to_dev(desc));
	struct arm_syspmu_core *core = pmu->core;
	unsigned long flags;

	raw_spin_lock_irqsave(&core->msi_lock, flags);
	core->msi = *msg;
	raw_spin_unlock_irqrestore(&core->msi_lock, flags);
}

/* Returns the Linux interrupt number, or a negative errno. */
static int arm_syspmu_request_msi(struct arm_syspmu_core *core)
{
	struct device *dev = core->pmu->dev;
	int irq, err;

	if (!core->pmu->has_msi || !dev->msi.domain)
		return -ENXIO;

	err = platform_device_msi_init_and_alloc_irqs(dev, 1,
						      arm_syspmu_write_msi);
	if (err)
		return err;

	irq = msi_get_virq(dev, 0);
	err = request_irq(irq, arm_syspmu_msi,
			  IRQF_NOBALANCING | IRQF_NO_THREAD, dev_name(dev),
			  core);
	if (err) {
		platform_device_msi_free_irqs_all(dev);
		return err;
	}

	return irq;
}

static void arm_syspmu_free_msi(struct arm_syspmu_core *core)
{
	platform_device_msi_free_irqs_all(core->pmu->dev);
}

#else

static int arm_syspmu_request_msi(struct arm_syspmu_core *core)
{
	return -ENXIO;
}

static void arm_syspmu_free_msi(struct arm_syspmu_core *core)
{
}

#endif /* CONFIG_GENERIC_MSI_IRQ */

/*
 * Wired interrupt
 */

/*
 * An interrupt controller that waits for an edge does not see that one device
 * asserts the line while another one still does. A device that asserts it until
 * the status of all overflows has been cleared would hide the overflows of
 * others, and they those of it.
 */
static bool arm_syspmu_can_share(const struct arm_syspmu_core *core, int irq)
{
	return !core->pmu->one_signal ||
	       !(irq_get_trigger_type(irq) & IRQ_TYPE_EDGE_BOTH);
}

static int arm_syspmu_request_wired(struct arm_syspmu_core *core,
				    struct platform_device *pdev)
{
	/*
	 * Balancing would move the handler away from the owning CPU, and a
	 * threaded handler would run with interrupts on. Linux 6.9 and newer
	 * share the interrupt with a threaded handler, too, such as any other
	 * with "threadirqs".
	 */
	unsigned long flags = IRQF_NOBALANCING | IRQF_NO_THREAD |
			      IRQF_PROBE_SHARED;
	struct device *dev = &pdev->dev;
	int irq, err;

	irq = platform_get_irq_optional(pdev, 0);
	if (irq == -ENXIO || irq == -EPROBE_DEFER || irq == -ENOMEM)
		return irq;
	if (irq < 0) {
		dev_warn(dev,
			 "the interrupt is not used: firmware describes it wrongly (%d)\n",
			 irq);
		return -ENXIO;
	}
	if (core->pmu->wired == ARM_SYSPMU_WIRED_UNUSABLE) {
		dev_warn(dev,
			 "interrupt %d is not used: the device does not assert it\n",
			 irq);
		return -ENXIO;
	}
	/* Any CPU can own the PMU, but only one gets the interrupt. */
	if (irq_is_percpu_devid(irq)) {
		dev_info(dev,
			 "interrupt %d belongs to one CPU: it is not used\n",
			 irq);
		return -ENXIO;
	}

	if (arm_syspmu_can_share(core, irq))
		flags |= IRQF_SHARED;
	err = request_irq(irq, arm_syspmu_irq, flags, dev_name(dev), core);
	if (err && err != -ENOMEM) {
		dev_warn(dev,
			 "interrupt %d is not used: another driver uses it, or firmware describes it wrongly (%d)\n",
			 irq, err);
		return -ENXIO;
	}

	return err ?: irq;
}

/*
 * Setup
 */

void arm_syspmu_irq_setup(struct arm_syspmu_core *core)
{
	core->irq = -ENXIO;
	INIT_CSD(&core->remote, arm_syspmu_interrupt_remote, core);
	raw_spin_lock_init(&core->msi_lock);
	hrtimer_setup(&core->poll, arm_syspmu_poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Falls back to a timer. Returns 0 or a negative errno. */
static int arm_syspmu_choose_delivery(struct arm_syspmu_core *core,
				      struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;

	core->delivery = ARM_SYSPMU_WIRED;
	core->irq = arm_syspmu_request_wired(core, pdev);
	if (core->irq >= 0)
		return 0;
	if (core->irq != -ENXIO)
		return dev_err_probe(dev, core->irq,
				     "cannot use the wired overflow interrupt\n");

	core->delivery = ARM_SYSPMU_MSI;
	core->irq = arm_syspmu_request_msi(core);
	if (core->irq >= 0)
		return 0;
	if (core->irq == -ENOMEM || core->irq == -EPROBE_DEFER)
		return dev_err_probe(dev, core->irq,
				     "cannot set up the MSI yet\n");
	if (core->irq != -ENXIO)
		dev_warn(dev,
			 "cannot use an MSI (%d): overflows are noticed by a timer\n",
			 core->irq);

	core->delivery = arm_syspmu_narrowest_counter(core->pmu) == U64_MAX ?
			 ARM_SYSPMU_NONE : ARM_SYSPMU_TIMER;

	return 0;
}

/*
 * Requests the overflow interrupt, after the reset of the hardware. A wired
 * interrupt is preferred if firmware describes one, since it cannot be lost,
 * unless the device may send MSIs to others. Linux has no MSI for such a PMCG
 * anyway if it is described by IORT.
 */
int arm_syspmu_irq_request(struct arm_syspmu_core *core,
			   struct platform_device *pdev)
{
	int err = arm_syspmu_choose_delivery(core, pdev);

	if (err)
		return err;

	core->wired_irq = core->delivery == ARM_SYSPMU_WIRED ? core->irq :
							       -ENXIO;
	core->repeats = core->pmu->one_signal &&
			(core->delivery == ARM_SYSPMU_MSI ||
			 (core->delivery == ARM_SYSPMU_WIRED &&
			  irq_get_trigger_type(core->irq) &
			  IRQ_TYPE_EDGE_BOTH));

	return 0;
}

/*
 * Frees the interrupt, which is no longer moved, or negative if there is none.
 * The device raises none any more.
 */
void arm_syspmu_irq_free(struct arm_syspmu_core *core, int irq)
{
	if (irq < 0)
		return;

	synchronize_irq(irq);
	/* Pairs with atomic_dec_return_release() in the end of passing on. */
	while (atomic_read_acquire(&core->passed_on))
		usleep_range(10, 100);
	free_irq(irq, core);
	if (core->delivery == ARM_SYSPMU_MSI)
		arm_syspmu_free_msi(core);
}

/* How overflows are noticed, as in sysfs */
const char *arm_syspmu_delivery_name(const struct arm_syspmu *pmu)
{
	static const char * const names[] = {
		[ARM_SYSPMU_MSI] = "msi",
		[ARM_SYSPMU_WIRED] = "wired",
		[ARM_SYSPMU_TIMER] = "timer",
		[ARM_SYSPMU_NONE] = "none",
	};

	return names[pmu->core->delivery];
}
EXPORT_SYMBOL_GPL(arm_syspmu_delivery_name);

/*
 * Delivers the interrupt to the CPU that will own the PMU. If this fails, a
 * message is printed, and the handler passes interrupts on.
 */
void arm_syspmu_irq_move(struct arm_syspmu_core *core, unsigned int cpu)
{
	int err;

	if (core->irq < 0)
		return;

	err = irq_set_affinity(core->irq, cpumask_of(cpu));
	if (err)
		dev_err(core->pmu->dev,
			"cannot move overflow interrupt %d to CPU %u: %d\n",
			core->irq, cpu, err);
}

/*
 * Keeps the handler from running, and waits for one that does. An edge that
 * arrives meanwhile remains pending in the interrupt controller.
 */
void arm_syspmu_irq_pause(struct arm_syspmu_core *core)
{
	if (core->irq >= 0)
		disable_irq(core->irq);
}

void arm_syspmu_irq_resume(struct arm_syspmu_core *core)
{
	if (core->irq >= 0)
		enable_irq(core->irq);
}
