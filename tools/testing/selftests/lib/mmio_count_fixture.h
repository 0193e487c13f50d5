/* SPDX-License-Identifier: GPL-2.0 */
/* Common part of tests of register accesses. Included once by each test. */
#ifndef ARM_SYSPMU_MMIO_COUNT_FIXTURE_H
#define ARM_SYSPMU_MMIO_COUNT_FIXTURE_H

#include "fixture.h"
#include "mmio_count.h"

static inline __u64 accesses_of(const struct mmio_count *count)
{
	return count->reads + count->writes;
}

/* Uses the PMUs that mmio_count_measure() chooses. */
static inline void expect_accesses(struct __test_metadata *test, const struct mmio_count *expected)
{
	struct mmio_count counts[MMIO_OPERATIONS];
	const char *reason_to_skip;
	char reason[256];
	struct pmu pmu;
	int i;

	report_to(test);
	if (!pmu_list(&pmu, 1))
		SKIP(return, NO_PMU);
	reason_to_skip = reference_exception(&pmu, _metadata->fixture->name, _metadata->name);
	if (reason_to_skip)
		SKIP(return, "reference driver: %s", reason_to_skip);
	if (mmio_count_measure(counts, reason, sizeof(reason)))
		SKIP(return, "%s", reason);
	for (i = 0; i < MMIO_OPERATIONS; i++) {
		EXPECT_EQ(expected[i].reads, counts[i].reads)
			TH_LOG("reads: %s", mmio_operation_names[i]);
		EXPECT_EQ(expected[i].writes, counts[i].writes)
			TH_LOG("writes: %s", mmio_operation_names[i]);
	}
}

#endif
