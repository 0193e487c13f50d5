// SPDX-License-Identifier: GPL-2.0
/*
 * The state of the registers of a CoreSight PMU under the driver: only PMCR.E has a defined reset
 * value (§3.16), and the flag of a disabled monitor interrupts and freezes.
 */
#include "coresight_fixture.h"
#include "interleave.h"
#include "mmio.h"
#include "mmio_count.h"

static void bind_after_reset(__u32 seed)
{
	must_unbind();
	stimulus_reset(stimulus, seed);
	must_bind();
}

TEST_F_TIMEOUT(injected, after_reset, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	unsigned int seed, word;
	__u32 control;

	for (seed = 1; seed <= 5; seed++) {
		bind_after_reset(seed * 0x85ebca6b);
		/* It runs, is neither frozen nor prescaled, and exports and traces nothing. */
		control = stimulus_peek32(stimulus, PMCR);
		EXPECT_EQ(0, control & (PMCR_FZO | PMCR_D | PMCR_X | PMCR_TRO | PMCR_HDBG))
			TH_LOG("PMCR is %#x", control);
		for (word = 0; word < CORESIGHT_WORDS; word++) {
			EXPECT_EQ(0, stimulus_peek32(stimulus, PMCNTENSET(word)));
			EXPECT_EQ(0, stimulus_peek32(stimulus, coresight.page_1 | PMOVSSET(word)));
		}
	}
}

/* Only overflows of existing monitors interrupt. */
TEST_F_TIMEOUT(interrupting, after_reset, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	__u32 expected[CORESIGHT_WORDS] = { 0 };
	unsigned int n, seed, word;
	__u64 taken;

	for (n = 0; n < coresight.monitors; n++)
		expected[coresight.monitor[n] / 32] |= 1U << coresight.monitor[n] % 32;
	for (seed = 1; seed <= 5; seed++) {
		bind_after_reset(seed * 0xc2b2ae35);
		taken = interrupts_taken(-1);
		for (word = 0; word < CORESIGHT_WORDS; word++)
			EXPECT_EQ(0, stimulus_peek32(stimulus, PMINTENSET(word)) &
				     ~expected[word] & (word || !coresight.cycle_counter ? ~0U :
							0x7fffffff))
				TH_LOG("PMINTENSET%u", word);
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 1ULL << 63);
		EXPECT_EQ(taken, interrupts_taken(-1));
	}
}

/*
 * The driver of its interrupt controller is loaded later. The kernel's own driver probes the first
 * PMU first, and may give it another number then.
 */
TEST_F_TIMEOUT(interrupting, waits_for_its_controller, SLOW)
{
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	if (hardware->msi)
		SKIP(return, "this PMU has MSIs");
	must_unbind();
	/* -EPROBE_DEFER */
	ASSERT_EQ(0, call_fail("platform_get_irq_optional -517"));
	do {
		probe();
	} while (!device_is_bound(pmu->device));
	EXPECT_TRUE(call_has_failed());
	EXPECT_LE(0, irq_of_device(pmu->device));
	bind_again();
}

/*
 * The PMU is bound while it writes a message, which does not end: as after a crash of the previous
 * kernel. The driver waits before it changes the message (§3.31).
 */
TEST_F_TIMEOUT(injected, bound_amid_a_message, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	char *page;

	if (!hardware->msi)
		SKIP(return, "this PMU has no MSIs");
	if (coresight.page_1)
		SKIP(return, "the overflow status is in another page");
	must_unbind();
	page = page_map(pmu->page);
	if (!page)
		SKIP(return, "the kernel does not let /dev/mem map the registers");
	stimulus_hold(stimulus, true);
	mmio_write32(page, PMIRQCR2, PMIRQCR2_MSIEN);
	mmio_write32(page, PMCR, PMCR_E);
	mmio_write32(page, PMINTENSET(0), 1);
	mmio_write32(page, PMOVSSET(0), 1);
	EXPECT_EQ(PMIRQSR_IRQ, mmio_read32(page, PMIRQSR) & PMIRQSR_IRQ);
	page_unmap(page);
	mark_log();
	EXPECT_EQ(0, device_bind(pmu->driver, pmu->device));
	EXPECT_EQ(1, messages_with("PMIRQSR.IRQ stays set", "does not end"));
	stimulus_hold(stimulus, false);
	bind_after_reset(1);
}

