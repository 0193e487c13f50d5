// SPDX-License-Identifier: GPL-2.0
/*
 * Counting, overflow and capture of a PMCG: IHI 0070 §10.2.1.
 */
#include "pmcg_private.h"

/* The counter whose EVTYPER and SMR hold the filter of a counter. */
static unsigned int filter_index(const struct pmcg *pmcg, unsigned int counter)
{
	return pmcg->config.global_filter ? 0 : counter;
}

struct syspmu_counted pmcg_counted(const struct syspmu_model *model, unsigned int counter)
{
	const struct pmcg *pmcg = const_pmcg(model);
	unsigned int filter = filter_index(pmcg, counter);

	return (struct syspmu_counted) {
		.type = pmcg->type[counter],
		.filter = pmcg->type[filter] & ~(PMCG_EVTYPER_EVENT | PMCG_EVTYPER_OVFCAP),
		.match = pmcg->stream_match[filter],
	};
}

bool pmcg_includes(const struct syspmu_model *model, const struct syspmu_counted *counted,
		   const struct syspmu_event *event)
{
	return (counted->type & PMCG_EVTYPER_EVENT) == event->number &&
	       pmcg_filter_match(&const_pmcg(model)->config, counted->filter, counted->match,
				 event);
}

void pmcg_capture(struct pmcg *pmcg)
{
	unsigned int i;

	for (i = 0; i < pmcg->config.counters; i++)
		pmcg->shadow[i] = *syspmu_value(&pmcg->model, i);
}

/*
 * Neither capture nor interrupt depend on the old overflow status. The interrupt is raised last,
 * so that its handler can read the overflow status and the captured values.
 */
void pmcg_event(struct syspmu_model *model, const struct syspmu_event *event, uint64_t n)
{
	struct pmcg *pmcg = to_pmcg(model);
	struct syspmu_overflows overflows;

	syspmu_count(model, event, n, &overflows);
	if (overflows.types & PMCG_EVTYPER_OVFCAP)
		pmcg_capture(pmcg);
	if (syspmu_intersects(&overflows.counters, &model->irq_enabled) &&
	    pmcg->irq_control & PMCG_IRQ_CTRL_IRQEN)
		syspmu_interrupt(model);
}
