// SPDX-License-Identifier: GPL-2.0
/*
 * A second, simple implementation of IHI 0091, for the fuzzer.
 */
#include <string.h>

#include "expected.h"

enum {
	E = 0x1,
	P = 0x2,
	C = 0x4,
	D = 0x8,
	X = 0x10,
	DP = 0x20,
	NA = 0x100,
	FZO = 0x200,
	HDBG = 0x400,
	TRO = 0x800,
	MSIEN = 0x80,
};

static uint64_t ones(unsigned int n)
{
	return n ? UINT64_MAX >> (64 - n) : 0;
}

static bool is_cycle_counter(const struct expected *expected, unsigned int i)
{
	return expected->config->cycle_counter && i == 31;
}

static bool is_gauge(const struct expected *expected, unsigned int i)
{
	return expected->config->gauges.word[i / 64] >> i % 64 & 1 &&
	       !is_cycle_counter(expected, i);
}

static void add_monitor(struct expected *expected, unsigned int i)
{
	const struct coresight_config *config = expected->config;
	unsigned int bits = config->width[i] ? config->width[i] : config->bits;

	if (is_cycle_counter(expected, i))
		bits = config->cycle_counter_bits;
	expected->has[i] = true;
	expected->max[i] = ones(bits);
	if (i > expected->last)
		expected->last = i;
	if (bits > 32)
		expected->stride = 8;
}

/*
 * The fuzzer makes groups of monitors of up to 32 bits, or of larger ones, but does not mix them.
 */
static void add_monitors(struct expected *expected)
{
	const struct coresight_config *config = expected->config;
	unsigned int distance = 32, i, j;

	if (config->bits > 32)
		distance = config->groups > 8 ? 8 : config->groups > 4 ? 16 : 32;
	else if (config->groups > 8)
		distance = 16;
	for (i = 0; i < config->groups; i++) {
		for (j = 0; j < config->group_size[i]; j++)
			add_monitor(expected, i * distance + j);
	}
	for (i = 0, j = 0; !config->groups && j < config->monitors; i++) {
		if (is_cycle_counter(expected, i))
			continue;
		add_monitor(expected, i);
		j++;
	}
	if (config->cycle_counter)
		add_monitor(expected, 31);
}

/* Whether monitors and their configuration can be written. */
static bool writable(const struct expected *expected)
{
	return !expected->config->no_write_access || !(expected->control & E);
}

static uint32_t type_mask(const struct expected *expected, unsigned int i)
{
	if (!expected->has[i])
		return 0;
	return is_cycle_counter(expected, i) ? expected->config->cycle_filter_bits :
					       expected->config->type_bits;
}

static bool is_fixed(const struct expected *expected, unsigned int i)
{
	return expected->config->fixed.word[i / 64] >> i % 64 & 1;
}

static uint32_t filter_mask(const struct expected *expected, unsigned int i, uint32_t bits)
{
	return expected->has[i] && !is_cycle_counter(expected, i) ? bits : 0;
}

static uint32_t control_mask(const struct coresight_config *config)
{
	return E | (config->prescaler ? D : 0) | (config->export_events ? X : 0) |
	       (config->cycle_counter ? DP : 0) | (config->freeze ? FZO : 0) |
	       (config->halt == CORESIGHT_HALT_CONTROL ? HDBG : 0) | (config->trace ? TRO : 0);
}

static bool counts_chain(const struct expected *expected, unsigned int i)
{
	return expected->config->chain && i % 2 && expected->has[i] &&
	       !is_cycle_counter(expected, i) &&
	       expected->type[i] == expected->config->chain_event;
}

static bool frozen(const struct expected *expected)
{
	unsigned int i;

	if (!(expected->control & FZO))
		return false;
	for (i = 0; i <= expected->last; i++) {
		if (expected->overflowed[i])
			return true;
	}
	return false;
}

