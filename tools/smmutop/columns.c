// SPDX-License-Identifier: GPL-2.0
/*
 * What is told of a row, and which events of a counter group are counted together for it.
 */
#include <string.h>

#include "columns.h"
#include "text.h"

const struct column_info columns[COLUMNS] = {
	[COLUMN_TXN] = {
		"txn", "transactions", "TXN/s", 6, 4, false, EVENT_TRANSACTION, 0, KIND_TBU,
		"transactions_per_second", "Transactions that went through the TBUs.",
	},
	[COLUMN_MISS] = {
		"miss", "misses", "MISS/s", 7, 2, false, EVENT_TLB_MISS, 0, KIND_TBU,
		"tlb_misses_per_second", "Misses in the TLBs of the TBUs.",
	},
	[COLUMN_MISS_RATIO] = {
		"miss%", "miss_ratio", "MISS%", 6, 3, true,
		EVENT_TLB_MISS, EVENT_TRANSACTION, KIND_TBU,
		NULL, "Misses per 100 transactions.",
	},
	[COLUMN_WALK] = {
		"walk", "walks", "WALK/s", 7, 7, false, EVENT_TLB_MISS, 0, KIND_TCU,
		"walks_per_second", "Translation table walks of the TCU.",
	},
	[COLUMN_WALK_RATIO] = {
		"acc/w", "accesses_per_walk", "ACC/W", 6, 10, false,
		EVENT_WALK_ACCESS, EVENT_TLB_MISS, KIND_TCU,
		"accesses_per_walk", "Memory accesses per walk.",
	},
	[COLUMN_CFG] = {
		"cfg", "configuration_misses", "CFG/s", 6, 11, false,
		EVENT_CONFIG_MISS, 0, KIND_TCU,
		"configuration_misses_per_second", "Misses in the configuration cache.",
	},
	[COLUMN_ATS] = {
		"ats", "ats_requests", "ATS/s", 7, 12, false, EVENT_ATS_REQUEST, 0, KIND_TCU,
		"ats_requests_per_second", "PCIe ATS translation requests.",
	},
};

const struct row_text_info row_texts[ROW_TEXTS] = {
	[TEXT_STREAM] = { "STREAMID", 9, 14, "stream_ids", "stream_id" },
	[TEXT_DEVICE] = { "DEVICE", 12, RANK_DEVICE, "devices", "device" },
	[TEXT_DRIVER] = { "DRIVER", 7, 15, "drivers", "driver" },
	[TEXT_NAME] = { "NAME", 9, 5, "names", "name" },
	[TEXT_GROUP] = { "GROUP", 6, 16, "groups", NULL },
	[TEXT_DOMAIN] = { "DOMAIN", 7, 9, "domains", "domain" },
	[TEXT_TBU] = { "TBU", 4, 8, "tbus", NULL },
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
	return events & 1U << columns[column].event && column_is_of(column, pmcg->kind);
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

/* The events to count for a column: with the other one of a ratio that it is part of. */
static unsigned int column_events(const struct pmcg *pmcg, unsigned int events, enum column column)
{
	const struct column_info *ratio = column_ratio(column);
	unsigned int both = ratio ? 1U << ratio->event | 1U << ratio->base : 0;

	return both && pmcg->counters > 1 && !(both & ~events) ? both : 1U << columns[column].event;
}

/* With one filter, more events cost nothing; otherwise, each costs the filter of a row. */
static unsigned int pack_limit(const struct packs *packs, unsigned int all, unsigned int pack)
{
	const struct pmcg *pmcg = packs->pmcg;

	if (!pmcg->filter_each || all * (packs->rows + 1) <= pmcg->counters)
		return pmcg->counters;
	if (!pack)
		return pack_size(&packs->packs[0]);
	return pmcg->counters > 3 ? pmcg->counters / 2 : pmcg->counters;
}

/* Puts events into the first pack that has room for them, or into one of their own. */
static void add_events(struct packs *packs, unsigned int all, unsigned int events, bool total_only)
{
	struct pack *pack = packs->packs, *end = pack + packs->number;

	while (pack < end && (pack->events & events) != events)
		pack++;
	if (pack < end)
		return;
	for (pack = packs->packs; pack < end; pack++)
		if (__builtin_popcount(pack->events | events) <=
		    (int)pack_limit(packs, all, pack - packs->packs))
			break;
	if (pack == end)
		packs->packs[packs->number++] = (struct pack){ .total_only = total_only };
	pack->events |= events;
	pack->total_only &= total_only;
}

/*
 * The pack of what is sorted by comes first; both events of a ratio stay together. What the TBUs
 * ask the TCU is shown of everything only.
 */
void packs_make(struct packs *packs, const struct pmcg *pmcg, unsigned int events,
		enum column sort, size_t rows)
{
	unsigned int all = __builtin_popcount(events), event;
	unsigned int total_only = pmcg->kind == KIND_TCU ? 1U << EVENT_TRANSACTION : 0;
	enum column column;

	*packs = (struct packs){ .pmcg = pmcg, .rows = rows };
	add_events(packs, all, column_events(pmcg, events, sort), false);
	for (column = 0; column < COLUMNS; column++)
		if (columns[column].base && packs_count(pmcg, events, column))
			add_events(packs, all, column_events(pmcg, events, column), false);
	for (event = 0; event < EVENTS; event++)
		if (events & ~total_only & 1U << event)
			add_events(packs, all, 1U << event, false);
	if (events & total_only)
		add_events(packs, all, total_only, true);
}
