// SPDX-License-Identifier: GPL-2.0
/*
 * Histories: as text, how they are chosen at random, run, and made shorter.
 */

#include "explore.h"

#define MAX_POINTS		5000

struct history history;

/*
 * Text: a line for the PMU and for each event, with fields that are not zero, and
 * a line for each step.
 */

static const struct field {
	const char *name;
	size_t offset;
} pmu_fields[] = {
	{ "counters", offsetof(struct config, counters) },
	{ "bits", offsetof(struct config, bits) },
	{ "start", offsetof(struct config, start) },
	{ "late", offsetof(struct config, late) },
	{ "delivery", offsetof(struct config, delivery) },
	{ "capture", offsetof(struct config, capture) },
	{ "others-capture", offsetof(struct config, others_capture) },
	{ "one-signal", offsetof(struct config, one_signal) },
	{ "edge", offsetof(struct config, edge) },
	{ "chooses", offsetof(struct config, chooses) },
	{ "special", offsetof(struct config, special) },
	{ "halts", offsetof(struct config, halts) },
	{},
}, event_fields[] = {
	{ "source", offsetof(struct event_config, source) },
	{ "leader", offsetof(struct event_config, leader) },
	{ "period", offsetof(struct event_config, period) },
	{ "read", offsetof(struct event_config, read) },
	{ "pinned", offsetof(struct event_config, pinned) },
	{ "freq", offsetof(struct event_config, freq) },
	{ "filtered", offsetof(struct event_config, filtered) },
	{},
};

static void print_fields(const struct field *field, const void *from)
{
	for (; field->name; field++)
		if (*((const u8 *)from + field->offset))
			printf(" %s %u", field->name, *((const u8 *)from + field->offset));
	printf("\n");
}

void print_history(void)
{
	const struct step *step;
	unsigned int e;

	printf("pmu");
	print_fields(pmu_fields, &history.config);
	for (e = 0; e < history.config.num_events; e++) {
		printf("event");
		print_fields(event_fields, &history.config.events[e]);
	}
	for (step = history.steps; step < history.steps + history.num; step++) {
		if (step->at)
			printf("  @%u ", step->at);
		printf("%s %u %u\n", kinds[step->what].name, step->which, step->amount);
	}
}

static bool read_fields(const char *line, const struct field *fields, void *to)
{
	const struct field *field;
	char name[16];
	int length;
	u8 value;

	for (; sscanf(line, " %15s %hhu%n", name, &value, &length) == 2; line += length) {
		for (field = fields; field->name && strcmp(field->name, name); field++)
			;
		if (!field->name)
			return false;
		*((u8 *)to + field->offset) = value;
	}

	return line[0] == '\n';
}

static bool read_line(const char *line)
{
	struct step *step = &history.steps[history.num];
	struct config *c = &history.config;
	char name[16];
	int skip = 0;

	if (line[0] == '#' || line[0] == '\n')
		return true;
	if (!strncmp(line, "pmu", 3))
		return read_fields(line + 3, pmu_fields, c) && c->counters <= MAX_COUNTERS;
	if (!strncmp(line, "event", 5) && c->num_events < MAX_EVENTS)
		return read_fields(line + 5, event_fields, &c->events[c->num_events++]) &&
		       c->events[c->num_events - 1].leader < c->num_events;

	if (sscanf(line, " @%hu %n", &step->at, &skip) != 1)
		skip = 0;
	if (++history.num == MAX_STEPS ||
	    sscanf(line + skip, "%15s %hhu %u", name, &step->which, &step->amount) != 3)
		return false;
	while (step->what < NUM_WHAT && strcmp(name, kinds[step->what].name))
		step->what++;

	return step->what < NUM_WHAT && step->which < c->num_events;
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

/*
 * Random choice
 */

static u64 random_state;

static unsigned int choose(unsigned int n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;

	return (random_state >> 32) * n >> 32;
}

static void choose_config(void)
{
	static const u8 bits[] = { 8, 8, 8, 9, 9, 32, 64 };
	struct config *c = &history.config;
	struct event_config *event;
	unsigned int e, leader, filters = !choose(4);

	*c = (struct config){
		.counters = 2 + choose(3),
		.bits = bits[choose(ARRAY_SIZE(bits))],
		.late = choose(4) ? 0 : 3,
		.start = choose(200),
		.capture = !!choose(3),
		.one_signal = choose(2),
		.edge = choose(2),
		.delivery = choose(3),
		.num_events = 1 + choose(4),
		.chooses = choose(2),
		.halts = !choose(4),
	};
	c->special = c->chooses && !choose(3);
	c->others_capture = c->capture && !choose(4);
	/* The timer is for counters that overflow. */
	if (c->bits == 64 && c->delivery == ARM_SYSPMU_TIMER)
		c->delivery = ARM_SYSPMU_NONE;
	for (e = 0; e < c->num_events; e++) {
		event = &c->events[e];
		leader = choose(3) ? c->events[e ? e - 1 : 0].leader : e;
		*event = (struct event_config){
			.source = choose(8) ? choose(4) / 3 : SOFTWARE,
			.leader = leader,
			.pinned = leader == e && !choose(4),
			.period = c->delivery < ARM_SYSPMU_TIMER && choose(5) < 2 ?
				  3 + choose(choose(8) ? 60 : 250) : 0,
			.read = !!choose(4),
		};
		if (event->source == SOFTWARE)
			event->period = 0;
		event->freq = event->period && !choose(6);
		event->filtered = filters && event->source != SOFTWARE && choose(3);
	}
}

/* Each kind as often as it is to be chosen: as an operation, and within one */
static u8 kinds_to_choose[2][256];
static unsigned int num_to_choose[2];

static void weigh_kinds(void)
{
	unsigned int what, i;

	if (num_to_choose[0])
		return;

	for (what = 0; what < NUM_WHAT; what++) {
		for (i = 0; i < kinds[what].often; i++)
			kinds_to_choose[0][num_to_choose[0]++] = what;
		for (i = 0; i < kinds[what].often_within; i++)
			kinds_to_choose[1][num_to_choose[1]++] = what;
	}
}

static void choose_step(unsigned int at)
{
	struct step *step = &history.steps[history.num++];

	*step = (struct step){
		.what = kinds_to_choose[!!at][choose(num_to_choose[!!at])],
		.which = choose(history.config.num_events),
		.at = at,
	};
	if (step->what != COUNT)
		step->amount = choose(60);
	else if (choose(3))
		step->amount = choose(20) ? 1 + choose(choose(3) ? 10 : 70) : 1 + choose(1U << 30);
}

/*
 * Execution
 */

unsigned int last_points;
u64 state_after_step, state_after_operation;

static bool running, choosing;
static unsigned int next, next_choice;

static u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;

	return hash ^ hash >> 29;
}

