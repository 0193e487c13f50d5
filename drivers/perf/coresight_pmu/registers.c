// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of a PMU of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091 chapter 3): what the core asks for, by the accesses of access.c.
 */

#include <linux/device.h>
#include <linux/iopoll.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "coresight_pmu.h"

/*
 * Time for the write of an MSI, with interrupts off. The message may cross the
 * whole system.
 */
#define CSPMU_MSI_TIMEOUT_US		1000

static void cspmu_end_write(struct arm_syspmu *syspmu)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	if (cspmu->stopped)
		cspmu_run(cspmu);
}

/* Writes the registers that all monitors share. */
static void cspmu_write_common(struct cspmu *cspmu, u64 filter)
{
	const struct cspmu_common *common = cspmu->product->common;
	u64 changed = filter ^ cspmu->shared_filter;
	unsigned int i;

	if (cspmu->shared_filter == CSPMU_UNKNOWN_FILTER)
		changed = U64_MAX;
	for (i = 0; i < CSPMU_MAX_COMMON; i++)
		if (changed & common[i].config1)
			writel_relaxed((filter & common[i].config1) >>
				       __ffs64(common[i].config1),
				       cspmu->page0 + common[i].offset);
}

/* The filter of one monitor may apply to all: clear what others have left. */
static int cspmu_share_filter(struct cspmu *cspmu, unsigned int own, u64 filter)
{
	unsigned int idx;
	int err;

	if (filter == cspmu->shared_filter)
		return 0;
	err = cspmu_begin_write(cspmu);
	if (err)
		return err;
	if (cspmu_has_common_filter(cspmu))
		cspmu_write_common(cspmu, filter);
	for_each_set_bit(idx, cspmu->valid, cspmu->syspmu.num_counters)
		if (idx != own &&
		    !cspmu_has_control(cspmu, idx, CSPMU_FILTER, 0))
			cspmu_write_control(cspmu, idx, CSPMU_FILTER, 0);
	cspmu->shared_filter = filter;
	return 0;
}

static int cspmu_program(struct arm_syspmu *syspmu,
			 const struct perf_event *event)
{
	const struct arm_syspmu_event *decoded = event->pmu_private;
	const struct hw_perf_event *hw = &event->hw;
	struct cspmu *cspmu = to_cspmu(syspmu);
	unsigned int idx = cspmu_lower(cspmu, hw->idx);
	u64 filter2 = hw->config;
	int err = 0;

	if (idx != hw->idx)
		cspmu_program_upper(cspmu, hw->idx);
	if (cspmu->product->slots)
		filter2 = cspmu_program_target(cspmu, event);
	if (decoded->uses_shared_filter)
		err = cspmu_share_filter(cspmu, idx, decoded->shared_filter);

	err = err ?:
	      cspmu_write_control(cspmu, idx, CSPMU_TYPE, hw->config_base) ?:
	      cspmu_write_control(cspmu, idx, CSPMU_FILTER, hw->event_base) ?:
	      cspmu_write_control(cspmu, idx, CSPMU_FILTER2, filter2);
	if (!err)
		cspmu->monitors[idx].programmed = true;
	return err;
}

static int cspmu_write_counter(struct arm_syspmu *syspmu, unsigned int idx,
			       u64 value)
{
	struct cspmu *cspmu = to_cspmu(syspmu);
	int err = cspmu_begin_write(cspmu);

	if (err)
		return err;
	cspmu->page1_written = cspmu->page1 != cspmu->page0;
	cspmu_write_reg(cspmu, cspmu->page1 + cspmu->monitors[idx].offset,
			value, cspmu->wide);
	return 0;
}

static u64 cspmu_read_value(const struct cspmu *cspmu, unsigned int offset)
{
	u64 value = cspmu_read_reg(cspmu, cspmu->page1 + offset, cspmu->wide);

	return value == U32_MAX && !cspmu->wide ? U64_MAX : value;
}

static u64 cspmu_read_counter(struct arm_syspmu *syspmu, unsigned int idx)
{
	const struct cspmu *cspmu = to_cspmu(syspmu);

	if (test_bit(idx, cspmu->upper))
		return cspmu_read_pair(cspmu, idx);
	return cspmu_read_value(cspmu, cspmu->monitors[idx].offset);
}

