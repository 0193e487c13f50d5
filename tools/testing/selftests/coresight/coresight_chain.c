// SPDX-License-Identifier: GPL-2.0
/*
 * Counter chaining (§2.6.5): an odd monitor that counts CHAIN counts the overflows of the even one
 * before it, and the driver uses both as one counter. In the lab, it counts an overflow
 * before the even one shows it (rule DJHLY), which then reads as all ones for some reads. The
 * number of CHAIN is a parameter of the driver.
 */
#include <pthread.h>

#include "coresight_fixture.h"
#include "refusal.h"

#define CHAIN		0x1e
#define MAX_COUNTERS	3

/* The pair of the larger PMU whose lower monitor counts one event only */
#define FIXED		2
#define FIXED_EVENT	0x104

/* One counter of the driver: a monitor that counts an event, and one that counts its overflows. */
struct chained_counter {
	unsigned int lower;
	unsigned int upper;
	unsigned int bits;	/* of both together */
	unsigned int low_bits;
};

/*
 * Those of the PMUs of the lab, by their number of monitors. The other pair of the larger one, and
 * what has no partner, are below 32 bits and not used.
 */
static const struct chained_counter of_12_monitors[] = {
	{ 0, 1, 32, 16 }, { 2, 3, 32, 8 }, { 4, 5, 64, 32 },
};

static const struct chained_counter of_4_monitors[] = {
	{ 0, 1, 32, 16 }, { 2, 3, 32, 16 },
};

static bool can_chain(const struct machine *machine)
{
	unsigned int monitors = coresight_of(machine).monitors;

	return is_uniform(machine) && !coresight_of(machine).cycle_counter &&
	       (monitors == 12 || (monitors == 4 && machine->hardware.bits == 16));
}

/* A PMU whose monitors are used in pairs, and the events that are open: one on each of them. */
static struct {
	const struct chained_counter *counters;
	unsigned int number;
	int fds[MAX_COUNTERS];
	unsigned int open;
	bool group;
	__u64 total[MAX_COUNTERS];	/* what each of them should have counted */
} chained;

/* Loads the driver again, with a parameter or without. */
static int load_with(const char *parameter)
{
	int error = module_remove(coresight_family.module);

	return error ?: module_load_with(coresight_family.module, parameter);
}

static void load_chaining(void)
{
	bool few = hardware->bits == 16;

	chained.counters = few ? of_4_monitors : of_12_monitors;
	chained.number = few ? ARRAY_SIZE(of_4_monitors) : ARRAY_SIZE(of_12_monitors);
	ASSERT_EQ(0, load_with("chain=0x1e"));
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
}

static void close_all(void)
{
	while (chained.open)
		EXPECT_EQ(0, close(chained.fds[--chained.open]));
}

static void load_without(void)
{
	close_all();
	machine_calm(machine);
	EXPECT_EQ(0, load_with(NULL));
}

PMU_FIXTURE_BETWEEN(chained, can_chain, true, load_chaining, load_without)

/* The lower monitor of one pair has a fixed event. */
static __u32 event_of(unsigned int n)
{
	return chained.counters == of_12_monitors && n == FIXED ? FIXED_EVENT : CORESIGHT_EVENT + n;
}

/* An event for each counter, as one group or each by itself. */
static void open_all(bool group)
{
	struct perf_event_attr attr;
	unsigned int n;

	chained.group = group;
	for (n = 0; n < chained.number; n++) {
		attr = attr_of(event_of(n));
		attr.read_format = PERF_FORMAT_GROUP;
		chained.fds[n] = must_open_attr(&attr, group && n ? chained.fds[0] : -1);
		chained.total[n] = 0;
		chained.open++;
	}
}

static void inject_into(unsigned int n, __u64 number)
{
	stimulus_inject(stimulus, event_of(n), SOURCE, number);
	chained.total[n] += number;
}

static __u64 count_of(unsigned int n)
{
	__u64 values[MAX_COUNTERS];

	if (!chained.group)
		return value_of(chained.fds[n]);
	return pmu_read_group(chained.fds[0], values, chained.open) ? PMU_NO_VALUE : values[n];
}

static void expect_totals(void)
{
	unsigned int n;

	for (n = 0; n < chained.open; n++) {
		EXPECT_EQ(chained.total[n], count_of(n))
			TH_LOG("counter %u", n);
	}
}

