// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the register accesses of the loaded driver: for each operation a line with the number of
 * read accesses, of write accesses, and the name of the operation.
 */
#include <stdio.h>

#include "mmio_count.h"

int main(void)
{
	struct mmio_count counts[MMIO_OPERATIONS];
	char reason[256];
	int i;

	if (mmio_count_measure(counts, reason, sizeof(reason))) {
		fprintf(stderr, "%s\n", reason);
		return 1;
	}
	for (i = 0; i < MMIO_OPERATIONS; i++)
		printf("%llu %llu %s\n", counts[i].reads, counts[i].writes,
		       mmio_operation_names[i]);
	return 0;
}
