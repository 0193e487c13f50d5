// SPDX-License-Identifier: GPL-2.0
/*
 * What is told of a row.
 */
#include <string.h>

#include "figures.h"

const struct column_info columns[COLUMNS] = {
	[COLUMN_TXN] = {
		"txn", "transactions", "TXN/s", EVENT_TRANSACTION, 0, false
	},
	[COLUMN_MISS] = {
		"miss", "misses", "MISS/s", EVENT_TLB_MISS, 0, false
	},
	[COLUMN_MISS_RATIO] = {
		"miss%", "miss_ratio", "MISS%", EVENT_TLB_MISS, EVENT_TRANSACTION, false
	},
	[COLUMN_WALK] = {
		"walk", "walks", "WALK/s", EVENT_TLB_MISS, 0, true
	},
	[COLUMN_WALK_RATIO] = {
		"acc/w", "accesses_per_walk", "ACC/W", EVENT_WALK_ACCESS, EVENT_TLB_MISS, true
	},
	[COLUMN_CFG] = {
		"cfg", "configuration_misses", "CFG/s", EVENT_CONFIG_MISS, 0, true
	},
	[COLUMN_ATS] = {
		"ats", "ats_requests", "ATS/s", EVENT_ATS_REQUEST, 0, true
	},
};

/* Finds a column by its option name; -1 if there is none. */
int column_find(const char *option, size_t length)
{
	int column;

	for (column = 0; column < COLUMNS; column++)
		if (strlen(columns[column].option) == length &&
		    !memcmp(columns[column].option, option, length))
			return column;
	return -1;
}
