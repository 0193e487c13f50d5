// SPDX-License-Identifier: GPL-2.0
/*
 * What the backends for memory-mapped PMUs of Arm systems have in common:
 * accesses to 64-bit registers, CoreSight ID registers, and a check that the
 * counters keep what is written to them.
 */

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/export.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/platform_device.h>
#include <linux/sizes.h>

#include "core.h"

/*
 * Accesses
 */

/*
 * A torn read of a 64-bit counter is less than this far from a carry into the
 * upper half: more events than can happen within one bus access.
 */
#define ARM_SYSPMU_TEAR_WINDOW		0x10000U

/* No counter wraps its lower half in each of so many bus accesses. */
#define ARM_SYSPMU_HALVES_TRIES		1000

/*
 * Reads a 64-bit register by 32-bit accesses, again if the upper half has changed
 * meanwhile, but not for ever: interrupts are off.
 */
u64 arm_syspmu_read_halves(const void __iomem *reg)
{
	u32 low, high = readl_relaxed(reg + sizeof(u32)), previous;
	unsigned int tries = ARM_SYSPMU_HALVES_TRIES;

	do {
		previous = high;
		low = readl_relaxed(reg);
		high = readl_relaxed(reg + sizeof(u32));
	} while (high != previous && --tries);

	return (u64)high << 32 | low;
}
EXPORT_SYMBOL_GPL(arm_syspmu_read_halves);

/*
 * Reads a 64-bit counter for which 64-bit accesses need not be atomic (IHI 0070
 * §10.5). If a carry out of the lower half has torn the read, the lower half is
 * just below or just above its wrap. Only then read again until the halves match.
 * The same if the upper half is all ones, as the device may have lost power
 * between the two halves.
 */
u64 arm_syspmu_read64(const void __iomem *reg)
{
	u64 value = readq_relaxed(reg);

	if (lower_32_bits(value) + ARM_SYSPMU_TEAR_WINDOW >=
	    2 * ARM_SYSPMU_TEAR_WINDOW && upper_32_bits(value) != U32_MAX)
		return value;

	return arm_syspmu_read_halves(reg);
}
EXPORT_SYMBOL_GPL(arm_syspmu_read64);

/*
 * Writes a 64-bit register, upper half first. The counter may be enabled, but its
 * lower half must not be about to carry.
 */
void arm_syspmu_write_halves(void __iomem *reg, u64 value)
{
	writel_relaxed(upper_32_bits(value), reg + sizeof(u32));
	writel_relaxed(lower_32_bits(value), reg);
}
EXPORT_SYMBOL_GPL(arm_syspmu_write_halves);

/*
 * Counters
 */

static bool arm_syspmu_is_usable(const struct arm_syspmu *pmu, unsigned int idx)
{
	return !pmu->usable || test_bit(idx, pmu->usable);
}

unsigned int arm_syspmu_num_usable(const struct arm_syspmu *pmu)
{
	return pmu->usable ? bitmap_weight(pmu->usable, pmu->num_counters) :
			     pmu->num_counters;
}

/* Mask of the implemented bits of a counter */
u64 arm_syspmu_counter_mask(const struct arm_syspmu *pmu, unsigned int idx)
{
	unsigned int bits = pmu->bits ? pmu->bits[idx] : pmu->counter_bits;

	return GENMASK_ULL(bits - 1, 0);
}

/* Mask of the implemented bits of the narrowest counter */
u64 arm_syspmu_narrowest_counter(const struct arm_syspmu *pmu)
{
	u64 mask = GENMASK_ULL(pmu->counter_bits - 1, 0);
	unsigned int idx;

	for (idx = 0; pmu->bits && idx < pmu->num_counters; idx++)
		if (arm_syspmu_is_usable(pmu, idx))
			mask = min(mask, arm_syspmu_counter_mask(pmu, idx));

	return mask;
}

/*
 * Identification
 */

/* CoreSight ID registers: the same in both architectures (IHI 0070 §10.5.1) */
#define CORESIGHT_PIDR4			0xfd0
#define   CORESIGHT_PIDR4_DES_2		GENMASK(3, 0)
#define CORESIGHT_PIDR0			0xfe0
#define   CORESIGHT_PIDR0_PART_0	GENMASK(7, 0)
#define CORESIGHT_PIDR1			0xfe4
#define   CORESIGHT_PIDR1_DES_0		GENMASK(7, 4)
#define   CORESIGHT_PIDR1_PART_1	GENMASK(3, 0)
#define CORESIGHT_PIDR2			0xfe8
#define   CORESIGHT_PIDR2_REVISION	GENMASK(7, 4)
#define   CORESIGHT_PIDR2_DES_1		GENMASK(2, 0)
#define CORESIGHT_PIDR3			0xfec
#define   CORESIGHT_PIDR3_REVAND	GENMASK(7, 4)
#define CORESIGHT_CIDR(n)		(0xff0 + 4 * (n))

