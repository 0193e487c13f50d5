// SPDX-License-Identifier: GPL-2.0
/* An interpreter of scenarios, see scenario.h. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "platform.h"
#include "ring.h"
#include "scenario.h"

#define SCENARIO_EVENTS		(PMU_MAX_COUNTERS + 8)

struct scenario_event {
	char name[16];
	unsigned int id;
	unsigned int leader;	/* its own id if it leads */
	int fd;
	char kind;
	bool filtered;
	__u32 source;	/* that it counts if it is filtered */
	__u32 span;	/* bits of the source that do not matter */
	bool grouped;	/* it is read with its group */
	bool enabled;
	__u64 total;	/* what it has counted */
	__u64 captured;	/* the same at the last overflow */
	bool saved;	/* a group read has saved it */
	__u64 period;	/* 0: it does not sample */
	__u64 left;	/* events until the period ends */
	__u64 due;	/* periods that have ended, of which no sample was seen */
	bool any_counts;	/* the counts in its samples are not looked at */
	struct ring ring;
};

/* What it is played on. */
static struct machine *machine;
static struct pmu *pmu;
static struct stimulus *stimulus;
static const struct pmu_hardware *hardware;

/* The one that is played. */
static struct {
	struct scenario_event events[SCENARIO_EVENTS];
	unsigned int open;
	unsigned int last_id;
	bool held;
	char step_kind;
	__u64 step;
	__u64 step_reads;
	unsigned int samples;
	__u64 random;
	const char *at;	/* the next step */
	char now[64];	/* the present one */
	unsigned long argument;	/* what it is to do */
	char kind;	/* of event that it injects */
	__u64 round;
	__u64 n;
	int gone;	/* CPU that is offline */
	bool skipped;	/* the PMU lacks what it needs; the message says what */
	char message[256];	/* what is wrong */
} scenario;

#define for_each_event(event)						\
	for ((event) = scenario.events; (event) < scenario.events + scenario.open; (event)++)

/* The first failure ends the scenario. */
static void __attribute__((format(printf, 1, 2)))
fail(const char *format, ...)
{
	va_list arguments;
	int length;

	if (scenario.message[0])
		return;
	length = snprintf(scenario.message, sizeof(scenario.message), "\"%s\", round %llu: ",
			  scenario.now, scenario.round);
	va_start(arguments, format);
	vsnprintf(scenario.message + length, sizeof(scenario.message) - length, format, arguments);
	va_end(arguments);
}

static bool over(void)
{
	return scenario.message[0];
}

static char peek(void)
{
	scenario.at += strspn(scenario.at, " ");
	return *scenario.at;
}

static bool accept(const char *text)
{
	peek();
	if (strncmp(scenario.at, text, strlen(text)))
		return false;
	scenario.at += strlen(text);
	return true;
}

static void expect(const char *text)
{
	if (!accept(text))
		fail("no \"%s\" at \"%.20s\"", text, scenario.at);
}

/* Empty at the end of a step. */
static void word(char *text, size_t size)
{
	size_t length = 0;

	peek();
	while (isalnum(scenario.at[length]) && length < size - 1)
		length++;
	snprintf(text, size, "%.*s", (int)length, scenario.at);
	scenario.at += length;
}

static __u32 event_of(char kind)
{
	switch (kind) {
	case 'x':
		return pmu->event;
	case 'y':
		return pmu->other_event;
	case 'z':
		return pmu->family->nth_event(stimulus, 2);
	default:
		return pmu->clock;
	}
}

/* Until so many more than these would make it wrap. */
static __u64 until_wrap(__u64 more)
{
	int counter = pmu_counter_of_event(stimulus, hardware, event_of(scenario.kind));

	if (counter < 0) {
		fail("no counter counts %c", scenario.kind);
		return 0;
	}
	return (-more - pmu_counter(stimulus, hardware, counter)) &
	       (~0ULL >> (64 - hardware->bits));
}

static __u64 until_end(void)
{
	struct scenario_event *event;

	for_each_event(event)
		if (event->period && event->kind == scenario.kind)
			return event->left;
	fail("no event samples %c", scenario.kind);
	return 0;
}

static __u64 expression(void);

