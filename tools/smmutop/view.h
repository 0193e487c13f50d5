/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A view of a report: the rows of all SMMUs in one order, those that are shown, and what is left.
 */
#ifndef SMMUTOP_VIEW_H
#define SMMUTOP_VIEW_H

#include "figures.h"
#include "text.h"

/* Which rows are shown, and in which order */
struct view_options {
	enum column sort;
	bool by_device; /* rows are sorted by SMMU and StreamID instead */
	bool ascending; /* the order is the other way round */
	size_t max_rows;
	double min_share; /* only rows with this part of the total, 0 to 1 */
	bool all; /* also rows that counted nothing */
	bool only_chosen; /* no rows that were visited too seldom, if any was visited often */
	const char *filter; /* only rows of which a name contains this; "" for all */
};

/* A row of the report */
struct view_row {
	const struct report_smmu *smmu;
	const struct report_row *row;
	double share; /* of the total of all SMMUs, 0 to 1; NAN if unknown */
	bool hidden; /* the options leave it out, whatever room there is */
};

/* What is shown of a report */
struct view {
	const struct report *report;
	struct view_options options;
	struct view_row *rows; /* all that were counted, in the order of the view */
	size_t shown; /* how many of these are shown, the first ones */
	size_t judged; /* those before a rule: others were counted too seldom for an error */
	size_t candidates; /* and how many would be shown if there were room */
	size_t number;
	bool counted; /* anything of what is sorted by, of any row */
	size_t streams; /* StreamIDs of all SMMUs */
	struct figure total[COLUMNS];
};

/* What is known of the StreamIDs that are not shown */
struct view_search {
	bool known; /* they were searched by the column that is sorted by */
	double bound;
	size_t worst; /* how many of the first rows are the worst ones for sure */
};

void view_make(struct view *view, const struct report *report, const struct view_options *options);
void view_free(struct view *view);
struct view_search view_search(const struct view *view, const struct report_smmu *only);
size_t view_others(const struct view *view, const struct report_smmu *only,
		   struct figure others[COLUMNS]);
double view_share(const struct view *view, const struct figure *figures);
const char *row_text(const struct machine *machine, const struct view_row *row,
		     enum row_text what, const char *separator);

/* Values that are kept of each row. */
#define HISTORY_LENGTH	120

struct history;

struct history *history_new(const struct machine *machine);
void history_free(struct history *history);
void history_add(struct history *history, const struct report *report);
double history_largest(const struct history *history, const struct row *row, enum column column,
		       unsigned int width);
void history_bars(const struct history *history, struct text *text, const struct row *row,
		  enum column column, unsigned int width, double largest, bool utf8);

#endif
