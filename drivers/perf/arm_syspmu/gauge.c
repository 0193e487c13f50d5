// SPDX-License-Identifier: GPL-2.0
/*
 * Gauges of the memory-mapped PMUs of Arm systems: events that show a state of
 * the component, whose value can fall, such as the number of entries in a
 * queue.
 *
 * The count of such an event is set to the value of its counter, instead of
 * adding what has happened since the last read, as the msr PMU of x86 does for
 * cpu_thermal_margin. The counter is never written, since its value is the
 * state, and nobody looks for wraps, since the next value does not depend on
 * the previous one.
 *
 * Gauges are handled in slow paths. Two tests that are needed for other events
 * as well lead there: for ARM_SYSPMU_SPECIAL, and for a value that may have two
 * meanings.
 */

#include <linux/bitmap.h>
#include <linux/perf_event.h>

#include "private.h"

/**
 * arm_syspmu_begin_gauge - prepare a counter for a gauge
 * @pmu: the PMU, accessible
 * @idx: the counter, which is not enabled
 *
 * The next event that uses the counter has to read its value.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_begin_gauge(struct arm_syspmu *pmu, unsigned int idx)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];

	counter->ambiguous = U64_MAX;
	counter->valid = false;
	counter->cached = false;
}

/**
 * arm_syspmu_end_gauge - undo arm_syspmu_begin_gauge()
 * @pmu: the PMU
 * @idx: the counter, which has been stopped
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_end_gauge(struct arm_syspmu *pmu, unsigned int idx)
{
	struct arm_syspmu_counter *counter = &pmu->counters[idx];

	counter->ambiguous = arm_syspmu_ambiguous_up_to(counter);
}

/**
 * arm_syspmu_set_gauge - set the count of a gauge
 * @pmu: the PMU
 * @event: the gauge
 * @value: value of its counter, now or when it was captured
 *
 * While samples are made, counts stay as they are. If the gauge is stopped
 * meanwhile, this was its last value: arm_syspmu_end_deferring() shows it.
 *
 * Context: on the owning CPU with interrupts off. May be interrupted by an NMI
 *	that calls this function for the same event, after which the count is
 *	that of the earlier read until the next one.
 */
void arm_syspmu_set_gauge(struct arm_syspmu *pmu, struct perf_event *event,
			  u64 value)
{
	unsigned int idx = event->hw.idx;

	if (likely(!(pmu->state & ARM_SYSPMU_DEFERRING))) {
		local64_set(&event->count, value);
		return;
	}
	if (!(event->hw.state & PERF_HES_STOPPED))
		return;

	local64_set(&pmu->counters[idx].value, value);
	pmu->deferred[idx] = 1;
}

/**
 * arm_syspmu_set_deferred_gauge - set the count of a gauge after samples
 * @pmu: the PMU
 * @event: a gauge that was stopped meanwhile
 *
 * Context: interrupt, on the owning CPU.
 */
void arm_syspmu_set_deferred_gauge(struct arm_syspmu *pmu,
				   struct perf_event *event)
{
	unsigned int idx = event->hw.idx;

	pmu->deferred[idx] = 0;
	local64_set(&event->count, local64_read(&pmu->counters[idx].value));
}

/**
 * arm_syspmu_any_counts - whether any enabled counter is not that of a gauge
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off.
 * Return: true if one is not, so that its overflows have to be noticed
 */
bool arm_syspmu_any_counts(const struct arm_syspmu *pmu)
{
	unsigned int idx;

	for_each_set_bit(idx, pmu->enabled, pmu->num_counters)
		if (!arm_syspmu_is_gauge(pmu->counters[idx].event))
			return true;

	return false;
}
