// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt of a PMCG, wired or MSI: IHI 0070 §10.2.1 and §10.5.2.19 to
 * §10.5.2.24.
 */
#include "pmcg_private.h"

enum shareability {
	NON_SHAREABLE,
	RESERVED_SHAREABILITY,
	OUTER_SHAREABLE,
	INNER_SHAREABLE,
};

/* §10.5.2.23; MEMATTR is encoded as STE.MemAttr, whose Device types are 0 to 3 (§5.2). */
static uint8_t shareability(uint32_t attributes)
{
	uint8_t value = (uint8_t)(attributes >> PMCG_IRQ_CFG2_SH_SHIFT);

	if (!(attributes & PMCG_IRQ_CFG2_MEMATTR_NORMAL))
		return OUTER_SHAREABLE;
	return value == RESERVED_SHAREABILITY ? NON_SHAREABLE : value;
}

/*
 * With an address of zero no MSI is sent (§10.5.2.21), and without CFGR.MSI it is always
 * zero: the irq, if there is one, is used instead. IRQ_CFG0 to 2 cannot change while an
 * interrupt is held back, so this is the same message before and after.
 */
bool pmcg_message(const struct syspmu_model *model, struct syspmu_message *message)
{
	const struct pmcg *pmcg = const_pmcg(model);

	*message = (struct syspmu_message) {
		.address = pmcg->irq_address,
		.data = pmcg->irq_data,
		.memory_attributes = pmcg->irq_attributes & PMCG_IRQ_CFG2_MEMATTR,
		.shareability = shareability(pmcg->irq_attributes),
		.partid = pmcg->gmpam & PMCG_GMPAM_PO_PARTID,
		.pmg = (uint8_t)(pmcg->gmpam >> PMCG_GMPAM_PO_PMG_SHIFT),
	};
	return message->address;
}

void pmcg_message_aborted(struct syspmu_model *model)
{
	struct pmcg *pmcg = to_pmcg(model);

	/* SMMUv3.0 has no IRQ_STATUS (§10.5.2.24). */
	if (pmcg->config.aidr & PMCG_AIDR_MINOR)
		pmcg->irq_status |= PMCG_IRQ_STATUS_IRQ_ABT;
}

/* After the acknowledgment of IRQEN 0 no interrupt may become visible (§10.5.2.19). */
static void complete_update(struct pmcg *pmcg)
{
	if (!(pmcg->irq_control & PMCG_IRQ_CTRL_IRQEN))
		syspmu_deliver_held(&pmcg->model);
	pmcg->irq_acknowledged = pmcg->irq_control;
}

/*
 * IRQEN takes effect at once for new overflows. IRQ_ABT is cleared at the beginning of an
 * Update, so that it reports an abort before the end of the Update. A write back to the
 * old value ends an Update.
 */
void pmcg_update_irqen(struct pmcg *pmcg, uint32_t value)
{
	value &= PMCG_IRQ_CTRL_IRQEN;
	if (value == pmcg->irq_control)
		return;
	if (value)
		pmcg->irq_status = 0;
	pmcg->irq_control = value;
	pmcg->acknowledge_reads = pmcg->acknowledge_delay;
	if (!pmcg->acknowledge_reads || value == pmcg->irq_acknowledged)
		complete_update(pmcg);
}

void pmcg_acknowledgment_was_read(struct pmcg *pmcg)
{
	if (pmcg->irq_acknowledged == pmcg->irq_control)
		return;
	if (!--pmcg->acknowledge_reads)
		complete_update(pmcg);
}

void pmcg_delay_acknowledgment(struct pmcg *pmcg, uint32_t reads)
{
	pmcg->acknowledge_delay = reads;
}

uint32_t pmcg_acknowledgment_delay(const struct pmcg *pmcg)
{
	return pmcg->acknowledge_delay;
}
