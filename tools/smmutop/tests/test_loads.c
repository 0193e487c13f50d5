// SPDX-License-Identifier: GPL-2.0
/*
 * What smmutop says of loads that are known. Without an argument it prints TAP, of a sample; with a
 * number, a table of so many runs of each load, machine and number of StreamIDs.
 *
 * A run has reports each two seconds, of virtual time. In the table, "all" and "shown" are what was
 * said divided by the truth, of all rows that were visited, and of those that are shown; "within"
 * is how many figures that have an error have the truth within it, in percent; "named" is how many
 * of the worst three are shown, once they should be; "first" is how many rows are said to be the
 * worst, on average. What is said to be certain and is wrong is counted: "complete", the first
 * rows, and the bound; of figures that are at least, or at most, something it is in percent.
 * "no +-" is how many of the first ten rows have no error, and "said" in how many reports any are
 * said to be the worst, in percent; "<1/4%" in how many they are, or none is said to have more than
 * a quarter of the total; "s" is how long an interval takes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../figures.h"
#include "../plan.h"
#include "../view.h"
#include "load.h"
#include "test.h"

#define SHOWN		10
#define WORST		3
#define INTERVAL	2000000000ULL
#define SAMPLE		20
/* The part by which what is the same may differ, as times are whole ns */
#define SMALL		0.000001
#define REPORTS		6

static struct load load;

static double share(void)
{
	return 1 / (double)load.smmu.rows_number;
}

