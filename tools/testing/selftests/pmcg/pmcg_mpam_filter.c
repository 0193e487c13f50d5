// SPDX-License-Identifier: GPL-2.0
/*
 * Filters by Security state, PARTID and PMG: IHI 0070 §10.4, §10.4.2 and §10.4.3.
 *
 * The expected counts are calculated from what the PMCG implements and may observe, which is read
 * from its registers while no driver is bound.
 */
#include "mmio.h"
#include "pmcg_fixture.h"

#define EVENT		PMCG_EVENT_TRANSACTION
#define OTHER_EVENT	PMCG_EVENT_TLB_MISS

/* What filters a PMCG has, and what it may observe. */
static struct {
	bool sec_sid;	/* FILTER_SEC_SID is implemented */
	bool realm_sid;	/* FILTER_REALM_SID is implemented */
	bool partid;	/* FILTER_PARTID and FILTER_PMG are implemented */
	__u32 stream_id_bits;	/* implemented bits of SMRn.STREAMID */
	unsigned int spaces;	/* implemented bits of FILTER_MPAM_SP */
	bool secure;	/* Secure events are counted, SCR.SO */
	bool realm;	/* Realm events are counted, ROOTCR.RLO */
	bool root;	/* accesses without StreamID to Root are counted, ROOTCR.RTO */
} abilities;

static bool filters_by_partid(const struct machine *machine)
{
	return pmcg_of(machine).partid_filter;
}

/* Non-secure software cannot read SCR, so find out what is counted. */
static bool counts_secure_events(void *page_0, void *counter_page)
{
	__u64 before, after;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		mmio_write32(page_0, PMCG_CNTENCLR0 + 4 * n, ~0U);
		mmio_write32(page_0, PMCG_INTENCLR0 + 4 * n, ~0U);
	}
	mmio_write32(page_0, PMCG_EVTYPER(0), EVENT | PMCG_EVTYPER_FILTER_SID_SPAN);
	mmio_write32(page_0, PMCG_SMR(0), PMCG_SMR_STREAMID);
	mmio_write32(counter_page, PMCG_EVCNTR, 0);
	mmio_write32(page_0, PMCG_CNTENSET0, 1);
	mmio_write32(page_0, PMCG_CR, PMCG_CR_E);
	before = pmu_counter(stimulus, hardware, 0);
	stimulus_inject_as(stimulus, EVENT, 0x42, STIMULUS_SECURE, 3);
	after = pmu_counter(stimulus, hardware, 0);
	mmio_write32(page_0, PMCG_CR, 0);
	return after == before + 3;
}

static void find_abilities(void)
{
	__u64 base_1 = stimulus_page_1(stimulus, stimulus->instance);
	void *page_0, *page_1;
	__u32 type, root;

	must_unbind();
	page_0 = page_map(pmu->page);
	page_1 = hardware->counter_page ? page_map(base_1) : page_0;
	if (!page_0 || !page_1) {
		device_bind(pmu->driver, pmu->device);
		SKIP(return, "the kernel does not let /dev/mem map the registers");
	}
	mmio_write32(page_0, PMCG_EVTYPER(0), ~0U);
	type = mmio_read32(page_0, PMCG_EVTYPER(0));
	/* With a PARTID filter, SMR0 has a different layout. */
	mmio_write32(page_0, PMCG_EVTYPER(0), PMCG_EVTYPER_FILTER_SID_SPAN);
	mmio_write32(page_0, PMCG_SMR(0), PMCG_SMR_STREAMID);
	abilities.stream_id_bits = mmio_read32(page_0, PMCG_SMR(0));
	root = mmio_read32(page_0, PMCG_ROOTCR);
	abilities.sec_sid = type & PMCG_EVTYPER_FILTER_SEC_SID;
	abilities.realm_sid = type & PMCG_EVTYPER_FILTER_REALM_SID;
	abilities.partid = type & PMCG_EVTYPER_FILTER_PARTID && type & PMCG_EVTYPER_FILTER_PMG;
	abilities.spaces = pmcg_field(type, PMCG_EVTYPER_FILTER_MPAM_SP);
	abilities.realm = root & PMCG_ROOTCR_ROOTCR_IMPL && root & PMCG_ROOTCR_RLO;
	/* Otherwise a filter for the Realm state would count Non-secure events. */
	if (!abilities.realm) {
		abilities.realm_sid = false;
		abilities.spaces &= STIMULUS_PARTID_NON_SECURE;
	}
	abilities.root = root & PMCG_ROOTCR_ROOTCR_IMPL && root & PMCG_ROOTCR_RTO;
	abilities.secure = counts_secure_events(page_0, page_1);
	/* The driver must detect the bits of both by itself. */
	mmio_write32(page_0, PMCG_EVTYPER(0), 0);
	mmio_write32(page_0, PMCG_SMR(0), 0);
	if (page_1 != page_0)
		page_unmap(page_1);
	page_unmap(page_0);
	must_bind();
}

