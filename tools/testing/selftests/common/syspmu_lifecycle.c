// SPDX-License-Identifier: GPL-2.0
/* Drivers are bound, unbound, unloaded and reloaded; and the state of the registers in between. */
#include <dirent.h>
#include <sys/wait.h>

#include "fault_injection.h"
#include "interleave.h"
#include "mmio.h"
#include "lifecycle_fixture.h"
#include "trace_count.h"

TEST_F_TIMEOUT(lifecycle, unbind_and_bind, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	struct stimulus *stimulus = &self->machine.stimulus;
	const char * const words[] = { "waiting", NULL };
	struct pmu gone;
	int round, mark;

	for (round = 0; round < 5; round++) {
		mark = kmsg_mark();
		ASSERT_LE(0, mark);
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		EXPECT_FALSE(kmsg_find(mark, words));
		close(mark);
		EXPECT_EQ(-ENOENT, pmu_find(&gone, pmu->name));
		expect_quiet(_metadata, pmu, stimulus);
		stimulus_inject(stimulus, pmu->event, FILTERED_SOURCE, 1000);
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
		expect_exact_counts(_metadata, &self->machine);
	}
}

/* An interrupt that is held back until its driver is unbound. */
TEST_F_TIMEOUT(lifecycle, interrupt_after_unbind, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	struct stimulus *stimulus = &self->machine.stimulus;
	int fd;

	fd = must_open(_metadata, pmu, pmu->event, -1);
	stimulus_hold(stimulus, true);
	stimulus_inject(stimulus, pmu->event, SOURCE,
			(1ULL << (self->machine.hardware.bits - 1)) + 1);
	close(fd);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	stimulus_hold(stimulus, false);
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	expect_exact_counts(_metadata, &self->machine);
}

/*
 * A driver finds the block in the state that the previous driver or a reset has left: most
 * registers are UNKNOWN after a reset (for a PMCG, IHI 0070 §10.5.2).
 */
TEST_F_TIMEOUT(lifecycle, bind_to_a_running_block, SLOW)
{
	struct pmu *pmu = &self->machine.pmu;
	struct stimulus *stimulus = &self->machine.stimulus;
	const struct pmu_hardware *hardware = &self->machine.hardware;
	void *page_0, *page_1 = NULL;
	__u64 base_1;
	int round;

	base_1 = stimulus_page_1(stimulus, stimulus->instance);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
		page_0 = page_map(pmu->page);
		if (hardware->counter_page)
			page_1 = page_map(base_1);
		if (!page_0 || (hardware->counter_page && !page_1))
			SKIP(return, "the kernel does not let /dev/mem map the registers");
		pmu->family->poison(hardware, page_0, hardware->counter_page ? page_1 : page_0);
		/* Every counter overflows, and the interrupt is not handled. */
		stimulus_inject(stimulus, pmu->event, FILTERED_SOURCE, 1);
		stimulus_inject(stimulus, pmu->event, FILTERED_SOURCE,
				(1ULL << (hardware->bits - 1)) - 1);
		page_unmap(page_0);
		if (page_1)
			page_unmap(page_1);
		ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
		EXPECT_EQ(0, pmu_enabled_counters(stimulus, hardware));
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
		expect_exact_counts(_metadata, &self->machine);
	}
}

#define ROTATION	"/sys/bus/event_source/devices/%s/perf_event_mux_interval_ms"
#define ROTATE		"perf_mux_hrtimer_handler"

/*
 * perf rotates events with timers, which it does not cancel when it unregisters the PMU. Here they
 * would expire far too late.
 */
TEST_F(lifecycle, unbind_ends_the_rotation)
{
	struct pmu *pmu = &self->machine.pmu;
	char path[128];
	int rotates;

	rotates = kernel_has_timer(ROTATE, NULL);
	if (rotates < 0)
		SKIP(return, "the kernel does not list its timers");
	if (rotates)
		SKIP(return, "other events are open that perf rotates");
	snprintf(path, sizeof(path), ROTATION, pmu->name);
	ASSERT_EQ(0, write_text(path, "100000"));
	EXPECT_EQ(1, kernel_has_timer(ROTATE, NULL));
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	EXPECT_EQ(0, kernel_has_timer(ROTATE, NULL));
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	expect_exact_counts(_metadata, &self->machine);
}

