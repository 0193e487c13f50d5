// SPDX-License-Identifier: GPL-2.0
/*
 * Invariants of every single read under load: a count never decreases; it includes everything that
 * was injected before the read began, and nothing that was injected after it ended; two identical
 * events have the same count in a captured group, and the filtered parts of an event add up to the
 * whole; the periods of all samples and the remainder add up to the count.
 *
 * One process injects events and takes the samples; others, on another CPU, read.
 */
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "fixture.h"
#include "random.h"
#include "ring.h"

#define PART_A		0x42
#define PART_B		0x43
#define READERS		2
#define MAX_MEMBERS	4
#define MAX_SETS	3
#define PERIOD		1000
#define CYCLES_PERIOD	50000
#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define ROTATION	"/sys/bus/event_source/devices/%s/perf_event_mux_interval_ms"

/* The injected events; an event counts some of these sources. */
enum source {
	TRANSACTION_A,
	TRANSACTION_B,
	MISS_A,
	SOURCES
};

#define ONLY(source)	(1U << (source))
#define WHOLE		(ONLY(TRANSACTION_A) | ONLY(TRANSACTION_B))

/**
 * struct shared - what the injecting process and the readers share
 * @announced: how many events will have been injected in a moment
 * @done: how many have been
 * @over: the readers are to end
 * @lossy: events may have lost counters in between
 * @reads: that were looked at
 * @wrong: reads that show what cannot be
 * @text: what the first of them was
 */
struct shared {
	__u64 announced[SOURCES];
	__u64 done[SOURCES];
	bool over;
	bool lossy;
	__u64 reads[READERS];
	__u64 wrong;
	char text[256];
};

/**
 * struct set - events that one read() gives, all opened before anything is injected
 * @name: for messages
 * @fd: of the leader, or -1
 * @fds: of all of them
 * @number: of events
 * @sources: that each of them counts; 0: another clock
 * @twins: the first two of those that count something are the same event
 * @parts: the last two add up to the first
 * @exact: no event that was injected may be missing
 */
struct set {
	const char *name;
	int fd;
	int fds[MAX_MEMBERS];
	unsigned int number;
	unsigned int sources[MAX_MEMBERS];
	bool twins;
	bool parts;
	bool exact;
};

/**
 * struct scene - what one test looks at
 * @machine: the PMU
 * @shared: with the readers
 * @sets: that they read
 * @number: of @sets
 * @sampled: the set whose leader samples
 * @ring: of that leader, if there is one
 * @tally: of its records
 * @period: of its samples
 * @cycles: the leader counts a clock
 * @turns: events take turns
 * @later: the sampled set is opened after the others
 * @sampled_events: the sum of all periods so far
 * @last: the counts of the sample before
 * @random: state of the injector
 * @readers: processes
 */
struct scene {
	struct machine *machine;
	struct shared *shared;
	struct set sets[MAX_SETS];
	unsigned int number;
	struct set sampled;
	struct ring ring;
	struct ring_tally tally;
	__u64 period;
	bool cycles;
	bool turns;
	bool later;
	__u64 sampled_events;
	__u64 last[MAX_MEMBERS];
	__u64 random;
	pid_t readers[READERS];
};

FIXTURE(invariants) {
	struct machine machine;
	struct scene scene;
	char rate[32];
};

PMU_VARIANTS(invariants, NULL)

FIXTURE_SETUP(invariants)
{
	cpu_all_online();
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
	if (_metadata->exit_code)
		return;
	self->scene.shared = mmap(NULL, sizeof(*self->scene.shared), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->scene.shared);
	self->scene.machine = &self->machine;
	self->scene.random = self->machine.pmu.page;
	read_text(SAMPLE_RATE, self->rate, sizeof(self->rate));
}

FIXTURE_TEARDOWN(invariants)
{
	unsigned int i;

	/* For tests that have ended early. */
	if (self->scene.shared && self->scene.shared != MAP_FAILED)
		__atomic_store_n(&self->scene.shared->over, true, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++)
		if (self->scene.readers[i] > 0)
			waitpid(self->scene.readers[i], NULL, 0);
	if (self->rate[0])
		write_text(SAMPLE_RATE, self->rate);
	cpu_all_online();
	expect_bound(_metadata, &self->machine);
	machine_teardown(_metadata, &self->machine);
}

