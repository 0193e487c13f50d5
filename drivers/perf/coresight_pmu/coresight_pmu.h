/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Driver for PMUs of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091): definitions shared by its files.
 *
 * main.c	probe
 * firmware.c	what devicetree and ACPI say about a PMU, its name
 * events.c	events, choice of a monitor, sysfs attributes
 * identify.c	what a PMU implements
 * registers.c	register accesses
 * interrupt.c	interrupt control, MSI
 * security.c	PMAUTHSTATUS
 * chain.c	counter chaining
 * products.c	what is known about products
 * target.c	a product with address filters in another device
 */
#ifndef ARM_CORESIGHT_PMU_H
#define ARM_CORESIGHT_PMU_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/io.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "../arm_syspmu/arm_syspmu.h"
#include "../arm_syspmu/io.h"
#include "products.h"

struct acpi_device;

/* Limits of the architecture (rule HKCFV) */
#define CSPMU_MAX_MONITORS		256
#define CSPMU_MAX_WIDE_MONITORS		128
#define CSPMU_MAX_EXT64_MONITORS	64

/* There are other registers at the places of the filters of later monitors. */
#define CSPMU_END_OF_FILTERS		0xc00
#define CSPMU_CYCLE_COUNTER		31
#define CSPMU_BITS_PER_WORD		32

/*
 * IHI 0091 §3.1; P1: on page 1 if there is one. NEW: not in issue A.a, as the
 * in-tree driver of Linux 7.3 knows it.
 */
#define CSPMU_PMEVCNTR			0x000	/* P1 */
#define CSPMU_PMEVTYPER			0x400
#define CSPMU_PMSVR(n)			(0x600 + 4 * (n))	/* P1 */
#define   CSPMU_PMSSSR_NC		BIT(0)	/* of the one that is PMSSSR */
#define CSPMU_PMEVFILT2R		0x800	/* NEW */
#define CSPMU_PMEVFILTR			0xa00
#define CSPMU_PMCNTENSET0		0xc00
#define CSPMU_PMCNTEN			0xc10	/* NEW, with FEAT_CSPMU_EXT64 */
#define CSPMU_PMCNTENCLR0		0xc20
#define CSPMU_PMINTENSET0		0xc40
#define CSPMU_PMINTENCLR0		0xc60
#define CSPMU_PMOVSCLR0			0xc80	/* P1 */
#define CSPMU_PMOVSSET0			0xcc0	/* P1 */
#define CSPMU_PMCGCR(n)			(0xce0 + 4 * (n))
#define CSPMU_PMCFGR			0xe00	/* both */
#define   CSPMU_PMCFGR_NCG		GENMASK(31, 28)
#define   CSPMU_PMCFGR_SS		BIT(22)
#define   CSPMU_PMCFGR_FZO		BIT(21)
#define   CSPMU_PMCFGR_MSI		BIT(20)
#define   CSPMU_PMCFGR_NA		BIT(17)
#define   CSPMU_PMCFGR_CC		BIT(14)
#define   CSPMU_PMCFGR_SIZE		GENMASK(13, 8)
#define   CSPMU_PMCFGR_N		GENMASK(7, 0)
#define CSPMU_PMCR			0xe04
#define   CSPMU_PMCR_FZO		BIT(9)
#define   CSPMU_PMCR_NA			BIT(8)
#define   CSPMU_PMCR_E			BIT(0)
#define CSPMU_PMIIDR			0xe08	/* both */
#define CSPMU_PMCR_EXT64		0xe10	/* NEW, with FEAT_CSPMU_EXT64 */
#define CSPMU_PMSSCR			0xe30
#define   CSPMU_PMSSCR_SS		BIT(0)
#define CSPMU_PMSSRR			0xe38
#define CSPMU_PMIRQCR0			0xe80
#define   CSPMU_PMIRQCR0_ADDR		GENMASK_ULL(55, 2)
#define CSPMU_PMIRQCR1			0xe88
#define CSPMU_PMIRQCR2			0xe8c
#define   CSPMU_PMIRQCR2_MSIEN		BIT(7)
#define   CSPMU_PMIRQCR2_MEMATTR	GENMASK(3, 0)
#define   CSPMU_MEMATTR_DEVICE_NGNRE	1
#define CSPMU_PMIRQSR			0xef8
#define   CSPMU_PMIRQSR_IRQERR		BIT(1)
#define   CSPMU_PMIRQSR_IRQ		BIT(0)
#define CSPMU_PMDEVAFF			0xfa8	/* both */
#define CSPMU_PMAUTHSTATUS		0xfb8
#define CSPMU_PMDEVARCH			0xfbc
#define   CSPMU_PMDEVARCH_PRESENT	BIT(20)
#define   CSPMU_PMDEVARCH_ARCHPART	GENMASK(11, 0)
#define   CSPMU_ARCHPART_EXT64		0xaf4	/* NEW */
#define   CSPMU_ARCHPART_EXT64_PAGE1	0xaf5	/* NEW */