static __u64 next_random(__u64 limit)
{
	scenario.random = scenario.random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (scenario.random >> 33) % limit;
}

static __u64 factor(void)
{
	__u64 value;
	char *end;

	if (isdigit(peek())) {
		value = strtoull(scenario.at, &end, 0);
		scenario.at = end;
		return value;
	}
	if (accept("round"))
		return scenario.round;
	if (accept("half"))
		return 1ULL << (hardware->bits - 1);
	if (accept("range"))
		return hardware->bits < 64 ? 1ULL << hardware->bits : ~0ULL;
	if (accept("counters"))
		return hardware->counters;
	if (accept("wrap"))
		return until_wrap(0);
	if (accept("below"))
		return until_wrap(factor());
	if (accept("end"))
		return until_end();
	if (accept("total"))
		return scenario.events[0].total;
	if (accept("random"))
		return next_random(factor());
	if (accept("n"))
		return scenario.n;
	expect("(");
	value = expression();
	expect(")");
	return value;
}

static __u64 term(void)
{
	__u64 value = factor();

	for (;;) {
		if (accept("*"))
			value *= factor();
		else if (accept("/"))
			value /= factor() ?: 1;
		else if (accept("%"))
			value %= factor() ?: 1;
		else
			return value;
	}
}

static __u64 sum(void)
{
	__u64 value = term();

	for (;;) {
		if (accept("+"))
			value += term();
		else if (accept("-"))
			value -= term();
		else
			return value;
	}
}

static __u64 expression(void)
{
	__u64 value = sum();

	if (accept("=="))
		return value == sum();
	return accept(">") ? value > sum() : value;
}

static struct scenario_event *by_id(unsigned int id)
{
	struct scenario_event *event;

	for_each_event(event)
		if (event->id == id)
			return event;
	return NULL;
}

static struct scenario_event *by_name(const char *name)
{
	struct scenario_event *event;

	for_each_event(event)
		if (!strcmp(event->name, name))
			return event;
	fail("no event is called \"%s\"", name);
	return NULL;
}

static bool counts(const struct scenario_event *event, char kind, __u32 source)
{
	const struct scenario_event *leader = by_id(event->leader);

	return event->kind == kind && event->enabled && (!leader || leader->enabled) &&
	       (!event->filtered || !((event->source ^ source) & ~event->span));
}

/* An overflow captures all counters; what a group read has saved stays. */
static void capture(void)
{
	struct scenario_event *event;

	for_each_event(event)
		if (!event->saved)
			event->captured = event->total;
}

static void look_at_sample(const struct scenario_event *sampler, const struct ring_sample *sample)
{
	struct scenario_event *event;
	__u64 expected, n = 0;

	if ((int)sample->cpu != pmu->cpu || !sample->ip)
		fail("a sample of CPU %u", sample->cpu);
	for_each_event(event) {
		if (event->leader != sampler->leader)
			continue;
		expected = hardware->overflow_capture ? event->captured : event->total;
		if (n < sample->number && sample->values[n] != expected)
			fail("%s: %llu in a sample of %s, expected %llu", event->name,
			     sample->values[n], sampler->name, expected);
		n++;
	}
	if (n != sample->number)
		fail("%llu counts in a sample of %s, expected %llu", sample->number, sampler->name,
		     n);
}

/* A timer that polls because of MSIs may have handled some periods first. */
static void look_at_ring(struct scenario_event *sampler)
{
	bool several = pmu_interrupt_is(pmu, "msi");
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	__u64 sum = 0;

	while (ring_next_sample(&sampler->ring, &tally, &sample))
		sum += sample.period;
	if (sum != sampler->due || (tally.samples > 1 && !several))
		fail("%s: %llu samples for %llu events, expected %llu", sampler->name,
		     tally.samples, sum, sampler->due);
	if (tally.lost || tally.throttled)
		fail("%s: a sample was lost, or it was throttled", sampler->name);
	if (tally.samples && !sampler->any_counts)
		look_at_sample(sampler, &sample);
	sampler->due = 0;
	/* By default, perf throttles events with more than 100000 samples per second. */
	if (tally.samples && ++scenario.samples % 100 == 0)
		usleep(10000);
}

