// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a PMU of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091): validation, choice of a monitor, sysfs format.
 *
 * What the values of PMEVTYPER and PMEVFILTR mean is IMPLEMENTATION DEFINED
 * (rule YSQVN). If the product is not known, events are numbers:
 *
 *   event	number of the event; 0x100000000 is the cycle counter
 *   filter	value of PMEVFILTR, or of PMCCFILTR for the cycle counter
 *   filter2	value of PMEVFILT2R, which newer PMUs have
 *
 * The others have names, and a filter of 0 selects everything.
 */

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "coresight_pmu.h"

#define CSPMU_CONFIG_TYPE		GENMASK_ULL(31, 0)

/*
 * Validation
 */

static bool cspmu_is_cycles(const struct coresight_pmu *cspmu,
			    const struct perf_event *event)
{
	if (unlikely(cspmu->product->slots))
		return cspmu_is_target_cycles(event);

	return event->attr.config & CSPMU_EVENT_CYCLES && !cspmu->ext64;
}

/**
 * cspmu_is_gauge - whether an event shows a state
 * @syspmu: the PMU
 * @event: the event, which need not be valid
 *
 * Context: process.
 * Return: true if the table of products says so
 */
bool cspmu_is_gauge(struct arm_syspmu *syspmu, const struct perf_event *event)
{
	const struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	return cspmu_is_gauge_number(cspmu->product, event->attr.config);
}

/**
 * cspmu_decode_filter - value of PMEVFILTR for an event
 * @product: the product
 * @config1: of the event
 *
 * A field of 0 stands for all its bits: all root ports, say. One requester can
 * be selected instead.
 *
 * Context: any.
 * Return: the value
 */
u64 cspmu_decode_filter(const struct cspmu_product *product, u64 config1)
{
	u64 filter = config1;
	unsigned int i;

	if (filter & product->requester_enable)
		return filter;

	filter &= ~(u64)product->requester;
	for (i = 0; i < ARRAY_SIZE(product->all1); i++)
		if (!(filter & product->all1[i]))
			filter |= product->all1[i];

	return filter;
}

/**
 * cspmu_decode_filter2 - value of PMEVFILT2R for an event
 * @cspmu: the PMU
 * @config2: of the event; 0 stands for everything
 *
 * Context: any.
 * Return: the value
 */
u64 cspmu_decode_filter2(const struct coresight_pmu *cspmu, u64 config2)
{
	return config2 || !cspmu->has_filter2 ? config2 : cspmu->product->all2;
}

static int cspmu_check_requester(struct coresight_pmu *cspmu, u64 config1)
{
	const struct cspmu_product *product = cspmu->product;

	if (!(config1 & product->requester_enable) ||
	    !(config1 & product->all1[0]))
		return 0;

	return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
				 "config1 0x%llx: a requester and root ports exclude each other, set only one of them",
				 config1);
}

/* Without a filter, an event counts what the leader of its group selects. */
static u64 cspmu_config1(const struct coresight_pmu *cspmu,
			 const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	if (!event->attr.config1 && leader->pmu == event->pmu &&
	    leader->attr.config1 & cspmu->product->requester_enable)
		return leader->attr.config1;

	return event->attr.config1;
}

/* Without a filter, an event can use a monitor whose filter is fixed. */
static bool cspmu_accepts_filter(const struct cspmu_control *filter, u64 value)
{
	return !value || cspmu_accepts(filter, value);
}

/* Defaults select everything; which bits that are is the monitor's affair. */
static __always_inline bool cspmu_can_count(const struct coresight_pmu *cspmu,
					    const struct cspmu_class *class,
					    const struct perf_event *event)
{
	u64 filter = event->hw.extra_reg.config;

	if (class->cycles != cspmu_is_cycles(cspmu, event) ||
	    (class->state && !arm_syspmu_is_gauge(event)))
		return false;
	if (unlikely(cspmu->product->slots))
		return class->cycles || cspmu_can_count_target(class, event);
	if (class->cycles)
		return cspmu_accepts_filter(&class->type, filter);

	return cspmu_accepts(&class->type, event->hw.config_base) &&
	       cspmu_accepts_filter(&class->filter, filter) &&
	       cspmu_accepts_filter(&class->filter2, event->attr.config2);
}

/*
 * A gauge may be on a monitor that other events can use if there is no monitor
 * for gauges only that shows it: only then it is likely that the other ones do.
 */
static __always_inline bool
cspmu_is_choice(const struct coresight_pmu *cspmu,
		const struct cspmu_class *class, const struct perf_event *event)
{
	return class->state ==
	       cspmu->classes[event->hw.extra_reg.idx].state &&
	       cspmu_can_count(cspmu, class, event);
}

