/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that is told of a row. An entry is all of a column: a new one appears on the screen, in CSV,
 * JSON, Prometheus, the help, and among the values of --sort, --columns and --fail-above.
 *
 * COLUMN: option, key in JSON and CSV, title, width, rank, percent, event, base of a ratio or 0,
 *	kind of counter group, metric of Prometheus or NULL, help
 * TEXT: title, width, rank, key in CSV, label of Prometheus or NULL
 *
 * Fields of the highest ranks are left out first where the screen is narrow. From RANK_OPTIONAL on,
 * a column is shown only if something was counted, and a text only if there is room left.
 */
	/* cppcheck-suppress unknownMacro */
	COLUMN(COLUMN_TXN, "txn", "transactions", "TXN/s", 6, 4, false,
	       EVENT_TRANSACTION, 0, KIND_TBU,
	       "transactions_per_second", "Transactions that went through the TBUs.")
	COLUMN(COLUMN_MISS, "miss", "misses", "MISS/s", 7, 1, false,
	       EVENT_TLB_MISS, 0, KIND_TBU,
	       "tlb_misses_per_second", "Misses in the TLBs of the TBUs.")
	COLUMN(COLUMN_MISS_RATIO, "miss%", "miss_ratio", "MISS%", 6, 3, true,
	       EVENT_TLB_MISS, EVENT_TRANSACTION, KIND_TBU,
	       NULL, "Misses per 100 transactions.")
	COLUMN(COLUMN_WALK, "walk", "walks", "WALK/s", 7, 7, false,
	       EVENT_TLB_MISS, 0, KIND_TCU,
	       "walks_per_second", "Translation table walks of the TCU.")
	COLUMN(COLUMN_WALK_RATIO, "acc/w", "accesses_per_walk", "ACC/W", 6, 10, false,
	       EVENT_WALK_ACCESS, EVENT_TLB_MISS, KIND_TCU,
	       "accesses_per_walk", "Memory accesses per walk.")
	COLUMN(COLUMN_CFG, "cfg", "configuration_misses", "CFG/s", 6, 11, false,
	       EVENT_CONFIG_MISS, 0, KIND_TCU,
	       "configuration_misses_per_second", "Misses in the configuration cache.")
	COLUMN(COLUMN_ATS, "ats", "ats_requests", "ATS/s", 7, 12, false,
	       EVENT_ATS_REQUEST, 0, KIND_TCU,
	       "ats_requests_per_second", "PCIe ATS translation requests.")

	TEXT(TEXT_STREAM, "STREAMID", 9, 14, "stream_ids", "stream_id")
	TEXT(TEXT_DEVICE, "DEVICE", 12, 0, "devices", "device")
	TEXT(TEXT_DRIVER, "DRIVER", 7, 15, "drivers", "driver")
	TEXT(TEXT_NAME, "NAME", 9, 5, "names", "name")
	TEXT(TEXT_GROUP, "GROUP", 6, 16, "groups", NULL)
	TEXT(TEXT_DOMAIN, "DOMAIN", 7, 9, "domains", "domain")
	TEXT(TEXT_TBU, "TBU", 4, 8, "tbus", NULL)
