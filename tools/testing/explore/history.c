// SPDX-License-Identifier: GPL-2.0
/*
 * Histories: as text, how they are chosen at random, run, and made shorter.
 */

#include <stdlib.h>

#include "explore.h"

#define MAX_POINTS		5000
#define MAX_PLANNED		4

struct history history;

static const char * const names[NUM_WHAT] = {
	[ENABLE] = "enable", [DISABLE] = "disable", [CLOSE] = "close",
	[RESCHEDULE] = "reschedule", [ROTATE] = "rotate", [READ_GROUP] = "read-group",
	[READ_EVENT] = "read", [PERIOD] = "period", [INTERRUPT] = "interrupt",
	[POLL] = "poll", [TICK] = "tick", [UNTHROTTLE] = "unthrottle",
	[THROTTLE] = "throttle", [MOVE] = "move", [SUSPEND] = "suspend",
	[COUNT] = "count", [NMI] = "nmi", [COPY] = "copy",
	[CAPTURE] = "capture", [GO_AWAY] = "go-away", [LOSE_MSI] = "lose-msi",
	[FAIL_WRITE] = "fail-write", [RESET] = "reset",
};

static const char * const deliveries[] = {
	[ARM_SYSPMU_MSI] = "msi", [ARM_SYSPMU_WIRED] = "wired", [ARM_SYSPMU_TIMER] = "timer",
};

/*
 * Execution
 */

static bool running, choosing, hashing;
static unsigned int next, planned[MAX_PLANNED], num_planned;
static unsigned int usual_points[NUM_WHAT];
static u64 hash_after_step;

static u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;

	return hash ^ hash >> 29;
}

static u64 hash_of_world(void)
{
	const u64 *word = (const u64 *)&w, *end = (const u64 *)&w.log[w.now + 1];
	u64 hash = jiffies;

	while (word < end)
		hash = mix(hash, *word++);

	return hash;
}

/* Only the differences of counts matter for what follows. */
static void normalise(void)
{
	struct arm_syspmu_counter *counter;
	struct truth *truth;
	unsigned int e, idx;
	u64 count;
	int i;

	forget_instants();
	for (e = 0; e < config.num_events; e++) {
		truth = &w.truth[e];
		count = w.events[e].count.value;
		w.events[e].count.value = 0;
		w.events[e].hw.freq_count_stamp -= count;
		truth->seen -= count;
		truth->counted -= count;
		truth->started -= count;
		truth->base += truth->sampled - count;
		truth->sampled = 0;
		for (i = 0; i <= w.now; i++)
			w.log[i].counts[e] -= count;
		for (idx = 0; idx < config.counters; idx++)
			if (w.hw[idx].event == (int)e && w.hw[idx].status)
				break;
		if (idx < config.counters)
			continue;
		truth->overflow = 0;
		truth->handled = 0;
		truth->disturbed = -1;
		truth->read = -1;
	}
	for (idx = 0; idx < config.counters; idx++) {
		counter = &w.counters[idx];
		w.hw[idx].since_read = min_t(u64, w.hw[idx].since_read, 1);
		w.hw[idx].accesses = U8_MAX;
		if (!w.hw[idx].status)
			w.hw[idx].since_status = 0;
		if (config.bits == 64)
			continue;
		counter->value.value -= counter->acknowledged;
		counter->acknowledged = 0;
	}
	if (!w.reader.pending)
		memset(&w.reader, 0, sizeof(w.reader));
	w.trace = 0;
	w.points = 0;
	w.op = 0;
}

static void interfere(const struct step *step)
{
	switch (step->what) {
	case COUNT:
		hw_count(step->which, step->amount);
		break;
	case NMI:
		perf_nmi(step->which % config.num_events);
		break;
	case COPY:
		perf_copy();
		break;
	case CAPTURE:
		w.captured_by_others = config.others_capture;
		if (config.others_capture)
			hw_capture();
		w.cannot_capture = config.others_capture && step->amount;
		break;
	case GO_AWAY:
		w.gone = true;
		break;
	case LOSE_MSI:
		w.message_lost = config.delivery == ARM_SYSPMU_MSI;
		break;
	case FAIL_WRITE:
		w.write_fails = true;
		break;
	case RESET:
		/* One while an event is added is one while it counts: it stops, with a message. */
		if (w.core.used[0] || w.points)
			break;
		hw_reset();
		w.was_reset = true;
		break;
	}
}

