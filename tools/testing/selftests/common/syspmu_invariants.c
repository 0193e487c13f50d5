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

/* The injected events; an event counts some of these sources. */
enum source {
	TRANSACTION_A,
	TRANSACTION_B,
	MISS_A,
	SOURCES
};

#define ONLY(source)	(1U << (source))
#define WHOLE		(ONLY(TRANSACTION_A) | ONLY(TRANSACTION_B))

/* What the injecting process and the readers share. */
struct shared {
	__u64 announced[SOURCES];	/* how many events will have been injected in a moment */
	__u64 done[SOURCES];	/* how many have been */
	bool over;	/* the readers are to end */
	bool lossy;	/* events may have lost counters in between */
	__u64 reads[READERS];	/* that were looked at */
	__u64 wrong;	/* reads that show what cannot be */
	char text[256];	/* what the first of them was */
};

/* Events that one read() gives, all opened before anything is injected. */
struct set {
	const char *name;	/* for messages */
	int fd;	/* of the leader, or -1 */
	int fds[MAX_MEMBERS];	/* of all of them */
	unsigned int number;	/* of events */
	unsigned int sources[MAX_MEMBERS];	/* that each of them counts; 0: another clock */
	bool twins;	/* the first two of those that count something are the same event */
	bool parts;	/* the last two add up to the first */
	bool exact;	/* no event that was injected may be missing */
};

/* What one test looks at. */
static struct {
	struct shared *shared;	/* with the readers */
	struct set sets[MAX_SETS];	/* that they read */
	unsigned int number;	/* of @sets */
	struct set sampled;	/* the set whose leader samples */
	struct ring ring;	/* of that leader, if there is one */
	struct ring_tally tally;	/* of its records */
	__u64 period;	/* of its samples */
	bool cycles;	/* the leader counts a clock */
	bool turns;	/* events take turns */
	bool later;	/* the sampled set is opened after the others */
	__u64 sampled_events;	/* the sum of all periods so far */
	__u64 last[MAX_MEMBERS];	/* the counts of the sample before */
	__u64 random;	/* state of the injector */
	pid_t readers[READERS];	/* processes */
} scene;

static void prepare(void)
{
	scene.shared = mmap(NULL, sizeof(*scene.shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, scene.shared);
	scene.random = pmu->page;
	keep_sample_limits();
}

/* For tests that have ended early. */
static void end_readers(void)
{
	unsigned int i;

	if (scene.shared && scene.shared != MAP_FAILED)
		__atomic_store_n(&scene.shared->over, true, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++)
		if (scene.readers[i] > 0)
			waitpid(scene.readers[i], NULL, 0);
	restore_sample_limits();
}

PMU_FIXTURE_BETWEEN(invariants, any, true, prepare, end_readers)

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

/* Checks values of one instant against each other. */
static void check_together(struct shared *shared, const char *what, const struct set *set,
			   const __u64 *values)
{
	unsigned int first = set->sources[0] ? 0 : 1, last = set->number - 1;

	if (set->twins && values[first] != values[first + 1])
		wrong(shared, "%s of %s: twins are %#llx and %#llx", what, set->name, values[first],
		      values[first + 1]);
	if (set->parts && values[last - 1] + values[last] != values[0])
		wrong(shared, "%s of %s: parts of %#llx are %#llx and %#llx", what, set->name,
		      values[0], values[last - 1], values[last]);
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
			wrong(shared, "%s, event %u: %#llx after %#llx", set->name, i, values[i],
			      last[i]);
		last[i] = values[i];
		if (!set->sources[i])
			continue;
		high = sum_of(shared->announced, set->sources[i]);
		if (values[i] > high)
			wrong(shared, "%s, event %u: %#llx of %#llx", set->name, i, values[i],
			      high);
		if (set->exact && !lossy && values[i] < low[i])
			wrong(shared, "%s, event %u: %#llx, but %#llx were before", set->name, i,
			      values[i], low[i]);
	}
	/* If events were stopped in the middle of a group, they did not stop at one instant. */
	if (!lossy)
		check_together(shared, "a read", set, values);
}

