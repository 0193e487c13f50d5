// SPDX-License-Identifier: GPL-2.0
/*
 * The rules that hold for every PMCG after any operation: IHI 0070 §10.2.1 and §10.5.
 */
#include "fuzz.h"

static uint64_t max_of(const struct pmcg_config *config)
{
	return ones(config->size + 1);
}

static bool is_reset(const struct trial *trial)
{
	return trial->operation.action == RESET;
}

/* Whether software wrote this 32-bit half, and which value. */
static bool written(const struct trial *trial, unsigned int page, uint32_t offset, uint32_t *value)
{
	const struct operation *write = &trial->operation;

	if (write->action != WRITE || !is_access(write) || write->page != page ||
	    offset < write->offset || offset >= write->offset + write->size)
		return false;
	*value = (uint32_t)(write->value >> (offset - write->offset) * 8);
	return true;
}

/* The bits that software wrote as one to a 64-bit register. */
static uint64_t ones_written(const struct trial *trial, unsigned int page, uint32_t offset)
{
	uint32_t low = 0, high = 0;

	written(trial, page, offset, &low);
	written(trial, page, offset + 4, &high);
	return low | (uint64_t)high << 32;
}

/* The value of a 32-bit register that only a write can change. */
static uint32_t stored(const struct trial *trial, unsigned int page, uint32_t offset, uint32_t mask)
{
	uint32_t value;

	return written(trial, page, offset, &value) ? value & mask :
						      half_at(&trial->before, page, offset);
}

static bool holds(const struct trial *trial, uint32_t offset, uint32_t mask)
{
	return half_at(&trial->after, 0, offset) == stored(trial, 0, offset, mask);
}

/* The written half of a 64-bit counter, or a 32-bit one. */
static uint64_t half_written(const struct trial *trial, unsigned int i, bool high, uint64_t value)
{
	const struct pmcg_config *config = trial->config;
	unsigned int shift = stride(config) == 8 && high ? 32 : 0;
	uint32_t half, offset = i * stride(config) + shift / 8;

	if (config->common.read_only_counters || !written(trial, config->relocate, offset, &half) ||
	    (trial->operation.size != 8 && high != !!shift))
		return value;
	value = (value & ~(UINT64_C(0xffffffff) << shift)) | (uint64_t)half << shift;
	return value & max_of(config);
}

/* §10.5.2.1: only writes and events change a counter. */
static bool counters_count(const struct trial *trial)
{
	const struct pmcg_config *config = trial->config;
	unsigned int i;

	for (i = 0; i < config->counters && !is_reset(trial); i++) {
		uint64_t value = (counter_at(config, &trial->before, EVCNTR, i) +
				  trial->added[i]) & max_of(config);

		value = half_written(trial, i, false, value);
		value = half_written(trial, i, true, value);
		if (counter_at(config, &trial->after, EVCNTR, i) != value)
			return false;
	}
	return true;
}

/* §10.2.1, §10.5.2.9, §10.5.2.10 */
static bool overflow_is_a_carry(const struct trial *trial)
{
	const struct pmcg_config *config = trial->config;
	uint64_t status = word_at(&trial->before, config->relocate, OVSSET);

	if (is_reset(trial))
		return true;
	status |= ones_written(trial, config->relocate, OVSSET) & ones(config->counters);
	status &= ~ones_written(trial, config->relocate, OVSCLR);
	return word_at(&trial->after, config->relocate, OVSSET) == (status | trial->carry);
}

/* §10.5.2.5 to §10.5.2.8 */
static bool enables_are_set_and_cleared(const struct trial *trial)
{
	static const uint32_t pairs[][2] = { { CNTENSET, CNTENCLR }, { INTENSET, INTENCLR } };
	uint64_t implemented = ones(trial->config->counters);
	unsigned int i;

	if (is_reset(trial))
		return !trial->config->common.running ||
		       (word_at(&trial->after, 0, CNTENSET) == implemented &&
			word_at(&trial->after, 0, INTENSET) == implemented);
	for (i = 0; i < 2; i++) {
		uint64_t bits = word_at(&trial->before, 0, pairs[i][0]);

		bits |= ones_written(trial, 0, pairs[i][0]) & implemented;
		bits &= ~ones_written(trial, 0, pairs[i][1]);
		if (word_at(&trial->after, 0, pairs[i][0]) != bits)
			return false;
	}
	return true;
}

