/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that is measured.
 */
#ifndef SMMUTOP_CHILD_H
#define SMMUTOP_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct child {
	pid_t pid; /* 0: there is none */
	int gate; /* written to when it may begin */
	bool ended; /* it is no more */
	int status;
};

void child_catch_signal(void);
bool child_start(struct child *child, char **command, const sigset_t *mask);
bool child_go(struct child *child);
bool child_has_ended(struct child *child);
void child_wait(struct child *child, const sigset_t *signals);
void child_keep_limit(const struct rlimit *limit);

#endif
