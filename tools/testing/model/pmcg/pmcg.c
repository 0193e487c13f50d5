// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a PMCG, each by its own rule: IHI 0070 §10.5.
 */
#include <string.h>

#include "pmcg_private.h"

/* Stands for 4 or 8 bytes, whichever the counters need. */
#define COUNTER_WIDTH		0

/**
 * struct pmcg_register - one register, or an array of them
 * @offset: where it starts
 * @bytes: how much of the page it covers
 * @width: bytes of one register, or COUNTER_WIDTH
 * @relocated: it moves to page 1 with CFGR.RELOC_CTRS
 * @read: one 32-bit word of register number index; NULL: reads as zero
 * @write: the same; NULL: writes are ignored
 */
struct pmcg_register {
	uint32_t offset;
	uint32_t bytes;
	unsigned int width;
	bool relocated;
	uint32_t (*read)(const struct pmcg *pmcg, unsigned int index, unsigned int word);
	void (*write)(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value);
};

static uint32_t word_of(uint64_t value, unsigned int word)
{
	return (uint32_t)(value >> (32 * word));
}

static uint64_t in_word(uint32_t value, unsigned int word)
{
	return (uint64_t)value << (32 * word);
}

static uint64_t with_word(uint64_t old, unsigned int word, uint32_t value)
{
	return (old & ~in_word(UINT32_MAX, word)) | in_word(value, word);
}

static uint64_t counter_mask(const struct pmcg *pmcg)
{
	return pmcg_ones(pmcg->config.counters);
}

static bool has_filter(const struct pmcg_config *config, unsigned int index)
{
	return !config->global_filter || index == 0;
}

/* §10.5.2.2: which fields of EVTYPERn exist. */
static uint32_t type_mask(const struct pmcg_config *config, unsigned int index)
{
	uint32_t mask = (uint32_t)pmcg_ones(config->event_bits);

	if (config->capture)
		mask |= PMCG_EVTYPER_OVFCAP;
	if (!has_filter(config, index))
		return mask;

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
	uint32_t mask = (uint32_t)pmcg_ones(config->stream_id_bits);

	if (!has_filter(config, index))
		return 0;
	return config->filter_partid_pmg ? mask | PMCG_SMR_PARTID | PMCG_SMR_PMG : mask;
}

static uint64_t irq_address_mask(const struct pmcg_config *config)
{
	return pmcg_ones(config->address_bits) & ~pmcg_ones(PMCG_IRQ_CFG0_ADDR_LOW);
}

/* EVCNTRn: bits above the counter's size are RES0. */

static uint32_t counter_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	if (index >= pmcg->config.counters)
		return 0;
	return word_of(pmcg->counter[pmcg_counter(pmcg, index)], word);
}

static void counter_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	unsigned int counter = pmcg_counter(pmcg, index);

	if (index < pmcg->config.counters && !pmcg->config.read_only_counters)
		pmcg->counter[counter] = with_word(pmcg->counter[counter], word, value) &
					 pmcg_counter_max(pmcg);
}

static uint32_t type_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return index < pmcg->config.counters ? pmcg->type[index] : 0;
}

static void type_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	if (index < pmcg->config.counters)
		pmcg->type[index] = value & type_mask(&pmcg->config, index);
}

static uint32_t shadow_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	if (!pmcg->config.capture || index >= pmcg->config.counters)
		return 0;
	return word_of(pmcg->shadow[index], word);
}

/*
 * SMRn has two layouts, and EVTYPERn says which one is in force. Bits without a place in
 * it are RAZ/WI (§10.5.2.4): what software writes to them is lost, and what they were
 * when they had a place is there when they have one again.
 */
static uint32_t match_layout(const struct pmcg *pmcg, unsigned int index)
{
	if (index >= pmcg->config.counters || !has_filter(&pmcg->config, index))
		return 0;
	if (pmcg_partid_filtered(pmcg->type[index]))
		return PMCG_SMR_PARTID | PMCG_SMR_PMG;
	return (uint32_t)pmcg_ones(pmcg->config.stream_id_bits);
}

