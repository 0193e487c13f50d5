// SPDX-License-Identifier: GPL-2.0
/*
 * What the core has to do itself only because it is a module out of the tree.
 * Documentation/out-of-tree.rst has what the kernel would need instead.
 */

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include "compat.h"
#include "private.h"

typedef int (*arm_syspmu_overflow_fn)(struct perf_event *event,
				      struct perf_sample_data *data,
				      struct pt_regs *regs);

/* perf_event_overflow(), or NULL */
static arm_syspmu_overflow_fn arm_syspmu_overflow_function;

/**
 * arm_syspmu_find_perf_overflow - find the function that makes samples
 *
 * perf_event_overflow() is not exported, since no driver that samples is a
 * module so far. A kprobe, which is never armed, knows where it is.
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
 * arm_syspmu_has_perf_overflow - whether samples can be made at all
 *
 * Context: any.
 * Return: whether they can
 */
bool arm_syspmu_has_perf_overflow(void)
{
	return arm_syspmu_overflow_function;
}

/**
 * arm_syspmu_perf_overflow - have perf make a sample
 * @event: the event
 * @data: the sample
 * @regs: where the CPU was
 *
 * Context: interrupt, on the owning CPU.
 * Return: as perf_event_overflow()
 */
int arm_syspmu_perf_overflow(struct perf_event *event,
			     struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	return arm_syspmu_overflow_function(event, data, regs);
}

/**
 * arm_syspmu_cancel_rotation - stop perf's timers that rotate events
 * @pmu: the PMU, without events, about to be unregistered
 *
 * perf_pmu_unregister() frees them even while they run.
 *
 * Context: process.
 */
void arm_syspmu_cancel_rotation(struct arm_syspmu *pmu)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(arm_syspmu_rotation(&pmu->pmu, cpu));
}
