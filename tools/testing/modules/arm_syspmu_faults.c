// SPDX-License-Identifier: GPL-2.0
/*
 * Fault injection for the calls of a driver's probe: lookups of what firmware describes, and
 * requests of resources. When n is written to the parameter "nth", the n-th of these calls by the
 * writing task fails, as with /proc/self/fail-nth for allocations: the function does nothing and
 * returns the value that it returns on failure. The parameter reads as the number of calls that are
 * left, 0 after one has failed.
 */

#include <linux/acpi.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

/* A function that can be made to fail. */
struct fault_point {
	struct kprobe probe;	/* at its entry */
	long result;	/* the value that it returns then */
	/* For all callers; otherwise only if it is called by one of the drivers */
	bool any_caller;
};

/* Both are only used by this task; other tasks only compare the first one. */
static struct task_struct *fault_task;
static unsigned int fault_left;

static int fault_set(const char *text, const struct kernel_param *param)
{
	int err = kstrtouint(text, 0, &fault_left);

	WRITE_ONCE(fault_task, !err && fault_left ? current : NULL);

	return err;
}

static int fault_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%u\n", fault_left);
}

static const struct kernel_param_ops fault_ops = {
	.set = fault_set,
	.get = fault_get,
};

module_param_cb(nth, &fault_ops, NULL, 0600);
MODULE_PARM_DESC(nth, "which of the next calls of this task fails");

/*
 * While a driver binds, the kernel makes lookups as well, with ACPI by the same functions. A module
 * can only recognise a caller by its name.
 */
static bool fault_is_of_driver(unsigned long caller)
{
	char symbol[KSYM_SYMBOL_LEN];

	snprintf(symbol, sizeof(symbol), "%pS", (void *)caller);

	return strstr(symbol, "[arm_syspmu]") ||
	       strstr(symbol, "[arm_smmuv3_pmcg]") ||
	       strstr(symbol, "[arm_coresight_pmu]");
}

/* Before the first instruction: the link register is that of the caller. */
static int fault_before(struct kprobe *probe, struct pt_regs *regs)
{
	struct fault_point *point =
		container_of(probe, struct fault_point, probe);

	if (!in_task() || current != READ_ONCE(fault_task))
		return 0;
	if (!point->any_caller &&
	    !fault_is_of_driver(procedure_link_pointer(regs)))
		return 0;
	if (!fault_left || --fault_left)
		return 0;

	regs_set_return_value(regs, point->result);
	instruction_pointer_set(regs, procedure_link_pointer(regs));

	return 1;
}

#define FAULT_POINT_OF(function, value, any) {				\
	.probe = {							\
		.symbol_name = #function,				\
		.pre_handler = fault_before,				\
	},								\
	.result = (value),						\
	.any_caller = (any),						\
}

#define FAULT_POINT(function, value)					\
	FAULT_POINT_OF(function, value, false)
#define INNER_FAULT_POINT(function, value)				\
	FAULT_POINT_OF(function, value, true)

/*
 * First the functions that the drivers call themselves: the job "fault-points" checks that none is
 * missing. Then those called by these, whose failure may have a different effect.
 */
static struct fault_point fault_points[] = {
	FAULT_POINT(__cpuhp_state_add_instance, -ENOSPC),
	FAULT_POINT(__of_parse_phandle_with_args, -ENOENT),
	FAULT_POINT(acpi_cpu_get_madt_gicc, 0),
	FAULT_POINT(acpi_dev_get_first_match_dev, 0),
	FAULT_POINT(acpi_dev_get_memory_resources, -ENODEV),
	FAULT_POINT(acpi_dev_uid_to_integer, -ENODEV),
	FAULT_POINT(acpi_get_table, AE_NOT_FOUND),
	FAULT_POINT(bus_find_device, 0),
	FAULT_POINT(device_property_read_u32_array, -EINVAL),
	FAULT_POINT(devm_ioremap, 0),
	FAULT_POINT(devm_ioremap_resource, -EBUSY),
	FAULT_POINT(devm_platform_get_and_ioremap_resource, -EINVAL),
	FAULT_POINT(devm_platform_ioremap_resource, -EINVAL),
	FAULT_POINT(fwnode_find_reference, -ENOENT),
	FAULT_POINT(fwnode_property_read_u32_array, -EINVAL),
	FAULT_POINT(get_cpu_device, 0),
	FAULT_POINT(irq_set_affinity, -EINVAL),
	FAULT_POINT(kernfs_find_and_get_ns, 0),
	FAULT_POINT(kset_find_obj, 0),
	FAULT_POINT(msi_domain_get_virq, 0),
	FAULT_POINT(of_cpu_node_to_id, -ENODEV),
	FAULT_POINT(of_find_compatible_node, 0),
	FAULT_POINT(of_property_read_u64, -EINVAL),
	FAULT_POINT(of_property_read_variable_u32_array, -EINVAL),
	FAULT_POINT(perf_pmu_register, -ENOSPC),
	FAULT_POINT(platform_device_msi_init_and_alloc_irqs, -ENOSPC),
	FAULT_POINT(platform_get_irq_optional, -EINVAL),
	FAULT_POINT(platform_get_resource, 0),
	FAULT_POINT(register_kprobe, -EOPNOTSUPP),
	FAULT_POINT(request_threaded_irq, -EBUSY),

	INNER_FAULT_POINT(__devm_request_region, 0),
	INNER_FAULT_POINT(generic_ioremap_prot, 0),
	INNER_FAULT_POINT(irq_create_fwspec_mapping, 0),
	INNER_FAULT_POINT(of_irq_get, -ENXIO),
	INNER_FAULT_POINT(of_irq_parse_one, -EINVAL),
};

static bool fault_registered[ARRAY_SIZE(fault_points)];

static void fault_unregister(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(fault_points); i++)
		if (fault_registered[i])
			unregister_kprobe(&fault_points[i].probe);
}

/* Ignore functions that this kernel does not have. */
static int __init fault_init(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(fault_points); i++) {
		err = register_kprobe(&fault_points[i].probe);
		if (err && err != -ENOENT) {
			fault_unregister();
			return err;
		}
		fault_registered[i] = !err;
	}

	return 0;
}
module_init(fault_init);

static void __exit fault_exit(void)
{
	fault_unregister();
}
module_exit(fault_exit);

MODULE_DESCRIPTION("Lets lookups and requests of a probe fail on demand");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
