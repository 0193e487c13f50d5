// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of perf_event_open(), ioctl(), mmap(), read() and close(), with a model that
 * predicts which must be accepted or refused, and upper bounds of the counts. The seed
 * (SYSPMU_SEED) determines the sequence; SYSPMU_RUNS multiplies the number of steps.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "fixture.h"
#include "random.h"
#include "ring.h"

#define STEPS		600
#define MAX_EVENTS	24
#define MAX_RINGS	4
#define STREAMS		2
#define FIRST_STREAM	0x42
#define INJECTED_EVENTS	2
/* Which of these events exist depends on the family. */
#define FIXED_EVENTS	128

/* Errnos that a call may return; if there are none, it must succeed. */
#define MAY_EINVAL	1u
#define MAY_EOPNOTSUPP	2u

/* An open event. */
struct fuzzed {
	int fd;	/* -1: none */
	struct fuzzed *leader;	/* itself if it leads */
	bool ours;	/* it is of the PMU under test, and takes a counter */
	struct perf_event_attr attr;
	/* What had been injected when it counted nothing, by event and stream */
	__u64 origin[INJECTED_EVENTS][STREAMS];
	__u64 last;	/* its count when it was read last */
	struct ring ring;	/* if it is mapped */
};

static struct {
	struct pmu stranger;
	__u64 event_bits;
	__u64 unnamed[3];
	__u64 random;
	__u64 seed;
	unsigned int step;
	__u64 injected[INJECTED_EVENTS][STREAMS];
	struct fuzzed events[MAX_EVENTS];
	unsigned int rings;
	pid_t reader;
	unsigned int opened;
	unsigned int refused;
} fuzz;

#define for_each_open(event)						\
	for ((event) = fuzz.events; (event) < fuzz.events + MAX_EVENTS; (event)++)	\
		if ((event)->fd >= 0)

static unsigned int below(unsigned int limit)
{
	return (next_random(&fuzz.random) >> 16) % limit;
}

static bool one_in(unsigned int number)
{
	return !below(number);
}

/* Another PMU, whose events cannot be in one group with those of the PMU under test. */
static void find_stranger(void)
{
	struct pmu list[PMU_MAX];
	int i, number = pmu_list(list, PMU_MAX);

	fuzz.stranger.name[0] = '\0';
	for (i = 0; i < number && !fuzz.stranger.name[0]; i++)
		if (list[i].page != pmu->page && list[i].cpu == pmu->cpu)
			fuzz.stranger = list[i];
}

static void prepare(void)
{
	unsigned int i;
	__u64 bit;
	int fd;

	ASSERT_EQ(0, pmu_unnamed_bits(pmu, fuzz.unnamed, ARRAY_SIZE(fuzz.unnamed)));
	find_stranger();
	/* The tests of each family check that these numbers are right. */
	fuzz.event_bits = FIXED_EVENTS - 1;
	for (bit = FIXED_EVENTS; bit <= hardware->event_mask; bit <<= 1) {
		fd = pmu_open(pmu, bit, -1);
		if (fd < 0)
			break;
		fuzz.event_bits |= bit;
		close(fd);
	}
	for (i = 0; i < MAX_EVENTS; i++)
		fuzz.events[i].fd = -1;
	fuzz.seed = environment_number("SYSPMU_SEED", 1);
	fuzz.random = fuzz.seed * 0x9e3779b97f4a7c15 ^ pmu->page;
}

PMU_FIXTURE_WITH(fuzz, any, true, prepare)

static void report(const struct perf_event_attr *attr)
{
	TH_LOG("SYSPMU_SEED=%llu, step %u: config %#llx config1 %#llx config2 %#llx", fuzz.seed,
	       fuzz.step, attr->config, attr->config1, attr->config2);
	TH_LOG("period %llu pinned %d disabled %d exclude %d%d%d%d%d%d", attr->sample_period,
	       (int)attr->pinned, (int)attr->disabled, (int)attr->exclude_user,
	       (int)attr->exclude_kernel, (int)attr->exclude_hv, (int)attr->exclude_idle,
	       (int)attr->exclude_host, (int)attr->exclude_guest);
}

