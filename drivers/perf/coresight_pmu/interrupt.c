// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt control of a PMU of the CoreSight Performance Monitoring Unit
 * architecture: PMINTEN, and the registers of MSIs (IHI 0091 §2.2.4).
 */

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/spinlock.h>

#include "coresight_pmu.h"

/* Time for the write of an MSI; the message may cross the whole system. */
#define CSPMU_MSI_TIMEOUT_US		1000000
#define CSPMU_MSI_STEP_US		10

/* An interrupt must not be disabled while its write is in progress (§3.31). */
static void cspmu_await_message(struct coresight_pmu *cspmu)
{
	u32 status;

	if (readl_relaxed_poll_timeout(cspmu->page0 + CSPMU_PMIRQSR, status,
				       !(status & CSPMU_PMIRQSR_IRQ) ||
				       status == ~0U,
				       CSPMU_MSI_STEP_US, CSPMU_MSI_TIMEOUT_US))
		dev_warn(cspmu->syspmu.dev,
			 "PMIRQSR 0x%x: the write of an MSI does not end\n",
			 status);
}

static void cspmu_disable_msi(struct coresight_pmu *cspmu)
{
	cspmu_await_message(cspmu);
	writel_relaxed(0, cspmu->page0 + CSPMU_PMIRQCR2);
}

/**
 * cspmu_set_message - set address and data of the MSI
 * @cspmu: the PMU, with its interrupts disabled
 *
 * PMIRQSR.IRQERR is cleared by writing one. Not all bits of an address need be
 * implemented.
 *
 * Context: process.
 * Return: true if there is a message and the PMU can send it
 */
bool cspmu_set_message(struct coresight_pmu *cspmu)
{
	void __iomem *reg = cspmu->page0 + CSPMU_PMIRQCR0;
	u64 address;
	u32 data = arm_syspmu_get_msi(&cspmu->syspmu, &address);
	u32 enable = address ? CSPMU_PMIRQCR2_MSIEN : 0;

	arm_syspmu_write_halves(reg, address & CSPMU_PMIRQCR0_ADDR);
	if (readl_relaxed(reg) != lower_32_bits(address) ||
	    readl_relaxed(reg + 4) != upper_32_bits(address)) {
		if (!cspmu->msi_reported)
			dev_warn(cspmu->syspmu.dev,
				 "PMIRQCR0 cannot hold 0x%llx: overflows are noticed by a timer\n",
				 address);
		cspmu->msi_reported = true;
		return false;
	}
	writel_relaxed(data, cspmu->page0 + CSPMU_PMIRQCR1);
	writel_relaxed(CSPMU_PMIRQSR_IRQERR, cspmu->page0 + CSPMU_PMIRQSR);
	writel_relaxed(enable | FIELD_PREP(CSPMU_PMIRQCR2_MEMATTR,
					   CSPMU_MEMATTR_DEVICE_NGNRE),
		       cspmu->page0 + CSPMU_PMIRQCR2);

	return address;
}

/**
 * cspmu_enable_interrupt - let all monitors interrupt but those of gauges, and
 *	those whose overflows others count
 * @cspmu: the PMU
 *
 * Context: process, or with interrupts off.
 */
void cspmu_enable_interrupt(struct coresight_pmu *cspmu)
{
	DECLARE_BITMAP(monitors, CSPMU_MAX_MONITORS);
	unsigned long flags;

	bitmap_andnot(monitors, cspmu->overflowing, cspmu->gauges,
		      CSPMU_MAX_MONITORS);
	raw_spin_lock_irqsave(&cspmu->silent_lock, flags);
	bitmap_andnot(monitors, monitors, cspmu->silent, CSPMU_MAX_MONITORS);
	cspmu->interrupts = true;
	cspmu_write_bits(cspmu, cspmu->page0 + CSPMU_PMINTENSET0, monitors);
	raw_spin_unlock_irqrestore(&cspmu->silent_lock, flags);
}

/**
 * cspmu_disable_interrupt - let no monitor interrupt
 * @cspmu: the PMU; its MSI has been written when this function returns, unless it
 *	is Secure
 *
 * Context: process.
 */
void cspmu_disable_interrupt(struct coresight_pmu *cspmu)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cspmu->silent_lock, flags);
	cspmu->interrupts = false;
	raw_spin_unlock_irqrestore(&cspmu->silent_lock, flags);
	cspmu_clear_all(cspmu, cspmu->page0 + CSPMU_PMINTENCLR0);
	readl_relaxed(cspmu->page0 + CSPMU_PMINTENCLR0);
	if (cspmu->syspmu.has_msi)
		cspmu_disable_msi(cspmu);
}

