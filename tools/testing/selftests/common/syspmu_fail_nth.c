// SPDX-License-Identifier: GPL-2.0
/*
 * Fault injection while a driver binds and while an event is opened: the n-th allocation or
 * firmware lookup fails, for each n until none is left.
 */
#include <sys/mman.h>

#include "fault_injection.h"
#include "sampling_fixture.h"

/* A bind makes about a hundred allocations, and kernels with debug options are slow. */
#define VERY_SLOW	1800

FIXTURE(fail_nth) {
	struct fault fault;
	int bind;
};

FIXTURE_VARIANT(fail_nth) {
	char name[PMU_NAME_LENGTH];
};

FIXTURE_SETUP(fail_nth)
{
	int error = fault_open(&self->fault);

	self->bind = -1;
	if (!machine_setup(_metadata, variant ? variant->name : NULL, true))
		return;
	if (error)
		SKIP(return, "%s", self->fault.missing);
}

FIXTURE_TEARDOWN(fail_nth)
{
	fault_close(&self->fault);
	close(self->bind);
	machine_teardown();
}

/* The properties on which the probe of a PMU depends. */
struct kind {
	char product[PMU_NAME_LENGTH];
	char delivery[16];
	bool two_pages;
	bool shares_irq;
};

/* The name of a PMU of a known product, without its number: the probe looks for what it has. */
static void copy_product(char *product, const struct pmu *pmu)
{
	const char *prefix = pmu->family->prefixes[0];

	if (strncmp(pmu->name, prefix, strlen(prefix)))
		memcpy(product, pmu->name, strcspn(pmu->name, "0123456789"));
}

static struct kind kind_of(struct stimulus *stimulus, const struct pmu *list, int number, int i)
{
	struct pmu_hardware hardware;
	struct kind kind = { };
	__u32 irq;
	int j;

	copy_product(kind.product, &list[i]);
	pmu_attribute_text(&list[i], "interrupt", kind.delivery, sizeof(kind.delivery));
	if (!stimulus->page || stimulus_choose(stimulus, list[i].page))
		return kind;
	pmu_identify(&list[i], stimulus, &hardware);
	kind.two_pages = hardware.counter_page;
	irq = stimulus_irq(stimulus);
	for (j = 0; j < number; j++) {
		if (j != i && pmu_interrupt_is(&list[j], "wired") &&
		    !stimulus_choose(stimulus, list[j].page) && stimulus_irq(stimulus) == irq)
			kind.shares_irq = pmu_interrupt_is(&list[i], "wired");
	}
	return kind;
}

/*
 * One PMU of each kind: a bind has about a hundred points of failure, which are the same for all
 * PMUs of a kind.
 */
static void LATER add_fail_nth_variants(void)
{
	struct __fixture_variant_metadata *variants = calloc(PMU_MAX, sizeof(*variants));
	struct pmu *list = calloc(PMU_MAX, sizeof(*list));
	struct kind kinds[PMU_MAX] = { };
	struct stimulus stimulus;
	int i, j, number;

	if (!variants || !list)
		abort();
	stimulus_open(&stimulus);
	number = pmu_list(list, PMU_MAX);
	for (i = 0; i < number; i++) {
		kinds[i] = kind_of(&stimulus, list, number, i);
		for (j = 0; j < i && memcmp(&kinds[i], &kinds[j], sizeof(kinds[i])); j++)
			;
		if (j < i)
			continue;
		variants[i].name = list[i].name;
		variants[i].data = list[i].name;
		__register_fixture_variant(&_fail_nth_fixture_object, &variants[i]);
	}
}

/*
 * Finds the PMU of a device that is bound. Without what firmware says about it, it may have another
 * name.
 */
static int find_bound(struct pmu *found)
{
	static struct pmu list[PMU_MAX];
	int i, number;

	if (!pmu_find(found, pmu->name))
		return 0;
	number = pmu_list(list, PMU_MAX);
	for (i = 0; i < number && strcmp(list[i].device, pmu->device); i++)
		;
	if (i == number)
		return -ENOENT;
	*found = list[i];
	return 0;
}

/* The PMU is registered and counts. An attribute or its interrupt may be missing. */
static void expect_count(void)
{
	struct pmu found;
	int fd;

	ASSERT_EQ(0, find_bound(&found));
	ASSERT_EQ(0, cpu_pin(found.cpu));
	fd = pmu_open(&found, pmu->event, -1);
	ASSERT_LE(0, fd);
	inject(77);
	EXPECT_EQ(77, pmu_value(fd));
	close(fd);
}

/* Returns whether a call has failed. The bind may succeed nevertheless. */
static bool bind_failing(struct fault *fault, int bind, unsigned int nth, unsigned int *left,
			 bool *bound)
{
	int length = strlen(pmu->device);
	struct pmu found;
	bool injected;

	ASSERT_EQ(0, fault_arm(fault, nth));
	*bound = pwrite(bind, pmu->device, length, 0) == length;
	injected = fault_disarm(fault, left);
	if (*bound) {
		expect_count();
		return injected;
	}
	EXPECT_TRUE(injected)
		TH_LOG("binding fails without a fault");
	EXPECT_EQ(-ENOENT, pmu_find(&found, pmu->name));
	expect_quiet();
	return injected;
}