static void each(double (*rate)(size_t rank))
{
	size_t i, j, number = load.smmu.rows_number, order[MAX_ROWS], swap;

	for (i = 0; i < number; i++)
		order[i] = i;
	for (i = number; i-- > 1;) {
		j = load_random(&load) % (i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (i = 0; i < number; i++)
		load.loads[i].rate = rate(order[i]);
}

static double random_rate(size_t rank)
{
	(void)rank;
	return exp(6 * load_uniform(&load));
}

static double zipf_rate(size_t rank)
{
	return 1.0 / (double)(rank + 1);
}

static double heavy_rate(size_t rank)
{
	return rank < 3 ? 0.3 : 0.1 * share();
}

static double flat_rate(size_t rank)
{
	(void)rank;
	return 1;
}

static double single_rate(size_t rank)
{
	return !rank;
}

static double few_rate(size_t rank)
{
	return rank < 8 ? 1.0 / (double)(rank + 1) : 0;
}

static void steady(void)
{
	each(random_rate);
}

static void zipf(void)
{
	each(zipf_rate);
}

static void heavy(void)
{
	each(heavy_rate);
}

static void flat(void)
{
	each(flat_rate);
}

static void batches(void)
{
	each(zipf_rate);
	load.group = 32;
}

static void pulse_all(double frequency, bool in_step)
{
	double phase = load_uniform(&load) / frequency;
	size_t i;

	for (i = 0; i < load.smmu.rows_number; i++) {
		load.loads[i].shape = SHAPE_PULSES;
		load.loads[i].period = 1 / frequency;
		load.loads[i].phase = in_step ? phase : load_uniform(&load) / frequency;
	}
}

/* From 10 Hz to 0.1 Hz */
static double frequency(void)
{
	return pow(10, 1 - 2 * load_uniform(&load));
}

/* A device with pulses among others that are steady */
static void pulses_alone(void)
{
	size_t row = load_random(&load) % load.smmu.rows_number;

	each(zipf_rate);
	load.loads[row].rate = 4;
	load.loads[row].shape = SHAPE_PULSES;
	load.loads[row].period = 1 / frequency();
	load.loads[row].phase = load.loads[row].period * load_uniform(&load);
}

static void pulses_each(void)
{
	each(zipf_rate);
	pulse_all(frequency(), false);
}

static void pulses_in_step(void)
{
	each(zipf_rate);
	pulse_all(frequency(), true);
}

static void square(void)
{
	each(single_rate);
	pulse_all(0.5, true);
}

static void square_few(void)
{
	each(few_rate);
	pulse_all(0.5, true);
}

/* A device that is active for half a second of seven */
static void bursts(void)
{
	size_t row = load_random(&load) % load.smmu.rows_number;

	each(zipf_rate);
	load.loads[row].rate = 4;
	load.loads[row].shape = SHAPE_BURSTS;
	load.loads[row].period = 7;
	load.loads[row].phase = 7 * load_uniform(&load);
}

/* Each device is on and off by turns, for times of all sizes: from 0.02 s to 20 s. */
static void on_and_off(void)
{
	size_t i;

	each(zipf_rate);
	pulse_all(1, false);
	for (i = 0; i < load.smmu.rows_number; i++) {
		load.loads[i].period = 0.04 * pow(1000, load_uniform(&load));
		load.loads[i].phase = load.loads[i].period * load_uniform(&load);
	}
}

/* Each three seconds, the three worst devices are others. */
static void swapped(void)
{
	size_t i;

	each(zipf_rate);
	load.turns = 2;
	for (i = 0; i < 6 && i < load.smmu.rows_number; i++) {
		load.loads[i].rate = 1.0 / (double)(1 + i % 3);
		load.loads[i].shape = SHAPE_MOVING;
		load.loads[i].turn = i / 3;
		load.loads[i].period = 3;
		load.loads[i].phase = 0;
	}
}

/* 90 % of the misses are those of the last StreamID. */
static void last(void)
{
	size_t i;

	for (i = 0; i < load.smmu.rows_number; i++)
		load.loads[i].rate = 0.1 * share();
	load.loads[i - 1].rate = 0.9;
}

static void late(void)
{
	size_t row = load_random(&load) % load.smmu.rows_number;

	each(zipf_rate);
	load.loads[row].rate = 2;
	load.loads[row].shape = SHAPE_LATE;
	load.loads[row].phase = 10 * load_uniform(&load);
}

static void moving(void)
{
	size_t i;

	each(zipf_rate);
	load.turns = 5;
	for (i = 0; i < load.turns; i++) {
		struct load_row *row = &load.loads[load_random(&load) % load.smmu.rows_number];

		row->rate = 2;
		row->shape = SHAPE_MOVING;
		row->turn = i;
		row->period = 1.3 + 3 * load_uniform(&load);
		row->phase = 0;
	}
}

/* One device is steady; others are active at once, for half a second of five. */
static double flush_rate(size_t rank)
{
	return !rank ? 1 : rank < 25 ? 2 : 0;
}

static void flushes(void)
{
	double phase = 5 * load_uniform(&load);
	size_t i;

	each(flush_rate);
	for (i = 0; i < load.smmu.rows_number; i++) {
		if (load.loads[i].rate == 1)
			continue;
		load.loads[i].shape = SHAPE_BURSTS;
		load.loads[i].period = 5;
		load.loads[i].phase = phase;
	}
}

/**
 * struct class - loads of a kind
 * @name: in the table
 * @make: draws one
 * @named: in so many percent of the reports, the worst three are shown
 * @said: in so many percent of the reports, the first rows are said to be the worst
 * @quarter: or it is said that none has more than a quarter of the total
 * @unknown: at most so many percent of the first ten rows have no error
 */
static const struct class {
	const char *name;
	void (*make)(void);
	double named;
	double said;
	double quarter;
	double unknown;
} classes[] = {
	/* 200 rows of which each has 3 % more than the next one: not even those are told apart. */
	{ "steady", steady, 99, 0, 99, 1 },
	{ "zipf", zipf, 99, 97, 97, 1 },
	{ "three heavy", heavy, 99, 100, 100, 5 },
	{ "flat", flat, 99, 0, 95, 1 },
	/* 90 % are one row's: in 2 s, few visits of the others count anything. */
	{ "last", last, 99, 100, 100, 8 },
	{ "batches of 32", batches, 99, 0, 0, 5 },
	{ "pulses, one", pulses_alone, 90, 0, 0, 5 },
	{ "pulses, each", pulses_each, 80, 0, 0, 8 },
	{ "pulses, in step", pulses_in_step, 80, 0, 0, 10 },
	{ "square, one", square, 80, 0, 0, 5 },
	{ "square, few", square_few, 82, 0, 0, 5 },
	{ "bursts", bursts, 85, 0, 0, 5 },
	{ "on and off", on_and_off, 82, 0, 0, 8 },
	{ "swapped", swapped, 80, 0, 0, 13 },
	{ "late start", late, 87, 0, 0, 5 },
	{ "moving", moving, 65, 0, 0, 13 },
	/* In half of the reports, none but the first one is active. */
	{ "flushes", flushes, 90, 43, 43, 43 },
};

#define TBU	.kind = KIND_TBU, .events = 0x87, .stream_bits = 24

/* The slices are those that the program takes, with a TCU where there are several TBUs. */
static const struct setting {
	const char *name;
	unsigned int pmcgs;
	struct pmcg pmcg;
	uint64_t slice;
} settings[] = {
	{ "one filter", 1, { TBU, .counters = 4 }, 3500000 },
	{ "four filters", 1, { TBU, .counters = 8, .filter_each = true }, 3500000 },
	{ "2 TBUs", 2, { TBU, .counters = 4 }, 7500000 },
	{ "4 TBUs", 4, { TBU, .counters = 4 }, 8500000 },
	{ "8 TBUs", 8, { TBU, .counters = 4 }, 10000000 },
};

static const size_t sizes[] = { 64, 200, 2000 };

/* How often something was, and of how many */
struct part {
	double sum;
	double number;
};

/**
 * struct result - of all runs of a load
 * @all: figures and the truth, of all rows
 * @shown: the same of the rows that are shown
 * @within: figures with an error that have the truth within
 * @first: figures of first reports with an error that have the truth within
 * @named: of the worst rows
 * @complete: wrong ones, of those that were said
 * @rows: rows that are certainly the worst, and reports
 * @wrong: reports in which these are not the worst
 * @bound: reports with a bound that is exceeded
 * @quarter: reports with a bound of a quarter of the total, or rows that are the worst
 * @least: figures that are certainly more than the truth
 * @most: figures that are certainly less than the truth
 * @unknown: rows of the first ten without an error, after the first report
 * @length: of intervals, in s
 * @above: figures that are above their total, or that of their only TBU
 */
struct result {
	struct part all;
	struct part shown;
	struct part within;
	struct part first;
	struct part named;
	struct part complete;
	struct part rows;
	struct part wrong;
	struct part bound;
	struct part quarter;
	struct part least;
	struct part most;
	struct part unknown;
	struct part length;
	struct part above;
};

static void count(struct part *part, bool is)
{
	part->sum += is;
	part->number++;
}

static double percent(const struct part *part)
{
	return 100 * part->sum / part->number;
}

static double truth[MAX_ROWS];

static bool is_among(const struct view *view, size_t number, size_t row)
{
	size_t i;

	for (i = 0; i < number && i < view->number; i++)
		if (view->rows[i].row->row == &load.rows[row])
			return true;
	return false;
}

static int compare_truth(const void *a, const void *b)
{
	double x = truth[*(const size_t *)a], y = truth[*(const size_t *)b];

	return (x < y) - (x > y);
}

static void check_figure(struct result *result, const struct figure *figure, double real,
			 bool shown, bool first)
{
	double error = fabs(figure->value - real);

	if (!figure->known)
		return;
	result->all.sum += figure->value;
	result->all.number += real;
	if (shown) {
		result->shown.sum += figure->value;
		result->shown.number += real;
	}
	if (isfinite(figure->error)) {
		count(&result->within, error <= figure->error);
		if (first)
			count(&result->first, error <= figure->error);
		count(&result->least, figure->least > real * (1 + SMALL));
	}
	if (isfinite(figure->most))
		count(&result->most, figure->most < real * (1 - SMALL));
}

/* Those that could as well be others are not the worst. */
static void check_worst(struct result *result, const struct view *view, unsigned int number)
{
	static size_t order[MAX_ROWS];
	size_t rows = load.smmu.rows_number, i;

	for (i = 0; i < rows; i++)
		order[i] = i;
	qsort(order, rows, sizeof(*order), compare_truth);
	for (i = 0; i < WORST && truth[order[i]] > 1.5 * truth[order[SHOWN]]; i++) {
		if (number >= (rows > 200 ? 2 : 1))
			count(&result->named, is_among(view, view->shown, order[i]));
	}
	if (view_search(view, NULL).worst)
		count(&result->complete, !is_among(view, view->shown, order[0]));
}

static void check_first(struct result *result, const struct view *view)
{
	struct view_search search = view_search(view, NULL);
	double outside = 0, inside = INFINITY, total = 0;
	size_t i;

	for (i = 0; i < load.smmu.rows_number; i++) {
		total += truth[i];
		if (is_among(view, search.worst, i))
			inside = fmin(inside, truth[i]);
		else
			outside = fmax(outside, truth[i]);
	}
	result->rows.sum += search.worst;
	result->rows.number++;
	count(&result->wrong, search.worst && outside > inside);
	count(&result->quarter, search.worst || search.bound < total / 4);
	/* What is counted of everything is simulated apart from the rows, of which one has all. */
	count(&result->bound, outside > search.bound +
	      5 * sqrt(total / (view->report->interval / 1e9)));
}

/* The line that a row is a part of: that of its TBU, or of the SMMU if it is behind two */
static double line_of(const struct report *report, size_t row)
{
	const struct report_pmcg *pmcg = report->smmus->pmcgs;
	size_t i;

	for (i = 0; i < report->smmus->pmcgs_number; i++)
		if (load.loads[row].shares[i] == 1)
			return pmcg[i].figures[COLUMN_MISS].value;
	return report->smmus->total[COLUMN_MISS].value;
}

static void check_report(struct result *result, const struct report *report, unsigned int number)
{
	const struct view_options options = {
		.sort = COLUMN_MISS, .max_rows = SHOWN, .all = true, .only_chosen = true,
		.filter = "",
	};
	const struct report_row *row;
	struct view view;
	size_t i;

	view_make(&view, report, &options);
	for (i = 0; i < view.number; i++) {
		row = view.rows[i].row;
		check_figure(result, &row->figures[COLUMN_MISS], truth[row->row - load.rows],
			     i < view.shown, !number);
		count(&result->above, row->figures[COLUMN_MISS].value >
		      line_of(report, row->row - load.rows) * (1 + SMALL));
		if (number && i < view.shown && row->figures[COLUMN_MISS].value > 0)
			count(&result->unknown, !isfinite(row->figures[COLUMN_MISS].error));
	}
	check_worst(result, &view, number);
	check_first(result, &view);
	view_free(&view);
}

/* Between 100 thousand and 10 million misses per s, behind one TBU each, or behind two */
static void scale(unsigned int pmcgs)
{
	double total = 0, rate = 1e5 * pow(10, 2 * load_uniform(&load));
	struct load_row *row;
	unsigned int pmcg;

	for (row = load.loads; row < load.loads + load.smmu.rows_number; row++)
		total += row->rate;
	for (row = load.loads; row < load.loads + load.smmu.rows_number; row++) {
		row->rate *= rate / total;
		pmcg = load_random(&load) % pmcgs;
		row->shares[pmcg] = 1;
		if (pmcgs > 1 && load_uniform(&load) < 0.2) {
			row->shares[pmcg] = 0.7;
			row->shares[(pmcg + 1) % pmcgs] = 0.3;
		}
	}
}

/*
 * Counts what the plan has for an interval; returns when it ends. The mean rates of that time are
 * the truth.
 */
static uint64_t count_interval(const struct setting *setting, struct plan *plan,
			       struct figures *figures, uint64_t *jitter, uint64_t begin)
{
	struct slice_counts counts;
	uint64_t now = begin, length;
	struct slice slice;
	size_t i;

	while (plan_slices(plan)) {
		length = plan_length(jitter, setting->slice);
		for (i = 0; i < setting->pmcgs; i++) {
			plan_next(plan, i, &slice);
			if (!slice.number)
				continue;
			load_count(&load, i, &slice, now / 1e9, (now + length) / 1e9, &counts);
			figures_add(figures, i, &slice, &counts);
		}
		now += length;
	}
	for (i = 0; i < load.smmu.rows_number; i++)
		truth[i] = load_truth(&load, i, begin / 1e9, now / 1e9) / ((now - begin) / 1e9);
	return now;
}

static struct plan *begin_run(const struct setting *setting, const struct class *class,
			      size_t rows, uint64_t seed)
{
	const struct plan_options options = {
		.columns = 1U << COLUMN_MISS | 1U << COLUMN_TXN | 1U << COLUMN_MISS_RATIO,
		.sort = COLUMN_MISS,
		.rows = SHOWN,
		.seed = seed,
	};

	load_init(&load, seed, rows, &setting->pmcg, setting->pmcgs);
	class->make();
	scale(setting->pmcgs);
	return plan_new(&load.machine, &options);
}

/* Returns when the first interval begins. */
static uint64_t search(const struct setting *setting, struct plan *plan, struct figures *figures,
		       uint64_t *jitter)
{
	unsigned int searches = 3;
	uint64_t begin = 0;

	while (plan_begin(plan, INTERVAL / setting->slice, searches)) {
		begin = count_interval(setting, plan, figures, jitter, begin);
		plan_learn(plan, figures);
		figures_forget(figures);
		searches -= searches > 0;
	}
	return begin;
}

static void next_interval(const struct setting *setting, struct plan *plan, struct figures *figures)
{
	plan_learn(plan, figures);
	figures_next_interval(figures);
	plan_begin(plan, INTERVAL / setting->slice, false);
}

static void run(const struct setting *setting, const struct class *class, size_t rows,
		uint64_t seed, struct result *result)
{
	struct plan *plan = begin_run(setting, class, rows, seed);
	struct figures *figures = figures_new(&load.machine);
	uint64_t jitter = seed, begin, end;
	struct report report;
	unsigned int number;

	begin = search(setting, plan, figures, &jitter);
	for (number = 0; number < REPORTS; number++) {
		end = count_interval(setting, plan, figures, &jitter, begin);
		figures_report(figures, end - begin, false, &report);
		check_report(result, &report, number);
		result->length.sum += (end - begin) / 1e9;
		result->length.number++;
		report_free(&report);
		begin = end;
		next_interval(setting, plan, figures);
	}
	plan_free(plan);
	figures_free(figures);
}

static void add(struct part *to, const struct part *from)
{
	to->sum += from->sum;
	to->number += from->number;
}

static struct result run_all(const struct setting *setting, const struct class *class,
			     size_t rows, unsigned int runs)
{
	struct result result = { .all = { 0 } };
	unsigned int i;

	for (i = 0; i < runs; i++)
		run(setting, class, rows, 1000 * (class - classes) + 100 * (setting - settings) +
		    rows + 100000 * i, &result);
	return result;
}

static void print_line(const struct setting *setting, const struct class *class, size_t rows,
		       const struct result *result)
{
	printf("%-15s %-12s %4zu %6.3f %6.3f", class->name, setting->name, rows,
	       result->all.sum / result->all.number, result->shown.sum / result->shown.number);
	printf(" %6.1f %6.1f %6.1f", percent(&result->within), percent(&result->first),
	       percent(&result->named));
	printf(" %5.0f/%-6.0f %5.1f %4.0f %4.0f %6.2f %6.2f", result->complete.sum,
	       result->complete.number, result->rows.sum / result->rows.number,
	       result->wrong.sum, result->bound.sum, percent(&result->least),
	       percent(&result->most));
	printf(" %5.1f %5.1f %5.1f %4.1f\n", percent(&result->unknown),
	       100 * result->complete.number / result->rows.number, percent(&result->quarter),
	       result->length.sum / result->length.number);
	fflush(stdout);
}

static void print_table(unsigned int runs, const char *filters)
{
	const struct setting *setting;
	const struct class *class;
	struct result result;
	size_t i;

	printf("%-15s %-12s %4s %6s %6s %6s %6s %6s %5s/%-6s %5s %4s %4s %6s %6s %5s %5s %5s %4s\n",
	       "load", "filters", "rows", "all", "shown", "within", "in 1st", "named", "wrong",
	       "compl.", "first", "no", "over", "least", "most", "no +-", "said%", "<1/4%", "s");
	for (class = classes; class < classes + ARRAY_SIZE(classes); class++) {
		for (setting = settings; setting < settings + ARRAY_SIZE(settings); setting++) {
			for (i = 0; i < ARRAY_SIZE(sizes); i++) {
				if (!strstr(setting->name, filters))
					continue;
				result = run_all(setting, class, sizes[i], runs);
				print_line(setting, class, sizes[i], &result);
			}
		}
	}
}

/* What must hold for a class on each machine. Few runs have some scatter. */
static void check_setting(const struct class *class, const struct setting *setting, size_t rows,
			  const struct result *result)
{
	CHECK(!(percent(&result->within) < 90), "%s, %zu rows: %.1f %% are within the error",
	      setting->name, rows, percent(&result->within));
	CHECK(!(percent(&result->named) < class->named), "%s, %zu rows: %.1f %% are named",
	      setting->name, rows, percent(&result->named));
	CHECK(!(percent(&result->unknown) > class->unknown), "%s, %zu rows: %.1f %% have no error",
	      setting->name, rows, percent(&result->unknown));
	CHECK(result->complete.number >= class->said / 100 * result->rows.number,
	      "%s, %zu rows: in %.0f of %.0f reports the first rows are the worst", setting->name,
	      rows, result->complete.number, result->rows.number);
	CHECK(!(percent(&result->quarter) < class->quarter),
	      "%s, %zu rows: in %.1f %% none has more than a quarter", setting->name, rows,
	      percent(&result->quarter));
	CHECK(!result->bound.sum, "%s, %zu rows: %.0f times one is over the bound", setting->name,
	      rows, result->bound.sum);
	CHECK(!result->complete.sum, "%s, %zu rows: %.0f times complete without the worst",
	      setting->name, rows, result->complete.sum);
	CHECK(!result->wrong.sum, "%s, %zu rows: %.0f times the first rows are not the worst",
	      setting->name, rows, result->wrong.sum);
	CHECK(!result->above.sum, "%s, %zu rows: %.0f rows are above their total", setting->name,
	      rows, result->above.sum);
}

static void check_class(const struct class *class)
{
	struct result sum = { .all = { 0 } }, result;
	const struct setting *setting;
	size_t i;

	for (setting = settings; setting < settings + ARRAY_SIZE(settings); setting++) {
		for (i = 0; i < 2; i++) {
			result = run_all(setting, class, sizes[i], SAMPLE);
			check_setting(class, setting, sizes[i], &result);
			add(&sum.shown, &result.shown);
			add(&sum.within, &result.within);
			add(&sum.least, &result.least);
			add(&sum.most, &result.most);
		}
	}
	CHECK(fabs(sum.shown.sum / sum.shown.number - 1) < 0.03,
	      "means are %.3f of the truth", sum.shown.sum / sum.shown.number);
	CHECK(percent(&sum.within) >= 93, "%.1f %% are within the error", percent(&sum.within));
	CHECK(percent(&sum.least) < 0.5, "%.2f %% are above what is certain",
	      percent(&sum.least));
	/* What is counted of everything is simulated apart from the rows, of which one has all. */
	CHECK(percent(&sum.most) < (class->make == square || class->make == flushes ? 0.2 : 0.04),
	      "%.2f %% are below what is certain", percent(&sum.most));
}

/* With 2000 StreamIDs, the worst are shown in the third report. */
static void many_rows(void)
{
	struct result result;
	size_t i;

	for (i = 0; i < 3; i++) {
		result = run_all(&settings[0], &classes[i], 2000, SAMPLE);
		CHECK(!(percent(&result.named) < 99), "%s: %.1f %% are named", classes[i].name,
		      percent(&result.named));
		CHECK(percent(&result.within) >= 90, "%s: %.1f %% are within the error",
		      classes[i].name, percent(&result.within));
		CHECK(!result.wrong.sum, "%s: the first rows are not the worst", classes[i].name);
	}
}

/* Whether a device that starts leads in the second whole interval after its start at the latest */
static bool leads(const struct setting *setting, uint64_t seed)
{
	struct plan *plan = begin_run(setting, &classes[1], 200, seed);
	const struct view_options options = { .sort = COLUMN_MISS, .filter = "" };
	struct figures *figures = figures_new(&load.machine);
	uint64_t jitter = seed, begin, end;
	struct load_row *row = &load.loads[load_random(&load) % 200];
	unsigned int whole = 0;
	struct report report;
	struct view view;
	bool first = false;
	size_t i;

	for (i = 0; i < 200; i++)
		row->rate = fmax(row->rate, 2 * load.loads[i].rate);
	row->shape = SHAPE_LATE;
	row->phase = 4 + 4 * load_uniform(&load);
	begin = search(setting, plan, figures, &jitter);
	while (whole < 2 && !first) {
		end = count_interval(setting, plan, figures, &jitter, begin);
		whole += begin / 1e9 > row->phase;
		figures_report(figures, end - begin, false, &report);
		view_make(&view, &report, &options);
		first = view.shown && view.rows[0].row->row == &load.rows[row - load.loads];
		view_free(&view);
		report_free(&report);
		begin = end;
		next_interval(setting, plan, figures);
	}
	plan_free(plan);
	figures_free(figures);
	return first;
}

static void starts(void)
{
	const struct setting *setting;
	struct part all = { .sum = 0 };
	unsigned int i;

	for (setting = settings; setting < settings + ARRAY_SIZE(settings); setting++)
		for (i = 0; i < 10; i++)
			count(&all, leads(setting, 100 + i));
	CHECK(percent(&all) >= 98, "%.1f %% lead in the second interval", percent(&all));
}

static void run_since_start(uint64_t seed, struct part *within, struct part *smaller)
{
	struct plan *plan = begin_run(&settings[2], &classes[1], 200, seed);
	struct figures *figures = figures_new(&load.machine);
	uint64_t jitter = seed, begin, now;
	const struct figure *figure;
	double errors[2][200];
	struct report report;
	unsigned int number;
	size_t i;

	begin = search(&settings[2], plan, figures, &jitter);
	now = begin;
	for (number = 1; number <= 24; number++) {
		now = count_interval(&settings[2], plan, figures, &jitter, now);
		figures_report(figures, now - begin, number != 1, &report);
		for (i = 0; i < 200; i++) {
			figure = &report.smmus->rows[i].figures[COLUMN_MISS];
			errors[number > 1][i] = figure->error;
			if (number == 24 && isfinite(figure->error) && isfinite(errors[0][i])) {
				count(within, fabs(figure->value - load.loads[i].rate) <=
				      figure->error);
				/* Of the first five, which are always among the worst ten */
				if (figure->value > report.smmus->total[COLUMN_MISS].value / 30)
					count(smaller, figure->error < errors[0][i] / 3);
			}
		}
		figure = &report.smmus->total[COLUMN_MISS];
		CHECK(number < 24 || figure->error < 0.01 * figure->value, "%g of %g",
		      figure->error, figure->value);
		report_free(&report);
		next_interval(&settings[2], plan, figures);
	}
	plan_free(plan);
	figures_free(figures);
}

/* The errors of the figures since the start get smaller, and have the truth within. */
static void since_start(void)
{
	struct part within = { .sum = 0 }, smaller = { .sum = 0 };
	uint64_t seed;

	for (seed = 1; seed <= 8; seed++)
		run_since_start(seed, &within, &smaller);
	CHECK(within.number >= 64 && percent(&within) >= 90, "%.0f of %.0f", within.sum,
	      within.number);
	CHECK(smaller.number >= 40 && percent(&smaller) >= 95, "%.0f of %.0f", smaller.sum,
	      smaller.number);
}

/* Counts one event of a row, or of everything, in a slice of 10 ms. */
static void count_slice(struct figures *figures, size_t pmcg, const struct row *row,
			uint64_t number)
{
	struct slice slice = { .number = 1, .specs[0].event = EVENT_TLB_MISS };
	const struct slice_counts counts = {
		.counts = { number }, .enabled = 10000000, .running = 10000000,
	};

	if (row)
		slice.specs[0].block.stream_id = row->id;
	else
		slice.specs[0].block.everything = true;
	figures_add(figures, pmcg, &slice, &counts);
}

/* A row that few visits have missed on one of two TBUs can have what all rows lack of the total. */
static void missed_on_a_tbu(void)
{
	const struct figure *figure;
	struct figures *figures;
	struct report report;
	unsigned int i;

	load_init(&load, 1, 2, &settings[2].pmcg, 2);
	figures = figures_new(&load.machine);
	for (i = 0; i < 20; i++) {
		count_slice(figures, 0, NULL, 70 + i % 2);
		count_slice(figures, 0, &load.rows[0], 70 + i % 2);
		count_slice(figures, 1, NULL, 30 + i % 2);
	}
	for (i = 0; i < 4; i++)
		count_slice(figures, i / 2, &load.rows[1], 0);
	for (i = 0; i < 2; i++)
		count_slice(figures, 1, &load.rows[0], 0);
	figures_report(figures, 420000000, false, &report);
	figure = &report.smmus->rows[0].figures[COLUMN_MISS];
	CHECK(figure->most >= 100 * 100, "%g +-%g, at most %g", figure->value, figure->error,
	      figure->most);
	report_free(&report);
	figures_free(figures);
}

static const struct class *class_of_test;

static void check_one(void)
{
	check_class(class_of_test++);
}

int main(int argc, char **argv)
{
	struct test tests[ARRAY_SIZE(classes) + 4];
	size_t i;

	if (argc > 1) {
		print_table(strtoul(argv[1], NULL, 10), argc > 2 ? argv[2] : "");
		return 0;
	}
	class_of_test = classes;
	for (i = 0; i < ARRAY_SIZE(classes); i++)
		tests[i] = (struct test){ classes[i].name, check_one };
	tests[i++] = (struct test)TEST(many_rows);
	tests[i++] = (struct test)TEST(starts);
	tests[i++] = (struct test)TEST(since_start);
	tests[i++] = (struct test)TEST(missed_on_a_tbu);
	return test_run(tests, ARRAY_SIZE(tests));
}
