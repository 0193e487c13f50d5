// SPDX-License-Identifier: GPL-2.0
/*
 * Performance Monitor Counter Groups of the Arm SMMUv3 (IHI 0070 chapter 10).
 *
 * Each counter group is a PMU of its own, named by the physical address of its
 * first page: smmuv3_pmcg_<address >> 12>. Events can be filtered by the
 * StreamID of the device that causes them:
 *
 *   filter_enable	1: count only what the filter matches
 *   filter_stream_id	StreamID to match
 *   filter_span	0: match it exactly; 1: the lowest bit that is 0 and all
 *			ones below it are ignored (§10.4)
 *
 * for example, all StreamIDs from 0x40 to 0x47:
 *
 *   perf stat -a -e smmuv3_pmcg_2b442/tlb_miss,filter_enable=1,
 *		     filter_span=1,filter_stream_id=0x43/
 */

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/sysfs.h>

#include "arm_syspmu.h"

/* IHI 0070 §10.5.1; P1: on page 1 where the group has one */
#define PMCG_EVCNTR			0x000	/* P1 */
#define PMCG_EVTYPER(n)			(0x400 + 4 * (n))
#define   PMCG_EVTYPER_EVENT		GENMASK(15, 0)
#define   PMCG_EVTYPER_FILTER_SID_SPAN	BIT(29)
#define   PMCG_EVTYPER_FILTER		PMCG_EVTYPER_FILTER_SID_SPAN
#define PMCG_SMR(n)			(0xa00 + 4 * (n))
#define PMCG_CNTENSET0			0xc00
#define PMCG_CNTENCLR0			0xc20
#define PMCG_INTENSET0			0xc40
#define PMCG_INTENCLR0			0xc60
#define PMCG_OVSCLR0			0xc80	/* P1 */
#define PMCG_CFGR			0xe00
#define   PMCG_CFGR_SID_FILTER_TYPE	BIT(23)
#define   PMCG_CFGR_MSI			BIT(21)
#define   PMCG_CFGR_RELOC_CTRS		BIT(20)
#define   PMCG_CFGR_SIZE		GENMASK(13, 8)
#define   PMCG_CFGR_NCTR		GENMASK(5, 0)
#define PMCG_CR				0xe04
#define   PMCG_CR_E			BIT(0)
#define PMCG_IIDR			0xe08
#define   PMCG_IIDR_PRODUCTID		GENMASK(31, 20)
#define   PMCG_IIDR_VARIANT		GENMASK(19, 16)
#define   PMCG_IIDR_REVISION		GENMASK(15, 12)
#define   PMCG_IIDR_IMPLEMENTER		GENMASK(11, 0)
#define PMCG_CEID0			0xe20
#define PMCG_CEID1			0xe28
#define PMCG_IRQ_CTRL			0xe50
#define   PMCG_IRQ_CTRL_IRQEN		BIT(0)
#define PMCG_IRQ_CTRLACK		0xe54
#define PMCG_IRQ_CFG0			0xe58
#define PMCG_PIDR0			0xfe0
#define   PMCG_PIDR0_PART_0		GENMASK(7, 0)
#define PMCG_PIDR1			0xfe4
#define   PMCG_PIDR1_DES_0		GENMASK(7, 4)
#define   PMCG_PIDR1_PART_1		GENMASK(3, 0)
#define PMCG_PIDR2			0xfe8
#define   PMCG_PIDR2_REVISION		GENMASK(7, 4)
#define   PMCG_PIDR2_DES_1		GENMASK(2, 0)
#define PMCG_PIDR3			0xfec
#define   PMCG_PIDR3_REVAND		GENMASK(7, 4)
#define PMCG_PIDR4			0xfd0
#define   PMCG_PIDR4_DES_2		GENMASK(3, 0)
#define PMCG_CIDR(n)			(0xff0 + 4 * (n))

/* perf's view, the same as that of the in-tree driver */
#define PMCG_CONFIG_EVENT		GENMASK_ULL(15, 0)
#define PMCG_CONFIG1_FILTER_STREAM_ID	GENMASK_ULL(31, 0)
#define PMCG_CONFIG1_FILTER_SPAN	BIT_ULL(32)
#define PMCG_CONFIG1_FILTER_ENABLE	BIT_ULL(33)
#define PMCG_CONFIG1			(PMCG_CONFIG1_FILTER_STREAM_ID | \
					 PMCG_CONFIG1_FILTER_SPAN | \
					 PMCG_CONFIG1_FILTER_ENABLE)

