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

/*
 * Software events
 */

static int software_add(struct perf_event *event, int flags)
{
	return 0;
}

static void software_change(struct perf_event *event, int flags)
{
}

static void software_read(struct perf_event *event)
{
}

static void software_start_txn(struct pmu *pmu, unsigned int flags)
{
}

static int software_commit_txn(struct pmu *pmu)
{
	return 0;
}

static struct pmu software = {
	.add = software_add,
	.del = software_change,
	.start = software_change,
	.stop = software_change,
	.read = software_read,
	.start_txn = software_start_txn,
	.commit_txn = software_commit_txn,
};

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

unsigned int existing(unsigned int bit)
{
	if (bit >= config.counters)
		broke("there is no counter %d", (int)bit);

	return bit;
}

struct perf_event *next_sibling(struct perf_event *leader, struct perf_event *event)
{
	while (++event < w.events + config.num_events)
		if (event->group_leader == leader)
			return event;

	return NULL;
}

static raw_spinlock_t *context_lock(void)
{
	return &w.contexts[this_cpu].lock;
}

/*
 * Scheduling
 */

static void log_throttle(struct perf_event *event, bool begins)
{
	event->hw.interrupts = begins ? MAX_INTERRUPTS : 0;
	/* In 6.9 and newer, the driver has to restart members itself. */
	truth_of(event)->throttled = begins && (is_leader(event) || !SINCE(6, 9));
}

static void disable_pmu(void)
{
	if (!w.disabled++)
		pmu->pmu_disable(pmu);
}

static void enable_pmu(void)
{
	if (!--w.disabled)
		pmu->pmu_enable(pmu);
}

static void event_sched_out(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;

	disable_pmu();
	event->pmu->del(event, 0);
	event->oncpu = -1;
	event->state = PERF_EVENT_STATE_INACTIVE;
	enable_pmu();
}

static void group_sched_out(struct perf_event *leader)
{
	struct perf_event *event;

	disable_pmu();
	for_each_member(event, leader)
		event_sched_out(event);
	enable_pmu();
}

static bool event_sched_in(struct perf_event *event)
{
	struct truth *truth = truth_of(event);
	bool added;

	if (event->state <= PERF_EVENT_STATE_OFF)
		return true;

	/* The driver resets the number of samples of events that count. */
	truth->samples = MAX_SAMPLES_PER_TICK;
	truth->since_reset = 0;
	event->oncpu = this_cpu;
	event->state = PERF_EVENT_STATE_ACTIVE;
	if (event->hw.interrupts == MAX_INTERRUPTS)
		log_throttle(event, false);
	added = !event->pmu->add(event, PERF_EF_START);
	if (!added) {
		event->state = PERF_EVENT_STATE_INACTIVE;
		event->oncpu = -1;
	}

	return added;
}

static bool group_sched_in(struct perf_event *leader)
{
	struct perf_event *event;
	bool added = true;

	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	for_each_member(event, leader)
		added = added && event_sched_in(event);
	if (added && !pmu->commit_txn(pmu))
		return true;

	group_sched_out(leader);
	pmu->cancel_txn(pmu);

	return false;
}

static void sched_out(bool pinned)
{
	struct perf_event *event;

	for_each_event(event)
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

/* All of the same priority and of lower ones start anew. */
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
	w.first_group++;
	resched(false);
}

static void enable(struct perf_event *event, u32 amount)
{
	if (event->state != PERF_EVENT_STATE_OFF && event->state != PERF_EVENT_STATE_ERROR)
		return;

	event->state = PERF_EVENT_STATE_INACTIVE;
	truth_of(event)->apart |= !is_leader(event);
	if (is_leader(event) || event->group_leader->state == PERF_EVENT_STATE_ACTIVE)
		resched(event->group_leader->attr.pinned);
}

static void disable(struct perf_event *event, u32 amount)
{
	if (event->state < PERF_EVENT_STATE_INACTIVE)
		return;

	truth_of(event)->apart |= !is_leader(event);
	if (SINCE(6, 2))
		disable_pmu();
	if (is_leader(event))
		group_sched_out(event);
	else
		event_sched_out(event);
	event->state = PERF_EVENT_STATE_OFF;
	if (SINCE(6, 2))
		enable_pmu();
}

/* The siblings of a leader that is closed become groups of their own. */
static void close_event(struct perf_event *event, u32 amount)
{
	struct perf_event *sibling, *next;

	truth_of(event)->apart = true;
	event_sched_out(event);
	event->state = PERF_EVENT_STATE_DEAD;
	for (sibling = event; sibling; sibling = next) {
		next = next_sibling(event, sibling);
		sibling->attr.pinned = event->attr.pinned;
		truth_of(sibling)->disturbed = w.now;
		truth_of(sibling)->apart = true;
		sibling->group_leader = sibling;
	}
}

