// SPDX-License-Identifier: GPL-2.0
/*
 * Sysfs attributes common to the memory-mapped PMUs of Arm systems.
 */

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/export.h>
#include <linux/sysfs.h>

#include "core.h"

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct arm_syspmu *pmu = to_arm_syspmu(dev_get_drvdata(dev));
	/* The PMU may be moving to another CPU; either CPU is valid. */
	const struct cpumask *cpus = cpumask_of(READ_ONCE(pmu->core->cpu));

	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpus));
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t identifier_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	struct arm_syspmu *pmu = to_arm_syspmu(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%s\n", pmu->identifier);
}
static DEVICE_ATTR_RO(identifier);

static ssize_t id_registers_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct arm_syspmu *pmu = to_arm_syspmu(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%s\n", pmu->id_registers);
}
static DEVICE_ATTR_ADMIN_RO(id_registers);

static ssize_t associated_cpus_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	struct arm_syspmu *pmu = to_arm_syspmu(dev_get_drvdata(dev));
	const struct cpumask *cpus = arm_syspmu_associated_cpus(pmu->core);

	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpus));
}
static DEVICE_ATTR_RO(associated_cpus);

static ssize_t interrupt_show(struct device *dev,
			      struct device_attribute *attr, char *buf)
{
	struct arm_syspmu *pmu = to_arm_syspmu(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%s\n", arm_syspmu_delivery_name(pmu));
}
static DEVICE_ATTR_RO(interrupt);

static struct attribute *arm_syspmu_common_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_associated_cpus.attr,
	&dev_attr_identifier.attr,
	&dev_attr_id_registers.attr,
	&dev_attr_interrupt.attr,
	NULL
};

static umode_t arm_syspmu_common_is_visible(struct kobject *kobj,
					    struct attribute *attr, int n)
{
	struct arm_syspmu *pmu =
		to_arm_syspmu(dev_get_drvdata(kobj_to_dev(kobj)));

	if (attr == &dev_attr_identifier.attr && !*pmu->identifier)
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
 * Attributes of the directory caps. A backend puts those that apply into a
 * group of its own, with what only its PMUs have: a directory cannot be shared
 * by two groups. perf reads each file as a single word.
 */
static ssize_t arm_syspmu_caps_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	struct arm_syspmu *pmu = to_arm_syspmu(dev_get_drvdata(dev));
	unsigned int value = pmu->can_capture;

	if (attr == &arm_syspmu_caps_counters)
		value = arm_syspmu_num_usable(pmu);
	else if (attr == &arm_syspmu_caps_counter_width)
		value = pmu->counter_bits;

	return sysfs_emit(buf, "%u\n", value);
}

struct device_attribute arm_syspmu_caps_counters =
	__ATTR(counters, 0444, arm_syspmu_caps_show, NULL);
EXPORT_SYMBOL_GPL(arm_syspmu_caps_counters);

struct device_attribute arm_syspmu_caps_counter_width =
	__ATTR(counter_width, 0444, arm_syspmu_caps_show, NULL);
EXPORT_SYMBOL_GPL(arm_syspmu_caps_counter_width);

struct device_attribute arm_syspmu_caps_capture =
	__ATTR(capture, 0444, arm_syspmu_caps_show, NULL);
EXPORT_SYMBOL_GPL(arm_syspmu_caps_capture);
