// SPDX-License-Identifier: GPL-2.0
/* Known differences of the kernel's own driver. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform.h"
#include "pmu.h"
#include "reference.h"

static bool has_patch(const char *name)
{
	const char *patches = getenv("SYSPMU_PATCHES");

	return patches && name && has_word(patches, name);
}

/* Whether a PMU's driver is the reference driver and has a trait. */
bool reference_has(const struct pmu *pmu, unsigned int trait)
{
	const struct reference_driver *reference = pmu->family->reference;
	const struct reference_fixed_trait *fixed;

	if (!pmu->reference || !(reference->traits & trait))
		return false;
	for (fixed = reference->fixed_traits; fixed && fixed->trait; fixed++)
		if (fixed->trait == trait && has_patch(fixed->fixed_by))
			return false;
	return true;
}

static bool is_or_any(const char *wanted, const char *name)
{
	return !wanted || !strcmp(wanted, name);
}

/* Why a test of this program must be skipped, or NULL. Says which patch has fixed it. */
const char *reference_exception(const struct pmu *pmu, const char *fixture, const char *test)
{
	const struct reference_exception *exception;

	if (!pmu->reference)
		return NULL;
	for (exception = pmu->family->reference->exceptions; exception->program; exception++)
		if (!strcmp(exception->program, program_invocation_short_name) &&
		    is_or_any(exception->fixture, fixture) && is_or_any(exception->test, test))
			break;
	if (exception->program && has_patch(exception->fixed_by)) {
		fprintf(stderr, "# fixed by %s: %s\n", exception->fixed_by, exception->reason);
		return NULL;
	}
	return exception->reason;
}
