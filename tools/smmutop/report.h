/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where reports go.
 */
#ifndef SMMUTOP_REPORT_H
#define SMMUTOP_REPORT_H

#include "options.h"
#include "view.h"

struct reporter {
	const struct options *options;
	unsigned long number;
	bool quiet; /* the screen is not ours: write files only */
	bool progress; /* the terminal shows how far --once has got */
	bool above; /* a row was above its limit for sure */
	uint64_t decided; /* bit n: a report has shown that no row is above the n-th limit */
};

int reporter_status(const struct reporter *reporter);
bool reporter_write(struct reporter *reporter, const struct report *report);
bool write_text(const struct text *text);
void reporter_show_progress(struct reporter *reporter, double seconds, size_t counted, size_t rows);

#endif
