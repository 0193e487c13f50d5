// SPDX-License-Identifier: GPL-2.0
/*
 * Identification of a PMU of the CoreSight Performance Monitoring Unit
 * architecture (IHI 0091): which monitors it has, what they can count, and
 * where a snapshot saves them. Runs at probe, while the PMU is stopped.
 *
 * Firmware may describe a page that belongs to something else, so what the
 * registers tell is checked, and messages name the register and its value.
 */

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/math.h>
#include <linux/slab.h>

#include "coresight_pmu.h"

/* Most PMSVR that are read after each capture to find out whether it failed */
#define CSPMU_MAX_STATUS		4

/* Values of PMCFGR.SIZE: width of the widest monitor, minus one (§3.8.1) */
static bool cspmu_is_valid_size(unsigned int size)
{
	static const u64 valid = BIT_ULL(7) | BIT_ULL(9) | BIT_ULL(11) |
				 BIT_ULL(15) | BIT_ULL(19) | BIT_ULL(23) |
				 BIT_ULL(31) | BIT_ULL(35) | BIT_ULL(39) |
				 BIT_ULL(43) | BIT_ULL(47) | BIT_ULL(51) |
				 BIT_ULL(55) | BIT_ULL(63);

	return valid & BIT_ULL(size);
}

static int cspmu_check_cfgr(struct coresight_pmu *cspmu)
{
	struct device *dev = cspmu->syspmu.dev;
	unsigned int size = FIELD_GET(CSPMU_PMCFGR_SIZE, cspmu->cfgr);
	unsigned int n = FIELD_GET(CSPMU_PMCFGR_N, cspmu->cfgr) + 1;

	if (cspmu->cfgr == ~0U || !cspmu->cfgr)
		return dev_err_probe(dev, -ENODEV,
				     "PMCFGR is 0x%x: there is no PMU or it has no power, check the address given by firmware\n",
				     cspmu->cfgr);
	if (!cspmu_is_valid_size(size))
		return dev_err_probe(dev, -ENODEV,
				     "PMCFGR 0x%x: SIZE %u is reserved, check the address given by firmware\n",
				     cspmu->cfgr, size);
	if (size > 31 && n > CSPMU_MAX_WIDE_MONITORS)
		return dev_err_probe(dev, -ENODEV,
				     "PMCFGR 0x%x: %u monitors of more than 32 bits, the architecture has %u\n",
				     cspmu->cfgr, n, CSPMU_MAX_WIDE_MONITORS);
	return 0;
}

/*
 * Monitor groups. §3.8.1 has a stride of 16 for more than eight groups of wide
 * monitors, and says that there are at most 8 in a group; rule TFNPJ and 128
 * monitors in all leave 8.
 */
static unsigned int cspmu_group_stride(unsigned int groups, bool wide)
{
	if (groups <= 4)
		return 32;
	if (groups <= 8)
		return wide ? 16 : 32;

	return wide ? 8 : 16;
}

/* Returns the number of monitors in all groups, or a negative errno. */
static int cspmu_find_groups(struct coresight_pmu *cspmu, unsigned int groups)
{
	unsigned int stride = cspmu_group_stride(groups, cspmu->syspmu.wide);
	unsigned int group, n, sum = 0;
	u32 cgcr = 0;

	for (group = 0; group < groups; group++) {
		if (group % 4 == 0)
			cgcr = readl_relaxed(cspmu->page0 +
					     CSPMU_PMCGCR(group / 4));
		n = cgcr >> group % 4 * 8 & 0xff;
		if (n > stride)
			return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
					     "PMCGCR%u 0x%x: %u monitors in group %u, with %u groups there are at most %u, check the address given by firmware\n",
					     group / 4, cgcr, n, group, groups,
					     stride);
		bitmap_set(cspmu->existing, group * stride, n);
		sum += n;
	}

	return sum;
}

