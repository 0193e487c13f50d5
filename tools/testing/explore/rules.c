// SPDX-License-Identifier: GPL-2.0
/*
 * What must hold, of counts and samples as perf shows them, and of the hardware.
 * Counts are compared with those that the hardware has really counted for an
 * event. Of these, what a counter counts between the read and the write that set
 * it for the next period is lost.
 */

#include <stdarg.h>

#include "explore.h"

jmp_buf broken;
char broken_rule[256];

void broke(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(broken_rule, sizeof(broken_rule), fmt, args);
	va_end(args);
	longjmp(broken, 1);
}

static bool is_throttled(const struct perf_event *event)
{
	return event->hw.interrupts == ARM_SYSPMU_THROTTLED;
}

/* Whether perf expects an event to count */
static bool should_count(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE && event->pmu == &w.pmu.pmu &&
	       !is_throttled(event) && is_bound();
}

/* A count never decreases, and never exceeds what has been counted. */
void rules_at_point(void)
{
	struct truth *truth;
	unsigned int e;
	u64 count;

	for (e = 0; e < config.num_events; e++) {
		truth = &w.truth[e];
		count = w.events[e].count.value;
		if (count == truth->seen)
			continue;
		if (count < truth->seen)
			broke("count of event %u falls from %llu to %llu", e, truth->seen, count);
		if (count > truth->counted + truth->late)
			broke("count of event %u is %llu of %llu", e, count, truth->counted);
		truth->seen = count;
	}
}

/* A read does not miss what was counted before it began. */
void rule_read(const struct perf_event *event, u64 least)
{
	if (!w.gone && event->count.value < least)
		broke("%llu are read for event %u, which has counted %llu", event->count.value,
		      index_of(event), least);
}

/*
 * The counts of a group that are shown together are those of one instant, at which
 * these were captured, if any.
 */
void rule_group(const struct perf_event *leader, const u64 *counts, int since, u8 captured)
{
	unsigned int e;
	int i;

	if (config.late || w.gone)
		return;

	for (i = since; i <= w.now; i++) {
		for (e = 0; e < config.num_events; e++)
			if (w.events[e].group_leader == leader && counts[e] != w.log[i].counts[e])
				break;
		if (e == config.num_events && (!captured || w.log[i].captured & captured))
			return;
	}
	broke("counts of different instants are shown for the group of event %u", index_of(leader));
}

/*
 * A sample is due, and shows the counts of its group at the instant of a capture:
 * by its overflow, unless there was another one since. It never shows less than
 * what was counted by its overflow.
 */
void rule_sample(struct perf_event *event, const u64 *counts, u64 period)
{
	const struct perf_event *leader = event->group_leader;
	struct truth *truth = &w.truth[index_of(event)];
	const u64 *least = w.log[truth->handled].counts;
	bool apart = false;
	unsigned int e;

	if (!w.in_handler && w.step.what != SUSPEND)
		broke("a sample is made outside of a handler");
	truth->sampled += period;
	if (!period || truth->sampled > truth->counted + truth->late)
		broke("periods of event %u end at %llu, it has counted %llu", index_of(event),
		      truth->sampled, truth->counted);
	if (!event->attr.sample_type || !config.capture || config.others_capture)
		return;

	for (e = 0; e < config.num_events; e++) {
		if (w.events[e].group_leader != leader)
			continue;
		apart |= w.truth[e].apart;
		if (!w.gone && counts[e] + w.truth[e].late < least[e])
			broke("a sample of %u shows %llu for event %u, which had counted %llu",
			      index_of(event), counts[e], e, least[e]);
	}
	if (!apart && w.truth[index_of(leader)].disturbed < truth->handled)
		rule_group(leader, counts, truth->handled, 1U << index_of(leader));
}

/* An event is throttled after as many samples in a jiffy as perf allows, and not before. */
void rule_rate(struct perf_event *event, bool throttled)
{
	struct truth *truth = &w.truth[index_of(event)];

	truth->samples++;
	truth->since_reset++;
	if (throttled ? truth->samples < MAX_SAMPLES_PER_TICK :
			truth->since_reset >= MAX_SAMPLES_PER_TICK)
		broke("event %u is%s throttled after %u samples", index_of(event),
		      throttled ? "" : " not", truth->since_reset);
	if (throttled)
		truth->since_reset = 0;
}