static bool pairs_read_alike(const struct trial *trial)
{
	const struct view *after = &trial->after;
	unsigned int page = trial->config->relocate;

	return word_at(after, 0, CNTENSET) == word_at(after, 0, CNTENCLR) &&
	       word_at(after, 0, INTENSET) == word_at(after, 0, INTENCLR) &&
	       word_at(after, page, OVSSET) == word_at(after, page, OVSCLR);
}

/* Identification registers, and ROOTCR, which only firmware can write. */
static bool identity_never_changes(const struct trial *trial)
{
	const struct view *before = &trial->before, *after = &trial->after;
	uint32_t offset;

	for (offset = CFGR; offset < SYSPMU_PAGE_SIZE; offset += 4) {
		if (offset == CR || (offset >= IRQ_CTRL && offset <= GMPAM))
			continue;
		if (half_at(before, 0, offset) != half_at(after, 0, offset))
			return false;
	}
	return true;
}

/* §10.5.2.3, §10.5.2.20, §10.5.2.24: these ignore writes, though they may change. */
static bool read_only_ignores_writes(const struct trial *trial)
{
	const struct pmcg_config *config = trial->config;
	unsigned int i;
	uint32_t value;

	if (trial->operation.action != WRITE)
		return true;
	for (i = 0; i < config->counters; i++) {
		if (!written(trial, config->relocate, CAPR, &value) &&
		    counter_at(config, &trial->before, SVR, i) !=
		    counter_at(config, &trial->after, SVR, i))
			return false;
	}
	return written(trial, 0, IRQ_CTRL, &value) ||
	       (half_at(&trial->before, 0, IRQ_CTRLACK) == half_at(&trial->after, 0, IRQ_CTRLACK) &&
		half_at(&trial->before, 0, IRQ_STATUS) == half_at(&trial->after, 0, IRQ_STATUS));
}

/* §10.5.2.2: which fields exist. */
static uint32_t type_mask(const struct pmcg_config *config, unsigned int i)
{
	uint32_t mask = (uint32_t)ones(config->event_bits);

	if (config->capture)
		mask |= TYPE_OVFCAP;
	if (i && config->global_filter)
		return mask;
	mask |= TYPE_SPAN;
	if (config->secure)
		mask |= TYPE_SECURE;
	if (config->root)
		mask |= TYPE_REALM;
	if (config->filter_partid_pmg)
		mask |= TYPE_PARTID | TYPE_PMG | UINT32_C(0x40000) |
			(config->root ? UINT32_C(0x80000) : 0);
	return mask;
}

/* EVTYPER decides which of its two layouts SMR has. */
uint32_t match_layout(const struct pmcg_config *config, const struct view *view, unsigned int i)
{
	if (i && config->global_filter)
		return 0;
	if (half_at(view, 0, EVTYPER + 4 * i) & (TYPE_PARTID | TYPE_PMG))
		return UINT32_C(0x00ffffff);
	return (uint32_t)ones(config->stream_id_bits);
}

static bool filters_hold_what_was_written(const struct trial *trial)
{
	unsigned int i;

	for (i = 0; i < trial->config->counters; i++) {
		uint32_t type = half_at(&trial->after, 0, EVTYPER + 4 * i);
		uint32_t match = half_at(&trial->after, 0, SMR + 4 * i);
		uint32_t mask = match_layout(trial->config, &trial->after, i);
		uint32_t value = trial->match[i], seen = trial->match_seen[i];

		if (type & ~type_mask(trial->config, i) || match & ~mask)
			return false;
		if (is_reset(trial))
			continue;
		if (type != stored(trial, 0, EVTYPER + 4 * i, type_mask(trial->config, i)))
			return false;
		/* A bit keeps its value while it is not part of the layout. */
		if (written(trial, 0, SMR + 4 * i, &value))
			seen = mask;
		if ((match ^ value) & mask & seen)
			return false;
	}
	return true;
}