static void look_at_samples(void)
{
	struct scenario_event *event;

	if (scenario.held)
		return;
	for_each_event(event)
		if (event->period)
			look_at_ring(event);
	for_each_event(event)
		event->saved = false;
}

/* Accounts for events of a sampler. Returns whether a period has ended. */
static bool sample(struct scenario_event *sampler, __u64 number)
{
	if (number < sampler->left) {
		sampler->left -= number;
		return false;
	}
	number -= sampler->left;
	sampler->due += (1 + number / sampler->period) * sampler->period;
	sampler->left = sampler->period - number % sampler->period;
	return true;
}

/* Accounts for events that have occurred. */
static void occur(char kind, __u32 source, __u64 number)
{
	struct scenario_event *event;
	bool overflow = false;

	for_each_event(event) {
		if (!counts(event, kind, source))
			continue;
		event->total += number;
		if (event->period)
			overflow |= sample(event, number);
	}
	if (!overflow)
		return;
	capture();
	/* This only waits for the interrupt. */
	pmu_read_cpu(pmu);
	look_at_samples();
}

/* Accounts for events that have occurred because registers were read. */
static void occur_at_reads(void)
{
	__u64 reads;

	if (!scenario.step)
		return;
	reads = pmu_counter_reads(stimulus, hardware);
	occur(scenario.step_kind, pmu->source, scenario.step * (reads - scenario.step_reads));
	scenario.step_reads = reads;
}

static void do_step(void)
{
	char kind[2];

	word(kind, sizeof(kind));
	scenario.step = expression();
	scenario.step_kind = kind[0];
	scenario.step_reads = pmu_counter_reads(stimulus, hardware);
	stimulus_step(stimulus, event_of(kind[0]), pmu->source, scenario.step);
}

static void inject(char kind)
{
	__u32 source = pmu->source;
	__u64 number;

	scenario.kind = kind;
	if (accept("@"))
		source = factor();
	number = expression();
	if (over())
		return;
	stimulus_inject(stimulus, event_of(kind), source, number);
	occur(kind, source, number);
}

static bool set_filter(struct scenario_event *event, struct perf_event_attr *attr, bool span)
{
	event->source = factor();
	if (!pmu->filters)
		return true;
	event->filtered = event->kind != 'c';
	if (pmu->family->filter(pmu, attr, event->source))
		return false;
	/* The bits up to the lowest one that is 0 do not matter: IHI 0070 §10.5.2.2. */
	if (span)
		event->span = event->source ^ (event->source + 1);
	return !span || !pmu_set_field(pmu, attr, "filter_span", 1);
}

static bool set(const char *setting, struct scenario_event *event, struct perf_event_attr *attr,
		__u64 *copies)
{
	struct scenario_event *leader;
	char name[16];

	if (!strcmp(setting, "pinned")) {
		attr->pinned = 1;
	} else if (!strcmp(setting, "disabled")) {
		attr->disabled = 1;
	} else if (!strcmp(setting, "group")) {
		attr->read_format = PERF_FORMAT_GROUP;
	} else if (!strcmp(setting, "anycounts")) {
		event->any_counts = true;
	} else if (!strcmp(setting, "countless")) {
		event->any_counts = true;
		attr->sample_type &= ~PERF_SAMPLE_READ;
	} else if (!accept("=")) {
		return false;
	} else if (!strcmp(setting, "in")) {
		word(name, sizeof(name));
		leader = by_name(name);
		event->leader = leader ? leader->id : 0;
	} else if (!strcmp(setting, "copies")) {
		*copies = expression();
	} else if (!strcmp(setting, "period")) {
		event->period = expression();
		attr->sample_period = event->period;
		attr->sample_type = RING_SAMPLE_TYPE;
		attr->read_format = PERF_FORMAT_GROUP;
	} else if (!strcmp(setting, "from") || !strcmp(setting, "span")) {
		return set_filter(event, attr, !strcmp(setting, "span"));
	} else {
		return false;
	}
	return true;
}

