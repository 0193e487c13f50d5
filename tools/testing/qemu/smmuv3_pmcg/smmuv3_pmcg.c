// SPDX-License-Identifier: GPL-2.0
/*
 * The PMCG as a device of the emulated machine, and the events of the emulated SMMUv3.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"

#include "pmcg.h"
#include "smmuv3_pmcg_hooks.h"
#include "syspmu_device.h"

#define TYPE_SMMUV3_PMCG	"smmuv3-pmcg"

/* SMMU_PMCG_CR, IHI 0070 §10.5.2.13 */
#define CR			0xe04
#define CR_E			0x1

/* Registers of the stimulus page that only a PMCG has. */
#define STIMULUS_ACK_DELAY	0x098
#define STIMULUS_LIMITS		0x0d4
#define STIMULUS_SCR		0x0f8

/* As in SMMU_PMCG_SCR, IHI 0070 §10.5.2.12. */
#define SCR_SO			0x1
#define SCR_NSRA		0x2
/* Not in SCR: restores the value after reset. */
#define SCR_RESTORE		0x80000000

/* Event numbers of IHI 0070 §10.3. */
enum {
	EVENT_TRANSACTION = 1,
	EVENT_TLB_MISS,
	EVENT_CONFIG_CACHE_MISS,
	EVENT_TABLE_WALK_ACCESS,
	EVENT_CONFIG_ACCESS,
};

/* The part of the SMMU that a PMCG is in. */
enum unit {
	UNIT_SMMU,	/* an SMMU that is one unit */
	UNIT_TBU,	/* a translation buffer unit, which has a TLB for some StreamIDs */
	UNIT_TCU,	/* the translation control unit, which walks tables for all TBUs */
};

static const char * const unit_names[] = {
	[UNIT_SMMU] = "smmu",
	[UNIT_TBU] = "tbu",
	[UNIT_TCU] = "tcu",
};

/* A PMCG in the emulated machine. */
struct smmuv3_pmcg {
	struct syspmu_device parent;

	struct pmcg model;	/* what software sees and what counts */
	struct pmcg_config config;	/* of @model, from the properties */
	char *unit_name;	/* of @unit */
	enum unit unit;	/* where in the SMMU it is */
	/* The lowest StreamID whose transactions come through @unit */
	uint32_t first_stream_id;
	uint32_t last_stream_id;	/* the highest one */
};

DECLARE_INSTANCE_CHECKER(struct smmuv3_pmcg, SMMUV3_PMCG, TYPE_SMMUV3_PMCG)

/* The transaction that the emulated SMMU is processing. */
static struct {
	uint32_t stream_id;
	bool missed_tlb;
} current_transaction;

static bool has_stream(const struct smmuv3_pmcg *pmcg, const struct syspmu_event *event)
{
	return event->stream_id >= pmcg->first_stream_id &&
	       event->stream_id <= pmcg->last_stream_id;
}

static bool seen_at_entry(struct syspmu_device *dev, const struct syspmu_event *event)
{
	struct smmuv3_pmcg *pmcg = SMMUV3_PMCG(dev);

	return pmcg->unit != UNIT_TCU && has_stream(pmcg, event);
}

static bool seen_by_tcu(struct syspmu_device *dev, const struct syspmu_event *event)
{
	return SMMUV3_PMCG(dev)->unit == UNIT_TCU;
}

/* Of a TBU and of the TCU: what the one misses is what the other walks for. */
static bool seen_by_both(struct syspmu_device *dev, const struct syspmu_event *event)
{
	return has_stream(SMMUV3_PMCG(dev), event);
}

static bool seen_at_walk(struct syspmu_device *dev, const struct syspmu_event *event)
{
	struct smmuv3_pmcg *pmcg = SMMUV3_PMCG(dev);

	return pmcg->unit != UNIT_TBU && has_stream(pmcg, event);
}

/* The emulated SMMU has neither Security states nor MPAM: PARTID 0, all Non-secure. */
static void smmu_event(uint32_t number, bool (*sees)(struct syspmu_device *dev,
						     const struct syspmu_event *event))
{
	const struct syspmu_event event = {
		.number = number,
		.stream_id = current_transaction.stream_id,
		.security = SYSPMU_NON_SECURE,
		.partid_space = SYSPMU_PARTID_NON_SECURE,
	};

	syspmu_device_traffic(TYPE_SMMUV3_PMCG, &event, 1, sees);
}

void smmuv3_pmcg_transaction(uint32_t stream_id)
{
	current_transaction.stream_id = stream_id;
	current_transaction.missed_tlb = false;
	smmu_event(EVENT_TRANSACTION, seen_at_entry);
}

void smmuv3_pmcg_config_miss(uint32_t stream_id)
{
	current_transaction.stream_id = stream_id;
	smmu_event(EVENT_CONFIG_CACHE_MISS, seen_at_walk);
}

void smmuv3_pmcg_config_access(void)
{
	smmu_event(EVENT_CONFIG_ACCESS, seen_at_walk);
}

