/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fixtures with one variant for each PMU of the machine: "pmu" runs anywhere, "injected" requires
 * the stimulus page, "interrupting" also a PMU with an overflow interrupt. Included once by each
 * test.
 */
#ifndef ARM_SYSPMU_FIXTURE_H
#define ARM_SYSPMU_FIXTURE_H

#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "kmsg.h"
#include "device.h"
#include "platform.h"
#include "pmu.h"
#include "reference.h"
#include "scenario.h"
#include "stimulus.h"

#define NO_PMU	"this machine has no PMU that this test is for"

/* Why tests of register contents are skipped with PMU_DISABLED_COUNTERS_COUNT. */
#define ERRATUM	"erratum: a counter that is not enabled has another event"

/* Emulation is slow: only a test that hangs may time out. */
#define SLOW	400

/* Sources of filtered events. */
#define FILTERED_SOURCE	0x42
#define OTHER_SOURCE	0x43

/* This many events take a counter far from its end, whatever its value was. */
#define FAR_AWAY	20000000

typedef bool (*machine_wanted)(const struct machine *machine);

static inline bool refuses_every_event(const struct machine *machine)
{
	return machine->hardware.counters == 1 &&
	       reference_has(&machine->pmu, REFERENCE_COUNTS_LEADERS_TWICE);
}

/*
 * A reference driver may use the same name for all its interrupts, including those of other PMUs.
 */
static inline __u64 interrupts_taken(const struct pmu *pmu, int cpu)
{
	const char *name = pmu->reference ? pmu->family->reference->irq_name : NULL;

	return device_interrupts(name ? name : pmu->device, cpu);
}

/* Number of accesses that read a counter, if no carry between its halves is near. */
static inline unsigned int reads_of_counter(const struct machine *machine)
{
	return machine->hardware.bits > 32 && machine->hardware.halves ? 3 : 1;
}

/* Half of the range of a counter plus one: less than a counter loses by one wrap. */
static inline __u64 over_half(const struct machine *machine)
{
	return (1ULL << (machine->hardware.bits - 1)) + 1;
}

/* Undoes what a test may have set before it died. */
static inline void machine_calm(struct machine *machine)
{
	struct stimulus *stimulus = &machine->stimulus;

	stimulus_dead(stimulus, false);
	stimulus_msi_fate(stimulus, STIMULUS_MSI_DELIVERED);
	stimulus_step(stimulus, 0, 0, 0);
	stimulus_tear(stimulus, 0, 0, 0);
	stimulus_precede(stimulus, 0, 0, 0, 0);
	stimulus_tear_write(stimulus, 0, 0, 0, 0);
	stimulus_set_delay(stimulus, 0);
	if (machine->pmu.family && machine->pmu.family->calm)
		machine->pmu.family->calm(stimulus);
	stimulus_hold(stimulus, false);
}

/* Common setup of all fixtures */
static inline void machine_setup(struct __test_metadata *_metadata, struct machine *machine,
				 const char *name, bool need_stimulus)
{
	struct stimulus *stimulus = &machine->stimulus;
	int error = stimulus_open(stimulus);
	const char *reason;

	if (!name)
		SKIP(return, NO_PMU);
	if (error && need_stimulus)
		SKIP(return, "%s", stimulus->missing);
	machine->mark = kmsg_mark();
	ASSERT_EQ(0, pmu_find(&machine->pmu, name));
	reason = reference_exception(&machine->pmu, _metadata->fixture->name, _metadata->name);
	if (reason)
		SKIP(return, "reference driver: %s", reason);
	ASSERT_EQ(0, cpu_pin(machine->pmu.cpu));
	if (error)
		return;
	ASSERT_EQ(0, stimulus_choose(stimulus, machine->pmu.page));
	machine_calm(machine);
	pmu_identify(&machine->pmu, stimulus, &machine->hardware);
	stimulus_traffic(stimulus, false);
}

