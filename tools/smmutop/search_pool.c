// SPDX-License-Identifier: GPL-2.0
/*
 * How much more than independent events do the counts of all blocks differ?
 */
#include "search_pool.h"

#include <math.h>

/* The median of chi squared with one degree of freedom. */
#define MEDIAN	0.455

/* So many times the dispersion is hardly ever exceeded. */
#define FAR	9

/* The new one moves to its place from where the old one was. */
void pool_add(struct pool *pool, double difference)
{
	double old = pool->differences[pool->next];
	size_t i = 0;

	while (i < POOL - 1 && pool->sorted[i] != old)
		i++;
	for (; i && pool->sorted[i - 1] > difference; i--)
		pool->sorted[i] = pool->sorted[i - 1];
	for (; i < POOL - 1 && pool->sorted[i + 1] < difference; i++)
		pool->sorted[i] = pool->sorted[i + 1];
	pool->sorted[i] = difference;
	pool->differences[pool->next] = difference;
	pool->next = (pool->next + 1) % POOL;
	pool->changed = true;
}

/*
 * A mean would do, but a change of the load or a bursty device must not stand for all: differences
 * far above the median count as if they were not so far.
 */
void pool_update(struct pool *pool)
{
	double most = FAR * fmax(1, pool->sorted[POOL / 2] / MEDIAN), sum = 0;
	size_t i;

	if (!pool->changed)
		return;
	pool->changed = false;
	for (i = 0; i < POOL; i++)
		sum += fmin(pool->sorted[i], most);
	pool->typical = fmax(1, sum / POOL);
}

void pool_init(struct pool *pool)
{
	size_t i;

	for (i = 0; i < POOL; i++) {
		pool->differences[i] = 1;
		pool->sorted[i] = 1;
	}
	pool->next = 0;
	pool->changed = true;
	pool_update(pool);
}
