// SPDX-License-Identifier: GPL-2.0
/* The PMUs of SMMUv3 Performance Monitor Counter Groups: their events, filters and registers. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mmio.h"
#include "pmcg.h"
#include "random.h"

#define PMU_PREFIX	"smmuv3_pmcg_"
#define PAGE_0_SHIFT	12
#define IORT		"/sys/firmware/acpi/tables/IORT"

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

/* Whether an event can count a range of StreamIDs */
bool pmcg_has_spans(const struct pmu *pmu)
{
	char text[64];

	return !pmu_attribute(pmu, "format/filter_span", text, sizeof(text));
}

/* Whether sysfs offers an architected event. */
bool pmcg_has_event(const struct pmu *pmu, unsigned int event)
{
	char file[64], text[64];

	snprintf(file, sizeof(file), "events/%s", pmcg_event_names[event]);
	return !pmu_attribute(pmu, file, text, sizeof(text));
}

/* Fill in the attributes of a counting event. Without a filter it counts every StreamID. */
int pmcg_describe(const struct pmu *pmu, struct perf_event_attr *attr,
		  unsigned int event, const struct pmcg_filter *filter)
{
	int error = pmu_describe(pmu, attr, event);

	if (error || !filter)
		return error;
	return pmu_set_field(pmu, attr, "filter_enable", filter->enable) ?:
	       (filter->span ? pmu_set_field(pmu, attr, "filter_span", true) : 0) ?:
	       pmu_set_field(pmu, attr, "filter_stream_id", filter->stream_id);
}

int pmcg_open_filtered(const struct pmu *pmu, unsigned int event,
		       const struct pmcg_filter *filter, int group_fd)
{
	struct perf_event_attr attr;

	return pmcg_describe(pmu, &attr, event, filter) ?: pmu_open_attr(pmu, &attr, group_fd);
}

/* What the PMU of a PMCG must be called. */
void pmcg_name(char *name, size_t size, __u64 page_0)
{
	snprintf(name, size, PMU_PREFIX "%llx", page_0 >> PAGE_0_SHIFT);
}

static void locate(struct pmu *pmu)
{
	pmu->page = strtoull(pmu->name + strlen(PMU_PREFIX), NULL, 16) << PAGE_0_SHIFT;
}

/* Its name has the page number, and the name of its device in a devicetree. */
static const char *log_word(const struct pmu *pmu)
{
	return strrchr(pmu->name, '_') + 1;
}

/* The header of a table of ACPI. */
struct iort {
	char signature[4];
	__u8 length[4];
	__u8 revision;
	__u8 checksum;
	char oem[6];
	char table[8];
};

/* Those of HiSilicon's HIP08 to HIP11, by the IORT. */
static unsigned int errata(void)
{
	int fd = open(IORT, O_RDONLY | O_CLOEXEC);
	struct iort header;
	ssize_t length;

	if (fd < 0)
		return 0;
	length = read(fd, &header, sizeof(header));
	close(fd);
	if (length != sizeof(header) || memcmp(header.oem, "HISI  ", sizeof(header.oem)))
		return 0;
	return PMU_DISABLED_COUNTERS_COUNT |
	       (strncmp(header.table, "HIP08", 5) ? 0 : PMU_COUNTERS_ARE_READ_ONLY);
}

static void calm(struct stimulus *stimulus)
{
	stimulus_acknowledge_late(stimulus, 0);
	stimulus_set_secure_control(stimulus, STIMULUS_SCR_RESTORE);
}

static int filter_source(const struct pmu *pmu, struct perf_event_attr *attr, __u32 source)
{
	return pmu_set_field(pmu, attr, "filter_enable", 1) ?:
	       pmu_set_field(pmu, attr, "filter_stream_id", source);
}

/* Decode what only a PMCG has. */
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

/* Whether CEID has an event. */
bool pmcg_implements(const struct pmcg_hardware *hardware, unsigned int event)
{
	return hardware->ceid[event / 64] >> event % 64 & 1;
}

/*
 * The unit that a PMCG counts in. By its events, as in Arm's manuals 101412 and 101542: the TBU has
 * no walks, and no translated transaction comes to the TCU.
 */
enum pmcg_unit pmcg_unit(const struct pmcg_hardware *hardware)
{
	if (hardware->ceid[1])
		return PMCG_OF_SMMU;
	switch (hardware->ceid[0]) {
	case 0x7f:
		return PMCG_OF_TCU;
	case 0x87:
		return PMCG_OF_TBU;
	default:
		return PMCG_OF_SMMU;
	}
}

