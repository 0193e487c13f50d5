// SPDX-License-Identifier: GPL-2.0
/*
 * Controls the time of calls and the CPU of interrupts, for tests of races.
 *
 * When the name of a function is written to the parameter "hold", the next call of it, by
 * any task, waits at its entry until something is written to "release"; with "next", the call after
 * it waits, too. "hold" reads as "free", "armed" or "held". The function must be able to sleep and
 * have at most eight arguments.
 *
 * When "irq cpu" is written to "affinity", that interrupt is sent to that CPU, even if
 * user space may not set its affinity.
 *
 * When "irq kind" is written to "share", that interrupt gets the handler of another driver, whose
 * device never interrupts. kind 0: it does not share the interrupt; 1: it does; 2: it does, and the
 * interrupt is masked while its thread runs, as for all drivers with "threadirqs". Anything else
 * frees the interrupt.
 *
 * When "function error" is written to "fail", the next call of the function, by any task, does
 * nothing and returns the error, or -EINVAL if there is none. "fail" reads as "free" or "armed".
 *
 * When "function address value" is written to "write", the next call of the function, in any
 * context, first writes the value to the register at the physical address: the stimulus page lets
 * something happen at this instant. The register has 64 bits, or 32 if the address is not a
 * multiple of 8. "write" reads as "free" or "armed"; anything else that is written cancels it.
 *
 * When the number of a CPU is written to "occupy", that CPU does nothing with interrupts off until
 * something is written to "release", or for a few seconds.
 */

#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/processor.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/wait.h>

/* A held call is released after this time, in case its test has died. */
#define INTERLEAVE_TIMEOUT	(60 * HZ)

/* And a CPU after this one, before the kernel complains */
#define INTERLEAVE_OCCUPIED_NS	(5 * NSEC_PER_SEC)

enum interleave_state {
	INTERLEAVE_FREE,
	INTERLEAVE_ARMED,
	INTERLEAVE_HELD,
	INTERLEAVE_NEXT,	/* released, and armed once that call has begun */
};

static const char * const interleave_states[] = { "free", "armed", "held", "armed" };

typedef unsigned long (*interleave_function)(unsigned long, unsigned long,
					     unsigned long, unsigned long,
					     unsigned long, unsigned long,
					     unsigned long, unsigned long);

static char interleave_name[KSYM_NAME_LEN];
static struct kprobe interleave_probe;
static atomic_t interleave_state;
static atomic_t interleave_inside;
static DECLARE_WAIT_QUEUE_HEAD(interleave_queue);
static DEFINE_MUTEX(interleave_lock);

static bool interleave_is_released(void)
{
	return atomic_read(&interleave_state) != INTERLEAVE_HELD;
}

/* Called instead of the function, which it then calls. */
static unsigned long interleave_call(unsigned long a, unsigned long b,
				     unsigned long c, unsigned long d,
				     unsigned long e, unsigned long f,
				     unsigned long g, unsigned long h)
{
	interleave_function call = (void *)interleave_probe.addr;
	unsigned long result;

	wait_event_idle_timeout(interleave_queue, interleave_is_released(),
				INTERLEAVE_TIMEOUT);
	atomic_cmpxchg(&interleave_state, INTERLEAVE_HELD, INTERLEAVE_FREE);
	result = call(a, b, c, d, e, f, g, h);
	if (atomic_dec_and_test(&interleave_inside))
		wake_up_all(&interleave_queue);

	return result;
}

/* Before the first instruction: arguments and link register are those of the caller. */
static int interleave_before(struct kprobe *probe, struct pt_regs *regs)
{
	if (!in_task() ||
	    atomic_cmpxchg(&interleave_state, INTERLEAVE_NEXT,
			   INTERLEAVE_ARMED) == INTERLEAVE_NEXT ||
	    atomic_cmpxchg(&interleave_state, INTERLEAVE_ARMED,
			   INTERLEAVE_HELD) != INTERLEAVE_ARMED)
		return 0;

	atomic_inc(&interleave_inside);
	instruction_pointer_set(regs, (unsigned long)interleave_call);

	return 1;
}

static void interleave_release(enum interleave_state next)
{
	atomic_set(&interleave_state, next);
	wake_up_all(&interleave_queue);
}

static void interleave_disarm(void)
{
	interleave_release(INTERLEAVE_FREE);
	if (interleave_probe.addr)
		unregister_kprobe(&interleave_probe);
	interleave_probe = (struct kprobe){};
}

static int interleave_set_hold(const char *text, const struct kernel_param *param)
{
	int err = -EBUSY;

	mutex_lock(&interleave_lock);
	/* A held call still needs the address of the function. */
	if (atomic_read(&interleave_inside))
		goto unlock;

	interleave_disarm();
	err = -EINVAL;
	if (strscpy(interleave_name, text, sizeof(interleave_name)) <= 0)
		goto unlock;

	interleave_probe.symbol_name = strim(interleave_name);
	interleave_probe.pre_handler = interleave_before;
	err = register_kprobe(&interleave_probe);
	if (err)
		interleave_probe = (struct kprobe){};
	else
		atomic_set(&interleave_state, INTERLEAVE_ARMED);
unlock:
	mutex_unlock(&interleave_lock);

	return err;
}

