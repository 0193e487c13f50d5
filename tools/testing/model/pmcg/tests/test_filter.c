// SPDX-License-Identifier: GPL-2.0
/*
 * The filters of a PMCG: every row of the tables and lists of IHI 0070 §10.4.
 */
#include "pmcg_test.h"

#define N 3	/* number of times that an event occurs, if the number does not matter */

enum {
	NON_SECURE_BIT = 1 << SYSPMU_NON_SECURE,
	SECURE_BIT = 1 << SYSPMU_SECURE,
	REALM_BIT = 1 << SYSPMU_REALM,
	ROOT_BIT = 1 << SYSPMU_ROOT,
};

static struct pmcg pmcg;

/* A PMCG with all features of §10.4. */
static void whole_config(struct pmcg_config *config)
{
	pmcg_default_config(config);
	config->secure = true;
	config->root = true;
	config->filter_partid_pmg = true;
	config->partid_max = 0x3f;
	config->pmg_max = 3;
	config->secure_partid_max = 0x1f;
	config->secure_pmg_max = 1;
}

/* The Security states, as bits, from which @like is counted. */
static unsigned int states_counted(const struct syspmu_event *like)
{
	struct syspmu_event event = *like;
	unsigned int states = 0;
	int state;

	for (state = SYSPMU_NON_SECURE; state <= SYSPMU_SYSTEM_AGENT; state++) {
		event.security = (enum syspmu_security)state;
		if (added(&pmcg, 0, &event, N) == N)
			states |= 1u << state;
	}
	return states;
}

/* The four modes; with a StreamID field of 8 bits all values can be tried. */
FIXTURE(mode) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(mode) {
	uint32_t type;
	uint32_t match;
	uint32_t first;
	uint32_t last;
	bool many;
};

FIXTURE_VARIANT_ADD(mode, exact) {
	.type = 0, .match = 0x5a, .first = 0x5a, .last = 0x5a,
};

FIXTURE_VARIANT_ADD(mode, exact_all_ones) {
	.type = 0, .match = 0xff, .first = 0xff, .last = 0xff,
};

FIXTURE_VARIANT_ADD(mode, exact_all_ones_but_the_top) {
	.type = 0, .match = 0x7f, .first = 0x7f, .last = 0x7f,
};

FIXTURE_VARIANT_ADD(mode, partial_one_bit) {
	.type = SPAN, .match = 0x5a, .first = 0x5a, .last = 0x5b,
};

FIXTURE_VARIANT_ADD(mode, partial_three_bits) {
	.type = SPAN, .match = 0x5b, .first = 0x58, .last = 0x5f,
};

FIXTURE_VARIANT_ADD(mode, partial_zero) {
	.type = SPAN, .match = 0, .first = 0, .last = 1,
};

FIXTURE_VARIANT_ADD(mode, partial_lower_half) {
	.type = SPAN, .match = 0x3f, .first = 0, .last = 0x7f,
};

FIXTURE_VARIANT_ADD(mode, partial_upper_half) {
	.type = SPAN, .match = 0xbf, .first = 0x80, .last = 0xff,
};

FIXTURE_VARIANT_ADD(mode, all_one_secsid) {
	.type = SPAN, .match = 0x7f, .first = 0, .last = 0xff,
};

FIXTURE_VARIANT_ADD(mode, all_many_secsid) {
	.type = SPAN, .match = 0xff, .first = 0, .last = 0xff, .many = true,
};

FIXTURE_SETUP(mode)
{
	pmcg_default_config(&self->config);
	self->config.stream_id_bits = 8;
	self->config.secure = true;
	self->config.secure_observation = true;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
}

FIXTURE_TEARDOWN(mode)
{
}

TEST_F(mode, streams)
{
	struct syspmu_event event = { .number = TRANSACTION };
	uint32_t sid;

	program(&pmcg, 0, TRANSACTION | variant->type, variant->match);
	for (sid = 0; sid < 0x100; sid++) {
		event.stream_id = sid;
		EXPECT_EQ(sid >= variant->first && sid <= variant->last ? N : 0,
			  added(&pmcg, 0, &event, N))
			TH_LOG("StreamID %#x", sid);
	}
}

