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
static void inject_four(struct machine *machine, unsigned int event)
{
	stimulus_inject(&machine->stimulus, event, 0x42, 0x1);
	stimulus_inject(&machine->stimulus, event, 0x43, 0x100);
	stimulus_inject(&machine->stimulus, event, 0x8042, 0x10000);
	stimulus_inject(&machine->stimulus, event, 0x0, 0x1000000);
}

static __u64 share_of(const struct pmcg_filter *filter)
{
	if (!filter->enable)
		return 0x1010101;
	return filter->span ? 0x101 : 0x1;
}

TEST_F(global, same_filter_in_a_group)
{
	struct pmcg_filter filters[] = { exactly(0x42), spanning(0x42), { .enable = false } };
	unsigned int i, n, events[PMU_MAX_COUNTERS];
	__u64 values[PMU_MAX_COUNTERS];
	int fds[PMU_MAX_COUNTERS];

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		for (n = 0; n < self->machine.hardware.counters; n++) {
			events[n] = pmcg_nth_event(&self->machine.stimulus, n % 4);
			fds[n] = n ? must_open_filtered(_metadata, &self->machine.pmu, events[n],
							&filters[i], fds[0]) :
				     must_open_filtered_leader(_metadata, &self->machine.pmu,
							       events[n],
							       &filters[i]);
		}
		for (n = 1; n < 8; n++)
			inject_four(&self->machine, n);
		ASSERT_EQ(0, pmu_read_group(fds[0], values, self->machine.hardware.counters));
		for (n = 0; n < self->machine.hardware.counters; n++) {
			EXPECT_EQ(share_of(&filters[i]), values[n])
				TH_LOG("filter %u, event %u", i, events[n]);
			close(fds[n]);
		}
	}
}

TEST_F(global, different_filters_in_a_group_are_refused)
{
	struct pmcg_filter filters[] = {
		exactly(0x42), exactly(0x43), spanning(0x42), spanning(0x43), { .enable = false },
	};
	unsigned int leader, member;
	int fd, refused;

	for (leader = 0; leader < ARRAY_SIZE(filters); leader++) {
		fd = must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION,
					&filters[leader], -1);
		for (member = 0; member < ARRAY_SIZE(filters); member++) {
			refused = pmcg_open_filtered(&self->machine.pmu, PMCG_EVENT_TLB_MISS,
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
TEST_F(global, different_filters_beside_a_software_leader_are_refused)
{
	struct pmcg_filter first = exactly(0x42), second = exactly(0x43);
	struct perf_event_attr leader = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(leader),
		.config = PERF_COUNT_SW_DUMMY,
	};
	int fd;

	fd = pmu_open_attr(&self->machine.pmu, &leader, -1);
	ASSERT_LE(0, fd);
	must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, &first, fd);
	EXPECT_EQ(-EINVAL, pmcg_open_filtered(&self->machine.pmu, PMCG_EVENT_TLB_MISS, &second,
					      fd));
	must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TLB_MISS, &first, fd);
}

/*
 * If they are not in a group, they are multiplexed. One StreamID causes single events and the other
 * one 2^24 at a time, so that a count that includes both is noticed.
 */
TEST_F_TIMEOUT(global, different_filters_take_turns, SLOW)
{
	struct pmcg_filter first = exactly(0x42), second = spanning(0x8042);
	__u64 rounds = 0, low, high;
	int fds[2];

	fds[0] = must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, &first,
				    -1);
	fds[1] = must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, &second,
				    -1);
	do {
		stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x42, 1);
		stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8043, 1 << 24);
		rounds++;
		low = pmu_value(fds[0]);
		high = pmu_value(fds[1]);
		ASSERT_LE(low, rounds);
		ASSERT_EQ(0, high & ((1 << 24) - 1));
		ASSERT_LE(high >> 24, rounds);
	} while (low < 10 || high >> 24 < 10 || low == rounds || high >> 24 == rounds);
}

/* A pinned event stays, and the other one waits without counting. */
TEST_F_TIMEOUT(global, different_filter_waits_for_a_pinned_one, SLOW)
{
	struct pmcg_filter first = exactly(0x42), second = exactly(0x43);
	struct pmu_count count;
	int pinned, waiting;

	pinned = pmcg_open_pinned(&self->machine.pmu, PMCG_EVENT_TRANSACTION, &first);
	ASSERT_LE(0, pinned);
	waiting = must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, &second,
				     -1);
	inject_four(&self->machine, PMCG_EVENT_TRANSACTION);
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
	inject_four(&self->machine, PMCG_EVENT_TRANSACTION);
	EXPECT_EQ(0x100, pmu_value(waiting));
}

