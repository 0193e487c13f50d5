// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of a PMU of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091 chapter 3).
 *
 * The bits that stand for one monitor each are in 32-bit registers. These are
 * accessed as such, since it is IMPLEMENTATION DEFINED whether 64-bit accesses
 * to pairs of them work (rule ZNTRD).
 */

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "coresight_pmu.h"

/* Reads of PMCR until the PMU must have stopped */
#define CSPMU_STOP_TRIES		1000

/*
 * Bits of monitors
 */

static void cspmu_set_word(unsigned long *monitors, unsigned int word, u32 bits)
{
	unsigned int shift = word % 2 * CSPMU_BITS_PER_WORD;

	if (!shift)
		monitors[word / 2] = bits;
	else
		monitors[word / 2] |= (unsigned long)bits << shift;
}

static void __iomem *cspmu_pmcr(const struct coresight_pmu *cspmu)
{
	return cspmu->page0 + (cspmu->ext64 ? CSPMU_PMCR_EXT64 : CSPMU_PMCR);
}

/*
 * Accesses to different pages are not ordered. Reading back from the page that
 * was written first completes the earlier writes, and readl() is ordered before
 * what follows.
 */

static void cspmu_complete_page0(const struct coresight_pmu *cspmu)
{
	if (unlikely(cspmu_is_dual_page(cspmu)))
		readl(cspmu_pmcr(cspmu));
}

static void cspmu_complete_page1(struct coresight_pmu *cspmu)
{
	if (likely(!cspmu->page1_written))
		return;

	readl(cspmu->page1 + CSPMU_PMOVSCLR0);
	cspmu->page1_written = false;
}

/*
 * Programming. Registers are only written if they can be and their value
 * changes.
 */

/**
 * cspmu_read_control - read a register of a monitor
 * @cspmu: the PMU
 * @reg: the register
 *
 * Context: process, at probe.
 * Return: its value
 */
u64 cspmu_read_control(const struct coresight_pmu *cspmu, void __iomem *reg)
{
	if (!cspmu->ext64)
		return readl_relaxed(reg);

	return arm_syspmu_read_in_halves(reg);
}

/**
 * cspmu_write_reg - write a register of a monitor
 * @cspmu: the PMU
 * @reg: the register
 * @value: the value
 *
 * Context: any.
 */
void cspmu_write_reg(const struct coresight_pmu *cspmu, void __iomem *reg,
		     u64 value)
{
	if (!cspmu->ext64)
		writel_relaxed(value, reg);
	else if (cspmu->syspmu.only_32bit)
		arm_syspmu_write_halves(reg, value);
	else
		writeq_relaxed(value, reg);
}

/**
 * cspmu_write_control - write a register of a monitor, if it changes
 * @cspmu: the PMU
 * @control: the register
 * @first: offset of the register of monitor 0
 * @idx: the monitor, disabled
 * @value: the value
 * @always: write it even if it stays the same
 *
 * Context: on the owning CPU with interrupts off.
 */
void cspmu_write_control(struct coresight_pmu *cspmu,
			 struct cspmu_control *control, unsigned int first,
			 unsigned int idx, u64 value, bool always)
{
	/* A default selects more than the bits that are implemented. */
	value = (value & control->writable) | control->fixed;
	if (!control->writable || (value == control->value && !always))
		return;

	arm_syspmu_begin_write(&cspmu->syspmu);
	control->value = value;
	cspmu_write_reg(cspmu, cspmu_control_reg(cspmu, first, idx), value);
}

static void cspmu_program_common(struct coresight_pmu *cspmu, u64 config1)
{
	const struct cspmu_common *common = cspmu->product->common;
	unsigned int i;
	u32 value;

	for (i = 0; i < CSPMU_MAX_COMMON && common[i].offset; i++) {
		value = (config1 & common[i].config1) >>
			__ffs64(common[i].config1);
		if (value == cspmu->common[i] && cspmu->common_known)
			continue;
		arm_syspmu_begin_write(&cspmu->syspmu);
		cspmu->common[i] = value;
		writel_relaxed(value, cspmu->page0 + common[i].offset);
	}
	cspmu->common_known = true;
}

/*
 * The filter of one monitor may apply to all of them: clear what is left in
 * those that are not used.
 */
