// SPDX-License-Identifier: GPL-2.0
/*
 * PMCGs with one StreamID filter for all counters (SMMU_PMCG_CFGR.SID_FILTER_TYPE is 1): it is in
 * EVTYPER0 and SMR0, whatever counter 0 counts, IHI 0070 §10.4.
 */
#include "pmcg_fixture.h"

static bool has_global_filter(const struct machine *machine)
{
	return machine->hardware.global_filter && machine->hardware.counters > 2;
}

PMU_FIXTURE(global, has_global_filter, true)

/* A different number of events from each of four StreamIDs. */
#define FOUR(kind)	\
	kind "@0x42 0x1;" kind "@0x43 0x100;" kind "@0x8042 0x10000;" kind "@0x0 0x1000000;"

/* A test with different filters */
#define EACH_FILTER(steps)	steps("from=0x42") steps("span=0x42") steps("")

#define IN_A_GROUP(filter)						\
	"open a x group " filter "; open b y in=a " filter ";"		\
	"open c x in=a copies=counters-2 " filter ";"			\
	FOUR("x") FOUR("y") "read; close c; close b; close a;"

SCENARIO(global, same_filter_in_a_group, EACH_FILTER(IN_A_GROUP))

TEST_F(global, different_filters_in_a_group_are_refused)
{
	struct pmcg_filter filters[] = {
		exactly(0x42), exactly(0x43), spanning(0x42), spanning(0x43), { .enable = false },
	};
	unsigned int leader, member;
	int fd, refused;

	for (leader = 0; leader < ARRAY_SIZE(filters); leader++) {
		fd = must_open_filtered(PMCG_EVENT_TRANSACTION, &filters[leader], -1);
		for (member = 0; member < ARRAY_SIZE(filters); member++) {
			refused = pmcg_open_filtered(pmu, PMCG_EVENT_TLB_MISS,
						     &filters[member], fd);
			if (member == leader) {
				EXPECT_LE(0, refused);
				close(refused);
			} else {
				EXPECT_EQ(-EINVAL, refused)
					TH_LOG("filters %u and %u", leader, member);
			}
		}
		close(fd);
	}
}

/* The third event conflicts with the second, not with its software leader. */
SCENARIO(global, different_filters_beside_a_software_leader_are_refused,
	 "open a s; open b x in=a from=0x42; refuse c y in=a from=0x43; open c y in=a from=0x42")

/*
 * If they are not in a group, they are multiplexed. One StreamID causes single events and the other
 * one 2^24 at a time, so that a count that includes both is noticed.
 */
TEST_F_TIMEOUT(global, different_filters_take_turns, SLOW)
{
	struct pmcg_filter first = exactly(0x42), second = spanning(0x8042);
	__u64 rounds = 0, low, high;
	int fds[2];

	fds[0] = must_open_filtered(PMCG_EVENT_TRANSACTION, &first, -1);
	fds[1] = must_open_filtered(PMCG_EVENT_TRANSACTION, &second, -1);
	do {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x42, 1);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8043, 1 << 24);
		rounds++;
		low = pmu_value(fds[0]);
		high = pmu_value(fds[1]);
		ASSERT_LE(low, rounds);
		ASSERT_EQ(0, high & ((1 << 24) - 1));
		ASSERT_LE(high >> 24, rounds);
	} while (low < 10 || high >> 24 < 10 || low == rounds || high >> 24 == rounds);
}

static void inject_four(void)
{
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x42, 0x1);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x43, 0x100);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8042, 0x10000);
}

/* A pinned event stays, and the other one waits without counting. */
TEST_F_TIMEOUT(global, different_filter_waits_for_a_pinned_one, SLOW)
{
	struct pmcg_filter first = exactly(0x42), second = exactly(0x43);
	struct perf_event_attr attr;
	struct pmu_count count;
	int pinned, waiting;

	ASSERT_EQ(0, pmcg_describe(pmu, &attr, PMCG_EVENT_TRANSACTION, &first));
	attr.pinned = 1;
	pinned = must_open_attr(&attr, -1);
	waiting = must_open_filtered(PMCG_EVENT_TRANSACTION, &second, -1);
	inject_four();
	EXPECT_EQ(0x1, pmu_value(pinned));
	ASSERT_EQ(0, pmu_read(waiting, &count));
	EXPECT_EQ(0, count.value);
	EXPECT_EQ(0, count.running);

	close(pinned);
	/* perf adds it to a counter at the next rotation. */
	do {
		ASSERT_EQ(0, pmu_read(waiting, &count));
	} while (!count.running);
	EXPECT_EQ(0, count.value);
	inject_four();
	EXPECT_EQ(0x100, pmu_value(waiting));
}

