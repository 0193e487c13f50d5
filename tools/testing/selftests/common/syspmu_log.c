// SPDX-License-Identifier: GPL-2.0
/*
 * What perf_event_open() logs: nothing when perf tries several attributes until one is accepted,
 * and nothing for an unprivileged process. What it logs for others is in syspmu_refusals.
 */
#include <grp.h>

#include "refusal.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define NOBODY		65534
#define ATTEMPTS	400

/*
 * Messages hardly depend on the hardware: the first PMU that samples, and the first that does not.
 */
static bool is_first_of_its_kind(const struct machine *machine)
{
	static bool seen[2];
	bool samples = has_interrupt(machine), first = !seen[samples];

	seen[samples] = true;
	return first;
}

static char paranoid[16];

static void read_paranoid(void)
{
	if (!may_disturb())
		SKIP(return, DISTURBS);
	ASSERT_LT(0, read_text(PARANOID, paranoid, sizeof(paranoid)));
	/* Messages are rate-limited, and earlier tests may have reached the limit: start anew. */
	bind_again();
	mark_log();
}

static void restore_paranoid(void)
{
	if (paranoid[0])
		write_text(PARANOID, paranoid);
}

PMU_FIXTURE_BETWEEN(log, is_first_of_its_kind, false, read_paranoid, restore_paranoid)

/* Number of messages about this PMU so far. */
static unsigned int lines(void)
{
	return messages_with(pmu_log_word(pmu));
}

/* What perf does for each event without a modifier. */
TEST_F(log, has_no_line_of_what_perf_tries_first)
{
	struct perf_event_attr attr = attr_of(pmu->event);
	int again;

	for (again = 0; again < 20; again++) {
		attr.exclude_guest = 1;
		EXPECT_EQ(-EINVAL, refused(&attr, -1, pmu->cpu, -1));
		attr.exclude_guest = 0;
		ASSERT_EQ(0, refused(&attr, -1, pmu->cpu, -1));
	}
	EXPECT_EQ(0, lines());
}

#define QUIETLY	" >/dev/null 2>&1"

static bool perf_is_missing(void)
{
	return system("perf --version" QUIETLY);
}

/* Runs perf with an event of a PMU. */
static int run_perf(const char *command_line, const char *pmu, __u64 event)
{
	char command[256];
	int status;

	snprintf(command, sizeof(command), "perf %s -e %s/event=%#llx/ true" QUIETLY, command_line,
		 pmu, event);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F_TIMEOUT(log, has_no_line_of_perf_itself, SLOW)
{
	if (perf_is_missing())
		SKIP(return, "there is no perf");
	EXPECT_EQ(0, run_perf("stat -a", pmu->name, pmu->event));
	EXPECT_EQ(0, lines())
		TH_LOG("perf stat of one event");
	/* A real refusal is logged. */
	run_perf("stat -a", pmu->name, pmu->family->undefined_event);
	EXPECT_LT(0, lines());
}

TEST_F_TIMEOUT(log, has_no_line_of_perf_record, SLOW)
{
	if (perf_is_missing())
		SKIP(return, "there is no perf");
	if (!pmu_can_sample(pmu))
		SKIP(return, "this PMU does not sample");
	EXPECT_EQ(0, run_perf("record -a -c 1000 -o /dev/null", pmu->name, pmu->event));
	EXPECT_EQ(0, lines());
}

/* What an unprivileged process may request: valid and invalid, for a CPU and for itself. */
static int attempt(unsigned int number, int leader)
{
	struct perf_event_attr attr;
	int pid = -1, cpu = pmu->cpu, group_fd = -1;

	if (pmu_describe(pmu, &attr, pmu->event))
		return -EIO;
	/* Otherwise perf itself refuses most of it. */
	attr.exclude_kernel = number & 1;
	attr.exclude_hv = number >> 1 & 1;
	if (number >> 2 & 1)
		pid = 0;
	if (number >> 2 & 1 && number >> 3 & 1)
		cpu = -1;
	switch (number >> 4 & 7) {
	case 0:
		break;
	case 1:
		attr.config |= 1ULL << 63;
		break;
	case 2:
		attr.config1 |= 1ULL << 63;
		break;
	case 3:
		attr.config = pmu->family->undefined_event;
		break;
	case 4:
		attr.exclude_user = 1;
		break;
	case 5:
		attr.sample_period = 1000;
		break;
	case 6:
		group_fd = leader;
		break;
	case 7:
		attr.exclude_guest = 1;
		break;
	}
	return refused(&attr, pid, cpu, group_fd);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(100);
}

TEST_F_TIMEOUT(log, has_no_line_of_who_may_not_count, SLOW)
{
	unsigned int number;
	pid_t child;
	int leader;

	ASSERT_EQ(0, write_text(PARANOID, "2"));
	leader = must_open(pmu->event, -1);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		become_nobody();
		for (number = 0; number < ATTEMPTS; number++)
			if (!attempt(number, leader))
				_exit(1);
		_exit(0);
	}
	expect_success(&child);
	EXPECT_EQ(0, lines());
}

TEST_HARNESS_MAIN