static void cspmu_share_filter(struct coresight_pmu *cspmu,
			       const struct perf_event *event)
{
	u64 shared = event->hw.event_base & cspmu->product->shared;
	struct cspmu_monitor *monitor;
	unsigned int idx;

	if (shared == cspmu->shared_filter)
		return;

	cspmu->shared_filter = shared;
	for_each_set_bit(idx, cspmu->valid, cspmu->syspmu.num_counters) {
		monitor = &cspmu->monitors[idx];
		if (!cspmu_is_cycle_counter(cspmu, idx) &&
		    !test_bit(idx, cspmu->syspmu.used))
			cspmu_write_control(cspmu, &monitor->filter,
					    CSPMU_PMEVFILTR, idx, 0,
					    !monitor->programmed);
	}
}

static noinline void cspmu_program_slowly(struct coresight_pmu *cspmu,
					  const struct perf_event *event)
{
	unsigned int idx = cspmu_lower(cspmu, event->hw.idx);
	struct cspmu_monitor *monitor = &cspmu->monitors[idx];
	bool always = !monitor->programmed;

	if (idx != event->hw.idx)
		cspmu_program_upper(cspmu, event->hw.idx);
	if (cspmu->layout.gauges)
		cspmu_set_silent(cspmu, idx, arm_syspmu_is_gauge(event));
	monitor->programmed = true;
	monitor->is_plain = cspmu->is_plain &&
			    !cspmu_is_cycle_counter(cspmu, idx);
	cspmu_write_control(cspmu, &monitor->type, CSPMU_PMEVTYPER, idx,
			    event->hw.config_base, always);
	if (cspmu_is_cycle_counter(cspmu, idx))
		return;
	if (cspmu_has_common_filter(cspmu)) {
		cspmu_program_common(cspmu, event->hw.event_base);
		return;
	}

	if (unlikely(cspmu->product->shared))
		cspmu_share_filter(cspmu, event);
	cspmu_write_control(cspmu, &monitor->filter, CSPMU_PMEVFILTR, idx,
			    event->hw.event_base, always);
	cspmu_write_control(cspmu, &monitor->filter2, CSPMU_PMEVFILT2R, idx,
			    unlikely(cspmu->product->slots) ?
			    cspmu_program_target(cspmu, event) :
			    event->hw.config, always);
}

/* Does what cspmu_write_control() does, for the common case. */
static __always_inline void cspmu_write_plain(struct cspmu_control *control,
					      void __iomem *reg, u64 value)
{
	value = (value & control->writable) | control->fixed;
	if (value == control->value)
		return;

	control->value = value;
	writel_relaxed(value, reg);
}

static void cspmu_program(struct arm_syspmu *syspmu,
			  const struct perf_event *event)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	unsigned int idx = event->hw.idx;
	struct cspmu_monitor *monitor = &cspmu->monitors[idx];
	void __iomem *reg = cspmu->page0 + sizeof(u32) * idx;

	if (unlikely(!monitor->is_plain))
		return cspmu_program_slowly(cspmu, event);

	cspmu_write_plain(&monitor->type, reg + CSPMU_PMEVTYPER,
			  event->hw.config_base);
	cspmu_write_plain(&monitor->filter, reg + CSPMU_PMEVFILTR,
			  event->hw.event_base);
	cspmu_write_plain(&monitor->filter2, reg + CSPMU_PMEVFILT2R,
			  event->hw.config);
}

/*
 * Monitors
 */

static void cspmu_write_counter(struct arm_syspmu *syspmu, unsigned int idx,
				u64 value)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	void __iomem *reg = cspmu->page1 + cspmu->offsets[idx];

	cspmu->page1_written = cspmu_is_dual_page(cspmu);
	if (!syspmu->wide)
		writel_relaxed(value, reg);
	else if (syspmu->only_32bit)
		arm_syspmu_write_halves(reg, value);
	else
		writeq_relaxed(value, reg);
}

/* All monitors of a group are in one 32-bit register if that is possible. */
static void cspmu_enable_counters(struct arm_syspmu *syspmu,
				  const unsigned long *counters)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	void __iomem *reg = cspmu->page0 + CSPMU_PMCNTENSET0;

	cspmu_complete_page1(cspmu);
	if (unlikely(cspmu->low_bits))
		cspmu_write_chained(cspmu, reg, counters);
	else
		cspmu_write_longs(reg, counters, syspmu->words_used);
}

static void cspmu_disable_counters(struct arm_syspmu *syspmu,
				   const unsigned long *counters)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	void __iomem *reg = cspmu->page0 + CSPMU_PMCNTENCLR0;

	if (unlikely(cspmu->low_bits))
		cspmu_write_chained(cspmu, reg, counters);
	else
		cspmu_write_longs(reg, counters, syspmu->words_used);
	cspmu_complete_page0(cspmu);
}

