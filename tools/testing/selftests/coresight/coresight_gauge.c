// SPDX-License-Identifier: GPL-2.0
/*
 * Gauges: their count is the value of the monitor, in whatever way it is read, and whatever happens
 * to the PMU.
 */
#include <pthread.h>

#include "gauge_fixture.h"
#include "interleave.h"

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
		/* A timer would read the overflow status. */
		if (pmu_interrupt_is(&machine->pmu, "wired"))
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
