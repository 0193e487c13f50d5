/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Driver for PMUs of the CoreSight Performance Monitoring Unit architecture
 * (IHI 0091): definitions shared by its files.
 */
#ifndef ARM_CORESIGHT_PMU_H
#define ARM_CORESIGHT_PMU_H

#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/io.h>

#include "../arm_syspmu/arm_syspmu.h"
#include "products.h"

/* Limits of the architecture (rule HKCFV) */
#define CSPMU_MAX_MONITORS		256
#define CSPMU_MAX_WIDE_MONITORS		128
#define CSPMU_MAX_EXT64_MONITORS	64

/* There are other registers at the places of the filters of later monitors. */
#define CSPMU_END_OF_FILTERS		0xc00
#define CSPMU_CYCLE_COUNTER		31
#define CSPMU_BITS_PER_WORD		32
#define CSPMU_MAX_WORDS			8

/* Monitors of fewer bits overflow more often than can be handled. */
#define CSPMU_MIN_BITS			32
/* An extended value of 64 bits does not tell their wraps apart. */
#define CSPMU_UNUSABLE_BITS		63

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
#define   CSPMU_PMCFGR_MSI		BIT(20)
#define   CSPMU_PMCFGR_NA		BIT(17)
#define   CSPMU_PMCFGR_CC		BIT(14)
#define   CSPMU_PMCFGR_SIZE		GENMASK(13, 8)
#define   CSPMU_PMCFGR_N		GENMASK(7, 0)
#define CSPMU_PMCR			0xe04
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
#define   CSPMU_PMIRQCR2_DEVICE_NGNRE	1	/* MemAttr */
#define CSPMU_PMIRQSR			0xef8
#define   CSPMU_PMIRQSR_IRQERR		BIT(1)
#define   CSPMU_PMIRQSR_IRQ		BIT(0)
#define CSPMU_PMAUTHSTATUS		0xfb8	/* see also §3.3 */
#define   CSPMU_PMAUTHSTATUS_NSNID	GENMASK(3, 2)
#define   CSPMU_PMAUTHSTATUS_DISABLED	2
#define CSPMU_PMDEVARCH			0xfbc
#define   CSPMU_PMDEVARCH_PRESENT	BIT(20)
#define   CSPMU_PMDEVARCH_ARCHPART	GENMASK(11, 0)
#define   CSPMU_ARCHPART_EXT64		0xaf4	/* NEW */
#define   CSPMU_ARCHPART_EXT64_PAGE1	0xaf5	/* NEW */

#define CSPMU_NUM_SAVED_VALUES		64

/* Address filters, of products that have them */
#define CSPMU_NUM_SLOTS			8
#define CSPMU_FILT2_BITS		GENMASK(15, 0)	/* of PMEVFILT2R */

/* No product has a filter with this value. */
#define CSPMU_UNKNOWN_FILTER		U64_MAX

/*
 * Control registers of a monitor, and where an event has their values. The cycle
 * counter has PMCCFILTR in the place of the first one, and no others.
 */
enum {
	CSPMU_TYPE,		/* PMEVTYPER: hw.config_base */
	CSPMU_FILTER,		/* PMEVFILTR: hw.event_base */
	CSPMU_FILTER2,		/* PMEVFILT2R: hw.config */
	CSPMU_NUM_CONTROLS,
};

struct cspmu_control {
	u64 writable;
	u64 fixed;		/* value of the other bits */
};

struct cspmu_monitor {
	struct cspmu_control control[CSPMU_NUM_CONTROLS];
	u64 value[CSPMU_NUM_CONTROLS];
	bool programmed;	/* These are the values in the hardware. */
	u16 offset;		/* of its value in page 1 */
	u64 saved;		/* its first PMSVR, as a bit */
	/* If it is the first of its kind: all that the same events can use */
	DECLARE_BITMAP(alike, CSPMU_MAX_MONITORS);
};

struct cspmu {
	struct arm_syspmu syspmu;
	void __iomem *page0;
	/* of the monitors, saved values and overflow status; it may be page 0 */
	void __iomem *page1;
	void __iomem *slots;	/* registers of address filters, or NULL */

	/* What firmware says */
	phys_addr_t base;
	char name[64];
	char hid[9];		/* of the ACPI device in APMT, or empty */
	u32 uid;
	struct cpumask cpus;	/* near CPUs; empty if none are known */
	bool halves;		/* 64-bit accesses are not atomic. */

	/* What it implements */
	const struct cspmu_product *product;
	u32 cfgr;
	u32 iidr;
	bool wide;		/* Monitors have more than 32 bits. */
	bool ext64;		/* FEAT_CSPMU_EXT64: control registers, too */
	bool has_filter2;
	DECLARE_BITMAP(existing, CSPMU_MAX_MONITORS);
	/* Those that the core uses as counters */
	DECLARE_BITMAP(valid, CSPMU_MAX_MONITORS);
	/* The first one of each kind. Those that fewer events can use come first. */
	u8 kinds[CSPMU_MAX_MONITORS];
	unsigned int num_kinds;
	/* Those that count overflows; the lower monitor is not a counter. */
	DECLARE_BITMAP(upper, CSPMU_MAX_MONITORS);
	u32 chain_event;
	/* Bits of PMEVTYPER that all monitors have: no event needs to name them. */
	u64 fixed_type;
	u8 *bits;
	unsigned int min_bits;	/* Narrower monitors are not used. */
	struct cspmu_monitor *monitors;
	/* Those whose values a snapshot saves */
	DECLARE_BITMAP(saved, CSPMU_MAX_MONITORS);
	u64 status;		/* the PMSVR that can be PMSSSR, as bits */

