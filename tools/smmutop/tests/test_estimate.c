// SPDX-License-Identifier: GPL-2.0
/*
 * Errors of rates and ratios: of steady loads, 95 % lie within them, and not many more.
 */
#include "../estimate.h"
#include "../jitter.h"
#include "load.h"
#include "test.h"

#include <math.h>

#define RUNS	4000u

static struct load load;

/*
 * A load with @mean events per slice, in an interval of @all slices of which @counted are counted,
 * as often as RUNS.
 */
struct coverage {
	unsigned int within;	/* true rate within the error */
	unsigned int bursty;
	unsigned int wrong;	/* lower bound above the rate of the interval */
	double widths;		/* sum of the errors */
};

static struct coverage cover(double mean, int counted, int all, double dispersion)
{
	struct coverage coverage = { 0 };
	unsigned int run;
	int i;

	for (run = 0; run < RUNS; run++) {
		struct estimate estimate = { 0 };
		struct estimate_figure figure;
		double truth = 0;

		for (i = 0; i < (all ? all : counted); i++) {
			int64_t events = load_events(&load, mean);

			truth += (double)events;
			if (i < counted)
				estimate_add(&estimate, events, SLICE_NS);
		}
		if (all)
			truth /= (double)all * SLICE_NS / 1e9;
		else
			truth = mean / (SLICE_NS / 1e9);

		figure = estimate_rate(&estimate, (uint64_t)all * SLICE_NS, dispersion);
		coverage.within += fabs(figure.value - truth) <= figure.error + truth * ROUNDING;
		coverage.bursty += figure.bursty;
		coverage.wrong += figure.least > truth * (1 + ROUNDING);
		coverage.widths += figure.error;
	}
	return coverage;
}

/* 95 % of RUNS, less what chance can do to it: four standard deviations. */
static const unsigned int enough = RUNS * 95 / 100 - 4 * 14;

static void steady_rates(void)
{
	static const double means[] = { 0.02, 0.3, 1, 3, 10, 30, 100, 1000, 100000 };
	static const int slices[] = { 1, 2, 3, 4, 6, 12, 40 };
	struct coverage coverage;
	double ideal;
	size_t i, j;

	load_init(&load, 1);
	for (i = 0; i < ARRAY_SIZE(means); i++) {
		for (j = 0; j < ARRAY_SIZE(slices); j++) {
			coverage = cover(means[i], slices[j], 0, 1);
			CHECK(coverage.within >= enough, "mean %g, %d slices: %u of %u", means[i],
			      slices[j], coverage.within, RUNS);
			CHECK(coverage.bursty <= RUNS / 1000, "mean %g, %d slices: bursty: %u",
			      means[i], slices[j], coverage.bursty);

			/* An error that is always large is no error. */
			ideal = 1.96 * sqrt(means[i] * slices[j]) / (slices[j] * 0.05);
			if (slices[j] >= 6 && means[i] * slices[j] >= 30)
				CHECK(coverage.widths / RUNS <= 1.4 * ideal,
				      "mean %g, %d slices: error %g, not %g", means[i], slices[j],
				      coverage.widths / RUNS, ideal);
		}
	}
}

/* Of an interval, a part is known exactly. */
static void intervals(void)
{
	static const double means[] = { 0.3, 3, 30, 1000 };
	static const int slices[] = { 1, 2, 6, 12, 20, 36, 40 };
	struct coverage coverage;
	size_t i, j;

	load_init(&load, 2);
	for (i = 0; i < ARRAY_SIZE(means); i++) {
		for (j = 0; j < ARRAY_SIZE(slices); j++) {
			coverage = cover(means[i], slices[j], 40, 1);
			CHECK(coverage.within >= enough, "mean %g, %d slices: %u of %u", means[i],
			      slices[j], coverage.within, RUNS);
			CHECK(!coverage.wrong, "mean %g, %d slices: %u", means[i], slices[j],
			      coverage.wrong);
			if (slices[j] == 40)
				CHECK(coverage.widths == 0, "error %g", coverage.widths);
		}
	}
}

