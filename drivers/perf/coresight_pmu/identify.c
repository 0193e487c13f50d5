// SPDX-License-Identifier: GPL-2.0
/*
 * Identification of a PMU of the CoreSight Performance Monitoring Unit
 * architecture (IHI 0091), at probe: which monitors it has, what they can count,
 * and where a snapshot saves them. Firmware may describe a page that belongs to
 * something else, so messages name the register and its value.
 */

#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "coresight_pmu.h"

/* Most PMSVR that are read after each capture to find out whether it failed */
#define CSPMU_MAX_STATUS		4

/* Values of PMCFGR.SIZE: width of the widest monitor, minus one (§3.8.1) */
static const u64 cspmu_sizes =
	BIT_ULL(7) | BIT_ULL(9) | BIT_ULL(11) | BIT_ULL(15) | BIT_ULL(19) |
	BIT_ULL(23) | BIT_ULL(31) | BIT_ULL(35) | BIT_ULL(39) | BIT_ULL(43) |
	BIT_ULL(47) | BIT_ULL(51) | BIT_ULL(55) | BIT_ULL(63);

static int cspmu_read_cfgr(struct cspmu *cspmu)
{
	u32 cfgr = readl_relaxed(cspmu->page0 + CSPMU_PMCFGR);
	unsigned int size = FIELD_GET(CSPMU_PMCFGR_SIZE, cfgr);
	unsigned int n = FIELD_GET(CSPMU_PMCFGR_N, cfgr) + 1;
	struct device *dev = cspmu->syspmu.dev;

	if (cfgr == ~0U || !cfgr)
		return dev_err_probe(dev, -ENODEV,
				     "PMCFGR is 0x%x: there is no PMU or it has no power, check the address given by firmware\n",
				     cfgr);
	if (!(cspmu_sizes & BIT_ULL(size)))
		return dev_err_probe(dev, -ENODEV,
				     "PMCFGR 0x%x: SIZE %u is reserved, check the address given by firmware\n",
				     cfgr, size);
	if (size > 31 && n > CSPMU_MAX_WIDE_MONITORS)
		return dev_err_probe(dev, -ENODEV,
				     "PMCFGR 0x%x: %u monitors of more than 32 bits, the architecture has %u\n",
				     cfgr, n, CSPMU_MAX_WIDE_MONITORS);
	cspmu->cfgr = cfgr;
	cspmu->wide = size > 31;
	cspmu->syspmu.counter_bits = size + 1;
	return 0;
}

/*
 * The groups share the numbers of the monitors (rule TFNPJ); §3.8.1 has more of
 * them than there are. Returns the number of monitors.
 */
static unsigned int cspmu_find_groups(struct cspmu *cspmu, unsigned int groups)
{
	unsigned int most = cspmu->wide ? CSPMU_MAX_WIDE_MONITORS :
					  CSPMU_MAX_MONITORS;
	unsigned int stride = min(most / roundup_pow_of_two(groups), 32UL);
	unsigned int group, n, sum = 0;
	u32 cgcr = 0;

	for (group = 0; group < groups; group++) {
		if (group % 4 == 0)
			cgcr = readl_relaxed(cspmu->page0 +
					     CSPMU_PMCGCR(group / 4));
		n = cgcr >> group % 4 * 8 & 0xff;
		bitmap_set(cspmu->existing, group * stride, min(n, stride));
		sum += n;
	}
	return sum;
}

/*
 * The cycle counter is one of the N + 1 monitors (§3.8.1). It is not clear whether
 * PMCGCR counts it as part of its group; the sum of all groups tells.
 */
