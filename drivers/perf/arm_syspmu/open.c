// SPDX-License-Identifier: GPL-2.0
/*
 * Validation of events of the memory-mapped PMUs of Arm systems, as part of
 * perf_event_open(). Every refusal is explained in the kernel log.
 */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "private.h"

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

	if (!arm_syspmu_may_count() || !__ratelimit(&pmu->refusals))
		return err;

	va_start(args, fmt);
	vaf.va = &args;
	dev_warn(pmu->dev, "%s: event refused: %pV\n", pmu->pmu.name, &vaf);
	va_end(args);

	return err;
}
EXPORT_SYMBOL_GPL(arm_syspmu_refuse);

/* Returns why two valid events cannot count at the same time, or NULL. */
static const char *arm_syspmu_conflict(struct arm_syspmu *pmu,
				       const struct perf_event *a,
				       const struct perf_event *b)
{
	if (!pmu->shares_filter || !pmu->ops->uses_filter(a) ||
	    !pmu->ops->uses_filter(b))
		return NULL;

	return pmu->ops->conflict(pmu, a, b);
}

/*
 * Checks @event against another member of its group. Returns 1 if @member uses
 * a counter of this PMU, 0 if not, or a negative errno.
 */
static int arm_syspmu_check_member(struct arm_syspmu *pmu,
				   struct perf_event *event,
				   struct perf_event *member)
{
	const char *conflict;

	if (is_software_event(member))
		return 0;
	if (member->pmu != &pmu->pmu)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "its group has an event of %s: all hardware events of a group must be of one PMU",
					 member->pmu->name);
	conflict = arm_syspmu_conflict(pmu, event, member);
	if (conflict)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "config1 0x%llx, config2 0x%llx in a group with config1 0x%llx, config2 0x%llx: %s",
					 event->attr.config1,
					 event->attr.config2,
					 member->attr.config1,
					 member->attr.config2, conflict);
	return 1;
}

/* Returns the number of counters that the group needs, or a negative errno. */
static int arm_syspmu_check_group(struct arm_syspmu *pmu,
				  struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int counters = 1;
	bool shares_filter;
	int ret;

	if (leader == event)
		return counters;

	shares_filter = pmu->shares_filter;
	ret = arm_syspmu_check_member(pmu, event, leader);
	if (ret < 0)
		return ret;
	counters += ret;

	for_each_sibling_event(sibling, leader) {
		/*
		 * Runs for all siblings of each new event: keep the usual case
		 * short.
		 */
		if (likely(sibling->pmu == &pmu->pmu && !shares_filter)) {
			counters++;
			continue;
		}
		ret = arm_syspmu_check_member(pmu, event, sibling);
		if (ret < 0)
			return ret;
		counters += ret;
	}

	return counters;
}

/* There may be too few counters for an event and its group. */
static noinline int arm_syspmu_check_choices(struct arm_syspmu *pmu,
					     struct perf_event *event,
					     unsigned int counters)
{
	int err;

	if (!pmu->num_usable)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "there %s no overflow interrupt, and the counters are too narrow to be polled",
					 pmu->wired_uncertain ? "may be" : "is");
	if (counters > pmu->num_usable)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "its group needs %u counters, this PMU has %u",
					 counters, pmu->num_usable);
	if (!pmu->ops->choose_counter)
		return 0;

	err = arm_syspmu_fit_group(pmu, event);
	if (err != -EINVAL)
		return err;
	if (event->group_leader == event)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "config 0x%llx: no counter of this PMU can count it",
					 event->attr.config);
	return arm_syspmu_refuse(pmu, -EINVAL,
				 "config 0x%llx: the other events of its group leave no counter that can count it",
				 event->attr.config);
}

/*
 * The others of the group had been checked when they were opened. If more
 * counters can count the event than these need, one is left for it.
 */
static int arm_syspmu_check_counters_for(struct arm_syspmu *pmu,
					 struct perf_event *event)
{
	int counters = arm_syspmu_check_group(pmu, event);
	int choices = pmu->num_usable;

	if (counters < 0)
		return counters;

