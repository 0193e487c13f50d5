// SPDX-License-Identifier: GPL-2.0
/*
 * Gauges: events that show a state of the component, whose value can fall (§2.2.2). No known
 * product has any, so the module arm_syspmu_gauges tells the driver that some events are. In the
 * lab, one monitor shows the last number of events, and has no overflow status (rule YCLQB). The
 * others are counters, whose value falls when they wrap, which sets the overflow status.
 */
#include <pthread.h>

#include "coresight_fixture.h"
#include "interleave.h"
#include "refusal.h"
#include "sampling_fixture.h"

#define GAUGES	"/sys/module/arm_syspmu_gauges/parameters/enabled"

/*
 * The gauges of that module. The first two are fixed events on the PMU with several kinds of
 * monitors: that of a counter, and that of the monitor which shows a state.
 */
#define FILL	0x102
#define LEVEL	0x103
#define DEPTH	0x203

#define MAX_EVENTS	160

/**
 * struct gauges - a PMU whose events are gauges, and the events that are open
 * @machine: the PMU
 * @coresight: its registers
 * @fds: the events
 * @events: their number
 */
struct gauges {
	struct machine machine;
	struct coresight_hardware coresight;
	int fds[MAX_EVENTS];
	unsigned int events;
};

FIXTURE(gauge) {
	struct gauges gauges;
};

PMU_VARIANTS(gauge, NULL)

static int rebind(const struct machine *machine, bool gauges)
{
	const struct pmu *pmu = &machine->pmu;
	int error = device_unbind(pmu->driver, pmu->device);

	if (!error && gauges)
		error = write_text(GAUGES, "1");
	if (!error)
		error = device_bind(pmu->driver, pmu->device);
	if (gauges)
		write_text(GAUGES, "0");
	return error;
}

FIXTURE_SETUP(gauge)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;

	gauges->events = 0;
	cpu_all_online();
	machine_setup_unbind(_metadata, machine, variant ? variant->name : NULL);
	if (_metadata->exit_code)
		return;
	if (access(GAUGES, W_OK))
		SKIP(return, "the module arm_syspmu_gauges is not loaded");
	gauges->coresight = coresight_of(machine);
	ASSERT_EQ(0, rebind(machine, true));
	ASSERT_EQ(0, pmu_find(&machine->pmu, machine->pmu.name));
	ASSERT_EQ(0, cpu_pin(machine->pmu.cpu));
	stimulus_traffic(&machine->stimulus, false);
}

static void close_all(struct __test_metadata *_metadata, struct gauges *gauges)
{
	while (gauges->events)
		EXPECT_EQ(0, close(gauges->fds[--gauges->events]));
}

FIXTURE_TEARDOWN(gauge)
{
	struct gauges *gauges = &self->gauges;

	cpu_all_online();
	close_all(_metadata, gauges);
	expect_bound(_metadata, &gauges->machine);
	EXPECT_EQ(0, rebind(&gauges->machine, false));
	machine_teardown(_metadata, &gauges->machine);
}

/* Without a filter, those of no source would be counted where it is a set of sources. */
static struct perf_event_attr attr_of(struct __test_metadata *_metadata,
				      const struct machine *machine, __u32 event)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(&machine->pmu, &attr, event));
	if (!is_uniform(machine))
		ASSERT_EQ(0, pmu_set_field(&machine->pmu, &attr, "filter", 0xffffffff));
	attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

static int open_attr(struct __test_metadata *_metadata, struct gauges *gauges,
		     struct perf_event_attr *attr, int leader)
{
	int fd = must_open_attr(_metadata, &gauges->machine.pmu, attr, leader);

	ASSERT_GT(MAX_EVENTS, gauges->events);
	gauges->fds[gauges->events++] = fd;
	return fd;
}

/* An event that is read by itself, so that nothing is captured. */
static int open_single(struct __test_metadata *_metadata, struct gauges *gauges, __u32 event)
{
	struct perf_event_attr attr = attr_of(_metadata, &gauges->machine, event);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return open_attr(_metadata, gauges, &attr, -1);
}

static int open_event(struct __test_metadata *_metadata, struct gauges *gauges, __u32 event,
		      int leader)
{
	struct perf_event_attr attr = attr_of(_metadata, &gauges->machine, event);

	return open_attr(_metadata, gauges, &attr, leader);
}

/* The n-th enabled monitor that has this event. */
static unsigned int monitor_of(struct __test_metadata *_metadata, struct gauges *gauges,
			       __u32 event, unsigned int n)
{
	bool enabled[CORESIGHT_MONITORS];
	unsigned int monitor;

	enabled_monitors(&gauges->machine.stimulus, enabled);
	for (monitor = 0; monitor < CORESIGHT_MONITORS; monitor++) {
		if (enabled[monitor] &&
		    stimulus_peek32(&gauges->machine.stimulus, PMEVTYPER(monitor)) == event && !n--)
			return monitor;
	}
	ASSERT_TRUE(false)
		TH_LOG("event %#x is on no monitor", event);
	return 0;
}

