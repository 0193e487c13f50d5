/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scenario is a list of steps: events are opened, counted, read, stopped and closed, while the
 * interrupt is held back or not. What each count and sample must be follows from the steps. They
 * are separated by ";":
 *
 * open NAME KIND [SETTING...]	an event; SETTINGs are "pinned", "disabled", "in=NAME" (of its
 *				leader), "group" (it is read as a whole), "copies=N" (so many; with
 *				"group" the first one leads the others), "period=N" (it samples),
 *				"countless" (its samples have no counts), "anycounts" (they are not
 *				looked at), "from=N", "span=N" (filters)
 * refuse NAME KIND [SETTING...]	the same is refused
 * close, stop, start, reset NAME
 * period NAME N		changes its period, and begins it
 * KIND N, KIND@N N		so many events occur at one instant, from pmu.source or another one
 * step KIND N			so many occur before each read of a counter or shadow; 0: no more
 * hold, release		interrupts
 * suspend, sleep		and resume; the registers lose their values in a sleep
 * away, back			the CPU of the PMU goes offline, and comes back
 * read [NAME...]		all counts, or those of some events, are as expected
 * status [NAME...]		the counters of these events, and no others, have overflowed
 * N times { ... }		repeats steps
 * each N, N... { ... }		does steps for each number
 * if N { ... }			does steps if N is not 0
 * need N counters, need WHAT	or the test is skipped; see need() for WHAT
 *
 * A KIND is x, y, z (events that the stimulus can inject), c (the clock) or s (of software). N is a
 * number, a name, or several of these with + - * / % == > and parentheses. Names: "round" (of the
 * innermost "times", from 0), "n" (of "each"), "half", "range" (of a counter), "counters",
 * "random(N)" (less than N), "wrap" (events until the counter of this KIND wraps), "below(N)"
 * (until N more would make it wrap), "end" (until the period of its event ends), "total" (what the
 * first event must have counted).
 *
 * All samples are looked at as soon as they must have been made: one for all periods that have
 * ended at once, with the counts at the overflow if it captures.
 */
#ifndef ARM_SYSPMU_SCENARIO_H
#define ARM_SYSPMU_SCENARIO_H

#include "pmu.h"
#include "ring.h"

#define SCENARIO_EVENTS		(PMU_MAX_COUNTERS + 8)

struct scenario_event {
	char name[16];
	unsigned int id;
	unsigned int leader;	/* its own id if it leads */
	int fd;
	char kind;
	bool filtered;
	__u32 source;	/* that it counts if it is filtered */
	__u32 span;	/* bits of the source that do not matter */
	bool grouped;	/* it is read with its group */
	bool enabled;
	__u64 total;	/* what it has counted */
	__u64 captured;	/* the same at the last overflow */
	bool saved;	/* a group read has saved it */
	__u64 period;	/* 0: it does not sample */
	__u64 left;	/* events until the period ends */
	__u64 due;	/* periods that have ended, of which no sample was seen */
	bool any_counts;	/* the counts in its samples are not looked at */
	struct ring ring;
};

struct scenario {
	struct machine *machine;
	struct scenario_event events[SCENARIO_EVENTS];
	unsigned int open;
	unsigned int last_id;
	bool held;
	char step_kind;
	__u64 step;
	__u64 step_reads;
	unsigned int samples;
	__u64 random;
	const char *at;	/* the next step */
	char now[64];	/* the present one */
	unsigned long argument;	/* what it is to do */
	char kind;	/* of event that it injects */
	__u64 round;
	__u64 n;
	int gone;	/* CPU that is offline */
	bool skipped;	/* the PMU lacks what it needs; the message says what */
	char message[256];	/* what is wrong */
};

void scenario_begin(struct scenario *scenario, struct machine *machine);
bool scenario_play(struct scenario *scenario, const char *steps);
void scenario_end(struct scenario *scenario);

#endif
