// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a PMU of the CoreSight PMU Architecture, each by its own rule: IHI 0091
 * chapter 3.
 */
#include <string.h>

#include "coresight_private.h"

static bool has_monitor(const struct coresight *pmu, unsigned int number)
{
	return syspmu_test_bit(&pmu->model.implemented, number);
}

/* Rules CGWBM and CLXGJ. */
static bool is_writable(const struct coresight *pmu)
{
	return !pmu->config.no_write_access || coresight_is_stopped(pmu);
}

static bool is_configurable(const struct coresight *pmu)
{
	return !pmu->config.read_only_configuration && is_writable(pmu);
}

static bool is_fixed(const struct coresight *pmu, unsigned int number)
{
	return pmu->config.read_only_configuration ||
	       syspmu_test_bit(&pmu->config.fixed, number);
}

/* Where the monitor that is read at a place is: the cycle counter may have two places. */
static unsigned int monitor_at(const struct coresight *pmu, unsigned int index)
{
	if (pmu->config.cycle_counter_at_03c && index == 15)
		return CORESIGHT_CYCLE_COUNTER;
	return index;
}

static bool is_elsewhere(const struct coresight *pmu, unsigned int index)
{
	return pmu->config.no_cycle_counter_at_07c && index == CORESIGHT_CYCLE_COUNTER;
}

static uint32_t cntr_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct coresight *pmu = const_coresight(model);

	if (is_elsewhere(pmu, index))
		return 0;
	return syspmu_counter_read(model, monitor_at(pmu, index), word);
}

static void cntr_write(struct syspmu_model *model, unsigned int index, unsigned int word,
		       uint32_t value)
{
	const struct coresight *pmu = const_coresight(model);

	if (is_writable(pmu) && !is_elsewhere(pmu, index))
		syspmu_counter_write(model, monitor_at(pmu, index), word, value);
}

/* PMCCFILTR is where the type of monitor 31 would be. */
static uint32_t type_mask(const struct coresight *pmu, unsigned int number)
{
	if (!has_monitor(pmu, number))
		return 0;
	if (coresight_is_cycle_counter(pmu, number))
		return pmu->config.cycle_filter_bits;
	return pmu->config.type_bits;
}

static uint32_t type_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct coresight *pmu = const_coresight(model);

	if (!has_monitor(pmu, index) || coresight_is_cycle_counter(pmu, index) ||
	    is_fixed(pmu, index))
		return pmu->type[index];
	return pmu->type[index] | (pmu->config.type_value & ~pmu->config.type_bits);
}

static void type_write(struct syspmu_model *model, unsigned int index, unsigned int word,
		       uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (is_configurable(pmu) && !is_fixed(pmu, index))
		pmu->type[index] = value & type_mask(pmu, index);
}

static uint32_t filter_mask(const struct coresight *pmu, unsigned int number, uint32_t bits)
{
	return has_monitor(pmu, number) && !coresight_is_cycle_counter(pmu, number) ? bits : 0;
}

static uint32_t filter_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	return const_coresight(model)->filter[index];
}

static void filter_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (is_configurable(pmu))
		pmu->filter[index] = value & filter_mask(pmu, index, pmu->config.filter_bits);
}

static uint32_t filter2_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	return const_coresight(model)->filter2[index];
}

static void filter2_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (is_configurable(pmu))
		pmu->filter2[index] = value & filter_mask(pmu, index, pmu->config.filter2_bits);
}

/* Rule FQFQP. */
static uint32_t impdefs_in_page(const struct coresight_config *config, unsigned int page)
{
	if (!config->dual_page)
		return config->impdef;
	return config->impdef &
	       ((page ? config->impdef_page_1 : ~config->impdef_page_1) |
		config->impdef_both_pages);
}

static uint32_t impdef_read_in(const struct syspmu_model *model, unsigned int page,
			       unsigned int index)
{
	const struct coresight *pmu = const_coresight(model);

	return impdefs_in_page(&pmu->config, page) >> index & 1 ? pmu->impdef[index] : 0;
}

static void impdef_write_in(struct syspmu_model *model, unsigned int page, unsigned int index,
			    uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (impdefs_in_page(&pmu->config, page) >> index & 1)
		pmu->impdef[index] = value;
}

static uint32_t impdef_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	return impdef_read_in(model, 0, index);
}

static void impdef_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value)
{
	impdef_write_in(model, 0, index, value);
}

