// SPDX-License-Identifier: GPL-2.0
/* Groups: read, enabled and disabled as one, and refused where they cannot be. */
#include "pmcg_fixture.h"
#include "platform.h"

#define MANY	1000003ULL

static int open_software(const struct pmcg *pmcg, int group_fd, __u64 read_format)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = read_format,
	};

	return pmcg_open_attr(pmcg, &attr, group_fd);
}

TEST_F(injected, a_full_group_counts_exactly)
{
	const struct pmcg_hardware *hardware = &self->machine.hardware;
	unsigned int n, events[PMCG_MAX_COUNTERS];
	__u64 values[PMCG_MAX_COUNTERS];
	int leader = -1, fd;

	for (n = 0; n < hardware->counters; n++) {
		events[n] = filterable_event(hardware, n % 7);
		fd = n ? must_open(_metadata, &self->machine.pmcg, events[n], NULL, leader) :
			 must_open_leader(_metadata, &self->machine.pmcg, events[n], NULL);
		leader = n ? leader : fd;
	}
	for (n = 1; n < 8; n++)
		stimulus_inject(&self->machine.stimulus, n, 0x8, MANY * n);
	ASSERT_EQ(0, pmcg_read_group(leader, values, hardware->counters));
	for (n = 0; n < hardware->counters; n++) {
		EXPECT_EQ(MANY * events[n], values[n])
			TH_LOG("event %u", events[n]);
	}
}

TEST_F(injected, enabled_and_disabled_as_one)
{
	unsigned int n, round, number = self->machine.hardware.counters < 3 ?
					self->machine.hardware.counters : 3;
	struct stimulus *stimulus = &self->machine.stimulus;
	struct perf_event_attr attr;
	__u64 values[3];
	int leader;

	ASSERT_EQ(0, pmcg_describe(&self->machine.pmcg, &attr, PMCG_EVENT_TRANSACTION, NULL));
	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 1;
	leader = pmcg_open_attr(&self->machine.pmcg, &attr, -1);
	ASSERT_LE(0, leader);
	for (n = 1; n < number; n++)
		must_open(_metadata, &self->machine.pmcg, n % 2 ? PMCG_EVENT_TLB_MISS :
			  PMCG_EVENT_TRANSACTION, NULL, leader);

	for (round = 1; round <= 20; round++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
		stimulus_inject(stimulus, PMCG_EVENT_TLB_MISS, 0x8, MANY);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, 3);
		stimulus_inject(stimulus, PMCG_EVENT_TLB_MISS, 0x8, 5);
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
		ASSERT_EQ(0, pmcg_read_group(leader, values, number));
		for (n = 0; n < number; n++) {
			EXPECT_EQ(round * (n % 2 ? 5 : 3), values[n])
				TH_LOG("round %u, event %u", round, n);
		}
	}
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, pmcg_read_group(leader, values, number));
	for (n = 0; n < number; n++) {
		EXPECT_EQ(0, values[n])
			TH_LOG("event %u", n);
	}
}

TEST_F(injected, software_leader)
{
	__u64 values[2];
	int leader;

	leader = open_software(&self->machine.pmcg, -1, PERF_FORMAT_GROUP);
	ASSERT_LE(0, leader);
	must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, leader);
	stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
	ASSERT_EQ(0, pmcg_read_group(leader, values, 2));
	EXPECT_EQ(0, values[0]);
	EXPECT_EQ(MANY, values[1]);
}

TEST_F(injected, software_member)
{
	__u64 values[2];
	int leader, member;

	leader = must_open_leader(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL);
	member = open_software(&self->machine.pmcg, leader, 0);
	ASSERT_LE(0, member);
	stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
	ASSERT_EQ(0, pmcg_read_group(leader, values, 2));
	EXPECT_EQ(MANY, values[0]);
	EXPECT_EQ(0, values[1]);
}

