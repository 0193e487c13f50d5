// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: IHI 0091 §2.6.6, §3.34 and §3.43 to §3.46.
 */
#include <string.h>

#include "coresight_private.h"

/* Value of a PMSVR without a meaning. */
#define NO_SAVED_VALUE	UINT32_C(0xdead0000)

struct layout {
	struct coresight_saved *saved;
	unsigned int place;
	unsigned int end;
};

static void put(struct layout *layout, enum coresight_saved_kind kind, unsigned int index)
{
	if (layout->place < layout->end)
		layout->saved[layout->place++] = (struct coresight_saved){
			.kind = (uint8_t)kind, .index = (uint8_t)index,
		};
}

static void put_monitor(struct layout *layout, unsigned int number, bool wide)
{
	if (wide)
		layout->place += layout->place % 2;
	if (layout->place + wide >= layout->end)
		return;
	put(layout, CORESIGHT_SAVED_LOW, number);
	if (wide)
		put(layout, CORESIGHT_SAVED_HIGH, number);
}

static void put_overflow(struct layout *layout, const struct coresight_config *config,
			 const struct syspmu_bits *numbers)
{
	unsigned int i;

	for (i = 0; config->snapshot_reset && i < CORESIGHT_MAX_MONITORS / 32; i++) {
		if (syspmu_word(numbers->word[i / 2], i % 2))
			put(layout, CORESIGHT_SAVED_OVERFLOW, i);
	}
}

static void ascending(struct layout *layout, const struct coresight_config *config,
		      const struct syspmu_bits *numbers, bool wide)
{
	unsigned int words = 0, i;

	for (i = 0; config->snapshot_reset && i < CORESIGHT_MAX_MONITORS / 32; i++)
		words += syspmu_word(numbers->word[i / 2], i % 2) != 0;
	layout->end -= words + 1;
	for (i = 0; i < CORESIGHT_MAX_MONITORS; i++) {
		if (syspmu_test_bit(numbers, i))
			put_monitor(layout, i, wide);
	}
	layout->end += words + 1;
	put_overflow(layout, config, numbers);
	put(layout, CORESIGHT_SAVED_STATUS, 0);
}

static void descending(struct layout *layout, const struct coresight_config *config,
		       const struct syspmu_bits *numbers, bool wide)
{
	unsigned int i;

	put(layout, CORESIGHT_SAVED_STATUS, 0);
	put_overflow(layout, config, numbers);
	for (i = CORESIGHT_MAX_MONITORS; i--;) {
		if (syspmu_test_bit(numbers, i))
			put_monitor(layout, i, wide);
	}
}

static void indexed(struct layout *layout, const struct syspmu_bits *numbers, bool wide)
{
	unsigned int i;

	layout->end--;
	for (i = 0; i < CORESIGHT_SAVED_VALUES; i++) {
		layout->place = i * (1 + wide);
		if (syspmu_test_bit(numbers, i))
			put_monitor(layout, i, wide);
	}
	layout->place = layout->end++;
	put(layout, CORESIGHT_SAVED_STATUS, 0);
}

void coresight_set_layout(struct coresight_config *config, enum coresight_layout layout)
{
	bool wide = coresight_greatest_width(config) > 32;
	struct layout to = { .saved = config->saved, .end = CORESIGHT_SAVED_VALUES };
	struct syspmu_bits numbers;

	coresight_numbers(config, &numbers);
	memset(config->saved, 0, sizeof(config->saved));
	switch (layout) {
	case CORESIGHT_LAYOUT_ASCENDING:
		ascending(&to, config, &numbers, wide);
		break;
	case CORESIGHT_LAYOUT_DESCENDING:
		descending(&to, config, &numbers, wide);
		break;
	case CORESIGHT_LAYOUT_INDEXED:
		indexed(&to, &numbers, wide);
		break;
	}
}

/* The value that a capture would save now. */
static uint32_t value_now(const struct coresight *pmu, const struct coresight_saved *saved)
{
	switch (saved->kind) {
	case CORESIGHT_SAVED_LOW:
		return syspmu_counter_read(&pmu->model, saved->index, 0);
	case CORESIGHT_SAVED_HIGH:
		return syspmu_counter_read(&pmu->model, saved->index, 1);
	case CORESIGHT_SAVED_OVERFLOW:
		return syspmu_overflow_read(&pmu->model, saved->index / 2, saved->index % 2);
	default:
		return NO_SAVED_VALUE;
	}
}

uint32_t coresight_saved_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word)
{
	const struct coresight *pmu = const_coresight(model);

	if (pmu->config.saved[index].kind == CORESIGHT_SAVED_STATUS)
		return pmu->not_captured ? CORESIGHT_PMSSSR_NC : 0;
	return pmu->saved[index];
}

/* §3.44: the overflow status is reset with the monitor. */
static void reset_monitors(struct coresight *pmu)
{
	struct syspmu_model *model = &pmu->model;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		if (!(pmu->snapshot_reset >> i & 1))
			continue;
		*syspmu_value(model, i) = 0;
		syspmu_clear_bit(&model->overflowed, i);
	}
}

void coresight_capture(struct syspmu_model *model)
{
	struct coresight *pmu = to_coresight(model);
	unsigned int i;

	pmu->not_captured = pmu->capture_prohibited;
	if (pmu->capture_prohibited)
		return;
	for (i = 0; i < CORESIGHT_SAVED_VALUES; i++)
		pmu->saved[i] = value_now(pmu, &pmu->config.saved[i]);
	reset_monitors(pmu);
	coresight_update(model);
}

void coresight_sscr_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	if (value & CORESIGHT_PMSSCR_SS)
		coresight_capture(model);
}

uint32_t coresight_ssrr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	return syspmu_word(const_coresight(model)->snapshot_reset, word);
}

void coresight_ssrr_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	pmu->snapshot_reset = syspmu_with_word(pmu->snapshot_reset, word, value) &
			      pmu->model.implemented.word[0];
}

void coresight_reset_snapshot(struct coresight *pmu, uint64_t *seed)
{
	unsigned int i;

	for (i = 0; i < CORESIGHT_SAVED_VALUES; i++)
		pmu->saved[i] = syspmu_garbage(seed) & UINT32_MAX;
	pmu->not_captured = true;
	if (pmu->config.snapshot_reset)
		pmu->snapshot_reset = syspmu_garbage(seed) &
			      pmu->model.implemented.word[0];
}

void coresight_prohibit_capture(struct coresight *pmu, bool prohibited)
{
	pmu->capture_prohibited = prohibited;
}