/* The same for tests that unbind the driver. */
static inline void machine_setup_unbind(struct __test_metadata *_metadata,
					struct machine *machine, const char *name)
{
	machine_setup(_metadata, machine, name, true);
	if (_metadata->exit_code)
		return;
	if (!driver_can_unbind(machine->pmu.driver))
		SKIP(return, "%s: has no unbind", machine->pmu.reference ? "reference driver" :
		     machine->pmu.driver);
}

/* Common teardown of all fixtures */
static inline void machine_teardown(struct __test_metadata *_metadata, struct machine *machine)
{
	char line[256] = "";

	if (machine->stimulus.page) {
		machine_calm(machine);
		stimulus_traffic(&machine->stimulus, true);
	}
	if (machine->mark < 0 || reference_has(&machine->pmu, REFERENCE_WARNS))
		return;
	EXPECT_FALSE(kmsg_find_splat(machine->mark, line, sizeof(line)))
		TH_LOG("the kernel says: %s", line);
}

/* The PMUs in the environment variable PMUS, or all: a server may have a hundred similar ones. */
static inline bool is_chosen(const char *name)
{
	const char *chosen = getenv("PMUS"), *at;
	size_t length = strlen(name);

	if (!chosen)
		return true;
	for (at = strstr(chosen, name); at; at = strstr(at + length, name))
		if ((at == chosen || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

/* The same for all fixtures of a program; inherited by the tests that it forks. */
static inline const struct machine *all_machines(int *number)
{
	static struct machine machines[PMU_MAX];
	static struct pmu list[PMU_MAX];
	static int found = -1;
	struct stimulus stimulus;
	int i;

	if (found < 0) {
		stimulus_open(&stimulus);
		found = pmu_list(list, PMU_MAX);
		for (i = 0; i < found; i++) {
			machines[i].pmu = list[i];
			/* If the stimulus page does not know the PMU, its tests fail. */
			if (!stimulus.page || stimulus_choose(&stimulus, list[i].page))
				continue;
			machines[i].stimulus = stimulus;
			pmu_identify(&list[i], &stimulus, &machines[i].hardware);
		}
	}
	*number = found;
	return machines;
}

/*
 * Adds a variant for each PMU to a fixture, or only for those that @wanted selects, if the stimulus
 * page can identify them. A PMU that a driver has registered for a block that cannot be used
 * (powered down, reserved for Secure software) gets none: its counts have no meaning.
 */
static inline void add_variants(struct __fixture_metadata *fixture, machine_wanted wanted)
{
	struct __fixture_variant_metadata *variants = calloc(PMU_MAX, sizeof(*variants));
	const struct machine *machine;
	int i, number;

	if (!variants)
		abort();
	machine = all_machines(&number);
	for (i = 0; i < number; i++, machine++) {
		if (!is_chosen(machine->pmu.name))
			continue;
		if (machine->stimulus.page &&
		    (!machine->hardware.sane || refuses_every_event(machine) ||
		     (wanted && !wanted(machine))))
			continue;
		variants[i].name = machine->pmu.name;
		variants[i].data = machine->pmu.name;
		__register_fixture_variant(fixture, &variants[i]);
	}
}

/* After the constructors of the harness, so that the fixtures exist. */
#define LATER	__attribute__((constructor(KSELFTEST_PRIO_XFAIL)))

/*
 * The variants of a fixture: the PMUs that @wanted selects, or all if it is NULL. After FIXTURE().
 */
#define PMU_VARIANTS(fixture, wanted)					\
	FIXTURE_VARIANT(fixture) {					\
		char name[PMU_NAME_LENGTH];				\
	};								\
	static void LATER add_##fixture##_variants(void)		\
	{								\
		add_variants(&_##fixture##_fixture_object, wanted);	\
	}

/* A fixture that only has the PMU. With "stimulus", it is skipped if there is no stimulus page. */
#define PMU_FIXTURE(fixture, wanted, stimulus)				\
	FIXTURE(fixture) {						\
		struct machine machine;					\
	};								\
	PMU_VARIANTS(fixture, wanted)					\
	FIXTURE_SETUP(fixture)						\
	{								\
		machine_setup(_metadata, &self->machine,		\
			      variant ? variant->name : NULL, stimulus);	\
	}								\
	FIXTURE_TEARDOWN(fixture)					\
	{								\
		machine_teardown(_metadata, &self->machine);		\
	}

/* The first selected PMU, if testing one is enough. */
static inline bool is_first(const struct machine *machine)
{
	static bool seen;
	bool first = !seen;

	(void)machine;
	seen = true;
	return first;
}

PMU_FIXTURE(pmu, NULL, false)

PMU_FIXTURE(injected, NULL, true)

PMU_FIXTURE(interrupting, has_interrupt, true)

/* Plays the steps of a scenario that has begun. */
static inline void play(struct __test_metadata *_metadata, struct scenario *scenario,
			const char *steps)
{
	bool succeeds = scenario_play(scenario, steps);

	if (scenario->skipped)
		SKIP(return, "%s", scenario->message);
	ASSERT_TRUE(succeeds)
		TH_LOG("%s", scenario->message);
}

/* A test that is a scenario. */
#define SCENARIO(fixture, name, steps)					\
	TEST_F_TIMEOUT(fixture, name, SLOW)				\
	{								\
		struct scenario scenario;				\
									\
		scenario_begin(&scenario, &self->machine);		\
		play(_metadata, &scenario, steps);			\
		scenario_end(&scenario);				\
	}

/* Opens an event as perf does; a refusal ends the test. */
static inline int must_open_attr(struct __test_metadata *_metadata, const struct pmu *pmu,
				 struct perf_event_attr *attr, int group_fd)
{
	int fd = pmu_open_attr(pmu, attr, group_fd);

	ASSERT_LE(0, fd)
		TH_LOG("opening config %#llx: %s", (unsigned long long)attr->config,
		       strerror(-fd));
	return fd;
}

static inline int must_open(struct __test_metadata *_metadata, const struct pmu *pmu,
			    __u64 event, int group_fd)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, event));
	return must_open_attr(_metadata, pmu, &attr, group_fd);
}

/* Opens the leader of a group that is read as a whole. */
static inline int must_open_leader(struct __test_metadata *_metadata, const struct pmu *pmu,
				   __u64 event)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, event));
	attr.read_format = PERF_FORMAT_GROUP;
	return must_open_attr(_metadata, pmu, &attr, -1);
}

