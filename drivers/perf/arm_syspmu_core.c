// SPDX-License-Identifier: GPL-2.0
/*
 * Core of the perf drivers for the memory-mapped PMUs of Arm systems: the
 * whole life of a perf event, from perf_event_open() to its last read.
 *
 * Such a PMU counts for the system and not for a CPU, so each is owned by one
 * CPU: events are scheduled there, its interrupt is delivered there, and
 * everything that touches a counter runs there with interrupts off. That is
 * the only locking there is.
 *
 * Counters run freely. They are never written: a counter has a value from
 * which an event starts, wraps where its width ends, and the overflow status is
 * the carry of that wrap. Nothing that happens while an overflow is handled is
 * lost, and the interrupt may be late.
 */

#include <linux/bitmap.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/sysfs.h>

#include "arm_syspmu.h"

static enum cpuhp_state arm_syspmu_cpuhp_state;

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

/*
 * perf_event_open(): is this an event that the PMU can count?
 */

static bool arm_syspmu_events_compatible(struct arm_syspmu *pmu,
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

static void arm_syspmu_put_user(struct arm_syspmu *pmu)
{
	if (refcount_dec_and_test(&pmu->users))
		complete(&pmu->unused);
}

static void arm_syspmu_event_destroy(struct perf_event *event)
{
	arm_syspmu_put_user(to_arm_syspmu(event->pmu));
}

static int arm_syspmu_event_init(struct perf_event *event)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;

	if (is_sampling_event(event))
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: this PMU counts only, use perf stat",
					 event->attr.sample_period);
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
	event->destroy = arm_syspmu_event_destroy;

	/*
	 * Whatever CPU was asked for, the owning one does the work: all events
	 * in one context keeps groups together and accesses serialised.
	 */
	event->cpu = pmu->cpu;
	event->hw.idx = -1;

	return 0;
}

/*
 * Reading: the only way in which counter values become counts.
 */

/*
 * A counter that was read when it had hardly wrapped may owe that to a whole
 * range since the read before, whose interrupt is still on its way. It cannot
 * be on its way for longer than a counter takes for this part of its range: an
 * eighth of a second for 32 bits at 2 GHz.
 */
static bool arm_syspmu_may_have_lapped(const struct arm_syspmu *pmu, u64 now)
{
	return pmu->counter_mask != U64_MAX && now <= pmu->counter_mask / 16;
}

/*
 * Between two reads a counter can have wrapped once. A read sees it as a value
 * below the previous one; but when a whole range has passed, only the overflow
 * status tells. Either may come first, the read or the interrupt, and the wrap
 * counts once.
 */
static void arm_syspmu_update(struct arm_syspmu *pmu, struct perf_event *event,
			      bool overflowed)
{
	struct hw_perf_event *hw = &event->hw;
	u64 now = pmu->ops->read_counter(pmu, hw->idx);
	u64 prev = local64_xchg(&hw->prev_count, now);
	u64 delta = (now - prev) & pmu->counter_mask;
	bool wrapped = now < prev;
	bool seen;

	if (overflowed) {
		seen = __test_and_clear_bit(hw->idx, pmu->wrapped);
		if (!seen && !wrapped)
			delta += pmu->counter_mask + 1;
	} else if (wrapped) {
		__set_bit(hw->idx, pmu->wrapped);
	} else if (arm_syspmu_may_have_lapped(pmu, now) &&
		   !test_bit(hw->idx, pmu->wrapped) &&
		   pmu->ops->has_overflowed(pmu, hw->idx)) {
		__set_bit(hw->idx, pmu->wrapped);
		delta += pmu->counter_mask + 1;
	}

	local64_add(delta, &event->count);
}

static void arm_syspmu_event_read(struct perf_event *event)
{
	arm_syspmu_update(to_arm_syspmu(event->pmu), event, false);
}

/**
 * arm_syspmu_handle_overflows - account for all overflows signalled so far
 * @pmu: the PMU
 *
 * Context: interrupt, on the owning CPU.
 * Return: whether there were any
 */
