// SPDX-License-Identifier: GPL-2.0
/*
 * Which events a counter of a PMCG may count: IHI 0070 §10.4, §10.6 and §10.7.
 */
#include "pmcg_private.h"

enum stream_mode {
	EXACT_SID,
	PARTIAL_SID,
	ALL_SID_ONE_SECSID,
	ALL_SID_MANY_SECSID,
};

static bool implementation_defined(const struct syspmu_event *event)
{
	return event->number >= PMCG_EVENT_FIRST_IMP_DEF;
}

/* CEID covers the architected events only; all others exist (§10.5.2.16). */
static bool supported(const struct pmcg_config *config, const struct syspmu_event *event)
{
	uint64_t ceid = event->number < 64 ? config->ceid0 : config->ceid1;

	return implementation_defined(event) || (ceid >> (event->number % 64)) & 1;
}

/* §10.4.2: events that an access without a StreamID can cause. */
static bool caused_without_stream_id(const struct syspmu_event *event)
{
	switch (event->number) {
	case PMCG_EVENT_TRANSACTION:
	case PMCG_EVENT_TLB_MISS:
	case PMCG_EVENT_TABLE_WALK_ACCESS:
		return true;
	default:
		return implementation_defined(event);
	}
}

/* §10.4.4; SCR.NAO and ROOTCR.NAO are 0. */
static bool non_attributable_permitted(const struct pmcg_config *config)
{
	return !config->root && (!config->secure || config->secure_observation);
}

/* Observation controls also apply to events that no filter applies to (§10.6). */
static bool observed(const struct pmcg_config *config, const struct syspmu_event *event)
{
	switch (event->security) {
	case SYSPMU_NON_SECURE:
		return true;
	case SYSPMU_SECURE:
		return config->secure_observation;
	case SYSPMU_REALM:
		return config->realm_observation;
	case SYSPMU_ROOT:
		return config->root_observation;
	default:
		return false;
	}
}

/* The table of §10.4.3; which of the optional events can be filtered is the model's choice. */
static bool filterable_by_partid(const struct syspmu_event *event)
{
	return !implementation_defined(event) && event->number != PMCG_EVENT_CONFIG_CACHE_MISS &&
	       event->number != PMCG_EVENT_CONFIG_ACCESS;
}

/* EVTYPER.FILTER_MPAM_SP; a PARTID space that may not be observed is replaced. */
static enum syspmu_partid_space selected_partid_space(const struct pmcg_config *config,
						      uint32_t type)
{
	switch ((type & PMCG_EVTYPER_FILTER_MPAM_SP) >> PMCG_EVTYPER_FILTER_MPAM_SP_SHIFT) {
	case SYSPMU_PARTID_NON_SECURE:
		return SYSPMU_PARTID_NON_SECURE;
	case SYSPMU_PARTID_REALM:
		return config->realm_observation ? SYSPMU_PARTID_REALM : SYSPMU_PARTID_NON_SECURE;
	default:
		return config->secure_observation ? SYSPMU_PARTID_SECURE : SYSPMU_PARTID_NON_SECURE;
	}
}

/*
 * §10.4.3. The PMCG has no separate limits for the Realm PARTID space; those of MPAMIDR
 * apply to all spaces except Secure.
 */
static bool partid_match(const struct pmcg_config *config, uint32_t type, uint32_t match,
			 const struct syspmu_event *event)
{
	enum syspmu_partid_space space = selected_partid_space(config, type);
	bool secure = space == SYSPMU_PARTID_SECURE;
	uint32_t partid_max = secure ? config->secure_partid_max : config->partid_max;
	uint32_t pmg_max = secure ? config->secure_pmg_max : config->pmg_max;
	uint32_t partid = match & PMCG_SMR_PARTID;
	uint32_t pmg = (match & PMCG_SMR_PMG) >> PMCG_SMR_PMG_SHIFT;

	if (event->partid_space != space)
		return false;
	if (type & PMCG_EVTYPER_FILTER_PARTID && (partid > partid_max || partid != event->partid))
		return false;
	if (type & PMCG_EVTYPER_FILTER_PMG && (pmg > pmg_max || pmg != event->pmg))
		return false;
	return true;
}