static __u32 register_of(const struct gauges *gauges, unsigned int monitor)
{
	return gauges->coresight.page_1 | (PMEVCNTR + gauges->coresight.stride * monitor);
}

static __u64 contents_of(struct gauges *gauges, unsigned int monitor)
{
	__u32 offset = register_of(gauges, monitor);

	return gauges->coresight.stride == 4 ? stimulus_peek32(&gauges->machine.stimulus, offset) :
					     stimulus_peek(&gauges->machine.stimulus, offset);
}

static void inject_event(struct gauges *gauges, __u32 event, __u64 number)
{
	stimulus_inject(&gauges->machine.stimulus, event, SOURCE, number);
}

/* Lets a monitor have a value. A counter has to wrap for it if it is lower than before. */
static void set_value(struct __test_metadata *_metadata, struct gauges *gauges,
		      unsigned int monitor, __u32 event, __u64 value)
{
	if (event == LEVEL)
		inject_event(gauges, event, value);
	else if (value != contents_of(gauges, monitor))
		inject_event(gauges, event, value - contents_of(gauges, monitor));
	ASSERT_EQ(value, contents_of(gauges, monitor));
}

static __u64 value_of_one(int fd)
{
	__u64 value;

	return pmu_read_group(fd, &value, 1) ? PMU_NO_VALUE : value;
}

static bool word_bit(struct gauges *gauges, __u32 offset, unsigned int monitor)
{
	return stimulus_peek32(&gauges->machine.stimulus, offset) >> monitor % 32 & 1;
}

static bool has_status(struct gauges *gauges, unsigned int monitor)
{
	return word_bit(gauges, gauges->coresight.page_1 | PMOVSSET(monitor / 32), monitor);
}

static bool interrupts(struct gauges *gauges, unsigned int monitor)
{
	return word_bit(gauges, PMINTENSET(monitor / 32), monitor);
}

/* Up and down, also by more than half of the range; all monitors have these bits. */
static const __u64 values[] = {
	7, 40000, 3, 4, 65535, 1, 32768, 32767, 65534, 2, 2, 50000,
};

#define VALUES	ARRAY_SIZE(values)

static unsigned int gauges_of(const struct machine *machine, __u32 *events)
{
	events[0] = DEPTH;
	events[1] = LEVEL;
	events[2] = FILL;
	return is_uniform(machine) ? 1 : 3;
}

/* The count is the value, from the start on, however often it is read; one access reads it. */
TEST_F_TIMEOUT(gauge, shows_the_value, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int i, n, round, number, monitor;
	__u64 reads, writes, high;
	__u32 events[3], offset;
	int fd;

	number = gauges_of(machine, events);
	for (n = 0; n < number; n++) {
		for (round = 0; round < 2; round++) {
			fd = open_single(_metadata, gauges, events[n]);
			monitor = monitor_of(_metadata, gauges, events[n], 0);
			offset = register_of(gauges, monitor);
			writes = stimulus_writes(stimulus, offset);
			EXPECT_EQ(contents_of(gauges, monitor), pmu_value(fd));
			for (i = 0; i < VALUES; i++) {
				set_value(_metadata, gauges, monitor, events[n], values[i]);
				reads = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
				EXPECT_EQ(values[i], pmu_value(fd))
					TH_LOG("event %#x, round %u", events[n], round);
				EXPECT_EQ(values[i], pmu_value(fd));
				EXPECT_EQ(reads + 2 * reads_of_counter(machine),
					  stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS));
				/* It keeps the last one while it is disabled. */
				ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
				EXPECT_EQ(values[i], pmu_value(fd));
				ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
				EXPECT_EQ(values[i], pmu_value(fd));
				set_value(_metadata, gauges, monitor, events[n], values[i] ^ 0x100);
				ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
				EXPECT_EQ(values[i] ^ 0x100, pmu_value(fd));
				ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
			}
			/* Far from zero, where others need not look for wraps. */
			for (i = 0; i < 3 && is_uniform(machine); i++) {
				high = over_half(machine) + 100 - 40 * i;
				set_value(_metadata, gauges, monitor, events[n], high);
				EXPECT_EQ(high, pmu_value(fd));
			}
			EXPECT_EQ(writes, stimulus_writes(stimulus, offset));
			/* A reset lasts until the next read. */
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
			EXPECT_EQ(contents_of(gauges, monitor), pmu_value(fd));
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
			EXPECT_EQ(0, pmu_value(fd));
			close_all(_metadata, gauges);
		}
	}
}