/* Makes an event only count those of one source, if the family has such a filter. */
static inline bool filter_by_source(struct __test_metadata *_metadata, const struct pmu *pmu,
				    struct perf_event_attr *attr, __u32 source)
{
	if (!pmu->filters)
		return false;
	ASSERT_EQ(0, pmu->family->filter(pmu, attr, source));
	return true;
}

/* An event that counts those of FILTERED_SOURCE, and if possible no others. */
static inline struct perf_event_attr filtered_attr(struct __test_metadata *_metadata,
						   const struct pmu *pmu)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, pmu->event));
	filter_by_source(_metadata, pmu, &attr, FILTERED_SOURCE);
	return attr;
}

/* Injects events that such an event counts. */
static inline void inject_filtered(struct machine *machine, __u64 number)
{
	stimulus_inject(&machine->stimulus, machine->pmu.event, machine->pmu.filters ?
			FILTERED_SOURCE : machine->pmu.source, number);
}

/* Injects events that it must not count. */
static inline void inject_elsewhere(struct machine *machine, __u64 number)
{
	if (machine->pmu.filters)
		stimulus_inject(&machine->stimulus, machine->pmu.event, OTHER_SOURCE, number);
	stimulus_inject(&machine->stimulus, machine->pmu.other_event, FILTERED_SOURCE, number);
}

/* The n-th event number of the PMU that can be filtered. */
static inline unsigned int nth_event(struct machine *machine, unsigned int n)
{
	return machine->pmu.family->nth_event(&machine->stimulus, n);
}

