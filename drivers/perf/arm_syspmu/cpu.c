// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU that owns a PMU: choosing it near the hardware, leaving it when it
 * goes offline, and the sleep of the whole system.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/pm.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "private.h"

/* How long the move of a PMU waits for perf_event_open() to get on */
#define ARM_SYSPMU_OPENING_US		100000
#define ARM_SYSPMU_OPENING_STEP_US	100

static enum cpuhp_state arm_syspmu_cpuhp_state;

/*
 * PMUs that share a wired line must be owned by one CPU, since the interrupt
 * goes to one CPU. The list has those too that have outlived their driver.
 */
static LIST_HEAD(arm_syspmu_list);
static DEFINE_MUTEX(arm_syspmu_list_lock);

/**
 * arm_syspmu_associated_cpus - CPUs near the hardware
 * @pmu: the PMU
 *
 * Context: any.
 * Return: those that the backend knows of; all CPUs if there are none
 */
const struct cpumask *arm_syspmu_associated_cpus(const struct arm_syspmu *pmu)
{
	if (!pmu->near_cpus || cpumask_empty(pmu->near_cpus))
		return cpu_possible_mask;

	return pmu->near_cpus;
}

/* Other CPUs are to be left alone (isolcpus, nohz_full). */
static bool arm_syspmu_is_housekeeping(unsigned int cpu)
{
	return housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) &&
	       housekeeping_test_cpu(cpu, HK_TYPE_TIMER);
}

static unsigned int arm_syspmu_rank(const struct arm_syspmu *pmu,
				    unsigned int cpu)
{
	return 2 * arm_syspmu_is_housekeeping(cpu) +
	       cpumask_test_cpu(cpu, arm_syspmu_associated_cpus(pmu));
}

/* Returns nr_cpu_ids where all that is left is the CPU that goes. */
static unsigned int arm_syspmu_choose_cpu(const struct arm_syspmu *pmu,
					  unsigned int going)
{
	unsigned int cpu, best = nr_cpu_ids;

	for_each_online_cpu(cpu) {
		if (cpu == going)
			continue;
		if (best >= nr_cpu_ids ||
		    arm_syspmu_rank(pmu, cpu) > arm_syspmu_rank(pmu, best))
			best = cpu;
	}

	return best;
}

static bool arm_syspmu_share_irq(const struct arm_syspmu *a,
				 const struct arm_syspmu *b)
{
	return a->delivery == ARM_SYSPMU_WIRED &&
	       b->delivery == ARM_SYSPMU_WIRED &&
	       a->irq >= 0 && a->irq == b->irq;
}

static bool arm_syspmu_is_opening(struct arm_syspmu *pmu, unsigned int cpu)
{
	struct perf_event *event;
	struct hlist_node *next;
	bool opening = false;

	raw_spin_lock_irq(&pmu->opening_lock);
	hlist_for_each_entry_safe(event, next, &pmu->opening, hlist_entry) {
		/* Then whoever opens it holds the lock that the move takes. */
		if (smp_load_acquire(&event->ctx))
			hlist_del_init(&event->hlist_entry);
		else if (event->cpu == cpu)
			opening = true;
	}
	raw_spin_unlock_irq(&pmu->opening_lock);

	return opening;
}

/*
 * An event that is being opened has been told its CPU already, but perf moves
 * only those that have come there. On a CPU that goes offline, one that comes
 * too late would count nothing for ever. Not for long: perf_event_open() itself
 * may have to wait for the end of a CPU hotplug operation.
 */
static void arm_syspmu_wait_for_opening(struct arm_syspmu *pmu,
					unsigned int cpu)
{
	unsigned int us;

	for (us = 0; us < ARM_SYSPMU_OPENING_US;
	     us += ARM_SYSPMU_OPENING_STEP_US) {
		if (!arm_syspmu_is_opening(pmu, cpu))
			return;
		usleep_range(ARM_SYSPMU_OPENING_STEP_US,
			     2 * ARM_SYSPMU_OPENING_STEP_US);
	}
}

