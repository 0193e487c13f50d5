// SPDX-License-Identifier: GPL-2.0
/*
 * Group reads with PMU snapshots of the CPUs (Arm ARM D13.9). They need the page by which the
 * emulated machine acts as EL3 and as hardware; its address is in the environment, PE_SNAPSHOT.
 * All members count cycles, so those that start together are equal if they are of one instant.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"
#include "guest.h"
#include "kmsg.h"
#include "mmio.h"
#include "platform.h"

#define MEMBERS		32
#define SLOW		300

#define SW_INCR		0x0
#define CPU_CYCLES	0x11
#define PMU_SNAPSHOT	0x8127
#define PERIOD		20000000
#define LONG		1ULL

/* ESR_EL1 of an instruction that is undefined */
#define UNDEFINED	0x02000000

#define ID_AA64DFR0_PMUVER	0xf00
#define ID_AA64DFR0_PMSS	0xf0000

/* MDCR_EL3.PMSSE, Table D13-10 */
#define DISABLED	0
#define BY_LOWER_LEVEL	1
#define PROHIBITED	2
#define ALLOWED		3

/* The registers of a CPU in the page */
enum {
	PMSSE,
	DELAY,
	CAPTURE,
	RESET,
	OVERFLOW,
	READS,
	WRITES,
	CAPTURES,
	LIVE_READS,
	INCREMENT,
	STEP,
	REGISTERS = 16,
};

struct group {
	int fds[MEMBERS];
	unsigned int number;
	__u64 values[MEMBERS];
	__u64 enabled;
	__u64 running;
};

/* The test that runs, for EXPECT_EQ() and so on in any function */
static struct __test_metadata *_metadata;
static void *page;

static void report_to(struct __test_metadata *test)
{
	_metadata = test;
}

static __u64 get(int cpu, unsigned int reg)
{
	return mmio_read64(page, (cpu * REGISTERS + reg) * 8);
}

static void set(int cpu, unsigned int reg, __u64 value)
{
	mmio_write64(page, (cpu * REGISTERS + reg) * 8, value);
}

static __u64 accesses(int cpu)
{
	return get(cpu, READS) + get(cpu, WRITES) + get(cpu, LIVE_READS);
}

/* 0 if the kernel does not know snapshots. */
static long failures_so_far(void)
{
	char text[32] = "";

	read_text("/sys/kernel/debug/arm_pmuv3_snapshot_failures", text, sizeof(text));
	return atol(text);
}

/* A bit for each CPU that is known to have no snapshots that the kernel can use */
static bool has_snapshots(int cpu)
{
	const char *without = getenv("PE_WITHOUT");

	return !without || !(strtoul(without, NULL, 0) >> cpu & 1);
}

static struct perf_event_attr describe(__u32 type, __u64 config)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

/* Adds a member. Returns false if the CPU has no counter for it. */
static bool add(struct group *group, struct perf_event_attr attr, pid_t pid, int cpu)
{
	int fd, leader = group->number ? group->fds[0] : -1;

	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		group->fds[group->number++] = fd;
	return fd >= 0;
}

/* Adds as many as there are counters, or @limit. */
static void add_raw(struct group *group, __u64 event, pid_t pid, int cpu, unsigned int limit)
{
	while (group->number < limit && add(group, describe(PERF_TYPE_RAW, event), pid, cpu))
		;
}

static void add_cycles(struct group *group, pid_t pid, int cpu, unsigned int limit)
{
	add_raw(group, CPU_CYCLES, pid, cpu, limit);
}

