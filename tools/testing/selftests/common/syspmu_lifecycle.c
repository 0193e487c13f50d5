// SPDX-License-Identifier: GPL-2.0
/* Drivers are bound, unbound, unloaded and reloaded; and the state of the registers in between. */
#include <dirent.h>

#include "fault_injection.h"
#include "interleave.h"
#include "mmio.h"
#include "fixture.h"
#include "trace_count.h"

TEST_F_TIMEOUT(lifecycle, unbind_and_bind, SLOW)
{
	struct pmu gone;
	int round;

	for (round = 0; round < 5; round++) {
		mark_log();
		must_unbind();
		EXPECT_FALSE(messages_with("waiting"));
		EXPECT_EQ(-ENOENT, pmu_find(&gone, pmu->name));
		expect_quiet();
		stimulus_inject(stimulus, pmu->event, FILTERED_SOURCE, 1000);
		must_bind();
		expect_exact_counts();
	}
}

/* An interrupt that is held back until its driver is unbound. */
TEST_F_TIMEOUT(lifecycle, interrupt_after_unbind, SLOW)
{
	int fd = must_open(pmu->event, -1);

	stimulus_hold(stimulus, true);
	inject((1ULL << (hardware->bits - 1)) + 1);
	close(fd);
	must_unbind();
	stimulus_hold(stimulus, false);
	must_bind();
	expect_exact_counts();
}

/*
 * A driver finds the block in the state that the previous driver or a reset has left: most
 * registers are UNKNOWN after a reset (for a PMCG, IHI 0070 §10.5.2).
 */
TEST_F_TIMEOUT(lifecycle, bind_to_a_running_block, SLOW)
{
	void *page_0, *page_1 = NULL;
	__u64 base_1;
	int round;

	base_1 = stimulus_page_1(stimulus, stimulus->instance);
	for (round = 0; round < 3; round++) {
		must_unbind();
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
		must_bind();
		EXPECT_EQ(0, pmu_enabled_counters(stimulus, hardware));
		EXPECT_EQ(0, pmu_overflow_status(stimulus, hardware));
		expect_exact_counts();
	}
}

#define ROTATE		"perf_mux_hrtimer_handler"

/*
 * perf rotates events with timers, which it does not cancel when it unregisters the PMU. Here they
 * would expire far too late.
 */
TEST_F(lifecycle, unbind_ends_the_rotation)
{
	int rotates = kernel_has_timer(ROTATE, NULL);

	if (rotates < 0)
		SKIP(return, "the kernel does not list its timers");
	if (rotates)
		SKIP(return, "other events are open that perf rotates");
	ASSERT_EQ(0, pmu_set_rotation(pmu, "100000"));
	EXPECT_EQ(1, kernel_has_timer(ROTATE, NULL));
	must_unbind();
	EXPECT_EQ(0, kernel_has_timer(ROTATE, NULL));
	must_bind();
	expect_exact_counts();
}

/* The CPU that is to own the PMU is chosen without waking any. */
TEST_F(lifecycle, binding_calls_no_cpu)
{
	struct trace_count calls;
	int error;

	must_unbind();
	error = count_tracepoint(&calls, "cpuhp/cpuhp_multi_enter", NULL);
	must_bind();
	if (error)
		SKIP(return, "this kernel cannot count calls of CPU hotplug");
	EXPECT_EQ(0, trace_count_value(&calls));
	trace_count_close(&calls);
}

/* perf already knows the PMU, and its driver does not know that yet. */
TEST_F_TIMEOUT(lifecycle, opened_while_it_binds, SLOW)
{
	struct pmu found;
	pid_t driver;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	must_unbind();
	ASSERT_EQ(0, call_hold("arm_syspmu_set_registered"));
	driver = start_binding(true);
	EXPECT_TRUE(call_await(driver));
	EXPECT_EQ(0, pmu_find(&found, pmu->name));
	EXPECT_EQ(-ENODEV, pmu_open(&found, found.event, -1));
	call_release();
	expect_success(&driver);
	expect_exact_counts();
}

FIXTURE(module) {
	char name[64];
	char below[64];	/* that it depends on, or an empty string */
};

static void module_below(const char *name, char *below, size_t size)
{
	DIR *directory = opendir("/sys/module");
	struct dirent *entry;

	below[0] = '\0';
	ASSERT_NE(NULL, directory);
	while (!below[0] && (entry = readdir(directory))) {
		if (!access(path_of("/sys/module/%s/holders/%s", entry->d_name, name), F_OK))
			snprintf(below, size, "%.40s", entry->d_name);
	}
	closedir(directory);
}

