// SPDX-License-Identifier: GPL-2.0
/*
 * Identification registers of a PMU: IHI 0091 §3.3, §3.7 to §3.13, §3.17 to §3.20, §3.25 and
 * §3.35 to §3.42.
 */
#include "coresight_private.h"

/* Fields that are also in page 1. */
static uint32_t common_cfgr(const struct coresight_config *config)
{
	struct syspmu_bits numbers;
	uint32_t value = coresight_numbers(config, &numbers) - 1;

	value |= (coresight_greatest_width(config) - 1) << CORESIGHT_PMCFGR_SIZE_SHIFT;
	if (config->groups)
		value |= (config->groups - 1) << CORESIGHT_PMCFGR_NCG_SHIFT;
	if (config->cycle_counter)
		value |= CORESIGHT_PMCFGR_CC;
	if (config->snapshot)
		value |= CORESIGHT_PMCFGR_SS;
	return value;
}

uint32_t coresight_cfgr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	const struct coresight_config *config = &const_coresight(model)->config;
	uint32_t value = common_cfgr(config);

	if (config->false_cfgr && !config->dual_page)
		return config->cfgr;
	if (config->prescaler)
		value |= CORESIGHT_PMCFGR_CCD;
	if (config->export_events)
		value |= CORESIGHT_PMCFGR_EX;
	if (config->no_write_access)
		value |= CORESIGHT_PMCFGR_NA;
	if (config->msi)
		value |= CORESIGHT_PMCFGR_MSI;
	if (config->freeze)
		value |= CORESIGHT_PMCFGR_FZO;
	if (config->trace)
		value |= CORESIGHT_PMCFGR_TRO;
	if (config->halt == CORESIGHT_HALT_CONTROL)
		value |= CORESIGHT_PMCFGR_HDBG;
	return value;
}

uint32_t coresight_cfgr_page_1_read(const struct syspmu_model *model, unsigned int index,
				    unsigned int word)
{
	const struct coresight_config *config = &const_coresight(model)->config;

	return config->false_cfgr ? config->cfgr : common_cfgr(config);
}

uint32_t coresight_cgcr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	const struct coresight_config *config = &const_coresight(model)->config;
	unsigned int distance = coresight_group_stride(config);
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		unsigned int group = 4 * index + i;
		uint32_t size = config->group_size[group];

		if (group >= config->groups)
			break;
		if (config->cycle_counter_in_group && group == CORESIGHT_CYCLE_COUNTER / distance)
			size++;
		value |= size << 8 * i;
	}
	return value;
}

uint32_t coresight_ceid_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	return const_coresight(model)->config.ceid[index];
}

uint32_t coresight_iidr_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	return const_coresight(model)->config.iidr;
}

uint32_t coresight_authstatus_read(const struct syspmu_model *model, unsigned int index,
				   unsigned int word)
{
	return const_coresight(model)->config.authstatus;
}

uint32_t coresight_devarch_read(const struct syspmu_model *model, unsigned int index,
				unsigned int word)
{
	return const_coresight(model)->config.devarch;
}

uint32_t coresight_devarch_page_1_read(const struct syspmu_model *model, unsigned int index,
				       unsigned int word)
{
	return CORESIGHT_PMDEVARCH_PAGE_1;
}

uint32_t coresight_devtype_read(const struct syspmu_model *model, unsigned int index,
				unsigned int word)
{
	return CORESIGHT_PMDEVTYPE_PAGE_0;
}

uint32_t coresight_devtype_page_1_read(const struct syspmu_model *model, unsigned int index,
				       unsigned int word)
{
	return CORESIGHT_PMDEVTYPE_PAGE_1;
}

/* PMPIDR4 to 7, PMPIDR0 to 3, PMCIDR0 to 3. */
uint32_t coresight_id_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct coresight_config *config = &const_coresight(model)->config;
	uint32_t id = config->peripheral_id;
	uint32_t part = id >> CORESIGHT_PMIIDR_PRODUCT_SHIFT;
	uint32_t variant = id >> CORESIGHT_PMIIDR_VARIANT_SHIFT & 0xf;
	uint32_t revision = id >> CORESIGHT_PMIIDR_REVISION_SHIFT & 0xf;
	uint32_t designer = id & CORESIGHT_PMIIDR_DESIGNER;

	if (!config->coresight_ids)
		return 0;
	switch (CORESIGHT_PMPIDR4 + 4 * index) {
	case CORESIGHT_PMPIDR4:
		return id >> CORESIGHT_PMIIDR_BANK_SHIFT & 0xf;
	case CORESIGHT_PMPIDR0:
		return part & 0xff;
	case CORESIGHT_PMPIDR0 + 4:
		return (designer & 0xf) << 4 | part >> 8;
	case CORESIGHT_PMPIDR0 + 8:
		return variant << 4 | CORESIGHT_PMPIDR2_JEDEC | designer >> 4;
	case CORESIGHT_PMPIDR0 + 12:
		return revision << 4 | config->customer_modified;
	case CORESIGHT_PMCIDR0:
		return CORESIGHT_PMCIDR0_VALUE;
	case CORESIGHT_PMCIDR0 + 4:
		return CORESIGHT_PMCIDR1_VALUE;
	case CORESIGHT_PMCIDR0 + 8:
		return CORESIGHT_PMCIDR2_VALUE;
	case CORESIGHT_PMCIDR0 + 12:
		return CORESIGHT_PMCIDR3_VALUE;
	default:
		return 0;
	}
}
