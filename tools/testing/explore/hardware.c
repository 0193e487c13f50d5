// SPDX-License-Identifier: GPL-2.0
/*
 * The abstract PMU. Events of a source are counted by all counters that are
 * enabled and programmed for it. The overflow of a counter can capture all
 * counters. A counter that is stopped can count some more events.
 */

#include "explore.h"

static u64 mask_of_counters(void)
{
	return GENMASK_ULL(config.bits - 1, 0);
}

u64 arm_syspmu_counter_mask(const struct arm_syspmu *pmu, unsigned int idx)
{
	return mask_of_counters();
}

u64 arm_syspmu_narrowest_counter(const struct arm_syspmu *pmu)
{
	return mask_of_counters();
}

static unsigned int status_of_all(void)
{
	unsigned int idx, status = 0;

	for (idx = 0; idx < config.counters; idx++)
		status |= w.hw[idx].status << idx;

	return status;
}

bool hw_asserts_interrupt(void)
{
	if (w.gone || config.delivery == ARM_SYSPMU_TIMER)
		return false;

	return config.delivery == ARM_SYSPMU_MSI || config.edge ? w.latched : status_of_all();
}

static void capture(void)
{
	unsigned int idx;

	for (idx = 0; idx < config.counters; idx++)
		w.hw[idx].shadow = w.hw[idx].value;
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
	return mask_of_counters() / (config.delivery == ARM_SYSPMU_TIMER ? 4 : 16) - config.late;
}

static u64 latest(const struct hw_counter *counter)
{
	if (counter->event >= 0 && is_sampling_event(&w.events[counter->event]) && !w.write_failed)
		return mask_of_counters() / 2 - 1 - config.late;

	return margin();
}

static bool counts(const struct hw_counter *counter, unsigned int source)
{
	return counter->enabled && counter->event >= 0 &&
	       config.events[counter->event].source == source;
}

/* Returns how many events can occur before an interrupt would be too late. */
static u64 allowed(unsigned int source)
{
	const struct hw_counter *counter;
	u64 least = w.points ? margin() - w.occurred[source] : U64_MAX, late;

	if (status_of_all() && config.capture)
		least = min(least, mask_of_counters() / 4 - w.pending[source]);

	for (counter = w.hw; counter < w.hw + config.counters; counter++) {
		if (!counts(counter, source) || !counter->status)
			continue;
		late = latest(counter) - counter->since_status;
		/*
		 * A message may be lost, and the timer late: once a read has noticed
		 * the overflow, others notice further ones.
		 */
		if (!w.points && config.delivery == ARM_SYSPMU_MSI && !config.capture &&
		    !is_sampling_event(&w.events[counter->event]) &&
		    counter->since_read < counter->since_status)
			late = mask_of_counters() / 4 * 3 - counter->since_read;
		least = min_t(u64, least, max_t(s64, late, 0));
	}

	return least;
}

static u64 until_overflow(unsigned int source)
{
	const struct hw_counter *counter;
	u64 least = U64_MAX;

	for (counter = w.hw; counter < w.hw + config.counters; counter++)
		if (counts(counter, source))
			least = min(least, ((mask_of_counters() - counter->value) &
					    mask_of_counters()) + 1 ?: U64_MAX);

	return least;
}

static void new_instant(bool captured)
{
	unsigned int e;

	if (w.now + 1 == MAX_LOG)
		forget_instants();
	if (w.now + 1 < MAX_LOG)
		w.now++;
	for (e = 0; e < config.num_events; e++)
		w.log[w.now].counts[e] = w.truth[e].counted;
	w.log[w.now].captured = captured;
}

static void set_status(struct hw_counter *counter)
{
	if (!counter->status && (!config.one_signal || !status_of_all())) {
		w.latched |= !w.message_lost;
		w.message_lost = false;
	}
	if (!counter->status)
		counter->since_status = 0;
	counter->status = true;
}

