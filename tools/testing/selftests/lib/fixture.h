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
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

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

/* Emulation is slow: only a test that hangs may time out, also if it repeats more often. */
#define SLOW	(400 * repeat())

/* Sources of filtered events. */
#define FILTERED_SOURCE	0x42
#define OTHER_SOURCE	0x43

/* This many events take a counter far from its end, whatever its value was. */
#define FAR_AWAY	20000000

/*
 * The test that runs, under the name that its parameter has: so EXPECT_EQ() and so on work in any
 * function.
 */
static struct __test_metadata *_metadata;

static inline void report_to(struct __test_metadata *test)
{
	_metadata = test;
}

/* What it works on */
static struct machine *machine;
static struct pmu *pmu;
static struct stimulus *stimulus;
static struct pmu_hardware *hardware;

static inline void work_on(struct machine *chosen)
{
	machine = chosen;
	pmu = &chosen->pmu;
	stimulus = &chosen->stimulus;
	hardware = &chosen->hardware;
}

typedef bool (*machine_wanted)(const struct machine *machine);

static inline bool refuses_every_event(const struct machine *machine)
{
	return machine->hardware.counters == 1 &&
	       reference_has(&machine->pmu, REFERENCE_COUNTS_LEADERS_TWICE);
}

/*
 * A reference driver may use the same name for all its interrupts, including those of other PMUs.
 */
static inline __u64 interrupts_taken(int cpu)
{
	const char *name = pmu->reference ? pmu->family->reference->irq_name : NULL;

	return device_interrupts(name ? name : pmu->device, cpu);
}

/* Number of accesses that read a counter, if no carry between its halves is near. */
static inline unsigned int reads_of_counter(void)
{
	return hardware->bits > 32 && hardware->halves ? 3 : 1;
}

/* Half of the range of a counter plus one: less than a counter loses by one wrap. */
static inline __u64 over_half(void)
{
	return (1ULL << (hardware->bits - 1)) + 1;
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
	stimulus_set_delay(stimulus, 0);
	if (machine->pmu.family && machine->pmu.family->calm)
		machine->pmu.family->calm(stimulus);
	stimulus_hold(stimulus, false);
}

static inline bool pmu_refuses(const struct pmu *pmu)
{
	int fd = pmu_open(pmu, pmu->event, -1);

	if (fd < 0)
		return true;
	close(fd);
	return false;
}

/*
 * What affects others than the events of a test (drivers, CPUs, devices, settings) is only changed
 * on a machine that exists for tests, or with SYSPMU_DISTURB in the environment.
 */
static inline bool may_disturb(void)
{
	struct stimulus here;

	return !stimulus_open(&here) || getenv("SYSPMU_DISTURB");
}

#define DISTURBS	"it takes away drivers, CPUs or devices: SYSPMU_DISTURB=1 permits that"

/* Common setup of all fixtures. Returns false if the test is skipped. */
static inline bool machine_setup(struct __test_metadata *test, const char *name, bool need_stimulus)
{
	static struct machine chosen;
	const char *reason;
	int error;

	report_to(test);
	work_on(&chosen);
	error = stimulus_open(stimulus);
	if (error && need_stimulus)
		SKIP(return false, "%s", stimulus->missing);
	if (!name)
		SKIP(return false, NO_PMU);
	if (may_disturb())
		cpu_all_online();
	machine->mark = kmsg_mark();
	ASSERT_EQ(0, pmu_find(pmu, name));
	reason = reference_exception(pmu, test->fixture->name, test->name);
	if (reason)
		SKIP(return false, "reference driver: %s", reason);
	/* It warns once, but in each test. */
	if (pmu->reference && may_disturb())
		write_text("/sys/kernel/debug/clear_warn_once", "1");
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
	if (error && pmu->reference && pmu_refuses(pmu))
		SKIP(return false, "reference driver: refuses every event of this PMU");
	if (error)
		return true;
	ASSERT_EQ(0, stimulus_choose(stimulus, pmu->page));
	machine_calm(machine);
	pmu_identify(pmu, stimulus, hardware);
	stimulus_traffic(stimulus, false);
	return true;
}

static inline const char *module_name(void)
{
	return pmu->reference ? pmu->family->reference->module : pmu->family->module;
}

/* Binds the driver to a device that a test which died has left without one. */
static inline void expect_bound(void)
{
	struct pmu found;

	if (!pmu->device[0] || !pmu_find(&found, pmu->name))
		return;
	if (!device_bind(pmu->driver, pmu->device))
		return;
	EXPECT_EQ(0, module_load(module_name()))
		TH_LOG("%s has no driver", pmu->device);
}

