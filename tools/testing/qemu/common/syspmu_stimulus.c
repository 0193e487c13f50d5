// SPDX-License-Identifier: GPL-2.0
/*
 * The stimulus page: a region of registers by which tests inject events into the PMUs of the
 * machine and read their internal state. It is the same for all families, except for registers
 * that a family adds.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/reset.h"

#include "syspmu_device.h"

#define TYPE_SYSPMU_STIMULUS	"syspmu-stimulus"
#define STIMULUS_SIZE		0x1000
#define STIMULUS_ID		0x554d5053	/* "SPMU" */
#define STIMULUS_VERSION	5

#define SELECT_ALL		UINT32_MAX

#define DEFECT_KEEPS_NOTHING	1
#define DEFECT_SHARED_STORAGE	2

/* In an offset register, the page is above the offset. */
#define OFFSET_IN_PAGE		0xffff
#define OFFSET_PAGE_1		0x10000

#define ATTRIBUTES_SECURITY		0x7
#define ATTRIBUTES_NO_STREAM_ID		0x100
#define ATTRIBUTES_NON_ATTRIBUTABLE	0x200
#define ATTRIBUTES_PROTECTED_MODE	0x400

enum {
	ID		= 0x000,
	VERSION		= 0x004,
	INSTANCES	= 0x008,
	SELECT		= 0x00c,
	BASE0		= 0x010,
	BASE1		= 0x018,
	SPI		= 0x020,
	PEEK_OFFSET	= 0x028,
	PEEK_DATA	= 0x030,
	EVENT		= 0x040,
	STREAMID	= 0x044,
	ATTRIBUTES	= 0x048,
	MPAM		= 0x04c,
	INJECT		= 0x050,
	TEAR		= 0x058,
	COUNT_OFFSET	= 0x060,
	READS		= 0x068,
	WRITES		= 0x070,
	COUNT_RESET	= 0x078,
	IRQ_HOLD	= 0x080,
	IRQ_EDGES	= 0x088,
	TRAFFIC		= 0x090,
	RESET		= 0x094,
	MSI_FATE	= 0x09c,
	STEP		= 0x0a0,
	MSIS		= 0x0a8,
	DEAD		= 0x0b0,
	LOSE		= 0x0b8,
	WRITE_OFFSET	= 0x0bc,
	PRECEDE		= 0x0c0,
	READS_LEFT	= 0x0c8,
	DELAY		= 0x0cc,
	DEFECT		= 0x0d0,
	MSI_ADDRESS	= 0x0e0,
	MSI_DATA	= 0x0e8,
	MSI_ATTR	= 0x0ec,
	MSI_MPAM	= 0x0f0,
	CAPTURE		= 0x0f4,
	FAMILY		= 0x0fc,
};

/* The stimulus page. Members without a comment are its registers of these names. */
struct syspmu_stimulus {
	DeviceState parent;

	MemoryRegion region;	/* in the system's memory */
	uint64_t base;	/* its physical address */

	uint32_t select;
	uint32_t peek_offset;
	uint32_t event;
	uint32_t stream_id;
	uint32_t attributes;
	uint32_t mpam;
	uint32_t count_offset;
	uint32_t write_offset;
};

DECLARE_INSTANCE_CHECKER(struct syspmu_stimulus, SYSPMU_STIMULUS, TYPE_SYSPMU_STIMULUS)

static unsigned int page_of(uint32_t offset)
{
	return offset & OFFSET_PAGE_1 ? 1 : 0;
}

/* The event that is described by the registers. */
static struct syspmu_event described_event(const struct syspmu_stimulus *stimulus)
{
	return (struct syspmu_event) {
		.number = stimulus->event,
		.stream_id = stimulus->stream_id,
		.security = stimulus->attributes & ATTRIBUTES_SECURITY,
		.no_stream_id = stimulus->attributes & ATTRIBUTES_NO_STREAM_ID,
		.protected_mode = stimulus->attributes & ATTRIBUTES_PROTECTED_MODE,
		.non_attributable = stimulus->attributes & ATTRIBUTES_NON_ATTRIBUTABLE,
		.partid = extract32(stimulus->mpam, 0, 16),
		.pmg = extract32(stimulus->mpam, 16, 8),
		.partid_space = extract32(stimulus->mpam, 24, 2),
	};
}

static struct syspmu_accesses selected_accesses(const struct syspmu_stimulus *stimulus,
						const struct syspmu_device *dev)
{
	uint32_t offset = stimulus->count_offset;

	if (offset == SYSPMU_ALL_REGISTERS)
		return syspmu_accesses(dev->model, 0, SYSPMU_ALL_REGISTERS);
	return syspmu_accesses(dev->model, page_of(offset), offset & OFFSET_IN_PAGE);
}

