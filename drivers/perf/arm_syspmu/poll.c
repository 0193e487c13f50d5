// SPDX-License-Identifier: GPL-2.0
/*
 * Polling of the overflow status of the memory-mapped PMUs of Arm systems, for
 * PMUs without an interrupt, for those with an MSI, which can be lost, and for
 * those whose wired interrupt may not be used.
 */

#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/minmax.h>

#include "compat.h"
#include "private.h"

#include <trace/events/arm_syspmu.h>

/* Long enough for a negligible cost, short enough to report a lost MSI soon */
#define ARM_SYSPMU_MAX_POLL_NS		NSEC_PER_SEC

/* The timer has found an overflow whose MSI should have arrived. */
static void arm_syspmu_check_msi(struct arm_syspmu *pmu)
{
	if (pmu->abort_reported || !pmu->ops->msi_aborted(pmu))
		return;

	pmu->abort_reported = true;
	trace_arm_syspmu_fault(pmu->pmu.name, "MSI aborted");
	dev_warn(pmu->dev,
		 "%s: an MSI was aborted, check the ITS given by firmware: overflows are noticed later, by a timer\n",
		 pmu->pmu.name);
}

static enum hrtimer_restart arm_syspmu_poll(struct hrtimer *timer)
{
	struct arm_syspmu *pmu =
		container_of(timer, struct arm_syspmu_timers, poll)->pmu;
	bool any;

	if (unlikely(pmu->repeats))
		any = arm_syspmu_handle_all_overflows(pmu);
	else
		any = arm_syspmu_handle_overflows(pmu);
	if (any && pmu->delivery == ARM_SYSPMU_MSI)
		arm_syspmu_check_msi(pmu);
	/* arm_syspmu_handle_all_overflows() may have started the timer. */
	if (!pmu->polls || hrtimer_is_queued(timer))
		return HRTIMER_NORESTART;

	/* Making a sample may have stopped the last event but gauges. */
	if (arm_syspmu_is_inaccessible(pmu) ||
	    !arm_syspmu_any_counts(pmu))
		return HRTIMER_NORESTART;

	hrtimer_forward_now(timer, pmu->timers->poll_interval);

	return HRTIMER_RESTART;
}

/**
 * arm_syspmu_poll_start - start polling the overflow status
 * @pmu: a PMU whose &arm_syspmu.polls is set
 *
 * The overflows of gauges mean nothing.
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_poll_start(struct arm_syspmu *pmu)
{
	if (!arm_syspmu_any_counts(pmu))
		return;

	hrtimer_start(&pmu->timers->poll, pmu->timers->poll_interval,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * arm_syspmu_poll_stop - stop polling the overflow status
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off. If called from the timer
 *	itself, the timer does not restart.
 */
void arm_syspmu_poll_stop(struct arm_syspmu *pmu)
{
	hrtimer_try_to_cancel(&pmu->timers->poll);
}

/**
 * arm_syspmu_poll_setup - initialise the poll timer
 * @pmu: the PMU
 *
 * The narrowest counter decides on the interval. No cleanup is needed, the
 * timer stops with the last counter.
 *
 * Context: process, when the first event is opened.
 */
void arm_syspmu_poll_setup(struct arm_syspmu *pmu)
{
	u64 mask = arm_syspmu_narrowest_counter(pmu);
	u64 interval = arm_syspmu_counter_interval(pmu, mask);

	interval = clamp_t(u64, interval, ARM_SYSPMU_MIN_POLL_NS,
			   ARM_SYSPMU_MAX_POLL_NS);
	pmu->timers->poll_interval = ns_to_ktime(interval);
	hrtimer_setup(&pmu->timers->poll, arm_syspmu_poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}