static int cspmu_find_monitors(struct cspmu *cspmu)
{
	unsigned int n = FIELD_GET(CSPMU_PMCFGR_N, cspmu->cfgr) + 1;
	unsigned int groups = FIELD_GET(CSPMU_PMCFGR_NCG, cspmu->cfgr) + 1;
	unsigned int last, found = n;

	if (groups == 1)
		bitmap_set(cspmu->existing, 0, n);
	else
		found = cspmu_find_groups(cspmu, groups);

	if (cspmu->cfgr & CSPMU_PMCFGR_CC &&
	    !__test_and_set_bit(CSPMU_CYCLE_COUNTER, cspmu->existing)) {
		last = find_last_bit(cspmu->existing, CSPMU_CYCLE_COUNTER);
		if (found == n && last < CSPMU_CYCLE_COUNTER)
			__clear_bit(last, cspmu->existing);
		else
			found++;
	}
	/* PMINTEN tells which of all that are meant exist. */
	if (found != n) {
		dev_warn(cspmu->syspmu.dev,
			 "PMCFGR 0x%x: %u monitors, but the groups of PMCGCR have %u: those with an interrupt enable are used\n",
			 cspmu->cfgr, n, found);
		bitmap_set(cspmu->existing, 0, n);
	}
	if (cspmu->ext64 && n > CSPMU_MAX_EXT64_MONITORS)
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "PMCFGR 0x%x: there are registers for %u monitors of 64 bits, not for %u\n",
				     cspmu->cfgr, CSPMU_MAX_EXT64_MONITORS, n);

	cspmu->syspmu.num_counters = find_last_bit(cspmu->existing,
						   CSPMU_MAX_MONITORS) + 1;
	cspmu->syspmu.usable = cspmu->valid;
	return 0;
}

static int cspmu_allocate(struct cspmu *cspmu)
{
	unsigned int n = cspmu->syspmu.num_counters, idx;

	cspmu->bits = kcalloc(n, sizeof(*cspmu->bits), GFP_KERNEL);
	cspmu->monitors = kcalloc(n, sizeof(*cspmu->monitors), GFP_KERNEL);
	if (!cspmu->bits || !cspmu->monitors)
		return -ENOMEM;
	for (idx = 0; idx < n; idx++) {
		cspmu->bits[idx] = cspmu->syspmu.counter_bits;
		cspmu->monitors[idx].offset = CSPMU_PMEVCNTR +
					      (cspmu->wide ? 8 : 4) * idx;
	}
	cspmu->syspmu.bits = cspmu->bits;
	return 0;
}

static u64 cspmu_read_back(struct cspmu *cspmu, unsigned int idx, u64 value)
{
	cspmu_ops.write_counter(&cspmu->syspmu, idx, value);
	return cspmu_ops.read_counter(&cspmu->syspmu, idx);
}

/*
 * §3.5 and §3.6 have PMCCNTR of up to 32 bits at 0x03c, the place of monitor 15;
 * rule HJZYK has it at that of monitor 31, as it is with more than 32 bits.
 */
static void cspmu_find_cycle_counter(struct cspmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int idx = CSPMU_CYCLE_COUNTER;
	u16 *offset, usual;

	if (!cspmu_has_cycle_counter(cspmu) || cspmu->wide ||
	    test_bit(15, cspmu->existing) ||
	    arm_syspmu_keeps_values(syspmu, idx))
		return;
	offset = &cspmu->monitors[idx].offset;
	usual = *offset;
	*offset = CSPMU_PMEVCNTR + 4 * 15;
	if (!arm_syspmu_keeps_values(syspmu, idx))
		*offset = usual;
}

/* Sets or clears the overflow status, which is on the page of the monitors. */
static void cspmu_set_overflows(struct cspmu *cspmu, bool set)
{
	cspmu_write_bits(cspmu, cspmu->page1 +
			 (set ? CSPMU_PMOVSSET0 : CSPMU_PMOVSCLR0),
			 cspmu->existing);
}

static bool cspmu_keeps_overflows(struct cspmu *cspmu)
{
	DECLARE_BITMAP(set, CSPMU_MAX_MONITORS) = {};
	DECLARE_BITMAP(cleared, CSPMU_MAX_MONITORS) = {};

	cspmu_set_overflows(cspmu, true);
	cspmu_read_bits(cspmu, cspmu->page1 + CSPMU_PMOVSCLR0, set);
	cspmu_set_overflows(cspmu, false);
	cspmu_read_bits(cspmu, cspmu->page1 + CSPMU_PMOVSCLR0, cleared);
	return bitmap_subset(cspmu->valid, set, CSPMU_MAX_MONITORS) &&
	       bitmap_empty(cleared, CSPMU_MAX_MONITORS);
}

