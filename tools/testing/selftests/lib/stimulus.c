// SPDX-License-Identifier: GPL-2.0
/*
 * The stimulus page of an emulated machine: injects events, and reads the registers of a PMU
 * without side effects.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mmio.h"
#include "device.h"
#include "platform.h"
#include "stimulus.h"

#define COMPATIBLE	"arm-syspmu,stimulus"
#define ACPI_HID	"SPMU0001"

#define STIMULUS_ID		0x000
#define STIMULUS_VERSION	0x004
#define STIMULUS_INSTANCES	0x008
#define STIMULUS_SELECT		0x00c
#define STIMULUS_BASE0		0x010
#define STIMULUS_BASE1		0x018
#define STIMULUS_SPI		0x020
#define STIMULUS_PEEK_OFFSET	0x028
#define STIMULUS_PEEK_DATA	0x030
#define STIMULUS_EVENT		0x040
#define STIMULUS_STREAMID	0x044
#define STIMULUS_ATTRIBUTES	0x048
#define STIMULUS_MPAM		0x04c
#define STIMULUS_INJECT		0x050
#define STIMULUS_TEAR		0x058
#define STIMULUS_COUNT_OFFSET	0x060
#define STIMULUS_READS		0x068
#define STIMULUS_WRITES		0x070
#define STIMULUS_IRQ_HOLD	0x080
#define STIMULUS_IRQ_EDGES	0x088
#define STIMULUS_TRAFFIC	0x090
#define STIMULUS_RESET		0x094
#define STIMULUS_ACK_DELAY	0x098
#define STIMULUS_MSI_FATE	0x09c
#define STIMULUS_STEP		0x0a0
#define STIMULUS_MSIS		0x0a8
#define STIMULUS_DEAD		0x0b0
#define STIMULUS_LOSE		0x0b8
#define STIMULUS_WRITE_OFFSET	0x0bc
#define STIMULUS_PRECEDE	0x0c0
#define STIMULUS_READS_LEFT	0x0c8
#define STIMULUS_DELAY		0x0cc
#define STIMULUS_DEFECT		0x0d0
#define STIMULUS_LIMITS		0x0d4
#define STIMULUS_MSI_ATTR	0x0ec
#define STIMULUS_CAPTURE	0x0f4
#define STIMULUS_SCR		0x0f8
#define STIMULUS_FAMILY		0x0fc
#define STIMULUS_AGENT		0x100

#define EXPECTED_ID		0x554d5053U
#define EXPECTED_VERSION	5U

#define MPAM(partid, pmg, space)	((partid) | (pmg) << 16 | (space) << 24)

static __u32 get32(struct stimulus *stimulus, unsigned int offset)
{
	return mmio_read32(stimulus->page, offset);
}

static __u64 get64(struct stimulus *stimulus, unsigned int offset)
{
	return mmio_read64(stimulus->page, offset);
}

static void put32(struct stimulus *stimulus, unsigned int offset, __u32 value)
{
	mmio_write32(stimulus->page, offset, value);
}

static void put64(struct stimulus *stimulus, unsigned int offset, __u64 value)
{
	mmio_write64(stimulus->page, offset, value);
}

/* The address of the page according to firmware, or 0. */
static __u64 find_page(void)
{
	__u64 address;

	if (!device_address(ACPI_HID ":", &address))
		return address;
	return device_nth_compatible(COMPATIBLE, 0);
}

static int lacks(struct stimulus *stimulus, const char *what)
{
	snprintf(stimulus->missing, sizeof(stimulus->missing),
		 "it needs the stimulus page of the lab: %s", what);
	stimulus->page = NULL;
	return -1;
}

/*
 * Map the stimulus page. It stays mapped, and tests inherit the mapping from the harness. Returns
 * -1 with @stimulus->missing set if there is none.
 */
