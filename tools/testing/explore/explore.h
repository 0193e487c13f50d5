/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exploration of the order of events: the counting files of the driver run
 * against an abstract PMU and what perf does to it. At each point of these files
 * the hardware can count and capture, an NMI can read, and another CPU can copy
 * the counts of a group. A history is a list of such steps.
 *
 * Files only call functions of those after them:
 *
 * explore.c	the modes: random, exhaustive, and histories from files
 * history.c	histories: text, choice, execution, shrinking
 * perf.c	what perf does
 * hardware.c	the abstract PMU
 * rules.c	what must hold
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <setjmp.h>
#include <stdio.h>

#include "core.h"

#define MAX_COUNTERS	4
#define MAX_EVENTS	5
#define MAX_LOG		256
#define MAX_STEPS	256
#define MAX_SAMPLES_PER_TICK	3

/* Source of the events that are in a group, but not of this PMU */
#define SOFTWARE	2

/* One PMU and the events that are opened on it; text has the names of these fields. */
struct config {
	u8 counters, bits, late;
	/* Below the top of its range, where each counter begins */
	u8 start;
	/*
	 * @chooses: the PMU chooses counters, all of which are alike
	 * @special: except the first, which only counts events of source 1
	 * @halts: a write halts it until the end of all writes
	 */
	u8 capture, others_capture, one_signal, edge, chooses, special, halts;
	/* &enum arm_syspmu_delivery */
	u8 delivery;
	struct event_config {
		u8 source, leader, period;
		/* @filtered: uses the filter that all counters share, as its group does */
		u8 read, pinned, freq, filtered;
	} events[MAX_EVENTS];
	u8 num_events;
};

/*
 * What can happen: tasks, interrupts, and what can also happen at a point within
 * these.
 */
enum what {
	MOVE, ENABLE, DISABLE, CLOSE, RESCHEDULE, READ_GROUP, READ_EVENT, PERIOD,
	ROTATE, INTERRUPT, POLL, END_JIFFY, THROTTLE, UNTHROTTLE, SUSPEND,
	COUNT, NMI, COPY, CAPTURE, GO_AWAY, LOSE_MSI, FAIL_WRITE, RESET,
	NUM_WHAT,
};

/*
 * How often it is chosen, also within operations, and what it does. COUNT counts
 * @amount events as @event does, or, if that is 0, until a counter overflows.
 */
struct kind {
	const char *name;
	u8 often, often_within;
	void (*happen)(struct perf_event *event, u32 amount);
};

struct step {
	u8 what;
	/* The event */
	u8 which;
	/* The number of the point within the operation; 0: not within one */
	u16 at;
	u32 amount;
};

struct history {
	struct config config;
	unsigned int num;
	struct step steps[MAX_STEPS];
};

struct hw_counter {
	u64 value, shadow;
	int event;
	/* What it counts, and how much it may still count after it was stopped */
	unsigned int source;
	u8 draining;
	bool enabled, status, captures;
	/* Set since the handler has cleared the overflow status */
	bool was_set;
	u64 since_status;
	/* Since the driver read it */
	u64 since_read;
	u8 accesses;
};

/* What is known about an event, apart from what the driver says */
struct truth {
	/* Counted by the hardware, except what is lost when its counter is set */
	u64 counted;
	/* Counted late, after its counter was disabled */
	u64 late;
	/* The highest count seen */
	u64 seen;
	/* Of its count, what is in the periods of its samples */
	u64 sampled;
	/* What it had counted when its counter was enabled */
	u64 started;
	/* What should have been counted in this operation, but was not */
	u64 missed;
	/* It counts from the beginning to the end of this operation. */
	bool counts;
	/* In this operation, its counter could not be programmed or set. */
	bool failed;
	/* It has been started or stopped other than with its group. */
	bool apart;
	/*
	 * Instants: when its counter last overflowed, the overflow whose status was
	 * cleared, and, of a leader, the last change of only some counts of its group
	 */
	int overflow, handled, disturbed;
	/* perf has recorded that it is throttled, but not the end of that. */
	bool throttled;
	/* perf disables it as soon as interrupts are on. */
	bool pending_disable;
	/* Samples in this jiffy, and since perf began to count them anew */
	unsigned int samples, since_reset;
};

