// SPDX-License-Identifier: GPL-2.0
/*
 * explore SEED RUNS OPERATIONS [FILE...]: run the histories in the files, then
 * all histories of small configurations with up to this many operations, then
 * this many random ones. Prints TAP, and the history that has broken a rule.
 */

#include <stdlib.h>

#include "explore.h"

static unsigned int results;
static bool failed;

static void result(bool ok, const char *name)
{
	const char *file = strrchr(name, '/');

	printf("%s %u %s: %s\n", ok ? "ok" : "not ok", ++results, KERNEL, file ? file + 1 : name);
	failed |= !ok;
}

static void report(const char *name)
{
	shrink_history();
	printf("# %s\n", run_history());
	print_history();
	result(false, name);
}

/*
 * Files
 */

static void run_file(const char *name)
{
	const char *broken = "not a history";
	FILE *file = fopen(name, "r");

	if (file && read_history(file))
		broken = run_history();
	if (file)
		fclose(file);
	if (broken)
		printf("# %s\n", broken);
	result(!broken, name);
}

/*
 * All histories of a small configuration: a state that was seen before, with as
 * many steps left, is not explored again.
 */

#define MAX_SEEN	16777216U
#define MAX_WITHIN	2

static u64 *seen;
static unsigned int num_seen;
static u64 num_histories;

static bool was_seen(u64 key)
{
	unsigned int i = key % MAX_SEEN;

	while (seen[i]) {
		if (seen[i] == key)
			return true;
		i = (i + 1) % MAX_SEEN;
	}
	if (++num_seen == MAX_SEEN / 2) {
		fprintf(stderr, "too many states\n");
		exit(2);
	}
	seen[i] = key;

	return false;
}

/* The first two are what each history begins with. */
static const struct step operations[] = {
	{ .what = ENABLE }, { .what = ENABLE, .which = 1 },
	{ .what = DISABLE }, { .what = DISABLE, .which = 1 },
	{ .what = READ_GROUP }, { .what = READ_GROUP, .which = 1 },
	{ .what = RESCHEDULE, .amount = 1 }, { .what = INTERRUPT }, { .what = POLL },
	{ .what = COUNT, .amount = 1 }, { .what = COUNT, .which = 1, .amount = 1 },
	{ .what = COUNT }, { .what = COUNT, .which = 1 },
};

static const struct step interferences[] = {
	{ .what = COUNT, .amount = 1 }, { .what = COUNT, .which = 1, .amount = 1 },
	{ .what = COUNT }, { .what = COUNT, .which = 1 },
	{ .what = NMI }, { .what = COPY }, { .what = CAPTURE },
};

static bool all_operations(unsigned int left);

/* Runs the history, then with more and more steps within its last operation. */
static bool all_within(unsigned int from, unsigned int within, unsigned int left)
{
	unsigned int at, i, points;

	num_histories++;
	if (run_history())
		return false;
	points = last_points;
	if (from && was_seen(state_after_step ^ within << 8 ^ left))
		return true;
	if (left && !was_seen(state_after_operation ^ left << 4 ^ within) && !all_operations(left))
		return false;

	for (at = from ?: 1; within && at <= points; at++) {
		for (i = 0; i < ARRAY_SIZE(interferences); i++) {
			history.steps[history.num] = interferences[i];
			history.steps[history.num++].at = at;
			if (!all_within(at, within - 1, left))
				return false;
			history.num--;
		}
	}

	return true;
}

static bool all_operations(unsigned int left)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		history.steps[history.num++] = operations[i];
		if (!all_within(0, operations[i].what < COUNT ? MAX_WITHIN : 0, left - 1))
			return false;
		history.num--;
	}

	return true;
}

static void run_small(const char *name, const struct config *c, unsigned int depth)
{
	num_seen = 0;
	num_histories = 0;
	memset(seen, 0, MAX_SEEN * sizeof(*seen));
	history.config = *c;
	history.num = 2;
	memcpy(history.steps, operations, 2 * sizeof(*operations));
	if (depth && !all_operations(depth)) {
		report(name);
		return;
	}
	printf("# %llu histories, %u states\n", num_histories, num_seen);
	result(true, name);
}

static void run_random(u64 seed, unsigned long runs)
{
	unsigned long i;

	for (i = 0; i < runs; i++) {
		if (!make_history(seed << 32 ^ i))
			continue;
		printf("# history %lu\n", i);
		report("random histories");
		return;
	}
	result(true, "random histories");
}

static const struct {
	const char *name;
	struct config config;
} small[] = {
	{ "a counting event and a sampling one",
	  { .delivery = ARM_SYSPMU_WIRED, .events[1] = { .leader = 1, .period = 3 } } },
	{ "a group that is captured on overflow",
	  { .delivery = ARM_SYSPMU_WIRED, .capture = true,
	    .events[0] = { .period = 3, .read = true } } },
	{ "a group that others capture",
	  { .delivery = ARM_SYSPMU_WIRED, .capture = true, .others_capture = true } },
	{ "a timer",
	  { .delivery = ARM_SYSPMU_TIMER, .events[1] = { .leader = 1 } } },
	{ "an edge for all overflows",
	  { .delivery = ARM_SYSPMU_WIRED, .edge = true, .one_signal = true,
	    .events[1] = { .leader = 1, .source = 1, .period = 3 } } },
};

int main(int argc, char **argv)
{
	struct config c;
	int i;

	if (argc < 4)
		return 2;

	setvbuf(stdout, NULL, _IOLBF, 0);
	seen = calloc(MAX_SEEN, sizeof(*seen));
	if (!seen)
		return 2;
	printf("TAP version 13\n1..%zu\n", argc - 4 + ARRAY_SIZE(small) + 1);
	for (i = 4; i < argc; i++)
		run_file(argv[i]);
	for (i = 0; i < (int)ARRAY_SIZE(small); i++) {
		c = small[i].config;
		c.counters = 2;
		c.bits = 8;
		c.start = 2;
		c.num_events = 2;
		run_small(small[i].name, &c, atoi(argv[3]));
	}
	run_random(strtoull(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));

	return failed;
}
