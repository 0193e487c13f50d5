// SPDX-License-Identifier: GPL-2.0
/* Binding and unbinding of PMCGs. */
#include "lifecycle_fixture.h"
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
	struct pmu *pmu = &self->machine.pmu;
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		stimulus_acknowledge_late(stimulus, delays[i]);
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		expect_quiet(_metadata, pmu, stimulus);
		stimulus_reset(stimulus, 0x5eed0 + i);
		stimulus_acknowledge_late(stimulus, delays[i]);
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device))
			TH_LOG("after %u late acknowledgements", delays[i]);
		stimulus_traffic(stimulus, false);
		expect_exact_counts(_metadata, &self->machine);
	}
}

/* The event numbers that perf_event_open() accepts are those that EVTYPER can hold. */
TEST_F_TIMEOUT(lifecycle, event_numbers_are_those_that_fit, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	__u32 implemented;
	unsigned int bit;
	void *page_0;
	int fd;

	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	page_0 = page_map(pmu->page);
	if (!page_0)
		SKIP(return, "the kernel does not let /dev/mem map the registers");
	mmio_write32(page_0, PMCG_EVTYPER(0), PMCG_EVTYPER_EVENT);
	implemented = mmio_read32(page_0, PMCG_EVTYPER(0)) & PMCG_EVTYPER_EVENT;
	page_unmap(page_0);
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, variant->name));
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
static __u64 acknowledgment_reads(struct stimulus *stimulus)
{
	return stimulus_reads(stimulus, PMCG_IRQ_CTRLACK);
}

static __u64 interrupt_switches(struct stimulus *stimulus)
{
	return stimulus_writes(stimulus, PMCG_IRQ_CTRL);
}

/* How often the driver reads an acknowledgment that does not come. */
#define MOST_READS	1000
#define NEVER		(~0U)

/* It is awaited once, so that a machine with many such PMCGs boots in time. */
TEST_F_TIMEOUT(lifecycle, an_acknowledgment_that_never_comes_is_awaited_once, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	struct stimulus *stimulus = &self->machine.stimulus;
	const char * const words[] = { pmu->device, "does not acknowledge", NULL };
	bool interrupts = !pmu_interrupt_is(pmu, "timer") && !pmu_interrupt_is(pmu, "none");
	__u64 reads, switches;
	int mark;

	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	mark = kmsg_mark();
	ASSERT_LE(0, mark);
	stimulus_acknowledge_late(stimulus, NEVER);
	reads = acknowledgment_reads(stimulus);
	switches = interrupt_switches(stimulus);
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	switches = interrupt_switches(stimulus) - switches;
	EXPECT_EQ(switches + (interrupts ? MOST_READS - 1 : 0),
		  acknowledgment_reads(stimulus) - reads);
	EXPECT_EQ(interrupts, kmsg_count(mark, words));

	reads = acknowledgment_reads(stimulus);
	switches = interrupt_switches(stimulus);
	if (power_can_suspend())
		ASSERT_EQ(0, power_suspend());
	EXPECT_EQ(interrupt_switches(stimulus) - switches, acknowledgment_reads(stimulus) - reads);
	EXPECT_EQ(0, kmsg_count(mark, words))
		TH_LOG("it said so again");
	close(mark);

	ASSERT_EQ(0, pmu_find(pmu, variant->name));
	stimulus_traffic(stimulus, false);
	expect_exact_counts(_metadata, &self->machine);
}

/*
 * A device that does not respond is only read once, not for a second: the driver has not noticed
 * yet.
 */
TEST_F_TIMEOUT(lifecycle, nobody_waits_for_an_absent_acknowledgment, SLOW)
{
	struct machine *machine = &self->machine;
	struct stimulus *stimulus = &machine->stimulus;
	struct pmu *pmu = &machine->pmu;
	__u64 reads, switches;
	bool sleeps;

	for (sleeps = false; ; sleeps = true) {
		if (sleeps && !power_can_suspend())
			break;
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
		stimulus_traffic(stimulus, false);
		stimulus_dead(stimulus, true);
		reads = acknowledgment_reads(stimulus);
		switches = interrupt_switches(stimulus);
		ASSERT_EQ(0, sleeps ? power_suspend() :
				      device_unbind(pmu->driver, pmu->device));
		switches = interrupt_switches(stimulus) - switches;
		EXPECT_LT(0, switches);
		EXPECT_EQ(switches, acknowledgment_reads(stimulus) - reads)
			TH_LOG("%s", sleeps ? "asleep" : "unbound");
		stimulus_dead(stimulus, false);
		if (sleeps)
			break;
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	}
	expect_bound(_metadata, machine);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	expect_exact_counts(_metadata, machine);
}

TEST_HARNESS_MAIN
