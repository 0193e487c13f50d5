/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of a run: session.c counts, session_machine.c opens what depends on the machine, and
 * session_replay.c shows a recording instead.
 */
#ifndef SMMUTOP_SESSION_PRIVATE_H
#define SMMUTOP_SESSION_PRIVATE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "detail.h"
#include "live.h"
#include "plan.h"
#include "record.h"
#include "report.h"
#include "session.h"

#define SECOND		1000000000ULL

/**
 * struct session - a run
 * @options: the command line
 * @machine: that is measured
 * @found: what was discovered, as text
 * @discovered: when that was
 * @counting: its counters
 * @plan: what they count
 * @figures: what they have counted
 * @detail: what they count instead while all events of a device are shown, or NULL
 * @slices: what each counter group counts now
 * @sort: column that rows are sorted by
 * @interval: ns between reports
 * @slice: ns that a slice takes on average; 0: as long as an interval
 * @jitter: state of the generator of their lengths
 * @started: when the interval began
 * @looked: when it was looked the last time whether counter groups are still there
 * @progress: when the progress of --once was shown last
 * @slice_number: of the slice, from 0
 * @first_slice: of the interval
 * @rounds: that were over when it began
 * @settled: the worst rows were known then
 * @record: writes slices, or NULL
 * @reporter: where reports go
 * @live: the screen, or NULL
 * @escape: when an ESC that nothing follows is taken as a key; 0: there is none
 * @command: that is measured
 * @failed: a report could not be written
 * @status: exit status
 */
struct session {
	const struct options *options;
	struct machine machine;
	char *found;
	uint64_t discovered;
	struct counting *counting;
	struct plan *plan;
	struct figures *figures;
	struct detail *detail;
	struct slice *slices;
	enum column sort;
	uint64_t interval;
	uint64_t slice;
	uint64_t jitter;
	uint64_t started;
	uint64_t looked;
	uint64_t progress;
	unsigned long slice_number;
	unsigned long first_slice;
	unsigned long rounds;
	bool settled;
	struct recorder *record;
	struct reporter reporter;
	struct live *live;
	uint64_t escape;
	struct child command;
	bool failed;
	int status;
};

/* The signal that ends the run; 0: none */
extern volatile sig_atomic_t session_stop_signal;

uint64_t session_now(void);
bool session_open(struct session *session);
void session_close(struct session *session);
bool session_follow_machine(struct session *session);
void session_choose_slice(struct session *session);
void session_wait_until(struct session *session, uint64_t deadline, const sigset_t *mask);
bool session_wants_more(const struct session *session);
bool session_may_be_live(const struct options *options);
void session_catch_signals(sigset_t *mask);

#endif