static uint32_t impdef_page_1_read(const struct syspmu_model *model, unsigned int index,
				   unsigned int word)
{
	return impdef_read_in(model, 1, index);
}

static void impdef_page_1_write(struct syspmu_model *model, unsigned int index, unsigned int word,
				uint32_t value)
{
	impdef_write_in(model, 1, index, value);
}

/* The bits of PMCR that keep what is written. */
static uint32_t control_mask(const struct coresight_config *config)
{
	uint32_t mask = CORESIGHT_PMCR_E;

	if (config->prescaler)
		mask |= CORESIGHT_PMCR_D;
	if (config->export_events)
		mask |= CORESIGHT_PMCR_X;
	if (config->cycle_counter)
		mask |= CORESIGHT_PMCR_DP;
	if (config->freeze)
		mask |= CORESIGHT_PMCR_FZO;
	if (config->halt == CORESIGHT_HALT_CONTROL)
		mask |= CORESIGHT_PMCR_HDBG;
	if (config->trace)
		mask |= CORESIGHT_PMCR_TRO;
	return mask;
}

static uint32_t control_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	const struct coresight *pmu = const_coresight(model);

	return pmu->control | (is_writable(pmu) ? 0 : CORESIGHT_PMCR_NA);
}

/* §3.16: neither P nor C changes an overflow flag. */
static void control_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	struct coresight *pmu = to_coresight(model);
	unsigned int i;

	for (i = 0; i < model->counters; i++) {
		uint32_t bit = coresight_is_cycle_counter(pmu, i) ? CORESIGHT_PMCR_C :
								    CORESIGHT_PMCR_P;

		if (value & bit)
			*syspmu_value(model, i) = 0;
	}
	pmu->control = value & control_mask(&pmu->config);
}

static bool accessible(const struct syspmu_model *model)
{
	return !const_coresight(model)->config.closed;
}

static bool is_armed(const struct syspmu_model *model)
{
	return !coresight_is_stopped(const_coresight(model));
}

static void reset_monitors(struct coresight *pmu, uint64_t *seed)
{
	struct syspmu_model *model = &pmu->model;
	unsigned int i;

	for (i = 0; i < model->counters; i++) {
		struct syspmu_counter *counter = &model->counter[i];

		counter->value = syspmu_garbage(seed) & counter->max;
		counter->remainder = 0;
		pmu->type[i] = (uint32_t)syspmu_garbage(seed) & type_mask(pmu, i);
		pmu->filter[i] = (uint32_t)syspmu_garbage(seed) &
				 filter_mask(pmu, i, pmu->config.filter_bits);
		pmu->filter2[i] = (uint32_t)syspmu_garbage(seed) &
				  filter_mask(pmu, i, pmu->config.filter2_bits);
		if (has_monitor(pmu, i) && !coresight_is_cycle_counter(pmu, i) && is_fixed(pmu, i))
			pmu->type[i] = pmu->config.first_fixed + i;
		if (pmu->config.read_only_configuration) {
			pmu->filter[i] = 0;
			pmu->filter2[i] = 0;
		}
	}
	if (pmu->config.cycle_counter && pmu->config.read_only_configuration)
		pmu->type[CORESIGHT_CYCLE_COUNTER] = 0;
}

static void keep_flags_of_counters(const struct syspmu_model *model, struct syspmu_bits *bits)
{
	unsigned int i;

	for (i = 0; i < SYSPMU_MAX_COUNTERS / 64; i++)
		bits->word[i] &= model->overflowing.word[i];
}

/* §3.16: of PMCR, only E has a reset value. */
void coresight_reset(struct syspmu_model *model, uint64_t seed)
{
	struct coresight *pmu = to_coresight(model);
	unsigned int i;

	reset_monitors(pmu, &seed);
	syspmu_garbage_bits(model, &model->enabled, &seed);
	syspmu_garbage_bits(model, &model->irq_enabled, &seed);
	syspmu_garbage_bits(model, &model->overflowed, &seed);
	keep_flags_of_counters(model, &model->irq_enabled);
	keep_flags_of_counters(model, &model->overflowed);
	pmu->control = syspmu_garbage(&seed) & control_mask(&pmu->config) & ~CORESIGHT_PMCR_E;
	for (i = 0; i < CORESIGHT_IMPDEFS; i++)
		pmu->impdef[i] = syspmu_garbage(&seed) & UINT32_MAX;
	coresight_reset_snapshot(pmu, &seed);
	coresight_reset_interrupt(pmu, &seed);

	if (pmu->config.common.running) {
		model->enabled = model->implemented;
		model->irq_enabled = model->overflowing;
		pmu->control |= CORESIGHT_PMCR_E;
	}
}