bool arm_syspmu_handle_overflows(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	unsigned int idx;

	bitmap_zero(overflowed, ARM_SYSPMU_MAX_COUNTERS);
	pmu->ops->take_overflows(pmu, overflowed);
	if (bitmap_empty(overflowed, pmu->num_counters))
		return false;

	for_each_set_bit(idx, overflowed, pmu->num_counters)
		if (test_bit(idx, pmu->wanted))
			arm_syspmu_update(pmu, pmu->events[idx], true);

	return true;
}

/*
 * Scheduling. perf calls pmu_disable(), then add(), del(), start() and stop()
 * for one event after another, then pmu_enable(): only there are the counters
 * that have come to be wanted enabled, all with one access. Events that stay
 * are not touched and lose nothing.
 */

static void arm_syspmu_enable_wanted(struct arm_syspmu *pmu)
{
	DECLARE_BITMAP(start, ARM_SYSPMU_MAX_COUNTERS);

	if (!bitmap_andnot(start, pmu->wanted, pmu->counting,
			   pmu->num_counters))
		return;

	pmu->ops->enable_counters(pmu, start);
	bitmap_copy(pmu->counting, pmu->wanted, pmu->num_counters);
}

static void arm_syspmu_pmu_enable(struct pmu *p)
{
	struct arm_syspmu *pmu = to_arm_syspmu(p);

	pmu->disabled = false;
	arm_syspmu_enable_wanted(pmu);
}

static void arm_syspmu_pmu_disable(struct pmu *p)
{
	to_arm_syspmu(p)->disabled = true;
}

static void arm_syspmu_event_start(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct hw_perf_event *hw = &event->hw;

	local64_set(&hw->prev_count, pmu->ops->read_counter(pmu, hw->idx));
	hw->state = 0;
	__set_bit(hw->idx, pmu->wanted);

	if (!pmu->disabled)
		arm_syspmu_enable_wanted(pmu);
}

static void arm_syspmu_mark_counting(struct arm_syspmu *pmu,
				     const struct perf_event *event,
				     unsigned long *counters)
{
	if (event->pmu == &pmu->pmu && event->hw.idx >= 0 &&
	    test_bit(event->hw.idx, pmu->counting))
		__set_bit(event->hw.idx, counters);
}

/*
 * perf stops the leader of a group first and its siblings right after it. Stop
 * all their counters at the same instant, so that the counts of a group stay
 * comparable. The leader may be a software event: then it is already inactive.
 */
static void arm_syspmu_disable_with_group(struct arm_syspmu *pmu,
					  struct perf_event *event)
{
	DECLARE_BITMAP(stop, ARM_SYSPMU_MAX_COUNTERS);
	struct perf_event *leader = event->group_leader, *sibling;

	bitmap_zero(stop, ARM_SYSPMU_MAX_COUNTERS);
	arm_syspmu_mark_counting(pmu, event, stop);
	if (pmu->disabled &&
	    (leader == event || leader->state < PERF_EVENT_STATE_ACTIVE)) {
		for_each_sibling_event(sibling, leader)
			arm_syspmu_mark_counting(pmu, sibling, stop);
	}
	if (bitmap_empty(stop, pmu->num_counters))
		return;

	pmu->ops->disable_counters(pmu, stop);
	bitmap_andnot(pmu->counting, pmu->counting, stop, pmu->num_counters);
}

static void arm_syspmu_event_stop(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct hw_perf_event *hw = &event->hw;

	if (hw->state & PERF_HES_STOPPED)
		return;

	arm_syspmu_disable_with_group(pmu, event);
	__clear_bit(hw->idx, pmu->wanted);

	/* The counter may serve another event next: PERF_EF_UPDATE or not. */
	arm_syspmu_update(pmu, event, false);
	hw->state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;

	/* An overflow whose interrupt is still to come has been counted. */
	if (__test_and_clear_bit(hw->idx, pmu->wrapped))
		pmu->ops->clear_overflow(pmu, hw->idx);
}

