/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stimulus page of an emulated machine: injects events, and reads the registers of a PMU
 * without side effects. A test that requires it is skipped on machines without it.
 */
#ifndef ARM_SYSPMU_STIMULUS_H
#define ARM_SYSPMU_STIMULUS_H

#include <linux/types.h>
#include <stdbool.h>

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

/* What happens to an MSI. */
#define STIMULUS_MSI_DELIVERED	0
#define STIMULUS_MSI_ABORTED	1
#define STIMULUS_MSI_LOST	2

/* Why an instance is unusable although its identification is valid. */
#define STIMULUS_KEEPS_NOTHING	1
#define STIMULUS_SHARED_STORAGE	2

/* States of the agent that a CoreSight PMU monitors. */
#define STIMULUS_AGENT_HALTED		0x1
#define STIMULUS_AGENT_NOT_CAPTURED	0x4
#define STIMULUS_AGENT_STUCK		0x8

/* Families of PMUs. */
#define STIMULUS_PMCG		0
#define STIMULUS_CORESIGHT	1

/* As in SMMU_PMCG_SCR, IHI 0070 §10.5.2.12. */
#define STIMULUS_SCR_SO		0x1
#define STIMULUS_SCR_NSRA	0x2
#define STIMULUS_SCR_RESTORE	0x80000000U

/* With an offset: on register page 1 */
#define STIMULUS_PAGE_1		0x10000U

/* The page, with one instance selected. */
struct stimulus {
	void *page;	/* mapping, NULL if there is none */
	__u64 address;	/* its physical address */
	char missing[160];	/* why there is none */
	__u32 instances;	/* number of instances */
	__u32 instance;	/* the selected one */
};

/* An event with everything that a filter can compare. */
struct stimulus_event {
	__u32 event;	/* number */
	__u32 stream_id;	/* the event comes from */
	__u32 attributes;	/* STIMULUS_SECURE and so on */
	__u16 partid;	/* output PARTID */
	__u8 pmg;	/* output PMG */
	__u8 partid_space;	/* STIMULUS_PARTID_SECURE and so on */
};

int stimulus_open(struct stimulus *stimulus);
int stimulus_choose(struct stimulus *stimulus, __u64 page_0);
__u64 stimulus_page_0(struct stimulus *stimulus, __u32 instance);
__u64 stimulus_page_1(struct stimulus *stimulus, __u32 instance);

void stimulus_prepare(struct stimulus *stimulus, __u32 event, __u32 stream_id);
__u64 stimulus_capture_register(struct stimulus *stimulus);
void stimulus_repeat(struct stimulus *stimulus, __u64 number);
void stimulus_inject(struct stimulus *stimulus, __u32 event, __u32 stream_id, __u64 number);
void stimulus_inject_as(struct stimulus *stimulus, __u32 event, __u32 stream_id,
			__u32 attributes, __u64 number);
void stimulus_inject_event(struct stimulus *stimulus, const struct stimulus_event *event,
			   __u64 number);
void stimulus_tear(struct stimulus *stimulus, __u32 event, __u32 stream_id, __u64 number);
void stimulus_step(struct stimulus *stimulus, __u32 event, __u32 stream_id, __u64 number);
void stimulus_precede(struct stimulus *stimulus, __u32 offset, __u32 event, __u32 stream_id,
		      __u64 number);
__u64 stimulus_to_come(struct stimulus *stimulus);
void stimulus_hold(struct stimulus *stimulus, bool hold);
__u64 stimulus_edges(struct stimulus *stimulus);
__u32 stimulus_irq(struct stimulus *stimulus);
__u64 stimulus_msis(struct stimulus *stimulus);
__u32 stimulus_msi_attributes(struct stimulus *stimulus);
void stimulus_msi_fate(struct stimulus *stimulus, __u32 fate);
void stimulus_acknowledge_late(struct stimulus *stimulus, __u32 reads);
void stimulus_capture(struct stimulus *stimulus);
void stimulus_set_secure_control(struct stimulus *stimulus, __u32 control);
void stimulus_set_delay(struct stimulus *stimulus, __u32 events);
void stimulus_lose_state(struct stimulus *stimulus, __u32 seed);
void stimulus_dead(struct stimulus *stimulus, bool dead);
void stimulus_dead_after(struct stimulus *stimulus, __u32 reads);
__u32 stimulus_reads_left(struct stimulus *stimulus);
void stimulus_reset(struct stimulus *stimulus, __u32 seed);
void stimulus_traffic(struct stimulus *stimulus, bool traffic);

__u64 stimulus_peek(struct stimulus *stimulus, __u32 offset);
__u32 stimulus_peek32(struct stimulus *stimulus, __u32 offset);
__u64 stimulus_reads(struct stimulus *stimulus, __u32 offset);
__u64 stimulus_writes(struct stimulus *stimulus, __u32 offset);

void stimulus_set_agent(struct stimulus *stimulus, __u32 state);
__u32 stimulus_family(struct stimulus *stimulus);
__u32 stimulus_defect(struct stimulus *stimulus);
void stimulus_partid_limits(struct stimulus *stimulus, unsigned int *partid, unsigned int *pmg);

#endif
