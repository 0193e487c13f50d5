/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal: taken, and given back as it was, whatever ends the program.
 */
#ifndef SMMUTOP_TERMINAL_H
#define SMMUTOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

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
