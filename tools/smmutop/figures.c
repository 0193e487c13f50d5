// SPDX-License-Identifier: GPL-2.0
/*
 * Figures: what the slices of an interval say of each row. The TBUs of an SMMU see different
 * transactions, so their counts are added up.
 *
 * Rows are visited often because of what they counted before. If what they counted then was part of
 * their figures, these would be too large on average: of many equal rows, the ones that are chosen
 * are those that happened to count more. So the round for which a row was chosen is left out of its
 * figure, if it is one of this interval.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "text.h"

/* The counters were used by nobody else, but for the time that it takes to start them. */
#define ALL_RUNNING	0.99
#define SIGMAS		5
/* With fewer visits, it is not known how much the total varies. */
#define LEAST_VISITS	8

/* What was counted of a row, a block, or everything, by column */
struct tally {
	struct estimate round[COLUMNS]; /* in this round, of this interval */
	struct estimate last[COLUMNS]; /* in the last round that is over, of this interval */
	struct estimate others[COLUMNS]; /* in rounds before, but not: */
	struct estimate reason[COLUMNS]; /* in the round for which the row was chosen */
	unsigned int often; /* bit n: in this round, the row is one of the worst by the column */
	unsigned int chosen; /* bit n: it was in a round of this interval */
	unsigned int late; /* bit n: but not in the first one */
	double former[COLUMNS]; /* the rate in an earlier interval */
	unsigned int known; /* bit n: there is such a rate */
};

/* What was counted of a block of more than one row */
struct block_tally {
	struct block block;
	struct tally tally;
};

/* What was counted of all blocks around a row, if there are any: of a report */
struct around {
	bool any;
	double events[COLUMNS];
};

struct pmcg_figures {
	const struct pmcg *pmcg;
	const struct smmu *smmu;
	struct tally *rows; /* of each row of the SMMU, and of everything */
	size_t rows_number;
	struct block_tally *blocks; /* of more than one row that were counted in this interval */
	size_t blocks_number;
	struct around *around; /* of each row */
	double slices;
	unsigned long rounds; /* of this interval that are over */
	double length; /* s that were counted in these */
	uint64_t round_time; /* ns that were counted in this round, of this interval */
	uint64_t enabled; /* ns of all slices of this interval */
	uint64_t running; /* ns in which it counted */
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

	figures->machine = machine;
	for_each(pmcg, machine->pmcgs) {
		counted = append(figures->pmcgs, figures->pmcgs_number);
		counted->pmcg = pmcg;
		counted->smmu = &machine->smmus[pmcg->smmu];
		counted->rows_number = counted->smmu->rows_number;
		counted->rows = zeros(counted->rows_number + 1, sizeof(*counted->rows));
		counted->around = zeros(counted->rows_number, sizeof(*counted->around));
	}
	return figures;
}

