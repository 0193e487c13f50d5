// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the driver that is loaded costs: a line for each operation with
 * the number of read accesses, of write accesses, and the operation's name.
 */
#include <stdio.h>

#include "mmio_count.h"

int main(void)
{
	struct cost costs[COST_OPERATIONS];
	char reason[256];
	int i;

	if (cost_measure(costs, reason, sizeof(reason))) {
		fprintf(stderr, "%s\n", reason);
		return 1;
	}
	for (i = 0; i < COST_OPERATIONS; i++)
		printf("%llu %llu %s\n", costs[i].reads, costs[i].writes, cost_names[i]);
	return 0;
}
