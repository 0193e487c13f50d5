/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the search: search.c makes the tree, search_learn.c takes the counts, search_bounds.c
 * finds what follows from them, and search_plan.c what to count next and what to tell.
 */
#ifndef SMMUTOP_SEARCH_PRIVATE_H
#define SMMUTOP_SEARCH_PRIVATE_H

#include "estimate.h"
#include "search.h"
#include "search_pool.h"

enum { MISSES, TRANSACTIONS, EVENTS };

/*
 * Bounds are so many standard deviations away from what was counted. A search makes some thousand
 * comparisons: with 3, some would be wrong.
 */
#define SIGMAS	5

/* Differences that are no more than this part of a number come from computing with it. */
#define ROUNDING	0.000000001

/**
 * struct node - a block of the prefix tree
 * @block: what is counted
 * @parent: index of the smallest larger block
 * @sibling: index of the other half of the block around; 0 if there is none
 * @end: index after the last block inside; those inside have the indices before, from its own on
 * @first_row: number of the first row inside
 * @num_rows: how many
 * @counted: since the load changed the last time; old slices are forgotten slowly
 * @recent: the part of @counted since which it may have changed; not yet beyond doubt
 * @looks: slices in which it was counted since it counted anything
 * @steady: slices since it changed the last time
 * @scatter: sum of (squared difference between slices / variance of independent events)
 * @weight: how many differences @scatter has; both forget slowly
 * @slice_time: length of the last slice, in s
 * @last_slice: number of the last slice in which it was counted
 * @last_ns: end of that slice
 * @changed: number of the slice in which @counted started again
 * @since: number of the slice since which @counted says that the load has not changed: @changed, or
 *	when @counted was corrected because a block inside was found to have changed
 * @doubt: number of the slice in which a larger block differed from what it had counted before, so
 *	that @counted may no longer be true; 0: no doubt
 * @failures: how often in succession it was planned and not counted
 * @retry: number of slices added from which on it may be planned again
 * @planned: for the next slice
 * @empty_inside: all parts were counted, and counted nothing
 * @own: lower bounds of the rates by @counted alone or, if that is not known, by the largest blocks
 *	inside that are known
 * @own_upper: upper bounds of the same; not of the block, if it is not known
 * @own_rate: of ranked_event(), of the same
 * @own_ns: end of the oldest slice that @own depends on
 * @latest: number of the latest slice that @own depends on
 * @unknown_rows: so many rows are neither in these blocks nor in this one, if it is known
 * @upper: upper bounds of the rates, by all blocks around as well
 * @rest: of what is in no known block inside, the rate of ranked_event() for each unknown row; of
 *	the smallest known block around if this one is not known; INFINITY if there is none
 * @least_rest: lower bound of the same for all these rows together, if there are no other StreamIDs
 *	than the ones known; it only says what to count next
 * @score: upper bound of the figure of each StreamID inside
 * @open: so many rows could be one of the worst and are not known, without those in blocks inside
 *	that are known or planned
 * @open_known: @open of the smallest known block around, or of this one, as it was before others
 *	were planned
 * @open_score: the highest score of the rows of @open
 * @whole: no block inside is known or planned
 * @oldest_ns: end of the oldest slice that @upper depends on
 */
struct node {
	struct search_block block;
	size_t parent;
	size_t sibling;
	size_t end;
	size_t first_row;
	size_t num_rows;

	struct estimate counted[EVENTS];
	struct estimate recent[EVENTS];
	unsigned int looks;
	unsigned int steady;
	double scatter[EVENTS];
	double weight[EVENTS];
	double slice_time;
	uint64_t last_slice;
	uint64_t last_ns;
	uint64_t changed;
	uint64_t since;
	uint64_t doubt;

	unsigned int failures;
	uint64_t retry;
	bool planned;

	bool empty_inside;
	double own[EVENTS];
	double own_upper[EVENTS];
	double own_rate;
	uint64_t own_ns;
	uint64_t latest;
	size_t unknown_rows;
	double upper[EVENTS];
	double rest;
	double least_rest;
	double score;
	size_t open;
	size_t open_known;
	double open_score;
	bool whole;
	uint64_t oldest_ns;
};

/**
 * struct ranked - a row, for sorting
 * @value: its figure
 * @row: its number
 */
struct ranked {
	double value;
	size_t row;
};

/* Who gets the slices when nothing is left to split. */
enum turn { TURN_EVERYTHING, TURN_ROWS, TURN_WATCHED, TURN_REST, TURNS };