#define PMCG_MAX_COUNTERS		64
#define PMCG_ARCH_EVENTS		128
#define PMCG_EVENT_CYCLES		0

/* All ones in all implemented bits and a span: every StreamID (§10.4) */
#define PMCG_SMR_ALL			GENMASK(31, 0)

/* Far more than any update takes (§10.5.2.19), little enough to wait for */
#define PMCG_IRQ_ACK_TIMEOUT_US		10000

/*
 * How close to a carry into the upper half a torn read of a 64-bit counter
 * can land: more events than can happen within one bus access.
 */
#define PMCG_TEAR_WINDOW		0x10000U

/**
 * struct smmuv3_pmcg - one counter group
 * @syspmu: what the core sees
 * @page0: identification and configuration
 * @page1: counters and overflow status; the same as @page0 without RELOC_CTRS
 * @ceid: the architected events that can be counted
 * @event_bits: the bits of EVTYPERn.EVENT that are implemented
 * @wide: counters are 64-bit registers
 * @msi: the group can send MSIs
 * @global_filter: EVTYPER0 and SMR0 hold the filter of all counters
 * @evtyper: contents of the EVTYPERn registers
 * @smr: contents of the SMRn registers, unimplemented bits included
 */
struct smmuv3_pmcg {
	struct arm_syspmu syspmu;
	void __iomem *page0;
	void __iomem *page1;
	DECLARE_BITMAP(ceid, PMCG_ARCH_EVENTS);
	u32 event_bits;
	bool wide;
	bool msi;
	bool global_filter;
	u32 evtyper[PMCG_MAX_COUNTERS];
	u32 smr[PMCG_MAX_COUNTERS];
};

#define to_smmuv3_pmcg(p) container_of(p, struct smmuv3_pmcg, syspmu)

/*
 * Events and filters. An event carries the EVTYPERn value it needs in
 * hw.config_base, and the SMRn value in hw.event_base.
 */

static u32 pmcg_event_id(const struct perf_event *event)
{
	return FIELD_GET(PMCG_EVTYPER_EVENT, event->hw.config_base);
}

/*
 * Clock cycles come from no StreamID and are counted whatever the filter says
 * (§10.3). What an IMPLEMENTATION DEFINED event does is not known; assume that
 * the filter matters to it.
 */
static bool pmcg_event_is_filterable(const struct perf_event *event)
{
	return pmcg_event_id(event) != PMCG_EVENT_CYCLES;
}

static int pmcg_event_init(struct arm_syspmu *syspmu, struct perf_event *event)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	const struct perf_event_attr *attr = &event->attr;
	u32 id = FIELD_GET(PMCG_CONFIG_EVENT, attr->config);
	bool span = true;
	u32 smr = PMCG_SMR_ALL;

	if (attr->config & ~PMCG_CONFIG_EVENT)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "config 0x%llx: only the event field (config:0-15) exists",
					 attr->config);
	if (attr->config1 & ~PMCG_CONFIG1)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "config1 0x%llx: only the filter fields (config1:0-33) exist",
					 attr->config1);
	if (attr->config2)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "config2 0x%llx: this PMU has no field there",
					 attr->config2);
	if (attr->config3)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "config3 0x%llx: this PMU has no field there",
					 attr->config3);

	if (id < PMCG_ARCH_EVENTS && !test_bit(id, pmcg->ceid))
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "event 0x%x: this counter group cannot count it, see the events directory",
					 id);
	if (id & ~pmcg->event_bits)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "event 0x%x: this counter group has events up to 0x%x",
					 id, pmcg->event_bits);

	if (attr->config1 & PMCG_CONFIG1_FILTER_ENABLE) {
		span = attr->config1 & PMCG_CONFIG1_FILTER_SPAN;
		smr = FIELD_GET(PMCG_CONFIG1_FILTER_STREAM_ID, attr->config1);
	}

	event->hw.config_base = FIELD_PREP(PMCG_EVTYPER_EVENT, id) |
				FIELD_PREP(PMCG_EVTYPER_FILTER_SID_SPAN, span);
	event->hw.event_base = smr;

	return 0;
}

static bool pmcg_events_compatible(struct arm_syspmu *syspmu,
				   const struct perf_event *a,
				   const struct perf_event *b)
{
	if (!to_smmuv3_pmcg(syspmu)->global_filter ||
	    !pmcg_event_is_filterable(a) || !pmcg_event_is_filterable(b))
		return true;

	return !((a->hw.config_base ^ b->hw.config_base) & PMCG_EVTYPER_FILTER) &&
	       a->hw.event_base == b->hw.event_base;
}

