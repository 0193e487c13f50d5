// SPDX-License-Identifier: GPL-2.0
/* What perf_event_open() must refuse, with which errno, and what the log must say. */
#include <sys/syscall.h>

#include "pmcg_fixture.h"

/* Opens what must be refused. Leaves no event behind if it is not. */
static int refused(struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
	int error = errno;

	if (fd < 0)
		return -error;
	close(fd);
	return 0;
}

static struct perf_event_attr transaction(struct __test_metadata *_metadata,
					  const struct pmu *pmu)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, PMCG_EVENT_TRANSACTION));
	return attr;
}

/* One refused configuration and the word that the log must have. */
struct refusal {
	const char *word;
	struct perf_event_attr attr;
	int pid;
	int cpu;
	int group_fd;
	int expected;
};

/*
 * The message must name the field, and the PMU or its device: both names contain
 * the page number. Messages are rate-limited: one that was held back comes at a
 * later try, and a driver that never says it hangs here until the harness ends it.
 */
static void expect_message(struct __test_metadata *_metadata, const struct pmu *pmu,
			   struct refusal *refusal)
{
	const char * const words[] = { strrchr(pmu->name, '_') + 1, refusal->word, NULL };
	int error, mark;
	bool told;

	TH_LOG("waiting for a message with \"%s\"", refusal->word);
	do {
		mark = kmsg_mark();
		ASSERT_LE(0, mark);
		error = refused(&refusal->attr, refusal->pid, refusal->cpu,
				refusal->group_fd);
		ASSERT_EQ(refusal->expected, error);
		told = kmsg_find(mark, words);
		close(mark);
		if (!told)
			usleep(200000);
	} while (!told);
}

static void start_log(struct __test_metadata *_metadata, struct machine *machine,
		      const char *name)
{
	machine_setup(_metadata, machine, name, false);
}

static bool is_first(const struct machine *machine)
{
	static bool seen;
	bool first = !seen;

	(void)machine;
	seen = true;
	return first;
}

/* Messages hardly depend on the hardware: the first PMCG speaks for all. */
FIXTURE(log) {
	struct machine machine;
};

PMU_VARIANTS(log, is_first)

FIXTURE_SETUP(log)
{
	start_log(_metadata, &self->machine, variant ? variant->name : NULL);
}

FIXTURE_TEARDOWN(log)
{
	machine_teardown(_metadata, &self->machine);
}

static bool is_first_of_its_kind(const struct machine *machine)
{
	static bool seen[2];
	bool first = !seen[machine->hardware.global_filter];

	seen[machine->hardware.global_filter] = true;
	return first;
}

/* What groups are refused for does depend on it: the first one of each kind. */
FIXTURE(group_log) {
	struct machine machine;
};

PMU_VARIANTS(group_log, is_first_of_its_kind)

FIXTURE_SETUP(group_log)
{
	start_log(_metadata, &self->machine, variant ? variant->name : NULL);
}

FIXTURE_TEARDOWN(group_log)
{
	machine_teardown(_metadata, &self->machine);
}

TEST_F_TIMEOUT(log, refusals_name_the_field, SLOW)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr plain = transaction(_metadata, pmu);
	struct refusal refusals[] = {
		{ "task", plain, 0, -1, -1, -EOPNOTSUPP },
		{ "event", plain, -1, pmu->cpu, -1, -EINVAL },
		{ "config", plain, -1, pmu->cpu, -1, -EINVAL },
		{ "config1", plain, -1, pmu->cpu, -1, -EINVAL },
		{ "config2", plain, -1, pmu->cpu, -1, -EINVAL },
		{ "exclude", plain, -1, pmu->cpu, -1, -EINVAL },
	};
	unsigned int i;

	/* Number 127 is architected, and no architecture has given it a meaning yet. */
	ASSERT_EQ(0, pmu_set_field(pmu, &refusals[1].attr, "event",
				   PMCG_EVENT_UNDEFINED));
	refusals[2].attr.config |= 1ULL << 63;
	refusals[3].attr.config1 |= 1ULL << 63;
	refusals[4].attr.config2 |= 1ULL << 63;
	refusals[5].attr.exclude_kernel = 1;
	for (i = 0; i < ARRAY_SIZE(refusals); i++)
		expect_message(_metadata, pmu, &refusals[i]);
}