/* Without those that only gauges can use, of which some may be too narrow. */
static noinline unsigned int
cspmu_count_without_gauges(const struct coresight_pmu *cspmu,
			   const struct cspmu_class *class)
{
	DECLARE_BITMAP(monitors, CSPMU_MAX_MONITORS);

	bitmap_andnot(monitors, class->monitors, cspmu->gauges,
		      CSPMU_MAX_MONITORS);

	return bitmap_weight(monitors, CSPMU_MAX_MONITORS);
}

/*
 * Finds out how many monitors can count an event that selects @filter of them,
 * and which class of them is the first choice.
 */
static void cspmu_find_classes(const struct coresight_pmu *cspmu,
			       struct perf_event *event, u64 filter)
{
	unsigned int i, first = cspmu->num_classes, choices = 0;
	const struct cspmu_class *class;

	event->hw.extra_reg.config = filter;
	for (i = cspmu->num_classes; i--;) {
		class = &cspmu->classes[i];
		if (!cspmu_can_count(cspmu, class, event))
			continue;
		/* Those for gauges are the first ones. */
		if (choices && class->state != cspmu->classes[first].state)
			choices = 0;
		choices += likely(!cspmu->layout.gauges) ||
			   arm_syspmu_is_gauge(event) ?
			   class->num_monitors :
			   cspmu_count_without_gauges(cspmu, class);
		first = i;
	}
	event->hw.extra_reg.idx = first;
	class = &cspmu->classes[first];
	arm_syspmu_set_choices(event, choices,
			       choices && choices == class->num_monitors &&
			       cspmu->layout.common == class->monitors);
}

static int cspmu_init_cycles(struct coresight_pmu *cspmu,
			     struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	bool filters = !cspmu_has_common_filter(cspmu);

	event->hw.config_base = 0;
	event->hw.event_base = 0;
	event->hw.config = 0;
	if (!cspmu_has_cycle_counter(cspmu))
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "event 0x%llx: this PMU has no cycle counter",
					 attr->config);
	if (cspmu->product->slots) {
		cspmu_find_classes(cspmu, event, 0);
		return 0;
	}
	if (attr->config & CSPMU_CONFIG_TYPE)
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "event 0x%llx: the cycle counter is event 0x%llx",
					 attr->config, CSPMU_EVENT_CYCLES);
	if (attr->config2)
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "config2 0x%llx: the cycle counter has one filter",
					 attr->config2);

	if (filters)
		event->hw.config_base = cspmu_decode_filter(cspmu->product,
							    attr->config1);
	cspmu_find_classes(cspmu, event,
			   filters ? cspmu_config1(cspmu, event) : 0);

	return 0;
}

/**
 * cspmu_event_init - decode an event into register values
 * @syspmu: the PMU
 * @event: the event
 *
 * If no monitor can count the event, the core refuses it.
 *
 * Context: process.
 * Return: 0, or -EINVAL with a message.
 */
int cspmu_event_init(struct arm_syspmu *syspmu, struct perf_event *event)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	const struct perf_event_attr *attr = &event->attr;
	u64 config1;
	int err;

	if (cspmu_is_cycles(cspmu, event))
		return cspmu_init_cycles(cspmu, event);
	if (cspmu->product->slots) {
		err = cspmu_init_target_event(cspmu, event);
		if (!err)
			cspmu_find_classes(cspmu, event, 0);
		return err;
	}

	event->hw.config_base = attr->config;
	event->hw.config = cspmu_decode_filter2(cspmu, attr->config2);
	if (cspmu_has_common_filter(cspmu)) {
		event->hw.event_base = attr->config1;
		cspmu_find_classes(cspmu, event, 0);
		return 0;
	}

	config1 = cspmu_config1(cspmu, event);
	err = cspmu_check_requester(cspmu, config1);
	if (err)
		return err;

	event->hw.event_base = cspmu_decode_filter(cspmu->product, config1);
	cspmu_find_classes(cspmu, event, config1);

	return 0;
}

/**
 * cspmu_freezes - whether the monitor of an event stops if another overflows
 * @event: a valid event
 *
 * No register tells whether the cycle counter does (rule DPGBH). An overflow of
 * a gauge would freeze the others as well (rule MLXVL), and is not handled.
 *
 * Context: any.
 * Return: true unless it counts cycles, or is a gauge that may overflow
 */
bool cspmu_freezes(const struct perf_event *event)
{
	const struct coresight_pmu *cspmu =
		to_coresight_pmu(to_arm_syspmu(event->pmu));

	if (arm_syspmu_is_gauge(event) &&
	    cspmu->classes[event->hw.extra_reg.idx].overflows)
		return false;

	return !cspmu_is_cycles(cspmu, event);
}

/**
 * cspmu_uses_filter - whether the filter that all monitors share applies
 * @event: a valid event of a product that has such a filter
 *
 * Context: any.
 * Return: true unless it counts cycles
 */
bool cspmu_uses_filter(const struct perf_event *event)
{
	return !(event->attr.config & CSPMU_EVENT_CYCLES);
}

