/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compatibility with older kernels. Each entry names the release with the
 * change and the subject of its commit.
 */
#ifndef ARM_SYSPMU_COMPAT_H
#define ARM_SYSPMU_COMPAT_H

#include <linux/acpi_iort.h>
#include <linux/hrtimer.h>
#include <linux/msi.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <linux/version.h>

/*
 * Timer with which perf rotates the events of a PMU on a CPU.
 * 6.15 "perf/core: Detach 'struct perf_cpu_pmu_context' and 'struct pmu' lifetimes"
 * 6.2 "perf: Rewrite core context handling"
 */
static inline struct hrtimer *arm_syspmu_rotation(struct pmu *pmu, int cpu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return &per_cpu_ptr(pmu->pmu_cpu_context, cpu)->hrtimer;
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	return &per_cpu_ptr(pmu->cpu_pmu_context, cpu)->hrtimer;
#else
	return &(*per_cpu_ptr(pmu->cpu_pmu_context, cpu))->hrtimer;
#endif
}

/*
 * Whether perf has called pmu_disable(), and not yet pmu_enable(), on this CPU.
 * 6.15: struct perf_cpu_pmu_context has the count
 */
static inline bool arm_syspmu_is_disabled(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	return *this_cpu_ptr(pmu->pmu_disable_count);
#else
	return (*this_cpu_ptr(pmu->cpu_pmu_context))->pmu_disable_count;
#endif
}

/* 6.16 "perf: Fix the throttle logic for a group": perf stops all events. */
static inline bool arm_syspmu_throttles_groups(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0);
}

/*
 * 6.9 "perf/core: Reduce PMU access to adjust sample freq": the tick only ends
 * the throttling of the leaders of groups, until the change above.
 */
static inline bool arm_syspmu_tick_forgets_members(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0) &&
	       !arm_syspmu_throttles_groups();
}

/* 6.13 "hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()" */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
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

/* 6.10 "tracing/treewide: Remove second parameter of __assign_str()" */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define arm_syspmu_assign_str(dst, src)	__assign_str(dst, src)
#else
#define arm_syspmu_assign_str(dst, src)	__assign_str(dst)
#endif

/*
 * 6.6 and 6.1.y "perf/smmuv3: Enable HiSilicon Erratum 162001900 quirk for
 * HIP08/09". Older kernels never report this model.
 */
#ifndef IORT_SMMU_V3_PMCG_HISI_HIP09
#define IORT_SMMU_V3_PMCG_HISI_HIP09	2
#endif

/* 6.9 "platform-msi: Prepare for real per device domains" */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define platform_device_msi_init_and_alloc_irqs platform_msi_domain_alloc_irqs
#define platform_device_msi_free_irqs_all	platform_msi_domain_free_irqs
#endif

/* 6.7 "perf: Allow a PMU to have a parent" */
static inline void arm_syspmu_set_parent(struct pmu *pmu, struct device *dev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	pmu->parent = dev;
#endif
}

#endif /* ARM_SYSPMU_COMPAT_H */
