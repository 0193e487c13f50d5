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
#include "scenario.h"

#define for_each_event(event, scenario)					\
	for ((event) = (scenario)->events;				\
	     (event) < (scenario)->events + (scenario)->open; (event)++)

/* The first failure ends the scenario. */
static void __attribute__((format(printf, 2, 3)))
fail(struct scenario *scenario, const char *format, ...)
{
	va_list arguments;
	int length;

	if (scenario->message[0])
		return;
	length = snprintf(scenario->message, sizeof(scenario->message), "\"%s\", round %llu: ",
			  scenario->now, (unsigned long long)scenario->round);
	va_start(arguments, format);
	vsnprintf(scenario->message + length, sizeof(scenario->message) - length, format,
		  arguments);
	va_end(arguments);
}

static bool over(const struct scenario *scenario)
{
	return scenario->message[0];
}

static char peek(struct scenario *scenario)
{
	scenario->at += strspn(scenario->at, " ");
	return *scenario->at;
}

static bool accept(struct scenario *scenario, const char *text)
{
	peek(scenario);
	if (strncmp(scenario->at, text, strlen(text)))
		return false;
	scenario->at += strlen(text);
	return true;
}

static void expect(struct scenario *scenario, const char *text)
{
	if (!accept(scenario, text))
		fail(scenario, "no \"%s\" at \"%.20s\"", text, scenario->at);
}

/* Empty at the end of a step. */
static void word(struct scenario *scenario, char *text, size_t size)
{
	size_t length = 0;

	peek(scenario);
	while (isalnum(scenario->at[length]) && length < size - 1)
		length++;
	snprintf(text, size, "%.*s", (int)length, scenario->at);
	scenario->at += length;
}

static __u32 event_of(struct scenario *scenario, char kind)
{
	struct pmu *pmu = &scenario->machine->pmu;

	switch (kind) {
	case 'x':
		return pmu->event;
	case 'y':
		return pmu->other_event;
	case 'z':
		return pmu->family->nth_event(&scenario->machine->stimulus, 2);
	default:
		return pmu->clock;
	}
}

/* Until so many more than these would make it wrap. */
static __u64 until_wrap(struct scenario *scenario, __u64 more)
{
	struct machine *machine = scenario->machine;
	int counter = pmu_counter_of_event(&machine->stimulus, &machine->hardware,
					   event_of(scenario, scenario->kind));

	if (counter < 0) {
		fail(scenario, "no counter counts %c", scenario->kind);
		return 0;
	}
	return (-more - pmu_counter(&machine->stimulus, &machine->hardware, counter)) &
	       (~0ULL >> (64 - machine->hardware.bits));
}

static __u64 until_end(struct scenario *scenario)
{
	struct scenario_event *event;

	for_each_event(event, scenario)
		if (event->period && event->kind == scenario->kind)
			return event->left;
	fail(scenario, "no event samples %c", scenario->kind);
	return 0;
}

static __u64 expression(struct scenario *scenario);

static __u64 next_random(struct scenario *scenario, __u64 limit)
{
	scenario->random = scenario->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (scenario->random >> 33) % limit;
}

static __u64 factor(struct scenario *scenario)
{
	const struct pmu_hardware *hardware = &scenario->machine->hardware;
	__u64 value;
	char *end;

	if (isdigit(peek(scenario))) {
		value = strtoull(scenario->at, &end, 0);
		scenario->at = end;
		return value;
	}
	if (accept(scenario, "round"))
		return scenario->round;
	if (accept(scenario, "half"))
		return 1ULL << (hardware->bits - 1);
	if (accept(scenario, "range"))
		return hardware->bits < 64 ? 1ULL << hardware->bits : ~0ULL;
	if (accept(scenario, "counters"))
		return hardware->counters;
	if (accept(scenario, "wrap"))
		return until_wrap(scenario, 0);
	if (accept(scenario, "below"))
		return until_wrap(scenario, factor(scenario));
	if (accept(scenario, "end"))
		return until_end(scenario);
	if (accept(scenario, "total"))
		return scenario->events[0].total;
	if (accept(scenario, "random"))
		return next_random(scenario, factor(scenario));
	if (accept(scenario, "n"))
		return scenario->n;
	expect(scenario, "(");
	value = expression(scenario);
	expect(scenario, ")");
	return value;
}

