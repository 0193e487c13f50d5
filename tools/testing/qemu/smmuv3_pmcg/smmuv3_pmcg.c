// SPDX-License-Identifier: GPL-2.0
/*
 * The PMCG model as a device of the emulated machine.
 *
 * The device is no part of the machine's own description: it maps itself at the
 * addresses it is given and finds the interrupt controller on its own, so that any
 * number of PMCGs can be added to an unchanged board from the command line.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/irq.h"
#include "hw/intc/arm_gic_common.h"
#include "hw/intc/arm_gicv3_common.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/reset.h"
#include "system/runstate.h"
#include "system/system.h"

#include "smmuv3_pmcg.h"
#include "smmuv3_pmcg_hooks.h"

#define GIC_INTERNAL_INTERRUPTS 32

/* SMMU_PMCG_CR, IHI 0070 §10.5.2.13 */
#define CR			0xe04
#define CR_E			0x1

/* Event numbers of IHI 0070 §10.3. */
enum {
	EVENT_CYCLES,
	EVENT_TRANSACTION,
	EVENT_TLB_MISS,
	EVENT_CONFIG_CACHE_MISS,
	EVENT_TABLE_WALK_ACCESS,
	EVENT_CONFIG_ACCESS,
};

DECLARE_INSTANCE_CHECKER(struct smmuv3_pmcg, SMMUV3_PMCG, TYPE_SMMUV3_PMCG)

static QTAILQ_HEAD(, smmuv3_pmcg) all_pmcgs = QTAILQ_HEAD_INITIALIZER(all_pmcgs);

/* The transaction that the emulated SMMU is at work on. */
static struct {
	uint32_t stream_id;
	bool missed_tlb;
} current_transaction;

static void deliver_interrupt(void *opaque)
{
	struct smmuv3_pmcg *pmcg = opaque;

	qemu_irq_pulse(pmcg->irq);
}

/* The interrupt controller knows the device by its requester ID. */
static bool deliver_msi(void *opaque, const struct pmcg_message *message)
{
	struct smmuv3_pmcg *pmcg = opaque;
	MemTxAttrs attributes = { .requester_id = pmcg->msi_device_id };
	MemTxResult result;

	pmcg->last_message = *message;
	address_space_stl_le(&address_space_memory, message->address, message->data, attributes,
			     &result);
	return result == MEMTX_OK;
}

static uint64_t cycles_now(const struct smmuv3_pmcg *pmcg)
{
	return muldiv64(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), pmcg->cycles_frequency,
			NANOSECONDS_PER_SECOND);
}

/* Tell the model of the cycles since it was last told. */
static void catch_up(struct smmuv3_pmcg *pmcg)
{
	static const struct pmcg_event cycle = { .number = EVENT_CYCLES };
	uint64_t now;

	g_assert(bql_locked());
	if (!pmcg->cycles_frequency)
		return;
	now = cycles_now(pmcg);
	pmcg_event(&pmcg->model, &cycle, now - pmcg->cycles_done);
	pmcg->cycles_done = now;
}

/* Between accesses, only an overflow by cycles needs the model to run. */
static void set_overflow_timer(struct smmuv3_pmcg *pmcg)
{
	uint64_t cycles, last;

	if (!pmcg->cycles_frequency)
		return;
	cycles = pmcg_cycles_to_overflow(&pmcg->model);
	/* Some bits of margin, so that the last time rounded up is still a time. */
	last = muldiv64(INT64_MAX / 2, pmcg->cycles_frequency, NANOSECONDS_PER_SECOND);
	if (pmcg->cycles_done >= last || cycles >= last - pmcg->cycles_done) {
		timer_del(&pmcg->overflow_timer);
		return;
	}
	timer_mod(&pmcg->overflow_timer,
		  muldiv64_round_up(pmcg->cycles_done + cycles, NANOSECONDS_PER_SECOND,
				    pmcg->cycles_frequency));
}

static void overflow_timer_expired(void *opaque)
{
	struct smmuv3_pmcg *pmcg = opaque;

	catch_up(pmcg);
	set_overflow_timer(pmcg);
}

