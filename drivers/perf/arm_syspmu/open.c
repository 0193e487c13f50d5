// SPDX-License-Identifier: GPL-2.0
/*
 * Validation of events of the memory-mapped PMUs of Arm systems, as part of
 * perf_event_open(). Refusals are explained in the kernel log, unless perf would
 * ask for the event without being told to.
 */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "core.h"

/*
 * Refusals
 */

/*
 * perf calls event_init() before it checks whether the user may count for the
 * whole system. A module cannot know what kernel.perf_event_paranoid allows.
 */
static bool arm_syspmu_may_count(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

/**
 * arm_syspmu_refuse - refuse an event and log the reason
 * @pmu: the PMU
 * @err: negative errno for perf_event_open()
 * @fmt: printf format of the reason: the field, its value, and what would be
 *	valid; without a newline
 *
 * Context: process. Messages are rate-limited per PMU, and suppressed for users
 *	without CAP_PERFMON and CAP_SYS_ADMIN.
 * Return: @err
 */
int arm_syspmu_refuse(struct arm_syspmu *pmu, int err, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	if (!arm_syspmu_may_count() || !__ratelimit(&pmu->core->refusals))
		return err;

	va_start(args, fmt);
	vaf.va = &args;
	dev_warn(pmu->dev, "%s: event refused: %pV\n", pmu->pmu.name, &vaf);
	va_end(args);

	return err;
}
EXPORT_SYMBOL_GPL(arm_syspmu_refuse);

/*
 * Fields
 */

static int arm_syspmu_check_sampling(struct arm_syspmu_core *core,
				     struct perf_event *event)
{
	u64 period = event->attr.sample_period;
	struct arm_syspmu *pmu = core->pmu;

	if (core->delivery != ARM_SYSPMU_MSI &&
	    core->delivery != ARM_SYSPMU_WIRED)
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: this PMU has no overflow interrupt, use perf stat",
					 period);
	if (pmu->read_only_counters)
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: the counters of this PMU cannot be set, use perf stat",
					 period);
	if (!arm_syspmu_has_perf_functions())
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: this kernel has no kprobes, use perf stat",
					 period);
	if (has_branch_stack(event))
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "it requests branch stacks, but this PMU does not belong to a CPU: use perf record without -b");
	return 0;
}

static bool arm_syspmu_has_modifier(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host;
}

/*
 * The perf tool first sets exclude_guest and retries without it, so refuse that
 * silently. The other modifiers have been requested by the user.
 *
 * If the tool gets EOPNOTSUPP without exclude_guest, it sets exclude_guest and
 * retries, and up to Linux 6.12 does so forever if that results in EINVAL. So
 * what results in EOPNOTSUPP must do so with exclude_guest, too: check it before
 * this.
 */
static int arm_syspmu_check_exclude(struct arm_syspmu *pmu,
				    const struct perf_event_attr *attr)
{
	if (arm_syspmu_has_modifier(attr))
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "it has an exclude modifier, but this PMU cannot tell user, kernel, host and guest apart: remove the modifier");

	return attr->exclude_guest ? -EINVAL : 0;
}

static bool arm_syspmu_is_bound_to_task(const struct perf_event *event)
{
	return event->cpu < 0 || event->attach_state & PERF_ATTACH_TASK;
}

/*
 * In perf 7 and newer, "cycles" means the event of this name of each PMU. Who
 * profiles CPUs must not be flooded with messages, nor with samples of clocks,
 * which show nothing unless they have counts.
 */
static int arm_syspmu_check_clock(struct arm_syspmu *pmu,
				  struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->config != pmu->clock)
		return 0;
	if (arm_syspmu_is_bound_to_task(event) ||
	    (is_sampling_event(event) &&
	     !(attr->sample_type & PERF_SAMPLE_READ)))
		return -EOPNOTSUPP;

	return arm_syspmu_has_modifier(attr) ? -EINVAL : 0;
}

/*
 * No backend uses config3 and config4, which older kernels lack: each of them
 * came with a new size of the structure.
 */
