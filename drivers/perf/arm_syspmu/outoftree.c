// SPDX-License-Identifier: GPL-2.0
/*
 * Workarounds that are needed only because the core is an out-of-tree module.
 * Documentation/out-of-tree.rst says what the kernel would need instead of
 * them.
 */

#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/printk.h>

#include "compat.h"
#include "core.h"

/* Functions of perf, or NULL */
static typeof(perf_event_overflow) *arm_syspmu_overflow_function;
static typeof(perf_event_task_tick) *arm_syspmu_tick_function;
static typeof(perf_event_disable_inatomic) *arm_syspmu_disable_function;
static typeof(perf_sample_event_took) *arm_syspmu_took_function;

/*
 * Returns the address of a function that is not exported, since all drivers that
 * use it are built in. Registering a kprobe, which is never armed, finds it.
 */
static void *arm_syspmu_find_function(const char *name)
{
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&probe);

	if (err) {
		pr_warn("arm_syspmu: no sampling, a kprobe is needed to find %s(): %d\n",
			name, err);
		return NULL;
	}
	unregister_kprobe(&probe);

	return probe.addr;
}

/* Without one of them, samples are not made. */
void arm_syspmu_find_perf_functions(void)
{
	arm_syspmu_disable_function =
		arm_syspmu_find_function("perf_event_disable_inatomic");
	if (!arm_syspmu_disable_function)
		return;
	arm_syspmu_tick_function =
		arm_syspmu_find_function("perf_event_task_tick");
	if (!arm_syspmu_tick_function)
		return;
	arm_syspmu_took_function =
		arm_syspmu_find_function("perf_sample_event_took");
	if (!arm_syspmu_took_function)
		return;
	arm_syspmu_overflow_function =
		arm_syspmu_find_function("perf_event_overflow");
}

/* Whether samples can be made */
bool arm_syspmu_has_perf_functions(void)
{
	return arm_syspmu_overflow_function;
}

int arm_syspmu_perf_overflow(struct perf_event *event,
			     struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	return arm_syspmu_overflow_function(event, data, regs);
}

/*
 * Tells perf how long the samples of an overflow took: if they take too much of
 * the time of this CPU, perf throttles after fewer samples.
 */
void arm_syspmu_perf_took(u64 nanoseconds)
{
	arm_syspmu_took_function(nanoseconds);
}

/* Disables an event of this CPU soon, in any context. */
void arm_syspmu_perf_disable(struct perf_event *event)
{
	if (arm_syspmu_disable_function)
		arm_syspmu_disable_function(event);
}

/* Does what perf does at each tick of this CPU, with interrupts off. */
void arm_syspmu_perf_tick(void)
{
	arm_syspmu_tick_function();
}

/*
 * Cancels the timers that rotate the events of a PMU, which has none left:
 * perf_pmu_unregister() frees the timers without cancelling them.
 */
void arm_syspmu_cancel_rotation(struct arm_syspmu_core *core)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(&arm_syspmu_context(&core->pmu->pmu, cpu)->hrtimer);
}