/*
 * Two pinned events with one filter are on counters 0 and 1. The first one is closed, and counter 0
 * is used by other events while the second one continues to count.
 */
#define REUSE(filter, newcomer)						\
	"5 times {"							\
	"  open a x pinned " filter "; open b y pinned " filter ";"	\
	FOUR("y") "read; close a;" FOUR("y") "read;"			\
	"  open c " newcomer ";" FOUR("y") FOUR("c") "read; close c;"	\
	FOUR("y") "read; close b"					\
	"}"

#define REUSE_BY_MISSES(filter)	REUSE(filter, "y " filter)
#define REUSE_BY_CYCLES(filter)	REUSE(filter, "c") REUSE(filter, "c from=0x77")

SCENARIO(global, counter_0_reused_exact_filter, REUSE_BY_MISSES("from=0x42"))

SCENARIO(global, counter_0_reused_span_filter, REUSE_BY_MISSES("span=0x42"))

SCENARIO(global, counter_0_reused_no_filter, REUSE_BY_MISSES(""))

SCENARIO(global, counter_0_reused_by_cycles, EACH_FILTER(REUSE_BY_CYCLES))

/* When it is disabled and enabled again, an event uses the filter as the others have left it. */
SCENARIO(global, counter_0_stopped_beside_a_live_event,
	 "open a x span=0x42; open b y span=0x42 pinned;"
	 "5 times {"
	 "  stop b;" FOUR("x") FOUR("y") "start b;" FOUR("x") FOUR("y") "read;"
	 "  stop a;" FOUR("x") FOUR("y") "start a;" FOUR("x") FOUR("y") "read;"
	 "}")

/* Cycles use counter 0 first; the filter of the next event is there nevertheless. */
#define AFTER_CYCLES(filter)	"open a x " filter ";" FOUR("x") FOUR("c") "read; close a;"

SCENARIO(global, cycles_first_then_filtered,
	 "open b c pinned;"
	 AFTER_CYCLES("from=0x42") AFTER_CYCLES("span=0x42") AFTER_CYCLES("from=0x43"))

/*
 * As leader, as member, with their own filter and without. They do not hide a conflict between the
 * others.
 */
SCENARIO(global, cycles_join_any_group,
	 "open a c group; open b x in=a span=0x42; open d c in=a from=0x77;"
	 FOUR("c") FOUR("x") "read; refuse e x in=a from=0x77")

/* The filter can be changed when the last filtered event has been closed. */
#define CHANGES(filter)							\
	"open a x " filter "; open b y " filter ";" FOUR("x") FOUR("y") "read; close a; close b;"

SCENARIO(global, filter_changes_with_the_last_event, EACH_FILTER(CHANGES) CHANGES("from=0x42"))

static bool has_events_without_stream_id(const struct machine *machine)
{
	char text[64];

	return has_global_filter(machine) &&
	       !pmu_attribute(&machine->pmu, "caps/no_streamid_events", text, sizeof(text));
}

PMU_FIXTURE(product, has_events_without_stream_id, true)

/*
 * A filter does not apply to such events (§10.5.2.2), so they can count together with any other
 * event. The model does not know products, and filters them nevertheless.
 */
TEST_F(product, events_without_a_stream_id_beside_a_filter)
{
	struct pmcg_filter filters[] = { exactly(0x42), exactly(0x43), { .enable = false } };
	__u64 values[3];
	struct perf_event_attr attr;
	unsigned int event, i, first;
	char text[64];
	int fds[3];

	ASSERT_EQ(0, pmu_attribute(pmu, "caps/no_streamid_events", text, sizeof(text)));
	event = strtoul(text, NULL, 0);
	/* With the filter first, and last: in both orders it is the one that applies. */
	for (first = 0; first < 3; first += 2) {
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(0, pmcg_describe(pmu, &attr,
						   i == first ? PMCG_EVENT_TRANSACTION : event,
						   &filters[(i + 3 - first) % 3]));
			attr.read_format = i ? 0 : PERF_FORMAT_GROUP;
			fds[i] = must_open_attr(&attr, i ? fds[0] : -1);
		}
		EXPECT_EQ(0x42, stimulus_peek32(stimulus, PMCG_SMR(0)));
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x42, 3);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x43, 100);
		stimulus_inject(stimulus, event, 0x42, 5);
		ASSERT_EQ(0, pmu_read_group(fds[0], values, 3));
		for (i = 0; i < 3; i++) {
			EXPECT_EQ(i == first ? 3 : 5, values[i])
				TH_LOG("event %u of the group", i);
		}
		for (i = 3; i--;)
			close(fds[i]);
	}
}

TEST_HARNESS_MAIN
