/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stimulus page of an emulated machine: makes PMCG events happen, and looks
 * at a PMCG's registers without touching them. Machines without it exist; every
 * test that needs it must then skip.
 */
#ifndef ARM_SYSPMU_STIMULUS_H
#define ARM_SYSPMU_STIMULUS_H

#include <linux/types.h>
#include <stdbool.h>

#define STIMULUS_ALL_INSTANCES	0xffffffffU
#define STIMULUS_ALL_REGISTERS	0xffffffffU

/* Attributes of an injected event. */
#define STIMULUS_NON_SECURE	0
#define STIMULUS_SECURE		1
#define STIMULUS_REALM		2
#define STIMULUS_ROOT		3
#define STIMULUS_NO_STREAM_ID	0x100U

/* PARTID spaces, as EVTYPERn.FILTER_MPAM_SP encodes them, IHI 0070 §10.5.2.2. */
#define STIMULUS_PARTID_SECURE		0
#define STIMULUS_PARTID_NON_SECURE	1
#define STIMULUS_PARTID_REALM		3

/* What becomes of an MSI. */
#define STIMULUS_MSI_DELIVERED	0
#define STIMULUS_MSI_ABORTED	1
#define STIMULUS_MSI_LOST	2

/* What is wrong with a PMCG though its identification looks sound. */
#define STIMULUS_KEEPS_NOTHING	1
#define STIMULUS_SHARED_STORAGE	2

/* As in SMMU_PMCG_SCR, IHI 0070 §10.5.2.12. */
#define STIMULUS_SCR_SO		0x1
#define STIMULUS_SCR_NSRA	0x2
#define STIMULUS_SCR_RESTORE	0x80000000U

/* PMCG registers, IHI 0070 §10.5.1; the flag picks page 1. */
#define PMCG_PAGE_1		0x10000U
#define PMCG_EVTYPER(n)		(0x400U + 4 * (n))
#define PMCG_SVR		0x600U
#define PMCG_SMR(n)		(0xa00U + 4 * (n))
#define PMCG_CNTENSET0		0xc00U
#define PMCG_CNTENCLR0		0xc20U
#define PMCG_INTENSET0		0xc40U
#define PMCG_INTENCLR0		0xc60U
#define PMCG_OVSCLR0		0xc80U
#define PMCG_OVSSET0		0xcc0U
#define PMCG_CAPR		0xd88U
#define PMCG_CFGR		0xe00U
#define PMCG_CR			0xe04U
#define PMCG_IIDR		0xe08U
#define PMCG_CEID0		0xe20U
#define PMCG_CEID1		0xe28U
#define PMCG_ROOTCR		0xe48U
#define PMCG_IRQ_CTRL		0xe50U
#define PMCG_IRQ_CTRLACK	0xe54U
#define PMCG_IRQ_STATUS		0xe68U
#define PMCG_AIDR		0xe70U
#define PMCG_MPAMIDR		0xe74U
#define PMCG_PIDR4		0xfd0U
#define PMCG_PIDR0		0xfe0U
#define PMCG_PIDR1		0xfe4U
#define PMCG_PIDR2		0xfe8U
#define PMCG_PIDR3		0xfecU
#define PMCG_CIDR0		0xff0U
#define PMCG_CIDR1		0xff4U
#define PMCG_CIDR2		0xff8U
#define PMCG_CIDR3		0xffcU

#define PMCG_EVTYPER_EVENT		0xffffU
#define PMCG_EVTYPER_FILTER_REALM_SID	0x10000000U
#define PMCG_EVTYPER_FILTER_SID_SPAN	0x20000000U
#define PMCG_EVTYPER_FILTER_SEC_SID	0x40000000U
#define PMCG_EVTYPER_OVFCAP		0x80000000U

/**
 * struct stimulus - the page, acting on one instance
 * @page: mapping, NULL where there is none
 * @missing: why there is none
 * @instances: number of PMCG instances it serves
 * @instance: that the functions below act on
 */
struct stimulus {
	void *page;
	char missing[160];
	__u32 instances;
	__u32 instance;
};

/**
 * struct stimulus_event - an event with all that a filter can look at
 * @event: number
 * @stream_id: the event comes from
 * @attributes: STIMULUS_SECURE and so on
 * @partid: output PARTID
 * @pmg: output PMG
 * @partid_space: STIMULUS_PARTID_SECURE and so on
 */
struct stimulus_event {
	__u32 event;
	__u32 stream_id;
	__u32 attributes;
	__u16 partid;
	__u8 pmg;
	__u8 partid_space;
};

/**
 * struct stimulus_msi - an MSI as it arrives
 * @address: it is written to
 * @data: that is written
 * @memory_attributes: IRQ_CFG2.MEMATTR
 * @shareability: IRQ_CFG2.SH as far as it has an effect
 * @partid: GMPAM.PO_PARTID
 * @pmg: GMPAM.PO_PMG
 */
