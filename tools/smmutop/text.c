// SPDX-License-Identifier: GPL-2.0
/*
 * Text: what sysfs says, and output that is collected before it is written.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

static const char *root = "";

/* Makes twice as much room in an array. It does not return if there is no memory. */
void *double_room(void *array, size_t number, size_t size)
{
	array = realloc(array, (number ? 2 * number : 1) * size);
	if (!array)
		errx(1, "out of memory");
	return array;
}

/* An array of zeros, which may have no element, and can grow. */
void *zeros(size_t number, size_t size)
{
	size_t room = 1;
	void *array;

	while (room < number)
		room *= 2;
	array = malloc(room * size);
	if (!array)
		errx(1, "out of memory");
	/* append() clears the others. */
	return memset(array, 0, number * size);
}

/* Bytes of a printable character of UTF-8; 0: it is none, or is cut. */
static size_t character_length(const char *from)
{
	static const uint32_t least[] = { 0, 0x20, 0xa0, 0x800, 0x10000 };
	unsigned char first = *from;
	size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 :
			first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0, i;
	uint32_t code = length > 1 ? first & (0x7f >> length) : first;

	for (i = 1; i < length; i++) {
		if ((from[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (from[i] & 0x3f);
	}
	if (code < least[length] || code == 0x7f || (code >= 0xd800 && code < 0xe000) ||
	    code > 0x10ffff)
		return 0;
	return length;
}

/*
 * Copies a name, cut to the size. A network interface can have nearly any bytes in its name: what
 * would control a terminal, or is not valid in JSON, is replaced.
 */
void copy(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1), i = 0, bytes;

	memmove(to, from, length);
	to[length] = '\0';
	while (i < length) {
		bytes = character_length(&to[i]);
		if (!bytes)
			to[i] = '?';
		i += bytes ? bytes : 1;
	}
}

void text_add_bytes(struct text *text, const char *data, size_t length)
{
	if (text->size < text->length + length + 1) {
		text->size = 2 * (text->length + length + 128);
		text->data = realloc(text->data, text->size);
		if (!text->data)
			errx(1, "out of memory");
	}
	memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_add_string(struct text *text, const char *string)
{
	text_add_bytes(text, string, strlen(string));
}

void text_add(struct text *text, const char *format, ...)
{
	va_list arguments;
	char *added;
	int length;

	va_start(arguments, format);
	length = vasprintf(&added, format, arguments);
	va_end(arguments);
	if (length < 0)
		errx(1, "out of memory");
	text_add_bytes(text, added, length);
	free(added);
}

void text_clear(struct text *text)
{
	text->length = 0;
	if (text->data)
		text->data[0] = '\0';
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){ .data = NULL };
}

/* How many columns a string takes: UTF-8 that is no first byte takes none. */
size_t text_columns(const char *string)
{
	size_t columns = 0;

	for (; *string; string++)
		columns += (*string & 0xc0) != 0x80;
	return columns;
}

/* How many bytes the first columns of a string take. */
size_t text_bytes(const char *string, size_t columns)
{
	size_t bytes = 0;

	while (string[bytes] && ((string[bytes] & 0xc0) == 0x80 || columns--))
		bytes++;
	return bytes;
}

/* Paths below are those of another machine's sysfs, copied to this directory. False: too long. */
bool system_set_root(const char *directory)
{
	root = directory;
	return strlen(root) < PATH_MAX;
}

/* Monotonic, in ns */
uint64_t system_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* The path is valid until the fourth call after this one. */
const char *system_path(const char *format, ...)
{
	static char paths[4][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % 4];
	size_t length = strlen(root);
	va_list arguments;

	memcpy(path, root, length);
	va_start(arguments, format);
	vsnprintf(path + length, PATH_MAX - length, format, arguments);
	va_end(arguments);
	return path;
}

/* Reads the whole file. There are many small ones: stdio would ask for the size of each. */
static bool read_once(const char *path, struct text *text)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char buffer[4096];
	ssize_t bytes;

	if (file < 0)
		return false;
	text_clear(text);
	text_add_bytes(text, "", 0);
	while ((bytes = read(file, buffer, sizeof(buffer))) > 0)
		text_add_bytes(text, buffer, bytes);
	close(file);
	return !bytes;
}

/* Reads a file of sysfs, whose size is not known, with a terminator; NULL if it cannot be read. */
void *system_read(const char *path, size_t *length)
{
	struct text text = { .data = NULL };
	unsigned int tries = 10;

	/* A long list may change while it is read. */
	while (!read_once(path, &text)) {
		if (errno == ESTALE && --tries)
			continue;
		text_free(&text);
		break;
	}
	if (length)
		*length = text.length;
	return text.data;
}

/* Reads the first line, which comes as a whole. False if there is none. */
bool system_read_line(const char *path, char *line, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t bytes = -1;

	if (file >= 0) {
		bytes = read(file, line, size - 1);
		close(file);
	}
	line[bytes < 0 ? 0 : bytes] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return bytes >= 0;
}

/* A number with nothing after it */
bool text_number(const char *string, uint64_t *number)
{
	char *end;

	*number = strtoull(string, &end, 0);
	return end != string && !*end;
}

bool system_read_number(const char *path, uint64_t *number)
{
	char line[64];

	return system_read_line(path, line, sizeof(line)) && text_number(line, number);
}

bool system_link(const char *path, char *target, size_t size)
{
	ssize_t length = readlink(path, target, size - 1);

	target[length < 0 ? 0 : length] = '\0';
	return length >= 0;
}

/* The last part of where a link leads to; an empty string if there is none. */
bool system_link_name(const char *path, char *name, size_t size)
{
	char target[PATH_MAX];
	bool found = system_link(path, target, sizeof(target));

	copy(name, size, basename(target));
	return found;
}

bool system_exists(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Lists a directory: what does not begin with a dot, sorted. */
struct listing system_list(const char *path)
{
	struct listing listing = { .next = 0 };

	listing.number = scandir(path, &listing.names, is_shown, versionsort);
	return listing;
}

/* The next name, which is valid until the next call; NULL at the end. */
const char *listing_next(struct listing *listing)
{
	if (listing->next)
		free(listing->names[listing->next - 1]);
	if (listing->next < listing->number)
		return listing->names[listing->next++]->d_name;
	free(listing->names);
	return NULL;
}
