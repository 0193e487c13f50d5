// SPDX-License-Identifier: GPL-2.0
/*
 * What is told of a row, and which events of a counter group are counted together for it.
 */
#include <string.h>

#include "columns.h"
#include "text.h"

#define COLUMN(name, ...)	\
	[name] = { __VA_ARGS__ },
#define TEXT(...)

const struct column_info columns[COLUMNS] = {
#include "column_table.h"
};

#undef COLUMN
#undef TEXT
#define COLUMN(...)
#define TEXT(name, ...)	\
	[name] = { __VA_ARGS__ },

const struct row_text_info row_texts[ROW_TEXTS] = {
#include "column_table.h"
};

/* Finds a column by its option name; false if there is none. */
bool column_find(const char *option, size_t length, enum column *column)
{
	for (*column = 0; *column < COLUMNS; ++*column)
		if (strlen(columns[*column].option) == length &&
		    !memcmp(columns[*column].option, option, length))
			return true;
	return false;
}

/* "txn, miss and walk", with what is said of the default; valid until the next call. */
const char *column_names(const char *of_default, const char *last)
{
	static struct text names;
	unsigned int column;

	text_clear(&names);
	for (column = 0; column < COLUMNS; column++)
		text_add(&names, "%s%s%s", !column ? "" : column < COLUMNS - 1 ? ", " : last,
			 columns[column].option, column == DEFAULT_SORT ? of_default : "");
	return names.data;
}

bool column_is_of(enum column column, enum pmcg_kind kind)
{
	return kind == KIND_ALL || kind == columns[column].kind;
}

/* The first rate of an event that counter groups of a kind count; COLUMNS if there is none. */
enum column column_of_event(enum pmcg_event event, enum pmcg_kind kind)
{
	enum column column;

	for (column = 0; column < COLUMNS; column++)
		if (columns[column].event == event && !columns[column].base &&
		    column_is_of(column, kind))
			break;
	return column;
}

/* What a ratio is a ratio of; COLUMNS if the column is none. */
enum column column_of_base(enum column ratio)
{
	return columns[ratio].base ? column_of_event(columns[ratio].base, columns[ratio].kind) :
	       COLUMNS;
}

/* A ratio has no share of a total: it is that of its numerator, or of what it is a ratio of. */
enum column column_of_share(enum column column)
{
	enum column numerator = column_of_event(columns[column].event, columns[column].kind);

	return !columns[column].base ? column : numerator < COLUMNS ? numerator :
	       column_of_base(column);
}

/* The ratio that a column is, or is part of, or NULL. */
static const struct column_info *column_ratio(enum column part)
{
	const struct column_info *info = &columns[part], *ratio;

	if (info->base)
		return info;
	for (ratio = columns; ratio < columns + COLUMNS; ratio++)
		if (ratio->base && ratio->kind == info->kind &&
		    (ratio->event == info->event || ratio->base == info->event))
			return ratio;
	return NULL;
}

double column_shown(enum column column, double value)
{
	return columns[column].percent ? 100 * value : value;
}

static bool has(unsigned int events, enum pmcg_event event)
{
	return events & 1U << event;
}

bool pack_has(const struct pack *pack, enum pmcg_event event)
{
	unsigned int i;

	for (i = 0; i < pack->number; i++)
		if (pack->events[i] == event)
			return true;
	return false;
}

/* Adds the events of a pack that another one lacks, if no more than a limit of them result. */
static bool pack_merge(struct pack *pack, const struct pack *more, unsigned int limit)
{
	struct pack merged = *pack;
	unsigned int i;

	for (i = 0; i < more->number; i++)
		if (!pack_has(&merged, more->events[i]))
			merged.events[merged.number++] = more->events[i];
	if (merged.number > limit)
		return false;
	merged.total_only &= more->total_only;
	*pack = merged;
	return true;
}