/* Events that come in groups: by their scatter, or, for one slice, by what others are like. */
static void grouped_rates(void)
{
	static const double means[] = { 300, 1000, 10000 };
	static const int slices[] = { 3, 4, 6, 12, 40 };
	struct coverage coverage;
	size_t i, j;

	load_init(&load, 3);
	load.noise = NOISE_GROUPS;
	load.group = 30;
	for (i = 0; i < ARRAY_SIZE(means); i++) {
		for (j = 0; j < ARRAY_SIZE(slices); j++) {
			coverage = cover(means[i], slices[j], 0, 1);
			CHECK(coverage.within >= enough, "mean %g, %d slices: %u of %u", means[i],
			      slices[j], coverage.within, RUNS);
		}
		coverage = cover(means[i], 1, 0, 30);
		CHECK(coverage.within >= enough, "mean %g, one slice: %u of %u", means[i],
		      coverage.within, RUNS);
		coverage = cover(means[i], 1, 0, 1);
		CHECK(coverage.within < enough, "mean %g: the test shows nothing", means[i]);
	}
}

/* Twice as many transactions in every second slice. */
static void cover_ratio(double truth, double transactions, int slices)
{
	unsigned int run, within = 0, none = 0, bursty = 0;
	double widths = 0, ideal;
	int slice;

	for (run = 0; run < RUNS; run++) {
		struct estimate_ratio ratio = { 0 };
		struct estimate_figure figure;

		for (slice = 0; slice < slices; slice++) {
			double mean = transactions * (1 + slice % 2);
			int64_t misses = load_events(&load, mean * truth);
			int64_t hits = load_events(&load, mean * (1 - truth));

			estimate_ratio_add(&ratio, misses, misses + hits, SLICE_NS);
		}
		figure = estimate_ratio(&ratio, 0, 1);
		none += isnan(figure.value);
		within += fabs(figure.value - truth) <= figure.error;
		bursty += figure.bursty;
		widths += figure.error;
	}
	CHECK(within >= enough, "ratio %g, %g, %d slices: %u of %u", truth, transactions, slices,
	      within, RUNS);
	CHECK(!none, "%u", none);
	CHECK(bursty <= RUNS / 1000, "bursty: %u", bursty);

	ideal = 1.96 * sqrt(truth / (transactions * slices * 1.5));
	if (slices >= 12 && transactions * truth >= 10)
		CHECK(widths / RUNS <= 1.4 * ideal, "ratio %g: error %g, not %g", truth,
		      widths / RUNS, ideal);
}

static void steady_ratios(void)
{
	static const double ratios[] = { 0.001, 0.05, 0.5, 0.95 };
	static const double transactions[] = { 20, 1000, 100000 };
	static const int slices[] = { 1, 2, 4, 12, 40 };
	size_t i, j, k;

	load_init(&load, 4);
	for (i = 0; i < ARRAY_SIZE(ratios); i++)
		for (j = 0; j < ARRAY_SIZE(transactions); j++)
			for (k = 0; k < ARRAY_SIZE(slices); k++)
				cover_ratio(ratios[i], transactions[j], slices[k]);
}

/* On for a slice in ten, or for the first half: never without a mark. */
static void bursts(void)
{
	int run, slice, marked[3] = { 0 };

	load_init(&load, 5);
	for (run = 0; run < 1000; run++) {
		struct estimate rare = { 0 }, half = { 0 }, always = { 0 };
		struct estimate_ratio ratio = { 0 };
		struct estimate_figure figure;
		int on = (int)(load_random(&load) % 20);

		for (slice = 0; slice < 20; slice++) {
			int64_t events = load_events(&load, 1000);

			estimate_add(&rare, slice == on || slice == (on + 10) % 20 ? events : 0,
				     SLICE_NS);
			estimate_add(&half, slice < 10 ? events : events / 4, SLICE_NS);
			estimate_add(&always, events, SLICE_NS);
			estimate_ratio_add(&ratio, slice % 10 ? 10 : 800, 1000, SLICE_NS);
		}
		figure = estimate_rate(&rare, 0, 1);
		marked[0] += figure.bursty;
		figure = estimate_rate(&half, 0, 1);
		marked[1] += figure.bursty;
		figure = estimate_rate(&always, 0, 1);
		marked[2] += figure.bursty;
		figure = estimate_ratio(&ratio, 0, 1);
		CHECK(figure.bursty, "run %d: ratio", run);
	}
	CHECK(marked[0] == 1000, "one in ten: %d", marked[0]);
	CHECK(marked[1] == 1000, "half: %d", marked[1]);
	CHECK(marked[2] == 0, "steady: %d", marked[2]);
}

