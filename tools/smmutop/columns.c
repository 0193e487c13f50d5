// SPDX-License-Identifier: GPL-2.0
/*
 * What is told of a row.
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
	[TEXT_STREAM] = { "stream_ids", "stream_id" },
	[TEXT_DEVICE] = { "devices", "device" },
	[TEXT_DRIVER] = { "drivers", "driver" },
	[TEXT_NAME] = { "names", "name" },
	[TEXT_GROUP] = { "groups", NULL },
	[TEXT_DOMAIN] = { "domains", "domain" },
	[TEXT_TBU] = { "tbus", NULL },
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

/* The events that a counter group is to count for columns; bit n is that of column n. */
unsigned int columns_events(const struct pmcg *pmcg, unsigned int wanted)
{
	unsigned int events = 0, column;

	for (column = 0; column < COLUMNS; column++)
		if (wanted & 1U << column && column_is_of(column, pmcg->kind))
			events |= column_events(column);
	/* What the TBUs ask the TCU is shown for the TCU as a whole. */
	if (pmcg->kind == KIND_TCU && wanted & 1U << COLUMN_WALK)
		events |= 1U << EVENT_TRANSACTION;
	return pmcg->counters ? events & pmcg->events : 0;
}

double column_shown(enum column column, double value)
{
	return columns[column].percent ? 100 * value : value;
}
