// SPDX-License-Identifier: GPL-2.0
/*
 * What perf does to a PMU, in the order and under the locks of Linux 6.1, 6.12
 * and 7 (LINUX_VERSION_CODE), and how interrupts and timers reach the driver. All
 * of it runs on the CPU that owns the PMU with interrupts off; only NMIs, and
 * copies of counts by other CPUs, come in between.
 */

#include "explore.h"

#define MAX_INTERRUPTS		(~0ULL)

/* An event throttles its whole group. */
static const bool throttles_groups = SINCE(6, 16);

struct world w;
struct config config;
unsigned long jiffies;
unsigned int this_cpu;

static struct pmu *const pmu = &w.pmu.pmu;

void *kcalloc(size_t n, size_t size, int flags)
{
	return w.counters;
}

void raw_spin_lock(raw_spinlock_t *lock)
{
	if (lock->held)
		broke("deadlock: a lock is taken that is held");
	lock->held = true;
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	lock->held = false;
	/* A CPU that waits for it can go on before anything else happens. */
	point();
}

struct perf_event *next_sibling(struct perf_event *leader, struct perf_event *sibling)
{
	struct perf_event *event = sibling ? sibling + 1 : w.events;

	for (; event < w.events + config.num_events; event++)
		if (event != leader && event->group_leader == leader)
			return event;

	return NULL;
}

static bool is_leader(const struct perf_event *event)
{
	return event->group_leader == event;
}

static raw_spinlock_t *context_lock(void)
{
	return &w.contexts[this_cpu].lock;
}

/*
 * Scheduling
 */

static void disable_pmu(void)
{
	if (!w.disabled++)
		pmu->pmu_disable(pmu);
	w.pmu_context.pmu_disable_count = w.disabled;
}

static void enable_pmu(void)
{
	w.pmu_context.pmu_disable_count = w.disabled - 1;
	if (!--w.disabled)
		pmu->pmu_enable(pmu);
}

static void event_sched_out(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;

	disable_pmu();
	pmu->del(event, 0);
	event->oncpu = -1;
	event->state = PERF_EVENT_STATE_INACTIVE;
	enable_pmu();
}

static void group_sched_out(struct perf_event *leader)
{
	struct perf_event *sibling;

	disable_pmu();
	event_sched_out(leader);
	for_each_sibling_event(sibling, leader)
		event_sched_out(sibling);
	enable_pmu();
}

static bool event_sched_in(struct perf_event *event)
{
	bool failed;

	if (event->state <= PERF_EVENT_STATE_OFF)
		return true;

	/* The driver resets the number of samples of events that count. */
	w.truth[index_of(event)].jiffy = jiffies;
	w.truth[index_of(event)].samples = MAX_SAMPLES_PER_TICK;
	event->oncpu = this_cpu;
	event->state = PERF_EVENT_STATE_ACTIVE;
	w.truth[index_of(event)].since_reset = 0;
	if (event->hw.interrupts == MAX_INTERRUPTS)
		event->hw.interrupts = 0;
	disable_pmu();
	failed = pmu->add(event, PERF_EF_START);
	if (failed) {
		event->state = PERF_EVENT_STATE_INACTIVE;
		event->oncpu = -1;
	}
	enable_pmu();

	return !failed;
}

static bool group_sched_in(struct perf_event *leader)
{
	struct perf_event *sibling, *failed = NULL;

	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	if (event_sched_in(leader)) {
		for_each_sibling_event(sibling, leader) {
			if (event_sched_in(sibling))
				continue;
			failed = sibling;
			break;
		}
		if (!failed && !pmu->commit_txn(pmu))
			return true;
		for_each_sibling_event(sibling, leader) {
			if (sibling == failed)
				break;
			event_sched_out(sibling);
		}
		event_sched_out(leader);
	}
	pmu->cancel_txn(pmu);

	return false;
}

static void sched_out(bool pinned)
{
	struct perf_event *event;

	for (event = w.events; event < w.events + config.num_events; event++)
		if (is_leader(event) && event->attr.pinned == pinned &&
		    event->cpu == (int)this_cpu)
			group_sched_out(event);
}

