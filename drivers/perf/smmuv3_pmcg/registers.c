// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of a Performance Monitor Counter Group (IHI 0070 §10.5). It has at
 * most 64 counters, so that a bitmap of them is one word and one register.
 */

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "pmcg.h"

/* IHI 0070 §10.5.1; P1: on page 1 if the group has one */
#define PMCG_EVCNTR			0x000	/* P1 */
#define PMCG_EVTYPER(n)			(0x400 + 4 * (n))
#define PMCG_SVR			0x600	/* P1 */
#define PMCG_SMR(n)			(0xa00 + 4 * (n))
#define PMCG_CNTENSET0			0xc00
#define PMCG_CNTENCLR0			0xc20
#define PMCG_INTENSET0			0xc40
#define PMCG_INTENCLR0			0xc60
#define PMCG_OVSCLR0			0xc80	/* P1 */
#define PMCG_CAPR			0xd88	/* P1 */
#define   PMCG_CAPR_CAPTURE		BIT(0)
#define PMCG_CFGR			0xe00
#define   PMCG_CFGR_FILTER_PARTID_PMG	BIT(25)
#define   PMCG_CFGR_SID_FILTER_TYPE	BIT(23)
#define   PMCG_CFGR_MPAM			BIT(24)
#define   PMCG_CFGR_CAPTURE		BIT(22)
#define   PMCG_CFGR_MSI			BIT(21)
#define   PMCG_CFGR_RELOC_CTRS		BIT(20)
#define   PMCG_CFGR_SIZE		GENMASK(13, 8)
#define   PMCG_CFGR_NCTR		GENMASK(5, 0)
#define PMCG_CR				0xe04
#define   PMCG_CR_E			BIT(0)
#define PMCG_IIDR			0xe08
#define PMCG_CEID0			0xe20
#define PMCG_CEID1			0xe28
#define PMCG_ROOTCR			0xe48
#define PMCG_ROOTCR_ROOTCR_IMPL		BIT(31)
#define PMCG_ROOTCR_RLO			BIT(1)
#define PMCG_IRQ_CTRL			0xe50
#define   PMCG_IRQ_CTRL_IRQEN		BIT(0)
#define PMCG_IRQ_CTRLACK		0xe54
#define PMCG_IRQ_CFG0			0xe58
#define   PMCG_IRQ_CFG0_ADDR		GENMASK_ULL(55, 2)
#define PMCG_IRQ_CFG1			0xe60
#define PMCG_IRQ_CFG2			0xe64
#define   PMCG_IRQ_CFG2_DEVICE_NGNRE	1	/* MEMATTR */
#define PMCG_IRQ_STATUS			0xe68
#define   PMCG_IRQ_STATUS_IRQ_ABT	BIT(0)
#define PMCG_AIDR			0xe70
#define   PMCG_AIDR_ARCH_REV		GENMASK(7, 0)
#define PMCG_MPAMIDR			0xe74
#define   PMCG_MPAMIDR_PMG_MAX		GENMASK(23, 16)
#define   PMCG_MPAMIDR_PARTID_MAX	GENMASK(15, 0)

/*
 * A change waits for messages on their way to memory (§10.5.2.19), which takes
 * microseconds: about 1 ms is ample, and bearable with interrupts off. Reads are
 * counted, and not time, in which this CPU may do something else.
 */
#define PMCG_IRQ_ACK_READS		1000

/*
 * HiSilicon HIP08 to HIP11 may not stop a counter that is disabled. While a
 * counter is disabled, set its event to one that does not exist.
 */
static void pmcg_write_evtyper(const struct smmuv3_pmcg *pmcg, unsigned int n)
{
	u32 evtyper = pmcg->evtyper[n];

	if (pmcg->counts_when_disabled && !(pmcg->enabled & BIT(n)))
		evtyper |= PMCG_EVTYPER_EVENT;
	writel_relaxed(evtyper, pmcg->page0 + PMCG_EVTYPER(n));
}