/*
 * Overflows are polled. Without a status, only monitors of 64 bits can be used:
 * in practice, they do not overflow. Page 1 may then be any memory, unless it has
 * a copy of PMCFGR, with other feature bits (rule HXZHB).
 */
static int cspmu_do_without_interrupts(struct cspmu *cspmu, const char *reason)
{
	unsigned int first = find_first_bit(cspmu->existing,
					    CSPMU_MAX_MONITORS);
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	u32 other = readl_relaxed(cspmu->page1 + CSPMU_PMCFGR) ^ cspmu->cfgr;

	if (!cspmu_keeps_overflows(cspmu))
		cspmu->min_bits = 64;
	if (syspmu->counter_bits < cspmu->min_bits ||
	    (cspmu->min_bits == 64 &&
	     other & (CSPMU_PMCFGR_N | CSPMU_PMCFGR_SIZE)) ||
	    !arm_syspmu_keeps_values(syspmu, first))
		return dev_err_probe(syspmu->dev, -ENODEV,
				     "%s: check the address given by firmware, and that of a second page\n",
				     reason);
	dev_warn(syspmu->dev,
		 "%s: there is no overflow interrupt, sampling is refused\n",
		 reason);
	syspmu->has_msi = false;
	syspmu->wired = ARM_SYSPMU_WIRED_UNUSABLE;
	return 0;
}

/*
 * A monitor that is not an event counter shows a state, whose value can fall.
 * If it defines no overflow condition, its PMINTEN is RES0 (rule YCLQB).
 */
static int cspmu_find_event_counters(struct cspmu *cspmu)
{
	unsigned int n = bitmap_weight(cspmu->existing, CSPMU_MAX_MONITORS);
	unsigned int states;
	DECLARE_BITMAP(counters, CSPMU_MAX_MONITORS) = {};

	bitmap_copy(cspmu->valid, cspmu->existing, CSPMU_MAX_MONITORS);
	/* How to select its event with FEAT_CSPMU_EXT64 is not known. */
	if (cspmu->cfgr & CSPMU_PMCFGR_CC && cspmu->ext64)
		__clear_bit(CSPMU_CYCLE_COUNTER, cspmu->valid);
	cspmu_write_bits(cspmu, cspmu->page0 + CSPMU_PMINTENSET0, cspmu->valid);
	cspmu_read_bits(cspmu, cspmu->page0 + CSPMU_PMINTENSET0, counters);
	cspmu_write_bits(cspmu, cspmu->page0 + CSPMU_PMINTENCLR0, cspmu->valid);
	if (bitmap_empty(counters, CSPMU_MAX_MONITORS))
		return cspmu_do_without_interrupts(cspmu,
						   "PMINTEN is 0 after ones were written");
	bitmap_and(cspmu->valid, cspmu->valid, counters, CSPMU_MAX_MONITORS);
	if (!cspmu_keeps_overflows(cspmu))
		return cspmu_do_without_interrupts(cspmu,
						   "PMOVS does not keep the ones that are written to it");
	states = n - bitmap_weight(cspmu->valid, CSPMU_MAX_MONITORS);
	if (states)
		dev_info(cspmu->syspmu.dev,
			 "%u of %u monitors are not used: they are not event counters\n",
			 states, n);
	return 0;
}

/*
 * Only the width of the widest monitor can be read (rule JRSCZ), which is that of
 * one that cannot be written: values can be read-only (rule WVQDZ). But one that
 * is zero and keeps nothing, beside others that do, is not there.
 */
