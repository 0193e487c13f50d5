// SPDX-License-Identifier: GPL-2.0
/* What perf_event_open() must refuse, with which errno and message. */
#include "refusal.h"

static struct perf_event_attr counting_attr(void)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, pmu->event));
	return attr;
}

static void expect_fields_are_named(void)
{
	struct perf_event_attr plain = counting_attr();
	struct refusal refusals[] = {
		{ "task", plain, 0, -1, -1, -EOPNOTSUPP },
		{ "event", plain, -1, pmu->cpu, -1, -EINVAL },
		{ "config", plain, -1, pmu->cpu, -1, -EINVAL },
		{ "config1", plain, -1, pmu->cpu, -1, -EINVAL },
		{ "config2", plain, -1, pmu->cpu, -1, -EINVAL },
		{ "exclude", plain, -1, pmu->cpu, -1, -EINVAL },
	};
	unsigned int i;

	ASSERT_EQ(0, pmu_set_field(pmu, &refusals[1].attr, "event",
				   pmu->family->undefined_event));
	refusals[2].attr.config |= 1ULL << 63;
	refusals[3].attr.config1 |= 1ULL << 63;
	refusals[4].attr.config2 |= 1ULL << 63;
	refusals[5].attr.exclude_kernel = 1;
	for (i = 0; i < ARRAY_SIZE(refusals); i++)
		expect_message(&refusals[i]);
}

/* Messages hardly depend on the hardware: testing the first PMU is enough. */
PMU_FIXTURE(log, is_first, false)

TEST_F_TIMEOUT(log, refusals_name_the_field, SLOW)
{
	allow_messages();
	expect_fields_are_named();
}

/*
 * In perf 7, "cycles" opens the clock of each PMU, too: who profiles CPUs must get neither messages
 * nor samples of it.
 */
TEST_F(log, clocks_that_nobody_asked_for)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, pmu->clock));
	if (refused(&attr, -1, pmu->cpu, -1))
		SKIP(return, "this PMU has no clock");
	allow_messages();
	mark_log();
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, -1, -1));
	attr.exclude_kernel = 1;
	EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, -1, -1));
	attr.exclude_kernel = 0;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_freq = 4000;
	attr.freq = 1;
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, -1, pmu->cpu, -1));
	EXPECT_EQ(0, messages_with(pmu_log_word(pmu), "refused"));
	attr.sample_type |= PERF_SAMPLE_READ;
	EXPECT_EQ(pmu_can_sample(pmu) ? 0 : -EOPNOTSUPP, refused(&attr, -1, pmu->cpu, -1));
}

/* Sampling requires an interrupt, which only the interrupt attribute indicates. */
TEST_F(pmu, sampling)
{
	struct perf_event_attr attr = counting_attr();
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

/*
 * After EOPNOTSUPP, the perf tool sets exclude_guest; after EINVAL, it clears that. If one of them
 * resulted in the other, perf would never end.
 */
TEST_F(pmu, what_is_not_supported_stays_so_without_guests)
{
	struct perf_event_attr attr = counting_attr();

	attr.exclude_guest = 1;
	EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, -1, -1));
	attr.sample_period = 100000;
	EXPECT_EQ(pmu_can_interrupt(pmu) ? -EINVAL : -EOPNOTSUPP,
		  refused(&attr, -1, pmu->cpu, -1));
}

TEST_F(pmu, per_task)
{
	struct perf_event_attr attr = counting_attr();

	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, -1, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, getpid(), -1, -1));
}

TEST_F(pmu, per_task_on_one_cpu)
{
	struct perf_event_attr attr = counting_attr();

	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, pmu->cpu, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, getpid(), pmu->cpu, -1));
}

/* perf_event_attr with config3 and config4, even if the headers are older. */
union long_attr {
	struct perf_event_attr attr;
	struct {
		unsigned char before[128];
		__u64 config3;
		__u64 config4;
	};
};

/* The size that the kernel supports, which it returns if the given size is invalid. */
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
	union long_attr plain = { .config3 = 0 }, changed;
	__u64 unnamed[ARRAY_SIZE(words)], bit;
	unsigned int i;
	int error;

	plain.attr = counting_attr();
	ASSERT_EQ(0, pmu_unnamed_bits(pmu, unnamed, ARRAY_SIZE(unnamed)));
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		changed = plain;
		word_of(&changed, words[i]);
		/* perf itself refuses fields that it does not support: config3 before 6.3. */
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
	struct perf_event_attr attr;
	unsigned int flag;

	for (flag = 0; flag < PMU_EXCLUDE_FLAGS; flag++) {
		attr = counting_attr();
		pmu_set_exclude(&attr, 1U << flag);
		EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1))
			TH_LOG("exclude flag %u", flag);
	}
}

/* perf passes an event of an unknown type to every PMU in turn. */
TEST_F(pmu, types_that_are_not_its_own)
{
	struct perf_event_attr attr = counting_attr();

	attr.type = 0x7fffffff;
	EXPECT_EQ(-ENOENT, refused(&attr, -1, pmu->cpu, -1));
}

/* perf requests the CPU in cpumask, but other programs may request any CPU. */
TEST_F(pmu, any_cpu_is_moved_to_the_one_of_the_pmu)
{
	struct perf_event_attr attr = counting_attr();
	int cpu, fd, number = sysconf(_SC_NPROCESSORS_ONLN);

	for (cpu = 0; cpu < number; cpu++) {
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		ASSERT_LE(0, fd)
			TH_LOG("CPU %d: %s", cpu, strerror(errno));
		if (stimulus->page) {
			stimulus_inject(stimulus, pmu->event, 0x8, 77);
			EXPECT_EQ(77, pmu_value(fd));
		}
		close(fd);
	}
}

/* A refused event affects neither the hardware nor the count of another event. */
TEST_F_TIMEOUT(injected, refusals_disturb_nobody, SLOW)
{
	struct perf_event_attr attr;
	unsigned int round;
	__u64 writes, total = 0;
	int fd;

	fd = must_open(pmu->event, -1);
	mark_log();
	writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	for (round = 0; round < 1000; round++) {
		attr = counting_attr();
		switch (round % 5) {
		case 0:
			attr.exclude_user = 1;
			break;
		case 1:
			attr.exclude_kernel = 1;
			break;
		case 2:
			ASSERT_EQ(0, pmu_set_field(pmu, &attr, "event",
						   pmu->family->undefined_event));
			break;
		case 3:
			attr.config |= reference_has(pmu, REFERENCE_ACCEPTS_UNNAMED_BITS) ?
					pmu->family->undefined_event : 1ULL << 63;
			break;
		case 4:
			break;
		}
		ASSERT_GT(0, refused(&attr, round % 5 == 4 ? 0 : -1,
				     round % 5 == 4 ? -1 : pmu->cpu, -1))
			TH_LOG("case %u", round % 5);
		stimulus_inject(stimulus, pmu->event, 0x8, round);
		total += round;
	}
	EXPECT_EQ(writes, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	EXPECT_EQ(total, pmu_value(fd));
	/* Messages are limited to ten in five seconds: one for each refusal would take minutes. */
	EXPECT_GT(1000 / 5, messages_with("refused"));
}

TEST_HARNESS_MAIN
