// SPDX-License-Identifier: GPL-2.0
/*
 * What devicetree and ACPI say about a PMU of the CoreSight Performance
 * Monitoring Unit architecture: its name, its affinity, and whether 64-bit
 * accesses to it are atomic. APMT is specified by Arm DEN0117.
 */

#include <linux/acpi.h>
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/topology.h>

#include <asm/cputype.h>

#include "coresight_pmu.h"

/*
 * PMDEVAFF (§3.17.1)
 */

#define CSPMU_PMDEVAFF_F0V		BIT_ULL(31)
#define CSPMU_AFF_WHOLE_LEVEL		0x80

static const u64 cspmu_mpidr_fields = GENMASK_ULL(39, 32) | GENMASK_ULL(23, 0);

/*
 * The affinity is to all CPUs that have the same bits of MPIDR_EL1 as PMDEVAFF,
 * apart from some low ones. The first affinity field that is not zero tells how
 * many: 0x80 stands for all lower fields, and otherwise the lowest bit that is
 * set for itself and those below. Returns the bits that count, or 0.
 */
static u64 cspmu_affinity_mask(u64 devaff)
{
	unsigned int level, field;

	if (devaff & CSPMU_PMDEVAFF_F0V)
		return cspmu_mpidr_fields;

	for (level = 0; level < 3; level++) {
		field = devaff >> 8 * level & 0xff;
		if (field)
			return cspmu_mpidr_fields &
			       ~GENMASK_ULL(8 * level + __ffs(field), 0);
	}

	return 0;
}

#ifdef CONFIG_ACPI_APMT
static u64 cspmu_acpi_mpidr(unsigned int cpu)
{
	struct acpi_madt_generic_interrupt *gicc = acpi_cpu_get_madt_gicc(cpu);

	return gicc ? gicc->arm_mpidr : INVALID_HWID;
}
#else
static u64 cspmu_acpi_mpidr(unsigned int cpu)
{
	return INVALID_HWID;
}
#endif

/* The property has one cell or two. */
static u64 cspmu_devicetree_mpidr(const struct device_node *node)
{
	u64 mpidr;
	u32 low;

	if (!of_property_read_u64(node, "reg", &mpidr))
		return mpidr;
	if (!of_property_read_u32(node, "reg", &low))
		return low;

	return INVALID_HWID;
}

/* Modules cannot use cpu_logical_map(). */
static u64 cspmu_mpidr_of_cpu(unsigned int cpu)
{
	struct device *dev = get_cpu_device(cpu);

	if (!acpi_disabled)
		return cspmu_acpi_mpidr(cpu);

	return dev ? cspmu_devicetree_mpidr(dev->of_node) : INVALID_HWID;
}

static void cspmu_read_affinity(struct coresight_pmu *cspmu)
{
	u64 devaff = arm_syspmu_read_in_halves(cspmu->page0 + CSPMU_PMDEVAFF);
	u64 mask = cspmu_affinity_mask(devaff), mpidr;
	unsigned int cpu;

	if (!mask || devaff == U64_MAX)
		return;

	for_each_possible_cpu(cpu) {
		mpidr = cspmu_mpidr_of_cpu(cpu);
		if (mpidr != INVALID_HWID && !((mpidr ^ devaff) & mask))
			cpumask_set_cpu(cpu, cspmu->cpus);
	}
	if (cpumask_empty(cspmu->cpus))
		dev_warn(cspmu->syspmu.dev,
			 "PMDEVAFF 0x%llx: there is no such CPU\n", devaff);
}

/*
 * Devicetree
 */

/*
 * The number of the PMU in the devicetree is the order in which the in-tree
 * driver probes them; it stays the same if the driver is bound again.
 */
static int cspmu_number_in_tree(const struct device_node *node)
{
	struct device_node *other;
	unsigned int number = 0;

	for_each_compatible_node(other, NULL, "arm,coresight-pmu") {
		if (other == node)
			break;
		number += of_device_is_available(other);
	}
	of_node_put(other);

	return other ? number : -ENODEV;
}

static int cspmu_find_cpus_in_tree(struct coresight_pmu *cspmu)
{
	struct device_node *node = cspmu->syspmu.dev->of_node, *cpu_node;
	unsigned int n;
	int cpu;

	for (n = 0; (cpu_node = of_parse_phandle(node, "cpus", n)); n++) {
		cpu = of_cpu_node_to_id(cpu_node);
		of_node_put(cpu_node);
		if (cpu >= 0)
			cpumask_set_cpu(cpu, cspmu->cpus);
	}
	if (n && cpumask_empty(cspmu->cpus))
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "cpus: none of the %u CPUs exists, the devicetree must be corrected\n",
				     n);
	return 0;
}

