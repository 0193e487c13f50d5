/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common part of the tests of gauges: events that show a state of the component, whose value can
 * fall (§2.2.2). In the lab, one monitor shows the last number of events, and has no overflow
 * status (rule YCLQB). The others are counters, whose value falls when they wrap, which sets the
 * overflow status. Included once by each test.
 */
#ifndef ARM_SYSPMU_GAUGE_FIXTURE_H
#define ARM_SYSPMU_GAUGE_FIXTURE_H

#include "product_fixture.h"

/*
 * The gauges of the module arm_syspmu_products. The first two are fixed events on the PMU with
 * several kinds of monitors: that of a counter, and that of the monitor which shows a state.
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

static inline int rebind(const struct machine *machine, bool gauges)
{
	return rebind_with(machine, gauges ? "gauges" : "none");
}

FIXTURE_SETUP(gauge)
{
	struct gauges *gauges = &self->gauges;

	gauges->events = 0;
	machine_setup_with(_metadata, &gauges->machine, variant ? variant->name : NULL, "gauges");
	if (!_metadata->exit_code)
		gauges->coresight = coresight_of(&gauges->machine);
}

static inline void close_all(struct __test_metadata *_metadata, struct gauges *gauges)
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
static inline struct perf_event_attr attr_of(struct __test_metadata *_metadata,
					     const struct machine *machine, __u32 event)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(&machine->pmu, &attr, event));
	if (!is_uniform(machine))
		ASSERT_EQ(0, pmu_set_field(&machine->pmu, &attr, "filter", 0xffffffff));
	attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

static inline int open_attr(struct __test_metadata *_metadata, struct gauges *gauges,
			    struct perf_event_attr *attr, int leader)
{
	int fd = must_open_attr(_metadata, &gauges->machine.pmu, attr, leader);

	ASSERT_GT(MAX_EVENTS, gauges->events);
	gauges->fds[gauges->events++] = fd;
	return fd;
}

/* An event that is read by itself, so that nothing is captured. */
static inline int open_single(struct __test_metadata *_metadata, struct gauges *gauges, __u32 event)
{
	struct perf_event_attr attr = attr_of(_metadata, &gauges->machine, event);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return open_attr(_metadata, gauges, &attr, -1);
}

static inline int open_event(struct __test_metadata *_metadata, struct gauges *gauges, __u32 event,
			     int leader)
{
	struct perf_event_attr attr = attr_of(_metadata, &gauges->machine, event);

	return open_attr(_metadata, gauges, &attr, leader);
}

/* The n-th enabled monitor that has this event. */
static inline unsigned int monitor_of(struct __test_metadata *_metadata, struct gauges *gauges,
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

static inline __u32 register_of(const struct gauges *gauges, unsigned int monitor)
{
	return gauges->coresight.page_1 | (PMEVCNTR + gauges->coresight.stride * monitor);
}

static inline __u64 contents_of(struct gauges *gauges, unsigned int monitor)
{
	__u32 offset = register_of(gauges, monitor);

	return gauges->coresight.stride == 4 ? stimulus_peek32(&gauges->machine.stimulus, offset) :
					     stimulus_peek(&gauges->machine.stimulus, offset);
}

static inline void inject_event(struct gauges *gauges, __u32 event, __u64 number)
{
	stimulus_inject(&gauges->machine.stimulus, event, SOURCE, number);
}

/* Lets a monitor have a value. A counter has to wrap for it if it is lower than before. */
static inline void set_value(struct __test_metadata *_metadata, struct gauges *gauges,
			     unsigned int monitor, __u32 event, __u64 value)
{
	if (event == LEVEL)
		inject_event(gauges, event, value);
	else if (value != contents_of(gauges, monitor))
		inject_event(gauges, event, value - contents_of(gauges, monitor));
	ASSERT_EQ(value, contents_of(gauges, monitor));
}

static inline __u64 value_of_one(int fd)
{
	__u64 value;

	return pmu_read_group(fd, &value, 1) ? PMU_NO_VALUE : value;
}

static inline bool word_bit(struct gauges *gauges, __u32 offset, unsigned int monitor)
{
	return stimulus_peek32(&gauges->machine.stimulus, offset) >> monitor % 32 & 1;
}

static inline bool has_status(struct gauges *gauges, unsigned int monitor)
{
	return word_bit(gauges, gauges->coresight.page_1 | PMOVSSET(monitor / 32), monitor);
}

static inline bool interrupts(struct gauges *gauges, unsigned int monitor)
{
	return word_bit(gauges, PMINTENSET(monitor / 32), monitor);
}

/* Up and down, also by more than half of the range; all monitors have these bits. */
static const __u64 values[] = {
	7, 40000, 3, 4, 65535, 1, 32768, 32767, 65534, 2, 2, 50000,
};

#define VALUES	ARRAY_SIZE(values)

#endif
