// SPDX-License-Identifier: GPL-2.0
/*
 * What a machine has: SMMUs, counter groups and devices, and rows, which are StreamIDs that filters
 * cannot tell apart.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "text.h"

/**
 * machine_find_smmu - find an SMMU by its platform device
 * @machine: to search
 * @device: name of the platform device
 *
 * Return: its index, or -1
 */
int machine_find_smmu(struct machine *machine, const char *device)
{
	size_t i;

	for (i = 0; i < machine->smmus_number; i++)
		if (!strcmp(machine->smmus[i].device, device))
			return i;
	return -1;
}

/* Returns the index of a device, which is new if its name is. */
static unsigned int add_device(struct machine *machine, const char *name)
{
	struct device *device;
	size_t i;

	/* The StreamIDs of a device follow each other. */
	for (i = machine->devices_number; i-- > 0;)
		if (!strcmp(machine->devices[i].name, name))
			return i;
	machine->devices = grow(machine->devices, machine->devices_number,
				sizeof(*machine->devices));
	device = &machine->devices[machine->devices_number];
	copy(device->name, sizeof(device->name), name);
	return machine->devices_number++;
}

/* A device that is listed twice, by two counter groups of its SMMU, is added once. */
void machine_add_stream(struct machine *machine, int index, const char *device, uint32_t id,
			bool guessed)
{
	struct smmu *smmu = &machine->smmus[index];
	struct stream *stream;

	smmu->streams = grow(smmu->streams, smmu->streams_number, sizeof(*smmu->streams));
	stream = &smmu->streams[smmu->streams_number++];
	stream->id = id;
	stream->device = add_device(machine, device);
	stream->guessed = guessed;
}

/* More counters, or a filter for each, see more at a time. */
static bool is_better(const struct pmcg *a, const struct pmcg *b)
{
	if (a->filter_each != b->filter_each)
		return a->filter_each;
	return a->counters > b->counters;
}

/* Whether a counter group is used: of those that count all of an SMMU, the best one. */
bool machine_uses_pmcg(const struct machine *machine, size_t index)
{
	const struct pmcg *pmcg = &machine->pmcgs[index], *other;

	if (pmcg->gone || pmcg->kind != KIND_ALL)
		return !pmcg->gone;
	for (other = machine->pmcgs; other < machine->pmcgs + machine->pmcgs_number; other++)
		if (!other->gone && other->kind == KIND_ALL && other->smmu == pmcg->smmu &&
		    (is_better(other, pmcg) || (other < pmcg && !is_better(pmcg, other))))
			return false;
	return true;
}

static uint32_t sort_mask;

static int compare_streams(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;
	uint32_t x_bits = x->id & sort_mask, y_bits = y->id & sort_mask;

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
	for (pmcg = machine->pmcgs; pmcg < machine->pmcgs + machine->pmcgs_number; pmcg++)
		if (&machine->smmus[pmcg->smmu] == smmu && pmcg->stream_bits < smmu->stream_bits)
			smmu->stream_bits = pmcg->stream_bits;
	return smmu->stream_bits < 32 ? (1U << smmu->stream_bits) - 1 : UINT32_MAX;
}

/* Sorts the streams and puts those into one row that no filter can tell apart. */
void machine_make_rows(struct machine *machine)
{
	struct smmu *smmu;
	struct row *row;
	size_t i, j;

	for (i = 0; i < machine->smmus_number; i++) {
		smmu = &machine->smmus[i];
		free(smmu->rows);
		smmu->rows = NULL;
		smmu->rows_number = 0;
		if (!smmu->streams_number)
			continue;
		sort_mask = smmu_mask(machine, smmu);
		qsort(smmu->streams, smmu->streams_number, sizeof(*smmu->streams),
		      compare_streams);
		for (j = 0; j < smmu->streams_number; j++) {
			row = smmu->rows_number ? &smmu->rows[smmu->rows_number - 1] : NULL;
			if (!row || row->id != (smmu->streams[j].id & sort_mask)) {
				smmu->rows = grow(smmu->rows, smmu->rows_number,
						  sizeof(*smmu->rows));
				row = &smmu->rows[smmu->rows_number++];
				row->id = smmu->streams[j].id & sort_mask;
				row->first = j;
			}
			row->number++;
		}
	}
}

/*
 * Whether a counter group can count a row. Rows are made for the one with the fewest bits of
 * StreamIDs; one with more bits counts those rows only that need no more.
 */
bool machine_counts_row(const struct machine *machine, const struct pmcg *pmcg,
			const struct row *row)
{
	const struct smmu *smmu = &machine->smmus[pmcg->smmu];
	size_t i;

	if (pmcg->stream_bits <= smmu->stream_bits)
		return true;
	for (i = 0; i < row->number; i++)
		if (smmu->streams[row->first + i].id != row->id)
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
	free(machine->smmus);
	free(machine->pmcgs);
	free(machine->devices);
	*machine = (struct machine){ .smmus = NULL };
}
