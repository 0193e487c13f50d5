// SPDX-License-Identifier: GPL-2.0
/* Known differences of the kernel's own driver. */
#include <errno.h>
#include <string.h>

#include "pmu.h"
#include "reference.h"

/* Whether a PMU's driver is the reference driver and has a trait. */
bool reference_has(const struct pmu *pmu, unsigned int trait)
{
	return pmu->reference && pmu->family->reference->traits & trait;
}

static bool is_or_any(const char *wanted, const char *name)
{
	return !wanted || !strcmp(wanted, name);
}

/* Why a test of this program must be skipped, or NULL. */
const char *reference_exception(const struct pmu *pmu, const char *fixture, const char *test)
{
	const struct reference_exception *exception;

	if (!pmu->reference)
		return NULL;
	for (exception = pmu->family->reference->exceptions; exception->program; exception++)
		if (!strcmp(exception->program, program_invocation_short_name) &&
		    is_or_any(exception->fixture, fixture) && is_or_any(exception->test, test))
			return exception->reason;
	return NULL;
}