struct stimulus_msi {
	__u64 address;
	__u32 data;
	__u8 memory_attributes;
	__u8 shareability;
	__u16 partid;
	__u8 pmg;
};

/**
 * struct pmcg_hardware - what a PMCG's identification registers say
 * @cfgr: SMMU_PMCG_CFGR
 * @counters: how many
 * @bits: of each counter
 * @global_filter: SID_FILTER_TYPE
 * @capture: CAPTURE, shadow registers exist
 * @msi: MSI
 * @partid_filter: FILTER_PARTID_PMG
 * @partid_max: the largest Non-secure PARTID that a filter can have
 * @pmg_max: the largest Non-secure PMG
 * @partid_limits: MPAMIDR tells these two; without CFGR.MPAM it may not
 * @counter_page: PMCG_PAGE_1 where counters and overflow status are there, or 0
 * @ceid: SMMU_PMCG_CEID0 and CEID1
 * @defect: STIMULUS_KEEPS_NOTHING and so on, 0 for none
 * @sane: Non-secure software can use it, its size is one that exists, and so are its
 *	counters
 */
struct pmcg_hardware {
	__u32 cfgr;
	unsigned int counters;
	unsigned int bits;
	bool global_filter;
	bool capture;
	bool msi;
	bool partid_filter;
	unsigned int partid_max;
	unsigned int pmg_max;
	bool partid_limits;
	__u32 counter_page;
	__u64 ceid[2];
	__u32 defect;
	bool sane;
};

int stimulus_open(struct stimulus *stimulus);
int stimulus_choose(struct stimulus *stimulus, __u64 page_0);
__u64 stimulus_page_0(struct stimulus *stimulus, __u32 instance);
__u64 stimulus_page_1(struct stimulus *stimulus, __u32 instance);

void stimulus_prepare(struct stimulus *stimulus, __u32 event, __u32 stream_id);
void stimulus_repeat(struct stimulus *stimulus, __u64 number);
void stimulus_inject(struct stimulus *stimulus, __u32 event, __u32 stream_id,
		     __u64 number);
void stimulus_inject_as(struct stimulus *stimulus, __u32 event, __u32 stream_id,
			__u32 attributes, __u64 number);
void stimulus_inject_event(struct stimulus *stimulus, const struct stimulus_event *event,
			   __u64 number);
void stimulus_tear(struct stimulus *stimulus, __u32 event, __u32 stream_id,
		   __u64 number);
void stimulus_step(struct stimulus *stimulus, __u32 event, __u32 stream_id,
		   __u64 number);
void stimulus_precede(struct stimulus *stimulus, __u32 offset, __u32 event, __u32 stream_id,
		      __u64 number);
void stimulus_tear_write(struct stimulus *stimulus, __u32 offset, __u32 event,
			 __u32 stream_id, __u64 number);
__u64 stimulus_write_tears(struct stimulus *stimulus);
__u64 stimulus_to_come(struct stimulus *stimulus);
void stimulus_hold(struct stimulus *stimulus, bool hold);
__u64 stimulus_edges(struct stimulus *stimulus);
__u32 stimulus_line(struct stimulus *stimulus);
__u64 stimulus_msis(struct stimulus *stimulus);
void stimulus_last_msi(struct stimulus *stimulus, struct stimulus_msi *msi);
void stimulus_msi_fate(struct stimulus *stimulus, __u32 fate);
void stimulus_acknowledge_late(struct stimulus *stimulus, __u32 reads);
void stimulus_capture(struct stimulus *stimulus);
__u32 stimulus_secure_control(struct stimulus *stimulus);
void stimulus_set_secure_control(struct stimulus *stimulus, __u32 control);
void stimulus_set_delay(struct stimulus *stimulus, __u32 events);
void stimulus_lose_state(struct stimulus *stimulus, __u32 seed);
void stimulus_dead(struct stimulus *stimulus, bool dead);
void stimulus_dead_after(struct stimulus *stimulus, __u32 reads);
void stimulus_reset(struct stimulus *stimulus, __u32 seed);
void stimulus_traffic(struct stimulus *stimulus, bool traffic);

__u64 stimulus_peek(struct stimulus *stimulus, __u32 offset);
__u32 stimulus_peek32(struct stimulus *stimulus, __u32 offset);
__u64 stimulus_reads(struct stimulus *stimulus, __u32 offset);
__u64 stimulus_writes(struct stimulus *stimulus, __u32 offset);

void pmcg_hardware(struct stimulus *stimulus, struct pmcg_hardware *hardware);
__u64 pmcg_counter(struct stimulus *stimulus, const struct pmcg_hardware *hardware,
		   unsigned int counter);
__u64 pmcg_counter_reads(struct stimulus *stimulus, const struct pmcg_hardware *hardware);
int pmcg_counter_of_event(struct stimulus *stimulus, const struct pmcg_hardware *hardware,
			  __u32 event);
__u64 pmcg_overflow_status(struct stimulus *stimulus, const struct pmcg_hardware *hardware);

#endif