/* IIDR, PMIIDR */
#define IIDR_PRODUCTID			GENMASK(31, 20)
#define IIDR_VARIANT			GENMASK(19, 16)
#define IIDR_REVISION			GENMASK(15, 12)
#define IIDR_IMPLEMENTER		GENMASK(11, 0)

static bool arm_syspmu_has_coresight_ids(void __iomem *page)
{
	static const u8 cidr[] = { 0x0d, 0x90, 0x05, 0xb1 };
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(cidr); n++)
		if (readl_relaxed(page + CORESIGHT_CIDR(n)) != cidr[n])
			return false;

	return true;
}

/**
 * arm_syspmu_iidr_of_coresight_ids - identification from CoreSight ID registers
 * @page: page 0 of a device which does not implement IIDR
 *
 * Context: process, at probe.
 * Return: part, revision and designer in the fields of an IIDR (IHI 0070
 *	§10.5.2.15); 0 if there are no CoreSight ID registers
 */
u32 arm_syspmu_iidr_of_coresight_ids(void __iomem *page)
{
	u32 pidr0, pidr1, pidr2, pidr3, pidr4;

	if (!arm_syspmu_has_coresight_ids(page))
		return 0;

	pidr0 = readl_relaxed(page + CORESIGHT_PIDR0);
	pidr1 = readl_relaxed(page + CORESIGHT_PIDR1);
	pidr2 = readl_relaxed(page + CORESIGHT_PIDR2);
	pidr3 = readl_relaxed(page + CORESIGHT_PIDR3);
	pidr4 = readl_relaxed(page + CORESIGHT_PIDR4);

	return FIELD_PREP(IIDR_PRODUCTID,
			  FIELD_GET(CORESIGHT_PIDR1_PART_1, pidr1) << 8 |
			  FIELD_GET(CORESIGHT_PIDR0_PART_0, pidr0)) |
	       FIELD_PREP(IIDR_VARIANT,
			  FIELD_GET(CORESIGHT_PIDR2_REVISION, pidr2)) |
	       FIELD_PREP(IIDR_REVISION,
			  FIELD_GET(CORESIGHT_PIDR3_REVAND, pidr3)) |
	       FIELD_PREP(IIDR_IMPLEMENTER,
			  FIELD_GET(CORESIGHT_PIDR4_DES_2, pidr4) << 8 |
			  FIELD_GET(CORESIGHT_PIDR2_DES_1, pidr2) << 4 |
			  FIELD_GET(CORESIGHT_PIDR1_DES_0, pidr1));
}
EXPORT_SYMBOL_GPL(arm_syspmu_iidr_of_coresight_ids);

/* Fills in &arm_syspmu.id_registers, at probe. */
void arm_syspmu_show_ids(struct arm_syspmu *pmu, void __iomem *page,
			 const u16 *offsets, unsigned int number)
{
	char *text = pmu->id_registers;
	const char *end = text + sizeof(pmu->id_registers);

	for (; number--; offsets++)
		text += scnprintf(text, end - text, "%s0x%03x 0x%08x",
				  text == pmu->id_registers ? "" : "\n",
				  *offsets, readl_relaxed(page + *offsets));
}
EXPORT_SYMBOL_GPL(arm_syspmu_show_ids);

/*
 * Pages
 */

struct arm_syspmu_page {
	const struct device *dev;
	const struct resource *res;
};

/* Whether a device of the same driver has this page as well */
static int arm_syspmu_has_page(struct device *dev, const void *data)
{
	struct platform_device *pdev = to_platform_device(dev);
	const struct arm_syspmu_page *page = data;
	const struct resource *res;
	unsigned int n;

	if (!dev->bus->match(dev, page->dev->driver))
		return 0;
	for (n = 0; (res = platform_get_resource(pdev, IORESOURCE_MEM, n)); n++)
		if (res != page->res && res->start == page->res->start)
			return 1;
	return 0;
}

/**
 * arm_syspmu_map_page - map a page of registers
 * @pmu: the PMU
 * @n: the number of the page
 * @res: what firmware says of it, or NULL
 * @page: set to its address
 *
 * No register of page 1 tells which page 0 it belongs to: one that firmware gives
 * to two devices is not used.
 *
 * Context: process, at probe.
 * Return: 0 or a negative errno, with a message
 */
