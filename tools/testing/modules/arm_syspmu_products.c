// SPDX-License-Identifier: GPL-2.0
/*
 * Features of CoreSight PMUs that the driver's table of products has to know, and that no known
 * product has. While the parameter "feature" is "gauges", each PMU that the driver binds to has the
 * events below instead of those of its product; while it is "chaining", a CHAIN event. The driver
 * uses the product until it is unbound, so this module cannot be unloaded any more.
 */

#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../../../drivers/perf/coresight_pmu/products.h"

static ssize_t cspmu_event_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct perf_pmu_events_attr *event = container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(buf, "event=0x%llx\n", event->id);
}

/* On some PMUs of the lab, the first two are the fixed events of monitors. */
static struct attribute *gauges_events[] = {
	CSPMU_EVENT(fill, 0x102),
	CSPMU_SNAPSHOT(fill, 0x102),
	CSPMU_EVENT(level, 0x103),
	CSPMU_SNAPSHOT(level, 0x103),
	CSPMU_EVENT(depth, 0x203),
	CSPMU_SNAPSHOT(depth, 0x203),
	CSPMU_EVENT(cycles, CSPMU_EVENT_CYCLES),
	NULL
};

/* The number of the lab's CHAIN event */
#define PRODUCTS_CHAIN	0x1e

enum products_feature {
	PRODUCTS_NONE,
	PRODUCTS_GAUGES,
	PRODUCTS_CHAINING,
};

static const char * const products_features[] = {
	[PRODUCTS_NONE] = "none",
	[PRODUCTS_GAUGES] = "gauges",
	[PRODUCTS_CHAINING] = "chaining",
};

/* The last one was replaced by these. Each of them is that of one PMU at most. */
static struct cspmu_product products_replaced[ARRAY_SIZE(products_features)];

static struct kretprobe products_probe;
static enum products_feature products_feature;
static DEFINE_MUTEX(products_lock);

/* It has the format of the PMU's own product. */
static int products_replace(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct cspmu_product *product = &products_replaced[products_feature];

	*product = *(const struct cspmu_product *)regs_return_value(regs);
	if (products_feature == PRODUCTS_GAUGES)
		product->events = gauges_events;
	else
		product->chain = PRODUCTS_CHAIN;
	regs_set_return_value(regs, (unsigned long)product);
	__module_get(THIS_MODULE);

	return 0;
}

static int products_register(void)
{
	products_probe = (struct kretprobe) {
		.kp.symbol_name = "cspmu_find_product",
		.handler = products_replace,
	};

	return register_kretprobe(&products_probe);
}

static int products_set(const char *text, const struct kernel_param *param)
{
	int feature = sysfs_match_string(products_features, text);
	int err = 0;

	if (feature < 0)
		return feature;

	mutex_lock(&products_lock);
	if (products_feature)
		unregister_kretprobe(&products_probe);
	products_feature = feature;
	if (feature)
		err = products_register();
	if (err)
		products_feature = PRODUCTS_NONE;
	mutex_unlock(&products_lock);

	return err;
}

static const struct kernel_param_ops products_ops = {
	.set = products_set,
};

module_param_cb(feature, &products_ops, NULL, 0200);
MODULE_PARM_DESC(feature, "what the next PMUs that the driver binds to have: gauges, chaining, none");

static void __exit products_exit(void)
{
	if (products_feature)
		unregister_kretprobe(&products_probe);
}
module_exit(products_exit);

MODULE_DESCRIPTION("Features of CoreSight PMUs that no known product has, for tests");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