/*
 * Sampling
 */

/* perf wants to know the count of this event only. */
static void stop_to_update(struct perf_event *event)
{
	truth_of(event)->counts = false;
	truth_of(event)->apart = true;
	event->pmu->stop(event, PERF_EF_UPDATE);
	disturb_group(event);
}

static void throttle_group(struct perf_event *leader)
{
	struct perf_event *event;

	for_each_member(event, leader) {
		if (event->state != PERF_EVENT_STATE_ACTIVE)
			continue;
		log_throttle(event, true);
		truth_of(event)->counts = false;
		event->pmu->stop(event, 0);
	}
}

/* @running does, or will be started by the caller. */
static void unthrottle_group(struct perf_event *leader, const struct perf_event *running)
{
	struct perf_event *event;

	for_each_member(event, leader) {
		if (event->state != PERF_EVENT_STATE_ACTIVE)
			continue;
		log_throttle(event, false);
		truth_of(event)->since_reset = 0;
		if (event != running)
			event->pmu->start(event, 0);
	}
}

/* Frequencies change without reason. */
static void adjust_period(struct hw_perf_event *hw)
{
	hw->sample_period = 1 + hw->sample_period * 5 % 61;
}

static int account_interrupt(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	int ret = 0;

	/* It may have been throttled with its group before this sample was made. */
	if (hw->interrupts == MAX_INTERRUPTS)
		truth_of(event)->since_reset = 0;
	if (w.throttled_seq != hw->interrupts_seq) {
		hw->interrupts_seq = w.throttled_seq;
		hw->interrupts = 1;
	} else {
		hw->interrupts++;
	}
	rule_rate(event, hw->interrupts >= MAX_SAMPLES_PER_TICK);
	if (hw->interrupts >= MAX_SAMPLES_PER_TICK) {
		if (throttles_groups) {
			throttle_group(event->group_leader);
		} else {
			log_throttle(event, true);
			truth_of(event)->apart = true;
		}
		truth_of(event)->counts = false;
		ret = 1;
	}
	if (event->attr.freq)
		adjust_period(hw);

	return ret;
}

int arm_syspmu_perf_overflow(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	int ret = account_interrupt(event);
	u64 counts[MAX_EVENTS] = {};
	struct perf_event *member;

	for_each_member(member, event->group_leader) {
		if (!event->attr.sample_type)
			break;
		if (member != event && member->state == PERF_EVENT_STATE_ACTIVE)
			member->pmu->read(member);
		point();
		counts[index_of(member)] = member->count.value;
	}
	rule_sample(event, counts, data->period);

	return ret;
}

/* In 6.12, the tick only looks at the leaders of groups. */
static void tick_event(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (event->state != PERF_EVENT_STATE_ACTIVE || event->cpu != (int)this_cpu)
		return;
	if (!is_leader(event) && SINCE(6, 9))
		return;

	if (hw->interrupts == MAX_INTERRUPTS && throttles_groups) {
		unthrottle_group(event, event->attr.freq ? event : NULL);
	} else if (hw->interrupts == MAX_INTERRUPTS) {
		log_throttle(event, false);
		if (!event->attr.freq || !SINCE(6, 9))
			event->pmu->start(event, 0);
	}
	if (event->attr.freq) {
		stop_to_update(event);
		adjust_period(hw);
		if (local64_read(&hw->period_left) > 8 * (s64)hw->sample_period)
			local64_set(&hw->period_left, 0);
		event->pmu->start(event, PERF_EF_RELOAD);
	}
}

/* Done by an interrupt of this CPU as soon as these are enabled */
void arm_syspmu_perf_disable(struct perf_event *event)
{
	if (!w.write_failed)
		broke("event %u is disabled, though its counter can be set", index_of(event));
	truth_of(event)->pending_disable = true;
}