PMU_FIXTURE_WITH(filter, any, true, find_abilities)

/* PMCGs that filter by PARTID and PMG. */
PMU_FIXTURE_WITH(partid, filters_by_partid, true, find_abilities)

/* The fields of an event's filters. */
struct filter {
	struct pmcg_filter stream;	/* StreamID filter */
	bool sec_sid;	/* the filter_sec_sid field, and so on */
	bool realm_sid;
	bool by_partid;
	bool by_pmg;
	__u32 partid;
	__u32 pmg;
	__u32 space;
};

static struct perf_event_attr describe(unsigned int event, const struct filter *filter)
{
	const struct {
		const char *name;
		__u64 value;
	} fields[] = {
		{ "filter_sec_sid", filter->sec_sid },
		{ "filter_realm_sid", filter->realm_sid },
		{ "filter_partid_enable", filter->by_partid },
		{ "filter_pmg_enable", filter->by_pmg },
		{ "filter_partid", filter->partid },
		{ "filter_pmg", filter->pmg },
		{ "filter_mpam_sp", filter->space },
	};
	struct perf_event_attr attr;
	unsigned int i;

	ASSERT_EQ(0, pmcg_describe(pmu, &attr, event, &filter->stream));
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!fields[i].value)
			continue;
		ASSERT_EQ(0, pmu_set_field(pmu, &attr, fields[i].name, fields[i].value))
			TH_LOG("%s=%llu", fields[i].name, fields[i].value);
	}
	return attr;
}

static int open_event(unsigned int event, const struct filter *filter, int group_fd)
{
	struct perf_event_attr attr = describe(event, filter);

	return pmu_open_attr(pmu, &attr, group_fd);
}

static int must_open_event(unsigned int event, const struct filter *filter)
{
	int fd = open_event(event, filter, -1);

	ASSERT_LE(0, fd)
		TH_LOG("event %u, states %d %d, PARTID %u (%d), PMG %u (%d), space %u: %s",
		       event, filter->sec_sid, filter->realm_sid, filter->partid,
		       filter->by_partid, filter->pmg, filter->by_pmg, filter->space,
		       strerror(-fd));
	return fd;
}

static __u64 count_of(const struct filter *filter, const struct stimulus_event *events,
		      unsigned int number)
{
	unsigned int i;
	__u64 value;
	int fd = must_open_event(EVENT, filter);

	/* One octal digit for each. */
	for (i = 0; i < number; i++)
		stimulus_inject_event(stimulus, &events[i], 1ULL << (3 * i));
	value = pmu_value(fd);
	close(fd);
	return value;
}

