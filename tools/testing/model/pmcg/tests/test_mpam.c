// SPDX-License-Identifier: GPL-2.0
/*
 * Filters by PARTID and PMG, and non-attributable events: IHI 0070 §10.4.3 and §10.4.4.
 */
#include "pmcg_test.h"

#define N 3

static struct pmcg pmcg;

static void mpam_config(struct pmcg_config *config)
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

/* The table of §10.4.3, a row for each event. */
FIXTURE(partid_event) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(partid_event) {
	uint32_t number;
	bool filtered;
};

FIXTURE_VARIANT_ADD(partid_event, transaction) {
	.number = 1, .filtered = true,
};

FIXTURE_VARIANT_ADD(partid_event, tlb_miss) {
	.number = 2, .filtered = true,
};

FIXTURE_VARIANT_ADD(partid_event, config_cache_miss) {
	.number = 3,
};

FIXTURE_VARIANT_ADD(partid_event, table_walk_access) {
	.number = 4, .filtered = true,
};

FIXTURE_VARIANT_ADD(partid_event, config_access) {
	.number = 5,
};

FIXTURE_VARIANT_ADD(partid_event, ats_request) {
	.number = 6, .filtered = true,
};

FIXTURE_VARIANT_ADD(partid_event, ats_translated) {
	.number = 7, .filtered = true,
};

FIXTURE_VARIANT_ADD(partid_event, implementation_defined) {
	.number = IMP_DEF,
};

FIXTURE_VARIANT_ADD(partid_event, clock_cycle) {
	.number = 0,
};

FIXTURE_SETUP(partid_event)
{
	mpam_config(&self->config);
}

FIXTURE_TEARDOWN(partid_event)
{
}

TEST_F(partid_event, filterable)
{
	struct syspmu_event event = {
		.number = variant->number,
		.stream_id = 9,
		.partid_space = SYSPMU_PARTID_NON_SECURE,
	};

	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, variant->number | BY_PARTID | MPAM_SP(1), 5);
	event.partid = 5;
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	event.partid = 6;
	EXPECT_EQ(variant->filtered ? 0 : N, added(&pmcg, 0, &event, N));

	program(&pmcg, 0, variant->number | BY_PMG | MPAM_SP(1), 2 << 16);
	event.pmg = 2;
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	event.pmg = 1;
	EXPECT_EQ(variant->filtered ? 0 : N, added(&pmcg, 0, &event, N));
}

/* PARTID and PMG can be enabled separately; each compares its own field only. */
TEST(partid_and_pmg)
{
	static const uint32_t enables[] = { BY_PARTID, BY_PMG, BY_PARTID | BY_PMG };
	struct syspmu_event event = {
		.number = TRANSACTION,
		.partid_space = SYSPMU_PARTID_NON_SECURE,
	};
	struct pmcg_config config;
	unsigned int span;
	size_t i;

	mpam_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < ARRAY_COUNT(enables); i++) {
		/* The StreamID span is ignored, and the StreamID is not compared. */
		for (span = 0; span < 2; span++) {
			program(&pmcg, 0, TRANSACTION | enables[i] | MPAM_SP(1) |
				(span ? SPAN : 0), 2 << 16 | 0x15);
			for (event.partid = 0; event.partid < 0x40; event.partid++) {
				for (event.pmg = 0; event.pmg < 4; event.pmg++) {
					bool match = true;

					event.stream_id = event.partid * 7;
					if (enables[i] & BY_PARTID)
						match &= event.partid == 0x15;
					if (enables[i] & BY_PMG)
						match &= event.pmg == 2;
					EXPECT_EQ(match ? N : 0, added(&pmcg, 0, &event, N))
						TH_LOG("%#x: PARTID %#x PMG %u", enables[i],
						       event.partid, event.pmg);
				}
			}
		}
	}
}

/* All 16 and 8 bits are compared. */
TEST(every_bit)
{
	struct syspmu_event event = {
		.number = TRANSACTION,
		.partid_space = SYSPMU_PARTID_NON_SECURE,
	};
	struct pmcg_config config;
	unsigned int bit;

	mpam_config(&config);
	config.partid_max = 0xffff;
	config.pmg_max = 0xff;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, TRANSACTION | BY_PARTID | BY_PMG | MPAM_SP(1), 0x00a5c33c);
	event.partid = 0xc33c;
	event.pmg = 0xa5;
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	for (bit = 0; bit < 24; bit++) {
		event.partid = (uint16_t)(0xa5c33c ^ 1u << bit);
		event.pmg = (uint8_t)((0xa5c33c ^ 1u << bit) >> 16);
		EXPECT_EQ(0, added(&pmcg, 0, &event, N))
			TH_LOG("bit %u", bit);
	}
}

