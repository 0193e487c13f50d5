// SPDX-License-Identifier: GPL-2.0
/* Known differences of arm_cspmu_module, the kernel's own driver of CoreSight PMUs. */
#include "reference_driver.h"

static const struct reference_exception exceptions[] = {
	{ "coresight_products", "vera", "the_requester_after_a_reset",
	  "does not support suspend" },
	{ "coresight_products", "target", "no_ninth_address",
	  "events with the same address share a slot" },
	{ }
};

const struct reference_driver coresight_reference_driver = {
	.name = "arm-cs-arch-pmu",
	.module = "arm_cspmu_module",
	.traits = REFERENCE_ACCEPTS_ANY_EVENT | REFERENCE_ACCEPTS_UNNAMED_BITS |
		  REFERENCE_HAS_NO_INTERRUPT_ATTRIBUTE | REFERENCE_NEVER_CAPTURES |
		  REFERENCE_NEVER_POLLS | REFERENCE_NEVER_SAMPLES |
		  REFERENCE_SETS_COUNTERS_AT_START,
	.exceptions = exceptions,
};