int stimulus_open(struct stimulus *stimulus)
{
	static __u64 address;
	static void *page;

	memset(stimulus, 0, sizeof(*stimulus));
	if (!page) {
		address = find_page();
		if (!address)
			return lacks(stimulus, "no device " COMPATIBLE " or " ACPI_HID);
		page = page_map(address);
		if (!page)
			return lacks(stimulus, "/dev/mem cannot be mapped");
	}
	stimulus->page = page;
	stimulus->address = address;
	if (get32(stimulus, STIMULUS_ID) != EXPECTED_ID ||
	    get32(stimulus, STIMULUS_VERSION) != EXPECTED_VERSION)
		return lacks(stimulus, "unknown identification");
	stimulus->instances = get32(stimulus, STIMULUS_INSTANCES);
	return 0;
}

static void select_instance(struct stimulus *stimulus)
{
	put32(stimulus, STIMULUS_SELECT, stimulus->instance);
}

/* The read only returns after the store has taken effect. */
static void tell(struct stimulus *stimulus, unsigned int offset, __u32 value)
{
	select_instance(stimulus);
	put32(stimulus, offset, value);
	get32(stimulus, STIMULUS_ID);
}

static __u32 ask32(struct stimulus *stimulus, unsigned int offset)
{
	select_instance(stimulus);
	return get32(stimulus, offset);
}

static __u64 ask64(struct stimulus *stimulus, unsigned int offset)
{
	select_instance(stimulus);
	return get64(stimulus, offset);
}

/* The physical address of page 0 of an instance, which is selected for the other functions. */
__u64 stimulus_page_0(struct stimulus *stimulus, __u32 instance)
{
	stimulus->instance = instance;
	return ask64(stimulus, STIMULUS_BASE0);
}

/* The same of page 1; 0 if there is none. */
__u64 stimulus_page_1(struct stimulus *stimulus, __u32 instance)
{
	stimulus->instance = instance;
	return ask64(stimulus, STIMULUS_BASE1);
}

/* Select the instance at an address for the other functions. */
int stimulus_choose(struct stimulus *stimulus, __u64 page_0)
{
	__u32 instance;

	for (instance = 0; instance < stimulus->instances; instance++)
		if (stimulus_page_0(stimulus, instance) == page_0)
			return 0;
	return -ENODEV;
}

/* Set the event that stimulus_repeat() injects. */
void stimulus_prepare(struct stimulus *stimulus, __u32 event, __u32 stream_id)
{
	select_instance(stimulus);
	put32(stimulus, STIMULUS_EVENT, event);
	put32(stimulus, STIMULUS_STREAMID, stream_id);
	put32(stimulus, STIMULUS_ATTRIBUTES, STIMULUS_NON_SECURE);
	put32(stimulus, STIMULUS_MPAM, MPAM(0, 0, STIMULUS_PARTID_NON_SECURE));
}

/* Where a write of 1, of 32 bits, does what stimulus_capture() does: a physical address. */
__u64 stimulus_capture_register(struct stimulus *stimulus)
{
	select_instance(stimulus);
	return stimulus->address + STIMULUS_CAPTURE;
}

/* Inject the prepared event. A single store: several threads can do it at once. */
void stimulus_repeat(struct stimulus *stimulus, __u64 number)
{
	put64(stimulus, STIMULUS_INJECT, number);
}

/* Inject events with attributes, STIMULUS_SECURE and so on. */
void stimulus_inject_as(struct stimulus *stimulus, __u32 event, __u32 stream_id,
			__u32 attributes, __u64 number)
{
	stimulus_prepare(stimulus, event, stream_id);
	put32(stimulus, STIMULUS_ATTRIBUTES, attributes);
	put64(stimulus, STIMULUS_INJECT, number);
	/* The read only returns after the store has taken effect. */
	get32(stimulus, STIMULUS_ID);
}

void stimulus_inject(struct stimulus *stimulus, __u32 event, __u32 stream_id, __u64 number)
{
	stimulus_inject_as(stimulus, event, stream_id, STIMULUS_NON_SECURE, number);
}