/* Adds events of which none but the last lets a counter overflow. */
static void count_chunk(unsigned int source, u64 amount)
{
	struct hw_counter *counter;
	bool captured = false;
	u64 mask = mask_of_counters();
	unsigned int overflowed = 0;

	for (counter = w.hw; counter < w.hw + config.counters; counter++) {
		if (!counts(counter, source))
			continue;
		counter->value = (counter->value + amount) & mask;
		counter->since_status += amount;
		counter->since_read += amount;
		w.truth[counter->event].counted += amount;
		if (counter->value)
			continue;
		overflowed |= 1U << (counter - w.hw);
		captured |= counter->captures;
	}
	new_instant(captured);
	for (counter = w.hw; counter < w.hw + config.counters; counter++) {
		if (!(overflowed >> (counter - w.hw) & 1))
			continue;
		w.truth[counter->event].overflow = w.now;
		w.truth[counter->event].overflowed = true;
		set_status(counter);
	}
	if (captured)
		capture();
}

/* Counters that have been stopped count some more events. */
static void count_late(unsigned int source, u64 amount)
{
	struct hw_counter *counter;
	u64 late;

	for (counter = w.hw; counter < w.hw + config.counters; counter++) {
		if (!counter->draining || counter->drained_source != (int)source)
			continue;
		late = min_t(u64, amount, counter->draining);
		counter->draining -= late;
		w.stragglers += late;
		counter->value = (counter->value + late) & mask_of_counters();
		if (counter->value < late) {
			set_status(counter);
			if (counter->captures)
				capture();
		}
	}
}

static bool is_counted(unsigned int e)
{
	const struct hw_counter *counter;

	for (counter = w.hw; counter < w.hw + config.counters; counter++)
		if (counter->enabled && counter->event == (int)e)
			return true;

	return false;
}

void hw_count(struct perf_event *event, u32 least)
{
	unsigned int source = config.events[index_of(event)].source, e, other;
	u64 amount = least ?: min_t(u64, until_overflow(source), 1ULL << 32), chunk;

	if (w.gone)
		return;

	amount = min(amount, allowed(source));
	for (e = 0; amount && e < config.num_events; e++) {
		if (config.events[e].source != source)
			continue;
		if (!is_counted(e))
			w.truth[e].missed += amount;
		for (other = 0; other < e; other++)
			if (are_twins(e, other) && is_counted(e) != is_counted(other))
				broke("events %u and %u of a group are not both counted", other, e);
	}
	count_late(source, amount);
	while (amount) {
		chunk = min(amount, until_overflow(source));
		w.pending[source] += status_of_all() ? chunk : 0;
		count_chunk(source, chunk);
		w.occurred[source] += chunk;
		amount = min(amount - chunk, allowed(source));
	}
}

/*
 * Registers
 */

static void access_register(void)
{
	unsigned int idx;

	point();
	for (idx = 0; idx < config.counters; idx++)
		if (w.hw[idx].accesses < U8_MAX)
			w.hw[idx].accesses++;
}

static bool write_fails(void)
{
	w.write_failed |= w.write_fails;

	return w.write_fails;
}

static int hw_program(struct arm_syspmu *pmu, const struct perf_event *event)
{
	struct hw_counter *counter = &w.hw[event->hw.idx];
	const struct arm_syspmu_event *own = event->pmu_private;

	access_register();
	if (write_fails())
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
#define MAX_ACCESSES_BETWEEN	4

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
	for (i = w.now; i >= 0 && (s64)(w.log[i].counts[e] - known) > 0; i--)
		w.log[i].counts[e] = known;
}

static int hw_write_counter(struct arm_syspmu *pmu, unsigned int idx, u64 value)
{
	access_register();
	if (write_fails())
		return -EIO;
	lose(&w.hw[idx]);
	w.hw[idx].value = value & mask_of_counters();
	w.hw[idx].since_read = 0;
	w.hw[idx].was_set = w.in_handler;

	return 0;
}

static u64 hw_read_counter(struct arm_syspmu *pmu, unsigned int idx)
{
	u64 value;

	access_register();
	value = w.gone ? U64_MAX : w.hw[idx].value;
	w.hw[idx].since_read = 0;
	w.hw[idx].accesses = 0;
	observe(value);

	return value;
}

