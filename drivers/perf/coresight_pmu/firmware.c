// SPDX-License-Identifier: GPL-2.0
/*
 * What devicetree and ACPI say about a PMU of the CoreSight Performance
 * Monitoring Unit architecture: its name, its affinity, and whether 64-bit
 * accesses to it are atomic. APMT is specified by Arm DEN0117.
 */

#include <linux/acpi.h>
#include <linux/cpu.h>
#include <linux/ctype.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/topology.h>

#include "../arm_syspmu/compat.h"
#include "coresight_pmu.h"

/* The ACPI device that the node refers to, or NULL */
static struct acpi_device *cspmu_get_acpi_device(const struct cspmu *cspmu)
{
	char uid[12];

	if (!*cspmu->hid)
		return NULL;
	snprintf(uid, sizeof(uid), "%u", cspmu->uid);
	return acpi_dev_get_first_match_dev(cspmu->hid, uid, -1);
}

static int cspmu_find_instance(const struct cspmu *cspmu, u32 *instance)
{
	struct acpi_device *adev = cspmu_get_acpi_device(cspmu);
	int err;

	if (!adev)
		return -ENODEV;
	err = fwnode_property_read_u32(acpi_fwnode_handle(adev), "instance_id",
				       instance);
	acpi_dev_put(adev);
	return err;
}

#ifdef CONFIG_ACPI_APMT

static const char * const cspmu_apmt_types[] = {
	[ACPI_APMT_NODE_TYPE_MC] = "mc",
	[ACPI_APMT_NODE_TYPE_SMMU] = "smmu",
	[ACPI_APMT_NODE_TYPE_PCIE_ROOT] = "pcie",
	[ACPI_APMT_NODE_TYPE_ACPI] = "acpi",
	[ACPI_APMT_NODE_TYPE_CACHE] = "cache",
};

static int cspmu_check_node(struct device *dev,
			    const struct acpi_apmt_node *node)
{
	/* The kernel creates a device for a node that is too short as well. */
	if (node->length < sizeof(*node))
		return dev_err_probe(dev, -ENODEV,
				     "APMT node %u: its length is %u, not %zu: firmware must be corrected\n",
				     node->id, node->length, sizeof(*node));
	if (node->flags & ACPI_APMT_FLAGS_DUAL_PAGE && !node->base_address1)
		return dev_err_probe(dev, -ENODEV,
				     "APMT node %u: it has two pages, but the address of page 1 is 0: firmware must be corrected\n",
				     node->id);
	return 0;
}

/* A processor container has the HID ACPI0010. */
static bool cspmu_is_in_container(unsigned int cpu, u32 uid)
{
	struct device *dev = get_cpu_device(cpu);
	struct acpi_device *adev = dev ? ACPI_COMPANION(dev) : NULL;
	u64 actual;

	for (; adev; adev = acpi_dev_parent(adev))
		if (!strcmp(acpi_device_hid(adev), "ACPI0010") &&
		    !acpi_dev_uid_to_integer(adev, &actual) && actual == uid)
			return true;
	return false;
}

static void cspmu_find_cpus_of_node(struct cspmu *cspmu,
				    const struct acpi_apmt_node *node)
{
	bool container = node->flags & ACPI_APMT_FLAGS_AFFINITY;
	u32 uid = node->proc_affinity, actual;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (container ? cspmu_is_in_container(cpu, uid) :
				!acpi_get_cpu_uid(cpu, &actual) && actual == uid)
			cpumask_set_cpu(cpu, &cspmu->cpus);
	if (cpumask_empty(&cspmu->cpus))
		dev_warn(cspmu->syspmu.dev,
			 "APMT node %u: no CPU has processor%s UID %u: the PMU is taken to be near to all\n",
			 node->id, container ? " container" : "", uid);
}

/* The HID is part of a file name. */
static bool cspmu_is_hid(const char *hid)
{
	const char *end = hid;

	while (isalnum(*end))
		end++;
	return end > hid && !*end;
}

/* As the in-tree driver of Linux 7.3 chooses the name of those that it knows */
static int cspmu_name_node(struct cspmu *cspmu,
			   const struct acpi_apmt_node *node)
{
	u32 number = node->inst_secondary;

	switch (node->type) {
	case ACPI_APMT_NODE_TYPE_MC:
		number = node->id;
		break;
	case ACPI_APMT_NODE_TYPE_SMMU:
	case ACPI_APMT_NODE_TYPE_PCIE_ROOT:
		number = node->inst_primary;
		break;
	case ACPI_APMT_NODE_TYPE_ACPI:
		memcpy(cspmu->hid, &node->inst_primary,
		       sizeof(node->inst_primary));
		cspmu->uid = node->inst_secondary;
		if (!cspmu_is_hid(cspmu->hid))
			return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
					     "APMT node %u: its instance 0x%llx is not the HID of a device: firmware must be corrected\n",
					     node->id, node->inst_primary);
		break;
	case ACPI_APMT_NODE_TYPE_CACHE:
		break;
	/* The type does not tell what the registers are. */
	default:
		snprintf(cspmu->name, sizeof(cspmu->name), "arm_cspmu_%u_%u",
			 node->type, node->id);
		return 0;
	}

	snprintf(cspmu->name, sizeof(cspmu->name), "arm_cspmu_%s%s%s_%u",
		 cspmu_apmt_types[node->type], *cspmu->hid ? "_" : "",
		 cspmu->hid, number);
	return 0;
}