static int arm_syspmu_find_counter(struct arm_syspmu *pmu,
				   const struct perf_event *event)
{
	unsigned int idx;

	for_each_set_bit(idx, pmu->used, pmu->num_counters)
		if (!arm_syspmu_events_compatible(pmu, event, pmu->events[idx]))
			return -EAGAIN;

	idx = find_first_zero_bit(pmu->used, pmu->num_counters);

	return idx < pmu->num_counters ? idx : -EAGAIN;
}

static int arm_syspmu_event_add(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct hw_perf_event *hw = &event->hw;
	int idx = arm_syspmu_find_counter(pmu, event);

	if (idx < 0)
		return idx;

	__set_bit(idx, pmu->used);
	pmu->events[idx] = event;
	hw->idx = idx;
	hw->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	pmu->ops->program(pmu, event);

	if (flags & PERF_EF_START)
		arm_syspmu_event_start(event, PERF_EF_RELOAD);

	perf_event_update_userpage(event);

	return 0;
}

static void arm_syspmu_event_del(struct perf_event *event, int flags)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct hw_perf_event *hw = &event->hw;

	arm_syspmu_event_stop(event, PERF_EF_UPDATE);
	pmu->events[hw->idx] = NULL;
	__clear_bit(hw->idx, pmu->used);
	hw->idx = -1;

	perf_event_update_userpage(event);
}

/*
 * The CPU that owns the PMU
 */

static int arm_syspmu_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct arm_syspmu *pmu = hlist_entry_safe(node, struct arm_syspmu,
						  cpuhp_node);
	int err;

	if (pmu->cpu < nr_cpu_ids)
		return 0;

	err = arm_syspmu_irq_move(pmu, cpu);
	if (!err)
		pmu->cpu = cpu;

	return err;
}

static int arm_syspmu_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct arm_syspmu *pmu = hlist_entry_safe(node, struct arm_syspmu,
						  cpuhp_node);
	unsigned int target;

	if (cpu != pmu->cpu)
		return 0;

	target = cpumask_any_but(cpu_online_mask, cpu);
	if (target >= nr_cpu_ids)
		return 0;

	/* The handler must not meet the events on their way. */
	arm_syspmu_irq_pause(pmu);
	perf_pmu_migrate_context(&pmu->pmu, cpu, target);
	pmu->cpu = target;
	arm_syspmu_irq_move(pmu, target);
	arm_syspmu_irq_resume(pmu);

	return 0;
}

/*
 * sysfs attributes that every PMU has
 */

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct arm_syspmu *pmu = to_arm_syspmu(dev_get_drvdata(dev));

	return cpumap_print_to_pagebuf(true, buf, cpumask_of(pmu->cpu));
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t identifier_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	struct arm_syspmu *pmu = to_arm_syspmu(dev_get_drvdata(dev));

	return sysfs_emit(buf, "0x%08x\n", pmu->identifier);
}
static DEVICE_ATTR_RO(identifier);

static struct attribute *arm_syspmu_common_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_identifier.attr,
	NULL
};

static umode_t arm_syspmu_common_is_visible(struct kobject *kobj,
					    struct attribute *attr, int n)
{
	struct arm_syspmu *pmu =
		to_arm_syspmu(dev_get_drvdata(kobj_to_dev(kobj)));

	if (attr == &dev_attr_identifier.attr && !pmu->identifier)
		return 0;

	return attr->mode;
}

/* Every backend lists this group in &arm_syspmu.attr_groups. */
const struct attribute_group arm_syspmu_common_group = {
	.attrs = arm_syspmu_common_attrs,
	.is_visible = arm_syspmu_common_is_visible,
};
EXPORT_SYMBOL_GPL(arm_syspmu_common_group);

/*
 * Coming and going
 */

static void arm_syspmu_quiesce(void *data)
{
	struct arm_syspmu *pmu = data;

	pmu->ops->quiesce(pmu);
}

