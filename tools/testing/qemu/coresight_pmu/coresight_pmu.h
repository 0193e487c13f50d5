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

/**
 * struct coresight_apmt_node - what ACPI says of a PMU, beside what the device is
 * @present: there is a node in APMT
 * @type: 0 memory controller, 1 SMMU, 2 PCIe root complex, 3 ACPI device, 4 cache
 * @id: identifier of the node
 * @primary: primary instance identifier
 * @hid: primary instance identifier of an ACPI device, its _HID; NULL: as @primary has it
 * @secondary: secondary instance identifier
 * @processor: ACPI processor UID that the PMU belongs to, instead of a container
 * @affinity: _UID of the processor or container
 * @implementation: implementation ID, for a PMU whose own is not good
 * @address: where page 0 is said to be; 0: where it is
 * @instance: the ACPI device of the node has this as its property "instance_id", or
 *	CORESIGHT_NO_INSTANCE
 * @window: where the window of address filters is, which belongs to the ACPI device; 0: there is
 *	none
 * @length: of the node, which is 56 bytes; one that is shorter lacks its last fields
 * @toggled_flags: flags of the node that are not as the device is
 * @toggled_irq_flags: flags of its interrupt that are not as the device is
 */
struct coresight_apmt_node {
	bool present;
	uint8_t type;
	uint32_t id;
	uint64_t primary;
	char *hid;
	uint32_t secondary;
	bool processor;
	uint32_t affinity;
	uint32_t implementation;
	uint64_t address;
	uint32_t instance;
	uint64_t window;
	uint16_t length;
	uint8_t toggled_flags;
	uint32_t toggled_irq_flags;
};

/**
 * struct coresight_pmu - a PMU in the emulated machine
 * @parent: what any PMU has
 * @model: what software sees and what counts
 * @config: of @model, from the properties
 * @groups: the sizes of the monitor groups, separated by colons, or NULL
 * @widths: the widths of the monitors, in the order of their numbers and again from the first one
 *	when there are no more, separated by colons, or NULL
 * @gauges: monitors 0 to 63 that show a state
 * @fixed: monitors 0 to 63 whose event is fixed
 * @unfiltered: monitors 0 to 63 without filters
 * @filter_sources: PMEVFILTR has a bit for each source
 * @filter2: enum coresight_filter2
 * @window: the window of address filters, if there is one
 * @layout: enum coresight_layout
 * @halt: enum coresight_halt
 * @agent: the AGENT register of the stimulus page
 * @apmt: what ACPI says of it
 */
struct coresight_pmu {
	struct syspmu_device parent;

	struct coresight model;
	struct coresight_config config;
	char *groups;
	char *widths;
	uint64_t gauges;
	uint64_t fixed;
	uint64_t unfiltered;
	bool filter_sources;
	uint32_t filter2;
	MemoryRegion window;
	uint32_t layout;
	uint32_t halt;
	uint32_t agent;
	struct coresight_apmt_node apmt;
};

DECLARE_INSTANCE_CHECKER(struct coresight_pmu, CORESIGHT_PMU, TYPE_CORESIGHT_PMU)

#endif /* CORESIGHT_PMU_H */
