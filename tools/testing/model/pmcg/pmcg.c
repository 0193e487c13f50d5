// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a PMCG and their access rules: IHI 0070 §10.5.
 */
#include "pmcg_private.h"

static bool has_filter(const struct pmcg_config *config, unsigned int index)
{
	return !config->global_filter || index == 0;
}

/* §10.5.2.2: which fields of EVTYPERn exist. */
static uint32_t type_mask(const struct pmcg_config *config, unsigned int index)
{
	uint32_t mask = (uint32_t)syspmu_ones(config->event_bits);

	if (config->capture)
		mask |= PMCG_EVTYPER_OVFCAP;
	if (!has_filter(config, index))
		return mask;

	if (!config->no_span)
		mask |= PMCG_EVTYPER_FILTER_SID_SPAN;
	if (config->secure)
		mask |= PMCG_EVTYPER_FILTER_SEC_SID;
	if (config->root)
		mask |= PMCG_EVTYPER_FILTER_REALM_SID;
	if (config->filter_partid_pmg) {
		mask |= PMCG_EVTYPER_FILTER_PARTID | PMCG_EVTYPER_FILTER_PMG;
		mask |= config->root ? PMCG_EVTYPER_FILTER_MPAM_SP :
				       PMCG_EVTYPER_FILTER_MPAM_SP_LOW;
	}
	return mask;
}

/* All bits of SMRn that either of its two layouts stores. */
static uint32_t match_mask(const struct pmcg_config *config, unsigned int index)
{
	uint32_t mask = (uint32_t)syspmu_ones(config->stream_id_bits);

	if (!has_filter(config, index))
		return 0;
	return config->filter_partid_pmg ? mask | PMCG_SMR_PARTID | PMCG_SMR_PMG : mask;
}

static uint64_t irq_address_mask(const struct pmcg_config *config)
{
	return syspmu_ones(config->address_bits) & ~syspmu_ones(PMCG_IRQ_CFG0_ADDR_LOW);
}

static uint32_t type_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct pmcg *pmcg = const_pmcg(model);

	return index < pmcg->config.counters ? pmcg->type[index] : 0;
}

static void type_write(struct syspmu_model *model, unsigned int index, unsigned int word,
		       uint32_t value)
{
	struct pmcg *pmcg = to_pmcg(model);

	if (index < pmcg->config.counters)
		pmcg->type[index] = value & type_mask(&pmcg->config, index);
}

static uint32_t shadow_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct pmcg *pmcg = const_pmcg(model);

	if (!pmcg->config.capture || index >= pmcg->config.counters)
		return 0;
	return syspmu_word(pmcg->shadow[index], word);
}

/*
 * EVTYPERn selects one of two layouts of SMRn. Bits that the selected layout does not have
 * are RAZ/WI (§10.5.2.4), and keep their value for the other one.
 */
static uint32_t match_layout(const struct pmcg *pmcg, unsigned int index)
{
	if (index >= pmcg->config.counters || !has_filter(&pmcg->config, index))
		return 0;
	if (pmcg_partid_filtered(pmcg->type[index]))
		return PMCG_SMR_PARTID | PMCG_SMR_PMG;
	return (uint32_t)syspmu_ones(pmcg->config.stream_id_bits);
}

static uint32_t match_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct pmcg *pmcg = const_pmcg(model);

	return index < pmcg->config.counters ?
	       pmcg->stream_match[index] & match_layout(pmcg, index) : 0;
}

static void match_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			uint32_t value)
{
	struct pmcg *pmcg = to_pmcg(model);
	uint32_t layout = match_layout(pmcg, index);

	if (index < pmcg->config.counters)
		pmcg->stream_match[index] = (pmcg->stream_match[index] & ~layout) |
					    (value & layout);
}

static void capture_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	struct pmcg *pmcg = to_pmcg(model);

	if (pmcg->config.capture && value & PMCG_CAPR_CAPTURE)
		pmcg_capture(pmcg);
}