/* The next event on the monitor counts from zero, and a read takes one access. */
TEST_F_TIMEOUT(gauge, leaves_nothing, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int round, monitor;
	__u64 reads;
	int fd;

	if (!is_uniform(machine) || machine->hardware.bits < 32)
		SKIP(return, "events on this PMU may be on another monitor, or refused");
	for (round = 0; round < 2; round++) {
		open_single(_metadata, gauges, DEPTH);
		monitor = monitor_of(_metadata, gauges, DEPTH, 0);
		set_value(_metadata, gauges, monitor, DEPTH, values[round]);
		close_all(_metadata, gauges);
		fd = open_single(_metadata, gauges, CORESIGHT_EVENT);
		ASSERT_EQ(monitor, monitor_of(_metadata, gauges, CORESIGHT_EVENT, 0));
		EXPECT_EQ(0, pmu_value(fd));
		inject_event(gauges, CORESIGHT_EVENT, over_half(machine));
		reads = stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS);
		EXPECT_EQ(over_half(machine), pmu_value(fd));
		EXPECT_EQ(reads + reads_of_counter(machine),
			  stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS));
		close_all(_metadata, gauges);
	}
}

/* A monitor that only shows a state is never written, not even at probe. */
TEST_F_TIMEOUT(gauge, states_are_not_written, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct stimulus *stimulus = &machine->stimulus;
	unsigned int n, monitor;
	__u32 events[3], offset;
	__u64 writes;

	for (n = 1; n < gauges_of(machine, events); n++) {
		open_event(_metadata, gauges, events[n], -1);
		monitor = monitor_of(_metadata, gauges, events[n], 0);
		offset = register_of(gauges, monitor);
		close_all(_metadata, gauges);
		writes = stimulus_writes(stimulus, offset);
		ASSERT_EQ(0, rebind(machine, true));
		EXPECT_EQ(writes, stimulus_writes(stimulus, offset));
		EXPECT_FALSE(interrupts(gauges, monitor));
	}
	ASSERT_EQ(0, pmu_find(&machine->pmu, machine->pmu.name));
}

/* Other events do not get these monitors, and a gauge for which there is one gets no other. */
TEST_F_TIMEOUT(gauge, only_gauges_use_states, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct perf_event_attr attr = attr_of(_metadata, machine, LEVEL);
	bool enabled[CORESIGHT_MONITORS];
	unsigned int n, number;

	if (is_uniform(machine))
		SKIP(return, "this PMU has no such monitor");
	number = machine->hardware.counters;
	for (n = 0; n < number; n++)
		open_event(_metadata, gauges, CORESIGHT_EVENT, -1);
	EXPECT_EQ(number, enabled_monitors(&machine->stimulus, enabled));
	EXPECT_FALSE(enabled[2]);
	EXPECT_FALSE(enabled[3]);
	n = open_event(_metadata, gauges, LEVEL, -1);
	EXPECT_EQ(3, monitor_of(_metadata, gauges, LEVEL, 0));
	EXPECT_EQ(-EINVAL, pmu_open_attr(&machine->pmu, &attr, n));
}

TEST_F(gauge, sysfs)
{
	struct gauges *gauges = &self->gauges;
	const struct pmu *pmu = &gauges->machine.pmu;
	char text[64];

	ASSERT_EQ(0, pmu_attribute(pmu, "events/depth.snapshot", text, sizeof(text)));
	EXPECT_STREQ("1", text);
	ASSERT_EQ(0, pmu_attribute(pmu, "events/depth", text, sizeof(text)));
	EXPECT_STREQ("event=0x203", text);
}

/* perf record first sets exclude_guest. */
TEST_F_TIMEOUT(gauge, sampling_is_refused, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct pmu *pmu = &gauges->machine.pmu;
	struct refusal refusal = {
		.word = pmu_can_interrupt(pmu) ? "shows a state" : "sample_period",
		.pid = -1,
		.cpu = pmu->cpu,
		.group_fd = -1,
		.expected = -EOPNOTSUPP,
	};

	refusal.attr = attr_of(_metadata, &gauges->machine, DEPTH);
	refusal.attr.sample_period = 1000;
	expect_message(_metadata, pmu, &refusal);
	refusal.attr.exclude_guest = 1;
	EXPECT_EQ(-EOPNOTSUPP, refused(&refusal.attr, -1, pmu->cpu, -1));
	refusal.attr.freq = 1;
	EXPECT_EQ(-EOPNOTSUPP, refused(&refusal.attr, -1, pmu->cpu, -1));
}

