/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text: what sysfs says, and output that is collected before it is written.
 */
#ifndef SMMUTOP_TEXT_H
#define SMMUTOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/**
 * struct text - a string that grows
 * @data: the characters, terminated; NULL while it is empty
 * @length: without the terminator
 * @size: of the memory
 */
struct text {
	char *data;
	size_t length;
	size_t size;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *data, size_t length);
void text_clear(struct text *text);
void text_free(struct text *text);
size_t text_columns(const char *string);

void *grow(void *array, size_t number, size_t size);
void copy(char *to, size_t size, const char *from);

void system_set_root(const char *root);
const char *system_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *system_read(const char *path);
void *system_read_bytes(const char *path, size_t *length);
int system_directory(const char *path);
bool system_read_line(const char *path, char *line, size_t size);
bool system_read_line_at(int directory, const char *path, char *line, size_t size);
bool system_read_number(const char *path, uint64_t *number);
bool system_read_number_at(int directory, const char *path, uint64_t *number);
bool system_link(const char *path, char *target, size_t size);
bool system_link_at(int directory, const char *path, char *target, size_t size);
bool system_exists(const char *path);
char **system_list(const char *path, size_t *number);
char **system_list_at(int directory, const char *path, size_t *number);
void system_free_list(char **names, size_t number);

#endif
