/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is told of a row.
 */
#ifndef SMMUTOP_COLUMNS_H
#define SMMUTOP_COLUMNS_H

#include "machine.h"

/* In the order of all outputs; a new one also needs an entry in columns[], which is all of it. */
enum column {
	COLUMN_TXN,
	COLUMN_MISS,
	COLUMN_MISS_RATIO,
	COLUMN_WALK,
	COLUMN_WALK_RATIO,
	COLUMN_CFG,
	COLUMN_ATS,
	COLUMNS
};

/* What a row is called, in the order of CSV and Prometheus */
enum row_text {
	TEXT_STREAM,
	TEXT_DEVICE,
	TEXT_DRIVER,
	TEXT_NAME,
	TEXT_GROUP,
	TEXT_DOMAIN,
	TEXT_TBU,
	ROW_TEXTS
};

#define DEFAULT_SORT	COLUMN_MISS

/*
 * Columns with the highest ranks are left out first where the screen is narrow. From this one on,
 * they are shown only if something was counted.
 */
#define RANK_OPTIONAL	12

struct column_info {
	const char *option; /* among the values of --sort, --columns and --fail-above */
	const char *key; /* in JSON and CSV */
	const char *title;
	unsigned int width;
	unsigned int rank;
	bool percent;
	enum pmcg_event event;
	enum pmcg_event base; /* what a ratio is divided by, or 0 */
	enum pmcg_kind kind; /* of the counter groups that count it */
	const char *metric; /* of Prometheus, or NULL */
	const char *help;
};

struct row_text_info {
	const char *key; /* in CSV */
	const char *label; /* of Prometheus, or NULL */
};

extern const struct column_info columns[COLUMNS];
extern const struct row_text_info row_texts[ROW_TEXTS];

static inline bool column_is_of(enum column column, enum pmcg_kind kind)
{
	return kind == KIND_ALL || kind == columns[column].kind;
}

/* Bit n: event n is needed. */
static inline unsigned int column_events(enum column column)
{
	const struct column_info *info = &columns[column];

	return 1U << info->event | (info->base ? 1U << info->base : 0);
}

bool column_find(const char *option, size_t length, enum column *column);
const char *column_names(const char *of_default, const char *last);
enum column column_of_event(enum pmcg_event event, enum pmcg_kind kind);
enum column column_of_share(enum column column);
enum column column_of_base(enum column ratio);
unsigned int columns_events(const struct pmcg *pmcg, unsigned int wanted);
double column_shown(enum column column, double value);

#endif
