// SPDX-License-Identifier: GPL-2.0
/* StreamID filters, IHI 0070 §10.4, on every PMCG: one filter at a time, then many. */
#include "pmcg_fixture.h"

/* A StreamID filter may implement fewer bits than a StreamID has, §10.4.1. */
static unsigned int stream_id_bits(void)
{
	struct pmcg_filter all = spanning(~0U);
	int fd, counter;
	__u32 smr;

	fd = must_open_filtered(PMCG_EVENT_TRANSACTION, &all, -1);
	counter = must_find_counter(PMCG_EVENT_TRANSACTION);
	smr = stimulus_peek32(stimulus, PMCG_SMR(hardware->global_filter ? 0 : counter));
	close(fd);
	ASSERT_NE(0, smr);
	ASSERT_EQ(0, smr & (smr + 1))
		TH_LOG("the implemented bits of SMR, %#x, are not contiguous", smr);
	return __builtin_popcount(smr);
}

/* Counts an event with a filter: 1 from the first StreamID, 16 from the next, and so on. */
static __u64 count_each(unsigned int event, const struct pmcg_filter *filter,
			const __u32 *stream_ids, unsigned int number)
{
	unsigned int i;
	__u64 value;
	int fd = must_open_filtered(event, filter, -1);

	for (i = 0; i < number; i++)
		stimulus_inject(stimulus, event, stream_ids[i], 1ULL << (4 * i));
	value = pmu_value(fd);
	close(fd);
	return value;
}

static __u64 count_transactions(const struct pmcg_filter *filter, const __u32 *stream_ids,
				unsigned int number)
{
	return count_each(PMCG_EVENT_TRANSACTION, filter, stream_ids, number);
}

TEST_F(injected, no_filter_counts_every_stream)
{
	static const __u32 stream_ids[] = { 0, 1, 0x10, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
					    0xffffffff };
	/* Without filter_enable the other two fields are ignored. */
	static const struct pmcg_filter off[] = {
		{ .stream_id = 0 },
		{ .stream_id = 0x10 },
		{ .stream_id = 0x10, .span = true },
		{ .stream_id = 0xffffffff, .span = true },
	};
	unsigned int i;

	EXPECT_EQ(0x11111111, count_transactions(NULL, stream_ids, ARRAY_SIZE(stream_ids)));
	for (i = 0; i < ARRAY_SIZE(off); i++)
		EXPECT_EQ(0x11111111,
			  count_transactions(&off[i], stream_ids, ARRAY_SIZE(stream_ids)));
}

/* Its neighbours of 16 bits, one of which differs in the lowest bit, and the one half-way. */
SCENARIO(injected, exact,
	 "each 0, 1, 8, 0x10, 0x7ffe, 0x8000, 0xfffe, 0xffff {"
	 "  open a x from=n; x@n 0x1; x@((n + 1) % 0x10000) 0x10; x@((n + 0xffff) % 0x10000) 0x100;"
	 "  x@((n + 0x8000) % 0x10000) 0x1000; x@n 0x10000; read; close a"
	 "}")

TEST_F(injected, exact_filter_works_for_every_event)
{
	static const __u32 stream_ids[] = { 0x42, 0x43, 0x8042, 0x42 };
	struct pmcg_filter filter = exactly(0x42);
	unsigned int n, event, last = 0;

	for (n = 0; n < 128; n++) {
		event = pmcg_nth_event(stimulus, n);
		if (event == last)
			break;
		last = event;
		EXPECT_EQ(0x1001, count_each(event, &filter, stream_ids, ARRAY_SIZE(stream_ids)))
			TH_LOG("event %u", event);
	}
}

/* The three worked examples of §10.4. */
static const struct span_example {
	__u32 stream_id;
	__u32 first;
	__u32 last;
} worked_examples[] = {
	{ 0x001bf7f7, 0x001bf7f0, 0x001bf7ff },
	{ 0x001bf7f6, 0x001bf7f6, 0x001bf7f7 },
	{ 0x001bf5ff, 0x001bf400, 0x001bf7ff },
};

