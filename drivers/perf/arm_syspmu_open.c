// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open() for the memory-mapped PMUs of Arm systems: what is refused,
 * and why.
 */

#include <linux/completion.h>
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/ratelimit.h>
#include <linux/refcount.h>

#include "arm_syspmu.h"

/**
 * arm_syspmu_refuse - tell why an event is refused
 * @pmu: the PMU
 * @err: negative errno for perf_event_open()
 * @fmt: printf format of the reason: which field, which value, what would be
 *	valid; without a newline
 *
 * Context: process. Messages are rate-limited per PMU.
 * Return: @err
 */
int arm_syspmu_refuse(struct arm_syspmu *pmu, int err, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	if (!__ratelimit(&pmu->refusals))
		return err;

	va_start(args, fmt);
	vaf.va = &args;
	dev_warn(pmu->dev, "%s: event refused: %pV\n", pmu->pmu.name, &vaf);
	va_end(args);

	return err;
}
EXPORT_SYMBOL_GPL(arm_syspmu_refuse);

/**
 * arm_syspmu_events_compatible - whether two events can count at the same time
 * @pmu: the PMU
 * @a: a valid event
 * @b: another one
 *
 * Context: any.
 * Return: whether they can
 */
bool arm_syspmu_events_compatible(struct arm_syspmu *pmu,
				  const struct perf_event *a,
				  const struct perf_event *b)
{
	return !pmu->ops->events_compatible ||
	       pmu->ops->events_compatible(pmu, a, b);
}

/*
 * Where @event stands beside @member in one group. Returns whether @member
 * takes a counter of this PMU, or a negative errno.
 */
static int arm_syspmu_check_member(struct arm_syspmu *pmu,
				   struct perf_event *event,
				   struct perf_event *member)
{
	if (is_software_event(member))
		return 0;
	if (member->pmu != &pmu->pmu)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "its group has an event of %s: all hardware events of a group must be of one PMU",
					 member->pmu->name);
	if (!arm_syspmu_events_compatible(pmu, event, member))
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "its filter (config1 0x%llx) differs from that of its group (config1 0x%llx), and this PMU has one filter for all counters",
					 event->attr.config1,
					 member->attr.config1);
	return 1;
}

static int arm_syspmu_check_group(struct arm_syspmu *pmu,
				  struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int counters = 1;
	int ret;

	if (leader == event)
		return 0;

	ret = arm_syspmu_check_member(pmu, event, leader);
	if (ret < 0)
		return ret;
	counters += ret;

	for_each_sibling_event(sibling, leader) {
		ret = arm_syspmu_check_member(pmu, event, sibling);
		if (ret < 0)
			return ret;
		counters += ret;
	}

	if (counters > pmu->num_counters)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "its group needs %u counters, this PMU has %u",
					 counters, pmu->num_counters);
	return 0;
}

/**
 * arm_syspmu_put_user - drop an open event, or the registration itself
 * @pmu: the PMU
 *
 * Context: any.
 */
void arm_syspmu_put_user(struct arm_syspmu *pmu)
{
	if (refcount_dec_and_test(&pmu->users))
		complete(&pmu->unused);
}

static void arm_syspmu_event_destroy(struct perf_event *event)
{
	arm_syspmu_put_user(to_arm_syspmu(event->pmu));
}

static int arm_syspmu_check_sampling(struct arm_syspmu *pmu,
				     struct perf_event *event)
{
	if (pmu->delivery != ARM_SYSPMU_MSI && pmu->delivery != ARM_SYSPMU_WIRED)
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: this PMU has no overflow interrupt, use perf stat",
					 event->attr.sample_period);
	if (!pmu->can_sample)
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: the counters of this PMU cannot be set, use perf stat",
					 event->attr.sample_period);
	if (!arm_syspmu_kernel_samples())
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: this kernel has no kprobes, use perf stat",
					 event->attr.sample_period);
	if (has_branch_stack(event))
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "it wants branch stacks, but this PMU does not belong to a CPU");
	return 0;
}

/**
 * arm_syspmu_event_init - is this an event that the PMU can count?
 * @event: what perf_event_open() was asked for
 *
 * Context: process.
 * Return: 0; -ENOENT where it is not for this PMU; or another negative errno,
 *	with a message
 */
int arm_syspmu_event_init(struct perf_event *event)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (READ_ONCE(pmu->gone))
		return arm_syspmu_refuse(pmu, -ENODEV,
					 "the hardware does not answer");

	if (is_sampling_event(event)) {
		err = arm_syspmu_check_sampling(pmu, event);
		if (err)
			return err;
	}
	if (event->cpu < 0 || event->attach_state & PERF_ATTACH_TASK)
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "it is bound to a task, but this PMU counts for the whole system: use perf stat -a");
	if (event_has_any_exclude_flag(event))
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "it has an exclude modifier, but this PMU cannot tell user, kernel, host and guest apart");

	err = pmu->ops->event_init(pmu, event);
	if (err)
		return err;

	err = arm_syspmu_check_group(pmu, event);
	if (err)
		return err;

	/* A PMU that is going away takes no new events. */
	if (!refcount_inc_not_zero(&pmu->users))
		return -ENODEV;
	if (READ_ONCE(pmu->leaving)) {
		arm_syspmu_put_user(pmu);
		return -ENODEV;
	}
	event->destroy = arm_syspmu_event_destroy;

	/*
	 * Whatever CPU was asked for, the owning one does the work: all events
	 * in one context keeps groups together and accesses serialised.
	 */
	event->cpu = READ_ONCE(pmu->cpu);
	event->hw.idx = -1;

	return 0;
}
