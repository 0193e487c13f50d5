// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of a Performance Monitor Counter Group (IHI 0070 §10.5).
 */

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/msi.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string_helpers.h>

#include "pmcg.h"

/* IHI 0070 §10.5.1; P1: on page 1 if the group has one */
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
#define   PMCG_IRQ_CFG2_MEMATTR		GENMASK(3, 0)
#define   PMCG_MEMATTR_DEVICE_NGNRE	1
#define PMCG_IRQ_STATUS			0xe68
#define   PMCG_IRQ_STATUS_IRQ_ABT	BIT(0)
#define PMCG_AIDR			0xe70
#define   PMCG_AIDR_ARCH_REV		GENMASK(7, 0)
#define PMCG_MPAMIDR			0xe74
#define   PMCG_MPAMIDR_PMG_MAX		GENMASK(23, 16)
#define   PMCG_MPAMIDR_PARTID_MAX	GENMASK(15, 0)

/* Same timeout as in the SMMU driver for its own registers (§10.5.2.19) */
#define PMCG_IRQ_ACK_TIMEOUT_US		1000000
#define PMCG_IRQ_ACK_STEP_US		10

/*
 * Programming. EVTYPERn and SMRn are only written if their value changes.
 */

/* HiSilicon HIP08 and HIP09 */
static bool pmcg_counts_when_disabled(const struct smmuv3_pmcg *pmcg)
{
	return pmcg->syspmu.quirks & ARM_SYSPMU_QUIRK_COUNTS_WHEN_DISABLED;
}

/*
 * HiSilicon HIP08 and HIP09 may not stop a counter that is disabled. While a
 * counter is disabled, set its event to one that does not exist.
 */
static inline void pmcg_write_evtyper(struct smmuv3_pmcg *pmcg, unsigned int n,
				      u32 evtyper)
{
	if (unlikely(pmcg_counts_when_disabled(pmcg)) &&
	    !test_bit(n, pmcg->enabled))
		evtyper |= PMCG_EVTYPER_EVENT;
	writel_relaxed(evtyper, pmcg->page0 + PMCG_EVTYPER(n));
}

static __always_inline void pmcg_update_evtyper(struct smmuv3_pmcg *pmcg,
						unsigned int n, u32 evtyper)
{
	if (evtyper == pmcg->programmed[n].evtyper)
		return;

	pmcg->programmed[n].evtyper = evtyper;
	pmcg_write_evtyper(pmcg, n, evtyper);
}

static void pmcg_update_fields(struct smmuv3_pmcg *pmcg, unsigned int n,
			       u32 fields, u32 value)
{
	pmcg_update_evtyper(pmcg, n, (pmcg->programmed[n].evtyper & ~fields) |
				     (value & fields));
}

static void pmcg_update_smr(struct smmuv3_pmcg *pmcg, unsigned int n, u32 smr,
			    bool always)
{
	if (smr == pmcg->programmed[n].smr && !always)
		return;

	pmcg->programmed[n].smr = smr;
	writel_relaxed(smr, pmcg->page0 + PMCG_SMR(n));
}

/*
 * With a global filter, the filter fields of EVTYPER0 and SMR0 apply to the
 * events of all counters, while the event field of EVTYPER0 is that of counter
 * 0 (§10.4). Update each without changing the other. An event to which no
 * filter applies leaves the filter as it is.
 */
static noinline void pmcg_program_fields(struct smmuv3_pmcg *pmcg,
					 const struct perf_event *event)
{
	unsigned int idx = event->hw.idx;
	u32 own = PMCG_EVTYPER_EVENT | PMCG_EVTYPER_OVFCAP;
	u32 evtyper = event->hw.config_base;
	u32 old = pmcg->programmed[0].evtyper;

	if (!pmcg_uses_filter(event)) {
		pmcg_update_fields(pmcg, idx, own, evtyper);
		return;
	}

	if (!idx)
		own |= PMCG_EVTYPER_FILTER;
	else
		pmcg_update_fields(pmcg, 0, PMCG_EVTYPER_FILTER, evtyper);
	pmcg_update_fields(pmcg, idx, own, evtyper);
	pmcg_update_smr(pmcg, 0, event->hw.event_base,
			(old ^ evtyper) & PMCG_EVTYPER_FILTER_MPAM);
}

