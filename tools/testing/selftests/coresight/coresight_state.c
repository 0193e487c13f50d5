// SPDX-License-Identifier: GPL-2.0
/*
 * The state of the registers of a CoreSight PMU under the driver: only PMCR.E has a defined reset
 * value (§3.16), and the flag of a disabled monitor interrupts and freezes.
 */
#include <sys/stat.h>

#include "coresight_fixture.h"
#include "kmsg.h"
#include "mmio.h"

#define NAMESAKE	"/sys/module/arm_syspmu_namesake/parameters/name"
#define PMUS_IN_SYSFS	"/sys/bus/event_source/devices/"

static void bind_after_reset(struct __test_metadata *_metadata, struct machine *machine,
			     __u32 seed)
{
	struct pmu *pmu = &machine->pmu;

	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	stimulus_reset(&machine->stimulus, seed);
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device))
		TH_LOG("seed %#x", seed);
	stimulus_traffic(&machine->stimulus, false);
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
}

TEST_F_TIMEOUT(injected, after_reset, SLOW)
{
	struct coresight_hardware coresight = coresight_of(&self->machine);
	struct stimulus *stimulus = &self->machine.stimulus;
	unsigned int seed, word;
	__u32 control;

	for (seed = 1; seed <= 5; seed++) {
		bind_after_reset(_metadata, &self->machine, seed * 0x85ebca6b);
		/* It runs, is neither frozen nor prescaled, and exports and traces nothing. */
		control = stimulus_peek32(stimulus, PMCR);
		EXPECT_EQ(0, control & (PMCR_FZO | PMCR_D | PMCR_X | PMCR_TRO | PMCR_HDBG))
			TH_LOG("PMCR is %#x", control);
		for (word = 0; word < CORESIGHT_WORDS; word++) {
			EXPECT_EQ(0, stimulus_peek32(stimulus, PMCNTENSET(word)));
			EXPECT_EQ(0, stimulus_peek32(stimulus,
						     coresight.page_1 | PMOVSSET(word)));
		}
	}
}

/* Only overflows of existing monitors interrupt. */
TEST_F_TIMEOUT(interrupting, after_reset, SLOW)
{
	struct coresight_hardware coresight = coresight_of(&self->machine);
	struct stimulus *stimulus = &self->machine.stimulus;
	__u32 expected[CORESIGHT_WORDS] = { 0 };
	unsigned int n, seed, word;
	__u64 taken;

	for (n = 0; n < coresight.monitors; n++)
		expected[coresight.monitor[n] / 32] |= 1U << coresight.monitor[n] % 32;
	for (seed = 1; seed <= 5; seed++) {
		bind_after_reset(_metadata, &self->machine, seed * 0xc2b2ae35);
		taken = interrupts_taken(&self->machine.pmu, -1);
		for (word = 0; word < CORESIGHT_WORDS; word++)
			EXPECT_EQ(0, stimulus_peek32(stimulus, PMINTENSET(word)) &
				     ~expected[word] & (word || !coresight.cycle_counter ? ~0U :
							0x7fffffff))
				TH_LOG("PMINTENSET%u", word);
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << 63);
		EXPECT_EQ(taken, interrupts_taken(&self->machine.pmu, -1));
	}
}

/*
 * The PMU is bound while it writes a message, which does not end: as after a crash of the previous
 * kernel. The driver waits before it changes the message (§3.31).
 */
TEST_F_TIMEOUT(injected, bound_amid_a_message, SLOW)
{
	static const char * const words[] = { "PMIRQSR 0x1:", "does not end", NULL };
	struct coresight_hardware coresight = coresight_of(&self->machine);
	struct stimulus *stimulus = &self->machine.stimulus;
	struct pmu *pmu = &self->machine.pmu;
	int mark;
	char *page;

	SKIP_IF(!self->machine.hardware.msi, "this PMU has no MSIs");
	SKIP_IF(coresight.page_1, "the overflow status is in another page");
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	page = page_map(pmu->page);
	SKIP_IF(!page, "the kernel does not let /dev/mem map the registers");
	stimulus_hold(stimulus, true);
	mmio_write32(page, PMIRQCR2, PMIRQCR2_MSIEN);
	mmio_write32(page, PMCR, PMCR_E);
	mmio_write32(page, PMINTENSET(0), 1);
	mmio_write32(page, PMOVSSET(0), 1);
	EXPECT_EQ(PMIRQSR_IRQ, mmio_read32(page, PMIRQSR) & PMIRQSR_IRQ);
	page_unmap(page);
	mark = kmsg_mark();
	ASSERT_LE(0, mark);
	EXPECT_EQ(0, device_bind(pmu->driver, pmu->device));
	EXPECT_EQ(1, kmsg_count(mark, words));
	close(mark);
	stimulus_hold(stimulus, false);
	bind_after_reset(_metadata, &self->machine, 1);
}