static void add(struct coresight *pmu, const struct syspmu_register reg)
{
	pmu->registers[pmu->ops.register_count++] = reg;
}

static void add_counters(struct coresight *pmu)
{
	unsigned int pairs = SYSPMU_PAGE_0 | SYSPMU_PAIRS;
	/* Monitors of up to 32 bits take half of the place: 256 of them, as of others 128. */
	uint32_t value_bytes = 0x400;

	add(pmu, (struct syspmu_register){ CORESIGHT_PMEVCNTR, value_bytes, SYSPMU_COUNTER_WIDTH,
		SYSPMU_PAGE_1 | SYSPMU_COUNT, cntr_read, cntr_write });
	if (pmu->config.snapshot)
		add(pmu, (struct syspmu_register){ CORESIGHT_PMSVR, 4 * CORESIGHT_SAVED_VALUES, 4,
			SYSPMU_PAGE_1 | SYSPMU_COUNT, coresight_saved_read, NULL });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMEVTYPER, 4 * CORESIGHT_MAX_MONITORS, 4,
		SYSPMU_PAGE_0, type_read, type_write });
	if (pmu->config.filter2_bits)
		add(pmu, (struct syspmu_register){ CORESIGHT_PMEVFILT2R, 0x200, 4, SYSPMU_PAGE_0,
			filter2_read, filter2_write });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMEVFILTR, 0x200, 4, SYSPMU_PAGE_0,
		filter_read, filter_write });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMCNTENSET, 0x20, 8, pairs,
		syspmu_enable_read, syspmu_enable_set });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMCNTENCLR, 0x20, 8, pairs,
		syspmu_enable_read, syspmu_enable_clear });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMINTENSET, 0x20, 8, pairs,
		syspmu_irq_enable_read, syspmu_irq_enable_set });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMINTENCLR, 0x20, 8, pairs,
		syspmu_irq_enable_read, syspmu_irq_enable_clear });
	pairs = SYSPMU_PAGE_1 | SYSPMU_PAIRS;
	add(pmu, (struct syspmu_register){ CORESIGHT_PMOVSCLR, 0x20, 8, pairs,
		syspmu_overflow_read, syspmu_overflow_clear });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMOVSSET, 0x20, 8, pairs,
		syspmu_overflow_read, syspmu_overflow_set });
}

static void add_impdef(struct coresight *pmu)
{
	add(pmu, (struct syspmu_register){ CORESIGHT_IMPDEF, 4 * CORESIGHT_IMPDEFS, 4,
		SYSPMU_PAGE_0, impdef_read, impdef_write });
	add(pmu, (struct syspmu_register){ CORESIGHT_IMPDEF, 4 * CORESIGHT_IMPDEFS, 4,
		SYSPMU_PAGE_1, impdef_page_1_read, impdef_page_1_write });
}

static void add_extensions(struct coresight *pmu)
{
	const struct coresight_config *config = &pmu->config;

	if (config->snapshot)
		add(pmu, (struct syspmu_register){ CORESIGHT_PMSSCR, 4, 4, SYSPMU_PAGE_0, NULL,
			coresight_sscr_write });
	if (config->snapshot_reset)
		add(pmu, (struct syspmu_register){ CORESIGHT_PMSSRR, 8, 8, SYSPMU_PAGE_0,
			coresight_ssrr_read, coresight_ssrr_write });
	if (!config->msi)
		return;
	add(pmu, (struct syspmu_register){ CORESIGHT_PMIRQCR0, 8, 8, SYSPMU_PAGE_0,
		coresight_irqcr0_read, coresight_irqcr0_write });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMIRQCR1, 4, 4, SYSPMU_PAGE_0,
		coresight_irqcr1_read, coresight_irqcr1_write });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMIRQCR2, 4, 4, SYSPMU_PAGE_0,
		coresight_irqcr2_read, coresight_irqcr2_write });
	add(pmu, (struct syspmu_register){ CORESIGHT_PMIRQSR, 8, 8, SYSPMU_PAGE_0,
		coresight_irqsr_read, coresight_irqsr_write });
}

