// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of perf_event_open(), ioctl(), mmap(), read() and close(), with a model that
 * predicts which must be accepted or refused, and upper bounds of the counts. The seed
 * (SYSPMU_SEED) determines the sequence; SYSPMU_RUNS multiplies the number of steps.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

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

#define HEX(value)	((unsigned long long)(value))

/* Errnos that a call may return; if there are none, it must succeed. */
#define MAY_EINVAL	1u
#define MAY_EOPNOTSUPP	2u

/* An open event. */
struct fuzzed {
	int fd;	/* -1: none */
	int leader;	/* index of the leader, its own if it leads */
	bool ours;	/* it is of the PMU under test, and takes a counter */
	struct perf_event_attr attr;
	/* What had been injected when it counted nothing, by event and stream */
	__u64 origin[INJECTED_EVENTS][STREAMS];
	__u64 last;	/* its count when it was read last */
	struct ring ring;	/* if it is mapped */
};

FIXTURE(fuzz) {
	struct machine machine;
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
};

PMU_VARIANTS(fuzz, NULL)

static unsigned int below(FIXTURE_DATA(fuzz) * self, unsigned int limit)
{
	return (next_random(&self->random) >> 16) % limit;
}

static bool one_in(FIXTURE_DATA(fuzz) * self, unsigned int number)
{
	return !below(self, number);
}

/* Another PMU, whose events cannot be in one group with those of the PMU under test. */
static void find_stranger(FIXTURE_DATA(fuzz) * self)
{
	struct pmu list[PMU_MAX];
	int i, number = pmu_list(list, PMU_MAX);

	self->stranger.name[0] = '\0';
	for (i = 0; i < number && !self->stranger.name[0]; i++)
		if (list[i].page != self->machine.pmu.page &&
		    list[i].cpu == self->machine.pmu.cpu)
			self->stranger = list[i];
}

FIXTURE_SETUP(fuzz)
{
	struct pmu *pmu = &self->machine.pmu;
	unsigned int i;
	__u64 bit;
	int fd;

	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	ASSERT_EQ(0, pmu_unnamed_bits(pmu, self->unnamed, ARRAY_SIZE(self->unnamed)));
	find_stranger(self);
	/* The tests of each family check that these numbers are right. */
	self->event_bits = FIXED_EVENTS - 1;
	for (bit = FIXED_EVENTS; bit <= self->machine.hardware.event_mask; bit <<= 1) {
		fd = pmu_open(pmu, bit, -1);
		if (fd < 0)
			break;
		self->event_bits |= bit;
		close(fd);
	}
	for (i = 0; i < MAX_EVENTS; i++)
		self->events[i].fd = -1;
	self->seed = environment_number("SYSPMU_SEED", 1);
	self->random = self->seed * 0x9e3779b97f4a7c15 ^ pmu->page;
}

FIXTURE_TEARDOWN(fuzz)
{
	machine_teardown(_metadata, &self->machine);
}

static void report(struct __test_metadata *_metadata, const FIXTURE_DATA(fuzz) * self,
		   const struct perf_event_attr *attr)
{
	TH_LOG("SYSPMU_SEED=%llu, step %u: config %#llx config1 %#llx config2 %#llx",
	       HEX(self->seed), self->step, HEX(attr->config), HEX(attr->config1),
	       HEX(attr->config2));
	TH_LOG("period %llu pinned %d disabled %d exclude %d%d%d%d%d%d",
	       HEX(attr->sample_period), (int)attr->pinned, (int)attr->disabled,
	       (int)attr->exclude_user, (int)attr->exclude_kernel, (int)attr->exclude_hv,
	       (int)attr->exclude_idle, (int)attr->exclude_host, (int)attr->exclude_guest);
}

/* Random input */

static __u64 random_number(FIXTURE_DATA(fuzz) * self)
{
	switch (below(self, 8)) {
	case 0:
		return below(self, FIXED_EVENTS);
	case 1:
		return below(self, 0x10000);
	case 2:
		return next_random(&self->random) & self->event_bits;
	case 3:
		return self->machine.pmu.clock;
	case 4:
		return self->machine.pmu.other_event;
	default:
		return self->machine.pmu.event;
	}
}

