// SPDX-License-Identifier: GPL-2.0
/*
 * The stimulus page: a region of memory that only tests use, to make events happen in
 * the PMCGs of the machine and to look behind what their registers show.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/reset.h"

#include "smmuv3_pmcg.h"

#define TYPE_SYSPMU_STIMULUS	"syspmu-stimulus"
#define STIMULUS_SIZE		0x1000
#define STIMULUS_ID		0x554d5053	/* "SPMU" */
#define STIMULUS_VERSION	5

#define SELECT_ALL		UINT32_MAX

/* As in SMMU_PMCG_SCR, IHI 0070 §10.5.2.12. */
#define SCR_SO			0x1
#define SCR_NSRA		0x2
/* Not in SCR: as after reset. */
#define SCR_RESTORE		0x80000000

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
	ACK_DELAY	= 0x098,
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
	LIMITS		= 0x0d4,
	TEAR_WRITE	= 0x0d8,
	MSI_ADDRESS	= 0x0e0,
	MSI_DATA	= 0x0e8,
	MSI_ATTR	= 0x0ec,
	MSI_MPAM	= 0x0f0,
	CAPTURE		= 0x0f4,
	SCR		= 0x0f8,
};

/**
 * struct syspmu_stimulus - the stimulus page
 * @parent: for QOM
 * @region: in the system's memory
 * @base: its physical address
 * @select: the SELECT register
 * @peek_offset: the PEEK_OFFSET register
 * @event: the EVENT register
 * @stream_id: the STREAMID register
 * @attributes: the ATTRIBUTES register
 * @mpam: the MPAM register
 * @count_offset: the COUNT_OFFSET register
 * @write_offset: the WRITE_OFFSET register
 */
struct syspmu_stimulus {
	DeviceState parent;