/* Random input */

static __u64 random_number(void)
{
	switch (below(8)) {
	case 0:
		return below(FIXED_EVENTS);
	case 1:
		return below(0x10000);
	case 2:
		return next_random(&fuzz.random) & fuzz.event_bits;
	case 3:
		return pmu->clock;
	case 4:
		return pmu->other_event;
	default:
		return pmu->event;
	}
}

static void random_filter(struct perf_event_attr *attr)
{
	const struct pmu_family *family = pmu->family;
	unsigned int way = below(8);

	if (way < 3 && family->random_filter)
		family->random_filter(pmu, attr, &fuzz.random);
	else if (way < 5 && family->filter)
		family->filter(pmu, attr, FIRST_STREAM + below(STREAMS));
}

static void random_mistake(struct perf_event_attr *attr)
{
	unsigned int word = below(3), flags = below(64);

	if (one_in(2)) {
		__u64 bits = 1ULL << below(64) & fuzz.unnamed[word];

		if (word == 0)
			attr->config |= bits;
		else if (word == 1)
			attr->config1 |= bits;
		else
			attr->config2 |= bits;
		return;
	}
	pmu_set_exclude(attr, flags);
}

static void random_sampling(struct perf_event_attr *attr)
{
	attr->sample_type = one_in(2) ? RING_SAMPLE_TYPE : PERF_SAMPLE_IP;
	if (one_in(3)) {
		attr->freq = 1;
		attr->sample_freq = 1 + below(4000);
	} else {
		attr->sample_period = 1ULL << below(30);
		attr->sample_period += below(1000);
	}
}

static void random_attr(struct perf_event_attr *attr)
{
	static const __u64 formats[] = {
		0, PERF_FORMAT_GROUP, PERF_FORMAT_ID,
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pmu->type;
	attr->read_format = formats[below(ARRAY_SIZE(formats))];
	pmu_set_field(pmu, attr, "event", random_number());
	random_filter(attr);
	if (one_in(8))
		random_mistake(attr);
	if (one_in(3))
		random_sampling(attr);
	attr->disabled = one_in(4);
	attr->pinned = one_in(8);
	attr->exclusive = one_in(16);
	attr->enable_on_exec = one_in(16);
	attr->watermark = one_in(16);
	attr->sample_id_all = one_in(4);
}

/* Expected results */

static unsigned int may_refuse_attr(const struct perf_event_attr *attr)
{
	struct stimulus stimulus = machine->stimulus;
	__u64 number = pmu_field(pmu, attr, "event");
	unsigned int reasons = 0;

	if (pmu->family->refuses_filter && pmu->family->refuses_filter(pmu, &stimulus, attr))
		reasons |= MAY_EINVAL;
	if (attr->config & fuzz.unnamed[0] || attr->config1 & fuzz.unnamed[1] ||
	    attr->config2 & fuzz.unnamed[2])
		reasons |= MAY_EINVAL;
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	    attr->exclude_idle || attr->exclude_host || attr->exclude_guest)
		reasons |= MAY_EINVAL;
	if (number != pmu->clock && number & ~fuzz.event_bits)
		reasons |= MAY_EINVAL;
	if (pmu->family->refuses_event(&stimulus, number))
		reasons |= MAY_EINVAL;
	if (attr->sample_period &&
	    (!pmu_can_sample(pmu) ||
	     (number == pmu->clock && !(attr->sample_type & PERF_SAMPLE_READ))))
		reasons |= MAY_EOPNOTSUPP;
	return reasons;
}

/* There is one filter for all counters, which does not apply to all events. */
static bool have_different_filters(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return hardware->global_filter && pmu_field(pmu, a, "event") != pmu->clock &&
	       pmu_field(pmu, b, "event") != pmu->clock &&
	       (a->config1 != b->config1 || a->config2 != b->config2);
}

/* Whether an event uses a counter that only counts the clock. */
static bool takes_clock(const struct perf_event_attr *attr)
{
	return hardware->clocks && pmu_field(pmu, attr, "event") == pmu->clock;
}