#define CSPMU_NUM_SAVED_VALUES		64

/* Address filters, of products that have them */
#define CSPMU_NUM_SLOTS			8

/* No product has a filter with this value. */
#define CSPMU_UNKNOWN_FILTER		U64_MAX

/*
 * The value of PMEVTYPER for an event is in hw.config_base, that of PMEVFILTR in
 * hw.event_base and that of PMEVFILT2R in hw.config. The cycle counter has no
 * event type; its filter is in the place of the type. If the product has
 * registers for a filter that all monitors share, hw.event_base is config1.
 *
 * hw.extra_reg.idx is the first class of monitors that can count the event, and
 * hw.extra_reg.config the filter that it selects of them.
 */

/**
 * struct cspmu_control - a control register of a monitor
 * @fixed: value of the bits that cannot be written
 * @writable: bits that can be written
 * @value: value of the register, as far as it is known
 */
struct cspmu_control {
	u64 fixed;
	u64 writable;
	u64 value;
};

/**
 * struct cspmu_monitor - one monitor
 * @type: PMEVTYPER; PMCCFILTR of the cycle counter
 * @filter: PMEVFILTR
 * @filter2: PMEVFILT2R
 * @programmed: the values of these are known
 * @is_plain: in addition, &coresight_pmu.is_plain is set, and it is not the
 *	cycle counter
 * @saved: first PMSVR of the monitor
 */
struct cspmu_monitor {
	struct cspmu_control type;
	struct cspmu_control filter;
	struct cspmu_control filter2;
	bool programmed;
	bool is_plain;
	u8 saved;
};

/**
 * struct cspmu_class - monitors that can count the same events
 * @type: their PMEVTYPER; PMCCFILTR of the cycle counter
 * @filter: their PMEVFILTR
 * @filter2: their PMEVFILT2R
 * @choices: number of bits of these that can be written
 * @cycles: it is the cycle counter
 * @num_monitors: number of bits set in @monitors
 * @has_slot: they have address filters
 * @state: only gauges can use them
 * @overflows: they have an overflow status
 * @monitors: their numbers
 */
struct cspmu_class {
	struct cspmu_control type;
	struct cspmu_control filter;
	struct cspmu_control filter2;
	unsigned int choices;
	bool cycles;
	unsigned int num_monitors;
	bool has_slot;
	bool state;
	bool overflows;
	DECLARE_BITMAP(monitors, CSPMU_MAX_MONITORS);
};