/* A bound of one count: @sum is the number of events that have been injected, or that may have. */
static __u64 sum_of(const __u64 *sum, unsigned int sources)
{
	__u64 total = 0;
	unsigned int i;

	for (i = 0; i < SOURCES; i++)
		if (sources >> i & 1)
			total += __atomic_load_n(&sum[i], __ATOMIC_SEQ_CST);
	return total;
}

static void wrong(struct shared *shared, const char *format, ...)
{
	va_list arguments;

	if (__atomic_fetch_add(&shared->wrong, 1, __ATOMIC_SEQ_CST))
		return;
	va_start(arguments, format);
	vsnprintf(shared->text, sizeof(shared->text), format, arguments);
	va_end(arguments);
}

#define HEX(value)	((unsigned long long)(value))

/* Checks values of one instant against each other. */
static void check_together(struct shared *shared, const char *what, const struct set *set,
			   const __u64 *values)
{
	unsigned int first = set->sources[0] ? 0 : 1, last = set->number - 1;

	if (set->twins && values[first] != values[first + 1])
		wrong(shared, "%s of %s: twins are %#llx and %#llx", what, set->name,
		      HEX(values[first]), HEX(values[first + 1]));
	if (set->parts && values[last - 1] + values[last] != values[0])
		wrong(shared, "%s of %s: parts of %#llx are %#llx and %#llx", what, set->name,
		      HEX(values[0]), HEX(values[last - 1]), HEX(values[last]));
}

/* Checks one read of a set; @last is the previous read of the same reader. */
static void check_read(struct shared *shared, const struct set *set, __u64 *last)
{
	__u64 low[MAX_MEMBERS], values[MAX_MEMBERS], high;
	bool lossy = __atomic_load_n(&shared->lossy, __ATOMIC_SEQ_CST);
	unsigned int i;
	int error;

	for (i = 0; i < set->number; i++)
		low[i] = sum_of(shared->done, set->sources[i]);
	error = pmu_read_group(set->fd, values, set->number);
	if (error) {
		wrong(shared, "%s cannot be read: %s", set->name, strerror(-error));
		return;
	}
	lossy |= __atomic_load_n(&shared->lossy, __ATOMIC_SEQ_CST);
	for (i = 0; i < set->number; i++) {
		if (values[i] < last[i])
			wrong(shared, "%s, event %u: %#llx after %#llx", set->name, i,
			      HEX(values[i]), HEX(last[i]));
		last[i] = values[i];
		if (!set->sources[i])
			continue;
		high = sum_of(shared->announced, set->sources[i]);
		if (values[i] > high)
			wrong(shared, "%s, event %u: %#llx of %#llx", set->name, i,
			      HEX(values[i]), HEX(high));
		if (set->exact && !lossy && values[i] < low[i])
			wrong(shared, "%s, event %u: %#llx, but %#llx were before", set->name,
			      i, HEX(values[i]), HEX(low[i]));
	}
	/* If events were stopped in the middle of a group, they did not stop at one instant. */
	if (!lossy)
		check_together(shared, "a read", set, values);
}

static void read_until_over(struct scene *scene, unsigned int reader)
{
	__u64 last[MAX_SETS][MAX_MEMBERS] = { 0 };
	struct shared *shared = scene->shared;
	unsigned int i;

	while (!__atomic_load_n(&shared->over, __ATOMIC_RELAXED)) {
		for (i = 0; i < scene->number; i++)
			check_read(shared, &scene->sets[i], last[i]);
		__atomic_fetch_add(&shared->reads[reader], 1, __ATOMIC_RELAXED);
	}
}

static bool cycles_run(const struct pmu *pmu)
{
	int fd = pmu_open(pmu, pmu->clock, -1);
	bool run;

	if (fd < 0)
		return false;
	usleep(1000);
	run = pmu_value(fd);
	close(fd);
	return run;
}

static void describe(struct __test_metadata *_metadata, const struct pmu *pmu,
		     struct perf_event_attr *attr, __u64 event, unsigned int sources)
{
	ASSERT_EQ(0, pmu_describe(pmu, attr, event));
	if (sources != WHOLE)
		filter_by_source(_metadata, pmu, attr,
				 sources == ONLY(TRANSACTION_B) ? PART_B : PART_A);
	attr->read_format = PERF_FORMAT_GROUP;
}