	if (pmu->ops->choose_counter) {
		choices = event->hw.extra_reg.reg - pmu->num_unusable;
		if (!(event->hw.flags & ARM_SYSPMU_USES_COMMON))
			arm_syspmu_mark_mixed(event);
	}
	if (likely(counters <= choices))
		return 0;

	return arm_syspmu_check_choices(pmu, event, counters);
}

static noinline void arm_syspmu_cancel_opening(struct arm_syspmu *pmu,
					       struct perf_event *event)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pmu->opening_lock, flags);
	hlist_del_init(&event->hlist_entry);
	raw_spin_unlock_irqrestore(&pmu->opening_lock, flags);
	arm_syspmu_put(pmu);
}

static void arm_syspmu_event_destroy(struct perf_event *event)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);

	if (!hlist_unhashed_lockless(&event->hlist_entry))
		arm_syspmu_cancel_opening(pmu, event);
	else
		arm_syspmu_put(pmu);
}

static int arm_syspmu_alloc_all(struct arm_syspmu *pmu)
{
	int err = pmu->ops->prepare ? pmu->ops->prepare(pmu) : 0;

	if (err)
		return err;
	if (!pmu->timers)
		pmu->timers = kzalloc(sizeof(*pmu->timers), GFP_KERNEL);
	if (!pmu->timers)
		return -ENOMEM;

	pmu->timers->pmu = pmu;
	arm_syspmu_poll_setup(pmu);
	arm_syspmu_sample_setup(pmu);

	return arm_syspmu_count_setup(pmu);
}

/*
 * Called for the first event, since most PMUs of a machine never have one. perf
 * may not have registered the PMU yet.
 */
static noinline int arm_syspmu_alloc_counters(struct arm_syspmu *pmu)
{
	int err = 0;

	/* Pairs with smp_store_release() in arm_syspmu_set_registered(). */
	if (!smp_load_acquire(&pmu->registered))
		err = arm_syspmu_await_registration(pmu);
	if (err)
		return err;

	mutex_lock(&pmu->lock);
	if (!pmu->counters)
		err = arm_syspmu_alloc_all(pmu);
	mutex_unlock(&pmu->lock);

	return err;
}

/*
 * Events are opened on the CPU of the PMU, whatever CPU was requested: all
 * events in one context keeps groups together and accesses serialised. The
 * event is installed there at the end of perf_event_open(); the PMU may move
 * before that.
 */
static int arm_syspmu_begin_opening(struct arm_syspmu *pmu,
				    struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *other;
	struct hlist_node *next;
	unsigned long flags;
	int err;

	err = arm_syspmu_get(pmu);
	if (err)
		return arm_syspmu_refuse(pmu, err,
					 "its driver has been unbound: bind it again");

	event->destroy = arm_syspmu_event_destroy;
	event->hw.idx = -1;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;

	raw_spin_lock_irqsave(&pmu->opening_lock, flags);
	/* Already installed, see arm_syspmu_wait_for_opening(). */
	hlist_for_each_entry_safe(other, next, &pmu->opening, hlist_entry)
		if (other->ctx)
			hlist_del_init(&other->hlist_entry);
	/* All events of a group have one CPU, also until perf migrates it. */
	event->cpu = leader != event && leader->pmu == event->pmu ?
		     READ_ONCE(leader->cpu) : pmu->cpu;
	hlist_add_head(&event->hlist_entry, &pmu->opening);
	raw_spin_unlock_irqrestore(&pmu->opening_lock, flags);

	return 0;
}

