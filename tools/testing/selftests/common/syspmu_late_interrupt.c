// SPDX-License-Identifier: GPL-2.0
/* Overflows whose interrupt is late, or arrives after the event was closed. */
#include "fixture.h"
#include "device.h"
#include "platform.h"

SCENARIO(interrupting, read_while_the_interrupt_is_late,
	 "open a x; x half + 1;"
	 "50 times {"
	 "  read; hold; x wrap; status a; read; x 12345 + round; read;"
	 "  release; read; status"
	 "}")

/*
 * When the counter is read again, it is beyond its last value and its interrupt is still pending:
 * only the overflow status indicates that it has wrapped.
 */
SCENARIO(interrupting, read_a_whole_round_later,
	 "open a x;"
	 "20 times {"
	 "  x wrap; x round; read; hold; x half; x half; read; x 1 + round; read; release; read"
	 "}")

/* The same, but the event stops before the interrupt: no later read can add the range. */
SCENARIO(interrupting, stop_a_whole_round_later,
	 "open a x;"
	 "20 times {"
	 "  x wrap; x round; read; hold; x half; x half + round; stop a; read; release; read;"
	 "  start a"
	 "}"
	 "read")

/* The kernel's count of unhandled interrupts. */
static void read_unhandled(int irq, char *text, size_t size)
{
	char *unhandled;

	ASSERT_EQ(0, irq_attribute(irq, "spurious", text, size));
	unhandled = strstr(text, "unhandled");
	ASSERT_NE(NULL, unhandled)
		TH_LOG("%s", text);
	memmove(text, unhandled, strlen(unhandled) + 1);
}

/* The handler only claims an interrupt if a counter has overflowed: the line may be shared. */
TEST_F(interrupting, interrupt_without_an_overflow_is_not_its_own)
{
	char before[128], after[128];
	unsigned int round;
	int fd, irq;

	/* An MSI is not shared, and is always claimed. */
	if (pmu_interrupt_is(pmu, "msi"))
		SKIP(return, "this PMU sends MSIs");
	if (device_has_level_interrupt(pmu->device))
		SKIP(return, "the level of this PMU ends with the overflow status");
	irq = irq_of_device(pmu->device);
	ASSERT_LE(0, irq)
		TH_LOG("no interrupt of %s", pmu->device);
	for (round = 0; round < 3; round++) {
		fd = must_open(pmu->event, -1);
		read_unhandled(irq, before, sizeof(before));
		inject(over_half());
		inject(over_half());
		EXPECT_EQ(2 * over_half(), pmu_value(fd));
		read_unhandled(irq, after, sizeof(after));
		EXPECT_STREQ(before, after);

		stimulus_hold(stimulus, true);
		inject(over_half());
		pmu_value(fd);
		inject(over_half());
		close(fd);
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
		stimulus_hold(stimulus, false);
		read_unhandled(irq, after, sizeof(after));
		EXPECT_NE(0, strcmp(before, after))
			TH_LOG("still \"%s\"", after);
	}
}

/* The interrupt of the old event arrives when a new one uses its counter. */
SCENARIO(interrupting, reopened_before_the_interrupt,
	 "20 times {"
	 "  open a x copies=counters; hold; x half + 1; close a;"
	 "  open b y copies=counters; y 3; release; y 4 + round; read; close b"
	 "}")

/* One interrupt for many overflows: all counters, one of which is closed meanwhile. */
SCENARIO(interrupting, one_late_interrupt_for_all_counters,
	 "open a x copies=counters;"
	 "20 times { hold; x half + 1; drop a; open a x; release; x round; read }")

TEST_HARNESS_MAIN

