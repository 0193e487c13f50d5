// SPDX-License-Identifier: GPL-2.0
/*
 * smmutop --detail: all events of a device that is named, once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "detail.h"
#include "jitter.h"

#define SECOND			1000000000ULL
#define DEFAULT_INTERVAL	(2 * SECOND)
#define DEFAULT_SLICE		50000000ULL
#define MAX_FILES		512

/**
 * struct detail_run - a run
 * @options: the command line
 * @machine: all of it
 * @detail: what is counted
 * @counting: its counters
 * @slices: what each counter group counts now
 * @jitter: state of the generator of their lengths
 */
struct detail_run {
	const struct options *options;
	struct machine machine;
	struct detail *detail;
	struct counting *counting;
	struct slice *slices;
	uint64_t jitter;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* By name, by what it is called, or by StreamID. */
static bool is_meant(const struct machine *machine, const struct stream *stream,
		     const char *wanted)
{
	const struct device *device = &machine->devices[stream->device];
	size_t length = strlen(wanted);
	const char *name;
	char *end;

	if (!strcmp(device->name, wanted))
		return true;
	for (name = device->names; *name; name += strcspn(name, ","), name += *name == ',')
		if (strcspn(name, ",") == length && !memcmp(name, wanted, length))
			return true;
	return !strncmp(wanted, "0x", 2) && strtoul(wanted, &end, 16) == stream->id && !*end;
}

static bool find_row(const struct machine *machine, const char *wanted, size_t *smmu_index,
		     size_t *row)
{
	const struct smmu *smmu;
	unsigned int found = 0;
	size_t i, j, k;
	bool meant;

	for (i = 0; i < machine->smmus_number; i++) {
		smmu = &machine->smmus[i];
		for (j = 0; j < smmu->rows_number; j++) {
			meant = false;
			for (k = 0; k < smmu->rows[j].number; k++)
				meant |= is_meant(machine,
						  &smmu->streams[smmu->rows[j].first + k], wanted);
			if (!meant)
				continue;
			*smmu_index = i;
			*row = j;
			found++;
		}
	}
	if (!found)
		fprintf(stderr,
			"smmutop: --detail %s: no StreamID of such a device is known: see smmutop --list\n",
			wanted);
	if (found > 1)
		fprintf(stderr,
			"smmutop: --detail %s: it has %u StreamIDs: give one of them, see smmutop --list\n",
			wanted, found);
	return found == 1;
}

static bool open_run(struct detail_run *run)
{
	struct machine *machine = &run->machine;
	size_t smmu = 0, row = 0, i, usable = 0;

	machine_discover(machine, run->options->pmus);
	machine_describe_devices(machine);
	if (!find_row(machine, run->options->detail, &smmu, &row))
		return false;
	run->counting = counting_new(machine, &real_perf_calls, MAX_FILES);
	run->slices = calloc(machine->pmcgs_number + 1, sizeof(*run->slices));
	if (!run->counting || !run->slices)
		return false;
	for (i = 0; i < machine->pmcgs_number; i++) {
		if (machine->pmcgs[i].smmu != (int)smmu)
			continue;
		if (!counting_probe(run->counting, &machine->pmcgs[i])) {
			fprintf(stderr, "smmutop: %s\n", counting_error(run->counting));
			return false;
		}
		usable++;
	}
	machine_find_named_events(machine, smmu);
	run->detail = detail_new(machine, smmu, row);
	return usable;
}

static void close_run(struct detail_run *run)
{
	detail_free(run->detail);
	counting_free(run->counting);
	free(run->slices);
	machine_free(&run->machine);
}

static bool count_slice(struct detail_run *run, unsigned int number, uint64_t slice)
{
	uint64_t length = jitter_slice(&run->jitter, slice);
	struct timespec time = { .tv_sec = length / SECOND, .tv_nsec = length % SECOND };
	struct slice_counts counts;
	size_t i;

	for (i = 0; i < run->machine.pmcgs_number; i++) {
		detail_next(run->detail, i, &run->slices[i]);
		if (run->slices[i].number &&
		    !counting_start(run->counting, i, &run->slices[i])) {
			fprintf(stderr, "smmutop: %s\n", counting_error(run->counting));
			return false;
		}
	}
	if (run->options->each_slice) {
		if (child_shell(run->options->each_slice, number, NULL, NULL))
			return false;
	} else {
		nanosleep(&time, NULL);
	}
	for (i = 0; i < run->machine.pmcgs_number; i++) {
		if (!run->slices[i].number)
			continue;
		/* What nothing is known of is no reason to wait for more of it. */
		if (!counting_stop(run->counting, i, false, &counts))
			counts = (struct slice_counts){ .running = 0 };
		if (run->options->each_slice && counts.running)
			counts.running = slice;
		detail_add(run->detail, i, &run->slices[i], &counts);
	}
	return true;
}

static bool count(struct detail_run *run)
{
	uint64_t interval = run->options->interval;
	uint64_t slice = run->options->slice ? run->options->slice : DEFAULT_SLICE;
	uint64_t end = now() + (interval ? interval : DEFAULT_INTERVAL);
	unsigned int number = 0;

	do {
		if (!count_slice(run, number++, slice))
			return false;
	} while (!detail_has_all(run->detail) || (now() < end && !run->options->each_slice));
	return true;
}

/**
 * detail_run - show all events of a device
 * @options: the command line
 *
 * Return: the exit status
 */
int detail_run(const struct options *options)
{
	struct detail_run run = { .options = options };
	struct text text = { .data = NULL };
	int status = STATUS_ERROR;

	if (open_run(&run) && count(&run)) {
		detail_text(run.detail, &text);
		if (fwrite(text.data, text.length, 1, stdout) == 1 && !fflush(stdout))
			status = STATUS_OK;
		text_free(&text);
	}
	close_run(&run);
	return status;
}