/* The n-th event number of CEID that can be filtered; the last one where there are not so many. */
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
		.overflow_capture = cfgr & PMCG_CFGR_CAPTURE,
		.msi = cfgr & PMCG_CFGR_MSI,
		/* Not in SMMUv3.0, §10.5.2.24. */
		.msi_abort = stimulus_peek32(stimulus, PMCG_AIDR) & PMCG_AIDR_ARCH_REV,
		.sane = cfgr != ~0U && size_exists(pmcg_field(cfgr, PMCG_CFGR_SIZE)) &&
			!stimulus_defect(stimulus) && stimulus_family(stimulus) == STIMULUS_PMCG,
		.counter_page = page,
		.event_mask = PMCG_EVTYPER_EVENT,
		.control = PMCG_CR,
		.words = 1,
		.enable = PMCG_CNTENSET0,
		.disable = PMCG_CNTENCLR0,
		.clear_overflow = page | PMCG_OVSCLR0,
		.take_capture = page | PMCG_CAPR,
	};
}

static bool refuses_event(struct stimulus *stimulus, __u64 event)
{
	struct pmcg_hardware hardware;

	pmcg_read_hardware(stimulus, &hardware);
	return event < PMCG_ARCHITECTED_EVENTS && !pmcg_implements(&hardware, event);
}

static __u64 below(__u64 *random, __u64 limit)
{
	return (next_random(random) >> 16) % limit;
}

/* pmu_set_field() leaves out the fields that a PMCG does not have. */
static void random_filter(const struct pmu *pmu, struct perf_event_attr *attr, __u64 *random)
{
	__u64 mask;
	char word[16];

	switch (below(random, 3)) {
	case 0:
		pmu_set_field(pmu, attr, "filter_enable", 1);
		pmu_set_field(pmu, attr, "filter_span", below(random, 2));
		pmu_set_field(pmu, attr, "filter_stream_id", below(random, 0x10000));
		break;
	case 1:
		pmu_set_field(pmu, attr, "filter_sec_sid", below(random, 2));
		pmu_set_field(pmu, attr, "filter_realm_sid", below(random, 2));
		pmu_set_field(pmu, attr, "filter_enable", below(random, 2));
		break;
	case 2:
		pmu_set_field(pmu, attr, "filter_partid_enable", below(random, 2));
		pmu_set_field(pmu, attr, "filter_pmg_enable", below(random, 2));
		pmu_set_field(pmu, attr, "filter_partid", below(random, 4) * below(random, 40));
		pmu_set_field(pmu, attr, "filter_pmg", below(random, 2));
		/* The limits of other spaces than the Non-secure one are not known here. */
		if (attr->config2 && !pmu_format_bits(pmu, "filter_sec_sid", word, &mask))
			pmu_set_field(pmu, attr, "filter_mpam_sp", 1);
		break;
	}
}

/* What Secure and Realm PARTIDs can be is not known, IHI 0070 §10.5.2.27. */
static bool refused_filter(const struct pmu *pmu, struct stimulus *stimulus,
			   struct perf_event_attr *attr, __u64 *random)
{
	struct pmcg_hardware hardware;
	unsigned int partid_max;

	pmcg_read_hardware(stimulus, &hardware);
	if (!hardware.partid_filter || !hardware.partid_limits)
		return false;
	partid_max = hardware.partid_max;
	switch (below(random, 4)) {
	case 0:
		return !pmu_set_field(pmu, attr, "filter_mpam_sp", 1) &&
		       !pmu_set_field(pmu, attr, "filter_partid_enable", 1) &&
		       !pmu_set_field(pmu, attr, "filter_partid",
				      partid_max + 1 + below(random, 0xffff - partid_max));
	case 1:
		return !pmu_set_field(pmu, attr, "filter_partid", 1 + below(random, 0xffff));
	case 2:
		return !pmu_set_field(pmu, attr, "filter_pmg", 1 + below(random, 0xff));
	default:
		return !pmu_set_field(pmu, attr, "filter_partid_enable", 1) &&
		       !pmu_set_field(pmu, attr, "filter_enable", 1) &&
		       !pmu_set_field(pmu, attr, "filter_stream_id", below(random, 1ULL << 32));
	}
}

static bool refuses_filter(const struct pmu *pmu, struct stimulus *stimulus,
			   const struct perf_event_attr *attr)
{
	bool by_partid = pmu_field(pmu, attr, "filter_partid_enable");
	bool by_pmg = pmu_field(pmu, attr, "filter_pmg_enable");
	struct pmcg_hardware hardware;

	if (pmu_field(pmu, attr, "filter_enable") && pmu_field(pmu, attr, "filter_sec_sid") &&
	    pmu_field(pmu, attr, "filter_realm_sid"))
		return true;
	if (pmu_field(pmu, attr, "filter_partid") && !by_partid)
		return true;
	if (pmu_field(pmu, attr, "filter_pmg") && !by_pmg)
		return true;
	if (!by_partid && !by_pmg)
		return pmu_field(pmu, attr, "filter_mpam_sp");
	pmcg_read_hardware(stimulus, &hardware);
	return attr->config1 || pmu_field(pmu, attr, "event") == PMCG_EVENT_CYCLES ||
	       pmu_field(pmu, attr, "filter_partid") > hardware.partid_max ||
	       pmu_field(pmu, attr, "filter_pmg") > hardware.pmg_max;
}