static __u64 term(struct scenario *scenario)
{
	__u64 value = factor(scenario);

	for (;;) {
		if (accept(scenario, "*"))
			value *= factor(scenario);
		else if (accept(scenario, "/"))
			value /= factor(scenario) ?: 1;
		else if (accept(scenario, "%"))
			value %= factor(scenario) ?: 1;
		else
			return value;
	}
}

static __u64 sum(struct scenario *scenario)
{
	__u64 value = term(scenario);

	for (;;) {
		if (accept(scenario, "+"))
			value += term(scenario);
		else if (accept(scenario, "-"))
			value -= term(scenario);
		else
			return value;
	}
}

static __u64 expression(struct scenario *scenario)
{
	__u64 value = sum(scenario);

	if (accept(scenario, "=="))
		return value == sum(scenario);
	return accept(scenario, ">") ? value > sum(scenario) : value;
}

static struct scenario_event *by_id(struct scenario *scenario, unsigned int id)
{
	struct scenario_event *event;

	for_each_event(event, scenario)
		if (event->id == id)
			return event;
	return NULL;
}

static struct scenario_event *by_name(struct scenario *scenario, const char *name)
{
	struct scenario_event *event;

	for_each_event(event, scenario)
		if (!strcmp(event->name, name))
			return event;
	fail(scenario, "no event is called \"%s\"", name);
	return NULL;
}

static bool counts(struct scenario *scenario, const struct scenario_event *event, char kind,
		   __u32 source)
{
	const struct scenario_event *leader = by_id(scenario, event->leader);

	return event->kind == kind && event->enabled && (!leader || leader->enabled) &&
	       (!event->filtered || !((event->source ^ source) & ~event->span));
}

/* An overflow captures all counters; what a group read has saved stays. */
static void capture(struct scenario *scenario)
{
	struct scenario_event *event;

	for_each_event(event, scenario)
		if (!event->saved)
			event->captured = event->total;
}

static void look_at_sample(struct scenario *scenario, const struct scenario_event *sampler,
			   const struct ring_sample *sample)
{
	const struct machine *machine = scenario->machine;
	struct scenario_event *event;
	__u64 expected, n = 0;

	if ((int)sample->cpu != machine->pmu.cpu || !sample->ip)
		fail(scenario, "a sample of CPU %u", sample->cpu);
	for_each_event(event, scenario) {
		if (event->leader != sampler->leader)
			continue;
		expected = machine->hardware.overflow_capture ? event->captured : event->total;
		if (n < sample->number && sample->values[n] != expected)
			fail(scenario, "%s: %llu in a sample of %s, expected %llu", event->name,
			     (unsigned long long)sample->values[n], sampler->name,
			     (unsigned long long)expected);
		n++;
	}
	if (n != sample->number)
		fail(scenario, "%llu counts in a sample of %s, expected %llu",
		     (unsigned long long)sample->number, sampler->name, (unsigned long long)n);
}

/* A timer that polls because of MSIs may have handled some periods first. */
static void look_at_ring(struct scenario *scenario, struct scenario_event *sampler)
{
	bool several = pmu_interrupt_is(&scenario->machine->pmu, "msi");
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	__u64 sum = 0;

	while (ring_next_sample(&sampler->ring, &tally, &sample))
		sum += sample.period;
	if (sum != sampler->due || (tally.samples > 1 && !several))
		fail(scenario, "%s: %llu samples for %llu events, expected %llu", sampler->name,
		     (unsigned long long)tally.samples, (unsigned long long)sum,
		     (unsigned long long)sampler->due);
	if (tally.lost || tally.throttled)
		fail(scenario, "%s: a sample was lost, or it was throttled", sampler->name);
	if (tally.samples && !sampler->any_counts)
		look_at_sample(scenario, sampler, &sample);
	sampler->due = 0;
	/* By default, perf throttles events with more than 100000 samples per second. */
	if (tally.samples && ++scenario->samples % 100 == 0)
		usleep(10000);
}

