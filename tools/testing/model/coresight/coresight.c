// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a PMU of the CoreSight PMU Architecture and their access rules: IHI 0091 chapter
 * 3.
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
	return !pmu->config.no_write_access || (coresight_is_stopped(pmu) && !pmu->stuck);
}

static bool is_fixed(const struct coresight *pmu, unsigned int number)
{
	return syspmu_test_bit(&pmu->config.fixed, number);
}

/* The monitor that is read at an index: the cycle counter may be at two. */
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
	if (syspmu_test_bit(&pmu->wrapping, index))
		return syspmu_word(model->counter[index].max, word);
	return syspmu_counter_read(model, monitor_at(pmu, index), word);
}

static void cntr_write(struct syspmu_model *model, unsigned int index, unsigned int word,
		       uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (!is_writable(pmu) || pmu->config.read_only_values || is_elsewhere(pmu, index))
		return;
	syspmu_clear_bit(&pmu->wrapping, index);
	syspmu_counter_write(model, monitor_at(pmu, index), word, value);
}

/* Even monitors show their wrap after this many reads of monitors. */
static void was_read(struct syspmu_model *model, const struct syspmu_register *reg)
{
	struct coresight *pmu = to_coresight(model);

	if (reg->flags & SYSPMU_COUNT && pmu->wrapping_reads && !--pmu->wrapping_reads)
		memset(&pmu->wrapping, 0, sizeof(pmu->wrapping));
}

/* With the 64-bit extension, these registers have an upper half. */
static uint64_t configuration_mask(const struct coresight *pmu, uint32_t bits)
{
	return bits | (pmu->config.ext64 ? syspmu_in_word(UINT32_MAX, 1) : 0);
}

/* PMCCFILTR is at the offset of the type of monitor 31. */
static uint64_t type_mask(const struct coresight *pmu, unsigned int number)
{
	if (!has_monitor(pmu, number))
		return 0;
	if (coresight_is_cycle_counter(pmu, number))
		return pmu->config.cycle_filter_bits;
	return configuration_mask(pmu, pmu->config.type_bits);
}

static uint32_t type_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct coresight *pmu = const_coresight(model);
	uint64_t type = pmu->type[index];

	if (has_monitor(pmu, index) && !coresight_is_cycle_counter(pmu, index) &&
	    !is_fixed(pmu, index))
		type |= pmu->config.type_value & ~pmu->config.type_bits;
	return syspmu_word(type, word);
}

static void type_write(struct syspmu_model *model, unsigned int index, unsigned int word,
		       uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (is_writable(pmu) && !is_fixed(pmu, index))
		pmu->type[index] = syspmu_with_word(pmu->type[index], word, value) &
				   type_mask(pmu, index);
}

/* There is space for the filters of 128 monitors. */
static uint64_t filter_mask(const struct coresight *pmu, unsigned int number, uint32_t bits)
{
	if (number > 127 || !bits || !has_monitor(pmu, number) ||
	    coresight_is_cycle_counter(pmu, number) ||
	    syspmu_test_bit(&pmu->config.unfiltered, number))
		return 0;
	return configuration_mask(pmu, bits);
}

static uint32_t filter_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	return syspmu_word(const_coresight(model)->filter[index], word);
}

static void filter_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (is_writable(pmu))
		pmu->filter[index] = syspmu_with_word(pmu->filter[index], word, value) &
				     filter_mask(pmu, index, pmu->config.filter_bits);
}

static uint32_t filter2_read(const struct syspmu_model *model, unsigned int index,
			     unsigned int word)
{
	return syspmu_word(const_coresight(model)->filter2[index], word);
}

static void filter2_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (is_writable(pmu))
		pmu->filter2[index] = syspmu_with_word(pmu->filter2[index], word, value) &
				      filter_mask(pmu, index, pmu->config.filter2_bits);
}

static uint32_t impdef_read(const struct syspmu_model *model, unsigned int index, unsigned int word)
{
	const struct coresight *pmu = const_coresight(model);

	return pmu->config.impdef >> index & 1 ? pmu->impdef[index] : 0;
}

static void impdef_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value)
{
	to_coresight(model)->impdef[index] = value;
}

/* The bits of PMCR that keep what is written to them. */
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

	if (word)
		return 0;
	return pmu->control | (is_writable(pmu) ? 0 : CORESIGHT_PMCR_NA);
}

/* §3.16: neither P nor C changes an overflow flag. */
static void control_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			  uint32_t value)
{
	struct coresight *pmu = to_coresight(model);
	unsigned int i;

	if (word)
		return;
	for (i = 0; i < model->counters; i++) {
		uint32_t bit = coresight_is_cycle_counter(pmu, i) ? CORESIGHT_PMCR_C :
								    CORESIGHT_PMCR_P;

		if (value & bit)
			*syspmu_value(model, i) = 0;
	}
	pmu->control = value & control_mask(&pmu->config);
}

