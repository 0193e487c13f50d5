// SPDX-License-Identifier: GPL-2.0
/*
 * The search for the worst StreamIDs: what to count next, and what is known.
 */
#include "search_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* While it is searched, everything is counted this often, to notice a load that changes. */
#define CHECK_SLICES	8

/* Of the slices in which nothing is left to split; rows in turn leave less to the rest. */
static const double shares[TURNS] = {
	[TURN_EVERYTHING] = 2, [TURN_ROWS] = 4, [TURN_WATCHED] = 2, [TURN_REST] = 1,
};

static const double turns_shares[TURNS] = {
	[TURN_EVERYTHING] = 1, [TURN_ROWS] = 8, [TURN_WATCHED] = 1, [TURN_REST] = 1,
};

static bool is_planned_full(const struct search *search)
{
	return search->num_plan == search->config.num_blocks;
}

static bool may_plan(const struct search *search, size_t index)
{
	const struct node *node = &search->nodes[index];

	if (!index && search->config.total_beside)
		return false;
	return !node->planned && node->retry <= search->slice;
}

static void plan_node(struct search *search, size_t index)
{
	search->nodes[index].planned = true;
	search->plan[search->num_plan++] = index;
}

/* Would a slice show that nothing is to be found in a block? Then it costs less than its rows. */
static bool would_end(const struct search *search, const struct node *node)
{
	double time = search->nodes[0].slice_time, expected = node->own_rate, dispersion;

	if (node->unknown_rows)
		expected += node->rest * (double)node->unknown_rows;
	if (!isfinite(expected) || time <= 0)
		return false;
	dispersion = node_dispersion(search, node, ranked_event(search));
	return estimate_upper(expected * time, dispersion, SIGMAS) <= ranked_rate(search) * time;
}

/* Is it counted, or will it be, so that its parts come next? */
static bool is_settled(const struct search *search, size_t index)
{
	const struct node *node = &search->nodes[index];

	return node->planned || is_known(node) || (!index && search->config.total_beside);
}

/* How many rows could be among the worst, of those that only this block is known to have? */
static void sum_open(struct search *search)
{
	struct node *nodes = search->nodes;
	size_t i;

	for (i = 0; i < search->num_nodes; i++) {
		nodes[i].open_score = nodes[i].score;
		nodes[i].whole = true;
		if (is_row(&nodes[i]))
			continue;
		nodes[i].open = 0;
		nodes[i].open_score = 0;
	}
	for (i = search->num_nodes; i-- > 1;) {
		struct node *parent = &nodes[nodes[i].parent];

		if (is_settled(search, i)) {
			parent->whole = false;
			continue;
		}
		parent->whole &= nodes[i].whole;
		parent->open += nodes[i].open;
		if (nodes[i].open)
			parent->open_score = fmax(parent->open_score, nodes[i].open_score);
	}
}

/*
 * What to count of a block, known or planned: what leaves half of the rows in question, whichever
 * way the count turns out. What is then left of the block is known by the difference. But if it can
 * be that nothing is to be found there, as much as possible is counted at once.
 */
static size_t part_to_count(const struct search *search, size_t index)
{
	const struct node *nodes = search->nodes;
	bool halve = nodes[index].least_rest > ranked_rate(search) || !is_known(&nodes[index]);
	size_t i = index + 1, best = SIZE_MAX, best_distance = SIZE_MAX;

	while (i < nodes[index].end) {
		const struct node *node = &nodes[i];
		size_t distance, twice = 2 * node->open;

		if (is_settled(search, i) || !node->open) {
			i = node->end;
			continue;
		}
		if (search->budget < 1) {
			if (may_plan(search, i) && (is_row(node) || would_end(search, node)))
				return i;
			i++;
			continue;
		}
		if (halve)
			distance = twice > nodes[index].open ? twice - nodes[index].open :
				   nodes[index].open - twice;
		else
			distance = node->whole ? nodes[index].open - node->open : SIZE_MAX;
		if (may_plan(search, i) &&
		    (distance < best_distance || (distance == best_distance && halve &&
						  i < nodes[best].end))) {
			best_distance = distance;
			best = i;
		}
		i++;
	}
	return best;
}

/* Where the worst may be is split first, as its rows share its rate. */
static size_t best_part(const struct search *search)
{
	const struct node *nodes = search->nodes;
	size_t i, best = SIZE_MAX;
	double best_score = -1;

	if (!is_settled(search, 0) && may_plan(search, 0))
		return 0;
	for (i = 0; i < search->num_nodes; i++) {
		const struct node *node = &nodes[i];
		double score;
		size_t part;

		if (is_row(node) || !node->open || (i && !is_settled(search, i)))
			continue;
		score = node->open_score * (double)node->open / (double)node->open_known;
		if (score <= best_score)
			continue;
		part = part_to_count(search, i);
		if (part == SIZE_MAX)
			continue;
		best = part;
		best_score = score;
	}
	return best;
}