static void pmcg_update_evtyper(struct smmuv3_pmcg *pmcg, unsigned int n,
				u32 fields, u32 value)
{
	u32 evtyper = (pmcg->evtyper[n] & ~fields) | (value & fields);

	if (evtyper == pmcg->evtyper[n])
		return;

	pmcg->evtyper[n] = evtyper;
	writel_relaxed(evtyper, pmcg->page0 + PMCG_EVTYPER(n));
}

static void pmcg_update_smr(struct smmuv3_pmcg *pmcg, unsigned int n, u32 smr)
{
	if (smr == pmcg->smr[n])
		return;

	pmcg->smr[n] = smr;
	writel_relaxed(smr, pmcg->page0 + PMCG_SMR(n));
}

/*
 * With a global filter, EVTYPER0's filter fields and SMR0 belong to whatever
 * filterable events are counting, EVTYPER0's event to counter 0 (§10.4): each
 * is updated without the other.
 */
static void pmcg_program(struct arm_syspmu *syspmu,
			 const struct perf_event *event)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	unsigned int idx = event->hw.idx;
	unsigned int filter = pmcg->global_filter ? 0 : idx;
	u32 fields = PMCG_EVTYPER_EVENT;

	if (pmcg_event_is_filterable(event)) {
		pmcg_update_smr(pmcg, filter, event->hw.event_base);
		if (filter == idx)
			fields |= PMCG_EVTYPER_FILTER;
		else
			pmcg_update_evtyper(pmcg, filter, PMCG_EVTYPER_FILTER,
					    event->hw.config_base);
	}
	pmcg_update_evtyper(pmcg, idx, fields, event->hw.config_base);
}

/*
 * Counters
 */

/* 64-bit accesses need not be atomic (§10.5): two halves that belong together */
static u64 pmcg_read_counter_halves(void __iomem *counter)
{
	u32 high = readl_relaxed(counter + 4), low, previous;

	do {
		previous = high;
		low = readl_relaxed(counter);
		high = readl_relaxed(counter + 4);
	} while (high != previous);

	return (u64)high << 32 | low;
}

static u64 pmcg_read_counter(struct arm_syspmu *syspmu, unsigned int idx)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	void __iomem *counters = pmcg->page1 + PMCG_EVCNTR;
	u64 value;

	if (!pmcg->wide)
		return readl_relaxed(counters + 4 * idx);

	/*
	 * A read that was torn by a carry out of the lower half finds that
	 * half just before or just after its wrap. Only then look twice.
	 */
	value = readq_relaxed(counters + 8 * idx);
	if (lower_32_bits(value) + PMCG_TEAR_WINDOW < 2 * PMCG_TEAR_WINDOW)
		value = pmcg_read_counter_halves(counters + 8 * idx);

	return value;
}

static void pmcg_write_bitmap(void __iomem *reg, const unsigned long *counters)
{
	u64 bits;

	bitmap_to_arr64(&bits, counters, PMCG_MAX_COUNTERS);
	writeq_relaxed(bits, reg);
}

static void pmcg_enable_counters(struct arm_syspmu *syspmu,
				 const unsigned long *counters)
{
	pmcg_write_bitmap(to_smmuv3_pmcg(syspmu)->page0 + PMCG_CNTENSET0,
			  counters);
}

static void pmcg_disable_counters(struct arm_syspmu *syspmu,
				  const unsigned long *counters)
{
	pmcg_write_bitmap(to_smmuv3_pmcg(syspmu)->page0 + PMCG_CNTENCLR0,
			  counters);
}

static bool pmcg_has_overflowed(struct arm_syspmu *syspmu, unsigned int idx)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	return readq_relaxed(pmcg->page1 + PMCG_OVSCLR0) & BIT_ULL(idx);
}

/*
 * The interrupt is an edge for each overflow (§10.2.1): what overflows between
 * the read and the write stays set, and its edge brings us here again.
 */
static void pmcg_take_overflows(struct arm_syspmu *syspmu,
				unsigned long *counters)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	u64 bits = readq_relaxed(pmcg->page1 + PMCG_OVSCLR0);

	if (bits)
		writeq_relaxed(bits, pmcg->page1 + PMCG_OVSCLR0);
	bitmap_from_arr64(counters, &bits, PMCG_MAX_COUNTERS);
}

