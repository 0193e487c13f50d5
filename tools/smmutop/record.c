// SPDX-License-Identifier: GPL-2.0
/*
 * A recording: the machine and what was counted, as text.
 *
 * Each line is a word that says what it is, and fields with a tab before each. The first line has
 * the version. What identifies a counter group, SMMU or device in later lines is its number, from 0
 * in the order of the lines.
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

#define MAGIC	"smmutop-recording"
#define FORMAT	"2"

struct recorder {
	FILE *file;
	const char *path; /* as it was given, for messages */
	bool failed; /* that was said */
};

/* Appends the beginning of a recording. Names have no tabs, as copy() has made them. */
void record_machine(struct text *text, const struct machine *machine)
{
	const struct device *device;
	const struct stream *stream;
	const struct pmcg *pmcg;
	const struct smmu *smmu;

	text_add(text, MAGIC "\t" FORMAT "\nhost\t%s\n", machine->host);
	for_each(smmu, machine->smmus)
		text_add(text, "smmu\t%s\t%s\t%u\n", smmu->name, smmu->device, smmu->stream_bits);
	for_each(pmcg, machine->pmcgs)
		text_add(text, "pmcg\t%s\t%s\t%s\t%s\t%d\t%s\t%u\t%s\t0x%x\t%u\n", pmcg->name,
			 pmcg->label, pmcg->part, pmcg->driver, pmcg->smmu, kind_names[pmcg->kind],
			 pmcg->counters, pmcg->filter_each ? "each" : "one", pmcg->events,
			 pmcg->stream_bits);
	for_each(device, machine->devices)
		text_add(text, "device\t%s\t%s\t%s\t%s\t%s\n", device->name, device->driver,
			 device->names, device->group, device->domain);
	for_each(smmu, machine->smmus)
		for_each(stream, smmu->streams)
			text_add(text, "stream\t%td\t0x%x\t%u\t%d\n", smmu - machine->smmus,
				 stream->id, stream->device, stream->guessed);
	text_add(text, "begin\n");
}

/* At any time, the file has whole lines only. */
static FILE *open_lines(const char *path)
{
	FILE *file = fopen(path, "we");

	if (file)
		setvbuf(file, NULL, _IOLBF, BUFSIZ);
	return file;
}

static bool fail(struct recorder *recorder)
{
	if (!recorder->failed)
		warn("--record %s", recorder->path);
	recorder->failed = true;
	return false;
}

/* Begins a recording; "-" is stdout. Returns NULL after a message. */
struct recorder *recorder_new(const char *path, const struct machine *machine)
{
	struct recorder *recorder = zeros(1, sizeof(*recorder));
	struct text text = { .data = NULL };

	recorder->path = path;
	recorder->file = strcmp(path, "-") ? open_lines(path) : stdout;
	if (recorder->file) {
		record_machine(&text, machine);
		fwrite(text.data, text.length, 1, recorder->file);
		text_free(&text);
	}
	if (!recorder->file || fflush(recorder->file))
		fail(recorder);
	if (!recorder->failed)
		return recorder;
	recorder_free(recorder);
	return NULL;
}

bool recorder_free(struct recorder *recorder)
{
	bool ok;

	if (!recorder)
		return true;
	if (recorder->file && recorder->file != stdout && fclose(recorder->file))
		fail(recorder);
	ok = !recorder->failed;
	free(recorder);
	return ok;
}

/* "*" is everything, "0x40/3" are the eight StreamIDs from 0x40. */
void record_slice(struct recorder *recorder, size_t pmcg, const struct slice *slice,
		  const struct slice_counts *counts)
{
	FILE *file = recorder->file;
	const struct spec *spec;
	unsigned int i;

	fprintf(file, "slice\t%zu\t%" PRIu64 "\t%" PRIu64, pmcg, counts->enabled,
		counts->running);
	for (i = 0; i < slice->number; i++) {
		spec = &slice->specs[i];
		if (spec->block.everything)
			fprintf(file, "\t*");
		else
			fprintf(file, "\t0x%x/%u", spec->block.stream_id, spec->block.span_bits);
		fprintf(file, ":%u=%" PRIu64, spec->event, counts->counts[i]);
	}
	fputs("\n", file);
}