static uint32_t cfgr_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct pmcg_config *config = &const_pmcg(model)->config;
	uint32_t value = (config->counters - 1) << PMCG_CFGR_NCTR_SHIFT |
			 config->size << PMCG_CFGR_SIZE_SHIFT;

	if (config->relocate)
		value |= PMCG_CFGR_RELOC_CTRS;
	if (config->msi)
		value |= PMCG_CFGR_MSI;
	if (config->capture)
		value |= PMCG_CFGR_CAPTURE;
	if (config->global_filter)
		value |= PMCG_CFGR_SID_FILTER_TYPE;
	if (config->mpam)
		value |= PMCG_CFGR_MPAM;
	if (config->filter_partid_pmg)
		value |= PMCG_CFGR_FILTER_PARTID_PMG;
	return value;
}

static uint32_t control_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	return const_pmcg(model)->control;
}

static void control_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	to_pmcg(model)->control = value & PMCG_CR_E;
}

static uint32_t iidr_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	return const_pmcg(model)->config.iidr;
}

static uint32_t ceid_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct pmcg *pmcg = const_pmcg(model);

	return syspmu_word(index ? pmcg->config.ceid1 : pmcg->config.ceid0, word);
}

/* Only Root software can write ROOTCR, so it has the configured value (§10.5.2.18). */
static uint32_t rootcr_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct pmcg_config *config = &const_pmcg(model)->config;
	uint32_t value = 0;

	if (config->root)
		value |= PMCG_ROOTCR_ROOTCR_IMPL;
	if (config->root_observation)
		value |= PMCG_ROOTCR_RTO;
	if (config->realm_observation)
		value |= PMCG_ROOTCR_RLO;
	return value;
}

static uint32_t irq_ctrl_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word)
{
	return const_pmcg(model)->irq_control;
}

static void irq_ctrl_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value)
{
	pmcg_update_irqen(to_pmcg(model), value);
}

static uint32_t irq_ctrlack_read(const struct syspmu_model *model, unsigned int index,
				 unsigned int word)
{
	return const_pmcg(model)->irq_acknowledged;
}

/* IRQ_CFG0 to 2 are guarded by IRQEN and by its acknowledgment (§10.5.2.21). */
static bool irq_cfg_writable(const struct pmcg *pmcg)
{
	return pmcg->config.msi &&
	       !((pmcg->irq_control | pmcg->irq_acknowledged) & PMCG_IRQ_CTRL_IRQEN);
}

static uint32_t irq_cfg0_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word)
{
	const struct pmcg *pmcg = const_pmcg(model);

	return syspmu_word(pmcg->irq_address, word);
}

static void irq_cfg0_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value)
{
	struct pmcg *pmcg = to_pmcg(model);

	if (irq_cfg_writable(pmcg))
		pmcg->irq_address = syspmu_with_word(pmcg->irq_address, word, value) &
				    irq_address_mask(&pmcg->config);
}

static uint32_t irq_cfg1_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word)
{
	return const_pmcg(model)->irq_data;
}

static void irq_cfg1_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value)
{
	struct pmcg *pmcg = to_pmcg(model);

	if (irq_cfg_writable(pmcg))
		pmcg->irq_data = value;
}

static uint32_t irq_cfg2_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word)
{
	return const_pmcg(model)->irq_attributes;
}

static void irq_cfg2_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value)
{
	struct pmcg *pmcg = to_pmcg(model);

	if (irq_cfg_writable(pmcg))
		pmcg->irq_attributes = value & PMCG_IRQ_CFG2_IMPLEMENTED;
}

static uint32_t irq_status_read(const struct syspmu_model *model, unsigned int index,
				unsigned int word)
{
	return const_pmcg(model)->irq_status;
}

static uint32_t gmpam_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	return const_pmcg(model)->gmpam;
}