/* The next time, registers are written even if their value stays the same. */
static void cspmu_forget_controls(struct coresight_pmu *cspmu)
{
	unsigned int idx;

	for (idx = 0; idx < cspmu->syspmu.num_counters; idx++) {
		cspmu->monitors[idx].programmed = false;
		cspmu->monitors[idx].is_plain = false;
	}
	cspmu->common_known = false;
	cspmu->shared_filter = CSPMU_UNKNOWN_FILTER;
}

/**
 * cspmu_stop - put the PMU into the STOP state
 * @cspmu: the PMU
 *
 * The bits of PMCR other than E have no stated reset value; all of them are
 * written as zero. The state changes in finite time (rule DHXMS); PMCR.NA shows
 * that registers of monitors cannot be written yet.
 *
 * Context: any.
 */
void cspmu_stop(struct coresight_pmu *cspmu)
{
	unsigned int i;
	u32 control;

	writel_relaxed(0, cspmu_pmcr(cspmu));
	for (i = 0; i < CSPMU_STOP_TRIES; i++) {
		control = readl_relaxed(cspmu_pmcr(cspmu));
		if (!(control & CSPMU_PMCR_NA) || control == ~0U)
			return;
	}

	/* Writes may be ignored: write all registers again the next time. */
	if (cspmu->monitors)
		cspmu_forget_controls(cspmu);
}

static void cspmu_run(struct coresight_pmu *cspmu)
{
	u32 control = CSPMU_PMCR_E;

	if (cspmu->syspmu.freezing)
		control |= CSPMU_PMCR_FZO;
	cspmu_complete_page1(cspmu);
	writel_relaxed(control, cspmu_pmcr(cspmu));
}

/* With PMCFGR.NA, writes in the RUN state are ignored (rule CLXGJ). */
static void cspmu_stop_all(struct arm_syspmu *syspmu)
{
	cspmu_stop(to_coresight_pmu(syspmu));
}

static void cspmu_start_all(struct arm_syspmu *syspmu)
{
	cspmu_run(to_coresight_pmu(syspmu));
}

/*
 * If the PMU is stopped, this is up to cspmu_start_all(). The status that a
 * gauge has left would freeze the other monitors for good (rule MLXVL).
 */
static void cspmu_set_freeze(struct arm_syspmu *syspmu)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	unsigned int idx;

	if (syspmu->freezing)
		for_each_set_bit(idx, cspmu->silent, syspmu->num_counters)
			cspmu_set_silent(cspmu, idx, false);
	if (!syspmu->stopped)
		cspmu_run(cspmu);
}

/*
 * Snapshots
 */

/*
 * A capture can fail (PMSSSR.NC, §3.45), which leaves the values of an earlier
 * one. The other bits of PMSSSR are RES0.
 */
static bool cspmu_has_captured(const struct coresight_pmu *cspmu)
{
	u64 status;

	for (status = cspmu->status; status; status &= status - 1)
		if (readl_relaxed(cspmu->page1 + CSPMU_PMSVR(__ffs64(status))) ==
		    CSPMU_PMSSSR_NC)
			return false;

	return true;
}

/* The core reads those that only gauges can use after the capture. */
static noinline bool cspmu_are_others_saved(const struct coresight_pmu *cspmu)
{
	DECLARE_BITMAP(others, CSPMU_MAX_MONITORS);
	unsigned int n = cspmu->syspmu.num_counters;

	bitmap_andnot(others, cspmu->syspmu.used, cspmu->gauges, n);

	return bitmap_subset(others, cspmu->saved, n);
}

static bool cspmu_are_saved(const struct coresight_pmu *cspmu)
{
	return likely(!cspmu->layout.gauges) ?
	       bitmap_subset(cspmu->syspmu.used, cspmu->saved,
			     cspmu->syspmu.num_counters) :
	       cspmu_are_others_saved(cspmu);
}

/* At probe no monitor is used, and the places of the values are not known. */
static bool cspmu_capture(struct arm_syspmu *syspmu)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	if (syspmu->used && !cspmu_are_saved(cspmu))
		return false;

	writel_relaxed(CSPMU_PMSSCR_SS, cspmu->page0 + CSPMU_PMSSCR);
	cspmu_complete_page0(cspmu);

	return cspmu_has_captured(cspmu);
}

