/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the figures are made of: figures.c collects them, figures_report.c makes a report of them,
 * figures_block.c finds what blocks
 * say of their rows, and figures_bound.c what is known of the rows that are not the worst.
 */
#ifndef SMMUTOP_FIGURES_PRIVATE_H
#define SMMUTOP_FIGURES_PRIVATE_H

#include "figures.h"

/**
 * struct tally - what was counted of a row, of a block, or of everything
 * @round: in this round, of this interval
 * @now: in the rounds of this interval that are over
 */
struct tally {
	struct estimate round[COLUMNS];
	struct estimate now[COLUMNS];
};

/**
 * struct former - what was counted of a row in an earlier interval
 * @rate: the figure
 * @age: intervals ago; 0: never, or too long ago
 */
struct former {
	struct estimate_figure rate;
	unsigned int age;
};

/**
 * struct block_tally - what was counted of a block of more than one row
 * @block: the block
 * @tally: what was counted
 * @rest: by column: the rate without rows and smaller blocks in it that were counted as well
 * @used: by the block whose @rest is computed
 */
struct block_tally {
	struct block block;
	struct tally tally;
	double rest[COLUMNS];
	const struct block_tally *used;
};

/**
 * struct pmcg_figures - figures of a counter group
 * @rows: of each row of the SMMU, and of everything
 * @former: of the same, by column
 * @rows_number: without everything
 * @blocks: of more than one row that were counted in this interval
 * @blocks_number: of these
 * @block_of: of each row, the smallest of these, or NULL; of a report
 * @slices: of this interval
 * @round_time: ns that were counted in this round, of this interval
 * @enabled: ns of all slices of this interval
 * @running: ns in which it counted
 */
struct pmcg_figures {
	struct tally *rows;
	struct former (*former)[COLUMNS];
	size_t rows_number;
	struct block_tally *blocks;
	size_t blocks_number;
	struct block_tally **block_of;
	double slices;
	uint64_t round_time;
	uint64_t enabled;
	uint64_t running;
};

struct figures {
	struct machine *machine;
	struct pmcg_figures *pmcgs;
};

enum pmcg_kind figures_kind(const struct figures *figures, size_t smmu, enum column column);
bool figures_counts(const struct figures *figures, size_t pmcg, size_t smmu, enum pmcg_kind kind);
void figures_find_blocks(const struct figures *figures);
void figures_set_bounds(const struct figures *figures, struct report_smmu *report,
			enum column sort);

#endif