static int cspmu_read_devicetree(struct coresight_pmu *cspmu)
{
	struct device *dev = cspmu->syspmu.dev;
	int number = cspmu_number_in_tree(dev->of_node);
	u32 width = 4;

	if (number < 0)
		return dev_err_probe(dev, number,
				     "its node is not in the devicetree\n");

	device_property_read_u32(dev, "reg-io-width", &width);
	cspmu->syspmu.only_32bit = width != 8;
	cspmu->syspmu.atomic_64bit = width == 8;
	cspmu->name = kasprintf(GFP_KERNEL, "arm_cspmu_%d", number);
	if (!cspmu->name)
		return -ENOMEM;

	return cspmu_find_cpus_in_tree(cspmu);
}

/*
 * ACPI
 */

#ifdef CONFIG_ACPI_APMT

#define CSPMU_ACPI_CONTAINER	"ACPI0010"

static const char * const cspmu_apmt_types[] = {
	[ACPI_APMT_NODE_TYPE_MC] = "mc",
	[ACPI_APMT_NODE_TYPE_SMMU] = "smmu",
	[ACPI_APMT_NODE_TYPE_PCIE_ROOT] = "pcie",
	[ACPI_APMT_NODE_TYPE_ACPI] = "acpi",
	[ACPI_APMT_NODE_TYPE_CACHE] = "cache",
};

/*
 * Returns the node after @node, or the first one; NULL after the last one. It
 * has an address, but may lack what follows: the kernel creates a device for a
 * node that is too short, and goes on.
 */
static const struct acpi_apmt_node *
cspmu_next_node(const struct acpi_table_header *apmt,
		const struct acpi_apmt_node *node)
{
	const void *end = (const void *)apmt + apmt->length;
	const void *next = node ? (const void *)node + node->length : apmt + 1;

	if (node && !node->length)
		return NULL;
	if (next + offsetofend(struct acpi_apmt_node, base_address0) > end)
		return NULL;

	return next;
}

/*
 * The platform device refers to its node in different ways in different
 * kernels, so look for the address.
 */
static const struct acpi_apmt_node *
cspmu_find_node(const struct coresight_pmu *cspmu,
		const struct acpi_table_header *apmt)
{
	const struct acpi_apmt_node *node = NULL;

	while ((node = cspmu_next_node(apmt, node)))
		if (node->base_address0 == cspmu->base)
			break;

	return node;
}

static int cspmu_check_node(const struct coresight_pmu *cspmu,
			    const struct acpi_table_header *apmt,
			    const struct acpi_apmt_node *node)
{
	const void *end = (const void *)apmt + apmt->length;
	struct device *dev = cspmu->syspmu.dev;

	if (node->length < sizeof(*node) ||
	    (const void *)node + node->length > end)
		return dev_err_probe(dev, -ENODEV,
				     "APMT node %u: its length is %u, not %zu, or it ends beyond the table: firmware must be corrected\n",
				     node->id, node->length, sizeof(*node));
	if (node->flags & ACPI_APMT_FLAGS_DUAL_PAGE && !node->base_address1)
		return dev_err_probe(dev, -ENODEV,
				     "APMT node %u: it has two pages, but the address of page 1 is 0: firmware must be corrected\n",
				     node->id);
	return 0;
}

/* The kernel does not tell which device lacks its interrupt. */
static void cspmu_check_interrupt(const struct coresight_pmu *cspmu,
				  const struct acpi_apmt_node *node)
{
	struct platform_device *pdev = to_platform_device(cspmu->syspmu.dev);

	if (!node->ovflw_irq || platform_get_resource(pdev, IORESOURCE_IRQ, 0))
		return;

	dev_warn(&pdev->dev,
		 "APMT node %u: the kernel has refused interrupt %u, which another node may have with another trigger: overflows are noticed without it\n",
		 node->id, node->ovflw_irq);
}

static bool cspmu_is_in_container(unsigned int cpu, u32 uid)
{
	struct device *dev = get_cpu_device(cpu);
	struct acpi_device *adev = dev ? ACPI_COMPANION(dev) : NULL;
	u64 actual;

	for (; adev; adev = acpi_dev_parent(adev))
		if (!strcmp(acpi_device_hid(adev), CSPMU_ACPI_CONTAINER) &&
		    !acpi_dev_uid_to_integer(adev, &actual) && actual == uid)
			return true;

	return false;
}

static bool cspmu_has_processor_uid(unsigned int cpu, u32 uid)
{
	struct acpi_madt_generic_interrupt *gicc = acpi_cpu_get_madt_gicc(cpu);

	return gicc && gicc->uid == uid;
}