/* Software events take no counter: they do not make a group too large. */
TEST_F(pmcg, as_large_as_the_counters_and_no_larger)
{
	int leader, fd, number = 0, with_software = 0;

	leader = must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	do {
		number++;
		fd = pmcg_open(&self->machine.pmcg, PMCG_EVENT_TRANSACTION, leader);
	} while (fd >= 0 && number <= PMCG_MAX_COUNTERS);
	EXPECT_EQ(-EINVAL, fd);
	if (self->machine.stimulus.page) {
		EXPECT_EQ(self->machine.hardware.counters, (unsigned int)number)
			TH_LOG("CFGR is %#x", self->machine.hardware.cfgr);
	}
	close(leader);

	leader = open_software(&self->machine.pmcg, -1, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, open_software(&self->machine.pmcg, leader, 0));
	while (with_software <= PMCG_MAX_COUNTERS) {
		fd = pmcg_open(&self->machine.pmcg, PMCG_EVENT_TRANSACTION, leader);
		if (fd < 0)
			break;
		with_software++;
	}
	EXPECT_EQ(-EINVAL, fd);
	EXPECT_EQ(number, with_software);
}

TEST_F(pmcg, two_pmcgs_in_one_group_are_refused)
{
	struct pmcg list[PMCG_MAX];
	int i, leader, software, number = pmcg_list(list, PMCG_MAX);

	leader = must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	for (i = 0; i < number; i++) {
		if (!strcmp(list[i].name, self->machine.pmcg.name) ||
		    !pmcg_has_event(&list[i], PMCG_EVENT_TRANSACTION) ||
		    list[i].cpu != self->machine.pmcg.cpu)
			continue;
		EXPECT_EQ(-EINVAL, pmcg_open(&list[i], PMCG_EVENT_TRANSACTION, leader))
			TH_LOG("%s leads %s", self->machine.pmcg.name, list[i].name);
		/* The leader is a software event: the conflict is between its members. */
		software = open_software(&self->machine.pmcg, -1, 0);
		ASSERT_LE(0, software);
		must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, software);
		EXPECT_EQ(-EINVAL, pmcg_open(&list[i], PMCG_EVENT_TRANSACTION, software))
			TH_LOG("%s beside %s", self->machine.pmcg.name, list[i].name);
		close(software);
	}
	if (number < 2)
		SKIP(return, "there is one PMCG only");
}

TEST_F(pmcg, a_group_with_the_cpu_pmu_is_refused)
{
	struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(cycles),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	int leader, fd = pmcg_open_attr(&self->machine.pmcg, &cycles, -1);

	if (fd < 0)
		SKIP(return, "no CPU PMU: %s", strerror(-fd));
	EXPECT_EQ(-EINVAL, pmcg_open(&self->machine.pmcg, PMCG_EVENT_TRANSACTION, fd));
	leader = must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	EXPECT_EQ(-EINVAL, pmcg_open_attr(&self->machine.pmcg, &cycles, leader));
}

/* A member that closes leaves the others as they are. */
TEST_F(injected, a_member_leaves)
{
	__u64 values[2];
	int leader, member;

	if (self->machine.hardware.counters < 2)
		SKIP(return, "this PMCG has one counter only");
	leader = must_open_leader(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL);
	member = must_open(_metadata, &self->machine.pmcg, PMCG_EVENT_TLB_MISS, NULL, leader);
	stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
	stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TLB_MISS, 0x8, 7);
	ASSERT_EQ(0, pmcg_read_group(leader, values, 2));
	EXPECT_EQ(MANY, values[0]);
	EXPECT_EQ(7, values[1]);
	close(member);
	stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
	ASSERT_EQ(0, pmcg_read_group(leader, values, 1));
	EXPECT_EQ(2 * MANY, values[0]);
}

/*
 * A leader that closes leaves its members behind, each by itself now. They count on,
 * and even what happens while its counter is stopped and read.
 */
