// SPDX-License-Identifier: GPL-2.0
/*
 * The search for the worst StreamIDs: what to count next, and what is known.
 */
#include "search_private.h"

#include <errno.h>
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

static uint32_t low_bits(uint32_t value, unsigned int bits)
{
	return bits < 32 ? value & ((UINT32_C(1) << bits) - 1) : value;
}

/* By what filters compare, and then by the rest. */
struct key {
	uint32_t compared;
	uint32_t stream_id;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->compared != y->compared)
		return x->compared < y->compared ? -1 : 1;
	return (x->stream_id > y->stream_id) - (x->stream_id < y->stream_id);
}

static uint32_t row_stream_id(const struct search *search, size_t row)
{
	return low_bits(search->stream_ids[search->row_starts[row]],
			search->config.stream_id_bits);
}

/* Sort the StreamIDs into rows. */
static bool find_rows(struct search *search)
{
	const struct search_config *config = &search->config;
	size_t i, num = config->num_stream_ids;
	struct key *keys;

	keys = calloc(num + 1, sizeof(*keys));
	search->stream_ids = calloc(num + 1, sizeof(*search->stream_ids));
	search->row_starts = calloc(num + 1, sizeof(*search->row_starts));
	if (!keys || !search->stream_ids || !search->row_starts) {
		free(keys);
		return false;
	}

	for (i = 0; i < num; i++) {
		keys[i].stream_id = config->stream_ids[i];
		keys[i].compared = low_bits(config->stream_ids[i], config->stream_id_bits);
	}
	qsort(keys, num, sizeof(*keys), compare_keys);

	for (i = 0; i < num; i++) {
		if (i && keys[i].stream_id == keys[i - 1].stream_id)
			continue;
		if (!i || keys[i].compared != keys[i - 1].compared)
			search->row_starts[search->num_rows++] = search->num_stream_ids;
		search->stream_ids[search->num_stream_ids++] = keys[i].stream_id;
	}
	search->row_starts[search->num_rows] = search->num_stream_ids;

	free(keys);
	return true;
}

static size_t add_node(struct search *search, size_t parent, size_t first_row, size_t num_rows)
{
	size_t index = search->num_nodes++;
	struct node *node = &search->nodes[index];

	node->parent = parent;
	node->end = search->num_nodes;
	node->first_row = first_row;
	node->num_rows = num_rows;
	node->block.row = SEARCH_NO_ROW;
	return index;
}

/* How many low bits differ among some rows: between the first and the last, as they are sorted. */
static unsigned int span_bits(const struct search *search, size_t first_row, size_t num_rows)
{
	uint32_t differ = row_stream_id(search, first_row) ^
			  row_stream_id(search, first_row + num_rows - 1);
	unsigned int bits = 0;

	while (differ >> bits)
		if (++bits == 32)
			break;
	return bits;
}

static void add_block(struct search *search, size_t parent, size_t first_row, size_t num_rows);

/* The two halves of a block; at most 32 deep. */
static void add_halves(struct search *search, size_t index)
{
	size_t first = search->nodes[index].first_row, num = search->nodes[index].num_rows;
	unsigned int bits = span_bits(search, first, num);
	size_t half = 0;

	while (!(row_stream_id(search, first + half) >> (bits - 1) & 1))
		half++;
	add_block(search, index, first, half);
	search->nodes[index + 1].sibling = search->num_nodes;
	search->nodes[search->num_nodes].sibling = index + 1;
	add_block(search, index, first + half, num - half);
}

static void add_block(struct search *search, size_t parent, size_t first_row, size_t num_rows)
{
	size_t index = add_node(search, parent, first_row, num_rows);
	struct search_block *block = &search->nodes[index].block;
	uint32_t stream_id = row_stream_id(search, first_row);

	if (num_rows == 1) {
		block->stream_id = stream_id;
		block->row = first_row;
		search->row_nodes[first_row] = index;
	} else {
		block->span_bits = span_bits(search, first_row, num_rows);
		block->stream_id = stream_id - low_bits(stream_id, block->span_bits);
		add_halves(search, index);
	}
	search->nodes[index].end = search->num_nodes;
}

