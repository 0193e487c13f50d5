/* SPDX-License-Identifier: GPL-2.0 */
/* Searches the kernel log since a mark. */
#ifndef ARM_SYSPMU_KMSG_H
#define ARM_SYSPMU_KMSG_H

#include <stdbool.h>
#include <stddef.h>

int kmsg_mark(void);
bool kmsg_find_line(int mark, const char * const *words, char *line, size_t size);
unsigned int kmsg_count(int mark, const char * const *words);
bool kmsg_find_splat(int mark, char *line, unsigned int size);

#endif
