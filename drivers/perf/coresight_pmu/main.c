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

/* Firmware may describe a page twice: its first user keeps it. */
static int cspmu_map_page(struct device *dev, const struct resource *res,
			  unsigned int n, void __iomem **page)
{
	if (!devm_request_mem_region(dev, res->start, resource_size(res),
				     dev_name(dev)))
		return dev_err_probe(dev, -ENODEV,
				     "page %u at %pa is used by another driver or PMU already: firmware may describe it twice\n",
				     n, &res->start);
	*page = devm_ioremap(dev, res->start, resource_size(res));
	return *page ? 0 : -ENOMEM;
}

int cspmu_setup(struct arm_syspmu *syspmu, struct platform_device *pdev)
{
	struct cspmu *cspmu = to_cspmu(syspmu);
	const struct resource *res;
	int err;

	res = platform_get_resource(pdev, IORESOURCE_MEM, 0);
	if (!res)
		return dev_err_probe(&pdev->dev, -ENODEV,
				     "firmware does not give an address\n");
	cspmu->base = res->start;
	syspmu->near_cpus = &cspmu->cpus;
	err = cspmu_read_firmware(cspmu) ?:
	      cspmu_map_page(&pdev->dev, res, 0, &cspmu->page0);
	if (err)
		return err;
	cspmu->page1 = cspmu->page0;
	res = platform_get_resource(pdev, IORESOURCE_MEM, 1);
	if (res)
		err = cspmu_map_page(&pdev->dev, res, 1, &cspmu->page1);
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