/* Marks need a reason: three slices, ten events, and half of the rate. */
/* What comes before a time of a load that is on for a part of each period. */
static double bursts_before(double time, double period, double on, double phase)
{
	double periods = time / period + phase, whole = floor(periods);

	return period * (whole * on + fmin(periods - whole, on));
}

/*
 * Rows take turns, and a load whose bursts come once in a turn, or in a part of it: with slices of
 * equal length, all of it was seen, or nothing, and all slices agreed. A period of one slice has a
 * whole burst in each, unless slices do not follow each other at once.
 */
static void bursts_that_beat(void)
{
	static const struct {
		double period;
		double gap;
		unsigned int turns;
	} loads[] = {
		/* In slices */
		{ 1, 0, 2 },
		{ 1, 0.1, 2 },
		{ 2, 0, 2 },
		{ 4, 0, 4 },
		{ 2, 0, 4 },
		{ 1.5, 0.5, 1 },
		{ 0.5, 0.25, 2 },
	};
	const double rate = 1e6, on = 0.2;
	unsigned int i, run, slice;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		for (run = 0; run < 40; run++) {
			double time = 0, length, before, nominal = SLICE_NS / 1e9;
			double period = loads[i].period * nominal, phase = run / 40.0;
			struct estimate_figure figure;
			struct estimate estimate = { 0 };
			uint64_t jitter = run, ns;
			int64_t count;

			for (slice = 0; slice < 2000 * loads[i].turns; slice++) {
				ns = jitter_slice(&jitter, SLICE_NS);
				length = ns / 1e9;
				before = bursts_before(time, period, on, phase);
				time += length;
				count = (int64_t)(rate * (bursts_before(time, period, on, phase) -
							  before));
				if (!(slice % loads[i].turns))
					estimate_add(&estimate, count, ns);
				time += loads[i].gap * nominal;
			}
			figure = estimate_rate(&estimate, 0, 1);
			CHECK(fabs(figure.value / (rate * on) - 1) < 0.4, "load %u, run %u: %g", i,
			      run, figure.value);
		}
	}
}

/* They vary by a quarter, around what is wanted, and the same seed gives the same. */
static void lengths_of_slices(void)
{
	uint64_t state = 1, again = 1, other = 2, length, least = UINT64_MAX, most = 0;
	unsigned int i, different = 0;
	double sum = 0;

	for (i = 0; i < 10000; i++) {
		length = jitter_slice(&state, SLICE_NS);
		CHECK(length == jitter_slice(&again, SLICE_NS), "slice %u", i);
		different += length != jitter_slice(&other, SLICE_NS);
		least = length < least ? length : least;
		most = length > most ? length : most;
		sum += length;
	}
	CHECK(least >= SLICE_NS * 3 / 4 && least < SLICE_NS * 0.751, "%g", (double)least);
	CHECK(most <= SLICE_NS * 5 / 4 && most > SLICE_NS * 1.249, "%g", (double)most);
	CHECK(fabs(sum / 10000 / SLICE_NS - 1) < 0.01, "%g", sum / 10000);
	CHECK(different > 9990, "%u", different);
	CHECK(jitter_slice(&state, 1) == 1, "the shortest one");
}

static void no_bursts(void)
{
	struct estimate two = { 0 }, few = { 0 }, ten = { 0 }, small = { 0 };
	int slice;

	estimate_add(&two, 0, SLICE_NS);
	estimate_add(&two, 1000, SLICE_NS);
	CHECK(!estimate_rate(&two, 0, 1).bursty, "two slices");
	estimate_add(&two, 0, SLICE_NS);
	CHECK(estimate_rate(&two, 0, 1).bursty, "three slices");

	for (slice = 0; slice < 12; slice++) {
		estimate_add(&few, slice ? 0 : 9, SLICE_NS);
		estimate_add(&ten, slice ? 0 : 10, SLICE_NS);
		estimate_add(&small, slice % 2 ? 100000 : 200000, SLICE_NS);
	}
	CHECK(!estimate_rate(&few, 0, 1).bursty, "nine events");
	CHECK(estimate_rate(&ten, 0, 1).bursty, "ten events");
	CHECK(!estimate_rate(&small, 0, 1).bursty, "a third of the rate");
	CHECK(estimate_dispersion(&small) > 1000, "%g", estimate_dispersion(&small));
}