/*
 * EVTYPERn determines how SMRn is interpreted (§10.5.2.4): write EVTYPERn
 * first, and write SMRn again if its interpretation changes.
 */
static void pmcg_program(struct arm_syspmu *syspmu,
			 const struct perf_event *event)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	unsigned int idx = event->hw.idx;
	u32 evtyper = event->hw.config_base, old;

	if (unlikely(syspmu->shares_filter || !pmcg_uses_filter(event))) {
		pmcg_program_fields(pmcg, event);
		return;
	}

	old = pmcg->programmed[idx].evtyper;
	pmcg_update_evtyper(pmcg, idx, evtyper);
	pmcg_update_smr(pmcg, idx, event->hw.event_base,
			(old ^ evtyper) & PMCG_EVTYPER_FILTER_MPAM);
}

/*
 * Counters
 */

static void pmcg_write_counter(struct arm_syspmu *syspmu, unsigned int idx,
			       u64 value)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	void __iomem *counters = syspmu->counter_regs;

	pmcg->counters_written = pmcg->relocated;
	/* It may be enabled, but has just overflowed: no carry is near. */
	if (syspmu->wide)
		arm_syspmu_write_halves(counters + 8 * idx, value);
	else
		writel_relaxed(value, counters + 4 * idx);
}

/* Accesses after the write see the captured values (§10.2.1). */
static bool pmcg_capture(struct arm_syspmu *syspmu)
{
	writel_relaxed(PMCG_CAPR_CAPTURE,
		       to_smmuv3_pmcg(syspmu)->page1 + PMCG_CAPR);

	return true;
}

/* A shadow register does not change while it is read, so it cannot be torn. */
static u64 pmcg_read_captured(struct arm_syspmu *syspmu, unsigned int idx)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	void __iomem *shadows = pmcg->page1 + PMCG_SVR;
	u64 value;

	if (!syspmu->wide)
		return readl_relaxed(shadows + 4 * idx);

	value = readq_relaxed(shadows + 8 * idx);
	/* Without power since the first half, it now reads as all ones. */
	if (upper_32_bits(value) == U32_MAX || lower_32_bits(value) == U32_MAX)
		value = (u64)readl_relaxed(shadows + 8 * idx + 4) << 32 |
			readl_relaxed(shadows + 8 * idx);

	return value;
}

static void pmcg_write_evtypers(struct smmuv3_pmcg *pmcg,
				const unsigned long *counters)
{
	unsigned int n;

	for_each_set_bit(n, counters, pmcg->syspmu.num_counters)
		pmcg_write_evtyper(pmcg, n, pmcg->programmed[n].evtyper);
}

/*
 * Accesses to different pages are not ordered. Reading back from the page that
 * was written first completes the earlier writes, and readl() is ordered before
 * what follows.
 */

/* Slow path: two pages, or a disabled counter may still count. */
static noinline void pmcg_enable_slow(struct smmuv3_pmcg *pmcg,
				      const unsigned long *counters)
{
	if (pmcg->counters_written) {
		readl(pmcg->page1 + PMCG_OVSCLR0);
		pmcg->counters_written = false;
	}
	if (pmcg_counts_when_disabled(pmcg)) {
		bitmap_or(pmcg->enabled, pmcg->enabled, counters,
			  PMCG_MAX_COUNTERS);
		pmcg_write_evtypers(pmcg, counters);
	}
	arm_syspmu_write_bits(pmcg->page0 + PMCG_CNTENSET0, counters,
			      PMCG_MAX_COUNTERS);
}

