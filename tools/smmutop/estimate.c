// SPDX-License-Identifier: GPL-2.0
/*
 * Rates and ratios of what was counted in visits; the formula is in estimate.h.
 */
#include "estimate.h"

#include <math.h>
#include <stddef.h>

/* With fewer visits, or fewer of them that have counted anything, there is no error. */
#define LEAST_VISITS	10
#define LEAST_HITS	5
/* Visits that stand for different times are worth less: not less than this part of their number. */
#define LEAST_WORTH	0.7
/* What is said to be certain is so many errors away: more than five standard deviations. */
#define CERTAIN		3
#define SIGMAS		5
/* Two-sided, 95 %: normal distribution. */
#define NORMAL_95	1.96

/* Quantile of Student's t, two-sided, 95 %: the first terms of Cornish's and Fisher's expansion. */
static double student_95(double freedom)
{
	return NORMAL_95 + 2.372 / freedom + 2.822 / (freedom * freedom);
}

/* The mean for which so few independent events as these are as improbable as 2.5 %. */
static double upper_95(double events)
{
	double freedom = 2 * events + 2, part = 2 / (9 * freedom);
	double root = 1 - part + NORMAL_95 * sqrt(part);

	return freedom * root * root * root / 2;
}

static void add(struct estimate *estimate, double count, double base, double time)
{
	if (!(time > 0))
		return;
	estimate->visits++;
	estimate->hits += count > 0;
	estimate->time += time;
	estimate->count += count;
	estimate->base += base;
	estimate->c += count;
	estimate->b += base;
	estimate->cc += count * count;
	estimate->cb += count * base;
	estimate->bb += base * base;
}

void estimate_add(struct estimate *estimate, uint64_t count, uint64_t time_ns)
{
	add(estimate, count, time_ns / 1e9, time_ns / 1e9);
}

/* Adds a visit in which both events of a ratio were counted at the same time. */
void estimate_add_ratio(struct estimate *estimate, uint64_t count, uint64_t base, uint64_t time_ns)
{
	add(estimate, count, base, time_ns / 1e9);
}

/* Adds the visits of a round, each of which stands for so many times its length. */
void estimate_join(struct estimate *estimate, const struct estimate *part, double weight)
{
	estimate->visits += part->visits;
	estimate->hits += part->hits;
	estimate->time += part->time;
	estimate->count += part->count;
	estimate->base += part->base;
	estimate->c += weight * part->c;
	estimate->b += weight * part->b;
	estimate->cc += weight * weight * part->cc;
	estimate->cb += weight * weight * part->cb;
	estimate->bb += weight * weight * part->bb;
}

/* How many visits that stand for the same time would be worth as much */
static double worth(const struct estimate *estimate)
{
	return estimate->b * estimate->b / estimate->bb;
}

/*
 * What was visited more often in one round than in another was chosen, or not any more, for what it
 * had counted in the former one: then that is no random sample.
 */
static bool is_often(const struct estimate *estimate)
{
	return worth(estimate) >= LEAST_VISITS - 0.5 &&
	       worth(estimate) >= LEAST_WORTH * estimate->visits;
}

/* The square of the standard deviation of the figure; of one visit, NAN. */
double estimate_variance(const struct estimate *estimate)
{
	double value = estimate->c / estimate->b, n = worth(estimate);
	double squares = estimate->cc - 2 * value * estimate->cb + value * value * estimate->bb;

	if (estimate->visits < 2)
		return NAN;
	/* Differences of large numbers can be a little below 0. */
	return n / (n - 1) * fmax(0, squares) / (estimate->b * estimate->b);
}

/* How much wrong the figure can be, relative, as few visits have counted anything. */
static double scarcity(const struct estimate *estimate)
{
	double part = estimate->hits / estimate->visits, hits = part * worth(estimate);

	return (upper_95(hits) / hits - 1) * sqrt(1 - part);
}

