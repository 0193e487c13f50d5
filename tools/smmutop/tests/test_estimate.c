// SPDX-License-Identifier: GPL-2.0
/*
 * The formula of estimate.h, with numbers that can be computed by hand.
 */
#include <math.h>

#include "../estimate.h"
#include "test.h"

#define MS	1000000ULL

static bool near(double a, double b)
{
	return fabs(a - b) <= 0.001 * fabs(b);
}

static void nothing(void)
{
	struct estimate none = { .visits = 0 };
	struct estimate_figure figure = estimate_figure(&none, 1000 * MS);

	CHECK(isnan(figure.value) && isinf(figure.error) && isinf(figure.most), "%g", figure.value);
	estimate_add(&none, 5, 0);
	CHECK(none.visits == 0, "a visit without time");
}

/* 10 visits of 10 ms in a second: 5 have counted 10, and 5 have counted 20. */
static void rate(void)
{
	struct estimate estimate = { .visits = 0 };
	struct estimate_figure figure;
	unsigned int i;

	for (i = 0; i < 10; i++)
		estimate_add(&estimate, 10 + 10 * (i % 2), 10 * MS);
	figure = estimate_figure(&estimate, 1000 * MS);
	CHECK(near(figure.value, 1500), "%g", figure.value);
	CHECK(near(figure.seen, 0.1), "%g", figure.seen);
	/* t of 9 degrees of freedom, standard deviation of the rates, visits, and what was seen */
	CHECK(near(figure.error / (2.26 * 527.05 / sqrt(10) * sqrt(0.9)), 1), "%g", figure.error);
	CHECK(figure.least > 0 && figure.least < figure.value - 2 * figure.error, "%g",
	      figure.least);
	CHECK(figure.most > figure.value + 2 * figure.error, "%g", figure.most);
}

/* How much the load varies is not known. */
static void few(void)
{
	struct estimate few = { .visits = 0 }, seldom = { .visits = 0 };
	unsigned int i;

	for (i = 0; i < 9; i++)
		estimate_add(&few, 1000, 10 * MS);
	for (i = 0; i < 100; i++)
		estimate_add(&seldom, i % 25 ? 0 : 1000, 10 * MS);
	CHECK(isinf(estimate_figure(&few, 0).error), "9 visits");
	CHECK(isinf(estimate_figure(&seldom, 0).error), "4 visits have counted anything");
	CHECK(estimate_figure(&seldom, 0).least == 0, "%g", estimate_figure(&seldom, 0).least);
	estimate_add(&few, 1000, 10 * MS);
	estimate_add(&seldom, 1000, 10 * MS);
	CHECK(isfinite(estimate_figure(&few, 0).error), "10 visits");
	CHECK(estimate_figure(&seldom, 0).error > estimate_figure(&seldom, 0).value, "%g",
	      estimate_figure(&seldom, 0).error);
}

/* A visit of a round in which there are few stands for more time. */
static void rounds(void)
{
	struct estimate first = { .visits = 0 }, second = { .visits = 0 }, both = { .visits = 0 };
	unsigned int i;

	estimate_add(&first, 100, 10 * MS);
	for (i = 0; i < 19; i++)
		estimate_add(&second, 0, 10 * MS);
	estimate_join(&both, &first, 1000 / 10);
	estimate_join(&both, &second, 1000 / 190.0);
	CHECK(near(estimate_figure(&both, 0).value, 5000), "%g", estimate_figure(&both, 0).value);
	CHECK(both.count == 100 && both.visits == 20, "%g", both.count);
	/* The one visit is worth as much as all others: these are not 20 visits. */
	CHECK(isinf(estimate_figure(&both, 0).error), "%g", estimate_figure(&both, 0).error);
}

/* A ratio has no error from how much both vary together. */
static void ratio(void)
{
	struct estimate estimate = { .visits = 0 }, scattered = { .visits = 0 };
	unsigned int i;

	for (i = 1; i <= 10; i++) {
		estimate_add_ratio(&estimate, 10 + i, 10 * (10 + i), 10 * MS);
		estimate_add_ratio(&scattered, i % 2 ? 2 * (10 + i) : 0, 10 * (10 + i),
				   10 * MS);
	}
	CHECK(near(estimate_figure(&estimate, 0).value, 0.1), "%g",
	      estimate_figure(&estimate, 0).value);
	CHECK(estimate_figure(&estimate, 0).error < 0.000001, "%g",
	      estimate_figure(&estimate, 0).error);
	CHECK(estimate_figure(&scattered, 0).error > 0.05, "%g",
	      estimate_figure(&scattered, 0).error);
	/* Two visits say what a ratio can be at most, unlike with a rate. */
	estimate = (struct estimate){ .visits = 0 };
	estimate_add_ratio(&estimate, 1000, 10000, 10 * MS);
	CHECK(isinf(estimate_figure(&estimate, 0).most), "%g", estimate_figure(&estimate, 0).most);
	estimate_add_ratio(&estimate, 1000, 10000, 10 * MS);
	CHECK(near(estimate_figure(&estimate, 0).most, 0.1 + 5 * sqrt(2001) / 20000), "%g",
	      estimate_figure(&estimate, 0).most);
}

/* What is too little to matter has no error of its own. */
static void sums(void)
{
	struct estimate_figure a = { .value = 1000, .error = 30, .seen = 0.1 };
	struct estimate_figure b = { .value = 2000, .error = 40, .seen = 0.1 };
	struct estimate_figure c = { .value = 10, .error = INFINITY, .seen = 0.01 };

	CHECK(near(estimate_sum(a, b).value, 3000), "%g", estimate_sum(a, b).value);
	CHECK(near(estimate_sum(a, b).error, 50), "%g", estimate_sum(a, b).error);
	CHECK(near(estimate_sum(a, c).error, hypot(30, 20)), "%g", estimate_sum(a, c).error);
	CHECK(estimate_sum(a, c).seen > 0.09, "%g", estimate_sum(a, c).seen);
	c.value = 100;
	CHECK(isinf(estimate_sum(a, c).error), "%g", estimate_sum(a, c).error);
	CHECK(near(estimate_rest(b, a).value, 1000), "%g", estimate_rest(b, a).value);
	CHECK(estimate_rest(a, b).value == 0, "%g", estimate_rest(a, b).value);
	CHECK(near(estimate_quotient(a, b).value, 0.5), "%g", estimate_quotient(a, b).value);
	CHECK(near(estimate_quotient(a, b).error, hypot(30, 20) / 2000), "%g",
	      estimate_quotient(a, b).error);
}

static const struct test tests[] = {
	TEST(nothing),
	TEST(rate),
	TEST(few),
	TEST(rounds),
	TEST(ratio),
	TEST(sums),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
