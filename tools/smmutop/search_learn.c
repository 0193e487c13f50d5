// SPDX-License-Identifier: GPL-2.0
/*
 * What the counts of a slice say about a block: its rate, how much its counts differ, and whether
 * the load has changed since the last time, here or somewhere inside.
 */
#include "search_private.h"

#include <math.h>
#include <string.h>

/* About so many slices are remembered, so that a load which changes slowly is followed. */
#define MEMORY	16

/* How many differences the typical dispersion is worth beside those of the block itself. */
#define PRIOR	4

/* What differs by as much, but not by SIGMAS, is counted again, up to so many slices. */
#define SIGMAS_SUSPECT	2.5
#define MOST_RECENT	8

/* Once the load is known to have changed somewhere, less is enough to say that it was here. */
#define SIGMAS_IN_DOUBT	3
#define SIGMAS_INFERRED	1

/* Blocks that may be counted to find where the load changed: both halves at each level. */
#define DESCENT	24

/* What was corrected because of another count is worth so much of a slice. */
#define CORRECTED	0.5

/* So many slices without a change, and the next one is no scatter. */
#define STEADY	8

/* With fewer events, a difference says nothing about the dispersion. */
#define FEW	4

double node_dispersion(const struct search *search, const struct node *node, int event)
{
	double typical = search->pools[event].typical;

	return fmax(typical, (PRIOR * typical + node->scatter[event]) /
			     (PRIOR + node->weight[event]));
}

/*
 * Rates, with their variance if the events were independent.
 * @time: how long they were counted directly; 0 if they are a sum or a difference
 * @last_slice: number of the last slice that they come from
 */
struct rates {
	double rate[EVENTS];
	double variance[EVENTS];
	double time;
	uint64_t last_slice;
};

/* Of slices, without those in @less. */
static struct rates by_slices(const struct estimate *slices, const struct estimate *less)
{
	struct rates rates = { .time = slices[0].time - (less ? less[0].time : 0) };
	int e;

	for (e = 0; e < EVENTS; e++) {
		double count = slices[e].count - (less ? less[e].count : 0);

		rates.rate[e] = fmax(0, count) / rates.time;
		rates.variance[e] = rates.rate[e] / rates.time;
	}
	return rates;
}

static struct rates by_counts(const struct node *node)
{
	struct rates rates = by_slices(node->counted, NULL);

	rates.last_slice = node->last_slice;
	return rates;
}

/* What the smaller blocks inside have counted; false if they do not make up the whole. */
static bool by_parts(const struct search *search, size_t index, struct rates *sum)
{
	const struct node *nodes = search->nodes;
	size_t i = index + 1;
	int e;

	if (i == nodes[index].end)
		return false;

	memset(sum, 0, sizeof(*sum));
	while (i < nodes[index].end) {
		struct rates part;

		if (!is_counted(&nodes[i])) {
			if (is_row(&nodes[i]))
				return false;
			i++;
			continue;
		}
		part = by_counts(&nodes[i]);
		for (e = 0; e < EVENTS; e++) {
			sum->rate[e] += part.rate[e];
			sum->variance[e] += part.variance[e];
		}
		if (part.last_slice > sum->last_slice)
			sum->last_slice = part.last_slice;
		i = nodes[i].end;
	}
	return true;
}

/*
 * Squared difference between both rates / its variance, if they are the same and the events
 * independent: then the variance of @counted comes from the higher rate, as one of 0 has none.
 */
static double difference(const struct rates *before, const struct rates *counted, int e)
{
	double d = before->rate[e] - counted->rate[e];

	if (d == 0)
		return 0;
	return d * d / (before->variance[e] +
			fmax(before->rate[e], counted->rate[e]) / counted->time);
}

static void learn_dispersion(struct search *search, struct node *node, int e, double d)
{
	double clipped = fmin(d, SIGMAS * SIGMAS * node_dispersion(search, node, e));

	pool_add(&search->pools[e], d);
	if (node->weight[e] >= MEMORY) {
		node->weight[e] *= 1 - 1.0 / MEMORY;
		node->scatter[e] *= 1 - 1.0 / MEMORY;
	}
	node->weight[e] += 1;
	node->scatter[e] += clipped;
}

/* By how many standard deviations do the rates differ at most, if they are the same? */
static double deviation(const struct search *search, const struct node *node,
			const struct rates *before, const struct rates *counted)
{
	double most = 0;
	int e;

	for (e = 0; e < EVENTS; e++)
		most = fmax(most, difference(before, counted, e) /
				  node_dispersion(search, node, e));
	return sqrt(most);
}

/*
 * The load has changed inside: what was counted there may no longer be true. What is in doubt since
 * an earlier change stays so: this change can turn out to be elsewhere.
 */
static void doubt_inside(struct search *search, size_t index)
{
	size_t i;

	for (i = index + 1; i < search->nodes[index].end; i++)
		if (!search->nodes[i].doubt)
			search->nodes[i].doubt = search->slice;
}

/* It has not changed here: what it has counted vouches for what was counted inside since then. */
static void trust(struct search *search, size_t index, uint64_t doubt)
{
	uint64_t since = search->nodes[index].since;
	size_t i;

	search->nodes[index].doubt = 0;
	for (i = index + 1; i < search->nodes[index].end; i++)
		if (search->nodes[i].doubt == doubt && search->nodes[i].last_slice >= since)
			search->nodes[i].doubt = 0;
}

/*
 * The blocks around have changed by as much, unless they were found to have changed since this one
 * was counted the last time: then their counts have it already. If one was found to have changed in
 * slice @doubt, this is where, and it and those around it have it as well.
 */
