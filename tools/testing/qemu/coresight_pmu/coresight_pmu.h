/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU of the CoreSight PMU Architecture (IHI 0091) in the emulated machine.
 */
#ifndef CORESIGHT_PMU_H
#define CORESIGHT_PMU_H

#include "coresight.h"
#include "syspmu_device.h"

#define TYPE_CORESIGHT_PMU	"coresight-pmu"

/* The PMU has no ACPI device. */
#define CORESIGHT_NO_INSTANCE	UINT32_MAX

/* What ACPI says of a PMU, beside what the device is. */
struct coresight_apmt_node {
	bool present;	/* there is a node in APMT */
	/* 0 memory controller, 1 SMMU, 2 PCIe root complex, 3 ACPI device, 4 cache */
	uint8_t type;
	uint32_t id;
	uint64_t primary;	/* primary instance identifier */
	/* Primary instance identifier of an ACPI device, its _HID; NULL: as @primary has it */
	char *hid;
	uint32_t secondary;
	bool processor;	/* ACPI processor UID that the PMU belongs to, instead of a container */
	uint32_t affinity;	/* _UID of the processor or container */
	uint32_t implementation;	/* implementation ID, for a PMU whose own is not good */
	uint64_t address;	/* where page 0 is said to be; 0: where it is */
	/*
	 * The ACPI device of the node has this as its property "instance_id", or
	 * CORESIGHT_NO_INSTANCE
	 */
	uint32_t instance;
	/*
	 * Where the window of address filters is, which belongs to the ACPI device; 0: there is
	 * none
	 */
	uint64_t window;
	/* Of the node, which is 56 bytes; one that is shorter lacks its last fields */
	uint16_t length;
	uint8_t toggled_flags;	/* flags of the node that are not as the device is */
	uint32_t toggled_irq_flags;	/* flags of its interrupt that are not as the device is */
};

/* A PMU in the emulated machine. */
struct coresight_pmu {
	struct syspmu_device parent;

	struct coresight model;	/* what software sees and what counts */
	struct coresight_config config;	/* of @model, from the properties */
	char *groups;	/* the sizes of the monitor groups, separated by colons, or NULL */
	/*
	 * The widths of the monitors, in the order of their numbers and again from the first one
	 * when there are no more, separated by colons, or NULL
	 */
	char *widths;
	uint64_t gauges;	/* monitors 0 to 63 that show a state */
	uint64_t fixed;	/* monitors 0 to 63 whose event is fixed */
	uint64_t unfiltered;	/* monitors 0 to 63 without filters */
	bool filter_sources;	/* PMEVFILTR has a bit for each source */
	uint32_t filter2;	/* enum coresight_filter2 */
	MemoryRegion window;	/* the window of address filters, if there is one */
	uint32_t layout;	/* enum coresight_layout */
	uint32_t halt;	/* enum coresight_halt */
	uint32_t agent;	/* the AGENT register of the stimulus page */
	struct coresight_apmt_node apmt;
};

DECLARE_INSTANCE_CHECKER(struct coresight_pmu, CORESIGHT_PMU, TYPE_CORESIGHT_PMU)

#endif /* CORESIGHT_PMU_H */