/* The registers that are 64 bits wide. */
static bool wide(hwaddr offset)
{
	switch (offset) {
	case BASE0:
	case BASE1:
	case PEEK_DATA:
	case INJECT:
	case TEAR:
	case READS:
	case WRITES:
	case IRQ_EDGES:
	case STEP:
	case MSIS:
	case PRECEDE:
	case MSI_ADDRESS:
		return true;
	default:
		return false;
	}
}

static bool well_formed(hwaddr offset, unsigned int size)
{
	if (size == (wide(offset) ? 8 : 4))
		return true;
	qemu_log_mask(LOG_GUEST_ERROR, "%s: %u-byte access at 0x%" HWADDR_PRIx "\n",
		      TYPE_SYSPMU_STIMULUS, size, offset);
	return false;
}

/* Why no driver can use the PMU although its identification is valid. */
static uint32_t defect_of(const struct syspmu_config *config)
{
	if (config->dead_counters || config->inert)
		return DEFECT_KEEPS_NOTHING;
	return config->aliased_counters ? DEFECT_SHARED_STORAGE : 0;
}

/* Registers of the selected PMU; they read as zero if there is none. */
static uint64_t read_selected(const struct syspmu_stimulus *stimulus, hwaddr offset)
{
	struct syspmu_device *dev = syspmu_device_find(stimulus->select);
	const struct syspmu_device_class *class;

	if (!dev)
		return 0;
	class = SYSPMU_DEVICE_GET_CLASS(dev);
	switch (offset) {
	case BASE0:
		return dev->base[0];
	case BASE1:
		return dev->base[1];
	case SPI:
		return dev->spi;
	case PEEK_DATA:
		return syspmu_device_peek(dev, page_of(stimulus->peek_offset),
					  stimulus->peek_offset & OFFSET_IN_PAGE);
	case READS:
		return selected_accesses(stimulus, dev).reads;
	case WRITES:
		return selected_accesses(stimulus, dev).writes;
	case IRQ_HOLD:
		return syspmu_holds_interrupts(dev->model);
	case IRQ_EDGES:
		return syspmu_irq_edges(dev->model);
	case TRAFFIC:
		return dev->traffic;
	case MSI_FATE:
		return syspmu_msi_fate(dev->model);
	case STEP:
		return syspmu_steps(dev->model);
	case MSIS:
		return syspmu_messages(dev->model);
	case DEAD:
		return syspmu_is_dead(dev->model);
	case PRECEDE:
		return syspmu_preceding(dev->model);
	case READS_LEFT:
		return dev->reads_left;
	case DELAY:
		return syspmu_change_delay(dev->model);
	case DEFECT:
		return defect_of(&dev->config);
	case FAMILY:
		return class->family;
	case MSI_ADDRESS:
		return dev->last_message.address;
	case MSI_DATA:
		return dev->last_message.data;
	case MSI_ATTR:
		return dev->last_message.memory_attributes |
		       dev->last_message.shareability << 4;
	case MSI_MPAM:
		return dev->last_message.partid | dev->last_message.pmg << 16;
	default:
		return class->stimulus_read ? class->stimulus_read(dev, offset) : 0;
	}
}

static uint64_t stimulus_read(void *opaque, hwaddr offset, unsigned int size)
{
	struct syspmu_stimulus *stimulus = opaque;

	if (!well_formed(offset, size))
		return 0;
	switch (offset) {
	case ID:
		return STIMULUS_ID;
	case VERSION:
		return STIMULUS_VERSION;
	case INSTANCES:
		return syspmu_device_number();
	case SELECT:
		return stimulus->select;
	case PEEK_OFFSET:
		return stimulus->peek_offset;
	case EVENT:
		return stimulus->event;
	case STREAMID:
		return stimulus->stream_id;
	case ATTRIBUTES:
		return stimulus->attributes;
	case MPAM:
		return stimulus->mpam;
	case COUNT_OFFSET:
		return stimulus->count_offset;
	case WRITE_OFFSET:
		return stimulus->write_offset;
	default:
		return read_selected(stimulus, offset);
	}
}

/* Registers that inject events, now or later; returns false for others. */
static bool write_events(const struct syspmu_stimulus *stimulus, struct syspmu_device *dev,
			 hwaddr offset, uint64_t n)
{
	const struct syspmu_event event = described_event(stimulus);
	unsigned int page = page_of(stimulus->write_offset);
	uint32_t reg = stimulus->write_offset & OFFSET_IN_PAGE;

	switch (offset) {
	case INJECT:
		syspmu_device_inject(dev, &event, n);
		return true;
	case TEAR:
		syspmu_tear(dev->model, &event, n);
		return true;
	case STEP:
		syspmu_step(dev->model, &event, n);
		return true;
	case PRECEDE:
		syspmu_precede(dev->model, page, reg, &event, n);
		return true;
	default:
		return false;
	}
}

