// SPDX-License-Identifier: GPL-2.0
/*
 * Rates and ratios of what was counted in visits; the formula is in estimate.h.
 */
#include "estimate.h"

#include <math.h>
#include <stddef.h>

/* With fewer of the visits that have counted anything, there is no error. */
#define LEAST_HITS	5
/* A part of a sum that has no error can be twice as much or nothing, if it is so small. */
#define LARGEST_VAGUE	0.05
/* What is said to be certain is so many errors away: more than five standard deviations. */
#define CERTAIN		3
#define SIGMAS		5
/* A difference that is so small a part of what was subtracted is an error of rounding. */
#define ROUNDING	(1 / 1e9)
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

/* Adds the visits of an interval, each of which stands for so many times its length. */
void estimate_join(struct estimate *estimate, const struct estimate *part, double weight)
{
	if (!(part->visits > 0))
		return;
	estimate->visits += part->visits;
	estimate->hits += part->hits;
	estimate->time += part->time;
	estimate->length += weight * part->length;
	estimate->count += part->count;
	estimate->base += part->base;
	estimate->c += weight * part->c;
	estimate->b += weight * part->b;
	estimate->cc += weight * weight * part->cc;
	estimate->cb += weight * weight * part->cb;
	estimate->bb += weight * weight * part->bb;
}

/* Adds a visit; the base of a rate is the time in s, that of a ratio the other event's count. */
void estimate_add(struct estimate *estimate, double count, double base, double time)
{
	if (!(time > 0))
		return;
	estimate->visits++;
	estimate->hits += count > 0;
	estimate->time += time;
	estimate->length += time;
	estimate->count += count;
	estimate->base += base;
	estimate->c += count;
	estimate->b += base;
	estimate->cc += count * count;
	estimate->cb += count * base;
	estimate->bb += base * base;
}

/* How many visits that stand for the same time would be worth as much */
static double worth(const struct estimate *estimate)
{
	return estimate->b * estimate->b / estimate->bb;
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
 * have counted anything. INFINITY if it is not known.
 */
static double error_of(const struct estimate *estimate, double seen)
{
	double n = worth(estimate), error;

	if (n < LEAST_VISITS - 0.5 ||
	    n * estimate->hits < (LEAST_HITS - 0.5) * estimate->visits)
		return INFINITY;
	error = student_95(n - 1) * sqrt(estimate_variance(estimate));
	return fmax(error, estimate->c / estimate->b * scarcity(estimate)) * sqrt(1 - seen);
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

/* Computes what follows from the sums. */
void figure_finish(struct figure *figure)
{
	bool vague = !(figure->events > 0) || figure->vague > LARGEST_VAGUE * figure->events;
	/* Of a rate, a pause between two visits may have been missed. */
	double missed = figure->exact || figure->base > 0 || !figure->slices ? 0 :
			1 / (double)figure->slices;

	figure->known &= figure->of > 0;
	figure->seen = figure->available > 0 ? fmin(1, figure->time / figure->available) : 0;
	figure->value = figure->known ? figure->events / figure->of : NAN;
	figure->error = figure->exact ? 0 : vague ? INFINITY :
			(NORMAL_95 * sqrt(figure->variance) + 2 * figure->vague) / figure->of;
	figure->least = fmax(0, figure->value * (1 - missed) - CERTAIN * figure->error);
	figure->most = figure->value + CERTAIN * figure->error;
	if (!figure->known) {
		figure->least = 0;
		figure->most = INFINITY;
	}
}

/* The figure of an interval of so many seconds, or, with 0, of all times. */
struct figure estimate_figure(const struct estimate *estimate, double seconds, bool exact)
{
	double scale = seconds > 0 ? seconds / estimate->length : 1, error;
	bool ratio = estimate->base != estimate->time;
	struct figure figure = {
		.known = estimate->b > 0,
		.exact = exact,
		.events = scale * estimate->c,
		.of = scale * estimate->b,
		.time = estimate->time,
		.available = seconds,
		.count = estimate->count,
		.base = ratio ? estimate->base : 0,
		.slices = estimate->visits,
	};

	if (figure.known && !exact) {
		error = error_of(estimate, seconds > 0 ? fmin(1, estimate->time / seconds) : 0);
		figure.vague = isinf(error) ? figure.events : 0;
		figure.variance = isinf(error) ? 0 : pow(error * figure.of / NORMAL_95, 2);
	}
	figure_finish(&figure);
	if (ratio && figure.known && isinf(figure.most))
		figure.most = most_of_ratio(estimate);
	return figure;
}

static double sum_or_rest(double sum, double part, bool take)
{
	if (!take)
		return sum + part;
	return sum - part > ROUNDING * part ? sum - part : 0;
}

static void combine(struct figure *sum, const struct figure *part, bool ratio, bool take)
{
	sum->exact &= part->exact;
	sum->events = sum_or_rest(sum->events, part->events, take);
	if (ratio)
		sum->of = sum_or_rest(sum->of, part->of, take);
	sum->variance += part->variance;
	sum->vague += part->vague;
	sum->count = fmax(0, sum->count + (take ? -part->count : part->count));
	sum->base = fmax(0, sum->base + (take ? -part->base : part->base));
	figure_finish(sum);
}

/* Adds what was counted independently, for example on another TBU, of another row or SMMU. */
void figure_add(struct figure *sum, const struct figure *part, bool ratio)
{
	if (!part->known)
		return;
	if (!sum->known) {
		*sum = *part;
		return;
	}
	sum->approximate |= part->approximate;
	sum->time += part->time;
	sum->available += part->available;
	if (part->slices > sum->slices)
		sum->slices = part->slices;
	combine(sum, part, ratio, false);
}

/* Leaves what is not a part; a difference of what was counted at other times is approximate. */
void figure_take(struct figure *sum, const struct figure *part, bool ratio)
{
	if (!part->known || !sum->known)
		return;
	sum->approximate |= !part->exact;
	combine(sum, part, ratio, true);
}