/**
 * cspmu_conflict - check whether two events need different shared filters
 * @syspmu: the PMU, whose monitors share some bits of their filters
 * @a: a valid event that they apply to
 * @b: another one
 *
 * Context: any.
 * Return: the reason to report if they do, otherwise NULL
 */
const char *cspmu_conflict(struct arm_syspmu *syspmu,
			   const struct perf_event *a,
			   const struct perf_event *b)
{
	const struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	if (!((a->hw.event_base ^ b->hw.event_base) & cspmu->product->shared))
		return NULL;

	return "they differ in a filter that this PMU has once for all monitors";
}

/*
 * Choice of a monitor
 */

static __always_inline unsigned int
cspmu_choose_monitor(struct arm_syspmu *syspmu, const struct perf_event *event,
		     const unsigned long *taken)
{
	const struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	unsigned int i = event->hw.extra_reg.idx, idx;
	const struct cspmu_class *class;

	for (; i < cspmu->num_classes; i++) {
		class = &cspmu->classes[i];
		/* The first class can count it. */
		if (i != event->hw.extra_reg.idx &&
		    !cspmu_is_choice(cspmu, class, event))
			continue;
		idx = arm_syspmu_find_unused(syspmu, class->monitors, taken);
		if (likely(idx < syspmu->num_counters))
			return idx;
	}

	return syspmu->num_counters;
}

/* Chooses a monitor that not only gauges can use. */
static noinline unsigned int
cspmu_choose_without_gauges(struct arm_syspmu *syspmu,
			    const struct perf_event *event,
			    const unsigned long *taken)
{
	DECLARE_BITMAP(not_allowed, CSPMU_MAX_MONITORS);

	bitmap_or(not_allowed, taken, syspmu->layout->gauges,
		  syspmu->num_counters);

	return cspmu_choose_monitor(syspmu, event, not_allowed);
}

/**
 * cspmu_choose_counter - choose a monitor for an event
 * @syspmu: the PMU
 * @event: the event, decoded
 * @taken: the monitors not to choose
 *
 * Monitors that fewer events can use come first: whatever else comes, the
 * others are as useful.
 *
 * Context: any.
 * Return: the monitor; at least &arm_syspmu.num_counters if none of them can
 *	count the event
 */
unsigned int cspmu_choose_counter(struct arm_syspmu *syspmu,
				  const struct perf_event *event,
				  const unsigned long *taken)
{
	if (unlikely(syspmu->layout->gauges) && !arm_syspmu_is_gauge(event))
		return cspmu_choose_without_gauges(syspmu, event, taken);

	return cspmu_choose_monitor(syspmu, event, taken);
}

/*
 * sysfs
 */

static struct coresight_pmu *kobj_to_coresight_pmu(struct kobject *kobj)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));

	return to_coresight_pmu(to_arm_syspmu(pmu));
}

static umode_t cspmu_event_is_visible(struct kobject *kobj,
				      struct attribute *attr, int n)
{
	const struct coresight_pmu *cspmu = kobj_to_coresight_pmu(kobj);
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr.attr);

	if (event->id == (cspmu->product->cycles ?: CSPMU_EVENT_CYCLES) &&
	    !cspmu_has_cycle_counter(cspmu))
		return 0;

	return attr->mode;
}

static struct attribute *cspmu_caps_attrs[] = {
	&arm_syspmu_caps_counters.attr,
	&arm_syspmu_caps_counter_width.attr,
	&arm_syspmu_caps_capture.attr,
	NULL
};

static const struct attribute_group cspmu_caps_group = {
	.name = "caps",
	.attrs = cspmu_caps_attrs,
};

/**
 * cspmu_set_format - set the fields that an event can have, and the attributes
 *	that describe them
 * @cspmu: the PMU, identified
 *
 * Context: process, at probe.
 */
void cspmu_set_format(struct coresight_pmu *cspmu)
{
	const struct cspmu_product *product = cspmu->product;
	struct arm_syspmu *syspmu = &cspmu->syspmu;

	syspmu->config_fields[0] = product->config;
	if (!product->config)
		syspmu->config_fields[0] = cspmu->ext64 ? U64_MAX :
					   CSPMU_CONFIG_TYPE | CSPMU_EVENT_CYCLES;
	syspmu->config_fields[1] = product->config1;
	syspmu->config_fields[2] = cspmu->has_filter2 ? product->config2 : 0;

	cspmu->events.name = "events";
	cspmu->events.attrs = product->events;
	cspmu->events.is_visible = cspmu_event_is_visible;
	cspmu->format.name = "format";
	cspmu->format.attrs = product->format;

	cspmu->groups[0] = &arm_syspmu_common_group;
	cspmu->groups[1] = &cspmu->events;
	cspmu->groups[2] = &cspmu->format;
	cspmu->groups[3] = &cspmu_caps_group;
	cspmu->groups[4] = &cspmu_security_group;
	syspmu->attr_groups = cspmu->groups;
}
