// SPDX-License-Identifier: GPL-2.0
/*
 * The SMMU that a Performance Monitor Counter Group belongs to, and the devices
 * behind it with the StreamIDs that events can be filtered by.
 */

#include <linux/acpi.h>
#include <linux/device.h>
#include <linux/iommu.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/sysfs.h>

#include "pmcg.h"

static struct device *pmcg_find_smmu_of(struct smmuv3_pmcg *pmcg)
{
	struct platform_device *pdev = NULL;
	struct device_node *node;

	node = of_parse_phandle(pmcg->syspmu.dev->of_node, "arm,smmu", 0);
	if (node)
		pdev = of_find_device_by_node(node);
	of_node_put(node);

	return pdev ? &pdev->dev : NULL;
}

#ifdef CONFIG_ACPI

/* Returns the node at an offset in the IORT, or NULL if IORT is invalid. */
static struct acpi_iort_node *pmcg_iort_node(struct acpi_table_header *iort,
					     u32 offset)
{
	struct acpi_iort_node *node = (void *)iort + offset;
	size_t header = offsetof(struct acpi_iort_node, node_data);

	if (offset < sizeof(struct acpi_table_iort) ||
	    offset > iort->length - header || node->length < header ||
	    node->length > iort->length - offset)
		return NULL;

	return node;
}

static bool pmcg_iort_holds(const struct acpi_iort_node *node, size_t data)
{
	return node->length >= offsetof(struct acpi_iort_node, node_data) +
			       data;
}

static struct acpi_iort_pmcg *pmcg_iort_find(struct acpi_table_header *header,
					     phys_addr_t base)
{
	struct acpi_table_iort *iort = (struct acpi_table_iort *)header;
	u32 offset = iort->node_offset, n;
	struct acpi_iort_node *node;
	struct acpi_iort_pmcg *data;

	for (n = 0; n < iort->node_count; n++) {
		node = pmcg_iort_node(header, offset);
		if (!node)
			break;
		data = (struct acpi_iort_pmcg *)node->node_data;
		if (node->type == ACPI_IORT_NODE_PMCG &&
		    pmcg_iort_holds(node, offsetofend(struct acpi_iort_pmcg,
						      node_reference)) &&
		    data->page0_base_address == base)
			return data;
		offset += node->length;
	}

	return NULL;
}

static int pmcg_match_smmu(struct device *dev, const void *data)
{
	const struct acpi_iort_smmu_v3 *smmu = data;
	struct platform_device *pdev = to_platform_device(dev);
	struct resource *res = platform_get_resource(pdev, IORESOURCE_MEM, 0);

	return res && res->start == smmu->base_address &&
	       strstarts(pdev->name, "arm-smmu-v3") &&
	       !strstarts(pdev->name, "arm-smmu-v3-pmcg");
}

static struct device *pmcg_find_smmu_acpi(struct smmuv3_pmcg *pmcg)
{
	struct acpi_table_header *iort;
	struct acpi_iort_node *node;
	struct acpi_iort_pmcg *data;
	struct device *smmu = NULL;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_IORT, 0, &iort)))
		return NULL;

	data = pmcg_iort_find(iort, pmcg->base);
	node = data ? pmcg_iort_node(iort, data->node_reference) : NULL;
	/* A PMCG can also belong to a named component or a root complex. */
	if (node && node->type == ACPI_IORT_NODE_SMMU_V3 &&
	    pmcg_iort_holds(node, offsetofend(struct acpi_iort_smmu_v3,
					      base_address)))
		smmu = bus_find_device(&platform_bus_type, NULL,
				       node->node_data, pmcg_match_smmu);
	acpi_put_table(iort);

	return smmu;
}

#else

static struct device *pmcg_find_smmu_acpi(struct smmuv3_pmcg *pmcg)
{
	return NULL;
}

#endif

/**
 * pmcg_find_smmu - find the SMMU that a counter group belongs to
 * @pmcg: the counter group. Its member smmu is set, to NULL if firmware does
 *	not describe the SMMU. The reference is dropped when @pmcg is freed.
 *
 * Context: process, at probe.
 */
void pmcg_find_smmu(struct smmuv3_pmcg *pmcg)
{
	if (pmcg->syspmu.dev->of_node)
		pmcg->smmu = pmcg_find_smmu_of(pmcg);
	else
		pmcg->smmu = pmcg_find_smmu_acpi(pmcg);
}

/*
 * sysfs
 */

#ifdef CONFIG_IOMMU_API

/**
 * struct pmcg_streams - state while listing StreamIDs
 * @smmu: list the devices behind this SMMU
 * @dev: device to list in the current IOMMU group
 * @buf: output, one page
 * @length: length of the output so far
 */
struct pmcg_streams {
	const struct device *smmu;
	struct device *dev;
	char *buf;
	int length;
};

/* Called under the lock of the IOMMU group, which keeps dev->iommu alive. */
static int pmcg_list_streams(struct device *dev, void *data)
{
	struct pmcg_streams *streams = data;
	struct iommu_fwspec *fwspec;
	char line[80];
	unsigned int i;
	int length;

	if (dev != streams->dev)
		return 0;

	fwspec = dev_iommu_fwspec_get(dev);
	if (!fwspec || fwspec->iommu_fwnode != dev_fwnode(streams->smmu))
		return 0;

	for (i = 0; i < fwspec->num_ids; i++) {
		length = scnprintf(line, sizeof(line), "%s 0x%x\n",
				   dev_name(dev), fwspec->ids[i]);
		/* Do not truncate a line at the end of the page. */
		if (streams->length + length >= PAGE_SIZE)
			return -ENOSPC;
		streams->length += sysfs_emit_at(streams->buf, streams->length,
						 "%s", line);
	}

	return 0;
}

static int pmcg_list_device(struct device *dev, void *data)
{
	struct iommu_group *group = iommu_group_get(dev);
	struct pmcg_streams *streams = data;
	int err;

	if (!group)
		return 0;

	streams->dev = dev;
	err = iommu_group_for_each_dev(group, streams, pmcg_list_streams);
	iommu_group_put(group);

	return err;
}

static ssize_t streams_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct pmcg_streams streams = {
		.smmu = dev_to_smmuv3_pmcg(dev)->smmu,
		.buf = buf,
	};
	int err;

	err = bus_for_each_dev(&platform_bus_type, NULL, &streams,
			       pmcg_list_device);
#ifdef CONFIG_PCI
	if (!err)
		bus_for_each_dev(&pci_bus_type, NULL, &streams,
				 pmcg_list_device);
#endif

	return streams.length;
}
static DEVICE_ATTR_RO(streams);

#endif /* CONFIG_IOMMU_API */

static ssize_t smmu_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_name(dev_to_smmuv3_pmcg(dev)->smmu));
}
static DEVICE_ATTR_RO(smmu);

static struct attribute *pmcg_topology_attrs[] = {
	&dev_attr_smmu.attr,
#ifdef CONFIG_IOMMU_API
	&dev_attr_streams.attr,
#endif
	NULL
};

static umode_t pmcg_topology_is_visible(struct kobject *kobj,
					struct attribute *attr, int n)
{
	return dev_to_smmuv3_pmcg(kobj_to_dev(kobj))->smmu ? attr->mode : 0;
}

const struct attribute_group pmcg_topology_group = {
	.attrs = pmcg_topology_attrs,
	.is_visible = pmcg_topology_is_visible,
};
