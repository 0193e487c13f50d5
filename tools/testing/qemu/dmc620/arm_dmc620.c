// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUs of two DMC-620, as far as Linux's driver uses them: ten counters of 32 bits, of which
 * each counts any event, and one level interrupt. A write to the second page of one counts.
 */
#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "hw/intc/arm_gicv3_common.h"
#include "hw/irq.h"

#define PAGE_WORDS		0x400
#define OVERFLOW_CLKDIV2	(0xa08 / 4)
#define OVERFLOW_CLK		(0xa0c / 4)
#define CONTROL(n)		((0xa20 + (n) * 0x28) / 4)
#define VALUE(n)		((0xa30 + (n) * 0x28) / 4)

static uint32_t words[2][PAGE_WORDS];

static uint64_t dmc_read(void *opaque, hwaddr offset, unsigned int size)
{
	return words[offset >> 16][offset / 4 % PAGE_WORDS];
}

static void dmc_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	uint32_t *unit = words[offset >> 16], level = 0;
	unsigned int n;

	if (!(offset & 0x1000))
		unit[offset / 4 % PAGE_WORDS] = value;
	for (n = 0; offset & 0x1000 && n < 10; n++) {
		unit[VALUE(n)] += unit[CONTROL(n)] & 1 ? value : 0;
		if (unit[CONTROL(n)] & 1 && unit[VALUE(n)] < value)
			unit[n < 8 ? OVERFLOW_CLKDIV2 : OVERFLOW_CLK] |= 1U << n % 8;
	}
	for (n = 0; n < 2; n++)
		level |= words[n][OVERFLOW_CLKDIV2] | words[n][OVERFLOW_CLK];
	qemu_set_irq(opaque, level != 0);
}

static const MemoryRegionOps ops = { .read = dmc_read, .write = dmc_write };

static void dmc_realize(DeviceState *dev, Error **errp)
{
	Object *gic = object_resolve_path_type("", TYPE_ARM_GICV3_COMMON, NULL);
	MemoryRegion *region = g_new0(MemoryRegion, 1);

	memory_region_init_io(region, OBJECT(dev), &ops, qdev_get_gpio_in(DEVICE(gic), 230),
			      "arm-dmc620", 0x20000);
	memory_region_add_subregion_overlap(get_system_memory(), 0x0b020000, region, 1);
}

static void dmc_class_init(ObjectClass *class, void *data)
{
	DEVICE_CLASS(class)->realize = dmc_realize;
}

static const TypeInfo types[] = {
	{ "arm-dmc620", TYPE_DEVICE, sizeof(DeviceState), .class_init = dmc_class_init },
};

DEFINE_TYPES(types)