static int arm_syspmu_check_fields(struct arm_syspmu *pmu,
				   const struct perf_event_attr *attr)
{
	static const char * const names[] = {
		"config", "config1", "config2", "config3", "config4"
	};
	const u64 config[] = {
		attr->config, attr->config1, attr->config2,
#ifdef PERF_ATTR_SIZE_VER8
		attr->config3,
#endif
#ifdef PERF_ATTR_SIZE_VER9
		attr->config4,
#endif
	};
	unsigned int n;
	u64 fields;

	for (n = 0; n < ARRAY_SIZE(config); n++) {
		fields = n < ARRAY_SIZE(pmu->config_fields) ?
			 pmu->config_fields[n] : 0;
		if (config[n] & ~fields)
			return arm_syspmu_refuse(pmu, -EINVAL,
						 "%s 0x%llx: set only bits of 0x%llx",
						 names[n], config[n], fields);
	}

	return 0;
}

/*
 * Groups
 */

/*
 * Checks @event against another member of its group, and adds the counter that
 * this one would use to @taken.
 */
static int arm_syspmu_check_member(struct arm_syspmu *pmu,
				   const struct perf_event *event,
				   struct perf_event *member,
				   unsigned long *taken)
{
	const struct arm_syspmu_event *own = event->pmu_private, *other;
	unsigned int idx;

	if (is_software_event(member))
		return 0;
	if (member->pmu != &pmu->pmu)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "its group has an event of %s: all hardware events of a group must be of one PMU",
					 member->pmu->name);
	other = member->pmu_private;
	if (own->uses_shared_filter && other->uses_shared_filter &&
	    own->shared_filter != other->shared_filter)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "config1 0x%llx, config2 0x%llx in a group with config1 0x%llx, config2 0x%llx: their filters differ, and this PMU has one filter for all counters",
					 event->attr.config1,
					 event->attr.config2,
					 member->attr.config1,
					 member->attr.config2);
	idx = arm_syspmu_choose_counter(pmu, member, taken);
	if (idx < pmu->num_counters)
		__set_bit(idx, taken);
	return 0;
}

/* Checks that the group can count if nothing else does, as it would be added. */
static int arm_syspmu_check_group(struct arm_syspmu *pmu,
				  struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	DECLARE_BITMAP(taken, ARM_SYSPMU_MAX_COUNTERS) = {};
	unsigned int n = pmu->num_counters;
	int err = 0;

	if (leader != event) {
		err = arm_syspmu_check_member(pmu, event, leader, taken);
		for_each_sibling_event(sibling, leader)
			err = err ?: arm_syspmu_check_member(pmu, event,
							     sibling, taken);
	}
	if (err || arm_syspmu_choose_counter(pmu, event, taken) < n)
		return err;
	if (bitmap_empty(taken, n))
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "config 0x%llx: no counter of this PMU can count it",
					 event->attr.config);
	if (bitmap_weight(taken, n) == arm_syspmu_num_usable(pmu))
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "its group needs more counters than the %u of this PMU",
					 arm_syspmu_num_usable(pmu));
	return arm_syspmu_refuse(pmu, -EINVAL,
				 "config 0x%llx: the other events of its group leave no counter that can count it",
				 event->attr.config);
}

/*
 * Opening
 */

static int arm_syspmu_alloc_counters(struct arm_syspmu_core *core)
{
	int err = 0;

	mutex_lock(&core->lock);
	if (!core->counters)
		err = arm_syspmu_count_setup(core);
	mutex_unlock(&core->lock);

	return err;
}

/* Drops a reference. The last one frees the PMU. */
void arm_syspmu_put(struct arm_syspmu_core *core)
{
	if (refcount_dec_and_test(&core->references))
		queue_work(arm_syspmu_workqueue, &core->free_work);
}

/* Returns -ENODEV if the driver is being unbound. */
static int arm_syspmu_get(struct arm_syspmu_core *core)
{
	if (!refcount_inc_not_zero(&core->references))
		return -ENODEV;
	if (!READ_ONCE(core->unregistering))
		return 0;

	arm_syspmu_put(core);

	return -ENODEV;
}

static void arm_syspmu_event_destroy(struct perf_event *event)
{
	struct arm_syspmu_core *core = to_arm_syspmu(event->pmu)->core;
	struct arm_syspmu_core_event *own = event->pmu_private;
	unsigned long flags;

	raw_spin_lock_irqsave(&core->opening_lock, flags);
	list_del_init(&own->node);
	raw_spin_unlock_irqrestore(&core->opening_lock, flags);
	kfree(own);
	arm_syspmu_put(core);
}