/* Up to @late events that occurred after a stop may have been counted, too. */
static void expect_late(unsigned int n, unsigned int late, unsigned int round)
{
	__u64 value = count_of(n);

	EXPECT_LE(chained.total[n], value)
		TH_LOG("counter %u, round %u", n, round);
	EXPECT_GE(chained.total[n] + late, value)
		TH_LOG("counter %u, round %u", n, round);
	chained.total[n] = value;
}

static __u32 event_at(unsigned int monitor)
{
	return stimulus_peek32(stimulus, PMEVTYPER(monitor));
}

static __u64 contents_of(const struct chained_counter *counter)
{
	__u64 low = stimulus_peek32(stimulus, PMEVCNTR + 4 * counter->lower);

	return low | (__u64)stimulus_peek32(stimulus, PMEVCNTR + 4 * counter->upper) <<
		     counter->low_bits;
}

/* Half of the range of a counter, so that no overflow is missed; one of 64 bits has none. */
static __u64 half_of(const struct chained_counter *counter)
{
	return 1ULL << (counter->bits < 60 ? counter->bits - 1 : 40);
}

static bool has_wire(void)
{
	return pmu_interrupt_is(pmu, "wired");
}

TEST_F(chained, sysfs)
{
	expect_attribute("caps/counters", "%u", chained.number);
	/* The last one is the widest. */
	expect_attribute("caps/counter_width", "%u", chained.counters[chained.number - 1].bits);
	expect_attribute("caps/capture", "0");
}

/*
 * Both monitors of a pair are programmed and enabled, and only the upper one interrupts. It stays
 * enabled, and is programmed once.
 */
TEST_F_TIMEOUT(chained, registers, SLOW)
{
	const struct chained_counter *counter;
	__u64 starts, stops, types = 0;
	unsigned int n, round;

	for (round = 0; round < 2; round++) {
		open_all(round);
		for (n = 0; n < chained.number; n++) {
			counter = &chained.counters[n];
			EXPECT_EQ(event_of(n), event_at(counter->lower));
			EXPECT_TRUE(is_enabled(counter->lower));
			EXPECT_TRUE(is_enabled(counter->upper));
			EXPECT_EQ(has_wire(), bit_of(PMINTENSET(0), counter->upper));
			EXPECT_EQ(CHAIN, event_at(counter->upper));
			EXPECT_FALSE(bit_of(PMINTENSET(0), counter->lower));
		}
		/* The second time, the events are there already. */
		if (!round) {
			types = stimulus_writes(stimulus, PMEVTYPER(1));
			close_all();
			continue;
		}
		EXPECT_EQ(types, stimulus_writes(stimulus, PMEVTYPER(1)));
		/* One write stops or starts all of them. */
		starts = stimulus_writes(stimulus, PMCNTENSET(0));
		stops = stimulus_writes(stimulus, PMCNTENCLR(0));
		ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(stops + 1, stimulus_writes(stimulus, PMCNTENCLR(0)));
		EXPECT_EQ(chained.number, enabled_monitors());
		for (n = 0; n < chained.number; n++)
			EXPECT_FALSE(is_enabled(chained.counters[n].lower));
		ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_EQ(starts + 1, stimulus_writes(stimulus, PMCNTENSET(0)));
	}
}

/* Whatever is added, the count is exact, also when nothing reads it meanwhile. */
TEST_F_TIMEOUT(chained, counts, SLOW)
{
	static const __u64 numbers[] = {
		1, 255, 1, 0xfff, 1, 0xffff, 0x10000, 1, 0x12345, 3, 0x7ffff, 0xff, 0x100,
	};
	unsigned int i, n, round;

	for (round = 0; round < 2; round++) {
		open_all(false);
		for (i = 0; i < 20 * ARRAY_SIZE(numbers); i++) {
			for (n = 0; n < chained.number; n++)
				inject_into(n, numbers[(i + n) % ARRAY_SIZE(numbers)]);
			if (i % 3 == 0)
				expect_totals();
			if (i % 5)
				continue;
			ASSERT_EQ(0, ioctl(chained.fds[1], PERF_EVENT_IOC_DISABLE, 0));
			stimulus_inject(stimulus, event_of(1), SOURCE, 70000);
			ASSERT_EQ(0, ioctl(chained.fds[1], PERF_EVENT_IOC_ENABLE, 0));
		}
		expect_totals();
		close_all();
	}
}