static void pmcg_enable_counters(struct arm_syspmu *syspmu,
				 const unsigned long *counters)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	if (unlikely(pmcg->relocated || pmcg_counts_when_disabled(pmcg)))
		pmcg_enable_slow(pmcg, counters);
	else
		arm_syspmu_write_bits(pmcg->page0 + PMCG_CNTENSET0, counters,
				      PMCG_MAX_COUNTERS);
}

static noinline void pmcg_disable_slow(struct smmuv3_pmcg *pmcg,
				       const unsigned long *counters)
{
	if (pmcg_counts_when_disabled(pmcg)) {
		bitmap_andnot(pmcg->enabled, pmcg->enabled, counters,
			      PMCG_MAX_COUNTERS);
		pmcg_write_evtypers(pmcg, counters);
	}
	arm_syspmu_write_bits(pmcg->page0 + PMCG_CNTENCLR0, counters,
			      PMCG_MAX_COUNTERS);
	if (pmcg->relocated)
		readl(pmcg->page0 + PMCG_CNTENCLR0);
}

static void pmcg_disable_counters(struct arm_syspmu *syspmu,
				  const unsigned long *counters)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	if (unlikely(pmcg->relocated || pmcg_counts_when_disabled(pmcg)))
		pmcg_disable_slow(pmcg, counters);
	else
		arm_syspmu_write_bits(pmcg->page0 + PMCG_CNTENCLR0, counters,
				      PMCG_MAX_COUNTERS);
}

/* Without power, registers read as all ones. */
static bool pmcg_is_present(struct arm_syspmu *syspmu)
{
	return readl_relaxed(to_smmuv3_pmcg(syspmu)->page0 + PMCG_CFGR) != ~0U;
}

static void pmcg_read_overflows(struct arm_syspmu *syspmu,
				unsigned long *counters)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	arm_syspmu_read_bits(pmcg->page1 + PMCG_OVSCLR0, counters,
			     PMCG_MAX_COUNTERS);
	/* The device may have lost power after the counter was read. */
	if (arm_syspmu_has_full_word(counters, PMCG_MAX_COUNTERS) &&
	    !pmcg_is_present(syspmu))
		bitmap_zero(counters, PMCG_MAX_COUNTERS);
}

/*
 * Each overflow generates an edge (§10.2.1): the status of an overflow between
 * the read and the write remains set, and its edge causes another interrupt.
 */
static void pmcg_take_overflows(struct arm_syspmu *syspmu,
				unsigned long *counters)
{
	arm_syspmu_take_bits(to_smmuv3_pmcg(syspmu)->page1 + PMCG_OVSCLR0,
			     counters, PMCG_MAX_COUNTERS);
}

static void pmcg_clear_overflow(struct arm_syspmu *syspmu, unsigned int idx)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	pmcg->counters_written = pmcg->relocated;
	writeq_relaxed(BIT_ULL(idx), pmcg->page1 + PMCG_OVSCLR0);
}

/*
 * Interrupt control. A change is complete when it is acknowledged (§10.5.2.19).
 */

static void pmcg_set_irqen(struct smmuv3_pmcg *pmcg, u32 irqen)
{
	u32 ack;

	/* A device without power reads as all ones and never acknowledges. */
	writel_relaxed(irqen, pmcg->page0 + PMCG_IRQ_CTRL);
	if (readl_relaxed_poll_timeout(pmcg->page0 + PMCG_IRQ_CTRLACK, ack,
				       ack == irqen || ack == ~0U,
				       PMCG_IRQ_ACK_STEP_US,
				       PMCG_IRQ_ACK_TIMEOUT_US))
		dev_warn(pmcg->syspmu.dev,
			 "IRQ_CTRLACK does not acknowledge that interrupts are %s: it reads 0x%x\n",
			 str_on_off(irqen), ack);
}

