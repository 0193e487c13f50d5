// SPDX-License-Identifier: GPL-2.0
/* Searches the kernel log since a mark. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmsg.h"

/*
 * Remember the end of the kernel log. Returns a file descriptor, to be closed, or a negative errno.
 */
int kmsg_mark(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}

/* One record per read; records that were overwritten before they were read are skipped. */
static bool next_record(int mark, char *record, size_t size)
{
	ssize_t length;

	do {
		length = read(mark, record, size - 1);
	} while (length < 0 && errno == EPIPE);
	if (length <= 0)
		return false;
	record[length] = '\0';
	return true;
}

/* Find a message that has all words, ignoring case, and get its first line. */
bool kmsg_find_line(int mark, const char * const *words, char *line, size_t size)
{
	char record[8192], *text;

	while (next_record(mark, record, sizeof(record))) {
		const char * const *word = words;

		while (*word && strcasestr(record, *word))
			word++;
		if (*word)
			continue;
		text = strchr(record, ';');
		text = text ? text + 1 : record;
		snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
		return true;
	}
	return false;
}

/* Count messages that have all words, and move the mark to the end. */
unsigned int kmsg_count(int mark, const char * const *words)
{
	unsigned int number = 0;
	char line[1024];

	while (kmsg_find_line(mark, words, line, sizeof(line)))
		number++;
	return number;
}

/* Search for a splat. */
bool kmsg_find_splat(int mark, char *line, unsigned int size)
{
	static const char * const signs[] = {
		"WARNING:", "BUG:", "Oops", "Internal error", "Unhandled fault",
		"nobody cared", "detected stall", "soft lockup", "SError",
	};
	char record[8192], *text;
	unsigned int i;

	while (next_record(mark, record, sizeof(record))) {
		text = strchr(record, ';');
		text = text ? text + 1 : record;
		/* The scheduler of 6.12 warns about its own accounting when a CPU goes offline. */
		if (strstr(text, " at kernel/sched/"))
			continue;
		for (i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
			if (strstr(text, signs[i])) {
				snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
				return true;
			}
		}
	}
	return false;
}