/* The bits required for the larger of two limits. */
static uint32_t limit_mask(uint32_t limit, uint32_t other)
{
	uint32_t mask = 0;

	while (mask < limit || mask < other)
		mask = mask << 1 | 1;
	return mask;
}

/*
 * §10.5.2.25 permits ignoring a write without Update. An Update completes at once, so
 * UPDATE always reads as zero.
 */
static void gmpam_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			uint32_t value)
{
	struct pmcg *pmcg = to_pmcg(model);
	const struct pmcg_config *config = &pmcg->config;

	if (!config->mpam || !(value & PMCG_GMPAM_UPDATE))
		return;
	pmcg->gmpam = value & (limit_mask(config->partid_max, config->secure_partid_max) |
			       limit_mask(config->pmg_max, config->secure_pmg_max) <<
			       PMCG_GMPAM_PO_PMG_SHIFT);
}

static uint32_t aidr_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	return const_pmcg(model)->config.aidr;
}

static uint32_t mpamidr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	const struct pmcg_config *config = &const_pmcg(model)->config;

	if (!config->mpam && (!config->filter_partid_pmg || config->mpamidr_needs_mpam))
		return 0;
	return (uint32_t)config->pmg_max << PMCG_MPAMIDR_PMG_MAX_SHIFT | config->partid_max;
}

/* §10.5.2.29 */
static uint32_t id_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct pmcg *pmcg = const_pmcg(model);
	uint32_t id = pmcg->config.peripheral_id;
	uint32_t part = id >> PMCG_IIDR_PRODUCT_SHIFT;
	uint32_t variant = id >> PMCG_IIDR_VARIANT_SHIFT & 0xf;
	uint32_t revision = id >> PMCG_IIDR_REVISION_SHIFT & 0xf;
	uint32_t designer = id & PMCG_IIDR_DESIGNER;

	if (!pmcg->config.coresight_ids)
		return 0;

	switch (PMCG_ID_REGS + 4 * index) {
	case PMCG_PMDEVARCH:
		return PMCG_PMDEVARCH_VALUE;
	case PMCG_PMDEVTYPE:
		return PMCG_PMDEVTYPE_VALUE;
	case PMCG_PIDR0:
		return part & 0xff;
	case PMCG_PIDR1:
		return (designer & 0xf) << 4 | part >> 8;
	case PMCG_PIDR2:
		return variant << 4 | PMCG_PIDR2_JEDEC | designer >> 4;
	case PMCG_PIDR3:
		return revision << 4 | pmcg->config.customer_modified;
	case PMCG_PIDR4:
		return id >> PMCG_IIDR_CONTINUATION_SHIFT & 0xf;
	case PMCG_CIDR0:
		return PMCG_CIDR0_VALUE;
	case PMCG_CIDR1:
		return PMCG_CIDR1_VALUE;
	case PMCG_CIDR2:
		return PMCG_CIDR2_VALUE;
	case PMCG_CIDR3:
		return PMCG_CIDR3_VALUE;
	default:
		return 0;
	}
}

/*
 * EVCNTRn, the shadows and everything else that CFGR.RELOC_CTRS moves are in page 1. SCR, its
 * alias and S_MPAMIDR are only for Secure and Root software, and CAPR reads as zero.
 */