/* perf already knows the PMU, and its driver does not know that yet. */
TEST_F_TIMEOUT(lifecycle, opened_while_it_binds, SLOW)
{
	struct pmu *pmu = &self->machine.pmu, found;
	int status;
	pid_t driver;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	ASSERT_EQ(0, call_hold("arm_syspmu_set_registered"));
	driver = fork();
	ASSERT_LE(0, driver);
	if (!driver)
		_exit(device_bind(pmu->driver, pmu->device) != 0);
	EXPECT_TRUE(call_await(driver));
	EXPECT_EQ(0, pmu_find(&found, pmu->name));
	EXPECT_EQ(-ENODEV, pmu_open(&found, found.event, -1));
	call_release();
	EXPECT_EQ(driver, waitpid(driver, &status, 0));
	EXPECT_EQ(0, status);
	expect_exact_counts(_metadata, &self->machine);
}

FIXTURE(module) {
	struct pmu pmu;
	struct stimulus stimulus;
	char name[64];
	int pmus;
};

FIXTURE_SETUP(module)
{
	struct pmu list[PMU_MAX];

	stimulus_open(&self->stimulus);
	self->pmus = pmu_list(list, PMU_MAX);
	if (!self->pmus)
		SKIP(return, NO_PMU);
	self->pmu = list[0];
	if (module_of_driver(self->pmu.driver, self->name, sizeof(self->name)))
		SKIP(return, "the driver is not a module that can be unloaded");
}

FIXTURE_TEARDOWN(module)
{
	struct pmu found;

	if (pmu_find(&found, self->pmu.name)) {
		EXPECT_EQ(0, module_load(self->name))
			TH_LOG("modprobe %s", self->name);
	}
}

TEST_F_TIMEOUT(module, not_while_an_event_is_open, SLOW)
{
	int fd;

	fd = must_open(_metadata, &self->pmu, self->pmu.event, -1);
	EXPECT_EQ(-EWOULDBLOCK, module_remove(self->name));
	EXPECT_NE(PMU_NO_VALUE, pmu_value(fd));
	close(fd);
}

TEST_F_TIMEOUT(module, unload_and_reload, SLOW)
{
	struct pmu list[PMU_MAX], before[PMU_MAX];
	struct machine machine;
	int i, round;

	ASSERT_EQ(self->pmus, pmu_list(before, PMU_MAX));
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, module_remove(self->name));
		EXPECT_EQ(0, pmu_list(list, PMU_MAX));
		for (i = 0; i < self->pmus && self->stimulus.page; i++) {
			struct pmu_hardware hardware;

			ASSERT_EQ(0, stimulus_choose(&self->stimulus, before[i].page));
			pmu_identify(&self->pmu, &self->stimulus, &hardware);
			if (hardware.sane &&
			    !reference_has(&self->pmu, REFERENCE_LEAVES_IT_ENABLED))
				expect_quiet(_metadata, &self->pmu, &self->stimulus);
		}
		ASSERT_EQ(0, module_load(self->name));
		ASSERT_EQ(self->pmus, pmu_list(list, PMU_MAX));
		for (i = 0; i < self->pmus && self->stimulus.page; i++) {
			machine.pmu = list[i];
			machine.stimulus = self->stimulus;
			ASSERT_EQ(0, stimulus_choose(&machine.stimulus, list[i].page));
			pmu_identify(&list[i], &machine.stimulus, &machine.hardware);
			if (!machine.hardware.sane || refuses_every_event(&machine) ||
			    !is_chosen(list[i].name))
				continue;
			stimulus_traffic(&machine.stimulus, false);
			expect_exact_counts(_metadata, &machine);
			stimulus_traffic(&machine.stimulus, true);
		}
	}
}

/* The modules that the driver depends on are in use while it is loaded. */
TEST_F(module, what_it_depends_on_stays)
{
	struct dirent *entry;
	char path[128];
	DIR *directory;
	int found = 0;

	directory = opendir("/sys/module");
	ASSERT_NE(NULL, directory);
	while ((entry = readdir(directory))) {
		snprintf(path, sizeof(path), "/sys/module/%.40s/holders/%.40s", entry->d_name,
			 self->name);
		if (access(path, F_OK))
			continue;
		EXPECT_EQ(-EWOULDBLOCK, module_remove(entry->d_name))
			TH_LOG("%s", entry->d_name);
		found++;
	}
	closedir(directory);
	if (!found)
		SKIP(return, "%s depends on no other module", self->name);
}

#define HOTPLUG_STATES	"/sys/devices/system/cpu/hotplug/states"

