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
 * drop NAME			closes the one of this name that was opened first
 * period NAME N		changes its period, and begins it
 * KIND N, KIND@N N		so many events occur at one instant, from pmu.source or another one
 * step KIND N			so many occur before each read of a counter or shadow; 0: no more
 * hold, release		interrupts
 * await			all overflows are handled, by an interrupt or a timer
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

/* Plays the steps on a machine. Returns what is wrong, or why it is skipped; NULL if nothing is. */
const char *scenario_play(struct machine *machine, const char *steps, bool *skipped);

#endif
