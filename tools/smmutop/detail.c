// SPDX-License-Identifier: GPL-2.0
/*
 * Why does a device miss? All events of the counter groups of its SMMU, beside those of everything.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "output.h"

/* An event of a counter group */
struct detail_event {
	const char *name;
	unsigned int number;
	int base; /* index of the event that this one is a part of, or -1 */
	struct estimate device;
	struct estimate all;
};

/* A counter group; without events if it is that of another SMMU */
struct detail_pmcg {
	struct detail_event *events; /* that know StreamIDs */
	size_t number;
	bool rowless; /* its filters cannot tell the row from others: only everything is counted */
	bool both; /* the device and everything are counted at the same time */
	unsigned int pack; /* events that are counted at the same time */
	unsigned int steps; /* slices in which all is counted once */
	unsigned int counted; /* slices that were counted */
	bool all_first; /* everything is counted before the device, of the same events */
};

struct detail {
	const struct machine *machine;
	const struct row *row;
	struct detail_pmcg *pmcgs;
	uint64_t random; /* state of the generator of the order */
};

/* "x_miss" is a part of "x_lookup". */
static bool is_part_of(const char *part, const char *whole)
{
	size_t length = strlen(part);

	return length > 5 && !strcmp(part + length - 5, "_miss") &&
	       !strncmp(part, whole, length - 4) && !strcmp(whole + length - 4, "lookup");
}

static int base_of(const struct detail_pmcg *list, enum pmcg_kind kind,
		   const struct detail_event *event)
{
	unsigned int base = EVENTS;
	size_t i;

	if (event->number == EVENT_TLB_MISS && kind != KIND_TCU)
		base = EVENT_TRANSACTION;
	if (event->number == EVENT_WALK_ACCESS)
		base = EVENT_TLB_MISS;
	for (i = 0; i < list->number; i++)
		if ((base < EVENTS && list->events[i].number == base) ||
		    is_part_of(event->name, list->events[i].name))
			return i;
	return -1;
}

static void add_event(struct detail_pmcg *list, const char *name, unsigned int number)
{
	*append(list->events, list->number) = (struct detail_event){ .name = name,
								     .number = number };
}

static void list_events(struct detail_pmcg *list, const struct pmcg *pmcg)
{
	const struct named_event *named;
	enum pmcg_event event;
	size_t i;

	for (event = EVENT_TRANSACTION; event < EVENTS; event++)
		if (pmcg->events & 1U << event)
			add_event(list, event_names[event], event);
	for_each(named, pmcg->named)
		add_event(list, named->name, named->number);
	for (i = 0; i < list->number; i++)
		list->events[i].base = base_of(list, pmcg->kind, &list->events[i]);
}

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

/* Finds the row that --detail names; NULL after a message. */
const struct row *detail_find(const struct machine *machine, const char *wanted)
{
	const struct row *row, *last = NULL;
	const struct stream *stream;
	const struct smmu *smmu;
	unsigned int found = 0;

	for_each(smmu, machine->smmus)
		for_each(row, smmu->rows)
			for_each(stream, row->streams)
				if (row != last && is_meant(machine, stream, wanted)) {
					last = row;
					found++;
				}
	if (!found)
		warnx("--detail %s: no StreamID of such a device is known: see smmutop --list",
		      wanted);
	if (found > 1)
		warnx("--detail %s: it has %u StreamIDs: give one of them, see smmutop --list",
		      wanted, found);
	return found == 1 ? last : NULL;
}

/* Counts all events of a row; the counters of the counter groups must be known. */
struct detail *detail_new(struct machine *machine, const struct row *row)
{
	struct detail *detail = zeros(1, sizeof(*detail));
	const struct pmcg *pmcg;
	struct detail_pmcg *list;

	detail->machine = machine;
	detail->row = row;
	machine_describe_row(machine, row);
	machine_find_named_events(machine, row->smmu);
	detail->pmcgs = zeros(machine->pmcgs_number, sizeof(*detail->pmcgs));
	for_each(pmcg, machine->pmcgs) {
		list = &detail->pmcgs[pmcg - machine->pmcgs];
		if (&machine->smmus[pmcg->smmu] != row->smmu)
			continue;
		list_events(list, pmcg);
		list->rowless = !machine_counts_row(pmcg, row);
		list->both = !list->rowless && pmcg->filter_each && pmcg->counters > 1;
		list->pack = list->both ? pmcg->counters / 2 : pmcg->counters;
		if (list->pack > MAX_SPECS / 2 || !list->pack)
			list->pack = list->pack ? MAX_SPECS / 2 : 1;
		list->steps = (list->number + list->pack - 1) / list->pack;
		list->steps *= list->rowless || list->both ? 1 : 2;
	}
	return detail;
}

