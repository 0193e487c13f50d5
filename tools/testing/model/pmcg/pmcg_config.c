// SPDX-License-Identifier: GPL-2.0
/*
 * Which PMCGs can exist: IHI 0070 §10.5.2, §10.6 and §10.7.
 */
#include <string.h>

#include "pmcg_private.h"

/* An Arm product, r2p1, in the layout of IIDR. */
#define DEFAULT_IDENTITY	UINT32_C(0x4832143b)

void pmcg_default_config(struct pmcg_config *config)
{
	memset(config, 0, sizeof(*config));
	config->counters = 8;
	config->size = 63;
	config->event_bits = 16;
	config->stream_id_bits = 32;
	config->address_bits = 48;
	config->ceid0 = 0xff;
	config->iidr = DEFAULT_IDENTITY;
	config->aidr = PMCG_AIDR_NEWEST_MINOR;
	config->coresight_ids = true;
	config->peripheral_id = DEFAULT_IDENTITY;
	config->nsra = true;
}

/* A JEP106 code: 7 bits, never zero, below a bit that is zero (§10.5.2.15). */
static bool valid_identity(uint32_t identity)
{
	return identity & PMCG_IIDR_DESIGNER && !(identity & PMCG_IIDR_BIT7);
}

static const char *check_size(const struct pmcg_config *config)
{
	uint64_t events = UINT64_C(1) << config->event_bits;

	if (config->counters < 1 || config->counters > PMCG_MAX_COUNTERS)
		return "a PMCG has 1 to 64 counters";
	if (config->size > 63)
		return "SIZE is at most 63";
	if (config->event_bits < 1 || config->event_bits > 16)
		return "EVENT has 1 to 16 implemented bits";
	if (config->stream_id_bits < 1 || config->stream_id_bits > 32)
		return "STREAMID has 1 to 32 implemented bits";
	if (config->address_bits < 32 || config->address_bits > 56)
		return "the MSI address has 32 to 56 implemented bits";
	if ((events < 64 && config->ceid0 >> events) ||
	    (events <= 64 && config->ceid1) ||
	    (events > 64 && events < 128 && config->ceid1 >> (events - 64)))
		return "CEID has an event that EVENT cannot hold";
	return NULL;
}

static const char *check_version(const struct pmcg_config *config)
{
	if (config->aidr > PMCG_AIDR_NEWEST_MINOR)
		return "AIDR is 0 to 5, for SMMUv3.0 to SMMUv3.5";
	if (config->mpam && !config->msi)
		return "MPAM is about MSIs and needs MSI";
	if (config->mpam && config->aidr < 2)
		return "MPAM needs SMMUv3.2";
	if (config->filter_partid_pmg && config->aidr < 3)
		return "FILTER_PARTID_PMG needs SMMUv3.3";
	return NULL;
}

static const char *check_identity(const struct pmcg_config *config)
{
	if (config->iidr && !valid_identity(config->iidr))
		return "IIDR has no valid JEP106 code";
	if (!config->coresight_ids)
		return NULL;
	if (!valid_identity(config->peripheral_id))
		return "the peripheral ID has no valid JEP106 code";
	if (config->iidr && config->iidr != config->peripheral_id)
		return "IIDR and the peripheral ID must agree";
	if (config->customer_modified > 0xf)
		return "CMOD has four bits";
	return NULL;
}

static const char *check_security(const struct pmcg_config *config)
{
	if (!config->secure && (!config->nsra || config->secure_observation))
		return "SCR needs support for Secure state";
	if (!config->secure && (config->secure_partid_max || config->secure_pmg_max))
		return "S_MPAMIDR needs support for Secure state";
	if (!config->root && (config->root_observation || config->realm_observation))
		return "the controls of ROOTCR need ROOTCR";
	return NULL;
}

const char *pmcg_init(struct pmcg *pmcg, const struct pmcg_config *config,
		      const struct syspmu_owner *owner)
{
	const char *message = check_size(config);
	unsigned int i;

	if (!message)
		message = check_version(config);
	if (!message)
		message = check_identity(config);
	if (!message)
		message = check_security(config);
	if (!message)
		message = syspmu_check_config(&config->common);
	if (message)
		return message;

	memset(pmcg, 0, sizeof(*pmcg));
	pmcg->config = *config;
	pmcg->initial_nsra = config->nsra;
	pmcg->initial_secure_observation = config->secure_observation;
	syspmu_init(&pmcg->model, &pmcg_ops, &config->common, owner);
	pmcg->model.two_pages = config->relocate;
	for (i = 0; i < config->counters; i++)
		syspmu_add_counter(&pmcg->model, i, config->size + 1);
	return NULL;
}