/*
 * Two pinned events with one filter are on counters 0 and 1. The first one is closed, and counter 0
 * is used by other events while the second one continues to count.
 */
static void reuse_counter_0(struct __test_metadata *_metadata, struct machine *machine,
			    const struct pmcg_filter *filter, unsigned int newcomer,
			    const struct pmcg_filter *newcomer_filter)
{
	__u64 expected, share = share_of(filter);
	int first, second, third, round;

	for (round = 0; round < 5; round++) {
		expected = 0;
		first = pmcg_open_pinned(&machine->pmu, PMCG_EVENT_TRANSACTION, filter);
		ASSERT_LE(0, first);
		second = pmcg_open_pinned(&machine->pmu, PMCG_EVENT_TLB_MISS, filter);
		ASSERT_LE(0, second);

		inject_four(machine, PMCG_EVENT_TLB_MISS);
		EXPECT_EQ(expected += share, pmu_value(second))
			TH_LOG("round %d, two events", round);
		close(first);
		inject_four(machine, PMCG_EVENT_TLB_MISS);
		EXPECT_EQ(expected += share, pmu_value(second))
			TH_LOG("round %d, counter 0 free", round);

		third = must_open_filtered(_metadata, &machine->pmu, newcomer, newcomer_filter, -1);
		inject_four(machine, PMCG_EVENT_TLB_MISS);
		if (newcomer == PMCG_EVENT_CYCLES) {
			inject_four(machine, newcomer);
			EXPECT_EQ(0x1010101, pmu_value(third));
		} else {
			EXPECT_EQ(share, pmu_value(third));
		}
		EXPECT_EQ(expected += share, pmu_value(second))
			TH_LOG("round %d, counter 0 reused", round);

		close(third);
		inject_four(machine, PMCG_EVENT_TLB_MISS);
		EXPECT_EQ(expected += share, pmu_value(second))
			TH_LOG("round %d, counter 0 free again", round);
		close(second);
	}
}

TEST_F(global, counter_0_reused_exact_filter)
{
	struct pmcg_filter filter = exactly(0x42);

	reuse_counter_0(_metadata, &self->machine, &filter, PMCG_EVENT_TLB_MISS, &filter);
}

TEST_F(global, counter_0_reused_span_filter)
{
	struct pmcg_filter filter = spanning(0x42);

	reuse_counter_0(_metadata, &self->machine, &filter, PMCG_EVENT_TLB_MISS, &filter);
}

TEST_F(global, counter_0_reused_no_filter)
{
	struct pmcg_filter filter = { .enable = false };

	reuse_counter_0(_metadata, &self->machine, &filter, PMCG_EVENT_TLB_MISS, &filter);
}

TEST_F(global, counter_0_reused_by_cycles)
{
	struct pmcg_filter filters[] = { exactly(0x42), spanning(0x42), { .enable = false } };
	struct pmcg_filter other = exactly(0x77);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		reuse_counter_0(_metadata, &self->machine, &filters[i], PMCG_EVENT_CYCLES, NULL);
		reuse_counter_0(_metadata, &self->machine, &filters[i], PMCG_EVENT_CYCLES, &other);
	}
}

/* When it is disabled and enabled again, an event uses the filter as the others have left it. */
TEST_F(global, counter_0_stopped_beside_a_live_event)
{
	struct pmcg_filter filter = spanning(0x42);
	__u64 expected[2] = { 0 };
	int fds[2], round;

	fds[0] = must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, &filter,
				    -1);
	fds[1] = pmcg_open_pinned(&self->machine.pmu, PMCG_EVENT_TLB_MISS, &filter);
	ASSERT_LE(0, fds[1]);
	for (round = 1; round <= 10; round++) {
		ASSERT_EQ(0, ioctl(fds[round % 2], PERF_EVENT_IOC_DISABLE, 0));
		inject_four(&self->machine, PMCG_EVENT_TRANSACTION);
		inject_four(&self->machine, PMCG_EVENT_TLB_MISS);
		expected[!(round % 2)] += 0x101;
		ASSERT_EQ(0, ioctl(fds[round % 2], PERF_EVENT_IOC_ENABLE, 0));
		inject_four(&self->machine, PMCG_EVENT_TRANSACTION);
		inject_four(&self->machine, PMCG_EVENT_TLB_MISS);
		expected[0] += 0x101;
		expected[1] += 0x101;
		EXPECT_EQ(expected[0], pmu_value(fds[0]));
		EXPECT_EQ(expected[1], pmu_value(fds[1]));
	}
}