/**
 * struct search - a search
 * @config: a copy; its StreamIDs are not used
 * @turns: the rows are counted in turn
 * @stream_ids: sorted by row, without duplicates
 * @num_stream_ids: how many
 * @row_starts: index of the first StreamID of each row, and the end of the last row
 * @row_nodes: index of the node of each row
 * @num_rows: how many rows
 * @nodes: the tree: [0] is everything
 * @num_nodes: how many
 * @plan: indices of the nodes that are to be counted next
 * @num_plan: how many; 0 if not planned
 * @slice: number of slices added
 * @pools: for each event
 * @budget: so many blocks that are no rows may be counted before rows are counted in turn
 * @passes: how many turns each has had, divided by how often it shall have one
 * @stale: the members below and the bounds of the nodes must be computed
 * @ranked: the rows that have a figure, worst first
 * @values: room for as many numbers as there are rows
 * @listed: for each row: it is one of the worst
 * @num_listed: how many are, which are the first ones in @ranked
 * @threshold: what the figure of a row must reach to be one of the worst
 * @floor: transactions per s that a row must have, for ratios
 * @num_open: so many rows could be one of the worst and are not known
 * @missed: nodes to be counted again, because what comes in them may have been missed
 * @num_missed: how many
 */
struct search {
	struct search_config config;
	bool turns;

	uint32_t *stream_ids;
	size_t num_stream_ids;
	size_t *row_starts;
	size_t *row_nodes;
	size_t num_rows;

	struct node *nodes;
	size_t num_nodes;

	size_t *plan;
	unsigned int num_plan;

	uint64_t slice;
	struct pool pools[EVENTS];
	double budget;
	double passes[TURNS];

	bool stale;
	struct ranked *ranked;
	double *values;
	bool *listed;
	size_t num_listed;
	double threshold;
	double floor;
	size_t num_open;
	size_t *missed;
	size_t num_missed;
};

static inline bool is_row(const struct node *node)
{
	return node->block.row != SEARCH_NO_ROW;
}

static inline bool is_counted(const struct node *node)
{
	return node->slice_time > 0;
}

/* Was it counted, and can that be relied on? */
static inline bool is_known(const struct node *node)
{
	return is_counted(node) && !node->doubt;
}

static inline double rate(const struct node *node, int event)
{
	return node->counted[event].count / node->counted[event].time;
}

/* Has it to be counted again to be sure whether the load has changed? */
static inline bool is_suspect(const struct node *node)
{
	return node->recent[0].time > 0;
}

/**
 * node_dispersion() - how much more than independent events do the counts differ?
 * @search: the search
 * @node: of this node
 * @event: of this event
 *
 * Return: variance / mean: not less than what is typical, because a few counts can be alike by
 * chance, and at least 1.
 */
double node_dispersion(const struct search *search, const struct node *node, int event);

/**
 * learn() - add what was counted in a slice
 * @search: the search
 * @index: of the node
 * @count: what was counted
 * @now_ns: end of the slice
 */
void learn(struct search *search, size_t index, const struct search_count *count, uint64_t now_ns);

/**
 * search_update() - compute the bounds, and what follows from them
 * @search: the search
 */
void search_update(struct search *search);

/**
 * search_value() - the figure of a row
 * @search: the search
 * @node: of a row that was counted
 *
 * Return: the figure; NAN if there were no transactions.
 */
double search_value(const struct search *search, const struct node *node);

/**
 * search_lower() - lower bound of the figure of a row
 * @search: the search
 * @node: of a row
 *
 * Return: the bound; 0 for a ratio of too few transactions.
 */
double search_lower(const struct search *search, const struct node *node);

/**
 * is_final() - is nothing to be found by splitting a block, or counting a row?
 * @search: the search
 * @node: the block
 *
 * Return: whether it is so.
 */
bool is_final(const struct search *search, const struct node *node);

/**
 * ranked_event() - the event that the figure is about most
 * @search: the search
 *
 * Return: the event.
 */
static inline int ranked_event(const struct search *search)
{
	return search->config.figure == SEARCH_TRANSACTIONS ? TRANSACTIONS : MISSES;
}

/**
 * ranked_rate() - the least rate of ranked_event() of one of the worst
 * @search: the search
 *
 * Return: per s.
 */
static inline double ranked_rate(const struct search *search)
{
	if (search->config.figure == SEARCH_RATIO)
		return search->threshold * search->floor;
	return search->threshold;
}

#endif
