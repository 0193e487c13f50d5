// SPDX-License-Identifier: GPL-2.0
/*
 * Why does a device miss? All events of the counter groups of its SMMU, beside those of everything.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "counting.h"
#include "detail.h"
#include "estimate.h"
#include "output.h"
#include "text.h"

#define SECOND			1000000000ULL
#define DEFAULT_INTERVAL	(2 * SECOND)
#define DEFAULT_SLICE		50000000ULL
#define MAX_FILES		512

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
 * struct detail_pmcg - a counter group
 * @index: in the machine
 * @events: that know StreamIDs
 * @number: of these
 * @packs: how many
 * @steps: slices in which all is counted once
 * @slice: what is counted now
 */
struct detail_pmcg {
	size_t index;
	struct detail_event *events;
	size_t number;
	unsigned int packs;
	unsigned int steps;
	struct slice slice;
};

/**
 * struct detail - what is counted
 * @options: the command line
 * @machine: all of it
 * @smmu: index
 * @row: index
 * @pmcgs: of the SMMU
 * @number: of these
 * @counting: its counters
 */
struct detail {
	const struct options *options;
	struct machine machine;
	size_t smmu;
	size_t row;
	struct detail_pmcg *pmcgs;
	size_t number;
	struct counting *counting;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* By name, by what it is called, or by StreamID. */
static bool is_meant(const struct machine *machine, const struct stream *stream,
		     const char *wanted)
{
	const struct device *device = &machine->devices[stream->device];
	size_t length = strlen(wanted);
	const char *name;
	char *end;

	if (!strcmp(device->name, wanted))
		return true;
	for (name = device->names; *name; name += strcspn(name, ","), name += *name == ',')
		if (strcspn(name, ",") == length && !memcmp(name, wanted, length))
			return true;
	return !strncmp(wanted, "0x", 2) && strtoul(wanted, &end, 16) == stream->id && !*end;
}

static bool find_row(struct detail *detail)
{
	const char *wanted = detail->options->detail;
	const struct machine *machine = &detail->machine;
	const struct smmu *smmu;
	unsigned int found = 0;
	size_t i, j, k;
	bool meant;

	for (i = 0; i < machine->smmus_number; i++) {
		smmu = &machine->smmus[i];
		for (j = 0; j < smmu->rows_number; j++) {
			meant = false;
			for (k = 0; k < smmu->rows[j].number; k++)
				meant |= is_meant(machine,
						  &smmu->streams[smmu->rows[j].first + k], wanted);
			if (!meant)
				continue;
			detail->smmu = i;
			detail->row = j;
			found++;
		}
	}
	if (!found)
		fprintf(stderr,
			"smmutop: --detail %s: no StreamID of such a device is known: see smmutop --list\n",
			wanted);
	if (found > 1)
		fprintf(stderr,
			"smmutop: --detail %s: it has %u StreamIDs: give one of them, see smmutop --list\n",
			wanted, found);
	return found == 1;
}

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
	list->steps = list->packs * (pmcg->filter_each && pmcg->counters > 1 ? 1 : 2);
}

static bool open_detail(struct detail *detail)
{
	struct machine *machine = &detail->machine;
	struct detail_pmcg *list;
	size_t i;

	machine_discover(machine, detail->options->pmus);
	if (!find_row(detail))
		return false;
	detail->counting = counting_new(machine, &real_perf_calls, MAX_FILES);
	for (i = 0; i < machine->pmcgs_number; i++) {
		if (machine->pmcgs[i].smmu != (int)detail->smmu)
			continue;
		if (!counting_probe(detail->counting, &machine->pmcgs[i])) {
			fprintf(stderr, "smmutop: %s\n", counting_error(detail->counting));
			return false;
		}
		detail->pmcgs = grow(detail->pmcgs, detail->number, sizeof(*detail->pmcgs));
		list = &detail->pmcgs[detail->number++];
		list->index = i;
		list_events(list, &machine->pmcgs[i]);
		make_packs(list, &machine->pmcgs[i]);
	}
	return detail->number;
}

static void close_detail(struct detail *detail)
{
	size_t i;

	counting_free(detail->counting);
	for (i = 0; i < detail->number; i++)
		free(detail->pmcgs[i].events);
	free(detail->pmcgs);
	machine_free(&detail->machine);
}

/* The device, everything, or both at the same time. */
static void plan_step(const struct detail *detail, struct detail_pmcg *list, unsigned int step)
{
	const struct pmcg *pmcg = &detail->machine.pmcgs[list->index];
	const struct smmu *smmu = &detail->machine.smmus[detail->smmu];
	bool both = list->steps == list->packs, all = !both && step % 2;
	unsigned int pack = (both ? step : step / 2) % list->packs, pass;
	struct search_block block = { .stream_id = smmu->rows[detail->row].id };
	const struct search_block everything = { .everything = true };
	size_t i;

	list->slice.number = 0;
	for (pass = 0; pass < 2; pass++) {
		if (pass ? !(both || all) : all)
			continue;
		for (i = 0; i < list->number; i++) {
			if (list->events[i].pack != pack || list->slice.number == MAX_SPECS ||
			    list->slice.number == pmcg->counters)
				continue;
			list->slice.specs[list->slice.number++] = (struct spec){
				.block = pass ? everything : block,
				.event = list->events[i].event,
			};
		}
	}
}

