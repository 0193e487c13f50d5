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
	struct perf_event_attr attr;
	int fd;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, PMCG_EVENT_TRANSACTION));
	ASSERT_EQ(0, pmu_set_field(pmu, &attr, "filter_enable", 1));
	ASSERT_EQ(0, pmu_set_field(pmu, &attr, "filter_stream_id", 0x42));
	fd = pmu_open_attr(pmu, &attr, -1);
	ASSERT_LE(0, fd);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x42, 0x1);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x43, 0x10);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, ~0U, 0x100);
	EXPECT_EQ(0x1, pmu_value(fd));
	close(fd);
}

/* The bit that the field has on others */
TEST_F(spanless, refuses_a_span)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, PMCG_EVENT_TRANSACTION));
	attr.config1 = 3ULL << 32 | 0x42;
	EXPECT_EQ(-EINVAL, pmu_open_attr(pmu, &attr, -1));
}

TEST_F_TIMEOUT(spanless, says_so, SLOW)
{
	static const char * const words[] = { "does not keep FILTER_SID_SPAN", NULL };
	int mark = kmsg_mark();

	ASSERT_LE(0, mark);
	must_unbind();
	must_bind();
	EXPECT_EQ(1, kmsg_count(mark, words));
	close(mark);
}

TEST_HARNESS_MAIN