static int interleave_get_hold(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n",
			  interleave_states[atomic_read(&interleave_state)]);
}

static const struct kernel_param_ops interleave_hold_ops = {
	.set = interleave_set_hold,
	.get = interleave_get_hold,
};

module_param_cb(hold, &interleave_hold_ops, NULL, 0600);
MODULE_PARM_DESC(hold, "function whose next call waits");

static atomic_t interleave_occupied;

static void interleave_occupy(void *data)
{
	u64 end = local_clock() + INTERLEAVE_OCCUPIED_NS;

	atomic_set(&interleave_occupied, INTERLEAVE_HELD);
	while (atomic_read(&interleave_occupied) == INTERLEAVE_HELD &&
	       local_clock() < end)
		cpu_relax();
	atomic_set(&interleave_occupied, INTERLEAVE_FREE);
}

static int interleave_set_occupy(const char *text, const struct kernel_param *param)
{
	unsigned int cpu;
	int err;

	err = kstrtouint(text, 0, &cpu);
	if (err)
		return err;
	if (cpu == raw_smp_processor_id() ||
	    atomic_cmpxchg(&interleave_occupied, INTERLEAVE_FREE,
			   INTERLEAVE_ARMED) != INTERLEAVE_FREE)
		return -EBUSY;

	err = smp_call_function_single(cpu, interleave_occupy, NULL, false);
	if (err)
		atomic_set(&interleave_occupied, INTERLEAVE_FREE);
	else
		spin_until_cond(atomic_read(&interleave_occupied) !=
				INTERLEAVE_ARMED);

	return err;
}

static const struct kernel_param_ops interleave_occupy_ops = {
	.set = interleave_set_occupy,
};

module_param_cb(occupy, &interleave_occupy_ops, NULL, 0200);
MODULE_PARM_DESC(occupy, "CPU that turns interrupts off");

static void interleave_stop_occupying(void)
{
	atomic_cmpxchg(&interleave_occupied, INTERLEAVE_HELD, INTERLEAVE_ARMED);
	spin_until_cond(atomic_read(&interleave_occupied) == INTERLEAVE_FREE);
}

static int interleave_set_release(const char *text, const struct kernel_param *param)
{
	interleave_release(sysfs_streq(text, "next") ? INTERLEAVE_NEXT : INTERLEAVE_FREE);
	interleave_stop_occupying();

	return 0;
}

static const struct kernel_param_ops interleave_release_ops = {
	.set = interleave_set_release,
};

module_param_cb(release, &interleave_release_ops, NULL, 0200);
MODULE_PARM_DESC(release, "next, or anything: releases the call and the CPU");

static int interleave_set_affinity(const char *text, const struct kernel_param *param)
{
	unsigned int irq, cpu;

	if (sscanf(text, "%u %u", &irq, &cpu) != 2 || cpu >= nr_cpu_ids)
		return -EINVAL;

	return irq_set_affinity(irq, cpumask_of(cpu));
}

static const struct kernel_param_ops interleave_affinity_ops = {
	.set = interleave_set_affinity,
};

module_param_cb(affinity, &interleave_affinity_ops, NULL, 0200);
MODULE_PARM_DESC(affinity, "irq and cpu: where that interrupt goes");

/* Another driver of an interrupt */

enum interleave_sharing {
	INTERLEAVE_ALONE,
	INTERLEAVE_SHARED,
	INTERLEAVE_THREADED,
	INTERLEAVE_KINDS
};

static int interleave_irq = -ENXIO;

static irqreturn_t interleave_handle_irq(int irq, void *data)
{
	return IRQ_NONE;
}

static void interleave_free_irq(void)
{
	if (interleave_irq >= 0)
		free_irq(interleave_irq, &interleave_irq);
	interleave_irq = -ENXIO;
}

static int interleave_request_irq(int irq, enum interleave_sharing kind)
{
	unsigned long flags = IRQF_PROBE_SHARED;
	irq_handler_t thread = NULL;
	int err;

	if (kind != INTERLEAVE_ALONE)
		flags |= IRQF_SHARED;
	if (kind == INTERLEAVE_THREADED) {
		flags |= IRQF_ONESHOT;
		thread = interleave_handle_irq;
	}

	err = request_threaded_irq(irq, interleave_handle_irq, thread, flags,
				   KBUILD_MODNAME, &interleave_irq);
	if (!err)
		interleave_irq = irq;

	return err;
}

static int interleave_set_share(const char *text, const struct kernel_param *param)
{
	unsigned int irq, kind;
	int err = 0;

	mutex_lock(&interleave_lock);
	interleave_free_irq();
	if (sscanf(text, "%u %u", &irq, &kind) == 2 && kind < INTERLEAVE_KINDS)
		err = interleave_request_irq(irq, kind);
	mutex_unlock(&interleave_lock);

	return err;
}