/*
 * The cycle counter is one of the N + 1 monitors (§3.8.1), also of a PMU that
 * has less than 32. It is not clear whether PMCGCR counts it as part of the
 * group that it is in; the sum of all groups tells.
 */
static int cspmu_find_monitors(struct coresight_pmu *cspmu)
{
	unsigned int n = FIELD_GET(CSPMU_PMCFGR_N, cspmu->cfgr) + 1;
	unsigned int groups = FIELD_GET(CSPMU_PMCFGR_NCG, cspmu->cfgr) + 1;
	unsigned int last;
	int found;

	if (groups == 1) {
		bitmap_set(cspmu->existing, 0, n);
		found = n;
	} else {
		found = cspmu_find_groups(cspmu, groups);
		if (found < 0)
			return found;
	}

	if (cspmu->cfgr & CSPMU_PMCFGR_CC &&
	    !__test_and_set_bit(CSPMU_CYCLE_COUNTER, cspmu->existing)) {
		last = find_last_bit(cspmu->existing, CSPMU_CYCLE_COUNTER);
		if (found == n && last < CSPMU_CYCLE_COUNTER)
			__clear_bit(last, cspmu->existing);
		else
			found++;
	}
	if (found != n)
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "PMCFGR 0x%x: %u monitors, but the groups of PMCGCR have %d, check the address given by firmware\n",
				     cspmu->cfgr, n, found);

	if (cspmu->ext64 && n > CSPMU_MAX_EXT64_MONITORS)
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "PMCFGR 0x%x: there are registers for %u monitors of 64 bits, not for %u\n",
				     cspmu->cfgr, CSPMU_MAX_EXT64_MONITORS, n);

	cspmu->syspmu.num_counters = find_last_bit(cspmu->existing,
						   CSPMU_MAX_MONITORS) + 1;
	cspmu->syspmu.counters_at_once = CSPMU_BITS_PER_WORD;
	cspmu->words = DIV_ROUND_UP(cspmu->syspmu.num_counters,
				    CSPMU_BITS_PER_WORD);
	cspmu->layout.valid = cspmu->valid;
	cspmu->syspmu.layout = &cspmu->layout;

	return 0;
}

/*
 * A monitor that is not an event counter shows a state, whose value can fall.
 * If it defines no overflow condition, its PMINTEN is RES0 (rule YCLQB). Only
 * gauges can use it, which the table of products knows.
 */
static int cspmu_find_states(struct coresight_pmu *cspmu)
{
	unsigned int before = bitmap_weight(cspmu->existing,
					    CSPMU_MAX_MONITORS);
	unsigned int after;

	cspmu_find_overflowing(cspmu, cspmu->overflowing);
	bitmap_and(cspmu->overflowing, cspmu->existing, cspmu->overflowing,
		   CSPMU_MAX_MONITORS);
	if (cspmu->cfgr & CSPMU_PMCFGR_CC && cspmu->ext64)
		__clear_bit(CSPMU_CYCLE_COUNTER, cspmu->overflowing);
	bitmap_copy(cspmu->valid, cspmu->overflowing, CSPMU_MAX_MONITORS);
	if (cspmu_has_gauges(cspmu->product)) {
		bitmap_andnot(cspmu->gauges, cspmu->existing,
			      cspmu->overflowing, CSPMU_MAX_MONITORS);
		if (cspmu->cfgr & CSPMU_PMCFGR_CC)
			__clear_bit(CSPMU_CYCLE_COUNTER, cspmu->gauges);
		bitmap_or(cspmu->valid, cspmu->valid, cspmu->gauges,
			  CSPMU_MAX_MONITORS);
		cspmu->layout.gauges = cspmu->gauges;
	}
	after = bitmap_weight(cspmu->valid, CSPMU_MAX_MONITORS);
	if (!after)
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "none of its %u monitors is an event counter: PMINTEN is 0 after ones were written, check the address given by firmware\n",
				     before);
	if (!cspmu_keeps_overflows(cspmu))
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "PMOVS does not keep the ones that are written to it: the monitors may be on a second page, which firmware must describe\n");
	if (after < before)
		dev_info(cspmu->syspmu.dev,
			 "%u of %u monitors are not used: they are not event counters\n",
			 before - after, before);
	return 0;
}

