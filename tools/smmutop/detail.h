/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why does a device miss? All events of the counter groups of its SMMU, beside those of everything.
 */
#ifndef SMMUTOP_DETAIL_H
#define SMMUTOP_DETAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "counting.h"
#include "machine.h"
#include "text.h"

struct detail;

bool detail_find(const struct machine *machine, const char *wanted, size_t *smmu, size_t *row);
struct detail *detail_new(const struct machine *machine, size_t smmu, size_t row);
void detail_free(struct detail *detail);
bool detail_is_of(const struct detail *detail, size_t smmu, size_t row);
void detail_next(struct detail *detail, size_t pmcg, struct slice *slice);
void detail_add(struct detail *detail, size_t pmcg, const struct slice *slice,
		const struct slice_counts *counts);
bool detail_has_all(const struct detail *detail);
void detail_restart(struct detail *detail);
void detail_text(const struct detail *detail, struct text *text);

#endif