static void look_at_samples(struct scenario *scenario)
{
	struct scenario_event *event;

	if (scenario->held)
		return;
	for_each_event(event, scenario)
		if (event->period)
			look_at_ring(scenario, event);
	for_each_event(event, scenario)
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
static void occur(struct scenario *scenario, char kind, __u32 source, __u64 number)
{
	struct scenario_event *event;
	bool overflow = false;

	for_each_event(event, scenario) {
		if (!counts(scenario, event, kind, source))
			continue;
		event->total += number;
		if (event->period)
			overflow |= sample(event, number);
	}
	if (!overflow)
		return;
	capture(scenario);
	/* This only waits for the interrupt. */
	pmu_read_cpu(&scenario->machine->pmu);
	look_at_samples(scenario);
}

/* Accounts for events that have occurred because registers were read. */
static void occur_at_reads(struct scenario *scenario)
{
	struct machine *machine = scenario->machine;
	__u64 reads;

	if (!scenario->step)
		return;
	reads = pmu_counter_reads(&machine->stimulus, &machine->hardware);
	occur(scenario, scenario->step_kind, machine->pmu.source,
	      scenario->step * (reads - scenario->step_reads));
	scenario->step_reads = reads;
}

static void do_step(struct scenario *scenario)
{
	struct machine *machine = scenario->machine;
	char kind[2];

	word(scenario, kind, sizeof(kind));
	scenario->step = expression(scenario);
	scenario->step_kind = kind[0];
	scenario->step_reads = pmu_counter_reads(&machine->stimulus, &machine->hardware);
	stimulus_step(&machine->stimulus, event_of(scenario, kind[0]), machine->pmu.source,
		      scenario->step);
}

static void inject(struct scenario *scenario, char kind)
{
	struct machine *machine = scenario->machine;
	__u32 source = machine->pmu.source;
	__u64 number;

	scenario->kind = kind;
	if (accept(scenario, "@"))
		source = factor(scenario);
	number = expression(scenario);
	if (over(scenario))
		return;
	stimulus_inject(&machine->stimulus, event_of(scenario, kind), source, number);
	occur(scenario, kind, source, number);
}

static bool set_filter(struct scenario *scenario, struct scenario_event *event,
		       struct perf_event_attr *attr, bool span)
{
	const struct pmu *pmu = &scenario->machine->pmu;

	event->source = factor(scenario);
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

static bool set(struct scenario *scenario, const char *setting, struct scenario_event *event,
		struct perf_event_attr *attr, __u64 *copies)
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
	} else if (!accept(scenario, "=")) {
		return false;
	} else if (!strcmp(setting, "in")) {
		word(scenario, name, sizeof(name));
		leader = by_name(scenario, name);
		event->leader = leader ? leader->id : 0;
	} else if (!strcmp(setting, "copies")) {
		*copies = expression(scenario);
	} else if (!strcmp(setting, "period")) {
		event->period = expression(scenario);
		attr->sample_period = event->period;
		attr->sample_type = RING_SAMPLE_TYPE;
		attr->read_format = PERF_FORMAT_GROUP;
	} else if (!strcmp(setting, "from") || !strcmp(setting, "span")) {
		return set_filter(scenario, event, attr, !strcmp(setting, "span"));
	} else {
		return false;
	}
	return true;
}

static void add(struct scenario *scenario, const struct scenario_event *wanted,
		struct perf_event_attr *attr)
{
	struct scenario_event *event = &scenario->events[scenario->open];
	struct scenario_event *leader = by_id(scenario, wanted->leader);

	if (scenario->open == SCENARIO_EVENTS) {
		fail(scenario, "too many events");
		return;
	}
	*event = *wanted;
	event->id = ++scenario->last_id;
	event->leader = leader ? leader->id : event->id;
	event->grouped = attr->read_format == PERF_FORMAT_GROUP;
	event->enabled = !attr->disabled;
	event->left = event->period;
	event->fd = pmu_open_attr(&scenario->machine->pmu, attr, leader ? leader->fd : -1);
	if (event->fd < 0) {
		fail(scenario, "%s", strerror(-event->fd));
		return;
	}
	scenario->open++;
	if (event->period && ring_open(&event->ring, event->fd))
		fail(scenario, "no ring buffer");
}

/* Returns how many events are wanted. */
static __u64 parse_event(struct scenario *scenario, struct scenario_event *event,
			 struct perf_event_attr *attr)
{
	char kind[2], setting[16];
	__u64 copies = 1;

