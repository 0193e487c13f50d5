// SPDX-License-Identifier: GPL-2.0
/*
 * The formula of estimate.h, with numbers that can be computed by hand.
 */
#include <math.h>

#include "../estimate.h"
#include "test.h"

/* Of all times */
static struct figure figure_of(const struct estimate *estimate)
{
	return estimate_figure(estimate, 0, false);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 0.001 * fabs(b);
}

static void nothing(void)
{
	struct estimate none = { .visits = 0 };
	struct figure figure = estimate_figure(&none, 1, false);

	CHECK(isnan(figure.value) && isinf(figure.error) && isinf(figure.most), "%g", figure.value);
	estimate_add(&none, 5, 0, 0);
	CHECK(none.visits == 0, "a visit without time");
}

/* 10 visits of 10 ms in a second: 5 have counted 10, and 5 have counted 20. */
static void rate(void)
{
	struct estimate estimate = { .visits = 0 };
	struct figure figure;
	unsigned int i;

	for (i = 0; i < 10; i++)
		estimate_add(&estimate, 10 + 10 * (i % 2), 0.01, 0.01);
	figure = estimate_figure(&estimate, 1, false);
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
		estimate_add(&few, 1000, 0.01, 0.01);
	for (i = 0; i < 100; i++)
		estimate_add(&seldom, i % 25 ? 0 : 1000, 0.01, 0.01);
	CHECK(isinf(figure_of(&few).error), "9 visits");
	CHECK(isinf(figure_of(&seldom).error), "4 visits have counted anything");
	CHECK(figure_of(&seldom).least == 0, "%g", figure_of(&seldom).least);
	estimate_add(&few, 1000, 0.01, 0.01);
	estimate_add(&seldom, 1000, 0.01, 0.01);
	CHECK(isfinite(figure_of(&few).error), "10 visits");
	CHECK(figure_of(&seldom).error > figure_of(&seldom).value, "%g",
	      figure_of(&seldom).error);
}

/* A visit of an interval in which there are few stands for more time. */
static void intervals(void)
{
	struct estimate first = { .visits = 0 }, second = { .visits = 0 }, both = { .visits = 0 };
	unsigned int i;

	estimate_add(&first, 100, 0.01, 0.01);
	for (i = 0; i < 19; i++)
		estimate_add(&second, 0, 0.01, 0.01);
	estimate_join(&both, &first, 1000 / 10);
	estimate_join(&both, &second, 1000 / 190.0);
	CHECK(near(figure_of(&both).value, 5000), "%g", figure_of(&both).value);
	CHECK(both.count == 100 && both.visits == 20, "%g", both.count);
	/* The one visit is worth as much as all others: these are not 20 visits. */
	CHECK(isinf(figure_of(&both).error), "%g", figure_of(&both).error);
}

/* A ratio has no error from how much both vary together. */
static void ratio(void)
{
	struct estimate estimate = { .visits = 0 }, scattered = { .visits = 0 };
	unsigned int i;

	for (i = 1; i <= 10; i++) {
		estimate_add(&estimate, 10 + i, 10 * (10 + i), 0.01);
		estimate_add(&scattered, i % 2 ? 2 * (10 + i) : 0, 10 * (10 + i), 0.01);
	}
	CHECK(near(figure_of(&estimate).value, 0.1), "%g",
	      figure_of(&estimate).value);
	CHECK(figure_of(&estimate).error < 0.000001, "%g",
	      figure_of(&estimate).error);
	CHECK(figure_of(&scattered).error > 0.05, "%g",
	      figure_of(&scattered).error);
	/* Two visits say what a ratio can be at most, unlike with a rate. */
	estimate = (struct estimate){ .visits = 0 };
	estimate_add(&estimate, 1000, 10000, 0.01);
	CHECK(isinf(figure_of(&estimate).most), "%g", figure_of(&estimate).most);
	estimate_add(&estimate, 1000, 10000, 0.01);
	CHECK(near(figure_of(&estimate).most, 0.1 + 5 * sqrt(2001) / 20000), "%g",
	      figure_of(&estimate).most);
}

/* Sums of what was counted independently, and differences */
static void sums(void)
{
	struct figure a = { .known = true, .events = 1000, .of = 1, .variance = 30 * 30 };
	struct figure b = { .known = true, .events = 2000, .of = 1, .variance = 40 * 40 };
	struct figure c = { .known = true, .events = 10, .of = 1, .vague = 10 };

	figure_add(&a, &b, false);
	CHECK(near(a.value, 3000) && near(a.error, 1.96 * 50), "%g", a.error);
	figure_add(&a, &c, false);
	CHECK(near(a.value, 3010) && near(a.error, 1.96 * 50 + 20), "%g", a.error);
	c.events = 1000;
	c.vague = 1000;
	figure_add(&a, &c, false);
	CHECK(near(a.value, 4010) && isinf(a.error), "%g", a.error);
	figure_take(&a, &c, false);
	CHECK(near(a.value, 3010) && a.approximate, "%g", a.value);
	figure_take(&b, &a, false);
	CHECK(b.value == 0, "%g", b.value);
	/* 0.1 + 0.2 - 0.1 - 0.2 is not 0. */
	a = (struct figure){ .known = true, .events = 0.1, .of = 0.1 };
	b = (struct figure){ .known = true, .events = 0.2, .of = 0.2 };
	c = a;
	figure_add(&c, &b, true);
	figure_take(&c, &a, true);
	CHECK(near(c.value, 1), "%g", c.value);
	figure_take(&c, &b, true);
	CHECK(!c.known && c.events == 0, "%g of %g", c.events, c.of);
	/* Both parts of a ratio add up. */
	c = (struct figure){ .known = true, .events = 10, .of = 100 };
	a = (struct figure){ .known = true, .events = 90, .of = 100 };
	figure_add(&a, &c, true);
	CHECK(near(a.value, 0.5), "%g", a.value);
}

static const struct test tests[] = {
	TEST(nothing),
	TEST(rate),
	TEST(few),
	TEST(intervals),
	TEST(ratio),
	TEST(sums),
};

int main(void)
{
	return test_run(tests, ARRAY_SIZE(tests));
}
