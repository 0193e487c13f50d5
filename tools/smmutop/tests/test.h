/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests on the host: each prints TAP and needs no library.
 *
 *	static void loads(void)
 *	{
 *		CHECK(1 + 1 == 2, "1 + 1 is %d", 1 + 1);
 *	}
 *	static const struct test tests[] = { TEST(loads), TEST(others) };
 *
 *	int main(void)
 *	{
 *		return test_run(tests, ARRAY_SIZE(tests));
 *	}
 */
#ifndef SMMUTOP_TESTS_TEST_H
#define SMMUTOP_TESTS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Differences that are no more than this part of a number come from computing with it. */
#define ROUNDING	0.000000001

struct test {
	const char *name;
	void (*run)(void);
};

/* Failed checks of the test that runs. */
static int test_failures;

/* The first ones are printed. Does not end the test. */
#define CHECK(condition, ...) \
	do { \
		if (!(condition) && test_failures++ < 5) { \
			printf("# %s:%d: %s: ", __FILE__, __LINE__, #condition); \
			printf(__VA_ARGS__); \
			putchar('\n'); \
		} \
	} while (0)

#define TEST(function)	{ #function, function }

static inline int test_run(const struct test *tests, size_t num)
{
	bool failed = false;
	size_t i;

	printf("TAP version 13\n1..%zu\n", num);
	for (i = 0; i < num; i++) {
		test_failures = 0;
		tests[i].run();
		printf("%s %zu %s\n", test_failures ? "not ok" : "ok", i + 1, tests[i].name);
		fflush(stdout);
		failed |= test_failures;
	}
	return failed;
}

#endif
