// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow interrupts as MSIs: delivered, moved to another CPU, aborted and lost.
 */
#include <limits.h>

#include "fixture.h"
#include "interleave.h"

static bool firmware_has_msi(const struct machine *machine)
{
	if (reference_has(&machine->pmu, REFERENCE_PREFERS_MSI))
		return device_property_exists(machine->pmu.device, "msi-parent");
	return pmu_interrupt_is(&machine->pmu, "msi");
}

static bool uses_msi(const struct machine *machine)
{
	return machine->hardware.msi && firmware_has_msi(machine);
}

static bool could_use_msi(const struct machine *machine)
{
	return machine->hardware.msi && !firmware_has_msi(machine);
}

/* As in IORT: MSIs are for PMUs without a wired interrupt. */
static bool firmware_wants_msi(void)
{
	return device_property_exists(pmu->device, "msi-parent") &&
	       !device_property_exists(pmu->device, "interrupts");
}

static int event_fd;

static void open_event(void)
{
	event_fd = must_open(pmu->event, -1);
}

PMU_FIXTURE_WITH(msi, uses_msi, true, open_event)

/* The same without an event */
PMU_FIXTURE(message, uses_msi, true)

/* PMUs that can send messages, but firmware describes no target for them. */
PMU_FIXTURE(wired, could_use_msi, true)

/* Injects up to the next overflow, in steps that are less than the range of any counter. */
static __u64 overflow(void)
{
	__u64 range = ~0ULL >> (64 - hardware->bits);
	__u64 left = until_wrap(must_find_counter(pmu->event));
	__u64 first = left ? left / 2 : range / 2 + 1;
	__u64 second = left ? left - first : range / 2 + 1;

	inject(first);
	inject(second);
	return first + second;
}

/* Makes the event overflow: each time there is one message, or edge. Returns its count. */
static __u64 expect_one_each(__u64 (*raised)(struct stimulus *stimulus), int fd, __u64 total,
			     unsigned int number, int cpu)
{
	__u64 before = raised(stimulus), taken = interrupts_taken(cpu);
	unsigned int i;

	for (i = 1; i <= number; i++) {
		total += overflow();
		await_handled();
		EXPECT_EQ(before + i, raised(stimulus));
	}
	EXPECT_EQ(total, pmu_value(fd));
	EXPECT_EQ(taken + number, interrupts_taken(cpu));
	return total;
}

TEST_F(msi, each_overflow_is_one_message)
{
	expect_one_each(stimulus_msis, event_fd, 0, 100, -1);
}

/*
 * The write is one to a device: bits 3:2 of MEMATTR are 0, which makes it Outer Shareable. These
 * registers are UNKNOWN after a reset.
 */
TEST_F_TIMEOUT(msi, written_as_to_a_device, SLOW)
{
	unsigned int seed;

	close(event_fd);
	for (seed = 1; seed <= 3; seed++) {
		must_unbind();
		stimulus_reset(stimulus, seed * 0x9e3779b9);
		must_bind();
		event_fd = must_open(pmu->event, -1);
		overflow();
		await_handled();
		EXPECT_EQ(0x20, stimulus_msi_attributes(stimulus) & 0x3c)
			TH_LOG("seed %u", seed);
		close(event_fd);
	}
}

/* If firmware also describes a wired interrupt, that is used. */
TEST_F(wired, messages_are_for_those_without_a_wire)
{
	if (!device_property_exists(pmu->device, "reg"))
		SKIP(return, "no devicetree");
	EXPECT_FALSE(firmware_wants_msi());
	EXPECT_TRUE(pmu_interrupt_is(pmu, "wired"));
}

TEST_F(msi, one_message_for_all_counters)
{
	unsigned int round;
	__u64 msis, total = 0;
	int leader;

	close(event_fd);
	leader = must_open_group(hardware->counters);
	msis = stimulus_msis(stimulus);
	for (round = 0; round < 100; round++)
		total += inject(over_half());
	await_handled();
	EXPECT_EQ(total, read_equal(leader, hardware->counters));
	/* Counters that overflow at the same instant cause one message. */
	EXPECT_LT(msis, stimulus_msis(stimulus));
	EXPECT_GE(msis + 100, stimulus_msis(stimulus));
}

