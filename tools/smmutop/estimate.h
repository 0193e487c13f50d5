/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rates and ratios of what was counted during only a part of the time, in slices, with their
 * errors, which come from the scatter of the slices. No I/O.
 *
 * An interval is the time that a figure is for, for example the two seconds between two screens.
 * It is given in ns by the caller; all slices added since the last reset lie in it. The part of
 * the interval that was counted is known exactly, so a figure that was counted all the time has
 * no error. With an interval of 0 the figure is for all times, past and future: no part of that
 * is known.
 *
 * Errors are half widths: of steady loads, 95 % lie within figure +- error. Where nothing was
 * counted, the figure is NAN and its error INFINITY.
 */
#ifndef SMMUTOP_ESTIMATE_H
#define SMMUTOP_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct estimate - slices in which one event was counted
 * @slices: how many
 * @time: their sum, in s
 * @count: what was counted in them
 * @squares: sum of count^2 / time over the slices
 *
 * All zeros is valid: nothing was counted yet. The members are private; use the functions.
 */
struct estimate {
	double slices;
	double time;
	double count;
	double squares;
};

/**
 * struct estimate_ratio - slices in which two events were counted at the same time, in one group
 * @numerator: for example misses
 * @denominator: for example transactions
 * @products: sum of the product of both counts / time over the slices
 *
 * All zeros is valid: nothing was counted yet.
 */
struct estimate_ratio {
	struct estimate numerator;
	struct estimate denominator;
	double products;
};

/**
 * struct estimate_figure - a rate or a ratio, as it is shown
 * @value: events per s; for a ratio, numerator / denominator; NAN if nothing is known: no slice,
 *	or a denominator of 0
 * @error: half width, in the unit of @value; INFINITY if nothing is known
 * @least: lower bound of a rate over the interval, which holds for each load, steady or not:
 *	what was seen, divided by the interval; 0 for a ratio, and without an interval
 * @seen: part of the interval that was counted, 0 to 1; 0 without an interval
 * @bursty: the slices differ so much that @value and @error say little
 */
struct estimate_figure {
	double value;
	double error;
	double least;
	double seen;
	bool bursty;
};

/**
 * estimate_reset() - start again, with a new interval
 * @estimate: what to reset
 */
void estimate_reset(struct estimate *estimate);

/**
 * estimate_add() - add a slice
 * @estimate: what to add it to
 * @count: what was counted in the slice; a negative number is taken as 0
 * @time_ns: how long was counted; a slice of 0 is ignored
 */
void estimate_add(struct estimate *estimate, int64_t count, uint64_t time_ns);

/**
 * estimate_forget() - let old slices count less
 * @estimate: of these slices
 * @keep: 0 to 1: what their weight is multiplied by
 *
 * For rates over all times (interval 0) that follow a load which changes. Intervals and
 * &estimate_figure.least have no meaning afterwards, until the next reset.
 */
void estimate_forget(struct estimate *estimate, double keep);

/**
 * estimate_dispersion() - how much more than independent events do the slices differ?
 * @estimate: of these slices
 *
 * Return: variance / mean of the counts: around 1 for independent events, k if they come in
 * groups of k, NAN if unknown because there are less than two slices or nothing was counted.
 */
double estimate_dispersion(const struct estimate *estimate);

/**
 * estimate_rate() - the rate and its error
 * @estimate: of these slices
 * @interval_ns: length of the interval, 0: all times
 * @dispersion: what the scatter is expected to be at least, as estimate_dispersion() returns it
 *	for similar rows; 1 if nothing is known. Below 1 or NAN is taken as 1. The error of a
 *	single slice comes from this alone, and two slices can be alike by chance: where events
 *	come in groups and this does not say so, 95 % needs three slices.
 *
 * Return: the figure. If more was counted than fits into the interval, all of it was.
 */
struct estimate_figure estimate_rate(const struct estimate *estimate, uint64_t interval_ns,
				     double dispersion);

/**
 * estimate_ratio_reset() - start again, with a new interval
 * @ratio: what to reset
 */
void estimate_ratio_reset(struct estimate_ratio *ratio);

/**
 * estimate_ratio_add() - add a slice
 * @ratio: what to add it to
 * @numerator: for example misses; a negative number is taken as 0
 * @denominator: for example transactions in the same time; a negative number is taken as 0
 * @time_ns: how long was counted; a slice of 0 is ignored
 */
void estimate_ratio_add(struct estimate_ratio *ratio, int64_t numerator, int64_t denominator,
			uint64_t time_ns);

/**
 * estimate_ratio() - the ratio and its error
 * @ratio: of these slices
 * @interval_ns: length of the interval, 0: all times
 * @dispersion: as for estimate_rate()
 *
 * Return: the figure.
 */
struct estimate_figure estimate_ratio(const struct estimate_ratio *ratio, uint64_t interval_ns,
				      double dispersion);

/**
 * estimate_sum() - the sum of two rates that were counted independently
 * @a: for example of one TBU
 * @b: for example of another one
 *
 * Return: the sum, with its error. It is bursty if that of the one which is bursty matters: if
 * it is more than a tenth of the sum. @seen is the smaller one.
 */
struct estimate_figure estimate_sum(struct estimate_figure a, struct estimate_figure b);

/**
 * estimate_rest() - what is left of a rate
 * @total: rate of everything
 * @part: rate of what is taken away, counted at other times
 *
 * Return: the difference, not below 0, with its error.
 */
struct estimate_figure estimate_rest(struct estimate_figure total, struct estimate_figure part);

/**
 * estimate_upper() - upper bound of what a steady load would have counted
 * @count: what was counted
 * @dispersion: variance / mean, 1 or more
 * @sigmas: how sure, as so many standard deviations of a normal distribution
 *
 * Return: the mean for which so low a count is so improbable.
 */
double estimate_upper(double count, double dispersion, double sigmas);

/**
 * estimate_lower() - lower bound of what a steady load would have counted
 * @count: what was counted
 * @dispersion: variance / mean, 1 or more
 * @sigmas: as for estimate_upper()
 *
 * Return: the mean for which so high a count is so improbable.
 */
double estimate_lower(double count, double dispersion, double sigmas);

#endif
