// SPDX-License-Identifier: GPL-2.0
/* What perf_event_open() must refuse, with which errno and message. */
#include "refusal.h"

static void expect_fields_are_named(void)
{
	struct perf_event_attr plain = attr_of(pmu->event);
	struct refusal refusals[] = {
		{ "task", plain, 0, -1, -1, -EOPNOTSUPP },
		refusal_of(pmu->family->undefined_event, "event"),
		refusal_of(pmu->event, "config"),
		refusal_of(pmu->event, "config1"),
		refusal_of(pmu->event, "config2"),
		refusal_of(pmu->event, "exclude"),
		refusal_of(pmu->event, "exclude"),
		refusal_of(pmu->event, "exclude"),
	};
	unsigned int i;

	refusals[2].attr.config |= 1ULL << 63;
	refusals[3].attr.config1 |= 1ULL << 63;
	refusals[4].attr.config2 |= 1ULL << 63;
	refusals[5].attr.exclude_user = 1;
	refusals[6].attr.exclude_kernel = 1;
	refusals[7].attr.exclude_kernel = 1;
	refusals[7].attr.exclude_hv = 1;
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
	struct perf_event_attr attr = attr_of(pmu->clock);

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
	struct perf_event_attr attr = attr_of(pmu->event);
	int expected = pmu_can_interrupt(pmu) ? 0 : -EOPNOTSUPP;

	attr.sample_period = 100000;
	EXPECT_EQ(expected, refused(&attr, -1, pmu->cpu, -1));
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	EXPECT_EQ(expected, refused(&attr, -1, pmu->cpu, -1));
	attr.sample_freq = 1000;
	attr.freq = 1;
	EXPECT_EQ(expected, refused(&attr, -1, pmu->cpu, -1));
	attr.sample_type |= PERF_SAMPLE_READ;
	EXPECT_EQ(expected, refused(&attr, -1, pmu->cpu, -1));
}

/*
 * After EOPNOTSUPP, the perf tool sets exclude_guest; after EINVAL, it clears that. If one of them
 * resulted in the other, perf would never end.
 */
TEST_F(pmu, what_is_not_supported_stays_so_without_guests)
{
	struct perf_event_attr attr = attr_of(pmu->event);

	attr.exclude_guest = 1;
	EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, -1, -1));
	attr.sample_period = 100000;
	EXPECT_EQ(pmu_can_interrupt(pmu) ? -EINVAL : -EOPNOTSUPP, refused(&attr, -1, pmu->cpu, -1));
}

TEST_F(pmu, per_task)
{
	struct perf_event_attr attr = attr_of(pmu->event);

	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, -1, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, getpid(), -1, -1));
}

TEST_F(pmu, per_task_on_one_cpu)
{
	struct perf_event_attr attr = attr_of(pmu->event);

	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, 0, pmu->cpu, -1));
	EXPECT_EQ(-EOPNOTSUPP, refused(&attr, getpid(), pmu->cpu, -1));
}

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

	plain.attr = attr_of(pmu->event);
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
	struct perf_event_attr attr = attr_of(pmu->event);
	unsigned int flag;

	for (flag = 0; flag < PMU_EXCLUDE_FLAGS; flag++) {
		pmu_set_exclude(&attr, 1U << flag);
		EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1))
			TH_LOG("exclude flag %u", flag);
	}
}

/* perf passes an event of an unknown type to every PMU in turn. */
TEST_F(pmu, types_that_are_not_its_own)
{
	struct perf_event_attr attr = attr_of(pmu->event);

	attr.type = 0x7fffffff;
	EXPECT_EQ(-ENOENT, refused(&attr, -1, pmu->cpu, -1));
}

/* perf requests the CPU in cpumask, but other programs may request any CPU. */
TEST_F(pmu, any_cpu_is_moved_to_the_one_of_the_pmu)
{
	struct perf_event_attr attr = attr_of(pmu->event);
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
	struct perf_event_attr attrs[] = {
		attr_of(pmu->event), attr_of(pmu->event), attr_of(pmu->family->undefined_event),
		attr_of(pmu->event), attr_of(pmu->event),
	};
	unsigned int n, round;
	__u64 writes, total = 0;
	int fd;

	attrs[0].exclude_user = 1;
	attrs[1].exclude_kernel = 1;
	attrs[3].config |= reference_has(pmu, REFERENCE_ACCEPTS_UNNAMED_BITS) ?
			   pmu->family->undefined_event : 1ULL << 63;
	fd = must_open(pmu->event, -1);
	mark_log();
	writes = stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
	for (round = 0; round < 1000; round++) {
		n = round % ARRAY_SIZE(attrs);
		/* The last one is for a task. */
		ASSERT_GT(0, refused(&attrs[n], n == 4 ? 0 : -1, n == 4 ? -1 : pmu->cpu, -1))
			TH_LOG("case %u", n);
		stimulus_inject(stimulus, pmu->event, 0x8, round);
		total += round;
	}
	EXPECT_EQ(writes, stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS));
	EXPECT_EQ(total, pmu_value(fd));
	/* Messages are limited to ten in five seconds: one for each refusal would take minutes. */
	EXPECT_GT(1000 / 5, messages_with("refused"));
}

TEST_HARNESS_MAIN