static unsigned int may_refuse_group(const struct perf_event_attr *attr,
				     const struct fuzzed *leader)
{
	unsigned int counters = 0, clocks = 0, reasons = 0;
	const struct fuzzed *event;

	if (!leader)
		return 0;
	*(takes_clock(attr) ? &clocks : &counters) += 1;
	if (leader->leader != leader || attr->pinned || attr->exclusive)
		reasons |= MAY_EINVAL;
	for_each_open(event) {
		if (event->leader != leader->leader || event->attr.type == PERF_TYPE_SOFTWARE)
			continue;
		if (!event->ours || have_different_filters(attr, &event->attr))
			reasons |= MAY_EINVAL;
		*(takes_clock(&event->attr) ? &clocks : &counters) += 1;
	}
	if (counters > hardware->counters || clocks > hardware->clocks)
		reasons |= MAY_EINVAL;
	return reasons;
}

static bool is_expected(unsigned int reasons, int error)
{
	if (!reasons)
		return !error;
	return (reasons & MAY_EINVAL && error == -EINVAL) ||
	       (reasons & MAY_EOPNOTSUPP && error == -EOPNOTSUPP);
}

/* The index of the injected event that it counts, or INJECTED_EVENTS. */
static unsigned int injected_event(const struct perf_event_attr *attr)
{
	__u64 number = pmu_field(pmu, attr, "event");

	return number == pmu->event ? 0 : number == pmu->other_event ? 1 : INJECTED_EVENTS;
}

/* Upper bound of the count of an event: what it would count without most of its filter. */
static __u64 most(const struct fuzzed *event)
{
	unsigned int number = injected_event(&event->attr), stream;
	__u64 total = 0;

	if (number == INJECTED_EVENTS)
		return 0;
	for (stream = 0; stream < STREAMS; stream++)
		if (!pmu->family->counts_source ||
		    pmu->family->counts_source(pmu, &event->attr, FIRST_STREAM + stream))
			total += fuzz.injected[number][stream] - event->origin[number][stream];
	return total;
}

/*
 * Steps
 */

static struct fuzzed *random_event(void)
{
	unsigned int i, index = below(MAX_EVENTS);

	for (i = 0; i < MAX_EVENTS; i++, index = (index + 1) % MAX_EVENTS)
		if (fuzz.events[index].fd >= 0)
			return &fuzz.events[index];
	return NULL;
}

static struct fuzzed *free_place(void)
{
	unsigned int i;

	for (i = 0; i < MAX_EVENTS; i++)
		if (fuzz.events[i].fd < 0)
			return &fuzz.events[i];
	return NULL;
}

static void remember(struct fuzzed *event, int fd, struct fuzzed *leader,
		     const struct perf_event_attr *attr, bool ours)
{
	event->fd = fd;
	event->leader = leader ?: event;
	event->attr = *attr;
	event->ours = ours;
	event->last = 0;
	event->ring.control = NULL;
	memcpy(event->origin, fuzz.injected, sizeof(event->origin));
	fuzz.opened++;
}

static void open_ours(void)
{
	struct fuzzed *event = free_place(), *leader = one_in(4) ? NULL : random_event();
	int pid = -1, cpu = pmu->cpu, fd;
	struct perf_event_attr attr;
	unsigned int reasons;

	if (!event)
		return;
	/* Let groups grow until they are too large. */
	if (leader && !one_in(4))
		leader = leader->leader;
	random_attr(&attr);
	reasons = may_refuse_attr(&attr) | may_refuse_group(&attr, leader);
	if (one_in(16)) {
		pid = 0;
		cpu = one_in(2) ? -1 : cpu;
		/* A group of another task or CPU. */
		reasons |= MAY_EOPNOTSUPP | (leader ? MAY_EINVAL : 0);
	} else if (one_in(16)) {
		cpu = one_in(2) ? 4096 : -1;
		reasons |= MAY_EINVAL;
	}
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, leader ? leader->fd : -1,
		     PERF_FLAG_FD_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	EXPECT_TRUE(is_expected(reasons, fd < 0 ? fd : 0)) {
		TH_LOG("%s, but reasons against it are %#x; pid %d, cpu %d, leader %d",
		       fd < 0 ? strerror(-fd) : "taken", reasons, pid, cpu,
		       leader ? (int)(leader - fuzz.events) : -1);
		report(&attr);
	}
	if (fd >= 0)
		remember(event, fd, leader, &attr, true);
	else
		fuzz.refused++;
}

