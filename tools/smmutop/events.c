// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a counter group, by the names and formats in sysfs.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "text.h"

const char * const kind_names[KINDS] = {
	[KIND_ALL] = "all",
	[KIND_TBU] = "TBU",
	[KIND_TCU] = "TCU",
};

static const char * const event_names[EVENTS] = {
	[EVENT_CYCLES] = "cycles",
	[EVENT_TRANSACTION] = "transaction",
	[EVENT_TLB_MISS] = "tlb_miss",
	[EVENT_CONFIG_MISS] = "config_cache_miss",
	[EVENT_WALK_ACCESS] = "trans_table_walk_access",
	[EVENT_CONFIG_ACCESS] = "config_struct_access",
	[EVENT_ATS_REQUEST] = "pcie_ats_trans_rq",
	[EVENT_ATS_PASSED] = "pcie_ats_trans_passed",
};

/**
 * field_parse - parse what a file in format/ says
 * @text: "config1:0-31", "config:0-7,32" or "config2:5"
 * @field: the result
 *
 * Return: whether it is something like this
 */
bool field_parse(const char *text, struct field *field)
{
	unsigned long first, last;
	char *end;

	*field = (struct field){ .mask = 0 };
	if (strncmp(text, "config", 6))
		return false;
	text += 6;
	if (*text == '1' || *text == '2')
		field->word = *text++ - '0';
	do {
		if (*text != ':' && *text != ',')
			return false;
		first = strtoul(text + 1, &end, 10);
		if (end == text + 1)
			return false;
		text = end;
		last = first;
		if (*text == '-') {
			last = strtoul(text + 1, &end, 10);
			if (end == text + 1)
				return false;
			text = end;
		}
		if (first > last || last > 63)
			return false;
		field->mask |= ~0ULL >> (63 - (last - first)) << first;
	} while (*text == ',');
	return !*text || *text == '\n';
}

/* The lowest bit of the value goes to the lowest one of the field, and so on. */
void field_set(const struct field *field, uint64_t words[3], uint64_t value)
{
	uint64_t left, bit;

	for (left = field->mask; left; left ^= bit) {
		bit = left & -left;
		words[field->word] &= ~bit;
		if (value & 1)
			words[field->word] |= bit;
		value >>= 1;
	}
}

static void read_field(int directory, const char *path, struct field *field)
{
	char line[NAME_LENGTH];

	*field = (struct field){ .mask = 0 };
	if (system_read_line_at(directory, path, line, sizeof(line)))
		field_parse(line, field);
}

/* "event=0x02" or "config=0x02", with nothing else that would be a filter. */
static bool parse_event(const struct pmcg *pmcg, const char *line, uint64_t *config)
{
	uint64_t words[3] = { 0 }, value;
	char *end;

	if (!strncmp(line, "event=", 6)) {
		value = strtoull(line + 6, &end, 0);
		field_set(&pmcg->event, words, value);
	} else if (!strncmp(line, "config=", 7)) {
		words[0] = strtoull(line + 7, &end, 0);
	} else {
		return false;
	}
	*config = words[0];
	return !*end;
}

/* The numbers of these are those of the architecture: their files need not be read. */
static uint64_t architected_event(const struct pmcg *pmcg, enum pmcg_event event)
{
	uint64_t words[3] = { 0 };

	field_set(&pmcg->event, words, event);
	return words[0];
}

static int find_event(const char *name)
{
	int event;

	for (event = 0; event < EVENTS; event++)
		if (!strcmp(name, event_names[event]))
			return event;
	return -1;
}

const char *event_name(enum pmcg_event event)
{
	return event_names[event];
}

/* Whether a list of numbers and ranges, "0x85-0x87,0xc0", has a number. */
static bool list_has(const char *list, uint64_t number)
{
	uint64_t first, last;
	char *end;

	for (; *list; list = end + (*end == ',')) {
		first = strtoull(list, &end, 16);
		if (end == list)
			return false;
		last = first;
		if (*end == '-')
			last = strtoull(end + 1, &end, 16);
		if (number >= first && number <= last)
			return true;
		if (*end != ',')
			return false;
	}
	return false;
}

/* Those of which the driver tells that they know no StreamID. */
static void mark_events_without_stream(struct pmcg *pmcg, int directory)
{
	char list[256];
	size_t i;

	if (!system_read_line_at(directory, "caps/no_streamid_events", list, sizeof(list)))
		return;
	for (i = 0; i < pmcg->named_number; i++)
		pmcg->named[i].no_stream = list_has(list, pmcg->named[i].config);
}

/**
 * pmcg_read_events - read which architected events a counter group can count
 * @pmcg: the counter group
 * @directory: its directory in sysfs
 */