static uint32_t match_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return index < pmcg->config.counters ?
	       pmcg->stream_match[index] & match_layout(pmcg, index) : 0;
}

static void match_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	uint32_t layout = match_layout(pmcg, index);

	if (index < pmcg->config.counters)
		pmcg->stream_match[index] = (pmcg->stream_match[index] & ~layout) |
					    (value & layout);
}

/* The pairs of set and clear registers: both read the state. */

static void set_bits(struct pmcg *pmcg, uint64_t *bits, unsigned int word, uint32_t value)
{
	*bits |= in_word(value, word) & counter_mask(pmcg);
}

static void clear_bits(uint64_t *bits, unsigned int word, uint32_t value)
{
	*bits &= ~in_word(value, word);
}

static uint32_t enable_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return word_of(pmcg->enabled, word);
}

static void enable_set(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	set_bits(pmcg, &pmcg->enabled, word, value);
	pmcg_update_counting(pmcg);
}

static void enable_clear(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	clear_bits(&pmcg->enabled, word, value);
	pmcg_update_counting(pmcg);
}

static uint32_t interrupt_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return word_of(pmcg->interrupt_enabled, word);
}

static void interrupt_set(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	set_bits(pmcg, &pmcg->interrupt_enabled, word, value);
}

static void interrupt_clear(struct pmcg *pmcg, unsigned int index, unsigned int word,
			    uint32_t value)
{
	clear_bits(&pmcg->interrupt_enabled, word, value);
}

static uint32_t overflow_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return word_of(pmcg->overflowed, word);
}

/* Software's overflows may have side effects or not (§10.5.2.10); here they have none. */
static void overflow_set(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	set_bits(pmcg, &pmcg->overflowed, word, value);
}

static void overflow_clear(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	clear_bits(&pmcg->overflowed, word, value);
}

static void capture_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	if (pmcg->config.capture && value & PMCG_CAPR_CAPTURE)
		pmcg_capture(pmcg);
}

static uint32_t cfgr_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	const struct pmcg_config *config = &pmcg->config;
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

static uint32_t control_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->control;
}

static void control_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	pmcg->control = value & PMCG_CR_E;
	pmcg_update_counting(pmcg);
}

static uint32_t iidr_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->config.iidr;
}

static uint32_t ceid_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return word_of(index ? pmcg->config.ceid1 : pmcg->config.ceid0, word);
}

/* Only Root software writes ROOTCR; firmware has done so before (§10.5.2.18). */
static uint32_t rootcr_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	const struct pmcg_config *config = &pmcg->config;
	uint32_t value = 0;

	if (config->root)
		value |= PMCG_ROOTCR_ROOTCR_IMPL;
	if (config->root_observation)
		value |= PMCG_ROOTCR_RTO;
	if (config->realm_observation)
		value |= PMCG_ROOTCR_RLO;
	if (config->root_non_attributable)
		value |= PMCG_ROOTCR_NAO;
	if (config->system_agent_observation)
		value |= PMCG_ROOTCR_SAO;
	if (config->protected_mode_observation)
		value |= PMCG_ROOTCR_PMO;
	return value;
}

static uint32_t irq_ctrl_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->irq_control;
}

static void irq_ctrl_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	pmcg_update_irqen(pmcg, value);
}

static uint32_t irq_ctrlack_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->irq_acknowledged;
}

/* IRQ_CFG0 to 2 are guarded by IRQEN and by its acknowledgment (§10.5.2.21). */
static bool irq_cfg_writable(const struct pmcg *pmcg)
{
	return pmcg->config.msi &&
	       !((pmcg->irq_control | pmcg->irq_acknowledged) & PMCG_IRQ_CTRL_IRQEN);
}

static uint32_t irq_cfg0_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return word_of(pmcg->irq_address, word);
}

static void irq_cfg0_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	if (irq_cfg_writable(pmcg))
		pmcg->irq_address = with_word(pmcg->irq_address, word, value) &
				    irq_address_mask(&pmcg->config);
}