static void operate(const struct step *step)
{
	rules_begin(step->what);
	w.points = 0;
	w.trace = 0;
	running = true;
	if (step->what < COUNT)
		perf_operation(step->what, step->which, step->amount);
	running = false;
	if (step->what < COUNT)
		usual_points[step->what] = w.points;
	w.points = 0;
	if (step->what >= COUNT)
		interfere(step);
	rules_end();
}

/* The end of each history: everything is handled, and all events are disabled. */
static void finish(void)
{
	struct step step = { .what = INTERRUPT };
	unsigned int e;

	operate(&step);
	step.what = COPY;
	operate(&step);
	step.what = DISABLE;
	for (e = 0; e < config.num_events; e++) {
		step.which = e;
		operate(&step);
	}
	rules_at_end();
}

/*
 * Random choice
 */

static u64 random_state;

static u64 choose(unsigned int n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;

	return (random_state >> 11) % n;
}

static void choose_config(void)
{
	static const u8 bits[] = { 8, 8, 8, 9, 9, 32, 64 };
	struct event_config *event;
	unsigned int e, leader, filters = !choose(4);

	config = (struct config){
		.counters = 2 + choose(3),
		.bits = bits[choose(ARRAY_SIZE(bits))],
		.late = choose(4) ? 0 : 3,
		.start = choose(200),
		.capture = choose(3),
		.one_signal = choose(2),
		.edge = choose(2),
		.delivery = choose(3),
		.num_events = 1 + choose(4),
		.chooses = choose(2),
	};
	config.others_capture = config.capture && !choose(4);
	/* The timer is for counters that overflow. */
	if (config.bits == 64 && config.delivery == ARM_SYSPMU_TIMER)
		config.delivery = ARM_SYSPMU_WIRED;
	for (e = 0; e < config.num_events; e++) {
		event = &config.events[e];
		leader = choose(3) ? config.events[e ? e - 1 : 0].leader : e;
		*event = (struct event_config){
			/* The driver relies on a counter that counts. */
			.source = config.others_capture ? 0 : choose(4) / 3,
			.leader = leader,
			.pinned = leader == e && !choose(4),
			.period = choose(5) < 2 ? 3 + choose(choose(8) ? 60 : 250) : 0,
			.read = choose(4),
		};
		event->freq = event->period && !choose(6);
		event->filtered = filters && choose(3);
	}
}

static struct step choose_interference(void)
{
	static const u8 whats[] = { COUNT, COUNT, COUNT, COUNT, NMI, NMI, COPY, COPY, CAPTURE };
	struct step step = { .what = whats[choose(ARRAY_SIZE(whats))] };

	if (!choose(40))
		step.what = LOSE_MSI + choose(3);
	if (!choose(500))
		step.what = GO_AWAY;
	step.which = step.what == COUNT ? choose(2) : choose(config.num_events);
	if (step.what == CAPTURE)
		step.amount = !choose(8);
	if (step.what == COUNT && choose(3))
		step.amount = choose(8) ? 1 + choose(choose(3) ? 10 : 70) : 1 + choose(1U << 30);

	return step;
}

static struct step choose_operation(unsigned int number)
{
	static const u8 whats[] = {
		ENABLE, ENABLE, ENABLE, DISABLE, DISABLE, RESCHEDULE, ROTATE, READ_GROUP,
		READ_GROUP, READ_GROUP, READ_EVENT, PERIOD, INTERRUPT, INTERRUPT, INTERRUPT, POLL,
		POLL, TICK, UNTHROTTLE, THROTTLE, COUNT, COUNT, COUNT, COUNT,
	};
	struct step step = { .what = whats[choose(ARRAY_SIZE(whats))] };

	if (!choose(30))
		step.what = MOVE + choose(2);
	if (!choose(60))
		step.what = CLOSE;
	if (!choose(10))
		step = choose_interference();
	step.which = choose(config.num_events);
	if (step.what == COUNT)
		step = (struct step){ .what = COUNT, .which = choose(2),
				      .amount = choose(3) ? 1 + choose(60) : 0 };
	if (step.what == PERIOD)
		step.amount = 1 + choose(60);
	if (step.what == RESCHEDULE || step.what == TICK || step.what == MOVE)
		step.amount = choose(2);
	if (number < config.num_events && choose(8))
		step = (struct step){ .what = ENABLE, .which = number };

