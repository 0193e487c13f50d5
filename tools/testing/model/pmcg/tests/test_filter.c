// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of a PMCG (IHI 0070 §10.4): the modes for StreamIDs and Security states, as examples.
 * The fuzzer compares all others with its own filter.
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
