// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a PMU of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091): validation, choice of a monitor, sysfs format.
 *
 * What the values of PMEVTYPER and PMEVFILTR mean is IMPLEMENTATION DEFINED
 * (rule YSQVN), so events are numbers:
 *
 *   event	number of the event; 0x100000000 is the cycle counter
 *   filter	value of PMEVFILTR, or of PMCCFILTR for the cycle counter
 *   filter2	value of PMEVFILT2R, which newer PMUs have
 */

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "coresight_pmu.h"

/* Fields of perf_event_attr: those of the in-tree driver */
#define CSPMU_CONFIG_TYPE		GENMASK_ULL(31, 0)
#define CSPMU_CONFIG_CYCLES		BIT_ULL(32)
#define CSPMU_CONFIG1_FILTER		GENMASK_ULL(31, 0)
#define CSPMU_CONFIG2_FILTER2		GENMASK_ULL(31, 0)

/**
 * cspmu_set_format - tell the core which fields an event can have
 * @cspmu: the PMU, identified
 *
 * Context: process, at probe.
 */
void cspmu_set_format(struct coresight_pmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;

	syspmu->config_fields[0] = CSPMU_CONFIG_TYPE | CSPMU_CONFIG_CYCLES;
	syspmu->config_fields[1] = CSPMU_CONFIG1_FILTER;
	syspmu->config_fields[2] = cspmu->has_filter2 ? CSPMU_CONFIG2_FILTER2 :
							0;
}

static int cspmu_init_cycles(struct coresight_pmu *cspmu,
			     struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!cspmu_has_cycle_counter(cspmu))
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "event 0x%llx: this PMU has no cycle counter",
					 attr->config);
	if (attr->config & CSPMU_CONFIG_TYPE)
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "event 0x%llx: the cycle counter is event 0x%llx",
					 attr->config, CSPMU_CONFIG_CYCLES);
	if (attr->config2)
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "filter2 0x%llx: the cycle counter has one filter",
					 attr->config2);

	event->hw.config_base = CSPMU_BASE_CYCLES |
				FIELD_PREP(CSPMU_BASE_TYPE, attr->config1);
	event->hw.event_base = 0;

	return 0;
}

/**
 * cspmu_event_init - decode an event into register values
 * @syspmu: the PMU
 * @event: the event
 *
 * The core asks cspmu_choose_counter() whether a monitor can count it.
 *
 * Context: process.
 * Return: 0, or -EINVAL with a message.
 */
int cspmu_event_init(struct arm_syspmu *syspmu, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->config & CSPMU_CONFIG_CYCLES)
		return cspmu_init_cycles(to_coresight_pmu(syspmu), event);

	event->hw.config_base = FIELD_PREP(CSPMU_BASE_TYPE, attr->config);
	event->hw.event_base = FIELD_PREP(CSPMU_BASE_FILTER, attr->config1) |
			       FIELD_PREP(CSPMU_BASE_FILTER2, attr->config2);

	return 0;
}

/*
 * Choice of a monitor
 */

/* Without a filter, an event can use a monitor whose filter is fixed. */
static bool cspmu_accepts_filter(const struct cspmu_control *filter, u32 value)
{
	return cspmu_accepts(filter, value) || (!value && !filter->writable);
}

static bool cspmu_can_count(const struct coresight_pmu *cspmu,
			    const struct perf_event *event, unsigned int idx)
{
	const struct cspmu_monitor *monitor = &cspmu->monitors[idx];
	u64 config = event->hw.config_base, filters = event->hw.event_base;
	bool cycles = config & CSPMU_BASE_CYCLES;

	if (cspmu_is_cycle_counter(cspmu, idx) != cycles)
		return false;
	if (!cspmu_accepts(&monitor->type, FIELD_GET(CSPMU_BASE_TYPE, config)))
		return false;

	return cycles ||
	       (cspmu_accepts_filter(&monitor->filter,
				     FIELD_GET(CSPMU_BASE_FILTER, filters)) &&
		cspmu_accepts_filter(&monitor->filter2,
				     FIELD_GET(CSPMU_BASE_FILTER2, filters)));
}

/*
 * Monitors that fewer events can use come first: whatever else comes, the
 * others are as useful.
 */
static unsigned int cspmu_choose_special(const struct coresight_pmu *cspmu,
					 const struct perf_event *event,
					 const unsigned long *unused)
{
	unsigned int idx, bits, n = cspmu->syspmu.num_counters;
	unsigned int best = n, fewest = UINT_MAX;
	const struct cspmu_monitor *monitor;

	for_each_set_bit(idx, unused, n) {
		if (!cspmu_can_count(cspmu, event, idx))
			continue;
		monitor = &cspmu->monitors[idx];
		bits = hweight32(monitor->type.writable) +
		       hweight32(monitor->filter.writable) +
		       hweight32(monitor->filter2.writable);
		if (bits < fewest) {
			fewest = bits;
			best = idx;
		}
	}

	return best;
}