static void pmcg_clear_overflow(struct arm_syspmu *syspmu, unsigned int idx)
{
	writeq_relaxed(BIT_ULL(idx),
		       to_smmuv3_pmcg(syspmu)->page1 + PMCG_OVSCLR0);
}

/*
 * The block as a whole. CNTENSET0 alone decides what counts, so CR.E and the
 * interrupt enables are set once and not with every event.
 */

static u64 pmcg_all_counters(const struct smmuv3_pmcg *pmcg)
{
	return GENMASK_ULL(pmcg->syspmu.num_counters - 1, 0);
}

static void pmcg_arm(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	writeq_relaxed(pmcg_all_counters(pmcg), pmcg->page0 + PMCG_INTENSET0);
	writel_relaxed(PMCG_IRQ_CTRL_IRQEN, pmcg->page0 + PMCG_IRQ_CTRL);
	writel_relaxed(PMCG_CR_E, pmcg->page0 + PMCG_CR);
}

/* No interrupt comes any more once IRQ_CTRLACK says so (§10.5.2.19). */
static void pmcg_quiesce(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	u64 all = pmcg_all_counters(pmcg);
	u32 ack;

	writel_relaxed(0, pmcg->page0 + PMCG_CR);
	writeq_relaxed(all, pmcg->page0 + PMCG_CNTENCLR0);
	writeq_relaxed(all, pmcg->page0 + PMCG_INTENCLR0);
	writel_relaxed(0, pmcg->page0 + PMCG_IRQ_CTRL);
	if (readl_relaxed_poll_timeout_atomic(pmcg->page0 + PMCG_IRQ_CTRLACK,
					      ack,
					      !(ack & PMCG_IRQ_CTRL_IRQEN), 1,
					      PMCG_IRQ_ACK_TIMEOUT_US))
		dev_warn(syspmu->dev,
			 "IRQ_CTRLACK does not acknowledge that interrupts are off\n");
	writeq_relaxed(all, pmcg->page1 + PMCG_OVSCLR0);
}

/* Reset leaves nearly everything UNKNOWN: give it the values we account for. */
static void pmcg_initialise(struct smmuv3_pmcg *pmcg)
{
	unsigned int n;

	pmcg_quiesce(&pmcg->syspmu);

	/* An address would make the group send MSIs instead (§10.5.2.21). */
	if (pmcg->msi)
		writeq_relaxed(0, pmcg->page0 + PMCG_IRQ_CFG0);

	writel_relaxed(PMCG_EVTYPER_EVENT, pmcg->page0 + PMCG_EVTYPER(0));
	pmcg->event_bits = readl_relaxed(pmcg->page0 + PMCG_EVTYPER(0)) &
			   PMCG_EVTYPER_EVENT;

	for (n = 0; n < pmcg->syspmu.num_counters; n++) {
		bool has_filter = !n || !pmcg->global_filter;

		pmcg->evtyper[n] = has_filter ? PMCG_EVTYPER_FILTER_SID_SPAN : 0;
		writel_relaxed(pmcg->evtyper[n], pmcg->page0 + PMCG_EVTYPER(n));
		if (!has_filter)
			continue;
		pmcg->smr[n] = PMCG_SMR_ALL;
		writel_relaxed(pmcg->smr[n], pmcg->page0 + PMCG_SMR(n));
	}
}

static const struct arm_syspmu_ops pmcg_ops = {
	.owner			= THIS_MODULE,
	.event_init		= pmcg_event_init,
	.events_compatible	= pmcg_events_compatible,
	.program		= pmcg_program,
	.read_counter		= pmcg_read_counter,
	.enable_counters	= pmcg_enable_counters,
	.disable_counters	= pmcg_disable_counters,
	.has_overflowed		= pmcg_has_overflowed,
	.take_overflows		= pmcg_take_overflows,
	.clear_overflow		= pmcg_clear_overflow,
	.arm			= pmcg_arm,
	.quiesce		= pmcg_quiesce,
};

/*
 * sysfs
 */

static ssize_t pmcg_event_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(buf, "event=0x%02llx\n", event->id);
}

