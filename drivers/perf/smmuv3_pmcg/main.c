// SPDX-License-Identifier: GPL-2.0
/*
 * Driver for the Performance Monitor Counter Groups of the Arm SMMUv3 (IHI 0070
 * chapter 10).
 *
 * Each counter group is a PMU, named after the physical address of its page 0:
 * smmuv3_pmcg_<address >> 12>. Groups are described by IORT or devicetree.
 */

#include <linux/acpi.h>
#include <linux/acpi_iort.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "pmcg.h"
#include "../arm_syspmu/compat.h"

/* The first one is left out if the SMMU is not known. */
static const struct attribute_group *pmcg_attr_groups[] = {
	&pmcg_topology_group,
	&arm_syspmu_common_group,
	&pmcg_events_group,
	&pmcg_caps_group,
	&pmcg_format_group,
	NULL
};

/* Older kernels do not know all machines that have it. */
static bool pmcg_has_erratum_162001900(void)
{
#ifdef CONFIG_ACPI
	static const struct acpi_platform_list machines[] = {
		{ "HISI  ", "HIP09   ", 0, ACPI_SIG_IORT, all_versions },
		{ "HISI  ", "HIP09A  ", 0, ACPI_SIG_IORT, all_versions },
		{ "HISI  ", "HIP10   ", 0, ACPI_SIG_IORT, all_versions },
		{ "HISI  ", "HIP10C  ", 0, ACPI_SIG_IORT, all_versions },
		{ "HISI  ", "HIP11   ", 0, ACPI_SIG_IORT, all_versions },
		{ }
	};

	return acpi_match_platform_list(machines) >= 0;
#else
	return false;
#endif
}

/*
 * In Arm's MMU-600 and MMU-700, page 0 of the TCU is at this offset from the
 * SMMU, and page 1 at this offset from page 0. UEFI of Ampere Altra describes
 * page 1 where that of a TBU is.
 */
#define PMCG_TCU_PAGE0			0x2000
#define PMCG_TCU_PAGE1			0x20000

static void pmcg_try_page1(struct smmuv3_pmcg *pmcg,
			   const struct resource *page0,
			   const struct resource *described)
{
	struct platform_device *smmu = to_platform_device(pmcg->smmu);
	struct resource *base = platform_get_resource(smmu, IORESOURCE_MEM, 0);
	struct resource res = DEFINE_RES_MEM(page0->start + PMCG_TCU_PAGE1,
					     SZ_4K);
	void __iomem *page1 = pmcg->page1, *other;

	if (!base || base->start + PMCG_TCU_PAGE0 != page0->start ||
	    described->start == res.start ||
	    arm_syspmu_keeps_values(&pmcg->syspmu, 0))
		return;

	other = devm_ioremap_resource(pmcg->syspmu.dev, &res);
	if (IS_ERR(other))
		return;
	pmcg->page1 = other;
	if (arm_syspmu_keeps_values(&pmcg->syspmu, 0))
		dev_warn(pmcg->syspmu.dev,
			 "page 1 of the TCU is at 0x%llx, not at 0x%llx: firmware must be corrected\n",
			 (u64)res.start, (u64)described->start);
	else
		pmcg->page1 = page1;
}

/* Maps page 1, if the group has one. */
static int pmcg_map_page1(struct smmuv3_pmcg *pmcg,
			  struct platform_device *pdev,
			  const struct resource *page0)
{
	struct resource *res = platform_get_resource(pdev, IORESOURCE_MEM, 1);
	int err;

	pmcg->page1 = pmcg->page0;
	if (!pmcg->relocated)
		return 0;

	if (!res || !res->start)
		return dev_err_probe(&pdev->dev, -ENODEV,
				     "CFGR.RELOC_CTRS is set, but page 1 has no address: firmware must describe it\n");
	err = arm_syspmu_map_page(&pmcg->syspmu, 1, res, &pmcg->page1);
	if (err)
		return err;
	if (pmcg->smmu && pmcg_is_tcu(pmcg))
		pmcg_try_page1(pmcg, page0, res);

	return 0;
}

int pmcg_setup(struct arm_syspmu *syspmu, struct platform_device *pdev)
{
	const u32 *platdata = dev_get_platdata(&pdev->dev);
	u32 model = platdata ? *platdata : IORT_SMMU_V3_PMCG_GENERIC;
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	struct resource *res = platform_get_resource(pdev, IORESOURCE_MEM, 0);
	int err = arm_syspmu_map_page(syspmu, 0, res, &pmcg->page0);

	if (err)
		return err;
	snprintf(pmcg->name, sizeof(pmcg->name), "smmuv3_pmcg_%llx",
		 (u64)res->start >> 12);
	syspmu->pmu.name = pmcg->name;

	err = pmcg_identify(pmcg);
	if (err)
		return err;
	pmcg_find_topology(pmcg, res->start);
	err = pmcg_map_page1(pmcg, pdev, res);
	if (err)
		return err;

	/* Erratum 162001800. The kernel takes the model from the IORT. */
	syspmu->read_only_counters = model == IORT_SMMU_V3_PMCG_HISI_HIP08;
	/* Erratum 162001900 */
	pmcg->counts_when_disabled = model == IORT_SMMU_V3_PMCG_HISI_HIP08 ||
				     pmcg_has_erratum_162001900();
	/* Counters that a crashed kernel has left would count during checks. */
	if (pmcg->counts_when_disabled)
		pmcg_ops.reset(syspmu);

	pmcg_set_format(pmcg);
	syspmu->attr_groups = pmcg_attr_groups + !pmcg->smmu;

	return 0;
}

static int pmcg_probe(struct platform_device *pdev)
{
	struct smmuv3_pmcg *pmcg = kzalloc(sizeof(*pmcg), GFP_KERNEL);
	int err;

	if (!pmcg)
		return -ENOMEM;

	err = arm_syspmu_probe(&pmcg->syspmu, pdev, &pmcg_ops);
	if (err)
		return err;

	dev_info(&pdev->dev,
		 "%s: %u counters of %u bits, %s StreamID filter, overflow interrupt: %s\n",
		 pmcg->name, pmcg->syspmu.num_counters,
		 pmcg->syspmu.counter_bits,
		 pmcg->one_filter ? "one" : "each with a",
		 arm_syspmu_delivery_name(&pmcg->syspmu));

	return 0;
}

static const struct of_device_id pmcg_of_match[] = {
	{ .compatible = "arm,smmu-v3-pmcg" },
	{ }
};
MODULE_DEVICE_TABLE(of, pmcg_of_match);

/* Devices created from the IORT, which are named after the in-tree driver */
static const struct platform_device_id pmcg_id_table[] = {
	{ .name = "arm-smmu-v3-pmcg" },
	{ }
};
MODULE_DEVICE_TABLE(platform, pmcg_id_table);

static struct platform_driver pmcg_driver = {
	.driver = {
		.name = "arm_smmuv3_pmcg",
		.of_match_table = pmcg_of_match,
		.pm = pm_sleep_ptr(&arm_syspmu_pm_ops),
	},
	.id_table = pmcg_id_table,
	.probe = pmcg_probe,
	.shutdown = arm_syspmu_shutdown,
};
module_platform_driver(pmcg_driver);

MODULE_DESCRIPTION("perf driver for Arm SMMUv3 Performance Monitor Counter Groups");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_VERSION(ARM_SYSPMU_VERSION);
MODULE_LICENSE("GPL");
