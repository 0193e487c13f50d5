// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU that owns a PMU: choosing one near the hardware, and moving the PMU
 * when that CPU goes offline.
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
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "private.h"

/* How long moving a PMU waits for perf_event_open() to complete */
#define ARM_SYSPMU_OPENING_US		100000
#define ARM_SYSPMU_OPENING_STEP_US	100

static enum cpuhp_state arm_syspmu_cpuhp_state;

/*
 * PMUs that share a wired interrupt must be owned by the same CPU, since the
 * interrupt is delivered to one CPU. The list includes PMUs whose driver has
 * been unbound while events were open.
 */
static LIST_HEAD(arm_syspmu_list);
static DEFINE_MUTEX(arm_syspmu_list_lock);

/**
 * arm_syspmu_associated_cpus - CPUs near the hardware
 * @pmu: the PMU
 *
 * Context: any.
 * Return: the CPUs given by the backend, or all CPUs if there are none
 */
const struct cpumask *arm_syspmu_associated_cpus(const struct arm_syspmu *pmu)
{
	if (!pmu->near_cpus || cpumask_empty(pmu->near_cpus))
		return cpu_possible_mask;

	return pmu->near_cpus;
}

/*
 * Keep off isolated CPUs (isolcpus, nohz_full). Linux 7 and newer replace the
 * masks when a cpuset becomes an isolated partition, and then free the old ones.
 */
static bool arm_syspmu_is_housekeeping(unsigned int cpu)
{
	bool housekeeping;

	rcu_read_lock();
	housekeeping = housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) &&
		       housekeeping_test_cpu(cpu, HK_TYPE_TIMER);
	rcu_read_unlock();

	return housekeeping;
}

static unsigned int arm_syspmu_rank(const struct arm_syspmu *pmu,
				    unsigned int cpu)
{
	return 2 * arm_syspmu_is_housekeeping(cpu) +
	       cpumask_test_cpu(cpu, arm_syspmu_associated_cpus(pmu));
}

/* Returns nr_cpu_ids if no other CPU is online. */
static unsigned int arm_syspmu_choose_cpu(const struct arm_syspmu *pmu,
					  unsigned int except)
{
	unsigned int cpu, best = nr_cpu_ids;

	for_each_online_cpu(cpu) {
		if (cpu == except)
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
		/*
		 * Once ctx is set, the opener holds a lock that migration
		 * needs.
		 */
		if (smp_load_acquire(&event->ctx))
			hlist_del_init(&event->hlist_entry);
		else if (event->cpu == cpu)
			opening = true;
	}
	raw_spin_unlock_irq(&pmu->opening_lock);

	return opening;
}

/*
 * The CPU of an event is set in event_init(), but perf only migrates events
 * that have been installed in a context. An event that is installed later, on a
 * CPU that is offline by then, would never count. Limit the wait, since
 * perf_event_open() may itself be waiting for the CPU hotplug operation.
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
	/*
	 * perf can only migrate the events of a registered PMU. Others have
	 * none: events that are opened from now on get the new CPU.
	 */
	if (!READ_ONCE(pmu->registered) || from == pmu->cpu)
		return;
	/* An event that is opened from now on gets the new CPU. */
	if (!READ_ONCE(pmu->counters))
		return;

	smp_call_function_single(from, arm_syspmu_begin_moving_here, pmu, true);
	perf_pmu_migrate_context(&pmu->pmu, from, pmu->cpu);
	smp_call_function_single(pmu->cpu, arm_syspmu_place_here, pmu, true);
}

/* Moves a PMU, together with all PMUs that share its interrupt. */
static void arm_syspmu_move(struct arm_syspmu *pmu, unsigned int cpu)
{
	unsigned int from = pmu->cpu;
	struct arm_syspmu *other;

	/* First of all, so that new events are opened on the new CPU. */
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == pmu || arm_syspmu_share_irq(pmu, other))
			arm_syspmu_set_cpu(other, cpu);
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == pmu || arm_syspmu_share_irq(pmu, other))
			arm_syspmu_wait_for_opening(other, from);

	/* The handler must not run while events are being migrated. */
	arm_syspmu_irq_pause(pmu);
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == pmu || arm_syspmu_share_irq(pmu, other))
			arm_syspmu_move_events(other, from);
	arm_syspmu_irq_move(pmu, cpu);
	arm_syspmu_irq_resume(pmu);
}