static void read_until_over(unsigned int reader)
{
	__u64 last[MAX_SETS][MAX_MEMBERS] = { 0 };
	struct shared *shared = scene.shared;
	unsigned int i;

	while (!__atomic_load_n(&shared->over, __ATOMIC_RELAXED)) {
		for (i = 0; i < scene.number; i++)
			check_read(shared, &scene.sets[i], last[i]);
		__atomic_fetch_add(&shared->reads[reader], 1, __ATOMIC_RELAXED);
	}
}

/* A period in which a slow kernel can handle some overflows, too; 0: there is no clock. */
static __u64 cycles_period(void)
{
	int fd = pmu_open(pmu, pmu->clock, -1);
	__u64 first, read;

	if (fd < 0)
		return 0;
	first = pmu_value(fd);
	read = pmu_value(fd) - first;
	close(fd);
	if (!read)
		return 0;
	return read > CYCLES_PERIOD / 8 ? 8 * read : CYCLES_PERIOD;
}

static void describe(struct perf_event_attr *attr, __u64 event, unsigned int sources)
{
	ASSERT_EQ(0, pmu_describe(pmu, attr, event));
	if (sources != WHOLE)
		filter_by_source(attr, sources == ONLY(TRANSACTION_B) ? PART_B : PART_A);
	attr->read_format = PERF_FORMAT_GROUP;
}

static struct set *new_set(const char *name)
{
	struct set *set = &scene.sets[scene.number++];

	memset(set, 0, sizeof(*set));
	set->name = name;
	set->fd = -1;
	return set;
}

static void add(struct set *set, struct perf_event_attr *attr, unsigned int sources)
{
	int fd = pmu_open_attr(pmu, attr, set->fd);

	ASSERT_LE(0, fd)
		TH_LOG("%s, event %u: %s", set->name, set->number, strerror(-fd));
	if (set->fd < 0)
		set->fd = fd;
	set->fds[set->number] = fd;
	set->sources[set->number++] = sources;
}

/* Samples of injected events, of a clock if there is one, or of injected events that freeze all. */
enum sampling { NO_SAMPLES, SAMPLES, CLOCK_SAMPLES };

/* A sampling leader, and one or two members that count injected events. */
static void open_sampler(unsigned int counters, enum sampling sampling, bool pinned)
{
	__u64 cycles = sampling == CLOCK_SAMPLES ? cycles_period() : 0;
	struct set *set = new_set("the sampled group");
	struct perf_event_attr attr;

	describe(&attr, cycles ? pmu->clock : pmu->event, WHOLE);
	attr.pinned = pinned;
	scene.period = cycles ?: PERIOD;
	attr.sample_period = scene.period;
	attr.sample_type = RING_SAMPLE_TYPE;
	add(set, &attr, cycles ? 0 : WHOLE);
	describe(&attr, pmu->event, WHOLE);
	while (set->number < counters)
		add(set, &attr, WHOLE);
	scene.cycles = cycles;
	set->twins = hardware->overflow_capture && set->number > (cycles ? 2 : 1);
	ASSERT_EQ(0, ring_open(&scene.ring, set->fd));
	scene.sampled = *set;
}

static void open_group(unsigned int counters, bool pinned)
{
	bool filters = counters >= 4 && each_filters();
	static const unsigned int sources[MAX_MEMBERS] = {
		WHOLE, WHOLE, ONLY(TRANSACTION_A), ONLY(TRANSACTION_B)
	};
	struct set *set = new_set("the group");
	struct perf_event_attr attr;

	while (set->number < (filters ? 4 : 2)) {
		describe(&attr, pmu->event, sources[set->number]);
		attr.pinned = pinned && !set->number;
		add(set, &attr, sources[set->number]);
	}
	set->twins = hardware->capture;
	set->parts = hardware->capture && filters;
	set->exact = pinned;
}

static void open_single(bool pinned)
{
	struct set *set = new_set("the single event");
	struct perf_event_attr attr;

	describe(&attr, pmu->other_event, WHOLE);
	attr.pinned = pinned;
	add(set, &attr, ONLY(MISS_A));
	set->exact = pinned;
}