/* Ordinary members stay exact, also on a monitor that a gauge has used before. */
TEST_F_TIMEOUT(gauge, groups, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	unsigned int i, round, monitor, words;
	__u64 many = is_uniform(machine) ? over_half(machine) : 1000;
	__u64 total, other, read[3], captures;
	int leader;

	if (machine->hardware.counters < 3)
		SKIP(return, "this PMU has less than three counters");
	for (round = 0; round < 3; round++) {
		captures = stimulus_writes(&machine->stimulus, PMSSCR);
		leader = open_event(_metadata, gauges, round == 1 ? DEPTH : CORESIGHT_EVENT, -1);
		open_event(_metadata, gauges, round == 1 ? CORESIGHT_EVENT : DEPTH, leader);
		open_event(_metadata, gauges, CORESIGHT_OTHER_EVENT, leader);
		monitor = monitor_of(_metadata, gauges, DEPTH, 0);
		total = 0;
		other = 0;
		words = 0;
		for (i = 0; i < VALUES; i++) {
			inject_event(gauges, CORESIGHT_EVENT, 3 + i);
			inject_event(gauges, CORESIGHT_OTHER_EVENT, many);
			set_value(_metadata, gauges, monitor, DEPTH, values[i]);
			total += 3 + i;
			other += many;
			ASSERT_EQ(0, pmu_read_group(leader, read, 3));
			EXPECT_EQ(total, read[round == 1]);
			EXPECT_EQ(values[i], read[round != 1])
				TH_LOG("round %u", round);
			EXPECT_EQ(other, read[2]);
			words++;
		}
		if (machine->hardware.capture)
			EXPECT_LE(captures + words, stimulus_writes(&machine->stimulus, PMSSCR));
		close_all(_metadata, gauges);
	}
}

static bool can_capture(const struct machine *machine)
{
	return machine->hardware.capture;
}

/* All values are those of one instant, while events occur before each access. */
TEST_F_TIMEOUT(gauge, captured_groups, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	__u64 first[2], read[3], last = 0;
	unsigned int round, monitor;
	int leader;

	if (!can_capture(machine))
		SKIP(return, "this PMU has no snapshots");
	leader = open_event(_metadata, gauges, DEPTH, -1);
	open_event(_metadata, gauges, DEPTH, leader);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	first[0] = contents_of(gauges, monitor);
	first[1] = contents_of(gauges, monitor_of(_metadata, gauges, DEPTH, 1));
	for (round = 0; round < 100; round++) {
		stimulus_step(&machine->stimulus, DEPTH, SOURCE, 100);
		ASSERT_EQ(0, pmu_read_group(leader, read, 2));
		stimulus_step(&machine->stimulus, 0, 0, 0);
		EXPECT_EQ(read[0] - first[0], read[1] - first[1])
			TH_LOG("round %u", round);
		if (round)
			EXPECT_LT(last, read[0] - first[0]);
		last = read[0] - first[0];
	}
	close_all(_metadata, gauges);
	/* A monitor that is not saved does not keep the others from being captured. */
	if (is_uniform(machine))
		return;
	leader = open_event(_metadata, gauges, CORESIGHT_EVENT, -1);
	open_event(_metadata, gauges, LEVEL, leader);
	open_event(_metadata, gauges, CORESIGHT_EVENT, leader);
	for (round = 0; round < VALUES; round++) {
		set_value(_metadata, gauges, 3, LEVEL, values[round]);
		stimulus_step(&machine->stimulus, CORESIGHT_EVENT, SOURCE, 100);
		ASSERT_EQ(0, pmu_read_group(leader, read, 3));
		stimulus_step(&machine->stimulus, 0, 0, 0);
		EXPECT_EQ(read[0], read[2]);
		EXPECT_EQ(values[round], read[1]);
	}
}

/* Another agent captures between the reads of two saved values, while events occur before each. */
TEST_F_TIMEOUT(gauge, captured_again, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	__u64 first[2], read[2];
	unsigned int round;
	int leader;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (!can_capture(machine))
		SKIP(return, "this PMU has no snapshots");
	leader = open_event(_metadata, gauges, DEPTH, -1);
	open_event(_metadata, gauges, DEPTH, leader);
	first[0] = contents_of(gauges, monitor_of(_metadata, gauges, DEPTH, 0));
	first[1] = contents_of(gauges, monitor_of(_metadata, gauges, DEPTH, 1));
	for (round = 0; round < 5; round++) {
		/* The driver calls this after each of these reads. */
		ASSERT_EQ(0, call_write("arm_syspmu_reads_as_gone", machine->pmu.page + PMSSCR,
					PMSSCR_SS));
		stimulus_step(&machine->stimulus, DEPTH, SOURCE, 100);
		ASSERT_EQ(0, pmu_read_group(leader, read, 2));
		stimulus_step(&machine->stimulus, 0, 0, 0);
		EXPECT_TRUE(call_has_written());
		EXPECT_EQ(read[0] - first[0], read[1] - first[1])
			TH_LOG("round %u", round);
	}
}