/*
 * With one filter, the filter fields of EVTYPER0 and SMR0 apply to all counters,
 * while the event field of EVTYPER0 is that of counter 0 (§10.4): change each
 * without the other.
 */
static void pmcg_set_shared_filter(struct smmuv3_pmcg *pmcg, u32 filter,
				   u32 smr)
{
	u32 *evtyper = &pmcg->evtyper[0];

	if ((*evtyper & PMCG_EVTYPER_FILTER) == filter &&
	    pmcg->shared_smr == smr)
		return;

	*evtyper = (*evtyper & ~PMCG_EVTYPER_FILTER) | filter;
	pmcg->shared_smr = smr;
	pmcg_write_evtyper(pmcg, 0);
	writel_relaxed(smr, pmcg->page0 + PMCG_SMR(0));
}

/*
 * EVTYPERn determines how SMRn is interpreted (§10.5.2.4): write it first. An
 * event to which no filter applies leaves the filter as it is.
 */
static int pmcg_program(struct arm_syspmu *syspmu,
			const struct perf_event *event)
{
	const struct arm_syspmu_event *pe = event->pmu_private;
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	u32 evtyper = event->hw.config_base, smr = event->hw.event_base;
	u32 fields = PMCG_EVTYPER_EVENT | PMCG_EVTYPER_OVFCAP;
	bool own_filter = pe->filter && !pmcg->one_filter;
	unsigned int idx = event->hw.idx;

	if (own_filter)
		fields |= PMCG_EVTYPER_FILTER;
	pmcg->evtyper[idx] = (pmcg->evtyper[idx] & ~fields) |
			     (evtyper & fields);
	pmcg_write_evtyper(pmcg, idx);
	if (own_filter)
		writel_relaxed(smr, pmcg->page0 + PMCG_SMR(idx));
	else if (pe->filter)
		pmcg_set_shared_filter(pmcg, evtyper & PMCG_EVTYPER_FILTER,
				       smr);

	return 0;
}

static void __iomem *pmcg_counter(const struct smmuv3_pmcg *pmcg, u32 first,
				  unsigned int idx)
{
	return pmcg->page1 + first + (pmcg->wide ? 8 : 4) * idx;
}

static int pmcg_write_counter(struct arm_syspmu *syspmu, unsigned int idx,
			      u64 value)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	void __iomem *counter = pmcg_counter(pmcg, PMCG_EVCNTR, idx);

	pmcg->page1_written = pmcg->relocated;
	/* It may be enabled, but has just overflowed: no carry is near. */
	if (pmcg->wide)
		arm_syspmu_write_halves(counter, value);
	else
		writel_relaxed(value, counter);

	return 0;
}

/* All ones may come from a device without power: then all 64 bits are set. */
static u64 pmcg_read32(const void __iomem *reg)
{
	return (s32)readl_relaxed(reg);
}

static u64 pmcg_read_counter(struct arm_syspmu *syspmu, unsigned int idx)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	void __iomem *counter = pmcg_counter(pmcg, PMCG_EVCNTR, idx);

	return pmcg->wide ? arm_syspmu_read64(counter) : pmcg_read32(counter);
}

/* Accesses after the write see the captured values (§10.2.1). */
static bool pmcg_capture(struct arm_syspmu *syspmu,
			 const unsigned long *counters)
{
	writel_relaxed(PMCG_CAPR_CAPTURE,
		       to_smmuv3_pmcg(syspmu)->page1 + PMCG_CAPR);

	return true;
}

/* Only the capture of somebody else could change a shadow register meanwhile. */
static u64 pmcg_read_captured(struct arm_syspmu *syspmu, unsigned int idx)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	void __iomem *shadow = pmcg_counter(pmcg, PMCG_SVR, idx);
	u64 value = pmcg->wide ? readq_relaxed(shadow) : pmcg_read32(shadow);

	/* Without power since the first half, it now reads as all ones. */
	if (pmcg->wide && (upper_32_bits(value) == U32_MAX ||
			   lower_32_bits(value) == U32_MAX))
		value = readq_relaxed(shadow);

	return value;
}

