// SPDX-License-Identifier: GPL-2.0
/* Known differences of arm_smmuv3_pmu, the kernel's own driver of PMCGs. */
#include <stddef.h>

#include "pmcg.h"

#define HALF_A_RANGE_LATE	"only handles interrupts that are late by up to half of the range"
#define ONE_BY_ONE		"starts and stops a group's counters one by one"
#define OPENS_ON_OLD_CPU	"opens events on the CPU that goes offline"
#define NO_SAMPLES		"does not sample"
#define ATOMIC_READS		"expects 64-bit reads to be atomic"
#define NO_MESSAGES		"only has debug messages"
#define NO_IRQ_NAMES		"does not name its interrupts after devices"
#define NO_CHECKS		"does not check most of this"
#define NO_TIMER		"has no timer"
#define NO_TRACEPOINTS		"has no tracepoints"

/* Reasons, and the patch of series/ that ends each of them */
#define NO_CAPTURE		"does not capture", "capture-group-reads"
#define CPU_GOES_OFFLINE	"may be left to an offline CPU", "choose-cpu-under-lock"
#define FILTERS_CYCLES		"filters cycles", "count-cycles-beside-filters"
#define LOSES_STATE		"loses its registers in suspend", "restore-on-resume"
#define MOVES_LATE		"shows its new CPU after the events move", "convert-smmuv3"
#define LOSES_FILTER		"loses the filter when counter 0 is reused", "keep-filter-span"
#define WARNS_OF_OVERFLOW	"warns about an overflow without an event", "expect-removed-events"

static const struct reference_fixed_trait fixed_traits[] = {
	{ REFERENCE_LEAVES_IT_ENABLED, "disable-on-removal" },
	{ REFERENCE_NEEDS_AN_INTERRUPT, "poll-smmuv3" },
	{ REFERENCE_NEVER_CAPTURES, "capture-group-reads" },
	{ REFERENCE_NEVER_POLLS, "poll-smmuv3" },
	{ REFERENCE_WARNS, "expect-removed-events" },
	{ }
};