FIXTURE_SETUP(module)
{
	struct pmu list[PMU_MAX];

	if (!machine_setup(_metadata, pmu_list(list, PMU_MAX) ? list[0].name : NULL, false))
		return;
	if (!may_disturb())
		SKIP(return, DISTURBS);
	if (module_of_driver(pmu->driver, self->name, sizeof(self->name)))
		SKIP(return, "the driver is not a module that can be unloaded");
	module_below(self->name, self->below, sizeof(self->below));
}

PMU_TEARDOWN(module)

TEST_F_TIMEOUT(module, not_while_an_event_is_open, SLOW)
{
	int fd = must_open(pmu->event, -1);

	EXPECT_EQ(-EWOULDBLOCK, module_remove(self->name));
	EXPECT_NE(PMU_NO_VALUE, pmu_value(fd));
}

TEST_F_TIMEOUT(module, unload_and_reload, SLOW)
{
	struct machine *first = machine, each;
	const struct machine *machines;
	struct pmu list[PMU_MAX];
	int i, number, round;

	machines = all_machines(&number);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, module_remove(self->name));
		EXPECT_EQ(0, pmu_list(list, PMU_MAX));
		for (i = 0; i < number; i++) {
			each = machines[i];
			work_on(&each);
			if (stimulus->page && hardware->sane &&
			    !reference_has(pmu, REFERENCE_LEAVES_IT_ENABLED))
				expect_quiet();
		}
		ASSERT_EQ(0, module_load(self->name));
		ASSERT_EQ(number, pmu_list(list, PMU_MAX));
		for (i = 0; i < number; i++) {
			each = machines[i];
			work_on(&each);
			if (!stimulus->page || !hardware->sane || refuses_every_event(machine) ||
			    !is_chosen(pmu->name))
				continue;
			stimulus_traffic(stimulus, false);
			expect_exact_counts();
			stimulus_traffic(stimulus, true);
		}
	}
	work_on(first);
}

/* A PMU is not left to a CPU that goes offline while a driver probes there. */
TEST_F_TIMEOUT(module, loaded_on_a_cpu_that_goes_offline, SLOW)
{
	int i, before, number, waited, cpu = cpu_other_than(0);
	struct pmu list[PMU_MAX];
	pid_t loader, mover;

	if (cpu < 0 || !cpu_can_go_offline(cpu))
		SKIP(return, "no CPU can go offline");
	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	before = pmu_list(list, PMU_MAX);
	ASSERT_EQ(0, cpu_pin(0));
	ASSERT_EQ(0, module_remove(self->name));
	ASSERT_EQ(0, call_hold("irq_set_affinity"));
	loader = fork();
	ASSERT_LE(0, loader);
	if (!loader)
		_exit(cpu_pin(cpu) || module_load(self->name) ? 1 : 0);
	if (!call_await(loader))
		TH_LOG("the driver leaves the affinity to the kernel");
	mover = start_offline(cpu);
	/* It either ends, or waits for the probe, and then for so long. */
	for (waited = 0; waited < 200 && !process_has_ended(mover); usleep(1000))
		waited = process_waits_for_hotplug(mover) ? waited + 1 : 0;
	call_release();
	expect_success(&loader);
	expect_success(&mover);
	number = pmu_list(list, PMU_MAX);
	EXPECT_EQ(before, number);
	for (i = 0; i < number; i++) {
		EXPECT_TRUE(cpu_is_online(list[i].cpu))
			TH_LOG("%s is owned by CPU %d", list[i].name, list[i].cpu);
	}
	ASSERT_EQ(0, cpu_all_online());
	ASSERT_EQ(0, module_remove(self->name));
	ASSERT_EQ(0, module_load(self->name));
}

#define HOTPLUG_STATES	"/sys/devices/system/cpu/hotplug/states"

/* It is in use while the driver is loaded. */
TEST_F(module, what_it_depends_on_stays)
{
	if (!self->below[0])
		SKIP(return, "%s depends on no other module", self->name);
	EXPECT_EQ(-EWOULDBLOCK, module_remove(self->below));
}

