// SPDX-License-Identifier: GPL-2.0
/*
 * The abstract PMU. Events of a source are counted by all counters that are
 * enabled and programmed for it. The overflow of a counter can capture all
 * counters. A counter that is stopped can count some more events.
 */

#include "explore.h"

static u64 mask(void)
{
	return GENMASK_ULL(config.bits - 1, 0);
}

u64 arm_syspmu_counter_mask(const struct arm_syspmu *pmu, unsigned int idx)
{
	return mask();
}

u64 arm_syspmu_narrowest_counter(const struct arm_syspmu *pmu)
{
	return mask();
}

unsigned int hw_status(void)
{
	unsigned int idx, status = 0;

	for (idx = 0; idx < config.counters; idx++)
		status |= w.hw[idx].status << idx;

	return status;
}

bool hw_asserts_interrupt(void)
{
	if (!is_bound() || config.delivery >= ARM_SYSPMU_TIMER)
		return false;

	return config.delivery == ARM_SYSPMU_MSI || config.edge ? w.latched : hw_status();
}

static void capture(void)
{
	struct hw_counter *counter;

	for_each_counter(counter)
		counter->shadow = counter->value;
}

/* Another agent captures. */
void hw_capture(struct perf_event *event, u32 amount)
{
	if (!config.others_capture)
		return;

	capture();
	w.captured_by_others = true;
	w.cannot_capture = amount % 8 == 7;
}

/*
 * Counting
 */

/* A handler is never later than this after an overflow, nor does an operation take longer. */
static u64 margin(void)
{
	return mask() / (config.delivery == ARM_SYSPMU_TIMER ? 4 : 16) - config.late;
}

static bool counts(const struct hw_counter *counter, unsigned int source)
{
	return counter->enabled && counter->source == source;
}

/* Returns how many events can occur before the handler of an overflow would be too late. */
static u64 allowed_by(const struct hw_counter *counter)
{
	bool samples = is_sampling_event(&w.events[counter->event]);
	u64 most = margin(), since = counter->since_status;

	if (samples && !w.write_failed) {
		most = mask() / 2 - 1 - config.late;
	} else if (!w.points && config.delivery != ARM_SYSPMU_WIRED && !config.capture &&
		   !samples && counter->since_read < since) {
		/*
		 * A message may be lost, and the timer late: once a read has noticed the
		 * overflow, others notice further ones.
		 */
		most = mask() / 4 * 3;
		since = counter->since_read;
	}

	return most > since ? most - since : 0;
}

/* Far fewer than let the lower half of a counter carry that has just overflowed */
#define MAX_EVENTS_BETWEEN	1000ULL

/* Returns how many of @amount events occur before anything else does. */
static u64 next_events(unsigned int source, u64 amount)
{
	const struct hw_counter *counter;

	/* A hypervisor may run something else while an event is read. */
	if (w.points && w.step.what != READ_EVENT)
		amount = min(amount, margin() - w.occurred[source]);
	if (w.between_halves)
		amount = min(amount, MAX_EVENTS_BETWEEN);
	if (hw_status() && config.capture)
		amount = min(amount, mask() / 4 - w.pending[source]);
	for_each_counter(counter) {
		if (!counts(counter, source))
			continue;
		amount = min(amount, mask() - counter->value + 1 ?: U64_MAX);
		if (counter->status)
			amount = min(amount, allowed_by(counter));
	}

	return amount;
}

/* Notes what the events have counted by now. */
int hw_new_instant(u8 captured)
{
	unsigned int e;

	w.now++;
	for (e = 0; e < config.num_events; e++)
		w.log[w.now].counts[e] = w.truth[e].counted;
	w.log[w.now].captured = captured;

	return w.now;
}

void hw_forget_instants(void)
{
	unsigned int e;

	w.now = 0;
	hw_new_instant(0);
	for (e = 0; e < config.num_events; e++) {
		w.truth[e].overflow = w.now;
		w.truth[e].handled = w.now;
		w.truth[e].disturbed = 0;
	}
}

static void set_status(struct hw_counter *counter)
{
	if (!counter->status && (!config.one_signal || !hw_status())) {
		w.latched |= !w.message_lost;
		w.message_lost = false;
	}
	if (!counter->status)
		counter->since_status = 0;
	counter->status = true;
}

/* Adds events of which none but the last lets a counter overflow, except late ones. */
static void add_events(unsigned int source, u64 amount)
{
	struct hw_counter *counter;
	u8 captured = 0;
	u64 n;

	for_each_counter(counter) {
		n = counter->enabled ? amount : min_t(u64, amount, counter->draining);
		if (counter->source != source || !n)
			continue;
		counter->value = (counter->value + n) & mask();
		counter->since_status += n;
		counter->since_read += n;
		if (counter->enabled) {
			w.truth[counter->event].counted += n;
		} else {
			counter->draining -= n;
			w.truth[counter->event].late += n;
		}
		if (counter->value >= n)
			continue;
		if (counter->enabled)
			w.truth[counter->event].overflow = w.now + 1;
		captured |= counter->captures ? U8_MAX : 0;
		set_status(counter);
	}
	hw_new_instant(captured);
	if (captured)
		capture();
}