/*
 * The kernel does not check whether it could create the files of an interrupt in /proc, and warns
 * when it removes one that does not exist. This is not an error of the driver.
 */
static void expect_no_splat_but_lost_files(int mark)
{
	char line[256];

	while (mark >= 0 && kmsg_find_splat(mark, line, sizeof(line))) {
		EXPECT_NE(NULL, strstr(line, " remove_proc_entry+"))
			TH_LOG("the kernel says: %s", line);
	}
}

/* Returns the rest of the last countdown, during which no call failed. */
static unsigned int fail_binds(struct fault *fault, int *bind)
{
	char before[64] = "", after[64] = "";
	unsigned int nth = 0, binds = 0, left;
	bool injected, bound;

	pmu_attribute_text(pmu, "interrupt", before, sizeof(before));
	*bind = open(path_of("/sys/bus/platform/drivers/%s/bind", pmu->driver),
		     O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, *bind);
	must_unbind();
	do {
		injected = bind_failing(fault, *bind, ++nth, &left, &bound);
		if (!bound)
			continue;
		if (!injected)
			break;
		binds++;
		must_unbind();
		expect_quiet();
	} while (injected && !_metadata->exit_code);
	TH_LOG("%u failures, %u binds without", nth - 1, binds);
	EXPECT_LT(1, nth);
	pmu_attribute_text(pmu, "interrupt", after, sizeof(after));
	EXPECT_STREQ(before, after);
	expect_exact_counts();
	return left;
}

TEST_F_TIMEOUT(fail_nth, bind, VERY_SLOW)
{
	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "%s: has no unbind", pmu->driver);
	fail_binds(&self->fault, &self->bind);
	expect_no_splat_but_lost_files(machine->mark);
}

/* The calls of a probe are always the same, so all of them are tested. */
TEST_F_TIMEOUT(fail_nth, bind_without_a_lookup, VERY_SLOW)
{
	if (!driver_can_unbind(pmu->driver))
		SKIP(return, "%s: has no unbind", pmu->driver);
	fault_close(&self->fault);
	if (fault_open_lookups(&self->fault))
		SKIP(return, "%s", self->fault.missing);
	EXPECT_EQ(1, fail_binds(&self->fault, &self->bind));
}

/* Opens a complete group, or nothing. Returns the number of its events, or a negative errno. */
static int open_group(struct perf_event_attr *attr, int *fds, int number)
{
	int i, error;

	for (i = 0; i < number; i++) {
		fds[i] = pmu_open_attr(pmu, attr, i ? fds[0] : -1);
		if (fds[i] >= 0)
			continue;
		error = fds[i];
		while (i--)
			close(fds[i]);
		return error;
	}
	return number;
}

static void close_group(int *fds, int number)
{
	while (number--)
		close(fds[number]);
}

static void fail_groups_of(struct fault *fault, int number)
{
	int fds[PMU_MAX_COUNTERS], opened, i;
	struct perf_event_attr attr = attr_of(pmu->event);
	unsigned int nth = 0;
	bool injected;

	do {
		ASSERT_EQ(0, fault_arm(fault, ++nth));
		opened = open_group(&attr, fds, number);
		injected = fault_disarm(fault, NULL);
		if (opened < 0) {
			EXPECT_TRUE(injected);
			EXPECT_EQ(-ENOMEM, opened);
			continue;
		}
		inject(nth);
		for (i = 0; i < number; i++)
			EXPECT_EQ(nth, pmu_value(fds[i]));
		close_group(fds, number);
	} while (injected && !_metadata->exit_code);
	TH_LOG("%u allocations for %d events", nth - 1, number);
	EXPECT_LT(1, nth);
	expect_exact_counts();
}

TEST_F_TIMEOUT(fail_nth, open_an_event, VERY_SLOW)
{
	fail_groups_of(&self->fault, 1);
}

TEST_F_TIMEOUT(fail_nth, open_a_group, VERY_SLOW)
{
	int number = hardware->counters;

	if (number < 2)
		SKIP(return, "this PMU has only one counter");
	fail_groups_of(&self->fault, number < 4 ? number : 4);
}

/* Includes the ring buffer. */
TEST_F_TIMEOUT(fail_nth, sample, VERY_SLOW)
{
	struct perf_event_attr attr = sampling_attr(10);
	struct ring ring;
	unsigned int nth = 0;
	int fd, error;
	bool injected;

	if (!can_sample(machine))
		SKIP(return, "this PMU does not sample");
	do {
		ASSERT_EQ(0, fault_arm(&self->fault, ++nth));
		fd = pmu_open_attr(pmu, &attr, -1);
		error = fd < 0 ? fd : ring_open(&ring, fd);
		injected = fault_disarm(&self->fault, NULL);
		if (error) {
			EXPECT_TRUE(injected);
			EXPECT_EQ(-ENOMEM, error);
		} else {
			ring_close(&ring);
		}
		if (fd >= 0)
			close(fd);
	} while (injected && !_metadata->exit_code);
	TH_LOG("%u allocations", nth - 1);
	EXPECT_LT(1, nth);
	expect_exact_counts();
}

TEST_HARNESS_MAIN
