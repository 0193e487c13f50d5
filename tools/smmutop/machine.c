// SPDX-License-Identifier: GPL-2.0
/*
 * What a machine has: SMMUs, their counter groups and events, and the devices behind them, as sysfs
 * tells; and rows, which are StreamIDs that filters cannot tell apart.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "text.h"

#define PMUS	"/sys/bus/event_source/devices"
#define PREFIX	"smmuv3_pmcg_"

const char * const kind_names[KINDS] = {
	[KIND_ALL] = "all",
	[KIND_TBU] = "TBU",
	[KIND_TCU] = "TCU",
};

const char * const event_names[EVENTS] = {
	[EVENT_CYCLES] = "cycles",
	[EVENT_TRANSACTION] = "transaction",
	[EVENT_TLB_MISS] = "tlb_miss",
	[EVENT_CONFIG_MISS] = "config_cache_miss",
	[EVENT_WALK_ACCESS] = "trans_table_walk_access",
	[EVENT_CONFIG_ACCESS] = "config_struct_access",
	[EVENT_ATS_REQUEST] = "pcie_ats_trans_rq",
	[EVENT_ATS_PASSED] = "pcie_ats_trans_passed",
};

bool block_has(const struct block *block, uint32_t stream_id)
{
	return block->everything ||
	       !((uint64_t)(stream_id ^ block->stream_id) >> block->span_bits);
}

/*
 * The StreamID to set in a filter (SMMU_PMCG_SMRn): of a span, the bits below its lowest 0 are
 * ignored, and that 0 is, too (FILTER_SID_SPAN, IHI 0070 10.4).
 */
uint32_t block_filter(const struct block *block, bool *span)
{
	*span = block->span_bits;
	if (!block->span_bits)
		return block->stream_id;
	return block->stream_id | ((1U << (block->span_bits - 1)) - 1);
}

/* Finds an SMMU by the name of its platform device; -1 if there is none. */
int machine_find_smmu(struct machine *machine, const char *device)
{
	size_t i;

	for (i = 0; i < machine->smmus_number; i++)
		if (!strcmp(machine->smmus[i].device, device))
			return i;
	return -1;
}

struct device *machine_find_device(struct machine *machine, const char *name)
{
	struct device *device;

	for_each(device, machine->devices)
		if (!strcmp(device->name, name))
			return device;
	return NULL;
}

/* The StreamIDs of a device follow each other. */
void machine_add_stream(struct machine *machine, int index, const char *name, uint32_t id,
			bool guessed)
{
	struct smmu *smmu = &machine->smmus[index];
	size_t last = machine->devices_number;

	if (!last || strcmp(machine->devices[last - 1].name, name))
		copy(append(machine->devices, machine->devices_number)->name, NAME_LENGTH, name);
	last = machine->devices_number - 1;
	*append(smmu->streams, smmu->streams_number) =
		(struct stream){ .id = id, .device = last, .guessed = guessed };
}

/* More counters, or a filter for each, see more at a time. */
static bool is_better(const struct pmcg *a, const struct pmcg *b)
{
	if (a->filter_each != b->filter_each)
		return a->filter_each;
	return a->counters > b->counters;
}

/* Whether a counter group is used: of those that count all of an SMMU, the best one. */
bool machine_uses_pmcg(const struct machine *machine, const struct pmcg *pmcg)
{
	const struct pmcg *other;

	if (pmcg->gone || pmcg->kind != KIND_ALL)
		return !pmcg->gone;
	for_each(other, machine->pmcgs)
		if (!other->gone && other->kind == KIND_ALL && other->smmu == pmcg->smmu &&
		    (is_better(other, pmcg) || (other < pmcg && !is_better(pmcg, other))))
			return false;
	return true;
}

