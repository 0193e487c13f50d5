// SPDX-License-Identifier: GPL-2.0
/*
 * The SMMU that a Performance Monitor Counter Group belongs to, and the devices
 * behind it with the StreamIDs that events can be filtered by.
 */

#include <linux/acpi.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/iommu.h>
#include <linux/kernfs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "pmcg.h"
#include "../arm_syspmu/compat.h"

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

static struct device *pmcg_find_smmu_acpi(phys_addr_t base)
{
	struct acpi_table_header *iort;
	struct acpi_iort_node *node;
	struct acpi_iort_pmcg *data;
	struct device *smmu = NULL;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_IORT, 0, &iort)))
		return NULL;

	data = pmcg_iort_find(iort, base);
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

static struct device *pmcg_find_smmu_acpi(phys_addr_t base)
{
	return NULL;
}

#endif

/**
 * pmcg_find_smmu - find the SMMU that a counter group belongs to
 * @pmcg: the counter group. Its member smmu is set, to NULL if firmware does
 *	not describe the SMMU. pmcg_put_smmu() drops the reference.
 * @base: physical address of its page 0
 *
 * Context: process, at probe.
 */
void pmcg_find_smmu(struct smmuv3_pmcg *pmcg, phys_addr_t base)
{
	if (pmcg->syspmu.dev->of_node)
		pmcg->smmu = pmcg_find_smmu_of(pmcg);
	else
		pmcg->smmu = pmcg_find_smmu_acpi(base);
}

/*
 * sysfs
 */

#ifdef CONFIG_IOMMU_API

/*
 * The file streams may be longer than a page, and user space reads at most a
 * page at a time. What it reads at offset 0 and what it reads then must belong
 * to the same list, although devices come and go: the last lists are kept, and
 * an open file remembers which of them it is reading. A new list is only kept
 * if it differs from the one before.
 */
#define PMCG_KEPT_LISTS			4

/**
 * struct pmcg_list - the StreamIDs at one time
 * @generation: number of the list, from 1
 * @length: length of @text
 * @size: size of @text, while the list is being made
 * @text: the lines
 */
struct pmcg_list {
	unsigned long generation;
	size_t length;
	size_t size;
	char text[];
};

/**
 * struct pmcg_streams - the lists of a counter group, from the first read on
 * @generation: number of the newest list, 0 before the first one
 * @lists: the newest lists, that with number n at index n % PMCG_KEPT_LISTS
 */
struct pmcg_streams {
	unsigned long generation;
	struct pmcg_list *lists[PMCG_KEPT_LISTS];
};

/* Protects &smmuv3_pmcg.streams of all groups */
static DEFINE_MUTEX(pmcg_streams_lock);

/**
 * struct pmcg_walk - state of a walk over devices
 * @smmu: list the devices behind this SMMU
 * @dev: device to list in the current IOMMU group
 * @list: output
 */
struct pmcg_walk {
	const struct device *smmu;
	struct device *dev;
	struct pmcg_list *list;
};

/* Called under the lock of the IOMMU group, which keeps dev->iommu alive. */
static int pmcg_list_streams(struct device *dev, void *data)
{
	struct pmcg_walk *walk = data;
	struct pmcg_list *list = walk->list;
	struct iommu_fwspec *fwspec;
	unsigned int i;
	size_t left;

	if (dev != walk->dev)
		return 0;

	fwspec = dev_iommu_fwspec_get(dev);
	if (!fwspec || fwspec->iommu_fwnode != dev_fwnode(walk->smmu))
		return 0;

	for (i = 0; i < fwspec->num_ids; i++) {
		left = list->size - list->length;
		list->length += snprintf(list->text + list->length, left,
					 "%s 0x%x\n", dev_name(dev),
					 fwspec->ids[i]);
		if (list->length >= list->size)
			return -ENOSPC;
	}

	return 0;
}

static int pmcg_list_device(struct device *dev, void *data)
{
	struct iommu_group *group = iommu_group_get(dev);
	struct pmcg_walk *walk = data;
	int err;

	if (!group)
		return 0;

	walk->dev = dev;
	err = iommu_group_for_each_dev(group, walk, pmcg_list_streams);
	iommu_group_put(group);

	return err;
}

static int pmcg_list_devices(const struct device *smmu, struct pmcg_list *list)
{
	struct pmcg_walk walk = { .smmu = smmu, .list = list };
	int err;

	err = bus_for_each_dev(&platform_bus_type, NULL, &walk,
			       pmcg_list_device);
#ifdef CONFIG_PCI
	if (!err)
		err = bus_for_each_dev(&pci_bus_type, NULL, &walk,
				       pmcg_list_device);
#endif

	return err;
}