/* The platform device has a pointer to its node in APMT. */
static int cspmu_read_apmt(struct cspmu *cspmu)
{
	struct platform_device *pdev = to_platform_device(cspmu->syspmu.dev);
	const struct acpi_apmt_node *const *data = dev_get_platdata(&pdev->dev);
	const struct acpi_apmt_node *node;
	int err;

	if (!data)
		return dev_err_probe(&pdev->dev, -ENODEV,
				     "neither devicetree nor APMT describes it\n");
	node = *data;
	err = cspmu_check_node(&pdev->dev, node) ?:
	      cspmu_name_node(cspmu, node);
	if (err)
		return err;
	cspmu->halves = !(node->flags & ACPI_APMT_FLAGS_ATOMIC);
	cspmu->iidr = node->impl_id;
	cspmu_find_cpus_of_node(cspmu, node);
	/* The kernel does not tell which device lacks its interrupt. */
	if (node->ovflw_irq && !platform_get_resource(pdev, IORESOURCE_IRQ, 0))
		dev_warn(&pdev->dev,
			 "APMT node %u: the kernel has refused interrupt %u, which another node may have with another trigger: overflows are noticed without it\n",
			 node->id, node->ovflw_irq);
	return 0;
}

/* Maps the first memory resource of the ACPI device. */
void __iomem *cspmu_map_acpi_device(const struct cspmu *cspmu,
				    resource_size_t size)
{
	struct acpi_device *adev = cspmu_get_acpi_device(cspmu);
	void __iomem *registers = IOMEM_ERR_PTR(-ENODEV);
	struct resource_entry *entry;
	LIST_HEAD(resources);

	if (adev && acpi_dev_get_memory_resources(adev, &resources) > 0) {
		entry = list_first_entry(&resources, struct resource_entry,
					 node);
		if (resource_size(entry->res) >= size)
			registers = devm_ioremap_resource(cspmu->syspmu.dev,
							  entry->res);
	}
	acpi_dev_free_resource_list(&resources);
	acpi_dev_put(adev);
	return registers;
}

#else

static int cspmu_read_apmt(struct cspmu *cspmu)
{
	return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
			     "this kernel has no support for APMT\n");
}

void __iomem *cspmu_map_acpi_device(const struct cspmu *cspmu,
				    resource_size_t size)
{
	return IOMEM_ERR_PTR(-ENODEV);
}

#endif /* CONFIG_ACPI_APMT */

/* The order in which the in-tree driver probes the PMUs of the devicetree */
static unsigned int cspmu_number_in_tree(const struct device_node *node)
{
	struct device_node *other;
	unsigned int number = 0;

	for_each_compatible_node(other, NULL, "arm,coresight-pmu") {
		if (other == node)
			break;
		number += of_device_is_available(other);
	}
	of_node_put(other);
	return number;
}

static int cspmu_find_cpus_in_tree(struct cspmu *cspmu)
{
	struct device_node *node = cspmu->syspmu.dev->of_node, *cpu_node;
	unsigned int n;
	int cpu;

	for (n = 0; (cpu_node = of_parse_phandle(node, "cpus", n)); n++) {
		cpu = of_cpu_node_to_id(cpu_node);
		of_node_put(cpu_node);
		if (cpu >= 0)
			cpumask_set_cpu(cpu, &cspmu->cpus);
	}
	if (n && cpumask_empty(&cspmu->cpus))
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "cpus: none of the %u CPUs exists, the devicetree must be corrected\n",
				     n);
	return 0;
}

int cspmu_read_firmware(struct cspmu *cspmu)
{
	struct device *dev = cspmu->syspmu.dev;
	u32 width = 4;

	if (!dev->of_node)
		return cspmu_read_apmt(cspmu);
	device_property_read_u32(dev, "reg-io-width", &width);
	cspmu->halves = width != 8;
	snprintf(cspmu->name, sizeof(cspmu->name), "arm_cspmu_%u",
		 cspmu_number_in_tree(dev->of_node));
	return cspmu_find_cpus_in_tree(cspmu);
}

/* Replaces the name from firmware if the product has another. */
static void cspmu_use_name_of_product(struct cspmu *cspmu)
{
	const struct cspmu_product *product = cspmu->product;
	unsigned int cpu = cpumask_first(&cspmu->cpus), number = 0;
	u32 instance = 0;

	if (!product->name)
		return;
	if (product->has_instance && cspmu_find_instance(cspmu, &instance)) {
		dev_warn(cspmu->syspmu.dev,
			 "firmware does not give the instance_id that its name consists of\n");
		return;
	}
	if (!product->counted)
		number = max(cpu_to_node(cpu < nr_cpu_ids ? cpu : 0), 0);
	do {
		snprintf(cspmu->name, sizeof(cspmu->name), product->name,
			 number++, instance);
	} while (product->counted &&
		 arm_syspmu_is_name_taken(&cspmu->syspmu, cspmu->name));
}

/* If another PMU has the name already, the address of page 0 is added. */
void cspmu_choose_name(struct cspmu *cspmu)
{
	char *name = cspmu->name;
	size_t length;

	cspmu->syspmu.pmu.name = name;
	cspmu_use_name_of_product(cspmu);
	if (!arm_syspmu_is_name_taken(&cspmu->syspmu, name))
		return;
	length = strlen(name);
	snprintf(name + length, sizeof(cspmu->name) - length, "_%llx",
		 (u64)cspmu->base >> 12);
	dev_info(cspmu->syspmu.dev, "there is a PMU %.*s already: this one is %s\n",
		 (int)length, name, name);
}
