// SPDX-License-Identifier: GPL-2.0
/*
 * Figures: what the slices of an interval say of each row, and those of all intervals since the
 * start. The TBUs of an SMMU see different transactions, so their counts are added up.
 *
 * A row is shown because of what was counted before the interval, which is no part of its figure:
 * of many equal rows, those that are chosen are the ones that happened to count more then.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "text.h"

/* The counters were used by nobody else, but for the time that it takes to start them. */
#define ALL_RUNNING	0.99
#define SIGMAS		4
/* With fewer visits, it is not known how much the total varies. */
#define LEAST_OF_TOTAL	8

/* What was counted of a column */
struct tally {
	struct estimate now; /* in this interval, or this round of the time that a command takes */
	struct estimate past; /* in those before */
	double former; /* rate of the one before, of a row; NAN: unknown */
	double around; /* of a report: rate of all blocks around the row */
};

/* Of a row, of everything, or of a block of more than one row */
struct part {
	struct block block; /* not of a row */
	size_t first; /* index of its first row, or, of everything, its own */
	size_t end; /* of the one behind the last */
	size_t blocks; /* index of another block with the same first row, or 0 */
	bool in_block; /* it is a block, or, of a report, a row with blocks around it */
	struct tally tallies[COLUMNS];
};

/* The time that was counted */
struct span {
	double slices;
	double time; /* s */
	uint64_t enabled; /* ns of all slices */
	uint64_t running; /* ns in which it counted */
};

struct pmcg_figures {
	const struct pmcg *pmcg;
	const struct smmu *smmu;
	struct part *parts; /* the rows of the SMMU, everything, and the blocks of this interval */
	size_t parts_number;
	struct span now;
	struct span past;
};

struct figures {
	struct machine *machine;
	struct pmcg_figures *pmcgs; /* in the order of the machine's */
	size_t pmcgs_number;
};

struct figures *figures_new(struct machine *machine)
{
	struct figures *figures = zeros(1, sizeof(*figures));
	struct pmcg_figures *counted;
	const struct pmcg *pmcg;
	struct part *part;
	enum column column;

	figures->machine = machine;
	for_each(pmcg, machine->pmcgs) {
		counted = append(figures->pmcgs, figures->pmcgs_number);
		counted->pmcg = pmcg;
		counted->smmu = &machine->smmus[pmcg->smmu];
		counted->parts_number = counted->smmu->rows_number + 1;
		counted->parts = zeros(counted->parts_number, sizeof(*counted->parts));
		for_each(part, counted->parts) {
			part->first = part - counted->parts;
			part->end = part->first + 1;
			for (column = 0; column < COLUMNS; column++)
				part->tallies[column].former = NAN;
		}
	}
	return figures;
}

void figures_free(struct figures *figures)
{
	struct pmcg_figures *pmcg;

	if (!figures)
		return;
	for_each(pmcg, figures->pmcgs)
		free(pmcg->parts);
	free(figures->pmcgs);
	free(figures);
}