int arm_syspmu_map_page(struct arm_syspmu *pmu, unsigned int n,
			const struct resource *res, void __iomem **page)
{
	struct device *dev = pmu->dev, *other = NULL;
	const struct arm_syspmu_page described = { dev, res };

	if (!res)
		return dev_err_probe(dev, -ENODEV,
				     "firmware does not give an address\n");
	/* IHI 0070 §10.5, IHI 0091 rule JYWDL */
	if (!IS_ALIGNED(res->start, SZ_4K))
		return dev_err_probe(dev, -ENODEV,
				     "page %u at %pa is not aligned to 4 KB: firmware must be corrected\n",
				     n, &res->start);
	if (n)
		other = bus_find_device(dev->bus, NULL, &described,
					arm_syspmu_has_page);
	if (other) {
		put_device(other);
		return dev_err_probe(dev, -ENODEV,
				     "page %u at %pa is a page of %s, too: firmware must be corrected\n",
				     n, &res->start, dev_name(other));
	}
	if (!devm_request_mem_region(dev, res->start, resource_size(res),
				     dev_name(dev)))
		return dev_err_probe(dev, -ENODEV,
				     "page %u at %pa is used by another driver or PMU already: firmware may describe it twice\n",
				     n, &res->start);
	*page = devm_ioremap(dev, res->start, resource_size(res));

	return *page ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_GPL(arm_syspmu_map_page);

/*
 * Check of the counters
 */

static u64 arm_syspmu_test_step(const struct arm_syspmu *pmu)
{
	u64 step = div_u64(arm_syspmu_narrowest_counter(pmu) / 2,
			   pmu->num_counters);

	return min_t(u64, step, 0x100000);
}

/**
 * arm_syspmu_test_value - value that arm_syspmu_check_counters() leaves in a
 *	counter
 * @pmu: the PMU
 * @idx: the counter
 *
 * Differs between counters, and is far from a wrap, near which reads need more
 * accesses. Counters start from this value.
 *
 * Context: process, at probe.
 * Return: the value
 */
u64 arm_syspmu_test_value(const struct arm_syspmu *pmu, unsigned int idx)
{
	u64 mask = arm_syspmu_narrowest_counter(pmu);

	return ((mask >> 2) + (idx + 1) * arm_syspmu_test_step(pmu)) & mask;
}
EXPORT_SYMBOL_GPL(arm_syspmu_test_value);

/* A counter that firmware left enabled may still count a few events. */
static bool arm_syspmu_counter_holds(struct arm_syspmu *pmu, unsigned int idx,
				     u64 value, u64 *actual)
{
	u64 mask = arm_syspmu_counter_mask(pmu, idx);

	*actual = pmu->ops->read_counter(pmu, idx) & mask;

	return ((*actual - value) & mask) < ARM_SYSPMU_LATE_EVENTS;
}

/**
 * arm_syspmu_keeps_values - whether a counter keeps what is written to it
 * @pmu: the PMU, which is stopped
 * @idx: the counter
 *
 * Context: process, at probe.
 * Return: true if two different values were kept
 */
bool arm_syspmu_keeps_values(struct arm_syspmu *pmu, unsigned int idx)
{
	static const u8 values[] = { 0x5a, 0x25 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		pmu->ops->write_counter(pmu, idx, values[i]);
		if (pmu->ops->read_counter(pmu, idx) != values[i])
			return false;
	}
	return true;
}
EXPORT_SYMBOL_GPL(arm_syspmu_keeps_values);

/*
 * Checks that each counter keeps a value of its own: firmware may describe a page
 * that belongs to something else. Only the backend knows whether counters are
 * read-only: those of such a page look like it. Nothing counts.
 */
int arm_syspmu_check_counters(struct arm_syspmu *pmu)
{
	unsigned int idx, pass;
	u64 value, actual;

	if (pmu->read_only_counters)
		return 0;
	for (pass = 0; pass < 2; pass++) {
		for (idx = 0; idx < pmu->num_counters; idx++) {
			if (!arm_syspmu_is_usable(pmu, idx))
				continue;
			value = arm_syspmu_test_value(pmu, idx);
			if (!pass)
				pmu->ops->write_counter(pmu, idx, value);
			if (!arm_syspmu_counter_holds(pmu, idx, value, &actual))
				return dev_err_probe(pmu->dev, -ENODEV,
						     "counter %u is 0x%llx, not 0x%llx as was written: the counters keep nothing or share storage, check the address given by firmware\n",
						     idx, actual, value);
		}
	}

	return 0;
}