/* FILTER_MPAM_SP; each row also without the observation that it needs. */
FIXTURE(space) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(space) {
	unsigned int value;
	bool root;
	enum syspmu_partid_space observed;
};

FIXTURE_VARIANT_ADD(space, secure) {
	.value = 0, .root = true, .observed = SYSPMU_PARTID_SECURE,
};

FIXTURE_VARIANT_ADD(space, non_secure) {
	.value = 1, .root = true, .observed = SYSPMU_PARTID_NON_SECURE,
};

FIXTURE_VARIANT_ADD(space, reserved) {
	.value = 2, .root = true, .observed = SYSPMU_PARTID_SECURE,
};

FIXTURE_VARIANT_ADD(space, realm) {
	.value = 3, .root = true, .observed = SYSPMU_PARTID_REALM,
};

FIXTURE_VARIANT_ADD(space, secure_without_rootcr) {
	.value = 2, .observed = SYSPMU_PARTID_SECURE,
};

FIXTURE_VARIANT_ADD(space, non_secure_without_rootcr) {
	.value = 3, .observed = SYSPMU_PARTID_NON_SECURE,
};

FIXTURE_SETUP(space)
{
	mpam_config(&self->config);
	self->config.root = variant->root;
}

FIXTURE_TEARDOWN(space)
{
}

TEST_F(space, selected)
{
	static const enum syspmu_partid_space spaces[] = {
		SYSPMU_PARTID_SECURE, SYSPMU_PARTID_NON_SECURE, SYSPMU_PARTID_REALM,
	};
	struct syspmu_event event = { .number = TRANSACTION, .partid = 5 };
	bool observation;
	size_t i;

	for (observation = false;; observation = true) {
		enum syspmu_partid_space selected = observation ? variant->observed :
								SYSPMU_PARTID_NON_SECURE;

		self->config.secure_observation = observation;
		self->config.realm_observation = observation && variant->root;
		make(_metadata, &pmcg, &self->config, NULL);
		quiet(&pmcg);
		program(&pmcg, 0, TRANSACTION | BY_PARTID | MPAM_SP(variant->value), 5);
		for (i = 0; i < ARRAY_COUNT(spaces); i++) {
			event.partid_space = spaces[i];
			EXPECT_EQ(spaces[i] == selected ? N : 0, added(&pmcg, 0, &event, N))
				TH_LOG("PARTID space %d, observation %d", spaces[i], observation);
		}
		if (observation)
			break;
	}
}

/* A PARTID or PMG above what MPAMIDR or S_MPAMIDR advertise counts nothing. */
FIXTURE(limit) {
	struct pmcg_config config;
};

FIXTURE_VARIANT(limit) {
	enum syspmu_partid_space space;
	uint16_t partid_max;
	uint8_t pmg_max;
};

FIXTURE_VARIANT_ADD(limit, secure) {
	.space = SYSPMU_PARTID_SECURE, .partid_max = 0x1f, .pmg_max = 1,
};

FIXTURE_VARIANT_ADD(limit, non_secure) {
	.space = SYSPMU_PARTID_NON_SECURE, .partid_max = 0x3f, .pmg_max = 3,
};

FIXTURE_VARIANT_ADD(limit, realm) {
	.space = SYSPMU_PARTID_REALM, .partid_max = 0x3f, .pmg_max = 3,
};

FIXTURE_SETUP(limit)
{
	mpam_config(&self->config);
	self->config.secure_observation = true;
	self->config.realm_observation = true;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
}

FIXTURE_TEARDOWN(limit)
{
}