/* What was seen is a lower bound of any load, however it is spread. */
static void lower_bound(void)
{
	int run, slice;

	load_init(&load, 6);
	for (run = 0; run < 10000; run++) {
		struct estimate estimate = { 0 };
		double truth = 0, scale = pow(10, 6 * load_uniform(&load));
		struct estimate_figure figure;

		for (slice = 0; slice < 40; slice++) {
			bool on = !(load_random(&load) % 8);
			int64_t events = on ? (int64_t)(scale * load_uniform(&load)) : 0;

			truth += (double)events / 2;
			if (!(load_random(&load) % 3))
				estimate_add(&estimate, events, SLICE_NS);
		}
		figure = estimate_rate(&estimate, 40 * SLICE_NS, 1);
		CHECK(figure.least <= truth * (1 + ROUNDING) + ROUNDING, "run %d: %g > %g", run,
		      figure.least, truth);
		CHECK(!(estimate.count > 0) || figure.least > 0, "run %d", run);
		CHECK(fabs(figure.seen - estimate.time / 2) < ROUNDING, "run %d: %g", run,
		      figure.seen);
	}
}

static void sums(void)
{
	unsigned int run, sum_within = 0, rest_within = 0;

	load_init(&load, 7);
	for (run = 0; run < RUNS; run++) {
		struct estimate a = { 0 }, b = { 0 };
		struct estimate_figure sum, rest, x, y;
		int slice;

		for (slice = 0; slice < 10; slice++) {
			estimate_add(&a, load_events(&load, 1000), SLICE_NS);
			estimate_add(&b, load_events(&load, 400), SLICE_NS);
		}
		x = estimate_rate(&a, 0, 1);
		y = estimate_rate(&b, 0, 1);
		sum = estimate_sum(x, y);
		rest = estimate_rest(x, y);
		sum_within += fabs(sum.value - 28000) <= sum.error;
		rest_within += fabs(rest.value - 12000) <= rest.error;
		CHECK(sum.error < 1.2 * (x.error + y.error), "run %u", run);
		CHECK(sum.error >= x.error && rest.error >= x.error, "run %u", run);
	}
	CHECK(sum_within >= enough, "sum: %u", sum_within);
	CHECK(rest_within >= enough, "rest: %u", rest_within);
}

static void sums_of_what_is_known(void)
{
	struct estimate_figure a = { .value = 100, .error = 3, .least = 20, .seen = 0.5 };
	struct estimate_figure b = { .value = 10, .error = 4, .least = 5, .seen = 0.25 };
	struct estimate_figure none = { .value = NAN, .error = INFINITY }, sum;

	sum = estimate_sum(a, b);
	CHECK(sum.value == 110 && sum.error == 5 && sum.least == 25 && sum.seen == 0.25,
	      "%g +- %g, %g, %g", sum.value, sum.error, sum.least, sum.seen);
	sum = estimate_rest(a, b);
	CHECK(sum.value == 90 && sum.error == 5 && sum.least == 0, "%g +- %g", sum.value,
	      sum.error);
	sum = estimate_rest(b, a);
	CHECK(sum.value == 0 && sum.error == 5, "%g +- %g", sum.value, sum.error);
	sum = estimate_rest(a, none);
	CHECK(isnan(sum.value) && isinf(sum.error), "%g +- %g", sum.value, sum.error);
	sum = estimate_sum(none, a);
	CHECK(isnan(sum.value) && isinf(sum.error), "%g +- %g", sum.value, sum.error);

	b.bursty = true;
	CHECK(!estimate_sum(a, b).bursty, "a tenth at most");
	a.value = 90;
	CHECK(!estimate_sum(a, b).bursty && !estimate_sum(b, a).bursty, "exactly a tenth");
	a.value = 100;
	b.value = 20;
	CHECK(estimate_sum(a, b).bursty, "more than a tenth");
	CHECK(estimate_sum(b, a).bursty, "more than a tenth");
}