/* A software event, which may lead a group of the PMU, or one of another PMU, which may not. */
static void open_stranger(void)
{
	struct fuzzed *event = free_place();
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
	int fd;

	if (!event)
		return;
	if (fuzz.stranger.name[0] && one_in(2))
		ASSERT_EQ(0, pmu_describe(&fuzz.stranger, &attr, pmu->event));
	fd = must_open_attr(&attr, -1);
	remember(event, fd, NULL, &attr, false);
}

static void end_reader(void)
{
	int status;

	if (!fuzz.reader)
		return;
	ASSERT_EQ(fuzz.reader, waitpid(fuzz.reader, &status, 0));
	fuzz.reader = 0;
	EXPECT_EQ(0, status)
		TH_LOG("SYSPMU_SEED=%llu, before step %u: a count falls", fuzz.seed, fuzz.step);
}

static void unmap(struct fuzzed *event)
{
	if (!event->ring.control)
		return;
	ring_close(&event->ring);
	fuzz.rings--;
}

/* If a leader is closed, its members become leaders themselves. */
static void close_one(void)
{
	struct fuzzed *closed = random_event(), *event;

	if (!closed)
		return;
	/* The reader has all of them open, too. */
	end_reader();
	unmap(closed);
	close(closed->fd);
	closed->fd = -1;
	for_each_open(event)
		if (event->leader == closed)
			event->leader = event;
}

static void reset(struct fuzzed *event)
{
	memcpy(event->origin, fuzz.injected, sizeof(event->origin));
	event->last = 0;
}

static void control(void)
{
	struct fuzzed *event = random_event(), *member;
	unsigned long flags = one_in(2) ? PERF_IOC_FLAG_GROUP : 0;
	unsigned long request = PERF_EVENT_IOC_ID, argument = flags;
	int expected = 0, error;
	__u64 value;

	if (!event)
		return;
	switch (below(6)) {
	case 0:
		request = PERF_EVENT_IOC_ENABLE;
		break;
	case 1:
		request = PERF_EVENT_IOC_DISABLE;
		break;
	case 2:
		/* A reader would mistake this for a decreasing count. */
		end_reader();
		request = PERF_EVENT_IOC_RESET;
		for_each_open(member)
			if (member == event || (flags && member->leader == event->leader))
				reset(member);
		break;
	case 3:
		request = PERF_EVENT_IOC_REFRESH;
		argument = 1 + below(3);
		expected = event->attr.sample_period ? 0 : -EINVAL;
		break;
	case 4:
		request = PERF_EVENT_IOC_PERIOD;
		value = one_in(8) ? 0 : 1 + below(2000);
		argument = (unsigned long)&value;
		expected = event->attr.sample_period && value ? 0 : -EINVAL;
		break;
	default:
		argument = (unsigned long)&value;
		break;
	}
	error = ioctl(event->fd, request, argument) ? -errno : 0;
	EXPECT_EQ(expected, error) {
		TH_LOG("ioctl %#lx", request);
		report(&event->attr);
	}
}

static void map(void)
{
	struct fuzzed *event = random_event();
	struct ring_tally tally = { 0 };
	int error;

	if (!event)
		return;
	if (event->ring.control) {
		ring_drain(&event->ring, &tally);
		if (one_in(2))
			unmap(event);
		return;
	}
	if (fuzz.rings == MAX_RINGS)
		return;
	error = ring_open(&event->ring, event->fd);
	if (error) {
		event->ring.control = NULL;
		/* perf has put a pinned event into error state. */
		EXPECT_EQ(1, (int)event->attr.pinned)
			report(&event->attr);
		return;
	}
	fuzz.rings++;
}