static u64 state(void)
{
	const u64 *word = (const u64 *)&w, *end = (const u64 *)&w.log[w.now + 1];
	u64 hash = jiffies;

	while (word < end)
		hash = mix(hash, *word++);

	return hash;
}

u64 observe(u64 seen)
{
	w.trace = mix(w.trace, seen);

	return seen;
}

void point(void)
{
	if (!running)
		return;
	if (++w.points > MAX_POINTS)
		broke("an operation does not end");
	while (choosing && next_choice == w.points && history.num < MAX_STEPS) {
		choose_step(w.points);
		next_choice += choose(1U << choose(8));
	}
	while (next < history.num && history.steps[next].at == w.points) {
		perf_happen(&history.steps[next++]);
		if (!choosing && next == history.num)
			state_after_step = state();
	}
	rules_at_point();
}

/* Returns the number of points. */
static unsigned int operate(struct step step)
{
	unsigned int points;

	w.points = 0;
	w.trace = 0;
	w.step = step;
	next_choice = 1 + choose(1U << choose(8));
	rules_begin();
	running = step.what < COUNT;
	perf_happen(&step);
	running = false;
	points = w.points;
	w.points = 0;
	rules_end();

	return points;
}

static const char *run(unsigned int num_chosen)
{
	unsigned int i;

	running = false;
	config = history.config;
	perf_setup();
	next = 0;
	if (setjmp(broken))
		return broken_rule;

	for (i = 0; next < (choosing ? MAX_STEPS : history.num); i++) {
		if (choosing && i == num_chosen)
			break;
		if (choosing)
			choose_step(0);
		if (choosing && i < config.num_events && choose(8))
			history.steps[next] = (struct step){ .what = ENABLE, .which = i };
		last_points = operate(history.steps[next++]);
		/* Those at points that the operation does not have */
		while (next < history.num && history.steps[next].at)
			next++;
	}
	w.step = (struct step){};
	w.trace = 0;
	if (!choosing)
		state_after_operation = state();

	/* Everything is handled, and all events are disabled. */
	choosing = false;
	operate((struct step){ .what = INTERRUPT });
	operate((struct step){ .what = COPY });
	for (i = 0; i < config.num_events; i++)
		operate((struct step){ .what = DISABLE, .which = i });
	rules_at_end();

	return NULL;
}

const char *run_history(void)
{
	choosing = false;

	return run(0);
}

const char *make_history(u64 seed)
{
	weigh_kinds();
	random_state = mix(seed, 1) | 1;
	choose_config();
	history.num = 0;
	choosing = true;

	return run(5 + choose(20));
}

/*
 * Shrinking
 */

static bool still_breaks(const struct history *candidate)
{
	struct history before = history;

	history = *candidate;
	if (run_history())
		return true;
	history = before;

	return false;
}

static bool drop_step(unsigned int i)
{
	struct history candidate = history;

	candidate.num--;
	memmove(&candidate.steps[i], &candidate.steps[i + 1],
		(candidate.num - i) * sizeof(candidate.steps[0]));

	return still_breaks(&candidate);
}

static bool set_amount(unsigned int i, u32 amount)
{
	struct history candidate = history;

	candidate.steps[i].amount = amount;

	return amount < history.steps[i].amount && still_breaks(&candidate);
}

/* The simplest value of a field is 0. */
static bool clear_fields(const struct field *field, const void *of)
{
	struct history candidate;
	bool any = false;
	size_t offset;

	for (; field->name; field++) {
		offset = of - (void *)&history + field->offset;
		candidate = history;
		((u8 *)&candidate)[offset] = 0;
		any |= ((u8 *)&history)[offset] && still_breaks(&candidate);
	}

	return any;
}

void shrink_history(void)
{
	unsigned int i;
	bool any;

	do {
		/* All but the numbers of counters and bits */
		any = clear_fields(pmu_fields + 2, &history.config);
		for (i = 0; i < history.config.num_events; i++)
			any |= clear_fields(event_fields, &history.config.events[i]);
		for (i = history.num; i--;)
			any |= drop_step(i) || set_amount(i, 0) || set_amount(i, 1) ||
			       set_amount(i, history.steps[i].amount / 2) ||
			       set_amount(i, history.steps[i].amount - 1);
	} while (any);
}