static const struct reference_exception exceptions[] = {
	{ "pmcg_counting", "injected", "programming_writes_all_that_it_relies_on",
	  "writes all registers for every event" },
	{ "pmcg_counting", "injected", "a_counter_that_does_not_stand",
	  "gives counters the event 0xffff at other times" },
	{ "pmcg_global_filter", "global", "counter_0_reused_span_filter", LOSES_FILTER },
	{ "pmcg_global_filter", "global", "counter_0_reused_no_filter", LOSES_FILTER },
	{ "pmcg_global_filter", "global", "counter_0_reused_by_cycles", FILTERS_CYCLES },
	{ "pmcg_global_filter", "global", "cycles_first_then_filtered", FILTERS_CYCLES },
	{ "pmcg_global_filter", "global", "cycles_join_any_group", FILTERS_CYCLES },
	{ "pmcg_mmio_count", NULL, NULL, "its accesses are shown by make bench" },
	{ "pmcg_mpam_filter", "filter", NULL, "does not filter by Security state" },
	{ "pmcg_mpam_filter", "partid", "one_filter_for_all_counters", FILTERS_CYCLES },
	{ "pmcg_mpam_filter", "partid", "refusals", "does not check the limits" },
	{ "pmcg_mpam_filter", NULL, NULL, "filters by StreamID only", "filter-by-partid" },
	{ "pmcg_refusals", "group_log", NULL, NO_MESSAGES },
	{ "pmcg_refusals", "injected", "events_beyond_the_implemented_bits",
	  "does not check event numbers" },
	{ "pmcg_sysfs", "global", "unusable_pmcg_is_refused_with_a_reason",
	  "registers a PMU for a block that it cannot use" },
	{ "pmcg_topology", NULL, NULL, "has no such attributes" },
	{ "syspmu_bpf", NULL, NULL, NO_TRACEPOINTS },
	{ "syspmu_capture", "capture", "a_group_read_costs_one_capture", NO_CAPTURE },
	{ "syspmu_capture", "capture", "a_group_read_is_of_one_instant", NO_CAPTURE },
	{ "syspmu_capture", "capture", "overflow_right_after_the_capture", NO_CAPTURE },
	{ "syspmu_fail_nth", "fail_nth", "sample", NO_SAMPLES },
	{ "syspmu_fuzz_open", NULL, NULL, NO_CHECKS },
	{ "syspmu_groups", "injected", "only_the_leader_leaves",
	  "stops all counters when an event is added or deleted" },
	{ "syspmu_groups", "injected", "loses_nothing_while_others_come_and_go",
	  "stops all counters when an event is added or deleted" },
	{ "syspmu_groups", "injected", "starts_and_stops_at_one_instant", ONE_BY_ONE },
	{ "syspmu_groups", "injected", "starts_and_stops_with_a_software_leader", ONE_BY_ONE },
	{ "syspmu_groups", "injected", "stops_nobody_for_a_member_without_a_counter", ONE_BY_ONE },
	{ "syspmu_hotplug", "hotplug", "all_stop_with_the_first_that_goes", ONE_BY_ONE },
	{ "syspmu_hotplug", "hotplug", "late_interrupt_finds_its_way", WARNS_OF_OVERFLOW },
	{ "syspmu_hotplug", "hotplug", "interrupt_is_delivered_where_it_counts", NO_IRQ_NAMES },
	{ "syspmu_hotplug", "hotplug", "bound_while_a_cpu_is_away", "cannot be unbound" },
	{ "syspmu_hotplug", "hotplug", "opened_while_the_pmu_moves", OPENS_ON_OLD_CPU },
	{ "syspmu_invariants", NULL, NULL, "does not capture, and does not wait for a CPU" },
	{ "syspmu_isolation", NULL, NULL, "may use an isolated CPU" },
	{ "syspmu_late_interrupt", "interrupting", "read_a_whole_round_later", HALF_A_RANGE_LATE },
	{ "syspmu_late_interrupt", "interrupting", "stop_a_whole_round_later", HALF_A_RANGE_LATE },
	{ "syspmu_late_interrupt", "interrupting", "interrupt_without_an_overflow_is_not_its_own",
	  NO_IRQ_NAMES },
	{ "syspmu_late_interrupt", "interrupting", "reopened_before_the_interrupt",
	  WARNS_OF_OVERFLOW },
	{ "syspmu_late_interrupt", "interrupting", "one_late_interrupt_for_all_counters",
	  WARNS_OF_OVERFLOW },
	{ "syspmu_lifecycle", "lifecycle", "unbind_ends_the_rotation",
	  "leaves the rotation timer to perf" },
	{ "syspmu_lifecycle", "module", "counts_without_kprobes", NO_SAMPLES },
	{ "syspmu_lifecycle", "module", "loaded_on_a_cpu_that_goes_offline", CPU_GOES_OFFLINE },
	{ "syspmu_log", NULL, NULL, NO_MESSAGES },
	{ "syspmu_moves", "moves", "leaves_before_its_events", MOVES_LATE },
	{ "syspmu_moves", "moving", "opened_before_it_is_there", MOVES_LATE },
	{ "syspmu_moves", NULL, NULL, OPENS_ON_OLD_CPU },
	{ "syspmu_msi", "wired", "messages_are_for_those_without_a_wire", "prefers MSIs" },
	{ "syspmu_msi", "message", "late_message_finds_its_way", WARNS_OF_OVERFLOW },
	{ "syspmu_msi", "message", "returns_after_a_lack_of_memory", "leaks it", "free-msi" },
	{ "syspmu_msi", "msi", "aborted", "loses the overflow of an aborted MSI" },
	{ "syspmu_msi", "msi", "lost", "loses the overflow of a lost MSI" },
	{ "syspmu_msi", "msi", "looked_after_in_time", NO_TIMER },
	{ "syspmu_msi", "msi", "lost_with_the_last_sample", NO_SAMPLES },
	{ "syspmu_msi", "msi", "lost_with_the_power", NO_TIMER },
	{ "syspmu_no_interrupt", "polled", "a_whole_range_before_a_stop", HALF_A_RANGE_LATE },
	{ "syspmu_no_interrupt", "polled", "quiet_when_it_has_gone",
	  "does not detect that a PMCG does not respond" },
	{ "syspmu_no_interrupt", "polled", "sampling_is_refused_with_a_reason", NO_MESSAGES },
	{ "syspmu_no_interrupt", "without", "says_so", NO_MESSAGES },
	{ "syspmu_no_interrupt", "without", "raises_none", "refuses it", "poll-smmuv3" },
	{ "syspmu_no_interrupt", "wide", "counts_without", "refuses it", "poll-smmuv3" },
	{ "syspmu_overflow", "interrupting", "overflow_between_read_and_clear",
	  "counts at most half of the range of a counter" },
	{ "syspmu_overflow", "interrupting", "reads_beside_overflows_from_another_cpu",
	  "sets a counter while it counts" },
	{ "syspmu_power", "power", "suspend_and_resume", LOSES_STATE },
	{ "syspmu_power", "power", "suspended_with_all_kinds_of_events", LOSES_STATE },
	{ "syspmu_power", "power", "suspended_while_events_take_turns",
	  "seems to sleep when it exchanges events" },
	{ "syspmu_power", NULL, NULL, "does not detect a loss of power, and cannot be unbound" },
	{ "syspmu_refusal_flood", NULL, NULL, NO_CHECKS },
	{ "syspmu_refusals", "log", NULL, NO_MESSAGES },
	{ "syspmu_refusals", "pmu", "per_task_on_one_cpu",
	  "leaves it to perf, which returns EINVAL" },
	{ "syspmu_refusals", "pmu", "bits_outside_the_format", "does not check unnamed bits" },
	{ "syspmu_server", "server", "parts_add_up", ONE_BY_ONE },
	{ "syspmu_server", "server", "twins_are_equal", ONE_BY_ONE },
	{ "syspmu_shared_irq", "shared", "probed_on_another_cpu",
	  "uses the CPU that probes", "convert-smmuv3" },
	{ "syspmu_shared_irq", "shared", "overflows_while_they_move",
	  "handles them on the old CPU", "convert-smmuv3" },
	{ "syspmu_shared_irq", "shared", "one_has_gone",
	  "does not detect that a PMCG does not respond" },
	{ "syspmu_stop_delay", NULL, NULL, "expects a counter to stop at once" },
	{ "syspmu_sysfs", "injected", "id_registers", "has no such attribute" },
	{ "syspmu_sysfs", "injected", "interrupt", "has no such attribute" },
	{ "syspmu_torn_read", "wide", "carry_within_a_read", ATOMIC_READS },
	{ "syspmu_torn_read", "wide", "carry_between_halves", ATOMIC_READS },
	{ "syspmu_torn_read", "wide", "upper_half_that_always_changes", ATOMIC_READS },
	{ "syspmu_trace", NULL, NULL, NO_TRACEPOINTS },
	{ "syspmu_wrong_cpu", NULL, NULL, "expects its interrupts on the right CPU" },
	{ }
};