/* "forget": what was counted is part of no report. "round": what is visited next is chosen anew. */
void record_word(struct recorder *recorder, const char *word)
{
	fprintf(recorder->file, "%s\n", word);
	fflush(recorder->file);
}

/* Ends an interval; false after a message if it could not be written. */
bool record_report(struct recorder *recorder, const struct report *report)
{
	const struct machine *machine = report->machine;
	FILE *file = recorder->file;
	const struct pmcg *pmcg;

	for_each(pmcg, machine->pmcgs)
		if (pmcg->gone)
			fprintf(file, "gone\t%td\n", pmcg - machine->pmcgs);
	fprintf(file, "%s\t%.3f\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
		report->whole ? "whole" : "report", report->seconds, report->interval,
		report->slice, columns[report->sort].option);
	return (!fflush(file) && !ferror(file)) || fail(recorder);
}

static bool read_line(struct replay *replay)
{
	ssize_t length = getline(&replay->line, &replay->size, replay->file);

	if (length <= 0)
		return false;
	replay->number++;
	/* Of a line that was not written to its end, the last number may be cut. */
	if (replay->line[length - 1] == '\n')
		replay->line[length - 1] = '\0';
	else
		replay->line[0] = '\0';
	return true;
}

/* Takes the next field from a line, which may be empty. */
static char *next_field(char **line)
{
	char *field = strsep(line, "\t");

	return field ? field : "";
}

static bool next_number(char **line, uint64_t most, uint64_t *number)
{
	return text_number(next_field(line), number) && *number <= most;
}

/* The number of something of which there are so many */
static bool next_index(char **line, size_t number, uint64_t *index)
{
	return number && next_number(line, number - 1, index);
}

#define NEXT_NAME(line, name)	copy(name, sizeof(name), next_field(line))

static bool read_pmcg(struct machine *machine, char *line)
{
	struct pmcg *pmcg = append(machine->pmcgs, machine->pmcgs_number);
	uint64_t smmu, counters, events, bits;
	const char *kind;

	NEXT_NAME(&line, pmcg->name);
	NEXT_NAME(&line, pmcg->label);
	NEXT_NAME(&line, pmcg->part);
	NEXT_NAME(&line, pmcg->driver);
	if (!next_index(&line, machine->smmus_number, &smmu))
		return false;
	kind = next_field(&line);
	while (pmcg->kind < KINDS && strcmp(kind, kind_names[pmcg->kind]))
		pmcg->kind++;
	if (pmcg->kind == KINDS || !next_number(&line, UINT32_MAX, &counters))
		return false;
	pmcg->filter_each = !strcmp(next_field(&line), "each");
	if (!next_number(&line, UINT32_MAX, &events) || !next_number(&line, 32, &bits))
		return false;
	pmcg->smmu = smmu;
	pmcg->counters = counters;
	pmcg->events = events;
	pmcg->stream_bits = bits;
	return true;
}

static bool read_stream(struct machine *machine, char *line)
{
	uint64_t index, id, device, guessed;
	struct smmu *smmu;

	if (!next_index(&line, machine->smmus_number, &index) ||
	    !next_number(&line, UINT32_MAX, &id) ||
	    !next_index(&line, machine->devices_number, &device) ||
	    !next_number(&line, 1, &guessed))
		return false;
	smmu = &machine->smmus[index];
	*append(smmu->streams, smmu->streams_number) =
		(struct stream){ .id = id, .device = device, .guessed = guessed };
	return true;
}

static bool read_spec(char *field, struct spec *spec, uint64_t *count)
{
	unsigned int event, bits = 0;
	uint32_t id;

	*spec = (struct spec){ .event = EVENTS };
	if (sscanf(field, "*:%u=%" SCNu64, &event, count) == 2)
		spec->block.everything = true;
	else if (sscanf(field, "0x%" SCNx32 "/%u:%u=%" SCNu64, &id, &bits, &event, count) == 4)
		spec->block = (struct block){ .stream_id = id, .span_bits = bits };
	else
		return false;
	spec->event = event;
	return bits <= 32;
}

