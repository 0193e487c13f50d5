// SPDX-License-Identifier: GPL-2.0
/*
 * A counter that overflows again before its interrupt has been handled: its event is stopped with a
 * message, and the CPU can do other work again. And one that overflows while it is being read, by a
 * device that then stops responding.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "coresight_fixture.h"
#include "device.h"
#include "interleave.h"
#include "kmsg.h"

#define NARROW	16
#define FILLERS	64

/*
 * Only a PMU with monitors of several kinds has narrow ones: every fourth one, see the instances of
 * the VM.
 */
static bool is_narrow(const struct machine *machine, unsigned int number)
{
	struct coresight_hardware coresight = coresight_of(machine);
	unsigned int n;

	for (n = 0; n < coresight.monitors; n++)
		if (coresight.monitor[n] == number)
			return n % 4 == 3;
	return false;
}

static bool has_narrow_monitor(const struct machine *machine)
{
	return !is_uniform(machine) && pmu_can_interrupt(&machine->pmu);
}

PMU_FIXTURE(flooded, has_narrow_monitor, true)

static int open_event(struct __test_metadata *_metadata, const struct machine *machine,
		      __u64 period)
{
	struct perf_event_attr attr;

	EXPECT_EQ(0, pmu_describe(&machine->pmu, &attr, CORESIGHT_EVENT));
	attr.sample_period = period;
	EXPECT_EQ(0, pmu_set_field(&machine->pmu, &attr, "filter", 0xffffffff));
	return must_open_attr(_metadata, &machine->pmu, &attr, -1);
}

/*
 * Opens events until one of them uses a narrow monitor, and closes the others. A period of 0 only
 * counts.
 */
static int open_on_narrow(struct __test_metadata *_metadata, const struct machine *machine,
			  __u64 period)
{
	bool before[CORESIGHT_MONITORS], after[CORESIGHT_MONITORS];
	struct stimulus stimulus = machine->stimulus;
	int fds[FILLERS], number, n, fd = -1;
	unsigned int monitor;

	for (number = 0; number < FILLERS && fd < 0; number++) {
		enabled_monitors(&stimulus, before);
		fds[number] = open_event(_metadata, machine, period);
		enabled_monitors(&stimulus, after);
		for (monitor = 0; monitor < CORESIGHT_MONITORS; monitor++)
			if (after[monitor] && !before[monitor] && is_narrow(machine, monitor))
				fd = fds[number];
	}
	for (n = 0; n < number; n++)
		if (fds[n] != fd)
			close(fds[n]);
	return fd;
}

/* Waits for the messages that events have stopped. */
static void await_stops(int mark, unsigned int number)
{
	static const char * const words[] = { "16 bits overflows more often", NULL };

	while (number) {
		usleep(1000);
		number -= kmsg_count(mark, words);
	}
}

TEST_F_TIMEOUT(flooded, event_stops, SLOW)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	int fd, mark = kmsg_mark();
	__u64 value;

	fd = open_on_narrow(_metadata, machine, 0);
	ASSERT_LE(0, fd);
	/* Each read of the counter by the handler makes it overflow again. */
	stimulus_step(stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << NARROW);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << NARROW);
	await_stops(mark, 1);
	stimulus_step(stimulus, CORESIGHT_EVENT, SOURCE, 0);
	/* It does not count until it is started again. */
	value = pmu_value(fd);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 100);
	EXPECT_EQ(value, pmu_value(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 100);
	EXPECT_EQ(value + 100, pmu_value(fd));
	close(fd);
}

/* A PMU of the lab whose monitors differ from each other: the first one has 16 bits. */
static bool is_second(const struct machine *machine, const struct machine *first)
{
	return machine->pmu.cpu == first->pmu.cpu && machine->hardware.sane &&
	       is_uniform(machine) && !coresight_of(machine).cycle_counter &&
	       coresight_of(machine).monitors == 12 && pmu_can_interrupt(&machine->pmu);
}

static const struct machine *second_machine(const struct machine *first)
{
	const struct machine *machine;
	int n, number;

	machine = all_machines(&number);
	for (n = 0; n < number; n++, machine++)
		if (machine->stimulus.page && is_second(machine, first))
			return machine;
	return NULL;
}