/* Common teardown of all fixtures: undoes what a test that died has left. */
static inline void machine_teardown(void)
{
	char line[256] = "";

	if (may_disturb())
		cpu_all_online();
	if (stimulus->page)
		machine_calm(machine);
	if (may_disturb())
		expect_bound();
	if (stimulus->page)
		stimulus_traffic(stimulus, true);
	if (machine->mark < 0 || reference_has(pmu, REFERENCE_WARNS))
		return;
	EXPECT_FALSE(kmsg_find_splat(machine->mark, line, sizeof(line)))
		TH_LOG("the kernel says: %s", line);
}

/* Later, messages_with() only looks at what is logged from here on. */
static int log_mark = -1;

static inline void mark_log(void)
{
	if (log_mark >= 0)
		close(log_mark);
	log_mark = kmsg_mark();
	ASSERT_LE(0, log_mark);
}

/* How many messages have all these words; the mark moves behind them */
#define messages_with(...)	kmsg_count(log_mark, (const char * const []){ __VA_ARGS__, NULL })

/* The PMUs in the environment variable PMUS, or all: a server may have a hundred similar ones. */
static inline bool is_chosen(const char *name)
{
	const char *chosen = getenv("PMUS");

	return !chosen || has_word(chosen, name);
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
 * (powered down, reserved for Secure software) gets none: its counts have no meaning. Without that
 * page, only one variant says why tests of selected PMUs are skipped.
 */
static inline void add_variants(struct __fixture_metadata *fixture, machine_wanted wanted)
{
	struct __fixture_variant_metadata *variants = calloc(PMU_MAX, sizeof(*variants));
	const struct machine *machine;
	int i, number;
	bool none = true;

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
		if (!machine->stimulus.page && wanted && !none)
			break;
		none = false;
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

/* The common teardown */
#define PMU_TEARDOWN(fixture)						\
	FIXTURE_TEARDOWN(fixture)					\
	{								\
		machine_teardown();					\
	}

static inline void nothing(void)
{
}

/*
 * A fixture that only has the PMU. With "stimulus", tests are skipped if there is no stimulus page.
 * A function has more to set up, unless the test is skipped, and another one undoes that.
 */
#define PMU_FIXTURE_BETWEEN(fixture, wanted, stimulus, prepare, undo)	\
	FIXTURE(fixture) {						\
	};								\
	PMU_VARIANTS(fixture, wanted)					\
	FIXTURE_SETUP(fixture)						\
	{								\
		if (machine_setup(_metadata, variant ? variant->name : NULL, stimulus))	\
			prepare();					\
	}								\
	FIXTURE_TEARDOWN(fixture)					\
	{								\
		undo();							\
		machine_teardown();					\
	}

#define PMU_FIXTURE_WITH(fixture, wanted, stimulus, prepare)		\
	PMU_FIXTURE_BETWEEN(fixture, wanted, stimulus, prepare, nothing)

#define PMU_FIXTURE(fixture, wanted, stimulus)				\
	PMU_FIXTURE_WITH(fixture, wanted, stimulus, nothing)

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

static inline bool any(const struct machine *machine)
{
	(void)machine;
	return true;
}

PMU_FIXTURE(injected, any, true)

PMU_FIXTURE(interrupting, has_interrupt, true)

static inline bool can_unbind(const struct machine *machine)
{
	return driver_can_unbind(machine->pmu.driver);
}

PMU_FIXTURE(lifecycle, can_unbind, true)

/* Whether the PMU would have to move to another CPU, and can. */
static inline bool can_move(const struct machine *machine)
{
	return cpu_other_than(machine->pmu.cpu) >= 0 && cpu_can_go_offline(machine->pmu.cpu);
}

static inline void play(const char *steps)
{
	bool skipped;
	const char *message = scenario_play(machine, steps, &skipped);

	if (skipped)
		SKIP(return, "%s", message);
	ASSERT_EQ(NULL, message)
		TH_LOG("%s", message);
}

/* A test that is a scenario. */
#define SCENARIO(fixture, name, steps)					\
	TEST_F_TIMEOUT(fixture, name, SLOW)				\
	{								\
		play(steps);						\
	}

/* Opens an event as perf does; a refusal ends the test. */
static inline int must_open_attr(struct perf_event_attr *attr, int group_fd)
{
	int fd = pmu_open_attr(pmu, attr, group_fd);

	ASSERT_LE(0, fd)
		TH_LOG("opening config %#llx: %s", attr->config, strerror(-fd));
	return fd;
}

/* The attributes of a counting event; the caller may change them before it is opened. */
static inline struct perf_event_attr attr_of(__u64 event)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, pmu_describe(pmu, &attr, event));
	return attr;
}

static inline int must_open(__u64 event, int group_fd)
{
	struct perf_event_attr attr = attr_of(event);

	return must_open_attr(&attr, group_fd);
}