static bool hw_software_capture(struct arm_syspmu *pmu, const unsigned long *counters)
{
	unsigned int e;

	access_register();
	if (w.cannot_capture) {
		/* The counts of the group are read one after another. */
		w.reader.disturbed |= w.in_handler;
		return false;
	}
	capture();
	w.captured = w.now;
	for (e = 0; e < config.num_events; e++)
		if (w.truth[e].overflowed)
			w.truth[e].read = w.now;

	return true;
}

static u64 hw_read_captured(struct arm_syspmu *pmu, unsigned int idx)
{
	u64 value;

	access_register();
	value = w.gone ? U64_MAX : w.hw[idx].shadow;
	observe(value);

	return value;
}

static void hw_enable_counters(struct arm_syspmu *pmu, const unsigned long *counters)
{
	unsigned int idx, e;

	access_register();
	for_each_set_bit(idx, counters, config.counters) {
		if (w.hw[idx].event < 0)
			broke("counter %u is enabled, but not programmed", idx);
		w.hw[idx].enabled = true;
		rule_filter();
		w.hw[idx].draining = 0;
		w.hw[idx].since_read = 0;
		e = w.hw[idx].event;
		w.truth[e].started = w.truth[e].counted;
		/* Overflows are pending that have captured it before it was stopped. */
		if (w.truth[e].apart)
			disturb_group(&w.events[e]);
	}
}

static void hw_disable_counters(struct arm_syspmu *pmu, const unsigned long *counters)
{
	unsigned int idx;

	access_register();
	for_each_set_bit(idx, counters, config.counters) {
		if (!w.hw[idx].enabled)
			continue;
		w.hw[idx].enabled = false;
		w.hw[idx].draining = config.late;
		w.hw[idx].drained_source = config.events[w.hw[idx].event].source;
	}
}

static void hw_read_overflows(struct arm_syspmu *pmu, unsigned long *counters)
{
	struct hw_counter *counter;

	access_register();
	for (counter = w.hw; counter < w.hw + config.counters; counter++) {
		/* Nothing tells whether another one captured it before it was set. */
		if (counter->was_set && counter->status && !counter->captures)
			disturb_group(&w.events[counter->event]);
	}
	counters[0] = w.gone ? ~0UL : status_of_all();
	observe(counters[0]);
}

static void hw_clear_overflows(struct arm_syspmu *pmu, const unsigned long *counters)
{
	unsigned int idx;
	int overflow;

	access_register();
	for (idx = 0; idx < config.counters && !w.core.frozen; idx++)
		w.hw[idx].was_set = false;
	for_each_set_bit(idx, counters, config.counters) {
		w.hw[idx].status = false;
		/* While samples are made, no sample is made of further overflows. */
		if (w.hw[idx].event < 0 || w.core.frozen)
			continue;
		overflow = w.truth[w.hw[idx].event].overflow;
		w.truth[w.hw[idx].event].handled = overflow;
		w.oldest_handled = min(w.oldest_handled, overflow);
	}
	if (!status_of_all())
		memset(w.pending, 0, sizeof(w.pending));
}

static bool hw_is_present(struct arm_syspmu *pmu)
{
	access_register();
	observe(w.gone);

	return !w.gone;
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

static void hw_reset_registers(struct arm_syspmu *pmu)
{
	access_register();
	hw_reset();
}

/* Both an event that is added and one that is only asked for come here. */
static unsigned int hw_choose_counter(struct arm_syspmu *pmu, const struct perf_event *event,
				      int preferred, const unsigned long *taken)
{
	point();
	if (preferred >= 0 && !test_bit(preferred, taken))
		return preferred;

	return find_first_zero_bit(taken, config.counters);
}

const struct arm_syspmu_ops *hw_ops(void)
{
	static struct arm_syspmu_ops ops = {
		.reset = hw_reset_registers,
		.arm = hw_arm,
		.is_enabled = hw_is_enabled,
		.program = hw_program,
		.write_counter = hw_write_counter,
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
			.value = (idx * 29 - config.start) & mask_of_counters(),
			.event = -1,
		};
	}
	w.latched = false;
	memset(w.pending, 0, sizeof(w.pending));
}

void hw_setup(void)
{
	hw_reset();
}