/* IRQ_CFG0 to IRQ_CFG2 must not be written while IRQEN is set (§10.5.2.21). */
static void pmcg_write_irq_cfg(struct smmuv3_pmcg *pmcg)
{
	u64 address;
	u32 data = arm_syspmu_get_msi(&pmcg->syspmu, &address);

	writeq_relaxed(address & PMCG_IRQ_CFG0_ADDR,
		       pmcg->page0 + PMCG_IRQ_CFG0);
	writel_relaxed(data, pmcg->page0 + PMCG_IRQ_CFG1);
	writel_relaxed(FIELD_PREP(PMCG_IRQ_CFG2_MEMATTR,
				  PMCG_MEMATTR_DEVICE_NGNRE),
		       pmcg->page0 + PMCG_IRQ_CFG2);
}

/*
 * No message is sent for an overflow in between; the poll timer of the core
 * finds it in the overflow status.
 */
static void pmcg_write_msi(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	pmcg_set_irqen(pmcg, 0);
	pmcg_write_irq_cfg(pmcg);
	pmcg_set_irqen(pmcg, PMCG_IRQ_CTRL_IRQEN);
}

static bool pmcg_msi_aborted(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	u32 status = readl_relaxed(pmcg->page0 + PMCG_IRQ_STATUS);

	/* All ones if the device has lost power after the overflow. */
	return status != ~0U && status & PMCG_IRQ_STATUS_IRQ_ABT;
}

/*
 * Device control. CNTENSET0 alone determines which counters count, so CR.E and
 * the interrupt enables are set once instead of with every event.
 */

static u64 pmcg_all_counters(const struct smmuv3_pmcg *pmcg)
{
	return GENMASK_ULL(pmcg->syspmu.num_counters - 1, 0);
}

static void pmcg_arm(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	/* A non-zero address would make the group send MSIs (§10.5.2.21). */
	if (syspmu->has_msi)
		pmcg_write_irq_cfg(pmcg);
	if (syspmu->irq >= 0) {
		writeq_relaxed(pmcg_all_counters(pmcg),
			       pmcg->page0 + PMCG_INTENSET0);
		pmcg_set_irqen(pmcg, PMCG_IRQ_CTRL_IRQEN);
	}
	writel_relaxed(PMCG_CR_E, pmcg->page0 + PMCG_CR);
}

static void pmcg_quiesce(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	u64 all = pmcg_all_counters(pmcg);

	bitmap_zero(pmcg->enabled, PMCG_MAX_COUNTERS);
	writel_relaxed(0, pmcg->page0 + PMCG_CR);
	writeq_relaxed(all, pmcg->page0 + PMCG_CNTENCLR0);
	writeq_relaxed(all, pmcg->page0 + PMCG_INTENCLR0);
	pmcg_set_irqen(pmcg, 0);
	writeq_relaxed(all, pmcg->page1 + PMCG_OVSCLR0);
	pmcg->counters_written = pmcg->relocated;
}

/* Values written at reset. With a global filter only counter 0 has one. */
static struct pmcg_programmed pmcg_reset_values(const struct smmuv3_pmcg *pmcg,
						unsigned int n)
{
	struct pmcg_programmed programmed = {};

	if (n && pmcg->syspmu.shares_filter)
		return programmed;

	programmed.evtyper = PMCG_EVTYPER_FILTER_SID_SPAN;
	programmed.smr = PMCG_SMR_ALL;

	return programmed;
}

static void pmcg_init_programmed(struct smmuv3_pmcg *pmcg)
{
	unsigned int n;

	for (n = 0; n < pmcg->syspmu.num_counters; n++)
		pmcg->programmed[n] = pmcg_reset_values(pmcg, n);
}

