// SPDX-License-Identifier: GPL-2.0
/*
 * Workarounds that are needed only because the core is an out-of-tree module.
 * Documentation/out-of-tree.rst shows the kernel patches that would replace
 * them.
 */

#include <linux/cpumask.h>
#include <linux/device/bus.h>
#include <linux/hrtimer.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/printk.h>

#include "compat.h"
#include "private.h"

typedef int (*arm_syspmu_overflow_fn)(struct perf_event *event,
				      struct perf_sample_data *data,
				      struct pt_regs *regs);

/* perf_event_overflow(), or NULL */
static arm_syspmu_overflow_fn arm_syspmu_overflow_function;

/**
 * arm_syspmu_find_perf_overflow - look up perf_event_overflow()
 *
 * The function that makes samples is not exported, since all drivers that use
 * it are built in. Registering a kprobe, which is never armed, finds its
 * address.
 *
 * Context: process, when the module is loaded.
 */
void arm_syspmu_find_perf_overflow(void)
{
	struct kprobe probe = {
		.symbol_name = "perf_event_overflow",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&probe);

	if (err) {
		pr_warn("arm_syspmu: no sampling, a kprobe is needed to find perf_event_overflow(): %d\n",
			err);
		return;
	}

	arm_syspmu_overflow_function = (arm_syspmu_overflow_fn)probe.addr;
	unregister_kprobe(&probe);
}

/**
 * arm_syspmu_has_perf_overflow - whether samples can be made
 *
 * Context: any.
 * Return: true if perf_event_overflow() was found
 */
bool arm_syspmu_has_perf_overflow(void)
{
	return arm_syspmu_overflow_function;
}

/**
 * arm_syspmu_perf_overflow - call perf_event_overflow()
 * @event: the event
 * @data: data of the sample
 * @regs: registers at the time of the interrupt
 *
 * Context: interrupt, on the owning CPU.
 * Return: the value that perf_event_overflow() returns
 */
int arm_syspmu_perf_overflow(struct perf_event *event,
			     struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	return arm_syspmu_overflow_function(event, data, regs);
}

/**
 * arm_syspmu_cancel_rotation - cancel the timers that rotate the events of a
 *	PMU
 * @pmu: the PMU, which has no events and is about to be unregistered
 *
 * perf_pmu_unregister() frees the timers without cancelling them.
 *
 * Context: process.
 */
void arm_syspmu_cancel_rotation(struct arm_syspmu *pmu)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(arm_syspmu_rotation(&pmu->pmu, cpu));
}

/**
 * arm_syspmu_is_in_sysfs - whether perf has a PMU of a name
 * @name: the name
 *
 * perf_pmu_register() does not look: if another driver has registered a PMU of
 * the name, only sysfs refuses it, with a stack trace. The bus of the PMUs is
 * not exported, so look for what sysfs has of it, beside the platform bus.
 *
 * Context: process.
 * Return: true if it has
 */
bool arm_syspmu_is_in_sysfs(const char *name)
{
	struct kernfs_node *devices, *device = NULL;
	struct kobject *bus;
	struct kset *buses;

	buses = bus_get_kset(&platform_bus_type)->kobj.kset;
	bus = kset_find_obj(buses, "event_source");
	if (!bus)
		return false;

	devices = kernfs_find_and_get(bus->sd, "devices");
	if (devices)
		device = kernfs_find_and_get(devices, name);
	kernfs_put(device);
	kernfs_put(devices);
	kobject_put(bus);

	return device;
}