static void add(const struct scenario_event *wanted, struct perf_event_attr *attr)
{
	struct scenario_event *event = &scenario.events[scenario.open];
	struct scenario_event *leader = by_id(wanted->leader);

	if (scenario.open == SCENARIO_EVENTS) {
		fail("too many events");
		return;
	}
	*event = *wanted;
	event->id = ++scenario.last_id;
	event->leader = leader ? leader->id : event->id;
	event->grouped = attr->read_format == PERF_FORMAT_GROUP;
	event->enabled = !attr->disabled;
	event->left = event->period;
	event->fd = pmu_open_attr(pmu, attr, leader ? leader->fd : -1);
	if (event->fd < 0) {
		fail("%s", strerror(-event->fd));
		return;
	}
	scenario.open++;
	if (event->period && ring_open(&event->ring, event->fd))
		fail("no ring buffer");
}

/* Returns how many events are wanted. */
static __u64 parse_event(struct scenario_event *event, struct perf_event_attr *attr)
{
	char kind[2], setting[16];
	__u64 copies = 1;

	memset(event, 0, sizeof(*event));
	word(event->name, sizeof(event->name));
	word(kind, sizeof(kind));
	event->kind = kind[0];
	if (pmu_describe(pmu, attr, event_of(event->kind)))
		fail("cannot describe it");
	if (event->kind == 's') {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
	}
	for (word(setting, sizeof(setting)); setting[0] && !over(); word(setting, sizeof(setting)))
		if (!set(setting, event, attr, &copies))
			fail("cannot set \"%s\"", setting);
	return copies;
}

static void open_events(void)
{
	struct scenario_event event, *leader;
	struct perf_event_attr attr;
	__u64 copies;
	int fd;

	copies = parse_event(&event, &attr);
	if (scenario.argument && !over()) {
		leader = by_id(event.leader);
		fd = pmu_open_attr(pmu, &attr, leader ? leader->fd : -1);
		if (fd != -EINVAL)
			fail("%s", fd < 0 ? strerror(-fd) : "it is not refused");
		return;
	}
	for (; copies && !over(); copies--) {
		add(&event, &attr);
		if (attr.read_format == PERF_FORMAT_GROUP && !event.leader)
			event.leader = scenario.last_id;
	}
}

/* What was its group is none any more. */
static void close_event(struct scenario_event *event)
{
	struct scenario_event *member;

	for_each_event(member)
		if (member->leader == event->id)
			member->leader = member->id;
	if (event->period)
		ring_close(&event->ring);
	close(event->fd);
	scenario.open--;
	memmove(event, event + 1, (char *)&scenario.events[scenario.open] - (char *)event);
}

static void close_events(void)
{
	struct scenario_event *event;
	char name[16];
	unsigned int n;

	word(name, sizeof(name));
	if (!by_name(name))
		return;
	for (n = scenario.open; n--;) {
		event = &scenario.events[n];
		if (!strcmp(event->name, name))
			close_event(event);
	}
}

static void drop_event(void)
{
	struct scenario_event *event;
	char name[16];

	word(name, sizeof(name));
	event = by_name(name);
	if (event)
		close_event(event);
}

/* Of a group, only the leader: the others cannot count without it. */
static void control(void)
{
	unsigned long request = scenario.argument;
	struct scenario_event *event, *first;
	char name[16];

	word(name, sizeof(name));
	first = by_name(name);
	for (event = first; first && event < scenario.events + scenario.open; event++) {
		if (strcmp(event->name, name) || (event != first && event->leader == first->id))
			continue;
		if (ioctl(event->fd, request, 0))
			fail("%s", strerror(errno));
		if (request == PERF_EVENT_IOC_RESET)
			event->total = 0;
		else
			event->enabled = request == PERF_EVENT_IOC_ENABLE;
	}
}

static void change_period(void)
{
	struct scenario_event *event;
	char name[16];

	word(name, sizeof(name));
	event = by_name(name);
	if (!event)
		return;
	event->period = expression();
	event->left = event->period;
	event->due = 0;
	if (ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &event->period))
		fail("%s", strerror(errno));
}

static void expect_count(const struct scenario_event *event, __u64 value)
{
	if (value != event->total)
		fail("%s is %llu (%#llx), expected %llu (%#llx)", event->name, value, value,
		     event->total, event->total);
}

/* Whether samples of this group will be made as soon as the interrupt is handled. */
static bool group_is_due(unsigned int leader)
{
	struct scenario_event *event;

	for_each_event(event)
		if (event->leader == leader && event->due)
			return true;
	return false;
}