static struct set *new_set(struct scene *scene, const char *name)
{
	struct set *set = &scene->sets[scene->number++];

	memset(set, 0, sizeof(*set));
	set->name = name;
	set->fd = -1;
	return set;
}

static void add(struct __test_metadata *_metadata, struct scene *scene,
		struct set *set, struct perf_event_attr *attr, unsigned int sources)
{
	int fd = pmu_open_attr(&scene->machine->pmu, attr, set->fd);

	ASSERT_LE(0, fd)
		TH_LOG("%s, event %u: %s", set->name, set->number, strerror(-fd));
	if (set->fd < 0)
		set->fd = fd;
	set->fds[set->number] = fd;
	set->sources[set->number++] = sources;
}

/* Samples of injected events, of a clock if there is one, or of injected events that freeze all. */
enum sampling { NO_SAMPLES, SAMPLES, CLOCK_SAMPLES, FROZEN_SAMPLES };

/* A sampling leader, and one or two members that count injected events. */
static void open_sampler(struct __test_metadata *_metadata, struct scene *scene,
			 unsigned int counters, enum sampling sampling, bool pinned)
{
	const struct pmu_hardware *hardware = &scene->machine->hardware;
	bool cycles = sampling == CLOCK_SAMPLES && cycles_run(&scene->machine->pmu);
	struct set *set = new_set(scene, "the sampled group");
	struct perf_event_attr attr;

	describe(_metadata, &scene->machine->pmu, &attr,
		 cycles ? scene->machine->pmu.clock : scene->machine->pmu.event, WHOLE);
	attr.pinned = pinned;
	attr.exclusive = sampling == FROZEN_SAMPLES;
	scene->period = cycles ? CYCLES_PERIOD : PERIOD;
	attr.sample_period = scene->period;
	attr.sample_type = RING_SAMPLE_TYPE;
	add(_metadata, scene, set, &attr, cycles ? 0 : WHOLE);
	describe(_metadata, &scene->machine->pmu, &attr, scene->machine->pmu.event, WHOLE);
	while (set->number < counters)
		add(_metadata, scene, set, &attr, WHOLE);
	scene->cycles = cycles;
	set->twins = hardware->overflow_capture && set->number > (cycles ? 2 : 1);
	ASSERT_EQ(0, ring_open(&scene->ring, set->fd));
	scene->sampled = *set;
}

static void open_group(struct __test_metadata *_metadata, struct scene *scene,
		       unsigned int counters, bool pinned)
{
	const struct pmu_hardware *hardware = &scene->machine->hardware;
	bool filters = counters >= 4 && each_filters(scene->machine);
	static const unsigned int sources[MAX_MEMBERS] = {
		WHOLE, WHOLE, ONLY(TRANSACTION_A), ONLY(TRANSACTION_B)
	};
	struct set *set = new_set(scene, "the group");
	struct perf_event_attr attr;

	while (set->number < (filters ? 4 : 2)) {
		describe(_metadata, &scene->machine->pmu, &attr, scene->machine->pmu.event,
			 sources[set->number]);
		attr.pinned = pinned && !set->number;
		add(_metadata, scene, set, &attr, sources[set->number]);
	}
	set->twins = hardware->capture;
	set->parts = hardware->capture && filters;
	set->exact = pinned;
}

static void open_single(struct __test_metadata *_metadata, struct scene *scene,
			bool pinned)
{
	struct set *set = new_set(scene, "the single event");
	struct perf_event_attr attr;

	describe(_metadata, &scene->machine->pmu, &attr, scene->machine->pmu.other_event, WHOLE);
	attr.pinned = pinned;
	add(_metadata, scene, set, &attr, ONLY(MISS_A));
	set->exact = pinned;
}

/*
 * As many events as there are counters, or twice as many, so that they are multiplexed. A group
 * that freezes all counters is alone.
 */
static void open_all(struct __test_metadata *_metadata, struct scene *scene,
		     enum sampling sampling, bool pinned)
{
	struct machine *machine = scene->machine;
	unsigned int left = machine->hardware.counters, wanted = 0;