static void sched_in(bool pinned)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < config.num_events; i++) {
		event = &w.events[(i + w.first_group) % config.num_events];
		if (!is_leader(event) || event->attr.pinned != pinned ||
		    event->state != PERF_EVENT_STATE_INACTIVE || event->cpu != (int)this_cpu ||
		    group_sched_in(event))
			continue;
		if (!pinned)
			break;
		event->state = PERF_EVENT_STATE_ERROR;
	}
}

/* An event has come: all of the same priority and of lower ones start anew. */
static void resched(bool pinned)
{
	disable_pmu();
	if (pinned)
		sched_out(true);
	sched_out(false);
	sched_in(true);
	sched_in(false);
	enable_pmu();
}

static void reschedule(struct perf_event *event, u32 amount)
{
	resched(amount & 1);
}

static void rotate(struct perf_event *event, u32 amount)
{
	disable_pmu();
	sched_out(false);
	w.first_group = (w.first_group + 1) % config.num_events;
	sched_in(false);
	enable_pmu();
}

static void enable(struct perf_event *event, u32 amount)
{
	if (event->state != PERF_EVENT_STATE_OFF && event->state != PERF_EVENT_STATE_ERROR)
		return;

	event->state = PERF_EVENT_STATE_INACTIVE;
	w.truth[index_of(event)].apart |= !is_leader(event);
	if (is_leader(event) || event->group_leader->state == PERF_EVENT_STATE_ACTIVE)
		resched(event->group_leader->attr.pinned);
}

static void disable(struct perf_event *event, u32 amount)
{
	if (event->state < PERF_EVENT_STATE_INACTIVE)
		return;

	w.truth[index_of(event)].apart |= !is_leader(event);
	if (SINCE(6, 2))
		disable_pmu();
	if (is_leader(event))
		group_sched_out(event);
	event_sched_out(event);
	event->state = PERF_EVENT_STATE_OFF;
	if (SINCE(6, 2))
		enable_pmu();
}

/* The siblings of a leader that is closed become groups of their own. */
static void close_event(struct perf_event *event, u32 amount)
{
	struct perf_event *sibling, *next;

	w.truth[index_of(event)].apart = true;
	event_sched_out(event);
	event->state = PERF_EVENT_STATE_DEAD;
	for (sibling = next_sibling(event, NULL); sibling; sibling = next) {
		next = next_sibling(event, sibling);
		sibling->group_leader = sibling;
		sibling->attr.pinned = event->attr.pinned;
		w.truth[index_of(sibling)].disturbed = w.now;
		w.truth[index_of(sibling)].apart = true;
	}
	event->group_leader = event;
}

/*
 * Sampling
 */

/* perf wants to know the count of this event only. */
static void stop_to_update(struct perf_event *event)
{
	w.truth[index_of(event)].counts = false;
	w.truth[index_of(event)].apart = true;
	pmu->stop(event, PERF_EF_UPDATE);
	disturb_group(event);
}

static void throttle(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;

	event->hw.interrupts = MAX_INTERRUPTS;
	w.truth[index_of(event)].counts = false;
	pmu->stop(event, 0);
}

static void unthrottle(struct perf_event *event, bool start)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;

	event->hw.interrupts = 0;
	w.truth[index_of(event)].since_reset = 0;
	if (start)
		pmu->start(event, 0);
}

static void throttle_group(struct perf_event *event)
{
	struct perf_event *sibling;

	throttle(event->group_leader);
	for_each_sibling_event(sibling, event->group_leader)
		throttle(sibling);
}

static void unthrottle_group(struct perf_event *event, bool skip)
{
	struct perf_event *sibling, *leader = event->group_leader;

	unthrottle(leader, !skip || leader != event);
	for_each_sibling_event(sibling, leader)
		unthrottle(sibling, !skip || sibling != event);
}

/* The frequency is such that the period should be the one of the configuration. */
static void adjust_period(struct perf_event *event, bool running)
{
	struct hw_perf_event *hw = &event->hw;
	s64 delta = config.events[index_of(event)].period - hw->sample_period;

	hw->sample_period += (delta >= 0 ? delta + 7 : delta - 7) / 8;
	hw->sample_period = hw->sample_period ?: 1;
	if (local64_read(&hw->period_left) <= 8 * (s64)hw->sample_period)
		return;

	if (running)
		stop_to_update(event);
	local64_set(&hw->period_left, 0);
	if (running)
		pmu->start(event, PERF_EF_RELOAD);
}