/*
 * Values of monitors
 */

static u64 cspmu_read_value(const struct coresight_pmu *cspmu, unsigned int idx)
{
	void __iomem *reg = cspmu->page1 + cspmu->offsets[idx];

	if (!cspmu->syspmu.wide)
		return readl_relaxed(reg);

	return arm_syspmu_read_in_halves(reg);
}

static bool cspmu_keeps_values(struct coresight_pmu *cspmu, unsigned int idx)
{
	static const u64 values[] = { 0x5a, 0x25 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		cspmu_ops.write_counter(&cspmu->syspmu, idx, values[i]);
		if (cspmu_read_value(cspmu, idx) != values[i])
			return false;
	}

	return true;
}

/*
 * §3.5 and §3.6 have PMCCNTR of up to 32 bits at 0x03c, while rule HJZYK has it
 * at the place of monitor 31, as it is with more than 32 bits. 0x03c is that of
 * monitor 15.
 */
static void cspmu_find_cycle_counter(struct coresight_pmu *cspmu)
{
	unsigned int idx = CSPMU_CYCLE_COUNTER;
	u16 usual = cspmu->offsets[idx];

	if (cspmu_keeps_values(cspmu, idx))
		return;

	cspmu->offsets[idx] = CSPMU_PMEVCNTR + 4 * 15;
	if (cspmu_keeps_values(cspmu, idx))
		cspmu->layout.offsets = cspmu->offsets;
	else
		cspmu->offsets[idx] = usual;
}

/*
 * Only the width of the widest monitor can be read (rule JRSCZ). Unimplemented
 * bits are RES0. A monitor that cannot be written (rule WVQDZ) is taken to have
 * the width of the widest one.
 */
static void cspmu_find_width(struct coresight_pmu *cspmu, unsigned int idx)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int width = fls64(syspmu->counter_mask);
	u64 ones, zeros;

	cspmu_ops.write_counter(syspmu, idx, syspmu->counter_mask);
	ones = cspmu_read_value(cspmu, idx);
	cspmu_ops.write_counter(syspmu, idx, 0);
	zeros = cspmu_read_value(cspmu, idx);
	if (ones == zeros)
		syspmu->quirks |= ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS;
	else if (!zeros && !(ones & (ones + 1)))
		width = fls64(ones);
	cspmu->bits[idx] = width;
}

/*
 * Other registers of monitors
 */

static void cspmu_probe_control(const struct coresight_pmu *cspmu,
				struct cspmu_control *control,
				void __iomem *reg)
{
	u64 ones;

	cspmu_write_reg(cspmu, reg, U64_MAX);
	ones = cspmu_read_control(cspmu, reg);
	cspmu_write_reg(cspmu, reg, 0);
	control->fixed = cspmu_read_control(cspmu, reg);
	control->writable = ones ^ control->fixed;
	control->value = control->fixed;
	control->fixed &= ~control->writable;
}

static bool cspmu_is_same_control(const struct cspmu_control *a,
				  const struct cspmu_control *b)
{
	return a->fixed == b->fixed && a->writable == b->writable;
}

/*
 * A monitor that can show nothing but one state. Its value must not be written:
 * it may be incremented and decremented from there on (§1.1).
 */
static bool cspmu_is_fixed_gauge(const struct coresight_pmu *cspmu,
				 unsigned int idx)
{
	const struct cspmu_control *type = &cspmu->monitors[idx].type;

	return cspmu->layout.gauges && !type->writable &&
	       !cspmu_is_cycle_counter(cspmu, idx) &&
	       cspmu_is_gauge_number(cspmu->product, type->fixed);
}

