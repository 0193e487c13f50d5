// SPDX-License-Identifier: GPL-2.0
/*
 * Which SMMU a counter group belongs to, and which StreamIDs devices have, as the IORT says. This
 * is for the in-tree driver, which does not tell. Only root may read the IORT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "text.h"

#define IORT	"/sys/firmware/acpi/tables/IORT"

/* DEN0049, I/O Remapping Table */
#define IORT_NODE_COUNT		36
#define IORT_NODE_OFFSET	40
#define NODE_TYPE		0
#define NODE_LENGTH		1
#define NODE_MAPPINGS		8
#define NODE_MAPPING_OFFSET	12
#define NODE_HEADER		16
#define TYPE_NAMED_COMPONENT	1
#define TYPE_ROOT_COMPLEX	2
#define TYPE_SMMU_V3		4
#define TYPE_PMCG		5
#define SMMU_BASE		16
#define PMCG_BASE		16
#define PMCG_REFERENCE		28
#define COMPONENT_NAME		29
#define ROOT_COMPLEX_SEGMENT	28
#define MAPPING_SIZE		20
#define MAPPING_INPUT		0
#define MAPPING_COUNT		4
#define MAPPING_OUTPUT		8
#define MAPPING_REFERENCE	12
#define MAPPING_FLAGS		16
#define MAPPING_SINGLE		1U

/* Without data if the table cannot be read */
struct iort {
	unsigned char *data;
	size_t length;
};

/* Little-endian, 0 beyond the end. */
static uint64_t get(const struct iort *iort, size_t offset, unsigned int bytes)
{
	uint64_t value = 0;

	if (offset > iort->length || iort->length - offset < bytes)
		return 0;
	while (bytes--)
		value = value << 8 | iort->data[offset + bytes];
	return value;
}

/* Returns the offset of the n-th node of a type, 0 if there is none. */
static size_t iort_node(const struct iort *iort, unsigned int type, unsigned int n)
{
	size_t offset = get(iort, IORT_NODE_OFFSET, 4), length;
	uint64_t left;

	for (left = get(iort, IORT_NODE_COUNT, 4); left; left--) {
		length = get(iort, offset + NODE_LENGTH, 2);
		if (length < NODE_HEADER || offset > iort->length ||
		    length > iort->length - offset)
			return 0;
		if (get(iort, offset + NODE_TYPE, 1) == type && !n--)
			return offset;
		offset += length;
	}
	return 0;
}

/* The SMMU that the node at an offset is, -1 if it is none that is known */
static int smmu_at(const struct machine *machine, const struct iort *iort, size_t reference)
{
	uint64_t base = get(iort, reference + SMMU_BASE, 8);
	const struct smmu *smmu;

	for_each(smmu, machine->smmus)
		if (get(iort, reference + NODE_TYPE, 1) == TYPE_SMMU_V3 && base &&
		    smmu->base == base)
			return smmu - machine->smmus;
	return -1;
}

/* Finds the SMMUs of counter groups whose driver does not tell. */
void firmware_find_smmus(struct machine *machine)
{
	bool unknown = false;
	struct pmcg *pmcg;
	struct iort iort;
	unsigned int n;
	size_t node;

	for_each(pmcg, machine->pmcgs)
		unknown |= pmcg->smmu < 0;
	if (!unknown)
		return;
	iort.data = system_read(system_path(IORT), &iort.length);
	for (n = 0; (node = iort_node(&iort, TYPE_PMCG, n)); n++)
		for_each(pmcg, machine->pmcgs)
			if (pmcg->smmu < 0 && pmcg->page == get(&iort, node + PMCG_BASE, 8))
				pmcg->smmu = smmu_at(machine, &iort,
						     get(&iort, node + PMCG_REFERENCE, 4));
	free(iort.data);
}

