/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events of a counter group are counted together.
 */
#ifndef SMMUTOP_PACKS_H
#define SMMUTOP_PACKS_H

#include "columns.h"

/**
 * struct pack - events that are counted together for each block
 * @events: of the first two, one is the other one's base if there is a ratio of both
 * @number: of these
 * @total_only: only of everything
 * @all_rows: of all cells
 */
struct pack {
	enum pmcg_event events[EVENTS];
	unsigned int number;
	bool total_only;
	bool all_rows;
};

/**
 * struct packs - all events that a counter group counts
 * @pmcg: the counter group
 * @rows: how many rows it has
 * @packs: the first one has what rows are sorted by
 * @number: of these
 */
struct packs {
	const struct pmcg *pmcg;
	size_t rows;
	struct pack packs[EVENTS];
	unsigned int number;
};

unsigned int packs_events(const struct pmcg *pmcg, unsigned int wanted);
bool packs_count(const struct pmcg *pmcg, unsigned int events, enum column column);
enum column packs_sort(const struct pmcg *pmcg, unsigned int events, enum column sort);
void packs_make(struct packs *packs, const struct pmcg *pmcg, unsigned int events,
		enum column sort, size_t rows);
bool pack_has(const struct pack *pack, enum pmcg_event event);

#endif