/**
 * struct coresight_pmu - one PMU
 * @syspmu: the PMU as seen by the core
 * @page0: page 0: identification and configuration registers
 * @page1: page 1: monitors, saved values and overflow status; @page0 if the
 *	dual-page extension is not implemented
 * @slots: registers of address filters; NULL if there are none
 * @base: physical address of page 0
 * @name: name of the PMU
 * @number: the number in it that is allocated from &cspmu_product.numbers;
 *	negative if none is
 * @product: what is known about the product
 * @cfgr: PMCFGR of page 0
 * @iidr: PMIIDR, or what firmware or the CoreSight ID registers tell instead
 * @auth: PMAUTHSTATUS at probe
 * @words: number of 32-bit registers that hold a bit for each monitor
 * @ext64: registers of monitors have 64 bits (FEAT_CSPMU_EXT64)
 * @has_filter2: PMEVFILT2R is implemented
 * @is_plain: registers of monitors have 32 bits, can be written at any time, and
 *	belong to one monitor each
 * @shared_filter: bits of the filter that all programmed monitors share, or
 *	CSPMU_UNKNOWN_FILTER
 * @page1_written: @page1 has been written, and the write is not ordered with
 *	the next write to @page0 yet
 * @layout: &arm_syspmu.layout, which refers to members of this structure
 * @existing: the monitors that there are
 * @valid: those that events can use
 * @overflowing: those that have an overflow status
 * @gauges: those that only gauges can use: they show a state
 * @silent: those whose overflow status is ignored, since a gauge uses them, or
 *	was the last to do so, or since another monitor counts their overflows.
 *	Other CPUs may read it.
 * @silent_lock: protects @silent, and the interrupts of these
 * @interrupts: the interrupts of the other monitors are enabled
 * @msi_reported: that its MSI cannot be used has been reported
 * @upper: those that count the overflows of the one before them. The core knows
 *	both as one counter, which has the number of the upper one; the lower one
 *	is not in @valid.
 * @low_bits: of each counter, see &arm_syspmu_layout.low_bits; NULL if monitors
 *	are not chained
 * @saved: those whose values a snapshot saves
 * @status: the PMSVR that can be PMSSSR, a bit for each
 * @bits: their widths
 * @offsets: offsets of their values in @page1
 * @monitors: their other registers
 * @num_classes: length of @classes
 * @classes: classes of monitors, those that fewer events can use first
 * @common: values of the registers in &cspmu_product.common
 * @common_known: these values are known
 * @events: events directory in sysfs
 * @format: format directory
 * @groups: all groups of attributes
 * @cpus: CPUs with which the PMU has affinity; empty if none are known
 */
struct coresight_pmu {
	struct arm_syspmu syspmu;
	void __iomem *page0;
	void __iomem *page1;
	void __iomem *slots;
	phys_addr_t base;
	char *name;
	int number;
	const struct cspmu_product *product;
	u32 cfgr;
	u32 iidr;
	u32 auth;
	unsigned int words;
	bool ext64;
	bool has_filter2;
	bool is_plain;
	u64 shared_filter;
	bool page1_written;
	struct arm_syspmu_layout layout;
	DECLARE_BITMAP(existing, CSPMU_MAX_MONITORS);
	DECLARE_BITMAP(valid, CSPMU_MAX_MONITORS);
	DECLARE_BITMAP(overflowing, CSPMU_MAX_MONITORS);
	DECLARE_BITMAP(gauges, CSPMU_MAX_MONITORS);
	DECLARE_BITMAP(silent, CSPMU_MAX_MONITORS);
	raw_spinlock_t silent_lock;
	bool interrupts;
	bool msi_reported;
	DECLARE_BITMAP(upper, CSPMU_MAX_MONITORS);
	u8 *low_bits;
	DECLARE_BITMAP(saved, CSPMU_MAX_MONITORS);
	u64 status;
	u8 *bits;
	u16 *offsets;
	struct cspmu_monitor *monitors;
	unsigned int num_classes;
	struct cspmu_class *classes;
	u32 common[CSPMU_MAX_COMMON];
	bool common_known;
	struct attribute_group events;
	struct attribute_group format;
	const struct attribute_group *groups[6];
	cpumask_var_t cpus;
};

#define to_coresight_pmu(p) container_of(p, struct coresight_pmu, syspmu)

/**
 * cspmu_has_cycle_counter - whether monitor 31 is a cycle counter
 * @cspmu: the PMU
 *
 * Context: any.
 * Return: true if it is
 */
static inline bool cspmu_has_cycle_counter(const struct coresight_pmu *cspmu)
{
	/* How to select it with FEAT_CSPMU_EXT64 is not known. */
	return cspmu->cfgr & CSPMU_PMCFGR_CC && !cspmu->ext64;
}

