// SPDX-License-Identifier: GPL-2.0
/*
 * What follows from the counts: bounds of each block, the worst rows, and which blocks could hide
 * another one.
 */
#include "search_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By what was counted in the block itself. */
static void bound_alone(const struct search *search, struct node *node)
{
	int e;

	for (e = 0; e < EVENTS; e++) {
		const struct estimate *counted = &node->counted[e];
		double dispersion = node_dispersion(search, node, e);

		node->own[e] = estimate_lower(counted->count, dispersion, SIGMAS) / counted->time;
		node->own_upper[e] = estimate_upper(counted->count, dispersion, SIGMAS) /
				     counted->time;
	}
	node->own_rate = rate(node, ranked_event(search));
	node->own_ns = node->last_ns;
	node->latest = node->last_slice;
	node->unknown_rows = 0;
}

/* By the largest blocks inside that are known. */
static void bound_by_parts(const struct search *search, size_t index)
{
	struct node *nodes = search->nodes, *node = &nodes[index];
	size_t i;
	int e;

	for (e = 0; e < EVENTS; e++) {
		node->own[e] = 0;
		node->own_upper[e] = 0;
	}
	node->own_rate = 0;
	node->own_ns = UINT64_MAX;
	node->latest = 0;
	node->unknown_rows = is_row(node);
	for (i = index + 1; i < node->end; i = nodes[i].end) {
		node->unknown_rows += nodes[i].unknown_rows;
		if (!nodes[i].latest)
			continue;
		for (e = 0; e < EVENTS; e++) {
			node->own[e] += nodes[i].own[e];
			node->own_upper[e] += nodes[i].own_upper[e];
		}
		node->own_rate += nodes[i].own_rate;
		if (nodes[i].own_ns < node->own_ns)
			node->own_ns = nodes[i].own_ns;
		if (nodes[i].latest > node->latest)
			node->latest = nodes[i].latest;
	}
}

/*
 * By the block around as well: at most as much as that, less what the other half has at least. The
 * reverse, at least as much as the block around less the other half, would be wrong: there can be
 * StreamIDs that are not known. It only says where to look.
 */
static void bound_within(struct search *search, size_t index)
{
	size_t other = search->nodes[index].sibling;
	struct node *node = &search->nodes[index];
	const struct node *parent = &search->nodes[node->parent];
	const struct node *sibling = other ? &search->nodes[other] : NULL;
	bool by_parent = false;
	int e;

	node->oldest_ns = is_known(node) ? node->last_ns : UINT64_MAX;
	for (e = 0; e < EVENTS; e++) {
		double rest = index ? parent->upper[e] : INFINITY;

		if (sibling)
			rest = fmax(0, rest - sibling->own[e]);
		node->upper[e] = rest;
		if (is_known(node) && node->own_upper[e] <= rest)
			node->upper[e] = node->own_upper[e];
		else
			by_parent = true;
	}

	if (by_parent) {
		if (parent->oldest_ns < node->oldest_ns)
			node->oldest_ns = parent->oldest_ns;
		if (sibling && sibling->own_ns < node->oldest_ns)
			node->oldest_ns = sibling->own_ns;
	}
}

/* The same, where nothing in the block around is known: this is most of the tree. */
static void bound_as_parent(struct search *search, size_t index)
{
	struct node *node = &search->nodes[index];
	const struct node *parent = &search->nodes[node->parent];

	memcpy(node->upper, parent->upper, sizeof(node->upper));
	node->oldest_ns = parent->oldest_ns;
}

/* What a block has that is in none of the known blocks inside: only to see what to count next. */
static void find_rest(struct search *search, size_t index)
{
	struct node *nodes = search->nodes, *node = &nodes[index];
	size_t i, rows = 0;
	int e = ranked_event(search);

	if (!is_known(node)) {
		node->rest = index ? nodes[node->parent].rest : INFINITY;
		node->least_rest = index ? nodes[node->parent].least_rest : 0;
		return;
	}
	node->rest = node->own_rate;
	node->least_rest = node->own[e];
	for (i = index + 1; i < node->end; i = nodes[i].end) {
		node->rest -= nodes[i].own_rate;
		node->least_rest -= nodes[i].own_upper[e];
		rows += nodes[i].unknown_rows;
	}
	node->rest = rows ? fmax(0, node->rest) / (double)rows : 0;
}

