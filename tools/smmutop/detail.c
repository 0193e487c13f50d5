// SPDX-License-Identifier: GPL-2.0
/*
 * Why does a device miss? All events of the counter groups of its SMMU, beside those of everything.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detail.h"
#include "estimate.h"
#include "output.h"
#include "text.h"

/**
 * struct detail_event - an event of a counter group
 * @name: in sysfs
 * @event: for struct spec
 * @base: index of the event that this one is a part of, or -1
 * @pack: events of the same pack are counted at the same time
 * @device: of the device
 * @all: of everything
 * @ratio: to @base, of the device
 */
struct detail_event {
	const char *name;
	unsigned int event;
	int base;
	unsigned int pack;
	struct estimate device;
	struct estimate all;
	struct estimate_ratio ratio;
};

/**
 * struct detail_pmcg - a counter group; without events if it is that of another SMMU
 * @events: that know StreamIDs
 * @number: of these
 * @packs: how many
 * @rowless: its filters cannot tell the row from others: only everything is counted
 * @steps: slices in which all is counted once
 * @step: the next one
 * @counted: slices
 */
struct detail_pmcg {
	struct detail_event *events;
	size_t number;
	unsigned int packs;
	bool rowless;
	unsigned int steps;
	unsigned int step;
	unsigned int counted;
};

struct detail {
	const struct machine *machine;
	size_t smmu;
	size_t row;
	struct detail_pmcg *pmcgs;
};

static void add_event(struct detail_pmcg *pmcg, const char *name, unsigned int event)
{
	pmcg->events = grow(pmcg->events, pmcg->number, sizeof(*pmcg->events));
	pmcg->events[pmcg->number].name = name;
	pmcg->events[pmcg->number].event = event;
	pmcg->events[pmcg->number].base = -1;
	pmcg->number++;
}

/* "x_miss" is a part of "x_lookup". */
static bool is_part_of(const char *part, const char *whole)
{
	size_t length = strlen(part);

	return length > 5 && !strcmp(part + length - 5, "_miss") &&
	       !strncmp(part, whole, length - 4) && !strcmp(whole + length - 4, "lookup");
}

/* Puts what belongs together beside each other. */
static void list_events(struct detail_pmcg *list, const struct pmcg *pmcg)
{
	static const enum pmcg_event order[] = {
		EVENT_TRANSACTION, EVENT_TLB_MISS, EVENT_WALK_ACCESS, EVENT_CONFIG_MISS,
		EVENT_CONFIG_ACCESS, EVENT_ATS_REQUEST, EVENT_ATS_PASSED,
	};
	const struct named_event *named = pmcg->named;
	bool *listed = calloc(pmcg->named_number + 1, sizeof(*listed));
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (pmcg->events & 1U << order[i])
			add_event(list, event_name(order[i]), order[i]);
	for (i = 0; listed && i < pmcg->named_number; i++) {
		if (named[i].no_stream || listed[i] || strstr(named[i].name, "_miss"))
			continue;
		add_event(list, named[i].name, EVENTS + i);
		listed[i] = true;
		for (j = 0; j < pmcg->named_number; j++) {
			if (named[j].no_stream || !is_part_of(named[j].name, named[i].name))
				continue;
			add_event(list, named[j].name, EVENTS + j);
			listed[j] = true;
		}
	}
	for (i = 0; listed && i < pmcg->named_number; i++)
		if (!listed[i] && !named[i].no_stream)
			add_event(list, named[i].name, EVENTS + i);
	free(listed);
}

static int base_of(const struct detail_pmcg *pmcg, enum pmcg_kind kind, size_t index)
{
	const struct detail_event *event = &pmcg->events[index];
	unsigned int base = EVENTS;
	size_t i;

	if (event->event == EVENT_TLB_MISS && kind != KIND_TCU)
		base = EVENT_TRANSACTION;
	if (event->event == EVENT_WALK_ACCESS)
		base = EVENT_TLB_MISS;
	for (i = 0; i < index; i++)
		if ((base < EVENTS && pmcg->events[i].event == base) ||
		    is_part_of(event->name, pmcg->events[i].name))
			return i;
	return -1;
}

