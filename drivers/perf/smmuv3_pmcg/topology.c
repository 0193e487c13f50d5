// SPDX-License-Identifier: GPL-2.0
/*
 * The SMMU that a Performance Monitor Counter Group belongs to, the CPUs near
 * it, and the devices behind it with their StreamIDs.
 */

#include <linux/acpi.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/iommu.h>
#include <linux/jhash.h>
#include <linux/kernfs.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/topology.h>

#include "pmcg.h"
#include "../arm_syspmu/compat.h"

/* The devices behind an SMMU and their StreamIDs, as text */
struct pmcg_list {
	const struct device *smmu;
	/* The device to look at */
	struct device *dev;
	size_t size;
	/* If it is not less than the size, the text is too long and cut off. */
	size_t length;
	char text[];
};

static struct device *pmcg_find_smmu_of(const struct device *dev)
{
	struct fwnode_handle *fwnode = fwnode_find_reference(dev_fwnode(dev),
							     "arm,smmu", 0);
	struct device *smmu;

	if (IS_ERR(fwnode))
		return NULL;

	smmu = bus_find_device_by_fwnode(&platform_bus_type, fwnode);
	fwnode_handle_put(fwnode);

	return smmu;
}

#ifdef CONFIG_ACPI

/* Returns the node at an offset in IORT, or NULL if its data is cut off. */
static struct acpi_iort_node *pmcg_iort_node(struct acpi_table_header *iort,
					     u32 offset, size_t data)
{
	size_t size = offsetof(struct acpi_iort_node, node_data) + data;
	struct acpi_iort_node *node = (void *)iort + offset;

	if (offset < sizeof(struct acpi_table_iort) ||
	    iort->length < size || offset > iort->length - size ||
	    node->length < size || node->length > iort->length - offset)
		return NULL;

	return node;
}

static struct acpi_iort_pmcg *pmcg_iort_find(struct acpi_table_header *header,
					     phys_addr_t base)
{
	size_t size = offsetofend(struct acpi_iort_pmcg, node_reference);
	struct acpi_table_iort *iort = (struct acpi_table_iort *)header;
	u32 offset = iort->node_offset, n;
	struct acpi_iort_node *node;
	struct acpi_iort_pmcg *pmcg;

	for (n = 0; n < iort->node_count; n++, offset += node->length) {
		node = pmcg_iort_node(header, offset, 0);
		if (!node)
			break;
		pmcg = (struct acpi_iort_pmcg *)node->node_data;
		if (node->type == ACPI_IORT_NODE_PMCG &&
		    pmcg_iort_node(header, offset, size) &&
		    pmcg->page0_base_address == base)
			return pmcg;
	}

	return NULL;
}

static int pmcg_match_smmu(struct device *dev, const void *data)
{
	const struct acpi_iort_smmu_v3 *smmu = data;
	struct platform_device *pdev = to_platform_device(dev);
	struct resource *res = platform_get_resource(pdev, IORESOURCE_MEM, 0);

	return res && res->start == smmu->base_address &&
	       !strcmp(pdev->name, "arm-smmu-v3");
}

static struct device *pmcg_find_smmu_acpi(phys_addr_t base)
{
	size_t size = offsetofend(struct acpi_iort_smmu_v3, base_address);
	struct acpi_iort_node *node = NULL;
	struct acpi_table_header *iort;
	struct acpi_iort_pmcg *pmcg;
	struct device *smmu = NULL;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_IORT, 0, &iort)))
		return NULL;

	pmcg = pmcg_iort_find(iort, base);
	if (pmcg)
		node = pmcg_iort_node(iort, pmcg->node_reference, size);
	/* A PMCG can also belong to a named component or a root complex. */
	if (node && node->type == ACPI_IORT_NODE_SMMU_V3)
		smmu = bus_find_device(&platform_bus_type, NULL,
				       node->node_data, pmcg_match_smmu);
	acpi_put_table(iort);

	return smmu;
}

#else

static struct device *pmcg_find_smmu_acpi(phys_addr_t base)
{
	return NULL;
}

#endif

