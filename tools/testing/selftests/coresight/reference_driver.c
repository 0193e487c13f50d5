// SPDX-License-Identifier: GPL-2.0
/* Known differences of arm_cspmu_module, the kernel's own driver of CoreSight PMUs. */
#include <stddef.h>

#include "coresight.h"

/* Without poll-cspmu, the tests of a timer would wait for it until they time out. */
static const struct reference_fixed_trait fixed_traits[] = {
	{ REFERENCE_NEVER_POLLS, "all" },
	{ }
};

static const struct reference_exception exceptions[] = {
	{ "coresight_products", "vera", "the_requester_after_a_reset",
	  "does not support suspend" },
	{ "coresight_products", "target", "no_ninth_address",
	  "events with the same address share a slot" },
	{ "coresight_state", "injected", "after_reset", "keeps what was enabled before",
	  "reset-at-probe" },
	{ "coresight_state", "interrupting", "waits_for_its_controller", "does without",
	  "wait-for-controller" },
	{ "coresight_state", NULL, NULL, "leaves more than this as it was" },
	{ "syspmu_lifecycle", "module", "leaves_no_callback_if_it_cannot_be_loaded",
	  "forgets it", "remove-hotplug-state" },
	{ "syspmu_lifecycle", NULL, NULL, "cannot be unbound, and other modules use it" },
	{ "syspmu_moves", "moves", "leaves_before_its_events",
	  "has no CPU meanwhile", "convert-cspmu" },
	{ "syspmu_moves", "moves", "returns_to_the_cpu_that_is_near",
	  "has no CPU if none is near", "convert-cspmu" },
	{ "syspmu_moves", "moving", "opened_before_it_is_there",
	  "refuses events meanwhile", "convert-cspmu" },
	{ "syspmu_moves", NULL, NULL, "opens events on the CPU that goes offline" },
	{ "syspmu_no_interrupt", "polled", "a_whole_range_before_a_stop",
	  "only handles overflows that are late by up to half of the range" },
	{ "syspmu_no_interrupt", "polled", "quiet_when_it_has_gone",
	  "does not detect that a PMU does not respond" },
	{ "syspmu_no_interrupt", "polled", "sampling_is_refused_with_a_reason",
	  "only has debug messages" },
	{ "syspmu_no_interrupt", "without", "says_so", "says nothing" },
	{ "syspmu_no_interrupt", "without", "raises_none", "enables it", "poll-cspmu" },
	{ "syspmu_shared_irq", "shared", "one_has_gone",
	  "does not detect that a PMU does not respond" },
	{ "syspmu_shared_irq", "shared", "all_move_together",
	  "requests it alone", "convert-cspmu" },
	{ "syspmu_shared_irq", "shared", "storms", "requests it alone", "convert-cspmu" },
	{ }
};

/* It warns about the interrupt of one CPU, which it cannot request. */
const struct reference_driver coresight_reference_driver = {
	.name = "arm-cs-arch-pmu",
	.module = "arm_cspmu_module",
	.users = { "nvidia_cspmu", "ampere_cspmu" },
	.traits = REFERENCE_ACCEPTS_ANY_EVENT | REFERENCE_ACCEPTS_UNNAMED_BITS |
		  REFERENCE_HAS_NO_INTERRUPT_ATTRIBUTE | REFERENCE_NEVER_CAPTURES |
		  REFERENCE_NEVER_POLLS | REFERENCE_NEVER_SAMPLES |
		  REFERENCE_SETS_COUNTERS_AT_START | REFERENCE_WARNS,
	.fixed_traits = fixed_traits,
	.exceptions = exceptions,
};
