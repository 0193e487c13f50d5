// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU that owns a PMU: choosing it near the hardware, leaving it when it
 * goes offline, and the sleep of the whole system.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/pm.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "arm_syspmu.h"

static enum cpuhp_state arm_syspmu_cpuhp_state;

/*
 * PMUs that share a wired line must be owned by one CPU, since the interrupt
 * goes to one CPU.
 */
static LIST_HEAD(arm_syspmu_lines);
static DEFINE_MUTEX(arm_syspmu_lines_lock);

/**
 * arm_syspmu_associated_cpus - CPUs near the hardware
 * @pmu: the PMU
 *
 * Context: any.
 * Return: those of its NUMA node; all CPUs where firmware names no node, or one
 *	without CPUs
 */
const struct cpumask *arm_syspmu_associated_cpus(const struct arm_syspmu *pmu)
{
	const struct cpumask *near = cpu_possible_mask;

	if (pmu->node != NUMA_NO_NODE &&
	    !cpumask_empty(cpumask_of_node(pmu->node)))
		near = cpumask_of_node(pmu->node);

	return near;
}

static bool arm_syspmu_is_near(const struct arm_syspmu *pmu, unsigned int cpu)
{
	return cpumask_test_cpu(cpu, arm_syspmu_associated_cpus(pmu));
}

/* Returns nr_cpu_ids where all that is left is the CPU that goes. */
static unsigned int arm_syspmu_choose_cpu(const struct arm_syspmu *pmu,
					  unsigned int going)
{
	unsigned int cpu;

	for_each_cpu_and(cpu, arm_syspmu_associated_cpus(pmu), cpu_online_mask)
		if (cpu != going)
			return cpu;

	for_each_online_cpu(cpu)
		if (cpu != going)
			return cpu;

	return nr_cpu_ids;
}

static bool arm_syspmu_share_line(const struct arm_syspmu *a,
				  const struct arm_syspmu *b)
{
	return a->delivery == ARM_SYSPMU_WIRED &&
	       b->delivery == ARM_SYSPMU_WIRED && a->irq == b->irq;
}

/* Take all PMUs of a line along, or only this one if it has its own. */
static void arm_syspmu_move(struct arm_syspmu *pmu, unsigned int cpu)
{
	struct arm_syspmu *other;
	unsigned int from;

	/* The handler must not meet the events on their way. */
	arm_syspmu_irq_pause(pmu);
	list_for_each_entry(other, &arm_syspmu_lines, line_node) {
		if (other != pmu && !arm_syspmu_share_line(pmu, other))
			continue;
		from = other->cpu;
		/* First, since what is opened meanwhile must go there, too. */
		WRITE_ONCE(other->cpu, cpu);
		perf_pmu_migrate_context(&other->pmu, from, cpu);
	}
	arm_syspmu_irq_move(pmu, cpu);
	arm_syspmu_irq_resume(pmu);
}

static int arm_syspmu_first_cpu(struct arm_syspmu *pmu)
{
	unsigned int cpu = arm_syspmu_choose_cpu(pmu, nr_cpu_ids);
	struct arm_syspmu *other;
	int err;

	list_for_each_entry(other, &arm_syspmu_lines, line_node)
		if (arm_syspmu_share_line(pmu, other))
			cpu = other->cpu;

	err = arm_syspmu_irq_move(pmu, cpu);
	if (err)
		return err;

	pmu->cpu = cpu;
	list_add_tail(&pmu->line_node, &arm_syspmu_lines);

	return 0;
}

static int arm_syspmu_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct arm_syspmu *pmu = hlist_entry_safe(node, struct arm_syspmu,
						  cpuhp_node);
	int err = 0;

	mutex_lock(&arm_syspmu_lines_lock);
	if (pmu->cpu >= nr_cpu_ids)
		err = arm_syspmu_first_cpu(pmu);
	else if (arm_syspmu_is_near(pmu, cpu) &&
		 !arm_syspmu_is_near(pmu, pmu->cpu))
		arm_syspmu_move(pmu, cpu);
	mutex_unlock(&arm_syspmu_lines_lock);

	return err;
}