/* Most registers are UNKNOWN after reset: write the values that are assumed. */
static void pmcg_reset(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	struct pmcg_programmed programmed;
	unsigned int n;

	pmcg_quiesce(syspmu);

	for (n = 0; n < syspmu->num_counters; n++) {
		programmed = pmcg_reset_values(pmcg, n);
		pmcg_write_evtyper(pmcg, n, programmed.evtyper);
		if (!n || !syspmu->shares_filter)
			writel_relaxed(programmed.smr,
				       pmcg->page0 + PMCG_SMR(n));
	}
	if (pmcg->programmed)
		pmcg_init_programmed(pmcg);
}

static int pmcg_prepare(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	if (pmcg->programmed)
		return 0;

	pmcg->programmed = kcalloc(syspmu->num_counters,
				   sizeof(*pmcg->programmed), GFP_KERNEL);
	if (!pmcg->programmed)
		return -ENOMEM;

	pmcg_init_programmed(pmcg);

	return 0;
}

static void pmcg_release(struct arm_syspmu *syspmu)
{
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);

	pmcg_put_smmu(pmcg);
	kfree(pmcg->programmed);
	kfree(pmcg);
}

const struct arm_syspmu_ops pmcg_ops = {
	.owner			= THIS_MODULE,
	.prepare		= pmcg_prepare,
	.event_init		= pmcg_event_init,
	.conflict		= pmcg_conflict,
	.uses_filter		= pmcg_uses_filter,
	.program		= pmcg_program,
	.write_counter		= pmcg_write_counter,
	.capture		= pmcg_capture,
	.read_captured		= pmcg_read_captured,
	.enable_counters	= pmcg_enable_counters,
	.disable_counters	= pmcg_disable_counters,
	.read_overflows		= pmcg_read_overflows,
	.take_overflows		= pmcg_take_overflows,
	.clear_overflow		= pmcg_clear_overflow,
	.is_present		= pmcg_is_present,
	.reset			= pmcg_reset,
	.arm			= pmcg_arm,
	.quiesce		= pmcg_quiesce,
	.write_msi		= pmcg_write_msi,
	.msi_aborted		= pmcg_msi_aborted,
	.release		= pmcg_release,
};

/*
 * Identification
 */

static int pmcg_check_cfgr(struct device *dev, u32 cfgr)
{
	u32 size = FIELD_GET(PMCG_CFGR_SIZE, cfgr);

	if (cfgr == ~0U)
		return dev_err_probe(dev, -ENODEV,
				     "CFGR reads as all ones: the counter group is powered down or absent, check the address given by firmware\n");
	/* SIZE 0 is reserved: zero means that accesses are ignored. */
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
				     "CFGR 0x%08x: counter SIZE %u is reserved, check the address given by firmware\n",
				     cfgr, size);
	}
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
 * Finds the implemented bits of EVTYPER0 and SMR0 by writing and reading them.
 * Bits that are RES0 in every implementation stay 0 (§10.5.2.2). SMR0 holds a
 * StreamID, since the filters by PARTID and PMG are off.
 */
static int pmcg_probe_bits(struct smmuv3_pmcg *pmcg, u32 cfgr)
{
	u32 always = PMCG_EVTYPER_FILTER_SID_SPAN | BIT(0), bits;

	bits = PMCG_EVTYPER_EVENT | PMCG_EVTYPER_FILTER_SID_SPAN |
	       PMCG_EVTYPER_FILTER_SEC_SID | PMCG_EVTYPER_FILTER_REALM_SID;
	if (cfgr & PMCG_CFGR_CAPTURE)
		bits |= PMCG_EVTYPER_OVFCAP;
	if (cfgr & PMCG_CFGR_FILTER_PARTID_PMG)
		bits |= PMCG_EVTYPER_FILTER_MPAM_SP;

	writel_relaxed(bits, pmcg->page0 + PMCG_EVTYPER(0));
	pmcg->type_bits = readl_relaxed(pmcg->page0 + PMCG_EVTYPER(0)) & bits;
	if ((pmcg->type_bits & always) != always)
		return dev_err_probe(pmcg->syspmu.dev, -ENODEV,
				     "EVTYPER0 is 0x%08x after 0x%08x was written: the registers keep nothing, check the address given by firmware\n",
				     pmcg->type_bits, bits);

	writel_relaxed(PMCG_SMR_ALL, pmcg->page0 + PMCG_SMR(0));
	pmcg->stream_id_bits = readl_relaxed(pmcg->page0 + PMCG_SMR(0));
	pmcg_find_realm(pmcg);

	return 0;
}