/* All members count from 0 and from the same time on. */
static void start(struct group *group)
{
	ASSERT_LT(1, group->number);
	ASSERT_EQ(0, ioctl(group->fds[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(group->fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, ioctl(group->fds[0], PERF_EVENT_IOC_ENABLE, 0));
}

static void close_group(struct group *group)
{
	while (group->number)
		close(group->fds[--group->number]);
	memset(group, 0, sizeof(*group));
}

/* Replaces a group: all counters of a CPU, or those that a task can have, count cycles. */
static void count_cycles(struct group *group, pid_t pid, int cpu)
{
	close_group(group);
	add_cycles(group, pid, cpu, MEMBERS);
	start(group);
}

static void read_group(struct group *group)
{
	__u64 buffer[3 + MEMBERS];

	ASSERT_EQ((ssize_t)((3 + group->number) * sizeof(*buffer)),
		  read(group->fds[0], buffer, sizeof(buffer)));
	group->enabled = buffer[1];
	group->running = buffer[2];
	memcpy(group->values, buffer + 3, group->number * sizeof(*buffer));
}

static void expect_equal(struct group *group)
{
	unsigned int n;

	for (n = 1; n < group->number; n++) {
		ASSERT_EQ(group->values[0], group->values[n])
			TH_LOG("member %u of %u", n, group->number);
	}
}

/* Counts never fall, and those of a group that is read at one instant are equal. */
static void expect_captured_reads(struct group *group, int cpu, unsigned int reads)
{
	__u64 before, captures = get(cpu, CAPTURES);
	long failures = failures_so_far();
	unsigned int i;

	for (i = 0; i < reads; i++) {
		before = group->values[0];
		read_group(group);
		ASSERT_LT(before, group->values[0]);
		expect_equal(group);
	}
	ASSERT_EQ(captures + reads, get(cpu, CAPTURES));
	ASSERT_EQ(failures, failures_so_far());
}

/* The difference shows that these are the counters, and not the same snapshot again. */
static void expect_counters(struct group *group, int cpu, unsigned int reads)
{
	__u64 before, captures = get(cpu, CAPTURES);
	unsigned int i;

	for (i = 0; i < reads; i++) {
		before = group->values[group->number - 1];
		read_group(group);
		ASSERT_LT(before, group->values[0]);
		ASSERT_LT(group->values[0], group->values[group->number - 1]);
	}
	ASSERT_EQ(captures, get(cpu, CAPTURES));
}

static void expect_live_reads(struct group *group, int cpu, unsigned int reads)
{
	long failures = failures_so_far();

	expect_counters(group, cpu, reads);
	ASSERT_EQ(failures + reads, failures_so_far());
}

FIXTURE(snapshot) {
	struct group group;
	pid_t guest;
	int mark;
};

static void calm(void)
{
	int cpu;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		set(cpu, PMSSE, BY_LOWER_LEVEL);
		set(cpu, DELAY, 0);
		set(cpu, STEP, 0);
	}
}

FIXTURE_SETUP(snapshot)
{
	const char *address = getenv("PE_SNAPSHOT");

	report_to(_metadata);
	if (!address)
		SKIP(return, "no CPU has snapshots that a test controls (PE_SNAPSHOT)");
	page = page_map(strtoull(address, NULL, 0));
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, cpu_all_online());
	ASSERT_EQ(0, cpu_pin(0));
	calm();
	self->mark = kmsg_mark();
	count_cycles(&self->group, -1, 0);
}

FIXTURE_TEARDOWN(snapshot)
{
	char line[256];

	if (!page)
		return;
	guest_kill(&self->guest);
	calm();
	cpu_all_online();
	EXPECT_FALSE(kmsg_find_splat(self->mark, line, sizeof(line)))
		TH_LOG("%s", line);
}

TEST_F(snapshot, members_that_start_together_are_equal)
{
	expect_captured_reads(&self->group, 0, 100);
	EXPECT_LE(4, self->group.number);
}

/* 64-bit events take two counters of PMUs before PMUv3p5. */
TEST_F(snapshot, members_of_64_bits_are_equal)
{
	struct perf_event_attr attr = describe(PERF_TYPE_RAW, CPU_CYCLES);
	struct group group = { 0 };

	close_group(&self->group);
	attr.config1 = LONG;
	while (group.number < MEMBERS && add(&group, attr, -1, 0))
		;
	start(&group);
	expect_captured_reads(&group, 0, 100);
}

/* While the members are read, software increments are counted, also if the counters are read. */
TEST_F(snapshot, software_increments_are_exact)
{
	struct group group = { 0 };
	unsigned int i, n;
	__u64 total = 0;

	close_group(&self->group);
	add_raw(&group, SW_INCR, -1, 0, MEMBERS);
	start(&group);
	set(0, STEP, ~0U);
	for (i = 0; i < 50; i++) {
		set(0, PMSSE, i % 5 ? BY_LOWER_LEVEL : DISABLED);
		set(0, INCREMENT, ~0U);
		total++;
		read_group(&group);
		for (n = 0; n < group.number; n++)
			ASSERT_EQ(total + (i % 5 ? 0 : n + 1), group.values[n]);
		total += group.number;
	}
}

/* The event is counted after the counters are captured. */
TEST_F(snapshot, captures_are_counted_exactly)
{
	struct group group = { 0 };
	unsigned int i;

	close_group(&self->group);
	add_raw(&group, PMU_SNAPSHOT, -1, 0, 2);
	start(&group);
	for (i = 0; i < 50; i++) {
		read_group(&group);
		ASSERT_EQ(i, group.values[0]);
		ASSERT_EQ(i, group.values[1]);
	}
}

/* Table D13-10, as far as EL3 decides; what is below it allows captures. */
TEST_F(snapshot, el3_disables_prohibits_and_allows)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		set(0, PMSSE, DISABLED);
		expect_live_reads(&self->group, 0, 10);
		set(0, PMSSE, ALLOWED);
		expect_captured_reads(&self->group, 0, 10);
		set(0, PMSSE, PROHIBITED);
		expect_live_reads(&self->group, 0, 10);
		set(0, PMSSE, BY_LOWER_LEVEL);
		expect_captured_reads(&self->group, 0, 10);
	}
}

