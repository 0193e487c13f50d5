/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The screen that is drawn again after each interval.
 */
#ifndef SMMUTOP_LIVE_H
#define SMMUTOP_LIVE_H

#include "output.h"

/* Bytes of a filter */
#define FILTER_LENGTH	40

struct live {
	bool on; /* there is a screen; otherwise nothing else is set */
	const struct options *options;
	struct view_options wanted; /* rows, and their order */
	enum fold fold; /* what is above them; fold_chosen: by a key */
	bool fold_chosen;
	char filter[FILTER_LENGTH]; /* what rows must contain; filtering: it is typed */
	bool filtering;
	uint64_t interval; /* ns between reports */
	bool since_start; /* it shows means since the start */
	bool paused;
	bool helping; /* it shows the help */
	bool detailing; /* it shows all events of the row that is selected */
	bool ended; /* somebody has pressed q, or nobody can any more */
	unsigned int scroll; /* lines that are above the screen */
	unsigned int width;
	unsigned int height;
	const struct row *selected; /* or NULL */
	bool reveal; /* it is to be on the screen */
	char pending[24]; /* the beginning of an escape sequence */
	struct report report; /* of the last interval */
	struct report whole; /* of the time since the start, if that is shown */
	struct figures *figures; /* that it is made of */
	uint64_t elapsed; /* ns of all intervals */
	struct view view;
	struct history *history;
	struct text detail; /* that is shown instead */
};

void live_enter(struct live *live, const struct options *options, uint64_t interval);
void live_free(struct live *live);
void live_forget(struct live *live);
void live_show(struct live *live, struct report *report, struct figures *figures);
void live_show_detail(struct live *live, struct text *text);
const struct row *live_detail(const struct live *live);
void live_input(struct live *live, bool readable);

bool terminal_has_screen(void);
bool terminal_has_colors(void);
bool terminal_has_utf8(void);
bool terminal_enter(void);
void terminal_leave(void);
bool terminal_put(const char *data, size_t length);
void terminal_find_size(unsigned int *width, unsigned int *height);
bool terminal_has_changed(void);

#endif