TEST_F(mode, security)
{
	struct syspmu_event event = { .number = TRANSACTION, .stream_id = variant->first };

	program(&pmcg, 0, TRANSACTION | variant->type, variant->match);
	EXPECT_EQ(NON_SECURE_BIT | (variant->many ? SECURE_BIT : 0), states_counted(&event));
	program(&pmcg, 0, TRANSACTION | SEC_SID | variant->type, variant->match);
	EXPECT_EQ((variant->many ? NON_SECURE_BIT : 0) | SECURE_BIT, states_counted(&event));
}

/* §10.4.2: only the modes that match all streams count accesses without a StreamID. */
TEST_F(mode, no_stream_id)
{
	struct syspmu_event event = { .number = TRANSACTION, .no_stream_id = true };

	event.stream_id = variant->first;
	program(&pmcg, 0, TRANSACTION | variant->type, variant->match);
	EXPECT_EQ(variant->first == 0 && variant->last == 0xff ? N : 0,
		  added(&pmcg, 0, &event, N));
}

/* A narrower SMR compares the implemented bits only (§10.4.1). */
TEST_F(mode, upper_stream_id_bits)
{
	struct syspmu_event event = { .number = TRANSACTION };

	program(&pmcg, 0, TRANSACTION | variant->type, variant->match | 0x12300);
	event.stream_id = variant->first | 0xabc00;
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	event.stream_id = variant->last | 0xffffff00;
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
}

/* The three worked examples of §10.4. */
FIXTURE(example) {
};

FIXTURE_VARIANT(example) {
	uint32_t match;
	uint32_t first;
	uint32_t last;
};

FIXTURE_VARIANT_ADD(example, four_bits) {
	.match = 0x001bf7f7, .first = 0x001bf7f0, .last = 0x001bf7ff,
};

FIXTURE_VARIANT_ADD(example, one_bit) {
	.match = 0x001bf7f6, .first = 0x001bf7f6, .last = 0x001bf7f7,
};

FIXTURE_VARIANT_ADD(example, ten_bits) {
	.match = 0x001bf5ff, .first = 0x001bf400, .last = 0x001bf7ff,
};

FIXTURE_SETUP(example)
{
	struct pmcg_config config;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, TRANSACTION | SPAN, variant->match);
}

FIXTURE_TEARDOWN(example)
{
}

TEST_F(example, boundaries)
{
	struct syspmu_event event = { .number = TRANSACTION };
	uint32_t sid;
	unsigned int bit;

	for (sid = variant->first - 5; sid <= variant->last + 5; sid++) {
		event.stream_id = sid;
		EXPECT_EQ(sid >= variant->first && sid <= variant->last ? N : 0,
			  added(&pmcg, 0, &event, N))
			TH_LOG("StreamID %#x", sid);
	}
	for (bit = 0; bit < 32; bit++) {
		event.stream_id = variant->match ^ UINT32_C(1) << bit;
		EXPECT_EQ((UINT32_C(1) << bit) <= variant->last - variant->first ? N : 0,
			  added(&pmcg, 0, &event, N))
			TH_LOG("StreamID %#x", event.stream_id);
	}
}

/* Every width of SMR.STREAMID has its own two encodings of "all streams". */
TEST(stream_id_widths)
{
	struct syspmu_event event = { .number = TRANSACTION };
	struct pmcg_config config;
	unsigned int bits;

	for (bits = 1; bits <= 32; bits++) {
		uint32_t ones = UINT32_MAX >> (32 - bits);

		pmcg_default_config(&config);
		config.stream_id_bits = bits;
		config.secure = true;
		config.secure_observation = true;
		make(_metadata, &pmcg, &config, NULL);
		quiet(&pmcg);
		event.stream_id = ones & 0xa5a5a5a5;

		program(&pmcg, 0, TRANSACTION | SPAN, UINT32_MAX);
		EXPECT_EQ(NON_SECURE_BIT | SECURE_BIT, states_counted(&event))
			TH_LOG("%u bits", bits);
		program(&pmcg, 0, TRANSACTION | SPAN, ones >> 1);
		EXPECT_EQ(NON_SECURE_BIT, states_counted(&event))
			TH_LOG("%u bits", bits);
		program(&pmcg, 0, TRANSACTION, event.stream_id ^ ones);
		EXPECT_EQ(0, states_counted(&event))
			TH_LOG("%u bits", bits);
	}
}

