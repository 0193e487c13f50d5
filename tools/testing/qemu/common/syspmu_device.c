// SPDX-License-Identifier: GPL-2.0
/*
 * The model of a PMU as a device of the emulated machine.
 *
 * The device maps itself at the addresses in its properties and looks up the interrupt
 * controller by itself, so that any number of PMUs can be added from the command line to
 * an unmodified machine.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/arm/smmuv3.h"
#include "hw/irq.h"
#include "hw/intc/arm_gic_common.h"
#include "hw/intc/arm_gicv3_common.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/reset.h"
#include "system/runstate.h"
#include "system/system.h"

#include "syspmu_device.h"

#define GIC_FIRST_PPI		16
#define GIC_INTERNAL_INTERRUPTS	32

static QTAILQ_HEAD(, syspmu_device) all_pmus = QTAILQ_HEAD_INITIALIZER(all_pmus);

/* qemu_set_irq() ignores an irq that is not connected. */
static void drive_irq(void *opaque, bool level)
{
	struct syspmu_device *dev = opaque;

	qemu_set_irq(dev->irq, level);
}

/* The interrupt controller identifies the device by its requester ID. */
static bool deliver_msi(void *opaque, const struct syspmu_message *message)
{
	struct syspmu_device *dev = opaque;
	MemTxAttrs attributes = { .requester_id = dev->msi_device_id };
	MemTxResult result;

	dev->last_message = *message;
	address_space_stl_le(&address_space_memory, message->address, message->data, attributes,
			     &result);
	return result == MEMTX_OK;
}

static uint64_t cycles_now(const struct syspmu_device *dev)
{
	return muldiv64(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), dev->cycles_frequency,
			NANOSECONDS_PER_SECOND);
}

/* Make the model count the cycles since the last call. */
static void catch_up(struct syspmu_device *dev)
{
	uint64_t now;

	g_assert(bql_locked());
	if (!dev->cycles_frequency)
		return;
	now = cycles_now(dev);
	syspmu_clock(dev->model, now - dev->cycles_done);
	dev->cycles_done = now;
}

/* Between accesses, the model only has to run if cycles make a counter overflow. */
static void set_overflow_timer(struct syspmu_device *dev)
{
	uint64_t cycles, last;

	if (!dev->cycles_frequency)
		return;
	cycles = syspmu_cycles_to_overflow(dev->model);
	/* With some margin, so that the time can be rounded up without an overflow. */
	last = muldiv64(INT64_MAX / 2, dev->cycles_frequency, NANOSECONDS_PER_SECOND);
	if (dev->cycles_done >= last || cycles >= last - dev->cycles_done) {
		timer_del(&dev->overflow_timer);
		return;
	}
	timer_mod(&dev->overflow_timer,
		  muldiv64_round_up(dev->cycles_done + cycles, NANOSECONDS_PER_SECOND,
				    dev->cycles_frequency));
}

static void overflow_timer_expired(void *opaque)
{
	struct syspmu_device *dev = opaque;

	catch_up(dev);
	set_overflow_timer(dev);
}

static uint64_t page_read(void *opaque, hwaddr offset, unsigned int size)
{
	struct syspmu_device_page *page = opaque;
	struct syspmu_device *dev = page->dev;
	uint64_t value;

	catch_up(dev);
	value = syspmu_read(dev->model, page->index, offset, size);
	if (dev->reads_left && !--dev->reads_left)
		syspmu_device_set_dead(dev, true);
	set_overflow_timer(dev);
	return value;
}

static void page_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	struct syspmu_device_page *page = opaque;
	struct syspmu_device *dev = page->dev;

	catch_up(dev);
	dev->written = true;
	syspmu_write(dev->model, page->index, offset, size, value);
	if (dev->loses_state &&
	    SYSPMU_DEVICE_GET_CLASS(dev)->stops(dev, page->index, offset, value)) {
		dev->loses_state = false;
		syspmu_device_reset(dev, dev->lost_seed);
	}
	set_overflow_timer(dev);
}