static void cspmu_probe_monitor(struct coresight_pmu *cspmu, unsigned int idx)
{
	struct cspmu_monitor *monitor = &cspmu->monitors[idx];
	void __iomem *filter = cspmu_control_reg(cspmu, CSPMU_PMEVFILTR, idx);

	cspmu_probe_control(cspmu, &monitor->type,
			    cspmu_control_reg(cspmu, CSPMU_PMEVTYPER, idx));
	if (cspmu_is_fixed_gauge(cspmu, idx))
		__set_bit(idx, cspmu->gauges);
	if (!test_bit(idx, cspmu->gauges))
		cspmu_find_width(cspmu, idx);
	if (cspmu_is_cycle_counter(cspmu, idx) ||
	    filter >= cspmu->page0 + CSPMU_END_OF_FILTERS)
		return;

	cspmu_probe_control(cspmu, &monitor->filter, filter);
	cspmu_probe_control(cspmu, &monitor->filter2,
			    cspmu_control_reg(cspmu, CSPMU_PMEVFILT2R, idx));
	if (monitor->filter2.writable || monitor->filter2.fixed)
		cspmu->has_filter2 = true;
}

/*
 * Classes of monitors
 */

static unsigned int cspmu_choices(const struct cspmu_monitor *monitor)
{
	return hweight64(monitor->type.writable) +
	       hweight64(monitor->filter.writable) +
	       hweight64(monitor->filter2.writable);
}

static struct cspmu_class *cspmu_find_class(struct coresight_pmu *cspmu,
					    const struct cspmu_class *like)
{
	struct cspmu_class *class;
	unsigned int i;

	for (i = 0; i < cspmu->num_classes; i++) {
		class = &cspmu->classes[i];
		if (class->cycles == like->cycles &&
		    class->has_slot == like->has_slot &&
		    class->state == like->state &&
		    class->overflows == like->overflows &&
		    cspmu_is_same_control(&class->type, &like->type) &&
		    cspmu_is_same_control(&class->filter, &like->filter) &&
		    cspmu_is_same_control(&class->filter2, &like->filter2))
			return class;
	}

	return NULL;
}

/* Those that fewer events can use come first, of all those of gauges. */
static struct cspmu_class *cspmu_add_class(struct coresight_pmu *cspmu,
					   const struct cspmu_class *like)
{
	unsigned int n = cspmu->num_classes, i;
	struct cspmu_class *classes;

	classes = krealloc_array(cspmu->classes, n + 1, sizeof(*classes),
				 GFP_KERNEL);
	if (!classes)
		return NULL;
	cspmu->classes = classes;
	cspmu->num_classes++;

	for (i = n; i && classes[i - 1].choices > like->choices; i--)
		classes[i] = classes[i - 1];
	classes[i] = *like;

	return &classes[i];
}

/* The class of a monitor, without any monitors */
static struct cspmu_class cspmu_class_of(const struct coresight_pmu *cspmu,
					 unsigned int idx)
{
	const struct cspmu_monitor *monitor =
		&cspmu->monitors[cspmu_lower(cspmu, idx)];
	struct cspmu_class class = {
		.type = monitor->type,
		.filter = monitor->filter,
		.filter2 = monitor->filter2,
		.cycles = cspmu_is_cycle_counter(cspmu, idx),
		.has_slot = cspmu_has_slot(cspmu, idx),
		.state = test_bit(idx, cspmu->gauges),
		.overflows = test_bit(idx, cspmu->overflowing),
	};

	if (!class.state)
		class.choices = 1 + cspmu_choices(monitor) + class.has_slot;

	return class;
}