unsigned int packs_events(const struct pmcg *pmcg, unsigned int wanted)
{
	unsigned int events = 0, column;

	for (column = 0; column < COLUMNS; column++) {
		if (!(wanted & 1U << column) || !column_is_of(column, pmcg->kind))
			continue;
		events |= 1U << columns[column].event;
		if (columns[column].base)
			events |= 1U << columns[column].base;
	}
	/* What the TBUs ask the TCU is shown for the TCU as a whole. */
	if (pmcg->kind == KIND_TCU && wanted & 1U << COLUMN_WALK)
		events |= 1U << EVENT_TRANSACTION;
	return events & pmcg->events;
}

bool packs_count(const struct pmcg *pmcg, unsigned int events, enum column column)
{
	return has(events, columns[column].event) && column_is_of(column, pmcg->kind);
}

/* What rows are sorted by, or the nearest to that; COLUMNS: nothing that rows have. */
enum column packs_sort(const struct pmcg *pmcg, unsigned int events, enum column sort)
{
	enum column column;

	if (packs_count(pmcg, events, sort))
		return sort;
	if (packs_count(pmcg, events, DEFAULT_SORT))
		return DEFAULT_SORT;
	for (column = 0; column < COLUMNS; column++)
		if (packs_count(pmcg, events, column))
			break;
	return column;
}

/* What is counted for a column: with the other event of a ratio that it is part of. */
static struct pack column_pack(const struct pmcg *pmcg, unsigned int events, enum column column)
{
	const struct column_info *ratio = column_ratio(column);

	if (!ratio || pmcg->counters < 2 || !has(events, ratio->event) || !has(events, ratio->base))
		return (struct pack){ .events = { columns[column].event }, .number = 1 };
	return (struct pack){ .events = { ratio->event, ratio->base }, .number = 2 };
}

/* With one filter, more events cost nothing; otherwise, each costs the filter of a row. */
static unsigned int pack_limit(const struct packs *packs, unsigned int all, unsigned int pack)
{
	const struct pmcg *pmcg = packs->pmcg;

	if (!pmcg->filter_each || all * (packs->rows + 1) <= pmcg->counters)
		return pmcg->counters;
	if (!pack)
		return packs->packs[0].number;
	return pmcg->counters > 3 ? pmcg->counters / 2 : pmcg->counters;
}

/* Puts events into the first pack that has room for them, or into one of their own. */
static void add_pack(struct packs *packs, unsigned int all, const struct pack *pack)
{
	unsigned int i;

	for (i = 0; i < packs->number; i++)
		if (pack_merge(&packs->packs[i], pack, pack_limit(packs, all, i)))
			return;
	packs->packs[packs->number++] = *pack;
}

/* What the TBUs ask the TCU is shown of everything only. */
static bool is_total_only(const struct pmcg *pmcg, enum pmcg_event event)
{
	return pmcg->kind == KIND_TCU && event == EVENT_TRANSACTION;
}

static void add_event(struct packs *packs, unsigned int all, enum pmcg_event event)
{
	const struct pack pack = {
		.events = { event },
		.number = 1,
		.total_only = is_total_only(packs->pmcg, event),
	};
	unsigned int i;

	for (i = 0; i < packs->number; i++)
		if (pack_has(&packs->packs[i], event))
			return;
	add_pack(packs, all, &pack);
}

/* The pack of what is sorted by comes first; those of a ratio stay together. */
void packs_make(struct packs *packs, const struct pmcg *pmcg, unsigned int events,
		enum column sort, size_t rows)
{
	unsigned int all = __builtin_popcount(events);
	enum pmcg_event event;
	enum column column;
	struct pack pack;

	*packs = (struct packs){ .pmcg = pmcg, .rows = rows };
	packs->packs[packs->number++] = column_pack(pmcg, events, sort);
	for (column = 0; column < COLUMNS; column++) {
		pack = column_pack(pmcg, events, column);
		if (columns[column].base && pack.number == 2 &&
		    column_is_of(column, pmcg->kind))
			add_pack(packs, all, &pack);
	}
	for (event = 0; event < EVENTS; event++)
		if (has(events, event) && !is_total_only(pmcg, event))
			add_event(packs, all, event);
	for (event = 0; event < EVENTS; event++)
		if (has(events, event))
			add_event(packs, all, event);
}