/* As many events as there are counters, or twice as many, so that they are multiplexed. */
static void open_all(enum sampling sampling, bool pinned)
{
	unsigned int left = hardware->counters, wanted = 0;

	scene.ring.control = NULL;
	scene.turns = !pinned;
	if (sampling != NO_SAMPLES && pmu_can_sample(pmu))
		wanted = left < 4 ? 1 : left < 8 ? 2 : 3;
	if (wanted && !scene.later)
		open_sampler(wanted, sampling, pinned);
	if (pinned)
		left -= wanted;
	if (left >= 2) {
		open_group(left, pinned);
		left -= scene.sets[scene.number - 1].number;
	}
	if (left || !pinned)
		open_single(pinned);
	if (wanted && scene.later)
		open_sampler(wanted, sampling, pinned);
}

static void start_readers(void)
{
	int cpu = cpu_other_than(pmu->cpu);
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		scene.readers[i] = fork();
		ASSERT_LE(0, scene.readers[i]);
		if (scene.readers[i])
			continue;
		if (cpu >= 0)
			cpu_pin(cpu);
		read_until_over(i);
		_exit(0);
	}
}

static __u64 fewest_reads(void)
{
	__u64 fewest = ~0ULL, reads;
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		reads = __atomic_load_n(&scene.shared->reads[i], __ATOMIC_RELAXED);
		if (reads < fewest)
			fewest = reads;
	}
	return fewest;
}

/* The counts of samples do not decrease either, and do not include later events. */
static void take_samples(void)
{
	const struct set *set = &scene.sampled;
	struct ring_sample sample;
	unsigned int i;
	__u64 high;

	if (!scene.ring.control)
		return;
	while (ring_next_sample(&scene.ring, &scene.tally, &sample)) {
		scene.sampled_events += sample.period;
		if (sample.number != set->number) {
			wrong(scene.shared, "a sample with %llu counts", sample.number);
			continue;
		}
		for (i = 0; i < set->number; i++) {
			high = sum_of(scene.shared->announced, set->sources[i]);
			if (sample.values[i] < scene.last[i])
				wrong(scene.shared, "a sample, event %u: %#llx after %#llx", i,
				      sample.values[i], scene.last[i]);
			if (set->sources[i] && sample.values[i] > high)
				wrong(scene.shared, "a sample, event %u: %#llx of %#llx", i,
				      sample.values[i], high);
			scene.last[i] = sample.values[i];
		}
		check_together(scene.shared, "a sample", set, sample.values);
	}
}

static void inject_from(enum source source, __u64 number)
{
	struct shared *shared = scene.shared;

	__atomic_fetch_add(&shared->announced[source], number, __ATOMIC_SEQ_CST);
	stimulus_inject(stimulus, source == MISS_A ? pmu->other_event : pmu->event,
			source == TRANSACTION_B ? PART_B : PART_A, number);
	__atomic_fetch_add(&shared->done[source], number, __ATOMIC_SEQ_CST);
}

/*
 * If no interrupt indicates a wrap, a read has to come before the next one. An interrupt must not
 * be late by a sixteenth of the range (Documentation/design.rst), which is less than a jump.
 */
static void inject_some(void)
{
	unsigned int bits = hardware->bits, source, i;
	__u64 values[MAX_MEMBERS], number;
	bool jump;

	for (source = 0; source < SOURCES; source++) {
		number = next_random(&scene.random) % (2 * PERIOD);
		jump = !(next_random(&scene.random) % 8);
		if (jump)
			number += 1ULL << (bits < 64 ? bits - 2 : 40);
		inject_from(source, number);
		if (jump || !has_interrupt(machine))
			for (i = 0; i < scene.number; i++)
				pmu_read_group(scene.sets[i].fd, values, scene.sets[i].number);
		take_samples();
	}
}

/*
 * Waits for reads on another CPU, which may take long on a busy machine: any number is enough, but
 * not none. A clock continues meanwhile, and its samples delay everything else.
 */
static void inject_beside_reads(unsigned int steps)
{
	__u64 samples = scene.tally.samples + 5000 * repeat();

	steps *= repeat();
	for (; steps && (!scene.cycles || scene.tally.samples < samples); steps--)
		inject_some();
	while (fewest_reads() < 20)
		inject_some();
}

