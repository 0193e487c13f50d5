// SPDX-License-Identifier: GPL-2.0
/*
 * MSIs of a PMU: IHI 0091 §2.2.4 and §3.28 to §3.31.
 */
#include "coresight_private.h"

enum shareability {
	NON_SHAREABLE,
	RESERVED_SHAREABILITY,
	OUTER_SHAREABLE,
	INNER_SHAREABLE,
};

/* Of the 56 bits, 48 are implemented. */
#define ADDRESS_BITS	48

static uint64_t address_mask(void)
{
	return syspmu_ones(ADDRESS_BITS) & ~syspmu_ones(CORESIGHT_PMIRQCR0_ADDR_LOW);
}

static uint32_t control_mask(const struct coresight_config *config)
{
	uint32_t mask = config->msi_always ? 0 : CORESIGHT_PMIRQCR2_MSIEN;

	return config->msi_attributes ? mask | CORESIGHT_PMIRQCR2_ATTRIBUTES : mask;
}

/* §3.30: only Normal memory has a shareability. */
static uint8_t shareability(uint32_t control)
{
	uint8_t value = control >> CORESIGHT_PMIRQCR2_SH_SHIFT & 3;

	if (!(control & CORESIGHT_PMIRQCR2_MEMATTR_NORMAL) ||
	    (control & CORESIGHT_PMIRQCR2_MEMATTR) == 5)
		return OUTER_SHAREABLE;
	return value == RESERVED_SHAREABILITY ? NON_SHAREABLE : value;
}

uint32_t coresight_irqcr0_read(const struct syspmu_model *model, unsigned int index,
			       unsigned int word)
{
	return syspmu_word(const_coresight(model)->irq_address, word);
}

void coresight_irqcr0_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			    uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	pmu->irq_address = syspmu_with_word(pmu->irq_address, word, value) &
			   address_mask();
}

uint32_t coresight_irqcr1_read(const struct syspmu_model *model, unsigned int index,
			       unsigned int word)
{
	return const_coresight(model)->irq_data;
}

void coresight_irqcr1_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			    uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (!pmu->config.msi_secure)
		pmu->irq_data = value;
}

uint32_t coresight_irqcr2_read(const struct syspmu_model *model, unsigned int index,
			       unsigned int word)
{
	return const_coresight(model)->irq_control;
}

void coresight_irqcr2_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			    uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (!pmu->config.msi_secure)
		pmu->irq_control = value & control_mask(&pmu->config);
}

/* An MSI that is held back is a write in progress. */
uint32_t coresight_irqsr_read(const struct syspmu_model *model, unsigned int index,
			      unsigned int word)
{
	const struct coresight *pmu = const_coresight(model);
	struct syspmu_message message;

	if (word)
		return 0;
	return pmu->irq_error |
	       (model->held && coresight_message(model, &message) ? CORESIGHT_PMIRQSR_IRQ : 0);
}

void coresight_irqsr_write(struct syspmu_model *model, unsigned int index, unsigned int word,
			   uint32_t value)
{
	struct coresight *pmu = to_coresight(model);

	if (!word && !pmu->config.msi_secure)
		pmu->irq_error &= ~value;
}

/* While MSIs are disabled, the irq is used if there is one. */
bool coresight_message(const struct syspmu_model *model, struct syspmu_message *message)
{
	const struct coresight *pmu = const_coresight(model);

	*message = (struct syspmu_message) {
		.secure = pmu->config.msi_secure,
		.address = pmu->irq_address,
		.data = pmu->irq_data,
		.memory_attributes = pmu->irq_control & CORESIGHT_PMIRQCR2_MEMATTR,
		.shareability = shareability(pmu->irq_control),
	};
	return pmu->config.msi && (pmu->config.msi_always ||
				   pmu->irq_control & CORESIGHT_PMIRQCR2_MSIEN);
}

void coresight_message_aborted(struct syspmu_model *model)
{
	to_coresight(model)->irq_error = CORESIGHT_PMIRQSR_IRQERR;
}

void coresight_reset_interrupt(struct coresight *pmu, uint64_t *seed)
{
	if (!pmu->config.msi)
		return;
	pmu->irq_address = syspmu_garbage(seed) & address_mask();
	pmu->irq_data = syspmu_garbage(seed) & UINT32_MAX;
	pmu->irq_control = syspmu_garbage(seed) & control_mask(&pmu->config) &
			   CORESIGHT_PMIRQCR2_ATTRIBUTES;
	if (pmu->config.msi_enabled)
		pmu->irq_control |= CORESIGHT_PMIRQCR2_MSIEN;
	pmu->irq_error = syspmu_garbage(seed) & CORESIGHT_PMIRQSR_IRQERR;
}