/* The members of a sample: the gauge has its value, the others are exact. */
TEST_F_TIMEOUT(gauge, samples, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct perf_event_attr attr = attr_of(_metadata, machine, CORESIGHT_EVENT);
	__u64 total = 0, other = 0, read[3];
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	unsigned int i, monitor;
	struct ring ring;
	int leader;

	if (!can_sample(machine) || machine->hardware.counters < 3)
		SKIP(return, "this PMU cannot sample, or has less than three counters");
	attr.sample_period = PERIOD;
	attr.sample_type = RING_SAMPLE_TYPE;
	leader = open_attr(_metadata, gauges, &attr, -1);
	ASSERT_EQ(0, ring_open(&ring, leader));
	open_event(_metadata, gauges, DEPTH, leader);
	open_event(_metadata, gauges, CORESIGHT_OTHER_EVENT, leader);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	for (i = 0; i < VALUES; i++) {
		set_value(_metadata, gauges, monitor, DEPTH, values[i]);
		inject_event(gauges, CORESIGHT_OTHER_EVENT, 5 + i);
		inject_event(gauges, CORESIGHT_EVENT, PERIOD);
		total += PERIOD;
		other += 5 + i;
		ASSERT_EQ(0, pmu_read_group(leader, read, 3));
		EXPECT_EQ(total, read[0]);
		EXPECT_EQ(values[i], read[1]);
		EXPECT_EQ(other, read[2]);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
			TH_LOG("no sample %u", i);
		EXPECT_EQ(total, sample.values[0]);
		EXPECT_EQ(values[i], sample.values[1])
			TH_LOG("sample %u", i);
		EXPECT_EQ(other, sample.values[2]);
		EXPECT_EQ(PERIOD, sample.period);
	}
	ring_close(&ring);
}

static bool freezes(struct gauges *gauges)
{
	return stimulus_peek32(&gauges->machine.stimulus, PMCR) & PMCR_FZO;
}

static int open_exclusive(struct __test_metadata *_metadata, struct gauges *gauges,
			  struct ring *ring)
{
	struct perf_event_attr attr = attr_of(_metadata, &gauges->machine, CORESIGHT_EVENT);
	int leader;

	attr.sample_period = PERIOD;
	attr.sample_type = RING_SAMPLE_TYPE;
	attr.exclusive = 1;
	leader = open_attr(_metadata, gauges, &attr, -1);
	ASSERT_EQ(0, ring_open(ring, leader));
	return leader;
}

/* A monitor without overflow status freezes with the others; the sample has its value of then. */
TEST_F_TIMEOUT(gauge, frozen_samples, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	__u64 total = 0, read[2];
	struct ring ring;
	unsigned int i;
	int leader;

	if (!(gauges->coresight.cfgr & PMCFGR_FZO) || is_uniform(machine) || !can_sample(machine))
		SKIP(return, "this PMU cannot freeze, or has no monitor without overflow status");
	leader = open_exclusive(_metadata, gauges, &ring);
	open_event(_metadata, gauges, LEVEL, leader);
	/* A member is added: the group is scheduled again with all of them. */
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(freezes(gauges));
	for (i = 0; i < VALUES; i++) {
		set_value(_metadata, gauges, 3, LEVEL, values[i]);
		stimulus_hold(&machine->stimulus, true);
		inject_event(gauges, CORESIGHT_EVENT, PERIOD);
		total += PERIOD;
		/* Not shown, since it is frozen. */
		inject_event(gauges, LEVEL, 9);
		if (i % 2) {
			ASSERT_EQ(0, pmu_read_group(leader, read, 2));
			EXPECT_EQ(values[i], read[1]);
		}
		stimulus_hold(&machine->stimulus, false);
		ASSERT_EQ(0, pmu_read_group(leader, read, 2));
		EXPECT_EQ(total, read[0]);
		EXPECT_EQ(values[i], read[1]);
		inject_event(gauges, LEVEL, 77);
		ASSERT_EQ(0, pmu_read_group(leader, read, 2));
		EXPECT_EQ(77, read[1]);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample))
			TH_LOG("no sample %u", i);
		EXPECT_EQ(total, sample.values[0]);
		EXPECT_EQ(values[i], sample.values[1]);
	}
	ring_close(&ring);
}

#define MAX_SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

/*
 * perf throttles the group before it makes the sample, which stops the gauge: the sample has the
 * value of the overflow, and the gauge its last one afterwards.
 */
