/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why is there nothing to see?
 */
#ifndef SMMUTOP_CHECK_H
#define SMMUTOP_CHECK_H

#include "options.h"

int check_run(const struct options *options);

#endif
