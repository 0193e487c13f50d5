/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why does a device miss?
 */
#ifndef SMMUTOP_DETAIL_H
#define SMMUTOP_DETAIL_H

#include "options.h"

int detail_run(const struct options *options);

#endif