	scene->ring.control = NULL;
	scene->turns = !pinned;
	if (sampling != NO_SAMPLES && pmu_can_sample(&machine->pmu))
		wanted = left < 4 ? 1 : left < 8 ? 2 : 3;
	if (wanted && !scene->later)
		open_sampler(_metadata, scene, wanted, sampling, pinned);
	if (wanted && sampling == FROZEN_SAMPLES)
		return;
	if (pinned)
		left -= wanted;
	if (left >= 2) {
		open_group(_metadata, scene, left, pinned);
		left -= scene->sets[scene->number - 1].number;
	}
	if (left || !pinned)
		open_single(_metadata, scene, pinned);
	if (wanted && scene->later)
		open_sampler(_metadata, scene, wanted, sampling, pinned);
}

static void start_readers(struct __test_metadata *_metadata, struct scene *scene)
{
	int cpu = cpu_other_than(scene->machine->pmu.cpu);
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		scene->readers[i] = fork();
		ASSERT_LE(0, scene->readers[i]);
		if (scene->readers[i])
			continue;
		if (cpu >= 0)
			cpu_pin(cpu);
		read_until_over(scene, i);
		_exit(0);
	}
}

static __u64 fewest_reads(const struct scene *scene)
{
	__u64 fewest = ~0ULL, reads;
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		reads = __atomic_load_n(&scene->shared->reads[i], __ATOMIC_RELAXED);
		if (reads < fewest)
			fewest = reads;
	}
	return fewest;
}

/* The counts of samples do not decrease either, and do not include later events. */
static void take_samples(struct scene *scene)
{
	const struct set *set = &scene->sampled;
	struct ring_sample sample;
	unsigned int i;
	__u64 high;

	if (!scene->ring.control)
		return;
	while (ring_next_sample(&scene->ring, &scene->tally, &sample)) {
		scene->sampled_events += sample.period;
		if (sample.number != set->number) {
			wrong(scene->shared, "a sample with %llu counts", HEX(sample.number));
			continue;
		}
		for (i = 0; i < set->number; i++) {
			high = sum_of(scene->shared->announced, set->sources[i]);
			if (sample.values[i] < scene->last[i])
				wrong(scene->shared, "a sample, event %u: %#llx after %#llx", i,
				      HEX(sample.values[i]), HEX(scene->last[i]));
			if (set->sources[i] && sample.values[i] > high)
				wrong(scene->shared, "a sample, event %u: %#llx of %#llx", i,
				      HEX(sample.values[i]), HEX(high));
			scene->last[i] = sample.values[i];
		}
		check_together(scene->shared, "a sample", set, sample.values);
	}
}

static void inject(struct scene *scene, enum source source, __u64 number)
{
	const struct pmu *pmu = &scene->machine->pmu;
	struct shared *shared = scene->shared;

	__atomic_fetch_add(&shared->announced[source], number, __ATOMIC_SEQ_CST);
	stimulus_inject(&scene->machine->stimulus,
			source == MISS_A ? pmu->other_event : pmu->event,
			source == TRANSACTION_B ? PART_B : PART_A, number);
	__atomic_fetch_add(&shared->done[source], number, __ATOMIC_SEQ_CST);
}

/* If no interrupt indicates a wrap, a read has to come before the next one. */
static void inject_some(struct scene *scene)
{
	struct machine *machine = scene->machine;
	unsigned int bits = machine->hardware.bits, source, i;
	__u64 values[MAX_MEMBERS], number;

	for (source = 0; source < SOURCES; source++) {
		number = next_random(&scene->random) % (2 * PERIOD);
		if (!(next_random(&scene->random) % 8))
			number += 1ULL << (bits < 64 ? bits - 2 : 40);
		inject(scene, source, number);
		if (!has_interrupt(machine))
			for (i = 0; i < scene->number; i++)
				pmu_read_group(scene->sets[i].fd, values, scene->sets[i].number);
		take_samples(scene);
	}
}

/*
 * Waits for reads on another CPU, which may take long on a busy machine: any number is enough, but
 * not none. A clock continues meanwhile, and its samples delay everything else.
 */
static void inject_beside_reads(struct scene *scene, unsigned int steps)
{
	__u64 samples = scene->tally.samples + 5000 * repeat();

	steps *= repeat();
	for (; steps && (!scene->cycles || scene->tally.samples < samples); steps--)
		inject_some(scene);
	while (fewest_reads(scene) < 20)
		inject_some(scene);
}