	memset(event, 0, sizeof(*event));
	word(scenario, event->name, sizeof(event->name));
	word(scenario, kind, sizeof(kind));
	event->kind = kind[0];
	if (pmu_describe(&scenario->machine->pmu, attr, event_of(scenario, event->kind)))
		fail(scenario, "cannot describe it");
	if (event->kind == 's') {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
	}
	for (word(scenario, setting, sizeof(setting)); setting[0] && !over(scenario);
	     word(scenario, setting, sizeof(setting)))
		if (!set(scenario, setting, event, attr, &copies))
			fail(scenario, "cannot set \"%s\"", setting);
	return copies;
}

static void open_events(struct scenario *scenario)
{
	struct scenario_event event, *leader;
	struct perf_event_attr attr;
	__u64 copies;
	int fd;

	copies = parse_event(scenario, &event, &attr);
	if (scenario->argument && !over(scenario)) {
		leader = by_id(scenario, event.leader);
		fd = pmu_open_attr(&scenario->machine->pmu, &attr, leader ? leader->fd : -1);
		if (fd != -EINVAL)
			fail(scenario, "%s", fd < 0 ? strerror(-fd) : "it is not refused");
		return;
	}
	for (; copies && !over(scenario); copies--) {
		add(scenario, &event, &attr);
		if (attr.read_format == PERF_FORMAT_GROUP && !event.leader)
			event.leader = scenario->last_id;
	}
}

/* What was its group is none any more. */
static void close_event(struct scenario *scenario, struct scenario_event *event)
{
	struct scenario_event *member;

	for_each_event(member, scenario)
		if (member->leader == event->id)
			member->leader = member->id;
	if (event->period)
		ring_close(&event->ring);
	close(event->fd);
	scenario->open--;
	memmove(event, event + 1, (char *)&scenario->events[scenario->open] - (char *)event);
}

static void close_events(struct scenario *scenario)
{
	struct scenario_event *event;
	char name[16];
	unsigned int n;

	word(scenario, name, sizeof(name));
	if (!by_name(scenario, name))
		return;
	for (n = scenario->open; n--;) {
		event = &scenario->events[n];
		if (!strcmp(event->name, name))
			close_event(scenario, event);
	}
}

/* Of a group, only the leader: the others cannot count without it. */
static void control(struct scenario *scenario)
{
	unsigned long request = scenario->argument;
	struct scenario_event *event, *first;
	char name[16];

	word(scenario, name, sizeof(name));
	first = by_name(scenario, name);
	for (event = first; first && event < scenario->events + scenario->open; event++) {
		if (strcmp(event->name, name) || (event != first && event->leader == first->id))
			continue;
		if (ioctl(event->fd, request, 0))
			fail(scenario, "%s", strerror(errno));
		if (request == PERF_EVENT_IOC_RESET)
			event->total = 0;
		else
			event->enabled = request == PERF_EVENT_IOC_ENABLE;
	}
}

static void change_period(struct scenario *scenario)
{
	struct scenario_event *event;
	char name[16];

	word(scenario, name, sizeof(name));
	event = by_name(scenario, name);
	if (!event)
		return;
	event->period = expression(scenario);
	event->left = event->period;
	event->due = 0;
	if (ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &event->period))
		fail(scenario, "%s", strerror(errno));
}

static void expect_count(struct scenario *scenario, const struct scenario_event *event,
			 __u64 value)
{
	if (value != event->total)
		fail(scenario, "%s is %llu (%#llx), expected %llu (%#llx)", event->name,
		     (unsigned long long)value, (unsigned long long)value,
		     (unsigned long long)event->total, (unsigned long long)event->total);
}

/* Whether samples of this group will be made as soon as the interrupt is handled. */
static bool group_is_due(struct scenario *scenario, unsigned int leader)
{
	struct scenario_event *event;

	for_each_event(event, scenario)
		if (event->leader == leader && event->due)
			return true;
	return false;
}

/*
 * As a whole, which captures: what samples must have is saved. Those of this group have no less
 * than what was read.
 */