/* An event whose base does not fit into the same pack has no ratio. */
static void make_packs(struct detail_pmcg *list, const struct pmcg *pmcg)
{
	unsigned int limit = pmcg->filter_each ? pmcg->counters / 2 : pmcg->counters, used = 0;
	size_t i, j;
	bool pair;

	if (!limit)
		limit = 1;
	for (i = 0; i < list->number; i++) {
		list->events[i].base = base_of(list, pmcg->kind, i);
		pair = false;
		for (j = i + 1; j < list->number && j <= i + 1; j++)
			pair = base_of(list, pmcg->kind, j) == (int)i;
		if (used && (used == limit || (pair && used + 2 > limit && limit > 1))) {
			list->packs++;
			used = 0;
		}
		list->events[i].pack = list->packs;
		used++;
		if (list->events[i].base >= 0 &&
		    list->events[list->events[i].base].pack != list->packs)
			list->events[i].base = -1;
	}
	list->packs += used > 0;
	list->steps = list->packs * (list->rowless ||
				     (pmcg->filter_each && pmcg->counters > 1) ? 1 : 2);
}

static struct detail_event *find_event(struct detail_pmcg *list, unsigned int event)
{
	size_t i;

	for (i = 0; i < list->number; i++)
		if (list->events[i].event == event)
			return &list->events[i];
	return NULL;
}

/**
 * detail_new - count all events of a row
 * @machine: with counter groups whose counters and events are known
 * @smmu: index of the SMMU
 * @row: index of the row
 *
 * Return: what to count; nothing was counted yet
 */
struct detail *detail_new(const struct machine *machine, size_t smmu, size_t row)
{
	struct detail *detail = grow(NULL, 0, sizeof(*detail));
	size_t i;

	detail->machine = machine;
	detail->smmu = smmu;
	detail->row = row;
	for (i = 0; i < machine->pmcgs_number; i++) {
		detail->pmcgs = grow(detail->pmcgs, i, sizeof(*detail->pmcgs));
		if (machine->pmcgs[i].smmu != (int)smmu)
			continue;
		detail->pmcgs[i].rowless = !machine_counts_row(machine, &machine->pmcgs[i],
							       &machine->smmus[smmu].rows[row]);
		list_events(&detail->pmcgs[i], &machine->pmcgs[i]);
		make_packs(&detail->pmcgs[i], &machine->pmcgs[i]);
	}
	return detail;
}

void detail_free(struct detail *detail)
{
	size_t i;

	if (!detail)
		return;
	for (i = 0; i < detail->machine->pmcgs_number; i++)
		free(detail->pmcgs[i].events);
	free(detail->pmcgs);
	free(detail);
}

/* Whether it is about this row. */
bool detail_is_of(const struct detail *detail, size_t smmu, size_t row)
{
	return detail->smmu == smmu && detail->row == row;
}

/**
 * detail_next - what a counter group counts in the next slice
 * @detail: of this device
 * @index: of the counter group
 * @slice: filled in: the device, everything, or both at the same time; without specs if there is
 *	nothing to count
 */
void detail_next(struct detail *detail, size_t index, struct slice *slice)
{
	const struct pmcg *pmcg = &detail->machine->pmcgs[index];
	const struct row *row = &detail->machine->smmus[detail->smmu].rows[detail->row];
	struct detail_pmcg *list = &detail->pmcgs[index];
	const struct search_block everything = { .everything = true };
	struct search_block block = { .stream_id = row->id };
	bool single = list->steps == list->packs, both = single && !list->rowless, all;
	unsigned int pack, pass;
	size_t i;

	slice->number = 0;
	if (!list->packs || pmcg->gone)
		return;
	all = list->rowless || (!single && list->step % 2);
	pack = single ? list->step : list->step / 2;
	list->step = (list->step + 1) % list->steps;
	for (pass = 0; pass < 2; pass++) {
		if (pass ? !(both || all) : all)
			continue;
		for (i = 0; i < list->number; i++) {
			if (list->events[i].pack != pack || slice->number == MAX_SPECS ||
			    slice->number == pmcg->counters)
				continue;
			slice->specs[slice->number++] = (struct spec){
				.block = pass ? everything : block,
				.event = list->events[i].event,
			};
		}
	}
}

/**
 * detail_add - add a slice
 * @detail: of this device
 * @index: of the counter group
 * @slice: of detail_next()
 * @counts: what was counted
 */