/* The first row with a StreamID that is not less */
static size_t first_row(const struct smmu *smmu, uint32_t id)
{
	size_t first = 0, last = smmu->rows_number, middle;

	while (first < last) {
		middle = (first + last) / 2;
		if (smmu->rows[middle].id < id)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* NULL for what was not counted. */
static struct part *find_part(const struct pmcg_figures *pmcg, const struct block *block)
{
	size_t rows = pmcg->smmu->rows_number, first, i;

	if (block->everything)
		return &pmcg->parts[rows];
	first = first_row(pmcg->smmu, block->stream_id);
	if (!block->span_bits)
		return first < rows && pmcg->smmu->rows[first].id == block->stream_id ?
		       &pmcg->parts[first] : NULL;
	for (i = pmcg->parts[first].blocks; i; i = pmcg->parts[i].blocks)
		if (block_equal(&pmcg->parts[i].block, block))
			return &pmcg->parts[i];
	return NULL;
}

/* The part that a block is, which may be new; NULL for a row that is not known. */
static struct part *part_of(struct pmcg_figures *pmcg, const struct block *block)
{
	struct part *part = find_part(pmcg, block);
	const struct smmu *smmu = pmcg->smmu;

	if (part || !block->span_bits)
		return part;
	part = append(pmcg->parts, pmcg->parts_number);
	part->block = *block;
	part->in_block = true;
	part->first = first_row(smmu, block->stream_id);
	part->blocks = pmcg->parts[part->first].blocks;
	pmcg->parts[part->first].blocks = part - pmcg->parts;
	part->end = part->first;
	while (part->end < smmu->rows_number && block_has(block, smmu->rows[part->end].id))
		part->end++;
	return part;
}

/* Events that a slice has counted of a block; rows have the columns of the group's kind only. */
static void add_counts(struct pmcg_figures *pmcg, const struct block *block, unsigned int events,
		       const double *counts, double time)
{
	struct part *part = part_of(pmcg, block);
	const struct column_info *info;
	enum column column;

	for (column = 0; part && column < COLUMNS; column++) {
		info = &columns[column];
		if (!(events & 1U << info->event) ||
		    (info->base && !(events & 1U << info->base)) ||
		    (!block->everything && !column_is_of(column, pmcg->pmcg->kind)))
			continue;
		estimate_add(&part->tallies[column].now, counts[info->event],
			     info->base ? counts[info->base] : time, time);
	}
}

/* The events of a block follow each other. */
void figures_add(struct figures *figures, size_t index, const struct slice *slice,
		 const struct slice_counts *counts)
{
	struct pmcg_figures *pmcg = &figures->pmcgs[index];
	const struct spec *first = slice->specs, *end = first + slice->number, *spec;
	double time = counts->running / 1e9, counted[EVENTS];
	unsigned int events;

	pmcg->now.enabled += counts->enabled;
	pmcg->now.running += counts->running;
	pmcg->now.time += time;
	if (!counts->running)
		return;
	pmcg->now.slices++;
	for (; first < end; first = spec) {
		events = 0;
		for (spec = first; spec < end && block_equal(&spec->block, &first->block); spec++) {
			/* A recording may have others. */
			if (spec->event >= EVENTS)
				continue;
			events |= 1U << spec->event;
			counted[spec->event] = counts->counts[spec - slice->specs];
		}
		add_counts(pmcg, &first->block, events, counted, time);
	}
}

/* What was counted of a block in this interval, or this round; or NULL */
const struct estimate *figures_of(const struct figures *figures, size_t pmcg,
				  const struct block *block, enum column column)
{
	const struct part *part = find_part(&figures->pmcgs[pmcg], block);

	return part ? &part->tallies[column].now : NULL;
}

static double rate_of(const struct estimate *estimate)
{
	return estimate->visits > 0 ? estimate->c / estimate->b : 0;
}

static struct span span_of(const struct pmcg_figures *pmcg, bool whole)
{
	struct span span = pmcg->now;

	if (whole) {
		span.slices += pmcg->past.slices;
		span.time += pmcg->past.time;
		span.enabled += pmcg->past.enabled;
		span.running += pmcg->past.running;
	}
	return span;
}

/*
 * What was counted is kept, or only compared with what is counted next. What a row of a block has
 * had is not known: they may all have had the same.
 */
static void end_part(struct pmcg_figures *pmcg, struct part *part, bool keep)
{
	struct tally *tally;
	size_t i;

	for (tally = part->tallies; tally < part->tallies + COLUMNS; tally++) {
		if (!(tally->now.visits > 0))
			continue;
		for (i = part->first; i < part->end; i++)
			pmcg->parts[i].tallies[tally - part->tallies].former =
				rate_of(&tally->now) / (part->end - part->first);
		if (keep)
			estimate_join(&tally->past, &tally->now,
				      pmcg->now.time / tally->now.time);
		tally->now = (struct estimate){ .visits = 0 };
	}
}

static void end_round(struct figures *figures, bool keep, bool drop_blocks)
{
	struct pmcg_figures *pmcg;
	struct part *part;

	for_each(pmcg, figures->pmcgs) {
		for_each(part, pmcg->parts) {
			end_part(pmcg, part, keep);
			if (drop_blocks)
				part->blocks = 0;
		}
		if (keep)
			pmcg->past = span_of(pmcg, true);
		pmcg->now = (struct span){ .slices = 0 };
		if (drop_blocks)
			pmcg->parts_number = pmcg->smmu->rows_number + 1;
	}
}

/* What is counted next belongs to the same report, but the StreamIDs are visited otherwise. */
void figures_end_round(struct figures *figures)
{
	end_round(figures, true, false);
}

/* What is counted next belongs to the next report. */
void figures_next_interval(struct figures *figures)
{
	end_round(figures, true, true);
}

/* What was counted since the last report belongs to none. */
void figures_forget(struct figures *figures)
{
	end_round(figures, false, true);
}

/* A report, while it is made */
struct making {
	const struct figures *figures;
	double seconds;
	bool whole;
	struct figure *of_pmcg; /* of the rows on a counter group, and of everything */
};

static double visits_of(const struct making *making, const struct tally *tally)
{
	return making->whole ? tally->past.visits + tally->now.visits : tally->now.visits;
}

/* Each visit stands for its part of its interval; @whole is room for what all intervals have. */
static const struct estimate *sample_of(const struct making *making,
					const struct pmcg_figures *pmcg,
					const struct tally *tally, struct estimate *whole)
{
	if (!making->whole)
		return &tally->now;
	*whole = tally->past;
	estimate_join(whole, &tally->now, pmcg->now.time / tally->now.time);
	return whole;
}

static const struct tally *tally_of_all(const struct pmcg_figures *pmcg, enum column column)
{
	return &pmcg->parts[pmcg->smmu->rows_number].tallies[column];
}

/* It is exact if it was counted in all slices, and everything as well. */
static struct figure figure_of(const struct making *making, const struct pmcg_figures *pmcg,
			       size_t row, enum column column)
{
	const struct tally *tally = &pmcg->parts[row].tallies[column];
	struct span span = span_of(pmcg, making->whole);
	struct estimate whole;
	const struct estimate *sample = sample_of(making, pmcg, tally, &whole);
	bool exact = sample->visits == span.slices &&
		     visits_of(making, tally_of_all(pmcg, column)) == span.slices &&
		     span.running >= ALL_RUNNING * span.enabled;

	return estimate_figure(sample, making->seconds, exact);
}

/*
 * Whether a column of an SMMU is taken from a counter group: from those of its kind, else from
 * those that count all.
 */
static bool is_source(const struct figures *figures, const struct pmcg_figures *pmcg,
		      const struct smmu *smmu, enum column column)
{
	enum pmcg_kind kind = columns[column].kind;
	const struct pmcg_figures *other;

	if (pmcg->smmu != smmu || !machine_uses_pmcg(figures->machine, pmcg->pmcg))
		return false;
	if (pmcg->pmcg->kind != KIND_ALL)
		return pmcg->pmcg->kind == kind;
	for_each(other, figures->pmcgs)
		if (other->smmu == smmu && other->pmcg->kind == kind)
			return kind == KIND_ALL;
	return true;
}

/*
 * The most events that a row can have on a counter group that counts the column, but has not
 * visited the row on its own: what its blocks have, or what it had before. 0 if it cannot count it.
 */
static double most_unseen(const struct making *making, const struct pmcg_figures *pmcg, size_t row,
			  enum column column)
{
	const struct part *part = &pmcg->parts[row];
	const struct tally *tally = &part->tallies[column];

	if (!machine_counts_row(pmcg->pmcg, &pmcg->smmu->rows[row]))
		return 0;
	if (part->in_block)
		return making->seconds * tally->around;
	return isnan(tally->former) ? INFINITY : making->seconds * tally->former;
}

/*
 * A row is a part of everything, but both were counted at different times. Where it has more, both
 * are what they have most likely: their mean, by how much each can be wrong.
 */
static void limit_rows(struct figure *rows, size_t number)
{
	struct figure *total = rows + number, *figure, *row;
	double weight, largest;

	while (total->known) {
		largest = total->events;
		figure = NULL;
		for (row = rows; row < total; row++) {
			if (!row->known || !(row->events > largest))
				continue;
			figure = row;
			largest = row->events;
		}
		if (!figure)
			return;
		weight = isfinite(figure->error) && isfinite(total->error) && figure->error > 0 ?
			 pow(total->error, 2) / (pow(total->error, 2) + pow(figure->error, 2)) : 0;
		total->events += weight * (figure->events - total->events);
		figure->events = total->events;
		figure_finish(figure);
		figure_finish(total);
	}
}

/* Of a TBU, a bit by the number in its label */
static uint64_t tbu_bit(const struct pmcg *pmcg)
{
	unsigned long number = strtoul(pmcg->label + strcspn(pmcg->label, "0123456789"), NULL, 10);

	return pmcg->kind == KIND_TBU && number < 64 ? 1ULL << number : 0;
}

/* Adds what a counter group has counted of all rows, and of everything, which it returns. */
static struct figure add_column(const struct making *making, const struct pmcg_figures *pmcg,
				enum column column, struct report_smmu *report, double *unseen)
{
	size_t number = report->rows_number, i;
	uint64_t tbu = tbu_bit(pmcg->pmcg);
	struct figure *figures = making->of_pmcg;
	bool ratio = columns[column].base, counted;

	figures[number] = figure_of(making, pmcg, number, column);
	for (i = 0; i < number; i++) {
		figures[i].known = visits_of(making, &pmcg->parts[i].tallies[column]);
		if (figures[i].known)
			figures[i] = figure_of(making, pmcg, i, column);
	}
	counted = figures[number].known;
	if (!ratio)
		limit_rows(figures, number);
	for (i = 0; i < number; i++) {
		if (figures[i].known) {
			figure_add(&report->rows[i].figures[column], &figures[i], ratio);
			report->rows[i].tbus |= figures[i].count > 0 ? tbu : 0;
		} else if (!ratio && counted) {
			unseen[i] += most_unseen(making, pmcg, i, column);
		}
	}
	figure_add(&report->total[column], &figures[number], ratio);
	return figures[number];
}

/*
 * A column of all rows, and of everything: what all counter groups of its kind have counted. It is
 * not known where those that have not visited a row can have more.
 */
static void make_column(const struct making *making, struct report_smmu *report,
			enum column column)
{
	double *unseen = zeros(report->rows_number, sizeof(*unseen));
	struct figure *total = &report->total[column], *figure;
	struct report_pmcg *line = report->pmcgs;
	size_t all = report->rows_number, i;
	const struct pmcg_figures *pmcg;

	for_each(pmcg, making->figures->pmcgs) {
		if (pmcg->smmu != report->smmu)
			continue;
		line->figures[column] = is_source(making->figures, pmcg, report->smmu, column) ?
					add_column(making, pmcg, column, report, unseen) :
					figure_of(making, pmcg, all, column);
		line++;
	}
	for (i = 0; i < all; i++) {
		figure = &report->rows[i].figures[column];
		/* A key or a command has ended the interval before a TBU has counted everything. */
		if (!columns[column].base && figure->known && figure->events > total->events) {
			total->known = false;
			figure_finish(total);
		}
		if (unseen[i] > 0) {
			figure->known &= figure->events > unseen[i];
			figure->vague += unseen[i];
			figure_finish(figure);
		}
		report->rows[i].known |= figure->known;
	}
	free(unseen);
}

static void make_pmcgs(const struct making *making, struct report_smmu *report)
{
	const struct pmcg_figures *pmcg;
	struct report_pmcg *line;
	struct span span;

	for_each(pmcg, making->figures->pmcgs) {
		if (pmcg->smmu != report->smmu)
			continue;
		span = span_of(pmcg, making->whole);
		line = append(report->pmcgs, report->pmcgs_number);
		line->pmcg = pmcg->pmcg;
		line->running = span.enabled ? (double)span.running / span.enabled : 1;
	}
}

/* The part of the time for which the visits of something stand: in a round, of all of it */
static double share_of(const struct making *making, const struct estimate *sample, double time)
{
	return making->whole ? sample->length / time : 1;
}

/* Finds what the blocks around each row have counted. */
static void find_blocks(const struct making *making, struct pmcg_figures *pmcg)
{
	struct part *block, *row, *rows = pmcg->parts, *all = rows + pmcg->smmu->rows_number;
	double time = span_of(pmcg, making->whole).time, rate;
	const struct estimate *sample;
	const struct tally *tally;
	struct estimate whole;
	enum column column;

	for (row = rows; row < all; row++) {
		row->in_block = false;
		for (column = 0; column < COLUMNS; column++)
			row->tallies[column].around = 0;
	}
	for (block = all + 1; block < rows + pmcg->parts_number; block++) {
		for (row = rows + block->first; row < rows + block->end; row++)
			row->in_block = true;
		for (column = 0; column < COLUMNS; column++) {
			tally = &block->tallies[column];
			if (!visits_of(making, tally))
				continue;
			sample = sample_of(making, pmcg, tally, &whole);
			rate = rate_of(sample) * share_of(making, sample, time);
			for (row = rows + block->first; row < rows + block->end; row++)
				row->tallies[column].around += rate;
		}
	}
}

/*
 * What a row had that its visits did not show is part of what all rows together lack of the total:
 *
 *	rest = total - sum of all rows and blocks that were visited
 *	most of a row = its figure + those of the blocks around it + max(rest + 4 s, 0)
 *
 * where s^2 is the sum of the squared standard deviations of the total, of all rows and of all
 * blocks. So a device that was active only while others were visited is no exception. In a round,
 * each row is visited on its own or in one block: a visit stands for its round only.
 *
 * These are sums of the counter groups of an SMMU, by a column that is no ratio.
 */
struct sum {
	struct report_row *rows; /* all that the SMMU has */
	double *values; /* of each row and the blocks around it */
	double rest;
	double total;
	double variance; /* of rest */
	bool known; /* all of these are */
};

/*
 * Few visits may not show all scatter, and one shows none but that of independent events: it is not
 * less than what the row has changed since the interval before. What a block had is what rows had.
 * Others can have more than they seem to if this row has less: by no more than what it has counted.
 */
static double variance_of_few(const struct pmcg_figures *pmcg, enum column column, size_t index,
			      const struct estimate *sample)
{
	const struct part *part = &pmcg->parts[index];
	double rate = rate_of(sample), former = 0;
	size_t i;

	for (i = part->first; i < part->end; i++)
		former += pmcg->parts[i].tallies[column].former;
	former = isnan(former) ? 0 : former;
	return fmax(pow(fmin(fabs(rate - former), rate), 2) / (2 * sample->visits),
		    sample->visits > 1 ? estimate_variance(sample) : rate / sample->b);
}

static void add_part(const struct making *making, const struct pmcg_figures *pmcg,
		     enum column column, size_t index, struct sum *sum)
{
	const struct part *part = &pmcg->parts[index];
	const struct tally *tally = &part->tallies[column];
	size_t rows = pmcg->smmu->rows_number;
	const struct estimate *sample;
	struct estimate whole;
	struct span span;
	double share, rate, variance;

	if (part->in_block && index < rows)
		sum->values[index] += tally->around;
	if (!visits_of(making, tally)) {
		sum->known &= part->in_block;
		return;
	}
	sample = sample_of(making, pmcg, tally, &whole);
	span = span_of(pmcg, making->whole);
	/* Of the interval, for which its visits stand */
	share = part->in_block ? share_of(making, sample, span.time) : 1;
	rate = share * rate_of(sample);
	variance = sample->visits < LEAST_VISITS ? variance_of_few(pmcg, column, index, sample) :
		   estimate_variance(sample);
	sum->variance += share * share * variance * (1 - sample->visits / span.slices);
	sum->rest -= rate;
	if (index < rows)
		sum->values[index] += rate;
}

static void add_pmcg(const struct making *making, const struct pmcg_figures *pmcg,
		     enum column column, struct sum *sum)
{
	struct estimate whole;
	const struct estimate *all = sample_of(making, pmcg, tally_of_all(pmcg, column), &whole);
	double rest = sum->rest, variance = sum->variance;
	struct span span = span_of(pmcg, making->whole);
	size_t rows = pmcg->smmu->rows_number, i;

	sum->known &= all->visits >= LEAST_OF_TOTAL ||
		      (all->visits > 0 && all->visits == span.slices);
	sum->total += rate_of(all);
	sum->rest += rate_of(all);
	sum->variance += estimate_spread(all) * (1 - all->visits / span.slices);
	for (i = 0; i < pmcg->parts_number; i++)
		if (i != rows)
			add_part(making, pmcg, column, i, sum);
	if (sum->rest - rest <= SIGMAS * sqrt(sum->variance - variance))
		return;
	/* Few visits may have missed it, and the error of a row does not say so. */
	for (i = 0; i < rows; i++)
		if (visits_of(making, &pmcg->parts[i].tallies[column]) <
		    fmin(LEAST_VISITS, span.slices))
			sum->rows[i].figures[column].most = INFINITY;
}

/*
 * None has more than the total, and none has anything if nothing was counted of everything. But
 * where a row has, it was active only while everything was not counted, and others may be as well.
 */
static double most_of_total(const struct report_smmu *report, enum column column)
{
	const struct figure *total = &report->total[column];
	const struct report_row *row;

	if (!total->known)
		return INFINITY;
	if (total->events > 0)
		return total->most;
	for_each(row, report->rows)
		if (row->figures[column].count > 0)
			return INFINITY;
	return total->slices < LEAST_OF_TOTAL ? total->most : 0;
}

/* What rows can have at most: each one that is known, and all others */
static void set_bound(const struct making *making, struct report_smmu *report,
		      enum column column)
{
	double total = most_of_total(report, column), slack, most;
	struct sum sum = { .known = true, .rows = report->rows };
	const struct pmcg_figures *pmcg;
	struct figure *figure;
	size_t i;

	sum.values = zeros(report->rows_number, sizeof(*sum.values));
	for_each(pmcg, making->figures->pmcgs) {
		/* Nobody else sees what a TBU sees. */
		if (pmcg->smmu == report->smmu && pmcg->pmcg->gone &&
		    pmcg->pmcg->kind == KIND_TBU && columns[column].kind == KIND_TBU)
			sum.known = false;
		if (is_source(making->figures, pmcg, report->smmu, column))
			add_pmcg(making, pmcg, column, &sum);
	}
	slack = fmax(sum.rest + SIGMAS * sqrt(sum.variance), 0);
	for (i = 0; i < report->rows_number; i++) {
		most = sum.values[i] + slack;
		most = sum.known && most < sum.total ? fmin(most, total) : total;
		figure = &report->rows[i].figures[column];
		if (!report->rows[i].known)
			report->bounds[column] = fmax(report->bounds[column], most);
		else
			figure->most = figure->known ? fmin(figure->most, most) : most;
	}
	free(sum.values);
}

/* A ratio has no total: what is known is only whether rows that matter are among those kept. */
static void set_bound_of_ratio(struct report_smmu *report, enum column ratio)
{
	enum column base = column_of_base(ratio);

	if (base == COLUMNS ||
	    !(report->bounds[base] <= LEAST_SHARE * report->total[base].value))
		report->bounds[ratio] = INFINITY;
}

/* What is shown of an interval, or of all since the start, but for the time and the order. */
void figures_report(struct figures *figures, uint64_t interval, bool whole, struct report *report)
{
	struct making making = {
		.figures = figures, .seconds = interval / 1e9, .whole = whole,
	};
	struct machine *machine = figures->machine;
	struct report_smmu *smmu;
	struct pmcg_figures *pmcg;
	struct report_row *row;
	enum column column;
	size_t i;

	*report = (struct report){ .interval = interval, .machine = machine, .whole = whole };
	for_each(pmcg, figures->pmcgs)
		find_blocks(&making, pmcg);
	report->smmus = zeros(machine->smmus_number, sizeof(*report->smmus));
	for (i = 0; i < machine->smmus_number; i++) {
		smmu = &report->smmus[report->smmus_number];
		smmu->smmu = &machine->smmus[i];
		make_pmcgs(&making, smmu);
		if (!smmu->pmcgs_number)
			continue;
		report->smmus_number++;
		smmu->rows_number = smmu->smmu->rows_number;
		smmu->rows = zeros(smmu->rows_number, sizeof(*smmu->rows));
		for_each(row, smmu->rows)
			row->row = &smmu->smmu->rows[row - smmu->rows];
		making.of_pmcg = zeros(smmu->rows_number + 1, sizeof(*making.of_pmcg));
		smmu->searched = smmu->rows_number;
		for (column = 0; column < COLUMNS; column++)
			make_column(&making, smmu, column);
		free(making.of_pmcg);
		for (column = 0; column < COLUMNS; column++)
			if (!columns[column].base)
				set_bound(&making, smmu, column);
		for (column = 0; column < COLUMNS; column++)
			if (columns[column].base)
				set_bound_of_ratio(smmu, column);
	}
}

void report_free(struct report *report)
{
	struct report_smmu *smmu;

	for_each(smmu, report->smmus) {
		free(smmu->pmcgs);
		free(smmu->rows);
	}
	free(report->smmus);
	*report = (struct report){ .smmus = NULL };
}
