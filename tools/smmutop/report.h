/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where reports go.
 */
#ifndef SMMUTOP_REPORT_H
#define SMMUTOP_REPORT_H

#include "figures.h"
#include "options.h"

/**
 * struct reporter - writes reports
 * @options: the command line
 * @number: of reports so far
 * @quiet: the screen is not ours: write files only
 * @above: a row was above its limit
 * @decided: bit n: in a report, all rows were known that can be among the worst by column n
 */
struct reporter {
	const struct options *options;
	unsigned long number;
	bool quiet;
	bool above;
	unsigned int decided;
};

int reporter_status(const struct reporter *reporter);
bool reporter_write(struct reporter *reporter, const struct report *report);
bool write_prometheus(const char *file, const struct report *report);

#endif