/* Inject an event that is described completely. */
void stimulus_inject_event(struct stimulus *stimulus, const struct stimulus_event *event,
			   __u64 number)
{
	stimulus_prepare(stimulus, event->event, event->stream_id);
	put32(stimulus, STIMULUS_ATTRIBUTES, event->attributes);
	put32(stimulus, STIMULUS_MPAM, MPAM(event->partid, event->pmg, event->partid_space));
	put64(stimulus, STIMULUS_INJECT, number);
	get32(stimulus, STIMULUS_ID);
}

/*
 * Inject events during the next 64-bit counter read. Here and below, 0 events cancel an earlier
 * call.
 */
void stimulus_tear(struct stimulus *stimulus, __u32 event, __u32 stream_id, __u64 number)
{
	stimulus_prepare(stimulus, event, stream_id);
	put64(stimulus, STIMULUS_TEAR, number);
}

/* Inject events before each read of a counter or its shadow. */
void stimulus_step(struct stimulus *stimulus, __u32 event, __u32 stream_id, __u64 number)
{
	stimulus_prepare(stimulus, event, stream_id);
	put64(stimulus, STIMULUS_STEP, number);
}

/* Inject events just before the next write of a register. */
void stimulus_precede(struct stimulus *stimulus, __u32 offset, __u32 event, __u32 stream_id,
		      __u64 number)
{
	stimulus_prepare(stimulus, event, stream_id);
	put32(stimulus, STIMULUS_WRITE_OFFSET, offset);
	put64(stimulus, STIMULUS_PRECEDE, number);
}

/* Events of stimulus_precede() that have not occurred yet. */
__u64 stimulus_to_come(struct stimulus *stimulus)
{
	return ask64(stimulus, STIMULUS_PRECEDE);
}

/* Hold the instance's interrupt back, or deliver it. */
void stimulus_hold(struct stimulus *stimulus, bool hold)
{
	tell(stimulus, STIMULUS_IRQ_HOLD, hold);
}

/* Number of interrupts that the instance has raised, including held ones. */
__u64 stimulus_edges(struct stimulus *stimulus)
{
	return ask64(stimulus, STIMULUS_IRQ_EDGES);
}

/* The shared peripheral interrupt of the instance; meaningless if it has none. */
__u32 stimulus_irq(struct stimulus *stimulus)
{
	return ask32(stimulus, STIMULUS_SPI);
}

/* Number of MSIs that the instance has sent, including aborted and lost ones. */
__u64 stimulus_msis(struct stimulus *stimulus)
{
	return ask64(stimulus, STIMULUS_MSIS);
}

/* MEMATTR and SH of the instance's last MSI, as IRQ_CFG2 has them, IHI 0070 §10.5.2.23. */
__u32 stimulus_msi_attributes(struct stimulus *stimulus)
{
	return ask32(stimulus, STIMULUS_MSI_ATTR);
}

/* Set what happens to the instance's MSIs: STIMULUS_MSI_DELIVERED and so on. */
void stimulus_msi_fate(struct stimulus *stimulus, __u32 fate)
{
	tell(stimulus, STIMULUS_MSI_FATE, fate);
}

/* Make this many reads of IRQ_CTRLACK return the old value after each change. */
void stimulus_acknowledge_late(struct stimulus *stimulus, __u32 reads)
{
	tell(stimulus, STIMULUS_ACK_DELAY, reads);
}

/* Make changes of what counters count take effect late, by this many events. */
void stimulus_set_delay(struct stimulus *stimulus, __u32 events)
{
	tell(stimulus, STIMULUS_DELAY, events);
}

/* Make an external mechanism capture the instance's counters. */
void stimulus_capture(struct stimulus *stimulus)
{
	tell(stimulus, STIMULUS_CAPTURE, 1);
}