static int account_interrupt(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	int ret = 0;

	/* It may have been throttled with its group before this sample was made. */
	if (hw->interrupts == MAX_INTERRUPTS)
		w.truth[index_of(event)].since_reset = 0;
	if (w.throttled_seq != hw->interrupts_seq) {
		hw->interrupts_seq = w.throttled_seq;
		hw->interrupts = 1;
	} else {
		hw->interrupts++;
	}
	rule_rate(event, hw->interrupts >= MAX_SAMPLES_PER_TICK);
	if (hw->interrupts >= MAX_SAMPLES_PER_TICK) {
		if (throttles_groups) {
			throttle_group(event);
		} else {
			hw->interrupts = MAX_INTERRUPTS;
			w.truth[index_of(event)].apart = true;
		}
		w.truth[index_of(event)].counts = false;
		ret = 1;
	}
	if (event->attr.freq)
		adjust_period(event, true);

	return ret;
}

static u64 output_read(struct perf_event *event, struct perf_event *of)
{
	if (event != of && event->state == PERF_EVENT_STATE_ACTIVE)
		pmu->read(event);
	point();

	return event->count.value;
}

int arm_syspmu_perf_overflow(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	struct perf_event *leader = event->group_leader, *sibling;
	int ret = account_interrupt(event);
	u64 counts[MAX_EVENTS];

	if (event->attr.sample_type & PERF_SAMPLE_READ) {
		counts[index_of(leader)] = output_read(leader, event);
		for_each_sibling_event(sibling, leader)
			counts[index_of(sibling)] = output_read(sibling, event);
	}
	rule_sample(event, counts, data->period);

	return ret;
}

/* In 6.12, the tick only looks at the leaders of groups. */
static void tick_event(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	u64 delta;

	if (event->state != PERF_EVENT_STATE_ACTIVE || event->cpu != (int)this_cpu)
		return;
	if (!is_leader(event) && SINCE(6, 9))
		return;

	if (hw->interrupts == MAX_INTERRUPTS && throttles_groups) {
		unthrottle_group(event, event->attr.freq);
	} else if (hw->interrupts == MAX_INTERRUPTS) {
		hw->interrupts = 0;
		if (!event->attr.freq || !SINCE(6, 9))
			pmu->start(event, 0);
	}
	if (!event->attr.freq)
		return;

	stop_to_update(event);
	delta = event->count.value - hw->freq_count_stamp;
	hw->freq_count_stamp += delta;
	if (delta)
		adjust_period(event, false);
	pmu->start(event, delta ? PERF_EF_RELOAD : 0);
}

/* Done by an interrupt of this CPU as soon as these are enabled */
void arm_syspmu_perf_disable(struct perf_event *event)
{
	w.truth[index_of(event)].pending_disable = true;
}

static void disable_pending(void)
{
	unsigned int e;

	for (e = 0; e < config.num_events; e++) {
		if (!w.truth[e].pending_disable)
			continue;
		w.truth[e].pending_disable = false;
		raw_spin_lock(context_lock());
		if (w.events[e].state == PERF_EVENT_STATE_ACTIVE)
			disable(&w.events[e], 0);
		disturb_group(&w.events[e]);
		raw_spin_unlock(context_lock());
	}
}

void arm_syspmu_perf_took(u64 nanoseconds)
{
}

void arm_syspmu_perf_tick(void)
{
	struct perf_event *event;

	w.throttled_seq++;
	w.tick_due = false;
	raw_spin_lock(context_lock());
	disable_pmu();
	for (event = w.events; event < w.events + config.num_events; event++)
		tick_event(event);
	enable_pmu();
	raw_spin_unlock(context_lock());
}

/* PERF_EVENT_IOC_PERIOD */
static void set_period(struct perf_event *event, u32 amount)
{
	bool active = event->state == PERF_EVENT_STATE_ACTIVE;
	struct truth *truth = &w.truth[index_of(event)];

	if (!is_sampling_event(event) || event->attr.freq || !amount)
		return;

	event->hw.sample_period = amount;
	if (active) {
		disable_pmu();
		if (event->hw.interrupts == MAX_INTERRUPTS && !throttles_groups)
			event->hw.interrupts = 0;
		stop_to_update(event);
	}
	local64_set(&event->hw.period_left, 0);
	truth->sampled = 0;
	truth->base = truth->counted;
	if (active) {
		pmu->start(event, PERF_EF_RELOAD);
		if (event->hw.interrupts == MAX_INTERRUPTS)
			unthrottle_group(event, true);
		enable_pmu();
	}
}

