// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt of a PMU, wired or MSI.
 */
#include "syspmu_private.h"

static void drive_irq(struct syspmu_model *model, bool level)
{
	if (level == model->driven_level)
		return;
	model->driven_level = level;
	if (model->owner.irq)
		model->owner.irq(model->owner.opaque, level);
}

void syspmu_drive_level(struct syspmu_model *model)
{
	bool driven = !model->config.irq_edge && !model->dead && !model->hold;

	drive_irq(model, driven && model->irq_level);
}

static void send_message(struct syspmu_model *model, const struct syspmu_message *message)
{
	bool aborted = model->msi_fate == SYSPMU_MSI_ABORTED;

	if (message->secure)
		return;
	if (model->msi_fate == SYSPMU_MSI_DELIVERED && model->owner.msi)
		aborted = !model->owner.msi(model->owner.opaque, message);
	if (aborted)
		model->ops->message_aborted(model);
}

/* An edge-triggered irq goes low at once, a level-sensitive one when it is deasserted. */
static void deliver(struct syspmu_model *model)
{
	struct syspmu_message message;
	bool by_message = model->ops->message(model, &message);

	if (by_message)
		send_message(model, &message);
	if (!by_message || model->config.irq_beside_msi) {
		drive_irq(model, true);
		syspmu_drive_level(model);
	}
}

void syspmu_deliver_held(struct syspmu_model *model)
{
	if (!model->held)
		return;
	model->held = false;
	deliver(model);
}

void syspmu_interrupt(struct syspmu_model *model)
{
	struct syspmu_message message;
	bool by_message = model->ops->message(model, &message);

	if (by_message)
		model->messages++;
	if (!by_message || model->config.irq_beside_msi)
		model->irq_edges++;

	if (model->hold)
		model->held = true;
	else
		deliver(model);
}

/* A level that ends while it is held back is not delivered; an edge or an MSI still is. */
static void lower_irq(struct syspmu_model *model)
{
	struct syspmu_message message;

	if (!model->hold)
		drive_irq(model, false);
	else if (!model->config.irq_edge && !model->ops->message(model, &message))
		model->held = false;
}

void syspmu_set_irq_level(struct syspmu_model *model, bool level)
{
	bool changes = level != model->irq_level;

	model->irq_level = level;
	if (changes && level)
		syspmu_interrupt(model);
	else if (changes)
		lower_irq(model);
}

void syspmu_hold_interrupts(struct syspmu_model *model, bool hold)
{
	model->hold = hold;
	if (hold)
		return;
	syspmu_deliver_held(model);
	if (!model->irq_level)
		drive_irq(model, false);
}

bool syspmu_holds_interrupts(const struct syspmu_model *model)
{
	return model->hold;
}

void syspmu_set_msi_fate(struct syspmu_model *model, enum syspmu_msi_fate fate)
{
	model->msi_fate = fate;
}

enum syspmu_msi_fate syspmu_msi_fate(const struct syspmu_model *model)
{
	return model->msi_fate;
}

uint64_t syspmu_irq_edges(const struct syspmu_model *model)
{
	return model->irq_edges;
}

uint64_t syspmu_messages(const struct syspmu_model *model)
{
	return model->messages;
}

void syspmu_reset_interrupts(struct syspmu_model *model)
{
	model->held = false;
	model->msi_fate = SYSPMU_MSI_DELIVERED;
	model->irq_edges = 0;
	model->messages = 0;
}
