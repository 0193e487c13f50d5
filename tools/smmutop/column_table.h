/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns, in the order of all outputs: an entry is all of a column, see struct column_info.
 * Whoever includes this defines COLUMN().
 */
	/* cppcheck-suppress unknownMacro */
	COLUMN(COLUMN_TXN, .option = "txn", .key = "transactions", .head = { "TXN/s", 6, 4 },
	       .event = EVENT_TRANSACTION, .kind = KIND_TBU,
	       .device = { "transactions_per_second", "Transactions that went through the TBUs." },
	       .totals = {
		[KIND_ALL] = { "transactions_per_second", "Transactions of the SMMU." },
		[KIND_TBU] = { "transactions_per_second",
			       "Transactions that went through the TBU." },
		[KIND_TCU] = { "requests_per_second", "What the TBUs asked the TCU." },
	       })
	COLUMN(COLUMN_MISS, .option = "miss", .key = "misses", .head = { "MISS/s", 7, 1 },
	       .event = EVENT_TLB_MISS, .kind = KIND_TBU,
	       .device = { "tlb_misses_per_second", "Misses in the TLBs of the TBUs." },
	       .totals = {
		[KIND_ALL] = { "tlb_misses_per_second", "TLB misses of the SMMU." },
		[KIND_TBU] = { "tlb_misses_per_second", "Misses in the TLB of the TBU." },
	       })
	COLUMN(COLUMN_MISS_RATIO, .option = "miss%", .key = "miss_ratio",
	       .head = { "MISS%", 6, 3 }, .percent = true,
	       .event = EVENT_TLB_MISS, .base = EVENT_TRANSACTION, .kind = KIND_TBU,
	       .help = "transactions and TLB misses, in the TBUs")
	COLUMN(COLUMN_WALK, .option = "walk", .key = "walks", .head = { "WALK/s", 7, 7 },
	       .event = EVENT_TLB_MISS, .kind = KIND_TCU,
	       .device = { "walks_per_second", "Translation table walks of the TCU." },
	       .totals = {
		[KIND_TCU] = { "walks_per_second", "Translation table walks of the TCU." },
	       })
	COLUMN(COLUMN_WALK_RATIO, .option = "acc/w", .key = "accesses_per_walk",
	       .head = { "ACC/W", 6, 10 },
	       .event = EVENT_WALK_ACCESS, .base = EVENT_TLB_MISS, .kind = KIND_TCU,
	       .help = "table walks, and table accesses of each, in the TCU",
	       .device = { "accesses_per_walk", "Table accesses of a walk." })
	COLUMN(COLUMN_CFG, .option = "cfg", .key = "configuration_misses",
	       .head = { "CFG/s", 6, 11 },
	       .event = EVENT_CONFIG_MISS, .kind = KIND_TCU,
	       .device = { "configuration_misses_per_second",
			   "Misses in the configuration cache of the TCU." },
	       .totals = {
		[KIND_ALL] = { "configuration_misses_per_second",
			       "Misses in the configuration cache of the SMMU." },
		[KIND_TCU] = { "configuration_misses_per_second",
			       "Misses in the configuration cache of the TCU." },
	       })
	COLUMN(COLUMN_ATS, .option = "ats", .key = "ats_requests",
	       .head = { "ATS/s", 7, 12 }, .optional = true,
	       .event = EVENT_ATS_REQUEST, .kind = KIND_TCU,
	       .help = "configuration misses, ATS requests, in the TCU",
	       .device = { "ats_requests_per_second", "PCIe ATS translation requests." })