/* §10.5.2.27: the limits apply although MPAMIDR is zero without CFGR.MPAM. */
TEST_F(limit, not_advertised)
{
	uint32_t type = TRANSACTION | MPAM_SP(variant->space) | BY_PARTID;
	struct syspmu_event event = { .number = TRANSACTION, .partid_space = variant->space };

	self->config.mpam = false;
	self->config.mpamidr_needs_mpam = true;
	make(_metadata, &pmcg, &self->config, NULL);
	quiet(&pmcg);
	EXPECT_EQ(0, read32(&pmcg, 0xe74));
	event.partid = variant->partid_max;
	program(&pmcg, 0, type, event.partid);
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	event.partid++;
	program(&pmcg, 0, type, event.partid);
	EXPECT_EQ(0, added(&pmcg, 0, &event, N));
}

TEST_F(limit, advertised)
{
	uint32_t type = TRANSACTION | MPAM_SP(variant->space);
	struct syspmu_event event = { .number = TRANSACTION, .partid_space = variant->space };
	uint32_t above;

	for (above = 0; above < 2; above++) {
		event.partid = (uint16_t)(variant->partid_max + above);
		event.pmg = 0;
		program(&pmcg, 0, type | BY_PARTID, event.partid);
		EXPECT_EQ(above ? 0 : N, added(&pmcg, 0, &event, N));
		program(&pmcg, 0, type | BY_PARTID | BY_PMG, event.partid);
		EXPECT_EQ(above ? 0 : N, added(&pmcg, 0, &event, N));
		/* Without FILTER_PARTID the field is ignored. */
		program(&pmcg, 0, type | BY_PMG, event.partid);
		EXPECT_EQ(N, added(&pmcg, 0, &event, N));

		event.partid = 0;
		event.pmg = (uint8_t)(variant->pmg_max + above);
		program(&pmcg, 0, type | BY_PMG, (uint32_t)event.pmg << 16);
		EXPECT_EQ(above ? 0 : N, added(&pmcg, 0, &event, N));
		program(&pmcg, 0, type | BY_PARTID | BY_PMG, (uint32_t)event.pmg << 16);
		EXPECT_EQ(above ? 0 : N, added(&pmcg, 0, &event, N));
		program(&pmcg, 0, type | BY_PARTID, (uint32_t)event.pmg << 16);
		EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	}
}

/* Observation holds with PARTID filters and with events that they cannot filter. */
TEST(observation)
{
	struct syspmu_event event = { .partid = 5, .partid_space = SYSPMU_PARTID_NON_SECURE };
	struct pmcg_config config;
	bool observed;

	for (observed = false;; observed = true) {
		mpam_config(&config);
		config.secure_observation = observed;
		config.realm_observation = observed;
		make(_metadata, &pmcg, &config, NULL);
		quiet(&pmcg);
		for (event.number = TRANSACTION; event.number <= 3; event.number += 2) {
			program(&pmcg, 0, event.number | BY_PARTID | MPAM_SP(1), 5);
			event.security = SYSPMU_NON_SECURE;
			EXPECT_EQ(N, added(&pmcg, 0, &event, N));
			event.security = SYSPMU_SECURE;
			EXPECT_EQ(observed ? N : 0, added(&pmcg, 0, &event, N));
			event.security = SYSPMU_REALM;
			EXPECT_EQ(observed ? N : 0, added(&pmcg, 0, &event, N));
		}
		if (observed)
			break;
	}
}

/*
 * With a PARTID or PMG filter all fields that select streams are ignored: the span, the
 * Security state and SMR as a StreamID. Observation, protected mode and §10.4.4 still apply.
 */
