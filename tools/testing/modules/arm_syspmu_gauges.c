// SPDX-License-Identifier: GPL-2.0
/*
 * Gauges for CoreSight PMUs, since no known product has any. While the parameter "enabled" is set,
 * each PMU that the driver binds to has the events below instead of those of its product. The
 * driver uses them until it is unbound, so this module cannot be unloaded any more.
 */

#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
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

static struct cspmu_product gauges_product;

/* It has the format of the PMU's own product. */
static int gauges_replace(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	gauges_product = *(const struct cspmu_product *)regs_return_value(regs);
	gauges_product.events = gauges_events;
	regs_set_return_value(regs, (unsigned long)&gauges_product);
	__module_get(THIS_MODULE);

	return 0;
}

static struct kretprobe gauges_probe;
static bool gauges_enabled;
static DEFINE_MUTEX(gauges_lock);

static int gauges_enable(void)
{
	gauges_probe = (struct kretprobe) {
		.kp.symbol_name = "cspmu_find_product",
		.handler = gauges_replace,
	};

	return register_kretprobe(&gauges_probe);
}

static int gauges_set(const char *text, const struct kernel_param *param)
{
	bool enable;
	int err = kstrtobool(text, &enable);

	if (err)
		return err;

	mutex_lock(&gauges_lock);
	if (enable && !gauges_enabled)
		err = gauges_enable();
	else if (!enable && gauges_enabled)
		unregister_kretprobe(&gauges_probe);
	if (!err)
		gauges_enabled = enable;
	mutex_unlock(&gauges_lock);

	return err;
}

static const struct kernel_param_ops gauges_ops = {
	.set = gauges_set,
};

module_param_cb(enabled, &gauges_ops, NULL, 0200);
MODULE_PARM_DESC(enabled, "the next PMUs that the driver binds to have gauges");

static void __exit gauges_exit(void)
{
	if (gauges_enabled)
		unregister_kretprobe(&gauges_probe);
}
module_exit(gauges_exit);

MODULE_DESCRIPTION("Events of CoreSight PMUs that show a state, for tests");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