static bool read_slice(struct replay *replay, struct figures *figures, char *line)
{
	struct slice slice = { .number = 0 };
	struct slice_counts counts;
	uint64_t pmcg;

	if (!next_index(&line, replay->machine->pmcgs_number, &pmcg) ||
	    !next_number(&line, UINT64_MAX, &counts.enabled) ||
	    !next_number(&line, UINT64_MAX, &counts.running))
		return false;
	for (; line; slice.number++)
		if (slice.number == MAX_SPECS ||
		    !read_spec(next_field(&line), &slice.specs[slice.number],
			       &counts.counts[slice.number]))
			return false;
	figures_add(figures, pmcg, &slice, &counts);
	return true;
}

/* In seconds since 1970 */
static bool next_time(char **line, double *time)
{
	const char *field = next_field(line);
	char *end;

	*time = strtod(field, &end);
	return *field && !*end && *time >= 0 && *time < UINT32_MAX;
}

static bool read_report(struct figures *figures, char *line, bool whole, struct report *report)
{
	uint64_t interval, slice;
	enum column column;
	const char *sort;
	double time;

	if (!next_time(&line, &time) ||
	    !next_number(&line, UINT64_MAX, &interval) || !interval ||
	    !next_number(&line, UINT64_MAX, &slice))
		return false;
	sort = next_field(&line);
	if (!column_find(sort, strlen(sort), &column))
		return false;
	figures_report(figures, interval, whole, report);
	report->seconds = time;
	report->sort = column;
	report->slice = slice;
	return true;
}

/* A line that describes the machine. False if it is something else or wrong. */
static bool read_machine_line(struct machine *machine, const char *what, char *line)
{
	struct device *device;
	struct smmu *smmu;

	if (!strcmp(what, "pmcg"))
		return read_pmcg(machine, line);
	if (!strcmp(what, "stream"))
		return read_stream(machine, line);
	if (!strcmp(what, "host")) {
		NEXT_NAME(&line, machine->host);
	} else if (!strcmp(what, "smmu")) {
		smmu = append(machine->smmus, machine->smmus_number);
		NEXT_NAME(&line, smmu->name);
		NEXT_NAME(&line, smmu->device);
	} else if (!strcmp(what, "device")) {
		device = append(machine->devices, machine->devices_number);
		NEXT_NAME(&line, device->name);
		NEXT_NAME(&line, device->driver);
		NEXT_NAME(&line, device->names);
		NEXT_NAME(&line, device->group);
		NEXT_NAME(&line, device->domain);
		device->described = true;
	} else {
		return false;
	}
	return true;
}

/* Reads the beginning of a recording; false if it is none. */
bool replay_open(struct replay *replay, FILE *file, struct machine *machine)
{
	char *line, *what;

	*replay = (struct replay){ .file = file, .machine = machine };
	*machine = (struct machine){ .smmus = NULL };
	if (!read_line(replay))
		return false;
	line = replay->line;
	if (strcmp(next_field(&line), MAGIC) || strcmp(next_field(&line), FORMAT))
		return false;
	while (read_line(replay)) {
		line = replay->line;
		what = next_field(&line);
		if (!strcmp(what, "begin")) {
			machine_make_rows(machine);
			return machine->pmcgs_number > 0;
		}
		if (!read_machine_line(machine, what, line))
			return false;
	}
	return false;
}

/* Adds what is counted up to the next report, and makes it. */
enum replay_end replay_next(struct replay *replay, struct figures *figures, struct report *report)
{
	char *line, *what;
	uint64_t pmcg;
	bool ok = true;

	while (ok && read_line(replay)) {
		line = replay->line;
		what = next_field(&line);
		if (!strcmp(what, "report") || !strcmp(what, "whole"))
			return read_report(figures, line, !strcmp(what, "whole"), report) ?
			       REPLAY_REPORT : REPLAY_ERROR;
		if (!strcmp(what, "slice"))
			ok = read_slice(replay, figures, line);
		else if (!strcmp(what, "forget"))
			figures_forget(figures);
		else if (!strcmp(what, "round"))
			figures_end_round(figures);
		else if (!strcmp(what, "gone") &&
			 next_index(&line, replay->machine->pmcgs_number, &pmcg))
			replay->machine->pmcgs[pmcg].gone = true;
		else
			ok = false;
	}
	return ok && !ferror(replay->file) ? REPLAY_END : REPLAY_ERROR;
}