/* Returns a new list. A list that is too small is made anew. */
static struct pmcg_list *pmcg_make_list(const struct device *smmu, size_t size)
{
	struct pmcg_list *list;
	int err;

	for (;; size *= 2) {
		list = kvmalloc(struct_size(list, text, size), GFP_KERNEL);
		if (!list)
			return ERR_PTR(-ENOMEM);

		list->size = size;
		list->length = 0;
		err = pmcg_list_devices(smmu, list);
		if (!err)
			return list;

		kvfree(list);
		if (err != -ENOSPC)
			return ERR_PTR(err);
	}
}

static struct pmcg_list **pmcg_kept_list(struct pmcg_streams *streams,
					 unsigned long generation)
{
	return &streams->lists[generation % PMCG_KEPT_LISTS];
}

/* Makes the newest list what is there now. */
static int pmcg_renew_list(struct pmcg_streams *streams,
			   const struct device *smmu)
{
	struct pmcg_list *newest, *list;

	newest = *pmcg_kept_list(streams, streams->generation);
	list = pmcg_make_list(smmu, newest ? newest->size : SZ_2K);
	if (IS_ERR(list))
		return PTR_ERR(list);

	if (newest && newest->length == list->length &&
	    !memcmp(newest->text, list->text, list->length)) {
		kvfree(list);
		return 0;
	}

	list->generation = ++streams->generation;
	kvfree(*pmcg_kept_list(streams, list->generation));
	*pmcg_kept_list(streams, list->generation) = list;

	return 0;
}

/* Returns the list that an open file reads, or else starts to read. */
static struct pmcg_list *pmcg_list_of_file(struct smmuv3_pmcg *pmcg,
					   void **reading, loff_t offset)
{
	struct pmcg_list *list;
	int err;

	if (!pmcg->streams)
		pmcg->streams = kzalloc(sizeof(*pmcg->streams), GFP_KERNEL);
	if (!pmcg->streams)
		return ERR_PTR(-ENOMEM);

	if (!offset || !*reading) {
		err = pmcg_renew_list(pmcg->streams, pmcg->smmu);
		if (err)
			return ERR_PTR(err);
		*reading = (void *)pmcg->streams->generation;
	}

	list = *pmcg_kept_list(pmcg->streams, (unsigned long)*reading);

	return list->generation == (unsigned long)*reading ? list :
							     ERR_PTR(-ESTALE);
}

/* kernfs serializes the reads of an open file, and leaves priv to us. */
static void **pmcg_file_private(struct file *file)
{
	struct seq_file *seq = file->private_data;
	struct kernfs_open_file *open_file = seq->private;

	return &open_file->priv;
}

static ssize_t streams_read(struct file *file, struct kobject *kobj,
			    arm_syspmu_read_bin_attribute *attr, char *buf,
			    loff_t offset, size_t count)
{
	struct smmuv3_pmcg *pmcg = dev_to_smmuv3_pmcg(kobj_to_dev(kobj));
	struct pmcg_list *list;
	ssize_t length;

	mutex_lock(&pmcg_streams_lock);
	list = pmcg_list_of_file(pmcg, pmcg_file_private(file), offset);
	if (IS_ERR(list))
		length = PTR_ERR(list);
	else
		length = memory_read_from_buffer(buf, count, &offset,
						 list->text, list->length);
	mutex_unlock(&pmcg_streams_lock);

	return length;
}
static BIN_ATTR_RO(streams, 0);

static typeof(*((struct attribute_group *)NULL)->bin_attrs)
pmcg_topology_bin_attrs[] = {
	&bin_attr_streams,
	NULL
};

static void pmcg_free_lists(struct smmuv3_pmcg *pmcg)
{
	unsigned int i;

	for (i = 0; pmcg->streams && i < PMCG_KEPT_LISTS; i++)
		kvfree(pmcg->streams->lists[i]);
	kfree(pmcg->streams);
}

#else

static void pmcg_free_lists(struct smmuv3_pmcg *pmcg)
{
}

#endif /* CONFIG_IOMMU_API */

/**
 * pmcg_put_smmu - the opposite of pmcg_find_smmu()
 * @pmcg: the counter group, which no longer has attributes in sysfs
 *
 * Context: process.
 */
void pmcg_put_smmu(struct smmuv3_pmcg *pmcg)
{
	pmcg_free_lists(pmcg);
	put_device(pmcg->smmu);
}

static ssize_t smmu_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_name(dev_to_smmuv3_pmcg(dev)->smmu));
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