/*
 * Everything takes the place of the smallest block that has all StreamIDs present: it is needed
 * anyway, and bounds them as well.
 */
static void add_everything(struct search *search)
{
	size_t index = add_node(search, 0, 0, search->num_rows);

	search->nodes[index].block.everything = true;
	if (search->num_rows == 1)
		add_block(search, index, 0, 1);
	else if (search->num_rows)
		add_halves(search, index);
	search->nodes[index].end = search->num_nodes;
}

static void set_turns(struct search *search)
{
	/* Three slices for all are not more than a search takes. */
	search->turns = search->config.turns ||
			search->num_rows <= 3 * (size_t)search->config.num_blocks;
}

struct search *search_new(const struct search_config *config)
{
	struct search *search;
	size_t rows;

	if (config->stream_id_bits > 32 || !config->num_blocks || !config->num_worst ||
	    config->figure > SEARCH_RATIO || !(config->min_share >= 0 && config->min_share <= 1) ||
	    (config->num_stream_ids && !config->stream_ids)) {
		errno = EINVAL;
		return NULL;
	}

	search = calloc(1, sizeof(*search));
	if (!search)
		return NULL;
	search->config = *config;
	if (!find_rows(search))
		goto no_memory;
	search->config.stream_ids = NULL;

	rows = search->num_rows + 1;
	search->row_nodes = calloc(rows, sizeof(*search->row_nodes));
	search->nodes = calloc(2 * rows, sizeof(*search->nodes));
	search->plan = calloc(2 * rows, sizeof(*search->plan));
	search->ranked = calloc(rows, sizeof(*search->ranked));
	search->values = calloc(rows, sizeof(*search->values));
	search->listed = calloc(rows, sizeof(*search->listed));
	search->missed = calloc(2 * rows, sizeof(*search->missed));
	if (!search->row_nodes || !search->nodes || !search->plan || !search->ranked ||
	    !search->values || !search->listed || !search->missed)
		goto no_memory;

	add_everything(search);
	pool_init(&search->pools[MISSES]);
	pool_init(&search->pools[TRANSACTIONS]);
	search->budget = (double)(search->num_rows / 4);
	search->passes[TURN_EVERYTHING] = 1;
	search->stale = true;
	set_turns(search);
	return search;

no_memory:
	search_free(search);
	errno = ENOMEM;
	return NULL;
}

void search_free(struct search *search)
{
	if (!search)
		return;
	free(search->stream_ids);
	free(search->row_starts);
	free(search->row_nodes);
	free(search->nodes);
	free(search->plan);
	free(search->ranked);
	free(search->values);
	free(search->listed);
	free(search->missed);
	free(search);
}

int search_rank(struct search *search, enum search_figure figure, unsigned int num_worst,
		bool turns)
{
	if (figure > SEARCH_RATIO || !num_worst) {
		errno = EINVAL;
		return -1;
	}
	search->config.figure = figure;
	search->config.num_worst = num_worst;
	search->config.turns = turns;
	search->stale = true;
	set_turns(search);
	return 0;
}

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

const uint32_t *search_row_stream_ids(const struct search *search, size_t number,
				      size_t *num_stream_ids)
{
	if (number >= search->num_rows) {
		*num_stream_ids = 0;
		return NULL;
	}
	*num_stream_ids = search->row_starts[number + 1] - search->row_starts[number];
	return &search->stream_ids[search->row_starts[number]];
}

size_t search_find(const struct search *search, uint32_t stream_id)
{
	uint32_t compared = low_bits(stream_id, search->config.stream_id_bits);
	size_t first = 0, last = search->num_rows, i;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (row_stream_id(search, middle) < compared)
			first = middle + 1;
		else
			last = middle;
	}
	if (first == search->num_rows)
		return SEARCH_NO_ROW;
	for (i = search->row_starts[first]; i < search->row_starts[first + 1]; i++)
		if (search->stream_ids[i] == stream_id)
			return first;
	return SEARCH_NO_ROW;
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

uint32_t search_filter(const struct search_block *block, bool *span)
{
	*span = block->span_bits > 0;
	if (!*span)
		return block->stream_id;
	return block->stream_id | ((UINT32_C(1) << (block->span_bits - 1)) - 1);
}