/* The level is not asserted after the driver has been unbound. */
TEST_F_TIMEOUT(injected, after_unbind, SLOW)
{
	struct coresight_hardware coresight = coresight_of(&self->machine);
	struct stimulus *stimulus = &self->machine.stimulus;
	struct pmu *pmu = &self->machine.pmu;
	unsigned int word;

	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	expect_quiet(_metadata, pmu, stimulus);
	for (word = 0; word < CORESIGHT_WORDS; word++)
		EXPECT_EQ(0, stimulus_peek32(stimulus, coresight.page_1 | PMOVSSET(word)));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	stimulus_traffic(stimulus, false);
}

static bool is_pmu(const char *name)
{
	char path[sizeof(PMUS_IN_SYSFS) + 2 * PMU_NAME_LENGTH];
	struct stat entry;

	snprintf(path, sizeof(path), PMUS_IN_SYSFS "%s", name);
	return !stat(path, &entry);
}

/*
 * A name that a PMU of another driver has gets the address as a suffix, each time, before sysfs
 * complains about it with a splat.
 */
TEST_F_TIMEOUT(injected, a_name_that_another_driver_uses, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	char name[2 * PMU_NAME_LENGTH];
	unsigned int round;

	SKIP_IF(access(NAMESAKE, W_OK), "the module arm_syspmu_namesake is not loaded");
	snprintf(name, sizeof(name), "%s_%llx", pmu->name, (unsigned long long)pmu->page >> 12);
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		ASSERT_EQ(0, write_text(NAMESAKE, pmu->name));
		EXPECT_FALSE(is_pmu(name));
		EXPECT_EQ(0, device_bind(pmu->driver, pmu->device));
		EXPECT_TRUE(is_pmu(name))
			TH_LOG("there is no PMU %s", name);
		EXPECT_EQ(0, device_unbind(pmu->driver, pmu->device));
		ASSERT_EQ(0, write_text(NAMESAKE, "\n"));
		EXPECT_FALSE(is_pmu(pmu->name));
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
		EXPECT_TRUE(is_pmu(pmu->name));
		EXPECT_FALSE(is_pmu(name));
	}
	stimulus_traffic(&self->machine.stimulus, false);
}

static bool writes_while_stopped(const struct machine *machine)
{
	return coresight_of(machine).cfgr & PMCFGR_NA;
}

PMU_FIXTURE(stopped, writes_while_stopped, true)

/*
 * PMCFGR.NA: events that are programmed while another event is counting are programmed correctly.
 */
TEST_F(stopped, is_programmed_beside_a_running_event)
{
	const struct pmu_hardware *hardware = &self->machine.hardware;
	struct stimulus *stimulus = &self->machine.stimulus;
	struct pmu *pmu = &self->machine.pmu;
	unsigned int round;
	int fd, other, counter;

	fd = must_open(_metadata, pmu, CORESIGHT_EVENT, -1);
	for (round = 1; round <= 50; round++) {
		other = must_open(_metadata, pmu, 0x200 + round, -1);
		counter = pmu_counter_of_event(stimulus, hardware, 0x200 + round);
		ASSERT_LE(0, counter)
			TH_LOG("event %#x is on no monitor", 0x200 + round);
		EXPECT_EQ(PMCR_E, stimulus_peek32(stimulus, PMCR) & PMCR_E);
		stimulus_inject(stimulus, 0x200 + round, SOURCE, round);
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 3);
		EXPECT_EQ(round, pmu_value(other));
		EXPECT_EQ(3 * round, pmu_value(fd));
		close(other);
	}
}

/* Events between the stop and the start are lost by all monitors. */
TEST_F(stopped, loses_the_same_on_all_monitors)
{
	struct stimulus *stimulus = &self->machine.stimulus;
	struct pmu *pmu = &self->machine.pmu;
	unsigned int round;
	__u64 values[3];
	int leader, other;

	leader = must_open_leader(_metadata, pmu, CORESIGHT_EVENT);
	must_open(_metadata, pmu, CORESIGHT_EVENT, leader);
	must_open(_metadata, pmu, CORESIGHT_EVENT, leader);
	for (round = 1; round <= 20; round++) {
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 5);
		stimulus_precede(stimulus, PMEVTYPER(3), CORESIGHT_EVENT, SOURCE, 1000);
		other = must_open(_metadata, pmu, 0x200 + round, -1);
		stimulus_precede(stimulus, 0, 0, 0, 0);
		ASSERT_EQ(0, pmu_read_group(leader, values, 3));
		EXPECT_EQ(values[0], values[1]);
		EXPECT_EQ(values[0], values[2]);
		EXPECT_EQ(5 * round, values[0]);
		close(other);
	}
}

TEST_HARNESS_MAIN