/* The larger one of the variance and of what scarcity makes of it */
double estimate_spread(const struct estimate *estimate)
{
	double scarce;

	if (!(estimate->hits > 0))
		return 0;
	scarce = scarcity(estimate) * estimate->c / estimate->b / NORMAL_95;
	return fmax(scarce * scarce, estimate->visits > 1 ? estimate_variance(estimate) : 0);
}

/*
 * By the scatter of the visits, and, as few of them may not show all of it, by how many of these
 * have counted anything.
 */
static double error_of(const struct estimate *estimate, double value, double seen)
{
	double n = worth(estimate), error;

	if (!is_often(estimate) || n * estimate->hits < (LEAST_HITS - 0.5) * estimate->visits)
		return INFINITY;
	error = student_95(n - 1) * sqrt(estimate_variance(estimate));
	return fmax(error, value * scarcity(estimate)) * sqrt(1 - seen);
}

static void set_bounds(struct estimate_figure *figure)
{
	figure->least = fmax(0, figure->value - CERTAIN * figure->error);
	figure->most = figure->value + CERTAIN * figure->error;
}

void estimate_set_exact(struct estimate_figure *figure)
{
	figure->error = 0;
	figure->often = true;
	figure->least = figure->value;
	figure->most = figure->value;
}

/*
 * What a ratio can be at most where there is no error. It is likely to be the same all the time, as
 * both of its events come together. A rate is not.
 */
static double most_of_ratio(const struct estimate *estimate)
{
	double value = estimate->c / estimate->b;

	if (estimate->visits < 2)
		return INFINITY;
	return value + SIGMAS * fmax(sqrt(estimate_variance(estimate)),
				     sqrt(estimate->count + 1) / estimate->base);
}

/* The figure of an interval; with a length of 0, of all times. */
struct estimate_figure estimate_figure(const struct estimate *estimate, uint64_t interval_ns)
{
	struct estimate_figure figure = { .value = NAN, .error = INFINITY, .most = INFINITY };

	if (interval_ns)
		figure.seen = fmin(1, estimate->time / (interval_ns / 1e9));
	if (!(estimate->b > 0))
		return figure;
	figure.value = estimate->c / estimate->b;
	figure.often = is_often(estimate);
	figure.error = error_of(estimate, figure.value, figure.seen);
	set_bounds(&figure);
	if (estimate->base != estimate->time && isinf(figure.most))
		figure.most = most_of_ratio(estimate);
	return figure;
}

/* What is too little to matter has no error of its own in a sum. */
static double error_in_sum(struct estimate_figure part, double sum)
{
	if (!isfinite(part.error) && part.value < sum / 20)
		return 2 * part.value;
	return part.error;
}

/* The sum of what was counted independently, for example on two TBUs */
struct estimate_figure estimate_sum(struct estimate_figure a, struct estimate_figure b)
{
	struct estimate_figure sum = {
		.value = a.value + b.value,
		.seen = fmin(a.seen, b.seen),
	};

	sum.often = a.value > b.value ? a.often : b.often;
	if (sum.value > 0)
		sum.seen = (a.value * a.seen + b.value * b.seen) / sum.value;
	sum.error = hypot(error_in_sum(a, sum.value), error_in_sum(b, sum.value));
	set_bounds(&sum);
	return sum;
}

/* What is left of a total without a part of it that was counted at other times; not below 0 */
struct estimate_figure estimate_rest(struct estimate_figure total, struct estimate_figure part)
{
	struct estimate_figure rest = total;

	rest.value = total.value > part.value ? total.value - part.value : 0;
	rest.error = hypot(total.error, error_in_sum(part, total.value));
	set_bounds(&rest);
	return rest;
}

struct estimate_figure estimate_quotient(struct estimate_figure a, struct estimate_figure b)
{
	struct estimate_figure quotient = a;

	quotient.value = a.value / b.value;
	quotient.error = hypot(a.error, quotient.value * b.error) / b.value;
	set_bounds(&quotient);
	return quotient;
}