TEST(stream_selection_is_ignored)
{
	static const uint32_t enables[] = { BY_PARTID, BY_PMG, BY_PARTID | BY_PMG };
	struct pmcg_config config;
	unsigned int i, j, state;

	mpam_config(&config);
	config.secure_observation = true;
	config.realm_observation = true;
	config.stream_id_bits = 5;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	for (i = 0; i < ARRAY_COUNT(enables); i++) {
		for (j = 0; j < 8; j++) {
			uint32_t type = enables[i] | MPAM_SP(1) | (j & 1 ? SPAN : 0) |
					(j & 2 ? SEC_SID : 0) | (j & 4 ? REALM_SID : 0);
			struct syspmu_event event = {
				.number = TRANSACTION,
				.stream_id = 3,
				.partid = 0x1f,
				.pmg = 1,
				.partid_space = SYSPMU_PARTID_NON_SECURE,
			};

			/* As a span 0x1f would be all streams of all states. */
			program(&pmcg, 0, TRANSACTION | type, 1 << 16 | 0x1f);
			for (state = SYSPMU_NON_SECURE; state <= SYSPMU_REALM; state++) {
				event.security = (enum syspmu_security)state;
				EXPECT_EQ(N, added(&pmcg, 0, &event, N))
					TH_LOG("type %#x state %u", type, state);
			}
			event.security = SYSPMU_ROOT;
			EXPECT_EQ(0, added(&pmcg, 0, &event, N));
			event.security = SYSPMU_NON_SECURE;
			event.protected_mode = true;
			EXPECT_EQ(0, added(&pmcg, 0, &event, N));
			event.protected_mode = false;
			event.partid = enables[i] & BY_PARTID ? 3 : 0x1f;
			event.pmg = enables[i] & BY_PMG ? 2 : 1;
			EXPECT_EQ(0, added(&pmcg, 0, &event, N));

			/* An event without Security state has no PARTID either. */
			event.number = IMP_DEF;
			event.non_attributable = true;
			program(&pmcg, 0, IMP_DEF | type, 1 << 16 | 0x1f);
			EXPECT_EQ(0, added(&pmcg, 0, &event, N));
		}
	}
}

/* §10.4.2: with PARTID filters SMR does not select all streams, so no NoStreamID. */
TEST(no_stream_id)
{
	struct syspmu_event event = {
		.number = TRANSACTION,
		.no_stream_id = true,
		.partid_space = SYSPMU_PARTID_NON_SECURE,
	};
	struct pmcg_config config;

	mpam_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, TRANSACTION | SPAN | BY_PARTID | MPAM_SP(1), 0);
	EXPECT_EQ(0, added(&pmcg, 0, &event, N));
	event.no_stream_id = false;
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
}

/* With one filter for all, EVTYPER0 and SMR0 hold the PARTID filter, too. */
TEST(global_filter)
{
	struct syspmu_event event = {
		.number = TRANSACTION,
		.partid_space = SYSPMU_PARTID_NON_SECURE,
	};
	struct pmcg_config config;

	mpam_config(&config);
	config.global_filter = true;
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	write32(&pmcg, 0x400, 2 | BY_PARTID | MPAM_SP(1));
	write32(&pmcg, 0xa00, 5);
	program(&pmcg, 3, TRANSACTION | BY_PMG, 6);
	event.partid = 5;
	EXPECT_EQ(N, added(&pmcg, 3, &event, N));
	event.partid = 6;
	EXPECT_EQ(0, added(&pmcg, 3, &event, N));
}

/* A PMCG without the feature keeps filtering by StreamID. */
TEST(not_implemented)
{
	struct syspmu_event event = { .number = TRANSACTION, .stream_id = 0x123456 };
	struct pmcg_config config;

	pmcg_default_config(&config);
	make(_metadata, &pmcg, &config, NULL);
	quiet(&pmcg);
	program(&pmcg, 0, TRANSACTION | BY_PARTID | BY_PMG, 0x123456);
	EXPECT_EQ(N, added(&pmcg, 0, &event, N));
	event.stream_id++;
	EXPECT_EQ(0, added(&pmcg, 0, &event, N));
}

/* §10.4.4: every combination of the controls. */
TEST(non_attributable)
{
	struct syspmu_event event = { .number = IMP_DEF, .non_attributable = true };
	struct pmcg_config config;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		bool secure = i & 1, root = i & 2;
		bool so = secure && i & 4;
		bool permitted = !root && (!secure || so);

		pmcg_default_config(&config);
		config.secure = secure;
		config.root = root;
		config.secure_observation = so;
		make(_metadata, &pmcg, &config, NULL);
		quiet(&pmcg);
		program_all(&pmcg, 0, IMP_DEF);
		EXPECT_EQ(permitted ? N : 0, added(&pmcg, 0, &event, N))
			TH_LOG("secure %d root %d SO %d", secure, root, so);
		/* An event without Security state has no stream to filter by either. */
		program(&pmcg, 0, IMP_DEF, 0x1234);
		EXPECT_EQ(permitted ? N : 0, added(&pmcg, 0, &event, N));

		/* No architected event is non-attributable. */
		event.number = TRANSACTION;
		program_all(&pmcg, 0, TRANSACTION);
		EXPECT_EQ(N, added(&pmcg, 0, &event, N));
		event.number = IMP_DEF;
	}
}

TEST_HARNESS_MAIN