/* The counters' events exist only while they are enabled. */
static void pmcg_set_enabled(struct smmuv3_pmcg *pmcg, unsigned long enabled)
{
	unsigned long changed = pmcg->enabled ^ enabled;
	unsigned int n;

	if (!pmcg->counts_when_disabled)
		return;

	pmcg->enabled = enabled;
	for_each_set_bit(n, &changed, pmcg->syspmu.num_counters)
		pmcg_write_evtyper(pmcg, n);
}

/*
 * Accesses to different pages are not ordered. Reading back from the page that
 * was written first completes the earlier writes, and readl() is ordered before
 * what follows.
 */

static void pmcg_enable_counters(struct arm_syspmu *syspmu,
				 const unsigned long *counters)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	if (pmcg->page1_written)
		readl(pmcg->page1 + PMCG_OVSCLR0);
	pmcg->page1_written = false;
	pmcg_set_enabled(pmcg, pmcg->enabled | *counters);
	writeq_relaxed(*counters, pmcg->page0 + PMCG_CNTENSET0);
}

static void pmcg_disable_counters(struct arm_syspmu *syspmu,
				  const unsigned long *counters)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	pmcg_set_enabled(pmcg, pmcg->enabled & ~*counters);
	writeq_relaxed(*counters, pmcg->page0 + PMCG_CNTENCLR0);
	if (pmcg->relocated)
		readl(pmcg->page0 + PMCG_CNTENCLR0);
}

/*
 * Without power, registers read as all ones or zero. All are zero as well once
 * Non-secure access is disabled. As at probe, no CFGR is either.
 */
static bool pmcg_is_present(struct arm_syspmu *syspmu)
{
	u32 cfgr = readl_relaxed(to_smmuv3_pmcg(syspmu)->page0 + PMCG_CFGR);

	return cfgr && cfgr != ~0U;
}

static bool pmcg_is_enabled(struct arm_syspmu *syspmu)
{
	return readl_relaxed(to_smmuv3_pmcg(syspmu)->page0 + PMCG_CR) &
	       PMCG_CR_E;
}

/*
 * A read of both halves need not be atomic (§10.5): that of an overflow could be
 * missing, which came before one that is not. Each counter sets its status once,
 * until it is cleared.
 */
static void pmcg_read_overflows(struct arm_syspmu *syspmu,
				unsigned long *counters)
{
	unsigned int reads = syspmu->num_counters > 32 ? syspmu->num_counters : 0;
	void __iomem *reg = to_smmuv3_pmcg(syspmu)->page1 + PMCG_OVSCLR0;
	unsigned long previous;

	*counters = readq_relaxed(reg);
	while (reads--) {
		previous = *counters;
		*counters = readq_relaxed(reg);
		if (*counters == previous)
			return;
	}
}

/*
 * Each overflow generates an edge (§10.2.1): the status of an overflow after
 * the read remains set, and its edge causes another interrupt.
 */
static void pmcg_clear_overflows(struct arm_syspmu *syspmu,
				 const unsigned long *counters)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	pmcg->page1_written = pmcg->relocated;
	writeq_relaxed(*counters, pmcg->page1 + PMCG_OVSCLR0);
}

/* A change is complete when it is acknowledged (§10.5.2.19). */
static void pmcg_set_irqen(struct smmuv3_pmcg *pmcg, u32 irqen)
{
	unsigned int reads = pmcg->never_acknowledges ? 1 : PMCG_IRQ_ACK_READS;
	u32 ack;

	writel_relaxed(irqen, pmcg->page0 + PMCG_IRQ_CTRL);
	do {
		ack = readl_relaxed(pmcg->page0 + PMCG_IRQ_CTRLACK);
		/* A device without power reads as all ones. */
		if (ack == irqen || ack == ~0U)
			return;
		udelay(1);
	} while (--reads);

	pmcg->never_acknowledges = true;
	arm_syspmu_fault(&pmcg->syspmu,
			 "IRQ_CTRLACK does not acknowledge a change of IRQ_CTRL: an overflow may be noticed late, or twice");
}