/*
 * Reading
 */

/* Another CPU reads, by an interrupt of the CPU of the event. */
static void read(struct perf_event *event, bool group)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int e = index_of(group ? leader : event);
	u64 least[MAX_EVENTS];

	if (event->state <= PERF_EVENT_STATE_DEAD)
		return;

	for (e = 0; e < config.num_events; e++)
		least[e] = w.truth[e].counted;
	e = index_of(group ? leader : event);
	w.reader.pending = true;
	w.reader.group = group;
	w.reader.event = e;
	w.reader.since = w.now;
	w.reader.captured = false;
	w.reader.disturbed = false;
	event = &w.events[e];
	if (event->state != PERF_EVENT_STATE_ACTIVE || event->oncpu != (int)this_cpu)
		return;

	if (group) {
		pmu->start_txn(pmu, PERF_PMU_TXN_READ);
		w.reader.captured = w.core.source != ARM_SYSPMU_COUNTERS;
	}
	pmu->read(event);
	for_each_sibling_event(sibling, event)
		if (group && sibling->state == PERF_EVENT_STATE_ACTIVE)
			pmu->read(sibling);
	if (group)
		pmu->commit_txn(pmu);
	else
		disturb_group(event);
	/* Where others can capture, it may give up if the events change meanwhile. */
	if (group && event->hw.idx >= 0 && !w.reader.captured && config.capture &&
	    !w.captured_by_others && !w.gone && !w.core.suspended &&
	    !(config.others_capture && (w.occurred[0] || w.occurred[1])))
		broke("the group of event %u is not captured", e);
	for (; event; event = group ? next_sibling(&w.events[e], event == &w.events[e] ? NULL :
						   event) : NULL) {
		w.truth[index_of(event)].read = w.now;
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			rule_read(index_of(event), event->count.value, least[index_of(event)],
				  "read");
	}
}

static void read_group(struct perf_event *event, u32 amount)
{
	read(event, true);
}

static void read_event(struct perf_event *event, u32 amount)
{
	read(event, false);
}

/* The other CPU takes the lock of the context to copy the counts. */
static void copy_counts(struct perf_event *event, u32 amount)
{
	u64 counts[MAX_EVENTS];
	unsigned int e;

	if (!w.reader.pending || w.events[w.reader.event].ctx->lock.held)
		return;

	w.reader.pending = false;
	for (e = 0; e < config.num_events; e++)
		counts[e] = w.events[e].count.value;
	if (w.reader.group && w.reader.captured && !w.reader.disturbed)
		rule_group(w.reader.event, counts, w.reader.since, false, "read");
}

/* A BPF program reads an event of its CPU. */
static void read_in_nmi(struct perf_event *event, u32 amount)
{
	unsigned int e = index_of(event);
	u64 least = w.truth[e].counted;

	if (w.in_nmi || event->oncpu != (int)this_cpu)
		return;

	w.in_nmi = true;
	pmu->read(event);
	w.in_nmi = false;
	if (!w.points)
		rule_read(e, event->count.value, least, "an NMI");
	disturb_group(event);
}

/*
 * Interrupts and timers
 */

/* As in irq.c */
static bool handle(void)
{
	bool any = false;

	if (!arm_syspmu_acquire(&w.core))
		return false;

	w.in_handler = true;
	any = arm_syspmu_handle_overflows(&w.core);
	arm_syspmu_release_unused(&w.core);
	w.in_handler = false;

	return any;
}

static void interrupt(struct perf_event *event, u32 amount)
{
	bool any;

	if (!hw_asserts_interrupt())
		return;

	w.latched = false;
	any = handle();
	if (config.delivery == ARM_SYSPMU_MSI && any)
		w.core.msi_works = true;
}

static void poll(struct perf_event *event, u32 amount)
{
	struct hrtimer *timer = &w.core.poll;
	bool any;

	if (!timer->queued)
		return;

	timer->queued = false;
	w.in_handler = true;
	any = arm_syspmu_handle_overflows(&w.core);
	w.in_handler = false;
	if (any && config.delivery == ARM_SYSPMU_MSI)
		w.core.msi_works = false;
	if (timer->queued || !arm_syspmu_polls(&w.core) || w.core.gone ||
	    !w.core.enabled[0])
		return;

	timer->queued = true;
	timer->remaining = arm_syspmu_poll_interval(&w.core);
}