/* When it is not in use it can be unloaded, and the kernel no longer refers to it. */
TEST_F_TIMEOUT(module, what_it_depends_on_goes_without_trace, SLOW)
{
	char before[4096], after[4096];

	if (access(HOTPLUG_STATES, R_OK))
		SKIP(return, "the kernel does not list its CPU hotplug states");
	if (!self->below[0])
		SKIP(return, "%s depends on no other module", self->name);

	ASSERT_LT(0, read_text(HOTPLUG_STATES, before, sizeof(before)));
	ASSERT_EQ(0, module_remove(self->name));
	ASSERT_EQ(0, module_remove(self->below))
		TH_LOG("%s", self->below);
	ASSERT_EQ(0, module_load(self->name));
	ASSERT_LT(0, read_text(HOTPLUG_STATES, after, sizeof(after)));
	EXPECT_STREQ(before, after);
}

/* Of CPUs that come and go */
TEST_F_TIMEOUT(module, leaves_no_callback_if_it_cannot_be_loaded, SLOW)
{
	struct trace_count added, removed;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	must_load(false);
	if (count_calls(&added, "__cpuhp_setup_state") ||
	    count_calls(&removed, "__cpuhp_remove_state"))
		SKIP(return, "this kernel cannot count calls");
	ASSERT_EQ(0, call_fail("__platform_driver_register"));
	EXPECT_NE(0, module_load(self->name));
	EXPECT_TRUE(call_has_failed());
	EXPECT_EQ(trace_count_value(&added), trace_count_value(&removed));
	trace_count_close(&added);
	trace_count_close(&removed);
	must_load(true);
}

static int open_sampling(void)
{
	struct perf_event_attr attr = attr_of(pmu->event);

	attr.sample_period = 1000;
	return pmu_open_attr(pmu, &attr, -1);
}

/* A kprobe is only needed for samples, when the core module is loaded, and not for counting. */
TEST_F_TIMEOUT(module, counts_without_kprobes, SLOW)
{
	struct fault fault;
	pid_t child;
	int fd;

	if (!self->below[0] || reference_has(pmu, REFERENCE_NEVER_SAMPLES))
		SKIP(return, "reference driver: does not sample");
	if (!pmu_can_interrupt(pmu))
		SKIP(return, "this PMU has no interrupt");
	if (fault_open_lookups(&fault))
		SKIP(return, "%s", fault.missing);
	ASSERT_EQ(0, module_remove(self->name));
	ASSERT_EQ(0, module_remove(self->below));
	child = fork();
	if (!child) {
		/* The fault belongs to the task, which becomes modprobe. */
		if (!fault_arm(&fault, 1))
			execlp("modprobe", "modprobe", self->below, NULL);
		_exit(127);
	}
	expect_success(&child);
	EXPECT_TRUE(fault_disarm(&fault, NULL));
	ASSERT_EQ(0, module_load(self->name));
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	EXPECT_EQ(-EOPNOTSUPP, open_sampling());
	fd = must_open(pmu->event, -1);
	EXPECT_NE(PMU_NO_VALUE, pmu_value(fd));
	close(fd);

	ASSERT_EQ(0, module_remove(self->name));
	ASSERT_EQ(0, module_remove(self->below));
	ASSERT_EQ(0, module_load(self->name));
	ASSERT_EQ(0, pmu_find(pmu, pmu->name));
	fd = open_sampling();
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
		"platform_get_irq_optional -517", "__cpuhp_state_add_instance",
		"perf_pmu_register",
	};
	static const char * const disturbing[] = { "kick_all_cpus_sync", "synchronize_rcu_tasks" };
	struct trace_count calls[ARRAY_SIZE(disturbing)];
	unsigned int i, j;

	if (!interleave_exists())
		SKIP(return, NO_INTERLEAVE);
	must_unbind();
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
	must_bind();
	expect_exact_counts();
}

PMU_FIXTURE(all, is_first, true)

/* Any CPU can own it, and no other PMU has the same interrupt. */
static bool is_free(const struct pmu *list, int number, int i)
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

static void bind_some(const struct pmu *list, int number, const bool *which, bool wanted)
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
	bool free[PMU_MAX] = { false };

	if (cpus < 2)
		SKIP(return, "there is only one CPU");
	number = pmu_list(list, PMU_MAX);
	for (i = 0; i < number; i++) {
		if (!driver_can_unbind(list[i].driver))
			SKIP(return, "%s has no unbind", list[i].driver);
		free[i] = is_free(list, number, i);
		frees += free[i];
	}
	for (i = 0; i < number; i++)
		ASSERT_EQ(0, device_unbind(list[i].driver, list[i].device));
	bind_some(list, number, free, true);
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
	bind_some(list, number, free, false);
	EXPECT_EQ(number, pmu_list(list, PMU_MAX));
	stimulus_choose(stimulus, pmu->page);
}

TEST_HARNESS_MAIN