	return step;
}

static struct step *add_step(struct step step)
{
	if (history.num == MAX_STEPS)
		return &history.steps[MAX_STEPS - 1];
	history.steps[history.num] = step;

	return &history.steps[history.num++];
}

static void plan(enum what what)
{
	unsigned int i, j, at;

	num_planned = what < COUNT ? choose(MAX_PLANNED + 1) : 0;
	for (i = 0; i < num_planned; i++) {
		at = 1 + choose(usual_points[what] + 3);
		for (j = i; j && planned[j - 1] < at; j--)
			planned[j] = planned[j - 1];
		planned[j] = at;
	}
}

void point(void)
{
	struct step step;

	if (!running)
		return;
	if (++w.points > MAX_POINTS)
		broke("an operation does not end");
	while (choosing && num_planned && planned[num_planned - 1] == w.points) {
		num_planned--;
		step = choose_interference();
		step.at = w.points;
		add_step(step);
		interfere(&step);
	}
	while (!choosing && next < history.num && history.steps[next].at == w.points) {
		interfere(&history.steps[next++]);
		if (hashing && next == history.num)
			hash_after_step = mix(hash_of_world(), w.trace);
	}
	rules_at_point();
}

void observe(u64 seen)
{
	w.trace = mix(w.trace, seen);
}

static void begin(struct run *run)
{
	*run = (struct run){};
	running = false;
	config = history.config;
	perf_setup();
	next = 0;
}

void make_history(u64 seed, struct run *run)
{
	unsigned int i, n;
	struct step step;

	random_state = mix(seed, 1) | 1;
	choose_config();
	history.config = config;
	history.num = 0;
	begin(run);
	n = 5 + choose(20);
	choosing = true;
	if (setjmp(broken)) {
		run->broken = broken_rule;
	} else {
		for (i = 0; i < n; i++) {
			step = choose_operation(i);
			plan(step.what);
			add_step(step);
			operate(&step);
		}
		num_planned = 0;
		finish();
	}
	choosing = false;
}

void run_history(struct run *run, bool hash)
{
	unsigned int last;

	begin(run);
	hashing = hash;
	hash_after_step = 0;
	if (setjmp(broken)) {
		run->broken = broken_rule;
		return;
	}
	while (next < history.num) {
		last = next++;
		operate(&history.steps[last]);
		run->points = usual_points[history.steps[last].what];
		/* Those at points that the operation does not have */
		while (next < history.num && history.steps[next].at)
			next++;
		if (hash)
			normalise();
	}
	if (hash) {
		run->after_step = hash_after_step;
		run->after_operation = hash_of_world();
	}
	finish();
}

/*
 * Shrinking
 */

static bool still_breaks(const struct history *candidate)
{
	struct history before = history;
	struct run run;
	unsigned int e;

	for (e = 0; e < candidate->config.num_events; e++)
		if (candidate->config.events[candidate->config.events[e].leader].leader !=
		    candidate->config.events[e].leader)
			return false;
	history = *candidate;
	run_history(&run, false);
	if (run.broken)
		return true;
	history = before;

	return false;
}

static bool drop_steps(unsigned int from, unsigned int num)
{
	struct history candidate = history;

	if (from + num > history.num)
		return false;
	memmove(&candidate.steps[from], &candidate.steps[from + num],
		(history.num - from - num) * sizeof(candidate.steps[0]));
	candidate.num -= num;

	return still_breaks(&candidate);
}

static bool set_amount(unsigned int i, u32 amount)
{
	struct history candidate = history;

	if (amount >= history.steps[i].amount)
		return false;
	candidate.steps[i].amount = amount;

	return still_breaks(&candidate);
}