static void plan_search(struct search *search)
{
	struct node *nodes = search->nodes;
	size_t i;

	for (i = 0; i < search->num_missed && !is_planned_full(search); i++)
		if (may_plan(search, search->missed[i]))
			plan_node(search, search->missed[i]);

	sum_open(search);
	for (i = 0; i < search->num_nodes; i++)
		nodes[i].open_known = !i || is_settled(search, i) ? nodes[i].open :
				      nodes[nodes[i].parent].open_known;
	while (!is_planned_full(search)) {
		i = best_part(search);
		if (i == SIZE_MAX)
			return;
		if (i && !is_row(&nodes[i]))
			search->budget -= 1;
		plan_node(search, i);
		if (!is_planned_full(search))
			sum_open(search);
	}
}

/*
 * Can a slice tell that another StreamID inside becomes one of the worst? Its rate must stand out
 * from what is counted there anyway.
 */
static bool would_show(const struct search *search, const struct node *node)
{
	int e = ranked_event(search);
	double more = ranked_rate(search) * node->slice_time;

	return is_known(node) && more * more >= SIGMAS * SIGMAS * 1.5 *
	       node_dispersion(search, node, e) * (rate(node, e) * node->slice_time + more);
}

/*
 * Whose turn is it? With @watched, large blocks if they would show it. Else all that bounds come
 * from: also blocks that contain others and those that these contain, because of the differences.
 */
static size_t oldest_inside(const struct search *search, bool watched)
{
	size_t i = 1, end = 0, oldest = SIZE_MAX;

	if (watched && (is_final(search, &search->nodes[0]) ||
			would_show(search, &search->nodes[0])))
		return SIZE_MAX;
	while (i < search->num_nodes) {
		const struct node *node = &search->nodes[i];
		bool last = i >= end && (is_final(search, node) ||
					 (watched && would_show(search, node)));

		if (last)
			end = node->end;
		if ((last || (!watched && is_known(node))) &&
		    !(is_row(node) && search->listed[node->block.row]) && may_plan(search, i) &&
		    (oldest == SIZE_MAX ||
		     node->last_slice < search->nodes[oldest].last_slice))
			oldest = i;
		i = watched && last ? end : i + 1;
	}
	return oldest;
}

static size_t oldest_row(const struct search *search)
{
	size_t i, oldest = SIZE_MAX;

	for (i = 0; i < search->num_rows; i++) {
		size_t index = search->row_nodes[i];

		if (!search->turns && !search->listed[i])
			continue;
		if (may_plan(search, index) &&
		    (oldest == SIZE_MAX ||
		     search->nodes[index].last_slice < search->nodes[oldest].last_slice))
			oldest = index;
	}
	return oldest;
}

static size_t oldest_of(const struct search *search, enum turn turn)
{
	switch (turn) {
	case TURN_EVERYTHING:
		return may_plan(search, 0) ? 0 : SIZE_MAX;
	case TURN_ROWS:
		return oldest_row(search);
	case TURN_WATCHED:
		return search->turns ? SIZE_MAX : oldest_inside(search, true);
	default:
		return search->turns ? SIZE_MAX : oldest_inside(search, false);
	}
}

/* Nothing is left to split: look at all of it again. */
static void plan_turns(struct search *search)
{
	const double *share = search->turns ? turns_shares : shares;
	enum turn turn;

	while (!is_planned_full(search)) {
		size_t best_node = SIZE_MAX;
		enum turn best = TURNS;

		for (turn = TURN_EVERYTHING; turn < TURNS; turn++) {
			size_t node;

			if (best != TURNS && search->passes[turn] >= search->passes[best])
				continue;
			node = oldest_of(search, turn);
			if (node == SIZE_MAX)
				continue;
			best = turn;
			best_node = node;
		}
		if (best == TURNS)
			return;

		/* Who had nothing to look at does not get all turns later. */
		for (turn = TURN_EVERYTHING; turn < TURNS; turn++)
			search->passes[turn] = fmax(search->passes[turn], search->passes[best]);
		search->passes[best] += 1 / share[best];
		plan_node(search, best_node);

		/* What is counted again pays for the search after the next change. */
		search->budget = fmin(search->budget + 0.25, (double)(search->num_rows / 4));
	}
}

