/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is told of a row.
 */
#ifndef SMMUTOP_COLUMNS_H
#define SMMUTOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "machine.h"

#define COLUMN(name, ...)	name,

enum column {
#include "column_table.h"
	COLUMNS
};

#undef COLUMN

#define DEFAULT_SORT	COLUMN_MISS

/**
 * struct head - a field of a line of the screen
 * @title: in the head
 * @width: with the blank before it; that of the first one has none
 * @drop: fields with the highest number are left out first where the screen is too narrow
 * @left: the text is aligned to the left
 */
struct head {
	const char *title;
	unsigned int width;
	unsigned int drop;
	bool left;
};

struct metric {
	const char *name;
	const char *help;
};

/**
 * struct column_info - all of a column
 * @option: its name for --sort, --columns, --fail-above and in recordings
 * @key: in JSON and CSV
 * @head: on the screen
 * @optional: the screen shows it only if something was counted
 * @event: that is counted; of a ratio the numerator
 * @base: of a ratio the denominator, otherwise 0
 * @percent: the ratio is shown as a percentage
 * @kind: which counter groups count it, if not those that count everything
 * @help: on the screen, of this column and those before that have none
 * @device: for Prometheus, of rows; none without a name
 * @totals: the same, of what each kind of counter group counts in all
 */
struct column_info {
	const char *option;
	const char *key;
	struct head head;
	bool optional;
	enum pmcg_event event;
	enum pmcg_event base;
	bool percent;
	enum pmcg_kind kind;
	const char *help;
	struct metric device;
	struct metric totals[KINDS];
};

extern const struct column_info columns[COLUMNS];

bool column_find(const char *option, size_t length, enum column *column);
const char *column_names(const char *of_default, const char *last);
bool column_is_of(enum column column, enum pmcg_kind kind);
enum column column_of_event(enum pmcg_event event, enum pmcg_kind kind);
const struct column_info *column_ratio(enum column part);
double column_shown(enum column column, double value);

#endif