static bool simplify_config(void)
{
	struct history candidate = history;
	u8 *bytes = (u8 *)&candidate.config;
	unsigned int i, any = false;

	/* Fields that are zero are the simplest. */
	for (i = offsetof(struct config, late); i < sizeof(candidate.config); i++) {
		candidate = history;
		if (!bytes[i] || (i >= offsetof(struct config, delivery) &&
				  i <= offsetof(struct config, num_events)))
			continue;
		bytes[i] = 0;
		any |= still_breaks(&candidate);
	}
	candidate = history;
	if (candidate.config.num_events > 1) {
		candidate.config.num_events--;
		any |= still_breaks(&candidate);
	}

	return any;
}

void shrink_history(void)
{
	unsigned int i, num;
	bool any;

	do {
		any = false;
		for (num = history.num; num; num /= 2)
			for (i = history.num; i--;)
				any |= drop_steps(i, num);
		for (i = 0; i < history.num; i++)
			any |= set_amount(i, 0) || set_amount(i, 1) ||
			       set_amount(i, history.steps[i].amount / 2) ||
			       set_amount(i, history.steps[i].amount - 1);
		any |= simplify_config();
	} while (any);
}

/*
 * Text
 */

void print_history(FILE *to)
{
	const struct config *c = &history.config;
	const struct event_config *event;
	const struct step *step;
	unsigned int e, i;

	fprintf(to, "pmu counters %u bits %u start %u late %u %s%s%s%s%s%s\n", c->counters, c->bits,
		c->start, c->late, deliveries[c->delivery], c->capture ? " capture" : "",
		c->others_capture ? " others-capture" : "", c->one_signal ? " one-signal" : "",
		c->edge ? " edge" : "", c->chooses ? " chooses" : "");
	for (e = 0; e < c->num_events; e++) {
		event = &c->events[e];
		fprintf(to, "event source %u leader %u period %u%s%s%s%s\n", event->source,
			event->leader, event->period, event->read ? " read" : "",
			event->pinned ? " pinned" : "", event->freq ? " freq" : "",
			event->filtered ? " filtered" : "");
	}
	for (i = 0; i < history.num; i++) {
		step = &history.steps[i];
		if (step->at)
			fprintf(to, "  @%u ", step->at);
		fprintf(to, "%s %u %u\n", names[step->what], step->which, step->amount);
	}
}

static bool has_word(const char *line, const char *word)
{
	const char *found = strstr(line, word);

	return found && found[-1] == ' ' && strchr("\n ", found[strlen(word)]);
}

static bool read_line(const char *line)
{
	struct config *c = &history.config;
	struct event_config *event = &c->events[c->num_events];
	struct step step = {};
	unsigned int i;
	char name[16];
	int skip = 0;

	if (line[0] == '#' || line[0] == '\n')
		return true;
	if (sscanf(line, "pmu counters %hhu bits %hhu start %hhu late %hhu", &c->counters,
		   &c->bits, &c->start, &c->late) == 4) {
		c->capture = has_word(line, "capture");
		c->others_capture = has_word(line, "others-capture");
		c->one_signal = has_word(line, "one-signal");
		c->edge = has_word(line, "edge");
		c->chooses = has_word(line, "chooses");
		for (i = 0; i < ARRAY_SIZE(deliveries); i++)
			if (has_word(line, deliveries[i]))
				c->delivery = i;
		return c->counters && c->counters <= MAX_COUNTERS;
	}
	if (c->num_events < MAX_EVENTS &&
	    sscanf(line, "event source %hhu leader %hhu period %hhu", &event->source,
		   &event->leader, &event->period) == 3) {
		event->read = has_word(line, "read");
		event->pinned = has_word(line, "pinned");
		event->freq = has_word(line, "freq");
		event->filtered = has_word(line, "filtered");
		c->num_events++;
		return event->leader < c->num_events;
	}
	sscanf(line, " @%hu %n", &step.at, &skip);
	if (sscanf(line + skip, "%15s %hhu %u", name, &step.which, &step.amount) != 3)
		return false;
	for (step.what = 0; step.what < NUM_WHAT; step.what++)
		if (!strcmp(name, names[step.what]))
			break;
	add_step(step);

	return step.what < NUM_WHAT && c->num_events;
}

bool read_history(FILE *from)
{
	char line[128];

	memset(&history, 0, sizeof(history));
	while (fgets(line, sizeof(line), from))
		if (!read_line(line))
			return false;

	return history.num;
}
