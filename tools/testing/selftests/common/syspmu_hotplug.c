// SPDX-License-Identifier: GPL-2.0
/* The CPU that owns a PMU goes offline and comes back while events are counting. */
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "fixture.h"

PMU_FIXTURE(hotplug, can_move, true)

SCENARIO(hotplug, counts_go_on,
	 "open a x;"
	 "2 times {"
	 "  x 1001 + round;"
	 "  if round == 0 { read }"
	 "  away; read; x 7; read; back; read; x 9"
	 "}"
	 "read")

/* The interrupt moves with the PMU: the counter wraps several times without a read. */
SCENARIO(hotplug, overflows_go_on,
	 "need interrupt; open a x;"
	 "2 times { away; 50 times { x half + 1 } back; 50 times { x half + 1 } read; status }")

/* One filter for all counters */
SCENARIO(hotplug, groups_and_filters_go_along,
	 "open a x copies=counters group from=0x100;"
	 "2 times { away; x@0x100 3 + round; x@0x5000 1000000; read; back }")

SCENARIO(hotplug, a_filter_for_each_goes_along,
	 "need filters; need ownfilters; need 4 counters;"
	 "open a x group from=0x100; open b y in=a from=0x101;"
	 "open c x in=a from=0x102; open d y in=a from=0x103;"
	 "2 times {"
	 "  away;"
	 "  x@0x100 3; y@0x101 4; x@0x102 5; y@0x103 6 + round; x@0x5000 1000000; y@0x5000 1000000;"
	 "  read; back"
	 "}")