/* The level is not asserted after the driver has been unbound. */
TEST_F_TIMEOUT(injected, after_unbind, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	unsigned int word;

	must_unbind();
	expect_quiet();
	for (word = 0; word < CORESIGHT_WORDS; word++)
		EXPECT_EQ(0, stimulus_peek32(stimulus, coresight.page_1 | PMOVSSET(word)));
	must_bind();
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
	unsigned int round;
	int fd, other, counter;

	fd = must_open(CORESIGHT_EVENT, -1);
	for (round = 1; round <= 50; round++) {
		other = must_open(0x200 + round, -1);
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

/* Lets the PMU stop, or not: then its monitors cannot be written. */
static void stick(bool stuck)
{
	struct stimulus stimulus = machine->stimulus;

	stimulus_set_agent(&stimulus, stuck ? STIMULUS_AGENT_STUCK : 0);
}

static void expect_not_counting(int fd)
{
	struct pmu_count count;

	ASSERT_EQ(0, pmu_read(fd, &count));
	EXPECT_EQ(0, count.value);
	EXPECT_EQ(0, count.running);
	EXPECT_LT(0, count.enabled);
}

/*
 * PMCR.NA stays set. An event that cannot be programmed does not count, and does not count what the
 * monitor counted before; one that counts already goes on.
 */
TEST_F_TIMEOUT(stopped, and_cannot_be_stopped, SLOW)
{
	struct mmio_count before, after;
	int fd, others[3];
	struct pmu_count count;
	unsigned int n;

	/* The message is printed once. */
	bind_after_reset(5);
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
	mark_log();
	close(must_open(0x200, -1));
	/* perf does not take turns with a pinned event. */
	fd = must_open_pinned(CORESIGHT_EVENT);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 3);

	stick(true);
	for (n = 0; n < ARRAY_SIZE(others); n++) {
		before = mmio_count_of(stimulus, PMCR);
		others[n] = must_open(0x201 + n, -1);
		after = mmio_count_of(stimulus, PMCR);
		/* It is stopped and started each time; the driver waits for it once. */
		EXPECT_LT(before.writes, after.writes);
		EXPECT_EQ(!n, after.reads - before.reads > (after.writes - before.writes) / 2)
			TH_LOG("%llu reads, %llu writes", after.reads - before.reads,
			       after.writes - before.writes);
		expect_not_counting(others[n]);
	}
	EXPECT_EQ(PMCR_E, stimulus_peek32(stimulus, PMCR) & PMCR_E);
	for (n = 0; n <= ARRAY_SIZE(others); n++)
		stimulus_inject(stimulus, 0x200 + n, SOURCE, 10);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 4);
	for (n = 0; n < ARRAY_SIZE(others); n++)
		expect_not_counting(others[n]);
	EXPECT_EQ(7, pmu_value(fd));
	EXPECT_EQ(1, messages_with(pmu->name, "PMCR.NA stays set"));

	stick(false);
	for (n = 0; n < ARRAY_SIZE(others); n++) {
		ASSERT_EQ(0, ioctl(others[n], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(others[n], PERF_EVENT_IOC_ENABLE, 0));
		stimulus_inject(stimulus, 0x201 + n, SOURCE, 20 + n);
		ASSERT_EQ(0, pmu_read(others[n], &count));
		EXPECT_EQ(20 + n, count.value);
		EXPECT_LT(0, count.running);
		close(others[n]);
	}
	EXPECT_EQ(7, pmu_value(fd));
}

/*
 * PMCR.NA stays set while perf restarts a sampling event, which perf takes for a running one: it is
 * disabled, so that its times do not say that it counts, and can be enabled again later.
 */
TEST_F_TIMEOUT(stopped, and_a_sampler_cannot_be_set, SLOW)
{
	struct perf_event_attr attr = attr_of(CORESIGHT_EVENT);
	struct pmu_count before, after;
	__u64 period = 500;
	int fd;

	if (!pmu_can_interrupt(pmu))
		SKIP(return, "this PMU does not sample");
	bind_after_reset(6);
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
	mark_log();
	attr.sample_period = 1000;
	fd = must_open_attr(&attr, -1);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 3);

	stick(true);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	ASSERT_EQ(0, pmu_read(fd, &before));
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 10);
	ASSERT_EQ(0, pmu_read(fd, &after));
	EXPECT_EQ(3, after.value);
	EXPECT_EQ(before.enabled, after.enabled);
	EXPECT_EQ(before.running, after.running);
	EXPECT_EQ(1, messages_with(pmu->name, "PMCR.NA stays set"));

	stick(false);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 20);
	EXPECT_EQ(23, pmu_value(fd));
}

