/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run of the program: counts in slices, and reports after each interval.
 */
#ifndef SMMUTOP_SESSION_H
#define SMMUTOP_SESSION_H

#include "options.h"

int session_list(const struct options *options);
int session_run(const struct options *options);
int session_replay(const struct options *options);

#endif
