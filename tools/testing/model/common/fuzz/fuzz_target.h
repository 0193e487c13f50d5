/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entry point of a fuzz target, which libFuzzer calls, and replay.c.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Run an input, and abort if a rule is broken. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* FUZZ_TARGET_H */
