// SPDX-License-Identifier: GPL-2.0
/*
 * A PMCG whose EVTYPERn has no FILTER_SID_SPAN, which IHI 0070 §10.5.2.2 does not allow: it counts
 * what it can count, and the driver says what is missing.
 */
#include "pmcg_fixture.h"

static bool lacks_spans(const struct machine *machine)
{
	return !pmcg_has_spans(&machine->pmu);
}

PMU_FIXTURE(spanless, lacks_spans, true)

TEST_F(spanless, counts_one_stream)
{
	struct perf_event_attr attr = filtered_attr();
	int fd = must_open_attr(&attr, -1);

	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, FILTERED_SOURCE, 0x1);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, OTHER_SOURCE, 0x10);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, ~0U, 0x100);
	EXPECT_EQ(0x1, pmu_value(fd));
}

/* The bit that the field has on others */
TEST_F(spanless, refuses_a_span)
{
	struct perf_event_attr attr = attr_of(PMCG_EVENT_TRANSACTION);

	attr.config1 = 3ULL << 32 | 0x42;
	EXPECT_EQ(-EINVAL, pmu_open_attr(pmu, &attr, -1));
}

TEST_F_TIMEOUT(spanless, says_so, SLOW)
{
	mark_log();
	bind_again();
	EXPECT_EQ(1, messages_with("does not keep FILTER_SID_SPAN"));
}

TEST_HARNESS_MAIN