static void read_hotplug_states(struct __test_metadata *_metadata, char *text, size_t size)
{
	int fd = open(HOTPLUG_STATES, O_RDONLY | O_CLOEXEC);
	ssize_t length = read(fd, text, size - 1);

	close(fd);
	ASSERT_LT(0, length)
		TH_LOG("%s: %s", HOTPLUG_STATES, strerror(errno));
	text[length] = '\0';
}

/* The module that the driver depends on, or an empty string. */
static void module_below(struct __test_metadata *_metadata, const char *name, char *below,
			 size_t size)
{
	DIR *directory = opendir("/sys/module");
	struct dirent *entry;
	char path[128];

	below[0] = '\0';
	ASSERT_NE(NULL, directory);
	while (!below[0] && (entry = readdir(directory))) {
		snprintf(path, sizeof(path), "/sys/module/%.40s/holders/%.40s", entry->d_name,
			 name);
		if (!access(path, F_OK))
			snprintf(below, size, "%.40s", entry->d_name);
	}
	closedir(directory);
}

/* When they are not in use they can be unloaded, and the kernel no longer refers to them. */
TEST_F_TIMEOUT(module, what_it_depends_on_goes_without_trace, SLOW)
{
	char below[64], before[4096], after[4096];

	if (access(HOTPLUG_STATES, R_OK))
		SKIP(return, "the kernel does not list its CPU hotplug states");
	module_below(_metadata, self->name, below, sizeof(below));
	if (!below[0])
		SKIP(return, "%s depends on no other module", self->name);

	read_hotplug_states(_metadata, before, sizeof(before));
	ASSERT_EQ(0, module_remove(self->name));
	ASSERT_EQ(0, module_remove(below))
		TH_LOG("%s", below);
	ASSERT_EQ(0, module_load(self->name));
	read_hotplug_states(_metadata, after, sizeof(after));
	EXPECT_STREQ(before, after);
}

static int open_sampling(const struct pmu *pmu)
{
	struct perf_event_attr attr;
	int error = pmu_describe(pmu, &attr, pmu->event);

	attr.sample_period = 1000;
	return error ?: pmu_open_attr(pmu, &attr, -1);
}