static uint64_t page_read(void *opaque, hwaddr offset, unsigned int size)
{
	struct smmuv3_pmcg_page *page = opaque;
	uint64_t value;

	catch_up(page->pmcg);
	value = pmcg_read(&page->pmcg->model, page->index, offset, size);
	if (page->pmcg->reads_left && !--page->pmcg->reads_left)
		smmuv3_pmcg_set_dead(page->pmcg, true);
	set_overflow_timer(page->pmcg);
	return value;
}

static void page_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	struct smmuv3_pmcg_page *page = opaque;
	struct smmuv3_pmcg *pmcg = page->pmcg;

	catch_up(pmcg);
	pmcg_write(&pmcg->model, page->index, offset, size, value);
	if (pmcg->loses_state && page->index == 0 && offset == CR && !(value & CR_E)) {
		pmcg->loses_state = false;
		smmuv3_pmcg_reset(pmcg, pmcg->lost_seed);
	}
	set_overflow_timer(pmcg);
}

/* The model, not the memory core, decides about accesses of odd size or alignment. */
static const MemoryRegionOps page_ops = {
	.read = page_read,
	.write = page_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = {
		.min_access_size = 1,
		.max_access_size = 8,
		.unaligned = true,
	},
	.impl = {
		.min_access_size = 1,
		.max_access_size = 8,
		.unaligned = true,
	},
};

uint32_t smmuv3_pmcg_number(void)
{
	struct smmuv3_pmcg *pmcg;
	uint32_t number = 0;

	QTAILQ_FOREACH(pmcg, &all_pmcgs, next)
		number++;
	return number;
}

struct smmuv3_pmcg *smmuv3_pmcg_find(uint32_t index)
{
	struct smmuv3_pmcg *pmcg;

	QTAILQ_FOREACH(pmcg, &all_pmcgs, next) {
		if (!index--)
			return pmcg;
	}
	return NULL;
}

void smmuv3_pmcg_inject(struct smmuv3_pmcg *pmcg, const struct pmcg_event *event, uint64_t n)
{
	catch_up(pmcg);
	pmcg_event(&pmcg->model, event, n);
	set_overflow_timer(pmcg);
}

uint64_t smmuv3_pmcg_peek(struct smmuv3_pmcg *pmcg, unsigned int page, uint32_t offset)
{
	catch_up(pmcg);
	set_overflow_timer(pmcg);
	return pmcg_peek(&pmcg->model, page, offset);
}

void smmuv3_pmcg_set_dead(struct smmuv3_pmcg *pmcg, bool dead)
{
	catch_up(pmcg);
	pmcg->reads_left = 0;
	pmcg_set_dead(&pmcg->model, dead);
	set_overflow_timer(pmcg);
}

void smmuv3_pmcg_delay_changes(struct smmuv3_pmcg *pmcg, uint32_t events)
{
	catch_up(pmcg);
	pmcg_delay_changes(&pmcg->model, events);
	set_overflow_timer(pmcg);
}

void smmuv3_pmcg_request_capture(struct smmuv3_pmcg *pmcg)
{
	catch_up(pmcg);
	set_overflow_timer(pmcg);
	pmcg_request_capture(&pmcg->model);
}

/* The emulated SMMU knows neither Security states nor MPAM: PARTID 0, all Non-secure. */
static void smmu_event(uint32_t number)
{
	const struct pmcg_event event = {
		.number = number,
		.stream_id = current_transaction.stream_id,
		.security = PMCG_NON_SECURE,
		.partid_space = PMCG_PARTID_NON_SECURE,
	};
	struct smmuv3_pmcg *pmcg;

	QTAILQ_FOREACH(pmcg, &all_pmcgs, next) {
		if (pmcg->traffic)
			smmuv3_pmcg_inject(pmcg, &event, 1);
	}
}

void smmuv3_pmcg_transaction(uint32_t stream_id)
{
	current_transaction.stream_id = stream_id;
	current_transaction.missed_tlb = false;
	smmu_event(EVENT_TRANSACTION);
}