static enum stream_mode stream_mode(uint32_t type, uint32_t match, uint32_t implemented)
{
	if (!(type & PMCG_EVTYPER_FILTER_SID_SPAN))
		return EXACT_SID;
	if (match == implemented)
		return ALL_SID_MANY_SECSID;
	if (match == implemented >> 1)
		return ALL_SID_ONE_SECSID;
	return PARTIAL_SID;
}

/* The Security state in all modes except AllSIDManySECSID: the Rel/Sec table of §10.4. */
static enum syspmu_security selected_security(const struct pmcg_config *config, uint32_t type)
{
	bool realm = type & PMCG_EVTYPER_FILTER_REALM_SID && config->realm_observation;
	bool secure = type & PMCG_EVTYPER_FILTER_SEC_SID && config->secure_observation;

	if (realm == secure)
		return SYSPMU_NON_SECURE;
	return realm ? SYSPMU_REALM : SYSPMU_SECURE;
}

/* The Security states that AllSIDManySECSID includes (§10.4). */
static bool all_streams_match(const struct pmcg_config *config, uint32_t type,
			      const struct syspmu_event *event)
{
	bool realm = type & PMCG_EVTYPER_FILTER_REALM_SID;
	bool secure = type & PMCG_EVTYPER_FILTER_SEC_SID;

	switch (event->security) {
	case SYSPMU_NON_SECURE:
		return true;
	case SYSPMU_SECURE:
		return config->secure_observation && (secure || !realm);
	case SYSPMU_REALM:
		return config->realm_observation && realm;
	case SYSPMU_ROOT:
		return config->root_observation && realm && secure && event->no_stream_id;
	default:
		return false;
	}
}

static bool stream_match(const struct pmcg_config *config, uint32_t type, uint32_t match,
			 const struct syspmu_event *event)
{
	uint32_t implemented = (uint32_t)syspmu_ones(config->stream_id_bits);
	enum stream_mode mode;
	uint32_t span = 0;

	/* The upper StreamID bits may be fixed for this component (§10.4.1). */
	match &= implemented;
	mode = stream_mode(type, match, implemented);

	if (mode == ALL_SID_MANY_SECSID)
		return all_streams_match(config, type, event);
	if (event->security != selected_security(config, type))
		return false;
	if (mode == ALL_SID_ONE_SECSID)
		return true;
	if (event->no_stream_id)
		return false;
	/* The lowest zero and the ones below it are the span that may differ. */
	if (mode == PARTIAL_SID)
		span = match ^ (match + 1);
	return !((event->stream_id ^ match) & implemented & ~span);
}

bool pmcg_filter_match(const struct pmcg_config *config, uint32_t type, uint32_t match,
		       const struct syspmu_event *event)
{
	if (!supported(config, event))
		return false;
	if (event->number == PMCG_EVENT_CYCLES)
		return true;
	if (event->no_stream_id && !caused_without_stream_id(event))
		return false;
	/* ROOTCR.PMO is 0. */
	if (event->protected_mode)
		return false;

	/* It belongs to no stream and no Security state, so no filter applies. */
	if (event->non_attributable && implementation_defined(event))
		return non_attributable_permitted(config);

	/*
	 * With PARTID or PMG the StreamID fields are ignored: an event that cannot be filtered
	 * by them is not filtered at all, and NoStreamID accesses cannot be selected.
	 */
	if (pmcg_partid_filtered(type)) {
		if (!observed(config, event))
			return false;
		if (!filterable_by_partid(event))
			return true;
		return !event->no_stream_id && partid_match(config, type, match, event);
	}
	return stream_match(config, type, match, event);
}
