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
	uint64_t salt;	/* makes what is drawn depend on the whole input */
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

static inline uint64_t hash(const uint8_t *data, size_t size)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	while (size--)
		value = (value ^ *data++) * UINT64_C(0x100000001b3);
	return value;
}

#endif /* FUZZ_INPUT_H */
