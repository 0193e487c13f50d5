// SPDX-License-Identifier: GPL-2.0
/*
 * Exact counts of every monitor of CoreSight PMUs: in groups with missing numbers between them, of
 * different widths, with fixed events, any number of them, and of the cycle counter.
 */
#include "coresight_fixture.h"
#include "mmio.h"

/* A number with bits set in all parts, so that a lost or doubled part is noticed. */
#define MANY	1000003ULL

/* The number in the model of the event that PMCCNTR also counts. */
#define STIMULUS_CYCLES	0x11

/*
 * Narrow counters count nothing: see coresight_refusals. The filters of known products have names:
 * see coresight_products.
 */
static bool counts(const struct machine *machine)
{
	return !is_known_product(&machine->pmu) && machine->hardware.bits >= 32;
}

static bool counts_alike(const struct machine *machine)
{
	return counts(machine) && is_uniform(machine);
}

static bool counts_in_groups(const struct machine *machine)
{
	return counts(machine) && !is_uniform(machine);
}

PMU_FIXTURE(uniform, counts_alike, true)
PMU_FIXTURE(grouped, counts_in_groups, true)

static bool has_cycle_counter(const struct machine *machine)
{
	return !is_known_product(&machine->pmu) && coresight_of(machine).cycle_counter;
}

PMU_FIXTURE(cycles, has_cycle_counter, true)

/* A different event on each monitor: all monitors that exist are enabled, and no others. */
TEST_F_TIMEOUT(uniform, every_monitor_counts_its_event, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	int fds[CORESIGHT_MONITORS];
	unsigned int n, round;

	for (n = 0; n < coresight.monitors; n++)
		fds[n] = must_open(0x1000 + n, -1);
	EXPECT_EQ(coresight.monitors, enabled_monitors());
	for (n = 0; n < coresight.monitors; n++) {
		EXPECT_TRUE(is_enabled(coresight.monitor[n]))
			TH_LOG("monitor %u", coresight.monitor[n]);
	}
	for (round = 1; round <= 3; round++) {
		for (n = 0; n < coresight.monitors; n++)
			stimulus_inject(stimulus, 0x1000 + n, SOURCE, MANY + n);
		for (n = 0; n < coresight.monitors; n++) {
			EXPECT_EQ(round * (MANY + n), pmu_value(fds[n]))
				TH_LOG("event %#x", 0x1000 + n);
		}
	}
	for (n = 0; n < coresight.monitors; n++)
		close(fds[n]);
	EXPECT_EQ(0, enabled_monitors());
}

/*
 * A device without power reads as all ones in the bits that a monitor does not have, too: a value
 * of all ones in the others does not make the driver look whether it is there.
 */
