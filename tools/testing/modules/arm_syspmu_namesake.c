// SPDX-License-Identifier: GPL-2.0
/*
 * Registers a PMU as another driver would, under the name that is written to the
 * parameter "name". It has no events. An empty name unregisters it.
 */

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/string.h>

static char namesake_name[64];
static DEFINE_MUTEX(namesake_lock);

static int namesake_event_init(struct perf_event *event)
{
	return -ENOENT;
}

static int namesake_add(struct perf_event *event, int flags)
{
	return -EOPNOTSUPP;
}

static void namesake_stop(struct perf_event *event, int flags)
{
}

static void namesake_read(struct perf_event *event)
{
}

static struct pmu namesake_pmu;

static int namesake_register(void)
{
	namesake_pmu = (struct pmu){
		.module		= THIS_MODULE,
		.task_ctx_nr	= perf_invalid_context,
		.capabilities	= PERF_PMU_CAP_NO_EXCLUDE,
		.event_init	= namesake_event_init,
		.add		= namesake_add,
		.del		= namesake_stop,
		.start		= namesake_stop,
		.stop		= namesake_stop,
		.read		= namesake_read,
	};

	return perf_pmu_register(&namesake_pmu, namesake_name, -1);
}

static void namesake_unregister(void)
{
	if (*namesake_name)
		perf_pmu_unregister(&namesake_pmu);
	*namesake_name = '\0';
}

static int namesake_set(const char *text, const struct kernel_param *param)
{
	char name[sizeof(namesake_name)];
	int err = 0;

	if (strscpy(name, text, sizeof(name)) < 0)
		return -EINVAL;

	mutex_lock(&namesake_lock);
	namesake_unregister();
	strscpy(namesake_name, strim(name), sizeof(namesake_name));
	if (*namesake_name)
		err = namesake_register();
	if (err)
		*namesake_name = '\0';
	mutex_unlock(&namesake_lock);

	return err;
}

static const struct kernel_param_ops namesake_ops = {
	.set = namesake_set,
};

module_param_cb(name, &namesake_ops, NULL, 0200);

static void __exit namesake_exit(void)
{
	namesake_unregister();
}
module_exit(namesake_exit);

MODULE_DESCRIPTION("PMU with the name of another one, for tests");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