/* Of a pair, the lower monitor is meant. */
static void cspmu_write_lower(const struct cspmu *cspmu,
			      void __iomem *reg, const unsigned long *counters)
{
	DECLARE_BITMAP(monitors, CSPMU_MAX_MONITORS) = {};
	unsigned int idx;

	for_each_set_bit(idx, counters, cspmu->syspmu.num_counters)
		__set_bit(cspmu_lower(cspmu, idx), monitors);
	cspmu_write_bits(cspmu, reg, monitors);
}

static void cspmu_enable_counters(struct arm_syspmu *syspmu,
				  const unsigned long *counters)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	cspmu_complete_page1(cspmu);
	cspmu_write_lower(cspmu, cspmu->page0 + CSPMU_PMCNTENSET0, counters);
}

static void cspmu_disable_counters(struct arm_syspmu *syspmu,
				   const unsigned long *counters)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	cspmu_write_lower(cspmu, cspmu->page0 + CSPMU_PMCNTENCLR0, counters);
	cspmu_complete_page0(cspmu);
}

/* It can fail (PMSSSR.NC, §3.45); the other bits of PMSSSR are RES0. */
static bool cspmu_capture(struct arm_syspmu *syspmu,
			  const unsigned long *counters)
{
	struct cspmu *cspmu = to_cspmu(syspmu);
	u64 status;

	if (!bitmap_subset(counters, cspmu->saved, syspmu->num_counters))
		return false;
	cspmu_take_snapshot(cspmu);
	for (status = cspmu->status; status; status &= status - 1)
		if (readl_relaxed(cspmu->page1 + CSPMU_PMSVR(__ffs64(status))) ==
		    CSPMU_PMSSSR_NC)
			return false;
	return true;
}

static u64 cspmu_read_captured(struct arm_syspmu *syspmu, unsigned int idx)
{
	const struct cspmu *cspmu = to_cspmu(syspmu);
	u64 saved = cspmu->monitors[idx].saved;

	return cspmu_read_value(cspmu, CSPMU_PMSVR(__ffs64(saved)));
}

/* Without power, registers read as all ones or zero. As at probe, no PMCFGR is. */
static bool cspmu_is_present(struct arm_syspmu *syspmu)
{
	u32 cfgr = readl_relaxed(to_cspmu(syspmu)->page0 + CSPMU_PMCFGR);

	return cfgr && cfgr != ~0U;
}

/* This driver may have stopped it, to write to it. */
static bool cspmu_is_enabled(struct arm_syspmu *syspmu)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	return cspmu->stopped ||
	       readl_relaxed(cspmu_pmcr(cspmu)) & CSPMU_PMCR_E;
}

static void cspmu_read_overflows(struct arm_syspmu *syspmu,
				 unsigned long *counters)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	cspmu_read_bits(cspmu, cspmu->page1 + CSPMU_PMOVSCLR0, counters);
}

static void cspmu_clear_overflows(struct arm_syspmu *syspmu,
				  const unsigned long *counters)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	cspmu->page1_written = cspmu->page1 != cspmu->page0;
	cspmu_write_bits(cspmu, cspmu->page1 + CSPMU_PMOVSCLR0, counters);
}

/*
 * Interrupts: PMINTEN, and the registers of MSIs (§2.2.4)
 */

/* An interrupt must not be disabled while its write is in progress (§3.31). */
static void cspmu_await_message(struct cspmu *cspmu)
{
	u32 status;

	if (readl_relaxed_poll_timeout_atomic(cspmu->page0 + CSPMU_PMIRQSR,
					      status,
					      !(status & CSPMU_PMIRQSR_IRQ) ||
					      status == ~0U,
					      1, CSPMU_MSI_TIMEOUT_US))
		arm_syspmu_fault(&cspmu->syspmu,
				 "PMIRQSR.IRQ stays set: the write of an MSI does not end");
}