void smmuv3_pmcg_tlb_miss(void)
{
	if (current_transaction.missed_tlb)
		return;
	current_transaction.missed_tlb = true;
	/* To the TCU, what a TBU asks is a transaction. */
	smmu_event(EVENT_TRANSACTION, seen_by_tcu);
	smmu_event(EVENT_TLB_MISS, seen_by_both);
}

void smmuv3_pmcg_table_access(void)
{
	smmu_event(EVENT_TABLE_WALK_ACCESS, seen_at_walk);
}

static bool find_unit(struct smmuv3_pmcg *pmcg, Error **errp)
{
	unsigned int unit;

	if (pmcg->first_stream_id > pmcg->last_stream_id) {
		error_setg(errp, "no StreamID is from first-stream-id to last-stream-id");
		return false;
	}
	for (unit = 0; pmcg->unit_name && unit < G_N_ELEMENTS(unit_names); unit++) {
		if (g_str_equal(pmcg->unit_name, unit_names[unit])) {
			pmcg->unit = unit;
			return true;
		}
	}
	if (pmcg->unit_name)
		error_setg(errp, "unit is smmu, tbu or tcu");
	return !pmcg->unit_name;
}

static struct syspmu_model *make_model(struct syspmu_device *dev, const struct syspmu_owner *owner,
				       Error **errp)
{
	struct smmuv3_pmcg *pmcg = SMMUV3_PMCG(dev);
	struct pmcg_config *config = &pmcg->config;
	struct pmcg_config defaults;
	const char *message;

	if (!find_unit(pmcg, errp))
		return NULL;
	pmcg_default_config(&defaults);
	config->common = dev->config;
	config->address_bits = defaults.address_bits;
	if (!config->peripheral_id)
		config->peripheral_id = config->iidr ?: defaults.peripheral_id;

	message = pmcg_init(&pmcg->model, config, owner);
	if (message) {
		error_setg(errp, "%s", message);
		return NULL;
	}
	return &pmcg->model.model;
}

static bool stops(struct syspmu_device *dev, unsigned int page, uint32_t offset, uint64_t value)
{
	return page == 0 && offset == CR && !(value & CR_E);
}

static uint32_t stimulus_read(struct syspmu_device *dev, uint32_t offset)
{
	const struct smmuv3_pmcg *pmcg = SMMUV3_PMCG(dev);

	switch (offset) {
	case STIMULUS_ACK_DELAY:
		return pmcg_acknowledgment_delay(&pmcg->model);
	case STIMULUS_LIMITS:
		return pmcg->config.partid_max | pmcg->config.pmg_max << 16;
	case STIMULUS_SCR:
		return (pmcg_nsra(&pmcg->model) ? SCR_NSRA : 0) |
		       (pmcg_secure_observation(&pmcg->model) ? SCR_SO : 0);
	default:
		return 0;
	}
}

static void stimulus_write(struct syspmu_device *dev, uint32_t offset, uint32_t value)
{
	struct smmuv3_pmcg *pmcg = SMMUV3_PMCG(dev);

	switch (offset) {
	case STIMULUS_ACK_DELAY:
		pmcg_delay_acknowledgment(&pmcg->model, value);
		break;
	case STIMULUS_SCR:
		if (value & SCR_RESTORE)
			pmcg_set_secure_control(&pmcg->model, pmcg->config.nsra,
						pmcg->config.secure_observation);
		else
			pmcg_set_secure_control(&pmcg->model, value & SCR_NSRA, value & SCR_SO);
		break;
	}
}

#define PMCG_BOOL(name, field, value) \
	DEFINE_PROP_BOOL(name, struct smmuv3_pmcg, config.field, value)

static const Property pmcg_properties[] = {
	PMCG_BOOL("msi", msi, false),
	DEFINE_PROP_STRING("unit", struct smmuv3_pmcg, unit_name),
	DEFINE_PROP_UINT32("first-stream-id", struct smmuv3_pmcg, first_stream_id, 0),
	DEFINE_PROP_UINT32("last-stream-id", struct smmuv3_pmcg, last_stream_id, UINT32_MAX),
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
	PMCG_BOOL("no-span", no_span, false),
	PMCG_BOOL("secure", secure, false),
	PMCG_BOOL("nsra", nsra, true),
	PMCG_BOOL("secure-observation", secure_observation, false),
	PMCG_BOOL("root", root, false),
	PMCG_BOOL("root-observation", root_observation, false),
	PMCG_BOOL("realm-observation", realm_observation, false),
};

static void pmcg_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(class);
	struct syspmu_device_class *sdc = SYSPMU_DEVICE_CLASS(class);

	dc->desc = "SMMUv3 Performance Monitor Counter Group";
	device_class_set_props(dc, pmcg_properties);
	sdc->make_model = make_model;
	sdc->stops = stops;
	sdc->stimulus_read = stimulus_read;
	sdc->stimulus_write = stimulus_write;
}

static const TypeInfo pmcg_type = {
	.name = TYPE_SMMUV3_PMCG,
	.parent = TYPE_SYSPMU_DEVICE,
	.instance_size = sizeof(struct smmuv3_pmcg),
	.class_init = pmcg_class_init,
};

static void pmcg_register_types(void)
{
	type_register_static(&pmcg_type);
}

type_init(pmcg_register_types)
