// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter of scenarios, which decides most tests of counting and sampling: what is wrong
 * must be seen. Here, x and y are the same event, but scenarios are judged as if they were not.
 */
#include "sampling_fixture.h"

struct wrong {
	const char *steps;
	const char *message;	/* its beginning */
};

static void expect_wrong(const struct wrong *wrong, struct machine *deceived)
{
	const char *message;
	bool skipped;

	deceived->pmu.other_event = deceived->pmu.event;
	message = scenario_play(deceived, wrong->steps, &skipped) ?: "nothing is wrong";
	EXPECT_EQ(message, strstr(message, wrong->message))
		TH_LOG("%s: %s, expected %s", wrong->steps, message, wrong->message);
	EXPECT_FALSE(skipped);
}

TEST_F(injected, wrong_counts_are_seen)
{
	static const struct wrong all[] = {
		{ "open a x; y 5; read", "\"read\", round 0: a is 5 (0x5), expected 0 (0)" },
		{ "open a x; stop a; y 5; start a; x 3; y 1; read a",
		  "\"read a\", round 0: a is 4 (0x4), expected 3 (0x3)" },
		{ "open a x group; open b y in=a; x 5; read",
		  "\"read\", round 0: b is 5 (0x5), expected 0 (0)" },
		{ "open a x; 3 times { if round == 2 { y 2 * (3 - 1) } read }",
		  "\"read \", round 2: a is 4 (0x4), expected 0 (0)" },
		{ "open a x; each 0, 7 { if n > 0 { y n } read }",
		  "\"read \", round 0: a is 7 (0x7), expected 0 (0)" },
		{ "open a x; status a",
		  "\"status a\", round 0: the overflow status is 0, expected" },
		{ "refuse a x", "\"refuse a x\", round 0: it is not refused" },
		{ "open a x group copies=counters * 2 + 2",
		  "\"open a x group copies=counters * 2 + 2\", round 0: Invalid argument" },
		{ "open a x; 2 times { close a }",
		  "\"close a \", round 1: no event is called \"a\"" },
		{ "open a x soon", "\"open a x soon\", round 0: cannot set \"soon\"" },
		{ "need luck", "\"need luck\", round 0: no PMU has this" },
		{ "wait", "\"wait\", round 0: there is no such step" },
		{ "x (5", "\"x (5\", round 0: no \")\" at \"\"" },
		{ "x 5 } read", "\"x 5 \", round 0: cannot parse \"} read\"" },
	};
	struct machine deceived = *machine;
	unsigned int n;

	for (n = 0; n < sizeof(all) / sizeof(*all); n++)
		expect_wrong(&all[n], &deceived);
}

TEST_F(injected, what_a_pmu_lacks_is_said)
{
	bool skipped;

	EXPECT_STREQ("\"need 1000 counters\", round 0: this PMU does not have this",
		     scenario_play(machine, "need 1000 counters; wait", &skipped));
	EXPECT_TRUE(skipped);
}

TEST_F(sampling, a_sample_that_was_not_due_is_seen)
{
	static const struct wrong wrong = {
		"open a x period=1000; x 400; y 600; release",
		"\"release\", round 0: a: 1 samples for 1000 events, expected 0",
	};
	struct machine deceived = *machine;

	expect_wrong(&wrong, &deceived);
}

TEST_F(sampling, a_sample_that_is_missing_is_seen)
{
	static const struct wrong wrong = {
		"open a x period=1000; x 2500",
		"\"x 2500\", round 0: a: 0 samples for 0 events, expected 2000",
	};
	struct machine deceived = *machine;

	stimulus_hold(stimulus, true);
	expect_wrong(&wrong, &deceived);
}

/* Whether overflows capture is not true. */
TEST_F(sampling, wrong_counts_in_a_sample_are_seen)
{
	static const char steps[] =
		"open a x period=1000; open b z in=a; hold; x end; z 7; release";
	struct machine deceived = *machine;
	const struct wrong wrong = {
		steps, hardware->overflow_capture ?
		       "\"release\", round 0: b: 0 in a sample of a, expected 7" :
		       "\"release\", round 0: b: 7 in a sample of a, expected 0",
	};

	if (hardware->counters < 2)
		SKIP(return, "this PMU has one counter");
	deceived.hardware.overflow_capture = !hardware->overflow_capture;
	expect_wrong(&wrong, &deceived);
}

TEST_HARNESS_MAIN