/* Events occur whenever a counter is read: perf moves one event after another to the new CPU. */
TEST_F_TIMEOUT(hotplug, all_stop_with_the_first_that_goes, SLOW)
{
	unsigned int round, number = hardware->counters;
	int leader, gone;

	if (number < 2)
		SKIP(return, "this PMU has only one counter");
	leader = must_open_group(number);
	inject(FAR_AWAY);
	for (round = 0; round < 2; round++) {
		stimulus_step(stimulus, pmu->event, SOURCE, 1000);
		gone = take_cpu_away();
		stimulus_step(stimulus, pmu->event, SOURCE, 0);
		EXPECT_LE(FAR_AWAY, read_equal(leader, number));
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
}

/* An overflow whose interrupt is pending when the CPU goes offline. */
SCENARIO(hotplug, late_interrupt_finds_its_way,
	 "need interrupt; open a x;"
	 "2 times { hold; x half + 1; away; release; x half + 1; x half + 1; read; back }")

/* perf enables every event that it moves: it counts from there, and stops when it is disabled. */
SCENARIO(hotplug, disabled_events_move_too,
	 "open a x; x 5; stop a; away; read; stop a; x 1000; read;"
	 "start a; x 6; read; back; x 7; read")

static void expect_affinity(int irq, int cpu, const char *when)
{
	char text[64], expected[16];

	snprintf(expected, sizeof(expected), "%d", cpu);
	ASSERT_EQ(0, irq_attribute(irq, "smp_affinity_list", text, sizeof(text)));
	EXPECT_STREQ(expected, text)
		TH_LOG("interrupt %d %s", irq, when);
}

/* Only on the owning CPU, and user space cannot move it. */
TEST_F_TIMEOUT(hotplug, interrupt_is_delivered_where_it_counts, SLOW)
{
	int irq, gone, round;

	if (!has_interrupt(machine))
		SKIP(return, "this PMU has no interrupt");
	irq = irq_of_device(pmu->device);
	ASSERT_LE(0, irq)
		TH_LOG("no interrupt of %s", pmu->device);
	for (round = 0; round < 2; round++) {
		expect_affinity(irq, pmu->cpu, "before");
		gone = take_cpu_away();
		expect_affinity(irq, pmu->cpu, "after its CPU went");
		ASSERT_EQ(0, cpu_set_online(gone, true));
		expect_affinity(irq, pmu->cpu, "after the CPU came back");
		EXPECT_GT(0, write_text(path_of("/proc/irq/%d/smp_affinity", irq), "1"));
	}
}

/* The CPU that a PMU is first owned by may differ from the previous affinity of the interrupt. */
TEST_F_TIMEOUT(hotplug, bound_while_a_cpu_is_away, SLOW)
{
	__u64 total = 0;
	int fd, gone, irq, i;

	if (!has_interrupt(machine))
		SKIP(return, "this PMU has no interrupt");
	must_unbind();
	gone = pmu->cpu;
	ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
	ASSERT_EQ(0, cpu_set_online(gone, false));
	must_bind();
	ASSERT_EQ(0, cpu_set_online(gone, true));
	EXPECT_NE(gone, pmu->cpu);
	irq = irq_of_device(pmu->device);
	ASSERT_LE(0, irq);
	expect_affinity(irq, pmu->cpu, "after it was bound");
	fd = must_open(pmu->event, -1);
	for (i = 0; i < 20; i++)
		total += inject(over_half());
	EXPECT_EQ(total, pmu_value(fd));
	close(fd);
	/* Back to the CPU that owns the others. */
	bind_again();
}

/* A page that is missing until the test provides it, so that a reader waits in the kernel. */
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

	/* perf holds the lock of the events on this CPU while it copies a count. */
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
 * Migrating the events takes time, and meanwhile an event is opened. It is installed on the new
 * CPU, but must not count there before the old CPU has released the PMU.
 */
TEST_F_TIMEOUT(hotplug, opened_while_the_pmu_moves, SLOW)
{
	int fd, new, gone;
	struct delay delay = { 0 };
	struct pollfd fault;
	pthread_t reader;
	pid_t mover;

	if (hardware->counters < 2)
		SKIP(return, "this PMU has only one counter");
	if (kernel_is_before(6, 2))
		SKIP(return, "before 6.2 each PMU has a lock of its own");
	/* PMUs move one after another: the one that was bound last is the first. */
	bind_again();
	gone = pmu->cpu;
	if (gone)
		SKIP(return, "perf takes the lock of the first CPU first");
	if (delay_open(&delay))
		SKIP(return, "this kernel has no userfaultfd");
	fd = must_open(pmu->event, -1);
	delay.fd = must_open_software(-1, 0);
	ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
	ASSERT_EQ(0, pthread_create(&reader, NULL, delayed_read, &delay));
	fault = (struct pollfd){ .fd = delay.faults, .events = POLLIN };
	ASSERT_EQ(1, poll(&fault, 1, -1));
	ASSERT_EQ(POLLIN, fault.revents);
	mover = start_offline(gone);
	do {
		ASSERT_EQ(0, pmu_read_cpu(pmu));
	} while (pmu->cpu == gone);

	new = pmu_open(pmu, pmu->other_event, -1);
	EXPECT_LE(0, new);
	inject(3);
	inject_other(100);
	EXPECT_EQ(1, pmu_enabled_counters(stimulus, hardware));
	EXPECT_EQ(0, pmu_value(new));
	delay_end(&delay);
	ASSERT_EQ(0, pthread_join(reader, NULL));
	expect_success(&mover);

	ASSERT_EQ(0, cpu_pin(pmu->cpu));
	inject(4);
	inject_other(5);
	EXPECT_EQ(7, pmu_value(fd));
	EXPECT_EQ(5, pmu_value(new));
}

/* A CPU that does not own the PMU goes offline. */
TEST_F_TIMEOUT(hotplug, another_cpu_goes, SLOW)
{
	int fd, cpu = pmu->cpu, other = cpu_other_than(cpu);
	__u64 accesses;

	if (!cpu_can_go_offline(other))
		SKIP(return, "CPU %d cannot go offline", other);
	fd = must_open(pmu->event, -1);
	accesses = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	ASSERT_EQ(0, cpu_set_online(other, false));
	inject(5);
	EXPECT_EQ(accesses, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	ASSERT_EQ(0, pmu_read_cpu(pmu));
	EXPECT_EQ(cpu, pmu->cpu);
	EXPECT_EQ(5, pmu_value(fd));
	ASSERT_EQ(0, cpu_set_online(other, true));
	EXPECT_EQ(5, pmu_value(fd));
}

TEST_HARNESS_MAIN
