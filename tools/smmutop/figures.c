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

/* What was counted of a column in this interval */
struct tally {
	struct estimate round; /* in this round */
	struct estimate last; /* in the last round that is over */
	struct estimate others; /* in rounds before, but not: */
	struct estimate reason; /* in the round for which the row was chosen */
	bool chosen; /* the row was one of the worst in a round */
	bool late; /* but not in the first one */
	bool known; /* there is a rate of an earlier interval: */
	double former;
	double around; /* events of all blocks around the row, of a report */
};

/* Of a row, of everything, or of a block of more than one row */
struct part {
	struct block block; /* not of a row */
	bool in_block; /* it is a block, or, of a report, a row with blocks around it */
	struct tally tallies[COLUMNS];
};

struct pmcg_figures {
	const struct pmcg *pmcg;
	const struct smmu *smmu;
	struct part *parts; /* the rows of the SMMU, everything, and the blocks of this interval */
	size_t parts_number;
	/* Of this interval: */
	double slices;
	unsigned long rounds; /* that are over */
	double length; /* s that were counted in these */
	uint64_t round_time; /* ns that were counted in this round */
	uint64_t enabled; /* ns of all slices */
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
		counted->parts_number = counted->smmu->rows_number + 1;
		counted->parts = zeros(counted->parts_number, sizeof(*counted->parts));
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

/* NULL for a row that the SMMU has not. */
static struct part *find_part(struct pmcg_figures *pmcg, const struct block *block)
{
	size_t rows = pmcg->smmu->rows_number, i;
	struct part *part;

	if (!block->everything && !block->span_bits) {
		i = first_row(pmcg->smmu, block->stream_id);
		return i < rows && pmcg->smmu->rows[i].id == block->stream_id ?
		       &pmcg->parts[i] : NULL;
	}
	if (block->everything)
		return &pmcg->parts[rows];
	for (i = rows + 1; i < pmcg->parts_number; i++)
		if (block_equal(&pmcg->parts[i].block, block))
			return &pmcg->parts[i];
	part = append(pmcg->parts, pmcg->parts_number);
	part->block = *block;
	part->in_block = true;
	return part;
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

/* A row becomes one of the worst by what was counted in the last round. */
static void choose(struct tally *tally, bool late)
{
	if (tally->chosen)
		return;
	tally->chosen = true;
	tally->late = late;
	if (!late)
		return;
	tally->reason = tally->last;
	tally->last = (struct estimate){ .visits = 0 };
}

static void add_spec(struct pmcg_figures *pmcg, const struct slice *slice,
		     const struct slice_counts *counts, unsigned int index)
{
	const struct spec *spec = &slice->specs[index];
	struct part *part = find_part(pmcg, &spec->block);
	double time = counts->running / 1e9;
	const struct column_info *info;
	struct tally *tally;
	unsigned int base;

	if (!part)
		return;
	for (info = columns; info < columns + COLUMNS; info++) {
		base = info->base ? find_spec(slice, info->base, &spec->block) : 0;
		if (info->event != spec->event || base == slice->number)
			continue;
		tally = &part->tallies[info - columns];
		estimate_add(&tally->round, counts->counts[index],
			     info->base ? counts->counts[base] : time, time);
		if (slice->worst && !spec->block.everything)
			choose(tally, pmcg->rounds);
	}
}

/* Each visit of a round that is over stands for its part of the round. */
static void end_round(struct pmcg_figures *pmcg)
{
	double time = pmcg->round_time / 1e9;
	struct tally *tally;
	struct part *part;

	if (!pmcg->round_time)
		return;
	for_each(part, pmcg->parts) {
		for (tally = part->tallies; tally < part->tallies + COLUMNS; tally++) {
			if (!(tally->round.visits > 0))
				continue;
			estimate_join(&tally->others, &tally->last, 1);
			tally->last = (struct estimate){ .visits = 0 };
			estimate_join(&tally->last, &tally->round, time / tally->round.time);
			tally->round = (struct estimate){ .visits = 0 };
		}
	}
	pmcg->rounds++;
	pmcg->length += time;
	pmcg->round_time = 0;
}

void figures_add(struct figures *figures, size_t index, const struct slice *slice,
		 const struct slice_counts *counts)
{
	struct pmcg_figures *pmcg = &figures->pmcgs[index];
	unsigned int i;

	if (slice->first_of_round)
		end_round(pmcg);
	pmcg->enabled += counts->enabled;
	pmcg->running += counts->running;
	pmcg->round_time += counts->running;
	if (!counts->running)
		return;
	pmcg->slices++;
	for (i = 0; i < slice->number; i++)
		add_spec(pmcg, slice, counts, i);
}

/* What was counted in this interval, but for the round for which the row was chosen */
static struct estimate sample_of(const struct tally *tally)
{
	struct estimate sample = tally->others;

