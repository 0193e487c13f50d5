// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU of the CoreSight PMU Architecture (IHI 0091) as a device of the emulated machine.
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/qdev-properties.h"

#include "coresight_pmu.h"

/* IHI 0091 chapter 3 */
#define PMINTENCLR		0xc60

/* A register of the stimulus page that only this family has: the state of the agent. */
#define STIMULUS_AGENT		0x100
#define AGENT_HALTED		0x1
#define AGENT_SECOND_STATE	0x2
#define AGENT_NO_CAPTURE	0x4
#define AGENT_STUCK		0x8

/* In FAMILY of the stimulus page. */
#define FAMILY_CORESIGHT	1

/* Numbers up to 255, separated by colons; false: it is something else, or too many. */
static bool parse_numbers(const char *list, uint8_t *numbers, unsigned int room,
			  unsigned int *count)
{
	unsigned int value;

	for (*count = 0; *count < room; list++) {
		if (qemu_strtoui(list, &list, 0, &value) < 0 && *list != ':')
			return false;
		if (value > UINT8_MAX)
			return false;
		numbers[(*count)++] = value;
		if (*list != ':')
			return !*list;
	}
	return false;
}

static bool parse_lists(struct coresight_pmu *pmu, Error **errp)
{
	struct coresight_config *config = &pmu->config;
	uint8_t widths[CORESIGHT_MAX_MONITORS];
	unsigned int count, number = 0, i;
	struct syspmu_bits numbers;

	if (pmu->groups && !parse_numbers(pmu->groups, config->group_size, CORESIGHT_MAX_GROUPS,
					  &config->groups)) {
		error_setg(errp, "groups=%s is no list of group sizes", pmu->groups);
		return false;
	}
	if (!pmu->widths)
		return true;
	if (!parse_numbers(pmu->widths, widths, ARRAY_SIZE(widths), &count)) {
		error_setg(errp, "widths=%s is no list of widths", pmu->widths);
		return false;
	}
	/* Where the groups begin depends on whether any monitor has more than 32 bits. */
	for (i = 0; i < count; i++)
		config->bits = MAX(i ? config->bits : 0, widths[i]);
	coresight_numbers(config, &numbers);
	for (i = 0; i < CORESIGHT_MAX_MONITORS; i++) {
		if (syspmu_test_bit(&numbers, i))
			config->width[i] = widths[number++ % count];
	}
	return true;
}

static uint64_t window_read(void *opaque, hwaddr offset, unsigned int size)
{
	struct coresight_pmu *pmu = opaque;

	return coresight_window_read(&pmu->model, offset);
}

static void window_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	struct coresight_pmu *pmu = opaque;

	coresight_window_write(&pmu->model, offset, value);
}