static void cspmu_find_widths(struct cspmu *cspmu)
{
	DECLARE_BITMAP(absent, CSPMU_MAX_MONITORS) = {};
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int n = syspmu->num_counters, idx;
	u64 zeros, ones, mask = GENMASK_ULL(syspmu->counter_bits - 1, 0);

	for_each_set_bit(idx, cspmu->valid, n) {
		zeros = cspmu_read_back(cspmu, idx, 0) & mask;
		ones = cspmu_read_back(cspmu, idx, mask) & mask;
		if (ones && !zeros && !(ones & (ones + 1)))
			cspmu->bits[idx] = fls64(ones);
		else if (ones && ones == zeros)
			syspmu->read_only_counters = true;
		else if (!ones && !arm_syspmu_keeps_values(syspmu, idx))
			__set_bit(idx, absent);
	}
	if (bitmap_equal(absent, cspmu->valid, n))
		syspmu->read_only_counters = true;
	if (syspmu->read_only_counters || bitmap_empty(absent, n))
		return;
	dev_warn(syspmu->dev,
		 "%u of %u monitors are not used: they keep nothing\n",
		 bitmap_weight(absent, n), bitmap_weight(cspmu->valid, n));
	bitmap_andnot(cspmu->valid, cspmu->valid, absent, n);
}

/* The bits that the n-th one may have: ones are not written to others. */
static u64 cspmu_possible_bits(const struct cspmu *cspmu,
			       unsigned int idx, unsigned int n)
{
	const struct cspmu_product *product = cspmu->product;

	if (n == CSPMU_TYPE)
		return U64_MAX;
	if (cspmu_is_cycle_counter(cspmu, idx) ||
	    cspmu_control_reg(cspmu, CSPMU_FILTER, idx) >=
	    cspmu->page0 + CSPMU_END_OF_FILTERS)
		return 0;
	if (n == CSPMU_FILTER2)
		return product->slots ? CSPMU_FILT2_BITS : product->config2;
	return product->slots || cspmu_has_common_filter(cspmu) ?
	       0 : cspmu_config1_fields(product);
}

static void cspmu_probe_control(struct cspmu *cspmu, unsigned int idx,
				unsigned int n)
{
	u64 bits = cspmu_possible_bits(cspmu, idx, n), ones, zeros;
	void __iomem *reg = cspmu_control_reg(cspmu, n, idx);
	struct cspmu_monitor *monitor = &cspmu->monitors[idx];

	if (n == CSPMU_FILTER && cspmu->product->zero_filter &&
	    !cspmu_is_cycle_counter(cspmu, idx))
		monitor->control[n].writable = U32_MAX;
	if (!bits)
		return;
	cspmu_write_reg(cspmu, reg, bits, cspmu->ext64);
	ones = cspmu_read_reg(cspmu, reg, cspmu->ext64);
	cspmu_write_reg(cspmu, reg, 0, cspmu->ext64);
	zeros = cspmu_read_reg(cspmu, reg, cspmu->ext64);
	monitor->control[n].writable = ones ^ zeros;
	monitor->control[n].fixed = zeros & ~(ones ^ zeros);
	monitor->value[n] = zeros;
	if (n == CSPMU_FILTER2 && (ones || zeros))
		cspmu->has_filter2 = true;
}

/*
 * A part of PMEVTYPER can be fixed (rule KDGTQ). Where a whole one is, it is the
 * number of the only event of that monitor.
 */
static void cspmu_probe_monitors(struct cspmu *cspmu)
{
	const struct cspmu_control *type;
	unsigned int idx, n;

	cspmu->fixed_type = U64_MAX;
	for_each_set_bit(idx, cspmu->valid, cspmu->syspmu.num_counters) {
		for (n = 0; n < CSPMU_NUM_CONTROLS; n++)
			cspmu_probe_control(cspmu, idx, n);
		type = &cspmu->monitors[idx].control[CSPMU_TYPE];
		if (!cspmu_is_cycle_counter(cspmu, idx))
			cspmu->fixed_type &= type->writable ? type->fixed : 0;
	}
}

static void cspmu_read_saved_values(const struct cspmu *cspmu, u32 *saved)
{
	unsigned int i;

	for (i = 0; i < CSPMU_NUM_SAVED_VALUES; i++)
		saved[i] = readl_relaxed(cspmu->page1 + CSPMU_PMSVR(i));
}