static void finish_readers(void)
{
	struct shared *shared = scene.shared;
	unsigned int i;
	int status;

	__atomic_store_n(&shared->over, true, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++) {
		EXPECT_EQ(scene.readers[i], waitpid(scene.readers[i], &status, 0));
		EXPECT_EQ(0, status);
		scene.readers[i] = 0;
	}
	EXPECT_EQ(0, shared->wrong)
		TH_LOG("%llu wrong in %llu rounds of reads and %llu samples: %s", shared->wrong,
		       shared->reads[0] + shared->reads[1], scene.tally.samples, shared->text);
}

/*
 * A period that has just ended gets its sample with the next event. A clock may end one, or many if
 * interrupts are late, when the event stops: these have no sample.
 */
static void check_periods(void)
{
	__u64 values[MAX_MEMBERS];

	if (!scene.ring.control)
		return;
	ASSERT_EQ(0, ioctl(scene.sampled.fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, pmu_read_group(scene.sampled.fd, values, scene.sampled.number));
	take_samples();
	EXPECT_LT(0, scene.tally.samples);
	EXPECT_LE(scene.sampled_events, values[0]);
	/* A clock may fill the ring buffer faster than a slow machine reads it. */
	if (!scene.cycles)
		EXPECT_EQ(0, scene.tally.lost);
	/* Nor do periods that ended when the event was removed from its counter. */
	if (!scene.cycles && !scene.turns)
		EXPECT_GE(scene.period, values[0] - scene.sampled_events);
}

static void close_all(void)
{
	struct set *set;

	ring_close(&scene.ring);
	while (scene.number) {
		set = &scene.sets[--scene.number];
		while (set->number)
			close(set->fds[--set->number]);
	}
}

static void read_beside(enum sampling sampling, unsigned int steps)
{
	open_all(sampling, true);
	start_readers();
	inject_beside_reads(steps);
	finish_readers();
	check_periods();
}

TEST_F_TIMEOUT(invariants, beside_samples, SLOW)
{
	read_beside(CLOCK_SAMPLES, 500);
}

/* The counters of the samples have higher numbers then. */
TEST_F_TIMEOUT(invariants, beside_samples_opened_later, SLOW)
{
	scene.later = true;
	read_beside(CLOCK_SAMPLES, 500);
}

TEST_F_TIMEOUT(invariants, of_the_whole_and_its_parts, SLOW)
{
	read_beside(NO_SAMPLES, 300);
}

/* Each tick permits one sample of an event, or a few more. */
TEST_F_TIMEOUT(invariants, while_throttled, SLOW)
{
	if (!pmu_can_interrupt(pmu))
		SKIP(return, "this PMU has no interrupt");
	ASSERT_EQ(0, set_max_sample_rate("500"));
	open_all(SAMPLES, true);
	/* Before 6.16 only a leader that is throttled stops. */
	if (!scene.cycles)
		scene.sets[0].twins = false;
	scene.sampled.twins = false;
	start_readers();
	while (scene.tally.throttled < 5)
		inject_some();
	inject_beside_reads(100);
	finish_readers();
	check_periods();
}

static void inject_for_a_while(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		inject_some();
}

TEST_F_TIMEOUT(invariants, while_the_cpu_goes, SLOW)
{
	unsigned int round;
	int gone;

	if (!can_move(machine))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	open_all(SAMPLES, true);
	start_readers();
	for (round = 0; round < 2 * repeat(); round++) {
		inject_for_a_while();
		gone = pmu->cpu;
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmu_follow(pmu));
		inject_for_a_while();
		ASSERT_EQ(0, cpu_set_online(gone, true));
	}
	finish_readers();
	check_periods();
}

/* Opens samples of a clock, and lets another process inject single events beside the readers. */
static pid_t start_injector(void)
{
	unsigned int i;
	pid_t injector;
	int other;

	open_all(CLOCK_SAMPLES, true);
	for (i = 0; i < scene.number; i++)
		scene.sets[i].exact = false;
	/* A sampling event does not count events that occur while its counter is set. */
	if (scene.ring.control && !scene.cycles)
		scene.sets[0].twins = false;
	scene.sampled.twins &= scene.cycles;
	start_readers();
	injector = fork();
	ASSERT_LE(0, injector);
	if (injector)
		return injector;
	other = cpu_other_than(pmu->cpu);
	if (other >= 0)
		cpu_pin(other);
	while (!__atomic_load_n(&scene.shared->over, __ATOMIC_RELAXED))
		inject_from(TRANSACTION_A, 1);
	_exit(0);
}