/* Events between the stop and the start are lost by all monitors. */
TEST_F(stopped, loses_the_same_on_all_monitors)
{
	int other, leader = must_open_group(3);
	unsigned int round;

	for (round = 1; round <= 20; round++) {
		stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, 5);
		stimulus_precede(stimulus, PMEVTYPER(3), CORESIGHT_EVENT, SOURCE, 1000);
		other = must_open(0x200 + round, -1);
		stimulus_precede(stimulus, 0, 0, 0, 0);
		EXPECT_EQ(5 * round, read_equal(leader, 3));
		close(other);
	}
}

/* Known products without PMEVFILT2R, and those of them that do not have PMEVFILTR either */
static const char * const without_filter2[] = {
	"nvidia_pcie_pmu_0", "nvidia_nvlink_c2c0_pmu_0", "nvidia_nvlink_c2c1_pmu_0",
	"nvidia_cnvlink_pmu_0", "nvidia_ucf_pmu_0", "nvidia_scf_pmu_0", "ampere_mcu_pmu_0",
};

static const char * const without_filter[] = { "nvidia_scf_pmu_0", "ampere_mcu_pmu_0" };

static bool is_one_of(const struct pmu *pmu, const char * const *names, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < number; i++)
		if (!strcmp(pmu->name, names[i]))
			return true;
	return false;
}

/* What is in the place of a filter that a product does not have is not known: nothing writes it. */
TEST(filters_that_a_product_does_not_have)
{
	static struct pmu list[PMU_MAX];
	int n, number = pmu_list(list, PMU_MAX), found = 0;
	struct stimulus stimulus;
	__u64 filter, filter2;

	if (stimulus_open(&stimulus))
		SKIP(return, "%s", stimulus.missing);
	for (n = 0; n < number; n++) {
		if (!is_one_of(&list[n], without_filter2, ARRAY_SIZE(without_filter2)) ||
		    !driver_can_unbind(list[n].driver))
			continue;
		found++;
		ASSERT_EQ(0, stimulus_choose(&stimulus, list[n].page));
		ASSERT_EQ(0, device_unbind(list[n].driver, list[n].device));
		filter = stimulus_writes(&stimulus, PMEVFILTR(0));
		filter2 = stimulus_writes(&stimulus, PMEVFILT2R(0));
		ASSERT_EQ(0, device_bind(list[n].driver, list[n].device));
		EXPECT_EQ(filter2, stimulus_writes(&stimulus, PMEVFILT2R(0)))
			TH_LOG("%s", list[n].name);
		if (!is_one_of(&list[n], without_filter, ARRAY_SIZE(without_filter)))
			continue;
		EXPECT_EQ(filter, stimulus_writes(&stimulus, PMEVFILTR(0)))
			TH_LOG("%s", list[n].name);
	}
	if (!found)
		SKIP(return, "this machine has no such product");
}

/* On a devicetree, what firmware does not describe is not described by an ACPI device. */
TEST(no_message_is_about_acpi_on_a_devicetree)
{
	static struct pmu list[PMU_MAX];
	int n, number = pmu_list(list, PMU_MAX), found = 0;
	char device[80];

	report_to(_metadata);
	if (!may_disturb())
		SKIP(return, DISTURBS);
	for (n = 0; n < number; n++) {
		if (!device_property_exists(list[n].device, "reg") ||
		    !driver_can_unbind(list[n].driver))
			continue;
		found++;
		snprintf(device, sizeof(device), " %s: ", list[n].device);
		mark_log();
		ASSERT_EQ(0, device_unbind(list[n].driver, list[n].device));
		ASSERT_EQ(0, device_bind(list[n].driver, list[n].device));
		EXPECT_EQ(0, messages_with(device, "ACPI"))
			TH_LOG("%s", list[n].name);
	}
	if (!found)
		SKIP(return, "no devicetree");
}

TEST_HARNESS_MAIN
