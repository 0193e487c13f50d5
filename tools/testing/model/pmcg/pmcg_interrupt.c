// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt of a PMCG, wired or by message: IHI 0070 §10.2.1 and §10.5.2.19 to
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
 * With an address of zero no MSI is sent (§10.5.2.21), and without CFGR.MSI it is
 * always zero: the wired output, where there is one, takes its place.
 */
static bool by_message(const struct pmcg *pmcg)
{
	return pmcg->irq_address;
}

/* §10.2.1 lets a PMCG have both outputs at once. */
static bool by_edge(const struct pmcg *pmcg)
{
	return !by_message(pmcg) || pmcg->config.edge_beside_msi;
}

static void send_message(struct pmcg *pmcg)
{
	const struct pmcg_message message = {
		.address = pmcg->irq_address,
		.data = pmcg->irq_data,
		.memory_attributes = pmcg->irq_attributes & PMCG_IRQ_CFG2_MEMATTR,
		.shareability = shareability(pmcg->irq_attributes),
		.partid = pmcg->gmpam & PMCG_GMPAM_PO_PARTID,
		.pmg = (uint8_t)(pmcg->gmpam >> PMCG_GMPAM_PO_PMG_SHIFT),
	};
	bool aborted = pmcg->msi_fate == PMCG_MSI_ABORTED;

	if (pmcg->msi_fate == PMCG_MSI_DELIVERED && pmcg->msi)
		aborted = !pmcg->msi(pmcg->opaque, &message);
	/* SMMUv3.0 has no IRQ_STATUS (§10.5.2.24). */
	if (aborted && pmcg->config.aidr & PMCG_AIDR_MINOR)
		pmcg->irq_status |= PMCG_IRQ_STATUS_IRQ_ABT;
}

/* IRQ_CFG0 to 2 are guarded as long as anything can be held: they are what they were. */
static void deliver(struct pmcg *pmcg)
{
	if (by_message(pmcg))
		send_message(pmcg);
	if (by_edge(pmcg) && pmcg->interrupt)
		pmcg->interrupt(pmcg->opaque);
}

static void deliver_held(struct pmcg *pmcg)
{
	if (!pmcg->held)
		return;
	pmcg->held = false;
	deliver(pmcg);
}

void pmcg_interrupt(struct pmcg *pmcg)
{
	if (by_message(pmcg))
		pmcg->messages++;
	if (by_edge(pmcg))
		pmcg->interrupt_edges++;

	if (pmcg->hold)
		pmcg->held = true;
	else
		deliver(pmcg);
}

void pmcg_hold_interrupts(struct pmcg *pmcg, bool hold)
{
	pmcg->hold = hold;
	if (!hold)
		deliver_held(pmcg);
}

bool pmcg_holds_interrupts(const struct pmcg *pmcg)
{
	return pmcg->hold;
}

/* Once IRQEN 0 is acknowledged no interrupt may become visible any more (§10.5.2.19). */
static void complete_update(struct pmcg *pmcg)
{
	if (!(pmcg->irq_control & PMCG_IRQ_CTRL_IRQEN))
		deliver_held(pmcg);
	pmcg->irq_acknowledged = pmcg->irq_control;
}

/*
 * IRQEN decides about triggering at once. IRQ_ABT is cleared at the beginning of an
 * Update: an abort between here and its end belongs to the new period. A write back to
 * the old value ends an Update.
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

void pmcg_set_msi_fate(struct pmcg *pmcg, enum pmcg_msi_fate fate)
{
	pmcg->msi_fate = fate;
}

enum pmcg_msi_fate pmcg_msi_fate(const struct pmcg *pmcg)
{
	return pmcg->msi_fate;
}

uint64_t pmcg_interrupt_edges(const struct pmcg *pmcg)
{
	return pmcg->interrupt_edges;
}

uint64_t pmcg_messages(const struct pmcg *pmcg)
{
	return pmcg->messages;
}
