/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Three fixtures with one variant for each PMCG of the machine: "pmcg" runs
 * anywhere, "injected" needs the stimulus page, "interrupting" a PMCG that tells of
 * its overflows at once, too. Included once by each test.
 */
#ifndef ARM_SYSPMU_PMCG_FIXTURE_H
#define ARM_SYSPMU_PMCG_FIXTURE_H

#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "kmsg.h"
#include "platform.h"
#include "pmcg.h"
#include "stimulus.h"

#define NO_PMCG	"no SMMUv3 PMCG here that this test is for"

/* Why a test that looks at what is written skips machine_is(NULL). */
#define ERRATUM	"HiSilicon HIP08 and HIP09: a counter that is not enabled has another event"

/* Emulation is slow: a test may take its time, and only a hang may end it. */
#define SLOW	400

struct pmcg_machine {
	struct pmcg pmcg;
	struct stimulus stimulus;
	struct pmcg_hardware hardware;
	int mark;
};

typedef bool (*pmcg_wanted)(const struct pmcg_machine *machine);

FIXTURE(pmcg) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(pmcg) {
	char name[PMCG_NAME_LENGTH];
};

FIXTURE(injected) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(injected) {
	char name[PMCG_NAME_LENGTH];
};

FIXTURE(interrupting) {
	struct pmcg_machine machine;
};

FIXTURE_VARIANT(interrupting) {
	char name[PMCG_NAME_LENGTH];
};

/* The in-tree driver's group check counts the leader twice. */
static bool refuses_every_event(const struct pmcg_machine *machine)
{
	return machine->pmcg.in_tree && machine->hardware.counters == 1;
}

/* Firmware says so for the in-tree driver, in devicetree; from ACPI it cannot be seen. */
static bool has_interrupt(const struct pmcg_machine *machine)
{
	const char *device = machine->pmcg.device;

	if (!machine->pmcg.in_tree)
		return pmcg_can_interrupt(&machine->pmcg);
	return !device_property_exists(device, "") ||
	       device_property_exists(device, "interrupts") ||
	       (machine->hardware.msi && device_property_exists(device, "msi-parent"));
}

/* The in-tree driver gives all its handlers one name: those of other PMCGs count, too. */
static inline __u64 interrupts_taken(const struct pmcg *pmcg, int cpu)
{
	return device_interrupts(pmcg->in_tree ? "smmuv3-pmu" : pmcg->device, cpu);
}

/* What a test may have left behind, whatever it died of. */
static void machine_calm(struct stimulus *stimulus)
{
	stimulus_dead(stimulus, false);
	stimulus_acknowledge_late(stimulus, 0);
	stimulus_msi_fate(stimulus, STIMULUS_MSI_DELIVERED);
	stimulus_step(stimulus, 0, 0, 0);
	stimulus_tear(stimulus, 0, 0, 0);
	stimulus_precede(stimulus, 0, 0, 0, 0);
	stimulus_tear_write(stimulus, 0, 0, 0, 0);
	stimulus_set_delay(stimulus, 0);
	stimulus_set_secure_control(stimulus, STIMULUS_SCR_RESTORE);
	stimulus_hold(stimulus, false);
}

/* Every test starts from here. */
static void machine_setup(struct __test_metadata *_metadata, struct pmcg_machine *machine,
			  const char *name, bool need_stimulus)
{
	struct stimulus *stimulus = &machine->stimulus;
	int error = stimulus_open(stimulus);

	if (!name)
		SKIP(return, NO_PMCG);
	if (error && need_stimulus)
		SKIP(return, "%s", stimulus->missing);
	machine->mark = kmsg_mark();
	ASSERT_EQ(0, pmcg_find(&machine->pmcg, name));
	ASSERT_EQ(0, pmcg_pin(machine->pmcg.cpu));
	if (error)
		return;
	ASSERT_EQ(0, stimulus_choose(stimulus, machine->pmcg.page));
	machine_calm(stimulus);
	pmcg_hardware(stimulus, &machine->hardware);
	stimulus_traffic(stimulus, false);
}

