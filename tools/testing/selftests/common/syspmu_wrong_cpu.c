// SPDX-License-Identifier: GPL-2.0
/*
 * An overflow interrupt that is taken by a CPU which does not own the PMU: its affinity could not
 * be set, or another driver that shares it has changed it. Counters are still only accessed by the
 * owning CPU, so counts and samples stay exact.
 */
#include "interleave.h"
#include "sampling_fixture.h"

#define ROUNDS		200
#define TRACEPOINT	"/sys/kernel/tracing/events/arm_syspmu/arm_syspmu_overflow/id"

static struct machine other;	/* its name is empty if there is none with this interrupt */
static int irq = -1;
static int wrong;	/* CPU that takes the interrupt */
static int trace;	/* counts the overflows that are handled there */
static pid_t unbinder;

/* Counts the overflows that are handled on this CPU. */
static int open_tracepoint(int cpu)
{
	struct pmu there = { .cpu = cpu };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	char text[32];

	if (read_text(TRACEPOINT, text, sizeof(text)) <= 0)
		return -ENOENT;
	attr.config = strtoul(text, NULL, 10);
	return pmu_open_attr(&there, &attr, -1);
}

static void find_other(void)
{
	__u32 line = stimulus_irq(stimulus);
	const struct machine *all;
	int i, number;

	all = all_machines(&number);
	for (i = 0; i < number && pmu_interrupt_is(pmu, "wired"); i++) {
		other = all[i];
		if (other.pmu.page == pmu->page || !pmu_interrupt_is(&other.pmu, "wired") ||
		    stimulus_irq(&other.stimulus) != line)
			continue;
		ASSERT_EQ(0, pmu_find(&other.pmu, all[i].pmu.name));
		machine_calm(&other);
		stimulus_traffic(&other.stimulus, false);
		return;
	}
	other.pmu.name[0] = '\0';
}

static void send_it_elsewhere(void)
{
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	wrong = cpu_other_than(pmu->cpu);
	if (wrong < 0)
		SKIP(return, "there is only one CPU");
	find_other();
	trace = open_tracepoint(wrong);
	ASSERT_LE(0, trace);
	irq = irq_of_device(pmu->device);
	ASSERT_LE(0, irq);
	ASSERT_EQ(0, irq_send_to(irq, wrong));
}

static void send_it_back(void)
{
	struct pmu found;

	call_release();
	call_fail("");
	if (unbinder > 0)
		waitpid(unbinder, NULL, 0);
	if (irq >= 0 && pmu_find(&found, pmu->name))
		EXPECT_EQ(0, device_bind(pmu->driver, pmu->device));
	if (irq >= 0) {
		pmu_read_cpu(pmu);
		EXPECT_EQ(0, irq_send_to(irq, pmu->cpu));
	}
	if (other.pmu.name[0])
		stimulus_traffic(&other.stimulus, true);
}

PMU_FIXTURE_BETWEEN(wrong_cpu, has_interrupt, true, send_it_elsewhere, send_it_back)

static __u64 inject_over_half(struct machine *machine)
{
	__u64 number = (1ULL << (machine->hardware.bits - 1)) + 1;

	stimulus_inject(&machine->stimulus, machine->pmu.event, SOURCE, number);
	return number;
}

static void expect_nothing_there(void)
{
	__u64 before = device_interrupts(pmu->device, wrong);

	EXPECT_EQ(0, pmu_value(trace))
		TH_LOG("CPU %d has handled %llu overflows of CPU %d's PMU", wrong,
		       pmu_value(trace), pmu->cpu);
	/* The CPU has taken interrupts. */
	EXPECT_LT(0, before);
}