/* What is in doubt is at most what the blocks around leave. */
double search_value(const struct search *search, const struct node *node)
{
	double value;

	switch (search->config.figure) {
	case SEARCH_TRANSACTIONS:
		value = rate(node, TRANSACTIONS);
		break;
	case SEARCH_RATIO:
		if (node->counted[TRANSACTIONS].count <= 0)
			return NAN;
		value = node->counted[MISSES].count / node->counted[TRANSACTIONS].count;
		break;
	default:
		value = rate(node, MISSES);
	}
	return node->doubt ? fmin(value, node->score) : value;
}

/* Has the row enough transactions for a ratio? */
static bool is_ranked(const struct search *search, const struct node *node)
{
	return search->config.figure != SEARCH_RATIO || rate(node, TRANSACTIONS) >= search->floor;
}

double search_lower(const struct search *search, const struct node *node)
{
	if (search->config.figure != SEARCH_RATIO)
		return node->own[ranked_event(search)];
	if (!is_known(node) || !is_ranked(search, node) || node->upper[TRANSACTIONS] <= 0)
		return 0;
	return node->own[MISSES] / node->upper[TRANSACTIONS];
}

/*
 * Upper bound of the figure of each StreamID inside. The ratio of a block bounds none of those
 * inside: only its misses do, as all of them can belong to a StreamID with the least transactions
 * that matter.
 */
static double upper_bound(const struct search *search, const struct node *node)
{
	double transactions = search->floor;

	if (search->config.figure != SEARCH_RATIO)
		return node->upper[ranked_event(search)];
	if (node->upper[TRANSACTIONS] < search->floor)
		return 0;
	if (is_row(node))
		transactions = fmax(transactions, node->own[TRANSACTIONS]);
	return node->upper[MISSES] / transactions;
}

/* The shares are of what is counted without a filter. */
static void find_floor(struct search *search)
{
	const struct node *all = &search->nodes[0];
	double share = search->config.min_share;

	search->floor = 0;
	search->threshold = 0;
	if (search->config.figure != SEARCH_RATIO) {
		if (is_counted(all))
			search->threshold = share * rate(all, ranked_event(search));
		return;
	}

	/* One per s: a StreamID without transactions has no ratio. */
	search->floor = 1;
	if (is_counted(all))
		search->floor = fmax(1, (share > 0 ? share : 0.001) * rate(all, TRANSACTIONS));
}

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The worst so far, and what others must reach to be among them. */
static void find_worst(struct search *search)
{
	size_t i, num = 0, num_values = 0, worst = search->config.num_worst;

	for (i = 0; i < search->num_rows; i++) {
		const struct node *node = &search->nodes[search->row_nodes[i]];
		double value, lower;

		search->listed[i] = false;
		if (!is_counted(node) || !is_ranked(search, node))
			continue;
		value = search_value(search, node);
		if (value > 0)
			search->ranked[num++] = (struct ranked){ .value = value, .row = i };
		lower = search_lower(search, node);
		if (lower > 0)
			search->values[num_values++] = lower;
	}

	qsort(search->ranked, num, sizeof(search->ranked[0]), compare_ranked);
	search->num_listed = num < worst ? num : worst;
	for (i = 0; i < search->num_listed; i++)
		search->listed[search->ranked[i].row] = true;

	qsort(search->values, num_values, sizeof(search->values[0]), compare_values);
	if (num_values >= worst)
		search->threshold = fmax(search->threshold, search->values[worst - 1]);
}

bool is_final(const struct search *search, const struct node *node)
{
	if (node->score <= search->threshold)
		return true;
	if (!is_known(node))
		return false;

	/* Nothing is found in nothing: the bound gets better only by counting it longer. */
	return is_row(node) || node->counted[ranked_event(search)].count <= 0;
}

static bool counted_nothing(const struct search *search, const struct node *node)
{
	return is_known(node) && node->counted[ranked_event(search)].count <= 0;
}

/* In which blocks did all parts count nothing? In this order, parts come after the whole. */
static void find_empty(struct search *search)
{
	struct node *nodes = search->nodes;
	size_t i;

	for (i = search->num_nodes; i-- > 0;)
		nodes[i].empty_inside = !is_row(&nodes[i]) && nodes[i].num_rows;
	for (i = search->num_nodes; i-- > 1;)
		if (is_known(&nodes[i]) ? !counted_nothing(search, &nodes[i]) :
		    !nodes[i].empty_inside)
			nodes[nodes[i].parent].empty_inside = false;
}

/* So many slices with nothing are nothing. */
#define LOOKS	8

/*
 * No part has what the whole has: it comes in bursts, which the slices of the parts have missed, or
 * from StreamIDs that are not known. Look again some times before it is taken for the latter.
 */