/*
 * Set STIMULUS_SCR_SO and STIMULUS_SCR_NSRA, or with STIMULUS_SCR_RESTORE the value after reset. It
 * has no effect on an instance without Secure state.
 */
void stimulus_set_secure_control(struct stimulus *stimulus, __u32 control)
{
	tell(stimulus, STIMULUS_SCR, control);
}

/*
 * Turn the power of the instance off or on. Without, it reads as ones, counts nothing, and retains
 * its state.
 */
void stimulus_dead(struct stimulus *stimulus, bool dead)
{
	tell(stimulus, STIMULUS_DEAD, dead);
}

/* Turn the power of the instance off after this many reads, at least one. */
void stimulus_dead_after(struct stimulus *stimulus, __u32 reads)
{
	tell(stimulus, STIMULUS_READS_LEFT, reads);
}

/* How many of these reads are left. */
__u32 stimulus_reads_left(struct stimulus *stimulus)
{
	return ask32(stimulus, STIMULUS_READS_LEFT);
}

/*
 * Make the instance lose its power in its next sleep; the seed is for its registers after that. A
 * sleep begins when the driver clears CR.E of a PMCG, or disables the interrupts of a stopped
 * CoreSight PMU.
 */
void stimulus_lose_state(struct stimulus *stimulus, __u32 seed)
{
	tell(stimulus, STIMULUS_LOSE, seed);
}

/* Reset the instance. The seed is for the bits whose reset value is UNKNOWN. */
void stimulus_reset(struct stimulus *stimulus, __u32 seed)
{
	tell(stimulus, STIMULUS_RESET, seed);
}

/* Whether the instance counts real events, or only injected ones. */
void stimulus_traffic(struct stimulus *stimulus, bool traffic)
{
	tell(stimulus, STIMULUS_TRAFFIC, traffic);
}

/* What a Non-secure read of a 64-bit register would return, without side effects. */
__u64 stimulus_peek(struct stimulus *stimulus, __u32 offset)
{
	tell(stimulus, STIMULUS_PEEK_OFFSET, offset);
	return get64(stimulus, STIMULUS_PEEK_DATA);
}

/* The same of a register of 32 bits. */
__u32 stimulus_peek32(struct stimulus *stimulus, __u32 offset)
{
	return stimulus_peek(stimulus, offset & ~7U) >> (offset & 4 ? 32 : 0);
}

/* How often software has read a register, or STIMULUS_ALL_REGISTERS. */
__u64 stimulus_reads(struct stimulus *stimulus, __u32 offset)
{
	tell(stimulus, STIMULUS_COUNT_OFFSET, offset);
	return get64(stimulus, STIMULUS_READS);
}

/* How often software has written it. */
__u64 stimulus_writes(struct stimulus *stimulus, __u32 offset)
{
	tell(stimulus, STIMULUS_COUNT_OFFSET, offset);
	return get64(stimulus, STIMULUS_WRITES);
}

/*
 * Why the instance is unusable although its identification is valid: STIMULUS_KEEPS_NOTHING and so
 * on, or 0.
 */
__u32 stimulus_defect(struct stimulus *stimulus)
{
	return ask32(stimulus, STIMULUS_DEFECT);
}

/* Set the state of the agent that the instance monitors: STIMULUS_AGENT_HALTED and so on. */
void stimulus_set_agent(struct stimulus *stimulus, __u32 state)
{
	tell(stimulus, STIMULUS_AGENT, state);
}

/* The family of PMUs that the instance belongs to. */
__u32 stimulus_family(struct stimulus *stimulus)
{
	return ask32(stimulus, STIMULUS_FAMILY);
}

/* The largest Non-secure PARTID and PMG of the instance. */
void stimulus_partid_limits(struct stimulus *stimulus, unsigned int *partid, unsigned int *pmg)
{
	__u32 limits = ask32(stimulus, STIMULUS_LIMITS);

	*partid = limits & 0xffff;
	*pmg = limits >> 16 & 0xff;
}