/* While MSIs are Secure, PMIRQCR1 and PMIRQCR2 are read-only (§3.29, §3.30). */
static bool cspmu_owns_messages(struct coresight_pmu *cspmu)
{
	u32 data = readl_relaxed(cspmu->page0 + CSPMU_PMIRQCR1);

	writel_relaxed(~data, cspmu->page0 + CSPMU_PMIRQCR1);

	return readl_relaxed(cspmu->page0 + CSPMU_PMIRQCR1) != data;
}

/**
 * cspmu_find_messages - find out whether the PMU can send MSIs, and whether it
 *	sends them if they are not wanted
 * @cspmu: the PMU, stopped, so that it does not interrupt
 *
 * If MSIs cannot be disabled, PMIRQCR2.MSIEN is RES0 (§3.30), and PMIRQCR0
 * UNKNOWN. The PMU may still be about to stop (rule DHXMS), so do not enable
 * MSIs while a monitor may interrupt: there is no address for them yet.
 *
 * Secure MSIs cannot be used here. If their MSIEN reads as zero, either they are
 * disabled, and the wired interrupt works, or they cannot be.
 *
 * Context: process, at probe.
 */
void cspmu_find_messages(struct coresight_pmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	u32 control;

	if (!(cspmu->cfgr & CSPMU_PMCFGR_MSI))
		return;

	cspmu_clear_all(cspmu, cspmu->page0 + CSPMU_PMINTENCLR0);
	readl_relaxed(cspmu->page0 + CSPMU_PMINTENCLR0);
	/* Who used the PMU before may have left it running. */
	cspmu_await_message(cspmu);
	if (!cspmu_owns_messages(cspmu)) {
		control = readl_relaxed(cspmu->page0 + CSPMU_PMIRQCR2);
		syspmu->wired_unusable = control & CSPMU_PMIRQCR2_MSIEN;
		syspmu->wired_uncertain = !syspmu->wired_unusable;
		return;
	}

	syspmu->has_msi = true;
	writel_relaxed(CSPMU_PMIRQCR2_MSIEN, cspmu->page0 + CSPMU_PMIRQCR2);
	control = readl_relaxed(cspmu->page0 + CSPMU_PMIRQCR2);
	writel_relaxed(0, cspmu->page0 + CSPMU_PMIRQCR2);
	syspmu->wired_unusable = !(control & CSPMU_PMIRQCR2_MSIEN);
}

/**
 * cspmu_set_silent - set whether a monitor does not interrupt
 * @cspmu: the PMU
 * @idx: the monitor, which is disabled
 * @silent: it does not
 *
 * The overflow status of a gauge, if its monitor defines an overflow condition
 * (rule VHWBS), means nothing to perf. It could be set again and again while
 * the value changes.
 *
 * Context: on the owning CPU with interrupts off.
 */
void cspmu_set_silent(struct coresight_pmu *cspmu, unsigned int idx,
		      bool silent)
{
	u32 bit = BIT(idx % CSPMU_BITS_PER_WORD), reg;

	if (silent == test_bit(idx, cspmu->silent))
		return;

	reg = sizeof(u32) * (idx / CSPMU_BITS_PER_WORD);
	raw_spin_lock(&cspmu->silent_lock);
	if (silent) {
		set_bit(idx, cspmu->silent);
		writel_relaxed(bit, cspmu->page0 + CSPMU_PMINTENCLR0 + reg);
	} else {
		cspmu->syspmu.ops->clear_overflow(&cspmu->syspmu, idx);
		/* Pages are not ordered: the status must not interrupt. */
		if (cspmu_is_dual_page(cspmu))
			readl(cspmu->page1 + CSPMU_PMOVSCLR0);
		clear_bit(idx, cspmu->silent);
		if (cspmu->interrupts && !test_bit(idx, cspmu->gauges))
			writel_relaxed(bit, cspmu->page0 +
					    CSPMU_PMINTENSET0 + reg);
	}
	raw_spin_unlock(&cspmu->silent_lock);
}

/**
 * cspmu_write_msi - change the message while the interrupt is enabled
 * @syspmu: the PMU
 *
 * An overflow in between sends its message when the interrupt is enabled again,
 * since its status is still set.
 *
 * Context: process.
 */
void cspmu_write_msi(struct arm_syspmu *syspmu)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	cspmu_disable_interrupt(cspmu);
	if (cspmu_set_message(cspmu))
		cspmu_enable_interrupt(cspmu);
}

/**
 * cspmu_msi_aborted - whether the write of a message was aborted
 * @syspmu: the PMU
 *
 * Context: any.
 * Return: true if it was
 */
bool cspmu_msi_aborted(struct arm_syspmu *syspmu)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	u32 status = readl_relaxed(cspmu->page0 + CSPMU_PMIRQSR);

	return status != ~0U && status & CSPMU_PMIRQSR_IRQERR;
}