static void arm_syspmu_set_cpu(struct arm_syspmu *pmu, unsigned int cpu)
{
	raw_spin_lock_irq(&pmu->opening_lock);
	WRITE_ONCE(pmu->cpu, cpu);
	raw_spin_unlock_irq(&pmu->opening_lock);
}

static void arm_syspmu_place_here(void *data)
{
	arm_syspmu_place_waiting(data);
}

static void arm_syspmu_begin_moving_here(void *data)
{
	arm_syspmu_begin_moving(data);
}

static void arm_syspmu_move_events(struct arm_syspmu *pmu, unsigned int from)
{
	/* perf does not know the PMU yet, or no more. */
	if (!pmu->registered || from == pmu->cpu)
		return;

	smp_call_function_single(from, arm_syspmu_begin_moving_here, pmu, true);
	perf_pmu_migrate_context(&pmu->pmu, from, pmu->cpu);
	smp_call_function_single(pmu->cpu, arm_syspmu_place_here, pmu, true);
}

/* Take all PMUs of a line along, or only this one if it has its own. */
static void arm_syspmu_move(struct arm_syspmu *pmu, unsigned int cpu)
{
	unsigned int from = pmu->cpu;
	struct arm_syspmu *other;

	/* First, since what is opened meanwhile must go there, too. */
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == pmu || arm_syspmu_share_irq(pmu, other))
			arm_syspmu_set_cpu(other, cpu);
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == pmu || arm_syspmu_share_irq(pmu, other))
			arm_syspmu_wait_for_opening(other, from);

	/* The handler must not meet the events on their way. */
	arm_syspmu_irq_pause(pmu);
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == pmu || arm_syspmu_share_irq(pmu, other))
			arm_syspmu_move_events(other, from);
	arm_syspmu_irq_move(pmu, cpu);
	arm_syspmu_irq_resume(pmu);
}

/* Events that have come to another CPU than the PMU */
static void arm_syspmu_fetch_strays(struct work_struct *work)
{
	struct arm_syspmu *pmu = container_of(work, struct arm_syspmu,
					      stray_work);
	unsigned int stray = READ_ONCE(pmu->stray_cpu), cpu;

	cpus_read_lock();
	mutex_lock(&arm_syspmu_list_lock);
	for_each_online_cpu(cpu)
		if (cpu != pmu->cpu &&
		    (stray >= nr_cpu_ids || cpu == stray))
			arm_syspmu_move_events(pmu, cpu);
	mutex_unlock(&arm_syspmu_list_lock);
	cpus_read_unlock();
}

static void arm_syspmu_first_cpu(struct arm_syspmu *pmu)
{
	unsigned int cpu = arm_syspmu_choose_cpu(pmu, nr_cpu_ids);
	struct arm_syspmu *other;

	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (arm_syspmu_share_irq(pmu, other))
			cpu = other->cpu;

	/* An interrupt that comes elsewhere is handed on. */
	arm_syspmu_irq_move(pmu, cpu);
	arm_syspmu_set_cpu(pmu, cpu);
	list_add_tail(&pmu->node_in_list, &arm_syspmu_list);
}

static int arm_syspmu_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct arm_syspmu *pmu = hlist_entry_safe(node, struct arm_syspmu,
						  cpuhp_node);

	mutex_lock(&arm_syspmu_list_lock);
	if (pmu->cpu >= nr_cpu_ids)
		arm_syspmu_first_cpu(pmu);
	else if (arm_syspmu_rank(pmu, cpu) > arm_syspmu_rank(pmu, pmu->cpu))
		arm_syspmu_move(pmu, cpu);
	mutex_unlock(&arm_syspmu_list_lock);

	return 0;
}

static int arm_syspmu_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct arm_syspmu *pmu = hlist_entry_safe(node, struct arm_syspmu,
						  cpuhp_node);
	unsigned int target;

	mutex_lock(&arm_syspmu_list_lock);
	if (cpu == pmu->cpu) {
		target = arm_syspmu_choose_cpu(pmu, cpu);
		if (target < nr_cpu_ids)
			arm_syspmu_move(pmu, target);
	}
	mutex_unlock(&arm_syspmu_list_lock);

	return 0;
}

