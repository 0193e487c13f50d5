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

static bool is_accessible(void)
{
	return !w.gone && !w.core.suspended;
}

static bool is_throttled(const struct perf_event *event)
{
	return event->hw.interrupts == ARM_SYSPMU_THROTTLED;
}

/* Whether perf expects an event to count */
static bool should_count(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE && !is_throttled(event) &&
	       is_accessible();
}

/* A count never decreases, and never exceeds what has been counted. */
void rules_at_point(void)
{
	unsigned int e;
	u64 count;

	for (e = 0; e < config.num_events; e++) {
		count = w.events[e].count.value;
		if (count == w.truth[e].seen)
			continue;
		if (count < w.truth[e].seen)
			broke("count of event %u falls from %llu to %llu", e,
			      w.truth[e].seen, count);
		if (count > w.truth[e].counted + w.stragglers)
			broke("count of event %u is %llu of %llu", e, count,
			      w.truth[e].counted);
		w.truth[e].seen = count;
	}
}

/* A group starts and stops at one instant: its events count the same. */
bool are_twins(unsigned int a, unsigned int b)
{
	return !config.late && !w.write_failed &&
	       w.events[a].group_leader == w.events[b].group_leader &&
	       config.events[a].source == config.events[b].source &&
	       !w.truth[a].apart && !w.truth[b].apart;
}

/* A read does not miss what was counted before it began. */
void rule_read(unsigned int e, u64 count, u64 least, const char *who)
{
	if (w.gone || w.core.suspended)
		return;
	if (count < least)
		broke("%s shows %llu for event %u, which has counted %llu", who,
		      count, e, least);
}

/* The counts of the group are no longer those of one instant. */
void disturb_group(const struct perf_event *event)
{
	unsigned int e;

	for (e = 0; e < config.num_events; e++)
		if (w.events[e].group_leader == event->group_leader)
			w.truth[e].disturbed = w.now;
	w.reader.disturbed |= w.events[w.reader.event].group_leader == event->group_leader;
}

/* The counts of a group that has been captured are those of one instant. */
void rule_group(unsigned int leader, const u64 *counts, int since, bool captured, const char *who)
{
	const struct perf_event *event;
	unsigned int e;
	int i;

	if (config.late || w.gone)
		return;

	for (i = since; i <= w.now; i++) {
		if (captured && !w.log[i].captured)
			continue;
		for (e = 0; e < config.num_events; e++) {
			event = &w.events[e];
			if (event->group_leader == &w.events[leader] &&
			    counts[e] != w.log[i].counts[e])
				break;
		}
		if (e == config.num_events)
			return;
	}
	broke("%s shows counts of different instants for the group of event %u", who, leader);
}

/*
 * A sample is due, and shows the counts of the group at the instant of an
 * overflow that captures: that of the event, unless another has captured since.
 * A read of the group by then shows later counts. It never shows less than what
 * was counted by its overflow.
 */
void rule_sample(struct perf_event *event, const u64 *counts, u64 period)
{
	unsigned int e = index_of(event), leader = index_of(event->group_leader), other;
	struct truth *truth = &w.truth[e];
	bool read = false;
	s64 missing;

	if (!w.in_handler && w.step.what != SUSPEND)
		broke("a sample is made outside of a handler");
	truth->sampled += period;
	if (!period || truth->sampled > w.truth[e].counted + w.stragglers - truth->base)
		broke("samples of event %u have periods of %llu, it has counted %llu", e,
		      truth->sampled,
		      (w.truth[e].counted - truth->base));
	if (!config.events[e].read || !config.capture || config.others_capture)
		return;
	for (other = 0; other < config.num_events; other++) {
		if (w.events[other].group_leader != event->group_leader)
			continue;
		missing = w.log[truth->handled].counts[other] - counts[other];
		if (!w.gone && missing > (s64)w.stragglers)
			broke("a sample of %u shows %llu for event %u, which had counted %llu",
			      e, counts[other], other, w.log[truth->handled].counts[other]);
		if (w.truth[other].disturbed >= truth->handled || w.truth[other].apart)
			return;
		read |= w.truth[other].read >= truth->handled;
	}
	rule_group(leader, counts, truth->handled, !read, "a sample");
}