/* The usual event can use the monitors of the largest class. */
static void cspmu_find_common_monitors(struct coresight_pmu *cspmu)
{
	unsigned int i, most = 0;

	for (i = 0; i < cspmu->num_classes; i++) {
		if (cspmu->classes[i].num_monitors < most)
			continue;
		most = cspmu->classes[i].num_monitors;
		cspmu->layout.common = cspmu->classes[i].monitors;
	}
}

/**
 * cspmu_classify - find out which monitors can count the same events
 * @cspmu: the PMU, whose &coresight_pmu.valid is final
 *
 * Context: process, at probe.
 * Return: 0 or -ENOMEM
 */
int cspmu_classify(struct coresight_pmu *cspmu)
{
	struct cspmu_class like, *class;
	unsigned int idx;

	for_each_set_bit(idx, cspmu->valid, CSPMU_MAX_MONITORS) {
		like = cspmu_class_of(cspmu, idx);
		class = cspmu_find_class(cspmu, &like) ?:
			cspmu_add_class(cspmu, &like);
		if (!class)
			return -ENOMEM;
		__set_bit(idx, class->monitors);
		class->num_monitors++;
	}
	cspmu_find_common_monitors(cspmu);

	return 0;
}

static int cspmu_probe_monitors(struct coresight_pmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int n = syspmu->num_counters, idx;

	cspmu->bits = kcalloc(n, sizeof(*cspmu->bits), GFP_KERNEL);
	cspmu->offsets = kcalloc(n, sizeof(*cspmu->offsets), GFP_KERNEL);
	cspmu->monitors = kcalloc(n, sizeof(*cspmu->monitors), GFP_KERNEL);
	if (!cspmu->bits || !cspmu->offsets || !cspmu->monitors)
		return -ENOMEM;

	syspmu->counter_regs = cspmu->page1;
	for (idx = 0; idx < n; idx++)
		cspmu->offsets[idx] = CSPMU_PMEVCNTR +
				      (syspmu->wide ? 8 : 4) * idx;
	if (cspmu_has_cycle_counter(cspmu) && !syspmu->wide &&
	    !test_bit(15, cspmu->existing))
		cspmu_find_cycle_counter(cspmu);

	for (idx = 0; idx < n; idx++)
		cspmu->bits[idx] = fls64(syspmu->counter_mask);
	for_each_set_bit(idx, cspmu->valid, n)
		cspmu_probe_monitor(cspmu, idx);
	cspmu->layout.bits = cspmu->bits;

	return 0;
}

/*
 * FEAT_CSPMU_EXT64 is newer than issue A.a. PMDEVARCH tells, or PMCNTEN, which
 * no monitor of issue A.a uses unless there are more than 128.
 */
static bool cspmu_has_ext64(const struct coresight_pmu *cspmu)
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

/*
 * Identification. PMIIDR is optional (§3.25).
 */

static int cspmu_find_page1(struct coresight_pmu *cspmu)
{
	u32 cfgr;

	if (!cspmu_is_dual_page(cspmu))
		return 0;

	cfgr = readl_relaxed(cspmu->page1 + CSPMU_PMCFGR);
	if ((cfgr ^ cspmu->cfgr) & (CSPMU_PMCFGR_N | CSPMU_PMCFGR_SIZE))
		return dev_err_probe(cspmu->syspmu.dev, -ENODEV,
				     "PMCFGR is 0x%x on page 0 and 0x%x on page 1: the pages do not belong together, check the addresses given by firmware\n",
				     cspmu->cfgr, cfgr);
	return 0;
}

/**
 * cspmu_identify - find out what a PMU implements
 * @cspmu: the PMU, with its pages mapped
 *
 * Stops the PMU and writes the registers of its monitors.
 *
 * Context: process, at probe.
 * Return: 0, or a negative errno with a message unless it is -ENOMEM.
 */