static int arm_syspmu_check_sampling(struct arm_syspmu *pmu,
				     struct perf_event *event)
{
	if (arm_syspmu_is_gauge(event))
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: event 0x%llx shows a state and has no overflow, use perf stat",
					 event->attr.sample_period,
					 event->attr.config);
	if (pmu->delivery != ARM_SYSPMU_MSI && pmu->delivery != ARM_SYSPMU_WIRED)
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: this PMU has no overflow interrupt, use perf stat",
					 event->attr.sample_period);
	if (pmu->quirks & ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS)
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: the counters of this PMU cannot be set, use perf stat",
					 event->attr.sample_period);
	if (!arm_syspmu_has_perf_overflow())
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "sample_period %llu: this kernel has no kprobes, use perf stat",
					 event->attr.sample_period);
	if (has_branch_stack(event))
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "it requests branch stacks, but this PMU does not belong to a CPU: use perf record without -b");
	return 0;
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
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	    attr->exclude_idle || attr->exclude_host)
		return arm_syspmu_refuse(pmu, -EINVAL,
					 "it has an exclude modifier, but this PMU cannot tell user, kernel, host and guest apart: remove the modifier");

	return attr->exclude_guest ? -EINVAL : 0;
}

/* Whether an event sets bits for which the PMU has no field in its format */
static bool arm_syspmu_has_unknown_fields(const struct arm_syspmu *pmu,
					  const struct perf_event_attr *attr)
{
	/* No backend uses config3 and config4, which older kernels lack. */
	return (attr->config & ~pmu->config_fields[0]) |
	       (attr->config1 & ~pmu->config_fields[1]) |
	       (attr->config2 & ~pmu->config_fields[2]) |
	       arm_syspmu_config3(attr) | arm_syspmu_config4(attr);
}

static noinline int
arm_syspmu_refuse_fields(struct arm_syspmu *pmu,
			 const struct perf_event_attr *attr)
{
	static const char * const names[] = {
		"config", "config1", "config2", "config3", "config4"
	};
	const u64 config[] = {
		attr->config, attr->config1, attr->config2,
		arm_syspmu_config3(attr), arm_syspmu_config4(attr)
	};
	unsigned int n;
	u64 fields;

	for (n = 0; n < ARRAY_SIZE(config); n++) {
		fields = n < ARRAY_SIZE(pmu->config_fields) ?
			 pmu->config_fields[n] : 0;
		if (config[n] & ~fields)
			break;
	}

	return arm_syspmu_refuse(pmu, -EINVAL,
				 "%s 0x%llx: only the fields in 0x%llx exist, see the format directory",
				 names[n], config[n], fields);
}

/**
 * arm_syspmu_event_init - validate an event
 * @event: the event to be opened
 *
 * Context: process.
 * Return: 0; -ENOENT if the event is not for this PMU; or another negative
 *	errno, with a message unless the perf tool is about to retry
 */
int arm_syspmu_event_init(struct perf_event *event)
{
	struct arm_syspmu *pmu = to_arm_syspmu(event->pmu);
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (arm_syspmu_is_gone(pmu))
		return arm_syspmu_refuse(pmu, -ENODEV,
					 "the hardware does not answer: bind the driver again when it is back");
	if (unlikely(arm_syspmu_has_gauges(pmu)) &&
	    pmu->ops->is_gauge(pmu, event))
		event->hw.flags |= ARM_SYSPMU_GAUGE | ARM_SYSPMU_SPECIAL;
	if (is_sampling_event(event)) {
		event->hw.flags |= ARM_SYSPMU_SPECIAL;
		err = arm_syspmu_check_sampling(pmu, event);
		if (err)
			return err;
	}
	if (event->cpu < 0 || event->attach_state & PERF_ATTACH_TASK)
		return arm_syspmu_refuse(pmu, -EOPNOTSUPP,
					 "it is bound to a task, but this PMU counts for the whole system: use perf stat -a");
	err = arm_syspmu_check_exclude(pmu, &event->attr);
	if (err)
		return err;

	if (unlikely(arm_syspmu_has_unknown_fields(pmu, &event->attr)))
		return arm_syspmu_refuse_fields(pmu, &event->attr);

	/*
	 * Pairs with smp_store_release() in arm_syspmu_count_setup(), which
	 * comes after the registration.
	 */
	if (unlikely(!smp_load_acquire(&pmu->counters))) {
		err = arm_syspmu_alloc_counters(pmu);
		if (err)
			return err;
	}

	err = pmu->ops->event_init(pmu, event) ?:
	      arm_syspmu_check_counters_for(pmu, event);
	if (err)
		return err;

	return arm_syspmu_begin_opening(pmu, event);
}