/* Whether a monitor can currently count. */
static bool counting(const struct expected *expected, unsigned int i)
{
	const struct coresight_config *config = expected->config;
	bool dp = expected->control & DP;

	if (!expected->enabled[i] || !(expected->control & E))
		return false;
	if (expected->halted && (config->halt == CORESIGHT_HALT_STOPS ||
				 expected->control & HDBG))
		return false;
	if (!is_cycle_counter(expected, i))
		return !expected->second_state && !frozen(expected);
	if (expected->type[31] >> 31 || (expected->second_state && dp))
		return false;
	return !frozen(expected);
}

static bool described_as_missing(const struct coresight_config *config, uint32_t number)
{
	bool missing = false;
	unsigned int i;

	for (i = 0; i < CORESIGHT_CEIDS; i++) {
		if (number < 32 * i || number > 32 * i + 31)
			continue;
		if (config->ceid[i] & UINT32_C(1) << number % 32)
			return false;
		missing = true;
	}
	return missing;
}

static bool includes(const struct expected *expected, unsigned int i,
		     const struct syspmu_event *event)
{
	const struct coresight_config *config = expected->config;

	if (is_cycle_counter(expected, i))
		return event->number == CORESIGHT_CYCLES;
	if (expected->type[i] != event->number)
		return false;
	if (event->number == CORESIGHT_CYCLES)
		return true;
	if ((config->chain && event->number == config->chain_event) ||
	    described_as_missing(config, event->number) ||
	    event->security != SYSPMU_NON_SECURE)
		return false;
	if (config->filter2_bits && expected->filter2[i] && expected->filter2[i] != event->partid)
		return false;
	if (!config->filter_bits)
		return true;
	if (config->filter == CORESIGHT_FILTER_SOURCES)
		return expected->filter[i] & UINT32_C(1) << event->stream_id % 32;
	return !expected->filter[i] || expected->filter[i] == event->stream_id;
}

/* Adds to a monitor; returns how many times it wraps, or 1 if the sum has more than 64 bits. */
static uint64_t add(struct expected *expected, unsigned int i, uint64_t n, uint64_t step)
{
	uint64_t max = expected->max[i], old = expected->value[i], sum = n * step, wraps;

	if (step > 1 && n > UINT64_MAX / step)
		wraps = 1;
	else if (max == UINT64_MAX)
		wraps = sum > max - old;
	else
		wraps = sum / (max + 1) + ((sum & max) + old > max);
	expected->value[i] = (sum + old) & max;
	if (wraps)
		expected->overflowed[i] = true;
	return wraps;
}

void expected_update(struct expected *expected)
{
	const struct coresight_config *config = expected->config;
	bool by_message = config->msi && (config->msi_always || expected->irq_control & MSIEN);
	bool level = false;
	unsigned int i;

	for (i = 0; i <= expected->last; i++)
		level |= expected->overflowed[i] && expected->irq[i] && expected->control & E;
	if (level && !expected->level) {
		expected->messages += by_message;
		expected->edges += !by_message || config->common.irq_beside_msi;
	}
	expected->level = level;
}

void expected_event(struct expected *expected, const struct syspmu_event *event, uint64_t n)
{
	const struct coresight_config *config = expected->config;
	bool counted[CORESIGHT_MAX_MONITORS];
	uint64_t wraps[CORESIGHT_MAX_MONITORS] = { 0 };
	unsigned int i;

	for (i = 0; i <= expected->last; i++)
		counted[i] = expected->has[i] && counting(expected, i);
	for (i = 0; i <= expected->last; i++) {
		uint64_t step = event->number == CORESIGHT_CYCLES ? 1 : config->step;

		if (!counted[i] || !includes(expected, i, event))
			continue;
		if (is_gauge(expected, i)) {
			expected->value[i] = n > expected->max[i] / step ? expected->max[i] :
									   n * step;
			/* CHAIN only counts unsigned overflows of counters. */
			continue;
		}
		if (is_cycle_counter(expected, i) && expected->control & D) {
			uint64_t rest = n % 64 + expected->cycles;

			expected->cycles = rest % 64;
			wraps[i] = add(expected, i, n / 64 + rest / 64, 1);
			continue;
		}
		wraps[i] = add(expected, i, n, step);
	}
	for (i = 1; i <= expected->last; i += 2) {
		if (wraps[i - 1] && counts_chain(expected, i) && counted[i])
			add(expected, i, wraps[i - 1], 1);
	}
	expected_update(expected);
}

