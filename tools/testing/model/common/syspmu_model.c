// SPDX-License-Identifier: GPL-2.0
/*
 * Initialisation, reset and power of a PMU.
 */
#include <string.h>

#include "syspmu_private.h"

const char *syspmu_check_config(const struct syspmu_config *config)
{
	if (config->inert && config->running)
		return "a PMU that has no registers but identification cannot be left running";
	return NULL;
}

void syspmu_init(struct syspmu_model *model, const struct syspmu_ops *ops,
		 const struct syspmu_config *config, const struct syspmu_owner *owner)
{
	memset(model, 0, sizeof(*model));
	model->ops = ops;
	model->config = *config;
	if (owner)
		model->owner = *owner;
	model->dead = config->dead;
}

static void add_any(struct syspmu_model *model, unsigned int number, unsigned int bits)
{
	model->counter[number].max = syspmu_ones(bits);
	syspmu_set_bit(&model->implemented, number);
	if (number >= model->counters)
		model->counters = number + 1;
	if (bits > 32)
		model->wide_counters = true;
}

void syspmu_add_counter(struct syspmu_model *model, unsigned int number, unsigned int bits)
{
	add_any(model, number, bits);
	syspmu_set_bit(&model->overflowing, number);
}

void syspmu_add_gauge(struct syspmu_model *model, unsigned int number, unsigned int bits)
{
	add_any(model, number, bits);
	model->counter[number].gauge = true;
}

bool syspmu_has_two_pages(const struct syspmu_model *model)
{
	return model->two_pages;
}

/* A generator with full period, so that any seed is suitable. */
uint64_t syspmu_garbage(uint64_t *seed)
{
	uint64_t mix = *seed += UINT64_C(0x9e3779b97f4a7c15);

	mix = (mix ^ mix >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mix = (mix ^ mix >> 27) * UINT64_C(0x94d049bb133111eb);
	return mix ^ mix >> 31;
}

void syspmu_garbage_bits(const struct syspmu_model *model, struct syspmu_bits *bits,
			 uint64_t *seed)
{
	unsigned int i;

	for (i = 0; i * 64 < model->counters; i++)
		bits->word[i] = syspmu_garbage(seed) & model->implemented.word[i];
}

void syspmu_reset(struct syspmu_model *model, uint64_t seed)
{
	model->tear.n = 0;
	model->step.n = 0;
	model->precede.n = 0;
	syspmu_delay_changes(model, 0);
	syspmu_reset_interrupts(model);
	syspmu_reset_accesses(model);

	memset(&model->counting, 0, sizeof(model->counting));
	model->ops->reset(model, seed);
	model->ops->update(model);
}

void syspmu_request_capture(struct syspmu_model *model)
{
	if (!model->dead && model->ops->capture)
		model->ops->capture(model);
}

bool syspmu_is_armed(const struct syspmu_model *model)
{
	return model->ops->is_armed(model);
}

void syspmu_set_dead(struct syspmu_model *model, bool dead)
{
	bool changes = model->dead != dead;

	model->dead = dead;
	/* An MSI has no level. */
	if (changes && !model->ops->message(model, &(struct syspmu_message){ 0 }))
		syspmu_drive_level(model);
}

bool syspmu_is_dead(const struct syspmu_model *model)
{
	return model->dead;
}