/* Returns the number of users of the PMU that has a name, or -ENOENT. */
static int arm_syspmu_users_of_name(const char *name)
{
	struct arm_syspmu *other;
	int users = -ENOENT;

	mutex_lock(&arm_syspmu_list_lock);
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (!strcmp(other->pmu.name, name))
			users = refcount_read(&other->references);
	mutex_unlock(&arm_syspmu_list_lock);

	return users;
}

/**
 * arm_syspmu_check_name - whether a PMU can have its name
 * @pmu: the PMU
 * @name: the name
 *
 * One that has outlived its driver has it until its last event is closed.
 *
 * Context: process, at probe. May wait for the end of such a PMU.
 * Return: 0, or -EBUSY with a message.
 */
int arm_syspmu_check_name(struct arm_syspmu *pmu, const char *name)
{
	int users;

	for (;;) {
		users = arm_syspmu_users_of_name(name);
		if (users)
			break;
		/* The last event has just been closed. */
		flush_workqueue(arm_syspmu_workqueue);
		cond_resched();
	}
	if (users < 0)
		return 0;

	return dev_err_probe(pmu->dev, -EBUSY,
			     "%s: %d events are open since before the driver was unbound: close them, then bind it again\n",
			     name, users);
}

/**
 * arm_syspmu_set_registered - tell whether perf knows the PMU
 * @pmu: the PMU
 * @registered: whether it does
 *
 * perf cannot move the events of others to another CPU.
 *
 * Context: process.
 */
void arm_syspmu_set_registered(struct arm_syspmu *pmu, bool registered)
{
	mutex_lock(&arm_syspmu_list_lock);
	WRITE_ONCE(pmu->registered, registered);
	mutex_unlock(&arm_syspmu_list_lock);
}

/**
 * arm_syspmu_cpu_setup - prepare a PMU for CPUs
 * @pmu: the PMU
 *
 * Context: process, at probe.
 */
void arm_syspmu_cpu_setup(struct arm_syspmu *pmu)
{
	pmu->cpu = nr_cpu_ids;
	pmu->owner = nr_cpu_ids;
	raw_spin_lock_init(&pmu->opening_lock);
	INIT_HLIST_HEAD(&pmu->opening);
	INIT_HLIST_HEAD(&pmu->waiting);
	INIT_LIST_HEAD(&pmu->node_in_list);
	INIT_WORK(&pmu->stray_work, arm_syspmu_fetch_strays);
}

static void arm_syspmu_leave_list(struct arm_syspmu *pmu)
{
	mutex_lock(&arm_syspmu_list_lock);
	list_del_init(&pmu->node_in_list);
	mutex_unlock(&arm_syspmu_list_lock);
}

/**
 * arm_syspmu_cpu_attach - give a PMU to a CPU
 * @pmu: the PMU, its interrupt requested
 *
 * Context: process, at probe.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_cpu_attach(struct arm_syspmu *pmu)
{
	int err = cpuhp_state_add_instance(arm_syspmu_cpuhp_state,
					   &pmu->cpuhp_node);

	if (err) {
		arm_syspmu_leave_list(pmu);
		return dev_err_probe(pmu->dev, err,
				     "cannot follow CPU hotplug\n");
	}
	pmu->follows_cpus = true;

	return 0;
}

/**
 * arm_syspmu_cpu_detach - undo arm_syspmu_cpu_attach(), if need be
 * @pmu: the PMU
 *
 * Context: process.
 */
void arm_syspmu_cpu_detach(struct arm_syspmu *pmu)
{
	if (!pmu->follows_cpus)
		return;

	cpuhp_state_remove_instance_nocalls(arm_syspmu_cpuhp_state,
					    &pmu->cpuhp_node);
	arm_syspmu_leave_list(pmu);
}

/**
 * arm_syspmu_cpu_forget_irq - leave the interrupt of a PMU where it is
 * @pmu: the PMU, whose driver lets go of the device
 *
 * Context: process.
 */
void arm_syspmu_cpu_forget_irq(struct arm_syspmu *pmu)
{
	mutex_lock(&arm_syspmu_list_lock);
	pmu->irq = -ENXIO;
	mutex_unlock(&arm_syspmu_list_lock);
}

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
