// SPDX-License-Identifier: GPL-2.0
/* The PMUs of the CoreSight PMU Architecture: their monitors, events and filters. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apmt.h"
#include "coresight.h"
#include "mmio.h"
#include "device.h"
#include "platform.h"
#include "random.h"

#define PMU_PREFIX	"arm_cspmu_"
#define COMPATIBLE	"arm,coresight-pmu"

/* The distance between the first monitors of two groups (rule TFNPJ). */
static unsigned int group_stride(__u32 cfgr, unsigned int groups)
{
	unsigned int large = coresight_field(cfgr, PMCFGR_SIZE) > 31 ? 2 : 1;

	return groups <= 8 / large ? 32 : groups <= 16 / large ? 16 : 8;
}

static void add_monitors(struct coresight_hardware *hardware, unsigned int first,
			 unsigned int number)
{
	unsigned int n;

	for (n = first; number && hardware->monitors < CORESIGHT_MONITORS; n++) {
		if (hardware->cycle_counter && n == CORESIGHT_CYCLE_COUNTER)
			continue;
		hardware->monitor[hardware->monitors++] = n;
		number--;
	}
}

static unsigned int group_size(struct stimulus *stimulus, unsigned int group)
{
	return stimulus_peek32(stimulus, PMCGCR(group / 4)) >> 8 * (group % 4) & 0xff;
}

/* Decode PMCFGR and PMCGCR. */
void coresight_read_hardware(struct stimulus *stimulus, struct coresight_hardware *hardware)
{
	__u32 cfgr = stimulus_peek32(stimulus, PMCFGR);
	unsigned int group, groups = coresight_field(cfgr, PMCFGR_NCG) + 1, sum = 0;
	unsigned int number = coresight_field(cfgr, PMCFGR_N) + 1, stride;
	bool included;

	*hardware = (struct coresight_hardware){
		.cfgr = cfgr,
		.wide_registers = (stimulus_peek32(stimulus, PMDEVARCH) & PMDEVARCH_ARCHID) ==
				  PMDEVARCH_ARCHID_64,
		.cycle_counter = cfgr & PMCFGR_CC,
		.stride = coresight_field(cfgr, PMCFGR_SIZE) > 31 ? 8 : 4,
		.page_1 = stimulus_page_1(stimulus, stimulus->instance) ? STIMULUS_PAGE_1 : 0,
	};
	if (groups == 1) {
		/* The cycle counter is one of them, regardless of their number (PMCFGR.N). */
		add_monitors(hardware, 0, number - hardware->cycle_counter);
		return;
	}
	for (group = 0; group < groups; group++)
		sum += group_size(stimulus, group);
	/* PMCGCR may or may not include the cycle counter, which PMCFGR.N includes. */
	included = hardware->cycle_counter && sum == number;
	stride = group_stride(cfgr, groups);
	for (group = 0; group < groups; group++)
		add_monitors(hardware, group * stride, group_size(stimulus, group) -
			     (included && group == CORESIGHT_CYCLE_COUNTER / stride));
}

static bool size_exists(unsigned int size)
{
	static const __u8 sizes[] = { 7, 9, 11, 15, 19, 23, 31, 35, 39, 43, 47, 51, 55, 63 };

	return memchr(sizes, size, sizeof(sizes));
}

/* Known products have events of their own. */
static bool is_known_product(struct stimulus *stimulus)
{
	__u32 implementer = stimulus_peek32(stimulus, PMIIDR) & PMIIDR_IMPLEMENTER;

	return implementer == PMIIDR_NVIDIA || implementer == PMIIDR_AMPERE;
}

/* In the lab, no test uses the event of a monitor that counts no other one on this monitor. */
static bool has_fixed_event(struct stimulus *stimulus, unsigned int monitor)
{
	return stimulus_peek32(stimulus, PMEVTYPER(monitor)) == CORESIGHT_FIRST_FIXED + monitor &&
	       !is_known_product(stimulus);
}

static void identify(struct stimulus *stimulus, struct pmu_hardware *hardware)
{
	struct coresight_hardware coresight;
	unsigned int n, word, last;

	coresight_read_hardware(stimulus, &coresight);
	last = coresight.monitors ? coresight.monitor[coresight.monitors - 1] / 32 : 0;
	word = coresight.monitors ? coresight.monitor[0] / 32 : 0;
	*hardware = (struct pmu_hardware){
		.family = &coresight_family,
		.clocks = coresight.cycle_counter,
		.bits = coresight_field(coresight.cfgr, PMCFGR_SIZE) + 1,
		.stops = coresight.cfgr & PMCFGR_NA,
		.capture = coresight.cfgr & PMCFGR_SS,
		.msi = coresight.cfgr & PMCFGR_MSI,
		.msi_abort = coresight.cfgr & PMCFGR_MSI,
		.sane = coresight.cfgr && coresight.cfgr != ~0U && !coresight.wide_registers &&
			size_exists(coresight_field(coresight.cfgr, PMCFGR_SIZE)) &&
			coresight.monitors &&
			!stimulus_defect(stimulus) &&
			stimulus_family(stimulus) == STIMULUS_CORESIGHT,
		.counter_page = coresight.page_1,
		.event_mask = ~0U,
		.control = PMCR,
		.words = last - word + 1,
		.enable = PMCNTENSET(word),
		.disable = PMCNTENCLR(word),
		.clear_overflow = coresight.page_1 | PMOVSCLR(word),
		.take_capture = PMSSCR,
	};
	for (n = 0; n < coresight.monitors; n++)
		if (!has_fixed_event(stimulus, coresight.monitor[n]))
			hardware->index[hardware->counters++] = coresight.monitor[n];
}

