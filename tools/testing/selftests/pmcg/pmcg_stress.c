// SPDX-License-Identifier: GPL-2.0
/*
 * All at once, from all CPUs: events are opened, read, sampled and closed, attributes are
 * read, counters overflow, the CPU that counts goes away, the block dies. What is counted
 * stays exact. A kernel with KCSAN looks for data races meanwhile.
 */
#include <pthread.h>

#include "pmcg_fixture.h"
#include "ring.h"

/**
 * struct crowd - threads that do all that programs can do to one PMU
 * @pmcg: the PMU
 * @hardware: behind it
 * @fd: of an event that counts all the time
 * @over: they are to end
 * @members: the threads; each returns what is wrong, or NULL
 */
struct crowd {
	struct pmcg pmcg;
	struct pmcg_hardware hardware;
	int fd;
	bool over;
	pthread_t members[4];
};

static bool is_over(const struct crowd *crowd)
{
	return __atomic_load_n(&crowd->over, __ATOMIC_RELAXED);
}

static void *read_counts(void *data)
{
	struct crowd *crowd = data;
	__u64 value, last = 0;

	while (!is_over(crowd)) {
		value = pmcg_value(crowd->fd);
		if (value == PMCG_NO_VALUE || value < last)
			return "a count cannot be read or goes back";
		last = value;
	}
	return NULL;
}

static void *read_attributes(void *data)
{
	struct crowd *crowd = data;
	struct pmcg pmcg = crowd->pmcg;
	char text[64];

	while (!is_over(crowd)) {
		if (pmcg_read_cpu(&pmcg))
			return "no CPU counts";
		if (pmcg_attribute(&pmcg, "associated_cpus", text, sizeof(text)) ||
		    pmcg_attribute(&pmcg, "interrupt", text, sizeof(text)))
			return "an attribute cannot be read";
	}
	return NULL;
}

/* The CPU that was asked for may be away, and the block dead. */
static bool is_wrong(int fd)
{
	return fd < 0 && fd != -ENODEV;
}

static void *open_events(void *data)
{
	struct crowd *crowd = data;
	struct pmcg pmcg = crowd->pmcg;
	int leader, member;

	while (!is_over(crowd)) {
		pmcg_read_cpu(&pmcg);
		leader = pmcg_open(&pmcg, PMCG_EVENT_TLB_MISS, -1);
		if (is_wrong(leader))
			return "an event cannot be opened";
		if (leader < 0)
			continue;
		if (crowd->hardware.counters > 3) {
			member = pmcg_open(&pmcg, PMCG_EVENT_TRANSACTION, leader);
			/* The leader is where the PMU was when that was opened. */
			if (is_wrong(member) && member != -EINVAL)
				return "an event cannot be opened in a group";
			close(member);
		}
		if (pmcg_value(leader) == PMCG_NO_VALUE)
			return "an event cannot be read";
		close(leader);
	}
	return NULL;
}

/* Every overflow that the test makes is the end of a period. */
static void *take_samples(void *data)
{
	struct crowd *crowd = data;
	struct pmcg pmcg = crowd->pmcg;
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	struct ring ring;
	int fd;

	if (!pmcg_can_interrupt(&pmcg) || crowd->hardware.counters < 3 || machine_is("HIP08"))
		return NULL;
	if (pmcg_describe(&pmcg, &attr, PMCG_EVENT_TRANSACTION, NULL))
		return "a sampling event cannot be described";
	attr.sample_period = 1ULL << (crowd->hardware.bits - 2);
	attr.sample_type = RING_SAMPLE_TYPE;
	attr.read_format = PERF_FORMAT_GROUP;
	while (!is_over(crowd)) {
		pmcg_read_cpu(&pmcg);
		fd = pmcg_open_attr(&pmcg, &attr, -1);
		if (is_wrong(fd))
			return "a sampling event cannot be opened";
		if (fd < 0)
			continue;
		if (ring_open(&ring, fd))
			return "there is no ring buffer";
		usleep(10000);
		ring_drain(&ring, &tally);
		ring_close(&ring);
		close(fd);
	}
	return NULL;
}

FIXTURE(crowd) {
	struct pmcg_machine machine;
	struct crowd crowd;
};

FIXTURE_VARIANT(crowd) {
	char name[PMCG_NAME_LENGTH];
};

FIXTURE_SETUP(crowd)
{
	cpu_all_online();
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	if (self->machine.pmcg.in_tree)
		SKIP(return, "in-tree driver: opens events on the CPU that goes");
	if (self->machine.hardware.counters < 2)
		SKIP(return, "this PMCG has one counter only");
}

