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
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/string.h>

#include "core.h"

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

/* CPUs near the hardware: those of the backend, or all if there are none */
const struct cpumask *
arm_syspmu_associated_cpus(const struct arm_syspmu_core *core)
{
	if (!core->pmu->near_cpus || cpumask_empty(core->pmu->near_cpus))
		return cpu_possible_mask;

	return core->pmu->near_cpus;
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

static unsigned int arm_syspmu_rank(const struct arm_syspmu_core *core,
				    unsigned int cpu)
{
	return 2 * arm_syspmu_is_housekeeping(cpu) +
	       cpumask_test_cpu(cpu, arm_syspmu_associated_cpus(core));
}

static unsigned int arm_syspmu_num_owned(unsigned int cpu)
{
	const struct arm_syspmu_core *other;
	unsigned int num = 0;

	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		num += other->cpu == cpu;

	return num;
}

/*
 * Chooses the CPU that owns the fewest PMUs among those of the highest rank.
 * Returns nr_cpu_ids if no other CPU is online.
 */
static unsigned int arm_syspmu_choose_cpu(const struct arm_syspmu_core *core,
					  unsigned int except)
{
	unsigned int cpu, rank, num, best = nr_cpu_ids;
	unsigned int best_rank = 0, best_num = 0;

	for_each_online_cpu(cpu) {
		if (cpu == except)
			continue;
		rank = arm_syspmu_rank(core, cpu);
		num = arm_syspmu_num_owned(cpu);
		if (best < nr_cpu_ids &&
		    (rank < best_rank || (rank == best_rank && num >= best_num)))
			continue;
		best = cpu;
		best_rank = rank;
		best_num = num;
	}

	return best;
}

static bool arm_syspmu_share_irq(const struct arm_syspmu_core *a,
				 const struct arm_syspmu_core *b)
{
	return a->delivery == ARM_SYSPMU_WIRED &&
	       b->delivery == ARM_SYSPMU_WIRED &&
	       a->irq >= 0 && a->irq == b->irq;
}

static bool arm_syspmu_is_opening(struct arm_syspmu_core *core,
				  unsigned int cpu)
{
	struct arm_syspmu_core_event *own, *next;
	bool opening = false;

	raw_spin_lock_irq(&core->opening_lock);
	list_for_each_entry_safe(own, next, &core->opening, node) {
		/* Once it is set, the opener holds a lock that migration needs. */
		if (smp_load_acquire(&own->event->ctx))
			list_del_init(&own->node);
		else if (own->event->cpu == cpu)
			opening = true;
	}
	raw_spin_unlock_irq(&core->opening_lock);

	return opening;
}

/*
 * The CPU of an event is set in event_init(), but perf only migrates events
 * that have been installed in a context. An event that is installed later, on a
 * CPU that is offline by then, would never count. Limit the wait, since
 * perf_event_open() may itself be waiting for the CPU hotplug operation.
 */
static void arm_syspmu_wait_for_opening(struct arm_syspmu_core *core,
					unsigned int cpu)
{
	unsigned int us;

	for (us = 0; us < ARM_SYSPMU_OPENING_US;
	     us += ARM_SYSPMU_OPENING_STEP_US) {
		if (!arm_syspmu_is_opening(core, cpu))
			return;
		usleep_range(ARM_SYSPMU_OPENING_STEP_US,
			     2 * ARM_SYSPMU_OPENING_STEP_US);
	}
}

static void arm_syspmu_set_cpu(struct arm_syspmu_core *core, unsigned int cpu)
{
	raw_spin_lock_irq(&core->opening_lock);
	WRITE_ONCE(core->cpu, cpu);
	raw_spin_unlock_irq(&core->opening_lock);
}

/*
 * perf can only migrate the events of a registered PMU. Others have none. Events
 * that are opened from now on get the new CPU.
 */
static void arm_syspmu_move_events(struct arm_syspmu_core *core,
				   unsigned int from)
{
	if (!READ_ONCE(core->registered) || !READ_ONCE(core->counters) ||
	    from == core->cpu)
		return;

	smp_call_function_single(from, arm_syspmu_begin_moving, core, true);
	perf_pmu_migrate_context(&core->pmu->pmu, from, core->cpu);
	smp_call_function_single(core->cpu, arm_syspmu_place_waiting, core, true);
}

/* Moves a PMU, together with all PMUs that share its interrupt. */
static void arm_syspmu_move(struct arm_syspmu_core *core, unsigned int cpu)
{
	unsigned int from = core->cpu;
	struct arm_syspmu_core *other;

	/* First of all, so that new events are opened on the new CPU. */
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == core || arm_syspmu_share_irq(core, other))
			arm_syspmu_set_cpu(other, cpu);
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == core || arm_syspmu_share_irq(core, other))
			arm_syspmu_wait_for_opening(other, from);

	/* The handler must not run while events are being migrated. */
	arm_syspmu_irq_pause(core);
	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (other == core || arm_syspmu_share_irq(core, other))
			arm_syspmu_move_events(other, from);
	arm_syspmu_irq_move(core, cpu);
	arm_syspmu_irq_resume(core);
}