TEST_F_TIMEOUT(gauge, throttled_with_its_group, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	char rate[32];
	__u64 read[2];
	struct ring ring;
	unsigned int i;
	int leader;

	if (!(gauges->coresight.cfgr & PMCFGR_FZO) || is_uniform(machine) || !can_sample(machine))
		SKIP(return, "this PMU cannot freeze, or has no monitor without overflow status");
	if (kernel_is_before(6, 17))
		SKIP(return, "this kernel does not throttle groups");
	leader = open_exclusive(_metadata, gauges, &ring);
	open_event(_metadata, gauges, LEVEL, leader);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_LT(0, read_text(MAX_SAMPLE_RATE, rate, sizeof(rate)));
	ASSERT_EQ(0, write_text(MAX_SAMPLE_RATE, "1"));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
		set_value(_metadata, gauges, 3, LEVEL, values[i]);
		stimulus_hold(&machine->stimulus, true);
		inject_event(gauges, CORESIGHT_EVENT, PERIOD);
		/* Shown from the first access on for which the monitors are not frozen. */
		stimulus_step(&machine->stimulus, LEVEL, SOURCE, 9);
		stimulus_hold(&machine->stimulus, false);
		EXPECT_EQ(0, pmu_read_group(leader, read, 2));
		stimulus_step(&machine->stimulus, 0, 0, 0);
		EXPECT_EQ(9, read[1]);
		ASSERT_TRUE(ring_next_sample(&ring, &tally, &sample));
		EXPECT_EQ((i + 1) * PERIOD, sample.values[0]);
		EXPECT_EQ(values[i], sample.values[1])
			TH_LOG("sample %u", i);
		EXPECT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	}
	EXPECT_EQ(0, write_text(MAX_SAMPLE_RATE, rate));
	EXPECT_LT(0, tally.throttled);
	ring_close(&ring);
}

/* A status that nothing handles must not freeze, be it that of a member or left by another. */
TEST_F_TIMEOUT(gauge, does_not_freeze_others, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct ring_tally tally = { 0 };
	unsigned int i, monitor;
	__u64 read[2];
	struct ring ring;
	int leader;

	if (!(gauges->coresight.cfgr & PMCFGR_FZO) || !can_sample(machine))
		SKIP(return, "this PMU cannot freeze");
	for (i = 0; i < 2; i++) {
		leader = open_exclusive(_metadata, gauges, &ring);
		open_event(_metadata, gauges, DEPTH, leader);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_FALSE(freezes(gauges));
		monitor = monitor_of(_metadata, gauges, DEPTH, 0);
		inject_event(gauges, DEPTH, ~0ULL);
		set_value(_metadata, gauges, monitor, DEPTH, 5);
		EXPECT_TRUE(has_status(gauges, monitor));
		ring_close(&ring);
		close_all(_metadata, gauges);

		leader = open_exclusive(_metadata, gauges, &ring);
		EXPECT_TRUE(freezes(gauges));
		EXPECT_FALSE(has_status(gauges, monitor));
		inject_event(gauges, CORESIGHT_EVENT, PERIOD);
		ASSERT_EQ(0, pmu_read_group(leader, read, 1));
		EXPECT_EQ(PERIOD, read[0]);
		ring_drain(&ring, &tally);
		EXPECT_EQ(i + 1, tally.samples);
		ring_close(&ring);
		close_all(_metadata, gauges);
	}
}

/* An overflow of a gauge does not interrupt and is not handled, those beside it are. */
TEST_F_TIMEOUT(gauge, overflows, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct pmu *pmu = &machine->pmu;
	bool wired = has_interrupt(machine);
	unsigned int i, monitor;
	__u64 total = 0, taken;
	int fd, other;

	fd = open_event(_metadata, gauges, DEPTH, -1);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	EXPECT_FALSE(interrupts(gauges, monitor));
	taken = interrupts_taken(pmu, -1);
	for (i = 0; i < VALUES; i++) {
		inject_event(gauges, DEPTH, over_half(machine));
		inject_event(gauges, DEPTH, over_half(machine));
		set_value(_metadata, gauges, monitor, DEPTH, values[i]);
		EXPECT_TRUE(has_status(gauges, monitor));
		EXPECT_EQ(values[i], value_of_one(fd));
	}
	EXPECT_EQ(taken, interrupts_taken(pmu, -1));
	if (machine->hardware.counters < 2 || machine->hardware.bits < 32 || !is_uniform(machine))
		return;

	other = open_event(_metadata, gauges, CORESIGHT_EVENT, -1);
	for (i = 0; i < 8; i++) {
		set_value(_metadata, gauges, monitor, DEPTH, values[i]);
		inject_event(gauges, CORESIGHT_EVENT, over_half(machine));
		total += over_half(machine);
		if (!wired)
			EXPECT_EQ(total, value_of_one(other));
	}
	EXPECT_EQ(total, value_of_one(other));
	EXPECT_TRUE(has_status(gauges, monitor));
	if (wired && !machine->hardware.msi)
		EXPECT_LT(taken, interrupts_taken(pmu, -1));
	close_all(_metadata, gauges);

	/* The monitor interrupts again for others, but not for what the gauge has left. */
	total = 0;
	taken = interrupts_taken(pmu, -1);
	other = open_event(_metadata, gauges, CORESIGHT_EVENT, -1);
	ASSERT_EQ(monitor, monitor_of(_metadata, gauges, CORESIGHT_EVENT, 0));
	EXPECT_FALSE(has_status(gauges, monitor));
	EXPECT_EQ(wired, interrupts(gauges, monitor));
	EXPECT_EQ(taken, interrupts_taken(pmu, -1));
	for (i = 0; i < 8; i++) {
		inject_event(gauges, CORESIGHT_EVENT, over_half(machine));
		total += over_half(machine);
		if (!wired)
			EXPECT_EQ(total, value_of_one(other));
	}
	EXPECT_EQ(total, value_of_one(other));
}