/* A pair overflows as one counter; its lower monitor alone does not interrupt. */
TEST_F_TIMEOUT(chained, overflows, SLOW)
{
	const struct chained_counter *counter;
	unsigned int i, n;
	__u64 taken;

	open_all(false);
	for (n = 0; n < chained.number; n++) {
		counter = &chained.counters[n];
		taken = interrupts_taken(-1);
		for (i = 0; i < 3; i++)
			inject_into(n, 1ULL << counter->low_bits);
		EXPECT_TRUE(bit_of(PMOVSSET(0), counter->lower));
		EXPECT_EQ(taken, interrupts_taken(-1));
		for (i = 0; i < 9; i++) {
			inject_into(n, half_of(counter));
			if (!has_wire())
				expect_totals();
			/* The handler does not look at this one. */
			EXPECT_TRUE(bit_of(PMOVSSET(0), counter->lower));
		}
		expect_totals();
		if (!has_wire())
			continue;
		EXPECT_EQ(taken + (counter->bits < 60 ? 4 : 0), interrupts_taken(-1))
			TH_LOG("counter %u", n);
		EXPECT_FALSE(bit_of(PMOVSSET(0), counter->upper));
	}
}

/* While events occur before each access, each count is above all that were read before. */
TEST_F_TIMEOUT(chained, events_between_accesses, SLOW)
{
	static const __u32 steps[] = { 1, 3, 200, 4097, 8009 };
	__u32 event = event_of(FIXED);
	__u64 value[MAX_COUNTERS], last = 0, most;
	unsigned int i, n, round;

	/* The same event on each counter, read one after the other. */
	for (n = 0; n < chained.number; n++) {
		chained.fds[n] = n ? must_open(event, chained.fds[0]) : must_open_leader(event);
		chained.open++;
	}
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		for (round = 0; round < 400; round++) {
			stimulus_step(stimulus, event, SOURCE, steps[i]);
			ASSERT_EQ(0, pmu_read_group(chained.fds[0], value, chained.number));
			stimulus_step(stimulus, 0, 0, 0);
			/* An interrupt may bring one forward before all are returned. */
			for (n = 0, most = 0; n < chained.number; n++) {
				ASSERT_LT(last, value[n])
					TH_LOG("step %u, round %u, counter %u", steps[i], round, n);
				most = value[n] > most ? value[n] : most;
			}
			last = most;
		}
		ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_DISABLE, 0));
		value[0] = read_equal(chained.fds[0], chained.number);
		EXPECT_LE(last, value[0]);
		last = value[0];
		ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_ENABLE, 0));
	}
}

/* Events that are still counted after a stop belong to nobody, or to whoever was stopped. */
TEST_F_TIMEOUT(chained, late_events, SLOW)
{
	const struct chained_counter *counter = &chained.counters[0];
	unsigned int round, late, n;
	__u64 low;

	for (round = 0; round < 40; round++) {
		open_all(false);
		inject_into(0, 1000);
		/* The lower monitor is about to overflow when it is stopped. */
		low = stimulus_peek32(stimulus, PMEVCNTR + 4 * counter->lower);
		inject_into(0, (1ULL << counter->low_bits) - 1 - low);
		late = round % 5;
		stimulus_set_delay(stimulus, late);
		ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_DISABLE, 0));
		stimulus_inject(stimulus, event_of(0), SOURCE, 20);
		stimulus_set_delay(stimulus, 0);
		EXPECT_EQ(chained.total[0], value_of(chained.fds[0]));
		ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_ENABLE, 0));
		inject_into(0, 70000);
		expect_late(0, late, round);
		/* Nor is an overflow of the pair missed later. */
		for (n = 0; n < 3; n++) {
			inject_into(0, half_of(counter));
			if (!has_wire())
				EXPECT_EQ(chained.total[0], value_of(chained.fds[0]));
		}
		EXPECT_EQ(chained.total[0], value_of(chained.fds[0]));
		close_all();
	}
}

/* The lower monitor overflows after the stop and before it is read. */
TEST_F_TIMEOUT(chained, events_during_a_stop, SLOW)
{
	const struct chained_counter *counter;
	unsigned int distance, n;
	__u64 value, most;

	open_all(true);
	for (distance = 1; distance <= 200; distance++) {
		for (n = 0; n < chained.number; n++) {
			counter = &chained.counters[n];
			value = contents_of(counter);
			/* Either only the lower monitor overflows, or both. */
			most = 1ULL << (distance % 3 || counter->bits == 64 ? counter->low_bits :
					counter->bits);
			inject_into(n, (most - value - distance) & (most - 1));
			/* What was read last is long ago. */
			if (distance % 3)
				inject_into(n, most);
		}
		if (distance % 2)
			expect_totals();
		for (n = 0; n < chained.number; n++) {
			stimulus_set_delay(stimulus, distance % 5 ? 250 : 8);
			stimulus_step(stimulus, event_of(n), SOURCE, 1);
			ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_DISABLE, 0));
			expect_late(n, 400, distance);
			ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_ENABLE, 0));
			stimulus_step(stimulus, 0, 0, 0);
			stimulus_set_delay(stimulus, 0);
			expect_late(n, 400, distance);
		}
	}
}