/* An event is throttled after as many samples in a jiffy as perf allows, and not before. */
void rule_rate(struct perf_event *event, bool throttled)
{
	struct truth *truth = &w.truth[index_of(event)];

	if (truth->jiffy != jiffies)
		truth->samples = 0;
	truth->jiffy = jiffies;
	truth->samples++;
	truth->since_reset++;
	if (throttled && truth->samples < MAX_SAMPLES_PER_TICK)
		broke("event %u is throttled after %u samples", index_of(event), truth->samples);
	if (!throttled && truth->since_reset >= MAX_SAMPLES_PER_TICK)
		broke("event %u is not throttled after %u samples", index_of(event),
		      truth->since_reset);
	if (throttled)
		truth->since_reset = 0;
}

/* The oldest instants that no rule needs any more are forgotten. */
void forget_instants(void)
{
	int oldest = w.now, i;
	unsigned int e;

	if (w.reader.pending)
		oldest = min(oldest, w.reader.since);
	for (e = 0; e < config.num_events; e++)
		for (i = 0; i < config.counters; i++)
			if (w.hw[i].event == (int)e && w.hw[i].status)
				oldest = min(oldest, w.truth[e].overflow);
	if (!oldest)
		return;

	w.now -= oldest;
	w.oldest_handled -= oldest;
	w.captured = max_t(int, w.captured - oldest, -1);
	w.reader.since -= w.reader.pending ? oldest : 0;
	memmove(w.log, w.log + oldest, (w.now + 1) * sizeof(*w.log));
	for (e = 0; e < config.num_events; e++) {
		w.truth[e].overflow = max_t(int, w.truth[e].overflow - oldest, 0);
		w.truth[e].handled = max_t(int, w.truth[e].handled - oldest, 0);
		w.truth[e].disturbed = max_t(int, w.truth[e].disturbed - oldest, -1);
		w.truth[e].read = max_t(int, w.truth[e].read - oldest, -1);
	}
}

void rules_begin(void)
{
	unsigned int e;

	forget_instants();
	w.captured_by_others = false;
	w.cannot_capture = false;
	w.write_fails = false;
	w.oldest_handled = MAX_LOG;
	memset(w.occurred, 0, sizeof(w.occurred));
	for (e = 0; e < config.num_events; e++) {
		w.truth[e].missed = 0;
		w.truth[e].overflowed = false;
		w.truth[e].counts = should_count(&w.events[e]) && w.step.what != MOVE &&
				   w.step.what != SUSPEND;
	}
}

/* All counters share one filter, which is that of each event that uses it. */
void rule_filter(void)
{
	unsigned int idx, filter;

	for (idx = 0; idx < config.counters; idx++) {
		if (!w.hw[idx].enabled)
			continue;
		filter = filter_of(w.hw[idx].event);
		if (filter && filter != w.filter)
			broke("event %u counts with the filter of another one", w.hw[idx].event);
	}
}

/* Whether all events can count at a time */
static bool all_fit(void)
{
	unsigned int e, filters = 0;

	for (e = 0; e < config.num_events; e++)
		filters |= filter_of(e);

	return config.num_events <= config.counters && filters < 3;
}

/* The counter of an event is enabled if, and only if, perf expects it to count. */
static void rule_enabled(void)
{
	const struct perf_event *event;
	unsigned int e, idx, enabled = 0;

	for (e = 0; e < config.num_events; e++) {
		event = &w.events[e];
		if (!should_count(event))
			continue;
		/* It waits for a counter after the PMU has moved. */
		if (!list_empty(&w.own[e].node) &&
		    (!all_fit() || w.write_failed))
			continue;
		idx = event->hw.idx;
		if (idx >= config.counters || w.hw[idx].event != (int)e || !w.hw[idx].enabled)
			broke("event %u does not count", e);
		enabled |= 1U << idx;
	}
	for (idx = 0; idx < config.counters; idx++)
		if (w.hw[idx].enabled && !(enabled >> idx & 1))
			broke("counter %u counts for no event", idx);
}

/* Each group can count alone: after all have been taken out, perf can add one. */
static void rule_some_scheduled(void)
{
	unsigned int e, other, members;
	bool any = false;

	if (w.step.what != RESCHEDULE && w.step.what != ROTATE)
		return;
	for (e = 0; e < config.num_events; e++) {
		if (w.events[e].state == PERF_EVENT_STATE_ACTIVE)
			return;
		any |= w.events[e].state == PERF_EVENT_STATE_INACTIVE &&
		       w.events[e].group_leader == &w.events[e] && !w.events[e].attr.pinned;
		members = 0;
		for (other = 0; other < config.num_events; other++)
			members += w.events[other].group_leader == &w.events[e];
		if (members > config.counters)
			return;
	}
	if (any)
		broke("no event is added");
}

