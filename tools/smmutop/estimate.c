// SPDX-License-Identifier: GPL-2.0
/*
 * Rates and ratios of what was counted during only a part of the time, with their errors.
 *
 * The error has two sources, the larger of which counts: the scatter of the slices, with Student's
 * t because there can be few of them, and that of independent events (or groups of them, as large
 * as @dispersion says), which a few slices can hide by chance. Both shrink with the part of the
 * interval that was not counted, because the figure is for the interval.
 */
#include "estimate.h"

#include <math.h>
#include <stddef.h>

/* Two-sided, 95 %: normal distribution. */
#define NORMAL_95	1.96

/* Relative standard deviation of the slices from which on a figure says little. */
#define BURSTY_DEVIATION	0.5

/* Fewer events than these are bursty by chance. */
#define BURSTY_COUNT	10

/* So improbable must it be that independent events differ so much. */
#define BURSTY_SIGMAS	5

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

#define KNOWN_QUANTILES	10

/* Quantile of Student's t, two-sided, 95 %. */
static double student_95(double freedom)
{
	static const double quantiles[KNOWN_QUANTILES] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	};
	double g = freedom;

	/* Slices that were forgotten in part: rather too few than too many. */
	if (g < KNOWN_QUANTILES + 1)
		return quantiles[g < 1 ? 0 : (size_t)g - 1];

	/* The first terms of the expansion by Cornish and Fisher. */
	return NORMAL_95 + 2.372 / g + 2.822 / (g * g);
}

/* Quantile of chi squared, by Wilson and Hilferty. */
static double chi_squared(double freedom, double sigmas)
{
	double part = 2 / (9 * freedom);
	double root = fmax(0, 1 - part + sigmas * sqrt(part));

	return freedom * root * root * root;
}

/*
 * The exact limits for Poisson's distribution are quantiles of chi squared with 2 * count (+ 2)
 * degrees of freedom, halved.
 */
double estimate_upper(double count, double dispersion, double sigmas)
{
	double groups = count / dispersion;

	return dispersion * chi_squared(2 * groups + 2, sigmas) / 2;
}

double estimate_lower(double count, double dispersion, double sigmas)
{
	double groups = count / dispersion;

	return groups > 0 ? dispersion * chi_squared(2 * groups, -sigmas) / 2 : 0;
}

void estimate_reset(struct estimate *estimate)
{
	*estimate = (struct estimate){ 0 };
}

void estimate_add(struct estimate *estimate, int64_t count, uint64_t time_ns)
{
	double n = count > 0 ? (double)count : 0, time = seconds(time_ns);

	if (!time_ns)
		return;

	estimate->slices += 1;
	estimate->time += time;
	estimate->count += n;
	estimate->squares += n * n / time;
}

void estimate_forget(struct estimate *estimate, double keep)
{
	estimate->slices *= keep;
	estimate->time *= keep;
	estimate->count *= keep;
	estimate->squares *= keep;
}

/*
 * Variance of the count per s, from @squares, the sum of squared differences / time. Differences
 * of large numbers can be a little below 0.
 */
static double variance(double squares, double slices)
{
	return fmax(0, squares) / (slices - 1);
}

static double rate_variance(const struct estimate *estimate)
{
	return variance(estimate->squares -
			estimate->count * estimate->count / estimate->time, estimate->slices);
}

double estimate_dispersion(const struct estimate *estimate)
{
	/* Nothing counted is 0 / 0. */
	if (estimate->slices < 2)
		return NAN;
	return rate_variance(estimate) / (estimate->count / estimate->time);
}

/* Is a scatter with @dispersion, of @count in @slices, more than that of independent events? */
static bool bursty(double dispersion, double count, double slices)
{
	double freedom = slices - 1;

	if (slices < 3 || count < BURSTY_COUNT)
		return false;
	return dispersion * slices >= BURSTY_DEVIATION * BURSTY_DEVIATION * count &&
	       dispersion * freedom > chi_squared(freedom, BURSTY_SIGMAS);
}