static bool counts_source(const struct pmu *pmu, const struct perf_event_attr *attr, __u32 source)
{
	return !pmu_field(pmu, attr, "filter_enable") || pmu_field(pmu, attr, "filter_span") ||
	       pmu_field(pmu, attr, "filter_stream_id") == source;
}

static __u32 counter_register(const struct pmu_hardware *hardware, unsigned int n)
{
	return hardware->counter_page | (PMCG_EVCNTR + (hardware->bits <= 32 ? 4 : 8) * n);
}

static unsigned int shadows(const struct pmu_hardware *hardware)
{
	return hardware->counters;
}

static __u32 shadow_register(const struct pmu_hardware *hardware, unsigned int n)
{
	return hardware->counter_page | (PMCG_SVR + (hardware->bits <= 32 ? 4 : 8) * n);
}

static __u32 event_register(const struct pmu_hardware *hardware, unsigned int n)
{
	(void)hardware;
	return PMCG_EVTYPER(n);
}

/* With one filter for all counters, it is that of counter 0. */
static void programmed(struct stimulus *stimulus, const struct pmu_hardware *hardware,
		       unsigned int n, __u64 *config_base, __u64 *event_base)
{
	unsigned int filter = hardware->global_filter ? 0 : n;

	*config_base = stimulus_peek32(stimulus, PMCG_EVTYPER(filter));
	*event_base = stimulus_peek32(stimulus, PMCG_SMR(filter));
}

static bool is_enabled(struct stimulus *stimulus, const struct pmu_hardware *hardware,
		       unsigned int n)
{
	(void)hardware;
	return stimulus_peek(stimulus, PMCG_CNTENSET0) >> n & 1;
}

static __u64 overflow_status(struct stimulus *stimulus, const struct pmu_hardware *hardware)
{
	return stimulus_peek(stimulus, hardware->counter_page | PMCG_OVSSET0);
}

static bool raises_irq(struct stimulus *stimulus)
{
	return stimulus_peek32(stimulus, PMCG_IRQ_CTRL) & PMCG_IRQ_CTRL_IRQEN;
}

static bool overflow_raises_irq(struct stimulus *stimulus)
{
	return stimulus_peek32(stimulus, PMCG_CR) & PMCG_CR_E && raises_irq(stimulus) &&
	       stimulus_peek(stimulus, PMCG_INTENSET0) & stimulus_peek(stimulus, PMCG_CNTENSET0);
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

static void poison(const struct pmu_hardware *hardware, void *page_0, void *counter_page)
{
	unsigned int n, half;

	for (n = 0; n < hardware->counters; n++) {
		mmio_write32(page_0, PMCG_EVTYPER(n),
			     PMCG_EVTYPER_OVFCAP | PMCG_EVTYPER_FILTER_SEC_SID |
			     PMCG_EVTYPER_FILTER_SID_SPAN | PMCG_EVENT_TRANSACTION);
		mmio_write32(page_0, PMCG_SMR(n), PMCG_SMR_STREAMID);
	}
	for (n = 0; n < hardware->counters * (hardware->bits > 32 ? 2 : 1); n++)
		mmio_write32(counter_page, PMCG_EVCNTR + 4 * n, ~0U);
	for (half = 0; half < 8; half += 4) {
		mmio_write32(page_0, PMCG_CNTENSET0 + half, ~0U);
		mmio_write32(page_0, PMCG_INTENSET0 + half, ~0U);
		mmio_write32(counter_page, PMCG_OVSSET0 + half, ~0U);
	}
	mmio_write32(page_0, PMCG_IRQ_CTRL, PMCG_IRQ_CTRL_IRQEN);
	mmio_write32(page_0, PMCG_CR, PMCG_CR_E);
}

static const char * const prefixes[] = { PMU_PREFIX, NULL };

const struct pmu_family pmcg_family = {
	.what = "SMMUv3 PMCG",
	.prefixes = prefixes,
	.module = "arm_smmuv3_pmcg",
	.reference = &pmcg_reference_driver,
	.event = PMCG_EVENT_TRANSACTION,
	.other_event = PMCG_EVENT_TLB_MISS,
	.clock = PMCG_EVENT_CYCLES,
	.undefined_event = PMCG_EVENT_UNDEFINED,
	.quiesce = "pmcg_quiesce",
	.locate = locate,
	.log_word = log_word,
	.errata = errata,
	.writes_halves = true,
	.calm = calm,
	.filter = filter_source,
	.random_filter = random_filter,
	.refused_filter = refused_filter,
	.refuses_filter = refuses_filter,
	.counts_source = counts_source,
	.nth_event = pmcg_nth_event,
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