static void end_jiffy(void)
{
	unsigned int e;

	jiffies++;
	for (e = 0; e < config.num_events; e++)
		w.truth[e].since_reset = 0;
}

static void run_unthrottle_timer(struct perf_event *event, u32 amount)
{
	struct hrtimer *timer = &w.core.unthrottle;

	if (!timer->queued)
		return;

	timer->queued = false;
	end_jiffy();
	timer->function(timer);
}

/* An idle CPU has no tick. */
static void tick(struct perf_event *event, u32 amount)
{
	end_jiffy();
	if (amount & 1)
		arm_syspmu_perf_tick();
}

/* By a sampling event of the group that is of another PMU */
static void throttle_from_outside(struct perf_event *event, u32 amount)
{
	if (!throttles_groups)
		return;

	throttle_group(event);
	w.tick_due = true;
}

static void open_on(unsigned int cpu, struct perf_event *opened)
{
	unsigned int before = this_cpu;
	struct perf_event *event;

	if (opened->state != PERF_EVENT_STATE_OFF || !is_leader(opened))
		return;

	this_cpu = cpu;
	for (event = w.events; event < w.events + config.num_events; event++)
		if (event->group_leader == opened)
			event->cpu = cpu;
	enable(opened, 0);
	this_cpu = before;
}

/*
 * CPU hotplug: perf migrates the events one after another. One that is opened
 * meanwhile is opened on the new CPU, or all are.
 */
static void move(struct perf_event *opened, u32 amount)
{
	unsigned int from = this_cpu, to = !from;
	bool all = amount & 1;
	struct perf_event *event;

	w.core.cpu = to;
	arm_syspmu_begin_moving(&w.core);
	for (event = w.events; event < w.events + config.num_events; event++)
		if (all || event == opened)
			open_on(to, event);
	raw_spin_lock(context_lock());
	for (event = w.events; event < w.events + config.num_events; event++)
		if (event->cpu == (int)from)
			event_sched_out(event);
	raw_spin_unlock(context_lock());
	this_cpu = to;
	w.cpu = to;
	raw_spin_lock(context_lock());
	for (event = w.events; event < w.events + config.num_events; event++) {
		event->cpu = to;
		event->ctx = &w.contexts[to];
	}
	for (event = w.events; event < w.events + config.num_events; event++)
		if (is_leader(event) && event->state == PERF_EVENT_STATE_INACTIVE)
			resched(event->attr.pinned);
	raw_spin_unlock(context_lock());
	arm_syspmu_place_waiting(&w.core);
}

static void suspend(struct perf_event *event, u32 amount)
{
	arm_syspmu_suspend_counters(&w.core);
	if (!w.core.gone)
		arm_syspmu_handle_overflows(&w.core);
	arm_syspmu_suspend_events(&w.core);
	if (w.core.gone)
		return;
	hw_reset();
	arm_syspmu_resume_events(&w.core);
}

static void go_away(struct perf_event *event, u32 amount)
{
	w.gone = true;
}

static void lose_msi(struct perf_event *event, u32 amount)
{
	w.message_lost = config.delivery == ARM_SYSPMU_MSI;
}

static void fail_write(struct perf_event *event, u32 amount)
{
	w.write_fails = true;
}

/* One while an event is added is one while it counts: it stops, with a message. */
static void reset_idle(struct perf_event *event, u32 amount)
{
	if (w.core.used[0] || w.points)
		return;

	hw_reset();
	w.was_reset = true;
}