static struct detail_event *find_event(struct detail_pmcg *list, unsigned int event)
{
	size_t i;

	for (i = 0; i < list->number; i++)
		if (list->events[i].event == event)
			return &list->events[i];
	return NULL;
}

static void add_counts(struct detail_pmcg *list, const struct slice_counts *counts)
{
	const struct detail_event *base;
	struct detail_event *event;
	unsigned int i, j;

	for (i = 0; i < list->slice.number; i++) {
		event = find_event(list, list->slice.specs[i].event);
		if (list->slice.specs[i].block.everything) {
			estimate_add(&event->all, counts->counts[i], counts->running);
			continue;
		}
		estimate_add(&event->device, counts->counts[i], counts->running);
		if (event->base < 0)
			continue;
		base = &list->events[event->base];
		for (j = 0; j < list->slice.number; j++)
			if (list->slice.specs[j].event == base->event &&
			    !list->slice.specs[j].block.everything)
				estimate_ratio_add(&event->ratio, counts->counts[i],
						   counts->counts[j], counts->running);
	}
}

static bool count_step(struct detail *detail, unsigned int step, uint64_t slice)
{
	struct timespec time = { .tv_sec = slice / SECOND, .tv_nsec = slice % SECOND };
	struct slice_counts counts;
	struct detail_pmcg *list;
	size_t i;

	for (i = 0; i < detail->number; i++) {
		list = &detail->pmcgs[i];
		if (!list->packs)
			continue;
		plan_step(detail, list, step);
		if (!counting_start(detail->counting, list->index, &list->slice)) {
			fprintf(stderr, "smmutop: %s\n", counting_error(detail->counting));
			return false;
		}
	}
	if (detail->options->each_slice) {
		if (child_shell(detail->options->each_slice, step, NULL, NULL))
			return false;
	} else {
		nanosleep(&time, NULL);
	}
	for (i = 0; i < detail->number; i++) {
		list = &detail->pmcgs[i];
		if (!list->packs ||
		    !counting_stop(detail->counting, list->index, false, &counts))
			continue;
		if (detail->options->each_slice && counts.running)
			counts.running = slice;
		add_counts(list, &counts);
	}
	return true;
}

static bool count(struct detail *detail)
{
	uint64_t interval = detail->options->interval;
	uint64_t slice = detail->options->slice ? detail->options->slice : DEFAULT_SLICE;
	unsigned int step = 0, steps = 1;
	uint64_t end;
	size_t i;

	end = now() + (interval ? interval : DEFAULT_INTERVAL);
	for (i = 0; i < detail->number; i++)
		if (detail->pmcgs[i].steps > steps)
			steps = detail->pmcgs[i].steps;
	/* Each as often, so that all have the same weight. */
	while (step < steps || (now() < end && !detail->options->each_slice))
		if (!count_step(detail, step++, slice))
			return false;
	return true;
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

static void print_detail(struct text *text, const struct detail *detail)
{
	const struct smmu *smmu = &detail->machine.smmus[detail->smmu];
	const struct row *row = &smmu->rows[detail->row];
	const struct detail_pmcg *list;
	const struct stream *stream;
	const struct device *device;
	const struct pmcg *pmcg;
	size_t i, j;

	for (i = row->first; i < row->first + row->number; i++) {
		stream = &smmu->streams[i];
		device = &detail->machine.devices[stream->device];
		text_add(text, "%s  StreamID 0x%x%s  %s  %s\n", device->name, stream->id,
			 stream->guessed ? "?" : "", device->names[0] ? device->names :
			 device->driver[0] ? device->driver : "-",
			 device->domain[0] ? device->domain : "-");
	}
	for (i = 0; i < detail->number; i++) {
		list = &detail->pmcgs[i];
		pmcg = &detail->machine.pmcgs[list->index];
		text_add(text, "\n%-28s %8s %4s %8s %6s\n", pmcg->label, "DEVICE/s", "+-%",
			 "ALL/s", "SHARE");
		for (j = 0; j < list->number; j++)
			print_event(text, list, &list->events[j]);
	}
}

/**
 * detail_run - show all events of a device
 * @options: the command line
 *
 * Return: the exit status
 */
int detail_run(const struct options *options)
{
	struct detail detail = { .options = options };
	struct text text = { .data = NULL };
	int status = STATUS_ERROR;

	if (open_detail(&detail) && count(&detail)) {
		print_detail(&text, &detail);
		if (fwrite(text.data, text.length, 1, stdout) == 1 && !fflush(stdout))
			status = STATUS_OK;
		text_free(&text);
	}
	close_detail(&detail);
	return status;
}