void smmuv3_pmcg_config_miss(uint32_t stream_id)
{
	current_transaction.stream_id = stream_id;
	smmu_event(EVENT_CONFIG_CACHE_MISS);
}

void smmuv3_pmcg_config_access(void)
{
	smmu_event(EVENT_CONFIG_ACCESS);
}

void smmuv3_pmcg_tlb_miss(void)
{
	if (current_transaction.missed_tlb)
		return;
	current_transaction.missed_tlb = true;
	smmu_event(EVENT_TLB_MISS);
}

void smmuv3_pmcg_table_access(void)
{
	smmu_event(EVENT_TABLE_WALK_ACCESS);
}

static bool no_stream_id(uint32_t number)
{
	return false;
}

void smmuv3_pmcg_reset(struct smmuv3_pmcg *pmcg, uint64_t seed)
{
	pmcg_reset(&pmcg->model, seed);
	memset(&pmcg->last_message, 0, sizeof(pmcg->last_message));
	if (pmcg->cycles_frequency)
		pmcg->cycles_done = cycles_now(pmcg);
	timer_del(&pmcg->overflow_timer);
}

void smmuv3_pmcg_lose_state(struct smmuv3_pmcg *pmcg, uint64_t seed)
{
	pmcg->loses_state = true;
	pmcg->lost_seed = seed;
}

static void pmcg_device_reset(void *opaque)
{
	struct smmuv3_pmcg *pmcg = opaque;

	pmcg->loses_state = false;

	smmuv3_pmcg_reset(pmcg, pmcg->seed);
	pmcg_hold_interrupts(&pmcg->model, false);
	pmcg->traffic = true;
	smmuv3_pmcg_set_dead(pmcg, pmcg->config.dead);
}

static qemu_irq find_interrupt(uint32_t spi, Error **errp)
{
	Object *gic = object_resolve_path_type("", TYPE_ARM_GICV3_COMMON, NULL);
	uint64_t interrupts;

	if (!gic)
		gic = object_resolve_path_type("", TYPE_ARM_GIC_COMMON, NULL);
	if (!gic) {
		error_setg(errp, "the machine has not exactly one Arm GIC");
		return NULL;
	}
	interrupts = object_property_get_uint(gic, "num-irq", &error_abort);
	if (spi >= interrupts - GIC_INTERNAL_INTERRUPTS) {
		error_setg(errp, "the GIC has no SPI %" PRIu32, spi);
		return NULL;
	}
	return qdev_get_gpio_in(DEVICE(gic), spi);
}

/* Nothing may count or interrupt any more: the next kernel would not know why. */
static void look_at_shutdown(Notifier *notifier, void *data)
{
	struct smmuv3_pmcg *pmcg = container_of(notifier, struct smmuv3_pmcg, shutdown);

	if (pmcg_is_armed(&pmcg->model))
		qemu_log_mask(LOG_GUEST_ERROR,
			      "%s: the one at 0x%" PRIx64 " is still armed at power-off\n",
			      TYPE_SMMUV3_PMCG, pmcg->base[0]);
}

static bool check_page(uint64_t base, Error **errp)
{
	MemoryRegionSection section;

	if (!base || base % PMCG_PAGE_SIZE) {
		error_setg(errp, "0x%" PRIx64 " is not the address of a page", base);
		return false;
	}
	section = memory_region_find(get_system_memory(), base, PMCG_PAGE_SIZE);
	if (section.mr) {
		error_setg(errp, "%s is at 0x%" PRIx64 " already",
			   memory_region_name(section.mr), base);
		memory_region_unref(section.mr);
		return false;
	}
	return true;
}

static void map_page(struct smmuv3_pmcg *pmcg, unsigned int index)
{
	struct smmuv3_pmcg_page *page = &pmcg->page[index];

	page->pmcg = pmcg;
	page->index = index;
	memory_region_init_io(&page->region, OBJECT(pmcg), &page_ops, page, TYPE_SMMUV3_PMCG,
			      PMCG_PAGE_SIZE);
	memory_region_add_subregion(get_system_memory(), pmcg->base[index], &page->region);
}

