/* SPDX-License-Identifier: GPL-2.0 */
/* The PMUs of the CoreSight PMU Architecture: their monitors, events and filters. */
#ifndef ARM_SYSPMU_CORESIGHT_H
#define ARM_SYSPMU_CORESIGHT_H

#include "coresight_registers.h"
#include "pmu.h"

/* Event numbers that every PMU of the lab counts; the architecture does not define any. */
#define CORESIGHT_EVENT		0x1
#define CORESIGHT_OTHER_EVENT	0x2

/* The fixed event of monitor 0; other monitors with one count the next ones. */
#define CORESIGHT_FIRST_FIXED	0x100

/* The number of the cycle counter in perf, and a number that no monitor can have. */
#define CORESIGHT_EVENT_CYCLES		0x100000000ULL
#define CORESIGHT_EVENT_UNDEFINED	0x100000001ULL

/* The contents of the registers that only such a PMU has. */
struct coresight_hardware {
	__u32 cfgr;
	bool wide_registers;	/* registers are not at the offsets of IHI 0091 A.a */
	unsigned int monitors;	/* number of event monitors, not including the cycle counter */
	unsigned int monitor[CORESIGHT_MONITORS];	/* their numbers, in ascending order */
	bool cycle_counter;	/* there is one */
	unsigned int stride;	/* bytes from one monitor to the next one */
	__u32 page_1;	/* STIMULUS_PAGE_1 if monitors and overflow status are on page 1, or 0 */
};

extern const struct pmu_family coresight_family;
extern const struct reference_driver coresight_reference_driver;

void coresight_read_hardware(struct stimulus *stimulus, struct coresight_hardware *hardware);

#endif
