// SPDX-License-Identifier: GPL-2.0
/*
 * Driver for PMUs of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091), described by devicetree or APMT.
 */

#include <linux/device.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "coresight_pmu.h"

unsigned int cspmu_chain_parameter;
module_param_named(chain, cspmu_chain_parameter, uint, 0444);
MODULE_PARM_DESC(chain, "number of the CHAIN event of PMUs of unknown products");

int cspmu_setup(struct arm_syspmu *syspmu, struct platform_device *pdev)
{
	struct cspmu *cspmu = to_cspmu(syspmu);
	const struct resource *res;
	int err;

	syspmu->near_cpus = &cspmu->cpus;
	res = platform_get_resource(pdev, IORESOURCE_MEM, 0);
	err = cspmu_read_firmware(cspmu) ?:
	      arm_syspmu_map_page(syspmu, 0, res, &cspmu->page0);
	if (err)
		return err;
	cspmu->base = res->start;
	cspmu->page1 = cspmu->page0;
	res = platform_get_resource(pdev, IORESOURCE_MEM, 1);
	if (res)
		err = arm_syspmu_map_page(syspmu, 1, res, &cspmu->page1);
	err = err ?: cspmu_identify(cspmu);
	if (err)
		return err;
	cspmu_find_slots(cspmu);
	cspmu_set_format(cspmu);
	cspmu_choose_name(cspmu);
	return 0;
}

static int cspmu_probe(struct platform_device *pdev)
{
	struct cspmu *cspmu = kzalloc(sizeof(*cspmu), GFP_KERNEL);
	int err;

	if (!cspmu)
		return -ENOMEM;
	err = arm_syspmu_probe(&cspmu->syspmu, pdev, &cspmu_ops);
	if (err)
		return err;

	dev_info(&pdev->dev,
		 "%s: %u monitors of up to %u bits%s%s%s, overflow interrupt: %s\n",
		 cspmu->name, bitmap_weight(cspmu->valid, CSPMU_MAX_MONITORS),
		 cspmu->syspmu.counter_bits,
		 bitmap_empty(cspmu->upper, CSPMU_MAX_MONITORS) ?
		 "" : ", some of them pairs",
		 cspmu_has_cycle_counter(cspmu) ? " with a cycle counter" : "",
		 cspmu_security_text(cspmu),
		 arm_syspmu_delivery_name(&cspmu->syspmu));
	return 0;
}

static const struct of_device_id cspmu_of_match[] = {
	{ .compatible = "arm,coresight-pmu" },
	{ }
};
MODULE_DEVICE_TABLE(of, cspmu_of_match);

/* Devices created from APMT, which are named after the in-tree driver */
static const struct platform_device_id cspmu_id_table[] = {
	{ .name = "arm-cs-arch-pmu" },
	{ }
};
MODULE_DEVICE_TABLE(platform, cspmu_id_table);

static struct platform_driver cspmu_driver = {
	.driver = {
		.name = "arm_coresight_pmu",
		.of_match_table = cspmu_of_match,
		.pm = pm_sleep_ptr(&arm_syspmu_pm_ops),
	},
	.id_table = cspmu_id_table,
	.probe = cspmu_probe,
	.shutdown = arm_syspmu_shutdown,
};
module_platform_driver(cspmu_driver);

MODULE_DESCRIPTION("perf driver for PMUs of the CoreSight PMU architecture");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_VERSION(ARM_SYSPMU_VERSION);
MODULE_LICENSE("GPL");
