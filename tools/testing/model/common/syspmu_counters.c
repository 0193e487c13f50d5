// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of a PMU: their registers, how they count and overflow, and changes that
 * take effect late.
 */
#include <string.h>

#include "syspmu_private.h"

bool syspmu_intersects(const struct syspmu_bits *a, const struct syspmu_bits *b)
{
	uint64_t both = 0;
	unsigned int i;

	for (i = 0; i < SYSPMU_MAX_COUNTERS / 64; i++)
		both |= a->word[i] & b->word[i];
	return both;
}

static void set_bits(struct syspmu_bits *bits, const struct syspmu_bits *implemented,
		     unsigned int index, unsigned int word, uint32_t value)
{
	bits->word[index] |= syspmu_in_word(value, word) & implemented->word[index];
}

static void clear_bits(struct syspmu_bits *bits, unsigned int index, unsigned int word,
		       uint32_t value)
{
	bits->word[index] &= ~syspmu_in_word(value, word);
}

uint64_t *syspmu_value(struct syspmu_model *model, unsigned int counter)
{
	return &model->counter[model->config.aliased_counters ? 0 : counter].value;
}

static uint64_t value_of(const struct syspmu_model *model, unsigned int counter)
{
	return model->counter[model->config.aliased_counters ? 0 : counter].value;
}

/* The bits above the width of a counter are RES0, and so are numbers without a counter. */

uint32_t syspmu_counter_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	return syspmu_word(value_of(model, index) & model->counter[index].max, word);
}

void syspmu_counter_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	uint64_t *counter = syspmu_value(model, index);
	uint64_t max = model->counter[index].max;

	if (max && !model->config.read_only_counters)
		*counter = syspmu_with_word(*counter, word, value) & max;
}

uint32_t syspmu_enable_read(const struct syspmu_model *model, unsigned int index,
			    unsigned int word)
{
	return syspmu_word(model->enabled.word[index], word);
}

void syspmu_enable_set(struct syspmu_model *model, unsigned int index, unsigned int word,
		       uint32_t value)
{
	set_bits(&model->enabled, &model->implemented, index, word, value);
}

void syspmu_enable_clear(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value)
{
	clear_bits(&model->enabled, index, word, value);
}

uint32_t syspmu_irq_enable_read(const struct syspmu_model *model, unsigned int index,
				unsigned int word)
{
	return syspmu_word(model->irq_enabled.word[index], word);
}

void syspmu_irq_enable_set(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value)
{
	set_bits(&model->irq_enabled, &model->overflowing, index, word, value);
}

void syspmu_irq_enable_clear(struct syspmu_model *model, unsigned int index, unsigned int word,
			     uint32_t value)
{
	clear_bits(&model->irq_enabled, index, word, value);
}

uint32_t syspmu_overflow_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word)
{
	return syspmu_word(model->overflowed.word[index], word);
}

void syspmu_overflow_set(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value)
{
	set_bits(&model->overflowed, &model->overflowing, index, word, value);
}

void syspmu_overflow_clear(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value)
{
	clear_bits(&model->overflowed, index, word, value);
}

void syspmu_update_counting(struct syspmu_model *model, bool running)
{
	unsigned int i;

	if (model->config.dead_counters || model->config.inert)
		running = false;
	for (i = 0; i < SYSPMU_MAX_COUNTERS / 64; i++) {
		uint64_t enabled = running ? model->enabled.word[i] : 0;

		if (model->config.stuck_enable)
			model->counting.word[i] |= enabled;
		else
			model->counting.word[i] = enabled;
	}
}

/* Whether a counter counts an event, and if so, what it counts. */
static bool counts(const struct syspmu_model *model, unsigned int counter,
		   const struct syspmu_event *event, struct syspmu_counted *counted)
{
	if (!syspmu_test_bit(&model->counting, counter))
		return false;
	*counted = model->ops->counted(model, counter);
	return model->ops->includes(model, counted, event);
}

/* How many of these events a counter still counts because of what it counted before a change. */
static uint32_t late_events(const struct syspmu_model *model, unsigned int number,
			    const struct syspmu_event *event)
{
	const struct syspmu_counter *counter = &model->counter[number];

	if (!counter->late_events || !model->ops->includes(model, &counter->late, event))
		return 0;
	return counter->late_events;
}

void syspmu_before_change(const struct syspmu_model *model, struct syspmu_before *before)
{
	unsigned int i;

	if (!model->change_delay)
		return;
	before->counting = model->counting;
	for (i = 0; i < model->counters; i++) {
		if (syspmu_test_bit(&model->counting, i))
			before->counted[i] = model->ops->counted(model, i);
	}
}

void syspmu_after_change(struct syspmu_model *model, const struct syspmu_before *before)
{
	unsigned int i;

	if (!model->change_delay)
		return;
	for (i = 0; i < model->counters; i++) {
		const struct syspmu_counted *then = &before->counted[i];
		struct syspmu_counted now;

		if (!syspmu_test_bit(&before->counting, i))
			continue;
		now = model->ops->counted(model, i);
		if (syspmu_test_bit(&model->counting, i) && now.type == then->type &&
		    now.filter == then->filter && now.match == then->match)
			continue;
		model->counter[i].late = *then;
		model->counter[i].late_events = model->change_delay;
	}
}