void detail_add(struct detail *detail, size_t index, const struct slice *slice,
		const struct slice_counts *counts)
{
	struct detail_pmcg *list = &detail->pmcgs[index];
	const struct detail_event *base;
	struct detail_event *event;
	unsigned int i, j;

	list->counted++;
	for (i = 0; i < slice->number; i++) {
		event = find_event(list, slice->specs[i].event);
		if (slice->specs[i].block.everything) {
			estimate_add(&event->all, counts->counts[i], counts->running);
			continue;
		}
		estimate_add(&event->device, counts->counts[i], counts->running);
		if (event->base < 0)
			continue;
		base = &list->events[event->base];
		for (j = 0; j < slice->number; j++)
			if (slice->specs[j].event == base->event &&
			    !slice->specs[j].block.everything)
				estimate_ratio_add(&event->ratio, counts->counts[i],
						   counts->counts[j], counts->running);
	}
}

/* Whether each event was counted, of the device and of everything. */
bool detail_has_all(const struct detail *detail)
{
	size_t i;

	for (i = 0; i < detail->machine->pmcgs_number; i++)
		if (!detail->machine->pmcgs[i].gone &&
		    detail->pmcgs[i].counted < detail->pmcgs[i].steps)
			return false;
	return true;
}

/* What was counted is shown: the next interval begins. */
void detail_restart(struct detail *detail)
{
	struct detail_pmcg *list;
	size_t i, j;

	for (i = 0; i < detail->machine->pmcgs_number; i++) {
		list = &detail->pmcgs[i];
		list->counted = 0;
		for (j = 0; j < list->number; j++) {
			estimate_reset(&list->events[j].device);
			estimate_reset(&list->events[j].all);
			estimate_ratio_reset(&list->events[j].ratio);
		}
	}
}

static void print_event(struct text *text, const struct detail_pmcg *list,
			const struct detail_event *event)
{
	struct estimate_figure device = estimate_rate(&event->device, 0, 1);
	struct estimate_figure all = estimate_rate(&event->all, 0, 1);
	struct estimate_figure ratio = estimate_ratio(&event->ratio, 0, 1);
	char number[24], total[24], error[24] = "-", share[24] = "-";

	format_number(number, sizeof(number), device.value);
	format_number(total, sizeof(total), all.value);
	if (device.value > 0)
		snprintf(error, sizeof(error), "%.0f",
			 fmin(999, ceil(100 * device.error / device.value)));
	if (all.value > 0)
		snprintf(share, sizeof(share), "%.0f%%", fmin(100, 100 * device.value / all.value));
	text_add(text, "  %-26s %8s %4s %8s %6s", event->name, number, error, total, share);
	if (event->base >= 0 && !isnan(ratio.value) && event->event == EVENT_WALK_ACCESS)
		text_add(text, "  %.1f per %s", ratio.value, list->events[event->base].name);
	else if (event->base >= 0 && !isnan(ratio.value))
		text_add(text, "  %.1f%% of %s", 100 * ratio.value,
			 list->events[event->base].name);
	text_add(text, "\n");
}

/**
 * detail_text - write what was counted
 * @detail: of this device
 * @text: to append to
 */
void detail_text(const struct detail *detail, struct text *text)
{
	const struct smmu *smmu = &detail->machine->smmus[detail->smmu];
	const struct row *row = &smmu->rows[detail->row];
	const struct detail_pmcg *list;
	const struct stream *stream;
	const struct device *device;
	const struct pmcg *pmcg;
	size_t i, j;

	for (i = row->first; i < row->first + row->number; i++) {
		stream = &smmu->streams[i];
		device = &detail->machine->devices[stream->device];
		text_add(text, "%s  StreamID 0x%x%s  %s  %s\n", device->name, stream->id,
			 stream->guessed ? "?" : "", device->names[0] ? device->names :
			 device->driver[0] ? device->driver : "-",
			 device->domain[0] ? device->domain : "-");
	}
	for (i = 0; i < detail->machine->pmcgs_number; i++) {
		list = &detail->pmcgs[i];
		pmcg = &detail->machine->pmcgs[i];
		if (pmcg->smmu != (int)detail->smmu)
			continue;
		if (pmcg->gone) {
			text_add(text, "\n%s is gone\n", pmcg->label);
			continue;
		}
		text_add(text, "\n%-28s %8s %4s %8s %6s\n", pmcg->label, "DEVICE/s", "+-%",
			 "ALL/s", "SHARE");
		for (j = 0; j < list->number; j++)
			print_event(text, list, &list->events[j]);
	}
}