static void change_around(struct search *search, size_t index, const struct rates *before,
			  const struct rates *after, uint64_t doubt)
{
	size_t i = index;
	int e;

	while (i) {
		struct node *node = &search->nodes[i = search->nodes[i].parent];

		if (doubt && node->changed == doubt)
			return;
		if (!is_counted(node) || node->changed > before->last_slice)
			continue;
		for (e = 0; e < EVENTS; e++) {
			struct estimate *counted = &node->counted[e];

			counted->count += (after->rate[e] - before->rate[e]) * counted->time;
			counted->count = fmax(0, counted->count);

			/* As uncertain as that difference. */
			estimate_forget(counted, fmin(1, CORRECTED * node->slice_time /
							 counted->time));
		}
		node->since = search->slice;
	}
}

/* If the parent has changed and this half accounts for it, the other half has not. */
static void trust_sibling(struct search *search, size_t index)
{
	size_t sibling = search->nodes[index].sibling;
	const struct node *node = &search->nodes[index];
	const struct node *parent = &search->nodes[node->parent];
	struct rates rest, part, counted;
	int e;

	if (!sibling || !is_known(node) || !is_known(parent))
		return;
	if (!search->nodes[sibling].doubt || !is_counted(&search->nodes[sibling]))
		return;

	rest = by_counts(parent);
	part = by_counts(node);
	for (e = 0; e < EVENTS; e++) {
		rest.rate[e] = fmax(0, rest.rate[e] - part.rate[e]);
		rest.variance[e] += part.variance[e];
	}
	counted = by_counts(&search->nodes[sibling]);
	if (deviation(search, parent, &rest, &counted) <= SIGMAS_INFERRED)
		trust(search, sibling, search->nodes[sibling].doubt);
}

/* Planned, but not counted: do not let it stand in the way of others. */
static void postpone(struct search *search, struct node *node)
{
	if (node->failures < 4)
		node->failures++;
	node->retry = search->slice + (1u << node->failures);
}

/*
 * Is the load of a block no longer what it was? A change that hides in the scatter of one slice
 * shows in some: then it is counted again at once, and the latest slices are compared with those
 * before.
 */
static bool has_changed(const struct search *search, struct node *node, const struct rates *before,
			const struct estimate *slice)
{
	struct rates recent;
	double by;
	int e;

	for (e = 0; e < EVENTS; e++) {
		node->recent[e].slices += 1;
		node->recent[e].time += slice[e].time;
		node->recent[e].count += slice[e].count;
		node->recent[e].squares += slice[e].squares;
	}
	recent = by_slices(node->recent, NULL);
	by = deviation(search, node, before, &recent);
	if (by > (node->doubt ? SIGMAS_IN_DOUBT : SIGMAS))
		return true;
	if (by < SIGMAS_SUSPECT || node->doubt || node->recent[0].slices >= MOST_RECENT)
		memset(node->recent, 0, sizeof(node->recent));
	return false;
}

/* Start again with the slices that differ from those before. */
static void forget_before(struct node *node)
{
	memcpy(node->counted, node->recent, sizeof(node->counted));
	memset(node->recent, 0, sizeof(node->recent));
}

static void add_slice(struct estimate *counted, const struct estimate *slice)
{
	if (counted->slices >= MEMORY)
		estimate_forget(counted, 1 - 1.0 / MEMORY);
	counted->slices += 1;
	counted->time += slice->time;
	counted->count += slice->count;
	counted->squares += slice->squares;
}

void learn(struct search *search, size_t index, const struct search_count *count, uint64_t now_ns)
{
	struct node *node = &search->nodes[index];
	bool first = !is_counted(node), compared, changed = false;
	struct estimate slice[EVENTS] = { 0 };
	struct rates before, now;
	uint64_t doubt = node->doubt;
	int e;

	if (!count->time_ns) {
		postpone(search, node);
		return;
	}
	estimate_add(&slice[MISSES], count->misses, count->time_ns);
	estimate_add(&slice[TRANSACTIONS], count->transactions, count->time_ns);
	now = by_slices(slice, NULL);

	compared = !first || (index && by_parts(search, index, &before));
	if (!first) {
		before = by_slices(node->counted, node->recent);
		before.last_slice = node->last_slice;
	}
	for (e = 0; e < EVENTS; e++)
		add_slice(&node->counted[e], &slice[e]);
	if (compared)
		changed = has_changed(search, node, &before, slice);
	if (first)
		node->steady = STEADY;

	/* A load that changes once is no scatter; one that changes all the time is. */
	for (e = 0; e < EVENTS; e++)
		if (compared && !(changed && node->steady >= STEADY) &&
		    before.rate[e] * now.time + slice[e].count >= FEW)
			learn_dispersion(search, node, e, difference(&before, &now, e));

	node->steady = changed ? 0 : node->steady + 1;
	node->looks = count->misses > 0 || count->transactions > 0 ? 0 : node->looks + 1;
	if (changed)
		forget_before(node);
	if (first)
		memset(node->recent, 0, sizeof(node->recent));
	if (first || changed) {
		node->changed = search->slice;
		node->since = search->slice;
	}

	node->slice_time = now.time;
	node->last_slice = search->slice;
	node->last_ns = now_ns;
	node->failures = 0;
	node->doubt = 0;
	if (changed) {
		/* Enough to find where, even if nothing was left. */
		search->budget = fmax(search->budget, DESCENT);
		doubt_inside(search, index);
		now = by_counts(node);
		change_around(search, index, &before, &now, doubt);
	} else if (doubt && compared) {
		trust(search, index, doubt);
	}
	trust_sibling(search, index);
}
