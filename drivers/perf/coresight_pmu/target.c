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
 * There are eight slots. Slot n belongs to monitor n: an event with an address
 * uses one of the first eight monitors.
 */

#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/err.h>

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

bool cspmu_is_target_cycles(const struct perf_event *event)
{
	return (event->attr.config & CSPMU_TARGET_TYPE) == CSPMU_TARGET_CYCLES;
}

static bool cspmu_is_addressed(const struct perf_event *event)
{
	return event->attr.config & CSPMU_TARGET_ADDRESSED;
}

/* Decodes an event that does not count cycles. */
int cspmu_init_target_event(struct cspmu *cspmu, struct perf_event *event)
{
	u64 ports = FIELD_GET(CSPMU_TARGET_PORTS, event->attr.config);

	if (cspmu_is_addressed(event) && !cspmu->slots)
		return arm_syspmu_refuse(&cspmu->syspmu, -EINVAL,
					 "dst_addr_en: firmware does not describe the registers for addresses");
	if (!ports && !cspmu_is_addressed(event))
		ports = CSPMU_FILT2_PORTS;
	event->hw.config_base = (event->attr.config & CSPMU_TARGET_TYPE) |
				cspmu->fixed_type;
	event->hw.config = ports;
	return 0;
}

bool cspmu_can_count_target(const struct cspmu *cspmu, unsigned int idx,
			    const struct perf_event *event)
{
	u64 ports = FIELD_GET(CSPMU_TARGET_PORTS, event->attr.config);
	const struct cspmu_control *control = cspmu->monitors[idx].control;

	if (!cspmu_accepts(&control[CSPMU_TYPE], event->hw.config_base) ||
	    (ports && !cspmu_accepts(&control[CSPMU_FILTER2], ports)))
		return false;
	return !cspmu_is_addressed(event) ||
	       (cspmu_has_slot(cspmu, idx) &&
		!(CSPMU_FILT2_SLOTS & ~control[CSPMU_FILTER2].writable));
}

/*
 * Sets up the slot of a monitor, which is on another page than the PMU: so
 * complete the writes before the monitor can be enabled. Returns PMEVFILT2R.
 */
u64 cspmu_program_target(struct cspmu *cspmu, const struct perf_event *event)
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

void cspmu_disable_slots(const struct cspmu *cspmu)
{
	unsigned int n;

	for (n = 0; cspmu->slots && n < CSPMU_NUM_SLOTS; n++)
		writel_relaxed(0, cspmu->slots + CSPMU_SLOT(n) +
				  CSPMU_SLOT_CONTROL);
}

/* Without the registers for addresses, it counts by root ports only. */
void cspmu_find_slots(struct cspmu *cspmu)
{
	void __iomem *slots;

	if (!cspmu->product->slots)
		return;
	slots = cspmu_map_acpi_device(cspmu, CSPMU_SLOT(CSPMU_NUM_SLOTS));
	if (!IS_ERR(slots))
		cspmu->slots = slots;
	else
		dev_warn(cspmu->syspmu.dev,
			 "firmware does not describe usable registers for addresses (%ld): dst_addr_en is refused\n",
			 PTR_ERR(slots));
}