static uint32_t saved_value(const struct expected *expected, unsigned int i)
{
	const struct coresight_saved *saved = &expected->config->saved[i];
	uint32_t bits = 0;
	unsigned int j;

	switch (saved->kind) {
	case CORESIGHT_SAVED_LOW:
		return (uint32_t)expected->value[saved->index];
	case CORESIGHT_SAVED_HIGH:
		return (uint32_t)(expected->value[saved->index] >> 32);
	case CORESIGHT_SAVED_OVERFLOW:
		for (j = 0; j < 32; j++)
			bits |= (uint32_t)expected->overflowed[32 * saved->index + j] << j;
		return bits;
	case CORESIGHT_SAVED_STATUS:
		return 0;
	default:
		return 0xdead0000;
	}
}

void expected_capture(struct expected *expected)
{
	unsigned int i;

	for (i = 0; i < CORESIGHT_SAVED_VALUES; i++) {
		bool status = expected->config->saved[i].kind == CORESIGHT_SAVED_STATUS;

		if (!expected->no_capture)
			expected->saved[i] = saved_value(expected, i);
		else if (status)
			expected->saved[i] = 1;
	}
	for (i = 0; i < 64 && !expected->no_capture; i++) {
		if (expected->reset >> i & 1) {
			expected->value[i] = 0;
			expected->overflowed[i] = false;
		}
	}
	expected_update(expected);
}

static bool in(uint32_t offset, uint32_t first, uint32_t bytes)
{
	return offset >= first && offset - first < bytes;
}

/* The flags of 32 monitors at an offset, or NULL. */
static bool *flags_at(struct expected *expected, unsigned int page, uint32_t offset, bool *set)
{
	unsigned int low_page = 0, high_page = expected->config->dual_page;

	*set = in(offset, 0xc00, 0x20) || in(offset, 0xc40, 0x20) || in(offset, 0xcc0, 0x20);
	if (page == low_page && in(offset, 0xc00, 0x40))
		return expected->enabled + offset % 0x20 * 8;
	if (page == low_page && in(offset, 0xc40, 0x40))
		return expected->irq + offset % 0x20 * 8;
	if (page == high_page && (in(offset, 0xc80, 0x20) || in(offset, 0xcc0, 0x20)))
		return expected->overflowed + offset % 0x20 * 8;
	return NULL;
}

static void write_flags(struct expected *expected, bool *flags, bool set, uint32_t value)
{
	unsigned int first, i;

	first = flags - (flags >= expected->overflowed ? expected->overflowed :
			 flags >= expected->irq ? expected->irq : expected->enabled);
	for (i = 0; i < 32; i++) {
		bool exists = expected->has[first + i] &&
			      (flags < expected->irq || !is_gauge(expected, first + i));

		if (value >> i & 1)
			flags[i] = set && exists;
	}
}

static void write_control(struct expected *expected, uint32_t value)
{
	unsigned int i;

	for (i = 0; i <= expected->last; i++) {
		if (value & (is_cycle_counter(expected, i) ? C : P))
			expected->value[i] = 0;
	}
	expected->control = value & control_mask(expected->config);
}

static void write_monitor(struct expected *expected, uint32_t offset, uint32_t value)
{
	unsigned int i = offset / expected->stride, shift = offset % expected->stride * 8;

	if (!writable(expected) || expected->config->common.read_only_counters)
		return;
	expected->value[i] &= ~((uint64_t)UINT32_MAX << shift);
	expected->value[i] |= (uint64_t)value << shift;
	expected->value[i] &= expected->max[i];
}