static void arm_syspmu_remove_cpuhp(void *data)
{
	struct arm_syspmu *pmu = data;

	cpuhp_state_remove_instance_nocalls(arm_syspmu_cpuhp_state,
					    &pmu->cpuhp_node);
}

/*
 * perf must not lose a PMU that has events. Unloading cannot come to that,
 * since an event pins the module of the backend, but unbinding can.
 */
static void arm_syspmu_unregister(void *data)
{
	struct arm_syspmu *pmu = data;
	unsigned int events = refcount_read(&pmu->users) - 1;

	arm_syspmu_put_user(pmu);
	if (events) {
		dev_warn(pmu->dev,
			 "%s: waiting for %u open events, close them to let the device go\n",
			 pmu->pmu.name, events);
		wait_for_completion(&pmu->unused);
		/*
		 * perf still looks at the PMU after it has destroyed an event,
		 * but does not sleep there.
		 */
		synchronize_rcu_tasks();
	}
	perf_pmu_unregister(&pmu->pmu);
}

/**
 * arm_syspmu_register - hand a PMU to perf
 * @pmu: the PMU, its first group of members filled in and its hardware quiet
 * @pdev: the platform device, for the interrupt
 * @name: name of the PMU; must live as long as the device
 *
 * Everything is undone when the driver lets go of the device.
 *
 * Context: process, at probe.
 * Return: 0 or a negative errno, with a message.
 */
int arm_syspmu_register(struct arm_syspmu *pmu, struct platform_device *pdev,
			const char *name)
{
	struct device *dev = pmu->dev;
	int err;

	pmu->pmu = (struct pmu) {
		.module		= pmu->ops->owner,
		.parent		= dev,
		.name		= name,
		.task_ctx_nr	= perf_invalid_context,
		.capabilities	= PERF_PMU_CAP_NO_EXCLUDE,
		.attr_groups	= pmu->attr_groups,
		.pmu_enable	= arm_syspmu_pmu_enable,
		.pmu_disable	= arm_syspmu_pmu_disable,
		.event_init	= arm_syspmu_event_init,
		.add		= arm_syspmu_event_add,
		.del		= arm_syspmu_event_del,
		.start		= arm_syspmu_event_start,
		.stop		= arm_syspmu_event_stop,
		.read		= arm_syspmu_event_read,
	};
	pmu->cpu = nr_cpu_ids;
	refcount_set(&pmu->users, 1);
	init_completion(&pmu->unused);
	ratelimit_state_init(&pmu->refusals, DEFAULT_RATELIMIT_INTERVAL,
			     DEFAULT_RATELIMIT_BURST);

	err = arm_syspmu_irq_request(pmu, pdev);
	if (err)
		return err;

	/* Chooses the first CPU and delivers the interrupt to it. */
	err = cpuhp_state_add_instance(arm_syspmu_cpuhp_state,
				       &pmu->cpuhp_node);
	if (err)
		return dev_err_probe(dev, err,
				     "cannot follow CPU hotplug\n");
	err = devm_add_action_or_reset(dev, arm_syspmu_remove_cpuhp, pmu);
	if (err)
		return err;

	pmu->ops->arm(pmu);
	err = devm_add_action_or_reset(dev, arm_syspmu_quiesce, pmu);
	if (err)
		return err;

	err = perf_pmu_register(&pmu->pmu, name, -1);
	if (err)
		return dev_err_probe(dev, err, "cannot register PMU %s\n",
				     name);

	return devm_add_action_or_reset(dev, arm_syspmu_unregister, pmu);
}
EXPORT_SYMBOL_GPL(arm_syspmu_register);

static int __init arm_syspmu_init(void)
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
module_init(arm_syspmu_init);

static void __exit arm_syspmu_exit(void)
{
	cpuhp_remove_multi_state(arm_syspmu_cpuhp_state);
}
module_exit(arm_syspmu_exit);

MODULE_DESCRIPTION("Core of the perf drivers for memory-mapped Arm system PMUs");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