TEST_F_TIMEOUT(uniform, all_ones_in_the_bits_of_a_monitor, SLOW)
{
	__u64 ones, step, reads;
	int fd, counter;

	if (hardware->bits == 32 || hardware->bits == 64)
		SKIP(return, "the monitors of this PMU are as wide as their registers");
	fd = must_open(CORESIGHT_EVENT, -1);
	counter = must_find_counter(CORESIGHT_EVENT);
	ones = (1ULL << hardware->bits) - 1;
	step = ones - pmu_counter(stimulus, hardware, counter);
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, step);
	ASSERT_EQ(ones, pmu_counter(stimulus, hardware, counter));
	reads = stimulus_reads(stimulus, PMCFGR);
	EXPECT_EQ(step, pmu_value(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(reads, stimulus_reads(stimulus, PMCFGR));
}

/* As a group, all of it from one start to one stop. */
SCENARIO(uniform, a_group_of_all_monitors,
	 "open a x copies=counters group;"
	 "9 times {"
	 "  x 1000003 + round; read;"
	 "  if round % 3 == 2 { stop a; x 1000003; read; start a }"
	 "}")

TEST_F(uniform, event_numbers_have_32_bits)
{
	unsigned int bit;
	int fd;

	for (bit = 5; bit < 32; bit++) {
		fd = must_open(1U << bit, -1);
		EXPECT_LE(0, pmu_counter_of_event(stimulus, hardware, 1U << bit))
			TH_LOG("event %#x is on no monitor", 1U << bit);
		stimulus_inject(stimulus, 1U << bit, SOURCE, MANY);
		stimulus_inject(stimulus, (1U << bit) ^ 1, SOURCE, 1);
		EXPECT_EQ(MANY, pmu_value(fd))
			TH_LOG("event %#x", 1U << bit);
		close(fd);
	}
}

/* Each monitor has its own PMEVFILTR. */
SCENARIO(uniform, filters_of_a_group,
	 "need filters; need 4 counters; open a x group;"
	 "open b x in=a from=0x42; open c x in=a from=0x43; open d x in=a from=0x80000001;"
	 "5 times { x@0x42 10; x@0x43 20; x@0x80000001 30; read }")

/* The properties of a monitor, detected without the driver. */
struct kind {
	unsigned int bits;
	__u32 event;
	bool fixed;	/* no other event can be selected */
	bool counts;	/* it can overflow; otherwise it shows a state (rule YCLQB) */
};

/* Writes ones to every monitor and its event while the PMU is stopped, and reads them. */
static bool find_kinds(const struct coresight_hardware *coresight, struct kind *kinds)
{
	unsigned int n, monitor;
	char *page;
	__u64 value;

	must_unbind();
	page = page_map(pmu->page);
	for (n = 0; page && n < coresight->monitors; n++) {
		monitor = coresight->monitor[n];
		mmio_write32(page, 8 * monitor, ~0U);
		mmio_write32(page, 8 * monitor + 4, ~0U);
		value = mmio_read32(page, 8 * monitor) |
			(__u64)mmio_read32(page, 8 * monitor + 4) << 32;
		kinds[n].bits = value ? 64 - __builtin_clzll(value) : 0;
		kinds[n].event = mmio_read32(page, PMEVTYPER(monitor));
		mmio_write32(page, PMEVTYPER(monitor), ~kinds[n].event);
		mmio_write32(page, PMINTENSET(monitor / 32), 1U << monitor % 32);
		kinds[n].counts = mmio_read32(page, PMINTENSET(monitor / 32)) >> monitor % 32 & 1;
		mmio_write32(page, PMINTENCLR(monitor / 32), 1U << monitor % 32);
		kinds[n].fixed = mmio_read32(page, PMEVTYPER(monitor)) == kinds[n].event;
	}
	if (page)
		page_unmap(page);
	must_bind();
	return page;
}

static bool is_usable(const struct kind *kind)
{
	return kind->counts && kind->bits >= 32;
}

static bool counts_any(const struct kind *kind)
{
	return is_usable(kind) && !kind->fixed;
}

/* Any event uses a monitor that can count it, and all such monitors are used. */
TEST_F_TIMEOUT(grouped, monitors_that_count_any_event, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	struct kind kinds[CORESIGHT_MONITORS];
	unsigned int n, usable = 0, opened;
	int fds[CORESIGHT_MONITORS];
	struct pmu_count count;

	if (!find_kinds(&coresight, kinds))
		SKIP(return, "the kernel does not let /dev/mem map the registers");
	for (n = 0; n < coresight.monitors; n++)
		usable += counts_any(&kinds[n]);
	for (opened = 0; opened < usable; opened++)
		fds[opened] = must_open(0x1000 + opened, -1);
	EXPECT_EQ(usable, enabled_monitors());
	for (n = 0; n < coresight.monitors; n++) {
		EXPECT_EQ(counts_any(&kinds[n]), is_enabled(coresight.monitor[n]))
			TH_LOG("monitor %u", coresight.monitor[n]);
	}
	for (n = 0; n < opened; n++) {
		stimulus_inject(stimulus, 0x1000 + n, n, 1000 + n);
		ASSERT_EQ(0, pmu_read(fds[n], &count));
		EXPECT_EQ(1000 + n, count.value)
			TH_LOG("event %u", n);
		EXPECT_EQ(count.enabled, count.running);
	}
	for (n = 0; n < opened; n++)
		close(fds[n]);
}

/* Many wraps of each width, with an interrupt for each. */
TEST_F_TIMEOUT(grouped, every_width_wraps_exactly, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	__u64 totals[CORESIGHT_MONITORS] = { 0 }, step;
	struct kind kinds[CORESIGHT_MONITORS];
	unsigned int n, round, opened = 0;
	int fds[CORESIGHT_MONITORS];

	if (!has_interrupt(machine))
		SKIP(return, "this PMU has no interrupt");
	if (!find_kinds(&coresight, kinds))
		SKIP(return, "the kernel does not let /dev/mem map the registers");
	for (n = 0; n < coresight.monitors; n++) {
		if (counts_any(&kinds[n])) {
			fds[opened] = must_open(0x1000 + opened, -1);
			opened++;
		}
	}
	/* Less than the narrowest monitor that is used loses by one wrap. */
	for (round = 0; round < 40; round++) {
		for (n = 0; n < opened; n++) {
			step = (1ULL << 31) - 1 + round % 3;
			stimulus_inject(stimulus, 0x1000 + n, n, step);
			totals[n] += step;
		}
	}
	for (n = 0; n < opened; n++) {
		EXPECT_EQ(totals[n], pmu_value(fds[n]))
			TH_LOG("event %u", n);
		close(fds[n]);
	}
}

/* A monitor with a fixed event counts this event, and no other. */
TEST_F_TIMEOUT(grouped, fixed_monitors_count_their_events, SLOW)
{
	struct coresight_hardware coresight = coresight_of(machine);
	struct kind kinds[CORESIGHT_MONITORS];
	unsigned int n, fixed = 0;
	int fd;

	if (!find_kinds(&coresight, kinds))
		SKIP(return, "the kernel does not let /dev/mem map the registers");
	for (n = 0; n < coresight.monitors; n++) {
		if (!kinds[n].fixed || !is_usable(&kinds[n]))
			continue;
		fixed++;
		fd = must_open(kinds[n].event, -1);
		EXPECT_EQ(1, enabled_monitors());
		EXPECT_TRUE(is_enabled(coresight.monitor[n]))
			TH_LOG("event %#x is not on monitor %u", kinds[n].event,
			       coresight.monitor[n]);
		close(fd);
	}
	if (!fixed)
		SKIP(return, "this PMU has no monitor with a fixed event");
}

/* Cycles of virtual time are counted continuously, and injected ones as well. */
TEST_F(cycles, on_the_cycle_counter_only)
{
	__u64 before;
	int fd = must_open(CORESIGHT_EVENT_CYCLES, -1);

	EXPECT_EQ(1, enabled_monitors());
	EXPECT_TRUE(is_enabled(CORESIGHT_CYCLE_COUNTER));
	before = pmu_value(fd);
	stimulus_inject(stimulus, STIMULUS_CYCLES, SOURCE, 1ULL << 31);
	EXPECT_LE(before + (1ULL << 31), pmu_value(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	before = pmu_value(fd);
	stimulus_inject(stimulus, STIMULUS_CYCLES, SOURCE, MANY);
	EXPECT_EQ(before, pmu_value(fd));
}

/* The filter of a cycles event is PMCCFILTR; if bit 31 is set, this model counts no cycles. */
TEST_F(cycles, their_filter_is_that_of_the_cycle_counter)
{
	struct perf_event_attr attr;
	unsigned int round;
	int fd;

	for (round = 0; round < 2; round++) {
		attr = attr_of(CORESIGHT_EVENT_CYCLES);
		ASSERT_EQ(0, pmu_set_field(pmu, &attr, "filter", 0x80000000));
		fd = must_open_attr(&attr, -1);
		EXPECT_EQ(0x80000000, stimulus_peek32(stimulus, PMCCFILTR));
		stimulus_inject(stimulus, STIMULUS_CYCLES, SOURCE, MANY);
		EXPECT_EQ(0, pmu_value(fd));
		close(fd);
		/*
		 * The filter of the previous event is not used; after a reset the register is
		 * UNKNOWN.
		 */
		fd = must_open(CORESIGHT_EVENT_CYCLES, -1);
		EXPECT_EQ(pmu->all_sources, stimulus_peek32(stimulus, PMCCFILTR));
		stimulus_inject(stimulus, STIMULUS_CYCLES, SOURCE, MANY);
		EXPECT_LE(MANY, pmu_value(fd));
		close(fd);
	}
}

/* In a group with events, started and stopped together: nothing else is enabled in between. */
TEST_F(cycles, beside_all_other_monitors)
{
	struct coresight_hardware coresight = coresight_of(machine);
	__u64 values[CORESIGHT_MONITORS];
	unsigned int n;
	int leader;

	if (!is_uniform(machine))
		SKIP(return, "not all monitors count the same event");
	leader = must_open_leader(CORESIGHT_EVENT_CYCLES);
	for (n = 0; n < coresight.monitors; n++)
		must_open(CORESIGHT_EVENT, leader);
	EXPECT_EQ(coresight.monitors + 1, enabled_monitors());
	stimulus_inject(stimulus, CORESIGHT_EVENT, SOURCE, MANY);
	ASSERT_EQ(0, pmu_read_group(leader, values, coresight.monitors + 1));
	for (n = 1; n <= coresight.monitors; n++)
		EXPECT_EQ(MANY, values[n]);
}

TEST_HARNESS_MAIN