/* The Rel/Sec table: what one Security state a filter selects. */
FIXTURE(rel_sec) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(rel_sec) {
	bool realm_sid;
	bool realm_observation;
	bool sec_sid;
	bool secure_observation;
	unsigned int states;
};

FIXTURE_VARIANT_ADD(rel_sec, neither) {
	.realm_observation = true, .secure_observation = true, .states = NON_SECURE_BIT,
};

FIXTURE_VARIANT_ADD(rel_sec, secure) {
	.realm_observation = true, .sec_sid = true, .secure_observation = true,
	.states = SECURE_BIT,
};

FIXTURE_VARIANT_ADD(rel_sec, realm) {
	.realm_sid = true, .realm_observation = true, .secure_observation = true,
	.states = REALM_BIT,
};

FIXTURE_VARIANT_ADD(rel_sec, reserved) {
	.realm_sid = true, .realm_observation = true, .sec_sid = true,
	.secure_observation = true, .states = NON_SECURE_BIT,
};

FIXTURE_VARIANT_ADD(rel_sec, secure_unobserved) {
	.realm_observation = true, .sec_sid = true, .states = NON_SECURE_BIT,
};

FIXTURE_VARIANT_ADD(rel_sec, realm_unobserved) {
	.realm_sid = true, .secure_observation = true, .states = NON_SECURE_BIT,
};

FIXTURE_VARIANT_ADD(rel_sec, both_without_secure_observation) {
	.realm_sid = true, .realm_observation = true, .sec_sid = true, .states = REALM_BIT,
};

FIXTURE_VARIANT_ADD(rel_sec, both_without_realm_observation) {
	.realm_sid = true, .sec_sid = true, .secure_observation = true, .states = SECURE_BIT,
};

FIXTURE_SETUP(rel_sec)
{
	whole_config(&self->config);
	self->config.realm_observation = variant->realm_observation;
	self->config.secure_observation = variant->secure_observation;
	self->config.root_observation = true;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
}

FIXTURE_TEARDOWN(rel_sec)
{
}

TEST_F(rel_sec, modes)
{
	struct syspmu_event event = { .number = TRANSACTION, .stream_id = 0x1234 };
	uint32_t type = TRANSACTION;

	if (variant->realm_sid)
		type |= REALM_SID;
	if (variant->sec_sid)
		type |= SEC_SID;

	program(&pmcg, 0, type, 0x1234);
	EXPECT_EQ(variant->states, states_counted(&event));
	program(&pmcg, 0, type | SPAN, 0x1233);
	EXPECT_EQ(variant->states, states_counted(&event));
	program(&pmcg, 0, type | SPAN, 0x7fffffff);
	EXPECT_EQ(variant->states, states_counted(&event));

	/* "All streams of one state" counts that state's NoStreamID accesses, too. */
	event.no_stream_id = true;
	EXPECT_EQ(variant->states, states_counted(&event));
	program(&pmcg, 0, type | SPAN, 0x1233);
	EXPECT_EQ(0, states_counted(&event));
	program(&pmcg, 0, type, 0x1234);
	EXPECT_EQ(0, states_counted(&event));
}

/* AllSIDManySECSID: each item of the list adds a Security state. */
FIXTURE(many) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(many) {
	uint32_t type;
	bool so, rlo, rto;
	unsigned int states;
	unsigned int states_without_stream_id;
};

FIXTURE_VARIANT_ADD(many, plain) {
	.rlo = true, .rto = true,
	.states = NON_SECURE_BIT, .states_without_stream_id = NON_SECURE_BIT,
};

FIXTURE_VARIANT_ADD(many, plain_so) {
	.so = true, .rlo = true, .rto = true,
	.states = NON_SECURE_BIT | SECURE_BIT,
	.states_without_stream_id = NON_SECURE_BIT | SECURE_BIT,
};

FIXTURE_VARIANT_ADD(many, sec_sid_alone) {
	.type = SEC_SID, .so = true, .rlo = true, .rto = true,
	.states = NON_SECURE_BIT | SECURE_BIT,
	.states_without_stream_id = NON_SECURE_BIT | SECURE_BIT,
};

FIXTURE_VARIANT_ADD(many, realm) {
	.type = REALM_SID, .so = true, .rto = true,
	.states = NON_SECURE_BIT, .states_without_stream_id = NON_SECURE_BIT,
};