/* How often a narrow counter wraps until its event has been stopped */
static __u64 wraps_alone(struct __test_metadata *_metadata, struct machine *machine)
{
	struct stimulus *stimulus = &machine->stimulus;
	int fd = open_on_narrow(_metadata, machine, 0);
	int mark = kmsg_mark();
	__u64 wraps;

	EXPECT_LE(0, fd);
	stimulus_step(stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << NARROW);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << NARROW);
	await_stops(mark, 1);
	stimulus_step(stimulus, CORESIGHT_EVENT, SOURCE, 0);
	wraps = pmu_value(fd) >> NARROW;
	close(fd);
	return wraps;
}

/*
 * What matters is the time of the CPU: the overflows of all PMUs count. After one of the second
 * PMU, the interrupt of the first one has a higher priority, and one overflow less stops its event.
 */
TEST_F_TIMEOUT(flooded, beside_another_pmu, SLOW)
{
	struct machine *machine = &self->machine;
	const struct machine *found = second_machine(machine);
	int fd, other, mark;
	struct machine second;
	__u64 alone;

	if (!found)
		SKIP(return, "there is no other PMU with narrow counters that interrupts this CPU");
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	second = *found;
	/* Others have been before the first time. */
	wraps_alone(_metadata, machine);
	alone = wraps_alone(_metadata, machine);
	fd = open_on_narrow(_metadata, machine, 0);
	ASSERT_LE(0, fd);
	other = must_open(_metadata, &second.pmu, CORESIGHT_EVENT, -1);
	stimulus_step(&machine->stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << NARROW);
	stimulus_step(&second.stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << NARROW);
	stimulus_prepare(&machine->stimulus, CORESIGHT_EVENT, SOURCE);
	ASSERT_EQ(0, call_write("cspmu_take_overflows",
				stimulus_inject_register(&machine->stimulus), 1ULL << NARROW));
	/* A read of its counter makes it overflow. */
	mark = kmsg_mark();
	pmu_value(other);
	await_stops(mark, 2);
	stimulus_step(&machine->stimulus, CORESIGHT_EVENT, SOURCE, 0);
	stimulus_step(&second.stimulus, CORESIGHT_EVENT, SOURCE, 0);
	EXPECT_EQ(alone - 1, pmu_value(fd) >> NARROW);
	close(other);
	close(fd);
}

/*
 * The counter wraps between the read of its value and that of its status. A second read of the
 * value would show that this was the order.
 */
TEST_F_TIMEOUT(flooded, dies_at_any_read, SLOW)
{
	const __u64 before = 100, more = (1ULL << NARROW) - 5;
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct pmu *pmu = &machine->pmu;
	unsigned int reads;
	__u64 value;
	int fd;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	for (reads = 1; reads <= 6; reads++) {
		fd = open_on_narrow(_metadata, machine, 0);
		ASSERT_LE(0, fd);
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, before);
		ASSERT_EQ(before, pmu_value(fd));
		stimulus_hold(stimulus, true);
		stimulus_prepare(stimulus, CORESIGHT_EVENT, SOURCE);
		ASSERT_EQ(0, call_write("cspmu_read_overflows",
					stimulus_inject_register(stimulus), more));
		stimulus_dead_after(stimulus, reads);
		value = pmu_value(fd);
		EXPECT_LE(before, value);
		EXPECT_GE(before + more, value)
			TH_LOG("dead after %u reads", reads);
		EXPECT_TRUE(call_has_written());
		close(fd);
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		stimulus_dead(stimulus, false);
		stimulus_hold(stimulus, false);
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
		ASSERT_EQ(0, pmu_find(pmu, pmu->name));
		stimulus_traffic(stimulus, false);
	}
}

/*
 * A sampling event whose counter wraps once more before the handler reads it. Setting the counter
 * for the next period must not lose that.
 */
TEST_F_TIMEOUT(flooded, wraps_again_before_it_is_read, SLOW)
{
	const __u64 period = 1000, more = 1ULL << NARROW;
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 total = 0;
	int fd, round;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	fd = open_on_narrow(_metadata, machine, period);
	ASSERT_LE(0, fd);
	for (round = 0; round < 3; round++) {
		stimulus_prepare(stimulus, CORESIGHT_EVENT, SOURCE);
		ASSERT_EQ(0, call_write("arm_syspmu_update", stimulus_inject_register(stimulus),
					more));
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, period - total % period);
		total += period - total % period + more;
		EXPECT_EQ(total, pmu_value(fd))
			TH_LOG("round %d", round);
		EXPECT_TRUE(call_has_written());
	}
	call_write("", 0, 0);
	close(fd);
}

TEST_HARNESS_MAIN
