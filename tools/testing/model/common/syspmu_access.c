// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses by software: the register at an offset, splitting of 64-bit accesses, access
 * counts, and events that occur just before or in the middle of an access.
 */
#include <string.h>

#include "syspmu_private.h"

static bool is_in_page(const struct syspmu_model *model, const struct syspmu_register *reg,
		       unsigned int page)
{
	if (!model->two_pages)
		return page == 0;
	return reg->flags & (page ? SYSPMU_PAGE_1 : SYSPMU_PAGE_0);
}

static const struct syspmu_register *find_register(const struct syspmu_model *model,
						   unsigned int page, uint32_t offset)
{
	size_t i;

	for (i = 0; i < model->ops->register_count; i++) {
		const struct syspmu_register *reg = &model->ops->registers[i];

		if (offset >= reg->offset && offset - reg->offset < reg->bytes &&
		    is_in_page(model, reg, page))
			return reg;
	}
	return NULL;
}

static unsigned int register_width(const struct syspmu_model *model,
				   const struct syspmu_register *reg)
{
	if (reg->width != SYSPMU_COUNTER_WIDTH)
		return reg->width;
	return model->wide_counters ? 8 : 4;
}

/* These are missing if firmware describes the wrong page 1. */
static bool is_in_page_1_only(const struct syspmu_register *reg)
{
	return reg->flags & SYSPMU_PAGE_1 && !(reg->flags & SYSPMU_PAGE_0);
}

static bool is_missing(const struct syspmu_model *model, const struct syspmu_register *reg)
{
	return (model->config.dead_counters && is_in_page_1_only(reg)) ||
	       (model->config.inert && !(reg->flags & SYSPMU_IDENTITY));
}

static bool is_accessible(const struct syspmu_model *model)
{
	return !model->dead && (!model->ops->accessible || model->ops->accessible(model));
}

static uint32_t read_word(const struct syspmu_model *model, unsigned int page, uint32_t offset)
{
	const struct syspmu_register *reg = find_register(model, page, offset);
	unsigned int width;

	if (model->dead)
		return UINT32_MAX;
	if (!is_accessible(model) || !reg || !reg->read || is_missing(model, reg))
		return 0;
	width = register_width(model, reg);
	offset -= reg->offset;
	return reg->read(model, offset / width, offset % width / 4);
}

static void write_word(struct syspmu_model *model, unsigned int page, uint32_t offset,
		       uint32_t value)
{
	const struct syspmu_register *reg = find_register(model, page, offset);
	struct syspmu_before before;
	unsigned int width;

	if (!is_accessible(model) || !reg || !reg->write || is_missing(model, reg))
		return;
	width = register_width(model, reg);
	offset -= reg->offset;
	syspmu_before_change(model, &before);
	reg->write(model, offset / width, offset % width / 4, value);
	model->ops->update(model);
	syspmu_after_change(model, &before);
}

/* The index of the access counts of the register at an offset. */
static uint32_t counted_at(const struct syspmu_model *model, unsigned int page, uint32_t offset)
{
	const struct syspmu_register *reg = find_register(model, page, offset);
	unsigned int width = reg ? register_width(model, reg) : 4;

	return offset / width * width / 4;
}

static bool in_pages(unsigned int page, uint32_t offset)
{
	return page < SYSPMU_PAGES && offset < SYSPMU_PAGE_SIZE;
}

static bool well_formed(uint32_t offset, unsigned int size)
{
	return (size == 4 || size == 8) && offset % size == 0;
}

bool syspmu_access_faults(const struct syspmu_model *model, unsigned int page, uint32_t offset,
			  unsigned int size)
{
	const struct syspmu_register *reg;

	if (size != 8)
		return false;
	reg = find_register(model, page, offset);
	return model->config.wide_faults ||
	       (model->config.pair_faults && reg && reg->flags & SYSPMU_PAIRS);
}

static bool holds_count(const struct syspmu_model *model, unsigned int page, uint32_t offset)
{
	const struct syspmu_register *reg = find_register(model, page, offset);

	return reg && reg->flags & SYSPMU_COUNT && is_accessible(model);
}

static bool is_register_of(const struct syspmu_model *model, unsigned int page, uint32_t offset,
			   const struct syspmu_pending *pending)
{
	return page == pending->page &&
	       counted_at(model, page, offset) == counted_at(model, page, pending->offset);
}