int cspmu_identify(struct coresight_pmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int size;
	int err;

	cspmu->cfgr = readl_relaxed(cspmu->page0 + CSPMU_PMCFGR);
	err = cspmu_check_cfgr(cspmu) ?: cspmu_find_page1(cspmu);
	if (err)
		return err;

	cspmu_stop(cspmu);
	cspmu->ext64 = cspmu_has_ext64(cspmu);
	size = FIELD_GET(CSPMU_PMCFGR_SIZE, cspmu->cfgr);
	syspmu->wide = size > 31;
	syspmu->counter_mask = GENMASK_ULL(size, 0);
	syspmu->stop_to_write = cspmu->cfgr & CSPMU_PMCFGR_NA;
	syspmu->can_freeze = cspmu->cfgr & CSPMU_PMCFGR_FZO;
	syspmu->one_signal = true;
	cspmu->auth = readl_relaxed(cspmu->page0 + CSPMU_PMAUTHSTATUS);
	if (!cspmu->iidr)
		cspmu->iidr = readl_relaxed(cspmu->page0 + CSPMU_PMIIDR) ?:
		      arm_syspmu_iidr_of_coresight_ids(cspmu->page0);
	snprintf(syspmu->identifier, sizeof(syspmu->identifier), "%x",
		 cspmu->iidr);
	cspmu->product = cspmu_find_product(cspmu->iidr, cspmu->ext64);
	syspmu->shares_filter = cspmu->product->shared;
	cspmu->is_plain = !cspmu->ext64 && !syspmu->stop_to_write &&
			  !cspmu->product->shared && !cspmu->product->slots &&
			  !cspmu_has_gauges(cspmu->product) &&
			  !cspmu_has_common_filter(cspmu);

	err = cspmu_find_monitors(cspmu);
	if (err)
		return err;
	cspmu_stop(cspmu);
	cspmu_find_messages(cspmu);

	return cspmu_find_states(cspmu) ?: cspmu_probe_monitors(cspmu);
}

/*
 * Saved values
 */

static void cspmu_write_test_values(struct coresight_pmu *cspmu, bool reverse)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int n = syspmu->num_counters, idx, from;

	for_each_andnot_bit(idx, cspmu->valid, cspmu->gauges, n) {
		from = reverse ? n - 1 - idx : idx;
		cspmu_ops.write_counter(syspmu, idx,
					arm_syspmu_test_value(syspmu, from));
	}
}

/* Returns the PMSVR, as a bitmap of their numbers, that have a value. */
static u64 cspmu_saved_values_with(const struct coresight_pmu *cspmu,
				   const u32 *saved, u64 value)
{
	unsigned int step = cspmu->syspmu.wide ? 2 : 1, i;
	u64 found = 0, actual;

	for (i = 0; i < CSPMU_NUM_SAVED_VALUES; i += step) {
		actual = saved[i];
		if (step == 2)
			actual |= (u64)saved[i + 1] << 32;
		if (actual == value)
			found |= BIT_ULL(i);
	}

	return found;
}

static void cspmu_read_saved_values(const struct coresight_pmu *cspmu,
				    u32 *saved)
{
	unsigned int i;

	for (i = 0; i < CSPMU_NUM_SAVED_VALUES; i++)
		saved[i] = readl_relaxed(cspmu->page1 + CSPMU_PMSVR(i));
}

/* Keeps those PMSVR of @status that can be PMSSSR after a capture. */
static void cspmu_match_status(const u32 *before, const u32 *saved, u64 *status)
{
	unsigned int i;
	u64 reset = 0;

	for (i = 0; i < CSPMU_NUM_SAVED_VALUES; i++) {
		if (saved[i])
			*status &= ~BIT_ULL(i);
		else if (before[i] == CSPMU_PMSSSR_NC)
			reset |= BIT_ULL(i);
	}
	/* The first capture after reset clears PMSSSR.NC (§3.45). */
	if (*status & reset)
		*status &= reset;
}