TEST_F(injected, only_the_leader_leaves)
{
	struct pmcg_machine *machine = &self->machine;
	unsigned int n, round, number = machine->hardware.counters < 4 ?
					machine->hardware.counters : 4;
	struct stimulus *stimulus = &machine->stimulus;
	__u64 reads, total, enabled, disabled;
	int fds[4];

	if (machine->pmcg.in_tree)
		SKIP(return, "in-tree driver: stops all counters whenever one comes or goes");
	if (number < 2)
		SKIP(return, "this PMCG has one counter only");
	for (round = 1; round <= 5; round++) {
		fds[0] = must_open_leader(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL);
		for (n = 1; n < number; n++)
			fds[n] = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TLB_MISS, NULL,
					   fds[0]);
		stimulus_inject(stimulus, PMCG_EVENT_TLB_MISS, 0x8, MANY);
		enabled = stimulus_writes(stimulus, PMCG_CNTENSET0);
		disabled = stimulus_writes(stimulus, PMCG_CNTENCLR0);
		reads = pmcg_counter_reads(stimulus, &machine->hardware);
		stimulus_step(stimulus, PMCG_EVENT_TLB_MISS, 0x8, 5);
		close(fds[0]);
		stimulus_step(stimulus, 0, 0, 0);
		reads = pmcg_counter_reads(stimulus, &machine->hardware) - reads;
		EXPECT_LT(0, reads);
		total = MANY + 5 * reads;
		EXPECT_EQ(enabled, stimulus_writes(stimulus, PMCG_CNTENSET0));
		EXPECT_EQ(disabled + 1, stimulus_writes(stimulus, PMCG_CNTENCLR0));
		for (n = 1; n < number; n++) {
			EXPECT_EQ(total, pmcg_value(fds[n]))
				TH_LOG("round %u, member %u", round, n);
		}
		stimulus_inject(stimulus, PMCG_EVENT_TLB_MISS, 0x8, 3);
		for (n = 1; n < number; n++) {
			EXPECT_EQ(total + 3, pmcg_value(fds[n]))
				TH_LOG("round %u, member %u, later", round, n);
			close(fds[n]);
		}
	}
}

#define ONE_BY_ONE	"in-tree driver: starts and stops the counters of a group one by one"

/* How often the driver writes to a register when an event is enabled or disabled. */
static __u64 writes_of(struct pmcg_machine *machine, int fd, unsigned long request)
{
	__u64 writes = stimulus_writes(&machine->stimulus, STIMULUS_ALL_REGISTERS);

	if (ioctl(fd, request, 0))
		return PMCG_NO_VALUE;
	return stimulus_writes(&machine->stimulus, STIMULUS_ALL_REGISTERS) - writes;
}

static unsigned int counting(struct pmcg_machine *machine)
{
	return __builtin_popcountll(stimulus_peek(&machine->stimulus, PMCG_CNTENSET0));
}

/*
 * Counters that start with one write and stop with one write have seen the same
 * time: their counts can be compared. Another event must not stop for that.
 */
TEST_F(injected, starts_and_stops_at_one_instant)
{
	struct pmcg_machine *machine = &self->machine;
	unsigned int n, round, number = machine->hardware.counters < 4 ?
					machine->hardware.counters : 4;
	int fds[4];

	if (machine_is(NULL))
		SKIP(return, ERRATUM);
	if (machine->pmcg.in_tree)
		SKIP(return, ONE_BY_ONE);
	fds[0] = must_open_leader(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL);
	for (n = 1; n < number; n++)
		fds[n] = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TLB_MISS, NULL, fds[0]);
	for (round = 0; round < 3; round++) {
		EXPECT_EQ(number, counting(machine));
		EXPECT_EQ(1, writes_of(machine, fds[0], PERF_EVENT_IOC_DISABLE));
		EXPECT_EQ(0, counting(machine));
		EXPECT_EQ(1, writes_of(machine, fds[0], PERF_EVENT_IOC_ENABLE));
	}
	for (n = number - 1; n > 0; n--) {
		EXPECT_EQ(1, writes_of(machine, fds[n], PERF_EVENT_IOC_DISABLE))
			TH_LOG("member %u", n);
		EXPECT_EQ(n, counting(machine));
	}
}