/* Whether events on different counters can be distinguished by their source. */
static inline bool each_filters(const struct machine *machine)
{
	return machine->pmu.filters && !machine->hardware.global_filter;
}

/* Reads and writes of all registers. */
static inline __u64 all_accesses(struct stimulus *stimulus)
{
	return stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS) +
	       stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
}

/* Nothing counts or interrupts, and the driver has waited for this. */
static inline void expect_quiet(struct __test_metadata *_metadata, const struct pmu *pmu,
				struct stimulus *stimulus)
{
	const char *name = pmu->family->not_quiet(stimulus);

	EXPECT_EQ(NULL, name)
		TH_LOG("%s of the one at %#llx is not 0", name, (unsigned long long)
		       stimulus_page_0(stimulus, stimulus->instance));
}

/* A counter of less than 32 bits cannot be used: it may wrap before anything looks after it. */
static inline unsigned int usable_counters(const struct machine *machine)
{
	const struct pmu_hardware *hardware = &machine->hardware;

	return hardware->bits < 32 ? 0 : hardware->counters + hardware->clocks;
}

/* What any PMU has in its directory caps. */
static inline void expect_caps(struct __test_metadata *_metadata, const struct machine *machine,
			       unsigned int counters)
{
	const struct pmu *pmu = &machine->pmu;
	char text[32], expected[32];

	ASSERT_EQ(0, pmu_attribute(pmu, "caps/counters", text, sizeof(text)));
	snprintf(expected, sizeof(expected), "%u", counters);
	EXPECT_STREQ(expected, text);
	ASSERT_EQ(0, pmu_attribute(pmu, "caps/counter_width", text, sizeof(text)));
	snprintf(expected, sizeof(expected), "%u", machine->hardware.bits);
	EXPECT_STREQ(expected, text);
	ASSERT_EQ(0, pmu_attribute(pmu, "caps/capture", text, sizeof(text)));
	EXPECT_STREQ(machine->hardware.capture ? "1" : "0", text);
}

/* Binds the driver to a device that a test which died has left without one. */
static inline void expect_bound(struct __test_metadata *_metadata, const struct machine *machine)
{
	const struct pmu *pmu = &machine->pmu;
	struct stimulus stimulus = machine->stimulus;
	struct pmu found;

	if (!pmu->device[0] || !pmu_find(&found, pmu->name))
		return;
	if (stimulus.page)
		stimulus_dead(&stimulus, false);
	if (!device_bind(pmu->driver, pmu->device))
		return;
	EXPECT_EQ(0, module_load(pmu->reference ? pmu->family->reference->module :
						  pmu->family->module))
		TH_LOG("%s has no driver", pmu->device);
}

/* Binds the driver again to a device that had no power, and finds the PMU again. */
static inline void revive(struct __test_metadata *_metadata, struct machine *machine)
{
	struct pmu *pmu = &machine->pmu;

	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	stimulus_dead(&machine->stimulus, false);
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
}

/* Finds the PMU again, which may have another type and CPU, and counts with it. */
static inline void expect_exact_counts(struct __test_metadata *_metadata,
				       struct machine *machine)
{
	__u64 step = over_half(machine), total = 0;
	struct pmu *pmu = &machine->pmu;
	struct perf_event_attr attr;
	int i, fd;

	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
	attr = filtered_attr(_metadata, pmu);
	fd = must_open_attr(_metadata, pmu, &attr, -1);
	EXPECT_EQ(0, pmu_value(fd));
	for (i = 0; i < 20; i++) {
		inject_filtered(machine, step);
		inject_elsewhere(machine, 1);
		total += step;
		/* Without an interrupt, each wrap requires a read. */
		if (!has_interrupt(machine))
			EXPECT_EQ(total, pmu_value(fd));
	}
	EXPECT_EQ(total, pmu_value(fd));
	close(fd);
}

#endif
