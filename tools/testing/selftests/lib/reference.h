/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reference driver of a family is the kernel's own driver for the same PMUs. It runs the same
 * tests, except for known differences: either a test is skipped, or a test expects a different
 * result because of a trait. SYSPMU_PATCHES in the environment has the names of the patches of
 * series/ that the driver has, separated by spaces: they end the differences that name them.
 */
#ifndef ARM_SYSPMU_REFERENCE_H
#define ARM_SYSPMU_REFERENCE_H

#include <stdbool.h>

/* Traits of a reference driver. */
#define REFERENCE_ACCEPTS_ANY_EVENT		0x0001U	/* numbers that no counter can hold */
#define REFERENCE_ACCEPTS_UNNAMED_BITS		0x0002U	/* of config, config1, ... */
#define REFERENCE_COUNTS_LEADERS_TWICE		0x0004U	/* a group of one needs two counters */
#define REFERENCE_HAS_NO_INTERRUPT_ATTRIBUTE	0x0008U	/* in sysfs */
#define REFERENCE_LEAVES_IT_ENABLED		0x0010U	/* when the module is removed */
#define REFERENCE_NEEDS_AN_INTERRUPT		0x0020U	/* or it does not bind */
#define REFERENCE_NEVER_CAPTURES		0x0040U
#define REFERENCE_NEVER_POLLS			0x0080U
#define REFERENCE_NEVER_SAMPLES			0x0100U
#define REFERENCE_PREFERS_MSI			0x0200U	/* to a wired interrupt */
#define REFERENCE_READS_ID_OF_MMU_600_ONLY	0x0400U
#define REFERENCE_SETS_COUNTERS_AT_START	0x0800U	/* and loses what they have counted */
#define REFERENCE_WARNS				0x1000U	/* about what is no fault */

#define REFERENCE_USERS	2

struct pmu;

/* A test that a reference driver is known to fail. */
struct reference_exception {
	const char *program;	/* name of the program */
	const char *fixture;	/* name of the fixture, or NULL for any */
	const char *test;	/* name of the test, or NULL for any */
	const char *reason;	/* why */
	const char *fixed_by;	/* the patch of series/ that ends it, or NULL */
};

/* A trait that a patch of series/ ends. */
struct reference_fixed_trait {
	unsigned int trait;
	const char *fixed_by;
};

/* The kernel's own driver. */
struct reference_driver {
	const char *name;
	const char *module;	/* module of the driver */
	const char *users[REFERENCE_USERS];	/* modules that use it */
	/* That it gives to all its interrupts, if they do not have the names of devices */
	const char *irq_name;
	unsigned int traits;	/* REFERENCE_ACCEPTS_ANY_EVENT and so on */
	const struct reference_fixed_trait *fixed_traits;	/* the last one is 0 */
	/* Tests to skip; the last one has no program */
	const struct reference_exception *exceptions;
};

bool reference_has(const struct pmu *pmu, unsigned int trait);
const char *reference_exception(const struct pmu *pmu, const char *fixture, const char *test);

#endif