TEST_F_TIMEOUT(wrong_cpu, counts_stay_exact, SLOW)
{
	bool shared = other.pmu.name[0];
	__u64 total = 0, total_of_other = 0;
	int fd, fd_of_other = -1;
	unsigned int i;

	fd = must_open(pmu->event, -1);
	if (shared)
		fd_of_other = pmu_open(&other.pmu, pmu->event, -1);
	ASSERT_LE(-!shared, fd_of_other);
	for (i = 0; i < ROUNDS; i++) {
		total += inject_over_half(machine);
		ASSERT_EQ(total, pmu_value(fd))
			TH_LOG("round %u", i);
		if (!shared)
			continue;
		total_of_other += inject_over_half(&other);
		ASSERT_EQ(total_of_other, pmu_value(fd_of_other))
			TH_LOG("round %u of the other", i);
	}
	await_handled();
	EXPECT_EQ(total, pmu_value(fd));
	expect_nothing_there();
	close(fd);
	if (shared)
		close(fd_of_other);
}

/* Only the interrupt handler reads. */
TEST_F_TIMEOUT(wrong_cpu, overflows_are_handled, SLOW)
{
	if (hardware->bits == 64)
		SKIP(return, "64 bits wrap without an interrupt, too");
	play("open a x; 200 times { x half + 1; await } read");
	expect_nothing_there();
}

TEST_F_TIMEOUT(wrong_cpu, samples_stay_exact, SLOW)
{
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct ring ring;
	unsigned int i, elsewhere = 0;
	int fd;

	if (!can_sample(machine))
		SKIP(return, "this PMU does not sample");
	fd = open_sampling(PERIOD, &ring);
	for (i = 1; i <= ROUNDS; i++) {
		inject(PERIOD);
		while (!ring_next_sample(&ring, &tally, &sample))
			usleep(100);
		ASSERT_EQ(PERIOD, sample.period);
		ASSERT_EQ(i * PERIOD, sample.values[0]);
		elsewhere += (int)sample.cpu != pmu->cpu;
		stay_below_the_limit(i);
	}
	EXPECT_EQ(0, elsewhere);
	EXPECT_FALSE(ring_next_sample(&ring, &tally, &sample));
	EXPECT_EQ(ROUNDS * PERIOD, value_of(fd));
	expect_nothing_there();
}

/*
 * The CPU of the PMU has interrupts off: a level is taken once all the same, and not again until
 * that CPU has handled the overflow. The next one is taken again.
 */
TEST_F_TIMEOUT(wrong_cpu, taken_once_however_long_it_takes, SLOW)
{
	struct ring_tally tally = { 0 };
	struct ring_sample sample;
	struct ring ring;
	unsigned int i;
	__u64 taken;
	int fd;

	if (!can_sample(machine))
		SKIP(return, "this PMU does not sample");
	fd = open_sampling(PERIOD, &ring);
	/* The other CPU does nothing for this test meanwhile. */
	ASSERT_EQ(0, cpu_pin(wrong));
	taken = device_interrupts(pmu->device, wrong);
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, cpu_occupy(pmu->cpu));
		inject(PERIOD);
		while (device_interrupts(pmu->device, wrong) < taken + i)
			;
		ASSERT_EQ(taken + i, device_interrupts(pmu->device, wrong));
		EXPECT_FALSE(ring_next_sample(&ring, &tally, &sample));
		call_release();
		while (!ring_next_sample(&ring, &tally, &sample))
			;
		EXPECT_EQ(i * PERIOD, sample.values[0]);
		EXPECT_EQ(i * PERIOD, value_of(fd));
		ASSERT_EQ(taken + i, device_interrupts(pmu->device, wrong));
	}
	expect_nothing_there();
}

/* The interrupt follows its PMU to another CPU, regardless of its previous affinity. */
TEST_F_TIMEOUT(wrong_cpu, set_right_when_the_pmu_moves, SLOW)
{
	int fd, owner = pmu->cpu;
	__u64 total = 0, taken;
	unsigned int i;

	if (!cpu_can_go_offline(wrong))
		SKIP(return, "CPU %d cannot go offline", wrong);
	fd = must_open(pmu->event, -1);
	total += inject_over_half(machine);
	ASSERT_EQ(0, cpu_set_online(owner, false));
	ASSERT_EQ(0, pmu_follow(pmu));
	ASSERT_EQ(0, cpu_set_online(owner, true));
	taken = device_interrupts(pmu->device, pmu->cpu);
	for (i = 0; i < 10; i++) {
		total += inject_over_half(machine);
		EXPECT_EQ(total, pmu_value(fd));
	}
	EXPECT_LT(taken, device_interrupts(pmu->device, pmu->cpu));
}