static u64 cspmu_read_captured(struct arm_syspmu *syspmu, unsigned int idx)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	void __iomem *reg = cspmu->page1 +
			    CSPMU_PMSVR(cspmu->monitors[idx].saved);

	if (!syspmu->wide)
		return readl_relaxed(reg);
	if (syspmu->only_32bit)
		return arm_syspmu_read_in_halves(reg);

	return readq_relaxed(reg);
}

/*
 * Overflow status
 */

/* Without power, registers read as all ones. */
static bool cspmu_is_present(struct arm_syspmu *syspmu)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	return readl_relaxed(cspmu->page0 + CSPMU_PMCFGR) != ~0U;
}

/*
 * Leaves out gauges, and monitors whose overflows others count. If all bits are
 * set, the core looks whether there is power, so they must stay set.
 */
static u32 cspmu_without_silent(const struct coresight_pmu *cspmu, u32 bits,
				unsigned int word)
{
	unsigned int shift = word % 2 * CSPMU_BITS_PER_WORD;

	if (likely(!cspmu->layout.gauges && !cspmu->low_bits) || bits == ~0U)
		return bits;

	return bits & ~(READ_ONCE(cspmu->silent[word / 2]) >> shift);
}

static void cspmu_read_overflows(struct arm_syspmu *syspmu,
				 unsigned long *counters)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	unsigned int word;
	u32 bits;

	for (word = 0; word < cspmu->words; word++) {
		bits = readl_relaxed(cspmu->page1 + CSPMU_PMOVSCLR0 +
				     sizeof(u32) * word);
		cspmu_set_word(counters, word,
			       cspmu_without_silent(cspmu, bits, word));
	}
	/* The device may have lost power after a monitor was read. */
	if (arm_syspmu_has_full_word(counters, syspmu->num_counters) &&
	    !cspmu_is_present(syspmu))
		bitmap_zero(counters, syspmu->num_counters);
}

static void cspmu_take_overflows(struct arm_syspmu *syspmu,
				 unsigned long *counters)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);
	void __iomem *reg = cspmu->page1 + CSPMU_PMOVSCLR0;
	unsigned int word;
	u32 bits;

	for (word = 0; word < cspmu->words; word++, reg += sizeof(u32)) {
		bits = cspmu_without_silent(cspmu, readl_relaxed(reg), word);
		if (bits)
			writel_relaxed(bits, reg);
		cspmu_set_word(counters, word, bits);
	}
}

static void cspmu_clear_overflow(struct arm_syspmu *syspmu, unsigned int idx)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	cspmu->page1_written = cspmu_is_dual_page(cspmu);
	writel_relaxed(BIT(idx % CSPMU_BITS_PER_WORD),
		       cspmu->page1 + CSPMU_PMOVSCLR0 +
		       sizeof(u32) * (idx / CSPMU_BITS_PER_WORD));
}

/*
 * Overflow status at probe
 */

/**
 * cspmu_find_overflowing - find the monitors that have an overflow status
 * @cspmu: the PMU, stopped, so that it does not interrupt
 * @monitors: bitmap of CSPMU_MAX_MONITORS bits, to which they are added
 *
 * Context: process, at probe.
 */
void cspmu_find_overflowing(struct coresight_pmu *cspmu,
			    unsigned long *monitors)
{
	unsigned int word;

	cspmu_write_bits(cspmu, cspmu->page0 + CSPMU_PMINTENSET0,
			 cspmu->existing);
	for (word = 0; word < cspmu->words; word++)
		cspmu_set_word(monitors, word,
			       readl_relaxed(cspmu->page0 + CSPMU_PMINTENSET0 +
					     sizeof(u32) * word));
	cspmu_clear_all(cspmu, cspmu->page0 + CSPMU_PMINTENCLR0);
}

/**
 * cspmu_set_overflows - set the overflow status of all monitors
 * @cspmu: the PMU, stopped, with its interrupts disabled
 *
 * Context: process, at probe.
 */
void cspmu_set_overflows(struct coresight_pmu *cspmu)
{
	cspmu_write_bits(cspmu, cspmu->page1 + CSPMU_PMOVSSET0,
			 cspmu->overflowing);
}

/**
 * cspmu_clear_overflows - clear the overflow status of all monitors
 * @cspmu: the PMU
 *
 * Context: process, at probe.
 */