static void cspmu_find_cpus_of_node(struct coresight_pmu *cspmu,
				    const struct acpi_apmt_node *node)
{
	bool container = node->flags & ACPI_APMT_FLAGS_AFFINITY;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (container ?
		    cspmu_is_in_container(cpu, node->proc_affinity) :
		    cspmu_has_processor_uid(cpu, node->proc_affinity))
			cpumask_set_cpu(cpu, cspmu->cpus);

	if (cpumask_empty(cspmu->cpus))
		dev_warn(cspmu->syspmu.dev,
			 "APMT node %u: no CPU has processor%s UID %u: the PMU is taken to be near to all\n",
			 node->id, container ? " container" : "",
			 node->proc_affinity);
}

/* The HID is part of a file name. */
static bool cspmu_is_name(const char *hid)
{
	for (; *hid; hid++)
		if (!isalnum(*hid))
			return false;

	return true;
}

/* The number in the name, as the in-tree driver of Linux 7.3 chooses it */
static u32 cspmu_node_number(const struct acpi_apmt_node *node)
{
	switch (node->type) {
	case ACPI_APMT_NODE_TYPE_MC:
		return node->id;
	case ACPI_APMT_NODE_TYPE_SMMU:
	case ACPI_APMT_NODE_TYPE_PCIE_ROOT:
		return node->inst_primary;
	default:
		return node->inst_secondary;
	}
}

static int cspmu_name_node(struct coresight_pmu *cspmu,
			   const struct acpi_apmt_node *node)
{
	struct device *dev = cspmu->syspmu.dev;
	char hid[sizeof(node->inst_primary) + 1] = {};

	if (node->type >= ARRAY_SIZE(cspmu_apmt_types))
		return dev_err_probe(dev, -ENODEV,
				     "APMT node %u: its type %u is not known: a newer driver may know it\n",
				     node->id, node->type);

	memcpy(hid, &node->inst_primary, sizeof(node->inst_primary));
	if (node->type != ACPI_APMT_NODE_TYPE_ACPI)
		cspmu->name = kasprintf(GFP_KERNEL, "arm_cspmu_%s_%u",
					cspmu_apmt_types[node->type],
					cspmu_node_number(node));
	else if (*hid && cspmu_is_name(hid))
		cspmu->name = kasprintf(GFP_KERNEL, "arm_cspmu_acpi_%s_%u", hid,
					cspmu_node_number(node));
	else
		return dev_err_probe(dev, -ENODEV,
				     "APMT node %u: its instance 0x%llx is not the HID of a device: firmware must be corrected\n",
				     node->id, node->inst_primary);

	return cspmu->name ? 0 : -ENOMEM;
}

static int cspmu_read_node(struct coresight_pmu *cspmu,
			   const struct acpi_table_header *apmt)
{
	struct device *dev = cspmu->syspmu.dev;
	const struct acpi_apmt_node *node = cspmu_find_node(cspmu, apmt);
	int err;

	if (!node)
		return dev_err_probe(dev, -ENODEV,
				     "APMT has no node for address %pa\n",
				     &cspmu->base);
	err = cspmu_check_node(cspmu, apmt, node);
	if (err)
		return err;

	cspmu->syspmu.atomic_64bit = node->flags & ACPI_APMT_FLAGS_ATOMIC;
	cspmu->syspmu.only_32bit = !cspmu->syspmu.atomic_64bit;
	cspmu->iidr = node->impl_id;
	err = cspmu_name_node(cspmu, node);
	if (err)
		return err;

	cspmu_find_cpus_of_node(cspmu, node);
	cspmu_check_interrupt(cspmu, node);

	return 0;
}

static int cspmu_read_apmt(struct coresight_pmu *cspmu)
{
	struct acpi_table_header *apmt;
	acpi_status status;
	int err;

	status = acpi_get_table(ACPI_SIG_APMT, 0, &apmt);
	if (ACPI_FAILURE(status))
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "cannot read APMT: %s\n",
				     acpi_format_exception(status));

	err = cspmu_read_node(cspmu, apmt);
	acpi_put_table(apmt);

	return err;
}

#else

static int cspmu_read_apmt(struct coresight_pmu *cspmu)
{
	return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
			     "this kernel has no support for APMT\n");
}

#endif /* CONFIG_ACPI_APMT */

/*
 * Name
 */

#ifdef CONFIG_ACPI_APMT
static struct acpi_device *
cspmu_acpi_device_of_node(const struct acpi_apmt_node *node)
{
	char hid[sizeof(node->inst_primary) + 1] = {}, uid[12];

	if (node->type != ACPI_APMT_NODE_TYPE_ACPI)
		return NULL;

	memcpy(hid, &node->inst_primary, sizeof(node->inst_primary));
	snprintf(uid, sizeof(uid), "%u", node->inst_secondary);

	return acpi_dev_get_first_match_dev(hid, uid, -1);
}

/**
 * cspmu_get_acpi_device - find the ACPI device that the node of a PMU refers to
 * @cspmu: the PMU
 *
 * Context: process, at probe.
 * Return: the device, to be released by acpi_dev_put(); NULL if there is none
 */