/**
 * cspmu_control_reg - a register of a monitor
 * @cspmu: the PMU
 * @first: offset of the register of monitor 0
 * @idx: the monitor
 *
 * Context: any.
 * Return: its address
 */
static inline void __iomem *cspmu_control_reg(const struct coresight_pmu *cspmu,
					      unsigned int first,
					      unsigned int idx)
{
	return cspmu->page0 + first + (cspmu->ext64 ? 8 : 4) * idx;
}

/**
 * cspmu_is_cycle_counter - whether a monitor is the cycle counter
 * @cspmu: the PMU
 * @idx: the monitor
 *
 * Context: any.
 * Return: true if it is
 */
static inline bool cspmu_is_cycle_counter(const struct coresight_pmu *cspmu,
					  unsigned int idx)
{
	return idx == CSPMU_CYCLE_COUNTER && cspmu_has_cycle_counter(cspmu);
}

/**
 * cspmu_is_dual_page - whether the PMU has a page 1
 * @cspmu: the PMU
 *
 * Context: any.
 * Return: true if it has
 */
static inline bool cspmu_is_dual_page(const struct coresight_pmu *cspmu)
{
	return cspmu->page1 != cspmu->page0;
}

/**
 * cspmu_has_common_filter - whether filters are not in PMEVFILTR
 * @cspmu: the PMU
 *
 * Context: any.
 * Return: true if they are in registers for all monitors
 */
static inline bool cspmu_has_common_filter(const struct coresight_pmu *cspmu)
{
	return cspmu->product->common[0].offset;
}

/**
 * cspmu_lower - the monitor that counts the event of a counter
 * @cspmu: the PMU
 * @idx: the counter
 *
 * Context: any.
 * Return: the one before, if @idx counts its overflows; otherwise @idx
 */
static inline unsigned int cspmu_lower(const struct coresight_pmu *cspmu,
				       unsigned int idx)
{
	return test_bit(idx, cspmu->upper) ? idx - 1 : idx;
}

/**
 * cspmu_accepts - whether a control register can have a value
 * @control: the register
 * @value: the value
 *
 * Context: any.
 * Return: true if it can
 */
static inline bool cspmu_accepts(const struct cspmu_control *control, u64 value)
{
	return !((value ^ control->fixed) & ~control->writable);
}

/**
 * cspmu_has_slot - whether a monitor has an address filter
 * @cspmu: the PMU
 * @idx: the monitor
 *
 * Context: any.
 * Return: true if it has
 */
static inline bool cspmu_has_slot(const struct coresight_pmu *cspmu,
				  unsigned int idx)
{
	return cspmu->product->slots && idx < CSPMU_NUM_SLOTS;
}

/**
 * cspmu_write_longs - write bits of monitors to a set or clear register
 * @reg: the first word of the register
 * @monitors: bitmap of those that are written as one
 * @longs: number of words of the bitmap; 32-bit words without any are skipped
 *
 * Context: any.
 */
static __always_inline void cspmu_write_longs(void __iomem *reg,
					      const unsigned long *monitors,
					      unsigned int longs)
{
	unsigned long bits;
	unsigned int i;

	for (i = 0; i < longs; i++, reg += sizeof(bits)) {
		bits = monitors[i];
		if (lower_32_bits(bits))
			writel_relaxed(lower_32_bits(bits), reg);
		if (upper_32_bits(bits))
			writel_relaxed(upper_32_bits(bits), reg + sizeof(u32));
	}
}

/**
 * cspmu_write_bits - the same for all monitors of a PMU
 * @cspmu: the PMU
 * @reg: the first word of the register
 * @monitors: bitmap of those that are written as one
 *
 * Context: any.
 */
static inline void cspmu_write_bits(const struct coresight_pmu *cspmu,
				    void __iomem *reg,
				    const unsigned long *monitors)
{
	cspmu_write_longs(reg, monitors,
			  BITS_TO_LONGS(cspmu->syspmu.num_counters));
}