/* Events that occur during the migration are not counted by any event of a group. */
TEST_F_TIMEOUT(invariants, while_it_moves_under_traffic, SLOW)
{
	unsigned int round;
	pid_t injector;
	int gone;

	if (!can_move(machine))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	injector = start_injector();
	for (round = 0; round < 6 * repeat(); round++) {
		gone = pmu->cpu;
		ASSERT_EQ(0, cpu_set_online(gone, false));
		ASSERT_EQ(0, pmu_follow(pmu));
		take_samples();
		ASSERT_EQ(0, cpu_set_online(gone, true));
		take_samples();
	}
	finish_readers();
	expect_success(&injector);
}

/*
 * Linux 6.16 and newer throttle whole groups, older ones only the leader: the other events continue
 * together.
 */
TEST_F_TIMEOUT(invariants, while_groups_are_throttled, SLOW)
{
	pid_t injector;

	if (!pmu_can_interrupt(pmu))
		SKIP(return, "this PMU has no interrupt");
	if (!cycles_period())
		SKIP(return, "no clock for a leader of two identical events");
	ASSERT_EQ(0, set_max_sample_rate("500"));
	injector = start_injector();
	while (scene.tally.throttled < 20 * repeat())
		take_samples();
	finish_readers();
	expect_success(&injector);
}

TEST_F_TIMEOUT(invariants, while_events_take_turns, SLOW)
{
	char interval[16];

	ASSERT_EQ(0, pmu_attribute(pmu, PMU_ROTATION, interval, sizeof(interval)));
	ASSERT_EQ(0, pmu_set_rotation(pmu, "1"));
	open_all(SAMPLES, false);
	start_readers();
	inject_beside_reads(300);
	finish_readers();
	check_periods();
	EXPECT_EQ(0, pmu_set_rotation(pmu, interval));
}

TEST_F_TIMEOUT(invariants, while_the_system_sleeps, SLOW)
{
	unsigned int round;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	open_all(SAMPLES, true);
	start_readers();
	for (round = 0; round < 2 * repeat(); round++) {
		inject_for_a_while();
		if (round)
			stimulus_lose_state(stimulus, 300 + round);
		ASSERT_EQ(0, power_suspend());
		inject_for_a_while();
	}
	finish_readers();
	check_periods();
}

TEST_F_TIMEOUT(invariants, while_the_block_dies, SLOW)
{
	struct shared *shared = scene.shared;
	unsigned int round;
	__u64 reads;

	for (round = 0; round < 2 * repeat(); round++) {
		memset(shared, 0, sizeof(*shared));
		memset(&scene.tally, 0, sizeof(scene.tally));
		memset(scene.last, 0, sizeof(scene.last));
		scene.sampled_events = 0;
		open_all(SAMPLES, true);
		start_readers();
		inject_for_a_while();
		__atomic_store_n(&shared->lossy, true, __ATOMIC_SEQ_CST);
		stimulus_dead_after(stimulus, 1 + 4 * (round % 4));
		for (reads = fewest_reads(); fewest_reads() < reads + 10;)
			inject_some();
		finish_readers();
		close_all();
		revive();
		expect_exact_counts();
	}
}

/* Without samples, and with them if the PMU can. */
static unsigned int number_of_lives(void)
{
	return pmu_can_sample(pmu) ? 2 : 1;
}

static void check_all(__u64 last[MAX_SETS][MAX_MEMBERS])
{
	unsigned int n;

	for (n = 0; n < scene.number; n++)
		check_read(scene.shared, &scene.sets[n], last[n]);
	take_samples();
}