TEST_F(injected, partial_worked_examples)
{
	unsigned int i, bits = stream_id_bits();
	struct pmcg_filter filter;
	__u32 stream_ids[8];

	for (i = 0; i < ARRAY_SIZE(worked_examples); i++) {
		const struct span_example *example = &worked_examples[i];

		filter = spanning(example->stream_id);
		stream_ids[0] = example->first;
		stream_ids[1] = example->first - 1;
		stream_ids[2] = example->last;
		stream_ids[3] = example->last + 1;
		stream_ids[4] = example->stream_id;
		stream_ids[5] = example->first ^ 0x8000;
		stream_ids[6] = (example->first + example->last) / 2;
		/* A bit that only a filter of this width can distinguish. */
		stream_ids[7] = bits > 20 ? example->first ^ 0x00100000 : 0;
		EXPECT_EQ(0x1010101,
			  count_transactions(&filter, stream_ids, ARRAY_SIZE(stream_ids)))
			TH_LOG("filter %#x", example->stream_id);
	}
}

/* Every span that the implemented bits allow, and the StreamIDs next to both of its ends. */
TEST_F(injected, partial_every_span)
{
	unsigned int span, bits = stream_id_bits();
	__u32 implemented = ~0U >> (32 - bits);
	struct pmcg_filter filter;
	__u32 ignored, base;
	__u32 stream_ids[6];

	for (span = 1; span < bits; span++) {
		ignored = (1U << span) - 1;
		base = 0x5a5a5a5a & implemented & ~ignored;
		filter = spanning(base | ignored >> 1);
		stream_ids[0] = base;
		stream_ids[1] = base | ignored;
		stream_ids[2] = base | (0x33333333 & ignored);
		/* This may wrap within the implemented bits, but is still outside the span. */
		stream_ids[3] = (base - 1) & implemented;
		stream_ids[4] = (base + ignored + 1) & implemented;
		stream_ids[5] = base ^ (1U << (bits - 1));
		EXPECT_EQ(0x111, count_transactions(&filter, stream_ids, ARRAY_SIZE(stream_ids)))
			TH_LOG("filter %#x, span of %u bits", filter.stream_id, span);
	}
}

/* All ones, and all ones except the top bit: both match every Non-secure StreamID. */
TEST_F(injected, spans_that_match_all)
{
	unsigned int i, bits = stream_id_bits();
	__u32 implemented = ~0U >> (32 - bits);
	const __u32 stream_ids[] = { 0, 1, 0x10, implemented >> 1, (implemented >> 1) + 1,
				     implemented - 1, implemented };
	const __u32 filters[] = { ~0U, implemented, implemented >> 1 };
	struct pmcg_filter filter;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		filter = spanning(filters[i]);
		EXPECT_EQ(0x1111111,
			  count_transactions(&filter, stream_ids, ARRAY_SIZE(stream_ids)))
			TH_LOG("filter %#x", filters[i]);
	}
}

/* Software writes the whole StreamID; the PMCG ignores unimplemented bits, §10.4.1. */
TEST_F(injected, stream_id_wider_than_the_filter)
{
	unsigned int bits = stream_id_bits();
	struct pmcg_filter filter;
	__u32 stream_ids[2];

	if (bits == 32)
		SKIP(return, "this PMCG implements all 32 bits of a StreamID");
	stream_ids[0] = 1U << bits | 0x2345;
	stream_ids[1] = 1U << bits | 0x2344;
	filter = exactly(stream_ids[0]);
	EXPECT_EQ(0x01, count_transactions(&filter, stream_ids, ARRAY_SIZE(stream_ids)));
	filter = spanning(1U << bits | 0x2344);
	EXPECT_EQ(0x11, count_transactions(&filter, stream_ids, ARRAY_SIZE(stream_ids)));
}