FIXTURE_VARIANT_ADD(many, realm_rlo) {
	.type = REALM_SID, .so = true, .rlo = true, .rto = true,
	.states = NON_SECURE_BIT | REALM_BIT,
	.states_without_stream_id = NON_SECURE_BIT | REALM_BIT,
};

FIXTURE_VARIANT_ADD(many, both) {
	.type = REALM_SID | SEC_SID,
	.states = NON_SECURE_BIT, .states_without_stream_id = NON_SECURE_BIT,
};

FIXTURE_VARIANT_ADD(many, both_so) {
	.type = REALM_SID | SEC_SID, .so = true,
	.states = NON_SECURE_BIT | SECURE_BIT,
	.states_without_stream_id = NON_SECURE_BIT | SECURE_BIT,
};

FIXTURE_VARIANT_ADD(many, both_rlo) {
	.type = REALM_SID | SEC_SID, .rlo = true,
	.states = NON_SECURE_BIT | REALM_BIT,
	.states_without_stream_id = NON_SECURE_BIT | REALM_BIT,
};

FIXTURE_VARIANT_ADD(many, both_rto) {
	.type = REALM_SID | SEC_SID, .rto = true,
	.states = NON_SECURE_BIT,
	.states_without_stream_id = NON_SECURE_BIT | ROOT_BIT,
};

FIXTURE_SETUP(many)
{
	whole_config(&self->config);
	self->config.secure_observation = variant->so;
	self->config.realm_observation = variant->rlo;
	self->config.root_observation = variant->rto;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, TRANSACTION | SPAN | variant->type, UINT32_MAX);
}

FIXTURE_TEARDOWN(many)
{
}

TEST_F(many, states)
{
	struct syspmu_event event = { .number = TRANSACTION, .stream_id = 0x77 };

	EXPECT_EQ(variant->states, states_counted(&event));
	event.no_stream_id = true;
	EXPECT_EQ(variant->states_without_stream_id, states_counted(&event));
}

/* §10.6: a PMCG with only one Security state observes only that. */
TEST(non_secure_pmcg)
{
	struct syspmu_event event = { .number = TRANSACTION };
	struct pmcg_config config;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, TRANSACTION | SPAN | SEC_SID | REALM_SID, UINT32_MAX);
	EXPECT_EQ(NON_SECURE_BIT, states_counted(&event));
	program(&pmcg, 0, TRANSACTION | SEC_SID | REALM_SID, 0);
	EXPECT_EQ(NON_SECURE_BIT, states_counted(&event));
}

/* An event with an invalid Security state is not counted. */
TEST(no_such_state)
{
	struct syspmu_event event = { .number = TRANSACTION, .security = (enum syspmu_security)5 };
	struct pmcg_config config;

	pmcg_default_config(&config);
	config.filter_partid_pmg = true;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	EXPECT_EQ(0, added(&pmcg, 0, &event, N));
	event.partid_space = SYSPMU_PARTID_NON_SECURE;
	program(&pmcg, 0, TRANSACTION | BY_PARTID | MPAM_SP(1), 0);
	EXPECT_EQ(0, added(&pmcg, 0, &event, N));
}

/* SMR stores more than a narrow STREAMID where it can hold PARTID and PMG as well. */
TEST(stored_bits_above_stream_id)
{
	struct syspmu_event event = { .number = TRANSACTION, .security = SYSPMU_SECURE };
	struct pmcg_config config;

	whole_config(&config);
	config.secure_observation = true;
	config.stream_id_bits = 10;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, TRANSACTION | SPAN, 0x3ff);
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	program(&pmcg, 0, TRANSACTION | SPAN, 0xffffff);
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	event.security = SYSPMU_NON_SECURE;
	program(&pmcg, 0, TRANSACTION | SPAN, 0xfffdff);
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	EXPECT_EQ(0x1ff, read32(&pmcg, 0xa00));
}

/* SID_FILTER_TYPE 1: one filter, whatever counter 0 counts and whether it does. */
TEST(global_filter)
{
	struct syspmu_event event = { .number = TRANSACTION };
	struct pmcg_config config;
	unsigned int i;

	pmcg_default_config(&config);
	config.global_filter = true;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 1; i < config.counters; i++)
		program(&pmcg, i, TRANSACTION | SPAN, UINT32_MAX);
	write32(&pmcg, 0x400, 2 | SPAN);
	write32(&pmcg, 0xa00, 0x103);

	for (i = 1; i < config.counters; i++) {
		event.stream_id = 0x107;
		EXPECT_EQ(N, added(&pmcg, i, &event, N));
		event.stream_id = 0x108;
		EXPECT_EQ(0, added(&pmcg, i, &event, N));
	}
	EXPECT_EQ(0, (read64(&pmcg, 0xc00) & 1));
}