/* Returns those that have a value, a bit for each. */
static u64 cspmu_find_value(const struct cspmu *cspmu, const u32 *saved,
			    u64 value)
{
	unsigned int step = cspmu->wide ? 2 : 1, i;
	u64 found = 0;

	for (i = 0; i < CSPMU_NUM_SAVED_VALUES; i += step)
		if (saved[i] == lower_32_bits(value) &&
		    (!cspmu->wide || saved[i + 1] == upper_32_bits(value)))
			found |= BIT_ULL(i);
	return found;
}

/* Keeps those that can be PMSSSR after a capture. */
static void cspmu_match_status(struct cspmu *cspmu, const u32 *before,
			       const u32 *saved)
{
	unsigned int i;
	u64 reset = 0;

	for (i = 0; i < CSPMU_NUM_SAVED_VALUES; i++) {
		if (saved[i])
			cspmu->status &= ~BIT_ULL(i);
		else if (before[i] == CSPMU_PMSSSR_NC)
			reset |= BIT_ULL(i);
	}
	/* The first capture after reset clears PMSSSR.NC (§3.45). */
	if (cspmu->status & reset)
		cspmu->status &= reset;
}

/* Writes a different value to each monitor, captures, and looks for it. */
static void cspmu_try_snapshot(struct cspmu *cspmu, bool reverse)
{
	u32 before[CSPMU_NUM_SAVED_VALUES], saved[CSPMU_NUM_SAVED_VALUES];
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int n = syspmu->num_counters, idx;
	u64 value;

	for_each_set_bit(idx, cspmu->valid, n) {
		value = arm_syspmu_test_value(syspmu,
					      reverse ? n - 1 - idx : idx);
		cspmu_ops.write_counter(syspmu, idx, value);
	}
	cspmu_read_saved_values(cspmu, before);
	cspmu_take_snapshot(cspmu);
	cspmu_read_saved_values(cspmu, saved);
	cspmu_match_status(cspmu, before, saved);
	for_each_set_bit(idx, cspmu->valid, n) {
		value = cspmu_ops.read_counter(syspmu, idx);
		cspmu->monitors[idx].saved &= cspmu_find_value(cspmu, saved,
							       value);
	}
}

/*
 * The mapping is IMPLEMENTATION DEFINED (rule CFXNM), and not every monitor
 * needs to be saved (rule SSNNY). So try twice, since what a PMSVR has may look
 * like a value. A monitor that is not found exactly once is not saved. PMSSSR is
 * one of those that are zero; all overflow status is set the first time, so that
 * PMOVSSR are not. Too many may be zero to read all of them after each capture.
 */
static void cspmu_find_saved_values(struct cspmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int n = syspmu->num_counters, idx;
	u64 value = cspmu->wide ? 3 : 1;

	if (!(cspmu->cfgr & CSPMU_PMCFGR_SS) || syspmu->read_only_counters)
		return;

	cspmu->status = U64_MAX;
	for_each_set_bit(idx, cspmu->valid, n)
		cspmu->monitors[idx].saved = U64_MAX;
	/* A snapshot must not reset the monitors (§3.44). */
	arm_syspmu_write_halves(cspmu->page0 + CSPMU_PMSSRR, 0);
	cspmu_set_overflows(cspmu, true);
	cspmu_try_snapshot(cspmu, true);
	cspmu_set_overflows(cspmu, false);
	cspmu_try_snapshot(cspmu, false);

	for_each_set_bit(idx, cspmu->valid, n) {
		if (hweight64(cspmu->monitors[idx].saved) != 1)
			continue;
		__set_bit(idx, cspmu->saved);
		cspmu->status &= ~(value << __ffs64(cspmu->monitors[idx].saved));
	}
	if (hweight64(cspmu->status) > CSPMU_MAX_STATUS)
		cspmu->status = 0;
}

