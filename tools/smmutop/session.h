/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run of the program: session.c counts and reports, session_machine.c opens what is needed.
 */
#ifndef SMMUTOP_SESSION_H
#define SMMUTOP_SESSION_H

#include <signal.h>
#include <sys/types.h>

#include "live.h"
#include "plan.h"
#include "record.h"

#define NEVER		(UINT64_MAX / 2)

/* The command that is measured */
struct child {
	pid_t pid; /* 0: there is none */
	bool ended; /* it is no more */
	int status;
};

struct session {
	const struct options *options;
	struct machine machine;
	struct text found; /* what was discovered, without names */
	uint64_t discovered; /* when that was */
	struct counting *counting;
	struct plan *plan;
	struct figures *figures;
	/* What they count instead while all events of a device are shown, or NULL */
	struct detail *detail;
	struct slice *slices; /* what each counter group counts now */
	enum column sort;
	uint64_t interval; /* ns between reports; NEVER: a command is measured as a whole */
	uint64_t planned; /* the same when this one began */
	uint64_t slice; /* ns that a slice takes on average; 0: as long as an interval */
	uint64_t cost; /* ns that one has recently taken, with all that comes between two */
	size_t slices_begun; /* of this interval */
	uint64_t jitter; /* state of the generator of their lengths */
	bool turns; /* something takes turns */
	uint64_t begun; /* when the first interval began */
	uint64_t started; /* when this one began */
	/* When it was looked the last time whether counter groups are still there */
	uint64_t looked;
	bool searching; /* it is no interval: the worst rows are not known yet */
	unsigned int searches; /* that may follow */
	struct recorder *record;
	struct replay replay; /* instead of what is counted, with --replay */
	struct reporter reporter;
	struct live live;
	struct child command;
	int status;
};

bool session_open(struct session *session);
void session_close(struct session *session);
bool session_follow_machine(struct session *session);
void session_choose_slice(struct session *session);

int child_start(struct child *child, char **command, const sigset_t *mask);
bool child_has_ended(struct child *child);
void child_wait(struct child *child);

#endif