/* IRQ_CFG0 to IRQ_CFG2 must not be written while IRQEN is set (§10.5.2.21). */
static void pmcg_write_irq_cfg(struct smmuv3_pmcg *pmcg)
{
	u64 address;
	u32 data = arm_syspmu_get_msi(&pmcg->syspmu, &address);

	writeq_relaxed(address & PMCG_IRQ_CFG0_ADDR,
		       pmcg->page0 + PMCG_IRQ_CFG0);
	writel_relaxed(data, pmcg->page0 + PMCG_IRQ_CFG1);
	writel_relaxed(PMCG_IRQ_CFG2_DEVICE_NGNRE,
		       pmcg->page0 + PMCG_IRQ_CFG2);
}

static bool pmcg_msi_aborted(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	u32 status = readl_relaxed(pmcg->page0 + PMCG_IRQ_STATUS);

	/* All ones if the device has lost power after the overflow. */
	return status != ~0U && status & PMCG_IRQ_STATUS_IRQ_ABT;
}

/*
 * CNTENSET0 alone determines which counters count, so CR.E and the interrupt
 * enables are set once instead of with every event.
 */
static void pmcg_arm(struct arm_syspmu *syspmu, bool interrupt)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	u64 all = GENMASK_ULL(syspmu->num_counters - 1, 0);

	/* A non-zero address would make the group send MSIs (§10.5.2.21). */
	if (syspmu->has_msi)
		pmcg_write_irq_cfg(pmcg);
	if (interrupt) {
		writeq_relaxed(all, pmcg->page0 + PMCG_INTENSET0);
		pmcg_set_irqen(pmcg, PMCG_IRQ_CTRL_IRQEN);
	}
	writel_relaxed(PMCG_CR_E, pmcg->page0 + PMCG_CR);
}

static void pmcg_quiesce(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	u64 all = GENMASK_ULL(syspmu->num_counters - 1, 0);

	pmcg->enabled = 0;
	writel_relaxed(0, pmcg->page0 + PMCG_CR);
	writeq_relaxed(all, pmcg->page0 + PMCG_CNTENCLR0);
	writeq_relaxed(all, pmcg->page0 + PMCG_INTENCLR0);
	pmcg_set_irqen(pmcg, 0);
	writeq_relaxed(all, pmcg->page1 + PMCG_OVSCLR0);
	pmcg->page1_written = pmcg->relocated;
}

/* Most registers are UNKNOWN after reset: write the values that are assumed. */
static void pmcg_reset(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	unsigned int n;

	pmcg_quiesce(syspmu);

	for (n = 0; n < syspmu->num_counters; n++) {
		/* If there is one filter, it is that of counter 0. */
		pmcg->evtyper[n] = n && pmcg->one_filter ?
				   0 : PMCG_EVTYPER_FILTER_SID_SPAN;
		pmcg_write_evtyper(pmcg, n);
		if (!n || !pmcg->one_filter)
			writel_relaxed(PMCG_SMR_ALL,
				       pmcg->page0 + PMCG_SMR(n));
	}
	pmcg->shared_smr = PMCG_SMR_ALL;
}

static void pmcg_release(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	put_device(pmcg->smmu);
	kfree(pmcg->evtyper);
	kfree(pmcg);
}

const struct arm_syspmu_ops pmcg_ops = {
	.owner			= THIS_MODULE,
	.setup			= pmcg_setup,
	.event_init		= pmcg_event_init,
	.program		= pmcg_program,
	.write_counter		= pmcg_write_counter,
	.read_counter		= pmcg_read_counter,
	.capture		= pmcg_capture,
	.read_captured		= pmcg_read_captured,
	.enable_counters	= pmcg_enable_counters,
	.disable_counters	= pmcg_disable_counters,
	.read_overflows		= pmcg_read_overflows,
	.clear_overflows	= pmcg_clear_overflows,
	.is_present		= pmcg_is_present,
	.is_enabled		= pmcg_is_enabled,
	.reset			= pmcg_reset,
	.arm			= pmcg_arm,
	.quiesce		= pmcg_quiesce,
	.msi_aborted		= pmcg_msi_aborted,
	.release		= pmcg_release,
};

