// SPDX-License-Identifier: GPL-2.0
/* The PMUs of SMMUv3 Performance Monitor Counter Groups: their events, filters and registers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmcg.h"
#include "reference_driver.h"

#define PMU_PREFIX	"smmuv3_pmcg_"
#define PAGE_0_SHIFT	12

const char * const pmcg_event_names[PMCG_ARCHITECTED_NAMES] = {
	"cycles",
	"transaction",
	"tlb_miss",
	"config_cache_miss",
	"trans_table_walk_access",
	"config_struct_access",
	"pcie_ats_trans_rq",
	"pcie_ats_trans_passed",
};

/**
 * pmcg_has_event() - whether sysfs offers an architected event
 * @pmu: PMU
 * @event: number, below PMCG_ARCHITECTED_NAMES
 *
 * Return: true if the PMU's events directory has it.
 */
bool pmcg_has_event(const struct pmu *pmu, unsigned int event)
{
	char file[64], text[64];

	snprintf(file, sizeof(file), "events/%s", pmcg_event_names[event]);
	return !pmu_attribute(pmu, file, text, sizeof(text));
}

/**
 * pmcg_describe() - fill in the attributes of a counting event
 * @pmu: PMU
 * @attr: to fill in
 * @event: number
 * @filter: or NULL to count every StreamID
 *
 * Return: 0 or as pmu_set_field().
 */
int pmcg_describe(const struct pmu *pmu, struct perf_event_attr *attr,
		  unsigned int event, const struct pmcg_filter *filter)
{
	int error;

	error = pmu_describe(pmu, attr, event);
	if (error || !filter)
		return error;
	error = pmu_set_field(pmu, attr, "filter_enable", filter->enable);
	if (error)
		return error;
	error = pmu_set_field(pmu, attr, "filter_span", filter->span);
	if (error)
		return error;
	return pmu_set_field(pmu, attr, "filter_stream_id", filter->stream_id);
}

/**
 * pmcg_open_filtered() - open a counting event
 * @pmu: PMU
 * @event: number
 * @filter: or NULL to count every StreamID
 * @group_fd: leader of its group or -1
 *
 * Return: a file descriptor or a negative errno.
 */
int pmcg_open_filtered(const struct pmu *pmu, unsigned int event,
		       const struct pmcg_filter *filter, int group_fd)
{
	struct perf_event_attr attr;
	int error;

	error = pmcg_describe(pmu, &attr, event, filter);
	return error ? error : pmu_open_attr(pmu, &attr, group_fd);
}

/**
 * pmcg_open_pinned() - open a filtered event that perf never takes off its counter
 * @pmu: PMU
 * @event: number
 * @filter: or NULL to count every StreamID
 *
 * Return: a file descriptor or a negative errno.
 */
int pmcg_open_pinned(const struct pmu *pmu, unsigned int event,
		     const struct pmcg_filter *filter)
{
	struct perf_event_attr attr;
	int error;

	error = pmcg_describe(pmu, &attr, event, filter);
	attr.pinned = 1;
	return error ? error : pmu_open_attr(pmu, &attr, -1);
}

/**
 * pmcg_name() - what the PMU of a PMCG must be called
 * @name: receives the name
 * @size: of @name
 * @page_0: physical address of register page 0
 */
void pmcg_name(char *name, size_t size, __u64 page_0)
{
	snprintf(name, size, PMU_PREFIX "%llx", page_0 >> PAGE_0_SHIFT);
}

static void locate(struct pmu *pmu)
{
	pmu->page = strtoull(pmu->name + strlen(PMU_PREFIX), NULL, 16) << PAGE_0_SHIFT;
}

static int filter_source(const struct pmu *pmu, struct perf_event_attr *attr, __u32 source)
{
	return pmu_set_field(pmu, attr, "filter_enable", 1) ?:
	       pmu_set_field(pmu, attr, "filter_stream_id", source);
}

/**
 * pmcg_read_hardware() - decode what only a PMCG has
 * @stimulus: the page, acting on the PMCG
 * @hardware: receives it
 */
void pmcg_read_hardware(struct stimulus *stimulus, struct pmcg_hardware *hardware)
{
	__u32 cfgr = stimulus_peek32(stimulus, PMCG_CFGR);

	hardware->cfgr = cfgr;
	hardware->partid_filter = cfgr & PMCG_CFGR_FILTER_PARTID_PMG;
	stimulus_partid_limits(stimulus, &hardware->partid_max, &hardware->pmg_max);
	hardware->partid_limits = cfgr & PMCG_CFGR_MPAM || stimulus_peek32(stimulus, PMCG_MPAMIDR);
	hardware->ceid[0] = stimulus_peek(stimulus, PMCG_CEID0);
	hardware->ceid[1] = stimulus_peek(stimulus, PMCG_CEID1);
}

/**
 * pmcg_implements() - whether CEID has an event
 * @hardware: of the PMCG
 * @event: number, below PMCG_ARCHITECTED_EVENTS
 *
 * Return: true if so.
 */
bool pmcg_implements(const struct pmcg_hardware *hardware, unsigned int event)
{
	return hardware->ceid[event / 64] >> event % 64 & 1;
}

/**
 * pmcg_nth_event() - the n-th event number of CEID that can be filtered
 * @stimulus: the page, acting on the PMCG
 * @n: from 0
 *
 * Return: the number; the last one where there are not so many.
 */
