/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM arm_syspmu

#if !defined(_TRACE_ARM_SYSPMU_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_ARM_SYSPMU_H

#include <linux/perf_event.h>
#include <linux/tracepoint.h>

/* __assign_str() has one parameter in newer kernels, two in older ones. */
#undef arm_syspmu_assign_str
#define arm_syspmu_assign_str(dst, src)					\
	memcpy(__get_str(dst), src, __get_dynamic_array_len(dst))

/* A counter was programmed for an event. */
TRACE_EVENT(arm_syspmu_program,
	TP_PROTO(const char *name, const struct perf_event *event),
	TP_ARGS(name, event),
	TP_STRUCT__entry(
		__string(name, name)
		__field(int, idx)
		__field(u64, config_base)
		__field(u64, event_base)
	),
	TP_fast_assign(
		arm_syspmu_assign_str(name, name);
		__entry->idx = event->hw.idx;
		__entry->config_base = event->hw.config_base;
		__entry->event_base = event->hw.event_base;
	),
	TP_printk("%s: counter %d: type 0x%llx filter 0x%llx", __get_str(name),
		  __entry->idx, __entry->config_base, __entry->event_base)
);

/* The overflow status of some counters was set and has been cleared. */
TRACE_EVENT(arm_syspmu_overflow,
	TP_PROTO(const char *name, const unsigned long *counters,
		 unsigned int num_counters),
	TP_ARGS(name, counters, num_counters),
	TP_STRUCT__entry(
		__string(name, name)
		__bitmask(counters, num_counters)
	),
	TP_fast_assign(
		arm_syspmu_assign_str(name, name);
		__assign_bitmask(counters, counters, num_counters);
	),
	TP_printk("%s: counters %s", __get_str(name), __get_bitmask(counters))
);

/* All counters have been captured by software. */
TRACE_EVENT(arm_syspmu_capture,
	TP_PROTO(const char *name),
	TP_ARGS(name),
	TP_STRUCT__entry(
		__string(name, name)
	),
	TP_fast_assign(
		arm_syspmu_assign_str(name, name);
	),
	TP_printk("%s", __get_str(name))
);

/* A fault of the hardware was detected. */
TRACE_EVENT(arm_syspmu_fault,
	TP_PROTO(const char *name, const char *reason),
	TP_ARGS(name, reason),
	TP_STRUCT__entry(
		__string(name, name)
		__string(reason, reason)
	),
	TP_fast_assign(
		arm_syspmu_assign_str(name, name);
		arm_syspmu_assign_str(reason, reason);
	),
	TP_printk("%s: %s", __get_str(name), __get_str(reason))
);

#endif /* _TRACE_ARM_SYSPMU_H */

#include <trace/define_trace.h>
