// SPDX-License-Identifier: GPL-2.0
/*
 * Which PMUs can exist: IHI 0091 §2.1, §2.6 and §3.8.
 */
#include <string.h>

#include "coresight_private.h"

/* An Arm product, r2p1, in the layout of PMIIDR. */
#define DEFAULT_IDENTITY	UINT32_C(0x9a12143b)

/* The specification has no value of PMDEVARCH. */
#define DEFAULT_DEVARCH		UINT32_C(0x47700a00)

void coresight_default_config(struct coresight_config *config)
{
	unsigned int i;

	memset(config, 0, sizeof(*config));
	config->monitors = 8;
	config->bits = 64;
	config->step = 1;
	config->type_bits = UINT32_MAX;
	config->filter_bits = UINT32_MAX;
	config->cycle_counter_bits = 64;
	config->cycle_filter_bits = UINT32_MAX;
	config->chain_event = 0x1e;
	for (i = 0; i < CORESIGHT_CEIDS; i++)
		config->ceid[i] = UINT32_MAX;
	config->iidr = DEFAULT_IDENTITY;
	config->coresight_ids = true;
	config->peripheral_id = DEFAULT_IDENTITY;
	config->devarch = DEFAULT_DEVARCH;
	config->authstatus = 0xc;
}

unsigned int coresight_width(const struct coresight_config *config, unsigned int number)
{
	if (config->cycle_counter && number == CORESIGHT_CYCLE_COUNTER)
		return config->cycle_counter_bits;
	return config->width[number] ? config->width[number] : config->bits;
}

/* Rule TFNPJ. */
static unsigned int stride(const struct coresight_config *config, bool wide)
{
	if (config->groups > 8)
		return wide ? 8 : 16;
	return config->groups > 4 && wide ? 16 : 32;
}

static unsigned int numbers_at(const struct coresight_config *config, unsigned int distance,
			       struct syspmu_bits *numbers)
{
	unsigned int count = 0, number = 0, i, j;

	memset(numbers, 0, sizeof(*numbers));
	for (i = 0; i < config->groups; i++) {
		for (j = 0; j < config->group_size[i]; j++, count++) {
			if (i * distance + j < CORESIGHT_MAX_MONITORS)
				syspmu_set_bit(numbers, i * distance + j);
		}
	}
	/* The number of the cycle counter is not used by monitors outside of groups. */
	for (i = 0; !config->groups && i < config->monitors; i++, number++, count++) {
		if (config->cycle_counter && number == CORESIGHT_CYCLE_COUNTER)
			number++;
		if (number < CORESIGHT_MAX_MONITORS)
			syspmu_set_bit(numbers, number);
	}
	if (config->cycle_counter) {
		syspmu_set_bit(numbers, CORESIGHT_CYCLE_COUNTER);
		count++;
	}
	return count;
}

static unsigned int greatest_at(const struct coresight_config *config, unsigned int distance)
{
	struct syspmu_bits numbers;
	unsigned int greatest = 0, i;

	numbers_at(config, distance, &numbers);
	for (i = 0; i < CORESIGHT_MAX_MONITORS; i++) {
		unsigned int width = coresight_width(config, i);

		if (syspmu_test_bit(&numbers, i) && width > greatest)
			greatest = width;
	}
	return greatest;
}

/*
 * The distance depends on the widths, and the numbers for which widths are given on the distance.
 */
unsigned int coresight_group_stride(const struct coresight_config *config)
{
	return stride(config, greatest_at(config, stride(config, true)) > 32);
}

unsigned int coresight_numbers(const struct coresight_config *config, struct syspmu_bits *numbers)
{
	return numbers_at(config, coresight_group_stride(config), numbers);
}

unsigned int coresight_greatest_width(const struct coresight_config *config)
{
	return greatest_at(config, coresight_group_stride(config));
}

/* §3.8: the defined values of PMCFGR.SIZE, plus one. */
static bool valid_size(unsigned int bits)
{
	static const uint8_t sizes[] = { 8, 10, 12, 16, 20, 24, 32, 36, 40, 44, 48, 52, 56, 64 };
	size_t i;

	for (i = 0; i < sizeof(sizes); i++) {
		if (sizes[i] == bits)
			return true;
	}
	return false;
}

/* A JEP106 code: 7 bits, never zero, below a bit that is zero (§3.25). */
static bool valid_identity(uint32_t identity)
{
	return identity & CORESIGHT_PMIIDR_DESIGNER && !(identity & CORESIGHT_PMIIDR_BIT7);
}