/* No timer looks for overflows of gauges only. A pinned one stays while others come and go. */
TEST_F_TIMEOUT(gauge, is_not_polled, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct perf_event_attr attr = attr_of(_metadata, machine, DEPTH);
	__u32 offset = gauges->coresight.page_1 | PMOVSCLR(0);
	__u64 polls = stimulus_reads(&machine->stimulus, offset);
	int other;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	attr.pinned = 1;
	open_attr(_metadata, gauges, &attr, -1);
	usleep(20000);
	EXPECT_EQ(polls, stimulus_reads(&machine->stimulus, offset));
	EXPECT_EQ(0, kernel_has_timer("arm_syspmu_poll", NULL));
	if (pmu_interrupt_is(&machine->pmu, "wired") || machine->hardware.bits < 32)
		return;
	other = open_event(_metadata, gauges, CORESIGHT_EVENT, -1);
	EXPECT_EQ(1, kernel_has_timer("arm_syspmu_poll", NULL));
	ASSERT_EQ(0, ioctl(other, PERF_EVENT_IOC_DISABLE, 0));
	while (kernel_has_timer("arm_syspmu_poll", NULL))
		usleep(20000);
	ASSERT_EQ(0, ioctl(other, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(1, kernel_has_timer("arm_syspmu_poll", NULL));
}

/* Nothing wraps: a monitor that is too narrow to be polled can be used by gauges only. */
TEST_F(gauge, narrow_monitors)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct perf_event_attr attr = attr_of(_metadata, machine, CORESIGHT_EVENT);
	unsigned int monitor;
	int fd;

	if (usable_counters(machine))
		SKIP(return, "the monitors of this PMU are wide enough, or interrupt");
	fd = open_event(_metadata, gauges, DEPTH, -1);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	set_value(_metadata, gauges, monitor, DEPTH, 9);
	EXPECT_EQ(9, value_of_one(fd));
	EXPECT_EQ(-EINVAL, pmu_open_attr(&machine->pmu, &attr, -1));
	close_all(_metadata, gauges);
	EXPECT_EQ(-EINVAL, pmu_open_attr(&machine->pmu, &attr, -1));
}

/* Values whose halves differ: none of those read may be made of two of them. */
static const __u64 torn_values[] = {
	0x000100000005, 0x0000fffffff0, 0x00020000ffff, 0x000000000003, 0x000300000001,
};

struct reader {
	int fd;
	int cpu;
	bool stop;
	unsigned long reads;
	__u64 wrong;
};

static void *read_meanwhile(void *argument)
{
	struct reader *reader = argument;
	unsigned int i;
	__u64 value;

	cpu_pin(reader->cpu);
	while (!__atomic_load_n(&reader->stop, __ATOMIC_RELAXED)) {
		value = value_of_one(reader->fd);
		for (i = 0; i < ARRAY_SIZE(torn_values) && value != torn_values[i]; i++)
			;
		if (i == ARRAY_SIZE(torn_values))
			reader->wrong = value;
		__atomic_fetch_add(&reader->reads, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_F_TIMEOUT(gauge, other_cpus_read, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct reader reader = { 0 };
	unsigned int round, monitor;
	unsigned long reads;
	pthread_t thread;

	reader.cpu = cpu_other_than(machine->pmu.cpu);
	if (reader.cpu < 0 || machine->hardware.bits <= 32)
		SKIP(return, "there is only one CPU, or the monitors are read at once");
	reader.fd = open_event(_metadata, gauges, DEPTH, -1);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	set_value(_metadata, gauges, monitor, DEPTH, torn_values[0]);
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_meanwhile, &reader));
	for (round = 0; round < 1000; round++) {
		set_value(_metadata, gauges, monitor, DEPTH,
			  torn_values[round % ARRAY_SIZE(torn_values)]);
		reads = __atomic_load_n(&reader.reads, __ATOMIC_RELAXED);
		while (round % 10 == 0 &&
		       reads == __atomic_load_n(&reader.reads, __ATOMIC_RELAXED))
			;
	}
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, reader.wrong)
		TH_LOG("%#llx", reader.wrong);
}

/* It falls from one with an upper half to one without between the two halves. */
TEST_F_TIMEOUT(gauge, falls_while_it_is_read, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	unsigned int i, monitor;
	__u64 from, to, value;
	int fd;

	if (machine->hardware.bits <= 32)
		SKIP(return, "the monitors are read at once");
	fd = open_event(_metadata, gauges, DEPTH, -1);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	for (i = 0; i < 20; i++) {
		from = torn_values[i % ARRAY_SIZE(torn_values)];
		to = torn_values[(i + 1) % ARRAY_SIZE(torn_values)];
		set_value(_metadata, gauges, monitor, DEPTH, from);
		stimulus_tear(&machine->stimulus, DEPTH, SOURCE, to - from);
		value = value_of_one(fd);
		stimulus_tear(&machine->stimulus, 0, 0, 0);
		EXPECT_TRUE(value == from || value == to)
			TH_LOG("%#llx, neither %#llx nor %#llx", value, from, to);
		EXPECT_EQ(contents_of(gauges, monitor), value_of_one(fd));
	}
}

TEST_F_TIMEOUT(gauge, moves_to_another_cpu, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct pmu *pmu = &machine->pmu;
	int fd, other = -1, gone = pmu->cpu;
	unsigned int i, monitor;
	__u64 total = 0;

	if (cpu_other_than(gone) < 0 || !cpu_can_go_offline(gone))
		SKIP(return, "the CPU of the PMU cannot go offline");
	fd = open_event(_metadata, gauges, DEPTH, -1);
	if (machine->hardware.counters > 1 && machine->hardware.bits >= 32)
		other = open_event(_metadata, gauges, CORESIGHT_EVENT, -1);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	for (i = 0; i < 4; i++) {
		set_value(_metadata, gauges, monitor, DEPTH, values[i]);
		inject_event(gauges, CORESIGHT_EVENT, 1000 + i);
		total += 1000 + i;
		ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
		ASSERT_EQ(0, cpu_set_online(gone, i % 2));
		ASSERT_EQ(0, pmu_follow(pmu));
		monitor = monitor_of(_metadata, gauges, DEPTH, 0);
		EXPECT_EQ(contents_of(gauges, monitor), value_of_one(fd));
		EXPECT_EQ(values[i], value_of_one(fd));
		if (other >= 0)
			EXPECT_EQ(total, value_of_one(other));
	}
}

/* After a sleep, the registers have other values. */
TEST_F_TIMEOUT(gauge, suspend, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	unsigned int i, monitor;
	__u64 total = 0;
	int fd, other = -1;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	fd = open_event(_metadata, gauges, DEPTH, -1);
	if (machine->hardware.counters > 1 && machine->hardware.bits >= 32)
		other = open_event(_metadata, gauges, CORESIGHT_EVENT, -1);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	for (i = 0; i < 4; i++) {
		set_value(_metadata, gauges, monitor, DEPTH, values[i]);
		inject_event(gauges, CORESIGHT_EVENT, 10);
		total += 10;
		if (i % 2)
			stimulus_lose_state(&machine->stimulus, 300 + i);
		ASSERT_EQ(0, power_suspend());
		EXPECT_FALSE(interrupts(gauges, monitor));
		EXPECT_EQ(contents_of(gauges, monitor), value_of_one(fd));
		if (i % 2 == 0)
			EXPECT_EQ(values[i], value_of_one(fd));
		if (other >= 0)
			EXPECT_EQ(total, value_of_one(other));
	}
}

/* The last value stays when the device no longer responds. */
TEST_F_TIMEOUT(gauge, death, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	unsigned int monitor;
	int fd;

	fd = open_event(_metadata, gauges, DEPTH, -1);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	set_value(_metadata, gauges, monitor, DEPTH, 40000);
	EXPECT_EQ(40000, value_of_one(fd));
	set_value(_metadata, gauges, monitor, DEPTH, 12);
	EXPECT_EQ(12, value_of_one(fd));
	stimulus_dead(&machine->stimulus, true);
	EXPECT_EQ(12, value_of_one(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(12, value_of_one(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(12, value_of_one(fd));
	close_all(_metadata, gauges);
	stimulus_dead(&machine->stimulus, false);
	ASSERT_EQ(0, rebind(machine, false));
}

/* The value when the driver was unbound stays readable. */
TEST_F_TIMEOUT(gauge, unbind, SLOW)
{
	struct gauges *gauges = &self->gauges;
	struct machine *machine = &gauges->machine;
	struct pmu *pmu = &machine->pmu;
	unsigned int monitor;
	int fd;

	fd = open_event(_metadata, gauges, DEPTH, -1);
	monitor = monitor_of(_metadata, gauges, DEPTH, 0);
	set_value(_metadata, gauges, monitor, DEPTH, 40000);
	EXPECT_EQ(40000, value_of_one(fd));
	set_value(_metadata, gauges, monitor, DEPTH, 12);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	EXPECT_EQ(12, value_of_one(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(12, value_of_one(fd));
	close_all(_metadata, gauges);
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
}

TEST_HARNESS_MAIN