/*
 * Events are opened on the CPU of the PMU, whatever CPU was requested: all
 * events in one context keeps groups together and accesses serialised. The
 * event is installed there at the end of perf_event_open(); the PMU may move
 * before that.
 */
static int arm_syspmu_begin_opening(struct arm_syspmu_core *core,
				    struct perf_event *event)
{
	struct arm_syspmu_core_event *own = event->pmu_private;
	struct perf_event *leader = event->group_leader;
	unsigned long flags;
	int err;

	err = arm_syspmu_get(core);
	if (err)
		return arm_syspmu_refuse(core->pmu, err,
					 "its driver has been unbound: bind it again");

	event->destroy = arm_syspmu_event_destroy;

	raw_spin_lock_irqsave(&core->opening_lock, flags);
	/* All events of a group have one CPU, also until perf migrates it. */
	event->cpu = leader != event && leader->pmu == event->pmu ?
		     READ_ONCE(leader->cpu) : core->cpu;
	list_add(&own->node, &core->opening);
	raw_spin_unlock_irqrestore(&core->opening_lock, flags);

	return 0;
}

/* Decodes an event whose fields exist, and checks whether it can be counted. */
static int arm_syspmu_accept(struct arm_syspmu_core *core,
			     struct perf_event *event)
{
	struct arm_syspmu_core_event *own = kzalloc(sizeof(*own), GFP_KERNEL);
	struct arm_syspmu *pmu = core->pmu;
	int err;

	if (!own)
		return -ENOMEM;

	own->event = event;
	INIT_LIST_HEAD(&own->node);
	/* Its samples include counts, which should be those of the overflow. */
	own->public.captures = pmu->can_capture && !pmu->others_capture &&
			       is_sampling_event(event) &&
			       event->attr.sample_type & PERF_SAMPLE_READ;
	event->pmu_private = own;
	event->hw.idx = -1;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;

	err = pmu->ops->event_init(pmu, event) ?:
	      arm_syspmu_check_group(pmu, event) ?:
	      arm_syspmu_begin_opening(core, event);
	if (err) {
		event->pmu_private = NULL;
		kfree(own);
	}

	return err;
}

/*
 * pmu::event_init(). Returns 0, -ENOENT if the event is not for this PMU, or
 * another negative errno, with a message unless the perf tool is about to retry.
 */
int arm_syspmu_event_init(struct perf_event *event)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	struct arm_syspmu_core *core = pmu->core;
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/*
	 * perf makes a PMU visible before perf_pmu_register() has returned, and
	 * before 6.15 also before it has initialised it. Pairs with
	 * smp_store_release() in arm_syspmu_set_registered().
	 */
	if (!smp_load_acquire(&core->registered))
		return arm_syspmu_refuse(pmu, -ENODEV,
					 "its driver is not yet bound: try again");
	if (READ_ONCE(core->gone))
		return arm_syspmu_refuse(pmu, -ENODEV,
					 "the hardware does not answer: bind the driver again when it is back");
	err = arm_syspmu_check_clock(pmu, event);
	if (!err && is_sampling_event(event))
		err = arm_syspmu_check_sampling(core, event);
	if (err)
		return err;
	if (arm_syspmu_is_bound_to_task(event))
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "it is bound to a task, but this PMU counts for the whole system: use perf stat -a");
	err = arm_syspmu_check_exclude(pmu, &event->attr) ?:
	      arm_syspmu_check_fields(pmu, &event->attr);
	if (err)
		return err;

	/* Pairs with smp_store_release() in arm_syspmu_count_setup(). */
	if (!smp_load_acquire(&core->counters))
		err = arm_syspmu_alloc_counters(core);

	return err ?: arm_syspmu_accept(core, event);
}

/*
 * Lets tasks open events. Takes no lock, since a task that opens one may hold
 * one that a migration of events needs. Until then there are no events to be
 * migrated, and those that are opened afterwards get the CPU that the PMU is on
 * by then.
 */
void arm_syspmu_set_registered(struct arm_syspmu_core *core)
{
	/* Pairs with smp_load_acquire() in arm_syspmu_event_init(). */
	smp_store_release(&core->registered, true);
}