/* Two slices are enough for a scatter, and a count that falls is none at all. */
static void ratios_of_two_slices(void)
{
	struct estimate_ratio alike = { 0 }, differ = { 0 }, falls = { 0 }, none = { 0 };
	struct estimate_figure figure, other;

	estimate_ratio_add(&alike, 100, 1000, SLICE_NS);
	estimate_ratio_add(&alike, 100, 1000, SLICE_NS);
	figure = estimate_ratio(&alike, 0, 1);
	CHECK(fabs(figure.value - 0.1) < ROUNDING && figure.error < 0.016, "%g", figure.error);
	estimate_ratio_add(&differ, 50, 1000, SLICE_NS);
	estimate_ratio_add(&differ, 150, 1000, SLICE_NS);
	/* Each differs by 50 from 100: the variance is 5000, and of the sum 10000, by 12.706. */
	figure = estimate_ratio(&differ, 0, 1);
	CHECK(fabs(figure.error - 12.706 * 100 / 2000) < ROUNDING, "%g", figure.error);
	figure = estimate_rate(&differ.numerator, 0, 1);
	CHECK(fabs(figure.error - 12.706 * 100 / 0.1) < 0.0001, "%g", figure.error);

	estimate_ratio_add(&falls, 7, -3, SLICE_NS);
	estimate_ratio_add(&falls, -2, 40, SLICE_NS);
	estimate_ratio_add(&none, 7, 0, SLICE_NS);
	estimate_ratio_add(&none, 0, 40, SLICE_NS);
	figure = estimate_ratio(&falls, 0, 1);
	other = estimate_ratio(&none, 0, 1);
	CHECK(figure.value == other.value && figure.error == other.error, "%g +- %g",
	      figure.value, figure.error);
}

/* Where the limits are: of what is bursty, and of the table of Student's t. */
static void exact_limits(void)
{
	struct estimate estimate = { 0 };
	int slice;

	/* Mean 50, variance 676: 2 * 13.52 is less than chi squared by 5 sigma, 33.4. */
	estimate_add(&estimate, 24, SLICE_NS);
	estimate_add(&estimate, 50, SLICE_NS);
	estimate_add(&estimate, 76, SLICE_NS);
	CHECK(fabs(estimate_dispersion(&estimate) - 13.52) < ROUNDING, "%g",
	      estimate_dispersion(&estimate));
	CHECK(!estimate_rate(&estimate, 0, 1).bursty, "by chance");
	estimate_reset(&estimate);
	/* Variance 900: 36 is more. */
	estimate_add(&estimate, 20, SLICE_NS);
	estimate_add(&estimate, 50, SLICE_NS);
	estimate_add(&estimate, 80, SLICE_NS);
	CHECK(estimate_rate(&estimate, 0, 1).bursty, "not by chance");
	/* Half of the mean is enough for bursts. */
	estimate_reset(&estimate);
	estimate_add(&estimate, 100, 1000000000);
	estimate_add(&estimate, 200, 1000000000);
	estimate_add(&estimate, 300, 1000000000);
	CHECK(estimate_rate(&estimate, 0, 1).bursty, "%g", estimate_dispersion(&estimate));
	/* Of two slices, something is known; of less, nothing. */
	estimate_reset(&estimate);
	estimate_add(&estimate, 100, 1000000000);
	estimate_add(&estimate, 300, 1000000000);
	CHECK(estimate_dispersion(&estimate) == 100, "%g", estimate_dispersion(&estimate));
	estimate_forget(&estimate, 0.9);
	CHECK(isnan(estimate_dispersion(&estimate)), "%g", estimate_dispersion(&estimate));
	/* 11 slices with 10 degrees of freedom: 2.228. */
	estimate_reset(&estimate);
	for (slice = 0; slice < 11; slice++)
		estimate_add(&estimate, slice < 5 ? 4000 : slice == 5 ? 5000 : 6000, SLICE_NS);
	CHECK(fabs(estimate_rate(&estimate, 0, 1).error - 2.228 * sqrt(1e6 * 11) / 0.55) < 0.001,
	      "%g", estimate_rate(&estimate, 0, 1).error);
}

