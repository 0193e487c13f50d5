/* SPDX-License-Identifier: GPL-2.0 */
/* PMUs whose driver a test can bind and unbind. Included once by each test. */
#ifndef ARM_SYSPMU_LIFECYCLE_FIXTURE_H
#define ARM_SYSPMU_LIFECYCLE_FIXTURE_H

#include "fixture.h"

FIXTURE(lifecycle) {
	struct machine machine;
};

PMU_VARIANTS(lifecycle, NULL)

FIXTURE_SETUP(lifecycle)
{
	machine_setup_unbind(_metadata, &self->machine, variant ? variant->name : NULL);
}

FIXTURE_TEARDOWN(lifecycle)
{
	expect_bound(_metadata, &self->machine);
	machine_teardown(_metadata, &self->machine);
}

#endif
