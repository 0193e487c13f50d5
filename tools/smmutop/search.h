/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which StreamIDs are the n worst, if a PMCG has fewer filters than there are StreamIDs? No I/O:
 * the caller counts, in slices of for example 50 ms, what search_plan() asks for:
 *
 *	search = search_new(&config);
 *	for (;;) {
 *		num_blocks = search_plan(search, blocks);
 *		(count @blocks for one slice, each with a filter)
 *		search_add(search, counts, NULL, now_ns);
 *		num_rows = search_rows(search, rows, ARRAY_SIZE(rows));
 *		search_state(search, &state);
 *	}
 *	search_free(search);
 *
 * A StreamID filter of the SMMUv3 PMCG matches one StreamID, or a block of a power of two of
 * them that is aligned to its size (FILTER_SID_SPAN, IHI 0070 10.4), or everything. The blocks
 * are the nodes of a prefix tree, whose leaves are the StreamIDs present. What a block counts is
 * an upper bound of each StreamID in it, and so is the difference between two blocks, one inside
 * the other, of each that is only in the larger one. The search looks first where the bound is
 * highest, and counts the block that has about half of the StreamIDs in question, at whatever depth
 * of the tree it is: so it does not matter how StreamIDs are scattered. It ends when no StreamID is
 * left that could be one of the n worst. Then all is looked at again in turn, so that a load that
 * changes is noticed, and searched again. Everything, without a filter, is one of the blocks that
 * are planned now and then, unless it is counted beside: the caller need not count it in slices of
 * its own.
 *
 * Bounds are for steady loads: independent events, or groups of them, at a rate that does not
 * change. How large the groups are is learnt from how much the counts of equal blocks differ.
 */
#ifndef SMMUTOP_SEARCH_H
#define SMMUTOP_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum search_figure - what "worst" is about
 * @SEARCH_MISSES: misses per s
 * @SEARCH_TRANSACTIONS: transactions per s
 * @SEARCH_RATIO: misses / transactions, 0.1 for 10 %
 *
 * For the search, misses are the first event that is counted and transactions the second: a TCU
 * may as well count walks and requests.
 */
enum search_figure {
	SEARCH_MISSES,
	SEARCH_TRANSACTIONS,
	SEARCH_RATIO,
};

/**
 * struct search_config - what is searched, and with what
 * @stream_ids: the StreamIDs present, in any order; duplicates are ignored. Copied.
 * @num_stream_ids: how many
 * @stream_id_bits: how many bits of a StreamID the filters compare, 0 to 32. StreamIDs that
 *	differ above these only are one row.
 * @num_blocks: how many blocks can be counted in one slice, 1 or more
 * @total_beside: everything is counted in each slice, beside the blocks
 * @num_worst: how many of the worst are wanted, 1 or more
 * @figure: by which figure
 * @min_share: StreamIDs with a smaller share of all misses, or of all transactions if @figure
 *	is not %SEARCH_MISSES, need not be found. 0 to 1. 0 means none for %SEARCH_MISSES and
 *	%SEARCH_TRANSACTIONS, and 0.001 for %SEARCH_RATIO, because a StreamID with one miss in one
 *	transaction is no result.
 * @turns: count the StreamIDs in turn and do not search
 */
struct search_config {
	const uint32_t *stream_ids;
	size_t num_stream_ids;
	unsigned int stream_id_bits;
	unsigned int num_blocks;
	bool total_beside;
	unsigned int num_worst;
	enum search_figure figure;
	double min_share;
	bool turns;
};

#define SEARCH_NO_ROW SIZE_MAX

/**
 * struct search_block - what is counted by one filter
 * @everything: no filter; all other members but @row are 0 then
 * @stream_id: lowest StreamID, as far as filters compare it
 * @span_bits: so many low bits of the StreamID are ignored; 0: @stream_id only
 * @row: number of the row if this is one, or SEARCH_NO_ROW. A row is a StreamID, or some that the
 *	filters cannot tell apart. Rows are numbered from 0 by StreamID and keep their numbers.
 */
struct search_block {
	bool everything;
	uint32_t stream_id;
	unsigned int span_bits;
	size_t row;
};

/**
 * struct search_count - what was counted in a slice
 * @misses: count; negative is taken as 0
 * @transactions: count; negative is taken as 0. 0 if they are not counted.
 * @time_ns: how long was counted; 0: not at all, the block is planned again
 */
struct search_count {
	int64_t misses;
	int64_t transactions;
	uint64_t time_ns;
};

/**
 * struct search_row - a StreamID that was counted on its own
 * @row: its number, for search_row_stream_ids()
 * @value: its figure, as &search_config.figure says; NAN if there were no transactions
 * @lower: lower bound of it, for a steady load
 * @upper: upper bound of it, for a steady load; can be INFINITY
 * @misses: misses per s
 * @transactions: transactions per s
 * @most_misses: upper bound of these, by all blocks that it is in; can be INFINITY
 * @most_transactions: the same
 * @bursty: the counts of its slices differ so much that the figures say little
 * @last_ns: end of its last slice
 */