/* SID_FILTER_TYPE 0: each counter has its own. */
TEST(separate_filters)
{
	struct syspmu_event event = { .number = TRANSACTION };
	struct pmcg_config config;
	unsigned int i, j;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < config.counters; i++)
		program(&pmcg, i, TRANSACTION, i);
	for (i = 0; i < config.counters; i++) {
		event.stream_id = i;
		for (j = 0; j < config.counters; j++)
			EXPECT_EQ(i == j ? N : 0, added(&pmcg, j, &event, N));
	}
}

/* Event 0 belongs to no stream and to no Security state. */
TEST(cycles_pass_every_filter)
{
	struct syspmu_event event = { .number = 0, .stream_id = 1, .security = SYSPMU_SECURE };
	struct pmcg_config config;

	whole_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, 0, 0x1234);
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	program(&pmcg, 0, BY_PARTID | BY_PMG, UINT32_MAX);
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
}

/* In this model, they have StreamIDs, and PARTIDs do not matter. */
TEST(implementation_defined_events)
{
	struct syspmu_event event = { .number = 0x80, .stream_id = 1 };
	struct pmcg_config config;

	whole_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, 0x80, 0x1234);
	EXPECT_EQ(0, added(&pmcg, 0, &event, N));
	event.stream_id = 0x1234;
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));

	/* Without a filter for them, observation alone decides (§10.6). */
	config.secure_observation = true;
	config.realm_observation = true;
	config.root_observation = true;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, 0x80 | BY_PARTID, 5);
	EXPECT_EQ(NON_SECURE_BIT | SECURE_BIT | REALM_BIT | ROOT_BIT, states_counted(&event));
}

/* §10.4.2: which events an access without a StreamID can cause. */
TEST(no_stream_id_events)
{
	static const bool caused[] = { true, true, true, false, true, false, false, false };
	struct syspmu_event event = { .no_stream_id = true };
	struct pmcg_config config;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (event.number = 0; event.number < ARRAY_COUNT(caused); event.number++) {
		program_all(&pmcg, 0, event.number);
		EXPECT_EQ(caused[event.number] ? N : 0, added(&pmcg, 0, &event, N))
			TH_LOG("event %u", event.number);
	}
	event.number = IMP_DEF;
	program_all(&pmcg, 0, IMP_DEF);
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
}

/* §10.4: accesses with PM = 1, and NoStreamID accesses to NSP. */
TEST(protected_mode)
{
	struct syspmu_event event = { .number = TRANSACTION, .protected_mode = true };
	struct pmcg_config config;

	whole_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	EXPECT_EQ(0, states_counted(&event));
}

/* CEID: an architected event that is not implemented is not counted. */
TEST(unsupported_events)
{
	static const uint32_t there[] = { 5, 63, 64, 127, 0x80, 0xffff };
	static const uint32_t missing[] = { 0, 1, 4, 6, 62, 65, 126 };
	struct syspmu_event event = { 0 };
	struct pmcg_config config;
	size_t i;

	pmcg_default_config(&config);
	config.ceid0 = UINT64_C(0x8000000000000020);
	config.ceid1 = UINT64_C(0x8000000000000001);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < ARRAY_COUNT(there); i++) {
		event.number = there[i];
		program_all(&pmcg, 0, event.number);
		EXPECT_EQ(N, added(&pmcg, 0, &event, N))
			TH_LOG("event %#x", event.number);
	}
	for (i = 0; i < ARRAY_COUNT(missing); i++) {
		event.number = missing[i];
		program_all(&pmcg, 0, event.number);
		EXPECT_EQ(0, added(&pmcg, 0, &event, N))
			TH_LOG("event %#x", event.number);
	}
	/* No counter can be told to count it, so it must not alias to event 1. */
	config.ceid0 = 0xff;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program_all(&pmcg, 0, TRANSACTION);
	event.number = 0x10001;
	EXPECT_EQ(0, added(&pmcg, 0, &event, N));
}

TEST_HARNESS_MAIN