/* Opens an event of software, which needs no counter. */
static inline int must_open_software(int group_fd, __u64 read_format)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = read_format,
	};

	return must_open_attr(&attr, group_fd);
}

/* Opens the leader of a group that is read as a whole. */
static inline int must_open_leader(__u64 event)
{
	struct perf_event_attr attr = attr_of(event);

	attr.read_format = PERF_FORMAT_GROUP;
	return must_open_attr(&attr, -1);
}

/*
 * Opens an event that perf never removes from its counter, as it removes all others for a moment
 * whenever one is opened. So a test can free a counter next to an active one.
 */
static inline int must_open_pinned(__u64 event)
{
	struct perf_event_attr attr = attr_of(event);

	attr.pinned = 1;
	return must_open_attr(&attr, -1);
}

/* Opens as many events as one group. Returns the leader. */
static inline int must_open_group(unsigned int number)
{
	int leader = must_open_leader(pmu->event);

	while (--number)
		must_open(pmu->event, leader);
	return leader;
}

/* The count of an event that is read as a group */
static inline __u64 value_of(int fd)
{
	__u64 value;

	return pmu_read_group(fd, &value, 1) ? PMU_NO_VALUE : value;
}

/* All events of a group have the same count, which is returned. */
static inline __u64 read_equal(int leader, unsigned int number)
{
	__u64 values[PMU_MAX_COUNTERS];
	unsigned int n;

	ASSERT_EQ(0, pmu_read_group(leader, values, number));
	for (n = 1; n < number; n++) {
		EXPECT_EQ(values[0], values[n])
			TH_LOG("event %u of %u", n, number);
	}
	return values[0];
}

static inline __u64 starts_and_stops(void)
{
	return pmu_enables(stimulus, hardware) + pmu_disables(stimulus, hardware);
}

/* How many times counters are started or stopped when an event is enabled or disabled. */
static inline __u64 starts_and_stops_of(int fd, unsigned long request)
{
	__u64 writes = starts_and_stops();

	if (ioctl(fd, request, 0))
		return PMU_NO_VALUE;
	return starts_and_stops() - writes;
}

/* The counter that an event is on */
static inline int must_find_counter(__u32 event)
{
	int counter = pmu_counter_of_event(stimulus, hardware, event);

	ASSERT_LE(0, counter);
	return counter;
}

/* Waits until all overflows have been handled. This reads no register, as a read would do it. */
static inline void await_handled(void)
{
	while (pmu_overflow_status(stimulus, hardware))
		usleep(1000);
}

/* Events until a counter wraps; 0 if it is at 0. */
static inline __u64 until_wrap(int counter)
{
	return -pmu_counter(stimulus, hardware, counter) & (~0ULL >> (64 - hardware->bits));
}

/* Injects events that are counted without a filter, too. */
static inline __u64 inject(__u64 number)
{
	stimulus_inject(stimulus, pmu->event, pmu->source, number);
	return number;
}

static inline __u64 inject_other(__u64 number)
{
	stimulus_inject(stimulus, pmu->other_event, pmu->source, number);
	return number;
}

/* Makes an event only count those of one source, if the family has such a filter. */
static inline bool filter_by_source(struct perf_event_attr *attr, __u32 source)
{
	if (!pmu->filters)
		return false;
	ASSERT_EQ(0, pmu->family->filter(pmu, attr, source));
	return true;
}

/* An event that counts those of FILTERED_SOURCE, and if possible no others. */
static inline struct perf_event_attr filtered_attr(void)
{
	struct perf_event_attr attr = attr_of(pmu->event);

	filter_by_source(&attr, FILTERED_SOURCE);
	return attr;
}

/* Injects events that such an event counts. */
static inline __u64 inject_filtered(__u64 number)
{
	stimulus_inject(stimulus, pmu->event, pmu->filters ? FILTERED_SOURCE : pmu->source, number);
	return number;
}

/* Injects events that it must not count. */
static inline void inject_elsewhere(__u64 number)
{
	if (pmu->filters)
		stimulus_inject(stimulus, pmu->event, OTHER_SOURCE, number);
	stimulus_inject(stimulus, pmu->other_event, FILTERED_SOURCE, number);
}

/* The n-th event number of the PMU that can be filtered. */
static inline unsigned int nth_event(unsigned int n)
{
	return pmu->family->nth_event(stimulus, n);
}

/* Whether events on different counters can be distinguished by their source. */
static inline bool each_filters(void)
{
	return pmu->filters && !hardware->global_filter;
}

/* Reads and writes of all registers. */
static inline __u64 all_accesses(struct stimulus *stimulus)
{
	return stimulus_reads(stimulus, STIMULUS_ALL_REGISTERS) +
	       stimulus_writes(stimulus, STIMULUS_ALL_REGISTERS);
}