TEST_F(filter, format_files_are_those_that_the_hardware_has)
{
	const struct {
		const char *name;
		const char *bits;
		bool exists;
	} fields[] = {
		{ "filter_sec_sid", "config1:34", abilities.sec_sid },
		{ "filter_realm_sid", "config1:35", abilities.realm_sid },
		{ "filter_partid", "config2:0-15", abilities.partid },
		{ "filter_pmg", "config2:16-23", abilities.partid },
		{ "filter_partid_enable", "config2:24", abilities.partid },
		{ "filter_pmg_enable", "config2:25", abilities.partid },
		{ "filter_mpam_sp", "config2:26-27", abilities.partid },
	};
	char file[64], text[64];
	unsigned int i;

	EXPECT_EQ(pmcg_of(machine).partid_filter, abilities.partid);
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		snprintf(file, sizeof(file), "format/%s", fields[i].name);
		if (fields[i].exists)
			expect_attribute(file, "%s", fields[i].bits);
		else
			EXPECT_EQ(-ENOENT, pmu_attribute(pmu, file, text, sizeof(text)))
				TH_LOG("%s", file);
	}
}

static bool state_is_observed(__u32 state)
{
	switch (state) {
	case STIMULUS_NON_SECURE:
		return true;
	case STIMULUS_SECURE:
		return abilities.secure;
	case STIMULUS_REALM:
		return abilities.realm;
	default:
		return abilities.root;
	}
}

/*
 * The four modes of §10.4. Without filter_enable, or with a span of all StreamIDs, one of the two
 * fields selects everything of its state. Both without filter_enable select everything that can be
 * observed.
 */
static bool stream_matches(const struct filter *filter, const struct stimulus_event *event)
{
	__u32 state = event->attributes & 3, span = 0, bits = abilities.stream_id_bits;
	__u32 match = filter->stream.stream_id & bits;
	bool no_stream_id = event->attributes & STIMULUS_NO_STREAM_ID;
	bool secure = filter->sec_sid && abilities.secure;
	bool realm = filter->realm_sid && abilities.realm;
	bool all = !filter->stream.enable || (filter->stream.span && match == bits);

	if (all && filter->sec_sid == filter->realm_sid) {
		if (state == STIMULUS_REALM)
			return filter->realm_sid && abilities.realm;
		if (state == STIMULUS_ROOT)
			return filter->realm_sid && filter->sec_sid && no_stream_id &&
			       abilities.root;
		return state_is_observed(state);
	}
	if (state != (realm == secure ? STIMULUS_NON_SECURE :
		      realm ? STIMULUS_REALM : STIMULUS_SECURE))
		return false;
	if (all || (filter->stream.span && match == bits >> 1))
		return true;
	if (no_stream_id)
		return false;
	if (filter->stream.span)
		span = match ^ (match + 1);
	return !((event->stream_id ^ match) & bits & ~span);
}

static __u64 expected_of(const struct filter *filter, const struct stimulus_event *events,
			 unsigned int number,
			 bool (*matches)(const struct filter *filter,
					 const struct stimulus_event *event))
{
	__u64 expected = 0;
	unsigned int n;

	for (n = 0; n < number; n++)
		if (matches(filter, &events[n]))
			expected |= 1ULL << (3 * n);
	return expected;
}

