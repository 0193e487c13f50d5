/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is told of a row.
 */
#ifndef SMMUTOP_COLUMNS_H
#define SMMUTOP_COLUMNS_H

#include "machine.h"

#define COLUMN(name, ...)	name,
#define TEXT(...)

enum column {
#include "column_table.h"
	COLUMNS
};

#undef COLUMN
#undef TEXT
#define COLUMN(...)
#define TEXT(name, ...)		name,

enum row_text {
#include "column_table.h"
	ROW_TEXTS
};

#undef COLUMN
#undef TEXT

#define DEFAULT_SORT	COLUMN_MISS
#define RANK_OPTIONAL	12

/* In the order of column_table.h, which says what each member is. */
struct column_info {
	const char *option;
	const char *key;
	const char *title;
	unsigned int width;
	unsigned int rank;
	bool percent;
	enum pmcg_event event;
	enum pmcg_event base;
	enum pmcg_kind kind;
	const char *metric;
	const char *help;
};

struct row_text_info {
	const char *title;
	unsigned int width;
	unsigned int rank;
	const char *key;
	const char *label;
};

extern const struct column_info columns[COLUMNS];
extern const struct row_text_info row_texts[ROW_TEXTS];

bool column_find(const char *option, size_t length, enum column *column);
const char *column_names(const char *of_default, const char *last);
bool column_is_of(enum column column, enum pmcg_kind kind);
enum column column_of_event(enum pmcg_event event, enum pmcg_kind kind);
enum column column_of_share(enum column column);
enum column column_of_base(enum column ratio);
double column_shown(enum column column, double value);

/* Events that are counted together for each block */
struct pack {
	unsigned int events; /* bit n: event n */
	bool total_only; /* only of everything */
	bool all_rows; /* of all cells; set by the plan */
};

struct packs {
	const struct pmcg *pmcg;
	size_t rows; /* how many rows it has */
	struct pack packs[EVENTS]; /* the first one has what rows are sorted by */
	unsigned int number;
};

unsigned int packs_events(const struct pmcg *pmcg, unsigned int wanted);
bool packs_count(const struct pmcg *pmcg, unsigned int events, enum column column);
enum column packs_sort(const struct pmcg *pmcg, unsigned int events, enum column sort);
void packs_make(struct packs *packs, const struct pmcg *pmcg, unsigned int events,
		enum column sort, size_t rows);

static inline unsigned int pack_size(const struct pack *pack)
{
	return __builtin_popcount(pack->events);
}

#endif
