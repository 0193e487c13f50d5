// SPDX-License-Identifier: GPL-2.0
/* Binding and unbinding of PMCGs. */
#include "fixture.h"
#include "mmio.h"
#include "pmcg.h"

/*
 * IRQ_CTRLACK follows IRQ_CTRL late (IHI 0070 §10.5.2.20). Only when it has followed, no more
 * interrupts arrive, and MSIs can be set up. The state after reset varies: on some PMCGs the
 * interrupt is enabled.
 */
TEST_F_TIMEOUT(lifecycle, late_acknowledgements_are_awaited, SLOW)
{
	static const __u32 delays[] = { 1, 2, 10, 40 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		stimulus_acknowledge_late(stimulus, delays[i]);
		must_unbind();
		expect_quiet();
		stimulus_reset(stimulus, 0x5eed0 + i);
		stimulus_acknowledge_late(stimulus, delays[i]);
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device))
			TH_LOG("after %u late acknowledgements", delays[i]);
		expect_exact_counts();
	}
}

/* The event numbers that perf_event_open() accepts are those that EVTYPER can hold. */
TEST_F_TIMEOUT(lifecycle, event_numbers_are_those_that_fit, SLOW)
{
	__u32 implemented;
	unsigned int bit;
	void *page_0;
	int fd;

	must_unbind();
	page_0 = page_map(pmu->page);
	if (!page_0)
		SKIP(return, "the kernel does not let /dev/mem map the registers");
	mmio_write32(page_0, PMCG_EVTYPER(0), PMCG_EVTYPER_EVENT);
	implemented = mmio_read32(page_0, PMCG_EVTYPER(0)) & PMCG_EVTYPER_EVENT;
	page_unmap(page_0);
	must_bind();
	for (bit = 7; bit < 16; bit++) {
		fd = pmu_open(pmu, 1U << bit, -1);
		if (implemented >> bit & 1) {
			EXPECT_LE(0, fd)
				TH_LOG("event %#x fits", 1U << bit);
			close(fd);
		} else {
			EXPECT_EQ(-EINVAL, fd)
				TH_LOG("event %#x does not fit", 1U << bit);
		}
	}
}

/* How many times the acknowledgment has been read, and IRQ_CTRL written. */
static __u64 acknowledgment_reads(void)
{
	return stimulus_reads(stimulus, PMCG_IRQ_CTRLACK);
}

static __u64 interrupt_switches(void)
{
	return stimulus_writes(stimulus, PMCG_IRQ_CTRL);
}

/* How often the driver reads an acknowledgment that does not come. */
#define MOST_READS	1000
#define NEVER		(~0U)

/* It is awaited once, so that a machine with many such PMCGs boots in time. */
TEST_F_TIMEOUT(lifecycle, an_acknowledgment_that_never_comes_is_awaited_once, SLOW)
{
	bool interrupts = !pmu_interrupt_is(pmu, "timer") && !pmu_interrupt_is(pmu, "none");
	__u64 reads, switches;

	must_unbind();
	mark_log();
	stimulus_acknowledge_late(stimulus, NEVER);
	reads = acknowledgment_reads();
	switches = interrupt_switches();
	must_bind();
	switches = interrupt_switches() - switches;
	EXPECT_EQ(switches + (interrupts ? MOST_READS - 1 : 0), acknowledgment_reads() - reads);
	EXPECT_EQ(interrupts, messages_with(pmu->device, "does not acknowledge"));

	reads = acknowledgment_reads();
	switches = interrupt_switches();
	if (power_can_suspend())
		ASSERT_EQ(0, power_suspend());
	EXPECT_EQ(interrupt_switches() - switches, acknowledgment_reads() - reads);
	EXPECT_EQ(0, messages_with(pmu->device, "does not acknowledge"))
		TH_LOG("it said so again");

	expect_exact_counts();
}

/*
 * A device that does not respond is only read once, not for a second: the driver has not noticed
 * yet.
 */
TEST_F_TIMEOUT(lifecycle, nobody_waits_for_an_absent_acknowledgment, SLOW)
{
	__u64 reads, switches;
	bool sleeps;

	for (sleeps = false; ; sleeps = true) {
		if (sleeps && !power_can_suspend())
			break;
		bind_again();
		stimulus_dead(stimulus, true);
		reads = acknowledgment_reads();
		switches = interrupt_switches();
		ASSERT_EQ(0, sleeps ? power_suspend() :
				      device_unbind(pmu->driver, pmu->device));
		switches = interrupt_switches() - switches;
		EXPECT_LT(0, switches);
		EXPECT_EQ(switches, acknowledgment_reads() - reads)
			TH_LOG("%s", sleeps ? "asleep" : "unbound");
		stimulus_dead(stimulus, false);
		if (sleeps)
			break;
		must_bind();
	}
	expect_bound();
	bind_again();
	expect_exact_counts();
}

/* A kernel that crashed leaves counters that count: the next one stops them before it looks. */
TEST_F_TIMEOUT(lifecycle, left_counting, SLOW)
{
	unsigned int n;
	void *page_0;

	must_unbind();
	page_0 = page_map(pmu->page);
	if (!page_0) {
		must_bind();
		SKIP(return, "the kernel does not let /dev/mem map the registers");
	}
	for (n = 0; n < hardware->counters; n++)
		mmio_write32(page_0, PMCG_EVTYPER(n), pmu->event | PMCG_EVTYPER_FILTER_SID_SPAN);
	mmio_write32(page_0, PMCG_SMR(0), PMCG_SMR_STREAMID);
	for (n = 0; n < 2; n++)
		mmio_write32(page_0, PMCG_CNTENSET0 + 4 * n, ~0U);
	mmio_write32(page_0, PMCG_CR, PMCG_CR_E);
	page_unmap(page_0);
	stimulus_step(stimulus, pmu->event, SOURCE, 100000);
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	stimulus_step(stimulus, 0, 0, 0);
	expect_exact_counts();
}

/*
 * Secure software takes the group away: its registers read as zero from then on, as do those of
 * some devices without power (IHI 0070 §10.5.2.12, NSRA). Counts keep their values.
 */
TEST_F_TIMEOUT(lifecycle, reserved_for_secure_software, SLOW)
{
	struct perf_event_attr attr = filtered_attr();
	int leader, member, single;
	__u64 total;

	if (hardware->counters < 3)
		SKIP(return, "this PMU has too few counters");
	single = must_open_attr(&attr, -1);
	attr.read_format = PERF_FORMAT_GROUP;
	leader = must_open_attr(&attr, -1);
	member = must_open_attr(&attr, leader);
	total = inject_filtered(77);
	ASSERT_EQ(total, read_equal(leader, 2));
	ASSERT_EQ(total, pmu_value(single));
	mark_log();
	stimulus_set_secure_control(stimulus, 0);
	if (stimulus_peek32(stimulus, PMCG_CFGR))
		SKIP(return, "this PMU does not support Secure state");

	EXPECT_EQ(total, read_equal(leader, 2));
	EXPECT_EQ(total, pmu_value(single));
	EXPECT_EQ(1, messages_with(pmu_log_word(pmu), "or zero: its events"));
	EXPECT_EQ(-ENODEV, pmu_open(pmu, pmu->event, -1));
	stimulus_set_secure_control(stimulus, STIMULUS_SCR_RESTORE);
	inject_filtered(1000);
	EXPECT_EQ(total, pmu_value(single));
	close(member);
	close(leader);
	close(single);
	bind_again();
	expect_exact_counts();
}

TEST_HARNESS_MAIN