/* Overflows that are taken elsewhere are counted as well. */
static void expect_exact_overflows(int fd, __u64 total)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		total += inject_over_half(machine);
		EXPECT_EQ(total, pmu_value(fd));
	}
	await_handled();
	EXPECT_EQ(total, pmu_value(fd));
}

/* If the affinity of the interrupt cannot be set, the device is bound nevertheless. */
TEST_F_TIMEOUT(wrong_cpu, bound_without_an_affinity, SLOW)
{
	int fd;

	mark_log();
	must_unbind();
	ASSERT_EQ(0, call_fail("irq_set_affinity"));
	must_bind();
	ASSERT_TRUE(call_has_failed());
	EXPECT_EQ(1, messages_with(pmu->device, "cannot move"));
	fd = must_open(pmu->event, -1);
	expect_exact_overflows(fd, 0);
	close(fd);
	irq = irq_of_device(pmu->device);
	ASSERT_LE(0, irq);
}

/* And the PMU moves nevertheless when its CPU goes offline. */
TEST_F_TIMEOUT(wrong_cpu, moved_without_an_affinity, SLOW)
{
	int fd, owner;
	__u64 total;

	mark_log();
	if (!cpu_can_go_offline(0) || !cpu_can_go_offline(wrong))
		SKIP(return, "a CPU cannot go offline");
	/* The PMU that was bound last is the first to move. */
	bind_again();
	irq = irq_of_device(pmu->device);
	owner = pmu->cpu;
	fd = must_open(pmu->event, -1);
	total = inject_over_half(machine);
	ASSERT_EQ(0, call_fail("irq_set_affinity"));
	ASSERT_EQ(0, cpu_set_online(owner, false));
	EXPECT_TRUE(call_has_failed());
	EXPECT_EQ(1, messages_with(pmu->device, "cannot move"));
	ASSERT_EQ(0, pmu_follow(pmu));
	EXPECT_NE(owner, pmu->cpu);
	ASSERT_EQ(0, cpu_set_online(owner, true));
	/* Regardless of where the kernel has moved it. */
	ASSERT_EQ(0, irq_send_to(irq, owner));
	expect_exact_overflows(fd, total);
}

/* The driver has quiesced the block, but still has its interrupt: no registers are accessed. */
TEST_F_TIMEOUT(wrong_cpu, when_the_driver_has_let_go, SLOW)
{
	__u64 total, taken, accesses;
	int fd, i;

	if (other.pmu.name[0])
		SKIP(return, "another PMU has the same line");
	if (device_has_level_interrupt(pmu->device))
		SKIP(return, "a level must be deasserted, or its interrupt repeats forever");
	fd = must_open(pmu->event, -1);
	total = inject_over_half(machine);
	EXPECT_EQ(total, pmu_value(fd));
	await_handled();
	stimulus_hold(stimulus, true);
	/* One of them overflows. */
	for (i = 0; i < 2; i++) {
		total += inject_over_half(machine);
		EXPECT_EQ(total, pmu_value(fd));
	}
	taken = device_interrupts(pmu->device, wrong);
	ASSERT_EQ(0, call_hold(pmu->family->quiesce));
	unbinder = start_binding(false);
	ASSERT_TRUE(call_await(unbinder));
	accesses = all_accesses(stimulus);
	stimulus_hold(stimulus, false);
	while (device_interrupts(pmu->device, wrong) == taken)
		usleep(1000);
	EXPECT_EQ(accesses, all_accesses(stimulus));
	EXPECT_EQ(total, pmu_value(fd));
	call_release();
	expect_success(&unbinder);
	EXPECT_EQ(total, pmu_value(fd));
	close(fd);
	must_bind();
	irq = irq_of_device(pmu->device);
	expect_exact_counts();
}

TEST_HARNESS_MAIN
