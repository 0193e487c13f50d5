// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt control of a PMU of the CoreSight Performance Monitoring Unit
 * architecture: PMINTEN, and the registers of MSIs (IHI 0091 §2.2.4).
 */

#include <linux/device.h>
#include <linux/iopoll.h>

#include "coresight_pmu.h"

/* Time for the write of an MSI; the message may cross the whole system. */
#define CSPMU_MSI_TIMEOUT_US		1000000

/* An interrupt must not be disabled while its write is in progress (§3.31). */
static void cspmu_await_message(struct cspmu *cspmu)
{
	u32 status;

	if (readl_relaxed_poll_timeout(cspmu->page0 + CSPMU_PMIRQSR, status,
				       !(status & CSPMU_PMIRQSR_IRQ) ||
				       status == ~0U,
				       10, CSPMU_MSI_TIMEOUT_US))
		dev_warn(cspmu->syspmu.dev,
			 "PMIRQSR 0x%x: the write of an MSI does not end\n",
			 status);
}

/* Returns false if the bits of the address are not all implemented. */
static bool cspmu_set_message(struct cspmu *cspmu, u64 address, u32 data)
{
	void __iomem *reg = cspmu->page0 + CSPMU_PMIRQCR0;

	arm_syspmu_write_halves(reg, address & CSPMU_PMIRQCR0_ADDR);
	if (readl_relaxed(reg) != lower_32_bits(address) ||
	    readl_relaxed(reg + 4) != upper_32_bits(address)) {
		arm_syspmu_fault(&cspmu->syspmu,
				 "PMIRQCR0 cannot hold the address of an MSI: overflows are noticed by a timer");
		return false;
	}
	writel_relaxed(data, cspmu->page0 + CSPMU_PMIRQCR1);
	writel_relaxed(CSPMU_PMIRQSR_IRQERR, cspmu->page0 + CSPMU_PMIRQSR);
	writel_relaxed(CSPMU_PMIRQCR2_MSIEN | CSPMU_PMIRQCR2_DEVICE_NGNRE,
		       cspmu->page0 + CSPMU_PMIRQCR2);
	return true;
}

/* Lets all counters interrupt, by a message if there is one. */
void cspmu_enable_interrupt(struct cspmu *cspmu)
{
	u64 address;
	u32 data = arm_syspmu_get_msi(&cspmu->syspmu, &address);

	if (address && !cspmu_set_message(cspmu, address, data))
		return;
	cspmu_write_bits(cspmu, cspmu->page0 + CSPMU_PMINTENSET0, cspmu->valid);
}

/* Firmware may have used monitors that events do not use. */
static void cspmu_mask_interrupts(struct cspmu *cspmu)
{
	cspmu_write_bits(cspmu, cspmu->page0 + CSPMU_PMINTENCLR0,
			 cspmu->existing);
	readl_relaxed(cspmu->page0 + CSPMU_PMINTENCLR0);
}

/* When this returns, a message has been written, unless it is Secure. */
void cspmu_disable_interrupt(struct cspmu *cspmu)
{
	cspmu_mask_interrupts(cspmu);
	if (!cspmu->syspmu.has_msi)
		return;
	cspmu_await_message(cspmu);
	writel_relaxed(0, cspmu->page0 + CSPMU_PMIRQCR2);
}

/* While MSIs are Secure, PMIRQCR1 and PMIRQCR2 are read-only (§3.29, §3.30). */
static bool cspmu_owns_messages(struct cspmu *cspmu)
{
	u32 data = readl_relaxed(cspmu->page0 + CSPMU_PMIRQCR1);

	writel_relaxed(~data, cspmu->page0 + CSPMU_PMIRQCR1);
	return readl_relaxed(cspmu->page0 + CSPMU_PMIRQCR1) != data;
}

/*
 * Finds out whether the PMU can send MSIs, and whether it sends them if they are
 * not wanted: if MSIs cannot be disabled, PMIRQCR2.MSIEN is RES0 (§3.30). The PMU
 * may still be about to stop (rule DHXMS), so do not enable MSIs while a monitor
 * may interrupt: there is no address for them yet.
 *
 * Secure MSIs cannot be used here. If their MSIEN reads as zero, either they are
 * disabled, and the wired interrupt works, or they cannot be.
 */
void cspmu_find_messages(struct cspmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	u32 control;

	if (!(cspmu->cfgr & CSPMU_PMCFGR_MSI))
		return;
	cspmu_mask_interrupts(cspmu);
	/* Who used the PMU before may have left it running. */
	cspmu_await_message(cspmu);
	if (!cspmu_owns_messages(cspmu)) {
		control = readl_relaxed(cspmu->page0 + CSPMU_PMIRQCR2);
		syspmu->wired = control & CSPMU_PMIRQCR2_MSIEN ?
				ARM_SYSPMU_WIRED_UNUSABLE :
				ARM_SYSPMU_WIRED_UNCERTAIN;
		return;
	}

	syspmu->has_msi = true;
	writel_relaxed(CSPMU_PMIRQCR2_MSIEN, cspmu->page0 + CSPMU_PMIRQCR2);
	control = readl_relaxed(cspmu->page0 + CSPMU_PMIRQCR2);
	writel_relaxed(0, cspmu->page0 + CSPMU_PMIRQCR2);
	if (!(control & CSPMU_PMIRQCR2_MSIEN))
		syspmu->wired = ARM_SYSPMU_WIRED_UNUSABLE;
}

/*
 * An overflow in between sends its message when the interrupt is enabled again,
 * since its status is still set. Without an address, nobody waits for it.
 */
void cspmu_write_msi(struct arm_syspmu *syspmu)
{
	struct cspmu *cspmu = to_cspmu(syspmu);
	u64 address;

	cspmu_disable_interrupt(cspmu);
	arm_syspmu_get_msi(syspmu, &address);
	if (address)
		cspmu_enable_interrupt(cspmu);
}

bool cspmu_msi_aborted(struct arm_syspmu *syspmu)
{
	struct cspmu *cspmu = to_cspmu(syspmu);
	u32 status = readl_relaxed(cspmu->page0 + CSPMU_PMIRQSR);

	return status != ~0U && status & CSPMU_PMIRQSR_IRQERR;
}