static void finish_readers(struct __test_metadata *_metadata, struct scene *scene)
{
	struct shared *shared = scene->shared;
	unsigned int i;
	int status;

	__atomic_store_n(&shared->over, true, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++) {
		EXPECT_EQ(scene->readers[i], waitpid(scene->readers[i], &status, 0));
		EXPECT_EQ(0, status);
		scene->readers[i] = 0;
	}
	EXPECT_EQ(0, shared->wrong)
		TH_LOG("%llu wrong in %llu rounds of reads and %llu samples: %s",
		       HEX(shared->wrong), HEX(shared->reads[0] + shared->reads[1]),
		       HEX(scene->tally.samples), shared->text);
}

/*
 * A period that has just ended gets its sample with the next event. A clock may end one, or many if
 * interrupts are late, when the event stops: these have no sample.
 */
static void check_periods(struct __test_metadata *_metadata, struct scene *scene)
{
	__u64 values[MAX_MEMBERS];

	if (!scene->ring.control)
		return;
	ASSERT_EQ(0, ioctl(scene->sampled.fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, pmu_read_group(scene->sampled.fd, values, scene->sampled.number));
	take_samples(scene);
	EXPECT_LT(0, scene->tally.samples);
	EXPECT_LE(scene->sampled_events, values[0]);
	/* A clock may fill the ring buffer faster than a slow machine reads it. */
	if (!scene->cycles)
		EXPECT_EQ(0, scene->tally.lost);
	/* Nor do periods that ended when the event was removed from its counter. */
	if (!scene->cycles && !scene->turns)
		EXPECT_GE(scene->period, values[0] - scene->sampled_events);
}

static void close_all(struct scene *scene)
{
	struct set *set;

	ring_close(&scene->ring);
	while (scene->number) {
		set = &scene->sets[--scene->number];
		while (set->number)
			close(set->fds[--set->number]);
	}
}

TEST_F_TIMEOUT(invariants, beside_samples, SLOW)
{
	open_all(_metadata, &self->scene, CLOCK_SAMPLES, true);
	start_readers(_metadata, &self->scene);
	inject_beside_reads(&self->scene, 500);
	finish_readers(_metadata, &self->scene);
	check_periods(_metadata, &self->scene);
}

/* The counters of the samples have higher numbers then. */
TEST_F_TIMEOUT(invariants, beside_samples_opened_later, SLOW)
{
	self->scene.later = true;
	open_all(_metadata, &self->scene, CLOCK_SAMPLES, true);
	start_readers(_metadata, &self->scene);
	inject_beside_reads(&self->scene, 500);
	finish_readers(_metadata, &self->scene);
	check_periods(_metadata, &self->scene);
}

TEST_F_TIMEOUT(invariants, of_the_whole_and_its_parts, SLOW)
{
	open_all(_metadata, &self->scene, NO_SAMPLES, true);
	start_readers(_metadata, &self->scene);
	inject_beside_reads(&self->scene, 300);
	finish_readers(_metadata, &self->scene);
}

/* Each tick permits one sample of an event, or a few more. */
TEST_F_TIMEOUT(invariants, while_throttled, SLOW)
{
	if (!pmu_can_interrupt(&self->machine.pmu))
		SKIP(return, "this PMU has no interrupt");
	ASSERT_EQ(0, write_text(SAMPLE_RATE, "500"));
	open_all(_metadata, &self->scene, SAMPLES, true);
	/* Before 6.16 only a leader that is throttled stops. */
	if (!self->scene.cycles)
		self->scene.sets[0].twins = false;
	self->scene.sampled.twins = false;
	start_readers(_metadata, &self->scene);
	while (self->scene.tally.throttled < 5)
		inject_some(&self->scene);
	inject_beside_reads(&self->scene, 100);
	finish_readers(_metadata, &self->scene);
	check_periods(_metadata, &self->scene);
}

TEST_F_TIMEOUT(invariants, while_the_cpu_goes, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	unsigned int round, i;
	int gone;

	if (!cpu_can_go_offline(pmu->cpu) || cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	open_all(_metadata, &self->scene, SAMPLES, true);
	start_readers(_metadata, &self->scene);
	for (round = 0; round < 2 * repeat(); round++) {
		for (i = 0; i < 20; i++)
			inject_some(&self->scene);
		gone = pmu->cpu;
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmu_follow(pmu));
		for (i = 0; i < 20; i++)
			inject_some(&self->scene);
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
	finish_readers(_metadata, &self->scene);
	check_periods(_metadata, &self->scene);
}

/* Injects single events, independently of the other processes. */
static pid_t start_injector(struct scene *scene)
{
	pid_t injector = fork();
	int other;

	if (injector)
		return injector;
	other = cpu_other_than(scene->machine->pmu.cpu);
	if (other >= 0)
		cpu_pin(other);
	while (!__atomic_load_n(&scene->shared->over, __ATOMIC_RELAXED))
		inject(scene, TRANSACTION_A, 1);
	_exit(0);
}

/* Events that occur during the migration are not counted by any event of a group. */
TEST_F_TIMEOUT(invariants, while_it_moves_under_traffic, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	unsigned int round, i;
	int gone, status;
	pid_t injector;

	if (!cpu_can_go_offline(pmu->cpu) || cpu_other_than(pmu->cpu) < 0)
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	open_all(_metadata, &self->scene, CLOCK_SAMPLES, true);
	for (i = 0; i < self->scene.number; i++)
		self->scene.sets[i].exact = false;
	/* A sampling event does not count events that occur while its counter is set. */
	if (self->scene.ring.control && !self->scene.cycles)
		self->scene.sets[0].twins = false;
	self->scene.sampled.twins &= self->scene.cycles;
	start_readers(_metadata, &self->scene);
	injector = start_injector(&self->scene);
	ASSERT_LT(0, injector);
	for (round = 0; round < 6 * repeat(); round++) {
		gone = pmu->cpu;
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmu_follow(pmu));
		take_samples(&self->scene);
		ASSERT_EQ(0, cpu_set_online(gone, true));
		take_samples(&self->scene);
	}
	finish_readers(_metadata, &self->scene);
	EXPECT_EQ(injector, waitpid(injector, &status, 0));
}

/*
 * Linux 6.16 and newer throttle whole groups, older ones only the leader: the other events continue
 * together.
 */
TEST_F_TIMEOUT(invariants, while_groups_are_throttled, SLOW)
{
	unsigned int i;
	pid_t injector;
	int status;

	if (!pmu_can_interrupt(&self->machine.pmu))
		SKIP(return, "this PMU has no interrupt");
	ASSERT_EQ(0, write_text(SAMPLE_RATE, "500"));
	open_all(_metadata, &self->scene, CLOCK_SAMPLES, true);
	for (i = 0; i < self->scene.number; i++)
		self->scene.sets[i].exact = false;
	if (!self->scene.cycles)
		SKIP(return, "no clock for a leader of two identical events");
	start_readers(_metadata, &self->scene);
	injector = start_injector(&self->scene);
	ASSERT_LT(0, injector);
	while (self->scene.tally.throttled < 20 * repeat())
		take_samples(&self->scene);
	finish_readers(_metadata, &self->scene);
	EXPECT_EQ(injector, waitpid(injector, &status, 0));
}

TEST_F_TIMEOUT(invariants, while_events_take_turns, SLOW)
{
	char path[128], interval[16];

	snprintf(path, sizeof(path), ROTATION, self->machine.pmu.name);
	ASSERT_LT(0, read_text(path, interval, sizeof(interval)));
	ASSERT_EQ(0, write_text(path, "1"));
	open_all(_metadata, &self->scene, SAMPLES, false);
	start_readers(_metadata, &self->scene);
	inject_beside_reads(&self->scene, 300);
	finish_readers(_metadata, &self->scene);
	check_periods(_metadata, &self->scene);
	EXPECT_EQ(0, write_text(path, interval));
}

TEST_F_TIMEOUT(invariants, while_the_system_sleeps, SLOW)
{
	unsigned int round, i;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	open_all(_metadata, &self->scene, SAMPLES, true);
	start_readers(_metadata, &self->scene);
	for (round = 0; round < 2 * repeat(); round++) {
		for (i = 0; i < 20; i++)
			inject_some(&self->scene);
		if (round)
			stimulus_lose_state(&self->machine.stimulus, 300 + round);
		ASSERT_EQ(0, power_suspend());
		for (i = 0; i < 20; i++)
			inject_some(&self->scene);
	}
	finish_readers(_metadata, &self->scene);
	check_periods(_metadata, &self->scene);
}

TEST_F_TIMEOUT(invariants, while_the_block_dies, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	struct shared *shared = self->scene.shared;
	unsigned int round, i;
	__u64 reads;

	for (round = 0; round < 2 * repeat(); round++) {
		memset(shared, 0, sizeof(*shared));
		memset(&self->scene.tally, 0, sizeof(self->scene.tally));
		memset(self->scene.last, 0, sizeof(self->scene.last));
		self->scene.sampled_events = 0;
		open_all(_metadata, &self->scene, SAMPLES, true);
		start_readers(_metadata, &self->scene);
		for (i = 0; i < 20; i++)
			inject_some(&self->scene);
		__atomic_store_n(&shared->lossy, true, __ATOMIC_SEQ_CST);
		stimulus_dead_after(&self->machine.stimulus, 1 + 4 * (round % 4));
		for (reads = fewest_reads(&self->scene); fewest_reads(&self->scene) < reads + 10;)
			inject_some(&self->scene);
		finish_readers(_metadata, &self->scene);
		close_all(&self->scene);
		revive(_metadata, &self->machine);
		stimulus_traffic(&self->machine.stimulus, false);
		expect_exact_counts(_metadata, &self->machine);
	}
}

static const enum sampling lives[] = { NO_SAMPLES, SAMPLES, FROZEN_SAMPLES };

/* Others would have the same life twice. */
static unsigned int number_of_lives(const struct machine *machine)
{
	if (!pmu_can_sample(&machine->pmu))
		return 1;
	return strcmp(machine->pmu.family->module, "arm_coresight_pmu") ? 2 : 3;
}

static void begin_life(struct __test_metadata *_metadata, struct scene *scene,
		       enum sampling sampling)
{
	memset(scene->shared, 0, sizeof(*scene->shared));
	memset(scene->last, 0, sizeof(scene->last));
	open_all(_metadata, scene, sampling, true);
	inject_some(scene);
	inject_some(scene);
}

static void check_all(struct scene *scene, __u64 last[MAX_SETS][MAX_MEMBERS])
{
	unsigned int n;

	for (n = 0; n < scene->number; n++)
		check_read(scene->shared, &scene->sets[n], last[n]);
	take_samples(scene);
}

/* A sampling event does not count events that occur while its counter is set. */
static void disregard_leader(struct set *set)
{
	set->sources[0] = 0;
	set->twins &= set->number > 2;
}

/*
 * Each read of a counter or shadow register causes events, so periods end at any time while a group
 * is read, and their overflows capture. How many events there are is not known.
 */
TEST_F_TIMEOUT(invariants, beside_periods_that_end_within_reads, SLOW)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	struct scene *scene = &self->scene;
	unsigned int later, i;

	if (!pmu_can_sample(&self->machine.pmu))
		SKIP(return, "this PMU cannot sample");
	scene->shared->announced[TRANSACTION_A] = 1ULL << 62;
	for (later = 0; later < 2; later++) {
		__u64 last[MAX_SETS][MAX_MEMBERS] = { 0 };

		scene->later = later;
		open_all(_metadata, scene, SAMPLES, true);
		disregard_leader(&scene->sets[later ? scene->number - 1 : 0]);
		disregard_leader(&scene->sampled);
		for (i = 0; i < 1000 * repeat(); i++) {
			stimulus_step(stimulus, self->machine.pmu.event, PART_A,
				      1 + next_random(&scene->random) % 32);
			check_all(scene, last);
		}
		stimulus_step(stimulus, 0, 0, 0);
		EXPECT_EQ(0, scene->shared->wrong)
			TH_LOG("%llu wrong, opened %s: %s", HEX(scene->shared->wrong),
			       later ? "later" : "first", scene->shared->text);
		EXPECT_LT(0, scene->tally.samples);
		close_all(scene);
		scene->shared->wrong = 0;
		memset(scene->last, 0, sizeof(scene->last));
	}
}