/* The VM has each known product once. Returns 0 if there is none with this PMIIDR. */
static __u64 page_of_product(const char *identifier)
{
	struct stimulus stimulus;
	__u64 page = 0, next;
	unsigned int i;

	if (stimulus_open(&stimulus))
		return 0;
	for (i = 0; i < stimulus.instances; i++) {
		next = stimulus_page_0(&stimulus, i);
		if (stimulus_family(&stimulus) == STIMULUS_CORESIGHT &&
		    stimulus_peek32(&stimulus, PMIIDR) == strtoul(identifier, NULL, 16))
			page = next;
	}
	return page;
}

/* In the lab, the filters of the PMU with groups have a bit for each source, and 31 for cycles. */
static bool filters_by_bits(const struct pmu *pmu)
{
	struct stimulus stimulus;

	return !stimulus_open(&stimulus) && !stimulus_choose(&stimulus, pmu->page) &&
	       stimulus_peek32(&stimulus, PMCFGR) & PMCFGR_NCG;
}

/*
 * Before 6.7 a PMU has no parent. With devicetree, PMUs are numbered in the order of their nodes,
 * but not known products.
 */
static void find_page(struct pmu *pmu)
{
	char device[PMU_NAME_LENGTH], identifier[16];

	if (!device_of_pmu(pmu->name, device, sizeof(device)) && !device_page(device, &pmu->page))
		return;
	if (strncmp(pmu->name, PMU_PREFIX, strlen(PMU_PREFIX))) {
		if (!pmu_attribute(pmu, "identifier", identifier, sizeof(identifier)))
			pmu->page = page_of_product(identifier);
		return;
	}
	pmu->page = device_nth_compatible(COMPATIBLE, strtoul(pmu->name + strlen(PMU_PREFIX),
							      NULL, 10));
}

static void locate(struct pmu *pmu)
{
	if (!pmu->filters)
		pmu->source = 0;
	find_page(pmu);
	if (pmu->filters && filters_by_bits(pmu))
		pmu->all_sources = ~(1U << 31);
}

static const char *log_word(const struct pmu *pmu)
{
	return pmu->device;
}

/* Only firmware can say whether 64-bit accesses are atomic (rule DDZMD). */
static bool halves(const struct pmu *pmu)
{
	struct apmt_node node;

	if (apmt_find(pmu->page, &node))
		return !(node.flags & APMT_ATOMIC);
	return device_property(pmu->device, "reg-io-width", 0, 4) != 8;
}

static void calm(struct stimulus *stimulus)
{
	stimulus_set_agent(stimulus, 0);
}

/* Known products have filters of their own, which select numbers from 0 on. */
static int filter_source(const struct pmu *pmu, struct perf_event_attr *attr, __u32 source)
{
	if (strncmp(pmu->name, PMU_PREFIX, strlen(PMU_PREFIX)))
		return -ENOENT;
	return pmu_set_field(pmu, attr, "filter", source);
}

static void random_filter(const struct pmu *pmu, struct perf_event_attr *attr, __u64 *random)
{
	pmu_set_field(pmu, attr, "filter", next_random(random) >> 16 & 0xff);
}

/* 0 means that there is no filter. */
static bool counts_source(const struct pmu *pmu, const struct perf_event_attr *attr, __u32 source)
{
	__u64 filter = pmu_field(pmu, attr, "filter");

	return !filter || filter == source;
}

static unsigned int nth_event(struct stimulus *stimulus, unsigned int n)
{
	(void)stimulus;
	return CORESIGHT_EVENT + n;
}

static bool refuses_event(struct stimulus *stimulus, __u64 event)
{
	if (event == CORESIGHT_EVENT_CYCLES)
		return !(stimulus_peek32(stimulus, PMCFGR) & PMCFGR_CC);
	return event > CORESIGHT_EVENT_CYCLES;
}

static __u32 counter_register(const struct pmu_hardware *hardware, unsigned int n)
{
	return hardware->counter_page |
	       (PMEVCNTR + (hardware->bits <= 32 ? 4 : 8) * hardware->index[n]);
}

static unsigned int shadows(const struct pmu_hardware *hardware)
{
	(void)hardware;
	return CORESIGHT_SAVED_WORDS;
}

/* The location of the value of each counter is IMPLEMENTATION DEFINED (rule CFXNM). */
static __u32 shadow_register(const struct pmu_hardware *hardware, unsigned int n)
{
	return hardware->counter_page | PMSVR(n);
}

