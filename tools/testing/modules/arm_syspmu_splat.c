// SPDX-License-Identifier: GPL-2.0
/*
 * Splats that LKDTM cannot make, to check that the lab detects them, one per load. Do not load this
 * module anywhere else.
 */

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *kind = "";
module_param(kind, charp, 0);
MODULE_PARM_DESC(kind, "which splat");

/* Never at the same time, but a deadlock is possible. */
static void splat_lock_order(void)
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

static void splat_atomic_sleep(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void splat_timer_function(struct timer_list *timer)
{
}

static void splat_active_timer(void)
{
	static struct timer_list timer;

	timer_setup(&timer, splat_timer_function, 0);
	mod_timer(&timer, jiffies + 100 * HZ);
	timer_setup(&timer, splat_timer_function, 0);
	timer_delete_sync(&timer);
}

static void splat_shift(void)
{
	unsigned int bits = 40;
	u32 result;

	OPTIMIZER_HIDE_VAR(bits);
	result = 1U << bits;
	OPTIMIZER_HIDE_VAR(result);
}

static void splat_leak(void)
{
	void *memory = kmalloc(40, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
}

static void splat_taint(void)
{
	add_taint(TAINT_USER, LOCKDEP_STILL_OK);
}

static unsigned int splat_shared;

static int splat_racer(void *unused)
{
	while (!kthread_should_stop())
		splat_shared++;

	return 0;
}

/* KCSAN watches one of hundreds of accesses. */
static void splat_data_race(void)
{
	struct task_struct *racer = kthread_run(splat_racer, NULL, "racer");
	unsigned int i;

	if (IS_ERR(racer))
		return;

	for (i = 0; i < 200000; i++) {
		splat_shared++;
		barrier();
	}
	kthread_stop(racer);
}

static const struct {
	const char *kind;
	void (*make)(void);
} splats[] = {
	{ "lock-order", splat_lock_order },
	{ "atomic-sleep", splat_atomic_sleep },
	{ "active-timer", splat_active_timer },
	{ "shift", splat_shift },
	{ "leak", splat_leak },
	{ "taint", splat_taint },
	{ "data-race", splat_data_race },
};

static int __init splat_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(splats); i++) {
		if (strcmp(kind, splats[i].kind))
			continue;
		splats[i].make();
		return 0;
	}

	return -EINVAL;
}
module_init(splat_init);

static void __exit splat_exit(void)
{
}
module_exit(splat_exit);

MODULE_DESCRIPTION("Splats on demand, in addition to those of LKDTM");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