struct acpi_device *cspmu_get_acpi_device(const struct coresight_pmu *cspmu)
{
	const struct acpi_apmt_node *node;
	struct acpi_device *adev = NULL;
	struct acpi_table_header *apmt;

	if (acpi_disabled ||
	    ACPI_FAILURE(acpi_get_table(ACPI_SIG_APMT, 0, &apmt)))
		return NULL;

	node = cspmu_find_node(cspmu, apmt);
	if (node)
		adev = cspmu_acpi_device_of_node(node);
	acpi_put_table(apmt);

	return adev;
}

static int cspmu_find_instance(const struct coresight_pmu *cspmu, u32 *instance)
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
#else
static int cspmu_find_instance(const struct coresight_pmu *cspmu, u32 *instance)
{
	return -ENODEV;
}
#endif /* CONFIG_ACPI_APMT */

static unsigned int cspmu_socket(const struct coresight_pmu *cspmu)
{
	unsigned int cpu = cpumask_first(cspmu->cpus);

	if (cpu >= nr_cpu_ids)
		cpu = cpumask_first(cpu_possible_mask);

	return max(cpu_to_node(cpu), 0);
}

/* Returns the name, or an error pointer; NULL to use that from firmware. */
static char *cspmu_name_of_product(struct coresight_pmu *cspmu)
{
	const struct cspmu_product *product = cspmu->product;
	struct device *dev = cspmu->syspmu.dev;
	unsigned int socket = cspmu_socket(cspmu);
	char *name = NULL;
	u32 instance;

	if (!product->name)
		return NULL;

	switch (product->naming) {
	case CSPMU_NAMED_BY_INSTANCE:
		if (cspmu_find_instance(cspmu, &instance)) {
			dev_warn(dev,
				 "no ACPI device has the instance_id that its name consists of\n");
			return NULL;
		}
		name = kasprintf(GFP_KERNEL, product->name, socket, instance);
		break;
	case CSPMU_NAMED_BY_SOCKET:
		name = kasprintf(GFP_KERNEL, product->name, socket);
		break;
	case CSPMU_NUMBERED:
		cspmu->number = ida_alloc(product->numbers, GFP_KERNEL);
		if (cspmu->number < 0)
			return ERR_PTR(cspmu->number);
		name = kasprintf(GFP_KERNEL, product->name, cspmu->number);
		break;
	}

	return name ?: ERR_PTR(-ENOMEM);
}

/**
 * cspmu_choose_name - choose the name of a PMU
 * @cspmu: the PMU, identified
 *
 * If another PMU has the name already, the address of page 0 is added, which is
 * the same after each boot.
 *
 * Context: process, at probe.
 * Return: 0 or a negative errno
 */
int cspmu_choose_name(struct coresight_pmu *cspmu)
{
	char *name = cspmu_name_of_product(cspmu);

	if (IS_ERR(name))
		return PTR_ERR(name);
	if (name) {
		kfree(cspmu->name);
		cspmu->name = name;
	}
	if (!arm_syspmu_is_name_taken(cspmu->name))
		return 0;

	name = kasprintf(GFP_KERNEL, "%s_%llx", cspmu->name,
			 (u64)cspmu->base >> 12);
	if (!name)
		return -ENOMEM;
	dev_info(cspmu->syspmu.dev, "there is a PMU %s already: this one is %s\n",
		 cspmu->name, name);
	kfree(cspmu->name);
	cspmu->name = name;

	return 0;
}

/**
 * cspmu_free_name - undo cspmu_choose_name()
 * @cspmu: the PMU
 *
 * Context: process.
 */
void cspmu_free_name(struct coresight_pmu *cspmu)
{
	if (cspmu->number >= 0)
		ida_free(cspmu->product->numbers, cspmu->number);
	kfree(cspmu->name);
}

/**
 * cspmu_read_firmware - find out what firmware says about a PMU
 * @cspmu: the PMU, with the address of page 0
 *
 * Context: process, at probe.
 * Return: 0, or a negative errno with a message unless it is -ENOMEM.
 */
int cspmu_read_firmware(struct coresight_pmu *cspmu)
{
	if (cspmu->syspmu.dev->of_node)
		return cspmu_read_devicetree(cspmu);

	return cspmu_read_apmt(cspmu);
}

/**
 * cspmu_find_near_cpus - find out which CPUs are near a PMU
 * @cspmu: the PMU, identified
 *
 * If firmware does not say which, PMDEVAFF may.
 *
 * Context: process, at probe.
 */
void cspmu_find_near_cpus(struct coresight_pmu *cspmu)
{
	if (cpumask_empty(cspmu->cpus))
		cspmu_read_affinity(cspmu);
	cspmu->syspmu.near_cpus = cspmu->cpus;
}