void cspmu_clear_overflows(struct coresight_pmu *cspmu)
{
	cspmu_write_bits(cspmu, cspmu->page1 + CSPMU_PMOVSCLR0,
			 cspmu->overflowing);
}

/**
 * cspmu_keeps_overflows - check that overflow status flags can be set and cleared
 * @cspmu: the PMU, stopped, so that it does not interrupt
 *
 * They are on the page of the monitors.
 *
 * Context: process, at probe.
 * Return: true if they can
 */
bool cspmu_keeps_overflows(struct coresight_pmu *cspmu)
{
	DECLARE_BITMAP(set, CSPMU_MAX_MONITORS) = {};
	DECLARE_BITMAP(cleared, CSPMU_MAX_MONITORS) = {};

	cspmu_set_overflows(cspmu);
	cspmu_read_overflows(&cspmu->syspmu, set);
	cspmu_clear_overflows(cspmu);
	cspmu_read_overflows(&cspmu->syspmu, cleared);

	return bitmap_subset(cspmu->overflowing, set, CSPMU_MAX_MONITORS) &&
	       !bitmap_intersects(cspmu->overflowing, cleared,
				  CSPMU_MAX_MONITORS);
}

/*
 * Reset, arm, quiesce
 */

static void cspmu_clear_state(struct coresight_pmu *cspmu)
{
	cspmu_stop(cspmu);
	cspmu_clear_all(cspmu, cspmu->page0 + CSPMU_PMCNTENCLR0);
	cspmu_disable_interrupt(cspmu);
	cspmu_disable_slots(cspmu);
	cspmu_clear_all(cspmu, cspmu->page1 + CSPMU_PMOVSCLR0);
	/* Completes the write before the interrupt can be freed. */
	readl_relaxed(cspmu->page1 + CSPMU_PMOVSCLR0);
}

static void cspmu_reset(struct arm_syspmu *syspmu)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	cspmu_clear_state(cspmu);
	/* A snapshot must not reset the monitors (§3.44). */
	if (cspmu->cfgr & CSPMU_PMCFGR_SS) {
		writel_relaxed(0, cspmu->page0 + CSPMU_PMSSRR);
		writel_relaxed(0, cspmu->page0 + CSPMU_PMSSRR + 4);
	}
	cspmu_forget_controls(cspmu);
}

static void cspmu_arm(struct arm_syspmu *syspmu)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	if (syspmu->delivery == ARM_SYSPMU_MSI ? cspmu_set_message(cspmu) :
						 syspmu->irq >= 0)
		cspmu_enable_interrupt(cspmu);
	cspmu_run(cspmu);
}

/* The interrupt is a level: nothing may keep it asserted. */
static void cspmu_quiesce(struct arm_syspmu *syspmu)
{
	cspmu_clear_state(to_coresight_pmu(syspmu));
}

static void cspmu_release(struct arm_syspmu *syspmu)
{
	struct coresight_pmu *cspmu = to_coresight_pmu(syspmu);

	cspmu_free_name(cspmu);
	free_cpumask_var(cspmu->cpus);
	kfree(cspmu->classes);
	kfree(cspmu->low_bits);
	kfree(cspmu->monitors);
	kfree(cspmu->offsets);
	kfree(cspmu->bits);
	kfree(cspmu);
}

const struct arm_syspmu_ops cspmu_ops = {
	.owner = THIS_MODULE,
	.is_gauge = cspmu_is_gauge,
	.event_init = cspmu_event_init,
	.conflict = cspmu_conflict,
	.uses_filter = cspmu_uses_filter,
	.choose_counter = cspmu_choose_counter,
	.program = cspmu_program,
	.write_counter = cspmu_write_counter,
	.stop_all = cspmu_stop_all,
	.start_all = cspmu_start_all,
	.freezes = cspmu_freezes,
	.set_freeze = cspmu_set_freeze,
	.capture = cspmu_capture,
	.read_captured = cspmu_read_captured,
	.enable_counters = cspmu_enable_counters,
	.disable_counters = cspmu_disable_counters,
	.read_overflows = cspmu_read_overflows,
	.take_overflows = cspmu_take_overflows,
	.clear_overflow = cspmu_clear_overflow,
	.is_present = cspmu_is_present,
	.reset = cspmu_reset,
	.arm = cspmu_arm,
	.quiesce = cspmu_quiesce,
	.write_msi = cspmu_write_msi,
	.msi_aborted = cspmu_msi_aborted,
	.release = cspmu_release,
};
