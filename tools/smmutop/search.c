// SPDX-License-Identifier: GPL-2.0
/*
 * The StreamIDs of a search: rows, and the tree of the blocks that filters can match.
 */
#include "search_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

uint32_t search_filter(const struct search_block *block, bool *span)
{
	*span = block->span_bits > 0;
	if (!*span)
		return block->stream_id;
	return block->stream_id | ((UINT32_C(1) << (block->span_bits - 1)) - 1);
}
