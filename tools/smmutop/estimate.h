/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rates and ratios of what was counted in a part of the time only, in visits. No I/O.
 *
 * A round is a time in which it was decided before how often each StreamID is visited, and then
 * drawn at random when. So the visits of a StreamID in a round are a random sample of the round,
 * whatever the load does, and each stands for w = (length of the round / time of its visits in it)
 * times its own length. With a count c and a length t of each visit, over all rounds:
 *
 *	rate = sum(w c) / sum(w t)
 *	n = sum(w t)^2 / sum(w^2 t^2)		the number of visits if all stand for the same
 *	s^2 = n / (n - 1) * sum(w^2 (c - rate t)^2) / sum(w t)^2
 *	error = Student's t for 95 % and n - 1 * s * sqrt(1 - part of the interval that was seen)
 *
 * The error contains how the load varies between visits, be it random, or in batches or pulses.
 * A ratio is the same with another count instead of t. There is no error where there are few
 * visits, or few that have counted anything: how much such a load varies is not known.
 */
#ifndef SMMUTOP_ESTIMATE_H
#define SMMUTOP_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/* Visits in which an event was counted; all zeros: none */
struct estimate {
	double visits; /* how many */
	double hits; /* how many of these have counted anything */
	double time; /* their length, in s */
	double count;
	double base; /* of a ratio, what it is divided by; otherwise time */
	double c; /* sum of w c */
	double b; /* sum of w t; of a ratio, of what it is divided by instead of t */
	double cc; /* sum of w^2 c^2 */
	double cb; /* sum of w^2 c t */
	double bb; /* sum of w^2 t^2 */
};

/* A rate or a ratio, as it is shown */
struct estimate_figure {
	double value; /* NAN if nothing is known */
	double error; /* half width of the interval that has 95 %; INFINITY if unknown */
	double least; /* it is certain that it is not less; 0 if nothing is known */
	double most; /* it is certain that it is not more; INFINITY if nothing is known */
	bool often; /* there were enough visits for an error */
	double seen; /* part of the interval that was counted, 0 to 1; 0 without an interval */
};

void estimate_add(struct estimate *estimate, uint64_t count, uint64_t time_ns);
void estimate_add_ratio(struct estimate *estimate, uint64_t count, uint64_t base,
			uint64_t time_ns);
void estimate_join(struct estimate *estimate, const struct estimate *part, double weight);
double estimate_variance(const struct estimate *estimate);
double estimate_spread(const struct estimate *estimate);
struct estimate_figure estimate_figure(const struct estimate *estimate, uint64_t interval_ns);
void estimate_set_exact(struct estimate_figure *figure);
struct estimate_figure estimate_sum(struct estimate_figure a, struct estimate_figure b);
struct estimate_figure estimate_rest(struct estimate_figure total, struct estimate_figure part);
struct estimate_figure estimate_quotient(struct estimate_figure a, struct estimate_figure b);

#endif