/* Finds the SMMU, if firmware describes it, and the CPUs near the group. */
void pmcg_find_topology(struct smmuv3_pmcg *pmcg, phys_addr_t base)
{
	struct arm_syspmu *syspmu = &pmcg->syspmu;
	int node = dev_to_node(syspmu->dev);

	pmcg->smmu = pmcg_find_smmu_of(syspmu->dev) ?:
		     pmcg_find_smmu_acpi(base);
	if (pmcg->smmu && node == NUMA_NO_NODE)
		node = dev_to_node(pmcg->smmu);
	if (node != NUMA_NO_NODE)
		syspmu->near_cpus = cpumask_of_node(node);
}

#ifdef CONFIG_IOMMU_API

/* Called under the lock of the IOMMU group, which keeps dev->iommu alive. */
static int pmcg_list_streams(struct device *dev, void *data)
{
	struct pmcg_list *list = data;
	struct iommu_fwspec *fwspec;
	unsigned int i;
	size_t at;

	if (dev != list->dev)
		return 0;

	fwspec = dev_iommu_fwspec_get(dev);
	if (!fwspec || fwspec->iommu_fwnode != dev_fwnode(list->smmu))
		return 0;

	for (i = 0; i < fwspec->num_ids; i++) {
		at = min(list->length, list->size);
		list->length += snprintf(list->text + at, list->size - at,
					 "%s 0x%x\n", dev_name(dev),
					 fwspec->ids[i]);
	}

	return 0;
}

static int pmcg_list_device(struct device *dev, void *data)
{
	struct iommu_group *group = iommu_group_get(dev);
	struct pmcg_list *list = data;

	if (group) {
		list->dev = dev;
		iommu_group_for_each_dev(group, list, pmcg_list_streams);
		iommu_group_put(group);
	}

	return 0;
}

/* Returns NULL if there is no memory. A list that is too small is made anew. */
static struct pmcg_list *pmcg_make_list(const struct device *smmu)
{
	struct pmcg_list *list;
	size_t size = SZ_64K;

	for (;;) {
		list = kvzalloc(struct_size(list, text, size), GFP_KERNEL);
		if (!list)
			return NULL;

		list->smmu = smmu;
		list->size = size;
		bus_for_each_dev(&platform_bus_type, NULL, list,
				 pmcg_list_device);
#ifdef CONFIG_PCI
		bus_for_each_dev(&pci_bus_type, NULL, list, pmcg_list_device);
#endif
		if (list->length < size)
			return list;

		size = 2 * list->length;
		kvfree(list);
	}
}

/*
 * The list may be longer than a page, which is what user space reads at most at
 * a time, and devices come and go: an open file remembers a hash of the list
 * whose beginning was read, and the rest of another list is not read.
 */
static ssize_t streams_read(struct file *file, struct kobject *kobj,
			    arm_syspmu_read_bin_attribute *attr, char *buf,
			    loff_t offset, size_t count)
{
	struct seq_file *seq = file->private_data;
	struct kernfs_open_file *open_file = seq->private;
	/* kernfs serializes reads of an open file, and leaves priv to us. */
	unsigned long *reading = (unsigned long *)&open_file->priv, hash;
	struct pmcg_list *list;
	ssize_t result = -ESTALE;

	list = pmcg_make_list(dev_to_smmuv3_pmcg(kobj_to_dev(kobj))->smmu);
	if (!list)
		return -ENOMEM;

	hash = list->length << 32 | jhash(list->text, list->length, 0);
	if (!offset || !*reading)
		*reading = hash;
	if (*reading == hash)
		result = memory_read_from_buffer(buf, count, &offset,
						 list->text, list->length);
	kvfree(list);

	return result;
}

/* Not for all users: each read walks over all devices. */
static BIN_ATTR(streams, 0400, streams_read, NULL, 0);

static typeof(*((struct attribute_group *)NULL)->bin_attrs)
pmcg_topology_bin_attrs[] = {
	&bin_attr_streams,
	NULL
};

#endif /* CONFIG_IOMMU_API */

static ssize_t smmu_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  dev_name(dev_to_smmuv3_pmcg(dev)->smmu));
}
static DEVICE_ATTR_RO(smmu);

static struct attribute *pmcg_topology_attrs[] = {
	&dev_attr_smmu.attr,
	NULL
};

/* Only for groups whose SMMU is known */
const struct attribute_group pmcg_topology_group = {
	.attrs = pmcg_topology_attrs,
#ifdef CONFIG_IOMMU_API
	.bin_attrs = pmcg_topology_bin_attrs,
#endif
};