static const struct syspmu_register registers[] = {
	{ PMCG_EVCNTR, 0x200, SYSPMU_COUNTER_WIDTH, SYSPMU_PAGE_1 | SYSPMU_COUNT,
	  syspmu_counter_read, syspmu_counter_write },
	{ PMCG_EVTYPER, 0x100, 4, SYSPMU_PAGE_0, type_read, type_write },
	{ PMCG_SVR, 0x200, SYSPMU_COUNTER_WIDTH, SYSPMU_PAGE_1 | SYSPMU_COUNT, shadow_read, NULL },
	{ PMCG_SMR, 0x100, 4, SYSPMU_PAGE_0, match_read, match_write },
	{ PMCG_CNTENSET, 8, 8, SYSPMU_PAGE_0, syspmu_enable_read, syspmu_enable_set },
	{ PMCG_CNTENCLR, 8, 8, SYSPMU_PAGE_0, syspmu_enable_read, syspmu_enable_clear },
	{ PMCG_INTENSET, 8, 8, SYSPMU_PAGE_0, syspmu_irq_enable_read, syspmu_irq_enable_set },
	{ PMCG_INTENCLR, 8, 8, SYSPMU_PAGE_0, syspmu_irq_enable_read, syspmu_irq_enable_clear },
	{ PMCG_OVSCLR, 8, 8, SYSPMU_PAGE_1, syspmu_overflow_read, syspmu_overflow_clear },
	/* In this model, overflows set by software have no side effects (§10.5.2.10). */
	{ PMCG_OVSSET, 8, 8, SYSPMU_PAGE_1, syspmu_overflow_read, syspmu_overflow_set },
	{ PMCG_CAPR, 4, 4, SYSPMU_PAGE_1, NULL, capture_write },
	{ PMCG_CFGR, 4, 4, SYSPMU_PAGE_0 | SYSPMU_IDENTITY, cfgr_read, NULL },
	{ PMCG_CR, 4, 4, SYSPMU_PAGE_0, control_read, control_write },
	{ PMCG_IIDR, 4, 4, SYSPMU_PAGE_0 | SYSPMU_IDENTITY, iidr_read, NULL },
	{ PMCG_CEID0, 16, 8, SYSPMU_PAGE_0 | SYSPMU_IDENTITY, ceid_read, NULL },
	{ PMCG_ROOTCR, 4, 4, SYSPMU_PAGE_0, rootcr_read, NULL },
	{ PMCG_IRQ_CTRL, 4, 4, SYSPMU_PAGE_0, irq_ctrl_read, irq_ctrl_write },
	{ PMCG_IRQ_CTRLACK, 4, 4, SYSPMU_PAGE_0, irq_ctrlack_read, NULL },
	{ PMCG_IRQ_CFG0, 8, 8, SYSPMU_PAGE_0, irq_cfg0_read, irq_cfg0_write },
	{ PMCG_IRQ_CFG1, 4, 4, SYSPMU_PAGE_0, irq_cfg1_read, irq_cfg1_write },
	{ PMCG_IRQ_CFG2, 4, 4, SYSPMU_PAGE_0, irq_cfg2_read, irq_cfg2_write },
	{ PMCG_IRQ_STATUS, 4, 4, SYSPMU_PAGE_0, irq_status_read, NULL },
	{ PMCG_GMPAM, 4, 4, SYSPMU_PAGE_0, gmpam_read, gmpam_write },
	{ PMCG_AIDR, 4, 4, SYSPMU_PAGE_0 | SYSPMU_IDENTITY, aidr_read, NULL },
	{ PMCG_MPAMIDR, 4, 4, SYSPMU_PAGE_0 | SYSPMU_IDENTITY, mpamidr_read, NULL },
	{ PMCG_ID_REGS, 0x50, 4, SYSPMU_PAGE_0 | SYSPMU_IDENTITY, id_read, NULL },
};

/* If SCR.NSRA is clear, Non-secure software has no access to either page. */
static bool accessible(const struct syspmu_model *model)
{
	const struct pmcg_config *config = &const_pmcg(model)->config;

	return !config->secure || config->nsra;
}

static void was_read(struct syspmu_model *model, const struct syspmu_register *reg)
{
	if (reg->offset == PMCG_IRQ_CTRLACK)
		pmcg_acknowledgment_was_read(to_pmcg(model));
}

/* A counter counts while both its own and the global enable are set (§10.5.2.5). */
static void update(struct syspmu_model *model)
{
	syspmu_update_counting(model, to_pmcg(model)->control & PMCG_CR_E);
}