	estimate_join(&sample, &tally->last, 1);
	return sample;
}

static struct estimate all_of(const struct tally *tally)
{
	struct estimate all = sample_of(tally);

	estimate_join(&all, &tally->reason, 1);
	return all;
}

static double rate_of(const struct estimate *estimate)
{
	return estimate->visits > 0 ? estimate->c / estimate->b : 0;
}

void figures_next_interval(struct figures *figures)
{
	struct pmcg_figures *pmcg;
	struct tally *tally;
	struct estimate all;
	struct part *part;

	for_each(pmcg, figures->pmcgs) {
		/* The rest of the round belongs to the next interval. */
		end_round(pmcg);
		pmcg->parts_number = pmcg->smmu->rows_number + 1;
		for_each(part, pmcg->parts) {
			for (tally = part->tallies; tally < part->tallies + COLUMNS; tally++) {
				all = all_of(tally);
				*tally = (struct tally){
					.known = tally->known || all.visits > 0,
					.former = all.visits > 0 ? rate_of(&all) : tally->former,
				};
			}
			part->in_block = false;
		}
		pmcg->slices = 0;
		pmcg->rounds = 0;
		pmcg->length = 0;
		pmcg->enabled = 0;
		pmcg->running = 0;
	}
}

static const struct tally *tally_of(const struct pmcg_figures *pmcg, size_t row, enum column column)
{
	return &pmcg->parts[row].tallies[column];
}

static const struct tally *tally_of_all(const struct pmcg_figures *pmcg, enum column column)
{
	return tally_of(pmcg, pmcg->smmu->rows_number, column);
}

/* It is exact if it was counted in all slices, and everything as well. */
static struct figure figure_of(const struct pmcg_figures *pmcg, size_t row, enum column column,
			       double seconds)
{
	const struct tally *tally = tally_of(pmcg, row, column);
	struct estimate sample = sample_of(tally), total = sample_of(tally_of_all(pmcg, column));
	const struct estimate *reason = &tally->reason;
	bool exact = sample.visits == pmcg->slices && total.visits == pmcg->slices &&
		     pmcg->running >= ALL_RUNNING * pmcg->enabled;
	struct figure figure = estimate_figure(&sample, seconds, exact);
	double part;

	figure.chosen = tally->chosen;
	figure.late = tally->late;
	/* The round that is left out may be as different as its visits were, or have nothing. */
	if (figure.known && reason->visits > 0) {
		part = reason->length / (reason->length + sample.length);
		figure.variance += pow(part * figure.of * (rate_of(reason) - figure.value), 2);
		figure.assumed = part * figure.events;
		figure_finish(&figure);
	}
	return figure;
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
 * The most events that a row can have on a counter group that has not visited it on its own: what
 * its blocks have, or what it had before. 0 if the group cannot count it, or has not counted the
 * column.
 */
static double most_unseen(const struct pmcg_figures *pmcg, size_t row, enum column column,
			  double seconds)
{
	const struct tally *tally = tally_of(pmcg, row, column);
	size_t rows = pmcg->smmu->rows_number;
	double most;

	if (row == rows || !(sample_of(tally_of_all(pmcg, column)).visits > 0) ||
	    !machine_counts_row(pmcg->pmcg, &pmcg->smmu->rows[row]))
		return 0;
	/* A block that was not visited in this interval has counted little in the last one. */
	most = pmcg->parts_number > rows + 1 ? tally->around : INFINITY;
	return tally->known ? fmin(most, seconds * tally->former) : most;
}

/*
 * A column of a row, or of everything: what all counter groups of its kind have counted. It is not
 * known where those that have not visited the row can have more.
 */
static struct figure column_of(const struct figures *figures, const struct smmu *smmu, size_t row,
			       enum column column, double seconds)
{
	struct figure sum = { .known = false }, part;
	bool ratio = columns[column].base;
	const struct pmcg_figures *pmcg;
	double unseen = 0;

	for_each(pmcg, figures->pmcgs) {
		if (!is_source(figures, pmcg, smmu, column))
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

/* The TBUs that have counted something of a row, by the numbers in their labels */
static uint64_t tbus_of(const struct figures *figures, const struct smmu *smmu, size_t row)
{
	const struct pmcg_figures *pmcg;
	const char *label;
	unsigned long number;
	uint64_t tbus = 0;

	for_each(pmcg, figures->pmcgs) {
		if (pmcg->smmu != smmu || pmcg->pmcg->kind != KIND_TBU || pmcg->pmcg->gone ||
		    !(all_of(tally_of(pmcg, row, COLUMN_TXN)).hits > 0 ||
		      all_of(tally_of(pmcg, row, COLUMN_MISS)).hits > 0))
			continue;
		label = pmcg->pmcg->label;
		number = strtoul(label + strcspn(label, "0123456789"), NULL, 10);
		if (number < 64)
			tbus |= 1ULL << number;
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
	size_t all = report->smmu->rows_number;
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
			line->figures[column] = figure_of(pmcg, all, column, seconds);
	}
}

/* Finds what the blocks around each row have counted. */
static void find_blocks(struct pmcg_figures *pmcg)
{
	const struct smmu *smmu = pmcg->smmu;
	struct part *block, *row, *rows = pmcg->parts;
	enum column column;
	size_t i;

	for (block = rows + smmu->rows_number + 1; block < rows + pmcg->parts_number; block++) {
		i = first_row(smmu, block->block.stream_id);
		for (; i < smmu->rows_number && block_has(&block->block, smmu->rows[i].id); i++) {
			row = &rows[i];
			row->in_block = true;
			for (column = 0; column < COLUMNS; column++)
				row->tallies[column].around += all_of(&block->tallies[column]).c;
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

/* Where nothing has visited a row, it is what it had before: if it has more, that is missing. */
static void add_part(const struct pmcg_figures *pmcg, enum column column, size_t index,
		     struct sum *sum)
{
	const struct part *part = &pmcg->parts[index];
	const struct tally *tally = &part->tallies[column];
	struct estimate all = all_of(tally);
	/* Of the interval, for which its visits stand */
	double share = part->in_block ? all.length / pmcg->length : 1;
	double rate = rate_of(&all), variance = 0;

	if (all.visits > 0) {
		/* Of one visit, its difference to before counts. */
		variance = all.visits > 1 ? estimate_variance(&all) :
			   pow(rate - tally->former, 2);
		variance = share * share * variance * (1 - all.visits / pmcg->slices);
	} else if (!part->in_block) {
		sum->known &= tally->known;
		rate = tally->former;
		variance = pow(rate, 2);
	}
	sum->rest -= share * rate;
	sum->variance += variance;
	if (index >= pmcg->smmu->rows_number)
		return;
	sum->values[index] += share * rate;
	if (part->in_block)
		sum->values[index] += tally->around / pmcg->length;
}

static void add_pmcg(const struct pmcg_figures *pmcg, enum column column, struct sum *sum)
{
	struct estimate all = all_of(tally_of_all(pmcg, column));
	size_t i;

	sum->known &= all.visits >= LEAST_VISITS || (all.visits > 0 && all.visits == pmcg->slices);
	sum->total += rate_of(&all);
	sum->rest += rate_of(&all);
	sum->variance += estimate_spread(&all) * (1 - all.visits / pmcg->slices);
	for (i = 0; i < pmcg->parts_number; i++)
		if (i != pmcg->smmu->rows_number)
			add_part(pmcg, column, i, sum);
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
	double total = most_of_total(report, column), slack, most;
	struct sum sum = { .known = true };
	const struct pmcg_figures *pmcg;
	struct figure *figure;
	size_t i;

	sum.values = zeros(report->rows_number, sizeof(*sum.values));
	for_each(pmcg, figures->pmcgs) {
		/* Nobody else sees what a TBU sees. */
		if (pmcg->smmu == report->smmu && pmcg->pmcg->gone &&
		    pmcg->pmcg->kind == KIND_TBU && columns[column].kind == KIND_TBU)
			sum.known = false;
		if (is_source(figures, pmcg, report->smmu, column))
			add_pmcg(pmcg, column, &sum);
	}
	slack = fmax(sum.rest, 0) + SIGMAS * sqrt(sum.variance);
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