/* All counters share one filter, which is that of each event that uses it. */
void rule_filter(void)
{
	const struct hw_counter *counter;
	u64 filter;

	for_each_counter(counter) {
		filter = counter->enabled ? w.own[counter->event].public.shared_filter : 0;
		if (filter && filter != w.filter)
			broke("event %u counts with the filter of another one", counter->event);
	}
}

void rules_begin(void)
{
	struct truth *truth;
	unsigned int e;

	w.captured_by_others = false;
	w.cannot_capture = false;
	w.write_fails = false;
	memset(w.occurred, 0, sizeof(w.occurred));
	/* Earlier instants are only needed for what is pending. */
	if (!w.reader.pending && !hw_status())
		hw_forget_instants();
	w.began = w.now;
	for (e = 0; e < config.num_events; e++) {
		truth = &w.truth[e];
		truth->missed = 0;
		truth->failed = false;
		truth->counts = should_count(&w.events[e]) && w.step.what != MOVE &&
				w.step.what != SUSPEND;
	}
}

/* Whether all events, those of a group, in a state, or pinned, can count at a time */
static bool can_count(const struct perf_event *leader, enum perf_event_state state, bool pinned)
{
	unsigned int e, filters = 0, any = 0, special = 0;

	for (e = 0; e < config.num_events; e++) {
		/* One that leaves a group that waits does not make perf add the others. */
		if ((leader && w.events[e].group_leader != leader) ||
		    (w.events[e].state < state && !w.truth[e].apart) ||
		    (pinned && !w.events[e].attr.pinned))
			continue;
		filters |= w.own[e].public.shared_filter;
		any += config.events[e].source != SOFTWARE;
		special += config.special && config.events[e].source == 1;
	}

	return any <= config.counters && any - special <= config.counters - config.special &&
	       filters < 3;
}

static bool all_fit(void)
{
	return can_count(NULL, PERF_EVENT_STATE_DEAD, false);
}

/* The counter of an event is enabled if, and only if, perf expects it to count. */
static void rule_enabled(void)
{
	const struct perf_event *event;
	unsigned int e, enabled = 0;
	int idx;

	for (e = 0; e < config.num_events; e++) {
		event = &w.events[e];
		if (w.truth[e].failed && should_count(event) && list_empty(&w.own[e].node))
			broke("event %u goes on though its counter cannot be set", e);
		/* It may wait for another pinned one after the PMU has moved. */
		if (!should_count(event) ||
		    (!list_empty(&w.own[e].node) &&
		     (w.write_failed || (!can_count(NULL, PERF_EVENT_STATE_DEAD, true) &&
					 !can_count(NULL, PERF_EVENT_STATE_ACTIVE, false)))))
			continue;
		idx = event->hw.idx;
		if (idx < 0 || w.hw[idx].event != (int)e || !w.hw[idx].enabled)
			broke("event %u does not count", e);
		enabled |= 1U << idx;
	}
	for (idx = 0; idx < config.counters; idx++)
		if (w.hw[idx].enabled && !(enabled >> idx & 1))
			broke("counter %d counts for no event", idx);
}

/*
 * If there are enough counters, perf can add each event that is enabled. Otherwise
 * each group can count alone: after all have been taken out, perf can add one.
 */
static void rule_scheduled(void)
{
	bool all = all_fit(), waits = false, active = false;
	unsigned int e;
	const struct perf_event *event, *leader;

	for (e = 0; e < config.num_events; e++) {
		event = &w.events[e];
		leader = event->group_leader;
		active |= event->state == PERF_EVENT_STATE_ACTIVE ||
			  !can_count(leader, PERF_EVENT_STATE_DEAD, false);
		waits |= event->state == PERF_EVENT_STATE_INACTIVE && event == leader &&
			 !event->attr.pinned;
		/* perf adds those whose leader was closed with the next change. */
		if (all && !w.truth[e].apart &&
		    (event->state == PERF_EVENT_STATE_ERROR ||
		     (event->state == PERF_EVENT_STATE_INACTIVE &&
		      leader->state > PERF_EVENT_STATE_OFF)))
			broke("event %u is not added", e);
	}
	if (!all && waits && !active && (w.step.what == RESCHEDULE || w.step.what == ROTATE))
		broke("no event is added");
}