void pmcg_read_events(struct pmcg *pmcg, int directory)
{
	size_t number, i;
	char **names;
	int event;

	read_field(directory, "format/event", &pmcg->event);
	read_field(directory, "format/filter_enable", &pmcg->filter_enable);
	read_field(directory, "format/filter_span", &pmcg->filter_span);
	read_field(directory, "format/filter_stream_id", &pmcg->filter_stream_id);
	names = system_list_at(directory, "events", &number);
	for (i = 0; i < number; i++) {
		event = find_event(names[i]);
		if (event < 0)
			continue;
		pmcg->events |= 1U << event;
		pmcg->config[event] = architected_event(pmcg, event);
	}
	system_free_list(names, number);
}

/**
 * pmcg_read_named_events - read which other events a counter group can count
 * @pmcg: the counter group
 * @directory: its directory in sysfs
 *
 * Each is a file, and only the details of a device show them.
 */
void pmcg_read_named_events(struct pmcg *pmcg, int directory)
{
	char line[NAME_LENGTH], path[NAME_MAX + 8];
	struct named_event *named;
	uint64_t config;
	size_t number, i;
	char **names;

	names = system_list_at(directory, "events", &number);
	for (i = 0; i < number; i++) {
		snprintf(path, sizeof(path), "events/%s", names[i]);
		/* Files like "tlb_miss.unit" are no events. */
		if (strchr(names[i], '.') || find_event(names[i]) >= 0 ||
		    !system_read_line_at(directory, path, line, sizeof(line)) ||
		    !parse_event(pmcg, line, &config))
			continue;
		pmcg->named = grow(pmcg->named, pmcg->named_number, sizeof(*pmcg->named));
		named = &pmcg->named[pmcg->named_number++];
		copy(named->name, sizeof(named->name), names[i]);
		named->config = config;
	}
	system_free_list(names, number);
	mark_events_without_stream(pmcg, directory);
}

/*
 * Product IDs of Arm Limited (0x43b), as the identifier holds them. Only the AIDR, which the
 * identifier lacks, tells the TCUs of MMU-600AE and MMU-700 from each other.
 */
static const struct {
	uint32_t part;
	const char *name;
} parts[] = {
	{ 0x483, "MMU-600" },
	{ 0x484, "MMU-600" },
	{ 0x486, "MMU-600AE" },
	{ 0x487, "MMU-600AE/MMU-700" },
	{ 0x488, "MMU-700" },
};

/* The name of what an identifier identifies, or an empty string. */
const char *pmcg_part(uint32_t identifier)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if ((identifier & 0xfff) == 0x43b && identifier >> 20 == parts[i].part)
			return parts[i].name;
	return "";
}

/*
 * A TBU walks no tables. A TCU sees the ATS translation requests, but not the translated
 * transactions, which need nothing of it. Where ATS does not tell, a counter group is that of a TCU
 * if the same SMMU has TBUs.
 */
static enum pmcg_kind kind_of(const struct pmcg *pmcg)
{
	unsigned int events = pmcg->events;

	if (!(events & 1U << EVENT_WALK_ACCESS))
		return events & (1U << EVENT_TRANSACTION | 1U << EVENT_TLB_MISS) ?
			KIND_TBU : KIND_ALL;
	if (events & 1U << EVENT_ATS_REQUEST && !(events & 1U << EVENT_ATS_PASSED))
		return KIND_TCU;
	return KIND_ALL;
}

/**
 * pmcg_set_kinds - find out what each counter group counts, and label it
 * @machine: all counter groups, with their SMMUs and events
 */
void pmcg_set_kinds(struct machine *machine)
{
	struct pmcg *pmcg, *end = machine->pmcgs + machine->pmcgs_number, *other;
	unsigned int same, before;

	for (pmcg = machine->pmcgs; pmcg < end; pmcg++)
		pmcg->kind = kind_of(pmcg);
	for (pmcg = machine->pmcgs; pmcg < end; pmcg++) {
		if (pmcg->kind != KIND_ALL || pmcg->events & 1U << EVENT_ATS_PASSED)
			continue;
		for (other = machine->pmcgs; other < end; other++)
			if (other->kind == KIND_TBU && other->smmu == pmcg->smmu &&
			    pmcg->smmu >= 0)
				pmcg->kind = KIND_TCU;
	}
	for (pmcg = machine->pmcgs; pmcg < end; pmcg++) {
		same = 0;
		before = 0;
		for (other = machine->pmcgs; other < end; other++) {
			if (other->kind != pmcg->kind || other->smmu != pmcg->smmu)
				continue;
			same++;
			before += other < pmcg;
		}
		if (same > 1 || pmcg->kind == KIND_TBU)
			snprintf(pmcg->label, sizeof(pmcg->label), "%s%u",
				 kind_names[pmcg->kind], before);
		else
			copy(pmcg->label, sizeof(pmcg->label), kind_names[pmcg->kind]);
	}
}