static uint32_t limit_mask(uint32_t limit, uint32_t other)
{
	unsigned int bits = 0;

	while ((limit | other) >> bits)
		bits++;
	return (uint32_t)ones(bits);
}

/* §10.5.2.14, §10.5.2.19, §10.5.2.25 */
static bool controls_hold_what_was_written(const struct trial *trial)
{
	const struct pmcg_config *config = trial->config;
	uint32_t value, gmpam = half_at(&trial->before, 0, GMPAM);
	uint32_t partid = limit_mask(config->partid_max, config->secure_partid_max);
	uint32_t pmg = limit_mask(config->pmg_max, config->secure_pmg_max);

	if (is_reset(trial))
		return half_at(&trial->after, 0, GMPAM) == 0 &&
		       half_at(&trial->after, 0, CR) == config->common.running &&
		       half_at(&trial->after, 0, IRQ_CTRL) == config->common.running &&
		       half_at(&trial->after, 0, IRQ_CTRLACK) == config->common.running;

	if (written(trial, 0, GMPAM, &value) && value >> 31 && config->mpam)
		gmpam = value & (partid | pmg << 16);
	return holds(trial, CR, 1) && holds(trial, IRQ_CTRL, 1) &&
	       half_at(&trial->after, 0, GMPAM) == gmpam;
}

/* §10.5.2.19: without a delay an Update completes at once, else by reads only. */
uint32_t reads_left(const struct trial *trial)
{
	const struct operation *op = &trial->operation;
	uint32_t value;

	if (is_reset(trial))
		return 0;
	if (written(trial, 0, IRQ_CTRL, &value) &&
	    half_at(&trial->before, 0, IRQ_CTRL) != (value & 1))
		return half_at(&trial->before, 0, IRQ_CTRLACK) == (value & 1) ? 0 : trial->delay;
	if (op->action == READ && is_access(op) && op->page == 0 && op->offset <= IRQ_CTRLACK &&
	    op->offset + op->size > IRQ_CTRLACK && trial->reads_left)
		return trial->reads_left - 1;
	return trial->reads_left;
}

static bool updates_are_acknowledged(const struct trial *trial)
{
	uint32_t acknowledged = half_at(reads_left(trial) ? &trial->before : &trial->after, 0,
					reads_left(trial) ? IRQ_CTRLACK : IRQ_CTRL);

	return half_at(&trial->after, 0, IRQ_CTRLACK) == acknowledged;
}

/* §10.5.2.21 to §10.5.2.23 */
static bool message_is_guarded(const struct trial *trial)
{
	const struct pmcg_config *config = trial->config;
	const struct view *before = &trial->before, *after = &trial->after;
	uint64_t address_mask = ones(config->address_bits) & ~UINT64_C(3);

	if (!config->msi)
		return word_at(after, 0, IRQ_CFG0) == 0 && word_at(after, 0, IRQ_CFG1) == 0;
	if (is_reset(trial))
		return true;
	if (half_at(before, 0, IRQ_CTRL) || half_at(before, 0, IRQ_CTRLACK))
		return word_at(before, 0, IRQ_CFG0) == word_at(after, 0, IRQ_CFG0) &&
		       word_at(before, 0, IRQ_CFG1) == word_at(after, 0, IRQ_CFG1);
	return holds(trial, IRQ_CFG0, (uint32_t)address_mask) &&
	       holds(trial, IRQ_CFG0 + 4, (uint32_t)(address_mask >> 32)) &&
	       holds(trial, IRQ_CFG1, UINT32_MAX) && holds(trial, IRQ_CFG2, 0x3f);
}

/* §10.2.1, §10.5.2.7: the enables count at the time of the overflow. */
static uint64_t interrupts_due(const struct trial *trial)
{
	return half_at(&trial->before, 0, IRQ_CTRL) &&
	       trial->carry & word_at(&trial->before, 0, INTENSET);
}