/* The count of a single event, or PMU_NO_VALUE. */
static __u64 count_of(const struct fuzzed *event)
{
	__u64 buffer[4 + 4 * MAX_EVENTS];

	if (event->attr.read_format & PERF_FORMAT_GROUP)
		return PMU_NO_VALUE;
	return read(event->fd, buffer, sizeof(buffer)) > 0 ? buffer[0] : PMU_NO_VALUE;
}

static void read_one(void)
{
	struct fuzzed *event = random_event();
	__u64 value;

	if (!event || !event->ours || event->attr.read_format & PERF_FORMAT_GROUP)
		return;
	value = count_of(event);
	if (value == PMU_NO_VALUE) {
		EXPECT_EQ(1, (int)event->attr.pinned) {
			TH_LOG("it cannot be read");
			report(&event->attr);
		}
		return;
	}
	EXPECT_LE(event->last, value)
		report(&event->attr);
	event->last = value;
	if (pmu_field(pmu, &event->attr, "event") == pmu->clock)
		return;
	EXPECT_GE(most(event), value)
		report(&event->attr);
}

/* A group has the number of counts that the model predicts. */
static void read_group(void)
{
	__u64 buffer[4 + 4 * MAX_EVENTS];
	struct fuzzed *event = random_event(), *member;
	__u64 members = 0;
	ssize_t length;

	if (!event || !(event->attr.read_format & PERF_FORMAT_GROUP) || event->leader != event)
		return;
	for_each_open(member)
		members += member->leader == event;
	length = read(event->fd, buffer, sizeof(buffer));
	if (!length) {
		EXPECT_EQ(1, (int)event->attr.pinned)
			report(&event->attr);
		return;
	}
	ASSERT_LT(0, length);
	EXPECT_EQ(members, buffer[0])
		report(&event->attr);
}

/* Reads all events on another CPU, if there is one, concurrently with the next steps. */
static void start_reader(void)
{
	__u64 last[MAX_EVENTS] = { 0 }, value;
	struct fuzzed *event;
	int round, cpu;

	end_reader();
	fuzz.reader = fork();
	ASSERT_LE(0, fuzz.reader);
	if (fuzz.reader)
		return;
	cpu = cpu_other_than(pmu->cpu);
	if (cpu >= 0)
		cpu_pin(cpu);
	for (round = 0; round < 20; round++) {
		for_each_open(event) {
			value = count_of(event);
			if (value == PMU_NO_VALUE)
				continue;
			if (value < last[event - fuzz.events])
				_exit(1);
			last[event - fuzz.events] = value;
		}
	}
	_exit(0);
}

static void inject_some(void)
{
	unsigned int event = below(INJECTED_EVENTS), stream = below(STREAMS);
	__u64 number = 1 + below(5000);

	if (one_in(8) && has_interrupt(machine))
		number += 1ULL << (hardware->bits < 64 ? hardware->bits - 2 : 40);
	fuzz.injected[event][stream] += number;
	stimulus_inject(stimulus, event ? pmu->other_event : pmu->event, FIRST_STREAM + stream,
			number);
}

/* Each step is one of these. */
static void (* const choices[])(void) = {
	open_stranger, open_ours, open_ours, open_ours, open_ours, close_one, close_one, control,
	control, map, start_reader, read_group, read_one, read_one, inject_some, inject_some,
};

TEST_F_TIMEOUT(fuzz, random_programs, 3600)
{
	unsigned int steps = STEPS * repeat();
	struct fuzzed *event;

	for (fuzz.step = 0; fuzz.step < steps; fuzz.step++) {
		choices[below(ARRAY_SIZE(choices))]();
		if (_metadata->exit_code != KSFT_PASS)
			break;
	}
	end_reader();
	for_each_open(event) {
		unmap(event);
		close(event->fd);
	}
	/* Otherwise nothing has been tested. */
	EXPECT_LT(0, fuzz.opened);
	EXPECT_LT(0, fuzz.refused);
	TH_LOG("%u events were opened, %u refused", fuzz.opened, fuzz.refused);
	EXPECT_EQ(0, pmu_enabled_counters(stimulus, hardware));
	expect_exact_counts();
}

TEST_HARNESS_MAIN