/*
 * The group check counts the leader twice, so a PMCG with one counter accepts no event. Event
 * numbers and unnamed bits of config are not checked. The CoreSight ID registers are only read for
 * an MMU-600 in devicetree, IIDR for all others. When the module is removed, CR and IRQ_CTRL are
 * not cleared.
 */
const struct reference_driver pmcg_reference_driver = {
	.name = "arm-smmu-v3-pmcg",
	.module = "arm_smmuv3_pmu",
	.irq_name = "smmuv3-pmu",
	.traits = REFERENCE_ACCEPTS_ANY_EVENT | REFERENCE_ACCEPTS_UNNAMED_BITS |
		  REFERENCE_COUNTS_LEADERS_TWICE | REFERENCE_HAS_NO_INTERRUPT_ATTRIBUTE |
		  REFERENCE_LEAVES_IT_ENABLED | REFERENCE_NEEDS_AN_INTERRUPT |
		  REFERENCE_NEVER_CAPTURES | REFERENCE_NEVER_POLLS | REFERENCE_NEVER_SAMPLES |
		  REFERENCE_PREFERS_MSI | REFERENCE_READS_ID_OF_MMU_600_ONLY |
		  REFERENCE_SETS_COUNTERS_AT_START | REFERENCE_WARNS,
	.fixed_traits = fixed_traits,
	.exceptions = exceptions,
};