/* §10.2.1: an edge, an MSI, or both. */
static bool by_edge(const struct trial *trial)
{
	return !word_at(&trial->before, 0, IRQ_CFG0) || trial->config->common.irq_beside_msi;
}

static unsigned int outputs(const struct trial *trial)
{
	return by_edge(trial) + (word_at(&trial->before, 0, IRQ_CFG0) &&
				 trial->before.fate == SYSPMU_MSI_DELIVERED);
}

static bool interrupt_is_an_enabled_overflow(const struct trial *trial)
{
	const struct view *before = &trial->before, *after = &trial->after;
	bool by_message = word_at(before, 0, IRQ_CFG0);
	uint64_t due = interrupts_due(trial);

	if (is_reset(trial))
		return after->edges == 0 && after->messages == 0 &&
		       after->fate == SYSPMU_MSI_DELIVERED;
	return after->edges - before->edges == (by_edge(trial) ? due : 0) &&
	       after->messages - before->messages == (by_message ? due : 0);
}

/* §10.5.2.19: a held interrupt is delivered before an Update of IRQEN to 0 completes. */
static bool releases(const struct trial *trial)
{
	const struct view *before = &trial->before, *after = &trial->after;

	if (trial->operation.action == HOLD)
		return !after->hold;
	return (half_at(before, 0, IRQ_CTRL) || half_at(before, 0, IRQ_CTRLACK)) &&
	       !half_at(after, 0, IRQ_CTRL) && !half_at(after, 0, IRQ_CTRLACK);
}

static bool interrupt_comes_in_time(const struct trial *trial)
{
	const struct view *before = &trial->before;
	uint64_t delivered = trial->after.delivered - before->delivered;

	if (!half_at(before, 0, IRQ_CTRL) && !half_at(before, 0, IRQ_CTRLACK))
		return !delivered;
	if (is_reset(trial))
		return !delivered;
	if (before->hold)
		return delivered == (trial->held && releases(trial)) * outputs(trial);
	return delivered == interrupts_due(trial) * outputs(trial);
}

bool holds_interrupt(const struct trial *trial)
{
	if (is_reset(trial) || !trial->after.hold || releases(trial))
		return false;
	return trial->held || interrupts_due(trial);
}

static bool message_is_the_configured_one(const struct trial *trial)
{
	const struct view *before = &trial->before;
	const struct syspmu_message *message = &trial->message;
	uint32_t attributes = half_at(before, 0, IRQ_CFG2), share = attributes >> 4;
	uint32_t gmpam = half_at(before, 0, GMPAM);

	/* §10.5.2.23: Device memory is Outer Shareable, and 1 is reserved. */
	if ((attributes & 0xf) < 4)
		share = 2;
	else if (share == 1)
		share = 0;
	return trial->after.delivered == before->delivered || !word_at(before, 0, IRQ_CFG0) ||
	       before->fate != SYSPMU_MSI_DELIVERED ||
	       (message->address == word_at(before, 0, IRQ_CFG0) &&
		message->data == half_at(before, 0, IRQ_CFG1) &&
		message->memory_attributes == (attributes & 0xf) &&
		message->shareability == share && message->partid == (gmpam & 0xffff) &&
		message->pmg == (gmpam >> 16 & 0xff));
}

/* §10.5.2.24 */
static bool abort_is_noted(const struct trial *trial)
{
	const struct view *before = &trial->before;
	uint32_t status = half_at(&trial->after, 0, IRQ_STATUS);
	uint32_t enable;

	if (!trial->config->msi || !trial->config->aidr)
		return !status;
	if (is_reset(trial))
		return status <= 1;
	if (written(trial, 0, IRQ_CTRL, &enable) && enable & 1 && !half_at(before, 0, IRQ_CTRL))
		return !status;
	if (before->fate != SYSPMU_MSI_ABORTED || !word_at(before, 0, IRQ_CFG0))
		return status == half_at(before, 0, IRQ_STATUS);
	if (before->hold)
		return status <= 1;
	return status == (half_at(before, 0, IRQ_STATUS) | interrupts_due(trial));
}