/* Since the kernel has started, by this test or by one before. */
TEST_F(snapshot, failures_are_said_once)
{
	static const char * const words[] = { "hw perfevents", "snapshot", NULL };
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	ASSERT_LE(0, log);
	set(0, PMSSE, DISABLED);
	expect_live_reads(&self->group, 0, 10);
	EXPECT_EQ(1, kmsg_count(log, words));
}

/* Also if it runs on CPUs of which not all have snapshots. */
TEST_F(snapshot, a_task_takes_its_group_along)
{
	long failures = failures_so_far();
	struct group *group = &self->group;
	unsigned int round;

	count_cycles(group, 0, -1);
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, cpu_pin(round % 2));
		if (has_snapshots(round % 2))
			expect_captured_reads(group, round % 2, 2);
		else
			expect_counters(group, round % 2, 2);
	}
	EXPECT_EQ(failures, failures_so_far());
}

TEST_F(snapshot, a_capture_may_take_a_while)
{
	set(0, DELAY, 20);
	expect_captured_reads(&self->group, 0, 10);
}

/* It is not waited for longer than 100 reads, and not requested again before it has ended. */
TEST_F(snapshot, a_capture_that_takes_too_long_is_not_used)
{
	__u64 writes;

	set(0, DELAY, 120);
	writes = get(0, WRITES);
	expect_live_reads(&self->group, 0, 21);
	EXPECT_EQ(writes + 1, get(0, WRITES));
	set(0, DELAY, 0);
	/* The first one completes the old capture, and takes its own. */
	read_group(&self->group);
	expect_equal(&self->group);
	expect_captured_reads(&self->group, 0, 10);
}

TEST_F(snapshot, a_request_of_another_agent_is_not_disturbed)
{
	__u64 writes = get(0, WRITES);

	set(0, DELAY, 5);
	set(0, CAPTURE, 1);
	expect_live_reads(&self->group, 0, 5);
	EXPECT_EQ(writes, get(0, WRITES));
	set(0, DELAY, 0);
	read_group(&self->group);
	expect_captured_reads(&self->group, 0, 10);
}

/* Check, request, result, and a snapshot register for each member. */
TEST_F(snapshot, a_group_read_costs_three_accesses_more_than_members)
{
	__u64 before = accesses(0);

	read_group(&self->group);
	EXPECT_EQ(before + self->group.number + 3, accesses(0));
}

