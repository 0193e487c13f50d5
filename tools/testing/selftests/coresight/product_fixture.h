/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common part of the tests of features that no known product has: the module arm_syspmu_products
 * tells the driver that a PMU has them. Included once by each test.
 */
#ifndef ARM_SYSPMU_PRODUCT_FIXTURE_H
#define ARM_SYSPMU_PRODUCT_FIXTURE_H

#include "coresight_fixture.h"

#define FEATURE		"/sys/module/arm_syspmu_products/parameters/feature"

/* Binds the driver again, to a product with a feature or to the one that it is. */
static inline int rebind_with(const struct machine *machine, const char *feature)
{
	const struct pmu *pmu = &machine->pmu;
	int error = device_unbind(pmu->driver, pmu->device);

	if (!error)
		error = write_text(FEATURE, feature);
	if (!error)
		error = device_bind(pmu->driver, pmu->device);
	write_text(FEATURE, "none");
	return error;
}

/* Common setup: the driver is bound to a product with a feature. Undone by rebind_with(). */
static inline void machine_setup_with(struct __test_metadata *_metadata, struct machine *machine,
				      const char *name, const char *feature)
{
	cpu_all_online();
	machine_setup_unbind(_metadata, machine, name);
	if (_metadata->exit_code)
		return;
	if (access(FEATURE, W_OK))
		SKIP(return, "the module arm_syspmu_products is not loaded");
	ASSERT_EQ(0, rebind_with(machine, feature));
	ASSERT_EQ(0, pmu_find(&machine->pmu, machine->pmu.name));
	ASSERT_EQ(0, cpu_pin(machine->pmu.cpu));
	stimulus_traffic(&machine->stimulus, false);
}

#endif