/* Leaves out monitors that overflow more often than can be handled. */
static int cspmu_drop_narrow(struct cspmu *cspmu)
{
	unsigned int n = bitmap_weight(cspmu->valid, CSPMU_MAX_MONITORS);
	unsigned int idx, bits, narrow = 0, widest = 0;
	struct arm_syspmu *syspmu = &cspmu->syspmu;

	cspmu_chain_monitors(cspmu);
	for_each_set_bit(idx, cspmu->valid, syspmu->num_counters) {
		bits = cspmu->bits[idx];
		if (bits >= cspmu->min_bits && bits != CSPMU_UNUSABLE_BITS) {
			widest = max(widest, bits);
			continue;
		}
		__clear_bit(idx, cspmu->valid);
		narrow++;
	}
	if (!widest)
		return dev_err_probe(syspmu->dev, -ENODEV,
				     "all %u monitors have fewer than %u bits: they overflow too often to be used, unless they are chained (module parameter chain)\n",
				     n, cspmu->min_bits);
	if (narrow)
		dev_warn(syspmu->dev,
			 "%u of %u monitors have fewer than %u bits: they overflow too often to be used\n",
			 narrow, n, cspmu->min_bits);
	syspmu->counter_bits = widest;
	return 0;
}

static void cspmu_use_snapshots(struct cspmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int n = syspmu->num_counters;

	if (!(cspmu->cfgr & CSPMU_PMCFGR_SS) || syspmu->read_only_counters)
		return;
	syspmu->can_capture = bitmap_and(cspmu->saved, cspmu->saved,
					 cspmu->valid, n);
	/* A signal can cause a snapshot as well (rule ZXZYK). */
	syspmu->others_capture = syspmu->can_capture;
	if (!bitmap_equal(cspmu->saved, cspmu->valid, n))
		dev_info(syspmu->dev,
			 "snapshots save %u of %u monitors: groups that use others are not read at one instant\n",
			 bitmap_weight(cspmu->saved, n),
			 bitmap_weight(cspmu->valid, n));
}

/*
 * FEAT_CSPMU_EXT64 is newer than issue A.a. PMDEVARCH tells, or PMCNTEN, which
 * no monitor of issue A.a uses unless there are more than 128.
 */
static bool cspmu_has_ext64(const struct cspmu *cspmu)
{
	u32 arch = readl_relaxed(cspmu->page0 + CSPMU_PMDEVARCH);
	u32 part = FIELD_GET(CSPMU_PMDEVARCH_ARCHPART, arch), enabled;

	if (arch & CSPMU_PMDEVARCH_PRESENT &&
	    (part == CSPMU_ARCHPART_EXT64 || part == CSPMU_ARCHPART_EXT64_PAGE1))
		return true;
	if (FIELD_GET(CSPMU_PMCFGR_NCG, cspmu->cfgr) ||
	    FIELD_GET(CSPMU_PMCFGR_N, cspmu->cfgr) >= CSPMU_MAX_WIDE_MONITORS)
		return false;
	writel_relaxed(~0U, cspmu->page0 + CSPMU_PMCNTENCLR0);
	writel_relaxed(1, cspmu->page0 + CSPMU_PMCNTEN);
	enabled = readl_relaxed(cspmu->page0 + CSPMU_PMCNTENCLR0);
	writel_relaxed(0, cspmu->page0 + CSPMU_PMCNTEN);
	return enabled;
}

/* PMIIDR is optional (§3.25). */
static void cspmu_find_identity(struct cspmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;

	if (!cspmu->iidr)
		cspmu->iidr = readl_relaxed(cspmu->page0 + CSPMU_PMIIDR) ?:
			      arm_syspmu_iidr_of_coresight_ids(cspmu->page0);
	snprintf(syspmu->identifier, sizeof(syspmu->identifier), "%x",
		 cspmu->iidr);
	cspmu->product = cspmu_find_product(cspmu->iidr, cspmu->ext64);
	cspmu->chain_event = cspmu->product->name ? cspmu->product->chain :
						    cspmu_chain_parameter;
}