TEST_F_TIMEOUT(group_log, refused_groups_say_why, SLOW)
{
	struct pmcg_filter first = exactly(0x42), second = exactly(0x43);
	const struct pmu *pmu = &self->machine.pmu;
	struct refusal refusal = {
		.word = "group",
		.pid = -1,
		.cpu = pmu->cpu,
		.expected = -EINVAL,
	};
	int number = 0, fd;

	ASSERT_EQ(0, pmcg_describe(pmu, &refusal.attr, PMCG_EVENT_TRANSACTION, &first));
	refusal.group_fd = must_open_filtered(_metadata, pmu, PMCG_EVENT_TRANSACTION, &first, -1);
	if (self->machine.stimulus.page && self->machine.hardware.global_filter) {
		ASSERT_EQ(0, pmcg_describe(pmu, &refusal.attr, PMCG_EVENT_TRANSACTION, &second));
		refusal.word = "filter";
		expect_message(_metadata, pmu, &refusal);
		ASSERT_EQ(0, pmcg_describe(pmu, &refusal.attr, PMCG_EVENT_TRANSACTION, &first));
		refusal.word = "group";
	}
	do {
		fd = pmu_open_attr(pmu, &refusal.attr, refusal.group_fd);
	} while (fd >= 0 && ++number < PMU_MAX_COUNTERS);
	expect_message(_metadata, pmu, &refusal);
}

/* It takes an interrupt to end a period; only an attribute that exists can say so. */
TEST_F(pmu, sampling)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr attr = transaction(_metadata, pmu);
	int expected = pmu_can_interrupt(pmu) ? 0 : -EOPNOTSUPP;

	attr.sample_period = 100000;
	EXPECT_EQ(expected, refused(&attr, -1, pmu->cpu, -1));
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	EXPECT_EQ(expected, refused(&attr, -1, pmu->cpu, -1));
	attr.sample_freq = 1000;
	attr.freq = 1;
	EXPECT_EQ(expected, refused(&attr, -1, pmu->cpu, -1));
}

TEST_F(pmu, per_task)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr attr = transaction(_metadata, pmu);

	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, -1, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, getpid(), -1, -1));
}

TEST_F(pmu, per_task_on_one_cpu)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr attr = transaction(_metadata, pmu);

	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, pmu->cpu, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, getpid(), pmu->cpu, -1));
}

TEST_F(injected, events_that_ceid_lacks)
{
	struct pmcg_hardware pmcg = pmcg_of(&self->machine);
	const struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr attr;
	unsigned int event;

	for (event = 0; event < PMCG_ARCHITECTED_EVENTS; event++) {
		ASSERT_EQ(0, pmu_describe(pmu, &attr, event));
		EXPECT_EQ(pmcg_implements(&pmcg, event) ? 0 : -EINVAL,
			  refused(&attr, -1, pmu->cpu, -1))
			TH_LOG("event %u", event);
	}
}

/*
 * The low bits of EVENT are implemented, the high ones may not be: the numbers
 * that are taken go up to one less than a power of two, and a counter must hold
 * the largest of them.
 */
TEST_F(injected, events_beyond_the_implemented_bits)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int bits, taken = 7;
	struct perf_event_attr attr;
	int fd, counter, error;

	for (bits = 7; bits < 16; bits++) {
		ASSERT_EQ(0, pmu_describe(pmu, &attr, 1U << bits));
		error = refused(&attr, -1, pmu->cpu, -1);
		if (!error) {
			EXPECT_EQ(taken, bits)
				TH_LOG("event %#x is taken, smaller ones are not", 1U << bits);
			taken = bits + 1;
			continue;
		}
		EXPECT_EQ(-EINVAL, error);
		ASSERT_EQ(0, pmu_describe(pmu, &attr, (1U << bits) | 1));
		EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1));
	}
	if (taken == 7)
		return;
	fd = must_open(_metadata, pmu, (1U << taken) - 1, -1);
	counter = pmu_counter_of_event(stimulus, &self->machine.hardware, (1U << taken) - 1);
	EXPECT_LE(0, counter)
		TH_LOG("no counter holds event %#x", (1U << taken) - 1);
	close(fd);
}

/* perf_event_attr with config3 and config4, whatever the headers are. */
union long_attr {
	struct perf_event_attr attr;
	struct {
		unsigned char before[128];
		__u64 config3;
		__u64 config4;
	};
};

/* How much of it the kernel knows, which it says to whoever gives a size that cannot be. */
static size_t known_size(void)
{
	struct perf_event_attr attr = { .size = 1 };

	syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	return attr.size;
}

static __u64 *word_of(union long_attr *attr, const char *word)
{
	if (!strcmp(word, "config"))
		return (__u64 *)&attr->attr.config;
	if (!strcmp(word, "config1"))
		return (__u64 *)&attr->attr.config1;
	if (!strcmp(word, "config2"))
		return (__u64 *)&attr->attr.config2;
	attr->attr.size = strcmp(word, "config4") ? 136 : 144;
	return strcmp(word, "config4") ? &attr->config3 : &attr->config4;
}