/* A kprobe is only needed for samples, when the core module is loaded, and not for counting. */
TEST_F_TIMEOUT(module, counts_without_kprobes, SLOW)
{
	struct fault fault;
	struct pmu pmu;
	char below[64];
	int fd, status;
	pid_t child;

	module_below(_metadata, self->name, below, sizeof(below));
	if (!below[0] || reference_has(&self->pmu, REFERENCE_NEVER_SAMPLES))
		SKIP(return, "reference driver: does not sample");
	if (!pmu_can_interrupt(&self->pmu))
		SKIP(return, "this PMU has no interrupt");
	if (fault_open_lookups(&fault))
		SKIP(return, "%s", fault.missing);
	ASSERT_EQ(0, module_remove(self->name));
	ASSERT_EQ(0, module_remove(below));
	child = fork();
	if (!child) {
		/* The fault belongs to the task, which becomes modprobe. */
		if (!fault_arm(&fault, 1))
			execlp("modprobe", "modprobe", below, NULL);
		_exit(127);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(fault_disarm(&fault, NULL));
	ASSERT_EQ(0, module_load(self->name));
	ASSERT_EQ(0, pmu_find(&pmu, self->pmu.name));
	EXPECT_EQ(-EOPNOTSUPP, open_sampling(&pmu));
	fd = must_open(_metadata, &pmu, self->pmu.event, -1);
	EXPECT_NE(PMU_NO_VALUE, pmu_value(fd));
	close(fd);

	ASSERT_EQ(0, module_remove(self->name));
	ASSERT_EQ(0, module_remove(below));
	ASSERT_EQ(0, module_load(self->name));
	ASSERT_EQ(0, pmu_find(&pmu, self->pmu.name));
	fd = open_sampling(&pmu);
	EXPECT_LE(0, fd);
	close(fd);
	fault_close(&fault);
}

/*
 * A probe that fails, early, later or at the end, disturbs no other CPU, and does not wait for all
 * tasks: it may be repeated often.
 */
TEST_F_TIMEOUT(lifecycle, a_failed_probe_disturbs_nobody, SLOW)
{
	static const char * const failing[] = {
		"platform_get_irq_optional", "__cpuhp_state_add_instance", "perf_pmu_register",
	};
	static const char * const disturbing[] = { "kick_all_cpus_sync", "synchronize_rcu_tasks" };
	struct trace_count calls[ARRAY_SIZE(disturbing)];
	struct pmu *pmu = &self->machine.pmu;
	unsigned int i, j;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	ASSERT_EQ(0, device_unbind(pmu->driver, pmu->device));
	if (count_calls(&calls[0], disturbing[0]))
		SKIP(return, "this kernel cannot count calls of %s", disturbing[0]);
	/* If the kernel does not preempt tasks, it has no such function: it is never called. */
	count_calls(&calls[1], disturbing[1]);
	for (i = 0; i < ARRAY_SIZE(failing); i++) {
		__u64 before[ARRAY_SIZE(disturbing)];

		ASSERT_EQ(0, call_fail(failing[i]));
		for (j = 0; j < ARRAY_SIZE(disturbing); j++)
			before[j] = trace_count_value(&calls[j]);
		EXPECT_NE(0, device_bind(pmu->driver, pmu->device));
		for (j = 0; j < ARRAY_SIZE(disturbing); j++) {
			EXPECT_EQ(before[j], trace_count_value(&calls[j]))
				TH_LOG("%s calls %s when %s fails", pmu->driver, disturbing[j],
				       failing[i]);
		}
		EXPECT_TRUE(call_has_failed());
		call_fail("");
	}
	for (j = 0; j < ARRAY_SIZE(disturbing); j++)
		trace_count_close(&calls[j]);
	ASSERT_EQ(0, device_bind(pmu->driver, pmu->device));
	expect_exact_counts(_metadata, &self->machine);
}

PMU_FIXTURE(all, is_first, true)

/* Any CPU can own it, and no other PMU has the same interrupt. */
static bool is_free(const struct pmu *list, int number, int i, struct stimulus *stimulus)
{
	char cpus[64], possible[64];
	__u32 irq;
	int j;

	if (pmu_attribute_text(&list[i], "associated_cpus", cpus, sizeof(cpus)) ||
	    read_text("/sys/devices/system/cpu/possible", possible, sizeof(possible)) <= 0 ||
	    strcmp(cpus, possible) || stimulus_choose(stimulus, list[i].page))
		return false;
	irq = stimulus_irq(stimulus);
	for (j = 0; j < number; j++)
		if (j != i && pmu_interrupt_is(&list[i], "wired") &&
		    pmu_interrupt_is(&list[j], "wired") &&
		    !stimulus_choose(stimulus, list[j].page) && stimulus_irq(stimulus) == irq)
			return false;
	return true;
}

static void bind_some(struct __test_metadata *_metadata, const struct pmu *list, int number,
		      const bool *which, bool wanted)
{
	int i;

	for (i = 0; i < number; i++)
		if (which[i] == wanted)
			ASSERT_EQ(0, device_bind(list[i].driver, list[i].device))
				TH_LOG("%s", list[i].name);
}

/* Each CPU has as many of them as any other, or one more. */
TEST_F_TIMEOUT(all, spread_over_the_cpus, SLOW)
{
	int i, number, cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN), frees = 0;
	static struct pmu list[PMU_MAX];
	int owned[PMU_MAX] = { 0 };
	bool free[PMU_MAX];

	if (cpus < 2)
		SKIP(return, "there is only one CPU");
	number = pmu_list(list, PMU_MAX);
	for (i = 0; i < number; i++) {
		if (!driver_can_unbind(list[i].driver))
			SKIP(return, "%s has no unbind", list[i].driver);
		free[i] = is_free(list, number, i, &self->machine.stimulus);
		frees += free[i];
	}
	for (i = 0; i < number; i++)
		ASSERT_EQ(0, device_unbind(list[i].driver, list[i].device));
	bind_some(_metadata, list, number, free, true);
	for (i = 0; i < number; i++)
		if (free[i]) {
			ASSERT_EQ(0, pmu_read_cpu(&list[i]));
			ASSERT_GT(cpus, list[i].cpu);
			owned[list[i].cpu]++;
		}
	for (cpu = 0; cpu < cpus; cpu++) {
		EXPECT_LE(frees / cpus, owned[cpu])
			TH_LOG("CPU %d of %d has %d of %d PMUs", cpu, cpus, owned[cpu], frees);
		EXPECT_GE((frees + cpus - 1) / cpus, owned[cpu]);
	}
	bind_some(_metadata, list, number, free, false);
	EXPECT_EQ(number, pmu_list(list, PMU_MAX));
	stimulus_choose(&self->machine.stimulus, self->machine.pmu.page);
}

TEST_HARNESS_MAIN