static void write_page_0(struct expected *expected, uint32_t offset, uint32_t value)
{
	const struct coresight_config *config = expected->config;
	uint64_t address_mask = ones(48) & ~UINT64_C(3);
	unsigned int i = offset % 0x200 / 4;

	if (in(offset, 0x400, 0x200) && writable(expected) && !is_fixed(expected, i))
		expected->type[i] = value & type_mask(expected, i);
	if (in(offset, 0x800, 0x200) && writable(expected))
		expected->filter2[i] = value & filter_mask(expected, i, config->filter2_bits);
	if (in(offset, 0xa00, 0x200) && writable(expected))
		expected->filter[i] = value & filter_mask(expected, i, config->filter_bits);
	if (offset == 0xe04)
		write_control(expected, value);
	if (offset == 0xe30 && config->snapshot && value & 1)
		expected_capture(expected);
	if (in(offset, 0xe38, 8) && config->snapshot_reset) {
		for (i = 0; i < 32; i++) {
			unsigned int monitor = i + (offset == 0xe3c ? 32 : 0);
			uint64_t bit = UINT64_C(1) << monitor;

			expected->reset &= ~bit;
			if (value >> i & 1 && expected->has[monitor])
				expected->reset |= bit;
		}
	}
	if (!config->msi)
		return;
	if (offset == 0xe80)
		expected->address = ((expected->address >> 32 << 32) | value) & address_mask;
	if (offset == 0xe84)
		expected->address = ((uint64_t)value << 32 | (uint32_t)expected->address) &
				    address_mask;
	if (config->msi_secure)
		return;
	if (offset == 0xe88)
		expected->data = value;
	if (offset == 0xe8c)
		expected->irq_control = value & ((config->msi_always ? 0 : MSIEN) |
						 (config->msi_attributes ? 0x3f : 0));
	if (offset == 0xef8)
		expected->irq_error &= ~value;
}

void expected_write(struct expected *expected, unsigned int page, uint32_t offset, uint32_t value)
{
	unsigned int i = offset % 0x80 / 4;
	bool set;
	bool *flags = flags_at(expected, page, offset, &set);

	if (flags)
		write_flags(expected, flags, set, value);
	if (offset < 0x400 && page == expected->config->dual_page)
		write_monitor(expected, offset, value);
	if (!page && in(offset, 0xd80, 0x80) && expected->config->impdef >> i & 1)
		expected->impdef[i] = value;
	if (!page)
		write_page_0(expected, offset, value);
	expected_update(expected);
}

static uint32_t read_type(const struct expected *expected, unsigned int i)
{
	const struct coresight_config *config = expected->config;

	if (!expected->has[i] || is_cycle_counter(expected, i) || is_fixed(expected, i))
		return expected->type[i];
	return expected->type[i] | (config->type_value & ~config->type_bits);
}

static uint32_t read_page_0(const struct expected *expected, uint32_t offset)
{
	unsigned int i = offset % 0x200 / 4;

	if (in(offset, 0x400, 0x200))
		return read_type(expected, i);
	if (in(offset, 0x800, 0x200))
		return expected->filter2[i];
	if (in(offset, 0xa00, 0x200))
		return expected->filter[i];
	switch (offset) {
	case 0xe04:
		return expected->control | (writable(expected) ? 0 : NA);
	case 0xe38:
		return (uint32_t)expected->reset;
	case 0xe3c:
		return (uint32_t)(expected->reset >> 32);
	case 0xe80:
		return (uint32_t)expected->address;
	case 0xe84:
		return (uint32_t)(expected->address >> 32);
	case 0xe88:
		return expected->data;
	case 0xe8c:
		return expected->irq_control;
	case 0xef8:
		return expected->irq_error;
	default:
		return 0;
	}
}