static void read_group(struct scenario *scenario, const struct scenario_event *leader)
{
	__u64 values[SCENARIO_EVENTS], *value = values;
	struct scenario_event *event;
	unsigned int number = 0;

	for_each_event(event, scenario)
		number += event->leader == leader->id;
	if (pmu_read_group(leader->fd, values, number)) {
		fail(scenario, "cannot read %s and %u others", leader->name, number - 1);
		return;
	}
	for_each_event(event, scenario) {
		if (event->leader == leader->id)
			expect_count(scenario, event, *value++);
		if (event->saved || !group_is_due(scenario, event->leader))
			continue;
		event->saved = true;
		if (event->leader == leader->id)
			event->captured = event->total;
	}
}

static void read_one(struct scenario *scenario, const struct scenario_event *event)
{
	const struct scenario_event *leader = by_id(scenario, event->leader);

	if (event->grouped && event == leader)
		read_group(scenario, event);
	else if (!event->grouped)
		expect_count(scenario, event, pmu_value(event->fd));
}

static void read_counts(struct scenario *scenario)
{
	struct scenario_event *event;
	char name[16];

	word(scenario, name, sizeof(name));
	for_each_event(event, scenario)
		if (!name[0] && (event->leader == event->id ||
				 !by_id(scenario, event->leader)->grouped))
			read_one(scenario, event);
	for (; name[0]; word(scenario, name, sizeof(name)))
		for (event = by_name(scenario, name); event &&
		     event < scenario->events + scenario->open; event++)
			if (!strcmp(event->name, name))
				read_one(scenario, event);
	look_at_samples(scenario);
}

/* A timer that polls because of MSIs may have handled an overflow first. */
static void expect_status(struct scenario *scenario)
{
	struct machine *machine = scenario->machine;
	const struct scenario_event *event;
	__u64 status, expected = 0;
	char name[16];
	int counter;

	for (word(scenario, name, sizeof(name)); name[0]; word(scenario, name, sizeof(name))) {
		event = by_name(scenario, name);
		if (!event)
			return;
		counter = pmu_counter_of_event(&machine->stimulus, &machine->hardware,
					       event_of(scenario, event->kind));
		expected |= 1ULL << (counter & 63);
	}
	status = pmu_overflow_status(&machine->stimulus, &machine->hardware);
	if (status != expected && !(scenario->held && machine->hardware.msi))
		fail(scenario, "the overflow status is %#llx, expected %#llx",
		     (unsigned long long)status, (unsigned long long)expected);
}

static void need(struct scenario *scenario)
{
	const struct machine *machine = scenario->machine;
	const struct {
		const char *what;
		bool there;
	} needs[] = {
		{ "counters", pmu_has_counters(&machine->pmu) },
		{ "interrupt", has_interrupt(machine) },
		{ "capture", machine->hardware.capture },
		{ "overflowcapture", machine->hardware.overflow_capture },
		{ "wraps", machine->hardware.bits < 64 },
		{ "filters", machine->pmu.filters },
		{ "ownfilters", !machine->hardware.global_filter },
		{ "wire", pmu_interrupt_is(&machine->pmu, "wired") },
		{ "suspend", power_can_suspend() },
		{ "othercpu", cpu_other_than(machine->pmu.cpu) >= 0 &&
			      cpu_can_go_offline(machine->pmu.cpu) },
	}, *try = needs;
	char what[16];

	if (isdigit(peek(scenario))) {
		scenario->skipped = factor(scenario) > machine->hardware.counters;
		expect(scenario, "counters");
	} else {
		word(scenario, what, sizeof(what));
		while (strcmp(try->what, what))
			try++;
		scenario->skipped = !try->there;
	}
	if (scenario->skipped)
		fail(scenario, "this PMU does not have this");
}

static void hold(struct scenario *scenario)
{
	scenario->held = scenario->argument;
	stimulus_hold(&scenario->machine->stimulus, scenario->held);
	/* This only waits for the interrupt. */
	pmu_read_cpu(&scenario->machine->pmu);
	look_at_samples(scenario);
}

static void suspend(struct scenario *scenario)
{
	if (scenario->argument)
		stimulus_lose_state(&scenario->machine->stimulus, 100);
	if (power_suspend())
		fail(scenario, "it fails");
}

/* The test runs on the CPU of the PMU, which goes offline: the PMU must move to another one. */
static void leave_cpu(struct scenario *scenario)
{
	struct pmu *pmu = &scenario->machine->pmu;

	scenario->gone = pmu->cpu;
	/* Otherwise the kernel would move this thread and undo the pinning for good. */
	if (cpu_pin(cpu_other_than(scenario->gone)) || cpu_set_online(scenario->gone, false) ||
	    pmu_follow(pmu))
		fail(scenario, "CPU %d: %s", scenario->gone, strerror(errno));
	if (pmu->cpu == scenario->gone || !cpu_is_online(pmu->cpu))
		fail(scenario, "the PMU is on CPU %d", pmu->cpu);
}