static void random_filter(FIXTURE_DATA(fuzz) * self, struct perf_event_attr *attr)
{
	const struct pmu_family *family = self->machine.pmu.family;
	unsigned int way = below(self, 8);

	if (way < 3 && family->random_filter)
		family->random_filter(&self->machine.pmu, attr, &self->random);
	else if (way < 5 && family->filter)
		family->filter(&self->machine.pmu, attr, FIRST_STREAM + below(self, STREAMS));
}

static void random_mistake(FIXTURE_DATA(fuzz) * self, struct perf_event_attr *attr)
{
	unsigned int word = below(self, 3), flags = below(self, 64);

	if (one_in(self, 2)) {
		__u64 bits = 1ULL << below(self, 64) & self->unnamed[word];

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

static void random_sampling(FIXTURE_DATA(fuzz) * self, struct perf_event_attr *attr)
{
	attr->sample_type = one_in(self, 2) ? RING_SAMPLE_TYPE : PERF_SAMPLE_IP;
	if (one_in(self, 3)) {
		attr->freq = 1;
		attr->sample_freq = 1 + below(self, 4000);
	} else {
		attr->sample_period = 1ULL << below(self, 30);
		attr->sample_period += below(self, 1000);
	}
}

static void random_attr(FIXTURE_DATA(fuzz) * self, struct perf_event_attr *attr)
{
	static const __u64 formats[] = {
		0, PERF_FORMAT_GROUP, PERF_FORMAT_ID,
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = self->machine.pmu.type;
	attr->read_format = formats[below(self, ARRAY_SIZE(formats))];
	pmu_set_field(&self->machine.pmu, attr, "event", random_number(self));
	random_filter(self, attr);
	if (one_in(self, 8))
		random_mistake(self, attr);
	if (one_in(self, 3))
		random_sampling(self, attr);
	attr->disabled = one_in(self, 4);
	attr->pinned = one_in(self, 8);
	attr->exclusive = one_in(self, 16);
	attr->enable_on_exec = one_in(self, 16);
	attr->watermark = one_in(self, 16);
	attr->sample_id_all = one_in(self, 4);
}

/* Expected results */

static unsigned int may_refuse_attr(const FIXTURE_DATA(fuzz) * self,
				    const struct perf_event_attr *attr)
{
	struct stimulus stimulus = self->machine.stimulus;
	const struct pmu *pmu = &self->machine.pmu;
	__u64 number = pmu_field(pmu, attr, "event");
	unsigned int reasons = 0;

	if (pmu->family->refuses_filter && pmu->family->refuses_filter(pmu, &stimulus, attr))
		reasons |= MAY_EINVAL;
	if (attr->config & self->unnamed[0] || attr->config1 & self->unnamed[1] ||
	    attr->config2 & self->unnamed[2])
		reasons |= MAY_EINVAL;
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	    attr->exclude_idle || attr->exclude_host || attr->exclude_guest)
		reasons |= MAY_EINVAL;
	if (number != pmu->clock && number & ~self->event_bits)
		reasons |= MAY_EINVAL;
	if (pmu->family->refuses_event(&stimulus, number))
		reasons |= MAY_EINVAL;
	if (attr->sample_period && !pmu_can_sample(pmu))
		reasons |= MAY_EOPNOTSUPP;
	return reasons;
}

/* There is one filter for all counters, which does not apply to all events. */
static bool have_different_filters(const FIXTURE_DATA(fuzz) * self,
				   const struct perf_event_attr *a,
				   const struct perf_event_attr *b)
{
	const struct pmu *pmu = &self->machine.pmu;

	return self->machine.hardware.global_filter &&
	       pmu_field(pmu, a, "event") != pmu->clock &&
	       pmu_field(pmu, b, "event") != pmu->clock &&
	       (a->config1 != b->config1 || a->config2 != b->config2);
}

/* Whether an event uses a counter that only counts the clock. */
static bool takes_clock(const FIXTURE_DATA(fuzz) * self, const struct perf_event_attr *attr)
{
	const struct pmu *pmu = &self->machine.pmu;

	return self->machine.hardware.clocks && pmu_field(pmu, attr, "event") == pmu->clock;
}

static unsigned int may_refuse_group(const FIXTURE_DATA(fuzz) * self,
				     const struct perf_event_attr *attr, int leader)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	const struct fuzzed *events = self->events;
	unsigned int i, counters = 0, clocks = 0, reasons = 0;

	if (leader < 0)
		return 0;
	*(takes_clock(self, attr) ? &clocks : &counters) += 1;
	if (events[leader].leader != leader || attr->pinned || attr->exclusive)
		reasons |= MAY_EINVAL;
	for (i = 0; i < MAX_EVENTS; i++) {
		if (events[i].fd < 0 || events[i].leader != events[leader].leader ||
		    events[i].attr.type == PERF_TYPE_SOFTWARE)
			continue;
		if (!events[i].ours)
			reasons |= MAY_EINVAL;
		else if (have_different_filters(self, attr, &events[i].attr))
			reasons |= MAY_EINVAL;
		*(takes_clock(self, &events[i].attr) ? &clocks : &counters) += 1;
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
static unsigned int injected_event(const FIXTURE_DATA(fuzz) * self,
				   const struct perf_event_attr *attr)
{
	const struct pmu *pmu = &self->machine.pmu;
	__u64 number = pmu_field(pmu, attr, "event");

	return number == pmu->event ? 0 : number == pmu->other_event ? 1 : INJECTED_EVENTS;
}

/* Upper bound of the count of an event: what it would count without most of its filter. */
static __u64 most(const FIXTURE_DATA(fuzz) * self, const struct fuzzed *event)
{
	unsigned int number = injected_event(self, &event->attr), stream;
	const struct pmu *pmu = &self->machine.pmu;
	__u64 total = 0;

	if (number == INJECTED_EVENTS)
		return 0;
	for (stream = 0; stream < STREAMS; stream++)
		if (!pmu->family->counts_source ||
		    pmu->family->counts_source(pmu, &event->attr, FIRST_STREAM + stream))
			total += self->injected[number][stream] - event->origin[number][stream];
	return total;
}

/*
 * Steps
 */

static int random_event(FIXTURE_DATA(fuzz) * self)
{
	int i, index = below(self, MAX_EVENTS);

	for (i = 0; i < MAX_EVENTS; i++, index = (index + 1) % MAX_EVENTS)
		if (self->events[index].fd >= 0)
			return index;
	return -1;
}

static struct fuzzed *free_place(FIXTURE_DATA(fuzz) * self)
{
	unsigned int i;

	for (i = 0; i < MAX_EVENTS; i++)
		if (self->events[i].fd < 0)
			return &self->events[i];
	return NULL;
}

static void remember(FIXTURE_DATA(fuzz) * self, struct fuzzed *event, int fd, int leader,
		     const struct perf_event_attr *attr, bool ours)
{
	event->fd = fd;
	event->leader = leader < 0 ? event - self->events : leader;
	event->attr = *attr;
	event->ours = ours;
	event->last = 0;
	event->ring.control = NULL;
	memcpy(event->origin, self->injected, sizeof(event->origin));
	self->opened++;
}

static void open_ours(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	struct fuzzed *event = free_place(self);
	const struct pmu *pmu = &self->machine.pmu;
	int leader = one_in(self, 4) ? -1 : random_event(self), pid = -1, cpu = pmu->cpu, fd;
	struct perf_event_attr attr;
	unsigned int reasons;

	if (!event)
		return;
	/* Let groups grow until they are too large. */
	if (leader >= 0 && !one_in(self, 4))
		leader = self->events[leader].leader;
	random_attr(self, &attr);
	reasons = may_refuse_attr(self, &attr) | may_refuse_group(self, &attr, leader);
	if (one_in(self, 16)) {
		pid = 0;
		cpu = one_in(self, 2) ? -1 : cpu;
		/* A group of another task or CPU. */
		reasons |= MAY_EOPNOTSUPP | (leader < 0 ? 0 : MAY_EINVAL);
	} else if (one_in(self, 16)) {
		cpu = one_in(self, 2) ? 4096 : -1;
		reasons |= MAY_EINVAL;
	}
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu,
		     leader < 0 ? -1 : self->events[leader].fd, PERF_FLAG_FD_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	EXPECT_TRUE(is_expected(reasons, fd < 0 ? fd : 0)) {
		TH_LOG("%s, but reasons against it are %#x; pid %d, cpu %d, leader %d",
		       fd < 0 ? strerror(-fd) : "taken", reasons, pid, cpu, leader);
		report(_metadata, self, &attr);
	}
	if (fd >= 0)
		remember(self, event, fd, leader, &attr, true);
	else
		self->refused++;
}

/* A software event, which may lead a group of the PMU, or one of another PMU, which may not. */
static void open_stranger(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
	struct fuzzed *event = free_place(self);
	int fd;

	if (!event)
		return;
	if (self->stranger.name[0] && one_in(self, 2))
		ASSERT_EQ(0, pmu_describe(&self->stranger, &attr, self->machine.pmu.event));
	fd = pmu_open_attr(&self->machine.pmu, &attr, -1);
	ASSERT_LE(0, fd);
	remember(self, event, fd, -1, &attr, false);
}

static void end_reader(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	int status;

	if (!self->reader)
		return;
	ASSERT_EQ(self->reader, waitpid(self->reader, &status, 0));
	self->reader = 0;
	EXPECT_EQ(0, status)
		TH_LOG("SYSPMU_SEED=%llu, before step %u: a count falls", HEX(self->seed),
		       self->step);
}

static void unmap(FIXTURE_DATA(fuzz) * self, struct fuzzed *event)
{
	if (!event->ring.control)
		return;
	ring_close(&event->ring);
	self->rings--;
}

/* If a leader is closed, its members become leaders themselves. */
static void close_one(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	int i, index = random_event(self);

	if (index < 0)
		return;
	/* The reader has all of them open, too. */
	end_reader(_metadata, self);
	unmap(self, &self->events[index]);
	close(self->events[index].fd);
	self->events[index].fd = -1;
	for (i = 0; i < MAX_EVENTS; i++)
		if (self->events[i].fd >= 0 && self->events[i].leader == index)
			self->events[i].leader = i;
}

static void reset(FIXTURE_DATA(fuzz) * self, struct fuzzed *event)
{
	memcpy(event->origin, self->injected, sizeof(event->origin));
	event->last = 0;
}

static void control(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	int i, index = random_event(self), expected = 0, error;
	unsigned long flags = one_in(self, 2) ? PERF_IOC_FLAG_GROUP : 0;
	struct fuzzed *event = &self->events[index];
	unsigned long request = PERF_EVENT_IOC_ID, argument = flags;
	__u64 value;

	if (index < 0)
		return;
	switch (below(self, 6)) {
	case 0:
		request = PERF_EVENT_IOC_ENABLE;
		break;
	case 1:
		request = PERF_EVENT_IOC_DISABLE;
		break;
	case 2:
		/* A reader would mistake this for a decreasing count. */
		end_reader(_metadata, self);
		request = PERF_EVENT_IOC_RESET;
		for (i = 0; i < MAX_EVENTS; i++)
			if (i == index || (flags && self->events[i].fd >= 0 &&
					   self->events[i].leader == event->leader))
				reset(self, &self->events[i]);
		break;
	case 3:
		request = PERF_EVENT_IOC_REFRESH;
		argument = 1 + below(self, 3);
		expected = event->attr.sample_period ? 0 : -EINVAL;
		break;
	case 4:
		request = PERF_EVENT_IOC_PERIOD;
		value = one_in(self, 8) ? 0 : 1 + below(self, 2000);
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
		report(_metadata, self, &event->attr);
	}
}

static void map(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	int index = random_event(self), error;
	struct ring_tally tally = { 0 };
	struct fuzzed *event;

	if (index < 0)
		return;
	event = &self->events[index];
	if (event->ring.control) {
		ring_drain(&event->ring, &tally);
		if (one_in(self, 2))
			unmap(self, event);
		return;
	}
	if (self->rings == MAX_RINGS)
		return;
	error = ring_open(&event->ring, event->fd);
	if (error) {
		event->ring.control = NULL;
		/* perf has put a pinned event into error state. */
		EXPECT_EQ(1, (int)event->attr.pinned)
			report(_metadata, self, &event->attr);
		return;
	}
	self->rings++;
}

/* The count of a single event, or PMU_NO_VALUE. */
static __u64 count_of(const struct fuzzed *event)
{
	__u64 buffer[4 + 4 * MAX_EVENTS];

	if (event->attr.read_format & PERF_FORMAT_GROUP)
		return PMU_NO_VALUE;
	return read(event->fd, buffer, sizeof(buffer)) > 0 ? buffer[0] : PMU_NO_VALUE;
}

static void read_one(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	int index = random_event(self);
	struct fuzzed *event;
	__u64 value;

	if (index < 0)
		return;
	event = &self->events[index];
	if (!event->ours || event->attr.read_format & PERF_FORMAT_GROUP)
		return;
	value = count_of(event);
	if (value == PMU_NO_VALUE) {
		EXPECT_EQ(1, (int)event->attr.pinned) {
			TH_LOG("it cannot be read");
			report(_metadata, self, &event->attr);
		}
		return;
	}
	EXPECT_LE(event->last, value)
		report(_metadata, self, &event->attr);
	event->last = value;
	if (pmu_field(&self->machine.pmu, &event->attr, "event") == self->machine.pmu.clock)
		return;
	EXPECT_GE(most(self, event), value)
		report(_metadata, self, &event->attr);
}

/* A group has the number of counts that the model predicts. */
static void read_group(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	__u64 buffer[4 + 4 * MAX_EVENTS];
	int i, index = random_event(self);
	struct fuzzed *event;
	__u64 members = 0;
	ssize_t length;

	if (index < 0)
		return;
	event = &self->events[index];
	if (!(event->attr.read_format & PERF_FORMAT_GROUP) || event->leader != index)
		return;
	for (i = 0; i < MAX_EVENTS; i++)
		members += self->events[i].fd >= 0 && self->events[i].leader == index;
	length = read(event->fd, buffer, sizeof(buffer));
	if (!length) {
		EXPECT_EQ(1, (int)event->attr.pinned)
			report(_metadata, self, &event->attr);
		return;
	}
	ASSERT_LT(0, length);
	EXPECT_EQ(members, buffer[0])
		report(_metadata, self, &event->attr);
}

/* Reads all events on another CPU, if there is one, concurrently with the next steps. */
static void start_reader(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	__u64 last[MAX_EVENTS] = { 0 }, value;
	int i, round, cpu;

	end_reader(_metadata, self);
	self->reader = fork();
	ASSERT_LE(0, self->reader);
	if (self->reader)
		return;
	cpu = cpu_other_than(self->machine.pmu.cpu);
	if (cpu >= 0)
		cpu_pin(cpu);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < MAX_EVENTS; i++) {
			if (self->events[i].fd < 0)
				continue;
			value = count_of(&self->events[i]);
			if (value == PMU_NO_VALUE)
				continue;
			if (value < last[i])
				_exit(1);
			last[i] = value;
		}
	}
	_exit(0);
}

static void inject_some(FIXTURE_DATA(fuzz) * self)
{
	unsigned int event = below(self, INJECTED_EVENTS), stream = below(self, STREAMS);
	const struct pmu *pmu = &self->machine.pmu;
	__u64 number = 1 + below(self, 5000);

	if (one_in(self, 8) && has_interrupt(&self->machine))
		number += 1ULL << (self->machine.hardware.bits < 64 ?
				   self->machine.hardware.bits - 2 : 40);
	self->injected[event][stream] += number;
	stimulus_inject(&self->machine.stimulus, event ? pmu->other_event : pmu->event,
			FIRST_STREAM + stream, number);
}

static void do_step(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self)
{
	switch (below(self, 16)) {
	case 0:
		open_stranger(_metadata, self);
		break;
	case 1 ... 4:
		open_ours(_metadata, self);
		break;
	case 5 ... 6:
		close_one(_metadata, self);
		break;
	case 7 ... 8:
		control(_metadata, self);
		break;
	case 9:
		map(_metadata, self);
		break;
	case 10:
		start_reader(_metadata, self);
		break;
	case 11:
		read_group(_metadata, self);
		break;
	case 12 ... 13:
		read_one(_metadata, self);
		break;
	default:
		inject_some(self);
	}
}

TEST_F_TIMEOUT(fuzz, random_programs, 3600)
{
	unsigned int i, steps = STEPS * repeat();

	for (self->step = 0; self->step < steps; self->step++) {
		do_step(_metadata, self);
		if (_metadata->exit_code != KSFT_PASS)
			break;
	}
	end_reader(_metadata, self);
	for (i = 0; i < MAX_EVENTS; i++) {
		if (self->events[i].fd < 0)
			continue;
		unmap(self, &self->events[i]);
		close(self->events[i].fd);
	}
	/* Otherwise nothing has been tested. */
	EXPECT_LT(0, self->opened);
	EXPECT_LT(0, self->refused);
	TH_LOG("%u events were opened, %u refused", self->opened, self->refused);
	EXPECT_EQ(0, pmu_enabled_counters(&self->machine.stimulus, &self->machine.hardware));
	expect_exact_counts(_metadata, &self->machine);
}

TEST_HARNESS_MAIN
