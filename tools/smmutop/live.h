/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The screen that is drawn again after each interval.
 */
#ifndef SMMUTOP_LIVE_H
#define SMMUTOP_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "figures.h"
#include "options.h"
#include "text.h"

struct live;

struct live *live_enter(const struct options *options);
void live_leave(struct live *live);
void live_free(struct live *live);
void live_forget(struct live *live);
void live_show(struct live *live, const struct report *report);
void live_show_detail(struct live *live, struct text *text);
bool live_detail(const struct live *live, size_t *smmu, size_t *row);
void live_input(struct live *live, bool readable);
bool live_has_ended(const struct live *live);
bool live_is_paused(const struct live *live);
void live_set_sort(struct live *live, enum column sort);
enum column live_sort(const struct live *live);

bool terminal_has_screen(void);
bool terminal_has_colors(void);
bool terminal_has_utf8(void);
bool terminal_enter(void);
void terminal_leave(void);
bool terminal_is_taken(void);
bool terminal_put(const char *data, size_t length);
bool terminal_find_size(unsigned int *width, unsigned int *height);
bool terminal_has_changed(void);

#endif
