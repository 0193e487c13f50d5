/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The formats in which a report is written.
 */
#ifndef SMMUTOP_OUTPUT_H
#define SMMUTOP_OUTPUT_H

#include "options.h"
#include "text.h"
#include "view.h"

/* What a table has above its rows. */
enum fold {
	FOLD_ALL,
	FOLD_SMMUS,
	FOLD_NOTHING,
	FOLDS
};

/* Lines of a table that do not scroll */
#define TABLE_HEAD	2

struct table_style {
	unsigned int width;
	bool color;
	bool utf8; /* there are more characters than those of ASCII */
	enum fold fold; /* a line for all SMMUs, or for each one, or also for each counter group */
	const struct history *history;
};

void format_number(char *buffer, size_t size, double number);
void format_seconds(char *buffer, size_t size, uint64_t ns);
void format_time(char *buffer, size_t size, double seconds);
enum fold default_fold(const struct report *report);

unsigned int output_table(struct text *text, const struct view *view,
			  const struct table_style *style);
void output_csv(struct text *text, const struct view *view, bool header);
void output_json(struct text *text, const struct view *view);
void output_prometheus(struct text *text, const struct view *view);

struct reporter {
	const struct options *options;
	unsigned long number;
	bool quiet; /* the screen is not ours: write files only */
	bool above; /* a row was above its limit for sure */
	/* Reports in which it is not certain whether a row was above the n-th limit */
	unsigned long undecided[MAX_LIMITS];
};

int reporter_status(const struct reporter *reporter);
bool reporter_write(struct reporter *reporter, const struct report *report);
bool write_text(const struct text *text);

#endif
