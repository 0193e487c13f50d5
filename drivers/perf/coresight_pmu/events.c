// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a PMU of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091): validation, choice of a monitor, sysfs.
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

#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/sysfs.h>

#include "coresight_pmu.h"

#define CSPMU_CONFIG_TYPE		GENMASK_ULL(31, 0)

/*
 * What a monitor adds in a nanosecond at most, unless it counts cycles: any number
 * at a time (rule LXYWS), such as bytes of a memory that has 256 GB/s.
 */
#define CSPMU_MAX_RATE			256

static bool cspmu_is_cycles(const struct cspmu *cspmu,
			    const struct perf_event *event)
{
	if (cspmu->product->slots)
		return cspmu_is_target_cycles(event);
	return event->attr.config & CSPMU_EVENT_CYCLES && !cspmu->ext64;
}

/*
 * A field of 0 stands for all its bits: all root ports, say. One requester can
 * be selected instead.
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

/* Here, 0 stands for everything, too. */
u64 cspmu_decode_filter2(const struct cspmu *cspmu, u64 config2)
{
	return config2 || !cspmu->has_filter2 ? config2 : cspmu->product->all2;
}

/* Without a filter, an event counts what the leader of its group selects. */
static u64 cspmu_config1(const struct cspmu *cspmu,
			 const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	if (!event->attr.config1 && leader->pmu == event->pmu &&
	    leader->attr.config1 & cspmu->product->requester_enable)
		return leader->attr.config1;
	return event->attr.config1;
}

static int cspmu_init_cycles(struct cspmu *cspmu, struct perf_event *event)
{
	struct arm_syspmu_event *decoded = event->pmu_private;
	const struct perf_event_attr *attr = &event->attr;

	if (!cspmu_has_cycle_counter(cspmu))
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "event 0x%llx: this PMU has no cycle counter",
					 attr->config);
	if (cspmu->product->slots)
		return 0;
	if (attr->config & CSPMU_CONFIG_TYPE)
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "event 0x%llx: the cycle counter is event 0x%llx",
					 attr->config, CSPMU_EVENT_CYCLES);
	if (attr->config2)
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "config2 0x%llx: the cycle counter has one filter",
					 attr->config2);
	if (cspmu_has_common_filter(cspmu))
		return 0;
	event->hw.config_base = cspmu_decode_filter(cspmu->product,
						    attr->config1);
	decoded->filter = attr->config1;
	return 0;
}

static int cspmu_init_event(struct cspmu *cspmu, struct perf_event *event)
{
	const struct cspmu_product *product = cspmu->product;
	struct arm_syspmu_event *decoded = event->pmu_private;
	u64 config1 = cspmu_config1(cspmu, event);

	decoded->max_rate = CSPMU_MAX_RATE;
	if (product->slots)
		return cspmu_init_target_event(cspmu, event);
	if (config1 & product->requester_enable && config1 & product->all1[0])
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "config1 0x%llx: a requester and root ports exclude each other, set only one of them",
					 config1);

	event->hw.config_base = event->attr.config | cspmu->fixed_type;
	event->hw.event_base = cspmu_decode_filter(product, config1);
	event->hw.config = cspmu_decode_filter2(cspmu, event->attr.config2);
	decoded->uses_shared_filter = product->shared;
	decoded->shared_filter = event->hw.event_base & product->shared;
	if (!cspmu_has_common_filter(cspmu))
		decoded->filter = config1;
	return 0;
}

/* Without a filter, an event can use a monitor whose filter is fixed. */
static bool cspmu_accepts_filter(const struct cspmu_control *filter, u64 value)
{
	return !value || cspmu_accepts(filter, value);
}