/* Migrates events that perf has added on a CPU other than that of the PMU. */
static void arm_syspmu_fetch_strays(struct work_struct *work)
{
	struct arm_syspmu *pmu = container_of(work, struct arm_syspmu,
					      stray_work);
	unsigned int stray, cpu;

	cpus_read_lock();
	mutex_lock(&arm_syspmu_list_lock);
	raw_spin_lock_irq(&pmu->opening_lock);
	stray = pmu->stray_cpu;
	pmu->has_stray = false;
	raw_spin_unlock_irq(&pmu->opening_lock);
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

	/* If this fails, interrupts are passed on to the owning CPU. */
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

/* Returns the number of references to the PMU of this name, or -ENOENT. */
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
 * arm_syspmu_is_name_taken - whether a PMU of any driver has a name
 * @name: the name
 *
 * One whose driver has been unbound does not count: see arm_syspmu_check_name().
 *
 * Context: process.
 * Return: true if there is one
 */
bool arm_syspmu_is_name_taken(const char *name)
{
	bool taken = false, unbound = false;
	struct arm_syspmu *other;

	mutex_lock(&arm_syspmu_list_lock);
	list_for_each_entry(other, &arm_syspmu_list, node_in_list) {
		if (strcmp(other->pmu.name, name))
			continue;
		if (READ_ONCE(other->unregistering))
			unbound = true;
		else
			taken = true;
	}
	mutex_unlock(&arm_syspmu_list_lock);

	return taken || (!unbound && arm_syspmu_is_in_sysfs(name));
}
EXPORT_SYMBOL_GPL(arm_syspmu_is_name_taken);

/**
 * arm_syspmu_check_name - check that the name of a PMU is free
 * @pmu: the PMU
 * @name: the name
 *
 * A PMU whose driver was unbound keeps its name until its last event is closed.
 *
 * Context: process, at probe. May wait for such a PMU to be freed.
 * Return: 0, or -EBUSY with a message.
 */
int arm_syspmu_check_name(struct arm_syspmu *pmu, const char *name)
{
	int users;

	for (;;) {
		users = arm_syspmu_users_of_name(name);
		if (users)
			break;
		/* Its last event has been closed: it is being freed. */
		flush_workqueue(arm_syspmu_workqueue);
		/* Whoever frees it may wait for all tasks to sleep (RCU tasks). */
		usleep_range(1000, 2000);
	}
	if (users < 0)
		return 0;

	return dev_err_probe(pmu->dev, -EBUSY,
			     "%s: %d events have been open since before the driver was unbound: close them, then bind it again\n",
			     name, users);
}

/**
 * arm_syspmu_forget_registration - no longer migrate the events of a PMU
 * @pmu: the PMU, which is about to be unregistered
 *
 * Context: process. Waits for a migration that has begun.
 */
void arm_syspmu_forget_registration(struct arm_syspmu *pmu)
{
	mutex_lock(&arm_syspmu_list_lock);
	WRITE_ONCE(pmu->registered, false);
	mutex_unlock(&arm_syspmu_list_lock);
}

/**
 * arm_syspmu_cpu_setup - initialise the state used for choosing a CPU
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
 * arm_syspmu_cpu_attach - choose a CPU and follow CPU hotplug
 * @pmu: the PMU, with its interrupt requested
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
 * arm_syspmu_cpu_detach - undo arm_syspmu_cpu_attach(), if it was called
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
 * arm_syspmu_cpu_call - call a function on the CPU of a PMU
 * @pmu: the PMU, which does not move meanwhile
 * @function: the function; its argument is @pmu
 *
 * Context: process.
 */
void arm_syspmu_cpu_call(struct arm_syspmu *pmu, smp_call_func_t function)
{
	cpus_read_lock();
	/* The probe of another PMU may move this one, too. */
	mutex_lock(&arm_syspmu_list_lock);
	smp_call_function_single(pmu->cpu, function, pmu, true);
	mutex_unlock(&arm_syspmu_list_lock);
	cpus_read_unlock();
}

/**
 * arm_syspmu_cpu_forget_irq - no longer move the interrupt of a PMU
 * @pmu: the PMU, whose driver is being unbound
 *
 * Context: process.
 * Return: the interrupt, or a negative number if there is none
 */
int arm_syspmu_cpu_forget_irq(struct arm_syspmu *pmu)
{
	int irq;

	mutex_lock(&arm_syspmu_list_lock);
	irq = pmu->irq;
	pmu->irq = -ENXIO;
	mutex_unlock(&arm_syspmu_list_lock);

	return irq;
}

/**
 * arm_syspmu_cpu_init - register the CPU hotplug callbacks
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