static void return_cpu(struct scenario *scenario)
{
	if (cpu_set_online(scenario->gone, true))
		fail(scenario, "CPU %d does not come back", scenario->gone);
}

static void do_if(struct scenario *scenario);
static void do_each(struct scenario *scenario);

static const struct step {
	const char *word;
	void (*play)(struct scenario *scenario);
	unsigned long argument;
} steps[] = {
	{ "open", open_events, false },
	{ "refuse", open_events, true },
	{ "close", close_events, 0 },
	{ "stop", control, PERF_EVENT_IOC_DISABLE },
	{ "start", control, PERF_EVENT_IOC_ENABLE },
	{ "reset", control, PERF_EVENT_IOC_RESET },
	{ "period", change_period, 0 },
	{ "step", do_step, 0 },
	{ "hold", hold, true },
	{ "release", hold, false },
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

static void do_word(struct scenario *scenario)
{
	const struct step *step;
	char what[16];

	word(scenario, what, sizeof(what));
	if (strlen(what) == 1) {
		inject(scenario, what[0]);
		return;
	}
	for (step = steps; step < steps + sizeof(steps) / sizeof(*steps); step++) {
		if (!strcmp(step->word, what)) {
			scenario->argument = step->argument;
			step->play(scenario);
			return;
		}
	}
	fail(scenario, "there is no such step");
}

static void block(struct scenario *scenario);

static void skip_block(struct scenario *scenario)
{
	unsigned int depth = 1;

	for (; depth && *scenario->at; scenario->at++)
		depth += (*scenario->at == '{') - (*scenario->at == '}');
}

static void do_times(struct scenario *scenario, __u64 times)
{
	__u64 outer = scenario->round;
	const char *body;

	expect(scenario, "{");
	body = scenario->at;
	for (scenario->round = 0; scenario->round < times && !over(scenario); scenario->round++) {
		scenario->at = body;
		block(scenario);
	}
	if (over(scenario))
		return;
	scenario->round = outer;
	scenario->at = body;
	skip_block(scenario);
}

static void do_if(struct scenario *scenario)
{
	__u64 condition = expression(scenario);

	expect(scenario, "{");
	if (condition)
		block(scenario);
	if (!condition || over(scenario))
		skip_block(scenario);
	else
		expect(scenario, "}");
}

static void do_each(struct scenario *scenario)
{
	const char *next, *body = scenario->at + strcspn(scenario->at, "{") + 1;

	do {
		scenario->n = expression(scenario);
		next = scenario->at;
		scenario->at = body;
		block(scenario);
		if (over(scenario))
			return;
		scenario->at = next;
	} while (accept(scenario, ","));
	scenario->at = body;
	skip_block(scenario);
}

/* Up to its end. */
static void block(struct scenario *scenario)
{
	__u64 times;

	while (!over(scenario)) {
		while (accept(scenario, ";"))
			;
		if (!peek(scenario) || *scenario->at == '}')
			return;
		snprintf(scenario->now, sizeof(scenario->now), "%.*s",
			 (int)strcspn(scenario->at, ";{}"), scenario->at);
		if (isdigit(*scenario->at)) {
			times = expression(scenario);
			expect(scenario, "times");
			do_times(scenario, times);
			continue;
		}
		do_word(scenario);
		occur_at_reads(scenario);
	}
}

void scenario_begin(struct scenario *scenario, struct machine *machine)
{
	memset(scenario, 0, sizeof(*scenario));
	scenario->machine = machine;
}

/* Returns whether all was as expected. */
bool scenario_play(struct scenario *scenario, const char *steps)
{
	scenario->at = steps;
	block(scenario);
	if (!over(scenario) && *scenario->at)
		fail(scenario, "cannot parse \"%.20s\"", scenario->at);
	return !over(scenario);
}

void scenario_end(struct scenario *scenario)
{
	while (scenario->open)
		close_event(scenario, &scenario->events[scenario->open - 1]);
}