static void end_life(struct __test_metadata *_metadata, struct scene *scene,
		     enum sampling sampling, unsigned int reads)
{
	EXPECT_EQ(0, scene->shared->wrong)
		TH_LOG("dead after %u reads, sampling %u: %s", reads, sampling,
		       scene->shared->text);
	close_all(scene);
	revive(_metadata, scene->machine);
	stimulus_traffic(&scene->machine->stimulus, false);
}

/* Also between the two halves of a counter: the value is not used then. */
TEST_F_TIMEOUT(invariants, when_it_dies_at_any_read, SLOW)
{
	struct scene *scene = &self->scene;
	unsigned int life, reads, i;

	for (life = 0; life < number_of_lives(&self->machine); life++)
		for (reads = 1; reads <= 16; reads++) {
			__u64 last[MAX_SETS][MAX_MEMBERS] = { 0 };

			begin_life(_metadata, scene, lives[life]);
			scene->shared->lossy = true;
			stimulus_dead_after(&self->machine.stimulus, reads);
			for (i = 0; i < 4; i++) {
				check_all(scene, last);
				inject_some(scene);
			}
			end_life(_metadata, scene, lives[life], reads);
		}
}

/* The handler does not use what it has read of a group before. */
TEST_F_TIMEOUT(invariants, when_it_dies_in_the_handler, SLOW)
{
	unsigned int bits = self->machine.hardware.bits, life, reads, i;
	struct stimulus *stimulus = &self->machine.stimulus;
	struct scene *scene = &self->scene;

	if (!has_interrupt(&self->machine) || bits >= 64)
		SKIP(return, "no counter wraps and interrupts");
	for (life = 0; life < number_of_lives(&self->machine); life++)
		for (reads = 1; reads <= 48; reads++) {
			__u64 last[MAX_SETS][MAX_MEMBERS] = { 0 };

			begin_life(_metadata, scene, lives[life]);
			check_all(scene, last);
			scene->shared->lossy = true;
			stimulus_dead_after(stimulus, reads);
			/* One of them lets the counters wrap. */
			for (i = 0; i < 4 && stimulus_reads_left(stimulus); i++)
				inject(scene, TRANSACTION_A, 1ULL << (bits - 2));
			check_all(scene, last);
			end_life(_metadata, scene, lives[life], reads);
		}
}