static void pmcg_realize(DeviceState *dev, Error **errp)
{
	struct smmuv3_pmcg *pmcg = SMMUV3_PMCG(dev);
	struct pmcg_config *config = &pmcg->config;
	struct pmcg_config defaults;
	const char *message;

	pmcg_default_config(&defaults);
	config->address_bits = defaults.address_bits;
	config->split_accesses = !pmcg->atomic64;
	if (!pmcg->imp_def_by_stream_id)
		config->imp_def_by_stream_id = no_stream_id;
	if (!config->peripheral_id)
		config->peripheral_id = config->iidr ?: defaults.peripheral_id;

	message = pmcg_init(&pmcg->model, config, deliver_interrupt, deliver_msi, pmcg);
	if (message) {
		error_setg(errp, "%s", message);
		return;
	}
	if (config->relocate && !pmcg->base[1]) {
		error_setg(errp, "relocate needs addr1");
		return;
	}
	if (!check_page(pmcg->base[0], errp) || (pmcg->base[1] && !check_page(pmcg->base[1], errp)))
		return;
	if (pmcg->base[0] == pmcg->base[1]) {
		error_setg(errp, "addr and addr1 are the same");
		return;
	}
	/* A pulse of an interrupt that is not connected goes nowhere. */
	if (pmcg->spi != SMMUV3_PMCG_NO_SPI) {
		pmcg->irq = find_interrupt(pmcg->spi, errp);
		if (!pmcg->irq)
			return;
	}

	timer_init_ns(&pmcg->overflow_timer, QEMU_CLOCK_VIRTUAL, overflow_timer_expired, pmcg);
	map_page(pmcg, 0);
	if (pmcg->base[1])
		map_page(pmcg, 1);
	QTAILQ_INSERT_TAIL(&all_pmcgs, pmcg, next);
	/* There is no bus that would pass a reset on. */
	qemu_register_reset(pmcg_device_reset, pmcg);
	pmcg->shutdown.notify = look_at_shutdown;
	qemu_register_shutdown_notifier(&pmcg->shutdown);
}

#define PMCG_BOOL(name, field, value) \
	DEFINE_PROP_BOOL(name, struct smmuv3_pmcg, config.field, value)