/**
 * cspmu_clear_all - write ones for all monitors to a clear register
 * @cspmu: the PMU
 * @reg: the first word of the register
 *
 * Firmware may have used monitors that events do not use.
 *
 * Context: any.
 */
static inline void cspmu_clear_all(const struct coresight_pmu *cspmu,
				   void __iomem *reg)
{
	cspmu_write_bits(cspmu, reg, cspmu->existing);
}

u64 cspmu_read_control(const struct coresight_pmu *cspmu, void __iomem *reg);
void cspmu_write_reg(const struct coresight_pmu *cspmu, void __iomem *reg,
		     u64 value);
void cspmu_write_control(struct coresight_pmu *cspmu,
			 struct cspmu_control *control, unsigned int first,
			 unsigned int idx, u64 value, bool always);
int cspmu_identify(struct coresight_pmu *cspmu);
int cspmu_classify(struct coresight_pmu *cspmu);
int cspmu_find_saved_values(struct coresight_pmu *cspmu);
void cspmu_stop(struct coresight_pmu *cspmu);
bool cspmu_keeps_overflows(struct coresight_pmu *cspmu);
void cspmu_set_overflows(struct coresight_pmu *cspmu);
void cspmu_clear_overflows(struct coresight_pmu *cspmu);
void cspmu_find_overflowing(struct coresight_pmu *cspmu,
			    unsigned long *monitors);
extern const struct arm_syspmu_ops cspmu_ops;

int cspmu_chain_monitors(struct coresight_pmu *cspmu);
void cspmu_program_upper(struct coresight_pmu *cspmu, unsigned int idx);
void cspmu_write_chained(const struct coresight_pmu *cspmu, void __iomem *reg,
			 const unsigned long *counters);

void cspmu_find_messages(struct coresight_pmu *cspmu);
bool cspmu_set_message(struct coresight_pmu *cspmu);
void cspmu_enable_interrupt(struct coresight_pmu *cspmu);
void cspmu_disable_interrupt(struct coresight_pmu *cspmu);
void cspmu_set_silent(struct coresight_pmu *cspmu, unsigned int idx,
		      bool silent);
void cspmu_write_msi(struct arm_syspmu *syspmu);
bool cspmu_msi_aborted(struct arm_syspmu *syspmu);

bool cspmu_is_gauge(struct arm_syspmu *syspmu, const struct perf_event *event);
u64 cspmu_decode_filter(const struct cspmu_product *product, u64 config1);
u64 cspmu_decode_filter2(const struct coresight_pmu *cspmu, u64 config2);
int cspmu_event_init(struct arm_syspmu *syspmu, struct perf_event *event);
unsigned int cspmu_choose_counter(struct arm_syspmu *syspmu,
				  const struct perf_event *event,
				  const unsigned long *taken);
bool cspmu_freezes(const struct perf_event *event);
bool cspmu_uses_filter(const struct perf_event *event);
const char *cspmu_conflict(struct arm_syspmu *syspmu,
			   const struct perf_event *a,
			   const struct perf_event *b);
void cspmu_set_format(struct coresight_pmu *cspmu);

bool cspmu_is_target_cycles(const struct perf_event *event);
int cspmu_init_target_event(struct coresight_pmu *cspmu,
			    struct perf_event *event);
bool cspmu_can_count_target(const struct cspmu_class *class,
			    const struct perf_event *event);
u64 cspmu_program_target(struct coresight_pmu *cspmu,
			 const struct perf_event *event);
void cspmu_disable_slots(const struct coresight_pmu *cspmu);
void cspmu_find_slots(struct coresight_pmu *cspmu);

const char *cspmu_security_text(const struct coresight_pmu *cspmu);
extern const struct attribute_group cspmu_security_group;

int cspmu_read_firmware(struct coresight_pmu *cspmu);
void cspmu_find_near_cpus(struct coresight_pmu *cspmu);
struct acpi_device *cspmu_get_acpi_device(const struct coresight_pmu *cspmu);
int cspmu_choose_name(struct coresight_pmu *cspmu);
void cspmu_free_name(struct coresight_pmu *cspmu);

#endif /* ARM_CORESIGHT_PMU_H */