/* If there are enough counters, perf can add each event that is enabled. */
static void rule_scheduled(void)
{
	const struct perf_event *event;
	unsigned int e;

	if (!all_fit()) {
		rule_some_scheduled();
		return;
	}
	for (e = 0; e < config.num_events; e++) {
		event = &w.events[e];
		/* perf adds those whose leader was closed with the next change. */
		if (w.truth[e].apart)
			continue;
		if (event->state == PERF_EVENT_STATE_ERROR ||
		    (event->state == PERF_EVENT_STATE_INACTIVE &&
		     event->group_leader->state > PERF_EVENT_STATE_OFF))
			broke("event %u is not added", e);
	}
}

/* An event that stays loses nothing while others come and go. */
static void rule_nothing_lost(void)
{
	unsigned int e;

	if (!all_fit())
		return;
	for (e = 0; e < config.num_events; e++)
		if (w.truth[e].counts && should_count(&w.events[e]) && w.truth[e].missed)
			broke("event %u loses %llu", e, w.truth[e].missed);
}

/* Overflows are noticed, and none are left of what does not count any more. */
static void rule_interrupt(void)
{
	unsigned int idx;
	u64 margin = GENMASK_ULL(config.bits - 1, 0) / 4;

	for (idx = 0; idx < config.counters; idx++) {
		if (!w.hw[idx].status)
			continue;
		if (w.hw[idx].enabled && !hw_asserts_interrupt() && !w.core.poll.queued)
			broke("the overflow of counter %u is not noticed", idx);
		if (!w.hw[idx].enabled && !config.late)
			broke("an overflow of counter %u is left, which is not enabled", idx);
	}
	if (w.core.enabled[0] && config.bits < 64 && config.delivery != ARM_SYSPMU_WIRED) {
		if (!w.core.poll.queued)
			broke("overflows are not polled");
		/* No counter adds more than 4 in a nanosecond. */
		if (!w.core.msi_works && margin > 400000 && w.core.poll.remaining > (s64)margin / 4)
			broke("overflows are polled too rarely");
	}
	if (!w.core.enabled[0] && w.core.poll.queued)
		broke("overflows are polled though nothing counts");
}

/* Samples add up to the count, except for the current period. */
static void rule_periods(void)
{
	const struct perf_event *event;
	const struct truth *truth;
	u64 counted, period;
	unsigned int e;

	for (e = 0; e < config.num_events; e++) {
		event = &w.events[e];
		truth = &w.truth[e];
		if (!is_sampling_event(event) || event->attr.freq ||
		    !should_count(event) || event->hw.idx < 0 || w.hw[event->hw.idx].status)
			continue;
		counted = w.truth[e].counted - truth->base;
		/* A period that was over when the event stopped ends with the next event. */
		if (w.truth[e].counted == truth->started)
			continue;
		period = event->hw.sample_period;
		/* Late events may be in the periods, and are not among those counted. */
		if (config.late ? truth->sampled < (counted - 1) / period * period :
				  truth->sampled != counted / period * period)
			broke("samples of event %u have periods of %llu, it has counted %llu", e,
			      truth->sampled, counted);
	}
}

/* Throttled events go on counting soon. */
static void rule_throttled(void)
{
	unsigned int e;

	if (!is_accessible())
		return;
	for (e = 0; e < config.num_events; e++)
		if (is_throttled(&w.events[e]) && w.events[e].state == PERF_EVENT_STATE_ACTIVE &&
		    !w.core.unthrottle.queued && !w.tick_due)
			broke("event %u stays throttled", e);
}

void rules_end(void)
{
	rules_at_point();
	if (!is_accessible())
		return;
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
		rule_read(e, w.events[e].count.value, w.truth[e].counted, "the end");
		if (!list_empty(&w.own[e].node))
			broke("event %u is left in a list", e);
	}
	if (!is_accessible())
		return;
	if (w.core.used[0] || w.core.active[0] || w.core.enabled[0] || w.core.deleted[0] ||
	    w.core.capturing[0] || w.core.owner != nr_cpu_ids)
		broke("the PMU is in use though it has no event");
	if (w.core.unthrottle.queued)
		broke("a timer is left though there is no event");
	if (hw_asserts_interrupt() && !config.edge && !config.late &&
	    config.delivery == ARM_SYSPMU_WIRED)
		broke("the interrupt is asserted though there is no event");
}