FIXTURE_TEARDOWN(crowd)
{
	struct pmcg *pmcg = &self->machine.pmcg, found;

	cpu_all_online();
	/* Where a test has ended half way. */
	if (pmcg->device[0] && pmcg_find(&found, pmcg->name))
		EXPECT_EQ(0, device_bind(pmcg->driver, pmcg->device));
	machine_teardown(_metadata, &self->machine);
}

static void LATER add_crowd_variants(void)
{
	add_variants(&_crowd_fixture_object, NULL);
}

/* Not where the fixture has pinned this thread and those it makes. */
static int run_anywhere(void)
{
	int cpu, number = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t all;

	CPU_ZERO(&all);
	for (cpu = 0; cpu < number; cpu++)
		CPU_SET(cpu, &all);
	return sched_setaffinity(0, sizeof(all), &all);
}

static void gather(struct __test_metadata *_metadata, struct crowd *crowd,
		   const struct pmcg_machine *machine)
{
	void *(*const what[])(void *data) = {
		read_counts, read_attributes, open_events, take_samples,
	};
	unsigned int i;

	crowd->pmcg = machine->pmcg;
	crowd->hardware = machine->hardware;
	crowd->over = false;
	/* perf takes other events off their counters for a moment when it opens one. */
	crowd->fd = pmcg_open_pinned(&machine->pmcg, PMCG_EVENT_TRANSACTION, NULL);
	ASSERT_LE(0, crowd->fd);
	ASSERT_EQ(0, run_anywhere());
	for (i = 0; i < ARRAY_SIZE(what); i++)
		ASSERT_EQ(0, pthread_create(&crowd->members[i], NULL, what[i], crowd));
}

static void dismiss(struct __test_metadata *_metadata, struct crowd *crowd)
{
	unsigned int i;
	void *wrong;

	__atomic_store_n(&crowd->over, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(crowd->members); i++) {
		ASSERT_EQ(0, pthread_join(crowd->members[i], &wrong));
		EXPECT_EQ(NULL, wrong)
			TH_LOG("%s", (const char *)wrong);
	}
}

/* Each second step is an overflow, where 64 bits do not rule that out. */
static void count(struct __test_metadata *_metadata, struct pmcg_machine *machine, int fd,
		  __u64 *total)
{
	__u64 step = (1ULL << (machine->hardware.bits < 64 ? machine->hardware.bits - 1 : 40)) + 1;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		stimulus_inject(&machine->stimulus, PMCG_EVENT_TRANSACTION, 0x8, step);
		*total += step;
		ASSERT_EQ(*total, pmcg_value(fd));
	}
}

TEST_F_TIMEOUT(crowd, counts_stay_exact_when_a_cpu_goes, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct pmcg *pmcg = &machine->pmcg;
	__u64 total = 0;
	int gone, round;

	if (!cpu_can_go_offline(pmcg->cpu) || cpu_other_than(pmcg->cpu) < 0)
		SKIP(return, "CPU %d cannot go offline", pmcg->cpu);
	gather(_metadata, &self->crowd, machine);
	for (round = 0; round < 3; round++) {
		count(_metadata, machine, self->crowd.fd, &total);
		gone = pmcg->cpu;
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmcg_read_cpu(pmcg));
		EXPECT_NE(gone, pmcg->cpu);
		count(_metadata, machine, self->crowd.fd, &total);
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
	dismiss(_metadata, &self->crowd);
}

TEST_F_TIMEOUT(crowd, counts_stay_when_the_block_dies, SLOW)
{
	struct pmcg_machine *machine = &self->machine;
	struct crowd *crowd = &self->crowd;
	struct pmcg *pmcg = &machine->pmcg;
	int round, fd;
	__u64 total;

	for (round = 0; round < 3; round++) {
		total = 0;
		gather(_metadata, crowd, machine);
		count(_metadata, machine, crowd->fd, &total);
		stimulus_dead(&machine->stimulus, true);
		do {
			EXPECT_EQ(total, pmcg_value(crowd->fd));
			fd = pmcg_open(pmcg, PMCG_EVENT_TRANSACTION, -1);
			close(fd);
		} while (fd >= 0);
		EXPECT_EQ(-ENODEV, fd);
		dismiss(_metadata, crowd);
		close(crowd->fd);
		ASSERT_EQ(0, device_unbind(pmcg->driver, pmcg->device));
		stimulus_dead(&machine->stimulus, false);
		ASSERT_EQ(0, device_bind(pmcg->driver, pmcg->device));
		expect_exact_counts(_metadata, machine);
	}
}

TEST_HARNESS_MAIN