/*
 * As a whole, which captures: what samples must have is saved. Those of this group have no less
 * than what was read.
 */
static void read_group(const struct scenario_event *leader)
{
	__u64 values[SCENARIO_EVENTS], *value = values;
	struct scenario_event *event;
	unsigned int number = 0;

	for_each_event(event)
		number += event->leader == leader->id;
	if (pmu_read_group(leader->fd, values, number)) {
		fail("cannot read %s and %u others", leader->name, number - 1);
		return;
	}
	for_each_event(event) {
		if (event->leader == leader->id)
			expect_count(event, *value++);
		if (event->saved || !group_is_due(event->leader))
			continue;
		event->saved = true;
		if (event->leader == leader->id)
			event->captured = event->total;
	}
}

static void read_one(const struct scenario_event *event)
{
	const struct scenario_event *leader = by_id(event->leader);

	if (event->grouped && event == leader)
		read_group(event);
	else if (!event->grouped)
		expect_count(event, pmu_value(event->fd));
}

static void read_counts(void)
{
	struct scenario_event *event;
	char name[16];

	word(name, sizeof(name));
	for_each_event(event)
		if (!name[0] && (event->leader == event->id || !by_id(event->leader)->grouped))
			read_one(event);
	for (; name[0]; word(name, sizeof(name)))
		for (event = by_name(name); event &&
		     event < scenario.events + scenario.open; event++)
			if (!strcmp(event->name, name))
				read_one(event);
	look_at_samples();
}

/* A timer that polls because of MSIs may have handled an overflow first. */
static void expect_status(void)
{
	const struct scenario_event *event;
	__u64 status, expected = 0;
	char name[16];
	int counter;

	for (word(name, sizeof(name)); name[0]; word(name, sizeof(name))) {
		event = by_name(name);
		if (!event)
			return;
		counter = pmu_counter_of_event(stimulus, hardware, event_of(event->kind));
		expected |= 1ULL << (counter & 63);
	}
	status = pmu_overflow_status(stimulus, hardware);
	if (status != expected && !(scenario.held && hardware->msi))
		fail("the overflow status is %#llx, expected %#llx", status, expected);
}

static void need(void)
{
	const struct {
		const char *what;
		bool there;
	} needs[] = {
		{ "counters", pmu_has_counters(pmu) },
		{ "interrupt", has_interrupt(machine) },
		{ "capture", hardware->capture },
		{ "overflowcapture", hardware->overflow_capture },
		{ "wraps", hardware->bits < 64 },
		{ "filters", pmu->filters },
		{ "ownfilters", !hardware->global_filter },
		{ "wire", pmu_interrupt_is(pmu, "wired") },
		{ "suspend", power_can_suspend() },
		{ "othercpu", cpu_other_than(pmu->cpu) >= 0 &&
			      cpu_can_go_offline(pmu->cpu) },
	}, *try = needs;
	char what[16];

	if (isdigit(peek())) {
		scenario.skipped = factor() > hardware->counters;
		expect("counters");
	} else {
		word(what, sizeof(what));
		while (try < needs + sizeof(needs) / sizeof(*needs) && strcmp(try->what, what))
			try++;
		if (try == needs + sizeof(needs) / sizeof(*needs)) {
			fail("no PMU has this");
			return;
		}
		scenario.skipped = !try->there;
	}
	if (scenario.skipped)
		fail("this PMU does not have this");
}

static void hold(void)
{
	scenario.held = scenario.argument;
	stimulus_hold(stimulus, scenario.held);
	/* This only waits for the interrupt. */
	pmu_read_cpu(pmu);
	look_at_samples();
}

/* Nothing is read here: an interrupt or a timer handles them. */
static void await_status(void)
{
	while (pmu_overflow_status(stimulus, hardware))
		usleep(1000);
	look_at_samples();
}

static void suspend(void)
{
	if (scenario.argument)
		stimulus_lose_state(stimulus, 100);
	if (power_suspend())
		fail("it fails");
}

