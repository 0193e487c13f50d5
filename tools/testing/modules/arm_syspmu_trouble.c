// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs of all the kinds that the kernels of the lab are to notice, one for each
 * load: a lab that lets one of them pass proves nothing. Never load it anywhere
 * else.
 */

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *kind = "";
module_param(kind, charp, 0);
MODULE_PARM_DESC(kind, "which bug");

static void trouble_warning(void)
{
	WARN(1, "a warning\n");
}

/* Never at the same time, and yet they could meet. */
static void trouble_lock_order(void)
{
	static DEFINE_MUTEX(first);
	static DEFINE_MUTEX(second);

	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void trouble_atomic_sleep(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void trouble_timer_function(struct timer_list *timer)
{
}

static void trouble_active_timer(void)
{
	static struct timer_list timer;

	timer_setup(&timer, trouble_timer_function, 0);
	mod_timer(&timer, jiffies + 100 * HZ);
	timer_setup(&timer, trouble_timer_function, 0);
	timer_delete_sync(&timer);
}

static void trouble_list(void)
{
	LIST_HEAD(list);
	LIST_HEAD(entry);

	list_add(&entry, &list);
	list_add(&entry, &list);
}

static void trouble_shift(void)
{
	unsigned int bits = 40;
	u32 result;

	OPTIMIZER_HIDE_VAR(bits);
	result = 1U << bits;
	OPTIMIZER_HIDE_VAR(result);
}

static void trouble_use_after_free(void)
{
	char *memory = kmalloc(40, GFP_KERNEL);
	char *freed = memory;

	if (!memory)
		return;

	OPTIMIZER_HIDE_VAR(freed);
	kfree(memory);
	READ_ONCE(freed[8]);
}

static void trouble_leak(void)
{
	void *memory = kmalloc(40, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
}

static void trouble_taint(void)
{
	add_taint(TAINT_USER, LOCKDEP_STILL_OK);
}

static unsigned int trouble_shared;

static int trouble_racer(void *unused)
{
	while (!kthread_should_stop())
		trouble_shared++;

	return 0;
}

/* KCSAN looks at one access of hundreds. */
static void trouble_data_race(void)
{
	struct task_struct *racer = kthread_run(trouble_racer, NULL, "racer");
	unsigned int i;

	if (IS_ERR(racer))
		return;

	for (i = 0; i < 200000; i++) {
		trouble_shared++;
		barrier();
	}
	kthread_stop(racer);
}

static const struct {
	const char *kind;
	void (*make)(void);
} troubles[] = {
	{ "warning", trouble_warning },
	{ "lock-order", trouble_lock_order },
	{ "atomic-sleep", trouble_atomic_sleep },
	{ "active-timer", trouble_active_timer },
	{ "list", trouble_list },
	{ "shift", trouble_shift },
	{ "use-after-free", trouble_use_after_free },
	{ "leak", trouble_leak },
	{ "taint", trouble_taint },
	{ "data-race", trouble_data_race },
};

static int __init trouble_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(troubles); i++) {
		if (strcmp(kind, troubles[i].kind))
			continue;
		troubles[i].make();
		return 0;
	}

	return -EINVAL;
}
module_init(trouble_init);

static void __exit trouble_exit(void)
{
}
module_exit(trouble_exit);

MODULE_DESCRIPTION("Bugs on demand, for a lab that is to notice them");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