static int pmcg_check_cfgr(struct device *dev, u32 cfgr)
{
	u64 sizes = BIT_ULL(31) | BIT_ULL(35) | BIT_ULL(39) | BIT_ULL(43) |
		    BIT_ULL(47) | BIT_ULL(63);
	u32 size = FIELD_GET(PMCG_CFGR_SIZE, cfgr);

	if (cfgr == ~0U)
		return dev_err_probe(dev, -ENODEV,
				     "CFGR reads as all ones: the counter group is powered down or absent, check the address given by firmware\n");
	/* SIZE 0 is reserved: zero means that accesses are ignored. */
	if (!cfgr)
		return dev_err_probe(dev, -ENODEV,
				     "CFGR reads as zero: Non-secure access is disabled, firmware must set SMMU_PMCG_SCR.NSRA\n");
	if (!(sizes & BIT_ULL(size)))
		return dev_err_probe(dev, -ENODEV,
				     "CFGR 0x%08x: counter SIZE %u is reserved, check the address given by firmware\n",
				     cfgr, size);
	return 0;
}

/*
 * Finds the implemented bits of EVTYPER0 and SMR0 by writing and reading them.
 * Bits that are RES0 in every implementation stay 0 (§10.5.2.2). SMR0 holds a
 * StreamID, since the filters by PARTID and PMG are off.
 */
static int pmcg_probe_bits(struct smmuv3_pmcg *pmcg, u32 cfgr)
{
	u32 bits;

	bits = PMCG_EVTYPER_EVENT | PMCG_EVTYPER_FILTER_SID_SPAN |
	       PMCG_EVTYPER_FILTER_SEC_SID | PMCG_EVTYPER_FILTER_REALM_SID;
	if (cfgr & PMCG_CFGR_FILTER_PARTID_PMG)
		bits |= PMCG_EVTYPER_FILTER_MPAM_SP;

	writel_relaxed(bits, pmcg->page0 + PMCG_EVTYPER(0));
	pmcg->type_bits = readl_relaxed(pmcg->page0 + PMCG_EVTYPER(0)) & bits;
	if (!(pmcg->type_bits & PMCG_EVTYPER_EVENT))
		return dev_err_probe(pmcg->syspmu.dev, -ENODEV,
				     "EVTYPER0 is 0x%08x after 0x%08x was written: the registers keep nothing, check the address given by firmware\n",
				     pmcg->type_bits, bits);
	if (!(pmcg->type_bits & PMCG_EVTYPER_FILTER_SID_SPAN))
		dev_warn(pmcg->syspmu.dev,
			 "EVTYPER0 does not keep FILTER_SID_SPAN: there is no filter_span, and events without a filter may not count every StreamID\n");

	writel_relaxed(PMCG_SMR_ALL, pmcg->page0 + PMCG_SMR(0));
	pmcg->stream_id_bits = readl_relaxed(pmcg->page0 + PMCG_SMR(0));

	return 0;
}

/*
 * Unless firmware lets events of the Realm state be counted, a filter for them
 * would count Non-secure ones instead (§10.5.2.2, §10.4.3), so do not offer it.
 * ROOTCR can be read in each state (§10.5.2.18); where it cannot, all of it is
 * zero.
 */
static void pmcg_find_realm(struct smmuv3_pmcg *pmcg)
{
	u32 root;

	if (!(pmcg->type_bits & PMCG_EVTYPER_FILTER_REALM_SID))
		return;

	root = readl_relaxed(pmcg->page0 + PMCG_ROOTCR);
	if (root & PMCG_ROOTCR_ROOTCR_IMPL && !(root & PMCG_ROOTCR_RLO))
		pmcg->type_bits &= ~(PMCG_EVTYPER_FILTER_REALM_SID |
				     PMCG_EVTYPER_FILTER_MPAM_REALM);
}