static int arm_syspmu_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct arm_syspmu *pmu = hlist_entry_safe(node, struct arm_syspmu,
						  cpuhp_node);
	unsigned int target;

	mutex_lock(&arm_syspmu_lines_lock);
	if (cpu == pmu->cpu) {
		target = arm_syspmu_choose_cpu(pmu, cpu);
		if (target < nr_cpu_ids)
			arm_syspmu_move(pmu, target);
	}
	mutex_unlock(&arm_syspmu_lines_lock);

	return 0;
}

static void arm_syspmu_cpu_detach(void *data)
{
	struct arm_syspmu *pmu = data;

	cpuhp_state_remove_instance_nocalls(arm_syspmu_cpuhp_state,
					    &pmu->cpuhp_node);
	mutex_lock(&arm_syspmu_lines_lock);
	list_del(&pmu->line_node);
	mutex_unlock(&arm_syspmu_lines_lock);
}

/**
 * arm_syspmu_cpu_attach - give a PMU to a CPU, for as long as there is one
 * @pmu: the PMU, its interrupt requested
 *
 * Context: process, at probe. Undone with the device.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_cpu_attach(struct arm_syspmu *pmu)
{
	int err = cpuhp_state_add_instance(arm_syspmu_cpuhp_state,
					   &pmu->cpuhp_node);

	if (err) {
		mutex_lock(&arm_syspmu_lines_lock);
		list_del_init(&pmu->line_node);
		mutex_unlock(&arm_syspmu_lines_lock);
		return dev_err_probe(pmu->dev, err,
				     "cannot follow CPU hotplug\n");
	}

	return devm_add_action_or_reset(pmu->dev, arm_syspmu_cpu_detach, pmu);
}

/*
 * Sleep. The events are brought up to date and the block is left silent; it may
 * lose all of its state. Afterwards it is set up as at probe, and the events
 * count on.
 */

static void arm_syspmu_suspend_here(void *data)
{
	arm_syspmu_suspend_events(data);
}

static void arm_syspmu_resume_here(void *data)
{
	arm_syspmu_resume_events(data);
}

static void arm_syspmu_on_owner(struct arm_syspmu *pmu, smp_call_func_t what)
{
	cpus_read_lock();
	smp_call_function_single(pmu->cpu, what, pmu, true);
	cpus_read_unlock();
}

static int arm_syspmu_suspend(struct device *dev)
{
	struct arm_syspmu *pmu = dev_get_drvdata(dev);

	if (READ_ONCE(pmu->gone))
		return 0;

	arm_syspmu_on_owner(pmu, arm_syspmu_suspend_here);
	pmu->ops->quiesce(pmu);

	return 0;
}

static int arm_syspmu_resume(struct device *dev)
{
	struct arm_syspmu *pmu = dev_get_drvdata(dev);

	if (READ_ONCE(pmu->gone))
		return 0;

	pmu->ops->reset(pmu);
	pmu->ops->arm(pmu);
	arm_syspmu_on_owner(pmu, arm_syspmu_resume_here);

	return 0;
}

/* For the driver of every backend; its driver data is the struct arm_syspmu. */
EXPORT_GPL_SIMPLE_DEV_PM_OPS(arm_syspmu_pm_ops, arm_syspmu_suspend,
			     arm_syspmu_resume);

/**
 * arm_syspmu_shutdown - leave nothing behind that the next kernel could meet
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
 * arm_syspmu_cpu_init - begin to follow CPU hotplug
 *
 * Context: process, when the module is loaded.
 * Return: 0 or a negative errno.
 */
int arm_syspmu_cpu_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN,
					    "perf/arm/syspmu:online",
					    arm_syspmu_cpu_online,
					    arm_syspmu_cpu_offline);

	if (state < 0)
		return state;

	arm_syspmu_cpuhp_state = state;
	return 0;
}

/**
 * arm_syspmu_cpu_exit - undo arm_syspmu_cpu_init()
 *
 * Context: process.
 */
void arm_syspmu_cpu_exit(void)
{
	cpuhp_remove_multi_state(arm_syspmu_cpuhp_state);
}