static const struct kernel_param_ops interleave_share_ops = {
	.set = interleave_set_share,
};

module_param_cb(share, &interleave_share_ops, NULL, 0200);
MODULE_PARM_DESC(share, "irq and kind: which interrupt gets another handler");

/* Failing calls */

static char interleave_failing_name[64];
static int interleave_error;
static struct kprobe interleave_failing_probe;
static atomic_t interleave_fails;

/* Before the first instruction: the link register is that of the caller. */
static int interleave_fail(struct kprobe *probe, struct pt_regs *regs)
{
	if (!in_task() || atomic_cmpxchg(&interleave_fails, 1, 0) != 1)
		return 0;

	regs_set_return_value(regs, interleave_error);
	instruction_pointer_set(regs, procedure_link_pointer(regs));

	return 1;
}

static void interleave_let_succeed(void)
{
	atomic_set(&interleave_fails, 0);
	if (interleave_failing_probe.addr)
		unregister_kprobe(&interleave_failing_probe);
	interleave_failing_probe = (struct kprobe){};
}

/* An empty name cancels it. */
static int interleave_set_fail(const char *text, const struct kernel_param *param)
{
	int err = 0;

	mutex_lock(&interleave_lock);
	interleave_let_succeed();
	interleave_error = -EINVAL;
	interleave_failing_probe.symbol_name = interleave_failing_name;
	interleave_failing_probe.pre_handler = interleave_fail;
	if (sscanf(text, "%63s %d", interleave_failing_name, &interleave_error) > 0)
		err = register_kprobe(&interleave_failing_probe);
	if (err || !interleave_failing_probe.addr)
		interleave_failing_probe = (struct kprobe){};
	else
		atomic_set(&interleave_fails, 1);
	mutex_unlock(&interleave_lock);

	return err;
}

static int interleave_get_fail(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n",
			  interleave_states[!!atomic_read(&interleave_fails)]);
}

static const struct kernel_param_ops interleave_fail_ops = {
	.set = interleave_set_fail,
	.get = interleave_get_fail,
};

module_param_cb(fail, &interleave_fail_ops, NULL, 0600);
MODULE_PARM_DESC(fail, "function whose next call fails, and its error");

/* Writing a register before a call */

static char interleave_writing_name[64];
static struct kprobe interleave_writing_probe;
static atomic_t interleave_writes;
static void __iomem *interleave_register;
static u64 interleave_value;

static int interleave_write(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_cmpxchg(&interleave_writes, 1, 0) != 1)
		return 0;

	if (IS_ALIGNED((unsigned long)interleave_register, sizeof(u64)))
		writeq(interleave_value, interleave_register);
	else
		writel(interleave_value, interleave_register);

	return 0;
}

static void interleave_do_not_write(void)
{
	atomic_set(&interleave_writes, 0);
	if (interleave_writing_probe.addr)
		unregister_kprobe(&interleave_writing_probe);
	interleave_writing_probe = (struct kprobe){};
	if (interleave_register)
		iounmap(interleave_register);
	interleave_register = NULL;
}

static int interleave_prepare_write(phys_addr_t address)
{
	int err;

	interleave_register = ioremap(address, sizeof(interleave_value));
	if (!interleave_register)
		return -ENOMEM;

	interleave_writing_probe.symbol_name = interleave_writing_name;
	interleave_writing_probe.pre_handler = interleave_write;
	err = register_kprobe(&interleave_writing_probe);
	if (err) {
		interleave_writing_probe = (struct kprobe){};
		interleave_do_not_write();
		return err;
	}
	atomic_set(&interleave_writes, 1);

	return 0;
}

static int interleave_set_write(const char *text, const struct kernel_param *param)
{
	unsigned long long address;
	int err = 0;

	mutex_lock(&interleave_lock);
	interleave_do_not_write();
	if (sscanf(text, "%63s %llx %llu", interleave_writing_name, &address,
		   &interleave_value) == 3)
		err = interleave_prepare_write(address);
	mutex_unlock(&interleave_lock);

	return err;
}

static int interleave_get_write(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n",
			  interleave_states[!!atomic_read(&interleave_writes)]);
}

static const struct kernel_param_ops interleave_write_ops = {
	.set = interleave_set_write,
	.get = interleave_get_write,
};

module_param_cb(write, &interleave_write_ops, NULL, 0600);
MODULE_PARM_DESC(write, "function, address and value: a register that is written before it");

static int __init interleave_init(void)
{
	return 0;
}
module_init(interleave_init);

static void __exit interleave_exit(void)
{
	interleave_stop_occupying();
	interleave_free_irq();
	interleave_do_not_write();
	interleave_let_succeed();
	interleave_disarm();
	wait_event(interleave_queue, !atomic_read(&interleave_inside));
	/* The last call may not have returned from this module yet. */
	synchronize_rcu_tasks();
}
module_exit(interleave_exit);

MODULE_DESCRIPTION("Holds calls and CPUs, makes calls fail, misdirects and shares interrupts");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