static const char *check_groups(const struct coresight_config *config)
{
	unsigned int distance = coresight_group_stride(config);
	unsigned int i;

	for (i = 0; i < config->groups; i++) {
		if (config->group_size[i] > distance)
			return "a monitor group has more monitors than there is place for";
		if (config->cycle_counter && config->group_size[i] > CORESIGHT_CYCLE_COUNTER -
		    CORESIGHT_CYCLE_COUNTER / distance * distance &&
		    i == CORESIGHT_CYCLE_COUNTER / distance)
			return "monitor 31 is the cycle counter";
	}
	if (config->cycle_counter_in_group && !(config->groups && config->cycle_counter))
		return "a group that has the cycle counter needs both extensions";
	return NULL;
}

static const char *check_monitors(const struct coresight_config *config)
{
	unsigned int greatest = coresight_greatest_width(config);
	struct syspmu_bits numbers;
	unsigned int count = coresight_numbers(config, &numbers);
	unsigned int last = CORESIGHT_MAX_MONITORS - 1;
	unsigned int i;

	for (i = 0; i < CORESIGHT_MAX_MONITORS; i++) {
		if (syspmu_test_bit(&numbers, i) && coresight_width(config, i) > 64)
			return "a monitor has 1 to 64 bits";
	}
	if (!count || count > CORESIGHT_MAX_MONITORS)
		return "there are 1 to 256 monitors";
	if (!valid_size(greatest))
		return "PMCFGR.SIZE has no encoding for the largest monitor";
	while (!syspmu_test_bit(&numbers, last))
		last--;
	if (last > 127 && greatest > 32)
		return "with monitors larger than 32 bits there are at most 128";
	if (last > 127 && config->filter == CORESIGHT_FILTER_SOURCES)
		return "at most 128 monitors have a filter";
	if (config->ext64 && (last > 63 || greatest < 33))
		return "the 64-bit extension has monitors 0 to 63, of more than 32 bits";
	if (last > 127 && config->snapshot)
		return "the types of more than 128 monitors are where snapshots are";
	return check_groups(config);
}

static const char *check_cycle_counter(const struct coresight_config *config)
{
	struct syspmu_bits numbers;

	if (!config->cycle_counter) {
		if (config->prescaler)
			return "there is no cycle counter";
		return NULL;
	}
	if (config->prescaler && config->cycle_counter_bits > 32)
		return "a cycle counter larger than 32 bits has no prescaler";
	if (!config->cycle_counter_at_03c)
		return NULL;
	coresight_numbers(config, &numbers);
	if (coresight_greatest_width(config) > 32)
		return "the cycle counter is at 0x03c with monitors up to 32 bits only";
	return syspmu_test_bit(&numbers, 15) ? "monitor 15 is at 0x03c" : NULL;
}

static const char *check_extensions(const struct coresight_config *config)
{
	if (!config->step)
		return "a counter increments by at least 1";
	if (!config->msi && (config->msi_always || config->msi_attributes || config->msi_secure))
		return "there are no MSIs";
	if (config->msi_enabled && (config->msi_always || !config->msi_secure))
		return "MSIs are only enabled by Secure software if they can be disabled";
	if (!config->snapshot && (config->snapshot_reset || config->snapshot_signal))
		return "there are no snapshots";
	return NULL;
}

static const char *check_identity(const struct coresight_config *config)
{
	if (config->iidr && !valid_identity(config->iidr))
		return "PMIIDR has no valid JEP106 code";
	if (!config->coresight_ids)
		return NULL;
	if (!valid_identity(config->peripheral_id))
		return "the peripheral ID has no valid JEP106 code";
	if (config->customer_modified > 0xf)
		return "the fields of PMPIDR have four bits";
	if (config->iidr && config->iidr != config->peripheral_id)
		return "PMIIDR and the peripheral ID must agree";
	return NULL;
}

const char *coresight_check_config(const struct coresight_config *config)
{
	const char *message;

	if (config->groups == 1 || config->groups > CORESIGHT_MAX_GROUPS)
		return "there are 2 to 16 monitor groups, if any";
	message = check_monitors(config);
	if (!message)
		message = check_cycle_counter(config);
	if (!message)
		message = check_extensions(config);
	if (!message)
		message = check_identity(config);
	return message ? message : syspmu_check_config(&config->common);
}