/* The lower monitor overflows late while its next event is being added. */
TEST_F_TIMEOUT(chained, events_during_a_start, SLOW)
{
	const struct chained_counter *counter = &chained.counters[0];
	unsigned int round, late = 5;
	__u64 most;

	open_all(false);
	most = 1ULL << counter->low_bits;
	for (round = 0; round < 20; round++) {
		inject_into(0, most + (-2 - contents_of(counter)) % most);
		stimulus_set_delay(stimulus, late);
		ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(chained.total[0], value_of(chained.fds[0]));
		stimulus_precede(stimulus, PMCNTENSET(0), event_of(0), SOURCE, late);
		ASSERT_EQ(0, ioctl(chained.fds[0], PERF_EVENT_IOC_ENABLE, 0));
		stimulus_precede(stimulus, 0, 0, 0, 0);
		stimulus_set_delay(stimulus, 0);
		inject_into(0, 1000);
		expect_late(0, late, round);
	}
}

/* Only the lower monitor has the filters of the event: the upper one counts all overflows. */
TEST_F(chained, filter)
{
	struct perf_event_attr attr = filtered_attr();
	unsigned int i;

	attr.read_format = PERF_FORMAT_GROUP;
	chained.fds[chained.open++] = must_open_attr(&attr, -1);
	for (i = 0; i < 10; i++) {
		inject_filtered(30000);
		inject_elsewhere(12345);
	}
	EXPECT_EQ(300000, value_of(chained.fds[0]));
	EXPECT_EQ(FILTERED_SOURCE, stimulus_peek32(stimulus, PMEVFILTR(0)));
	EXPECT_EQ(0, stimulus_peek32(stimulus, PMEVFILTR(1)));
	close_all();
	if (chained.counters == of_12_monitors) {
		ASSERT_EQ(0, pmu_set_field(pmu, &attr, "filter2", 0x5a5a));
		chained.fds[chained.open++] = must_open_attr(&attr, -1);
		EXPECT_EQ(0x5a5a, stimulus_peek32(stimulus, PMEVFILT2R(0)));
		EXPECT_EQ(0, stimulus_peek32(stimulus, PMEVFILT2R(1)));
		close_all();
	}
	/* Nothing of it is left. */
	open_all(false);
	inject_into(0, 300000);
	expect_totals();
}

/* A pair cannot be set, and a group has no more events than there are counters. */
TEST_F_TIMEOUT(chained, refused, SLOW)
{
	struct refusal sampling = refusal_of(CORESIGHT_EVENT, "sample_period");

	open_all(true);
	EXPECT_EQ(-EINVAL, refused(&sampling.attr, -1, pmu->cpu, chained.fds[0]));
	sampling.attr.sample_period = 1000;
	sampling.expected = -EOPNOTSUPP;
	expect_message(&sampling);
}

/* A capture may tear a pair apart. */
TEST_F(chained, no_captures)
{
	__u64 value[MAX_COUNTERS], captures;

	open_all(true);
	captures = stimulus_writes(stimulus, PMSSCR);
	ASSERT_EQ(0, pmu_read_group(chained.fds[0], value, chained.number));
	EXPECT_EQ(captures, stimulus_writes(stimulus, PMSSCR));
}

/* Without the number of CHAIN, monitors are too narrow to be counters. */
TEST_F(chained, needs_the_parameter)
{
	char text[32];

	ASSERT_EQ(0, load_with(NULL));
	if (pmu_find(pmu, pmu->name))
		return;
	ASSERT_EQ(0, pmu_attribute(pmu, "caps/counters", text, sizeof(text)));
	EXPECT_GT(chained.number, strtoul(text, NULL, 0));
}

/* Its filters might apply to CHAIN, too, and have any value after power was lost. */
static void expect_unfiltered_uppers(void)
{
	unsigned int n, upper;

	for (n = 0; n < chained.number; n++) {
		upper = chained.counters[n].upper;
		EXPECT_EQ(0, stimulus_peek32(stimulus, PMEVFILTR(upper)));
		if (chained.counters == of_12_monitors)
			EXPECT_EQ(0, stimulus_peek32(stimulus, PMEVFILT2R(upper)));
	}
}