/* Lets all counters interrupt, by a message if there is one. */
static void cspmu_enable_interrupt(struct cspmu *cspmu)
{
	void __iomem *reg = cspmu->page0 + CSPMU_PMIRQCR0;
	u64 address;
	u32 data = arm_syspmu_get_msi(&cspmu->syspmu, &address);

	if (address) {
		arm_syspmu_write_halves(reg, address & CSPMU_PMIRQCR0_ADDR);
		if (readl_relaxed(reg) != lower_32_bits(address) ||
		    readl_relaxed(reg + 4) != upper_32_bits(address)) {
			arm_syspmu_fault(&cspmu->syspmu,
					 "PMIRQCR0 cannot hold the address of an MSI: overflows are noticed by a timer");
			return;
		}
		writel_relaxed(data, cspmu->page0 + CSPMU_PMIRQCR1);
		writel_relaxed(CSPMU_PMIRQSR_IRQERR,
			       cspmu->page0 + CSPMU_PMIRQSR);
		writel_relaxed(CSPMU_PMIRQCR2_MSIEN |
			       CSPMU_PMIRQCR2_DEVICE_NGNRE,
			       cspmu->page0 + CSPMU_PMIRQCR2);
	}
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
static void cspmu_disable_interrupt(struct cspmu *cspmu)
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

static bool cspmu_msi_aborted(struct arm_syspmu *syspmu)
{
	struct cspmu *cspmu = to_cspmu(syspmu);
	u32 status = readl_relaxed(cspmu->page0 + CSPMU_PMIRQSR);

	return status != ~0U && status & CSPMU_PMIRQSR_IRQERR;
}

/* The interrupt is a level: nothing may keep it asserted. */
static void cspmu_quiesce(struct arm_syspmu *syspmu)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	cspmu_stop(cspmu);
	cspmu->stopped = false;
	cspmu_write_bits(cspmu, cspmu->page0 + CSPMU_PMCNTENCLR0,
			 cspmu->existing);
	cspmu_disable_interrupt(cspmu);
	cspmu_disable_slots(cspmu);
	cspmu_write_bits(cspmu, cspmu->page1 + CSPMU_PMOVSCLR0,
			 cspmu->existing);
	/* Completes the write before the interrupt can be freed. */
	readl_relaxed(cspmu->page1 + CSPMU_PMOVSCLR0);
}

static void cspmu_reset(struct arm_syspmu *syspmu)
{
	struct cspmu *cspmu = to_cspmu(syspmu);
	unsigned int idx;

	cspmu_quiesce(syspmu);
	/* A snapshot must not reset the monitors (§3.44). */
	if (cspmu->cfgr & CSPMU_PMCFGR_SS)
		arm_syspmu_write_halves(cspmu->page0 + CSPMU_PMSSRR, 0);
	/* Registers are written next time even if their value stays the same. */
	for (idx = 0; idx < syspmu->num_counters; idx++)
		cspmu->monitors[idx].programmed = false;
	cspmu->shared_filter = CSPMU_UNKNOWN_FILTER;
}

static void cspmu_arm(struct arm_syspmu *syspmu, bool interrupt)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	if (interrupt)
		cspmu_enable_interrupt(cspmu);
	cspmu_run(cspmu);
}

static void cspmu_release(struct arm_syspmu *syspmu)
{
	struct cspmu *cspmu = to_cspmu(syspmu);

	kfree(cspmu->monitors);
	kfree(cspmu->bits);
	kfree(cspmu);
}

const struct arm_syspmu_ops cspmu_ops = {
	.owner = THIS_MODULE,
	.setup = cspmu_setup,
	.event_init = cspmu_event_init,
	.choose_counter = cspmu_choose_counter,
	.program = cspmu_program,
	.write_counter = cspmu_write_counter,
	.end_write = cspmu_end_write,
	.read_counter = cspmu_read_counter,
	.capture = cspmu_capture,
	.read_captured = cspmu_read_captured,
	.enable_counters = cspmu_enable_counters,
	.disable_counters = cspmu_disable_counters,
	.read_overflows = cspmu_read_overflows,
	.clear_overflows = cspmu_clear_overflows,
	.is_present = cspmu_is_present,
	.is_enabled = cspmu_is_enabled,
	.reset = cspmu_reset,
	.arm = cspmu_arm,
	.quiesce = cspmu_quiesce,
	.msi_aborted = cspmu_msi_aborted,
	.release = cspmu_release,
};