TEST_F(pmu, bits_outside_the_format)
{
	static const char * const words[] = {
		"config", "config1", "config2", "config3", "config4"
	};
	const struct pmu *pmu = &self->machine.pmu;
	union long_attr plain = { .config3 = 0 }, changed;
	__u64 unnamed[ARRAY_SIZE(words)], bit;
	unsigned int i;
	int error;

	plain.attr = transaction(_metadata, pmu);
	ASSERT_EQ(0, pmu_unnamed_bits(pmu, unnamed, ARRAY_SIZE(unnamed)));
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		changed = plain;
		word_of(&changed, words[i]);
		/* perf itself refuses what it does not know: config3 before 6.3. */
		error = changed.attr.size > known_size() ? -E2BIG : -EINVAL;
		for (; unnamed[i]; unnamed[i] &= unnamed[i] - 1) {
			bit = unnamed[i] & -unnamed[i];
			changed = plain;
			*word_of(&changed, words[i]) |= bit;
			EXPECT_EQ(error, refused(&changed.attr, -1, pmu->cpu, -1))
				TH_LOG("%s bit %d", words[i], __builtin_ctzll(bit));
		}
	}
}

TEST_F(pmu, exclude)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr attr;
	unsigned int flag;

	for (flag = 0; flag < 6; flag++) {
		attr = transaction(_metadata, pmu);
		attr.exclude_user = flag == 0;
		attr.exclude_kernel = flag == 1;
		attr.exclude_hv = flag == 2;
		attr.exclude_idle = flag == 3;
		attr.exclude_host = flag == 4;
		attr.exclude_guest = flag == 5;
		EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1))
			TH_LOG("exclude flag %u", flag);
	}
}

/* perf offers an event of an unknown type to every PMU in turn. */
TEST_F(pmu, types_that_are_not_its_own)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr attr = transaction(_metadata, pmu);

	attr.type = 0x7fffffff;
	EXPECT_EQ(-ENOENT, refused(&attr, -1, pmu->cpu, -1));
}

/* Whichever CPU is asked for: perf asks for the one in cpumask, others need not. */
TEST_F(pmu, any_cpu_is_moved_to_the_one_of_the_pmu)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct perf_event_attr attr = transaction(_metadata, pmu);
	int cpu, fd, number = sysconf(_SC_NPROCESSORS_ONLN);

	for (cpu = 0; cpu < number; cpu++) {
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		ASSERT_LE(0, fd)
			TH_LOG("CPU %d: %s", cpu, strerror(errno));
		if (self->machine.stimulus.page) {
			stimulus_inject(&self->machine.stimulus, PMCG_EVENT_TRANSACTION, 0x8, 77);
			EXPECT_EQ(77, pmu_value(fd));
		}
		close(fd);
	}
}

/* Nothing of what is refused reaches the hardware, nor a count that goes on. */
TEST_F_TIMEOUT(injected, refusals_disturb_nobody, SLOW)
{
	const struct pmu *pmu = &self->machine.pmu;
	struct pmcg_hardware pmcg = pmcg_of(&self->machine);
	struct stimulus *stimulus = &self->machine.stimulus;
	struct perf_event_attr attr;
	const char * const words[] = { "refused", NULL };
	unsigned int round, messages = 0;
	__u64 writes, total = 0;
	int fd, mark;

	fd = must_open(_metadata, pmu, PMCG_EVENT_TRANSACTION, -1);
	mark = kmsg_mark();
	ASSERT_LE(0, mark);
	writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	for (round = 0; round < 1000; round++) {
		attr = transaction(_metadata, pmu);
		switch (round % 5) {
		case 0:
			attr.exclude_user = 1;
			break;
		case 1:
			attr.exclude_kernel = 1;
			break;
		case 2:
			ASSERT_EQ(0, pmu_set_field(pmu, &attr, "event",
						   PMCG_EVENT_UNDEFINED));
			ASSERT_FALSE(pmcg_implements(&pmcg, PMCG_EVENT_UNDEFINED));
			break;
		case 3:
			attr.config |= reference_has(pmu, REFERENCE_ACCEPTS_UNNAMED_BITS) ?
					PMCG_EVENT_UNDEFINED : 1ULL << 63;
			break;
		case 4:
			break;
		}
		ASSERT_GT(0, refused(&attr, round % 5 == 4 ? 0 : -1,
				     round % 5 == 4 ? -1 : pmu->cpu, -1))
			TH_LOG("case %u", round % 5);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x8, round);
		total += round;
	}
	EXPECT_EQ(writes, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	EXPECT_EQ(total, pmu_value(fd));
	/* Ten in five seconds: as many as every fifth would take minutes. */
	while (kmsg_find(mark, words))
		messages++;
	close(mark);
	EXPECT_GT(1000 / 5, messages);
}

TEST_HARNESS_MAIN