static bool page_accepts(void *opaque, hwaddr offset, unsigned int size, bool is_write,
			 MemTxAttrs attributes)
{
	const struct syspmu_device_page *page = opaque;

	return !syspmu_access_faults(page->dev->model, page->index, offset, size);
}

/* Accesses of any size and alignment are passed to the model, which handles them. */
static const MemoryRegionOps page_ops = {
	.read = page_read,
	.write = page_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = {
		.min_access_size = 1,
		.max_access_size = 8,
		.unaligned = true,
		.accepts = page_accepts,
	},
	.impl = {
		.min_access_size = 1,
		.max_access_size = 8,
		.unaligned = true,
	},
};

uint32_t syspmu_device_number(void)
{
	struct syspmu_device *dev;
	uint32_t number = 0;

	QTAILQ_FOREACH(dev, &all_pmus, next)
		number++;
	return number;
}

struct syspmu_device *syspmu_device_find(uint32_t index)
{
	struct syspmu_device *dev;

	QTAILQ_FOREACH(dev, &all_pmus, next) {
		if (!index--)
			return dev;
	}
	return NULL;
}

void syspmu_device_inject(struct syspmu_device *dev, const struct syspmu_event *event, uint64_t n)
{
	catch_up(dev);
	syspmu_inject(dev->model, event, n);
	set_overflow_timer(dev);
}

void syspmu_device_traffic(const char *type, const struct syspmu_event *event, uint64_t n,
			   bool (*sees)(struct syspmu_device *dev,
					const struct syspmu_event *event))
{
	struct syspmu_device *dev;

	QTAILQ_FOREACH(dev, &all_pmus, next) {
		/* Most PMUs are idle: it takes time to look at the clock of each of them. */
		if (dev->traffic && syspmu_can_count(dev->model) &&
		    g_str_equal(object_get_typename(OBJECT(dev)), type) &&
		    (!sees || sees(dev, event)))
			syspmu_device_inject(dev, event, n);
	}
}

uint64_t syspmu_device_peek(struct syspmu_device *dev, unsigned int page, uint32_t offset)
{
	catch_up(dev);
	set_overflow_timer(dev);
	return syspmu_peek(dev->model, page, offset);
}

void syspmu_device_set_dead(struct syspmu_device *dev, bool dead)
{
	catch_up(dev);
	dev->reads_left = 0;
	syspmu_set_dead(dev->model, dead);
	set_overflow_timer(dev);
}

void syspmu_device_delay_changes(struct syspmu_device *dev, uint32_t events)
{
	catch_up(dev);
	syspmu_delay_changes(dev->model, events);
	set_overflow_timer(dev);
}

void syspmu_device_request_capture(struct syspmu_device *dev)
{
	catch_up(dev);
	set_overflow_timer(dev);
	syspmu_request_capture(dev->model);
}

void syspmu_device_reset(struct syspmu_device *dev, uint64_t seed)
{
	syspmu_reset(dev->model, seed);
	memset(&dev->last_message, 0, sizeof(dev->last_message));
	if (dev->cycles_frequency)
		dev->cycles_done = cycles_now(dev);
	timer_del(&dev->overflow_timer);
}

void syspmu_device_lose_state(struct syspmu_device *dev, uint64_t seed)
{
	dev->loses_state = true;
	dev->lost_seed = seed;
}

static void system_reset(void *opaque)
{
	struct syspmu_device *dev = opaque;

	dev->loses_state = false;
	dev->written = false;
	syspmu_device_reset(dev, dev->seed);
	syspmu_hold_interrupts(dev->model, false);
	dev->traffic = true;
	syspmu_device_set_dead(dev, dev->config.dead);
}

static bool has_interrupt(const struct syspmu_device *dev)
{
	return dev->spi != SYSPMU_DEVICE_NO_SPI || dev->ppi;
}