/* The test runs on the CPU of the PMU, which goes offline: the PMU must move to another one. */
static void leave_cpu(void)
{
	scenario.gone = pmu->cpu;
	/* Otherwise the kernel would move this thread and undo the pinning for good. */
	if (cpu_pin(cpu_other_than(scenario.gone)) || cpu_set_online(scenario.gone, false) ||
	    pmu_follow(pmu))
		fail("CPU %d: %s", scenario.gone, strerror(errno));
	if (pmu->cpu == scenario.gone || !cpu_is_online(pmu->cpu))
		fail("the PMU is on CPU %d", pmu->cpu);
}

static void return_cpu(void)
{
	if (cpu_set_online(scenario.gone, true))
		fail("CPU %d does not come back", scenario.gone);
}

static void do_if(void);
static void do_each(void);

static const struct step {
	const char *word;
	void (*play)(void);
	unsigned long argument;
} steps[] = {
	{ "open", open_events, false },
	{ "refuse", open_events, true },
	{ "close", close_events, 0 },
	{ "drop", drop_event, 0 },
	{ "stop", control, PERF_EVENT_IOC_DISABLE },
	{ "start", control, PERF_EVENT_IOC_ENABLE },
	{ "reset", control, PERF_EVENT_IOC_RESET },
	{ "period", change_period, 0 },
	{ "step", do_step, 0 },
	{ "hold", hold, true },
	{ "release", hold, false },
	{ "await", await_status, 0 },
	{ "suspend", suspend, false },
	{ "sleep", suspend, true },
	{ "away", leave_cpu, 0 },
	{ "back", return_cpu, 0 },
	{ "read", read_counts, 0 },
	{ "status", expect_status, 0 },
	{ "if", do_if, 0 },
	{ "each", do_each, 0 },
	{ "need", need, 0 },
};

static void do_word(void)
{
	const struct step *step;
	char what[16];

	word(what, sizeof(what));
	if (strlen(what) == 1) {
		inject(what[0]);
		return;
	}
	for (step = steps; step < steps + sizeof(steps) / sizeof(*steps); step++) {
		if (!strcmp(step->word, what)) {
			scenario.argument = step->argument;
			step->play();
			return;
		}
	}
	fail("there is no such step");
}

static void block(void);

static void skip_block(void)
{
	unsigned int depth = 1;

	for (; depth && *scenario.at; scenario.at++)
		depth += (*scenario.at == '{') - (*scenario.at == '}');
}

static void do_times(__u64 times)
{
	__u64 outer = scenario.round;
	const char *body;

	expect("{");
	body = scenario.at;
	for (scenario.round = 0; scenario.round < times && !over(); scenario.round++) {
		scenario.at = body;
		block();
	}
	if (over())
		return;
	scenario.round = outer;
	scenario.at = body;
	skip_block();
}

static void do_if(void)
{
	__u64 condition = expression();

	expect("{");
	if (condition)
		block();
	if (!condition || over())
		skip_block();
	else
		expect("}");
}

static void do_each(void)
{
	const char *next, *body = scenario.at + strcspn(scenario.at, "{") + 1;

	do {
		scenario.n = expression();
		next = scenario.at;
		scenario.at = body;
		block();
		if (over())
			return;
		scenario.at = next;
	} while (accept(","));
	scenario.at = body;
	skip_block();
}

/* Up to its end. */
static void block(void)
{
	__u64 times;

	while (!over()) {
		while (accept(";"))
			;
		if (!peek() || *scenario.at == '}')
			return;
		snprintf(scenario.now, sizeof(scenario.now), "%.*s",
			 (int)strcspn(scenario.at, ";{}"), scenario.at);
		if (isdigit(*scenario.at)) {
			times = expression();
			expect("times");
			do_times(times);
			continue;
		}
		do_word();
		occur_at_reads();
	}
}

const char *scenario_play(struct machine *on, const char *steps, bool *skipped)
{
	memset(&scenario, 0, sizeof(scenario));
	machine = on;
	pmu = &on->pmu;
	stimulus = &on->stimulus;
	hardware = &on->hardware;
	scenario.at = steps;
	block();
	if (!over() && *scenario.at)
		fail("cannot parse \"%.20s\"", scenario.at);
	while (scenario.open)
		close_event(&scenario.events[scenario.open - 1]);
	*skipped = scenario.skipped;
	return over() ? scenario.message : NULL;
}