static void happen_once(struct syspmu_model *model, struct syspmu_pending *pending)
{
	uint64_t n = pending->n;

	pending->n = 0;
	if (n)
		syspmu_inject(model, &pending->event, n);
}

static void step(struct syspmu_model *model, unsigned int page, uint32_t offset)
{
	if (model->step.n && holds_count(model, page, offset))
		syspmu_inject(model, &model->step.event, model->step.n);
}

static void tear(struct syspmu_model *model, unsigned int page, uint32_t offset)
{
	if (holds_count(model, page, offset))
		happen_once(model, &model->tear);
}

static void precede(struct syspmu_model *model, unsigned int page, uint32_t offset)
{
	if (is_register_of(model, page, offset, &model->precede))
		happen_once(model, &model->precede);
}

/* Reads a word with the side effects of a read by software. */
static uint64_t software_reads(struct syspmu_model *model, unsigned int page, uint32_t offset,
			       unsigned int word)
{
	const struct syspmu_register *reg = find_register(model, page, offset + 4 * word);
	uint32_t value = read_word(model, page, offset + 4 * word);

	if (reg && model->ops->was_read && is_accessible(model))
		model->ops->was_read(model, reg);
	return syspmu_in_word(value, word);
}

uint64_t syspmu_read(struct syspmu_model *model, unsigned int page, uint32_t offset,
		     unsigned int size)
{
	unsigned int first = model->config.high_first;
	uint64_t value;

	if (!in_pages(page, offset) || syspmu_access_faults(model, page, offset, size))
		return 0;
	model->accesses[page][counted_at(model, page, offset)].reads++;
	if (!well_formed(offset, size))
		return 0;

	step(model, page, offset);
	if (size == 4)
		return software_reads(model, page, offset, 0);
	value = software_reads(model, page, offset, first);
	if (model->config.split_accesses)
		tear(model, page, offset);
	return value | software_reads(model, page, offset, !first);
}

void syspmu_write(struct syspmu_model *model, unsigned int page, uint32_t offset,
		  unsigned int size, uint64_t value)
{
	if (!in_pages(page, offset) || syspmu_access_faults(model, page, offset, size))
		return;
	model->accesses[page][counted_at(model, page, offset)].writes++;
	if (!well_formed(offset, size))
		return;

	precede(model, page, offset);
	write_word(model, page, offset, syspmu_word(value, 0));
	if (size == 8)
		write_word(model, page, offset + 4, syspmu_word(value, 1));
}

uint64_t syspmu_peek(const struct syspmu_model *model, unsigned int page, uint32_t offset)
{
	offset &= ~UINT32_C(7);
	if (!in_pages(page, offset))
		return 0;
	return read_word(model, page, offset) |
	       syspmu_in_word(read_word(model, page, offset + 4), 1);
}

struct syspmu_accesses syspmu_accesses(const struct syspmu_model *model, unsigned int page,
				       uint32_t offset)
{
	struct syspmu_accesses sum = { 0 };
	size_t i, j;

	if (offset != SYSPMU_ALL_REGISTERS)
		return in_pages(page, offset) ?
		       model->accesses[page][counted_at(model, page, offset)] : sum;

	for (i = 0; i < SYSPMU_PAGES; i++) {
		for (j = 0; j < SYSPMU_PAGE_SIZE / 4; j++) {
			sum.reads += model->accesses[i][j].reads;
			sum.writes += model->accesses[i][j].writes;
		}
	}
	return sum;
}

void syspmu_reset_accesses(struct syspmu_model *model)
{
	memset(model->accesses, 0, sizeof(model->accesses));
}

void syspmu_tear(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n)
{
	model->tear = (struct syspmu_pending){ .event = *event, .n = n };
}

void syspmu_step(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n)
{
	model->step = (struct syspmu_pending){ .event = *event, .n = n };
}

uint64_t syspmu_steps(const struct syspmu_model *model)
{
	return model->step.n;
}

void syspmu_precede(struct syspmu_model *model, unsigned int page, uint32_t offset,
		    const struct syspmu_event *event, uint64_t n)
{
	model->precede = (struct syspmu_pending){ *event, n, page, offset };
}

uint64_t syspmu_preceding(const struct syspmu_model *model)
{
	return model->precede.n;
}