static const Property pmcg_properties[] = {
	DEFINE_PROP_UINT64("addr", struct smmuv3_pmcg, base[0], 0),
	DEFINE_PROP_UINT64("addr1", struct smmuv3_pmcg, base[1], 0),
	DEFINE_PROP_UINT32("spi", struct smmuv3_pmcg, spi, SMMUV3_PMCG_NO_SPI),
	PMCG_BOOL("msi", msi, false),
	DEFINE_PROP_UINT16("msi-device-id", struct smmuv3_pmcg, msi_device_id, 0),
	DEFINE_PROP_UINT64("seed", struct smmuv3_pmcg, seed, 0),
	DEFINE_PROP_UINT32("cycles-frequency", struct smmuv3_pmcg, cycles_frequency, 0),
	DEFINE_PROP_BOOL("atomic64", struct smmuv3_pmcg, atomic64, true),
	PMCG_BOOL("high-first", high_first, false),
	PMCG_BOOL("write-high-first", write_high_first, false),
	PMCG_BOOL("edge-beside-msi", edge_beside_msi, false),
	DEFINE_PROP_BOOL("imp-def-by-stream-id", struct smmuv3_pmcg, imp_def_by_stream_id, true),
	DEFINE_PROP_UINT32("counters", struct smmuv3_pmcg, config.counters, 8),
	DEFINE_PROP_UINT32("size", struct smmuv3_pmcg, config.size, 63),
	DEFINE_PROP_UINT32("event-bits", struct smmuv3_pmcg, config.event_bits, 16),
	DEFINE_PROP_UINT32("sid-bits", struct smmuv3_pmcg, config.stream_id_bits, 32),
	PMCG_BOOL("global-filter", global_filter, false),
	PMCG_BOOL("relocate", relocate, false),
	PMCG_BOOL("capture", capture, false),
	PMCG_BOOL("mpam", mpam, false),
	PMCG_BOOL("partid-pmg-filter", filter_partid_pmg, false),
	DEFINE_PROP_UINT16("partid-max", struct smmuv3_pmcg, config.partid_max, 0),
	DEFINE_PROP_UINT8("pmg-max", struct smmuv3_pmcg, config.pmg_max, 0),
	PMCG_BOOL("mpamidr-needs-mpam", mpamidr_needs_mpam, false),
	DEFINE_PROP_UINT16("secure-partid-max", struct smmuv3_pmcg, config.secure_partid_max, 0),
	DEFINE_PROP_UINT8("secure-pmg-max", struct smmuv3_pmcg, config.secure_pmg_max, 0),
	DEFINE_PROP_UINT64("ceid0", struct smmuv3_pmcg, config.ceid0, 0xff),
	DEFINE_PROP_UINT64("ceid1", struct smmuv3_pmcg, config.ceid1, 0),
	DEFINE_PROP_UINT32("iidr", struct smmuv3_pmcg, config.iidr, 0x4832143b),
	DEFINE_PROP_UINT32("aidr", struct smmuv3_pmcg, config.aidr, 5),
	PMCG_BOOL("coresight-ids", coresight_ids, true),
	DEFINE_PROP_UINT32("peripheral-id", struct smmuv3_pmcg, config.peripheral_id, 0),
	DEFINE_PROP_UINT8("customer-modified", struct smmuv3_pmcg, config.customer_modified, 0),
	PMCG_BOOL("secure", secure, false),
	PMCG_BOOL("nsra", nsra, true),
	PMCG_BOOL("secure-observation", secure_observation, false),
	PMCG_BOOL("secure-non-attributable", secure_non_attributable, false),
	PMCG_BOOL("root", root, false),
	PMCG_BOOL("granular-data-isolation", granular_data_isolation, false),
	PMCG_BOOL("root-observation", root_observation, false),
	PMCG_BOOL("realm-observation", realm_observation, false),
	PMCG_BOOL("root-non-attributable", root_non_attributable, false),
	PMCG_BOOL("system-agent-observation", system_agent_observation, false),
	PMCG_BOOL("protected-mode-observation", protected_mode_observation, false),
	PMCG_BOOL("match-all-by-state", match_all_by_state, false),
	PMCG_BOOL("realm-sid-needs-rlo", realm_sid_needs_rlo, false),
	PMCG_BOOL("state-beside-partid", state_beside_partid, false),
	PMCG_BOOL("config-events-by-partid", config_events_by_partid, false),
	PMCG_BOOL("imp-def-by-partid", imp_def_by_partid, false),
	PMCG_BOOL("read-only-counters", read_only_counters, false),
	PMCG_BOOL("stuck-enable", stuck_enable, false),
	PMCG_BOOL("dead-counters", dead_counters, false),
	PMCG_BOOL("aliased-counters", aliased_counters, false),
	PMCG_BOOL("inert", inert, false),
	PMCG_BOOL("running", running, false),
	PMCG_BOOL("dead", dead, false),
};

static const VMStateDescription pmcg_vmstate = {
	.name = TYPE_SMMUV3_PMCG,
	.unmigratable = 1,
};

static void pmcg_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(class);

	dc->desc = "SMMUv3 Performance Monitor Counter Group";
	dc->realize = pmcg_realize;
	dc->vmsd = &pmcg_vmstate;
	dc->hotpluggable = false;
	device_class_set_props(dc, pmcg_properties);
}

static const TypeInfo pmcg_type = {
	.name = TYPE_SMMUV3_PMCG,
	.parent = TYPE_DEVICE,
	.instance_size = sizeof(struct smmuv3_pmcg),
	.class_init = pmcg_class_init,
};

static void pmcg_register_types(void)
{
	type_register_static(&pmcg_type);
}

type_init(pmcg_register_types)
