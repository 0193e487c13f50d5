/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures: what the slices of an interval say of each row.
 */
#ifndef SMMUTOP_FIGURES_H
#define SMMUTOP_FIGURES_H

#include "columns.h"
#include "counting.h"
#include "estimate.h"

/* The ratio of a row matters from this share of what it is divided by. */
#define LEAST_SHARE	0.01

struct report_row {
	const struct row *row;
	bool known; /* any of its figures is: it was counted on its own in this interval */
	struct figure figures[COLUMNS];
	uint64_t tbus; /* bit n: TBUn has counted something */
};

struct report_pmcg {
	const struct pmcg *pmcg;
	struct figure figures[COLUMNS]; /* of everything, by column */
	/* Part of the time of its slices in which it counted; the rest others had it */
	double running;
};

struct report_smmu {
	const struct smmu *smmu;
	struct report_pmcg *pmcgs;
	size_t pmcgs_number;
	struct report_row *rows; /* all that the SMMU has, in the same order */
	size_t rows_number;
	struct figure total[COLUMNS]; /* of everything */
	bool searched; /* there are rows, which were visited because of what they have counted */
	/* By column: no row of which nothing is known is above; INFINITY if unknown */
	double bounds[COLUMNS];
};

struct report {
	double seconds;
	uint64_t interval; /* its length in ns */
	enum column sort; /* column whose worst rows were visited often */
	uint64_t slice; /* length of a slice in ns, 0 if slices have none */
	bool whole; /* it is of all intervals since the start */
	struct machine *machine;
	struct report_smmu *smmus;
	size_t smmus_number;
};

struct figures;

struct figures *figures_new(struct machine *machine);
void figures_free(struct figures *figures);
void figures_add(struct figures *figures, size_t pmcg, const struct slice *slice,
		 const struct slice_counts *counts);
const struct estimate *figures_of(const struct figures *figures, size_t pmcg,
				  const struct block *block, enum column column);
void figures_report(struct figures *figures, uint64_t interval, bool whole, struct report *report);
void figures_end_round(struct figures *figures);
void figures_next_interval(struct figures *figures);
void figures_forget(struct figures *figures);
void report_free(struct report *report);

#endif