/* The MSI is sent to the CPU that owns the PMU, also after the PMU has moved. */
TEST_F_TIMEOUT(msi, moves_with_the_cpu, SLOW)
{
	unsigned int round;
	__u64 total = 0;
	int gone;

	if (!can_move(machine))
		SKIP(return, "CPU %d cannot go offline", pmu->cpu);
	for (round = 0; round < 4; round++) {
		gone = take_cpu_away();
		if (round % 2)
			ASSERT_EQ(0, cpu_set_online(gone, true));
		total = expect_one_each(stimulus_msis, event_fd, total, 20, pmu->cpu);
		ASSERT_EQ(0, cpu_all_online());
	}
}

/* A message that was held back while the CPU went offline is handled by the new one. */
SCENARIO(message, late_message_finds_its_way,
	 "need othercpu; open a x;"
	 "4 times { x 1; read; hold; x wrap; away; release; status; read; back }")

/*
 * MSIs that never arrive. First without a read, so that only the timer of the driver can notice,
 * and then with a read before that.
 */
static void expect_exact_without_messages(int fd, __u32 fate)
{
	__u64 msis = stimulus_msis(stimulus), total = pmu_value(fd);
	__u64 taken = interrupts_taken(-1);
	/* If messages have arrived before, the driver seldom looks for lost ones. */
	const unsigned int rounds = hardware->bits > 32 ? 1 : 2;
	unsigned int round;

	stimulus_msi_fate(stimulus, fate);
	for (round = 1; round <= rounds; round++) {
		total += overflow();
		EXPECT_EQ(msis + round, stimulus_msis(stimulus));
		await_handled();
	}
	EXPECT_EQ(total, pmu_value(fd));
	for (round = 0; round < 200; round++) {
		total += inject(over_half());
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", round);
	}
	EXPECT_EQ(taken, interrupts_taken(-1));

	/* MSIs are delivered again, and everything works as before. */
	stimulus_msi_fate(stimulus, STIMULUS_MSI_DELIVERED);
	await_handled();
	expect_one_each(stimulus_msis, fd, total, 10, -1);
}

TEST_F_TIMEOUT(msi, aborted, SLOW)
{
	/* A driver reports it once: rebind it, so that it has not reported anything yet. */
	close(event_fd);
	bind_again();
	mark_log();
	open_event();
	expect_exact_without_messages(event_fd, STIMULUS_MSI_ABORTED);
	EXPECT_EQ(hardware->msi_abort, messages_with(pmu_log_word(pmu), "MSI", "abort"));
}

TEST_F_TIMEOUT(msi, lost, SLOW)
{
	mark_log();
	expect_exact_without_messages(event_fd, STIMULUS_MSI_LOST);
	EXPECT_EQ(0, messages_with(pmu_log_word(pmu), "abort"));
}

/* When the poll timer is due. */
static long long time_to_poll(void)
{
	long long left, least = LLONG_MAX;
	unsigned int i;

	/* The timer may be set again while the kernel prints its list, and appear to be later. */
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(1, kernel_has_timer("arm_syspmu_poll", &left));
		least = left < least ? left : least;
	}
	return least;
}

/* More than a few seconds would be too late to notice that messages get lost. */
#define SELDOM_NS	10000000000LL

/*
 * Before a message has arrived, a counter is looked after before a quarter of its range can have
 * passed, at 4 events/ns, and then at least now and then.
 */