/* An event that stays loses nothing while others come and go. */
static void rule_nothing_lost(void)
{
	unsigned int e;

	/* An event can be given the special counter, and all start anew with it. */
	for (e = 0; all_fit() && !config.special && e < config.num_events; e++)
		if (w.truth[e].counts && should_count(&w.events[e]) && w.truth[e].missed)
			broke("event %u loses %llu", e, w.truth[e].missed);
}

/* Overflows are noticed, and none are left of what does not count any more. */
static void rule_interrupt(void)
{
	u64 margin = GENMASK_ULL(config.bits - 1, 0) / 4;
	const struct hrtimer *poll = &w.core.poll;
	const struct hw_counter *counter;

	for_each_counter(counter) {
		if (!counter->status)
			continue;
		if (counter->enabled && !hw_asserts_interrupt() && !poll->queued &&
		    config.delivery != ARM_SYSPMU_NONE)
			broke("an overflow of event %u is not noticed", counter->event);
		if (!counter->enabled && !config.late)
			broke("an overflow of event %u is left", counter->event);
	}
	if (!w.core.enabled[0] && poll->queued)
		broke("overflows are polled though nothing counts");
	if (!w.core.enabled[0] || config.bits == 64)
		return;
	if (config.delivery == ARM_SYSPMU_WIRED) {
		if (poll->queued && !w.core.repeats)
			broke("overflows are polled beside their interrupt");
		return;
	}
	if (!poll->queued)
		broke("overflows are not polled");
	/* No counter adds more than 4 in a nanosecond. */
	if (!w.core.msi_works && margin > 400000 && poll->remaining > (s64)margin / 4)
		broke("overflows are polled too rarely");
}

/* Samples add up to the count, except for the current period. */
static void rule_periods(void)
{
	const struct perf_event *event;
	unsigned int e;
	s64 since;

	for (e = 0; e < config.num_events; e++) {
		event = &w.events[e];
		/* A period that was over when the event stopped ends with the next event. */
		if (!is_sampling_event(event) || event->attr.freq ||
		    !should_count(event) || event->hw.idx < 0 ||
		    w.hw[event->hw.idx].status || w.truth[e].counted == w.truth[e].started)
			continue;
		since = w.truth[e].counted - w.truth[e].sampled;
		/* Late events may be in the periods, and are not among those counted. */
		if (since >= (s64)event->hw.sample_period + !!config.late ||
		    (since < 0 && !config.late))
			broke("periods of event %u end at %llu, it has counted %llu", e,
			      w.truth[e].sampled, w.truth[e].counted);
	}
}

/* Throttled events go on counting soon, which perf records. */
static void rule_throttled(void)
{
	const struct perf_event *event;

	for_each_event(event) {
		if (is_throttled(event) && event->state == PERF_EVENT_STATE_ACTIVE &&
		    event->pmu == &w.pmu.pmu && !w.core.unthrottle.queued && !w.tick_due)
			broke("event %u stays throttled", index_of(event));
		if (!is_throttled(event) && truth_of(event)->throttled)
			broke("perf takes event %u for throttled", index_of(event));
	}
}

void rules_end(void)
{
	rules_at_point();
	if (!is_bound())
		return;
	if (w.halted)
		broke("the PMU is left halted");
	rule_interrupt();
	rule_throttled();
	rule_enabled();
	if (w.write_failed)
		return;
	rule_scheduled();
	rule_nothing_lost();
	rule_periods();
}

/* All events have been disabled. */
void rules_at_end(void)
{
	unsigned int e;

	for (e = 0; e < config.num_events; e++) {
		rule_read(&w.events[e], w.truth[e].counted);
		if (!list_empty(&w.own[e].node))
			broke("event %u is left in a list", e);
	}
	if (w.core.used[0] || w.core.active[0] || w.core.enabled[0] || w.core.deleted[0] ||
	    w.core.capturing[0] || w.core.owner != nr_cpu_ids)
		broke("the PMU is in use though it has no event");
	if (w.core.unthrottle.queued)
		broke("a timer is left though there is no event");
	if (hw_asserts_interrupt() && !config.edge && !config.late &&
	    config.delivery == ARM_SYSPMU_WIRED)
		broke("the interrupt is asserted though there is no event");
}