/* The inputs of the GIC are first the shared interrupts and then the private ones of each CPU. */
static qemu_irq find_interrupt(const struct syspmu_device *dev, Error **errp)
{
	Object *gic = object_resolve_path_type("", TYPE_ARM_GICV3_COMMON, NULL);
	uint64_t shared, cpus;

	if (!gic)
		gic = object_resolve_path_type("", TYPE_ARM_GIC_COMMON, NULL);
	if (!gic) {
		error_setg(errp, "the machine has not exactly one Arm GIC");
		return NULL;
	}
	shared = object_property_get_uint(gic, "num-irq", &error_abort) - GIC_INTERNAL_INTERRUPTS;
	if (dev->spi != SYSPMU_DEVICE_NO_SPI) {
		if (dev->spi < shared)
			return qdev_get_gpio_in(DEVICE(gic), dev->spi);
		error_setg(errp, "the GIC has no SPI %" PRIu32, dev->spi);
		return NULL;
	}
	cpus = object_property_get_uint(gic, "num-cpu", &error_abort);
	if (dev->ppi >= GIC_FIRST_PPI && dev->ppi < GIC_INTERNAL_INTERRUPTS && dev->ppi_cpu < cpus)
		return qdev_get_gpio_in(DEVICE(gic), shared +
					dev->ppi_cpu * GIC_INTERNAL_INTERRUPTS + dev->ppi);
	error_setg(errp, "the GIC has no PPI %" PRIu32 " of CPU %" PRIu32, dev->ppi, dev->ppi_cpu);
	return NULL;
}

/*
 * A PMU that may count or interrupt at power-off was not shut down properly, unless firmware has
 * left it in this state and software has never written to it.
 */
static void check_at_shutdown(Notifier *notifier, void *data)
{
	struct syspmu_device *dev = container_of(notifier, struct syspmu_device, shutdown);

	if (dev->written && syspmu_is_armed(dev->model))
		qemu_log_mask(LOG_GUEST_ERROR,
			      "%s: the one at 0x%" PRIx64 " is still armed at power-off\n",
			      object_get_typename(OBJECT(dev)), dev->base[0]);
}

/* The address is IMPLEMENTATION DEFINED (IHI 0070 §10.5): it may be inside the SMMU's pages. */
static bool check_page(uint64_t base, Error **errp)
{
	MemoryRegionSection section;
	bool free;

	if (!base || base % SYSPMU_PAGE_SIZE) {
		error_setg(errp, "0x%" PRIx64 " is not the address of a page", base);
		return false;
	}
	section = memory_region_find(get_system_memory(), base, SYSPMU_PAGE_SIZE);
	if (!section.mr)
		return true;
	free = object_dynamic_cast(memory_region_owner(section.mr), TYPE_ARM_SMMUV3);
	if (!free)
		error_setg(errp, "%s is at 0x%" PRIx64 " already",
			   memory_region_name(section.mr), base);
	memory_region_unref(section.mr);
	return free;
}

static bool check_pages(const struct syspmu_device *dev, Error **errp)
{
	if (syspmu_has_two_pages(dev->model) && !dev->base[1]) {
		error_setg(errp, "registers in page 1 need addr1");
		return false;
	}
	if (!check_page(dev->base[0], errp) || (dev->base[1] && !check_page(dev->base[1], errp)))
		return false;
	if (dev->base[0] == dev->base[1]) {
		error_setg(errp, "addr and addr1 are the same");
		return false;
	}
	return true;
}

static void map_page(struct syspmu_device *dev, unsigned int index)
{
	struct syspmu_device_page *page = &dev->page[index];

	page->dev = dev;
	page->index = index;
	memory_region_init_io(&page->region, OBJECT(dev), &page_ops, page,
			      object_get_typename(OBJECT(dev)), SYSPMU_PAGE_SIZE);
	memory_region_add_subregion_overlap(get_system_memory(), dev->base[index], &page->region,
					    1);
}

