/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compatibility with older kernels. Distributions backport interfaces to kernels
 * that keep their version, so what a kernel has is seen by its declarations:
 * ARM_SYSPMU_HAS_* of ../Kbuild, or types. Each entry names the subject of the
 * commit, and the release with it.
 */
#ifndef ARM_SYSPMU_COMPAT_H
#define ARM_SYSPMU_COMPAT_H

#include <linux/acpi.h>
#include <linux/acpi_iort.h>
#include <linux/hrtimer.h>
#include <linux/msi.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <linux/version.h>

/*
 * What perf knows about a PMU on a CPU.
 * 6.15 "perf/core: Detach 'struct perf_cpu_pmu_context' and 'struct pmu' lifetimes"
 * 6.2 "perf: Rewrite core context handling"
 */
#ifdef ARM_SYSPMU_HAS_CPU_PMU_CONTEXT
static inline struct perf_cpu_pmu_context *
arm_syspmu_context(struct pmu *pmu, int cpu)
{
	void __percpu *context = pmu->cpu_pmu_context;

	if (__same_type(pmu->cpu_pmu_context,
			(struct perf_cpu_pmu_context * __percpu *)NULL))
		return *per_cpu_ptr((struct perf_cpu_pmu_context * __percpu *)
				    context, cpu);
	return per_cpu_ptr((struct perf_cpu_pmu_context __percpu *)context, cpu);
}
#else
static inline struct perf_cpu_context *
arm_syspmu_context(struct pmu *pmu, int cpu)
{
	return per_cpu_ptr(pmu->pmu_cpu_context, cpu);
}
#endif

/*
 * The tick ends the throttling of members of groups, too, and not only with that
 * of their leader. Only the behaviour has changed: there is nothing to see.
 * 6.9 "perf/core: Reduce PMU access to adjust sample freq"
 */
static inline bool arm_syspmu_tick_knows_members(void)
{
	return LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0);
}

/* 6.13 "hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()" */
#ifndef ARM_SYSPMU_HAS_HRTIMER_SETUP
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/*
 * The attribute that the read callback of a binary attribute is called with. It
 * is const in newer kernels, whatever their version: "sysfs: treewide: switch
 * back to bin_attribute::read()/write()"
 */
#define arm_syspmu_read_bin_attribute					\
	typeof(*__builtin_choose_expr(					\
		__same_type(((struct bin_attribute *)NULL)->read,	\
			    (ssize_t (*)(struct file *, struct kobject *, \
					 const struct bin_attribute *,	\
					 char *, loff_t, size_t))NULL),	\
		(const struct bin_attribute *)NULL,			\
		(struct bin_attribute *)NULL))

/* 6.9 "platform-msi: Prepare for real per device domains" */
#ifndef ARM_SYSPMU_HAS_PLATFORM_DEVICE_MSI
#define platform_device_msi_init_and_alloc_irqs platform_msi_domain_alloc_irqs
#define platform_device_msi_free_irqs_all	platform_msi_domain_free_irqs
#endif

/* "arm64: acpi: Add acpi_get_cpu_uid() for unified ACPI CPU UID retrieval" */
#if defined(CONFIG_ACPI) && !defined(ARM_SYSPMU_HAS_ACPI_GET_CPU_UID)
static inline int acpi_get_cpu_uid(unsigned int cpu, u32 *uid)
{
	struct acpi_madt_generic_interrupt *gicc = acpi_cpu_get_madt_gicc(cpu);

	if (!gicc)
		return -ENODEV;
	*uid = gicc->uid;
	return 0;
}
#endif

/*
 * The kernel's own drivers of such PMUs set the parent since 6.10, and programs
 * look for the PMUs of older kernels in /sys/devices: do the same.
 */
static inline void arm_syspmu_set_parent(struct pmu *pmu, struct device *dev)
{
#ifdef ARM_SYSPMU_HAS_PMU_PARENT
	if (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0))
		pmu->parent = dev;
#endif
}

#endif /* ARM_SYSPMU_COMPAT_H */
