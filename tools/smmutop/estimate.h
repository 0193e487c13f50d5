/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rates and ratios of what was counted in a part of the time only, in visits. No I/O.
 *
 * In an interval it was decided before how often each StreamID is visited, and then drawn at random
 * when. So the visits of a StreamID are a random sample of the interval, whatever the load does. Of
 * several intervals, a visit stands for w = (length of its interval / time of the visits in it)
 * times its own length. With a count c and a length t of each visit:
 *
 *	rate = sum(w c) / sum(w t)
 *	n = sum(w t)^2 / sum(w^2 t^2)		the number of visits if all stand for the same
 *	s^2 = n / (n - 1) * sum(w^2 (c - rate t)^2) / sum(w t)^2
 *	error = Student's t for 95 % and n - 1 * s * sqrt(1 - part of the interval that was seen)
 *
 * The error contains how the load varies between visits, be it random, or in batches or pulses.
 * A ratio is the same with another count instead of t. There is no error where there are few
 * visits, or few that have counted anything: how much such a load varies is not known.
 *
 * Figures of counter groups that see different things, of rows and of SMMUs can be added.
 */
#ifndef SMMUTOP_ESTIMATE_H
#define SMMUTOP_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/* With fewer visits, there is no error. */
#define LEAST_VISITS	10

/* Visits in which an event was counted; all zeros: none */
struct estimate {
	double visits; /* how many */
	double hits; /* how many of these have counted anything */
	double time; /* their length, in s */
	double length; /* what they stand for: sum of w t */
	double count;
	double base; /* of a ratio, what it is divided by; otherwise time */
	double c; /* sum of w c */
	double b; /* sum of w t; of a ratio, of what it is divided by instead of t */
	double cc; /* sum of w^2 c^2 */
	double cb; /* sum of w^2 c t */
	double bb; /* sum of w^2 t^2 */
};

/* A rate or a ratio, as it is shown */
struct figure {
	bool known; /* it was counted; nothing else is valid otherwise */
	bool approximate; /* it is the difference of what was counted at different times */
	bool exact; /* it was counted all the time */
	/* Sums: */
	double events; /* in the interval, estimated; of a ratio its numerator */
	double of; /* of a ratio its denominator, otherwise the seconds of the interval */
	double variance; /* of events, so that 1.96 standard deviations have 95 % */
	double vague; /* the part of events whose variance is unknown */
	double time; /* for which it was counted, in s */
	double available; /* for which it could have been: the interval, of each counter group */
	double count; /* what was counted in this interval; of a ratio the numerator */
	double base; /* of a ratio the denominator */
	uint64_t slices; /* in which it was counted */
	/* What follows from these: */
	double value;
	double error; /* half width of the interval that has 95 %; INFINITY if unknown */
	double least; /* it is certain that it is not less */
	double most; /* it is certain that it is not more; INFINITY if nothing is known */
	double seen; /* part of the interval that was counted, 0 to 1 */
};

void estimate_add(struct estimate *estimate, double count, double base, double time);
void estimate_join(struct estimate *estimate, const struct estimate *part, double weight);
double estimate_variance(const struct estimate *estimate);
double estimate_spread(const struct estimate *estimate);
struct figure estimate_figure(const struct estimate *estimate, double seconds, bool exact);

void figure_add(struct figure *sum, const struct figure *part, bool ratio);
void figure_take(struct figure *sum, const struct figure *part, bool ratio);
void figure_finish(struct figure *figure);

#endif
