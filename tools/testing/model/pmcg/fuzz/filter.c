// SPDX-License-Identifier: GPL-2.0
/*
 * Which events a counter may count: a second implementation of IHI 0070 §10.4, independent of
 * the model and written as sets of Security states.
 */
#include "fuzz.h"

#define STATE(state)	(1u << (state))

/* §10.6, §10.7: the Security states that may be observed. */
static unsigned int observable(const struct pmcg_config *config)
{
	unsigned int states = STATE(SYSPMU_NON_SECURE);

	if (config->secure_observation)
		states |= STATE(SYSPMU_SECURE);
	if (config->realm_observation)
		states |= STATE(SYSPMU_REALM);
	if (config->root_observation)
		states |= STATE(SYSPMU_ROOT);
	return states;
}

/* §10.4: the states of AllSIDManySECSID. */
static unsigned int many_states(uint32_t type)
{
	switch (type & (TYPE_REALM | TYPE_SECURE)) {
	case TYPE_REALM:
		return STATE(SYSPMU_NON_SECURE) | STATE(SYSPMU_REALM);
	case TYPE_REALM | TYPE_SECURE:
		return STATE(SYSPMU_NON_SECURE) | STATE(SYSPMU_SECURE) | STATE(SYSPMU_REALM) |
		       STATE(SYSPMU_ROOT);
	default:
		return STATE(SYSPMU_NON_SECURE) | STATE(SYSPMU_SECURE);
	}
}

/* §10.4: the state of the other modes; a bit counts only if its state may be observed. */
static unsigned int one_state(const struct pmcg_config *config, uint32_t type)
{
	if (!config->realm_observation)
		type &= ~TYPE_REALM;
	if (!config->secure_observation)
		type &= ~TYPE_SECURE;

	switch (type & (TYPE_REALM | TYPE_SECURE)) {
	case TYPE_REALM:
		return STATE(SYSPMU_REALM);
	case TYPE_SECURE:
		return STATE(SYSPMU_SECURE);
	default:
		return STATE(SYSPMU_NON_SECURE);
	}
}

static bool passes_stream(const struct pmcg_config *config, uint32_t type, uint32_t match,
			  const struct syspmu_event *event)
{
	uint32_t all = (uint32_t)ones(config->stream_id_bits);
	bool span = type & TYPE_SPAN;
	unsigned int ignored = 0;

	if (span && match == all)
		return many_states(type) & STATE(event->security);
	if (!(one_state(config, type) & STATE(event->security)))
		return false;
	if (span && match == all / 2)
		return true;
	if (event->no_stream_id)
		return false;
	/* Y bits are ignored: those that are one from the lowest on, and the zero above. */
	if (span) {
		while (match >> ignored & 1)
			ignored++;
		ignored++;
	}
	return (uint64_t)(match & all) >> ignored == (uint64_t)(event->stream_id & all) >> ignored;
}

/* §10.4.3 */
static bool passes_partid(const struct pmcg_config *config, uint32_t type, uint32_t match,
			  const struct syspmu_event *event)
{
	static const enum syspmu_partid_space spaces[] = {
		SYSPMU_PARTID_SECURE, SYSPMU_PARTID_NON_SECURE, SYSPMU_PARTID_SECURE,
		SYSPMU_PARTID_REALM,
	};
	enum syspmu_partid_space space = spaces[type >> 18 & 3];
	uint32_t partid = match & 0xffff, pmg = match >> 16 & 0xff;
	bool secure;

	if ((space == SYSPMU_PARTID_SECURE && !config->secure_observation) ||
	    (space == SYSPMU_PARTID_REALM && !config->realm_observation))
		space = SYSPMU_PARTID_NON_SECURE;
	secure = space == SYSPMU_PARTID_SECURE;

	return event->partid_space == space &&
	       (!(type & TYPE_PARTID) ||
		(event->partid == partid &&
		 partid <= (secure ? config->secure_partid_max : config->partid_max))) &&
	       (!(type & TYPE_PMG) ||
		(event->pmg == pmg &&
		 pmg <= (secure ? config->secure_pmg_max : config->pmg_max)));
}

bool passes_filter(const struct pmcg_config *config, uint32_t type, uint32_t match,
		   const struct syspmu_event *event)
{
	uint32_t number = event->number;
	bool imp_def = number >= 0x80;

	/* §10.5.2.16 */
	if (!imp_def && !((number < 64 ? config->ceid0 : config->ceid1) >> number % 64 & 1))
		return false;
	if (number == 0)
		return true;
	/* §10.4.2 */
	if (event->no_stream_id && !imp_def && number != 1 && number != 2 && number != 4)
		return false;
	if (event->protected_mode)
		return false;
	/* §10.4.4 */
	if (event->non_attributable && imp_def) {
		if (config->root)
			return false;
		return !config->secure || config->secure_observation;
	}
	if (!(observable(config) & STATE(event->security)))
		return false;

	if (type & (TYPE_PARTID | TYPE_PMG)) {
		if (imp_def || number == 3 || number == 5)
			return true;
		return !event->no_stream_id && passes_partid(config, type, match, event);
	}
	return passes_stream(config, type, match, event);
}