static void disable_pending(void)
{
	struct perf_event *event;

	for_each_event(event) {
		if (!truth_of(event)->pending_disable)
			continue;
		truth_of(event)->pending_disable = false;
		raw_spin_lock(context_lock());
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			disable(event, 0);
		disturb_group(event);
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
	for_each_event(event)
		tick_event(event);
	enable_pmu();
	raw_spin_unlock(context_lock());
}

/* PERF_EVENT_IOC_PERIOD */
static void set_period(struct perf_event *event, u32 amount)
{
	bool active = event->state == PERF_EVENT_STATE_ACTIVE;

	if (!is_sampling_event(event) || event->attr.freq || !amount)
		return;

	event->hw.sample_period = amount;
	if (active) {
		disable_pmu();
		if (event->hw.interrupts == MAX_INTERRUPTS && !throttles_groups)
			log_throttle(event, false);
		stop_to_update(event);
	}
	local64_set(&event->hw.period_left, 0);
	truth_of(event)->sampled = truth_of(event)->counted;
	if (active) {
		event->pmu->start(event, PERF_EF_RELOAD);
		if (event->hw.interrupts == MAX_INTERRUPTS)
			unthrottle_group(event->group_leader, event);
		enable_pmu();
	}
}

/*
 * Reading
 */

/* Another CPU reads, by an interrupt of the CPU of the events. */
static void read_group(struct perf_event *event, u32 amount)
{
	struct perf_event *leader = event->group_leader;
	u64 least[MAX_EVENTS];
	unsigned int e;

	if (leader->oncpu != (int)this_cpu)
		return;

	for (e = 0; e < config.num_events; e++)
		least[e] = w.truth[e].counted;
	w.reader.event = index_of(leader);
	w.reader.since = hw_new_instant(0);
	leader->pmu->start_txn(leader->pmu, PERF_PMU_TXN_READ);
	w.reader.pending = w.core.source != ARM_SYSPMU_COUNTERS;
	if (leader->hw.idx >= 0 && !w.reader.pending && config.capture &&
	    !w.captured_by_others && is_bound())
		broke("the group of event %u is not captured", index_of(leader));
	for_each_member(event, leader)
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			event->pmu->read(event);
	leader->pmu->commit_txn(leader->pmu);
	for_each_member(event, leader)
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			rule_read(event, least[index_of(event)]);
	/* The PMU of the leader may not capture. */
	if (!w.reader.pending)
		disturb_group(leader);
}

/* The other CPU takes the lock of the context to copy the counts. */
static void copy_counts(struct perf_event *event, u32 amount)
{
	struct perf_event *leader = &w.events[w.reader.event];
	u64 counts[MAX_EVENTS];
	unsigned int e;

	if (!w.reader.pending || leader->ctx->lock.held)
		return;

	w.reader.pending = false;
	for (e = 0; e < config.num_events; e++)
		counts[e] = w.events[e].count.value;
	if (truth_of(leader)->disturbed < w.reader.since)
		rule_group(leader, counts, w.reader.since, 0);
}

/* Within an operation, what has been counted may not have been added yet. */
static void read_event(struct perf_event *event, u32 amount)
{
	u64 least = w.points ? 0 : truth_of(event)->counted;

	if (event->oncpu != (int)this_cpu)
		return;

	event->pmu->read(event);
	rule_read(event, least);
	disturb_group(event);
}

/* A BPF program reads an event of its CPU. */
static void read_in_nmi(struct perf_event *event, u32 amount)
{
	if (w.in_nmi)
		return;

	w.in_nmi = true;
	read_event(event, 0);
	w.in_nmi = false;
}

/*
 * Interrupts and timers
 */

/* As in irq.c */
static bool handle(void)
{
	bool any = false;

	w.in_handler = true;
	if (arm_syspmu_acquire(&w.core)) {
		any = arm_syspmu_handle_overflows(&w.core);
		arm_syspmu_release_unused(&w.core);
	}
	w.in_handler = false;

	return any;
}

static void interrupt(struct perf_event *event, u32 amount)
{
	if (!hw_asserts_interrupt())
		return;

	w.latched = false;
	if (handle() && config.delivery == ARM_SYSPMU_MSI)
		w.core.msi_works = true;
}

static void poll(struct perf_event *event, u32 amount)
{
	struct hrtimer *timer = &w.core.poll;

	if (!timer->queued)
		return;

	timer->queued = false;
	if (handle() && config.delivery == ARM_SYSPMU_MSI)
		w.core.msi_works = false;
	if (!timer->queued && arm_syspmu_polls(&w.core) && !w.core.gone && w.core.enabled[0])
		hrtimer_start(timer, arm_syspmu_poll_interval(&w.core),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/* A CPU may be idle, and have no tick. */
static void end_jiffy(struct perf_event *event, u32 amount)
{
	struct hrtimer *timer = &w.core.unthrottle;

	jiffies++;
	for_each_event(event) {
		truth_of(event)->samples = 0;
		truth_of(event)->since_reset = 0;
	}
	if (amount & 1)
		arm_syspmu_perf_tick();
	if (amount & 2 && timer->queued) {
		timer->queued = false;
		timer->function(timer);
	}
}

/* By a sampling event of the group that is of another PMU */
static void throttle_from_outside(struct perf_event *event, u32 amount)
{
	if (!throttles_groups)
		return;

	throttle_group(event->group_leader);
	w.tick_due = true;
}

/* PERF_EVENT_IOC_PERIOD of that event: only its PMU is disabled. */
static void unthrottle_from_outside(struct perf_event *event, u32 amount)
{
	if (!throttles_groups || event->group_leader->hw.interrupts != MAX_INTERRUPTS)
		return;

	for_each_member(event, event->group_leader)
		truth_of(event)->apart = true;
	event = w.events + w.step.which % config.num_events;
	disturb_group(event);
	unthrottle_group(event->group_leader, NULL);
	disturb_group(event);
}

/*
 * CPU hotplug: perf migrates the events one after another. One that is opened
 * meanwhile is opened on the new CPU, or all are.
 */
static void move(struct perf_event *opened, u32 amount)
{
	unsigned int from = this_cpu, to = !from;
	struct perf_event *event, *member;

	w.core.cpu = to;
	arm_syspmu_begin_moving(&w.core);
	this_cpu = to;
	for_each_event(event) {
		if (!is_leader(event) || event->state != PERF_EVENT_STATE_OFF ||
		    (event != opened && !(amount & 1)))
			continue;
		for_each_member(member, event)
			member->cpu = to;
		enable(event, 0);
	}
	this_cpu = from;
	raw_spin_lock(context_lock());
	for_each_event(event)
		if (event->cpu == (int)from)
			event_sched_out(event);
	raw_spin_unlock(context_lock());
	this_cpu = to;
	raw_spin_lock(context_lock());
	for_each_event(event) {
		event->cpu = to;
		event->ctx = &w.contexts[to];
	}
	for_each_event(event)
		if (is_leader(event) && event->state == PERF_EVENT_STATE_INACTIVE)
			resched(event->attr.pinned);
	raw_spin_unlock(context_lock());
	arm_syspmu_place_waiting(&w.core);
}

static void suspend(struct perf_event *event, u32 amount)
{
	if (w.core.suspended)
		return;

	arm_syspmu_suspend_counters(&w.core);
	if (!w.core.gone)
		arm_syspmu_handle_overflows(&w.core);
	arm_syspmu_suspend_events(&w.core);
	if (w.core.gone || amount % 4 == 3)
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
	[END_JIFFY] = { "end-jiffy", 9, 0, end_jiffy },
	[THROTTLE] = { "throttle", 5, 0, throttle_from_outside },
	[UNTHROTTLE] = { "unthrottle", 9, 0, unthrottle_from_outside },
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

static void setup_event(unsigned int e)
{
	const struct event_config *c = &config.events[e];
	struct perf_event *event = &w.events[e];
	struct arm_syspmu_core_event *own = &w.own[e];
	bool leads = c->leader == e, counts = c->source != SOFTWARE;

	*event = (struct perf_event){
		.pmu = counts ? pmu : &software,
		.pmu_private = counts ? own : NULL,
		.group_leader = leads ? event : w.events[c->leader].group_leader,
		.ctx = &w.contexts[0],
		.state = leads ? PERF_EVENT_STATE_OFF : PERF_EVENT_STATE_INACTIVE,
		.oncpu = -1,
		.attr.pinned = config.events[c->leader].pinned,
		.attr.freq = c->freq,
		.attr.sample_type = c->read ? PERF_SAMPLE_READ : 0,
		.hw.idx = -1,
		.hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE,
		.hw.sample_period = c->period,
		.hw.last_period = c->period,
		.hw.period_left.value = c->period,
	};
	own->event = event;
	/* Two groups can have different filters. */
	own->public.uses_shared_filter = c->filtered;
	own->public.shared_filter = c->filtered ? 1 + c->leader % 2 : 0;
	own->public.captures = config.capture && !config.others_capture && c->period && c->read;
	INIT_LIST_HEAD(&own->node);
}

void perf_setup(void)
{
	unsigned int e;

	memset(&w, 0, sizeof(w));
	jiffies = 1000;
	this_cpu = 0;
	w.pmu = (struct arm_syspmu){
		.core = &w.core,
		.ops = hw_ops(),
		.num_counters = config.counters,
		.counter_bits = config.bits,
		.can_capture = config.capture,
		.others_capture = config.others_capture,
		.one_signal = config.one_signal,
		.has_msi = config.delivery == ARM_SYSPMU_MSI,
	};
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
	hw_reset();
	for (e = 0; e < config.num_events; e++)
		setup_event(e);
}