const struct kind kinds[NUM_WHAT] = {
	[MOVE] = { "move", 2, 0, move },
	[ENABLE] = { "enable", 16, 0, enable },
	[DISABLE] = { "disable", 11, 0, disable },
	[CLOSE] = { "close", 2, 0, close_event },
	[RESCHEDULE] = { "reschedule", 5, 0, reschedule },
	[READ_GROUP] = { "read-group", 16, 0, read_group },
	[READ_EVENT] = { "read", 5, 0, read_event },
	[PERIOD] = { "period", 5, 0, set_period },
	[ROTATE] = { "rotate", 5, 0, rotate },
	[INTERRUPT] = { "interrupt", 16, 0, interrupt },
	[POLL] = { "poll", 11, 0, poll },
	[TICK] = { "tick", 5, 0, tick },
	[UNTHROTTLE] = { "unthrottle", 5, 0, run_unthrottle_timer },
	[THROTTLE] = { "throttle", 5, 0, throttle_from_outside },
	[SUSPEND] = { "suspend", 2, 0, suspend },
	[COUNT] = { "count", 30, 100, hw_count },
	[NMI] = { "nmi", 3, 50, read_in_nmi },
	[COPY] = { "copy", 3, 50, copy_counts },
	[CAPTURE] = { "capture", 2, 25, hw_capture },
	[GO_AWAY] = { "go-away", 0, 1, go_away },
	[LOSE_MSI] = { "lose-msi", 1, 2, lose_msi },
	[FAIL_WRITE] = { "fail-write", 0, 2, fail_write },
	[RESET] = { "reset", 1, 0, reset_idle },
};

void perf_happen(const struct step *step)
{
	struct perf_event *event = &w.events[step->which % config.num_events];
	bool locks = step->what >= ENABLE && step->what <= ROTATE;

	/* A reader holds the mutex of the context until it has copied the counts. */
	if (step->what <= PERIOD)
		copy_counts(event, 0);
	if (locks)
		raw_spin_lock(context_lock());
	kinds[step->what].happen(event, step->amount);
	if (locks)
		raw_spin_unlock(context_lock());
	if (step->what < COUNT)
		disable_pending();
}

void perf_setup(void)
{
	struct arm_syspmu_core_event *own;
	struct perf_event *event;
	unsigned int e;

	memset(&w, 0, sizeof(w));
	jiffies = 1000;
	this_cpu = 0;
	w.pmu.core = &w.core;
	w.pmu.ops = hw_ops();
	w.pmu.num_counters = config.counters;
	w.pmu.counter_bits = config.bits;
	w.pmu.can_capture = config.capture;
	w.pmu.others_capture = config.others_capture;
	w.pmu.one_signal = config.one_signal;
	w.pmu.has_msi = config.delivery == ARM_SYSPMU_MSI;
	w.pmu_context_pointer = &w.pmu_context;
	pmu->pmu_disable_count = &w.pmu_context.pmu_disable_count;
#if SINCE(6, 15)
	pmu->cpu_pmu_context = &w.pmu_context_pointer;
#endif
	w.core.pmu = &w.pmu;
	w.core.owner = nr_cpu_ids;
	w.core.shows_enabled = true;
	w.core.delivery = config.delivery;
	w.core.repeats = config.one_signal && (config.edge || config.delivery == ARM_SYSPMU_MSI);
	INIT_LIST_HEAD(&w.core.opening);
	INIT_LIST_HEAD(&w.core.waiting);
	arm_syspmu_schedule_setup(&w.core);
	arm_syspmu_sample_setup(&w.core);
	arm_syspmu_count_setup(&w.core);
	hw_setup();

	for (e = 0; e < config.num_events; e++) {
		w.truth[e].disturbed = -1;
		w.truth[e].read = -1;
		event = &w.events[e];
		own = &w.own[e];
		event->pmu = pmu;
		event->pmu_private = own;
		event->group_leader = &w.events[config.events[e].leader];
		event->ctx = &w.contexts[0];
		event->state = PERF_EVENT_STATE_OFF;
		if (!is_leader(event))
			event->state = PERF_EVENT_STATE_INACTIVE;
		event->oncpu = -1;
		event->hw.idx = -1;
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		event->hw.sample_period = config.events[e].period;
		event->hw.last_period = event->hw.sample_period;
		local64_set(&event->hw.period_left, event->hw.sample_period);
		event->attr.pinned = event->group_leader->attr.pinned;
		if (is_leader(event))
			event->attr.pinned = config.events[e].pinned;
		event->attr.freq = config.events[e].freq;
		if (config.events[e].read)
			event->attr.sample_type = PERF_SAMPLE_READ;
		own->event = event;
		own->public.uses_shared_filter = config.events[e].filtered;
		own->public.shared_filter = filter_of(e);
		INIT_LIST_HEAD(&own->node);
		own->public.captures = config.capture && !config.others_capture &&
				       is_sampling_event(event) && config.events[e].read;
	}
}