/* The more bits can be written, the more events can use it. */
static unsigned int cspmu_choices(const struct cspmu *cspmu, unsigned int idx)
{
	const struct cspmu_control *control =
		cspmu->monitors[cspmu_lower(cspmu, idx)].control;
	unsigned int choices = cspmu_has_slot(cspmu, idx), n;

	for (n = 0; n < CSPMU_NUM_CONTROLS; n++)
		choices += hweight64(control[n].writable);
	return choices;
}

static bool cspmu_is_alike(const struct cspmu *cspmu, unsigned int idx,
			   unsigned int other)
{
	return cspmu_is_cycle_counter(cspmu, idx) ==
	       cspmu_is_cycle_counter(cspmu, other) &&
	       cspmu_has_slot(cspmu, idx) == cspmu_has_slot(cspmu, other) &&
	       !memcmp(cspmu->monitors[cspmu_lower(cspmu, idx)].control,
		       cspmu->monitors[cspmu_lower(cspmu, other)].control,
		       sizeof(cspmu->monitors->control));
}

/* Monitors that the same events can use are of one kind. */
static void cspmu_find_kinds(struct cspmu *cspmu)
{
	unsigned int idx, i, choices;
	u8 *kinds = cspmu->kinds;

	for_each_set_bit(idx, cspmu->valid, cspmu->syspmu.num_counters) {
		for (i = 0; i < cspmu->num_kinds; i++)
			if (cspmu_is_alike(cspmu, kinds[i], idx))
				break;
		if (i == cspmu->num_kinds) {
			choices = cspmu_choices(cspmu, idx);
			cspmu->num_kinds++;
			for (; i && cspmu_choices(cspmu, kinds[i - 1]) > choices; i--)
				kinds[i] = kinds[i - 1];
			kinds[i] = idx;
		}
		__set_bit(idx, cspmu->monitors[kinds[i]].alike);
	}
}

/* The last ones are PMPIDR4 and PMPIDR0 to PMPIDR3, only read without PMIIDR. */
#define CSPMU_NUM_PIDR			5
static const u16 cspmu_ids[] = {
	CSPMU_PMCGCR(0), CSPMU_PMCGCR(1), CSPMU_PMCGCR(2), CSPMU_PMCGCR(3),
	CSPMU_PMCFGR, CSPMU_PMIIDR, CSPMU_PMAUTHSTATUS, CSPMU_PMDEVARCH,
	0xfd0, 0xfe0, 0xfe4, 0xfe8, 0xfec
};

/* Stops the PMU, finds out what it implements, and tries its registers. */
int cspmu_identify(struct cspmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	int err;

	err = cspmu_read_cfgr(cspmu);
	if (err)
		return err;
	arm_syspmu_show_ids(syspmu, cspmu->page0, cspmu_ids,
			    ARRAY_SIZE(cspmu_ids) -
			    (readl_relaxed(cspmu->page0 + CSPMU_PMIIDR) ?
			     CSPMU_NUM_PIDR : 0));
	syspmu->one_signal = true;
	cspmu->min_bits = CSPMU_MIN_BITS;
	writel_relaxed(0, cspmu->page0 + CSPMU_PMCR);
	cspmu->ext64 = cspmu_has_ext64(cspmu);
	cspmu_find_identity(cspmu);
	if (cspmu_stop(cspmu) && cspmu->cfgr & CSPMU_PMCFGR_NA)
		return dev_err_probe(syspmu->dev, -ENODEV,
				     "PMCR.NA stays set: monitors cannot be written\n");

	err = cspmu_find_monitors(cspmu) ?: cspmu_allocate(cspmu);
	if (err)
		return err;
	cspmu_find_messages(cspmu);
	err = cspmu_find_event_counters(cspmu);
	if (err)
		return err;
	cspmu_find_cycle_counter(cspmu);
	cspmu_find_widths(cspmu);
	cspmu_probe_monitors(cspmu);
	cspmu_find_saved_values(cspmu);
	err = cspmu_drop_narrow(cspmu);
	cspmu_use_snapshots(cspmu);
	cspmu_find_kinds(cspmu);
	return err;
}