static bool is_counted(unsigned int e)
{
	const struct hw_counter *counter;

	for_each_counter(counter)
		if (counter->enabled && counter->event == (int)e)
			return true;

	return false;
}

/* A group starts and stops at one instant: its events count the same. */
static bool are_twins(unsigned int a, unsigned int b)
{
	return !config.late && !w.write_failed &&
	       w.events[a].group_leader == w.events[b].group_leader &&
	       config.events[a].source == config.events[b].source &&
	       !w.truth[a].apart && !w.truth[b].apart;
}

void hw_count(struct perf_event *event, u32 number)
{
	unsigned int source = config.events[index_of(event)].source, e, other;
	u64 amount = number ?: 1ULL << 32, n = w.halted ? 0 : next_events(source, amount);

	for (e = 0; n && e < config.num_events; e++) {
		if (config.events[e].source != source || is_counted(e))
			continue;
		w.truth[e].missed += n;
		for (other = 0; other < config.num_events; other++)
			if (are_twins(e, other) && is_counted(other))
				broke("event %u counts without event %u of its group", other, e);
	}
	while (n && !w.gone && w.now + 1 < MAX_LOG) {
		if (hw_status())
			w.pending[source] += n;
		w.occurred[source] += n;
		add_events(source, n);
		amount = number ? amount - n : 0;
		n = next_events(source, amount);
	}
}

/*
 * Registers
 */

static void access_register(void)
{
	struct hw_counter *counter;

	point();
	if (w.core.suspended)
		broke("a register is accessed after the PMU was unbound");
	for_each_counter(counter)
		if (counter->accesses < U8_MAX)
			counter->accesses++;
}

static bool write_register(int event)
{
	access_register();
	w.halted = config.halts;
	w.write_failed |= w.write_fails;
	w.truth[event].failed |= w.write_fails;

	return !w.write_fails;
}

static int hw_program(struct arm_syspmu *pmu, const struct perf_event *event)
{
	struct hw_counter *counter = &w.hw[event->hw.idx];
	const struct arm_syspmu_event *own = event->pmu_private;

	if (!write_register(index_of(event)))
		return -EIO;
	if (counter->enabled)
		broke("counter %d is programmed while it counts", event->hw.idx);
	counter->event = index_of(event);
	counter->captures = own->captures;
	if (own->uses_shared_filter)
		w.filter = own->shared_filter;
	rule_filter();

	return 0;
}

/* The handler reads a sampled counter directly before it sets it. */
#define MAX_ACCESSES_BETWEEN	5

static void lose(struct hw_counter *counter)
{
	unsigned int e = counter->event;
	u64 known;
	int i;

	if (!counter->enabled || !counter->since_read)
		return;
	known = w.truth[e].counted - counter->since_read;
	if (counter->accesses > MAX_ACCESSES_BETWEEN)
		broke("counter of event %u is set %u accesses after it was read", e,
		      counter->accesses);
	w.truth[e].counted = known;
	for (i = w.now; i && (s64)(w.log[i].counts[e] - known) > 0; i--)
		w.log[i].counts[e] = known;
}

/* Wide counters are written in halves, the upper one first; a late event may carry between. */
static int hw_write_counter(struct arm_syspmu *pmu, unsigned int idx, u64 value)
{
	struct hw_counter *counter = &w.hw[idx];
	u64 upper = mask() & ~(u64)U32_MAX;

	if (!write_register(counter->event))
		return -EIO;
	if (upper) {
		counter->value = (value & upper) | (counter->value & ~upper);
		w.between_halves = true;
		access_register();
		w.between_halves = false;
	}
	lose(counter);
	counter->value = (counter->value & upper) | (value & mask() & ~upper);
	counter->since_read = 0;
	counter->was_set = w.in_handler;

	return 0;
}

/* Other PMUs can be written while they count. */
static void hw_end_write(struct arm_syspmu *pmu)
{
	access_register();
	w.halted = false;
}

static u64 hw_read_counter(struct arm_syspmu *pmu, unsigned int idx)
{
	access_register();
	w.hw[idx].since_read = 0;
	w.hw[idx].accesses = 0;

	return observe(w.gone ? U64_MAX : w.hw[idx].value);
}

static bool hw_software_capture(struct arm_syspmu *pmu, const unsigned long *counters)
{
	const struct perf_event *event;

	access_register();
	if (w.cannot_capture) {
		/* The counts of the group are read one after another. */
		if (w.in_handler)
			disturb_group(&w.events[w.reader.event]);
		return false;
	}
	capture();
	w.log[w.now].captured |= 1U << w.reader.event;
	/* It was too soon to save what an overflow has captured since the operation began. */
	for_each_event(event)
		if (truth_of(event)->overflow > w.began)
			w.log[w.now].captured |= 1U << index_of(event->group_leader);

	return true;
}