static void machine_teardown(struct __test_metadata *_metadata, struct pmcg_machine *machine)
{
	char line[256] = "";

	if (machine->stimulus.page) {
		machine_calm(&machine->stimulus);
		stimulus_traffic(&machine->stimulus, true);
	}
	if (machine->mark < 0 || machine->pmcg.in_tree)
		return;
	EXPECT_FALSE(kmsg_find_trouble(machine->mark, line, sizeof(line)))
		TH_LOG("the kernel says: %s", line);
}

FIXTURE_SETUP(pmcg)
{
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, false);
}

FIXTURE_TEARDOWN(pmcg)
{
	machine_teardown(_metadata, &self->machine);
}

FIXTURE_SETUP(injected)
{
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
}

FIXTURE_TEARDOWN(injected)
{
	machine_teardown(_metadata, &self->machine);
}

FIXTURE_SETUP(interrupting)
{
	machine_setup(_metadata, &self->machine, variant ? variant->name : NULL, true);
}

FIXTURE_TEARDOWN(interrupting)
{
	machine_teardown(_metadata, &self->machine);
}

/* So many events take a counter away from where any test has left it, near its end. */
#define FAR_AWAY	20000000

/* Those that PMCGS names in the environment, or all: a server may have a hundred alike. */
static bool is_chosen(const char *name)
{
	const char *chosen = getenv("PMCGS"), *at;
	size_t length = strlen(name);

	if (!chosen)
		return true;
	for (at = strstr(chosen, name); at; at = strstr(at + length, name))
		if ((at == chosen || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

/* The same for all fixtures of a program; the tests that it forks inherit it. */
static const struct pmcg_machine *all_machines(int *number)
{
	static struct pmcg_machine machines[PMCG_MAX];
	static struct pmcg list[PMCG_MAX];
	static int found = -1;
	struct stimulus stimulus;
	int i;

	if (found < 0) {
		stimulus_open(&stimulus);
		found = pmcg_list(list, PMCG_MAX);
		for (i = 0; i < found; i++) {
			machines[i].pmcg = list[i];
			/* One that the page does not know is not passed over: its tests fail. */
			if (!stimulus.page || stimulus_choose(&stimulus, list[i].page))
				continue;
			machines[i].stimulus = stimulus;
			pmcg_hardware(&stimulus, &machines[i].hardware);
		}
	}
	*number = found;
	return machines;
}

/*
 * Gives a fixture a variant for each PMCG, or for those that are wanted, as far as the
 * stimulus page shows what they are. Never for a PMU that a driver has registered for a
 * block which is not one (powered down, kept by Secure software): no count can be
 * expected of that.
 */
static void add_variants(struct __fixture_metadata *fixture, pmcg_wanted wanted)
{
	struct __fixture_variant_metadata *variants = calloc(PMCG_MAX, sizeof(*variants));
	const struct pmcg_machine *machine;
	int i, number;

	if (!variants)
		abort();
	machine = all_machines(&number);
	for (i = 0; i < number; i++, machine++) {
		if (!is_chosen(machine->pmcg.name))
			continue;
		if (machine->stimulus.page &&
		    (!machine->hardware.sane || refuses_every_event(machine) ||
		     (wanted && !wanted(machine))))
			continue;
		variants[i].name = machine->pmcg.name;
		variants[i].data = machine->pmcg.name;
		__register_fixture_variant(fixture, &variants[i]);
	}
}

/* Later than the harness's own constructors, so that the fixtures are there. */
#define LATER	__attribute__((constructor(KSELFTEST_PRIO_XFAIL)))

static void LATER add_pmcg_variants(void)
{
	add_variants(&_pmcg_fixture_object, NULL);
	add_variants(&_injected_fixture_object, NULL);
	add_variants(&_interrupting_fixture_object, has_interrupt);
}

/* Opens as perf does; a refusal ends the test. */
static inline int must_open(struct __test_metadata *_metadata, const struct pmcg *pmcg,
			    unsigned int event, const struct pmcg_filter *filter, int group_fd)
{
	int fd = pmcg_open_filtered(pmcg, event, filter, group_fd);

	ASSERT_LE(0, fd)
		TH_LOG("opening event %#x: %s", event, strerror(-fd));
	return fd;
}

/* Opens the leader of a group that is read as a whole. */
static inline int must_open_leader(struct __test_metadata *_metadata, const struct pmcg *pmcg,
				   unsigned int event, const struct pmcg_filter *filter)
{
	struct perf_event_attr attr;
	int fd;

	ASSERT_EQ(0, pmcg_describe(pmcg, &attr, event, filter));
	attr.read_format = PERF_FORMAT_GROUP;
	fd = pmcg_open_attr(pmcg, &attr, -1);
	ASSERT_LE(0, fd)
		TH_LOG("opening event %#x: %s", event, strerror(-fd));
	return fd;
}

/* A StreamID filter, as on perf's command line. */
static inline struct pmcg_filter exactly(__u32 stream_id)
{
	return (struct pmcg_filter){ .enable = true, .stream_id = stream_id };
}

static inline struct pmcg_filter spanning(__u32 stream_id)
{
	return (struct pmcg_filter){ .enable = true, .span = true, .stream_id = stream_id };
}

/* The n-th event number of CEID that can be filtered; the last ones repeat. */
static inline unsigned int filterable_event(const struct pmcg_hardware *hardware, unsigned int n)
{
	unsigned int event, found = 0, last = PMCG_EVENT_TRANSACTION;

	for (event = 1; event < 128; event++) {
		if (!(hardware->ceid[event / 64] >> event % 64 & 1))
			continue;
		last = event;
		if (found++ == n)
			break;
	}
	return last;
}

/* Reads and writes, of whatever register. */
static inline __u64 all_accesses(struct stimulus *stimulus)
{
	return stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS) +
	       stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
}

/* Nothing counts, nothing interrupts, and the driver has waited for it. */
static inline void expect_quiet(struct __test_metadata *_metadata,
				struct stimulus *stimulus)
{
	EXPECT_EQ(0, stimulus_peek32(stimulus, PMCG_CR) & 1);
	EXPECT_EQ(0, stimulus_peek(stimulus, PMCG_CNTENSET0));
	EXPECT_EQ(0, stimulus_peek(stimulus, PMCG_INTENSET0));
	EXPECT_EQ(0, stimulus_peek32(stimulus, PMCG_IRQ_CTRL) & 1);
	EXPECT_EQ(0, stimulus_peek32(stimulus, PMCG_IRQ_CTRLACK) & 1);
}

/* Finds the PMU again, which may have another type and CPU, and counts with it. */
static inline void expect_exact_counts(struct __test_metadata *_metadata,
				       struct pmcg_machine *machine)
{
	struct stimulus *stimulus = &machine->stimulus;
	__u64 step = (1ULL << (machine->hardware.bits - 1)) + 1, total = 0;
	struct pmcg_filter filter = exactly(0x42);
	int i, fd;

	ASSERT_EQ(0, pmcg_find(&machine->pmcg, machine->pmcg.name));
	ASSERT_EQ(0, pmcg_pin(machine->pmcg.cpu));
	fd = must_open(_metadata, &machine->pmcg, PMCG_EVENT_TRANSACTION, &filter, -1);
	EXPECT_EQ(0, pmcg_value(fd));
	for (i = 0; i < 20; i++) {
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x42, step);
		stimulus_inject(stimulus, PMCG_EVENT_TRANSACTION, 0x43, 1);
		stimulus_inject(stimulus, PMCG_EVENT_TLB_MISS, 0x42, 1);
		total += step;
		/* Who has no interrupt needs a read for each wrap. */
		if (!has_interrupt(machine))
			EXPECT_EQ(total, pmcg_value(fd));
	}
	EXPECT_EQ(total, pmcg_value(fd));
	close(fd);
}

#endif
