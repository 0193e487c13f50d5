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

TEST_HARNESS_MAIN