static void nothing_and_nonsense(void)
{
	struct estimate estimate = { 0 };
	struct estimate_ratio ratio = { 0 };
	struct estimate_figure figure;

	figure = estimate_rate(&estimate, SLICE_NS, 1);
	CHECK(isnan(figure.value) && isinf(figure.error) && figure.least == 0 && figure.seen == 0 &&
	      !figure.bursty, "%g", figure.value);
	CHECK(isnan(estimate_dispersion(&estimate)), "nothing");

	estimate_add(&estimate, 5, 0);
	CHECK(isnan(estimate_rate(&estimate, 0, 1).value), "no time");

	/* Counts that fall, because they were read late. */
	estimate_add(&estimate, -5, SLICE_NS);
	estimate_add(&estimate, INT64_MIN, SLICE_NS);
	figure = estimate_rate(&estimate, 0, 1);
	CHECK(figure.value == 0, "%g", figure.value);
	CHECK(figure.error > 30 && figure.error < 40, "3.7 events in 0.1 s: %g", figure.error);
	CHECK(isnan(estimate_dispersion(&estimate)), "nothing counted");

	/* More than the interval. */
	estimate_add(&estimate, 10, SLICE_NS);
	figure = estimate_rate(&estimate, SLICE_NS, NAN);
	CHECK(figure.seen == 1 && figure.error == 0, "%g +- %g", figure.seen, figure.error);
	CHECK(fabs(figure.least - figure.value) < ROUNDING, "%g", figure.least);

	estimate_add(&estimate, INT64_MAX, UINT64_MAX);
	figure = estimate_rate(&estimate, 0, 0);
	CHECK(isfinite(figure.value) && isfinite(figure.error), "%g +- %g", figure.value,
	      figure.error);
	estimate_forget(&estimate, 0);
	CHECK(isnan(estimate_rate(&estimate, 0, 1).value), "forgotten");
	estimate_add(&estimate, INT64_MAX, 1);
	CHECK(isfinite(estimate_rate(&estimate, 0, 1).value), "large");
	estimate_reset(&estimate);
	CHECK(isnan(estimate_rate(&estimate, 0, 1).value), "reset");

	figure = estimate_ratio(&ratio, 0, 1);
	CHECK(isnan(figure.value) && isinf(figure.error), "%g", figure.value);
	estimate_ratio_add(&ratio, 0, 0, SLICE_NS);
	figure = estimate_ratio(&ratio, 2 * SLICE_NS, 1);
	CHECK(isnan(figure.value) && isinf(figure.error) && figure.seen == 0.5, "%g", figure.value);
	estimate_ratio_add(&ratio, 7, -3, SLICE_NS);
	CHECK(isnan(estimate_ratio(&ratio, 0, 1).value), "no transactions");
	estimate_ratio_add(&ratio, 3, 10, 0);
	CHECK(isnan(estimate_ratio(&ratio, 0, 1).value), "no time");
	estimate_ratio_reset(&ratio);
	estimate_ratio_add(&ratio, 3, 10, SLICE_NS);
	figure = estimate_ratio(&ratio, SLICE_NS, 1);
	CHECK(figure.value == 0.3 && figure.error == 0 && figure.seen == 1, "%g", figure.value);
}

/* Against tables of Poisson's distribution, for 0.000000287 (5 sigma) and 2.5 %. */
static void bounds(void)
{
	CHECK(fabs(estimate_upper(0, 1, 1.96) - 3.689) < 0.05, "%g", estimate_upper(0, 1, 1.96));
	CHECK(fabs(estimate_upper(10, 1, 1.96) - 18.39) < 0.05, "%g", estimate_upper(10, 1, 1.96));
	CHECK(fabs(estimate_lower(10, 1, 1.96) - 4.795) < 0.05, "%g", estimate_lower(10, 1, 1.96));
	CHECK(fabs(estimate_upper(100, 1, 1.96) - 121.6) < 0.1, "%g", estimate_upper(100, 1, 1.96));
	CHECK(fabs(estimate_lower(100, 1, 1.96) - 81.36) < 0.1, "%g", estimate_lower(100, 1, 1.96));
	CHECK(estimate_upper(0, 1, 5) >= 15.06, "%g", estimate_upper(0, 1, 5));
	CHECK(estimate_lower(1, 1, 5) <= 0.000000287, "%g", estimate_lower(1, 1, 5));
	CHECK(estimate_lower(6, 1, 5) <= 0.25, "%g", estimate_lower(6, 1, 5));
	CHECK(estimate_lower(0, 1, 5) == 0, "%g", estimate_lower(0, 1, 5));
	CHECK(fabs(estimate_upper(1000, 10, 2) / estimate_upper(100, 1, 2) - 10) < ROUNDING,
	      "groups");
}

static const struct test tests[] = {
	TEST(steady_rates),
	TEST(intervals),
	TEST(grouped_rates),
	TEST(steady_ratios),
	TEST(bursts),
	TEST(bursts_that_beat),
	TEST(lengths_of_slices),
	TEST(no_bursts),
	TEST(lower_bound),
	TEST(sums),
	TEST(sums_of_what_is_known),
	TEST(ratios_of_two_slices),
	TEST(exact_limits),
	TEST(nothing_and_nonsense),
	TEST(bounds),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