void detail_free(struct detail *detail)
{
	size_t i;

	for (i = 0; detail && i < detail->machine->pmcgs_number; i++)
		free(detail->pmcgs[i].events);
	if (detail)
		free(detail->pmcgs);
	free(detail);
}

const struct row *detail_row(const struct detail *detail)
{
	return detail ? detail->row : NULL;
}

/*
 * What a counter group counts in the next slice: events of the device, of everything, or both at
 * the same time; without specs if there is nothing to count. Which of both comes first is random:
 * a load in bursts could be in step otherwise.
 */
void detail_next(struct detail *detail, size_t index, struct slice *slice)
{
	const struct block blocks[] = { { .stream_id = detail->row->id }, { .everything = true } };
	struct detail_pmcg *list = &detail->pmcgs[index];
	unsigned int all, step, first;
	size_t i;

	slice->number = 0;
	if (!list->steps || detail->machine->pmcgs[index].gone)
		return;
	step = list->counted % list->steps;
	first = list->rowless || list->both ? step : step / 2;
	if (!(step % 2))
		list->all_first = next_random(&detail->random) & 1;
	for (all = 0; all < 2; all++) {
		if (!list->both && all != (list->rowless || step % 2 != list->all_first))
			continue;
		for (i = first * list->pack; i < list->number && i < (first + 1) * list->pack; i++)
			slice->specs[slice->number++] = (struct spec){
				.block = blocks[all],
				.event = list->events[i].number,
			};
	}
}

void detail_add(struct detail *detail, size_t index, const struct slice *slice,
		const struct slice_counts *counts)
{
	struct detail_pmcg *list = &detail->pmcgs[index];
	double time = counts->running / 1e9;
	struct detail_event *event;
	unsigned int i;

	list->counted++;
	for (i = 0; i < slice->number; i++)
		for (event = list->events; event < list->events + list->number; event++)
			if (event->number == slice->specs[i].event)
				estimate_add(slice->specs[i].block.everything ? &event->all :
					     &event->device, counts->counts[i], time, time);
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

static void print_event(struct text *text, const struct detail_pmcg *list,
			const struct detail_event *event)
{
	const struct detail_event *whole = event->base < 0 ? NULL : &list->events[event->base];
	struct figure device = estimate_figure(&event->device, 0, false);
	struct figure all = estimate_figure(&event->all, 0, false), base = { .value = 0 };
	char number[24], total[24], error[24] = "-", share[24] = "-";

	format_number(number, sizeof(number), device.value);
	format_number(total, sizeof(total), all.value);
	if (device.value > 0 && isfinite(device.error))
		snprintf(error, sizeof(error), "%.0f",
			 fmin(999, ceil(100 * device.error / device.value)));
	if (all.value > 0)
		snprintf(share, sizeof(share), "%.0f%%", fmin(100, 100 * device.value / all.value));
	text_add(text, "  %-26s %8s %4s %8s %6s", event->name, number, error, total, share);
	if (whole)
		base = estimate_figure(&whole->device, 0, false);
	if (base.value > 0 && event->number == EVENT_WALK_ACCESS)
		text_add(text, "  %.1f per %s", device.value / base.value, whole->name);
	else if (base.value > 0)
		text_add(text, "  %.1f%% of %s", 100 * device.value / base.value, whole->name);
	text_add(text, "\n");
}

void detail_text(const struct detail *detail, struct text *text)
{
	const struct machine *machine = detail->machine;
	const struct detail_pmcg *list;
	const struct stream *stream;
	const struct device *device;
	const struct pmcg *pmcg;
	size_t i;

	for_each(stream, detail->row->streams) {
		device = &machine->devices[stream->device];
		text_add(text, "%s  StreamID 0x%x%s  %s  %s\n", device->name, stream->id,
			 stream->guessed ? "?" : "", device->names[0] ? device->names :
			 device->driver[0] ? device->driver : "-",
			 device->domain[0] ? device->domain : "-");
	}
	for_each(pmcg, machine->pmcgs) {
		list = &detail->pmcgs[pmcg - machine->pmcgs];
		if (&machine->smmus[pmcg->smmu] != detail->row->smmu)
			continue;
		if (pmcg->gone) {
			text_add(text, "\n%s is gone\n", pmcg->label);
			continue;
		}
		text_add(text, "\n%-28s %8s %4s %8s %6s\n", pmcg->label, "DEVICE/s", "+-%",
			 "ALL/s", "SHARE");
		for (i = 0; i < list->number; i++)
			print_event(text, list, &list->events[i]);
	}
}