static unsigned int cspmu_unused_in_word(const struct coresight_pmu *cspmu,
					 const unsigned long *unused,
					 unsigned int word)
{
	unsigned int first = word * CSPMU_BITS_PER_WORD, idx, n = 0;

	for (idx = first; idx < first + CSPMU_BITS_PER_WORD; idx++)
		n += idx < cspmu->syspmu.num_counters &&
		     test_bit(idx, unused) &&
		     !cspmu_is_cycle_counter(cspmu, idx);

	return n;
}

/*
 * The events of a group should use monitors of one PMCNTEN register, so that
 * they start and stop at one instant: the one of the leader, or for the leader
 * itself the first one that has room for the group.
 */
static unsigned int cspmu_choose_word(const struct coresight_pmu *cspmu,
				      const struct perf_event *event,
				      const unsigned long *unused)
{
	const struct perf_event *leader = event->group_leader;
	unsigned int word, n, best = 0, most = 0;
	int idx = READ_ONCE(leader->hw.idx);

	if (leader != event && leader->pmu == event->pmu && idx >= 0 &&
	    idx < cspmu->syspmu.num_counters &&
	    cspmu_unused_in_word(cspmu, unused, idx / CSPMU_BITS_PER_WORD))
		return idx / CSPMU_BITS_PER_WORD;

	for (word = 0; word < cspmu->words; word++) {
		n = cspmu_unused_in_word(cspmu, unused, word);
		if (n > leader->nr_siblings)
			return word;
		if (n > most) {
			most = n;
			best = word;
		}
	}

	return best;
}

static unsigned int cspmu_choose_uniform(const struct coresight_pmu *cspmu,
					 const struct perf_event *event,
					 const unsigned long *unused)
{
	unsigned int n = cspmu->syspmu.num_counters, idx = 0;

	if (cspmu->words > 1)
		idx = cspmu_choose_word(cspmu, event, unused) *
		      CSPMU_BITS_PER_WORD;
	idx = find_next_bit(unused, n, idx);
	if (idx < n && cspmu_is_cycle_counter(cspmu, idx))
		idx = find_next_bit(unused, n, idx + 1);

	return idx < n && cspmu_can_count(cspmu, event, idx) ? idx : n;
}

/**
 * cspmu_choose_counter - choose a monitor for an event
 * @syspmu: the PMU
 * @event: the event, decoded
 * @unused: the monitors to choose from
 *
 * Context: any.
 * Return: the monitor; at least &arm_syspmu.num_counters if none of them can
 *	count the event
 */
unsigned int cspmu_choose_counter(struct arm_syspmu *syspmu,
				  const struct perf_event *event,
				  const unsigned long *unused)
{
	const struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	if (event->hw.config_base & CSPMU_BASE_CYCLES)
		return test_bit(CSPMU_CYCLE_COUNTER, unused) &&
		       cspmu_can_count(cspmu, event, CSPMU_CYCLE_COUNTER) ?
		       CSPMU_CYCLE_COUNTER : syspmu->num_counters;
	if (cspmu->uniform)
		return cspmu_choose_uniform(cspmu, event, unused);

	return cspmu_choose_special(cspmu, event, unused);
}

/*
 * sysfs
 */

static struct coresight_pmu *dev_to_coresight_pmu(struct device *dev)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return to_coresight_pmu(to_arm_syspmu(pmu));
}

static ssize_t cspmu_event_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(buf, "event=0x%llx\n", event->id);
}

static struct attribute *cspmu_event_attrs[] = {
	PMU_EVENT_ATTR_ID(cycles, cspmu_event_show, CSPMU_CONFIG_CYCLES),
	NULL
};

static umode_t cspmu_event_is_visible(struct kobject *kobj,
				      struct attribute *attr, int n)
{
	struct coresight_pmu *cspmu = dev_to_coresight_pmu(kobj_to_dev(kobj));

	return cspmu_has_cycle_counter(cspmu) ? attr->mode : 0;
}

const struct attribute_group cspmu_events_group = {
	.name = "events",
	.attrs = cspmu_event_attrs,
	.is_visible = cspmu_event_is_visible,
};

PMU_FORMAT_ATTR(event,		"config:0-32");
PMU_FORMAT_ATTR(filter,		"config1:0-31");
PMU_FORMAT_ATTR(filter2,	"config2:0-31");

static struct attribute *cspmu_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_filter.attr,
	&format_attr_filter2.attr,
	NULL
};

const struct attribute_group cspmu_format_group = {
	.name = "format",
	.attrs = cspmu_format_attrs,
};
