// SPDX-License-Identifier: GPL-2.0
/*
 * Rows: StreamIDs that filters cannot tell apart.
 */
#include <stdlib.h>

#include "machine.h"
#include "text.h"

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

/**
 * machine_counts_row - whether a counter group can count a row
 * @machine: with rows
 * @pmcg: a counter group of the row's SMMU
 * @row: the row
 *
 * Rows are made for the counter group with the fewest bits of StreamIDs; one with more bits counts
 * those rows only that need no more.
 *
 * Return: whether it can
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
