/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The input of a fuzz target, which is taken byte by byte.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct input {
	const uint8_t *data;
	size_t left;
};

/* Missing bytes of the input are zero. */
static inline uint64_t take(struct input *input, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes-- && input->left) {
		value = value << 8 | *input->data++;
		input->left--;
	}
	return value;
}

#endif /* FUZZ_INPUT_H */
