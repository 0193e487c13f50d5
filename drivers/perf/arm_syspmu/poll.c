// SPDX-License-Identifier: GPL-2.0
/*
 * The timer that looks for overflows of the memory-mapped PMUs of Arm systems:
 * where there is no interrupt, or where it is a message, which can get lost.
 */

#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/minmax.h>

#include "compat.h"
#include "private.h"

#include <trace/events/arm_syspmu.h>

/* Long enough to cost nothing, short enough to be noticed as late only */
#define ARM_SYSPMU_MAX_POLL_NS		NSEC_PER_SEC

/* The timer has found what an MSI should have told. */
static void arm_syspmu_check_msi(struct arm_syspmu *pmu)
{
	if (pmu->abort_reported || !pmu->ops->msi_aborted(pmu))
		return;

	pmu->abort_reported = true;
	trace_arm_syspmu_fault(pmu->pmu.name, "MSI aborted");
	dev_warn(pmu->dev,
		 "%s: an MSI was aborted, check the ITS that firmware names: overflows are noticed later, by a timer\n",
		 pmu->pmu.name);
}

static enum hrtimer_restart arm_syspmu_poll(struct hrtimer *timer)
{
	struct arm_syspmu *pmu =
		container_of(timer, struct arm_syspmu_timers, poll)->pmu;

	if (arm_syspmu_handle_overflows(pmu) && pmu->delivery == ARM_SYSPMU_MSI)
		arm_syspmu_check_msi(pmu);

	/* A sample may have stopped the last event. */
	if (arm_syspmu_is_inaccessible(pmu) ||
	    bitmap_empty(pmu->enabled, pmu->num_counters))
		return HRTIMER_NORESTART;

	hrtimer_forward_now(timer, pmu->poll_interval);

	return HRTIMER_RESTART;
}

/**
 * arm_syspmu_poll_start - look for overflows from now on
 * @pmu: a PMU whose &arm_syspmu.polls is set
 *
 * Context: on the owning CPU with interrupts off.
 */
void arm_syspmu_poll_start(struct arm_syspmu *pmu)
{
	hrtimer_start(&pmu->timers->poll, pmu->poll_interval,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * arm_syspmu_poll_stop - undo arm_syspmu_poll_start()
 * @pmu: the PMU
 *
 * Context: on the owning CPU with interrupts off; from the timer itself, too,
 * which then does not start again.
 */
void arm_syspmu_poll_stop(struct arm_syspmu *pmu)
{
	hrtimer_try_to_cancel(&pmu->timers->poll);
}

/**
 * arm_syspmu_poll_setup - prepare the timer
 * @pmu: the PMU
 *
 * It looks after each sixteenth of the range, so that no read meets a whole one
 * unnoticed. Nothing is to be undone: it stops with the last counter.
 *
 * Context: process, when the first event is opened.
 */
void arm_syspmu_poll_setup(struct arm_syspmu *pmu)
{
	u64 interval = pmu->counter_mask / 16 /
		       (pmu->max_rate ?: ARM_SYSPMU_MAX_RATE);

	interval = min_t(u64, interval, ARM_SYSPMU_MAX_POLL_NS);
	pmu->poll_interval = ns_to_ktime(interval);
	hrtimer_setup(&pmu->timers->poll, arm_syspmu_poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}
