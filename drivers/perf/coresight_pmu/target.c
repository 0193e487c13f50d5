// SPDX-License-Identifier: GPL-2.0
/*
 * PCIe target PMU of NVIDIA Vera. Its monitors select root ports and, by slots,
 * addresses. The slots are registers of the ACPI device that APMT names:
 *
 *   event		what is counted; 4 is the cycle counter
 *   dst_rp_mask	root ports; 0 selects all unless there is an address
 *   dst_addr_en	only accesses to addresses that are dst_addr_base in the
 *			bits of dst_addr_mask
 *
 * There are eight slots. Slot n belongs to monitor n, so that nothing has to be
 * allocated; an event with an address uses one of the first eight monitors.
 */

#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/perf_event.h>

#include "coresight_pmu.h"

#define CSPMU_TARGET_TYPE		GENMASK_ULL(2, 0)
#define CSPMU_TARGET_CYCLES		4
#define CSPMU_TARGET_PORTS		GENMASK_ULL(10, 3)
#define CSPMU_TARGET_ADDRESSED		BIT_ULL(11)

/* PMEVFILT2R */
#define CSPMU_FILT2_PORTS		GENMASK(7, 0)
#define CSPMU_FILT2_SLOTS		GENMASK(15, 8)
#define CSPMU_FILT2_SLOT(n)		BIT(8 + (n))

/* Registers of a slot, of 32 bits */
#define CSPMU_SLOT(n)			(0xd38 + 20 * (n))
#define CSPMU_SLOT_CONTROL		0x0
#define   CSPMU_SLOT_ENABLE		BIT(0)
#define CSPMU_SLOT_BASE			0x4
#define CSPMU_SLOT_MASK			0xc

/**
 * cspmu_is_target_cycles - whether an event of such a PMU counts cycles
 * @event: the event
 *
 * Context: any.
 * Return: true if it does
 */
bool cspmu_is_target_cycles(const struct perf_event *event)
{
	return (event->attr.config & CSPMU_TARGET_TYPE) == CSPMU_TARGET_CYCLES;
}

static bool cspmu_is_addressed(const struct perf_event *event)
{
	return event->attr.config & CSPMU_TARGET_ADDRESSED;
}

/**
 * cspmu_init_target_event - decode an event into register values
 * @cspmu: the PMU
 * @event: the event, which does not count cycles
 *
 * Context: process.
 * Return: 0, or a negative errno with a message
 */
int cspmu_init_target_event(struct coresight_pmu *cspmu,
			    struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 ports = FIELD_GET(CSPMU_TARGET_PORTS, attr->config);

	if (cspmu_is_addressed(event) && !cspmu->slots)
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "dst_addr_en: firmware does not describe the registers for addresses");

	if (!ports && !cspmu_is_addressed(event))
		ports = CSPMU_FILT2_PORTS;
	event->hw.config_base = attr->config & CSPMU_TARGET_TYPE;
	event->hw.event_base = 0;
	event->hw.config = ports;

	return 0;
}

/**
 * cspmu_can_count_target - whether a monitor can count an event
 * @class: what the monitor can count
 * @event: the event, decoded
 *
 * Context: any.
 * Return: true if it can
 */
bool cspmu_can_count_target(const struct cspmu_class *class,
			    const struct perf_event *event)
{
	u64 ports = FIELD_GET(CSPMU_TARGET_PORTS, event->attr.config);

	if (!cspmu_accepts(&class->type, event->hw.config_base) ||
	    (ports && !cspmu_accepts(&class->filter2, ports)))
		return false;

	return !cspmu_is_addressed(event) ||
	       (class->has_slot &&
		!(CSPMU_FILT2_SLOTS & ~class->filter2.writable));
}

/**
 * cspmu_program_target - set up the slot of a monitor
 * @cspmu: the PMU
 * @event: the event, which has a monitor
 *
 * The slot is on another page than the PMU, so complete the writes before the
 * monitor can be enabled.
 *
 * Context: any.
 * Return: the value for PMEVFILT2R
 */
u64 cspmu_program_target(struct coresight_pmu *cspmu,
			 const struct perf_event *event)
{
	void __iomem *slot = cspmu->slots + CSPMU_SLOT(event->hw.idx);

	if (!cspmu_is_addressed(event))
		return event->hw.config;

	arm_syspmu_write_halves(slot + CSPMU_SLOT_BASE, event->attr.config1);
	arm_syspmu_write_halves(slot + CSPMU_SLOT_MASK, event->attr.config2);
	writel_relaxed(CSPMU_SLOT_ENABLE, slot + CSPMU_SLOT_CONTROL);
	readl(slot + CSPMU_SLOT_CONTROL);

	return event->hw.config | CSPMU_FILT2_SLOT(event->hw.idx);
}

/**
 * cspmu_disable_slots - disable all slots
 * @cspmu: the PMU, stopped
 *
 * Context: any.
 */
void cspmu_disable_slots(const struct coresight_pmu *cspmu)
{
	unsigned int n;

	for (n = 0; cspmu->slots && n < CSPMU_NUM_SLOTS; n++)
		writel_relaxed(0, cspmu->slots + CSPMU_SLOT(n) +
				  CSPMU_SLOT_CONTROL);
}

#ifdef CONFIG_ACPI_APMT
static void __iomem *cspmu_map_slots(const struct coresight_pmu *cspmu,
				     struct acpi_device *adev)
{
	void __iomem *slots = IOMEM_ERR_PTR(-ENODEV);
	struct device *dev = cspmu->syspmu.dev;
	struct resource_entry *entry;
	LIST_HEAD(resources);

	if (acpi_dev_get_memory_resources(adev, &resources) < 0)
		return slots;

	entry = list_first_entry_or_null(&resources, struct resource_entry,
					 node);
	if (entry && resource_size(entry->res) >= CSPMU_SLOT(CSPMU_NUM_SLOTS))
		slots = devm_ioremap_resource(dev, entry->res);
	acpi_dev_free_resource_list(&resources);

	return slots;
}

/**
 * cspmu_find_slots - find the registers for addresses
 * @cspmu: the PMU, identified
 *
 * Without them, the PMU counts by root ports only.
 *
 * Context: process, at probe.
 */
void cspmu_find_slots(struct coresight_pmu *cspmu)
{
	void __iomem *slots = IOMEM_ERR_PTR(-ENODEV);
	struct acpi_device *adev;

	if (!cspmu->product->slots)
		return;

	adev = cspmu_get_acpi_device(cspmu);
	if (adev) {
		slots = cspmu_map_slots(cspmu, adev);
		acpi_dev_put(adev);
	}
	if (!IS_ERR(slots))
		cspmu->slots = slots;
	else
		dev_warn(cspmu->syspmu.dev,
			 "its ACPI device has no usable memory resource (%ld): dst_addr_en is refused\n",
			 PTR_ERR(slots));
}
#else
void cspmu_find_slots(struct coresight_pmu *cspmu)
{
}
#endif /* CONFIG_ACPI_APMT */