static struct attribute *pmcg_event_attrs[] = {
	PMU_EVENT_ATTR_ID(cycles, pmcg_event_show, PMCG_EVENT_CYCLES),
	PMU_EVENT_ATTR_ID(transaction, pmcg_event_show, 1),
	PMU_EVENT_ATTR_ID(tlb_miss, pmcg_event_show, 2),
	PMU_EVENT_ATTR_ID(config_cache_miss, pmcg_event_show, 3),
	PMU_EVENT_ATTR_ID(trans_table_walk_access, pmcg_event_show, 4),
	PMU_EVENT_ATTR_ID(config_struct_access, pmcg_event_show, 5),
	PMU_EVENT_ATTR_ID(pcie_ats_trans_rq, pmcg_event_show, 6),
	PMU_EVENT_ATTR_ID(pcie_ats_trans_passed, pmcg_event_show, 7),
	NULL
};

static umode_t pmcg_event_is_visible(struct kobject *kobj,
				     struct attribute *attr, int n)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(to_arm_syspmu(pmu));
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr.attr);

	return test_bit(event->id, pmcg->ceid) ? attr->mode : 0;
}

static const struct attribute_group pmcg_events_group = {
	.name = "events",
	.attrs = pmcg_event_attrs,
	.is_visible = pmcg_event_is_visible,
};

PMU_FORMAT_ATTR(event,			"config:0-15");
PMU_FORMAT_ATTR(filter_stream_id,	"config1:0-31");
PMU_FORMAT_ATTR(filter_span,		"config1:32");
PMU_FORMAT_ATTR(filter_enable,		"config1:33");

static struct attribute *pmcg_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_filter_stream_id.attr,
	&format_attr_filter_span.attr,
	&format_attr_filter_enable.attr,
	NULL
};

static const struct attribute_group pmcg_format_group = {
	.name = "format",
	.attrs = pmcg_format_attrs,
};

static const struct attribute_group *pmcg_attr_groups[] = {
	&arm_syspmu_common_group,
	&pmcg_events_group,
	&pmcg_format_group,
	NULL
};

/*
 * Probe
 */

/* The component identification that CoreSight ID registers begin with */
static bool pmcg_has_coresight_ids(const struct smmuv3_pmcg *pmcg)
{
	static const u8 cidr[] = { 0x0d, 0x90, 0x05, 0xb1 };
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(cidr); n++)
		if (readl_relaxed(pmcg->page0 + PMCG_CIDR(n)) != cidr[n])
			return false;

	return true;
}

/* IIDR is optional; the ID registers say the same (§10.5.2.15). */
static u32 pmcg_identifier(const struct smmuv3_pmcg *pmcg)
{
	u32 iidr = readl_relaxed(pmcg->page0 + PMCG_IIDR);
	u32 pidr0, pidr1, pidr2, pidr3, pidr4;

	if (iidr || !pmcg_has_coresight_ids(pmcg))
		return iidr;

	pidr0 = readl_relaxed(pmcg->page0 + PMCG_PIDR0);
	pidr1 = readl_relaxed(pmcg->page0 + PMCG_PIDR1);
	pidr2 = readl_relaxed(pmcg->page0 + PMCG_PIDR2);
	pidr3 = readl_relaxed(pmcg->page0 + PMCG_PIDR3);
	pidr4 = readl_relaxed(pmcg->page0 + PMCG_PIDR4);

	return FIELD_PREP(PMCG_IIDR_PRODUCTID,
			  FIELD_GET(PMCG_PIDR1_PART_1, pidr1) << 8 |
			  FIELD_GET(PMCG_PIDR0_PART_0, pidr0)) |
	       FIELD_PREP(PMCG_IIDR_VARIANT,
			  FIELD_GET(PMCG_PIDR2_REVISION, pidr2)) |
	       FIELD_PREP(PMCG_IIDR_REVISION,
			  FIELD_GET(PMCG_PIDR3_REVAND, pidr3)) |
	       FIELD_PREP(PMCG_IIDR_IMPLEMENTER,
			  FIELD_GET(PMCG_PIDR4_DES_2, pidr4) << 8 |
			  FIELD_GET(PMCG_PIDR2_DES_1, pidr2) << 4 |
			  FIELD_GET(PMCG_PIDR1_DES_0, pidr1));
}