/* Migrates events that perf has added on a CPU other than that of the PMU. */
static void arm_syspmu_fetch_strays(struct work_struct *work)
{
	struct arm_syspmu_core *core = container_of(work, struct arm_syspmu_core,
						    stray_work);
	unsigned int cpu;

	cpus_read_lock();
	mutex_lock(&arm_syspmu_list_lock);
	for_each_cpu_and(cpu, &core->strays, cpu_online_mask) {
		cpumask_clear_cpu(cpu, &core->strays);
		arm_syspmu_move_events(core, cpu);
	}
	mutex_unlock(&arm_syspmu_list_lock);
	cpus_read_unlock();
}

static void arm_syspmu_first_cpu(struct arm_syspmu_core *core)
{
	unsigned int cpu = arm_syspmu_choose_cpu(core, nr_cpu_ids);
	struct arm_syspmu_core *other;

	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (arm_syspmu_share_irq(core, other))
			cpu = other->cpu;

	/* If this fails, interrupts are passed on to the owning CPU. */
	arm_syspmu_irq_move(core, cpu);
	arm_syspmu_set_cpu(core, cpu);
	list_add_tail(&core->node_in_list, &arm_syspmu_list);
}

static int arm_syspmu_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct arm_syspmu_core *core =
		hlist_entry_safe(node, struct arm_syspmu_core, cpuhp_node);

	mutex_lock(&arm_syspmu_list_lock);
	if (core->cpu >= nr_cpu_ids)
		arm_syspmu_first_cpu(core);
	else if (arm_syspmu_rank(core, cpu) > arm_syspmu_rank(core, core->cpu))
		arm_syspmu_move(core, cpu);
	mutex_unlock(&arm_syspmu_list_lock);

	return 0;
}

static int arm_syspmu_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct arm_syspmu_core *core =
		hlist_entry_safe(node, struct arm_syspmu_core, cpuhp_node);
	unsigned int target;

	mutex_lock(&arm_syspmu_list_lock);
	if (cpu == core->cpu) {
		target = arm_syspmu_choose_cpu(core, cpu);
		if (target < nr_cpu_ids)
			arm_syspmu_move(core, target);
	}
	mutex_unlock(&arm_syspmu_list_lock);

	return 0;
}

static struct arm_syspmu_core *arm_syspmu_find_name(const char *name)
{
	struct arm_syspmu_core *other;

	list_for_each_entry(other, &arm_syspmu_list, node_in_list)
		if (!strcmp(other->pmu->pmu.name, name))
			return other;

	return NULL;
}

/*
 * Whether the PMU of another device has a name. A device that was unbound gets
 * its name back: see arm_syspmu_check_name().
 */
bool arm_syspmu_is_name_taken(const struct arm_syspmu *pmu, const char *name)
{
	struct arm_syspmu_core *found;
	bool taken;

	mutex_lock(&arm_syspmu_list_lock);
	found = arm_syspmu_find_name(name);
	taken = found && found->pmu->dev != pmu->dev;
	mutex_unlock(&arm_syspmu_list_lock);

	return taken;
}
EXPORT_SYMBOL_GPL(arm_syspmu_is_name_taken);

