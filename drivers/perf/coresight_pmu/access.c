// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses to the registers of a PMU of the CoreSight Performance Monitoring
 * Unit architecture (IHI 0091 chapter 3). Those with a bit for each monitor have
 * 32 bits: it is IMPLEMENTATION DEFINED whether 64-bit accesses to pairs work
 * (rule ZNTRD).
 */

#include <linux/delay.h>
#include <linux/io.h>

#include "coresight_pmu.h"

/*
 * A state change takes a finite time (rule DHXMS), but nothing says how long.
 * Interrupts are off meanwhile, so do not wait for more than about 100 us.
 */
#define CSPMU_STOP_TRIES		50

/* Whole registers: if all bits of one are set, there may be no power. */
void cspmu_read_bits(const struct cspmu *cspmu, void __iomem *reg,
		     unsigned long *monitors)
{
	unsigned int n = cspmu->syspmu.num_counters, i;
	u32 words[CSPMU_MAX_WORDS];

	for (i = 0; i < DIV_ROUND_UP(n, CSPMU_BITS_PER_WORD); i++)
		words[i] = readl_relaxed(reg + sizeof(u32) * i);
	bitmap_from_arr32(monitors, words, i * CSPMU_BITS_PER_WORD);
}

/* A register is left out if none of its bits is set. */
void cspmu_write_bits(const struct cspmu *cspmu, void __iomem *reg,
		      const unsigned long *monitors)
{
	unsigned int n = cspmu->syspmu.num_counters, i;
	u32 words[CSPMU_MAX_WORDS];

	bitmap_to_arr32(words, monitors, n);
	for (i = 0; i < DIV_ROUND_UP(n, CSPMU_BITS_PER_WORD); i++)
		if (words[i])
			writel_relaxed(words[i], reg + sizeof(u32) * i);
}

void __iomem *cspmu_pmcr(const struct cspmu *cspmu)
{
	return cspmu->page0 + (cspmu->ext64 ? CSPMU_PMCR_EXT64 : CSPMU_PMCR);
}

/*
 * Accesses to different pages are not ordered. Reading from the page that was
 * written completes the writes, and readl() is ordered before what follows.
 */
void cspmu_complete_page0(const struct cspmu *cspmu)
{
	if (cspmu->page1 != cspmu->page0)
		readl(cspmu_pmcr(cspmu));
}

void cspmu_complete_page1(struct cspmu *cspmu)
{
	if (!cspmu->page1_written)
		return;
	readl(cspmu->page1 + CSPMU_PMOVSCLR0);
	cspmu->page1_written = false;
}

/*
 * The other bits of PMCR have no stated reset value. NA shows that monitors cannot
 * be written yet; after a failure, do not wait again until it works.
 */
int cspmu_stop(struct cspmu *cspmu)
{
	unsigned int tries = cspmu->stuck ? 1 : CSPMU_STOP_TRIES;
	u32 control;

	writel_relaxed(0, cspmu_pmcr(cspmu));
	for (;;) {
		control = readl_relaxed(cspmu_pmcr(cspmu));
		cspmu->stuck = control & CSPMU_PMCR_NA && control != ~0U;
		if (!cspmu->stuck)
			return 0;
		if (!--tries)
			return -EIO;
		udelay(1);
	}
}

void cspmu_run(struct cspmu *cspmu)
{
	cspmu->stopped = false;
	cspmu_complete_page1(cspmu);
	writel_relaxed(CSPMU_PMCR_E, cspmu_pmcr(cspmu));
}

/*
 * With PMCFGR.NA, writes in the RUN state are ignored (rule CLXGJ). What the
 * others would have counted while the PMU is stopped is lost.
 */
int cspmu_begin_write(struct cspmu *cspmu)
{
	int err;

	if (cspmu->stopped || !(cspmu->cfgr & CSPMU_PMCFGR_NA))
		return 0;
	err = cspmu_stop(cspmu);
	if (err) {
		cspmu_run(cspmu);
		arm_syspmu_fault(&cspmu->syspmu,
				 "PMCR.NA stays set: monitors cannot be written, events that start now do not count");
	}
	cspmu->stopped = !err;
	return err;
}

u64 cspmu_read_reg(const struct cspmu *cspmu, void __iomem *reg, bool wide)
{
	if (!wide)
		return readl_relaxed(reg);
	return cspmu->halves ? arm_syspmu_read_halves(reg) : readq_relaxed(reg);
}

void cspmu_write_reg(const struct cspmu *cspmu, void __iomem *reg,
		     u64 value, bool wide)
{
	if (!wide)
		writel_relaxed(value, reg);
	else if (cspmu->halves)
		arm_syspmu_write_halves(reg, value);
	else
		writeq_relaxed(value, reg);
}

/* The address of the n-th control register of a monitor */
void __iomem *cspmu_control_reg(const struct cspmu *cspmu,
				unsigned int n, unsigned int idx)
{
	static const u16 first[] = {
		[CSPMU_TYPE] = CSPMU_PMEVTYPER,
		[CSPMU_FILTER] = CSPMU_PMEVFILTR,
		[CSPMU_FILTER2] = CSPMU_PMEVFILT2R,
	};

	return cspmu->page0 + first[n] + (cspmu->ext64 ? 8 : 4) * idx;
}

/* Whether this value was written since the reset */
bool cspmu_has_control(const struct cspmu *cspmu, unsigned int idx,
		       unsigned int n, u64 value)
{
	const struct cspmu_monitor *monitor = &cspmu->monitors[idx];

	return monitor->programmed && monitor->value[n] == value;
}

/*
 * Writes it if it can be written: firmware may have changed it. Where others would
 * lose events by that (PMCFGR.NA), only if its value changes.
 */
int cspmu_write_control(struct cspmu *cspmu, unsigned int idx,
			unsigned int n, u64 value)
{
	struct cspmu_monitor *monitor = &cspmu->monitors[idx];
	const struct cspmu_control *control = &monitor->control[n];
	int err;

	/* A default selects more than the bits that are implemented. */
	value = (value & control->writable) | control->fixed;
	if (!control->writable || (cspmu->cfgr & CSPMU_PMCFGR_NA &&
				   cspmu_has_control(cspmu, idx, n, value)))
		return 0;
	err = cspmu_begin_write(cspmu);
	if (err)
		return err;
	monitor->value[n] = value;
	cspmu_write_reg(cspmu, cspmu_control_reg(cspmu, n, idx), value,
			cspmu->ext64);
	return 0;
}

void cspmu_take_snapshot(const struct cspmu *cspmu)
{
	writel_relaxed(CSPMU_PMSSCR_SS, cspmu->page0 + CSPMU_PMSSCR);
	cspmu_complete_page0(cspmu);
}