static int compare_indices(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static void plan(struct search *search)
{
	size_t i;

	search_update(search);
	for (i = 0; i < search->num_nodes; i++)
		search->nodes[i].planned = false;

	/* The load may have changed: make sure. */
	for (i = 0; i < search->num_nodes && !search->turns; i++)
		if (is_suspect(&search->nodes[i]) && may_plan(search, i) &&
		    !is_planned_full(search))
			plan_node(search, i);

	if (!search->turns && search->num_open + search->num_missed) {
		if (!is_planned_full(search) && may_plan(search, 0) &&
		    search->nodes[0].last_slice + CHECK_SLICES <= search->slice)
			plan_node(search, 0);
		plan_search(search);
	}
	plan_turns(search);

	/* Nothing else may be planned at present. */
	if (!search->num_plan)
		plan_node(search, 0);

	/* Blocks before what is inside, which learns from them. */
	qsort(search->plan, search->num_plan, sizeof(search->plan[0]), compare_indices);
}

unsigned int search_plan(struct search *search, struct search_block *blocks)
{
	unsigned int i;

	if (!search->num_plan)
		plan(search);
	for (i = 0; i < search->num_plan; i++)
		blocks[i] = search->nodes[search->plan[i]].block;
	return search->num_plan;
}

void search_add(struct search *search, const struct search_count *counts,
		const struct search_count *total, uint64_t now_ns)
{
	unsigned int i;

	if (!search->num_plan)
		return;

	search->slice++;
	if (total && search->plan[0])
		learn(search, 0, total, now_ns);
	for (i = 0; i < search->num_plan; i++)
		learn(search, search->plan[i], &counts[i], now_ns);
	pool_update(&search->pools[MISSES]);
	pool_update(&search->pools[TRANSACTIONS]);
	search->num_plan = 0;
	search->stale = true;
}

static void describe(const struct search *search, const struct node *node, struct search_row *row)
{
	int e = ranked_event(search);
	double dispersion = node_dispersion(search, node, e);

	row->row = node->block.row;
	row->value = search_value(search, node);
	row->lower = search_lower(search, node);
	row->upper = node->score;
	row->misses = rate(node, MISSES);
	row->transactions = rate(node, TRANSACTIONS);
	row->most_misses = node->upper[MISSES];
	row->most_transactions = node->upper[TRANSACTIONS];

	/* By half of the rate, which independent events would hardly do. */
	row->bursty = dispersion > 4 && 4 * dispersion > rate(node, e) * node->slice_time;
	row->last_ns = node->last_ns;
}

size_t search_rows(struct search *search, struct search_row *rows, size_t max_rows)
{
	size_t i;

	search_update(search);
	for (i = 0; i < search->num_listed && i < max_rows; i++)
		search_row(search, search->ranked[i].row, &rows[i]);
	return i;
}

bool search_row(struct search *search, size_t number, struct search_row *row)
{
	const struct node *node;

	if (number >= search->num_rows)
		return false;
	node = &search->nodes[search->row_nodes[number]];
	if (!is_counted(node))
		return false;
	search_update(search);
	describe(search, node, row);
	return true;
}

void search_state(struct search *search, struct search_state *state)
{
	const struct node *all = &search->nodes[0];
	uint64_t oldest_ns = UINT64_MAX;
	size_t i, unknown_rows = 0;
	double least = INFINITY;

	search_update(search);
	memset(state, 0, sizeof(*state));
	for (i = 0; i < search->num_rows; i++) {
		const struct node *node = &search->nodes[search->row_nodes[i]];

		unknown_rows += !is_known(node);
		if (search->listed[i]) {
			least = fmin(least, search_lower(search, node));
			continue;
		}
		state->bound = fmax(state->bound, node->score);
		if (node->oldest_ns < oldest_ns)
			oldest_ns = node->oldest_ns;
	}

	state->open_rows = search->turns ? unknown_rows : search->num_open + search->num_missed;
	state->complete = search->num_rows && !state->open_rows && isfinite(state->bound);
	state->certain = state->complete && (search->num_listed == search->config.num_worst ||
					     search->num_listed == search->num_rows) &&
			 state->bound <= least;
	if (oldest_ns != UINT64_MAX)
		state->oldest_ns = oldest_ns;
	state->floor = search->config.figure == SEARCH_RATIO ? search->floor : search->threshold;
	state->turns = search->turns || (search->num_open && search->budget < 1);
	state->slices = search->slice;
	state->num_rows = search->num_rows;
	state->dispersion = search->pools[ranked_event(search)].typical;
	state->misses = is_counted(all) ? rate(all, MISSES) : NAN;
	state->transactions = is_counted(all) ? rate(all, TRANSACTIONS) : NAN;
}