/* Returns the number of references to the PMU of this name, or -ENOENT. */
static int arm_syspmu_users_of_name(const char *name)
{
	struct arm_syspmu_core *found;
	int users;

	mutex_lock(&arm_syspmu_list_lock);
	found = arm_syspmu_find_name(name);
	users = found ? refcount_read(&found->references) : -ENOENT;
	mutex_unlock(&arm_syspmu_list_lock);

	return users;
}

/*
 * Checks that the name of a PMU is free. A PMU whose driver was unbound keeps its
 * name until its last event is closed.
 */
int arm_syspmu_check_name(struct arm_syspmu_core *core)
{
	const char *name = core->pmu->pmu.name;
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

	return dev_err_probe(core->pmu->dev, -EBUSY,
			     "%s: %d events have been open since before the driver was unbound: close them, then bind it again\n",
			     name, users);
}

/* Afterwards the events of the PMU are not migrated, nor are they now. */
void arm_syspmu_forget_registration(struct arm_syspmu_core *core)
{
	mutex_lock(&arm_syspmu_list_lock);
	WRITE_ONCE(core->registered, false);
	mutex_unlock(&arm_syspmu_list_lock);
}

void arm_syspmu_cpu_setup(struct arm_syspmu_core *core)
{
	core->cpu = nr_cpu_ids;
	core->owner = nr_cpu_ids;
	raw_spin_lock_init(&core->opening_lock);
	INIT_LIST_HEAD(&core->opening);
	INIT_LIST_HEAD(&core->waiting);
	INIT_LIST_HEAD(&core->node_in_list);
	INIT_WORK(&core->stray_work, arm_syspmu_fetch_strays);
}

/*
 * Follows CPU hotplug, chooses a CPU, unless one that has just come online has
 * done that, and directs the interrupt to it. No other CPU is disturbed.
 */
int arm_syspmu_cpu_attach(struct arm_syspmu_core *core)
{
	int err = cpuhp_state_add_instance_nocalls(arm_syspmu_cpuhp_state,
						   &core->cpuhp_node);

	if (err)
		return dev_err_probe(core->pmu->dev, err,
				     "cannot follow CPU hotplug\n");

	cpus_read_lock();
	mutex_lock(&arm_syspmu_list_lock);
	if (core->cpu >= nr_cpu_ids)
		arm_syspmu_first_cpu(core);
	mutex_unlock(&arm_syspmu_list_lock);
	cpus_read_unlock();

	return 0;
}

void arm_syspmu_cpu_detach(struct arm_syspmu_core *core)
{
	if (!hlist_unhashed(&core->cpuhp_node))
		cpuhp_state_remove_instance_nocalls(arm_syspmu_cpuhp_state,
						    &core->cpuhp_node);

	mutex_lock(&arm_syspmu_list_lock);
	list_del_init(&core->node_in_list);
	mutex_unlock(&arm_syspmu_list_lock);
}

/*
 * Calls a function on the CPU of a PMU. The lock is needed, since the probe of
 * another PMU may move this one, too.
 */
void arm_syspmu_cpu_call(struct arm_syspmu_core *core,
			 smp_call_func_t function)
{
	cpus_read_lock();
	mutex_lock(&arm_syspmu_list_lock);
	smp_call_function_single(core->cpu, function, core, true);
	mutex_unlock(&arm_syspmu_list_lock);
	cpus_read_unlock();
}

/* Afterwards the interrupt, which is returned, is not moved any more. */
int arm_syspmu_cpu_forget_irq(struct arm_syspmu_core *core)
{
	int irq;

	mutex_lock(&arm_syspmu_list_lock);
	irq = core->irq;
	WRITE_ONCE(core->irq, -ENXIO);
	mutex_unlock(&arm_syspmu_list_lock);

	return irq;
}

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

void arm_syspmu_cpu_exit(void)
{
	cpuhp_remove_multi_state(arm_syspmu_cpuhp_state);
}