TEST_F(injected, starts_and_stops_with_a_software_leader)
{
	struct pmcg_machine *machine = &self->machine;
	unsigned int n, round, number = machine->hardware.counters < 3 ?
					machine->hardware.counters : 3;
	int leader;

	if (machine_is(NULL))
		SKIP(return, ERRATUM);
	if (machine->pmcg.in_tree)
		SKIP(return, ONE_BY_ONE);
	leader = open_software(&machine->pmcg, -1, 0);
	ASSERT_LE(0, leader);
	for (n = 0; n < number; n++)
		must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, leader);
	for (round = 0; round < 3; round++) {
		EXPECT_EQ(number, counting(machine));
		EXPECT_EQ(1, writes_of(machine, leader, PERF_EVENT_IOC_DISABLE));
		EXPECT_EQ(0, counting(machine));
		EXPECT_EQ(1, writes_of(machine, leader, PERF_EVENT_IOC_ENABLE));
	}
}

/* A member that has no counter here must not be taken for one that has. */
TEST_F(injected, stops_nobody_for_a_member_without_a_counter)
{
	struct pmcg_machine *machine = &self->machine;
	int pinned, leader, member, other;
	struct perf_event_attr attr;

	if (machine_is(NULL))
		SKIP(return, ERRATUM);
	if (machine->pmcg.in_tree)
		SKIP(return, ONE_BY_ONE);
	if (machine->hardware.counters < 2)
		SKIP(return, "this PMCG has one counter only");
	pinned = pmcg_open_pinned(&machine->pmcg, PMCG_EVENT_TLB_MISS, NULL);
	ASSERT_LE(0, pinned);
	leader = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	ASSERT_LE(0, open_software(&machine->pmcg, leader, 0));
	if (machine->hardware.counters > 2) {
		/* It has never had a counter. */
		ASSERT_EQ(0, pmcg_describe(&machine->pmcg, &attr, PMCG_EVENT_TRANSACTION, NULL));
		attr.disabled = 1;
		ASSERT_LE(0, pmcg_open_attr(&machine->pmcg, &attr, leader));
	}
	EXPECT_EQ(2, counting(machine));
	EXPECT_EQ(1, writes_of(machine, leader, PERF_EVENT_IOC_DISABLE));
	EXPECT_EQ(1, counting(machine));
	close(pinned);
	close(leader);

	/* It has given its counter back, and another event has got it. */
	leader = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, -1);
	member = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, NULL, leader);
	ASSERT_EQ(0, ioctl(member, PERF_EVENT_IOC_DISABLE, 0));
	other = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TLB_MISS, NULL, -1);
	EXPECT_EQ(2, counting(machine));
	EXPECT_EQ(1, writes_of(machine, leader, PERF_EVENT_IOC_DISABLE));
	EXPECT_EQ(1, counting(machine));
	stimulus_inject(&machine->stimulus, PMCG_EVENT_TLB_MISS, 0x8, 7);
	EXPECT_EQ(7, pmcg_value(other));
}

/* Whatever CPUs they are asked for on, they count on one: that of the PMU. */
TEST_F(injected, a_group_from_two_cpus)
{
	struct pmcg elsewhere = self->machine.pmcg;
	__u64 values[2];
	int leader, fd;

	if (self->machine.hardware.counters < 2)
		SKIP(return, "this PMCG has one counter only");
	elsewhere.cpu = cpu_other_than(elsewhere.cpu);
	if (elsewhere.cpu < 0)
		SKIP(return, "there is one CPU only");
	leader = must_open_leader(_metadata, &self->machine.pmcg, PMCG_EVENT_TRANSACTION, NULL);
	fd = pmcg_open(&elsewhere, PMCG_EVENT_TLB_MISS, leader);
	ASSERT_LE(0, fd)
		TH_LOG("%s", strerror(-fd));
	stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8, MANY);
	stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TLB_MISS, 0x8, 7);
	ASSERT_EQ(0, pmcg_read_group(leader, values, 2));
	EXPECT_EQ(MANY, values[0]);
	EXPECT_EQ(7, values[1]);
}

TEST_HARNESS_MAIN
