// SPDX-License-Identifier: GPL-2.0
/* The CPU that counts a PMCG goes away and comes back while events are counted. */
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "pmcg_fixture.h"

FIXTURE(hotplug) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(hotplug) {
	char name[PMCG_NAME_LENGTH];
};

FIXTURE_SETUP(hotplug)
{
	cpu_all_online();
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	if (cpu_other_than(self->machine.pmcg.cpu) < 0)
		SKIP(return, "there is one CPU only");
	if (!cpu_can_go_offline(self->machine.pmcg.cpu))
		SKIP(return, "CPU %d cannot go offline", self->machine.pmcg.cpu);
}

FIXTURE_TEARDOWN(hotplug)
{
	cpu_all_online();
	machine_teardown(_metadata, &self->machine);
}

static void LATER add_hotplug_variants(void)
{
	add_variants(&_hotplug_fixture_object, NULL);
}

/* Takes the PMU's CPU away. The PMU must have gone to one that runs. */
static int take_cpu_away(struct __test_metadata *_metadata, struct pmcg *pmcg)
{
	int gone = pmcg->cpu, error;

	/* Not by the kernel's force, which would undo the pinning for good. */
	ASSERT_EQ(0, pmcg_pin(cpu_other_than(gone)));
	error = cpu_set_online(gone, false);
	ASSERT_EQ(0, error)
		TH_LOG("CPU %d: %s", gone, strerror(-error));
	ASSERT_EQ(0, pmcg_follow(pmcg));
	ASSERT_NE(gone, pmcg->cpu);
	ASSERT_TRUE(cpu_is_online(pmcg->cpu));
	return gone;
}

static __u64 over_half(const struct pmcg_machine *machine)
{
	return (1ULL << (machine->hardware.bits - 1)) + 1;
}

TEST_F_TIMEOUT(hotplug, counts_go_on, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 total = 0;
	int fd, gone, round;

	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (round = 1; round <= 2; round++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 1000 + round);
		total += 1000 + round;
		if (round % 2) {
			EXPECT_EQ(total, pmcg_value(fd))
				TH_LOG("round %d", round);
		}
		gone = take_cpu_away(_metadata, &machine->pmcg);
		EXPECT_EQ(total, pmcg_value(fd))
			TH_LOG("after CPU %d went", gone);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 7);
		total += 7;
		EXPECT_EQ(total, pmcg_value(fd));
		ASSERT_EQ(0, cpu_set_online(gone, true));
		EXPECT_EQ(total, pmcg_value(fd))
			TH_LOG("after CPU %d came back", gone);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 9);
		total += 9;
	}
	EXPECT_EQ(total, pmcg_value(fd));
}

/* The interrupt moves along: nobody reads while the counter goes round and round. */
TEST_F_TIMEOUT(hotplug, overflows_go_on, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 total = 0, step = over_half(machine);
	int fd, gone, round, i;

	if (!has_interrupt(machine))
		SKIP(return, "this PMCG has no interrupt");
	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (round = 0; round < 2; round++) {
		gone = take_cpu_away(_metadata, &machine->pmcg);
		for (i = 0; i < 50; i++, total += step)
			stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		ASSERT_EQ(0, cpu_set_online(gone, true));
		for (i = 0; i < 50; i++, total += step)
			stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		EXPECT_EQ(total, pmcg_value(fd));
		EXPECT_EQ(0, pmcg_overflow_status(stimulus, &machine->hardware));
	}
}

