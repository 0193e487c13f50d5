// SPDX-License-Identifier: GPL-2.0
/*
 * replay INPUT...: run the inputs that a fuzzer has found, with any compiler.
 */
#include <stdio.h>

#include "fuzz_target.h"

int main(int argc, char **argv)
{
	uint8_t data[4096];
	int i;

	for (i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t size;

		if (!file) {
			perror(argv[i]);
			return 1;
		}
		size = fread(data, 1, sizeof(data), file);
		fclose(file);
		LLVMFuzzerTestOneInput(data, size);
	}
	return 0;
}