/* Clock cycles do not belong to a StreamID: a filter does not affect them, §10.3. */
TEST_F(injected, cycles_pass_every_filter)
{
	struct pmcg_filter filters[] = { exactly(0x42), spanning(0x42), spanning(0x7fff) };
	__u64 before;
	unsigned int i;
	int fd;

	if (!pmcg_has_event(pmu, PMCG_EVENT_CYCLES))
		SKIP(return, "this PMCG does not count cycles");
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		fd = must_open_filtered(PMCG_EVENT_CYCLES, &filters[i], -1);
		before = pmu_value(fd);
		stimulus_inject(stimulus, PMCG_EVENT_CYCLES, 0x8042, 1ULL << 30);
		/* At least: this PMCG may count cycles of its own as well. */
		EXPECT_LE(before + (1ULL << 30), pmu_value(fd));
		close(fd);
	}
}

/*
 * Events without a StreamID are only counted if all of them are, §10.4.2. Events of other Security
 * states are never counted, except Secure ones with all StreamIDs of all states, if the PMCG
 * observes them.
 */
TEST_F(injected, events_that_are_no_non_secure_stream)
{
	unsigned int bits = stream_id_bits();
	struct pmcg_filter filters[] = {
		{ .enable = false },
		spanning(~0U),
		spanning(~0U >> (33 - bits)),
		exactly(0x42),
		spanning(0x42),
		spanning(0x7ff),
	};
	__u64 value, expected[] = { 0x11, 0x11, 0x11, 0x01, 0x01, 0x01 };
	unsigned int i, event = PMCG_EVENT_TRANSACTION;
	int fd;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		fd = must_open_filtered(event, &filters[i], -1);
		stimulus_inject_as(stimulus, event, 0x42, STIMULUS_NON_SECURE, 0x1);
		stimulus_inject_as(stimulus, event, 0x42, STIMULUS_NO_STREAM_ID, 0x10);
		stimulus_inject_as(stimulus, event, 0x42, STIMULUS_SECURE, 0x100);
		stimulus_inject_as(stimulus, event, 0x42, STIMULUS_REALM, 0x1000);
		stimulus_inject_as(stimulus, event, 0x42, STIMULUS_ROOT, 0x10000);
		value = pmu_value(fd);
		if (i == 0 && value == 0x111) {
			expected[0] |= 0x100;
			expected[1] |= 0x100;
		}
		EXPECT_EQ(expected[i], value)
			TH_LOG("filter_enable=%d, filter_span=%d, filter_stream_id=%#x",
			       filters[i].enable, filters[i].span, filters[i].stream_id);
		close(fd);
	}
}

#define SIX								\
	"x@0x42 0x1; x@0x43 0x10; x@0x40 0x100; x@0x8042 0x1000; x@0x5f 0x10000; x@0x60 0x100000;"

/* Each counter has its own filter: the same event with filters of all kinds. */
SCENARIO(injected, each_counter_has_its_filter,
	 "need ownfilters;"
	 "open a x from=0x42; if counters > 1 { open b x }"
	 "if counters > 2 { open c x span=0x42 } if counters > 3 { open d x from=0x43 }"
	 "if counters > 4 { open e x span=0x4f } if counters > 5 { open f x from=0x8042 }"
	 "if counters > 6 { open g x span=0x403f } if counters > 7 { open h x from=0x40 }"
	 SIX "read")

/* A counter that is used again does not keep its previous filter. */
#define NEXT(filter)	"open a x " filter ";" SIX "read; close a;"

SCENARIO(injected, filter_of_the_event_before_is_gone,
	 NEXT("from=0x42") NEXT("span=0xffffffff") NEXT("from=0x43") NEXT("span=0x42") NEXT("")
	 NEXT("from=0x8042") NEXT("") NEXT("span=0x42") NEXT("from=0x42"))

TEST_HARNESS_MAIN