/* Half width of the 95 % interval of @count independent groups of @dispersion events. */
static double independent_error(double count, double dispersion)
{
	if (!(dispersion > 1))
		dispersion = 1;
	return estimate_upper(count, dispersion, NORMAL_95) - count;
}

static double part_seen(double time, uint64_t interval_ns)
{
	return interval_ns ? fmin(1, time / seconds(interval_ns)) : 0;
}

struct estimate_figure estimate_rate(const struct estimate *estimate, uint64_t interval_ns,
				     double dispersion)
{
	struct estimate_figure figure = { .value = NAN, .error = INFINITY };
	double time = estimate->time, error;

	if (time <= 0)
		return figure;

	figure.value = estimate->count / time;
	figure.seen = part_seen(time, interval_ns);
	figure.least = figure.value * figure.seen;

	error = independent_error(estimate->count, dispersion) / time;
	if (estimate->slices >= 2) {
		error = fmax(error, student_95(estimate->slices - 1) *
			     sqrt(rate_variance(estimate) / time));
		figure.bursty = bursty(estimate_dispersion(estimate), estimate->count,
				       estimate->slices);
	}
	figure.error = error * sqrt(1 - figure.seen);
	return figure;
}

void estimate_ratio_reset(struct estimate_ratio *ratio)
{
	*ratio = (struct estimate_ratio){ 0 };
}

void estimate_ratio_add(struct estimate_ratio *ratio, int64_t numerator, int64_t denominator,
			uint64_t time_ns)
{
	if (!time_ns)
		return;

	estimate_add(&ratio->numerator, numerator, time_ns);
	estimate_add(&ratio->denominator, denominator, time_ns);
	if (numerator > 0 && denominator > 0)
		ratio->products += (double)numerator * (double)denominator / seconds(time_ns);
}

/*
 * The numerators differ from value * denominator of their slice: by how much is what the error
 * comes from. That both are higher in one slice than in another one is no error of their ratio.
 */
struct estimate_figure estimate_ratio(const struct estimate_ratio *ratio, uint64_t interval_ns,
				      double dispersion)
{
	const struct estimate *above = &ratio->numerator, *below = &ratio->denominator;
	struct estimate_figure figure = { .value = NAN, .error = INFINITY };
	double error;

	figure.seen = part_seen(below->time, interval_ns);
	if (below->count <= 0)
		return figure;

	figure.value = above->count / below->count;
	error = independent_error(above->count, dispersion);
	if (above->slices >= 2) {
		double scatter = variance(above->squares - 2 * figure.value * ratio->products +
					  figure.value * figure.value * below->squares,
					  above->slices);

		error = fmax(error, student_95(above->slices - 1) * sqrt(scatter * above->time));
		if (above->count > 0)
			figure.bursty = bursty(scatter * above->time / above->count,
					       above->count, above->slices);
	}
	figure.error = error / below->count * sqrt(1 - figure.seen);
	return figure;
}

static struct estimate_figure combine(struct estimate_figure a, struct estimate_figure b,
				      double value, double least)
{
	struct estimate_figure figure = {
		.value = value,
		.error = hypot(a.error, b.error),
		.least = least,
		.seen = fmin(a.seen, b.seen),
	};
	double matters = value / 10;

	figure.bursty = (a.bursty && a.value > matters) || (b.bursty && b.value > matters);
	return figure;
}

struct estimate_figure estimate_sum(struct estimate_figure a, struct estimate_figure b)
{
	return combine(a, b, a.value + b.value, a.least + b.least);
}

struct estimate_figure estimate_rest(struct estimate_figure total, struct estimate_figure part)
{
	double rest = total.value - part.value;

	/* Not fmax(), which prefers a number to NAN. */
	return combine(total, part, rest < 0 ? 0 : rest, 0);
}