static u64 hw_read_captured(struct arm_syspmu *pmu, unsigned int idx)
{
	access_register();
	if (!config.capture)
		broke("there is no shadow of counter %u", idx);

	return observe(w.gone ? U64_MAX : w.hw[idx].shadow);
}

static void hw_enable_counters(struct arm_syspmu *pmu, const unsigned long *counters)
{
	struct hw_counter *counter;
	struct truth *truth;
	unsigned int idx;

	access_register();
	for_each_set_bit(idx, counters, config.counters) {
		counter = &w.hw[idx];
		if (counter->event < 0)
			broke("counter %u is enabled, but not programmed", idx);
		counter->enabled = true;
		rule_filter();
		counter->source = config.events[counter->event].source;
		counter->draining = 0;
		counter->since_read = 0;
		truth = &w.truth[counter->event];
		truth->started = truth->counted;
		/* Overflows are pending that have captured it before it was stopped. */
		if (truth->apart)
			disturb_group(&w.events[counter->event]);
	}
}

static void hw_disable_counters(struct arm_syspmu *pmu, const unsigned long *counters)
{
	unsigned int idx;

	access_register();
	for_each_set_bit(idx, counters, config.counters) {
		if (w.hw[idx].enabled)
			w.hw[idx].draining = config.late;
		w.hw[idx].enabled = false;
	}
}

static void hw_read_overflows(struct arm_syspmu *pmu, unsigned long *counters)
{
	struct hw_counter *counter;

	access_register();
	/* Nothing tells whether another one captured it before it was set. */
	for_each_counter(counter)
		if (counter->was_set && counter->status && !counter->captures)
			disturb_group(&w.events[counter->event]);
	counters[0] = observe(w.gone ? U64_MAX : hw_status());
}

static void hw_clear_overflows(struct arm_syspmu *pmu, const unsigned long *counters)
{
	struct truth *truth;
	unsigned int idx;

	access_register();
	for (idx = 0; idx < config.counters && !w.core.frozen; idx++)
		w.hw[idx].was_set = false;
	for_each_set_bit(idx, counters, config.counters) {
		w.hw[idx].status = false;
		/* While samples are made, no sample is made of further overflows. */
		truth = w.hw[idx].event < 0 || w.core.frozen ? NULL : &w.truth[w.hw[idx].event];
		if (truth)
			truth->handled = truth->overflow;
	}
	if (!hw_status())
		memset(w.pending, 0, sizeof(w.pending));
}

static bool hw_is_present(struct arm_syspmu *pmu)
{
	access_register();

	return !observe(w.gone);
}

/* A device that has lost its registers while it was idle */
static bool hw_is_enabled(struct arm_syspmu *pmu)
{
	return hw_is_present(pmu) && !w.was_reset;
}

static void hw_arm(struct arm_syspmu *pmu, bool interrupt)
{
	access_register();
	w.was_reset = false;
}

static void hw_write_resets(struct arm_syspmu *pmu)
{
	access_register();
	hw_reset();
}

/* Both an event that is added and one that is only asked for come here. */
static unsigned int hw_choose_counter(struct arm_syspmu *pmu, const struct perf_event *event,
				      int preferred, const unsigned long *taken)
{
	unsigned int first = config.special && !config.events[index_of(event)].source;
	unsigned int idx = find_next(~taken[0], first, config.counters);

	point();
	if (preferred >= 0 && (idx || !config.special) && !test_bit(preferred, taken))
		return preferred;

	return idx;
}

const struct arm_syspmu_ops *hw_ops(void)
{
	static struct arm_syspmu_ops ops = {
		.reset = hw_write_resets,
		.arm = hw_arm,
		.is_enabled = hw_is_enabled,
		.program = hw_program,
		.write_counter = hw_write_counter,
		.end_write = hw_end_write,
		.read_counter = hw_read_counter,
		.capture = hw_software_capture,
		.read_captured = hw_read_captured,
		.enable_counters = hw_enable_counters,
		.disable_counters = hw_disable_counters,
		.read_overflows = hw_read_overflows,
		.clear_overflows = hw_clear_overflows,
		.is_present = hw_is_present,
	};

	ops.choose_counter = config.chooses ? hw_choose_counter : NULL;

	return &ops;
}

/* What a reset leaves: the counters have any value. */
void hw_reset(void)
{
	unsigned int idx;

	for (idx = 0; idx < config.counters; idx++) {
		w.hw[idx] = (struct hw_counter){
			/* The lower half of a wide counter may carry, too. */
			.value = (idx * 29ULL - config.start) &
				 (mask() >> (config.bits > 32 && idx % 2)),
			.event = -1,
		};
	}
	w.latched = false;
	w.halted = false;
	memset(w.pending, 0, sizeof(w.pending));
}