TEST_F_TIMEOUT(filter, security_states, SLOW)
{
	/* Three streams and none, in each possible Security state. */
	static const struct stimulus_event events[] = {
		{ EVENT, 0x42, STIMULUS_NON_SECURE, 0, 0, 1 },
		{ EVENT, 0x42, STIMULUS_SECURE, 0, 0, 0 },
		{ EVENT, 0x42, STIMULUS_REALM, 0, 0, 3 },
		{ EVENT, 0x43, STIMULUS_NON_SECURE, 0, 0, 1 },
		{ EVENT, 0x43, STIMULUS_SECURE, 0, 0, 0 },
		{ EVENT, 0x43, STIMULUS_REALM, 0, 0, 3 },
		{ EVENT, 0x8042, STIMULUS_NON_SECURE, 0, 0, 1 },
		{ EVENT, 0x8042, STIMULUS_SECURE, 0, 0, 0 },
		{ EVENT, 0x8042, STIMULUS_REALM, 0, 0, 3 },
		{ EVENT, 0x42, STIMULUS_NON_SECURE | STIMULUS_NO_STREAM_ID, 0, 0, 1 },
		{ EVENT, 0x42, STIMULUS_SECURE | STIMULUS_NO_STREAM_ID, 0, 0, 0 },
		{ EVENT, 0x42, STIMULUS_REALM | STIMULUS_NO_STREAM_ID, 0, 0, 3 },
		{ EVENT, 0x42, STIMULUS_ROOT | STIMULUS_NO_STREAM_ID, 0, 0, 0 },
	};
	const struct pmcg_filter streams[] = {
		{ .enable = false }, exactly(0x42), spanning(0x42), spanning(0x47),
		spanning(abilities.stream_id_bits >> 1), spanning(~0U),
	};
	unsigned int i, state;
	struct filter filter;
	__u64 expected;

	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		for (state = 0; state < 4; state++) {
			filter = (struct filter){
				.stream = streams[i],
				.sec_sid = state & 1,
				.realm_sid = state & 2,
			};
			if ((filter.sec_sid && !abilities.sec_sid) ||
			    (filter.realm_sid && !abilities.realm_sid))
				continue;
			/* No StreamID belongs to both. */
			if (state == 3 && filter.stream.enable) {
				EXPECT_EQ(-EINVAL, open_event(EVENT, &filter, -1))
					TH_LOG("filter %u", i);
				continue;
			}
			expected = expected_of(&filter, events, ARRAY_SIZE(events), stream_matches);
			EXPECT_EQ(expected, count_of(&filter, events, ARRAY_SIZE(events)))
				TH_LOG("filter %u, states %d %d: octal %llo", i, filter.sec_sid,
				       filter.realm_sid, expected);
		}
	}
}

/* §10.4.3: if a space may not be observed, the Non-secure one is used. */
static __u32 effective_space(__u32 space)
{
	if (space == STIMULUS_PARTID_REALM && abilities.realm)
		return STIMULUS_PARTID_REALM;
	if (space == STIMULUS_PARTID_SECURE && abilities.secure)
		return STIMULUS_PARTID_SECURE;
	return STIMULUS_PARTID_NON_SECURE;
}

static bool partid_matches(const struct filter *filter, const struct stimulus_event *event)
{
	return event->partid_space == effective_space(filter->space) &&
	       (!filter->by_partid || filter->partid == event->partid) &&
	       (!filter->by_pmg || filter->pmg == event->pmg) &&
	       state_is_observed(event->attributes & 3);
}

/* A PARTID and a PMG from the middle of the range, and the largest ones. */
TEST_F_TIMEOUT(partid, partid_and_pmg, SLOW)
{
	const struct pmcg_hardware pmcg = pmcg_of(machine);
	const struct {
		__u16 partid;
		__u8 pmg;
	} pairs[] = {
		{ 5, 1 }, { pmcg.partid_max, pmcg.pmg_max }, { 0, 0 }, { 5, 0 },
	};
	struct stimulus_event events[12];
	unsigned int i, enables, n;
	struct filter filter;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		for (n = 0; n < ARRAY_SIZE(events); n++) {
			events[n] = (struct stimulus_event){
				.event = EVENT,
				.stream_id = 0x40 + n,
				.partid = pairs[i].partid,
				.pmg = pairs[i].pmg,
				.partid_space = STIMULUS_PARTID_NON_SECURE,
			};
		}
		/* One bit of each wrong, the neighbours, and both wrong. */
		events[1].partid ^= 1;
		events[2].partid ^= 0x8000;
		events[3].partid ^= 0x20;
		events[4].pmg ^= 1;
		events[5].pmg ^= 0x80;
		events[6].partid++;
		events[7].partid--;
		events[8].partid ^= 4;
		events[8].pmg ^= 1;
		events[9].partid_space = STIMULUS_PARTID_SECURE;
		events[10].partid_space = STIMULUS_PARTID_REALM;
		for (enables = 1; enables < 4; enables++) {
			filter = (struct filter){
				.by_partid = enables & 1,
				.by_pmg = enables & 2,
				.partid = enables & 1 ? pairs[i].partid : 0,
				.pmg = enables & 2 ? pairs[i].pmg : 0,
				.space = STIMULUS_PARTID_NON_SECURE,
			};
			EXPECT_EQ(expected_of(&filter, events, ARRAY_SIZE(events), partid_matches),
				  count_of(&filter, events, ARRAY_SIZE(events)))
				TH_LOG("PARTID %u (%d), PMG %u (%d)", filter.partid,
				       filter.by_partid, filter.pmg, filter.by_pmg);
		}
	}
}