static int compare_streams(const void *a, const void *b, void *context)
{
	const struct stream *x = a, *y = b;
	const uint32_t *mask = context;
	uint32_t x_bits = x->id & *mask, y_bits = y->id & *mask;

	if (x_bits != y_bits)
		return x_bits < y_bits ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/* The bits of a StreamID that every counter group of an SMMU compares. */
static uint32_t smmu_mask(const struct machine *machine, struct smmu *smmu)
{
	const struct pmcg *pmcg;

	smmu->stream_bits = 32;
	for_each(pmcg, machine->pmcgs)
		if (&machine->smmus[pmcg->smmu] == smmu && pmcg->stream_bits < smmu->stream_bits)
			smmu->stream_bits = pmcg->stream_bits;
	return smmu->stream_bits < 32 ? (1U << smmu->stream_bits) - 1 : UINT32_MAX;
}

/* Sorts the streams and puts those into one row that no filter can tell apart. */
void machine_make_rows(struct machine *machine)
{
	struct stream *stream;
	struct smmu *smmu;
	uint32_t mask;
	struct row *row;

	for_each(smmu, machine->smmus) {
		if (!smmu->streams_number)
			continue;
		mask = smmu_mask(machine, smmu);
		qsort_r(smmu->streams, smmu->streams_number, sizeof(*smmu->streams),
			compare_streams, &mask);
		row = NULL;
		for_each(stream, smmu->streams) {
			if (!row || row->id != (stream->id & mask)) {
				row = append(smmu->rows, smmu->rows_number);
				row->id = stream->id & mask;
				row->smmu = smmu;
				row->streams = stream;
			}
			row->streams_number++;
		}
	}
}

/*
 * Whether a counter group can count a row. Rows are made for the one with the fewest bits of
 * StreamIDs; one with more bits counts those rows only that need no more.
 */
bool machine_counts_row(const struct pmcg *pmcg, const struct row *row)
{
	const struct stream *stream;

	if (pmcg->stream_bits <= row->smmu->stream_bits)
		return true;
	for_each(stream, row->streams)
		if (stream->id != row->id)
			return false;
	return true;
}

void machine_free(struct machine *machine)
{
	size_t i;

	for (i = 0; i < machine->smmus_number; i++) {
		free(machine->smmus[i].streams);
		free(machine->smmus[i].rows);
	}
	for (i = 0; i < machine->pmcgs_number; i++)
		free(machine->pmcgs[i].named);
	free(machine->holders);
	free(machine->smmus);
	free(machine->pmcgs);
	free(machine->devices);
	*machine = (struct machine){ .smmus = NULL };
}

const char *pmcg_path(const struct pmcg *pmcg, const char *file)
{
	return system_path(PMUS "/%s/%s", pmcg->name, file);
}

static int find_event(const char *name)
{
	int event;

	for (event = 0; event < EVENTS; event++)
		if (!strcmp(name, event_names[event]))
			return event;
	return -1;
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

static void read_events(struct pmcg *pmcg)
{
	const char *name;
	int event;

	for_each_name(name, pmcg_path(pmcg, "events")) {
		event = find_event(name);
		if (event >= 0)
			pmcg->events |= 1U << event;
	}
}

/* Those that know no StreamID are left out; files like "tlb_miss.unit" are no events. */
static void read_named_events(struct pmcg *pmcg)
{
	char line[NAME_LENGTH], without_stream[256];
	struct named_event *named;
	const char *name;
	uint64_t number;

	system_read_line(pmcg_path(pmcg, "caps/no_streamid_events"), without_stream,
			 sizeof(without_stream));
	for_each_name(name, pmcg_path(pmcg, "events")) {
		if (strchr(name, '.') || find_event(name) >= 0 ||
		    !system_read_line(system_path(PMUS "/%s/events/%s", pmcg->name, name), line,
				      sizeof(line)) ||
		    strncmp(line, "event=", 6) || !text_number(line + 6, &number) ||
		    list_has(without_stream, number))
			continue;
		named = append(pmcg->named, pmcg->named_number);
		copy(named->name, sizeof(named->name), name);
		named->number = number;
	}
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
static const char *part_name(uint32_t identifier)
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

/* Finds out what each counter group counts, and labels it. */
static void set_kinds(struct machine *machine)
{
	unsigned int same, before;
	struct pmcg *pmcg, *other;

	for_each(pmcg, machine->pmcgs)
		pmcg->kind = kind_of(pmcg);
	for_each(pmcg, machine->pmcgs) {
		if (pmcg->kind != KIND_ALL || pmcg->events & 1U << EVENT_ATS_PASSED)
			continue;
		for_each(other, machine->pmcgs)
			if (other->kind == KIND_TBU && other->smmu == pmcg->smmu)
				pmcg->kind = KIND_TCU;
	}
	for_each(pmcg, machine->pmcgs) {
		same = 0;
		before = 0;
		for_each(other, machine->pmcgs) {
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

/*
 * The platform device of a PMU is above it in sysfs, except on kernels before 6.8. Files that only
 * one of the drivers has tell there.
 */
static void find_driver(struct pmcg *pmcg)
{
	char link[PATH_MAX], *slash = NULL;
	const char *path;

	if (system_link(system_path(PMUS "/%s", pmcg->name), link, sizeof(link)))
		slash = strrchr(link, '/');
	if (slash) {
		*slash = '\0';
		if (system_exists(system_path("/sys/bus/platform/devices/%s", basename(link))))
			copy(pmcg->device, sizeof(pmcg->device), basename(link));
		path = system_path("/sys/bus/platform/devices/%s/driver", basename(link));
		system_link_name(path, pmcg->driver, sizeof(pmcg->driver));
	}
	if (!pmcg->driver[0])
		copy(pmcg->driver, sizeof(pmcg->driver),
		     system_exists(pmcg_path(pmcg, "interrupt")) ? "arm_smmuv3_pmcg" :
		     "arm-smmu-v3-pmcg");
}

/* What the driver tells in caps/. What it does not is found out when the first event is opened. */
static void read_caps(struct pmcg *pmcg)
{
	char line[NAME_LENGTH];
	uint64_t number;

	pmcg->stream_bits = 32;
	pmcg->probed = true;
	if (system_read_number(pmcg_path(pmcg, "caps/streamid_bits"), &number) &&
	    number && number < 32)
		pmcg->stream_bits = number;
	if (!system_read_number(pmcg_path(pmcg, "caps/counters"), &number) ||
	    !system_read_line(pmcg_path(pmcg, "caps/filter"), line, sizeof(line)))
		return;
	pmcg->counters = number;
	pmcg->filter_each = !strcmp(line, "each");
	pmcg->probed = false;
}

/* "smmu3.0x000000002b400000" is "smmu3.2b400000". */
static void set_smmu_name(struct smmu *smmu, const char *name)
{
	const char *address = strstr(name, ".0x");
	char *end;

	copy(smmu->name, sizeof(smmu->name), name);
	if (!address)
		return;
	smmu->base = strtoull(address + 3, &end, 16);
	if (!*end)
		snprintf(smmu->name, sizeof(smmu->name), "%.*s.%llx", (int)(address - name), name,
			 (unsigned long long)smmu->base);
}

static int add_smmu(struct machine *machine, const char *device)
{
	struct smmu *smmu = append(machine->smmus, machine->smmus_number);

	copy(smmu->name, sizeof(smmu->name), device);
	copy(smmu->device, sizeof(smmu->device), device);
	return machine->smmus_number - 1;
}

static void find_smmus(struct machine *machine)
{
	struct smmu *smmu;
	const char *name;

	for_each_name(name, system_path("/sys/class/iommu")) {
		if (strncmp(name, "smmu3", 5))
			continue;
		smmu = append(machine->smmus, machine->smmus_number);
		set_smmu_name(smmu, name);
		system_link_name(system_path("/sys/class/iommu/%s/device", name),
				 smmu->device, sizeof(smmu->device));
	}
}

static bool is_wanted(const char *name, char * const *wanted)
{
	if (!wanted || !*wanted)
		return true;
	for (; *wanted; wanted++)
		if (!strcmp(name, *wanted))
			return true;
	return false;
}

/* Of those that are not wanted, only the SMMU and the kind matter: TBUs are numbered by these. */
static void read_pmcg(struct machine *machine, const char *name, char * const *wanted)
{
	char line[NAME_LENGTH];
	struct pmcg *pmcg;
	uint64_t number;

	/* It may have vanished since the list was read. */
	if (!system_read_number(system_path(PMUS "/%s/type", name), &number))
		return;
	pmcg = append(machine->pmcgs, machine->pmcgs_number);
	copy(pmcg->name, sizeof(pmcg->name), name);
	pmcg->type = number;
	pmcg->smmu = -1;
	pmcg->page = strtoull(name + strlen(PREFIX), NULL, 16) << 12;
	find_driver(pmcg);
	read_events(pmcg);
	if (system_read_line(pmcg_path(pmcg, "smmu"), line, sizeof(line))) {
		pmcg->smmu = machine_find_smmu(machine, line);
		if (pmcg->smmu < 0)
			pmcg->smmu = add_smmu(machine, line);
	}
	if (!is_wanted(name, wanted))
		return;
	if (system_read_line(pmcg_path(pmcg, "cpumask"), line, sizeof(line)))
		pmcg->cpu = strtoul(line, NULL, 10);
	if (system_read_number(pmcg_path(pmcg, "identifier"), &number))
		copy(pmcg->part, sizeof(pmcg->part), part_name(number));
	read_caps(pmcg);
}

/* Reads the events that only the details of a device show, of an SMMU's counter groups. */
void machine_find_named_events(struct machine *machine, const struct smmu *smmu)
{
	struct pmcg *pmcg;

	for_each(pmcg, machine->pmcgs)
		if (&machine->smmus[pmcg->smmu] == smmu && !pmcg->named)
			read_named_events(pmcg);
}

bool machine_has_pmu(const char *name)
{
	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       system_exists(system_path(PMUS "/%s/type", name));
}

static int compare_pages(const void *one, const void *other)
{
	uint64_t first = ((const struct pmcg *)one)->page;
	uint64_t second = ((const struct pmcg *)other)->page;

	return (first > second) - (first < second);
}

/* Names are listed as if their numbers were decimal: 90b2 before 9092. */
static void find_pmcgs(struct machine *machine, char * const *wanted)
{
	const char *name;

	for_each_name(name, system_path(PMUS))
		if (!strncmp(name, PREFIX, strlen(PREFIX)))
			read_pmcg(machine, name, wanted);
	if (machine->pmcgs_number)
		qsort(machine->pmcgs, machine->pmcgs_number, sizeof(*machine->pmcgs),
		      compare_pages);
}

/* One file is enough for an SMMU: each of its counter groups has the same. */
static bool read_streams(struct machine *machine, const struct pmcg *pmcg)
{
	char *all = system_read(pmcg_path(pmcg, "streams"), NULL);
	char *line, *next = all, *id;

	if (!all)
		return false;
	while ((line = strsep(&next, "\n"))) {
		id = strrchr(line, ' ');
		if (!id)
			continue;
		*id++ = '\0';
		machine_add_stream(machine, pmcg->smmu, line, strtoul(id, NULL, 0), false);
	}
	free(all);
	return true;
}

/* StreamIDs as the driver tells them, otherwise by firmware. */
static void find_streams(struct machine *machine)
{
	const struct pmcg *pmcg;
	bool told = false;

	for_each(pmcg, machine->pmcgs)
		if (!machine->smmus[pmcg->smmu].streams_number)
			told |= read_streams(machine, pmcg);
	if (!told)
		firmware_find_streams(machine);
}

/*
 * Counter groups of which nothing tells the SMMU are left out where others are known to belong to
 * one, since they may count the same once more. Otherwise they belong to the only SMMU that there
 * is.
 */
static void choose_pmcgs(struct machine *machine, char * const *wanted)
{
	struct pmcg *pmcgs = machine->pmcgs;
	size_t i, known = 0, number = 0;
	int smmu = 0;

	for (i = 0; i < machine->pmcgs_number; i++)
		known += is_wanted(pmcgs[i].name, wanted) && pmcgs[i].smmu >= 0;
	if (!known && machine->pmcgs_number && machine->smmus_number != 1)
		smmu = add_smmu(machine, "unknown SMMU");
	for (i = 0; i < machine->pmcgs_number; i++) {
		if (!is_wanted(pmcgs[i].name, wanted))
			continue;
		if (pmcgs[i].smmu < 0 && known) {
			machine->pmcgs_left_out++;
			continue;
		}
		if (pmcgs[i].smmu < 0)
			pmcgs[i].smmu = smmu;
		pmcgs[number++] = pmcgs[i];
	}
	machine->pmcgs_number = number;
}

/*
 * Finds everything that sysfs tells, but for what names.c reads; @wanted are the names of the
 * counter groups to use, up to NULL, or NULL for all.
 */
void machine_discover(struct machine *machine, char * const *wanted)
{
	*machine = (struct machine){ .smmus = NULL };
	gethostname(machine->host, sizeof(machine->host) - 1);
	machine->host[strcspn(machine->host, ".")] = '\0';
	copy(machine->host, sizeof(machine->host), machine->host);
	find_smmus(machine);
	find_pmcgs(machine, wanted);
	firmware_find_smmus(machine);
	/* Of all: the number of a TBU does not depend on which ones are wanted. */
	set_kinds(machine);
	choose_pmcgs(machine, wanted);
	find_streams(machine);
	machine_make_rows(machine);
}