uint32_t expected_read(const struct expected *expected, unsigned int page, uint32_t offset)
{
	bool set;
	const bool *flags = flags_at((struct expected *)expected, page, offset, &set);
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; flags && i < 32; i++)
		value |= (uint32_t)flags[i] << i;
	if (!page && in(offset, 0xd80, 0x80) &&
	    expected->config->impdef >> offset % 0x80 / 4 & 1)
		return expected->impdef[offset % 0x80 / 4];
	if (page == expected->config->dual_page && offset < 0x400)
		return (uint32_t)(expected->value[offset / expected->stride] >>
				  offset % expected->stride * 8);
	if (page == expected->config->dual_page && expected->config->snapshot &&
	    in(offset, 0x600, 0x100))
		return expected->saved[offset % 0x100 / 4];
	return page || flags ? value : read_page_0(expected, offset);
}

static uint32_t peek(const struct syspmu_model *model, unsigned int page, uint32_t offset)
{
	return (uint32_t)(syspmu_peek(model, page, offset) >> offset % 8 * 8);
}

static void load_monitor(struct expected *expected, const struct syspmu_model *model,
			 unsigned int i)
{
	unsigned int page = expected->config->dual_page;
	uint32_t word = i / 32 * 4;

	expected->value[i] = peek(model, page, expected->stride * i);
	if (expected->stride == 8)
		expected->value[i] |= (uint64_t)peek(model, page, 8 * i + 4) << 32;
	expected->type[i] = peek(model, 0, 0x400 + 4 * i) & type_mask(expected, i);
	if (is_fixed(expected, i) && !is_cycle_counter(expected, i))
		expected->type[i] = expected->config->first_fixed + i;
	expected->filter[i] = peek(model, 0, 0xa00 + 4 * i);
	expected->filter2[i] = peek(model, 0, 0x800 + 4 * i);
	expected->enabled[i] = peek(model, 0, 0xc00 + word) >> i % 32 & 1;
	expected->irq[i] = peek(model, 0, 0xc40 + word) >> i % 32 & 1;
	expected->overflowed[i] = peek(model, page, 0xc80 + word) >> i % 32 & 1;
}

void expected_after_reset(struct expected *expected, const struct coresight_config *config,
			  const struct syspmu_model *model)
{
	unsigned int page = config->dual_page, i;
	bool halted = expected->halted, second_state = expected->second_state;
	bool no_capture = expected->no_capture;

	memset(expected, 0, sizeof(*expected));
	expected->config = config;
	expected->stride = 4;
	expected->halted = halted;
	expected->second_state = second_state;
	expected->no_capture = no_capture;
	add_monitors(expected);
	for (i = 0; i <= expected->last; i++) {
		if (expected->has[i])
			load_monitor(expected, model, i);
	}
	expected->control = peek(model, 0, 0xe04) & control_mask(config);
	for (i = 0; i < CORESIGHT_IMPDEFS; i++)
		expected->impdef[i] = peek(model, 0, 0xd80 + 4 * i);
	for (i = 0; i < CORESIGHT_SAVED_VALUES && config->snapshot; i++)
		expected->saved[i] = config->saved[i].kind == CORESIGHT_SAVED_STATUS ?
				     1 : peek(model, page, 0x600 + 4 * i);
	expected->reset = peek(model, 0, 0xe38) | (uint64_t)peek(model, 0, 0xe3c) << 32;
	expected->address = peek(model, 0, 0xe80) | (uint64_t)peek(model, 0, 0xe84) << 32;
	expected->data = peek(model, 0, 0xe88);
	expected->irq_control = peek(model, 0, 0xe8c);
	expected->irq_error = peek(model, 0, 0xef8);
	expected_update(expected);
	/* An edge of the irq that is caused by the reset is not counted. */
	expected->edges = syspmu_irq_edges(model);
	expected->messages = syspmu_messages(model);
}