/* PARTID 0 exists in each space, and every Security state can use all spaces that it can access. */
TEST_F(partid, partid_spaces)
{
	static const __u8 spaces[] = {
		STIMULUS_PARTID_SECURE, STIMULUS_PARTID_NON_SECURE, STIMULUS_PARTID_REALM,
	};
	struct filter filter = { .by_partid = true };
	struct stimulus_event events[9];
	unsigned int n;
	__u32 space;

	for (n = 0; n < 9; n++) {
		events[n] = (struct stimulus_event){
			.event = EVENT,
			.attributes = n / 3,
			.partid_space = spaces[n % 3],
		};
	}
	for (space = 0; space < 4; space++) {
		filter.space = space;
		/* 2 is reserved, and spaces without an implemented bit cannot be selected. */
		if (space == 2 || space & ~abilities.spaces) {
			EXPECT_EQ(-EINVAL, open_event(EVENT, &filter, -1))
				TH_LOG("filter_mpam_sp=%u", space);
			continue;
		}
		EXPECT_EQ(expected_of(&filter, events, 9, partid_matches),
			  count_of(&filter, events, 9))
			TH_LOG("filter_mpam_sp=%u", space);
	}
}

/*
 * FILTER_SEC_SID and FILTER_REALM_SID are those of the PARTID space, in case they apply beside it:
 * only those for StreamIDs are ignored (§10.5.2.2).
 */
TEST_F(partid, security_state_of_the_space)
{
	const __u32 state = PMCG_EVTYPER_FILTER_SEC_SID | PMCG_EVTYPER_FILTER_REALM_SID;
	const __u32 expected[] = {
		[STIMULUS_PARTID_SECURE] = abilities.sec_sid ? PMCG_EVTYPER_FILTER_SEC_SID : 0,
		[STIMULUS_PARTID_REALM] = PMCG_EVTYPER_FILTER_REALM_SID,
	};
	struct filter filter = { .by_partid = true };
	__u32 space, type;
	int fd;

	for (space = 0; space < 4; space++) {
		if (space == 2 || space & ~abilities.spaces)
			continue;
		filter.space = space;
		fd = open_event(EVENT, &filter, -1);
		ASSERT_LE(0, fd);
		/* The only event uses the first counter, which also has the filter for all. */
		type = stimulus_peek32(stimulus, PMCG_EVTYPER(0));
		EXPECT_EQ(expected[space], type & state)
			TH_LOG("filter_mpam_sp=%u", space);
		close(fd);
	}
}

/* All events that can be filtered like this by §10.4.3; clock cycles never can. */
TEST_F(partid, events_with_a_partid)
{
	static const unsigned int numbers[] = { 1, 2, 4, 6, 7 };
	struct filter filter = { .by_partid = true, .partid = 5, .space = 1 };
	struct stimulus_event event = { .partid_space = 1 };
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!pmcg_has_event(pmu, numbers[i]))
			continue;
		fd = must_open_event(numbers[i], &filter);
		event.event = numbers[i];
		event.partid = 5;
		stimulus_inject_event(stimulus, &event, 0x1);
		event.partid = 6;
		stimulus_inject_event(stimulus, &event, 0x10);
		EXPECT_EQ(0x1, pmu_value(fd))
			TH_LOG("event %u", numbers[i]);
		close(fd);
	}
	if (pmcg_has_event(pmu, PMCG_EVENT_CYCLES))
		EXPECT_EQ(-EINVAL, open_event(PMCG_EVENT_CYCLES, &filter, -1));
}