/* Also while several periods are over, since interrupts are held back. */
TEST_F_TIMEOUT(invariants, when_it_dies_while_it_samples, SLOW)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int life, reads, i;
	struct scene *scene = &self->scene;

	if (!pmu_can_sample(&self->machine.pmu))
		SKIP(return, "this PMU cannot sample");
	for (life = 1; life < number_of_lives(&self->machine); life++)
		for (reads = 1; reads <= 24; reads++) {
			__u64 last[MAX_SETS][MAX_MEMBERS] = { 0 };

			begin_life(_metadata, scene, lives[life]);
			check_all(scene, last);
			scene->shared->lossy = true;
			stimulus_dead_after(stimulus, reads);
			for (i = 0; i < 8 && stimulus_reads_left(stimulus); i++) {
				stimulus_hold(stimulus, i % 2);
				inject(scene, TRANSACTION_A, PERIOD + 1);
			}
			stimulus_hold(stimulus, false);
			check_all(scene, last);
			end_life(_metadata, scene, lives[life], reads);
		}
}

/* While it is suspended, or while it is set up again afterwards */
TEST_F_TIMEOUT(invariants, when_it_dies_while_the_system_sleeps, SLOW)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	struct scene *scene = &self->scene;
	unsigned int life, reads;
	bool dead;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	for (life = 0; life < number_of_lives(&self->machine); life++)
		for (reads = 1, dead = true; dead; reads += repeat() > 1 ? 1 : 1 + reads / 2) {
			__u64 last[MAX_SETS][MAX_MEMBERS] = { 0 };

			begin_life(_metadata, scene, lives[life]);
			check_all(scene, last);
			scene->shared->lossy = true;
			stimulus_dead_after(stimulus, reads);
			ASSERT_EQ(0, power_suspend());
			dead = !stimulus_reads_left(stimulus);
			inject_some(scene);
			check_all(scene, last);
			end_life(_metadata, scene, lives[life], reads);
		}
}

TEST_HARNESS_MAIN