TEST_F_TIMEOUT(msi, looked_after_in_time, SLOW)
{
	long long limit = (~0ULL >> (64 - hardware->bits)) / 4 / 4;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	close(event_fd);
	bind_again();
	open_event();
	EXPECT_GE(limit < SELDOM_NS ? limit : SELDOM_NS, time_to_poll());
	overflow();
	await_handled();
	EXPECT_GE(SELDOM_NS, time_to_poll());
	close(event_fd);
	EXPECT_EQ(0, kernel_has_timer("arm_syspmu_poll", NULL));
}

/* The timer makes the last sample instead of an MSI, and then stops. */
TEST_F_TIMEOUT(msi, lost_with_the_last_sample, SLOW)
{
	struct perf_event_attr attr = attr_of(pmu->event);
	int fd;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	close(event_fd);
	attr.sample_period = 10;
	attr.disabled = 1;
	fd = must_open_attr(&attr, -1);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	stimulus_msi_fate(stimulus, STIMULUS_MSI_LOST);
	inject(10);
	while (kernel_has_timer("arm_syspmu_poll", NULL))
		usleep(20000);
	/* The event is disabled now. */
	inject(100);
	EXPECT_EQ(10, pmu_value(fd));
	EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
}

/*
 * Polling because of a lost MSI, the timer finds that the device has lost power: at its first read,
 * or after some. This is reported once, and nothing is reported about an MSI.
 */
TEST_F_TIMEOUT(msi, lost_with_the_power, SLOW)
{
	unsigned int reads, last = hardware->bits > 32 ? 0 : 2;

	if (kernel_has_timer("arm_syspmu", NULL) < 0)
		SKIP(return, "the kernel does not list its timers");
	for (reads = 0; reads <= last; reads++) {
		mark_log();
		stimulus_msi_fate(stimulus, STIMULUS_MSI_LOST);
		overflow();
		if (reads)
			stimulus_dead_after(stimulus, reads);
		else
			stimulus_dead(stimulus, true);
		while (kernel_has_timer("arm_syspmu_poll", NULL))
			usleep(20000);
		EXPECT_EQ(1, messages_with(pmu_log_word(pmu)))
			TH_LOG("after %u reads", reads);
		close(event_fd);
		revive();
		open_event();
	}
}

/* After a reset, the address of MSIs is garbage: the driver sets it before it enables any. */
TEST_F_TIMEOUT(msi, bound_after_reset, SLOW)
{
	unsigned int seed;

	close(event_fd);
	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "the driver has no unbind");
	for (seed = 1; seed <= 8; seed++) {
		must_unbind();
		stimulus_reset(stimulus, seed);
		must_bind();
		open_event();
		expect_one_each(stimulus_msis, event_fd, 0, 10, -1);
		close(event_fd);
	}
}

/* The driver cannot note that it has to free the MSI, and may do without. */
TEST_F_TIMEOUT(message, returns_after_a_lack_of_memory, SLOW)
{
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	must_unbind();
	ASSERT_EQ(0, call_fail(kernel_is_before(6, 3) ? "devm_add_action" : "__devm_add_action"));
	if (!probe())
		must_unbind();
	call_fail("");
	must_bind();
	expect_exact_counts();
}

/* The wired interrupt is used, and no MSI is sent. */
TEST_F_TIMEOUT(wired, falls_back_to_the_wire, SLOW)
{
	unsigned int seed;
	__u64 msis;
	int fd;

	for (seed = 0; seed <= 8 && (!seed || driver_can_unbind(pmu->driver)); seed++) {
		if (seed) {
			must_unbind();
			stimulus_reset(stimulus, seed);
			must_bind();
		}
		if (!reference_has(pmu, REFERENCE_HAS_NO_INTERRUPT_ATTRIBUTE))
			EXPECT_TRUE(pmu_interrupt_is(pmu, "wired"));
		fd = must_open(pmu->event, -1);
		msis = stimulus_msis(stimulus);
		expect_one_each(stimulus_edges, fd, 0, 10, -1);
		EXPECT_EQ(msis, stimulus_msis(stimulus))
			TH_LOG("MSI address of seed %u", seed);
		close(fd);
	}
}

TEST_HARNESS_MAIN