/* This many of the filters below are refused because of their PARTID or PMG. */
#define BEYOND_LIMITS	5

TEST_F(partid, refusals)
{
	const struct pmcg_hardware pmcg = pmcg_of(machine);
	const struct filter refused[] = {
		{ .by_partid = true, .space = 1, .partid = pmcg.partid_max + 1 },
		{ .by_partid = true, .space = 1, .partid = 0xffff },
		{ .by_pmg = true, .space = 1, .pmg = pmcg.pmg_max + 1 },
		{ .by_pmg = true, .space = 1, .pmg = 0xff },
		{ .by_partid = true, .by_pmg = true, .space = 1, .pmg = pmcg.pmg_max + 1 },
		{ .by_partid = true, .space = 1, .stream = exactly(0x42) },
		{ .by_pmg = true, .space = 1, .stream = exactly(0x42) },
		{ .by_partid = true, .space = 1, .stream = spanning(~0U) },
		{ .partid = 5 },
		{ .pmg = 1 },
		{ .space = 1 },
		{ .by_partid = true, .space = 1, .pmg = 1 },
		{ .by_pmg = true, .space = 1, .partid = 1 },
	};
	struct filter good = { .by_partid = true, .space = 1, .partid = pmcg.partid_max };
	unsigned int i, first;
	__u64 writes;

	ASSERT_GT(0xffff, pmcg.partid_max);
	ASSERT_GT(0xff, pmcg.pmg_max);
	must_open_event(EVENT, &good);
	/* A driver cannot check limits that are not in MPAMIDR. */
	first = pmcg.partid_limits ? 0 : BEYOND_LIMITS;
	writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	for (i = first; i < ARRAY_SIZE(refused); i++) {
		EXPECT_EQ(-EINVAL, open_event(EVENT, &refused[i], -1))
			TH_LOG("filter %u", i);
	}
	EXPECT_EQ(writes, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
}

/* A counter that is used again does not keep its previous filter. */
TEST_F(partid, filter_of_the_event_before_is_gone)
{
	static const struct stimulus_event events[] = {
		{ EVENT, 0x42, .partid = 5, .pmg = 1, .partid_space = 1 },
		{ EVENT, 0x42, .partid = 6, .pmg = 0, .partid_space = 1 },
		{ EVENT, 0x05, .partid = 0, .pmg = 1, .partid_space = 1 },
	};
	const struct {
		struct filter filter;
		__u64 expected;
	} uses[] = {
		{ { .by_partid = true, .partid = 5, .space = 1 }, 01 },
		{ { .stream = { .enable = false } }, 0111 },
		{ { .by_pmg = true, .pmg = 1, .space = 1 }, 0101 },
		{ { .stream = exactly(5) }, 0100 },
		{ { .by_partid = true, .partid = 6, .space = 1 }, 010 },
		{ { .stream = exactly(0x42) }, 011 },
		{ { .by_partid = true, .space = 1 }, 0100 },
		{ { .stream = spanning(~0U) }, 0111 },
		/* The same value of SMRn, which a StreamID may not have all bits of */
		{ { .stream = exactly(0x10000) }, 0 },
		{ { .by_pmg = true, .pmg = 1, .space = 1 }, 0101 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		EXPECT_EQ(uses[i].expected, count_of(&uses[i].filter, events, ARRAY_SIZE(events)))
			TH_LOG("use %u", i);
	}
}

/* Filters of all kinds at the same time, and the events that each of them matches. */
TEST_F(partid, each_counter_has_its_filter)
{
	static const struct stimulus_event events[] = {
		{ EVENT, 0x42, .partid = 5, .pmg = 1, .partid_space = 1 },
		{ EVENT, 0x43, .partid = 5, .pmg = 0, .partid_space = 1 },
		{ EVENT, 0x42, .partid = 6, .pmg = 1, .partid_space = 1 },
		{ EVENT, 0x05, .partid = 7, .pmg = 0, .partid_space = 1 },
	};
	const struct {
		struct filter filter;
		__u64 expected;
	} uses[] = {
		{ { .by_partid = true, .partid = 5, .space = 1 }, 011 },
		{ { .stream = exactly(0x42) }, 0101 },
		{ { .by_pmg = true, .pmg = 1, .space = 1 }, 0101 },
		{ { .stream = { .enable = false } }, 01111 },
		{ { .by_partid = true, .partid = 6, .by_pmg = true, .pmg = 1, .space = 1 }, 0100 },
		{ { .stream = spanning(0x42) }, 0111 },
		{ { .by_partid = true, .partid = 7, .space = 1 }, 01000 },
		{ { .stream = exactly(5) }, 01000 },
	};
	unsigned int i, n, number = ARRAY_SIZE(uses);
	int fds[ARRAY_SIZE(uses)];

	if (hardware->global_filter)
		SKIP(return, "this PMCG has one filter for all counters");
	if (number > hardware->counters)
		number = hardware->counters;
	for (i = 0; i < number; i++)
		fds[i] = must_open_event(EVENT, &uses[i].filter);
	for (n = 0; n < ARRAY_SIZE(events); n++)
		stimulus_inject_event(stimulus, &events[n], 1ULL << (3 * n));
	for (i = 0; i < number; i++) {
		EXPECT_EQ(uses[i].expected, pmu_value(fds[i]))
			TH_LOG("use %u", i);
	}
}

/* One filter for all: two different ones are refused in a group, equal ones are accepted. */
TEST_F(partid, one_filter_for_all_counters)
{
	const struct filter filters[] = {
		{ .by_partid = true, .partid = 5, .space = 1 },
		{ .by_partid = true, .partid = 6, .space = 1 },
		{ .by_pmg = true, .pmg = 1, .space = 1 },
		{ .by_partid = true, .partid = 5, .by_pmg = true, .pmg = 1, .space = 1 },
		{ .by_partid = true, .partid = 5 },
		{ .stream = exactly(5) },
		{ .stream = { .enable = false } },
	};
	static const __u64 expected[] = { 011, 0100, 0101, 01 };
	static const struct stimulus_event events[] = {
		{ OTHER_EVENT, 0x42, .partid = 5, .pmg = 1, .partid_space = 1 },
		{ OTHER_EVENT, 0x43, .partid = 5, .pmg = 0, .partid_space = 1 },
		{ OTHER_EVENT, 0x42, .partid = 6, .pmg = 1, .partid_space = 1 },
		{ OTHER_EVENT, 0x05, .partid = 7, .pmg = 0, .partid_space = 1 },
	};
	unsigned int i, k, n;
	int leader, fd;

	if (!hardware->global_filter)
		SKIP(return, "this PMCG has a filter for each counter");
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		leader = must_open_event(EVENT, &filters[i]);
		for (k = 0; k < ARRAY_SIZE(filters); k++) {
			fd = open_event(OTHER_EVENT, &filters[k], leader);
			if (i != k) {
				EXPECT_EQ(-EINVAL, fd)
					TH_LOG("filters %u and %u", i, k);
				close(fd);
				continue;
			}
			ASSERT_LE(0, fd);
			for (n = 0; n < ARRAY_SIZE(events); n++)
				stimulus_inject_event(stimulus, &events[n], 1ULL << (3 * n));
			EXPECT_EQ(0, pmu_value(leader));
			if (i < ARRAY_SIZE(expected))
				EXPECT_EQ(expected[i], pmu_value(fd));
			close(fd);
		}
		/* Clock cycles pass any filter. */
		if (pmcg_has_event(pmu, PMCG_EVENT_CYCLES)) {
			fd = must_open(PMCG_EVENT_CYCLES, leader);
			stimulus_inject(stimulus, PMCG_EVENT_CYCLES, 0, 1000);
			EXPECT_LE(1000, pmu_value(fd));
			close(fd);
		}
		close(leader);
	}
}

TEST_HARNESS_MAIN