static void write_selected(const struct syspmu_stimulus *stimulus, struct syspmu_device *dev,
			   hwaddr offset, uint64_t value)
{
	const struct syspmu_device_class *class = SYSPMU_DEVICE_GET_CLASS(dev);

	if (write_events(stimulus, dev, offset, value))
		return;
	switch (offset) {
	case COUNT_RESET:
		if (value & 1)
			syspmu_reset_accesses(dev->model);
		break;
	case IRQ_HOLD:
		syspmu_hold_interrupts(dev->model, value & 1);
		break;
	case TRAFFIC:
		dev->traffic = value & 1;
		break;
	case RESET:
		syspmu_device_reset(dev, value);
		break;
	case MSI_FATE:
		if (value <= SYSPMU_MSI_LOST)
			syspmu_set_msi_fate(dev->model, value);
		break;
	case DEAD:
		syspmu_device_set_dead(dev, value & 1);
		break;
	case LOSE:
		syspmu_device_lose_state(dev, value);
		break;
	case READS_LEFT:
		dev->reads_left = value;
		break;
	case CAPTURE:
		if (value & 1)
			syspmu_device_request_capture(dev);
		break;
	case DELAY:
		syspmu_device_delay_changes(dev, value);
		break;
	default:
		if (class->stimulus_write)
			class->stimulus_write(dev, offset, value);
		break;
	}
}

static void stimulus_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	struct syspmu_stimulus *stimulus = opaque;
	struct syspmu_device *dev;
	uint32_t i;

	if (!well_formed(offset, size))
		return;
	switch (offset) {
	case SELECT:
		stimulus->select = value;
		return;
	case PEEK_OFFSET:
		stimulus->peek_offset = value;
		return;
	case EVENT:
		stimulus->event = value;
		return;
	case STREAMID:
		stimulus->stream_id = value;
		return;
	case ATTRIBUTES:
		stimulus->attributes = value;
		return;
	case MPAM:
		stimulus->mpam = value;
		return;
	case COUNT_OFFSET:
		stimulus->count_offset = value;
		return;
	case WRITE_OFFSET:
		stimulus->write_offset = value;
		return;
	}

	if (stimulus->select == SELECT_ALL) {
		if (offset != INJECT && offset != COUNT_RESET)
			return;
		for (i = 0; i < syspmu_device_number(); i++)
			write_selected(stimulus, syspmu_device_find(i), offset, value);
		return;
	}
	dev = syspmu_device_find(stimulus->select);
	if (dev)
		write_selected(stimulus, dev, offset, value);
}

static const MemoryRegionOps stimulus_ops = {
	.read = stimulus_read,
	.write = stimulus_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = {
		.min_access_size = 4,
		.max_access_size = 8,
	},
	.impl = {
		.min_access_size = 4,
		.max_access_size = 8,
	},
};

static void stimulus_reset(void *opaque)
{
	struct syspmu_stimulus *stimulus = opaque;

	stimulus->select = 0;
	stimulus->peek_offset = 0;
	stimulus->event = 0;
	stimulus->stream_id = 0;
	stimulus->attributes = 0;
	stimulus->mpam = 0;
	stimulus->count_offset = 0;
	stimulus->write_offset = 0;
}

static void stimulus_realize(DeviceState *dev, Error **errp)
{
	struct syspmu_stimulus *stimulus = SYSPMU_STIMULUS(dev);
	MemoryRegionSection section;

	if (!stimulus->base || stimulus->base % STIMULUS_SIZE) {
		error_setg(errp, "addr must be the address of a page");
		return;
	}
	section = memory_region_find(get_system_memory(), stimulus->base, STIMULUS_SIZE);
	if (section.mr) {
		error_setg(errp, "%s is at 0x%" PRIx64 " already",
			   memory_region_name(section.mr), stimulus->base);
		memory_region_unref(section.mr);
		return;
	}
	memory_region_init_io(&stimulus->region, OBJECT(dev), &stimulus_ops, stimulus,
			      TYPE_SYSPMU_STIMULUS, STIMULUS_SIZE);
	memory_region_add_subregion(get_system_memory(), stimulus->base, &stimulus->region);
	qemu_register_reset(stimulus_reset, stimulus);
}

static const Property stimulus_properties[] = {
	DEFINE_PROP_UINT64("addr", struct syspmu_stimulus, base, 0),
};

static const VMStateDescription stimulus_vmstate = {
	.name = TYPE_SYSPMU_STIMULUS,
	.unmigratable = 1,
};

static void stimulus_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(class);

	dc->desc = "Stimulus page for tests of system PMUs";
	dc->realize = stimulus_realize;
	dc->vmsd = &stimulus_vmstate;
	dc->hotpluggable = false;
	device_class_set_props(dc, stimulus_properties);
}

static const TypeInfo stimulus_type = {
	.name = TYPE_SYSPMU_STIMULUS,
	.parent = TYPE_DEVICE,
	.instance_size = sizeof(struct syspmu_stimulus),
	.class_init = stimulus_class_init,
};

static void stimulus_register_types(void)
{
	type_register_static(&stimulus_type);
}

type_init(stimulus_register_types)