static uint32_t irq_cfg1_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->irq_data;
}

static void irq_cfg1_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	if (irq_cfg_writable(pmcg))
		pmcg->irq_data = value;
}

static uint32_t irq_cfg2_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->irq_attributes;
}

static void irq_cfg2_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	if (irq_cfg_writable(pmcg))
		pmcg->irq_attributes = value & PMCG_IRQ_CFG2_IMPLEMENTED;
}

static uint32_t irq_status_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->irq_status;
}

static uint32_t gmpam_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->gmpam;
}

/* Ones from bit 0 up to the most significant one of either limit. */
static uint32_t limit_mask(uint32_t limit, uint32_t other)
{
	uint32_t mask = 0;

	while (mask < limit || mask < other)
		mask = mask << 1 | 1;
	return mask;
}

/*
 * §10.5.2.25: of the permitted behaviours, a write without Update is ignored. An
 * Update completes at once and is never seen in progress.
 */
static void gmpam_write(struct pmcg *pmcg, unsigned int index, unsigned int word, uint32_t value)
{
	const struct pmcg_config *config = &pmcg->config;

	if (!config->mpam || !(value & PMCG_GMPAM_UPDATE))
		return;
	pmcg->gmpam = value & (limit_mask(config->partid_max, config->secure_partid_max) |
			       limit_mask(config->pmg_max, config->secure_pmg_max) <<
			       PMCG_GMPAM_PO_PMG_SHIFT);
}

static uint32_t aidr_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	return pmcg->config.aidr;
}

static uint32_t mpamidr_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
	const struct pmcg_config *config = &pmcg->config;

	if (!config->mpam && (!config->filter_partid_pmg || config->mpamidr_needs_mpam))
		return 0;
	return (uint32_t)config->pmg_max << PMCG_MPAMIDR_PMG_MAX_SHIFT | config->partid_max;
}

