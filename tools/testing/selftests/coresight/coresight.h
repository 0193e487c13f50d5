/* SPDX-License-Identifier: GPL-2.0 */
/* The PMUs of the CoreSight PMU Architecture: their monitors, events and filters. */
#ifndef ARM_SYSPMU_CORESIGHT_H
#define ARM_SYSPMU_CORESIGHT_H

#include "coresight_registers.h"
#include "pmu.h"

/* Numbers that any PMU of the lab counts: an architecture defines none. */
#define CORESIGHT_EVENT		0x1
#define CORESIGHT_OTHER_EVENT	0x2

/* What perf calls the cycle counter, and a number that no monitor can have. */
#define CORESIGHT_EVENT_CYCLES		0x100000000ULL
#define CORESIGHT_EVENT_UNDEFINED	0x100000001ULL

/**
 * struct coresight_hardware - what only the registers of such a PMU say
 * @cfgr: PMCFGR
 * @wide_registers: registers are where IHI 0091 A.a does not have them
 * @monitors: how many event monitors there are, the cycle counter not included
 * @monitor: their numbers, in ascending order
 * @adds_up: the groups have as many as there are in all
 * @cycle_counter: there is one
 * @stride: bytes from one monitor to the next one
 * @page_1: STIMULUS_PAGE_1 if monitors and overflow status are there, or 0
 */
struct coresight_hardware {
	__u32 cfgr;
	bool wide_registers;
	unsigned int monitors;
	unsigned int monitor[CORESIGHT_MONITORS];
	bool adds_up;
	bool cycle_counter;
	unsigned int stride;
	__u32 page_1;
};

extern const struct pmu_family coresight_family;

void coresight_read_hardware(struct stimulus *stimulus, struct coresight_hardware *hardware);

#endif
