/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the figures are made of.
 */
#ifndef SMMUTOP_FIGURES_PRIVATE_H
#define SMMUTOP_FIGURES_PRIVATE_H

#include "figures.h"

/**
 * struct tally - what was counted of a row, or of everything, in an interval
 * @rates: by event
 * @ratios: by column
 * @beside: by event: slices in which everything was counted in the same group
 * @most: of what was counted before: what searches have since shown that the rate can be at most
 * @ages: of what was counted before, in intervals, by event
 * @ratio_ages: the same, of @ratios
 */
struct tally {
	struct estimate rates[EVENTS];
	struct estimate_ratio ratios[COLUMNS];
	uint64_t beside[EVENTS];
	double most[EVENTS];
	unsigned int ages[EVENTS];
	unsigned int ratio_ages[COLUMNS];
};

/**
 * struct pmcg_figures - figures of a counter group
 * @now: of this interval, one for each row of the SMMU, and one for everything
 * @before: of the last interval in which there were any
 * @same: index of another counter group that sees the same StreamIDs, or of itself
 * @searches: what the searches say, by column
 * @searched: they are of this interval
 * @dispersion: of the counts, by the first one
 * @enabled: ns of all slices of this interval
 * @running: ns in which it counted
 */
struct pmcg_figures {
	struct tally *now;
	struct tally *before;
	size_t rows_number;
	size_t same;
	struct search_summary searches[COLUMNS];
	bool searched;
	double dispersion;
	uint64_t enabled;
	uint64_t running;
};

struct figures {
	const struct machine *machine;
	struct pmcg_figures *pmcgs;
};

#endif