/* Cycles use counter 0 first; the filter of the next event is there nevertheless. */
TEST_F(global, cycles_first_then_filtered)
{
	struct pmcg_filter filters[] = { exactly(0x42), spanning(0x42), exactly(0x43) };
	__u64 cycles_expected = 0, share;
	int cycles, filtered;
	unsigned int i;

	cycles = pmu_open_pinned(&self->machine.pmu, PMCG_EVENT_CYCLES);
	ASSERT_LE(0, cycles);
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		share = filters[i].span ? 0x101 : filters[i].stream_id == 0x42 ? 0x1 : 0x100;
		filtered = must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION,
					      &filters[i], -1);
		inject_four(&self->machine, PMCG_EVENT_TRANSACTION);
		inject_four(&self->machine, PMCG_EVENT_CYCLES);
		cycles_expected += 0x1010101;
		EXPECT_EQ(share, pmu_value(filtered))
			TH_LOG("filter %u", i);
		EXPECT_EQ(cycles_expected, pmu_value(cycles));
		close(filtered);
	}
}

TEST_F(global, cycles_join_any_group)
{
	struct pmcg_filter filter = spanning(0x42), other = exactly(0x77);
	__u64 values[3];
	int leader;

	/* As leader, as member, with their own filter and without. */
	leader = must_open_leader(_metadata, &self->machine.pmu, PMCG_EVENT_CYCLES);
	must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION, &filter, leader);
	must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_CYCLES, &other, leader);
	inject_four(&self->machine, PMCG_EVENT_CYCLES);
	inject_four(&self->machine, PMCG_EVENT_TRANSACTION);
	ASSERT_EQ(0, pmu_read_group(leader, values, 3));
	EXPECT_EQ(0x1010101, values[0]);
	EXPECT_EQ(0x101, values[1]);
	EXPECT_EQ(0x1010101, values[2]);
	/* They do not hide a conflict between the others. */
	EXPECT_EQ(-EINVAL, pmcg_open_filtered(&self->machine.pmu, PMCG_EVENT_TRANSACTION, &other,
					      leader));
}

/* The filter can be changed when the last filtered event has been closed. */
TEST_F(global, filter_changes_with_the_last_event)
{
	struct pmcg_filter filters[] = {
		exactly(0x42), spanning(0x42), { .enable = false }, exactly(0x42),
	};
	unsigned int i;
	int fds[2];

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		fds[0] = must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TRANSACTION,
					    &filters[i], -1);
		fds[1] = must_open_filtered(_metadata, &self->machine.pmu, PMCG_EVENT_TLB_MISS,
					    &filters[i], -1);
		inject_four(&self->machine, PMCG_EVENT_TRANSACTION);
		inject_four(&self->machine, PMCG_EVENT_TLB_MISS);
		EXPECT_EQ(share_of(&filters[i]), pmu_value(fds[0]));
		EXPECT_EQ(share_of(&filters[i]), pmu_value(fds[1]));
		close(fds[0]);
		close(fds[1]);
	}
}

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
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 values[3];
	unsigned int event, i, first;
	char text[64];
	int fds[3];

	ASSERT_EQ(0, pmu_attribute(&machine->pmu, "caps/no_streamid_events", text, sizeof(text)));
	event = strtoul(text, NULL, 0);
	/* With the filter first, and last: in both orders it is the one that applies. */
	for (first = 0; first < 3; first += 2) {
		for (i = 0; i < 3; i++)
			fds[i] = i ? must_open_filtered(_metadata, &machine->pmu, i == first ?
							PMCG_EVENT_TRANSACTION : event,
							&filters[(i + 3 - first) % 3], fds[0]) :
				     must_open_filtered_leader(_metadata, &machine->pmu, first ?
							       event : PMCG_EVENT_TRANSACTION,
							       &filters[(3 - first) % 3]);
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