static void irq_enable_set(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value)
{
	if (!const_coresight(model)->config.no_interrupts)
		syspmu_irq_enable_set(model, index, word, value);
}

static void overflow_set(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value)
{
	if (!const_coresight(model)->config.no_overflow_set)
		syspmu_overflow_set(model, index, word, value);
}

static void enable_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			 uint32_t value)
{
	syspmu_enable_clear(model, index, word, ~value);
	syspmu_enable_set(model, index, word, value);
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
		pmu->type[i] = syspmu_garbage(seed) & type_mask(pmu, i);
		pmu->filter[i] = syspmu_garbage(seed) &
				 filter_mask(pmu, i, pmu->config.filter_bits);
		pmu->filter2[i] = syspmu_garbage(seed) &
				  filter_mask(pmu, i, pmu->config.filter2_bits);
		if (has_monitor(pmu, i) && !coresight_is_cycle_counter(pmu, i) && is_fixed(pmu, i))
			pmu->type[i] = pmu->config.first_fixed + i;
	}
}

static void keep_flags_of_counters(const struct syspmu_model *model, struct syspmu_bits *bits)
{
	unsigned int i;

	for (i = 0; i < SYSPMU_MAX_COUNTERS / 64; i++)
		bits->word[i] &= model->overflowing.word[i];
}

/* §3.16: of PMCR, only E has a reset value. */
static void reset(struct syspmu_model *model, uint64_t seed)
{
	struct coresight *pmu = to_coresight(model);
	unsigned int i;

	reset_monitors(pmu, &seed);
	memset(&pmu->wrapping, 0, sizeof(pmu->wrapping));
	pmu->wrapping_reads = 0;
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
	if (pmu->config.no_interrupts)
		memset(&model->irq_enabled, 0, sizeof(model->irq_enabled));
}

/* Rules XZWHB to MLQHD: the registers in page 1, if there are two pages. */
static const struct syspmu_register values[] = {
	{ CORESIGHT_PMEVCNTR, 0x400, SYSPMU_COUNTER_WIDTH, SYSPMU_PAGE_1 | SYSPMU_COUNT,
	  cntr_read, cntr_write },
};

/* Before the types in the table, which overlap with it if there are 128 monitors or more. */
static const struct syspmu_register saved_values[] = {
	{ CORESIGHT_PMSVR, 4 * CORESIGHT_SAVED_VALUES, 4, SYSPMU_PAGE_1 | SYSPMU_COUNT,
	  coresight_saved_read, NULL },
	{ CORESIGHT_PMSSCR, 4, 4, SYSPMU_PAGE_0, NULL, coresight_sscr_write },
};

static const struct syspmu_register snapshot_reset[] = {
	{ CORESIGHT_PMSSRR, 8, 8, SYSPMU_PAGE_0, coresight_ssrr_read, coresight_ssrr_write },
};

static const struct syspmu_register configuration[] = {
	{ CORESIGHT_PMEVTYPER, 4 * CORESIGHT_MAX_MONITORS, 4, SYSPMU_PAGE_0, type_read,
	  type_write },
	{ CORESIGHT_PMEVFILT2R, 0x200, 4, SYSPMU_PAGE_0, filter2_read, filter2_write },
	{ CORESIGHT_PMEVFILTR, 0x200, 4, SYSPMU_PAGE_0, filter_read, filter_write },
	{ CORESIGHT_PMCR, 4, 4, SYSPMU_PAGE_0, control_read, control_write },
};

/* As in Linux 7.3: each monitor takes twice the space, so there is space for half as many. */
static const struct syspmu_register configuration_64[] = {
	{ CORESIGHT_PMEVTYPER, 0x200, 8, SYSPMU_PAGE_0, type_read, type_write },
	{ CORESIGHT_PMEVFILT2R, 0x200, 8, SYSPMU_PAGE_0, filter2_read, filter2_write },
	{ CORESIGHT_PMEVFILTR, 0x200, 8, SYSPMU_PAGE_0, filter_read, filter_write },
	{ CORESIGHT_PMCNTEN, 8, 8, SYSPMU_PAGE_0, syspmu_enable_read, enable_write },
	{ CORESIGHT_PMCR_64, 8, 8, SYSPMU_PAGE_0, control_read, control_write },
};