/*
 * MPAMIDR is RES0 if the group's MSIs have no PARTID (§10.5.2.27), so a group
 * that filters by PARTID may not report its limits. Real limits of 0 would
 * leave nothing to filter by.
 */
static void pmcg_identify_mpam(struct smmuv3_pmcg *pmcg, u32 cfgr)
{
	u32 mpamidr = readl_relaxed(pmcg->page0 + PMCG_MPAMIDR);

	pmcg->partid_filter = true;
	pmcg->limits_known = cfgr & PMCG_CFGR_MPAM || mpamidr;
	pmcg->partid_max = FIELD_GET(PMCG_MPAMIDR_PARTID_MAX, mpamidr);
	pmcg->pmg_max = FIELD_GET(PMCG_MPAMIDR_PMG_MAX, mpamidr);
}

/**
 * pmcg_identify - read the features of a counter group
 * @pmcg: the counter group, with page 0 mapped; its other members are filled in
 *
 * Context: process, at probe, while nothing uses the device. Disables counters
 *	that firmware has left enabled.
 * Return: 0, or a negative errno, with a message, if the group cannot be used
 */
int pmcg_identify(struct smmuv3_pmcg *pmcg)
{
	struct arm_syspmu *syspmu = &pmcg->syspmu;
	u32 cfgr = readl_relaxed(pmcg->page0 + PMCG_CFGR);
	u32 identifier;
	u64 ceid[2];
	int err;

	err = pmcg_check_cfgr(syspmu->dev, cfgr);
	if (err)
		return err;

	pmcg->relocated = cfgr & PMCG_CFGR_RELOC_CTRS;
	syspmu->shares_filter = cfgr & PMCG_CFGR_SID_FILTER_TYPE;
	syspmu->wide = FIELD_GET(PMCG_CFGR_SIZE, cfgr) > 31;

	ceid[0] = readq_relaxed(pmcg->page0 + PMCG_CEID0);
	ceid[1] = readq_relaxed(pmcg->page0 + PMCG_CEID1);
	bitmap_from_arr64(pmcg->ceid, ceid, PMCG_ARCH_EVENTS);

	syspmu->num_counters = FIELD_GET(PMCG_CFGR_NCTR, cfgr) + 1;
	syspmu->counter_mask = GENMASK_ULL(FIELD_GET(PMCG_CFGR_SIZE, cfgr), 0);
	/* IIDR is optional (§10.5.2.15). */
	identifier = readl_relaxed(pmcg->page0 + PMCG_IIDR) ?:
		     arm_syspmu_iidr_of_coresight_ids(pmcg->page0);
	if (identifier)
		snprintf(syspmu->identifier, sizeof(syspmu->identifier),
			 "0x%08x", identifier);
	pmcg_identify_product(pmcg, identifier,
			      FIELD_GET(PMCG_AIDR_ARCH_REV,
					readl_relaxed(pmcg->page0 + PMCG_AIDR)));
	syspmu->has_msi = cfgr & PMCG_CFGR_MSI;
	syspmu->can_capture = cfgr & PMCG_CFGR_CAPTURE;
	syspmu->captures_on_overflow = syspmu->can_capture;

	writel_relaxed(0, pmcg->page0 + PMCG_CR);
	if (cfgr & PMCG_CFGR_FILTER_PARTID_PMG)
		pmcg_identify_mpam(pmcg, cfgr);

	return pmcg_probe_bits(pmcg, cfgr);
}