static void syspmu_device_realize(DeviceState *state, Error **errp)
{
	struct syspmu_device *dev = SYSPMU_DEVICE(state);
	const struct syspmu_owner owner = { drive_irq, deliver_msi, dev };

	dev->config.split_accesses = !dev->atomic64;
	dev->model = SYSPMU_DEVICE_GET_CLASS(dev)->make_model(dev, &owner, errp);
	if (!dev->model || !check_pages(dev, errp))
		return;
	if (has_interrupt(dev)) {
		dev->irq = find_interrupt(dev, errp);
		if (!dev->irq)
			return;
	}

	timer_init_ns(&dev->overflow_timer, QEMU_CLOCK_VIRTUAL, overflow_timer_expired, dev);
	map_page(dev, 0);
	if (dev->base[1])
		map_page(dev, 1);
	QTAILQ_INSERT_TAIL(&all_pmus, dev, next);
	/* The device is not on a bus that would reset it. */
	qemu_register_reset(system_reset, dev);
	dev->shutdown.notify = check_at_shutdown;
	qemu_register_shutdown_notifier(&dev->shutdown);
}

#define CONFIG_BOOL(name, field) \
	DEFINE_PROP_BOOL(name, struct syspmu_device, config.field, false)

static const Property syspmu_device_properties[] = {
	DEFINE_PROP_UINT64("addr", struct syspmu_device, base[0], 0),
	DEFINE_PROP_UINT64("addr1", struct syspmu_device, base[1], 0),
	DEFINE_PROP_UINT32("spi", struct syspmu_device, spi, SYSPMU_DEVICE_NO_SPI),
	DEFINE_PROP_UINT32("ppi", struct syspmu_device, ppi, 0),
	DEFINE_PROP_UINT32("ppi-cpu", struct syspmu_device, ppi_cpu, 0),
	DEFINE_PROP_UINT16("msi-device-id", struct syspmu_device, msi_device_id, 0),
	DEFINE_PROP_UINT64("seed", struct syspmu_device, seed, 0),
	DEFINE_PROP_UINT32("cycles-frequency", struct syspmu_device, cycles_frequency, 0),
	DEFINE_PROP_BOOL("atomic64", struct syspmu_device, atomic64, true),
	CONFIG_BOOL("high-first", high_first),
	CONFIG_BOOL("no-64-bit-accesses", wide_faults),
	CONFIG_BOOL("pairs-fault", pair_faults),
	CONFIG_BOOL("edge-beside-msi", irq_beside_msi),
	CONFIG_BOOL("edge", irq_edge),
	CONFIG_BOOL("read-only-counters", read_only_counters),
	CONFIG_BOOL("stuck-enable", stuck_enable),
	CONFIG_BOOL("dead-counters", dead_counters),
	CONFIG_BOOL("aliased-counters", aliased_counters),
	CONFIG_BOOL("inert", inert),
	CONFIG_BOOL("running", running),
	CONFIG_BOOL("dead", dead),
};

static const VMStateDescription syspmu_device_vmstate = {
	.name = TYPE_SYSPMU_DEVICE,
	.unmigratable = 1,
};

static void syspmu_device_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(class);

	dc->realize = syspmu_device_realize;
	dc->vmsd = &syspmu_device_vmstate;
	dc->hotpluggable = false;
	device_class_set_props(dc, syspmu_device_properties);
}

static const TypeInfo syspmu_device_type = {
	.name = TYPE_SYSPMU_DEVICE,
	.parent = TYPE_DEVICE,
	.abstract = true,
	.instance_size = sizeof(struct syspmu_device),
	.class_size = sizeof(struct syspmu_device_class),
	.class_init = syspmu_device_class_init,
};

static void syspmu_device_register_types(void)
{
	type_register_static(&syspmu_device_type);
}

type_init(syspmu_device_register_types)