void figures_free(struct figures *figures)
{
	struct pmcg_figures *pmcg;

	if (!figures)
		return;
	for_each(pmcg, figures->pmcgs) {
		free(pmcg->rows);
		free(pmcg->blocks);
		free(pmcg->around);
	}
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

/* That of everything, of a row, or of a block; NULL for a row that the SMMU has not. */
static struct tally *find_tally(struct pmcg_figures *pmcg, const struct block *block)
{
	struct block_tally *known;
	size_t row;

	if (block->everything)
		return &pmcg->rows[pmcg->rows_number];
	if (!block->span_bits) {
		row = first_row(pmcg->smmu, block->stream_id);
		return row < pmcg->rows_number && pmcg->smmu->rows[row].id == block->stream_id ?
		       &pmcg->rows[row] : NULL;
	}
	for_each(known, pmcg->blocks)
		if (block_equal(&known->block, block))
			return &known->tally;
	known = append(pmcg->blocks, pmcg->blocks_number);
	known->block = *block;
	return &known->tally;
}

/* Where a slice has the count of an event of a block; its number of specs if it has not. */
static unsigned int find_spec(const struct slice *slice, unsigned int event,
			      const struct block *block)
{
	unsigned int i;

	for (i = 0; i < slice->number; i++)
		if (slice->specs[i].event == event && block_equal(&slice->specs[i].block, block))
			break;
	return i;
}

static void add_spec(struct tally *tally, const struct slice *slice,
		     const struct slice_counts *counts, unsigned int index)
{
	const struct spec *spec = &slice->specs[index];
	double time = counts->running / 1e9;
	unsigned int column, base;

	for (column = 0; column < COLUMNS; column++) {
		if (columns[column].event != spec->event)
			continue;
		base = find_spec(slice, columns[column].base, &spec->block);
		if (columns[column].base && base == slice->number)
			continue;
		estimate_add(&tally->round[column], counts->counts[index],
			     columns[column].base ? counts->counts[base] : time, time);
		if (slice->worst && !spec->block.everything)
			tally->often |= 1U << column;
	}
}

/* Each visit of a round that is over stands for its part of the round. */
static void join(struct tally *tally, double round_time, bool first)
{
	struct estimate *round, *last, *sum;
	unsigned int column;
	bool late;

	for (column = 0; column < COLUMNS; column++) {
		round = &tally->round[column];
		if (!(round->visits > 0))
			continue;
		last = &tally->last[column];
		late = tally->often & ~tally->chosen & 1U << column && !first;
		tally->late |= late << column;
		sum = late ? &tally->reason[column] : &tally->others[column];
		estimate_join(sum, last, 1);
		*last = (struct estimate){ .visits = 0 };
		estimate_join(last, round, round_time / round->time);
		*round = (struct estimate){ .visits = 0 };
	}
	tally->chosen |= tally->often;
	tally->often = 0;
}

static void end_round(struct pmcg_figures *pmcg)
{
	double time = pmcg->round_time / 1e9;
	struct block_tally *block;
	size_t i;

	if (!pmcg->round_time)
		return;
	for (i = 0; i <= pmcg->rows_number; i++)
		join(&pmcg->rows[i], time, !pmcg->rounds);
	for_each(block, pmcg->blocks)
		join(&block->tally, time, !pmcg->rounds);
	pmcg->rounds++;
	pmcg->length += time;
	pmcg->round_time = 0;
}

void figures_add(struct figures *figures, size_t index, const struct slice *slice,
		 const struct slice_counts *counts)
{
	struct pmcg_figures *pmcg = &figures->pmcgs[index];
	struct tally *tally;
	unsigned int i;

	if (slice->first_of_round)
		end_round(pmcg);
	pmcg->enabled += counts->enabled;
	pmcg->running += counts->running;
	pmcg->round_time += counts->running;
	if (!counts->running)
		return;
	pmcg->slices++;
	for (i = 0; i < slice->number; i++) {
		if (slice->specs[i].event >= EVENTS)
			continue;
		tally = find_tally(pmcg, &slice->specs[i].block);
		if (tally)
			add_spec(tally, slice, counts, i);
	}
}

/* What was counted in this interval, but for the round for which the row was chosen */
static struct estimate sample_of(const struct tally *tally, enum column column)
{
	struct estimate sample = tally->others[column];

	estimate_join(&sample, &tally->last[column], 1);
	return sample;
}

static struct estimate all_of(const struct tally *tally, enum column column)
{
	struct estimate all = sample_of(tally, column);

	estimate_join(&all, &tally->reason[column], 1);
	return all;
}

static double rate_of(const struct estimate *estimate)
{
	return estimate->visits > 0 ? estimate->c / estimate->b : 0;
}

static void forget(struct tally *tally)
{
	struct estimate all;
	enum column column;

	for (column = 0; column < COLUMNS; column++) {
		all = all_of(tally, column);
		if (!(all.visits > 0))
			continue;
		tally->former[column] = rate_of(&all);
		tally->known |= 1U << column;
	}
	memset(tally->last, 0, sizeof(tally->last));
	memset(tally->others, 0, sizeof(tally->others));
	memset(tally->reason, 0, sizeof(tally->reason));
	tally->chosen = 0;
	tally->late = 0;
}

void figures_next_interval(struct figures *figures)
{
	struct pmcg_figures *pmcg;
	size_t row;

	for_each(pmcg, figures->pmcgs) {
		/* The rest of the round belongs to the next interval. */
		end_round(pmcg);
		for (row = 0; row <= pmcg->rows_number; row++)
			forget(&pmcg->rows[row]);
		pmcg->blocks_number = 0;
		pmcg->slices = 0;
		pmcg->rounds = 0;
		pmcg->length = 0;
		pmcg->enabled = 0;
		pmcg->running = 0;
	}
}

static double visits_of(const struct tally *tally, enum column column)
{
	return tally->last[column].visits + tally->others[column].visits;
}

/* Whether something was counted in all slices, and everything as well. */
static bool is_exact(const struct pmcg_figures *pmcg, size_t row, enum column column)
{
	return visits_of(&pmcg->rows[row], column) == pmcg->slices &&
	       visits_of(&pmcg->rows[pmcg->rows_number], column) == pmcg->slices &&
	       pmcg->running >= ALL_RUNNING * pmcg->enabled;
}

static struct figure figure_of(const struct pmcg_figures *pmcg, size_t row, enum column column,
			       double seconds)
{
	const struct tally *tally = &pmcg->rows[row];
	struct estimate sample = sample_of(tally, column);
	const struct estimate *reason = &tally->reason[column];
	struct figure figure = estimate_figure(&sample, seconds, is_exact(pmcg, row, column));
	double part = 0;

	figure.chosen = tally->chosen & 1U << column;
	figure.late = tally->late & 1U << column;
	/* The round that is left out may be as different as its visits were, or have nothing. */
	if (figure.known && reason->visits > 0) {
		part = reason->length / (reason->length + sample.length);
		figure.variance += pow(part * figure.of * (rate_of(reason) - figure.value), 2);
		figure.assumed = part * figure.events;
		figure_finish(&figure);
	}
	return figure;
}

/* Which counter groups a column is taken from: those of its kind, else those that count all. */
static enum pmcg_kind kind_of_column(const struct figures *figures, const struct smmu *smmu,
				     enum column column)
{
	const struct pmcg_figures *pmcg;

	for_each(pmcg, figures->pmcgs)
		if (pmcg->smmu == smmu && pmcg->pmcg->kind == columns[column].kind)
			return columns[column].kind;
	return KIND_ALL;
}

static bool counts_kind(const struct figures *figures, const struct pmcg_figures *pmcg,
			const struct smmu *smmu, enum pmcg_kind kind)
{
	return pmcg->smmu == smmu && pmcg->pmcg->kind == kind &&
	       machine_uses_pmcg(figures->machine, pmcg->pmcg);
}

/*
 * The most events that a row can have on a counter group that has not visited it on its own: what
 * its blocks have, or what it had before. 0 if the group cannot count it, or has not counted the
 * column.
 */
static double most_unseen(const struct pmcg_figures *pmcg, size_t row, enum column column,
			  double seconds)
{
	const struct tally *tally = &pmcg->rows[row];
	double most;

	if (row == pmcg->rows_number || !visits_of(&pmcg->rows[pmcg->rows_number], column) ||
	    !machine_counts_row(pmcg->pmcg, &pmcg->smmu->rows[row]))
		return 0;
	/* A block that was not visited in this interval has counted little in the last one. */
	most = pmcg->blocks_number ? pmcg->around[row].events[column] : INFINITY;
	return tally->known & 1U << column ? fmin(most, seconds * tally->former[column]) : most;
}

/*
 * A column of a row, or of everything: what all counter groups of its kind have counted. It is not
 * known where those that have not visited the row can have more.
 */
static struct figure column_of(const struct figures *figures, const struct smmu *smmu, size_t row,
			       enum column column, double seconds)
{
	enum pmcg_kind kind = kind_of_column(figures, smmu, column);
	struct figure sum = { .known = false }, part;
	bool ratio = columns[column].base;
	const struct pmcg_figures *pmcg;
	double unseen = 0;

	for_each(pmcg, figures->pmcgs) {
		if (!counts_kind(figures, pmcg, smmu, kind))
			continue;
		part = figure_of(pmcg, row, column, seconds);
		figure_add(&sum, &part, ratio);
		if (!part.known && !ratio)
			unseen += most_unseen(pmcg, row, column, seconds);
	}
	if (unseen > 0) {
		sum.known &= sum.events > unseen;
		sum.vague += unseen;
		figure_finish(&sum);
	}
	return sum;
}

/*
 * How many rows were counted by a column so far, of how many. Unlike a report, this does not end a
 * round.
 */
size_t figures_counted(const struct figures *figures, enum column column, size_t *rows)
{
	const struct pmcg_figures *pmcg;
	const struct tally *tally;
	const struct smmu *smmu;
	size_t counted = 0, row;
	bool is_counted;

	*rows = 0;
	for_each(smmu, figures->machine->smmus) {
		for (row = 0; row < smmu->rows_number; row++) {
			is_counted = false;
			for_each(pmcg, figures->pmcgs) {
				tally = &pmcg->rows[row];
				is_counted |= pmcg->smmu == smmu &&
					      (tally->round[column].visits > 0 ||
					       visits_of(tally, column) > 0 ||
					       tally->known & 1U << column);
			}
			counted += is_counted;
		}
		*rows += smmu->rows_number;
	}
	return counted;
}

static double hits_of(const struct tally *tally, enum column column)
{
	return tally->last[column].hits + tally->others[column].hits + tally->reason[column].hits;
}

/* The TBUs of an SMMU, by their place among these, that have counted something of a row */
static uint64_t tbus_of(const struct figures *figures, const struct smmu *smmu, size_t row)
{
	const struct pmcg_figures *pmcg;
	const struct tally *tally;
	uint64_t tbus = 0, tbu = 1;

	for_each(pmcg, figures->pmcgs) {
		if (pmcg->smmu != smmu || pmcg->pmcg->kind != KIND_TBU)
			continue;
		tally = &pmcg->rows[row];
		if (!pmcg->pmcg->gone &&
		    (hits_of(tally, COLUMN_TXN) || hits_of(tally, COLUMN_MISS)))
			tbus |= tbu;
		tbu <<= 1;
	}
	return tbus;
}

static void make_rows(const struct figures *figures, struct report_smmu *report, double seconds)
{
	struct report_row *row;
	enum column column;
	size_t i;

	report->rows_number = report->smmu->rows_number;
	report->rows = zeros(report->rows_number, sizeof(*report->rows));
	for (i = 0; i < report->rows_number; i++) {
		row = &report->rows[i];
		row->row = &report->smmu->rows[i];
		row->tbus = tbus_of(figures, report->smmu, i);
		for (column = 0; column < COLUMNS; column++) {
			row->figures[column] = column_of(figures, report->smmu, i, column, seconds);
			row->known |= row->figures[column].known;
		}
	}
}

static void make_pmcgs(const struct figures *figures, struct report_smmu *report, double seconds)
{
	const struct pmcg_figures *pmcg;
	struct report_pmcg *line;
	unsigned int column;

	for_each(pmcg, figures->pmcgs) {
		if (pmcg->smmu != report->smmu)
			continue;
		line = append(report->pmcgs, report->pmcgs_number);
		line->pmcg = pmcg->pmcg;
		line->running = pmcg->enabled ? (double)pmcg->running / pmcg->enabled : 1;
		for (column = 0; column < COLUMNS; column++)
			line->figures[column] = figure_of(pmcg, pmcg->rows_number, column, seconds);
	}
}

/* Finds what the blocks around each row have counted. */
static void find_blocks(struct pmcg_figures *pmcg)
{
	const struct smmu *smmu = pmcg->smmu;
	const struct block_tally *block;
	struct estimate all;
	enum column column;
	size_t row;

	memset(pmcg->around, 0, pmcg->rows_number * sizeof(*pmcg->around));
	for_each(block, pmcg->blocks) {
		row = first_row(smmu, block->block.stream_id);
		for (; row < smmu->rows_number && block_has(&block->block, smmu->rows[row].id);
		     row++) {
			pmcg->around[row].any = true;
			for (column = 0; column < COLUMNS; column++) {
				all = all_of(&block->tally, column);
				pmcg->around[row].events[column] += all.c;
			}
		}
	}
}

/*
 * What a row had that its visits did not show is part of what all rows together lack of the total:
 *
 *	rest = total - sum of all rows and blocks that were visited
 *	most of a row = its figure + those of the blocks around it + max(rest, 0) + 5 s
 *
 * where s^2 is the sum of the squared standard deviations of the total, of all rows and of all
 * blocks. So a device that was active only while others were visited is no exception. In a round,
 * each row is visited on its own or in one block: a visit stands for its round only.
 *
 * These are sums of the counter groups of an SMMU, by a column that is no ratio.
 */
struct sum {
	double *values; /* of each row and the blocks around it */
	double rest;
	double total;
	double variance; /* of rest */
	bool known; /* all of these are */
};

/* Adds what stands for a part of the interval. Of one visit, its difference to before counts. */
static void add(const struct pmcg_figures *pmcg, const struct estimate *estimate, double before,
		double part, struct sum *sum)
{
	double variance = estimate->visits > 1 ? estimate_variance(estimate) :
			  pow(rate_of(estimate) - before, 2);

	sum->rest -= part * rate_of(estimate);
	sum->variance += part * part * variance * (1 - estimate->visits / pmcg->slices);
}

/* Where nothing has visited a row, it is what it had before: if it has more, that is missing. */
static void add_row(const struct pmcg_figures *pmcg, enum column column, size_t row,
		    struct sum *sum)
{
	const struct tally *tally = &pmcg->rows[row];
	const struct around *around = &pmcg->around[row];
	struct estimate all = all_of(tally, column);
	double part = around->any ? all.length / pmcg->length : 1;

	sum->values[row] += part * rate_of(&all);
	if (around->any)
		sum->values[row] += around->events[column] / pmcg->length;
	if (all.visits > 0) {
		add(pmcg, &all, tally->former[column], part, sum);
	} else if (!around->any) {
		sum->known &= tally->known >> column;
		sum->values[row] += tally->former[column];
		sum->rest -= tally->former[column];
		sum->variance += pow(tally->former[column], 2);
	}
}

static void add_pmcg(const struct pmcg_figures *pmcg, enum column column, struct sum *sum)
{
	struct estimate all = all_of(&pmcg->rows[pmcg->rows_number], column);
	const struct block_tally *block;
	size_t i;

	sum->known &= all.visits >= LEAST_VISITS || (all.visits > 0 && all.visits == pmcg->slices);
	sum->total += rate_of(&all);
	sum->rest += rate_of(&all);
	sum->variance += estimate_spread(&all) * (1 - all.visits / pmcg->slices);
	for (i = 0; i < pmcg->rows_number; i++)
		add_row(pmcg, column, i, sum);
	for_each(block, pmcg->blocks) {
		all = all_of(&block->tally, column);
		if (all.visits > 0)
			add(pmcg, &all, 0, all.length / pmcg->length, sum);
	}
}

/* What each row can have at most; INFINITY if nothing below the total is known. */
static double *most_of_rows(const struct figures *figures, const struct smmu *smmu,
			    enum column column)
{
	enum pmcg_kind kind = kind_of_column(figures, smmu, column);
	const struct pmcg_figures *pmcg;
	struct sum sum = { .known = true };
	double slack;
	size_t i;

	sum.values = zeros(smmu->rows_number, sizeof(*sum.values));
	for_each(pmcg, figures->pmcgs) {
		/* Nobody else sees what a TBU sees. */
		if (pmcg->smmu == smmu && pmcg->pmcg->kind == kind && kind == KIND_TBU &&
		    pmcg->pmcg->gone)
			sum.known = false;
		if (counts_kind(figures, pmcg, smmu, kind))
			add_pmcg(pmcg, column, &sum);
	}
	slack = fmax(sum.rest, 0) + SIGMAS * sqrt(sum.variance);
	for (i = 0; i < smmu->rows_number; i++) {
		sum.values[i] += slack;
		if (!sum.known || !(sum.values[i] < sum.total))
			sum.values[i] = INFINITY;
	}
	return sum.values;
}

/* A ratio has no total: what is known is only whether rows that matter are among those kept. */
static double bound_of_ratio(const struct report_smmu *report, enum column ratio)
{
	enum column base = column_of_base(ratio);

	return base < COLUMNS && report->bounds[base] <=
	       LEAST_SHARE * report->total[base].value ? 0 : INFINITY;
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
	return total->slices < LEAST_VISITS ? total->most : 0;
}

/* What rows can have at most: each one that is known, and all others */
static void set_bound(const struct figures *figures, struct report_smmu *report,
		      enum column column)
{
	double total = most_of_total(report, column), largest = 0;
	double *most = most_of_rows(figures, report->smmu, column);
	struct figure *figure;
	size_t i;

	for (i = 0; i < report->rows_number; i++) {
		figure = &report->rows[i].figures[column];
		if (!report->rows[i].known)
			largest = fmax(largest, most[i]);
		else
			figure->most = fmin(figure->known ? figure->most : INFINITY,
					    fmin(most[i], total));
	}
	report->bounds[column] = fmin(largest, total);
	free(most);
}

/* What is shown of an interval, but for the time and the order. */
void figures_report(struct figures *figures, uint64_t interval, struct report *report)
{
	struct machine *machine = figures->machine;
	double seconds = interval / 1e9;
	struct report_smmu *smmu;
	struct pmcg_figures *pmcg;
	enum column column;
	size_t i;

	*report = (struct report){ .interval = interval, .machine = machine };
	for_each(pmcg, figures->pmcgs) {
		end_round(pmcg);
		find_blocks(pmcg);
	}
	report->smmus = zeros(machine->smmus_number, sizeof(*report->smmus));
	for (i = 0; i < machine->smmus_number; i++) {
		smmu = &report->smmus[report->smmus_number];
		smmu->smmu = &machine->smmus[i];
		make_pmcgs(figures, smmu, seconds);
		if (!smmu->pmcgs_number)
			continue;
		report->smmus_number++;
		make_rows(figures, smmu, seconds);
		smmu->searched = smmu->rows_number;
		for (column = 0; column < COLUMNS; column++) {
			smmu->total[column] = column_of(figures, smmu->smmu, smmu->rows_number,
							column, seconds);
			if (!columns[column].base)
				set_bound(figures, smmu, column);
		}
		for (column = 0; column < COLUMNS; column++)
			if (columns[column].base)
				smmu->bounds[column] = bound_of_ratio(smmu, column);
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