/*
 * The last ones are PIDR4 and PIDR0 to PIDR3, which are not read where there is an
 * IIDR: they are IMPLEMENTATION DEFINED (§10.5.1), and other drivers do not either.
 */
#define PMCG_NUM_PIDR			5
static const u16 pmcg_ids[] = {
	PMCG_CFGR, PMCG_IIDR, PMCG_CEID0, PMCG_CEID0 + 4, PMCG_CEID1,
	PMCG_CEID1 + 4, PMCG_ROOTCR, PMCG_AIDR, PMCG_MPAMIDR,
	0xfd0, 0xfe0, 0xfe4, 0xfe8, 0xfec
};

/* Reads the features of a group, whose page 0 is mapped, and stops it. */
int pmcg_identify(struct smmuv3_pmcg *pmcg)
{
	struct arm_syspmu *syspmu = &pmcg->syspmu;
	u32 cfgr = readl_relaxed(pmcg->page0 + PMCG_CFGR), iidr, aidr, mpamidr;
	int err;

	err = pmcg_check_cfgr(syspmu->dev, cfgr);
	if (err)
		return err;

	iidr = readl_relaxed(pmcg->page0 + PMCG_IIDR);
	arm_syspmu_show_ids(syspmu, pmcg->page0, pmcg_ids,
			    ARRAY_SIZE(pmcg_ids) - (iidr ? PMCG_NUM_PIDR : 0));
	pmcg->relocated = cfgr & PMCG_CFGR_RELOC_CTRS;
	pmcg->one_filter = cfgr & PMCG_CFGR_SID_FILTER_TYPE;
	syspmu->num_counters = FIELD_GET(PMCG_CFGR_NCTR, cfgr) + 1;
	syspmu->counter_bits = FIELD_GET(PMCG_CFGR_SIZE, cfgr) + 1;
	pmcg->wide = syspmu->counter_bits > 32;
	syspmu->has_msi = cfgr & PMCG_CFGR_MSI;
	syspmu->can_capture = cfgr & PMCG_CFGR_CAPTURE;
	pmcg->evtyper = kcalloc(syspmu->num_counters, sizeof(*pmcg->evtyper),
				GFP_KERNEL);
	if (!pmcg->evtyper)
		return -ENOMEM;

	pmcg->ceid[0] = readq_relaxed(pmcg->page0 + PMCG_CEID0);
	pmcg->ceid[1] = readq_relaxed(pmcg->page0 + PMCG_CEID1);
	aidr = readl_relaxed(pmcg->page0 + PMCG_AIDR);
	/* IIDR is optional (§10.5.2.15). */
	iidr = iidr ?: arm_syspmu_iidr_of_coresight_ids(pmcg->page0);
	if (iidr)
		snprintf(syspmu->identifier, sizeof(syspmu->identifier),
			 "0x%08x", iidr);
	pmcg_identify_product(pmcg, iidr, FIELD_GET(PMCG_AIDR_ARCH_REV, aidr));

	writel_relaxed(0, pmcg->page0 + PMCG_CR);
	err = pmcg_probe_bits(pmcg, cfgr);
	if (err)
		return err;

	pmcg_find_realm(pmcg);
	pmcg->partid_filter = cfgr & PMCG_CFGR_FILTER_PARTID_PMG;
	if (!pmcg->partid_filter)
		return 0;

	/*
	 * MPAMIDR is RES0 if the group's MSIs have no PARTID (§10.5.2.27), so a
	 * group that filters by PARTID may not report its limits. Real limits of
	 * 0 would leave nothing to filter by.
	 */
	mpamidr = readl_relaxed(pmcg->page0 + PMCG_MPAMIDR);
	if (!mpamidr && !(cfgr & PMCG_CFGR_MPAM))
		mpamidr = ~0U;
	pmcg->partid_max = FIELD_GET(PMCG_MPAMIDR_PARTID_MAX, mpamidr);
	pmcg->pmg_max = FIELD_GET(PMCG_MPAMIDR_PMG_MAX, mpamidr);

	return 0;
}