static const struct syspmu_register bits[] = {
	{ CORESIGHT_PMCNTENSET, 0x20, 8, SYSPMU_PAGE_0 | SYSPMU_PAIRS, syspmu_enable_read,
	  syspmu_enable_set },
	{ CORESIGHT_PMCNTENCLR, 0x20, 8, SYSPMU_PAGE_0 | SYSPMU_PAIRS, syspmu_enable_read,
	  syspmu_enable_clear },
	{ CORESIGHT_PMINTENSET, 0x20, 8, SYSPMU_PAGE_0 | SYSPMU_PAIRS, syspmu_irq_enable_read,
	  irq_enable_set },
	{ CORESIGHT_PMINTENCLR, 0x20, 8, SYSPMU_PAGE_0 | SYSPMU_PAIRS, syspmu_irq_enable_read,
	  syspmu_irq_enable_clear },
	{ CORESIGHT_PMOVSCLR, 0x20, 8, SYSPMU_PAGE_1 | SYSPMU_PAIRS, syspmu_overflow_read,
	  syspmu_overflow_clear },
	{ CORESIGHT_PMOVSSET, 0x20, 8, SYSPMU_PAGE_1 | SYSPMU_PAIRS, syspmu_overflow_read,
	  overflow_set },
	{ CORESIGHT_IMPDEF, 4 * CORESIGHT_IMPDEFS, 4, SYSPMU_PAGE_0, impdef_read, impdef_write },
};

static const struct syspmu_register messages[] = {
	{ CORESIGHT_PMIRQCR0, 8, 8, SYSPMU_PAGE_0, coresight_irqcr0_read,
	  coresight_irqcr0_write },
	{ CORESIGHT_PMIRQCR1, 4, 4, SYSPMU_PAGE_0, coresight_irqcr1_read,
	  coresight_irqcr1_write },
	{ CORESIGHT_PMIRQCR2, 4, 4, SYSPMU_PAGE_0, coresight_irqcr2_read,
	  coresight_irqcr2_write },
	{ CORESIGHT_PMIRQSR, 8, 8, SYSPMU_PAGE_0, coresight_irqsr_read, coresight_irqsr_write },
};

#define IN_PAGE_0	(SYSPMU_PAGE_0 | SYSPMU_IDENTITY)
#define IN_PAGE_1	(SYSPMU_PAGE_1 | SYSPMU_IDENTITY)
#define IN_BOTH_PAGES	(SYSPMU_PAGE_0 | SYSPMU_PAGE_1 | SYSPMU_IDENTITY)

/* Rule HXZHB: some are in both pages, and some of these differ. */
static const struct syspmu_register identification[] = {
	{ CORESIGHT_PMCGCR, 4 * CORESIGHT_GROUPS_WORDS, 4, IN_PAGE_0, coresight_cgcr_read, NULL },
	{ CORESIGHT_PMCFGR, 4, 4, IN_PAGE_0, coresight_cfgr_read, NULL },
	{ CORESIGHT_PMCFGR, 4, 4, IN_PAGE_1, coresight_cfgr_page_1_read, NULL },
	{ CORESIGHT_PMIIDR, 4, 4, IN_BOTH_PAGES, coresight_iidr_read, NULL },
	{ CORESIGHT_PMCEID, 4 * CORESIGHT_CEIDS, 4, IN_PAGE_0, coresight_ceid_read, NULL },
	{ CORESIGHT_PMAUTHSTATUS, 4, 4, IN_PAGE_0, coresight_authstatus_read, NULL },
	{ CORESIGHT_PMDEVARCH, 4, 4, IN_PAGE_0, coresight_devarch_read, NULL },
	{ CORESIGHT_PMDEVARCH, 4, 4, IN_PAGE_1, coresight_devarch_page_1_read, NULL },
	{ CORESIGHT_PMDEVTYPE, 4, 4, IN_PAGE_0, coresight_devtype_read, NULL },
	{ CORESIGHT_PMDEVTYPE, 4, 4, IN_PAGE_1, coresight_devtype_page_1_read, NULL },
	{ CORESIGHT_PMPIDR4, 0x30, 4, IN_BOTH_PAGES, coresight_id_read, NULL },
};

static void add(struct coresight *pmu, const struct syspmu_register *registers, size_t count)
{
	memcpy(&pmu->registers[pmu->ops.register_count], registers, count * sizeof(*registers));
	pmu->ops.register_count += count;
}

#define COUNT(registers) (sizeof(registers) / sizeof((registers)[0]))

static void add_registers(struct coresight *pmu)
{
	add(pmu, values, COUNT(values));
	if (pmu->config.snapshot)
		add(pmu, saved_values, COUNT(saved_values));
	if (pmu->config.snapshot_reset)
		add(pmu, snapshot_reset, COUNT(snapshot_reset));
	if (pmu->config.ext64)
		add(pmu, configuration_64, COUNT(configuration_64));
	else
		add(pmu, configuration, COUNT(configuration));
	add(pmu, bits, COUNT(bits));
	if (pmu->config.msi)
		add(pmu, messages, COUNT(messages));
	add(pmu, identification, COUNT(identification));
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
		.reset = reset,
		.accessible = accessible,
		.was_read = was_read,
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
	add_registers(pmu);
	return NULL;
}

void coresight_stick(struct coresight *pmu, bool stuck)
{
	pmu->stuck = stuck;
}