/* Nothing counts or interrupts, and the driver has waited for this. */
static inline void expect_quiet(void)
{
	const char *name = pmu->family->not_quiet(stimulus);

	EXPECT_EQ(NULL, name)
		TH_LOG("%s of the one at %#llx is not 0", name,
		       stimulus_page_0(stimulus, stimulus->instance));
}

/* A counter of less than 32 bits cannot be used: it may wrap before anything looks after it. */
static inline unsigned int usable_counters(void)
{
	return hardware->bits < 32 ? 0 : hardware->counters + hardware->clocks;
}

/* A file of the PMU in sysfs has this line. */
static inline void __attribute__((format(printf, 2, 3)))
expect_attribute(const char *file, const char *format, ...)
{
	char text[256], expected[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(expected, sizeof(expected), format, arguments);
	va_end(arguments);
	ASSERT_EQ(0, pmu_attribute(pmu, file, text, sizeof(text)))
		TH_LOG("%s", file);
	EXPECT_STREQ(expected, text)
		TH_LOG("%s", file);
}

/* What any PMU has in its directory caps. */
static inline void expect_caps(unsigned int counters)
{
	expect_attribute("caps/counters", "%u", counters);
	expect_attribute("caps/counter_width", "%u", hardware->bits);
	expect_attribute("caps/capture", "%d", hardware->capture);
}

/* A child that takes a CPU offline, which may take a while. */
static inline pid_t start_offline(int cpu)
{
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child)
		_exit(cpu_set_online(cpu, false) ? 1 : 0);
	return child;
}

/* The same for one that binds a device or unbinds it. */
static inline pid_t start_binding(bool bind)
{
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child)
		_exit((bind ? device_bind : device_unbind)(pmu->driver, pmu->device) ? 1 : 0);
	return child;
}

/* Waits for a child, which must succeed. */
static inline void expect_success(pid_t *child)
{
	int status;

	ASSERT_EQ(*child, waitpid(*child, &status, 0));
	*child = 0;
	EXPECT_EQ(0, status);
}

/* Takes the CPU of the PMU offline. The PMU must move to an online CPU. */
static inline int take_cpu_away(void)
{
	int gone = pmu->cpu, error;

	/* Otherwise the kernel would move this thread and undo the pinning for good. */
	ASSERT_EQ(0, cpu_pin(cpu_other_than(gone)));
	error = cpu_set_online(gone, false);
	ASSERT_EQ(0, error)
		TH_LOG("CPU %d: %s", gone, strerror(-error));
	ASSERT_EQ(0, pmu_follow(pmu));
	ASSERT_NE(gone, pmu->cpu);
	ASSERT_TRUE(cpu_is_online(pmu->cpu));
	return gone;
}

/* Loads the module of the driver and those that use it, or removes them. */
static inline void must_load(bool loaded)
{
	const char * const *users = pmu->family->reference->users;
	int i;

	if (loaded)
		ASSERT_EQ(0, module_load(module_name()));
	for (i = 0; pmu->reference && i < REFERENCE_USERS && users[i]; i++)
		ASSERT_EQ(0, loaded ? module_load(users[i]) : module_remove(users[i]));
	if (!loaded)
		ASSERT_EQ(0, module_remove(module_name()));
}

/* The kernel's own drivers cannot be unbound from a single device. */
static inline void must_unbind(void)
{
	if (pmu->reference)
		must_load(false);
	else
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
}

/* Makes the driver probe the device, or the kernel's own one all its devices. */
static inline int probe(void)
{
	if (!pmu->reference)
		return device_bind(pmu->driver, pmu->device);
	must_load(true);
	return 0;
}

/* The PMU may have another type and CPU then. */
static inline void must_bind(void)
{
	ASSERT_EQ(0, probe());
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
}

static inline void bind_again(void)
{
	must_unbind();
	must_bind();
}

/* Binds the driver again to a device that had no power. */
static inline void revive(void)
{
	must_unbind();
	stimulus_dead(stimulus, false);
	must_bind();
}

/* Finds the PMU again, which may have another type and CPU, and counts with it. */
static inline void expect_exact_counts(void)
{
	__u64 step = over_half(), total = 0;
	struct perf_event_attr attr;
	int i, fd;

	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	ASSERT_EQ(0, cpu_pin(pmu->cpu));
	attr = filtered_attr();
	fd = must_open_attr(&attr, -1);
	EXPECT_EQ(0, pmu_value(fd));
	for (i = 0; i < 20; i++) {
		inject_filtered(step);
		inject_elsewhere(1);
		total += step;
		/* Without an interrupt, each wrap requires a read. */
		if (!has_interrupt(machine))
			EXPECT_EQ(total, pmu_value(fd));
	}
	EXPECT_EQ(total, pmu_value(fd));
	close(fd);
}

#endif
