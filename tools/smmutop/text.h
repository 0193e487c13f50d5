/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text: what sysfs says, and output that is collected before it is written.
 */
#ifndef SMMUTOP_TEXT_H
#define SMMUTOP_TEXT_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Of an array whose length is beside it: that of "rows" is "rows_number". */
#define for_each(element, array) \
	for ((element) = (array); (element) < (array) + array##_number; (element)++)

/* A string that grows: length is without the terminator; data is NULL while it is empty. */
struct text {
	char *data;
	size_t length;
	size_t size;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *data, size_t length);
void text_add_string(struct text *text, const char *string);
void text_clear(struct text *text);
void text_free(struct text *text);
size_t text_columns(const char *string);
size_t text_bytes(const char *string, size_t columns);

void *zeros(size_t number, size_t size);
void *double_room(void *array, size_t number, size_t size);

static inline void *grow(void *array, size_t number, size_t size)
{
	/* The room is a power of two, so that it needs no place of its own. */
	if (!(number & (number - 1)))
		array = double_room(array, number, size);
	memset((char *)array + number * size, 0, size);
	return array;
}

/* Appends an element of zeros to an array of so many. */
#define append(array, number) \
	((array) = grow(array, number, sizeof(*(array))), &(array)[(number)++])
void copy(char *to, size_t size, const char *from);

uint64_t system_now(void);
bool system_set_root(const char *root);
const char *system_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *system_read(const char *path, size_t *length);
bool system_read_line(const char *path, char *line, size_t size);
bool system_read_number(const char *path, uint64_t *number);
bool text_number(const char *string, uint64_t *number);
bool system_link(const char *path, char *target, size_t size);
bool system_link_name(const char *path, char *name, size_t size);
bool system_exists(const char *path);

/* What is in a directory, and is not read yet */
struct listing {
	struct dirent **names;
	int number;
	int next;
};

struct listing system_list(const char *path);
const char *listing_next(struct listing *listing);

/* The list is freed at its end: a loop must not be left before. */
#define for_each_name(name, path) \
	for (struct listing name##_list = system_list(path); \
	     ((name) = listing_next(&name##_list));)

#endif