static int pmcg_check_cfgr(struct device *dev, u32 cfgr)
{
	u32 size = FIELD_GET(PMCG_CFGR_SIZE, cfgr);

	if (cfgr == ~0U)
		return dev_err_probe(dev, -ENODEV,
				     "CFGR reads as all ones: the counter group is powered down or absent\n");
	/* SIZE 0 is reserved, so no counter group that we may see reads so. */
	if (!cfgr)
		return dev_err_probe(dev, -ENODEV,
				     "CFGR reads as zero: Non-secure access is disabled, firmware must set SMMU_PMCG_SCR.NSRA\n");

	switch (size) {
	case 31:
	case 35:
	case 39:
	case 43:
	case 47:
	case 63:
		return 0;
	default:
		return dev_err_probe(dev, -ENODEV,
				     "CFGR 0x%08x: counter SIZE %u is reserved\n",
				     cfgr, size);
	}
}

static int pmcg_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct smmuv3_pmcg *pmcg;
	struct resource *res;
	u64 ceid[2];
	char *name;
	u32 cfgr;
	int err;

	pmcg = devm_kzalloc(dev, sizeof(*pmcg), GFP_KERNEL);
	if (!pmcg)
		return -ENOMEM;

	pmcg->page0 = devm_platform_get_and_ioremap_resource(pdev, 0, &res);
	if (IS_ERR(pmcg->page0))
		return dev_err_probe(dev, PTR_ERR(pmcg->page0),
				     "cannot map page 0\n");

	cfgr = readl_relaxed(pmcg->page0 + PMCG_CFGR);
	err = pmcg_check_cfgr(dev, cfgr);
	if (err)
		return err;

	pmcg->page1 = pmcg->page0;
	if (cfgr & PMCG_CFGR_RELOC_CTRS) {
		pmcg->page1 = devm_platform_ioremap_resource(pdev, 1);
		if (IS_ERR(pmcg->page1))
			return dev_err_probe(dev, PTR_ERR(pmcg->page1),
					     "CFGR.RELOC_CTRS is set, but page 1 cannot be mapped: firmware must describe it\n");
	}

	ceid[0] = readq_relaxed(pmcg->page0 + PMCG_CEID0);
	ceid[1] = readq_relaxed(pmcg->page0 + PMCG_CEID1);
	bitmap_from_arr64(pmcg->ceid, ceid, PMCG_ARCH_EVENTS);

	pmcg->wide = FIELD_GET(PMCG_CFGR_SIZE, cfgr) > 31;
	pmcg->msi = cfgr & PMCG_CFGR_MSI;
	pmcg->global_filter = cfgr & PMCG_CFGR_SID_FILTER_TYPE;

	pmcg->syspmu.dev = dev;
	pmcg->syspmu.ops = &pmcg_ops;
	pmcg->syspmu.attr_groups = pmcg_attr_groups;
	pmcg->syspmu.num_counters = FIELD_GET(PMCG_CFGR_NCTR, cfgr) + 1;
	pmcg->syspmu.counter_mask =
		GENMASK_ULL(FIELD_GET(PMCG_CFGR_SIZE, cfgr), 0);
	pmcg->syspmu.identifier = pmcg_identifier(pmcg);

	name = devm_kasprintf(dev, GFP_KERNEL, "smmuv3_pmcg_%llx",
			      (u64)res->start >> 12);
	if (!name)
		return -ENOMEM;

	pmcg_initialise(pmcg);
	err = arm_syspmu_register(&pmcg->syspmu, pdev, name);
	if (err)
		return err;

	platform_set_drvdata(pdev, pmcg);
	dev_info(dev, "%s: %u counters of %u bits, %s StreamID filter\n", name,
		 pmcg->syspmu.num_counters,
		 (u32)FIELD_GET(PMCG_CFGR_SIZE, cfgr) + 1,
		 pmcg->global_filter ? "one" : "each with a");

	return 0;
}

/* The next kernel must not find interrupts coming. */
static void pmcg_shutdown(struct platform_device *pdev)
{
	struct smmuv3_pmcg *pmcg = platform_get_drvdata(pdev);

	pmcg_quiesce(&pmcg->syspmu);
}

static const struct of_device_id pmcg_of_match[] = {
	{ .compatible = "arm,smmu-v3-pmcg" },
	{ }
};
MODULE_DEVICE_TABLE(of, pmcg_of_match);

static struct platform_driver pmcg_driver = {
	.driver = {
		.name = "arm_smmuv3_pmcg",
		.of_match_table = pmcg_of_match,
	},
	.probe = pmcg_probe,
	.shutdown = pmcg_shutdown,
};
module_platform_driver(pmcg_driver);

MODULE_DESCRIPTION("perf driver for Arm SMMUv3 Performance Monitor Counter Groups");
MODULE_AUTHOR("The arm-syspmu developers");
MODULE_LICENSE("GPL");