/* Its power goes at one of the reads to come. */
static void begin_life(enum sampling sampling, unsigned int reads,
		       __u64 last[MAX_SETS][MAX_MEMBERS])
{
	memset(scene.shared, 0, sizeof(*scene.shared));
	memset(scene.last, 0, sizeof(scene.last));
	memset(last, 0, MAX_SETS * sizeof(*last));
	open_all(sampling, true);
	inject_some();
	inject_some();
	check_all(last);
	scene.shared->lossy = true;
	stimulus_dead_after(stimulus, reads);
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
	unsigned int later, i;

	if (!pmu_can_sample(pmu))
		SKIP(return, "this PMU cannot sample");
	scene.shared->announced[TRANSACTION_A] = 1ULL << 62;
	for (later = 0; later < 2; later++) {
		__u64 last[MAX_SETS][MAX_MEMBERS] = { 0 };

		scene.later = later;
		open_all(SAMPLES, true);
		disregard_leader(&scene.sets[later ? scene.number - 1 : 0]);
		disregard_leader(&scene.sampled);
		for (i = 0; i < 1000 * repeat(); i++) {
			stimulus_step(stimulus, pmu->event, PART_A,
				      1 + next_random(&scene.random) % 32);
			check_all(last);
		}
		stimulus_step(stimulus, 0, 0, 0);
		EXPECT_EQ(0, scene.shared->wrong)
			TH_LOG("%llu wrong, opened %s: %s", scene.shared->wrong,
			       later ? "later" : "first", scene.shared->text);
		EXPECT_LT(0, scene.tally.samples);
		close_all();
		scene.shared->wrong = 0;
		memset(scene.last, 0, sizeof(scene.last));
	}
}

static void end_life(enum sampling sampling, unsigned int reads)
{
	EXPECT_EQ(0, scene.shared->wrong)
		TH_LOG("dead after %u reads, sampling %u: %s", reads, sampling, scene.shared->text);
	close_all();
	revive();
}

/* Also between the two halves of a counter: the value is not used then. */
TEST_F_TIMEOUT(invariants, when_it_dies_at_any_read, SLOW)
{
	__u64 last[MAX_SETS][MAX_MEMBERS];
	unsigned int life, reads, i;

	for (life = 0; life < number_of_lives(); life++)
		for (reads = 1; reads <= 16; reads++) {
			begin_life(life, reads, last);
			for (i = 0; i < 4; i++) {
				check_all(last);
				inject_some();
			}
			end_life(life, reads);
		}
}

/* The handler does not use what it has read of a group before. */
TEST_F_TIMEOUT(invariants, when_it_dies_in_the_handler, SLOW)
{
	unsigned int bits = hardware->bits, life, reads, i;
	__u64 last[MAX_SETS][MAX_MEMBERS];

	if (!has_interrupt(machine) || bits >= 64)
		SKIP(return, "no counter wraps and interrupts");
	for (life = 0; life < number_of_lives(); life++)
		for (reads = 1; reads <= 48; reads++) {
			begin_life(life, reads, last);
			/* One of them lets the counters wrap. */
			for (i = 0; i < 4 && stimulus_reads_left(stimulus); i++)
				inject_from(TRANSACTION_A, 1ULL << (bits - 2));
			check_all(last);
			end_life(life, reads);
		}
}

/* Also while several periods are over, since interrupts are held back. */
TEST_F_TIMEOUT(invariants, when_it_dies_while_it_samples, SLOW)
{
	__u64 last[MAX_SETS][MAX_MEMBERS];
	unsigned int reads, i;

	if (!pmu_can_sample(pmu))
		SKIP(return, "this PMU cannot sample");
	for (reads = 1; reads <= 24; reads++) {
		begin_life(SAMPLES, reads, last);
		for (i = 0; i < 8 && stimulus_reads_left(stimulus); i++) {
			stimulus_hold(stimulus, i % 2);
			inject_from(TRANSACTION_A, PERIOD + 1);
		}
		stimulus_hold(stimulus, false);
		check_all(last);
		end_life(SAMPLES, reads);
	}
}

/* While it is suspended, or while it is set up again afterwards */
TEST_F_TIMEOUT(invariants, when_it_dies_while_the_system_sleeps, SLOW)
{
	__u64 last[MAX_SETS][MAX_MEMBERS];
	unsigned int life, reads;
	bool dead;

	if (!power_can_suspend())
		SKIP(return, NO_SUSPEND);
	for (life = 0; life < number_of_lives(); life++)
		for (reads = 1, dead = true; dead; reads += repeat() > 1 ? 1 : 1 + reads / 2) {
			begin_life(life, reads, last);
			ASSERT_EQ(0, power_suspend());
			dead = !stimulus_reads_left(stimulus);
			inject_some();
			check_all(last);
			end_life(life, reads);
		}
}

TEST_HARNESS_MAIN
