// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once, from all CPUs: events are opened, read, sampled and closed, attributes are
 * read, counters overflow, the owning CPU goes offline, the block loses power. Counts stay exact. A
 * kernel with KCSAN looks for data races meanwhile.
 */
#include <pthread.h>

#include "fixture.h"
#include "ring.h"

/* Threads that do to one PMU all that programs can do. */
struct stress {
	struct pmu pmu;
	struct pmu_hardware hardware;	/* behind it */
	int fd;	/* of an event that counts all the time */
	bool over;	/* they are to end */
	pthread_t threads[4];	/* the threads; each returns what is wrong, or NULL */
};

static bool is_over(const struct stress *stress)
{
	return __atomic_load_n(&stress->over, __ATOMIC_RELAXED);
}

static void *read_counts(void *data)
{
	struct stress *stress = data;
	__u64 value, last = 0;

	while (!is_over(stress)) {
		value = pmu_value(stress->fd);
		if (value == PMU_NO_VALUE || value < last)
			return "a count cannot be read or goes back";
		last = value;
	}
	return NULL;
}

static void *read_attributes(void *data)
{
	struct stress *stress = data;
	struct pmu pmu = stress->pmu;
	char text[64];

	while (!is_over(stress)) {
		if (pmu_read_cpu(&pmu))
			return "no CPU counts";
		if (pmu_attribute(&pmu, "associated_cpus", text, sizeof(text)) ||
		    pmu_attribute(&pmu, "interrupt", text, sizeof(text)))
			return "an attribute cannot be read";
	}
	return NULL;
}

/* The CPU may be offline by now, or the block without power. */
static bool is_wrong(int fd)
{
	return fd < 0 && fd != -ENODEV;
}

static void *open_events(void *data)
{
	struct stress *stress = data;
	struct pmu pmu = stress->pmu;
	int leader, member;

	while (!is_over(stress)) {
		pmu_read_cpu(&pmu);
		leader = pmu_open(&pmu, pmu.other_event, -1);
		if (is_wrong(leader))
			return "an event cannot be opened";
		if (leader < 0)
			continue;
		if (stress->hardware.counters > 3) {
			member = pmu_open(&pmu, pmu.event, leader);
			/* The leader is on the CPU that owned the PMU when it was opened. */
			if (is_wrong(member) && member != -EINVAL)
				return "an event cannot be opened in a group";
			close(member);
		}
		if (pmu_value(leader) == PMU_NO_VALUE)
			return "an event cannot be read";
		close(leader);
	}
	return NULL;
}

/* Every overflow is the end of a period. */
static void *take_samples(void *data)
{
	struct stress *stress = data;
	struct pmu pmu = stress->pmu;
	struct ring_tally tally = { 0 };
	struct perf_event_attr attr;
	struct ring ring;
	int fd;

	if (!pmu_can_sample(&pmu) || stress->hardware.counters < 3)
		return NULL;
	if (pmu_describe(&pmu, &attr, pmu.event))
		return "a sampling event cannot be described";
	attr.sample_period = 1ULL << (stress->hardware.bits - 2);
	attr.sample_type = RING_SAMPLE_TYPE;
	attr.read_format = PERF_FORMAT_GROUP;
	while (!is_over(stress)) {
		pmu_read_cpu(&pmu);
		fd = pmu_open_attr(&pmu, &attr, -1);
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

FIXTURE(stress) {
	struct stress stress;
};

/* Others would lose events while some are opened. */
static bool counts_on(const struct machine *machine)
{
	return machine->hardware.counters >= 2 && !machine->hardware.stops;
}

PMU_VARIANTS(stress, counts_on)

PMU_SETUP(stress, true)

/* Undoes the pinning of this thread, and of those that it creates, by the fixture. */
static int run_anywhere(void)
{
	int cpu, number = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t all;

	CPU_ZERO(&all);
	for (cpu = 0; cpu < number; cpu++)
		CPU_SET(cpu, &all);
	return sched_setaffinity(0, sizeof(all), &all);
}

static void start_threads(struct stress *stress)
{
	void *(*const what[])(void *data) = {
		read_counts, read_attributes, open_events, take_samples,
	};
	unsigned int i;

	stress->pmu = machine->pmu;
	stress->hardware = machine->hardware;
	stress->over = false;
	/* perf removes other events from their counters for a moment when it opens one. */
	stress->fd = must_open_pinned(pmu->event);
	ASSERT_EQ(0, run_anywhere());
	for (i = 0; i < ARRAY_SIZE(what); i++)
		ASSERT_EQ(0, pthread_create(&stress->threads[i], NULL, what[i], stress));
}

static void join_threads(struct stress *stress)
{
	unsigned int i;
	void *wrong;

	__atomic_store_n(&stress->over, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(stress->threads); i++) {
		ASSERT_EQ(0, pthread_join(stress->threads[i], &wrong));
		EXPECT_EQ(NULL, wrong)
			TH_LOG("%s", (const char *)wrong);
	}
}

/* Every second step is an overflow, unless counters have 64 bits. */
static void count(struct __test_metadata *_metadata, struct machine *machine, int fd,
		  __u64 *total)
{
	__u64 step = (1ULL << (machine->hardware.bits < 64 ? machine->hardware.bits - 1 : 40)) + 1;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, step);
		*total += step;
		ASSERT_EQ(*total, pmu_value(fd));
	}
}

TEST_F_TIMEOUT(stress, counts_stay_exact_when_a_cpu_goes, SLOW)
{
	__u64 total = 0;
	int gone, round;

	if (!cpu_can_go_offline(pmu->cpu) || cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	start_threads(&self->stress);
	for (round = 0; round < 3; round++) {
		count(_metadata, machine, self->stress.fd, &total);
		gone = pmu->cpu;
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmu_read_cpu(pmu));
		EXPECT_NE(gone, pmu->cpu);
		count(_metadata, machine, self->stress.fd, &total);
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
	join_threads(&self->stress);
}

TEST_F_TIMEOUT(stress, counts_stay_when_the_block_dies, SLOW)
{
	struct stress *stress = &self->stress;
	int round, fd;
	__u64 total;

	for (round = 0; round < 3; round++) {
		total = 0;
		start_threads(stress);
		count(_metadata, machine, stress->fd, &total);
		stimulus_dead(stimulus, true);
		do {
			EXPECT_EQ(total, pmu_value(stress->fd));
			fd = pmu_open(pmu, pmu->event, -1);
			close(fd);
		} while (fd >= 0);
		EXPECT_EQ(-ENODEV, fd);
		join_threads(stress);
		close(stress->fd);
		revive();
		expect_exact_counts();
	}
}

TEST_HARNESS_MAIN