struct search_row {
	size_t row;
	double value;
	double lower;
	double upper;
	double misses;
	double transactions;
	double most_misses;
	double most_transactions;
	bool bursty;
	uint64_t last_ns;
};

/**
 * struct search_state - what is known of all the others
 * @complete: nothing is left in question: the rows of search_rows() are the worst, and none of the
 *	other StreamIDs is above @bound. False if there are no StreamIDs, or if the load changed
 *	and where has not been found yet.
 * @certain: @complete, and no other reaches the lower bound of the least row: not even the
 *	errors of the counts can have put a wrong one in their place
 * @bound: upper bound of the figure of each StreamID that is not one of the rows, of a steady
 *	load; INFINITY if unknown. For %SEARCH_RATIO, of each with at least @floor transactions.
 * @floor: per s: what &search_config.min_share is of everything; 0 as long as that is unknown
 * @turns: the StreamIDs are counted in turn, because it is told or because it costs less
 * @oldest_ns: end of the oldest slice that @bound depends on; 0 if unknown
 * @slices: slices added
 * @open_rows: rows that could be one of the worst and are still to be counted or bounded, and
 *	blocks that are to be counted again
 * @num_rows: how many rows there are, counted or not
 * @dispersion: typical variance / mean of the counts, for estimate_rate()
 * @misses: of everything, per s; NAN as long as it is unknown
 * @transactions: of everything, per s; NAN as long as it is unknown
 */
struct search_state {
	bool complete;
	bool certain;
	double bound;
	double floor;
	bool turns;
	uint64_t oldest_ns;
	uint64_t slices;
	size_t open_rows;
	size_t num_rows;
	double dispersion;
	double misses;
	double transactions;
};

struct search;

/**
 * search_new() - start a search
 * @config: what to search
 *
 * Return: the search, or NULL with errno set: EINVAL if @config is wrong, ENOMEM.
 */
struct search *search_new(const struct search_config *config);

/**
 * search_free() - free a search
 * @search: what to free; can be NULL
 */
void search_free(struct search *search);

/**
 * search_rank() - search for other worst ones; all counts are kept
 * @search: the search
 * @figure: as in &struct search_config
 * @num_worst: as in &struct search_config
 * @turns: as in &struct search_config
 *
 * Return: 0, or -1 with errno set to EINVAL.
 */
int search_rank(struct search *search, enum search_figure figure, unsigned int num_worst,
		bool turns);

/**
 * search_plan() - what to count in the next slice
 * @search: the search
 * @blocks: filled in; room for &search_config.num_blocks
 *
 * No block is there twice. Until the next search_add(), the answer is the same.
 *
 * Return: how many blocks; at least one.
 */
unsigned int search_plan(struct search *search, struct search_block *blocks);

/**
 * search_add() - add what was counted in a slice
 * @search: the search
 * @counts: one for each block of the last search_plan(), in its order. Without a plan since the
 *	last search_add(), nothing is added.
 * @total: what was counted without a filter, or NULL if not &search_config.total_beside
 * @now_ns: when the slice ended, by a clock that does not go backwards
 */
void search_add(struct search *search, const struct search_count *counts,
		const struct search_count *total, uint64_t now_ns);

/**
 * search_rows() - the worst StreamIDs so far, worst first
 * @search: the search
 * @rows: filled in
 * @max_rows: room in @rows. Not more than &search_config.num_worst are filled in.
 *
 * Only StreamIDs that were counted on their own and have counted something.
 *
 * Return: how many.
 */
size_t search_rows(struct search *search, struct search_row *rows, size_t max_rows);

/**
 * search_row() - what is known of one row
 * @search: the search
 * @number: number of the row
 * @row: filled in
 *
 * Return: whether it was counted on its own.
 */
bool search_row(struct search *search, size_t number, struct search_row *row);

/**
 * search_row_stream_ids() - the StreamIDs of a row
 * @search: the search
 * @number: number of the row
 * @num_stream_ids: set to how many it has: more than one if filters cannot tell them apart, 0 if
 *	there is no such row
 *
 * Return: an array of them in ascending order, valid until search_free().
 */
const uint32_t *search_row_stream_ids(const struct search *search, size_t number,
				      size_t *num_stream_ids);

/**
 * search_find() - the row that has a StreamID
 * @search: the search
 * @stream_id: the StreamID
 *
 * Return: number of the row, or SEARCH_NO_ROW.
 */
size_t search_find(const struct search *search, uint32_t stream_id);

/**
 * search_state() - what is known of the other StreamIDs
 * @search: the search
 * @state: filled in
 */
void search_state(struct search *search, struct search_state *state);

/**
 * search_filter() - the filter of a block
 * @block: the block; not everything
 * @span: set to FILTER_SID_SPAN
 *
 * Return: the StreamID to set in the filter (SMMU_PMCG_SMRn): the ones below its lowest 0, and
 * that 0, are ignored if @span.
 */
uint32_t search_filter(const struct search_block *block, bool *span);

#endif
