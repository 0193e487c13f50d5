// SPDX-License-Identifier: GPL-2.0
/*
 * CoreSight PMUs in the ACPI tables of the machine: the Arm Performance Monitoring Unit table
 * (DEN0117), and processor containers for the PMUs of groups of CPUs.
 */
#include "qemu/osdep.h"
#include "hw/acpi/aml-build.h"

#include "coresight_acpi.h"
#include "coresight_pmu.h"

#define FIRST_SPI		32

#define FLAG_DUAL_PAGE		0x01
#define FLAG_CONTAINER		0x02
#define FLAG_ATOMIC		0x04
#define IRQ_FLAG_EDGE		0x01

#define FIRST_HALF		0
#define SECOND_HALF		1
#define ALL_CPUS		2

static struct coresight_pmu *find_pmu(uint32_t index)
{
	struct syspmu_device *dev = syspmu_device_find(index);

	return (struct coresight_pmu *)object_dynamic_cast(OBJECT(dev), TYPE_CORESIGHT_PMU);
}

static bool any_pmu(void)
{
	uint32_t i;

	for (i = 0; i < syspmu_device_number(); i++) {
		if (find_pmu(i))
			return true;
	}
	return false;
}

/* A GSI is the INTID; 0: no interrupt. */
static uint32_t interrupt_of(const struct syspmu_device *dev)
{
	return dev->spi != SYSPMU_DEVICE_NO_SPI ? FIRST_SPI + dev->spi : dev->ppi;
}

static uint64_t primary_of(const struct coresight_apmt_node *node)
{
	uint64_t primary = 0;

	if (!node->hid)
		return node->primary;
	memcpy(&primary, node->hid, MIN(strlen(node->hid), sizeof(primary)));
	return le64_to_cpu(primary);
}

static void add_node(GArray *tables, const struct coresight_pmu *pmu)
{
	const struct coresight_apmt_node *node = &pmu->apmt;
	const struct syspmu_device *dev = &pmu->parent;
	uint32_t flags = dev->base[1] ? FLAG_DUAL_PAGE : 0;
	unsigned int start = tables->len;

	if (!node->processor)
		flags |= FLAG_CONTAINER;
	if (dev->atomic64)
		flags |= FLAG_ATOMIC;

	build_append_int_noprefix(tables, node->length, 2);
	build_append_int_noprefix(tables, flags ^ node->toggled_flags, 1);
	build_append_int_noprefix(tables, node->type, 1);
	build_append_int_noprefix(tables, node->id, 4);
	build_append_int_noprefix(tables, primary_of(node), 8);
	build_append_int_noprefix(tables, node->secondary, 4);
	build_append_int_noprefix(tables, node->address ?: dev->base[0], 8);
	build_append_int_noprefix(tables, dev->base[1], 8);
	build_append_int_noprefix(tables, interrupt_of(dev), 4);
	build_append_int_noprefix(tables, 0, 4);
	build_append_int_noprefix(tables, (dev->config.irq_edge ? IRQ_FLAG_EDGE : 0) ^
				  node->toggled_irq_flags, 4);
	build_append_int_noprefix(tables, node->affinity, 4);
	build_append_int_noprefix(tables, node->implementation, 4);
	if (node->length < tables->len - start)
		g_array_set_size(tables, start + node->length);
}

void coresight_acpi_build_apmt(const char *oem_id, const char *oem_table_id,
			       GArray *tables, GArray *offsets, BIOSLinker *linker)
{
	AcpiTable table = {
		.sig = "APMT", .rev = 0, .oem_id = oem_id, .oem_table_id = oem_table_id,
	};
	uint32_t i;

	if (!any_pmu())
		return;
	acpi_add_table(offsets, tables);
	acpi_table_begin(&table, tables);
	for (i = 0; i < syspmu_device_number(); i++) {
		const struct coresight_pmu *pmu = find_pmu(i);

		if (pmu && pmu->apmt.present)
			add_node(tables, pmu);
	}
	acpi_table_end(linker, &table);
}

/* _DSD with one property (_DSD Implementation Guide). */
static Aml *property_of(const char *name, uint32_t value)
{
	Aml *data = aml_package(2), *property = aml_package(2), *properties = aml_package(1);

	aml_append(property, aml_string("%s", name));
	aml_append(property, aml_int(value));
	aml_append(properties, property);
	aml_append(data, aml_touuid("DAFFD814-6EBA-4D8C-8A91-BC9BBF4AA301"));
	aml_append(data, properties);
	return data;
}

/* What a node of an ACPI device refers to, by its _HID and _UID. */
static void add_device(Aml *scope, const struct coresight_pmu *pmu)
{
	const struct coresight_apmt_node *node = &pmu->apmt;
	Aml *dev = aml_device("PM%.02X", node->id & 0xff), *resources = aml_resource_template();

	aml_append(dev, aml_name_decl("_HID", aml_string("%s", node->hid)));
	aml_append(dev, aml_name_decl("_UID", aml_int(node->secondary)));
	aml_append(dev, aml_name_decl("_DSD", property_of("instance_id", node->instance)));
	if (node->window)
		aml_append(resources, aml_memory32_fixed(node->window, SYSPMU_PAGE_SIZE,
							 AML_READ_WRITE));
	aml_append(dev, aml_name_decl("_CRS", resources));
	aml_append(scope, dev);
}

static Aml *container(unsigned int uid)
{
	Aml *dev = aml_device("CL%.02X", uid);

	aml_append(dev, aml_name_decl("_HID", aml_string("ACPI0010")));
	aml_append(dev, aml_name_decl("_UID", aml_int(uid)));
	return dev;
}

bool coresight_acpi_add_cpus(Aml *scope, unsigned int cpus)
{
	Aml *half[] = { container(FIRST_HALF), container(SECOND_HALF) };
	Aml *all = container(ALL_CPUS);
	unsigned int i;

	if (!any_pmu())
		return false;
	for (i = 0; i < syspmu_device_number(); i++) {
		const struct coresight_pmu *pmu = find_pmu(i);

		if (pmu && pmu->apmt.hid && pmu->apmt.instance != CORESIGHT_NO_INSTANCE)
			add_device(scope, pmu);
	}
	for (i = 0; i < cpus; i++) {
		Aml *cpu = aml_device("C%.03X", i);

		aml_append(cpu, aml_name_decl("_HID", aml_string("ACPI0007")));
		aml_append(cpu, aml_name_decl("_UID", aml_int(i)));
		aml_append(half[2 * i >= cpus], cpu);
	}
	/* A single CPU is in both. */
	aml_append(cpus > 1 ? all : half[1], half[0]);
	aml_append(all, half[1]);
	aml_append(scope, all);
	return true;
}