/* What a node's ID mappings make of an ID, if they lead to this SMMU. */
static bool iort_map(const struct machine *machine, const struct iort *iort, size_t node,
		     int smmu, uint32_t input, uint32_t *output)
{
	size_t mapping = node + get(iort, node + NODE_MAPPING_OFFSET, 4);
	uint64_t number = get(iort, node + NODE_MAPPINGS, 4), first, count;

	for (; number-- && mapping < iort->length; mapping += MAPPING_SIZE) {
		if (smmu_at(machine, iort, get(iort, mapping + MAPPING_REFERENCE, 4)) != smmu)
			continue;
		if (get(iort, mapping + MAPPING_FLAGS, 4) & MAPPING_SINGLE) {
			*output = get(iort, mapping + MAPPING_OUTPUT, 4);
			return true;
		}
		first = get(iort, mapping + MAPPING_INPUT, 4);
		/* The table has the number of IDs less one. */
		count = get(iort, mapping + MAPPING_COUNT, 4) + 1;
		if (input < first || input - first >= count)
			continue;
		*output = input - first + get(iort, mapping + MAPPING_OUTPUT, 4);
		return true;
	}
	return false;
}

/* "0000:81:00.1": segment and requester ID */
static bool parse_pci(const char *name, unsigned int *segment, uint32_t *requester)
{
	unsigned int bus, device, function;
	int length = 0;

	if (sscanf(name, "%x:%x:%x.%x%n", segment, &bus, &device, &function, &length) != 4 ||
	    name[length])
		return false;
	*requester = bus << 8 | device << 3 | function;
	return true;
}

static bool iort_pci(const struct machine *machine, const struct iort *iort, int smmu,
		     unsigned int segment, uint32_t requester, uint32_t *id)
{
	unsigned int n;
	size_t node;

	for (n = 0; (node = iort_node(iort, TYPE_ROOT_COMPLEX, n)); n++)
		if (get(iort, node + ROOT_COMPLEX_SEGMENT, 4) == segment &&
		    iort_map(machine, iort, node, smmu, requester, id))
			return true;
	return false;
}

/* Each single mapping of a named component is a StreamID; the kernel takes all that it has. */
static void iort_component(struct machine *machine, const struct iort *iort, int smmu,
			   const char *device)
{
	size_t node, mapping, length;
	uint64_t number;
	char line[256];
	unsigned int n;

	if (!system_read_line(system_path("/sys/bus/platform/devices/%s/firmware_node/path",
					  device), line, sizeof(line)))
		return;
	for (n = 0; (node = iort_node(iort, TYPE_NAMED_COMPONENT, n)); n++) {
		length = get(iort, node + NODE_LENGTH, 2);
		if (length <= COMPONENT_NAME || strncmp((char *)iort->data + node + COMPONENT_NAME,
							line, length - COMPONENT_NAME))
			continue;
		mapping = node + get(iort, node + NODE_MAPPING_OFFSET, 4);
		number = get(iort, node + NODE_MAPPINGS, 4);
		for (; number-- && mapping < iort->length; mapping += MAPPING_SIZE)
			if (smmu_at(machine, iort, get(iort, mapping + MAPPING_REFERENCE, 4)) ==
			    smmu)
				machine_add_stream(machine, smmu, device,
						   get(iort, mapping + MAPPING_OUTPUT, 4), false);
	}
}

static void find_stream(struct machine *machine, const struct iort *iort, int smmu,
			const char *device)
{
	unsigned int segment;
	uint32_t requester, id;

	if (!parse_pci(device, &segment, &requester)) {
		/* Without a StreamID there is nothing to count it by. */
		iort_component(machine, iort, smmu, device);
		return;
	}
	if (iort_pci(machine, iort, smmu, segment, requester, &id))
		machine_add_stream(machine, smmu, device, id, false);
	else
		machine_add_stream(machine, smmu, device, requester, true);
}

/* Finds the devices behind the SMMUs and their StreamIDs. */
void firmware_find_streams(struct machine *machine)
{
	const char *name, *behind;
	char device[NAME_LENGTH];
	struct iort iort;
	int smmu;

	iort.data = system_read(system_path(IORT), &iort.length);
	for_each_name(name, system_path("/sys/class/iommu")) {
		system_link_name(system_path("/sys/class/iommu/%s/device", name),
				 device, sizeof(device));
		smmu = machine_find_smmu(machine, device);
		if (smmu < 0)
			continue;
		for_each_name(behind, system_path("/sys/class/iommu/%s/devices", name))
			find_stream(machine, &iort, smmu, behind);
	}
	free(iort.data);
}