/* The counts survive a CPU that goes, and a sleep. */
TEST_F_TIMEOUT(chained, goes_on, SLOW)
{
	int gone = pmu->cpu;
	unsigned int i, n;

	open_all(false);
	for (i = 0; i < 6; i++) {
		for (n = 0; n < chained.number; n++)
			inject_into(n, 60000 + i);
		if (cpu_other_than(gone) >= 0 && cpu_can_go_offline(gone)) {
			ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
			ASSERT_EQ(0, cpu_set_online(gone, i % 2));
			ASSERT_EQ(0, pmu_follow(pmu));
		}
		expect_totals();
		if (!power_can_suspend())
			continue;
		if (i % 2)
			stimulus_lose_state(stimulus, 500 + i);
		ASSERT_EQ(0, power_suspend());
		expect_totals();
		for (n = 0; n < chained.number; n++)
			inject_into(n, 70000 + i);
		expect_totals();
		expect_unfiltered_uppers();
	}
	close_all();
}

/* Whichever counter is read when the device stops responding, also during the read, stays. */
TEST_F_TIMEOUT(chained, death, SLOW)
{
	unsigned int n, counter, reads;

	for (n = 0; n < 4 * chained.number; n++) {
		counter = n / 4;
		reads = n % 4;
		open_all(false);
		inject_into(counter, 100000);
		EXPECT_EQ(chained.total[counter], value_of(chained.fds[counter]));
		if (reads)
			stimulus_dead_after(stimulus, reads);
		else
			stimulus_dead(stimulus, true);
		EXPECT_EQ(chained.total[counter], value_of(chained.fds[counter]))
			TH_LOG("counter %u, after %u reads", counter, reads);
		stimulus_dead(stimulus, true);
		EXPECT_EQ(chained.total[counter], value_of(chained.fds[counter]));
		close_all();
		revive();
	}
}

/* A device whose upper monitor is all ones has not lost its power if the lower one is not. */
TEST_F(chained, upper_monitor_of_all_ones)
{
	const struct chained_counter *counter;
	unsigned int n;

	if (chained.counters != of_12_monitors)
		SKIP(return, "it has no monitors of 32 bits");
	counter = &chained.counters[FIXED];
	open_all(false);
	inject_into(FIXED, (~0ULL << counter->low_bits | 1000) - contents_of(counter));
	expect_totals();
	/* Reading has ended the time for which the lower one shows its overflow late. */
	ASSERT_EQ(~0ULL << counter->low_bits | 1000, contents_of(counter));
	for (n = 0; n < 3; n++) {
		inject_into(FIXED, 77);
		expect_totals();
	}
}

struct reader {
	int fd;
	int cpu;
	bool stop;
	unsigned long reads;
	unsigned long fell;
	__u64 last;
};

static void *read_meanwhile(void *argument)
{
	struct reader *reader = argument;
	__u64 value;

	cpu_pin(reader->cpu);
	while (!__atomic_load_n(&reader->stop, __ATOMIC_RELAXED)) {
		value = value_of(reader->fd);
		reader->fell += value < reader->last;
		reader->last = value;
		__atomic_fetch_add(&reader->reads, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* A reader on another CPU sees it rise, and never more than was injected. */
TEST_F_TIMEOUT(chained, other_cpus_read, SLOW)
{
	struct reader reader = { .fd = -1 };
	unsigned long reads;
	unsigned int round;
	pthread_t thread;

	reader.cpu = cpu_other_than(pmu->cpu);
	if (reader.cpu < 0)
		SKIP(return, "there is only one CPU");
	open_all(false);
	reader.fd = chained.fds[0];
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_meanwhile, &reader));
	for (round = 0; round < 2000; round++) {
		inject_into(0, 20011);
		reads = __atomic_load_n(&reader.reads, __ATOMIC_RELAXED);
		while (round % 20 == 0 && reads == __atomic_load_n(&reader.reads, __ATOMIC_RELAXED))
			;
		ASSERT_EQ(chained.total[0], value_of(chained.fds[0]));
	}
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, reader.fell);
	EXPECT_GE(chained.total[0], reader.last);
}

static bool is_wide(const struct machine *machine)
{
	return is_uniform(machine) && machine->hardware.bits >= 32 && !can_chain(machine);
}

PMU_FIXTURE_BETWEEN(wide, is_wide, true, load_chaining, load_without)

/* Monitors that need no partner have none. */
TEST_F(wide, is_not_chained)
{
	expect_caps(usable_counters());
}

TEST_HARNESS_MAIN