/* Defaults select everything; which bits that are is the monitor's affair. */
static bool cspmu_can_count(const struct cspmu *cspmu, unsigned int idx,
			    const struct perf_event *event)
{
	const struct arm_syspmu_event *decoded = event->pmu_private;
	bool cycles = cspmu_is_cycle_counter(cspmu, idx);
	const struct cspmu_control *control =
		cspmu->monitors[cspmu_lower(cspmu, idx)].control;

	if (cycles != cspmu_is_cycles(cspmu, event))
		return false;
	if (cycles)
		return cspmu_accepts_filter(&control[CSPMU_TYPE],
					    decoded->filter);
	if (cspmu->product->slots)
		return cspmu_can_count_target(cspmu, idx, event);
	return cspmu_accepts(&control[CSPMU_TYPE], event->hw.config_base) &&
	       cspmu_accepts_filter(&control[CSPMU_FILTER], decoded->filter) &&
	       cspmu_accepts_filter(&control[CSPMU_FILTER2],
				    event->attr.config2);
}

/* If no monitor can count the event, the core refuses it. */
int cspmu_event_init(struct arm_syspmu *syspmu, struct perf_event *event)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	return cspmu_is_cycles(cspmu, event) ? cspmu_init_cycles(cspmu, event) :
					       cspmu_init_event(cspmu, event);
}

/* Those that fewer events can use come first: the others are as useful. */
unsigned int cspmu_choose_counter(struct arm_syspmu *syspmu,
				  const struct perf_event *event, int preferred,
				  const unsigned long *taken)
{
	unsigned int n = syspmu->num_counters, i, first;
	const struct cspmu *cspmu = to_cspmu(syspmu);
	DECLARE_BITMAP(free, CSPMU_MAX_MONITORS);

	for (i = 0; i < cspmu->num_kinds; i++) {
		first = cspmu->kinds[i];
		if (!cspmu_can_count(cspmu, first, event) ||
		    !bitmap_andnot(free, cspmu->monitors[first].alike, taken, n))
			continue;
		if (preferred >= 0 && test_bit(preferred, free))
			return preferred;
		return find_first_bit(free, n);
	}
	return n;
}

static struct cspmu *dev_to_cspmu(struct device *dev)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return to_cspmu(to_arm_syspmu(pmu));
}

static umode_t cspmu_event_is_visible(struct kobject *kobj,
				      struct attribute *attr, int n)
{
	const struct cspmu *cspmu = dev_to_cspmu(kobj_to_dev(kobj));
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr.attr);

	if (event->id == cspmu->syspmu.clock &&
	    !cspmu_has_cycle_counter(cspmu))
		return 0;
	return attr->mode;
}

/*
 * Debug authentication may explain a count of zero. No event is refused because
 * of it: other controls may decide (rules WRKQV and DNMWG).
 */
const char *cspmu_security_text(const struct cspmu *cspmu)
{
	u32 auth = readl_relaxed(cspmu->page0 + CSPMU_PMAUTHSTATUS);

	return FIELD_GET(CSPMU_PMAUTHSTATUS_NSNID, auth) ==
	       CSPMU_PMAUTHSTATUS_DISABLED ?
	       ", Non-secure non-invasive debug disabled" : "";
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

/* Sets the fields that an event can have, and the attributes that show them. */
void cspmu_set_format(struct cspmu *cspmu)
{
	const struct cspmu_product *product = cspmu->product;
	struct arm_syspmu *syspmu = &cspmu->syspmu;

	syspmu->config_fields[0] = product->config ?:
				   CSPMU_CONFIG_TYPE |
				   (cspmu->ext64 ? 0 : CSPMU_EVENT_CYCLES);
	syspmu->config_fields[1] = cspmu_config1_fields(product);
	syspmu->config_fields[2] = cspmu->has_filter2 ? product->config2 : 0;
	syspmu->clock = product->cycles ?: CSPMU_EVENT_CYCLES;

	cspmu->events.name = "events";
	cspmu->events.attrs = product->events;
	cspmu->events.is_visible = cspmu_event_is_visible;
	cspmu->format.name = "format";
	cspmu->format.attrs = product->format;

	cspmu->groups[0] = &arm_syspmu_common_group;
	cspmu->groups[1] = &cspmu->events;
	cspmu->groups[2] = &cspmu->format;
	cspmu->groups[3] = &cspmu_caps_group;
	syspmu->attr_groups = cspmu->groups;
}