static void cspmu_match_saved_values(struct coresight_pmu *cspmu, u64 *found,
				     u64 *status)
{
	u32 before[CSPMU_NUM_SAVED_VALUES], saved[CSPMU_NUM_SAVED_VALUES];
	unsigned int idx;

	cspmu_read_saved_values(cspmu, before);
	cspmu_ops.capture(&cspmu->syspmu);
	cspmu_read_saved_values(cspmu, saved);
	cspmu_match_status(before, saved, status);
	for_each_andnot_bit(idx, cspmu->valid, cspmu->gauges,
			    cspmu->syspmu.num_counters)
		found[idx] &= cspmu_saved_values_with(cspmu, saved,
						      cspmu_read_value(cspmu, idx));
}

/*
 * Too many PMSVR may have been zero to read all of them after each capture:
 * those that are not used.
 */
static void cspmu_find_status(struct coresight_pmu *cspmu, u64 status)
{
	u64 value = cspmu->syspmu.wide ? 3 : 1;
	unsigned int idx;

	for_each_set_bit(idx, cspmu->saved, cspmu->syspmu.num_counters)
		status &= ~(value << cspmu->monitors[idx].saved);

	if (hweight64(status) <= CSPMU_MAX_STATUS)
		cspmu->status = status;
}

/**
 * cspmu_find_saved_values - find out where snapshots save the monitors
 * @cspmu: the PMU, stopped; its monitors keep what is written to them
 *
 * The mapping is IMPLEMENTATION DEFINED (rule CFXNM), and not every monitor
 * needs to be saved (rule SSNNY). So write a different value to each, capture,
 * and look for it; twice, since what a PMSVR has may look like one of them. A
 * monitor that is not found exactly once is not saved, and one that shows a
 * state is not looked for, since it cannot be written. PMSSSR is one of those
 * that are zero; all overflow status is set the first time, so that PMOVSSR are
 * not.
 *
 * Context: process, at probe.
 * Return: 0 or -ENOMEM
 */
int cspmu_find_saved_values(struct coresight_pmu *cspmu)
{
	struct arm_syspmu *syspmu = &cspmu->syspmu;
	unsigned int n = syspmu->num_counters, idx, round;
	u64 *found, status = U64_MAX;

	if (!(cspmu->cfgr & CSPMU_PMCFGR_SS) ||
	    syspmu->quirks & ARM_SYSPMU_QUIRK_READ_ONLY_COUNTERS)
		return 0;

	found = kcalloc(n, sizeof(*found), GFP_KERNEL);
	if (!found)
		return -ENOMEM;

	memset(found, 0xff, n * sizeof(*found));
	/* A snapshot must not reset the monitors (§3.44). */
	writel_relaxed(0, cspmu->page0 + CSPMU_PMSSRR);
	writel_relaxed(0, cspmu->page0 + CSPMU_PMSSRR + 4);
	cspmu_set_overflows(cspmu);
	for (round = 0; round < 2; round++) {
		cspmu_write_test_values(cspmu, !round);
		cspmu_match_saved_values(cspmu, found, &status);
		cspmu_clear_overflows(cspmu);
	}

	for_each_andnot_bit(idx, cspmu->valid, cspmu->gauges, n) {
		if (hweight64(found[idx]) != 1)
			continue;
		__set_bit(idx, cspmu->saved);
		cspmu->monitors[idx].saved = __ffs64(found[idx]);
	}
	kfree(found);
	cspmu_find_status(cspmu, status);

	syspmu->can_capture = !bitmap_empty(cspmu->saved, n);
	/* A signal can cause a snapshot as well (rule ZXZYK). */
	syspmu->others_capture = syspmu->can_capture;
	if (!bitmap_equal(cspmu->saved, cspmu->valid, n))
		dev_info(syspmu->dev,
			 "snapshots save %u of %u monitors: groups that use others are not read at one instant\n",
			 bitmap_weight(cspmu->saved, n),
			 bitmap_weight(cspmu->valid, n));
	return 0;
}
