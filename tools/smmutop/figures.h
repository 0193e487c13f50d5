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
 * @share: of the total of the column that is sorted by, 0 to 1; of a ratio, the share of its
 *	numerator; NAN if unknown
 * @tbus: bit n: the n-th counter group of the SMMU counted something; TBUs only
 */
struct report_row {
	size_t row;
	struct figure figures[COLUMNS];
	double share;
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
 * struct search_summary - what is known of the rows that are not certainly the worst
 * @known: there are rows, and they were counted
 * @complete: the rows that are shown are certainly the worst
 * @turns: each StreamID is counted on its own; otherwise also in blocks
 * @bound: no other row is above, in the column that is sorted by; INFINITY if that is not known, or
 *	no less than the total
 */
struct search_summary {
	bool known;
	bool complete;
	bool turns;
	double bound;
};

/**
 * struct report_smmu - the figures of an SMMU
 * @smmu: index
 * @pmcgs: one for each of its counter groups
 * @pmcgs_number: of these
 * @rows: sorted rows
 * @rows_number: those that are shown, the first ones
 * @rows_kept: and those for which there is no room, after them
 * @rows_counted: rows that were counted on their own
 * @total: of everything
 * @others: total less the rows that are shown
 * @others_streams: StreamIDs that are not shown
 * @search: what is known of all rows but the first complete ones
 * @first_complete_rows: so many rows, from the first, are certainly the worst of the SMMU
 * @bounds: by column: no row that is not among the ones kept is above; INFINITY if unknown
 */
struct report_smmu {
	size_t smmu;
	struct report_pmcg *pmcgs;
	size_t pmcgs_number;
	struct report_row *rows;
	size_t rows_number;
	size_t rows_kept;
	size_t rows_counted;
	struct figure total[COLUMNS];
	struct figure others[COLUMNS];
	size_t others_streams;
	struct search_summary search;
	size_t first_complete_rows;
	double bounds[COLUMNS];
};

/**
 * struct report - the figures of an interval
 * @seconds: when it ended, since 1970
 * @interval: its length in ns
 * @sort: column that rows are sorted by
 * @slice: length of a slice in ns, 0 if slices have none
 * @machine: that was measured
 * @smmus: one for each SMMU with counter groups
 * @smmus_number: of these
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

/**
 * struct report_options - which rows are shown
 * @sort: column
 * @max_rows: of an SMMU; 0: all
 * @min_share: only rows with this share of the total of the column, 0 to 1
 * @all: rows that counted nothing, too
 * @equally: all rows were visited equally often
 */
struct report_options {
	enum column sort;
	size_t max_rows;
	double min_share;
	bool all;
	bool equally;
};

struct figures;

struct figures *figures_new(struct machine *machine);
void figures_free(struct figures *figures);
void figures_add(struct figures *figures, size_t pmcg, const struct slice *slice,
		 const struct slice_counts *counts);
void figures_end_rounds(struct figures *figures);
void figures_report(struct figures *figures, uint64_t interval,
		    const struct report_options *options, struct report *report);
double figure_seen(const struct figure *figure);
void report_sort(struct report *report, enum column sort);
void figures_next_interval(struct figures *figures);
void report_free(struct report *report);

#endif
