/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures: what the slices of an interval say of each row.
 */
#ifndef SMMUTOP_FIGURES_H
#define SMMUTOP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns.h"
#include "counting.h"
#include "estimate.h"
#include "machine.h"

/**
 * struct figure - a number of the screen
 * @known: it was counted; nothing else is valid otherwise
 * @approximate: it is the difference of what was counted at different times
 * @old: it was counted in an earlier interval
 * @rate: the number with its error
 * @count: what was counted in this interval; of a ratio the numerator
 * @base: of a ratio the denominator
 * @slices: in which it was counted
 */
struct figure {
	bool known;
	bool approximate;
	bool old;
	struct estimate_figure rate;
	uint64_t count;
	uint64_t base;
	uint64_t slices;
};

/**
 * struct report_row - the figures of a row
 * @row: index of the row of the SMMU
 * @figures: one for each column
 * @tbus: bit n: the n-th counter group of the SMMU counted something; TBUs only
 */
struct report_row {
	size_t row;
	struct figure figures[COLUMNS];
	uint64_t tbus;
};

/**
 * struct report_pmcg - the figures of a counter group
 * @pmcg: index
 * @figures: of everything, by column
 * @running: part of the time of its slices in which it counted; the rest others had it
 */
struct report_pmcg {
	size_t pmcg;
	struct figure figures[COLUMNS];
	double running;
};

/**
 * struct report_smmu - the figures of an SMMU
 * @smmu: index
 * @pmcgs: one for each of its counter groups
 * @rows: those that were counted on their own, in this interval or before
 * @total: of everything
 * @searched: there are rows, which were visited because of what they have counted
 * @turns: each StreamID is counted on its own; otherwise also in blocks
 * @bounds: by column: no row that is not among @rows is above; INFINITY if unknown
 */
struct report_smmu {
	size_t smmu;
	struct report_pmcg *pmcgs;
	size_t pmcgs_number;
	struct report_row *rows;
	size_t rows_number;
	struct figure total[COLUMNS];
	bool searched;
	bool turns;
	double bounds[COLUMNS];
};

/**
 * struct report - the figures of an interval
 * @seconds: when it ended, since 1970
 * @interval: its length in ns
 * @sort: column whose worst rows were visited often
 * @slice: length of a slice in ns, 0 if slices have none
 * @machine: that was measured
 * @smmus: one for each SMMU with counter groups
 */
struct report {
	double seconds;
	uint64_t interval;
	enum column sort;
	uint64_t slice;
	struct machine *machine;
	struct report_smmu *smmus;
	size_t smmus_number;
};

struct figures;

struct figures *figures_new(struct machine *machine);
void figures_free(struct figures *figures);
void figures_add(struct figures *figures, size_t pmcg, const struct slice *slice,
		 const struct slice_counts *counts);
void figures_report(struct figures *figures, uint64_t interval, struct report *report);
double figure_seen(const struct figure *figure);
void figures_next_interval(struct figures *figures);
void report_free(struct report *report);

#endif