TEST_F(snapshot, a_read_of_one_counter_is_one_access)
{
	struct perf_event_attr attr = describe(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct group single = { 0 }, mixed = { 0 };
	__u64 before;

	close_group(&self->group);
	add_cycles(&single, -1, 0, 1);
	add(&mixed, attr, -1, 0);
	add_cycles(&mixed, -1, 0, 2);
	start(&mixed);
	before = accesses(0);
	read_group(&single);
	read_group(&mixed);
	EXPECT_LT(0, single.values[0]);
	EXPECT_LT(0, mixed.values[1]);
	EXPECT_EQ(before + 2, accesses(0));
}

TEST_F(snapshot, a_software_event_may_lead)
{
	struct perf_event_attr attr = describe(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct group group = { 0 };
	__u64 captures;

	close_group(&self->group);
	add(&group, attr, -1, 0);
	add_cycles(&group, -1, 0, 3);
	start(&group);
	captures = get(0, CAPTURES);
	read_group(&group);
	EXPECT_EQ(group.values[1], group.values[2]);
	EXPECT_EQ(captures + 1, get(0, CAPTURES));
}

/* From another CPU, by an interrupt. */
TEST_F(snapshot, a_group_is_captured_where_it_counts)
{
	ASSERT_EQ(0, cpu_pin(1));
	expect_captured_reads(&self->group, 0, 100);
}

TEST_F_TIMEOUT(snapshot, groups_take_turns, SLOW)
{
	struct group others[2] = { 0 };
	struct group *groups[] = { &self->group, &others[0], &others[1] };
	unsigned int n, round;

	for (n = 1; n < 3; n++)
		count_cycles(groups[n], -1, 0);
	for (round = 0; round < 300; round++) {
		for (n = 0; n < 3; n++) {
			read_group(groups[n]);
			expect_equal(groups[n]);
		}
		usleep(1000);
	}
	for (n = 0; n < 3; n++) {
		EXPECT_LT(0, groups[n]->running);
		EXPECT_LT(groups[n]->running, groups[n]->enabled);
	}
}

/* The CPU comes back with unknown values in its registers. */
TEST_F_TIMEOUT(snapshot, a_cpu_captures_after_it_was_offline, SLOW)
{
	unsigned int round;

	for (round = 0; round < 4; round++) {
		ASSERT_EQ(0, cpu_set_online(1, false));
		ASSERT_EQ(0, cpu_set_online(1, true));
		count_cycles(&self->group, -1, 1);
		expect_captured_reads(&self->group, 1, 10);
	}
}

/* Hibernation up to the point where the other CPUs are off and this one may lose its power. */
static void lose_power(void)
{
	ASSERT_EQ(0, write_text("/sys/power/pm_test", "core"));
	ASSERT_EQ(0, write_text("/sys/power/state", "disk"));
	ASSERT_EQ(0, write_text("/sys/power/pm_test", "none"));
}

TEST_F_TIMEOUT(snapshot, a_cpu_captures_after_it_had_no_power, SLOW)
{
	unsigned int seed = 0;
	long failures;

	do {
		failures = failures_so_far();
		set(0, RESET, ++seed);
		read_group(&self->group);
	} while (failures == failures_so_far());
	lose_power();
	expect_captured_reads(&self->group, 0, 10);
}

/*
 * An overflow between capture and read. If its interrupt is an NMI, it is handled at once; if not,
 * when the group has been read, but before perf copies the counts. Either way, this member is of a
 * later time than the others, and no cycle is lost.
 */
TEST_F(snapshot, an_overflow_may_follow_the_capture)
{
	struct group *group = &self->group;
	unsigned int i, member, other;

	for (i = 0; i < 20; i++) {
		/* The first event has the cycle counter, the others have counters from 0 on. */
		member = i % group->number;
		other = (i + 1) % group->number;
		set(0, OVERFLOW, member ? 1U << (member - 1) : 1U << 31);
		set(0, DELAY, i % 3);
		read_group(group);
		EXPECT_LT(group->values[other], group->values[member]);
		group->values[member] = group->values[other];
		expect_equal(group);
		set(0, DELAY, 0);
		expect_captured_reads(group, 0, 2);
	}
}

/* The sampling member is the first one: its overflows stop all counters while they are handled. */
TEST_F_TIMEOUT(snapshot, a_sampling_member_loses_nothing, SLOW)
{
	struct perf_event_attr attr = describe(PERF_TYPE_RAW, CPU_CYCLES);
	struct group group = { 0 };
	__u64 before = 0;
	unsigned int n;

	close_group(&self->group);
	attr.sample_period = PERIOD;
	ASSERT_TRUE(add(&group, attr, -1, 0));
	add_cycles(&group, -1, 0, MEMBERS);
	start(&group);
	while (before < 10 * PERIOD) {
		read_group(&group);
		/* An overflow has been handled since the capture. */
		ASSERT_LE(group.values[1], group.values[0]);
		for (n = 2; n < group.number; n++)
			ASSERT_EQ(group.values[1], group.values[n]);
		ASSERT_LT(before, group.values[1]);
		before = group.values[1];
	}
	ASSERT_EQ(0, ioctl(group.fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	read_group(&group);
	expect_equal(&group);
}

/* Reads a group while each access counts, so that a member samples; @late may have more. */
static void read_among_samples(struct group *group, unsigned int late)
{
	unsigned int i;
	__u64 before;

	start(group);
	set(0, STEP, ~0U);
	for (i = 0; i < 100; i++) {
		before = group->values[0];
		set(0, INCREMENT, ~0U);
		read_group(group);
		ASSERT_LT(before, group->values[0]);
		ASSERT_LE(group->values[0], group->values[late]);
		group->values[late] = group->values[0];
		expect_equal(group);
		/* Not so many samples that it is throttled */
		usleep(1000);
	}
	set(0, STEP, 0);
	read_group(group);
	expect_equal(group);
}

/*
 * The last member samples software increments, which are counted while the others are read, and it
 * overflows after each of them in turn. If that is an NMI, it is not read again.
 */
TEST_F_TIMEOUT(snapshot, a_member_may_overflow_while_others_are_read, SLOW)
{
	struct perf_event_attr attr = describe(PERF_TYPE_RAW, SW_INCR);
	struct group group = { 0 };
	unsigned int last;

	close_group(&self->group);
	add_raw(&group, SW_INCR, -1, 0, 3);
	last = group.number;
	attr.sample_period = 6 * (last + 2) + 1;
	ASSERT_TRUE(add(&group, attr, -1, 0));
	read_among_samples(&group, last);
	EXPECT_LE(100 * group.number, group.values[0]);
}

/*
 * The first member samples all of them when it overflows while they are read. If that is an NMI, it
 * reads them at one instant, and the others are not read again.
 */
TEST_F_TIMEOUT(snapshot, a_leader_may_sample_its_group_while_it_is_read, SLOW)
{
	struct perf_event_attr attr = describe(PERF_TYPE_RAW, SW_INCR);
	struct group group = { 0 };
	void *samples;

	close_group(&self->group);
	attr.sample_period = 47;
	attr.sample_type = PERF_SAMPLE_READ;
	ASSERT_TRUE(add(&group, attr, -1, 0));
	samples = mmap(NULL, 2 * getpagesize(), PROT_READ, MAP_SHARED, group.fds[0], 0);
	ASSERT_NE(MAP_FAILED, samples);
	add_raw(&group, SW_INCR, -1, 0, MEMBERS);
	read_among_samples(&group, 0);
	EXPECT_LT(10 * attr.sample_period, group.values[0]);
	EXPECT_NE(0, ((struct perf_event_mmap_page *)samples)->data_head);
	munmap(samples, 2 * getpagesize());
}

/* With VHE, the kernel runs at EL2, and KVM disables captures as long as a guest is loaded. */
static bool has_vhe(void)
{
	static const char * const words[] = { "kvm", ": VHE mode initialized", NULL };

	return kmsg_count(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), words);
}

/* Reads a group that is captured, or else counter by counter. Returns whether it was captured. */
static bool read_either(struct group *group, int cpu)
{
	__u64 before = group->values[group->number - 1], captures = get(cpu, CAPTURES);
	long failures = failures_so_far();

	read_group(group);
	ASSERT_LT(before, group->values[0]);
	failures = failures_so_far() - failures;
	ASSERT_EQ(captures + !failures, get(cpu, CAPTURES));
	if (!failures) {
		expect_equal(group);
		return true;
	}
	ASSERT_LT(group->values[0], group->values[group->number - 1]);
	return false;
}

/* Neither what its host has captured nor whether it can; they do not exist for a guest. */
TEST_F_TIMEOUT(snapshot, a_guest_cannot_access_snapshots, SLOW)
{
	__u64 stored[GUEST_ACCESSES + 1] = { 0 };
	unsigned int i;

	if (!guest_is_possible())
		SKIP(return, "no KVM");
	expect_captured_reads(&self->group, 0, 1);
	self->guest = guest_start(stored);
	ASSERT_LT(0, self->guest);
	EXPECT_EQ(0, stored[0]);
	for (i = 1; i < GUEST_ACCESSES; i++)
		EXPECT_EQ(UNDEFINED, stored[i])
			TH_LOG("access %u", i);
	EXPECT_NE(0, stored[i] & ID_AA64DFR0_PMUVER);
	EXPECT_EQ(0, stored[i] & ID_AA64DFR0_PMSS);
}

/* It keeps the CPU busy: each read interrupts it. */
TEST_F_TIMEOUT(snapshot, groups_are_read_while_a_guest_runs, SLOW)
{
	__u64 stored[GUEST_ACCESSES + 1];
	unsigned int i, live = 0;

	if (!guest_is_possible())
		SKIP(return, "no KVM");
	ASSERT_EQ(0, cpu_pin(1));
	self->guest = guest_start(stored);
	ASSERT_LT(0, self->guest);
	for (i = 0; i < 100; i++)
		live += !read_either(&self->group, 0);
	/* The guest is not loaded while something else runs. */
	EXPECT_EQ(has_vhe(), live > 0)
		TH_LOG("%u of %u reads were not captured", live, i);
	EXPECT_TRUE(guest_kill(&self->guest));
	expect_captured_reads(&self->group, 0, 100);
}

TEST_HARNESS_MAIN