static const MemoryRegionOps window_ops = {
	.read = window_read,
	.write = window_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void map_window(struct coresight_pmu *pmu)
{
	memory_region_init_io(&pmu->window, OBJECT(pmu), &window_ops, pmu, "coresight-window",
			      SYSPMU_PAGE_SIZE);
	memory_region_add_subregion(get_system_memory(), pmu->apmt.window, &pmu->window);
}

static struct syspmu_model *make_model(struct syspmu_device *dev, const struct syspmu_owner *owner,
				       Error **errp)
{
	struct coresight_pmu *pmu = CORESIGHT_PMU(dev);
	struct coresight_config *config = &pmu->config;
	struct coresight_config defaults;
	const char *message;

	coresight_default_config(&defaults);
	config->common = dev->config;
	config->gauges.word[0] = pmu->gauges;
	config->fixed.word[0] = pmu->fixed;
	config->unfiltered.word[0] = pmu->unfiltered;
	config->filter = pmu->filter_sources ? CORESIGHT_FILTER_SOURCES : CORESIGHT_FILTER_VALUE;
	config->filter2 = pmu->filter2;
	config->halt = pmu->halt;
	if (!config->peripheral_id)
		config->peripheral_id = config->iidr ?: defaults.peripheral_id;
	if (!parse_lists(pmu, errp))
		return NULL;
	if (config->snapshot)
		coresight_set_layout(config, pmu->layout);
	message = coresight_init(&pmu->model, config, owner);
	if (message) {
		error_setg(errp, "%s", message);
		return NULL;
	}
	if (pmu->apmt.window)
		map_window(pmu);
	return &pmu->model.model;
}

/* The values that the model has for an ordinary PMU; properties are set after that. */
static void set_defaults(Object *object)
{
	struct coresight_pmu *pmu = CORESIGHT_PMU(object);

	coresight_default_config(&pmu->config);
	pmu->config.peripheral_id = 0;
}

/*
 * With PMCFGR.NA, software stops the PMU to write a register, too. Before it lets the power go, it
 * disables the interrupts.
 */
static bool stops(struct syspmu_device *dev, unsigned int page, uint32_t offset, uint64_t value)
{
	return page == 0 && offset == PMINTENCLR && !syspmu_is_armed(dev->model);
}

static uint32_t stimulus_read(struct syspmu_device *dev, uint32_t offset)
{
	return offset == STIMULUS_AGENT ? CORESIGHT_PMU(dev)->agent : 0;
}

static void stimulus_write(struct syspmu_device *dev, uint32_t offset, uint32_t value)
{
	struct coresight_pmu *pmu = CORESIGHT_PMU(dev);

	if (offset != STIMULUS_AGENT)
		return;
	pmu->agent = value & (AGENT_HALTED | AGENT_SECOND_STATE | AGENT_NO_CAPTURE |
			      AGENT_STUCK);
	coresight_set_agent(&pmu->model, value & AGENT_HALTED, value & AGENT_SECOND_STATE);
	coresight_prohibit_capture(&pmu->model, value & AGENT_NO_CAPTURE);
	coresight_stick(&pmu->model, value & AGENT_STUCK);
}

#define PMU_BOOL(name, field) \
	DEFINE_PROP_BOOL(name, struct coresight_pmu, config.field, false)
/* The value that is not given is the model's own. */
#define PMU_UINT8(name, field) \
	DEFINE_PROP_UNSIGNED_NODEFAULT(name, struct coresight_pmu, config.field, qdev_prop_uint8, \
				       uint8_t)
#define PMU_UINT32(name, field) \
	DEFINE_PROP_UNSIGNED_NODEFAULT(name, struct coresight_pmu, config.field, qdev_prop_uint32, \
				       uint32_t)
#define PMU_UINT64(name, field) \
	DEFINE_PROP_UNSIGNED_NODEFAULT(name, struct coresight_pmu, config.field, qdev_prop_uint64, \
				       uint64_t)

static const Property coresight_properties[] = {
	PMU_UINT32("counters", monitors),
	DEFINE_PROP_STRING("groups", struct coresight_pmu, groups),
	PMU_UINT32("bits", bits),
	DEFINE_PROP_STRING("widths", struct coresight_pmu, widths),
	DEFINE_PROP_UINT64("gauges", struct coresight_pmu, gauges, 0),
	PMU_UINT64("step", step),
	DEFINE_PROP_UINT64("fixed", struct coresight_pmu, fixed, 0),
	PMU_UINT32("first-fixed", first_fixed),
	PMU_UINT32("type-bits", type_bits),
	PMU_UINT32("type-value", type_value),
	PMU_UINT32("filter-bits", filter_bits),
	DEFINE_PROP_UINT64("unfiltered", struct coresight_pmu, unfiltered, 0),
	DEFINE_PROP_BOOL("filter-sources", struct coresight_pmu, filter_sources, false),
	PMU_UINT32("filter2-bits", filter2_bits),
	DEFINE_PROP_UINT32("filter2", struct coresight_pmu, filter2, CORESIGHT_FILTER2_VALUE),
	PMU_BOOL("ext64", ext64),
	PMU_BOOL("read-only-values", read_only_values),
	PMU_BOOL("no-write-access", no_write_access),
	PMU_BOOL("no-interrupts", no_interrupts),
	PMU_BOOL("no-overflow-set", no_overflow_set),
	PMU_BOOL("cycle-counter", cycle_counter),
	PMU_UINT32("cycle-counter-bits", cycle_counter_bits),
	PMU_UINT32("cycle-filter-bits", cycle_filter_bits),
	PMU_BOOL("prescaler", prescaler),
	PMU_BOOL("cycle-counter-at-03c", cycle_counter_at_03c),
	PMU_BOOL("no-cycle-counter-at-07c", no_cycle_counter_at_07c),
	PMU_BOOL("cycle-counter-in-group", cycle_counter_in_group),
	PMU_BOOL("freeze", freeze),
	DEFINE_PROP_UINT32("halt", struct coresight_pmu, halt, CORESIGHT_HALT_COUNTS),
	PMU_BOOL("chain", chain),
	PMU_UINT32("chain-event", chain_event),
	PMU_UINT32("chain-reads", chain_reads),
	PMU_BOOL("snapshot", snapshot),
	DEFINE_PROP_UINT32("layout", struct coresight_pmu, layout, CORESIGHT_LAYOUT_ASCENDING),
	PMU_BOOL("snapshot-reset", snapshot_reset),
	PMU_BOOL("snapshot-signal", snapshot_signal),
	PMU_BOOL("trace", trace),
	PMU_BOOL("export", export_events),
	PMU_BOOL("msi", msi),
	PMU_BOOL("msi-always", msi_always),
	PMU_BOOL("msi-attributes", msi_attributes),
	PMU_BOOL("msi-secure", msi_secure),
	PMU_BOOL("msi-enabled", msi_enabled),
	PMU_BOOL("dual-page", dual_page),
	PMU_UINT32("impdef", impdef),
	PMU_UINT32("ceid0", ceid[0]),
	PMU_UINT32("ceid1", ceid[1]),
	PMU_UINT32("iidr", iidr),
	DEFINE_PROP_BOOL("coresight-ids", struct coresight_pmu, config.coresight_ids, true),
	PMU_UINT32("peripheral-id", peripheral_id),
	PMU_UINT8("customer-modified", customer_modified),
	PMU_UINT32("devarch", devarch),
	PMU_UINT32("authstatus", authstatus),
	PMU_BOOL("closed", closed),
	PMU_BOOL("false-cfgr", false_cfgr),
	PMU_UINT32("cfgr", cfgr),
	DEFINE_PROP_BOOL("apmt", struct coresight_pmu, apmt.present, true),
	DEFINE_PROP_UINT8("apmt-type", struct coresight_pmu, apmt.type, 0),
	DEFINE_PROP_UINT32("apmt-id", struct coresight_pmu, apmt.id, 0),
	DEFINE_PROP_UINT64("apmt-primary", struct coresight_pmu, apmt.primary, 0),
	DEFINE_PROP_STRING("apmt-hid", struct coresight_pmu, apmt.hid),
	DEFINE_PROP_UINT32("apmt-secondary", struct coresight_pmu, apmt.secondary, 0),
	DEFINE_PROP_BOOL("apmt-processor", struct coresight_pmu, apmt.processor, false),
	DEFINE_PROP_UINT32("apmt-affinity", struct coresight_pmu, apmt.affinity, 2),
	DEFINE_PROP_UINT32("apmt-implementation", struct coresight_pmu, apmt.implementation, 0),
	DEFINE_PROP_UINT64("apmt-address", struct coresight_pmu, apmt.address, 0),
	DEFINE_PROP_UINT32("instance-id", struct coresight_pmu, apmt.instance,
			   CORESIGHT_NO_INSTANCE),
	DEFINE_PROP_UINT64("window", struct coresight_pmu, apmt.window, 0),
	DEFINE_PROP_UINT16("apmt-length", struct coresight_pmu, apmt.length, 56),
	DEFINE_PROP_UINT8("apmt-toggled-flags", struct coresight_pmu, apmt.toggled_flags, 0),
	DEFINE_PROP_UINT32("apmt-toggled-irq-flags", struct coresight_pmu,
			   apmt.toggled_irq_flags, 0),
};

static void coresight_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(class);
	struct syspmu_device_class *sdc = SYSPMU_DEVICE_CLASS(class);

	dc->desc = "CoreSight Performance Monitoring Unit";
	device_class_set_props(dc, coresight_properties);
	sdc->family = FAMILY_CORESIGHT;
	sdc->make_model = make_model;
	sdc->stops = stops;
	sdc->stimulus_read = stimulus_read;
	sdc->stimulus_write = stimulus_write;
}

static const TypeInfo coresight_type = {
	.name = TYPE_CORESIGHT_PMU,
	.parent = TYPE_SYSPMU_DEVICE,
	.instance_size = sizeof(struct coresight_pmu),
	.instance_init = set_defaults,
	.class_init = coresight_class_init,
};

static void coresight_register_types(void)
{
	type_register_static(&coresight_type);
}

type_init(coresight_register_types)