	/* State of the hardware */
	bool stopped;		/* until cspmu_end_write() */
	bool stuck;		/* PMCR.NA has stayed set. */
	u64 shared_filter;	/* or CSPMU_UNKNOWN_FILTER */
	/* The last write to page 1 is not ordered with the next to page 0. */
	bool page1_written;
	struct attribute_group events;
	struct attribute_group format;
	const struct attribute_group *groups[5];
};

#define to_cspmu(p) container_of(p, struct cspmu, syspmu)

/* Whether events can use it: it may be narrow, or keep nothing. */
static inline bool cspmu_has_cycle_counter(const struct cspmu *cspmu)
{
	return cspmu->cfgr & CSPMU_PMCFGR_CC &&
	       test_bit(CSPMU_CYCLE_COUNTER, cspmu->valid);
}

static inline bool cspmu_is_cycle_counter(const struct cspmu *cspmu,
					  unsigned int idx)
{
	return idx == CSPMU_CYCLE_COUNTER && cspmu_has_cycle_counter(cspmu);
}

/* Filters are not in PMEVFILTR but in registers for all monitors. */
static inline bool cspmu_has_common_filter(const struct cspmu *cspmu)
{
	return cspmu->product->common[0].offset;
}

/* The monitor that counts the event of a counter */
static inline unsigned int cspmu_lower(const struct cspmu *cspmu,
				       unsigned int idx)
{
	return test_bit(idx, cspmu->upper) ? idx - 1 : idx;
}

static inline bool cspmu_has_slot(const struct cspmu *cspmu, unsigned int idx)
{
	return cspmu->product->slots && idx < CSPMU_NUM_SLOTS;
}

static inline bool cspmu_accepts(const struct cspmu_control *control, u64 value)
{
	return !((value ^ control->fixed) & ~control->writable);
}

/* main.c */
extern unsigned int cspmu_chain_parameter;
int cspmu_setup(struct arm_syspmu *syspmu, struct platform_device *pdev);

/* registers.c */
void cspmu_find_messages(struct cspmu *cspmu);
extern const struct arm_syspmu_ops cspmu_ops;

/* identify.c */
int cspmu_identify(struct cspmu *cspmu);

/* chain.c */
void cspmu_chain_monitors(struct cspmu *cspmu);
void cspmu_program_upper(struct cspmu *cspmu, unsigned int idx);
u64 cspmu_read_pair(const struct cspmu *cspmu, unsigned int idx);

/* events.c */
u64 cspmu_decode_filter(const struct cspmu_product *product, u64 config1);
u64 cspmu_decode_filter2(const struct cspmu *cspmu, u64 config2);
int cspmu_event_init(struct arm_syspmu *syspmu, struct perf_event *event);
unsigned int cspmu_choose_counter(struct arm_syspmu *syspmu,
				  const struct perf_event *event, int preferred,
				  const unsigned long *taken);
void cspmu_set_format(struct cspmu *cspmu);
const char *cspmu_security_text(const struct cspmu *cspmu);

/* target.c */
bool cspmu_is_target_cycles(const struct perf_event *event);
int cspmu_init_target_event(struct cspmu *cspmu, struct perf_event *event);
bool cspmu_can_count_target(const struct cspmu *cspmu, unsigned int idx,
			    const struct perf_event *event);
u64 cspmu_program_target(struct cspmu *cspmu, const struct perf_event *event);
void cspmu_disable_slots(const struct cspmu *cspmu);
void cspmu_find_slots(struct cspmu *cspmu);

/* firmware.c */
int cspmu_read_firmware(struct cspmu *cspmu);
void __iomem *cspmu_map_acpi_device(const struct cspmu *cspmu,
				    resource_size_t size);
void cspmu_choose_name(struct cspmu *cspmu);

/* access.c */
void cspmu_read_bits(const struct cspmu *cspmu, void __iomem *reg,
		     unsigned long *monitors);
void cspmu_write_bits(const struct cspmu *cspmu, void __iomem *reg,
		      const unsigned long *monitors);
void __iomem *cspmu_pmcr(const struct cspmu *cspmu);
void cspmu_complete_page0(const struct cspmu *cspmu);
void cspmu_complete_page1(struct cspmu *cspmu);
int cspmu_stop(struct cspmu *cspmu);
void cspmu_run(struct cspmu *cspmu);
int cspmu_begin_write(struct cspmu *cspmu);
u64 cspmu_read_reg(const struct cspmu *cspmu, void __iomem *reg, bool wide);
void cspmu_write_reg(const struct cspmu *cspmu, void __iomem *reg,
		     u64 value, bool wide);
void __iomem *cspmu_control_reg(const struct cspmu *cspmu,
				unsigned int n, unsigned int idx);
bool cspmu_has_control(const struct cspmu *cspmu, unsigned int idx,
		       unsigned int n, u64 value);
int cspmu_write_control(struct cspmu *cspmu, unsigned int idx,
			unsigned int n, u64 value);
void cspmu_take_snapshot(const struct cspmu *cspmu);

#endif /* ARM_CORESIGHT_PMU_H */