static bool is_missed(const struct search *search, size_t index)
{
	const struct node *node = &search->nodes[index], *whole;

	if (!index || !counted_nothing(search, node) || node->looks >= LOOKS ||
	    node->score <= search->threshold)
		return false;
	do {
		index = search->nodes[index].parent;
		whole = &search->nodes[index];
	} while (index && !is_known(whole));
	return is_known(whole) && !counted_nothing(search, whole) && whole->empty_inside;
}

/*
 * Which rows could be one of the worst and are not known? And which blocks have to be counted again
 * before it is said that there is nothing in them?
 */
static void find_open(struct search *search)
{
	size_t i;

	search->num_open = 0;
	search->num_missed = 0;
	for (i = 0; i < search->num_nodes; i++)
		search->nodes[i].open = 0;
	i = 0;
	while (i < search->num_nodes) {
		struct node *node = &search->nodes[i];

		if (is_missed(search, i)) {
			search->missed[search->num_missed++] = i;
			i = node->end;
		} else if (is_final(search, node)) {
			i = node->end;
		} else {
			node->open = is_row(node);
			search->num_open += node->open;
			i++;
		}
	}
}

/* Doubt what was counted before @latest, of a block or else of the blocks inside. */
static bool doubt_older(struct search *search, size_t index, uint64_t latest)
{
	size_t i = index, end = search->nodes[index].end;
	bool doubted = false;

	while (i < end) {
		struct node *node = &search->nodes[i];

		if (!is_known(node)) {
			i++;
			continue;
		}
		if (node->last_slice < latest) {
			node->doubt = search->slice;
			doubted = true;
		}
		i = node->end;
	}
	return doubted;
}

/*
 * Two halves cannot have more than the whole. If they do, the load has changed since one of them
 * was counted: only the latest can be relied on. Those that can be wrong are the blocks around,
 * which bound these from above, and the other halves of all of them, which are taken away.
 */
static bool doubt_contradiction(struct search *search, size_t index)
{
	uint64_t latest = 0, latest_around = 0;
	const struct node *nodes = search->nodes;
	size_t i, other = search->nodes[index].sibling;
	bool doubted = false, wrong = false;
	int e;

	for (e = 0; e < EVENTS; e++) {
		double parts = nodes[index].own[e] + (other ? nodes[other].own[e] : 0);

		wrong |= parts > nodes[nodes[index].parent].upper[e] * (1 + ROUNDING);
	}
	if (!wrong)
		return false;

	for (i = index; i; i = nodes[i].parent) {
		const struct node *around = &nodes[nodes[i].parent];

		other = search->nodes[i].sibling;
		if (other && nodes[other].latest > latest)
			latest = nodes[other].latest;
		if (is_known(around) && around->last_slice > latest_around)
			latest_around = around->last_slice;
	}
	if (nodes[index].latest > latest)
		latest = nodes[index].latest;

	for (i = index; i; i = nodes[i].parent)
		if (is_known(&nodes[nodes[i].parent]))
			doubted |= doubt_older(search, nodes[i].parent, latest);
	if (doubted)
		return true;

	doubted = doubt_older(search, index, latest_around);
	for (i = index; i; i = nodes[i].parent) {
		other = search->nodes[i].sibling;
		if (other)
			doubted |= doubt_older(search, other, latest_around);
	}
	return doubted;
}

static void find_bounds(struct search *search)
{
	struct node *nodes = search->nodes;
	bool again;
	size_t i;

	do {
		again = false;
		for (i = search->num_nodes; i-- > 0;)
			if (is_known(&nodes[i]))
				bound_alone(search, &nodes[i]);
			else
				bound_by_parts(search, i);
		for (i = 0; i < search->num_nodes; i++)
			if (i && !nodes[i].latest && !nodes[nodes[i].parent].latest)
				bound_as_parent(search, i);
			else
				bound_within(search, i);
		for (i = 1; i < search->num_nodes && !again; i++)
			again = nodes[i].latest && doubt_contradiction(search, i);
	} while (again);
}

void search_update(struct search *search)
{
	size_t i;

	if (!search->stale)
		return;
	search->stale = false;

	find_bounds(search);
	find_floor(search);
	for (i = 0; i < search->num_nodes; i++)
		search->nodes[i].score = upper_bound(search, &search->nodes[i]);
	find_worst(search);
	if (search->turns)
		return;
	find_empty(search);
	find_open(search);
	for (i = 0; i < search->num_nodes && search->num_open; i++)
		find_rest(search, i);
}