/* §10.2.1: a capture by overflow copies the values after the overflow. */
static bool shadow_is_a_capture(const struct trial *trial)
{
	const struct pmcg_config *config = trial->config;
	bool capture = trial->captures || trial->operation.action == CAPTURE;
	uint32_t control;
	uint64_t value;
	unsigned int i;

	if (written(trial, config->relocate, CAPR, &control))
		capture = control & 1;
	for (i = 0; i < config->counters; i++) {
		uint64_t shadow = counter_at(config, &trial->after, SVR, i);

		if (!config->capture && shadow)
			return false;
		if (!config->capture || is_reset(trial))
			continue;
		if (!capture)
			value = counter_at(config, &trial->before, SVR, i);
		else
			value = (counter_at(config, &trial->before, EVCNTR, i) +
				 trial->added[i]) & max_of(config);
		if (shadow != value)
			return false;
	}
	return true;
}

/* §10.5: both halves of a 64-bit register can be read by themselves. */
static bool reads_tell_the_state(const struct trial *trial)
{
	const struct operation *read = &trial->operation;
	bool torn = trial->torn, high_first = trial->config->common.high_first;
	const struct view *low, *high;
	uint64_t value;

	if (read->action != READ)
		return true;
	if (!is_access(read))
		return !read->value;
	low = trial->happened && (!torn || high_first) ? &trial->after : &trial->before;
	high = trial->happened && (!torn || !high_first) ? &trial->after : &trial->before;
	value = half_at(low, read->page, read->offset);
	if (read->size == 8)
		value |= (uint64_t)half_at(high, read->page, read->offset + 4) << 32;
	return read->value == value;
}

static bool overflow_was_foretold(const struct trial *trial)
{
	uint64_t distance = trial->before.cycles;

	if (!trial->happened || trial->operation.event.number)
		return true;
	/* UINT64_MAX may stand for a greater distance. */
	if (distance == UINT64_MAX && trial->operation.n == UINT64_MAX)
		return true;
	return !trial->carry == (trial->operation.n < distance);
}

static const struct {
	const char *text;
	bool (*holds)(const struct trial *trial);
} rules[] = {
	{ "a counter counts the events that its filter passes, and holds what is written to it",
	  counters_count },
	{ "OVS is set exactly when a carry left the top bit, or by software", overflow_is_a_carry },
	{ "a set register sets and a clear register clears what is implemented",
	  enables_are_set_and_cleared },
	{ "both registers of a pair read alike", pairs_read_alike },
	{ "what a PMCG is never changes", identity_never_changes },
	{ "a read-only register never changes by a write", read_only_ignores_writes },
	{ "EVTYPER and SMR hold what was written to their implemented bits",
	  filters_hold_what_was_written },
	{ "CR, IRQ_CTRL and GMPAM hold what was written to their implemented bits",
	  controls_hold_what_was_written },
	{ "an Update of IRQEN is acknowledged", updates_are_acknowledged },
	{ "IRQ_CFG changes only while IRQEN and its acknowledgment are 0", message_is_guarded },
	{ "an interrupt is an overflow with INTEN and IRQEN set",
	  interrupt_is_an_enabled_overflow },
	{ "an interrupt comes at once, or when it is no longer held, and never after IRQEN",
	  interrupt_comes_in_time },
	{ "an MSI is the one that IRQ_CFG describes", message_is_the_configured_one },
	{ "IRQ_ABT tells of an aborted MSI, until IRQEN is set", abort_is_noted },
	{ "a shadow changes by a capture only, which copies all counters", shadow_is_a_capture },
	{ "a read tells the state, in one access or two", reads_tell_the_state },
	{ "an overflow by cycles comes when it was foretold", overflow_was_foretold },
};

const char *broken_rule(const struct trial *trial)
{
	unsigned int i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (!rules[i].holds(trial))
			return rules[i].text;
	}
	return NULL;
}