static __u32 event_register(const struct pmu_hardware *hardware, unsigned int n)
{
	return PMEVTYPER(hardware->index[n]);
}

static void programmed(struct stimulus *stimulus, const struct pmu_hardware *hardware,
		       unsigned int n, __u64 *config_base, __u64 *event_base)
{
	*config_base = stimulus_peek32(stimulus, PMEVTYPER(hardware->index[n]));
	*event_base = stimulus_peek32(stimulus, PMEVFILTR(hardware->index[n]));
}

static bool is_enabled(struct stimulus *stimulus, const struct pmu_hardware *hardware,
		       unsigned int n)
{
	unsigned int monitor = hardware->index[n];

	return stimulus_peek32(stimulus, PMCNTENSET(monitor / 32)) >> monitor % 32 & 1;
}

static __u64 overflow_status(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	__u32 first_word = hardware->counter_page | PMOVSSET(0), word;
	__u64 status = 0;
	unsigned int n;

	for (n = 0; n < hardware->counters; n++) {
		word = stimulus_peek32(stimulus, first_word + 4 * (hardware->index[n] / 32));
		status |= (__u64)(word >> hardware->index[n] % 32 & 1) << n % 64;
	}
	return status;
}

static bool raises_irq(struct stimulus *stimulus)
{
	unsigned int word;

	for (word = 0; word < CORESIGHT_WORDS; word++)
		if (stimulus_peek32(stimulus, PMINTENSET(word)))
			return true;
	return false;
}

static bool overflow_raises_irq(struct stimulus *stimulus)
{
	unsigned int word;

	if (!(stimulus_peek32(stimulus, PMCR) & PMCR_E))
		return false;
	for (word = 0; word < CORESIGHT_WORDS; word++)
		if (stimulus_peek32(stimulus, PMINTENSET(word)) &
		    stimulus_peek32(stimulus, PMCNTENSET(word)))
			return true;
	return false;
}

static const char *not_quiet(struct stimulus *stimulus)
{
	unsigned int word;

	if (stimulus_peek32(stimulus, PMCR) & PMCR_E)
		return "PMCR";
	for (word = 0; word < CORESIGHT_WORDS; word++)
		if (stimulus_peek32(stimulus, PMCNTENSET(word)))
			return "PMCNTENSET";
	if (raises_irq(stimulus))
		return "PMINTENSET";
	if (stimulus_peek32(stimulus, PMCFGR) & PMCFGR_MSI &&
	    stimulus_peek32(stimulus, PMIRQCR2) & PMIRQCR2_MSIEN)
		return "PMIRQCR2";
	return NULL;
}

static void poison(const struct pmu_hardware *hardware, void *page_0, void *counter_page)
{
	unsigned int n, word;
	__u32 offset;

	mmio_write32(page_0, PMCR, 0);
	for (n = 0; n < hardware->counters; n++) {
		offset = counter_register(hardware, n) & ~STIMULUS_PAGE_1;
		mmio_write32(page_0, PMEVTYPER(hardware->index[n]), CORESIGHT_EVENT);
		mmio_write32(page_0, PMEVFILTR(hardware->index[n]), 0);
		mmio_write32(counter_page, offset, ~0U);
		if (hardware->bits > 32)
			mmio_write32(counter_page, offset + 4, ~0U);
	}
	for (word = 0; word < CORESIGHT_WORDS; word++) {
		mmio_write32(page_0, PMCNTENSET(word), ~0U);
		mmio_write32(page_0, PMINTENSET(word), ~0U);
		mmio_write32(counter_page, PMOVSSET(word), ~0U);
	}
	mmio_write32(page_0, PMCR, PMCR_E);
}

/* Known products have their own names. */
static const char * const prefixes[] = { PMU_PREFIX, "nvidia_", "ampere_", NULL };

const struct pmu_family coresight_family = {
	.what = "CoreSight PMU",
	.prefixes = prefixes,
	.module = "arm_coresight_pmu",
	.reference = &coresight_reference_driver,
	.event = CORESIGHT_EVENT,
	.other_event = CORESIGHT_OTHER_EVENT,
	.clock = CORESIGHT_EVENT_CYCLES,
	.undefined_event = CORESIGHT_EVENT_UNDEFINED,
	.quiesce = "cspmu_quiesce",
	.locate = locate,
	.log_word = log_word,
	.halves = halves,
	.calm = calm,
	.filter = filter_source,
	.random_filter = random_filter,
	.counts_source = counts_source,
	.nth_event = nth_event,
	.refuses_event = refuses_event,
	.identify = identify,
	.counter_register = counter_register,
	.shadows = shadows,
	.shadow_register = shadow_register,
	.event_register = event_register,
	.programmed = programmed,
	.is_enabled = is_enabled,
	.overflow_status = overflow_status,
	.raises_irq = raises_irq,
	.overflow_raises_irq = overflow_raises_irq,
	.not_quiet = not_quiet,
	.poison = poison,
};
