// SPDX-License-Identifier: GPL-2.0
/*
 * Injects events into PMUs of the VM, for tests of programs that count:
 *
 *	pmcg_inject [smmuv3_pmcg_<page> | @<page> [EVENT:STREAM_ID:NUMBER | accesses]...]...
 *
 * @<page> is a PMU with another name, or of another family. "accesses" prints how often registers
 * were read or written so far. A PMU that is named does not count the traffic of the VM any more.
 * "-" as StreamID is an event without one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stimulus.h"

#define PREFIX	"smmuv3_pmcg_"

static int choose(struct stimulus *stimulus, const char *name)
{
	__u64 page = strtoull(name + (*name == '@' ? 1 : strlen(PREFIX)), NULL, 16) << 12;

	if (stimulus_choose(stimulus, page)) {
		fprintf(stderr, "%s: the stimulus page has no such instance\n", name);
		return 1;
	}
	stimulus_traffic(stimulus, false);
	return 0;
}

static int inject(struct stimulus *stimulus, const char *what)
{
	unsigned long long number;
	char stream_id[16];
	unsigned int event;

	if (!strcmp(what, "accesses")) {
		printf("%llu\n", stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS) +
		       stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
		return 0;
	}
	if (sscanf(what, "%i:%15[^:]:%llu", (int *)&event, stream_id, &number) != 3) {
		fprintf(stderr, "%s: this must be EVENT:STREAM_ID:NUMBER\n", what);
		return 1;
	}
	if (!strcmp(stream_id, "-"))
		stimulus_inject_as(stimulus, event, 0,
				   STIMULUS_NON_SECURE | STIMULUS_NO_STREAM_ID, number);
	else
		stimulus_inject(stimulus, event, strtoul(stream_id, NULL, 0), number);
	return 0;
}

int main(int argc, char **argv)
{
	struct stimulus stimulus;
	int i, error = 0;

	if (stimulus_open(&stimulus)) {
		fprintf(stderr, "%s\n", stimulus.missing);
		return 1;
	}
	for (i = 1; i < argc && !error; i++)
		error = *argv[i] == '@' || !strncmp(argv[i], PREFIX, strlen(PREFIX)) ?
			choose(&stimulus, argv[i]) : inject(&stimulus, argv[i]);
	return error;
}