unsigned int pmcg_nth_event(struct stimulus *stimulus, unsigned int n)
{
	unsigned int event, found = 0, last = PMCG_EVENT_TRANSACTION;
	struct pmcg_hardware hardware;

	pmcg_read_hardware(stimulus, &hardware);
	for (event = PMCG_EVENT_CYCLES + 1; event < PMCG_ARCHITECTED_EVENTS; event++) {
		if (!pmcg_implements(&hardware, event))
			continue;
		last = event;
		if (found++ == n)
			break;
	}
	return last;
}

static bool size_exists(unsigned int size)
{
	switch (size) {
	case 31:
	case 35:
	case 39:
	case 43:
	case 47:
	case 63:
		return true;
	default:
		return false;
	}
}

/*
 * A page that reads as zero throughout (SMMU_PMCG_SCR.NSRA is 0) has SIZE 0, and one that
 * reads as ones has reserved bits of CFGR set: neither is sane. What else can be wrong shows
 * when the registers are used.
 */
static void identify(struct stimulus *stimulus, struct pmu_hardware *hardware)
{
	__u32 cfgr = stimulus_peek32(stimulus, PMCG_CFGR);
	__u32 page = cfgr & PMCG_CFGR_RELOC_CTRS ? STIMULUS_PAGE_1 : 0;

	*hardware = (struct pmu_hardware){
		.family = &pmcg_family,
		.counters = pmcg_field(cfgr, PMCG_CFGR_NCTR) + 1,
		.bits = pmcg_field(cfgr, PMCG_CFGR_SIZE) + 1,
		.global_filter = cfgr & PMCG_CFGR_SID_FILTER_TYPE,
		.capture = cfgr & PMCG_CFGR_CAPTURE,
		.msi = cfgr & PMCG_CFGR_MSI,
		.sane = cfgr != ~0U && size_exists(pmcg_field(cfgr, PMCG_CFGR_SIZE)) &&
			!stimulus_defect(stimulus) && stimulus_family(stimulus) == STIMULUS_PMCG,
		.counter_page = page,
		.enable = PMCG_CNTENSET0,
		.disable = PMCG_CNTENCLR0,
		.clear_overflow = page | PMCG_OVSCLR0,
		.take_capture = page | PMCG_CAPR,
	};
}

static unsigned int stride_of(const struct pmu_hardware *hardware)
{
	return hardware->bits <= 32 ? 4 : 8;
}

static __u64 counter(struct stimulus *stimulus, const struct pmu_hardware *hardware,
		     unsigned int n)
{
	__u32 offset = hardware->counter_page | (PMCG_EVCNTR + stride_of(hardware) * n);

	if (hardware->bits <= 32)
		return stimulus_peek32(stimulus, offset);
	return stimulus_peek(stimulus, offset);
}

static __u64 counter_reads(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	unsigned int n, stride = stride_of(hardware);
	__u64 reads = 0;

	for (n = 0; n < hardware->counters; n++) {
		reads += stimulus_reads(stimulus,
					hardware->counter_page | (PMCG_EVCNTR + stride * n));
		reads += stimulus_reads(stimulus,
					hardware->counter_page | (PMCG_SVR + stride * n));
	}
	return reads;
}

static int counter_of_event(struct stimulus *stimulus, const struct pmu_hardware *hardware,
			    __u32 event)
{
	__u64 enabled = stimulus_peek(stimulus, PMCG_CNTENSET0);
	unsigned int n;

	for (n = 0; n < hardware->counters; n++)
		if (enabled >> n & 1 &&
		    (stimulus_peek32(stimulus, PMCG_EVTYPER(n)) & PMCG_EVTYPER_EVENT) == event)
			return n;
	return -1;
}

static __u64 enabled(struct stimulus *stimulus)
{
	return stimulus_peek(stimulus, PMCG_CNTENSET0);
}

static __u64 overflow_status(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	return stimulus_peek(stimulus, hardware->counter_page | PMCG_OVSSET0);
}

static bool raises_irq(struct stimulus *stimulus)
{
	return stimulus_peek32(stimulus, PMCG_IRQ_CTRL) & PMCG_IRQ_CTRL_IRQEN;
}

/* IRQ_CTRLACK: the driver has waited until IRQ_CTRL took effect, §10.5.2.20. */
static const char *not_quiet(struct stimulus *stimulus)
{
	if (stimulus_peek32(stimulus, PMCG_CR) & PMCG_CR_E)
		return "CR";
	if (stimulus_peek(stimulus, PMCG_CNTENSET0))
		return "CNTENSET0";
	if (stimulus_peek(stimulus, PMCG_INTENSET0))
		return "INTENSET0";
	if (raises_irq(stimulus))
		return "IRQ_CTRL";
	if (stimulus_peek32(stimulus, PMCG_IRQ_CTRLACK) & PMCG_IRQ_CTRL_IRQEN)
		return "IRQ_CTRLACK";
	return NULL;
}

const struct pmu_family pmcg_family = {
	.what = "SMMUv3 PMCG",
	.prefix = PMU_PREFIX,
	.module = "arm_smmuv3_pmcg",
	.reference = &pmcg_reference_driver,
	.event = PMCG_EVENT_TRANSACTION,
	.other_event = PMCG_EVENT_TLB_MISS,
	.clock = PMCG_EVENT_CYCLES,
	.locate = locate,
	.filter = filter_source,
	.nth_event = pmcg_nth_event,
	.identify = identify,
	.counter = counter,
	.counter_reads = counter_reads,
	.counter_of_event = counter_of_event,
	.enabled = enabled,
	.overflow_status = overflow_status,
	.raises_irq = raises_irq,
	.not_quiet = not_quiet,
};