static void reset_counters(struct pmcg *pmcg, uint64_t *seed)
{
	struct syspmu_model *model = &pmcg->model;
	unsigned int i;

	for (i = 0; i < pmcg->config.counters; i++) {
		struct syspmu_counter *counter = &model->counter[i];

		counter->value = syspmu_garbage(seed) & counter->max;
		pmcg->shadow[i] = syspmu_garbage(seed) & counter->max;
		pmcg->type[i] = (uint32_t)syspmu_garbage(seed) & type_mask(&pmcg->config, i);
		pmcg->stream_match[i] = (uint32_t)syspmu_garbage(seed) &
					match_mask(&pmcg->config, i);
	}
	syspmu_garbage_bits(model, &model->enabled, seed);
	syspmu_garbage_bits(model, &model->irq_enabled, seed);
	syspmu_garbage_bits(model, &model->overflowed, seed);
}

static void reset(struct syspmu_model *model, uint64_t seed)
{
	struct pmcg *pmcg = to_pmcg(model);
	const struct pmcg_config *config = &pmcg->config;

	pmcg->config.nsra = pmcg->initial_nsra;
	pmcg->config.secure_observation = pmcg->initial_secure_observation;
	pmcg->acknowledge_delay = 0;
	reset_counters(pmcg, &seed);

	if (config->msi) {
		pmcg->irq_address = syspmu_garbage(&seed) & irq_address_mask(config);
		pmcg->irq_data = syspmu_garbage(&seed) & UINT32_MAX;
		pmcg->irq_attributes = syspmu_garbage(&seed) & PMCG_IRQ_CFG2_IMPLEMENTED;
		/* SMMUv3.0 has no IRQ_STATUS (§10.5.2.24). */
		if (config->aidr & PMCG_AIDR_MINOR)
			pmcg->irq_status = syspmu_garbage(&seed) & PMCG_IRQ_STATUS_IRQ_ABT;
	}

	/* The other registers have a defined reset value. */
	pmcg->control = 0;
	pmcg->irq_control = 0;
	pmcg->irq_acknowledged = 0;
	pmcg->gmpam = 0;

	if (config->common.running) {
		model->enabled = model->implemented;
		model->irq_enabled = model->implemented;
		pmcg->control = PMCG_CR_E;
		pmcg->irq_control = PMCG_IRQ_CTRL_IRQEN;
		pmcg->irq_acknowledged = PMCG_IRQ_CTRL_IRQEN;
	}
}

static bool is_armed(const struct syspmu_model *model)
{
	const struct pmcg *pmcg = const_pmcg(model);

	return pmcg->control & PMCG_CR_E || pmcg->irq_control & PMCG_IRQ_CTRL_IRQEN;
}

static void capture(struct syspmu_model *model)
{
	pmcg_capture(to_pmcg(model));
}

const struct syspmu_ops pmcg_ops = {
	.registers = registers,
	.register_count = sizeof(registers) / sizeof(*registers),
	.cycles = PMCG_EVENT_CYCLES,
	.reset = reset,
	.accessible = accessible,
	.was_read = was_read,
	.update = update,
	.event = pmcg_event,
	.counted = pmcg_counted,
	.includes = pmcg_includes,
	.capture = capture,
	.is_armed = is_armed,
	.message = pmcg_message,
	.message_aborted = pmcg_message_aborted,
};

void pmcg_set_secure_control(struct pmcg *pmcg, bool nsra, bool observation)
{
	if (!pmcg->config.secure || syspmu_is_dead(&pmcg->model))
		return;
	pmcg->config.nsra = nsra;
	pmcg->config.secure_observation = observation;
}

bool pmcg_nsra(const struct pmcg *pmcg)
{
	return pmcg->config.nsra;
}

bool pmcg_secure_observation(const struct pmcg *pmcg)
{
	return pmcg->config.secure_observation;
}