TEST_F_TIMEOUT(hotplug, groups_and_filters_go_along, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	const struct pmcg_hardware *hardware = &machine->hardware;
	struct pmcg_filter filter;
	__u64 values[PMCG_MAX_COUNTERS], expected[PMCG_MAX_COUNTERS] = { 0 };
	unsigned int n, round;
	int leader = -1, fd, gone;

	for (n = 0; n < hardware->counters; n++) {
		filter = spanning(hardware->global_filter ? 0x100 : 0x100 + 4 * n);
		fd = n ? must_open(_metadata, &machine->pmcg, filterable_event(hardware, n % 2),
				   &filter, leader) :
			 must_open_leader(_metadata, &machine->pmcg, filterable_event(hardware, 0),
					  &filter);
		leader = n ? leader : fd;
	}
	for (round = 1; round <= 2; round++) {
		gone = take_cpu_away(_metadata, &machine->pmcg);
		for (n = 0; n < hardware->counters; n++) {
			/* On a global filter one event is enough for all of its kind. */
			if (hardware->global_filter && n > 1)
				continue;
			stimulus_inject(&machine->stimulus, filterable_event(hardware, n % 2),
					hardware->global_filter ? 0x101 : 0x101 + 4 * n,
					round * (n + 3));
			stimulus_inject(&machine->stimulus, filterable_event(hardware, n % 2),
					0x5000, 1000000);
		}
		for (n = 0; n < hardware->counters; n++)
			expected[n] += round * ((hardware->global_filter ? n % 2 : n) + 3);
		ASSERT_EQ(0, pmcg_read_group(leader, values, hardware->counters));
		for (n = 0; n < hardware->counters; n++) {
			EXPECT_EQ(expected[n], values[n])
				TH_LOG("event %u", n);
		}
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
}

/* An overflow whose interrupt is still on its way when the CPU goes. */
TEST_F_TIMEOUT(hotplug, late_interrupt_finds_its_way, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 total = 0, step = over_half(machine);
	int fd, gone, round;

	if (machine->pmcg.in_tree)
		SKIP(return, "in-tree driver: warns about an overflow without an event");
	if (!has_interrupt(machine))
		SKIP(return, "this PMCG has no interrupt");
	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (round = 0; round < 2; round++) {
		stimulus_hold(stimulus, true);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		gone = take_cpu_away(_metadata, &machine->pmcg);
		stimulus_hold(stimulus, false);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		total += 3 * step;
		EXPECT_EQ(total, pmcg_value(fd));
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
}

/* perf enables every event that it moves: it counts from there, and stops when told. */
TEST_F_TIMEOUT(hotplug, disabled_events_move_too, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	int fd, gone;

	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 5);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	gone = take_cpu_away(_metadata, &machine->pmcg);
	EXPECT_EQ(5, pmcg_value(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 1000);
	EXPECT_EQ(5, pmcg_value(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 6);
	EXPECT_EQ(11, pmcg_value(fd));
	ASSERT_EQ(0, cpu_set_online(gone, true));
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 7);
	EXPECT_EQ(18, pmcg_value(fd));
}

static void expect_affinity(struct __test_metadata *_metadata, int irq, int cpu, const char *when)
{
	char text[64], expected[16];

	snprintf(expected, sizeof(expected), "%d", cpu);
	ASSERT_EQ(0, irq_attribute(irq, "smp_affinity_list", text, sizeof(text)));
	EXPECT_STREQ(expected, text)
		TH_LOG("interrupt %d %s", irq, when);
}

/* Where it counts and nowhere else, and nobody can take it away from there. */
TEST_F_TIMEOUT(hotplug, interrupt_is_delivered_where_it_counts, SLOW)
{
	struct pmcg *pmcg = &self->machine.pmcg;
	int irq, gone, round;
	char path[64];

	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: its interrupts do not have the names of devices");
	if (!has_interrupt(&self->machine))
		SKIP(return, "this PMCG has no interrupt");
	irq = irq_of_device(pmcg->device);
	ASSERT_LE(0, irq)
		TH_LOG("no interrupt of %s", pmcg->device);
	snprintf(path, sizeof(path), "/proc/irq/%d/smp_affinity", irq);
	for (round = 0; round < 2; round++) {
		expect_affinity(_metadata, irq, pmcg->cpu, "before");
		gone = take_cpu_away(_metadata, pmcg);
		expect_affinity(_metadata, irq, pmcg->cpu, "after its CPU went");
		ASSERT_EQ(0, cpu_set_online(gone, true));
		expect_affinity(_metadata, irq, pmcg->cpu, "after the CPU came back");
		EXPECT_GT(0, write_text(path, "1"));
	}
}

/* The first CPU of a PMU need not be the one that the interrupt had before. */
TEST_F_TIMEOUT(hotplug, bound_while_a_cpu_is_away, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	struct pmcg found;
	__u64 total = 0;
	int fd, gone, irq, i;

	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: cannot be unbound");
	if (!has_interrupt(machine))
		SKIP(return, "this PMCG has no interrupt");
	ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
	gone = pmcg->cpu;
	ASSERT_EQ(0, pmcg_pin(cpu_other_than(gone)));
	ASSERT_EQ(0, cpu_set_online(gone, false));
	ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
	ASSERT_EQ(0, cpu_set_online(gone, true));
	ASSERT_EQ(0, pmcg_find(&found, pmcg->name));
	*pmcg = found;
	EXPECT_NE(gone, pmcg->cpu);
	irq = irq_of_device(pmcg->device);
	ASSERT_LE(0, irq);
	expect_affinity(_metadata, irq, pmcg->cpu, "after it was bound");
	ASSERT_EQ(0, pmcg_pin(pmcg->cpu));
	fd = must_open(_metadata, pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (i = 0; i < 20; i++, total += over_half(machine))
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8,
				over_half(machine));
	EXPECT_EQ(total, pmcg_value(fd));
	close(fd);
	/* Back to the CPU that the others have. */
	ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
	ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
}

/* A page that is not there until somebody says so: a reader waits in the kernel. */
struct delay {
	int faults;
	int fd;
	void *page;
	size_t size;
};

static int delay_open(struct delay *delay)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register missing = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	delay->size = sysconf(_SC_PAGESIZE);
	delay->page = mmap(NULL, delay->size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	delay->faults = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (delay->page == MAP_FAILED || delay->faults < 0)
		return -1;
	missing.range.start = (unsigned long)delay->page;
	missing.range.len = delay->size;
	return ioctl(delay->faults, UFFDIO_API, &api) ?:
	       ioctl(delay->faults, UFFDIO_REGISTER, &missing);
}

static void *delayed_read(void *data)
{
	struct delay *delay = data;

	/* perf holds the events of this CPU while it copies a count. */
	return (void *)read(delay->fd, delay->page, sizeof(__u64));
}

static void delay_end(struct delay *delay)
{
	struct uffdio_zeropage zero = {
		.range = { .start = (unsigned long)delay->page, .len = delay->size },
	};

	ioctl(delay->faults, UFFDIO_ZEROPAGE, &zero);
}

/*
 * perf lets the PMU wait when it moves its events, and an event is opened meanwhile. It
 * goes to the new CPU, but must not count there before the old one has let go.
 */
TEST_F_TIMEOUT(hotplug, opened_while_the_pmu_moves, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct pmcg *pmcg = &machine->pmcg;
	struct perf_event_attr other = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(other),
		.config = PERF_COUNT_SW_DUMMY,
	};
	int fd, new, gone = pmcg->cpu, status;
	struct delay delay = { 0 };
	struct pollfd fault;
	pthread_t reader;
	pid_t mover;

	if (pmcg->in_tree)
		SKIP(return, "in-tree driver: opens it on the CPU that goes");
	if (machine->hardware.counters < 2)
		SKIP(return, "this PMCG has one counter only");
	if (gone)
		SKIP(return, "perf takes the lock of the first CPU first");
	if (kernel_is_before(6, 2))
		SKIP(return, "before 6.2 each PMU has a lock of its own");
	if (delay_open(&delay))
		SKIP(return, "this kernel has no userfaultfd");
	/* PMUs move one after another: the one that was bound last is the first. */
	ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
	ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
	ASSERT_EQ(0, pmcg_find(pmcg, variant->name));
	fd = must_open(_metadata, pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	delay.fd = pmcg_open_attr(pmcg, &other, -1);
	ASSERT_LE(0, delay.fd);
	ASSERT_EQ(0, pmcg_pin(cpu_other_than(gone)));
	ASSERT_EQ(0, pthread_create(&reader, NULL, delayed_read, &delay));
	fault = (struct pollfd){ .fd = delay.faults, .events = POLLIN };
	ASSERT_EQ(1, poll(&fault, 1, -1));
	ASSERT_EQ(POLLIN, fault.revents);
	mover = fork();
	ASSERT_LE(0, mover);
	if (!mover)
		_exit(cpu_set_online(gone, false) ? 1 : 0);
	do {
		ASSERT_EQ(0, pmcg_read_cpu(pmcg));
	} while (pmcg->cpu == gone);

	new = pmcg_open(pmcg, PMCG_EVENT_TLB_MISS, -1);
	EXPECT_LE(0, new);
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 3);
	stimulus_inject(stimulus, PMCG_EVENT_TLB_MISS, 0x8, 100);
	EXPECT_EQ(1, __builtin_popcountll(stimulus_peek(stimulus, PMCG_CNTENSET0)));
	EXPECT_EQ(0, pmcg_value(new));
	delay_end(&delay);
	ASSERT_EQ(0, pthread_join(reader, NULL));
	ASSERT_EQ(mover, waitpid(mover, &status, 0));
	EXPECT_EQ(0, status);

	ASSERT_EQ(0, pmcg_pin(pmcg->cpu));
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 4);
	stimulus_inject(stimulus, PMCG_EVENT_TLB_MISS, 0x8, 5);
	EXPECT_EQ(7, pmcg_value(fd));
	EXPECT_EQ(5, pmcg_value(new));
	close(delay.faults);
}

/* Another CPU than the PMU's is nothing to it. */
TEST_F_TIMEOUT(hotplug, another_cpu_goes, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	int fd, cpu = machine->pmcg.cpu, other = cpu_other_than(cpu);
	__u64 accesses;

	if (!cpu_can_go_offline(other))
		SKIP(return, "CPU %d cannot go offline", other);
	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	accesses = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	ASSERT_EQ(0, cpu_set_online(other, false));
	stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 5);
	EXPECT_EQ(accesses, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	ASSERT_EQ(0, pmcg_read_cpu(&machine->pmcg));
	EXPECT_EQ(cpu, machine->pmcg.cpu);
	EXPECT_EQ(5, pmcg_value(fd));
	ASSERT_EQ(0, cpu_set_online(other, true));
	EXPECT_EQ(5, pmcg_value(fd));
}

TEST_HARNESS_MAIN