/* The counts that the events had at some time */
struct instant {
	u64 counts[MAX_EVENTS];
	/* The groups, by their leaders, for whose samples or reads it was captured */
	u8 captured;
};

struct world {
	struct arm_syspmu pmu;
	struct arm_syspmu_core core;
	struct arm_syspmu_counter counters[MAX_COUNTERS];
	struct arm_syspmu_core_event own[MAX_EVENTS];
	struct perf_event events[MAX_EVENTS];
	struct truth truth[MAX_EVENTS];
	struct hw_counter hw[MAX_COUNTERS];
	struct perf_event_context contexts[2];
	int disabled;
	unsigned int first_group;
	/* What the filter that all counters share is set to */
	u64 filter;
	u64 throttled_seq;
	bool latched, halted, gone, in_nmi, in_handler, message_lost, was_reset;
	bool between_halves, write_fails, write_failed;
	bool cannot_capture, captured_by_others, tick_due;
	/* The captured group that another CPU has read, but not copied, by its leader */
	struct {
		bool pending;
		u8 event;
		int since;
	} reader;
	/* What has been seen by the driver since the operation began */
	u64 trace;
	unsigned int points;
	/* Events of each source in this operation, and while an overflow is pending */
	u64 occurred[3];
	u64 pending[3];
	/* The operation, or what happens between operations */
	struct step step;
	/* The instants of the operation and of now */
	int began, now;
	struct instant log[MAX_LOG];
};

extern struct world w;
extern struct config config;

#define for_each_counter(counter)	\
	for ((counter) = w.hw; (counter) < w.hw + config.counters; (counter)++)

#define for_each_event(event)	\
	for ((event) = w.events; (event) < w.events + config.num_events; (event)++)

/* A leader comes before its siblings. */
#define for_each_member(event, leader)	\
	for ((event) = (leader); (event); (event) = next_sibling(leader, event))

static inline unsigned int index_of(const struct perf_event *event)
{
	return event - w.events;
}

static inline struct truth *truth_of(const struct perf_event *event)
{
	return &w.truth[index_of(event)];
}

static inline bool is_leader(const struct perf_event *event)
{
	return event->group_leader == event;
}

/* The PMU has power, and a driver. */
static inline bool is_bound(void)
{
	return !w.gone && !w.core.suspended;
}

/* The counts of the group are no longer those of one instant. */
static inline void disturb_group(const struct perf_event *event)
{
	truth_of(event->group_leader)->disturbed = w.now;
}

/* rules.c */
extern jmp_buf broken;
extern char broken_rule[256];
__attribute__((format(printf, 1, 2), noreturn)) void broke(const char *fmt, ...);
void rules_begin(void);
void rules_end(void);
void rules_at_point(void);
void rules_at_end(void);
void rule_read(const struct perf_event *event, u64 least);
void rule_group(const struct perf_event *leader, const u64 *counts, int since, u8 captured);
void rule_sample(struct perf_event *event, const u64 *counts, u64 period);
void rule_rate(struct perf_event *event, bool throttled);
void rule_filter(void);

/* hardware.c */
const struct arm_syspmu_ops *hw_ops(void);
void hw_reset(void);
void hw_count(struct perf_event *event, u32 amount);
void hw_capture(struct perf_event *event, u32 amount);
int hw_new_instant(u8 captured);
void hw_forget_instants(void);
unsigned int hw_status(void);
bool hw_asserts_interrupt(void);

/* perf.c */
void perf_setup(void);
extern const struct kind kinds[NUM_WHAT];
void perf_happen(const struct step *step);

/* history.c */
extern struct history history;

/* Of the last run: points of the last operation, states after the last step and at the end */
extern unsigned int last_points;
extern u64 state_after_step, state_after_operation;

/* These return the rule that was broken, or NULL. */
const char *run_history(void);
const char *make_history(u64 seed);
void shrink_history(void);
void print_history(void);
bool read_history(FILE *from);

#endif /* EXPLORE_H */