/* §10.5.2.29 */
static uint32_t id_read(const struct pmcg *pmcg, unsigned int index, unsigned int word)
{
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
 * SCR, its alias and S_MPAMIDR are for Secure and Root software alone, and reads of
 * CAPR return zero: what is not here reads as zero and ignores writes.
 */
static const struct pmcg_register registers[] = {
	{ PMCG_EVCNTR, 0x200, COUNTER_WIDTH, true, counter_read, counter_write },
	{ PMCG_EVTYPER, 0x100, 4, false, type_read, type_write },
	{ PMCG_SVR, 0x200, COUNTER_WIDTH, true, shadow_read, NULL },
	{ PMCG_SMR, 0x100, 4, false, match_read, match_write },
	{ PMCG_CNTENSET, 8, 8, false, enable_read, enable_set },
	{ PMCG_CNTENCLR, 8, 8, false, enable_read, enable_clear },
	{ PMCG_INTENSET, 8, 8, false, interrupt_read, interrupt_set },
	{ PMCG_INTENCLR, 8, 8, false, interrupt_read, interrupt_clear },
	{ PMCG_OVSCLR, 8, 8, true, overflow_read, overflow_clear },
	{ PMCG_OVSSET, 8, 8, true, overflow_read, overflow_set },
	{ PMCG_CAPR, 4, 4, true, NULL, capture_write },
	{ PMCG_CFGR, 4, 4, false, cfgr_read, NULL },
	{ PMCG_CR, 4, 4, false, control_read, control_write },
	{ PMCG_IIDR, 4, 4, false, iidr_read, NULL },
	{ PMCG_CEID0, 16, 8, false, ceid_read, NULL },
	{ PMCG_ROOTCR, 4, 4, false, rootcr_read, NULL },
	{ PMCG_IRQ_CTRL, 4, 4, false, irq_ctrl_read, irq_ctrl_write },
	{ PMCG_IRQ_CTRLACK, 4, 4, false, irq_ctrlack_read, NULL },
	{ PMCG_IRQ_CFG0, 8, 8, false, irq_cfg0_read, irq_cfg0_write },
	{ PMCG_IRQ_CFG1, 4, 4, false, irq_cfg1_read, irq_cfg1_write },
	{ PMCG_IRQ_CFG2, 4, 4, false, irq_cfg2_read, irq_cfg2_write },
	{ PMCG_IRQ_STATUS, 4, 4, false, irq_status_read, NULL },
	{ PMCG_GMPAM, 4, 4, false, gmpam_read, gmpam_write },
	{ PMCG_AIDR, 4, 4, false, aidr_read, NULL },
	{ PMCG_MPAMIDR, 4, 4, false, mpamidr_read, NULL },
	{ PMCG_ID_REGS, 0x50, 4, false, id_read, NULL },
};

static const struct pmcg_register *find_register(const struct pmcg *pmcg, unsigned int page,
						 uint32_t offset)
{
	size_t i;

	for (i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		const struct pmcg_register *reg = &registers[i];

		if (offset < reg->offset || offset - reg->offset >= reg->bytes)
			continue;
		/* Relocated registers leave a RES0 hole in page 0. */
		return page == (reg->relocated && pmcg->config.relocate) ? reg : NULL;
	}
	return NULL;
}

/* 32-bit registers, up to SIZE 31, stand 4 bytes apart, larger ones 8 (§10.5.1). */
static unsigned int register_width(const struct pmcg *pmcg, const struct pmcg_register *reg)
{
	if (reg->width != COUNTER_WIDTH)
		return reg->width;
	return pmcg->config.size <= 31 ? 4 : 8;
}

/* What a register says that never changes: what the PMCG is. */
static bool is_identity(const struct pmcg_register *reg)
{
	switch (reg->offset) {
	case PMCG_CFGR:
	case PMCG_IIDR:
	case PMCG_CEID0:
	case PMCG_AIDR:
	case PMCG_MPAMIDR:
	case PMCG_ID_REGS:
		return true;
	default:
		return false;
	}
}

/* What the counters are said to be is something else, or all but the identity is. */
static bool is_missing(const struct pmcg *pmcg, const struct pmcg_register *reg)
{
	return (pmcg->config.dead_counters && reg->relocated) ||
	       (pmcg->config.inert && !is_identity(reg));
}

/* SCR.NSRA closes both pages to Non-secure software, without any exception. */
static bool accessible(const struct pmcg *pmcg)
{
	return !pmcg->dead && (!pmcg->config.secure || pmcg->config.nsra);
}

static uint32_t read_word(const struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	const struct pmcg_register *reg = find_register(pmcg, page, offset);
	unsigned int width;

	if (pmcg->dead)
		return UINT32_MAX;
	if (!accessible(pmcg) || !reg || !reg->read || is_missing(pmcg, reg))
		return 0;
	width = register_width(pmcg, reg);
	offset -= reg->offset;
	return reg->read(pmcg, offset / width, offset % width / 4);
}

static void write_word(struct pmcg *pmcg, unsigned int page, uint32_t offset, uint32_t value)
{
	const struct pmcg_register *reg = find_register(pmcg, page, offset);
	struct pmcg_state before;
	unsigned int width;

	if (!accessible(pmcg) || !reg || !reg->write || is_missing(pmcg, reg))
		return;
	width = register_width(pmcg, reg);
	offset -= reg->offset;
	pmcg_before_change(pmcg, &before);
	reg->write(pmcg, offset / width, offset % width / 4, value);
	pmcg_after_change(pmcg, &before);
}

/* Where accesses to the register at an offset are counted. */
static uint32_t counted_at(const struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	const struct pmcg_register *reg = find_register(pmcg, page, offset);
	unsigned int width = reg ? register_width(pmcg, reg) : 4;

	return offset / width * width / 4;
}

static bool in_pages(unsigned int page, uint32_t offset)
{
	return page < PMCG_PAGES && offset < PMCG_PAGE_SIZE;
}

static bool well_formed(uint32_t offset, unsigned int size)
{
	return (size == 4 || size == 8) && offset % size == 0;
}

/* Where the array starts that software can read at an offset, or UINT32_MAX. */
static uint32_t array_at(const struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	const struct pmcg_register *reg = find_register(pmcg, page, offset);

	return reg && accessible(pmcg) ? reg->offset : UINT32_MAX;
}

static bool holds_count(const struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	uint32_t array = array_at(pmcg, page, offset);

	return array == PMCG_EVCNTR || array == PMCG_SVR;
}

/* What pmcg_tear() asked for happens now, if the register is a counter or a shadow. */
static void tear(struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	uint64_t n = pmcg->torn_count;

	if (!holds_count(pmcg, page, offset))
		return;
	pmcg->torn_count = 0;
	pmcg_event(pmcg, &pmcg->torn_event, n);
}

/* What pmcg_step() asked for happens now, if the register is a counter or a shadow. */
static void step(struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	if (holds_count(pmcg, page, offset))
		pmcg_event(pmcg, &pmcg->step_event, pmcg->step_count);
}

static bool same_register(const struct pmcg *pmcg, unsigned int page, uint32_t offset,
			  unsigned int other_page, uint32_t other_offset)
{
	return page == other_page &&
	       counted_at(pmcg, page, offset) == counted_at(pmcg, page, other_offset);
}

/* What pmcg_tear_write() asked for happens now, if this is its register. */
static void tear_write(struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	uint64_t n = pmcg->torn_write_count;

	if (!accessible(pmcg) ||
	    !same_register(pmcg, page, offset, pmcg->torn_write_page, pmcg->torn_write_offset))
		return;
	pmcg->torn_write_count = 0;
	pmcg_event(pmcg, &pmcg->torn_write_event, n);
}

/* What pmcg_precede() asked for happens now, if this is its register. */
static void precede(struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	uint64_t n = pmcg->preceding_count;

	if (!same_register(pmcg, page, offset, pmcg->preceding_page, pmcg->preceding_offset))
		return;
	pmcg->preceding_count = 0;
	pmcg_event(pmcg, &pmcg->preceding_event, n);
}

/* A word as software reads it, with what its read causes. */
static uint32_t software_reads(struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	uint32_t value = read_word(pmcg, page, offset);

	if (array_at(pmcg, page, offset) == PMCG_IRQ_CTRLACK)
		pmcg_acknowledgment_was_read(pmcg);
	return value;
}

uint64_t pmcg_read(struct pmcg *pmcg, unsigned int page, uint32_t offset, unsigned int size)
{
	unsigned int first = pmcg->config.high_first;
	uint64_t value;

	if (!in_pages(page, offset))
		return 0;
	pmcg->accesses[page][counted_at(pmcg, page, offset)].reads++;
	if (!well_formed(offset, size))
		return 0;

	step(pmcg, page, offset);
	if (size == 4)
		return software_reads(pmcg, page, offset);
	value = in_word(software_reads(pmcg, page, offset + 4 * first), first);
	if (pmcg->config.split_accesses)
		tear(pmcg, page, offset);
	return value | in_word(software_reads(pmcg, page, offset + 4 * !first), !first);
}

void pmcg_write(struct pmcg *pmcg, unsigned int page, uint32_t offset, unsigned int size,
		uint64_t value)
{
	unsigned int first = pmcg->config.write_high_first;

	if (!in_pages(page, offset))
		return;
	pmcg->accesses[page][counted_at(pmcg, page, offset)].writes++;
	if (!well_formed(offset, size))
		return;

	precede(pmcg, page, offset);
	if (size == 4) {
		write_word(pmcg, page, offset, word_of(value, 0));
		return;
	}
	write_word(pmcg, page, offset + 4 * first, word_of(value, first));
	if (pmcg->config.split_accesses)
		tear_write(pmcg, page, offset);
	write_word(pmcg, page, offset + 4 * !first, word_of(value, !first));
}

uint64_t pmcg_peek(const struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	offset &= ~UINT32_C(7);
	if (!in_pages(page, offset))
		return 0;
	return read_word(pmcg, page, offset) | in_word(read_word(pmcg, page, offset + 4), 1);
}

struct pmcg_accesses pmcg_accesses(const struct pmcg *pmcg, unsigned int page, uint32_t offset)
{
	struct pmcg_accesses sum = { 0 };
	size_t i, j;

	if (offset != PMCG_ALL_REGISTERS)
		return in_pages(page, offset) ?
		       pmcg->accesses[page][counted_at(pmcg, page, offset)] : sum;

	for (i = 0; i < PMCG_PAGES; i++) {
		for (j = 0; j < PMCG_PAGE_SIZE / 4; j++) {
			sum.reads += pmcg->accesses[i][j].reads;
			sum.writes += pmcg->accesses[i][j].writes;
		}
	}
	return sum;
}

void pmcg_reset_accesses(struct pmcg *pmcg)
{
	memset(pmcg->accesses, 0, sizeof(pmcg->accesses));
}

/* A full-period generator: any seed will do, and equal seeds give equal garbage. */
static uint64_t garbage(uint64_t *seed)
{
	uint64_t mix = *seed += UINT64_C(0x9e3779b97f4a7c15);

	mix = (mix ^ mix >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mix = (mix ^ mix >> 27) * UINT64_C(0x94d049bb133111eb);
	return mix ^ mix >> 31;
}

void pmcg_reset(struct pmcg *pmcg, uint64_t seed)
{
	const struct pmcg_config *config = &pmcg->config;
	unsigned int i;

	pmcg->config.nsra = pmcg->initial_nsra;
	pmcg->config.secure_observation = pmcg->initial_secure_observation;
	for (i = 0; i < config->counters; i++) {
		pmcg->counter[i] = garbage(&seed) & pmcg_counter_max(pmcg);
		pmcg->shadow[i] = garbage(&seed) & pmcg_counter_max(pmcg);
		pmcg->type[i] = (uint32_t)garbage(&seed) & type_mask(config, i);
		pmcg->stream_match[i] = (uint32_t)garbage(&seed) & match_mask(config, i);
	}
	pmcg->enabled = garbage(&seed) & counter_mask(pmcg);
	pmcg->interrupt_enabled = garbage(&seed) & counter_mask(pmcg);
	pmcg->overflowed = garbage(&seed) & counter_mask(pmcg);

	if (config->msi) {
		pmcg->irq_address = garbage(&seed) & irq_address_mask(config);
		pmcg->irq_data = garbage(&seed) & UINT32_MAX;
		pmcg->irq_attributes = garbage(&seed) & PMCG_IRQ_CFG2_IMPLEMENTED;
		/* SMMUv3.0 has no IRQ_STATUS (§10.5.2.24). */
		if (config->aidr & PMCG_AIDR_MINOR)
			pmcg->irq_status = garbage(&seed) & PMCG_IRQ_STATUS_IRQ_ABT;
	}

	/* All that follows has a defined reset value. */
	pmcg->control = 0;
	pmcg->irq_control = 0;
	pmcg->irq_acknowledged = 0;
	pmcg->gmpam = 0;

	/* Firmware has been here since. */
	if (config->running) {
		pmcg->enabled = counter_mask(pmcg);
		pmcg->interrupt_enabled = counter_mask(pmcg);
		pmcg->control = PMCG_CR_E;
		pmcg->irq_control = PMCG_IRQ_CTRL_IRQEN;
		pmcg->irq_acknowledged = PMCG_IRQ_CTRL_IRQEN;
	}
	pmcg->counting = 0;
	pmcg_update_counting(pmcg);

	pmcg->torn_count = 0;
	pmcg->step_count = 0;
	pmcg->preceding_count = 0;
	pmcg->torn_write_count = 0;
	pmcg_delay_changes(pmcg, 0);
	pmcg->held = false;
	pmcg->msi_fate = PMCG_MSI_DELIVERED;
	pmcg->acknowledge_delay = 0;
	pmcg->interrupt_edges = 0;
	pmcg->messages = 0;
	pmcg_reset_accesses(pmcg);
}