	MemoryRegion region;
	uint64_t base;

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

/* The event that the registers describe. */
static struct pmcg_event described_event(const struct syspmu_stimulus *stimulus)
{
	return (struct pmcg_event) {
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

static struct pmcg_accesses selected_accesses(const struct syspmu_stimulus *stimulus,
					      const struct smmuv3_pmcg *pmcg)
{
	uint32_t offset = stimulus->count_offset;

	if (offset == PMCG_ALL_REGISTERS)
		return pmcg_accesses(&pmcg->model, 0, PMCG_ALL_REGISTERS);
	return pmcg_accesses(&pmcg->model, page_of(offset), offset & OFFSET_IN_PAGE);
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
	case TEAR_WRITE:
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

/* Why no driver may use it, where its identification looks sound. */
static uint32_t defect_of(const struct pmcg_config *config)
{
	if (config->dead_counters || config->inert)
		return DEFECT_KEEPS_NOTHING;
	return config->aliased_counters ? DEFECT_SHARED_STORAGE : 0;
}

/* Registers that show the selected PMCG; without one they read as zero. */
static uint64_t read_selected(const struct syspmu_stimulus *stimulus, hwaddr offset)
{
	struct smmuv3_pmcg *pmcg = smmuv3_pmcg_find(stimulus->select);

	if (!pmcg)
		return 0;
	switch (offset) {
	case BASE0:
		return pmcg->base[0];
	case BASE1:
		return pmcg->base[1];
	case SPI:
		return pmcg->spi;
	case PEEK_DATA:
		return smmuv3_pmcg_peek(pmcg, page_of(stimulus->peek_offset),
					stimulus->peek_offset & OFFSET_IN_PAGE);
	case READS:
		return selected_accesses(stimulus, pmcg).reads;
	case WRITES:
		return selected_accesses(stimulus, pmcg).writes;
	case IRQ_HOLD:
		return pmcg_holds_interrupts(&pmcg->model);
	case IRQ_EDGES:
		return pmcg_interrupt_edges(&pmcg->model);
	case TRAFFIC:
		return pmcg->traffic;
	case ACK_DELAY:
		return pmcg_acknowledgment_delay(&pmcg->model);
	case MSI_FATE:
		return pmcg_msi_fate(&pmcg->model);
	case STEP:
		return pmcg_steps(&pmcg->model);
	case MSIS:
		return pmcg_messages(&pmcg->model);
	case DEAD:
		return pmcg_is_dead(&pmcg->model);
	case PRECEDE:
		return pmcg_preceding(&pmcg->model);
	case READS_LEFT:
		return pmcg->reads_left;
	case DELAY:
		return pmcg_change_delay(&pmcg->model);
	case DEFECT:
		return defect_of(&pmcg->config);
	case TEAR_WRITE:
		return pmcg_write_tears(&pmcg->model);
	case MSI_ADDRESS:
		return pmcg->last_message.address;
	case MSI_DATA:
		return pmcg->last_message.data;
	case MSI_ATTR:
		return pmcg->last_message.memory_attributes |
		       pmcg->last_message.shareability << 4;
	case MSI_MPAM:
		return pmcg->last_message.partid | pmcg->last_message.pmg << 16;
	case SCR:
		return (pmcg_nsra(&pmcg->model) ? SCR_NSRA : 0) |
		       (pmcg_secure_observation(&pmcg->model) ? SCR_SO : 0);
	case LIMITS:
		return pmcg->config.partid_max | pmcg->config.pmg_max << 16;
	default:
		return 0;
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
		return smmuv3_pmcg_number();
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

static void write_selected(const struct syspmu_stimulus *stimulus, struct smmuv3_pmcg *pmcg,
			   hwaddr offset, uint64_t value)
{
	struct pmcg_event event = described_event(stimulus);

	switch (offset) {
	case INJECT:
		smmuv3_pmcg_inject(pmcg, &event, value);
		break;
	case TEAR:
		pmcg_tear(&pmcg->model, &event, value);
		break;
	case COUNT_RESET:
		if (value & 1)
			pmcg_reset_accesses(&pmcg->model);
		break;
	case IRQ_HOLD:
		pmcg_hold_interrupts(&pmcg->model, value & 1);
		break;
	case TRAFFIC:
		pmcg->traffic = value & 1;
		break;
	case RESET:
		smmuv3_pmcg_reset(pmcg, value);
		break;
	case ACK_DELAY:
		pmcg_delay_acknowledgment(&pmcg->model, value);
		break;
	case MSI_FATE:
		if (value <= PMCG_MSI_LOST)
			pmcg_set_msi_fate(&pmcg->model, value);
		break;
	case STEP:
		pmcg_step(&pmcg->model, &event, value);
		break;
	case DEAD:
		smmuv3_pmcg_set_dead(pmcg, value & 1);
		break;
	case LOSE:
		smmuv3_pmcg_lose_state(pmcg, value);
		break;
	case PRECEDE:
		pmcg_precede(&pmcg->model, page_of(stimulus->write_offset),
			     stimulus->write_offset & OFFSET_IN_PAGE, &event, value);
		break;
	case READS_LEFT:
		pmcg->reads_left = value;
		break;
	case TEAR_WRITE:
		pmcg_tear_write(&pmcg->model, page_of(stimulus->write_offset),
				stimulus->write_offset & OFFSET_IN_PAGE, &event, value);
		break;
	case CAPTURE:
		if (value & 1)
			smmuv3_pmcg_request_capture(pmcg);
		break;
	case SCR:
		if (value & SCR_RESTORE)
			pmcg_set_secure_control(&pmcg->model, pmcg->config.nsra,
						pmcg->config.secure_observation);
		else
			pmcg_set_secure_control(&pmcg->model, value & SCR_NSRA, value & SCR_SO);
		break;
	case DELAY:
		smmuv3_pmcg_delay_changes(pmcg, value);
		break;
	}
}

static void stimulus_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	struct syspmu_stimulus *stimulus = opaque;
	struct smmuv3_pmcg *pmcg;
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
		for (i = 0; i < smmuv3_pmcg_number(); i++)
			write_selected(stimulus, smmuv3_pmcg_find(i), offset, value);
		return;
	}
	pmcg = smmuv3_pmcg_find(stimulus->select);
	if (pmcg)
		write_selected(stimulus, pmcg, offset, value);
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
