/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A view of a report: the rows of all SMMUs in one order, those that are shown, and what is left.
 */
#ifndef SMMUTOP_VIEW_H
#define SMMUTOP_VIEW_H

#include "figures.h"
#include "text.h"

/**
 * struct view_options - which rows are shown, and in which order
 * @sort: column
 * @by_device: rows are sorted by SMMU and StreamID instead
 * @ascending: the order is the other way round
 * @max_rows: so many; 0: all
 * @min_share: only rows with this part of the total, 0 to 1
 * @all: also rows that counted nothing
 * @filter: only rows of which a name contains this; NULL or "" for all
 */
struct view_options {
	enum column sort;
	bool by_device;
	bool ascending;
	size_t max_rows;
	double min_share;
	bool all;
	const char *filter;
};

/**
 * struct view_row - a row of the report
 * @smmu: that it is a row of
 * @row: its figures
 * @share: of the total of all SMMUs, 0 to 1; NAN if unknown
 * @hidden: the options leave it out, whatever room there is
 */
struct view_row {
	const struct report_smmu *smmu;
	const struct report_row *row;
	double share;
	bool hidden;
};

/**
 * struct view - what is shown of a report
 * @rows: all that were counted, in the order of the view
 * @shown: how many of these are shown, the first ones
 * @candidates: and how many would be shown if there were room
 * @number: of @rows
 * @total: of all SMMUs
 */
struct view {
	const struct report *report;
	struct view_options options;
	struct view_row *rows;
	size_t shown;
	size_t candidates;
	size_t number;
	struct figure total[COLUMNS];
};

/**
 * struct view_search - what is known of the StreamIDs that are not shown
 * @known: they were searched by the column that is sorted by
 * @complete: none of them is above the bound, and some row is
 * @bound: of the column that is sorted by
 * @worst: how many of the first rows are the worst ones for sure
 */
struct view_search {
	bool known;
	bool complete;
	double bound;
	size_t worst;
};

void view_make(struct view *view, const struct report *report, const struct view_options *options);
void view_free(struct view *view);
struct view_search view_search(const struct view *view, const struct report_smmu *only);
size_t view_others(const struct view *view, const struct report_smmu *only,
		   struct figure others[COLUMNS]);
double view_share(const struct view *view, const struct figure *figures);
void row_text(struct text *text, const struct machine *machine, const struct view_row *row,
	      enum row_text what, const char *separator);

/* Values that are kept of each row. */
#define HISTORY_LENGTH	120

struct history;

struct history *history_new(const struct machine *machine);
void history_free(struct history *history);
void history_add(struct history *history, const struct report *report);
void history_report(const struct history *history, const struct report *last,
		    struct report *report);
void history_bars(const struct history *history, struct text *text, size_t smmu, size_t row,
		  enum column column, unsigned int width, bool utf8);

#endif