void syspmu_delay_changes(struct syspmu_model *model, uint32_t events)
{
	unsigned int i;

	model->change_delay = events;
	if (events)
		return;
	for (i = 0; i < model->counters; i++)
		model->counter[i].late_events = 0;
}

uint32_t syspmu_change_delay(const struct syspmu_model *model)
{
	return model->change_delay;
}

static struct syspmu_rate rate_of(const struct syspmu_model *model, unsigned int counter,
				  const struct syspmu_event *event)
{
	if (!model->ops->rate)
		return (struct syspmu_rate){ .events = 1, .step = 1 };
	return model->ops->rate(model, counter, event);
}

/* One increment for each @events of @n events. The remainder is kept for later ones. */
static uint64_t increments(struct syspmu_counter *counter, uint64_t n, uint64_t events)
{
	uint64_t rest;

	if (events == 1)
		return n;
	rest = n % events + counter->remainder;
	counter->remainder = rest % events;
	return n / events + rest / events;
}

/* A gauge shows the number of events at the last instant, limited to its maximum. */
static void show(struct syspmu_counter *counter, uint64_t *value, uint64_t increments,
		 uint64_t step)
{
	*value = increments > counter->max / step ? counter->max : increments * step;
}

/* The product may have more than 64 bits: the counter wraps for these, too. */
static void increase(struct syspmu_counter *counter, uint64_t *value, uint64_t increments,
		     uint64_t step)
{
	uint64_t sum = increments * step;
	uint64_t room = counter->max - *value;

	if (step > 1 && increments > UINT64_MAX / step)
		counter->wraps++;
	if (sum > room)
		counter->wraps++;
	if (sum > room && counter->max != UINT64_MAX)
		counter->wraps += (sum - room - 1) / (counter->max + 1);
	*value = (*value + sum) & counter->max;
}

static void add(struct syspmu_model *model, unsigned int number,
		const struct syspmu_counted *counted, const struct syspmu_event *event, uint64_t n,
		struct syspmu_overflows *overflows)
{
	struct syspmu_counter *counter = &model->counter[number];
	const struct syspmu_rate rate = rate_of(model, number, event);
	uint64_t *value = syspmu_value(model, number);
	uint64_t added = increments(counter, n, rate.events);
	uint64_t wraps = counter->wraps;

	if (counter->gauge)
		show(counter, value, added, rate.step);
	else
		increase(counter, value, added, rate.step);
	if (counter->wraps != wraps) {
		syspmu_set_bit(&overflows->counters, number);
		overflows->types |= counted->type;
	}
}

void syspmu_increment(struct syspmu_model *model, unsigned int number, uint64_t n)
{
	struct syspmu_counter *counter = &model->counter[number];

	counter->wraps = 0;
	increase(counter, syspmu_value(model, number), n, 1);
	if (counter->wraps)
		syspmu_set_bit(&model->overflowed, number);
}

void syspmu_count(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n,
		  struct syspmu_overflows *overflows)
{
	struct syspmu_counted counted;
	unsigned int i;

	memset(overflows, 0, sizeof(*overflows));
	for (i = 0; i < model->counters; i++) {
		struct syspmu_counter *counter = &model->counter[i];
		uint64_t late = counter->gauge ? 0 : late_events(model, i, event);

		counter->wraps = 0;
		if (late > n)
			late = n;
		if (late) {
			counter->late_events -= (uint32_t)late;
			add(model, i, &counter->late, event, late, overflows);
		}
		if (counts(model, i, event, &counted))
			add(model, i, &counted, event, n - late, overflows);
	}
	for (i = 0; i < SYSPMU_MAX_COUNTERS / 64; i++)
		model->overflowed.word[i] |= overflows->counters.word[i];
}

bool syspmu_can_count(const struct syspmu_model *model)
{
	return model->change_delay || syspmu_intersects(&model->counting, &model->counting);
}

void syspmu_inject(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n)
{
	if (!model->dead)
		model->ops->event(model, event, n);
}

void syspmu_clock(struct syspmu_model *model, uint64_t n)
{
	const struct syspmu_event cycle = { .number = model->ops->cycles };

	syspmu_inject(model, &cycle, n);
}

/* How many cycles a counter can count without an overflow, if its value can grow by @room. */
static uint64_t cycles_within(const struct syspmu_model *model, unsigned int counter,
			      uint64_t room)
{
	const struct syspmu_event cycle = { .number = model->ops->cycles };
	const struct syspmu_rate rate = rate_of(model, counter, &cycle);

	room /= rate.step;
	if (rate.events == 1)
		return room;
	if (room >= UINT64_MAX / rate.events)
		return UINT64_MAX;
	return room * rate.events + rate.events - 1 - model->counter[counter].remainder;
}

uint64_t syspmu_cycles_to_overflow(const struct syspmu_model *model)
{
	const struct syspmu_event cycle = { .number = model->ops->cycles };
	uint64_t nearest = UINT64_MAX;
	struct syspmu_counted counted;
	unsigned int i;

	for (i = 0; i < model->counters && !model->dead; i++) {
		uint64_t room = model->counter[i].max - value_of(model, i);

		if (model->counter[i].gauge)
			continue;
		if (!counts(model, i, &cycle, &counted) && late_events(model, i, &cycle) <= room)
			continue;
		room = cycles_within(model, i, room);
		/* For a 64-bit counter at zero, the result would need one more bit. */
		if (room < nearest)
			nearest = room + 1;
	}
	return nearest;
}