static void add_identity(struct coresight *pmu, uint32_t offset, uint32_t bytes,
			 unsigned int width, unsigned int pages,
			 uint32_t (*read)(const struct syspmu_model *model, unsigned int index,
					  unsigned int word))
{
	add(pmu, (struct syspmu_register){ offset, bytes, width, pages | SYSPMU_IDENTITY, read,
		NULL });
}

/* Rule HXZHB: some are in both pages, and of these some differ. */
static void add_identification(struct coresight *pmu)
{
	const struct coresight_config *config = &pmu->config;
	unsigned int both = SYSPMU_PAGE_0 | SYSPMU_PAGE_1;

	add_identity(pmu, CORESIGHT_PMCFGR, 4, 4, SYSPMU_PAGE_0, coresight_cfgr_read);
	add_identity(pmu, CORESIGHT_PMCFGR, 4, 4, SYSPMU_PAGE_1, coresight_cfgr_page_1_read);
	if (config->groups)
		add_identity(pmu, CORESIGHT_PMCGCR, 4 * CORESIGHT_GROUPS_WORDS, 4, SYSPMU_PAGE_0,
			     coresight_cgcr_read);
	add_identity(pmu, CORESIGHT_PMIIDR, 4, 4, both, coresight_iidr_read);
	add_identity(pmu, CORESIGHT_PMCEID, 4 * CORESIGHT_CEIDS, 4, SYSPMU_PAGE_0,
		     coresight_ceid_read);
	add_identity(pmu, CORESIGHT_PMDEVAFF, 8, 8, both, coresight_devaff_read);
	add_identity(pmu, CORESIGHT_PMAUTHSTATUS, 4, 4, SYSPMU_PAGE_0, coresight_authstatus_read);
	add_identity(pmu, CORESIGHT_PMDEVARCH, 4, 4, SYSPMU_PAGE_0, coresight_devarch_read);
	add_identity(pmu, CORESIGHT_PMDEVARCH, 4, 4, SYSPMU_PAGE_1, coresight_devarch_page_1_read);
	add_identity(pmu, CORESIGHT_PMDEVID, 4, 4, config->devid_in_page_1 ? both : SYSPMU_PAGE_0,
		     coresight_devid_read);
	add_identity(pmu, CORESIGHT_PMDEVTYPE, 4, 4, SYSPMU_PAGE_0, coresight_devtype_read);
	add_identity(pmu, CORESIGHT_PMDEVTYPE, 4, 4, SYSPMU_PAGE_1, coresight_devtype_page_1_read);
	if (config->coresight_ids)
		add_identity(pmu, CORESIGHT_PMPIDR4, 0x30, 4, both, coresight_id_read);
}

void coresight_add_registers(struct coresight *pmu)
{
	add_counters(pmu);
	add_impdef(pmu);
	add(pmu, (struct syspmu_register){ CORESIGHT_PMCR, 4, 4, SYSPMU_PAGE_0, control_read,
		control_write });
	add_extensions(pmu);
	add_identification(pmu);
}

const char *coresight_init(struct coresight *pmu, const struct coresight_config *config,
			   const struct syspmu_owner *owner)
{
	const char *message = coresight_check_config(config);
	struct syspmu_bits numbers;
	unsigned int i;

	if (message)
		return message;

	memset(pmu, 0, sizeof(*pmu));
	pmu->config = *config;
	pmu->ops = (struct syspmu_ops) {
		.registers = pmu->registers,
		.cycles = CORESIGHT_CYCLES,
		.reset = coresight_reset,
		.accessible = accessible,
		.update = coresight_update,
		.event = coresight_event,
		.counted = coresight_counted,
		.includes = coresight_includes,
		.rate = coresight_rate,
		.capture = config->snapshot_signal ? coresight_capture : NULL,
		.is_armed = is_armed,
		.message = coresight_message,
		.message_aborted = coresight_message_aborted,
	};
	syspmu_init(&pmu->model, &pmu->ops, &config->common, owner);
	pmu->model.two_pages = config->dual_page;
	coresight_numbers(config, &numbers);
	for (i = 0; i < CORESIGHT_MAX_MONITORS; i++) {
		if (!syspmu_test_bit(&numbers, i))
			continue;
		if (syspmu_test_bit(&config->gauges, i))
			syspmu_add_gauge(&pmu->model, i, coresight_width(config, i));
		else
			syspmu_add_counter(&pmu->model, i, coresight_width(config, i));
	}
	coresight_add_registers(pmu);
	return NULL;
}
